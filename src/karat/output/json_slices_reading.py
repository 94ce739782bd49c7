"""The slices of a report from its JSON: tables, and what does not follow from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.metrics import Metric, get
from karat.metrics._registry import find
from karat.output.json_parts import Part, refused
from karat.tally import Axis, Cells, inconsistency
from karat.tally.sliced import SlicedCells

if TYPE_CHECKING:
    from karat.results.report import Report
    from karat.results.result import Result
    from karat.results.slices import Slices
    from karat.results.slices.table import Told

__all__ = ["slices_from"]

_MOST_CELLS: Final = 1 << 28
"""Cells of all slices: 2 GiB."""


def slices_from(part: Part | None, whole: Report, *, is_own: bool) -> Slices | None:
    """The slices of a text.

    Args:
        part: what `slices_to_json` wrote.
        whole: the report that they are of.
        is_own: whether this version of karat wrote it.

    Returns:
        None where it has none, or another karat wrote them without results that this one has to
        write and cannot compute without rows.

    Errors:
        K205 they are not what `slices_to_json` writes, or do not add up to the table of all rows.
    """
    from karat.output.describe import headline_names
    from karat.results.slices import Slices, SliceTable

    if part is None:
        return None
    tables, is_clustered = {}, whole.is_clustered
    metrics = [get(name) for name in headline_names(whole)]
    for item in part.items():
        counted = _counted(item, whole.cells)
        kept = tuple(
            _results(one, whole, is_clustered=is_clustered, is_own=is_own)
            for one in item["slices"].items()
        )
        if counted.columns in tables:
            raise item["columns"].is_not("columns of its own")
        told = _tests(item["tests"], counted, is_clustered=is_clustered)
        missing = _missing(item, kept, told, metrics, is_clustered=is_clustered)
        if missing is not None and is_own:
            raise refused(f"{missing} is missing")
        if missing is not None:
            return None
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
        seen = set()
        for cell in one["cells"].items():
            numbers = list(cell.items())
            if len(numbers) != (3 if squares is None else 4):
                raise cell.is_not("[true, predicted, total], with squares of weights")
            place = places.get((numbers[0].count, numbers[1].count))
            if place is None or place in seen:
                raise cell.is_not("a cell of the table of all rows, each once")
            seen.add(place)
            last = Part([number.value for number in numbers[2:]], cell.path)
            found = last.counts() if squares is None else last.amounts()
            if found.ndim != 1:
                raise cell.is_not("numbers only")
            if not (found >= 0).all():
                wrong = numbers[2 + int((found < 0).argmax())]
                raise wrong.is_not(f"a {'whole ' if squares is None else ''}number of at least 0")
            counts[i, place] = found[0]
            if squares is not None:
                squares[i, place] = found[1]
    each = [one["n_rows"].count for one in parts]
    total = counts.sum(axis=0)
    if sum(each) != cells.n_rows or not np.allclose(total, cells.flat(), rtol=1e-9, atol=0):
        raise refused(f"{item.path} does not add up to the table of all rows")
    n_rows = np.array(each)
    if squares is None and (counts.sum(axis=1) != n_rows).any():
        raise refused(f"{item.path} has slices whose cells do not add up to their rows")
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


def _results(
    one: Part, whole: Report, *, is_clustered: bool, is_own: bool
) -> Mapping[Metric, Result]:
    """What does not follow from the table of a slice: of scores, and with clusters all."""
    infinite = one.get("infinite")
    special = {} if infinite is None else dict(infinite.fields())
    found, n = {}, one["n_rows"].count
    for metric, item in _kept(one["metrics"], is_clustered=is_clustered):
        if metric not in whole:
            if is_own:
                raise item.is_not("of a metric that metrics lists")
            continue
        result = _result(item, whole[metric], special.get(str(metric)))
        if result.n != n:
            raise item["n"].is_not(f"{n}, the rows of the slice")
        found[metric] = result
    return found


def _kept(part: Part, *, is_clustered: bool) -> Iterator[tuple[Metric, Part]]:
    """The metrics that the tables do not give: of scores, and with clusters all."""
    for name, item in part.fields():
        metric = find(name)
        if metric is not None and _is_of_rows(metric, is_clustered=is_clustered):
            yield metric, item


def _is_of_rows(metric: Metric, *, is_clustered: bool) -> bool:
    """Whether tables do not give it with its interval."""
    return metric.needs_scores or is_clustered


def _missing(
    item: Part,
    kept: Sequence[Mapping[Metric, Result]],
    told: Mapping[Metric, Told],
    metrics: Sequence[Metric],
    *,
    is_clustered: bool,
) -> str | None:
    """The place of a result of slices that does not follow from their tables and is not there."""
    needed = [metric for metric in metrics if _is_of_rows(metric, is_clustered=is_clustered)]
    for i, results in enumerate(kept):
        for metric in needed:
            if metric not in results:
                return f"{item.path}.slices[{i}].metrics.{metric}"
    # Of the first one there are tests as well.
    is_untold = metrics[0] in needed and metrics[0] not in told
    return f"{item.path}.tests.{metrics[0]}" if is_untold else None


def _result(item: Part, like: Result, special: Part | None) -> Result:
    reason, method, remark = (
        None if item[key].is_null else item[key].text for key in ("undefined", "method", "remark")
    )
    low, high, level, error = (
        None if item[key].is_null else item[key].number_or_nan
        for key in ("low", "high", "level", "standard_error")
    )
    value = item["value"].number_or_nan
    if math.isnan(value) and special is not None:
        if special.value not in ("inf", "-inf"):
            raise special.is_not("'inf' or '-inf'")
        value = float(special.text)
    if not math.isfinite(value) and reason is None:
        raise item["undefined"].is_not("the reason why there is no value")
    if level is not None and not 0.0 < level < 1.0:
        raise item["level"].is_not("a number between 0 and 1")
    if low is not None and high is not None and not low <= value <= high:
        raise item.is_not("an interval that holds the value")
    return replace(
        like, value=value, n=item["n"].count, undefined=reason, low=low, high=high, level=level,
        method=method, standard_error=error, remark=remark,
    )  # fmt: skip


def _tests(part: Part, counted: SlicedCells, *, is_clustered: bool) -> Mapping[Metric, Told]:
    """Tests that the tables do not say: of scores, and of rows in clusters."""
    from karat.results.slices import Gap, Heterogeneity, SliceDifference
    from karat.results.slices.table import Told

    found = {}
    for metric, item in _kept(part, is_clustered=is_clustered):
        test = _record(Heterogeneity, item["heterogeneity"])
        gap = _record(Gap, item["gap"])
        each = [_record(SliceDifference, one) for one in item["differences"].items()]
        names = [", ".join(key) for key in counted.keys]
        told = list(zip([one.name for one in each], [one.n_rows for one in each], strict=True))
        if told != list(zip(names, counted.cells.n_rows.tolist(), strict=True)):
            raise item["differences"].is_not("one difference a slice, with its name and rows")
        if {one.metric for one in (test, gap, *each)} != {str(metric)}:
            raise item.is_not(f"tests of {metric} alone")
        found[metric] = Told(dict(zip(counted.keys, each, strict=True)), test, gap)
    return found


def _record(kind: Any, part: Part) -> Any:
    """A record from its fields, each of the kind that it is declared to be."""
    given = {item.name: _field(part[item.name], str(item.type)) for item in fields(kind)}
    for name in ("p", "p_adjusted"):
        if given.get(name) is not None and not 0.0 <= given[name] <= 1.0:
            raise part[name].is_not("a number from 0 to 1")
    return kind(**given)


def _field(part: Part, kind: str) -> Any:
    if part.is_null and kind.endswith("| None"):
        return None
    plain = kind.removesuffix(" | None")
    if plain == "float":
        return part.number_or_nan
    if plain == "int":
        return part.count
    if plain == "str":
        return part.text
    if plain == "dict[str, str]":
        return {name: item.text for name, item in part.fields()}
    return part.value
