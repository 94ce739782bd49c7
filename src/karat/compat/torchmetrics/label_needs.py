"""What metrics of labels need: rows by true and predicted class, of all rows or of each sample.

A need is data. Two metrics whose needs are equal share one tally.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from karat.compat.torchmetrics.counting import count_by_sample, count_cells, count_hits
from karat.compat.torchmetrics.reading import (
    Whole,
    check_same_shape,
    check_samples,
    classes_of,
    flat_weights,
    kept_rows,
    predicted,
    probabilities,
    whole,
)
from karat.compat.torchmetrics.tally import Tally, refused

__all__ = ["BinaryCells", "ClassCells", "Hits", "Need"]


class Need(Protocol):
    """Which tally a metric reads: frozen, compared by value."""

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
        """The tally of no rows."""
        return _empty(2, self.samplewise, device)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        """Rows by true class and by the side of the threshold."""
        check_same_shape(preds, target)
        if self.samplewise:
            check_samples(target)
        kept = kept_rows(target, self.ignore_index)
        w = flat_weights(weights, target)
        return _counted(whole(target), self._predicted(preds, kept), 2, kept, w, self.samplewise)

    def _predicted(self, preds: Tensor, kept: Tensor | None) -> Whole:
        if not preds.is_floating_point():
            return whole(preds)
        scores = preds.detach().reshape(-1)
        is_nan = scores.isnan()
        if kept is not None and not self.decides_by_all:
            # 0.5 decides nothing, whichever kind the scores are.
            scores = torch.where(kept.reshape(-1), scores, 0.5)
        side = probabilities(torch.where(is_nan, 0.5, scores), "sigmoid") > self.threshold
        shape = preds.shape
        return Whole(side.reshape(shape), is_nan.reshape(shape), "a score that is NaN")


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
        """The tally of no rows."""
        return _empty(self.k, self.samplewise, device)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        """Rows by true and predicted class."""
        if self.samplewise:
            check_samples(target)
        if classes_of(preds, target, self.k):
            found = predicted(preds, target, self.top_k)
        else:
            found = _labels(preds, self.top_k)
        kept = kept_rows(target, self.ignore_index)
        w = flat_weights(weights, target)
        return _counted(whole(target), found, self.k, kept, w, self.samplewise)


@dataclass(frozen=True)
class Hits:
    """Any number of classes: only rows predicted rightly and rows in all, ``hits`` [2]."""

    ignore_index: int | None

    def empty(self, device: Any) -> Tally:
        """The tally of no rows."""
        zeros = torch.zeros(2, dtype=torch.int64, device=device)
        return Tally({"hits": zeros}, place=device, n_batches=0)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        """Rows whose predicted label equals the true one."""
        is_scored = classes_of(preds, target, None)
        found = predicted(preds, target, 1) if is_scored else Whole(preds.detach())
        kept = kept_rows(target, self.ignore_index)
        return Tally(count_hits(target.detach(), found, kept, flat_weights(weights, target)))


def _empty(k: int, samplewise: bool, device: Any) -> Tally:
    if samplewise:
        return Tally(rows={"samples": []}, place=device, n_batches=0)
    zeros = torch.zeros((k, k), dtype=torch.int64, device=device)
    return Tally({"cells": zeros}, place=device, n_batches=0)


def _labels(preds: Tensor, top_k: int) -> Whole:
    if top_k == 1:
        return whole(preds)
    found = f"preds holds labels, of which the best {top_k} cannot be taken"
    raise refused("preds", found, "Give scores of classes: [n, k, …].")


def _counted(
    true: Whole, pred: Whole, k: int, kept: Tensor | None, weights: Tensor | None, samplewise: bool
) -> Tally:
    if not samplewise:
        return Tally(count_cells(true, pred, k, kept, weights))
    samples, sums = count_by_sample(true, pred, k, kept, weights)
    return Tally(sums, {"samples": [samples]})
