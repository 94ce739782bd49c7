"""A document: titled tables and notes, with no layout in them.

Every renderer (plain text, terminal) reads this one description.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy.typing as npt

from karat.errors.doubts import Doubt

Style: TypeAlias = Literal["", "title", "heading", "strong", "dim", "good", "bad", "warning"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table.

    Attributes:
        text: what it shows.
        style: what it is.
        heat: 0 to 1 shades the background, for a share of a row; negative for wrong cells.
    """

    text: str
    style: Style = ""
    heat: float = 0.0


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column of a table.

    Attributes:
        heading: its title.
        align: where its text stands.
        rank: 0 stays at any width; of the others, the highest is left out first.
        is_name: whether its entries are class names, which may be shortened.
        is_prose: whether its entries are running text; only the last column may be.
        is_whole: whether its names are shortened only where the width forces it.
        is_model: whether its heading is one of the names of the document, which may be shortened.
        against: with `is_model`, the other model of a pair: ``a vs. b`` is the heading.
        is_listed_below: whether a line below the table has its entries where it is left out.
        style: that of its cells which have none of their own, where a table is made by column.
    """

    heading: str
    align: Literal["left", "right"] = "right"
    rank: int = 0
    is_name: bool = False
    is_prose: bool = False
    is_whole: bool = False
    is_model: bool = False
    against: str = ""
    is_listed_below: bool = False
    style: Style = ""

    def headed(self, short: Callable[[str], str] = str) -> str:
        """The heading, with the texts of the models in it."""
        if not self.is_model:
            return self.heading
        return " vs. ".join(map(short, filter(None, (self.heading, self.against))))


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; `rule_before` is the index of a row that a rule is drawn above.

    Columns of a matrix are headed by class names.
    """

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    rule_before: int | None = None
    is_compact: bool = False
    is_matrix: bool = False

    @property
    def has_names(self) -> bool:
        """True if some cells are names, which may be shortened."""
        return any(column.is_name for column in self.columns)

    @property
    def has_models(self) -> bool:
        """True if some headings are names of models, which may be shortened."""
        return any(column.is_model for column in self.columns)

    @classmethod
    def by_column(
        cls,
        title: str,
        *columns: tuple[TableColumn, Iterable[str | Cell]],
        notes: tuple[str, ...] = (),
    ) -> Table:
        """A table of columns, each with the texts or cells under it."""
        parts = [
            [Cell(one, head.style) if isinstance(one, str) else one for one in texts]
            for head, texts in columns
        ]
        rows = tuple(zip(*parts, strict=True))
        return cls(title, tuple(head for head, _ in columns), rows, notes)

    def with_names(self, short: Callable[[str], str]) -> Table:
        """The table with the texts of its names, in cells and headings."""
        places = [i for i, column in enumerate(self.columns) if column.is_name]
        columns = tuple(
            replace(column, heading=column.headed(short), against="") if column.is_model else column
            for column in self.columns
        )
        rows = tuple(
            tuple(
                replace(cell, text=short(cell.text)) if i in places else cell
                for i, cell in enumerate(row)
            )
            for row in self.rows
        )
        return replace(self, columns=columns, rows=rows)


@dataclass(frozen=True, slots=True)
class Matrix:
    """A confusion matrix: rows true, columns predicted."""

    title: str
    names: tuple[str, ...]
    values: npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Notes:
    """Lines of running text, each hanging from its first line; paragraphs do not hang."""

    title: str
    lines: tuple[str, ...]
    style: Style = ""
    is_prose: bool = False


Section: TypeAlias = Table | Matrix | Notes


DOUBTS: Final = "Doubts"
"""Title of the section that stands on top of every form."""


def doubts_section(doubts: Sequence[Doubt]) -> Notes | None:
    """Return the doubts about the input, which stand on top; None without any."""
    return Notes(DOUBTS, tuple(one.coded for one in doubts), "warning") if doubts else None


@dataclass(frozen=True, slots=True)
class Document:
    """What a renderer shows, in order.

    Attributes:
        title: the first line.
        facts: the line below it.
        sections: tables and notes.
        names: of models that head columns.
        finding: first sentence of the finding of a page; empty where there is none.
        in_text: the sections of a text, which has few columns and lines; empty: `sections`.
    """

    title: str
    facts: tuple[str, ...]
    sections: tuple[Section, ...] = ()
    names: tuple[str, ...] = ()
    finding: str = ""
    in_text: tuple[Section, ...] = ()


Span: TypeAlias = Cell
"""A piece of a line, without line ends and control characters."""
Line: TypeAlias = list[Span]


def line_text(line: Line) -> str:
    """The text of a line, without blanks at its end."""
    return "".join(span.text for span in line).rstrip()
