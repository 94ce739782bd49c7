"""Derivation of differences with verdicts from the values of models and their covariance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.designs.units import ROUNDING
from karat.inference.comparison.contrasts import Apart, Limits, Pair, Spread
from karat.inference.comparison.families import (
    Largest,
    holm,
    largest,
    statistic_of,
    tail_of,
    wald,
    with_least,
)
from karat.inference.comparison.records import (
    Difference,
    Discordant,
    ModelValue,
    Omnibus,
    Verdict,
    direction,
)
from karat.inference.confidence import Confidence
from karat.inference.estimate import Estimate
from karat.inference.limits import Floats
from karat.inference.rounding import settled_variance, size_of
from karat.inference.sizes import RowsNeeded
from karat.metrics import Metric
from karat.tally.cached import cached_property

Adjustment: TypeAlias = Literal["holm", "maxt", "none"]

POWER: Final = 0.8
_FAR: Final = 16.0
"""Standard errors beyond which p-values are not distinguished."""
_STEPS: Final = 40
_CLOSE: Final = 1e-6
_OUTSIDE: Final = 1e-4
NO_SLOPE: Final = "the metric is not differentiable at one of the confusion matrices"
_DISAGREE: Final = (
    "p and interval come from different methods and disagree: treat the result as borderline"
)
_SAME: Final = "both predict the same for every row"
IDENTICAL: Final = "both are identical in everything that the metric uses"
_STILL: Final = "the difference is 0 and has no variance in these rows"
_STILL_WITHOUT: Final = f"{_STILL}; there is no interval, because new rows may differ"


@dataclass(frozen=True)
class ComparisonSpec:
    """The choices of a comparison.

    Attributes:
        level: of the intervals, and 1 − the error rate of the tests.
        adjust: how p-values allow for many pairs.
        margin: of each metric, by its canonical name, where there is one.
        pairs: the models of each difference, by their places.
        seed: of what is drawn.
        n_permutations: replicates of a permutation test.
        look: settings of limits that hold at every look, of which `level` is that of one look; see
            `at`. None: they hold for one look.
    """

    level: float
    adjust: Adjustment
    margin: Mapping[str, float]
    pairs: tuple[Pair, ...]
    seed: int = 0
    n_permutations: int = 4999
    look: Confidence | None = None

    def at(self, n_units: float) -> ComparisonSpec:
        """Return the spec of a look at so many rows or clusters: their level is that of one look.

        Limits at that level are those of every look, and `p_value` transforms their p-values.
        """
        if self.look is None:
            return self
        look = self.look.at(n_units)
        return replace(self, look=look, level=1.0 - 2.0 * look.tail)

    @property
    def alpha(self) -> float:
        """Significance level of one look: the accepted rate of false positives."""
        return 1.0 - self.level

    @property
    def asked(self) -> Confidence:
        """Settings of the intervals of values."""
        return Confidence(self.level) if self.look is None else self.look

    @property
    def shown_level(self) -> float:
        """Level that the limits have, at every look or at one."""
        return self.level if self.look is None else self.look.level

    @property
    def error_rate(self) -> float:
        """Accepted rate of false positives, at every look or at one."""
        return 1.0 - self.shown_level

    def p_value(self, p: float) -> float:
        """Return the p-value that goes with the limits, from that of one look."""
        return p if self.look is None else self.look.p_value(p)

    @cached_property
    def n_errors_detectable(self) -> float:
        """Detectable difference, in standard errors."""
        return NormalDist().inv_cdf(1.0 - self.alpha / 2.0) + NormalDist().inv_cdf(POWER)


@dataclass(frozen=True, eq=False)
class Measured:
    """One metric of m models, and how its values vary together.

    Attributes:
        metric: what was measured.
        estimates: of each model.
        spread: how they vary, or None where that is not known.
        method: of tests and limits by the standard error.
        tests: pair → (method, p-value), where another test is better.
        guards: pair → (method, p-value) of a test that is exact for exchangeable models: the
            larger p counts.
        critical: pair → how large differences of exchangeable models are at most, at the level:
            limits by the standard error are widened to it.
        limits: pair → (method, limits), where other limits are better.
        discordant: pair → rows on which one alone is right.
        least: pair → a p-value that the normal distribution must not go below; see `least_tail`.
        same: pairs that predict the same on every row.
        remark: remark on every difference.
    """

    metric: Metric
    estimates: Sequence[Estimate]
    spread: Spread | None
    method: str
    tests: Mapping[Pair, tuple[str, float]] = field(default_factory=dict)
    guards: Mapping[Pair, tuple[str, float]] = field(default_factory=dict)
    critical: Mapping[Pair, float] = field(default_factory=dict)
    limits: Mapping[Pair, tuple[str, Limits]] = field(default_factory=dict)
    discordant: Mapping[Pair, Discordant] = field(default_factory=dict)
    least: Mapping[Pair, float] = field(default_factory=dict)
    same: frozenset[Pair] = frozenset()
    remark: str | None = None

    @property
    def n(self) -> list[int]:
        """Rows of each model."""
        return [each.n for each in self.estimates]

    def model_values(self, names: Sequence[str], confidence: Confidence) -> dict[str, ModelValue]:
        """Model → its value with its interval."""
        values = (ModelValue.of_estimate(each, confidence) for each in self.estimates)
        return dict(zip(names, values, strict=True))

    @property
    def defined_values(self) -> Floats:
        """float64[m]: the value of each model; where undefined, infinite or NaN."""
        values = np.array([each.value for each in self.estimates], np.float64)
        is_undefined = np.array([each.undefined is not None for each in self.estimates], bool)
        return np.where(is_undefined & np.isfinite(values), math.nan, values)


def judged(found: Measured, names: Sequence[str], spec: ComparisonSpec) -> list[Difference]:
    """Return every pair of the spec, p-values adjusted for all of them together."""
    if spec.look is not None:
        # Permutations and exact tests hold for one look: p-values are those of the limits.
        found = replace(found, tests={}, guards={}, critical={})
    single = [_difference(found, pair, names, spec) for pair in spec.pairs]
    known = [i for i, one in enumerate(single) if one.p is not None]
    drawn: Largest | None = None
    single = [_at_look(one, spec) for one in single]
    p = [one.p for one in single if one.p is not None]
    joint = _joint(found) if spec.adjust == "maxt" and len(known) > 1 else None
    if joint is not None and found.spread is not None:
        pairs = [spec.pairs[i] for i in known]
        drawn = largest(joint, pairs, found.spread.df, spec.seed, names)
        df = found.spread.df
        at_once = drawn.p_value
        p = with_least(p, lambda each: [max(own, at_once(statistic_of(own, df))) for own in each])
    elif spec.adjust != "none":
        p = with_least(p, holm)
    adjusted = dict(zip(known, p, strict=True))
    done = []
    for i, (one, pair) in enumerate(zip(single, spec.pairs, strict=True)):
        low, high, method = one.low, one.high, one.method
        if drawn is not None and one.low is not None:
            assert found.spread is not None
            df = found.spread.degrees(*pair)
            together = drawn.quantile(spec.level)
            if df != found.spread.df:
                together = statistic_of(tail_of(together, found.spread.df), df)
            alone = Confidence(spec.level).quantile(df)
            low, high = _limits(found, pair, one, max(together, alone), spec)
            method = f"{one.method}, simultaneous"
        p_adjusted = adjusted.get(i)
        verdict = _verdict(found.metric, one, p_adjusted, spec)
        final = replace(
            one, low=low, high=high, method=method, p_adjusted=p_adjusted, verdict=verdict
        )
        done.append(final)
    return done


def _at_look(one: Difference, spec: ComparisonSpec) -> Difference:
    """The difference with the level and the p-values that hold at every look."""
    if spec.look is None:
        return one
    found = replace(
        one, level=spec.shown_level, rows_needed=None, method=f"{one.method}, {spec.look.when}"
    )
    if one.p is not None:
        found = replace(found, p=spec.p_value(one.p))
    if one.p_equivalent is not None:
        p = _both_ways(spec).p_value(min(2.0 * one.p_equivalent, 1.0)) / 2.0
        found = replace(found, p_equivalent=p)
    return found


def tested_at_once(found: Measured) -> Omnibus | None:
    """The test that all models are equally good; None of two models, or where none is known."""
    values = found.defined_values
    covariance = _joint(found) if len(values) > 2 and np.isfinite(values).all() else None
    if covariance is None or found.spread is None:
        return None
    df = found.spread.df
    n_rows = float(min(found.n)) if math.isinf(df) else df + 1.0
    statistic, rank, p = wald(values[1:] - values[0], covariance, df, n_rows)
    return Omnibus(str(found.metric), statistic, rank, max(p, tail_of(_FAR)))


def _joint(found: Measured) -> npt.NDArray[np.float64] | None:
    """Covariance of the differences of the others to the first model, where all of it is known."""
    covariance = None if found.spread is None else found.spread.contrasts()
    return covariance if covariance is not None and np.isfinite(covariance).all() else None


def _difference(
    found: Measured, pair: Pair, names: Sequence[str], spec: ComparisonSpec
) -> Difference:
    a, b = pair
    left, right = found.defined_values[[a, b]].tolist()
    metric = str(found.metric)
    bare = Difference(
        metric,
        *(names[a], names[b], left, right, left - right),
        level=spec.level,
        method=found.method,
        n=min(found.n[a], found.n[b]),
        margin=spec.margin.get(metric),
        discordant=found.discordant.get(pair),
        remark=found.remark,
    )
    reason = _undefined(found, pair, names)
    if reason:
        return replace(bare, difference=math.nan, method="", discordant=None, remark=reason)
    variance = math.nan if found.spread is None else found.spread.variance(a, b)
    if found.spread is None or not math.isfinite(variance):
        method, p = found.tests.get(pair) or found.guards.get(pair) or ("", None)
        return replace(bare, method=method, p=p, remark=found.remark or NO_SLOPE)
    error = math.sqrt(max(variance, 0.0))
    size = max(abs(left), abs(right))
    varies = float(settled_variance(variance, size_of(size))) > 0.0
    error = error if varies else 0.0
    if not varies and abs(bare.difference) <= ROUNDING * size:
        # Sums of weights in another order: no row moves the difference.
        bare = replace(bare, difference=0.0)
    known: dict[str, Any] = {"standard_error": error}
    if error > 0.0:
        likely = max(error, math.sqrt(found.spread.variance_of_limits(a, b)))
        detectable = spec.n_errors_detectable * likely
        known["detectable"] = detectable
        if bare.difference:
            needed = bare.n * (detectable / bare.difference) ** 2
            known["rows_needed"] = max(1, math.ceil(needed)) if needed < 1e15 else None
    is_still = error == bare.difference == 0.0
    is_identical = is_still and spec.look is None and _is_identical(found, pair)
    if is_identical:
        known["verdict"] = "identical"
    remark = found.remark
    if pair in found.same:
        remark = _SAME
    elif is_still:
        remark = _joined(remark, _STILL)
    how = found.limits.get(pair)
    if how is None and is_still:
        # ± 0 standard errors would say that nothing is uncertain.
        return replace(bare, **known, p=1.0, remark=_joined(found.remark, _STILL_WITHOUT))
    one = replace(bare, **known, remark=remark)
    p = max(_tail(found, pair, one), found.least.get(pair, 0.0))
    method, p = found.tests.get(pair) or (found.method, p)
    if pair in found.guards:
        method, least = f"{found.guards[pair][0]} and {method}", found.guards[pair][1]
        p = max(p, least)
    quantile = Confidence(spec.level).quantile(found.spread.degrees(*pair))
    one = replace(one, p=p)
    low, high = _limits(found, pair, one, quantile, spec)
    if one.rows_needed is not None:
        one = replace(one, rows_needed=_rows_between(one, low, high, spec.level))
    if how is not None:
        method = f"{method}, {how[0]} interval"
    if (p < spec.alpha) == (low <= 0.0 <= high):
        remark = _joined(remark, _DISAGREE)
    one = replace(one, low=low, high=high, method=method, remark=remark)
    if one.margin is not None:
        one = _against_margin(found, pair, one, spec)
    if is_identical and found.metric.needs_scores and pair not in found.tests:
        # Limits of a ranking that both share would rest on the number of rows alone.
        return replace(one, low=None, high=None, remark=IDENTICAL)
    return one


def _is_identical(found: Measured, pair: Pair) -> bool:
    """Whether models whose difference no row moves are the same in all that the metric reads.

    Constant predictions of other classes may have values that no row moves, either.
    """
    if pair in found.same or isinstance(found.spread, Apart) or found.spread is None:
        return pair in found.same
    own = found.spread.own
    return own is not None and bool(own[pair[0]] > 0.0)


def _undefined(found: Measured, pair: Pair, names: Sequence[str]) -> str:
    """Reason why there is no difference of two values; empty where there is one."""
    by_reason: dict[str, list[str]] = {}
    for model in pair:
        estimate = found.estimates[model]
        reason = estimate.undefined
        if not reason and not math.isfinite(estimate.value):
            reason = f"it is {estimate.value}"
        if reason:
            by_reason.setdefault(reason, []).append(names[model])
    if not by_reason:
        return ""
    each = [f"{' and '.join(models)} ({reason})" for reason, models in by_reason.items()]
    return f"undefined for {' and '.join(each)}"


def _rows_between(one: Difference, low: float, high: float, level: float) -> RowsNeeded:
    """The rows for the difference seen, and for the smallest and the largest that are likely."""
    rows, nearest = int(one.rows_needed or 1), max(low, -high, 0.0)
    farthest = max(-low, high, abs(one.difference))
    most = rows * (one.difference / nearest) ** 2 if nearest > 0.0 else math.inf
    return RowsNeeded(rows, rows * (one.difference / farthest) ** 2, most, level)


def _joined(*remarks: str | None) -> str:
    return "; ".join(filter(None, remarks))


def _error(found: Measured, pair: Pair, one: Difference) -> float:
    """Standard error of limits and tests; its floor where all rows differ by the same amount.

    They show no spread, which is no proof that there is none.
    """
    error = one.standard_error or 0.0
    if found.spread is None:
        return error
    if error > 0.0:
        return max(error, math.sqrt(found.spread.variance_of_limits(*pair)))
    df = found.spread.degrees(*pair)
    return abs(one.difference) / math.sqrt(one.n if math.isinf(df) else df + 1.0)


def _tail(found: Measured, pair: Pair, one: Difference) -> float:
    """The p-value by the standard error; of different rows that at which the limits touch 0.

    The standard error of a model without a mistake is 0 however few its rows are; its interval
    is not. Limits know, too, how skewed a value near an end of its range is.
    """
    assert found.spread is not None
    df = found.spread.degrees(*pair)
    if pair in found.limits:

        def room(quantile: float) -> float:
            low, high = found.limits[pair][1](quantile)
            return low if one.difference > 0.0 else -high

        if not one.difference:
            return 1.0
        error = _error(found, pair, one)
        z = abs(one.difference) / error if error > 0.0 else math.inf
        if isinstance(found.spread, Apart):
            touching = root(room, _FAR)
            if found.metric.lift != "plain":
                touching = _within_errors(touching, room, z, one, df)
            return tail_of(touching, df)
        return tail_of(root(room, _FAR, z), df)
    error = _error(found, pair, one)
    return tail_of(one.difference / error, df) if error > 0.0 else 1.0


def _within_errors(
    touching: float, room: Callable[[float], float], z: float, one: Difference, df: float
) -> float:
    """Number of standard errors at which the limits of a difference of independent values touch 0.

    Limits of labels with few rows end at 0 or 1: far away they do not move on, and 0 never lies
    within them. Beyond the quantile of the level a difference is at most as many standard errors as
    it has, or as the limits at the level say.
    """
    at = Confidence(one.level).quantile(df)
    if touching <= at:
        return touching
    width = abs(one.difference) - room(at)
    return min(touching, max(z, at * abs(one.difference) / width if width > 0.0 else math.inf))


def _limits(
    found: Measured, pair: Pair, one: Difference, quantile: float, spec: ComparisonSpec
) -> tuple[float, float]:
    """Limits so many standard errors away, inside the range of a difference.

    Where rows are exchanged between the models, too, they are as far away as that shows: 0 lies
    within them where it is not refused at the level, and only there.
    """
    critical = found.critical.get(pair)
    if critical is None or not math.isfinite(critical):
        return _plain_limits(found, pair, one, quantile)
    df = 0.0 if found.spread is None else found.spread.degrees(*pair)
    at, error = Confidence(spec.level).quantile(df), _error(found, pair, one)
    times = max(critical / (at * error), 1.0) if error > 0.0 else 1.0
    low, high = _plain_limits(found, pair, one, times * quantile)
    if one.p is None or not one.p < spec.alpha:
        return (min(low, 0.0), max(high, 0.0)) if quantile >= at else (low, high)
    if quantile > at or not low <= 0.0 <= high:
        return low, high

    def room(each: float) -> float:
        low, high = _plain_limits(found, pair, one, each)
        return low if one.difference > 0.0 else -high

    # The difference is shown: 0 lies right outside.
    nearest = max(root(room, _FAR) / at * (1.0 - _OUTSIDE), 1.0)
    return _plain_limits(found, pair, one, nearest * quantile)


def _plain_limits(
    found: Measured, pair: Pair, one: Difference, quantile: float
) -> tuple[float, float]:
    """The same by the standard error alone."""
    how = found.limits.get(pair)
    if how is not None:
        return how[1](quantile)
    step = quantile * _error(found, pair, one)
    low, high = found.metric.ends
    return max(one.difference - step, low - high), min(one.difference + step, high - low)


def _against_margin(
    found: Measured, pair: Pair, one: Difference, spec: ComparisonSpec
) -> Difference:
    """Two one-sided tests (Schuirmann 1987): the interval at 1 − 2α lies inside the margin."""
    assert one.margin is not None
    assert found.spread is not None
    df, margin = found.spread.degrees(*pair), one.margin

    def limits(quantile: float) -> tuple[float, float]:
        return _limits(found, pair, one, quantile, spec)

    low, high = limits(_both_ways(spec).quantile(df))
    worst = -high if found.metric.better == "lower" else low
    not_inferior = None if found.metric.better is None else bool(worst > -margin)
    if not abs(one.difference) < margin:
        error = _error(found, pair, one)
        far = 1.0 - tail_of((abs(one.difference) - margin) / error, df) / 2.0 if error > 0 else 1.0
        return replace(one, p_equivalent=far, not_inferior=not_inferior)

    def room(quantile: float) -> float:
        low, high = limits(quantile)
        return margin - max(-low, high)

    # The limits decide: the p-value is that at which they first touch the margin.
    touching = root(room, _FAR)
    return replace(one, p_equivalent=tail_of(touching, df) / 2.0, not_inferior=not_inferior)


def _both_ways(spec: ComparisonSpec) -> Confidence:
    """Settings of the interval of two one-sided tests, at 1 − 2α."""
    if spec.look is None:
        return Confidence(max(1.0 - 2.0 * spec.alpha, 1e-9))
    return replace(spec.look, level=max(1.0 - 2.0 * spec.error_rate, 1e-9))


def root(falls: Callable[[float], float], end: float, near: float | None = None) -> float:
    """Root of a decreasing function that is above 0 at 0, at most `end` (Illinois).

    A number `near` it saves half of the steps.
    """
    start = falls(0.0)
    if start <= 0.0:
        return 0.0
    outside, below = _outside(falls, end, near)
    if below > 0.0:
        return end
    inside, above, middle, last, side = 0.0, start, 0.0, end, 0
    is_stuck = math.isinf(below)
    for _ in range(_STEPS):
        middle = (inside + outside) / 2.0
        if not is_stuck:
            middle = (inside * below - outside * above) / (below - above)
        found = falls(middle)
        if found > 0.0:
            inside, above = middle, found
            below /= 2.0 if side > 0 else 1.0
            side = 1
        else:
            outside, below = middle, found
            above /= 2.0 if side < 0 else 1.0
            side = -1
        # Steps are short, too, where the far end lies so deep that they stay at the near one.
        is_short = abs(middle - last) < _CLOSE
        is_stuck = math.isinf(below) or (is_short and found > start / 2.0)
        if is_short and not is_stuck:
            break
        last = middle
    # Of a line the first step lands on the root, and rounding says on which side of it.
    return middle


def _outside(
    falls: Callable[[float], float], end: float, near: float | None
) -> tuple[float, float]:
    """A number at which the function is at most 0, and what it is there; `end` if there is none."""
    if near is not None and 0.0 < near < end / 2.0:
        first = 1.1 * near
        if (found := falls(first)) <= 0.0:
            return first, found
    return end, falls(end)


def _verdict(
    metric: Metric, one: Difference, p_adjusted: float | None, spec: ComparisonSpec
) -> Verdict:
    """Equivalence comes first: what is smaller than the margin does not matter, if real or not."""
    if one.p_equivalent is not None and one.p_equivalent <= spec.error_rate:
        return "equivalent"
    if p_adjusted is None:
        return "not tested"
    if one.verdict == "identical":
        return one.verdict
    if not p_adjusted < spec.error_rate or not one.difference:
        return "inconclusive"
    return direction(one.difference, metric.better)
