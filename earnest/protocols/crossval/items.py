"""The items of a study on sounds, cross-validated as tables are, and no recording in two folds."""

from typing import TYPE_CHECKING, Any

import numpy as np

from earnest import tasks
from earnest.datasets.recordings import recording_groups, usable_clips
from earnest.protocols.crossval import folds, splitting
from earnest.protocols.crossval.splitting import Split
from earnest.tasks.backgrounds import usual_and_rare
from earnest.tasks.kinds import KINDS

if TYPE_CHECKING:
    import pandas

BINARY_KINDS = ("subconcepts", "context")
RECORDINGS = ("recording", "background_recording")


def split_items(
    items: "pandas.DataFrame",
    embeddings: np.ndarray,
    *,
    name: str,
    kind: str,
    foreground: str | None = None,
    pool_task: str | None = None,
    root_seed: int,
    repeats: int = 5,
    n_estimators: int = 100,
    clips: "pandas.DataFrame | None" = None,
) -> Split:
    """Build a task of all items, halve it by recordings, and weigh what each half tests.

    Parameters
    ----------
    items : pandas.DataFrame
        Table `items`; both sides of the study's own split take part.
    embeddings : ndarray (len(items), d)
    name : str
        What the task is called in every table; names the draws of folds and forests.
    kind : str
        A binary one of `earnest.tasks.kinds.KINDS`. `subconcepts`: merged foregrounds;
        `context`: one foreground against the rest, its backgrounds being the subconcepts.
    foreground : str, optional
        Of a context task.
    pool_task : str, optional
        Name of the study's own task of that kind: with the same root seed it is drawn down to
        the same items as the pool's (`earnest.tasks.pools.build_pool`). Unless given, `name`.
    root_seed : int
    repeats : int
    n_estimators : int
        Trees of the subconcept forest.
    clips : pandas.DataFrame, optional
        Table `clips`. Recordings that share a file, a sound or an upload count as one, as in the
        study's own split.

    Returns
    -------
    Split
        With status `not run` and the reason if no task can be built or a half lacks a
        subconcept. `row` of its items is the row of the embeddings, and `features` are empty:
        forests read the embeddings themselves. The description also holds `kind`, `foreground`,
        `primary` (the subconcept over the usual background, of a context task) and `guard`.

    Raises
    ------
    ValueError
        If the kind is unknown or embeddings do not fit the items.

    Notes
    -----
    Neither a foreground's nor a background's recording is ever in both halves, see
    `earnest.protocols.crossval.folds.grouped_sides`.
    """
    if kind not in BINARY_KINDS:
        known = ", ".join(BINARY_KINDS)
        raise ValueError(f"task {name!r}: unknown kind {kind!r}; there are {known}")
    if len(items) != len(embeddings):
        raise ValueError(f"{len(items)} items, but {len(embeddings)} embeddings")
    about = {"kind": kind, "foreground": foreground}
    options = {"dataset": name, "root_seed": root_seed}
    forests = {"repeats": repeats, "n_estimators": n_estimators}
    try:
        task = KINDS[kind](items, pool_task or name, foreground, root_seed).task
        features = np.asarray(embeddings[task.items])
        groups = _recordings(items.iloc[task.items], clips)
        frames = splitting.cross_predict(task, features, groups=groups, **options, **forests)
    except (tasks.TaskError, folds.FoldError) as error:
        reason = splitting.not_run(name, str(error))
        return Split(reason.description | about, reason.features, *_frames(reason))
    about |= {"primary": _primary(items.iloc[task.items], task)}
    about |= {"guard": _guard(groups, frames[0], len(task.items), repeats)}
    about |= {"file_rows": len(items), "text_columns": [], "missing": 0, "filled": 0}
    description = splitting.describe(name, task, features, **about)
    # forests of the corrections read the embeddings by memory map, not a copy for each task
    frames[0]["row"] = frames[0]["item"]
    return Split(description, splitting.not_run(name, "").features, *frames)


def _frames(split: Split) -> tuple:
    return split.items, split.subconcepts, split.recognition


def _recordings(kept: "pandas.DataFrame", clips: "pandas.DataFrame | None") -> np.ndarray:
    """Return the recordings of each item: of a clip by itself one, of a mixture two."""
    columns = [name for name in RECORDINGS if kept[name].notna().all()]
    names = kept[columns]
    if clips is not None:
        joined = recording_groups(usable_clips(clips))
        names = names.map(lambda name: joined.get(name, name))
    return names.to_numpy(dtype=str)


def _primary(kept: "pandas.DataFrame", task: tasks.Task) -> str | None:
    """Return the minority subconcept whose items are all over the primary background."""
    usual, _ = usual_and_rare(kept["is_primary"])
    whole = [name for name in task.minority if usual[task.subconcept == name].all()]
    return whole[0] if len(whole) == 1 else None


def _guard(
    groups: np.ndarray, tested: "pandas.DataFrame", count: int, repeats: int
) -> dict[str, Any]:
    """Say how the items hang together by their recordings, and what the guard left out."""
    sizes = np.bincount(folds.components_of(groups))
    used = tested.groupby("repeat").size().reindex(range(repeats), fill_value=0)
    return {
        "recordings": len(np.unique(groups)),
        "components": int((sizes > 0).sum()),
        "largest_component": int(sizes.max()),
        "left_out": (count - used).tolist(),
    }
