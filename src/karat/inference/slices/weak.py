"""Records of weak slices: each slice with its numbers, and the settings of the search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from karat.errors.doubts import Doubt, only_doubts, without_doubts
from karat.errors.text import harmless, padded
from karat.inference.p_values import least_or_more, p_in_cell, p_text
from karat.inference.slices.search import Range

Limits: TypeAlias = tuple[float | None, float | None]

_HEAD: Final = ("slice", "rows", "", "rest", "difference", "p")
_WHOLE: Final = "whole slice"


@dataclass(frozen=True, slots=True)
class WeakSlice:
    """Slice whose rows are worse than the others, tested among all examined slices.

    Attributes:
        columns: the column, or those of a cross.
        key: the value of each, or its range as text: ``"> 70"``, ``"≤ 5"``, ``"(5, 70]"``.
        limits: limits of each column whose slice is a range: ``(70.0, None)`` for all numbers above
            70; None if it is one value.
        n_rows: number of its rows that are in no earlier slice of the list.
        n_all: number of all its rows.
        value: value on those `n_rows`: the mean loss, the proportion of wrong rows, or the metric.
        rest: the same for the other rows that are in no earlier slice.
        value_all: the same for all `n_all` rows of the slice.
        z: sum over these rows minus its expectation under the null hypothesis, in standard errors.
        p: probability that the largest z of all slices is at least this one under the null
            hypothesis.
        ids: of those `n_rows`, where ids were given.
    """

    columns: tuple[str, ...]
    key: tuple[str, ...]
    limits: tuple[Limits | None, ...]
    n_rows: int
    n_all: int
    value: float
    rest: float
    z: float
    p: float
    value_all: float
    ids: tuple[str, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """``"country = NO, age > 70"``."""
        return ", ".join(
            f"{column} = {key}" if limits is None else f"{column} {_ranged(key)}"
            for column, key, limits in zip(self.columns, self.key, self.limits, strict=True)
        )

    @property
    def loss(self) -> float:
        """Alias of `value`."""
        return self.value

    @property
    def difference(self) -> float:
        """Difference between the value and that of the rest."""
        return self.value - self.rest

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON types."""
        return {
            "name": self.name,
            "columns": list(self.columns),
            "key": list(self.key),
            "limits": [None if one is None else list(one) for one in self.limits],
            "n_rows": self.n_rows,
            "n_all": self.n_all,
            "value": self.value,
            "rest": self.rest,
            "value_all": self.value_all,
            "difference": self.difference,
            "z": self.z,
            "p": self.p,
            **({"ids": list(self.ids)} if self.ids else {}),
        }


def _ranged(key: str) -> str:
    return f"in {key}" if key.startswith("(") else key


@dataclass(frozen=True, slots=True)
class WeakSlices:
    """Weak slices found by a search, with the number of slices examined.

    Attributes:
        slices: significant slices, in the order in which they explain.
        n_tested: number of examined slices.
        n_explained: number of slices that are also significant alone, but not listed: parents,
            parts and overlapping slices, whose other rows are not significantly worse.
        level: 1 − the familywise error rate.
        p: p-value of the largest z of all slices.
        n_permutations, seed: number and seed of the permutations.
        left_out: column → why it was not examined.
        measure: meaning of `value` and `rest`: ``"error"``, ``"loss"``, or the name of a metric.
        better: direction of better values, ``"lower"`` or ``"higher"``.
        depth: largest number of columns of a slice.
        n_clusters: number of clusters that are kept together; None: rows are independent.
        notes: sentences for the reader, warnings about the input first.
    """

    slices: tuple[WeakSlice, ...]
    n_tested: int
    n_explained: int
    level: float
    p: float
    n_permutations: int
    seed: int
    left_out: dict[str, str] = field(default_factory=dict)
    measure: str = "error"
    better: Literal["lower", "higher"] = "lower"
    depth: int = 2
    n_clusters: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Unusual facts about the input, each with the option that settles it.

        They never change a number. The sentences are among the `notes`, too.
        """
        return only_doubts(self.notes)

    def __len__(self) -> int:
        return len(self.slices)

    def __iter__(self) -> Iterator[WeakSlice]:
        return iter(self.slices)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON types."""
        return {
            "slices": [one.to_dict() for one in self.slices],
            "n_tested": self.n_tested,
            "n_explained": self.n_explained,
            "level": self.level,
            "p": self.p,
            "n_permutations": self.n_permutations,
            "seed": self.seed,
            "left_out": dict(self.left_out),
            "measure": self.measure,
            "better": self.better,
            "depth": self.depth,
            "n_clusters": self.n_clusters,
            "doubts": [one.to_dict() for one in self.doubts],
            "notes": list(map(str, self.notes)),
        }

    def _p(self, p: float) -> float:
        return least_or_more(p, self.n_permutations)

    def rows(self) -> list[tuple[str, ...]]:
        """Return the cells of the table, headings first."""
        has_parts = any(one.n_all > one.n_rows for one in self.slices)
        head = [text or self.measure for text in _HEAD]
        found = [(*head[:3], *[_WHOLE] * has_parts, *head[3:])]
        for one in self.slices:
            n = f"{one.n_rows:,}"
            if one.n_all > one.n_rows:
                n += f" of {one.n_all:,}"
            whole = [_number(one.value_all)] * has_parts
            numbers = (_number(one.value), *whole, _number(one.rest))
            difference = _number(one.difference, "+")
            found.append((harmless(one.name), n, *numbers, difference, p_in_cell(self._p(one.p))))
        return found

    def __str__(self) -> str:
        lines = [f"Doubt {harmless(doubt.coded)}" for doubt in self.doubts]
        if self.slices:
            table = self.rows()
            widths = [max(map(len, column)) for column in zip(*table, strict=True)]
            for row in table:
                first, *others = zip(row, widths, strict=True)
                texts = [padded(*first), *(padded(text, n, "right") for text, n in others)]
                lines.append("  ".join(texts).rstrip())
            more = f"; {self.n_explained:,} more are weak only because they share rows with these"
            more *= bool(self.n_explained)
            lines.append(f"{self.n_tested:,} slices were tested{more}.")
            if any(one.n_all > one.n_rows for one in self.slices):
                which = f"{self.measure!r} is that of the other rows, {_WHOLE!r} that of all."
                lines.append(f"Rows of slices above are left out of later slices: {which}")
        else:
            none = "No slice was tested: there is no column to search, or every slice is too small."
            p = p_text(self._p(self.p), ".2g")
            some = f"No weak slice among {self.n_tested} (p {p})."
            lines.append(some if self.n_tested else none)
        lines += [f"Note: {harmless(note)}" for note in without_doubts(self.notes)]
        lines += [
            f"Not searched: {harmless(f'{name}: {why}')}" for name, why in self.left_out.items()
        ]
        return "\n".join(lines)


def _number(value: float, sign: str = "") -> str:
    return "undefined" if value != value else f"{value:{sign}.4f}"


def limits_of(found: Range) -> tuple[Limits, str]:
    """Return the limits of a range, with few digits that separate its numbers, and its text."""
    limits = tuple(
        None if limit is None else _shortest(limit, above)
        for limit, above in zip((found.low, found.high), found.above, strict=True)
    )
    low, high = limits
    texts = [None if limit is None else _text(limit) for limit in limits]
    if low is None:
        return (low, high), f"≤ {texts[1]}"
    return (low, high), f"> {texts[0]}" if high is None else f"({texts[0]}, {texts[1]}]"


def _shortest(limit: float, above: float | None) -> float:
    """Return a number with few digits from the limit to below the next one that occurs."""
    if above is None:
        return limit
    for digits in range(1, 17):
        for near in (limit, limit / 2.0 + above / 2.0, above):
            found = float(f"{near:.{digits}g}")
            if limit <= found < above:
                return found
    return limit


def _text(number: float) -> str:
    return f"{number:.0f}" if number % 1 == 0 and abs(number) < 1e16 else repr(number)
