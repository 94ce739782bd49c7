"""What cannot be used is one clear error, with its first row, whatever the number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import _native
from karat.errors import KaratError
from karat.objectives import (
    CatBoostObjective,
    LightGBMObjective,
    XGBoostObjective,
    multiclass,
    multiclass_one_vs_all,
)

N, K = 30_000, 5
GOOD = np.random.default_rng(0).normal(size=(N, K)), np.arange(N) % K, np.ones(N)


def refused(code: str, z: Any, t: Any, w: Any = None, **options: Any) -> KaratError:
    for objective in (multiclass, multiclass_one_vs_all):
        with pytest.raises(KaratError) as caught:
            objective(z, t, w, diagonal=True, **options)
        assert caught.value.code == code
    return caught.value


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_first_score_that_is_not_finite_is_named(
    value: float, dtype: Any, n_threads: int
) -> None:
    z = GOOD[0].astype(dtype)
    z[[28_000, 17_003, 17_003], [0, 4, 3]] = value
    found = refused("K152", z, GOOD[1], n_threads=n_threads)
    assert (found.context["row"], found.context["column"]) == (17_003, 3)
    assert (found.context["count"], found.context["n"]) == (3, N * K)
    assert repr(found.context["value"]) == repr(value)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("value", [-1, K, 2**40, -(2**63), 2**63, 1.5, np.nan, np.inf, 1e300])
def test_the_first_label_that_is_no_class_is_named(value: float, n_threads: int) -> None:
    kind = float if isinstance(value, float) else np.uint64 if value > 2**62 else np.int64
    t = GOOD[1].astype(kind)
    t[[29_999, 12_345]] = value
    found = refused("K153", GOOD[0], t, n_threads=n_threads)
    assert f"First at row 12345: {t[12_345].item()!r}; 2 of {N} rows." in str(found)
    assert f"0 … {K - 1}." in str(found)


@pytest.mark.parametrize(("code", "value"), [("K114", np.nan), ("K114", np.inf), ("K113", -0.5)])
def test_the_first_bad_weight_is_named(code: str, value: float) -> None:
    w = GOOD[2].copy()
    w[[20_000, 9_999]] = value
    found = refused(code, GOOD[0], GOOD[1], w)
    assert (found.context["row"], found.context["count"]) == (9_999, 2)


@pytest.mark.parametrize(
    ("code", "z", "t", "w"),
    [
        ("K101", np.zeros((0, 3)), [], None),
        ("K151", np.zeros(3), [0, 1, 0], None),
        ("K151", np.zeros((3, 1)), [0, 0, 0], None),
        ("K151", np.zeros((3, 2, 2)), [0, 0, 0], None),
        ("K151", [["a", "b"]], [0], None),
        ("K151", np.zeros((1, 2), complex), [0], None),
        ("K151", np.zeros((1, 2), bool), [0], None),
        ("K151", [[1.0, 2.0], [1.0]], [0, 1], None),
        ("K151", [[1.0, None]], [0], None),
        ("K152", np.ma.array([[1.0, 2.0]], mask=[[0, 1]]), [0], None),
        ("K152", np.array([[1e308, 1e308]], np.longdouble) * 1e10, [0], None),
        ("K102", np.zeros((3, 2)), [0, 1], None),
        ("K102", np.zeros((3, 2)), [0, 1, 0], [1.0]),
        ("K103", np.zeros((3, 2)), np.zeros((3, 2), int), None),
        ("K103", np.zeros((1, 2)), 0, None),
        ("K153", np.zeros((2, 2)), ["0", "1"], None),
        ("K153", np.zeros((2, 2)), [[0], [1, 2]], None),
        ("K153", np.zeros((2, 2)), [0, None], None),
        ("K116", np.zeros((2, 2)), [0, 1], ["1", "2"]),
        ("K116", np.zeros((2, 2)), [0, 1], np.ones((2, 2))),
    ],
)
def test_shapes_and_kinds(code: str, z: Any, t: Any, w: Any) -> None:
    refused(code, z, t, w)


def code_of(call: Any) -> str:
    with pytest.raises(KaratError) as caught:
        call()
    return caught.value.code


def test_scores_are_checked_before_labels_and_labels_before_weights() -> None:
    nan = float("nan")
    assert code_of(lambda: multiclass([[0.0, 0.0], [nan, 0.0]], [9, 0], [nan, 1])) == "K152"
    assert code_of(lambda: multiclass([[0.0, 0.0], [0.0, 0.0]], [0, 9], [nan, 1])) == "K153"


def test_an_objective_has_a_known_loss() -> None:
    for kind in (CatBoostObjective, LightGBMObjective, XGBoostObjective):
        assert code_of(lambda kind=kind: kind("MultiClass")) == "K122"


@pytest.mark.parametrize("sigmoid", [0.0, -1.0, np.nan, np.inf])
def test_a_sigmoid_has_a_slope(sigmoid: float) -> None:
    assert code_of(lambda: LightGBMObjective(sigmoid=sigmoid)) == "K154"


@pytest.mark.parametrize("objective", [LightGBMObjective(), XGBoostObjective()])
def test_a_host_without_classes_is_told(objective: Any) -> None:
    assert code_of(lambda: objective(np.zeros(3), np.zeros(3))) == "K155"
    assert code_of(lambda: objective(np.zeros(3), np.zeros((3, 1)))) == "K155"
    assert code_of(lambda: objective(np.zeros(3), np.full((3, 2), np.nan))) == "K152"
    assert code_of(lambda: objective(np.full(3, 2.0), np.zeros((3, 2)))) == "K153"
    assert code_of(lambda: objective(np.zeros(3), np.zeros((3, 2)), -np.ones(3))) == "K113"


def test_a_score_beyond_float32_is_refused_where_xgboost_computes_in_float32() -> None:
    assert code_of(lambda: XGBoostObjective()(np.zeros(1), np.array([[1e300, 0.0]]))) == "K152"


@pytest.mark.parametrize("loss", ["multiclass", "multiclass_one_vs_all"])
def test_a_row_of_catboost_is_checked(loss: Any) -> None:
    ask = CatBoostObjective(loss).calc_ders_multi
    for target in (-1.0, 2.0, 0.5, float("nan"), float("inf")):
        assert code_of(lambda target=target: ask(np.zeros(2), target, 1.0)) == "K153"
    assert code_of(lambda: ask(np.array([0.0, np.nan]), 0.0, 1.0)) == "K152"


STARTS = (LightGBMObjective().init_score, XGBoostObjective().base_score)


@pytest.mark.parametrize("start", STARTS)
def test_a_start_needs_good_labels_and_weights(start: Any) -> None:
    assert code_of(lambda: start([], 2)) == "K101"
    assert code_of(lambda: start([0, 2], 2)) == "K153"
    assert code_of(lambda: start(np.array([2**63, 0], np.uint64), 2)) == "K153"
    assert code_of(lambda: start([0, 0.5], 2)) == "K153"
    assert code_of(lambda: start([[0, 1]], 2)) == "K103"
    assert code_of(lambda: start([0, 1], 1)) == "K154"
    assert code_of(lambda: start([0, 1], 2.5)) == "K154"
    assert code_of(lambda: start([0, 1], 2, [1])) == "K102"
    assert code_of(lambda: start([0, 1], 2, [1, -1])) == "K113"
    assert code_of(lambda: start([0, 1], 2, [1, np.nan])) == "K114"
    assert code_of(lambda: start([0, 1], 2, [0, 0])) == "K115"


def test_the_kernels_read_only_what_they_understand() -> None:
    z, t = np.zeros((2, 2)), np.zeros(2, np.int32)
    for scores, labels in ((z.astype(np.float16), t), (z[0], t), (z, z), (z.astype(">f8"), t)):
        with pytest.raises(TypeError):
            _native.objective_rows(scores, labels, None, False, True, 1)
    with pytest.raises(TypeError):
        _native.objective_steps(z, t, None, False, True, False, 1.0, 1.0, 0.0, 1)
    with pytest.raises(ValueError, match="rows"):
        _native.objective_rows(z, t[:1], None, False, True, 1)
    with pytest.raises(MemoryError):
        # Four petabytes of Hessians.
        _native.objective_rows(np.broadcast_to(0.0, (2, 2**24)), t, None, False, False, 1)
