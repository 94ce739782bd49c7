"""`karat.compat.sklearn`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from karat.compat import sklearn
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary, digits

RATES = (
    "precision_score",
    "recall_score",
    "f1_score",
    "jaccard_score",
    "fbeta_score",
    "precision_recall_fscore_support",
)
LABELS = (
    "accuracy_score",
    "balanced_accuracy_score",
    "cohen_kappa_score",
    "confusion_matrix",
    "hamming_loss",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "zero_one_loss",
    "classification_report",
)
CURVES = (
    "roc_curve",
    "precision_recall_curve",
    "det_curve",
    "confusion_matrix_at_thresholds",
    "calibration_curve",
    "average_precision_score",
    "roc_auc_score",
    "brier_score_loss",
    "log_loss",
    "hinge_loss",
    "d2_log_loss_score",
    "d2_brier_score",
)


def calls() -> Iterator[Call]:
    two, many, text = binary(), digits(), animals()
    weights = {"sample_weight": two["mass"]}
    for name in RATES:
        more = {"beta": 2} if name == "fbeta_score" else {}
        for average in ("binary", "macro", "micro", "weighted", None):
            yield _call(f"two, {average}", name, two["label"], two["pred"], average=average, **more)
            yield _call(
                f"text, {average}", name, text["label"], text["pred"], average=average, **more
            )
        yield _call("weights", name, two["label"], two["pred"], **weights, **more)
        yield _call("pos_label", name, two["label"], two["pred"], pos_label=0, **more)
        yield _call("undefined", name, [0, 0, 1], [0, 0, 0], **more)
        yield _call("zero_division", name, [0, 0, 1], [0, 0, 0], zero_division=1, **more)
        yield _call(
            "labels", name, many["label"], many["pred"], labels=[1, 3, 9], average="macro", **more
        )
    for name in LABELS:
        yield _call("two", name, two["label"], two["pred"])
        yield _call("text", name, text["label"], text["pred"])
        yield _call("weights", name, two["label"], two["pred"], **weights)
        yield _call("lists", name, many["label"].tolist(), many["pred"].tolist())
        yield _call("unlike lengths", name, [0, 1], [0, 1, 1])
        yield _call("scores for labels", name, [0, 1], [0.25, 0.75])
    yield _call("normalized", "confusion_matrix", text["label"], text["pred"], normalize="true")
    yield _call("quadratic", "cohen_kappa_score", many["label"], many["pred"], weights="quadratic")
    yield _call("as a dict", "classification_report", text["label"], text["pred"], output_dict=True)
    yield _call("likelihoods", "class_likelihood_ratios", two["label"], two["pred"])
    for name in CURVES:
        yield _call("two", name, two["label"], two["p_yes"])
        yield _call("weights", name, two["label"], two["p_yes"], **weights)
        yield _call("one class", name, [1, 1], [0.5, 0.75])
        yield _call("missing scores", name, [0, 1], [0.5, float("nan")])
        yield _call("six", name, many["label"], many["prob"])
    for average in ("macro", "weighted", None):
        for how in ("ovr", "ovo"):
            yield _call(
                f"six, {how}, {average}",
                "roc_auc_score",
                many["label"],
                many["prob"],
                multi_class=how,
                average=average,
            )
    yield _call("max_fpr", "roc_auc_score", two["label"], two["p_yes"], max_fpr=0.25)
    for k in (1, 2, 5):
        yield _call(f"k = {k}", "top_k_accuracy_score", many["label"], many["prob"], k=k)
    yield _call("points", "auc", [0.0, 0.5, 1.0], [0.0, 0.75, 1.0])
    yield _call("unsorted points", "auc", [0.0, 0.9, 0.5], [0.0, 0.75, 1.0])
    yield _call("many labels at once", "accuracy_score", np.eye(3, dtype=int), np.eye(3, dtype=int))


def _call(kind: str, name: str, *rows: Any, **options: Any) -> Call:
    return Call(
        f"{name}, {kind}",
        "compat.sklearn",
        "array",
        lambda: getattr(sklearn, name)(*rows, **options),
    )
