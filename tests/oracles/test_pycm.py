"""What the page says of PyCM's statistics that are simple functions of karat's metrics."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import karat
from tests.oracles.libraries import pycm
from tests.oracles.problems import Problem, problems
from tests.same import assert_same


class Numbers:
    """karat's metrics of a problem: of each class, or with the average in front."""

    def __init__(self, problem: Problem) -> None:
        self._given = {"weights": problem.weights, "labels": problem.labels}
        self._rows = (problem.y_true, problem.y_pred)
        self.k = problem.k
        self.n = len(problem.y_true) if problem.weights is None else problem.weights.sum()

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("macro_", "micro_")):
            average, _, bare = name.partition("_")
            return getattr(karat, bare)(*self._rows, average=average, **self._given)
        is_of_one = karat.metrics.get(name).record.is_per_class
        extra = {"average": None} if is_of_one else {}
        return getattr(karat, name)(*self._rows, **extra, **self._given)


OF_CLASSES = {
    "N": lambda c: c.n - c.support,
    "POP": lambda c: np.full(c.k, c.n),
    "TOPR": lambda c: c.predicted_count / c.n,
    "TON": lambda c: c.n - c.predicted_count,
    "ACC": lambda c: (c.true_positives + c.true_negatives) / c.n,
    "ERR": lambda c: (c.false_positives + c.false_negatives) / c.n,
    "LS": lambda c: c.precision / c.prevalence,
    "IS": lambda c: np.log2(c.precision / c.prevalence),
    "AM": lambda c: c.predicted_count - c.support,
    "BCD": lambda c: abs(c.predicted_count - c.support) / (2 * c.n),
    "Q": lambda c: (c.diagnostic_odds_ratio - 1) / (c.diagnostic_odds_ratio + 1),
    "OC": lambda c: np.maximum(c.precision, c.recall),
    "AUPR": lambda c: (c.precision + c.recall) / 2,
    "ICSI": lambda c: c.precision + c.recall - 1,
    "HD": lambda c: c.false_positives + c.false_negatives,
    "BB": lambda c: np.minimum(c.precision, c.recall),
}
OVERALL = {
    "Bennett S": lambda c: (c.k * c.accuracy - 1) / (c.k - 1),
    "Kappa No Prevalence": lambda c: 2 * c.accuracy - 1,
    "AUNU": lambda c: (c.macro_recall + c.macro_specificity) / 2,
    "AUNP": lambda c: ((c.recall + c.specificity) / 2) @ c.prevalence,
    "CSI": lambda c: c.macro_precision + c.macro_recall - 1,
    "RR": lambda c: c.n / c.k,
}
CASES = [
    *(("class_stat", item, formula) for item, formula in OF_CLASSES.items()),
    *(("overall_stat", item, formula) for item, formula in OVERALL.items()),
]


@pytest.mark.parametrize(("table", "item", "formula"), CASES, ids=[case[1] for case in CASES])
def test_the_formula_of_the_page_gives_pycms_number(table: str, item: str, formula: Any) -> None:
    n_values = 0
    for problem in problems(12):
        if not problem.holds("every class is true and predicted"):
            continue
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", karat.UndefinedWarning)
            mine = np.asarray(formula(Numbers(problem)), np.float64)
        other = np.asarray(pycm(problem, table, {})[item], np.float64)
        # PyCM has no infinite numbers: it says 'None'.
        is_finite = np.isfinite(mine)
        assert_same(mine[is_finite], other[is_finite], within=1e-12, about=item)
        n_values += int(is_finite.sum())
    assert n_values >= 50
