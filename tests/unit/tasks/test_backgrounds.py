"""Usual and rare backgrounds: every kind of column that holds the marks."""

import numpy as np
import pandas as pd
import pytest

from earnest.tasks.backgrounds import usual_and_rare


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
def test_an_item_without_a_background_is_neither_usual_nor_rare(kind, missing):
    usual, rare = usual_and_rare(kind([True, missing, False, np.True_]))
    assert (usual.dtype, rare.dtype) == (np.dtype(bool), np.dtype(bool))
    assert usual.tolist() == [True, False, False, True]
    assert rare.tolist() == [False, False, True, False]


def test_columns_of_one_kind_of_value():
    for column in (pd.Series([True, False]), np.array([True, False])):
        assert [mask.tolist() for mask in usual_and_rare(column)] == [[True, False], [False, True]]
    for column in ([None, None], pd.Series([np.nan, np.nan]), pd.Series([None, None])):
        assert [mask.tolist() for mask in usual_and_rare(column)] == [[False, False]] * 2
    assert [len(mask) for mask in usual_and_rare([])] == [0, 0]


def test_a_mark_that_is_neither_true_nor_false_is_an_error():
    with pytest.raises(TypeError):
        usual_and_rare(["yes", True])
