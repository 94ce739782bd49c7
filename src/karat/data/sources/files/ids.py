"""Ids of some rows of files, read after the rows: their column is scanned once, in file order."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.arrow import batches
from karat.data.clusters import NameCodes
from karat.data.sources.files.counted import opened
from karat.data.sources.files.duck import explaining, literal
from karat.data.sources.files.paths import Source
from karat.data.sources.files.sql import NO_VALUE, keep_order
from karat.data.sources.formats import AS_TYPED, ColumnFormats

Texts: TypeAlias = Generator[list[str | None], None, None]
"""Ids, group by group."""


@dataclass(frozen=True)
class FileIds:
    """The column of ids of files.

    Attributes:
        source: the files; they can be read again.
        column: the column.
        where: condition of the rows that were read, or None.
        n_threads: threads of the reader.
        formats: how the columns are written.
    """

    source: Source
    column: str
    where: str | None = None
    n_threads: int | None = None
    formats: ColumnFormats = AS_TYPED

    def take(self, places: npt.NDArray[np.int64]) -> list[str | None]:
        """Return the ids of rows by their numbers, in any order.

        Errors:
            K4xx the files cannot be read.

        Cost: one scan of one column; memory for one batch.
        """
        order = np.argsort(places, kind="stable")
        found: list[str | None] = [None] * len(places)
        with closing(self.scan([places[order]])) as parts:
            for place, one in zip(order.tolist(), next(parts), strict=True):
                found[place] = one
        return found

    def scan(self, wanted: Iterable[npt.NDArray[np.int64]]) -> Texts:
        """Yield the ids of each group of rows; all numbers ascend.

        Errors, cost: as of `take`.
        """
        with opened(self.source, self.n_threads, self.formats) as relation:
            values = relation.select_values([], [relation.column(self.column)], self.where)
            sql = f"SELECT coalesce(w0, {literal(NO_VALUE)}) AS w0 FROM ({values})"
            has_sql = relation.query is not None
            with explaining(relation.files, has_sql=has_sql, where=self.where):
                keep_order(relation.connection, sql)
                with closing(batches(relation.connection.sql(sql), ["w0"])) as stream:
                    yield from _taken(stream, wanted)


def _taken(
    stream: Iterator[dict[str, Any]], wanted: Iterable[npt.NDArray[np.int64]]
) -> Iterator[list[str | None]]:
    column: Any = None
    first = end = 0
    for places in wanted:
        found: list[str | None] = []
        done = 0
        while done < len(places):
            while end <= places[done]:
                column = next(stream)["w0"]
                first, end = end, end + len(column)
            stop = int(np.searchsorted(places, end))
            found += _texts(column, places[done:stop] - first)
            done = stop
        yield found


def _texts(column: Any, places: npt.NDArray[np.int64]) -> list[str | None]:
    flags = np.zeros(len(column), np.bool_)
    flags[places] = True
    codes = NameCodes("ids")
    codes.add(column, flags)
    names = codes.names()
    texts = [None if text == NO_VALUE else text for text in names.texts]
    return [texts[code] for code in names.codes.tolist()]
