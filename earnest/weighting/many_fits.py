"""Many domain classifiers over one pool at once, by preconditioned conjugate gradients.

The rows of the pool are shared by all fits, so one step of many of them is two matrix products.
What makes few steps enough is the inverse curvature of a *reference*: a fit of the same size
that was solved before. References depend on the pool and the size alone, every fit has its own
steps, and the products have fixed shapes, so no result depends on which fits share a call.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from earnest.weighting import domain_classifier

# Fits in one product. Fixed, because a BLAS may round differently for another shape, and a
# multiple of the tiles that its kernels cut (24 in OpenBLAS with AVX-512), because those left
# over at the end may be rounded differently too.
WIDTH = 24

# A fit has converged when a step moves no log odds by more than this.
SMALLEST_MOVE = 2e-11

# No step may move log odds by more than this: the curvature says nothing so far away.
_LARGEST_MOVE = 6.0

# Steps with the curvature of a reference, and with a fit's own before that is computed anew.
_REFERENCE_STEPS = 30
_OWN_STEPS = 10
_ROUNDS = 8

# A fit that still moves log odds this much after these steps is better off with its own curvature.
_PATIENCE = 8
_STILL_FAR = 0.05

# A squared Newton decrement above this: the reference is of no use.
_FAR = 40.0


@dataclass(frozen=True)
class Reference:
    """A solved fit: parameters, shares of "pool" at all rows, inverse curvature."""

    parameters: np.ndarray
    probability: np.ndarray
    inverse: np.ndarray
    base_gradient: np.ndarray  # without the second copies of labelled rows


class ManyFits:
    """Domain classifiers over one pool with one penalty.

    Parameters
    ----------
    points : numpy.ndarray, shape (N, d), float64
        Standardised embeddings of the whole pool.
    C : float
        Above 0, as in `earnest.weighting.domain_classifier.log_odds`.
    reference_subsets : callable
        Size to row numbers of typical subsets of that size; must depend on the pool alone.
    """

    def __init__(
        self,
        points: np.ndarray,
        *,
        C: float,
        reference_subsets: Callable[[int], Sequence[np.ndarray]],
    ) -> None:
        self.size = len(points)
        self.rows = np.hstack([_without_null_space(points), np.ones((self.size, 1))])
        self.columns = np.ascontiguousarray(self.rows.T)
        self.penalty = np.full(self.rows.shape[1], 1.0 / C)
        self.penalty[-1] = 0.0
        self.rows32 = self.rows.astype(np.float32)
        self._reference_subsets = reference_subsets
        self._references: dict[int, list[Reference]] = {}
        self._points, self._C = points, C
        # Made once: fresh memory costs more than the arithmetic that is done in it.
        self.buffers = {
            name: np.empty((WIDTH, self.size))
            for name in ("copies", "logits", "odds", "probability", "turned")
        }
        self.scaled = np.empty_like(self.rows32)

    def log_odds(self, subsets: np.ndarray) -> np.ndarray:
        """Return the log odds of "pool" at the items of subsets of one size.

        Parameters
        ----------
        subsets : numpy.ndarray of int, shape (B, n)
            Distinct rows each, ascending.

        Returns
        -------
        numpy.ndarray, shape (B, n), float64
            Those of `domain_classifier.log_odds` to about 1e-10.
        """
        if subsets.shape[1] == self.size:
            return np.zeros(subsets.shape)  # the start is the solution: no features, odds 1
        work = _Work(subsets, np.empty(subsets.shape), np.empty((len(subsets), len(self.penalty))))
        left = self._from_references(work)
        for _ in range(_ROUNDS):
            left = self._from_own_curvature(work, left)
        for failed in left:
            work.odds[failed] = domain_classifier.log_odds(self._points, subsets[failed], C=self._C)
        return work.odds

    def _from_references(self, work: "_Work") -> np.ndarray:
        """Solve fits by their nearest references; return those that need their own curvature."""
        decrements = self._decrements(work.subsets)
        nearest, far = decrements.argmin(axis=1), decrements.min(axis=1)
        left = [np.flatnonzero(far > _FAR)]
        for number, reference in enumerate(self._of_size(work.subsets.shape[1])):
            work.parameters[nearest == number] = reference.parameters
            # Fits that start equally far off need about as many steps: they share a product.
            near = np.flatnonzero((nearest == number) & (far <= _FAR))
            near = near[np.argsort(far[near], kind="stable")]
            for some in _groups(near):
                state = _State(self, work, some)
                state.descend(
                    lambda gradient, shared=reference.inverse: gradient @ shared,
                    _REFERENCE_STEPS,
                    patience=_PATIENCE,
                )
                left.append(state.hand_back(work))
        return np.concatenate(left)

    def _from_own_curvature(self, work: "_Work", left: np.ndarray) -> np.ndarray:
        """Take some steps with each fit's own curvature; return those that have not converged."""
        still = [left[:0]]
        for some in _groups(left):
            state = _State(self, work, some)
            own = state.own_inverses()
            state.descend(
                lambda gradient, own=own: np.matmul(gradient[:, None], own)[:, 0], _OWN_STEPS
            )
            still.append(state.hand_back(work))
        return np.concatenate(still)

    def _of_size(self, n: int) -> list[Reference]:
        if n not in self._references:
            self._references[n] = [self._refer(rows) for rows in self._reference_subsets(n)]
        return self._references[n]

    def _refer(self, labelled: np.ndarray) -> Reference:
        copies = np.ones(self.size)
        copies[labelled] = 2.0
        parameters = domain_classifier.coefficients(self.rows[:, :-1], labelled, C=self._C)
        probability = _probability(self.rows @ parameters)
        curvature = copies * probability * (1.0 - probability)
        hessian = (self.rows * curvature[:, None]).T @ self.rows + np.diag(self.penalty)
        base = (probability - 1.0) @ self.rows + self.penalty * parameters
        return Reference(parameters, probability, np.linalg.inv(hessian), base)

    def _decrements(self, subsets: np.ndarray) -> np.ndarray:
        """Return the squared Newton decrement of every fit at every reference, (B, references)."""
        references = self._of_size(subsets.shape[1])
        found = np.empty((len(subsets), len(references)))
        for start in range(0, len(subsets), WIDTH):
            some = slice(start, start + WIDTH)
            copies = self.second_copies(subsets[some])
            shares = self.buffers["odds"]
            for number, reference in enumerate(references):
                np.multiply(copies, reference.probability, out=shares)
                gradient = shares @ self.rows + reference.base_gradient
                moved = gradient @ reference.inverse
                found[some, number] = _row_products(gradient, moved)[: len(subsets[some])]
        return found

    def second_copies(self, subsets: np.ndarray) -> np.ndarray:
        """Return 1 where a row is labelled, (WIDTH, N); the last subset fills up the rest."""
        copies = self.buffers["copies"]
        copies.fill(0.0)
        filled = subsets[np.minimum(np.arange(WIDTH), len(subsets) - 1)]
        np.put_along_axis(copies, filled, 1.0, axis=1)
        return copies


@dataclass(frozen=True)
class _Work:
    """Subsets of one size with what is known of their fits: log odds, parameters."""

    subsets: np.ndarray
    odds: np.ndarray
    parameters: np.ndarray


class _State:
    """WIDTH fits on their way: parameters, log odds at all rows, and which still move."""

    def __init__(self, fits: ManyFits, work: _Work, some: np.ndarray) -> None:
        self.fits, self.some = fits, some
        self.copies = fits.second_copies(work.subsets[some])
        self.copies += 1.0
        self.parameters = work.parameters[some[np.minimum(np.arange(WIDTH), len(some) - 1)]]
        self.logits = np.matmul(self.parameters, fits.columns, out=fits.buffers["logits"])
        self.active = np.arange(WIDTH) < len(some)
        self.abandoned = np.zeros(WIDTH, dtype=bool)

    def hand_back(self, work: _Work) -> np.ndarray:
        """Note parameters and log odds; return the fits that have not converged."""
        count = len(self.some)
        work.parameters[self.some] = self.parameters[:count]
        rows = work.subsets[self.some]
        work.odds[self.some] = np.take_along_axis(self.logits[:count], rows, axis=1)
        return self.some[(self.active | self.abandoned)[:count]]

    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradients (WIDTH, r + 1) and the curvature at every row (WIDTH, N)."""
        odds, probability = self.fits.buffers["odds"], self.fits.buffers["probability"]
        np.maximum(self.logits, -600.0, out=odds)
        np.negative(odds, out=odds)
        np.exp(odds, out=odds)
        np.add(odds, 1.0, out=probability)
        np.reciprocal(probability, out=probability)
        odds *= probability  # 1 - probability, without cancellation
        probability *= self.copies
        odds *= probability
        probability -= 1.0
        gradient = probability @ self.fits.rows
        gradient += self.fits.penalty * self.parameters
        return gradient, odds

    def descend(
        self,
        precondition: Callable[[np.ndarray], np.ndarray],
        steps: int,
        *,
        patience: int | None = None,
    ) -> None:
        """Take preconditioned conjugate gradient steps until all active fits have converged."""
        direction = before = before_product = None
        for step in range(steps):
            if not self.active.any():
                return
            gradient, curvature = self.slopes()
            descent = precondition(gradient)
            product = _row_products(gradient, descent)
            if direction is None:
                direction = -descent
            else:
                change = product - _row_products(before, descent)
                share = np.maximum(change / np.maximum(before_product, 1e-300), 0.0)
                direction = share[:, None] * direction - descent
                uphill = _row_products(direction, gradient) >= 0
                direction[uphill] = -descent[uphill]
            before, before_product = gradient, product
            moved = self._step(direction, gradient, curvature)
            if step == patience:
                self.abandoned |= self.active & (moved > _STILL_FAR)
                self.active &= ~self.abandoned

    def _step(
        self, direction: np.ndarray, gradient: np.ndarray, curvature: np.ndarray
    ) -> np.ndarray:
        """Go to the minimum along the directions, as far as the curvature can tell."""
        turned = np.matmul(direction, self.fits.columns, out=self.fits.buffers["turned"])
        reach = np.maximum(turned.max(axis=1), -turned.min(axis=1))
        bend = np.einsum("ij,ij,ij->i", curvature, turned, turned)
        bend += _row_products(direction * self.fits.penalty, direction)
        length = -_row_products(gradient, direction) / np.maximum(bend, 1e-300)
        length = np.minimum(length, _LARGEST_MOVE / np.maximum(reach, 1e-300))
        length[~self.active] = 0.0
        self.parameters += length[:, None] * direction
        turned *= length[:, None]
        self.logits += turned
        moved = length * reach
        self.active &= ~(moved < SMALLEST_MOVE)
        return moved

    def own_inverses(self) -> np.ndarray:
        """Return the inverse curvatures of the active fits where they stand."""
        from scipy.linalg import lapack

        _, curvature = self.slopes()
        width = len(self.fits.penalty)
        inverses = np.zeros((WIDTH, width, width))
        for one in np.flatnonzero(self.active):
            root = np.sqrt(curvature[one]).astype(np.float32)
            scaled = np.multiply(self.fits.rows32, root[:, None], out=self.fits.scaled)
            hessian = (scaled.T @ scaled).astype(np.float64)
            hessian[np.arange(width), np.arange(width)] += self.fits.penalty
            factor, failed = lapack.dpotrf(hessian)
            if failed:  # single precision was not enough
                self.active[one], self.abandoned[one] = False, True
                continue
            upper, _ = lapack.dpotri(factor)
            inverses[one] = np.triu(upper) + np.triu(upper, 1).T
        return inverses


def _groups(fits: np.ndarray) -> Iterator[np.ndarray]:
    for start in range(0, len(fits), WIDTH):
        yield fits[start : start + WIDTH]


def _row_products(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", some, others)


def _probability(logits: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + np.exp(-np.maximum(logits, -600.0)))


def _without_null_space(points: np.ndarray) -> np.ndarray:
    """Rotate to the principal axes and leave out those on which no row differs.

    The penalty is the same in all directions, so rotating changes nothing, and a direction
    without data has coefficient 0.
    """
    _, singular, directions = np.linalg.svd(np.linalg.qr(points, mode="r"), full_matrices=False)
    noise = singular[0] * max(points.shape) * np.finfo(np.float64).eps
    return points @ directions[singular > noise].T
