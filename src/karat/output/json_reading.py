"""A report read back from its JSON text.

The tally, the classes and the settings make the report; metrics and the table of classes follow
from them and are made anew. What the text says twice has to agree (`json_agreement`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np

from karat._version import __version__
from karat.errors import error
from karat.output.json_agreement import check_agreement, check_intervals
from karat.output.json_bounds import bounds_from, class_bounds_from
from karat.output.json_curves import curves_from
from karat.output.json_intervals import class_intervals_from, confidence_from, intervals_from
from karat.output.json_left_out import left_out
from karat.output.json_parts import Part, parsed, refused
from karat.output.json_scores import measured_parts, reads_scores, scores_from
from karat.output.json_slices_reading import slices_from
from karat.results.class_table import PER_CLASS, PER_CLASS_OF_SCORES
from karat.results.report import Report
from karat.tally import Cells, Classes, inconsistency

if TYPE_CHECKING:
    from karat.metrics import Metric
    from karat.metrics._lift import Policy

__all__ = ["SCHEMA", "report_from_json"]

SCHEMA = "karat.report/1"
ReportT = TypeVar("ReportT", bound=Report)

_CLOSE = 1e-9
"""Sums of the same weights in another order agree to this part."""
_VERSION = re.compile(
    r"[0-9]{1,6}(\.[0-9]{1,6}){1,3}((a|b|rc)[0-9]{1,6})?(\.post[0-9]{1,6})?(\.dev[0-9]{1,6})?"
    r"(\+[a-z0-9.]{1,40})?"
)
"""As packages spell it (PEP 440). One way to match a text: no letter belongs to two parts."""
_FORMATS = ("parquet", "csv", "json")
_DENSE_RATIO = 100
"""A table of all pairs of classes may take so many times the bytes of its text."""
_DEEPEST = 8
"""Facts about the source are not nested more than this."""


def report_from_json(text: str | bytes, report_type: type[ReportT]) -> ReportT:
    """The report of a JSON text.

    Errors:
        K205 it is not a whole report of this schema, or contradicts itself; K206 a newer schema
        wrote it; K211 it asks for metrics of scores that it does not hold; K301, K302 it asks for
        one that this karat does not have.
    """
    if not isinstance(text, str | bytes | bytearray):
        raise refused(f"It is a {type(text).__name__}, not text", _READ_IT)
    whole = parsed(_not_a_name(text))
    _check_schema(whole)
    cells, requested = _cells(whole, len(text)), _requested(whole["settings"]["metrics"])
    # Another version may have had other metrics, and another rule.
    is_own = whole["karat"].text == __version__
    part = whole.get("scores")
    measured = measured_parts(part, is_own=is_own)
    scores = scores_from(part, measured, cells.k)
    asked, is_clustered = confidence_from(whole["settings"].get("confidence"))
    # Neither scores nor clusters are in the text.
    columns = (*PER_CLASS, *PER_CLASS_OF_SCORES) if is_clustered else PER_CLASS_OF_SCORES
    report = report_type(
        cells,
        _policy(whole["settings"]["undefined"]),
        requested,
        _mapping(whole["mapping"], is_weighted=cells.is_weighted),
        _source(whole["source"]),
        whole["warnings"].texts,
        *scores,
        curves_from(None if part is None or part.is_null else part["curves"], cells),
        asked,
        intervals=intervals_from(
            whole["metrics"], asked, needs=lambda metric: is_clustered or metric.needs_scores
        ),
        class_intervals=class_intervals_from(whole["per_class"], columns) if asked else {},
        is_clustered=is_clustered,
        kept_cautions=whole["cautions"].texts if is_clustered else (),
        bounds=bounds_from(measured, scores[0]),
        class_bounds=class_bounds_from(measured, scores[0]),
    )
    _check_classes(whole["per_class"], report)
    listed = [name for name, _ in whole["metrics"].fields()]
    # A metric that these classes do not have is an error here, not when the report is printed.
    if requested is not None and sorted(report.metrics) != sorted(listed):
        raise refused("metrics lists others than settings.metrics asks for")
    if report.scores is None and any(map(reads_scores, listed)):
        raise refused("metrics lists some of scores, and scores is null")
    slices = slices_from(whole.get("slices"), report, is_own=is_own)
    if slices is not None:
        report = replace(report, kept_slices=slices)
    check_intervals(whole["metrics"], report)
    if is_own:
        check_agreement(whole, report)
    sentences = left_out(whole, report, is_own=is_own)
    return replace(report, warnings=(*report.warnings, *sentences)) if sentences else report


_READ_IT = "Give the text of the file: Report.from_json(Path('report.json').read_text())."


def _not_a_name(text: str | bytes) -> str | bytes:
    """The text, unless it is the name of a file: a slip worth naming."""
    if isinstance(text, str) and len(text) < 4096 and text.endswith(".json") and "{" not in text:
        raise refused(f"{text!r} looks like the name of a file, not like its text", _READ_IT)
    return text


def _check_schema(whole: Part) -> None:
    schema = whole.value.get("schema") if isinstance(whole.value, dict) else None
    name, _, version = str(schema).rpartition("/")
    is_number = version.isascii() and version.isdecimal() and len(version) < 10
    if name != "karat.report" or not is_number or int(version) < 1:
        raise refused(f"Its schema is {schema!r}, not {SCHEMA!r}")
    if int(version) > 1:
        raise error("K206", thing="report in JSON", version=int(version), newest=1)
    if not _VERSION.fullmatch(whole["karat"].text):
        raise whole["karat"].is_not("a version of karat")


def _policy(part: Part) -> Policy:
    from karat.metrics._lift import Policy

    choices: tuple[Policy, ...] = get_args(Policy)
    for choice in choices:
        if part.value == choice:
            return choice
    raise part.is_not(f"one of {', '.join(choices)}")


def _requested(part: Part) -> tuple[Metric, ...] | None:
    from karat.metrics import get

    return None if part.is_null else tuple(get(name) for name in part.texts)


def _mapping(part: Part, *, is_weighted: bool) -> dict[str, Any]:
    mapping = {role: _columns(name) for role, name in part.fields()}
    if mapping.get("weights") and not is_weighted:
        raise refused("mapping.weights names a column, and the tally is not weighted")
    return mapping


def _columns(part: Part) -> str | list[str] | None:
    """A column, the columns of scores, or none."""
    if isinstance(part.value, list):
        return list(part.texts)
    return None if part.is_null else part.text


def _source(part: Part) -> dict[str, Any]:
    for name, fact in part.fields():
        if name == "files":
            _ = fact.texts
        elif name == "format":
            for item in fact.items():
                if item.text not in _FORMATS:
                    raise item.is_not(f"one of {', '.join(_FORMATS)}")
        elif name in ("n_bytes", "n_dropped"):
            _ = fact.count
        elif name in ("query", "where"):
            _ = fact.text
        else:
            _check_depth(fact, _DEEPEST)
    found: dict[str, Any] = part.value
    return found


def _check_depth(part: Part, left: int) -> None:
    if not isinstance(part.value, dict | list):
        return
    if not left:
        raise refused(f"{part.path} is nested too deeply to be a fact about the source")
    parts = part.items() if isinstance(part.value, list) else (item for _, item in part.fields())
    for item in parts:
        _check_depth(item, left - 1)


def _cells(whole: Part, n_text: int) -> Cells:
    classes = _classes(whole["classes"])
    cells = _stored(whole, classes, n_text)
    problem = inconsistency(cells) or (None if classes.k else "It has no classes")
    if problem:
        raise refused(problem)
    confusion = whole["confusion"]
    if "cells" in whole["tally"].value and not confusion.is_null:
        matrix = confusion.amounts()
        if matrix.shape != (cells.k, cells.k) or (matrix != cells.matrix()).any():
            raise refused("confusion and tally.cells differ")
    if cells.storage == "marginals" and not confusion.is_null:
        raise confusion.is_not("null, as the tally kept only totals")
    return cells


def _classes(part: Part) -> Classes:
    labels = tuple(item.label for item in part["labels"].items())
    names, positive = part["names"], part["positive"]
    place = None
    if not positive.is_null:
        same = [
            i
            for i, label in enumerate(labels)
            if type(label) is type(positive.value) and label == positive.value
        ]
        if not same:
            raise positive.is_not("one of classes.labels")
        place = same[0]
    return Classes(
        labels,
        place,
        None if names.is_null else names.texts,
        part["is_declared"].flag,
    )


def _stored(whole: Part, classes: Classes, n_text: int) -> Cells:
    tally, n_rows = whole["tally"], whole["n_rows"].count
    is_weighted = tally["is_weighted"].flag
    totals, cells, storage = tally.get("totals"), tally.get("cells"), tally.get("storage")
    if totals is not None and cells is not None:
        raise refused("tally has both cells and totals")
    found = "marginals" if totals is not None else "sparse" if cells is not None else "dense"
    # A dense tally of many classes is written as its cells.
    is_dense_in_cells = found == "sparse" and storage is not None and storage.value == "dense"
    if storage is not None and storage.value != found and not is_dense_in_cells:
        raise storage.is_not(f"{found}, as the tally is")
    if totals is not None:
        return _marginals(tally, classes, n_rows, is_weighted=is_weighted)
    if cells is not None:
        sparse = _sparse(cells, classes, n_rows, is_weighted=is_weighted)
        # A text of few cells says nothing that deserves so much memory; the numbers are the same.
        is_sane = 8 * classes.k**2 <= _DENSE_RATIO * n_text
        return _densified(sparse) if is_dense_in_cells and is_sane else sparse
    squares, matrix = tally["squares"], whole["confusion"]
    return Cells.dense(
        matrix.amounts() if is_weighted else matrix.counts(),
        classes=classes,
        squares=None if squares.is_null else squares.amounts(),
        n_rows=n_rows,
    )


def _marginals(tally: Part, classes: Classes, n_rows: int, *, is_weighted: bool) -> Cells:
    totals, squares, occupancy = tally["totals"], tally["squares"], tally["occupancy"]
    parts = [totals[key] for key in ("tp", "fp", "fn")]
    numbers = [part.amounts() if is_weighted else part.counts() for part in parts]
    if any(part.shape != (classes.k,) for part in numbers):
        raise refused(f"tally.totals are not one number for each of {classes.k} classes")
    return Cells(
        classes,
        "marginals",
        np.stack(numbers),
        np.asarray(n_rows),
        None if squares.is_null else squares.amounts(),
        occupancy=None if occupancy.is_null else occupancy.counts(),
    )


def _sparse(part: Part, classes: Classes, n_rows: int, *, is_weighted: bool) -> Cells:
    listed = [list(cell.items()) for cell in part.items()]
    widths = {len(cell) for cell in listed} or {3}
    if not (widths == {3} or (widths == {4} and is_weighted)):
        raise refused("tally.cells are not all [true, predicted, total], or with squares")
    columns = [Part([cell[i].value for cell in listed], part.path) for i in range(max(widths))]
    return Cells.sparse(
        columns[0].counts(),
        columns[1].counts(),
        columns[2].amounts() if is_weighted else columns[2].counts(),
        classes=classes,
        squares=columns[3].amounts() if len(columns) == 4 else None,
        n_rows=n_rows,
    )


def _densified(cells: Cells) -> Cells:
    problem = inconsistency(cells)
    if problem:
        raise refused(problem)
    squares = cells.squares
    return Cells.dense(
        cells.matrix(),
        classes=cells.classes,
        squares=None if squares is None else cells.densified(squares),
        n_rows=cells.n_rows,
    )


def _check_classes(part: Part, report: Report) -> None:
    """The table of classes counts what the tally counts: a number changed by hand is found."""
    classes, fields = report.classes, report.cells.fields
    rows = list(part.items())
    if len(rows) != classes.k:
        raise refused(f"per_class has {len(rows)} rows for {classes.k} classes")
    for row, label, name in zip(rows, classes.labels, classes.display, strict=True):
        for key, expected in (("label", label), ("name", name)):
            if row[key].value != expected or type(row[key].value) is not type(expected):
                raise row[key].is_not(f"{expected!r} as in classes")
    totals = {"support": fields.tp + fields.fn, "predicted_count": fields.tp + fields.fp}
    for key, expected_totals in totals.items():
        for row, expected in zip(rows, expected_totals.tolist(), strict=True):
            value = row[key].value
            if not _agrees(value, expected):
                raise row[key].is_not(f"{expected:g}, the sum of its cells")


def _agrees(value: Any, expected: float) -> bool:
    if value is None or isinstance(value, bool | str | list | dict):
        return value is None and not np.isfinite(expected)
    return bool(abs(value - expected) <= _CLOSE * expected)
