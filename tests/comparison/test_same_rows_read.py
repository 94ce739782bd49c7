"""Models that agree on all rows that a metric reads, and differ elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat


def two(n_positive: int) -> tuple[Any, Any, Any]:
    y = np.zeros(400, int)
    y[:n_positive] = 1
    new = np.zeros(400, int)
    new[: n_positive // 2] = 1
    old = new.copy()
    new[n_positive : n_positive + 3] = 1
    old[n_positive + 3 : n_positive + 6] = 1
    return y, old, new


@pytest.mark.parametrize("n_positive", [10, 100])
def test_ten_positives_do_not_show_that_recalls_are_equal(n_positive: int) -> None:
    y, old, new = two(n_positive)
    models = {"old": old, "new": new}
    one = karat.compare(y, models, positive=1, metrics=["recall"])["recall"]
    # As wide as for models that are the same on every row, of the positives alone.
    own = {"old": old[:n_positive], "new": new[:n_positive].copy()}
    same = karat.compare(y[:n_positive], own, labels=[0, 1], positive=1, metrics=["recall"])
    assert one.difference == 0.0
    assert one.high == pytest.approx(same["recall"].high, rel=0.1)
    assert one.high > 1.0 / n_positive
    gate = karat.gate(y, new, baseline=old, max_drop={"recall": 0.001}, positive=1)
    assert gate.verdict == "INCONCLUSIVE"


def test_a_difference_is_not_wider_than_without_the_rows_that_it_does_not_read() -> None:
    y, old, new = two(10)
    new[0] = 0
    one = karat.compare(y, {"old": old, "new": new}, positive=1, metrics=["recall"])["recall"]
    assert one.difference == pytest.approx(-0.1)
    assert one.low < 0.0 < one.high
