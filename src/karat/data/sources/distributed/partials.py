"""Partial tallies of some partitions of a distributed frame, and their merge.

A partial depends only on its partitions. It lists them, so that none counts twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy.typing as npt

from karat.data.accumulator import Tallies, n_bytes_of
from karat.data.part_bytes import packed_tallies, unpacked_tallies
from karat.data.scores.storage import ScoreParts
from karat.errors import CATALOGUE, KaratError, error, short
from karat.errors.kinds import packed_error, unpacked_error
from karat.tally.serialization import damaged, framed, unframed
from karat.tally.shared import widest_order

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Numbers of partitions: first and last of each run, in order."""

_SPECIES: Final = "partial"


@dataclass(frozen=True, eq=False)
class Partial:
    """Tally of the rows of some partitions.

    Attributes:
        partitions: the partitions.
        n_rows: number of rows, including those left out.
        tallies: the accumulated tallies.
        width: length of the lists of a column, if requested.
        orders: columns of slices that all partitions order → every category in its order.
        problem: the error of a row, or None; with an error, the other fields are ignored.
    """

    partitions: Ranges
    n_rows: int = 0
    tallies: Tallies = field(default_factory=Tallies)
    width: int | None = None
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    problem: KaratError | None = None

    @property
    def n_dropped(self) -> int:
        """Number of rows that were left out."""
        return self.tallies.n_dropped

    @property
    def first(self) -> int:
        return self.partitions[0][0]

    @property
    def is_kept(self) -> bool:
        """True if its rows are kept unchanged, so that their order can still be chosen."""
        scores, sets = self.tallies.scores, self.tallies.sets
        if sets is not None:
            return not sets.is_sample
        return scores is not None and scores.histograms is None

    @property
    def n_bytes(self) -> int:
        """Bytes of pending rows or cells."""
        found = self.tallies
        if found.sets is not None:
            return found.sets.n_bytes
        if found.scores is not None and found.scores.held is not None:
            return found.scores.held.n_bytes
        return n_bytes_of(found.crossed) + (0 if found.cells is None else found.cells.counts.nbytes)

    def merge(self, other: Partial, empty: ScoreParts) -> Partial:
        """Merge both; kept rows are in the order of the call.

        Errors:
            K503 a partition is in both.
        """
        partitions = _united(self.partitions, other.partitions)
        wrong = [part for part in (self, other) if part.problem is not None]
        if wrong:
            return Partial(partitions, problem=min(wrong, key=lambda part: part.first).problem)
        if not (self.n_rows and other.n_rows):
            # Partitions without rows have no information on labels.
            return replace(self if self.n_rows else other, partitions=partitions)
        try:
            tallies = self.tallies.merge(other.tallies, empty, 1)
        except KaratError as problem:
            return Partial(partitions, problem=problem)
        n_rows = self.n_rows + other.n_rows
        width = self.width if self.width is not None else other.width
        each = {x: widest_order((self.orders[x], other.orders.get(x, ()))) for x in self.orders}
        orders = {x: order for x, order in each.items() if order and x in other.orders}
        return Partial(partitions, n_rows, tallies, width, orders)

    def with_rows(self, more: Partial, empty: ScoreParts) -> Partial:
        """Return the partial with more rows of its partitions.

        Errors:
            The errors of rows that cannot be combined.
        """
        if not self.n_rows:
            return more
        both = self.merge(replace(more, partitions=((-1, -1),)), empty)
        if both.problem is not None:
            raise both.problem
        return replace(both, partitions=self.partitions)

    def to_bytes(self) -> bytes:
        """The partial as bytes that `from_bytes` of this and every later version reads."""
        facts, whole = packed_tallies(self.tallies)
        problem = self.problem
        header = {
            "species": _SPECIES,
            "partitions": self.partitions,
            "n_rows": self.n_rows,
            "n_dropped": self.n_dropped,
            "width": self.width,
            "orders": self.orders,
            "problem": None if problem is None else packed_error(problem),
            **facts,
        }
        return framed(header, {"parts": whole})

    @classmethod
    def from_bytes(cls, data: bytes, empty: ScoreParts) -> Partial:
        """Read the output of `to_bytes`.

        Args:
            empty: the accumulator of rows with scores.

        Errors:
            K205 the bytes are truncated, altered or not a partial; K206 a newer version wrote them.
        """

        def assembled(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Partial:
            if header["species"] != _SPECIES:
                raise damaged(f"It holds {header['species']!r}, not a {_SPECIES}")
            problem = header["problem"]
            found = _contradiction(header)
            if found is not None:
                raise damaged(found)
            if problem is not None:
                problem = unpacked_error(CATALOGUE[problem["code"]].kind, problem)
            parts = unpacked_tallies(header, arrays["parts"], empty)
            return cls(
                tuple((first, last) for first, last in header["partitions"]),
                header["n_rows"],
                replace(parts, n_dropped=header["n_dropped"]),
                header["width"],
                {name: tuple(order) for name, order in header.get("orders", {}).items()},
                problem,
            )

        return unframed(data, ("parts",), assembled, ("parts",))


def _contradiction(header: dict[str, Any]) -> str | None:
    """Return a contradiction in the facts of a partial, or None."""
    problem = header["problem"]
    if problem is not None and not (isinstance(problem["message"], str) and problem["message"]):
        return "Its error has no message"
    before = -2
    for first, last in header["partitions"]:
        if type(first) is not int or type(last) is not int or not before + 1 < first <= last:
            return f"Its partitions are {short(header['partitions'])}"
        before = last
    if before < 0:
        return "It is of no partition"
    n_rows, n_dropped, width = header["n_rows"], header["n_dropped"], header["width"]
    if any(type(n) is not int for n in (n_rows, n_dropped)) or not 0 <= n_dropped <= n_rows:
        return f"It has {short(n_rows)} rows, {short(n_dropped)} of them left out"
    if width is not None and not (type(width) is int and width >= 0):
        return f"Its lists have {short(width)} numbers"
    return None


def merged(partials: Iterable[Partial], empty: ScoreParts) -> list[Partial]:
    """Merge into fewer partials, in the memory of `empty.max_memory` and one of them.

    Kept rows stay separate, so that the last merge can sort them; everything else becomes one. The
    result does not depend on the order of arrival: exactly for counts, up to rounding for sums.

    Errors:
        K503 a partition is duplicate.
    """
    waiting: list[Partial] = []
    whole: Partial | None = None
    n_bytes = 0
    for partial in partials:
        waiting.append(partial)
        n_bytes += partial.n_bytes
        if n_bytes > empty.max_memory:
            whole = folded(waiting, empty, whole)
            waiting, n_bytes = [], 0
    of_rows = [part for part in waiting if part.tallies.scores or part.tallies.sets]
    if whole is None and of_rows and all(part.is_kept for part in of_rows):
        _united(tuple(run for part in waiting for run in part.partitions), ())
        return sorted(waiting, key=lambda part: part.first)
    if whole is None and not waiting:
        return []
    return [folded(waiting, empty, whole)]


def folded(partials: Sequence[Partial], empty: ScoreParts, whole: Partial | None = None) -> Partial:
    """Merge all into one, in the order of their partitions; K503 a partition is duplicate."""
    for partial in sorted(partials, key=lambda part: part.first):
        whole = partial if whole is None else whole.merge(partial, empty)
    assert whole is not None
    return whole


def check_all(partial: Partial, n_partitions: int | None) -> None:
    """Refuse a partial that lacks a partition.

    Args:
        n_partitions: number of partitions; None if the host does not report it: then every number
            up to the last.

    Errors:
        K503 some are missing.
    """
    last = partial.partitions[-1][1]
    expected = last + 1 if n_partitions is None else n_partitions
    if partial.partitions == ((0, expected - 1),):
        return
    missing, at = [], 0
    for first, end in (*partial.partitions, (expected, expected)):
        if first > at:
            missing.append(str(at) if first == at + 1 else f"{at} to {first - 1}")
        at = end + 1
    text = f"Missing: {', '.join(missing[:4])} of {expected} partitions"
    raise error("K503", found=text if missing else f"Partition {last} is not one of {expected}")


def _united(left: Ranges, right: Ranges) -> Ranges:
    runs: list[tuple[int, int]] = []
    for first, last in sorted((*left, *right)):
        if runs and first <= runs[-1][1]:
            raise error("K503", found=f"Partition {first} arrived twice")
        if runs and first == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((first, last))
    return tuple(runs)
