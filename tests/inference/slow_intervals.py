"""Intervals of the metrics of labels by the NumPy interpreter: many small steps, one at a time.

Every derivative is that of `_interpret`, at every listed cell; every sum is over all of them.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from karat.inference.confidence import Confidence
from karat.inference.limits import wilson_limits
from karat.inference.proportion_curves import of_right_rows
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric
from karat.metrics._formula import walk
from karat.metrics._interpret import evaluate, gradient, sensitivities
from karat.metrics._proportions import Proportion
from karat.tally import Cells, Fields

Floats: TypeAlias = npt.NDArray[np.float64]

OF_TRUTH = (
    Proportion(((True, False), (False, False)), ((False, True), (False, False))),
    Proportion(((False, False), (False, True)), ((False, False), (True, False))),
)
"""Specificity and recall."""
OF_PREDICTION = (
    Proportion(((True, False), (False, False)), ((False, False), (True, False))),
    Proportion(((False, False), (False, True)), ((False, True), (False, False))),
)
"""The right rows of those predicted not to be of the class, and of those predicted to be."""
SUMS = {"informedness": OF_TRUTH, "balanced_accuracy": OF_TRUTH, "markedness": OF_PREDICTION}
RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")


def slopes_of_cells(metric: Metric, cells: Cells, policy: Any = "zero") -> Floats:
    """float64[m]: derivative with respect to the shares of the listed cells."""
    fields = cells.fields
    if cells.storage == "sparse":
        fields = Fields.of_matrix(cells.matrix(), cells.classes.positive)
    found = gradient(metric.traced(policy).value, fields, dict(metric.params)).at_cells()
    rows, cols = cells.coordinates()
    return np.asarray(found[rows * cells.k + cols] * fields.n)


def slow_df(spread: TableVariance, g: Floats) -> float:
    """(Σs²)² ÷ Σs⁴ over clusters, s = Σ w·|φ| of the rows of each; where nothing varies, Σ w."""
    if spread.clusters is None:
        return math.inf
    found = spread.clusters
    phi = np.abs(g - (g * spread.weights).sum() / spread.total)
    if (phi * spread.weights).sum() <= 1e-12 * spread.total * np.abs(g).max():
        phi = np.ones(len(phi))
    sizes = [0.0] * found.n_clusters
    for cluster, place, weight in zip(found.cluster, found.place, found.weight, strict=True):
        sizes[cluster] += float(weight * phi[place])
    squares = sum(s**2 for s in sizes)
    return min(squares**2 / sum(s**4 for s in sizes), found.n_clusters - 1.0)


def slow_quantile(
    metric: Metric, spread: TableVariance, asked: Confidence, policy: Any = "zero"
) -> float:
    """How many standard errors away a limit lies."""
    g = slopes_of_cells(metric, spread.cells, policy)
    return asked.quantile(slow_df(spread, g if np.ptp(g) > 1e-12 else np.zeros(len(g))))


def folded(spread: TableVariance, values: Floats) -> Floats:
    """float64[k, 2, 2] of each class against the rest."""
    rows, cols = spread.rows, spread.cols
    places = [2 * (rows == i) + (cols == i) for i in range(spread.cells.k)]
    sums = [values[place == at].sum() for place in places for at in range(4)]
    return np.array(sums).reshape(-1, 2, 2)


def spread_out(spread: TableVariance, partials: Floats, i: int) -> Floats:
    found: Floats = partials[i][(spread.rows == i).astype(int), (spread.cols == i).astype(int)]
    return found


def has_strata(spread: TableVariance) -> bool:
    """Whether rows of each true class were drawn apart, and weigh otherwise than others."""
    return spread.design != "cohort" and spread.cells.squares is not None


def slow_rows(spread: TableVariance, g: Floats) -> float:
    """Rows of a proportion that varies as much, one class after the other where they are strata."""
    n, inflation = spread.n_effective, float(spread.inflation(g))
    if not has_strata(spread):
        return n / inflation
    within = one = 0.0
    for i in range(spread.cells.k):
        inside = spread.rows == i
        w, x = spread.weights[inside], g[inside]
        if w.sum() > 0:
            squares = float((w * (x - (w * x).sum() / w.sum()) ** 2).sum())
            within += squares
            one += squares * float(spread.squares[inside].sum() / w.sum())
    return (within * spread.total / one if one > 0 else n) / inflation


class SlowClasses:
    """Values, limits, partials and variances of a metric of one class, for every class."""

    def __init__(
        self, metric: Metric, spread: TableVariance, asked: Confidence, *, is_beta: bool = False
    ) -> None:
        self.metric, self.spread, self.asked = metric, spread, asked
        self.tables = folded(spread, spread.weights)
        slopes = self.slopes(self.tables) * spread.total
        self.has_slopes = bool(np.isfinite(slopes).all())
        self.partials = np.where(np.isfinite(slopes), slopes, 0.0)
        self.value = self.values(self.tables)
        self.variance = self.variances(self.partials)
        share = metric.proportion
        bounded = math.isfinite(metric.range[0]) and math.isfinite(metric.range[1])
        if share is not None:
            self.low, self.high = self.of_shares(share, is_beta=is_beta)
        elif metric.record.name in SUMS:
            self.low, self.high = self.of_two_shares(SUMS[metric.record.name])
        elif metric.record.name in RATIOS:
            self.low, self.high = self.of_ratio_of_shares()
        elif bounded:
            self.low, self.high = self.effective()
        else:
            self.low, self.high = self.of_ratios()

    def values(self, tables: Floats) -> Floats:
        fields, params = Fields.of_matrix(tables, 1), dict(self.metric.params)
        return evaluate(self.metric.traced("zero").value, fields, params)

    def slopes(self, tables: Floats) -> Floats:
        fields, params = Fields.of_matrix(tables, 1), dict(self.metric.params)
        found = gradient(self.metric.traced("zero").value, fields, params).at_cells()
        return found.reshape(tables.shape)

    def spread_out(self, partials: Floats, i: int) -> Floats:
        g = spread_out(self.spread, partials, i)
        # Rounding errors beside what the empty cells have.
        return np.where(np.abs(g) > 1e-12 * np.abs(partials[i]).max(), g, 0.0)

    def variances(self, partials: Floats) -> Floats:
        spread = self.spread
        each = [spread.variance(self.spread_out(partials, i)) for i in range(spread.cells.k)]
        return np.array([float(one) for one in each])

    def quantiles(self, partials: Floats) -> Floats:
        each = [spread_out(self.spread, partials, i) for i in range(self.spread.cells.k)]
        return np.array([self.asked.quantile(slow_df(self.spread, g)) for g in each])

    def inflation(self, partials: Floats) -> Floats:
        spread = self.spread
        each = [spread.inflation(self.spread_out(partials, i)) for i in range(spread.cells.k)]
        return np.array([float(one) for one in each])

    def of_shares(self, share: Proportion, *, is_beta: bool) -> tuple[Floats, Floats]:
        _, low, high = self.limits_of_proportion(share, is_beta=is_beta)
        ends = [self.values(share.tables(part)) for part in (low, high)]
        return np.minimum(*ends), np.maximum(*ends)

    def limits_of_proportion(
        self, share: Proportion, *, is_beta: bool
    ) -> tuple[Floats, Floats, Floats]:
        """float64[k] each: the share and its limits."""
        spread, asked = self.spread, self.asked
        hits, misses = share.counted(self.tables)
        inside = hits + misses
        seen = inside > 0
        p = np.where(seen, hits / np.where(seen, inside, 1.0), 0.5)
        squares = sum(share.counted(folded(spread, spread.squares)))
        n = np.where(seen, inside**2 / np.where(seen, squares, 1.0), 0.0)
        if (
            spread.clusters is not None
            or spread.cells.squares is not None
            or spread.design != "cohort"
        ):
            n = n / self.inflation_of_shares(share, p, n)
        quantile = self.quantiles(self.partials_of_share(share, p))
        if not is_beta:
            return p, *wilson_limits(p, n, quantile)
        n = n * (asked.quantile() / quantile) ** 2
        hits, misses = p * n + 0.5, (1 - p) * n + 0.5
        low = np.where(p > 0, betaincinv(hits, misses, asked.tail), 0.0)
        high = np.where(p < 1, 1.0 - betaincinv(misses, hits, asked.tail), 1.0)
        low, high = np.minimum(low, p), np.maximum(high, p)
        return p, np.where(seen, low, 0.0), np.where(seen, high, 1.0)

    def partials_of_share(self, share: Proportion, p: Floats) -> Floats:
        """float64[k, 2, 2], derivative of a share with respect to the shares of the cells."""
        inside = np.add(*share.counted(self.tables))
        scale = np.where(inside > 0, self.spread.total / np.maximum(inside, 1e-300), 0.0)
        one, other = ((scale * part)[:, None, None] for part in (1 - p, p))
        return np.asarray(one * np.array(share.hits) - other * np.array(share.misses))

    def together(
        self, pair: tuple[Proportion, Proportion], ps: list[Floats], distances: list[Floats]
    ) -> Floats:
        """float64[k]: √(Σ Σ ρ d d) of two distances, one class after the other."""
        spread, found = self.spread, np.zeros(len(ps[0]))
        partials = [self.partials_of_share(*both) for both in zip(pair, ps, strict=True)]
        variances = [self.variances(part) for part in partials]
        for i in range(len(found)):
            form, alone = np.zeros(len(spread.weights)), 0.0
            for side, variance, distance in zip(partials, variances, distances, strict=True):
                if variance[i] > 0:
                    factor = distance[i] / math.sqrt(variance[i])
                    form = form + factor * spread_out(spread, side, i)
                else:
                    alone += distance[i] ** 2
            found[i] = math.sqrt(float(spread.variance(form)) + alone)
        return found

    def of_two_shares(self, pair: tuple[Proportion, Proportion]) -> tuple[Floats, Floats]:
        found = [self.limits_of_proportion(share, is_beta=True) for share in pair]
        ps = [p for p, _, _ in found]
        below = self.together(pair, ps, [p - low for p, low, _ in found])
        above = self.together(pair, ps, [high - p for p, _, high in found])
        return self.value - below, self.value + above

    def of_ratio_of_shares(self) -> tuple[Floats, Floats]:
        """Of specificity and recall, on the scale of the logarithm."""
        (p, p_low, p_high), (q, q_low, q_high) = (
            self.limits_of_proportion(share, is_beta=True) for share in OF_TRUTH
        )
        smooth_low, smooth_high = self.of_ratios()
        low, high = smooth_low.copy(), smooth_high.copy()

        def at(first: Floats, second: Floats) -> Floats:
            return self.values(OF_TRUTH[0].tables(first) + OF_TRUTH[1].tables(second))

        with np.errstate(all="ignore"):
            ends = at(p_low, q), at(p_high, q), at(p, q_low), at(p, q_high)
            between = np.isfinite(self.value) & (self.value > 0)
            below: list[Floats] = []
            above: list[Floats] = []
            for one, other in (ends[:2], ends[2:]):
                sign = np.where(other >= one, 1.0, -1.0)
                down, up = np.fmin(one, other), np.fmax(one, other)
                for side, end in ((below, down), (above, up)):
                    steps = sign * np.abs(np.log(end / self.value))
                    side.append(np.where(between, steps, 0.0))
            lower = self.value * np.exp(-self.together(OF_TRUTH, [p, q], below))
            upper = self.value * np.exp(self.together(OF_TRUTH, [p, q], above))
        upper = np.where(self.value == 0, np.fmax.reduce(ends), upper)
        is_known = np.isfinite(self.value) & ~np.isnan(lower)
        return np.where(is_known, lower, low), np.where(is_known, upper, high)

    def inflation_of_shares(self, share: Proportion, p: Floats, n: Floats) -> Floats:
        spread = self.spread
        actual = self.variances(self.partials_of_share(share, p))
        simple = p * (1 - p) / np.maximum(n, 1e-300)
        fewest = np.ones(len(p))
        if spread.clusters is not None:
            fewest = np.maximum(n / spread.clusters.n_clusters, 1.0)
        ratio = np.where(simple > 0, actual / np.where(simple > 0, simple, 1.0), fewest)
        least = 1.0 if spread.design == "cohort" else 1e-6
        return np.where((ratio == 0.0) & (simple > 0), fewest, np.maximum(ratio, least))

    def smoothed(self, rows: float) -> tuple[Floats, Floats]:
        """Tables with some more rows in each cell, and how much one row adds to each cell."""
        spread, adds = self.spread, np.ones_like(self.tables)
        scale = spread.n_effective / spread.total
        if has_strata(spread):
            squares = folded(spread, spread.squares)
            for at in np.ndindex(*adds.shape[:2]):
                if self.tables[at].sum() > 0:
                    adds[at] = squares[at].sum() / self.tables[at].sum() * scale
        return self.tables * scale + rows * adds, adds

    def effective(self) -> tuple[Floats, Floats]:
        spread, (low, high) = self.spread, self.metric.range
        smooth, adds = self.smoothed(0.25)
        if has_strata(spread):
            slopes = self.slopes(smooth)
            means = (smooth * slopes).sum(axis=2) / smooth.sum(axis=2)
            apart = slopes - means[:, :, None]
            one = (apart * apart * adds**2 * (smooth / adds)).sum(axis=(1, 2))
        else:
            n = smooth.sum(axis=(1, 2))[:, None, None]
            phi, p = self.slopes(smooth) * n, smooth / n
            one = (p * phi * phi).sum(axis=(1, 2)) - (p * phi).sum(axis=(1, 2)) ** 2
            one = one / spread.n_effective
        x = (self.values(smooth) - low) / (high - low)
        inflation = self.inflation(self.partials)
        variance = one / (high - low) ** 2 * inflation
        known = np.where(variance > 0, variance, 1.0)
        rows = np.where(variance > 0, x * (1 - x) / known, spread.n_effective)
        quantile = self.quantiles(self.partials)
        below, above = wilson_limits((self.value - low) / (high - low), rows, quantile)
        return low + (high - low) * below, low + (high - low) * above

    def of_ratios(self) -> tuple[Floats, Floats]:
        smooth, adds = self.smoothed(0.5)
        centre, slopes = self.values(smooth), self.slopes(smooth)
        inflation = self.inflation(self.partials)
        variance = (slopes**2 * adds**2 * (smooth / adds)).sum(axis=(1, 2)) * inflation
        step = np.exp(self.quantiles(self.partials) * np.sqrt(variance) / centre)
        return np.fmin(centre / step, self.value), np.fmax(centre * step, self.value)


def slow_standard_error(
    metric: Metric, spread: TableVariance, policy: Any = "zero"
) -> float | None:
    """By the influence of every listed cell."""
    g = slopes_of_cells(metric, spread.cells, policy)
    return math.sqrt(float(spread.variance(g))) if np.isfinite(g).all() else None


def slow_is_fixed(metric: Metric, spread: TableVariance, policy: Any = "zero") -> bool:
    """Whether it is the same in every row of each true class, and not in all."""
    g = slopes_of_cells(metric, spread.cells, policy)
    occupied = spread.weights > 0
    within = [np.ptp(g[occupied & (spread.rows == i)]) for i in np.unique(spread.rows[occupied])]
    return max(within) <= 1e-9 * np.abs(g[occupied]).max() < np.ptp(g[occupied])


def slow_combined(
    metric: Metric, value: float, spread: TableVariance, asked: Confidence, policy: Any = "zero"
) -> tuple[float, float] | None:
    """Limits of the classes, combined cell by cell; None where there is no derivative."""
    if slow_standard_error(metric, spread, policy) is None:
        return None
    traced, cells = metric.traced(policy), spread.cells
    nodes = [part.values for part in traced.parts]
    slopes, rest = sensitivities(traced.value, nodes, cells.fields, dict(metric.params))
    past = rest.at_cells() * cells.fields.n * slow_quantile(metric, spread, asked, policy)
    plain = [
        Metric(part.record, "plain", metric.params if part.record is metric.record
               else Metric.defaults(part.record))
        for part in traced.parts
    ]  # fmt: skip
    of_parts = [SlowClasses(one, spread, asked, is_beta=True) for one in plain]
    shapes, alike = of_parts, spread
    sums, alone = [past.copy(), past.copy()], [0.0, 0.0]
    smoothed = spread.smoothed
    if smoothed is not None and any((found.variance <= 0).any() for found in of_parts):
        # Errors go together as in the smoothed table.
        alike = TableVariance(smoothed.cells, spread.design)
        shapes = [SlowClasses(one, alike, asked, is_beta=True) for one in plain]
        sums = [np.zeros(len(alike.weights)) for _ in range(2)]
        alone = [float(spread.variance(past))] * 2
    for found, shape, a in zip(of_parts, shapes, slopes, strict=True):
        center = np.where(np.isfinite(found.value), found.value, 0.0)
        down, up = np.maximum(center - found.low, 0.0), np.maximum(found.high - center, 0.0)
        # Classes without a value and without a limit: left out, or the value would be NaN.
        down, up = (np.where(np.isfinite(side), side, 0.0) for side in (down, up))
        for i in range(cells.k):
            sides = (down[i], up[i]) if a[i] >= 0 else (up[i], down[i])
            sigma = math.sqrt(shape.variance[i])
            for side, distance in enumerate(sides):
                if sigma > 0:
                    factor = a[i] * distance / sigma
                    sums[side] = sums[side] + factor * spread_out(alike, shape.partials, i)
                else:
                    alone[side] += (a[i] * distance) ** 2
    below, above = (
        math.sqrt(float(alike.variance(form)) + extra)
        for form, extra in zip(sums, alone, strict=True)
    )
    whole = slow_whole(metric, value, spread, asked, policy)
    if whole is None:
        return value - below, value + above
    widths = sum(
        np.abs(np.where(found.high > found.low, a * (found.high - found.low), 0.0))
        for found, a in zip(of_parts, slopes, strict=True)
    )
    limits = mixed((value - below, value + above), whole, widths, metric.range)
    return as_wide_as_the_error(limits, whole, metric, spread, asked, policy)


def as_wide_as_the_error(
    limits: tuple[float, float],
    whole: tuple[float, float],
    metric: Metric,
    spread: TableVariance,
    asked: Confidence,
    policy: Any = "zero",
) -> tuple[float, float]:
    """Limits, and those of the whole where they are narrower than rows with the influences say."""
    error, width = slow_standard_error(metric, spread, policy), limits[1] - limits[0]
    if not error:
        return limits
    quantile = slow_quantile(metric, spread, asked, policy)
    phi = spread.centred(slopes_of_cells(metric, spread.cells, policy))
    w = spread.weights / spread.total * spread.n_effective
    n = (w * phi**2).sum() ** 2 / (w * phi**4).sum()
    least = 2.0 * quantile * error
    if width >= 0.99 * least or width >= least / math.sqrt(1.0 + quantile**2 / n):
        return limits
    return min(limits[0], whole[0]), max(limits[1], whole[1])


def mixed(
    limits: tuple[float, float],
    whole: tuple[float, float] | None,
    widths: Any,
    ends: tuple[float, float],
) -> tuple[float, float]:
    """Limits of the classes, combined, and those of the whole, by the number of classes."""
    squares = np.asarray(widths, np.float64) ** 2
    n_classes = squares.sum() ** 2 / (squares**2).sum() if squares.any() else 1.0
    if whole is None or n_classes <= 2.0:
        return limits
    part = (2.0 / n_classes) ** 4
    inside = max(limits[0], ends[0]), min(limits[1], ends[1])
    low, high = (part * a + (1.0 - part) * b for a, b in zip(inside, whole, strict=True))
    return low, high


def slow_whole(
    metric: Metric, value: float, spread: TableVariance, asked: Confidence, policy: Any = "zero"
) -> tuple[float, float] | None:
    """Wilson's limits with the variance that a table with ½ ÷ k rows more a cell moves with."""
    if not (math.isfinite(metric.range[0]) and math.isfinite(metric.range[1])):
        return None
    table = spread.smoothed or spread
    phi = table.centred(slopes_of_cells(metric, table.cells, policy))
    found = evaluate(metric.traced(policy).value, table.cells.fields, dict(metric.params))
    span = metric.range[1] - metric.range[0]
    if (
        not np.isfinite(phi).all()
        or (phi**2 * table.weights).sum() / table.total < (1e-9 * span) ** 2
    ):
        return None
    g = slopes_of_cells(metric, spread.cells, policy)
    centred = g - (g * spread.weights).sum() / spread.total
    if spread.design == "cohort" and np.abs(centred[spread.weights > 0]).max() < 1e-9 * span:
        # Of a table without an error the influences are rounding errors.
        g = np.zeros(len(g))
    n = slow_rows(spread, g)
    shares, quantile = table.weights / table.total, slow_quantile(metric, spread, asked, policy)
    return score_limits(value, float(found), phi, shares, n, metric.range, quantile)


def score_limits(
    value: float,
    at: float,
    phi: Floats,
    shares: Floats,
    n: float,
    ends: tuple[float, float],
    quantile: float,
) -> tuple[float, float]:
    """The last values on both sides that are no further away than their variance explains."""
    variance = float((shares * phi**2).sum()) / n
    slope = float((shares * phi**3).sum()) / float((shares * phi**2).sum()) / n
    found = []
    for end in ends:
        rest = end - at
        steep = slope if variance + slope * rest > 0.0 else -variance / rest
        bend = -(variance + steep * rest) / rest**2
        test = np.poly1d([1.0, -2.0 * value, value * value])
        moved = np.poly1d([1.0, -at])
        roots = (test - (moved * moved * bend + moved * steep + variance) * quantile**2).roots.real
        farthest = max(roots) if end > value else min(roots)
        found.append(float(np.clip(farthest, *sorted((value, end)))))
    return found[0], found[1]


def slow_of_right_rows(
    metric: Metric, spread: TableVariance, asked: Confidence
) -> tuple[float, float]:
    """Wilson's limits of the accuracy, as limits of what follows from it alone."""
    hit = (spread.rows == spread.cols).astype(np.float64)
    share = float((hit * spread.weights).sum()) / spread.total
    n = slow_rows(spread, hit)
    limits = np.stack(wilson_limits(share, n, asked.quantile(slow_df(spread, hit))))
    found = of_right_rows(metric, limits, spread.cells.k)
    found = np.where(np.isfinite(found), found, metric.range[1])
    return float(found.min()), float(found.max())


def slow_effective(
    metric: Metric,
    value: float,
    ends: tuple[float, float],
    spread: TableVariance,
    asked: Confidence,
    policy: Any = "zero",
) -> tuple[float, float] | None:
    """Wilson's limits with as many rows as give the variance of a smoothed table."""
    g = slopes_of_cells(metric, spread.cells, policy)
    if not np.isfinite(g).all():
        return None
    is_of_logarithms = any(node.op == "log" for node in walk(metric.traced(policy).value))
    if is_of_logarithms and ends == (0.0, math.inf):
        ends = 0.0, math.log(max(spread.cells.k, 2))
    if ends == (-math.inf, 1.0):
        ends = -1.0, 1.0
    low, span = ends[0], ends[1] - ends[0]
    smoothed = spread.smoothed
    share, variance = (value - low) / span, float(spread.simple_variance(g))
    if smoothed is not None:
        table = TableVariance(smoothed.cells, spread.design)
        slopes = slopes_of_cells(metric, smoothed.cells, policy)
        if np.isfinite(slopes).all():
            variance = float(table.simple_variance(slopes)) * table.n_effective / spread.n_effective
            params = dict(metric.params)
            found = evaluate(metric.traced(policy).value, smoothed.cells.fields, params)
            share = (float(found) - low) / span
    centre, without = value, None
    if is_of_logarithms:
        without = slow_left_out(metric, spread, policy)
    if without is not None:
        centre = min(max(value - without[0], ends[0]), ends[1])
        variance = max(variance, without[1])
    variance = variance * float(spread.inflation(g)) / span**2
    varies = variance * spread.n_effective > 1e-24
    rows = share * (1.0 - share) / variance if varies else spread.n_effective
    below, above = wilson_limits(
        (centre - low) / span, rows, slow_quantile(metric, spread, asked, policy)
    )
    return low + span * float(below), low + span * float(above)


def slow_left_out(metric: Metric, spread: TableVariance, policy: Any) -> tuple[float, float] | None:
    """Bias and variance by the jackknife, one table with a row less after the other."""
    cells, n = spread.cells, spread.n_effective
    if cells.storage != "dense" or n <= 1.0:
        return None
    table = cells.counts * (n / float(cells.fields.n))
    root, params = metric.traced(policy).value, dict(metric.params)

    def value(counts: Floats) -> float:
        return float(evaluate(root, Fields.of_matrix(counts, cells.classes.positive), params))

    whole, times, moves = value(table), [], []
    for i, j in np.argwhere(table > 0):
        less, step = table.copy(), min(float(table[i, j]), 1.0)
        less[i, j] -= step
        times.append(float(table[i, j]))
        moves.append((value(less) - whole) / step)
    total = math.fsum(t * x for t, x in zip(times, moves, strict=True))
    square = math.fsum(t * x * x for t, x in zip(times, moves, strict=True))
    if not math.isfinite(total):
        return None
    return (n - 1.0) / n * total, (n - 1.0) / n * max(square - total**2 / n, 0.0)
