"""Curves of each label over its scores, and what is read from them, with the points of the peer.

Points are float32 as in torchmetrics, and so is what compares them: which point is the best one
depends on it where points are close.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import numpy as np
import torch
from torch import Tensor

from karat.compat.torchmetrics.labels import Need, number
from karat.compat.torchmetrics.scores import (
    NO_NEGATIVES,
    NO_POSITIVES,
    NO_RECALL,
    BinnedScores,
    Floats,
    KeptScores,
    counts_above,
    ratios,
)
from karat.compat.torchmetrics.tally import Tally, refused
from karat.errors import UndefinedWarning

_Points: TypeAlias = Tensor | list[Tensor]
"""[k, t] where all labels have the same thresholds, else a tensor for each label."""
_Curves: TypeAlias = tuple[_Points, _Points, _Points]

_UNREACHED: Final = 1e6
"""The threshold where no point reaches the bound."""


def labels_roc(tally: Tally, need: Need) -> _Curves:
    """False and true positive rates, and thresholds from the highest."""
    if isinstance(need, BinnedScores):
        tps, fps, pos, neg = counts_above(tally, need)
        rates = [ratios(side, whole, 0.0)[:, ::-1] for side, whole in ((fps, neg), (tps, pos))]
        fpr, tpr = (number(own.copy(), tally) for own in rates)
        return fpr, tpr, _given_thresholds(tally, need).flip(0)
    found: tuple[list[Tensor], ...] = ([], [], [])
    for tps, fps, thresholds in _points(tally, need):
        begins = torch.ones(1, dtype=thresholds.dtype, device=thresholds.device)
        ends = torch.cat([begins, thresholds])
        for own, side, lacking in ((0, fps, NO_NEGATIVES), (1, tps, NO_POSITIVES)):
            if side[-1] > 0:
                found[own].append(number(np.append(0.0, side / side[-1]), tally))
            else:
                warnings.warn(lacking, UndefinedWarning, stacklevel=2)
                found[own].append(torch.zeros_like(ends))
        found[2].append(ends)
    return found[0], found[1], found[2]


def labels_precision_recall_curve(tally: Tally, need: Need) -> _Curves:
    """Precision and recall, which end at 1 and 0, and thresholds: as given, or from the lowest."""
    if isinstance(need, BinnedScores):
        tps, fps, pos, _ = counts_above(tally, need)
        end = np.ones((len(tps), 1))
        precision = np.hstack([ratios(tps, tps + fps, np.nan), end])
        recall = np.hstack([ratios(tps, pos, np.nan), 0.0 * end])
        return number(precision, tally), number(recall, tally), _given_thresholds(tally, need)
    found: tuple[list[Tensor], ...] = ([], [], [])
    for tps, fps, thresholds in _points(tally, need):
        recall = np.ones_like(tps)
        if tps[-1] > 0:
            recall = tps / tps[-1]
        else:
            warnings.warn(NO_RECALL, UndefinedWarning, stacklevel=2)
        found[0].append(number(np.append((tps / (tps + fps))[::-1], 1.0), tally))
        found[1].append(number(np.append(recall[::-1], 0.0), tally))
        found[2].append(thresholds.flip(0))
    return found[0], found[1], found[2]


def _points(tally: Tally, need: Need) -> Iterator[tuple[Floats, Floats, Tensor]]:
    """True and false positives of each label at each of its scores, from the highest one."""
    assert isinstance(need, KeptScores)
    dtype = tally.joined("scores").dtype
    for curve in need.curves(tally):
        thresholds, tps, fps = (np.asarray(own) for own in curve.curve)
        adds = np.diff(tps + fps, prepend=0) > 0  # rows of weight 0 are none
        if not adds.any():
            raise refused("A metric", "No row was counted", "Give at least one row.")
        # As floats: sums of counts are whole, and their ratio is rounded once.
        wide = tps[adds].astype(np.float64), fps[adds].astype(np.float64)
        yield *wide, number(thresholds[adds], tally, dtype)


def _given_thresholds(tally: Tally, need: BinnedScores) -> Tensor:
    given = need.thresholds
    return torch.tensor(given.values, dtype=given.dtype, device=tally.device)


def _each(curves: _Curves) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """The curve of each label."""
    first, second, thresholds = curves
    shared = [thresholds] * len(first) if isinstance(thresholds, Tensor) else thresholds
    return zip(first, second, shared, strict=True)


def labels_eer(tally: Tally, need: Need) -> Tensor:
    """Mean of the false positive and the false negative rate where they are closest."""
    found = []
    for fpr, tpr, _ in _each(labels_roc(tally, need)):
        closest = torch.argmin(torch.abs(fpr - (1 - tpr)))
        found.append((fpr[closest] + (1 - tpr[closest])) / 2)
    return torch.stack(found)


def labels_logauc(
    tally: Tally, need: Need, *, fpr_range: tuple[float, float], average: str | None = None
) -> Tensor:
    """Area under the true positive rate by the logarithm of the false one, as a share of a range.

    An average leaves out labels whose area is NaN.
    """
    curves = _each(labels_roc(tally, need))
    found = torch.stack([_log_area(fpr, tpr, fpr_range) for fpr, tpr, _ in curves])
    if average in (None, "none"):
        return found
    is_known = ~found.isnan()
    if not bool(is_known.all()):
        text = "LogAUC of one or more labels was `nan`. Ignoring these labels in the average"
        warnings.warn(text, UndefinedWarning, stacklevel=2)
    return found[is_known].mean()


def _log_area(fpr: Tensor, tpr: Tensor, fpr_range: tuple[float, float]) -> Tensor:
    if len(fpr) < 2:
        text = "A curve of one point has no area: give more thresholds. LogAUC is 0"
        warnings.warn(text, UndefinedWarning, stacklevel=2)
        return torch.zeros((), device=fpr.device)
    ends = torch.tensor(fpr_range, device=fpr.device)
    order = fpr.argsort()  # not stable, as in torchmetrics: points of equal rates may change places
    x, y = fpr[order], tpr[order]
    before = (torch.searchsorted(x, ends.to(x.dtype)) - 1).clamp(0, len(x) - 2)
    # Past the end of the curve the last line goes on, also where it is upright.
    inner = y[before] + (y.diff() / x.diff())[before] * (ends - x[before])
    y, x = torch.cat([tpr, inner]).sort().values, torch.cat([fpr, ends]).sort().values
    logs, bounds = torch.log10(x), torch.log10(ends.to(x.dtype))
    low, high = (int((logs == bound).nonzero()[-1]) for bound in bounds)
    area = torch.trapezoid(y[low : high + 1], logs[low : high + 1])
    return area / (bounds[1] - bounds[0])


def labels_best(tally: Tally, need: Need, **bound: float) -> tuple[Tensor, Tensor]:
    """The best rate of each label where another is at least as in the argument; its threshold."""
    ((name, least),) = bound.items()
    curves, best = _BEST[name]
    found = (best(*own, least) for own in _each(curves(tally, need)))
    values, thresholds = zip(*found, strict=True)
    return torch.stack(values), torch.stack(thresholds)


def _best_recall(
    precision: Tensor, recall: Tensor, thresholds: Tensor, least: float
) -> tuple[Tensor, Tensor]:
    """Largest recall and its threshold; ties: largest precision, then highest threshold."""
    n = len(thresholds)
    points = torch.vstack((recall[:n], precision[:n], thresholds)).T
    points = points[(points[:, 1] >= least) & ~points[:, 0].isnan()]
    if not len(points) or not bool(points[:, 0].any()):
        none = points[:, 0].amax() if len(points) else recall.new_zeros(())
        return none, thresholds.new_full((), np.nan)
    found = _largest(points)
    return found[0], found[2]


def _best_precision(
    precision: Tensor, recall: Tensor, thresholds: Tensor, least: float
) -> tuple[Tensor, Tensor]:
    """Likewise; a NaN that comes first stays, since nothing is larger."""
    n = len(thresholds)
    reaches = recall[:n] >= least
    precision, recall, reached = precision[:n][reaches], recall[:n][reaches], thresholds[reaches]
    if len(precision) and not bool(precision[0].isnan()):
        known = ~precision.isnan()
        precision, recall, reached = precision[known], recall[known], reached[known]
        found = _largest(torch.vstack((precision, recall, reached)).T)
        value, threshold = found[0].to(precision.dtype), found[2].to(thresholds.dtype)
    elif len(precision):
        value, threshold = precision[0], reached[0]
    else:
        value = threshold = precision.new_zeros(())
    if bool(value == 0):
        threshold = thresholds.new_full((), np.nan)
    return value, threshold


def _largest(points: Tensor) -> Tensor:
    """The row that is the last in lexical order."""
    for column in range(points.shape[1]):
        own = points[:, column]
        points = points[own == own.amax()]
    return points[0]


def _first_best(
    rate: Tensor, other: Tensor, thresholds: Tensor, least: float
) -> tuple[Tensor, Tensor]:
    """The first largest rate where the other is high enough; 0 at 10⁶ where it never is."""
    reaches = other >= least
    if not bool(reaches.any()):
        return rate.new_zeros(()), thresholds.new_full((), _UNREACHED)
    best = torch.argmax(rate[reaches])
    return rate[reaches][best], thresholds[reaches][best]


def _best_sensitivity(
    fpr: Tensor, tpr: Tensor, thresholds: Tensor, least: float
) -> tuple[Tensor, Tensor]:
    return _first_best(tpr, 1 - fpr, thresholds, least)


def _best_specificity(
    fpr: Tensor, tpr: Tensor, thresholds: Tensor, least: float
) -> tuple[Tensor, Tensor]:
    return _first_best(1 - fpr, tpr, thresholds, least)


_BEST: Final[
    dict[str, tuple[Callable[[Tally, Need], _Curves], Callable[..., tuple[Tensor, Tensor]]]]
] = {
    "min_precision": (labels_precision_recall_curve, _best_recall),
    "min_recall": (labels_precision_recall_curve, _best_precision),
    "min_sensitivity": (labels_roc, _best_specificity),
    "min_specificity": (labels_roc, _best_sensitivity),
}
"""The rate that is bounded → the curve that has it, and what is best there."""
