"""Calls whose messages neither the corpus nor the triggers of errors hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

import karat
from tests.messages.dask_rows import frame_of_dask

__all__ = ["CALLS"]

N: Final = 60
TRUTH: Final = np.arange(N) % 2
PRED: Final = np.where(np.arange(N) % 5 == 0, 1 - TRUTH, TRUTH)
P: Final = 0.1 + 0.8 * PRED
FOLDS: Final = np.arange(N) % 3
COUNTRIES: Final = np.array(["NO", "SE", "DK"])[np.arange(N) % 3]
SETS: Final = [["a"], ["a", "b"], ["b"]] * (N // 3)
OTHER_SETS: Final = [["a"], ["b"], ["b"]] * (N // 3)
TABLE: Final = pd.DataFrame({"label": TRUTH, "pred": PRED, "p": P, "country": COUNTRIES})
CUT: Final = TABLE[["label", "country"]]
any_karat: Final[Any] = karat


def _few_clusters() -> Any:
    monitor = karat.Monitor(min={"accuracy": 0.5})
    return monitor.add(TRUTH, PRED, clusters=np.arange(N) % 4)


def _gold_beside_a_judge() -> Any:
    gold = [None if i % 3 else y for i, y in enumerate(TRUTH)]
    return karat.evaluate(pd.DataFrame({"label": gold, "pred": PRED, "llm_judge": PRED}))


def _slices_as_a_curve() -> Any:
    report = karat.evaluate(TABLE[["label", "pred", "country"]], by="country")
    return any_karat.plot.confusion(report.slices["country"])


def _pilot_of_sets() -> Any:
    pilot = karat.evaluate(SETS, OTHER_SETS, level=None)
    return any_karat.rows_needed("samples_f1", half_width=0.05, pilot=pilot)


def _with_commas() -> str:
    rows = [f"{y};{y};{str(x).replace('.', ',')}" for y, x in zip(TRUTH, P, strict=True)]
    Path("commas.csv").write_text("\n".join(["label;pred;p", *rows]), encoding="utf-8")
    return "commas.csv"


def _written(*names: str) -> list[str]:
    for i, name in enumerate(names):
        TABLE[["label", "pred"]].assign(id=range(N), pred=np.roll(PRED, i)).to_csv(
            name, index=False
        )
    return list(names)


def _rows_of_sets() -> Any:
    report = karat.evaluate(SETS, OTHER_SETS)
    return karat.MultilabelReport.from_json(report.to_json()).wrong_rows()


def _listed_as_text() -> Any:
    truth = [str(labels) for labels in SETS]
    return karat.evaluate(truth, [str(labels) for labels in OTHER_SETS])


class _Fitted:
    """A fitted classifier, as scorers see one."""

    _estimator_type = "classifier"

    def __init__(self, learned: list[str], said: str) -> None:
        self.classes_, self._said = np.array(learned), said

    def predict(self, rows: Any) -> Any:
        return np.array([self._said] * len(rows))

    def predict_proba(self, rows: Any) -> Any:
        return np.full((len(rows), len(self.classes_)), 1 / len(self.classes_))


CALLS: Final[dict[str, Callable[[], object]]] = {
    "one proportion of two classes, none of which is positive": lambda: karat.evaluate(
        ["a", "b"] * 30, ["a", "b"] * 30, design=karat.CaseControl(prevalence=0.1)
    ),
    "a fold with a class that was not learned": lambda: any_karat.scorer("log_loss")(
        _Fitted(["a", "b"], "a"), np.zeros((3, 1)), ["a", "b", "c"]
    ),
    "a fold of a class that was not learned alone": lambda: any_karat.scorer("accuracy")(
        _Fitted(["a", "b"], "a"), np.zeros((2, 1)), ["c", "c"]
    ),
    "records without a table": lambda: karat.evaluate([{"label": "a", "pred": "a"}] * N),
    "margins of the second class": lambda: karat.evaluate(
        np.where(TRUTH == 0, "no", "yes"), y_score=P - 0.5, positive="no"
    ),
    "one class of dicts": lambda: karat.evaluate(["ok", "spam"] * 30, y_prob=[{"ok": 0.9}] * N),
    "lists as text": _listed_as_text,
    "ids of models on different rows": lambda: karat.compare(
        {"old": TRUTH, "new": TRUTH}, {"old": PRED, "new": PRED}, ids=np.arange(N)
    ),
    "decimal commas, named": lambda: karat.evaluate(_with_commas(), y_true="label", y_prob="p"),
    "decimal commas, found": lambda: karat.evaluate(_with_commas(), y_true="label", y_pred="pred"),
    "slices by a number": lambda: karat.evaluate(TABLE, by=3.5),
    "lists in another notation": lambda: karat.evaluate(
        ["[sea sky]", "[sea]", "[sky]"] * 20, ["[sea]", "[sea]", "[sky]"] * 20
    ),
    "slices where a report belongs": _slices_as_a_curve,
    "a pilot of sets without intervals": _pilot_of_sets,
    "a difference in percent": lambda: karat.rows_needed(
        "accuracy", difference=2, pilot=karat.evaluate(TRUTH, PRED)
    ),
    "one metric as a text": lambda: any_karat.scorers("macro_f1"),
    "the average of a scorer": lambda: any_karat.scorer("f1", average="macro"),
    "scores that may be probabilities": lambda: karat.evaluate(
        CUT.assign(pred=PRED, risk_score=P, my_score=P), y_pred="pred"
    ),
    "gold labels beside those of a judge": _gold_beside_a_judge,
    "an empty separator": lambda: karat.evaluate(
        ["a|b", "a"] * 30, ["a", "a"] * 30, labels=karat.Labels(separator="")
    ),
    "partitions without ids": lambda: karat.gate(
        frame_of_dask(TABLE), baseline=TABLE, max_drop={"accuracy": 0.5}
    ),
    "columns of unknown numbers": lambda: karat.evaluate(
        CUT.assign(class_0=1 - P, class_1=P, pred=PRED)
    ),
    "no labels": lambda: karat.evaluate([set()] * N, [set()] * N),
    "two columns of truth": lambda: karat.evaluate(TABLE.assign(target=PRED), y_pred="pred"),
    "files that repeat ids": lambda: karat.evaluate(_written("a.csv", "b.csv")),
    "rows of sets that JSON does not hold": _rows_of_sets,
    "one class of a pipeline": lambda: karat.evaluate(
        ["ok", "spam"] * 30, y_prob=[{"label": "ok", "score": 0.9}] * N
    ),
    "curves of unknown classes": lambda: any_karat.curves.roc(TRUTH, y_prob=P, classes=[7]),
    "no names of columns": lambda: any_karat.evaluate(TABLE, by=[1.5]),
    "ids of partitions": lambda: karat.evaluate(
        frame_of_dask(TABLE.assign(id=range(N))), y_pred="pred", y_prob="", ids="id"
    ),
    "few clusters": _few_clusters,
    "costs of two kinds": lambda: any_karat.cost_threshold(TRUTH, y_prob=P, fp=1, fn=10),
    "models without names": lambda: any_karat.compare(TRUTH, PRED, PRED),
    "kept rows, as in 0.2": lambda: any_karat.evaluate(TABLE, with_rows=True),
    "a strict gate, as in 0.2": lambda: any_karat.gate(
        TABLE, min={"accuracy": 0.5}, strict_inconclusive=True
    ),
    "a baseline with rows, as in 0.2": lambda: any_karat.gate(TABLE).save_baseline(
        "baseline.json", with_rows=True
    ),
    "random gold, as in 0.2": lambda: any_karat.evaluate(TABLE, gold_is_random=True),
    "an order without its classes": lambda: karat.Labels(ordered=True),
    "folds of a table by a number": lambda: any_karat.evaluate(
        TABLE.assign(fold=FOLDS), y_pred="pred", design=karat.Folds(3.5)
    ),
    "a separator beside a column for each label": lambda: karat.evaluate(
        pd.DataFrame({f"{side}_{x}": TRUTH for side in ("true", "pred") for x in "ab"}),
        y_true="true_*",
        labels=karat.Labels(separator="|"),
    ),
    "a report that is plotted": lambda: any_karat.evaluate(TRUTH, PRED).plot(),
    "a report that is saved": lambda: any_karat.evaluate(TRUTH, PRED).save(),
    "an average without a name": lambda: any_karat.f1(TRUTH, PRED, "macro"),
    "a scorer of a loss by scikit-learn's name": lambda: karat.scorer("neg_log_loss"),
    "columns without names": lambda: any_karat.evaluate(TABLE, "label", "pred"),
    "two columns of one table": lambda: any_karat.compare(
        TABLE.rename(columns={"p": "x"}), {"new": "nope", "old": "none"}
    ),
}
"""What is asked → the call."""
