"""Pairs of true and predicted classes, counted on a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from karat.data.sources.torch.score_histograms import counted, summed
from karat.data.sources.torch.tensors import Tensor, torch
from karat.tally.algebra import merge
from karat.tally.cells import Cells
from karat.tally.classes import Classes, Label

_DENSE_K_MAX: Final = 2048
_BLOCK: Final = 1 << 24
"""Number of rows counted at once, which determines temporary memory."""


class Coder:
    """Encoder of labels as classes, on one device.

    Args:
        labels: the classes in order: whole numbers of 64 bits, or booleans.
    """

    def __init__(self, labels: Sequence[Label], device: Any) -> None:
        numbers = [int(label) for label in labels]
        self._k = len(numbers)
        self._first = numbers[0]
        self._is_counted = numbers == list(range(numbers[0], numbers[0] + self._k))
        if not self._is_counted:
            order = sorted(range(self._k), key=numbers.__getitem__)
            made = {"dtype": torch().int64, "device": device}
            self._sorted = torch().tensor([numbers[i] for i in order], **made)
            self._order = torch().tensor(order, **made)

    def codes(self, labels: Tensor) -> tuple[Tensor, Tensor]:
        """int64[n], the classes of labels int64[n], and bool[n], whether they are not classes.

        An invalid label gets an arbitrary class, so that no index is out of bounds.
        """
        if self._is_counted:
            places, outside = self.places(labels)
            return places.clamp(0, self._k - 1), outside
        places = torch().searchsorted(self._sorted, labels).clamp_(max=self._k - 1)
        return self._order[places], self._sorted[places] != labels

    def places(self, labels: Tensor) -> tuple[Tensor, Tensor]:
        """Return `codes`, but with arbitrary numbers for invalid labels, which saves a pass."""
        if not self._is_counted:
            return self.codes(labels)
        places = labels - self._first if self._first else labels
        return places, (places < 0).logical_or_(places >= self._k)


def whole(labels: Tensor) -> Tensor:
    """int64[n] of labels of any dtype; values that are not whole become arbitrary numbers."""
    return labels.to(torch().int64)


class LabelTally:
    """Counts, or Σw and Σw², on one device."""

    def __init__(self, classes: Classes, device: Any, *, is_weighted: bool) -> None:
        self.classes = classes
        self.is_weighted = is_weighted
        self._n_rows = 0
        self._wide: Cells | None = None
        self._parts: list[Tensor] = []
        if classes.k <= _DENSE_K_MAX:
            dtype = torch().float64 if is_weighted else torch().int64
            n_parts = 2 if is_weighted else 1
            size = classes.k**2
            self._parts = [torch().zeros(size, dtype=dtype, device=device) for _ in range(n_parts)]

    def add(self, true: Tensor, pred: Tensor, weights: Tensor | None) -> None:
        """Add rows of the classes int64[n], with weights float64[n] or None.

        Numbers that are not classes are ignored, or counted anywhere.
        """
        n, k = int(true.shape[0]), self.classes.k
        wide, parts = self._wide, self._parts
        for first in range(0, n, _BLOCK):
            part = slice(first, first + _BLOCK)
            pairs = torch().add(pred[part], true[part], alpha=k)
            if parts and weights is None:
                made = [counted(pairs, k * k, may_be_outside=True)]
            else:
                pairs.clamp_(0, k * k - 1)
                held = None if weights is None else weights[part]
                if held is None or not parts:
                    cells = self._occupied(pairs, held)
                    wide = cells if wide is None else merge(wide, cells)
                    continue
                made = summed(pairs, k * k, held, held * held)
            parts = [total + one for total, one in zip(parts, made, strict=True)]
        # Only now, so that an interrupted count is not added.
        self._wide, self._parts, self._n_rows = wide, parts, self._n_rows + n

    def _occupied(self, pairs: Tensor, weights: Tensor | None) -> Cells:
        """Return occupied pairs of many classes, with synchronization."""
        found, place, counts = torch().unique(pairs, return_inverse=True, return_counts=True)
        squares = None
        if weights is not None:
            counts, squares = summed(place, int(found.shape[0]), weights, weights * weights)
        rows, cols = divmod(found.cpu().numpy(), self.classes.k)
        return Cells.sparse(
            rows,
            cols,
            counts.cpu().numpy(),
            classes=self.classes,
            squares=None if squares is None else squares.cpu().numpy(),
            n_rows=pairs.shape[0],
        )

    def cells(self) -> Cells:
        """Return the tally on the host, with synchronization."""
        if not self._parts:
            return self._wide or Cells.empty(self.classes, is_weighted=self.is_weighted)
        k = self.classes.k
        made = [part.cpu().numpy().reshape(k, k).copy() for part in self._parts]
        return Cells.dense(
            made[0],
            classes=self.classes,
            squares=made[1] if self.is_weighted else None,
            n_rows=self._n_rows,
        )
