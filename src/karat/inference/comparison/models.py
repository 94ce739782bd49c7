"""Metrics of several models, on the same rows or each on its own: of labels, and of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.designs import Design, units_of
from karat.designs.units import Sample, Units
from karat.errors.text import counted
from karat.inference.comparison.contrasts import Pair
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.shares import PairedShare, with_share
from karat.inference.comparison.sides import apart_by_limits, contrasted
from karat.inference.comparison.swaps import swap_p_values
from karat.inference.estimate import Estimate
from karat.inference.label_intervals import TableLevels
from karat.inference.table_variance import TableVariance, cell_slopes, derivative, slopes_on
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
        design: how rows were drawn.
    """

    cells: JointCells
    clusters: ClusteredCells | None = None
    keeps_all: tuple[bool, ...] = ()
    design: Design = "cohort"

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
        if self.cells.is_weighted:
            df = max(float(counts.sum()) ** 2 / float(squares.sum()) - 1.0, 1.0)
        sample = Sample(counts, squares, self.cells.codes[0], self.cells.classes.k, df=df)
        return units_of(self.design, sample, self.clusters)

    @cached_property
    def tables(self) -> tuple[TableVariance, ...]:
        """Variance of the table of each model."""
        return tuple(map(self._table, range(len(self.cells.names))))

    def _table(self, model: int) -> TableVariance:
        cells, clusters = self._sides[model].cells(0), self.clusters
        if clusters is not None:
            clusters = replace(clusters, place=self._places(model, cells)[clusters.place])
        return TableVariance(cells, self.design, clusters)

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
        return self.whole if metric.has_costs else self

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
        cells = replace(self.cells, classes=classes, codes=codes)
        return replace(self, cells=cells, keeps_all=())

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


def paired(
    joint: Joint, metrics: Sequence[Metric], spec: ComparisonSpec, policy: Policy
) -> list[Measured]:
    """Every metric of models on the same rows."""
    cells, k = joint.cells, joint.cells.classes.k
    shares = {metric: PairedShare.of(metric, cells, joint.counted) for metric in metrics}
    rows = np.bincount(cells.codes[0], cells.counts, k)
    rarest = int(rows[rows > 0].min())
    guards: dict[Metric, dict[Pair, tuple[str, float]]] = {metric: {} for metric in metrics}
    remark = None
    for pair in spec.pairs if joint.is_plain and spec.look is None else ():
        others = [m for m, share in shares.items() if share is None or not share.is_shared(pair)]
        of_costs = [metric for metric in others if metric.has_costs]
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
        measured = _of_tables(metric, joint.of_metric(metric), spec, policy, same, has_limits)
        measured = replace(measured, guards=guards[metric])
        if share is None:
            done.append(replace(measured, remark=remark))
            continue
        is_plain, counts = joint.is_plain, cells.counts
        done.append(with_share(measured, share, counts, spec.pairs, is_plain=is_plain))
    return done


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
    phi = np.array(
        [
            cell_slopes(slopes_on(metric, table, policy), table.cells)[place]
            for table, place in zip(tables, joint.places, strict=True)
        ]
    )
    phi = np.where(units.weights > 0, phi, 0.0)
    estimates = [
        replace(estimate_of_table(metric, table, policy), n=joint.cells.n_rows, influence=influence)
        for table, influence in zip(tables, phi, strict=True)
    ]
    is_known = np.isfinite(phi).all(axis=1)
    dust = _DUST * float(np.abs(phi[is_known]).max(initial=0.0))

    def agreeing(pair: Pair) -> tuple[float, float] | None:
        a, b = pair
        if pair in same:
            return units.n_effective, joint.share_of_right(a)
        if np.abs(phi[a] - phi[b]).max() <= dust:
            return joint.rows_read(a, np.abs(phi[a]) > dust)
        return None

    measured = contrasted(
        metric,
        estimates,
        spec.pairs,
        "influence z" if math.isinf(units.df) else "influence t",
        units,
        kind_of_limits="combined" if has_limits else "none",
        agreeing=agreeing,
        same=same,
    )
    pred = joint.cells.codes[1:]
    least = {(a, b): units.least_tail(pred[a] != pred[b]) for a, b in spec.pairs}
    return replace(measured, least=least)


def estimate_of_table(metric: Metric, table: TableVariance, policy: Policy) -> Estimate:
    """The value of a metric of labels; an average is undefined where it is in every class."""
    values = metric.values(table.cells, policy)
    undefined = None
    if values.undefined.all() or not math.isfinite(values.value):
        undefined = undefined_reason(metric, table.cells.classes, values.undefined) or ""
    value = float(values.value)
    levels = TableLevels(metric, value, table, policy)
    return Estimate(value, int(table.cells.n_rows), undefined, levels=levels)


def estimate_apart(metric: Metric, table: TableVariance, policy: Policy) -> Estimate:
    """The same of rows of its own, with its variance."""
    g = derivative(metric, table.cells, policy)
    variance = float(table.variance(g)) if np.isfinite(g).all() else math.nan
    return replace(estimate_of_table(metric, table, policy), variance=variance)


def apart(
    tables: Sequence[TableVariance], metrics: Sequence[Metric], spec: ComparisonSpec, policy: Policy
) -> list[Measured]:
    """Every metric of models on rows of their own: independent, so that variances add up."""
    return [
        apart_by_limits(metric, [estimate_apart(metric, table, policy) for table in tables], spec)
        for metric in metrics
    ]
