"""Metrics of labels: what they count of the rows, and their values in torchmetrics' averages."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from math import nan, sqrt
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from karat.compat.torchmetrics.reading import (
    Whole,
    check_same_shape,
    check_samples,
    classes_of,
    count_hits,
    count_labels,
    flat_weights,
    kept_rows,
    predicted,
    side_above,
    whole,
)
from karat.compat.torchmetrics.tally import Tally, no_rows, refused
from karat.metrics import Metric, get
from karat.metrics._lift import Lift
from karat.tally import Axis, Cells, Classes


class Need(Protocol):
    """Kind of tally that a metric reads: frozen, compared by value."""

    def empty(self, device: Any) -> Tally:
        """The tally of no rows."""

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        """The tally of one batch; K621 what cannot be counted."""


@dataclass(frozen=True)
class BinaryCells:
    """Two classes: cells int64[2, 2], or of each sample ``samples`` [n, 3, 2].

    Attributes:
        threshold: a row is of class 1 where its probability is above.
        decides_by_all: whether ignored rows have a say in whether scores are logits; they have in
            torchmetrics' metrics of rates, not in those of the confusion matrix.
    """

    threshold: float
    ignore_index: int | None
    samplewise: bool = False
    decides_by_all: bool = True

    def empty(self, device: Any) -> Tally:
        return _empty(2, self.samplewise, device)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        check_same_shape(preds, target)
        if self.samplewise:
            check_samples(target)
        kept = kept_rows(target, self.ignore_index)
        w = flat_weights(weights, target)
        found = side_above(preds, self.threshold, None if self.decides_by_all else kept)
        return count_labels(whole(target), found, 2, kept, w, self.samplewise)


@dataclass(frozen=True)
class ClassCells:
    """k classes: cells int64[k, k], or of each sample ``samples`` [n, 3, k].

    Attributes:
        top_k: a row counts as predicted rightly if its class is among so many best.
    """

    k: int
    ignore_index: int | None
    top_k: int = 1
    samplewise: bool = False

    def empty(self, device: Any) -> Tally:
        return _empty(self.k, self.samplewise, device)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        if self.samplewise:
            check_samples(target)
        if classes_of(preds, target, self.k):
            found = predicted(preds, target, self.top_k)
        elif self.top_k == 1:
            found = whole(preds)
        else:
            problem = f"preds holds labels, of which the best {self.top_k} cannot be taken"
            raise refused("preds", problem, "Give scores of classes: [n, k, …].")
        kept = kept_rows(target, self.ignore_index)
        w = flat_weights(weights, target)
        return count_labels(whole(target), found, self.k, kept, w, self.samplewise)


@dataclass(frozen=True)
class Hits:
    """Any number of classes: only rows predicted rightly and rows in all, ``hits`` [2]."""

    ignore_index: int | None

    def empty(self, device: Any) -> Tally:
        return no_rows(device, hits=(2,))

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        is_scored = classes_of(preds, target, None)
        found = predicted(preds, target, 1) if is_scored else Whole(preds.detach())
        kept = kept_rows(target, self.ignore_index)
        return Tally(count_hits(target.detach(), found, kept, flat_weights(weights, target)))


def _empty(k: int, samplewise: bool, device: Any) -> Tally:
    return no_rows(device, "samples") if samplewise else no_rows(device, cells=(k, k))


Numbers = npt.NDArray[Any]

_OF_THE_REST = ("specificity", "negative_predictive_value")
_MACRO_SKIPS_PREDICTED = ("accuracy", "negative_predictive_value", "precision", "recall")
"""With top_k > 1 their macro averages leave out every class without true rows."""
_AXES: Final = {"true": (-1,), "pred": (-2,), "all": (-2, -1)}
_KAPPAS: Final = {None: "kappa", "none": "kappa", "linear": "kappa_linear"}
_EPSILON: Final = float(np.finfo(np.float32).eps)


def number(values: Any, tally: Tally, dtype: Any = torch.float32) -> Tensor:
    """Values as a tensor where the tally lies."""
    if dtype == torch.float64 and str(tally.device).startswith("mps"):
        dtype = torch.float32  # it has nothing wider
    return torch.as_tensor(np.asarray(values), dtype=dtype).to(tally.device)


def cells_of(tally: Tally) -> Cells:
    """The tally as karat's `Cells`: k × k, or the class totals of each sample."""
    found: Cells | None = tally.cache.get("cells")
    if found is not None:
        return found
    if "samples" in tally.rows:
        hits, true, pred = tally.joined("samples").cpu().numpy().swapaxes(0, 1)
        axis = Axis("sample", tuple(range(len(hits))))
        classes = class_axis(hits.shape[-1])
        found = Cells.marginals(hits, pred - hits, true - hits, classes=classes, axes=(axis,))
    else:
        matrix = tally.sums["cells"].cpu().numpy()
        found = Cells.dense(matrix, classes=class_axis(len(matrix)))
    tally.cache["cells"] = found
    return found


def catalogued(tally: Tally, name: str, lift: Lift = "plain", **params: float) -> Numbers:
    """A metric of karat's catalogue, with its leading axes; NaN where it is undefined."""
    found: Numbers = measure_of(name, lift, **params).values(cells_of(tally), "nan").value
    return found


def rate(
    tally: Tally,
    need: Need,
    *,
    metric: str,
    average: str | None = None,
    zero_division: float = 0.0,
    **params: float,
) -> Tensor:
    """A rate of two or more classes: one number, one of each class or sample."""
    if metric == "hamming_distance":
        own = "accuracy" if average == "micro" or isinstance(need, BinaryCells | Hits) else "recall"
        if average in ("macro", "weighted"):
            each = rate(tally, need, metric=own, average=None).double().cpu().numpy()
            return number(averaged(1.0 - each, _class_weights(tally, need, metric, average)), tally)
        return 1.0 - rate(tally, need, metric=own, average=average)
    if isinstance(need, Hits):
        # A micro average without a number of classes: one fraction for all but specificity.
        # torchmetrics puts one class there, which leaves specificity without other rows.
        hits, n = tally.sums["hits"].tolist()
        if not n:
            return number(0.0 if metric == "accuracy" else zero_division, tally)
        return number(0.0 if metric in _OF_THE_REST else hits / n, tally)
    if isinstance(need, BinaryCells):
        if metric == "accuracy":
            return number(filled(catalogued(tally, metric), 0.0), tally)
        each = catalogued(tally, metric, "per_class", **params)[..., 1]
        return number(filled(each, zero_division), tally)
    if average == "micro":
        lift: Lift = "plain" if metric == "accuracy" else "micro"
        return number(filled(catalogued(tally, metric, lift, **params), zero_division), tally)
    own = "recall" if metric == "accuracy" else metric
    each = filled(catalogued(tally, own, "per_class", **params), zero_division)
    if average in (None, "none"):
        return number(each, tally)
    return number(averaged(each, _class_weights(tally, need, metric, average)), tally)


def _class_weights(tally: Tally, need: Need, metric: str, average: str | None) -> Numbers:
    """Weight of each class in a mean, number[..., k]."""
    tp, fp, _, fn = _counts(cells_of(tally))
    if average == "weighted":
        return tp + fn
    if getattr(need, "top_k", 1) > 1 and metric in _MACRO_SKIPS_PREDICTED:
        return (tp + fn > 0).astype(np.float64)
    return (tp + fp + fn > 0).astype(np.float64)


def stat_scores(tally: Tally, need: Need, *, average: str | None = None) -> Tensor:
    """tp, fp, tn, fn and the rows of the class, along the last axis."""
    if isinstance(need, Hits):
        hits, n = tally.sums["hits"].tolist()
        stats = np.array([hits, n - hits, hits - n, n - hits, n])
        return number(stats, tally, tally.sums["hits"].dtype)
    tp, fp, tn, fn = _counts(cells_of(tally))
    stats = np.stack([tp, fp, tn, fn, tp + fn], axis=-1)
    counted = torch.int64 if stats.dtype.kind == "i" else torch.float64
    if isinstance(need, BinaryCells):
        return number(stats[..., 1, :], tally, counted).squeeze()
    if average == "micro":
        return number(stats.sum(axis=-2), tally, counted)
    if average == "macro":
        return number(stats.mean(axis=-2), tally)
    if average == "weighted":
        with np.errstate(invalid="ignore"):
            weights = (tp + fn) / (tp + fn).sum(axis=-1, keepdims=True)
        return number((stats * weights[..., None]).sum(axis=-2), tally)
    return number(stats, tally, counted)


def confusion_matrix(tally: Tally, need: Need, *, normalize: str | None = None) -> Tensor:  # noqa: ARG001
    """int64[k, k], float64 of weights, or float32 shares."""
    cells = tally.sums["cells"]
    if normalize in (None, "none"):
        return cells.clone()
    return number(shares(cells_of(tally).counts, str(normalize)), tally)


def shares(counts: Numbers, normalize: str) -> Numbers:
    """Tables number[..., k, k] as shares of "true", "pred" or "all"; 0 where nothing is."""
    with np.errstate(invalid="ignore"):
        found: Numbers = counts / counts.sum(axis=_AXES[normalize], keepdims=True)
    n_nan = int(np.isnan(found).sum())
    if n_nan:
        text = f"{n_nan} NaN values found in confusion matrix have been replaced with zeros."
        warnings.warn(text, UserWarning, stacklevel=3)
    return np.nan_to_num(found)


def kappa(tally: Tally, need: Need, *, weights: str | None = None) -> Tensor:  # noqa: ARG001
    """Cohen's kappa; NaN where chance alone would agree everywhere."""
    return number(catalogued(tally, _KAPPAS.get(weights, "kappa_quadratic")), tally)


def matthews(tally: Tally, need: Need) -> Tensor:  # noqa: ARG001
    """Matthews' correlation; torchmetrics' numbers where a class or a prediction is absent."""
    counts = cells_of(tally).counts
    value = float(catalogued(tally, "matthews_correlation"))
    if len(counts) != 2:
        return number(0.0 if value != value else value, tally)
    (tn, fp), (fn, tp) = counts.astype(np.float64).tolist()
    right, wrong = tp + tn, fp + fn
    if (right == 0) != (wrong == 0):
        value = 1.0 if right else -1.0
    elif value != value:
        # One margin is 0: the value of cells a little above 0.
        above = sqrt(_EPSILON) * ((tp or tn) - (fp or fn))
        below = (tp + fp + _EPSILON) * (tp + fn + _EPSILON)
        value = above / sqrt(below * (tn + fp + _EPSILON) * (tn + fn + _EPSILON))
    return number(value, tally)


def jaccard(
    tally: Tally, need: Need, *, average: str | None = None, zero_division: float = 0.0
) -> Tensor:
    """Shared rows by rows of either; the class that is ignored has no say in averages."""
    each = filled(catalogued(tally, "jaccard", "per_class"), zero_division)
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


@lru_cache(maxsize=128)
def measure_of(name: str, lift: Lift, **params: float) -> Metric:
    """A metric of karat's catalogue."""
    return Metric.of(get(name).record, lift, params)


@lru_cache(maxsize=64)
def class_axis(k: int) -> Classes:
    """Classes 0 … k − 1; of two the positive one is 1."""
    return Classes(tuple(range(k)), positive=1 if k == 2 else None, is_declared=True)


def _counts(cells: Cells) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """tp, fp, tn, fn of each class, number[..., k]."""
    if cells.storage == "marginals":
        tp, fp, fn = (cells.counts[..., i, :] for i in range(3))
    else:
        tp = np.diagonal(cells.counts, axis1=-2, axis2=-1)
        fp, fn = cells.counts.sum(axis=-2) - tp, cells.counts.sum(axis=-1) - tp
    n = (tp + fn).sum(axis=-1, keepdims=True)
    return tp, fp, n - tp - fp - fn, fn


def filled(values: Numbers, otherwise: float) -> Numbers:
    """The values, another one where they are not defined."""
    return np.where(np.isnan(values), otherwise, values)


def averaged(values: Numbers, weights: Numbers) -> Numbers:
    """The weighted mean over the classes, 0 where nothing weighs anything."""
    total = weights.sum(axis=-1)
    added = (np.where(weights > 0, values, 0.0) * weights).sum(axis=-1)
    mean: Numbers = np.where(total > 0, added / np.where(total > 0, total, 1.0), 0.0)
    return mean
