"""Rows counted by class: karat's kernels where they read the memory, fused indices elsewhere.

On a device nothing waits for an answer: rows that do not count and rows that cannot be counted
fall into bins of their own, and the number of the latter is kept beside the counts.
"""

from __future__ import annotations

import torch
from torch import Tensor

from karat import _native
from karat.compat.torchmetrics.reading import Whole, is_native
from karat.compat.torchmetrics.tally import REFUSED, Tally, refuse_counted, refused
from karat.data.sources.torch import score_histograms as histograms

__all__ = [
    "add_up",
    "count_by_sample",
    "count_cells",
    "count_hits",
    "outside",
    "refuse_rows",
    "refused_rows",
    "sound",
]

_KERNEL_CLASSES = 8192
"""So many classes have cells that karat's kernels count."""
_NO_SEGMENTS = ("meta", "mps")
"""Devices that do not add up segments."""


def count_cells(
    true: Whole, pred: Whole, k: int, kept: Tensor | None, weights: Tensor | None
) -> dict[str, Tensor]:
    """Rows by true and predicted class.

    Args:
        true, pred: labels of one shape.
        kept: bool of that shape, the rows that count; None: all.
        weights: float64[n], flat, or None.

    Returns:
        ``cells``: int64[k, k], or float64 of weights; on devices ``refused`` too.
    """
    if is_native(true.labels) and k <= _KERNEL_CLASSES:
        return {"cells": _native_cells(true, pred, k, kept, weights)}
    counted, n_refused = _sorted_out(true, pred, k, kept, weights)
    index = true.labels.reshape(-1).long() * k + pred.labels.reshape(-1)
    index = torch.where(counted, index, k * k)
    cells = add_up(index, k * k + 1, sound(weights))[0][: k * k].reshape(k, k)
    return _settled({"cells": cells, REFUSED: n_refused}, true.labels)


def count_by_sample(
    true: Whole, pred: Whole, k: int, kept: Tensor | None, weights: Tensor | None
) -> tuple[Tensor, dict[str, Tensor]]:
    """Rows of each sample by class: labels [n, m] or [n, …].

    Returns:
        number[n, 3, k], items of each sample that are hits, true and predicted by class; and the
        rows refused on devices.
    """
    n = true.labels.shape[0]
    counted, n_refused = _sorted_out(true, pred, k, kept, weights)
    t, p = true.labels.reshape(-1).long(), pred.labels.reshape(-1).long()
    start = torch.arange(n, device=t.device).repeat_interleave(max(len(t) // max(n, 1), 0)) * k
    size, w = n * k, sound(weights)
    parts = [
        add_up(torch.where(where, start + classes, size), size + 1, w)[0][:size].reshape(n, k)
        for classes, where in ((t, counted & (t == p)), (t, counted), (p, counted))
    ]
    settled = _settled({REFUSED: n_refused}, true.labels)
    return torch.stack(parts, dim=1), settled


def _sorted_out(
    true: Whole, pred: Whole, k: int, kept: Tensor | None, weights: Tensor | None
) -> tuple[Tensor, Tensor]:
    """bool[n], the rows that can be counted, and the number of those that cannot, by argument."""
    kept = None if kept is None else kept.reshape(-1)
    bad_true, bad_pred = outside(true, k, kept), outside(pred, k, kept)
    counted = ~(bad_true | bad_pred) if kept is None else kept & ~(bad_true | bad_pred)
    return counted, refused_rows(bad_true, bad_pred & ~bad_true, weights)


def count_hits(
    true: Tensor, pred: Whole, kept: Tensor | None, weights: Tensor | None
) -> dict[str, Tensor]:
    """``hits``: rows predicted rightly and rows in all, of classes whose number nobody said."""
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
