"""Lines of recalibration that lie far from where the search for them begins.

Of few rows among many that are far away in log-odds, Newton's own step leads further away still.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import karat
from karat.metrics._regression import _ascended, _Ascent, _Line

Points = tuple[Any, Any, Any]


def expit(x: Any) -> Any:
    return np.exp(-np.logaddexp(0, -x))


def line_of(x: Any, misses: Any, hits: Any) -> tuple[float, float]:
    """Intercept and slope as karat says them: a row for each level and side, weighted."""
    weights = np.concatenate([misses, hits])
    held = weights > 0
    found = karat.evaluate(
        np.repeat([0, 1], len(x))[held],
        y_prob=np.tile(expit(x), 2)[held],
        weights=weights[held],
        metrics=["calibration_intercept", "calibration_slope"],
    )
    return found["calibration_intercept"].value, found["calibration_slope"].value


def step_left(line: tuple[float, float], x: Any, misses: Any, hits: Any) -> float:
    """Newton's step from a line that should have none, as a part of it; in long doubles."""
    x, misses, hits = (np.asarray(part, np.longdouble) for part in (x, misses, hits))
    t = line[0] + line[1] * x
    small = np.exp(-np.abs(t))
    chance = np.where(t >= 0, 1, small) / (1 + small)
    rest = np.where(t >= 0, small, 1) / (1 + small)
    missing, spread = hits * rest - misses * chance, (hits + misses) * chance * rest
    centre = (spread * x).sum() / spread.sum()
    of_b = (missing * (x - centre)).sum() / (spread * (x - centre) ** 2).sum()
    of_a = missing.sum() / spread.sum() - centre * of_b
    return float((abs(of_a) + abs(of_b)) / (1 + abs(line[0]) + abs(line[1])))


def test_levels_next_to_each_other_far_from_one_half() -> None:
    # Log-odds that differ by a millionth at 26: the slope is half a million, the height -1e7.
    steps = np.array([-3.0, -1.0, 0.0, 2.0, 4.0])
    x = 26.0 + 1e-6 * steps
    misses, hits = np.array([9.0, 400, 3, 50, 7]), np.array([30.0, 80, 5, 200, 900])
    near = _ascended(_Line(0.0), (-3.0, 4.0), lambda: [(steps, misses, hits)])
    far = _ascended(_Line(0.0), (x.min(), x.max()), lambda: [(x, misses, hits)])
    assert near is not None
    assert far is not None
    assert far.slope * 1e-6 == pytest.approx(near.slope, rel=1e-8)
    assert far.at(26.0) == pytest.approx(near.at(0.0), rel=1e-8)


@pytest.mark.parametrize("level", [0.01, 0.02, 0.1, 0.3])
def test_a_few_unlikely_rows_among_thousands(level: float) -> None:
    # 87 rows of 9710 are said to be unlikely, and 5 of them came true.
    misses, hits = np.array([82.0, 17.0]), np.array([5.0, 9606.0])
    x = np.log([level / (1 - level), (1 - level) / level])
    y = np.repeat([0, 0, 1, 1], [82, 17, 5, 9606])
    p = np.repeat(expit(x)[[0, 1, 0, 1]], [82, 17, 5, 9606])
    slope = (math.log(9606 / 17) - math.log(5 / 82)) / (x[1] - x[0])
    report = karat.evaluate(y, y_prob=p, metrics=["calibration_slope", "calibration_intercept"])
    found = report["calibration_slope"]
    assert found.value == pytest.approx(slope, rel=1e-9)
    assert found.low is not None
    assert found.high is not None
    assert found.low < slope < found.high
    wanted = math.log(5 / 82) - slope * x[0]
    assert report["calibration_intercept"].value == pytest.approx(wanted, rel=1e-9)
    assert line_of(x, misses, hits) == pytest.approx((wanted, slope), rel=1e-9)


def test_two_levels_have_the_line_through_both() -> None:
    rng = np.random.default_rng(0)
    for _ in range(150):
        x = np.sort(rng.uniform(-30, 30, 2))
        misses, hits = np.round(10 ** rng.uniform(0, 7, (2, 2)))
        if x[1] - x[0] < 0.1 or (expit(x) == 1).any():
            continue
        # Float64 has not quite the probability of x.
        x = np.log(expit(x)) - np.log1p(-expit(x))
        heights = np.log(hits / misses)
        slope = (heights[1] - heights[0]) / (x[1] - x[0])
        wanted = heights[0] - slope * x[0]
        a, b = line_of(x, misses, hits)
        assert b == pytest.approx(slope, rel=1e-8, abs=1e-8), (x, misses, hits)
        assert a == pytest.approx(wanted, rel=1e-8, abs=1e-8), (x, misses, hits)


def spread_out() -> Iterator[Points]:
    """Levels and rows that differ by orders of magnitude, most levels with one side only."""
    rng = np.random.default_rng(1)
    for _ in range(400):
        n, most = rng.integers(2, 12), rng.uniform(0, 8)
        x = rng.normal(0, 10 ** rng.uniform(-1, 1), n).clip(-36, 36)
        sides = np.round(10 ** rng.uniform(0, most, (2, n))) * (rng.random((2, n)) < 0.6)
        misses, hits = sides
        if not (misses.any() and hits.any()):
            continue
        is_overlap = x[misses > 0].min() < x[hits > 0].max()
        if is_overlap and x[hits > 0].min() < x[misses > 0].max():
            held = misses + hits > 0
            x = np.log(expit(x)) - np.log1p(-expit(x))
            yield x[held], misses[held], hits[held]


def test_no_step_is_left_from_the_line() -> None:
    n_problems = 0
    for points in spread_out():
        line = line_of(*points)
        assert step_left(line, *points) < 1e-8, points
        # The check sees a line that is off by a millionth.
        assert step_left((line[0], line[1] + 1e-6 * (1 + abs(line[1]))), *points) > 1e-8
        n_problems += 1
    assert n_problems > 150


def test_the_search_is_short() -> None:
    walks = []
    for points in spread_out():
        n_walks = 0

        def walk(given: Points = points) -> list[Points]:
            nonlocal n_walks
            n_walks += 1
            return [given]

        x, misses, hits = points
        start = _Line(math.log(hits.sum() / misses.sum()))
        assert _ascended(start, (x.min(), x.max()), walk) is not None
        walks.append(n_walks)
    assert max(walks) <= 20
    assert np.mean(walks) <= 8


def test_what_is_known_does_not_depend_on_blocks() -> None:
    x, misses, hits = points = next(spread_out())
    line = _Line(0.5, -0.25, 1.5)
    whole = _Ascent.of(line, [points])
    parts = _Ascent.of(
        line, [(x[i : i + 1], misses[i : i + 1], hits[i : i + 1]) for i in range(len(x))]
    )
    for name in ("likelihood", "higher", "steeper", "weight", "away", "square", "gain"):
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-12), name
    t = 0.5 - 0.25 * (x - 1.5)
    spread, missing = (misses + hits) * expit(t) * expit(-t), hits * expit(-t) - misses * expit(t)
    assert whole.likelihood == pytest.approx(
        (hits * np.log(expit(t)) + misses * np.log(expit(-t))).sum()
    )
    assert whole.higher == pytest.approx(missing.sum())
    assert whole.steeper == pytest.approx((missing * (x - 1.5)).sum())
    assert whole.weight == pytest.approx(spread.sum())
    step = whole.step
    assert step.centre == pytest.approx((spread * x).sum() / spread.sum())
    assert whole.square == pytest.approx((spread * (x - step.centre) ** 2).sum())
    turning = (missing * (x - step.centre)).sum()
    wanted = whole.higher / whole.weight, turning / whole.square
    assert (step.height, step.slope) == pytest.approx(wanted)
    assert whole.gain == pytest.approx(whole.higher * step.height + turning * step.slope)


def test_a_line_turns_about_any_place() -> None:
    line = _Line(2.0, 0.5, 4.0)
    assert line.at(6.0) == 3.0
    step = _Line(0.5, 2.0, 6.0)
    assert line.plus(step) == _Line(3.5, 2.5, 6.0)
    moved = line.plus(step, 0.5)
    assert moved == _Line(3.25, 1.5, 6.0)
    assert (moved.at(6.0), moved.at(8.0)) == (3.25, 6.25)


def test_where_no_curvature_is_left_there_is_no_line() -> None:
    points = np.array([-1.0, 1.0]), np.array([3.0, 1.0]), np.array([1.0, 3.0])
    ends = (-1.0, 1.0)
    assert _ascended(_Line(1e6), ends, lambda: [points]) is None
    # All of it at one level: nothing is known of a slope.
    assert _ascended(_Line(1e6, 1e6), ends, lambda: [points]) is None
    found = _ascended(_Line(30.0, 5.0), ends, lambda: [points])
    assert found is not None
    assert (found.at(0.0), found.slope) == pytest.approx((0.0, math.log(3)), abs=1e-9)


def lines_by_light_rows(weight: float) -> Any:
    """Hits of 6e9 lie below misses of 3e9; what lies otherwise weighs 1e-9 times `weight`."""
    x = np.array([4.5247948709467884, 4.535120321839617, 4.4919776281806945, 4.536533745437839])
    misses = np.array([0.0, 4.856395220861556e-10, 1.4177286797308176e-09, 3355675898.243214])
    hits = np.array([1.1273303988335388e-06, 6343385370.207098, 2.4120667184771213e-06, 0.0])
    misses[1:3] *= weight
    hits[[0, 2]] *= weight
    y, weights = np.repeat([0, 1], 4), np.concatenate([misses, hits])
    held = weights > 0
    return karat.evaluate(
        y[held],
        y_prob=np.tile(expit(x), 2)[held],
        weights=weights[held],
        metrics=["calibration_slope", "calibration_intercept"],
    )


def test_a_line_that_light_rows_decide_is_found() -> None:
    """By Newton's method in 80 digits."""
    report = lines_by_light_rows(1.0)
    assert report["calibration_slope"].value == pytest.approx(-55449.0362814923, rel=1e-9)


def test_a_line_that_the_lightest_rows_alone_decide_is_undefined_and_says_so() -> None:
    for name, found in lines_by_light_rows(1e-100).metrics.items():
        assert math.isnan(found.value), name
        assert "the probabilities separate the class from the others" in str(found.undefined)
