"""Drop-ins on rows with several labels: scikit-learn, torchmetrics, CatBoost, objectives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

import karat
from karat.compat import catboost, sklearn, torchmetrics
from tests.corpus.calls import Call
from tests.corpus.set_rows import NAMES, lists, photos
from tests.optional import optional

torch = optional("torch")
AVERAGES = ("micro", "macro", "weighted", "samples", None)
RATES = ("precision_score", "recall_score", "f1_score", "jaccard_score", "fbeta_score")
COUNTED = ("accuracy_score", "zero_one_loss", "hamming_loss", "multilabel_confusion_matrix")
AREAS = ("roc_auc_score", "average_precision_score")
RANKS = (
    "coverage_error",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
    "dcg_score",
)
LOSSES = ("log_loss", "brier_score_loss", "d2_log_loss_score", "d2_brier_score")
NOT_OF_SETS = (
    "confusion_matrix",
    "matthews_corrcoef",
    "cohen_kappa_score",
    "balanced_accuracy_score",
    "class_likelihood_ratios",
)
CURVES = ("roc_curve", "precision_recall_curve", "det_curve", "hinge_loss", "top_k_accuracy_score")


def calls() -> Iterator[Call]:
    yield from _rates()
    yield from _counts()
    yield from _scores()
    yield from _tensors()
    yield from _trees()
    yield from _objectives()


def _sklearn(kind: str, name: str, *rows: Any, **options: Any) -> Call:
    return Call(
        f"{name}, {kind}",
        "compat.sklearn",
        "array",
        lambda: getattr(sklearn, name)(*rows, **options),
    )


def _empty() -> tuple[Any, Any]:
    """Rows and labels of which some have nothing true, nothing predicted, or neither."""
    true = np.array([[1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
    return true, np.array([[0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]])


def _rates() -> Iterator[Call]:
    held = photos()
    true, pred = held["true"], held["pred"]
    weights = {"sample_weight": held["mass"]}
    for name in (*RATES, "precision_recall_fscore_support"):
        more = {"beta": 2} if name == "fbeta_score" else {}
        for average in AVERAGES:
            yield _sklearn(f"{average}", name, true, pred, average=average, **more)
            yield _sklearn(
                f"{average}, weights", name, true, pred, average=average, **weights, **more
            )
            yield _sklearn(f"{average}, undefined", name, *_empty(), average=average, **more)
        for value in (0, 1, np.nan):
            yield _sklearn(
                f"zero_division {value}",
                name,
                *_empty(),
                average="macro",
                zero_division=value,
                **more,
            )
        yield _sklearn("some labels", name, true, pred, labels=[3, 0], average="macro", **more)
        yield _sklearn("average of two", name, true, pred, **more)
    sparse = scipy.sparse.csr_matrix
    yield _sklearn("sparse", "f1_score", sparse(true), sparse(pred), average="samples")
    yield _sklearn("lists", "f1_score", true.tolist(), pred.tolist(), average="macro")
    yield _sklearn(
        "frames", "recall_score", pd.DataFrame(true), pd.DataFrame(pred), average="weighted"
    )
    yield _sklearn("lists of labels", "f1_score", lists(true), lists(pred), average="macro")
    yield _sklearn("a cell of 2", "f1_score", 2 * true, pred, average="macro")
    yield _sklearn("unlike columns", "f1_score", true, pred[:, :3], average="macro")


def _counts() -> Iterator[Call]:
    held = photos()
    true, pred = held["true"], held["pred"]
    weights = {"sample_weight": held["mass"]}
    for name in COUNTED:
        yield _sklearn("cells", name, true, pred)
        yield _sklearn("booleans", name, true.astype(bool), pred.astype(bool))
        yield _sklearn("weights", name, true, pred, **weights)
        yield _sklearn("sparse", name, scipy.sparse.csc_matrix(true), pred)
        yield _sklearn("unlike rows", name, true, pred[:50])
        yield _sklearn("classes beside cells", name, true, pred[:, 0])
    for name in ("accuracy_score", "zero_one_loss"):
        yield _sklearn("not normalized", name, true, pred, normalize=False)
    name = "multilabel_confusion_matrix"
    yield _sklearn("of rows", name, true[:20], pred[:20], samplewise=True)
    yield _sklearn("some labels", name, true, pred, labels=[2, 0])
    name = "classification_report"
    yield _sklearn("cells", name, true, pred)
    yield _sklearn("names", name, true, pred, target_names=list(NAMES), digits=4)
    yield _sklearn("a dict", name, true, pred, output_dict=True)
    yield _sklearn("a dict, weights", name, true, pred, output_dict=True, **weights)
    yield _sklearn("undefined", name, *_empty(), output_dict=True, zero_division=1)
    yield _sklearn("some labels", name, true, pred, labels=[1, 3], output_dict=True)
    for name in NOT_OF_SETS:
        yield _sklearn("cells", name, true, pred)


def _scores() -> Iterator[Call]:
    held = photos()
    true, prob = held["true"], held["prob"]
    weights = {"sample_weight": held["mass"]}
    with_labels = true.sum(axis=1) % 4 > 0
    for name in AREAS:
        for average in AVERAGES:
            yield _sklearn(f"{average}", name, true, prob, average=average)
            yield _sklearn(f"{average}, weights", name, true, prob, average=average, **weights)
        yield _sklearn(
            "samples with labels", name, true[with_labels], prob[with_labels], average="samples"
        )
        yield _sklearn("a label without rows", name, true * [1, 1, 1, 0], prob)
    yield _sklearn("max_fpr", "roc_auc_score", true, prob, max_fpr=0.25)
    for name in RANKS:
        yield _sklearn("probabilities", name, true, prob)
        yield _sklearn("scores, weights", name, true, held["score"], **weights)
        yield _sklearn("ties", name, true, np.round(2 * prob))
        yield _sklearn("fewer columns", name, true, prob[:, :3])
        yield _sklearn("classes", name, true[:, 0], prob[:, 0])
    for name in RANKS[3:]:
        yield _sklearn("k", name, true, prob, k=2)
        yield _sklearn("ties are ignored", name, true, prob, k=2, ignore_ties=True)
        yield _sklearn("gains", name, true * [1, 2, 3, 4], prob)
    yield _sklearn("log base", "dcg_score", true, prob, log_base=3)
    yield _sklearn("sparse", "label_ranking_loss", scipy.sparse.csr_matrix(true), prob)
    for name in LOSSES:
        yield _sklearn("cells", name, true, prob)
    for name in CURVES:
        yield _sklearn("cells", name, true, prob)


RATES_OF_TENSORS = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "specificity": "Specificity",
    "negative_predictive_value": "NegativePredictiveValue",
    "hamming_distance": "HammingDistance",
    "f1_score": "F1Score",
    "fbeta_score": "FBetaScore",
    "stat_scores": "StatScores",
}
TABLES_OF_TENSORS = {
    "jaccard_index": "JaccardIndex",
    "confusion_matrix": "ConfusionMatrix",
    "matthews_corrcoef": "MatthewsCorrCoef",
    "exact_match": "ExactMatch",
}
AREAS_OF_TENSORS = {"auroc": "AUROC", "average_precision": "AveragePrecision", "logauc": "LogAUC"}
CURVES_OF_TENSORS = {"roc": "ROC", "precision_recall_curve": "PrecisionRecallCurve", "eer": "EER"}
RANKS_OF_TENSORS = {
    "coverage_error": "CoverageError",
    "ranking_average_precision": "RankingAveragePrecision",
    "ranking_loss": "RankingLoss",
}
AT_FIXED: dict[str, tuple[str, dict[str, float]]] = {
    "precision_at_fixed_recall": ("PrecisionAtFixedRecall", {"min_recall": 0.75}),
    "recall_at_fixed_precision": ("RecallAtFixedPrecision", {"min_precision": 0.75}),
    "sensitivity_at_specificity": ("SensitivityAtSpecificity", {"min_specificity": 0.75}),
    "specificity_at_sensitivity": ("SpecificityAtSensitivity", {"min_sensitivity": 0.75}),
}
# Which metrics take a mean over the labels.
AVERAGED = {*RATES_OF_TENSORS, "jaccard_index", "auroc", "average_precision", "logauc"}
WITH_ZERO_DIVISION = ("precision", "recall", "f1_score", "fbeta_score", "jaccard_index")


def _function(kind: str, name: str, *rows: Any, **options: Any) -> Call:
    return Call(
        f"function {name}, {kind}",
        "compat.torchmetrics",
        "torch",
        lambda: getattr(torchmetrics, name)(*rows, **options),
    )


def _fed(kind: str, name: str, preds: Any, target: Any, **options: Any) -> Call:
    def run() -> Any:
        metric = getattr(torchmetrics, name)(**options)
        first = metric(preds[:50], target[:50])
        metric.update(preds[50:], target[50:])
        whole = metric.compute()
        metric.reset()
        metric.update(preds[:20], target[:20])
        return [first, whole, metric.compute()]

    return Call(f"class {name}, {kind}", "compat.torchmetrics", "torch", run)


def _tensors() -> Iterator[Call]:
    held = photos()
    names = ("true", "pred", "prob", "score", "mass")
    true, pred, prob, score, mass = (torch.tensor(held[name]) for name in names)
    ignored = true.clone()
    ignored[::5, 1] = -1
    by_labels = {**RATES_OF_TENSORS, **TABLES_OF_TENSORS}
    by_scores = {**AREAS_OF_TENSORS, **CURVES_OF_TENSORS}
    for name, metric in by_labels.items():
        more = {"beta": 2.0} if name == "fbeta_score" else {}
        function = f"multilabel_{name}"
        yield _function("labels", function, pred, true, num_labels=4, **more)
        yield _function("probabilities", function, prob, true, num_labels=4, **more)
        yield _function("logits", function, score.float(), true, num_labels=4, **more)
        yield _function("threshold", function, prob, true, num_labels=4, threshold=0.25, **more)
        yield _function("ignored", function, prob, ignored, num_labels=4, ignore_index=-1, **more)
        yield _function("weights", function, pred, true, num_labels=4, weights=mass, **more)
        yield _function("by task", name, prob, true, task="multilabel", num_labels=4, **more)
        yield _fed("probabilities", f"Multilabel{metric}", prob, true, num_labels=4, **more)
        yield _fed("by task", metric, pred, true, task="multilabel", num_labels=4, **more)
    for name, metric in by_scores.items():
        function = f"multilabel_{name}"
        for kind, thresholds in {"": None, ", 5 thresholds": 5, ", listed": [0.25, 0.5]}.items():
            yield _function(
                f"probabilities{kind}", function, prob, true, num_labels=4, thresholds=thresholds
            )
        yield _function("logits", function, score, true, num_labels=4)
        yield _function("ignored", function, prob, ignored, num_labels=4, ignore_index=-1)
        yield _function("weights", function, prob, true, num_labels=4, weights=mass)
        yield _function("by task", name, prob, true, task="multilabel", num_labels=4)
        yield _fed("probabilities", f"Multilabel{metric}", prob, true, num_labels=4)
        yield _fed("bins", f"Multilabel{metric}", prob, true, num_labels=4, thresholds=9)
        yield _fed("by task", metric, prob, true, task="multilabel", num_labels=4)
    for name, metric in RANKS_OF_TENSORS.items():
        function = f"multilabel_{name}"
        yield _function("probabilities", function, prob, true, num_labels=4)
        yield _function("ties", function, (2 * prob).round(), true, num_labels=4)
        yield _function("ignored", function, prob, ignored, num_labels=4, ignore_index=-1)
        yield _function("weights", function, prob, true, num_labels=4, weights=mass)
        yield _function("labels", function, pred, true, num_labels=4)
        yield _fed("probabilities", f"Multilabel{metric}", prob, true, num_labels=4)
    for name, (metric, least) in AT_FIXED.items():
        function = f"multilabel_{name}"
        yield _function("probabilities", function, prob, true, num_labels=4, **least)
        yield _function("bins", function, prob, true, num_labels=4, thresholds=9, **least)
        yield _function("by task", name, prob, true, task="multilabel", num_labels=4, **least)
        yield _fed("probabilities", f"Multilabel{metric}", prob, true, num_labels=4, **least)
    for name in sorted(AVERAGED):
        more = {"beta": 0.5} if name == "fbeta_score" else {}
        rows = (prob, true) if name in by_scores else (pred, true)
        for average in ("micro", "macro", "weighted", "none"):
            yield _function(
                f"average {average}",
                f"multilabel_{name}",
                *rows,
                num_labels=4,
                average=average,
                **more,
            )
    yield from _more_tensors()


def _more_tensors() -> Iterator[Call]:
    held = photos()
    true, pred, prob = (torch.tensor(held[name]) for name in ("true", "pred", "prob"))
    wide = true.reshape(30, 4, 4).movedim(1, 2), pred.reshape(30, 4, 4).movedim(1, 2)
    nothing = torch.zeros((6, 4), dtype=torch.int64)
    for name in RATES_OF_TENSORS:
        more = {"beta": 2.0} if name == "fbeta_score" else {}
        for way in ("global", "samplewise"):
            yield _function(
                f"more axes, {way}",
                f"multilabel_{name}",
                wide[1],
                wide[0],
                num_labels=4,
                multidim_average=way,
                **more,
            )
        if name not in ("accuracy", "hamming_distance", "stat_scores", "specificity"):
            yield _function(
                "nothing defined", f"multilabel_{name}", nothing, nothing, num_labels=4, **more
            )
    for name in WITH_ZERO_DIVISION:
        more = {"beta": 2.0} if name == "fbeta_score" else {}
        yield _function(
            "zero_division 1",
            f"multilabel_{name}",
            nothing,
            nothing,
            num_labels=4,
            zero_division=1,
            **more,
        )
    for way in ("global", "samplewise"):
        yield _function(
            f"more axes, {way}",
            "multilabel_exact_match",
            wide[1],
            wide[0],
            num_labels=4,
            multidim_average=way,
        )
    for norm in ("true", "pred", "all", "none"):
        yield _function(
            f"normalized by {norm}",
            "multilabel_confusion_matrix",
            pred,
            true,
            num_labels=4,
            normalize=norm,
        )
    for part in ((0.01, 0.1), (0.1, 0.5)):
        yield _function(
            f"range {part}", "multilabel_logauc", prob, true, num_labels=4, fpr_range=part
        )
    yield _function(
        "ignored label", "multilabel_jaccard_index", pred, true, num_labels=4, ignore_index=1
    )
    yield _function("three labels", "multilabel_recall", pred, true, num_labels=3)
    yield _function("a target of 2", "multilabel_recall", pred, 2 * true, num_labels=4)
    yield _function("no such average", "multilabel_recall", pred, true, num_labels=4, average="all")
    yield _function(
        "unchecked", "multilabel_f1_score", pred, true, num_labels=4, validate_args=False
    )
    yield _function("top_k", "recall", pred, true, task="multilabel", num_labels=4, top_k=2)
    yield _function("no number of labels", "recall", pred, true, task="multilabel")
    yield Call(
        "class MultilabelF1Score, nothing fed",
        "compat.torchmetrics",
        "torch",
        lambda: torchmetrics.MultilabelF1Score(num_labels=4).compute(),
    )
    yield Call(
        "a collection of labels", "compat.torchmetrics", "torch", lambda: _collection(prob, true)
    )


def _collection(preds: Any, target: Any) -> Any:
    names = ("MultilabelF1Score", "MultilabelAUROC", "MultilabelExactMatch")
    metrics = torchmetrics.MetricCollection(
        [getattr(torchmetrics, name)(num_labels=4) for name in names], prefix="valid_"
    )
    metrics.update(preds[:70], target[:70])
    metrics.update(preds[70:], target[70:])
    return metrics.compute()


METRICS = (
    "MultiLogloss",
    "MultiCrossEntropy",
    "Accuracy",
    "Accuracy:type=PerClass",
    "Accuracy:type=Classic",
    "Accuracy:border=0.6",
    "HammingLoss",
    "Precision",
    "Recall",
    "F:beta=2",
    "F1",
    "F1:class=1",
    "Recall:class=9",
    "Precision:use_weights=false",
    "MCC",
    "AUC",
    "Kappa",
    "TotalF1",
    "ZeroOneLoss",
    "MultiClass",
)


def _catboost(name: str, run: Callable[[], Any]) -> Call:
    return Call(name, "compat.catboost", "array", run)


def _trees() -> Iterator[Call]:
    held = photos()
    true, score, mass = held["true"], held["score"], held["mass"]
    for name in METRICS:
        yield _catboost(f"{name}, cells", lambda n=name: catboost.eval_metric(true, score, n))
        yield _catboost(
            f"{name}, weights",
            lambda n=name: catboost.eval_metric(true, score, n, weight=mass, thread_count=1),
        )
    soft = np.round(4 * held["prob"]) / 4
    for name in ("MultiCrossEntropy", "MultiLogloss", "F1"):
        yield _catboost(
            f"{name}, labels from 0 to 1", lambda n=name: catboost.eval_metric(soft, score, n)
        )
    yield _catboost(
        "frames", lambda: catboost.eval_metric(pd.DataFrame(true), pd.DataFrame(score), "F1")
    )
    yield _catboost("lists", lambda: catboost.eval_metric(true.tolist(), score.tolist(), "Recall"))
    yield _catboost("fewer columns", lambda: catboost.eval_metric(true, score[:, :3], "F1"))
    yield _catboost("fewer rows", lambda: catboost.eval_metric(true, score[:50], "F1"))
    yield _catboost("missing scores", lambda: catboost.eval_metric(true, np.nan * score, "F1"))
    yield _catboost("a label of 3", lambda: catboost.eval_metric(3 * true, score, "MultiLogloss"))
    yield _catboost(
        "names of values",
        lambda: [catboost.metric_names(name, 4) for name in ("F1", "HammingLoss")],
    )
    yield _catboost("names of values of labels", lambda: catboost.metric_names("MultiLogloss", 4))
    for name in (
        "MultiLogloss",
        "HammingLoss",
        "F1:class=1",
        "Accuracy",
        "macro_f1",
        "mean_average_precision",
        "ndcg",
        "F1",
        "MCC",
        "no_such_metric",
    ):
        yield _catboost(
            f"a trainer's metric, {name}", lambda n=name: _trained(n, true, score, mass)
        )
    for name in ("MultiLogloss", "MultiCrossEntropy", "F1"):
        yield _catboost(f"a trainer's loss, {name}", lambda n=name: _loss(n))


def _trained(name: str, true: Any, score: Any, mass: Any) -> Any:
    metric = catboost.metric_object(name, of_labels=True)
    return [
        metric.is_max_optimal(),
        metric.evaluate(score.T.tolist(), true.T.tolist(), None),
        metric.evaluate(score.T.tolist(), true.T.tolist(), mass.tolist()),
    ]


def _loss(name: str) -> Any:
    loss = catboost.objective_object(name)
    return [loss.loss, loss.calc_ders_multi([0.5, 0.25, -1.0], [1.0, 0.0, 1.0], 2.0)]


def _objectives() -> Iterator[Call]:
    held = photos()
    true, score, mass = held["true"], held["score"], held["mass"]

    def objective(name: str, run: Callable[[], Any]) -> Call:
        return Call(f"objective, {name}", "objectives", "array", run)

    soft = np.round(4 * held["prob"]) / 4
    for name, rows in {
        "cells": (score, true),
        "weights": (score, true, mass),
        "sparse": (score, scipy.sparse.csr_matrix(true)),
        "labels from 0 to 1": (score, soft),
        "float32": (score.astype(np.float32), true),
        "fewer columns": (score[:, :3], true),
        "a cell of 2": (score, 2 * true),
        "missing scores": (np.nan * score, true),
        "one column": (score[:, 0], true[:, 0]),
    }.items():
        yield objective(name, lambda r=rows: _derived(karat.objectives.multilabel(*r)))
    yield objective(
        "diagonal", lambda: _derived(karat.objectives.multilabel(score, true, diagonal=True))
    )
    yield objective(
        "one thread", lambda: _derived(karat.objectives.multilabel(score, true, n_threads=1))
    )


def _derived(derivatives: Any) -> Any:
    parts = (derivatives.loss, derivatives.gradient, derivatives.hessian)
    return [part if np.isscalar(part) else np.asarray(part)[:6] for part in parts]
