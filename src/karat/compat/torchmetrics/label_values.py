"""Rates of labels: the values of karat's catalogue, in torchmetrics' averages."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from karat.compat.torchmetrics.label_needs import BinaryCells, Hits, Need
from karat.compat.torchmetrics.tally import Tally
from karat.metrics import Metric, get
from karat.metrics._lift import Lift
from karat.tally import Axis, Cells, Classes

__all__ = ["catalogued", "cells_of", "number", "rate", "stat_scores"]

Numbers = npt.NDArray[Any]

_MACRO_SKIPS_PREDICTED = ("accuracy", "precision", "recall")
"""With top_k > 1 their macro averages leave out every class without true rows."""


def number(values: Any, tally: Tally, dtype: Any = torch.float32) -> Tensor:
    """Values as a tensor where the tally lies."""
    if dtype == torch.float64 and str(tally.device).startswith("mps"):
        dtype = torch.float32  # it has nothing wider
    return torch.as_tensor(np.asarray(values), dtype=dtype).to(tally.device)


def cells_of(tally: Tally) -> Cells:
    """The tally as karat's `Cells`: k × k, or the class totals of each sample."""
    found: Cells | None = tally.cache.get("cells")
    if found is None:
        found = _sample_cells(tally) if "samples" in tally.rows else _cells(tally)
        tally.cache["cells"] = found
    return found


def catalogued(tally: Tally, name: str, lift: Lift = "plain", **params: float) -> Numbers:
    """A metric of karat's catalogue, with its leading axes; NaN where it is undefined."""
    found: Numbers = _metric(name, lift, **params).values(cells_of(tally), "nan").value
    return found


def rate(
    tally: Tally,
    need: Need,
    *,
    metric: str,
    average: str | None = None,
    zero_division: float = 0.0,
    **params: float,
) -> Tensor:
    """Accuracy, precision, recall, F, specificity: one number, one of each class or sample."""
    if isinstance(need, Hits):
        return number(_of_hits(tally, metric, zero_division), tally)
    if isinstance(need, BinaryCells):
        if metric == "accuracy":
            return number(_filled(catalogued(tally, metric), 0.0), tally)
        each = catalogued(tally, metric, "per_class", **params)[..., 1]
        return number(_filled(each, zero_division), tally)
    if average == "micro":
        lift: Lift = "plain" if metric == "accuracy" else "micro"
        return number(_filled(catalogued(tally, metric, lift, **params), zero_division), tally)
    own = "recall" if metric == "accuracy" else metric
    each = _filled(catalogued(tally, own, "per_class", **params), zero_division)
    if average in (None, "none"):
        return number(each, tally)
    tp, fp, _, fn = _counts(cells_of(tally))
    if average == "weighted":
        weights = tp + fn
    elif getattr(need, "top_k", 1) > 1 and metric in _MACRO_SKIPS_PREDICTED:
        weights = (tp + fn > 0).astype(np.float64)
    else:
        weights = (tp + fp + fn > 0).astype(np.float64)
    return number(_mean(each, weights), tally)


def stat_scores(tally: Tally, need: Need, *, average: str | None = None) -> Tensor:
    """tp, fp, tn, fn and the rows of the class, along the last axis."""
    if isinstance(need, Hits):
        hits, n = tally.sums["hits"].tolist()
        stats = np.array([hits, n - hits, hits - n, n - hits, n])
        return number(stats, tally, tally.sums["hits"].dtype)
    tp, fp, tn, fn = _counts(cells_of(tally))
    stats = np.stack([tp, fp, tn, fn, tp + fn], axis=-1)
    counted = torch.int64 if stats.dtype.kind == "i" else torch.float64
    if isinstance(need, BinaryCells):
        return number(stats[..., 1, :], tally, counted).squeeze()
    if average == "micro":
        return number(stats.sum(axis=-2), tally, counted)
    if average == "macro":
        return number(stats.mean(axis=-2), tally)
    if average == "weighted":
        with np.errstate(invalid="ignore"):
            weights = (tp + fn) / (tp + fn).sum(axis=-1, keepdims=True)
        return number((stats * weights[..., None]).sum(axis=-2), tally)
    return number(stats, tally, counted)


@lru_cache(maxsize=128)
def _metric(name: str, lift: Lift, **params: float) -> Metric:
    return Metric.of(get(name).record, lift, params)


@lru_cache(maxsize=64)
def _classes(k: int) -> Classes:
    return Classes(tuple(range(k)), positive=1 if k == 2 else None, is_declared=True)


def _cells(tally: Tally) -> Cells:
    matrix = tally.sums["cells"].cpu().numpy()
    return Cells.dense(matrix, classes=_classes(len(matrix)))


def _sample_cells(tally: Tally) -> Cells:
    hits, true, pred = tally.joined("samples").cpu().numpy().swapaxes(0, 1)
    axis = Axis("sample", tuple(range(len(hits))))
    classes = _classes(hits.shape[-1])
    return Cells.marginals(hits, pred - hits, true - hits, classes=classes, axes=(axis,))


def _counts(cells: Cells) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """tp, fp, tn, fn of each class, number[..., k]."""
    if cells.storage == "marginals":
        tp, fp, fn = (cells.counts[..., i, :] for i in range(3))
    else:
        tp = np.diagonal(cells.counts, axis1=-2, axis2=-1)
        fp, fn = cells.counts.sum(axis=-2) - tp, cells.counts.sum(axis=-1) - tp
    n = (tp + fn).sum(axis=-1, keepdims=True)
    return tp, fp, n - tp - fp - fn, fn


def _of_hits(tally: Tally, name: str, zero_division: float) -> float:
    """A micro average over classes nobody counted: one share for all but specificity.

    torchmetrics puts one class there, which leaves specificity without rows of other classes.
    """
    hits, n = tally.sums["hits"].tolist()
    if not n:
        return 0.0 if name == "accuracy" else zero_division
    return 0.0 if name == "specificity" else hits / n


def _filled(values: Numbers, otherwise: float) -> Numbers:
    return np.where(np.isnan(values), otherwise, values)


def _mean(values: Numbers, weights: Numbers) -> Numbers:
    """The weighted mean over the classes, 0 where nothing weighs anything."""
    total = weights.sum(axis=-1)
    added = (np.where(weights > 0, values, 0.0) * weights).sum(axis=-1)
    mean: Numbers = np.where(total > 0, added / np.where(total > 0, total, 1.0), 0.0)
    return mean
