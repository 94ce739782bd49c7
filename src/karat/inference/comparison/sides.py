"""Values of several models in one metric, and how they vary together: for rows of every kind."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from karat.designs.units import Units
from karat.inference.comparison.contrasts import (
    Apart,
    Combined,
    Correlation,
    Distances,
    Limits,
    Pair,
    Paired,
    Spread,
    correlation,
    limits_together,
)
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import Estimate
from karat.inference.confidence import Confidence
from karat.inference.limits import Floats
from karat.metrics import Metric
from karat.tally.cached import cached_property

DIFFERENT_ROWS = "different rows: the models are treated as independent"
Agreeing: TypeAlias = Callable[[Pair], tuple[float, float] | None]
"""From a pair to what `correlation` reads of models that agree."""
CorrelationOf: TypeAlias = Callable[[Pair], Correlation]
KindOfLimits: TypeAlias = Literal["combined", "still", "none"]


@dataclass(frozen=True, eq=False)
class Side:
    """One model in one metric.

    Attributes:
        value: of the metric.
        n: rows.
        undefined: why the rows do not define it, or None.
        influence: float64[e], of each unit on the value; None where unknown.
        variance: of the value; None: that of its influence.
        df: degrees of freedom of the variance.
        least: its variance by its limits, which counts where no row shows any.
        growth: what to add to the variance, since few rows do not show all of it.
        estimate: the value with its interval.
        n_effective: rows that count the same, for limits of values that no row moves.
    """

    value: float
    n: int
    undefined: str | None = None
    influence: Floats | None = None
    variance: float | None = None
    df: float = math.inf
    least: float = 0.0
    growth: float = 0.0
    estimate: Estimate | None = None
    n_effective: float = math.inf

    @cached_property
    def finite_influence(self) -> Floats | None:
        """The influence; None where some of it is not a finite number."""
        phi = self.influence
        return None if phi is None or not np.isfinite(phi).all() else phi


def contrasted(
    metric: Metric,
    sides: Sequence[Side],
    pairs: Sequence[Pair],
    method: str,
    units: Units | None = None,
    alone: Combined | None = None,
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
        alone: limits of each value at any level, or None.
        kind_of_limits: ``"combined"``: of each difference, from `alone`; ``"still"``: of equal
            values that no row moves, from the intervals of the sides; ``"none"``.
        same: pairs that predict the same on every row.
        remark: on every difference.
    """
    known: Sequence[Pair] = pairs
    if units is None:
        spread, goes_of = _apart(sides)
    else:
        known = _with_influence(sides, pairs)
        spread, goes_of = _paired(sides, pairs, known, units, agreeing)
    limits: dict[Pair, tuple[str, Limits]] = {}
    if spread is not None and kind_of_limits == "still":
        limits = limits_of_still(metric, sides, spread, pairs)
    elif spread is not None and alone is not None and kind_of_limits == "combined":
        limits = alone.differences(known, goes_of)
    return Measured(
        metric,
        [side.value for side in sides],
        [side.n for side in sides],
        spread,
        method,
        limits=limits,
        same=same,
        alone=alone,
        remark=remark,
        undefined={i: x.undefined for i, x in enumerate(sides) if x.undefined is not None},
    )


def apart_by_limits(
    metric: Metric, sides: Sequence[Side], alone: Combined, spec: ComparisonSpec
) -> Measured:
    """Measure the differences of independent models whose values have limits at any level."""
    models = range(len(sides))
    sides = [
        replace(sides[i], df=alone.degrees(i), least=alone.least_variance(i, spec.level))
        for i in models
    ]
    is_normal = all(math.isinf(side.df) for side in sides)
    method = "unpaired z" if is_normal else "unpaired t"
    return contrasted(metric, sides, spec.pairs, method, alone=alone, remark=DIFFERENT_ROWS)


def _apart(sides: Sequence[Side]) -> tuple[Spread | None, CorrelationOf]:
    """How independent values vary; None where a variance is not known at all."""
    variances = [side.variance for side in sides]
    if None in variances:
        return None, _independent
    least = np.array([side.least for side in sides])
    spread = Apart(np.array(variances, np.float64), min(side.df for side in sides), least)
    return spread, _independent


def _paired(
    sides: Sequence[Side],
    pairs: Sequence[Pair],
    known: Sequence[Pair],
    units: Units,
    agreeing: Agreeing,
) -> tuple[Spread | None, CorrelationOf]:
    """How values of the same units vary; None where no pair has two influences."""
    if not known:
        return None, _independent
    unknown = np.full(len(units.weights), math.nan)
    phi = [unknown if side.finite_influence is None else side.finite_influence for side in sides]
    growth = [side.growth for side in sides]
    variances = [side.variance for side in sides]
    if None not in variances:
        own = np.array(variances, np.float64)
        return Paired.of(phi, units, known, own, growth).of_pairs(pairs), _independent
    together = units.covariance(np.stack(phi))
    spread = Paired.of(phi, units, known, np.diag(together), growth).of_pairs(pairs)

    def goes_of(pair: Pair) -> Correlation:
        return correlation(together, *pair, agreeing(pair))

    return spread, goes_of


def _with_influence(sides: Sequence[Side], pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs whose values both have an influence."""
    is_known = [side.finite_influence is not None for side in sides]
    return [(a, b) for a, b in pairs if is_known[a] and is_known[b]]


def limits_of_still(
    metric: Metric, sides: Sequence[Side], spread: Spread, pairs: Iterable[Pair]
) -> dict[Pair, tuple[str, Limits]]:
    """Limits of the pairs of equal values whose difference no row moves, from those of both."""
    limits: dict[Pair, tuple[str, Limits]] = {}
    for a, b in pairs:
        left, right = sides[a].estimate, sides[b].estimate
        if left is None or right is None or left.value != right.value:
            continue
        of_a, of_b = distances_of(left), distances_of(right)
        if spread.variance(a, b) == 0.0 and of_a is not None and of_b is not None:
            errors = [left.standard_error or 0.0, right.standard_error or 0.0]
            goes = correlation(np.outer(errors, errors), 0, 1, (sides[0].n_effective, 0.5))
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


def distances_of(estimate: Estimate) -> Distances | None:
    """Distances from a value to its lower and its upper limit; None without both."""
    if estimate.low is None or estimate.high is None:
        return None
    return estimate.value - estimate.low, estimate.high - estimate.value


def _independent(_: Pair) -> Correlation:
    return lambda _: 0.0
