"""How often a gate fails: seldom where nothing changed, often where a real drop happened.

Rows are drawn as for the table in which gates of other kinds were simulated: of 3 % of the rows
each model alone is right, and on as many more as the drop the later one alone is wrong.
"""

from __future__ import annotations

import numpy as np
import pytest

import karat

N_RUNS = 400


def failures(n: int, drop: float, seed: int, **rules: object) -> dict[str, float]:
    """The share of simulated gates in which each rule fails."""
    rng = np.random.default_rng(seed)
    lost, won = 0.03 + drop, 0.03
    counts: dict[str, int] = {}
    for _ in range(N_RUNS):
        true = rng.integers(0, 2, n)
        draw = rng.random(n)
        old_right = (draw < lost) | (draw > lost + won + 0.08)
        new_right = ((draw >= lost) & (draw < lost + won)) | (draw > lost + won + 0.08)
        old, new = np.where(old_right, true, 1 - true), np.where(new_right, true, 1 - true)
        found = karat.gate(true, new, baseline=old, **rules)  # type: ignore[arg-type]
        for rule in found.rules:
            counts[rule.rule] = counts.get(rule.rule, 0) + (rule.verdict == "FAIL")
            assert rule.p is not None
            # What it would be without an allowance for the other rules.
            alone = f"{rule.rule}, alone"
            counts[alone] = counts.get(alone, 0) + (rule.p < 0.025)
    return {name: count / N_RUNS for name, count in counts.items()}


def at_most(share: float) -> float:
    """What a share may be found to be in so many runs: four standard errors more."""
    return share + 4 * (share * (1 - share) / N_RUNS) ** 0.5


@pytest.mark.parametrize("n", [300, 2000])
def test_no_change_fails_seldom(n: int) -> None:
    for name, share in failures(n, 0.0, seed=n).items():
        assert share <= at_most(0.025), (name, share)


def test_a_drop_of_two_points_is_found_as_often_as_the_paired_interval_finds_it() -> None:
    found = failures(2000, 0.02, seed=7)
    assert found["accuracy not worse than the baseline, alone"] == pytest.approx(0.89, abs=0.06)
    assert found["accuracy not worse than the baseline"] == pytest.approx(0.89, abs=0.08)


def test_a_drop_as_large_as_is_allowed_fails_seldom_and_a_larger_one_often() -> None:
    allowed = failures(2000, 0.02, seed=8, max_drop={"accuracy": 0.02})
    assert allowed["drop of accuracy ≤ 0.02"] <= at_most(0.025)
    larger = failures(2000, 0.04, seed=9, max_drop={"accuracy": 0.02})
    assert larger["drop of accuracy ≤ 0.02"] > 0.8


def test_what_is_worse_by_the_margin_seldom_passes() -> None:
    rng = np.random.default_rng(10)
    passed = 0
    for _ in range(N_RUNS):
        true = rng.integers(0, 2, 2000)
        draw = rng.random(2000)
        old = np.where(draw > 0.1, true, 1 - true)
        new = np.where((draw > 0.11) | (draw < 0.005), true, 1 - true)
        drop = 0.01 - 0.005
        found = karat.gate(true, new, baseline=old, no_worse_than={"accuracy": drop})
        passed += found.passed
    assert passed / N_RUNS <= at_most(0.025)
