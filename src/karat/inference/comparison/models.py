"""Metrics of several models, on the same rows or each on its own: of labels, and of scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors.text import counted
from karat.inference.comparison.contrasts import (
    Apart,
    Correlation,
    Distances,
    Limits,
    Pair,
    Paired,
    SamplingError,
    SideLimits,
    Units,
    correlation,
    least_variance,
    limits_together,
    mid_p,
    score_limits,
)
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.records import Discordant, Estimate, ratio
from karat.inference.confidence import Confidence, Interval
from karat.inference.label_intervals import label_interval
from karat.inference.limits import Floats
from karat.inference.proportions import is_of_right_rows, of_right_rows
from karat.inference.score_intervals import measured_with_influence
from karat.inference.table_variance import TableVariance, cell_slopes, derivative, df_on, slopes_on
from karat.inference.variance import Sizes
from karat.metrics import Losses, Metric
from karat.metrics._influence.gather import reason_without
from karat.metrics._lift import Policy
from karat.metrics._metric import values_together
from karat.tally import Cells, ClusteredCells, JointCells
from karat.tally.cached import cached_property
from karat.tally.cells import summed_by
from karat.tally.scored import ScoredRows

Counts: TypeAlias = npt.NDArray[np.int64]

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
    base = [summed_by(at, pair.counts, len(listed)) for at in place]
    differs = first != second
    n = pair.counts[differs]
    out, into = (at[differs] for at in place)

    def differences(drawn: Counts) -> Floats:
        """float64[metrics, r]: where so many rows of each cell are exchanged."""
        moved = summed_by(into, drawn, len(listed))
        moved -= summed_by(out, drawn, len(listed))
        sides = (_tables(pair, listed, table) for table in (base[0] + moved, base[1] - moved))
        left, right = (values_together(metrics, side, policy) for side in sides)
        # Two endless values do not differ.
        is_same = left == right
        return np.asarray(np.subtract(left, right, out=np.zeros(left.shape), where=~is_same))

    seen = np.abs(differences(np.zeros((1, len(n)), np.int64)))
    rng = np.random.default_rng(list(seed))
    beyond = np.zeros(len(metrics), np.int64)
    n_drawn = min(n_permutations, max(_FEWEST, _MOST_DRAWS // max(1, len(n))))
    step = max(1, _BLOCK // max(1, len(listed), len(n)))
    for start in range(0, n_drawn, step):
        found = np.abs(differences(_heads(rng, n, min(step, n_drawn - start))))
        beyond += (found >= seen * (1.0 - _TIE) - _TIE).sum(axis=1)
    return [float((1 + count) / (1 + n_drawn)) for count in beyond], n_drawn


def _heads(rng: np.random.Generator, n: Counts, r: int) -> Counts:
    """int64[r, cells]: heads of n coins each; up to 64 coins are the bits of one word."""
    drawn = np.empty((r, len(n)), np.int64)
    few = n <= _WORD
    masks = np.full(int(few.sum()), _ALL, np.uint64) >> (_WORD - n[few]).astype(np.uint64)
    words = rng.integers(0, _ALL, (r, len(masks)), np.uint64, endpoint=True)
    words &= masks
    drawn[:, few] = np.bitwise_count(words)
    drawn[:, ~few] = rng.binomial(n[~few], 0.5, (r, len(n) - len(masks)))
    return drawn


def _tables(pair: JointCells, listed: Counts, counts: Counts) -> Cells:
    """Tables of replicates int64[r, listed] as tallies of one leading axis."""
    k = pair.classes.k
    if k <= _DENSE_K:
        return Cells.dense(counts.reshape(-1, k, k), classes=pair.classes)
    return Cells.sparse(*np.divmod(listed, k), counts, classes=pair.classes)


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

    @cached_property
    def tables(self) -> tuple[TableVariance, ...]:
        """Of each model."""
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
    if joint.is_plain and rarest < RARE and others:
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
            swaps = {pair: (_SWAPS, p[metric]) for pair, p in swapped.items()}
            done.append(replace(one, tests=swaps, remark=remark))
            continue
        one = replace(one, discordant=discordant)
        if joint.is_plain:
            none, full = of_right_rows(metric, np.array([0.0, 1.0]), k)
            tests, limits = {}, {}
            for pair, alone in discordant.items():
                tests[pair] = "mid-p McNemar", mid_p(int(alone.b), int(alone.c))
                scored = _score(alone.b, alone.c, cells.n_rows, float(full - none))
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
    spread = Paired.of(phi, units, spec.pairs) if np.isfinite(phi).all() else None
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
    return Measured(metric, values, n, spread, method, limits=limits, same=same)


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
        sides = SideLimits(metric, tables, values, policy)
        limits = sides.differences(spec.pairs)
        least = [sides.least_variance(model, spec.level) for model in range(len(tables))]
        spread = Apart(np.array(variances), df, np.array(least))
        method = "unpaired z" if math.isinf(df) else "unpaired t"
        n = [int(table.cells.n_rows) for table in tables]
        done.append(Measured(metric, values, n, spread, method, limits=limits, remark=remark))
    return done


def estimated(
    metric: Metric, value: float, table: TableVariance, level: float, policy: Policy
) -> Estimate:
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


_DUST = 1e-14
"""Influences that differ by less of the value are the same."""
_NO_VARIANCE = "these rows do not show how much it varies: a class has one row, or none"


@dataclass(frozen=True, eq=False)
class _Scored:
    """A model with scores: what every metric gave, and how each row moves it.

    Attributes:
        rows: implements `tally.ScoredRows`.
        clusters: cluster of each row, or None.
        estimates: of each metric, with its interval.
        influence_of: gives the influence of each row.
    """

    rows: ScoredRows
    clusters: npt.NDArray[np.int64] | None
    estimates: Mapping[Metric, Estimate]
    influence_of: Callable[[Metric], Floats]

    @classmethod
    def of(
        cls,
        rows: ScoredRows,
        metrics: Sequence[Metric],
        policy: Policy,
        level: float,
        clusters: npt.NDArray[np.int64] | None,
    ) -> _Scored:
        """From one walk over the rows."""
        with np.errstate(invalid="ignore"):  # an infinite loss has no influence
            values, sure, influence = measured_with_influence(
                rows, metrics, policy, Confidence(level), clusters
            )
        estimates = {
            metric: Estimate.of(
                float(values[metric].value), sure.intervals.get(metric, Interval()), level
            )
            for metric in metrics
        }
        return cls(rows, clusters, estimates, influence)

    def influence(self, metric: Metric) -> Floats | None:
        """float64[n]; None where it has none. Exactly 0 where rows differ by rounding errors."""
        if reason_without(metric):
            return None
        with np.errstate(invalid="ignore"):  # an infinite loss has no influence
            phi = self.influence_of(metric)
        if self.rows.weights is not None:
            # Of a row without weight the loss may be infinite, and counts for nothing.
            phi = np.where(self.rows.weights > 0, phi, 0.0)
        return _without_dust(phi, self.estimates[metric].value)

    def units(self, metric: Metric) -> Units:
        """The rows, as their parts in the variance of a metric count."""
        factors = None
        if self.clusters is None and not reason_without(metric):
            factors = self._sizes.factors(metric)
        is_mean = metric.record.reads is Losses
        key = None if factors is None else factors.tobytes(), is_mean
        if key not in self._units:
            self._units[key] = self._made(factors, is_mean=is_mean)
        return self._units[key]

    def _made(self, factors: Floats | None, *, is_mean: bool) -> Units:
        rows = self.rows
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        squares = weights * weights
        if self.clusters is not None:
            by_cluster = ClusteredCells.of(self.clusters, np.arange(rows.n_rows), rows.weights)
            return Units(weights, squares, by_cluster, df=by_cluster.n_clusters - 1.0)
        n = float(weights.sum()) ** 2 / float(squares.sum())
        df = max(n - 1.0, 1.0) if is_mean else math.inf
        return Units(
            weights, squares, factors=None if factors is None else factors[rows.codes], df=df
        )

    @cached_property
    def _sizes(self) -> Sizes:
        return Sizes.of(self.rows)

    @cached_property
    def _units(self) -> dict[Any, Units]:
        return {}


def scored_metrics(
    scored: Mapping[str, ScoredRows],
    metrics: Sequence[Metric],
    policy: Policy,
    clusters: Mapping[str, npt.NDArray[np.int64] | None],
    spec: ComparisonSpec,
    *,
    is_paired: bool,
) -> list[tuple[Measured, dict[str, Estimate]]]:
    """Every metric of scores of models, and what is known of each model alone."""
    pairs = spec.pairs
    models = {
        name: _Scored.of(rows, metrics, policy, spec.level, clusters[name])
        for name, rows in scored.items()
    }
    done = []
    for metric in metrics:
        phi = {name: model.influence(metric) for name, model in models.items()}
        # Models on the same rows have the same classes and weights.
        shared = next(iter(models.values())).units(metric) if is_paired else None
        units = {name: shared or model.units(metric) for name, model in models.items()}
        variances = {name: _variance(phi[name], units[name]) for name in scored}
        estimates = {name: model.estimates[metric] for name, model in models.items()}
        first = next(iter(units.values()))
        spread: SamplingError | None = None
        known = [part for part in phi.values() if part is not None]
        if len(known) == len(phi):
            every = [units[name].df_of(part) for name, part in zip(phi, known, strict=True)]
            df = min(every)
            least = [
                least_variance(_distances(one), Confidence(one.level).quantile(of_one))
                for one, of_one in zip(estimates.values(), every, strict=True)
            ]
            apart = Apart(np.array(list(variances.values())), df, np.array(least))
            spread = Paired.of(known, first, pairs) if is_paired else apart
        reason = reason_without(metric)
        remark = f"it has no influence function: it is {reason}" if reason else None
        known_values = [name for name in scored if math.isfinite(estimates[name].value)]
        if not reason and not all(math.isfinite(variances[name]) for name in known_values):
            remark = _NO_VARIANCE
        of_models = [one.value for one in estimates.values()]
        n = [rows.n_rows for rows in scored.values()]
        is_area = metric.record.name in ("roc_auc", "gini") and metric.lift == "plain"
        method = "influence" if is_paired else "unpaired"
        method += " z" if math.isinf(first.df) else " t"
        if is_paired and is_area and first.clusters is None:
            method = "DeLong"
        limits = {}
        if spread is not None:
            limits = _limits_of_still(metric, list(estimates.values()), spread, first, pairs)
        found = Measured(metric, of_models, n, spread, method, limits=limits, remark=remark)
        done.append((found, estimates))
    return done


def _variance(phi: Floats | None, units: Units) -> float:
    if phi is None or not np.isfinite(phi).all():
        return math.nan
    return float(units.covariance(phi[None])[0, 0])


def _without_dust(phi: Floats | None, value: float) -> Floats | None:
    """Influences; exactly 0 where they differ by no more than rounding errors."""
    if phi is None or not np.isfinite(phi).all():
        return phi
    scale = max(float(np.abs(phi).max(initial=0.0)), abs(value))
    return np.zeros_like(phi) if float(np.ptp(phi)) <= _DUST * scale else phi


def _limits_of_still(
    metric: Metric,
    estimates: Sequence[Estimate],
    spread: SamplingError,
    units: Units,
    pairs: Iterable[Pair],
) -> dict[Pair, tuple[str, Limits]]:
    """Limits of the pairs of equal values whose difference no row moves, from those of both."""
    found: dict[Pair, tuple[str, Limits]] = {}
    for a, b in pairs:
        sides = [_distances(estimates[model]) for model in (a, b)]
        is_still = estimates[a].value == estimates[b].value and spread.variance(a, b) == 0.0
        if is_still and sides[0] is not None and sides[1] is not None:
            errors = [estimates[model].standard_error or 0.0 for model in (a, b)]
            goes = correlation(np.outer(errors, errors), 0, 1, (units.n_effective, 0.5))
            limits = _scaled(metric, sides[0], sides[1], goes, estimates[a].level, spread.df)
            found[a, b] = "combined", limits
    return found


def _scaled(
    metric: Metric, of_a: Distances, of_b: Distances, goes: Correlation, level: float, df: float
) -> Limits:
    """Limits at other levels than that of the values lie as many times farther away."""
    at = Confidence(level).quantile(df)

    def limits(quantile: float) -> tuple[float, float]:
        times = quantile / at
        sides = [(times * down, times * up) for down, up in (of_a, of_b)]
        return limits_together(metric, 0.0, sides[0], sides[1], goes(quantile))

    return limits


def _distances(one: Estimate) -> Distances | None:
    if one.low is None or one.high is None:
        return None
    return one.value - one.low, one.high - one.value
