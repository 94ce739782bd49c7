"""Metrics of scores against fractions: thousands of values of small problems."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import karat
from tests.oracles import exact_scores as exact

WITHIN = 1e-12
N_PROBLEMS = 60
COSTS = ([[0, 1], [1, 0]], [[0, 1], [5, 0]], [[0, 3], [1, -1]])


class Problem:
    """A few rows: ties, absent classes, weights of 0, single rows."""

    def __init__(self, seed: int, *, is_prob: bool) -> None:
        rng = self.rng = random.Random(seed)
        self.k, n = rng.choice([2, 3, 4]), rng.choice([1, 2, 4, 6, 8])
        used = rng.choice([self.k, self.k, self.k - 1])
        self.truth = [rng.randrange(used) for _ in range(n)]
        rows = []
        for _ in range(n):
            cuts = [0, *sorted(rng.randrange(9) for _ in range(self.k - 1)), 8]
            shares = [(b - a) / 8 for a, b in pairwise(cuts)]
            rows.append(shares if is_prob else [rng.randrange(-3, 4) / 2 for _ in range(self.k)])
        self.values = np.array(rows, rng.choice([np.float32, np.float64]))
        self.weights = rng.choice([None, [rng.choice([0, 1, 1, 2.5]) for _ in range(n)]])
        if self.weights is not None and not any(self.weights):
            self.weights = None
        self.call = {
            "y_true": self.truth,
            "y_prob" if is_prob else "y_score": self.values,
            "weights": self.weights,
            "labels": list(range(self.k)),
        }
        self.rows = [[Fraction(float(x)) for x in row] for row in self.values]
        # Two scores rank by their difference.
        by_difference = self.k == 2 and not is_prob
        self.ranks = [[a - b, b - a] for a, b in self.rows] if by_difference else self.rows
        self.weight = [Fraction(w) for w in self.weights or [1] * n]

    def columns(self) -> list[tuple[Any, Any, Any]]:
        """Scores, whether of the class, weights: for each class."""
        return [
            ([row[i] for row in self.ranks], [t == i for t in self.truth], self.weight)
            for i in range(self.k)
        ]

    def confidences(self) -> list[exact.Row]:
        """Those of the predicted class, the first of the largest."""
        best = [max(range(self.k), key=lambda i: (row[i], -i)) for row in self.rows]
        return [
            (row[i], int(i == t), w)
            for row, i, t, w in zip(self.rows, best, self.truth, self.weight, strict=True)
        ]


def check(actual: Any, expected: Any, about: Any) -> None:
    actual = float(actual)
    if expected is None:
        assert np.isnan(actual), about
    else:
        assert abs(actual - float(expected)) <= WITHIN * max(1.0, abs(float(expected))), about


def check_ranks(problem: Problem) -> None:
    share, beta = problem.rng.choice([0.1, 0.25, 0.5, 1.0]), problem.rng.choice([0.5, 1.0, 2.0])
    fpr, costs = problem.rng.choice([0.1, 0.5, 0.75]), problem.rng.choice(COSTS)
    references: list[tuple[str, Any, dict[str, Any]]] = [
        ("roc_auc", exact.area, {}),
        ("roc_auc", exact.partial_area, {"max_fpr": fpr}),
        ("average_precision", exact.step_area, {}),
        ("pr_auc_trapezoid", exact.trapezoid_area, {}),
        ("ks_statistic", exact.largest_gap, {}),
        ("equal_error_rate", exact.equal_errors, {}),
        ("gain_at", exact.gain, {"share": share}),
        ("max_f_beta", exact.largest_f_beta, {"beta": beta}),
        ("min_cost", exact.smallest_cost, {"costs": costs}),
    ]
    columns = problem.columns()
    for name, reference, params in references:
        measure = getattr(karat, name)
        each = [reference(*column, **params) for column in columns]
        found = measure(**problem.call, **params, average=None)
        for i, expected in enumerate(each):
            check(found[i], expected, (name, params, i))
        macro = measure(**problem.call, **params, average="macro")
        check(macro, exact.mean(each), (name, params, "macro"))
        strict = measure(**problem.call, **params, average="macro", undefined="nan")
        check(strict, None if None in each else exact.mean(each), (name, params, "nan"))
    cost = [[problem.rng.choice([-1, 0, 1, 2, 5]) for _ in columns] for _ in columns]
    for i in range(problem.k):
        cost[i][i] = 0
    labels = problem.truth, problem.weight
    pairs = exact.pairs(problem.ranks, *labels, problem.k)
    check(karat.roc_auc_ovo_macro(**problem.call), pairs, "pairs")
    mu = exact.mu(problem.rows, *labels, cost)
    check(karat.roc_auc_mu(**problem.call, cost=cost), mu, ("mu", cost))


def check_all(check_one: Any, n_problems: int, *, is_prob: bool) -> None:
    for seed in range(n_problems):
        check_one(Problem(seed, is_prob=is_prob))


def check_calibration(problem: Problem) -> None:
    given: dict[str, Any] = {
        "bins": problem.rng.choice([1, 2, 3, 8]),
        "closed": problem.rng.choice(["left", "right"]),
    }
    rows = problem.confidences()
    for name, reference in (
        ("expected_calibration_error", exact.calibration_error),
        ("debiased_calibration_error", exact.debiased_error),
    ):
        found = getattr(karat, name)(**problem.call, **given)
        check(found, reference(rows, **given), (name, given))
    if problem.weights is None:
        found = karat.expected_calibration_error_if_calibrated(**problem.call, **given)
        check(found, exact.error_by_chance(rows, **given), ("by chance", given))
    each = [list(zip(*column, strict=True)) for column in problem.columns()]
    found = karat.class_calibration_error(**problem.call, **given, average=None)
    parts = [
        getattr(karat, f"brier_{part}")(**problem.call, average=None)
        for part in ("miscalibration", "discrimination", "uncertainty")
    ]
    for i, own in enumerate(each):
        check(found[i], exact.calibration_error(own, **given), ("class", i, given))
        for part, expected in zip(parts, exact.brier_parts(own), strict=True):
            check(part[i], expected, ("brier", i))


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize("is_prob", [False, True], ids=["scores", "probabilities"])
def test_small_problems_equal_fractions(is_prob: bool) -> None:
    check_all(check_ranks, N_PROBLEMS, is_prob=is_prob)
    if is_prob:
        check_all(check_calibration, N_PROBLEMS, is_prob=True)


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize(
    "name", ["area", "equal_errors", "step_area", "gain", "pairs", "mu", "smallest_cost"]
)
def test_a_wrong_rank_would_be_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = getattr(exact, name)

    def wrong(*args: Any, **params: Any) -> Any:
        value = right(*args, **params)
        return None if value is None else value + Fraction(1, 10**11)

    monkeypatch.setattr(exact, name, wrong)
    with pytest.raises(AssertionError):
        check_all(check_ranks, 10, is_prob=False)


@pytest.mark.filterwarnings("ignore::karat.UndefinedWarning")
@pytest.mark.parametrize("name", ["calibration_error", "debiased_error", "error_by_chance"])
def test_a_wrong_calibration_would_be_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = getattr(exact, name)
    swapped = {"left": "right", "right": "left"}

    def wrong(rows: Any, bins: int, closed: str) -> Any:
        return right(rows, bins, swapped[closed])

    monkeypatch.setattr(exact, name, wrong)
    with pytest.raises(AssertionError):
        check_all(check_calibration, N_PROBLEMS, is_prob=True)
