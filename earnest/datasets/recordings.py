"""Recordings to sides: what belongs together stays together, in every class."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from earnest.datasets.labels import labels_of
from earnest.rng import generator

if TYPE_CHECKING:
    import pandas

# In these data sets a recording is named by its Freesound number, so equal numbers are one upload.
FREESOUND_SOURCES = ("esc50", "urbansound8k", "usm")


def split_recordings(
    clips: "pandas.DataFrame",
    pairs: "pandas.DataFrame",
    *,
    train_share: float,
    root_seed: int,
) -> dict[str, str]:
    """Put every recording on one side, as near to `train_share` in every class as can be.

    Recordings that share a file (equal sha256), a sound (equal audio_sha256, whatever file
    holds it) or an upload (equal Freesound number in two data sets) go together. Classes with
    the fewest groups are settled first; a class with two groups or more gets at least one on
    each side where the others allow it.

    Parameters
    ----------
    clips : pandas.DataFrame
        The table `clips`; only rows with status `used` count.
    pairs : pandas.DataFrame
        As from `read_pairs`: its unions are single classes here.
    train_share : float
        Share of the groups of a class on the training side, in (0, 1).
    root_seed : int
        The seed of the study.

    Returns
    -------
    dict of str to {"train", "pool"}
    """
    refuse_share("train_share", train_share)
    usable = usable_clips(clips)
    groups = recording_groups(usable)
    members = _groups_by_class(usable, pairs, groups)
    side: dict[str, str] = {}
    for _, names in sorted(members.items(), key=lambda item: (len(item[1]), item[0])):
        free = sorted(
            (name for name in names if name not in side),
            key=lambda name: (generator(root_seed, "split", name).random(), name),
        )
        wanted = _train_count(len(names), train_share)
        wanted -= sum(side.get(name) == "train" for name in names)
        for place, name in enumerate(free):
            side[name] = "train" if place < wanted else "pool"
    return {recording: side[group] for recording, group in sorted(groups.items())}


def _train_count(groups: int, train_share: float) -> int:
    wanted = round(train_share * groups)
    return wanted if groups < 2 else min(max(wanted, 1), groups - 1)


def recording_groups(usable: "pandas.DataFrame") -> dict[str, str]:
    """Join recordings that share a file, sound or upload; name each group by its least member."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    first_with: dict[str, str] = {}
    columns = usable["recording"], usable["sha256"], usable["audio_sha256"]
    for recording, *digests in zip(*columns, strict=True):
        for key in _identities(recording, digests):
            ends = sorted((root(recording), root(first_with.setdefault(key, recording))))
            parent[ends[1]] = ends[0]
    return {recording: root(recording) for recording in list(parent)}


def _identities(recording: str, digests: Iterable[object]) -> list[str]:
    """Return the keys that, when shared, make two recordings one."""
    source, _, number = recording.partition("/")
    keys = [f"recording {recording}"]
    if source in FREESOUND_SOURCES and number.isdigit():
        keys.append(f"freesound {number}")
    return keys + [f"sha256 {digest}" for digest in digests if isinstance(digest, str)]


def _groups_by_class(
    usable: "pandas.DataFrame", pairs: "pandas.DataFrame", groups: Mapping[str, str]
) -> dict[str, set[str]]:
    """Return the groups of each class; a label in no pair is a class of its own."""
    classes = defaultdict(set)
    for name in {*pairs["foreground"], *pairs["background"]}:
        for label in labels_of(name):
            classes[label].add(name)
    members = defaultdict(set)
    for label, recording in zip(usable["label"], usable["recording"], strict=True):
        for name in classes.get(label, {label}):
            members[name].add(groups[recording])
    return members


def usable_clips(clips: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the usable clips in an order that does not depend on the listing."""
    usable = clips[clips["status"] == "used"].sort_values("clip_id", ignore_index=True)
    repeated = usable["clip_id"][usable["clip_id"].duplicated()]
    if len(repeated):
        raise ValueError(f"clip {repeated.iloc[0]} is listed twice")
    return usable


def refuse_share(name: str, share: float, *, one_allowed: bool = False) -> None:
    """Refuse a share outside its open, or half-open, interval."""
    if not (0 < share < 1 or (one_allowed and share == 1)):
        end = "]" if one_allowed else ")"
        raise ValueError(f"{name} must lie in (0, 1{end}, got {share}")
