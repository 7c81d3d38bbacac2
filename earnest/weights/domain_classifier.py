"""The logistic regression that tells pool from labelled items, by Newton's method."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from earnest.pools.large import Standardised

# Newton's steps square the error, so the last one usually lands far below this; a looser
# bound (1e-6) would leave errors of some 1e-3 in directions that only the penalty bends.
RELATIVE_GRADIENT = 1e-9

_ITERATIONS = 200
_HALVINGS = 60


def log_odds(points: "np.ndarray | Standardised", labelled: np.ndarray, *, C: float) -> np.ndarray:
    """Return the log odds of "pool" against "labelled" at the labelled items.

    Minimises the summed log loss plus |coef|^2 / (2 C), the intercept free, over N pool rows
    of class 1 and n labelled rows of class 0 (scikit-learn's objective). A labelled row is
    both, so every pool row is visited once, with its number of copies.

    Parameters
    ----------
    points : numpy.ndarray, shape (N, d), float64, or earnest.pools.large.Standardised
        Standardised embeddings of the whole pool; the latter makes them block by block.
    labelled : numpy.ndarray of int, shape (n,)
        Distinct rows.
    C : float
        Above 0; smaller is smoother.

    Returns
    -------
    numpy.ndarray, shape (n,), float64

    Raises
    ------
    ArithmeticError
        If the gradient did not fall to 1e-9 of its start in 200 steps.
    """
    parameters = coefficients(points, labelled, C=C)
    return points[labelled] @ parameters[:-1] + parameters[-1]


def coefficients(
    points: "np.ndarray | Standardised", labelled: np.ndarray, *, C: float
) -> np.ndarray:
    """Return the coefficients of the fit of `log_odds` and its intercept, shape (d + 1,)."""
    copies = np.ones(len(points))
    copies[labelled] = 2.0
    # The odds of a classifier without features: a start from which L = D is already solved.
    start = np.zeros(points.shape[1] + 1)
    start[-1] = math.log(len(points) / len(labelled))
    if isinstance(points, np.ndarray):
        return _minimise(_Fit(points, copies, 1.0 / C), start)
    return _minimise(_BlockedFit(points, copies, 1.0 / C), start)


class _Fit:
    """The objective, its gradient and its Newton step; parameters are coefficients, intercept."""

    def __init__(
        self, points: "np.ndarray | Standardised", copies: np.ndarray, penalty: float
    ) -> None:
        self.points: Any = points  # an array here, blocks of rows in the class below
        self.copies, self.penalty = copies, penalty

    def logits(self, parameters: np.ndarray) -> np.ndarray:
        return self.points @ parameters[:-1] + parameters[-1]

    def objective(self, parameters: np.ndarray) -> float:
        logits = self.logits(parameters)
        # copies * log(1 + e^t) - t: class 1 once per row, class 0 for the second copy
        losses = self.copies * np.logaddexp(0.0, logits) - logits
        return float(losses.sum() + 0.5 * self.penalty * parameters[:-1] @ parameters[:-1])

    def gradient(self, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient, and the curvature of each row for the Newton step."""
        from scipy.special import expit

        probability = expit(self.logits(parameters))
        residual = self.copies * probability - 1.0
        slopes = self.turn_back(residual) + self.penalty * parameters[:-1]
        return np.append(slopes, residual.sum()), self.copies * probability * (1.0 - probability)

    def turn_back(self, residual: np.ndarray) -> np.ndarray:
        return residual @ self.points

    def moments(self, curvature: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the products and the sums of the columns under weights of the rows."""
        weighted = self.points * curvature[:, None]
        return weighted.T @ self.points, weighted.sum(axis=0)

    def step(self, gradient: np.ndarray, curvature: np.ndarray) -> np.ndarray:
        from scipy.linalg import solve

        size = len(gradient) - 1
        hessian = np.empty((size + 1, size + 1))
        hessian[:-1, :-1], hessian[-1, :-1] = self.moments(curvature)
        hessian[:-1, -1] = hessian[-1, :-1]
        hessian[np.arange(size), np.arange(size)] += self.penalty
        hessian[-1, -1] = curvature.sum()
        return solve(hessian, -gradient, assume_a="pos")


class _BlockedFit(_Fit):
    """The same over rows that are made block by block, each time anew."""

    def logits(self, parameters: np.ndarray) -> np.ndarray:
        found = np.empty(len(self.points))
        for rows, part in self.points.blocks():
            found[rows] = part @ parameters[:-1] + parameters[-1]
        return found

    def turn_back(self, residual: np.ndarray) -> np.ndarray:
        return sum(
            (residual[rows] @ part for rows, part in self.points.blocks()),
            start=np.zeros(self.points.shape[1]),
        )

    def moments(self, curvature: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        size = self.points.shape[1]
        products, sums = np.zeros((size, size)), np.zeros(size)
        for rows, part in self.points.blocks():
            weighted = part * curvature[rows, None]
            products, sums = products + weighted.T @ part, sums + weighted.sum(axis=0)
        return products, sums


def _minimise(fit: _Fit, parameters: np.ndarray) -> np.ndarray:
    """Take damped Newton steps until the gradient is small against its start."""
    gradient, curvature = fit.gradient(parameters)
    rounding = 1e-13 * fit.copies.sum()
    enough = max(RELATIVE_GRADIENT * np.abs(gradient).max(), rounding)
    for _ in range(_ITERATIONS):
        if np.abs(gradient).max() <= enough:
            return parameters
        parameters = _descend(fit, parameters, gradient, fit.step(gradient, curvature))
        gradient, curvature = fit.gradient(parameters)
    raise ArithmeticError(
        f"the domain classifier did not converge in {_ITERATIONS} Newton steps"
        f" (gradient {np.abs(gradient).max():.3g}, wanted {enough:.3g}); try a smaller C"
    )


def _descend(
    fit: _Fit, parameters: np.ndarray, gradient: np.ndarray, step: np.ndarray
) -> np.ndarray:
    """Halve the step until the objective falls by a share of what the gradient promises."""
    before, promise = fit.objective(parameters), float(gradient @ step)
    # Near the minimum the fall is smaller than the rounding of the objective itself.
    slack = 1e-12 * abs(before)
    size = 1.0
    for _ in range(_HALVINGS):
        candidate = parameters + size * step
        if fit.objective(candidate) <= before + 1e-4 * size * promise + slack:
            return candidate
        size /= 2
    raise ArithmeticError("the domain classifier found no descent; try a smaller C")
