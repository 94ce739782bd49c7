"""Covariances of influences, and cells added by class: the kernels against NumPy, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from karat import _native
from tests.same import assert_same


def plainly(phi: Any, weights: Any, squares: Any, total: float) -> Any:
    w = np.ones(phi.shape[1]) if weights is None else weights
    w2 = np.ones(phi.shape[1]) if squares is None else squares
    centred = phi - ((phi * w).sum(axis=1) / total)[:, None]
    return (centred * w2) @ centred.T / total**2


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(("d", "n"), [(1, 1), (1, 5000), (2, 7), (3, 1024), (4, 1025), (2, 0)])
def test_covariances_are_those_of_numpy(d: int, n: int, *, is_weighted: bool) -> None:
    rng = np.random.default_rng([d, n])
    phi = rng.normal(size=(d, n)) + 3.0
    weights, squares = (rng.random(n), rng.random(n)) if is_weighted else (None, None)
    total = float(n) if weights is None else float(weights.sum())
    with np.errstate(invalid="ignore"):
        wanted = plainly(phi, weights, squares, total) if n else np.full((d, d), np.nan)
    found = _native.covariance(phi, weights, squares, total)
    assert_same(found, wanted, within=1e-11)
    assert (found == found.T).all() or not n


def test_influences_that_are_the_same_everywhere_have_no_variance() -> None:
    phi = np.stack([np.zeros(3000), np.ones(3000)])
    assert (_native.covariance(phi, None, None, 3000.0) == 0.0).all()


def test_what_is_not_finite_makes_no_number() -> None:
    phi = np.array([[1.0, np.inf, 0.0], [1.0, 2.0, 4.0]])
    found = _native.covariance(phi, None, None, 3.0)
    assert np.isnan(found[0]).all()
    assert np.isfinite(found[1, 1])


def test_a_weight_that_is_off_is_seen() -> None:
    phi = np.random.default_rng(1).normal(size=(2, 50))
    weights = np.full(50, 2.0)
    honest = _native.covariance(phi, weights, None, 100.0)
    weights[3] = 2.1
    assert np.abs(_native.covariance(phi, weights, None, 100.0) - honest).max() > 1e-9


@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize(("r", "m", "k"), [(0, 3, 2), (1, 0, 4), (5, 9, 3), (3, 400, 120)])
def test_cells_are_added_by_class_in_their_order(r: int, m: int, k: int, dtype: Any) -> None:
    rng = np.random.default_rng([r, m, k])
    values = (rng.random((r, m)) * 1e6).astype(dtype)
    codes = rng.integers(0, k, m)
    wanted = np.zeros((r, k), dtype)
    np.add.at(wanted, (slice(None), codes), values)
    found = _native.add_by_class(values, codes, k)
    assert found.dtype == dtype
    assert (found == wanted).all()


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        ((np.ones((2, 3)), np.zeros(2, np.int64), 1), ValueError),
        ((np.ones((2, 3)), np.full(3, 4), 4), ValueError),
        ((np.ones((2, 3)), np.full(3, -1), 4), ValueError),
        ((np.ones((2, 3)), np.zeros(3, np.int64), -1), ValueError),
        ((np.ones((2, 3), np.float32), np.zeros(3, np.int64), 1), TypeError),
        ((np.ones(3), np.zeros(3, np.int64), 1), TypeError),
    ],
)
def test_other_codes_and_shapes_are_refused(bad: tuple[Any, ...], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        _native.add_by_class(*bad)


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        ((np.ones((2, 3)), np.ones(2), None, 3.0), ValueError),
        ((np.ones((2, 3)), None, np.ones(4), 3.0), ValueError),
        ((np.ones(3), None, None, 3.0), TypeError),
        ((np.ones((2, 3)), np.ones(3, np.float32), None, 3.0), TypeError),
    ],
)
def test_other_weights_and_shapes_are_refused(bad: tuple[Any, ...], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        _native.covariance(*bad)
