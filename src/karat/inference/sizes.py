"""Number of rows that an interval, or a test of a difference, needs: from a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final, Self

import numpy as np

from karat.errors import KaratError, error
from karat.inference.confidence import Confidence
from karat.inference.label_intervals import label_interval
from karat.inference.limits import transformed
from karat.inference.table_variance import TableVariance, derivative
from karat.metrics import Metric
from karat.tally import Cells

MOST: Final = 10**15


@dataclass(frozen=True, slots=True)
class SizeSpec:
    """Goal of a sample size: an interval this narrow, or a difference this large.

    The half width is from the value to its limit, on average of both sides; the power is the share
    of samples that show the difference.
    """

    half_width: float | None
    difference: float | None
    power: float
    confidence: Confidence

    @property
    def quantiles(self) -> float:
        """Standard errors that a difference must be away to be shown in that share of samples."""
        return self.confidence.quantile() + NormalDist().inv_cdf(self.power)


@dataclass(frozen=True, slots=True)
class Pilot:
    """Parts of the interval of a metric of scores in a pilot."""

    n: int
    scale: str
    confidence: Confidence


class RowsNeeded(int):
    """A number of rows that follows from a pilot, and between which numbers it may lie.

    Attributes:
        low, high: limits of the number, from how well the pilot knows what it rests on; `high` is
            infinite where a pilot cannot say.
        level: of the limits.

    Example:
        >>> RowsNeeded(400, 300.2, 533.0, 0.95) + 1, RowsNeeded(400, 300.2, 533.0, 0.95)
        (401, 400 [301, 533])
    """

    low: int
    high: float
    level: float

    def __new__(
        cls, rows: int, low: float = 1.0, high: float = math.inf, level: float = 0.95
    ) -> Self:
        made = super().__new__(cls, rows)
        made.low = max(1, min(math.ceil(low), rows))
        made.high = max(math.ceil(high), rows) if high < MOST else math.inf
        made.level = level
        return made

    @classmethod
    def around(cls, rows: int, relative_variance: float, confidence: Confidence) -> Self:
        """Return a number of rows, with limits from the relative variance of its estimate."""
        step = math.exp(min(confidence.quantile() * math.sqrt(max(relative_variance, 0.0)), 700.0))
        return cls(rows, rows / step, rows * step, confidence.level)

    def __repr__(self) -> str:
        high = f"{self.high}" if math.isfinite(self.high) else "unknown"
        return f"{int(self)} [{self.low}, {high}]"

    __str__ = __repr__


def variance_of_variance(metric: Metric, table: TableVariance) -> float:
    """Relative variance of the variance in a pilot: (E φ⁴ ÷ (E φ²)² − 1) ÷ rows."""
    phi = table.centred(derivative(metric, table.cells))
    shares = table.weights / table.total
    second, fourth = float((shares * phi**2).sum()), float((shares * phi**4).sum())
    if not (second > 0.0 and math.isfinite(fourth)):
        return math.inf
    return max(fourth / second**2 - 1.0, 0.0) / table.n_effective


def rows_for_interval(metric: Metric, table: TableVariance, size: SizeSpec) -> int:
    """Rows for an interval of the half width, of the kind that reports print.

    The table of the pilot is scaled to more or fewer rows until its interval is as narrow.

    Errors:
        K167 no interval is known, or none is as wide.

    Cost: some 60 intervals of one metric.
    """
    assert size.half_width is not None
    wanted = size.half_width
    low, high = metric.ends
    if not wanted < (high - low) / 2.0:
        raise unknown(
            metric, f"No interval within {low:g} and {high:g} has half the width {wanted:g}"
        )
    return _least(metric, lambda n: width_at(metric, table, size, n), wanted)


def rows_for_scores(
    metric: Metric, value: float, error: float, high: float, pilot: Pilot, size: SizeSpec
) -> int:
    """Rows for an interval of a metric of scores, of the kind that reports print.

    On the scale of its method the interval of the pilot is wider than so many standard errors: few
    degrees of freedom, and what is shrunk. That excess falls with the rows, the error with their
    root.

    Errors:
        K167 more rows than there are numbers.
    """
    wanted = size.half_width
    assert wanted is not None
    ends = metric.range
    if pilot.scale == "log":
        ends = (ends[0], math.inf) if math.isfinite(ends[0]) else ends
    normal, quantile = pilot.confidence.quantile(), size.confidence.quantile()
    plain = transformed(value, error, normal, ends)[1]

    def distance(limit: float) -> float:
        return _on_scale(limit, ends) - _on_scale(value, ends)

    excess = max((distance(high) / distance(plain)) ** 2 - 1.0, 0.0)

    def width(n: int) -> float:
        more = pilot.n / n
        farther = quantile * math.sqrt(1.0 + excess * more)
        low, above, _ = transformed(value, error * math.sqrt(more), farther, ends)
        sides = {"low": value - low, "high": above - value}
        found = sides.get(size.confidence.side, (above - low) / 2.0)
        return found if math.isfinite(found) else math.inf

    return _least(metric, width, wanted)


def _on_scale(x: float, ends: tuple[float, float]) -> float:
    low, high = ends
    if math.isfinite(low) and math.isfinite(high):
        return math.log((x - low) / (high - x))
    if math.isfinite(low):
        return math.log(x - low)
    return -math.log(high - x) if math.isfinite(high) else x


def _least(metric: Metric, width: Callable[[int], float], wanted: float) -> int:
    """The least number of rows with which an interval is no wider than wanted."""
    if not width(1) > wanted:
        return 1
    enough = 2
    while width(enough) > wanted:
        enough *= 4
        if enough > MOST:
            raise unknown(metric, f"More than {MOST:.0e} rows would be needed")
    least = enough // 4
    while enough - least > 1:
        middle = (least + enough) // 2
        if width(middle) > wanted:
            least = middle
        else:
            enough = middle
    return enough


def width_at(metric: Metric, table: TableVariance, size: SizeSpec, n: int) -> float:
    """Half the width of the interval, or the distance to the one limit, with n such rows.

    Errors:
        K167 there is no interval.
    """
    cells = table.cells
    scale = n / float(cells.n_rows)
    weights = np.asarray(cells.flat(), np.float64)
    squares = weights if cells.squares is None else np.asarray(cells.flat(cells.squares))
    rows, cols = cells.coordinates()
    if cells.storage == "dense":
        shape = cells.counts.shape
        scaled = Cells.dense(
            (weights * scale).reshape(shape),
            classes=cells.classes,
            squares=(squares * scale).reshape(shape),
            n_rows=n,
        )
    else:
        scaled = Cells.sparse(
            rows, cols, weights * scale, classes=cells.classes, squares=squares * scale, n_rows=n
        )
    value = float(metric.values(scaled).value)
    found = label_interval(metric, value, TableVariance(scaled, table.design), size.confidence)
    if found.low is None or found.high is None:
        reason = found.remark or "It is undefined in the pilot"
        raise unknown(metric, reason[0].upper() + reason[1:])
    if size.confidence.side == "low":
        return value - found.low
    if size.confidence.side == "high":
        return found.high - value
    return (found.high - found.low) / 2.0


def rows_for_difference(metric: Metric, table: TableVariance, size: SizeSpec) -> int:
    """Rows of each of two test sets, of two models that both vary as the pilot does.

    Errors:
        K167 the pilot does not vary.
    """
    g = derivative(metric, table.cells)
    variance = float(table.variance(g)) if np.isfinite(g).all() else math.nan
    return rows_for_variance(metric, 2.0 * variance * float(table.cells.n_rows), size)


def rows_for_variance(metric: Metric, variance: float, size: SizeSpec) -> int:
    """Rows where a number varies by this variance ÷ rows.

    Errors:
        K167 it does not vary, or the answer is no number of rows.
    """
    if not (math.isfinite(variance) and variance > 0.0):
        raise unknown(metric, "The pilot does not vary, or has no standard error")
    wanted, quantile = size.half_width, size.confidence.quantile()
    if size.difference is not None:
        wanted, quantile = abs(size.difference), size.quantiles
    assert wanted is not None
    ratio = math.sqrt(variance) * (quantile / wanted)
    if abs(ratio) > math.sqrt(MOST):
        raise unknown(metric, f"More than {MOST:.0e} rows would be needed")
    return max(1, math.ceil(ratio**2))


def gold_rows_needed(alone: RowsNeeded, square: float, n: int, total: int) -> RowsNeeded | None:
    """Return the gold labels that give as narrow an interval as rows alone; None: more than all.

    With n gold labels of N rows and the squared correlation ρ² of the influences by both labels,
    the variance is that of gold rows alone times 1 − ρ²(1 − n/N): as with r rows alone where
    1/r = (1 − ρ²)/n + ρ²/N.

    Args:
        alone: r, with its limits.
        square: ρ² in the pilot.
        n: gold rows of the pilot, from which ρ is known.
        total: N.
    """

    def needed(rows: float, share: float) -> float:
        rest = 1.0 / rows - share / total
        return (1.0 - share) / rest if rest > 0.0 else math.inf

    found = needed(alone, square)
    if not found <= total:
        return None
    # Fisher's z of ρ, and the limits of r: each moves the logarithm, their errors are independent.
    z, step = math.atanh(math.sqrt(square)), 1.0 / math.sqrt(max(n - 3.0, 1.0))
    quantile = Confidence(alone.level).quantile()
    least, most = (math.tanh(max(z + side * quantile * step, 0.0)) ** 2 for side in (1.0, -1.0))
    low = math.hypot(
        *(math.log(found / x) for x in (needed(alone.low, square), needed(alone, least)))
    )
    above = needed(alone.high, square), needed(alone, most)
    if not max(above) <= total:
        return RowsNeeded(math.ceil(found), found / math.exp(low), math.inf, alone.level)
    high = math.hypot(*(math.log(x / found) for x in above))
    return RowsNeeded(math.ceil(found), found / math.exp(low), found * math.exp(high), alone.level)


def unknown(metric: Metric, found: str) -> KaratError:
    """K167."""
    return error(
        "K167",
        metric=str(metric),
        found=found,
        do="Choose another width or difference, or a pilot with more rows.",
    )
