"""Curves over thresholds: ROC, precision-recall, DET, the counts behind them, and calibration."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._parameters import drop_in, warn, warn_undefined
from karat.compat.sklearn._rows import are_multiplied_safely, plain_classes, summed_weights
from karat.compat.sklearn._targets import (
    as_column,
    as_weights,
    check_lengths,
    kind_of_target,
    positive_label,
    refuse_infinite,
)
from karat.data.scores.ranking import Ranked, rank

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

_EXACT = 1 << 53


@dataclass(slots=True)
class Steps:
    """Counts, or weights, at or above each distinct score.

    Attributes:
        fps, tps: float64[u], rows of the rest and of the positive class.
        thresholds: the scores, descending, in the dtype given.
        n_classes: distinct labels of the truth.
    """

    fps: Floats
    tps: Floats
    thresholds: Array
    n_classes: int


def _steps_of(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, *, in_row_order: Any = False
) -> Steps:
    """Steps of a truth and its scores.

    ``in_row_order`` adds weights of equal scores one row after the other, as scikit-learn does.
    """
    found = _plain(y_true, y_score, pos_label)
    if found is not None:
        codes, column, n_classes = found
        if in_row_order and sample_weight is not None:
            return steps_of_rows(codes, y_score, sample_weight, n_classes)
        made = ranked(column, codes, sample_weight)
        if made is not None:
            cumulative = made.cumulative()
            counts, scores = cumulative.counts, cumulative.scores
            if cumulative.squares is not None:
                # Rows of weight 0 are no rows.
                is_kept = counts.any(axis=1)
                counts, scores = counts[is_kept], scores[is_kept]
            fps, tps = (np.cumsum(counts[:, i], dtype=np.float64) for i in (0, 1))
            dtype = getattr(y_score, "dtype", None)
            if not isinstance(dtype, np.dtype):
                dtype = np.asarray(y_score).dtype
            return Steps(fps, tps, scores.astype(dtype, copy=False), n_classes)
    kind = kind_of_target(y_true, "y_true")
    if kind != "binary" and not (kind == "multiclass" and pos_label is not None):
        raise ValueError(f"{kind} format is not supported")
    pos_label = positive_label(pos_label, y_true)
    truth = np.asarray(y_true)
    is_positive = np.asarray(truth == pos_label, np.int32)
    return steps_of_rows(is_positive, y_score, sample_weight, len(np.unique(truth)))


def steps_of_rows(
    is_positive: Array, y_score: Any, sample_weight: Any, n_classes: int = 2
) -> Steps:
    """Steps of 0 and 1, after every check, added one row after the other."""
    check_lengths(is_positive, y_score, sample_weight)
    truth, scores = as_column(is_positive), as_column(y_score)
    refuse_infinite(truth)
    refuse_infinite(scores)
    weights: Any = 1.0
    if sample_weight is not None:
        weights = as_weights(as_column(sample_weight), truth, "weights")
        is_kept = weights != 0
        truth, scores, weights = truth[is_kept], scores[is_kept], weights[is_kept]
    order = np.argsort(scores[::-1], stable=True)[::-1]
    order = len(scores) - 1 - order
    truth, scores = truth[order].astype(np.float64), scores[order]
    if sample_weight is not None:
        weights = weights[order]
    last = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)
    tps = np.cumsum(truth * weights, dtype=np.float64)[last]
    if sample_weight is None:
        fps = 1 + last.astype(np.float64) - tps
    else:
        fps = np.cumsum((1 - truth) * weights, dtype=np.float64)[last]
    return Steps(fps, tps, scores[last], n_classes)


def plain_scores(given: Any) -> Array | None:
    """Scores as a column of floats; None where a check may fail."""
    if isinstance(given, np.ndarray):
        scores: Array = given
    else:
        if not hasattr(given, "__array__") and not isinstance(given, list | tuple):
            return None
        try:
            scores = as_column(given)
        except Exception:  # the careful way says what is wrong
            return None
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim != 1 or not len(scores):
        return None
    if scores.dtype in (np.float64, np.float32):
        return np.asarray(scores)
    if scores.dtype.kind == "f" and scores.dtype.itemsize < 4:
        return scores.astype(np.float32)
    if scores.dtype.kind in "iub" and abs(int(scores.max())) + abs(int(scores.min())) < _EXACT:
        return scores.astype(np.float64)
    return None


def ranked(
    column: Array, codes: Codes, sample_weight: Any, *, is_multiplied: bool = False
) -> Ranked | None:
    """Rows in the order of one column, sorted natively; None where a check may fail."""
    is_plain, weights = summed_weights(sample_weight, len(codes))
    if not is_plain or len(column) != len(codes):
        return None
    if is_multiplied and not are_multiplied_safely(weights):
        return None
    try:
        made = rank(column, codes, 1, 2, weights)
    except (ValueError, TypeError):
        return None
    return made if weights is None or made.totals.any() else None


def same_kind(classes: Array, label: Any) -> bool:
    """True if a label can equal one of the classes without being converted."""
    is_text = classes.dtype.kind == "U"
    return isinstance(label, str) if is_text else isinstance(label, int | float | np.number)


def _plain(y_true: Any, y_score: Any, pos_label: Any) -> tuple[Codes, Array, int] | None:
    found = plain_classes(y_true)
    column = None if found is None else plain_scores(y_score)
    if found is None or column is None or len(found[0]) != len(column):
        return None
    codes, classes = found
    if pos_label is None:
        try:
            pos_label = positive_label(None, classes)
        except ValueError:
            return None
    elif not same_kind(classes, pos_label):
        return None
    is_own = classes == pos_label
    if len(classes) == 2 and is_own[1]:
        return codes, column, 2
    return is_own.astype(np.int32)[codes], column, len(classes)


Points = tuple[Array, Array, Array]


def _keyword_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function; its keywords may still be given by position, with a FutureWarning."""
    names = list(inspect.signature(function).parameters)

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if len(args) <= 2:
            return function(*args, **kwargs)
        extra = list(zip(names[2:], args[2:], strict=False))
        shown = ", ".join(f"{name}={value}" for name, value in extra)
        warn(
            f"Pass {shown} as keyword args. From version 1.11 passing these as positional "
            "arguments will result in an error",
            FutureWarning,
        )
        return function(**kwargs, **dict(zip(names, args, strict=False)))

    return called


@_keyword_only
@drop_in
def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Array, Array, Array, Array, Array]:
    """TN, FP, FN, TP at each score; ``sklearn.metrics.confusion_matrix_at_thresholds``.

    Equal the counts of the `karat.tally.CumulativeCounts` of the scores, added up.

    Example:
        >>> tns, fps, fns, tps, t = confusion_matrix_at_thresholds([0, 1, 1], [0.2, 0.3, 0.9])
        >>> tps.tolist(), fps.tolist(), t.tolist()
        ([1.0, 2.0, 2.0], [0.0, 0.0, 1.0], [0.9, 0.3, 0.2])
    """
    steps = _steps_of(y_true, y_score, pos_label, sample_weight)
    fps, tps = steps.fps, steps.tps
    return fps[-1] - fps, fps, tps[-1] - tps, tps, steps.thresholds


@drop_in
def roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: Any = True,
) -> Points:
    """False and true positive rates, as ``sklearn.metrics.roc_curve``.

    With ``drop_intermediate=False`` equals `karat.curves.roc`.

    Example:
        >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> fpr.tolist(), tpr.tolist(), thresholds.tolist()
        ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 0.8, 0.4, 0.35, 0.1])
    """
    steps = _steps_of(y_true, y_score, pos_label, sample_weight, in_row_order=drop_intermediate)
    if drop_intermediate and len(steps.fps) > 2:
        _keep(steps, np.logical_or(np.diff(steps.fps, 2), np.diff(steps.tps, 2)))
    thresholds = np.concatenate(([np.inf], steps.thresholds.astype(np.float64)))
    return *roc_rates(steps), thresholds


def roc_rates(steps: Steps) -> tuple[Array, Array]:
    """False and true positive rates, from (0, 0)."""
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
    return rates[0], rates[1]


def precision_and_recall(steps: Steps) -> tuple[Array, Array]:
    """Precision and recall at each score, descending."""
    fps, tps = steps.fps, steps.tps
    found = tps + fps
    precision = np.where(found != 0, np.divide(tps, found), 0.0)
    if tps[-1] != 0:
        return precision, tps / tps[-1]
    warn("No positive class found in y_true, recall is set to one for all thresholds.")
    return precision, np.full(tps.shape, 1.0)


def _keep(steps: Steps, inner: Array) -> None:
    """Keep both ends and the points in between that are marked."""
    kept = np.concatenate(([True], inner.astype(np.bool_), [True]))
    steps.fps, steps.tps, steps.thresholds = (
        part[kept] for part in (steps.fps, steps.tps, steps.thresholds)
    )


@drop_in
def precision_recall_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: Any = False,
) -> Points:
    """Precision and recall, as ``sklearn.metrics.precision_recall_curve``.

    Equals `karat.curves.precision_recall` turned round.

    Example:
        >>> precision, recall, _ = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> precision.round(2).tolist(), recall.tolist()
        ([0.5, 0.67, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.5, 0.0])
    """
    steps = _steps_of(y_true, y_score, pos_label, sample_weight, in_row_order=drop_intermediate)
    if drop_intermediate and len(steps.fps) > 2:
        _keep(steps, np.logical_or(np.diff(steps.tps[:-1]), np.diff(steps.tps[1:])))
    precision, recall = precision_and_recall(steps)
    return (
        np.concatenate((np.flip(precision), [1.0])),
        np.concatenate((np.flip(recall), [0.0])),
        np.flip(steps.thresholds),
    )


@drop_in
def det_curve(
    y_true: Any,
    y_score: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: Any = False,
) -> Points:
    """False positive and false negative rates, as ``sklearn.metrics.det_curve``.

    A part of `karat.curves.det`, turned round.

    Example:
        >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> fpr.tolist(), fnr.tolist(), thresholds.tolist()
        ([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.35, 0.4, 0.8])
    """
    steps = _steps_of(y_true, y_score, pos_label, sample_weight, in_row_order=drop_intermediate)
    steps.tps, steps.fps = (np.concatenate(([0.0], part)) for part in (steps.tps, steps.fps))
    steps.thresholds = np.concatenate(([np.inf], steps.thresholds.astype(np.float64)))
    if drop_intermediate and len(steps.fps) > 2:
        _keep(steps, np.logical_or(np.diff(steps.tps[:-1]), np.diff(steps.tps[1:])))
    if steps.n_classes != 2:
        raise ValueError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined "
            "in that case."
        )
    fps, tps = steps.fps, steps.tps
    after = np.searchsorted(fps, fps[0], side="right")
    part = slice(after - 1 if after > 0 else None, np.searchsorted(tps, tps[-1]) + 1)
    fns = tps[-1] - tps
    return (
        np.flip(fps[part]) / fps[-1],
        np.flip(fns[part]) / tps[-1],
        np.flip(steps.thresholds[part]),
    )


@drop_in
def calibration_curve(
    y_true: Any, y_prob: Any, *, pos_label: Any = None, n_bins: Any = 5, strategy: Any = "uniform"
) -> tuple[Array, Array]:
    """Share of positives and mean probability of bins; ``sklearn.calibration.calibration_curve``.

    Equals `karat.curves.reliability` in the bins that hold rows.

    Example:
        >>> true, predicted = calibration_curve([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], n_bins=2)
        >>> true.tolist(), predicted.round(2).tolist()
        ([0.0, 1.0], [0.15, 0.8])
    """
    true, prob = as_column(y_true), as_column(y_prob)
    check_lengths(true, prob)
    pos_label = positive_label(pos_label, true)
    if prob.min() < 0 or prob.max() > 1:
        raise ValueError("y_prob has values outside [0, 1].")
    labels = np.unique(true)
    if len(labels) > 2:
        raise ValueError(f"Only binary classification is supported. Provided labels {labels}.")
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    if strategy == "quantile":
        edges = np.percentile(prob, edges * 100)
    bins = np.searchsorted(edges[1:-1], prob)
    count = np.bincount(bins, minlength=n_bins)
    positive = np.bincount(bins, weights=true == pos_label, minlength=n_bins)
    confidence = np.bincount(bins, weights=prob, minlength=n_bins)
    kept = count != 0
    return positive[kept] / count[kept], confidence[kept] / count[kept]
