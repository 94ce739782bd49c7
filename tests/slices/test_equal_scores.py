"""Six equal slices with scores: that one is shown as different is rare."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.results.slices import Slice

METRICS = ("roc_auc", "average_precision", "log_loss", "brier")
N_SAMPLES = 60


def shown() -> dict[str, int]:
    """Of how many samples some slice of six equal ones of 120 rows is shown as different."""
    found = dict.fromkeys(METRICS, 0)
    for seed in range(N_SAMPLES):
        rng = np.random.default_rng([8, seed])
        y = (rng.random(720) < 0.2).astype(int)
        odds = 2.0 * (rng.normal(size=720) + 2.0 * y) - 2.0 + np.log(0.25)
        report = karat.evaluate(
            y, y_prob=1 / (1 + np.exp(-odds)), by=np.arange(720) % 6, metrics=METRICS
        )
        for metric in METRICS:
            slices = report.slices["by"].difference(metric).values()
            found[metric] += any(one.is_shown for one in slices)
    return found


def test_equal_slices_of_scores_are_rarely_shown_as_different() -> None:
    assert max(shown().values()) <= 9


def test_by_standard_errors_alone_they_are_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Slice, "sampling_of", lambda *_: None)
    assert shown()["roc_auc"] >= 9


def test_limits_are_those_of_both_values_combined() -> None:
    rng = np.random.default_rng(3)
    y = (rng.random(900) < 0.3).astype(int)
    s = rng.normal(size=900) + 1.5 * y
    table = karat.evaluate(y, y_score=s, by=list("abc" * 300), metrics="roc_auc").slices["by"]
    one = table.difference("roc_auc")["a"]
    part, rest = table["a"]["roc_auc"], table.rest["a"]["roc_auc"]
    down = np.hypot(part.value - part.low, rest.high - rest.value)
    up = np.hypot(part.high - part.value, rest.value - rest.low)
    assert one.low == pytest.approx(one.difference - down, abs=1e-9)
    assert one.high == pytest.approx(one.difference + up, abs=1e-9)
    assert abs(up - down) > 1e-4
