"""A document as GitHub shows Markdown: headings, tables, lists; foreign text stays text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from karat.errors.text import harmless
from karat.output.document import Cell, Document, Notes, Table, TableColumn
from karat.output.paper import on_paper, titled

N_MATRIX: Final = 24
"""Classes of the largest matrix that is drawn."""

_ACTIVE = re.compile(r"[\\`*\[\]|~$]")
# Between letters and digits an underscore marks nothing.
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_ADDRESS = re.compile(r"(?<=\w):(?=//)|(?<=[Ww]{3})\.")
# GitHub reads mentions and numbers of issues from the finished text: only code stops it.
_MENTION = re.compile(r"@(?=\w)|#(?=\d)")
_START = re.compile(r"(?P<number>\d*)(?P<mark>(?<=\d)[.)](?=\s|$)|^(?:#|[-+=](?=[-+=\s]|$)))")
_LIMITS = re.compile(r"\[[-+.\de∞]+, [-+.\de∞]+\]")
"""An interval, which is no link."""
_PLAIN_NAME = re.compile(r"[A-Za-z0-9]+(?:[ ._-][A-Za-z0-9]+)*")


def markdown_of(document: Document) -> str:
    """GitHub-flavoured Markdown, without a line end after the last line.

    No HTML stands in it, and no text of a user can add any, or a link, a mention or a table cell.
    """
    lines = [f"## {escaped(document.title)}", "", escaped(" · ".join(document.facts))]
    lines += ["", escaped(document.finding)] if document.finding else []
    for section in on_paper(document, N_MATRIX):
        lines += ["", *_section(section)]
    return "\n".join(lines)


def escaped(text: str) -> str:
    r"""Foreign text that is shown as it is: no markup, no HTML, no link, no mention, one line.

    Example:
        >>> from karat.output.markdown import escaped
        >>> print(escaped("<b>|*x* macro_f1"))
        &lt;b&gt;\|\*x\* macro_f1
    """
    shown = _ACTIVE.sub(r"\\\g<0>", harmless(text))
    shown = _UNDERSCORE.sub(r"\\_", shown)
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    shown = _ADDRESS.sub(r"\\\g<0>", shown)
    found = _START.match(shown)
    if found:
        shown = f"{found['number']}\\{shown[found.start('mark') :]}"
    return _MENTION.sub(r"`\g<0>`", shown)


def code(text: str) -> str:
    """A class name in a table: as it is where nothing in it could be markup, else as code."""
    shown = harmless(text)
    if _PLAIN_NAME.fullmatch(shown) and "www." not in shown.lower():
        return shown
    if "|" in shown and "\\" in shown:
        # A backslash before a bar is the one thing that code in a table has no way to write.
        return escaped(shown)
    longest = max(map(len, re.findall("`+", shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}".replace("|", "\\|")


def _section(section: Table | Notes) -> Iterator[str]:
    title, rest = titled(section.title)
    yield f"### {escaped(title)}"
    yield ""
    if rest:
        yield escaped(rest)
        yield ""
    if isinstance(section, Notes):
        for line in section.lines:
            yield escaped(line) if section.is_prose else f"- {escaped(line)}"
    else:
        yield from _table(section)


def _table(table: Table) -> Iterator[str]:
    first, *others = (column.heading for column in table.columns)
    yield _row([escaped(first), *map(code if table.is_matrix else escaped, others)])
    yield _row([":---" if column.align == "left" else "---:" for column in table.columns])
    for row in table.rows:
        cells = [_cell(*pair) for pair in zip(row, table.columns, strict=True)]
        yield _row([code(row[0].text), *cells[1:]] if table.is_matrix else cells)
    if table.notes:
        yield ""
        yield from (f"- {escaped(note)}" for note in table.notes)


def _cell(cell: Cell, column: TableColumn) -> str:
    if _LIMITS.fullmatch(cell.text):
        return cell.text
    text = code(cell.text) if column.is_name else escaped(cell.text)
    return f"**{text}**" if cell.style == "strong" and text else text


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
