"""Metrics of labels of several models: on the same rows, or each on rows of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

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
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import derivative, label_interval
from karat.inference.limits import Floats
from karat.inference.proportions import is_of_right_rows, of_right_rows
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Cells, ClusteredCells, JointCells
from karat.tally.cached import cached_property

__all__ = ["Joint", "apart", "estimated", "paired"]

_BLOCK: Final = 1 << 21
_DENSE_K: Final = 64
_TIE: Final = 1e-12
_MOST_DRAWS: Final = 20_000_000
_FEWEST: Final = 499
_WORD: Final = 64
_ALL: Final = 2**64 - 1


def swap_p_values(
    pair: JointCells,
    metrics: Sequence[Metric],
    n_permutations: int,
    seed: Sequence[int],
    policy: Policy = "zero",
) -> tuple[list[float], int]:
    """(1 + replicates with at least the difference seen) ÷ (1 + replicates), for each metric.

    All metrics see the same replicates, of which fewer are drawn where the models differ in very
    many cells: how many is returned, too.

    Cost: a binomial draw for each replicate and joint cell on which the models differ.
    """
    true, first, second = pair.codes
    k = pair.classes.k
    keys = np.unique(np.concatenate([true * k + first, true * k + second]))
    listed = np.arange(k * k) if k <= _DENSE_K else keys
    place = [np.searchsorted(listed, true * k + said) for said in (first, second)]
    base = [np.bincount(at, pair.counts, len(listed)) for at in place]
    differs = first != second
    n = pair.counts[differs]
    out, into = (_Places(at[differs]) for at in place)

    def differences(drawn: Floats) -> Floats:
        """float64[metrics, r]: where so many rows of each cell are exchanged."""
        moved = np.zeros((len(drawn), len(listed)))
        moved[:, out.distinct] -= out.summed(drawn)
        moved[:, into.distinct] += into.summed(drawn)
        sides = [_tables(pair, listed, table) for table in (base[0] + moved, base[1] - moved)]
        left, right = ([m.values(cells, policy).value for m in metrics] for cells in sides)
        return np.asarray(np.subtract(left, right))

    seen = np.abs(differences(np.zeros((1, len(n)))))
    rng = np.random.default_rng(list(seed))
    beyond = np.zeros(len(metrics), np.int64)
    n_drawn = min(n_permutations, max(_FEWEST, _MOST_DRAWS // max(1, len(n))))
    step = max(1, _BLOCK // max(1, len(listed), len(n)))
    for start in range(0, n_drawn, step):
        found = np.abs(differences(_heads(rng, n, min(step, n_drawn - start))))
        beyond += (found >= seen * (1.0 - _TIE) - _TIE).sum(axis=1)
    return [float((1 + count) / (1 + n_drawn)) for count in beyond], n_drawn


def _heads(rng: np.random.Generator, n: npt.NDArray[np.int64], r: int) -> Floats:
    """float64[r, cells]: heads of n coins each; up to 64 coins are the bits of one word."""
    drawn = np.empty((r, len(n)))
    few = n <= _WORD
    masks = np.full(int(few.sum()), _ALL, np.uint64) >> (_WORD - n[few]).astype(np.uint64)
    words = rng.integers(0, _ALL, (r, len(masks)), np.uint64, endpoint=True)
    drawn[:, few] = np.bitwise_count(words & masks)
    drawn[:, ~few] = rng.binomial(n[~few], 0.5, (r, len(n) - len(masks)))
    return drawn


class _Places:
    """Where the rows of each cell go, so that those of one place are added up."""

    def __init__(self, place: npt.NDArray[np.int64]) -> None:
        self._order = np.argsort(place, kind="stable")
        self.distinct, self._starts = np.unique(place[self._order], return_index=True)

    def summed(self, drawn: Floats) -> Floats:
        """float64[r, d] from float64[r, cells]."""
        if not len(self._order):
            return np.zeros((len(drawn), 0))
        return np.asarray(np.add.reduceat(drawn[:, self._order], self._starts, axis=1))


def _tables(pair: JointCells, listed: npt.NDArray[np.int64], table: Floats) -> Cells:
    """Tables of replicates [r, listed] as tallies of one leading axis."""
    k = pair.classes.k
    counts = np.rint(table).astype(np.int64)
    if k <= _DENSE_K:
        return Cells.dense(counts.reshape(-1, k, k), classes=pair.classes)
    rows, cols = np.divmod(listed, k)
    return Cells.sparse(rows, cols, counts, classes=pair.classes)


RARE: Final = 20
"""With fewer rows of some class the normal distribution calls too much a difference."""
_SWAPS: Final = "swap permutation"


@dataclass(frozen=True, eq=False)
class Joint:
    """Models on the same rows; by cluster, too, where rows of one are not independent."""

    cells: JointCells
    clusters: ClusteredCells | None = None

    @property
    def is_plain(self) -> bool:
        """Whether rows are independent and count alike."""
        return not self.cells.is_weighted and self.clusters is None

    @cached_property
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

    def table(self, model: int) -> TableVariance:
        cells, clusters = self.cells.cells(model), self.clusters
        if clusters is not None:
            place = self.places(model, cells)
            clusters = ClusteredCells.of(clusters.cluster, place[clusters.place], clusters.weight)
        return TableVariance(cells, clusters=clusters)

    def places(self, model: int, table: Cells) -> npt.NDArray[np.int64]:
        """int64[e]: the listed cell of a model's table that each joint cell belongs to."""
        k = self.cells.classes.k
        keys = self.cells.codes[0] * k + self.cells.codes[1 + model]
        rows, cols = table.coordinates()
        return np.asarray(np.searchsorted(rows * k + cols, keys), np.int64)

    def share_of_right(self, model: int) -> float:
        """Accuracy of a model."""
        is_right = self.cells.codes[1 + model] == self.cells.codes[0]
        return float(self.units.weights[is_right].sum()) / self.units.total

    def is_same(self, pair: Pair) -> bool:
        said_a, said_b = (self.cells.codes[1 + model] for model in pair)
        return bool((said_a == said_b)[self.cells.counts > 0].all())


def paired(
    joint: Joint, metrics: Sequence[Metric], spec: ComparisonSpec, policy: Policy
) -> list[Measured]:
    """Every metric of models on the same rows."""
    cells, k = joint.cells, joint.cells.classes.k
    tables = [joint.table(model) for model in range(len(cells.names))]
    of_right = {metric for metric in metrics if _is_linear(metric, k)}
    others = [metric for metric in metrics if metric not in of_right]
    rows = np.bincount(cells.codes[0], cells.counts, k)
    rarest = int(rows[rows > 0].min())
    swapped: dict[Pair, dict[Metric, float]] = {}
    remark = None
    if joint.is_plain and rarest < RARE and others:
        remark = f"the rarest class has {counted(rarest, 'row')}"
        for i, (a, b) in enumerate(spec.pairs):
            found, n_drawn = swap_p_values(
                cells.of_models([a, b]), others, spec.n_permutations, (spec.seed, i), policy
            )
            swapped[a, b] = dict(zip(others, found, strict=True))
            if n_drawn < spec.n_permutations:
                remark = f"the rarest class has {counted(rarest, 'row')}, {n_drawn} permutations"
    done = []
    for metric in metrics:
        if metric in of_right:
            done.append(_of_right_rows(metric, joint, tables, spec, policy))
        else:
            tests = {pair: (_SWAPS, p[metric]) for pair, p in swapped.items()}
            done.append(_of_tables(metric, joint, tables, spec, policy, tests, remark))
    return done


def _of_right_rows(
    metric: Metric,
    joint: Joint,
    tables: Sequence[TableVariance],
    spec: ComparisonSpec,
    policy: Policy,
) -> Measured:
    """A metric of the right rows alone: what counts is where one model alone is right."""
    found = _of_tables(metric, joint, tables, spec, policy, {}, None, not joint.is_plain)
    discordant = {pair: _discordant(joint.cells, pair) for pair in spec.pairs}
    if not joint.is_plain:
        return replace(found, discordant=discordant)
    none, full = of_right_rows(metric, np.array([0.0, 1.0]), joint.cells.classes.k)
    n, scale = joint.cells.n_rows, float(full - none)
    tests, limits = {}, {}
    for pair, one in discordant.items():
        tests[pair] = "mid-p McNemar", mid_p(int(one.b), int(one.c))
        limits[pair] = "score", _score(one.b, one.c, n, scale)
    return replace(found, discordant=discordant, tests=tests, limits=limits)


def _of_tables(
    metric: Metric,
    joint: Joint,
    tables: Sequence[TableVariance],
    spec: ComparisonSpec,
    policy: Policy,
    tests: Mapping[Pair, tuple[str, float]],
    remark: str | None,
    has_limits: bool = True,
) -> Measured:
    """Any metric: from the influence of the rows of each joint cell on each model's value."""
    units = joint.units
    values = [float(metric.values(table.cells, policy).value) for table in tables]
    phi = np.array(
        [
            derivative(metric, table.cells, policy)[joint.places(model, table.cells)]
            for model, table in enumerate(tables)
        ]
    )
    phi = np.where(units.weights > 0, phi, 0.0)
    same = frozenset(pair for pair in spec.pairs if joint.is_same(pair))
    spread = Paired(phi, units) if np.isfinite(phi).all() else None
    limits: dict[Pair, tuple[str, Limits]] = {}
    if spread is not None and has_limits:
        together = units.covariance(phi)

        def goes_of(pair: Pair) -> Correlation:
            n = units.n_effective
            alike = (n, joint.share_of_right(pair[0])) if pair in same else None
            return correlation(together, *pair, alike)

        limits = SideLimits(metric, tables, values, policy).differences(spec.pairs, goes_of)
    method = "influence z" if math.isinf(units.df) else "influence t"
    n = [joint.cells.n_rows] * len(tables)
    return Measured(metric, values, n, spread, method, tests, limits, {}, same, remark)


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
        df = min(table.df for table in tables)
        sides = SideLimits(metric, tables, values, policy)
        limits = sides.differences(spec.pairs)
        least = [sides.least_variance(model, spec.level) for model in range(len(tables))]
        spread = Apart(np.array(variances), df, np.array(least))
        method = "unpaired z" if math.isinf(df) else "unpaired t"
        n = [int(table.cells.n_rows) for table in tables]
        done.append(Measured(metric, values, n, spread, method, limits=limits, remark=remark))
    return done


def estimated(metric: Metric, table: TableVariance, level: float, policy: Policy) -> Estimate:
    """What a metric gave for one model, with its interval."""
    value = float(metric.values(table.cells, policy).value)
    found = label_interval(metric, value, table, Confidence(level), policy)
    return Estimate.of(value, found, level)


def _is_linear(metric: Metric, k: int) -> bool:
    """Whether it is the share of right rows, scaled and moved."""
    if metric.record.is_per_class and metric.lift != "micro":
        return False
    if not is_of_right_rows(metric):
        return False
    none, half, full = of_right_rows(metric, np.array([0.0, 0.5, 1.0]), k)
    return bool(abs(none + full - 2.0 * half) <= 1e-12 * abs(full - none))


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
