"""The difference of a slice from the others, with intervals that hold for all slices at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from karat.designs.clusters import ClusteredRows
from karat.designs.rows import IndependentRows
from karat.designs.units import Units
from karat.inference.comparison.contrasts import Apart, Paired, ScoreLimits, SideLimits, correlation
from karat.inference.comparison.judging import ComparisonSpec, Measured
from karat.inference.comparison.models import apart
from karat.inference.confidence import Confidence
from karat.inference.json_record import JsonRecord
from karat.inference.label_intervals import label_interval
from karat.inference.limits import Flags, Floats
from karat.inference.p_values import LeastP, p_text
from karat.inference.table_variance import derivative
from karat.metrics import Metric
from karat.results.slices.parts import Slice, moved
from karat.tally import ClusteredCells
from karat.tally.axes import SlicedCells

_PAIR: Final = (0, 1)


@dataclass(frozen=True, slots=True, repr=False)
class SliceDifference(JsonRecord):
    """A slice less the other slices together, in one metric.

    Attributes:
        metric: canonical name.
        name: of the slice.
        n_rows: of the slice.
        value: what the metric gave on the slice.
        rest: what it gave on all other rows.
        difference: value − rest; NaN where either is undefined.
        low, high: limits of the difference at `level`; None where none are known.
        low_simultaneous, high_simultaneous: limits that hold for all slices at once: so many
            standard errors away as the farthest slice where rows are permuted (Westfall and Young
            1993), else as Šidák (1967) says.
        level: of both.
        p: two-sided p-value of no difference; None where none is known.
        p_adjusted: the same for all slices at once: how often, where rows are permuted across
            the slices, some slice lies as far from the mean, in standard errors; at least p.
        method: what made p and the limits.
        undefined: why there is nothing to compare, or None.
        remark: what to know of it, or None.
    """

    metric: str
    name: str
    n_rows: int
    value: float
    rest: float
    difference: float
    low: float | None = None
    high: float | None = None
    low_simultaneous: float | None = None
    high_simultaneous: float | None = None
    level: float = 0.95
    p: float | None = None
    p_adjusted: float | None = None
    method: str | None = None
    undefined: str | None = None
    remark: str | None = None

    def __float__(self) -> float:
        return self.difference

    def __str__(self) -> str:
        what = f"{self.metric}: {self.name} − other rows"
        if self.undefined is not None:
            return f"{what}: not compared, {self.undefined}"
        low, high = self.low_simultaneous, self.high_simultaneous
        limits = "" if low is None or high is None else f" [{low:+.4g}, {high:+.4g}]"
        p = "" if self.p_adjusted is None else f", p {p_text(self.p_adjusted)}"
        at_once = " (all slices at once)" if limits or p else ""
        return f"{what} = {self.difference:+.4g}{limits}{p}{at_once}"

    @property
    def is_shown(self) -> bool:
        """True if the difference is significant, corrected for all slices.

        Both say so: `p_adjusted`, and the simultaneous limits, which do not hold 0.
        """
        if self.p_adjusted is None or self.p_adjusted >= 1.0 - self.level:
            return False
        low, high = self.low_simultaneous, self.high_simultaneous
        return low is None or high is None or not low <= 0.0 <= high


class SliceDifferences(dict[Any, SliceDifference]):
    """Slice → its difference from all other rows, in one metric."""

    def __repr__(self) -> str:
        metric = next((one.metric for one in self.values()), "no metric")
        return f"<karat slice differences in {metric}: {len(self)}>"

    def __str__(self) -> str:
        return "\n".join(map(str, self.values()))


def level_of_each(level: float, n: int) -> float:
    """The level of each of n intervals that hold together at a level (Šidák 1967).

    It is exact for independent ones; of normal statistics that go together in any way the level of
    all is at least as high. Two slices differ from each other once.

    Example:
        >>> round(level_of_each(0.95, 5), 4), level_of_each(0.95, 2)
        (0.9898, 0.95)
    """
    return level if n <= 2 else level ** (1.0 / n)


def at_once(p: float, n: int) -> float:
    """A p-value that holds for n slices together; see `level_of_each`."""
    if n <= 2 or p >= 1.0:
        return min(p, 1.0)
    found = -math.expm1(n * math.log1p(-p))
    return LeastP(found) if isinstance(p, LeastP) else found


def why_not(metric: Metric, one: Slice, rest: Slice) -> str | None:
    if not rest.n_rows:
        return "there is no other slice"
    why = one.why_undefined(metric)
    if why is not None:
        return why
    why = rest.why_undefined(metric)
    if why is not None:
        return f"of the other rows: {why}"
    if metric.needs_scores:
        for part in (one, rest):
            if part[metric].standard_error is None:
                return part[metric].remark or "no intervals were asked for (level=None)"
    return None


def of_labels(metric: Metric, one: Slice, rest: Slice, counted: SlicedCells, i: int) -> Measured:
    """Measure from both tables: independent, or with clusters that have rows in both."""
    tables = [one.spread_of(metric), rest.spread_of(metric)]
    policy = one.whole.undefined
    (found,) = apart(tables, [metric], ComparisonSpec(0.95, "none", {}, (_PAIR,)), policy)
    if counted.is_nested:
        return replace(found, remark=None)
    is_here = np.arange(len(counted.keys)) == i
    sides = (one, is_here), (rest, ~is_here)
    phi = np.stack([influence_of_labels(metric, *side, counted) for side in sides])
    units = units_of(counted, min(table.df for table in tables))
    spread = Paired.of(phi, units, [_PAIR]) if np.isfinite(phi).all() else None
    limits = {}
    if spread is not None:
        goes = correlation(units.covariance(phi), *_PAIR, None)
        of_values = SideLimits(metric, found.values, tables, policy)
        limits = of_values.differences([_PAIR], lambda _: goes)
    return Measured(metric, found.values, found.n, spread, "influence t", limits=limits)


def units_of(counted: SlicedCells, df: float) -> Units:
    """Every stored cell of every slice, drawn by cluster."""
    cells = counted.cells
    weights = np.asarray(cells.flat(), np.float64).ravel()
    squares = weights if cells.squares is None else cells.flat(cells.squares).ravel()
    assert counted.clusters is not None
    return ClusteredRows.of(IndependentRows(weights, squares), counted.clusters, df)


def influence_of_labels(metric: Metric, part: Slice, inside: Flags, counted: SlicedCells) -> Floats:
    """float64[e]: of a row in each stored cell of each slice, on the value of those inside.

    Rows outside have none, and their weight counts: it is that of all rows.
    """
    cells, table = part.cells_of(metric), part.spread_of(metric)
    g = table.centred(derivative(metric, cells, part.whole.undefined))
    none = np.empty(0, np.int64)
    groups = ClusteredCells(0, none, np.arange(counted.n_stored), np.empty(0))
    places = moved(groups, part.table, cells)
    assert places is not None
    whole = float(np.asarray(counted.cells.flat(), np.float64).sum())
    held = places.place.clip(0, len(g) - 1)
    share = whole / float(np.asarray(part.table.flat(), np.float64).sum())
    weights = np.asarray(counted.cells.flat())
    return np.where(inside[:, None] & (weights > 0), g[held] * share, 0.0).ravel()


def covariance_of_labels(
    metric: Metric, slices: Sequence[Slice], places: Sequence[int], counted: SlicedCells
) -> Floats:
    """float64[s, s]: of the values of slices that share clusters."""
    inside = np.equal.outer(places, np.arange(len(counted.keys)))
    each = zip(slices, inside, strict=True)
    phi = np.stack([influence_of_labels(metric, *side, counted) for side in each])
    return units_of(counted, math.inf).covariance(phi)


def distances_of(one: Slice, metric: Metric, asked: Confidence) -> tuple[float, float] | None:
    """Distances from a value to its lower and its upper limit, in quantiles; or None."""
    value = one[metric].value
    if metric.needs_scores:
        result = one[metric]
        if result.standard_error is None:
            return None
        is_both = one.whole.confidence is not None and one.whole.confidence.side == "both"
        if result.low is None or result.high is None or not is_both:
            return result.standard_error, result.standard_error
        low, high, df = result.low, result.high, math.inf
    else:
        spread = one.spread_of(metric)
        found = label_interval(metric, value, spread, asked, one.whole.undefined)
        if found.low is None or found.high is None:
            return None
        low, high, df = found.low, found.high, spread.df
    quantile = asked.quantile(df)
    return (value - low) / quantile, (high - value) / quantile


def of_scores(metric: Metric, one: Slice, rest: Slice) -> Measured:
    """Measure from the limits of both, or from the influence of clusters that both share."""
    metric = metric.with_classes(one.table.classes.k)
    values, n = [part[metric].value for part in (one, rest)], [one.n_rows, rest.n_rows]
    scored = one.scored
    assert scored is not None
    assert one.rows is not None
    if scored.clusters is None:
        return _apart(metric, one, rest, min(n) - 1.0)
    inside = one.rows()
    held = [np.unique(scored.clusters[side]) for side in (inside, ~inside)]
    df = min(map(len, held)) - 1.0
    if not len(np.intersect1d(held[0], held[1])):
        return _apart(metric, one, rest, df)
    weights = np.ones(len(inside)) if scored.weights is None else scored.weights
    phi = np.zeros((2, len(inside)))
    for row, side in zip(phi, (inside, ~inside), strict=True):
        share = float(weights.sum()) / float(weights[side].sum())
        row[side] = scored.influence(side, metric) * share
    groups = ClusteredCells.of(scored.clusters, np.arange(len(inside)), scored.weights)
    units = ClusteredRows.of(IndependentRows(weights, weights**2), groups, df)
    return Measured(metric, values, n, Paired.of(phi, units, [_PAIR]), "influence t")


def _apart(metric: Metric, one: Slice, rest: Slice, df: float) -> Measured:
    """Measure from both limits, each in the form of its metric; else from standard errors."""
    parts = (one, rest)
    values, n = [part[metric].value for part in parts], [part.n_rows for part in parts]
    errors = np.array([float(part[metric].standard_error or 0.0) for part in parts])
    known = [part.sampling_of(metric) for part in parts]
    sampling = [error for error in known if error is not None]
    if len(sampling) == len(parts):
        limits = ScoreLimits(metric, values, sampling).differences([_PAIR])
        if limits:
            spread = Apart(errors**2)
            return Measured(metric, values, n, spread, "unpaired", limits=limits)
    return Measured(metric, values, n, Apart(errors**2, df), "unpaired t")
