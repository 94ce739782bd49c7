"""A report as JSON in the schema ``karat.report/1``.

Keys are sorted and nothing depends on time or place, so that two files can be compared as text.
A value that is not a finite number is null, and its reason stands beside it.
The tally itself is in the file: reading it back (`json_reading`) gives the same numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from karat._version import __version__
from karat.output.json_intervals import confidence_to_json
from karat.output.json_reading import SCHEMA, report_from_json
from karat.output.json_scores import scores_to_json, thresholds_to_json
from karat.output.json_slices import slices_to_json
from karat.tally import Cells

if TYPE_CHECKING:
    from karat.results.report import Report

__all__ = ["SCHEMA", "report_from_json", "report_schema", "report_to_dict", "report_to_json"]

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
    slices = {}
    if report.kept_slices is not None:
        from karat.output.describe import headline_names

        slices = {"slices": slices_to_json(report, headline_names(report))}
    return slices | {
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
            "confidence": confidence_to_json(report),
        },
        "metrics": {name: result.to_dict() for name, result in report.metrics.items()},
        "per_class": [_plain(row) for row in report.per_class],
        "confusion": _matrix(report.cells),
        "tally": _tally(report.cells),
        "scores": scores_to_json(report),
        "thresholds": thresholds_to_json(report),
        "warnings": list(report.warnings),
        "cautions": list(report.cautions),
    }


def report_to_json(report: Report) -> str:
    """The report as JSON text: sorted keys, one row of the confusion matrix a line, ASCII.

    ASCII, because class names are foreign text and a terminal may be reading.
    """
    return "".join(_written(report_to_dict(report), 0))


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
    facts: dict[str, Any] = {"is_weighted": cells.is_weighted, "storage": cells.storage}
    if cells.storage == "marginals":
        totals = dict(zip(("tp", "fp", "fn"), cells.counts.tolist(), strict=True))
        return facts | {
            "totals": totals,
            "squares": None if squares is None else squares.tolist(),
            "occupancy": None if cells.occupancy is None else cells.occupancy.tolist(),
        }
    if cells.storage == "dense" and cells.k <= _DENSE_K_MAX:
        return facts | {"squares": None if squares is None else squares.tolist()}
    rows, cols = cells.coordinates()
    # A sparse tally keeps every cell it holds, an empty one too: the order of additions stays.
    place = np.arange(rows.size) if cells.storage == "sparse" else np.flatnonzero(cells.flat())
    listed = [rows[place].tolist(), cols[place].tolist(), cells.flat()[place].tolist()]
    if squares is not None:
        listed.append(cells.flat(squares)[place].tolist())
    return facts | {"cells": [list(cell) for cell in zip(*listed, strict=True)]}


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
