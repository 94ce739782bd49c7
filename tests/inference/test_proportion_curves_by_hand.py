"""Metrics as functions of proportions, and score limits of whole metrics, by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, norm

from karat.inference.confidence import Confidence
from karat.inference.limits import wilson_limits, wilson_limits_of_moving
from karat.inference.proportion_curves import (
    TWO,
    Curve,
    _curve_through,
    at_proportions,
    curve_of,
    curve_of_right_rows,
    measured,
    of_proportion,
    of_right_rows,
)
from karat.inference.table_variance import TableVariance
from karat.inference.whole_limits import _Moments, _moments, whole_limits
from karat.metrics import Metric, Node, OneVsRest, Table, case, get, metric, sqrt, total
from karat.metrics._proportions import OF_TRUE_CLASSES, proportion
from karat.metrics._record import _registered
from karat.tally import Cells, Classes, ClusteredCells, to_sparse

SHARES = np.array([0.0, 0.1, 0.37, 0.5, 0.99, 1.0])
FITTED = np.array([0.125, 0.5, 0.875])
TABLES = np.array([[[31.0, 9.0], [4.0, 6.0]], [[2.0, 1.0], [8.0, 5.0]], [[7.0, 0.5], [3.0, 0.25]]])
OF_TWO = "tp", "fn"


def made(
    formula: Callable[..., Node], *sides: str, range_: tuple[float, float] = (0.0, 1.0)
) -> Metric:
    """A metric of somebody else, that may be declared to depend on one proportion."""
    cases = [case(tp=1, fp=1, fn=1, tn=1, gives="1", source="not looked at")]
    facts: dict[str, Any] = {"proportion": proportion(*sides)} if sides else {}
    record = metric(range=range_, better="higher", cases=cases, since="0.1", **facts)(formula)
    _registered.remove(record)
    return Metric(record, "plain", ())


def own_recall(c: OneVsRest) -> Node:
    """A proportion."""
    return c.tp / c.pos


def squared(c: OneVsRest) -> Node:
    """No curve of it."""
    return (c.tp / c.pos) * (c.tp / c.pos)


def of_predicted(c: OneVsRest) -> Node:
    """Another proportion."""
    return c.tp / c.pred_pos


def right(c: OneVsRest) -> Node:
    """A proportion of all rows."""
    return (c.tp + c.tn) / c.n


def and_false_alarms(c: OneVsRest) -> Node:
    """A proportion and a part of another."""
    return c.tp / c.pos + 0.0625 * (c.fp / c.n)


def falling(c: OneVsRest) -> Node:
    """A proportion that falls."""
    return 1.0 - c.tp / c.pos


# Curves of one proportion.


@pytest.mark.parametrize("c", [-0.9, -0.3, 0.0, 1.0, 25.0])
@pytest.mark.parametrize(("a", "b"), [(1.0, 0.0), (2.0, -0.25), (0.5, 0.0625)])
def test_three_points_fix_a_curve(a: float, b: float, c: float) -> None:
    """(a·p + b) ÷ (1 + c·p) through its own values, with short coefficients exactly."""
    found = _curve_through(FITTED, (a * FITTED + b) / (1.0 + c * FITTED))
    assert found == ((a, b, c) if a - b * c > 0.0 else None)


def test_coefficients_that_are_not_short_are_not_rounded() -> None:
    """To six digits they are, if they are nearer than 1e-12."""
    for a, rounded in ((1.0 / 3.0, 1.0 / 3.0), (0.25 + 2e-13, 0.25), (0.25 + 3e-11, 0.25 + 3e-11)):
        found = _curve_through(FITTED, a * FITTED)
        assert found is not None
        assert found[0] == pytest.approx(rounded, abs=3e-16)
    assert math.copysign(1.0, (_curve_through(FITTED, FITTED) or (0.0, -1.0))[1]) == 1.0


def test_what_falls_or_stays_or_has_a_pole_is_no_curve() -> None:
    for values in (
        1.0 - FITTED,
        np.full(3, 0.5),
        FITTED / (1.0 - FITTED),
        (FITTED - 0.2) / (1.0 - 1.5 * FITTED),
        np.array([0.1, math.nan, 0.3]),
        np.array([0.1, math.inf, 0.3]),
    ):
        assert _curve_through(FITTED, values) is None
    assert _curve_through(np.array([0.5, 0.5, 0.875]), np.array([0.1, 0.2, 0.3])) is None


def test_a_curve_has_values_and_slopes() -> None:
    curve = Curve(2.0, 0.5, 1.5, np.zeros((2, 4)), 0.0)
    for p in SHARES:
        value = (2.0 * p + 0.5) / (1.0 + 1.5 * p)
        assert curve.at(np.array(p)) == pytest.approx(value, rel=1e-15)
        step = 1e-6
        slope = (curve.at(np.array(p + step)) - curve.at(np.array(p - step))) / (2.0 * step)
        assert curve.slope(np.array(p)) == pytest.approx(slope, rel=1e-8)


@pytest.mark.parametrize(
    ("name", "wanted", "sides", "missing"),
    [
        ("precision", (1.0, 0.0, 0.0), ([0, 0, 0, 1], [0, 1, 0, 0]), 0.0),
        ("specificity", (1.0, 0.0, 0.0), ([1, 0, 0, 0], [0, 1, 0, 0]), 0.0),
        ("false_negative_rate", (1.0, 0.0, 0.0), ([0, 0, 1, 0], [0, 0, 0, 1]), math.nan),
        ("prevalence", (1.0, 0.0, 0.0), ([0, 0, 1, 1], [1, 1, 0, 0]), math.nan),
        ("f1", (2.0, 0.0, 1.0), ([0, 0, 0, 1], [0, 1, 1, 0]), 0.0),
        ("jaccard", (1.0, 0.0, 0.0), ([0, 0, 0, 1], [0, 1, 1, 0]), 0.0),
    ],
)
def test_curves_of_known_metrics(name: str, wanted: Any, sides: Any, missing: float) -> None:
    """F1 of a share p of the true positives among all but the true negatives is 2p ÷ (1 + p)."""
    curve = curve_of(get(name))
    assert curve is not None
    assert (curve.a, curve.b, curve.c) == wanted
    assert curve.sides.tolist() == list(sides)
    assert curve.missing == pytest.approx(missing, nan_ok=True)
    share = get(name).proportion
    assert share is not None
    assert of_proportion(get(name), share, SHARES) == pytest.approx(curve.at(SHARES), rel=1e-12)
    assert curve_of(get("accuracy")) is None


def test_a_curve_is_one_on_tables_with_empty_cells_too() -> None:
    """A metric of other cells than its proportion, or of no curve of it, has none."""
    assert curve_of(made(own_recall, *OF_TWO)) is not None
    for formula in (squared, of_predicted, right, and_false_alarms, falling):
        assert curve_of(made(formula, *OF_TWO)) is None


# Derivatives.


@pytest.mark.parametrize(
    "name",
    [
        "f1",
        "recall",
        "cohen_kappa",
        "accuracy",
        "matthews_correlation",
        "kappa_quadratic",
        "normalized_mutual_information",
    ],
)
def test_derivatives_are_those_of_one_row_more_in_a_cell(name: str) -> None:
    """Of each cell in turn, by a small difference; cells are truth by prediction."""
    asked = get(name)
    values, slopes = measured(asked, TABLES)
    assert slopes.shape == (3, 2, 2)

    def value(table: Any) -> float:
        return float(np.ravel(asked.values(Cells.dense(table, classes=TWO, n_rows=1)).value)[-1])

    for u, table in enumerate(TABLES):
        assert np.ravel(values)[u] == pytest.approx(value(table), rel=1e-12)
        slope = np.zeros((2, 2))
        for cell in np.ndindex(2, 2):
            step = np.zeros((2, 2))
            step[cell] = 1e-4
            slope[cell] = (value(table + step) - value(table - step)) / 2e-4
        n = table.sum()
        # The same number more in each cell of the derivative changes no influence.
        apart = slopes[u] - (table * slopes[u]).sum() / n
        wanted = slope - (table * slope).sum() / n
        assert apart == pytest.approx(wanted, rel=1e-5, abs=1e-8)


# Values at proportions.


def test_values_at_a_proportion_and_at_two() -> None:
    recall, youden = get("recall"), get("informedness")
    share = recall.proportion
    assert share is not None
    assert of_proportion(recall, share, SHARES) == pytest.approx(SHARES, rel=1e-15)
    first, second = np.meshgrid(SHARES, SHARES)
    found = at_proportions(youden, OF_TRUE_CLASSES, first, second)
    # The true negatives' share and the true positives' less 1.
    assert found == pytest.approx(first + second - 1.0, abs=1e-12)
    assert found.shape == (6, 6)


@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_values_at_a_share_of_right_rows(k: int) -> None:
    """Of at least two classes: average accuracies leave out rows that neither side names."""
    assert of_right_rows(get("accuracy"), SHARES, k) == pytest.approx(SHARES, rel=1e-15)
    of_each = 1.0 - 2.0 * (1.0 - SHARES) / max(k, 2)
    assert of_right_rows(get("average_accuracy"), SHARES, k) == pytest.approx(of_each, rel=1e-12)
    assert of_right_rows(get("micro_f1"), SHARES, k) == pytest.approx(SHARES, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 10])
def test_curves_of_the_share_of_right_rows_rise_or_fall(k: int) -> None:
    """The Jaccard index of all labels is p ÷ (2 − p)."""
    for name, wanted in (
        ("accuracy", (1.0, 0.0, 0.0)),
        ("error_rate", (-1.0, 1.0, 0.0)),
        ("micro_jaccard", (0.5, 0.0, -0.5)),
        ("average_accuracy", (2.0 / k, 1.0 - 2.0 / k, 0.0)),
        ("average_error_rate", (-2.0 / k, 2.0 / k, 0.0)),
    ):
        assert curve_of_right_rows(get(name), k) == pytest.approx(wanted, abs=1e-14)
    assert curve_of_right_rows(get("micro_diagnostic_odds_ratio"), k) is None
    assert curve_of_right_rows(get("micro_positive_likelihood_ratio"), k) is None


def without_hits(c: Table) -> Node:
    """A curve of the right rows that is not defined without any."""
    return 0.5 * (total(c.tp) / c.n) + 0.5 * (total(c.tp) / total(c.tp))


def without_errors(c: Table) -> Node:
    """A curve of the right rows that is not defined without errors."""
    return 0.5 * (total(c.tp) / c.n) + 0.25 * (total(c.fp) / total(c.fp))


def nowhere(c: Table) -> Node:
    """No curve of the right rows."""
    return (total(c.tp) / c.n) * (total(c.tp) / c.n)


@pytest.mark.parametrize("formula", [without_hits, without_errors, nowhere])
def test_a_curve_of_right_rows_reaches_from_0_to_1(formula: Callable[..., Node]) -> None:
    """At every proportion the metric lies on it, at the ends as well."""
    for k in (2, 4):
        assert curve_of_right_rows(made(formula), k) is None


# Limits of whole metrics.

WIDE = np.array([[31, 7, 3], [4, 22, 9], [1, 5, 17]])
ASKED = Confidence(0.9)
MACRO, KAPPA = get("macro_recall"), get("cohen_kappa")


def table(counts: Any = WIDE, weight: float | None = None, clusters: Any = None) -> TableVariance:
    counts = np.asarray(counts)
    squares = None if weight is None else counts * weight**2
    cells = Cells.dense(
        counts if weight is None else counts * weight,
        classes=Classes.of(range(len(counts))),
        squares=squares,
        n_rows=int(counts.sum()),
    )
    return TableVariance(cells, "cohort", clusters)


def influence(asked: Metric, counts: Any) -> tuple[float, Any]:
    """The value of a table, and how much one row more in each cell moves it, times the rows."""

    def value(of: Any) -> float:
        classes = Classes.of(range(len(of)))
        return float(asked.values(Cells.dense(of, classes=classes, n_rows=1)).value)

    counts = np.asarray(counts, np.float64)
    phi = np.zeros(counts.shape)
    for cell in np.ndindex(*counts.shape):
        step = np.zeros(counts.shape)
        step[cell] = 1e-3
        phi[cell] = counts.sum() * (value(counts + step) - value(counts - step)) / 2e-3
    return value(counts), phi - (counts * phi).sum() / counts.sum()


@pytest.mark.parametrize("asked", [MACRO, KAPPA], ids=str)
@pytest.mark.parametrize("weight", [None, 3.0])
def test_moments_are_those_of_a_sixth_of_a_row_more_in_each_cell(
    asked: Metric, weight: float | None
) -> None:
    more = WIDE + 0.5 / 3.0
    value, phi = influence(asked, more)
    found = _moments(asked, table(weight=weight), "zero")
    assert found is not None
    shares = more / more.sum()
    assert found.value == pytest.approx(value, rel=1e-9)
    assert found.second == pytest.approx((shares * phi**2).sum(), rel=1e-5)
    assert found.third == pytest.approx((shares * phi**3).sum(), rel=1e-5)
    assert found.n == pytest.approx(WIDE.sum(), rel=1e-12)


def moment_limits(found: _Moments, asked: Confidence, metric_: Metric, value: float) -> Any:
    """Limits from moments that are given."""
    spread = table()
    spread.kept["moments", metric_, "zero"] = found
    return whole_limits(metric_, value, spread, asked, "zero")


@pytest.mark.parametrize(("metric_", "low", "span"), [(MACRO, 0.0, 1.0), (KAPPA, -1.0, 2.0)])
def test_limits_follow_from_the_moments(metric_: Metric, low: float, span: float) -> None:
    """On the scale from 0 to 1, with the variance E φ² ÷ n and its slope E φ³ ÷ (n · E φ²)."""
    found = _Moments(low + 0.7 * span, 0.4, -0.3, 50.0)
    wanted = wilson_limits_of_moving(
        0.75, 0.7, 0.4 / 50.0 / span**2, -0.3 / 0.4 / 50.0 / span, float(norm.ppf(0.95))
    )
    given = moment_limits(found, ASKED, metric_, low + 0.75 * span)
    assert given == pytest.approx([low + span * x for x in wanted], rel=1e-12)


def test_limits_of_a_proportion_are_those_of_wilson() -> None:
    """E φ² of a share p is p·(1 − p), and E φ³ is p·(1 − p)·(1 − 2p)."""
    p = 0.7
    found = _Moments(p, p * (1 - p), p * (1 - p) * (1 - 2 * p), 50.0)
    wanted = wilson_limits(p, 50.0, float(norm.ppf(0.95)))
    assert moment_limits(found, ASKED, MACRO, p) == pytest.approx(
        tuple(map(float, wanted)), rel=1e-12
    )


@pytest.mark.parametrize(("metric_", "low", "span"), [(MACRO, 0.0, 1.0), (KAPPA, -1.0, 2.0)])
def test_limits_of_windows_are_exact(metric_: Metric, low: float, span: float) -> None:
    """Of the rows n' at which a share has the same variance: p·(1 − p) ÷ n'."""
    window = Confidence(0.9, window=1)
    found = _Moments(low + 0.6 * span, 0.5, 0.2, 30.0)
    n = 0.6 * 0.4 / (0.5 / 30.0 / span**2)
    wanted = (
        beta.ppf(window.tail, 0.55 * n, 0.45 * n + 1.0),
        beta.isf(window.tail, 0.55 * n + 1.0, 0.45 * n),
    )
    given = moment_limits(found, window, metric_, low + 0.55 * span)
    assert given == pytest.approx([low + span * x for x in wanted], rel=1e-9)
    # At an end no share has such a variance: the limits are those of one look.
    for end in (low, low + span):
        at_end = _Moments(end, 0.5, 0.2, 30.0)
        middle = low + 0.55 * span
        slope = 0.2 / 0.5 / 30.0 / span
        moving = wilson_limits_of_moving(
            0.55, (end - low) / span, 0.5 / 30.0 / span**2, slope, window.quantile()
        )
        assert moment_limits(at_end, window, metric_, middle) == pytest.approx(
            [low + span * x for x in moving], rel=1e-12
        )


def test_what_has_no_range_or_does_not_vary_has_no_limits() -> None:
    for name in ("diagnostic_odds_ratio", "macro_diagnostic_odds_ratio"):
        assert whole_limits(get(name), 2.0, table(), ASKED, "zero") is None
    for value in (-0.1, 1.1, math.nan):
        assert whole_limits(MACRO, value, table(), ASKED, "zero") is None
    for value in (0.0, 1.0):
        assert whole_limits(MACRO, value, table(), ASKED, "zero") is not None
    spread = table()
    spread.kept["moments", MACRO, "zero"] = None
    assert whole_limits(MACRO, 0.5, spread, ASKED, "zero") is None


def test_moments_are_made_once_for_each_policy() -> None:
    spread = table()
    first = whole_limits(MACRO, 0.7, spread, ASKED, "zero")
    assert set(spread.kept) >= {("moments", MACRO, "zero")}
    spread.kept["moments", MACRO, "zero"] = _Moments(0.7, 0.9, 0.0, 9.0)
    assert whole_limits(MACRO, 0.7, spread, ASKED, "zero") != first
    assert whole_limits(MACRO, 0.7, spread, ASKED, "exclude") == pytest.approx(first, rel=1e-12)


@pytest.mark.parametrize("counts", [WIDE, np.diag([20, 30, 10])])
def test_dependent_rows_of_clusters_are_fewer(counts: Any) -> None:
    """Rows over the ratio of the variances; without errors each cluster is a row."""
    places = np.repeat(np.arange(9), counts.ravel())
    clusters = ClusteredCells.of(np.arange(len(places)) // 3, places, None)
    spread = table(counts, clusters=clusters)
    found = _moments(MACRO, spread, "zero")
    assert found is not None
    n, n_clusters = len(places), clusters.n_clusters
    if not (counts - np.diag(np.diag(counts))).any():
        assert found.n == pytest.approx(n_clusters, rel=1e-12)
        return
    _, phi = influence(MACRO, counts)
    sums = np.zeros(n_clusters)
    for row, place in enumerate(places):
        sums[row // 3] += phi.ravel()[place] / n
    actual = n_clusters / (n_clusters - 1) * sum(sums**2)
    simple = (counts * phi**2).sum() / n**2
    assert found.n == pytest.approx(n / max(actual / simple, 1.0), rel=1e-5)
    alone = _moments(MACRO, table(counts), "zero")
    assert alone is not None
    assert found[:3] == pytest.approx(alone[:3], rel=1e-12)


def root_of_errors(c: Table) -> Node:
    """A root, whose derivative is infinite where there is no error."""
    return sqrt(1.0 - total(c.tp) / c.n)


def small(size: float, range_: tuple[float, float]) -> Metric:
    """A little of the accuracy."""

    def little_accuracy(c: Table) -> Node:
        """A proportion, scaled."""
        return size * (total(c.tp) / c.n)

    return made(little_accuracy, range_=range_)


@pytest.mark.parametrize(("range_", "span"), [((0.0, 1.0), 1.0), ((-1.0, 1.0), 2.0)])
def test_influences_of_a_billionth_of_the_range_are_rounding(range_: Any, span: float) -> None:
    """A half of the rows are right: E φ² is a quarter of the square of the size."""
    half = [[20, 20], [20, 20]]
    for part, varies in ((0.99, False), (1.01, True)):
        found = _moments(small(2e-9 * part * span, range_), table(half), "zero")
        assert (found is not None) == varies
    # Of a table without errors that of the rows counts, and clusters are rows.
    counts = np.array([[50, 1], [0, 49]])
    places = np.repeat(np.arange(4), counts.ravel())
    clusters = ClusteredCells.of(np.arange(100) // 2, places, None)
    for part, n in ((0.99, 50.0), (1.01, 100.0)):
        size = 1e-9 * part * span / math.sqrt(0.99 * 0.01)
        found = _moments(small(size, range_), table(counts, clusters=clusters), "zero")
        assert found is not None
        # One wrong row of 100 pairs up with a right one: the variance is that of single rows.
        assert found.n == pytest.approx(n, rel=0.03)


def test_cells_that_are_not_listed_are_not_filled() -> None:
    """The moments are those of the table alone; a root of no errors has no derivative."""
    spread = TableVariance(to_sparse(table().cells))
    found = _moments(MACRO, spread, "zero")
    value, phi = influence(MACRO, WIDE)
    assert found is not None
    assert found.value == pytest.approx(value, rel=1e-9)
    assert found.second == pytest.approx((WIDE * phi**2).sum() / WIDE.sum(), rel=1e-5)
    assert found.third == pytest.approx((WIDE * phi**3).sum() / WIDE.sum(), rel=1e-5)
    assert found.n == pytest.approx(WIDE.sum(), rel=1e-12)
    perfect = table(np.diag([20, 30, 10]))
    root = made(root_of_errors)
    assert _moments(root, TableVariance(to_sparse(perfect.cells)), "zero") is None
    assert _moments(root, perfect, "zero") is not None
