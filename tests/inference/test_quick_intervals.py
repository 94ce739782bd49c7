"""Intervals that cost little are those of the plain formulas, step by step, to 1e-10."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from karat import _native
from karat.designs import Design
from karat.inference import class_limits as class_limits_module
from karat.inference.class_limits import ClassLimits, class_limits
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import label_interval
from karat.inference.proportion_curves import Curve, curve_of, curve_of_right_rows
from karat.inference.table_variance import TableVariance, derivative
from karat.metrics import Metric
from karat.metrics.plan import default_metrics
from karat.tally import Cells, Classes, ClusteredCells
from tests.inference.slow_intervals import (
    SlowClasses,
    slopes_of_cells,
    slow_combined,
    slow_effective,
    slow_is_fixed,
    slow_of_right_rows,
    slow_standard_error,
)
from tests.same import assert_same

CLOSE = 1e-10
FIXED = "the design fixes the proportions of the true classes"
KINDS = ("plain", "weighted", "clustered", "weighted clustered", "case-control", "weighted control")
SHAPES = ("whole", "absent", "perfect", "missed")
METRICS = [item for item in default_metrics() if not (item.record.is_count or item.is_constant)]
CLASS_METRICS = sorted(
    {Metric(item.record, "plain", item.params) for item in METRICS if item.record.is_per_class},
    key=str,
)
WHOLE_METRICS = [
    item for item in METRICS if not (item.record.is_per_class and item.lift == "plain")
]


def table(k: int, shape: str, kind: str, *, seed: int, is_sparse: bool = False) -> TableVariance:
    """A random table: all classes, one that is not there, one that is never right; no error."""
    rng = np.random.default_rng([seed, k])
    n = 40 * k
    of_classes = rng.integers(0, k, n)
    true = of_classes[:n] if shape != "absent" else np.minimum(of_classes, max(k - 2, 0))
    pred = np.where(rng.random(n) < 0.7, true, rng.integers(0, k, n))
    pred = true if shape == "perfect" else pred
    if shape == "absent" and k > 1:
        pred = np.minimum(pred, k - 2)
    if shape == "missed" and k > 1:
        pred = np.where((true == 0) & (pred == 0), 1, pred)
    weights = rng.exponential(3.0, n) if "weighted" in kind else None
    place = true * k + pred
    counts = np.bincount(place, weights, k * k)
    squares = None if weights is None else np.bincount(place, weights**2, k * k)
    classes = Classes.of(range(k))
    listed = np.flatnonzero(np.bincount(place, minlength=k * k)) if is_sparse else np.arange(k * k)
    if is_sparse:
        cells = Cells.sparse(
            *np.divmod(listed, k), counts[listed], classes=classes,
            squares=None if squares is None else squares[listed], n_rows=n,
        )  # fmt: skip
    else:
        shaped = None if squares is None else squares.reshape(k, k)
        cells = Cells.dense(counts.reshape(k, k), classes=classes, squares=shaped, n_rows=n)
    clusters = None
    if "clustered" in kind:
        at = np.searchsorted(listed, place)
        clusters = ClusteredCells.of(rng.integers(0, 25, n), at, weights)
    design: Design = "case-control" if "control" in kind else "cohort"
    return TableVariance(cells, design, clusters)


def tables(
    ks: tuple[int, ...] = (1, 2, 3, 30), seed: int = 5
) -> Iterator[tuple[str, TableVariance]]:
    for k, shape, kind, is_sparse in itertools.product(ks, SHAPES, KINDS, (False, True)):
        if k != 2 and (KINDS.index(kind) + SHAPES.index(shape)) % 2 == is_sparse:
            continue
        spread = table(k, shape, kind, seed=seed, is_sparse=is_sparse)
        yield f"k = {k}, {shape}, {kind}, sparse {is_sparse}", spread


def check_classes(metric: Metric, spread: TableVariance, about: str, *, is_beta: bool) -> None:
    asked = Confidence(0.9)
    found = class_limits(metric, spread, asked, is_beta=is_beta)
    slow = SlowClasses(metric, spread, asked, is_beta=is_beta)
    about = f"{metric}, {about}"
    assert found.has_slopes == slow.has_slopes, about
    for name in ("value", "low", "high", "partials", "variance"):
        expected = getattr(slow, name)
        # Large derivatives: of a class of few rows.
        size = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)))
        assert_same(getattr(found, name) / size, expected / size, within=CLOSE, about=about)


def check_interval(
    metric: Metric, spread: TableVariance, about: str, policy: Any = "zero", level: float = 0.9
) -> str | None:
    """The method of an interval that the plain formulas give, too."""
    about, asked = f"{metric}, {about}", Confidence(level)
    value = float(metric.values(spread.cells, policy).value)
    found = label_interval(metric, value, spread, asked, policy)
    if not np.isfinite(value) or (spread.cells.k == 1 and found.method is None):
        return None
    if found.remark == FIXED:
        assert slow_is_fixed(metric, spread, policy), about
        return None
    error, ends = slow_standard_error(metric, spread, policy), metric.range
    if found.standard_error is None or error is None:
        # A function of the right rows has limits where it has no derivative.
        assert found.standard_error is error, about
    else:
        size = max(1.0, error)
        assert_same(found.standard_error / size, error / size, within=CLOSE, about=about)
    slow: Any = (found.low, found.high)
    if found.method == "mover":
        slow = slow_combined(metric, value, spread, asked, policy)
    elif found.method == "wilson" and metric.is_of_right_rows:
        slow = slow_of_right_rows(metric, spread, asked)
    elif found.method == "wilson-effective":
        slow = slow_effective(metric, value, ends, spread, asked, policy)
    assert slow is not None, about
    if slow[0] is not None:
        slow = (min(max(slow[0], ends[0]), value), max(min(slow[1], ends[1]), value))
        size = max([1.0, *(abs(x) for x in slow if np.isfinite(x))])
        limits = np.array([found.low, found.high]) / size
        assert_same(limits, np.array(slow) / size, within=CLOSE, about=about)
    return found.method


def test_every_class_has_the_limits_of_the_plain_formulas() -> None:
    for about, spread in tables():
        for metric, is_beta in itertools.product(CLASS_METRICS, (False, True)):
            check_classes(metric, spread, about, is_beta=is_beta)


def test_every_metric_has_the_interval_of_the_plain_formulas() -> None:
    methods = set()
    for about, spread in tables():
        methods |= {check_interval(metric, spread, about) for metric in WHOLE_METRICS}
    assert {"mover", "wilson", "wilson-effective"} <= methods


@pytest.mark.parametrize("policy", ["exclude", "nan"])
def test_classes_that_are_left_out_have_no_part(policy: str) -> None:
    for about, spread in tables((2, 4), seed=9):
        for metric in WHOLE_METRICS:
            check_interval(metric, spread, about, policy)


def test_derivatives_are_those_of_the_interpreter() -> None:
    for about, spread in tables((2, 5), seed=2):
        for metric in WHOLE_METRICS:
            found = derivative(metric, spread.cells)
            expected = slopes_of_cells(metric, spread.cells)
            size = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max(initial=0.0)))
            assert_same(found / size, expected / size, within=CLOSE, about=f"{metric}, {about}")


def test_variances_from_parts_are_those_of_the_cells() -> None:
    rng = np.random.default_rng(8)
    for about, spread in tables((1, 2, 7)):
        k, m = spread.cells.k, len(spread.weights)
        slopes, listed = rng.normal(size=(4, 3, k)), rng.normal(size=(4, m))
        rows, cols = spread.rows, spread.cols
        g = slopes[:, 0, rows] + slopes[:, 1, cols] + (rows == cols) * slopes[:, 2, rows]
        assert_same(spread.slope_variances(slopes), spread.variance(g), within=CLOSE, about=about)
        found = spread.slope_variances(slopes, listed)
        assert_same(found, spread.variance(g + listed), within=CLOSE, about=about)


def test_an_infinite_derivative_has_no_variance() -> None:
    for about, spread in tables((2, 3)):
        slopes = np.zeros((2, 3, spread.cells.k))
        slopes[1, 0, 0] = np.inf
        assert np.isnan(spread.slope_variances(slopes)).tolist() == [False, True], about


def test_shares_are_curves() -> None:
    named = {str(metric): curve_of(metric) for metric in CLASS_METRICS}
    curves = {name: (c.a, c.b, c.c) for name, c in named.items() if c is not None}
    assert curves.pop("f1") == (2.0, 0.0, 1.0)
    assert set(curves.values()) == {(1.0, 0.0, 0.0)}
    assert {"recall", "precision", "specificity", "jaccard", "prevalence"} <= set(curves)
    assert named["informedness"] is None
    found = {m.name: curve_of_right_rows(m, 5) for m in WHOLE_METRICS if m.is_of_right_rows}
    assert found["accuracy"] == (1.0, 0.0, 0.0)
    assert found["error_rate"] == (-1.0, 1.0, 0.0)
    assert found["micro_jaccard"] is not None
    assert_same(found["micro_jaccard"], [0.5, 0.0, -0.5], within=CLOSE)
    assert found["micro_diagnostic_odds_ratio"] is None


def wrong_slope(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = _native.follow_curve

    def steeper(*given: Any) -> Any:
        found, partials = plain(*given)
        return found, partials * 1.001

    monkeypatch.setattr(_native, "follow_curve", steeper)


def wrong_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = _native.combine_classes

    def farther(*given: Any) -> Any:
        factors, *rest = plain(*given)
        return (factors * np.array([[1.001], [1.0], [1.0]]), *rest)

    monkeypatch.setattr(_native, "combine_classes", farther)


def wrong_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = class_limits_module.curve_of

    def moved(metric: Metric) -> Any:
        found = plain(metric)
        return found and Curve(found.a, found.b, found.c, found.sides, 0.5)

    monkeypatch.setattr(class_limits_module, "curve_of", moved)


def wrong_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TableVariance, "squares", property(lambda table: table.weights))


def wrong_design(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TableVariance, "is_simple", property(lambda table: True))


def wrong_meeting(monkeypatch: pytest.MonkeyPatch) -> None:
    flipped = class_limits_module.CELLS_TO_SLOPES * np.array([[1.0], [1.0], [-1.0]])
    monkeypatch.setattr(class_limits_module, "CELLS_TO_SLOPES", flipped)


@pytest.mark.parametrize(
    "sabotage",
    [
        wrong_slope,
        wrong_distance,
        wrong_missing,
        wrong_design,
        wrong_meeting,
        lambda patch: patch.setattr(ClassLimits, "has_slopes", property(lambda _: False)),
    ],
    ids=["slope", "distance", "missing", "design", "meeting", "no slopes"],
)
def test_a_wrong_short_cut_is_found(
    sabotage: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def check() -> None:
        for about, spread in tables((3,)):
            for metric in CLASS_METRICS:
                check_classes(metric, spread, about, is_beta=True)
            for metric in WHOLE_METRICS:
                if metric.name in ("macro_f1", "weighted_precision", "g_mean"):
                    check_interval(metric, spread, about)

    check()
    sabotage(monkeypatch)
    with pytest.raises((AssertionError, AttributeError)):
        check()
