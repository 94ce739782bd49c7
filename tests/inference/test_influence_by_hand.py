"""Sampling errors of metrics of scores, by sums over rows and over pairs of rows."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from karat.data.scores.histograms import histograms_of, sampled_rows
from karat.inference.confidence import Confidence, Interval
from karat.inference.influence_variance import InfluenceVariances, Whole, _is_mean, _with_variance
from karat.inference.sampling_error import SamplingError
from karat.inference.score_intervals import (
    ScoredIntervals,
    _around,
    _enter,
    _is_drawn,
    _is_known,
    _replicated,
    _why_none,
    is_of_sums,
    measured_histograms,
    measured_with_influence,
    measured_with_intervals,
    reads_one,
)
from karat.inference.value_limits import score_interval
from karat.inference.variance import AreaVariance, Sizes, is_of_classes, optimism
from karat.metrics import get
from karat.metrics._influence.forms import (
    AreaInfluence,
    DifferencesInfluence,
    PairsInfluence,
    PrecisionInfluence,
)
from karat.metrics._measure import measure
from karat.metrics._metric import Metric
from karat.tally import HistogramRows
from tests.inference import reference_influence as reference
from tests.inference.rows import Drawn, drawn, errors, smooth_metrics
from tests.tally.test_score_histograms import rows_of

Floats = npt.NDArray[np.float64]

PAIRS = (PairsInfluence, DifferencesInfluence)
OF_CLASSES = (AreaInfluence, PrecisionInfluence, *PAIRS)


def n_of(weights: Floats) -> float:
    """Kish's rows; of none 0."""
    square = float((weights**2).sum())
    return float(weights.sum()) ** 2 / square if square else 0.0


def factor(n: float) -> float:
    return n / (n - 1.0)


class Plain:
    """Rows of positive weight, with what the definitions make of them."""

    def __init__(self, rows: Drawn) -> None:
        self.rows = rows.take(rows.plain().weights > 0)
        self.plain = self.rows.plain()
        self.codes, self.w = self.plain.codes, self.plain.weights
        self.total, self.n = float(self.w.sum()), n_of(self.w)
        self.of_class = [n_of(self.w[self.codes == i]) for i in range(rows.k)]
        self.of_rest = [n_of(self.w[self.codes != i]) for i in range(rows.k)]

    def phi(self, metric: Metric) -> Floats:
        return np.atleast_2d(reference.influence(metric, self.plain))

    def factors(self, metric: Metric, i: int) -> Floats:
        """By how much the square of each row grows: by class for what compares classes."""
        form = metric.record.influence
        is_area = isinstance(form, AreaInfluence) and metric.lift != "micro"
        if is_area and metric.lift in ("plain", "per_class"):
            own = self.codes == i
            return np.where(own, factor(self.of_class[i]), factor(self.of_rest[i]))
        if is_area or isinstance(form, PAIRS):
            return np.array([factor(self.of_class[code]) for code in self.codes])
        return np.full(len(self.codes), factor(self.n))

    def parts(self, metric: Metric, phi: Floats, i: int = 0) -> Floats:
        """The part of each row in the variance."""
        return np.asarray(self.factors(metric, i) * (self.w * phi) ** 2 / self.total**2)

    def df(self, metric: Metric, i: int) -> float:
        form = metric.record.influence
        if isinstance(form, PrecisionInfluence) and metric.lift in ("plain", "per_class"):
            return self.of_class[i] - 1.0
        if isinstance(form, OF_CLASSES) and metric.lift != "micro":
            return min(self.of_class) - 1.0
        return self.n - 1.0

    def shrunk_area(self, metric: Metric, phi: Floats, i: int) -> tuple[Floats, Floats]:
        """Of the rest and of the class: variances with 5 rows of exponential scores more."""
        scale = metric.record.influence.scale  # type: ignore[union-attr]
        own = self.codes == i
        n = np.array([self.of_rest[i], self.of_class[i]])
        area = reference.of_area(own, reference.ranked(self.plain)[:, i], self.w)[1]
        each = self.parts(metric, phi, i) / scale**2
        seen = np.array([each[~own].sum(), each[own].sum()])
        likely = np.array([area / (2 - area) - area**2, 2 * area**2 / (1 + area) - area**2])
        return (n * seen * n + 5 * likely) / (n + 5) / n, seen


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weights", ["none", "any", "sparse"])
def test_variances_are_sums_over_rows(k: int, weights: str) -> None:
    """Σ f·w²φ² ÷ (Σw)², with the factor of a small sample of each row."""
    rows = drawn(5, 36, k, weights=weights, ties=k == 3)
    plain, metrics = Plain(rows), smooth_metrics(k)
    found = errors(rows, metrics)
    for metric in metrics:
        phi = plain.phi(metric)
        each = found[metric] if metric.lift == "per_class" else (found[metric],)
        assert len(each) == len(phi)
        for at, one in enumerate(each):
            i = at if metric.lift == "per_class" else k - 1
            form, about = metric.record.influence, f"{metric}, class {i}"
            expected = float(plain.parts(metric, phi[at], i).sum())
            assert one.variance == pytest.approx(expected, rel=1e-9), about
            assert one.missing == "", about
            if isinstance(form, AreaInfluence) and metric.lift in ("plain", "per_class"):
                parts, _ = plain.shrunk_area(metric, phi[at], i)
                n = np.array([plain.of_rest[i], plain.of_class[i]])
                assert one.shrunk == pytest.approx(form.scale**2 * parts.sum(), rel=1e-9)
                df = parts.sum() ** 2 / (parts**2 / (n - 1)).sum()
                assert one.df == pytest.approx(df, rel=1e-9)
                assert one.n_effective == pytest.approx(n.min(), rel=1e-12)
                size = plain.w * np.abs(phi[at])
                size = size[plain.codes == i]
                informative = size.sum() ** 2 / (size**2).sum()
                assert one.n_informative == pytest.approx(informative, rel=1e-9)
                continue
            assert one.df == pytest.approx(plain.df(metric, i), rel=1e-12), about
            assert one.n_effective == pytest.approx(one.df + 1.0, rel=1e-12), about
            assert math.isnan(one.n_informative)
            is_average = metric.lift in ("macro", "weighted")
            if not isinstance(form, PAIRS) and not (isinstance(form, AreaInfluence) and is_average):
                assert one.shrunk == pytest.approx(one.variance, rel=1e-12), about
            is_precision = isinstance(form, PrecisionInfluence) and metric.lift != "micro"
            more = optimism(plain.n) if is_precision else 0.0
            assert one.optimism == pytest.approx(more, rel=1e-12)


def test_averages_of_areas_are_shrunk_by_class() -> None:
    """Σ a²·(shrunk variance − variance), with the shares of the classes in the average."""
    for weights in ("none", "any"):
        rows = drawn(8, 40, 3, weights=weights)
        plain = Plain(rows)
        for name in ("roc_auc", "gini"):
            record = get(name).record
            per_class = Metric.of(record, "per_class", {})
            gaps = []
            for i, phi in enumerate(plain.phi(per_class)):
                parts, seen = plain.shrunk_area(per_class, phi, i)
                gaps.append(float(parts.sum() - seen.sum()))
            held = np.array([plain.w[plain.codes == i].sum() for i in range(3)])
            metrics = [Metric.of(record, lift, {}) for lift in ("macro", "weighted")]
            found = errors(rows, metrics)
            for metric, shares in zip(metrics, (np.full(3, 1 / 3), held / held.sum()), strict=True):
                more = record.influence.scale**2 * (shares**2 * gaps).sum()  # type: ignore[union-attr]
                one = found[metric]
                assert one.shrunk - one.variance == pytest.approx(float(more), rel=1e-9)


@pytest.mark.parametrize("name", ["roc_auc_ovo_macro", "roc_auc_ovo_weighted", "roc_auc_mu"])
def test_means_over_pairs_are_shrunk_class_by_class(name: str) -> None:
    """Prior variances of exponential scores, as if all pairs of a class went together."""
    rows = drawn(9, 45, 3, weights="any")
    plain, metric = Plain(rows), get(name)
    one = errors(rows, [metric])[metric]
    held = np.array([plain.w[plain.codes == i].sum() for i in range(3)])
    root = np.zeros(3)
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    each = {(i, j): held[i] + held[j] if "weighted" in name else 1.0 for i, j in pairs}
    for i, j in pairs:
        # Its scores tell two classes apart; neither of them is the first.
        first, second = sorted((i, j)) if name == "roc_auc_mu" else (i, j)
        inside = (plain.codes == i) | (plain.codes == j)
        values = plain.plain.values
        score = values[:, first] - (values[:, second] if name == "roc_auc_mu" else 0.0)
        own = plain.codes[inside] == first
        area = reference.of_area(own, score[inside], plain.w[inside])[1]
        share = each[i, j] / sum(each.values())
        root[i] += share * math.sqrt(2 * area**2 / (1 + area) - area**2)
        root[j] += share * math.sqrt(area / (2 - area) - area**2)
    parts = plain.parts(metric, plain.phi(metric)[0])
    shrunk = 0.0
    for i in range(3):
        n = plain.of_class[i]
        seen = float(parts[plain.codes == i].sum())
        shrunk += (n * seen * n + 5 * root[i] ** 2) / (n + 5) / n
    assert one.shrunk == pytest.approx(shrunk, rel=1e-9)


def test_straight_lines_between_points_are_told() -> None:
    """What the trapezoids have more than the steps."""
    line, step, gaps = get("pr_auc_trapezoid"), get("average_precision"), []
    for seed, lift in ((3, 1.0), (0, -0.5)):
        rows = drawn(seed, 30, 2, ties=True, lift=lift)
        found, values = errors(rows, [line, step]), measure(rows.tallied(), [line, step])
        gaps.append(float(values[line].value) - float(values[step].value))
        assert found[line].interpolated == pytest.approx(abs(gaps[-1]), rel=1e-9)
        assert found[step].interpolated == 0.0
    # Lines lie below steps, too.
    assert gaps[0] * gaps[1] < 0.0


@pytest.mark.parametrize("weights", ["none", "sparse"])
def test_clusters_add_up_their_rows(weights: str) -> None:
    """G ÷ (G − 1)·Σ(Σ w·φ)² ÷ (Σw)², with effective clusters as degrees of freedom."""
    rows = drawn(6, 40, 2, weights=weights)
    groups = np.arange(40) % 9
    metrics = [get(name) for name in ("log_loss", "roc_auc", "brier_uncertainty", "d2_brier")]
    alone, found = errors(rows, metrics), errors(rows, metrics, groups, 11)
    held = rows.plain().weights > 0
    plain, of = Plain(rows), groups[held]
    for metric in metrics:
        phi = plain.phi(metric)[0]
        sums = np.array([(plain.w * phi)[of == g].sum() for g in np.unique(of)])
        g = len(sums)
        expected = g / (g - 1) * (sums**2).sum() / plain.total**2
        one = found[metric]
        assert one.variance == pytest.approx(expected, rel=1e-9), str(metric)
        ratio = alone[metric].shrunk / alone[metric].variance
        assert one.shrunk == pytest.approx(expected * ratio, rel=1e-9)
        sizes = np.array([(plain.w * np.abs(phi))[of == g].sum() for g in np.unique(of)])
        df = min((sizes**2).sum() ** 2 / (sizes**4).sum(), g - 1)
        assert one.df == pytest.approx(df, rel=1e-9), str(metric)
        assert one.n_effective == alone[metric].n_effective
        assert one.missing == ""


def test_one_cluster_has_no_variance() -> None:
    """Its remark says so, but for rows that had none before."""
    rows = drawn(6, 12, 2)
    metric = get("log_loss")
    one = errors(rows, [metric], np.zeros(12, np.int64), 1)[metric]
    assert math.isnan(one.variance)
    assert (one.missing, one.df) == ("there is one cluster", 0.0)
    alone = Drawn(np.array([1]), np.array([[0.3, 0.7]]), None, True)
    single = errors(alone, [metric], np.zeros(1, np.int64), 1)[metric]
    assert single.missing == "there is one row"


@pytest.mark.parametrize("weights", ["none", "any"])
def test_rows_of_classes_that_were_sampled_apart(weights: str) -> None:
    """The mean of its class is subtracted from each row, and factors are those of classes."""
    rows = drawn(7, 40, 2, weights=weights)
    metrics = [get(name) for name in ("log_loss", "brier", "calibration_slope")]
    alone, found = errors(rows, metrics), errors(rows, metrics, design="case-control")
    plain = Plain(rows)
    for metric in metrics:
        phi, expected = plain.phi(metric)[0], 0.0
        for i in range(2):
            own = plain.codes == i
            w, x = plain.w[own], phi[own]
            mean = (w * x).sum() / w.sum()
            expected += factor(n_of(w)) * float((w**2 * (x - mean) ** 2).sum())
        one = found[metric]
        assert one.variance == pytest.approx(expected / plain.total**2, rel=1e-9)
        assert (one.df, one.n_effective) == (alone[metric].df, alone[metric].n_effective)
        assert one.shrunk == pytest.approx(one.variance, rel=1e-12)


def test_influences_of_rows_are_kept_where_they_are_asked_for() -> None:
    """Those of the reference, beside the same errors."""
    rows = drawn(7, 30, 2)
    metrics, tallied = [get("log_loss"), get("roc_auc")], rows.tallied()
    kept = InfluenceVariances(tallied, metrics, keeps_influence=True)
    measure(tallied, metrics, beside=kept)
    plain = errors(rows, metrics)
    for metric in metrics:
        assert kept.influence(metric) == pytest.approx(Plain(rows).phi(metric)[0], rel=1e-9)
        assert kept.found()[metric].variance == pytest.approx(plain[metric].variance, rel=1e-12)


def test_a_sample_stands_for_all_rows() -> None:
    """Σw² of the rows behind each sampled one, and areas of all rows where these are known."""
    rows = drawn(4, 40, 3, weights="sparse")
    tallied = rows.tallied()
    sizes, squares = Sizes.of(tallied), 3.0 * rows.plain().weights ** 2
    names = ("roc_auc", "average_precision")
    macro = [Metric.of(get(name).record, "macro", {}) for name in names]
    areas = [AreaVariance(0.7, np.array([20.0, 10.0]), np.array([0.01, 0.02]), 7.0)] * 3
    alone = errors(rows, macro)
    found = errors(rows, macro, whole=Whole(sizes, squares, areas))
    for metric in macro:
        assert found[metric].variance == pytest.approx(3 * alone[metric].variance, rel=1e-12)
    gap = areas[0].shrunk - areas[0].variance
    one = found[macro[0]]
    assert one.shrunk - one.variance == pytest.approx(3 * gap / 9, rel=1e-9)
    two = drawn(4, 40, 2, weights="sparse")
    doubled = Whole(Sizes.of(two.tallied()), 2.0 * two.plain().weights ** 2, areas)
    skill = get("d2_log_loss")
    expected = 2 * errors(two, [skill])[skill].variance
    assert errors(two, [skill], whole=doubled)[skill].variance == pytest.approx(expected)


def test_why_an_area_has_no_variance() -> None:
    """A side without rows, or with one."""
    metric = Metric.of(get("roc_auc").record, "per_class", {})
    scores = np.random.default_rng(2).random((5, 3))
    for codes, told in (
        ([0, 0, 0, 0, 1], ["another class", "one row is truly of the class", "no row"]),
        ([2, 2, 2, 2, 2], ["no row", "no row", "every row is truly of the class"]),
    ):
        found = errors(Drawn(np.array(codes), scores, None, False), [metric])[metric]
        for one, words in zip(found, told, strict=True):
            assert words in one.missing
            assert math.isnan(one.variance)
    some = errors(Drawn(np.array([0, 0, 1, 1, 2]), scores, None, False), [metric])[metric]
    assert [one.missing for one in some] == ["", "", "one row is truly of the class"]
    lines = Metric.of(get("average_precision").record, "per_class", {})
    none = errors(Drawn(np.array([0, 0, 1, 1, 0]), scores, None, False), [lines])[lines]
    assert np.isnan([one.variance for one in none]).tolist() == [False, False, True]


def test_variances_of_rounding_are_0() -> None:
    """Equal losses vary by nothing, for any unit of their weights."""
    codes, values = np.array([0, 1, 0, 1, 1]), np.array([[0.7, 0.3], [0.3, 0.7]])
    for weights in (None, np.array([0.1, 0.7, 0.3, 1.1, 0.9])):
        rows = Drawn(codes, values[codes], weights, True)
        metrics = [get("log_loss"), get("roc_auc"), get("brier"), get("top_k_accuracy(k=1)")]
        for metric, one in errors(rows, metrics).items():
            assert one.variance == 0.0, str(metric)
            assert one.shrunk == 0.0, str(metric)


def test_another_variance_is_shrunk_alike() -> None:
    """In the same ratio; of a variance of 0 not at all."""
    one = SamplingError(2.0, 3.0, 4.0, 5.0, n_informative=6.0)
    assert _with_variance(one, 4.0) == SamplingError(4.0, 6.0, 4.0, 5.0, n_informative=6.0)
    still = SamplingError(0.0, 3.0, 4.0, 5.0, n_informative=6.0)
    assert _with_variance(still, 4.0) == SamplingError(4.0, 4.0, 4.0, 5.0, n_informative=6.0)
    small = SamplingError(0.5, 1.0, 4.0, 5.0, n_informative=6.0)
    assert _with_variance(small, 2.0).shrunk == 4.0


def test_means_over_columns() -> None:
    """Averages over classes and over pairs, not metrics of one column or of all rows."""
    record = get("roc_auc").record
    lifts = [Metric.of(record, lift, {}) for lift in ("macro", "weighted", "micro", "per_class")]
    assert [_is_mean(metric) for metric in lifts] == [True, True, True, False]
    names = ("roc_auc", "roc_auc_ovo_macro", "roc_auc_mu", "log_loss", "top_k_accuracy")
    assert [_is_mean(get(name)) for name in names] == [False, True, True, False, False]
    assert [is_of_classes(metric) for metric in lifts] == [True, True, False, True]
    assert [is_of_classes(get(name)) for name in names] == [True, True, True, False, False]


def test_shares_of_classes_at_the_ends_do_not_vary() -> None:
    """Of a class of no row, and of all rows, the uncertainty has no slope that counts."""
    scores = np.random.default_rng(2).dirichlet(np.ones(3), 6)
    for name in ("log_loss_uncertainty", "brier_uncertainty"):
        metric = Metric.of(get(name).record, "per_class", {})
        found = errors(Drawn(np.full(6, 1), scores, None, True), [metric])[metric]
        assert [one.variance for one in found] == [0.0, 0.0, 0.0]
        assert [one.df for one in found] == [5.0] * 3


@pytest.mark.parametrize("k", [2, 3])
def test_separated_classes_vary_by_nothing(k: int) -> None:
    """Averages and means over pairs of classes that are apart, for odd weights."""
    codes = np.arange(12) % k
    values = np.eye(k)[codes] + np.random.default_rng(3).random((12, k)) / 4
    for weights in (None, np.arange(1, 13) / 7.0):
        rows = Drawn(codes, values, weights, False)
        record = get("roc_auc").record
        metrics = [Metric.of(record, lift, {}) for lift in ("macro", "weighted", "per_class")]
        if k > 2:
            metrics += [get(name) for name in ("roc_auc_ovo_macro", "roc_auc_ovo_weighted")]
        for metric, found in errors(rows, metrics).items():
            for one in found if isinstance(found, tuple) else (found,):
                assert one.variance == 0.0, str(metric)
                assert one.shrunk == pytest.approx(0.0, abs=1e-15), str(metric)


def test_rows_that_weigh_nothing_have_no_loss() -> None:
    """However large theirs is, alone and in clusters."""
    rows = drawn(6, 20, 2, weights="any")
    assert rows.weights is not None
    codes = np.append(rows.codes, 1)
    values = np.vstack([rows.values, [[1.0, 0.0]]])
    more = Drawn(codes, values, np.append(rows.weights, 0.0), True)
    groups = np.arange(21) % 5
    metrics = [get("log_loss"), get("brier"), get("d2_log_loss")]
    for given in ((), (groups, 5)):
        less = (groups[:20], 5) if given else ()
        one, other = errors(rows, metrics, *less), errors(more, metrics, *given)
        for metric in metrics:
            assert math.isfinite(one[metric].variance)
            assert other[metric].variance == pytest.approx(one[metric].variance, rel=1e-9)
            assert other[metric].df == pytest.approx(one[metric].df, rel=1e-9)


def test_which_intervals_come_from_replicates() -> None:
    """Those of single numbers, where replicates are asked for or nothing else is known."""
    record = get("roc_auc").record
    area, ks = get("roc_auc"), get("ks_statistic")
    lifts = [Metric.of(record, lift, {}) for lift in ("micro", "per_class")]
    boot = Confidence(method="bootstrap")

    def drawn_of(asked: Confidence, *metrics: Metric, is_requested: bool = False) -> list[Metric]:
        return [m for m in metrics if _is_drawn(m, asked, is_requested=is_requested)]

    assert drawn_of(Confidence(), area, *lifts) == []
    assert drawn_of(Confidence(), area, *lifts, is_requested=True) == []
    for method in ("bootstrap", "bca", "bayesian"):
        assert drawn_of(Confidence(method=method), area, ks, *lifts) == [area, ks]
    assert drawn_of(Confidence(), ks, is_requested=True) == [ks]
    # Of metrics that are not asked for by name, those that are shown at first.
    shown = get("expected_calibration_error")
    assert "plain" in shown.record.headline
    assert drawn_of(Confidence(), ks, get("max_f_beta"), shown) == [shown]
    for looks in ({"anytime": 100}, {"window": 1}):
        assert drawn_of(Confidence(method="bootstrap", **looks), area, ks, is_requested=True) == []
    macro = Metric.of(record, "macro", {})
    wanted = [area, macro, ks]
    assert _replicated(wanted, boot, is_requested=False, one_by_one=True) == (wanted, (area, ks))
    assert _replicated(wanted, boot, is_requested=False, one_by_one=False) == (wanted, ())
    apart = Confidence(method="bootstrap", design="case-control")
    assert _replicated(wanted, apart, is_requested=False, one_by_one=True) == (wanted, (ks,))


def test_why_there_is_no_interval() -> None:
    """On request alone, no number of the rows, or limits that replicates do not reach."""
    ks = get("ks_statistic")
    assert "it takes replicates" in _why_none(ks, Confidence())
    assert "valid for one look" in _why_none(ks, Confidence(anytime=100))
    assert "level of a window" in _why_none(ks, Confidence(window=1))


def test_which_errors_histograms_tell() -> None:
    """Those of means of losses, of ranks without weights, and of one column."""
    record = get("roc_auc").record
    lifts = ("plain", "per_class", "macro", "micro")
    areas = [Metric.of(record, lift, {}) for lift in lifts]
    for is_weighted in (False, True):
        found = [_is_known(metric, is_weighted=is_weighted) for metric in areas]
        assert found == [True, True, False, False]
        assert _is_known(get("log_loss"), is_weighted=is_weighted)
        assert not _is_known(get("d2_log_loss"), is_weighted=is_weighted)
        assert not _is_known(get("log_loss(eps=0.1)"), is_weighted=is_weighted)
        assert _is_known(get("top_k_accuracy"), is_weighted=is_weighted) != is_weighted
    names = ("log_loss", "top_k_accuracy", "log_loss(eps=0.1)", "roc_auc", "d2_brier")
    assert [is_of_sums(get(name)) for name in names] == [True, True, False, False, False]


def entered(
    metric: Metric, value: Any, error: Any, sizes: Sizes, n_clusters: int = 0, **more: Any
) -> ScoredIntervals:
    found, values = ScoredIntervals(), SimpleNamespace(value=np.asarray(value))
    asked = Confidence(0.9, **more)
    _enter(found, metric, values, error, asked, sizes, n_clusters)  # type: ignore[arg-type]
    return found


def test_the_other_side_of_an_area() -> None:
    """The larger of two classes, the second smallest of several, and no more than clusters."""
    record = get("roc_auc").record
    error = SamplingError(0.0, 0.0, 8.0, 9.0)
    two = np.array([12.0, 30.0])
    plain, macro = get("roc_auc"), Metric.of(record, "macro", {})
    three = np.array([30.0, 0.0, 9.0, 15.0])
    for metric, weight, n_clusters, other in (
        (plain, two, 0, 30.0),
        (plain, two, 20, 20.0),
        (plain, np.array([0.5, 0.25]), 0, 1.0),
        (macro, three, 0, 15.0),
        (macro, three, 10, 10.0),
        (macro, np.array([0.0, 7.0, 0.0]), 0, 1.0),
    ):
        sizes = Sizes(weight, weight, 1 if len(weight) == 2 else None)
        one = entered(metric, 1.0, error, sizes, n_clusters).intervals[metric]
        assert one == score_interval(metric, 1.0, error, Confidence(0.9), other)
        assert one.sampling is not None
        assert one.sampling.n_rest == other
    per_class = Metric.of(record, "per_class", {})
    values = [1.0, 1.0, np.nan]
    weight = np.array([30.0, 6.0, 9.0])
    for n_clusters in (0, 8):
        found = entered(per_class, values, (error,) * 3, Sizes(weight, weight, None), n_clusters)
        low, high = found.class_intervals["roc_auc"]
        most = float(n_clusters or 1e9)
        for i, rest in enumerate((15.0, 39.0)):
            other = max(min(weight[i], most), min(rest, most))
            one = score_interval(get("roc_auc"), 1.0, error, Confidence(0.9), other)
            assert (low[i], high[i]) == (one.low, one.high)
        assert np.isnan([low[2], high[2]]).all()
        assert found.intervals == {}


def test_losses_of_windows_have_the_freedom_of_the_rarest_class() -> None:
    """Its rows less one, at least one; without windows, and of areas, that of their error."""
    error = SamplingError(0.01, 0.01, 40.0, 50.0)
    loss, area = get("log_loss"), get("roc_auc")
    for weight, df in (([45.0, 5.0], 4.0), ([45.0, 1.5], 1.0), ([45.0, 45.0], 40.0)):
        sizes = Sizes(np.array(weight), np.array(weight), 1)
        asked = Confidence(0.9, window=2)
        for metric, expected in ((loss, df), (area, 40.0)):
            one = entered(metric, 0.5, error, sizes, window=2).intervals[metric]
            less = SamplingError(0.01, 0.01, expected, 50.0)
            assert one == score_interval(metric, 0.5, less, asked, max(weight))
            assert one.sampling is not None
            assert one.sampling.df == expected
        alone = entered(loss, 0.5, error, sizes).intervals[loss]
        assert alone.sampling is not None
        assert alone.sampling.df == 40.0


@pytest.mark.parametrize("n_clusters", [0, 9])
def test_values_with_intervals_of_their_errors(n_clusters: int) -> None:
    """Each metric has the interval of its error; those of rough ones say why they have none."""
    rows = drawn(6, 40, 2)
    groups = np.arange(40) % n_clusters if n_clusters else None
    metrics = [get(name) for name in ("log_loss", "roc_auc", "ks_statistic")]
    asked = Confidence(0.9, anytime=50)
    values, found = measured_with_intervals(rows.tallied(), metrics, "zero", asked, clusters=groups)
    given = (groups, n_clusters) if n_clusters else ()
    each, sizes = errors(rows, metrics[:2], *given), Sizes.of(rows.tallied())
    other = float(sizes.of_classes.max())
    for metric in metrics[:2]:
        looked = asked.at(n_clusters or 40)
        rest = min(other, n_clusters) if n_clusters else other
        value = float(values[metric].value)
        expected = score_interval(metric, value, each[metric], looked, rest)
        one = found.intervals[metric]
        assert (one.low, one.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
        assert one.method == expected.method
    assert found.intervals[metrics[2]].remark == _why_none(metrics[2], asked)
    _, _, influence = measured_with_influence(rows.tallied(), metrics[:2], "zero", asked, groups)
    for metric in metrics[:2]:
        assert influence(metric) == pytest.approx(Plain(rows).phi(metric)[0], rel=1e-9)


def test_replicates_of_clusters_are_drawn_at_once() -> None:
    """Those of rows when an interval is read, if one column tells them."""
    rows, groups = drawn(6, 30, 2), np.arange(30) % 10
    asked = Confidence(method="bootstrap", n_replicates=100)
    metric = get("roc_auc")
    for clusters, is_drawn in ((None, False), (groups, True)):
        _, found = measured_with_intervals(
            rows.tallied(), [metric], "zero", asked, clusters=clusters
        )
        assert found.draws is not None
        assert (metric in found.draws.drawn) == is_drawn
        assert found.intervals == {}
    names = ("roc_auc", "expected_calibration_error", "log_loss", "roc_auc_mu", "roc_auc_ovo_macro")
    assert [reads_one(get(name)) for name in names] == [True, True, False, False, False]
    assert not reads_one(Metric.of(metric.record, "macro", {}))


def test_histograms_have_the_intervals_of_their_rows() -> None:
    """At a look too; metrics without an influence say why they have none, and bounds widen."""
    rows = rows_of("prob", 60)
    tables = histograms_of(rows, 5_000, 60)
    metrics = [get(name) for name in ("log_loss", "macro_ks_statistic", "macro_roc_auc")]
    for asked in (Confidence(0.9), Confidence(0.9, anytime=100)):
        found = measured_histograms(
            HistogramRows(tables), metrics, "zero", asked, lambda: sampled_rows(tables)
        ).sure
        _, wanted = measured_with_intervals(rows, metrics, "zero", asked)
        for metric in metrics:
            one, other = found.intervals[metric], wanted.intervals[metric]
            assert one.remark == other.remark
            if other.low is not None:
                assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)
        assert wanted.intervals[metrics[1]].remark == _why_none(metrics[1], asked)
    loss = get("log_loss")
    limits = _around(Interval(0.4, 0.6), 0.5, (0.45, 0.58), loss)
    assert (limits.low, limits.high) == pytest.approx((0.35, 0.68), rel=1e-12)
    for half in (Interval(0.4, None), Interval(None, 0.6)):
        assert _around(half, 0.5, (0.45, 0.58), loss) is half
