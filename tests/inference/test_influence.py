"""Influences added up natively are those of plain NumPy, for every metric and average."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from karat.errors import KaratError
from karat.metrics import ClassProbabilities, all_records, get
from karat.metrics._influence import gather
from karat.metrics._influence import line as of_lines
from karat.metrics._influence.gather import influences, reason_without
from karat.metrics._influence.line import Line
from karat.metrics._metric import Metric
from karat.tally import HistogramColumn, ScoreHistogram
from karat.testing import score_laws
from tests.inference import reference_influence as reference
from tests.inference.rows import Drawn, drawn, smooth_metrics
from tests.same import assert_same

CASES = [
    {"is_prob": is_prob, "ties": ties, "weights": weights, "dtype": dtype}
    for is_prob in (True, False)
    for ties in (False, True)
    for weights in ("none", "any", "sparse")
    for dtype in ("f4", "f8")
]


def compare(rows: Drawn, metrics: list[Metric], within: float = 1e-9) -> None:
    """Rows of weight 0 have no share in anything: the reference is not told of them."""
    found = influences(rows.tallied(), metrics)
    held = rows.plain().weights > 0
    plain = rows.take(held).plain()
    for metric in metrics:
        expected = reference.influence(metric, plain)
        size = np.nanmax(np.abs(expected), initial=1.0)
        mine = found[metric][..., held] / size
        assert_same(mine, expected / size, within=within, about=str(metric))


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
def test_every_metric_and_average(k: int, case: dict[str, Any]) -> None:
    rows = drawn(1, 150, k, **case)
    # Probabilities of 32 bits leave the log-odds so many digits.
    compare(rows, smooth_metrics(k), 1e-9 if case["dtype"] == "f8" else 2e-5)


def test_scores_of_16_bits() -> None:
    rows = drawn(2, 120, 3, dtype="f2", is_prob=False)
    compare(rows, smooth_metrics(3), 1e-4)


@pytest.mark.parametrize("weights", ["none", "sparse"])
def test_long_columns(weights: str) -> None:
    rows = drawn(3, 9000, 2, ties=True, weights=weights, is_prob=False)
    names = ("roc_auc", "average_precision", "pr_auc_trapezoid", "roc_auc_mu")
    compare(rows, [get(name) for name in names])


@pytest.mark.parametrize("weights", ["none", "any"])
def test_a_class_without_rows_is_left_out(weights: str) -> None:
    whole = drawn(4, 200, 4, weights=weights)
    rows = whole.take(whole.codes != 2)
    wanted = [m for m in smooth_metrics(4) if m.lift != "per_class"]
    lines = [m for m in wanted if not m.record.name.startswith("log_loss_unc")]
    compare(rows, lines)
    per_class = Metric.of(get("roc_auc").record, "per_class", {})
    found = influences(rows.tallied(), [per_class])[per_class]
    assert np.isnan(found).all(axis=1).tolist() == [False, False, True, False]


def test_a_class_whose_rows_weigh_nothing_is_left_out() -> None:
    whole = drawn(4, 200, 4, weights="any")
    assert whole.weights is not None
    gone = whole.codes == 2
    emptied = Drawn(whole.codes, whole.values, np.where(gone, 0.0, whole.weights), whole.is_prob)
    wanted = [m for m in smooth_metrics(4) if m.lift != "per_class"]
    full = influences(emptied.tallied(), wanted)
    less = influences(whole.take(~gone).tallied(), wanted)
    for metric in wanted:
        assert_same(full[metric][~gone], less[metric], within=1e-9, about=str(metric))


def test_one_class_alone_has_no_areas() -> None:
    whole = drawn(5, 60, 2)
    rows = whole.take(whole.codes == 1)
    wanted = [get("roc_auc"), get("roc_auc_mu"), get("roc_auc_ovo_macro"), get("gini")]
    for metric, phi in influences(rows.tallied(), wanted).items():
        assert np.isnan(phi).all(), str(metric)


def test_costs_turn_pairs_round() -> None:
    rows = drawn(6, 150, 3, is_prob=False, ties=True)
    for cost in ([[0, 1, 2], [1, 0, 3], [2, 1, 0]], [[0, -1, 2], [-1, 0, 3], [-2, 1, 0]]):
        metric = Metric.of(get("roc_auc_mu").record, "plain", {"cost": np.array(cost, float)})
        law_of(metric, rows)


def law_of(metric: Metric, rows: Drawn) -> None:
    """The influence is the derivative with respect to the weights."""
    weights = np.random.default_rng(7).uniform(0.5, 2.0, len(rows.codes))
    phi = influences(Drawn(rows.codes, rows.values, weights, rows.is_prob).tallied(), [metric])
    for row in range(0, len(weights), 11):
        ends = []
        kind: Any = "probabilities" if rows.is_prob else "scores"
        for step in (1e-5, -1e-5):
            moved = weights + step * np.eye(1, len(weights), row)[0]
            problem = score_laws.Problem(rows.codes, rows.values, kind, rows.k, moved)
            ends.append(score_laws.value_of(metric, problem))
        slope = (ends[0] - ends[1]) / 2e-5 * weights.sum()
        assert_same(phi[metric][..., row], slope, within=2e-6, about=f"{metric}, row {row}")


@pytest.mark.parametrize("n_threads", [2, 5])
def test_threads_change_no_bit(n_threads: int) -> None:
    rows = drawn(8, 70_000, 5, weights="any")
    wanted = [m for m in smooth_metrics(5) if m.lift != "per_class"]
    one, many = (influences(rows.tallied(n), wanted) for n in (1, n_threads))
    for metric in wanted:
        assert_same(many[metric], one[metric], about=str(metric))


def test_the_influence_of_one_metric_does_not_depend_on_the_others() -> None:
    rows = drawn(9, 200, 3, weights="sparse")
    wanted = smooth_metrics(3)
    together = influences(rows.tallied(), wanted)
    for metric in wanted:
        assert_same(
            together[metric], influences(rows.tallied(), [metric])[metric], about=str(metric)
        )


def test_a_metric_that_is_not_smooth_says_why() -> None:
    rows = drawn(10, 50, 2).tallied()
    part = Metric.of(get("roc_auc").record, "plain", {"max_fpr": 0.2})
    for metric, reason in ((get("ks_statistic"), "maximum"), (part, "quantile")):
        with pytest.raises(KaratError, match=reason) as caught:
            influences(rows, [metric])
        assert caught.value.code == "K311"
    assert reason_without(get("roc_auc")) == ""


def test_every_record_of_scores_has_an_influence_or_a_reason() -> None:
    records = [record for record in all_records() if not record.is_traced]
    assert len(records) > 30
    for record in records:
        score_laws.influence_or_reason(record)


@pytest.mark.parametrize("name", ["roc_auc", "pr_auc_trapezoid", "calibration_slope", "d2_brier"])
def test_a_wrong_influence_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = score_laws.influences
    factor = {"roc_auc": 1.001, "pr_auc_trapezoid": 0.999, "calibration_slope": -1.0}.get(
        name, 1.01
    )

    def wrong(rows: Any, metrics: Any) -> Any:
        return {metric: factor * phi for metric, phi in right(rows, metrics).items()}

    monkeypatch.setattr(score_laws, "influences", wrong)
    with pytest.raises(AssertionError, match="row 0"):
        score_laws.influence_is_the_derivative(get(name).record)


def test_a_wrong_sum_is_noticed_by_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    right = gather._add_area

    def wrong(at: Any, gain: float, offsets: Any) -> Any:
        value, gains = right(at, gain, offsets)
        assert gains is not None
        return value, gains._replace(of_classes=1.001 * gains.of_classes)

    monkeypatch.setattr(gather, "_add_area", wrong)
    with pytest.raises(AssertionError, match="roc_auc"):
        compare(drawn(1, 150, 3), [Metric.of(get("roc_auc").record, "macro", {})])


def test_a_record_that_says_nothing_is_noticed() -> None:
    for changes in ({"no_influence": ""}, {"influence": get("brier").record.influence}):
        silent = dataclasses.replace(get("ks_statistic").record, **changes)
        with pytest.raises(AssertionError, match="ks_statistic"):
            score_laws.influence_or_reason(silent)


@pytest.mark.parametrize(
    ("part", "line", "scores"),
    [
        ("shift", 900.0, [0.2, 0.6]),  # every row lies where it is 1
        ("slope", (900.0, 1.0), [0.2, 0.6]),
        ("slope", (0.0, 1.0), [0.5, 0.5]),  # every row has the same probability
        ("intercept", (0.0, 1.0), [0.5, 0.5]),
    ],
)
def test_rows_that_do_not_hold_a_line_have_no_influence_on_it(
    part: str, line: Any, scores: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search that ends at such a line, by rounding, leaves an interval unknown."""
    searched = "shift_of" if part == "shift" else "line_of"
    monkeypatch.setattr(of_lines, searched, lambda view: line)
    table = ScoreHistogram.of(scores, [1, 0], 2)
    found = Line.of(ClassProbabilities(HistogramColumn(table, 1, by="mean")), part)
    assert np.isnan([found.value, found.gain, found.turn]).all()


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weights", ["none", "any"])
def test_a_clipped_loss(weights: str, k: int) -> None:
    for is_prob in (True, False):
        rows = drawn(6, 150, k, weights=weights, is_prob=is_prob)
        compare(rows, [get("log_loss(eps=0.1)"), get("log_loss(eps=1e-7)")])
