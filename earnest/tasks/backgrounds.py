"""Which items lie over the usual background of their foreground, and which over a rare one."""

from collections.abc import Iterable

import numpy as np


def usual_and_rare(is_primary: Iterable) -> tuple[np.ndarray, np.ndarray]:
    """Return which items lie over the primary background of their foreground, and which do not.

    Parameters
    ----------
    is_primary : iterable of n bool or None
        That column of table `items` or `pool`; None or NaN for an item without a background,
        which is neither usual nor rare.

    Returns
    -------
    (ndarray (n,) bool, ndarray (n,) bool)
        Usual, rare; no item is both.

    Raises
    ------
    TypeError
        If a value is neither a bool nor missing.
    """
    import pandas as pd

    marks = pd.array(np.array(list(is_primary), dtype=object), dtype="boolean")
    usual, rare = (mask.to_numpy(dtype=bool, na_value=False) for mask in (marks, ~marks))
    return usual, rare
