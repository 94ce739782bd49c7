"""Variances from slopes: what the native function takes, gives and refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import _native
from tests.same import assert_same

GOOD: dict[str, Any] = {
    "weights": np.array([4.0, 1.0, 2.0, 3.0]),
    "slopes": np.array([[[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]]),
}
LISTED: dict[str, Any] = {
    "weights": np.array([4.0, 1.0]),
    "rows": np.array([0, 1], np.int32),
    "cols": np.array([0, 0], np.int32),
}


def test_the_share_of_right_rows_is_binomial() -> None:
    assert_same(_native.table_variances(**GOOD), [0.7 * 0.3 / 10], within=1e-15)
    found = _native.table_variances(**GOOD | LISTED)
    assert_same(found, [0.8 * 0.2 / 5], within=1e-15)


def test_squares_and_fixed_classes_count() -> None:
    squares = 2.0 * GOOD["weights"]
    assert_same(_native.table_variances(**GOOD, squares=squares), [0.042], within=1e-15)
    by_true = (0.8 * 0.2 * 5 + 0.6 * 0.4 * 5) / 100
    assert_same(_native.table_variances(**GOOD, is_by_true=True), [by_true], within=1e-15)
    listed = np.array([[-1.0, 0.0, 0.0, -1.0]])
    assert_same(_native.table_variances(**GOOD, listed=listed), [0.0])


def test_no_metric_has_no_variance() -> None:
    assert _native.table_variances(GOOD["weights"], np.zeros((0, 3, 2))).shape == (0,)
    nothing = _native.table_variances(np.zeros(0), np.zeros((1, 3, 0)))
    assert np.isnan(nothing).tolist() == [True]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "two slopes": ({"slopes": np.zeros((1, 2, 2))}, "slopes is not"),
    "squares": ({"squares": np.zeros(3)}, "squares do not match"),
    "fewer cells": ({"weights": np.zeros(3)}, "not all k by k"),
    "more cells": ({"weights": np.zeros(9)}, "not all k by k"),
    "many classes": ({"slopes": np.zeros((0, 3, 2**40))}, "not all k by k"),
    "rows alone": ({"rows": np.zeros(4, np.int32)}, "come together"),
    "short rows": (LISTED | {"rows": np.zeros(1, np.int32)}, "do not match"),
    "long cols": (LISTED | {"cols": np.zeros(3, np.int32)}, "do not match"),
    "a row beyond": (LISTED | {"rows": np.array([0, 2], np.int32)}, "outside the classes"),
    "a col below": (LISTED | {"cols": np.array([0, -1], np.int32)}, "outside the classes"),
    "listed of fewer": ({"listed": np.zeros((1, 3))}, "listed is not"),
    "listed of others": ({"listed": np.zeros((2, 4))}, "listed is not"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_does_not_fit_is_refused(name: str) -> None:
    given, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        _native.table_variances(**GOOD | given)


def test_arrays_of_another_kind_are_copied() -> None:
    given = {
        "weights": np.repeat(GOOD["weights"], 2)[::2].astype(np.float32),
        "slopes": np.asfortranarray(GOOD["slopes"]).astype(np.int64),
    }
    assert_same(_native.table_variances(**GOOD | given), _native.table_variances(**GOOD))
    for bad in ({"weights": None}, {"slopes": np.zeros((3, 2))}, {"weights": np.zeros(4, object)}):
        with pytest.raises(TypeError):
            _native.table_variances(**GOOD | bad)
