"""The examples of docs/extending.md work as methods of the library do."""

import re
import sys
import types

import numpy as np
import pytest

from earnest import estimates, records, samplers
from earnest.embeddings import get_backend
from earnest.measures import score
from earnest.protocols.ownpool import validity
from earnest.weights import importance_weights

HEADINGS = {
    "samplers": "A sampler",
    "weights": "A weighting",
    "estimators": "An estimator",
    "embeddings": "An embedding backend",
    "measures": "A measure",
}
RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(40, 3))
POOL = estimates.Pool(POINTS, RNG.dirichlet((1, 1), size=40))


@pytest.fixture
def example(root, monkeypatch):
    """Return a function that runs the example of a kind and registers its record."""
    page = (root / "docs/extending.md").read_text(encoding="utf-8")

    def run(kind, name):
        text = page.split(f"\n## {HEADINGS[kind]}\n")[1]
        code = re.search(r"```python\n(.*?)```", text, re.S)[1]
        lines = [line for line in code.splitlines() if line.strip()]
        assert len(lines) <= 20
        module = types.ModuleType(f"example_of_{kind}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        module.np = np
        exec(compile(code, f"docs/extending.md, {HEADINGS[kind]}", "exec"), vars(module))
        methods = records.registry(kind)
        monkeypatch.setitem(methods._own, name, module.RECORD)
        assert isinstance(module.RECORD, methods.of)
        assert list(methods)[-1] == name
        return module.RECORD

    return run


def test_the_page_has_an_example_of_every_kind():
    assert set(HEADINGS) == set(records.ROOMS)


def test_the_sampler(example):
    example("samplers", "spread")
    items = samplers.select("spread", POINTS, 8)
    assert sorted(np.diff(np.sort(items)).tolist()) == [5] * 7
    assert "spread" not in samplers.DETERMINISTIC


def test_the_weighting(example):
    assert example("weights", "central").options == {"scale": 1.0}
    found = importance_weights("central", POINTS, range(10))
    assert found.values.mean() == pytest.approx(1)
    assert importance_weights("central", POINTS, range(10), scale=1e-9).ess == pytest.approx(10)


def test_the_estimator(example):
    example("estimators", "halved")
    right = [True] * 6 + [False] * 4
    found = estimates.estimate("halved", POOL, range(10), right)
    assert found.value == pytest.approx(0.55)
    assert found.low < 0.55 < found.high
    assert "plain accuracy" in estimates.estimate("halved", POOL, [0], [True], measure="f1").reason
    for way in (validity.RANDOM, validity.UNKNOWN, validity.RECORDED):
        basis = validity.basis(way, "halved", "accuracy", ())
        assert basis == (validity.ASSUMPTION, "half of the pool is right")


def test_the_backend(example):
    assert example("embeddings", "loudness").options == {"floor": 1e-10}
    backend = get_backend("loudness", floor=1.0)
    assert backend.embed(np.zeros((2, 16_000))).tolist() == [[0.0], [0.0]]
    assert backend.describe()["floor"] == 1.0


def test_the_measure(example):
    example("measures", "error_rate")
    assert score("error_rate", [0, 1, 1], [0, 1, 0], weights=[1, 1, 2]).value == 0.5
    right = [True] * 3 + [False]
    found = estimates.estimate("unweighted", POOL, range(4), right, measure="error_rate")
    assert found.value == pytest.approx(0.25)
    for name in ("difference", "ppi", "calibrated"):
        reason = estimates.estimate(name, POOL, range(4), right, measure="error_rate").reason
        assert reason.endswith("has no form for error rate")
    by_rule = {"measure": "error_rate", "sampler": "uncertainty"}
    assert estimates.estimate("unweighted", POOL, range(4), right, **by_rule).low is None
    by_chance = {"measure": "error_rate", "sampler": "random"}
    assert estimates.estimate("hajek", POOL, range(4), right, **by_chance).value == found.value
