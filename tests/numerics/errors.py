"""How far karat is from exact arithmetic: every metric on every input, beside its stated bound."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

import karat
from karat.metrics import (
    ClassProbabilities,
    Confidences,
    ErrorBound,
    Metric,
    all_metrics,
    error_bound,
    get,
)
from karat.tally import Cells, Classes
from tests.numerics import exact, references
from tests.numerics.exact_scores import Scored
from tests.numerics.inputs import Rows, Table

UNIT = 2.0**-53
Measure = Callable[[Metric, Any], float]


@dataclass(frozen=True, slots=True)
class Seen:
    """One value.

    Attributes:
        metric, place: what was computed of which input.
        error: distance from the exact value, infinite where only one of the two is defined.
        bound: the largest that is allowed.
        relative: `error` as a part of the value.
    """

    metric: Metric
    place: str
    found: float
    expected: float
    error: float
    bound: float

    @property
    def is_within(self) -> bool:
        return self.error <= self.bound

    @property
    def used(self) -> float:
        """The part of the bound that the error takes."""
        return self.error / self.bound if self.bound else (math.inf if self.error else 0.0)

    def __str__(self) -> str:
        return (
            f"{self.metric} of {self.place}: {self.found!r}, not {self.expected!r}: "
            f"off by {self.error:.3g}, {self.bound:.3g} is stated"
        )


def distance(found: float, expected: Any) -> tuple[float, float]:
    """How far a value is from the exact one, and that as a float."""
    if expected is None or (isinstance(expected, float) and math.isnan(expected)):
        return (0.0 if math.isnan(found) else math.inf), math.nan
    with mpmath.workprec(exact.BITS):
        size = float(exact.high(expected))
        if not (math.isfinite(found) and math.isfinite(size)):
            # A value above 1e308 has no float64.
            return (0.0 if found == size else math.inf), size
        off = exact.high(Fraction(found)) - exact.high(expected)
        return float(abs(off)), size


def of_tables(
    tables: Iterable[Table], metrics: Iterable[Metric], measure: Measure | None = None
) -> Iterator[Seen]:
    """Metrics of labels; those of one class where there are two."""
    chosen = [metric for metric in metrics if metric.record.is_traced]
    for table in tables:
        k = len(table.cells)
        cells = Cells.dense(table.cells, classes=Classes.of(range(k)), n_rows=1)
        reference = exact.Exact.of(table.cells.tolist())
        n = float(reference.n) if table.spread is None else 1.0
        for metric in chosen:
            if metric.lift == "plain" and metric.record.is_per_class and k != 2:
                continue
            given = (measure or of_cells)(metric, cells)
            expected = reference.measure(metric)
            bound = error_bound(metric, int(n), k, spread=table.spread)
            scale = reference.scale_of(bound.scale, metric)
            for one, right in zip(
                np.ravel(given).tolist(),
                expected if isinstance(expected, list) else [expected],
                strict=True,
            ):
                off, size = distance(one, right)
                most = bound.at(size, scale) if math.isfinite(size) else 0.0
                yield Seen(metric, table.name, one, size, off, most)


def of_matrices(tables: Iterable[Table], measure: Measure | None = None) -> Iterator[Seen]:
    """Metrics whose parameter is a matrix of all classes, which `all_metrics` does not have."""
    rng = np.random.default_rng(4)
    for table in tables:
        k = len(table.cells)
        costs = np.round(rng.exponential(3.0, (k, k)), 1)
        gains = np.round(rng.normal(0.0, 3.0, (k, k)), 1)
        # What makes the costs and the gains of this table all but equal.
        even = gains - float((gains * table.cells).sum()) / float(table.cells.sum())
        asked = [f"expected_cost(costs={given.tolist()})" for given in (costs, gains, even)]
        asked.append(f"kappa_weighted(disagreement={costs.tolist()})")
        yield from of_tables([table], [get(text) for text in asked], measure)


def of_cells(metric: Metric, cells: Cells) -> Any:
    return metric.values(cells).value


def of_rows(
    inputs: Iterable[Rows], metrics: Iterable[Metric], measure: Measure | None = None
) -> Iterator[Seen]:
    """Metrics of scores that have a reference for these rows."""
    chosen = [metric for metric in metrics if not metric.record.is_traced]
    for rows in inputs:
        scored = rows.exact()
        for metric in chosen:
            if not is_asked(metric, rows):
                continue
            found = (measure or of_call)(metric, rows)
            bound = error_bound(metric, len(rows.truth), rows.k, spread=rows.spread)
            if metric.record.name in references.THRESHOLDS:
                yield _of_threshold(metric, rows, scored, found, bound)
                continue
            try:
                expected = references.measure(metric, scored)
                scale = references.scale_of(bound.scale, metric, scored) if expected else 1.0
            except ArithmeticError:
                # Hits and misses do not overlap: there is no line of largest likelihood.
                expected, scale = None, 1.0
            if metric.record.name == "recall_at_precision":
                yield _of_precision(metric, rows, scored, found, bound)
                continue
            off, size = distance(found, expected)
            most = bound.at(size, scale) if math.isfinite(size) else 0.0
            yield Seen(metric, rows.name, found, size, off, most)


def is_asked(metric: Metric, rows: Rows) -> bool:
    """Whether a metric can be asked of rows, and its reference computed."""
    record = metric.record
    if metric.lift == "plain" and record.is_per_class and rows.k != 2:
        return False
    if record.reads in (ClassProbabilities, Confidences) and rows.kind != "probabilities":
        return False
    if record.reads_probabilities and rows.kind == "scores":
        return False
    if record.name in references.SMALL:
        return len(rows.truth) <= references.SMALL[record.name] and rows.weights is None
    if record.name.startswith("calibration_") and len(rows.truth) > 200:
        return False
    return dict(metric.params).get("k", 0) <= rows.k or record.name != "top_k_accuracy"


def of_call(metric: Metric, rows: Rows) -> float:
    """As a caller has it."""
    average = {} if metric.lift == "plain" else {"average": metric.lift}
    params = dict(metric.params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", karat.UndefinedWarning)
        return float(getattr(karat, metric.record.name)(**rows.call, **params, **average))


def _of_threshold(
    metric: Metric, rows: Rows, scored: Scored, found: float, bound: ErrorBound
) -> Seen:
    """A threshold whose gain is the largest, but for rounding."""
    column = scored.chances() if scored.kind == "logits" else scored.column(1)
    gains = references.THRESHOLDS[metric.record.name](column, **dict(metric.params))
    if not gains or any(gain is None for _, gain in gains) or math.isnan(found):
        return Seen(metric, rows.name, found, math.nan, 0.0 if math.isnan(found) else math.inf, 0.0)
    none = -scored.shares[-1] if metric.record.name == "cost_threshold" else None
    best = max(gain for _, gain in gains)
    if none is not None:
        best = max(best, none)
    # The probability of logits is rounded.
    slack = 4 * UNIT if scored.kind == "logits" else 0.0
    near = [gain for s, gain in gains if abs(float(s) - found) <= slack]
    here = none if math.isinf(found) else max(near, default=None)
    off = math.inf if here is None else float(best - here)
    return Seen(metric, rows.name, found, found, off, bound.at(0.0))


def _of_precision(
    metric: Metric, rows: Rows, scored: Scored, found: float, bound: ErrorBound
) -> Seen:
    """What some precision that is nearly the one asked for gives."""
    asked = dict(metric.params)["min_precision"]
    near = [asked * (1 + part * bound.relative) for part in (-1, 0, 1)]
    seen = []
    for least in near:
        given = Metric.of(metric.record, metric.lift, {"min_precision": least})
        off, size = distance(found, references.measure(given, scored))
        most = bound.at(size) if math.isfinite(size) else 0.0
        seen.append(Seen(metric, rows.name, found, size, off, most))
    return min(seen, key=lambda each: each.error)


def everything() -> Iterator[Seen]:
    """Every metric on every input."""
    from tests.numerics import inputs

    yield from of_tables(inputs.tables(), all_metrics())
    yield from of_matrices(inputs.tables())
    yield from of_rows(inputs.rows(), all_metrics())
    yield from of_rows(inputs.rows(n=8), all_metrics())
