"""Areas of well separated classes: limits are no farther than Newcombe's and DeLong's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

import karat
from karat.inference.limits import newcombe_limits, student_quantile, transformed

N_SAMPLES = 150


def sample(seed: int, shift: float = 3.6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([4, seed])
    true = np.repeat([1, 0], [20, 230])
    return true, rng.normal(size=250) + shift * true


def parts(true: np.ndarray, s: np.ndarray) -> tuple[float, list[np.ndarray]]:
    wins = (s[true == 1][:, None] > s[true == 0]).astype(float)
    return float(wins.mean()), [wins.mean(axis=1), wins.mean(axis=0)]


def uncapped(true: np.ndarray, s: np.ndarray) -> tuple[float, float, float, float]:
    """Area, DeLong's variance, the shrunk one and its degrees of freedom."""
    area, each = parts(true, s)
    if area == 1.0:
        return area, 0.0, 0.0, 19.0
    likely = 2 * area**2 / (1 + area) - area**2, area / (2 - area) - area**2
    raw = [v.var(ddof=1) / len(v) for v in each]
    shrunk = [
        (len(v) * v.var(ddof=1) + 5 * e) / (len(v) + 5) / len(v)
        for v, e in zip(each, likely, strict=True)
    ]
    df = sum(shrunk) ** 2 / sum(p**2 / (len(v) - 1) for p, v in zip(shrunk, each, strict=True))
    return area, sum(raw), sum(shrunk), df


@pytest.mark.parametrize("shift", [0.8, 2.0, 3.6])
def test_limits_are_the_nearer_of_two(shift: float) -> None:
    for seed in range(20):
        true, s = sample(seed, shift)
        area, raw, shrunk, df = uncapped(true, s)
        if area == 1.0:
            continue
        one = karat.evaluate(true, y_score=s, metrics="roc_auc", labels=[0, 1])["roc_auc"]
        q, ends = student_quantile(df, 0.025), (0.0, 1.0)
        wide = transformed(area, shrunk**0.5, q, ends)
        seen = transformed(area, raw**0.5, q, ends)
        edge = newcombe_limits(area, 20, 230, 1.959963984540054)
        low, high = max(wide[0], min(seen[0], edge[0])), min(wide[1], max(seen[1], edge[1]))
        assert (one.low, one.high) == pytest.approx((low, high), rel=1e-9)


def test_well_separated_classes_have_narrow_intervals_that_hold_the_truth() -> None:
    truth = float(ndtr(3.6 / np.sqrt(2)))
    held, width, without = 0, 0.0, 0.0
    for seed in range(N_SAMPLES):
        true, s = sample(seed)
        one = karat.evaluate(true, y_score=s, metrics="roc_auc", labels=[0, 1])["roc_auc"]
        assert one.low is not None
        assert one.high is not None
        held += one.low <= truth <= one.high
        if one.value < 1.0:
            area, _, shrunk, df = uncapped(true, s)
            wide = transformed(area, shrunk**0.5, student_quantile(df, 0.025), (0.0, 1.0))
            width, without = width + one.high - one.low, without + wide[1] - wide[0]
    assert held >= 0.93 * N_SAMPLES
    # The control: without the cap they are half as wide again.
    assert without > 1.35 * width
