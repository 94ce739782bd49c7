"""Calibration in exact arithmetic: bins, isotonic regression, logistic recalibration, a test."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, product
from typing import Any

import mpmath

from tests.numerics.exact_scores import ONE, ZERO, Number, Row, high, sides


def binned(rows: Sequence[Row], bins: int, closed: str) -> list[list[Row]]:
    """The rows of each occupied bin of equal width; an edge is the float64 nearest to i/bins."""
    edges = [Fraction(i / bins) for i in range(1, bins)]
    held: dict[int, list[Row]] = {}
    for row in rows:
        place = sum(row[0] > edge if closed == "right" else row[0] >= edge for edge in edges)
        held.setdefault(place, []).append(row)
    return list(held.values())


def gap(rows: Sequence[Row]) -> Fraction:
    return sum((w * (hit - p) for p, hit, w in rows), ZERO)


def expected(groups: Sequence[Sequence[Row]], norm: str) -> Number:
    total = sum(w for own in groups for *_, w in own)
    if norm == "l1":
        return sum((abs(gap(own)) for own in groups), ZERO) / total
    squares = (gap(own) ** 2 / sum(w for *_, w in own) for own in groups)
    return mpmath.sqrt(high(sum(squares, ZERO) / total))


def largest(groups: Sequence[Sequence[Row]]) -> Fraction:
    return max(abs(gap(own)) / sum(w for *_, w in own) for own in groups)


def debiased(groups: Sequence[Sequence[Row]]) -> Fraction | None:
    found, has_pairs = ZERO, False
    for own in groups:
        total = sum(w for *_, w in own)
        pairs = total**2 - sum(w * w for *_, w in own)
        if pairs > Fraction(1e-9) * total**2:
            has_pairs = True
            scatter = sum(((w * (hit - p)) ** 2 for p, hit, w in own), ZERO)
            found += total * (gap(own) ** 2 - scatter) / pairs
    return found / sum(w for own in groups for *_, w in own) if has_pairs else None


def by_chance(groups: Sequence[Sequence[Row]]) -> Fraction:
    """The calibration error, on average over everything that might have come true."""
    found = ZERO
    for own in groups:
        for hits in product((0, 1), repeat=len(own)):
            chance, distance = ONE, ZERO
            for (p, _, w), hit in zip(own, hits, strict=True):
                chance, distance = chance * (p if hit else 1 - p), distance + w * (hit - p)
            found += chance * abs(distance)
    return found / sum(w for own in groups for *_, w in own)


Block = list[Any]


def isotonic(rows: Sequence[Row]) -> list[Block]:
    """Blocks [hits, weight, rows] of the isotonic regression, by confidence."""
    blocks: list[Block] = []
    for _, group in groupby(sorted(rows), key=lambda row: row[0]):
        here = list(group)
        blocks.append([sides(here)[0], sum(w for *_, w in here), here])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return blocks


def brier_parts(rows: Sequence[Row]) -> tuple[Fraction, Fraction, Fraction]:
    """Miscalibration, discrimination, uncertainty."""
    pos, neg = sides(rows)
    total = pos + neg
    given = sum(w * (p - hit) ** 2 for p, hit, w in rows)
    fitted = sum(
        w * (hits / weight - hit) ** 2 for hits, weight, own in isotonic(rows) for _, hit, w in own
    )
    flat = pos * neg / total
    return (given - fitted) / total, (flat - fitted) / total, flat / total


def entropy(pos: Fraction, neg: Fraction) -> Any:
    """Log-loss of giving all of these rows their share, added up."""
    if not (pos and neg):
        return mpmath.mpf(0)
    return high(pos) * mpmath.log(high((pos + neg) / pos)) + high(neg) * mpmath.log(
        high((pos + neg) / neg)
    )


def log_parts(rows: Sequence[Row]) -> tuple[Any, Any, Any]:
    pos, neg = sides(rows)
    total = high(pos + neg)
    given = mpmath.mpf(0)
    for p, hit, w in rows:
        given -= high(w) * mpmath.log(high(p if hit else 1 - p))
    fitted = mpmath.mpf(0)
    for hits, weight, _ in isotonic(rows):
        fitted += entropy(hits, weight - hits)
    flat = entropy(pos, neg)
    return (given - fitted) / total, (flat - fitted) / total, flat / total


def spiegelhalter(rows: Sequence[Row]) -> tuple[Any, Any]:
    """z, and Σ|terms| ÷ standard deviation."""
    terms = [w * (hit - p) * (1 - 2 * p) for p, hit, w in rows]
    variance = sum(w * w * p * (1 - p) * (1 - 2 * p) ** 2 for p, _, w in rows)
    if not variance:
        return None, None
    deviation = mpmath.sqrt(high(variance))
    return high(sum(terms)) / deviation, high(sum(map(abs, terms))) / deviation


def line(rows: Sequence[Row], *, slope: bool) -> tuple[Any, Any, Any]:
    """Intercept and slope of largest likelihood; the slope fixed at 1 if it is not asked for.

    And the condition of the information: its largest over its smallest eigenvalue, at least.

    Newton's method with halved steps, in units in which the log-odds have a spread of 1.
    """
    x = [mpmath.log(high(p)) - mpmath.log(high(1 - p)) for p, *_ in rows]
    hits = [z for z, (_, hit, _) in zip(x, rows, strict=True) if hit]
    others = [z for z, (_, hit, _) in zip(x, rows, strict=True) if not hit]
    if not (hits and others) or (slope and (min(hits) >= max(others) or max(hits) <= min(others))):
        raise ArithmeticError("there is no line of largest likelihood")
    centre = sum(x) / len(x) if slope else mpmath.mpf(0)
    unit = mpmath.sqrt(sum((z - centre) ** 2 for z in x) / len(x)) if slope else mpmath.mpf(1)
    points = [((z - centre) / unit, hit, high(w)) for z, (_, hit, w) in zip(x, rows, strict=True)]

    def likelihood(a: Any, b: Any) -> Any:
        return -sum(w * mpmath.log1p(mpmath.exp((a + b * z) * (-1) ** hit)) for z, hit, w in points)

    a, b = mpmath.mpf(0), mpmath.mpf(0 if slope else 1)
    now = likelihood(a, b)
    for _ in range(400):
        g0 = g1 = h00 = h01 = h11 = mpmath.mpf(0)
        for z, hit, w in points:
            chance = 1 / (1 + mpmath.exp(-a - b * z))
            miss, spread = w * (hit - chance), w * chance * (1 - chance)
            g0, g1 = g0 + miss, g1 + miss * z
            h00, h01, h11 = h00 + spread, h01 + spread * z, h11 + spread * z * z
        if slope:
            det = h00 * h11 - h01 * h01
            step = (h11 * g0 - h01 * g1) / det, (h00 * g1 - h01 * g0) / det
        else:
            step = g0 / h00, mpmath.mpf(0)
        if abs(step[0]) + abs(step[1]) < mpmath.mpf(10) ** -40 * (1 + abs(a) + abs(b)):
            if not slope:
                return a, b, mpmath.mpf(1)
            return a - b * centre / unit, b / unit, (h00 + h11) ** 2 / det
        part = mpmath.mpf(1)
        while (then := likelihood(a + part * step[0], b + part * step[1])) < now:
            part /= 2
        a, b, now = a + part * step[0], b + part * step[1], then
    raise RuntimeError("no line was found")
