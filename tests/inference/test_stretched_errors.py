"""Calibration errors in bins: limits by inverting a test, not percentiles of replicates."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.inference.draws import interval_of_replicates, stretched
from karat.inference.resampling import replicate_bins
from karat.metrics import get
from karat.tally import Bins, CumulativeCounts, uniform_edges

METRIC = "expected_calibration_error"


def forecasts(seed: int, n: int, sharpness: float) -> tuple[np.ndarray, np.ndarray]:
    """Truth and probabilities; calibrated where the sharpness is 1."""
    rng = np.random.default_rng([10, seed])
    odds = 1.2 * rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(-odds))
    return y.astype(int), 1 / (1 + np.exp(-sharpness * odds))


def test_limits_of_calibrated_predictions_reach_0() -> None:
    covered, by_percentiles = 0, 0
    for seed in range(40):
        y, p = forecasts(seed, 300, 1.0)
        one = karat.evaluate(
            y, y_prob=p, metrics=METRIC, interval=karat.Interval(n_replicates=200)
        )[METRIC]
        assert one.low is not None
        assert one.method == "test inversion"
        covered += one.low == 0.0
        assert (one.low == 0.0) == ("by chance" in (one.remark or ""))
        drawn = karat.evaluate(
            y,
            y_prob=p,
            metrics=METRIC,
            interval=karat.Interval(n_replicates=200, method="bootstrap"),
        )
        assert drawn[METRIC].low is not None
        by_percentiles += drawn[METRIC].low <= 0.0
    assert covered >= 34
    # The control: percentiles of replicates never hold 0.
    assert by_percentiles == 0


def test_limits_of_predictions_that_are_too_bold_hold_the_truth() -> None:
    truth = karat.expected_calibration_error(*forecasts(0, 400_000, 1.0)[:1],
                                             y_prob=forecasts(0, 400_000, 2.0)[1])  # fmt: skip
    held = 0
    for seed in range(1, 41):
        y, p = forecasts(seed, 300, 2.0)
        one = karat.evaluate(
            y, y_prob=p, metrics=METRIC, interval=karat.Interval(n_replicates=200)
        )[METRIC]
        assert one.low is not None
        assert one.high is not None
        held += one.low <= truth <= one.high
    assert held >= 33


@pytest.mark.parametrize("tail", [0.025, 0.2])
def test_as_much_as_was_seen_has_the_tail_at_either_limit(tail: float) -> None:
    y, p = forecasts(3, 500, 2.5)
    confidence = np.maximum(p, 1 - p)
    column = CumulativeCounts.of(confidence, (p >= 0.5) == (y == 1))
    edges = uniform_edges(15)
    seen, drawn = Bins.of(column, edges), replicate_bins(column, 400, 1, edges)
    params = dict(get(METRIC).params)

    def of_bins(bins: Bins) -> np.ndarray:
        return get(METRIC).record.of_bins(bins, **params)

    low, high = stretched(of_bins, seen, drawn, tail)
    value = float(of_bins(seen))
    gaps = seen.hits - seen.confidence
    noise = (drawn.hits - drawn.confidence) - gaps
    for t, share in ((low, 1 - tail), (high, tail)):
        moved = np.abs(t * gaps + noise).sum(axis=1) / drawn.weight.sum(axis=1)
        assert np.quantile(moved, share) == pytest.approx(value, rel=1e-3)
    assert 0.0 < low < 1.0 < high
    # The control: percentiles lie above both limits.
    percentiles = interval_of_replicates(of_bins(drawn), value, 1 - 2 * tail)
    assert percentiles.low > low * value
