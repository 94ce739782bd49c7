"""Slow references: what the native core computes, in a few plain lines each."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
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


def areas(scores: Any, codes: Any, own: int, k: int, weights: Any = None) -> list[Fraction]:
    """Over all pairs (row of own, row of c): the sum of w·w'·(2·[s > s'] + [s = s'])."""
    w = [Fraction(1)] * len(scores) if weights is None else [Fraction(float(v)) for v in weights]
    sums = [Fraction(0)] * k
    for i, j in np.argwhere((codes == own)[:, None] & (codes != own)[None, :]):
        above, below = float(scores[i]), float(scores[j])
        sums[codes[j]] += w[i] * w[j] * (2 * (above > below) + (above == below))
    return sums


def levels(scores: Any, is_own: Any, weights: Any = None) -> list[tuple[float, Fraction, Fraction]]:
    """Distinct scores, descending, with the weight of the rest and of the own class."""
    w = [1] * len(scores) if weights is None else [Fraction(float(v)) for v in weights]
    found: dict[float, list[Fraction]] = {}
    for i, score in enumerate(scores):
        found.setdefault(float(score), [Fraction(0), Fraction(0)])[int(is_own[i])] += w[i]
    cumulative = [(score, *found[score]) for score in sorted(found, reverse=True)]
    return [level for level in cumulative if level[1] + level[2] > 0]


def step_area(cumulative: Sequence[tuple[float, Fraction, Fraction]]) -> Fraction:
    """The sum over score levels of own weight × own share at or above."""
    own = [
        sum((level[2] for level in cumulative[: i + 1]), Fraction(0))
        for i in range(len(cumulative))
    ]
    rest = [
        sum((level[1] for level in cumulative[: i + 1]), Fraction(0))
        for i in range(len(cumulative))
    ]
    parts = zip(cumulative, own, rest, strict=True)
    return sum((level[2] * o / (o + r) for level, o, r in parts), Fraction(0))


def trapezoid_area(cumulative: Sequence[tuple[float, Fraction, Fraction]]) -> Fraction | None:
    """The area under the own share by the part of own weight, from 1 at 0; None without any."""
    area = own = rest = Fraction(0)
    before = Fraction(1)
    for _, here_rest, here_own in cumulative:
        own, rest = own + here_own, rest + here_rest
        area += here_own * (before + own / (own + rest)) / 2
        before = own / (own + rest)
    return area / own if own else None
