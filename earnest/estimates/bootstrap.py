"""Item counts behind an interval, the percentile bootstrap, and when there is nothing to say."""

import math

import numpy as np

from earnest.estimates.counts import Counts, Nudged
from earnest.pools.pool import Pool
from earnest.rng import generator
from earnest.samplers import DETERMINISTIC

MOST_UNDEFINED = 0.05  # share of undefined resamples up to which an interval is still given
NO_CHANCE = (
    "the sampler is deterministic: it left regions of the pool without any chance of selection,"
    " so no weighting can correct it and no interval is valid"
)


def resample(
    pool: Pool,
    labelled: np.ndarray,
    resamples: int,
    rng: np.random.Generator | None,
    sampler: str | None,
    interval: str = "bootstrap",
) -> tuple[Counts, str | None]:
    """Return item counts, the sample itself first, and why there are no others if so.

    The others are bootstrap resamples of whole recordings or, for the interval `linearised`,
    the sample with each recording in turn counted a little more and a little less.
    """
    itself = np.ones((1, len(labelled)))
    if len(labelled) == len(pool):
        return Counts(itself), None
    if sampler in DETERMINISTIC:
        return Counts(itself), NO_CHANCE
    if resamples < 1:
        return Counts(itself), "no resamples were asked for"
    groups = labelled if pool.recordings is None else np.asarray(pool.recordings)[labelled]
    names, group = np.unique(groups, return_inverse=True)
    if len(names) < 2:
        return Counts(itself), "the labelled items are all of one recording: nothing to resample"
    if interval == "linearised":
        return Nudged(group), None
    rng = generator(0, "bootstrap") if rng is None else rng
    drawn = rng.integers(len(names), size=(resamples, len(names)))
    drawn += len(names) * np.arange(resamples)[:, np.newaxis]
    times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
    table = np.ones((1 + resamples, len(labelled)))
    table[1:] = times[:, group]
    return Counts(table), None


def percentile_interval(
    values: np.ndarray, level: float
) -> tuple[float | None, float | None, str | None]:
    """Return the percentile interval of resampled values (b,), or why there is none."""
    reason = why_undefined(values)
    if reason is None and np.nanmax(values) - np.nanmin(values) < 1e-12:
        reason = "all resamples give the same value, which shows no uncertainty"
    return (None, None, reason) if reason else (*percentile_ends(values, level), None)


def why_undefined(values: np.ndarray) -> str | None:
    """Say why resampled values (b,) have no interval: more than 5 % of them are NaN."""
    undefined = int(np.isnan(values).sum())
    if undefined > MOST_UNDEFINED * len(values):
        return f"undefined in {undefined} of {len(values)} resamples"
    return None


def percentile_ends(values: np.ndarray, level: float) -> tuple[float, float]:
    """Return the ends of the percentile interval of resampled values (b,), NaN left out."""
    ordered = np.sort(values[~np.isnan(values)])
    return quantile(ordered, (1 - level) / 2), quantile(ordered, (1 + level) / 2)


def quantile(ordered: np.ndarray, q: float) -> float:
    """Interpolate linearly, as numpy.quantile does, without its overhead."""
    position = q * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (position - below) * (ordered[above] - ordered[below]))
