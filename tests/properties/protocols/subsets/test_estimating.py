"""However seeds and sizes are dealt over blocks, the numbers are the same."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from earnest.estimates import Pool
from earnest.protocols.subsets.drawing import draw_block
from earnest.protocols.subsets.estimating import estimate_block
from earnest.samplers import DETERMINISTIC

SEEDS = range(5)
MEASURES = ("accuracy", "roc_auc")


def made_pool():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 40)
    embeddings = rng.normal(size=(40, 3)) + labels[:, np.newaxis]
    one = rng.random(40)
    return Pool(embeddings, np.column_stack([1 - one, one])), labels


POOL, LABELS = made_pool()


def run(sampler, estimator, seeds, sizes):
    cell = {"task": "t", "sampler": sampler, "sizes": sizes, "root_seed": 1}
    draws = draw_block(POOL, seeds=seeds, **cell)
    options = {"study": "s", "estimator": estimator, "resamples": 20, "utilities": ("none",)}
    return estimate_block(POOL, LABELS, draws, measures=MEASURES, **options, **cell)[0]


def keyed(frame):
    key = ["size", "seed", "measure"]
    return frame.set_index(key)[["value", "low", "high", "subset"]].sort_index()


@given(
    st.sampled_from(["random", "uncertainty", "farthest", "kmedoids"]),
    st.sampled_from(["unweighted", "kde", "difference"]),
    st.lists(st.integers(0, 2), min_size=len(SEEDS), max_size=len(SEEDS)),
    st.sets(st.sampled_from([4, 9, 20]), min_size=1),
)
@settings(deadline=None, max_examples=15)
def test_any_split_gives_the_same_rows(sampler, estimator, owner, sizes):
    whole = keyed(run(sampler, estimator, list(SEEDS), [4, 9, 20]))
    whole = whole[whole.index.get_level_values("size").isin(sizes)]
    blocks = [[seed for seed in SEEDS if owner[seed] == block] for block in range(3)]
    parts = [run(sampler, estimator, block, sorted(sizes)) for block in blocks]
    joined = keyed(pd.concat([part for part in parts if len(part)]))
    pd.testing.assert_frame_equal(joined, whole, check_exact=True)
    expected = 1 if sampler in DETERMINISTIC else len(SEEDS)
    assert len(joined) == expected * len(sizes) * len(MEASURES)
