"""`karat.compat.catboost` and `karat.compat.onedal`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from karat.compat import catboost, onedal
from tests.corpus.calls import Call
from tests.corpus.rows import binary, digits

METRICS = (
    "MultiClass",
    "MultiClassOneVsAll",
    "HingeLoss",
    "Precision",
    "Recall",
    "F:beta=2",
    "F1",
    "TotalF1",
    "TotalF1:average=Macro",
    "TotalF1:average=Micro",
    "Accuracy",
    "HammingLoss",
    "ZeroOneLoss",
    "MCC",
    "Kappa",
    "WKappa",
    "AUC",
    "AUC:type=Mu",
    "AUC:type=OneVsAll",
    "PRAUC",
    "Recall:class=1",
    "F:beta=2;use_weights=false",
    "AUC:use_weights=true",
    "F:beta=0",
    "accuracy",
    "AUC:type=Ranking",
    "Accuracy:border=0.6",
    "NoSuch",
    "F1:beta",
    "Precision:class=9",
    "AUC:misclass_cost_matrix=0/0.5/2/1/0/1/0/0.5/0",
)


def calls() -> Iterator[Call]:
    many, two = digits(200, 3, 7), binary()
    for name in METRICS:
        yield _call(
            f"{name}, three classes",
            lambda name=name: catboost.eval_metric(many["label"], many["score"], name),
        )
        yield _call(
            f"{name}, weights",
            lambda name=name: catboost.eval_metric(
                many["label"], many["score"], name, weight=many["mass"]
            ),
        )
        yield _call(
            f"{name}, one column",
            lambda name=name: catboost.eval_metric(two["label"], two["z"], name),
        )
        yield _call(f"parse {name}", lambda name=name: catboost.parse(name))
        yield _call(f"names of {name}", lambda name=name: catboost.metric_names(name, 3))
    yield _call("capabilities", catboost.capabilities)
    yield _call("a label beyond", lambda: catboost.eval_metric([0, 3], np.eye(2), "MCC"))
    yield _call(
        "a trainer's metric",
        lambda: catboost.metric_object("MCC").evaluate(
            many["score"].T.tolist(), many["label"].tolist(), None
        ),
    )
    yield _call(
        "a trainer's loss",
        lambda: catboost.objective_object("MultiClass").calc_ders_multi([0.5, 0.25, 0.0], 1, 1.0),
    )
    for beta in (1.0, 2.0):
        for dtype in ("int32", "float32", "float64"):
            yield _onedal(
                "BinaryConfusionMatrix",
                two["pred"].astype(dtype),
                two["label"].astype(dtype),
                beta=beta,
            )
            yield _onedal(
                "MulticlassConfusionMatrix",
                many["pred"].astype(dtype),
                many["label"].astype(dtype),
                n_classes=3,
                beta=beta,
            )
    yield _onedal("BinaryConfusionMatrix", two["pred"], two["label"], fptype="float")
    yield _onedal(
        "MulticlassConfusionMatrix", np.array([0, 1, 2]), np.array([0, 3, 2]), n_classes=3
    )
    yield _onedal(
        "MulticlassConfusionMatrix", np.array([0, 0, 0, 0]), np.array([0, 1, 2, 2]), n_classes=3
    )


def _call(name: str, run: Any) -> Call:
    return Call(name, "compat.catboost", "array", run)


def _onedal(name: str, pred: Any, true: Any, **options: Any) -> Call:
    def run() -> Any:
        found = getattr(onedal, name)(**options).compute(pred, true)
        return {"matrix": found.confusion_matrix, "metrics": dict(found.metrics)}

    return Call(f"{name}, {pred.dtype} of {len(pred)}, {options}", "compat.onedal", "array", run)
