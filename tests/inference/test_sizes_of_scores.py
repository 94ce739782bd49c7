"""Rows that an interval of a metric of scores needs, from that of a pilot."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from karat.inference.confidence import Confidence
from karat.inference.sizes import Pilot, SizeSpec, rows_for_scores


def needed(least: float, scale: str = "log") -> int:
    """Rows for a metric that is at least this, 0.5 above it in a pilot of 100 rows."""
    metric: Any = SimpleNamespace(range=(least, math.inf))
    asked = Confidence(0.95)
    pilot, size = Pilot(100, scale, asked), SizeSpec(0.04, None, 0.8, asked)
    return rows_for_scores(metric, least + 0.5, 0.05, least + 0.9, pilot, size)


@pytest.mark.parametrize("least", [1.0, -1.0, 4.0])
def test_a_metric_needs_as_many_rows_wherever_its_range_begins(least: float) -> None:
    assert needed(least) == needed(0.0)


def test_rows_are_those_of_the_logarithm() -> None:
    """exp(± z·√(1 + excess·100 ÷ n)·error·√(100 ÷ n) ÷ value): the half width falls to 0.04."""
    z, error = 1.959963984540054, 0.05 / 0.5
    excess = (math.log(0.9 / 0.5) / (z * error)) ** 2 - 1.0

    def half_width(n: int) -> float:
        step = z * error * math.sqrt(100 / n * (1.0 + excess * 100 / n))
        return 0.5 * math.sinh(step)

    n = needed(0.0)
    assert half_width(n) <= 0.04 < half_width(n - 1)
