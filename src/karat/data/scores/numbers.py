"""Conversion of real numbers in any container to float32 or float64 pieces.

Pieces have shape (m,) or (m, k). The conversion is exact: a boolean or a text is not a score, and a
missing value or a whole number that float64 cannot represent is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.arrow import (
    ArrowColumn,
    NotOneLengthError,
    is_arrow,
    lists_of,
    nulls_of,
    numbers_of,
    pieces_of,
    read_column,
)
from karat.data.labels.arrays import native_order
from karat.data.labels.column import Flags, is_missing, of_rows
from karat.data.labels.containers import array_of, detached, host_of, is_pandas_arrow, is_sparse
from karat.data.percents import conversion
from karat.data.roles import shown_column
from karat.data.sources.distributed.frames import refuse_distributed
from karat.errors import KaratError, error, short
from karat.errors.reasons import NotNumbersError

Array: TypeAlias = npt.NDArray[np.floating[Any]]
"""float32 or float64, in native byte order and aligned."""

_EXACT = 1 << 53
"""Largest integer up to which all integers are exact in float64."""

_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+\s*%?")

_PLAIN = (int, float, np.integer, np.floating, Decimal, Fraction)
_NOT_PLAIN = (bool, np.timedelta64)


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of numbers, for messages.

    Attributes:
        argument: ``"y_prob"``, ``"y_logit"`` or ``"y_score"``.
        column: the column of a table, if they are one of its columns.
        kept: bool[n], rows that will be used; None for all.
        first_row: index of the first row.
    """

    argument: str
    column: str | None = None
    kept: Flags | None = None
    first_row: int = 0

    @property
    def shown(self) -> str:
        """Name of the numbers in messages."""
        return self.argument if self.column is None else shown_column(self.column)

    def refusal(self, found: str, advice: str | None = None) -> KaratError:
        """K130: these are not numbers, or not of that shape."""
        more = {} if advice is None else {"advice": advice}
        return error("K130", argument=self.shown, found=found, **more)

    def refuse_missing(self, flags: Flags, value: object = None) -> None:
        """Raise K131 if cells, bool[n] or bool[n, k], are missing in rows that will be used."""
        rows: Flags = np.asarray(flags.reshape(len(flags), -1).any(axis=1))
        if self.kept is not None and len(self.kept) == len(rows):
            rows = rows & self.kept
        if not rows.any():
            return
        row = int(rows.argmax())
        place = "" if self.column is None else f", column {self.column!r}"
        if flags.ndim == 2:
            place += f", {'column' if self.column is None else 'item'} {int(flags[row].argmax())}"
        facts = {"argument": self.argument, "place": place, "value": value}
        raise error("K131", **facts, **of_rows(rows))


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of n rows in consecutive pieces, all of one dtype and width.

    Attributes:
        pieces: float32 or float64, [m] or [m, k], native byte order and aligned, any strides.
        is_half: whether the input has 16 bits.
    """

    pieces: tuple[Array, ...]
    is_half: bool = False

    def __len__(self) -> int:
        return sum(len(piece) for piece in self.pieces)

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64."""
        return np.dtype(self.pieces[0].dtype)

    @property
    def width(self) -> int | None:
        """Number of columns of a matrix; None for one number for each row."""
        return self.pieces[0].shape[1] if self.pieces[0].ndim == 2 else None

    def joined(self) -> Array:
        """Return all rows in one array; a single piece is not copied."""
        return self.pieces[0] if len(self.pieces) == 1 else np.concatenate(self.pieces)


def with_comma(item: object) -> str:
    """Return the remark on a text that is a number with a decimal comma; else ""."""
    is_one = isinstance(item, str) and _COMMA.fullmatch(item.strip()) is not None
    return " with a decimal comma" if is_one else ""


def numbers_in(values: Any, origin: Origin) -> Numbers:
    """Return the numbers of a container.

    Args:
        values: a list, nested lists, an array, a tensor, a column of pandas, Polars or Arrow, also
            one of lists. For a table, see `scores.as_scores`.

    Errors:
        K101 no row; K130 not real numbers, or not of shape (n,) or (n, k); K131 missing values;
        K416 they are partitioned.

    Cost: none for float32 and float64 in native byte order; else one copy.
    """
    try:
        return _read(values, origin)
    except NotNumbersError as problem:
        advice = conversion(values, origin.shown)
        if advice is None:
            raise
        raise origin.refusal(problem.context["found"], advice) from None
    except (KaratError, MemoryError):
        raise
    except Exception as problem:  # the class of the container may raise anything
        found = f"A {type(values).__name__} cannot be read: {short(problem, 200)}"
        raise origin.refusal(found) from problem


def _read(values: Any, origin: Origin) -> Numbers:
    if isinstance(values, np.ndarray):
        return _of_array(values, origin)
    if isinstance(values, ArrowColumn):
        return _of_arrow(values, origin)
    host = host_of(values)
    if host == "narwhals":
        return _read(values.to_native(), origin)
    if host == "torch":
        found = _of_array(np.asarray(detached(values)), origin)
        is_half = found.is_half or str(values.dtype) == "torch.bfloat16"
        return Numbers(found.pieces, is_half=is_half)
    if host == "pandas":
        return _of_pandas(values, origin)
    if host == "polars" and str(values.dtype) == "Object":
        return _of_items(values.to_list(), origin)
    refuse_distributed(values, origin.shown)
    if is_arrow(values):
        column = read_column(values)
        if column is None:
            raise origin.refusal("It has several columns without being a table")
        return _of_arrow(column, origin)
    if is_sparse(values):
        kind = type(values).__name__
        raise origin.refusal(f"It is a {kind}, which is sparse; give {origin.argument}.toarray()")
    if isinstance(values, str | bytes | bytearray | Mapping | AbstractSet):
        raise origin.refusal(f"It is a {type(values).__name__}")
    if any(hasattr(values, name) for name in ("__array__", "__dlpack__")):
        return _of_array(array_of(values), origin)
    if isinstance(values, memoryview):
        return _of_array(np.asarray(values), origin)
    if isinstance(values, Iterable):
        return _of_items(list(values), origin)
    raise origin.refusal(f"It is a {type(values).__name__}")


def _of_pandas(values: Any, origin: Origin) -> Numbers:
    dtype = values.dtype
    if values.ndim == 1 and is_pandas_arrow(values):
        column = read_column(values)
        assert column is not None
        return _of_arrow(column, origin)
    if isinstance(dtype, np.dtype) or type(dtype).__name__ == "SparseDtype":
        return _of_array(np.asarray(values), origin)
    if not hasattr(dtype, "numpy_dtype"):
        raise origin.refusal(f"Its dtype is {dtype}")
    missing = np.asarray(values.isna())
    if missing.any():
        origin.refuse_missing(missing)
        return _of_array(values.to_numpy(np.float64, na_value=np.nan), origin)
    return _of_array(values.to_numpy(dtype.numpy_dtype), origin)


def _of_arrow(column: ArrowColumn, origin: Origin) -> Numbers:
    if not len(column):
        raise error("K101", argument=origin.shown)
    missing = nulls_of(column)
    if missing is not None:
        origin.refuse_missing(missing)
    pieces = pieces_of(column)
    if column.format.startswith("+"):
        if any(chunk.items is None for chunk in column.chunks):
            raise origin.refusal(_described(column))
        try:
            pieces, missing = lists_of(column)
        except NotOneLengthError as problem:
            raise _ragged(origin, *problem.args) from None
        if pieces is None:
            raise origin.refusal(_described(column))
        if missing is not None:
            origin.refuse_missing(missing)
    if pieces is None:
        numbers = numbers_of(column)
        if numbers is None or column.format == "b":
            raise origin.refusal(_described(column))
        return _of_array(numbers, origin)
    found, row = [], 0
    for piece in pieces:
        found.append(real(piece, origin, row))
        row += len(piece)
    return Numbers(tuple(found), is_half=_is_half(pieces[0].dtype))


def _described(column: ArrowColumn) -> str:
    if column.is_dictionary:
        return "It holds categories"
    if column.format == "b":
        return "It holds booleans"
    if column.format in ("u", "U", "vu"):
        return "It holds text (0.5 is a number; 0,5 and 50% are text)"
    if column.format.startswith("+") and column.chunks and column.chunks[0].items is not None:
        return "It holds empty lists, or lists of something else than numbers"
    if column.format in ("+vl", "+vL"):
        return f"It is a list view (Arrow format {column.format!r}); cast it to a list"
    return f"Its Arrow type has the format {column.format!r}"


def _of_items(items: list[Any], origin: Origin) -> Numbers:
    """Return the numbers of a list of numbers, or of rows of numbers."""
    if not items:
        raise error("K101", argument=origin.shown)
    is_half = False
    if _is_foreign(items[0]):
        is_half = str(items[0].dtype) == "torch.bfloat16"
        items = [array_of(item) if _is_foreign(item) else item for item in items]
    if not _is_row(items[0]):
        found = _of_array(_numbers_from(items, origin, None), origin)
        return replace(found, is_half=found.is_half or is_half)
    widths = [len(row) if _is_row(row) else -1 for row in items]
    bad = next((row for row, width in enumerate(widths) if width != widths[0]), None)
    if bad is not None:
        raise _ragged(origin, bad, widths[bad], widths[0])
    if isinstance(items[0], np.ndarray) and len({(type(r), r.dtype, r.shape) for r in items}) == 1:
        found = _of_array(np.stack(items), origin)
        return replace(found, is_half=found.is_half or is_half)
    flat = list(chain.from_iterable(items))
    if any(map(_is_row, flat)):
        raise origin.refusal(f"It has shape ({len(items)}, {widths[0]}, …)")
    if not flat:
        raise origin.refusal(f"It has shape ({len(items)}, 0)")
    return _of_array(_numbers_from(flat, origin, widths[0]).reshape(-1, widths[0]), origin)


def _is_foreign(item: Any) -> bool:
    """Return whether a row, or a number, is a tensor of PyTorch."""
    return host_of(item) == "torch" and hasattr(item, "detach")


def _is_row(item: Any) -> bool:
    if isinstance(item, np.ndarray) or hasattr(item, "ndim"):
        return bool(item.ndim)
    return isinstance(item, Sequence) and not isinstance(item, str | bytes | bytearray)


def _ragged(origin: Origin, row: int, width: int, first: int) -> KaratError:
    length = "is not a row" if width < 0 else f"has length {width}"
    return origin.refusal(f"Row {row} {length}, row 0 has length {first}")


def _numbers_from(items: Sequence[Any], origin: Origin, width: int | None) -> npt.NDArray[Any]:
    """Convert Python numbers to one array, exactly; a mix of kinds becomes float64."""
    types = set(map(type, items))
    if types == {float}:
        return np.array(items, np.float64)
    if types == {int}:
        # An integer of more than 64 bits is reported below.
        with suppress(OverflowError):
            return np.array(items, np.int64)
    if len(types) == 1 and issubclass(next(iter(types)), np.floating):
        return np.array(items)
    if all(issubclass(kind, _PLAIN) and not issubclass(kind, _NOT_PLAIN) for kind in types):
        found = np.empty(len(items))
        for at, item in enumerate(items):
            found[at] = _exact(item, origin, at, width)
        return found
    is_number = np.fromiter(map(_is_number, items), np.bool_, len(items))
    flags = np.array(
        [not known and is_missing(x) for known, x in zip(is_number, items, strict=True)]
    )
    is_other = ~(is_number | flags)
    if is_other.any():
        at = int(is_other.argmax())
        what = f"{short(items[at])} ({type(items[at]).__name__}){with_comma(items[at])}"
        count = f"{int(np.count_nonzero(is_other))} of {len(items)} values"
        raise origin.refusal(f"{_where(at, width)} holds {what}; {count} are not numbers")
    if flags.any():
        shape = flags if width is None else flags.reshape(-1, width)
        origin.refuse_missing(shape, items[int(flags.argmax())])
    plain = [item.item() if isinstance(item, np.ndarray) else item for item in items]
    plain = [np.nan if is_null else item for item, is_null in zip(plain, flags, strict=True)]
    return _numbers_from(plain, origin, width)


def _is_number(item: Any) -> bool:
    if isinstance(item, np.ndarray):
        return not item.ndim and item.dtype.kind in "iuf"
    return isinstance(item, _PLAIN) and not isinstance(item, _NOT_PLAIN)


def _where(at: int, width: int | None) -> str:
    return f"Row {at}" if not width else f"Row {at // width}, column {at % width}"


def _exact(item: Any, origin: Origin, at: int, width: int | None) -> float:
    try:
        number = float(item)
    except OverflowError:
        number = np.inf
    if isinstance(item, int | np.integer) and (np.isinf(number) or int(number) != int(item)):
        found = f"{_where(at, width)} holds {short(item)}, which a float64 cannot represent"
        raise origin.refusal(found)
    return number


def _of_array(values: npt.NDArray[Any], origin: Origin) -> Numbers:
    if hasattr(values, "mask"):
        mask = np.ma.getmaskarray(values)
        if mask.any() and mask.ndim in (1, 2):
            origin.refuse_missing(mask, "masked")
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim in (1, 2) and not len(array):
        raise error("K101", argument=origin.shown)
    if array.ndim not in (1, 2) or not array.size:
        raise origin.refusal(f"It has shape {array.shape}")
    if array.dtype == np.object_:
        if array.ndim == 1:
            return _of_items(list(array), origin)
        flat = _numbers_from(array.ravel().tolist(), origin, array.shape[1])
        array = flat.reshape(array.shape)
    return Numbers((real(array, origin),), is_half=_is_half(array.dtype))


def _is_half(dtype: np.dtype[Any]) -> bool:
    return dtype == np.float16 or dtype.name == "bfloat16"


def real(array: npt.NDArray[Any], origin: Origin, first_row: int = 0) -> Array:
    """Return an array of numbers as float32 or float64; 16-bit ones become float32."""
    dtype = array.dtype
    if dtype.kind == "f" and dtype.itemsize in (4, 8):
        return native_order(array)
    if _is_half(dtype):
        return array.astype(np.float32)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    if dtype.kind in "iu":
        found = array.astype(np.float64)
        if dtype.itemsize == 8:
            _check_exact(array, found, origin, first_row)
        return found
    raise origin.refusal(f"Its dtype is {dtype}")


def _check_exact(
    array: npt.NDArray[Any], found: npt.NDArray[np.float64], origin: Origin, first_row: int
) -> None:
    for place in np.argwhere(np.abs(found) >= _EXACT):
        at = tuple(place)
        if int(found[at]) != int(array[at]):
            column = f", column {int(place[1])}" if array.ndim == 2 else ""
            row = origin.first_row + first_row + int(place[0])
            text = f"Row {row}{column} holds {int(array[at])}"
            raise origin.refusal(f"{text}, which a float64 cannot represent")
