"""Options of the command: each does what the same argument of the library does, and something."""

import numpy as np
import pandas as pd
import pytest

from earnest import io
from earnest.commands import main
from earnest.protocols import ownpool
from tests.made_own import made_pool, some_labels, write

FEW = ("--estimators", "unweighted", "--resamples", "50")
QUICK = {"estimators": ["unweighted"], "resamples": 50}


@pytest.fixture
def two_sides(tmp_path):
    """A pool of two classes with three subconcepts, labels of a third, and a table of sizes."""
    rng = np.random.default_rng(3)
    sea, wind, rain = rng.dirichlet([4, 1, 1], 120).T
    is_rare = rng.random(120) < wind + rain
    frame = pd.DataFrame({"item_id": [f"i{n:03d}" for n in range(120)]})
    frame["prediction"] = np.where(wind + rain > 0.5, "pos", "neg")
    frame["posterior_neg"], frame["posterior_pos"] = sea, wind + rain
    frame["subconcept_sea"], frame["subconcept_wind"], frame["subconcept_rain"] = sea, wind, rain
    truth = np.where(is_rare, "pos", "neg")
    sizes = tmp_path / "sizes.csv"
    sizes.write_text(
        "subconcept,side,train_size\nsea,majority,200\nwind,minority,60\nrain,minority,20\n"
    )
    return [str(path) for path in write(tmp_path, frame, some_labels(truth, 40))], sizes, frame


@pytest.fixture
def made(tmp_path):
    """A pool, its labels drawn at random, its embeddings."""
    frame, truth, vectors = made_pool(120)
    np.save(tmp_path / "e.npy", vectors)
    return [str(path) for path in write(tmp_path, frame, some_labels(truth, 40))]


def evaluated(folder, *given):
    """Run `earnest estimate` and return what it wrote."""
    out = folder / f"out {len(list(folder.iterdir()))}"
    assert main(["estimate", *given, *FEW, "--output", str(out)]) == 0
    return io.read_json(out / "evaluation.json")


def test_estimate_weights_by_subconcepts(two_sides, tmp_path):
    paths, sizes, frame = two_sides
    given = (*paths, "--subconcepts", str(sizes), "--positive", "pos")
    rows = evaluated(tmp_path, *given)["estimates"]
    assert {row["utility"] for row in rows} == {"none", "predicted"}
    read = ownpool.read(*paths, subconcepts=str(sizes), positive="pos")
    # 1 for the majority, 200 / 60 and 200 / 20 for the others
    columns = frame[["subconcept_sea", "subconcept_wind", "subconcept_rain"]].to_numpy()
    expected = columns @ [1, 200 / 60, 10]
    assert read.pool.utilities["predicted"] == pytest.approx(expected)
    found = {(r["measure"], r["utility"]): r["value"] for r in rows}
    labelled, right = read.labelled, read.labels == frame["prediction"][read.labelled]
    weights = expected[labelled]
    recalls = [np.average(right[c], weights=weights[c]) for c in (read.labels == "pos",)]
    assert found["accuracy", "none"] == pytest.approx(right.mean())
    assert found["recall:pos", "predicted"] == pytest.approx(recalls[0])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--seed", 7),
        ("--target", 0.05),
        ("--uniform-share", 0.9),
        ("--level", 0.8),
        ("--budget", 9),
    ],
)
def test_estimate_takes_numbers(made, tmp_path, option, value):
    plain = evaluated(tmp_path, *made, "--sampler", "random")
    changed = evaluated(tmp_path, *made, "--sampler", "random", option, str(value))
    name = option.removeprefix("--").replace("-", "_")
    read = ownpool.read(*made, sampler="random")
    assert changed == ownpool.evaluate(read, **QUICK, **{name: value}).document()
    if option != "--uniform-share":  # a list at random can be the better one whatever the share
        assert changed != plain


def test_estimate_takes_a_drawn_list(made, tmp_path):
    out = tmp_path / "first"
    assert main(["estimate", *made, *FEW, "--budget", "10", "--output", str(out)]) == 0
    listed = pd.read_csv(out / "next_labels.csv").sort_values("rank")["item_id"]
    more = pd.DataFrame({"item_id": listed, "label": "cat"})
    labels = pd.concat([pd.read_csv(made[1]), more])
    labels.to_csv(tmp_path / "more.csv", index=False)
    drawn = str(out / "next_labels.csv")
    found = evaluated(tmp_path, made[0], str(tmp_path / "more.csv"), "--drawn", drawn)
    assert found["labelled"] == 50
    assert ownpool.read(made[0], tmp_path / "more.csv", drawn=drawn).design is not None


def test_estimate_accepts_new_classes(made, tmp_path, capsys):
    labels = pd.read_csv(made[1])
    labels.loc[0, "label"] = "Owl"
    labels.to_csv(tmp_path / "more.csv", index=False)
    given = (made[0], str(tmp_path / "more.csv"))
    assert main(["estimate", *given]) == 2
    assert "'Owl' and 'owl' differ only by case" in capsys.readouterr().err
    found = evaluated(tmp_path, *given, "--accept-new-classes", "Owl")
    assert found["classes"] == ["Owl", "cat", "dog", "owl"]


def test_compare_takes_what_estimate_takes(made, tmp_path, capsys):
    frame = pd.read_csv(made[0])
    frame["posterior_cat"], frame["posterior_dog"], frame["posterior_owl"] = 0.2, 0.5, 0.3
    frame.assign(prediction="dog").to_csv(tmp_path / "dog.csv", index=False)
    vectors = str(made[0]).replace("pool.csv", "e.npy")
    given = [made[0], str(tmp_path / "dog.csv"), "--labels", made[1], "--sampler", "random"]
    numbers = ["--level", "0.9", "--resamples", "100", "--seed", "5", "--embeddings", vectors]
    numbers += ["--accept-new-classes", "Owl"]
    assert main(["compare", *given, *numbers, "--output", str(tmp_path / "compared")]) == 0
    from earnest.protocols.ownpool.models import compare_models

    first = ownpool.read(made[0], made[1], embeddings=vectors, sampler="random")
    second = ownpool.read(tmp_path / "dog.csv", made[1], sampler="random")
    rows = compare_models(first, second, level=0.9, resamples=100, seed=5).rows
    written = pd.read_csv(tmp_path / "compared" / "comparison.csv")
    assert written["difference"].to_numpy() == pytest.approx(
        rows["difference"].to_numpy(dtype=float), nan_ok=True
    )
    assert written["low"].to_numpy() == pytest.approx(
        rows["low"].to_numpy(dtype=float), nan_ok=True
    )
    capsys.readouterr()
    assert main(["compare", *given, "--drawn", str(tmp_path / "gone.csv")]) == 2
    assert f"there is no file {tmp_path / 'gone.csv'}" in capsys.readouterr().err
    assert main(["compare", *given, "--positive", "wolf"]) == 2
    assert "the positive class 'wolf' is not one of" in capsys.readouterr().err
