"""Areas, calibration errors and hinge losses, from what was counted or kept of the scores."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from karat import _native
from karat.compat.torchmetrics.labels import Need, number
from karat.compat.torchmetrics.reading import NATIVE_DEVICES, is_native
from karat.compat.torchmetrics.score_needs import BinnedScores
from karat.compat.torchmetrics.tally import Tally, refused
from karat.data.scores.matrix import Columns
from karat.data.scores.ranking import rank
from karat.errors import UndefinedWarning
from karat.metrics._views import ClassRanks

__all__ = ["Curve", "auroc", "average_precision", "calibration_error", "curves_of", "hinge_loss"]

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
    """Return a curve computed by karat's catalog."""

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


_NO_NEGATIVES = (
    "No negative samples in targets, false positive value should be meaningless. "
    "Returning zero tensor in false positive score"
)
_NO_POSITIVES = (
    "No positive samples in targets, true positive value should be meaningless. "
    "Returning zero tensor in true positive score"
)
_NO_RECALL = (
    "No positive samples found in target, recall is undefined. "
    "Setting recall to one for all thresholds."
)


def auroc(
    tally: Tally, need: Need, *, average: str | None = None, max_fpr: float | None = None
) -> Tensor:
    """Area under the ROC curve; 0 for a class with rows of one side only, as in torchmetrics."""
    if isinstance(need, BinnedScores):
        tps, fps, pos, neg = _above(tally, need)
        tpr, fpr = _shares(tps, pos, 0.0)[:, ::-1], _shares(fps, neg, 0.0)[:, ::-1]
        areas = [_area(x, y, max_fpr) for x, y in zip(fpr, tpr, strict=True)]
        return number(_averaged(np.array(areas), pos, average, need), tally)
    found, weights, lacking = [], [], set()
    for curve in curves_of(tally, need):
        weights.append(curve.pos)
        if curve.pos > 0 and curve.neg > 0:
            is_whole = max_fpr is None or max_fpr == 1
            found.append(curve.area() if is_whole else _area(*curve.roc(), max_fpr))
            continue
        found.append(0.0)
        lacking |= {_NO_POSITIVES} if not curve.pos > 0 else set()
        lacking |= {_NO_NEGATIVES} if not curve.neg > 0 else set()
    for text in sorted(lacking):
        warnings.warn(text, UndefinedWarning, stacklevel=2)
    return number(_averaged(np.array(found), np.array(weights), average, need), tally)


def average_precision(tally: Tally, need: Need, *, average: str | None = None) -> Tensor:
    """Precision averaged over steps of recall; NaN for an absent class, which averages leave out.

    0 where the scores are binned, there are two classes, or every row is of class 0.
    """
    if isinstance(need, BinnedScores):
        tps, fps, pos, _ = _above(tally, need)
        end = np.ones((len(tps), 1))
        precision = np.hstack([_shares(tps, tps + fps, 0.0), end])
        recall = np.hstack([_shares(tps, pos[:, None], 0.0), 0.0 * end])
        steps = (recall[:, :-1] - recall[:, 1:]) * precision[:, :-1]
        return number(_averaged(steps.sum(axis=1), pos, average, need), tally)
    curves = list(curves_of(tally, need))
    pos = np.array([curve.pos for curve in curves])
    is_only_first = not pos.any() if len(curves) == 1 else not pos[1:].any()
    if is_only_first:
        warnings.warn(_NO_RECALL, UndefinedWarning, stacklevel=2)
    absent = 0.0 if is_only_first else np.nan
    found = [curve.step_area() if curve.pos > 0 else absent for curve in curves]
    return number(_averaged(np.array(found), pos, average, need), tally)


def calibration_error(tally: Tally, need: Need, *, norm: str = "l1") -> Tensor:  # noqa: ARG001
    """Distance of confidence from the share of hits, over bins of confidence."""
    weight, confidence, hits = tally.sums["bins"].cpu().double().numpy()
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.abs(np.nan_to_num(hits / weight) - np.nan_to_num(confidence / weight))
        shares = weight / weight.sum()
    if norm == "l1":
        value = (gap * shares).sum()
    elif norm == "l2":
        value = np.sqrt((gap**2 * shares).sum())
    else:
        value = gap.max()
    return number(value, tally, tally.dtype or torch.float32)


def hinge_loss(tally: Tally, need: Need, *, of_batches: bool = False) -> Tensor:  # noqa: ARG001
    """Mean hinge loss, of each class where every one has its own.

    In the type of the scores; of batches in float32, as torchmetrics' metric keeps it.
    """
    found = tally.sums["measures"] / tally.sums["total"]
    return found.to(torch.float32 if of_batches or tally.dtype is None else tally.dtype)


def _above(tally: Tally, need: BinnedScores) -> tuple[Floats, Floats, Floats, Floats]:
    """True and false positives [k, t] of the thresholds as given, and rows of both sides [k, 1]."""
    bins = tally.sums["bins"].cpu().numpy().astype(np.float64)
    above = bins[:, :, ::-1].cumsum(axis=2)[:, :, -2::-1]
    order = np.argsort(np.array(need.thresholds.values), kind="stable")
    placed = np.empty_like(above)
    placed[:, :, order] = above
    totals = bins.sum(axis=2)
    return placed[:, 1], placed[:, 0], totals[:, 1], totals[:, 0]


def _shares(part: Floats, whole: Floats, otherwise: float) -> Floats:
    wide = np.broadcast_to(whole if whole.ndim == 2 else whole[:, None], part.shape)
    found: Floats = np.where(wide != 0, part / np.where(wide != 0, wide, 1.0), otherwise)
    return found


def _area(fpr: Floats, tpr: Floats, max_fpr: float | None) -> float:
    """Trapezoidal area in the order given; up to `max_fpr`, standardised as by McClish."""
    if max_fpr is None or max_fpr == 1 or not fpr.sum() or not tpr.sum():
        return float(np.trapezoid(tpr, fpr))
    stop = int(np.searchsorted(fpr, max_fpr, side="right"))
    if stop == len(fpr):
        found = f"The curve ends at a false positive rate of {fpr[-1]:.3g}, below max_fpr={max_fpr}"
        raise refused("An area", found, "Give lower thresholds, or none, or a smaller max_fpr.")
    span = fpr[stop] - fpr[stop - 1]
    weight = (max_fpr - fpr[stop - 1]) / span
    last = tpr[stop - 1] + weight * (tpr[stop] - tpr[stop - 1])
    area = np.trapezoid([*tpr[:stop], last], [*fpr[:stop], max_fpr])
    least = 0.5 * max_fpr**2
    return float(0.5 * (1.0 + (area - least) / (max_fpr - least)))


def _averaged(values: Floats, weights: Any, average: str | None, need: Any) -> Any:
    if need.k is None:
        return values[0]
    if average in (None, "none"):
        return values
    is_known = ~np.isnan(values)
    if not is_known.all():
        text = (
            "Average precision score for one or more classes was `nan`. "
            f"Ignoring these classes in {average}-average"
        )
        warnings.warn(text, UndefinedWarning, stacklevel=3)
    known = values[is_known]
    if average == "macro":
        return known.mean() if len(known) else np.nan
    total = weights[is_known].sum()
    return (known * weights[is_known]).sum() / total if total else 0.0
