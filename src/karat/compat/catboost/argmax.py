"""Metrics of the predicted class: karat's own, and CatBoost's conventions where they are 0/0."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.compat.catboost.description import Description
from karat.compat.catboost.rows import Codes, Rows
from karat.engines.arrays import AllZeroError, count_aligned
from karat.inputs.align import Aligned, Side
from karat.inputs.column import Column
from karat.metrics import Metric, get
from karat.metrics._lift import Lift
from karat.tally import Cells, Classes

__all__ = ["ARGMAX", "of_predicted"]

Floats = npt.NDArray[np.float64]
Value = Callable[[Cells, Description], float | Floats]

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
    cells = _cells(rows, metric.border, n_threads)
    value = ARGMAX[metric.name](cells, metric)
    if not metric.is_per_class:
        return [float(value)]
    each = np.asarray(value)
    return [float(each[1])] if rows.n_columns is None else [float(one) for one in each]


def _cells(rows: Rows, border: float, n_threads: int) -> Cells:
    classes = Classes.of(range(rows.k), is_declared=True)
    identity = np.arange(rows.k, dtype=np.int32)
    true, pred = (
        Side(Column(argument, codes, "integer"), codes, 0, identity)
        for argument, codes in (("label", rows.codes), ("approx", _predicted(rows, border)))
    )
    try:
        return count_aligned(Aligned(classes, true, pred), rows.weights, True, n_threads)
    except AllZeroError:
        return Cells.empty(classes, is_weighted=True)


def _predicted(rows: Rows, border: float) -> Codes:
    if rows.n_columns is None:
        return (rows.scores > _logit(border)).astype(np.int32)
    read = _native.read_scores(
        rows.scores, rows.codes, rows.k, None, False, 0.0, _PREDICTED, 0
    ).predicted
    assert read is not None
    return read


def _logit(border: float) -> float:
    if border in (0.0, 1.0):
        return math.inf if border else -math.inf
    return math.log(border / (1.0 - border))


def _values(cells: Cells, name: str, lift: Lift = "plain", **params: float) -> Floats:
    """A metric of karat, NaN where it is undefined."""
    return _metric(name, lift, **params).values(cells, "nan").value


@lru_cache(maxsize=64)
def _metric(name: str, lift: Lift, **params: float) -> Metric:
    return Metric.of(get(name).record, lift, params)


def _filled(values: Floats, otherwise: float) -> Floats:
    return np.where(np.isnan(values), otherwise, values)


def _with(name: str, otherwise: float, lift: Lift = "plain") -> Value:
    """A metric of karat, with a value of CatBoost's where it is undefined."""
    return lambda cells, metric: _filled(_values(cells, name, lift), otherwise)


def _f(cells: Cells, metric: Description) -> Floats:
    return _filled(_values(cells, "f_beta", "per_class", beta=metric.beta), 1.0)


def _total_f1(cells: Cells, metric: Description) -> float:
    if not cells.fields.n and metric.average != "Macro":
        return math.nan
    # A class that is neither true nor predicted counts as 0 here, though its F1 is 1.
    return float(_metric("f1", _LIFTS[metric.average]).values(cells, "zero").value)


def _kappa(cells: Cells, name: str) -> float:
    found = float(_values(cells, name))
    return -1.0 if math.isnan(found) and cells.fields.n else found


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
    "Kappa": lambda cells, metric: _kappa(cells, "kappa"),
    "WKappa": lambda cells, metric: _kappa(cells, "kappa_quadratic"),
}
"""Name → its value, or one for each class, from the confusion matrix."""
