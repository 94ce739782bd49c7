"""What a label is, and when two labels are the same one.

1 = 1.0 = True, and a string equals no number.
Every label that leaves this package is a plain Python str, int or bool.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, KeysView, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Literal, TypeAlias

import numpy as np

from karat.errors import KaratError, error, short, shown
from karat.tally.classes import Label

__all__ = [
    "Kind",
    "NotALabelError",
    "declared_labels",
    "declared_positive",
    "harmonized",
    "is_missing",
    "kind_of",
    "label_of",
]

Kind: TypeAlias = Literal["integer", "boolean", "string"]
"""What the labels of a column are. Booleans among integers count as integers."""

_NOT_PLAIN = (np.datetime64, np.timedelta64, complex, np.complexfloating)
_BITS_MAX = 4096
"""Longest whole number that is a label: beyond, its digits could be neither shown nor stored."""


class NotALabelError(Exception):
    """A value that cannot be a label; `code` is the entry of the error catalogue."""

    def __init__(self, code: Literal["K105", "K106"]) -> None:
        super().__init__(code)
        self.code = code


def label_of(item: object) -> Label | None:
    """The label that a value stands for; None for a missing one.

    Integral floats, decimals and fractions are whole numbers, bytes are UTF-8 text,
    subclasses of str and int (also enumerations of them) are what they derive from,
    an array without a dimension is its one value.

    Errors:
        NotALabelError: K105 for a number that is not whole, K106 for any other kind and for
        whole numbers of more than 4096 bits.
    """
    # The base class is asked, since subclasses may print or convert as something else.
    if isinstance(item, str):
        return str.__str__(item)
    if isinstance(item, bool | np.bool_):
        return bool(item)
    if isinstance(item, int):
        return _short_enough(int.__int__(item))
    if is_missing(item):
        return None
    if isinstance(item, bytes):
        return _text(item)
    # timedelta64 derives from NumPy's integers.
    if isinstance(item, _NOT_PLAIN):
        raise NotALabelError("K106")
    if type(item).__module__.partition(".")[0] == "pyarrow" and hasattr(item, "as_py"):
        return label_of(item.as_py())
    return _whole(item)


def _text(item: bytes) -> str:
    try:
        return item.decode("utf-8")
    except UnicodeDecodeError:
        raise NotALabelError("K106") from None


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
        raise NotALabelError("K105") from None
    except Exception:
        raise NotALabelError("K106") from None
    if not is_whole:
        raise NotALabelError("K105")
    return _short_enough(numerator)


def _short_enough(number: int) -> int:
    if number.bit_length() > _BITS_MAX:
        raise NotALabelError("K106")
    return number


def is_missing(item: object) -> bool:
    """Whether a value is None, NaN, NaT or pandas' NA."""
    if item is None:
        return True
    # pandas.NA answers no comparison, and pandas is not imported to ask for it.
    if type(item).__name__ == "NAType":
        return True
    try:
        return bool(item != item)
    except Exception:  # a class of another library may raise anything
        return False


def kind_of(labels: Iterable[Label]) -> Kind | None:
    """What the labels are; None when strings and numbers are mixed (or there are none)."""
    types = set(map(type, labels))
    if types == {str}:
        return "string"
    if str in types or not types:
        return None
    return "boolean" if types == {bool} else "integer"


def harmonized(labels: Iterable[Label], kind: Kind) -> tuple[Label, ...]:
    """The labels as the given kind shows them: True becomes 1 among integers."""
    if kind == "string":
        return tuple(labels)
    return tuple(map(bool if kind == "boolean" else int, labels))


def declared_labels(labels: Any) -> tuple[Label, ...]:
    """The classes that a caller listed, in the order given.

    Args:
        labels: any ordered collection of strings, or of whole numbers and booleans.

    Errors:
        K110 no order, nothing in it, a class twice (1 and True are one), strings and numbers
        mixed, or a value that is not a label.
    """
    items = _listed(labels)
    is_plain = set(map(type, items)) <= {str, int, bool}
    found: list[Label] = items if is_plain else []
    for position, item in enumerate(() if is_plain else items):
        try:
            label = label_of(item)
        except (NotALabelError, ValueError):
            label = None
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
    if len(set(found)) < len(found):
        raise error("K110", found=_repeated(found))
    return harmonized(found, kind)


def _repeated(labels: Sequence[Label]) -> str:
    places: dict[Label, int] = {}
    second = next(i for i, label in enumerate(labels) if places.setdefault(label, i) != i)
    first = places[labels[second]]
    same = f"{short(labels[first])} = {short(labels[second])}"
    return f"Items {first} and {second} are one class: {same}"


def _listed(labels: Any) -> list[Any]:
    is_set = isinstance(labels, AbstractSet) and not isinstance(labels, KeysView)
    if is_set or isinstance(labels, str | bytes | Mapping):
        raise error("K110", found=f"It is a {type(labels).__name__}, which lists no order")
    try:
        if getattr(labels, "ndim", 1) != 1:
            raise error("K110", found=f"It has shape {tuple(labels.shape)}")
        # A list of the scalars of an Arrow array would not compare as their values do.
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
    """The label that `positive=` stands for.

    Errors:
        K111 it is no label at all.
    """
    try:
        label = label_of(positive)
    except (NotALabelError, ValueError):
        label = None
    if label is None:
        raise error("K111", positive=positive, labels=shown(labels))
    return label
