"""Pairs of sounds to a plan of mixtures: what can be built, which side, which clips together."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from earnest.datasets.labels import labels_of
from earnest.datasets.recordings import (
    recording_groups,
    refuse_share,
    split_recordings,
    usable_clips,
)
from earnest.datasets.splits import ClipPlan, plan_clips
from earnest.io import schemas
from earnest.mixing.pairing import Pair, Wheel, context_counts, largest_total, make_wheel, meet
from earnest.mixing.pairs import (
    PairsError,
    labels_of_pairs,
    pairs_of_splits,
    read_pairs,
    read_rejected,
    read_rejections,
)

if TYPE_CHECKING:
    import pandas

__all__ = [
    "ClipPlan",
    "PairsError",
    "Plan",
    "buildable_pairs",
    "labels_of",
    "labels_of_pairs",
    "pairs_of_splits",
    "plan_clips",
    "plan_mixtures",
    "read_pairs",
    "read_rejected",
    "read_rejections",
    "split_recordings",
]

SPLITS = ("train", "pool")
CLASS_SPLITS = ("train", "validation", "test")
Dropped = tuple[str, str, str]  # kind, name, reason


@dataclass(frozen=True)
class Plan:
    """What to mix, and what had to be left out.

    Attributes
    ----------
    mixtures : pandas.DataFrame
        The table `mixture_plan`.
    dropped : pandas.DataFrame
        The table `dropped`: kind, name, reason.
    """

    mixtures: "pandas.DataFrame"
    dropped: "pandas.DataFrame"


def buildable_pairs(
    pairs: "pandas.DataFrame", clips: "pandas.DataFrame"
) -> tuple["pandas.DataFrame", "pandas.DataFrame"]:
    """Keep the foregrounds of which everything can be built.

    Parameters
    ----------
    pairs : pandas.DataFrame
        As from `read_pairs`.
    clips : pandas.DataFrame
        The table `clips`; only rows with status `used` count.

    Returns
    -------
    kept : pandas.DataFrame
        The rows of `pairs` whose foreground has clips and all of whose backgrounds have:
        a union has clips if any of its labels has.
    dropped : pandas.DataFrame
        One row per foreground left out, naming what is missing.
    """
    labels = set(usable_clips(clips)["label"])
    reasons = {}
    for foreground, rows in pairs.groupby("foreground", sort=True):
        names = [foreground, *sorted(rows["background"])]
        missing = [name for name in names if labels.isdisjoint(labels_of(name))]
        if missing:
            reasons[foreground] = f"no usable clips of {', '.join(missing)}"
    kept = pairs[~pairs["foreground"].isin(reasons)].reset_index(drop=True)
    return kept, _dropped_frame([("foreground", name, why) for name, why in reasons.items()])


def _dropped_frame(rows: list[Dropped]) -> "pandas.DataFrame":
    import pandas as pd

    return pd.DataFrame(rows, columns=list(schemas.TABLES["dropped"]), dtype="str")


def plan_mixtures(
    pairs: "pandas.DataFrame",
    clips: "pandas.DataFrame",
    *,
    mixtures_per_foreground: int,
    primary_share: float,
    train_share: float,
    shards: int,
    root_seed: int,
    rejected: frozenset[tuple[str, str]] = frozenset(),
    class_splits: Collection[str] = CLASS_SPLITS,
) -> Plan:
    """Plan which clip goes over which, for every foreground and both sides.

    Numbers are exact: round(train_share * total) on the training side, of each side
    round(primary_share * side) with the primary background, the rest spread evenly over
    the others. Where too few distinct clip pairs exist, fewer mixtures are planned at the
    same primary share, and a dropped row says so. No pair of clips comes twice, no clip is
    mixed with its own recording, and clips of one foreground and side, and of one
    background and side, are used equally often to within one (a mixture rejected on
    listening is replaced by the least used pair, which may cost that by one).

    Parameters
    ----------
    pairs : pandas.DataFrame
        As from `read_pairs`.
    clips : pandas.DataFrame
        The table `clips`, in any order.
    mixtures_per_foreground : int
        Mixtures wanted per foreground, both sides together.
    primary_share : float
        In (0, 1].
    train_share : float
        In (0, 1), of recordings and of mixtures.
    shards : int
        Number of files that the mixtures are spread over.
    root_seed : int
        The seed of the study.
    rejected : frozenset of (kind, name)
        As from `read_rejected`.
    class_splits : collection of str
        Which of SpurAudio's splits over classes to take: train, validation, test.

    Returns
    -------
    Plan
        Byte for byte the same for any order of the rows of `pairs` and `clips`.

    Raises
    ------
    ValueError
        If an option is out of range.
    PairsError
        If no foreground is in `class_splits`.

    Notes
    -----
    Studies may share a table of rejected pairs and mixtures. Those that a study cannot have are
    counted in a dropped row of kind `rejected`, and change nothing.
    """
    refuse_share("train_share", train_share)
    refuse_share("primary_share", primary_share, one_allowed=True)
    if mixtures_per_foreground < 2 or shards < 1:
        raise ValueError("mixtures_per_foreground must be 2 or more, and shards 1 or more")
    kept, not_built = buildable_pairs(pairs_of_splits(pairs, class_splits), clips)
    kept, not_wanted = _without_rejected_pairs(pairs, kept, rejected)
    usable = usable_clips(clips)
    sides = split_recordings(clips, kept, train_share=train_share, root_seed=root_seed)
    planner = _Planner(usable, sides, primary_share, root_seed, rejected)
    totals = {"train": round(train_share * mixtures_per_foreground)}
    totals["pool"] = mixtures_per_foreground - totals["train"]
    rows = [
        row
        for foreground, own in kept.groupby("foreground", sort=True)
        for row in planner.plan_foreground(foreground, own, totals)
    ]
    dropped = [*not_built.itertuples(index=False, name=None), *not_wanted, *planner.dropped]
    dropped += planner.strangers()
    return Plan(_mixture_frame(rows, shards), _dropped_frame(dropped))


def _without_rejected_pairs(
    pairs: "pandas.DataFrame", kept: "pandas.DataFrame", rejected: frozenset[tuple[str, str]]
) -> tuple["pandas.DataFrame", list[Dropped]]:
    """Take out the pairs that listeners rejected, and foregrounds that lose their contrast."""
    listed = {name for kind, name in rejected if kind == "pair"}
    names = listed & set(pairs["foreground"] + "/" + pairs["background"])
    wanted = kept[~(kept["foreground"] + "/" + kept["background"]).isin(names)]
    dropped = [("pair", name, "rejected on listening") for name in sorted(names)]
    dropped += _strangers("pairs", listed, names)
    alone = []
    for foreground, own in kept.groupby("foreground", sort=True):
        left = wanted.loc[wanted["foreground"] == foreground, "is_primary"]
        if len(left) < len(own) and (not left.any() or left.all()):
            alone.append(foreground)
            missing = "no other background" if left.any() else "no primary background"
            dropped.append(("foreground", foreground, f"{missing} is left after listening"))
    return wanted[~wanted["foreground"].isin(alone)].reset_index(drop=True), dropped


def _strangers(kind: str, listed: Set[str], known: Set[str]) -> list[Dropped]:
    """Count the rejected names that mean nothing here, and show the first: it may be a slip."""
    others = sorted(listed - known)
    if not others:
        return []
    shown = f"{len(others)} of {len(listed)} in the table of rejected {kind}"
    return [("rejected", kind, f"{shown} cannot occur in this study, the first {others[0]}")]


class _Planner:
    """The state of planning: which clips are where, and how far each wheel has turned."""

    def __init__(
        self,
        usable: "pandas.DataFrame",
        sides: Mapping[str, str],
        primary_share: float,
        root_seed: int,
        rejected: frozenset[tuple[str, str]],
    ) -> None:
        self.dropped: list[Dropped] = []
        self._primary_share = primary_share
        self._root_seed = root_seed
        self._rejected = {name for kind, name in rejected if kind == "mixture"}
        self._met: set[str] = set()
        self._recording = dict(zip(usable["clip_id"], usable["recording"], strict=True))
        self._group = recording_groups(usable)
        self._wheels: dict[tuple[str, ...], Wheel] = {}
        self._clips: dict[tuple[str, str], list[str]] = defaultdict(list)
        columns = (usable["clip_id"], usable["label"], usable["recording"])
        for clip, label, recording in zip(*columns, strict=True):
            self._clips[label, sides[recording]].append(clip)

    def plan_foreground(
        self, foreground: str, own: "pandas.DataFrame", totals: Mapping[str, int]
    ) -> list[dict[str, object]]:
        """Return the mixtures of one foreground on both sides, or none with a dropped row."""
        primary = own.loc[own["is_primary"], "background"].item()
        others = sorted(own.loc[~own["is_primary"], "background"])
        names = [foreground, primary, *others]
        missing = [(n, s) for n in names for s in SPLITS if not self._wheel(foreground, n, s).clips]
        if missing:
            reason = "; ".join(
                f"no recording of {name} is left for {side}" for name, side in missing
            )
            self.dropped.append(("foreground", foreground, reason))
            return []
        rows = []
        for side in SPLITS:
            counts = self._counts(foreground, primary, others, side, totals[side])
            for background, count in sorted(counts.items()):
                facts = {
                    "is_primary": background == primary,
                    "split": side,
                    "class_split": own["split"].iloc[0],
                }
                pairs = self._meet(foreground, background, side, count)
                rows += [facts | self._row(foreground, background, pair) for pair in pairs]
        return rows

    def _wheel(self, foreground: str, name: str, side: str) -> Wheel:
        """Return a foreground's own wheel, or the one that foregrounds share for a background."""
        role = "foreground" if name == foreground else "background"
        if (role, name, side) not in self._wheels:
            clips = [clip for label in labels_of(name) for clip in self._clips[label, side]]
            self._wheels[role, name, side] = make_wheel(clips, self._root_seed, role, name, side)
        return self._wheels[role, name, side]

    def _counts(
        self, foreground: str, primary: str, others: list[str], side: str, wanted: int
    ) -> dict[str, int]:
        capacity = {}
        for name in (primary, *others):
            wheels = self._wheel(foreground, foreground, side), self._wheel(foreground, name, side)
            capacity[name] = len(wheels[0].clips) * len(wheels[1].clips)
            capacity[name] -= len(self._forbidden(foreground, name, side))
        total = largest_total(wanted, primary, others, self._primary_share, capacity)
        if total < wanted:
            room = ", ".join(f"{name} {number}" for name, number in sorted(capacity.items()))
            reason = (
                f"{side}: {total} of {wanted} mixtures, the primary share kept; "
                f"distinct clip pairs: {room}"
            )
            self.dropped.append(("mixtures", foreground, reason))
        return context_counts(total, primary, others, self._primary_share)

    def _forbidden(self, foreground: str, background: str, side: str) -> frozenset[Pair]:
        """Return the clip pairs of one upload, and those that listeners rejected."""
        over = self._wheel(foreground, foreground, side).clips
        under = self._wheel(foreground, background, side).clips
        same = defaultdict(list)
        for clip in under:
            same[self._group[self._recording[clip]]].append(clip)
        forbidden = {(f, b) for f in over for b in same.get(self._group[self._recording[f]], ())}
        prefix = _slug(foreground, background) + "-"
        if any(name.startswith(prefix) for name in self._rejected):
            every = ((f, b) for f in over for b in under)
            ids = ((pair, _mixture_id(foreground, background, pair)) for pair in every)
            found = {pair: name for pair, name in ids if name in self._rejected}
            self._met |= set(found.values())
            forbidden |= found.keys()
        return frozenset(forbidden)

    def strangers(self) -> list[Dropped]:
        """Say how many of the rejected mixtures no planned foreground could have had."""
        return _strangers("mixtures", self._rejected, self._met)

    def _meet(self, foreground: str, background: str, side: str, count: int) -> list[Pair]:
        over = self._wheel(foreground, foreground, side)
        under = self._wheel(foreground, background, side)
        return meet(over, under, count, self._forbidden(foreground, background, side))

    def _row(self, foreground: str, background: str, pair: Pair) -> dict[str, object]:
        return {
            "mixture_id": _mixture_id(foreground, background, pair),
            "foreground_clip": pair[0],
            "background_clip": pair[1],
            "foreground": foreground,
            "background": background,
            "recording": self._recording[pair[0]],
            "background_recording": self._recording[pair[1]],
        }


def _mixture_id(foreground: str, background: str, pair: Pair) -> str:
    """Name a mixture by its labels and a hash of its clips, so that the name means the sound."""
    digest = hashlib.sha256("\n".join(pair).encode()).hexdigest()[:10]
    return f"{_slug(foreground, background)}-{digest}"


def _slug(foreground: str, background: str) -> str:
    return "-".join(re.sub(r"[^A-Za-z0-9_]+", "_", name) for name in (foreground, background))


def _mixture_frame(rows: list[dict[str, object]], shards: int) -> "pandas.DataFrame":
    """Sort the mixtures and cut them into shards of equal size to within one."""
    import pandas as pd

    columns = list(schemas.TABLES["mixture_plan"])
    rows.sort(key=lambda row: (row["foreground"], row["background"], row["mixture_id"]))
    for place, row in enumerate(rows):
        row["shard"] = place * shards // len(rows)
    frame = pd.DataFrame.from_records(rows, columns=columns)
    repeated = frame["mixture_id"][frame["mixture_id"].duplicated()]
    if len(repeated):
        raise ValueError(f"two mixtures are named {repeated.iloc[0]}: change one of their clip ids")
    return frame.astype({"is_primary": "bool", "shard": "int64"})
