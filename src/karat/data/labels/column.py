"""`Column`: the labels of one argument as integer codes, and the equality of labels."""

from __future__ import annotations

import operator
from collections.abc import Iterable, KeysView, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.several import looks_separated
from karat.data.labels.times import text_of
from karat.errors import KaratError, error, short, shown
from karat.errors.options import option
from karat.tally.classes import Label

Kind: TypeAlias = Literal["integer", "boolean", "string"]
"""Kind of the labels of a column. Booleans among integers count as integers."""

_NOT_PLAIN = (np.timedelta64, complex, np.complexfloating)
_BITS_MAX = 4096
"""Largest number of bits of an integer label; longer ones could not be shown or stored."""


class NotALabelError(Exception):
    """A value that cannot be a label (K106)."""


class FractionError(NotALabelError):
    """A number that is not whole (K105)."""


def label_of(item: object) -> Label | None:
    """Return the label of a value; None for a missing one.

    Integral floats, decimals and fractions are whole numbers, bytes are UTF-8 text, dates and times
    are their text (`times.py`), subclasses of str and int (also enumerations of them) are values of
    their base class, and a 0-dimensional array is its one value.

    Errors:
        FractionError: a number that is not whole; NotALabelError: any other kind, and whole
            numbers of more than 4096 bits.
    """
    # The base class is used, since subclasses may print or convert differently.
    if isinstance(item, str):
        return str.__str__(item)
    if isinstance(item, bool | np.bool_):
        return bool(item)
    if isinstance(item, int):
        return _short_enough(int.__int__(item))
    if is_missing(item):
        return None
    if isinstance(item, bytes):
        try:
            return item.decode("utf-8")
        except UnicodeDecodeError:
            raise NotALabelError from None
    # timedelta64 derives from NumPy's integers.
    if isinstance(item, _NOT_PLAIN):
        raise NotALabelError
    if type(item).__module__.partition(".")[0] == "pyarrow" and hasattr(item, "as_py"):
        return label_of(item.as_py())
    text = text_of(item)
    return _whole(item) if text is None else text


def _whole(item: Any) -> int:
    # Classes of other libraries may raise anything at all.
    try:
        return _short_enough(operator.index(item))
    except NotALabelError:
        raise
    except Exception:
        pass
    try:
        numerator, denominator = item.as_integer_ratio()
        numerator, is_whole = int(numerator), bool(denominator == 1)
    except (OverflowError, ValueError):  # infinity
        raise FractionError from None
    except Exception:
        raise NotALabelError from None
    if not is_whole:
        raise FractionError
    return _short_enough(numerator)


def _short_enough(number: int) -> int:
    if number.bit_length() > _BITS_MAX:
        raise NotALabelError
    return number


def label_or_none(item: object) -> Label | None:
    """Return the label of a value; None for missing and invalid ones."""
    try:
        return label_of(item)
    except (NotALabelError, ValueError):
        return None


def is_missing(item: object) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA."""
    if item is None:
        return True
    # pandas.NA supports no comparison, and pandas is not imported for it.
    if type(item).__name__ == "NAType":
        return True
    try:
        return bool(item != item)
    except Exception:  # a class of another library may raise anything
        return False


def kind_of(labels: Iterable[Label]) -> Kind | None:
    """Return the kind of the labels; None if strings and numbers are mixed, or without labels."""
    types = set(map(type, labels))
    if types == {str}:
        return "string"
    if str in types or not types:
        return None
    return "boolean" if types == {bool} else "integer"


def harmonized(labels: Iterable[Label], kind: Kind) -> tuple[Label, ...]:
    """Return the labels in the given kind: True becomes 1 among integers."""
    if kind == "string":
        return tuple(labels)
    return tuple(map(bool if kind == "boolean" else int, labels))


def declared_labels(labels: Any) -> tuple[Label, ...]:
    """Return the classes that a caller listed, in the order given.

    Args:
        labels: any ordered collection of strings, or of whole numbers and booleans.

    Errors:
        K110 no order, empty, a class twice (1 and True are one), strings and numbers mixed, or a
        value that is not a label.
    """
    items = _listed(labels)
    is_plain = set(map(type, items)) <= {str, int, bool}
    found: list[Label] = items if is_plain else []
    for position, item in enumerate(() if is_plain else items):
        label = label_or_none(item)
        if label is None:
            raise error("K110", found=f"Item {position} is {short(item)}, which is not a label")
        found.append(label)
    if not found:
        raise error("K110", found="It is empty")
    kind = kind_of(found)
    if kind is None:
        raise error("K110", found=f"It mixes strings and numbers: {shown(found)}")
    if kind == "integer" and max(map(int.bit_length, map(int, found))) > _BITS_MAX:
        raise error("K110", found=f"It holds a whole number of more than {_BITS_MAX} bits")
    places: dict[Label, int] = {}
    for second, label in enumerate(found):
        first = places.setdefault(label, second)
        if first != second:
            same = f"{short(found[first])} = {short(label)}"
            raise error("K110", found=f"Items {first} and {second} are one class: {same}")
    return harmonized(found, kind)


def _listed(labels: Any) -> list[Any]:
    is_set = isinstance(labels, AbstractSet) and not isinstance(labels, KeysView)
    if is_set or isinstance(labels, str | bytes | Mapping):
        raise error("K110", found=f"It is a {type(labels).__name__}, which lists no order")
    try:
        if getattr(labels, "ndim", 1) != 1:
            raise error("K110", found=f"It has shape {tuple(labels.shape)}")
        # A list of scalars of an Arrow array would not compare by value.
        name = "to_pylist" if hasattr(labels, "to_pylist") else "tolist"
        is_array = isinstance(labels, np.ndarray) or name == "to_pylist"
        return list(getattr(labels, name)() if is_array else labels)
    except KaratError:
        raise
    except TypeError:
        raise error("K110", found=f"It is a {type(labels).__name__}, not a list") from None
    except Exception as problem:  # a container of another library may raise anything
        found = f"A {type(labels).__name__} does not become a list: {short(problem)}"
        raise error("K110", found=found) from problem


def declared_positive(positive: Any, labels: Sequence[Label]) -> Label:
    """Return the label of `positive=` (K111: it is not a label)."""
    label = label_or_none(positive)
    if label is None:
        raise error("K111", positive=positive, labels=shown(labels))
    return label


Codes: TypeAlias = npt.NDArray[Any]
"""Integers of any width, one for each row."""
Flags: TypeAlias = npt.NDArray[np.bool_]
Nulls: TypeAlias = Literal["error", "keep"]
"""Treatment of missing labels: raise K104, or keep them marked in `Column.missing`."""


@dataclass(frozen=True, slots=True)
class Column:
    """Labels of n rows.

    Attributes:
        argument: its name in messages: ``"y_true"``, ``'column "label"'``.
        codes: integer[n], native byte order, aligned, any stride; a view of the input if possible.
        kind: kind of the labels.
        labels: the label of each code, ``labels[code - base]``; None marks a code that does not
            occur. If `labels` is None, a code is its own label.
        base: the smallest code of `labels`.
        order: every category in declared order, if the input declares an order.
        missing: bool[n], rows without a label (their codes are arbitrary); None if there are none.
    """

    argument: str
    codes: Codes
    kind: Kind
    labels: tuple[Label | None, ...] | None = None
    base: int = 0
    order: tuple[Label, ...] | None = None
    missing: Flags | None = None

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    def label_at(self, row: int) -> Label | None:
        """Return the label of one row."""
        code = int(self.codes[row])
        if self.labels is None:
            return bool(code) if self.kind == "boolean" else code
        return self.labels[code - self.base]

    def seen(self) -> list[Label]:
        """Return every label that occurs, for a column that lists its labels."""
        return [label for label in self.labels or () if label is not None]


def coded(
    argument: str,
    codes: Codes,
    labels: Sequence[Label | None],
    *,
    missing: Flags | None = None,
    order: tuple[Label, ...] | None = None,
) -> Column:
    """Make a column from codes and the label of each code, all of one kind.

    Args:
        missing: bool[n], rows whose code is arbitrary.

    Errors:
        K107 strings and numbers are mixed.
    """
    seen = [label for label in labels if label is not None]
    kind = kind_of(seen)
    if kind is None and seen:
        raise _mixed(argument, codes, labels, missing)
    kind = kind or "string"
    if kind == "integer" and any(isinstance(label, bool) for label in seen):
        labels = [None if label is None else int(label) for label in labels]
    return Column(argument, codes, kind, tuple(labels), order=order, missing=missing)


def _mixed(
    argument: str, codes: Codes, labels: Sequence[Label | None], missing: Flags | None
) -> Exception:
    # The entry added at the end is not a label: rows with the code -1 find it.
    is_text = np.array([isinstance(label, str) for label in labels] + [False])
    is_label = np.array([label is not None for label in labels] + [False])
    if missing is not None:
        codes = np.where(missing, -1, codes.astype(np.int64, copy=False))
    text_rows = np.flatnonzero(is_text[codes])
    number_rows = np.flatnonzero((is_label & ~is_text)[codes])
    row, other = sorted((int(text_rows[0]), int(number_rows[0])), reverse=True)
    return error(
        "K107",
        argument=argument,
        row=row,
        value=labels[codes[row]],
        other_row=other,
        other=labels[codes[other]],
    )


def of_rows(flags: Flags) -> dict[str, int]:
    """Return the text on rows in messages: the first, their number, and the total."""
    return {"row": int(flags.argmax()), "count": int(np.count_nonzero(flags)), "n": len(flags)}


def with_missing(column: Column, missing: Flags | None, nulls: Nulls) -> Column:
    """Mark the rows without a label, or refuse them where `nulls` is ``"error"`` (K104)."""
    if missing is None or not missing.any():
        return column
    if nulls == "error":
        raise missing_values(column.argument, "labels", column.labels or (), **of_rows(missing))
    return replace(column, missing=missing)


def missing_values(
    argument: str, things: str, labels: Sequence[object] = (), **of_rows: int
) -> KaratError:
    """K104: rows without a value; advises dropping them only for a table.

    Args:
        labels: labels of other rows, as far as known.
        of_rows: as in the function of that name.
    """
    do = "Fill or remove those rows in every argument."
    if argument.lower().startswith("column"):
        do = f"Fill those values, or leave the rows out: {option('nulls', 'drop')}."
    several = looks_separated(labels)
    if several is not None and several[0]:
        named = option("separator", several[0])
        do += (
            f" If a text lists several labels, and a blank text none, name the separator: {named}."
        )
    return error("K104", argument=argument, things=things, do=do, **of_rows)


def without_labels(argument: str, missing: Flags, nulls: Nulls) -> Column:
    """Return a column with only missing rows marked, or raise an error (K104)."""
    column = Column(argument, np.zeros(len(missing), np.uint8), "string", ())
    return with_missing(column, missing, nulls)


def occurring(
    argument: str, codes: Codes, n_codes: int, *, base: int = 0, missing: Flags | None = None
) -> Flags:
    """bool[n_codes]: whether the code occurs.

    Errors:
        K106 a code lies outside ``base … base + n_codes - 1``.

    Cost: one pass over the codes.
    """
    read = codes if missing is None else codes[~missing]
    if not read.shape[0]:
        return np.zeros(n_codes, np.bool_)
    try:
        # Counted against itself, every row is a hit: tp is the count of each code.
        tally = _native.count_codes(read, base, None, read, base, None, n_codes, None, False, 1)
    except _native.Rejected as rejected:
        code = int(read[rejected.args[2]])
        found = f"Row {int((codes == code).argmax())} has code {code} of {n_codes} values"
        raise error("K106", argument=argument, found=found) from None
    seen: Flags = tally.marginals()[0] > 0
    return seen


def resolved(column: Column) -> Column:
    """Return the same column with its labels listed; a column of plain integers is encoded.

    Cost: one pass over the codes of a column of plain integers, else nothing.
    """
    if column.labels is not None:
        return column
    codes, values = _native.encode_integers(column.codes)
    labels = harmonized(values.tolist(), column.kind)
    return replace(column, codes=codes, base=0, labels=labels)


def check_lengths(true: Column, pred: Column) -> None:
    """Refuse columns of different lengths: K102."""
    if len(true) != len(pred):
        raise error(
            "K102", left=true.argument, n_left=len(true), right=pred.argument, n_right=len(pred)
        )


def drop_missing(
    true: Column, pred: Column, also: Flags | None = None
) -> tuple[Column, Column, Flags | None]:
    """Drop the rows where either side has no label.

    Args:
        true, pred: columns encoded with ``nulls="keep"``.
        also: bool[n], the rows that may be kept for other reasons.

    Returns:
        Both columns, and bool[n] of the rows kept: None when every row is.

    Errors:
        K101 no row is left; K102 the columns differ in length.
    """
    check_lengths(true, pred)
    present = [~column.missing for column in (true, pred) if column.missing is not None]
    if also is not None and not also.all():
        present.append(also)
    if not present:
        return true, pred, None
    kept = np.logical_and.reduce(present)
    if not kept.any():
        raise error("K101", argument=f"{true.argument} without its missing rows")
    return taken_rows(true, kept), taken_rows(pred, kept), kept


def taken_rows(column: Column, kept: Flags | None) -> Column:
    """Return the kept rows of a column, none of which is missing."""
    if kept is None:
        return column
    codes, labels = column.codes[kept], column.labels
    if labels is not None:
        seen = occurring(column.argument, codes, len(labels), base=column.base)
        labels = tuple(x if is_seen else None for x, is_seen in zip(labels, seen, strict=True))
    return replace(column, codes=codes, labels=labels, missing=None)


def refuse_rows_of_pipeline(rows: Any, argument: str) -> None:
    """Refuse rows that list the scores of classes, as a pipeline does, as labels (K106)."""
    if not isinstance(rows, list | tuple):
        return
    first = next((i for i, row in enumerate(rows) if row is not None), None)
    row = None if first is None else rows[first]
    if not isinstance(row, list | tuple) or not row or not _is_of_pipeline(row[0]):
        return
    best, do = "row[0]", "Give the label of each row"
    if any(isinstance(other, list | tuple) and len(other) > 1 for other in rows):
        best = "max(row, key=lambda x: x['score'])"
        do = "The scores of every class are y_prob=. For the best labels alone"
    do += f": {argument}=[{best}['label'] for row in output]."
    found = f"Row {first} holds {short(row)} (list)"
    raise error("K106", argument=argument, found=found, advice=do)


def _is_of_pipeline(item: object) -> bool:
    return isinstance(item, Mapping) and item.keys() == {"label", "score"}


def refused(
    argument: str, problem: type[NotALabelError], item: object, row: int, count: int, n: int
) -> Exception:
    """K105 or K106 for a value that is not a label."""
    if problem is FractionError:
        return error("K105", argument=argument, row=row, value=item, count=count, n=n)
    found = f"Row {row} holds {short(item)} ({type(item).__name__}); {count} of {n} rows"
    more = {}
    if isinstance(item, Mapping):
        do = f"Give its labels: {argument}=[row['label'] for row in output]."
        more["advice"] = (
            do if _is_of_pipeline(item) else "Probabilities of the classes are y_prob=."
        )
    return error("K106", argument=argument, found=found, **more)
