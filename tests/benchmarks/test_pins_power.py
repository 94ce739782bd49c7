"""Simulated runs of the pins: false alarms, and how often a true slowdown is seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.pins import __main__ as command
from benchmarks.pins import ratios
from benchmarks.pins.cases import calls, peaks, starts
from benchmarks.pins.ratios import FASTER, SLOWER, UNCLEAR, WITHIN
from benchmarks.pins.sides import Bench, Case, Pair
from benchmarks.pins.trees import Tree

LOOKS = (command.PAIRS, command.MORE * command.PAIRS)
NOWHERE = Tree("none", Path("nowhere"), Path("nowhere"))
N = 2000


def verdicts(
    times: float, noise: float, monkeypatch: pytest.MonkeyPatch, wild: float = 0.0, n: int = N
) -> list[str]:
    """Verdicts of cases that cost some times as much, with noise of the logarithm of the ratios.

    A proportion of the pairs is wild: one of their sides takes up to three times as long.
    """
    rng = np.random.default_rng(6)

    def pairs(bench: Bench, case: Case) -> Iterator[Pair]:
        logs = rng.normal(0.0, noise, LOOKS[-1])
        logs += (rng.random(logs.size) < wild) * rng.uniform(-np.log(3.0), np.log(3.0), logs.size)
        for ratio in times * np.exp(logs):
            yield Pair({"cpu": 1.0, "wall": 1.0}, {"cpu": float(ratio), "wall": 1.0})

    monkeypatch.setattr(Bench, "pairs", pairs)
    bench, case = Bench(NOWHERE, NOWHERE, Path()), Case("calls", "some call")
    return [command.measured(bench, case, LOOKS, command.LIMIT).verdict for _ in range(n)]


def test_a_commit_against_itself_fails_in_5_percent_of_runs_at_most() -> None:
    n_cases = len(calls.CASES) + len(starts.CASES) + len(peaks.CASES)
    outside = [ratios.tail_probability(n, ratios.ranks(n)[0]) for n in LOOKS]
    assert n_cases * sum(outside) <= 0.025
    quick = ratios.tail_probability(command.QUICK, ratios.ranks(command.QUICK)[0])
    assert n_cases * quick <= 0.05


@pytest.mark.parametrize(("noise", "wild"), [(0.03, 0.0), (0.07, 0.0), (0.1, 0.3), (0.3, 0.3)])
def test_runs_of_a_commit_against_itself_have_few_false_alarms(
    noise: float, wild: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = verdicts(1.0, noise, monkeypatch, wild, n=25 * 100)
    runs = [cases[i : i + 25] for i in range(0, len(cases), 25)]
    assert sum(SLOWER in run for run in runs) <= 5


@pytest.mark.parametrize(
    ("noise", "times", "within", "unclear", "slower"),
    [
        (0.03, 1.0, 100.0, 0.0, 0.0),
        (0.03, 1.08, 79.3, 20.6, 0.1),
        (0.03, 1.12, 0.0, 0.0, 100.0),
        (0.03, 1.2, 0.0, 0.0, 100.0),
        (0.07, 1.0, 100.0, 0.0, 0.0),
        (0.07, 1.08, 17.1, 74.9, 8.0),
        (0.07, 1.12, 0.0, 8.3, 91.7),
        (0.07, 1.2, 0.0, 0.0, 100.0),
        (0.15, 1.0, 82.9, 17.1, 0.0),
        (0.15, 1.08, 4.6, 82.0, 13.4),
        (0.15, 1.12, 0.2, 40.4, 59.3),
        (0.15, 1.2, 0.0, 0.4, 99.6),
    ],
)
def test_the_power_is_that_of_the_docstring(
    noise: float,
    times: float,
    within: float,
    unclear: float,
    slower: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ratios.__doc__ is not None
    row = (f"{noise:.0%}", f"{times - 1.0:.0%}", f"{within}", f"{unclear}", f"{slower}")
    assert row in [tuple(line.split()) for line in ratios.__doc__.splitlines()]
    counts = Counter(verdicts(times, noise, monkeypatch))
    measured = [counts[WITHIN] + counts[FASTER], counts[UNCLEAR], counts[SLOWER]]
    # Four standard errors of a proportion of 2000 cases are at most 4.5 points.
    assert [100 * count / N for count in measured] == pytest.approx(
        [within, unclear, slower], abs=4.5
    )
