"""What became of every clip of every data set: counts, reasons of rejection, equal sounds."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from earnest.reports import words
from earnest.reports.inputs import StudyPage
from earnest.reports.view import records

if TYPE_CHECKING:
    import pandas

UNDECODABLE = frozenset({"unreadable", "empty", "truncated", "undeclared_length", "non_finite"})
SIDES = {"train": "training side", "pool": "pool side"}
Sides = Mapping[str, frozenset[str]]
LONGEST = 400  # rows of a list of clips on the page; the whole list is in the clips table


def shows(page: StudyPage) -> dict[str, Any]:
    """Return what became of every clip, and what could not be built."""
    clips, mixtures = page.inputs.clips, page.inputs.mixtures
    sides = sides_of(mixtures, page.inputs.items)
    counts = clip_counts(clips, sides)
    return {
        "counts": counts,
        "totals": totals(counts),
        "reasons": reason_counts(clips),
        "equal": equal_sounds(clips, sides),
        "rejected": rejected_rows(clips),
        "warned": warned_rows(clips),
        "dropped": dropped_rows(page.inputs.dropped, mixtures),
        "longest": LONGEST,
    }


def sides_of(mixtures: "pandas.DataFrame", items: "pandas.DataFrame | None" = None) -> Sides:
    """On which sides each clip is heard: in a mixture of any role, or as an item itself.

    Parameters
    ----------
    mixtures : pandas.DataFrame
        Table "mixtures"; no rows in a study on clips.
    items : pandas.DataFrame, optional
        Table "items" of a study on clips.

    Returns
    -------
    dict of str to frozenset of {"train", "pool"}
        By clip; a clip that is not used is not there.
    """
    found = defaultdict(set)
    made = mixtures[mixtures["status"] != "rejected"]
    parts = [made[[role, "split"]] for role in ("foreground_clip", "background_clip")]
    parts += [] if items is None else [items[["item_id", "split"]]]
    for part in parts:
        for clip, split in part.drop_duplicates().itertuples(index=False, name=None):
            found[clip].add(split)
    return {clip: frozenset(splits) for clip, splits in found.items()}


def clip_counts(clips: "pandas.DataFrame", sides: Sides) -> list[dict[str, Any]]:
    """Counts per data set, in the order in which a clip can be lost.

    Parameters
    ----------
    clips : pandas.DataFrame
        Table "clips": a row for each clip that the data set's own list names.
    sides : mapping
        Of `sides_of`.

    Returns
    -------
    list of dict
        `dataset`; `listed`; `skipped`, of labels that the study does not need; of the others
        `found`, those whose file is there and can be opened; `decodable`; `used` and `rejected`,
        which with `skipped` add up to `listed`; `heard`, those in a mixture or item;
        `equal`, used clips whose sound another used clip of any data set has; `warned`.
    """
    equal = {row["clip_id"] for group in _groups(clips) for row in group}
    rows = []
    for dataset, part in clips.groupby("dataset", sort=True):
        status = Counter(part["status"])
        broken = sum(reason_code(reason) in UNDECODABLE for reason in part["reason"])
        rows.append(
            {
                "dataset": str(dataset),
                "listed": len(part),
                "skipped": status["skipped"],
                "found": int(part["sha256"].notna().sum()),
                "decodable": len(part) - status["skipped"] - broken,
                "used": status["used"],
                "rejected": status["rejected"],
                "heard": sum(clip in sides for clip in part["clip_id"]),
                "equal": sum(clip in equal for clip in part["clip_id"]),
                "warned": int((part["warning"].notna() & (part["status"] != "rejected")).sum()),
            }
        )
    return rows


def totals(counts: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The sums of `clip_counts` over data sets; None where there are not several."""
    if len(counts) < 2:
        return None
    names = [name for name in counts[0] if name != "dataset"]
    return {name: sum(row[name] for row in counts) for name in names}


def reason_code(reason: Any) -> str:
    """The code that a reason starts with, `truncated` of `truncated: 12 of 40 frames`."""
    return reason.split(":")[0].strip() if isinstance(reason, str) else ""


def reason_counts(clips: "pandas.DataFrame") -> list[dict[str, Any]]:
    """How many clips of each data set were rejected for each reason, and what it means."""
    rejected = clips[clips["status"] == "rejected"]
    codes = [reason_code(reason) or "no reason recorded" for reason in rejected["reason"]]
    counts = Counter(zip(rejected["dataset"], codes, strict=True))
    return [
        {
            "dataset": dataset,
            "reason": code.replace("_", " "),
            "count": count,
            "meaning": words.REASONS.get(code, ""),
        }
        for (dataset, code), count in sorted(counts.items())
    ]


def equal_sounds(clips: "pandas.DataFrame", sides: Sides) -> dict[str, Any]:
    """Used clips that hold the same sound, and on which side of the split each group is.

    Parameters
    ----------
    clips : pandas.DataFrame
        Table "clips"; the hash of the decoded sound decides, so the same sound in another file
        format is found too.
    sides : mapping
        Of `sides_of`.

    Returns
    -------
    dict
        `groups`, `clips`: how many; `across`: groups that several data sets share; `labels`:
        groups under several labels; `split`: groups on both sides, which the plan prevents;
        `rows`, those across data sets first, each with the names of its `clips`, its `labels`,
        its `side` in words, and whether it is `split`.
    """
    groups = _groups(clips)
    rows = [_equal_row(group, sides) for group in groups]
    rows.sort(key=lambda row: (not row["split"], len(row["datasets"]) < 2, row["clips"]))
    return {
        "groups": len(rows),
        "clips": sum(len(group) for group in groups),
        "across": sum(len(row["datasets"]) > 1 for row in rows),
        "labels": sum(len(row["labels"]) > 1 for row in rows),
        "split": sum(row["split"] for row in rows),
        "rows": rows,
    }


def _groups(clips: "pandas.DataFrame") -> list[list[dict[str, Any]]]:
    """Used clips by equal sound, where there are several."""
    used = clips[(clips["status"] == "used") & clips["audio_sha256"].notna()]
    used = used[used["audio_sha256"].duplicated(keep=False)].sort_values("clip_id")
    found = defaultdict(list)
    for row in records(used[["clip_id", "dataset", "label", "audio_sha256"]]):
        found[row["audio_sha256"]].append(row)
    return list(found.values())


def _equal_row(group: list[dict[str, Any]], sides: Sides) -> dict[str, Any]:
    heard = frozenset().union(*(sides.get(row["clip_id"], ()) for row in group))
    side = "both sides" if len(heard) > 1 else next((SIDES.get(s, s) for s in heard), "not used")
    return {
        "clips": [row["clip_id"] for row in group],
        "datasets": sorted({row["dataset"] for row in group}),
        "labels": sorted({row["label"] for row in group}),
        "side": side,
        "split": len(heard) > 1,
    }


def rejected_rows(clips: "pandas.DataFrame") -> list[dict[str, Any]]:
    """Rejected clips with their reason, what it means, and what was found in the file."""
    found = records(clips[clips["status"] == "rejected"])
    found.sort(key=lambda row: (row["dataset"], row["clip_id"]))
    return [
        {
            "clip": row["clip_id"],
            "dataset": row["dataset"],
            "label": row["label"],
            "reason": row["reason"] or "no reason recorded",
            "meaning": words.REASONS.get(reason_code(row["reason"]), ""),
            "detail": row["warning"] or "",
        }
        for row in found
    ]


def warned_rows(clips: "pandas.DataFrame") -> list[dict[str, Any]]:
    """Accepted clips that are worth a look."""
    found = records(clips[clips["warning"].notna() & (clips["status"] != "rejected")])
    found.sort(key=lambda row: (row["dataset"], row["clip_id"]))
    return [{"clip": r["clip_id"], "label": r["label"], "warning": r["warning"]} for r in found]


def dropped_rows(dropped: "pandas.DataFrame", mixtures: "pandas.DataFrame") -> list[dict[str, Any]]:
    """What could not be built: pairs, foregrounds and mixtures, and mixtures not rendered."""
    rows = [{"kind": r["kind"], "name": r["name"], "reason": r["reason"]} for r in records(dropped)]
    failed = records(mixtures[mixtures["status"] == "rejected"])
    return rows + [
        {"kind": "mixture", "name": r["mixture_id"], "reason": r["reason"] or "no reason recorded"}
        for r in failed
    ]
