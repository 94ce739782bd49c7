"""What calibration reads: scores through softmax, float32 as it is, one column, reliability."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import karat
from karat.metrics._reliability import binned, reliability
from karat.tally import Bins, CumulativeCounts
from tests.calibration import rows
from tests.same import assert_same

TOP_LABEL = (
    "expected_calibration_error",
    "maximum_calibration_error",
    "adaptive_calibration_error",
    "debiased_calibration_error",
    "expected_calibration_error_if_calibrated",
    "spiegelhalter_z",
    "spiegelhalter_p",
)
OF_A_CLASS = (
    "class_calibration_error",
    "brier_miscalibration",
    "brier_discrimination",
    "brier_uncertainty",
    "log_loss_miscalibration",
    "log_loss_discrimination",
    "log_loss_uncertainty",
    "calibration_slope",
    "calibration_intercept",
    "calibration_in_the_large",
)


def softmax(z: Any) -> Any:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", [*TOP_LABEL, *OF_A_CLASS])
@pytest.mark.parametrize("k", [2, 4])
def test_logits_go_through_softmax(name: str, k: int) -> None:
    rng = np.random.default_rng(k)
    z = 2 * rng.normal(size=(200, k))
    y = np.array([rng.choice(k, p=row) for row in softmax(z)])
    average = {"average": None} if name in OF_A_CLASS else {}
    function = getattr(karat, name)
    found = function(y, y_logit=z, **average)
    assert_same(found, function(y, y_prob=softmax(z), **average), within=1e-11)
    if k == 2:
        alone = function(y, y_logit=z[:, 1] - z[:, 0], **average)
        assert_same(alone, found, within=1e-11)


@pytest.mark.parametrize("name", TOP_LABEL)
def test_with_two_classes_it_does_not_matter_which_is_positive(name: str) -> None:
    y, p, _ = max(list(rows.problems(2))[::3], key=lambda problem: len(problem[0]))
    function = getattr(karat, name)
    found = function(y, y_prob=p[:, 1], positive=1)
    assert_same(function(y, y_prob=p[:, 0], positive=0), found, within=1e-12)
    assert_same(function(1 - y, y_prob=p[:, ::-1]), found, within=1e-12)


@pytest.mark.parametrize("part", ["miscalibration", "discrimination", "uncertainty"])
@pytest.mark.parametrize("score", ["brier", "log_loss"])
def test_parts_of_two_classes_are_the_same_for_both(score: str, part: str) -> None:
    y, p, _ = max(list(rows.problems(2))[::3], key=lambda problem: len(problem[0]))
    each = getattr(karat, f"{score}_{part}")(y, y_prob=p, average=None)
    assert_same(each[0], each[1], within=1e-12)


def test_float32_is_compared_as_it_is() -> None:
    # The float32 nearest to 0.6 is above 0.6, so that it lies in the bin above the edge.
    # With 0.7 there, the hit and the miss share a bin.
    for dtype, wanted in (("f8", (0.4 + 0.7) / 2), ("f4", (1.3 - 1.0) / 2)):
        p = np.array([[0.6, 0.4], [0.7, 0.3]], dtype)
        found = karat.expected_calibration_error([0, 1], y_prob=p, bins=5)
        assert_same(found, wanted, within=1e-6)


def test_a_tie_is_predicted_as_the_first_class() -> None:
    p = [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]
    assert karat.expected_calibration_error([0, 0, 1], y_prob=p) == pytest.approx(2 / 3 - 0.5)
    assert karat.expected_calibration_error([1, 1, 0], y_prob=p) == pytest.approx(0.5 - 1 / 3)


def test_absent_classes_have_a_calibration_too() -> None:
    p = np.array([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1]])
    each = karat.class_calibration_error([0, 1], y_prob=p, labels=[0, 1, 2], average=None)
    assert_same(each[2], 0.1, within=1e-12)


def test_reliability_is_the_table_behind_the_error() -> None:
    for y, prob, weights in rows.problems(3, 20):
        p, hit = rows.top_label(y, prob)
        table = reliability(binned(CumulativeCounts.of(p, hit, weights), 10))
        assert_same(table.lo, rows.uniform(10)[:-1])
        assert_same(table.hi, rows.uniform(10)[1:])
        error = np.nansum(table.n * np.abs(table.share - table.mean_confidence)) / table.n.sum()
        found = karat.expected_calibration_error(
            y, y_prob=prob, weights=weights, bins=10, labels=range(3)
        )
        assert_same(error, found, within=1e-12)
        listed = table.rows()
        assert len(listed) == 10
        empty = [row for row in listed if row["n"] == 0]
        assert all(row["share"] is None and row["mean_confidence"] is None for row in empty)
        assert all(isinstance(row["n"], float) for row in listed)


def test_the_spread_of_a_share_is_that_of_its_trials() -> None:
    rng = np.random.default_rng(1)
    p, w = rng.random(200), rng.lognormal(size=200)
    table = reliability(Bins.of(CumulativeCounts.of(p, p > 0.5, w), [0, 0.5, 1]))
    drawn = rng.random((20_000, 200)) < p
    for i, inside in enumerate([p <= 0.5, p > 0.5]):
        shares = (drawn * w)[:, inside].sum(axis=1) / w[inside].sum()
        assert shares.std() == pytest.approx(table.spread[i], rel=0.03)


def test_bins_of_parts_merge_to_the_bins_of_the_whole() -> None:
    y, prob, _ = max(list(rows.problems(4))[::2], key=lambda problem: len(problem[0]))
    p, hit = rows.top_label(y, prob)
    parts = [
        binned(CumulativeCounts.of(p[part], hit[part]), 15)
        for part in (slice(0, 50), slice(50, None))
    ]
    merged, whole = parts[0].merge(parts[1]), binned(CumulativeCounts.of(p, hit), 15)
    assert_same(merged.gap, whole.gap, within=1e-12)
    assert merged.weight.tolist() == whole.weight.tolist()


def test_names_and_texts() -> None:
    assert karat.metrics.get("ece").name == "expected_calibration_error"
    text = 'expected_calibration_error(bins=10, scheme="quantile")'
    metric = karat.metrics.get(text)
    assert karat.metrics.get(str(metric)) == metric
    assert karat.metrics.get("classwise_calibration_error").lift == "macro"
    assert karat.metrics.get("expected_calibration_error(scheme=quantile)").params
