"""The other libraries, each as a function that gives the value of one of its names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from karat.compat import onedal as karat_onedal
from karat.compat.catboost import eval_metric
from tests.optional import optional
from tests.oracles.problems import Problem

WITHIN = {
    "scikit-learn": 1e-11,
    "imbalanced-learn": 1e-12,
    "torchmetrics": 1e-6,
    "CatBoost": 1e-12,
    "oneDAL": 1e-15,
    "PyCM": 1e-12,
}
"""Relative or absolute. torchmetrics counts, sums and bins in float32."""


def of_two(array: Any, k: int) -> Any:
    """The column of the second of two classes; all columns of more."""
    return array[:, 1] if k == 2 else array


def scikit_learn(problem: Problem, name: str, given: dict[str, Any]) -> Any:
    return _sklearn_like(optional("sklearn.metrics"), problem, name, given)


def imbalanced_learn(problem: Problem, name: str, given: dict[str, Any]) -> Any:
    return _sklearn_like(optional("imblearn.metrics"), problem, name, given)


def _sklearn_like(module: Any, problem: Problem, name: str, given: dict[str, Any]) -> Any:
    function = getattr(module, name)
    takes = inspect.signature(function).parameters
    prediction = {
        "y_pred": problem.y_pred,
        "y2": problem.y_pred,
        "labels_pred": problem.y_pred,
        "y_proba": of_two(problem.prob, problem.k),
        "y_score": of_two(problem.prob, problem.k),
        "pred_decision": problem.margin if problem.k == 2 else problem.scores,
    }[list(takes)[1]]
    if problem.weights is not None and "sample_weight" in takes:
        given = {**given, "sample_weight": problem.weights}
    is_told = problem.has_labels or not {"y_proba", "y_score", "pred_decision"}.isdisjoint(takes)
    if is_told and "labels" in takes:
        given = {**given, "labels": problem.labels}
    return function(problem.y_true, prediction, **given)


def torchmetrics(problem: Problem, name: str, given: dict[str, Any]) -> Any:
    torch, module = optional("torch"), optional("torchmetrics.classification")
    kind = getattr(module, name)
    reads_scores = any(
        part in name
        for part in ("AUROC", "AveragePrecision", "EER", "Hinge", "Calibration", "Fixed")
    )
    if "top_k" in given or reads_scores:
        prediction = problem.prob[:, 1] if name.startswith("Binary") else problem.prob
    else:
        prediction = problem.y_pred
    if name.startswith("Multiclass"):
        given = {**given, "num_classes": problem.k}
    value = kind(**given)(torch.tensor(prediction), torch.tensor(problem.y_true))
    if isinstance(value, tuple):
        return tuple(np.asarray(part, np.float64) for part in value)
    return np.asarray(value, np.float64)


ONE_COLUMN = {
    "AUC", "BalancedAccuracy", "BalancedErrorRate", "BrierScore", "CrossEntropy", "Logloss",
    "NormalizedGini", "PRAUC",
}  # fmt: skip
"""Metrics of CatBoost that read one column of scores."""


def catboost(problem: Problem, name: str, given: dict[str, Any]) -> Any:
    return _evaluated(optional("catboost.utils").eval_metric, problem, name, given)


def adapted(problem: Problem, name: str, given: dict[str, Any]) -> Any:
    """The value that karat's adapter of CatBoost gives."""
    return _evaluated(eval_metric, problem, name, given)


def _evaluated(
    evaluate: Callable[..., list[float]], problem: Problem, name: str, given: dict[str, Any]
) -> Any:
    approx = problem.margin if name in ONE_COLUMN else problem.scores
    description = str(getattr(optional("catboost.metrics"), name)(**given))
    values = evaluate(problem.y_true, approx, description, problem.weights)
    return values[0] if len(values) == 1 else np.array(values)


def onedal(problem: Problem, name: str, given: dict[str, Any]) -> Any:
    if name == "MulticlassConfusionMatrix":
        given = {**given, "n_classes": problem.k}
    algorithm = getattr(karat_onedal, name)(fptype="double", **given)
    return algorithm.compute(problem.y_pred, problem.y_true)


def pycm(problem: Problem, name: str, given: dict[str, Any]) -> Any:
    matrix = problem.memory.get("PyCM")
    if matrix is None:
        matrix = problem.memory["PyCM"] = optional("pycm").ConfusionMatrix(
            problem.y_true.tolist(),
            problem.y_pred.tolist(),
            classes=problem.labels if problem.has_labels else None,
            sample_weight=None if problem.weights is None else problem.weights.tolist(),
        )
    found = getattr(matrix, name)
    if name in ("class_stat", "overall_stat"):
        return {item: _number(value) for item, value in found.items()}
    if "weight" in given:
        rows = given["weight"].astype(int).tolist()
        given = {"weight": {i: dict(enumerate(row)) for i, row in enumerate(rows)}}
    return _number(found(**given))


def _number(value: Any) -> Any:
    """A number, or one for each class; PyCM's 'None' is NaN."""
    if isinstance(value, dict):
        return np.array([_number(value[key]) for key in sorted(value)])
    return np.nan if isinstance(value, str) else value


READ: dict[str, Callable[[Problem, str, dict[str, Any]], Any]] = {
    "scikit-learn": scikit_learn,
    "imbalanced-learn": imbalanced_learn,
    "torchmetrics": torchmetrics,
    "CatBoost": catboost,
    "oneDAL": onedal,
    "PyCM": pycm,
}


def takes_weights(library: str, names: frozenset[str]) -> bool:
    """Whether every function of a call takes weights."""
    if library in ("CatBoost", "PyCM"):
        return True
    if library not in ("scikit-learn", "imbalanced-learn"):
        return False
    module = optional("sklearn.metrics" if library == "scikit-learn" else "imblearn.metrics")
    return all("sample_weight" in inspect.signature(getattr(module, n)).parameters for n in names)
