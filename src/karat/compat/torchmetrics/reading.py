"""Tensors as torchmetrics takes them: their shapes, which rows count, their weights and scores."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import torch
from torch import Tensor

from karat import _native
from karat.compat.torchmetrics.tally import refused
from karat.errors import short
from karat.tally.sums import READ_BITS

__all__ = [
    "NATIVE_DEVICES",
    "Whole",
    "check_same_shape",
    "check_samples",
    "class_scores",
    "classes_of",
    "flat_weights",
    "is_native",
    "kept_rows",
    "predicted",
    "probabilities",
    "whole",
]

NATIVE_DEVICES = {"cpu"}
"""Devices whose memory karat's own kernels read; the others count with torch's operations."""


def is_native(tensor: Tensor) -> bool:
    """Whether the rows are counted by karat's kernels, and refused where they are found."""
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
    """Whether `preds` holds a score for each class: [n, k, …] beside [n, …]."""
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


def predicted(preds: Tensor, target: Tensor, top_k: int) -> Whole:
    """The class that each row is given, by scores [n, k, …]: the target where it is among the best.

    With top_k = 1 the first largest score. A maximum takes NaN for the largest, which is then told.
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
