"""A document laid out for a width: lines of styled spans, the same for every renderer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, starmap
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from karat.errors.text import cells, contrasted, harmless, padded, safe, wrapped
from karat.output.describe import classes_table, describe
from karat.output.document import (
    Cell,
    Document,
    Line,
    Matrix,
    Notes,
    Section,
    Span,
    Style,
    Table,
    TableColumn,
    line_text,
)
from karat.output.naming import Naming, names_of
from karat.output.sections import confusion_section, matrix_lines, slice_metric, slice_section

if TYPE_CHECKING:
    from karat.results.report import ClassReport
    from karat.results.result import Confusion
    from karat.results.sets import SetReport
    from karat.results.slices import ByColumn, SliceTable

INDENT = 2
WIDTH_MIN = 30
TEXT_WIDTH_MAX = 100
NAME_MIN, NAME_MAX = 8, 24
"""Names are cut to between these, whatever they are; a legend has them in full."""
MODEL_MIN = 6
"""Names of models may be shorter: the facts have them in full."""
WHOLE_MIN = 12
"""Names that are shortened only where the width forces it keep so much beside optional columns."""
PROSE_MIN = 30
"""Running text in a narrower column goes below its row."""

Rows: TypeAlias = tuple[tuple[Cell, ...], ...]


@dataclass(slots=True)
class Page:
    """Dimensions that lines have to fit, and the names of the document.

    Attributes:
        models: names of models, which head columns.
        naming: the texts of all names.
    """

    width: int = 80
    is_ascii: bool = False
    models: tuple[str, ...] = ()
    naming: Naming = field(default_factory=lambda: Naming((), NAME_MAX))

    def heading(self, column: TableColumn, limit: int) -> str:
        """The heading of a column; the name of a model in at most `limit` cells."""
        if not column.is_model:
            return column.heading
        full = [safe(name, is_ascii=self.is_ascii) for name in self.models]
        return column.headed(
            dict(zip(self.models, contrasted(full, limit), strict=True)).__getitem__
        )


def lay_out(document: Document, width: int = 80, *, is_ascii: bool = False) -> list[Line]:
    """Lines of at most `width` cells (but at least 30), without line ends."""
    document = replace(document, sections=document.in_text or document.sections)
    page = Page(max(WIDTH_MIN, width), is_ascii, document.names)
    page.naming = _naming(document, page)
    lines: list[Line] = [[Span(document.title, "title")]]
    lines += _flowing(document.facts, page) if document.facts else ()
    width = min(page.width, TEXT_WIDTH_MAX)
    for text in wrapped(harmless(document.finding), width, hang=INDENT) if document.finding else ():
        lines.append([Span(text, "strong")])
    for section in document.sections:
        lines += [[], *_section(section, page)]
    has_models = ", ".join(document.names) in document.facts
    if legend := page.naming.legend(document.names if has_models else ()):
        lines += [[], [Span("Names", "heading")]]
        for text in legend:
            lines += _text(text, page, "dim")
    if is_ascii:
        return [[replace(span, text=plain_ascii(span.text)) for span in line] for line in lines]
    return lines


def _naming(document: Document, page: Page) -> Naming:
    """The names of a document, as short as its narrowest table asks for."""
    tables = [section for section in document.sections if isinstance(section, Table)]
    # Names in the cells of one table do not depend on how little room the headings of another have.
    limits = [(table, _name_limit(table, page)) for table in tables]
    in_cells = [limit for table, limit in limits if table.has_names or not table.has_models]
    in_headings = [limit for table, limit in limits if table.has_models]
    names = list(names_of(document))
    limit = min(in_cells, default=NAME_MAX)
    model_limit = min(in_headings, default=NAME_MAX)
    if not set(names).isdisjoint(page.models):
        model_limit = min(limit, model_limit)
    return Naming(names, limit, models=page.models, model_limit=model_limit, is_ascii=page.is_ascii)


def _section(section: Section, page: Page) -> Iterator[Line]:
    if isinstance(section, Matrix):
        yield from matrix_lines(section, page.width, page.naming)
        return
    for line in wrapped(harmless(section.title), page.width, hang=INDENT):
        yield [Span(line, "heading")]
    if isinstance(section, Notes):
        for text in section.lines:
            yield from _text(text, page, section.style, hang=0 if section.is_prose else INDENT)
        return
    yield from _compact(section, page) if section.is_compact else _full(section, page)
    for note in section.notes:
        yield from _text(note, page, "dim")


def _flowing(facts: Sequence[str], page: Page) -> Iterator[Line]:
    """Facts joined by dots, broken between facts where that is possible."""
    texts = [""]
    for fact in (safe(fact, is_ascii=page.is_ascii) for fact in facts):
        joined = f"{texts[-1]} · {fact}" if texts[-1] else fact
        if texts[-1] and cells(joined) > page.width:
            texts.append(fact)
        else:
            texts[-1] = joined
    for text in texts:
        yield from ([Span(line, "dim")] for line in wrapped(text, page.width, hang=INDENT))


def _text(text: str, page: Page, style: Style, *, hang: int = INDENT) -> Iterator[Line]:
    width = min(page.width, TEXT_WIDTH_MAX)
    for line in wrapped(harmless(text), width, indent=INDENT, hang=hang):
        yield [Span(line, style)]


def _compact(table: Table, page: Page) -> Iterator[Line]:
    """Name and value side by side, in two columns of them where that fits."""
    rows = _marked(table.rows)
    width = [max((cells(row[i].text) for row in rows), default=0) for i in (0, 1)]
    pair = INDENT + width[0] + 2 + width[1]
    n_across = 2 if 2 * pair + 2 <= page.width and len(rows) > 3 else 1
    n_down = -(-len(rows) // n_across)
    for i in range(n_down):
        line: Line = []
        for name, shown in rows[i::n_down]:
            line.append(Span(" " * (4 if line else INDENT)))
            line.append(Span(padded(name.text, width[0]), name.style))
            line.append(Span("  " + padded(shown.text, width[1], "right"), shown.style))
        yield line


def _full(table: Table, page: Page) -> Iterator[Line]:
    whole = table
    table, left_out = _chosen(table, page)
    listed = _listed(whole, left_out)
    left_out = [heading for heading in left_out if heading not in dict(listed)]
    table = table.with_names(page.naming.short)
    columns, shown = table.columns, table.rows
    widths = [
        max(cells(column.heading), *(cells(row[i].text) for row in shown))
        for i, column in enumerate(columns)
    ]
    if any(column.heading for column in columns):
        yield _row([Cell(column.heading, "dim") for column in columns], columns, widths)
    for i, row in enumerate(shown):
        if i == table.rule_before:
            yield [Span(" " * INDENT + "─" * (sum(widths) + 2 * (len(widths) - 1)), "dim")]
        yield from (
            _prose(row, columns, widths, page)
            if columns[-1].is_prose
            else [_row(row, columns, widths)]
        )
    for column, entries in listed:
        yield from _text(f"{column}  {entries}", page, "")
    if left_out:
        yield from _text(f"not shown at this width: {', '.join(left_out)}", page, "dim")


def _listed(table: Table, left_out: Sequence[str]) -> list[tuple[str, str]]:
    """Return the headings of columns listed below, with their entries and rows."""
    listed = []
    for i, column in enumerate(table.columns):
        if column.is_listed_below and column.heading in left_out:
            groups: dict[str, list[str]] = {}
            for row in table.rows:
                groups.setdefault(row[i].text, []).append(row[0].text)
            entries = "; ".join(f"{text}: {', '.join(names)}" for text, names in groups.items())
            listed.append((column.heading, entries))
    return listed


def _marked(rows: Rows) -> Rows:
    """Pad the cells of a column where some number carries an asterisk."""
    starred = {i for row in rows for i, cell in enumerate(row) if cell.text.endswith("*")}

    def marked(i: int, cell: Cell) -> Cell:
        is_short = i in starred and cell.text and not cell.text.endswith("*")
        return replace(cell, text=f"{cell.text} ") if is_short else cell

    return tuple(tuple(starmap(marked, enumerate(row))) for row in rows)


def _row(row: Sequence[Cell], columns: Sequence[TableColumn], widths: Sequence[int]) -> Line:
    line: Line = [Span(" " * INDENT)]
    for i, (cell, column, width) in enumerate(zip(row, columns, widths, strict=True)):
        text = padded(cell.text, width, column.align)
        line.append(Span(text + ("  " if i + 1 < len(widths) else ""), cell.style))
    return line


def _prose(
    row: Sequence[Cell], columns: Sequence[TableColumn], widths: Sequence[int], page: Page
) -> Iterator[Line]:
    """A row whose last cell is running text, wrapped beside the others or, if narrow, below."""
    start = INDENT + sum(widths[:-1]) + 2 * (len(widths) - 1)
    is_beside = page.width - start >= PROSE_MIN
    indent = start if is_beside else 2 * INDENT
    lines = wrapped(harmless(row[-1].text), min(page.width, TEXT_WIDTH_MAX), indent=indent)
    head = _row(row[:-1], columns[:-1], widths[:-1])
    if is_beside:
        head.append(Span("  " + lines.pop(0)[indent:], row[-1].style))
    yield head
    for line in lines:
        yield [Span(line, row[-1].style)]


def _chosen(table: Table, page: Page) -> tuple[Table, list[str]]:
    """The columns that fit, those of lowest rank first; names count at their shortest.

    Columns of one rank and one heading are kept, or left out, together.
    """
    columns, rows = table.columns, _marked(table.rows)
    left_out: list[TableColumn] = []

    def without(others: Sequence[TableColumn]) -> Table:
        kept = [column not in others for column in columns]
        cells_kept = tuple(tuple(compress(row, kept)) for row in rows)
        return replace(table, columns=tuple(compress(columns, kept)), rows=cells_kept)

    def fits(found: Table) -> bool:
        limit = _least_limit(found.columns)
        return _natural(found.columns, found.rows, limit, page) <= page.width

    for worst in sorted(dict.fromkeys(columns), key=lambda column: -column.rank):
        if not worst.rank or fits(without(left_out)):
            break
        left_out.insert(0, worst)
    # What is narrow may fit in the place of what was not.
    for column in left_out[1:]:
        fewer = [other for other in left_out if other != column]
        if fits(without(fewer)):
            left_out = fewer
    return without(left_out), list(dict.fromkeys(column.headed() for column in left_out))


def _least_limit(columns: Sequence[TableColumn]) -> int:
    """The shortest that names are made; those of models stand in full in the facts."""
    if any(column.is_whole for column in columns):
        return WHOLE_MIN
    return MODEL_MIN if any(column.is_model for column in columns) else NAME_MIN


def _natural(columns: Sequence[TableColumn], rows: Rows, name_limit: int, page: Page) -> int:
    total = INDENT + 2 * (len(columns) - 1)
    for i, column in enumerate(columns):
        texts = [row[i].text for row in rows] if not column.is_prose else []
        if column.is_name:
            texts = [safe(text, is_ascii=page.is_ascii) for text in texts]
        widest = max(map(cells, texts), default=0)
        heading = cells(page.heading(column, name_limit))
        total += max(min(widest, name_limit) if column.is_name else widest, heading)
    return total


def _name_limit(table: Table, page: Page) -> int:
    """The longest that names may be in this table."""
    is_whole = any(column.is_whole for column in table.columns)
    limit = page.width if is_whole else max(NAME_MAX, page.width // 3)
    if table.has_names or table.has_models:
        chosen, _ = _chosen(table, page)
        while limit > _least_limit(chosen.columns) and (
            _natural(chosen.columns, chosen.rows, limit, page) > page.width
        ):
            limit -= 1
    return limit


_ASCII = str.maketrans("·…─→–×∞²≥≤Σ", ".~->-xI2><S")


def plain_ascii(text: str) -> str:
    """One ASCII character for each that karat itself uses; of foreign text, the escape."""
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode()


def text_of(document: Document, width: int = 80, *, is_ascii: bool = False) -> str:
    """The text of a document, at most `width` cells wide, without a line end after the last."""
    return "\n".join(map(line_text, lay_out(document, width, is_ascii=is_ascii)))


def report_as_text(
    report: ClassReport,
    width: int = 80,
    *,
    is_ascii: bool = False,
    metrics: Literal["headline", "all"] = "headline",
) -> str:
    """The text of a report, at most `width` cells wide, without a line end after the last line."""
    return text_of(describe(report, metrics=metrics), width, is_ascii=is_ascii)


def slices_as_text(found: ByColumn[Any] | SliceTable[Any], width: int = 80) -> str:
    """The tables of slices, by one column or by each, as a report shows them."""
    from karat.results.slices import ByColumn

    tables: list[Any] = list(found.values()) if isinstance(found, ByColumn) else [found]
    sections = tuple(slice_section(table, slice_metric(table.whole)) for table in tables)
    text = text_of(Document("", (), sections), width).strip("\n")
    return text or "No slices: give by= to karat.evaluate."


def classes_as_text(
    report: ClassReport | SetReport, words: tuple[str, str], width: int = 80
) -> str:
    """The table of classes, as a report shows it."""
    section = classes_table(report, words[1].capitalize(), words)
    return text_of(Document("", (), (section,)), width).strip("\n")


def confusion_as_text(confusion: Confusion, width: int = 80) -> str:
    """The text of a confusion matrix; of many classes, or without cells, what it is."""
    section = confusion_section(confusion)
    if section is None:
        return repr(confusion)
    return text_of(Document("", (), (section,)), width).strip("\n")
