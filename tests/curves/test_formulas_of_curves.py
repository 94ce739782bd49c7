"""Areas against the metrics; the other curves against their formulas, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from tests.curves.problems import Problem, binary, problems
from tests.same import assert_same

CLOSE = 1e-12


def called(y: Any, s: Any, w: Any, threshold: float) -> tuple[float, float]:
    """Weight of true and of false positives, from the rows."""
    w = np.ones(len(y)) if w is None else w
    above = s >= threshold
    return float(w[above & (y == 1)].sum()), float(w[above & (y == 0)].sum())


def totals(y: Any, w: Any) -> tuple[float, float]:
    w = np.ones(len(y)) if w is None else w
    return float(w[y == 1].sum()), float(w[y == 0].sum())


@pytest.mark.parametrize("options", [{}, {"drop_intermediate": True}, {"limit": 5}])
def test_areas_are_those_of_the_metrics(options: dict[str, Any]) -> None:
    for y, s, weights in binary(100):
        given: dict[str, Any] = {"y_score": s, "weights": weights}
        roc = karat.curves.roc(y, **given, **options)
        pr = karat.curves.precision_recall(y, **given, **options)
        assert roc.area == karat.roc_auc(y, **given)
        assert pr.area == karat.pr_auc_trapezoid(y, **given)
        assert pr.average_precision == karat.average_precision(y, **given)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_areas_of_classes_are_those_of_the_metrics(k: int) -> None:
    for problem in problems(k, 20):
        y, given = problem.y_true, problem.given
        roc = karat.curves.roc(y, average=None, **given)
        pr = karat.curves.precision_recall(y, average=None, **given)
        assert [c.area for c in roc.values()] == karat.roc_auc(y, average=None, **given).tolist()
        found = [c.average_precision for c in pr.values()]
        assert found == karat.average_precision(y, average=None, **given).tolist()
        micro = karat.curves.roc(y, average="micro", **given)
        assert micro.area == karat.roc_auc_ovr_micro(y, **given)
        micro = karat.curves.precision_recall(y, average="micro", **given)
        assert micro.average_precision == karat.micro_average_precision(y, **given)


def test_areas_are_those_under_the_lines() -> None:
    for y, s, w in binary(60):
        for function in (karat.curves.roc, karat.curves.precision_recall, karat.curves.gain):
            curve = function(y, y_score=s, weights=w)
            x, heights = (getattr(curve, name) for name in curve.axes)
            assert_same(curve.area, np.trapezoid(heights, x), within=CLOSE)


def gain_and_lift(y: Any, s: Any, w: Any, gain: Any, lift: Any) -> None:
    n_pos, n_neg = totals(y, w)
    for i, threshold in enumerate(gain.thresholds):
        tp, fp = called(y, s, w, threshold)
        assert_same(gain.share[i], (tp + fp) / (n_pos + n_neg), within=CLOSE)
        assert_same(gain.gain[i], tp / n_pos, within=CLOSE)
        if i:
            wanted = tp / (tp + fp) / (n_pos / (n_pos + n_neg))
            assert_same(lift.lift[i], wanted, within=CLOSE)
    assert lift.lift[0] == lift.lift[1]
    assert_same(lift.share, gain.share)


def test_gain_and_lift_are_their_formulas() -> None:
    for y, s, w in binary(60, most=60):
        gain, lift = (f(y, y_score=s, weights=w) for f in (karat.curves.gain, karat.curves.lift))
        gain_and_lift(y, s, w, gain, lift)
        for share, height, times in zip(gain.share[1:], gain.gain[1:], lift.lift[1:], strict=True):
            at = {"y_score": s, "weights": w, "share": min(share, 1.0)}
            assert_same(height, karat.gain_at(y, **at), within=CLOSE)
            assert_same(times, karat.lift_at(y, **at), within=CLOSE)


def test_a_wrong_gain_is_noticed() -> None:
    y, s, _ = next(binary(1))
    gain, lift = (f(y, y_score=s) for f in (karat.curves.gain, karat.curves.lift))
    with pytest.raises(AssertionError):
        gain_and_lift(1 - y, s, None, gain, lift)
    with pytest.raises(AssertionError):
        gain_and_lift(y, s, np.arange(len(y)), gain, lift)


def compare_cost(y: Any, s: Any, w: Any, curve: Any) -> None:
    """The smallest of all lines, on a grid and at the corners; each line is one of them."""
    n_pos, n_neg = totals(y, w)
    lines = {}
    for threshold in [np.inf, *np.unique(s if w is None else s[w > 0])]:
        tp, fp = called(y, s, w, threshold)
        lines[threshold] = fp / n_neg, 1 - tp / n_pos
    at = np.append(np.linspace(0, 1, 101), curve.probability_cost)
    ends = np.array(list(lines.values()))
    lowest = (np.outer(1 - at, ends[:, 0]) + np.outer(at, ends[:, 1])).min(axis=1)
    found = np.interp(at, curve.probability_cost, curve.cost)
    assert_same(found, lowest, within=CLOSE)
    assert_same(curve.cost, lowest[101:], within=CLOSE)
    for i, threshold in enumerate(curve.thresholds):
        fpr, fnr = lines[threshold]
        assert_same([curve.fpr[i], curve.fnr[i]], [fpr, fnr], within=CLOSE)
        middle = curve.probability_cost[i : i + 2].mean()
        between = curve.cost[i : i + 2].mean()
        assert_same(fpr * (1 - middle) + fnr * middle, between, within=CLOSE)


def test_the_cost_curve_is_the_lowest_line() -> None:
    for y, s, w in binary(100):
        curve = karat.curves.cost(y, y_score=s, weights=w)
        compare_cost(y, s, w, curve)
        assert (curve.probability_cost[0], curve.probability_cost[-1]) == (0, 1)
        assert (np.diff(curve.probability_cost) > 0).all()
        assert (np.diff(curve.thresholds) < 0).all()
        assert (len(curve.thresholds), curve.n_full) == (len(curve) - 1, len(curve))
        assert_same(curve.area, np.trapezoid(curve.cost, curve.probability_cost), within=CLOSE)


def test_a_wrong_cost_curve_is_noticed() -> None:
    y, s, _ = next(binary(1))
    with pytest.raises(AssertionError):
        compare_cost(y, s, None, karat.curves.cost(1 - y, y_score=s))


@pytest.mark.parametrize("limit", [3, 4, 6])
def test_fewer_lines_cost_at_most_the_error_more(limit: int) -> None:
    at = np.linspace(0, 1, 401)
    n_less = 0
    for y, s, w in binary(60):
        whole = karat.curves.cost(y, y_score=s, weights=w)
        fewer = karat.curves.cost(y, y_score=s, weights=w, limit=limit)
        more = np.interp(at, fewer.probability_cost, fewer.cost) - np.interp(
            at, whole.probability_cost, whole.cost
        )
        assert len(fewer) <= limit
        assert more.min() > -CLOSE
        assert more.max() <= fewer.error + CLOSE
        assert (fewer.area, fewer.n_full) == (whole.area, len(whole))
        n_less += len(whole) > len(fewer)
    assert n_less > 0


def compare_net_benefit(y: Any, p: Any, w: Any, curve: Any) -> None:
    n_pos, n_neg = totals(y, w)
    n = n_pos + n_neg
    for i, t in enumerate(curve.thresholds):
        tp, fp = called(y, p, w, t)
        odds = t / (1 - t)
        assert_same(curve.benefit[i], tp / n - fp / n * odds, within=CLOSE)
        assert_same(curve.treat_all[i], n_pos / n - n_neg / n * odds, within=CLOSE)
    assert not curve.treat_none.any()


def test_net_benefit_is_its_formula() -> None:
    for number, (y, s, w) in enumerate(binary(60)):
        p = np.round(1 / (1 + np.exp(-s)), 2)  # many lie on a threshold
        given = None if number % 2 else [0.0, 0.5, 0.07, 0.999]
        curve = karat.curves.net_benefit(y, y_prob=p, weights=w, thresholds=given)
        assert_same(curve.thresholds, np.arange(1, 100) / 100 if given is None else given)
        compare_net_benefit(y, p, w, curve)


def test_a_wrong_net_benefit_is_noticed() -> None:
    y, s, _ = next(binary(1))
    p = np.round(1 / (1 + np.exp(-s)), 2)
    curve = karat.curves.net_benefit(y, y_prob=p)
    with pytest.raises(AssertionError):
        # Who has exactly the threshold is treated.
        compare_net_benefit(y, p - 0.001, None, curve)


def compare_reliability(y: Any, p: Any, w: Any, curve: Any) -> None:
    w = np.ones(len(y)) if w is None else w
    lo, hi = curve.edges[:-1], curve.edges[1:]
    for b in range(len(curve)):
        if curve.closed == "right":
            inside = (p > lo[b]) & (p <= hi[b]) | ((b == 0) & (p == 0))
        else:
            inside = (p >= lo[b]) & (p < hi[b]) | ((b == len(curve) - 1) & (p == 1))
        total = w[inside].sum()
        assert_same(curve.weight[b], total, within=CLOSE)
        if total > 0:
            mean = (w * p)[inside].sum() / total
            assert_same(curve.mean_confidence[b], mean, within=CLOSE)
            assert_same(curve.share[b], (w * y)[inside].sum() / total, within=CLOSE)
        else:
            assert np.isnan([curve.mean_confidence[b], curve.share[b]]).all()


@pytest.mark.parametrize("closed", ["right", "left"])
@pytest.mark.parametrize("scheme", ["uniform", "quantile"])
def test_reliability_is_its_definition(scheme: str, closed: str) -> None:
    for y, s, w in binary(40):
        p = np.round(1 / (1 + np.exp(-s)), 1)  # on the edges of ten bins
        curve = karat.curves.reliability(
            y, y_prob=p, weights=w, bins=10, scheme=scheme, closed=closed
        )
        compare_reliability(y, p, w, curve)
        assert_same(curve.weight.sum(), sum(totals(y, w)), within=CLOSE)


def test_a_wrong_bin_is_noticed() -> None:
    y, s, _ = next(binary(1))
    p = np.round(1 / (1 + np.exp(-s)), 1)
    curve = karat.curves.reliability(y, y_prob=p, bins=10)
    with pytest.raises(AssertionError):
        compare_reliability(y, np.minimum(p + 1e-9, 1), None, curve)


@pytest.mark.parametrize("k", [2, 4])
def test_logits_count_as_their_softmax_where_probabilities_are_meant(k: int) -> None:
    for problem in problems(k, 10):
        y, weights = problem.y_true, problem.weights
        for name in ("reliability", "net_benefit"):
            function = getattr(karat.curves, name)
            by_score = function(y, average=None, **problem.logits)
            by_prob = function(
                y, average=None, y_prob=problem.probabilities, weights=weights, labels=range(k)
            )
            for label, curve in by_score.items():
                for column, values in curve.columns().items():
                    assert_same(values, by_prob[label].columns()[column], within=1e-9)


def test_a_weight_of_2_is_a_row_twice() -> None:
    for problem in problems(3, 10):
        times = np.random.default_rng(len(problem.y_true)).integers(0, 3, len(problem.y_true))
        times[:] = np.where(problem.y_true == problem.y_true[0], times, times + 1)
        times[0] = 1
        twice = np.repeat(np.arange(len(times)), times)
        repeated = Problem(problem.y_true[twice], problem.scores[twice], None, 3)
        for name in ("roc", "precision_recall", "det", "gain", "lift", "cost", "reliability"):
            function = getattr(karat.curves, name)
            is_of_ranks = name != "reliability"
            given = problem.given if is_of_ranks else problem.logits
            given |= {"weights": times.astype(float)}
            weighted = function(problem.y_true, average=None, **given)
            again = repeated.given if is_of_ranks else repeated.logits
            rows = function(repeated.y_true, average=None, **again)
            for label, curve in weighted.items():
                for column, values in curve.columns().items():
                    # A weight of 2 is one observation: it spreads more than two rows do.
                    if column != "spread":
                        assert_same(values, rows[label].columns()[column], within=1e-9, about=name)
