"""Clips as they are to items: which of them train, which form the pool, how imbalanced it is."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from earnest.datasets.recordings import recording_groups, split_recordings, usable_clips
from earnest.io import schemas
from earnest.rng import generator

if TYPE_CHECKING:
    import pandas


Dropped = tuple[str, str, str]  # kind, name, reason


@dataclass(frozen=True)
class ClipPlan:
    """Items of a study on clips, and what had to be left out.

    Attributes
    ----------
    items : pandas.DataFrame
        The table `items`; backgrounds are null.
    dropped : pandas.DataFrame
        The table `dropped`: kind, name, reason.
    """

    items: "pandas.DataFrame"
    dropped: "pandas.DataFrame"


def plan_clips(
    clips: "pandas.DataFrame",
    *,
    root_seed: int,
    train_folds: Sequence[int] | None = None,
    pool_folds: Sequence[int] | None = None,
    train_share: float = 0.5,
    long_tail: float | None = None,
) -> ClipPlan:
    """Put usable clips on the training side or into the pool.

    Parameters
    ----------
    clips : pandas.DataFrame
        The table `clips`, in any order.
    root_seed : int
        The seed of the study.
    train_folds, pool_folds : sequence of int, optional
        Official folds of each side; clips of other folds are left out. Neither: recordings are
        split, as near to `train_share` in every class as can be.
    train_share : float
        In (0, 1).
    long_tail : float, optional
        Largest class of the pool over its smallest, at least 1: of C classes, ordered by size,
        the one at place k keeps `largest * long_tail ** (-k / (C - 1))` clips, or all it has. Which
        ones is drawn by the generator (root_seed, "long tail", class).

    Returns
    -------
    ClipPlan
        The same for any order of the rows.

    Raises
    ------
    ValueError
        If only one of the two lists of folds is given, a fold is in both or not in the data,
        `long_tail` is below 1, or no class has clips on both sides.
    """
    import pandas as pd

    usable = usable_clips(clips)
    if train_folds is None and pool_folds is None:
        sides = _sides_by_recording(usable, train_share, root_seed)
    else:
        sides = _sides_by_fold(usable, train_folds, pool_folds)
    dropped = _fold_reasons(usable[sides == ""], "in no fold that the study uses")
    crossing = _crossing(usable, sides)
    dropped += _fold_reasons(
        usable[crossing], "its recording is on the other side of the split too"
    )
    sides = sides.mask(crossing, "")
    one_sided = _one_sided(usable["label"], sides)
    dropped += [("class", label, why) for label, why in one_sided.items()]
    sides = sides.mask(usable["label"].isin(one_sided), "")
    if long_tail is not None:
        left_out = _long_tail(usable[sides == "pool"], long_tail, root_seed)
        dropped += _long_tail_reasons(usable, left_out, long_tail)
        sides = sides.mask(usable["clip_id"].isin(left_out), "")
    if not (sides == "pool").any():
        raise ValueError("no class has usable clips both to train on and in the pool")
    items = _items(usable[sides != ""], sides[sides != ""])
    columns = list(schemas.TABLES["dropped"])
    return ClipPlan(items, pd.DataFrame(dropped, columns=columns, dtype="str"))


def _sides_by_recording(
    usable: "pandas.DataFrame", train_share: float, root_seed: int
) -> "pandas.Series":
    import pandas as pd

    no_pairs = pd.DataFrame({"foreground": [], "background": []}, dtype="str")
    side = split_recordings(usable, no_pairs, train_share=train_share, root_seed=root_seed)
    return usable["recording"].map(side)


def _sides_by_fold(
    usable: "pandas.DataFrame", train_folds: Sequence[int] | None, pool_folds: Sequence[int] | None
) -> "pandas.Series":
    import pandas as pd

    if not train_folds or not pool_folds or set(train_folds) & set(pool_folds):
        raise ValueError("give folds for both sides, none of them for both")
    unknown = sorted({*train_folds, *pool_folds} - set(usable["fold"].dropna()))
    if unknown:
        raise ValueError(f"no usable clip is in fold {', '.join(map(str, unknown))}")
    side = dict.fromkeys(train_folds, "train") | dict.fromkeys(pool_folds, "pool")
    return pd.Series([side.get(fold, "") for fold in usable["fold"]], index=usable.index)


def _crossing(usable: "pandas.DataFrame", sides: "pandas.Series") -> "pandas.Series":
    """Whether a pool clip has its recording, upload or file on the training side."""
    groups = usable["recording"].map(recording_groups(usable))
    trained = set(groups[sides == "train"])
    return (sides == "pool") & groups.isin(trained)


def _one_sided(labels: "pandas.Series", sides: "pandas.Series") -> dict[str, str]:
    """Return the classes that cannot be both learned and evaluated, with the reason."""
    found = {side: set(labels[sides == side]) for side in ("train", "pool")}
    missing = {"train": "no clip to train on", "pool": "no clip in the pool"}
    return {
        label: why
        for side, why in missing.items()
        for label in sorted((found["train"] | found["pool"]) - found[side])
    }


def _long_tail(pool: "pandas.DataFrame", ratio: float, root_seed: int) -> set[str]:
    """Return the clips of the pool that an imbalanced one does without."""
    if not ratio >= 1:
        raise ValueError(f"long_tail must be 1 or more, got {ratio}")
    sizes = Counter(pool["label"])
    ordered = sorted(sizes, key=lambda label: (-sizes[label], label))
    left_out: set[str] = set()
    for place, label in enumerate(ordered):
        share = ratio ** (-place / max(len(ordered) - 1, 1))
        keep = min(max(round(sizes[ordered[0]] * share), 1), sizes[label])
        own = pool["clip_id"][pool["label"] == label].to_numpy()
        order = generator(root_seed, "long tail", label).permutation(len(own))
        left_out |= set(own[order[keep:]].tolist())
    return left_out


def _fold_reasons(rows: "pandas.DataFrame", why: str) -> list[Dropped]:
    """Return one reason for each data set and fold, so that the report stays readable."""
    folds = ["no fold" if fold is None or fold != fold else f"fold {fold}" for fold in rows["fold"]]
    counts = Counter(zip(rows["dataset"], folds, strict=True))
    return [
        ("clips", f"{dataset}, {fold}", f"{count} clips: {why}")
        for (dataset, fold), count in sorted(counts.items())
    ]


def _long_tail_reasons(
    usable: "pandas.DataFrame", left_out: set[str], ratio: float
) -> list[Dropped]:
    counts = Counter(usable["label"][usable["clip_id"].isin(left_out)])
    why = f"left out so that the pool has a long tail, {ratio:g} to 1"
    return [("clips", label, f"{count} clips: {why}") for label, count in sorted(counts.items())]


def _items(rows: "pandas.DataFrame", sides: "pandas.Series") -> "pandas.DataFrame":
    import pandas as pd

    frame = pd.DataFrame(
        {
            "item_id": rows["clip_id"],
            "foreground": rows["label"],
            "background": None,
            "is_primary": None,
            "split": sides,
            "recording": rows["recording"],
            "background_recording": None,
            "shard": rows["part"].astype("int64"),
            "row": rows["row"].astype("int64"),
            "checksum": rows["checksum"],
        }
    )
    return frame[list(schemas.TABLES["items"])].reset_index(drop=True)
