"""HTML for notebooks: tables without script or style sheet, every text escaped.

The style of each element stands in it, and takes its colors from the page: what is dim is
transparent, what is shaded lets the page through, so that light and dark notebooks are served.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from karat.errors.text import counted, harmless, interval
from karat.output.document import Cell, Document, Notes, Section, Style, Table, TableColumn
from karat.output.drawing import Picture
from karat.output.paper import NAME_MAX, naming_of, on_paper, titled
from karat.output.sections import value_of

if TYPE_CHECKING:
    from karat.results.result import Confusion, Result

N_MATRIX: Final = 30
"""Classes of the largest matrix that is drawn."""
DRAWN_MAX: Final = 36
"""Cells of the longest name beside a picture, which has no room for more."""

RIGHT: Final = (0, 114, 178)
WRONG: Final = (213, 94, 0)
MOST_OPAQUE: Final = 0.4
"""Blue for right, orange for wrong (Okabe and Ito), thin enough for the text of either page."""
_DIM: Final = 0.75

_TABLE: Final = (
    "border-collapse:collapse;border:0;margin:0 0 .5em 0;font-size:.9em;white-space:nowrap;"
    "font-variant-numeric:tabular-nums"
)
_CAPTION: Final = (
    "text-align:left;caption-side:top;font-weight:bold;padding:.3em .5em;color:inherit"
)
_NOTES: Final = "margin:0 0 .5em 0;padding:0 .5em;overflow-wrap:anywhere"
_LINE: Final = "1px solid rgba(128,128,128,.5)"
_STYLES: Final[dict[Style, str]] = {
    "strong": "font-weight:bold",
    "bad": "font-weight:bold",
    "dim": f"opacity:{_DIM}",
}
_ONE_LINE: Final = 70
"""Characters of a caption that is not broken: a small matrix is narrower than its title."""


def confusion_as_html(confusion: Confusion) -> str:
    """A confusion matrix; of more than 30 classes the wrong cells that hold most rows."""
    from karat.output.sections import confusion_section, pairs_section
    from karat.results.report import ClassReport

    section: Section | None = confusion_section(confusion)
    if section is None or len(confusion.labels) > N_MATRIX:
        section = pairs_section(ClassReport(confusion.cells))
    if section is None:
        section = Notes("Confusion", ("only totals of the classes were kept, no cells",))
    return html_of(Document("", (), (section,)))


def html_of_result(result: Result, picture: str = "") -> str:
    """A result: its value, its interval, and what is known of it.

    Args:
        picture: an SVG element; it stands last.
    """
    facts = [counted(result.n, "row")]
    if result.level is not None:
        limits = interval(result.low, result.high)
        by = f" ({result.method})" if result.method else ""
        facts.insert(0, f"{100 * result.level:g} % interval {limits}{by}")
    if result.undefined:
        facts.append(f"undefined: {result.undefined}")
    if result.bound is not None:
        facts.append(f"not exact: within {interval(*result.bound)}")
    elif not result.exact:
        facts.append("not exact")
    if result.remark:
        facts.append(result.remark)
    elif result.low is None and result.high is None and not result.undefined:
        facts.append("no interval")
    return _div(
        f"<strong>{_text(result.name)}</strong> {_text(value_of(result))} "
        f'<span style="{_STYLES["dim"]}">{_text(" · ".join(facts))}</span>'
        f'<div style="{_STYLES["dim"]};font-size:.9em">{_text(result.definition)}</div>{picture}'
    )


def html_of(document: Document, picture: Picture | None = None) -> str:
    """A document for a notebook: what its text shows, as tables.

    Args:
        document: what to show.
        picture: it stands before the first table, below notes that come first.
    """
    names, limit = (picture.names, DRAWN_MAX) if picture else ((), NAME_MAX)
    naming = naming_of(document, names, limit)
    drawn = "" if picture is None else picture.svg(naming.short)
    title, facts = _text(document.title), _text(" · ".join(document.facts))
    head = f'<strong>{title}</strong> <span style="opacity:{_DIM}">{facts}</span>'
    head = f"<div>{head}</div>" if document.title or document.facts else ""
    head += f"<div>{_text(document.finding)}</div>" if document.finding else ""
    paper = on_paper(document, N_MATRIX, keeps_pointers=True, naming=naming)
    n_first = next((i for i, one in enumerate(paper) if isinstance(one, Table)), len(paper))
    return _div(f"{head}{_told(paper[:n_first])}{drawn}{_told(paper[n_first:])}")


def _told(sections: Sequence[Table | Notes]) -> str:
    return "".join(line for section in sections for line in _section(section))


def _div(inside: str) -> str:
    return f'<div style="max-width:100%;overflow-x:auto">{inside}</div>'


def _text(text: str) -> str:
    """Foreign text: no control character, no markup, and no direction that leaves its element."""
    return f"<bdi>{escape(harmless(text))}</bdi>" if not text.isascii() else escape(harmless(text))


def _section(section: Table | Notes) -> Iterator[str]:
    title, rest = titled(section.title)
    if isinstance(section, Notes):
        yield f'<div style="{_NOTES};font-size:.9em">{_heading(title, rest)}'
        yield "".join(f"<div>{_text(line)}</div>" for line in section.lines)
        yield "</div>"
        return
    caption = _CAPTION
    if len(title) + len(rest) > _ONE_LINE:
        caption += ";white-space:normal"
    yield f'<table style="{_TABLE}"><caption style="{caption}">{_heading(title, rest)}</caption>'
    yield from _table(section)
    yield "</table>"
    if section.notes:
        lines = "".join(f"<div>{_text(note)}</div>" for note in section.notes)
        yield f'<div style="{_NOTES};font-size:.85em;opacity:{_DIM}">{lines}</div>'


def _heading(title: str, rest: str) -> str:
    heading = _text(title)
    if rest:
        heading += f' <span style="font-weight:normal;opacity:{_DIM}">{_text(rest)}</span>'
    return f"<strong>{heading}</strong>"


def _table(table: Table) -> Iterator[str]:
    if table.is_matrix or any(column.heading for column in table.columns):
        heads = [_th(column.heading, "col", column.align) for column in table.columns]
        if table.is_matrix:
            heads[0] = '<td style="border:0"></td>'
        yield f'<thead><tr style="border-bottom:{_LINE}">{"".join(heads)}</tr></thead>'
    yield "<tbody>"
    for i, row in enumerate(table.rows):
        rule = f"border-top:{_LINE};" if i == table.rule_before else ""
        cells = [_cell(*pair) for pair in zip(row, table.columns, strict=True)]
        if table.is_matrix:
            cells = [_th(row[0].text, "row", "left"), *map(_shaded, row[1:])]
        yield f'<tr style="{rule}background:transparent">{"".join(cells)}</tr>'
    yield "</tbody>"


def _cell(cell: Cell, column: TableColumn) -> str:
    prose = "white-space:normal;min-width:10em" if column.is_prose else ""
    style = ";".join(filter(None, [_place(column.align), _STYLES.get(cell.style, ""), prose]))
    return f'<td style="{style}">{_text(cell.text)}</td>'


def _th(text: str, scope: str, align: str) -> str:
    style = f"{_place(align)};font-weight:normal;opacity:{_DIM};background:transparent"
    return f'<th scope="{scope}" style="{style}">{_text(text)}</th>'


def _place(align: str) -> str:
    return f"text-align:{align};padding:.15em .5em"


def _shaded(cell: Cell) -> str:
    """A cell on the color of its share of the row."""
    red, green, blue = RIGHT if cell.style == "strong" else WRONG
    opacity = f"{MOST_OPAQUE * abs(cell.heat):.3f}"
    shade = f";background:rgba({red},{green},{blue},{opacity})" if cell.heat else ""
    weight = f";{_STYLES['strong']}" if cell.style == "strong" else ""
    return f'<td style="{_place("right")}{shade}{weight}">{cell.text}</td>'
