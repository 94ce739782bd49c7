"""A report as JSON in the schema ``karat.report/1``, written and read by one declaration.

Keys are sorted and nothing depends on time or place, so that two files can be compared as text.
A value that is not a finite number is null, and its reason stands beside it.
The tally, the classes and the settings make the report; metrics and the table of classes follow
from them and are computed again on reading. What a text states twice has to agree (`agreement`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from karat._version import __version__
from karat.render.json.agreement import (
    check_agreement,
    check_consistency,
    check_intervals,
    unknown_fields,
)
from karat.render.json.parts import parsed, refused
from karat.render.json.report import RECOMPUTED, REPORT, SCHEMA
from karat.render.json.slices import SLICES
from karat.report import Report

__all__ = ["SCHEMA", "report_from_json", "report_schema", "report_to_dict", "report_to_json"]

_READ_IT: Final = "Give the text of the file: Report.from_json(Path('report.json').read_text())."


def report_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of ``karat.report/1``."""
    path = Path(__file__).parents[1] / "report.schema.json"
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def report_to_dict(report: Report) -> dict[str, Any]:
    """Return the report as JSON types."""
    slices = {}
    if report.kept_slices is not None:
        slices = {"slices": SLICES.write(report.slices, report)}
    return slices | REPORT.write(report, report)


def report_to_json(report: Report) -> str:
    """Return the report as JSON text: sorted keys, one row of the matrix a line, ASCII.

    ASCII, because class names are foreign text and a terminal may be reading.
    """
    return "".join(_written(report_to_dict(report), 0))


def report_from_json(text: str | bytes) -> Report:
    """Return the report of a JSON text.

    Errors:
        K205 it is not a whole report of this schema, or contradicts itself; K206 a newer schema
        wrote it; K211 it asks for metrics of scores that it does not hold; K301, K302 it asks for
        one that this karat does not have.
    """
    if not isinstance(text, str | bytes | bytearray):
        raise refused(f"It is a {type(text).__name__}, not text", _READ_IT)
    whole = parsed(_not_a_name(text))
    report = REPORT.read(whole, SimpleNamespace(n_text=len(text)))
    is_own = whole["karat"].value == __version__
    again = RECOMPUTED.write(report, report)
    check_consistency(whole, report, again)
    listed = whole.get("slices")
    if listed is not None:
        scope = SimpleNamespace(report=report, is_own=is_own)
        report = replace(report, kept_slices=SLICES.read(listed, scope))
    check_intervals(whole, report)
    if is_own:
        check_agreement(whole, report, again)
    unknown = unknown_fields(whole, report, None if is_own else report_to_dict(report))
    return replace(report, warnings=(*report.warnings, *unknown)) if unknown else report


def _not_a_name(text: str | bytes) -> str | bytes:
    """Return the text, unless it is the name of a file: a slip worth naming."""
    if isinstance(text, str) and len(text) < 4096 and text.endswith(".json") and "{" not in text:
        raise refused(f"{text!r} looks like the name of a file, not like its text", _READ_IT)
    return text


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
