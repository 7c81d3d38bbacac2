"""Many domain classifiers over one pool at once, by preconditioned conjugate gradients.

The rows of the pool are shared by all fits, so one step of many of them is two matrix products.
What makes few steps enough is the inverse curvature of a *reference*: a fit of the same size
that was solved before. Fits that a reference does not suit get their own. References depend on
the pool and the size alone, every fit has its own steps, and the products have fixed shapes, so
no result depends on which fits share a call.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from earnest.weights import domain_classifier

# Fits in one product. Fixed, because a BLAS may round differently for another shape, and a
# multiple of the tiles that its kernels cut (24 in OpenBLAS with AVX-512), because those left
# over at the end may be rounded differently too.
WIDTH = 24

# A fit has converged when a step moves no log odds by more than this.
SMALLEST_MOVE = 1e-9

# No step may move log odds by more than this: the curvature says nothing so far away.
_LARGEST_MOVE = 6.0

# Steps with the curvature of a reference; one that still moves log odds as much as that after
# the first few is better off with its own.
_REFERENCE_STEPS = 30
_PATIENCE = 5
_STILL_FAR = 0.05

# Steps with a fit's own curvature before that is computed anew, and how often it is.
_OWN_STEPS = 10
_ROUNDS = 8


@dataclass(frozen=True)
class Reference:
    """A solved fit: parameters, log odds and shares of "pool" at all rows, inverse curvature."""

    parameters: np.ndarray
    logits: np.ndarray
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
        Above 0, as in `earnest.weights.domain_classifier.log_odds`.
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
            name: np.zeros((WIDTH, self.size))
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
            Those of `domain_classifier.log_odds` to about 1e-9.
        """
        if subsets.shape[1] == self.size:
            return np.zeros(subsets.shape)  # the start is the solution: no features, odds 1
        work = _Work(subsets, np.empty(subsets.shape), np.empty((len(subsets), len(self.penalty))))
        left = self._from_references(work)
        for failed in _OwnCurvature(self, work, left).run():
            work.odds[failed] = domain_classifier.log_odds(self._points, subsets[failed], C=self._C)
        return work.odds

    def _from_references(self, work: "_Work") -> list[int]:
        """Solve fits by their nearest references; return those that need their own curvature."""
        nearest, left = self._decrements(work.subsets).argmin(axis=1), []
        for number, reference in enumerate(self._of_size(work.subsets.shape[1])):
            some = np.flatnonzero(nearest == number)
            work.parameters[some] = reference.parameters
            left += _SharedCurvature(self, work, some, reference).run()
        return left

    def _of_size(self, n: int) -> list[Reference]:
        if n not in self._references:
            self._references[n] = [self._refer(rows) for rows in self._reference_subsets(n)]
        return self._references[n]

    def _refer(self, labelled: np.ndarray) -> Reference:
        copies = np.ones(self.size)
        copies[labelled] = 2.0
        parameters = domain_classifier.coefficients(self.rows[:, :-1], labelled, C=self._C)
        logits = self.rows @ parameters
        probability = 1.0 / (1.0 + np.exp(-np.maximum(logits, -600.0)))
        curvature = copies * probability * (1.0 - probability)
        hessian = (self.rows * curvature[:, None]).T @ self.rows + np.diag(self.penalty)
        base = (probability - 1.0) @ self.rows + self.penalty * parameters
        return Reference(parameters, logits, probability, np.linalg.inv(hessian), base)

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


class _Descents:
    """Fits on their way, WIDTH at a time: one that is done makes room for the next.

    Parameters
    ----------
    fits : ManyFits
    work : _Work
        Its `parameters` are where fits start; they and `odds` are noted for each that ends.
    waiting : iterable of int
        The fits to make.
    """

    def __init__(self, fits: ManyFits, work: _Work, waiting: Iterable[int]) -> None:
        self.fits, self.work, self.waiting = fits, work, iter(waiting)
        self.fit = np.full(WIDTH, -1)  # who has each place; nobody any more: -1
        self.steps = np.zeros(WIDTH, dtype=np.int64)
        self.fresh = np.ones(WIDTH, dtype=bool)  # no direction yet to continue
        self.failed = np.zeros(WIDTH, dtype=bool)  # no way of taking steps
        width = len(fits.penalty)
        self.parameters, self.direction, self.descent = np.zeros((3, WIDTH, width))
        self.gradient, self.product = np.zeros((WIDTH, width)), np.ones(WIDTH)
        self.copies, self.logits = fits.buffers["copies"], fits.buffers["logits"]

    def run(self) -> list[int]:
        """Take steps until every fit has converged or is given up; return the latter."""
        for place in range(WIDTH):
            self._let_in(place)
        left = []
        while (self.fit >= 0).any():
            gradient, curvature = self._slopes()
            self._turn(gradient, self.precondition(gradient, curvature))
            moved = self._step(curvature)
            converged = moved < SMALLEST_MOVE
            given_up = self.failed | (self.gives_up(moved) & ~converged)
            for place in np.flatnonzero((self.fit >= 0) & (converged | given_up)).tolist():
                if given_up[place]:
                    left.append(int(self.fit[place]))
                self._let_out(place)
                self._let_in(place)
        return left

    def precondition(self, gradient: np.ndarray, curvature: np.ndarray) -> np.ndarray:
        """Return the gradients times inverse curvatures."""
        raise NotImplementedError

    def gives_up(self, moved: np.ndarray) -> np.ndarray:
        """Tell which fits shall stop though they still moved their log odds by so much."""
        raise NotImplementedError

    def starting_logits(self, place: int) -> np.ndarray:
        return self.parameters[place] @ self.fits.columns

    def _let_in(self, place: int) -> None:
        self.fit[place] = fit = next(self.waiting, -1)
        if fit < 0:
            return  # what stood here goes on without moving
        self.copies[place] = 1.0
        self.copies[place, self.work.subsets[fit]] = 2.0
        self.parameters[place] = self.work.parameters[fit]
        self.logits[place] = self.starting_logits(place)
        self.steps[place], self.fresh[place], self.failed[place] = 0, True, False

    def _let_out(self, place: int) -> None:
        fit = self.fit[place]
        self.work.parameters[fit] = self.parameters[place]
        self.work.odds[fit] = self.logits[place, self.work.subsets[fit]]

    def _slopes(self) -> tuple[np.ndarray, np.ndarray]:
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

    def _turn(self, gradient: np.ndarray, descent: np.ndarray) -> None:
        """Turn the directions: conjugate to the last ones where there are any."""
        product = _row_products(gradient, descent)
        change = product - _row_products(self.gradient, descent)
        share = np.maximum(change / np.maximum(self.product, 1e-300), 0.0)
        share[self.fresh] = 0.0
        self.direction = share[:, None] * self.direction - descent
        uphill = _row_products(self.direction, gradient) >= 0
        self.direction[uphill] = -descent[uphill]
        self.gradient, self.product = gradient, product
        self.fresh[:] = False

    def _step(self, curvature: np.ndarray) -> np.ndarray:
        """Go to the minimum along the directions, as far as the curvature can tell."""
        direction, penalty = self.direction, self.fits.penalty
        turned = np.matmul(direction, self.fits.columns, out=self.fits.buffers["turned"])
        reach = np.maximum(turned.max(axis=1), -turned.min(axis=1))
        bend = np.einsum("ij,ij,ij->i", curvature, turned, turned)
        bend += _row_products(direction * penalty, direction)
        length = -_row_products(self.gradient, direction) / np.maximum(bend, 1e-300)
        length = np.minimum(length, _LARGEST_MOVE / np.maximum(reach, 1e-300))
        length[self.fit < 0] = 0.0
        self.parameters += length[:, None] * direction
        turned *= length[:, None]
        self.logits += turned
        self.steps += 1
        return length * reach


class _SharedCurvature(_Descents):
    """Fits that use, and start at, one reference."""

    def __init__(
        self, fits: ManyFits, work: _Work, waiting: Iterable[int], reference: Reference
    ) -> None:
        super().__init__(fits, work, waiting)
        self.reference = reference

    def precondition(self, gradient: np.ndarray, curvature: np.ndarray) -> np.ndarray:
        return gradient @ self.reference.inverse

    def gives_up(self, moved: np.ndarray) -> np.ndarray:
        far = (self.steps == _PATIENCE + 1) & (moved > _STILL_FAR)
        return far | (self.steps >= _REFERENCE_STEPS)

    def starting_logits(self, place: int) -> np.ndarray:
        return self.reference.logits


class _OwnCurvature(_Descents):
    """Fits that use the inverse of their own curvature, of some steps ago."""

    def __init__(self, fits: ManyFits, work: _Work, waiting: Iterable[int]) -> None:
        super().__init__(fits, work, waiting)
        width = len(fits.penalty)
        self.inverses = np.zeros((WIDTH, width, width))

    def precondition(self, gradient: np.ndarray, curvature: np.ndarray) -> np.ndarray:
        for place in np.flatnonzero((self.fit >= 0) & (self.steps % _OWN_STEPS == 0)):
            inverse = self._inverse(curvature[place])
            self.failed[place], self.fresh[place] = inverse is None, True
            self.inverses[place] = 0.0 if inverse is None else inverse
        return np.matmul(gradient[:, None], self.inverses)[:, 0]

    def gives_up(self, moved: np.ndarray) -> np.ndarray:
        return self.steps >= _OWN_STEPS * _ROUNDS

    def _inverse(self, curvature: np.ndarray) -> np.ndarray | None:
        """Return the inverse of a fit's curvature, None where single precision is not enough."""
        from scipy.linalg import lapack

        fits = self.fits
        root = np.sqrt(curvature).astype(np.float32)
        scaled = np.multiply(fits.rows32, root[:, None], out=fits.scaled)
        hessian = (scaled.T @ scaled).astype(np.float64)
        diagonal = np.arange(len(fits.penalty))
        hessian[diagonal, diagonal] += fits.penalty
        factor, failed = lapack.dpotrf(hessian)
        if failed:
            return None
        upper, _ = lapack.dpotri(factor)
        inverse = upper + upper.T  # potri leaves the lower part of the factor, which is 0
        inverse[diagonal, diagonal] *= 0.5
        return inverse


def _row_products(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", some, others)


def _without_null_space(points: np.ndarray) -> np.ndarray:
    """Rotate to the principal axes and leave out those on which no row differs.

    The penalty is the same in all directions, so rotating changes nothing, and a direction
    without data has coefficient 0.
    """
    _, singular, directions = np.linalg.svd(np.linalg.qr(points, mode="r"), full_matrices=False)
    noise = singular[0] * max(points.shape) * np.finfo(np.float64).eps
    return points @ directions[singular > noise].T
