"""Every metric as a function, and the catalogue of metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary, digits

COSTS = [[0.0, 1.0], [3.0, 0.0]]
PARAMETERS: dict[str, dict[str, Any]] = {
    "f_beta": {"beta": 2},
    "f_beta_of_macro_averages": {"beta": 0.5},
    "expected_cost": {"costs": COSTS},
    "kappa_weighted": {"disagreement": COSTS},
    "precision_at_k": {"k": 25},
    "recall_at_k": {"k": 25},
    "recall_at_precision": {"min_precision": 0.5},
    "min_cost": {"costs": COSTS},
    "cost_threshold": {"costs": COSTS},
    "lift_at": {"share": 0.2},
    "gain_at": {"share": 0.3},
    "max_f_beta": {"beta": 2},
}
MORE: dict[str, list[dict[str, Any]]] = {
    "roc_auc": [{"max_fpr": 0.25}, {"average": "micro"}],
    "top_k_accuracy": [{"k": 1}, {"k": 3}],
    "balanced_accuracy": [{"adjusted": True}],
    "normalized_mutual_information": [{"average": "min"}],
    "expected_calibration_error": [
        {"bins": 5},
        {"scheme": "quantile"},
        {"closed": "left"},
        {"norm": "l2"},
    ],
    "classwise_calibration_error": [{"bins": 20}],
    "f_beta": [{"beta": 0.5}, {"beta": 0}],
}


def calls() -> Iterator[Call]:
    two, many, text = binary(), digits(), animals()
    labels = {"two": (two["label"], two["pred"]), "six": (many["label"], many["pred"])}
    for name in karat.metrics.names():
        options = PARAMETERS.get(name, {})
        if _is_of_scores(name):
            yield _call(
                f"{name} of two probabilities", name, two["label"], y_prob=two["p_yes"], **options
            )
            if "costs" not in options:
                each = {"average": None} if name in OF_EACH else {}
                yield _call(
                    f"{name} of six probabilities",
                    name,
                    many["label"],
                    y_prob=many["prob"],
                    **options,
                    **each,
                )
            if name in SOME:
                yield _call(
                    f"{name} of two logits", name, two["label"], y_logit=two["z"], **options
                )
                yield _call(
                    f"{name} with weights",
                    name,
                    two["label"],
                    y_prob=two["p_yes"],
                    weights=two["mass"],
                    **options,
                )
        else:
            yield _call(f"{name} of two labels", name, *labels["two"], **options)
            if "costs" not in options and "disagreement" not in options:
                each = {"average": None} if name in OF_EACH else {}
                yield _call(f"{name} of six labels", name, *labels["six"], **options, **each)
            if name in SOME:
                yield _call(
                    f"{name} of text",
                    name,
                    text["label"],
                    text["pred"],
                    weights=text["mass"],
                    **options,
                )
                yield _call(f"{name} of a matrix", name, confusion=[[9, 1], [2, 8]], **options)
    for name in (
        "precision",
        "recall",
        "f1",
        "f_beta",
        "jaccard",
        "specificity",
        "roc_auc",
        "average_precision",
        "gini",
    ):
        rows: dict[str, Any] = (
            {"y_prob": many["prob"]} if _is_of_scores(name) else {"y_pred": many["pred"]}
        )
        for average in (None, "macro", "micro", "weighted"):
            options = {**PARAMETERS.get(name, {}), "average": average}
            yield _call(f"{name} of six, average {average}", name, many["label"], **rows, **options)
        if "y_pred" in rows:
            for undefined in ("zero", "exclude", "nan"):
                options = {**PARAMETERS.get(name, {}), "average": "macro", "undefined": undefined}
                yield _call(
                    f"{name}, undefined is {undefined}", name, [0, 1, 2], [0, 1, 1], **options
                )
    for name, tried in MORE.items():
        for options in tried:
            rows = {"y_prob": many["prob"]} if _is_of_scores(name) else {"y_pred": many["pred"]}
            given = {**({"average": "macro"} if name == "f_beta" else {}), **options}
            yield _call(f"{name} with {options}", name, many["label"], **rows, **given)
            rows = {"y_prob": two["p_yes"]} if _is_of_scores(name) else {"y_pred": two["pred"]}
            yield _call(f"{name} of two with {options}", name, two["label"], **rows, **options)
    yield from _others()


SOME = {
    "precision",
    "macro_recall",
    "f1",
    "weighted_f1",
    "accuracy",
    "balanced_accuracy",
    "kappa",
    "matthews_correlation",
    "mutual_information",
    "g_mean",
    "roc_auc",
    "average_precision",
    "log_loss",
    "brier",
    "ks_statistic",
    "expected_calibration_error",
    "lift_at",
    "hinge_loss",
    "top_k_accuracy",
    "calibration_slope",
    "min_cost",
    "roc_auc_ovo_macro",
    "support",
}
# What is one value for each class where there are more than two.
OF_EACH = {
    name.removeprefix("macro_") for name in karat.metrics.names() if name.startswith("macro_")
} | {
    "calibration_slope",
    "calibration_intercept",
    "calibration_in_the_large",
    "average_precision",
    "f_beta_threshold",
    "informedness_threshold",
    "roc_auc",
    "class_calibration_error",
}


def _is_of_scores(name: str) -> bool:
    """Whether the catalogue says so: labels alone do not give it."""
    return name in OF_SCORES


def _found() -> frozenset[str]:
    found = set()
    for name in karat.metrics.names():
        try:
            karat.evaluate([0, 1, 1], [0, 1, 0], metrics=name)
        except karat.KaratError as problem:
            if problem.code == "K210":
                found.add(name)
    return frozenset(found)


OF_SCORES = _found()


def _call(call: str, function: str, *rows: Any, **options: Any) -> Call:
    return Call(call, "function", "array", lambda: getattr(karat, function)(*rows, **options))


def _others() -> Iterator[Call]:
    two, many, text = binary(), digits(), animals()

    def call(name: str, run: Any) -> Call:
        return Call(name, "catalogue", "none", run)

    yield Call(
        "confusion_matrix",
        "function",
        "array",
        lambda: karat.confusion_matrix(text["label"], text["pred"]),
    )
    yield Call(
        "confusion_matrix with labels",
        "function",
        "array",
        lambda: karat.confusion_matrix(
            text["label"], text["pred"], labels=["eel", "dog", "cat", "fox"]
        ),
    )
    yield Call(
        "confusion_matrix with weights",
        "function",
        "array",
        lambda: karat.confusion_matrix(two["label"], two["pred"], weights=two["mass"]),
    )
    yield Call(
        "roc_auc_pairs",
        "function",
        "array",
        lambda: karat.roc_auc_pairs(many["label"], y_prob=many["prob"]),
    )
    yield Call(
        "roc_auc_pairs with weights",
        "function",
        "array",
        lambda: karat.roc_auc_pairs(many["label"], y_score=many["score"], weights=many["mass"]),
    )
    for alias in (
        "mcc",
        "npv",
        "ppv",
        "tpr",
        "fpr",
        "sensitivity",
        "auc",
        "cohen_kappa",
        "youden_j",
        "iou",
        "no_such_name",
    ):
        yield Call(
            f"alias {alias}",
            "function",
            "array",
            lambda alias=alias: getattr(karat, alias)(two["label"], two["pred"]),
        )
    yield call("names", karat.metrics.names)
    yield call("dir", lambda: sorted(dir(karat)))
    for text_ in ("youden", "agreement", "calibration", "f1", "", "no such words"):
        yield call(
            f"search {text_!r}", lambda text_=text_: [m.name for m in karat.metrics.search(text_)]
        )
    for name in (
        "mcc",
        "macro_f_beta(beta=2)",
        "roc_auc(max_fpr=0.5)",
        "f1",
        "kappa_quadratic",
        "macro f1",
        "nothing",
        "macro_accuracy",
        "f_beta(beta=)",
        "lift_at(share=2)",
    ):
        yield call(f"get {name!r}", lambda name=name: str(karat.metrics.get(name)))
        yield call(f"parse {name!r}", lambda name=name: str(karat.metrics.parse(name)))
    yield call("facts of every metric", lambda: [_facts(m) for m in karat.metrics.all_metrics()])
    for wanted in (["accuracy"], ["macro_f1", "mcc"], ["roc_auc"], ["log_loss", "accuracy"], None):
        yield call(f"plan of {wanted}", lambda wanted=wanted: _plan(wanted))
    for name in (
        "accuracy",
        "macro_f1",
        "log_loss",
        "roc_auc",
        "roc_auc_ovr_macro",
        "brier",
        "support",
    ):
        for kind in ("two", "six", "text"):
            yield Call(
                f"scorer {name} of {kind}",
                "scorer",
                "array",
                lambda name=name, kind=kind: _scored(name, kind),
            )


def _plan(wanted: Any) -> Any:
    plan = karat.Plan.of(wanted)
    return {"metrics": plan.metrics, "tallies": plan.tallies, "cells": plan.needs_cells}


def _facts(metric: Any) -> dict[str, Any]:
    return {
        "name": metric.name,
        "range": metric.range,
        "better": metric.better,
        "text": str(metric),
    }


class Estimator:
    """What a fitted estimator of scikit-learn has, with stored predictions."""

    def __init__(self, columns: Any, kind: str) -> None:
        self.pred = columns["pred"]
        self.classes_ = np.unique(columns["label"])
        prob = {"two": "p_yes", "six": "prob"}.get(kind)
        if kind == "text":
            self.prob = np.column_stack(
                [columns[f"proba_{name}"] for name in ("cat", "dog", "eel")]
            )
        else:
            held = columns[prob]
            self.prob = held if held.ndim == 2 else np.column_stack([1 - held, held])

    def predict(self, rows: Any) -> Any:
        return self.pred[rows]

    def predict_proba(self, rows: Any) -> Any:
        return self.prob[rows]


def _scored(name: str, kind: str) -> Any:
    columns = {"two": binary, "six": digits, "text": animals}[kind]()
    rows = np.arange(0, len(columns["label"]), 2)
    scorer = karat.scorer(name, labels=np.unique(columns["label"]).tolist())
    return [scorer(Estimator(columns, kind), rows, columns["label"][rows]), repr(scorer)]
