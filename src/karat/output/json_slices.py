"""The slices of a report as JSON: their tables, and what does not follow from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.metrics import get
from karat.output.json_parts import Part

if TYPE_CHECKING:
    from karat.results.report import Report
    from karat.results.slices import SliceTable

__all__ = ["check_slices", "slices_to_json"]


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
        infinite = {
            name: "inf" if one[name].value > 0.0 else "-inf"
            for name in metrics
            if math.isinf(one[name].value)
        }
        if infinite:
            parts[-1]["infinite"] = infinite
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


def check_slices(part: Part, report: Report) -> None:
    """Refuse slices whose values do not follow from their tables.

    Errors:
        K205.
    """
    for item, table in zip(part.items(), report.slices.values(), strict=True):
        parts = list(item["slices"].items())
        for one, weight in zip(parts, table.weight.tolist(), strict=True):
            if not _agrees(one["weight"], weight):
                raise one["weight"].is_not(f"{weight!r}, the sum of its cells")
        for name, _ in parts[0]["metrics"].fields():
            metric = None if name not in report else get(name)
            if metric is None or metric.needs_scores:
                continue
            values = table.values_of(metric).tolist()
            for one, value in zip(parts, values, strict=True):
                given = one["metrics"][name]["value"]
                if not _agrees(given, value):
                    wanted = repr(value) if math.isfinite(value) else "null"
                    raise given.is_not(f"{wanted}, which its cells give")


def _agrees(part: Part, expected: float) -> bool:
    value = part.number_or_nan
    if not (math.isfinite(value) and math.isfinite(expected)):
        return math.isnan(value) and not math.isfinite(expected)
    return math.isclose(value, expected, rel_tol=1e-9, abs_tol=1e-15)
