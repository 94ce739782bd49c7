"""Intervals of the metrics of labels, by the form of their formula, and of a whole table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from karat.designs.units import kish
from karat.errors import error
from karat.inference.class_limits import NO_SLOPE, ClassLimits, class_limits, fewest_rows
from karat.inference.combined_limits import combined, is_combined
from karat.inference.confidence import DRAWN, Confidence, Interval
from karat.inference.draws import acceleration_of, interval_of_draws
from karat.inference.limits import Floats, transformed
from karat.inference.proportion_curves import curve_of_right_rows, of_right_rows
from karat.inference.resampling import replicate_tables
from karat.inference.rounding import settled_variance, size_of
from karat.inference.table_variance import (
    TableVariance,
    cell_slopes,
    derivative,
    df_on,
    settled_slopes,
    slopes_on,
    variance_of,
)
from karat.inference.value_limits import limits_of_share, textbook, within
from karat.inference.variance import is_of_logarithms, jackknifed
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.metrics._program import Slopes
from karat.tally import Cells, Classes, ClusteredCells
from karat.tally.cached import cached_property

A_COUNT: Final = "it counts these rows and is not an estimate"
_A_CONSTANT: Final = "it is the same for every table"
_FEW_IN_A_CELL: Final = 5
_ALMOST_NONE: Final = 1.5
_ONE_ROW: Final = (
    "it depends on the number of rows alone: at most one of them differs from the others"
)
"""For a proportion near its end: coverage of Wilson limits jumps with the discreteness of rows."""
_EQUAL: Final = 1.0 - 1e-9
_LIGHT_ROWS: Final = (
    "it depends on the number of rows alone: those that differ from the others weigh less than "
    "two rows"
)
_FEW_ROWS: Final = "classes have few rows"
FIXED: Final = "the design fixes the proportions of the true classes"
_ONLY_TOTALS: Final = "the tally kept the totals of the classes, not the cells"
_NO_SQUARES: Final = "the table holds sums of weights, and their squares are not known"


def label_interval(
    metric: Metric, value: float, spread: TableVariance, asked: Confidence, policy: Policy = "zero"
) -> Interval:
    """Interval of a metric of labels, of any lift but per class, with the given value on a table.

    If there is none, it has a remark instead of limits. It is computed once for each table.

    Cost: O(cells).
    """
    if not math.isfinite(value):
        return Interval()
    key = "interval", metric, value, asked, policy
    if key not in spread.kept:
        spread.kept[key] = _found(metric, value, spread, asked, policy)
    found: Interval = spread.kept[key]
    return found


def _found(
    metric: Metric, value: float, spread: TableVariance, asked: Confidence, policy: Policy
) -> Interval:
    cells = spread.cells
    if metric.is_constant:
        return Interval(remark=_A_CONSTANT)
    if metric.record.is_count:
        return Interval(remark=A_COUNT)
    if lacking := _lacking(cells):
        return Interval(remark=lacking)
    if spread.has_strata:
        g = derivative(metric, cells, policy)
        drawn = float(spread.variance(g)) if np.isfinite(g).all() else math.nan
        if is_fixed(g, drawn, spread):
            return Interval(remark=FIXED)
    ends = metric.ends
    if asked.method not in ("wald", "logit") and is_combined(metric, policy):
        found = combined(metric, value, spread, asked, policy)
        if found.remark is None and metric.lift != "weighted" and len(classes_of_few_rows(spread)):
            found = replace(found, remark=_FEW_ROWS)
        return within(found, value, ends, asked)
    slopes = slopes_on(metric, spread, policy)
    # Limits at many levels are requested for one table.
    key = "variance", metric, policy
    if key not in spread.kept:
        spread.kept[key] = variance_of(slopes, spread)
    variance: float = spread.kept[key]
    error = math.sqrt(variance) if math.isfinite(variance) else None
    if asked.method in ("wald", "logit"):
        found = Interval(remark=NO_SLOPE)
        if error is not None:
            found = textbook(
                value, error, asked.quantile(df_on(metric, spread, policy)), ends, asked.method
            )
    else:
        found = _default(metric, value, slopes, variance, spread, asked, policy)
    return within(replace(found, standard_error=error), value, ends, asked)


def _lacking(cells: Cells) -> str:
    """Return why a tally has no intervals; empty if it has."""
    if cells.storage == "marginals":
        return _ONLY_TOTALS
    return _NO_SQUARES if cells.is_weighted and cells.squares is None else ""


@dataclass(frozen=True, eq=False)
class TableLevels:
    """Limits of a metric of labels with this value on a table, at any level."""

    metric: Metric
    value: float
    table: TableVariance
    policy: Policy = "zero"

    @property
    def df(self) -> float:
        return df_on(self.metric, self.table, self.policy)

    def interval(self, confidence: Confidence) -> Interval:
        return label_interval(self.metric, self.value, self.table, confidence, self.policy)


def is_fixed(g: Floats, variance: float, spread: TableVariance) -> bool:
    """Return whether a metric depends only on the true class proportions, which are fixed."""
    if not math.isfinite(variance):
        return False
    drawn = float(TableVariance(spread.cells).variance(g))
    return bool(drawn > 0.0 and variance <= 1e-20 * drawn)


def _default(
    metric: Metric,
    value: float,
    slopes: Slopes,
    variance: float,
    spread: TableVariance,
    asked: Confidence,
    policy: Policy,
) -> Interval:
    record = metric.record
    if (metric.lift == "micro" or not record.is_per_class) and metric.is_of_right_rows:
        return _of_right_rows(metric, spread, asked)
    if record.is_per_class and metric.lift == "plain":
        found = class_limits(metric, spread, asked)
        at = spread.cells.classes.positive
        assert at is not None
        remark = None
        if found.method in ("log", "mover-log"):
            # The denominator of a ratio may be a cell of few rows, empty in other samples.
            in_a_cell = float(spread.one_vs_rest[0][at].min()) * spread.n_effective / spread.total
            if in_a_cell < _FEW_IN_A_CELL:
                remark = (
                    f"it depends on few rows: a cell of the confusion matrix has {in_a_cell:.3g}"
                )
        elif (fewest := fewest_rows(metric, spread)) is not None:
            remark = _few_differ(float(fewest[at]), spread)
        return Interval(float(found.low[at]), float(found.high[at]), found.method, remark=remark)
    if not math.isfinite(variance):
        return Interval(remark=NO_SLOPE)
    ends = metric.ends
    if is_of_logarithms(metric) and ends == (0.0, math.inf):
        # The information about a class is at most that of k classes.
        ends = 0.0, math.log(max(spread.cells.k, 2))
    if ends == (-math.inf, 1.0) and value > -1.0:
        # An agreement without a lower end uses the scale of those that have one.
        ends = -1.0, 1.0
    if math.isfinite(ends[0]) and math.isfinite(ends[1]):
        return _effective(metric, value, slopes, ends, spread, asked, policy)
    error, quantile = math.sqrt(variance), asked.quantile(df_on(metric, spread, policy))
    if ends[0] == 0.0 and value > quantile * error:
        return Interval(*transformed(value, error, quantile, ends))
    return Interval(value - quantile * error, value + quantile * error, "wald")


def _of_right_rows(metric: Metric, spread: TableVariance, asked: Confidence) -> Interval:
    """Wilson limits of the accuracy, transformed to a function of it alone."""
    key = "right rows"
    if key not in spread.kept:
        hit = (spread.rows == spread.cols).astype(np.float64)
        share = float((hit * spread.weights).sum()) / spread.total
        n = spread.effective_rows(hit)
        spread.kept[key] = share, n, float(spread.df_of(hit))
    share, n, df = spread.kept[key]
    low, high = limits_of_share(share, n, df, asked)
    remark = _few_differ(min(share, 1.0 - share) * n, spread)
    curve = curve_of_right_rows(metric, spread.cells.k)
    if curve is not None:
        a, b, c = curve
        ends = [(a * p + b) / (1.0 + c * p) for p in (low, high)]
        return Interval(min(ends), max(ends), "wilson", remark=remark)
    found = of_right_rows(metric, np.stack([low, high]), spread.cells.k)
    found = np.where(np.isfinite(found), found, metric.range[1])
    return Interval(float(found.min()), float(found.max()), "wilson", remark=remark)


def _few_differ(n: float, spread: TableVariance) -> str | None:
    """Remark on a proportion with n effective rows on its smaller side, if they are few."""
    if n >= _ALMOST_NONE:
        return None
    has_equal_rows = spread.n_effective >= _EQUAL * float(spread.cells.n_rows)
    return _ONE_ROW if not spread.cells.is_weighted or has_equal_rows else _LIGHT_ROWS


def _effective(
    metric: Metric,
    value: float,
    slopes: Slopes,
    ends: tuple[float, float],
    spread: TableVariance,
    asked: Confidence,
    policy: Policy,
) -> Interval:
    """Wilson limits with the number of rows at which a proportion has the variance of the metric.

    The variance is that of a table with ½ ÷ k rows more in each cell, since without errors the
    sample variance is 0. Logarithms of proportions are biased upward if cells have few rows: the
    limits are centered at the value minus that bias, and use the jackknife variance if it is
    larger.
    """
    span = ends[1] - ends[0]
    share, smooth_variance, inflation = (value - ends[0]) / span, math.nan, 1.0
    table = spread.smoothed
    if table is not None:
        smooth = metric.slopes(table.cells, policy)
        smooth_variance = variance_of(smooth, table) * table.n_effective / spread.n_effective
        if math.isfinite(smooth_variance):
            share = (float(smooth.value) - ends[0]) / span
    if not (spread.is_simple and math.isfinite(smooth_variance)):
        g = settled_slopes(metric, cell_slopes(slopes, spread.cells))
        inflation = float(spread.inflation(g))
        if not math.isfinite(smooth_variance):
            smooth_variance = float(spread.simple_variance(g))
    centre, remark = value, None
    without = jackknifed(metric, spread, policy) if is_of_logarithms(metric) else None
    if without is not None:
        centre = min(max(value - without.bias, ends[0]), ends[1])
        smooth_variance = max(smooth_variance, without.variance)
        if without.bias > math.sqrt(without.variance) / 2.0:
            remark = (
                f"with few rows in many cells, the value is too large by about {without.bias:.2g}"
            )
    variance = smooth_variance * inflation / span**2
    varies = settled_variance(variance, size_of(1.0, spread.n_effective)) > 0.0
    quantile = asked.quantile(df_on(metric, spread, policy))
    rows = share * (1.0 - share) / variance if varies else spread.n_effective
    low, high = asked.share_limits((centre - ends[0]) / span, rows, quantile)
    low, high = ends[0] + span * low, ends[0] + span * high
    if without is not None and _may_be_independent(value, without.bias, spread, asked):
        low = np.asarray(ends[0])
        remark = "the rows are consistent with independent truth and prediction"
    return Interval(float(low), float(high), "wilson-effective", remark=remark)


def _may_be_independent(
    value: float, bias: float, spread: TableVariance, asked: Confidence
) -> bool:
    """Return whether information is consistent with independent classes.

    Under independence, 2·rows times the information is χ²-distributed, and 2·rows times its bias is
    the number of degrees of freedom.
    """
    from scipy.special import chdtri

    held = spread.weights > 0
    sides = [len(np.unique(side[held])) - 1 for side in (spread.rows, spread.cols)]
    df = sides[0] * sides[1]
    return df > 0 and bias > 0.0 and bool(df * value / bias <= chdtri(df, asked.tail))


N_FEW_ROWS = 5
"""Number of rows of a class below which its proportion is too uncertain for averages."""
N_FEW_ROWS_OF_MANY = 10
"""The same limit, if a third of the classes have fewer."""
_MANY: Final = 1.0 / 3.0
_FEW_OF_ALL: Final = 0.2
"""Proportion of effective rows below which the weights deserve a warning."""
N_FEW_WRONG = 25
"""Number of effective wrong rows, heavier than others, below which coverage is too low."""
_LESS_THAN_ALL: Final = 0.85
N_FEW_CLUSTERS = 10
"""Number of clusters below which the width of an interval is mostly unknown."""
N_DECIDING_CLUSTERS = 2.0
"""Degrees of freedom below which the errors of one or two clusters dominate."""
_N_NAMED = 5
_BLOCK_BYTES = 1 << 25
_MOST_DRAWN = 2**52


def classes_of_few_rows(spread: TableVariance) -> npt.NDArray[np.intp]:
    """Indices of the classes with so few true rows that averages are below their level.

    Classes with fewer than 5 effective rows, or fewer than 10 if they are a third of the classes.
    The measured coverage with 8 rows of each class is 94 to 95 % (docs/coverage.md).
    """
    key = "classes of few rows"
    if key not in spread.kept:
        sums = spread.weights, spread.squares
        weights, squares = (np.bincount(spread.rows, each, spread.cells.k) for each in sums)
        spread.kept[key] = of_few_rows(kish(weights, squares), weights > 0.0)
    found: npt.NDArray[np.intp] = spread.kept[key]
    return found


def of_few_rows(n: Floats, is_seen: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Indices of the classes, or labels, with few effective true rows, but not zero."""
    few = np.flatnonzero(is_seen & (n < N_FEW_ROWS_OF_MANY))
    return few if len(few) >= _MANY * is_seen.sum() else np.flatnonzero(is_seen & (n < N_FEW_ROWS))


def caution_on_few_rows(few: npt.NDArray[np.intp], classes: Classes, several: str) -> list[str]:
    """Return the caution about classes with few rows, if there are any.

    Args:
        several: plural noun for the classes.
    """
    if not len(few):
        return []
    names = [classes.display[i] for i in few[:_N_NAMED]]
    more = f" and {len(few) - _N_NAMED} more" if len(few) > _N_NAMED else ""
    sentence = (
        f"Fewer than {N_FEW_ROWS_OF_MANY} true rows of {', '.join(names)}{more}: intervals "
        f"of averages over the {several} may cover the true value less often than stated."
    )
    return [sentence]


def caution_on_no_error(noun: str, asked: Confidence) -> str:
    """Return the caution about limits where nothing is predicted wrongly.

    Args:
        noun: what is predicted: ``"row"`` or ``"label"``.
        asked: settings of the intervals.
    """
    start = f"No {noun} is predicted wrongly"
    if asked.method == "default":
        return f"{start}: intervals depend on the number of rows alone."
    found = "there are no logit limits" if asked.method == "logit" else "limits have no width"
    start += f": by the method {asked.method!r} {found}."
    return f"{start} The default method takes the number of rows into account."


def _of_weights(spread: TableVariance, n_rows: float) -> list[str]:
    """Return cautions about weights that leave few effective rows."""
    found = []
    if spread.n_effective < n_rows * _FEW_OF_ALL:
        found.append(
            f"The weights differ so much that {n_rows:.0f} rows are worth "
            f"{spread.n_effective:.0f} of equal weight."
        )
    is_wrong = spread.rows != spread.cols
    weights, squares = (each[is_wrong].sum() for each in (spread.weights, spread.squares))
    n_wrong = float(kish(weights, squares))
    # The effective rows that the others have for the same weight.
    n_expected = weights / spread.total * spread.n_effective
    if 0.0 < n_wrong < min(N_FEW_WRONG, _LESS_THAN_ALL * n_expected):
        found.append(
            "The rows that are predicted wrongly have larger weights than others, and are worth "
            f"{n_wrong:.1f} of equal weight: intervals may be too narrow."
        )
    return found


def _with_one_look(every: Interval, one: Interval) -> Interval:
    """Return limits of every look that contain those of one look.

    Combined limits of very few rows end where those of the parts do, whatever their level.
    """
    if every.low is None or every.high is None or one.low is None or one.high is None:
        return every
    return replace(every, low=min(every.low, one.low), high=max(every.high, one.high))


@dataclass(frozen=True, eq=False)
class TableIntervals:
    """A table, its rows by cluster or None, and the settings of its intervals."""

    cells: Cells
    asked: Confidence
    clusters: ClusteredCells | None = None
    policy: Policy = "zero"

    @cached_property
    def spread(self) -> TableVariance:
        return TableVariance(self.cells, self.asked.design, self.clusters)

    @cached_property
    def _at(self) -> Confidence:
        """Settings at the number of rows, or of clusters, of the table."""
        n_units = self.spread.n_units
        return self.asked.at(n_units if math.isfinite(n_units) else float(self.cells.n_rows))

    def of(self, metric: Metric, value: float) -> Interval:
        """Return the interval of a metric of labels with this value on the table."""
        # For classes that weigh 10^-260 of the others.
        with np.errstate(over="ignore", invalid="ignore"):
            found = label_interval(metric, value, self.spread, self._at, self.policy)
            if self.asked.is_of_looks:
                once = replace(self.asked, anytime=None, window=None)
                of_one = label_interval(metric, value, self.spread, once, self.policy)
                found = _with_one_look(found, of_one)
        # If there can be none, replicates give none either.
        if self.asked.method not in DRAWN or found.standard_error is None:
            return found
        return replace(self._drawn(metric, value), standard_error=found.standard_error)

    def _drawn(self, metric: Metric, value: float) -> Interval:
        """Return the interval by replicates of the table, drawn once for all metrics."""
        if self.spread.total > _MOST_DRAWN and not self.cells.is_weighted:
            return Interval(remark="too many rows for replicates: use another method")
        g = derivative(metric, self.cells, self.policy)
        phi, times = self.spread.centred(g), self.spread.weights
        acceleration = acceleration_of(phi, times) if np.isfinite(phi).all() else 0.0
        drawn = np.concatenate([metric.values(part, self.policy).value for part in self._tables])
        return interval_of_draws(metric, value, drawn, self.asked, acceleration)

    @cached_property
    def _tables(self) -> list[Cells]:
        """Tables drawn from this one; in a case-control sample, with fixed class sizes."""
        asked, size = self.asked, 8 * max(1, min(self.cells.k**2, 2 * self.cells.flat().size))
        step = max(1, min(asked.n_replicates, _BLOCK_BYTES // size))
        return [
            replicate_tables(
                self.cells,
                min(step, asked.n_replicates - first),
                asked.seed,
                method="bayesian" if asked.method == "bayesian" else "multinomial",
                clusters=self.clusters,
                first=first,
                is_by_class=self.spread.has_strata and self.clusters is None,
            )
            for first in range(0, asked.n_replicates, step)
        ]

    def covariance(self, metrics: Sequence[Metric]) -> npt.NDArray[np.float64]:
        """float64[d, d]: covariance of d metrics of labels.

        Errors:
            K211 a metric of scores; K204 only totals are kept; K212 the squares of the weights are
            unknown.
        """
        for metric in metrics:
            if metric.needs_scores:
                do = "Name metrics of labels; karat.compare takes those of scores row by row."
                raise error("K211", name=f"the influence of each row on {metric}", do=do)
        if self.cells.storage == "marginals":
            raise error("K204", name="A covariance")
        if self.cells.is_weighted and self.cells.squares is None:
            raise error("K212")
        slopes = [derivative(metric, self.cells, self.policy) for metric in metrics]
        return self.spread.covariance(np.stack(slopes)) if slopes else np.empty((0, 0))

    def of_classes(self, metric: Metric) -> ClassLimits | None:
        """Return limits of a metric of one class for every class; None if there are none."""
        plain = Metric(metric.record, "plain", metric.params)
        if _lacking(self.cells) or plain.record.is_count:
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            return class_limits(plain, self.spread, self._at)

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """Reasons why the coverage may be below the level, as sentences."""
        if _lacking(self.cells):
            return ()
        found: list[str] = []
        fields, spread = self.cells.fields, self.spread
        found += caution_on_few_rows(classes_of_few_rows(spread), self.cells.classes, "classes")
        if self.cells.has_predictions and not (fields.fn.any() or fields.fp.any()):
            found.append(caution_on_no_error("row", self.asked))
        if self.cells.is_weighted and spread.total:
            found += _of_weights(spread, float(self.cells.n_rows))
        asked = self.asked
        if self.clusters is not None and spread.has_strata and asked.method in DRAWN:
            found.append(
                "Replicates draw whole clusters, so they do not keep the number of rows of each "
                "class."
            )
        if math.isfinite(spread.n_units):
            g = int(spread.n_units)
            hit = (spread.rows == spread.cols).astype(np.float64)
            if g < N_FEW_CLUSTERS:
                found.append(f"There are only {g} clusters: intervals may be inaccurate.")
            elif self.cells.has_predictions and float(spread.df_of(hit)) < N_DECIDING_CLUSTERS:
                found.append(
                    f"Of {g} clusters, one or two have most of the rows that are predicted "
                    "wrongly: intervals may be inaccurate."
                )
        return tuple(found)
