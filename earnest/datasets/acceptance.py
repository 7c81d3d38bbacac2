"""Whether the clips that screening rejected were expected."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


class UnexpectedRejections(ValueError):
    """Clips were rejected for reasons that the study does not expect."""


def check_rejections(
    clips: "pandas.DataFrame", accepted_reasons: Collection[str]
) -> dict[str, Any]:
    """Count the rejected clips, and refuse those with an unexpected reason.

    Parameters
    ----------
    clips : pandas.DataFrame
        A `clips` table.
    accepted_reasons : collection of str
        Reasons that may occur.

    Returns
    -------
    dict
        `listed`, `skipped` (of labels that the study does not need), `used`, and `rejected` by
        reason.

    Raises
    ------
    UnexpectedRejections
        If another reason occurs; the message lists path and reason of up to twenty clips.
    """
    rejected = clips[clips["status"] == "rejected"]
    unexpected = rejected[~rejected["reason"].isin(list(accepted_reasons))]
    if len(unexpected):
        rows = [f"  {row.path}: {row.reason}" for row in unexpected.head(20).itertuples()]
        rest = f"\n  and {len(unexpected) - 20} more" if len(unexpected) > 20 else ""
        raise UnexpectedRejections(
            f"{len(unexpected)} clips could not be used (the report is written without them):\n"
            + "\n".join(rows)
            + rest
            + "\nRepair or remove them, or list the reasons under clips.accepted_reasons"
        )
    counts = rejected["reason"].value_counts().sort_index()
    return {
        "listed": len(clips),
        "skipped": int((clips["status"] == "skipped").sum()),
        "used": int((clips["status"] == "used").sum()),
        "rejected": {str(reason): int(count) for reason, count in counts.items()},
    }
