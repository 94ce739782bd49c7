"""Areas of each class against the rest, pooled, of pairs and of rows, and their averages."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.compat.sklearn._binary_areas import binary_area, binary_precision
from karat.compat.sklearn._notices import warn, warn_undefined
from karat.compat.sklearn._rows import are_multiplied_safely, as_floats
from karat.compat.sklearn._targets import as_weights
from karat.data.scores.matrix import Columns
from karat.data.scores.ranking import Ranked, rank, rank_pooled

__all__ = ["are_plain", "are_probabilities", "averaged_areas", "pairwise_area", "precision_of_rows"]

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_ONE_CLASS = "Only one class is present in y_true. ROC AUC score is not defined in that case."


def are_plain(score: Any, codes: Codes, k: int) -> bool:
    """Whether scores are a matrix of floats: a row for each code, a column for each class."""
    return (
        type(score) is np.ndarray
        and score.dtype in (np.float64, np.float32)
        and score.shape == (len(codes), k)
    )


def are_probabilities(score: Array, codes: Codes) -> bool:
    """Whether rows sum to 1 and hold no negative value, by one native read."""
    try:
        _native.read_scores(score, codes, score.shape[1], None, True, 1e-5, 0, 0)
    except (ValueError, TypeError):
        return False
    return True


def class_areas(codes: Codes, score: Array, weights: Any, area: str, *, is_pooled: bool) -> Floats:
    """The area of each class against the rest, or one of all cells of the matrix.

    Args:
        area: "roc" or "precision".

    Errors:
        ValueError the weights are not finite, or all 0.
    """
    k = score.shape[1]
    measured = _roc_area if area == "roc" else _precision_area
    values = as_floats(score)
    given = None
    if weights is not None:
        given = as_weights(weights, codes, "weights").astype(np.float64)
        if given.min() < 0 or not are_multiplied_safely(given):
            return _areas_by_rows(codes, values, weights, area, is_pooled)
    if is_pooled:
        return np.array([measured(rank_pooled(values, codes, k, given))])
    columns = Columns(values)
    present = np.bincount(codes, minlength=k)
    totals = present if given is None else None
    found = np.empty(k)
    for own in range(k):
        if area == "roc" and present[own] in (0, len(codes)):
            warn_undefined(_ONE_CLASS)
            found[own] = np.nan
        else:
            found[own] = measured(rank(columns[own], codes, own, k, given, None, totals))
    return found


def _roc_area(made: Ranked) -> float:
    own = float(made.totals[made.own])
    rest = float(made.totals.sum()) - own
    if not rest:
        warn_undefined("No negative samples in y_true, false positive value should be meaningless")
    if not own:
        warn_undefined("No positive samples in y_true, true positive value should be meaningless")
    return float(made.areas().sum() / (2.0 * own * rest)) if own and rest else np.nan


def _precision_area(made: Ranked) -> float:
    own = float(made.totals[made.own])
    if not own:
        warn("No positive class found in y_true, recall is set to one for all thresholds.")
        return 0.0
    return max(0.0, made.step_area() / own)


def _areas_by_rows(codes: Codes, values: Array, weights: Any, area: str, is_pooled: bool) -> Floats:
    """The same where some weights are negative, which no kernel takes."""
    k = values.shape[1]
    is_own = (codes[:, np.newaxis] == np.arange(k)).astype(np.int32)
    columns = [(is_own[:, i], values[:, i], weights) for i in range(k)]
    if is_pooled:
        columns = [(is_own.ravel(), values.ravel(), np.repeat(weights, k))]
    if area == "precision":
        return np.array([binary_precision(*column) for column in columns])
    return np.array(
        [
            binary_area(own, len(np.unique(own)), column, given, None)
            for own, column, given in columns
        ]
    )


def averaged_areas(codes: Codes, score: Array, weights: Any, area: str, average: str | None) -> Any:
    """The areas as `class_areas` gives them, or their mean as the average says."""
    if average != "weighted":
        areas = class_areas(codes, score, weights, area, is_pooled=average == "micro")
        return areas if average is None else float(np.average(areas))
    # The weights of the classes in the dtype of those of the rows, as they are summed there.
    share = np.bincount(codes, weights, score.shape[1]).astype(
        np.int64 if weights is None else weights.dtype
    )
    if np.isclose(share.sum(), 0):
        return 0  # before any area is looked at, as there
    areas = class_areas(codes, score, weights, area, is_pooled=False)
    areas[share == 0] = 0
    return float(np.average(areas, weights=share))


def pairwise_area(codes: Codes, score: Array, average: str | None) -> Any:
    """Mean over pairs of classes of how well both columns part them."""
    k = score.shape[1]
    values, columns = np.zeros((k, k)), Columns(as_floats(score))
    count = np.bincount(codes, minlength=k).astype(np.float64)
    present = np.flatnonzero(count)
    for own in present.tolist():
        areas = rank(columns[own], codes, own, k, totals=count).areas()
        with np.errstate(divide="ignore", invalid="ignore"):
            values[own] = areas / (2.0 * count[own] * count)
    pairs = list(combinations(present.tolist(), 2))
    areas = np.array([(values[a, b] + values[b, a]) / 2 for a, b in pairs])
    share = None
    if average == "weighted":
        share = np.array([(count[a] + count[b]) / len(codes) for a, b in pairs])
    return np.average(areas, weights=share)


def precision_of_rows(codes: Codes, score: Array, weights: Any) -> float:
    """Mean over rows of the precision at the score of the true class."""
    own = score[np.arange(len(codes)), codes]
    return float(np.average(1 / np.sum(score >= own[:, np.newaxis], axis=1), weights=weights))
