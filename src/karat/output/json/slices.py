"""The slices of a report: their tables, and what does not follow from those."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from karat.inference.p_values import least_or_more
from karat.metrics import Metric, get
from karat.metrics._registry import find
from karat.output.json import codec as js
from karat.output.json.codec import Kind, Part, Scope, check_estimate, require
from karat.output.json.report import cell_columns, listed_cells
from karat.output.sections import slice_metric
from karat.results.headlines import headline_names
from karat.results.report import ClassReport
from karat.results.slices import (
    ClassSlices,
    Gap,
    Heterogeneity,
    RecordedTests,
    Slice,
    SliceDifference,
    Slices,
    SliceTable,
)
from karat.tally import Axis, Cells, inconsistency
from karat.tally.axes import SlicedCells

_MOST_CELLS: Final = 1 << 28
"""Cells of all slices: 2 GiB."""


def _written_slices(table: SliceTable[Slice]) -> list[Any]:
    names = table.sliced.headline
    return [_written_slice(part, names) for part in table.values()]


def _written_slice(part: Slice, names: Iterable[str]) -> Any:
    cells, results = part.table, {name: part[name] for name in names}
    square = None if cells.squares is None else cells.flat(cells.squares)
    signs = {
        name: "inf" if result.value > 0 else "-inf"
        for name, result in results.items()
        if math.isinf(result.value)
    }
    return SimpleNamespace(
        key=part.key,
        n_rows=part.n_rows,
        weight=part.weight,
        cells=listed_cells(*cells.coordinates(), cells.flat(), square),
        metrics={name: result.to_dict() for name, result in results.items()},
        infinite=signs or js.OMITTED,
    )


def _is_of_rows(metric: Metric, report: ClassReport) -> bool:
    """True if a metric and its interval need rows: metrics of scores, and all with clusters."""
    return metric.needs_scores or report.is_clustered


def _of_rows(read: Callable[[Metric, Part, Scope], Any]) -> Callable[[Part, Scope], Any]:
    """Read by metric what the tables do not give; parts of which `OMITTED` is read are left out."""

    def found(part: Part, s: Scope) -> Mapping[Metric, Any]:
        metrics = {find(name): item for name, item in part.fields().items()}
        return {
            metric: one
            for metric, item in metrics.items()
            if metric is not None
            and _is_of_rows(metric, s.report)
            and (one := read(metric, item, s)) is not js.OMITTED
        }

    return found


_NUMBER: Final = js.or_null(js.NUMBER_OR_NAN)
_RESULT: Final = js.record(
    None,
    undefined=js.or_null(js.TEXT),
    method=js.or_null(js.TEXT),
    remark=js.or_null(js.TEXT),
    low=_NUMBER,
    high=_NUMBER,
    standard_error=_NUMBER,
    level=_NUMBER.where(lambda x, _: x is None or 0.0 < x < 1.0, "a number between 0 and 1"),
    value=js.NUMBER_OR_NAN,
    n=js.COUNT.where(lambda n, s: n == s.n_rows, lambda s: f"{s.n_rows}, the rows of the slice"),
)
_INFINITE: Final = js.choice("inf", "-inf", words="'inf' or '-inf'")


def _read_result(metric: Metric, part: Part, s: Scope) -> Any:
    """A result of a slice."""
    if metric not in s.report:
        part.must(not s.is_own, "of a metric that metrics lists")
        return js.OMITTED
    facts = _RESULT.read(part, s)
    special = s.infinite.get(str(metric))
    if math.isnan(facts["value"]) and special is not None:
        facts["value"] = float(_INFINITE.read(special, s))
    is_told = math.isfinite(facts["value"]) or facts["undefined"] is not None
    part["undefined"].must(is_told, "the reason why there is no value")
    check_estimate(part, [facts[key] for key in ("value", "low", "high")], metric.range)
    return replace(s.report[metric], **facts)


def _read_cells(part: Part, s: Scope) -> list[Any]:
    squares = s.report.cells.squares
    columns = cell_columns(part, (3 if squares is None else 4,), is_weighted=squares is not None)
    what = "whole number" if squares is None else "number"
    is_fit = not any((column < 0).any() for column in columns)
    part.must(is_fit, f"cells of which each is a {what} of at least 0")
    return columns


_SLICE: Final = js.record(
    js.itself,
    key=js.TEXTS,
    n_rows=js.COUNT,
    weight=js.RAW,
    cells=Kind(_read_cells),
    infinite=Kind(lambda part, _: part.fields()).or_absent({}),
    metrics=Kind(_of_rows(_read_result)),
)


def _counted(s: Scope, part: Part) -> SlicedCells:
    """The tables of slices, which have to add up to the table of all rows."""
    cells, keys = s.report.cells, tuple(one.key for one in s.slices)
    is_fit = len(set(keys)) == len(keys) > 0 and {*map(len, keys)} == {len(s.columns)}
    part["slices"].must(is_fit, "slices of different keys, with one text a column")
    rows, cols = cells.coordinates()
    is_fit = len(keys) * len(rows) <= _MOST_CELLS
    part["slices"].must(is_fit, f"slices of {len(rows)} cells that fit into memory")
    places = rows * cells.k + cols
    counts = np.zeros((len(keys), len(places)), cells.counts.dtype)
    squares = None if cells.squares is None else np.zeros(counts.shape)
    for i, one in enumerate(s.slices):
        true, predicted, total, *square = one.cells
        codes = np.where((true < cells.k) & (predicted < cells.k), true * cells.k + predicted, -1)
        at = np.searchsorted(places, codes)
        is_fit = len(set(codes.tolist())) == len(codes) and bool(np.isin(codes, places).all())
        wanted = "cells of the table of all rows, each once"
        require(is_fit, f"{part.path}.slices[{i}].cells is not {wanted}")
        counts[i, at] = total
        if squares is not None:
            squares[i, at] = square[0]
    n_rows = np.array([one.n_rows for one in s.slices])
    is_whole = sum(one.n_rows for one in s.slices) == cells.n_rows
    is_whole &= np.allclose(counts.sum(axis=0), cells.flat(), rtol=1e-9, atol=0)
    require(is_whole, f"{part.path} does not add up to the table of all rows")
    is_whole = squares is not None or bool((counts.sum(axis=1) == n_rows).all())
    require(is_whole, f"{part.path} has slices whose cells do not add up to their rows")
    axes = (Axis(" × ".join(s.columns), tuple(", ".join(key) for key in keys)),)
    facts: dict[str, Any] = {"classes": cells.classes, "n_rows": n_rows, "axes": axes}
    facts["has_predictions"] = cells.has_predictions
    if cells.storage != "dense":
        tables = Cells.sparse(rows, cols, counts, squares=squares, **facts)
    else:
        shape = (len(keys), cells.k, cells.k)
        matrices = None if squares is None else squares.reshape(shape)
        tables = Cells.dense(counts.reshape(shape), squares=matrices, **facts)
    problem = inconsistency(tables)
    require(not problem, f"{part.path}: {problem}")
    return SlicedCells(s.columns, keys, tables)


_PROBABILITY: Final = _NUMBER.where(
    lambda p, _: p is None or 0.0 <= p <= 1.0, "a number from 0 to 1"
)
_LIMITED: Final = {"p": _PROBABILITY, "p_adjusted": _PROBABILITY}
TESTS: Final = js.record(
    js.itself,
    heterogeneity=js.record_of(Heterogeneity, **_LIMITED),
    gap=js.record_of(Gap, **_LIMITED, left_out=js.given(lambda s: s.heterogeneity.left_out)),
    differences=js.each(js.record_of(SliceDifference, **_LIMITED)).where(
        lambda found, s: (
            [(one.name, one.n_rows) for one in found]
            == [(", ".join(one.key), one.n_rows) for one in s.slices]
        ),
        "one difference a slice, with its name and rows",
    ),
)
"""How slices differ in a metric, read with the slices in the scope."""


def read_tests(metric: Metric, part: Part, s: Scope) -> RecordedTests:
    """Read the tests of the slices in a metric."""
    found = TESTS.read(part, s)
    metrics = {one.metric for one in (found.heterogeneity, found.gap, *found.differences)}
    part.must(metrics == {str(metric)}, f"tests of {metric} alone")
    keys = (one.key for one in s.slices)
    n = found.heterogeneity.n_draws
    differences = [_bounded(one, n) for one in found.differences]
    return RecordedTests(dict(zip(keys, differences, strict=True)), found.heterogeneity, found.gap)


def _bounded(one: SliceDifference, n: int) -> SliceDifference:
    """The difference with the bound on its p-value that so many permutations set."""
    p = one.p_adjusted
    return one if p is None else replace(one, p_adjusted=least_or_more(p, n))


def tests_in(table: SliceTable[Any], names: Iterable[str]) -> dict[str, Any]:
    """Tests of the slices in these metrics, as written."""
    return {
        name: SimpleNamespace(
            heterogeneity=table.heterogeneity(name),
            gap=table.gap(name),
            differences=table.difference(name).values(),
        )
        for name in names
    }


def _written_tests(table: SliceTable[Slice]) -> dict[str, Any]:
    return tests_in(table, [slice_metric(table.whole)] if table.whole.metrics else ())


_TABLE: Final = js.record(
    js.itself,
    columns=js.TEXTS,
    slices=js.each(_SLICE).of(_written_slices),
    tests=Kind(_of_rows(read_tests), js.named(TESTS).write).of(_written_tests),
)


def _missing(s: Scope, path: str) -> str | None:
    """The place of a result of slices that is neither there nor follows from their tables."""
    metrics = [get(name) for name in headline_names(s.report)]
    needed = [metric for metric in metrics if _is_of_rows(metric, s.report)]
    for i, one in enumerate(s.slices):
        for metric in needed:
            if metric not in one.metrics:
                return f"{path}.slices[{i}].metrics.{metric}"
    # Of one there are tests as well.
    tested = get(slice_metric(s.report)) if metrics else None
    is_untold = tested in needed and tested not in s.tests
    return f"{path}.tests.{tested}" if is_untold else None


def _values(table: SliceTable[Slice], names: Iterable[str]) -> list[Any]:
    """Values that follow from the tables of slices: their weights, and values of labels."""
    metrics = {name: get(name) for name in names if name in table.whole}
    values = {
        name: table.values_of(metric).tolist()
        for name, metric in metrics.items()
        if not metric.needs_scores
    }
    return [
        {
            "weight": weight,
            "metrics": {x: {"value": js.plain(value[i])} for x, value in values.items()},
        }
        for i, weight in enumerate(table.weight.tolist())
    ]


def _read_slices(part: Part, scope: Scope) -> Slices | None:
    """The slices of a text.

    None where another karat wrote them without results that this one writes and cannot compute
    without rows.
    """
    tables: dict[tuple[str, ...], SliceTable[Slice]] = {}
    for item in part.items():
        s = _TABLE.read(item, scope)
        counted = _counted(s, item)
        item["columns"].must(counted.columns not in tables, "columns of its own")
        if (missing := _missing(s, item.path)) is not None:
            require(not scope.is_own, f"{missing} is missing")
            return None
        kept = tuple(one.metrics for one in s.slices)
        sliced = ClassSlices(counted, scope.report, kept=kept)
        tables[counted.columns] = SliceTable(sliced, s.tests)
        if scope.is_own:
            slices = item["slices"]
            names = slices.items()[0]["metrics"].fields()
            slices.check(_values(tables[counted.columns], names), "its cells give")
    return Slices(tables)


SLICES: Final = Kind(
    _read_slices, lambda slices, s: [_TABLE.write(table, s) for table in slices.values()]
)
"""Read with the report of all rows in the scope."""
