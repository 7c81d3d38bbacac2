"""The sentences that say which estimator to use, from rows whose verdicts are given."""

import pandas as pd
import pytest

from earnest.io import schemas
from earnest.reports.sections import recommendations
from earnest.reports.view import records, task_view

POOL = pd.DataFrame({"item_id": ["a", "b", "c"]})
SIZES = (25, 50, 100)


def comparison(sampler, size, estimator, rmse, verdict, **changes):
    tested = verdict not in ("reference", "undefined")
    return {
        "study": "s", "task": "t", "measure": "accuracy", "utility": "none", "sampler": sampler,
        "size": size, "estimator": estimator, "truth": 0.7, "mean": 0.7, "bias": -0.01,
        "sd": 0.02, "rmse": rmse, "best": False, "subsets": 20, "nearer": 0.5, "effect": 0.0,
        "p": 0.01 if tested else None, "smallest_p": 2.0**-19 if tested else None,
        "p_adjusted": 0.04 if tested else None, "verdict": verdict,
    } | changes  # fmt: skip


def section(rows, headline_size=50):
    """The section of a task whose summary has the same samplers, sizes and estimators."""
    frame = pd.DataFrame(rows, columns=list(schemas.TABLES["comparisons"]))
    schemas.to_arrow("comparisons", frame)
    rows = records(frame)
    summary = [
        dict.fromkeys(schemas.TABLES["summary"])
        | {key: row[key] for key in ("task", "sampler", "size", "estimator", "measure", "utility")}
        | {"truth": 0.7, "mean": 0.7}
        for row in rows
    ]
    view = task_view("t", {"title": "Birds"}, POOL, POOL, summary, {"size": headline_size})
    return recommendations.advise(view, rows)


def rows_of(sampler, verdicts, rmse=0.02, plain=0.03):
    """One row a size and estimator; `verdicts` maps estimators to their verdicts by size."""
    found = [comparison(sampler, n, "unweighted", plain, "reference") for n in SIZES]
    for name, own in verdicts.items():
        found += [comparison(sampler, n, name, rmse, v) for n, v in zip(SIZES, own, strict=True)]
    return found


def test_the_one_that_is_better_is_recommended_with_its_numbers():
    verdicts = {"difference": ["better"] * 3, "kde": ["worse", "worse", "not shown"]}
    rows = rows_of("farthest", verdicts)
    assert section(rows)["sentences"] == [
        "With items chosen farthest first, use “Difference estimator”: RMSE 0.020 against"
        " 0.030 unweighted at n = 50, better on 3 of 3 sizes after correction. Worse than"
        " unweighted: “Density weights (KDE)” (on 2 of 3)."
    ]


def test_of_several_the_lowest_pooled_rmse_wins():
    rows = rows_of("farthest", {"knn": ["better", "better", "not shown"]}, rmse=0.021)
    rows += rows_of("farthest", {"difference": ["better"] * 3}, rmse=0.02)[3:]
    assert "use “Difference estimator”" in section(rows)["sentences"][0]
    # worse on one size leaves two, as many as the other has
    rows[-1]["verdict"] = "worse"
    text = section(rows)["sentences"][0]
    assert "use “Difference estimator” up to 50 items: RMSE 0.020 against 0.030" in text
    # with more error on them it is the other's turn
    rows[-2]["rmse"] = 0.029
    text = section(rows)["sentences"][0]
    assert "use “Neighbour distances (k-NN)”: RMSE 0.021 against 0.030" in text
    assert "better on 2 of 3 sizes after correction" in text


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ("bbw", " up to 50 items: RMSE 0.020 against 0.030 unweighted at n = 50, better on 2 of 2"),
        ("wbb", " from 50 items on: RMSE 0.020 against 0.030 unweighted at n = 50, better on 2"),
        ("nbb", ": RMSE 0.020 against 0.030 unweighted at n = 50, better on 2 of 3"),
        ("bnb", ": RMSE 0.020 against 0.030 unweighted at n = 50, better on 2 of 3"),
        ("mbb", " from 50 items on: RMSE"),
    ],
)
def test_a_row_of_sizes_is_recommended_where_not_all_will_do(verdicts, expected):
    names = {"b": "better", "w": "worse", "n": "not shown", "m": "mixed"}
    (text,) = section(rows_of("random", {"kde": [names[v] for v in verdicts]}))["sentences"]
    assert f"use “Density weights (KDE)”{expected}" in text
    if "w" in verdicts:
        assert text.endswith(
            "after correction, and keep the unweighted score elsewhere (there it is better on 0 and"
            " worse on 1 of 1)."
        )


@pytest.mark.parametrize("verdicts", ["nnn", "bnn", "bwb", "wnb", "www"])
def test_nothing_that_clearly_wins_leaves_the_unweighted_score(verdicts):
    names = {"b": "better", "w": "worse", "n": "not shown"}
    (text,) = section(rows_of("random", {"kde": [names[v] for v in verdicts]}))["sentences"]
    assert text.startswith("With items chosen at random, keep the unweighted score: no estimator")
    blame = " Worse than unweighted: “Density weights (KDE)” (on 3 of 3)."
    assert text.endswith(f"none of it.{blame if verdicts == 'www' else ''}")


def test_too_few_subsets_say_the_smallest_p():
    rows = rows_of("uncertainty", {"kde": ["too few"] * 3})
    for row in rows:
        row["subsets"] = 1
        row["smallest_p"] = None if row["verdict"] == "reference" else 1.0
    (text,) = section(rows)["sentences"]
    assert text.endswith(
        "nothing can be recommended: 1 distinct subset of a size could give no p value below 1,"
        " which is not enough after correction. At n = 50 “Density weights (KDE)” was nearest, with"
        " RMSE 0.020 against 0.030 unweighted."
    )


def test_undefined_estimators_are_not_counted():
    verdicts = {"atc": ["undefined"] * 3, "kde": ["undefined", "better", "better"]}
    (text,) = section(rows_of("farthest", verdicts))["sentences"]
    assert "better on 2 of 2 sizes" in text
    assert section(rows_of("farthest", {"atc": ["undefined"] * 3}))["sentences"] == []


def test_the_matrix_marks_the_best_and_every_verdict():
    rows = rows_of("farthest", {"difference": ["better", "worse", "mixed"]})
    rows[3]["best"] = True
    found = section(rows)
    table = found["table"]
    assert table["estimators"] == ["Unweighted", "Difference estimator"]
    cells = [row["cells"][1] for row in table["rows"]]
    assert [cell["mark"] for cell in cells] == ["▲", "▼", "◆"]
    assert [cell["best"] for cell in cells] == [True, False, False]
    assert (cells[0]["text"], cells[0]["spread"]) == ("0.020", "−0.010 ± 0.020")
    assert cells[0]["why"] == (
        "better than the unweighted score; p = 0.01, corrected 0.04, 20 subsets"
    )
    assert [mark for mark, _ in table["marks"]] == ["▲", "▼", "◆"]
    assert found["family"] == 3
    assert "one pool of 3 items" in found["reach"]
    assert "property of pool and metric" in found["reach"]


def view_of(name, bias, sd=0.02, subsets=16, sampler="farthest"):
    row = dict.fromkeys(schemas.TABLES["summary"]) | {
        "task": name, "sampler": sampler, "size": 50, "estimator": "unweighted",
        "measure": "accuracy", "utility": "none", "truth": 0.7, "mean": 0.7, "bias": bias,
        "sd": sd, "distinct_subsets": subsets,
    }  # fmt: skip
    return task_view(name, {"title": name}, POOL, POOL, [row], {})


def test_directions_are_told_apart_by_two_standard_errors():
    # two standard errors are 2 * .02 / 4 = .01
    views = [view_of("birds", -0.02), view_of("dogs", 0.011), view_of("cats", -0.009)]
    found = recommendations.directions([*views, view_of("fixed", 0.001, sd=None, subsets=1)])
    assert found["sentences"] == [
        "Farthest first – above: Dogs (+0.011), Fixed (+0.001); below: Birds (−0.020);"
        " no side shown: Cats (−0.009)."
    ]
    assert "4 pools of this page are of one study" in found["note"]
    assert "one pool only" in recommendations.directions(views[:1])["note"]
