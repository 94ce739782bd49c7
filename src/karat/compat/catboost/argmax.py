"""Metrics of the predicted class: karat's own, and CatBoost's conventions where they are 0/0."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from karat import _native
from karat.compat._counted import Counted, count
from karat.compat.catboost.description import Description
from karat.compat.catboost.rows import Codes, Rows
from karat.metrics._lift import Lift

__all__ = ["ARGMAX", "of_predicted"]

Value = Callable[[Counted, Description], Any]

_LIFTS: Final[dict[str, Lift]] = {"Macro": "macro", "Micro": "micro", "Weighted": "weighted"}
_PREDICTED: Final = 32
"""The bit of `_native.read_scores` that asks for the first largest column."""


def of_predicted(rows: Rows, metric: Description, n_threads: int) -> list[float]:
    """The values of one metric of the predicted class.

    Args:
        rows: the rows, with weights if they count.
        metric: one of `ARGMAX`.
        n_threads: threads of native passes; 0: the default.

    Returns:
        One value, or one for each class; of one column of scores, that of class 1.

    Cost: one read of the scores, one of the classes.
    """
    pred = _predicted(rows, metric.border, n_threads)
    counted = count(rows.codes, pred, rows.k, weights=rows.weights, n_threads=n_threads)
    if rows.weighs_nothing and _has_no_value(metric):
        return [math.nan]
    value = ARGMAX[metric.name](counted, metric)
    if not metric.is_per_class:
        return [float(value)]
    each: list[float] = np.asarray(value).tolist()
    return each[1:] if rows.n_columns is None else each


def _has_no_value(metric: Description) -> bool:
    """Whether CatBoost gives NaN where no row weighs anything."""
    return metric.name in ("Kappa", "WKappa") or (
        metric.name == "TotalF1" and metric.average != "Macro"
    )


def _predicted(rows: Rows, border: float, n_threads: int) -> Codes:
    if rows.n_columns is None:
        return (rows.scores > _logit(border)).astype(np.int32)
    read = _native.read_scores(
        rows.scores, rows.codes, rows.k, None, False, 0.0, _PREDICTED, n_threads
    ).predicted
    assert read is not None
    return read


def _logit(border: float) -> float:
    if border in (0.0, 1.0):
        return math.inf if border else -math.inf
    return math.log(border / (1.0 - border))


def _with(name: str, otherwise: float, lift: Lift = "plain") -> Value:
    """A metric of karat, with a value of CatBoost's where it is undefined."""
    return lambda counted, metric: _filled(counted.value(name, lift), otherwise)


def _filled(value: Any, otherwise: float) -> Any:
    return np.where(np.isnan(value), otherwise, value)


def _f(counted: Counted, metric: Description) -> Any:
    return _filled(counted.value("f_beta", "per_class", beta=metric.beta), 1.0)


def _total_f1(counted: Counted, metric: Description) -> Any:
    # A class that is neither true nor predicted counts as 0 here, though its F1 is 1.
    return counted.value("f1", _LIFTS[metric.average], "zero")


ARGMAX: Final[dict[str, Value]] = {
    "Accuracy": _with("accuracy", 0.0),
    "HammingLoss": _with("hamming_loss", 0.0),
    "ZeroOneLoss": _with("zero_one_loss", math.nan),
    "Precision": _with("precision", 0.0, "per_class"),
    "Recall": _with("recall", 1.0, "per_class"),
    "F": _f,
    "F1": _with("f1", 1.0, "per_class"),
    "TotalF1": _total_f1,
    "MCC": _with("matthews_correlation", 0.0),
    "Kappa": _with("kappa", -1.0),
    "WKappa": _with("kappa_quadratic", -1.0),
}
"""Name → its value, or one for each class, from the confusion matrix."""
