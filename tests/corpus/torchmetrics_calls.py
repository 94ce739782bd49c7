"""`karat.compat.torchmetrics`: functions, classes, collections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from karat.compat import torchmetrics
from tests.corpus.calls import Call
from tests.corpus.rows import binary, digits
from tests.optional import optional

torch = optional("torch")
RATES = ("accuracy", "precision", "recall", "specificity", "stat_scores", "f1_score", "fbeta_score")
TABLES = ("confusion_matrix", "matthews_corrcoef", "cohen_kappa", "jaccard_index")
SCORES = ("auroc", "average_precision", "calibration_error", "hinge_loss")
CLASSES = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "stat_scores": "StatScores",
    "specificity": "Specificity",
    "f1_score": "F1Score",
    "fbeta_score": "FBetaScore",
    "confusion_matrix": "ConfusionMatrix",
    "matthews_corrcoef": "MatthewsCorrCoef",
    "cohen_kappa": "CohenKappa",
    "jaccard_index": "JaccardIndex",
    "auroc": "AUROC",
    "average_precision": "AveragePrecision",
    "calibration_error": "CalibrationError",
    "hinge_loss": "HingeLoss",
}


def calls() -> Iterator[Call]:
    two, many = binary(), digits()
    label, pred, prob = (torch.tensor(two[name]) for name in ("label", "pred", "p_yes"))
    truth, said, probs = (torch.tensor(many[name]) for name in ("label", "pred", "prob"))
    for name, kind in CLASSES.items():
        more = {"beta": 2.0} if name == "fbeta_score" else {}
        first = pred if name in RATES + TABLES else prob
        six = said if name in RATES + TABLES else probs
        yield _call(f"binary_{name}", first, label, **more)
        if first is not prob:
            yield _call(f"binary_{name}", prob, label, **more)
        yield _call(f"multiclass_{name}", six, truth, num_classes=6, **more)
        yield _call(f"multiclass_{name}", probs.float(), truth, num_classes=6, **more)
        yield _call(f"multiclass_{name}", six, truth, num_classes=4, **more)
        yield _call(f"{name}", six, truth, task="multiclass", num_classes=6, **more)
        if name in RATES or name in ("jaccard_index", "auroc", "average_precision"):
            for average in ("micro", "macro", "weighted", "none"):
                yield _call(
                    f"multiclass_{name}", six, truth, num_classes=6, average=average, **more
                )
        if name in RATES + TABLES:
            yield _call(f"multiclass_{name}", said, truth, num_classes=6, ignore_index=2, **more)
            yield _call(f"binary_{name}", prob, label, threshold=0.25, **more)
        else:
            yield _call(f"binary_{name}", prob.half(), label, **more)
        yield _fed(f"Binary{kind}", prob, label, **more)
        yield _fed(f"Multiclass{kind}", six, truth, num_classes=6, **more)
        yield _fed(kind, six, truth, task="multiclass", num_classes=6, **more)
    yield Call(
        "BinaryF1Score, nothing fed",
        "compat.torchmetrics",
        "torch",
        lambda: torchmetrics.BinaryF1Score().compute(),
    )
    yield Call("a collection", "compat.torchmetrics", "torch", lambda: _collection(said, truth))


def _call(name: str, *rows: Any, **options: Any) -> Call:
    told = ", ".join(f"{key}={value}" for key, value in options.items())
    kind = f"{rows[0].dtype}".removeprefix("torch.")
    return Call(
        f"{name}, {kind}, {told}",
        "compat.torchmetrics",
        "torch",
        lambda: getattr(torchmetrics, name)(*rows, **options),
    )


def _fed(name: str, preds: Any, target: Any, **options: Any) -> Call:
    def run() -> Any:
        metric = getattr(torchmetrics, name)(**options)
        first = metric(preds[:50], target[:50])
        metric.update(preds[50:], target[50:])
        whole = metric.compute()
        metric.reset()
        metric.update(preds[:9], target[:9])
        return [first, whole, metric.compute()]

    return Call(f"class {name}", "compat.torchmetrics", "torch", run)


def _collection(preds: Any, target: Any) -> Any:
    names = ("MulticlassAccuracy", "MulticlassF1Score", "MulticlassRecall")
    found = torchmetrics.MetricCollection(
        [getattr(torchmetrics, name)(num_classes=6) for name in names]
    )
    found.update(preds, target)
    return found.compute()
