"""Kept scores in their order: karat's ranking where it reads the memory, a sort on devices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from karat import _native
from karat.compat.torchmetrics.reading import NATIVE_DEVICES, is_native
from karat.compat.torchmetrics.tally import Tally, refused
from karat.data.scores.matrix import Columns
from karat.data.scores.ranking import rank
from karat.metrics._views import ClassRanks

__all__ = ["Curve", "curves_of"]

Floats = npt.NDArray[np.float64]


class Curve(Protocol):
    """One class against the rest, by its scores.

    Attributes:
        pos, neg: weight of the rows of the class, and of the others.
    """

    pos: float
    neg: float

    def area(self) -> float:
        """Chance that a row of the class scores above another; ties count half."""

    def step_area(self) -> float:
        """Precision averaged over the steps of recall."""

    def roc(self) -> tuple[Floats, Floats]:
        """False and true positive rates, from (0, 0) to (1, 1)."""


def curves_of(tally: Tally, need: Any) -> Iterator[Curve]:
    """The curve of each class, or of class 1 where there is one score for each row.

    Errors:
        K621 no row was counted.

    Cost: a sort of n rows for each class.
    """
    scores, classes = tally.joined("scores"), tally.joined("classes")
    weights: Tensor | None = tally.joined("weights")
    if weights is not None and not weights.is_floating_point():
        weights = None
    is_ours = is_native(scores) or scores.device.type == "mps"
    if is_ours and "cpu" in NATIVE_DEVICES:
        scores, classes = scores.cpu(), classes.cpu()
        weights = None if weights is None else weights.cpu()
    if bool((classes < 0).any()):  # rows that a device kept beside those that count
        counted = classes >= 0
        scores, classes = scores[counted], classes[counted]
        weights = None if weights is None else weights[counted]
    if not len(classes):
        raise refused("A metric", "No row was counted", "Give at least one row.")
    if scores.dtype in (torch.float16, torch.bfloat16):
        scores = scores.float()
    owners = [1] if need.k is None else range(need.k)
    if not is_native(scores):
        columns = scores[:, None] if scores.ndim == 1 else scores
        for i, own in enumerate(owners):
            yield _Sorted(columns[:, i], classes == own, weights)
        return
    codes = classes.to(torch.int32).numpy()
    w = None if weights is None else weights.double().numpy()
    values = scores.numpy()
    cut = Columns(values if values.ndim == 2 else values[:, None])
    for i, own in enumerate(owners):
        try:
            yield _Ranked(ClassRanks(rank(cut[i], codes, own, need.k or 2, w)))
        except _native.Rejected:
            found = f"Scores of class {own} are NaN or infinite"
            raise refused("preds", found, "Give finite scores.") from None


class _Ranked:
    """A curve of karat's engine and catalogue."""

    def __init__(self, ranks: ClassRanks) -> None:
        self._ranks = ranks
        self.pos, self.neg = ranks.n_pos, ranks.n_neg

    def area(self) -> float:
        return self._ranks.area

    def step_area(self) -> float:
        return self._ranks.step_area

    def roc(self) -> tuple[Floats, Floats]:
        _, tps, fps = self._ranks.curve
        return np.append(0.0, fps / self.neg), np.append(0.0, tps / self.pos)


class _Sorted:
    """A curve that is sorted and added up where its scores lie; counts stay whole."""

    def __init__(self, scores: Tensor, is_own: Tensor, weights: Tensor | None) -> None:
        order = torch.argsort(scores, descending=True)
        ordered, own = scores[order], is_own[order]
        is_last = torch.ones_like(own)
        is_last[:-1] = ordered[1:] != ordered[:-1]
        w = torch.ones_like(own, dtype=torch.int64) if weights is None else weights[order]
        self._tps = torch.where(own, w, 0).cumsum(0)[is_last]
        self._fps = torch.where(own, 0, w).cumsum(0)[is_last]
        self.pos, self.neg = float(self._tps[-1]), float(self._fps[-1])

    def area(self) -> float:
        start = self._tps.new_zeros(1)
        tps, fps = torch.cat([start, self._tps]), torch.cat([start, self._fps])
        doubled = (fps.diff() * (tps[1:] + tps[:-1])).sum()
        return float(doubled) / (2.0 * self.pos * self.neg)

    def step_area(self) -> float:
        gained = self._tps.diff(prepend=self._tps.new_zeros(1)).double()
        above = (self._tps + self._fps).double()
        # Rows of weight 0 may stand before all others.
        precision = torch.where(above > 0, self._tps / above, 0.0)
        return float((gained * precision).sum()) / self.pos

    def roc(self) -> tuple[Floats, Floats]:
        tps, fps = (part.double().cpu().numpy() for part in (self._tps, self._fps))
        return np.append(0.0, fps / self.neg), np.append(0.0, tps / self.pos)
