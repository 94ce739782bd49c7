"""Scores that cannot be read: the first bad row and column are named, with the reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import _native
from tests.kernels.score_data import LAYOUTS, laid_out

N = 5003
WANTED = 127


def read(values: Any, codes: Any, weights: Any = None, **changed: Any) -> Any:
    given: dict[str, Any] = {"is_prob": True, "tolerance": 1e-3, "n_threads": 1} | changed
    k = given.pop("k", None) or (*np.shape(values), 2)[1]
    return _native.read_scores(values, codes, k, weights, wanted=WANTED, **given)


def rejection(*arguments: Any, **changed: Any) -> tuple[Any, ...]:
    with pytest.raises(_native.Rejected) as caught:
        read(*arguments, **changed)
    return caught.value.args


def good(k: int, dtype: str = "f8") -> tuple[Any, Any]:
    values = np.full((N, k), 1 / k, dtype)
    return values, (np.arange(N) % k).astype(np.int32)


BAD = [
    (np.nan, "nan"),
    (np.inf, "infinite"),
    (-np.inf, "infinite"),
    (-1e-30, "below_zero"),
    (1.0001, "above_one"),
]


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize(("value", "kind"), BAD)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("k", [2, 5, 11, 100])
def test_the_first_bad_value_is_named(k: int, dtype: str, value: float, kind: str) -> None:
    for row in (0, 7, 512, 4999, N - 1):
        for column in {0, k // 2, k - 1}:
            values, codes = good(k, dtype)
            values[row, column] = value
            values[-1, -1] = value
            for layout in LAYOUTS:
                assert rejection(laid_out(values, layout), codes) == (kind, 1, row, column)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize(("value", "kind"), BAD[:3])
@pytest.mark.parametrize("k", [1, 2, 5, 100])
def test_scores_are_any_finite_numbers(k: int, value: float, kind: str) -> None:
    values, codes = good(k)
    values[17] = -1e300
    read(values, codes, is_prob=False)
    values[17, k - 1] = value
    assert rejection(values, codes, is_prob=False) == (kind, 1, 17, k - 1)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize(("value", "kind"), BAD)
def test_a_single_column_has_rows_only(value: float, kind: str) -> None:
    values, codes = np.full(N, 0.3), np.zeros(N, np.int32)
    values[[4000, 4001]] = value
    assert rejection(values, codes) == (kind, 1, 4000, -1)


@pytest.mark.usefixtures("isa")
def test_rows_sum_to_one_within_the_tolerance() -> None:
    codes = np.zeros(9, np.int32)
    for factor in (1 + 2**-10, 1 - 2**-10):
        values = np.full((9, 4), 0.25)
        values[5] *= factor
        read(values, codes, tolerance=2**-10)
        values[5, 3] += np.copysign(2**-50, factor - 1)
        values[8] = 0
        assert rejection(values, codes, tolerance=2**-10) == ("row_sum", 1, 5, -1)
        read(values[:8], codes[:8], tolerance=2**-9)


@pytest.mark.usefixtures("isa")
def test_a_bad_value_comes_before_the_sum_of_its_row() -> None:
    values, codes = good(4)
    values[9] = [0.9, 0.9, -0.5, 1.5]
    assert rejection(values, codes) == ("below_zero", 1, 9, 2)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("code", [-1, 3, 2**31 - 1, -(2**31)])
def test_a_class_outside_is_named_before_bad_values(code: int) -> None:
    values, codes = good(3)
    values[2, 1] = np.nan
    codes[[4321, 4322]] = code
    weights = np.full(N, np.nan)
    assert rejection(values, codes, weights) == ("range", 0, 4321, -1)
    codes[:] = 0
    assert rejection(values, codes, weights) == ("nan", 1, 2, 1)
    values[2, 1] = 1 / 3
    assert rejection(values, codes, weights) == ("bad_weight", 2, 0, -1)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize(
    ("weight", "kind"),
    [(-1.0, "negative_weight"), (-5e-324, "negative_weight"), (np.nan, "bad_weight"),
     (np.inf, "bad_weight"), (-np.inf, "bad_weight")],
)  # fmt: skip
def test_the_first_bad_weight_is_named(weight: float, kind: str) -> None:
    values, codes = good(3)
    for row in (0, 11, 4999):
        weights = np.ones(N)
        weights[row] = weights[-1] = weight
        for given in (weights, np.repeat(weights, 2)[::2]):
            assert rejection(values, codes, given) == (kind, 2, row, -1)


@pytest.mark.usefixtures("isa")
def test_rows_without_weight_are_checked_too() -> None:
    values, codes = good(3)
    values[5, 1] = np.nan
    assert rejection(values, codes, np.zeros(N)) == ("nan", 1, 5, 1)


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_the_first_bad_row_is_named_whatever_the_threads(n_threads: int) -> None:
    values = np.full((300_000, 4), 0.25)
    codes = np.zeros(300_000, np.int32)
    values[[123_456, 123_457, 299_999], 2] = np.nan
    assert rejection(values, codes, n_threads=n_threads) == ("nan", 1, 123_456, 2)


BAD_ARRAYS = {
    "float16": np.full((8, 2), 0.5, np.float16),
    "longdouble": np.full((8, 2), 0.5, np.longdouble),
    "integers": np.ones((8, 2), np.int64),
    "complex": np.full((8, 2), 0.5 + 0j),
    "objects": np.full((8, 2), 0.5, object),
    "byteswapped": np.full((8, 2), 0.5, ">f8" if np.little_endian else "<f8"),
    "three dimensions": np.full((8, 2, 1), 0.5),
    "no dimension": np.float64(0.5),
    "rows not aligned": np.zeros((8, 17), np.uint8)[:, :16].view(np.float64),
    "a list": [[0.5, 0.5]] * 8,
    "none": None,
}


@pytest.mark.parametrize("name", BAD_ARRAYS)
def test_values_that_could_be_misread_are_refused(name: str) -> None:
    with pytest.raises(TypeError):
        read(BAD_ARRAYS[name], np.zeros(8, np.int32), k=2)


def test_what_does_not_fit_is_refused() -> None:
    values, codes = np.full((8, 2), 0.5), np.zeros(8, np.int32)
    for wrong in (codes.astype(np.int64), np.zeros(16, np.int32)[::2], codes[:, None]):
        with pytest.raises(TypeError):
            read(values, wrong)
    with pytest.raises(ValueError, match="codes has 7 rows, values has 8"):
        read(values, codes[:7])
    with pytest.raises(ValueError, match="weights has 9"):
        read(values, codes, np.ones(9))
    with pytest.raises(TypeError):
        read(values, codes, np.ones(8, np.float32))
    with pytest.raises(ValueError, match="values are of 2 classes, k is 3"):
        read(values, codes, k=3)
    with pytest.raises(ValueError, match="k is 3"):
        read(values[:, 0], codes, k=3)
    with pytest.raises(ValueError, match="no rows"):
        read(values[:0], codes[:0])
    with pytest.raises(ValueError, match="at least one class"):
        read(values[:, :0], codes)
    for tolerance in (-1e-9, 1.5, np.nan):
        with pytest.raises(ValueError, match="tolerance"):
            read(values, codes, tolerance=tolerance)
    for n_bins in (0, -1, 2**40):
        with pytest.raises(ValueError, match="n_bins"):
            read(values, codes, n_bins=n_bins)
    for wanted in (-1, 256):
        with pytest.raises(ValueError, match="unknown bits"):
            _native.read_scores(values, codes, 2, None, True, 1e-3, wanted, 1)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_one_column_has_no_sum_to_refuse(dtype: str) -> None:
    """The first class is made of the second, in 64 bits."""
    values = np.random.default_rng(0).random(N).astype(dtype)
    codes = (np.arange(N) % 2).astype(np.int32)
    found = read(values, codes, tolerance=0.0)
    wide = values.astype("f8")
    exact = read(np.stack([1 - wide, wide], axis=1), codes, tolerance=1e-6)
    assert found.n_rows == N
    assert list(found.w_loss) == pytest.approx(list(exact.w_loss), rel=1e-12)
    values[7] = 1.5
    assert rejection(values, codes, tolerance=0.0) == ("above_one", 1, 7, -1)
