"""Reports to draw: of two, ten and a hundred classes, with weights, and with classes that lack."""

from __future__ import annotations

from functools import cache

import numpy as np

import karat

HOSTILE = [
    "$\\frac{x",
    "_hidden",
    "<script>alert(1)</script>",
    "line\nbreak",
    "a" * 300,
    "$x$ & y_z",
]


@cache
def of_classes(k: int, n: int = 400, weighted: bool = False, hostile: bool = False) -> karat.Report:
    """A classifier that is rather good, better at some classes."""
    rng = np.random.default_rng(k)
    y_true = np.arange(n) % k
    scores = rng.normal(size=(n, k))
    scores[np.arange(n), y_true] += np.linspace(0.5, 3.0, k)[y_true]
    odds = np.exp(scores)
    names = (HOSTILE + [f"class {i}" for i in range(k)])[:k] if hostile else None
    return karat.evaluate(
        y_true,
        y_prob=odds / odds.sum(axis=1, keepdims=True),
        weights=rng.uniform(0.5, 2.0, n) if weighted else None,
        labels=karat.Labels(names=names),
    )


@cache
def lacking() -> karat.Report:
    """Three classes, of which one never occurs."""
    y_true, p = ["a", "b", "a", "b"], [[0.6, 0.3, 0.1], [0.5, 0.4, 0.1], [0.2, 0.7, 0.1]]
    return karat.evaluate(y_true, y_prob=[*p, [0.1, 0.8, 0.1]], labels=["a", "b", "c"])


@cache
def one_row() -> karat.Report:
    """Two classes, one row."""
    return karat.evaluate([0], y_prob=[0.25], labels=[0, 1])


@cache
def compared(names: tuple[str, ...] = ("forest", "logreg")) -> karat.Comparison:
    """Models that are right ever less often."""
    rng = np.random.default_rng(5)
    y_true = rng.integers(0, 3, 600)
    models = {}
    for place, name in enumerate(names):
        is_right = rng.random(600) < 0.9 - 0.1 * place
        models[name] = np.where(is_right, y_true, (y_true + 1) % 3)
    return karat.compare(y_true, models, metrics=["accuracy", "macro_f1"], margin=0.02)
