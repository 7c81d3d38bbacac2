"""Sampling designs whose chances are known: what design-based estimates need of a draw."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from earnest.pools import checks

_STEPS = 200
LARGEST_UNGROUPED_POOL = 10_000


@dataclass(frozen=True)
class Draw:
    """Items drawn one after the other without replacement, with the chances they had.

    Attributes
    ----------
    items : ndarray (n,) int64
        Pool rows, in the order drawn; the first m are a draw of size m.
    chances : ndarray (n,) float64
        Chance of each item in a draw of a single item; over the whole pool they sum to 1.
    missed : ndarray (n,) float64
        For every m from 1 to n, the chance that an item with chance 1/N is not among the first
        m; 0 where m is the whole pool.
    """

    items: np.ndarray
    chances: np.ndarray
    missed: np.ndarray


@dataclass(frozen=True)
class Design:
    """The chances with which a labelled subset of n items was drawn from a pool of N.

    Attributes
    ----------
    turns : ndarray (n,) float64 or None
        Chance of each item at its turn, among the items left by then; for `lure_weights`. None
        where only `inclusion` is known.
    inclusion : ndarray (n,) float64
        Chance of each item to be in the subset at all; for Horvitz-Thompson weights.
    """

    turns: np.ndarray | None
    inclusion: np.ndarray

    def __post_init__(self) -> None:
        for name in ("inclusion",) if self.turns is None else ("turns", "inclusion"):
            chances = np.asarray(getattr(self, name), dtype=np.float64)
            bad = np.flatnonzero(~((chances > 0) & (chances <= 1)))
            if len(bad):
                raise ValueError(
                    f"{name}: chance {bad[0]} is {chances[bad[0]]}; a drawn item had a chance"
                    " above 0 and at most 1"
                )
            object.__setattr__(self, name, chances)


def uniform(n: int, size: int) -> Design:
    """Return the chances of n items drawn at random from a pool of `size` without replacement."""
    return Design(1 / (size - np.arange(n)), np.full(n, n / size))


def of_prefix(chances: ArrayLike, missed: ArrayLike, n: int, size: int) -> Design:
    """Return the chances of the first n items of a longer `Draw` from a pool of `size`.

    Parameters
    ----------
    chances, missed : array_like
        Those of the `Draw`, at least n values each.
    n, size : int
        Items of the subset and of the pool.

    Returns
    -------
    Design
        `inclusion` of an item with chance p is 1 - missed^(N p).
    """
    chances = np.asarray(chances, dtype=np.float64)[:n]
    left = 1 - np.concatenate([[0.0], np.cumsum(chances)[:-1]])
    # the last items of a whole pool are all that is left, but for the rounding of the sum
    turns = np.minimum(chances / np.maximum(left, chances), 1)
    with np.errstate(divide="ignore"):
        log_missed = size * chances * np.log(np.asarray(missed, dtype=np.float64)[n - 1])
    return Design(turns, -np.expm1(log_missed))


def lure_weights(turns: ArrayLike, size: int) -> np.ndarray:
    """Return the levelled weights that make a mean over actively chosen items unbiased.

    Parameters
    ----------
    turns : array_like (n,)
        Chance of each item at its turn, in the order drawn.
    size : int
        Items of the pool.

    Returns
    -------
    ndarray (n,) float64
        v_m = 1 + (N - n) / (N - m) (1 / ((N - m + 1) q_m) - 1), for m = 1 .. n.

    References
    ----------
    Farquhar, Gal and Rainforth, On statistical bias in active learning: how and when to fix it,
    ICLR 2021 (the levelled unbiased risk estimator).
    """
    turns = np.asarray(turns, dtype=np.float64)
    n = len(turns)
    if n == size:
        return np.ones(n)
    left = size - np.arange(n)  # N - m + 1
    return 1 + (size - n) / (left - 1) * (1 / (left * turns) - 1)


def mixed_draw(
    posteriors: ArrayLike, n: int, *, rng: np.random.Generator, uniform_share: float = 0.5
) -> Draw:
    """Draw items by a mixture of uncertainty and pure chance, and record the chances.

    Parameters
    ----------
    posteriors : array_like, shape (N, C)
        Rows sum to 1.
    n : int
        From 1 to N.
    rng : numpy.random.Generator
    uniform_share : float
        Above 0, at most 1.

    Returns
    -------
    Draw

    Notes
    -----
    An item has chance uniform_share / N + (1 - uniform_share) u / sum(u) in a draw of one, with
    u = 1 - largest posterior; uniform if no item is uncertain. Further items are drawn with
    the same chances among those left, which is the order of N exponential waiting times with
    these chances as rates.
    """
    posteriors = checks.check_posteriors(
        posteriors, checks.count_items(posteriors), "uncertainty_mixed"
    )
    if not 0 < uniform_share <= 1:
        raise ValueError(f"uniform_share must be above 0 and at most 1, got {uniform_share}")
    size = len(posteriors)
    unsure = np.clip(1 - posteriors.max(axis=1), 0, None)
    if unsure.sum() == 0:
        unsure = np.ones(size)
    chances = uniform_share / size + (1 - uniform_share) * unsure / unsure.sum()
    waits = rng.exponential(size=size) / chances
    items = np.argsort(waits, kind="stable")[:n].astype(np.int64)
    return Draw(items, chances[items], missed_on_average(chances, n))


def missed_on_average(chances: ArrayLike, n: int) -> np.ndarray:
    """Return the chance that an item of average chance is not among the first m = 1 .. n.

    Parameters
    ----------
    chances : array_like (N,)
        Chance of each pool item in a draw of a single item; they sum to 1.
    n : int
        From 1 to N.

    Returns
    -------
    ndarray (n,) float64
        exp(-t / N), with t the time by which m of the N waits are over on average; an item with
        chance p still waits then with chance exp(-p t). The chances of inclusion that follow
        are approximate, with an error that vanishes as m grows; they sum to m. In pools of more
        than 10,000 items, as many groups of similar chances stand for the items.

    References
    ----------
    Rosén, Asymptotic theory for successive sampling with varying probabilities without
    replacement, Annals of Mathematical Statistics 43, 1972.
    """
    chances = np.asarray(chances, dtype=np.float64)
    size, time = len(chances), 0.0
    chances, items = _grouped(chances)
    found = np.zeros(n)
    for m in range(1, min(n, size - 1) + 1):
        for _ in range(_STEPS):
            left = items * np.exp(-chances * time)
            missing = m - (size - left.sum())
            # the expected number is concave in time, so Newton's steps never overshoot
            time += missing / (chances @ left)
            if missing <= 1e-11 * size:
                break
        else:
            raise RuntimeError(f"no time found by which {m} of {size} items are expected")
        found[m - 1] = np.exp(-time / size)
    return found


def _grouped(chances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return chances and how many items have each, similar ones taken together in large pools."""
    if len(chances) <= LARGEST_UNGROUPED_POOL:
        return chances, np.ones(len(chances))
    starts = np.linspace(0, len(chances), LARGEST_UNGROUPED_POOL, endpoint=False).astype(np.int64)
    items = np.diff(np.append(starts, len(chances)))
    return np.add.reduceat(np.sort(chances), starts) / items, items.astype(np.float64)


def uncertainty_mixed(
    embeddings: ArrayLike | None,
    n: int,
    *,
    posteriors: ArrayLike | None,
    rng: np.random.Generator,
    uniform_share: float = 0.5,
) -> np.ndarray:
    """Choose half by uncertainty and half at random, every item with a known chance above 0.

    Parameters
    ----------
    embeddings : ignored, but for their number
    n : int
        From 1 to N.
    posteriors : array_like, shape (N, C)
        Rows sum to 1.
    rng : numpy.random.Generator
    uniform_share : float
        Share of pure chance in every draw, above 0 and at most 1.

    Returns
    -------
    numpy.ndarray, shape (n,), int64
        Distinct rows, in the order drawn; a smaller n gives a prefix. `mixed_draw` returns the
        chances as well.

    Raises
    ------
    ValueError
        If n > N, or if posteriors are missing or no distributions.
    """
    size = checks.count_items(embeddings, posteriors)
    n = checks.check_count("n", n)
    if n > size:
        raise ValueError(f"cannot choose n = {n} distinct items from a pool of {size}")
    posteriors = checks.check_posteriors(posteriors, size, "uncertainty_mixed")
    return mixed_draw(posteriors, n, rng=rng, uniform_share=uniform_share).items
