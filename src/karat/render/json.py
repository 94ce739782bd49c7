"""A report as JSON in the schema ``karat.report/1``, and back.

Keys are sorted and nothing depends on time or place, so that two files can be compared as text.
A value that is not a finite number is null, and its reason stands beside it.
The tally itself is in the file: reading it back gives the same numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from karat._version import __version__
from karat.errors import KaratError, error
from karat.tally import Cells, Classes, inconsistency

if TYPE_CHECKING:
    from karat.report import Report

__all__ = ["SCHEMA", "report_from_json", "report_schema", "report_to_dict", "report_to_json"]

SCHEMA = "karat.report/1"
_DENSE_K_MAX = 1024
"""Larger matrices are written as their occupied cells."""


def report_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of ``karat.report/1``."""
    path = Path(__file__).with_name("report.schema.json")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def report_to_dict(report: Report) -> dict[str, Any]:
    """The report as JSON types."""
    classes = report.classes
    requested = report.requested
    return {
        "schema": SCHEMA,
        "karat": __version__,
        "source": _plain(report.source),
        "mapping": _plain(report.mapping),
        "n_rows": report.n_rows,
        "classes": {
            "labels": list(classes.labels),
            "names": None if classes.names is None else list(classes.names),
            "positive": None if classes.positive is None else classes.labels[classes.positive],
            "is_declared": classes.is_declared,
        },
        "settings": {
            "undefined": report.undefined,
            "metrics": None if requested is None else [str(metric) for metric in requested],
        },
        "metrics": {name: result.to_dict() for name, result in report.metrics.items()},
        "per_class": [_plain(row) for row in report.per_class],
        "confusion": _matrix(report.cells),
        "tally": _tally(report.cells),
        "warnings": list(report.warnings),
    }


def report_to_json(report: Report) -> str:
    """The report as JSON text: sorted keys, one row of the confusion matrix a line, ASCII.

    ASCII, because class names are foreign text and a terminal may be reading.
    """
    return "".join(_written(report_to_dict(report), 0))


def report_from_json(text: str) -> Report:
    """The report of a JSON text.

    Errors:
        K205 it is not a whole report of this schema; K206 a newer schema wrote it.
    """
    from karat.metrics import get
    from karat.metrics._lift import Policy
    from karat.report import Report

    try:
        found = json.loads(text)
    except ValueError as problem:
        raise error("K205", found=f"It is not JSON: {problem}") from None
    _check_schema(found)
    try:
        wanted, undefined = found["settings"]["metrics"], found["settings"]["undefined"]
        if undefined not in get_args(Policy):
            raise error("K205", found=f"Its policy for undefined values is {undefined!r}")
        return Report(
            _cells(found),
            undefined,
            None if wanted is None else tuple(get(name) for name in wanted),
            found["mapping"],
            found["source"],
            tuple(found["warnings"]),
        )
    except KaratError:
        raise
    except (KeyError, TypeError, IndexError, AttributeError, ValueError, OverflowError) as problem:
        raise error("K205", found=f"It lacks a part of a report: {problem!r}") from None


def _check_schema(found: Any) -> None:
    schema = found.get("schema") if isinstance(found, dict) else None
    name, _, version = str(schema).rpartition("/")
    if name != "karat.report" or not version.isdecimal():
        raise error("K205", found=f"Its schema is {schema!r}, not {SCHEMA!r}")
    if int(version) > 1:
        raise error("K206", version=int(version), newest=1)


def _plain(value: Any) -> Any:
    """JSON types all the way down; numbers that are not finite are null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


def _matrix(cells: Cells) -> list[list[float]] | None:
    """The confusion matrix, rows true; None where there are only totals or many classes."""
    if cells.storage == "marginals" or cells.k > _DENSE_K_MAX:
        return None
    matrix: list[list[float]] = cells.matrix().tolist()
    return matrix


def _tally(cells: Cells) -> dict[str, Any]:
    """What the matrix does not say: squared weights; ``cells`` of many classes; ``totals``."""
    squares = cells.squares
    if squares is not None and not np.isfinite(squares).all():
        squares = None  # weights whose squares no double holds
    weighted = {"is_weighted": cells.is_weighted}
    if cells.storage == "marginals":
        totals = dict(zip(("tp", "fp", "fn"), cells.counts.tolist(), strict=True))
        return weighted | {
            "totals": totals,
            "squares": None if squares is None else squares.tolist(),
            "occupancy": None if cells.occupancy is None else cells.occupancy.tolist(),
        }
    if cells.k <= _DENSE_K_MAX:
        dense = None if squares is None else cells.densified(cells.flat(squares)).tolist()
        return weighted | {"squares": dense}
    rows, cols, counts = cells.occupied()
    listed = [rows.tolist(), cols.tolist(), counts.tolist()]
    if squares is not None:
        place = np.flatnonzero(cells.flat() != 0)
        listed.append(cells.flat(squares)[place].tolist())
    return weighted | {"cells": [list(cell) for cell in zip(*listed, strict=True)]}


def _cells(found: Mapping[str, Any]) -> Cells:
    described = found["classes"]
    labels = tuple(described["labels"])
    names = described["names"]
    classes = Classes(
        labels,
        None if described["positive"] is None else labels.index(described["positive"]),
        None if names is None else tuple(names),
        bool(described["is_declared"]),
    )
    cells = _stored(found, classes)
    problem = inconsistency(cells)
    if problem:
        raise error("K205", found=problem)
    return cells


def _stored(found: Mapping[str, Any], classes: Classes) -> Cells:
    stored, n_rows = found["tally"], int(found["n_rows"])
    dtype = np.float64 if stored["is_weighted"] else np.int64
    if "totals" in stored:
        totals = [np.array(stored["totals"][key], dtype) for key in ("tp", "fp", "fn")]
        return Cells.marginals(
            *totals,
            classes=classes,
            squares=stored["squares"],
            occupancy=stored["occupancy"],
            n_rows=n_rows,
        )
    if "cells" in stored:
        columns = list(zip(*stored["cells"], strict=True)) or [(), (), ()]
        return Cells.sparse(
            np.array(columns[0], np.int64),
            np.array(columns[1], np.int64),
            np.array(columns[2], dtype),
            classes=classes,
            squares=columns[3] if len(columns) > 3 else None,
            n_rows=n_rows,
        )
    matrix = np.array(found["confusion"], dtype)
    return Cells.dense(matrix, classes=classes, squares=stored["squares"], n_rows=n_rows)


@lru_cache(maxsize=1)
def _encoder() -> json.JSONEncoder:
    return json.JSONEncoder(allow_nan=False, sort_keys=True)


def _written(value: Any, depth: int) -> Iterator[str]:
    """JSON with one line a scalar or a list of scalars."""
    inner, outer = "\n" + "  " * (depth + 1), "\n" + "  " * depth
    if isinstance(value, dict) and value:
        for i, key in enumerate(sorted(value)):
            yield f"{',' if i else '{'}{inner}{_encoder().encode(key)}: "
            yield from _written(value[key], depth + 1)
        yield outer + "}"
    elif isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        for i, item in enumerate(value):
            yield f"{',' if i else '['}{inner}"
            yield from _written(item, depth + 1)
        yield outer + "]"
    else:
        yield _encoder().encode(value)
