"""What was counted of some partitions of a frame that lies on many machines, and how it adds up.

A partial is a function of its partitions alone. It names them, so that none counts twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy.typing as npt

from karat.data.accumulator import Crossed, Tallies, n_bytes_of, united
from karat.data.part_bytes import packed_tallies, unpacked_tallies
from karat.data.scores.storage import ScoreParts, too_many
from karat.errors import CATALOGUE, KaratError, error, short
from karat.errors.kinds import packed_error, unpacked_error
from karat.tally import Cells, Label, union
from karat.tally.serialization import damaged, framed, unframed

__all__ = ["Partial", "check_all", "folded", "merged"]

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Numbers of partitions: first and last of each run, in order."""

_SPECIES: Final = "partial"


@dataclass(frozen=True, eq=False)
class Partial:
    """Rows of some partitions.

    Attributes:
        partitions: which.
        n_rows: rows read, those that were left out included.
        n_dropped: rows that were left out.
        cells: the tally of labels alone, or None.
        scores: rows with scores, or None.
        order: the categories of the labels where they are ordered, or None.
        width: columns of a column of lists, where that was asked for.
        problem: what is wrong with a row, or None; then nothing else counts.
        crossed: labels alone by cluster and by the values of columns.
    """

    partitions: Ranges
    n_rows: int = 0
    n_dropped: int = 0
    cells: Cells | None = None
    scores: ScoreParts | None = None
    order: tuple[Label, ...] | None = None
    width: int | None = None
    problem: KaratError | None = None
    crossed: Crossed = field(default_factory=dict)

    @property
    def first(self) -> int:
        return self.partitions[0][0]

    @property
    def is_kept(self) -> bool:
        """Whether its rows are kept as they are, so that their order can still be chosen."""
        return self.scores is not None and self.scores.histograms is None

    @property
    def n_bytes(self) -> int:
        """Bytes of what waits to be added: rows, or cells."""
        if self.scores is not None and self.scores.held is not None:
            return self.scores.held.n_bytes
        return n_bytes_of(self.crossed) + (0 if self.cells is None else self.cells.counts.nbytes)

    def merge(self, other: Partial) -> Partial:
        """Both; rows that are kept stand in the order of the call.

        Errors:
            K503 a partition is in both.
        """
        partitions = _united(self.partitions, other.partitions)
        wrong = [part for part in (self, other) if part.problem is not None]
        if wrong:
            return Partial(partitions, problem=min(wrong, key=lambda part: part.first).problem)
        if not (self.n_rows and other.n_rows):
            # Partitions without rows say nothing of labels.
            return replace(self if self.n_rows else other, partitions=partitions)
        try:
            cells = _either(self.cells, other.cells, union)
            # The categories where all rows have the same.
            orders = {part.order for part in (self, other) if part.n_rows > part.n_dropped}
            order = next(iter(orders or {other.order})) if len(orders) < 2 else None
            classes = None if cells is None else cells.classes
            return Partial(
                partitions,
                self.n_rows + other.n_rows,
                self.n_dropped + other.n_dropped,
                cells,
                _either(self.scores, other.scores, lambda a, b: a.merge(b, 1)),
                order,
                self.width if self.width is not None else other.width,
                crossed=united(self.crossed, other.crossed, classes),
            )
        except KaratError as problem:
            return Partial(partitions, problem=problem)

    def within(self, max_memory: int) -> Partial:
        """The same, or K148 as its problem where clusters and slices take more bytes."""
        n_bytes = n_bytes_of(self.crossed)
        if n_bytes <= max_memory:
            return self
        axes = [axis for parts in self.crossed.values() for axis in parts[0].axes]
        problem = too_many(self.n_rows, n_bytes, max_memory, tuple(dict.fromkeys(axes)))
        return Partial(self.partitions, problem=problem)

    def to_bytes(self) -> bytes:
        """The partial as bytes that `from_bytes` of this and every later version reads."""
        parts = Tallies(self.cells, self.scores, crossed=self.crossed)
        facts, whole = packed_tallies(parts)
        problem = self.problem
        header = {
            "species": _SPECIES,
            "partitions": self.partitions,
            "n_rows": self.n_rows,
            "n_dropped": self.n_dropped,
            "order": self.order,
            "width": self.width,
            "problem": None if problem is None else packed_error(problem),
            **facts,
        }
        return framed(header, {"parts": whole})

    @classmethod
    def from_bytes(cls, data: bytes, empty: ScoreParts) -> Partial:
        """Read what `to_bytes` wrote.

        Args:
            empty: what rows with scores are added to.

        Errors:
            K205 the bytes are truncated, altered or no partial; K206 a newer version wrote them.
        """

        def assembled(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Partial:
            if header["species"] != _SPECIES:
                raise damaged(f"It holds {header['species']!r}, not a {_SPECIES}")
            problem, order = header["problem"], header["order"]
            found = _contradiction(header)
            if found is not None:
                raise damaged(found)
            if problem is not None:
                problem = unpacked_error(CATALOGUE[problem["code"]].kind, problem)
            parts = unpacked_tallies(header, arrays["parts"], empty)
            return cls(
                tuple((first, last) for first, last in header["partitions"]),
                header["n_rows"],
                header["n_dropped"],
                parts.cells,
                parts.scores,
                None if order is None else tuple(order),
                header["width"],
                problem,
                parts.crossed,
            )

        return unframed(data, ("parts",), assembled, ("parts",))


def _contradiction(header: dict[str, Any]) -> str | None:
    """What the facts of a partial that was read cannot be, or None."""
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


def merged(partials: Iterable[Partial], max_memory: int) -> list[Partial]:
    """Fewer partials of the same partitions, in the memory of `max_memory` and one of them.

    Rows that are kept stay apart, so that whoever adds the last ones can put them in order;
    everything else becomes one. What comes out does not depend on the order of arrival: counts
    exactly, sums to rounding.

    Errors:
        K503 a partition came twice.
    """
    waiting: list[Partial] = []
    whole: Partial | None = None
    n_bytes = 0
    for partial in partials:
        waiting.append(partial)
        n_bytes += partial.n_bytes
        if n_bytes > max_memory:
            whole = folded(waiting, whole)
            waiting, n_bytes = [], 0
    is_apart = whole is None and all(part.is_kept for part in waiting if part.scores is not None)
    if is_apart and any(part.scores is not None for part in waiting):
        _united(tuple(run for part in waiting for run in part.partitions), ())
        return sorted(waiting, key=lambda part: part.first)
    if whole is None and not waiting:
        return []
    return [folded(waiting, whole)]


def folded(partials: Sequence[Partial], whole: Partial | None = None) -> Partial:
    """All of them as one, added in the order of their partitions; K503 one is in two of them."""
    for partial in sorted(partials, key=lambda part: part.first):
        whole = partial if whole is None else whole.merge(partial)
    assert whole is not None
    return whole


def check_all(partial: Partial, n_partitions: int | None) -> None:
    """Refuse what does not hold every partition.

    Args:
        n_partitions: how many there are; None where the host does not say: then every number up to
            the last that came.

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
    raise error("K503", found=text if missing else f"Partition {last} is none of {expected}")


def _united(left: Ranges, right: Ranges) -> Ranges:
    runs: list[tuple[int, int]] = []
    for first, last in sorted((*left, *right)):
        if runs and first <= runs[-1][1]:
            raise error("K503", found=f"Partition {first} came twice")
        if runs and first == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((first, last))
    return tuple(runs)


def _either(left: Any, right: Any, both: Any) -> Any:
    if left is None or right is None:
        return right if left is None else left
    return both(left, right)
