"""Metrics of scores in exact arithmetic, straight from their definitions.

Fractions as long as a value is rational, 1300 bits after a logarithm: 1 − p of the smallest float64
has its digits then.  None: the data do not define it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import mpmath

from karat.tally.score_kind import ScoreKind

Number: TypeAlias = Any
Row: TypeAlias = tuple[Fraction, bool, Fraction]
"""Score, whether of the class (or right), weight."""
Step: TypeAlias = tuple[Fraction, Fraction, Fraction]
ZERO, ONE = Fraction(0), Fraction(1)
BITS = 1300


def high(x: Number) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mpmath.mpf(x)


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows with scores as fractions.

    Attributes:
        truth: class of each row.
        values: number[n][k]: probabilities, logits or scores.
        weights: of each row.
        kind: what they are.
    """

    truth: Sequence[int]
    values: Sequence[Sequence[Fraction]]
    weights: Sequence[Fraction]
    kind: ScoreKind

    @property
    def is_prob(self) -> bool:
        return self.kind == "probabilities"

    @property
    def k(self) -> int:
        return len(self.values[0])

    @cached_property
    def ranks(self) -> Sequence[Sequence[Fraction]]:
        """What ranks rows: the difference of two scores as a double, the log-odds of logits."""
        if self.k > 2 and self.kind == "logits":
            return [log_odds(row) for row in self.values]
        if self.k > 2 or self.is_prob:
            return self.values
        differences = [Fraction(float(b - a)) for a, b in self.values]
        return [(-difference, difference) for difference in differences]

    def column(self, i: int) -> list[Row]:
        rows = zip(self.ranks, self.truth, self.weights, strict=True)
        return [(v[i], t == i, w) for v, t, w in rows if w]

    def chances(self) -> list[Row]:
        """Rows by the probability of the second of two classes, as doubles."""
        with mpmath.workprec(BITS):
            each = [float(1 / (1 + mpmath.exp(-high(v[1])))) for v in self.ranks]
        rows = zip(each, self.truth, self.weights, strict=True)
        return [(Fraction(p), t == 1, w) for p, t, w in rows if w]

    def pooled(self) -> list[Row]:
        return [row for i in range(self.k) for row in self.column(i)]

    def confidences(self) -> list[Row]:
        found = []
        for v, t, w in zip(self.values, self.truth, self.weights, strict=True):
            best = max(range(self.k), key=lambda i: (v[i], -i))
            if w:
                found.append((v[best], best == t, w))
        return found

    @cached_property
    def shares(self) -> list[Fraction]:
        total = sum(self.weights)
        return [
            sum((w for t, w in zip(self.truth, self.weights, strict=True) if t == i), ZERO) / total
            for i in range(self.k)
        ]

    def mean_loss(self, loss: Callable[[Sequence[Fraction], int], Number]) -> Number:
        total: Number = ZERO
        for v, t, w in zip(self.values, self.truth, self.weights, strict=True):
            if w:
                one = loss(v, t)
                total = total + (one * w if isinstance(one, Fraction) else one * high(w))
        whole = sum(self.weights)
        return total / whole if isinstance(total, Fraction) else total / high(whole)


def exact_odds(row: Sequence[Fraction]) -> list[Any]:
    """z[i] − log Σ exp z[j] over the others."""
    if len(row) == 2:
        return [high(row[0] - row[1]), high(row[1] - row[0])]
    others = [[*row[:i], *row[i + 1 :]] for i in range(len(row))]
    return [
        high(z) - mpmath.log(sum(mpmath.exp(high(x)) for x in rest))
        for z, rest in zip(row, others, strict=True)
    ]


def log_odds(row: Sequence[Fraction]) -> list[Fraction]:
    """Log-odds as doubles: some differ by less than these tell."""
    with mpmath.workprec(BITS):
        return [Fraction(float(x)) for x in exact_odds(row)]


def steps(rows: Sequence[Row]) -> list[Step]:
    """Threshold, true and false positives at or above it, best first; first nothing at all."""
    held: dict[Fraction, list[Fraction]] = {}
    for s, own, w in rows:
        sums = held.setdefault(s, [ZERO, ZERO])
        sums[own] += w
    found, tp, fp = [(Fraction(0), ZERO, ZERO)], ZERO, ZERO
    for s in sorted(held, reverse=True):
        fp, tp = fp + held[s][0], tp + held[s][1]
        found.append((s, tp, fp))
    return found


def sides(rows: Sequence[Row]) -> tuple[Fraction, Fraction]:
    own = sum((w for _, is_own, w in rows if is_own), ZERO)
    return own, sum((w for *_, w in rows), ZERO) - own


def area(rows: Sequence[Row], max_fpr: float | None = None) -> Fraction | None:
    pos, neg = sides(rows)
    if not (pos and neg):
        return None
    if max_fpr is None:
        pieces = pairwise(steps(rows))
        return sum(((f1 - f0) * (t0 + t1) for (_, t0, f0), (_, t1, f1) in pieces), ZERO) / (
            2 * pos * neg
        )
    end, found = Fraction(max_fpr), ZERO
    for (_, t0, f0), (_, t1, f1) in pairwise((s, t / pos, f / neg) for s, t, f in steps(rows)):
        part = min(max((end - f0) / (f1 - f0), ZERO), ONE) if f1 > f0 else ZERO
        found += part * (f1 - f0) * (2 * t0 + part * (t1 - t0)) / 2
    chance = end * end / 2
    return (1 + (found - chance) / (end - chance)) / 2


def step_area(rows: Sequence[Row]) -> Fraction | None:
    pos, _ = sides(rows)
    if not pos:
        return None
    return (
        sum(((b - a) * b / (b + f) for (_, a, _), (_, b, f) in pairwise(steps(rows))), ZERO) / pos
    )


def trapezoid_area(rows: Sequence[Row]) -> Fraction | None:
    pos, _ = sides(rows)
    if not pos:
        return None
    curve = [(t / pos, t / (t + f) if t + f else ONE) for _, t, f in steps(rows)]
    return sum(((r - q) * (p + o) / 2 for (q, o), (r, p) in pairwise(curve)), ZERO)


def two_sided(metric: Callable[..., Any]) -> Callable[..., Any]:
    def measured(rows: Sequence[Row], **params: Any) -> Any:
        pos, neg = sides(rows)
        return metric(steps(rows), pos, neg, **params) if pos and neg else None

    return measured


def of_class(metric: Callable[..., Any]) -> Callable[..., Any]:
    def measured(rows: Sequence[Row], **params: Any) -> Any:
        pos, neg = sides(rows)
        return metric(steps(rows), pos, neg, **params) if pos else None

    return measured


@two_sided
def largest_gap(whole: list[Step], pos: Fraction, neg: Fraction) -> Fraction:
    return max(abs(t / pos - f / neg) for _, t, f in whole)


@two_sided
def max_informedness(whole: list[Step], pos: Fraction, neg: Fraction) -> Fraction:
    return max(t / pos - f / neg for _, t, f in whole)


@two_sided
def equal_errors(whole: list[Step], pos: Fraction, neg: Fraction) -> Fraction | None:
    for (_, t0, f0), (_, t1, f1) in pairwise((s, t / pos, f / neg) for s, t, f in whole):
        if f1 + t1 >= 1:
            return f0 + (1 - f0 - t0) / (f1 + t1 - f0 - t0) * (f1 - f0)
    return None


def within(whole: list[Step], amount: Fraction) -> Fraction:
    for (_, t0, f0), (_, t1, f1) in pairwise(whole):
        if t1 + f1 >= amount:
            return t0 + (t1 - t0) * (amount - t0 - f0) / (t1 + f1 - t0 - f0)
    return whole[-1][1]


@of_class
def gain(whole: list[Step], pos: Fraction, neg: Fraction, *, share: float) -> Fraction:
    return within(whole, Fraction(share) * (pos + neg)) / pos


@of_class
def lift(whole: list[Step], pos: Fraction, neg: Fraction, *, share: float) -> Fraction:
    return within(whole, Fraction(share) * (pos + neg)) / pos / Fraction(share)


def precision_at_k(rows: Sequence[Row], *, k: int) -> Fraction | None:
    return within(steps(rows), Fraction(k)) / k if k <= sum(sides(rows)) else None


@of_class
def recall_at_k(whole: list[Step], pos: Fraction, neg: Fraction, *, k: int) -> Fraction:
    return within(whole, Fraction(k)) / pos


@of_class
def largest_f_beta(whole: list[Step], pos: Fraction, neg: Fraction, *, beta: float) -> Fraction:
    b = Fraction(beta) ** 2
    return max((1 + b) * t / (b * pos + t + f) for _, t, f in whole[1:])


def smallest_cost(rows: Sequence[Row], *, costs: Any) -> Fraction:
    (c00, c01), (c10, c11) = [[0, 1], [1, 0]] if costs is None else costs
    pos, neg = sides(rows)
    found = (c11 * t + c10 * (pos - t) + c01 * f + c00 * (neg - f) for _, t, f in steps(rows))
    return min(found) / (pos + neg)


@of_class
def recall_at_precision(
    whole: list[Step], pos: Fraction, neg: Fraction, *, min_precision: float
) -> Fraction:
    least = Fraction(min_precision)
    return max((t / pos for _, t, f in whole[1:] if t >= least * (t + f)), default=ZERO)


def pair_areas(scored: Scored) -> dict[tuple[int, int], Fraction | None]:
    """Of each ordered pair of classes: rows of i against rows of j, by the score of i."""
    found = {}
    for i in range(scored.k):
        for j in range(scored.k):
            rows = zip(scored.ranks, scored.truth, scored.weights, strict=True)
            if i != j:
                found[i, j] = area([(v[i], t == i, w) for v, t, w in rows if t in (i, j) and w])
    return found


def mean_of(found: Sequence[tuple[Number | None, Fraction]]) -> Number | None:
    """Weighted mean of those that can be measured."""
    kept = [(x, w) for x, w in found if x is not None]
    if not sum(w for _, w in kept):
        return None
    whole = sum(w for _, w in kept)
    if all(isinstance(x, Fraction) for x, _ in kept):
        return sum((x * w for x, w in kept), ZERO) / whole
    return sum(high(x) * high(w) for x, w in kept) / high(whole)


def ovo(scored: Scored, *, by_rows: bool) -> Number | None:
    shares = scored.shares
    return mean_of(
        [(x, shares[i] + shares[j] if by_rows else ONE) for (i, j), x in pair_areas(scored).items()]
    )


def mu(scored: Scored) -> Number | None:
    """Pairs along the difference of two scores, which float64 rounds."""
    found = []
    for i in range(scored.k):
        for j in range(i + 1, scored.k):
            rows = zip(scored.values, scored.truth, scored.weights, strict=True)
            column = [
                (Fraction(float(v[i]) - float(v[j])), t == i, w)
                for v, t, w in rows
                if t in (i, j) and w
            ]
            found.append((area(column), ONE))
    return mean_of(found)


def negative_log_probability(p: Sequence[Fraction], t: int) -> Number:
    return ZERO if p[t] == 1 else -mpmath.log(high(p[t]))


def binary_negative_log_probability(p: Sequence[Fraction], t: int) -> Number:
    found = mpmath.mpf(0)
    for i, x in enumerate(p):
        found -= mpmath.log(high(x if i == t else 1 - x))
    return found / len(p)


def squared_error(p: Sequence[Number], t: int) -> Number:
    return sum((x - (i == t)) ** 2 for i, x in enumerate(p)) / (2 if len(p) == 2 else 1)


def margin(s: Sequence[Fraction], t: int) -> Fraction:
    other = max(x for i, x in enumerate(s) if i != t)
    return max(ZERO, 1 - s[t] + other)


def softmax(s: Sequence[Fraction]) -> list[Any]:
    top = max(s)
    e = [mpmath.exp(high(x - top)) for x in s]
    return [x / sum(e) for x in e]


def soft_negative_log_probability(s: Sequence[Fraction], t: int) -> Any:
    return mpmath.log(sum(mpmath.exp(high(x - s[t])) for x in s))


def soft_binary_negative_log_probability(s: Sequence[Fraction], t: int) -> Any:
    terms = (mpmath.log1p(mpmath.exp(high(-x if i == t else x))) for i, x in enumerate(s))
    return sum(terms) / len(s)


def place(v: Sequence[Fraction], t: int) -> int:
    return sum(x > v[t] or (x == v[t] and i < t) for i, x in enumerate(v))
