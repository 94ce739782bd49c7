"""The slices of a report as tables: one a column, with the test of all of them below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from karat.errors.numbers import amounts, count, interval, value
from karat.metrics import get
from karat.output.document import Cell, Column, Style, Table

if TYPE_CHECKING:
    from karat.results.report import Report
    from karat.results.slices import SliceDifference, SliceTable

__all__ = ["slice_sections"]

N_LISTED: Final = 24
"""Up to here every slice is listed; of more, those that differ most surely."""


def slice_sections(report: Report, metric: str) -> Iterator[Table]:
    """One table for each column that slices were told apart by.

    Args:
        metric: the one that is shown.
    """
    if report.kept_slices is None:
        return
    for table in report.slices.values():
        yield _section(table, metric)


def _section(table: SliceTable, metric: str) -> Table:
    differences = list(table.difference(metric).values())
    asked, level = table.whole.confidence, f"{100 * table.level:g} %"
    places = list(range(len(table)))
    notes = [_told(table, metric)]
    if len(places) > N_LISTED:
        places.sort(key=lambda i: _p(differences[i]))
        notes.insert(0, f"{count(len(places) - N_LISTED)} slices not listed: --format json "
                        "(in Python report.slices)")  # fmt: skip
        places = sorted(places[:N_LISTED])
    parts = list(table.values())
    n = amounts([parts[i].n_rows for i in places])
    rows = []
    reasons: dict[str, list[str]] = {}
    for row, i in enumerate(places):
        result, one = parts[i][metric], differences[i]
        star = "*" if result.undefined else ""
        if one.undefined:
            reasons.setdefault(one.undefined, []).append(one.name)
        rows.append((
            Cell(parts[i].name), Cell(n[row]), Cell(f"{value(result.value)}{star}", "strong"),
            *([] if asked is None else [Cell(interval(result.low, result.high), "dim")]),
            Cell("" if one.undefined else _signed(one.difference), _style(one, metric)),
            Cell(interval(one.low_simultaneous, one.high_simultaneous), "dim"),
        ))  # fmt: skip
    for reason, names in list(reasons.items())[:3]:
        shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        notes.append(f"not compared: {shown}: {reason}")
    columns = (
        Column("slice", "left", is_name=True, is_whole=True), Column("rows"), Column(metric),
        *([] if asked is None else [Column(f"{asked.told} interval", "left", rank=2)]),
        Column("less the others"),
        Column(f"{level}, all at once", "left", rank=1),
    )  # fmt: skip
    return Table(f"Slices by {' × '.join(table.columns)}", columns, tuple(rows), tuple(notes))


def _told(table: SliceTable, metric: str) -> str:
    """What the test of all slices says, the gap beside that of equal ones, and the worst slice."""
    test, gap, worst = table.heterogeneity(metric), table.gap(metric), table.worst(metric)
    text = str(test)
    if test.p is None:
        return f"{text[0].upper()}{text[1:]}."
    sentences = [f"{text[0].upper()}{text[1:]}."]
    if gap.p is not None:
        sentences.append(
            f"The largest gap is {value(gap.observed)}; equal slices show {value(gap.expected)} on "
            f"average, and less than {value(gap.most)} in {100 * gap.level:g} % of samples."
        )
    if worst:
        sentences.append(f"Worst: {worst.name}.")
    if test.remark:
        sentences.append(f"{test.remark[0].upper()}{test.remark[1:]}.")
    return " ".join(sentences)


def _style(one: SliceDifference, metric: str) -> Style:
    """Whether a slice is shown to be better or worse than the others, of a metric that says so."""
    better = get(metric).better
    if not one.is_shown or better is None:
        return ""
    return "good" if (one.difference > 0) is (better == "higher") else "bad"


def _p(one: SliceDifference) -> float:
    return 1.0 if one.p is None else one.p


def _signed(number: float) -> str:
    text = value(abs(number))
    return f"{'-' if number < 0 else '+'}{text}"
