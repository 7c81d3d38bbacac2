"""What an estimator that makes its own interval says."""

from typing import NamedTuple


class Answer(NamedTuple):
    """A value with its interval.

    Attributes
    ----------
    value, low, high : float or None
        The estimate and its interval.
    flags : tuple of str
        What to know before trusting it.
    reason : str or None
        Why the value, or else the interval, is None.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    flags: tuple[str, ...] = ()
    reason: str | None = None
