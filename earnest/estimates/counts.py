"""How often each labelled item counts: in the sample itself, and in what is made of it."""

from functools import cached_property

import numpy as np

# By how much a recording counts more, then less, to see how an estimate answers.
NUDGE = 1e-3


class Counts:
    """Item counts of resamples, one row each; the first row is the sample itself.

    Parameters
    ----------
    table : ndarray (b, n) float64
        The first row ones.
    """

    def __init__(self, table: np.ndarray) -> None:
        self.table = table

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def sums(self) -> np.ndarray:
        """Counted items of each resample, (b, 1) float64."""
        return self.table.sum(axis=1, keepdims=True)

    def totals(self, columns: np.ndarray) -> np.ndarray:
        """Return the sum over the items of counts times columns, (n, k) to (b, k)."""
        return self.table @ columns


class Nudged(Counts):
    """The sample, then each recording in turn counted a little more, then a little less.

    Parameters
    ----------
    groups : ndarray (n,) of int
        The recording of each labelled item, numbered from 0 without gaps.
    """

    def __init__(self, groups: np.ndarray) -> None:
        self.groups = groups
        self._order = np.argsort(groups, kind="stable")
        self._first = np.flatnonzero(np.diff(groups[self._order], prepend=-1))

    def __len__(self) -> int:
        return 1 + 2 * len(self._first)

    @cached_property
    def table(self) -> np.ndarray:
        """All counts, which few estimators need to see one by one."""
        inside = self.groups == np.arange(len(self._first))[:, np.newaxis]
        step = NUDGE * inside
        return np.vstack([np.ones((1, len(self.groups))), 1 + step, 1 - step])

    @cached_property
    def sums(self) -> np.ndarray:
        return self.totals(np.ones((len(self.groups), 1)))

    def totals(self, columns: np.ndarray) -> np.ndarray:
        whole = columns.sum(axis=0, keepdims=True)
        of_each = NUDGE * np.add.reduceat(columns[self._order], self._first, axis=0)
        return np.vstack([whole, whole + of_each, whole - of_each])
