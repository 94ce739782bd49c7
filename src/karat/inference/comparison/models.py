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
from karat.inference.proportions import is_of_right_rows, of_right_rows
from karat.inference.table_variance import TableVariance, cell_slopes, derivative, df_on, slopes_on
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Cells, ClusteredCells, JointCells
from karat.tally.cached import cached_property

Counts: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

RARE: Final = 20
"""With fewer rows of some class the normal distribution calls too much a difference."""
SWAPS: Final = "swap permutation"
_DUST: Final = 1e-9
"""Part of the largest influence below which two are the same."""


@dataclass(frozen=True, eq=False)
class Joint:
    """Models on the same rows; by cluster, too, where rows of one are not independent."""

    cells: JointCells
    clusters: ClusteredCells | None = None

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
        cells, clusters = self.cells.cells(model), self.clusters
        if clusters is not None:
            place = self._places(model, cells)
            clusters = ClusteredCells.of(clusters.cluster, place[clusters.place], clusters.weight)
        return TableVariance(cells, clusters=clusters)

    @cached_property
    def places(self) -> tuple[npt.NDArray[np.int64], ...]:
        """int64[e] of each model: the listed cell of its table that each joint cell belongs to."""
        return tuple(self._places(model, table.cells) for model, table in enumerate(self.tables))

    def _places(self, model: int, table: Cells) -> npt.NDArray[np.int64]:
        k = self.cells.classes.k
        keys = self.cells.codes[0] * k + self.cells.codes[1 + model]
        rows, cols = table.coordinates()
        return np.asarray(np.searchsorted(rows * k + cols, keys), np.int64)

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
    others = [metric for metric in metrics if not _is_linear(metric, k)]
    rows = np.bincount(cells.codes[0], cells.counts, k)
    rarest = int(rows[rows > 0].min())
    swapped: dict[Pair, dict[Metric, float]] = {}
    remark = None
    if joint.is_plain and rarest < RARE and others and spec.look is None:
        remark = f"the rarest class has {counted(rarest, 'row')}"
        for i, (a, b) in enumerate(spec.pairs):
            found, n_drawn = swap_p_values(
                cells.of_models([a, b]), others, spec.n_permutations, (spec.seed, i), policy
            )
            swapped[a, b] = dict(zip(others, found, strict=True))
            if n_drawn < spec.n_permutations:
                remark = f"the rarest class has {counted(rarest, 'row')}, {n_drawn} permutations"
    same = frozenset(pair for pair in spec.pairs if joint.is_same(pair))
    done = []
    # Of a metric of the right rows alone, what counts is where one model alone is right.
    discordant: dict[Pair, Discordant] = {}
    if len(others) < len(metrics):
        discordant = {pair: _discordant(cells, pair) for pair in spec.pairs}
    for metric in metrics:
        has_limits = metric in others or not joint.is_plain
        one = _of_tables(metric, joint, spec, policy, same, has_limits)
        if metric in others:
            swaps = {pair: (SWAPS, p[metric]) for pair, p in swapped.items()}
            done.append(replace(one, guards=swaps, remark=remark))
            continue
        one = replace(one, discordant=discordant)
        if joint.is_plain:
            none, full = of_right_rows(metric, np.array([0.0, 1.0]), k)
            tests, limits = {}, {}
            for pair, alone in discordant.items():
                tests[pair] = "mid-p McNemar", mid_p(int(alone.b), int(alone.c))
                scored = score_of(alone.b, alone.c, cells.n_rows, float(full - none))
                limits[pair] = "score", scored
            one = replace(one, tests=tests, limits=limits)
        done.append(one)
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
    values = [float(metric.values(table.cells, policy).value) for table in tables]
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
    if np.isfinite(phi).all():
        together = units.covariance(phi)
        spread = Paired.of(phi, units, spec.pairs, np.diag(together))
    if spread is not None and has_limits:
        dust = _DUST * float(np.abs(phi).max(initial=0.0))

        def goes_of(pair: Pair) -> Correlation:
            n = units.n_effective
            agreeing = (n, joint.share_of_right(pair[0])) if pair in same else None
            if agreeing is None and np.abs(phi[pair[0]] - phi[pair[1]]).max() <= dust:
                agreeing = joint.rows_read(pair[0], np.abs(phi[pair[0]]) > dust)
            return correlation(together, *pair, agreeing)

        limits = alone.differences(spec.pairs, goes_of)
    method = "influence z" if math.isinf(units.df) else "influence t"
    n = [joint.cells.n_rows] * len(tables)
    return Measured(metric, values, n, spread, method, limits=limits, same=same, alone=alone)


def apart(
    tables: Sequence[TableVariance], metrics: Sequence[Metric], spec: ComparisonSpec, policy: Policy
) -> list[Measured]:
    """Every metric of models on rows of their own: independent, so that variances add up."""
    done = []
    remark = "different rows: the models are taken to be independent"
    for metric in metrics:
        values, variances = [], []
        for table in tables:
            values.append(float(metric.values(table.cells, policy).value))
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
        done.append(Measured(*facts, limits=limits, alone=sides, remark=remark))
    return done


def estimated(
    metric: Metric, value: float, table: TableVariance, asked: Confidence, policy: Policy
) -> Estimate:
    found = label_interval(metric, value, table, asked, policy)
    return Estimate.of(value, found, asked.level)


def _is_linear(metric: Metric, k: int) -> bool:
    """True if the metric is a linear function of accuracy."""
    if metric.record.is_per_class and metric.lift != "micro":
        return False
    if not is_of_right_rows(metric):
        return False
    none, half, full = of_right_rows(metric, np.array([0.0, 0.5, 1.0]), k)
    return bool(abs(none + full - 2.0 * half) <= 1e-12 * abs(full - none))


def score_of(b: float, c: float, n: int, scale: float) -> Limits:
    """Limits of the difference of the shares of right rows, scaled as the metric is."""

    def limits(quantile: float) -> tuple[float, float]:
        low, high = (scale * limit for limit in score_limits(b, c, n, quantile))
        return min(low, high), max(low, high)

    return limits


def _discordant(cells: JointCells, pair: Pair) -> Discordant:
    right_a, right_b = (cells.codes[1 + model] == cells.codes[0] for model in pair)
    weight = np.asarray(cells.counts, np.float64)
    b, c = float(weight[right_a & ~right_b].sum()), float(weight[right_b & ~right_a].sum())
    wrong_a, wrong_b = float(weight[~right_a].sum()), float(weight[~right_b].sum())
    return Discordant(b, c, ratio(b, c), ratio(wrong_a, wrong_b))
