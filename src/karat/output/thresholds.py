"""The thresholds that serve the positive class of two best, as a short table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.errors import KaratError
from karat.errors.numbers import threshold, value
from karat.output.document import Cell, Column, Table

if TYPE_CHECKING:
    from karat.results.report import Report

__all__ = ["thresholds_section"]

_SHOWN = {"f1": "largest f1", "informedness": "largest informedness", "cost": "fewest errors"}
"""What a threshold is best for, in words; equal costs of both errors are their share."""


def thresholds_section(report: Report) -> Table | None:
    """The thresholds of two classes; None where there are others, or none were computed."""
    if report.scores is None or not report.is_binary:
        return None
    try:
        found = report.thresholds
    except KaratError:
        return None
    assert isinstance(found, dict)
    rows = []
    notes: dict[str, None] = {}
    for purpose, point in found.items():
        reason = point.get("undefined")
        mark = "*" if reason else ""
        about = {name: "~" if name in point.get("bounds", ()) else "" for name in point}
        rows.append(
            (
                Cell(_SHOWN[purpose]),
                Cell(f"{threshold(point['threshold'])}{mark}{about['threshold']}"),
                Cell(
                    f"{value(point['value'])}{mark if point['value'] is None else ''}"
                    f"{about['value']}"
                ),
            )
        )
        if reason:
            notes[f"* {reason}"] = None
    columns = (Column("goal", "left"), Column("threshold"), Column("value"))
    title = "Thresholds  chosen on these rows, so the values are optimistic"
    return Table(title, columns, tuple(rows), tuple(notes))
