"""Intervals of metrics that are not in the catalogue: other scales, shapes and ranges."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest

from karat.inference.class_limits import ClassLimits, class_limits
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import label_interval
from karat.inference.proportion_curves import Curve, _curve_through, curve_of
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric, Node, OneVsRest, Table, case, get, metric, sqrt, total
from karat.metrics._proportions import proportion
from karat.metrics._record import _registered
from karat.tally import Cells, Classes
from karat.testing import proportion_laws
from tests.same import assert_same

Floats = npt.NDArray[np.float64]
ASKED = Confidence()
Z = 1.959963984540054
CLOSE = 1e-10
COUNTS = np.array([[61, 9], [14, 38]])
WIDE = np.array([[31, 7, 3], [4, 22, 9], [1, 5, 17]])
BOUNDED, UNBOUNDED = (0.0, 1.0), (0.0, math.inf)
FOUND = (
    proportion_laws.proportion_of,
    proportion_laws.two_proportions_of,
    proportion_laws.ratio_of_proportions,
)
OF_RECALL = {"proportion": proportion("tp", "fn")}


def made(formula: Callable[..., Node], range_: tuple[float, float], **facts: Any) -> Metric:
    """What somebody else's package would declare, without the catalogue keeping it."""
    cases = [case(tp=1, fp=1, fn=1, tn=1, gives="1", source="not looked at")]
    record = metric(range=range_, better="higher", cases=cases, since="0.1", **facts)(formula)
    _registered.remove(record)
    return Metric(record, "plain", ())


def limits(asked: Metric, *, weights: float | None = None) -> ClassLimits:
    squares = None if weights is None else COUNTS * weights**2
    counts = COUNTS if weights is None else COUNTS * weights
    cells = Cells.dense(counts, classes=Classes.of([0, 1]), squares=squares, n_rows=122)
    return class_limits(asked, TableVariance(cells), ASKED)


def moved_recall(c: OneVsRest) -> Node:
    """Recall on a scale from 2 to 10."""
    return 2.0 + 8.0 * (c.tp / c.pos)


def squared_recall(c: OneVsRest) -> Node:
    """A share, and no curve of one."""
    return (c.tp / c.pos) * (c.tp / c.pos)


def balance(c: OneVsRest) -> Node:
    """Hits over false alarms, as a share of all that is not passed over rightly."""
    return (c.tp - c.fp) / (c.tp + c.fp + c.fn)


def moved_balance(c: OneVsRest) -> Node:
    """The same between 0 and 1."""
    return 0.5 + 0.5 * ((c.tp - c.fp) / (c.tp + c.fp + c.fn))


def hits_beside_errors(c: OneVsRest) -> Node:
    """A ratio without bound that is no product of shares of different rows."""
    return (c.tp * c.tp) / (c.fp * c.fn)


def lift_of_agreement(c: Table) -> Node:
    """How many times as many rows are right as chance would have it."""
    return total(c.tp) * c.n / total(c.pos * c.pred_pos)


@pytest.mark.parametrize("weights", [None, 3.0])
def test_a_metric_on_another_scale_has_its_limits_there(weights: float | None) -> None:
    moved, recall = (
        limits(made(moved_recall, (2.0, 10.0), **OF_RECALL), weights=weights),
        get("recall"),
    )
    plain = limits(recall, weights=weights)
    assert moved.method == plain.method == "wilson"
    for ours, theirs in ((moved.value, plain.value), (moved.low, plain.low),
                         (moved.high, plain.high)):  # fmt: skip
        assert_same(ours, 2.0 + 8.0 * theirs, within=CLOSE)
    assert_same(moved.variance, 64.0 * plain.variance, within=CLOSE)
    assert not np.allclose(moved.low, 8.0 * plain.low, rtol=1e-3), "a control: nothing added"


def test_a_curve_may_have_a_number_added() -> None:
    found = curve_of(made(moved_recall, (2.0, 10.0), **OF_RECALL))
    assert isinstance(found, Curve)
    assert (found.a, found.b, found.c) == (8.0, 2.0, 0.0)
    assert_same(found.at(np.array([0.0, 0.25, 1.0])), [2.0, 4.0, 10.0])


def test_a_share_that_is_no_curve_of_one() -> None:
    squared = made(squared_recall, BOUNDED, **OF_RECALL)
    assert proportion_laws.proportion_of(squared) == squared.proportion
    assert curve_of(squared) is None
    found, plain = limits(squared), limits(get("recall"))
    for ours, theirs in ((found.value, plain.value), (found.low, plain.low),
                         (found.high, plain.high)):  # fmt: skip
        assert_same(ours, theirs**2, within=CLOSE)


def test_a_bounded_metric_from_minus_one_has_the_limits_of_that_from_zero() -> None:
    whole, moved = made(balance, (-1.0, 1.0)), made(moved_balance, BOUNDED)
    assert proportion_laws.proportion_of(whole) is None
    assert proportion_laws.two_proportions_of(whole) is None
    found, plain = limits(whole), limits(moved)
    assert found.method == plain.method == "wilson-effective"
    assert_same(found.value, 2.0 * plain.value - 1.0, within=CLOSE)
    assert_same(found.low, 2.0 * plain.low - 1.0, within=CLOSE)
    assert_same(found.high, 2.0 * plain.high - 1.0, within=CLOSE)
    assert ((found.low > -1.0) & (found.low < found.value)).all()
    assert ((found.value < found.high) & (found.high < 1.0)).all()


def test_a_ratio_of_no_two_shares_has_limits_on_the_scale_of_the_logarithm() -> None:
    """Half a row more in each cell, and the variance of the logarithm: 4/tp + 1/fp + 1/fn."""
    ratio = made(hits_beside_errors, UNBOUNDED)
    for found in FOUND:
        assert found(ratio) is None
    found = limits(ratio)
    assert found.method == "log"
    for i in (0, 1):
        tp, fp, fn = COUNTS[i, i] + 0.5, COUNTS[1 - i, i] + 0.5, COUNTS[i, 1 - i] + 0.5
        centre, error = tp * tp / (fp * fn), math.sqrt(4.0 / tp + 1.0 / fp + 1.0 / fn)
        expected = [centre * math.exp(-Z * error), centre * math.exp(Z * error)]
        assert_same([found.low[i], found.high[i]], expected, within=CLOSE)


def lift_of(cells: npt.NDArray[np.int64], change: Floats) -> float:
    """The lift of agreement by hand, of a table that is moved a little."""
    table = (cells + change) / (cells + change).sum()
    return float(np.trace(table) / (table.sum(axis=0) @ table.sum(axis=1)))


def test_a_ratio_of_the_whole_table_has_them_too() -> None:
    """By the delta method, with derivatives by differences."""
    lift = made(lift_of_agreement, UNBOUNDED)
    cells = Cells.dense(WIDE, classes=Classes.of(range(3)), n_rows=99)
    value = float(lift.values(cells).value)
    assert value == pytest.approx(lift_of(WIDE, np.zeros((3, 3))), rel=1e-12)
    slopes = np.zeros((3, 3))
    for at in np.ndindex(3, 3):
        step = np.zeros((3, 3))
        step[at] = 1e-4
        slopes[at] = (lift_of(WIDE, step) - lift_of(WIDE, -step)) / 2e-4
    error = math.sqrt((slopes**2 * WIDE).sum() - (slopes * WIDE).sum() ** 2 / WIDE.sum())
    found = label_interval(lift, value, TableVariance(cells), ASKED)
    assert found.method == "log"
    assert found.standard_error == pytest.approx(error, rel=1e-6)
    step = math.exp(Z * error / value)
    assert_same([found.low, found.high], [value / step, value * step], within=1e-6)
    assert found.low != pytest.approx(value - Z * error, rel=1e-3), "a control: without logarithms"


@pytest.mark.parametrize("name", ["recall", "expected_cost(costs=[[0, 1], [2, 0]])", "mcc"])
def test_what_depends_on_its_rows_is_no_constant(name: str) -> None:
    assert get(name).is_constant is False


def root_of_false_positives(c: OneVsRest) -> Node:
    """Its slope is infinite where there are none."""
    return sqrt(c.fp / c.neg) / (sqrt(c.fp / c.neg) + 1.0)


@pytest.mark.parametrize("lift", ["macro", "weighted"])
@pytest.mark.parametrize("counts", [[[20, 0, 1], [0, 15, 0], [2, 0, 9]], [[20, 0], [3, 9]]])
def test_an_average_without_a_slope_at_the_table_says_so(
    lift: Literal["macro", "weighted"], counts: list[list[int]]
) -> None:
    asked = Metric(made(root_of_false_positives, BOUNDED).record, lift)
    cells = Cells.dense(counts, classes=Classes.of(range(len(counts))))
    found = label_interval(asked, 0.1, TableVariance(cells), ASKED)
    assert found.low is found.standard_error is None
    assert found.remark == "the metric is not differentiable at this confusion matrix"


@pytest.mark.parametrize("name", ["correct_count", "mcc", "expected_cost(costs=[[0, 1], [1, 0]])"])
def test_what_is_no_function_of_the_accuracy_is_not_of_the_right_rows(name: str) -> None:
    assert get(name).is_of_right_rows is False


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_no_curve_goes_through_what_is_not_finite(at: int, value: float) -> None:
    shares, values = np.array([0.125, 0.5, 0.875]), np.array([0.2, 0.4, 0.6])
    assert _curve_through(shares, values) is not None
    values[at] = value
    assert _curve_through(shares, values) is None


def costly_hits(c: OneVsRest) -> Node:
    """A difference of numbers of rows, which is no share and mostly below 0."""
    return c.tp - 100.0 * c.fp


def test_what_grows_with_the_rows_is_no_share() -> None:
    assert proportion_laws.proportion_of(made(costly_hits, (-math.inf, math.inf))) is None


def root_of_misses(c: Table) -> Node:
    """Its slope is infinite where there are none."""
    return sqrt(total(c.tp * c.fn) / (c.n * c.n))


@pytest.mark.parametrize("range_", [BOUNDED, UNBOUNDED])
def test_a_metric_of_the_whole_table_without_a_slope_says_so(range_: tuple[float, float]) -> None:
    cells = Cells.dense([[20, 0], [0, 9]], classes=Classes.of(range(2)))
    found = label_interval(made(root_of_misses, range_), 0.0, TableVariance(cells), ASKED)
    assert found.low is found.standard_error is None
    assert found.remark == "the metric is not differentiable at this confusion matrix"
