"""Sampling errors of metrics of scores, from the influence of each row, as columns are sorted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from karat.designs import DRAWINGS, Design, units_of
from karat.designs.clusters import RowClusters
from karat.designs.units import Sample, Units, small_sample
from karat.inference.limits import Floats
from karat.inference.rounding import settled, settled_variance, size_of
from karat.inference.sampling_error import SamplingError
from karat.inference.variance import (
    AreaVariance,
    Found,
    Sizes,
    is_of_classes,
    optimism,
    shrunk_pairs,
    spread,
)
from karat.metrics._influence.forms import (
    AreaInfluence,
    DifferencesInfluence,
    LineInfluence,
    LossInfluence,
    PairsInfluence,
    PlaceInfluence,
    PrecisionInfluence,
    ShareInfluence,
    SkillInfluence,
)
from karat.metrics._influence.gather import GatheredInfluences
from karat.metrics._influence.line import Line
from karat.metrics._influence.linear import linear_of
from karat.metrics._measure import Views
from karat.metrics._metric import Metric
from karat.metrics._views import Confidences, Pairwise
from karat.tally import ScoredRows
from karat.tally.cached import cached_property
from karat.tally.row_sample import row_parts

_OF_PAIRS = (PairsInfluence, DifferencesInfluence)


class Whole(NamedTuple):
    """Facts about all rows, if a sample represents them.

    `squares` are Σw² of the rows that each sampled row represents, `areas` the sampling errors of
    the area of each class.
    """

    sizes: Sizes
    squares: Floats
    areas: Sequence[AreaVariance]


class InfluenceVariances:
    """Sampling errors while `measure` sorts columns; see `_measure.Beside`.

    Args:
        rows: implements `tally.ScoredRows`.
        metrics: metrics with an influence function.
        clusters: int[n], the cluster of each row, in [0, n_clusters). Rows of one cluster may
            depend on each other.
        n_clusters: number of clusters; those without weight are ignored.
        design: how rows were drawn.
        whole: facts about all rows, if these are a sample of them.
        keeps_influence: whether `influence` of every metric will be read.

    Errors:
        K311 a metric has no influence function.

    Cost: one walk over the sorted column for a class against the rest; 8 bytes for each row and
    metric for averages over classes, and with clusters.
    """

    def __init__(
        self,
        rows: ScoredRows,
        metrics: Iterable[Metric],
        clusters: npt.NDArray[Any] | None = None,
        n_clusters: int = 0,
        *,
        design: Design = "cohort",
        whole: Whole | None = None,
        keeps_influence: bool = False,
    ) -> None:
        self._rows, self._metrics = rows, list(metrics)
        self._design, self._whole_of = design, whole
        self._sizes = Sizes.of(rows) if whole is None else whole.sizes
        self._clusters = None
        if clusters is not None:
            self._clusters = RowClusters.of(clusters, n_clusters, rows.weights, rows.n_rows)
        self._is_direct = self._clusters is None and DRAWINGS[design].is_plain
        needs_rows = keeps_influence or not self._is_direct
        self._gathered = GatheredInfluences(
            rows, [m for m in self._metrics if needs_rows or _is_mean(m)]
        )
        for metric in self._metrics:
            GatheredInfluences.checked(metric)
        self._areas: dict[int, AreaVariance] = {}
        self._alone: dict[tuple[Metric, int], SamplingError] = {}
        self._chances: dict[Metric, Floats] = {}

    @property
    def names_rows(self) -> bool:
        return self._gathered.names_rows

    def column(self, i: int, views: Views) -> None:
        forms = [metric.record.influence for metric in self._metrics]
        if any(isinstance(form, AreaInfluence) for form in forms):
            # Before the areas are requested: they are computed on the way.
            if self._whole_of is not None:
                self._areas[i] = self._whole_of.areas[i]
            else:
                placements = views.ranks.ranked.placements()
                self._areas[i] = AreaVariance.of(views.ranks.area, placements)
        self._gathered.column(i, views)
        for metric in self._metrics:
            is_own = metric.lift == "plain" and i == self._rows.classes.positive
            if metric.record.is_per_class and (is_own or metric.lift == "per_class"):
                self._alone[metric, i] = self._of_class(metric, i, views)

    def confidences(self, view: Confidences) -> None:
        """Do nothing: metrics of confidences are not smooth."""

    def pooled(self, views: Views) -> None:
        self._gathered.pooled(views)

    def pairs(self, metric: Metric, view: Pairwise) -> None:
        if view.found is not None:
            self._chances[metric] = view.found.matrix
        self._gathered.pairs(metric, view)

    def influence(self, metric: Metric) -> Floats:
        """Return the influence, as `GatheredInfluences`."""
        return self._gathered.influence(metric)

    def found(self) -> dict[Metric, Found]:
        """Return every sampling error, after all is measured."""
        return {metric: self._found(metric) for metric in self._metrics}

    def _found(self, metric: Metric) -> Found:
        if _is_mean(metric):
            each = [self._average(metric)]
        elif not metric.record.is_per_class:
            each = [self._whole(metric)]
        elif metric.lift == "plain":
            assert self._rows.classes.positive is not None
            each = [self._alone[metric, self._rows.classes.positive]]
        else:
            each = [self._alone[metric, i] for i in range(self._rows.classes.k)]
        each = [self._settled(metric, one) for one in each]
        if not self._is_direct:
            phi = np.atleast_2d(self._gathered.influence(metric))
            each = [self._of_units(metric, *both) for both in zip(each, phi, strict=True)]
        return tuple(each) if metric.lift == "per_class" else each[0]

    def _settled(self, metric: Metric, one: SamplingError, n: float | None = None) -> SamplingError:
        """Return the sampling error, without a variance that may be rounding.

        `n` is the effective number of clusters, if the variance is one over clusters.
        """
        form = metric.record.influence
        number = 1.0
        if isinstance(form, LossInfluence | SkillInfluence):
            # What is subtracted from the losses: their mean.
            number = float(np.abs(linear_of(metric, self._rows).offsets).max())
        size = size_of(number, one.n_effective if n is None else n)
        of_sums = isinstance(form, LossInfluence)
        variance = float(settled_variance(one.variance, size, of_sums=of_sums))
        # For areas, the prior stays.
        return replace(one, variance=variance, shrunk=one.shrunk - one.variance + variance)

    def _of_class(self, metric: Metric, i: int, views: Views) -> SamplingError:
        """Return the sampling error of one class against the rest, by sums over its column."""
        form = metric.record.influence
        if isinstance(form, AreaInfluence):
            found = self._areas[i]
            missing = "" if np.isfinite(found.variance) else _missing_sides(found)
            square, n = form.scale**2, float(found.rows.min())
            scaled = square * found.variance, square * found.shrunk
            return SamplingError(*scaled, found.df, n, found.informative, missing)
        sizes = self._sizes
        n_own = float(sizes.of_classes[i])
        if isinstance(form, PrecisionInfluence):
            squares = views.ranks.ranked.lift_squares(is_straight=form.is_straight)
            with np.errstate(divide="ignore", invalid="ignore"):
                variance = float(squares.sum() / sizes.weight[i] ** 2) * self._factor
            made = spread(variance, n_own - 1.0, n_own, "no row is truly of the class")
            lines = 0.0
            if form.is_straight:
                lines = abs(settled(views.ranks.trapezoid_area - views.ranks.step_area))
            return replace(made, optimism=optimism(sizes.rows), interpolated=lines)
        total = float(sizes.weight.sum())
        if isinstance(form, LineInfluence):
            line, square = Line.of(views.probabilities, form.part), 0.0
            if np.isfinite(line.value):
                square = line.squares(views.probabilities)
            square = square if np.isfinite(line.value) else np.nan
            variance = square / total**2 * self._factor
            missing = "the regression line does not exist"
            return spread(variance, sizes.rows - 1.0, sizes.rows, missing)
        assert isinstance(form, ShareInfluence)
        own, of_own = float(sizes.weight[i]) / total, float(sizes.square[i])
        of_rest = float(sizes.square.sum()) - of_own
        slope = form.slope(own, 1.0 - own) if 0.0 < own < 1.0 else 0.0
        square = slope**2 * ((1.0 - own) ** 2 * of_own + own**2 * of_rest)
        return spread(square / total**2 * self._factor, sizes.rows - 1.0, sizes.rows, "")

    @property
    def _factor(self) -> float:
        return float(small_sample(self._sizes.rows))

    def _whole(self, metric: Metric) -> SamplingError:
        sizes, form = self._sizes, metric.record.influence
        if isinstance(form, LossInfluence):
            square = _square_of_mean(metric, self._rows)
        elif isinstance(form, PlaceInfluence) and not self._rows.is_weighted:
            right = -float(linear_of(metric, self._rows).offsets[0])
            square = float(sizes.weight.sum()) * right * (1.0 - right)
        else:
            square = float(self._squares(linear_of(metric, self._rows).of_rows).sum())
        variance = square / float(sizes.weight.sum()) ** 2 * self._factor
        return spread(variance, sizes.rows - 1.0, sizes.rows, "the metric has no finite value")

    def _squares(self, influence: Callable[[ScoredRows, slice], Floats]) -> Floats:
        """float64[k], Σw²φ² of the rows of each true class."""
        rows, found = self._rows, np.zeros(self._rows.classes.k)
        for part in row_parts(rows.n_rows):
            # Influences of extreme scores have squares that overflow.
            with np.errstate(over="ignore", invalid="ignore"):
                term = influence(rows, part) ** 2
                if self._whole_of is not None:
                    square = self._whole_of.squares[part]
                    term = np.where(square > 0, square * term, 0.0)
                elif rows.weights is not None:
                    weight = rows.weights[part]
                    term = np.where(weight > 0, weight**2 * term, 0.0)
            found += np.bincount(rows.codes[part], term, len(found))
        return found

    @cached_property
    def _square_of_rows(self) -> Floats | None:
        """float64[n], Σw² of each row; None: 1."""
        if self._whole_of is not None:
            return np.ascontiguousarray(self._whole_of.squares, np.float64)
        weights = self._rows.weights
        return None if weights is None else np.square(weights, dtype=np.float64)

    def _average(self, metric: Metric) -> SamplingError:
        """Return the sampling error of a mean over classes, pairs or items, by influences."""
        sizes, form = self._sizes, metric.record.influence
        squares = self._gathered.squares(metric, self._square_of_rows)
        if squares is None:
            phi = self._gathered.influence(metric)
            squares = self._squares(lambda _, part: phi[part])
        with np.errstate(over="ignore", invalid="ignore"):  # infinite influences leave it unknown
            by_class = sizes.factors(metric) * squares / float(sizes.weight.sum()) ** 2
            by_class = settled_variance(by_class, size_of(1.0, sizes.rows))
        variance = shrunk = float(by_class.sum())
        missing = "no class can be measured"
        if metric.lift == "micro":
            return spread(variance, sizes.rows - 1.0, sizes.rows, missing)
        if isinstance(form, _OF_PAIRS):
            chance, share = self._pair_shares(metric)
            shrunk = shrunk_pairs(by_class, sizes.of_classes, chance, share)
        elif isinstance(form, AreaInfluence):
            shrunk += form.scale**2 * self._shrinkage(metric)
        is_precision = isinstance(form, PrecisionInfluence)
        # The degrees of freedom of a mean over classes are those of its smallest class.
        smallest = sizes.smallest if is_of_classes(metric) else sizes.rows
        made = spread(variance, smallest - 1.0, smallest, missing)
        return replace(made, shrunk=shrunk, optimism=optimism(sizes.rows) if is_precision else 0.0)

    def _shrinkage(self, metric: Metric) -> float:
        """Σ a²·(shrunk variance − variance) over the classes where it is defined."""
        known = {i: one for i, one in self._areas.items() if np.isfinite(one.area)}
        total = 0.0
        weights = {i: self._sizes.weight[i] if metric.lift == "weighted" else 1.0 for i in known}
        for i, one in known.items():
            if np.isfinite(one.variance):
                share = weights[i] / sum(weights.values())
                total += share**2 * (one.shrunk - one.variance)
        return float(total)

    def _pair_shares(self, metric: Metric) -> tuple[Floats, Floats]:
        form = metric.record.influence
        chance = self._chances.get(metric)
        if chance is None:
            chance = self._gathered.chances()
        share = np.isfinite(chance).astype(np.float64)
        if isinstance(form, DifferencesInfluence):
            # Measured once for each pair, without a first class.
            chance = np.where(np.tri(len(chance), k=-1) > 0, chance.T, chance)
        elif isinstance(form, PairsInfluence) and form.is_by_support:
            share *= self._sizes.weight[:, None] + self._sizes.weight[None, :]
        whole = share.sum()
        return chance, share / whole if whole else share

    @cached_property
    def _units(self) -> Units:
        """The rows, as they were drawn."""
        rows = self._rows
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        squares = weights * weights if self._whole_of is None else self._whole_of.squares
        sample = Sample(weights, squares, rows.codes, rows.classes.k, grows=True)
        return units_of(self._design, sample, self._clusters)

    def _of_units(self, metric: Metric, alone: SamplingError, phi: Floats) -> SamplingError:
        """Return the sampling error by the influence of each row."""
        units, weights = self._units, self._rows.weights
        # Of a row without weight the loss may be infinite.
        phi = phi if weights is None else np.where(weights > 0, phi, 0.0)
        found = _with_variance(alone, float(units.variance(phi)))
        if math.isinf(units.df):
            is_known = np.isfinite(alone.variance) and np.isfinite(found.variance)
            return self._settled(metric, found) if is_known else alone
        found = self._settled(metric, found, units.n_of_rounding)
        if not np.isfinite(found.variance):
            return replace(found, df=units.df, missing=alone.missing or "there is one cluster")
        df = units.degrees(phi) if found.variance > 0.0 else units.df
        return replace(found, df=df, missing="")


def _with_variance(alone: SamplingError, variance: float) -> SamplingError:
    """Return the sampling error with another variance, shrunk in the same ratio."""
    ratio = alone.shrunk / alone.variance if alone.variance > 0 else 1.0
    return replace(alone, variance=variance, shrunk=variance * ratio)


def _is_mean(metric: Metric) -> bool:
    """Return whether rows of several columns are added, so that φ of each row is needed."""
    is_average = metric.record.is_per_class and metric.lift not in ("plain", "per_class")
    return is_average or isinstance(metric.record.influence, _OF_PAIRS)


def _square_of_mean(metric: Metric, rows: ScoredRows) -> float:
    """Σw²φ² of the mean of a loss, from three sums."""
    sums, linear = rows.sums(metric.losses), linear_of(metric, rows)
    at, shift = sums.names.index(linear.name), np.float64(linear.offsets[0])
    # Losses of extreme scores have squares that overflow.
    with np.errstate(over="ignore", invalid="ignore"):
        square = linear.gain**2 * sums.w2_loss2[at]
        square += 2.0 * linear.gain * shift * sums.w2_loss[at] + shift**2 * sums.weight2
    return max(float(square), 0.0) if np.isfinite(square) else np.nan


def _missing_sides(found: AreaVariance) -> str:
    rest, own = found.rows
    if not own:
        return "no row is truly of the class"
    if not rest:
        return "every row is truly of the class"
    return "one row is truly of the class" if own <= rest else "one row is truly of another class"
