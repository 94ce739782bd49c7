"""Limits of a metric of one class where rows of each true class are drawn apart and weigh."""

from __future__ import annotations

import numpy as np
import pytest

from karat.inference.class_limits import class_limits
from karat.inference.confidence import Confidence
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric, get
from karat.tally import Cells, Classes
from tests.inference.slow_intervals import SlowClasses
from tests.same import assert_same

ROWS = np.array([[30, 6, 4], [3, 20, 7], [1, 2, 9]])
WEIGHTS = np.array([1.0, 4.0, 0.5])[:, None]


@pytest.mark.parametrize("name", ["fowlkes_mallows", "informedness", "diagnostic_odds_ratio"])
def test_limits_of_weighted_strata_are_those_of_the_plain_formulas(name: str) -> None:
    squares = ROWS * WEIGHTS**2
    cells = Cells.dense(
        ROWS * WEIGHTS, classes=Classes.of(range(3)), squares=squares, n_rows=int(ROWS.sum())
    )
    spread, asked = TableVariance(cells, "case-control"), Confidence(0.9)
    metric = Metric(get(name).record, "plain", get(name).params)
    found, plain = class_limits(metric, spread, asked), SlowClasses(metric, spread, asked)
    for end in ("value", "low", "high", "variance"):
        assert_same(getattr(found, end), getattr(plain, end), within=1e-10, about=end)
    assert (found.low < found.value).all()
    alike = class_limits(metric, TableVariance(cells), asked)
    assert np.abs(alike.low - found.low).max() > 1e-4, "a control: rows drawn together"
