"""Parquet files as units of rows: large files are cut, small ones are read together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from karat.data.sources.files.duck import file_list, literal
from karat.data.sources.files.names import folders_of
from karat.data.sources.files.paths import DataFile
from karat.data.sources.files.relations import Part, Relation

__all__ = ["Unit", "units_of"]

N_UNIT: Final = 1 << 22
"""Rows of a unit at most."""
N_BYTES: Final = 1 << 28
"""What the scores of a unit may take; but it has `N_LEAST` rows whatever they take."""
N_LEAST: Final = 1 << 16
_NUMBER: Final = "file_row_number"
"""What DuckDB calls the number of a row in its file."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Consecutive rows: some of one file, or all of one or more.

    Attributes:
        files: the files.
        first: number of the first row in the first file.
        n: how many rows there are.
        is_whole: whether these are all rows of the files.
        options: how the files are read, as SQL.
    """

    files: tuple[DataFile, ...]
    first: int
    n: int
    is_whole: bool
    options: str

    @property
    def sql(self) -> str:
        """The query of its rows."""
        read = f"{file_list([file.path for file in self.files])}, {self.options}"
        if self.is_whole:
            return f"SELECT * FROM read_parquet({read})"
        return (
            f"SELECT * EXCLUDE ({_NUMBER}) FROM read_parquet({read}, {_NUMBER}=true) "
            f"WHERE {_NUMBER} >= {self.first} AND {_NUMBER} < {self.first + self.n}"
        )

    @property
    def shown(self) -> str:
        """What to call it in a message."""
        first = self.files[0].shown
        if not self.is_whole:
            return f"rows {self.first} to {self.first + self.n - 1} of {first}"
        return first if len(self.files) == 1 else f"{first} to {self.files[-1].shown}"


def units_of(relation: Relation, n_rows: Mapping[str, int], n_row_bytes: int) -> tuple[Unit, ...]:
    """The units of files, in reading order.

    Each that is read takes a connection and a look at its columns, so that small files of the same
    part are read together.

    Args:
        relation: of Parquet files.
        n_rows: rows of each file by its path.
        n_row_bytes: what the scores of a row take.
    """
    step = min(N_UNIT, max(N_BYTES // max(n_row_bytes, 1), N_LEAST))
    # A file whose own column has the name of the number of a row is not cut.
    can_be_cut = all(name.lower() != _NUMBER for name in relation.header)
    return tuple(
        unit
        for part in relation.parts
        for unit in _units(part, n_rows, step, can_be_cut=can_be_cut)
    )


def _units(part: Part, n_rows: Mapping[str, int], step: int, *, can_be_cut: bool) -> Iterator[Unit]:
    options = _options(part)
    together: list[DataFile] = []
    n_together = 0
    for file in part.files:
        n = n_rows[file.path]
        if together and n_together + n > step:
            yield Unit(tuple(together), 0, n_together, True, options)
            together, n_together = [], 0
        if n > step and can_be_cut:
            for first in range(0, n, step):
                yield Unit((file,), first, min(step, n - first), False, options)
        elif n:
            together.append(file)
            n_together += n
    if together:
        yield Unit(tuple(together), 0, n_together, True, options)


def _options(part: Part) -> str:
    """How the files of a part are read, whichever of them."""
    if not part.files[0].is_partitioned:
        return "union_by_name=true, hive_partitioning=false"
    # What a folder is named may look like a number where the others are text.
    folders = sorted(folders_of(part.files) & set(part.columns))
    types = ", ".join(f"{literal(name)}: {part.columns[name]}" for name in folders)
    return f"union_by_name=true, hive_partitioning=true, hive_types={{{types}}}"
