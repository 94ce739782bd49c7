"""What metrics of scores need: counts between thresholds, every score, or sums of losses."""

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
from karat.compat.torchmetrics.tally import REFUSED, Tally, refused

__all__ = [
    "BinnedScores",
    "Confidences",
    "KeptScores",
    "Margins",
    "Rows",
    "Scores",
    "Thresholds",
    "thresholds_of",
]


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


def _wide(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.device.type == "mps" else tensor.double()


@dataclass(frozen=True)
class Confidences(Scores):
    """Rows by confidence, [lo, hi): their weight, confidence and hits, ``bins`` float64[3, b + 1].

    Confidence 1 has a bin of its own, as in torchmetrics. Of two classes with one score the
    confidence is the probability of class 1, and a row of class 1 is a hit.
    """

    n_bins: int

    def empty(self, device: Any) -> Tally:
        """The tally of no rows."""
        zeros = torch.zeros((3, self.n_bins + 1), device=device)
        return Tally({"bins": _wide(zeros)}, place=device, n_batches=0)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        """One search for each row; nothing is kept of the rows."""
        rows = self.read(preds, target, weights)
        if self.k is None:
            confidence, hit = rows.scores, rows.classes
        else:
            best = rows.scores.max(dim=1)
            confidence, hit = best.values.float(), best.indices == rows.classes
        edges = torch.linspace(
            0, 1, self.n_bins + 1, dtype=confidence.dtype, device=confidence.device
        )
        index = torch.bucketize(confidence.contiguous(), edges, right=True) - 1
        size = self.n_bins + 1
        index = torch.where(rows.classes < 0, size, index)
        confidence = _wide(confidence)
        w = torch.ones_like(confidence) if rows.weights is None else rows.weights
        sums = [part[:size] for part in add_up(index, size + 1, w, w * confidence, w * hit)]
        dtype = preds.dtype if self.k is None else torch.float32
        return Tally({"bins": torch.stack(sums), **rows.sums}, dtype=dtype)


@dataclass(frozen=True)
class Margins(Scores):
    """Hinge losses added up: ``measures`` float64 [] or [k], and ``total`` rows or weight.

    Attributes:
        is_each: whether every class has a loss of its own, against the rest.
    """

    squared: bool
    is_each: bool

    def empty(self, device: Any) -> Tally:
        """The tally of no rows."""
        zeros = torch.zeros(self.k or 1 if self.is_each else (), device=device)
        total = torch.zeros((), dtype=torch.int64, device=device)
        return Tally({"measures": _wide(zeros), "total": total}, place=device, n_batches=0)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        """One pass over the scores."""
        rows = self.read(preds, target, weights)
        losses = (1.0 - self._margins(rows)).clamp(min=0.0)
        if self.squared:
            losses = losses * losses
        counts = rows.classes >= 0
        w = counts if rows.weights is None else rows.weights * counts
        if losses.ndim == 2:
            counts, w = counts[:, None], w[:, None]
        measures = (torch.where(counts, losses, 0.0) * w).sum(dim=0)
        sums = {"measures": measures, "total": w.sum(), **rows.sums}
        return Tally(sums, dtype=rows.scores.dtype)

    def _margins(self, rows: Rows) -> Tensor:
        """float64[n] or [n, k]: how far the true side is ahead."""
        scores, classes = _wide(rows.scores), rows.classes.clamp(min=0)
        if self.k is None:
            return torch.where(classes == 1, scores, -scores)
        own = classes[:, None]
        if self.is_each:
            columns = torch.arange(self.k, device=scores.device)
            return torch.where(own == columns, scores, -scores)
        others = scores.scatter(1, own, -torch.inf).max(dim=1).values
        return scores.gather(1, own)[:, 0] - others
