"""Loss, gradient and Hessian of each row: values, laws, precision, containers, threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import karat
from karat.objectives import Derivatives, multiclass, multiclass_one_vs_all
from tests.objectives import reference
from tests.same import assert_same

OBJECTIVES = (multiclass, multiclass_one_vs_all)
RELATIVE = 4e-16
"""For scores a gap apart, times 8 + gap: their difference is rounded before it is an exponent."""


def rows(k: int, n: int, seed: int, scale: float = 3.0) -> tuple[Any, Any, Any]:
    """Scores, class indices and weights."""
    rng = np.random.default_rng([seed, k, n])
    return rng.normal(0, scale, (n, k)), rng.integers(0, k, n), rng.lognormal(size=n)


def check_row(z: Any, t: int) -> None:
    """Both objectives of one row agree with the definitions, to a relative bound."""
    scores = [float(x) for x in z]
    within = RELATIVE * (8 + max(scores) - min(scores))
    for objective in OBJECTIVES:
        found = objective([scores], [t], diagonal=objective is multiclass_one_vs_all)
        expected = getattr(reference, objective.__name__)(scores, t)
        for name, value, wanted in zip(found._fields, found, expected, strict=True):
            about = f"{name} of {objective.__name__} at {scores}, class {t}"
            np.testing.assert_allclose(value[0], wanted, within, 1e-307, err_msg=about)


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize("scale", [0.1, 3.0, 30.0, 300.0])
def test_values_are_those_of_the_definitions(k: int, scale: float) -> None:
    z, t, _ = rows(k, 20, 0, scale)
    for i in range(len(z)):
        check_row(z[i], int(t[i]))


@pytest.mark.parametrize(
    ("z", "t"),
    [
        ([0.0, 0.0, 0.0], 1),
        ([40.0, 0.0], 0),
        ([0.0, 40.0], 0),
        ([700.0, 0.0, -1.0], 0),
        ([1000.0, 0.0], 1),
        ([0.0, -1000.0, 1000.0], 0),
        ([500.0, 500.0, -500.0], 2),
        ([-1000.0, -1000.5], 0),
        ([5e-324, 0.0], 0),
        ([1e-9, -1e-9, 0.0], 2),
    ],
)
def test_nothing_is_lost_at_the_ends(z: list[float], t: int) -> None:
    check_row(z, t)


def test_scores_at_the_ends_of_the_range_give_numbers() -> None:
    most = float(np.finfo(float).max)
    for objective in OBJECTIVES:
        found = objective([[most, 0.0], [most / 4, -most / 4]], [0, 1])
        assert all(np.isfinite(values).all() for values in found)
    assert_same(multiclass([[most, 0.0]], [0]).loss, [0.0])
    assert_same(multiclass([[1e300, 0.0]], [1]).loss, [1e300])


RIGHT = reference.multiclass


def off_by_one(z: Any, t: int) -> Any:
    return RIGHT(z, (t + 1) % len(z))


def without_label(z: Any, t: int) -> Any:
    loss, gradient, hessian = RIGHT(z, t)
    return loss, [g + (j == t) for j, g in enumerate(gradient)], hessian


def rounded(z: Any, t: int) -> Any:
    loss, gradient, hessian = RIGHT(z, t)
    return loss, gradient, np.array(hessian) * (1 + 1e-13)


@pytest.mark.parametrize("wrong", [off_by_one, without_label, rounded])
def test_a_wrong_reference_is_found(wrong: Callable[..., Any], monkeypatch: Any) -> None:
    check_row([0.3, -0.2, 1.7], 1)
    monkeypatch.setattr(reference, "multiclass", wrong)
    with pytest.raises(AssertionError):
        check_row([0.3, -0.2, 1.7], 1)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("k", [2, 3, 7])
def test_derivatives_are_finite_differences(objective: Any, k: int) -> None:
    z, t, w = rows(k, 30, 1)
    found = objective(z, t, w)
    # The derivatives of one-vs-all are those of the sum over the classes, the loss is their mean.
    factor = k if objective is multiclass_one_vs_all else 1
    step = 1e-5
    for j in range(k):
        shift = step * np.eye(k)[j]
        up, down = objective(z + shift, t, w), objective(z - shift, t, w)
        slope = factor * (up.loss - down.loss) / (2 * step)
        bend = (up.gradient - down.gradient) / (2 * step)
        assert_same(slope, found.gradient[:, j], within=1e-8)
        assert_same(bend, found.hessian[:, j], within=1e-8)
    with pytest.raises(AssertionError):
        assert_same(slope, found.gradient[:, k - 1] * 1.001, within=1e-8)


@pytest.mark.parametrize("k", [2, 5, 40])
def test_the_softmax_is_blind_to_a_shift_of_all_scores(k: int) -> None:
    z, t, w = rows(k, 50, 2)
    loss, gradient, hessian = multiclass(z, t, w)
    assert (loss >= 0).all()
    assert_same(gradient.sum(axis=1), np.zeros(50), within=1e-13)
    assert_same(hessian.sum(axis=2), np.zeros((50, k)), within=1e-13)
    assert_same(hessian, hessian.transpose(0, 2, 1))
    assert (np.linalg.eigvalsh(hessian) > -1e-13).all()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_diagonal_is_that_of_the_whole(objective: Any) -> None:
    z, t, w = rows(6, 100, 3)
    whole, diagonal = objective(z, t, w), objective(z, t, w, diagonal=True)
    assert_same(diagonal.hessian, np.einsum("nii->ni", whole.hessian))
    assert_same(diagonal.gradient, whole.gradient)
    assert_same(diagonal.loss, whole.loss)
    if objective is multiclass_one_vs_all:
        assert np.count_nonzero(whole.hessian) == np.count_nonzero(diagonal.hessian)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_weights_multiply_each_row_and_nothing_is_divided(objective: Any) -> None:
    z, t, w = rows(4, 60, 4)
    plain, weighted = objective(z, t), objective(z, t, w)
    for name in Derivatives._fields:
        value, expected = getattr(weighted, name), getattr(plain, name)
        assert_same(value, expected * w.reshape((-1,) + (1,) * (expected.ndim - 1)), within=1e-14)
    assert_same(objective(z, t, np.zeros(60)).gradient, np.zeros((60, 4)))


def test_values_of_one_vs_all_are_means_and_derivatives_are_not() -> None:
    z, t, _ = rows(5, 40, 5)
    sign = np.where(np.arange(5) == t[:, None], -1, 1)
    losses = np.logaddexp(0, sign * z)
    found = multiclass_one_vs_all(z, t, diagonal=True)
    assert_same(found.loss, losses.mean(axis=1), within=1e-14)
    assert_same(found.gradient, 1 / (1 + np.exp(-z)) - (sign < 0), within=1e-14)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_strides_give_the_same(objective: Any, dtype: Any) -> None:
    z, t, w = rows(5, 333, 6)
    z = z.astype(dtype)
    wanted = objective(z.astype(np.float64), t, w)
    wide = np.zeros((999, 11), dtype)
    wide[::3, 1::2] = z
    packed = np.zeros(333, [("pad", "u1"), ("z", dtype, 5)])
    packed["z"] = z
    for layout in (
        z,
        np.asfortranarray(z),
        wide[::3, 1::2],
        np.ascontiguousarray(z[::-1, ::-1])[::-1, ::-1],
        z.astype(np.dtype(dtype).newbyteorder()),
        packed["z"],
        np.ma.array(z),
    ):
        found = objective(layout, t, w)
        for value, expected in zip(found, wanted, strict=True):
            assert_same(value, expected)


@pytest.mark.parametrize(
    "kind", ["i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8", ">i4", "bool"]
)
def test_labels_of_any_kind_are_class_indices(kind: str) -> None:
    z, t, _ = rows(2, 50, 7)
    wanted = multiclass(z, t)
    for labels in (t.astype(kind), t.astype(kind)[:, None], np.repeat(t.astype(kind), 3)[::3]):
        assert_same(multiclass(z, labels).gradient, wanted.gradient)


def test_other_containers_are_read() -> None:
    whole = np.array([[1, 2], [4, 3]], np.int16)
    wanted = multiclass(whole.astype(float), [0, 1], [1.0, 2.0]).gradient
    assert_same(multiclass(whole, (0, 1), (1, 2)).gradient, wanted)
    assert_same(multiclass(whole.tolist(), [0.0, 1.0], np.float32([1, 2])).gradient, wanted)
    assert_same(multiclass(whole.astype(np.float16), [0, True], [1, 2]).gradient, wanted)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_any_number_of_threads_gives_the_same_bits(objective: Any) -> None:
    # Several tasks of 65 536 scores, the last one short.
    z, t, w = rows(7, 40_001, 8)
    alone = objective(z, t, w, diagonal=True, n_threads=1)
    for n_threads in (2, 5, None):
        found = objective(z, t, w, diagonal=True, n_threads=n_threads)
        for value, expected in zip(found, alone, strict=True):
            assert_same(value, expected)
    few = slice(20_011, 20_029)
    assert_same(objective(z[few], t[few], w[few]).loss, alone.loss[few])


def test_many_classes_are_one_row_each() -> None:
    z, t, _ = rows(100_000, 3, 9)
    for objective in OBJECTIVES:
        found = objective(z, t, diagonal=True)
        assert found.gradient.shape == found.hessian.shape == (3, 100_000)
    assert_same(multiclass(z, t, diagonal=True).gradient.sum(axis=1), np.zeros(3), within=1e-12)
    # The product of all 1 + e^−|z| is beyond the range of a double.
    expected = np.logaddexp(0, np.where(np.arange(100_000) == t[:, None], -z, z)).mean(axis=1)
    assert_same(multiclass_one_vs_all(z, t, diagonal=True).loss, expected, within=1e-12)


def test_the_module_is_a_name_of_karat() -> None:
    assert karat.objectives.multiclass is multiclass


def test_threads_of_python_may_call_at_the_same_time() -> None:
    z, t, w = rows(6, 30_000, 10)
    wanted = multiclass(z, t, w).hessian
    with ThreadPoolExecutor(4) as pool:
        calls = [pool.submit(multiclass, z, t, w) for _ in range(8)]
        for call in calls:
            assert_same(call.result().hessian, wanted)
