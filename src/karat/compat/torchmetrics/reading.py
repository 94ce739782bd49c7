"""Tensors as torchmetrics takes them: shapes, weights, scores, and rows counted by class.

Rows are counted by karat's kernels where they read the memory, by fused indices elsewhere. On a
device nothing waits for an answer: rows that do not count and rows that cannot be counted fall
into bins of their own, and the number of the latter is kept beside the counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import torch
from torch import Tensor

from karat import _native
from karat.compat.torchmetrics.tally import REFUSED, Tally, refuse_counted, refused
from karat.data.sources.torch import score_histograms as histograms
from karat.errors import short
from karat.tally.sums import READ_BITS

NATIVE_DEVICES = {"cpu"}
"""Devices whose memory karat's own kernels read; the others count with torch's operations."""


def is_native(tensor: Tensor) -> bool:
    """True if karat's kernels count the rows and check them."""
    return tensor.device.type in NATIVE_DEVICES


def check_same_shape(preds: Tensor, target: Tensor) -> None:
    """Refuse predictions and targets of different shapes."""
    if preds.shape != target.shape:
        found = f"preds has shape {tuple(preds.shape)}, target {tuple(target.shape)}"
        raise refused("preds", found, "Give both the same shape.")


def check_samples(target: Tensor) -> None:
    """Refuse targets that have no items in their samples."""
    if target.ndim < 2:
        found = f"target has shape {tuple(target.shape)}"
        raise refused("target", found, "Samplewise needs a second dimension: [n, …].")


def classes_of(preds: Tensor, target: Tensor, k: int | None) -> bool:
    """True if `preds` holds a score for each class: [n, k, …] beside [n, …]."""
    found = f"preds has shape {tuple(preds.shape)}, target {tuple(target.shape)}"
    is_scored: bool = preds.ndim == target.ndim + 1
    if is_scored:
        if not preds.is_floating_point():
            found = f"{found} and preds is {preds.dtype}"
            raise refused("preds", found, "Scores of classes are a tensor of floats.")
        if k is not None and preds.shape[1] != k:
            raise refused("preds", f"{found}; num_classes is {k}", "Give a score for each class.")
        if (*preds.shape[:1], *preds.shape[2:]) != tuple(target.shape):
            raise refused("preds", found, "Give preds [n, k, …] beside target [n, …].")
    elif preds.shape != target.shape:
        raise refused("preds", found, "Give both the same shape, or preds [n, k, …].")
    return is_scored


def class_scores(preds: Tensor, target: Tensor, k: int) -> Tensor:
    """Scores of every class, float[n, k], of floats [n, k, …] beside whole targets [n, …]."""
    if not classes_of(preds, target, k):
        raise refused("preds", "preds holds no scores", "Give scores of classes: [n, k, …].")
    scores: Tensor = preds.detach().movedim(1, -1).reshape(-1, k)
    return scores


@dataclass(frozen=True)
class Whole:
    """Labels as whole numbers.

    Attributes:
        labels: integers or booleans, shape as given.
        broken: bool, where there was no whole number; None: nowhere.
        problem: what stands there instead.
    """

    labels: Tensor
    broken: Tensor | None = None
    problem: str = ""


def whole(labels: Tensor) -> Whole:
    """Labels as whole numbers; floats only where they are whole."""
    labels = labels.detach()
    if not labels.is_floating_point():
        return Whole(labels)
    rounded = labels.long()
    return Whole(rounded, rounded != labels, "no whole number")


def flat_weights(weights: Any, target: Tensor) -> Tensor | None:
    """One weight for each item of `target`, flat, in float64."""
    if weights is None:
        return None
    wide = torch.float32 if target.device.type == "mps" else torch.float64
    try:
        given = torch.as_tensor(weights, device=target.device).detach().to(wide)
    except (TypeError, ValueError, RuntimeError) as problem:
        found = f"weights cannot be a tensor: {short(str(problem))}"
        raise refused("weights", found, "Give a tensor or a list of numbers.") from None
    if given.shape != target.shape:
        if given.shape != target.shape[:1]:
            found = f"weights has shape {tuple(given.shape)}, target {tuple(target.shape)}"
            raise refused("weights", found, "Give a weight for each row or item of target.")
        given = given.reshape(-1, *[1] * (target.ndim - 1)).expand(target.shape)
    flat: Tensor = given.reshape(-1)
    if is_native(target) and bool((~(flat >= 0.0) | flat.isinf()).any()):
        found = "A weight is negative, NaN or infinite"
        raise refused("weights", found, "Give finite weights, at least 0.")
    return flat


def kept_rows(target: Tensor, ignore_index: int | None) -> Tensor | None:
    """bool, shape of target: the rows that count; None: all of them."""
    if ignore_index is None:
        return None
    # As a number: torch would ask for the one that it becomes in the type of the target.
    return (target if target.is_floating_point() else target.long()) != ignore_index


def probabilities(scores: Tensor, kind: str | None, kept: Tensor | None = None) -> Tensor:
    """Scores as probabilities: what lies outside [0, 1] makes all of the batch logits.

    As in torchmetrics, the decision is made for each batch.

    Args:
        scores: float[n] or float[n, k].
        kind: "sigmoid", "softmax" along dimension 1, or None for scores as they are.
        kept: bool[n], the rows that decide; all of them by default.
    """
    if is_native(scores):
        if not scores.numel():
            return scores
        low, high = (float(end) for end in torch.aminmax(scores))
        if low != low:
            found = f"{int(scores.isnan().sum())} of {scores.numel()} scores are NaN"
            raise refused("preds", found, "Give numbers; logits of any size are accepted.")
        if kind is None or (low >= 0.0 and high <= 1.0):
            return scores
        found = _squashed(scores, kind)
        if (low == -inf or high == inf) and bool(found.isnan().any()):
            n = int(found.isnan().any(1).sum())
            raise refused("preds", f"The softmax of {n} rows is NaN", "Give finite logits.")
        return found
    if kind is None:
        return scores
    outside = (scores < 0) | (scores > 1)
    if kept is not None:
        outside &= kept if scores.ndim == 1 else kept[:, None]
    return torch.where(outside.any(), _squashed(scores, kind), scores)


def _squashed(scores: Tensor, kind: str) -> Tensor:
    return torch.sigmoid(scores) if kind == "sigmoid" else torch.softmax(scores, dim=1)


def side_above(preds: Tensor, threshold: float, kept: Tensor | None = None) -> Whole:
    """0 or 1 for each item: labels as given, or whether the probability is above a threshold.

    Args:
        kept: bool, shape of preds: the items that decide whether scores are logits; None: all.
    """
    if not preds.is_floating_point():
        return whole(preds)
    scores = preds.detach().reshape(-1)
    is_nan = scores.isnan()
    if kept is not None:
        # 0.5 decides nothing, whichever kind the scores are.
        scores = torch.where(kept.reshape(-1), scores, 0.5)
    side = probabilities(torch.where(is_nan, 0.5, scores), "sigmoid") > threshold
    shape = preds.shape
    return Whole(side.reshape(shape), is_nan.reshape(shape), "a score that is NaN")


def predicted(preds: Tensor, target: Tensor, top_k: int) -> Whole:
    """The class that each row is given, by scores [n, k, …]: the target where it is among the best.

    With top_k = 1 the first largest score. A maximum takes NaN for the largest: it is reported.
    """
    preds = preds.detach()
    if top_k == 1:
        found = _native_maxima(preds) if is_native(preds) else None
        if found is not None:
            return Whole(found)
        best = preds.max(dim=1)
        return Whole(best.indices, best.values.isnan(), "a score that is NaN")
    first, wanted = preds[..., None].flatten(2), target[..., None].flatten(1)
    best = first.topk(top_k, dim=1)
    is_among = (best.indices == wanted[:, None]).any(dim=1)
    found = torch.where(is_among, wanted.long(), best.indices[:, 0]).reshape(target.shape)
    is_nan = best.values[:, 0].isnan().reshape(target.shape)
    return Whole(found, is_nan, "a score that is NaN")


def _native_maxima(scores: Tensor) -> Tensor | None:
    """The first largest column of each row; None for what karat's kernels do not read or refuse."""
    if scores.ndim != 2 or not scores.numel() or scores.dtype not in (torch.float32, torch.float64):
        return None
    codes = np.zeros(len(scores), np.int32)  # of the true classes, which no maximum asks for
    k = scores.shape[1]
    try:
        read = _native.read_scores(
            scores.numpy(), codes, k, None, False, 0.0, READ_BITS["predicted"], 0
        )
    except _native.Rejected:  # NaN, or infinite
        return None
    return torch.from_numpy(read.predicted)


_KERNEL_CLASSES = 8192
"""So many classes have cells that karat's kernels count."""
_NO_SEGMENTS = ("meta", "mps")
"""Devices that do not add up segments."""


def count_labels(
    true: Whole, pred: Whole, k: int, kept: Tensor | None, weights: Tensor | None, samplewise: bool
) -> Tally:
    """Rows by true and predicted class; on devices with the number of the rows refused.

    Args:
        true, pred: labels of one shape, [n, m] or [n, …] with ``samplewise``.
        kept: bool of that shape, the rows that count; None: all.
        weights: float64[n], flat, or None.

    Returns:
        ``cells``: int64[k, k], or float64 of weights; with ``samplewise`` ``samples``:
        number[n, 3, k], items of each sample that are hits, true and predicted by class.
    """
    if is_native(true.labels) and k <= _KERNEL_CLASSES and not samplewise:
        return Tally({"cells": _native_cells(true, pred, k, kept, weights)})
    kept = None if kept is None else kept.reshape(-1)
    bad_true, bad_pred = outside(true, k, kept), outside(pred, k, kept)
    counted = ~(bad_true | bad_pred) if kept is None else kept & ~(bad_true | bad_pred)
    sums = {REFUSED: refused_rows(bad_true, bad_pred & ~bad_true, weights)}
    rows: dict[str, list[Tensor]] = {}
    t, p, w = true.labels.reshape(-1).long(), pred.labels.reshape(-1), sound(weights)
    if samplewise:
        n = true.labels.shape[0]
        start = torch.arange(n, device=t.device).repeat_interleave(max(len(t) // max(n, 1), 0)) * k
        size = n * k
        parts = [
            add_up(torch.where(where, start + classes, size), size + 1, w)[0][:size].reshape(n, k)
            for classes, where in ((t, counted & (t == p)), (t, counted), (p, counted))
        ]
        rows["samples"] = [torch.stack(parts, dim=1)]
    else:
        index = torch.where(counted, t * k + p, k * k)
        sums["cells"] = add_up(index, k * k + 1, w)[0][: k * k].reshape(k, k)
    return Tally(_settled(sums, true.labels), rows)


def count_hits(
    true: Tensor, pred: Whole, kept: Tensor | None, weights: Tensor | None
) -> dict[str, Tensor]:
    """``hits``: rows predicted correctly and all rows, without a number of classes."""
    is_hit = (true == pred.labels).reshape(-1)
    counted = torch.ones_like(is_hit) if kept is None else kept.reshape(-1)
    none = torch.zeros_like(is_hit)
    bad = none if pred.broken is None else pred.broken.reshape(-1) & counted
    both = torch.stack([is_hit & counted & ~bad, counted & ~bad])
    w = sound(weights)
    hits = both.sum(1) if w is None else (both * w).sum(1)
    return _settled({"hits": hits, REFUSED: refused_rows(none, bad, weights)}, true)


def add_up(index: Tensor, size: int, *weights: Tensor | None) -> list[Tensor]:
    """Items of each index for every column of weights: int64[size], or float sums of weights.

    The same bits at every call: sums are made in segments of sorted items, never by atomics.
    """
    if is_native(index):
        return [torch.bincount(index, column, minlength=size) for column in weights]
    columns = [column for column in weights if column is not None]
    if len(columns) < len(weights):
        assert not columns
        return [histograms.counted(index, size)]
    if index.device.type not in _NO_SEGMENTS:
        return histograms.summed(index, size, *columns)
    zeros = torch.zeros(size, dtype=columns[0].dtype, device=index.device)
    return [zeros.index_put((index,), column, accumulate=True) for column in columns]


def refused_rows(bad_true: Tensor, bad_pred: Tensor, weights: Tensor | None) -> Tensor:
    """int64[3]: rows that cannot be counted, by argument."""
    if weights is None:
        bad_weights = torch.zeros((), dtype=torch.int64, device=bad_true.device)
    else:
        bad_weights = (~_is_weight(weights)).sum()
    return torch.stack([bad_true.sum(), bad_pred.sum(), bad_weights])


def refuse_rows(labels: Whole, argument: str, k: int, kept: Tensor | None) -> None:
    """Raise K621 for the first label outside [0, k) that counts, if there is one."""
    bad = outside(labels, k, None if kept is None else kept.reshape(-1))
    if not bool(bad.any()):
        return
    first, n = int(bad.int().argmax()), int(bad.sum())
    value = labels.labels.reshape(-1)[first].item()
    if labels.broken is not None and bool(labels.broken.reshape(-1)[first]):
        text = labels.problem
    else:
        text = f"{value}, which is not one of the {k} classes 0 … {k - 1}"
    found = f"Item {first} of {argument} is {text}; {n} of {len(bad)} are like it"
    skip = "name one value to skip as ignore_index"
    if argument == "preds":
        skip = "give their targets a value to skip, as ignore_index"
    raise refused(argument, found, f"Correct them, or {skip}.")


def _native_cells(
    true: Whole, pred: Whole, k: int, kept: Tensor | None, weights: Tensor | None
) -> Tensor:
    t, p = true.labels.reshape(-1), pred.labels.reshape(-1)
    for labels, argument in ((true, "target"), (pred, "preds")):
        if labels.broken is not None and bool(labels.broken.any()):
            refuse_rows(labels, argument, k, kept)
    if kept is not None:
        kept = kept.reshape(-1)
        t, p = t[kept], p[kept]
        weights = None if weights is None else weights[kept]
    if not len(t):
        kind = torch.int64 if weights is None else torch.float64
        return torch.zeros((k, k), dtype=kind)
    codes, w = (t.numpy(), p.numpy()), None if weights is None else weights.numpy()
    try:
        tally = _native.count_codes(codes[0], 0, None, codes[1], 0, None, k, w, True, 0)
    except _native.Rejected:
        for labels, argument in ((true, "target"), (pred, "preds")):
            refuse_rows(labels, argument, k, kept)
        raise
    return torch.from_numpy(tally.cells())


def outside(labels: Whole, k: int, kept: Tensor | None) -> Tensor:
    """bool[n]: rows that count and have no class."""
    flat = labels.labels.reshape(-1).long()  # k may be none of the numbers of a narrow type
    bad: Tensor = (flat < 0) | (flat >= k)
    if labels.broken is not None:
        bad = bad | labels.broken.reshape(-1)
    return bad if kept is None else bad & kept


def _is_weight(weights: Tensor) -> Tensor:
    is_weight: Tensor = (weights >= 0.0) & ~weights.isinf()
    return is_weight


def sound(weights: Tensor | None) -> Tensor | None:
    """Weights with 0 in place of what is none: a NaN would stay in every later sum."""
    return None if weights is None else torch.where(_is_weight(weights), weights, 0.0)


def _settled(found: dict[str, Tensor], labels: Tensor) -> dict[str, Tensor]:
    """Refuse at once where waiting costs nothing, else hand on what was refused."""
    if not is_native(labels):
        return found
    refuse_counted(Tally(found))
    del found[REFUSED]
    return found
