"""Which mixtures the report plays."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def choose_examples(mixtures: "pandas.DataFrame", count: int) -> list[dict[str, Any]]:
    """Choose mixtures to listen to: a primary and a rare context of one foreground after another.

    Parameters
    ----------
    mixtures : pandas.DataFrame
        A `mixtures` table; rows with status `used` are candidates.
    count : int
        How many at most.

    Returns
    -------
    list of dict
        Rows, in the order to show; the choice depends on the rows only, not on their order.
    """
    used = mixtures[mixtures["status"] == "used"].sort_values("mixture_id", kind="stable")
    firsts = used.drop_duplicates(["foreground", "is_primary"])
    ordered = firsts.sort_values(
        ["foreground", "is_primary"], ascending=[True, False], kind="stable"
    )
    return ordered.head(count).to_dict("records")
