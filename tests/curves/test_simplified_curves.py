"""Fewer points: no area changes, ends and landmarks stay, and the error is as stated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.curves import _simplify
from karat.curves._curve import Points
from karat.curves._simplify import corners
from karat.curves._traced import TRACED
from tests.curves.problems import binary
from tests.same import assert_same

NAMES = [kind.name for kind in TRACED]
AREAS = ("area", "average_precision")


def drawn(curve: Any) -> tuple[Any, Any]:
    x, y = (getattr(curve, name) for name in curve.axes)
    return x, y


def distance(whole: Any, fewer: Any) -> float:
    """The furthest point of the whole curve from the lines of the simplified one, by force."""
    x, y = drawn(whole)
    xs, ys = drawn(fewer)
    nearest = np.full(len(x), np.inf)
    for xa, ya, xb, yb in zip(xs[:-1], ys[:-1], xs[1:], ys[1:], strict=True):
        dx, dy = xb - xa, yb - ya
        length = dx * dx + dy * dy
        part = 0.0 if length == 0 else np.clip(((x - xa) * dx + (y - ya) * dy) / length, 0, 1)
        nearest = np.minimum(nearest, np.hypot(x - xa - part * dx, y - ya - part * dy))
    return float(nearest.max())


def rows(n: int, seed: int = 0, *, decimals: int = 9) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    return y, np.round(rng.normal(size=n) + 1.2 * y, decimals)


@pytest.mark.parametrize("name", NAMES)
def test_intermediate_points_change_nothing(name: str) -> None:
    function = getattr(karat.curves, name)
    n_dropped = 0
    for y, s, w in binary(150):
        whole = function(y, y_score=s, weights=w)
        fewer = function(y, y_score=s, weights=w, drop_intermediate=True)
        n_dropped += len(whole) - len(fewer)
        assert fewer.n_full == len(whole)
        assert fewer.error == 0.0
        assert set(fewer.thresholds) <= set(whole.thresholds)
        for area in AREAS:
            assert getattr(fewer, area, None) == getattr(whole, area, None)
        assert distance(whole, fewer) < 1e-12
        x, y_axis = drawn(fewer)
        assert_same(np.trapezoid(y_axis, x), np.trapezoid(*drawn(whole)[::-1]), within=1e-12)
        if name == "precision_recall":
            assert_same((np.diff(x) * y_axis[1:]).sum(), whole.average_precision, within=1e-12)
    assert n_dropped > 0


@pytest.mark.parametrize("limit", [2, 3, 4, 7, 40])
@pytest.mark.parametrize("name", NAMES)
def test_the_error_of_a_limit_holds(name: str, limit: int) -> None:
    function = getattr(karat.curves, name)
    for y, s, w in binary(40):
        whole = function(y, y_score=s, weights=w)
        fewer = function(y, y_score=s, weights=w, limit=limit)
        assert len(fewer) <= limit
        assert fewer.n_full == len(whole)
        assert (fewer.thresholds[0], fewer.thresholds[-1]) == (np.inf, whole.thresholds[-1])
        assert set(fewer.thresholds) <= set(whole.thresholds)
        # Of a short curve it is not a bound but the distance itself.
        far = distance(whole, fewer)
        assert far <= fewer.error + 1e-12
        if len(whole) <= limit:
            assert fewer.error == 0.0
        for area in AREAS:
            assert getattr(fewer, area, None) == getattr(whole, area, None)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("decimals", [2, 9])
def test_the_error_of_a_long_curve_holds(name: str, decimals: int) -> None:
    """Long curves are thinned first: the error is a bound then, and not a wide one."""
    y, s = rows(60_000, decimals=decimals)
    function = getattr(karat.curves, name)
    whole, fewer = function(y, y_score=s), function(y, y_score=s, limit=64)
    far = distance(whole, fewer)
    assert far <= fewer.error + 1e-15
    assert fewer.error < far + 0.01
    assert len(fewer) <= 64
    assert function(y, y_score=s, limit=1000).error < fewer.error


def test_a_limit_keeps_the_landmarks() -> None:
    for y, s in (rows(500), rows(50_000)):
        roc = karat.curves.roc(y, y_score=s)
        best = {
            roc.thresholds[1],
            roc.thresholds[np.argmax(np.abs(roc.tpr - roc.fpr))],
            karat.evaluate(y, y_score=s, metrics=["f_beta_threshold"])["f_beta_threshold"].value,
        }
        for name in NAMES:
            curve = getattr(karat.curves, name)(y, y_score=s, limit=8)
            assert best <= set(curve.thresholds)


def test_a_bound_that_is_too_small_is_noticed() -> None:
    """The control: without the points that matter most, the distance exceeds the error."""
    y, s = rows(3000)
    whole, fewer = karat.curves.roc(y, y_score=s), karat.curves.roc(y, y_score=s, limit=16)
    places = np.flatnonzero(np.isin(whole.thresholds, fewer.thresholds))
    assert_same(whole.tpr[places], fewer.tpr)
    spread = np.linspace(0, len(whole) - 1, 16).astype(int)
    x, y_axis = drawn(whole)

    class Evenly:
        axes = ("x", "y")
        x, y = drawn(whole)[0][spread], drawn(whole)[1][spread]

    assert distance(whole, Evenly) > fewer.error
    assert len(x) == len(y_axis)


def test_without_the_bound_of_thinning_the_error_would_be_too_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The control of the long curves: dropped points of a coarse grid are further away."""
    monkeypatch.setattr(_simplify, "_MANY", 64)
    # Few positives far apart in rank: precision swings between two points of a grid.
    n = 40_000
    y = np.zeros(n, int)
    y[np.arange(200, n, 400)] = 1
    s = -np.arange(n, dtype=float)
    limit = 4
    function = karat.curves.precision_recall
    fewer = function(y, y_score=s, limit=limit)
    far = distance(function(y, y_score=s), fewer)
    assert far <= fewer.error + 1e-15
    monkeypatch.setattr(_simplify, "_thinned", lambda _, points, places: np.zeros(len(places) - 1))
    assert function(y, y_score=s, limit=limit).error < fewer.error


@st.composite
def paths(draw: st.DrawFn) -> tuple[Any, Any]:
    """A staircase of counts; every step adds something."""
    steps = draw(
        st.lists(
            st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any), min_size=1, max_size=60
        )
    )
    x, y = np.cumsum([(0, 0), *steps], axis=0).T
    return x, y


@given(paths(), st.booleans())
@settings(max_examples=100, deadline=None)
def test_corners_are_all_that_a_straight_line_needs(path: tuple[Any, Any], axis: bool) -> None:
    x, y = path
    kept = corners(x, y, axis_parallel=axis)
    assert (kept[0], kept[-1]) == (0, len(x) - 1)
    for i in np.setdiff1d(np.arange(len(x)), kept):
        after = int(np.searchsorted(kept, i))
        a, b = kept[after - 1], kept[after]
        dx, dy = x[b] - x[a], y[b] - y[a]
        assert dx * (y[i] - y[a]) == dy * (x[i] - x[a])
        assert not axis or dx == 0 or dy == 0
    if not axis:
        for a, b, c in zip(kept[:-2], kept[1:-1], kept[2:], strict=True):
            assert (x[b] - x[a]) * (y[c] - y[b]) != (y[b] - y[a]) * (x[c] - x[b])


def test_points_with_more_levels_than_a_limit_are_chosen_one_level_after_another() -> None:
    """As many levels as points: a curve that halves its distance at every step."""
    n = 40
    thresholds = np.append(np.inf, -np.arange(n, dtype=float))
    tps = np.append(0.0, 1 - 0.5 ** np.arange(1, n + 1))
    fps = np.append(0.0, np.arange(1, n + 1) / n)
    points = Points(thresholds, tps, fps, n + 1, 0.0, 0.0, 0.0)
    plane = {"roc": karat.curves.Roc.plane}
    previous = np.inf
    for limit in range(2, n):
        places, errors = _simplify.simplified(points, plane, ["roc"], limit)
        assert len(places) <= limit
        assert errors["roc"] <= previous + 1e-15
        previous = errors["roc"]


@pytest.mark.parametrize("limit", range(2, 9))
def test_from_five_points_on_every_landmark_is_kept(limit: int) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 400)
    scores = rng.normal(size=400) + truth
    whole = karat.curves.roc(truth, y_score=scores)
    fewer = karat.curves.roc(truth, y_score=scores, limit=limit)
    precision = karat.curves.precision_recall(truth, y_score=scores)
    with np.errstate(invalid="ignore"):
        f1 = 2 * precision.precision * precision.recall / (precision.precision + precision.recall)
    landmarks = [
        whole.thresholds[1],
        whole.thresholds[np.abs(whole.tpr - whole.fpr).argmax()],
        precision.thresholds[np.nanargmax(f1)],
    ]
    assert len(set(landmarks)) == 3
    kept = set(fewer.thresholds)
    assert {whole.thresholds[0], whole.thresholds[-1]} <= kept
    n_there_is_room_for = max(0, min(3, limit - 2))
    assert set(landmarks[:n_there_is_room_for]) <= kept
    assert (set(landmarks) <= kept) == (limit >= 5)
