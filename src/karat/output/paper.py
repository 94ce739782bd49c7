"""A document for a page that is not a terminal: what Markdown, LaTeX and notebooks share.

Class names are made harmless and short, and a legend has them in full; columns of a matrix are
headed by names that fit, else by numbers; what points to an option of a command can be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from karat.errors.text import cells, count
from karat.output.document import Cell, Document, Matrix, Notes, Table, TableColumn
from karat.output.naming import Naming, names_of
from karat.output.sections import HEADING_MAX, ZERO, counts_and_shares

NAME_MAX: Final = 48
"""Cells of the longest name in a table."""
MODEL_MAX: Final = 160
"""Cells of the longest name of a model, which may be called anything."""
_POINTER: Final = re.compile(r":? --\S+ \S+ \(in Python [\w.]+\)")


def on_paper(
    document: Document,
    most_classes: int,
    *,
    keeps_pointers: bool = False,
    naming: Naming | None = None,
) -> list[Table | Notes]:
    """The sections of a document with short harmless names, and their legend.

    Args:
        document: what to show.
        most_classes: a larger matrix is mentioned, not drawn.
        keeps_pointers: whether notes still say with which option the rest is shown.
        naming: the texts of its names, where something else shows them too.
    """
    naming = naming or naming_of(document)

    def edited(lines: tuple[str, ...]) -> tuple[str, ...]:
        return lines if keeps_pointers else tuple(_POINTER.sub("", line) for line in lines)

    sections: list[Table | Notes] = []
    for section in document.sections:
        if isinstance(section, Notes):
            sections.append(replace(section, lines=edited(section.lines)))
        elif isinstance(section, Table):
            table = section.with_names(naming.short)
            sections.append(replace(table, notes=edited(table.notes)))
        elif (k := len(section.names)) > most_classes:
            told = f"the {count(k)} × {count(k)} matrix is not drawn here"
            sections.append(Notes(section.title, (told,)))
        else:
            sections.append(_table_of(section, [naming.short(name) for name in section.names]))
    if legend := naming.legend():
        sections.append(Notes("Names", tuple(legend)))
    return sections


def naming_of(document: Document, more: Iterable[str] = (), limit: int = NAME_MAX) -> Naming:
    """The texts of the names of a document, and of those that a picture beside it shows."""
    names = [*names_of(document), *more]
    return Naming(names, limit, models=document.names, model_limit=MODEL_MAX)


def _table_of(matrix: Matrix, names: list[str]) -> Table:
    """A matrix as a table, whose columns are numbered where names are too long for headings."""
    counts, shares = counts_and_shares(matrix)
    headings = names
    if max(map(cells, names)) > HEADING_MAX:
        headings = [str(i) for i in range(1, len(names) + 1)]
        names = [f"{i} {name}" for i, name in enumerate(names, start=1)]
    rows = []
    for i, (texts, row) in enumerate(zip(counts, shares.tolist(), strict=True)):
        body = [Cell(text, heat=-share) for text, share in zip(texts, row, strict=True)]
        body[i] = Cell(texts[i], "" if texts[i] == ZERO else "strong", row[i])
        rows.append((Cell(names[i]), *body))
    columns = (TableColumn("", "left", is_name=True), *map(TableColumn, headings))
    title = f"{matrix.title}  rows true, columns predicted"
    return Table(title, columns, tuple(rows), is_matrix=True)


def titled(title: str) -> tuple[str, str]:
    """A title and what follows it after two blanks: ``Classes  worst 10 of 100 by f1``."""
    head, _, rest = title.partition("  ")
    return head, rest.strip()
