"""Pools of up to millions of items: blocks of rows in double precision, never a copy of all.

Products of matrices only tell what need not be looked at; what is returned comes from
differences, as in `earnest.pools.distances`, but for what is called sampled or squared.
"""

from collections.abc import Iterator

import numpy as np

from earnest.pools.distances import FLOOR

# Rows at once. Fixed, so that sums never depend on the memory at hand.
BLOCK = 2**14

# Rows at once beside some thousand others.
_FEW_ROWS = 2**12

# Above these squared norms times this, products and differences cannot disagree.
_SLACK = 1e-11

# Items that a traversal watches closely.
_WATCHED = 2_048


def row_slices(size: int) -> Iterator[slice]:
    """Yield slices that cut rows into blocks."""
    for start in range(0, size, BLOCK):
        yield slice(start, min(start + BLOCK, size))


class Standardised:
    """Standardised rows of a pool, made block by block; see `density.standardise`.

    Parameters
    ----------
    embeddings : numpy.ndarray, shape (N, d)
    """

    def __init__(self, embeddings: np.ndarray) -> None:
        self.embeddings = embeddings
        self.shape = embeddings.shape
        parts = [embeddings[rows] for rows in row_slices(len(embeddings))]
        low = np.min([part.min(axis=0) for part in parts], axis=0)
        constant = low == np.max([part.max(axis=0) for part in parts], axis=0)
        total = sum(part.sum(axis=0, dtype=np.float64) for part in parts)
        self._mean = total / len(embeddings)
        self._scale = np.zeros(self.shape[1])  # constant columns become exactly 0
        self._scale[~constant] = 1.0
        squares = sum(np.square(part).sum(axis=0) for _, part in self.blocks())
        spread = np.sqrt(squares / len(embeddings))
        self._scale[~constant] = 1.0 / spread[~constant]

    def __len__(self) -> int:
        return len(self.embeddings)

    def __getitem__(self, rows: np.ndarray | slice) -> np.ndarray:
        return (self.embeddings[rows].astype(np.float64) - self._mean) * self._scale

    def blocks(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield row slices with their standardised rows, float64."""
        for rows in row_slices(len(self)):
            yield rows, self[rows]

    def principal_scores(self, components: int) -> np.ndarray:
        """Return what `density.principal_scores` does."""
        triangular: np.ndarray = np.zeros((0, self.shape[1]))
        for _, part in self.blocks():  # a triangular factor of all rows, one block after the other
            triangular = np.asarray(np.linalg.qr(np.vstack([triangular, part]), mode="r"))
        _, singular, directions = np.linalg.svd(triangular, full_matrices=False)
        noise = singular[0] * max(self.shape) * np.finfo(np.float64).eps
        used = min(components, int(np.count_nonzero(singular > noise)))
        scores = np.empty((len(self), used))
        for rows, part in self.blocks():
            scores[rows] = part @ directions[:used].T
        return scores


def mean_neighbour_distances(embeddings: np.ndarray, rows: np.ndarray, k: int) -> np.ndarray:
    """Return the mean Euclidean distance of some items to their k nearest others of the pool.

    As `earnest.pools.distances.mean_neighbour_distances`, from n x block products.

    Parameters
    ----------
    embeddings : numpy.ndarray, shape (N, d)
        Raw; N at least 2.
    rows : numpy.ndarray of int, shape (m,)
    k : int
        At least 1.

    Returns
    -------
    numpy.ndarray, shape (m,), float64
    """
    k = min(k, len(embeddings) - 1)
    found = np.empty(len(rows))
    for some in row_slices(len(rows)):
        found[some] = _neighbour_means(embeddings, rows[some], k)
    return found


def _neighbour_means(embeddings: np.ndarray, rows: np.ndarray, k: int) -> np.ndarray:
    queries = embeddings[rows].astype(np.float64)
    nearest = np.full((len(rows), k), np.inf)  # exact distances, ascending
    own_norms = np.square(queries).sum(axis=1)
    step = max(1, 2**24 // max(1, len(rows)))
    for start in range(0, len(embeddings), step):
        part = embeddings[start : start + step].astype(np.float64)
        norms = np.square(part).sum(axis=1)
        squared = queries @ part.T
        squared *= -2.0
        squared += norms
        squared += own_norms[:, None]
        inside = np.flatnonzero((rows >= start) & (rows < start + step))
        itself = (inside, rows[inside] - start)
        squared[itself] = np.inf
        slack = _SLACK * (own_norms + norms.max())
        worst = np.square(nearest[:, -1]) + slack
        hopeful = _hopeful(squared, worst, slack, k)
        hopeful[itself] = False
        if hopeful.any():
            _merge(nearest, queries, part, hopeful)
    return np.maximum(nearest, FLOOR).mean(axis=1)


def _hopeful(squared: np.ndarray, worst: np.ndarray, slack: np.ndarray, k: int) -> np.ndarray:
    """Return which may be among the k nearest: none farther than the k-th so far, or here."""
    hopeful = squared <= worst[:, None]
    many = np.flatnonzero(hopeful.sum(axis=1) > 4 * k)
    if many.size and squared.shape[1] > k:
        here = np.partition(squared[many], k - 1, axis=1)[:, k - 1] + slack[many]
        hopeful[many] &= squared[many] <= here[:, None]
    return hopeful


def _merge(nearest: np.ndarray, queries: np.ndarray, part: np.ndarray, hopeful: np.ndarray) -> None:
    """Put the exact distances of hopeful pairs among the nearest so far."""
    k = nearest.shape[1]
    for query in np.flatnonzero(hopeful.any(axis=1)):
        gaps = part[hopeful[query]] - queries[query]
        both = np.concatenate([nearest[query], np.sqrt(np.square(gaps).sum(axis=1))])
        nearest[query] = np.sort(both)[:k]


def traverse(
    embeddings: np.ndarray, start: int, n: int, *, factor: np.ndarray | None = None
) -> np.ndarray:
    """Walk as `earnest.samplers.traversal.traverse` does in Euclidean distance.

    Distances to the walked set only fall, so an old one is a bound. A few thousand items with
    the largest bounds are kept up to date; while the best of them beats all other bounds it is
    the farthest of the pool. Else the bounds of all items are renewed by one matrix product.

    Parameters
    ----------
    embeddings : numpy.ndarray, shape (N, d)
        Raw.
    start, n : int
    factor : numpy.ndarray, shape (N,), optional

    Returns
    -------
    numpy.ndarray, shape (n,), int64
    """
    walk = _Walk(embeddings, factor)
    order = np.empty(n, dtype=np.int64)
    for position in range(n):
        order[position] = start if position == 0 else walk.farthest()
        walk.visit(int(order[position]))
    return order


class _Walk:
    """Bounds on the distances of all items to a walked set, and exact ones of a few."""

    def __init__(self, embeddings: np.ndarray, factor: np.ndarray | None) -> None:
        self.embeddings, self.factor = embeddings, factor
        self.bounds = np.full(len(embeddings), np.inf)  # squared
        self.visited: list[int] = []
        self.applied = 0
        self.watched = np.empty(0, dtype=np.int64)
        self.exact = np.empty(0)
        self.others = np.inf  # the largest score that an unwatched item can have
        self.copies: Iterator[int] | None = None  # unvisited rows once all are copies

    def visit(self, row: int) -> None:
        from scipy.spatial.distance import cdist

        self.visited.append(row)
        if self.watched.size and self.copies is None:
            place = self._points(np.array([row]))
            np.minimum(self.exact, cdist(self.points, place)[:, 0], out=self.exact)
            self.exact[self.watched == row] = -np.inf

    def farthest(self) -> int:
        """Return the unvisited item of the largest score, the lowest row among equals."""
        if self.copies is not None:
            return int(next(self.copies))
        best = self._best_watched()
        if best is None:
            self._renew()
            self._watch(self._largest_bounds(_WATCHED))
            best = self._best_watched()
        return self._among_ties() if best is None else best

    def _among_ties(self) -> int:
        """Look at all that may be as far as the best of the watched ones."""
        least = self._scores(self.exact, self.watched).max()
        bounds = self._scores(np.sqrt(np.maximum(self.bounds, 0.0)), slice(None))
        ties = bounds >= least
        self._watch(np.flatnonzero(ties))
        self.others = bounds[~ties].max(initial=-np.inf)
        scores = self._scores(self.exact, self.watched)
        if scores.max() <= 0.0:  # nothing is left but copies of what was visited
            self.copies = iter(np.setdiff1d(np.arange(len(bounds)), self.visited))
            return int(next(self.copies))
        return int(self.watched[scores.argmax()])

    def _best_watched(self) -> int | None:
        if not self.watched.size:
            return None
        scores = self._scores(self.exact, self.watched)
        place = int(scores.argmax())
        return int(self.watched[place]) if scores[place] > self.others else None

    def _watch(self, rows: np.ndarray) -> None:
        """Compute the exact distances of some rows, ascending, to all visited ones."""
        from scipy.spatial.distance import cdist

        places = self._points(np.array(self.visited))
        self.watched, self.points = rows, self._points(rows)
        self.exact = np.empty(len(rows))
        for some in row_slices(len(rows)):
            self.exact[some] = cdist(self.points[some], places).min(axis=1)
        self.exact[np.isin(rows, self.visited)] = -np.inf

    def _largest_bounds(self, count: int) -> np.ndarray:
        bounds = self._scores(np.sqrt(np.maximum(self.bounds, 0.0)), slice(None))
        if count >= len(bounds):
            self.others = -np.inf
            return np.arange(len(bounds))
        split = np.argpartition(bounds, len(bounds) - count)
        self.others = bounds[split[: len(bounds) - count]].max()
        return np.sort(split[len(bounds) - count :])

    def _renew(self) -> None:
        """Apply the places visited since the last time to the bounds of all items."""
        places = self._points(np.array(self.visited[self.applied :]))
        norms = np.square(places).sum(axis=1)
        for rows in row_slices(len(self.embeddings)):
            part = self._points(rows)
            own = np.square(part).sum(axis=1)
            squared = part @ places.T
            squared *= -2.0
            squared += norms
            nearest = squared.min(axis=1) + own + _SLACK * (own + norms.max())
            np.minimum(self.bounds[rows], nearest, out=self.bounds[rows])
        self.bounds[self.visited] = -1.0
        self.applied = len(self.visited)

    def _scores(self, distances: np.ndarray, rows: np.ndarray | slice) -> np.ndarray:
        return distances if self.factor is None else distances * self.factor[rows]

    def _points(self, rows: np.ndarray | slice) -> np.ndarray:
        return self.embeddings[rows].astype(np.float64)


def sampled_neighbour_distances(
    embeddings: np.ndarray, references: np.ndarray, k: int
) -> np.ndarray:
    """Return every item's mean distance to its k nearest among some reference items.

    Parameters
    ----------
    embeddings : numpy.ndarray, shape (N, d)
        Raw.
    references : numpy.ndarray of int, shape (m,)
        Distinct rows, m at least 2; an item that is one of them is not its own neighbour.
    k : int
        At least 1; m - 1 where that is less.

    Returns
    -------
    numpy.ndarray, shape (N,), float64
        At least 1e-12 each. Euclidean, by matrix products: to about 1e-7 of the largest norm.
    """
    k = min(k, len(references) - 1)
    found = np.empty(len(embeddings))
    for start, squared in squared_distances(embeddings, references):
        inside = (references >= start) & (references < start + len(squared))
        squared[references[inside] - start, np.flatnonzero(inside)] = np.inf
        nearest = np.sqrt(np.partition(squared, k - 1, axis=1)[:, :k])
        found[start : start + len(squared)] = np.maximum(nearest, FLOOR).mean(axis=1)
    return found


def squared_distances(
    embeddings: np.ndarray, others: np.ndarray
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield first rows of blocks, with the squared distances of the block to some rows."""
    places = embeddings[others].astype(np.float64)
    # Around the middle of the others products lose least.
    middle = places.mean(axis=0)
    places -= middle
    norms = np.square(places).sum(axis=1)
    for start in range(0, len(embeddings), _FEW_ROWS):
        part = embeddings[start : start + _FEW_ROWS] - middle
        squared = part @ places.T
        squared *= -2.0
        squared += norms
        squared += np.square(part).sum(axis=1)[:, None]
        yield start, np.maximum(squared, 0.0, out=squared)
