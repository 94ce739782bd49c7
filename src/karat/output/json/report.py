"""A report in JSON but for its scores and slices: each part is declared once.

The classes and the tally are those of all rows: its matrix, its totals or its listed cells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat._version import __version__
from karat.errors.doubts import Doubt
from karat.inference.confidence import Interval
from karat.metrics import Metric
from karat.metrics._metric import Values
from karat.metrics._registry import find
from karat.output.json import codec as js
from karat.output.json.codec import Kind, Part, Scope, check_estimate, require
from karat.output.json.rows import ROWS
from karat.output.json.scores import SCORES
from karat.output.json.settings import SETTINGS
from karat.output.json.words import NEWEST
from karat.output.sections import thresholds_of
from karat.results.values import PER_CLASS, PER_CLASS_OF_SCORES
from karat.tally import Cells, Classes, inconsistency
from karat.tally.decision import AS_GIVEN

SCHEMA: Final = f"karat.report/{NEWEST}"
_VERSION: Final = re.compile(
    r"[0-9]{1,6}(\.[0-9]{1,6}){1,3}((a|b|rc)[0-9]{1,6})?(\.post[0-9]{1,6})?(\.dev[0-9]{1,6})?"
    r"(\+[a-z0-9.]{1,40})?"
)
"""As packages spell it (PEP 440). One way to match a text: no letter belongs to two parts."""
_DEEPEST: Final = 8
"""Facts about the source are not nested deeper than this."""
_DENSE_K_MAX: Final = 1024
"""Larger matrices are written as their occupied cells."""
_DENSE_RATIO: Final = 100
"""A dense matrix that is read from listed cells may take so many times the bytes of its text."""


def _place_of_label(part: Part, s: Scope) -> int | None:
    if part.value is None:
        return None
    for i, label in enumerate(s.labels):
        if type(label) is type(part.value) and label == part.value:
            return i
    raise part.is_not("one of classes.labels")


DOUBT: Final = js.record(
    lambda s: Doubt(s.code, s.noticed, s.evidence, s.option, s.settled_by),
    code=js.TEXT,
    noticed=js.TEXT,
    evidence=js.TEXT,
    option=js.TEXT,
    settled_by=js.named(js.TEXT).of(lambda one: one.settled_by or js.OMITTED).or_absent(None),
)
CLASSES: Final = js.record(
    lambda s: Classes(tuple(s.labels), s.positive, s.names, s.is_declared, s.is_ordered, s.order),
    labels=js.each(js.LABEL).of(lambda classes: list(classes.labels)),
    names=js.or_null(js.TEXTS),
    positive=Kind(_place_of_label).of(
        lambda classes: None if classes.positive is None else classes.labels[classes.positive]
    ),
    is_declared=js.FLAG,
    is_ordered=js.FLAG.of(
        lambda classes: js.OMITTED if classes.is_ordered is None else classes.is_ordered
    ).or_absent(None),
    order=js.each(js.LABEL)
    .into(tuple)
    .of(lambda classes: js.OMITTED if classes.order is None else list(classes.order))
    .or_absent(None),
)


def cell_columns(part: Part, widths: tuple[int, ...], *, is_weighted: bool) -> list[Any]:
    """Read cells [true, predicted, total] or [true, predicted, total, square], by column.

    Args:
        part: a list of them.
        widths: how many numbers a cell may have, ascending; all have the same.
        is_weighted: whether totals are sums of weights.

    Errors:
        K205 they are no such cells.
    """
    for cell in part.items():
        cell.must(isinstance(cell.value, list), "a list")
    sizes = set(map(len, part.value)) or {widths[0]}
    told = f"{part.path} are not all [true, predicted, total], or with squares"
    require(len(sizes) == 1 and sizes <= set(widths), told)
    parts = [Part([cell[i] for cell in part.value], part.path) for i in range(sizes.pop())]
    columns = [
        one.counts() if i < 3 - is_weighted else one.amounts() for i, one in enumerate(parts)
    ]
    part.must(all(column.ndim == 1 for column in columns), "cells of numbers only")
    return columns


def listed_cells(*columns: npt.NDArray[Any] | None, keeps_empty: bool = False) -> list[list[float]]:
    """Write cells by their columns, true, predicted and total; one that is None is left out."""
    held = [column for column in columns if column is not None]
    place = slice(None) if keeps_empty else np.flatnonzero(held[2])
    return [list(cell) for cell in zip(*(one[place].tolist() for one in held), strict=True)]


def _finite_squares(cells: Cells) -> npt.NDArray[Any] | None:
    """Squares of weights, unless no double holds one."""
    squares = cells.squares
    return squares if squares is not None and np.isfinite(squares).all() else None


def _of_totals(s: Scope) -> Cells:
    told = f"tally.totals are not one number for each of {s.classes.k} classes"
    require(all(array.shape == (s.classes.k,) for array in s.totals), told)
    s.confusion.must(s.confusion.value is None, "null, as the tally kept only totals")
    n_rows, totals = np.asarray(s.n_rows), np.stack(s.totals)
    return Cells(s.classes, "marginals", totals, n_rows, s.squares, occupancy=s.occupancy)


def _of_cells(s: Scope) -> Cells:
    rows, cols, total, *rest = s.cells
    squares = rest[0] if rest else None
    found = Cells.sparse(rows, cols, total, classes=s.classes, squares=squares, n_rows=s.n_rows)
    # A text of few cells does not justify so much memory; the numbers are the same.
    if s.storage == "dense" and 8 * s.classes.k**2 <= _DENSE_RATIO * s.n_text:
        _check(found)
        square = None if found.squares is None else found.densified(found.squares)
        found = Cells.dense(found.matrix(), classes=s.classes, squares=square, n_rows=found.n_rows)
    if s.confusion.value is not None:
        matrix = s.confusion.amounts()
        _check(found)
        require(np.array_equal(matrix, found.matrix()), "confusion and tally.cells differ")
    return found


def _written_cells(cells: Cells, _: Scope) -> list[list[float]]:
    squares = _finite_squares(cells)
    last = None if squares is None else cells.flat(squares)
    # A sparse tally lists every cell it has: the order of additions stays.
    is_sparse = cells.storage == "sparse"
    return listed_cells(*cells.coordinates(), cells.flat(), last, keeps_empty=is_sparse)


_NUMBERS: Final = Kind(
    lambda part, s: part.amounts() if s.is_weighted else part.counts(), js.listed
)
_SQUARES: Final = js.or_null(js.AMOUNTS).of(_finite_squares)
_FORMS: Final = {
    "marginals": js.record(
        _of_totals,
        totals=js.record(
            lambda s: (s.tp, s.fp, s.fn),
            tp=_NUMBERS.of(lambda cells: cells.counts[0]),
            fp=_NUMBERS.of(lambda cells: cells.counts[1]),
            fn=_NUMBERS.of(lambda cells: cells.counts[2]),
        ).of(js.itself),
        squares=_SQUARES,
        occupancy=js.or_null(js.COUNTS),
    ),
    "sparse": js.record(
        _of_cells,
        cells=Kind(
            lambda part, s: cell_columns(
                part, (3, 4) if s.is_weighted else (3,), is_weighted=s.is_weighted
            ),
            _written_cells,
        ).of(js.itself),
    ),
    "dense": js.record(
        lambda s: Cells.dense(
            _NUMBERS.read(s.confusion, s), classes=s.classes, squares=s.squares, n_rows=s.n_rows
        ),
        squares=_SQUARES,
    ),
}
"""A tally by what is written of it; the matrix of a dense one stands beside it."""


def _check(cells: Cells) -> None:
    problem = inconsistency(cells) or ("" if cells.classes.k else "It has no classes")
    require(not problem, problem)


def _read_tally(part: Part, s: Scope) -> Cells:
    is_weighted, parts = js.FLAG.read(part["is_weighted"], s), part.fields()
    require(not {"totals", "cells"} <= parts.keys(), "tally has both cells and totals")
    form = "marginals" if "totals" in parts else "sparse" if "cells" in parts else "dense"
    storage = part.value.get("storage", form)
    # A dense tally of many classes is written as its cells.
    if storage != form and (form, storage) != ("sparse", "dense"):
        raise parts["storage"].is_not(f"{form}, as the tally is")
    inner = SimpleNamespace(**vars(s), is_weighted=is_weighted, storage=storage)
    found: Cells = _FORMS[form].read(part, inner)
    _check(found)
    if parts.get("has_predictions") is None or js.FLAG.read(parts["has_predictions"], s):
        return found
    s.confusion.must(s.confusion.value is None, "null, as no class is predicted")
    return found.without_predictions()


def _write_tally(cells: Cells, s: Scope) -> dict[str, Any]:
    is_listed = cells.storage == "dense" and cells.k > _DENSE_K_MAX
    facts = {"is_weighted": cells.is_weighted, "storage": cells.storage}
    facts |= {} if cells.has_predictions else {"has_predictions": False}
    form = _FORMS["sparse" if is_listed else cells.storage]
    return facts | form.write(cells, s)  # type: ignore[no-any-return]


CONFUSION: Final = Kind(
    js.itself,
    lambda cells, _: (
        cells.matrix().tolist() if cells.has_matrix and cells.k <= _DENSE_K_MAX else None
    ),
)
"""The matrix, rows true; None where there are only totals or many classes.

Read as the part: what its numbers are depends on the tally.
"""
TALLY: Final = Kind(_read_tally, _write_tally)
"""Read after the number of rows, the classes and the matrix."""


def _read_fact(part: Part, _: Scope = None, left: int = _DEEPEST) -> Any:
    if isinstance(part.value, dict | list):
        require(left, f"{part.path} is nested too deeply to be a fact about the source")
        is_list = isinstance(part.value, list)
        for item in part.items() if is_list else part.fields().values():
            _read_fact(item, left=left - 1)
    return part.value


_SOURCE: Final = js.named(
    Kind(_read_fact),
    files=js.each(js.TEXT),
    format=js.each(js.choice("parquet", "csv", "json")),
    n_bytes=js.COUNT,
    n_dropped=js.COUNT,
    query=js.TEXT,
    where=js.TEXT,
)
_COLUMN: Final = js.or_null(js.TEXT)
_COLUMNS: Final = Kind(
    lambda part, s: (js.each(js.TEXT) if isinstance(part.value, list) else _COLUMN).read(part, s)
)
"""A column, the columns of scores, or none."""
SOURCE: Final = Kind(lambda part, s: (_SOURCE.read(part, s), part.value)[1], js.plain)
"""Facts about the origin of the rows."""
MAPPING: Final = Kind(js.named(_COLUMNS).read, js.plain)
"""The columns by role."""
VERSION: Final = js.scalar(
    lambda x: isinstance(x, str) and _VERSION.fullmatch(x), "a version of karat"
)


_END: Final = js.or_null(js.NUMBER)
_LIMITS: Final = js.each(js.NUMBER, lambda _: 2)
_INTERVAL: Final = js.record(
    js.itself,
    method=js.or_null(js.TEXT),
    remark=js.or_null(js.TEXT).or_absent(None),
    standard_error=_END.or_absent(None),
    low=_END,
    high=_END,
)


def _read_intervals(part: Part, s: Scope) -> Mapping[Metric, Interval]:
    """Intervals that do not follow from the tally: of scores, and of rows in clusters."""
    found: dict[Metric, Interval] = {}
    for name, item in part.fields().items() if s.confidence else ():
        metric = find(name)
        if metric is None or not (s.is_clustered or metric.needs_scores) or not item.get("method"):
            continue
        one = _INTERVAL.read(item, s)
        # An infinite end of the range is null.
        ends = zip((one.low, one.high), metric.range, strict=True)
        low, high = (end if x is None else x for x, end in ends) if one.method else (None, None)
        found[metric] = Interval(low, high, one.method, one.standard_error, one.remark)
    return found


def _read_limits(part: Part, s: Scope) -> dict[str, Any]:
    """Limits of the columns of the table of classes that do not follow from the tally.

    float64[k] each, NaN where a class has none.
    """
    rows = part.items()
    require(len(rows) == s.classes.k, f"per_class has {len(rows)} rows for {s.classes.k} classes")
    if s.confidence is None:
        return {}
    # Neither scores nor clusters are in the text.
    return limits_of_rows(rows, (*(PER_CLASS if s.is_clustered else ()), *PER_CLASS_OF_SCORES), s)


def limits_of_rows(rows: Sequence[Part], names: Iterable[str], s: Scope) -> dict[str, Any]:
    """Limits of these columns of a table of classes or labels, where it has some."""
    found: dict[str, Any] = {}
    for name in names:
        pairs = [of.get(name) if (of := row.get("intervals")) else None for row in rows]
        if any(pairs):
            none = (math.nan, math.nan)
            limits = [none if x is None else _LIMITS.read(x, s) for x in pairs]
            for row, ends in zip(rows, limits, strict=True):
                # A later version may have measured no value here.
                stated = row.get(name)
                value = None if stated is None else js.or_null(js.NUMBER).read(row[name], s)
                check_estimate(row, (value, *ends), (-math.inf, math.inf))
            low, high = np.array(limits).T
            found[name] = (low, high)
    return found


def _sampling_of(s: Scope) -> dict[str, Any]:
    """How rows were sampled, and the proportions of the classes that they are weighted to."""
    drawn = s.settings["drawn"]
    if drawn["prevalence"] is None:
        return {"design": drawn["design"]}
    pairs = zip(s.classes.labels, drawn["prevalence"], strict=True)
    population = {label: x for label, x in pairs if x is not None}
    return {"design": drawn["design"], "population": population}


def _report(s: Scope) -> Any:
    is_fit = s.cells.is_weighted or not s.mapping.get("weights")
    require(is_fit, "mapping.weights names a column, and the tally is not weighted")
    items = [] if s.scores is None else s.scores.measured
    measured = {replace(item.metric, lift=item.lift): item for item in items}
    return s.report_type(
        s.cells,
        s.settings["undefined"],
        s.settings["metrics"],
        s.mapping,
        s.source,
        tuple({str(one): one for one in s.doubts}.get(text, text) for text in s.warnings),
        {metric: Values(item.value, item.undefined) for metric, item in measured.items()},
        s.scores and s.scores.kind,
        s.scores and s.scores.threshold,
        s.scores and s.scores.curves,
        s.confidence,
        decision=s.scores.decision if s.scores else AS_GIVEN.text,
        intervals=s.metrics,
        class_intervals=s.per_class,
        is_clustered=s.is_clustered,
        kept_cautions=js.TEXTS.read(s.cautions, s) if s.is_clustered else (),
        kept_rows=s.rows,
        **_sampling_of(s),
        bounds={x: item.bound for x, item in measured.items() if item.bound is not js.OMITTED},
        class_bounds={
            x: tuple(item.bounds) for x, item in measured.items() if item.bounds is not js.OMITTED
        },
    )


_DERIVED: Final = {
    "metrics": Kind(_read_intervals, lambda found, _: {x: y.to_dict() for x, y in found.items()}),
    "per_class": Kind(_read_limits, js.plain),
    "thresholds": Kind(lambda *_: None, js.plain).of(thresholds_of).or_absent(None),
}
DERIVED: Final = js.record(None, **_DERIVED)
"""What follows from the rest of a report, but for intervals of rows that are gone."""
REPORT: Final = js.record(
    _report,
    schema=Kind(js.itself).of(lambda _: SCHEMA),
    karat=VERSION.of(lambda _: __version__),
    # Another version may have had other metrics, and another rule.
    is_own=js.given(lambda s: s.karat == __version__),
    source=SOURCE,
    mapping=MAPPING,
    n_rows=js.COUNT,
    classes=CLASSES,
    settings=SETTINGS.of(js.itself),
    confidence=js.given(lambda s: s.settings["interval"]),
    is_clustered=js.given(lambda s: s.settings["clustered"]),
    confusion=CONFUSION.of("cells"),
    tally=TALLY.of("cells"),
    cells=js.given(lambda s: s.tally),
    scores=js.or_null(SCORES)
    .of(lambda report: None if report.scores is None else report)
    .or_absent(None),
    **_DERIVED,
    doubts=js.each(DOUBT).of(lambda report: report.doubts).or_absent(()),
    warnings=js.TEXTS,
    rows=ROWS.of(
        lambda report: js.OMITTED if report.kept_rows is None else report.kept_rows
    ).or_absent(None),
    # Read as the part: only of rows in clusters they do not follow from the tally.
    cautions=Kind(js.itself, js.plain).or_absent(Part(None, "cautions")),
)
"""All of a report but its slices."""
