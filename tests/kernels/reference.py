"""Slow references: what the native core computes, in a few plain lines each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def confusion(true: Sequence[int], pred: Sequence[int], labels: Sequence[int]) -> Any:
    """int64[k, k] rows of each pair of labels, true × predicted."""
    place = {label: i for i, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), np.int64)
    for t, p in zip(true, pred, strict=True):
        counts[place[t], place[p]] += 1
    return counts


def weighted_confusion(
    true: Sequence[int], pred: Sequence[int], labels: Sequence[int], weights: Sequence[float]
) -> Any:
    """float64[k, k] Σw of each pair of labels, added in the order of the rows."""
    place = {label: i for i, label in enumerate(labels)}
    sums = np.zeros((len(labels), len(labels)))
    for t, p, w in zip(true, pred, weights, strict=True):
        sums[place[t], place[p]] += w
    return sums


def marginals(cells: Any) -> tuple[Any, Any, Any]:
    """True positives, false positives and false negatives of each class of a matrix."""
    k = range(len(cells))
    tp = [cells[i, i] for i in k]
    fp = [sum(cells[j, i] for j in k if j != i) for i in k]
    fn = [sum(cells[i, j] for j in k if j != i) for i in k]
    return np.array(tp, cells.dtype), np.array(fp, cells.dtype), np.array(fn, cells.dtype)


def ranks(values: Sequence[int]) -> tuple[list[int], list[int]]:
    """Code of each value among the distinct ones, ascending, and these."""
    distinct = sorted(set(values))
    return [distinct.index(value) for value in values], distinct


def first_seen(values: Sequence[Any]) -> tuple[list[int], list[Any]]:
    """Code of each value in order of first appearance, None as -1, and the distinct values."""
    table: dict[Any, int] = {}
    codes = [-1 if v is None else table.setdefault(v, len(table)) for v in values]
    return codes, list(table)


def runs(keys: Sequence[int]) -> tuple[list[int], list[int]]:
    """Distinct keys, ascending, and how often each occurs."""
    counts: dict[int, int] = {}
    for key in sorted(keys):
        counts[key] = counts.get(key, 0) + 1
    return list(counts), list(counts.values())


def weighted_runs(
    keys: Sequence[int], weights: Sequence[float]
) -> list[tuple[int, float, float, int]]:
    """Each distinct key with Σw, Σw² and rows of weight > 0, added in the order of the rows."""
    sums: dict[int, list[Any]] = {}
    for key, w in zip(keys, weights, strict=True):
        entry = sums.setdefault(key, [0.0, 0.0, 0])
        entry[0] += w
        entry[1] += w * w
        entry[2] += w > 0
    return [(key, *sums[key]) for key in sorted(sums)]


def widest_range(n: int, *, cells: bool) -> int:
    """The most values that count_integers gives a table to."""
    if cells:
        return min(4096, int(max(65536, 8 * n) ** 0.5))
    return min(2**26, max(65536, n))
