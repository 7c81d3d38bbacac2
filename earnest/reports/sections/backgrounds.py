"""The section on usual and unusual backgrounds of a task whose items have any."""

from collections.abc import Mapping
from typing import Any

from earnest.reports import charts, figures
from earnest.reports.findings import number, percent, signed
from earnest.reports.inputs import StudyPage
from earnest.reports.view import TaskView
from earnest.tasks.backgrounds import usual_and_rare

# Where the usual background is heard at most this often, "mostly" would be wrong.
MOSTLY = 0.5


def applies(view: TaskView) -> bool:
    """Whether any item of the task has a background: sounds as they are have none."""
    return bool(view.pool["is_primary"].notna().any())


def shows(page: StudyPage, view: TaskView) -> dict[str, Any] | None:
    """Return what the template shows of a task's backgrounds, None where it has none."""
    if not applies(view):
        return None
    return rows_of(view) | {"design": design(page.inputs.provenance)}


def design(provenance: Mapping[str, Any]) -> dict[str, Any] | None:
    """How often the study plans the usual background, None where it does not say.

    Returns
    -------
    dict or None
        `text`, the share as a percentage; `mostly`, whether it is more than half.
    """
    config = provenance.get("config") or {}
    share = (config.get("mixtures") or {}).get("primary_share")
    return None if share is None else {"text": percent(share), "mostly": share > MOSTLY}


def rows_of(view: TaskView) -> dict[str, Any]:
    """Scores over usual (primary) and unusual (rare) backgrounds, per sound and overall.

    In a context task the subconcepts of the foreground are its backgrounds, so they are taken
    together; its row is also the `focus` of the task, which elsewhere is the row of all items.
    """
    usual, rare = usual_and_rare(view.pool["is_primary"])
    pool, about = view.pool[usual | rare], view.description
    foreground = about.get("foreground") if about.get("kind") == "context" else None
    right = pool["label"] == pool["prediction"]
    counts: dict[tuple, list[int]] = {}
    columns = (pool["subconcept"], pool["label"], usual[usual | rare].tolist(), right)
    for subconcept, label, primary, good in zip(*columns, strict=True):
        name = foreground if foreground and label == about.get("positive") else subconcept
        for key in ((name, primary), (None, primary)):
            tally = counts.setdefault(key, [0, 0])
            tally[0] += int(good)
            tally[1] += 1
    names = sorted({name for name, _ in counts if name is not None})
    rows = [
        _context_row(name, counts.get((name, True)), counts.get((name, False))) for name in names
    ]
    overall = _context_row("", counts.get((None, True)), counts.get((None, False)))
    focus = rows[names.index(foreground)] if foreground in names else overall
    rows.sort(key=lambda row: (row["gap"] is None, -(row["gap"] or 0.0), row["name"]))
    return {"rows": rows, "overall": overall, "focus": focus}


def _context_row(name: str, primary: list[int] | None, rare: list[int] | None) -> dict[str, Any]:
    usual = primary[0] / primary[1] if primary else None
    unusual = rare[0] / rare[1] if rare else None
    gap = usual - unusual if primary and rare else None
    marks = [("ring", charts.USUAL, usual), ("diamond", charts.RARE, unusual)]
    marks = [mark for mark in marks if mark[2] is not None]
    span = (usual, unusual) if primary and rare else None
    return {
        "name": name.replace("_", " "),
        "strip": charts.safe(figures.strip(marks, None, (0.0, 1.0), span)),
        "primary": usual,
        "primary_text": number(usual),
        "primary_percent": "–" if usual is None else percent(usual),
        "rare_percent": "–" if unusual is None else percent(unusual),
        "primary_count": primary[1] if primary else 0,
        "rare": unusual,
        "rare_text": number(unusual),
        "rare_count": rare[1] if rare else 0,
        "gap": gap,
        "gap_text": signed(gap),
    }
