"""Nearest items by products of matrices are those of all distances, copies and ties included."""

import numpy as np
import pytest

from earnest.pools.geometry import prepare_pool
from earnest.pools.nearest import nearest_items, nearest_references


def pools_of_points():
    rng = np.random.default_rng(0)
    usual = rng.normal(size=(150, 8))
    copies = usual.copy()
    copies[50:100] = copies[:50]
    copies[100:120] = copies[100]
    yield "usual", usual
    yield "copies", copies
    yield "equal", np.ones((30, 3))
    yield "grid", rng.integers(0, 2, size=(200, 4)).astype(float)
    yield "two", usual[:2]
    yield "far", usual[:40] + 1e6


@pytest.mark.parametrize(
    ("name", "points"), pools_of_points(), ids=lambda x: x if isinstance(x, str) else ""
)
def test_they_are_those_of_all_distances(name, points):
    near = nearest_items(points, 10)
    k = min(10, len(points) - 1)
    expected = prepare_pool(points).neighbours
    np.testing.assert_array_equal(near.items, expected.order[:, :k])
    np.testing.assert_allclose(near.means, expected.distances[:, :k].mean(axis=1), rtol=1e-12)


def test_references_are_never_their_own_neighbours():
    points = np.random.default_rng(1).normal(size=(300, 5))
    references = np.arange(0, 300, 3)
    near = nearest_references(points, references, 4)
    distances = np.linalg.norm(points[:, None] - points[references], axis=2)
    for row in range(300):
        distances[row, references == row] = np.inf
    order = np.argsort(distances, axis=1)[:, :4]
    np.testing.assert_array_equal(near.items, references[order])
    expected = np.take_along_axis(distances, order, axis=1).mean(axis=1)
    np.testing.assert_allclose(near.means, expected, rtol=1e-6)
