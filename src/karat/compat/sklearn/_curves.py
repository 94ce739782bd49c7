"""Curves over thresholds: ROC, precision-recall, DET, the counts behind them, and calibration."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.compat.sklearn._arrays import as_column, check_lengths
from karat.compat.sklearn._notices import warn, warn_undefined
from karat.compat.sklearn._parameters import check_parameters, choice, drop_in, interval
from karat.compat.sklearn._steps import Steps, steps_of
from karat.compat.sklearn._targets import positive_label

__all__ = [
    "calibration_curve",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "precision_recall_curve",
    "roc_curve",
]

Array = npt.NDArray[Any]
Points = tuple[Array, Array, Array]

_BINS = (interval(Integral, 1, None, closed="left"),)
_STRATEGY = (choice({"uniform", "quantile"}),)


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
@drop_in()
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
    check_parameters("confusion_matrix_at_thresholds", y_true, y_score, pos_label, sample_weight)
    steps = steps_of(y_true, y_score, pos_label, sample_weight)
    fps, tps = steps.fps, steps.tps
    return fps[-1] - fps, fps, tps[-1] - tps, tps, steps.thresholds


@drop_in()
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
    check_parameters("roc_curve", y_true, y_score, pos_label, sample_weight, drop_intermediate)
    steps = steps_of(
        y_true, y_score, pos_label, sample_weight, in_row_order=bool(drop_intermediate)
    )
    if drop_intermediate and len(steps.fps) > 2:
        _keep(steps, np.logical_or(np.diff(steps.fps, 2), np.diff(steps.tps, 2)))
    fps, tps = (np.concatenate(([0.0], part)) for part in (steps.fps, steps.tps))
    thresholds = np.concatenate(([np.inf], steps.thresholds.astype(np.float64)))
    return (
        _rate(fps, "negative", "false positive"),
        _rate(tps, "positive", "true positive"),
        thresholds,
    )


def _rate(counts: Array, samples: str, rate: str) -> Array:
    if counts[-1] > 0 or np.isnan(counts[-1]):
        found: Array = counts / counts[-1]
        return found
    warn_undefined(f"No {samples} samples in y_true, {rate} value should be meaningless")
    return np.full(counts.shape, np.nan)


def _keep(steps: Steps, inner: Array) -> None:
    """Keep both ends and the points in between that are marked."""
    kept = np.concatenate(([True], inner.astype(np.bool_), [True]))
    steps.fps, steps.tps, steps.thresholds = (
        part[kept] for part in (steps.fps, steps.tps, steps.thresholds)
    )


@drop_in()
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
    check_parameters(
        "precision_recall_curve", y_true, y_score, pos_label, sample_weight, drop_intermediate
    )
    steps = steps_of(
        y_true, y_score, pos_label, sample_weight, in_row_order=bool(drop_intermediate)
    )
    if drop_intermediate and len(steps.fps) > 2:
        _keep(steps, np.logical_or(np.diff(steps.tps[:-1]), np.diff(steps.tps[1:])))
    fps, tps = steps.fps, steps.tps
    found = tps + fps
    precision = np.where(found != 0, np.divide(tps, found), 0.0)
    if tps[-1] == 0:
        warn("No positive class found in y_true, recall is set to one for all thresholds.")
        recall = np.full(tps.shape, 1.0)
    else:
        recall = tps / tps[-1]
    return (
        np.concatenate((np.flip(precision), [1.0])),
        np.concatenate((np.flip(recall), [0.0])),
        np.flip(steps.thresholds),
    )


@drop_in()
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
    check_parameters("det_curve", y_true, y_score, pos_label, sample_weight, drop_intermediate)
    steps = steps_of(
        y_true, y_score, pos_label, sample_weight, in_row_order=bool(drop_intermediate)
    )
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


@drop_in(n_bins=_BINS, strategy=_STRATEGY)
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
    check_parameters("calibration_curve", y_true, y_prob, pos_label, n_bins, strategy)
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
