"""Slow references of metrics of scores in fractions, straight from their definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

Numbers = Sequence[Fraction]
Point = tuple[Fraction, Fraction, Fraction]
Row = tuple[Fraction, int, Fraction]
"""Confidence, whether it came true, weight."""
ZERO = Fraction(0)


def area(scores: Numbers, own: Sequence[bool], weights: Numbers) -> Fraction | None:
    """Share of the pairs (own, other) in the right order; ties count half. None: no pair."""
    rows = list(zip(scores, own, weights, strict=True))
    right = total = ZERO
    for (s, is_own, w), (other, also_own, v) in product(rows, rows):
        if is_own and not also_own:
            total += w * v
            right += w * v * (Fraction(1, 2) if s == other else int(s > other))
    return right / total if total else None


def points(scores: Numbers, own: Sequence[bool], weights: Numbers) -> list[Point]:
    """Threshold, true and false positives at or above it, best first, from nothing predicted."""
    rows = [row for row in zip(scores, own, weights, strict=True) if row[2] > 0]
    found = [(max(s for s, _, _ in rows) + 1, ZERO, ZERO)]
    for threshold in sorted({s for s, _, _ in rows}, reverse=True):
        at_least = [(is_own, w) for s, is_own, w in rows if s >= threshold]
        true = sum((w for is_own, w in at_least if is_own), ZERO)
        found.append((threshold, true, sum((w for _, w in at_least), ZERO) - true))
    return found


def needs(*, negatives: bool) -> Callable[..., Any]:
    """A metric of the points of a class that has rows, where others have some if it needs them."""

    def decorated(metric: Callable[..., Any]) -> Callable[..., Any]:
        def measured(*column: Any, **params: Any) -> Any:
            whole = points(*column)
            _, pos, neg = whole[-1]
            return metric(whole, pos, neg, **params) if pos and (neg or not negatives) else None

        return measured

    return decorated


@needs(negatives=True)
def partial_area(whole: list[Point], pos: Fraction, neg: Fraction, *, max_fpr: float) -> Fraction:
    end, found = Fraction(max_fpr), ZERO
    for (_, t0, f0), (_, t1, f1) in pairwise((s, t / pos, f / neg) for s, t, f in whole):
        part = min(max((end - f0) / (f1 - f0), ZERO), Fraction(1)) if f1 > f0 else ZERO
        found += part * (f1 - f0) * (2 * t0 + part * (t1 - t0)) / 2
    chance = end * end / 2
    return (1 + (found - chance) / (end - chance)) / 2


@needs(negatives=False)
def step_area(whole: list[Point], pos: Fraction, neg: Fraction) -> Fraction:
    return sum(((b - a) / pos * b / (b + f) for (_, a, _), (_, b, f) in pairwise(whole)), ZERO)


@needs(negatives=False)
def trapezoid_area(whole: list[Point], pos: Fraction, neg: Fraction) -> Fraction:
    curve = [(t / pos, t / (t + f) if t + f else Fraction(1)) for _, t, f in whole]
    return sum(((r - q) * (p + o) / 2 for (q, o), (r, p) in pairwise(curve)), ZERO)


@needs(negatives=True)
def largest_gap(whole: list[Point], pos: Fraction, neg: Fraction) -> Fraction:
    return max(abs(t / pos - f / neg) for _, t, f in whole)


@needs(negatives=True)
def equal_errors(whole: list[Point], pos: Fraction, neg: Fraction) -> Fraction | None:
    for (_, t0, f0), (_, t1, f1) in pairwise((s, t / pos, f / neg) for s, t, f in whole):
        if f1 + t1 >= 1:
            return f0 + (1 - f0 - t0) / (f1 + t1 - f0 - t0) * (f1 - f0)
    return None


@needs(negatives=False)
def gain(whole: list[Point], pos: Fraction, neg: Fraction, *, share: float) -> Fraction | None:
    amount = Fraction(share) * (pos + neg)
    for (_, t0, f0), (_, t1, f1) in pairwise(whole):
        if t1 + f1 >= amount:
            return (t0 + (t1 - t0) * (amount - t0 - f0) / (t1 + f1 - t0 - f0)) / pos
    return None


@needs(negatives=False)
def largest_f_beta(whole: list[Point], pos: Fraction, neg: Fraction, *, beta: float) -> Fraction:
    b = Fraction(beta) ** 2
    return max((1 + b) * t / (b * pos + t + f) for _, t, f in whole[1:])


def smallest_cost(*column: Any, costs: Any) -> Fraction:
    (c00, c01), (c10, c11) = costs
    whole = points(*column)
    _, pos, neg = whole[-1]
    found = (c11 * t + c10 * (pos - t) + c01 * f + c00 * (neg - f) for _, t, f in whole)
    return min(found) / (pos + neg)


def pairs(
    scores: Sequence[Numbers], truth: Sequence[int], weights: Numbers, k: int
) -> Fraction | None:
    """Mean over ordered pairs of classes of the area of one against the other (Hand & Till)."""
    found = []
    for i, j in product(range(k), range(k)):
        rows = [r for r, t in enumerate(truth) if i != j and t in (i, j)]
        column = [scores[r][i] for r in rows]
        found.append(area(column, [truth[r] == i for r in rows], [weights[r] for r in rows]))
    return mean(found)


def mu(
    scores: Sequence[Numbers], truth: Sequence[int], weights: Numbers, cost: Sequence[Sequence[int]]
) -> Fraction | None:
    """Mean over pairs of classes of the area along the normal of their boundary."""
    found = []
    for i, j in combinations(range(len(cost)), 2):
        rows = [r for r, t in enumerate(truth) if t in (i, j)]
        both = cost[i][j] + cost[j][i]
        sign = (both > 0) - (both < 0)
        normal = [sign * (b - a) for a, b in zip(cost[i], cost[j], strict=True)]
        column = [sum((c * s for c, s in zip(normal, scores[r], strict=True)), ZERO) for r in rows]
        found.append(area(column, [truth[r] == i for r in rows], [weights[r] for r in rows]))
    return mean(found)


def mean(found: Sequence[Fraction | None]) -> Fraction | None:
    """Mean of those that can be measured."""
    measured = [value for value in found if value is not None]
    return sum(measured, ZERO) / len(measured) if measured else None


def binned(rows: Sequence[Row], bins: int, closed: str) -> list[list[Row]]:
    """The rows of each occupied bin of equal width; an edge is the float64 nearest to i/bins."""
    edges = [Fraction(i / bins) for i in range(1, bins)]
    held: dict[int, list[Row]] = {}
    for p, hit, w in rows:
        if w:
            place = sum(p > edge if closed == "right" else p >= edge for edge in edges)
            held.setdefault(place, []).append((p, hit, w))
    return list(held.values())


def calibration_error(rows: Sequence[Row], bins: int, closed: str) -> Fraction:
    gaps = (sum(w * (hit - p) for p, hit, w in own) for own in binned(rows, bins, closed))
    return sum(map(abs, gaps), ZERO) / sum(w for _, _, w in rows)


def debiased_error(rows: Sequence[Row], bins: int, closed: str) -> Fraction | None:
    """Mean over the bins of (y − p)(y' − p') over the pairs of different rows."""
    found, has_pairs = ZERO, False
    for own in binned(rows, bins, closed):
        over = under = ZERO
        for (i, (p, hit, w)), (j, (q, also, v)) in product(enumerate(own), enumerate(own)):
            if i != j:
                over, under = over + w * v * (hit - p) * (also - q), under + w * v
        if under:
            has_pairs = True
            found += sum(w for _, _, w in own) * over / under
    return found / sum(w for _, _, w in rows) if has_pairs else None


def error_by_chance(rows: Sequence[Row], bins: int, closed: str) -> Fraction:
    """The calibration error, on average over everything that might have come true."""
    found = ZERO
    for own in binned(rows, bins, closed):
        for hits in product((0, 1), repeat=len(own)):
            chance, gap = Fraction(1), ZERO
            for (p, _, w), hit in zip(own, hits, strict=True):
                chance, gap = chance * (p if hit else 1 - p), gap + w * (hit - p)
            found += chance * abs(gap)
    return found / sum(w for _, _, w in rows)


def isotonic(rows: Sequence[Row]) -> dict[Fraction, Fraction]:
    """The isotonic recalibration of each confidence, by its formula as a maximum of minima."""
    p = sorted({p for p, _, w in rows if w})

    def share(low: Fraction, high: Fraction) -> Fraction:
        inside = [(hit, w) for q, hit, w in rows if low <= q <= high]
        return sum((w * hit for hit, w in inside), ZERO) / sum(w for _, w in inside)

    return {q: max(min(share(a, b) for b in p if b >= q) for a in p if a <= q) for q in p}


def brier_parts(rows: Sequence[Row]) -> tuple[Fraction, Fraction, Fraction]:
    """Miscalibration, discrimination and uncertainty."""
    rows = [row for row in rows if row[2]]
    total, best = sum(w for _, _, w in rows), isotonic(rows)
    share = sum((w * hit for _, hit, w in rows), ZERO) / total
    given, fitted, flat = (
        sum((w * (forecast(p) - hit) ** 2 for p, hit, w in rows), ZERO) / total
        for forecast in (lambda p: p, best.__getitem__, lambda _: share)
    )
    return given - fitted, flat - fitted, flat
