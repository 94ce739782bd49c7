"""Laws about the intervals of whole reports, however their rows are given."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import karat
from karat.api.report import Report
from karat.inference.confidence import METHODS
from karat.metrics import get
from karat.tally import merge
from tests.same import assert_same

N = 240
DRAWN = ("bootstrap", "bca", "bayesian")
DUALS = {
    "accuracy": "error_rate",
    "recall": "false_negative_rate",
    "precision": "false_discovery_rate",
    "specificity": "false_positive_rate",
    "negative_predictive_value": "false_omission_rate",
    "macro_recall": "macro_false_negative_rate",
    "macro_precision": "macro_false_discovery_rate",
    "weighted_precision": "weighted_false_discovery_rate",
    "average_accuracy": "average_error_rate",
}
AT_A_TOP = {"brier_uncertainty", "macro_brier_uncertainty"}
"""π·(1 − π) of classes of one size is at its largest: its error falls with n, not with √n."""
REMARKS = {
    "it is the same for every table": "macro_prevalence micro_prevalence",
    "it counts these rows and is not an estimate": (
        "correct_count false_negatives false_positives micro_false_negatives micro_false_positives "
        "micro_predicted_count micro_support micro_true_negatives micro_true_positives "
        "predicted_count support true_negatives true_positives"
    ),
    "it takes replicates: name it in metrics=, or give karat.Interval(method='bootstrap')": (
        "brier_discrimination brier_miscalibration class_calibration_error "
        "classwise_calibration_error debiased_calibration_error equal_error_rate ks_statistic "
        "macro_brier_discrimination macro_brier_miscalibration macro_equal_error_rate "
        "macro_ks_statistic maximum_calibration_error weighted_equal_error_rate "
        "weighted_ks_statistic"
    ),
    "it is of expected gaps of bins, whose edges confidences cross": (
        "expected_calibration_error_if_calibrated"
    ),
    "it is a test statistic, whose distribution is known if the confidences are right": (
        "spiegelhalter_z"
    ),
    "it is a p-value": "spiegelhalter_p",
}
"""What a metric of a report without limits says → the metrics of two classes that say it."""


def rows(k: int, n: int = N, seed: int = 0) -> dict[str, Any]:
    """Rows with probabilities, every class present."""
    rng = np.random.default_rng([seed, k])
    y_true = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    z = rng.normal(size=(n, k)) + 1.4 * (np.arange(k) == y_true[:, None])
    prob = np.exp(z)
    return {"y_true": y_true, "y_prob": prob / prob.sum(axis=1, keepdims=True)}


def labels_of(given: dict[str, Any]) -> dict[str, Any]:
    return {"y_true": given["y_true"], "y_pred": given["y_prob"].argmax(axis=1)}


def taken(given: dict[str, Any], order: Any) -> dict[str, Any]:
    return {name: values[order] for name, values in given.items()}


def intervals(report: Report) -> dict[str, Any]:
    """By metric: low, high, standard error as numbers, NaN for none; method and remark."""
    found = {}
    for name, result in report.metrics.items():
        numbers = [result.low, result.high, result.standard_error]
        found[name] = [np.nan if number is None else number for number in numbers]
    return found


def assert_alike(
    left: Report, right: Report, within: float = 0.0, but: Collection[str] = ()
) -> None:
    """The same limits, standard errors, methods and remarks."""
    ours, theirs = intervals(left), intervals(right)
    assert ours.keys() == theirs.keys()
    for name in ours.keys() - set(but):
        assert_same(ours[name], theirs[name], within=within, about=name)
        one, two = left[name], right[name]
        assert (one.method, one.level) == (two.method, two.level), name
    for row, other in zip(left.per_class, right.per_class, strict=True):
        assert row["intervals"].keys() == other["intervals"].keys()
        for name, limits in row["intervals"].items():
            assert_same(limits, other["intervals"][name], within=within, about=name)


BOTH = [pytest.param(k, kind, id=f"{kind}-{k}") for k in (2, 3) for kind in ("labels", "scores")]


def given(k: int, kind: str) -> dict[str, Any]:
    return rows(k) if kind == "scores" else labels_of(rows(k))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("k", "kind"), BOTH)
def test_limits_hold_the_value_or_a_remark_says_why_there_are_none(
    k: int, kind: str, method: str
) -> None:
    report = karat.evaluate(
        **given(k, kind), interval=karat.Interval(method=method, n_replicates=200)
    )
    n_limits = 0
    for name, found in report.metrics.items():
        if found.low is None or found.high is None:
            assert found.low is found.high
            assert found.level is None
            assert found.remark, name
            continue
        n_limits += 1
        low, high = found.range
        assert low <= found.low <= found.value <= found.high <= high, name
        assert found.method, name
        assert found.standard_error is not None, name
        assert np.isfinite(found.standard_error), name
        assert found.standard_error >= 0.0, name
    assert n_limits > 50
    text = json.dumps(report.to_dict(), allow_nan=False)
    assert "NaN" not in text


def test_the_remarks_are_these() -> None:
    found: dict[str, set[str]] = {}
    for name, result in karat.evaluate(**rows(2)).metrics.items():
        if result.low is None:
            assert result.remark
            found.setdefault(result.remark, set()).add(name)
    told = {remark: " ".join(sorted(names)) for remark, names in found.items()}
    assert told == REMARKS, "a metric without an influence is listed in REMARKS"


@pytest.mark.parametrize(("k", "kind"), BOTH)
def test_no_level_no_intervals(k: int, kind: str) -> None:
    report = karat.evaluate(**given(k, kind), level=None)
    assert all(np.isnan(numbers).all() for numbers in intervals(report).values())
    assert not any(row["intervals"] for row in report.per_class)
    assert report.cautions == ()
    whole = karat.evaluate(**given(k, kind))
    for name, result in whole.metrics.items():
        assert report[name].value == result.value, name


@pytest.mark.parametrize(("k", "kind"), BOTH)
def test_levels_and_sides(k: int, kind: str) -> None:
    two = karat.evaluate(**given(k, kind))
    surer = karat.evaluate(**given(k, kind), level=0.99)
    low = karat.evaluate(**given(k, kind), level=0.975, interval=karat.Interval(side="low"))
    high = karat.evaluate(**given(k, kind), level=0.975, interval=karat.Interval(side="high"))
    n_wider = 0
    for name, found in two.metrics.items():
        if found.low is None or found.high is None:
            continue
        wide = surer[name]
        assert wide.low <= found.low <= found.high <= wide.high, name
        n_wider += wide.high - wide.low > found.high - found.low
        if found.method == "bootstrap":
            continue
        # 1 − 0.975 and 0.05 ÷ 2 differ in the last bit.
        assert low[name].low == pytest.approx(found.low, rel=1e-9, abs=1e-12), name
        assert high[name].high == pytest.approx(found.high, rel=1e-9, abs=1e-12), name
        assert high[name].low == found.range[0], name
        assert low[name].high == found.range[1], name
    assert n_wider > 50


@pytest.mark.parametrize(("k", "kind"), BOTH)
def test_four_times_the_rows_are_about_twice_as_sure(k: int, kind: str) -> None:
    once = karat.evaluate(**given(k, kind))
    repeated = taken(given(k, kind), np.tile(np.arange(N), 4))
    many = karat.evaluate(**repeated)
    for name, found in once.metrics.items():
        if found.low is None or found.method == "bootstrap" or name in AT_A_TOP:
            continue
        ratio = (many[name].high - many[name].low) / (found.high - found.low)
        assert 0.3 < ratio < 0.7, name


@pytest.mark.parametrize(("k", "kind"), BOTH)
@pytest.mark.parametrize("method", ["default", "bootstrap"])
def test_the_order_of_rows_is_nothing(k: int, kind: str, method: str) -> None:
    """To rounding; draws of rows by number are those of other rows, so that they differ."""
    order = np.random.default_rng(1).permutation(N)
    one = karat.evaluate(**given(k, kind), interval=karat.Interval(method=method, n_replicates=200))
    two = karat.evaluate(
        **taken(given(k, kind), order), interval=karat.Interval(method=method, n_replicates=200)
    )
    drawn_by_row = set()
    if method == "bootstrap":
        drawn_by_row = {name for name in one if get(name).needs_scores}
    assert_alike(one, two, 1e-9, drawn_by_row)


@pytest.mark.parametrize("kind", ["labels", "scores"])
def test_other_labels_have_the_same_intervals(kind: str) -> None:
    """Classes in another order, under other names."""
    order = np.array([2, 0, 1])
    here = given(3, kind)
    there = {"y_true": order[here["y_true"]]}
    if kind == "labels":
        there["y_pred"] = order[here["y_pred"]]
    else:
        there["y_prob"] = here["y_prob"][:, np.argsort(order)]
    one, two = karat.evaluate(**here), karat.evaluate(**there)
    graded = {"kappa_linear", "kappa_quadratic"}
    for name in set(one) - graded:
        assert_same(intervals(two)[name], intervals(one)[name], within=1e-9, about=name)
    assert intervals(two)["kappa_linear"] != intervals(one)["kappa_linear"]
    for i, row in enumerate(one.per_class):
        moved = two.per_class[order[i]]
        for name, limits in row["intervals"].items():
            assert_same(moved["intervals"][name], limits, within=1e-9, about=name)


@pytest.mark.parametrize("method", ["default", "wald", "logit", "bayesian"])
def test_limits_of_complements_swap(method: str) -> None:
    report = karat.evaluate(**labels_of(rows(2)), interval=karat.Interval(method=method))
    for name, dual in DUALS.items():
        one, two = report[name], report[dual]
        assert_same([1 - two.high, 1 - two.low], [one.low, one.high], within=1e-12, about=name)
        assert_same(two.standard_error, one.standard_error, within=1e-12, about=name)
    turned = karat.evaluate(
        **labels_of(rows(2)), positive=0, interval=karat.Interval(method=method)
    )
    for name, dual in (("recall", "specificity"), ("precision", "negative_predictive_value")):
        one, two = report[dual], turned[name]
        assert_same([two.low, two.high], [one.low, one.high], within=1e-12, about=name)
    assert turned["recall"].low != report["recall"].low


@pytest.mark.parametrize(("k", "kind"), BOTH)
def test_weights_of_two_say_no_more_than_one(k: int, kind: str) -> None:
    """Except of metrics that weigh by rows: what is expected of bins of so many rows."""
    plain = karat.evaluate(**given(k, kind))
    weighted = karat.evaluate(**given(k, kind), weights=np.full(N, 2.0))
    by_rows = {
        name for name in plain if get(name).record.depends_on_rows or plain[name].low is None
    }
    by_rows |= {name for name in plain if plain[name].method == "bootstrap"}
    assert_alike(weighted, plain, 1e-9, by_rows)
    assert len(by_rows) < len(plain) / 2


@pytest.mark.parametrize(("k", "kind"), BOTH)
@pytest.mark.parametrize("method", ["default", "wald", "bootstrap"])
def test_frequencies_of_two_are_two_rows(k: int, kind: str, method: str) -> None:
    here = given(k, kind)
    twice = karat.evaluate(
        **taken(here, np.repeat(np.arange(N), 2)), interval=karat.Interval(method=method)
    )
    counted = karat.evaluate(
        **here, weights=karat.Frequency(np.full(N, 2)), interval=karat.Interval(method=method)
    )
    drawn_otherwise = set()
    if method == "bootstrap":
        # Draws of a table of sums differ from those of a table of counts.
        drawn_otherwise = {name for name in twice if not get(name).needs_scores}
    assert_alike(counted, twice, 1e-9, drawn_otherwise)
    for name in drawn_otherwise:
        one, two = counted[name], twice[name]
        if one.low is not None and name != "mutual_information":
            size = one.high - one.low
            assert one.low == pytest.approx(two.low, abs=0.25 * size), name
    importance = karat.evaluate(**here, weights=np.full(N, 2))
    narrower = importance["accuracy"].high - importance["accuracy"].low
    assert narrower > 1.3 * (counted["accuracy"].high - counted["accuracy"].low)


@pytest.mark.parametrize(("k", "kind"), BOTH)
@pytest.mark.parametrize("method", ["default", "bootstrap"])
def test_clusters_of_one_row_are_none(k: int, kind: str, method: str) -> None:
    alone = karat.evaluate(
        **given(k, kind), clusters=np.arange(N) * 7, interval=karat.Interval(method=method)
    )
    plain = karat.evaluate(**given(k, kind), interval=karat.Interval(method=method))
    assert_alike(alone, plain)
    assert not alone.is_clustered
    pairs = karat.evaluate(
        **given(k, kind), clusters=np.arange(N) // 2, interval=karat.Interval(method=method)
    )
    assert pairs["kappa"].low != plain["kappa"].low


@pytest.mark.parametrize("k", [2, 3])
def test_merged_tallies_are_the_whole(k: int) -> None:
    whole = labels_of(rows(k))
    first, second = (
        karat.evaluate(**taken(whole, part), labels=list(range(k)))
        for part in (slice(0, 90), slice(90, N))
    )
    merged = replace(first, cells=merge(first.cells, second.cells))
    assert_alike(merged, karat.evaluate(**whole, labels=list(range(k))))
    assert first["accuracy"].low != merged["accuracy"].low


@pytest.mark.parametrize("k", [2, 3])
def test_a_row_doubled_within_its_cluster_is_the_row(k: int) -> None:
    """Of n clusters of two equal rows the variance is n ÷ (n − 1) times that of the n rows.

    Sums of clusters are 2φ and the total is 2n, so that Σ(2φ)² ÷ (2n)² = Σφ² ÷ n²: only the factor
    G ÷ (G − 1) is left, which the variance of independent rows of a table does not have.
    Limits follow Student's t in place of the normal, with as many degrees of freedom as clusters
    hold the uncertainty (decisions/06-designs.md): wider still.
    """
    here = labels_of(rows(k))
    plain = karat.evaluate(**here)
    doubled = karat.evaluate(
        **taken(here, np.repeat(np.arange(N), 2)), clusters=np.repeat(np.arange(N), 2)
    )
    assert doubled.is_clustered
    n_checked = 0
    for name, found in plain.metrics.items():
        if found.standard_error is None or found.low is None:
            continue
        factor = (doubled[name].standard_error / found.standard_error) ** 2
        assert factor == pytest.approx(N / (N - 1), rel=1e-9), name
        ratio = (doubled[name].high - doubled[name].low) / (found.high - found.low)
        assert 0.98 < ratio < 1.08, name
        n_checked += 1
    assert n_checked > 50
    apart = karat.evaluate(**taken(here, np.repeat(np.arange(N), 2)))
    assert apart["accuracy"].standard_error < 0.8 * plain["accuracy"].standard_error


def test_scores_doubled_within_clusters_are_the_rows() -> None:
    """A mean of losses has the factor n ÷ (n − 1) already: the variance is the same.

    Limits are as far off as a quantile of Student's t on the scale of their method: losses on that
    of logarithms, a share on that of log-odds, where Wilson's grow with the quantile or less. So
    the distances are those of the rows, times at most t of the clusters over the normal quantile.
    """
    here = rows(3)
    plain = karat.evaluate(**here)
    twice = np.repeat(np.arange(N), 2)
    doubled = karat.evaluate(**taken(here, twice), clusters=twice)
    truth, prob = np.asarray(here["y_true"]), np.asarray(here["y_prob"])
    one_hot = np.eye(3)[truth]
    share, squares = one_hot.mean(axis=0), ((prob - one_hot) ** 2).sum(axis=1)
    spread = 1.0 - (share**2).sum()
    log = np.log
    cases = {
        "log_loss": (-log(prob[np.arange(N), truth]), log),
        "brier": (squares, log),
        "top_k_accuracy": (np.sort(prob, axis=1)[:, 0] < prob[np.arange(N), truth], special.logit),
        "d2_brier": (squares + 2 * squares.mean() / spread * share[truth], lambda x: log(1 - x)),
    }
    for name, (of_row, scale) in cases.items():
        assert doubled[name].standard_error == pytest.approx(plain[name].standard_error, rel=1e-9)
        part = np.abs(of_row - np.mean(of_row)) ** 2
        df = part.sum() ** 2 / (part**2).sum()
        most = stats.t.ppf(0.975, df) / stats.norm.ppf(0.975)
        assert most > 1.015, name
        for end in ("low", "high"):
            value, near, far = (
                scale(x)
                for x in (plain[name].value, getattr(plain[name], end), getattr(doubled[name], end))
            )
            assert 1.0 < (far - value) / (near - value) < most * (1 + 1e-9), (name, end)


ASKED = [
    {},
    {"level": 0.9, "interval": karat.Interval(side="low")},
    {"interval": karat.Interval(method="bca", seed=3, n_replicates=200)},
    {"clusters": np.arange(N) // 4},
    {
        "clusters": np.arange(N) // 4,
        "interval": karat.Interval(method="bootstrap", n_replicates=200),
    },
    {"design": karat.CaseControl()},
    {"weights": np.arange(1, N + 1) / 7},
]


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: "-".join(asked) or "default")
@pytest.mark.parametrize(("k", "kind"), BOTH)
def test_a_report_read_back_has_the_same_intervals(
    k: int, kind: str, asked: dict[str, Any]
) -> None:
    report = karat.evaluate(**given(k, kind), **asked)
    text = report.to_json()
    again = Report.from_json(text)
    assert again.confidence == report.confidence
    assert_alike(again, report)
    assert again.to_json() == text


def without(value: Any, names: set[str]) -> Any:
    """The same JSON without these keys, however deep."""
    if isinstance(value, dict):
        return {key: without(item, names) for key, item in value.items() if key not in names}
    return [without(item, names) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("k", "kind"), BOTH)
def test_a_text_of_before_intervals_still_loads(k: int, kind: str) -> None:
    report = karat.evaluate(**given(k, kind))
    new = {"confidence", "cautions", "standard_error", "remark", "intervals"}
    older = without(report.to_dict(), new) | {"schema": "karat.report/1"}
    older["settings"] = {name: older["settings"][name] for name in ("undefined", "metrics")}
    for name, result in older["metrics"].items():
        older["metrics"][name] = result | dict.fromkeys(("low", "high", "level", "method"))
    again = Report.from_json(json.dumps(older))
    assert again.confidence is None
    for name, known in report.metrics.items():
        assert again[name].value == known.value, name
        assert again[name].low is None


@pytest.mark.parametrize("method", DRAWN)
@pytest.mark.parametrize(("k", "kind"), BOTH)
def test_seeds_and_threads(k: int, kind: str, method: str) -> None:
    def report(seed: int, n_threads: int | None = None) -> Report:
        how = karat.Interval(method=method, n_replicates=150, seed=seed)
        reading = karat.Reading(n_threads=n_threads)
        return karat.evaluate(**given(k, kind), interval=how, reading=reading)

    one = report(5, n_threads=1)
    assert_alike(report(5, n_threads=2), one)
    other = report(6)
    limits = {name: pair for name, pair in intervals(one).items() if np.isfinite(pair[0])}
    moved = [name for name, pair in limits.items() if intervals(other)[name][:2] != pair[:2]]
    assert len(moved) > 0.95 * len(limits)


def test_limits_that_move_are_noticed() -> None:
    one, two = (karat.evaluate(**labels_of(rows(3, seed=seed))) for seed in (0, 1))
    with pytest.raises(AssertionError):
        assert_alike(one, two, 1e-9)
