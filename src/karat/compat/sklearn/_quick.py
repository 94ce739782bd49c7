"""Small calls: two plain arrays of integers, one native count, one compiled formula.

What is undefined, or cannot be counted so, is left to the careful way: None.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.sources.arrays.labels import Count, cells, class_totals, count_for
from karat.metrics._metric import Metric
from karat.metrics._registry import lookup
from karat.tally import Cells, Classes

__all__ = ["kappa_of", "matrix_of", "measured", "positive_measured"]

_ready: dict[str, tuple[Any, Any, Count]] = {}
"""Name of a metric → (run, arguments) of its compiled formula, and what counts for it."""


def _prepared(name: str) -> tuple[Any, Any, Count]:
    record, lift = lookup(name)
    metric = Metric.of(record, lift, {})
    count = count_for(metric.needs_cells, metric.needs_classes)
    made = (metric.program("zero").run, metric.arguments("zero"), count)
    _ready[name] = made
    return made


def measured(name: str, y_true: Any, y_pred: Any, least: int = 1) -> float | None:
    """The metric of that name; None where it is undefined, or the arrays are not plain.

    Args:
        least: the fewest classes that it is measured of.
    """
    if type(y_true) is not np.ndarray or type(y_pred) is not np.ndarray:
        return None
    if y_true.dtype.kind not in "iu" or y_pred.dtype.kind not in "iu":
        return None
    run, arguments, count = _ready.get(name) or _prepared(name)
    tally = count(y_true, y_pred)
    if tally is None or tally.k < least:
        return None
    value, n_undefined = run(tally, arguments)
    return None if n_undefined else value


def kappa_of(cells: npt.NDArray[np.float64], weights: str | None) -> float:
    """Kappa of a matrix by the same formula as of arrays, to the last bit."""
    record, lift = lookup("kappa" if weights is None else f"kappa_{weights}")
    tally = Cells.dense(cells, classes=Classes.of(range(len(cells))))
    return float(Metric.of(record, lift, {}).values(tally).value)


def positive_measured(name: str, y_true: Any, y_pred: Any) -> float | None:
    """The metric of class 1 of two; None also where there are not two, or none of them is 1."""
    if type(y_true) is not np.ndarray or type(y_pred) is not np.ndarray:
        return None
    if y_true.dtype.kind not in "iu" or y_pred.dtype.kind not in "iu":
        return None
    run, arguments, _ = _ready.get(name) or _prepared(name)
    tally = class_totals(y_true, y_pred)
    if tally is None or tally.k != 2:
        return None
    labels = tally.labels
    assert labels is not None
    if labels[1] == 1:
        positive = 1
    elif labels[0] == 1:
        positive = 0
    else:
        return None
    value, n_undefined = run(tally, arguments, positive)
    return None if n_undefined else value


def matrix_of(y_true: Any, y_pred: Any) -> npt.NDArray[np.int64] | None:
    """The confusion matrix of two plain arrays; None where they are not, or hold one label."""
    if type(y_true) is not np.ndarray or type(y_pred) is not np.ndarray:
        return None
    if y_true.dtype.kind not in "iu" or y_pred.dtype.kind not in "iu":
        return None
    tally = cells(y_true, y_pred)
    return None if tally is None or tally.k < 2 else tally.cells().view(np.int64)
