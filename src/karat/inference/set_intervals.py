"""Intervals of metrics of sets of labels: rows are the units, whatever labels go together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.designs import units_of
from karat.designs.units import ROUNDING, Sample, Units, kish
from karat.errors.text import count, counted
from karat.inference.class_limits import NO_SLOPE, ClassLimits, class_limits
from karat.inference.combined_limits import mover_interval, part_factors
from karat.inference.confidence import DRAWN, Confidence, Interval
from karat.inference.draws import acceleration_of, interval_of_draws
from karat.inference.label_intervals import (
    A_COUNT,
    caution_on_few_rows,
    caution_on_no_error,
    of_few_rows,
)
from karat.inference.limits import Floats
from karat.inference.resampling import replicate_times
from karat.inference.rounding import settled_error
from karat.inference.set_variance import LabelClusters, SetVariance
from karat.inference.value_limits import interval_of_rows, within
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.metrics._of_sets import LabelSlopes, label_slopes, meant_on_sets, of_rows, values_on_sets
from karat.tally import ClusteredCells
from karat.tally.cached import cached_property
from karat.tally.set_tally import FN, FP, TP, SetRows, SetTally

_NO_ROWS: Final = "the tally kept no rows, so the dependence between labels is not known"
ONE_CLUSTER: Final = "its rows are in one cluster"
_ONE_ROW: Final = "there is one row"
_FEW: Final = "labels have few rows"


@dataclass(frozen=True, slots=True)
class _Counted:
    """A mean over rows: the value of each profile, and float64[p] each Σw and Σw² of its rows."""

    value: Floats
    mass: Floats
    squares: Floats

    @property
    def n(self) -> float:
        """Kish's number of rows, (Σw)² ÷ Σw²."""
        squares = float(self.squares.sum())
        return float(self.mass.sum()) ** 2 / squares if squares > 0.0 else 0.0

    @property
    def is_share(self) -> bool:
        """True if every value is 0 or 1."""
        return bool(((self.value == 0.0) | (self.value == 1.0)).all())


@dataclass(frozen=True, eq=False)
class SetIntervals:
    """A tally of sets, its rows where they were kept, and what is asked of its intervals.

    Attributes:
        kept: what was found of these rows and is asked for again, at other levels too.
    """

    tally: SetTally
    asked: Confidence
    rows: SetRows | None = None
    policy: Policy = "zero"
    sample: SetRows | None = None
    """Rows drawn from all, where those were too many to keep."""
    kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def spread(self) -> SetVariance:
        """Variance of the tables of the labels."""
        if "spread" not in self.kept:
            by_label = None
            if self.clusters is not None:
                assert self.rows is not None
                by_label = LabelClusters.of(self.rows.known, self.clusters)
            self.kept["spread"] = SetVariance(self.tally, by_label)
        found: SetVariance = self.kept["spread"]
        return found

    @property
    def clusters(self) -> ClusteredCells | None:
        """The known rows by cluster; None where they are independent."""
        known = None if self.rows is None else self.rows.known
        if known is None or known.clusters is None:
            return None
        if "clusters" not in self.kept:
            at = np.arange(known.n)
            self.kept["clusters"] = ClusteredCells.of(known.clusters, at, known.weights)
        found: ClusteredCells = self.kept["clusters"]
        return found

    @property
    def units(self) -> Units:
        """The known rows, as they were drawn."""
        if "units" not in self.kept:
            assert self.rows is not None
            known = self.rows.known
            df = max(self.spread.n_effective - 1.0, 1.0)
            weights = np.ones(known.n) if known.weights is None else known.weights
            squares = weights if known.squares is None else known.squares
            sample = Sample(weights, squares, df=df)
            self.kept["units"] = units_of(self.asked.design, sample, self.clusters)
        units: Units = self.kept["units"]
        return units

    @property
    def has_spread(self) -> bool:
        """Whether there are units enough to show how much a value varies."""
        return self.clusters is None or self.units.n_units >= 2

    @property
    def growth(self) -> float:
        """By how much a variance grows in few rows; that of clusters has its own."""
        n = self.spread.n_effective
        return n / (n - 1.0) if self.clusters is None and n > 1.0 else 1.0

    def df_of(self, metric: Metric, value: float, phi: Floats) -> float:
        """Degrees of freedom of the variance of a metric with these influences [n]."""
        error = math.sqrt(float(self.units.variance(phi)))
        varies = settled_error(metric, value, error, self.units.n_units) > 0.0
        return self.units.degrees(phi if varies else np.zeros_like(phi))

    def df_of_limits(self, metric: Metric, value: float) -> float:
        """Degrees of freedom of the quantile that gives the limits of a metric."""
        meant = meant_on_sets(metric)
        if self.clusters is None:
            if meant.lift == "macro" and self.asked.method not in ("wald", "logit"):
                return math.inf
            if not meant.is_of_rows:
                return max(self.spread.n_effective - 1.0, 1.0)
            counted = self._counted(meant)
            return math.inf if counted.is_share else max(counted.n - 1.0, 1.0)
        if ("df", meant) not in self.kept:
            phi = self.influence(meant, value)
            self.kept["df", meant] = (
                math.inf if phi is None else max(self.df_of(meant, value, phi), 1.0)
            )
        found: float = self.kept["df", meant]
        return found

    def slopes(self, metric: Metric) -> LabelSlopes:
        """Slopes of a metric with respect to the tables of the labels."""
        key = "slopes", metric
        if key not in self.kept:
            self.kept[key] = label_slopes(metric, self.tally, self.policy)
        found: LabelSlopes = self.kept[key]
        return found

    def influence(self, metric: Metric, value: float) -> Floats | None:
        """float64[n]: influence of each known row on a metric whose value this is.

        Its mean over the rows, by their weights, is 0. None where the formula has no slope, or the
        rows were not kept.
        """
        total = float(self.tally.mass.sum())
        if self.rows is None or not total > 0.0:
            return None
        meant = meant_on_sets(metric)
        w = self.rows.known.weights
        if meant.is_of_rows:
            found = of_rows(meant, self.rows.fields_of_rows, self.policy)
            phi, share = np.asarray(found.value - value), 1.0
            if self.policy == "exclude":
                phi = np.where(found.undefined, 0.0, phi)
                share = float(np.average(~found.undefined, weights=w))
            if not share > 0.0:
                return None
            phi = phi / share
        else:
            sides = self.slopes(meant).sides
            if not all(np.isfinite(side).all() for side in sides):
                return None
            phi = self.rows.added(*sides) * total
        # A row without weight may be undefined, and counts for nothing.
        return phi if w is None else np.where(np.asarray(w) > 0.0, phi, 0.0)

    def of(self, metric: Metric, value: float) -> Interval:
        """The interval of a metric whose value on the tally this is."""
        if not math.isfinite(value):
            return Interval()
        meant = meant_on_sets(metric)
        if not meant.is_of_rows and meant.record.is_count:
            return Interval(remark=A_COUNT)
        if self.tally.n - self.tally.n_unknown < 2:
            return Interval(remark=_ONE_ROW)
        if not self.has_spread:
            return Interval(remark=ONE_CLUSTER)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = self._found(meant, value)
        if self.asked.method in DRAWN and found.standard_error is not None:
            found = replace(self._drawn(meant, value), standard_error=found.standard_error)
        return within(found, value, meant.range, self.asked)

    def _found(self, metric: Metric, value: float) -> Interval:
        if metric.is_of_rows:
            return self._of_rows(metric, value)
        slopes = self.slopes(metric)
        if not all(np.isfinite(side).all() for side in slopes.sides):
            return Interval(remark=NO_SLOPE)
        if ("variance", metric) not in self.kept:
            self.kept["variance", metric] = self._variance(slopes)
        variance: float | None = self.kept["variance", metric]
        if variance is None:
            return Interval(remark=_NO_ROWS)
        n, error = self.spread.n_effective, math.sqrt(variance)
        if metric.lift == "macro" and self.asked.method not in ("wald", "logit"):
            error = settled_error(metric, value, error, n)
            return replace(self._combined(metric, value), standard_error=error)
        return self._whole(metric, value, error, n, self.df_of_limits(metric, value))

    def _of_rows(self, metric: Metric, value: float) -> Interval:
        """Interval of a mean over rows, from the mean of each profile."""
        counted = self._counted(metric)
        n = counted.n
        if n < 2.0 - ROUNDING:
            return Interval(remark=_ONE_ROW)
        if self.clusters is not None:
            phi = self.influence(metric, value)
            assert phi is not None
            error = math.sqrt(float(self.units.variance(phi)))
            return self._whole(metric, value, error, n, self.df_of(metric, value, phi))
        profiles = units_of(self.asked.design, Sample(counted.mass, counted.squares))
        error = math.sqrt(float(profiles.variance(counted.value)) * n / (n - 1.0))
        return self._whole(metric, value, error, n, n - 1.0, is_share=counted.is_share)

    def _counted(self, metric: Metric) -> _Counted:
        """The profiles that count in a mean over rows."""
        found = of_rows(metric, self.tally.fields_of_rows, self.policy)
        mass, squares = np.asarray(self.tally.mass, np.float64), self.tally.row_squares
        squares = mass if squares is None else squares
        kept = mass > 0
        if self.policy == "exclude":
            kept = kept & ~found.undefined
        return _Counted(found.value[kept], mass[kept], squares[kept])

    def _whole(
        self,
        metric: Metric,
        value: float,
        error: float,
        n: float,
        df: float,
        *,
        is_share: bool = False,
    ) -> Interval:
        """Limits of one number; where nothing varies each cluster counts as one row."""
        n = min(n, self.spread.n_units)
        return interval_of_rows(self.asked, metric, value, error, n, df, is_share=is_share)

    def _variance(self, slopes: LabelSlopes) -> float | None:
        """Variance of a number with these derivatives; None if it needs rows that are not kept."""
        total = float(self.tally.mass.sum())
        tp, fp, fn, tn = (side * total for side in slopes.sides)
        is_same = self.tally.k and all(float(np.ptp(side)) == 0.0 for side in (tp, fp, fn, tn))
        if is_same and self.clusters is None:
            fields = self.tally.fields_of_rows
            phi = (tp[0] * fields.tp + fp[0] * fields.fp + fn[0] * fields.fn + tn[0] * fields.tn)[
                :, 0
            ]
            squares = self.tally.row_squares
            squares = np.asarray(self.tally.n_rows, np.float64) if squares is None else squares
            mass = np.asarray(self.tally.mass, np.float64)
            profiles = units_of(self.asked.design, Sample(mass, squares))
            return float(profiles.variance(phi)) * self.growth
        if self.rows is None and self.sample is None:
            return None
        return self._of_added(tp, fp, fn, tn) * self.growth

    def _of_added(self, tp: Floats, fp: Floats, fn: Floats, tn: Floats) -> float:
        """Variance of a number with the influence that the states of the labels of a row add up to.

        Of a sample it is what the labels vary in all rows, times how much more or less they vary
        together than alone in the sample.
        """
        if self.rows is not None:
            return float(self.units.variance(self.rows.added(tp, fp, fn, tn)))
        assert self.sample is not None
        square = _squared(self.sample, self.sample.added(tp, fp, fn, tn))
        partials = np.stack((tn, fp, fn, tp), axis=-1).reshape(-1, 2, 2)
        part = SetVariance(self.sample.tally).alone(partials)
        square *= self.spread.alone(partials) / part if part > 0.0 else 1.0
        return square / float(self.tally.mass.sum()) ** 2

    def _combined(self, metric: Metric, value: float) -> Interval:
        """Limits of the labels, combined as their errors go together in the rows (MOVER).

        With a_k the part of label k in the mean, d_k the distance to its limit and σ_k its error,
        the limit lies as far away as Σ a_k · (d_k ÷ σ_k) · value_k varies over the rows.
        """
        plain = Metric(metric.record, "plain", metric.params)
        limits = class_limits(plain, self.spread, self.asked)
        counts = np.ones(self.tally.k)
        if self.policy == "exclude":
            of_labels = replace(plain, lift="per_class")
            counts -= values_on_sets(of_labels, self.tally, self.policy).undefined
        slopes = counts / max(float(counts.sum()), 1.0)
        (factors,), alone, _ = part_factors([limits], [limits], [slopes])
        below, above = (
            self._of_added(*_sides(limits.partials * factor[:, None, None])) + still
            for factor, still in zip(factors, alone, strict=False)
        )
        remark = _FEW if len(self._few) else None
        return mover_interval(value, (below, above), remark=remark)

    def of_classes(self, metric: Metric) -> ClassLimits | None:
        """Limits of a metric of one label for every label; None where there are none."""
        plain = Metric(metric.record, "plain", metric.params)
        if plain.record.is_count or not self.has_spread:
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
        if self.tally.has_predictions and not self.tally.counts[[FP, FN]].any():
            found.append(caution_on_no_error("label", self.asked))
        if self.sample is not None:
            m, n = counted(self.sample.n, "row"), count(self.tally.n)
            what = f"{m} of {n} were kept: intervals of averages over labels"
            found.append(f"{what} use the dependence between labels in this sample.")
        return tuple(found)

    def _drawn(self, metric: Metric, value: float) -> Interval:
        """The interval by replicates of the rows, or of their clusters."""
        if self.rows is None:
            return Interval(remark=_NO_ROWS)
        drawn = np.array([values_on_sets(metric, t, self.policy).value for t in self._replicates()])
        acceleration = self._acceleration(self.influence(metric, value))
        return interval_of_draws(metric, value, drawn, self.asked, acceleration)

    def _acceleration(self, phi: Floats | None) -> float:
        """Acceleration of a metric with these influences of rows; of clusters, by Σ w·φ of each."""
        assert self.rows is not None
        known = self.rows.known
        if phi is None:
            return 0.0
        if self.clusters is not None:
            return acceleration_of(self.clusters.sums(phi))
        if known.is_frequency:
            return acceleration_of(phi, known.weights)
        return acceleration_of(phi if known.weights is None else known.weights * phi)

    def _replicates(self) -> Iterator[SetTally]:
        """Tallies of rows drawn again, a row with all of its labels, or a cluster with its rows."""
        assert self.rows is not None
        known, clusters = self.rows.known, self.clusters
        n, given, odds = known.n, known.weights, None
        of_row = np.zeros(n, np.int64)
        if clusters is not None:
            # Rows without weight are of no cluster, and count nothing.
            of_row[clusters.place] = clusters.cluster
            n = clusters.n_clusters
        elif known.is_frequency and given is not None:
            n, odds, given = int(given.sum()), given / given.sum(), None
        for drawn in replicate_times(n, self.asked, odds):
            times = drawn if clusters is None else drawn[of_row]
            weights = times if given is None else times * given
            yield SetTally.of(known.classes, known.true, known.pred, weights, known.unknown)


@dataclass(frozen=True, eq=False)
class SetLevels:
    """Limits of a metric of sets with this value, at any level."""

    metric: Metric
    value: float
    rows: SetIntervals

    @property
    def df(self) -> float:
        return self.rows.df_of_limits(self.metric, self.value)

    def interval(self, confidence: Confidence) -> Interval:
        return replace(self.rows, asked=confidence).of(self.metric, self.value)


def _sides(partials: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """float64[k] each: derivatives [k, 2, 2] by tp, fp, fn and tn."""
    (tn, fp), (fn, tp) = np.moveaxis(partials, 0, -1)
    return tp, fp, fn, tn


def _squared(rows: SetRows, phi: Floats) -> float:
    """Σ (w·φ)² over the known rows; Σ w·φ² where a row stands for w of them."""
    known = rows.known
    if known.is_frequency and known.weights is not None:
        return float((known.weights * phi**2).sum())
    return float(((phi if known.weights is None else known.weights * phi) ** 2).sum())
