"""Areas under curves: of points, of two classes, of each class, of pairs, and averages."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._curves import (
    plain_scores,
    precision_and_recall,
    ranked,
    roc_rates,
    same_kind,
    steps_of_rows,
)
from karat.compat.sklearn._indicator_scores import mean_of_labels
from karat.compat.sklearn._indicators import Indicator
from karat.compat.sklearn._label_ranking import ranked_labels
from karat.compat.sklearn._pairs import codes_of
from karat.compat.sklearn._parameters import drop_in, warn, warn_undefined
from karat.compat.sklearn._rows import (
    are_multiplied_safely,
    as_floats,
    column_classes,
    native_sums,
    not_by_class,
    plain_classes,
)
from karat.compat.sklearn._targets import (
    MULTILABEL,
    as_array,
    as_column,
    as_weights,
    check_lengths,
    distinct,
    kind_of_target,
    positive_label,
)
from karat.data.scores.matrix import Columns
from karat.data.scores.ranking import Ranked, rank, rank_pooled

Array = npt.NDArray[Any]


def _area_under(x: Array, y: Array) -> float:
    """Area under points by the trapezoidal rule."""
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


def _native_area(codes: npt.NDArray[np.int32], column: Array, sample_weight: Any) -> float | None:
    """Area under the ROC curve; None where a check may fail, or a class has no weight."""
    made = ranked(column, codes, sample_weight, is_multiplied=True)
    if made is None:
        return None
    rest, own = made.totals.tolist()
    return float(made.areas()[0] / (2.0 * rest * own)) if rest and own else None


def _binary_area(
    codes: npt.NDArray[np.int32], score: Array, weights: Any, n_classes: int, max_fpr: Any = None
) -> float:
    """Area under the ROC curve of codes 0 and 1, with scikit-learn's warnings."""
    if n_classes != 2:
        warn_undefined(_ONE_CLASS)
        return np.nan
    if max_fpr is None:
        column = plain_scores(score)
        area = None if column is None else _native_area(codes, column, weights)
        if area is not None:
            return area
    fpr, tpr = roc_rates(steps_of_rows(codes, score, weights))
    if max_fpr is None or max_fpr == 1:
        return _area_under(fpr, tpr)
    stop = np.searchsorted(fpr, max_fpr, "right")
    last = np.interp(max_fpr, [fpr[stop - 1], fpr[stop]], [tpr[stop - 1], tpr[stop]])
    partial = _area_under(np.append(fpr[:stop], max_fpr), np.append(tpr[:stop], last))
    least = 0.5 * max_fpr**2
    return 0.5 * (1 + (partial - least) / (max_fpr - least))  # type: ignore[no-any-return]


def _binary_precision(is_own: Array, y_score: Any, weights: Any) -> float:
    """Average precision of rows that are 1 where they are positive."""
    steps = steps_of_rows(is_own, y_score, weights)
    precision, recall = precision_and_recall(steps)
    if steps.tps[-1] == 0:
        # Recall falls from 1 to 0 at the best score, where nothing is right.
        return max(0.0, float(precision[0]))
    recall = np.concatenate(([0.0], recall))
    area = float(np.sum(np.diff(recall) * precision))
    return 0.0 if math.isnan(area) else max(0.0, area)


Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_NO_POSITIVE = "No positive class found in y_true, recall is set to one for all thresholds."
_ONE_CLASS = "Only one class is present in y_true. ROC AUC score is not defined in that case."


def _are_plain(score: Any, codes: Codes, k: int) -> bool:
    """True if scores are a matrix of floats: a row for each code, a column for each class."""
    return (
        type(score) is np.ndarray
        and score.dtype in (np.float64, np.float32)
        and score.shape == (len(codes), k)
    )


def _class_areas(codes: Codes, score: Array, weights: Any, area: str, *, is_pooled: bool) -> Floats:
    """The area ("roc" or "precision") of each class, or one of all cells of the matrix."""
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
        warn(_NO_POSITIVE)
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
        return np.array([_binary_precision(*column) for column in columns])
    return np.array([_binary_area(*column, len(np.unique(column[0]))) for column in columns])


def _mean_area(codes: Codes, score: Array, weights: Any, area: str, average: str | None) -> Any:
    """The areas as `_class_areas` gives them, or their mean as the average says."""
    if average != "weighted":
        areas = _class_areas(codes, score, weights, area, is_pooled=average == "micro")
        return areas if average is None else float(np.average(areas))
    share = np.bincount(codes, weights, score.shape[1])
    if np.isclose(share.sum(), 0):
        return 0  # before any area is looked at, as there
    areas = _class_areas(codes, score, weights, area, is_pooled=False)
    areas[share == 0] = 0
    return float(np.average(areas, weights=share))


def _pairwise_area(codes: Codes, score: Array, average: str | None) -> Any:
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


@drop_in
def auc(x: Any, y: Any) -> float:
    """Area under points by the trapezoidal rule, as ``sklearn.metrics.auc``.

    Example:
        >>> auc([0.0, 0.5, 1.0], [0.0, 1.0, 1.0])
        0.75
    """
    check_lengths(x, y)
    x, y = as_column(x), as_column(y)
    if x.dtype.kind == "b" and x.shape[0] > 1:
        _ = x[1:] - x[:-1]  # a TypeError, as there
    return _area_under(x, y)


@drop_in
def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: Any = "macro",
    sample_weight: Any = None,
    max_fpr: Any = None,
    multi_class: Any = "raise",
    labels: Any = None,
) -> Any:
    """Area under the ROC curve, as ``sklearn.metrics.roc_auc_score``.

    Equals `karat.roc_auc`, and of more classes `karat.roc_auc_ovr_macro` and its relatives. Of an
    indicator matrix it is that of each label, and ``average=`` of labels, rows or cells.
    A class that is missing makes the whole "ovr" average NaN, as there.

    Example:
        >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        0.75
    """
    if max_fpr is None:
        found = plain_classes(y_true, labels)
        if found is not None and len(found[1]) == 2 and labels is None:
            column = plain_scores(y_score)
            area = None if column is None else _native_area(found[0], column, sample_weight)
            if area is not None:
                return area
        elif found is not None and multi_class != "raise":
            codes, k = found[0], len(found[1])
            is_plain = k > 2 and _are_plain(y_score, codes, k)
            if is_plain and native_sums(y_score, codes, k, None, 0, slack=1e-5) is not None:
                weights = None if sample_weight is None else as_column(sample_weight)
                _check_average(average, multi_class)
                return _class_area(codes, y_score, multi_class, average, weights)
    kind = kind_of_target(y_true, "y_true")
    true = as_array(y_true, dtype=None)
    score = as_array(y_score)
    weights = None if sample_weight is None else as_column(sample_weight)
    is_wide = score.ndim == 2 and score.shape[1] > 2
    if kind == "multiclass" or (kind == "binary" and is_wide):
        if max_fpr is not None and max_fpr != 1.0:
            raise ValueError(
                "Partial AUC computation not available in multiclass setting, 'max_fpr' must be "
                f"set to `None`, received `max_fpr={max_fpr}` instead"
            )
        if multi_class == "raise":
            raise ValueError("multi_class must be in ('ovo', 'ovr')")
        if score.ndim != 2:
            raise not_by_class(score)
        if not np.allclose(1, score.sum(axis=1)):
            raise ValueError(
                "Target scores need to be probabilities for multiclass roc_auc, i.e. they should "
                "sum up to 1.0 over classes"
            )
        _check_average(average, multi_class)
        classes = column_classes(
            true,
            labels,
            score.shape[1],
            "Number of classes in y_true not equal to the number of columns in 'y_score'",
            "Number of given labels, {}, not equal to the number of columns in 'y_score', {}",
        )
        if multi_class == "ovo" and weights is None and true.ndim == 2:
            check_lengths(true, score)
            _ = score[np.zeros(true.shape, np.bool_), 0]  # a column is an IndexError there
        return _class_area(codes_of(as_column(true), classes), score, multi_class, average, weights)
    if kind == MULTILABEL:
        measure = partial(_marked_area, max_fpr=max_fpr)
        of_rows = _row_areas if max_fpr is None else None
        return mean_of_labels(measure, true, score, average, weights, of_rows)
    if kind != "binary":
        raise ValueError(f"{kind} format is not supported")
    column = as_column(true)
    classes = np.unique(column)
    return _binary_area(codes_of(column, classes), score, weights, len(classes), max_fpr)


def _marked_area(marks: Array, score: Array, weights: Any, max_fpr: Any) -> float:
    """Area under the ROC curve of one label, of an indicator's two values."""
    low, high = marks.min(), marks.max()
    n_classes = 1 if low == high else 2
    if n_classes == 2 and (low != 0 or high != 1):
        marks = marks == positive_label(None, marks)
    return _binary_area(np.asarray(marks, np.int32), score, weights, n_classes, max_fpr)


def _row_areas(marks: Array, score: Array) -> Floats:
    """Area under the ROC curve of the labels of each row."""
    labels = ranked_labels(Indicator.of(marks).sets, score)
    # Equal scores are half in order.
    areas: Floats = 1.0 - (labels.wrong_pairs - labels.tied_pairs / 2.0) / labels.n_pairs
    for _row in np.flatnonzero(np.isnan(areas)):
        warn_undefined(_ONE_CLASS)
    return areas


def _row_precisions(marks: Array, score: Array) -> Floats:
    """Average precision of the labels of each row."""
    labels = ranked_labels(Indicator.of(marks).sets, score)
    found = labels.mean(labels.share_above)
    for _row in np.flatnonzero(np.isnan(found)):
        warn(_NO_POSITIVE)
    return np.nan_to_num(found)


def _marked_precision(marks: Array, score: Array, weights: Any) -> float:
    """Average precision of one label, where the marks are 1."""
    codes = np.asarray(marks == 1, np.int32)
    column = plain_scores(score) if codes.any() else None
    made = None if column is None else ranked(column, codes, weights, is_multiplied=True)
    if made is not None and made.totals[1]:
        return float(made.step_area() / made.totals[1])
    return _binary_precision(codes, score, weights)


def _check_average(average: str | None, multi_class: str) -> None:
    allowed: tuple[str | None, ...] = ("macro", "weighted", None)
    if multi_class == "ovr":
        allowed = ("micro", *allowed)
    if average not in allowed:
        raise ValueError(f"average must be one of {allowed} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")


def _class_area(
    codes: npt.NDArray[np.int32], score: Array, multi_class: str, average: str | None, weights: Any
) -> Any:
    if multi_class == "ovo":
        if weights is not None:
            raise ValueError(
                "sample_weight is not supported for multiclass one-vs-one ROC AUC, "
                "'sample_weight' must be None in this case."
            )
        check_lengths(codes, score)
        return _pairwise_area(codes, score, average)
    check_lengths(codes, score, weights)
    return _mean_area(codes, score, weights, "roc", average)


@drop_in
def average_precision_score(
    y_true: Any,
    y_score: Any,
    *,
    average: Any = "macro",
    pos_label: Any = 1,
    sample_weight: Any = None,
) -> Any:
    """Precision averaged over recall, as ``sklearn.metrics.average_precision_score``.

    Equals `karat.average_precision` and `karat.mean_average_precision`. Of an indicator matrix it
    is that of each label, and ``average=`` of labels, rows or cells. Scores of several classes in
    a nested list raise AttributeError, as there.

    Example:
        >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
        0.8333
    """
    found = plain_classes(y_true)
    if found is not None and len(found[1]) == 2 and same_kind(found[1], pos_label):
        is_own = found[1] == pos_label
        column = plain_scores(y_score) if is_own.any() else None
        if column is not None:
            codes = found[0] if is_own[1] else 1 - found[0]
            made = ranked(column, codes, sample_weight, is_multiplied=True)
            if made is not None and made.totals[1]:
                return float(made.step_area() / made.totals[1])
    elif found is not None and sample_weight is None and type(pos_label) is int and pos_label == 1:
        codes, k = found[0], len(found[1])
        if k > 2 and average != "samples" and _are_plain(y_score, codes, k):
            try:
                return _mean_area(codes, y_score, None, "precision", average)
            except ValueError:  # NaN, reported below
                pass
    weights = None if sample_weight is None else as_column(sample_weight)
    kind = kind_of_target(y_true, "y_true")
    present = distinct(np.asarray(y_true))
    if kind == "binary":
        if len(present) == 2 and pos_label not in present:
            raise ValueError(
                f"pos_label={pos_label} is not a valid label. It should be one of {present}"
            )
        is_own = np.asarray(np.asarray(y_true) == pos_label, np.int32)
        return _binary_precision(is_own, y_score, weights)
    if kind not in ("multiclass", MULTILABEL):
        raise ValueError(f"{kind} format is not supported")
    if pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set "
            "pos_label to 1."
        )
    if kind == MULTILABEL:
        return mean_of_labels(_marked_precision, y_true, y_score, average, weights, _row_precisions)
    codes = codes_of(as_column(as_array(y_true, dtype=None, name="y")), present)
    if y_score.shape != (len(codes), len(present)):
        raise not_by_class(y_score)
    check_lengths(codes, y_score, weights)
    score = as_array(y_score)
    if average == "samples":
        # The mean over rows of the precision at the score of the true class.
        own = score[np.arange(len(codes)), codes][:, np.newaxis]
        return float(np.average(1 / np.sum(score >= own, axis=1), weights=weights))
    return _mean_area(codes, score, weights, "precision", average)
