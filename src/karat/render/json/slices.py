"""The slices of a report: their tables, and what does not follow from those."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import numpy as np

from karat.metrics import Metric, get
from karat.metrics._registry import find
from karat.render.describe import headline_names
from karat.render.json.codec import (
    COUNT,
    NUMBER_OR_NAN,
    OMITTED,
    TEXT,
    TEXTS,
    Field,
    Kind,
    Scope,
    choice,
    each,
    itself,
    named,
    or_null,
    record,
    record_of,
)
from karat.render.json.parts import Part, refused
from karat.render.json.tally import cell_columns, listed_cells
from karat.result import Result
from karat.slices import Gap, Heterogeneity, SliceDifference, Slices, SliceTable
from karat.slices.table import Told
from karat.tally import Axis, Cells, inconsistency
from karat.tally.sliced import SlicedCells

__all__ = ["SLICES"]

_MOST_CELLS: Final = 1 << 28
"""Cells of all slices: 2 GiB."""


class _Slice(NamedTuple):
    """A slice as it is written."""

    key: tuple[str, ...]
    n_rows: int
    weight: float
    cells: list[list[float]]
    metrics: dict[str, Any]
    infinite: Any


def _written(table: SliceTable) -> list[_Slice]:
    cells, metrics = table.cells, headline_names(table.whole)
    rows, cols = cells.coordinates()
    flat, weights = cells.flat(), table.weight.tolist()
    squares = None if cells.squares is None else cells.flat(cells.squares)
    found = []
    for i, one in enumerate(table.values()):
        at = np.flatnonzero(flat[i])
        square = None if squares is None else squares[i][at]
        listed = listed_cells(rows[at], cols[at], flat[i][at], square)
        results = {name: one[name] for name in metrics}
        infinite = {
            name: "inf" if result.value > 0.0 else "-inf"
            for name, result in results.items()
            if math.isinf(result.value)
        }
        facts = {name: result.to_dict() for name, result in results.items()}
        found.append(_Slice(one.key, one.n_rows, weights[i], listed, facts, infinite or OMITTED))
    return found


def _is_of_rows(metric: Metric, s: Scope) -> bool:
    """Whether tables do not give a metric with its interval: of scores, and with clusters all."""
    return metric.needs_scores or s.report.is_clustered


def _kept(part: Part, s: Scope) -> Iterator[tuple[Metric, Part]]:
    """The metrics that the tables do not give."""
    for name, item in part.fields():
        metric = find(name)
        if metric is not None and _is_of_rows(metric, s):
            yield metric, item


_NUMBER: Final = or_null(NUMBER_OR_NAN)
_RESULT: Final = record(
    *(Field(name, or_null(TEXT)) for name in ("undefined", "method", "remark")),
    *(Field(name, _NUMBER) for name in ("low", "high", "standard_error")),
    Field(
        "level",
        _NUMBER.where(lambda x, _: x is None or 0.0 < x < 1.0, "a number between 0 and 1"),
    ),
    Field("value", NUMBER_OR_NAN),
    Field("n", COUNT.where(lambda n, s: n == s.n_rows, lambda s: f"{s.n_rows}, the rows of the slice")),
)  # fmt: skip


def _read_results(part: Part, s: Scope) -> Mapping[Metric, Result]:
    """Results of a slice that do not follow from its table."""
    found = {}
    for metric, item in _kept(part, s):
        if metric not in s.report:
            if s.is_own:
                raise item.is_not("of a metric that metrics lists")
            continue
        one = _RESULT.read(item, s)
        facts = {name: getattr(one, name) for name in _OF_RESULT}
        special = s.infinite.get(str(metric))
        if math.isnan(one.value) and special is not None:
            facts["value"] = float(_INFINITE.read(special, s))
        if not math.isfinite(facts["value"]) and one.undefined is None:
            raise item["undefined"].is_not("the reason why there is no value")
        if None not in (one.low, one.high) and not one.low <= facts["value"] <= one.high:
            raise item.is_not("an interval that holds the value")
        found[metric] = replace(s.report[metric], **facts)
    return found


_OF_RESULT: Final = (
    "value", "n", "undefined", "low", "high", "level", "method", "standard_error", "remark",
)  # fmt: skip
_INFINITE: Final = choice("inf", "-inf", wanted="'inf' or '-inf'")


def _read_cells(part: Part, s: Scope) -> list[Any]:
    squares = s.report.cells.squares
    columns = cell_columns(part, (3 if squares is None else 4,), is_weighted=squares is not None)
    if any((column < 0).any() for column in columns):
        what = "whole numbers" if squares is None else "whole numbers and sums of weights"
        raise part.is_not(f"cells of {what} of at least 0")
    return columns


_SLICE: Final = record(
    Field("key", TEXTS),
    Field("n_rows", COUNT),
    Field("weight", Kind(itself)),
    Field("cells", Kind(_read_cells)),
    Field("infinite", Kind(lambda part, _: dict(part.fields()), itself), absent={}),
    Field("metrics", Kind(_read_results)),
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
    total = counts.sum(axis=0)
    is_whole = sum(one.n_rows for one in s.slices) == cells.n_rows
    if not is_whole or not np.allclose(total, cells.flat(), rtol=1e-9, atol=0):
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
    problem = inconsistency(tables)
    if problem:
        raise refused(f"{part.path}: {problem}")
    return SlicedCells(s.columns, keys, tables)


_PROBABILITY: Final = _NUMBER.where(
    lambda p, _: p is None or 0.0 <= p <= 1.0, "a number from 0 to 1"
)
_LIMITED: Final = {"p": _PROBABILITY, "p_adjusted": _PROBABILITY}
_TESTS: Final = record(
    Field("heterogeneity", record_of(Heterogeneity, _LIMITED)),
    Field("gap", record_of(Gap, _LIMITED)),
    Field(
        "differences",
        each(record_of(SliceDifference, _LIMITED)).where(
            lambda found, s: (
                [(one.name, one.n_rows) for one in found]
                == [(", ".join(one.key), one.n_rows) for one in s.slices]
            ),
            "one difference a slice, with its name and rows",
        ),
    ),
    make=lambda s: Told(
        {one.key: test for one, test in zip(s.slices, s.differences, strict=True)},
        s.heterogeneity,
        s.gap,
    ),
)


def _read_tests(part: Part, s: Scope) -> Mapping[Metric, Told]:
    """Tests that do not follow from the tables."""
    found = {}
    for metric, item in _kept(part, s):
        told = _TESTS.read(item, s)
        if {x.metric for x in (told.heterogeneity, told.gap, *told.differences.values())} != {
            str(metric)
        }:
            raise item.is_not(f"tests of {metric} alone")
        found[metric] = told
    return found


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
    Field("columns", TEXTS),
    Field("slices", each(_SLICE), _written),
    Field("tests", Kind(_read_tests, named(_TESTS).write), _written_tests),
)


def _missing(s: Scope, path: str, metrics: Sequence[Metric]) -> str | None:
    """The place of a result of slices that is neither there nor follows from their tables."""
    needed = [metric for metric in metrics if _is_of_rows(metric, s)]
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
    metrics = [get(name) for name in headline_names(scope.report)]
    for item in part.items():
        s = _TABLE.read(item, scope)
        counted = _counted(s, item)
        if counted.columns in tables:
            raise item["columns"].is_not("columns of its own")
        missing = _missing(s, item.path, metrics)
        if missing is not None and scope.is_own:
            raise refused(f"{missing} is missing")
        if missing is not None:
            return None
        kept = tuple(one.metrics for one in s.slices)
        tables[counted.columns] = SliceTable(counted, scope.report, told=s.tests, kept=kept)
    return Slices(tables)


SLICES: Final = Kind(
    _read_slices, lambda slices, s: [_TABLE.write(table, s) for table in slices.values()]
)
"""Read with the report of all rows in the scope."""
