"""The slices of a report: their tables, and what does not follow from those."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from karat.metrics import Metric, get
from karat.metrics._registry import find
from karat.output.describe import headline_names
from karat.output.json.codec import (
    COUNT,
    NUMBER_OR_NAN,
    OMITTED,
    RAW,
    TEXT,
    TEXTS,
    Kind,
    Part,
    Scope,
    choice,
    each,
    itself,
    named,
    or_null,
    plain,
    record,
    record_of,
    refused,
)
from karat.output.json.report import cell_columns, listed_cells
from karat.results.report import Report
from karat.results.result import Result
from karat.results.slices import Gap, Heterogeneity, SliceDifference, Slices, SliceTable
from karat.results.slices.table import Told
from karat.tally import Axis, Cells, inconsistency
from karat.tally.sliced import SlicedCells

__all__ = ["SLICES", "slices_by_tables"]

_MOST_CELLS: Final = 1 << 28
"""Cells of all slices: 2 GiB."""


def _written_slices(table: SliceTable) -> list[Any]:
    cells = table.cells
    flat, squares = cells.flat(), None if cells.squares is None else cells.flat(cells.squares)
    place, found = cells.coordinates(), []
    for i, one in enumerate(table.values()):
        metrics = {name: one[name] for name in headline_names(table.whole)}
        values = {name: result.value for name, result in metrics.items()}
        infinite = {
            x: "inf" if value > 0 else "-inf" for x, value in values.items() if math.isinf(value)
        }
        square = None if squares is None else squares[i]
        found.append(
            SimpleNamespace(
                key=one.key,
                n_rows=one.n_rows,
                weight=float(table.weight[i]),
                cells=listed_cells(*place, flat[i], square),
                metrics={name: result.to_dict() for name, result in metrics.items()},
                infinite=infinite or OMITTED,
            )
        )
    return found


def _is_of_rows(metric: Metric, report: Report) -> bool:
    """Whether tables do not give a metric with its interval: of scores, and with clusters all."""
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
            and (one := read(metric, item, s)) is not OMITTED
        }

    return found


_NUMBER: Final = or_null(NUMBER_OR_NAN)
_RESULT: Final = record(
    None,
    undefined=or_null(TEXT),
    method=or_null(TEXT),
    remark=or_null(TEXT),
    low=_NUMBER,
    high=_NUMBER,
    standard_error=_NUMBER,
    level=_NUMBER.where(lambda x, _: x is None or 0.0 < x < 1.0, "a number between 0 and 1"),
    value=NUMBER_OR_NAN,
    n=COUNT.where(lambda n, s: n == s.n_rows, lambda s: f"{s.n_rows}, the rows of the slice"),
)
_INFINITE: Final = choice("inf", "-inf", words="'inf' or '-inf'")


def _read_result(metric: Metric, part: Part, s: Scope) -> Result | object:
    """A result of a slice."""
    if metric not in s.report:
        if s.is_own:
            raise part.is_not("of a metric that metrics lists")
        return OMITTED
    facts = _RESULT.read(part, s)
    special = s.infinite.get(str(metric))
    if math.isnan(facts["value"]) and special is not None:
        facts["value"] = float(_INFINITE.read(special, s))
    if not math.isfinite(facts["value"]) and facts["undefined"] is None:
        raise part["undefined"].is_not("the reason why there is no value")
    low, high = facts["low"], facts["high"]
    if None not in (low, high) and not low <= facts["value"] <= high:
        raise part.is_not("an interval that holds the value")
    return replace(s.report[metric], **facts)


def _read_cells(part: Part, s: Scope) -> list[Any]:
    squares = s.report.cells.squares
    columns = cell_columns(part, (3 if squares is None else 4,), is_weighted=squares is not None)
    if any((column < 0).any() for column in columns):
        what = "whole number" if squares is None else "number"
        raise part.is_not(f"cells of which each is a {what} of at least 0")
    return columns


_SLICE: Final = record(
    itself,
    key=TEXTS,
    n_rows=COUNT,
    weight=RAW,
    cells=Kind(_read_cells),
    infinite=Kind(lambda part, _: part.fields()).or_absent({}),
    metrics=Kind(_of_rows(_read_result)),
)


def _counted(s: Scope, part: Part) -> SlicedCells:
    """The tables of slices, which have to add up to the table of all rows."""
    cells, keys = s.report.cells, tuple(one.key for one in s.slices)
    is_fit = keys and all(len(key) == len(s.columns) for key in keys)
    if not is_fit or len(set(keys)) < len(keys):
        raise part["slices"].is_not("slices of different keys, with one text a column")
    rows, cols = cells.coordinates()
    if len(keys) * len(rows) > _MOST_CELLS:
        raise part["slices"].is_not(f"slices of {len(rows)} cells that fit into memory")
    places = rows * cells.k + cols
    counts = np.zeros((len(keys), len(places)), cells.counts.dtype)
    squares = None if cells.squares is None else np.zeros(counts.shape)
    for i, one in enumerate(s.slices):
        true, predicted, total, *square = one.cells
        codes = np.where((true < cells.k) & (predicted < cells.k), true * cells.k + predicted, -1)
        at = np.searchsorted(places, codes)
        if not np.isin(codes, places).all() or len(set(codes.tolist())) < len(codes):
            wanted = "cells of the table of all rows, each once"
            raise refused(f"{part.path}.slices[{i}].cells is not {wanted}")
        counts[i, at] = total
        if squares is not None:
            squares[i, at] = square[0]
    n_rows = np.array([one.n_rows for one in s.slices])
    is_whole = sum(one.n_rows for one in s.slices) == cells.n_rows
    if not is_whole or not np.allclose(counts.sum(axis=0), cells.flat(), rtol=1e-9, atol=0):
        raise refused(f"{part.path} does not add up to the table of all rows")
    if squares is None and (counts.sum(axis=1) != n_rows).any():
        raise refused(f"{part.path} has slices whose cells do not add up to their rows")
    axes = (Axis(" × ".join(s.columns), tuple(", ".join(key) for key in keys)),)
    facts: dict[str, Any] = {"classes": cells.classes, "n_rows": n_rows, "axes": axes}
    if cells.storage != "dense":
        tables = Cells.sparse(rows, cols, counts, squares=squares, **facts)
    else:
        shape = (len(keys), cells.k, cells.k)
        matrices = None if squares is None else squares.reshape(shape)
        tables = Cells.dense(counts.reshape(shape), squares=matrices, **facts)
    if problem := inconsistency(tables):
        raise refused(f"{part.path}: {problem}")
    return SlicedCells(s.columns, keys, tables)


_PROBABILITY: Final = _NUMBER.where(
    lambda p, _: p is None or 0.0 <= p <= 1.0, "a number from 0 to 1"
)
_LIMITED: Final = {"p": _PROBABILITY, "p_adjusted": _PROBABILITY}
_TESTS: Final = record(
    itself,
    heterogeneity=record_of(Heterogeneity, **_LIMITED),
    gap=record_of(Gap, **_LIMITED),
    differences=each(record_of(SliceDifference, **_LIMITED)).where(
        lambda found, s: (
            [(one.name, one.n_rows) for one in found]
            == [(", ".join(one.key), one.n_rows) for one in s.slices]
        ),
        "one difference a slice, with its name and rows",
    ),
)


def _read_tests(metric: Metric, part: Part, s: Scope) -> Told:
    found = _TESTS.read(part, s)
    if {x.metric for x in (found.heterogeneity, found.gap, *found.differences)} != {str(metric)}:
        raise part.is_not(f"tests of {metric} alone")
    keys = (one.key for one in s.slices)
    return Told(dict(zip(keys, found.differences, strict=True)), found.heterogeneity, found.gap)


def _written_tests(table: SliceTable) -> dict[str, Any]:
    return {
        name: SimpleNamespace(
            heterogeneity=table.heterogeneity(name),
            gap=table.gap(name),
            differences=table.difference(name).values(),
        )
        for name in headline_names(table.whole)[:1]
    }


_TABLE: Final = record(
    itself,
    columns=TEXTS,
    slices=each(_SLICE).of(_written_slices),
    tests=Kind(_of_rows(_read_tests), named(_TESTS).write).of(_written_tests),
)


def _missing(s: Scope, path: str) -> str | None:
    """The place of a result of slices that is neither there nor follows from their tables."""
    metrics = [get(name) for name in headline_names(s.report)]
    needed = [metric for metric in metrics if _is_of_rows(metric, s.report)]
    for i, one in enumerate(s.slices):
        for metric in needed:
            if metric not in one.metrics:
                return f"{path}.slices[{i}].metrics.{metric}"
    # Of the first one there are tests as well.
    is_untold = metrics[0] in needed and metrics[0] not in s.tests
    return f"{path}.tests.{metrics[0]}" if is_untold else None


def _read_slices(part: Part, scope: Scope) -> Slices | None:
    """The slices of a text.

    None where another karat wrote them without results that this one writes and cannot compute
    without rows.
    """
    tables: dict[tuple[str, ...], SliceTable] = {}
    for item in part.items():
        s = _TABLE.read(item, scope)
        counted = _counted(s, item)
        if counted.columns in tables:
            raise item["columns"].is_not("columns of its own")
        if (missing := _missing(s, item.path)) is not None:
            if scope.is_own:
                raise refused(f"{missing} is missing")
            return None
        kept = tuple(one.metrics for one in s.slices)
        tables[counted.columns] = SliceTable(counted, scope.report, told=s.tests, kept=kept)
    return Slices(tables)


SLICES: Final = Kind(
    _read_slices, lambda slices, s: [_TABLE.write(table, s) for table in slices.values()]
)
"""Read with the report of all rows in the scope."""


def slices_by_tables(report: Report, part: Part) -> list[Any]:
    """Return what follows from the tables of slices: their weights, and values of labels."""
    found = []
    for item, table in zip(part.value, report.slices.values(), strict=True):
        listed = [name for name in item["slices"][0]["metrics"] if name in report]
        values = {
            name: table.values_of(get(name)).tolist()
            for name in listed
            if not get(name).needs_scores
        }
        slices = [
            {
                "weight": weight,
                "metrics": {x: {"value": plain(value[i])} for x, value in values.items()},
            }
            for i, weight in enumerate(table.weight.tolist())
        ]
        found.append({"slices": slices})
    return found
