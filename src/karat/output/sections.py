"""The sections of a document: the confusion matrix, thresholds, slices, and bounds of values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError
from karat.errors.options import is_command_line, option
from karat.errors.text import (
    amount,
    amounts,
    at_most,
    cells,
    count,
    counted,
    interval,
    padded,
    points,
    share,
    threshold,
    value,
    wrapped,
)
from karat.metrics import get
from karat.metrics.headlines import OF_RANKED_SETS, OF_SET_SLICES, is_in_points, metric_of_slices
from karat.output.document import Cell, Line, Matrix, Notes, Span, Table, TableColumn
from karat.output.naming import Naming
from karat.results.headlines import prevalence_of
from karat.results.values import OF_MIX, ReportValues, of_mix_as_typed, without_mix

if TYPE_CHECKING:
    from karat.inference.comparison.records import Difference, ModelValue
    from karat.results.report import ClassReport
    from karat.results.result import Confusion, Result
    from karat.results.sets import SetReport
    from karat.results.slices import SliceDifference, SliceTable

INDENT = 2
N_NAMED: Final = 8
"""Names in a note that is not about one of them."""
HEADING_MAX = 12
"""Class names no longer than this head their columns; longer ones are numbered."""
ZERO = "·"


def value_of(result: Result) -> str:
    """The value of a metric; counts have every digit."""
    is_count = get(result.name).record.family == "counts"
    return amount(result.value) if is_count else value(result.value)


def marked_value(result: Result) -> str:
    """Return the value, with ``*`` where it is undefined and ``~`` where it is not exact."""
    return f"{value_of(result)}{'*' if result.undefined else ''}{'' if result.exact else '~'}"


def marked_rate(row: Mapping[str, Any], key: str) -> str:
    """Return an entry of the table of classes, marked as `marked_value` marks values."""
    is_open = key in row.get("bounds", ())
    return f"{value(row.get(key))}{'*' if key in row['undefined'] else ''}{'~' if is_open else ''}"


def some_of(names: Sequence[str], limit: int = 4) -> str:
    """The first names, and how many more there are."""
    text = ", ".join(names[:limit])
    return text if len(names) <= limit else f"{text} and {len(names) - limit} more"


def missing_intervals(found: Iterable[tuple[str, Result | ModelValue]]) -> list[str]:
    """Return a line for each reason why values have no interval, with their names."""
    missing = ((name, one) for name, one in found if one.low is None or one.high is None)
    reasons = {name: without_mix(one.remark or "") for name, one in missing}
    return by_reason("no interval", {name: reason for name, reason in reasons.items() if reason})


def notes_on_mix(results: Mapping[str, Result], names: Iterable[str]) -> list[str]:
    """One note on the metrics that depend on the class proportions, and what to do; or none."""
    of_mix = [name for name in names if OF_MIX in (results[name].remark or "")]
    return [f"{some_of(of_mix, N_NAMED)}: {of_mix_as_typed()}"] if of_mix else []


def by_reason(what: str, reasons: Mapping[str, str]) -> list[str]:
    """Return a line for each reason, with the names that it holds for."""
    names: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        names.setdefault(reason, []).append(name)
    return [f"{what}: {some_of(each)}: {reason}" for reason, each in names.items()]


def results_table(title: str, found: Sequence[Result], *, is_asked: bool) -> Table:
    """Return results as a table: values, intervals where there are any, and why some have none."""
    limits = [interval(one.low, one.high) for one in found]
    return Table.by_column(
        title,
        (TableColumn("metric", "left"), [one.name for one in found]),
        (TableColumn("value", style="strong"), map(marked_value, found)),
        *([(TableColumn("interval", "left", style="dim"), limits)] if any(limits) else []),
        notes=tuple(missing_intervals((x.name, x) for x in found)) if is_asked else (),
    )


Texts: TypeAlias = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Plan:
    """Layout of a matrix.

    Attributes:
        heads: what stands before each row.
        headings: what stands above each column.
        head, column, gap: cells for a head, for a column, and between columns.
        is_named: whether the heads hold the names.
    """

    heads: Sequence[str]
    headings: Sequence[str]
    head: int
    column: int
    gap: int
    is_named: bool


def matrix_lines(matrix: Matrix, width: int, naming: Naming) -> Iterator[Line]:
    """The lines of a matrix on a page.

    Counts are exact. When they do not fit, each cell is a share of its row in percent. Rows that
    have no room for names are numbered, and a key has the names; when those do not fit either,
    a note states the width that is needed.
    """
    counts, shares = counts_and_shares(matrix)
    percents = [[_percent(cell) for cell in row] for row in shares.tolist()]
    names = [naming.short(name) for name in matrix.names]
    title = Span(matrix.title, "heading")
    forms = ((counts, ""), (percents, ", in % of the row"))
    k = len(names)
    for heads in (names, ()):
        for texts, unit in forms:
            plan = _plan(k, heads, texts, width)
            if plan is not None:
                told = f"rows true, columns predicted{unit}"
                yield [title, *([Span(f"  {told}", "dim")] if len(told) + 11 <= width else [])]
                yield from _drawn(texts, shares, plan)
                if not plan.is_named:
                    key = ", ".join(f"{i} {name}" for i, name in enumerate(names, start=1))
                    for line in wrapped(key, width, indent=INDENT, hang=INDENT):
                        yield [Span(line, "dim")]
                return
    needed = width
    while all(
        _plan(k, heads, texts, needed) is None for heads in (names, ()) for texts, _ in forms
    ):
        needed += 1
    yield [title]
    how = f"COLUMNS={needed}" if is_command_line() else f"text(width={needed})"
    for line in wrapped(f"needs a width of {needed}: {how}", width, indent=INDENT):
        yield [Span(line, "dim")]


def counts_and_shares(matrix: Matrix) -> tuple[list[list[str]], npt.NDArray[np.float64]]:
    """Exact counts as text, a dot for none, and the share of each cell of its row."""
    values, k = np.asarray(matrix.values), len(matrix.names)
    totals = values.sum(axis=1, keepdims=True)
    texts = amounts(values.reshape(-1).tolist())
    flat = [text if cell else ZERO for cell, text in zip(values.flat, texts, strict=True)]
    shares = np.asarray(values / np.where(totals > 0, totals, 1), np.float64)
    return [flat[start : start + k] for start in range(0, k * k, k)], shares


def _percent(ratio: float) -> str:
    if not ratio:
        return ZERO
    if ratio == 1:
        return "100"
    return "0.0" if ratio < 0.0005 else f"{min(100 * ratio, 99.9):.1f}"


def _plan(k: int, names: Sequence[str], texts: Texts, width: int) -> Plan | None:
    """The most readable layout that fits; None: no room.

    Args:
        k: number of classes.
        names: of the rows; none: they are numbered alone.
        texts: of the cells.
        width: of the page.
    """
    widest = max(len(text) for row in texts for text in row)
    longest = max(map(cells, names), default=0)
    # One blank between columns would read as one more group of digits.
    gaps = (2,) if any(" " in text for row in texts for text in row) else (2, 1)
    if names and longest <= HEADING_MAX:
        column = max(widest, longest)
        for gap in gaps:
            if INDENT + longest + k * (column + gap) <= width:
                return Plan(names, names, longest, column, gap, is_named=True)
    numbers = [str(i + 1) for i in range(k)]
    mark = len(numbers[-1])
    heads = [f"{number:>{mark}}" for number in numbers]
    if names:
        heads = [f"{head} {name}" for head, name in zip(heads, names, strict=True)]
    head, column = mark + (longest + 1 if names else 0), max(widest, mark)
    for gap in gaps:
        if INDENT + head + k * (column + gap) <= width:
            return Plan(heads, numbers, head, column, gap, is_named=bool(names))
    return None


def _drawn(texts: Texts, shares: npt.NDArray[Any], plan: Plan) -> Iterator[Line]:
    gap = " " * plan.gap
    heads = "".join(gap + padded(text, plan.column, "right") for text in plan.headings)
    yield [Span(" " * (INDENT + plan.head)), Span(heads, "dim")]
    for i, row in enumerate(texts):
        line = [Span(" " * INDENT + padded(plan.heads[i], plan.head))]
        for j, text in enumerate(row):
            # The first blank stays between two shades.
            shown = gap[1:] + padded(text, plan.column, "right")
            heat = float(shares[i, j]) * (1 if i == j else -1)
            line.append(Span(" "))
            line.append(Span(shown, "dim") if text == ZERO else Span(shown, "", heat))
        yield line


N_MATRIX = 40
"""Up to here the confusion matrix is drawn where the width allows."""
N_PAIRS = 10

_MATRIX_AT = "--format json (in Python report.confusion)"
"""Where the whole matrix is found, for the reader of either face."""


def confusion_section(confusion: Confusion) -> Matrix | None:
    """The confusion matrix, where there are cells and a person can read them."""
    cells = confusion.cells
    if not cells.has_matrix or cells.k > N_MATRIX:
        return None
    return Matrix("Confusion", confusion.names, confusion.matrix)


def pairs_section(report: ClassReport) -> Table | Notes | None:
    """The wrong cells with the most rows."""
    k = report.classes.k
    if not report.cells.has_matrix or k < 6:
        return None
    rows, cols, totals = report.confusion.occupied()
    is_wrong = np.asarray(rows) != np.asarray(cols)
    by_class = np.bincount(rows, weights=totals, minlength=k)
    true, pred, wrong = rows[is_wrong], cols[is_wrong], totals[is_wrong]
    if not wrong.size:
        return Notes("Most confused", ("No row is predicted wrongly.",))
    n_listed = N_PAIRS if k > 12 else N_PAIRS // 2
    # Ties by class order, so that the same report always reads the same.
    order = np.lexsort((pred, true, -wrong))[:n_listed]
    names = report.classes.display
    total, held = float(wrong.sum()), float(wrong[order].sum())
    unit = "weight" if report.cells.is_weighted else "rows"
    n_more = wrong.size - len(order)
    notes = [f"listed: {share(held, total)} of the {amount(total)} wrong {unit}"]
    if n_more:
        notes[0] += f"; not listed: {count(n_more)} other wrong cells"
    if k > N_MATRIX:
        notes.append(f"the {count(k)} × {count(k)} matrix is not drawn: {_MATRIX_AT}")
    return Table.by_column(
        "Most confused",
        (TableColumn("true", is_name=True), [str(names[true[i]]) for i in order]),
        (TableColumn("", "left", style="dim"), ["→"] * len(order)),
        (TableColumn("predicted", "left", is_name=True), [str(names[pred[i]]) for i in order]),
        (TableColumn(unit, style="bad"), amounts(wrong[order].tolist())),
        (
            TableColumn("of the class", rank=1),
            [share(float(wrong[i]), float(by_class[true[i]])) for i in order],
        ),
        notes=tuple(notes),
    )


_SHOWN = {"f1": "largest f1", "informedness": "largest informedness", "cost": "fewest errors"}
"""Goal of each threshold; at equal costs of both errors, the cost is the error rate."""


def thresholds_of(report: ClassReport) -> Any:
    """The best thresholds; None where none were measured, also by the karat that wrote a text."""
    try:
        return report.thresholds
    except KaratError:
        return None


def thresholds_section(report: ClassReport) -> Table | None:
    """The thresholds of two classes; None for more classes, or where none were computed."""
    is_fit = report.scores is not None and report.is_binary
    if not is_fit or (found := thresholds_of(report)) is None:
        return None
    rows = []
    for purpose, point in found.items():
        mark = "*" if point.get("undefined") else ""
        open_at, open_value = (
            "~" if name in point.get("bounds", ()) else "" for name in ("threshold", "value")
        )
        at = f"{threshold(point['threshold'])}{mark}{open_at}"
        mark = mark if point["value"] is None else ""
        rows.append(
            (Cell(_SHOWN[purpose]), Cell(at), Cell(f"{value(point['value'])}{mark}{open_value}"))
        )
    notes = dict.fromkeys(f"* {one['undefined']}" for one in found.values() if one.get("undefined"))
    columns = (TableColumn("goal", "left"), TableColumn("threshold"), TableColumn("value"))
    title = "Thresholds  chosen on these rows, so the values are optimistic"
    return Table(title, columns, tuple(rows), tuple(notes))


N_LISTED: Final = 24
"""Up to here every slice is listed; of more, those with the smallest p-values."""
_SHOWN_MARK: Final = "←"
_SLICES_AT: Final = "--format json (in Python report.slices)"


def slice_sections(report: ClassReport, metric: str) -> Iterator[Table]:
    """One table for each column of slices."""
    if report.kept_slices is None:
        return
    for table in report.slices.values():
        yield slice_section(table, metric)


def slice_section(table: SliceTable[Any], metric: str) -> Table:
    """The slices by one column in one metric, of rows of any kind."""
    note, mark = _told(table, metric), ""
    if table.sliced.is_marked:
        mark = _SHOWN_MARK
        if any(one.is_shown for one in table.difference(metric).values()):
            note += f" {mark} differs significantly from the rest, corrected for all slices."
    return _section_of(table, metric, note, mark)


def _section_of(table: SliceTable[Any], metric: str, note: str, mark: str) -> Table:
    """The slices by one column in one metric.

    Args:
        note: a sentence about all of them.
        mark: the mark of a significant difference, beside its color.
    """
    differences = list(table.difference(metric).values())
    asked, level = table.whole.confidence, f"{100 * table.level:g} %"
    places = list(range(len(table)))
    notes = [note]
    if table.whole.requested is not None and len(table.whole.metrics) > 1:
        first = f"Slices are compared in {metric}, the first of {option('metrics')}"
        notes.append(f"{first}. The others: {_SLICES_AT}.")
    if len(places) > N_LISTED:
        places.sort(key=lambda i: 1.0 if (p := differences[i].p) is None else p)
        notes.insert(0, f"{count(len(places) - N_LISTED)} slices not listed: {_SLICES_AT}")
        places = sorted(places[:N_LISTED])
    all_parts: list[Any] = list(table.values())
    several = [differences[i] for i in places]
    parts = [all_parts[i] for i in places]
    results = [part[metric] for part in parts]
    notes += by_reason("not compared", {x.name: x.undefined for x in several if x.undefined})
    known = {one.name for one in several if not one.undefined}
    left_out = table.gap(metric).left_out.items()
    notes += by_reason("not tested together", {x: why for x, why in left_out if x in known})
    limits = []
    if asked is not None:
        notes += missing_intervals(
            (x.name, one)
            for x, one in zip(several, results, strict=True)
            # What is not compared for the same reason has it above.
            if x.undefined is None or x.undefined not in (one.remark, one.undefined)
        )
        head = TableColumn(f"{asked.text} interval", "left", rank=2, style="dim")
        limits.append((head, [interval(one.low, one.high) for one in results]))
    return Table.by_column(
        f"Slices by {' × '.join(table.columns)}",
        (TableColumn("slice", "left", is_name=True, is_whole=True), [one.name for one in several]),
        (TableColumn("rows"), amounts([part.n_rows for part in parts])),
        (
            TableColumn(metric, style="strong"),
            [f"{value(one.value)}{'*' if one.undefined else ''}" for one in results],
        ),
        *limits,
        (TableColumn("vs. rest"), [_signed(one, metric, mark) for one in several]),
        (
            TableColumn(f"{level} simultaneous", "left", rank=1, style="dim"),
            [interval(one.low_simultaneous, one.high_simultaneous) for one in several],
        ),
        notes=tuple(notes),
    )


def _told(table: SliceTable[Any], metric: str) -> str:
    """Test of all slices, their gap beside that of equal slices, and the worst slice, in words."""
    test, gap, worst = table.heterogeneity(metric), table.gap(metric), table.worst(metric)
    text = str(test)
    sentences = [f"{text[0].upper()}{text[1:]}."]
    if test.p is None:
        return sentences[0]
    if gap.p is not None:
        without = f" without {some_of(list(gap.left_out))}" if gap.left_out else ""
        sentences.append(
            f"The largest gap{without} is {value(gap.observed)}; if all slices were equal, it "
            f"would be {value(gap.expected)} on average, and below {value(gap.most)} in "
            f"{100 * gap.level:g} % of samples."
        )
    if worst:
        sentences.append(f"Worst: {worst.name}.")
    if test.remark:
        sentences.append(f"{test.remark[0].upper()}{test.remark[1:]}.")
    return " ".join(sentences)


def _signed(one: SliceDifference, metric: str, mark: str = "") -> Cell:
    """A difference; colored where it is significant and the metric has a better direction."""
    text = (
        "" if one.undefined else f"{'-' if one.difference < 0 else '+'}{value(abs(one.difference))}"
    )
    better = get(metric).better
    if one.is_shown and mark:
        text = f"{text} {mark}"
    if not one.is_shown or better is None:
        return Cell(text)
    return Cell(text, "good" if (one.difference > 0) is (better == "higher") else "bad")


_MOST: Final = 8
_NOT_EXACT: Final = "Not exact (~)  scores were counted in buckets; the exact value lies within"
_UNKNOWN: Final = "the size of the error is not known"


def inexact_notes(report: ClassReport, shown: Collection[str], rest: str) -> Notes | None:
    """Values that are not exact, each with its bound; those that are not shown are counted.

    Args:
        report: a `karat.Report`.
        shown: names of the metrics that a reader sees.
        rest: where the others are found.
    """
    if not report.bounds:
        return None
    open_ones = {name: result for name, result in report.metrics.items() if not result.exact}
    seen = [name for name in open_ones if name in shown]
    if not open_ones:
        return None
    lines, unknown = [], []
    for name in seen:
        if (bound := open_ones[name].bound) is None:
            unknown.append(name)
        else:
            found = open_ones[name].value
            far = at_most(max(found - bound[0], bound[1] - found))
            lines.append(f"{name}: {value(found)} ± {far}")
    if unknown:
        lines.append(f"{', '.join(unknown)}: {_UNKNOWN}")
    if len(lines) > _MOST:
        lines = [*lines[:_MOST], f"{len(lines) - _MOST} more bounds: {rest}"]
    if len(open_ones) > len(seen):
        lines.append(f"{counted(len(open_ones) - len(seen), 'metric')} not listed here: {rest}")
    return Notes(_NOT_EXACT, tuple(lines))


class DifferenceTexts(NamedTuple):
    """A difference of two models as text: with its sign, its limits, what rows can detect."""

    difference: str
    limits: str
    detectable: str


def difference_texts(one: Difference, *, in_points: bool, unit: str = "pp") -> DifferenceTexts:
    """Return the texts of a difference; proportions in percentage points where these are asked.

    Args:
        unit: what follows a difference in percentage points.
    """
    is_scaled = in_points and is_in_points(one.metric)
    shown, unit = (points, f" {unit}") if is_scaled else (value, "")
    sign = "+" if one.difference > 0 else ""
    has_limits = one.low is not None and one.high is not None
    return DifferenceTexts(
        f"{sign}{shown(one.difference)}{unit}",
        f"[{shown(one.low)}, {shown(one.high)}]" if has_limits else "",
        f"{shown(one.detectable)}{unit if one.detectable is not None else ''}",
    )


def slice_metric(report: ReportValues | SetReport) -> str:
    """Return the metric by which slices are compared: the first requested one."""
    name = OF_SET_SLICES if report.has_predictions else OF_RANKED_SETS
    if isinstance(report, ReportValues):
        name = metric_of_slices(
            has_positive=report.is_binary,
            prevalence=prevalence_of(report),
            has_predictions=report.has_predictions,
        )
    is_listed = report.requested is None and name in report.metrics
    return name if is_listed else next(iter(report.metrics))
