"""Designs of metrics of labels: shares, agreement, means over classes, ratios, odd samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import karat
from benchmarks.coverage.populations import (
    QUALITIES,
    by_class,
    clustered,
    random_table,
    rows_for,
    table_of,
    tables,
    weighted,
)
from benchmarks.coverage.study import Design

__all__ = ["agreement", "means_of_classes", "odd_samples", "ratios", "shares"]

SHARES = (
    "accuracy",
    "recall",
    "precision",
    "specificity",
    "negative_predictive_value",
    "f1",
    "jaccard",
)
OF_TWO = (
    "informedness",
    "markedness",
    "f_beta(beta=2)",
    "kappa",
    "matthews_correlation",
    "gwet_ac1",
    "normalized_mutual_information",
    "mutual_information",
)
AGREEMENT = ("kappa", "kappa_quadratic", "matthews_correlation", "gwet_ac1")
INFORMATION = ("normalized_mutual_information", "mutual_information")
MEANS = (
    "macro_f1",
    "macro_precision",
    "balanced_accuracy",
    "weighted_f1",
    "g_mean",
    "f1_of_macro_averages",
)
RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")
ENOUGH, FEW = 20, 8
SIZES = {"poor": (ENOUGH,), "good": (ENOUGH, FEW), "excellent": (ENOUGH,)}
"""Quality → rows that the rarest class expects."""


def _of_two(rng: np.random.Generator, prevalence: float, quality: str) -> tuple[str, np.ndarray]:
    recall, specificity = rng.uniform(*QUALITIES[quality], size=2)
    told = f"prevalence {prevalence:g}, recall {recall:.2f}, specificity {specificity:.2f}"
    return told, table_of(prevalence, recall, specificity)


def _two_classes(
    rng: np.random.Generator, family: str, metrics: tuple[str, ...], prevalences: tuple[float, ...]
) -> Iterator[Design]:
    for prevalence in prevalences:
        for quality in QUALITIES:
            for rarest in SIZES[quality]:
                told, table = _of_two(rng, prevalence, quality)
                n = rows_for(table, rarest)
                yield Design(
                    family,
                    f"{told}, n={n}",
                    metrics,
                    {"confusion": table},
                    tables(table, n),
                    is_small=rarest < ENOUGH,
                )


def shares(rng: np.random.Generator) -> Iterator[Design]:
    """Metrics that are a share of rows, or follow from one."""
    return _two_classes(rng, "shares", SHARES, (0.07, 0.3, 0.75))


def ratios(rng: np.random.Generator) -> Iterator[Design]:
    """Quotients without an upper end."""
    return _two_classes(rng, "ratios", RATIOS, (0.1, 0.5))


def agreement(rng: np.random.Generator) -> Iterator[Design]:
    """Metrics with the limits of a share of as many rows as would vary so much."""
    yield from _two_classes(rng, "agreement", OF_TWO, (0.1, 0.45))
    for k in (3, 6):
        for quality in QUALITIES:
            for rarest in SIZES[quality]:
                yield _of_many(rng, "agreement", (*AGREEMENT, *INFORMATION), k, quality, rarest)


def means_of_classes(rng: np.random.Generator) -> Iterator[Design]:
    """Averages over the classes."""
    for k in (3, 10):
        for quality in QUALITIES:
            for rarest in SIZES[quality]:
                yield _of_many(rng, "means of classes", MEANS, k, quality, rarest)


def _of_many(
    rng: np.random.Generator,
    family: str,
    metrics: tuple[str, ...],
    k: int,
    quality: str,
    rarest: int,
) -> Design:
    table = random_table(rng, k, quality)
    n = rows_for(table, rarest)
    share = table.sum(axis=1).min()
    return Design(
        family,
        f"K={k}, {quality}, rarest class {share:.3f}, n={n}",
        metrics,
        {"confusion": table},
        tables(table, n),
        is_small=rarest < ENOUGH,
    )


ODD = ("accuracy", "macro_f1", "balanced_accuracy", "kappa", "matthews_correlation")
LATENT = 0.45
ROWS_OF_A_CLUSTER = 10


def odd_samples(rng: np.random.Generator) -> Iterator[Design]:
    """Samples whose rows have weights, come in clusters or were chosen by class."""
    family = "weights, clusters, case-control"
    for quality in ("good", "excellent"):
        for k, n in ((2, 200), (4, 600)):
            for sigma, goes_with in ((0.7, True), (1.0, False)):
                table = _common_table(rng, k, quality)
                source, population = weighted(table, n, sigma, goes_with=goes_with)
                more = ", errors weigh twice" if goes_with else ""
                name = f"weights exp({sigma:g}·normal){more}, K={k}, {quality}, n={n}"
                yield Design(family, name, ODD, population, source)
        for k in (2, 4):
            for n_clusters in (20, 50) if k == 2 else (50, 200):
                table = _common_table(rng, k, quality)
                source_of = clustered(table, n_clusters, ROWS_OF_A_CLUSTER, LATENT)
                name = f"{n_clusters} clusters of {ROWS_OF_A_CLUSTER}, K={k}, {quality}"
                yield Design(family, name, ODD, {"confusion": table}, source_of)
        for k, n in ((2, 60), (4, 200)):
            table = _common_table(rng, k, quality)
            source, population = by_class(table, n)
            name = f"case-control, K={k}, {quality}, n={n}"
            yield Design(family, name, ODD, population, source, {"design": karat.CaseControl()})


def _common_table(rng: np.random.Generator, k: int, quality: str) -> np.ndarray:
    """A table no class of which is rarer than half its equal share."""
    while True:
        table = random_table(rng, k, quality)
        if table.sum(axis=1).min() > 0.5 / k:
            return table
