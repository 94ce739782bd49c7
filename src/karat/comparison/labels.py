"""Metrics of labels of several models: on the same rows, or each on rows of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.comparison.families import tail_of
from karat.comparison.judging import Asked, Limits, Measured
from karat.comparison.records import Discordant, Estimate, ratio
from karat.comparison.shares import mid_p, score_limits
from karat.comparison.spreads import Apart, Paired, Units
from karat.comparison.swaps import swap_p_values
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Cells, ClusteredCells, JointCells
from karat.uncertainty.confidence import Confidence
from karat.uncertainty.label_intervals import derivative, label_interval
from karat.uncertainty.shares import is_of_right_rows, of_right_rows
from karat.uncertainty.table_spread import TableSpread

__all__ = ["Joint", "apart", "estimated", "paired"]

Floats: TypeAlias = npt.NDArray[np.float64]
Pair: TypeAlias = tuple[int, int]

RARE: Final = 20
"""With fewer rows of some class the normal distribution calls too much a difference."""


@dataclass(frozen=True, eq=False)
class Joint:
    """Models on the same rows.

    Attributes:
        cells: true class by the classes that the models predicted.
        clusters: the same by cluster, where rows of one are not independent.
    """

    cells: JointCells
    clusters: ClusteredCells | None = None

    def units(self) -> Units:
        """What is drawn: rows of one joint cell are alike."""
        counts = np.asarray(self.cells.counts, np.float64)
        squares = counts if self.cells.squares is None else self.cells.squares
        df = math.inf
        if self.clusters is not None:
            df = self.clusters.n_clusters - 1.0
        elif self.cells.is_weighted:
            df = max(float(counts.sum()) ** 2 / float(squares.sum()) - 1.0, 1.0)
        return Units(counts, squares, self.clusters, df=df)

    def table(self, model: int) -> TableSpread:
        """The table of one model."""
        cells = self.cells.cells(model)
        clusters = self.clusters
        if clusters is not None:
            place = _places(self.cells, model, cells)
            clusters = ClusteredCells.of(clusters.cluster, place[clusters.place], clusters.weight)
        return TableSpread(cells, clusters=clusters)


def paired(joint: Joint, metrics: Sequence[Metric], asked: Asked, policy: Policy) -> list[Measured]:
    """Every metric of models on the same rows."""
    cells, units = joint.cells, joint.units()
    m = len(cells.names)
    tables = [cells.cells(model) for model in range(m)]
    place = [_places(cells, model, table) for model, table in enumerate(tables)]
    same = frozenset(p for p in asked.pairs if _is_same(cells, p))
    is_plain = not cells.is_weighted and joint.clusters is None
    swapped: dict[Pair, dict[Metric, float]] = {}
    others = [metric for metric in metrics if not _is_linear(metric, cells.classes.k)]
    rarest = _rarest(cells)
    if is_plain and rarest < RARE and others:
        for i, (first, second) in enumerate(asked.pairs):
            two = cells.of_models([first, second])
            seed = (asked.seed, i)
            found = swap_p_values(two, others, asked.n_permutations, seed, policy)
            swapped[first, second] = dict(zip(others, found, strict=True))
    done = []
    for metric in metrics:
        values = [float(metric.values(table, policy).value) for table in tables]
        phi = np.array(
            [derivative(metric, table, policy)[at] for table, at in zip(tables, place, strict=True)]
        )
        is_smooth = bool(np.isfinite(phi[:, units.weights > 0]).all())
        phi = np.where(units.weights > 0, phi, 0.0)
        spread = Paired(phi, units) if is_smooth else None
        tests: dict[Pair, tuple[str, float]] = {}
        limits: dict[Pair, tuple[str, Limits]] = {}
        discordant: dict[Pair, Discordant] = {}
        remark = None if spread else "the formula has no slope at one of the tables"
        if _is_linear(metric, cells.classes.k):
            scale = _scale(metric, cells.classes.k)
            for pair in asked.pairs:
                discordant[pair] = _discordant(cells, pair)
                if is_plain:
                    b, c = discordant[pair].b, discordant[pair].c
                    tests[pair] = ("mid-p McNemar", mid_p(int(b), int(c)))
                    limits[pair] = ("score", _score(b, c, cells.n_rows, scale))
        elif swapped:
            tests = {pair: ("swap permutation", found[metric]) for pair, found in swapped.items()}
            remark = remark or f"the rarest class has {rarest} rows"
        method = "influence z" if math.isinf(units.df) else "influence t"
        done.append(
            Measured(metric, values, [cells.n_rows] * m, spread, method, tests, limits, discordant,
                     same, remark)
        )  # fmt: skip
    return done


def apart(
    tables: Sequence[TableSpread], metrics: Sequence[Metric], asked: Asked, policy: Policy
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
        df = min(table.df for table in tables)
        limits: dict[Pair, tuple[str, Limits]] = {}
        for a, b in asked.pairs:
            how = _combined(metric, (tables[a], tables[b]), (values[a], values[b]), policy)
            if how is not None:
                limits[a, b] = ("combined", how)
        spread = Apart(np.array(variances), df)
        method = "unpaired z" if math.isinf(df) else "unpaired t"
        n = [int(table.cells.n_rows) for table in tables]
        done.append(Measured(metric, values, n, spread, method, {}, limits, {}, remark=remark))
    return done


def estimated(metric: Metric, table: TableSpread, level: float, policy: Policy) -> Estimate:
    """What a metric gave for one model, with its interval."""
    value = float(metric.values(table.cells, policy).value)
    found = label_interval(metric, value, table, Confidence(level), policy)
    return Estimate(
        value, found.low, found.high, level, found.method, found.standard_error, found.remark
    )


def _combined(
    metric: Metric, tables: tuple[TableSpread, TableSpread], values: tuple[float, float],
    policy: Policy,
) -> Limits | None:  # fmt: skip
    """Limits of a difference from those of both values (Newcombe 1998; Zou and Donner 2008)."""

    def limits(quantile: float) -> tuple[float, float]:
        found = []
        for table, value in zip(tables, values, strict=True):
            level = 1.0 - tail_of(quantile, table.df)
            one = label_interval(metric, value, table, Confidence(level), policy)
            assert one.low is not None
            assert one.high is not None
            found.append((value - one.low, one.high - value))
        (down_a, up_a), (down_b, up_b) = found
        difference = values[0] - values[1]
        return difference - math.hypot(down_a, up_b), difference + math.hypot(up_a, down_b)

    for table, value in zip(tables, values, strict=True):
        if label_interval(metric, value, table, Confidence(), policy).low is None:
            return None
    return limits


def _places(cells: JointCells, model: int, table: Cells) -> npt.NDArray[np.int64]:
    """int64[e]: the listed cell of a model's table that each joint cell belongs to."""
    k = cells.classes.k
    keys = cells.codes[0] * k + cells.codes[1 + model]
    rows, cols = table.coordinates()
    return np.asarray(np.searchsorted(rows * k + cols, keys), np.int64)


def _is_same(cells: JointCells, pair: Pair) -> bool:
    a, b = pair
    return bool((cells.codes[1 + a] == cells.codes[1 + b])[cells.counts > 0].all())


def _rarest(cells: JointCells) -> int:
    """Rows of the rarest class that occurs."""
    rows = np.bincount(cells.codes[0], cells.counts, cells.classes.k)
    return int(rows[rows > 0].min())


def _is_linear(metric: Metric, k: int) -> bool:
    """Whether it is the share of right rows, scaled and moved."""
    if metric.record.is_per_class and metric.lift != "micro":
        return False
    if not is_of_right_rows(metric):
        return False
    none, half, full = of_right_rows(metric, np.array([0.0, 0.5, 1.0]), k)
    return bool(abs(none + full - 2.0 * half) <= 1e-12 * abs(full - none))


def _scale(metric: Metric, k: int) -> float:
    none, full = of_right_rows(metric, np.array([0.0, 1.0]), k)
    return float(full - none)


def _score(b: float, c: float, n: int, scale: float) -> Limits:
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
