"""Metrics of several labels a row: what they count of the rows, and their values."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from karat.compat.torchmetrics.labels import (
    Need,
    averaged,
    class_axis,
    filled,
    matthews,
    measure_of,
    number,
    shares,
)
from karat.compat.torchmetrics.reading import (
    check_same_shape,
    classes_of,
    flat_weights,
    is_native,
    kept_rows,
    outside,
    predicted,
    refuse_rows,
    refused_rows,
    side_above,
    sound,
    whole,
)
from karat.compat.torchmetrics.tally import REFUSED, Tally, no_rows, refused
from karat.tally import Axis, Cells

Numbers = npt.NDArray[Any]


@dataclass(frozen=True)
class LabelRows:
    """Cells of a batch, [n, k, m] each: m places beside the labels, 1 where there are none.

    Attributes:
        true, pred: bool.
        counted: bool, cells that count; None: all of them.
        weights: float64 as given, or None.
        sums: what was refused, where a device counts.
    """

    true: Tensor
    pred: Tensor
    counted: Tensor | None
    weights: Tensor | None
    sums: dict[str, Tensor]


@dataclass(frozen=True)
class _OfLabels:
    """Reader of cells: a label is predicted where its probability is above the threshold.

    Attributes:
        k: number of labels.
    """

    k: int
    threshold: float
    ignore_index: int | None

    def read(self, preds: Tensor, target: Tensor, w: Tensor | None) -> LabelRows:
        """The cells of a batch, and weights in any shape; K621 what is neither 0 nor 1."""
        check_labels(preds, target, self.k)
        true, kept = whole(target), kept_rows(target, self.ignore_index)
        pred = side_above(preds, self.threshold)
        flat = None if kept is None else kept.reshape(-1)
        sums: dict[str, Tensor] = {}
        if is_native(target):
            for side, argument in ((true, "target"), (pred, "preds")):
                refuse_rows(side, argument, 2, kept)
            counted = kept
        else:
            bad_true, bad_pred = outside(true, 2, flat), outside(pred, 2, flat)
            sums[REFUSED] = refused_rows(bad_true, bad_pred & ~bad_true, w)
            is_good = ~(bad_true | bad_pred)
            counted = (is_good if flat is None else flat & is_good).reshape(target.shape)
            w = sound(w)
        places = (len(target), self.k, -1) if target.numel() else (len(target), self.k, 1)
        ones = [side.labels.detach().reshape(places) == 1 for side in (true, pred)]
        return LabelRows(
            ones[0], ones[1], None if counted is None else counted.reshape(places), w, sums
        )


def check_labels(preds: Tensor, target: Tensor, k: int) -> None:
    """Refuse what is not [n, k, …] on both sides."""
    check_same_shape(preds, target)
    if target.ndim < 2 or target.shape[1] != k:
        found = f"target has shape {tuple(target.shape)}; num_labels is {k}"
        raise refused("target", found, "Give both sides a column for each label: [n, k, …].")


def _check_places(target: Tensor) -> None:
    if target.ndim < 3:
        found = f"target has shape {tuple(target.shape)}"
        raise refused("target", found, "Samplewise needs a third dimension: [n, k, …].")


@dataclass(frozen=True)
class LabelCells(_OfLabels):
    """k labels: ``labels`` number[4, k], or of each sample ``samples`` [n, 4, k].

    The four are tp, fp, tn and fn.
    """

    samplewise: bool = False

    def empty(self, device: Any) -> Tally:
        if self.samplewise:
            return no_rows(device, "samples")
        return no_rows(device, labels=(4, self.k))

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        if self.samplewise:
            _check_places(target)
        check_same_shape(preds, target)
        rows = self.read(preds, target, flat_weights(weights, target))
        axes = (2,) if self.samplewise else (0, 2)
        true, pred, counted = rows.true, rows.pred, rows.counted
        if counted is not None:
            true, pred = true & counted, pred & counted
        w = None if rows.weights is None else rows.weights.reshape(rows.true.shape)
        tp, of_true, of_pred = (
            (cells.sum(axes) if w is None else (cells * w).sum(axes))
            for cells in (true & pred, true, pred)
        )
        known = torch.ones_like(rows.true) if counted is None else counted
        total = known.sum(axes) if w is None else (known * w).sum(axes)
        stats = torch.stack([tp, of_pred - tp, total - of_true - of_pred + tp, of_true - tp], -2)
        if w is not None:
            stats = stats.clamp(min=0.0)  # sums of weights leave dust where no cell is
        if self.samplewise:
            return Tally(rows.sums, {"samples": [stats]})
        return Tally({"labels": stats, **rows.sums})


@dataclass(frozen=True)
class Matches(_OfLabels):
    """Rows of which every known label is right: ``matches`` number[2], those and all rows.

    With ``samplewise`` the places of each sample: [n, 2].
    """

    samplewise: bool = False

    def empty(self, device: Any) -> Tally:
        return no_rows(device, "matches") if self.samplewise else no_rows(device, matches=(2,))

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        if self.samplewise:
            _check_places(target)
        rows = self.read(preds, target, _row_weights(weights, target))
        wrong = rows.true != rows.pred
        if rows.counted is not None:
            wrong &= rows.counted
        return _matches(~wrong.any(1), rows.weights, rows.sums, samplewise=self.samplewise)


@dataclass(frozen=True)
class ClassMatches:
    """Samples of which every item has the right class; ``matches`` as of `Matches`."""

    k: int
    ignore_index: int | None
    samplewise: bool = False

    def empty(self, device: Any) -> Tally:
        return no_rows(device, "matches") if self.samplewise else no_rows(device, matches=(2,))

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        is_scored = classes_of(preds, target, self.k)
        true, pred = whole(target), predicted(preds, target, 1) if is_scored else whole(preds)
        kept = kept_rows(target, self.ignore_index)
        sums: dict[str, Tensor] = {}
        flat, w = None if kept is None else kept.reshape(-1), _row_weights(weights, target)
        if is_native(target):
            for side, argument in ((true, "target"), (pred, "preds")):
                refuse_rows(side, argument, self.k, kept)
        else:
            bad_true, bad_pred = outside(true, self.k, flat), outside(pred, self.k, flat)
            sums[REFUSED] = refused_rows(bad_true, bad_pred & ~bad_true, w)
            w = sound(w)
        wrong = true.labels.long() != pred.labels.long()
        if kept is not None:
            wrong &= kept
        right = ~(wrong[:, None] if wrong.ndim == 1 else wrong.flatten(1)).any(1)[:, None]
        return _matches(right, w, sums, samplewise=self.samplewise)


def _row_weights(weights: Any, target: Tensor) -> Tensor | None:
    """One weight for each row: no single cell of it counts."""
    return flat_weights(weights, target.new_zeros(len(target)))


def _matches(
    right: Tensor, w: Tensor | None, sums: dict[str, Tensor], *, samplewise: bool
) -> Tally:
    """Counts of bool[n, m], whole rows and their places."""
    if w is not None:
        right = right * w[:, None]
        totals = w[:, None].expand(right.shape)
    else:
        totals = torch.ones_like(right, dtype=torch.int64)
    axes = (1,) if samplewise else (0, 1)
    found = torch.stack([right.sum(axes), totals.sum(axes)], -1)
    if samplewise:
        return Tally(sums, {"matches": [found]})
    return Tally({"matches": found, **sums})


def tables_of(tally: Tally) -> Cells:
    """The tally as a table of 2×2 for each label, and for each sample."""
    found: Cells | None = tally.cache.get("tables")
    if found is None:
        is_each = "samples" in tally.rows
        stats = (tally.joined("samples") if is_each else tally.sums["labels"]).cpu().numpy()
        tp, fp, tn, fn = np.moveaxis(stats, -2, 0)
        counts = np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)
        names = ("sample", "label") if is_each else ("label",)
        axes = [
            Axis(name, tuple(range(size))) for name, size in zip(names, counts.shape, strict=False)
        ]
        found = Cells.dense(counts, classes=class_axis(2), axes=tuple(axes))
        tally.cache["tables"] = found
    return found


def pooled_of(tally: Tally) -> Cells:
    """The same of all labels added up."""
    tables = tables_of(tally)
    return Cells.dense(tables.counts.sum(axis=-3), classes=tables.classes, axes=tables.axes[:-1])


def _values(tables: Cells, metric: str, otherwise: float, **params: float) -> Numbers:
    """A metric of class 1 of each table; what is not defined is what the arguments say."""
    if metric in ("accuracy", "hamming_distance"):
        right = filled(measure_of("accuracy", "plain").values(tables, "nan").value, 0.0)
        return 1.0 - right if metric == "hamming_distance" else right
    found: Numbers = measure_of(metric, "per_class", **params).values(tables, "nan").value
    return filled(found[..., 1], otherwise)


def labels_rate(
    tally: Tally,
    need: Need,  # noqa: ARG001
    *,
    metric: str,
    average: str | None = None,
    zero_division: float = 0.0,
    **params: float,
) -> Tensor:
    """A rate of each label, of the cells of all of them, or its mean over the labels."""
    if average == "micro":
        return number(_values(pooled_of(tally), metric, zero_division, **params), tally)
    each = _values(tables_of(tally), metric, zero_division, **params)
    if average in (None, "none"):
        return number(each, tally)
    support = tables_of(tally).counts[..., 1, :].sum(axis=-1)
    weights = support if average == "weighted" else np.ones_like(each)
    return number(averaged(each, weights), tally)


def labels_stat_scores(tally: Tally, need: Need, *, average: str | None = None) -> Tensor:  # noqa: ARG001
    """tp, fp, tn, fn and the rows that have the label, along the last axis.

    Weighted means of samples weigh by the labels of all of them, as in torchmetrics.
    """
    counts = tables_of(tally).counts
    tn, fp, fn, tp = (counts[..., i, j] for i in (0, 1) for j in (0, 1))
    stats = np.stack([tp, fp, tn, fn, tp + fn], axis=-1)
    counted = torch.int64 if stats.dtype.kind == "i" else torch.float64
    if average in (None, "none"):
        return number(stats, tally, counted)
    if average == "micro":
        return number(stats.sum(axis=-2), tally, counted)
    if average == "macro":
        return number(stats.mean(axis=-2), tally)
    with np.errstate(invalid="ignore"):
        weights = (tp + fn) / (tp + fn).sum()
    return number((stats * weights[..., None]).sum(axis=-2), tally)


def labels_confusion_matrix(
    tally: Tally, need: Need, *, normalize: str | None = None  # noqa: ARG001
) -> Tensor:  # fmt: skip
    """[[tn, fp], [fn, tp]] of each label: int64[k, 2, 2], float64 of weights, float32 shares."""
    counts = tables_of(tally).counts
    if normalize in (None, "none"):
        return number(counts, tally, torch.int64 if counts.dtype.kind == "i" else torch.float64)
    return number(shares(counts, str(normalize)), tally)


def labels_matthews(tally: Tally, need: Need) -> Tensor:
    """Matthews' correlation of the cells of all labels."""
    cells = torch.as_tensor(pooled_of(tally).counts)
    return matthews(Tally({"cells": cells}, place=tally.device), need)


def labels_jaccard(
    tally: Tally,
    need: Need,  # noqa: ARG001
    *,
    average: str | None = None,
    zero_division: float = 0.0,
    without: int | None = None,
) -> Tensor:
    """Cells that both have, by cells that either has.

    Args:
        without: a label that averages leave out; micro averages only of what either has.
    """
    each = _values(tables_of(tally), "jaccard", zero_division)
    if average in (None, "none"):
        return number(each, tally)
    counts = tables_of(tally).counts
    is_left_out = without is not None and 0 <= without < len(counts)
    if average == "micro":
        either = counts.sum(axis=(-2, -1)) - counts[..., 0, 0]
        whole_ = either.sum() - (either[without] if is_left_out else 0)
        return number(counts[..., 1, 1].sum() / whole_ if whole_ else zero_division, tally)
    weights = np.ones_like(each)
    if average == "weighted":
        weights = counts[..., 1, :].sum(axis=-1)
    elif is_left_out:
        weights[without] = 0.0
    total = weights.sum()
    return number((weights * each).sum() / total if total else nan, tally)


def exact_match(tally: Tally, need: Need) -> Tensor:  # noqa: ARG001
    """Proportion of the rows, or of the positions of each sample, with every label right."""
    is_each = "matches" in tally.rows
    found = tally.joined("matches") if is_each else tally.sums["matches"]
    right, total = found.cpu().double().numpy().T
    return number(np.where(total > 0, right / np.where(total > 0, total, 1.0), 0.0), tally)
