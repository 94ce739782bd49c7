"""Source for a `BatchSource`, whose batches are counted in turn, in this process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np

from karat.data.labels.sets import are_sets
from karat.data.roles import Family
from karat.data.sources.batches import BatchSource, length_of
from karat.data.sources.distributed.partials import Partial
from karat.data.sources.distributed.partitions import Reading, tally_partition
from karat.data.sources.set_columns import N_LOOKED
from karat.data.sources.tables.frames import open_frame
from karat.errors import error
from karat.tally.cached import cached_property

_BATCHES_LOOKED: Final = 8
"""Number of first batches that show whether a column of objects contains sets."""
_FAMILIES: tuple[tuple[type | tuple[type, ...], Family], ...] = (
    ((bool, np.bool_), "boolean"),
    ((int, np.integer), "whole"),
    ((float, np.floating), "real"),
    (str, "text"),
)


@dataclass
class BatchedTable:
    """Adapter of a `BatchSource`.

    Attributes:
        table: the source.
        n_rows: number of rows of an earlier read; None before the first.
        has_rows: whether the detection of column types found a row.
    """

    table: BatchSource
    n_rows: int | None = None
    has_rows: bool = False

    of_text = ""
    unit = "batch"
    counted = "n_batches"

    @property
    def kind(self) -> str:
        return type(self.table).__qualname__

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map(str, self.table.column_names))

    @cached_property
    def types(self) -> dict[str, Family]:
        found: dict[str, Family] = dict.fromkeys(self.names, "unknown")
        for batch in self.table.read_batches(self.names):
            if length_of(batch):
                self.has_rows = True
                types = open_frame(batch).types
                for name in (name for name in types if found.get(name) == "unknown"):
                    found[name] = types[name]
                    # For lists in a dict, the type of the first value.
                    if isinstance(batch, Mapping) and types[name] == "unknown":
                        found[name] = _family(batch[name])
            if "unknown" not in found.values():
                break
        return found

    def hold_sets(self, name: str) -> bool:
        """Return whether the first rows of a column of objects contain sets of labels."""
        batches = (batch for batch in self.table.read_batches((name,)) if length_of(batch))
        for batch in islice(batches, _BATCHES_LOOKED):
            read = open_frame(batch).first_rows
            if read is not None and are_sets(read(name, N_LOOKED)):
                return True
        return False

    def tally(self, reading: Reading) -> Partial:
        """Tally all rows.

        Errors:
            K412 the source returned another number of rows than before.
        """
        total: Partial | None = None
        n_rows = 0
        for place, batch in enumerate(self.table.read_batches(reading.columns)):
            n_rows += length_of(batch)
            part = tally_partition([batch], place, reading, unit=self.unit)
            total = part if total is None else total.merge(part, reading.empty)
            if total.problem is not None:
                return total
        if self.n_rows not in (None, n_rows) or (self.has_rows and not n_rows):
            before = "some" if self.n_rows is None else self.n_rows
            found = f"{self.kind}.read_batches gave {before} rows, then {n_rows}"
            raise error("K412", found=found)
        self.n_rows = n_rows
        return total or Partial(((0, 0),))


def _family(values: Iterable[Any]) -> Family:
    first = next((value for value in values if value is not None), None)
    if isinstance(first, list | tuple | np.ndarray):
        return "list"
    return next((family for kind, family in _FAMILIES if isinstance(first, kind)), "unknown")
