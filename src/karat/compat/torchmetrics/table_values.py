"""Values of the confusion matrix: itself, agreement, correlation and overlap."""

from __future__ import annotations

import warnings
from math import nan, sqrt
from typing import Final

import numpy as np
from torch import Tensor

from karat.compat.torchmetrics.label_needs import BinaryCells, Need
from karat.compat.torchmetrics.label_values import catalogued, cells_of, number
from karat.compat.torchmetrics.tally import Tally

__all__ = ["confusion_matrix", "jaccard", "kappa", "matthews"]

_AXES: Final = {"true": (-1,), "pred": (-2,), "all": (-2, -1)}
_KAPPAS: Final = {None: "kappa", "none": "kappa", "linear": "kappa_linear"}
_EPSILON: Final = float(np.finfo(np.float32).eps)


def confusion_matrix(tally: Tally, need: Need, *, normalize: str | None = None) -> Tensor:  # noqa: ARG001
    """int64[k, k], float64 of weights, or float32 shares."""
    cells = tally.sums["cells"]
    if normalize in (None, "none"):
        return cells.clone()
    counts = cells_of(tally).counts
    with np.errstate(invalid="ignore"):
        shares = counts / counts.sum(axis=_AXES[str(normalize)], keepdims=True)
    n_nan = int(np.isnan(shares).sum())
    if n_nan:
        text = f"{n_nan} NaN values found in confusion matrix have been replaced with zeros."
        warnings.warn(text, UserWarning, stacklevel=2)
    return number(np.nan_to_num(shares), tally)


def kappa(tally: Tally, need: Need, *, weights: str | None = None) -> Tensor:  # noqa: ARG001
    """Cohen's kappa; NaN where chance alone would agree everywhere."""
    return number(catalogued(tally, _KAPPAS.get(weights, "kappa_quadratic")), tally)


def matthews(tally: Tally, need: Need) -> Tensor:  # noqa: ARG001
    """Matthews' correlation; torchmetrics' numbers where a class or a prediction is absent."""
    counts = cells_of(tally).counts
    if len(counts) == 2:
        (tn, fp), (fn, tp) = counts.astype(np.float64).tolist()
        if tp + tn != 0 and fp + fn == 0:
            return number(1.0, tally)
        if tp + tn == 0 and fp + fn != 0:
            return number(-1.0, tally)
        value = float(catalogued(tally, "matthews_correlation"))
        return number(_limit(tn, fp, fn, tp) if value != value else value, tally)
    value = float(catalogued(tally, "matthews_correlation"))
    return number(0.0 if value != value else value, tally)


def _limit(tn: float, fp: float, fn: float, tp: float) -> float:
    """The value of two classes where one margin is 0: that of cells a little above 0."""
    root = sqrt(_EPSILON)
    if fn == 0 and tn == 0:
        above = root * (tp - fp)
    elif fp == 0 and tn == 0:
        above = root * (tp - fn)
    elif tp == 0 and fn == 0:
        above = root * (tn - fp)
    else:
        above = root * (tn - fn)
    below = (tp + fp + _EPSILON) * (tp + fn + _EPSILON)
    return above / sqrt(below * (tn + fp + _EPSILON) * (tn + fn + _EPSILON))


def jaccard(
    tally: Tally,
    need: Need,
    *,
    average: str | None = None,
    zero_division: float = 0.0,
) -> Tensor:
    """Shared rows by rows of either; the class that is ignored has no say in averages."""
    each = catalogued(tally, "jaccard", "per_class")
    each = np.where(np.isnan(each), zero_division, each)
    if isinstance(need, BinaryCells):
        return number(each[1], tally)
    counts = cells_of(tally).counts
    true, pred = counts.sum(axis=1), counts.sum(axis=0)
    ignore_index = getattr(need, "ignore_index", None)
    is_within = ignore_index is not None and 0 <= ignore_index < len(counts)
    if average == "micro":
        both = np.diagonal(counts)
        either = true + pred - both
        whole = either.sum() - (either[ignore_index] if is_within else 0)
        return number(both.sum() / whole if whole else zero_division, tally)
    if average in (None, "none"):
        return number(each, tally)
    if average == "weighted":
        weights = true.astype(np.float64)
    else:
        weights = (true + pred > 0).astype(np.float64)
        if is_within:
            weights[ignore_index] = 0.0
    total = weights.sum()
    return number((weights * each).sum() / total if total else nan, tally)
