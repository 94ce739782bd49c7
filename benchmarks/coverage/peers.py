"""Intervals of other packages on the same samples: confidenceinterval, and SciPy's bootstrap.

`confidenceinterval` is not installed with the tests, since it asks for a setuptools that torch
refuses: ``pip install statsmodels`` and ``pip install --no-deps "confidenceinterval>=1.0.5,<1.1"``.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.stats import bootstrap

import karat
from benchmarks.coverage import labels, scores
from benchmarks.coverage.study import PEERS, Design, Sample, true_values

__all__ = ["PeerFigure", "Samples", "measured_with_peers", "peers", "versions"]

Floats: TypeAlias = npt.NDArray[np.float64]
Limits: TypeAlias = tuple[float, float]
N_RESAMPLES: Final = 2000
MOST: Final = 500
"""Samples of a design at most: each is resampled."""
KARAT, PACKAGE = "karat", "confidenceinterval"
PERCENTILE, BCA = "SciPy, percentile", "SciPy, BCa"
METHODS: Final = (KARAT, PACKAGE, PERCENTILE, BCA)
OF_LABELS: Final = ("accuracy", "f1", "matthews_correlation", "macro_f1")
OF_SCORES: Final = ("roc_auc", "average_precision")
LAWS: Final = ("normal, shift 0.9", "normal, shift 1.8", "normal, shift 2.9", "6 tied levels")


@dataclass(frozen=True)
class Samples:
    """A design of the study, the samples of which every package gets.

    Attributes:
        design: whose samples they are.
        metrics: what is asked for.
    """

    design: Design
    metrics: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.design.name


@dataclass(frozen=True)
class PeerFigure:
    """What the intervals of one package did for one metric in one design.

    Attributes:
        family, design, metric, method: what was measured.
        n_samples: samples that had an interval.
        without: share of the samples without one.
        coverage, below, above: as of a `Figure`.
        width: median width.
    """

    family: str
    design: str
    metric: str
    method: str
    n_samples: int
    without: float
    coverage: float
    below: float
    above: float
    width: float


def versions() -> dict[str, str]:
    """Those of the packages that are there."""
    found = {}
    for name in ("scipy", PACKAGE):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def peers(rng: np.random.Generator) -> Iterator[Samples]:
    """Designs of the study with 20 rows or more of every class."""
    for family, metrics in (
        (labels.shares, ("accuracy", "f1")),
        (labels.agreement, ("matthews_correlation",)),
        (labels.means_of_classes, ("macro_f1",)),
        (scores.areas, OF_SCORES),
    ):
        for design in family(rng):
            is_of_scores = family is scores.areas
            is_of_two = "K=" not in design.name
            if design.is_small or (family is labels.agreement and not is_of_two):
                continue
            if is_of_scores and not design.name.startswith(LAWS):
                continue
            yield Samples(design, tuple(x for x in metrics if x in design.metrics))


def measured_with_peers(samples: Samples, n_samples: int, seed: list[int]) -> list[PeerFigure]:
    """One line for each metric and method; values are compared first."""
    rng = np.random.default_rng(seed)
    design, metrics = samples.design, samples.metrics
    count = min(n_samples, MOST)
    truth = dict(zip(design.metrics, true_values(design), strict=True))
    found: dict[tuple[str, str], list[Limits]] = defaultdict(list)
    for sample in design.source(rng, count):
        report = karat.evaluate(**sample, **design.options, metrics=metrics)
        rows = _rows(sample)
        for metric in metrics:
            one = report[metric]
            low, high = (np.nan if x is None else x for x in (one.low, one.high))
            found[metric, KARAT].append((low, high))
            for method, (value, limits) in _others(metric, rows, rng).items():
                if not np.isclose(value, one.value, rtol=1e-6, atol=1e-9, equal_nan=True):
                    raise AssertionError(f"{metric}: {method} has {value}, karat {one.value}")
                found[metric, method].append(limits)
    return [
        _line(design.name, metric, method, truth[metric], np.array(limits))
        for (metric, method), limits in found.items()
    ]


def _line(design: str, metric: str, method: str, truth: float, limits: Floats) -> PeerFigure:
    is_known = np.isfinite(limits).all(axis=1)
    low, high = limits[is_known].T
    slack = 1e-9 * max(1.0, abs(truth))
    below, above = float((high < truth - slack).mean()), float((low > truth + slack).mean())
    return PeerFigure(
        *(PEERS, design, metric, method, len(low), float(1.0 - is_known.mean())),
        *(1.0 - below - above, below, above, float(np.median(high - low))),
    )


@dataclass(frozen=True)
class _Rows:
    """The rows of a sample: true and predicted classes, or true classes and scores."""

    true: npt.NDArray[np.int64]
    said: npt.NDArray[Any]
    k: int

    @property
    def cells(self) -> npt.NDArray[np.int64]:
        return np.asarray(self.true * self.k + self.said)


def _rows(sample: Sample) -> _Rows:
    if "confusion" in sample:
        table = np.asarray(sample["confusion"])
        k = len(table)
        true, said = np.divmod(np.repeat(np.arange(k * k), table.ravel()), k)
        return _Rows(true, said, k)
    return _Rows(np.asarray(sample["y_true"]), np.asarray(sample["y_score"]), 2)


def _others(metric: str, rows: _Rows, rng: np.random.Generator) -> dict[str, tuple[float, Limits]]:
    """Method → value and limits, of each other package that has the metric."""
    found: dict[str, tuple[float, Limits]] = {}
    if (own := _of_package(metric)) is not None:
        found[PACKAGE] = own(rows.true, rows.said)
    data, statistic = _statistic(metric, rows)
    value = float(statistic(data))
    with warnings.catch_warnings():
        # Of replicates that are all alike SciPy says so, and has no limits.
        warnings.simplefilter("ignore")
        first = bootstrap((data,), statistic, n_resamples=N_RESAMPLES, method="percentile", rng=rng)
        # The same replicates.
        second = bootstrap((data,), statistic, n_resamples=0, bootstrap_result=first, method="BCa")
    for method, one in ((PERCENTILE, first), (BCA, second)):
        limits = one.confidence_interval
        found[method] = value, (float(limits.low), float(limits.high))
    return found


def _of_package(metric: str) -> Callable[[Any, Any], tuple[float, Limits]] | None:
    """The function of confidenceinterval with its default method; None where there is none."""
    try:
        package = import_module("confidenceinterval")
    except ModuleNotFoundError:
        return None
    functions: dict[str, Callable[[Any, Any], tuple[float, Limits]]] = {
        "accuracy": package.accuracy_score,
        "f1": partial(package.f1_score, average="binary"),
        "macro_f1": partial(package.f1_score, average="macro"),
        "roc_auc": package.roc_auc_score,
    }
    return functions.get(metric)


def _statistic(metric: str, rows: _Rows) -> tuple[npt.NDArray[Any], Callable[..., Any]]:
    """Rows by number, and a metric of any number of samples of them."""
    if metric in OF_SCORES:
        levels, level = np.unique(-rows.said, return_inverse=True)
        # A row is its level, and whether it is positive.
        data, n_kinds = 2 * level + rows.true, 2 * len(levels)
        of_counts: Callable[[Floats], Any] = partial(_of_levels, metric)
    else:
        data, n_kinds = rows.cells, rows.k**2
        of_counts = partial(_of_tables, metric, rows.k)

    def statistic(kinds: npt.NDArray[Any], axis: int = -1) -> Any:
        kinds = np.moveaxis(kinds, axis, -1)
        flat = kinds.reshape(-1, kinds.shape[-1])
        keys = flat + n_kinds * np.arange(len(flat))[:, None]
        counts = np.bincount(keys.ravel(), minlength=n_kinds * len(flat))
        found = of_counts(counts.reshape(len(flat), n_kinds).astype(np.float64))
        return found.reshape(kinds.shape[:-1])

    return data, statistic


def _of_tables(metric: str, k: int, counts: Floats) -> Any:
    """A metric of tables [b, k²]; a ratio without rows is 0."""
    tables = counts.reshape(-1, k, k)
    right = np.diagonal(tables, axis1=1, axis2=2)
    true, said, n = tables.sum(axis=2), tables.sum(axis=1), counts.sum(axis=1)
    if metric == "accuracy":
        return right.sum(axis=1) / n
    if metric == "matthews_correlation":
        above = right.sum(axis=1) * n - (true * said).sum(axis=1)
        below = np.sqrt((n**2 - (true**2).sum(axis=1)) * (n**2 - (said**2).sum(axis=1)))
        return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
    f1 = 2.0 * right / np.maximum(true + said, 1.0)
    return f1[:, 1] if metric == "f1" else f1.mean(axis=1)


def _of_levels(metric: str, counts: Floats) -> Any:
    """A metric of score levels, the highest first: counts of the rest and of positives [b, 2·l]."""
    rest, own = counts[:, 0::2], counts[:, 1::2]
    rest_above, own_above = rest.cumsum(axis=1), own.cumsum(axis=1)
    n_own, n_rest = own_above[:, -1], rest_above[:, -1]
    if metric == "roc_auc":
        below, n_pairs = (rest * (own_above - own / 2.0)).sum(axis=1), n_own * n_rest
    else:
        seen = np.maximum(own_above + rest_above, 1.0)
        below, n_pairs = (own * own_above / seen).sum(axis=1), n_own
    return np.divide(below, n_pairs, out=np.full_like(below, np.nan), where=n_pairs > 0)
