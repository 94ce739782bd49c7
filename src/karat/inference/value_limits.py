"""Limits of one number from its standard error, by its family: one formula for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from karat.designs.units import Units
from karat.inference.class_limits import NO_SLOPE
from karat.inference.confidence import Confidence, Interval
from karat.inference.estimate import Estimate
from karat.inference.limits import Floats, newcombe_limits, transformed, wilson_limits_of_one
from karat.inference.rounding import settled, settled_error
from karat.inference.sampling_error import SamplingError
from karat.metrics import Metric
from karat.metrics._influence.forms import (
    AreaInfluence,
    DifferencesInfluence,
    PairsInfluence,
    PrecisionInfluence,
)

Family: TypeAlias = Literal[
    "share", "mean", "scaled", "area", "precision", "ranks", "logit", "loss", "ends", "unbounded"
]
"""How limits of a number follow from its standard error; see `FAMILIES`."""
Limited: TypeAlias = tuple[float, float, str | None]
"""Both limits and their method; None: there are none."""

_AREAS: Final = (AreaInfluence, PairsInfluence, DifferencesInfluence)
_FEW: Final = 20
_FEW_OF_A_CLASS: Final = 5
"""With 8 rows of a class, the coverage of areas is 95 to 99 of 100 samples (docs/coverage.md)."""
_LEAST_DF: Final = 2.0
NOTHING_SEEN: Final = "every row has the same loss, so the variance of the loss is not known"
_NONE: Final[Limited] = (math.nan, math.nan, None)


@dataclass(frozen=True, slots=True)
class Number:
    """A value of a metric and its sampling error, as limits read them.

    Attributes:
        n_rest: effective rows of the other side of an area, for areas of 0 and 1.
    """

    metric: Metric
    value: float
    spread: SamplingError
    n_rest: float = math.nan

    @property
    def error(self) -> float:
        """Standard error."""
        return math.sqrt(self.spread.variance)

    @property
    def ends(self) -> tuple[float, float]:
        """The range of the metric."""
        return self.metric.range

    @property
    def span(self) -> float:
        """Width of the range."""
        return self.ends[1] - self.ends[0]

    @property
    def share(self) -> float:
        """The value as a share of its range."""
        return (self.value - self.ends[0]) / self.span

    @property
    def family(self) -> Family:
        """The family of a metric of scores."""
        form, (low, high) = self.metric.record.influence, self.ends
        is_finite = math.isfinite(self.span)
        is_loss = self.metric.record.better == "lower" and low == 0.0
        if isinstance(form, _AREAS):
            return "area"
        if isinstance(form, PrecisionInfluence):
            return "precision"
        if "ranks" in self.metric.record.needs:
            return "ranks"
        if is_finite and not is_loss and self.error > 0.0 and low < self.value < high:
            return "logit"
        if math.isinf(low) and math.isinf(high):
            return "unbounded"
        is_inside = self.error > 0.0 and self.value not in (low, high)
        return "loss" if is_inside else "ends"


def score_interval(
    metric: Metric, value: float, spread: SamplingError, asked: Confidence, n_rest: float
) -> Interval:
    """Interval of a metric of scores; for the lift per class, of one class.

    `n_rest` is the number of effective rows of the other side of an area, for areas of 0 and 1.
    """
    if not math.isfinite(value):
        return Interval()
    if not math.isfinite(spread.variance) or spread.df < 1.0 or math.isnan(spread.df):
        return Interval(remark=spread.missing or "there are too few rows")
    number, ends = Number(metric, value, spread, n_rest), metric.range
    if asked.method in ("wald", "logit"):
        low, high, method = _textbook(number, asked)
    else:
        low, high, method = FAMILIES[number.family](number, asked)
    if method is None:
        return Interval(standard_error=number.error, remark=NOTHING_SEEN, sampling=spread)
    low, high = min(max(low, ends[0]), value), max(min(high, ends[1]), value)
    low, high = asked.one_sided(low, high, ends)
    sampling = replace(spread, n_rest=n_rest)
    return Interval(low, high, method, number.error, _caution(metric, value, spread), sampling)


@dataclass(frozen=True, eq=False)
class ScoreLevels:
    """Limits of a metric of scores with this value, at any level."""

    metric: Metric
    value: float
    error: SamplingError

    @property
    def df(self) -> float:
        """Infinite: each level has degrees of freedom of its own."""
        return math.inf

    def interval(self, confidence: Confidence) -> Interval:
        return score_interval(self.metric, self.value, self.error, confidence, self.error.n_rest)


@dataclass(frozen=True, eq=False)
class StudentLevels:
    """Student's limits of a value in the range of a metric, at any level.

    Attributes:
        error: standard error of the value; 0 or NaN: its spread is unknown, and it has no limits.
    """

    metric: Metric
    value: float
    error: float
    df: float

    def interval(self, confidence: Confidence) -> Interval:
        if not self.error > 0.0:
            return Interval()
        ends, quantile = self.metric.range, confidence.quantile(self.df)
        limits = textbook(self.value, self.error, quantile, ends, "wald")
        limits = replace(limits, method="t", standard_error=self.error)
        return within(limits, self.value, ends, confidence)


def mean_of_units(metric: Metric, values: Floats, units: Units) -> Estimate:
    """The mean of values float64[u] of units of the same weight each, with Student's limits."""
    mean, variance = float(values.mean()), float(units.variance(values))
    levels = StudentLevels(metric, mean, math.sqrt(variance), units.df)
    n = len(values)
    return Estimate(mean, n, influence=values, variance=variance, df=units.df, levels=levels)


def interval_of_rows(
    asked: Confidence,
    metric: Metric,
    value: float,
    error: float,
    n: float,
    df: float,
    *,
    is_share: bool = False,
) -> Interval:
    """Limits of a number of rows with sets from its standard error, on the scale of its range.

    Args:
        n: effective rows.
        df: degrees of freedom of the standard error.
        is_share: whether it is the share of rows that are right.
    """
    low, high = metric.range
    error = settled_error(metric, value, error, n)
    spread = SamplingError(error * error, error * error, max(df, 1.0), n)
    if asked.method in ("wald", "logit"):
        quantile = asked.quantile(spread.df)
        return replace(
            textbook(value, error, quantile, (low, high), asked.method), standard_error=error
        )
    number = Number(metric, value, spread)
    family: Family = "share" if is_share else "mean"
    if not (math.isfinite(low) and math.isfinite(high)):
        family = "scaled"
    below, above, method = FAMILIES[family](number, asked)
    if method is None:
        return Interval(standard_error=error, remark=NO_SLOPE)
    return Interval(below, above, method, error)


def limits_of_share(share: float, n: float, df: float, asked: Confidence) -> tuple[float, float]:
    """Limits of one proportion; Wilson's without arrays."""
    if asked.window is None:
        return wilson_limits_of_one(share, n, asked.quantile(df))
    low, high = asked.share_limits(share, n, asked.quantile(df))
    return float(low), float(high)


def textbook(
    value: float, error: float, quantile: float, ends: tuple[float, float], method: str
) -> Interval:
    """Wald interval on the raw, logit or log scale (the latter for unbounded ranges)."""
    if method == "wald" or not math.isfinite(ends[0]):
        return Interval(value - quantile * error, value + quantile * error, "wald")
    if not ends[0] < value < ends[1]:
        return Interval(remark="the logit of an end of the range is infinite")
    return Interval(*transformed(value, error, quantile, ends))


def within(found: Interval, value: float, ends: tuple[float, float], asked: Confidence) -> Interval:
    """Return an interval that contains the value and stays in the range, on the requested sides."""
    if found.low is None or found.high is None:
        return found
    if math.isnan(found.low) or math.isnan(found.high):
        return Interval(remark=NO_SLOPE)
    low = min(max(found.low, ends[0]), value)
    high = max(min(found.high, ends[1]), value)
    low, high = asked.one_sided(low, high, ends)
    return Interval(low, high, found.method, found.standard_error, found.remark)


def _caution(metric: Metric, value: float, spread: SamplingError) -> str | None:
    """Return a caution if the interval rests on few rows."""
    form, n_own = metric.record.influence, spread.n_effective
    # With few rows that are all informative, the shrunk variance suffices.
    if isinstance(form, AreaInfluence) and spread.n_informative < min(_FEW, n_own / 2.0):
        return f"it depends on few rows of the class: {spread.n_informative:.1f} effective ones"
    if is_of_loss(metric) and _n_losing(metric, value, spread) < _FEW:
        return (
            f"few rows have most of the loss: {_n_losing(metric, value, spread):.1f} effective ones"
        )
    if isinstance(form, (*_AREAS, PrecisionInfluence)) and spread.n_effective < _FEW_OF_A_CLASS:
        return f"it depends on few rows of a class: {spread.n_effective:.0f}"
    if spread.interpolated > math.sqrt(spread.variance) / 3.0:
        return "straight lines between few tied scores make up much of the value"
    excess = spread.optimism * (1.0 - settled(value))
    if excess > math.sqrt(spread.variance) / 2.0:
        return f"with few rows, the value may be too large by about {excess:.2g}"
    return None


def is_of_loss(metric: Metric) -> bool:
    """Return whether it is a mean of unbounded losses, or 1 minus such a mean."""
    low, high = metric.range
    is_area = isinstance(metric.record.influence, (*_AREAS, PrecisionInfluence))
    if is_area or "ranks" in metric.record.needs or (math.isinf(low) and math.isinf(high)):
        return False
    return math.isinf(low) or (low == 0.0 and metric.record.better == "lower")


def _n_losing(metric: Metric, value: float, spread: SamplingError) -> float:
    """(Σℓ)² ÷ Σℓ² of the losses ℓ of the rows: the effective number of rows with losses."""
    low, high = metric.range
    loss = value - low if math.isfinite(low) else high - value
    if loss == 0.0:
        return spread.n_effective
    spread_of_one = math.sqrt(spread.variance) / loss
    return 1.0 / (spread_of_one * spread_of_one + 1.0 / max(spread.n_effective, 1.0))


def _textbook(number: Number, asked: Confidence) -> Limited:
    quantile, ends = asked.quantile(number.spread.df), number.ends
    if asked.method == "wald" or all(map(math.isinf, ends)):
        step = quantile * number.error
        return number.value - step, number.value + step, "wald"
    if not ends[0] < number.value < ends[1]:
        return _NONE
    return _transformed(number.value, number.error, quantile, ends)


def _transformed(value: float, error: float, quantile: float, ends: tuple[float, float]) -> Limited:
    low, high, scale = transformed(value, error, quantile, ends)
    return low, high, f"{scale}-t" if scale else "t"


def _share(number: Number, asked: Confidence) -> Limited:
    """Wilson limits of a proportion of independent rows, which hold without Student's quantile."""
    return *_of_proportion(number, _shown(number), number.spread.n_effective, asked, math.inf), (
        "wilson"
    )


def _mean(number: Number, asked: Confidence) -> Limited:
    """Wilson limits of a bounded mean, with the rows at which a proportion varies as much."""
    share, varies = _shown(number), (number.error / number.span) ** 2
    rows = number.spread.n_effective
    if varies > 0.0 and 0.0 < share < 1.0:
        rows = share * (1.0 - share) / varies
    return *_of_proportion(number, share, rows, asked, number.spread.df), "wilson-effective"


def _shown(number: Number) -> float:
    # A loss that is almost 0 is not 0.
    return settled(number.share) if number.ends[0] < 0.0 or number.share > 0.5 else number.share


def _of_proportion(
    number: Number, share: float, rows: float, asked: Confidence, df: float
) -> tuple[float, float]:
    below, above = asked.share_limits(share, rows, asked.quantile(df))
    low, span = number.ends[0], number.span
    return low + span * float(below), low + span * float(above)


def _scaled(number: Number, asked: Confidence) -> Limited:
    """Limits on the scale of an infinite range."""
    if not number.ends[0] < number.value < number.ends[1]:
        return _NONE
    quantile = asked.quantile(number.spread.df)
    return transformed(number.value, number.error, quantile, number.ends)


def _area(number: Number, asked: Confidence) -> Limited:
    """Limits of an area on the logit scale; Newcombe's of 0 and 1."""
    spread, low, span = number.spread, number.ends[0], number.span
    quantile, share = asked.quantile(spread.df), settled(number.share)
    if 0.0 < share < 1.0 and spread.shrunk > 0.0:
        return *_of_area(number, share, quantile, asked), "logit-delong"
    n = max(spread.n_effective, 1.0), max(number.n_rest, 1.0)
    edge = newcombe_limits(share, *n, quantile)
    return low + span * edge[0], low + span * edge[1], "newcombe"


def _of_area(
    number: Number, share: float, quantile: float, asked: Confidence
) -> tuple[float, float]:
    """Limits with the shrunk variance, within the wider of Newcombe's and DeLong's.

    For well separated classes, a few pseudo-rows of exponential scores have much weight on the
    logit scale: limits would be three times as wide as with the rows, or with such scores alone.
    """
    value, error, spread, ends = number.value, number.error, number.spread, number.ends
    wide = transformed(value, math.sqrt(spread.shrunk), quantile, ends)
    if not error > 0.0:
        return wide[0], wide[1]
    seen = transformed(value, error, quantile, ends)
    n = max(spread.n_effective, 1.0), max(number.n_rest, 1.0)
    edge = newcombe_limits(share, *n, asked.quantile())
    below, above = (ends[0] + number.span * limit for limit in edge)
    return max(wide[0], min(seen[0], below)), min(wide[1], max(seen[1], above))


def _precision(number: Number, asked: Confidence) -> Limited:
    """Limits of an area under precision, the lower one without what few rows add to it."""
    spread, ends = number.spread, number.ends
    quantile, value = asked.quantile(spread.df), settled(number.value)
    if not (0.0 < value < 1.0 and number.error > 0.0):
        return *_capped(replace(number, value=value), asked), "wilson-effective"
    above = _transformed(value, number.error, quantile, ends)
    less = value - spread.optimism * (1.0 - value)
    if less <= 0.0:
        return ends[0], *above[1:]
    return _transformed(less, number.error, quantile, ends)[0], *above[1:]


def _ranks(number: Number, asked: Confidence) -> Limited:
    """Wilson limits of a mean of what ranks say of each row."""
    return *_capped(number, asked), "wilson"


def _ends(number: Number, asked: Confidence) -> Limited:
    """Wilson limits at an end of a finite range, or where nothing varies."""
    if not math.isfinite(number.span):
        return _NONE
    return *_capped(number, asked), "wilson-effective"


def _capped(number: Number, asked: Confidence) -> tuple[float, float]:
    """Wilson limits with the rows at which a proportion varies as much, at most all rows."""
    share, variance = number.share, (number.error / number.span) ** 2
    rows = number.spread.n_effective
    if variance > 0.0 and 0.0 < share < 1.0:
        rows = min(rows, share * (1.0 - share) / variance)
    return _of_proportion(number, share, rows, asked, number.spread.df)


def _logit(number: Number, asked: Confidence) -> Limited:
    """Limits on the logit scale of a finite range."""
    quantile = asked.quantile(number.spread.df)
    return _transformed(number.value, number.error, quantile, number.ends)


def _loss(number: Number, asked: Confidence) -> Limited:
    """Limits on the log scale, with the effective number of rows that make up most of the loss."""
    low, high = number.ends
    ends = (low, math.inf) if math.isfinite(low) else (low, high)
    losing = _n_losing(number.metric, number.value, number.spread)
    df = min(number.spread.df, max(losing - 1.0, _LEAST_DF))
    return _transformed(number.value, number.error, asked.quantile(df), ends)


def _unbounded(number: Number, asked: Confidence) -> Limited:
    """Student's limits of a number that has no end."""
    step = asked.quantile(number.spread.df) * number.error
    return number.value - step, number.value + step, "t"


FAMILIES: Final[Mapping[Family, Callable[[Number, Confidence], Limited]]] = {
    "share": _share,
    "mean": _mean,
    "scaled": _scaled,
    "area": _area,
    "precision": _precision,
    "ranks": _ranks,
    "logit": _logit,
    "loss": _loss,
    "ends": _ends,
    "unbounded": _unbounded,
}
