"""Source for Dask: one partial for each partition by delayed calls, merged in a tree."""

from __future__ import annotations

import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from karat.data.labels.sets import are_sets
from karat.data.roles import Family
from karat.data.sources.distributed.partials import Partial, check_all
from karat.data.sources.distributed.partitions import (
    Reading,
    merge_bytes,
    tally_partition,
    whole_of,
)
from karat.data.sources.set_columns import N_LOOKED
from karat.data.sources.tables.frames import family_of
from karat.errors import error, short

_FAN_IN: Final = 8
"""Number of partials that one task merges."""


@dataclass(frozen=True)
class DaskFrame:
    """Adapter of a Dask DataFrame."""

    table: Any

    kind = "Dask DataFrame"
    counted = "n_partitions"
    of_text = (
        "If it held lists, Dask has converted them to text; it keeps lists after "
        "dask.config.set({'dataframe.convert-string': False}), where the frame is made."
    )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map(str, self.table.columns))

    @property
    def types(self) -> dict[str, Family]:
        return {
            name: family_of(kind.categories.dtype if hasattr(kind, "categories") else kind)
            for name, kind in zip(self.names, self.table.dtypes, strict=True)
        }

    def hold_sets(self, name: str) -> bool:
        """Return whether the first rows of a column of objects contain sets of labels.

        Cost: the first partition is read.
        """
        column = self.table[[self.table.columns[self.names.index(name)]]]
        with warnings.catch_warnings():
            # A partition may have fewer rows.
            warnings.simplefilter("ignore")
            return are_sets(column.head(N_LOOKED).iloc[:, 0])

    def tally(self, reading: Reading) -> Partial:
        """Tally all rows; K502 the workers have no karat, K503 partitions are lost or duplicate."""
        from dask.base import compute
        from dask.delayed import delayed

        names = self.names
        wanted = [self.table.columns[names.index(name)] for name in reading.columns]
        blocks = self.table[wanted].to_delayed()
        words, run = reading.to_bytes(), uuid.uuid4().hex[:12]

        def call(function: Any, *args: Any, name: str) -> Any:
            return delayed(function, pure=False)(*args, dask_key_name=f"{name}-{run}")

        level = [
            call(_tally, block, place, words, name=f"karat-tally-{place}")
            for place, block in enumerate(blocks)
        ]
        # Rows may be large: only one partial of them reaches the caller, who merges two others.
        n_last = 1 if reading.wants in ("rows", "sets") else 2
        depth = 0
        while len(level) > n_last:
            groups = [level[i : i + _FAN_IN] for i in range(0, len(level), _FAN_IN)]
            level = [
                call(_merge, group, words, name=f"karat-merge-{depth}-{place}")
                for place, group in enumerate(groups)
            ]
            depth += 1
        with _explained():
            partials = compute(*level)  # type: ignore[no-untyped-call, unused-ignore]
        whole = whole_of((part for each in partials for part in each), reading)
        if whole is None:
            raise error("K503", found="No partition arrived")
        check_all(whole, len(blocks))
        return whole


def _tally(block: Any, place: int, words: bytes) -> list[bytes]:
    """Tally a partition, in a task."""
    reading = Reading.from_bytes(words)
    n = reading.block_rows
    blocks = (block.iloc[start : start + n] for start in range(0, len(block), n))
    return [tally_partition(blocks, place, reading).to_bytes()]


def _merge(parts: Sequence[list[bytes]], words: bytes) -> list[bytes]:
    """Merge partials, in a task."""
    return merge_bytes([part for group in parts for part in group], Reading.from_bytes(words))


@contextmanager
def _explained() -> Iterator[None]:
    """Context that explains errors of tasks without karat."""
    try:
        yield
    except Exception as problem:
        found: BaseException | None = problem
        while found is not None:
            if "No module named 'karat" in str(found):
                raise error("K502", host="Dask", found=short(str(found), 120)) from None
            found = found.__cause__ or found.__context__
        raise
