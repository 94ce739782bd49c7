"""Limits of classes: what the native functions give against plain NumPy, and what they refuse."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest

from karat import _native
from tests.same import assert_same

Floats: TypeAlias = npt.NDArray[np.float64]

CLOSE = 1e-14
COUNTED = np.array([[0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
FOLLOWED: dict[str, Any] = {
    "sides": np.array([[8.0, 0.0, 5.0, 0.0], [2.0, 5.0, 0.0, 0.0]]),
    "limits": np.array([[0.5, 0.1, 0.7, 0.2], [0.9, 0.4, 0.9, 0.8]]),
    "counted": COUNTED,
    "a": 2.0, "b": 0.25, "c": 1.0, "missing": -1.0, "total": 40.0,
}  # fmt: skip
COMBINED: dict[str, Any] = {
    "value": np.array([0.5, 0.6, np.nan, 0.3, 0.4]),
    "low": np.array([0.4, 0.3, 0.0, 0.1, 0.5]),
    "high": np.array([0.8, 0.7, 1.0, 0.9, 0.6]),
    "variance": np.array([0.01, 0.04, 0.0, 0.0, 0.09]),
    "slopes": np.array([0.2, -0.3, 0.2, 0.5, 0.1]),
}


def along(
    sides: Floats, limits: Floats, counted: Floats, a: float, b: float, c: float,
    missing: float, total: float,
) -> tuple[Floats, Floats]:  # fmt: skip
    """The curve of every class, one after the other."""
    hits, n = sides[0], sides.sum(axis=0)
    p, is_seen = np.where(n > 0, hits / np.maximum(n, 1), 0.5), n > 0
    low, high = np.where(is_seen, [np.minimum(limits[0], p), np.maximum(limits[1], p)], [[0], [1]])
    value, low, high = ((a * x + b) / (1 + c * x) for x in (p, low, high))
    slope = np.where(is_seen, (a - b * c) / (1 + c * p) ** 2, 0)
    partials = np.outer((1 - p) * slope, counted[0]) - np.outer(p * slope, counted[1])
    found = (
        np.where(is_seen, value, missing),
        low,
        high,
        slope**2 * p * (1 - p) / np.maximum(n, 1),
    )
    return np.array(found), partials * (total / np.maximum(n, 1))[:, None]


def together(
    value: Floats, low: Floats, high: Floats, variance: Floats, slopes: Floats
) -> tuple[Floats, float, float, int]:
    """The same of classes that are combined."""
    down, up = np.nan_to_num(np.maximum([value - low, high - value], 0.0))
    moved = np.where(slopes >= 0, [down, up], [up, down]) * slopes
    varies = variance > 0
    factors = np.where(varies, moved / np.sqrt(np.where(varies, variance, 1.0)), 0.0)
    below, above = (moved[:, ~varies] ** 2).sum(axis=1)
    return np.vstack([factors, slopes]), below, above, int((variance == 0).sum())


def check_same(found: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert_same(one, other, within=CLOSE)


def test_a_curve_is_that_of_plain_numpy() -> None:
    check_same(_native.follow_curve(**FOLLOWED), along(**FOLLOWED))
    rng = np.random.default_rng(3)
    for k in (0, 1, 7, 100):
        sides, limits = rng.integers(0, 4, (2, k)) * 31.0, np.sort(rng.random((2, k)), axis=0)
        given = FOLLOWED | {"sides": sides, "limits": limits}
        check_same(_native.follow_curve(**given), along(**given))


def test_combined_classes_are_those_of_plain_numpy() -> None:
    check_same(_native.combine_classes(**COMBINED), together(**COMBINED))
    rng = np.random.default_rng(4)
    for k in (0, 1, 7, 100):
        given = {name: rng.normal(size=k) for name in COMBINED}
        given["variance"] = np.maximum(given["variance"], 0.0)
        check_same(_native.combine_classes(**given), together(**given))


@pytest.mark.parametrize("name", ["sides", "limits", "a", "b", "c", "missing", "total"])
def test_another_curve_is_not_the_same(name: str) -> None:
    moved = FOLLOWED | {name: FOLLOWED[name] * (1.0 + 1e-9)}
    with pytest.raises(AssertionError):
        check_same(_native.follow_curve(**moved), along(**FOLLOWED))


@pytest.mark.parametrize("name", COMBINED)
def test_other_classes_are_not_the_same(name: str) -> None:
    moved = COMBINED | {name: COMBINED[name] * (1.0 + 1e-9)}
    with pytest.raises(AssertionError):
        check_same(_native.combine_classes(**moved), together(**COMBINED))


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "three sides": ({"sides": np.zeros((3, 4))}, "sides is not"),
    "one limit": ({"limits": np.zeros((1, 4))}, "limits is not"),
    "limits of fewer": ({"limits": np.zeros((2, 3))}, "limits is not"),
    "limits of more": ({"limits": np.zeros((2, 2**20))}, "limits is not"),
    "one counted": ({"counted": np.zeros((1, 4))}, "counted is not"),
    "three cells": ({"counted": np.zeros((2, 3))}, "counted is not"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_curve_that_does_not_fit_is_refused(name: str) -> None:
    given, message = BAD[name]
    with pytest.raises(ValueError, match=message):
        _native.follow_curve(**FOLLOWED | given)


@pytest.mark.parametrize("name", COMBINED)
def test_classes_that_do_not_fit_are_refused(name: str) -> None:
    for k in (4, 6):
        with pytest.raises(ValueError, match="the arrays differ in classes"):
            _native.combine_classes(**COMBINED | {name: np.zeros(k)})
    for bad in (None, np.zeros((1, 5)), np.zeros(5, object)):
        with pytest.raises(TypeError):
            _native.combine_classes(**COMBINED | {name: bad})


def test_arrays_of_another_kind_are_copied() -> None:
    strided = {name: np.repeat(part, 2)[::2] for name, part in COMBINED.items()}
    check_same(_native.combine_classes(**strided), _native.combine_classes(**COMBINED))
    given = FOLLOWED | {"sides": np.asfortranarray(FOLLOWED["sides"]).astype(np.int64)}
    check_same(_native.follow_curve(**given), _native.follow_curve(**FOLLOWED))
