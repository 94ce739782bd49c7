"""Metrics of the scores of several labels a row: areas of each label, and ranks within a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from karat.compat.torchmetrics.labels import Need, number
from karat.compat.torchmetrics.multilabel import check_labels
from karat.compat.torchmetrics.reading import (
    add_up,
    flat_weights,
    is_native,
    kept_rows,
    outside,
    probabilities,
    refuse_rows,
    refused_rows,
    sound,
    whole,
)
from karat.compat.torchmetrics.scores import (
    BinnedScores,
    KeptScores,
    auroc,
    average_precision,
    curves_of,
)
from karat.compat.torchmetrics.tally import REFUSED, Tally, no_rows, refused
from karat.metrics._set_views import RankedLabels
from karat.tally.label_scores import LabelScores
from karat.tally.sets import Sets


@dataclass(frozen=True)
class _Cells:
    """Probabilities float[n, k], marks int64[n, k] (−1: does not count), weights, refused rows."""

    scores: Tensor
    marks: Tensor
    weights: Tensor | None
    sums: dict[str, Tensor]


def _read(preds: Tensor, target: Tensor, weights: Any, k: int, ignore_index: int | None) -> _Cells:
    """Scores and marks; all scores of a batch decide whether they are logits."""
    check_labels(preds, target, k)
    if not preds.is_floating_point():
        raise refused("preds", f"preds is {preds.dtype}", "Give scores or probabilities as floats.")
    w = flat_weights(weights, target)
    labels, kept = whole(target), kept_rows(target, ignore_index)
    scores = preds.detach().movedim(1, -1).reshape(-1, k)
    marks = labels.labels.long()
    flat = None if kept is None else kept.reshape(-1)
    sums: dict[str, Tensor] = {}
    if is_native(target):
        refuse_rows(labels, "target", 2, kept)
        scores = probabilities(scores.reshape(-1), "sigmoid").reshape(-1, k)
        counted = kept
    else:
        scores = probabilities(scores.reshape(-1), "sigmoid").reshape(-1, k)
        bad_true, is_nan = outside(labels, 2, flat), preds.isnan().reshape(-1)
        sums[REFUSED] = refused_rows(bad_true, is_nan & ~bad_true, w)
        is_good = ~(bad_true | is_nan)
        counted = (is_good if flat is None else is_good & flat).reshape(target.shape)
        w = sound(w)
    if counted is not None:
        marks = torch.where(counted, marks, -1)
    if w is not None:
        w = w.reshape(target.shape).movedim(1, -1).reshape(-1, k)
    return _Cells(scores, marks.movedim(1, -1).reshape(-1, k), w, sums)


@dataclass(frozen=True)
class KeptLabels(KeptScores):
    """Every score with its mark: ``scores`` [n, k], ``marks`` int8, ``weights`` [n, k]."""

    k: int
    are_apart: ClassVar[bool] = True

    def empty(self, device: Any) -> Tally:
        return no_rows(device, "scores", "marks", "weights")

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        cells = _read(preds, target, weights, self.k, self.ignore_index)
        scores = cells.scores.clone(memory_format=torch.contiguous_format)
        w = cells.weights
        if w is None:  # one byte in all, until batches with weights are joined to it
            w = torch.ones((), dtype=torch.uint8, device=scores.device).expand(scores.shape)
        kept = {"scores": [scores], "marks": [cells.marks.to(torch.int8)], "weights": [w]}
        return Tally(cells.sums, kept, scores.dtype)

    def curves(self, tally: Tally) -> Iterator[Any]:
        """The curve of each label over the rows where it counts."""
        scores, marks, weights = (tally.joined(name) for name in ("scores", "marks", "weights"))
        for i in range(self.k):
            yield from curves_of(self._column(scores[:, i], marks[:, i], weights[:, i]), _TWO)

    def pooled(self, tally: Tally) -> Tally:
        """All cells that count as rows of two classes."""
        return self._column(*(tally.joined(name) for name in ("scores", "marks", "weights")))

    def _column(self, scores: Tensor, marks: Tensor, weights: Tensor) -> Tally:
        counted = marks >= 0
        names = ("scores", "classes", "weights")
        parts = (scores[counted], marks[counted].to(torch.int16), weights[counted])
        return Tally({}, {name: [part] for name, part in zip(names, parts, strict=True)})


_TWO = KeptScores(None, None, None)


@dataclass(frozen=True)
class BinnedLabels(BinnedScores):
    """Rows by label, by whether they have it, and by how many thresholds they reach."""

    k: int

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        cells = _read(preds, target, weights, self.k, self.ignore_index)
        k, width = self.k, len(self.thresholds.values) + 1
        columns = torch.arange(k, device=cells.marks.device)
        index = self._reached(cells.scores) + (columns * 2 + cells.marks.clamp(min=0)) * width
        size = k * 2 * width
        index = torch.where(cells.marks < 0, size, index).reshape(-1)
        w = None if cells.weights is None else cells.weights.reshape(-1)
        bins = add_up(index, size + 1, w)[0][:size].reshape(k, 2, width)
        return Tally({"bins": bins, **cells.sums}, dtype=cells.scores.dtype)


def _pooled(tally: Tally, need: Any) -> tuple[Tally, Need]:
    """The cells of all labels as rows of two classes."""
    if isinstance(need, KeptLabels):
        return need.pooled(tally), _TWO
    bins = tally.sums["bins"].sum(0, keepdim=True)
    return Tally({"bins": bins}, place=tally.device), replace(need, k=None)


def labels_auroc(tally: Tally, need: Need, *, average: str | None = None) -> Tensor:
    """Area under the ROC curve of each label, of all cells, or its mean over the labels."""
    if average == "micro":
        return auroc(*_pooled(tally, need))
    return auroc(tally, need, average=average)


def labels_average_precision(tally: Tally, need: Need, *, average: str | None = None) -> Tensor:
    """Precision averaged over steps of recall, likewise."""
    if average == "micro":
        return average_precision(*_pooled(tally, need))
    return average_precision(tally, need, average=average)


@dataclass(frozen=True)
class Ranked:
    """A measure of each row added up: ``measure`` float64 [], and ``total`` rows or weight.

    A label that is ignored stands last and is not true, as in torchmetrics.

    Attributes:
        k: number of labels.
        measure: "coverage", "precision" or "loss".
    """

    k: int
    ignore_index: int | None
    measure: str

    def empty(self, device: Any) -> Tally:
        zero = torch.zeros((), device=device)
        wide = zero if str(device).startswith("mps") else zero.double()
        total = torch.zeros((), dtype=torch.int64, device=device)
        return Tally({"measure": wide, "total": total}, place=device, n_batches=0)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        check_labels(preds, target, self.k)
        cells = _read(preds, target, None, self.k, self.ignore_index)
        places = target.new_zeros((len(target), *target.shape[2:]))
        w = sound(flat_weights(weights, places))
        values, is_defined = self._values(cells)
        rows = torch.ones_like(is_defined, dtype=torch.int64) if w is None else w
        total = rows.sum()
        if self.measure == "loss":
            # A batch without a pair counts as one row there.
            total = torch.where(is_defined.any(), total, torch.ones_like(total))
            total = total if len(rows) else torch.zeros_like(total)
        sums = {"measure": (values * rows).sum(), "total": total, **cells.sums}
        return Tally(sums, dtype=torch.float32)

    def _values(self, cells: _Cells) -> tuple[Tensor, Tensor]:
        """float64[n] of each row, and whether it has true and other labels."""
        is_true, is_out = cells.marks == 1, cells.marks < 0
        scores = cells.scores
        if scores.dtype in (torch.float16, torch.bfloat16):
            scores = scores.float()
        scores = torch.where(is_out, -1.0, scores)
        n_true = is_true.sum(1)
        above, tied, true_within, before = (
            _places(scores, is_true) if is_native(scores) else _places_there(scores, is_true)
        )
        n_true_wide = n_true.double() if scores.device.type != "mps" else n_true.float()
        last = above + tied
        has_pairs = (n_true > 0) & (n_true < self.k)
        if self.measure == "coverage":
            found = torch.where(is_true, last, 0).amax(1).to(n_true_wide.dtype)
            return torch.where(is_out.any(1), float(self.k), found), has_pairs
        if self.measure == "precision":
            share = torch.where(is_true, true_within / last.clamp(min=1), 0.0).sum(1)
            return torch.where(has_pairs, share / n_true_wide.clamp(min=1), 1.0), has_pairs
        # Of equal scores the last label stands first.
        place = torch.where(is_true, last - before, 0).sum(1)
        wrong = place - n_true * (n_true + 1) // 2
        loss = wrong / (n_true * (self.k - n_true)).clamp(min=1)
        return torch.where(has_pairs, loss.to(n_true_wide.dtype), 0.0), has_pairs


def _places(scores: Tensor, is_true: Tensor) -> tuple[Tensor, ...]:
    """int64[n, k] each of the true cells: labels above, tied, true ones of both, tied before."""
    sets = Sets.of_matrix(is_true.numpy())
    found = LabelScores(np.ascontiguousarray(scores.numpy()), "scores")
    places = found.places(sets, None, scores.shape[1])
    labels = RankedLabels(sets, places, np.full(len(sets), scores.shape[1]), scores.shape[1])
    rows, items = torch.from_numpy(labels.rows), torch.from_numpy(sets.items.astype(np.int64))
    parts = []
    for own in (places.above, places.tied, places.above_true + places.tied_true, places.before):
        part = torch.zeros(scores.shape, dtype=torch.int64)
        part[rows, items] = torch.from_numpy(own.astype(np.int64))
        parts.append(part)
    return tuple(parts)


def _places_there(scores: Tensor, is_true: Tensor) -> tuple[Tensor, ...]:
    """The same of every cell, where the scores lie."""
    k = scores.shape[1]
    ordered, scores = scores.sort(1).values.contiguous(), scores.contiguous()
    up_to = torch.searchsorted(ordered, scores, right=True)
    below = torch.searchsorted(ordered, scores)
    own = torch.where(is_true, scores, -torch.inf).sort(1).values.contiguous()
    before = scores.argsort(dim=1, stable=True).argsort(dim=1) - below
    return k - up_to, up_to - below, k - torch.searchsorted(own, scores), before


def ranked(tally: Tally, need: Need) -> Tensor:  # noqa: ARG001
    """The mean of a measure over the rows; NaN without rows."""
    measure, total = (float(tally.sums[name]) for name in ("measure", "total"))
    return number(measure / total if total else np.nan, tally)
