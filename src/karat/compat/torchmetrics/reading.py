"""Tensors as torchmetrics takes them: shapes, weights, scores, and rows counted by class.

Rows are counted by karat's kernels where they read the memory, by fused indices elsewhere. On a
device nothing waits for an answer: rows that do not count and rows that cannot be counted fall
into bins of their own, and the number of the latter is kept beside the counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Final, Literal

import numpy as np
import torch
from torch import Tensor

from karat import _native
from karat.compat.torchmetrics.pending import Pending
from karat.compat.torchmetrics.tally import (
    OCCUPANCY,
    PAIRS,
    REFUSED,
    Tally,
    no_rows,
    refuse_counted,
    refused,
)
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


Detail = Literal["hits", "classes", "cells"]
"""Rows predicted correctly and all; tp, fp and fn of each class; true × predicted class."""

_KERNEL_CLASSES: Final = {"classes": 1 << 26, "cells": 8192}
"""So many classes have counts that karat's kernels make."""
_DENSE_CLASSES = 200
"""So many classes have a table of all cells; more have a list of the occupied ones."""
_UNSIGNED: Final = (torch.uint16, torch.uint32, torch.uint64)
"""Types that torch finds no least and largest value of."""
_NO_SEGMENTS = ("meta", "mps")
"""Devices that do not add up segments."""


def no_labels(k: int | None, detail: Detail, samplewise: bool, device: Any) -> Tally:
    """The tally of no rows of `count_labels`."""
    if samplewise:
        return no_rows(device, "samples")
    if is_listed(k, detail):
        return no_rows(device, *PAIRS)
    return no_rows(device, **{detail: _shape(k, detail)})


def is_listed(k: int | None, detail: Detail) -> bool:
    """True if the occupied cells are listed in place of a table."""
    return detail == "cells" and k is not None and k > _DENSE_CLASSES


def _shape(k: int | None, detail: Detail) -> tuple[int, ...]:
    return {"hits": (2,), "classes": (3, k or 0), "cells": (k or 0, k or 0)}[detail]


def count_labels(
    true: Whole,
    pred: Whole,
    k: int | None,
    kept: Tensor | None,
    weights: Tensor | None,
    detail: Detail = "cells",
    *,
    samplewise: bool = False,
) -> Tally:
    """Rows by true and predicted class; on devices with the number of the rows refused.

    Args:
        true, pred: labels of one shape, [n, m] or [n, …] with ``samplewise``.
        k: number of classes; None: any, for ``hits``.
        kept: bool of that shape, the rows that count; None: all.
        weights: float64[n], flat, or None.
        detail: what is kept of them, the name of the sum.

    Returns:
        int64, or float64 of weights: ``hits`` [2], rows predicted correctly and all rows;
        ``classes`` [3, k], tp, fp and fn of each class, with the ``occupancy`` of weights;
        ``cells`` [k, k], of many classes rows ``pairs`` and ``counts``;
        with ``samplewise`` rows ``samples`` [n, 3, k], ``classes`` of each sample.
    """
    is_own = is_native(true.labels) and not samplewise
    if is_own and k is not None and k <= _KERNEL_CLASSES.get(detail, k):
        return _native_counts(true, pred, k, kept, weights, detail)
    kept = None if kept is None else kept.reshape(-1)
    t, p, w = true.labels.reshape(-1), pred.labels.reshape(-1), sound(weights)
    if k is None:
        bad_true, bad_pred = torch.zeros_like(t, dtype=torch.bool), _broken(pred, kept)
    else:
        bad_true, bad_pred = outside(true, k, kept), outside(pred, k, kept)
        t, p = t.long(), p.long()  # k may be none of the numbers of a narrow type
    is_bad = bad_true | bad_pred
    counted = ~is_bad if kept is None else kept & ~is_bad
    sums = {REFUSED: refused_rows(bad_true, bad_pred & ~bad_true, weights)}
    rows: dict[str, list[Tensor]] = {}
    if detail == "hits" and not samplewise:
        both = torch.stack([(t == p) & counted, counted])
        sums["hits"] = both.sum(1) if w is None else (both * w).sum(1)
    elif detail == "cells" and not samplewise:
        assert k is not None
        index = torch.where(counted, t * k + p, k * k)
        if is_listed(k, detail):
            rows = _listed(index, w)
        else:
            sums["cells"] = add_up(index, k * k + 1, w)[0][: k * k].reshape(k, k)
    else:
        assert k is not None
        n = true.labels.shape[0] if samplewise else 1
        index, size = _sides(t, p, counted, n, k), n * 3 * k
        w = None if w is None else w.repeat(2)
        added = add_up(index, size + 1, w)[0][:size].reshape(n, 3, k)
        if samplewise:
            rows["samples"] = [added]
        else:
            sums["classes"] = added[0]
            if w is not None:
                weighing = torch.where(w > 0, index, size)
                sums[OCCUPANCY] = add_up(weighing, size + 1, None)[0][:size].reshape(3, k)
    return Tally(_settled(sums, true.labels), rows)


def _sides(t: Tensor, p: Tensor, counted: Tensor, n: int, k: int) -> Tensor:
    """int64[2·m]: (sample, tp · fp · fn, class) as one index; n·3·k: counts nowhere."""
    start = torch.arange(n, device=t.device).repeat_interleave(len(t) // max(n, 1)) * (3 * k)
    is_hit, nowhere = t == p, n * 3 * k
    first = torch.where(counted, start + torch.where(is_hit, t, p + k), nowhere)
    second = torch.where(counted & ~is_hit, start + t + 2 * k, nowhere)
    return torch.cat([first, second])


def _listed(index: Tensor, w: Tensor | None) -> dict[str, list[Tensor]]:
    """The occupied cells of a batch; the one after the last is of rows that do not count."""
    if w is None and is_native(index) and (size := int(index.max()) + 1) <= len(index):
        table = torch.bincount(index, minlength=size)
        pairs = table.nonzero()[:, 0]
        counts = table[pairs]
    elif w is None and is_native(index):
        keys = _native.sorted_keys(index.numpy().view(np.uint64), 0)
        different, runs = _native.run_lengths(keys)
        pairs, counts = torch.from_numpy(different.view(np.int64)), torch.from_numpy(runs)
    elif w is None:
        pairs, counts = torch.unique(index, return_counts=True)
    else:
        pairs, place = torch.unique(index, return_inverse=True)
        counts = add_up(place, len(pairs), w)[0]
    return dict(zip(PAIRS, ([pairs], [counts]), strict=True))


def _broken(labels: Whole, kept: Tensor | None) -> Tensor:
    """bool[n]: rows that count and have no number."""
    if labels.broken is None:
        return torch.zeros_like(labels.labels, dtype=torch.bool).reshape(-1)
    broken = labels.broken.reshape(-1)
    return broken if kept is None else broken & kept


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


def _native_counts(
    true: Whole, pred: Whole, k: int, kept: Tensor | None, weights: Tensor | None, detail: Detail
) -> Tally:
    t, p = true.labels, pred.labels
    if t.ndim != 1:
        t, p = t.reshape(-1), p.reshape(-1)
    for labels, argument in ((true, "target"), (pred, "preds")):
        if labels.broken is not None and bool(labels.broken.any()):
            refuse_rows(labels, argument, k, kept)
    if kept is not None:
        kept = kept.reshape(-1)
        t, p = t[kept], p[kept]
        weights = None if weights is None else weights[kept]
    if not t.shape[0]:
        none = no_labels(k, detail, False, t.device)
        kind = torch.int64 if weights is None else torch.float64
        return Tally({name: own.to(kind) for name, own in none.sums.items()}, none.rows)
    if weights is None:
        pending = Pending.of(t, p, k, detail, is_listed=is_listed(k, detail))
        if pending is not None:
            return Tally(pending=pending)
    if detail == "hits" or is_listed(k, detail):
        for labels, argument, own in ((true, "target", t), (pred, "preds", p)):
            low, high = torch.aminmax(own.long() if own.dtype in _UNSIGNED else own)
            if int(low) < 0 or int(high) >= k:
                refuse_rows(labels, argument, k, kept)
        if detail == "cells":
            return Tally(rows=_listed(t.long() * k + p.long(), weights))
        is_hit = t == p
        hits = [is_hit.sum(), torch.tensor(len(t))]
        if weights is not None:
            hits = [(is_hit * weights).sum(), weights.sum()]
        return Tally({"hits": torch.stack(hits)})
    codes, w = (t.numpy(), p.numpy()), None if weights is None else weights.numpy()
    is_whole = detail == "cells"
    try:
        tally = _native.count_codes(codes[0], 0, None, codes[1], 0, None, k, w, is_whole, 0)
    except _native.Rejected:
        for labels, argument in ((true, "target"), (pred, "preds")):
            refuse_rows(labels, argument, k, kept)
        raise
    if is_whole:
        return Tally({"cells": torch.from_numpy(tally.cells())})
    sums = {"classes": torch.from_numpy(np.stack(tally.marginals()))}
    if w is not None:
        sums[OCCUPANCY] = torch.from_numpy(np.stack(tally.marginal_rows()))
    return Tally(sums)


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
