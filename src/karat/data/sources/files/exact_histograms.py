"""Exact histograms larger than memory: sorted runs on disk, merged range by range."""

from __future__ import annotations

import contextlib
import mmap
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.scores.histograms import repeated
from karat.data.scores.rows import InMemoryScores
from karat.data.sources.files.duck import writing_temporary
from karat.tally import HistogramColumn
from karat.tally.score_histogram import EXACT, ScoreHistogram
from karat.tally.score_kind import ScoreKind

Numbers: TypeAlias = npt.NDArray[Any]


class UnnamedFile:
    """Arrays of 8-byte numbers that are appended, and read without being loaded into memory.

    For any number of arrays, it uses one open file, and one more for its memory map.

    Errors:
        K418 there is not enough disk space; raised by every method.
    """

    def __init__(self) -> None:
        with writing_temporary():
            self._file = tempfile.TemporaryFile(prefix="karat-exact-")  # noqa: SIM115
        self._map: mmap.mmap | None = None
        self.n = 0
        """Number of numbers in it."""

    def append(self, array: Numbers) -> None:
        assert array.itemsize == 8
        with writing_temporary():
            self._file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        self.n += array.size

    def read(self, first: int, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Numbers:
        """Return the array that begins at `first`: a view of the file, valid as long as it exists.

        Cost: one memory map whenever the file has grown.
        """
        size = int(np.prod(shape))
        if not size:
            return np.empty(shape, dtype)
        if self._map is None or len(self._map) < 8 * (first + size):
            with writing_temporary():
                self._file.flush()
            self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        return np.frombuffer(self._map, dtype, size, 8 * first).reshape(shape)

    def close(self) -> None:
        """Close for appending; earlier reads stay valid."""
        # Unwritten data is no longer needed; the file itself is deleted.
        with contextlib.suppress(OSError):
            self._file.close()


Floats: TypeAlias = npt.NDArray[np.float64]

_OnDisk: TypeAlias = Callable[[], ScoreHistogram]
"""Reads a histogram on disk."""
N_RANGE: Final = 1 << 20
"""Approximate number of score levels merged in memory at once."""


class TableFiles:
    """Exact histograms on disk, in one file for each of their arrays."""

    def __init__(self, *, is_weighted: bool) -> None:
        names = ("low", "counts", "squares") if is_weighted else ("low", "counts")
        self._files = {name: UnnamedFile() for name in names}
        self._count = np.float64 if is_weighted else np.int64

    def add(self, parts: Iterable[ScoreHistogram], n_rows: int, k: int) -> _OnDisk:
        """Write a histogram that comes in parts, best score levels first.

        Args:
            n_rows: number of rows.
            k: number of classes.

        Returns:
            The reader of the histogram, whose arrays stay on disk.
        """
        first, n_levels = {name: file.n for name, file in self._files.items()}, 0
        for part in parts:
            assert part.is_exact
            n_levels += part.n_levels
            for name, file in self._files.items():
                file.append(getattr(part, name))

        def read(name: str, *shape: int, dtype: npt.DTypeLike = np.float64) -> Numbers:
            return self._files[name].read(first[name], shape, dtype)

        def table() -> ScoreHistogram:
            low = read("low", n_levels)
            counts = read("counts", n_levels, k, dtype=self._count)
            squares = read("squares", n_levels, k) if "squares" in self._files else None
            return ScoreHistogram(low, low, counts, squares, None, EXACT, n_rows)

        return table

    def close(self) -> None:
        """Close for adding; earlier histograms stay readable."""
        for file in self._files.values():
            file.close()


def _part(table: ScoreHistogram, first: int, last: int, own: int | None) -> ScoreHistogram:
    """Return some score levels in memory, unchanged or as one class against the others."""

    def of(numbers: Numbers) -> Numbers:
        found = numbers[first:last]
        return found if own is None else HistogramColumn.two_sides(found, own)

    low = np.asarray(table.low[first:last])
    squares = None if table.squares is None else of(table.squares)
    return ScoreHistogram(low, low, of(table.counts), squares, None, EXACT, 0)


def _merged(tables: Sequence[ScoreHistogram], *, is_pooled: bool) -> Iterator[ScoreHistogram]:
    """Yield merged score levels, best first, one range of scores after the other.

    Args:
        is_pooled: whether each histogram is merged as its class against the others.
    """
    at = [0] * len(tables)
    step = max(N_RANGE // max(len(tables), 1), 1)
    while any(first < table.n_levels for first, table in zip(at, tables, strict=True)):
        # Down to the highest score that ends a step of any histogram: all are known to that point.
        border = max(
            float(table.low[min(first + step, table.n_levels) - 1])
            for table, first in zip(tables, at, strict=True)
            if first < table.n_levels
        )
        part: ScoreHistogram | None = None
        for i, table in enumerate(tables):
            rest = -np.asarray(table.low[at[i] : at[i] + step])
            stop = at[i] + int(np.searchsorted(rest, -border, "right"))
            if stop == at[i]:
                continue
            one = _part(table, at[i], stop, i if is_pooled else None)
            part = one if part is None else part.merge(one)
            at[i] = stop
        assert part is not None
        yield part


class ExactColumns:
    """Every column of rows with scores, and their confidences, as histograms on disk.

    Args:
        k: number of classes.
        kind: whether the scores are probabilities, logits or others.
        is_weighted: whether rows have weights.
        is_frequency: whether a row of weight 3 stands for three independent rows.
    """

    def __init__(
        self, k: int, *, kind: ScoreKind, is_weighted: bool, is_frequency: bool = False
    ) -> None:
        self._k, self._is_prob, self._is_weighted = k, kind == "probabilities", is_weighted
        self._is_frequency = is_frequency and is_weighted
        self._parts = TableFiles(is_weighted=is_weighted)
        self._open = [self._parts]
        # For each column, for each of its softmax columns, and for the confidences.
        self._runs: list[list[_OnDisk]] = [[] for _ in range((1 if self._is_prob else 2) * k + 1)]
        self._ranks: tuple[ScoreHistogram, ...] = ()

    def add(self, rows: InMemoryScores) -> None:
        """Write the histograms of more rows."""
        k, weights = rows.classes.k, rows.weights
        runs = iter(self._runs)

        def add(values: Floats, codes: Numbers, n_classes: int = k) -> None:
            found = ScoreHistogram.of(values, codes, n_classes, weights)
            found = repeated(found) if self._is_frequency else found
            next(runs).append(self._parts.add([found], found.n_rows, n_classes))

        for is_prob in (False,) if self._is_prob else (False, True):
            for i in range(k):
                add(rows.column_values(i, is_prob=is_prob), rows.codes)
        add(*rows.confidence_values(), 2)

    def merged(
        self,
    ) -> tuple[tuple[ScoreHistogram, ...], tuple[ScoreHistogram, ...], ScoreHistogram]:
        """Return the histograms of the columns, of their softmax, and of the confidences, on disk.

        Cost: each run is read and written once; memory for a few million score levels.
        """
        whole = self._files()
        found = []
        for runs in self._runs:
            tables = [table() for table in runs]
            k = tables[0].counts.shape[1] if tables else self._k
            found.append(self._written(whole, tables, k))
        *columns, confidences = [table() for table in found]
        self._ranks = tuple(columns[: self._k])
        return self._ranks, tuple(columns[self._k :]), confidences

    def pooled(self) -> ScoreHistogram:
        """After `merged`, return every row and class as one row of two classes, on disk as well."""
        return self._written(self._files(), self._ranks, 2, is_pooled=True)()

    @staticmethod
    def _written(
        files: TableFiles, tables: Sequence[ScoreHistogram], k: int, *, is_pooled: bool = False
    ) -> _OnDisk:
        parts = _merged(tables, is_pooled=is_pooled)
        return files.add(parts, sum(table.n_rows for table in tables), k)

    def _files(self) -> TableFiles:
        self._open.append(TableFiles(is_weighted=self._is_weighted))
        return self._open[-1]

    def close(self) -> None:
        """Close for adding; the histograms stay readable."""
        for files in self._open:
            files.close()
