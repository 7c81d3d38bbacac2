"""Compiled loops, for the few places where numpy has no word for what is meant."""

from collections.abc import Callable
from functools import cache


@cache
def compiled(function: Callable[..., None]) -> Callable[..., None]:
    """Compile a function with numba and keep the result on disk where there is a place for it.

    Imported here because numba takes a third of a second, and few jobs need it.
    """
    import numba

    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # no folder that can be written to
        return numba.njit(function)
