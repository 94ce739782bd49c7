"""Intervals of metrics of the scores of sets of labels: rows are the units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from karat.designs import units_of
from karat.designs.clusters import RowClusters
from karat.designs.units import Sample, Units, kish, small_sample
from karat.inference.combined_limits import mover_interval
from karat.inference.confidence import DRAWN, Confidence, Interval
from karat.inference.draws import acceleration_of, interval_of_draws
from karat.inference.label_intervals import of_few_rows
from karat.inference.limits import Floats
from karat.inference.resampling import replicate_times
from karat.inference.rounding import settled_error
from karat.inference.sampling_error import SamplingError
from karat.inference.score_intervals import measured_with_influence, measured_with_intervals
from karat.inference.set_intervals import ONE_CLUSTER
from karat.inference.set_moves import LabelMoves, LabelSpread, Moves, NotTested
from karat.inference.value_limits import interval_of_rows, score_interval, within
from karat.inference.variance import precision_bias
from karat.metrics import Metric
from karat.metrics._influence.forms import PrecisionInfluence
from karat.metrics._influence.gather import reason_without
from karat.metrics._of_set_scores import (
    RowMean,
    SetScores,
    has_weight,
    is_of_labels,
    is_of_rows,
    is_pooled,
)
from karat.metrics._of_sets import meant_on_sets
from karat.metrics._registry import get
from karat.metrics._set_views import LabelAreas, RankedCells
from karat.metrics._views import ClassRanks
from karat.metrics.label_scores import fmax_points, fmax_rows
from karat.tally.cached import cached_property
from karat.tally.scored import ScoredRows

_ONE_ROW: Final = "there is one row"
_CHOSEN: Final = "the interval allows for the choice of the threshold on these rows"
_DRAWN: Final = "give karat.Interval(method='bootstrap')"
_TOO_FEW: Final = f"there are too few rows to choose a threshold on others: {_DRAWN}"
_FOLDS: Final = 10
_NO_FORM: Final = f"it takes replicates: {_DRAWN}"
_NOT_WHOLE: Final = "only bounds of its value are known"
_WITHOUT_ERROR: Final = "a label is ranked without error"
_STEP: Final = 1e-6


def _f1_of_rows(precision: Floats, recall: Floats, mass: Floats) -> tuple[float, Floats]:
    """F1 of the means of both over the rows that have them, and how much each row moves it."""
    counts = np.isfinite(precision) & (mass > 0.0)
    means, phis = [], []
    for values, kept in ((precision, counts), (recall, mass > 0.0)):
        total = float(mass[kept].sum())
        mean = float((mass[kept] * values[kept]).sum()) / total if total > 0.0 else 0.0
        means.append(mean)
        phi = np.zeros(len(mass))
        phi[kept] = mass[kept] * (values[kept] - mean) / total if total > 0.0 else 0.0
        phis.append(phi)
    both = means[0] + means[1]
    if not both > 0.0:
        return 0.0, phis[0]
    slopes = 2.0 * (means[1] / both) ** 2, 2.0 * (means[0] / both) ** 2
    return 2.0 * means[0] * means[1] / both, slopes[0] * phis[0] + slopes[1] * phis[1]


@dataclass(eq=False)
class SetScoreIntervals:
    """Intervals of what is measured on the scores of sets.

    Attributes:
        scores: the rows, and what metrics read of them.
        asked: what is asked of the intervals.
        compares: whether `moves` will be asked for.
    """

    scores: SetScores
    asked: Confidence
    compares: bool = False
    _spreads: dict[Metric, LabelSpread] = field(default_factory=dict, repr=False)
    _of_pooled: dict[Metric, Interval] = field(default_factory=dict, repr=False)
    _known: dict[Metric, Interval] = field(default_factory=dict, repr=False)
    _biases: dict[int, float] = field(default_factory=dict, repr=False)

    @property
    def _alone(self) -> Confidence:
        """Specification for one label: replicates are of rows, with all of their labels."""
        asked = self.asked
        method = "default" if asked.method in DRAWN else asked.method
        # Both limits, each as sure as the one that is asked for: they are combined.
        return replace(asked, method=method, side="both", level=1.0 - 2.0 * asked.tail)

    def of(self, metric: Metric, value: float) -> Interval:
        """The interval of a metric whose value this is."""
        if not math.isfinite(value):
            return Interval()
        metric = meant_on_sets(metric)
        if metric not in self._known:
            self._known[metric] = self._made(metric, value)
        return self._known[metric]

    def _made(self, metric: Metric, value: float) -> Interval:
        if self.scores.rows.n < 2:
            return Interval(remark=_ONE_ROW)
        if self._has_one_cluster:
            return Interval(remark=ONE_CLUSTER)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            found = self._found(metric, value)
        if self.asked.method in DRAWN and found.remark != _NOT_WHOLE:
            found = replace(self._drawn(metric, value), standard_error=found.standard_error)
        return within(found, value, metric.range, self.asked)

    def _found(self, metric: Metric, value: float) -> Interval:
        if is_of_rows(metric):
            return self._of_mean(metric, value)
        if metric.record.reads is RankedCells:
            return self._of_chosen(metric, value)
        if metric.record.reads is LabelAreas:
            return self._of_areas(metric, value)
        plain = Metric(metric.record, "plain", metric.params)
        if reason_without(plain):
            return Interval(remark=_NO_FORM)
        if metric.lift == "micro":
            return self._pooled(plain)
        spread = self._spread_of(plain)
        if metric.lift == "macro":
            return self._combined(metric, spread, value)
        return self._one(metric, value, spread.weighted)

    def moves(self, metric: Metric, value: float) -> Floats | None:
        """float64[n]: how much each row moves a metric whose value this is, by its weight.

        None where that is not known: of what the rows choose, and of all labels pooled.
        """
        metric = meant_on_sets(metric)
        if is_of_rows(metric):
            return self._moves_of_mean(metric, value) if self._is_whole(metric) else None
        plain = Metric(metric.record, "plain", metric.params)
        is_known = metric.record.reads not in (RankedCells, LabelAreas) and metric.lift != "micro"
        if not is_known or reason_without(plain):
            return None
        spread = self._spread_of(plain)
        if metric.lift == "weighted":
            return spread.weighted
        return spread.whole / max(int(np.isfinite(spread.value).sum()), 1)

    def _is_whole(self, metric: Metric) -> bool:
        """True if the value of a mean over rows is known exactly."""
        return self.scores.bound(metric) is None

    def _moves_of_mean(self, metric: Metric, value: float) -> Floats:
        """float64[n]: w·g·(x − value) ÷ Σ w·g of each row."""
        mean = self.scores.mean(metric)
        mass = self.scores.weights * mean.gain
        kept = mass > 0.0
        found = np.zeros(len(mass))
        found[kept] = mass[kept] * (mean.value[kept] - value) / float(mass[kept].sum())
        return found

    def _of_mean(self, metric: Metric, value: float) -> Interval:
        """Interval of Σ w·g·x ÷ Σ w·g over the rows."""
        if not self._is_whole(metric):
            return Interval(remark=_NOT_WHOLE)
        mean = self.scores.mean(metric)
        mass = self.scores.weights * mean.gain
        kept = mass > 0.0
        x, mass = mean.value[kept], mass[kept]
        total = float(mass.sum())
        n = total**2 / float((mass**2).sum())
        if n < 2.0 - 1e-12:
            return Interval(remark=_ONE_ROW)
        phi, df = self._moves_of_mean(metric, value), n - 1.0
        variance = self._variance(phi)
        if not self._is_clustered:
            variance *= n / (n - 1.0)
        n = min(n, self._units.n_units)
        variance = settled_error(metric, value, math.sqrt(variance), n) ** 2
        if self._is_clustered:
            df = self._df(phi if variance > 0.0 else np.zeros_like(phi))
        if metric.range[1] == math.inf:
            spread = SamplingError(variance, variance, df, n)
            return score_interval(metric, value, spread, self._alone, n)
        is_share = bool((mean.gain[kept] == 1.0).all() and ((x == 0.0) | (x == 1.0)).all())
        is_share = is_share and not self._is_clustered
        return interval_of_rows(
            self._alone, metric, value, math.sqrt(variance), n, df, is_share=is_share
        )

    @property
    def _has_one_cluster(self) -> bool:
        return self._units.n_units < 2

    def compared_moves(self, metric: Metric, value: float) -> Moves | NotTested:
        """Influence of each row on a metric with this value; or the reason why it is unknown."""
        if self.scores.rows.n < 2 or self._has_one_cluster:
            return NotTested(_ONE_ROW if self.scores.rows.n < 2 else ONE_CLUSTER)
        metric = meant_on_sets(metric)
        plain = Metric(metric.record, "plain", metric.params)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            if is_of_rows(metric):
                if not self._is_whole(metric):
                    return NotTested(_NOT_WHOLE)
                phi = self._moves_of_mean(metric, value)
                mass = self.scores.weights * self.scores.mean(metric).gain
                if not self._is_clustered:
                    phi *= math.sqrt(float(small_sample(kish(mass.sum(), (mass**2).sum()))))
                return Moves(phi)
            if metric.record.reads is RankedCells:
                return NotTested("its threshold is chosen by the rows")
            if metric.record.reads is LabelAreas:
                slopes = self._slopes(metric)
                if slopes is None:
                    return NotTested(_WITHOUT_ERROR)
                return Moves(self._sum_of_areas(slopes) * math.sqrt(self._least))
            if reason := reason_without(plain):
                return NotTested(f"it has no influence function: it is {reason}")
            if metric.lift == "micro":
                return Moves(self._moves_of_pooled(plain) * math.sqrt(self._least))
            spread = self._spread_of(plain)
            assert spread.moves is not None
            return spread.moves.of_lift(metric.lift, int(np.isfinite(spread.value).sum()))

    def _moves_of_pooled(self, plain: Metric) -> Floats:
        """float64[n]: what the labels of each row move together."""
        pooled, of_row = self.scores.columns.pooled()
        phi = measured_with_influence(
            pooled, [plain], self.scores.policy, self._alone, clusters=of_row
        )[2](plain)
        w = np.ones(pooled.n_rows) if pooled.weights is None else pooled.weights
        total = float(w.sum())
        sums = np.bincount(of_row, np.where(w > 0.0, w * phi, 0.0), self.scores.rows.n)
        return np.asarray(sums / total, np.float64)

    def _slopes(self, metric: Metric) -> Floats | None:
        """float64[k]: how a function of the areas of the labels moves with each; None at an end."""
        areas = self.scores.areas
        slopes = np.zeros(len(areas))
        for label in np.flatnonzero(np.isfinite(areas)).tolist():
            moved = [areas.copy(), areas.copy()]
            step = min(_STEP, areas[label] / 2.0, (1.0 - areas[label]) / 2.0)
            if not step > 0.0:
                return None
            moved[0][label] -= step
            moved[1][label] += step
            ends = [metric.record.formula(LabelAreas(each)) for each in moved]
            slopes[label] = (ends[1] - ends[0]) / (2.0 * step)
        return slopes

    def _sum_of_areas(self, slopes: Floats) -> Floats:
        """float64[n]: what each row moves in a number that moves so with the areas."""
        area = Metric.of(get("roc_auc").record, "plain", {})
        phi = np.zeros(self.scores.rows.n)
        for label, _, parts, _ in self._each([area]):
            if area in parts:
                phi[self._at(label)] += slopes[label] * parts[area]
        return phi

    def _of_areas(self, metric: Metric, value: float) -> Interval:
        """Interval of a function of the areas of the labels, from its derivatives."""
        slopes = self._slopes(metric)
        if slopes is None:
            return Interval(remark=_WITHOUT_ERROR)
        phi = self._sum_of_areas(slopes)
        variance = self._variance(phi) * self._least
        n, df = self._n_effective, self._df(phi)
        return score_interval(metric, value, SamplingError(variance, variance, df, n),
                              self._alone, n)  # fmt: skip

    def _of_chosen(self, metric: Metric, value: float) -> Interval:
        """Interval of the value at the best threshold, which these rows choose.

        At the threshold the value varies by the influence of each row: how the threshold varies
        does not matter there (envelope theorem). The value is too large by what the choice gains;
        that of rows whose threshold other rows chose is too small by what it loses. Limits lie
        around the middle of both, and half the distance counts as an error of its own.
        """
        cells = self.scores.cells
        points = fmax_points(cells)
        codes = self._codes
        n_units = int(codes.max(initial=-1)) + 1
        if points is None or n_units < _FOLDS:
            return Interval(remark=_TOO_FEW)
        at_best = np.full(len(codes), points[0][int(points[1].argmax())])
        has_true = (cells.n_true > 0) & (cells.weights > 0.0)
        mass = np.where(has_true, cells.weights, 0.0)
        n = float(mass.sum()) ** 2 / float((mass**2).sum())
        folds = np.random.default_rng(self.asked.seed).permutation(n_units)[codes] % _FOLDS
        of_others = np.empty(len(codes))
        for fold in range(_FOLDS):
            inside = folds == fold
            others = fmax_points(replace(cells, weights=np.where(inside, 0.0, cells.weights)))
            if others is None:
                return Interval(remark=_TOO_FEW)
            of_others[inside] = others[0][int(others[1].argmax())]
        apart = _f1_of_rows(*fmax_rows(cells, of_others), mass)[0]
        phi = _f1_of_rows(*fmax_rows(cells, at_best), mass)[1]
        variance = self._variance(phi)
        df = self._df(phi)
        if not self._is_clustered:
            variance *= n / max(n - 1.0, 1.0)
            df = n - 1.0
        n = min(n, self._units.n_units)
        error = math.hypot(math.sqrt(variance), (value - apart) / 2.0)
        middle = (value + apart) / 2.0
        found = interval_of_rows(self._alone, metric, middle, error, n, df)
        return replace(found, method="cross-fitted", standard_error=None, remark=_CHOSEN)

    @cached_property
    def _codes(self) -> npt.NDArray[np.int64]:
        """int64[n]: what is drawn together, a row or a cluster, by its number."""
        clusters = self.scores.rows.clusters
        if clusters is None:
            return np.arange(self.scores.rows.n)
        return np.unique(clusters, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def _units(self) -> Units:
        """The rows, as they were drawn."""
        w = self.scores.weights
        groups = None
        if self._is_clustered:
            groups = RowClusters(self._codes, int(self._codes.max(initial=-1)) + 1, w)
        return units_of(self.asked.design, Sample.of_rows(w, len(w)), groups)

    @property
    def _is_clustered(self) -> bool:
        return self.scores.rows.clusters is not None

    def _variance(self, moves: Floats) -> float:
        return self._units.variance_of_moves(moves)

    def _pooled(self, plain: Metric) -> Interval:
        """Interval of all cells pooled; the cells of a row are a cluster."""
        if plain not in self._of_pooled:
            self._measure_pooled([plain])
        return self._of_pooled[plain]

    def _measure_pooled(self, metrics: list[Metric]) -> None:
        pooled, of_row = self.scores.columns.pooled()
        missing = Interval(remark=_NO_FORM)
        if not has_weight(pooled):
            self._of_pooled.update(dict.fromkeys(metrics, missing))
            return
        if self._is_clustered:
            of_row = self._codes[of_row]
        values, sure = measured_with_intervals(
            pooled, metrics, self.scores.policy, self._alone, clusters=of_row
        )
        self.scores.keep({}, values)
        self._of_pooled.update({m: sure.intervals.get(m, missing) for m in metrics})

    @cached_property
    def _few(self) -> npt.NDArray[np.intp]:
        """Labels of few effective true rows, which occur."""
        true, w = self.scores.rows.true, self.scores.weights
        squares = np.bincount(true.items, w[true.rows] ** 2, self.scores.k)
        n = kish(self.scores.label_weights, squares)
        return of_few_rows(np.asarray(n, np.float64), self.scores.label_weights > 0)

    @property
    def _n_effective(self) -> float:
        return self._units.n_effective

    def _df(self, moves: Floats) -> float:
        """Degrees of freedom of the variance of a number that rows move so."""
        units = self._units
        if not self._is_clustered:
            return units.n_effective - 1.0
        return units.degrees(units.influence_of(moves)) if moves.any() else units.df

    @property
    def _least(self) -> float:
        n = self._n_effective
        return n / (n - 1.0) if not self._is_clustered and n > 1.0 else 1.0

    def _one(self, metric: Metric, value: float, phi: Floats) -> Interval:
        error = math.sqrt(self._variance(phi) * self._least)
        n = self._n_effective
        error = settled_error(metric, value, error, n)
        df = self._df(phi if error > 0.0 else np.zeros_like(phi))
        return interval_of_rows(self._alone, metric, value, error, n, df)

    def _combined(self, metric: Metric, spread: LabelSpread, value: float) -> Interval:
        """Limits of the labels, combined as their errors go together in the rows (MOVER)."""
        n = max(int(np.isfinite(spread.value).sum()), 1)
        squares = [
            (self._variance(side) + float(alone)) / n**2
            for side, alone in zip((spread.below, spread.above), spread.alone, strict=True)
        ]
        error = math.sqrt(self._variance(spread.whole) * self._least) / n
        error = settled_error(metric, value, error, self._n_effective)
        missing = int((np.isfinite(spread.value) & np.isnan(spread.low)).sum())
        remark = "labels have few rows" if len(self._few) else None
        if missing:
            remark = f"{missing} labels have no limits of their own"
        interval = mover_interval(value, (squares[0], squares[1]), error, remark)
        # What few rows add to every label does not average out.
        assert interval.low is not None
        return replace(interval, low=interval.low - max(spread.bias, 0.0) / n)

    def of_classes(self, metric: Metric) -> tuple[Floats, Floats] | None:
        """Limits of a metric of one label for every label; None where there are none."""
        plain = Metric(metric.record, "plain", metric.params)
        if reason_without(plain):
            return None
        spread = self._spread_of(plain)
        return spread.low, spread.high

    def prepare(self, metrics: Iterable[Metric]) -> None:
        """Measure metrics of labels together, each label once, and those of all labels once."""
        each, pooled = [], []
        for metric in metrics:
            plain = Metric(metric.record, "plain", metric.params)
            if is_of_labels(metric):
                each.append(plain)
            elif is_pooled(metric):
                pooled.append(plain)
        if each:
            self._measure(list(dict.fromkeys(each)))
        if pooled:
            self._measure_pooled(list(dict.fromkeys(pooled)))

    def _spread_of(self, plain: Metric) -> LabelSpread:
        if plain not in self._spreads:
            self._measure([plain])
        return self._spreads[plain]

    def _measure(self, metrics: list[Metric]) -> None:
        rows, k = self.scores.rows, self.scores.k
        values = {metric: np.full(k, np.nan) for metric in metrics}
        spreads = {
            m: LabelSpread.of(self._units, k, LabelMoves.of(m, rows.n) if self.compares else None)
            for m in metrics
            if not reason_without(m)
        }
        weights, total = self.scores.label_weights, float(self.scores.label_weights.sum())
        for label, column, parts, found in self._each(metrics):
            at = self._at(label)
            share = weights[label] / total if total > 0.0 else 0.0
            for metric, (value, interval) in found.items():
                values[metric][label] = value
                if metric in parts:
                    spread = spreads[metric]
                    spread.add(label, at, parts[metric], share, value, interval)
                    if isinstance(metric.record.influence, PrecisionInfluence):
                        spread.bias += self._bias_of(label)
                    if spread.moves is not None:
                        spread.moves.add(
                            *(at, column, parts[metric], share, value, interval),
                            has_clusters=self._is_clustered,
                        )
        self.scores.keep(values, {})
        true = rows.true
        for spread in spreads.values():
            is_defined = np.isfinite(spread.value)
            counted = float(weights[is_defined].sum())
            if counted > 0.0:
                mean = np.nansum(weights * spread.value) / counted
                apart = np.where(is_defined, spread.value - mean, 0.0)
                added = np.bincount(true.rows, apart[true.items], rows.n)
                # Labels without a value count nothing in the weighted mean.
                spread.weigh(total / counted, self.scores.weights * added / counted)
        self._spreads.update(spreads)

    def _bias_of(self, label: int) -> float:
        """Bias of the average precision of a label with few rows."""
        if label not in self._biases:
            self._biases[label] = self._measured_bias(label)
        return self._biases[label]

    def _measured_bias(self, label: int) -> float:
        column = self.scores.columns.column(label)
        w = column.weights
        unit = 1.0 if w is None else float((w**2).sum()) / float(w.sum())
        _, tp, fp = ClassRanks(column.column(1)).curve
        return precision_bias(tp, fp, unit)

    def _at(self, label: int) -> slice | npt.NDArray[np.bool_]:
        known = self.scores.columns.known(label)
        return slice(None) if known is None else known

    def _each(
        self, metrics: list[Metric]
    ) -> Iterator[
        tuple[int, ScoredRows, dict[Metric, Floats], dict[Metric, tuple[float, Interval]]]
    ]:
        """Each label: its rows, what each moves in a metric, and values with their intervals."""
        for label in range(self.scores.k):
            column = self.scores.columns.column(label)
            if not has_weight(column):
                continue
            clusters = self._codes[self._at(label)] if self._is_clustered else None
            values, sure, influence = measured_with_influence(
                column, metrics, self.scores.policy, self._alone, clusters
            )
            w = np.ones(column.n_rows) if column.weights is None else column.weights
            total = float(w.sum())
            found, parts = {}, {}
            for metric in metrics:
                value = float(values[metric].value)
                found[metric] = value, sure.intervals.get(metric, Interval())
                if math.isfinite(value) and total > 0.0 and not reason_without(metric):
                    is_still = found[metric][1].standard_error == 0.0
                    parts[metric] = np.zeros(len(w)) if is_still else w * influence(metric) / total
            yield label, column, parts, found

    def _drawn(self, metric: Metric, value: float) -> Interval:
        """The interval by replicates of the rows, a row with all of its labels."""
        acceleration = None
        if is_of_rows(metric):
            mean = self.scores.mean(metric)
            drawn = np.array([self._replicate(mean, times) for times in self._times()])
            mass = self.scores.weights * mean.gain
            phi = np.where(mass > 0.0, mass * (mean.value - value), 0.0)
            acceleration = acceleration_of(self._sums(phi))
        else:
            drawn = np.array([self._again(metric, times) for times in self._times()])
            if self.asked.method == "bca" and not reason_without(metric) and metric.lift == "macro":
                plain = Metric(metric.record, "plain", metric.params)
                acceleration = acceleration_of(self._sums(self._spread_of(plain).whole))
            elif self.asked.method == "bca":
                return Interval(remark=f"its acceleration is not known: {_DRAWN}")
        return interval_of_draws(metric, value, drawn, self.asked, acceleration)

    def _replicate(self, mean: RowMean, times: Floats) -> float:
        """The mean over rows, each as often as it was drawn."""
        mass = self.scores.weights * mean.gain * times
        counts = mass > 0.0
        total = float(mass[counts].sum())
        return float((mass[counts] * mean.value[counts]).sum()) / total if total > 0 else math.nan

    def _again(self, metric: Metric, times: Floats) -> float:
        """The metric of rows, each as often as it was drawn."""
        columns = self.scores.columns.weighing(self.scores.weights * times)
        scores = SetScores(columns, self.scores.policy, self.scores.n_threads)
        return float(scores.values(metric).value)

    def _times(self) -> Iterator[Floats]:
        """Iterate over the replicates: how often each row, or each cluster, is drawn."""
        for times in replicate_times(int(self._codes.max(initial=-1)) + 1, self.asked):
            yield times[self._codes] if self._is_clustered else times

    def _sums(self, phi: Floats) -> Floats:
        """Sums over each cluster; without clusters the rows themselves."""
        return np.asarray(np.bincount(self._codes, phi) if self._is_clustered else phi, np.float64)
