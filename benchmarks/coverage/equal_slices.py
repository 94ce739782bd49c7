"""Designs of equal slices: how often one is shown as different, or as weak."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import karat
from benchmarks.coverage.tests import Trial

__all__ = ["slices"]

FAMILY = "equal slices"
SCORED = ("roc_auc", "average_precision", "log_loss", "brier")
N_SLICES = 6
_AIMS = {"a slice is shown as different": "5.0 at most", "a weak slice is found": "5.0 at most"}
Source = Callable[[np.random.Generator], dict[tuple[str, str], bool]]


def slices(rng: np.random.Generator) -> Iterator[Trial]:
    """Six equal slices with scores, then losses of equal means and unequal spread."""
    del rng
    for n, prevalence, shift, sharpness in (
        (80, 0.3, 1.5, 1.0),
        (80, 0.4, 2.5, 1.4),
        (120, 0.2, 2.0, 1.0),
        (150, 0.1, 1.5, 1.0),
        (200, 0.15, 2.0, 1.6),
    ):
        told = f"{N_SLICES} of {n}, {prevalence:.0%} positive, shift {shift:g}"
        told += f", sharpness {sharpness:g}"
        source = _scored(n, prevalence, shift, sharpness)
        yield Trial(FAMILY, told, source, _AIMS, most=2000)
    for told, n, draw in (
        ("gamma losses, spread 2 in 4 % of rows, 0.5 in others", 2000, _gamma("f", 2.0)),
        ("gamma losses, spread 1.5 in 6 % of rows, 0.5 in others", 1000, _gamma("e", 1.5)),
        ("gamma losses, spread 2 in 30 % of rows, 0.5 in others", 2000, _gamma("a", 2.0)),
        ("normal losses, spread 1.5 above a quantile, 1 below", 1500, _normal(0.2, 1.5)),
        ("normal losses, spread 0.4 above a quantile, 1 below", 1500, _normal(0.7, 0.4)),
    ):
        yield Trial(FAMILY, f"{told}, n={n}", _weak(n, draw), _AIMS, most=2000)


def _scored(n: int, prevalence: float, shift: float, sharpness: float) -> Source:
    names = np.repeat([f"slice {i}" for i in range(N_SLICES)], n)

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        y = (rng.random(len(names)) < prevalence).astype(int)
        odds = shift * (rng.normal(size=len(y)) + shift * y) - shift**2 / 2.0
        odds += np.log(prevalence / (1.0 - prevalence))
        p = 1.0 / (1.0 + np.exp(-sharpness * odds))
        table = karat.evaluate(y, y_prob=p, by=names, metrics=SCORED, labels=[0, 1]).slices["by"]
        what = "a slice is shown as different"
        return {
            (metric, what): any(one.is_shown for one in table.difference(metric).values())
            for metric in SCORED
        }

    return source


Draw = Callable[[np.random.Generator, dict[str, Any]], np.ndarray[Any, Any]]


def _gamma(name: str, spread: float) -> Draw:
    def draw(rng: np.random.Generator, columns: dict[str, Any]) -> np.ndarray[Any, Any]:
        wide = np.where(columns["name"] == name, spread, 0.5) ** 2
        return rng.gamma(1.0 / wide, wide)

    return draw


def _normal(share: float, spread: float) -> Draw:
    def draw(rng: np.random.Generator, columns: dict[str, Any]) -> np.ndarray[Any, Any]:
        x = columns["number"]
        each = np.where(x > np.quantile(x, 1.0 - share), spread, 1.0)
        return np.maximum(5.0 + each * rng.normal(size=len(x)), 0.0)

    return draw


def _weak(n: int, draw: Draw) -> Source:
    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        columns = {
            "name": rng.choice(list("abcdef"), n, p=[0.3, 0.25, 0.2, 0.15, 0.06, 0.04]),
            "number": rng.normal(size=n),
            "other": rng.choice(list("uvw"), n),
        }
        found = karat.find_weak_slices(
            by=columns,
            loss=draw(rng, columns),
            interval=karat.Interval(n_replicates=99, seed=int(rng.integers(1 << 31))),
        )
        return {("loss", "a weak slice is found"): bool(len(found))}

    return source
