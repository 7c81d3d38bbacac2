"""The page of a pool of one's own goes by the rows there are, not by lists of the library."""

from dataclasses import replace

import numpy as np
import pytest

from earnest.protocols.ownpool import evaluate, read
from earnest.reports.pages import ownpool
from tests.made_own import NAMES, made_pool, some_labels, write

HALVED = """
import numpy as np
from earnest.estimates import Method
from earnest.records import Style

def halved(subset, measure, utility, *, pull=0.5):
    if measure != "accuracy" or utility != "none":
        return "it is for plain accuracy only"
    right = subset.correct[:, np.newaxis].astype(float)
    return pull * 0.5 + (1 - pull) * subset.means(right)[:, 0]

LOOK = {"colour": "#0072B2", "dash": "1 2", "marker": "circle"}
WORDS = Style(label="Pulled to one half", meaning="halfway to one half", **LOOK)
RECORD = Method(halved, holds_if="half of the pool is right", words=WORDS)
"""


@pytest.fixture
def found(install, tmp_path):
    """An evaluation by one estimator, which another package adds."""
    install("tiny_halved", HALVED, "[earnest.estimators]\nhalved = tiny_halved:RECORD\n")
    frame, truth, vectors = made_pool()
    np.save(tmp_path / "vectors.npy", vectors)
    paths = write(tmp_path, frame, some_labels(truth, 60))
    inputs = read(*paths, embeddings=tmp_path / "vectors.npy", sampler="random")
    return evaluate(inputs, estimators=["halved"], budget=30)


def classes_of(page):
    """Rows of the table of recalls, as text."""
    part = page.split('id="classes"')[1].split("</section>")[0]
    return part.split("<tbody>")[1].split("</tbody>")[0].strip().split("\n")


def test_an_estimator_of_another_package_is_on_the_page(found):
    accuracy = found.facts["recommended"]["accuracy"]
    assert accuracy["estimator"] == "halved"
    page = ownpool.build_page(found, "mine", {})
    scores = page.split('id="scores"')[1].split("</section>")[0]
    assert f">{accuracy['value']:.3f}</td>" in scores
    assert "holds only if half of the pool is right" in scores
    assert "<dt>Pulled to one half</dt><dd>halfway to one half</dd>" in page
    rows = classes_of(page)
    assert [name for name in NAMES if name in "".join(rows)] == list(NAMES)
    assert all("it is for plain accuracy only" in row for row in rows)


def test_a_recommended_estimator_without_recalls_has_a_page_that_says_so(found):
    rows = found.estimates
    few = replace(found, estimates=rows[~rows["measure"].str.startswith("recall:")])
    rows = classes_of(ownpool.build_page(few, "mine", {}))
    assert len(rows) == len(NAMES)
    assert all("the estimator was not asked for this recall" in row for row in rows)
