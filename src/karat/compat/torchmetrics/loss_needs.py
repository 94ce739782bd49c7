"""What metrics of probabilities need: sums between edges of confidence, sums of margins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from karat.compat.torchmetrics.counting import add_up
from karat.compat.torchmetrics.score_needs import Rows, Scores
from karat.compat.torchmetrics.tally import Tally

__all__ = ["Confidences", "Margins"]


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
