"""Analytic interval: how the estimate answers to a little more of each recording."""

import math

import numpy as np

from earnest.estimates.counts import NUDGE


def linearised_interval(
    values: np.ndarray, level: float, left_out: float | np.ndarray
) -> tuple[float | None, float | None, str | None]:
    """Return the interval of an estimate from its answers to nudged counts, or why none.

    Parameters
    ----------
    values : ndarray (1 + 2 G,) float64
        The estimate itself, then as each recording in turn counts a little
        more, then a little less (`earnest.estimates.counts.Nudged`).
    level : float
        Nominal coverage.
    left_out : float or ndarray (G,) float64
        Share of the pool that is not labelled, which corrects for a finite pool; or of each
        recording 1 - its chance of inclusion. Recordings that were sure to be labelled add no
        variance and are not counted in G.

    Notes
    -----
    With U_g the derivative by the count of recording g, the variance is
    G / (G - 1) sum left_out U_g^2 (the infinitesimal jackknife, or linearisation; for a mean of
    single items left_out s^2 / n; with chances Hájek's approximation), and the interval uses
    Student's t with G - 1 degrees of freedom.

    References
    ----------
    Särndal, Swensson and Wretman, Model assisted survey sampling, 1992, section 5.5 (Taylor
    linearisation) and 8.6 (recordings as primary units).
    """
    from scipy.special import stdtrit

    if np.isnan(values).any():
        return None, None, "undefined where a recording counts a little more or less"
    more, less = np.split(values[1:], 2)
    slopes = (more - less) / (2 * NUDGE)
    left_out = np.broadcast_to(left_out, slopes.shape)
    count = int((left_out > 0).sum())
    if count < 2:
        return None, None, "fewer than two labelled recordings were drawn by chance"
    variance = count / (count - 1) * np.sum(left_out * slopes**2)
    if variance < 1e-18:
        return None, None, "all labelled items say the same, which shows no uncertainty"
    half = float(stdtrit(count - 1, (1 + level) / 2)) * math.sqrt(variance)
    return float(values[0] - half), float(values[0] + half), None
