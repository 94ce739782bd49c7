"""The Brier score of two classes is at most 1: so are the range of results and their limits."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.errors import InputError
from karat.inference.sampling_error import SamplingError
from karat.inference.value_limits import score_interval
from karat.metrics import get

TRUTH = [1, 0, 1, 0, 1, 0]
PROBS = [0.9, 0.2, 0.4, 0.1, 0.8, 0.6]
OF_THREE = [[0.5, 0.25, 0.25]] * 5 + [[0.0, 0.0, 1.0]]


def test_the_largest_binary_brier_score_is_1_and_that_of_three_classes_2():
    assert karat.brier([1, 0], y_prob=[0.0, 1.0]) == 1.0
    assert karat.brier([0, 1, 2], y_prob=[[0, 1, 0], [0, 0, 1], [1, 0, 0]]) == 2.0


def test_limits_of_a_report_lie_in_the_range_of_two_classes():
    found = karat.evaluate(TRUTH, y_prob=PROBS)["brier"]
    assert found.range == (0.0, 1.0)
    assert found.high == 1.0
    assert found.low == pytest.approx(0.01469, abs=1e-4)


def test_a_score_of_0_has_the_limits_of_a_proportion():
    """Wilson (1927) of 0 in 6 rows, with the t quantile of 5 degrees of freedom."""
    found = karat.evaluate(TRUTH, y_prob=[float(y) for y in TRUTH])["brier"]
    quantile = 2.5705818
    assert (found.low, found.high) == pytest.approx((0.0, quantile**2 / (6 + quantile**2)))


def test_without_the_number_of_classes_the_limit_is_that_of_any():
    """The control: the range of more than two classes gives a limit above 1."""
    spread = SamplingError(0.004, 0.004, 5.0, 6.0)
    for metric, most in ((get("brier"), 2.0), (get("brier").with_classes(2), 1.0)):
        found = score_interval(metric, 0.95, spread, karat.evaluate(TRUTH, TRUTH).confidence, 1.0)
        assert metric.range == (0.0, most)
        assert (found.high > 1.0) == (most == 2.0)


def test_three_classes_keep_their_range_also_in_slices_with_two_of_them():
    report = karat.evaluate([0, 1, 2, 2, 0, 1], y_prob=OF_THREE, by={"g": list("aababb")})
    assert report["brier"].range == (0.0, 2.0)
    assert report.slices["g"]["a"]["brier"].range == (0.0, 2.0)
    assert report.slices["g"]["b"]["brier"].high > 1.0


def test_slices_replicates_and_folds_have_limits_of_two_classes():
    y = [0, 1] * 8
    prob = [0.8, 0.3] * 8
    report = karat.evaluate(y, y_prob=prob, by={"g": [0, 0, 1, 1] * 4})
    assert report.slices["g"]["0"]["brier"].high <= 1.0
    drawn = karat.evaluate(TRUTH, y_prob=PROBS, interval=karat.Interval(method="bootstrap"))
    assert drawn["brier"].high <= 1.0
    folds = karat.evaluate(
        {"y": TRUTH, "p": PROBS, "fold": [0, 0, 1, 1, 2, 2]},
        y_true="y",
        y_prob="p",
        design=karat.Folds("fold"),
    )
    assert folds.folds["brier"].high <= 1.0


def test_compare_gate_and_sizes_read_the_range_of_two_classes():
    other = [0.8, 0.3, 0.3, 0.2, 0.7, 0.7]
    compared = karat.compare(TRUTH, y_prob={"a": PROBS, "b": other}, metrics=["brier"])
    assert compared.values["brier"]["a"].high <= 1.0
    with pytest.raises(InputError, match="between 0 and 1") as caught:
        karat.compare(TRUTH, y_prob={"a": PROBS, "b": other}, metrics=["brier"], margin=1.0)
    assert caught.value.code == "K165"
    gate = karat.gate(TRUTH, y_prob=PROBS, max={"brier": 0.9})
    assert "1]" in str(gate).split("brier ≤ 0.9")[1]
    with pytest.raises(InputError, match="between 0 and 1"):
        karat.rows_needed("brier", pilot=karat.evaluate(TRUTH, y_prob=PROBS), difference=1.5)


def test_reports_in_json_with_a_limit_above_1_are_read():
    text = karat.evaluate(TRUTH, y_prob=PROBS).to_json()
    high = karat.Report.from_json(text)["brier"].high
    assert high == 1.0
    found = karat.Report.from_json(_with_limit(text, 1.2711))["brier"]
    assert found.high == 1.2711


def _with_limit(text: str, high: float) -> str:
    import json

    whole = json.loads(text)
    whole["metrics"]["brier"]["high"] = high
    return json.dumps(whole)


def test_the_order_of_metrics_with_and_without_classes_is_one():
    bound = get("brier").with_classes(2)
    assert bound == get("brier")
    assert hash(bound) == hash(get("brier"))
    assert get("accuracy").with_classes(2) is get("accuracy")
    assert np.isfinite(bound.range).all()
