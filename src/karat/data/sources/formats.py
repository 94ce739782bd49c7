"""How columns are written: codes that are text, and the decimal mark of the numbers of a CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from karat.data.roles import unknown_column
from karat.errors import KaratError, error
from karat.errors.options import option

Decimal: TypeAlias = Literal[".", ","]


@dataclass(frozen=True, slots=True)
class ColumnFormats:
    """What the texts of columns mean, where neither a type nor the texts themselves say it.

    Attributes:
        text: columns that hold text as written, such as codes; a column of numbers holds the texts
            of its numbers.
        decimal: the decimal mark of numbers in CSV files.
    """

    text: tuple[str, ...] = ()
    decimal: Decimal = "."

    @property
    def has_comma(self) -> bool:
        """True if numbers have a decimal comma."""
        return self.decimal == ","

    def check_names(self, header: Sequence[str]) -> None:
        """Refuse text columns that do not exist (K404)."""
        for name in self.text:
            if name not in header:
                raise unknown_column(name, "the columns of text", header)

    def check_numbers(self, roles: Iterable[tuple[str, str | None]]) -> None:
        """Refuse text columns whose role takes numbers (K455), of pairs of an option and a name."""
        for name, column in roles:
            if column in self.text:
                found = f"Column {column!r} is named there and in {option(name)}, which reads "
                do = "Leave the column out of one of them."
                raise error("K455", argument=option("text"), found=f"{found}numbers", do=do)

    def refuse_comma(self, source: str) -> None:
        """Refuse a decimal comma where no column is read from a CSV (K455)."""
        if self.has_comma:
            raise refused_comma(source)


def refused_lists(name: str) -> KaratError:
    """K455: text columns hold lists."""
    found = f"Column {name!r} holds lists, and text columns hold one value in each row"
    return error("K455", argument=option("text"), found=found, do="Leave the column out of it.")


def refused_comma(source: str) -> KaratError:
    """K455: there is no CSV whose numbers could have a decimal comma."""
    found = f"It is about numbers in CSV files, and the rows are in {source}"
    do = "Leave it out; of a column of text convert the numbers first."
    return error("K455", argument=option("decimal", ","), found=found, do=do)


AS_TYPED: Final = ColumnFormats()
"""Every column as its type and its texts say."""
