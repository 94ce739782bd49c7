"""Random rows with probabilities, and calibration computed from the rows in plain NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

SIDES = ("right", "left")


def problems(k: int, n_problems: int = 40) -> Iterator[tuple[Any, Any, Any]]:
    """True classes, float[n, k] probabilities, weights or None.

    Every third problem holds tenths, so that probabilities lie exactly on edges, 0 and 1 too;
    every third eighths with many ties; few rows leave bins empty.
    """
    for number in range(n_problems):
        rng = np.random.default_rng([k, number])
        n = int(rng.choice([3, 20, 150]))
        shares = rng.dirichlet(np.full(k, rng.choice([0.3, 2.0])), size=n)
        if number % 3:
            parts = (10, 8)[number % 3 - 1]
            p = np.stack([rng.multinomial(parts, row) for row in shares]) / parts
        else:
            p = shares
        y = np.array([rng.choice(k, p=0.7 * row + 0.3 / k) for row in p])
        weights = rng.lognormal(size=n) * (rng.random(n) < 0.9) if number % 2 else None
        if weights is not None and not weights.any():
            weights[0] = 1.0
        yield y, p, weights


def top_label(y: Any, p: Any) -> tuple[Any, Any]:
    """Confidence of the predicted class, and whether it is the true one."""
    return p.max(axis=1), (p.argmax(axis=1) == y).astype(float)


def uniform(b: int) -> Any:
    return np.array([i / b for i in range(b + 1)])


def quantile(p: Any, w: Any, b: int, closed: str) -> Any:
    """Edges by the words of their definition; the slack is for sums of weights."""
    p, w = p[w > 0], w[w > 0]
    up = {v: w[p <= v].sum() for v in p}
    down = {v: w[p >= v].sum() for v in p}
    least = 1 - 1e-12
    if closed == "right":
        inner = [min(v for v in p if up[v] * b >= i * w.sum() * least) for i in range(1, b)]
    else:
        inner = [max(v for v in p if down[v] * b >= (b - i) * w.sum() * least) for i in range(1, b)]
    return np.array([0.0, *inner, 1.0])


def members(p: Any, edges: Any, closed: str) -> Iterator[Any]:
    """bool[n] of each bin."""
    last = len(edges) - 2
    for i, (lo, hi) in enumerate(itertools.pairwise(edges)):
        if closed == "right":
            yield ((p > lo) & (p <= hi)) | ((i == 0) & (p == lo))
        else:
            yield ((p >= lo) & (p < hi)) | ((i == last) & (p == hi))


def gaps(p: Any, y: Any, w: Any, edges: Any, closed: str) -> tuple[Any, Any]:
    """Weight and gap of each bin that holds weight."""
    held = [inside for inside in members(p, edges, closed) if w[inside].sum() > 0]
    weight = np.array([w[inside].sum() for inside in held])
    return weight, np.array([np.average(y[m] - p[m], weights=w[m]) for m in held])


def debiased(p: Any, y: Any, w: Any, edges: Any, closed: str) -> float:
    """Mean over pairs of different rows of each bin, by weight of the bin."""
    total = 0.0
    for inside in members(p, edges, closed):
        r, v = (y - p)[inside], w[inside]
        pairs = np.outer(v, v) * (1 - np.eye(len(v)))
        if (v > 0).sum() > 1:
            total += v.sum() * (pairs * np.outer(r, r)).sum() / pairs.sum()
    return total / w.sum()


def exact_chance(p: Any, w: Any) -> float:
    """Expected |Σw(Y − p)| over every outcome of the rows."""
    outcomes = np.array(list(itertools.product((0, 1), repeat=len(p)))).reshape(-1, len(p))
    chance = np.where(outcomes, p, 1 - p).prod(axis=1)
    return float(chance @ np.abs((outcomes - p) @ w))


def convolved_chance(p: Any) -> float:
    """Expected |hits − Σp| of unweighted rows, by their distribution built row by row."""
    chances = np.ones(1)
    for one in p:
        chances = np.convolve(chances, [1 - one, one])
    return float(chances @ np.abs(np.arange(len(chances)) - p.sum()))
