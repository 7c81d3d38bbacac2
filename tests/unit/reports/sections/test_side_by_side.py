"""One pool through two embeddings: every number of the section from rows that are given."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from earnest.io import schemas
from earnest.reports.pages.subsets import build_report
from earnest.reports.sections import side_by_side
from earnest.reports.view import records, task_view
from tests.made_report import comparison_rows, frame, made_inputs, made_training, summary_rows

POOL = pd.DataFrame({"item_id": ["a", "b", "c"], "label": ["dog", "cat", "dog"]})
EMBEDDINGS = {"near": "cnn", "far": "birdnet"}
# by task, sampler and size: unweighted bias and RMSE, then name, bias, RMSE and interval
CELLS = {
    ("near", "farthest", 50): (0.07, 0.08, "difference", 0.01, 0.05, (-0.034, -0.026)),
    ("near", "farthest", 100): (0.06, 0.07, "kde", -0.01, 0.06, (-0.015, -0.005)),
    ("far", "farthest", 50): (-0.02, 0.03, "knn", 0.02, 0.04, (0.007, 0.013)),
    ("far", "farthest", 100): (-0.01, 0.02, "difference", 0.0, 0.019, (-0.004, 0.002)),
    ("near", "uncertainty", 50): (-0.4, 0.4, "difference", -0.1, 0.1, None),
    ("near", "uncertainty", 100): (-0.3, 0.3, "difference", -0.1, 0.1, None),
    ("far", "uncertainty", 50): (-0.2, 0.2, "difference", -0.1, 0.1, None),
    ("far", "uncertainty", 100): (-0.1, 0.1, "difference", -0.1, 0.1, None),
}


def _verdict(difference):
    if abs(difference) < 0.005:
        return "not shown"
    return "better" if difference < 0 else "worse"


def rows_of(task, sampler, size, cell):
    bias, rmse, name, other_bias, other, interval = cell
    key = dict.fromkeys(schemas.TABLES["comparisons"]) | {
        "study": "s", "task": task, "measure": "accuracy", "utility": "none", "sampler": sampler,
        "size": size, "truth": 0.7, "mean": 0.7, "sd": 0.02, "best": False, "verdict": "reference",
        "subsets": 1 if interval is None else 20,
    }  # fmt: skip
    low, high = interval or (None, None)
    yield key | {"estimator": "unweighted", "bias": bias, "rmse": rmse}
    for estimator, more in ((name, 0), ("logistic", 0.1)):
        yield key | {
            "estimator": estimator, "bias": other_bias, "rmse": other + more, "low": low,
            "high": high, "difference": other + more - rmse,
            "verdict": "too few" if interval is None else _verdict(other + more - rmse),
        }  # fmt: skip


@pytest.fixture
def group():
    rows = [row for key, cell in CELLS.items() for row in rows_of(*key, cell)]
    compared = pd.DataFrame(rows, columns=list(schemas.TABLES["comparisons"]))
    schemas.to_arrow("comparisons", compared)
    rows = records(compared)
    summary = [
        dict.fromkeys(schemas.TABLES["summary"])
        | {key: value for key, value in row.items() if key in schemas.TABLES["summary"]}
        | {"distinct_subsets": row["subsets"]}
        for row in rows
    ]
    about = {"kind": "classes", "title": "Birds", "classifier": {"name": "head"}}
    views = [task_view(name, about, POOL, POOL, summary, {"size": 50}) for name in EMBEDDINGS]
    trainings = {"cnn": {"validation_accuracy": 0.61, "best_epoch": 7, "epochs": 20}}
    (found,) = side_by_side.described(views, rows, EMBEDDINGS, trainings)
    return found


def test_the_best_correction_stands_beside_the_unweighted_score(group):
    assert (group["names"], group["items"]) == (["cnn", "birdnet"], 3)
    row = next(r for r in group["rows"] if (r["sampler"], r["size"]) == ("Farthest first", 50))
    near, far = row["cells"]
    assert (near["bias_text"], near["plain_text"]) == ("+0.070", "0.080")
    assert (near["best"], near["best_bias"], near["rmse_text"]) == (
        "Difference estimator", "+0.010", "0.050",
    )  # fmt: skip
    assert (near["difference_text"], near["interval"]) == ("−0.030", "[−0.034, −0.026]")
    assert (far["best"], far["difference_text"]) == ("Neighbour distances (k-NN)", "+0.010")
    # -.03 - .01, half widths .004 and .003
    (between,) = row["between"]
    assert (between["text"], between["interval"]) == ("−0.040", "[−0.045, −0.035]")


def test_one_subset_gives_a_reason_instead_of_an_interval(group):
    row = next(r for r in group["rows"] if (r["sampler"], r["size"]) == ("Uncertainty", 50))
    assert [cell["interval"] for cell in row["cells"]] == ["no interval: 1 subset only"] * 2
    assert row["between"][0]["interval"] == "no interval: 1 subset only"
    assert row["between"][0]["text"] == "−0.200"


def test_each_way_of_choosing_has_its_correction_and_a_sentence_where_it_helps(group):
    uncertainty, farthest = group["rules"]
    assert farthest["sampler"] == "Farthest first"
    near, far = farthest["cells"]
    assert (near["size"], near["bias_text"], near["rmse_text"]) == (50, "+0.070", "0.080")
    assert (near["best"], near["tally"]) == ("Difference estimator", "1 / 0 of 1")
    assert (far["size"], far["bias_text"], far["rmse_text"]) == (50, "−0.020", "0.030")
    assert (far["best"], far["tally"]) == ("Difference estimator", "0 / 0 of 1")
    assert [cell["bias_text"] for cell in uncertainty["cells"]] == ["−0.400", "−0.200"]
    assert [cell["best"] for cell in uncertainty["cells"]] == [None, None]
    assert group["sentences"] == [
        "Uncertainty: nothing can be tested, for there are too few distinct subsets.",
        "Farthest first: a correction helps on half of the sizes or more under cnn, not under"
        " birdnet.",
    ]
    # .02 / sqrt(20) = .0045: both samplers show a side under both, and farthest opposite ones
    assert (
        "under all for 1 of 2 ways of choosing, and on opposite sides for Farthest first"
        in (group["agreement"])
    )


def test_quality_of_the_models_is_told(group):
    cnn, birdnet = group["models"]
    assert cnn["made"] == "trained here: 0.610 accuracy on the validation part, in epoch 7 of 20"
    assert cnn["classifier"] == "the network’s own last layer"
    assert birdnet["made"] == "taken as it is"
    assert (cnn["truth"], birdnet["truth"]) == ("0.700", "0.700")


def two_embeddings():
    """Made inputs whose first pool has a second task on the same items."""
    inputs = made_inputs()
    about, pool, subconcepts = inputs.pools["foregrounds"]
    truths = {("accuracy", "none"): 0.61}
    more = summary_rows("again", truths)
    pools = dict(inputs.pools) | {"again": ({**about, "name": "again"}, pool, subconcepts)}
    return replace(
        inputs,
        pools=pools,
        summary=pd.concat([inputs.summary, frame("summary", more)], ignore_index=True),
        comparisons=pd.concat(
            [inputs.comparisons, frame("comparisons", comparison_rows(more))], ignore_index=True
        ),
        embeddings=dict.fromkeys(inputs.pools, "cnn") | {"again": "birdnet"},
        trainings={"cnn": made_training()},
    )


def test_page_has_the_section_and_tells_tasks_of_one_title_apart():
    html = build_report(two_embeddings())
    (section,) = re.findall(r'<section id="embeddings".*?</section>', html, re.S)
    assert "The same 863 items with the same labels, seen through cnn and birdnet" in section
    assert "Naming eight sounds (cnn)" in html
    assert "Naming eight sounds (birdnet)" in html
    assert "Common against rare sounds (cnn)" not in html
    assert section.count('<tr><th scope="row" class="name">') == 5 + 25
    assert 'href="#embeddings"' in html


def test_page_of_one_embedding_has_no_such_section():
    inputs = made_inputs()
    html = build_report(replace(inputs, embeddings=dict.fromkeys(inputs.pools, "cnn")))
    assert 'id="embeddings"' not in html
    assert 'href="#embeddings"' not in html
    # another embedding, but another question about other items
    others = replace(inputs, embeddings=dict(zip(inputs.pools, "abc", strict=True)))
    assert 'id="embeddings"' not in build_report(others)
