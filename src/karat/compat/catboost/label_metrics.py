"""CatBoost's metrics of several labels a row, whose label is a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.compat.catboost.description import LABEL_LOSSES, Description, refused
from karat.compat.catboost.rows import label_matrix, read_scores, read_weights, refuse_infinite
from karat.errors import error
from karat.metrics import Metric, get
from karat.metrics._lift import Lift
from karat.metrics._of_sets import values_on_sets
from karat.tally import Classes
from karat.tally.set_tally import SetTally
from karat.tally.sets import Sets

Floats = npt.NDArray[np.float64]

_TRUE_ABOVE: Final = 0.5
OF_LABELS: Final[dict[str, tuple[str, Lift, float]]] = {
    "Precision": ("precision", "per_class", 0.0),
    "Recall": ("recall", "per_class", 1.0),
    "F": ("f_beta", "per_class", 1.0),
    "F1": ("f1", "per_class", 1.0),
    "HammingLoss": ("hamming_loss", "plain", 0.0),
    "Accuracy": ("subset_accuracy", "plain", 0.0),
}
"""A name → karat's metric, its average, and CatBoost's value where it is undefined."""


@dataclass(frozen=True, eq=False)
class LabelRows:
    """Rows of several labels.

    Attributes:
        scores: float64[n, k], raw.
        labels: float64[n, k].
        weights: float64[n] rounded to float32, or None.
    """

    scores: Floats
    labels: Floats
    weights: Floats | None


def is_of_labels(label: Any, metric: Description) -> bool:
    """True if a call has several labels per row: a matrix as label, for a metric that takes one."""
    if metric.name in LABEL_LOSSES:
        return True
    if metric.name not in OF_LABELS or isinstance(label, str | bytes | dict | set):
        return False
    try:
        shape = np.shape(label)
    except Exception:  # rows of other lengths, taken for labels that are none
        return False
    return len(shape) == 2 and shape[1] > 1


def label_rows(label: Any, approx: Any, weight: Any, metric: Description) -> LabelRows:
    """The arguments of `eval_metric` as arrays.

    Errors:
        As `eval_metric`.
    """
    scores = read_scores(approx)
    scores = scores[:, None] if scores.ndim == 1 else scores
    refuse_infinite(scores)
    labels = label_matrix(label)
    if len(labels) != len(scores):
        found = f"label has {len(labels)} rows, approx has {len(scores)}"
        raise refused(metric.text, found, "Give a row of scores for each row of labels.")
    if labels.shape[1] != scores.shape[1]:
        if metric.name not in LABEL_LOSSES:  # of several classes a label is one column
            raise error("K103", argument="label", shape=labels.shape)
        found = f"label has {labels.shape[1]} columns, approx has {scores.shape[1]}"
        raise refused(metric.text, found, "Give a column of scores for each label.")
    given = None if weight is None else read_weights(weight, len(labels))
    return LabelRows(scores, labels, given)


def values_of_labels(rows: LabelRows, metric: Description) -> list[float]:
    """The values of a metric of rows with several labels."""
    if metric.name in LABEL_LOSSES:
        return [_cross_entropy(rows, metric)]
    tally = SetTally.of(
        Classes.of(range(rows.labels.shape[1]), is_declared=True),
        Sets.of_matrix(rows.labels > _TRUE_ABOVE),
        Sets.of_matrix(rows.scores > 0.0),
        rows.weights,
    )
    name, lift, otherwise = OF_LABELS[metric.name]
    if metric.name == "Accuracy" and metric.type == "PerClass":
        fields = tally.fields
        right = fields.tp + fields.tn
        n = right + fields.fp + fields.fn
        found = np.divide(right, n, out=np.zeros_like(right), where=n > 0)
    else:
        params = {"beta": metric.beta} if name == "f_beta" else {}
        found = values_on_sets(Metric.of(get(name).record, lift, params), tally, "nan").value
    values: list[float] = np.where(np.isnan(found), otherwise, found).reshape(-1).tolist()
    if metric.class_index is None:
        return values
    if metric.class_index >= len(values):
        found_classes = f"There is no value of class {metric.class_index}"
        do = f"So many columns have values of classes 0 … {len(values) - 1}."
        raise refused(metric.text, found_classes, do)
    return [values[metric.class_index]]


def of_karat(labels: Floats, scores: Floats, weights: Any, metric: Metric) -> float:
    """The value of a metric of karat's catalogue, where a label is predicted from scores above 0.

    Args:
        labels, scores: float[n, k].
        weights: float[n], or None.

    Errors:
        As `karat.evaluate`.
    """
    from karat.api.evaluation import evaluate

    asked: Any = {"y_logit": scores, "metrics": [metric], "level": None, "weights": weights}
    return float(evaluate(labels > _TRUE_ABOVE, **asked)[str(metric)].value)


def _cross_entropy(rows: LabelRows, metric: Description) -> float:
    """Mean over rows and labels of −[y ln p + (1 − y) ln(1 − p)]; 0 where nothing weighs.

    CatBoost divides by the weights cut to whole numbers.
    """
    labels, scores = rows.labels, rows.scores
    if labels.min() < 0.0 or labels.max() > 1.0:
        found = "All target values should be in the segment [0, 1]"
        raise refused(metric.text, found, "Give 0 and 1, or the probability of each label.")
    losses = np.maximum(scores, 0.0) - labels * scores + np.log1p(np.exp(-np.abs(scores)))
    of_rows = losses.sum(axis=1)
    w = np.ones(len(labels)) if rows.weights is None else rows.weights
    total = float(np.floor(w).sum()) * labels.shape[1]
    return float(np.dot(w, of_rows)) / total if total else 0.0
