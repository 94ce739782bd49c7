"""Alignment of two label columns on one class axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.arrays import common_order
from karat.data.labels.column import (
    Codes,
    Column,
    Flags,
    Kind,
    check_lengths,
    declared_labels,
    declared_positive,
    harmonized,
    kind_of,
    of_rows,
    resolved,
)
from karat.data.labels.containers import encode
from karat.data.labels.names import NameOfClass, place_of
from karat.data.labels.several import are_printed_lists
from karat.errors import KaratError, error, shown
from karat.errors.options import option
from karat.errors.reasons import ManyClassesError
from karat.tally.cells import Cells
from karat.tally.classes import Classes, Label
from karat.tally.look_alikes import slip_in

_MOST: Final = 256
"""Number of classes above which a matrix may be larger than its data."""


class GivenClasses:
    """Integers as classes, with their lookup table.

    Unusual or invalid input gives None, and the slow path raises the error.

    Attributes:
        classes: the classes.
    """

    def __init__(self, classes: Classes, side: Side) -> None:
        self.classes = classes
        self._base, self._lut = side.base, side.lut

    @classmethod
    def of(cls, labels: Sequence[Label], positive: Any) -> GivenClasses | None:
        """Return the classes, if they are few integers in a small range."""
        if len(labels) > _MOST or any(type(label) is not int for label in labels):
            return None
        try:
            column = encode(np.array(labels[:1], np.int64), "labels")
            aligned = align(column, column, labels, positive)
        except (KaratError, OverflowError):
            return None
        # A column that keeps its integers is read through a table.
        is_short = aligned.true.column.labels is None
        return cls(aligned.classes, aligned.true) if is_short else None

    def count(self, y_true: Any, y_pred: Any, n_threads: int | None) -> Cells | None:
        """Tally two columns of plain integers."""
        if not (_are_plain(y_true) and _are_plain(y_pred) and len(y_true) == len(y_pred)):
            return None
        base, lut = self._base, self._lut
        try:
            tally = _native.count_codes(
                y_true, base, lut, y_pred, base, lut, self.classes.k, None, True, n_threads or 0
            )
        except (ValueError, TypeError):
            return None
        return Cells.from_native(tally, self.classes)

    def codes(self, y_true: Any) -> npt.NDArray[np.int32] | None:
        """int32[n]: the classes of a column of plain integers."""
        if not _are_plain(y_true):
            return None
        least, most = int(y_true.min()), int(y_true.max())
        if not self._base <= least <= most < self._base + len(self._lut):
            return None
        places = y_true.astype(np.int64, copy=False)
        codes = np.take(self._lut, places - self._base if self._base else places)
        return codes if len(self._lut) == self.classes.k or codes.min() >= 0 else None


def _are_plain(values: Any) -> bool:
    return (
        type(values) is np.ndarray
        and values.ndim == 1
        and len(values) > 0
        and values.dtype.kind in "iu"
    )


Lut = npt.NDArray[np.int32]

_LUT_MAX = 1 << 20
"""Longest table from integers to classes; wider ranges are encoded first."""


@dataclass(frozen=True, slots=True)
class Side:
    """One column on the class axis: ``class = lut[code - base]``.

    A class of -1 is not a class, and a code may lie outside the table: the native count checks both
    before indexing.

    Attributes:
        column: origin of the labels.
        codes: integer[n].
        base: the code of the first entry of `lut`.
        lut: int32[u], class or -1 of each code.
    """

    column: Column
    codes: Codes
    base: int
    lut: Lut

    def indices(self) -> Lut:
        """int32[n]: the class of each row, -1 for rows without a class."""
        last = self.base + len(self.lut) - 1
        if self.base <= int(self.codes.min()) and int(self.codes.max()) <= last:
            places = self.codes.astype(np.int64) - self.base if self.base else self.codes
            return np.take(self.lut, places)
        # Compared before the subtraction, which could wrap around in a narrow dtype.
        is_inside = (self.codes >= self.base) & (self.codes <= last)
        found = np.full(len(self.codes), -1, np.int32)
        found[is_inside] = self.lut[self.codes[is_inside].astype(np.int64) - self.base]
        return found


@dataclass(frozen=True, slots=True)
class Aligned:
    """Both columns on one class axis."""

    classes: Classes
    true: Side
    pred: Side


def align(true: Column, pred: Column, labels: Any = None, positive: Any = None) -> Aligned:
    """Put two columns on one class axis.

    Classes are `labels` as given; else those of ordered categories, in their order; else the sorted
    union of the labels.

    Args:
        true, pred: columns of equal length without missing rows.
        labels: the classes in order, or None.
        positive: the positive class of two; None: that of 0/1, False/True, −1/1.

    Errors:
        K102 lengths differ, K108 strings against numbers, K109 outside `labels` (found here for
        text and dictionaries, in the count for integers), K110 invalid `labels`, K111 and K112
        invalid `positive`, K118 orders that differ, K124 outside the ordered categories.
    """
    check_lengths(true, pred)
    check_kinds(true, pred)
    if labels is not None:
        return _align_declared(true, pred, labels, positive)
    if true.labels is None and pred.labels is None:
        return _align_integers(true, pred, positive)
    true, pred = resolved(true), resolved(pred)
    order = common_order(true, pred)
    both = {*true.seen(), *pred.seen()}
    texts = sorted(map(str, both)) if true.kind == "string" else []
    if are_printed_lists(texts):
        raise error("K453", argument=true.argument, n=len(texts), first=texts[0])
    if order is None:
        ordered: Sequence[Label] = sorted(both)
    else:
        _check_within(order, true, pred)
        ordered = [label for label in order if label in both]
    classes = discovered_of(harmonized(ordered, common_kind(true, pred)), positive, true, pred)
    classes = classes.in_order(order)
    return Aligned(classes, _side(true, classes), _side(pred, classes))


def _align_integers(true: Column, pred: Column, positive: Any) -> Aligned:
    """Put two columns of plain integers on the sorted union of their values."""
    codes, values = zip(
        *(_native.encode_integers(column.codes) for column in (true, pred)), strict=True
    )
    both = values[0] if np.array_equal(*values) else np.unique(np.concatenate(values))
    found_of_both = harmonized(both.tolist(), common_kind(true, pred))
    classes = discovered_of(found_of_both, positive, true, pred)
    # If positive= names a class that does not occur, it comes second: positions do not change.
    sides = [
        Side(column, own, 0, np.searchsorted(both, found).astype(np.int32))
        for column, own, found in zip((true, pred), codes, values, strict=True)
    ]
    return Aligned(classes, sides[0], sides[1])


def common_kind(true: Column, pred: Column) -> Kind:
    """Return the common kind of labels: booleans with integers are integers."""
    return true.kind if true.kind == pred.kind else "integer"


def discovered_of(labels: tuple[Label, ...], positive: Any, true: Column, pred: Column) -> Classes:
    """Return the classes of two columns; as `classes_of`, K112 names labels that are never true."""
    try:
        return classes_of(labels, positive)
    except ManyClassesError as problem:
        known = set(resolved(true).seen())
        others = [label for label in labels if label not in known]
        if len(known) != _TWO or not others or slip_in(labels):
            raise
        column = resolved(pred)
        assert column.labels is not None
        flags = np.array([label in others for label in column.labels])[column.codes - column.base]
        is_one = len(others) == 1
        do = f"{shown(others, 3)} {'is' if is_one else 'are'} never true, and predicted in "
        do += f"{int(flags.sum())} of {len(flags)} rows: leave those rows out and report how many "
        do += f"they are, or write one of {shown(sorted(known))} there. Without "
        do += f"{option('positive')}, {'it is a class' if is_one else 'they are classes'} too."
        raise problem.but(do=do) from None


_TWO: Final = 2


def classes_of(
    labels: tuple[Label, ...], positive: Any = None, *, is_declared: bool = False
) -> Classes:
    """Return the classes in this order, with the positive one.

    A `NameOfClass` decides if labels do not, and if it is one of two. If only one class occurs,
    `positive=` may name it, or name the other class, which then comes second.

    Errors:
        K111 it is not one of two classes; K112 there are more.
    """
    classes = Classes.of(labels, is_declared=is_declared)
    if isinstance(positive, NameOfClass):
        is_open = len(labels) == 2 and classes.positive is None
        return replace(classes, positive=place_of(positive, labels)) if is_open else classes
    if positive is None:
        return classes
    if len(labels) > 2:
        averages = "averages (macro, micro, weighted) cover all classes."
        do = slip_in(labels) or f"Leave {option('positive')} out: {averages}"
        raise error("K112", k=len(labels), labels=shown(labels), do=do)
    label = declared_positive(positive, labels)
    if label in labels:
        return replace(classes, positive=labels.index(label))
    both = (*labels, label)
    kind = kind_of(both)
    if len(labels) != 1 or is_declared or kind is None:
        raise error("K111", positive=positive, labels=shown(labels))
    return replace(Classes.of(harmonized(both, kind)), positive=1)


def check_kinds(true: Column, pred: Column) -> None:
    """Refuse strings against numbers: K108."""
    if (true.kind == "string") != (pred.kind == "string"):
        raise _other_kinds((true.argument, true.kind, true.label_at(0)), pred)


def _other_kinds(left: tuple[str, Kind, Label | None], right: Column) -> KaratError:
    argument, kind, value = left
    return error(
        "K108",
        left=argument,
        left_kind=_PLURAL[kind],
        left_value=value,
        right=right.argument,
        right_kind=_PLURAL[right.kind],
        right_value=right.label_at(0),
    )


_PLURAL = {"string": "strings", "integer": "numbers", "boolean": "booleans"}


def _align_declared(true: Column, pred: Column, labels: Any, positive: Any) -> Aligned:
    declared = declared_labels(labels)
    for column in (true, pred):
        if isinstance(declared[0], str) != (column.kind == "string"):
            kind = kind_of(declared) or "integer"
            raise _other_kinds(("labels=", kind, declared[0]), column)
    classes = classes_of(declared, positive, is_declared=True)
    sides = [_side(column, classes) for column in (true, pred)]
    for side in sides:
        if side.column.labels is not None and set(side.column.seen()) - set(declared):
            raise refuse_outside(side, classes)
    return Aligned(classes, sides[0], sides[1])


def _side(column: Column, classes: Classes) -> Side:
    if column.labels is None:
        numbers = [int(label) for label in classes.labels]
        low, high = min(numbers), max(numbers)
        if high - low < _LUT_MAX and -(1 << 63) <= low <= high < 1 << 63:
            lut = np.full(high - low + 1, -1, np.int32)
            lut[np.array(numbers, np.int64) - low] = np.arange(len(numbers), dtype=np.int32)
            return Side(column, column.codes, low, lut)
        column = resolved(column)
    place = {label: index for index, label in enumerate(classes.labels)}
    found = [-1 if label is None else place.get(label, -1) for label in column.labels or ()]
    return Side(column, column.codes, column.base, np.array(found, np.int32))


def not_declared(labels: Sequence[Label]) -> dict[str, str]:
    """Return the message of K109 if labels= declared the classes."""
    name = option("labels")
    listed = shown(labels)
    return {
        "among": name,
        "classes": f"{name}{listed}" if name.endswith("=") else f"{name} {listed}",
        "do": f"Add the label to {name}, or remove those rows.",
    }


def codes_within(side: Side, classes: Classes) -> Lut:
    """int32[n]: the class of each row (K109: a label is not one of the classes)."""
    codes = side.indices()
    if codes.min() < 0:
        raise refuse_outside(side, classes)
    return codes


def refuse_outside(side: Side, classes: Classes) -> Exception:
    """Return K109 for the rows whose label is not among the declared classes."""
    return _outside("K109", side.column, side.indices() < 0, **not_declared(classes.labels))


def _check_within(order: Iterable[Label], true: Column, pred: Column) -> None:
    known = set(order)
    for column, other in ((true, pred), (pred, true)):
        unknown = set(column.seen()) - known
        if unknown:
            bad = [place for place, label in enumerate(column.labels or ()) if label in unknown]
            rows: Flags = np.isin(column.codes, np.array(bad) + column.base)
            raise _outside("K124", column, rows, other=other.argument, categories=shown(order))


def _outside(code: str, column: Column, rows: Flags, **facts: str) -> Exception:
    value = column.label_at(int(rows.argmax()))
    return error(code, argument=column.argument, value=value, **of_rows(rows), **facts)
