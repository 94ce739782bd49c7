"""Errors in rows on a device, kept there until the next synchronization.

A batch is checked when it is added, without synchronization: the number of invalid rows of each
check, the first of them and its values stay on the device. The first batch with an error is
recorded; its tally is never read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np

from karat.data.labels.align import not_declared
from karat.data.labels.column import missing_values
from karat.data.scores.containers import Scores, what_to_do
from karat.data.sources.torch.tensors import Tensor, torch
from karat.errors import error
from karat.tally.classes import Classes
from karat.tally.score_kind import ARGUMENTS, ScoreKind

Kind: TypeAlias = Literal["K104", "K105", "K109", "K131", "K132", "K133", "K113", "K114", "K115"]

_OF_SCORES: Final = ("K131", "K132", "K133")
_MANY: Final = 64
"""Number of batch sizes whose facts are cached; most repeat."""
_LONG: Final = 1 << 20
"""Number of rows from which on memory passes cost more than kernel launches."""
_BYTES: Final = 0x0101010101010101
"""Factor that sums eight bytes of 0 or 1 in the highest byte."""


@dataclass(frozen=True, eq=False)
class Check:
    """One condition that rows must not meet.

    Attributes:
        code: code of the error.
        argument: its name in messages.
        bad: bool[n], the invalid rows.
        values: [n] or [n, k], values of a row for messages.
        is_bool: whether the values stand for booleans.
    """

    code: Kind
    argument: str
    bad: Tensor
    values: Tensor
    is_bool: bool = False


class _Known(NamedTuple):
    """Facts about a check that are known on the host."""

    code: Kind
    argument: str
    n_values: int
    is_float: bool
    is_bool: bool

    @classmethod
    def of(cls, check: Check) -> _Known:
        values = check.values
        n_values = 1 if values.ndim == 1 else int(values.shape[1])
        is_float = bool(values.dtype.is_floating_point)
        return cls(check.code, check.argument, n_values, is_float, check.is_bool)


class _Found(NamedTuple):
    """Rows that a check refuses, on the host."""

    known: _Known
    n_bad: int
    row: int
    values: Any


class Faults:
    """First batch with an error, on one device; messages name the classes."""

    def __init__(self, classes: Classes) -> None:
        self.classes = classes
        self._kinds: list[tuple[_Known, ...]] = []
        self._told: dict[Any, Tensor] = {}
        self._first: Tensor | None = None

    @contextmanager
    def unless_refused(self) -> Iterator[None]:
        """Context that discards its checks if the with statement fails."""
        first = self._first
        try:
            yield
        except BaseException:
            self._first = first
            raise

    def look(self, checks: Sequence[Check], n: int, tolerance: float = 0.0) -> None:
        """Check a batch of n rows, without synchronization."""
        known = tuple(map(_Known.of, checks))
        rows, counts = _found([check.bad for check in checks], n)
        parts = [counts.sum(dim=0, keepdim=True), self._facts(known, n, tolerance, rows.device)]
        parts += [counts, rows]
        for i, check in enumerate(checks):
            parts.append(_words(check.values.index_select(0, rows[i : i + 1]).view(-1)))
        record = torch().cat(parts)
        if self._first is None:
            self._first = record
            return
        first, pad = self._first, torch().nn.functional.pad
        short = record.shape[0] - first.shape[0]
        if short:
            first, record = pad(first, (0, max(short, 0))), pad(record, (0, max(-short, 0)))
        self._first = torch().where(first[:1] > 0, first, record)

    def _facts(self, known: tuple[_Known, ...], n: int, tolerance: float, device: Any) -> Tensor:
        """int64[3] of a batch: its checks, n, and the bits of the tolerance."""
        key = known, n, tolerance
        if key not in self._told:
            if known not in self._kinds:
                self._kinds.append(known)
            numbers = [self._kinds.index(known), n, int(np.float64(tolerance).view(np.int64))]
            made = {"dtype": torch().int64, "device": device}
            if len(self._told) > _MANY:
                self._told.clear()
            # Filled on the device: a copy from the host would synchronize.
            self._told[key] = torch().cat([torch().full((1,), one, **made) for one in numbers])
        return self._told[key]

    def check(self) -> None:
        """Synchronize with the device, and raise the error found.

        Errors:
            K104, K105, K109 labels; K131 to K133 scores; K113 to K115 weights.
        """
        if self._first is None:
            return
        words = self._first.cpu().numpy()
        if not words[0]:
            return
        known = self._kinds[int(words[1])]
        n, tolerance = int(words[2]), float(words[3:4].view(np.float64)[0])
        m = len(known)
        ends = np.cumsum([4, m, m, *(one.n_values for one in known)])
        _, counts, rows, *values = np.split(words, ends)
        found = [
            _Found(one, int(count), int(row), held.view(np.float64) if one.is_float else held)
            for one, count, row, held in zip(known, counts, rows, values, strict=False)
        ]
        self._raise([item for item in found if item.n_bad], n, tolerance)

    def _raise(self, found: Sequence[_Found], n: int, tolerance: float) -> NoReturn:
        first = found[0]
        code = first.known.code
        if code in _OF_SCORES:
            raise _of_scores(
                [item for item in found if item.known.code in _OF_SCORES], n, tolerance
            )
        facts: dict[str, Any] = {"argument": first.known.argument, "n": n}
        if code != "K115":
            facts |= {"row": first.row, "count": first.n_bad}
        if code == "K109":
            facts |= not_declared(self.classes.labels)
            number = int(first.values[0])
            facts["value"] = bool(number) if first.known.is_bool else number
        elif code == "K104":
            raise missing_values(things="labels", **facts)
        elif code in ("K105", "K113", "K114"):
            facts["value"] = float(first.values[0])
        raise error(code, **facts)


def _found(bad: Sequence[Tensor], n: int) -> tuple[Tensor, Tensor]:
    """Return the first true index of each bool[n] and the number of true values, each int64[m]."""
    if n < _LONG:
        both = torch().stack(list(bad))
        return both.view(torch().uint8).argmax(dim=1), both.sum(dim=1)
    columns = [one.contiguous() for one in bad]
    rows = [one.view(torch().uint8).argmax() for one in columns]
    return torch().stack(rows), torch().stack([_count(one) for one in columns])


def _count(bad: Tensor) -> Tensor:
    """Count true values of bool[n], eight at a time: a sum would convert them to int64."""
    n = bad.shape[0] // 8 * 8
    words = bad[:n].view(torch().int64)
    return ((words * _BYTES) >> 56).sum() + bad[n:].sum()


def label_checks(argument: str, labels: Tensor, codes: Tensor, outside: Tensor) -> list[Check]:
    """Return the checks of a column of labels.

    Args:
        labels: as given.
        codes: int64[n], the labels as whole numbers.
        outside: bool[n], whether they are not classes.
    """
    if not labels.dtype.is_floating_point:
        is_bool = labels.dtype == torch().bool
        return [Check("K109", argument, outside, codes, is_bool)]
    shown = labels.to(torch().float64)
    missing = shown.isnan()
    broken = ~missing & ((shown != shown.floor()) | shown.isinf())
    return [
        Check("K105", argument, broken, shown),
        Check("K104", argument, missing, shown),
        Check("K109", argument, outside & ~missing & ~broken, shown),
    ]


def weight_checks(weights: Tensor, *, may_all_be_zero: bool) -> list[Check]:
    found = [
        Check("K114", "weights", ~weights.isfinite(), weights),
        Check("K113", "weights", weights < 0, weights),
    ]
    if not may_all_be_zero:
        found.append(Check("K115", "weights", ~(weights != 0).any().expand(weights.shape), weights))
    return found


def score_checks(scores: Tensor, kind: ScoreKind, tolerance: float) -> list[Check]:
    argument, is_prob = ARGUMENTS[kind], kind == "probabilities"
    is_matrix = scores.ndim == 2

    def any_of(cells: Tensor) -> Tensor:
        return cells.any(dim=1) if is_matrix else cells

    found = [Check("K131", argument, any_of(~scores.isfinite()), scores)]
    if is_prob:
        found.append(Check("K132", argument, any_of((scores < 0) | (scores > 1)), scores))
    if is_prob and is_matrix:
        away = (scores.sum(dim=1, dtype=torch().float64) - 1).abs()
        found.append(Check("K133", argument, away > tolerance, scores))
    return found


def _words(values: Tensor) -> Tensor:
    if values.dtype.is_floating_point:
        return values.to(torch().float64).view(torch().int64)
    return values.to(torch().int64)


def _of_scores(found: Sequence[_Found], n: int, tolerance: float) -> Exception:
    """Return the error of the first row with an invalid value, for its first invalid value."""
    first = min(found, key=lambda item: item.row)
    values = np.atleast_1d(first.values)
    is_matrix = first.known.n_values > 1
    argument: Any = first.known.argument
    is_bad = ~np.isfinite(values)
    if argument == "y_prob":
        is_bad |= (values < 0) | (values > 1)
    column = int(is_bad.argmax())
    code = "K133"
    if is_bad.any():
        code = "K132" if np.isfinite(values[column]) else "K131"
    counts: dict[str, int] = {item.known.code: item.n_bad for item in found}
    if code == "K133":
        value, place = float(values.sum()), ""
    else:
        # Infinity is neither a probability nor a finite number.
        shape = (1, len(values)) if is_matrix else (1,)
        value = float(values[column])
        place = Scores(argument, np.zeros(shape)).place(column)
    count = max(1, counts.get(code, 0))
    return error(
        code,
        argument=argument,
        row=first.row,
        place=place,
        value=value,
        count=count,
        n=n,
        tolerance=tolerance,
        **what_to_do(code, (), values, float(values.min()), float(values.max())),
    )
