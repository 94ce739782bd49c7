"""HTML forms of differences, results and classes: a sentence or a table, with its picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from karat.errors.text import amounts, count, counted, interval, value
from karat.inference.p_values import p_in_cell
from karat.output.describe import classes_table
from karat.output.document import Document, Table, TableColumn
from karat.output.drawing import Mark, Picture, forest
from karat.output.forms import picture_or_none
from karat.output.notebook import html_of
from karat.output.sections import by_reason, results_table

if TYPE_CHECKING:
    from karat.inference.comparison.records import Difference
    from karat.inference.comparison.set_labels import LabelDifference
    from karat.results.report import ClassReport
    from karat.results.sets import SetReport
    from karat.results.slices import SliceDifference, SliceDifferences

_MOST_LISTED: Final = 60


def as_sentence(found: Any) -> str:
    """What prints as a sentence: its subject in bold."""
    subject, _, rest = str(found).partition(": ")
    return html_of(Document(subject, (rest,) if rest else ()))


def difference_as_html(one: Difference | LabelDifference) -> str:
    """A difference of models: its limits beside 0, below its sentence and both values."""
    facts = [f"{one.a} {value(one.value_a)}, {one.b} {value(one.value_b)}"]
    if one.n:
        facts.append(counted(one.n, "row"))
    return _of_difference(one, [*facts, one.method])


def slice_difference_as_html(one: SliceDifference) -> str:
    """A difference of a slice from all other rows, likewise."""
    facts = (
        [] if one.undefined else [f"{one.name} {value(one.value)}, other rows {value(one.rest)}"]
    )
    facts += [counted(one.n_rows, "row"), one.method or "", one.remark or ""]
    return _of_difference(one, facts)


def _of_difference(
    one: Difference | LabelDifference | SliceDifference, facts: Sequence[str]
) -> str:
    subject, _, rest = str(one).partition(": ")
    mark = Mark(one.metric, one.difference, one.low, one.high)
    picture = picture_or_none(_picture_of_differences, [mark], one.level)
    return html_of(Document(subject, (rest, *filter(None, facts))), picture)


def _picture_of_differences(marks: Sequence[Mark], level: float) -> Picture | None:
    label = f"difference ({100 * level:g} % interval)"
    return forest(marks, label=label, title="Differences with their intervals", at=0.0)


def slice_differences_as_html(found: SliceDifferences) -> str:
    """Differences of slices from all other rows: their limits beside 0, above their table."""
    all_of = list(found.values())
    shown = all_of[:_MOST_LISTED]
    first, n_more = shown[0], len(all_of) - len(shown)
    notes = by_reason("not compared", {x.name: x.undefined for x in shown if x.undefined})
    notes += [f"{count(n_more)} more: .values()"] if n_more else []
    level = f"{100 * first.level:g} %"
    table = Table.by_column(
        f"Differences of slices in {first.metric}",
        (TableColumn("slice", "left", is_name=True, is_whole=True), [one.name for one in shown]),
        (TableColumn("rows"), amounts([one.n_rows for one in shown])),
        (TableColumn("vs. rest", style="strong"), [value(one.difference) for one in shown]),
        (TableColumn(f"{level} interval", "left"), [interval(x.low, x.high) for x in shown]),
        (
            TableColumn(f"{level} simultaneous", "left", style="dim"),
            [interval(one.low_simultaneous, one.high_simultaneous) for one in shown],
        ),
        (TableColumn("p"), [p_in_cell(x.p_adjusted) for x in shown]),
        notes=tuple(notes),
    )
    marks = [
        Mark(one.name, one.difference, one.low, one.high, reason=one.undefined or "")
        for one in shown
    ]
    picture = picture_or_none(_picture_of_differences, marks, first.level)
    return html_of(Document("", (), (table,)), picture)


def results_as_html(found: Mapping[str, Any]) -> str:
    """Results of metrics as a table."""
    results = list(found.values())
    is_asked = any(one.low is not None for one in results)
    table = results_table("Metrics", results, is_asked=is_asked)
    return html_of(Document("karat results", (counted(len(results), "metric"),), (table,)))


def classes_as_html(report: ClassReport | SetReport, words: tuple[str, str]) -> str:
    """The table of classes, as a report shows it."""
    table = classes_table(report, words[1].capitalize(), words)
    facts = (counted(len(report.per_class), words[0]), counted(report.n_rows, "row"))
    return html_of(Document(f"karat {words[1]}", facts, (table,)))
