"""The slices of a report as JSON and back: their tables, and what does not follow from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors import KaratError
from karat.metrics import Metric, get
from karat.render.json_parts import Part, refused
from karat.tally import Axis, Cells, inconsistency
from karat.tally.sliced import SlicedCells

if TYPE_CHECKING:
    from karat.report import Report
    from karat.result import Result
    from karat.slices import Slices, SliceTable
    from karat.slices.table import Told

__all__ = ["slices_from", "slices_to_json"]

_MOST_CELLS: Final = 1 << 28
"""Cells of all slices: 2 GiB."""


def slices_to_json(report: Report, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Every table: the cells of each slice, its results, and the tests of the first metric.

    Args:
        metrics: those whose results are written; of the first how slices differ, too.
    """
    return [_table(table, metrics) for table in report.slices.values()]


def _table(table: SliceTable, metrics: Sequence[str]) -> dict[str, Any]:
    cells = table.cells
    rows, cols = cells.coordinates()
    flat, weights = cells.flat(), table.weight.tolist()
    squares = None if cells.squares is None else cells.flat(cells.squares)
    parts = []
    for i, one in enumerate(table.values()):
        held = np.flatnonzero(flat[i])
        listed = [rows[held].tolist(), cols[held].tolist(), flat[i][held].tolist()]
        if squares is not None:
            listed.append(squares[i][held].tolist())
        parts.append({
            "key": list(one.key),
            "n_rows": one.n_rows,
            "weight": weights[i],
            "cells": [list(cell) for cell in zip(*listed, strict=True)],
            "metrics": {name: one[name].to_dict() for name in metrics},
        })  # fmt: skip
    first = metrics[:1]
    return {
        "columns": list(table.columns),
        "slices": parts,
        "tests": {
            name: {
                "heterogeneity": table.heterogeneity(name).to_dict(),
                "gap": table.gap(name).to_dict(),
                "differences": [one.to_dict() for one in table.difference(name).values()],
            }
            for name in first
        },
    }


def slices_from(part: Part | None, whole: Report) -> Slices | None:
    """The slices of a text; None where it has none.

    Errors:
        K205 they are not what `slices_to_json` writes, or do not add up to the table of all rows.
    """
    from karat.slices import Slices, SliceTable

    if part is None:
        return None
    tables = {}
    for item in part.items():
        counted = _counted(item, whole.cells)
        is_clustered = whole.is_clustered
        kept = tuple(
            _results(one["metrics"], whole, is_clustered=is_clustered)
            for one in item["slices"].items()
        )
        told = _tests(item["tests"], counted, is_clustered=is_clustered)
        tables[counted.columns] = SliceTable(counted, whole, told=told, kept=kept)
    return Slices(tables)


def _counted(item: Part, cells: Cells) -> SlicedCells:
    columns, parts = item["columns"].texts, list(item["slices"].items())
    keys = tuple(one["key"].texts for one in parts)
    if not parts or any(len(key) != len(columns) for key in keys) or len(set(keys)) < len(keys):
        raise item["slices"].is_not("slices of different keys, with one text a column")
    rows, cols = cells.coordinates()
    places = {key: i for i, key in enumerate(zip(rows.tolist(), cols.tolist(), strict=True))}
    if len(parts) * len(places) > _MOST_CELLS:
        raise item["slices"].is_not(f"slices of {len(places)} cells that fit into memory")
    counts = np.zeros((len(parts), len(places)), cells.counts.dtype)
    squares = None if cells.squares is None else np.zeros(counts.shape)
    for i, one in enumerate(parts):
        for cell in one["cells"].items():
            numbers = list(cell.items())
            if len(numbers) != (3 if squares is None else 4):
                raise cell.is_not("[true, predicted, total], with squares of weights")
            place = places.get((numbers[0].count, numbers[1].count))
            if place is None or counts[i, place]:
                raise cell.is_not("a cell of the table of all rows, each once")
            last = Part([number.value for number in numbers[2:]], cell.path)
            found = last.counts() if squares is None else last.amounts()
            if found.ndim != 1:
                raise cell.is_not("numbers only")
            counts[i, place] = found[0]
            if squares is not None:
                squares[i, place] = found[1]
    n_rows = np.array([one["n_rows"].count for one in parts])
    total = counts.sum(axis=0)
    if n_rows.sum() != cells.n_rows or not np.allclose(total, cells.flat(), rtol=1e-9, atol=0):
        raise refused(f"{item.path} does not add up to the table of all rows")
    axes = (Axis(" × ".join(columns), tuple(", ".join(key) for key in keys)),)
    facts: dict[str, Any] = {"classes": cells.classes, "n_rows": n_rows, "axes": axes}
    if cells.storage != "dense":
        tables = Cells.sparse(rows, cols, counts, squares=squares, **facts)
    else:
        shape = (len(parts), cells.k, cells.k)
        square = None if squares is None else squares.reshape(shape)
        tables = Cells.dense(counts.reshape(shape), squares=square, **facts)
    problem = inconsistency(tables)
    if problem:
        raise refused(f"{item.path}: {problem}")
    return SlicedCells(columns, keys, tables)


def _results(part: Part, whole: Report, *, is_clustered: bool) -> Mapping[Metric, Result]:
    """What does not follow from the table: of scores, and with clusters all."""
    return {
        metric: _result(item, whole[metric])
        for metric, item in _kept(part, is_clustered=is_clustered)
    }


def _kept(part: Part, *, is_clustered: bool) -> Iterator[tuple[Metric, Part]]:
    """The metrics that the tables do not give: of scores, and with clusters all."""
    for name, item in part.fields():
        try:
            metric = get(name)
        except KaratError:  # a metric of a later version
            continue
        if metric.needs_scores or is_clustered:
            yield metric, item


def _result(item: Part, like: Result) -> Result:
    reason, method, remark = (
        None if item[key].is_null else item[key].text for key in ("undefined", "method", "remark")
    )
    low, high, level, error = (
        None if item[key].is_null else _number(item[key])
        for key in ("low", "high", "level", "standard_error")
    )
    return replace(
        like, value=_number(item["value"]), n=item["n"].count, undefined=reason, low=low,
        high=high, level=level, method=method, standard_error=error, remark=remark,
    )  # fmt: skip


def _number(part: Part) -> float:
    if part.is_null:
        return math.nan
    if isinstance(part.value, bool) or not isinstance(part.value, int | float):
        raise part.is_not("a number or null")
    return float(part.value)


def _tests(part: Part, counted: SlicedCells, *, is_clustered: bool) -> Mapping[Metric, Told]:
    """Tests that the tables do not say: of scores, and of rows in clusters."""
    from karat.slices import Gap, Heterogeneity, SliceDifference
    from karat.slices.table import Told

    found = {}
    for metric, item in _kept(part, is_clustered=is_clustered):
        each = [_record(SliceDifference, one) for one in item["differences"].items()]
        if len(each) != len(counted.keys):
            raise item["differences"].is_not("one difference a slice")
        found[metric] = Told(
            dict(zip(counted.keys, each, strict=True)),
            _record(Heterogeneity, item["heterogeneity"]),
            _record(Gap, item["gap"]),
        )
    return found


_FLOATS = ("value", "rest", "difference", "statistic", "mean", "observed", "expected", "most")
"""Null stands for NaN in these, and for nothing in the others."""


def _record(kind: Any, part: Part) -> Any:
    """A record from its fields."""
    given = {}
    for item in fields(kind):
        value = part[item.name].value
        given[item.name] = math.nan if value is None and item.name in _FLOATS else value
    return kind(**given)
