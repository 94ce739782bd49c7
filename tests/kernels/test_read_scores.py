"""The pass over scores and probabilities against slow references."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from karat import _native
from tests.kernels import score_reference as reference
from tests.kernels.score_data import (
    BINS,
    EVERYTHING,
    LAYOUTS,
    PREDICTED,
    RANKS,
    Rows,
    check_close,
    check_same_bits,
    check_sums,
    laid_out,
    probabilities,
    raw_scores,
    rows,
)
from tests.same import assert_same


@pytest.mark.usefixtures("isa")
@given(case=rows())
@settings(max_examples=150, deadline=None)
def test_against_the_references(case: Rows) -> None:
    check_sums(case.read(), case)


def some_rows(n: int, k: int, is_prob: bool, dtype: str = "f8", seed: int = 0) -> Rows:
    rng = np.random.default_rng([seed, n, k])
    make = probabilities if is_prob else raw_scores
    codes = rng.integers(0, k, n).astype(np.int32)
    return Rows(make(rng, "any", n, k).astype(dtype), codes, k, None, is_prob)


both_kinds = pytest.mark.parametrize("is_prob", [True, False], ids=["prob", "score"])


@pytest.mark.usefixtures("isa")
@both_kinds
def test_every_mask_gives_what_it_names(is_prob: bool) -> None:
    case = some_rows(301, 5, is_prob)
    whole = case.read(EVERYTHING)
    for wanted in range(EVERYTHING + 1):
        found = case.read(wanted)
        for name in ("w_loss", "w2_loss", "w2_loss2"):
            has = [bool(wanted >> i & 1) for i in range(4)]
            assert_same(getattr(found, name), np.where(has, getattr(whole, name), np.nan))
        for name, bit in (("ranks", RANKS), ("predicted", PREDICTED), ("bin_correct", BINS)):
            if wanted & bit:
                assert_same(getattr(found, name), getattr(whole, name), about=name)
            else:
                assert getattr(found, name) is None
        assert_same(found.truth, whole.truth)


@pytest.mark.parametrize("k", [2, 3, 10, 100])
@pytest.mark.parametrize("is_weighted", [False, True], ids=["plain", "weighted"])
@both_kinds
def test_the_same_bits_for_every_number_of_threads_and_instruction_set(
    is_prob: bool, is_weighted: bool, k: int
) -> None:
    case = some_rows(2_000_003 // k, k, is_prob, "f4")
    if is_weighted:
        case = case.with_weights(np.random.default_rng(k).random(len(case.codes)))
    expected = case.read()
    before = _native.isa()
    try:
        for isa in _native.isas():
            _native.use_isa(isa)
            check_same_bits(case.read(n_threads=1 if isa == before else 4), expected)
    finally:
        _native.use_isa(before)
    for n_threads in (2, 5, 0):
        check_same_bits(case.read(n_threads=n_threads), expected)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("k", [1, 2, 7, 10, 33])
@both_kinds
def test_the_layout_changes_nothing(is_prob: bool, k: int, layout: str) -> None:
    case = some_rows(777, k, is_prob)
    other = Rows(laid_out(case.values, layout), case.codes, k, None, is_prob)
    check_same_bits(other.read(), case.read())


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("k", [5, 100])
def test_the_layout_of_a_long_matrix_changes_nothing(k: int, layout: str) -> None:
    case = some_rows(300_003 // k, k, False)
    other = Rows(laid_out(case.values, layout), case.codes, k, None, False)
    check_same_bits(other.read(n_threads=2), case.read())


@pytest.mark.usefixtures("isa")
def test_long_sums_keep_their_digits() -> None:
    case = some_rows(1_000_000, 3, True)
    loss = reference.loss_of(
        "negative_log_probability", reference.wide(case.values), case.codes, True
    )
    wanted = math.fsum(loss), math.fsum(loss**2)
    found = case.read(1)
    check_close(found.w_loss[0], wanted[0], "sum")
    check_close(found.w2_loss2[0], wanted[1], "sum of squares")


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("stride", [1, -1, 3])
@both_kinds
def test_one_column_stands_for_two(is_prob: bool, dtype: str, stride: int) -> None:
    case = some_rows(1030, 2, is_prob, dtype)
    column = np.repeat(case.values[:, 1], abs(stride))[::stride]
    # 1 − p of a 32-bit p is computed in 64 bits.
    first = 1.0 - column.astype("f8") if is_prob else np.zeros_like(column)
    pair = Rows(np.column_stack([first, column]), case.codes, 2, None, is_prob)
    check_same_bits(Rows(column, case.codes, 2, None, is_prob).read(), pair.read())


@pytest.mark.usefixtures("isa")
def test_many_classes() -> None:
    for is_prob in (True, False):
        case = some_rows(37, 5000, is_prob)
        found = case.read(15)
        for i, name in enumerate(reference.LOSSES):
            loss = reference.loss_of(name, reference.wide(case.values), case.codes, is_prob)
            check_close(found.w_loss[i], reference.sums(loss, np.ones(37))[0], name)


@pytest.mark.usefixtures("isa")
def test_a_probability_of_zero_is_never_clipped() -> None:
    values = np.array([[0.0, 1.0], [0.25, 0.75], [1.0, 0.0]])
    codes = np.array([0, 1, 0], np.int32)
    found = Rows(values, codes, 2, None, True).read()
    assert_same(found.w_loss, [np.inf, 2.125, 2 + 0.5, np.inf])
    assert found.w2_loss2[0] == np.inf
    # A row of weight 0 counts for nothing, whatever it loses.
    found = Rows(values, codes, 2, np.array([0.0, 2.0, 1.0]), True).read()
    assert_same(found.w_loss[0], -2 * np.log(0.75), within=1e-15)
    assert_same(found.ranks, [3.0, 0.0])


@pytest.mark.usefixtures("isa")
def test_the_smallest_and_the_largest_numbers() -> None:
    tiny = np.array([[5e-324, 1.0], [1 - 2**-53, 2**-53], [1.0, -0.0]])
    codes = np.zeros(3, np.int32)
    for row, want in enumerate((-np.log(5e-324), -np.log1p(-(2.0**-53)), 0.0)):
        found = Rows(tiny[row : row + 1], codes[:1], 2, None, True).read()
        check_close(found.w_loss[0], want, f"row {row}")
    huge = Rows(np.array([[1.7e308, -1.7e308]]), codes[:1], 2, None, False)
    assert_same(huge.read(15).w_loss, [0.0, 0.0, 0.0, 0.0])
    wrong = Rows(huge.values, codes[:1] + 1, 2, None, False)
    assert_same(wrong.read(15).w_loss, [np.inf, 2.0, np.inf, np.inf])


@pytest.mark.usefixtures("isa")
def test_large_weights_of_rows_without_loss() -> None:
    case = Rows(np.eye(2)[[0, 1]], np.array([0, 1], np.int32), 2, np.full(2, 1e200), True)
    found = case.read()
    for sums in (found.w_loss, found.w2_loss, found.w2_loss2):
        assert_same(sums[[0, 1, 3]], np.zeros(3))
    assert found.weight2 == np.inf


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("n_bins", [1, 3, 10, 15, 30, 1000])
def test_an_edge_belongs_to_the_bin_below(n_bins: int) -> None:
    edges = np.arange(1, n_bins + 1) / n_bins
    edges = edges[edges >= 0.5]
    around = np.concatenate([np.nextafter(edges, 0), edges, np.nextafter(edges, 1)])
    around = around[(around >= 0.5) & (around <= 1)]
    case = Rows(around, np.ones(len(around), np.int32), 2, None, True, n_bins)
    at = [reference.bin_of(p, n_bins) for p in around]
    assert_same(case.read(BINS).bin_weight, np.bincount(at, minlength=n_bins))


def twice_the_first(name: str, *arguments: Any) -> Any:
    made = RIGHT(name, *arguments)
    made[0] *= 2
    return made


def of_the_other_kind(name: str, x: Any, codes: Any, is_prob: bool) -> Any:
    return RIGHT(name, reference.softmax(x) if name == "margin" else x, codes, not is_prob)


def in_single_digits(name: str, *arguments: Any) -> Any:
    return RIGHT(name, *arguments) * (1 + 1e-12)


RIGHT = reference.loss_of


@pytest.mark.parametrize("wrong", [twice_the_first, of_the_other_kind, in_single_digits])
@both_kinds
def test_a_wrong_reference_is_found(
    wrong: Callable[..., Any], is_prob: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = some_rows(65, 4, is_prob)
    found = case.read()
    check_sums(found, case)
    for name in reference.LOSSES:
        with monkeypatch.context() as patch:
            patch.setattr(
                reference, "loss_of", lambda x, *a, n=name: (wrong if x == n else RIGHT)(x, *a)
            )
            with pytest.raises(AssertionError):
                check_sums(found, case)


@pytest.mark.parametrize("part", ["ranks", "truth", "predicted", "bin_weight", "bin_correct"])
def test_wrong_sums_are_found(part: str) -> None:
    case = some_rows(65, 4, True)
    found = case.read()
    # The arrays are views of the memory of the sums.
    getattr(found, part)[1] += 1
    with pytest.raises(AssertionError):
        check_sums(found, case)


@pytest.mark.usefixtures("isa")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("is_single", [False, True], ids=["matrix", "single column"])
def test_negative_log_probabilities_are_clipped_on_request_and_squared_errors_are_not(
    dtype: str, is_single: bool
) -> None:
    p = np.array([0.0, 1.0, 1e-9, 0.25, 1.0, 0.0, 0.5, 1 - 1e-6, 0.75], dtype)
    codes = np.array([0, 1, 1, 0, 0, 1, 1, 1, 0], np.int32)
    values = p if is_single else np.stack([1 - p, p], axis=1)
    clip = float(np.finfo(dtype).eps)
    weights = np.arange(1.0, 10.0)
    own = np.where(codes == 1, p, 1 - p).astype(np.float64)
    for w in (None, weights):
        worth = np.ones(9) if w is None else w
        sums = _native.read_scores(values, codes, 2, w, True, 1e-3, 3, 1, clip=clip)
        expected = worth @ -np.log(np.clip(own, clip, 1 - clip))
        assert_same(sums.w_loss[0], expected, within=1e-13)
        assert_same(sums.w_loss[1], worth @ (2 * (1 - own) ** 2), within=1e-6)
    assert np.isinf(_native.read_scores(values, codes, 2, None, True, 1e-3, 1, 1).w_loss[0])
    for wrong in (-0.1, 0.5, np.nan):
        with pytest.raises(ValueError, match="clip"):
            _native.read_scores(values, codes, 2, None, True, 1e-3, 1, 1, clip=wrong)
