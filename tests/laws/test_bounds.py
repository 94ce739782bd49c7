"""No value leaves its bound, and a bound that is too narrow is noticed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import karat
from karat.metrics import Metric, PairRanks, Record, _bounded, all_records, get
from karat.metrics._bounds import Limits, argmax_of, between_orders, in_bins, unmoved
from karat.testing import BOUND_LAWS
from karat.testing.bound_laws import bucket_problems, check_bounds, metrics_in_buckets

OF_SCORES = [record for record in all_records() if not record.is_traced]
BOUNDED = [record for record in OF_SCORES if record.bounds is not None]
SHRUNK = [
    record
    for record in BOUNDED
    if record.bounds not in (unmoved, in_bins) and record.reads is not PairRanks
]


@pytest.mark.parametrize("record", OF_SCORES, ids=lambda record: record.name)
@pytest.mark.parametrize("law", BOUND_LAWS, ids=lambda law: law.__name__)
def test_law_of_bounds(law: Any, record: Record) -> None:
    law(record)


def test_the_metrics_with_bounds_are_those_that_the_cumulative_promises() -> None:
    names = {record.name for record in BOUNDED}
    assert {"roc_auc", "roc_auc_ovo_macro", "average_precision", "pr_auc_trapezoid", "gini",
            "ks_statistic", "f_beta_threshold", "max_f_beta", "cost_threshold", "min_cost",
            "expected_calibration_error", "class_calibration_error"} <= names  # fmt: skip


def test_a_hundred_thousand_values_lie_in_their_bounds() -> None:
    by_size = {k: [m for r in BOUNDED for m in metrics_in_buckets(r, k)] for k in (2, 3)}
    n_held = sum(
        check_bounds(problem, by_size[problem.fine.classes.k])
        for problem in bucket_problems(1300, seed=20)
    )
    assert n_held >= 100_000


def check(record: Record, n_problems: int = 300) -> None:
    """Every lift of a record on many problems."""
    for problem in bucket_problems(n_problems, seed=3):
        check_bounds(problem, metrics_in_buckets(record, problem.fine.classes.k))


def shrunk(record: Record, side: int, part: float) -> Record:
    """The record with a limit moved inwards by a part of the width."""
    right = record.bounds
    assert right is not None

    def wrong(body: Any, params: Any, views: Any) -> Limits | None:
        found = right(body, params, views)
        if found is None or not math.isfinite(found[1] - found[0]):
            return found
        moved = list(found)
        moved[side] += (1 - 2 * side) * part * (found[1] - found[0])
        return moved[0], moved[1]

    return replace(record, bounds=wrong)


def narrow_enough(record: Record) -> float:
    """How much of its width no limit can miss: the extremes of a bucket are reached, or nearly."""
    return 0.02 if record.bounds is between_orders else 0.35


@pytest.mark.parametrize("side", [0, 1], ids=("low", "high"))
@pytest.mark.parametrize("record", SHRUNK, ids=lambda record: record.name)
def test_a_narrower_bound_is_noticed(record: Record, side: int) -> None:
    with pytest.raises(AssertionError, match=r"outside of|not exact"):
        check(shrunk(record, side, narrow_enough(record)), 1500)


@pytest.mark.parametrize("name", ["roc_auc_ovo_macro", "roc_auc_ovo_weighted"])
def test_a_narrower_bound_of_pairs_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_bounded, "widened", lambda low, high: (low + 0.02 * (high - low), high))
    with pytest.raises(AssertionError, match="outside of"):
        check(get(name).record, 1500)


def test_an_average_that_forgets_a_class_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = _bounded.lifted
    monkeypatch.setattr(
        _bounded, "lifted", lambda each, *given: right(np.full_like(each, each[0]), *given)
    )
    with pytest.raises(AssertionError, match="outside of"):
        check(get("roc_auc").record)


def test_the_orders_alone_do_not_bound_steps_and_lines() -> None:
    for name in ("average_precision", "pr_auc_trapezoid"):
        with pytest.raises(AssertionError, match="outside of"):
            check(replace(get(name).record, bounds=between_orders))


def test_the_values_of_corners_do_not_bound_a_threshold() -> None:
    with pytest.raises(AssertionError, match="outside of"):
        check(replace(get("f_beta_threshold").record, bounds=between_orders))
    no_gain = argmax_of(lambda c, **params: lambda at: at.tps - 2 * at.fps)
    with pytest.raises(AssertionError, match="outside of"):
        check(replace(get("informedness_threshold").record, bounds=no_gain))


def test_means_of_a_function_taken_for_its_sums_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def trusting(body: Any, params: Any, views: Any) -> Limits | None:
        table = views["tied"].ranked.table
        object.__setattr__(table, "is_summed", True)
        return in_bins(body, params, views)

    with pytest.raises(AssertionError, match="not exact as stated"):
        check(replace(get("class_calibration_error").record, bounds=trusting))


def test_what_moves_is_not_unmoved() -> None:
    with pytest.raises(AssertionError, match="not exact as stated"):
        check(replace(get("ks_statistic").record, bounds=unmoved))


def test_a_bound_that_never_says_anything_is_noticed() -> None:
    from karat.testing.bound_laws import values_lie_in_their_bounds

    with pytest.raises(AssertionError, match="never say anything"):
        values_lie_in_their_bounds(replace(get("gini").record, bounds=lambda *_: None))


def test_rows_on_the_border_of_what_is_asked_of_weights() -> None:
    """Weights whose sums round: a threshold that is reached exactly may be missed by a bit."""
    record = get("recall_at_precision").record
    rng = np.random.default_rng(5)
    for _ in range(300):
        n = int(rng.integers(3, 12))
        codes, weights = rng.integers(0, 2, n), np.full(n, 0.1)
        scores = 1.0 + rng.integers(0, 40, n) / 64
        fine = karat.tally.ScoreHistogram.of(scores, codes, 2, weights)
        assert_within(Metric.of(record, "plain", {"min_precision": 0.5}), fine)


def assert_within(metric: Metric, fine: karat.tally.ScoreHistogram) -> None:
    from karat.metrics._bounded import _of_column
    from karat.metrics._views import ClassRanks
    from karat.tally import HistogramColumn

    exact = metric.record.formula(ClassRanks(HistogramColumn(fine, 1)), **dict(metric.params))
    for bits in (0, 1, 2):
        column = HistogramColumn(fine.coarser(bits), 1)
        views = {order: ClassRanks(column.ordered(order)) for order in ("tied", "best", "worst")}  # type: ignore[arg-type]
        limits = _of_column((metric.record, metric.params), views)
        if limits is not None and not math.isnan(limits[0]):
            assert limits[0] <= exact <= limits[1]


def fraud(n: int) -> Iterator[tuple[Any, Any]]:
    """Batches of rows of which 1 % are positive, with scores from 1e-6 to 1."""
    rng = np.random.default_rng(0)
    y = (rng.random(n) < 0.01).astype(np.int64)
    # Evenly on a logarithmic scale, the positive ones nearer to 1.
    score = 10.0 ** (-6.0 * rng.beta(np.where(y, 1.0, 2.0), np.where(y, 3.0, 1.0)))
    for part in np.array_split(np.arange(n), 20):
        yield y[part], score[part]


def test_the_bound_of_the_area_of_fraud_in_16_mb() -> None:
    stream = karat.Stream(
        reading=karat.Reading(max_memory=16 << 20), metrics=["roc_auc", "average_precision"]
    )
    whole: list[list[Any]] = [[], []]
    for y, score in fraud(2 * 10**6):
        stream.update(y, y_prob=score)
        for kept, part in zip(whole, (y, score), strict=True):
            kept.append(part)
    y_true, y_prob = (np.concatenate(part) for part in whole)
    found = stream.report()
    exact = karat.evaluate(y_true, y_prob=y_prob, metrics=["roc_auc", "average_precision"])
    for name, half_width in (("roc_auc", 5e-6), ("average_precision", 2e-4)):
        result = found[name]
        assert not result.exact
        assert result.bound is not None
        assert result.bound[0] <= exact[name].value <= result.bound[1]
        assert result.bound[0] <= result.value <= result.bound[1]
        assert result.bound[1] - result.bound[0] <= 2 * half_width
        # The interval of the sample is widened by what is open.
        assert result.low is not None
        assert exact[name].low == pytest.approx(result.low, abs=4 * half_width)
        assert result.low <= exact[name].low + 1e-9  # type: ignore[operator]


def test_what_has_no_bound_says_so() -> None:
    stream = karat.Stream(reading=karat.Reading(max_memory=1 << 20))
    for y, score in fraud(200_000):
        stream.update(y, y_prob=score)
    report = stream.report()
    assert report["accuracy"].exact
    assert report["log_loss"].exact
    assert report["expected_calibration_error"].exact
    some = [metric for metric, limits in report.bounds.items() if limits is None]
    assert some
    for metric in some:
        result = report[metric]
        assert (result.exact, result.bound) == (False, None)
        assert "the size of the error is not known" in str(result.remark)
        assert metric.record.bounds is None
    for metric, limits in report.bounds.items():
        if limits is not None:
            assert report[metric].bound == limits


@pytest.mark.parametrize("record", SHRUNK, ids=lambda record: record.name)
def test_few_problems_of_every_metric(record: Record) -> None:
    check(record, 12)


def test_exact_tables_have_the_value_as_both_limits() -> None:
    n_compared = 0
    for problem in bucket_problems(4, seed=5):
        metrics = metrics_in_buckets(get("average_precision").record, problem.fine.classes.k)
        for metric in metrics:
            for limits in (_bounded.all_bounds_of(problem.fine, [metric])[0].get(metric, "exact"),):
                assert limits == "exact" or limits[0] == limits[1]
                n_compared += 1
    assert n_compared > 8


def limits_of(metric: Metric, table: karat.tally.ScoreHistogram) -> Limits | None:
    """Limits of a metric of one column."""
    column = karat.tally.HistogramColumn(table, 1, by="mean")
    orders: tuple[karat.tally.Order, ...] = ("tied", "best", "worst")
    views = {order: metric.record.reads(column.ordered(order)) for order in orders}
    return _bounded._of_column((metric.record, metric.params), views)


@pytest.mark.parametrize(("closed", "side"), [("left", -1), ("right", 1)])
def test_a_bucket_that_ends_on_the_end_of_a_bin_may_lie_in_two(closed: str, side: int) -> None:
    metric = get(f"class_calibration_error(bins=7, closed={closed!r})")
    on = 3 / 7
    scores = np.array([on, on + side * 1e-4, 0.9])
    table = karat.tally.ScoreHistogram.of(scores, [0, 1, 1], 2, bits=4)
    assert table.n_levels == 2
    assert limits_of(metric, table) is None
    apart = karat.tally.ScoreHistogram.of(scores + side * 1e-5, [0, 1, 1], 2, bits=4)
    assert apart.n_levels == 2
    assert limits_of(metric, apart) is not None


def test_the_unit_of_costs_moves_no_limit_of_a_threshold() -> None:
    rng = np.random.default_rng(4)
    codes, scores = rng.integers(0, 2, 60), rng.random(60)
    table = karat.tally.ScoreHistogram.of(scores + codes, codes, 2, bits=3)
    one, small = (
        limits_of(Metric.of(get("cost_threshold").record, "plain", {"costs": costs}), table)
        for costs in ([[0.0, 1.0], [5.0, 0.0]], [[0.0, 1e-20], [5e-20, 0.0]])
    )
    assert one is not None
    assert one[0] < one[1]
    assert small == one


def test_pairs_of_exact_scores_are_exact_beside_confidences_in_buckets() -> None:
    n_compared = 0
    metric = get("roc_auc_ovo_macro")
    for problem in bucket_problems(20, seed=6):
        fine, coarse = problem.fine.histograms, problem.coarse.histograms
        mixed = replace(fine, confidences=coarse.confidences)
        if not mixed.is_exact:
            rows = karat.tally.HistogramRows(mixed)
            assert metric not in _bounded.all_bounds_of(rows, [metric])[0]
            n_compared += 1
    assert n_compared > 3
