"""Populations drawn by a seed, and samples of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.coverage.study import Sample, Source

__all__ = [
    "QUALITIES",
    "by_class",
    "clustered",
    "error_table",
    "finite",
    "random_table",
    "rows_for",
    "table_of",
    "tables",
    "unequal_clusters",
    "weighted",
    "zipf_shares",
]

Floats: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = dict[str, npt.NDArray[Any]]

QUALITIES = {"poor": (0.45, 0.75), "good": (0.7, 0.92), "excellent": (0.93, 0.995)}
"""Between which values the recall of each class is drawn."""


def random_table(rng: np.random.Generator, k: int, quality: str) -> Floats:
    """float64[k, k], shares of true by predicted class; errors fall to classes nearby."""
    shares = rng.gamma(2.0, size=k) + 0.15
    recall = rng.uniform(*QUALITIES[quality], size=k)
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    errors = rng.gamma(1.0, size=(k, k)) * np.exp(-apart / 3.0)
    np.fill_diagonal(errors, 0.0)
    table = errors / errors.sum(axis=1, keepdims=True) * (1.0 - recall)[:, None]
    table[np.arange(k), np.arange(k)] = recall
    return np.asarray(table * (shares / shares.sum())[:, None])


def table_of(prevalence: float, recall: float, specificity: float) -> Floats:
    """float64[2, 2] of two classes, the second one positive."""
    rest = 1.0 - prevalence
    return np.array(
        [
            [rest * specificity, rest * (1.0 - specificity)],
            [prevalence * (1.0 - recall), prevalence * recall],
        ]
    )


def error_table(rng: np.random.Generator, shares: Floats, recall: Floats) -> Floats:
    """float64[k, k] of classes with these shares and recalls [k]; errors fall anywhere."""
    k = len(shares)
    errors = rng.gamma(1.0, size=(k, k))
    np.fill_diagonal(errors, 0.0)
    table = errors / errors.sum(axis=1, keepdims=True) * (1.0 - recall)[:, None]
    table[np.arange(k), np.arange(k)] = recall
    return np.asarray(table * shares[:, None])


def zipf_shares(k: int) -> Floats:
    """float64[k], in proportion to 1, 1/2, 1/3, …"""
    found = 1.0 / np.arange(1, k + 1)
    return np.asarray(found / found.sum())


def rows_for(table: Floats, rarest: float) -> int:
    """With how many rows the rarest class expects so many."""
    return int(np.ceil(rarest / table.sum(axis=1).min()))


def tables(table: Floats, n: int) -> Source:
    """Rows drawn one by one, as tables of counts."""

    def source(rng: np.random.Generator, count: int) -> Iterator[Sample]:
        for found in rng.multinomial(n, table.ravel(), size=count).reshape(-1, *table.shape):
            yield {"confusion": found}

    return source


def by_class(table: Floats, n: int) -> tuple[Source, Sample]:
    """So many rows of each true class, and the population with these shares of the classes."""
    rows = np.maximum(np.round(table.sum(axis=1) * n), 1).astype(int)
    given = table / table.sum(axis=1, keepdims=True)

    def source(rng: np.random.Generator, count: int) -> Iterator[Sample]:
        found = np.stack(
            [rng.multinomial(m, p, size=count) for m, p in zip(rows, given, strict=True)], 1
        )
        for one in found:
            yield {"confusion": one}

    return source, {"confusion": given * rows[:, None]}


def weighted(table: Floats, n: int, sigma: float, *, goes_with: bool) -> tuple[Source, Sample]:
    """Rows with lognormal weights, and the population that they stand for.

    Args:
        goes_with: whether rows that are predicted wrongly weigh twice as much.
    """
    k = len(table)
    factor = np.where(np.eye(k, dtype=bool), 1.0, 2.0 if goes_with else 1.0)

    def source(rng: np.random.Generator, count: int) -> Iterator[Sample]:
        for _ in range(count):
            cell = rng.choice(k * k, size=n, p=table.ravel())
            weights = rng.lognormal(0.0, sigma, size=n) * factor.ravel()[cell]
            yield {
                "y_true": cell // k,
                "y_pred": cell % k,
                "weights": weights,
                "labels": list(range(k)),
            }

    return source, {"confusion": table * factor}


def clustered(table: Floats, n_clusters: int, size: int, latent: float) -> Source:
    """Clusters whose rows share a part of what decides truth and prediction (Gaussian copula).

    Args:
        latent: correlation of the normal variable behind two rows of a cluster; 0.45 gives
            binary outcomes an intraclass correlation of about 0.3.
    """
    from scipy.special import ndtr

    k = len(table)
    shares = np.cumsum(table.sum(axis=1))
    given = np.cumsum(table / table.sum(axis=1, keepdims=True), axis=1)
    clusters = np.repeat(np.arange(n_clusters), size)

    def uniform(rng: np.random.Generator) -> Floats:
        shared = rng.normal(size=n_clusters)[clusters]
        own = rng.normal(size=len(clusters))
        return np.asarray(ndtr(np.sqrt(latent) * shared + np.sqrt(1.0 - latent) * own))

    def source(rng: np.random.Generator, count: int) -> Iterator[Sample]:
        for _ in range(count):
            true = np.minimum(np.searchsorted(shares, uniform(rng)), k - 1)
            # The right prediction has the lowest numbers, so that errors of a cluster go together.
            order = np.argsort(
                np.arange(k)[None, :] != np.arange(k)[:, None], axis=1, kind="stable"
            )
            sorted_given = np.cumsum(
                np.take_along_axis(np.diff(given, prepend=0.0), order, 1), axis=1
            )
            place = (uniform(rng)[:, None] > sorted_given[true]).sum(axis=1)
            yield {
                "y_true": true,
                "y_pred": order[true, np.minimum(place, k - 1)],
                "clusters": clusters,
                "labels": list(range(k)),
            }

    return source


def unequal_clusters(
    table: Floats, n_clusters: int, size: float, sigma: float, within: float
) -> Source:
    """Clusters that differ in how often their rows are right (beta-binomial), and in size.

    Args:
        table: whose classes all have the same recall.
        size: median rows of a cluster.
        sigma: spread of the logarithm of the sizes; 0: all are equal.
        within: intraclass correlation of being right.
    """
    k = len(table)
    shares = table.sum(axis=1)
    right = float(np.trace(table))
    wrong = np.where(np.eye(k, dtype=bool), 0.0, table / shares[:, None])
    wrong = np.cumsum(wrong / wrong.sum(axis=1, keepdims=True), axis=1)
    sides = right * (1.0 - within) / within, (1.0 - right) * (1.0 - within) / within

    def source(rng: np.random.Generator, count: int) -> Iterator[Sample]:
        for _ in range(count):
            sizes = np.maximum(np.round(size * rng.lognormal(0.0, sigma, n_clusters)), 1)
            clusters = np.repeat(np.arange(n_clusters), sizes.astype(int))
            true = rng.choice(k, size=len(clusters), p=shares)
            is_right = rng.random(len(clusters)) < rng.beta(*sides, n_clusters)[clusters]
            other = (rng.random(len(clusters))[:, None] > wrong[true]).sum(axis=1)
            yield {
                "y_true": true,
                "y_pred": np.where(is_right, true, np.minimum(other, k - 1)),
                "clusters": clusters,
                "labels": list(range(k)),
            }

    return source


def finite(rows: Rows, n: int, **options: Any) -> tuple[Source, Sample]:
    """Rows of a finite population, with replacement: its own values are the true ones."""
    size = len(rows["y_true"])

    def source(rng: np.random.Generator, count: int) -> Iterator[Sample]:
        for _ in range(count):
            at = rng.integers(size, size=n)
            yield {name: column[at] for name, column in rows.items()} | options

    return source, rows | options
