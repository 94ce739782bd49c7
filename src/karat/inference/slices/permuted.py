"""Permutation of rows across slices: null distributions of tables and metrics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference.limits import Flags, Floats
from karat.inference.p_values import least_or_more, p_of_replicates
from karat.inference.rounding import settled_variance
from karat.metrics import Metric
from karat.metrics._interpret import Gradient
from karat.metrics._lift import Policy
from karat.tally import Cells, Classes, occurring
from karat.tally.cached import cached_property

Counts: TypeAlias = npt.NDArray[np.int64]

N_LEAST: Final = 200
"""Number of permutations below which a p-value is too coarse; that of χ² is reported then."""
_N_USUAL: Final = 1000
_N_MOST: Final = 10_000
_N_BEYOND: Final = 50
"""Target number of permutations beyond the critical value of a test, if affordable."""
_BUDGET: Final = 50_000_000
"""Limit of the total steps of all permutations of a table: a step moves one row, about 15 ns."""
_STEPS_OF_DRAW: Final = 15
"""Steps of one hypergeometric number."""
_STEPS_OF_CELL: Final = 7
"""Steps of one cell that a metric reads."""
N_ADDED: Final = 5.0
"""Number of rows with the proportions of all slices that are added for a variance: a slice without
a mistake has one, too. More would give rare classes their proportions elsewhere."""
_BLOCK: Final = 1 << 20
"""Number of cells of tables evaluated at once."""
_TIE: Final = 1e-9
"""Relative difference below which statistics count as equal, up to rounding."""
_SAME: Final = 1e-12
"""Difference below which values count as equal, up to rounding."""


def n_permutations_of(level: float, shape: tuple[int, int, int], n_rows: int) -> int:
    """Number of permutations for tests at an error rate of 1 − level; 0: too expensive.

    The shape is that of the tables: slices, occupied cells and classes.

    Example:
        >>> n_permutations_of(0.95, (5, 9, 3), 1000), n_permutations_of(0.99, (5, 9, 3), 1000)
        (1000, 5000)
    """
    s, m, k = shape
    steps = min(n_rows, _STEPS_OF_DRAW * s * m) + _STEPS_OF_CELL * s * k * k
    alpha = 1.0 - level
    wanted = min(max(round(_N_BEYOND / alpha), _N_USUAL), _N_MOST)
    n = min(wanted, _BUDGET // max(steps, 1))
    return n if n >= max(N_LEAST, math.ceil(10.0 / alpha - 1e-9)) else 0


@dataclass(frozen=True, eq=False)
class PermutedTables:
    """Tables of the slices, observed and after permutations of their rows.

    Every slice keeps its number of rows; the rows are assigned at random. Under the null
    hypothesis, the observed tables are one permutation among the others (Fisher 1935).

    Attributes:
        tables: int32 or int64[b + 1, s, m], the observed tables first.
        place: int[m], index of the listed cells in a table of k·k.
        k: number of classes.
    """

    tables: npt.NDArray[Any]
    place: npt.NDArray[np.intp]
    k: int

    @classmethod
    def of(cls, cells: Cells, level: float, seed: int) -> PermutedTables | None:
        """Permute dense tables of counts on one leading axis; None if that is too expensive.

        Cost: for each permutation the rows, or 15 times the occupied cells of all slices if that is
        less.
        """
        flat = cells.flat()
        place = np.flatnonzero(flat.any(axis=0))
        tables = np.ascontiguousarray(flat[:, place], np.int64)
        (s, m), n_rows = tables.shape, int(tables.sum())
        n = n_permutations_of(level, (s, m, cells.k), n_rows)
        if not n:
            return None
        kind = np.int32 if n_rows < 2**31 else np.int64
        permuted = np.empty((n + 1, s, m), kind)
        permuted[0] = tables
        rng = np.random.default_rng(seed)
        if n_rows <= _STEPS_OF_DRAW * s * m:
            _shuffle(tables, permuted[1:], rng)
        else:
            _draw(tables, permuted[1:], rng)
        return cls(permuted, place, cells.k)

    @property
    def n(self) -> int:
        """Number of permutations."""
        return len(self.tables) - 1

    def full(self, tables: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return listed cells [..., m] as tables [..., k, k]."""
        shape, k = tables.shape[:-1], self.k
        out = np.zeros((*shape, k * k), np.int64 if tables.dtype.kind == "i" else np.float64)
        out[..., self.place] = tables
        return out.reshape(*shape, k, k)


def _shuffle(tables: Counts, out: npt.NDArray[Any], rng: np.random.Generator) -> None:
    """Shuffle the rows across slices, and count them in `out`."""
    s, m = tables.shape
    rows = np.repeat(np.arange(m), tables.sum(axis=0))
    first = np.repeat(np.arange(s) * m, tables.sum(axis=1))
    for one in out:
        one[:] = np.bincount(first + rng.permutation(rows), minlength=s * m).reshape(s, m)


def _draw(tables: Counts, out: npt.NDArray[Any], rng: np.random.Generator) -> None:
    """Draw the rows of each slice in turn from the remaining ones: multivariate hypergeometric.

    The largest slice comes last and takes the remaining rows.
    """
    (n, _, m), sizes = out.shape, tables.sum(axis=1)
    order = np.argsort(sizes, kind="stable")
    cells = np.argsort(-tables.sum(axis=0), kind="stable")
    left = np.tile(tables.sum(axis=0), (n, 1))
    for i in order[:-1].tolist():
        others, wanted = left.sum(axis=1), np.full(n, sizes[i])
        for j in cells[: m - 1].tolist():
            others = others - left[:, j]
            taken = rng.hypergeometric(left[:, j], others, wanted)
            out[:, i, j] = taken
            wanted = wanted - taken
        out[:, i, cells[m - 1]] = wanted
        left = left - out[:, i]
    out[:, order[-1]] = left


@dataclass(frozen=True, eq=False)
class Standing:
    """Values of a metric on many tables, scaled to its range if that is finite.

    Attributes:
        x: float64[...]; the value itself if the range is infinite.
        rows: float64[...], effective rows, at which a proportion x has the same variance: x·(1 − x)
            ÷ variance; 1 ÷ variance if the range is infinite.
        is_defined: bool[...], whether the metric is defined on the tables.
        is_known: bool[...], whether the tables also have enough rows to compare it.
        ends: ends of the range; None if one is infinite.
    """

    x: Floats
    rows: Floats
    is_defined: Flags
    is_known: Flags
    ends: tuple[float, float] | None

    def variance_at(self, x: Floats) -> Floats:
        """Times 1 ÷ rows, this is the variance of a table if its metric is x."""
        return np.ones_like(x) if self.ends is None else np.maximum(x * (1.0 - x), 0.0)

    def value_of(self, x: float) -> float:
        """Return the value of a scaled x."""
        return x if self.ends is None else self.ends[0] + x * (self.ends[1] - self.ends[0])

    @property
    def scale(self) -> float:
        """Derivative of the value with respect to x."""
        return 1.0 if self.ends is None else self.ends[1] - self.ends[0]


def _values(
    tables: npt.NDArray[Any], metric: Metric, classes: Classes, policy: Policy
) -> tuple[Floats, Flags]:
    """float64[t] and bool[t]: values on the classes in each table, and whether defined."""
    held = tables.any(axis=1) | tables.any(axis=2)
    if metric.has_costs or classes.k == 2 or classes.is_declared or held.all():
        return _measured(metric, Cells.dense(tables, classes=classes, n_rows=_n(tables)), policy)
    patterns, which = np.unique(held, axis=0, return_inverse=True)
    which = which.reshape(-1)
    value, known = np.empty(len(tables)), np.zeros(len(tables), bool)
    for i, pattern in enumerate(patterns):
        here, kept = np.flatnonzero(which == i), np.flatnonzero(pattern)
        if not len(kept):
            value[here] = np.nan
            continue
        some = tables[here][:, kept[:, None], kept]
        found = occurring(Cells.dense(tables[here[0]], classes=classes)).classes
        found = replace(found, positive=classes.positive)
        cells = Cells.dense(some, classes=found, n_rows=_n(some))
        value[here], known[here] = _measured(metric, cells, policy)
    return value, known


def _measured(metric: Metric, cells: Cells, policy: Policy) -> tuple[Floats, Flags]:
    found = metric.values(cells, policy)
    undefined = found.undefined.reshape(len(found.value), -1).all(axis=-1)
    return found.value, np.isfinite(found.value) & ~undefined


def _variance(
    tables: Floats, metric: Metric, classes: Classes, policy: Policy
) -> tuple[Floats, Floats]:
    """float64[t] each: the value, and the variance of the influence of one row."""
    cells = Cells.dense(tables, classes=classes, n_rows=_n(tables))
    found = metric.slopes(cells, policy)
    n = tables.sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", over="ignore"):
        spread = _spread(found.gradient, tables / n[:, None, None]) * n**2
    return found.value, spread


def _spread(g: Gradient, p: Floats) -> Floats:
    """float64[t]: the variance of a gradient over the cells, with the proportions p [t, k, k]."""
    if g.cells is not None:
        each = g.at_cells().reshape(p.shape)
        mean = (each * p).sum(axis=(-2, -1))
        return np.asarray(((each - mean[:, None, None]) ** 2 * p).sum(axis=(-2, -1)))
    k = p.shape[-1]
    hit = np.diagonal(p, axis1=-2, axis2=-1)
    true, pred, same = (np.broadcast_to(part, (len(p), k)) for part in (g.true, g.pred, g.same))
    by_true, by_pred = p.sum(axis=-1), p.sum(axis=-2)
    true = true - (true * by_true).sum(axis=-1)[:, None]
    pred = pred - (pred * by_pred).sum(axis=-1)[:, None]
    # E(a + b + d)² of parts by row, by column and on the diagonal; a and b have the mean 0.
    square = (true**2 * by_true).sum(axis=-1) + (pred**2 * by_pred).sum(axis=-1)
    square += 2.0 * (np.einsum("ti,tij->tj", true, p) * pred).sum(axis=-1)
    square += (hit * same * (2.0 * (true + pred) + same)).sum(axis=-1)
    mean = (hit * same).sum(axis=-1)
    return np.asarray(np.maximum(square - mean**2, 0.0))


def _n(tables: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    return np.asarray(np.rint(tables.sum(axis=(-2, -1))), np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class AtOnce:
    """Most distant slice of each permutation from the others, sorted, in standard errors.

    `p` is the proportion that is at least that of a slice (Westfall and Young 1993).
    """

    p: Floats
    largest: Floats

    def p_of(self, place: int) -> float:
        """The p-value of a slice."""
        return least_or_more(float(self.p[place]), len(self.largest) - 1)

    def quantile(self, level: float) -> float:
        """Critical value in standard errors: p < 1 − level exactly beyond it."""
        n = len(self.largest)
        beyond = int(np.ceil((1.0 - level) * n * (1.0 - _TIE))) - 1
        return float(self.largest[n - 1 - beyond])


@dataclass(frozen=True, eq=False)
class Reference:
    """Metric of the observed slices and of every permutation of the rows.

    Slices with fewer than `fewest` true rows of some class are not compared.
    """

    metric: Metric
    permuted: PermutedTables
    classes: Classes
    policy: Policy
    fewest: int

    @cached_property
    def slices(self) -> Standing:
        """[b + 1, s], values of the slices; the observed ones first.

        Cost: two evaluations of the formula for each table, one with its derivative.
        """
        permuted, given = self.permuted, (self.metric, self.classes, self.policy)
        low, high = self.metric.ends
        is_bounded = math.isfinite(low) and math.isfinite(high)
        least, span = (low, high - low) if is_bounded else (0.0, 1.0)
        pooled = permuted.tables[0].sum(axis=0).astype(np.float64)
        added = N_ADDED * pooled / pooled.sum()
        flat = permuted.tables.reshape(-1, len(pooled))
        x, rows = np.empty((2, len(flat)))
        defined, known = np.empty((2, len(flat)), bool)
        step = max(1, _BLOCK // permuted.k**2)
        for start in range(0, len(flat), step):
            here = slice(start, start + step)
            part, n = permuted.full(flat[here]), flat[here].sum(axis=1)
            value, is_defined = _values(part, *given)
            defined[here] = is_defined & (n > 0)
            own = part.sum(axis=-1)[:, permuted.full(pooled).sum(axis=-1) > 0.0]
            known[here] = defined[here] & (own >= self.fewest).all(axis=-1)
            centre, variance = _variance(permuted.full(flat[here] + added), *given)
            variance, centre = variance / span**2, (centre - least) / span
            x[here] = (value - least) / span
            spread = centre * (1.0 - centre) if is_bounded else np.ones_like(centre)
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = spread / variance
                varies = settled_variance(variance, 1.0) > 0.0
                is_usual = varies & (spread > 0.0) & np.isfinite(ratio)
            rows[here] = n * np.where(is_usual, ratio, 1.0)
        shape, ends = permuted.tables.shape[:-1], (low, high) if is_bounded else None
        x = np.where(defined, x, 0.0).reshape(shape)
        flags = defined.reshape(shape), known.reshape(shape)
        return Standing(x, rows.reshape(shape), *flags, ends)

    def spreading(self, places: Sequence[int]) -> tuple[float, float, float]:
        """Q = Σ (value − mean)² ÷ variance, the mean, and the p-value of the heterogeneity test.

        Permutations, in which the metric may be defined for more slices than observed, are ordered
        by the χ² p-values of their statistics (Beran 1988).
        """
        from scipy.special import chdtrc

        known = self._known(places)
        mean, z = self._standardized(known)
        statistic, df = (z**2).sum(axis=1), known.sum(axis=1) - 1
        tail = np.where(df > 0, chdtrc(np.maximum(df, 1), statistic), 1.0)
        p = float(np.mean(tail <= tail[0] * (1.0 + _TIE)))
        return float(statistic[0]), self.slices.value_of(float(mean[0])), p

    def gaps(
        self, places: Sequence[int], observed: float, level: float
    ) -> tuple[float, float, float]:
        """Mean, quantile and p-value of the gap, with the variances of the observed slices.

        A deviation in a permutation is measured in standard errors, times that of the observed
        slice, since slices with few relevant rows, such as of a rare class, vary more. Permutations
        use the same slices, even with few rows of a class, because fewer slices have smaller gaps.
        """
        here = list(places)
        known = np.zeros_like(self.slices.is_known)
        known[:, here] = self.slices.is_defined[:, here]
        mean, z = self._standardized(known)
        one = self.slices
        variances = one.variance_at(mean[:1]) / one.rows[0, here]
        drawn = z[1:, here] * np.sqrt(variances) * one.scale
        held = known[1:, here]
        most = np.where(held, drawn, -np.inf).max(axis=1)
        gaps = np.where(held.sum(axis=1) > 1, most - np.where(held, drawn, np.inf).min(axis=1), 0.0)
        return gaps_beside(gaps, observed * (1.0 - _TIE), level)

    def at_once(self, places: Sequence[int]) -> AtOnce:
        """Compare every slice with the mean, against the most distant slice of each permutation.

        The mean includes the slice, which reduces its distance: for accuracy, this is the statistic
        of its difference vs. the other rows.
        """
        known = self._known(places)
        _, z = self._standardized(known)
        rows = np.where(known, self.slices.rows, 0.0)
        left = 1.0 - rows / np.maximum(rows.sum(axis=1, keepdims=True), 1e-300)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(left > _SAME, np.abs(z) / np.sqrt(left), 0.0)
        largest = np.sort(z.max(axis=1))
        at_least = len(largest) - np.searchsorted(largest, z[0] * (1.0 - _TIE), side="left")
        return AtOnce(at_least / len(largest), largest)

    def _known(self, places: Sequence[int]) -> Flags:
        known = self.slices.is_known.copy()
        known[0] = False
        known[0, list(places)] = True
        return known

    def _standardized(self, known: Flags) -> tuple[Floats, Floats]:
        """float64[b + 1], mean of each permutation; float64[b + 1, s], standard errors from it."""
        one = self.slices
        rows = np.where(known, one.rows, 0.0)
        total = rows.sum(axis=1)
        mean = (rows * one.x).sum(axis=1) / np.where(total > 0.0, total, 1.0)
        far = one.x - mean[:, None]
        variance = one.variance_at(mean)[:, None] / one.rows
        size = 1.0 if one.ends is not None else np.abs(mean[:, None]) + np.abs(far)
        with np.errstate(divide="ignore", invalid="ignore"):
            # 0 where it is a rounding error.
            z = np.where(np.abs(far) > _SAME * size, np.abs(far) / np.sqrt(variance), 0.0)
        return mean, np.where(known, np.sign(far) * z, 0.0)


def gaps_beside(gaps: Floats, observed: float, level: float) -> tuple[float, float, float]:
    """Mean and quantile of simulated gaps, and the proportion at least as large as the observed."""
    p = p_of_replicates(int(np.count_nonzero(gaps >= observed)), len(gaps))
    return float(gaps.mean()), float(np.quantile(gaps, level)), p
