"""Metrics of scores: counts between thresholds, every score or sums of losses, and their values."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from karat import _native
from karat.compat.torchmetrics.labels import Need, number
from karat.compat.torchmetrics.reading import (
    NATIVE_DEVICES,
    add_up,
    check_same_shape,
    class_scores,
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
from karat.compat.torchmetrics.tally import REFUSED, Tally, no_rows, refused
from karat.data.scores.matrix import Columns
from karat.data.scores.ranking import rank
from karat.errors import UndefinedWarning
from karat.metrics._views import ClassRanks

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Thresholds:
    """Thresholds in the order and type in which they were given; even: as a number of them."""

    values: tuple[float, ...]
    dtype: Any
    is_even: bool = False


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
def _sorted_on(thresholds: Thresholds, dtype: Any, device: Any) -> Tensor:
    with torch.inference_mode(False):
        given = torch.tensor(thresholds.values, dtype=thresholds.dtype, device=device)
        return given.to(dtype).sort().values


@dataclass(frozen=True)
class _Rows:
    """Scores float[n] or [n, k], classes int64[n] (−1: does not count), weights, refused rows."""

    scores: Tensor
    classes: Tensor
    weights: Tensor | None
    sums: dict[str, Tensor]


@dataclass(frozen=True)
class _Scores:
    """Reader of rows with scores.

    Attributes:
        k: number of classes; None: two, with one score for each row.
        kind: how logits become probabilities.
    """

    k: int | None
    ignore_index: int | None
    kind: str | None

    def read(self, preds: Tensor, target: Tensor, weights: Any) -> _Rows:
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
            return _Rows(probabilities(scores, self.kind), classes, w, {})
        scores = probabilities(scores, self.kind, kept)
        is_nan = scores.isnan() if scores.ndim == 1 else scores.isnan().any(1)
        counted = torch.ones_like(is_nan) if kept is None else kept
        bad_true, bad_pred = outside(labels, k, kept), counted & is_nan
        found_sums = {REFUSED: refused_rows(bad_true, bad_pred & ~bad_true, w)}
        classes = torch.where(counted & ~bad_true & ~bad_pred, classes, -1)
        return _Rows(scores, classes, sound(w), found_sums)


@dataclass(frozen=True)
class BinnedScores(_Scores):
    """Rows by class, by whether they are of it, and by how many thresholds they reach.

    ``bins``: int64[k, 2, t + 1], or [1, 2, t + 1] of two classes with one score.
    """

    thresholds: Thresholds

    def empty(self, device: Any) -> Tally:
        return no_rows(device, bins=(self.k or 1, 2, len(self.thresholds.values) + 1))

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
    """Number of even edges that probabilities reach: computed, then corrected for rounding.

    The t edges lie between −∞ and ∞.
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
class KeptScores(_Scores):
    """Every score with its class: ``scores`` in their own type, ``classes``, ``weights``.

    Weights that were not given are one byte, 1, for all rows of a batch.

    Attributes:
        are_apart: whether each column has targets of its own.
    """

    are_apart: ClassVar[bool] = False

    def empty(self, device: Any) -> Tally:
        return no_rows(device, "scores", "classes", "weights")

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

    def curves(self, tally: Tally) -> Iterator[Any]:
        """The curve of each class, or of class 1 where there is one score for each row."""
        return curves_of(tally, self)


def _wide(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.device.type == "mps" else tensor.double()


@dataclass(frozen=True)
class Confidences(_Scores):
    """Rows by confidence, [lo, hi): their weight, confidence and hits, ``bins`` float64[3, b + 1].

    Confidence 1 has a bin of its own, as in torchmetrics. Of two classes with one score the
    confidence is the probability of class 1, and a row of class 1 is a hit.
    """

    n_bins: int

    def empty(self, device: Any) -> Tally:
        zeros = torch.zeros((3, self.n_bins + 1), device=device)
        return Tally({"bins": _wide(zeros)}, place=device, n_batches=0)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
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
class Margins(_Scores):
    """Hinge losses added up: ``measures`` float64 [] or [k], and ``total`` rows or weight.

    With ``is_each`` every class has a loss of its own, against the rest.
    """

    squared: bool
    is_each: bool

    def empty(self, device: Any) -> Tally:
        zeros = torch.zeros(self.k or 1 if self.is_each else (), device=device)
        total = torch.zeros((), dtype=torch.int64, device=device)
        return Tally({"measures": _wide(zeros), "total": total}, place=device, n_batches=0)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
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

    def _margins(self, rows: _Rows) -> Tensor:
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


def curves_of(tally: Tally, need: Any) -> Iterator[ClassRanks | _Sorted]:
    """The curve of each class, or of class 1 where there is one score for each row."""
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
            yield ClassRanks(rank(cut[i], codes, own, need.k or 2, w))
        except _native.Rejected:
            found = f"Scores of class {own} are NaN or infinite"
            raise refused("preds", found, "Give finite scores.") from None


class _Sorted:
    """Return `ClassRanks`, sorted and summed on the device of the scores; counts stay whole."""

    def __init__(self, scores: Tensor, is_own: Tensor, weights: Tensor | None) -> None:
        order = torch.argsort(scores, descending=True)
        ordered, own = scores[order], is_own[order]
        is_last = torch.ones_like(own)
        is_last[:-1] = ordered[1:] != ordered[:-1]
        self._thresholds = ordered[is_last]
        w = torch.ones_like(own, dtype=torch.int64) if weights is None else weights[order]
        self._tps = torch.where(own, w, 0).cumsum(0)[is_last]
        self._fps = torch.where(own, 0, w).cumsum(0)[is_last]
        self.n_pos, self.n_neg = float(self._tps[-1]), float(self._fps[-1])

    @property
    def area(self) -> float:
        start = self._tps.new_zeros(1)
        tps, fps = torch.cat([start, self._tps]), torch.cat([start, self._fps])
        doubled = (fps.diff() * (tps[1:] + tps[:-1])).sum()
        return float(doubled) / (2.0 * self.n_pos * self.n_neg)

    @property
    def step_area(self) -> float:
        gained = self._tps.diff(prepend=self._tps.new_zeros(1)).double()
        above = (self._tps + self._fps).double()
        # Rows of weight 0 may stand before all others.
        precision = torch.where(above > 0, self._tps / above, 0.0)
        return float((gained * precision).sum()) / self.n_pos

    @property
    def curve(self) -> tuple[Floats, Floats, Floats]:
        thresholds, tps, fps = (
            own.double().cpu().numpy() for own in (self._thresholds, self._tps, self._fps)
        )
        return thresholds, tps, fps


NO_NEGATIVES = (
    "No negative samples in targets, false positive value should be meaningless. "
    "Returning zero tensor in false positive score"
)
NO_POSITIVES = (
    "No positive samples in targets, true positive value should be meaningless. "
    "Returning zero tensor in true positive score"
)
NO_RECALL = (
    "No positive samples found in target, recall is undefined. "
    "Setting recall to one for all thresholds."
)


def auroc(
    tally: Tally, need: Need, *, average: str | None = None, max_fpr: float | None = None
) -> Tensor:
    """Area under the ROC curve; 0 for a class with rows of one side only, as in torchmetrics."""
    if isinstance(need, BinnedScores):
        tps, fps, pos, neg = counts_above(tally, need)
        tpr, fpr = ratios(tps, pos, 0.0)[:, ::-1], ratios(fps, neg, 0.0)[:, ::-1]
        areas = [_area(x, y, max_fpr) for x, y in zip(fpr, tpr, strict=True)]
        return number(_averaged(np.array(areas), pos, average, need), tally)
    found, weights, lacking = [], [], set()
    assert isinstance(need, KeptScores)
    for curve in need.curves(tally):
        own, rest = curve.n_pos, curve.n_neg
        weights.append(own)
        if not (own > 0 and rest > 0):
            found.append(0.0)
            lacking |= {NO_POSITIVES} if not own > 0 else set()
            lacking |= {NO_NEGATIVES} if not rest > 0 else set()
        elif max_fpr is None or max_fpr == 1:
            found.append(curve.area)
        else:
            _, tps, fps = curve.curve
            found.append(_area(np.append(0.0, fps / rest), np.append(0.0, tps / own), max_fpr))
    for text in sorted(lacking):
        warnings.warn(text, UndefinedWarning, stacklevel=2)
    return number(_averaged(np.array(found), np.array(weights), average, need), tally)


def average_precision(tally: Tally, need: Need, *, average: str | None = None) -> Tensor:
    """Precision averaged over steps of recall; NaN for an absent class, which averages leave out.

    0 where the scores are binned, there are two classes, every row is of class 0, or of a label.
    """
    if isinstance(need, BinnedScores):
        tps, fps, pos, _ = counts_above(tally, need)
        end = np.ones((len(tps), 1))
        precision = np.hstack([ratios(tps, tps + fps, 0.0), end])
        recall = np.hstack([ratios(tps, pos[:, None], 0.0), 0.0 * end])
        steps = (recall[:, :-1] - recall[:, 1:]) * precision[:, :-1]
        return number(_averaged(steps.sum(axis=1), pos, average, need), tally)
    assert isinstance(need, KeptScores)
    curves = list(need.curves(tally))
    pos = np.array([curve.n_pos for curve in curves])
    is_only_first = not pos.any() if len(curves) == 1 else not pos[1:].any()
    if need.are_apart:
        is_only_first = not pos.all()
    if is_only_first:
        warnings.warn(NO_RECALL, UndefinedWarning, stacklevel=2)
    absent = 0.0 if is_only_first else np.nan
    found = [curve.step_area if curve.n_pos > 0 else absent for curve in curves]
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


def counts_above(tally: Tally, need: BinnedScores) -> tuple[Floats, Floats, Floats, Floats]:
    """True and false positives [k, t] of the thresholds as given, and rows of both sides [k, 1]."""
    bins = tally.sums["bins"].cpu().numpy().astype(np.float64)
    above = bins[:, :, ::-1].cumsum(axis=2)[:, :, -2::-1]
    order = np.argsort(np.array(need.thresholds.values), kind="stable")
    placed = np.empty_like(above)
    placed[:, :, order] = above
    totals = bins.sum(axis=2)
    return placed[:, 1], placed[:, 0], totals[:, 1], totals[:, 0]


def ratios(part: Floats, whole: Floats, otherwise: float) -> Floats:
    wide = np.broadcast_to(whole if whole.ndim == 2 else whole[:, None], part.shape)
    found: Floats = np.where(wide != 0, part / np.where(wide != 0, wide, 1.0), otherwise)
    return found


def _area(fpr: Floats, tpr: Floats, max_fpr: float | None) -> float:
    """Trapezoidal area in the order given; up to `max_fpr`, standardized as by McClish."""
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
