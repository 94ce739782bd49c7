"""Comparisons of three models beside one report of the first, both with everything they print."""

from __future__ import annotations

from functools import partial

import karat
from benchmarks.case import KARAT, REPORTS, Candidates, Case, Goal
from benchmarks.cases.verbs import MILLION, MODELS, NAMES, four, models, rows


def beside_one_report(n: int, k: int, metrics: str | None = "all") -> Candidates:
    """The four numbers of the first model, from each."""
    y, p = rows(n, k)
    given = models(p)

    def compared() -> list[float]:
        made = karat.compare(y, y_prob=given, metrics=metrics)
        str(made)
        values = made.values
        return [values[name][MODELS[0]].value for name in NAMES[k == 2]]

    def reported() -> list[float]:
        made = karat.evaluate(y, y_prob=given[MODELS[0]])
        str(made)
        return four(made, k)

    return {KARAT: compared, REPORTS: reported}


def case(n: int, k: int, goal: Goal) -> Case:
    rounds = 3 if n * k >= MILLION else 9
    shown = f"comparison of three models, all metrics, n={n:.0e}, K={k}".replace("e+0", "e")
    return Case(shown, partial(beside_one_report, n, k), goal, 0.0, rounds, REPORTS)


CASES = (
    case(1000, 2, Goal()),
    case(1000, 10, Goal()),
    case(1000, 100, Goal()),
    case(100_000, 2, Goal(1 / 5, 1 / 2)),
    case(100_000, 10, Goal(1 / 5, 1 / 2)),
    case(100_000, 100, Goal(1 / 5, 1 / 2)),
    case(MILLION, 2, Goal(1 / 5, 1 / 2)),
    case(MILLION, 10, Goal(1 / 5, 1 / 2)),
)
