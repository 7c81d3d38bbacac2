"""How good predicted weights are: their distance to true ones, and what that does to scores."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from earnest.io import schemas
from earnest.protocols import statistics as stats
from earnest.protocols.crossval import published
from earnest.protocols.crossval.splitting import MEASURES, WEIGHTINGS
from earnest.rng import generator

if TYPE_CHECKING:
    import pandas

RIVALS = ("none", "predicted", "majority_one", "conditional")
VERSIONS = {"absolute": "mu", "relative": "mu_relative"}
FARTHEST_Z = 4.0
METHODS = ("pearson", "pearson_all", "spearman")


def weight_quality(
    subconcepts: "pandas.DataFrame", recognition: "pandas.DataFrame"
) -> "pandas.DataFrame":
    """Compare predicted with true weights in each data set, and with how well it is recognised.

    Parameters
    ----------
    subconcepts : pandas.DataFrame
        Table `fold_subconcepts`.
    recognition : pandas.DataFrame
        Table `recognition`.

    Returns
    -------
    pandas.DataFrame
        Table `weight_quality`, one row a data set and measure. `mu` is the mean over all
        subconcepts, majority and minority, of |mean true - mean predicted weight| over the
        test items of all folds; `mu_relative` divides each distance by the mean true weight
        first, because weights grow with the ratio of sizes. `recognition` is the mean score
        of the subconcept forest over the folds.

    Notes
    -----
    "Correcting Performance Estimation Bias in Imbalanced Classification with Minority
    Subconcepts", Eq. 7.
    """
    rows = []
    scored = recognition.assign(value=recognition["value"].astype("float64"))
    for dataset, mine in subconcepts.groupby("dataset", sort=True):
        mu, relative = _distances(mine)
        for measure in MEASURES:
            chosen = (scored["dataset"] == dataset) & (scored["measure"] == measure)
            values = scored.loc[chosen, "value"].to_numpy()
            score = None if len(values) == 0 or np.isnan(values).any() else float(values.mean())
            at = {"dataset": dataset, "measure": measure, "recognition": score}
            rows.append(at | {"mu": mu, "mu_relative": relative})
    return schemas.frame_of("weight_quality", rows)


def _distances(subconcepts: "pandas.DataFrame") -> tuple[float, float]:
    sizes = subconcepts["test_size"]
    sums = subconcepts[["mean_true", "mean_predicted"]].multiply(sizes, axis=0)
    means = sums.groupby(subconcepts["subconcept"]).sum()
    means = means.div(sizes.groupby(subconcepts["subconcept"]).sum(), axis=0)
    distances = (means["mean_true"] - means["mean_predicted"]).abs()
    return float(distances.mean()), float((distances / means["mean_true"]).mean())


def correlate_quality(
    quality: "pandas.DataFrame",
    *,
    collection: str,
    root_seed: int,
    resamples: int,
    level: float,
) -> "pandas.DataFrame":
    """Correlate the distance of the weights with the quality of the subconcept forest.

    Parameters
    ----------
    quality : pandas.DataFrame
        As `weight_quality` gives it.
    collection, root_seed, resamples, level
        As in `earnest.protocols.crossval.correlations.assess`.

    Returns
    -------
    pandas.DataFrame
        Table `recognition_correlations`. Method `pearson` leaves out, once, the data sets whose mu
        or score is more than 4 standard deviations (ddof 0) from the mean over all data sets, as
        the paper does; `pearson_all` and `spearman` leave out none. With ddof 0 a z-score cannot
        exceed (n - 1) / sqrt(n), so among fewer than 18 data sets the rule never applies.

    Notes
    -----
    "Correcting Performance Estimation Bias in Imbalanced Classification with Minority
    Subconcepts", section 4.4.
    """
    rows = []
    for version, column in VERSIONS.items():
        for measure in MEASURES:
            mine = quality[quality["measure"] == measure].dropna(subset=["recognition"])
            names = mine["dataset"].to_numpy(dtype=str)
            pair = [mine[name].to_numpy(dtype=np.float64) for name in ("recognition", column)]
            far = _is_outlier(pair[0]) | _is_outlier(pair[1])
            for method in METHODS:
                kept = ~far if method == "pearson" else np.ones(len(names), dtype=bool)
                x, y = pair[0][kept], pair[1][kept]
                function = stats.spearman if method == "spearman" else stats.pearson

                def statistic(counts, function=function, x=x, y=y):
                    return function(x, y, counts)

                rng = generator(root_seed, collection, "recognition", version, measure)
                counts = stats.resample_counts(len(x), resamples, rng)
                found = stats.with_interval(statistic, counts, level=level)
                at = {"version": version, "method": method, "measure": measure}
                rows.append(
                    at
                    | {"datasets": len(x), "outliers": names[~kept].tolist()}
                    | {"p": stats.p_value(method.removesuffix("_all"), x, y)}
                    | asdict(found)
                    | stats.without_each(statistic, names[kept])
                    | {"printed": published.recognition(collection, version, method, measure)}
                )
    return schemas.frame_of("recognition_correlations", rows)


def _is_outlier(values: np.ndarray) -> np.ndarray:
    spread = values.std() if len(values) else 0.0
    if spread == 0:
        return np.zeros(len(values), dtype=bool)
    return np.abs(values - values.mean()) > FARTHEST_Z * spread


def distances(means: "pandas.DataFrame") -> "pandas.DataFrame":
    """Measure how far plain and predicted scores are from the one by true subconcepts.

    Parameters
    ----------
    means : pandas.DataFrame
        As `earnest.protocols.crossval.correlations.dataset_means` gives them.

    Returns
    -------
    pandas.DataFrame
        Table `table_distances`, on full test sets: the distance between means over folds, and the
        same with its sign (`optimism`, positive where the score flatters).
    """
    full = means[means["part"] == "full"]
    keys = ["dataset", "correction", "measure"]
    true = full[full["utility"] == "true"].set_index(keys)["mean"].rename("true_value")
    rivals = full[full["utility"].isin(RIVALS)].join(true, on=keys)
    optimism = rivals["mean"] - rivals["true_value"]
    rivals = rivals.assign(value=rivals["mean"], distance=optimism.abs(), optimism=optimism)
    columns = list(schemas.TABLES["table_distances"])
    return rivals[columns].reset_index(drop=True)


def missed_and_hit(recalls: "pandas.DataFrame") -> "pandas.DataFrame":
    """Average the weights of minority items that the binary forest missed, and of those it hit.

    Parameters
    ----------
    recalls : pandas.DataFrame
        Table `fold_recalls`.

    Returns
    -------
    pandas.DataFrame
        Table `table_weights`, over all folds of a data set and a correction; a mean over no items
        is empty. That missed items weigh less than their true subconcepts say, and
        hit ones do not, is why Eq. 6 of the paper flatters.
    """
    minority = recalls[recalls["side"] == "minority"]
    rows = []
    for (dataset, correction), mine in minority.groupby(["dataset", "correction"], sort=True):
        hits = int(mine["hits"].sum())
        missed = int(mine["test_size"].sum()) - hits
        for way in WEIGHTINGS:
            rows.append(
                {
                    "dataset": dataset,
                    "correction": correction,
                    "utility": way,
                    "missed": missed,
                    "hits": hits,
                    "missed_weight": _mean(mine[f"missed_{way}"].sum(), missed),
                    "hit_weight": _mean(mine[f"hit_{way}"].sum(), hits),
                }
            )
    return schemas.frame_of("table_weights", rows)


def _mean(total: float, count: int) -> float | None:
    return float(total) / count if count else None
