"""Parquet files too large to hold: when they are read unit by unit, and what follows the read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Final

from karat.data.accumulator import Tallies
from karat.data.rows import Rows
from karat.data.scores.rows import InMemoryScores
from karat.data.scores.storage import ScoreParts
from karat.data.sources.files.checkpoints import Checkpoint
from karat.data.sources.files.exact_histograms import ExactColumns
from karat.data.sources.files.paths import find, is_read_once
from karat.data.sources.files.units import FileUnits, units_of_files
from karat.errors import error

__all__ = ["ReadingUnits", "following", "large_files", "refined"]

_DENSEST: Final = 64
"""Parquet files hold scores in at least one part of so many of their bytes in memory."""


def large_files(
    source: Any,
    named: Mapping[str, Any],
    *,
    max_memory: int,
    checkpoint: str | os.PathLike[str] | None,
    n_threads: int | None,
    **reading: Any,
) -> FileUnits | None:
    """Parquet files whose scores do not fit, or whose read is to be resumed.

    Args:
        source: files.
        named: the columns named for each role, and labels, positive, weights.
        max_memory: bytes that rows with scores may take.
        checkpoint: a file to resume from and to write to, or None.
        reading: where, nulls, labels_are_text, groups.

    Returns:
        Their units; None where everything fits, and for other files: they are read as a whole.

    Errors:
        As `rows_of_files`; K415 a checkpoint of anything but Parquet files.
    """
    if is_read_once(source):
        if checkpoint is not None:
            raise error("K415", option="checkpoint", found="A stream cannot be read again")
        return None
    if checkpoint is None:
        with ExitStack() as cleanup:
            given = find(source, cleanup)
        is_parquet = given.query is None and all(file.kind == "parquet" for file in given.files)
        # Whether they could hold more than fits, by their size.
        if not is_parquet or sum(f.n_bytes for f in given.files) <= max_memory // _DENSEST:
            return None
    units = units_of_files(source, n_threads=n_threads, **{"clusters": None, **named}, **reading)
    if units is None:
        if checkpoint is not None:
            found = "The source is a query, or has other files than Parquet"
            raise error("K415", option="checkpoint", found=found)
        return None
    return None if checkpoint is None and units.n_bytes <= max_memory else units


@dataclass(frozen=True)
class ReadingUnits:
    """Follows the read of units: a bar on a terminal, and a checkpoint.

    Attributes:
        units: what is read.
        empty: what rows with scores are added to.
        bar: called with the rows read and all rows, or None.
        checkpoint: or None.
    """

    units: FileUnits
    empty: ScoreParts
    bar: Callable[[int, int], None] | None = None
    checkpoint: Checkpoint | None = None

    def start(self) -> tuple[int, Tallies]:
        """The units that were read before, and what they gave.

        Errors:
            K414 a checkpoint that cannot be used.
        """
        found = (0, Tallies()) if self.checkpoint is None else self.checkpoint.load(self.empty)
        self._tell(found[0])
        return found

    def done(self, n_batches: int, so_far: Tallies) -> None:
        """So many units were read.

        Errors:
            K413 the checkpoint cannot be written.
        """
        self._tell(n_batches)
        if self.checkpoint is not None:
            is_last = n_batches == self.units.n_batches
            self.checkpoint.save(n_batches, so_far, is_last=is_last)

    def _tell(self, n_batches: int) -> None:
        if self.bar is not None:
            self.bar(sum(unit.n for unit in self.units.units[:n_batches]), self.units.n_rows)


def following(
    units: FileUnits,
    empty: ScoreParts,
    bar: Callable[[int, int], None] | None,
    checkpoint: str | os.PathLike[str] | None,
    named: Mapping[str, Any],
    **reading: Any,
) -> ReadingUnits:
    """What follows the read of units.

    Errors:
        K413 a checkpoint that cannot be written.
    """
    if checkpoint is None:
        return ReadingUnits(units, empty, bar)
    reading.pop("progress", None)
    arguments = {
        **named,
        **reading,
        "threshold": empty.threshold,
        "max_memory": empty.max_memory,
        "is_frequency": empty.is_frequency,
    }
    if units.later.groups:
        # What was counted for other slices, or without any, cannot be continued.
        arguments["groups"] = units.later.groups
    return ReadingUnits(units, empty, bar, Checkpoint.of(checkpoint, units, arguments))


def refined(
    scores: ScoreParts, units: FileUnits, n_threads: int | None, cleanup: ExitStack
) -> ScoreParts:
    """The same with every distinct score, from a second read; histograms lie on disk meanwhile."""
    scores = scores.settled(n_threads)
    if scores.histograms is None or scores.histograms.is_exact:
        return scores
    columns = ExactColumns(
        units.classes.k,
        is_prob=scores.is_prob,
        is_weighted=scores.histograms.is_weighted,
        is_frequency=scores.is_frequency,
    )
    cleanup.callback(columns.close)
    for found in units.batches():
        if isinstance(found, Rows):
            columns.add(InMemoryScores.of(found, scores.threshold, n_threads, is_part=True))
    ranks, probabilities, confidences = columns.merged()
    histograms = replace(
        scores.histograms,
        ranks=ranks,
        probabilities=probabilities,
        confidences=confidences,
        pooled=columns.pooled,
    )
    return replace(scores, histograms=histograms)
