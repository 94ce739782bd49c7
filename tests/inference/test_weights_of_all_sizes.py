"""Weights of very different sizes: a report with its intervals, or K125; never anything else."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import karat
from karat import _native
from karat.errors import KaratError
from karat.inference.value_limits import _n_losing
from karat.inference.variance import SamplingError
from karat.metrics import get


@st.composite
def weighted_rows(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    k = draw(st.integers(2, 3))
    n = draw(st.integers(k, 12))
    truth = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    prob = np.round(rng.random((n, k)), draw(st.sampled_from([1, 2, 15]))) + 1e-9
    prob /= prob.sum(axis=1, keepdims=True)
    span = draw(st.sampled_from([5, 20, 40, 100, 200, 310]))
    weights = 10.0 ** rng.uniform(-span, draw(st.sampled_from([0, span / 3])), n)
    return truth, prob[:, 1] if k == 2 and draw(st.booleans()) else prob, weights


NEARLY_ONE_CLASS = (
    np.array([0, 1, 2]),
    np.array([[2.0, 3.0, 6.0], [1.0, 6.0, 6.0], [7.0, 9.0, 8.0]])
    / np.array([[11.0], [13.0], [24.0]]),
    np.array([8.18006449e-16, 7.32241973e-56, 1.87513095e-01]),
)
"""Entropies are so small that rounding moves their ratio to 1.0015."""
TINY = np.array([0, 1, 0, 1]), np.array([0.1, 0.4, 0.6, 0.9])


@example(rows=NEARLY_ONE_CLASS, level=None)
@example(rows=(*TINY, np.array([3e-17, 1.0, 1.0, 1.0])), level=None)
@example(rows=(*TINY, np.array([1.0, 1.0, 1e-165, 1.0])), level=0.95)
@settings(max_examples=150, derandomize=True)
@given(rows=weighted_rows(), level=st.sampled_from([None, 0.95]))
def test_a_report_or_a_refusal(rows: tuple[Any, Any, Any], level: float | None) -> None:
    truth, prob, weights = rows
    labels = list(range(truth.max() + 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            report = karat.evaluate(
                truth,
                y_prob=prob,
                weights=weights,
                labels=labels,
                level=level,
                interval=karat.Interval(n_replicates=100),
            )
            assert report.metrics
            assert str(report)
            assert karat.Report.from_json(report.to_json()).metrics
        except KaratError as problem:
            if problem.code != "K125":
                raise


def test_a_row_without_weight_to_speak_of_changes_nothing() -> None:
    truth, prob = np.tile(TINY[0], 50), np.linspace(0.01, 0.99, 200)
    weights = np.ones(200)
    weights[::7] = 0.0
    tiny = np.where(weights > 0, weights, 1e-165)
    one, other = (karat.evaluate(truth, y_prob=prob, weights=w) for w in (weights, tiny))
    for name in ("roc_auc", "log_loss", "expected_calibration_error", "calibration_slope"):
        found = one[name], other[name]
        ends = [(each.value, each.low, each.high) for each in found]
        assert ends[0] == pytest.approx(ends[1], rel=0.02), name


def test_a_square_that_is_no_number_is_that_of_one_row() -> None:
    scores, sums, squares = np.array([0.5]), np.array([[0.0, 1e-165]]), np.zeros((1, 2))
    _, counts, _, lengths = _native.replicate_levels(scores, sums, squares, False, 0, 0, 0, 200, 1)
    drawn = counts[lengths > 0, 0, 1] / 1e-165
    assert np.allclose(drawn, np.round(drawn))
    assert set(np.round(drawn)) >= {1.0, 2.0, 3.0}
    assert 0.5 < (lengths > 0).mean() < 0.75
    for bad in (np.array([[0.0, 1.0]]), -sums):
        with pytest.raises(ValueError, match="alone"):
            _native.replicate_levels(scores, bad, squares, False, 0, 0, 0, 1, 1)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("size", [1e100, 1e160, 1e200, 1e300])
def test_scores_of_all_sizes_bear_a_report(size: float, k: int) -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(12, k))
    scores[::3] *= size
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = karat.evaluate(
            np.arange(12) % k, y_score=scores, interval=karat.Interval(n_replicates=100)
        )
        assert str(report)
        assert karat.Report.from_json(report.to_json()).metrics.keys() == report.metrics.keys()


def test_few_losses_that_make_up_all_are_counted_whatever_their_size() -> None:
    spread = SamplingError(1e300, 1e300, 99.0, 100.0)
    for value in (1e-200, 1.0, 1e160, 1e300):
        assert 0.0 <= _n_losing(get("log_loss"), value, spread) <= 100.0
