"""One design: samples of one population, and how often the intervals hold its true values."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np

import karat
from karat import Report

__all__ = ["FAMILIES", "PEERS", "Design", "Figure", "Sample", "Source", "measured", "true_values"]

FAMILIES: Final = (
    "shares",
    "agreement",
    "means of classes",
    "ratios",
    "weights, clusters, case-control",
    "areas of one column",
    "areas of many columns",
    "means",
    "replicates",
    "comparisons",
    "gaps between groups",
    "means near 1",
    "rare classes",
    "unequal clusters",
    "comparisons over clusters",
    "pilots",
    "equal slices",
    "best of models",
    "bands",
)
"""Intervals that are studied together, in the order of the page."""
PEERS: Final = "other packages"
"""Intervals of other packages, on samples of the families."""
_MOST_KNOWN: Final = 2000
_OF_AVERAGES: Final = "averages over the classes"
Sample: TypeAlias = Mapping[str, Any]
"""Arguments of `karat.evaluate`."""
Source: TypeAlias = Callable[[np.random.Generator, int], Iterator[Sample]]
"""From a generator of random numbers and a number of samples to the samples."""


@dataclass(frozen=True)
class Design:
    """A population, and how samples of it are drawn.

    Attributes:
        family: of intervals that are studied together.
        name: what is drawn, in words.
        metrics: what is asked for in one call.
        population: arguments that give the true values.
        source: draws samples.
        options: arguments of every call, as `design=`.
        interval: how its intervals are made, as `n_replicates=`.
        is_small: whether some class expects fewer than 20 rows.
        most: so many samples at most, where each is dear.
    """

    family: str
    name: str
    metrics: tuple[str, ...]
    population: Sample
    source: Source
    options: Mapping[str, Any] = field(default_factory=dict)
    interval: Mapping[str, Any] = field(default_factory=dict)
    is_small: bool = False
    most: int | None = None


@dataclass(frozen=True)
class Figure:
    """What the intervals of one metric did in one design.

    Attributes:
        family, design, metric, is_small: what was measured.
        truth: the value of the population.
        n_samples: samples that had an interval.
        without: share of the samples without one.
        coverage: share of the intervals that hold the truth.
        below, above: share of the intervals that lie wholly below, and above, the truth.
        width: mean width.
        bias: mean of value − truth.
        warned: share of the intervals with a remark, or of reports with a caution.
        methods: what made the intervals.
        cpu_seconds: of the whole design.
    """

    family: str
    design: str
    metric: str
    is_small: bool
    truth: float
    n_samples: int
    without: float
    coverage: float
    below: float
    above: float
    width: float
    bias: float
    warned: float
    methods: tuple[str, ...]
    cpu_seconds: float


def true_values(design: Design) -> list[float]:
    """What the metrics give for the whole population."""
    report = karat.evaluate(**design.population, metrics=design.metrics, level=None)
    return [result.value for result in report.metrics.values()]


def measured(design: Design, n_samples: int, seed: Sequence[int]) -> list[Figure]:
    """One figure for each metric."""
    rng = np.random.default_rng(seed)
    count = min(n_samples, design.most or n_samples)
    truth = np.array(true_values(design))
    low, high, value = (np.full((count, len(truth)), np.nan) for _ in range(3))
    warned = np.zeros((count, len(truth)), bool)
    methods: list[set[str]] = [set() for _ in truth]
    start = time.process_time()
    known: dict[bytes, Report] = {}
    for i, sample in enumerate(design.source(rng, count)):
        how = karat.Interval(**design.interval, seed=int(rng.integers(1 << 31)))
        # Of few rows many samples are the same table.
        key = np.asarray(sample["confusion"]).tobytes() if set(sample) == {"confusion"} else b""
        report = known.get(key)
        if report is None:
            report = karat.evaluate(
                **sample, **design.options, interval=how, metrics=design.metrics
            )
        if key and len(known) < _MOST_KNOWN:
            known[key] = report
        # Averages that it concerns have a remark.
        has_cautions = any(_OF_AVERAGES not in one for one in report.cautions)
        for j, result in enumerate(report.metrics.values()):
            value[i, j] = result.value
            warned[i, j] = has_cautions or result.remark is not None
            if result.low is not None and result.high is not None:
                low[i, j], high[i, j] = result.low, result.high
                methods[j].add(str(result.method))
    seconds = time.process_time() - start
    # Limits and true values are rounded differently in the last bits.
    slack = 1e-9 * np.maximum(1.0, np.abs(truth))
    has_limits = ~np.isnan(low)
    is_below = has_limits & (high < truth - slack)
    is_above = has_limits & (low > truth + slack)
    found = []
    for j, name in enumerate(design.metrics):
        held = has_limits[:, j]
        n = int(held.sum())
        below, above = (
            float(miss[held, j].mean()) if n else np.nan for miss in (is_below, is_above)
        )
        finite = np.isfinite(value[:, j])
        found.append(
            Figure(
                design.family,
                design.name,
                name,
                design.is_small,
                float(truth[j]),
                n,
                1.0 - n / count,
                1.0 - below - above,
                below,
                above,
                float((high - low)[held, j].mean()) if n else np.nan,
                float(value[finite, j].mean() - truth[j]) if finite.any() else np.nan,
                float(warned[held, j].mean()) if n else np.nan,
                tuple(sorted(methods[j])),
                seconds,
            )
        )
    return found
