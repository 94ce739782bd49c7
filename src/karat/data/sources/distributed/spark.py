"""Source for Spark: one partial for each partition by `DataFrame.mapInArrow`, merged in a tree.

It calls only methods of DataFrames, which classic sessions and Spark Connect share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from karat.data.roles import Family
from karat.data.sources.distributed.partials import Partial, check_all
from karat.data.sources.distributed.partitions import (
    Reading,
    merge_bytes,
    tally_partition,
    whole_of,
)
from karat.data.sources.tables.frames import family_of
from karat.errors import error, short
from karat.tally.cached import cached_property

_SCHEMA: Final = "partition long, place int, n_pieces int, data binary"
_PIECE_BYTES: Final = 1 << 22
"""Bytes of a row of a partial, which is copied several times between Python and Java."""
_MERGERS: Final = 16
"""Number of tasks of the first merge, if Spark does not choose it by the amount of data."""
_ADAPTIVE: Final = "spark.sql.adaptive.enabled"
_JOB: Final = "spark.job.description"


@dataclass(frozen=True)
class SparkFrame:
    """Adapter of a Spark DataFrame, classic or Connect."""

    table: Any

    kind = "Spark DataFrame"
    counted = "n_partitions"
    of_text = ""

    @cached_property
    def _kinds(self) -> list[tuple[str, str]]:
        return [(str(name), str(kind)) for name, kind in self.table.dtypes]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self._kinds)

    @property
    def types(self) -> dict[str, Family]:
        """Content of each column; a vector of Spark ML is a list."""
        return {name: "list" if kind == "vector" else family_of(kind) for name, kind in self._kinds}

    def hold_sets(self, _: str) -> bool:
        """Return False: types show which columns contain lists."""
        return False

    def tally(self, reading: Reading) -> Partial:
        """Tally all rows; K502 the workers have no karat, K503 partitions are lost or duplicate."""
        words = reading.to_bytes()
        frame = self.table.select(*self._columns(reading))
        found = frame.mapInArrow(partial(_tally, words=words), _SCHEMA)
        merge = partial(_merge, words=words)
        if frame.sparkSession.conf.get(_ADAPTIVE, "true") == "true":
            spread = found.repartition("partition")
        else:
            spread = found.repartition(_MERGERS, "partition")
        found = spread.mapInArrow(merge, _SCHEMA)
        if reading.wants in ("rows", "sets"):
            # Rows may be large: only one partial reaches the caller.
            found = found.repartition(1).mapInArrow(merge, _SCHEMA)
        with _described(frame.sparkSession), _explained(frame.sparkSession):
            rows = found.collect()
        whole = whole_of(joined(map(tuple, rows)), reading)
        if whole is None:
            return Partial(((0, 0),))
        check_all(whole, None)
        return whole

    def _columns(self, reading: Reading) -> list[Any]:
        from pyspark.sql import functions

        kinds = dict(self._kinds)
        chosen: list[Any] = []
        for name in reading.columns:
            column = functions.col("`" + name.replace("`", "``") + "`")
            if kinds[name] == "vector":
                from pyspark.ml.functions import vector_to_array

                column = vector_to_array(column)
            # mapInArrow does not quote its names.
            chosen.append(column.alias(f"c{len(chosen)}"))
        return chosen


def pieces(data: bytes, number: int, n_bytes: int = _PIECE_BYTES) -> Iterator[tuple[Any, ...]]:
    """Yield rows of a partial: its number, the piece, the number of pieces, and the bytes."""
    starts = range(0, len(data), n_bytes)
    for place, start in enumerate(starts):
        yield number, place, len(starts), data[start : start + n_bytes]


def joined(rows: Iterable[tuple[Any, ...]]) -> Iterator[bytes]:
    """Yield the partials in rows, each as soon as it is complete.

    Errors:
        K503 a row is duplicate, or a partial is incomplete.
    """
    parts: dict[int, dict[int, bytes]] = {}
    done: set[int] = set()
    for number, place, n_pieces, data in rows:
        found = parts.setdefault(number, {})
        if number in done or place in found:
            raise error("K503", found=f"Partition {number} arrived twice")
        found[place] = bytes(data)
        if len(found) == n_pieces:
            del parts[number]
            done.add(number)
            yield b"".join(found[i] for i in range(n_pieces))
    for number in parts:
        raise error("K503", found=f"A part of partition {number} is missing")


def _tally(batches: Iterator[Any], words: bytes) -> Iterator[Any]:
    """Tally a partition, in a task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    number = context.partitionId()
    reading = Reading.from_bytes(words)
    blocks = _blocks(batches, reading.columns, reading.block_rows)
    found = tally_partition(blocks, number, reading)
    yield from _batches([found.to_bytes()], lambda _: number)


def _merge(batches: Iterator[Any], words: bytes) -> Iterator[Any]:
    """Merge partials, in a task."""
    reading = Reading.from_bytes(words)
    rows = (tuple(row.values()) for batch in batches for row in batch.to_pylist() if batch.num_rows)
    found = merge_bytes(joined(rows), reading)
    yield from _batches(found, lambda data: Partial.from_bytes(data, reading.empty).first)


def _blocks(batches: Iterable[Any], names: Sequence[str], n_least: int) -> Iterator[Any]:
    """Yield tables of enough rows, with columns named as in the frame."""
    import pyarrow as pa

    def table() -> Any:
        return pa.Table.from_batches(waiting).rename_columns(list(names))

    waiting: list[Any] = []
    n_rows = 0
    for batch in batches:
        waiting.append(batch)
        n_rows += batch.num_rows
        if n_rows >= n_least:
            yield table()
            waiting, n_rows = [], 0
    if waiting:
        yield table()


def _batches(parts: Iterable[bytes], number_of: Callable[[bytes], int]) -> Iterator[Any]:
    import pyarrow as pa

    kinds = (pa.int64(), pa.int32(), pa.int32(), pa.binary())
    names = ("partition", "place", "n_pieces", "data")
    for part in parts:
        for row in pieces(part, number_of(part)):
            arrays = [pa.array([x], kind) for x, kind in zip(row, kinds, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, names=list(names))


@contextmanager
def _described(session: Any) -> Iterator[None]:
    """Context in which jobs are named after karat in Spark's web UI, if the session allows it."""
    if ".connect." in type(session).__module__:
        session.addTag("karat")
        try:
            yield
        finally:
            session.removeTag("karat")
        return
    context = session.sparkContext
    before = context.getLocalProperty(_JOB)
    context.setLocalProperty(_JOB, "karat: tally of predictions")
    try:
        yield
    finally:
        context.setLocalProperty(_JOB, before)


@contextmanager
def _explained(session: Any) -> Iterator[None]:
    """Context that explains errors of tasks without karat, with the Python they use."""
    try:
        yield
    except Exception as problem:
        lines = [line for line in str(problem).splitlines() if "No module named 'karat" in line]
        if not lines:
            raise
        found, python = short(lines[0].strip(), 120), _python_of_tasks(session)
        raise error(
            "K502",
            host="Spark",
            found=found if python is None else f"{found}; their Python is {python}",
            advice="Install the same karat there, or name a Python that has it before the session "
            "starts: on one machine, os.environ['PYSPARK_PYTHON'] = sys.executable.",
        ) from None


def _python_of_tasks(session: Any) -> str | None:
    """Return the Python that tasks run; None if unknown."""

    def where() -> str:
        import sys

        return sys.executable

    # The code is sent, not a name that would be looked up in karat.
    where.__module__ = "__main__"
    try:
        from pyspark.sql import functions

        request = functions.udf(where, "string", useArrow=False)
        return str(session.range(1).select(request().alias("python")).collect()[0][0])
    except Exception:  # another error is reported
        return None
