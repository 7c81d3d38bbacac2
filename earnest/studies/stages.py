"""Stages of a study: the code and the settings that decide their rows, and the stamps of both."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from earnest import records
from earnest.io import provenance
from earnest.studies.contents import Contents


def _nothing(**_: Any) -> dict[str, Any]:
    return {}


def _none(**_: Any) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Stage:
    """What decides the rows of a stage.

    What depends on a choice, such as which embedding or task, is a function of it that takes it
    by keyword and ignores what it has no use for. Lists that only make the grid longer (seeds,
    samplers, estimators, tasks) are no settings: a grown grid leaves the old shards as they are.

    Attributes
    ----------
    modules : tuple of str
        Modules below `earnest` whose code, with all they import, is that of the stage.
    settings : callable
        The choice -> plain values, by name.
    before : str or callable, optional
        The stage before it, or the choice -> that stage.
    plugins : callable
        The choice -> further modules that only this choice uses, such as those of one embedding
        backend; an edit of one is an edit of no other.
    methods : callable
        The choice -> names of methods by their kind, as `earnest.records.ROOMS` has it; where
        other packages come with one, their version and source are part of the code.
    inputs : callable
        The choice -> files and folders of people that the stage reads: not their names or times
        but what they hold is part of its stamp, and so of all stages after it.
    scripts : tuple of str
        Entry scripts that make its rows, without their suffix: their code, with all they import,
        is that of the stage too.
    """

    modules: tuple[str, ...]
    settings: Callable[..., Mapping[str, Any]] = _nothing
    before: str | Callable[..., str] | None = None
    methods: Callable[..., Mapping[str, Iterable[str]]] = _nothing
    plugins: Callable[..., tuple[str, ...]] = _none
    inputs: Callable[..., Iterable[str]] = _none
    scripts: tuple[str, ...] = ()


def code_version(stage: Stage, **choice: str) -> str:
    """Hash the code behind a stage; without a choice, that which every choice shares.

    Returns
    -------
    str
        16 hexadecimal digits: Snakemake does not see edits in imported modules, so rules have
        this as a parameter.
    """
    plugins = stage.plugins(**choice) if choice else ()
    code = provenance.code_version(*stage.modules, *plugins, scripts=stage.scripts)
    origins = {
        kind: records.origins(kind, names) for kind, names in stage.methods(**choice).items()
    }
    return provenance.stamp(code, **origins) if any(origins.values()) else code


def stamp(stages: Mapping[str, Stage], name: str, contents: Contents, /, **choice: str) -> str:
    """Make what a shard of a stage carries: code, settings, inputs, the stamp of the stage before.

    Parameters
    ----------
    stages : mapping of str to Stage
        All stages of the study.
    name : str
        One of them.
    contents : Contents
        What the input files hold.
    **choice
        What the settings depend on.

    Returns
    -------
    str
        16 hexadecimal digits; a shard with another stamp is refused by who reads it.
    """
    stage = stages[name]
    before = stage.before(**choice) if callable(stage.before) else stage.before
    return provenance.stamp(
        code_version(stage, **choice),
        before=stamp(stages, before, contents, **choice) if before else "",
        settings=dict(stage.settings(**choice)),
        inputs=contents.of_each(stage.inputs(**choice)),
    )
