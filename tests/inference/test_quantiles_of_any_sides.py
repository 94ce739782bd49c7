"""Quantiles of sides of every size: at once, and the limits that they have."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import special

import karat
from karat import _native
from karat.inference.limits import student_quantile

P = (1e-6, 0.005, 0.025, 0.3, 0.5, 0.9, 0.975)
HUGE = """
import numpy as np
from karat import _native
sides = np.array([0.5, 3.0, 1e9, 1e12, 1e15, 1e17, 1e40, 1e140, 1e300, 8e307])
for p in (1e-12, 0.025, 0.5, 0.975, 1 - 1e-16):
    found = _native.beta_quantiles(*(x.ravel() for x in np.meshgrid(sides, sides)), p)
    assert ((found >= 0) & (found <= 1)).all()
print("done")
"""


def at(a: float, b: float, p: float) -> float:
    return float(_native.beta_quantiles(np.array([a]), np.array([b]), p)[0])


def test_sides_of_any_size_take_no_time() -> None:
    # In a process of its own: what does not end cannot be interrupted.
    made = subprocess.run(
        [sys.executable, "-c", HUGE], capture_output=True, text=True, timeout=60, check=True
    )
    assert made.stdout.strip() == "done"


@pytest.mark.parametrize("p", P)
def test_two_large_sides_are_normal(p: float) -> None:
    z = float(special.ndtri(p))
    for n in (1e14, 1e20, 1e60):
        for share in (0.5, 0.9):
            a, b = n * share, n * (1 - share)
            spread = math.sqrt(share * (1 - share) / n)
            assert at(a, b, p) == pytest.approx(share + z * spread, abs=1e-4 * spread + 1e-15)


@pytest.mark.parametrize("p", P)
def test_nothing_jumps_where_the_way_changes(p: float) -> None:
    for other in (1.1e9, 3e10, 1e12):
        below, above = at(1e9, other, p), at(1e9 * (1 + 1e-15), other, p)
        assert above == pytest.approx(below, rel=1e-11)
        assert at(other, 1e9, p) == pytest.approx(at(other, 1e9 * (1 + 1e-15), p), rel=1e-13)
    for few in (1e5, 3e6, 9e8):
        assert at(few, 1e15, p) == pytest.approx(at(few, 1e15 * (1 + 1e-15), p), rel=1e-8)


@pytest.mark.parametrize("p", P)
@pytest.mark.parametrize("few", [0.5, 1.0, 3.0, 40.5, 1e4])
def test_few_of_very_many_have_the_gamma_distribution(few: float, p: float) -> None:
    for many in (1e22, 1e100, 1e300):
        assert special.gammainc(few, at(few, many, p) * many) == pytest.approx(p, rel=1e-9)
        assert at(many, few, p) == pytest.approx(1.0, abs=1e-15)


def test_hardly_any_sides_lie_at_the_ends() -> None:
    assert [at(5e-324, 1.0, 0.5), at(1.0, 5e-324, 0.5), at(1e-310, 1e-310, 0.6)] == [0, 1, 1]
    assert [at(1e-200, 1e-200, 0.025), at(1e-200, 1e-200, 0.975)] == [0, 1]
    for df in (1e-310, 1e-300):
        assert student_quantile(df, 0.025) == 1e150


@pytest.mark.parametrize("weight", [1e20, 1e40, 1e100, 1e130])
def test_a_report_of_as_many_rows_has_its_intervals(weight: float) -> None:
    code = f"""
import karat, numpy as np
truth, guess = np.array([0, 0, 1, 1] * 5), np.array([0, 1, 1, 0] * 5)
report = karat.evaluate(truth, guess, weights=karat.Frequency(np.full(20, {weight})))
print(report.accuracy.low, report.precision.high, len(str(report)) > 0)
"""
    made = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    low, high, is_printed = made.stdout.split()
    assert 0.5 - 1e-9 <= float(low) <= 0.5 <= float(high) <= 0.5 + 1e-9
    assert is_printed == "True"


def test_frequencies_are_rows() -> None:
    truth, guess = [0, 0, 1, 1], [0, 1, 1, 1]
    found = karat.evaluate(truth, guess, weights=karat.Frequency([5, 5, 5, 5]))
    expected = karat.evaluate(truth * 5, guess * 5)
    assert (found.accuracy.low, found.accuracy.high) == pytest.approx(
        (expected.accuracy.low, expected.accuracy.high)
    )
