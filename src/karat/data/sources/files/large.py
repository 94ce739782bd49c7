"""Large Parquet files, read in units, and checkpoints of the read."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy.typing as npt

from karat.data.accumulator import Source, Tallies
from karat.data.part_bytes import packed_tallies, unpacked_tallies
from karat.data.roles import SCORE_ROLES
from karat.data.rows import Rows
from karat.data.scores.rows import InMemoryScores
from karat.data.scores.storage import ScoreParts
from karat.data.sources.columns import TableRequest
from karat.data.sources.files.exact_histograms import ExactColumns
from karat.data.sources.files.paths import contents, find, is_read_once
from karat.data.sources.files.units import FileUnits, units_of_files
from karat.data.sources.logged import logged
from karat.errors import KaratError, error, short
from karat.errors.options import option
from karat.errors.reasons import DamagedError, NewerError
from karat.errors.text import harmless
from karat.tally.serialization import MAGIC, damaged, framed, unframed
from karat.tally.writing import remove_leftovers, write_bytes

_OF_COLUMNS: Final = (
    *("true", "pred", *SCORE_ROLES, "clusters", "labels", "positive", "weights", "nulls"),
)
"""What a checkpoint knows of the columns to read."""
_DENSEST: Final = 64
"""Scores take at least this fraction of the size of Parquet files in memory."""


def large_files(
    source: Any, request: TableRequest, max_memory: int, checkpoint: str | os.PathLike[str] | None
) -> FileUnits | None:
    """Return units of Parquet files whose scores do not fit, or whose read is resumed.

    Args:
        source: files.
        request: the columns to read.
        max_memory: memory limit in bytes for rows with scores.
        checkpoint: a file to resume from and to write to, or None.

    Returns:
        The units; None if everything fits, and for other files, which are read as a whole.

    Errors:
        As in `rows_of_files`; K415 a checkpoint for other than Parquet files.
    """
    if is_read_once(source):
        if checkpoint is not None:
            found = "A stream cannot be read again"
            raise error("K415", option=option("checkpoint"), found=found)
        return None
    if checkpoint is None:
        with ExitStack() as cleanup:
            given = find(source, cleanup)
        is_parquet = given.query is None and all(file.kind == "parquet" for file in given.files)
        # Compare their size with the memory limit.
        if not is_parquet or sum(f.n_bytes for f in given.files) <= max_memory // _DENSEST:
            return None
    most = max_memory if checkpoint is None else None
    # The read as a whole has the progress, and rows are not listed.
    request = replace(request, progress=logged(), lists_rows=False, is_frequency=False)
    units = units_of_files(source, most, request)
    if units is None and checkpoint is not None:
        found = "The source is a query, or has other files than Parquet"
        raise error("K415", option=option("checkpoint"), found=found)
    return units


@dataclass(frozen=True)
class ReadingUnits:
    """Observer of a read of units: a progress bar on a terminal, and a checkpoint.

    Attributes:
        units: the units.
        empty: the accumulator of rows with scores.
        bar: called with the number of rows read and the total, or None.
        checkpoint: or None.
    """

    units: FileUnits
    empty: ScoreParts
    bar: Callable[[int, int], None] | None = None
    checkpoint: Checkpoint | None = None

    @classmethod
    def of(
        cls,
        units: FileUnits,
        empty: ScoreParts,
        bar: Callable[[int, int], None] | None,
        checkpoint: str | os.PathLike[str] | None,
        request: TableRequest,
    ) -> ReadingUnits:
        """Return the observer of a read of these columns; K413 an invalid checkpoint."""
        if checkpoint is None:
            return cls(units, empty, bar)
        kept: dict[str, Any] = {name: getattr(request, name) for name in _OF_COLUMNS}
        if request.labels_are_text:
            kept |= {"where": request.where, "labels_are_text": True}
        kept |= {name: getattr(empty, name) for name in ("threshold", "max_memory", "is_frequency")}
        if request.formats.text:
            kept["text"] = sorted(request.formats.text)
        if units.later.groups:
            # Counts for other slices, or without any, cannot be continued.
            kept["groups"] = units.later.groups
        return cls(units, empty, bar, Checkpoint.of(checkpoint, units, kept))

    def start(self) -> tuple[int, Tallies]:
        """Return the units read before, and their tallies; K414 an invalid checkpoint."""
        found = (0, Tallies()) if self.checkpoint is None else self.checkpoint.load(self.empty)
        self._tell(found[0])
        return found

    def done(self, n_batches: int, so_far: Tallies) -> None:
        """Report the number of units read; K413 the checkpoint cannot be written."""
        self._tell(n_batches)
        if self.checkpoint is not None:
            is_last = n_batches == self.units.n_batches
            self.checkpoint.save(n_batches, so_far, is_last=is_last)

    def _tell(self, n_batches: int) -> None:
        if self.bar is not None:
            self.bar(sum(unit.n for unit in self.units.units[:n_batches]), self.units.n_rows)


def refined(
    scores: ScoreParts, source: Source, n_threads: int | None, cleanup: ExitStack
) -> ScoreParts:
    """Return the tallies with every distinct score, from a second read; histograms are on disk."""
    scores = scores.settled(n_threads)
    if scores.histograms is None or scores.histograms.is_exact:
        return scores
    columns = ExactColumns(
        scores.classes.k,
        kind=scores.kind,
        is_weighted=scores.histograms.is_weighted,
        is_frequency=scores.is_frequency,
    )
    cleanup.callback(columns.close)
    for found in source.batches():
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


_SPECIES: Final = "checkpoint"
_FORMAT: Final = 2
"""Version of the format; an increase prevents a later version from resuming a read."""
_SHARE: Final = 20
"""Writing may take this fraction of the time."""
_OF_OTHERS: Final = "it belongs to other arguments, or another version of karat wrote it"
_ANEW: Final = "Delete it to start again, or name another file."
_OTHER: Final = "Name another file for the checkpoint; this one stays as it is."


@dataclass
class Checkpoint:
    """File with the progress of a read; it is written completely or not at all.

    Attributes:
        path: the file.
        read: identity of the read: arguments, and the rows of each unit.
        files: path, size and digest of the content of each file, in reading order.
    """

    path: Path
    read: str
    files: Sequence[tuple[str, int, str]] = ()
    _next: float = field(default=0.0, repr=False)

    @classmethod
    def of(
        cls, path: str | os.PathLike[str], units: FileUnits, settings: Mapping[str, Any]
    ) -> Checkpoint:
        """Return the checkpoint of a read; K413 its folder does not exist, or it is not a path."""
        try:
            place = Path(path)
            if "\0" in str(place):
                raise ValueError("it holds a null character")
            is_file = place.parent.is_dir() and not place.is_dir()
        except (TypeError, ValueError) as problem:
            raise error("K413", path=short(path), found=f"it is not a path: {problem}") from None
        if not is_file:
            found = "there is no such folder, or the path is a folder"
            raise error("K413", path=str(path), found=found)
        told = {
            "format": _FORMAT,
            # The boundaries of units may change between versions.
            "units": units.cuts,
            "settings": settings,
        }
        text = json.dumps(told, sort_keys=True, default=_told)
        read = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return cls(place, read, contents(list(units.stamps)))

    def load(self, empty: ScoreParts) -> tuple[int, Tallies]:
        """Return the number of batches read at the last write, and their tallies.

        Temporary files of killed reads are removed.

        Errors:
            K414 it belongs to another read, is damaged, of a newer version, or not a checkpoint.
        """
        remove_leftovers(self.path)
        if not self.path.exists():
            return 0, Tallies()

        def assembled(
            header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
        ) -> tuple[int, Tallies]:
            if header["species"] != _SPECIES:
                raise self._refused(f"it holds {header['species']!r}, not a {_SPECIES}", _OTHER)
            if changed := self._difference(header.get("files", self.files)):
                raise self._refused(changed, _ANEW)
            if header["read"] != self.read:
                raise self._refused(_OF_OTHERS, _ANEW)
            n_units, n_dropped = counted = header["n_units"], header["n_dropped"]
            if any(type(n) is not int or n < 0 for n in counted):
                raise damaged(f"It has {short(counted)} for units read and rows left out")
            unverified = header.get("unverified", [])
            if any(type(n) is not int or not isinstance(x, str | int) for x, n in unverified):
                raise damaged("Its rows without truth are not counted")
            found = unpacked_tallies(header, arrays["parts"], empty)
            return n_units, replace(found, n_dropped=n_dropped, unverified=dict(unverified))

        try:
            return unframed(self._bytes(), ("parts",), assembled, ("parts",))
        except KaratError as problem:
            if isinstance(problem, NewerError):
                found = "a newer karat wrote it (format version {version}; this one reads {newest})"
                do = "Upgrade karat, or name another file."
                raise self._refused(found.format(**problem.context), do) from None
            if isinstance(problem, DamagedError):
                found = str(problem.context["found"])
                raise self._refused(
                    f"it is damaged: {found[:1].lower()}{found[1:]}", _ANEW
                ) from None
            raise

    def _difference(self, before: Any) -> str:
        """Return which file is not what it was, and how; empty if all are."""
        try:
            kept = {str(path): (int(size), str(digest)) for path, size, digest in before}
        except (TypeError, ValueError):
            raise damaged("Its files are not listed") from None
        now = {path: content for path, *content in self.files}
        for path in dict.fromkeys((*kept, *now)):
            shown = harmless(path)
            if path not in kept:
                return f"{shown} was not among its files"
            if path not in now:
                return f"it was made with {shown}, which is not among the files now"
            sizes = kept[path][0], now[path][0]
            if sizes[0] != sizes[1]:
                return f"{shown} has changed: it had {sizes[0]} bytes, and has {sizes[1]}"
            if kept[path][1] != now[path][1]:
                return f"{shown} has changed: it has as many bytes, and other content"
        return "" if [*kept] == [*now] else "its files were in another order"

    def _bytes(self) -> bytes:
        """Return the content of the file, unless its first bytes show another format."""
        try:
            with self.path.open("rb") as file:
                start = file.read(len(MAGIC))
                if start != MAGIC:
                    raise self._refused(f"it is something else, and starts with {start!r}", _OTHER)
                return start + file.read()
        except OSError as problem:
            raise self._refused(f"it cannot be read: {problem.strerror}", _OTHER) from problem

    def _refused(self, found: str, do: str) -> KaratError:
        return error("K414", path=str(self.path), found=found, do=do)

    def save(self, n_batches: int, so_far: Tallies, *, is_last: bool = False) -> None:
        """Write the progress, unless that would take too much of the time.

        Errors:
            K413 the file cannot be written.
        """
        now = time.monotonic()
        if now < self._next and not is_last:
            return
        facts, parts = packed_tallies(so_far)
        header = {
            "species": _SPECIES,
            "read": self.read,
            "files": self.files,
            "n_units": n_batches,
            "n_dropped": so_far.n_dropped,
            "unverified": list(so_far.unverified.items()),
            **facts,
        }
        try:
            write_bytes(self.path, framed(header, {"parts": parts}))
        except OSError as problem:
            raise error("K413", path=str(self.path), found=str(problem.strerror)) from problem
        after = time.monotonic()
        self._next = after + _SHARE * (after - now)


def _told(value: Any) -> Any:
    """Convert types that JSON lacks, completely: texts of long arrays omit items."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, Iterable) else repr(value)
