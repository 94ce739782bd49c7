"""Exact tables of more scores than memory holds: sorted runs on disk, merged range by range."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.engines.scores import ScoreTally
from karat.engines.tabled_scores import repeated
from karat.tally.buckets import EXACT
from karat.tally.score_table import ScoreTable

__all__ = ["ExactColumns", "Runs"]

Numbers: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]

N_RANGE: Final = 1 << 20
"""Rungs that are merged in memory at once, about."""
_ARRAYS: Final = ("low", "counts", "squares")


class Runs:
    """Exact tables of parts of a column, on disk, to be merged into one on disk.

    Args:
        folder: an empty folder of its own.
        k: number of classes.
        is_weighted: whether counts are sums of weights.
    """

    def __init__(self, folder: Path, k: int, *, is_weighted: bool) -> None:
        self._folder, self._k, self._is_weighted = folder, k, is_weighted
        self._n_runs = self._n_rows = 0
        folder.mkdir(parents=True)

    def add(self, table: ScoreTable) -> None:
        """Write the table of a part."""
        assert table.is_exact
        for name, array in self._arrays(table).items():
            np.save(self._folder / f"{self._n_runs}.{name}.npy", array)
        self._n_runs += 1
        self._n_rows += table.n_rows

    def _arrays(self, table: ScoreTable) -> dict[str, Numbers]:
        arrays = {"low": table.low, "counts": table.counts, "squares": table.squares}
        return {name: array for name, array in arrays.items() if array is not None}

    def merged(self) -> ScoreTable:
        """The table of all parts: its arrays lie on disk, and are good while the folder is there.

        Cost: each run is read twice and written once; memory for some million rungs.
        """
        runs = [self._opened(place) for place in range(self._n_runs)]
        paths = {name: self._folder / f"merged.{name}" for name in self._names}
        n = 0
        files = {name: path.open("wb") for name, path in paths.items()}
        try:
            for part in self._ranges(runs):
                n += part.n_rungs
                for name, array in self._arrays(part).items():
                    files[name].write(np.ascontiguousarray(array).tobytes())
        finally:
            for file in files.values():
                file.close()
        whole = {name: self._mapped(path, name, n) for name, path in paths.items()}
        low = whole["low"]
        return ScoreTable(
            low, low, whole["counts"], whole.get("squares"), None, EXACT, self._n_rows
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return _ARRAYS if self._is_weighted else _ARRAYS[:2]

    def _mapped(self, path: Path, name: str, n: int) -> Numbers:
        shape = (n,) if name == "low" else (n, self._k)
        dtype = np.int64 if name == "counts" and not self._is_weighted else np.float64
        if not n:
            return np.empty(shape, dtype)
        return np.memmap(path, dtype, "r", shape=shape)

    def _opened(self, place: int) -> dict[str, Numbers]:
        return {
            name: np.load(self._folder / f"{place}.{name}.npy", mmap_mode="r")
            for name in self._names
        }

    def _ranges(self, runs: list[dict[str, Numbers]]) -> Iterator[ScoreTable]:
        """Merged rungs, best first, of one range of scores after the other."""
        at = [0] * len(runs)
        step = max(N_RANGE // max(len(runs), 1), 1)
        while any(at[i] < len(run["low"]) for i, run in enumerate(runs)):
            # Down to the highest of the scores that end a step of each run: all runs are known
            # that far.
            ends = [
                float(run["low"][min(at[i] + step, len(run["low"])) - 1])
                for i, run in enumerate(runs)
                if at[i] < len(run["low"])
            ]
            border = max(ends)
            part: ScoreTable | None = None
            for i, run in enumerate(runs):
                rest = -np.asarray(run["low"][at[i] : at[i] + step])
                stop = at[i] + int(np.searchsorted(rest, -border, "right"))
                if stop == at[i]:
                    continue
                one = self._table(run, slice(at[i], stop))
                part = one if part is None else part.merge(one)
                at[i] = stop
            assert part is not None
            yield part

    def _table(self, run: dict[str, Numbers], part: slice) -> ScoreTable:
        low = np.asarray(run["low"][part])
        squares = np.asarray(run["squares"][part]) if self._is_weighted else None
        return ScoreTable(low, low, np.asarray(run["counts"][part]), squares, None, EXACT, 0)


class ExactColumns:
    """Every column of rows with scores, and their confidences, as runs on disk.

    Args:
        folder: an empty folder.
        k: number of classes.
        is_prob: whether the scores are probabilities.
        is_weighted: whether rows carry weights.
        is_frequency: whether a row of weight 3 stands for three rows, which err as three do.
    """

    def __init__(
        self, folder: Path, k: int, *, is_prob: bool, is_weighted: bool, is_frequency: bool = False
    ) -> None:
        self._is_frequency = is_frequency and is_weighted

        def runs(name: str, n_classes: int = k) -> Runs:
            return Runs(folder / name, n_classes, is_weighted=is_weighted)

        self._ranks = [runs(f"ranks_{i}") for i in range(k)]
        self._probabilities = [] if is_prob else [runs(f"probabilities_{i}") for i in range(k)]
        self._confidences = runs("confidences", 2)

    def add(self, rows: ScoreTally) -> None:
        """Write the tables of more rows."""
        k, weights = rows.classes.k, rows.weights

        def table(values: Floats, codes: Numbers, n_classes: int = k) -> ScoreTable:
            found = ScoreTable.of(values, codes, n_classes, weights)
            return repeated(found) if self._is_frequency else found

        for i, column in enumerate(self._ranks):
            column.add(table(rows.column_values(i, is_prob=False), rows.codes))
        for i, column in enumerate(self._probabilities):
            column.add(table(rows.column_values(i, is_prob=True), rows.codes))
        sure, is_right = rows.confidence_values()
        self._confidences.add(table(sure, is_right, 2))

    def merged(
        self,
    ) -> tuple[tuple[ScoreTable, ...], tuple[ScoreTable, ...], ScoreTable]:
        """The tables of the columns, of their softmax, and of the confidences."""
        ranks = tuple(column.merged() for column in self._ranks)
        probabilities = tuple(column.merged() for column in self._probabilities)
        return ranks, probabilities, self._confidences.merged()
