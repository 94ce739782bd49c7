"""Metrics of labels: what they count of the rows, and their values in torchmetrics' averages."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import nan, sqrt
from typing import Any, Final, Protocol, get_args

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from karat.compat.torchmetrics.reading import (
    Detail,
    check_same_shape,
    check_samples,
    classes_of,
    count_labels,
    flat_weights,
    kept_rows,
    no_labels,
    predicted,
    side_above,
    whole,
)
from karat.compat.torchmetrics.tally import OCCUPANCY, PAIRS, Tally, refused, united
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
        return no_labels(2, "cells", self.samplewise, device)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        check_same_shape(preds, target)
        if self.samplewise:
            check_samples(target)
        kept = kept_rows(target, self.ignore_index)
        w = flat_weights(weights, target)
        found = side_above(preds, self.threshold, None if self.decides_by_all else kept)
        return count_labels(whole(target), found, 2, kept, w, samplewise=self.samplewise)


@dataclass(frozen=True)
class ClassCells:
    """k classes: what `count_labels` keeps of them, or of each sample ``samples`` [n, 3, k].

    Attributes:
        k: number of classes; None: any, for ``hits``.
        top_k: a row counts as predicted rightly if its class is among so many best.
        detail: what the metric reads: memory of O(1), of O(k), or of the occupied cells.
    """

    k: int | None
    ignore_index: int | None
    top_k: int = 1
    samplewise: bool = False
    detail: Detail = "cells"

    def empty(self, device: Any) -> Tally:
        return no_labels(self.k, self.detail, self.samplewise, device)

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
        return count_labels(
            whole(target), found, self.k, kept, w, self.detail, samplewise=self.samplewise
        )


_DETAILS: Final = get_args(Detail)


def with_all_cells(need: Need) -> Need:
    """The need whose tally every metric of these rows can read, whatever it keeps of them."""
    return replace(need, detail=_DETAILS[-1]) if isinstance(need, ClassCells) else need


def widest(needs: Sequence[Need]) -> Need:
    """Of needs with the same `with_all_cells`, the one whose tally the others can read."""
    return max(needs, key=lambda need: _DETAILS.index(getattr(need, "detail", _DETAILS[0])))


def narrowed(state: Mapping[str, Any], need: Need) -> Mapping[str, Any]:
    """The state of a metric that keeps more of the same rows, in terms of this need.

    A collection keeps what the widest of its metrics reads. Weights have lost the rows behind a
    class; states with them stay as they are, and so do those that keep less.
    """
    if not isinstance(need, ClassCells) or need.samplewise or need.detail == "cells":
        return state
    totals: Tensor | None = state.get("classes")
    if PAIRS[0] in state:
        pairs, counts = united(*(torch.cat(list(state[name])) for name in PAIRS))
        k = need.k or 0
        is_cell = pairs < k * k  # the last one is of rows that do not count
        true, pred, counts = pairs[is_cell] // k, pairs[is_cell] % k, counts[is_cell]
        sides = (true[true == pred], true[true != pred], pred[true != pred])
        each = (counts[true == pred], counts[true != pred], counts[true != pred])
        none = counts.new_zeros(k)
        hits, missed, alarms = (
            none.index_add(0, at, own) for at, own in zip(sides, each, strict=True)
        )
        totals = torch.stack([hits, alarms, missed])
    elif "cells" in state:
        matrix = state["cells"]
        hits = matrix.diagonal()
        totals = torch.stack([hits, matrix.sum(0) - hits, matrix.sum(1) - hits])
    if totals is None or totals.is_floating_point():
        return state
    if need.detail == "classes":
        return {**state, "classes": totals}
    return {**state, "hits": torch.stack([totals[0].sum(), (totals[0] + totals[2]).sum()])}


def detail_of(value: str, options: Mapping[str, Any], ignore_index: int | None, k: int) -> Detail:
    """What a metric of a table reads of it, by karat's catalogue."""
    if value == "confusion_matrix":
        return "cells"
    if value == "jaccard":
        # The class that is ignored may be predicted, and is left out of the total.
        is_total = options["average"] == "micro" and not is_within(ignore_index, k)
        return "hits" if is_total else "classes"
    name = "matthews_correlation" if value == "matthews" else _kappa(options["weights"])
    return "cells" if measure_of(name, "plain").needs_cells else "classes"


def is_within(ignore_index: int | None, k: int) -> bool:
    """True if the label that is ignored is one of the classes."""
    return ignore_index is not None and 0 <= ignore_index < k


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


def cells_of(tally: Tally, need: Need) -> Cells:
    """The tally as karat's `Cells`: of cells, or of class totals, also of each sample."""
    found: Cells | None = tally.cache.get("cells")
    if found is not None:
        return found
    if "samples" in tally.rows:
        totals = tally.joined("samples").cpu().numpy()
        axis, classes = Axis("sample", tuple(range(len(totals)))), class_axis(totals.shape[-1])
        found = Cells.marginals(*totals.swapaxes(0, 1), classes=classes, axes=(axis,))
    elif PAIRS[0] in tally.rows:
        pairs, counts = (own.cpu().numpy() for own in listed(tally, need))
        k = getattr(need, "k", 0)
        rows, cols = np.divmod(pairs, k)
        found = Cells.sparse(rows, cols, counts, classes=class_axis(k))
    elif "classes" in tally.sums:
        totals = tally.sums["classes"].cpu().numpy()
        occupancy = tally.sums.get(OCCUPANCY)
        behind = None if occupancy is None else occupancy.cpu().numpy()
        classes = class_axis(totals.shape[-1])
        found = Cells.marginals(*totals, classes=classes, occupancy=behind)
    else:
        matrix = tally.sums["cells"].cpu().numpy()
        found = Cells.dense(matrix, classes=class_axis(len(matrix)))
    tally.cache["cells"] = found
    return found


def listed(tally: Tally, need: Need) -> tuple[Tensor, Tensor]:
    """Occupied cells in their order, true · k + predicted, and what is in them."""
    if not tally.rows[PAIRS[0]]:
        none = torch.zeros(0, dtype=torch.int64, device=tally.device)
        return none, none
    pairs, counts = united(*map(tally.joined, PAIRS))
    is_cell = pairs < getattr(need, "k", 0) ** 2  # the last one is of rows that do not count
    return pairs[is_cell], counts[is_cell]


def totals_of(tally: Tally, need: Need) -> tuple[Numbers, Numbers]:
    """Rows predicted correctly and all rows, also of each sample."""
    if "hits" in tally.sums:
        hits, n = tally.sums["hits"].cpu().numpy()
        return hits, n
    tp, _, _, fn = _counts(cells_of(tally, need))
    return tp.sum(axis=-1), (tp + fn).sum(axis=-1)


def pooled(tally: Tally, need: Need) -> Numbers:
    """tp, fp, tn and fn of all classes added up, number[..., 4].

    torchmetrics counts one class where their number is not known.
    """
    hits, n = totals_of(tally, need)
    missed, k = n - hits, getattr(need, "k", None) or 1
    return np.stack([hits, missed, hits + (k - 2) * n, missed], axis=-1)


def catalogued(
    tally: Tally, need: Need, name: str, lift: Lift = "plain", **params: float
) -> Numbers:
    """A metric of karat's catalogue, with its leading axes; NaN where it is undefined."""
    found = measure_of(name, lift, **params).values(cells_of(tally, need), "nan").value
    return np.asarray(found)


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
        own = "accuracy" if average == "micro" or isinstance(need, BinaryCells) else "recall"
        if average in ("macro", "weighted"):
            each = rate(tally, need, metric=own, average=None).double().cpu().numpy()
            return number(averaged(1.0 - each, _class_weights(tally, need, metric, average)), tally)
        return 1.0 - rate(tally, need, metric=own, average=average)
    if isinstance(need, BinaryCells):
        if metric == "accuracy":
            return number(filled(catalogued(tally, need, metric), 0.0), tally)
        each = catalogued(tally, need, metric, "per_class", **params)[..., 1]
        return number(filled(each, zero_division), tally)
    own = "recall" if metric == "accuracy" else metric
    if average == "micro":
        tp, fp, tn, fn = np.moveaxis(pooled(tally, need), -1, 0)
        if getattr(need, "k", None) is None and metric in _OF_THE_REST:
            tn = 0 * tn  # of one class there are no other rows
        table = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
        axes = () if table.ndim == 2 else (Axis("sample", tuple(range(len(table)))),)
        cells = Cells.dense(table, classes=class_axis(2), axes=axes)
        each = measure_of(own, "per_class", **params).values(cells, "nan").value[..., 1]
        return number(filled(each, zero_division), tally)
    each = filled(catalogued(tally, need, own, "per_class", **params), zero_division)
    if average in (None, "none"):
        return number(each, tally)
    return number(averaged(each, _class_weights(tally, need, metric, average)), tally)


def _class_weights(tally: Tally, need: Need, metric: str, average: str | None) -> Numbers:
    """Weight of each class in a mean, number[..., k]."""
    tp, fp, _, fn = _counts(cells_of(tally, need))
    if average == "weighted":
        return tp + fn
    if getattr(need, "top_k", 1) > 1 and metric in _MACRO_SKIPS_PREDICTED:
        return (tp + fn > 0).astype(np.float64)
    return (tp + fp + fn > 0).astype(np.float64)


def stat_scores(tally: Tally, need: Need, *, average: str | None = None) -> Tensor:
    """tp, fp, tn, fn and the rows of the class, along the last axis."""
    if average == "micro" and not isinstance(need, BinaryCells):
        parts = pooled(tally, need)
        stats = np.concatenate([parts, parts[..., [0]] + parts[..., [3]]], axis=-1)
        return number(stats, tally, torch.int64 if stats.dtype.kind == "i" else torch.float64)
    tp, fp, tn, fn = _counts(cells_of(tally, need))
    stats = np.stack([tp, fp, tn, fn, tp + fn], axis=-1)
    counted = torch.int64 if stats.dtype.kind == "i" else torch.float64
    if isinstance(need, BinaryCells):
        return number(stats[..., 1, :], tally, counted).squeeze()
    if average == "macro":
        return number(stats.mean(axis=-2), tally)
    if average == "weighted":
        with np.errstate(invalid="ignore"):
            weights = (tp + fn) / (tp + fn).sum(axis=-1, keepdims=True)
        return number((stats * weights[..., None]).sum(axis=-2), tally)
    return number(stats, tally, counted)


def confusion_matrix(tally: Tally, need: Need, *, normalize: str | None = None) -> Tensor:
    """int64[k, k], float64 of weights, or float32 shares."""
    if "cells" in tally.sums:
        cells = tally.sums["cells"]
    else:
        pairs, counts = listed(tally, need)
        k = getattr(need, "k", 0)
        cells = counts.new_zeros(k * k).index_add(0, pairs, counts).reshape(k, k)
    if normalize in (None, "none"):
        return cells.clone()
    return number(shares(cells.cpu().numpy(), str(normalize)), tally)


def shares(counts: Numbers, normalize: str) -> Numbers:
    """Tables number[..., k, k] as shares of "true", "pred" or "all"; 0 where nothing is."""
    with np.errstate(invalid="ignore"):
        found: Numbers = counts / counts.sum(axis=_AXES[normalize], keepdims=True)
    n_nan = int(np.isnan(found).sum())
    if n_nan:
        text = f"{n_nan} NaN values found in confusion matrix have been replaced with zeros."
        warnings.warn(text, UserWarning, stacklevel=3)
    return np.nan_to_num(found)


def kappa(tally: Tally, need: Need, *, weights: str | None = None) -> Tensor:
    """Cohen's kappa; NaN where chance alone would agree everywhere."""
    return number(catalogued(tally, need, _kappa(weights)), tally)


def _kappa(weights: str | None) -> str:
    return _KAPPAS.get(weights, "kappa_quadratic")


def matthews(tally: Tally, need: Need) -> Tensor:
    """Matthews' correlation; torchmetrics' numbers where a class or a prediction is absent."""
    cells = cells_of(tally, need)
    value = float(catalogued(tally, need, "matthews_correlation"))
    if cells.k != 2:
        return number(0.0 if value != value else value, tally)
    tp, fp, tn, fn = (float(own[1]) for own in _counts(cells))
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
    if isinstance(need, ClassCells) and average == "micro" and need.detail == "hits":
        hits, n = totals_of(tally, need)
        return number(hits / (2 * n - hits) if n else zero_division, tally)
    each = filled(catalogued(tally, need, "jaccard", "per_class"), zero_division)
    if isinstance(need, BinaryCells):
        return number(each[1], tally)
    tp, fp, _, fn = _counts(cells_of(tally, need))
    either, ignored = tp + fp + fn, getattr(need, "ignore_index", None)
    is_left_out = is_within(ignored, len(tp))
    if average == "micro":
        whole = either.sum() - (either[ignored] if is_left_out else 0)
        return number(tp.sum() / whole if whole else zero_division, tally)
    if average in (None, "none"):
        return number(each, tally)
    if average == "weighted":
        weights = (tp + fn).astype(np.float64)
    else:
        weights = (either > 0).astype(np.float64)
        if is_left_out:
            weights[ignored] = 0.0
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
    fields = cells.fields
    kind = cells.counts.dtype
    tp, fp, tn, fn = (x.astype(kind) for x in (fields.tp, fields.fp, fields.tn, fields.fn))
    return tp, fp, tn, fn


def filled(values: Numbers, otherwise: float) -> Numbers:
    """The values, another one where they are not defined."""
    return np.where(np.isnan(values), otherwise, values)


def averaged(values: Numbers, weights: Numbers) -> Numbers:
    """The weighted mean over the classes, 0 where nothing weighs anything."""
    total = weights.sum(axis=-1)
    added = (np.where(weights > 0, values, 0.0) * weights).sum(axis=-1)
    mean: Numbers = np.where(total > 0, added / np.where(total > 0, total, 1.0), 0.0)
    return mean
