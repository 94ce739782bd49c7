"""Values of several models in one metric, and how they vary together: for rows of every kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from karat.designs.units import Units
from karat.inference.comparison.contrasts import (
    Apart,
    Correlation,
    Limits,
    Pair,
    Paired,
    Spread,
    ValueLimits,
    correlation,
    limits_together,
)
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.confidence import Confidence
from karat.inference.estimate import Distances, Estimate
from karat.metrics import Metric

DIFFERENT_ROWS = "different rows: the models are treated as independent"
Agreeing: TypeAlias = Callable[[Pair], tuple[float, float] | None]
"""From a pair to what `correlation` reads of models that agree."""
CorrelationOf: TypeAlias = Callable[[Pair], Correlation]
KindOfLimits: TypeAlias = Literal["combined", "still", "none"]


def contrasted(
    metric: Metric,
    estimates: Sequence[Estimate],
    pairs: Sequence[Pair],
    method: str,
    units: Units | None = None,
    *,
    kind_of_limits: KindOfLimits = "combined",
    agreeing: Agreeing = lambda _: None,
    same: frozenset[Pair] = frozenset(),
    remark: str | None = None,
) -> Measured:
    """Measure the differences of models.

    Args:
        pairs: the models of each difference.
        method: of tests and limits by the standard error.
        units: of the influences, of models on the same rows; None: the models are independent.
        kind_of_limits: ``"combined"``: of each difference, from those of both values at any
            level; ``"still"``: of equal values that no row moves, from their intervals;
            ``"none"``.
        same: pairs that predict the same on every row.
        remark: on every difference.
    """
    known: Sequence[Pair] = pairs
    if units is None:
        spread, goes_of = _apart(estimates)
    else:
        known = _with_influence(estimates, pairs)
        spread, goes_of = _paired(estimates, pairs, known, units, agreeing)
    limits: dict[Pair, tuple[str, Limits]] = {}
    if spread is not None and kind_of_limits == "still":
        limits = limits_of_still(metric, estimates, spread, pairs)
    elif spread is not None and kind_of_limits == "combined":
        of_values = ValueLimits.of(metric, estimates)
        limits = {} if of_values is None else of_values.differences(known, goes_of)
    return Measured(metric, estimates, spread, method, limits=limits, same=same, remark=remark)


def apart_by_limits(
    metric: Metric, estimates: Sequence[Estimate], spec: ComparisonSpec
) -> Measured:
    """Measure the differences of independent models whose values have limits at any level."""
    limits = ValueLimits(metric, estimates)
    estimates = [
        replace(each, df=limits.degrees(i), least=limits.least_variance(i, spec.level))
        for i, each in enumerate(estimates)
    ]
    is_normal = all(math.isinf(each.df) for each in estimates)
    method = "unpaired z" if is_normal else "unpaired t"
    return contrasted(metric, estimates, spec.pairs, method, remark=DIFFERENT_ROWS)


def _apart(estimates: Sequence[Estimate]) -> tuple[Spread | None, CorrelationOf]:
    """How independent values vary; None where a variance is not known at all."""
    variances = [each.variance for each in estimates]
    if None in variances:
        return None, _independent
    least = np.array([each.least for each in estimates])
    spread = Apart(np.array(variances, np.float64), min(each.df for each in estimates), least)
    return spread, _independent


def _paired(
    estimates: Sequence[Estimate],
    pairs: Sequence[Pair],
    known: Sequence[Pair],
    units: Units,
    agreeing: Agreeing,
) -> tuple[Spread | None, CorrelationOf]:
    """How values of the same units vary; None where no pair has two influences."""
    if not known:
        return None, _independent
    unknown = np.full(len(units.weights), math.nan)
    phi = [unknown if x.finite_influence is None else x.finite_influence for x in estimates]
    growth = [each.growth for each in estimates]
    variances = [each.variance for each in estimates]
    if None not in variances:
        own = np.array(variances, np.float64)
        return Paired.of(phi, units, known, own, growth).of_pairs(pairs), _independent
    together = units.covariance(np.stack(phi))
    spread = Paired.of(phi, units, known, np.diag(together), growth).of_pairs(pairs)

    def goes_of(pair: Pair) -> Correlation:
        return correlation(together, *pair, agreeing(pair))

    return spread, goes_of


def _with_influence(estimates: Sequence[Estimate], pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs whose values both have an influence."""
    is_known = [each.finite_influence is not None for each in estimates]
    return [(a, b) for a, b in pairs if is_known[a] and is_known[b]]


def limits_of_still(
    metric: Metric, estimates: Sequence[Estimate], spread: Spread, pairs: Iterable[Pair]
) -> dict[Pair, tuple[str, Limits]]:
    """Limits of the pairs of equal values whose difference no row moves, from those of both."""
    limits: dict[Pair, tuple[str, Limits]] = {}
    for a, b in pairs:
        left, right = estimates[a], estimates[b]
        of_a, of_b = left.distances, right.distances
        if left.interval is None or right.interval is None or left.value != right.value:
            continue
        if spread.variance(a, b) == 0.0 and of_a is not None and of_b is not None:
            errors = [x.standard_error or 0.0 for x in (left.interval, right.interval)]
            goes = correlation(np.outer(errors, errors), 0, 1, (estimates[0].n_effective, 0.5))
            limits[a, b] = "combined", scaled(metric, of_a, of_b, goes, left.level, spread.df)
    return limits


def scaled(
    metric: Metric, of_a: Distances, of_b: Distances, goes: Correlation, level: float, df: float
) -> Limits:
    """Limits at other levels than that of the values lie as many times farther away."""
    at = Confidence(level).quantile(df)

    def limits(quantile: float) -> tuple[float, float]:
        times = quantile / at
        sides = [(times * down, times * up) for down, up in (of_a, of_b)]
        return limits_together(metric, 0.0, sides[0], sides[1], goes(quantile))

    return limits


def _independent(_: Pair) -> Correlation:
    return lambda _: 0.0
