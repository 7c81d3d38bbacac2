"""Design-based estimates: each item stands for as many as its recorded chance says."""

import numpy as np

from earnest.estimates.subset import NO_CHANCES, Subset
from earnest.estimates.totals import Totals, from_totals, has_form, why_no_totals
from earnest.estimates.weighted import score_under
from earnest.pools.pool import why_not_applicable
from earnest.samplers.designs import lure_weights


def lure(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Weigh by the levelled weights of active testing (LURE), unbiased for every total.

    References
    ----------
    Farquhar, Gal and Rainforth, On statistical bias in active learning: how and when to fix it,
    ICLR 2021; Kossen, Farquhar, Gal and Rainforth, Active testing, ICML 2021.
    """
    if subset.design is None:
        return why_not_applicable(subset.pool, measure, utility) or NO_CHANCES
    if subset.design.turns is None:
        return "only chances of inclusion are recorded, not those of each item at its turn"
    weights = lure_weights(subset.design.turns, len(subset.pool))
    return _from_chances(subset, weights, measure, utility)


def horvitz_thompson(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Weigh by 1 / chance of inclusion, unbiased for every total.

    References
    ----------
    Horvitz and Thompson, A generalization of sampling without replacement from a finite
    universe, Journal of the American Statistical Association 47, 1952.
    """
    if subset.design is None:
        return why_not_applicable(subset.pool, measure, utility) or NO_CHANCES
    weights = len(subset.labelled) / len(subset.pool) / subset.design.inclusion
    return _from_chances(subset, weights, measure, utility)


def hajek(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Weigh by 1 / chance of inclusion and divide by the sum of these weights.

    Slightly biased in small subsets, but steadier than `horvitz_thompson` where what is
    estimated does not go with the chances.

    References
    ----------
    Hájek, Comment on an essay by D. Basu, in Foundations of statistical inference, 1971.
    """
    if subset.design is None:
        return why_not_applicable(subset.pool, measure, utility) or NO_CHANCES
    return score_under(subset, 1 / subset.design.inclusion, measure, utility)


def design_difference(subset: Subset, measure: str, utility: str) -> np.ndarray | str:
    """Correct what the posteriors say of the whole pool by residuals over their recorded chances.

    T_ab = sum_D p(a|x) 1[pred = b] + sum_L (1[y = a] - p(a|x)) 1[pred = b] / chance of inclusion,
    unbiased for every confusion total whatever the posteriors are worth. Items that were sure
    to be labelled (chance 1) count by themselves; the others share out what is left of the
    pool. Under plain chance it is `difference`.

    References
    ----------
    Särndal, Swensson and Wretman, Model assisted survey sampling, 1992, section 6.3 (difference
    estimator); Zrnic and Candès, Active statistical inference, ICML 2024.
    """
    reason = why_no_totals(subset.pool, measure, utility, "design-based difference")
    if reason or subset.design is None:
        return reason or NO_CHANCES
    return from_totals(measure, subset.once("design difference", _assisted), subset.pool)


def _assisted(subset: Subset) -> Totals:
    pool, rows = subset.pool, subset.labelled
    true, hits = subset.members()
    posteriors, predicted = pool.posteriors, subset.predicted()
    believed = np.hstack([posteriors[rows] * predicted[rows], posteriors[rows]])
    inclusion = subset.design.inclusion
    drawn = inclusion < 1
    with np.errstate(divide="ignore", invalid="ignore"):  # a resample may hold no drawn item
        again = drawn.sum() / (subset.counts @ drawn) if drawn.any() else np.ones(1)
    share = subset.counts / inclusion * np.where(drawn, again[:, np.newaxis], 1)
    both = share @ (np.hstack([hits, true]) - believed)
    both += np.hstack([(posteriors * predicted).sum(axis=0), posteriors.sum(axis=0)])
    least = np.mean(1 / inclusion) * (1 - 1e-9)  # what one labelled item stands for
    return Totals(*np.hsplit(both, 2), predicted.sum(axis=0), least)


def _from_chances(
    subset: Subset, weights: np.ndarray, measure: str, utility: str
) -> np.ndarray | str:
    """Estimate class totals by weights; AUC and utilities by the weights' own sum instead."""
    reason = why_not_applicable(subset.pool, measure, utility)
    if reason:
        return reason
    if not has_form(measure) or utility != "none":
        return score_under(subset, weights, measure, utility)
    return from_totals(measure, subset.once("design", _expanded, weights), subset.pool)


def _expanded(subset: Subset, weights: np.ndarray) -> Totals:
    true, hits = subset.members()
    share = subset.counts * weights * (len(subset.pool) / subset.sums)
    return Totals(share @ hits, share @ true, subset.predicted().sum(axis=0), 1e-9)
