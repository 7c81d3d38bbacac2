"""What no schema sees in a study on sounds: names that clash or are missing, absent files."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from earnest import embeddings
from earnest.mixing import pairs
from earnest.tasks import classifiers

if TYPE_CHECKING:
    from earnest.studies.clips import ClipStudy
    from earnest.studies.mixtures import MixtureStudy
    from earnest.studies.sounds import SoundStudy


def find_repeats(key: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the names that a list of the study gives twice."""
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{key}: two are named {name!r}"


def find_absent(files: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield files that are not there, of those that keys of the study name."""
    for key, paths in files.items():
        for path in paths:
            if not os.path.isfile(path):
                yield f"{key}: there is no file {path}{_from_where(path)}"


def find_absent_folder(key: str, path: str) -> Iterator[str]:
    """Yield a folder that a key of the study names, if it is not there."""
    if not os.path.isdir(path):
        yield f"{key}: there is no folder {path}{_from_where(path)}"


def _from_where(path: str) -> str:
    return "" if os.path.isabs(path) else f" in {os.getcwd()}, where Snakemake was started"


def find_sound_problems(study: "SoundStudy") -> Iterator[str]:
    """Yield what is wrong in a study on sounds of any kind, and blocks of the other kind."""
    yield from find_repeats("tasks", [task["name"] for task in study.config["tasks"]])
    yield from _task_problems(study)
    yield from _embedding_problems(study)
    yield from _classifier_problems(study)
    yield from _folder_problems(study)
    if study.config[study.BLOCK] is None:
        yield f"a study of kind {study.kind} needs the key `{study.BLOCK}`"
    elif study.config[study.FOREIGN_BLOCK] is not None:
        yield (
            f"the key `{study.FOREIGN_BLOCK}` has no meaning in a study of kind {study.kind};"
            " remove it"
        )
    else:
        yield from study.block_problems()


def _task_problems(study: "SoundStudy") -> Iterator[str]:
    """Yield tasks that lack what they need."""
    for task in study.config["tasks"]:
        if (task["kind"] == "context") != (task["foreground"] is not None):
            yield (
                f"tasks: {task['name']!r}: `foreground` is for tasks of kind context,"
                " and needed there"
            )
        if task["embedding"] not in (None, *study.config["embeddings"]):
            known = ", ".join(study.config["embeddings"])
            yield f"tasks: {task['name']!r}: no embedding {task['embedding']!r}; there are {known}"


def _embedding_problems(study: "SoundStudy") -> Iterator[str]:
    """Yield embeddings that cannot be made here, or that are asked for and not there."""
    for name, embedding in study.config["embeddings"].items():
        for problem in embeddings.find_problems(embedding["backend"], embedding["options"]):
            yield f"embeddings.{name}: {problem}"
    crossed = (study.config["subconcepts"] or {}).get("embedding")
    if crossed not in (None, *study.config["embeddings"]):
        known = ", ".join(study.config["embeddings"])
        yield f"subconcepts.embedding: no embedding {crossed!r}; there are {known}"


def _classifier_problems(study: "SoundStudy") -> Iterator[str]:
    """Yield classifiers that cannot run here, or not on the embedding of their task."""
    for task in study.config["tasks"]:
        embedding = task["embedding"] or next(iter(study.config["embeddings"]))
        problems = classifiers.find_problems(
            (task["classifier"] or study.config["classifier"])["name"],
            task=task["kind"],
            is_trained=embedding in study.trained,
        )
        for problem in problems:
            yield f"tasks: {task['name']!r}: {problem}"


def _folder_problems(study: "SoundStudy") -> Iterator[str]:
    """Yield what is wrong with the study's own folder, if it has one."""
    path = study.config["folder"]["path"]
    if "folder" not in study.config["datasets"]:
        if path is not None:
            yield "folder.path: add `folder` to `datasets`, or remove the key"
    elif path is None:
        yield "folder.path: name the folder that holds your audio"
    else:
        yield from find_absent_folder("folder.path", path)


def find_split_problems(study: "ClipStudy") -> Iterator[str]:
    """Yield what is wrong in a split by folds, and what needs pairs or backgrounds."""
    if study.config["clips"]["only_paired"]:
        yield "clips.only_paired: a study of kind clips has no pairs; remove it"
    train, pool = study.config["split"]["train_folds"], study.config["split"]["pool_folds"]
    if (train is None) != (pool is None):
        yield "split: give both `train_folds` and `pool_folds`, or neither"
    for fold in sorted({*(train or [])} & {*(pool or [])}):
        yield f"split: fold {fold} is in both `train_folds` and `pool_folds`"
    if (study.config["subconcepts"] or {}).get("foregrounds"):
        yield "subconcepts.foregrounds: clips as they are have no background; leave the list empty"
    for task in study.config["tasks"]:
        if task["kind"] == "context":
            yield (
                f"tasks: {task['name']!r}: clips as they are have no background;"
                " kind context is for mixtures"
            )


def find_mixture_problems(study: "MixtureStudy") -> Iterator[str]:
    """Yield files that are not there, and what is wrong in the pairs table."""
    # As they stand in paths: two that differ only beyond six digits would be one variant.
    yield from find_repeats("mixtures.margin_lu", [f"{margin:g}" for margin in study.margins])
    tables = study.tables()
    yield from find_absent(tables)
    if not list(find_absent({"pairs": tables["mixtures.pairs"]})):
        yield from _pairs_problems(study)


def _pairs_problems(study: "MixtureStudy") -> Iterator[str]:
    """Yield what is wrong in the pairs table, and foregrounds that are asked for and not there."""
    try:
        kept = pairs.pairs_of_splits(study.pairs, study.config["mixtures"]["class_splits"])
    except pairs.PairsError as error:
        yield f"mixtures.pairs: {error}"
        return
    foregrounds = set(kept["foreground"])
    known = ", ".join(sorted(foregrounds))
    for task in study.config["tasks"]:
        if task["kind"] == "context" and task["foreground"] not in foregrounds:
            yield (
                f"tasks: {task['name']!r}: no foreground {task['foreground']!r}; there are {known}"
            )
    for name in (study.config["subconcepts"] or {}).get("foregrounds") or []:
        if name not in foregrounds:
            yield f"subconcepts.foregrounds: no foreground {name!r}; there are {known}"
