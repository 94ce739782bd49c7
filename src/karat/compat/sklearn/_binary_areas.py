"""Areas of two classes: natively where the scores are plain, else from steps added row by row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._notices import warn, warn_undefined
from karat.compat.sklearn._rows import are_multiplied_safely, summed_weights
from karat.compat.sklearn._steps import plain_scores, ranked, steps_of_rows

__all__ = ["area_under", "binary_area", "binary_precision", "native_area"]

Array = npt.NDArray[Any]


def area_under(x: Array, y: Array) -> float:
    """Area under points by the trapezoidal rule.

    Errors:
        ValueError fewer than two points, or x goes up and down.
    """
    if x.shape[0] < 2:
        raise ValueError(
            f"At least 2 points are needed to compute area under curve, but x.shape = {x.shape[0]}"
        )
    steps = np.diff(x)
    direction = 1
    if np.any(steps < 0):
        if not np.all(steps <= 0):
            raise ValueError(f"x is neither increasing nor decreasing : {x}.")
        direction = -1
    return float(direction * np.trapezoid(y, x))


def native_area(codes: npt.NDArray[np.int32], column: Array, sample_weight: Any) -> float | None:
    """Area under the ROC curve; None where a check may fail, or a class has no weight."""
    _, weights = summed_weights(sample_weight, len(codes))
    if not are_multiplied_safely(weights):
        return None
    made = ranked(column, codes, sample_weight)
    if made is None:
        return None
    rest, own = made.totals.tolist()
    return float(made.areas()[0] / (2.0 * rest * own)) if rest and own else None


def binary_area(
    codes: npt.NDArray[np.int32], n_classes: int, score: Array, weights: Any, max_fpr: Any
) -> float:
    """Area under the ROC curve of codes 0 and 1, with scikit-learn's warnings."""
    if n_classes != 2:
        warn_undefined(
            "Only one class is present in y_true. ROC AUC score is not defined in that case."
        )
        return np.nan
    if max_fpr is None:
        column = plain_scores(score)
        area = None if column is None else native_area(codes, column, weights)
        if area is not None:
            return area
    steps = steps_of_rows(codes, score, weights)
    rates = []
    for given, samples, rate in (
        (steps.fps, "negative", "false positive"),
        (steps.tps, "positive", "true positive"),
    ):
        counts = np.concatenate(([0.0], given))
        if counts[-1] <= 0:
            warn_undefined(f"No {samples} samples in y_true, {rate} value should be meaningless")
            rates.append(np.full(counts.shape, np.nan))
        else:
            rates.append(counts / counts[-1])
    fpr, tpr = rates
    if max_fpr is None or max_fpr == 1:
        return area_under(fpr, tpr)
    stop = np.searchsorted(fpr, max_fpr, "right")
    last = np.interp(max_fpr, [fpr[stop - 1], fpr[stop]], [tpr[stop - 1], tpr[stop]])
    partial = area_under(np.append(fpr[:stop], max_fpr), np.append(tpr[:stop], last))
    least = 0.5 * max_fpr**2
    return 0.5 * (1 + (partial - least) / (max_fpr - least))  # type: ignore[no-any-return]


def binary_precision(is_own: Array, y_score: Any, weights: Any) -> float:
    """Average precision of rows that are 1 where they are positive."""
    steps = steps_of_rows(is_own, y_score, weights)
    fps, tps = steps.fps, steps.tps
    found = tps + fps
    precision = np.where(found != 0, np.divide(tps, found), 0.0)
    if tps[-1] == 0:
        warn("No positive class found in y_true, recall is set to one for all thresholds.")
        # Recall falls from 1 to 0 at the best score, where nothing is right.
        return max(0.0, float(precision[0]))
    recall = np.concatenate(([0.0], tps / tps[-1]))
    area = float(np.sum(np.diff(recall) * precision))
    return 0.0 if math.isnan(area) else max(0.0, area)
