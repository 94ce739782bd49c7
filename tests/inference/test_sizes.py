"""Numbers of rows from a pilot, against their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from karat.errors import KaratError
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import label_interval
from karat.inference.sizes import (
    RowsNeeded,
    SizeSpec,
    gold_rows_needed,
    rows_for_variance,
    width_at,
)
from karat.inference.table_variance import TableVariance
from karat.metrics import get
from karat.tally import Cells, Classes, to_sparse

Z = float(stats.norm.ppf(0.975))


def test_gold_rows_have_the_limits_of_both_their_parts() -> None:
    alone, square, n, total = RowsNeeded(400, 300.2, 533.0, 0.95), 0.6, 50, 5000

    def gold(rows: float, share: float) -> float:
        return (1.0 - share) / (1.0 / rows - share / total)

    step = 1.0 / math.sqrt(n - 3)
    least, most = (
        math.tanh(math.atanh(math.sqrt(square)) + side * Z * step) ** 2 for side in (1, -1)
    )
    found = gold(400, square)
    low = math.hypot(math.log(found / gold(301, square)), math.log(found / gold(400, least)))
    high = math.hypot(math.log(gold(533, square) / found), math.log(gold(400, most) / found))
    rows = gold_rows_needed(alone, square, n, total)
    assert rows is not None
    assert (int(rows), rows.low) == (math.ceil(found), math.ceil(found / math.exp(low)))
    assert rows.high == math.ceil(found * math.exp(high))
    # With three gold rows nothing is known of the correlation but that it is not below 0.
    few = gold_rows_needed(alone, square, 3, total)
    assert few is not None
    assert few.high >= gold(400, 0.0)


def test_more_gold_rows_than_rows() -> None:
    assert gold_rows_needed(RowsNeeded(6000, 5000, 7000), 0.5, 50, 3000) is None
    # Where all rows are needed, all of them are enough.
    assert gold_rows_needed(RowsNeeded(3000, 3000, 3000), 0.0, 50, 3000) == 3000
    some = gold_rows_needed(RowsNeeded(2000, 1500, 2900), 0.5, 50, 3000)
    assert some is not None
    assert math.isfinite(some.high)
    none = gold_rows_needed(RowsNeeded(2000, 1500, 3100), 0.5, 50, 3000)
    assert none is not None
    assert math.isinf(none.high)
    assert (int(none), none.low) == (int(some), some.low)


def test_rows_for_a_width_and_for_a_difference() -> None:
    metric, level = get("accuracy"), Confidence(0.95)
    width = SizeSpec(0.02, None, 0.8, level)
    assert rows_for_variance(metric, 0.16, width) == math.ceil(0.16 * (Z / 0.02) ** 2)
    power = float(stats.norm.ppf(0.8))
    for difference in (0.05, -0.05):
        wanted = SizeSpec(None, difference, 0.8, level)
        expected = math.ceil(0.16 * ((Z + power) / 0.05) ** 2)
        assert rows_for_variance(metric, 0.16, wanted) == expected
    assert rows_for_variance(metric, 1e-12, width) == 1


@pytest.mark.parametrize("variance", [0.0, -1.0, math.nan, math.inf, 1e40])
def test_no_number_of_rows(variance: float) -> None:
    with pytest.raises(KaratError) as problem:
        rows_for_variance(get("accuracy"), variance, SizeSpec(0.02, None, 0.8, Confidence(0.95)))
    assert problem.value.code == "K167"


@pytest.mark.parametrize("side", ["both", "low", "high"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_width_is_that_of_a_table_of_as_many_rows(side: str, is_weighted: bool) -> None:
    counts = np.array([[30, 6, 4], [3, 20, 7], [1, 2, 9]])
    weights = np.array([[1.0], [4.0], [0.5]]) if is_weighted else 1.0
    given = {"classes": Classes.of([0, 1, 2]), "n_rows": int(counts.sum())}
    table = Cells.dense(counts * weights, squares=counts * weights**2 * 1.0, **given)
    times = Cells.dense(
        counts * weights * 5.0, squares=counts * weights**2 * 5.0, **{**given, "n_rows": 410}
    )
    confidence = Confidence(0.9, side=side)
    size, metric = SizeSpec(0.02, None, 0.8, confidence), get("macro_f1")
    for made, more in ((table, times), (to_sparse(table), to_sparse(times))):
        value = float(metric.values(more).value)
        limits = label_interval(metric, value, TableVariance(more), confidence)
        sides = value - limits.low, limits.high - value
        expected = {"both": sum(sides) / 2, "low": sides[0], "high": sides[1]}[side]
        assert width_at(metric, TableVariance(made), size, 410) == pytest.approx(expected)
