"""Designs of metrics of scores: areas, means of losses, and what takes replicates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from benchmarks.coverage.populations import finite
from benchmarks.coverage.study import Design

__all__ = ["areas", "areas_of_many", "bootstrapped", "means"]

Floats: TypeAlias = npt.NDArray[np.float64]
Law: TypeAlias = Callable[[np.random.Generator, int], Floats]

SIZE = 300_000
"""Rows of a finite population."""
AREAS = ("roc_auc", "average_precision", "pr_auc_trapezoid")
AREAS_OF_MANY = ("roc_auc_ovr_macro", "roc_auc_ovo_macro", "roc_auc_mu", "mean_average_precision")
MEANS = ("log_loss", "brier", "hinge_loss", "top_k_accuracy", "d2_log_loss", "d2_brier")
OF_LINES = ("calibration_slope", "calibration_in_the_large")
DRAWN = (
    "expected_calibration_error",
    "ks_statistic",
    "max_f_beta",
    "equal_error_rate",
    "min_cost",
    "recall_at_precision",
    "brier_miscalibration",
    "brier_discrimination",
)
ENOUGH, FEW = 20, 8


def _normal(shift: float, scale: float = 1.0) -> Law:
    return lambda rng, n: rng.normal(shift, scale, size=n)


def _hard(shift: float, share: float) -> Law:
    """Some positives look like negatives."""
    return lambda rng, n: rng.normal(size=n) + shift * (rng.random(n) >= share)


def _levels(shift: float, n_levels: int) -> Law:
    def law(rng: np.random.Generator, n: int) -> Floats:
        return np.clip(np.floor(rng.normal(shift, 1.2, size=n)), -n_levels // 2, n_levels // 2)

    return law


LAWS: dict[str, tuple[Law, Law]] = {
    "normal, shift 0.9": (_normal(0.9), _normal(0.0)),
    "normal, shift 1.8": (_normal(1.8), _normal(0.0)),
    "normal, shift 2.9": (_normal(2.9, 1.2), _normal(0.0)),
    "exponential, 7 times": (
        lambda rng, n: rng.exponential(7.0, size=n),
        lambda rng, n: rng.exponential(1.0, size=n),
    ),
    "t of 3 degrees, shift 1.3": (
        lambda rng, n: rng.standard_t(3, size=n) + 1.3,
        lambda rng, n: rng.standard_t(3, size=n),
    ),
    "6 tied levels": (_levels(1.4, 6), _levels(0.0, 6)),
    "10 % hard positives": (_hard(3.0, 0.10), _normal(0.0)),
    "4 % hard positives": (_hard(3.6, 0.04), _normal(0.0)),
}


def areas(rng: np.random.Generator) -> Iterator[Design]:
    """Areas under the curves of one column."""
    for name, (of_positive, of_rest) in LAWS.items():
        for share, n_positive in ((0.4, ENOUGH), (0.08, ENOUGH), (0.25, 4 * ENOUGH), (0.2, FEW)):
            m = round(SIZE * share)
            y = np.repeat([0, 1], [SIZE - m, m])
            s = np.concatenate([of_rest(rng, SIZE - m), of_positive(rng, m)])
            n = round(n_positive / share)
            source, population = finite({"y_true": y, "y_score": s}, n, labels=[0, 1])
            yield Design(
                "areas of one column",
                f"{name}, {share:.0%} positive, n={n}",
                AREAS,
                population,
                source,
                is_small=n_positive < ENOUGH,
            )

    yield from _separated(rng)


SEPARATED: dict[str, tuple[Law, Law]] = {
    "normal, shift 3.6": (_normal(3.6), _normal(0.0)),
    "normal, shift 3": (_normal(3.0), _normal(0.0)),
    "normal, shift 2.5, positives spread half as much": (_normal(2.5, 0.5), _normal(0.0)),
    "exponential, 30 times": (
        lambda rng, n: rng.exponential(30.0, size=n),
        lambda rng, n: rng.exponential(1.0, size=n),
    ),
    "t of 3 degrees, shift 4": (
        lambda rng, n: rng.standard_t(3, size=n) + 4.0,
        lambda rng, n: rng.standard_t(3, size=n),
    ),
}


def _separated(rng: np.random.Generator) -> Iterator[Design]:
    """Well separated classes with 15 to 25 positives."""
    for name, (of_positive, of_rest) in SEPARATED.items():
        for n_positive, n in ((15, 75), (20, 250), (25, 325)):
            m = round(SIZE * n_positive / n)
            y = np.repeat([0, 1], [SIZE - m, m])
            s = np.concatenate([of_rest(rng, SIZE - m), of_positive(rng, m)])
            source, population = finite({"y_true": y, "y_score": s}, n, labels=[0, 1])
            yield Design(
                "areas of one column",
                f"{name}, {n_positive} positives, n={n}",
                ("roc_auc",),
                population,
                source,
                is_small=n_positive < ENOUGH,
            )


def logits(rng: np.random.Generator, k: int, separation: float) -> tuple[Any, Floats]:
    """Labels with unequal shares, and correlated Gaussian scores that know them more or less."""
    shares = rng.gamma(3.0, size=k) + 0.5
    y = rng.choice(k, size=SIZE, p=shares / shares.sum())
    means = separation * (np.eye(k) + rng.normal(0.0, 0.15, size=(k, k)))
    mixing = np.eye(k) + rng.normal(0.0, 0.25, size=(k, k))
    return y, means[y] + rng.normal(size=(SIZE, k)) @ mixing


def softmax(z: Floats, sharpness: float = 1.0) -> Floats:
    p = np.exp(sharpness * (z - z.max(axis=1, keepdims=True)))
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def areas_of_many(rng: np.random.Generator) -> Iterator[Design]:
    """Averages of areas over classes or pairs."""
    for k in (3, 5):
        for separation in (0.7, 1.6, 3.0, 4.5):
            for rarest in (ENOUGH, 3 * ENOUGH) if k == 3 else (ENOUGH, FEW):
                y, z = logits(rng, k, separation)
                share = np.bincount(y).min() / SIZE
                n = int(np.ceil(rarest / share))
                rows = {"y_true": y, "y_prob": softmax(z)}
                source, population = finite(rows, n, labels=list(range(k)))
                yield Design(
                    "areas of many columns",
                    f"K={k}, separation {separation:g}, rarest class {share:.2f}, n={n}",
                    AREAS_OF_MANY,
                    population,
                    source,
                    is_small=rarest < ENOUGH,
                )


def means(rng: np.random.Generator) -> Iterator[Design]:
    """Means of losses, shares of them, and lines of calibration."""
    for k in (3, 5):
        for separation, sharpness in ((1.0, 1.0), (2.0, 2.0), (3.5, 1.0), (2.0, 0.5)):
            y, z = logits(rng, k, separation)
            n = int(np.ceil(ENOUGH / (np.bincount(y).min() / SIZE)))
            rows = {"y_true": y, "y_prob": softmax(z, sharpness)}
            source, population = finite(rows, n, labels=list(range(k)))
            yield Design(
                "means",
                f"K={k}, separation {separation:g}, sharpness {sharpness:g}, n={n}",
                MEANS,
                population,
                source,
            )
    for prevalence in (0.1, 0.4):
        for shift, sharpness in ((1.0, 1.0), (2.0, 1.6), (2.0, 0.7)):
            for n_positive in (ENOUGH, 3 * ENOUGH):
                rows, told = _forecasts(rng, prevalence, shift, sharpness)
                n = round(n_positive / prevalence)
                source, population = finite(rows, n, labels=[0, 1])
                yield Design(
                    "means",
                    f"{told}, n={n}",
                    (*OF_LINES, "log_loss", "brier", "d2_brier"),
                    population,
                    source,
                )


def _forecasts(
    rng: np.random.Generator, prevalence: float, shift: float, sharpness: float
) -> tuple[dict[str, Any], str]:
    """Probabilities of two normal scores; calibrated where the sharpness is 1."""
    y = (rng.random(SIZE) < prevalence).astype(int)
    s = rng.normal(size=SIZE) + shift * y
    odds = shift * s - shift**2 / 2.0 + np.log(prevalence / (1.0 - prevalence))
    told = f"{prevalence:.0%} positive, shift {shift:g}, sharpness {sharpness:g}"
    return {"y_true": y, "y_prob": 1.0 / (1.0 + np.exp(-sharpness * odds))}, told


def bootstrapped(rng: np.random.Generator) -> Iterator[Design]:
    """What has no influence function, by percentiles of replicates."""
    for prevalence, n in ((0.2, 100), (0.2, 400), (0.5, 1000)):
        for shift, sharpness in ((1.0, 1.0), (2.0, 2.0), (3.0, 0.8)):
            rows, told = _forecasts(rng, prevalence, shift, sharpness)
            source, population = finite(rows, n, labels=[0, 1])
            yield Design(
                "replicates",
                f"{told}, n={n}",
                DRAWN,
                population,
                source,
                interval={"n_replicates": 400},
                most=2000,
            )
    for prevalence, shift, sharpness, n in (
        (0.2, 1.0, 1.0, 500),
        (0.5, 2.0, 1.0, 500),
        (0.3, 1.5, 1.0, 2000),
        (0.5, 1.0, 1.3, 500),
        (0.3, 1.5, 1.6, 500),
        (0.5, 1.0, 3.0, 500),
    ):
        rows, told = _forecasts(rng, prevalence, shift, sharpness)
        source, population = finite(rows, n, labels=[0, 1])
        yield Design(
            "replicates",
            f"{told}, n={n}",
            DRAWN[:1],
            population,
            source,
            interval={"n_replicates": 400},
            most=2000,
        )
