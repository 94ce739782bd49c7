"""Intervals of metrics of sets: rows are the units, by hand, by leaving rows out, by simulation."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import karat
from karat.inference import set_intervals
from karat.inference.confidence import Confidence
from karat.inference.set_intervals import SetIntervals
from karat.inference.set_moves import LabelMoves
from karat.inference.set_variance import LabelClusters
from karat.metrics import get
from karat.metrics._of_sets import values_on_sets
from karat.tally import Classes, ClusteredCells
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from tests.six_rows import PRED, TRUE

OTHERS = ("macro_f1", "weighted_f1", "macro_jaccard", "f1_of_macro_averages", "micro_recall")


def rows_of(true: np.ndarray, pred: np.ndarray, w: Any = None) -> SetRows:
    labels = Classes(tuple(range(true.shape[1])), is_declared=True)
    return SetRows(labels, Sets.of_matrix(true), Sets.of_matrix(pred), weights=w)


def interval(rows: SetRows, name: str, policy: Any = "zero", **asked: Any) -> Any:
    confidence = Confidence.of(**asked)
    assert confidence is not None
    found = SetIntervals(rows.tally, confidence, rows, policy)
    return found.of(get(name), float(values_on_sets(get(name), rows.tally, policy).value))


def random_rows(seed: int, n: int, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([266, seed])
    both = rng.normal(size=(n, 1))
    true = (0.6 * both + rng.normal(size=(n, k))) > 0.8
    return true, np.where(rng.random((n, k)) < 0.2, ~true, true)


def test_standard_errors_and_wilson_limits_by_hand() -> None:
    rows = rows_of(TRUE, PRED)
    # √(Σφ²) ÷ n, times √(n ÷ (n − 1)): φ of each row as written in the specification of sets.
    assert interval(rows, "hamming_loss").standard_error == pytest.approx(0.041667, abs=1e-6)
    assert interval(rows, "micro_f1").standard_error == pytest.approx(0.108463, abs=1e-6)
    whole = np.sqrt(6 / 5)
    assert interval(rows, "macro_f1").standard_error == pytest.approx(0.076547 * whole, abs=1e-6)
    of_rows = interval(rows, "subset_accuracy")
    assert (of_rows.low, of_rows.high) == pytest.approx((0.030053, 0.563503), abs=1e-6)
    # The control: an error of cells drawn one by one.
    cells = float(np.sqrt(5 / 24 * 19 / 24 / 24))
    assert interval(rows, "hamming_loss").standard_error != pytest.approx(cells, rel=0.1)


@pytest.mark.parametrize("name", [*OTHERS, "hamming_loss", "samples_f1", "subset_accuracy"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_standard_errors_are_those_of_the_jackknife(name: str, is_weighted: bool) -> None:
    true, pred = random_rows(1, 400)
    w = np.random.default_rng(0).integers(1, 4, 400).astype(float) if is_weighted else None
    error = interval(rows_of(true, pred, w), name).standard_error
    without = []
    for row in range(400):
        kept = np.arange(400) != row
        some = rows_of(true[kept], pred[kept], None if w is None else w[kept])
        without.append(float(values_on_sets(get(name), some.tally).value))
    jackknife = float(np.sqrt(399 * np.var(without)))
    assert error == pytest.approx(jackknife, rel=0.03)


@pytest.mark.parametrize("seed", range(4))
def test_labels_of_a_row_that_go_together_widen_the_interval(seed: int) -> None:
    true, pred = random_rows(seed, 300, 4)
    # Every label four times over: rows say no more, cells seem to.
    wide = np.repeat(true, 4, axis=1), np.repeat(pred, 4, axis=1)
    for name in ("hamming_loss", "micro_f1", "macro_f1"):
        once, often = (interval(rows_of(*each), name) for each in ((true, pred), wide))
        assert often.standard_error == pytest.approx(once.standard_error, rel=1e-9)
        assert (often.low, often.high) == pytest.approx((once.low, once.high), rel=1e-9)


def test_limits_hold_the_truth_where_labels_go_together() -> None:
    names, k = ("hamming_loss", "micro_f1", "subset_accuracy", "macro_f1"), 20
    normal = NormalDist()

    def draw(rng: np.random.Generator, n: int) -> SetRows:
        def together() -> np.ndarray:
            return np.sqrt(0.3) * rng.normal(size=(n, 1)) + np.sqrt(0.7) * rng.normal(size=(n, k))

        true, chance = together() < normal.inv_cdf(0.2), together()
        pred = np.where(true, chance < normal.inv_cdf(0.7), chance < normal.inv_cdf(0.05))
        return rows_of(true, pred)

    whole = draw(np.random.default_rng(0), 200_000).tally
    truth = {name: float(values_on_sets(get(name), whole).value) for name in names}
    held: dict[str, list[bool]] = {name: [] for name in names}
    by_cells = []
    for seed in range(150):
        rows = draw(np.random.default_rng([7, seed]), 200)
        for name in names:
            found = interval(rows, name)
            held[name].append(found.low <= truth[name] <= found.high)
        p = float(values_on_sets(get("hamming_loss"), rows.tally).value)
        near = 1.96 * np.sqrt(p * (1 - p) / (200 * k))
        by_cells.append(abs(p - truth["hamming_loss"]) <= near)
    assert all(np.mean(each) >= 0.90 for each in held.values()), held
    # The control: cells as the units.
    assert np.mean(by_cells) < min(0.9, float(np.mean(held["hamming_loss"])))


def test_what_is_asked_for() -> None:
    rows = rows_of(*random_rows(2, 200))
    for name in ("macro_f1", "micro_f1", "samples_f1", "subset_accuracy"):
        both, low = interval(rows, name), interval(rows, name, level=0.975, side="low")
        assert low.low == pytest.approx(both.low, rel=1e-9)
        assert low.high == 1.0
        wider = interval(rows, name, level=0.99)
        assert wider.low < both.low < both.high < wider.high
        for method in ("wald", "logit", "bootstrap", "bca", "bayesian"):
            other = interval(rows, name, method=method, n_replicates=200)
            assert other.method is not None
            assert other.low == pytest.approx(both.low, abs=0.03)
            assert other.high == pytest.approx(both.high, abs=0.03)
    assert interval(rows, "samples_f1", "exclude").low is not None
    assert interval(rows, "micro_true_positives").remark is not None


def test_perfect_rows_and_rows_that_say_nothing() -> None:
    true, _ = random_rows(3, 50)
    perfect = rows_of(true, true)
    for name in ("subset_accuracy", "macro_f1", "micro_f1", "samples_f1"):
        found = interval(perfect, name, "exclude")
        assert found.high == 1.0
        assert 0.5 < found.low < 1.0
    one = rows_of(true[:1], true[:1])
    assert "one row" in (interval(one, "hamming_loss").remark or "")
    alone = SetIntervals(rows_of(*random_rows(3, 50)).tally, Confidence())
    assert "kept no rows" in (alone.of(get("weighted_f1"), 0.5).remark or "")
    assert alone.of(get("micro_f1"), 0.5).low is not None


def test_the_report_holds_them() -> None:
    true, pred = random_rows(4, 120)
    report: Any = karat.evaluate(true, pred)
    assert report["macro_f1"].low < report["macro_f1"].value < report["macro_f1"].high
    assert report.macro_f1.method == "mover"
    assert report["micro_f1"].low == interval(rows_of(true, pred), "micro_f1").low
    row = report.per_class[0]
    low, high = row["intervals"]["recall"]
    assert low < row["recall"] < high
    plain = karat.recall(true[:, 0].astype(int), pred[:, 0].astype(int))
    assert row["recall"] == pytest.approx(plain)
    alone = karat.evaluate(true[:, 0].astype(int), pred[:, 0].astype(int))["recall"]
    assert (low, high) == pytest.approx((alone.low, alone.high))


@pytest.mark.parametrize("name", OTHERS)
def test_a_sample_of_rows_that_stand_for_several_is_that_of_the_rows(name: str) -> None:
    true, pred = random_rows(5, 60)
    times = np.random.default_rng(1).integers(1, 4, 60)
    each = np.repeat(np.arange(60), times)
    repeated = rows_of(true[each], pred[each])
    often = replace(rows_of(true, pred, times.astype(float)), is_frequency=True)
    value = float(values_on_sets(get(name), repeated.tally).value)
    expected = interval(repeated, name)
    for rows in (often, repeated):
        found = SetIntervals(rows.tally, Confidence(), sample=rows).of(get(name), value)
        assert found.standard_error == pytest.approx(expected.standard_error, rel=1e-9)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize("metric", ["samples_false_omission_rate", "samples_recall"])
@pytest.mark.parametrize("clusters", [None, [0, 0, 1, 1, 0]])
def test_an_undefined_row_without_weight_counts_for_nothing(
    metric: str, clusters: list[int] | None
) -> None:
    true = [{"a"}, {"b"}, {"a"}, {"b"}, set()]
    pred = [{"a"}, {"a"}, set(), {"b"}, {"a", "b"}]
    given = {"labels": ["a", "b"], "undefined": "nan", "metrics": [metric]}
    whole = karat.evaluate(true, pred, weights=[1, 1, 1, 1, 0], clusters=clusters, **given)[metric]
    less = None if clusters is None else clusters[:4]
    rest = karat.evaluate(true[:4], pred[:4], weights=[1] * 4, clusters=less, **given)[metric]
    assert math.isfinite(rest.standard_error)
    # Its weight counts: the row itself would make the value undefined.
    assert math.isnan(karat.evaluate(true, pred, **given)[metric].value)
    assert whole.value == rest.value
    assert (whole.low, whole.high, whole.standard_error) == pytest.approx(
        (rest.low, rest.high, rest.standard_error)
    )


@pytest.mark.parametrize("power", [-440, 440])
def test_weights_of_any_unit_have_the_same_limits(power: int) -> None:
    rng = np.random.default_rng(7)
    true, pred = (rng.random((80, 4)) < 0.4).astype(int), (rng.random((80, 4)) < 0.5).astype(int)
    weights = rng.integers(1, 5, 80).astype(float)
    names = ["macro_f1", "micro_f1", "subset_accuracy", "macro_recall"]
    plain = karat.evaluate(true, pred, weights=weights, metrics=names)
    scaled = karat.evaluate(true, pred, weights=np.ldexp(weights, power), metrics=names)
    for name in names:
        limits = [
            (each.low, each.high, each.standard_error) for each in (plain[name], scaled[name])
        ]
        assert limits[0] == pytest.approx(limits[1])


def test_inflation_of_each_label_is_that_of_its_weights_or_clusters() -> None:
    """Ratio of the variance by rows to that of as many rows of equal weight, at least 1."""
    rng = np.random.default_rng(9)
    n = 90
    true, pred = (rng.random((n, 2)) < 0.5).astype(int), (rng.random((n, 2)) < 0.4).astype(int)
    weights, clusters = rng.integers(1, 6, n).astype(float), np.arange(n) % 15
    partials = np.array([[[0.1, -0.7], [0.3, 1.1]], [[-0.2, 0.5], [0.9, 0.4]]])
    for given in ({"weights": weights}, {"clusters": clusters}):
        report = karat.evaluate(true, pred, **given)
        found = SetIntervals(report.tally, Confidence(), report.encoded).spread
        w = given.get("weights", np.ones(n))
        rows_of_equal_weight = w.sum() ** 2 / (w**2).sum()
        for label in range(2):
            phi = partials[label][true[:, label], pred[:, label]]
            phi = phi - np.average(phi, weights=w)
            if "weights" in given:
                variance = (w**2 * phi**2).sum() / w.sum() ** 2
            else:
                sums = np.bincount(clusters, phi)
                variance = 15 / 14 * (sums**2).sum() / n**2
            simple = np.average(phi**2, weights=w) / rows_of_equal_weight
            assert found.class_variances(partials)[label] == pytest.approx(variance)
            assert found.class_inflation(partials)[label] == pytest.approx(
                max(variance / simple, 1.0)
            )


@pytest.mark.parametrize("is_clustered", [False, True])
def test_the_acceleration_of_a_mean_over_rows_is_that_of_its_rows(
    is_clustered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    true, pred = (rng.random((60, 3)) < 0.5).astype(int), (rng.random((60, 3)) < 0.6).astype(int)
    clusters = np.arange(60) % 12 if is_clustered else None
    seen: list[float] = []
    draw = set_intervals.interval_of_draws

    def spy(metric: Any, value: float, drawn: Any, asked: Any, acceleration: float) -> Any:
        seen.append(acceleration)
        return draw(metric, value, drawn, asked, acceleration)

    monkeypatch.setattr(set_intervals, "interval_of_draws", spy)
    bca = karat.Interval(method="bca", n_replicates=200)
    result = karat.evaluate(true, pred, clusters=clusters, interval=bca)["samples_jaccard"]
    both, either = (true & pred).sum(axis=1), (true | pred).sum(axis=1)
    values = np.where(either > 0, both / np.maximum(either, 1), 0.0)
    phi = values - values.mean()
    if clusters is not None:
        phi = np.bincount(clusters, phi)
    assert result.value == pytest.approx(values.mean())
    assert seen[-1] == pytest.approx((phi**3).sum() / (6.0 * (phi**2).sum() ** 1.5))


def test_moves_of_a_mean_over_labels_are_a_part_of_their_sum() -> None:
    moves = LabelMoves(get("roc_auc"), np.array([3.0, -3.0]), np.array([0.5, -0.5]))
    moves.growth = np.array([8.0, 0.3])
    macro = moves.of_lift("macro", 4)
    assert (macro.phi.tolist(), macro.growth) == ([0.75, -0.75], 0.5)
    weighted = moves.of_lift("weighted", 4)
    assert (weighted.phi.tolist(), weighted.growth) == ([0.5, -0.5], 0.3)
    assert moves.of_lift("macro", 0).growth == 8.0


@pytest.mark.parametrize("name", ["macro_f1", "macro_recall", "macro_precision", "macro_jaccard"])
def test_labels_that_are_excluded_change_no_limit(name: str) -> None:
    true, pred = random_rows(3, 120)
    nothing = np.zeros((120, 3), int)
    alone = interval(rows_of(true, pred), name, "exclude")
    beside = interval(
        rows_of(np.hstack([true, nothing]), np.hstack([pred, nothing])), name, "exclude"
    )
    assert (beside.low, beside.high) == pytest.approx((alone.low, alone.high), rel=1e-12)
    assert beside.standard_error == pytest.approx(alone.standard_error, rel=1e-12)


@pytest.mark.parametrize("name", ["samples_f1", "subset_accuracy", "macro_f1"])
@pytest.mark.parametrize("kind", ["importance", "frequency"])
def test_skewness_of_weighted_rows_has_no_unit(name: str, kind: str) -> None:
    """Rows of weight 2 and 4 are those of weight 1 and 2; counts are rows that stand there."""
    true, pred = random_rows(4, 40)
    weights = np.where(np.arange(40) % 3, 1.0, 2.0)
    if kind == "importance":
        made = [
            interval(rows_of(true, pred, w), name, method="bca", n_replicates=400)
            for w in (weights, weights / 1024.0, weights * 65536.0)
        ]
        for one in made[1:]:
            assert (one.low, one.high) == pytest.approx((made[0].low, made[0].high), rel=1e-9)
        return
    rows = replace(rows_of(true, pred, weights), is_frequency=True)
    at = np.repeat(np.arange(40), weights.astype(int))
    confidence = Confidence()
    value = float(values_on_sets(get(name), rows.tally, "zero").value)
    accelerations = []
    for one in (rows, rows_of(true[at], pred[at])):
        made_of = SetIntervals(one.tally, confidence, one)
        accelerations.append(made_of._acceleration(made_of.influence(get(name), value)))
    assert accelerations[0] == pytest.approx(accelerations[1], rel=1e-9)
    assert accelerations[0] != 0.0


def test_labels_of_one_cluster_are_its_labels() -> None:
    true, pred = random_rows(7, 12, 4)
    rows = rows_of(true, pred)
    clusters = ClusteredCells.of(np.zeros(12, np.int32), np.arange(12), None)
    found = LabelClusters.of(rows, clusters)
    assert found.label.tolist() == np.flatnonzero((true | pred).any(axis=0)).tolist()
    assert found.cluster.tolist() == [0] * len(found.label)
    assert found.weights[2].tolist() == (true & pred).sum(axis=0)[found.label].tolist()
