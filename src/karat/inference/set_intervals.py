"""Intervals of metrics of sets of labels: rows are the units, whatever labels go together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.inference.class_limits import NO_SLOPE, ClassLimits, class_limits
from karat.inference.confidence import DRAWN, Confidence, Design, Interval
from karat.inference.draws import acceleration_of, interval_of_draws
from karat.inference.label_intervals import (
    A_COUNT,
    caution_on_few_rows,
    is_a_count,
    of_few_rows,
    textbook,
    within,
)
from karat.inference.limits import Floats, transformed, wilson_limits_of_one
from karat.inference.variance import kish
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.metrics._of_sets import LabelSlopes, label_slopes, meant_on_sets, of_rows, values_on_sets
from karat.tally.cached import cached_property
from karat.tally.set_tally import FN, FP, TP, SetRows, SetTally

_NO_ROWS: Final = "the tally kept no rows, so that it is not known which labels go together"
_ONE_ROW: Final = "there is one row"
_FEW: Final = "labels have few rows"
_DUST: Final = 1e-12


@dataclass(frozen=True, eq=False)
class SetVariance:
    """Tables of 2×2 of every label as limits of each class read them: an `OneVsRestVariance`."""

    tally: SetTally
    kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    design: Design = "cohort"
    n_clusters: int | None = None

    @property
    def k(self) -> int:
        """Labels."""
        return self.tally.k

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.tally.is_weighted

    @property
    def has_squares(self) -> bool:
        """Whether rows count differently."""
        return self.tally.is_weighted

    @property
    def is_simple(self) -> bool:
        """Whether all rows weigh the same."""
        return not self.tally.is_weighted

    @cached_property
    def unit(self) -> float:
        """A power of two near the mean weight: measured in it, sums of weights count like rows."""
        mean = float(self.tally.mass.sum()) / max(int(self.tally.n_rows.sum()), 1)
        return 2.0 ** round(math.log2(mean)) if self.is_weighted and mean > 0 else 1.0

    @cached_property
    def total(self) -> float:
        """Σw, in units."""
        return float(self.tally.mass.sum()) / self.unit

    @cached_property
    def squares(self) -> float:
        """Σw², in units."""
        found = self.tally.row_squares
        return self.total if found is None else float(found.sum()) / self.unit**2

    @property
    def n_effective(self) -> float:
        """Kish's number of rows, (Σw)² ÷ Σw²."""
        return self.total**2 / self.squares if self.squares > 0 else 0.0

    @cached_property
    def class_counts(self) -> Floats:
        """float64[4, k]: Σw of tn, fp, fn and tp of each label, in units."""
        fields = self.tally.fields
        return np.array((fields.tn, fields.fp, fields.fn, fields.tp)) / self.unit

    @cached_property
    def one_vs_rest(self) -> tuple[Floats, Floats]:
        """float64[k, 2, 2] each: Σw and Σw² of each label, truth by prediction."""
        weights = self.class_counts.T.reshape(-1, 2, 2)
        squares = self.tally.squares
        if squares is None:
            return weights, weights
        squares = squares / self.unit**2
        rest = np.where(weights[:, 0, 0] > 0, self.squares - squares.sum(axis=0), 0.0)
        parts = np.maximum(rest, 0.0), squares[FP], squares[FN], squares[TP]
        return weights, np.stack(parts, axis=-1).reshape(-1, 2, 2)

    def _centred(self, partials: Floats) -> Floats:
        weights, _ = self.one_vs_rest
        known = np.maximum(weights.sum(axis=(1, 2)), 1e-300)
        mean = (partials * weights).sum(axis=(1, 2)) / known
        return np.asarray(partials - mean[:, None, None])

    def class_variances(self, partials: Floats) -> Floats:
        """float64[k]: variance of a metric of one label, for every label."""
        _, squares = self.one_vs_rest
        phi = self._centred(partials)
        found = ((phi * np.sqrt(squares) / self.total) ** 2).sum(axis=(1, 2))
        least = _DUST * np.abs(partials).max(axis=(1, 2), initial=0.0) / max(self.total, 1.0)
        return np.where(np.sqrt(found) <= least, 0.0, found)

    def class_inflation(self, partials: Floats) -> Floats:
        """float64[k]: how many times more it varies than with as many rows of equal weight."""
        if not self.is_weighted:
            return np.ones(self.k)
        weights, _ = self.one_vs_rest
        phi = self._centred(partials)
        simple = (phi**2 * weights).sum(axis=(1, 2)) / self.total / max(self.n_effective, 1e-300)
        actual = self.class_variances(partials)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.maximum(np.where(simple > 0, actual / simple, 1.0), 1.0)

    def class_df(self, partials: Floats) -> Floats:
        """float64[k]: degrees of freedom of `class_variances`."""
        return np.full(len(partials), math.inf)


def interval_of_one(
    asked: Confidence,
    metric: Metric,
    value: float,
    error: float,
    n: float,
    *,
    is_share: bool = False,
) -> Interval:
    """Limits of one number from its standard error, on the scale of its range."""
    low, high = metric.range
    quantile = asked.quantile(max(n - 1.0, 1.0))
    if asked.method in ("wald", "logit"):
        found = textbook(value, error, quantile, (low, high), asked.method)
        return replace(found, standard_error=error)
    if not (math.isfinite(low) and math.isfinite(high)):
        if not low < value < high:
            return Interval(standard_error=error, remark=NO_SLOPE)
        return Interval(*transformed(value, error, quantile, (low, high)), standard_error=error)
    span = high - low
    share, varies = (value - low) / span, (error / span) ** 2
    if is_share:
        # Wilson's limits hold without Student's quantile.
        below, above = wilson_limits_of_one(share, n, asked.quantile())
        return Interval(low + span * below, low + span * above, "wilson", error)
    rows = share * (1.0 - share) / varies if varies > 0.0 and 0.0 < share < 1.0 else n
    below, above = wilson_limits_of_one(share, rows, quantile)
    return Interval(low + span * below, low + span * above, "wilson-effective", error)


@dataclass(frozen=True, eq=False)
class SetIntervals:
    """A tally of sets, its rows where they were kept, and what is asked of its intervals."""

    tally: SetTally
    asked: Confidence
    rows: SetRows | None = None
    policy: Policy = "zero"

    @cached_property
    def spread(self) -> SetVariance:
        return SetVariance(self.tally)

    def of(self, metric: Metric, value: float) -> Interval:
        """The interval of a metric whose value on the tally this is."""
        if not math.isfinite(value):
            return Interval()
        meant = meant_on_sets(metric)
        if not meant.is_of_rows and is_a_count(meant):
            return Interval(remark=A_COUNT)
        if self.tally.n - self.tally.n_unknown < 2:
            return Interval(remark=_ONE_ROW)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = self._found(meant, value)
        if self.asked.method in DRAWN and found.standard_error is not None:
            found = replace(self._drawn(meant, value), standard_error=found.standard_error)
        return within(found, value, meant.range, self.asked)

    def _found(self, metric: Metric, value: float) -> Interval:
        if metric.is_of_rows:
            return self._of_rows(metric, value)
        slopes = label_slopes(metric, self.tally, self.policy)
        sides = (slopes.tp, slopes.fp, slopes.fn, slopes.tn)
        if not all(np.isfinite(side).all() for side in sides):
            return Interval(remark=NO_SLOPE)
        variance = self._variance(slopes)
        if variance is None:
            return Interval(remark=_NO_ROWS)
        error = math.sqrt(variance)
        if metric.lift == "macro" and self.asked.method not in ("wald", "logit"):
            return replace(self._combined(metric, value), standard_error=error)
        return self._whole(metric, value, error, self.spread.n_effective)

    def _of_rows(self, metric: Metric, value: float) -> Interval:
        """Of a mean over rows, from the mean of each profile."""
        tally, found = self.tally, of_rows(metric, self.tally, self.policy)
        mass, squares = np.asarray(tally.mass, np.float64), tally.row_squares
        squares = mass if squares is None else squares
        kept = mass > 0
        if self.policy == "exclude":
            kept = kept & ~found.undefined
        x, mass, squares = found.value[kept], mass[kept], squares[kept]
        n = float(mass.sum()) ** 2 / float(squares.sum())
        if n < 2.0 - _DUST:
            return Interval(remark=_ONE_ROW)
        phi = x - value
        variance = float((squares * phi**2).sum()) / float(mass.sum()) ** 2 * n / (n - 1.0)
        is_share = bool(((x == 0.0) | (x == 1.0)).all())
        return self._whole(metric, value, math.sqrt(variance), n, is_share=is_share)

    def _whole(
        self, metric: Metric, value: float, error: float, n: float, *, is_share: bool = False
    ) -> Interval:
        return interval_of_one(self.asked, metric, value, error, n, is_share=is_share)

    def _variance(self, slopes: LabelSlopes) -> float | None:
        """Of one number with these derivatives; None where it takes rows that were not kept."""
        sides = (slopes.tp, slopes.fp, slopes.fn, slopes.tn)
        n = self.spread.n_effective
        least = n / (n - 1.0) if n > 1.0 else 1.0
        if self.tally.k and all(float(np.ptp(side)) == 0.0 for side in sides):
            tp, fp, fn, tn = (float(side[0]) for side in sides)
            rows = self.tally.fields_of_rows
            phi = (tp * rows.tp + fp * rows.fp + fn * rows.fn + tn * rows.tn)[:, 0]
            squares = self.tally.row_squares
            squares = np.asarray(self.tally.n_rows, np.float64) if squares is None else squares
            return float((squares * phi**2).sum()) * least
        if self.rows is None:
            return None
        return self._of_added(self.rows.added(*sides)) * least

    def _of_added(self, phi: Floats) -> float:
        """Σ (w·φ)² over the rows."""
        assert self.rows is not None
        w = self.rows.known.weights
        return float(((phi if w is None else w * phi) ** 2).sum())

    def _combined(self, metric: Metric, value: float) -> Interval:
        """Limits of the labels, combined as their errors go together in the rows (MOVER).

        With a_k the part of label k in the mean, d_k the distance to its limit and σ_k its error,
        the limit lies as far away as Σ a_k · (d_k ÷ σ_k) · value_k varies over the rows.
        """
        assert self.rows is not None
        plain = Metric(metric.record, "plain", metric.params)
        limits = class_limits(plain, self.spread, self.asked)
        is_defined = np.isfinite(limits.value)
        n_counted = int(is_defined.sum()) if self.policy == "exclude" else self.tally.k
        sigma = np.sqrt(limits.variance)
        varies = (sigma > 0.0) & is_defined
        ends = []
        for away in (limits.value - limits.low, limits.high - limits.value):
            distance = np.where(is_defined, away, 0.0) / max(n_counted, 1)
            factor = np.where(varies, distance / np.where(varies, sigma, 1.0), 0.0)
            alone = float((np.where(varies, 0.0, distance) ** 2).sum())
            (tn, fp), (fn, tp) = np.moveaxis(limits.partials * factor[:, None, None], 0, -1)
            scale = self.spread.total * self.spread.unit
            together = self._of_added(self.rows.added(tp, fp, fn, tn)) / scale**2
            ends.append(math.sqrt(together + alone))
        remark = _FEW if len(self._few) else None
        return Interval(value - ends[0], value + ends[1], "mover", remark=remark)

    def of_classes(self, metric: Metric) -> ClassLimits | None:
        """Limits of a metric of one label for every label; None where there are none."""
        plain = Metric(metric.record, "plain", metric.params)
        if is_a_count(plain):
            return None
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return class_limits(plain, self.spread, self.asked)

    @cached_property
    def _few(self) -> npt.NDArray[np.intp]:
        """Labels of few effective true rows, which occur; see `classes_of_few_rows`."""
        fields, squares = self.tally.fields, self.tally.squares
        true = fields.tp + fields.fn
        n = true if squares is None else kish(true, squares[TP] + squares[FN])
        return of_few_rows(np.asarray(n, np.float64), true > 0)

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """Sentences on what makes the intervals less sure than their level says."""
        found = caution_on_few_rows(self._few, self.tally.classes, "labels")
        if not self.tally.counts[[FP, FN]].any():
            found.append("No label is predicted wrongly: intervals rest on the number of rows.")
        return tuple(found)

    def _drawn(self, metric: Metric, value: float) -> Interval:
        """The interval by replicates of the rows."""
        if self.rows is None:
            return Interval(remark=_NO_ROWS)
        drawn = np.array([values_on_sets(metric, t, self.policy).value for t in self._replicates()])
        acceleration = None
        if not metric.is_of_rows:
            slopes = label_slopes(metric, self.tally, self.policy)
            phi = self.rows.added(slopes.tp, slopes.fp, slopes.fn, slopes.tn)
            w = self.rows.known.weights
            acceleration = acceleration_of(phi if w is None else w * phi)
        else:
            found = of_rows(metric, self.tally, self.policy)
            mass = np.asarray(self.tally.mass, np.float64)
            phi = np.where(np.isfinite(found.value), found.value - value, 0.0)
            acceleration = acceleration_of(phi, mass)
        return interval_of_draws(metric, value, drawn, self.asked, acceleration)

    def _replicates(self) -> Iterator[SetTally]:
        """Tallies of rows drawn again, a row with all of its labels."""
        assert self.rows is not None
        known = self.rows.known
        n, rng = known.n, np.random.default_rng(self.asked.seed)
        for _ in range(self.asked.n_replicates):
            if self.asked.method == "bayesian":
                times = rng.exponential(size=n)
            else:
                times = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float64)
            weights = times if known.weights is None else times * known.weights
            yield SetTally.of(known.classes, known.true, known.pred, weights, known.unknown)
