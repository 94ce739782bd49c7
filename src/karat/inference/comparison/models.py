"""Metrics of several models, on the same rows or each on its own: of labels, and of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors.text import counted
from karat.inference.comparison.contrasts import (
    Apart,
    Correlation,
    Limits,
    Pair,
    Paired,
    SideLimits,
    Units,
    correlation,
    mid_p,
    score_limits,
)
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import Discordant, Estimate, ratio
from karat.inference.comparison.swaps import swap_p_values
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import label_interval
from karat.inference.limits import Floats
from karat.inference.proportions import (
    is_of_right_rows,
    of_proportion,
    of_right_rows,
    reads_costs,
    share_of_true_classes,
)
from karat.inference.table_variance import TableVariance, cell_slopes, derivative, df_on, slopes_on
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.metrics.reasons import undefined_reason
from karat.tally import Cells, Classes, ClusteredCells, JointCells
from karat.tally.cached import cached_property
from karat.tally.shared import recoding

Counts: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

RARE: Final = 20
"""With fewer rows of some class the normal distribution calls too much a difference."""
SWAPS: Final = "swap permutation"
_DUST: Final = 1e-9
"""Part of the largest influence below which two are the same."""


@dataclass(frozen=True, eq=False)
class Joint:
    """Models on the same rows; by cluster, too, where rows of one are not independent.

    A class that was not declared counts for a model where it is true or that model predicts it, as
    in a report of that model: labels of the other models do not change its averages.

    Attributes:
        cells: rows by true class and predicted classes, on the classes of all models.
        clusters: the joint cells of each cluster, or None.
        keeps_all: of each model, whether all classes count; empty: they do for every model.
    """

    cells: JointCells
    clusters: ClusteredCells | None = None
    keeps_all: tuple[bool, ...] = ()

    @property
    def is_plain(self) -> bool:
        """True if rows are independent and have equal weight."""
        return not self.cells.is_weighted and self.clusters is None

    @cached_property
    def units(self) -> Units:
        """Units of resampling: rows of one joint cell are interchangeable."""
        counts = np.asarray(self.cells.counts, np.float64)
        squares = counts if self.cells.squares is None else self.cells.squares
        df = math.inf
        if self.clusters is not None:
            df = self.clusters.n_clusters - 1.0
        elif self.cells.is_weighted:
            df = max(float(counts.sum()) ** 2 / float(squares.sum()) - 1.0, 1.0)
        return Units(counts, squares, self.clusters, df=df)

    @cached_property
    def tables(self) -> tuple[TableVariance, ...]:
        """Variance of the table of each model."""
        return tuple(map(self._table, range(len(self.cells.names))))

    def _table(self, model: int) -> TableVariance:
        cells, clusters = self._sides[model].cells(0), self.clusters
        if clusters is not None:
            place = self._places(model, cells)
            clusters = ClusteredCells.of(clusters.cluster, place[clusters.place], clusters.weight)
        return TableVariance(cells, clusters=clusters)

    @cached_property
    def _sides(self) -> tuple[JointCells, ...]:
        """Truth and predictions of each model in the joint cells, on the classes that count."""
        names, codes = self.cells.names, self.cells.codes
        found = []
        for model, places in enumerate(self.counted):
            side = replace(self.cells, names=(names[model],), codes=codes[[0, 1 + model]])
            found.append(side if places is None else side.on_classes(places))
        return tuple(found)

    @cached_property
    def counted(self) -> tuple[Counts | None, ...]:
        """int64[k'], the classes that count for each model; None: all of them.

        Without a positive class two classes are as more are; else both count.
        """
        classes, codes = self.cells.classes, self.cells.codes
        is_fixed = classes.is_declared or classes.positive is not None or not self.keeps_all
        found: list[Counts | None] = []
        for model in range(len(self.cells.names)):
            places = None
            if not (is_fixed or self.keeps_all[model]):
                places = np.union1d(codes[0], codes[1 + model])
            found.append(None if places is None or len(places) == classes.k else places)
        return tuple(found)

    def has_same_classes(self, pair: Pair) -> bool:
        """True if the same classes count for both models."""
        a, b = (self.counted[model] for model in pair)
        return a is b or (a is not None and b is not None and np.array_equal(a, b))

    def of_metric(self, metric: Metric) -> Joint:
        """The same models, with all classes where the metric has a matrix of costs that lists them.

        As in slices.
        """
        return self.whole if reads_costs(metric) else self

    @cached_property
    def whole(self) -> Joint:
        """The same models, for each of which the classes of all models count."""
        is_whole = all(places is None for places in self.counted)
        return self if is_whole else replace(self, keeps_all=())

    @cached_property
    def places(self) -> tuple[npt.NDArray[np.int64], ...]:
        """int64[e] of each model: the listed cell of its table that each joint cell belongs to."""
        return tuple(self._places(model, table.cells) for model, table in enumerate(self.tables))

    def _places(self, model: int, table: Cells) -> npt.NDArray[np.int64]:
        side = self._sides[model]
        k = side.classes.k
        keys = side.codes[0] * k + side.codes[1]
        rows, cols = table.coordinates()
        return np.asarray(np.searchsorted(rows * k + cols, keys), np.int64)

    def on(self, classes: Classes) -> Joint:
        """The same models on these classes, which hold those of before, all of which count."""
        codes = recoding(self.cells.classes, classes).astype(np.int64)[self.cells.codes]
        return Joint(replace(self.cells, classes=classes, codes=codes), self.clusters)

    def of_pair(self, pair: Pair) -> JointCells:
        """The joint cells of two models, on the classes that count for one of them."""
        of_both = self.cells.of_models(pair)
        a, b = (self.counted[model] for model in pair)
        return of_both if a is None or b is None else of_both.on_classes(np.union1d(a, b))

    def share_of_right(self, model: int) -> float:
        is_right = self.cells.codes[1 + model] == self.cells.codes[0]
        return float(self.units.weights[is_right].sum()) / self.units.total

    def rows_read(self, model: int, is_read: Flags) -> tuple[float, float]:
        """Effective rows of some joint cells, and the proportion that the model has right there."""
        is_right = self.cells.codes[1 + model] == self.cells.codes[0]
        weights = self.units.weights
        inside = float(weights[is_read].sum())
        share = float(weights[is_read & is_right].sum()) / inside if inside > 0.0 else 0.0
        return self.units.n_effective * inside / self.units.total, share

    def is_same(self, pair: Pair) -> bool:
        said_a, said_b = (self.cells.codes[1 + model] for model in pair)
        return bool((said_a == said_b)[self.cells.counts > 0].all())


@dataclass(frozen=True, eq=False)
class PairedShare:
    """A metric that increases or decreases with a proportion of the same rows for every model.

    Attributes:
        is_read: bool[e], joint cells of the rows.
        right: bool[m, e], those that each model has right.
        ends: of each model, the value at proportions of 0, ½ and 1. They differ where other
            numbers of classes count.
        is_of_predictions: whether ``right`` means the predicted class, right or wrong.
    """

    is_read: Flags
    right: Flags
    ends: tuple[tuple[float, ...], ...]
    is_of_predictions: bool = False

    @classmethod
    def of(cls, metric: Metric, joint: Joint) -> PairedShare | None:
        """Return the proportion that a metric is a function of; None of other metrics."""
        cells = joint.cells
        said, at = cells.codes[1:], np.array([0.0, 0.5, 1.0])
        if not metric.record.is_per_class or metric.lift == "micro":
            if not is_of_right_rows(metric):
                return None
            everywhere = np.ones(len(cells.counts), bool)
            k = [cells.classes.k if places is None else len(places) for places in joint.counted]
            ends_of = {n: tuple(of_right_rows(metric, at, n).tolist()) for n in set(k)}
            return cls(everywhere, said == cells.codes[0], tuple(ends_of[n] for n in k))
        share = share_of_true_classes(metric) if metric.lift == "plain" else None
        if share is None or cells.classes.positive is None:
            return None
        is_true, is_said = (codes == cells.classes.positive for codes in (cells.codes[0], said))
        hits, misses = (np.array(side)[is_true.astype(int)] for side in (share.hits, share.misses))
        right = np.take_along_axis(hits[None], is_said[..., None].astype(int), -1)[..., 0]
        ends, is_read = of_proportion(metric, share, at), (hits | misses).any(axis=1)
        has_right, has_wrong = (np.array(share.hits)[np.eye(2) == each].any() for each in (1, 0))
        if not has_right:
            # A proportion of wrong rows, as the false positive rate.
            ends, right = ends[::-1], is_read & ~right
        of_each = (tuple(ends.tolist()),) * len(said)
        return cls(is_read, right, of_each, bool(has_right and has_wrong))

    def is_shared(self, pair: Pair) -> bool:
        """True if the metric is the same function of the proportion for both models."""
        a, b = (self.ends[model] for model in pair)
        return bool(np.array_equal(a, b, equal_nan=True))

    def scale(self, pair: Pair) -> float | None:
        """Value at a proportion of 1 − value at 0; None where it is no linear function."""
        return _scale(self.ends[pair[0]])

    def discordant(self, pair: Pair, counts: Counts | Floats) -> Discordant:
        """The rows, or their weight, that one model alone has right."""
        (of_a, of_b), w = (self.right[model] for model in pair), np.asarray(counts, np.float64)
        sides = of_a & ~of_b, of_b & ~of_a, ~of_a, ~of_b
        b, c, wrong_a, wrong_b = (float(w[self.is_read & each].sum()) for each in sides)
        n = None if self.is_read.all() else self.n_rows(counts)
        return Discordant(b, c, ratio(b, c), ratio(wrong_a, wrong_b), n)

    def n_rows(self, counts: Counts | Floats) -> float:
        """Number of the rows that are read, or their weight."""
        return float(np.asarray(counts)[self.is_read].sum())


def _scale(ends: Sequence[float]) -> float | None:
    none, half, full = ends
    scale = float(full - none)
    is_linear = abs(none + full - 2.0 * half) <= 1e-12 * abs(scale)
    return scale if is_linear and math.isfinite(scale) else None


def paired(
    joint: Joint, metrics: Sequence[Metric], spec: ComparisonSpec, policy: Policy
) -> list[Measured]:
    """Every metric of models on the same rows."""
    cells, k = joint.cells, joint.cells.classes.k
    shares = {metric: PairedShare.of(metric, joint) for metric in metrics}
    rows = np.bincount(cells.codes[0], cells.counts, k)
    rarest = int(rows[rows > 0].min())
    guards: dict[Metric, dict[Pair, tuple[str, float]]] = {metric: {} for metric in metrics}
    remark = None
    for pair in spec.pairs if joint.is_plain and spec.look is None else ():
        others = [m for m, share in shares.items() if share is None or not share.is_shared(pair)]
        of_costs = [metric for metric in others if reads_costs(metric)]
        for models, some in (
            (joint, [metric for metric in others if metric not in of_costs]),
            (joint.whole, of_costs),
        ):
            # A class that counts for one model only is true in no row.
            is_alike = models.has_same_classes(pair)
            if not some or (rarest >= RARE and is_alike):
                continue
            found, n_drawn = swap_p_values(
                models.of_pair(pair),
                some,
                spec.n_permutations,
                spec.seed,
                policy,
                are_occurring=not is_alike,
            )
            for metric, p in zip(some, found, strict=True):
                guards[metric][pair] = SWAPS, p
            if rarest < RARE:
                remark = remark or f"the rarest class has {counted(rarest, 'row')}"
                if n_drawn < spec.n_permutations:
                    row = counted(rarest, "row")
                    remark = f"the rarest class has {row}, {n_drawn} permutations"
    same = frozenset(pair for pair in spec.pairs if joint.is_same(pair))
    done = []
    for metric, share in shares.items():
        is_linear = share is not None and all(
            share.is_shared(pair) and share.scale(pair) is not None for pair in spec.pairs
        )
        has_limits = not (is_linear and joint.is_plain)
        one = _of_tables(metric, joint.of_metric(metric), spec, policy, same, has_limits)
        one = replace(one, guards=guards[metric])
        if share is None:
            one = replace(one, remark=remark)
        done.append(one if share is None else _of_share(one, share, joint, spec))
    return done


def _of_share(one: Measured, share: PairedShare, joint: Joint, spec: ComparisonSpec) -> Measured:
    """A function of a proportion: of plain rows the mid-p test of McNemar applies.

    Limits of a proportion are Tango's. Those of another function of it stay, and its p-value is at
    least that of the test.
    """
    counts = joint.cells.counts
    pairs = [pair for pair in spec.pairs if share.is_shared(pair)]
    found = {pair: share.discordant(pair, counts) for pair in pairs}
    linear = {pair: scale for pair in pairs if (scale := share.scale(pair)) is not None}
    if not share.is_of_predictions:
        one = replace(one, discordant={pair: found[pair] for pair in linear})
    n = share.n_rows(counts)
    if not joint.is_plain or not n:
        return one
    tests = {pair: ("mid-p McNemar", mid_p(int(x.b), int(x.c))) for pair, x in found.items()}
    guards = {pair: test for pair, test in tests.items() if pair not in linear}
    limits = {
        pair: ("score", score_of(found[pair].b, found[pair].c, int(n), scale))
        for pair, scale in linear.items()
    }
    return replace(
        one,
        tests={pair: tests[pair] for pair in linear},
        guards={**one.guards, **guards},
        limits={**one.limits, **limits},
    )


def _of_tables(
    metric: Metric,
    joint: Joint,
    spec: ComparisonSpec,
    policy: Policy,
    same: frozenset[Pair],
    has_limits: bool,
) -> Measured:
    """Any metric: from the influence of the rows of each joint cell on each model's value."""
    units, tables = joint.units, joint.tables
    values, undefined = values_of(metric, tables, policy)
    phi = np.array(
        [
            cell_slopes(slopes_on(metric, table, policy), table.cells)[place]
            for table, place in zip(tables, joint.places, strict=True)
        ]
    )
    phi = np.where(units.weights > 0, phi, 0.0)
    alone = SideLimits(metric, values, tables, policy)
    spread: Paired | None = None
    limits: dict[Pair, tuple[str, Limits]] = {}
    is_known = np.isfinite(phi).all(axis=1)
    pairs = [pair for pair in spec.pairs if is_known[list(pair)].all()]
    if pairs:
        phi = np.where(is_known[:, None], phi, math.nan)
        together = units.covariance(phi)
        spread = Paired.of(phi, units, pairs, np.diag(together)).of_pairs(spec.pairs)
    if spread is not None and has_limits:
        dust = _DUST * float(np.abs(phi[is_known]).max(initial=0.0))

        def goes_of(pair: Pair) -> Correlation:
            n = units.n_effective
            agreeing = (n, joint.share_of_right(pair[0])) if pair in same else None
            if agreeing is None and np.abs(phi[pair[0]] - phi[pair[1]]).max() <= dust:
                agreeing = joint.rows_read(pair[0], np.abs(phi[pair[0]]) > dust)
            return correlation(together, *pair, agreeing)

        limits = alone.differences(pairs, goes_of)
    method = "influence z" if math.isinf(units.df) else "influence t"
    pred = joint.cells.codes[1:]
    least = {(a, b): units.least_tail(pred[a] != pred[b]) for a, b in spec.pairs}
    n = [joint.cells.n_rows] * len(tables)
    facts = metric, values, n, spread, method
    found = Measured(*facts, limits=limits, same=same, alone=alone, undefined=undefined)
    return replace(found, least=least)


def values_of(
    metric: Metric, tables: Sequence[TableVariance], policy: Policy
) -> tuple[list[float], dict[int, str]]:
    """The value of each model, and the reason of each that is undefined, by place.

    An average is undefined where it is in every class, or has no number.
    """
    found = [metric.values(table.cells, policy) for table in tables]
    undefined = {
        i: undefined_reason(metric, table.cells.classes, one.undefined) or ""
        for i, (table, one) in enumerate(zip(tables, found, strict=True))
        if one.undefined.all() or not math.isfinite(one.value)
    }
    return [float(one.value) for one in found], undefined


def apart(
    tables: Sequence[TableVariance], metrics: Sequence[Metric], spec: ComparisonSpec, policy: Policy
) -> list[Measured]:
    """Every metric of models on rows of their own: independent, so that variances add up."""
    done = []
    remark = "different rows: the models are treated as independent"
    for metric in metrics:
        values, undefined = values_of(metric, tables, policy)
        variances = []
        for table in tables:
            g = derivative(metric, table.cells, policy)
            variances.append(float(table.variance(g)) if np.isfinite(g).all() else math.nan)
        df = min(df_on(metric, table, policy) for table in tables)
        sides = SideLimits(metric, values, tables, policy)
        limits = sides.differences(spec.pairs)
        least = [sides.least_variance(model, spec.level) for model in range(len(tables))]
        spread = Apart(np.array(variances), df, np.array(least))
        method = "unpaired z" if math.isinf(df) else "unpaired t"
        n = [int(table.cells.n_rows) for table in tables]
        facts = metric, values, n, spread, method
        one = Measured(*facts, limits=limits, alone=sides, remark=remark)
        done.append(replace(one, undefined=undefined))
    return done


def estimated(
    metric: Metric,
    value: float,
    table: TableVariance,
    asked: Confidence,
    policy: Policy,
    undefined: str | None = None,
) -> Estimate:
    """The value of a metric of one model with its interval, unless `undefined` says why not."""
    if undefined is not None:
        return Estimate.undefined(value, undefined, asked.level)
    found = label_interval(metric, value, table, asked, policy)
    return Estimate.of(value, found, asked.level)


def score_of(b: float, c: float, n: int, scale: float) -> Limits:
    """Limits of the difference of the shares of right rows, scaled as the metric is."""

    def limits(quantile: float) -> tuple[float, float]:
        low, high = (scale * limit for limit in score_limits(b, c, n, quantile))
        return min(low, high), max(low, high)

    return limits
