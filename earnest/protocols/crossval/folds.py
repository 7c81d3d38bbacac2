"""Halves of a data set: every subconcept in both, and no recording on both sides."""

from collections.abc import Iterator

import numpy as np

from earnest.rng import generator

FOLDS = 2
LARGEST_COMPONENT = 0.1  # share of the items above which components are not kept whole
MOST_ROUNDS = 100
STARTS = 5
LEAST_GAIN = 1e-9  # so that rounding moves nothing
NEITHER = -1


class FoldError(ValueError):
    """A fold lacks a subconcept; the message names both."""


def halves(
    subconcept: np.ndarray,
    dataset: str,
    repeats: int,
    root_seed: int,
    *,
    groups: np.ndarray | None = None,
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """Yield repeat, fold, training rows and test rows of repeated stratified halving.

    Parameters
    ----------
    subconcept : ndarray (n,) of str
    dataset : str
        Names the random draws.
    repeats : int
    root_seed : int
    groups : ndarray (n, k) of str, optional
        The recordings of each item, k of them. Two items with a recording in common are never
        on different sides; an item whose recordings are on different sides is on neither.

    Raises
    ------
    FoldError
        If a half lacks a subconcept.
    """
    for repeat in range(repeats):
        rng = generator(root_seed, dataset, "folds", repeat)
        if groups is None:
            sides = _stratified(subconcept, int(rng.integers(2**31)))
        else:
            sides = grouped_sides(subconcept, groups, rng)
        for fold in range(FOLDS):
            test, train = np.flatnonzero(sides == fold), np.flatnonzero(sides == 1 - fold)
            _refuse_lacking(subconcept, {"training": train, "test": test}, repeat, fold)
            yield repeat, fold, train, test


def _stratified(subconcept: np.ndarray, seed: int) -> np.ndarray:
    from sklearn.model_selection import StratifiedKFold

    sides = np.full(len(subconcept), NEITHER)
    folds = StratifiedKFold(n_splits=FOLDS, shuffle=True, random_state=seed)
    for fold, (_, test) in enumerate(folds.split(subconcept, subconcept)):
        sides[test] = fold
    return sides


def _refuse_lacking(
    subconcept: np.ndarray, parts: dict[str, np.ndarray], repeat: int, fold: int
) -> None:
    names = np.unique(subconcept)
    for part, rows in parts.items():
        lacking = np.setdiff1d(names, subconcept[rows])
        if len(lacking):
            raise FoldError(
                f"repeat {repeat}, fold {fold}: no {part} item of subconcept {str(lacking[0])!r}"
            )


def grouped_sides(
    subconcept: np.ndarray, groups: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Put items on two sides, none with a recording of the other side.

    Items that share a recording, directly or through others, are one component. While the
    largest has at most a tenth of the items, components are put on sides whole and every item
    is used. Where clips are mixed at random nearly all items hang together; then each
    recording gets a side, and what has recordings on both is left out.

    Parameters
    ----------
    subconcept : ndarray (n,) of str
    groups : ndarray (n, k) of str
        The recordings of each item, one or two. Of one, components are always whole.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray (n,) of int
        0, 1, or -1 for an item on neither side.

    Notes
    -----
    Sides start at random. In random order each component or recording changes its side if that
    raises the sum over subconcepts of log((1 + a)(1 + b) / (2 + a + b)), a and b being the items
    in its two halves, until none does; the best of five starts is taken, one without an empty
    half if there is any. That is the logarithm, which keeps small subconcepts from being left
    out, of the harmonic mean, which wants halves even. Large components are halved each by
    itself: otherwise the sides would be drawn to the components, and all repeats to the same
    halves. Only names of recordings and subconcepts are looked at, no features.
    """
    component = components_of(groups)
    if groups.shape[1] == 1 or np.bincount(component).max() <= LARGEST_COMPONENT * len(component):
        nodes, strata = component[:, np.newaxis], subconcept
    else:
        nodes = _numbered(groups)
        strata = np.char.add(np.char.add(component.astype(str), " "), subconcept)
    _, numbers = np.unique(strata, return_inverse=True)
    found = [_Halving(numbers, nodes, rng).settle() for _ in range(STARTS)]
    return max(found, key=lambda one: (one.complete(subconcept), one.worth())).of_items()


def components_of(groups: np.ndarray) -> np.ndarray:
    """Return the number of each item's component, items that share a recording being joined.

    Parameters
    ----------
    groups : ndarray (n, k) of str

    Returns
    -------
    ndarray (n,) of int
    """
    from scipy import sparse

    nodes = _numbered(groups)
    first = np.repeat(nodes[:, 0], nodes.shape[1])
    size = int(nodes.max()) + 1
    links = sparse.coo_matrix((np.ones(nodes.size), (first, nodes.ravel())), shape=(size, size))
    _, component = sparse.csgraph.connected_components(links, directed=False)
    return component[nodes[:, 0]]


def _numbered(groups: np.ndarray) -> np.ndarray:
    """Return the number of each recording, (n, k) int."""
    _, numbers = np.unique(groups, return_inverse=True)
    return numbers.reshape(groups.shape)


class _Halving:
    """Sides of recordings, one or two of them to an item, and what that leaves of each subconcept.

    Parameters
    ----------
    strata : ndarray (n,) of int
    nodes : ndarray (n, 1) or (n, 2) of int
    rng : numpy.random.Generator
    """

    def __init__(self, strata: np.ndarray, nodes: np.ndarray, rng: np.random.Generator):
        self.strata, self.rng = strata, rng
        self.first, self.last = nodes[:, 0], nodes[:, -1]
        self.count = int(nodes.max()) + 1
        self.side = rng.integers(FOLDS, size=self.count)
        sides = self.of_items()
        self.kept = np.stack([self._counted(strata[sides == side]) for side in range(FOLDS)])
        self._index()

    def _counted(self, strata: np.ndarray) -> np.ndarray:
        return np.bincount(strata, minlength=int(self.strata.max()) + 1)

    def of_items(self) -> np.ndarray:
        """Return the side of each item, -1 where its recordings are on both."""
        first, last = self.side[self.first], self.side[self.last]
        return np.where(first == last, first, NEITHER)

    def _index(self) -> None:
        """Note of each recording the items that have it, and their other recording."""
        pairs = self.first != self.last
        own = np.concatenate([self.first, self.last[pairs]])
        order = np.argsort(own, kind="stable")
        self.other = np.concatenate([self.last, self.first[pairs]])[order]
        self.of_other = np.concatenate([self.strata, self.strata[pairs]])[order]
        self.start = np.searchsorted(own[order], np.arange(self.count + 1))

    def settle(self) -> "_Halving":
        """Move recordings until no move helps."""
        for _ in range(MOST_ROUNDS):
            moves = [self._move(node) for node in self.rng.permutation(self.count)]
            if not any(moves):
                break
        return self

    def worth(self) -> float:
        """Return how much is kept and how evenly, see `grouped_sides`."""
        return _worth(self.kept)

    def complete(self, subconcept: np.ndarray) -> bool:
        """Tell whether both halves hold every subconcept."""
        sides, names = self.of_items(), set(subconcept)
        return all(set(subconcept[sides == side]) == names for side in range(FOLDS))

    def _move(self, node: int) -> bool:
        """Change the side of a recording if that keeps more."""
        mine = slice(self.start[node], self.start[node + 1])
        strata, alone = self.of_other[mine], self.other[mine] == node
        here = self.side[node]
        with_it = self.side[self.other[mine]] == here
        kept = self.kept.copy()
        kept[here] -= self._counted(strata[with_it])
        kept[1 - here] += self._counted(strata[alone | ~with_it])
        if _worth(kept) <= self.worth() + LEAST_GAIN:
            return False
        self.kept, self.side[node] = kept, 1 - here
        return True


def _worth(kept: np.ndarray) -> float:
    return float(np.log1p(kept).sum() - np.log(2 + kept.sum(axis=0)).sum())
