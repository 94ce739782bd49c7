"""PyCM, which computes every number it has, beside a whole report."""

from __future__ import annotations

from functools import partial

from pycm import ConfusionMatrix

import karat
from benchmarks.case import KARAT, PYCM, Candidates, Case
from benchmarks.cases.data import labels
from benchmarks.cases.labels import ROUNDED


def report(n: int, k: int) -> Candidates:
    y_true, y_pred = labels(n, k)

    def ours() -> object:
        made = karat.evaluate(y_true, y_pred, level=None)
        names = ("accuracy", "kappa", "macro_f1", "matthews_correlation")
        values = {name: result.value for name, result in made.metrics.items()}  # all of them
        return [values[name] for name in names]

    def theirs() -> object:
        made = ConfusionMatrix(y_true, y_pred)
        return [made.Overall_ACC, made.Kappa, made.F1_Macro, made.Overall_MCC]

    return {KARAT: ours, PYCM: theirs}


CASES = (
    Case("report of labels, n=1000, K=10", partial(report, 1000, 10), within=ROUNDED, peer=PYCM),
    Case(
        "report of labels, n=1e5, K=10", partial(report, 100_000, 10),
        within=ROUNDED, rounds=3, peer=PYCM,
    ),
)  # fmt: skip
