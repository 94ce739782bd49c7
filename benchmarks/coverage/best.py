"""Designs of several models: what the choice of the best adds to its value, and its interval."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import karat
from benchmarks.coverage.tests import Models, labelled, made_equal, scored

__all__ = ["Chosen", "Contest", "best_of_models", "chosen"]

FAMILY: Final = "best of models"
MOST: Final = 2000
"""Samples of a comparison at most: each is dear."""
OF_LABELS: Final = ("accuracy", "macro_f1", "matthews_correlation")
OF_SCORES: Final = ("roc_auc", "average_precision")
OF_LOSSES: Final = ("log_loss", "brier")
ROWS_OF_A_CLUSTER: Final = 4


@dataclass(frozen=True)
class Contest:
    """A population with the predictions of several models, and how samples of it are drawn.

    Attributes:
        name: what is drawn, in words.
        models: the population.
        n: rows of a sample.
        metrics: what is compared.
        rows_of_a_cluster: how often each row stands in a sample, as a cluster.
    """

    name: str
    models: Models
    n: int
    metrics: tuple[str, ...]
    rows_of_a_cluster: int = 1

    def drawn(self, rng: np.random.Generator) -> karat.Comparison:
        """The comparison of the models on one sample."""
        true, said = self.models.drawn(rng, self.n // self.rows_of_a_cluster)
        how = karat.Interval(n_replicates=99, seed=int(rng.integers(1 << 31)))
        options: dict[str, Any] = {"baseline": "a", "interval": how}
        if self.rows_of_a_cluster > 1:
            options["clusters"] = np.repeat(np.arange(len(true)), self.rows_of_a_cluster)
            true = np.repeat(true, self.rows_of_a_cluster)
            said = {name: np.repeat(x, self.rows_of_a_cluster) for name, x in said.items()}
        given = {self.models.kind: said}
        return karat.compare(true, metrics=self.metrics, **given, **options)


@dataclass(frozen=True)
class Chosen:
    """What was found of the model that was chosen as the best by one metric.

    A bias is that of the choice, in standard errors: the mean of value − true value of the chosen
    model, less that of all models, which were not chosen; of a loss with the sign turned.

    Attributes:
        family, design, metric, n_models, n_samples: what was tried.
        bias: of the value as measured.
        corrected: of the corrected value.
        error: standard error of `corrected`, of the simulation.
        coverage: share of the ordinary intervals of the chosen model that hold the true value.
        corrected_coverage: the same of the intervals that allow for the choice.
        below, above: share of those that lie wholly below, and above, the true value.
        width: mean width of those, in widths of the others.
        each: share of the ordinary intervals of all models, chosen or not, that cover the true
            value of their model; NaN in files that were written before it was counted.
        optimistic: share of those that lie wholly on the better side of it.
    """

    family: str
    design: str
    metric: str
    n_models: int
    n_samples: int
    bias: float
    corrected: float
    error: float
    coverage: float
    corrected_coverage: float
    below: float
    above: float
    width: float
    each: float = math.nan
    optimistic: float = math.nan


def chosen(contest: Contest, n_samples: int, seed: list[int]) -> list[Chosen]:
    """One line for each metric."""
    rng = np.random.default_rng(seed)
    count, metrics = min(n_samples, MOST), contest.metrics
    truth = contest.models.values(metrics)
    found = {metric: np.full((count, 7), np.nan) for metric in metrics}
    # Of each model: its value and both limits.
    values = {metric: np.full((count, len(truth[metric]), 3), np.nan) for metric in metrics}
    for i in range(count):
        comparison = contest.drawn(rng)
        for metric in metrics:
            best = comparison.best(metric)
            of_models = comparison.values[metric]
            known = dict(zip(of_models, truth[metric], strict=True))
            assert best.model is not None
            plain = of_models[best.model]
            limits = (plain.low, plain.high, best.corrected, best.low, best.high)
            found[metric][i] = (best.value, known[best.model], *limits)
            values[metric][i] = [(one.value, one.low, one.high) for one in of_models.values()]
    return [
        _line(contest, metric, found[metric], values[metric], np.array(truth[metric]))
        for metric in metrics
    ]


def _line(contest: Contest, metric: str, found: Any, of_models: Any, truth: Any) -> Chosen:
    values, lows, highs = np.moveaxis(of_models, -1, 0)
    sign = -1.0 if karat.metrics.get(metric).better == "lower" else 1.0
    value, true, low, high, corrected, low_best, high_best = found.T
    unit = float(values.std(axis=0).mean())
    common = (values - truth).mean(axis=1)
    biases = [sign * (x - true - common) / unit for x in (value, corrected)]
    is_below, is_above = high_best < true, low_best > true
    misses = float((highs < truth).mean()), float((lows > truth).mean())
    return Chosen(
        FAMILY,
        contest.name,
        metric,
        values.shape[1],
        len(values),
        float(biases[0].mean()),
        float(biases[1].mean()),
        float(biases[1].std() / np.sqrt(len(values))),
        float(((low <= true) & (true <= high)).mean()),
        float(1.0 - is_below.mean() - is_above.mean()),
        float(is_below.mean()),
        float(is_above.mean()),
        float((high_best - low_best).mean() / (high - low).mean()),
        1.0 - sum(misses),
        misses[0] if sign < 0.0 else misses[1],
    )


def best_of_models(rng: np.random.Generator) -> Iterator[Contest]:
    """Equal models of several numbers and correlations, a clear best, two near ones, a ladder."""
    for m, together in ((5, 0.6), (5, 0.2), (2, 0.6), (10, 0.6)):
        equal = made_equal(labelled(rng, 3, (0.2,) * m, together))
        told = "much" if together > 0.5 else "little"
        yield Contest(f"{m} equal models, {told} in common, n=400", equal, 400, OF_LABELS)
    for m, shift, n in ((5, 1.4, 300), (10, 1.4, 300)):
        equal = made_equal(scored(rng, 0.3, (shift,) * m))
        yield Contest(f"{m} equal models with scores, n={n}", equal, n, OF_SCORES)
    equal = _with_probabilities(made_equal(scored(rng, 0.3, (1.4,) * 5)))
    yield Contest("5 equal models with probabilities, n=300", equal, 300, OF_LOSSES)
    clustered = made_equal(labelled(rng, 3, (0.2,) * 5, 0.6))
    yield Contest(
        f"5 equal models, 200 clusters of {ROWS_OF_A_CLUSTER}", clustered, 800, OF_LABELS,
        ROWS_OF_A_CLUSTER,
    )  # fmt: skip
    unequal: dict[str, tuple[float, ...]] = {
        "one best of 5 by 4 standard errors": (0.12, *(0.2,) * 4),
        "one best of 5 by 2 standard errors": (0.16, *(0.2,) * 4),
        "one best of 5 by 1 standard error": (0.18, *(0.2,) * 4),
        "two best of 5 by 2 standard errors": (0.16, 0.16, *(0.2,) * 3),
        "5 models, each worse by 1 standard error": (0.12, 0.14, 0.16, 0.18, 0.2),
    }
    for told, errors in unequal.items():
        yield Contest(f"{told}, n=400", labelled(rng, 3, errors, 0.6), 400, OF_LABELS)


def _with_probabilities(models: Models) -> Models:
    """The scores as probabilities of the positive class that are nearly calibrated."""
    return Models(models.true, 1.0 / (1.0 + np.exp(1.8 - 1.4 * models.said)), "y_prob")
