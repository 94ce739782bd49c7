"""What metrics of rankings need: scores counted between thresholds, or every score as it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from karat.compat.torchmetrics.counting import add_up, refuse_rows, refused_rows
from karat.compat.torchmetrics.reading import (
    check_same_shape,
    class_scores,
    flat_weights,
    is_native,
    kept_rows,
    probabilities,
    whole,
)
from karat.compat.torchmetrics.refusal import refused
from karat.compat.torchmetrics.tally import REFUSED, Tally

__all__ = ["BinnedScores", "KeptScores", "Rows", "Scores", "Thresholds", "thresholds_of"]


@dataclass(frozen=True)
class Thresholds:
    """Given thresholds, in the order and type in which they were given.

    Attributes:
        is_even: whether they were given as a number of them.
    """

    values: tuple[float, ...]
    dtype: Any
    is_even: bool = False

    def tensor(self, device: Any) -> Tensor:
        """float[t], as given."""
        return _on(self, torch.device(device))


def thresholds_of(given: Any) -> Thresholds | None:
    """Thresholds from a number of them, evenly from 0 to 1, a list or a tensor."""
    if given is None:
        return None
    if isinstance(given, int):
        tensor = torch.linspace(0, 1, given)
    elif isinstance(given, list):
        tensor = torch.tensor(given)
    else:
        tensor = given.detach().cpu()
    return Thresholds(tuple(tensor.tolist()), tensor.dtype, isinstance(given, int))


@lru_cache(maxsize=64)
def _on(thresholds: Thresholds, device: Any) -> Tensor:
    with torch.inference_mode(False):
        return torch.tensor(thresholds.values, dtype=thresholds.dtype, device=device)


@lru_cache(maxsize=64)
def _sorted_on(thresholds: Thresholds, dtype: Any, device: Any) -> Tensor:
    with torch.inference_mode(False):
        return _on(thresholds, device).to(dtype).sort().values


@dataclass(frozen=True)
class Rows:
    """Scores float[n] or [n, k], classes int64[n] (−1: does not count), weights, refused rows."""

    scores: Tensor
    classes: Tensor
    weights: Tensor | None
    sums: dict[str, Tensor]


@dataclass(frozen=True)
class Scores:
    """How rows of scores are read.

    Attributes:
        k: number of classes; None: two, with one score for each row.
        kind: how logits become probabilities.
    """

    k: int | None
    ignore_index: int | None
    kind: str | None

    def read(self, preds: Tensor, target: Tensor, weights: Any) -> Rows:
        """Scores and classes; a row that does not count, or cannot, is of no class: −1."""
        if not preds.is_floating_point():
            found = f"preds is {preds.dtype}"
            raise refused("preds", found, "Give scores or probabilities as floats.")
        if self.k is None:
            check_same_shape(preds, target)
            scores = preds.detach().reshape(-1)
        else:
            scores = class_scores(preds, target, self.k)
        k = self.k or 2
        kept, w = kept_rows(target, self.ignore_index), flat_weights(weights, target)
        labels = whole(target.reshape(-1))
        classes = labels.labels.long()
        kept = None if kept is None else kept.reshape(-1)
        if is_native(target):
            refuse_rows(labels, "target", k, kept)
            if kept is not None:
                scores, classes = scores[kept], classes[kept]
                w = None if w is None else w[kept]
            return Rows(probabilities(scores, self.kind), classes, w, {})
        scores = probabilities(scores, self.kind, kept)
        is_nan = scores.isnan() if scores.ndim == 1 else scores.isnan().any(1)
        counted = torch.ones_like(is_nan) if kept is None else kept
        bad_true = counted & ((classes < 0) | (classes >= k))
        if labels.broken is not None:
            bad_true = bad_true | (counted & labels.broken)
        bad_pred = counted & is_nan
        found_sums = {REFUSED: refused_rows(bad_true, bad_pred & ~bad_true, w)}
        classes = torch.where(counted & ~bad_true & ~bad_pred, classes, -1)
        if w is not None:
            w = torch.where((w >= 0) & ~w.isinf(), w, 0.0)
        return Rows(scores, classes, w, found_sums)


@dataclass(frozen=True)
class BinnedScores(Scores):
    """Rows by class, by whether they are of it, and by how many thresholds they reach.

    ``bins``: int64[k, 2, t + 1], or [1, 2, t + 1] of two classes with one score.
    """

    thresholds: Thresholds

    def empty(self, device: Any) -> Tally:
        """The tally of no rows."""
        shape = (self.k or 1, 2, len(self.thresholds.values) + 1)
        zeros = torch.zeros(shape, dtype=torch.int64, device=device)
        return Tally({"bins": zeros}, place=device, n_batches=0)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        """One search and one count for each score: n·k·log t, not n·k·t."""
        rows = self.read(preds, target, weights)
        width = len(self.thresholds.values) + 1
        reached = self._reached(rows.scores)
        k, w = self.k or 1, rows.weights
        if self.k is None:
            side = rows.classes
        else:
            columns = torch.arange(k, device=reached.device)
            side = (rows.classes[:, None] == columns).long()
            reached = reached + columns * (2 * width)
            w = None if w is None else w[:, None].expand(-1, k).reshape(-1)
        index, size = (reached + side * width).reshape(-1), k * 2 * width
        if rows.sums:
            is_out = (rows.classes < 0)[:, None].expand(-1, k).reshape(-1)
            index = torch.where(is_out, size, index)
        bins = add_up(index, size + 1, w)[0][:size].reshape(k, 2, width)
        return Tally({"bins": bins, **rows.sums}, dtype=rows.scores.dtype)

    def _reached(self, scores: Tensor) -> Tensor:
        """int64, shape of scores: how many thresholds each is at or above."""
        dtype = torch.promote_types(scores.dtype, self.thresholds.dtype)
        wide = scores.to(dtype)
        if self.thresholds.is_even and self.kind is not None and is_native(scores):
            return torch.from_numpy(_evenly(wide.numpy(), _fenced(self.thresholds, dtype)))
        edges = _sorted_on(self.thresholds, dtype, scores.device)
        return torch.bucketize(wide.contiguous(), edges, right=True)


def _evenly(scores: npt.NDArray[Any], edges: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """How many even edges probabilities reach: computed, then put right by one where it rounded.

    Args:
        edges: t edges between −∞ and ∞.
    """
    computed = scores * scores.dtype.type(len(edges) - 3)
    reached: npt.NDArray[np.int64] = computed.astype(np.int64)
    reached += 1
    reached += scores >= edges.take(reached + 1)
    reached -= scores < edges.take(reached)
    return reached


@lru_cache(maxsize=64)
def _fenced(thresholds: Thresholds, dtype: Any) -> npt.NDArray[Any]:
    edges = _sorted_on(thresholds, dtype, torch.device("cpu")).numpy()
    return np.concatenate([[-np.inf], edges, [np.inf]]).astype(edges.dtype)


@dataclass(frozen=True)
class KeptScores(Scores):
    """Every score with its class: ``scores`` in their own type, ``classes``, ``weights``.

    Weights that were not given are one byte, 1, for all rows of a batch.
    """

    def empty(self, device: Any) -> Tally:
        """The tally of no rows."""
        kept: dict[str, list[Tensor]] = {"scores": [], "classes": [], "weights": []}
        return Tally(rows=kept, place=device, n_batches=0)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        """Copies, so that neither a graph nor a larger tensor is kept alive."""
        rows = self.read(preds, target, weights)
        small = torch.int16 if (self.k or 2) < 1 << 15 else torch.int32
        scores = rows.scores.clone(memory_format=torch.contiguous_format)
        w = rows.weights
        if w is None:  # one byte in all, until batches with weights are joined to it
            w = torch.ones((), dtype=torch.uint8, device=scores.device).expand(len(scores))
        kept = {"scores": [scores], "classes": [rows.classes.to(small)], "weights": [w]}
        return Tally(rows.sums, kept, rows.scores.dtype)
