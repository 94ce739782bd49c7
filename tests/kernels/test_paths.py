"""Hulls of paths, and the points that draw them best, against slow references."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat import _native
from tests.same import assert_same

EXAMPLES = settings(max_examples=150, deadline=None)


@st.composite
def staircases(draw: st.DrawFn) -> tuple[Any, Any]:
    """A path of counts, or of odd fractions, that never falls; every step adds something."""
    n = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    steps = rng.integers(0, draw(st.sampled_from((2, 5, 10**9))), (n, 2)).astype(float)
    steps[steps.sum(axis=1) == 0] = 1
    if draw(st.booleans()):
        steps *= rng.choice([0.1, 0.3, 1 / 3], (n, 1))
    if draw(st.booleans()):  # all points are corners, or nearly
        steps = steps[np.argsort(steps[:, 0] / (steps[:, 1] + 1e-9))]
    x, y = np.cumsum(np.concatenate([np.zeros((1, 2)), steps]), axis=0).T
    return np.ascontiguousarray(x), np.ascontiguousarray(y)


def slow_hull(x: Any, y: Any) -> list[int]:
    """Corners of the hull in exact arithmetic."""
    xs, ys = [Fraction(v) for v in x.tolist()], [Fraction(v) for v in y.tolist()]
    kept: list[int] = []
    for i in range(len(xs)):
        while len(kept) > 1:
            a, b = kept[-2:]
            if (xs[b] - xs[a]) * (ys[i] - ys[b]) < (ys[b] - ys[a]) * (xs[i] - xs[b]):
                break
            kept.pop()
        kept.append(i)
    return kept


@given(staircases())
@EXAMPLES
def test_hulls(path: tuple[Any, Any]) -> None:
    x, y = path
    found = _native.upper_hull(x, y)
    # The differences of coordinates are rounded, and then every turn is exact.
    if np.all(x == np.floor(x)) and np.all(y == np.floor(y)):
        assert found.tolist() == slow_hull(x, y)
    assert (found[0], found[-1]) == (0, len(x) - 1)
    lines = np.interp(x, x[found], y[found])
    rises = np.diff(x) > 0
    assert (y[1:][rises] <= lines[1:][rises] * (1 + 1e-12) + 1e-300).all()


def test_turns_that_differ_in_the_last_bit() -> None:
    # m · m and (m − 1)(m + 1) differ by 1 of 2^54: as products of doubles they are equal.
    m = float(2**27)
    assert m * m == (m - 1) * (m + 1)
    for first, second, is_corner in (
        ((m - 1, m), (m, m + 1), True),
        ((m, m - 1), (m + 1, m), False),
        ((m, m), (m, m), False),
    ):
        x, y = np.cumsum([(0.0, 0.0), first, second], axis=0).T
        found = _native.upper_hull(np.ascontiguousarray(x), np.ascontiguousarray(y))
        assert found.tolist() == slow_hull(x, y) == ([0, 1, 2] if is_corner else [0, 2])


def far(paths: Any, a: int, b: int) -> list[tuple[float, int]]:
    """(squared distance from the line a to b in the plane where it is largest, −place)."""
    found = []
    for i in range(a + 1, b):
        worst = 0.0
        for x, y in zip(paths[::2], paths[1::2], strict=True):
            dx, dy, ux, uy = x[b] - x[a], y[b] - y[a], x[i] - x[a], y[i] - y[a]
            length = dx * dx + dy * dy
            part = min(max((ux * dx + uy * dy) * (1 / length), 0.0), 1.0) if length else 0.0
            worst = max(worst, (ux - part * dx) ** 2 + (uy - part * dy) ** 2)
        found.append((worst, -i))
    return found


def slow_points(paths: Any, limit: int, first: list[int]) -> list[int]:
    """The furthest point of all gaps, one at a time."""
    taken = sorted({0, paths.shape[1] - 1, *first})
    gaps = [(a, b, np.inf) for a, b in pairwise(taken)]
    while len(taken) < limit:
        best = [max(far(paths, a, b), default=(0.0, 0)) for a, b, _ in gaps]
        matters = [min(found[0], gap[2]) for found, gap in zip(best, gaps, strict=True)]
        k = int(np.argmax(matters))
        if not matters[k] > 0:
            break
        a, b, _ = gaps.pop(k)
        place = -best[k][1]
        taken.append(place)
        gaps += [(a, place, matters[k]), (place, b, matters[k])]
    return sorted(taken)


@given(staircases(), st.integers(2, 12), st.integers(0, 3), st.integers(1, 2))
@EXAMPLES
def test_points_that_draw_a_path(
    path: tuple[Any, Any], limit: int, n_first: int, n_planes: int
) -> None:
    x, y = path
    n = len(x)
    rng = np.random.default_rng(n)
    rows = [x / x.max(initial=1), y / y.max(initial=1), x / x.max(initial=1), rng.random(n)]
    paths = np.array(rows[: 2 * n_planes])
    first = rng.integers(0, n, min(n_first, limit - 2)).astype(np.int32)
    found = _native.furthest_points(paths, limit, first)
    assert found.tolist() == slow_points(paths, limit, first.tolist())
    assert len(found) <= limit


def test_points_on_lines_are_never_taken() -> None:
    straight = np.stack([np.arange(9.0), np.arange(9.0)])
    none = np.zeros(0, np.int32)
    assert _native.furthest_points(straight, 5, none).tolist() == [0, 8]
    assert _native.furthest_points(straight, 5, np.array([3, 3], np.int32)).tolist() == [0, 3, 8]
    same = np.ones((2, 4))
    assert _native.furthest_points(same, 4, none).tolist() == [0, 3]
    assert _native.furthest_points(np.full((2, 4), np.nan), 4, none).tolist() == [0, 3]


@pytest.mark.parametrize(
    ("problem", "paths", "limit", "first"),
    [
        (ValueError, np.zeros((2, 1)), 2, [0]),
        (ValueError, np.zeros((2, 3)), 1, []),
        (ValueError, np.zeros((3, 3)), 2, []),
        (ValueError, np.zeros((2, 6))[:, ::2], 2, []),
        (ValueError, np.zeros((4, 3))[::2], 2, []),
        (TypeError, np.zeros(3), 2, []),
        (TypeError, np.zeros((2, 3), np.float32), 2, []),
        (IndexError, np.zeros((2, 3)), 3, [3]),
        (IndexError, np.zeros((2, 3)), 3, [-1]),
    ],
)
def test_what_is_no_path_is_refused(
    problem: type[Exception], paths: Any, limit: int, first: Any
) -> None:
    with pytest.raises(problem):
        _native.furthest_points(paths, limit, np.array(first, np.int32))


def test_coordinates_of_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="3"):
        _native.upper_hull(np.zeros(3), np.zeros(2))
    assert _native.upper_hull(np.zeros(0), np.zeros(0)).tolist() == []


def test_a_wrong_reference_is_found() -> None:
    x, y = np.array([0.0, 1, 2, 3]), np.array([0.0, 2, 2.5, 3])
    assert _native.upper_hull(x, y).tolist() != slow_hull(x, -y)
    paths = np.array([[0.0, 1, 2, 3], [0.0, 3, 1, 0]])
    found = _native.furthest_points(paths, 3, np.zeros(0, np.int32))
    with pytest.raises(AssertionError):
        assert_same(found, slow_points(paths[:, ::-1].copy(), 3, []))
