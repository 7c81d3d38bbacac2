"""`auto` for classes: where a prediction is wrong, its chance is spread over the other classes."""

import math
from dataclasses import dataclass

import numpy as np

from earnest.estimates.auto_columns import nearest_of
from earnest.estimates.auto_fit import Fit
from earnest.estimates.subset import Subset
from earnest.pools.pool import Pool, class_of

OWN_SHARE = 0.7  # of an item's posteriors, the rest is its neighbours'
LOCAL_SHARE = 0.9  # of these, the rest is the pool's
LOCAL_SHARE_WITHOUT_EMBEDDINGS = 0.8
# Errors that the posteriors are worth, of a class and of a class among the items predicted alike.
CLASS_WORTH, PAIR_WORTH = 2.0, 4.0


@dataclass(frozen=True)
class Spread:
    """What the classes of wrong predictions are, by posteriors and by the wrong labels.

    Attributes
    ----------
    chances : ndarray (N, c)
        S, of each class if the prediction is wrong; 0 at the prediction, else rows sum to 1.
    class_variances : ndarray (c,)
        Of the log of a class's share.
    pair_variances : ndarray (c, c)
        The same among the items of one predicted class (rows).
    """

    chances: np.ndarray
    class_variances: np.ndarray
    pair_variances: np.ndarray


@dataclass(frozen=True)
class ClassTotals:
    """The estimated totals of a pool, by class, and how a measure moves with them.

    Attributes
    ----------
    hits, true, predicted : ndarray (c,)
        Weights of items of the class that are predicted so, of items of the class, and of items
        that are predicted so.
    """

    hits: np.ndarray
    true: np.ndarray
    predicted: np.ndarray

    def measure(self, name: str, pool: Pool) -> tuple[float, "ClassTotals"] | None:
        """Return a measure and its derivatives by all totals; None where it is undefined."""
        none = np.zeros(len(self.true))
        if name == "accuracy":
            whole = self.true.sum()
            if whole <= 0:
                return None
            value = self.hits.sum() / whole
            return float(value), ClassTotals(none + 1 / whole, none - value / whole, none)
        if name == "f1":
            wanted = (np.asarray(pool.classes) == pool.positive).astype(np.float64)
            whole, hits = wanted @ (self.true + self.predicted), wanted @ self.hits
            if whole <= 0:
                return None
            by_whole = -2 * hits / whole**2 * wanted
            return float(2 * hits / whole), ClassTotals(2 / whole * wanted, by_whole, by_whole)
        wanted = np.full(len(none), 1 / len(none))
        if name != "balanced_accuracy":
            wanted = (np.asarray(pool.classes) == class_of(pool, name)).astype(np.float64)
        if (self.true[wanted > 0] <= 0).any():
            return None
        share = wanted / np.where(self.true > 0, self.true, 1.0)
        recalls = self.hits / np.where(self.true > 0, self.true, 1.0)
        return float(wanted @ recalls), ClassTotals(share, -share * recalls, none)


class ClassSums:
    """What a fit and a spread add up to over the pool, of any measure of classes.

    Parameters
    ----------
    subset : Subset
    fitted : Fit
    weights : ndarray (N,)
        How much each item counts, whatever its class.
    """

    def __init__(self, subset: Subset, fitted: Fit, weights: np.ndarray) -> None:
        self.pool, self.fit, self.weights = subset.pool, fitted, weights
        self.rows = np.arange(len(self.pool))
        self.column = self.pool.once("predicted column", lambda: _columns(self.pool))
        labels = subset.labels[np.argsort(subset.labelled)]
        self.label = _places(self.pool.classes, labels)
        prior = self.pool.once("auto spread", lambda: prior_spread(self.pool))
        self.spread = learned_spread(prior, fitted.labelled, self.column, self.label)
        known = (1 - fitted.chances)[:, np.newaxis] * self.spread.chances
        known[self.rows, self.column] = fitted.chances
        known[fitted.labelled] = 0.0
        known[fitted.labelled, self.label] = 1.0
        known *= weights[:, np.newaxis]
        count = known.shape[1]
        self.totals = ClassTotals(
            np.bincount(self.column, known[self.rows, self.column], minlength=count),
            known.sum(axis=0),
            np.bincount(self.column, known.sum(axis=1), minlength=count),
        )

    def worth(self, by: ClassTotals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what each item adds to a measure.

        Returns
        -------
        (ndarray (N, c), ndarray (N,), ndarray (N,))
            If it is of each class, if its prediction is right, and on average if it is wrong.
        """
        each = by.true + by.predicted[self.column, np.newaxis]
        each[self.rows, self.column] += by.hits[self.column]
        each *= self.weights[:, np.newaxis]
        wrong = np.einsum("ij,ij->i", self.spread.chances, each)
        return each, each[self.rows, self.column], wrong

    def variance(self, by: ClassTotals, beyond: tuple[np.ndarray, ...], bend: float) -> float:
        """Return the variance of a measure by the delta method, and of what no fit shows.

        Parameters
        ----------
        by : ClassTotals
            Derivatives of the measure.
        beyond : tuple of ndarray (N,)
            By how much the log odds of items beyond the labelled ones may be off.
        bend : float
            SD of a bend of the log odds over the confidence.
        """
        fitted, rest, p = self.fit, self.fit.unlabelled, self.fit.chances
        each, right, wrong = self.worth(by)
        moves = rest * fitted.slopes * (right - wrong)
        contrast = moves @ fitted.columns.features
        squares = np.einsum("ij,ij,ij->i", self.spread.chances, each, each)
        mean = p * right + (1 - p) * wrong
        unseen = float(rest @ (p * right**2 + (1 - p) * squares - mean**2))
        missed = sum(float(moves @ one) ** 2 for one in beyond)
        bent = np.square(fitted.columns.doubt) - 1
        labelled = fitted.labelled
        learned = (fitted.slopes * bent)[labelled] @ fitted.columns.features[labelled]
        missed += (bend * float(moves @ bent - contrast @ fitted.covariance @ learned)) ** 2
        spread = self._spread_variance(each - wrong[:, np.newaxis])
        return fitted.variance(contrast) + max(unseen, 0.0) + spread + missed

    def _spread_variance(self, apart: np.ndarray) -> float:
        """Return the variance of a measure by that of the spread."""
        left = self.fit.unlabelled * (1 - self.fit.chances)
        apart *= self.spread.chances
        alike = self.pool.once("predicted indicators", lambda: _indicators(self.pool))
        pairs = alike.T @ (apart * left[:, np.newaxis])
        by_class = float(np.square(pairs.sum(axis=0)) @ self.spread.class_variances)
        return by_class + float((np.square(pairs) * self.spread.pair_variances).sum())

    def residuals(self, by: ClassTotals) -> np.ndarray:
        """Return what each labelled item adds to a measure less what was expected of it, (n,).

        Expected by its chance of being right as if it had not been seen.
        """
        each, right, wrong = self.worth(by)
        labelled, p = self.fit.labelled, self.fit.left_out
        return each[labelled, self.label] - p * right[labelled] - (1 - p) * wrong[labelled]


def prior_spread(pool: Pool) -> np.ndarray:
    """Return the chances of the other classes where a prediction is wrong, before any label.

    .9 others(.7 of the posteriors, .3 of the mean over the neighbours) + .1 others(the pool's
    mean), others(.) without the predicted class and scaled to sum 1; without embeddings .8
    others(posteriors) + .2 others(the pool's mean).

    Returns
    -------
    ndarray (N, c) float64
        0 at the prediction.
    """
    posteriors, share = pool.posteriors, LOCAL_SHARE_WITHOUT_EMBEDDINGS
    local = posteriors
    if pool.embeddings is not None and len(pool) > 1:
        around = sum(posteriors[items] for items in nearest_of(pool).items.T)
        near = around / nearest_of(pool).items.shape[1]
        local, share = OWN_SHARE * posteriors + (1 - OWN_SHARE) * near, LOCAL_SHARE
    column = _columns(pool)
    mean = np.broadcast_to(posteriors.mean(axis=0), posteriors.shape)
    return share * _others(local, column) + (1 - share) * _others(mean, column)


def learned_spread(
    prior: np.ndarray, labelled: np.ndarray, column: np.ndarray, label: np.ndarray
) -> Spread:
    """Move the spread towards the classes that wrong predictions were found to be of.

    Parameters
    ----------
    prior : ndarray (N, c)
        Of `prior_spread`.
    labelled : ndarray (n,) of int
    column : ndarray (N,) of int
        The place of the predicted class.
    label : ndarray (n,) of int
        The place of the labelled items' class.

    Notes
    -----
    Two levels of shrinkage: a class comes (2 + seen) / (2 + expected) times as often as expected
    of it, and (4 + seen) / (4 + expected) times that among the items predicted alike.
    """
    count = prior.shape[1]
    wrong = label != column[labelled]
    rows, predicted, true = labelled[wrong], column[labelled[wrong]], label[wrong]
    expected = prior[rows]
    by_class = CLASS_WORTH + expected.sum(axis=0)
    often = (CLASS_WORTH + np.bincount(true, minlength=count)) / by_class
    expected = _scaled(expected * often)
    by_pair, seen = np.full((count, count), PAIR_WORTH), np.full((count, count), PAIR_WORTH)
    np.add.at(by_pair, predicted, expected)
    np.add.at(seen, (predicted, true), 1.0)
    chances = _scaled(prior * (often * seen / by_pair)[column])
    return Spread(chances, 1 / by_class, 1 / by_pair)


def design_step(residuals: np.ndarray, chances: np.ndarray, size: int) -> tuple[float, float]:
    """Return how far the design moves a measure from the model's value, and the SD of that.

    Parameters
    ----------
    residuals : ndarray (n,)
        Of `ClassSums.residuals`.
    chances : ndarray (n,)
        Of inclusion.
    size : int
        Items of the pool.
    """
    n = len(residuals)
    weights = 1 / chances
    weights *= size / weights.sum()
    mean = float(weights @ residuals) / size
    squares = (1 - chances) * np.square(weights * (residuals - mean))
    return float((weights - 1) @ residuals), math.sqrt(n / (n - 1) * float(squares.sum()))


def _columns(pool: Pool) -> np.ndarray:
    return _places(pool.classes, pool.predictions)


def _indicators(pool: Pool) -> np.ndarray:
    return (_columns(pool)[:, np.newaxis] == np.arange(len(pool.classes))).astype(np.float64)


def _places(classes: tuple, labels: np.ndarray) -> np.ndarray:
    known = np.asarray(classes)
    order = np.argsort(known)
    return order[np.searchsorted(known, labels, sorter=order)]


def _others(shares: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Set the predicted class to 0 and scale rows to 1; even where nothing is left."""
    others = shares.copy()
    others[np.arange(len(others)), column] = 0.0
    empty = others.sum(axis=1) <= 0
    others[empty] = 1.0
    others[empty, column[empty]] = 0.0
    return _scaled(others)


def _scaled(rows: np.ndarray) -> np.ndarray:
    sums = rows.sum(axis=1, keepdims=True)
    return rows / np.where(sums > 0, sums, 1.0)
