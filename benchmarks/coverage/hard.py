"""Designs where intervals were too sure: averages near 1, rare classes, clusters, pilots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import karat
from benchmarks.coverage.labels import MEANS, ODD
from benchmarks.coverage.populations import (
    error_table,
    random_table,
    rows_for,
    tables,
    unequal_clusters,
    zipf_shares,
)
from benchmarks.coverage.study import Design
from benchmarks.coverage.tests import Trial

__all__ = ["clustered_comparisons", "near_the_end", "pilots", "rare_classes", "uneven_clusters"]

ENOUGH = 20


def near_the_end(rng: np.random.Generator) -> Iterator[Design]:
    """Averages over the classes of models that are almost always right."""
    for k in (3, 5, 8, 10, 30):
        for accuracy, rows in ((0.98, 30), (0.99, 30), (0.985, 100)):
            n = rows * k
            table = error_table(rng, np.full(k, 1.0 / k), np.full(k, accuracy))
            yield _means("means near 1", f"K={k}, accuracy {accuracy:g}, n={n}", table, n)
    for k, accuracy, n in ((5, 0.985, 300), (8, 0.98, 400), (10, 0.985, 500)):
        shares = rng.gamma(2.0, size=k) + 0.3
        recall = 1.0 - (1.0 - accuracy) * rng.gamma(2.0, size=k) / 2.0
        table = error_table(rng, shares / shares.sum(), recall)
        name = f"K={k}, unequal, accuracy {accuracy:g}, n={n}"
        yield _means("means near 1", name, table, n)


def rare_classes(rng: np.random.Generator) -> Iterator[Design]:
    """Classes as frequent as 1, 1/2, 1/3, …"""
    for k, n in ((12, 300), (20, 600), (20, 1500), (40, 2000)):
        for accuracy in (0.6, 0.8, 0.93):
            table = error_table(rng, zipf_shares(k), np.full(k, accuracy))
            name = f"K={k} by Zipf's law, accuracy {accuracy:g}, n={n}"
            yield _means("rare classes", name, table, n)


def _means(family: str, name: str, table: np.ndarray, n: int) -> Design:
    is_small = n < rows_for(table, ENOUGH)
    return Design(family, name, MEANS, {"confusion": table}, tables(table, n), is_small=is_small)


def uneven_clusters(rng: np.random.Generator) -> Iterator[Design]:
    """Clusters whose errors go together, also of unequal sizes and of few errors."""
    for n_clusters in (20, 25, 60, 100):
        for accuracy, within in ((0.75, 0.3), (0.9, 0.1), (0.97, 0.3)):
            for sigma in (0.0, 0.8):
                k = 2 if n_clusters in (20, 60) else 4
                table = error_table(rng, np.full(k, 1.0 / k), np.full(k, accuracy))
                source = unequal_clusters(table, n_clusters, 10, sigma, within)
                sizes = f"sizes spread by {sigma:g}" if sigma else "equal sizes"
                name = f"{n_clusters} clusters, {sizes}, accuracy {accuracy:g}, within {within:g}"
                yield Design("unequal clusters", name, ODD, {"confusion": table}, source)


_AIMS = {"size": "5.0", "limits hold the rows needed": "95.0"}
_COMPARED = ("accuracy", "macro_f1", "balanced_accuracy")


def clustered_comparisons(rng: np.random.Generator) -> Iterator[Trial]:
    """Two equal models on clusters; the errors of both go together."""
    del rng
    for n_clusters in (20, 60):
        for accuracy in (0.75, 0.9):
            for sigma in (0.0, 0.8, 1.2):
                name = f"{n_clusters} clusters, sizes spread by {sigma:g}, accuracy {accuracy:g}"
                trial = _clustered(n_clusters, accuracy, sigma)
                yield Trial("comparisons over clusters", name, trial, _AIMS)


def _clustered(
    n_clusters: int, accuracy: float, sigma: float, within: float = 0.3
) -> Callable[[np.random.Generator], dict[tuple[str, str], bool]]:
    sides = accuracy * (1.0 - within) / within, (1.0 - accuracy) * (1.0 - within) / within

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        sizes = np.maximum(np.round(10 * rng.lognormal(0.0, sigma, n_clusters)), 1).astype(int)
        cluster = np.repeat(np.arange(n_clusters), sizes)
        true = rng.integers(3, size=len(cluster))
        shared = rng.beta(*sides, n_clusters)
        said: dict[str, Any] = {}
        for name in ("a", "b"):
            own = np.where(rng.random(n_clusters) < 0.5, shared, rng.beta(*sides, n_clusters))
            is_wrong = rng.random(len(cluster)) > own[cluster]
            said[name] = np.where(is_wrong, (true + 1 + rng.integers(2, size=len(true))) % 3, true)
        found = karat.compare(true, said, metrics=_COMPARED, clusters=cluster)
        return {(one.metric, "size"): one.p is not None and one.p < 0.05 for one in found}

    return source


_PILOTS = {"accuracy": 0.03, "macro_f1": 0.03, "kappa": 0.04}


def pilots(rng: np.random.Generator) -> Iterator[Trial]:
    """How many rows an interval needs, from pilots of few rows and from the population."""
    for n in (200, 500):
        table = random_table(rng, 4, "good")
        yield Trial("pilots", f"K=4, good, pilots of {n} rows", _planned(table, n), _AIMS)


def _planned(
    table: np.ndarray, n: int
) -> Callable[[np.random.Generator], dict[tuple[str, str], bool]]:
    whole = np.round(table * 1e6).astype(int)
    needed = {
        name: int(karat.rows_needed(name, pilot=whole, half_width=width))
        for name, width in _PILOTS.items()
    }

    def source(rng: np.random.Generator) -> dict[tuple[str, str], bool]:
        pilot = rng.multinomial(n, table.ravel()).reshape(table.shape)
        seen = {}
        for name, width in _PILOTS.items():
            found = karat.rows_needed(name, pilot=pilot, half_width=width)
            seen[name, "limits hold the rows needed"] = found.low <= needed[name] <= found.high
        return seen

    return source
