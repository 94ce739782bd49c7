"""Encoding of arrays, Arrow columns, Python objects and dictionaries as `Column`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arrow import ArrowChunk, ArrowColumn, joined, nulls_of, numbers_of, times_of
from karat.data.labels.column import (
    Codes,
    Column,
    Flags,
    FractionError,
    NotALabelError,
    Nulls,
    coded,
    is_missing,
    label_of,
    occurring,
    refused,
    with_missing,
    without_labels,
)
from karat.data.labels.times import texts_of, texts_of_numbers
from karat.errors import KaratError, error, short, shown
from karat.errors.reasons import NotWholeError
from karat.tally.classes import Label
from karat.tally.shared import widest_order

_MISSING = -1

Items = list[Any] | tuple[Any, ...] | npt.NDArray[np.object_]


_NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal, Fraction, type(None))
"""Types whose == compares by value. Other classes may equal a number, and are checked."""

_NEVER = (complex, np.complexfloating, np.timedelta64)
"""Types that are not labels even if they equal one, as 1+0j equals 1."""


def encode_objects(items: Items, argument: str, nulls: Nulls) -> Column:
    """Encode labels of Python objects, found by hash as dict keys.

    Args:
        items: a list, a tuple or object[n]; at least one row.

    Errors:
        K104 missing, K105 not whole, K106 not a label, K107 strings beside numbers.

    Cost: one hash for each row; a Python call only for each distinct value.
    """
    table: dict[object, int] = {}
    labels: list[Label] = []
    places: dict[Label, int] = {}
    types: dict[type, int] = {}

    def on_new(item: object, _row: int) -> int:
        label = label_of(item)
        if label is None:
            # A NaN is found by identity: a column with many would fill the table.
            if item is None:
                table[item] = _MISSING
            return _MISSING
        # b"a" and "a", or two tensors of one value, are one label with several keys.
        code = places.get(label)
        if code is None:
            code = places[label] = len(labels)
            labels.append(label)
        table[item] = code
        return code

    try:
        codes = _native.encode_objects(items, table, on_new, types)
    except MemoryError:
        raise
    except Exception as problem:  # NotALabelError, Rejected, or any error of a hash or an ==
        plain = _without_arrays(items)
        if plain is not None:
            return encode_objects(plain, argument, nulls)
        raise _refusal(items, argument, problem) from None
    is_missing_row = codes == _MISSING if codes.min() < 0 else None
    if not all(isinstance(label, str) for label in labels):
        n_missing = 0 if is_missing_row is None else int(np.count_nonzero(is_missing_row))
        labels = _numbers_by_type(items, argument, labels, types, n_missing)
    return with_missing(coded(argument, codes, labels), is_missing_row, nulls)


def _numbers_by_type(
    items: Items, argument: str, labels: list[Label], types: dict[type, int], n_missing: int
) -> list[Label]:
    """Check the numbers by their types, independent of the order of equal ones."""
    # 1+0j is found as 1 if 1 came first, and refused if it came first itself.
    unsure = {kind for kind in types if not issubclass(kind, _NUMBERS) or issubclass(kind, _NEVER)}
    if unsure and any(_problem(item) for item in items if type(item) in unsure):
        raise _refusal(items, argument)
    # True beside 1 is an integer in either order.
    if types.get(bool, 0) + types.get(np.bool_, 0) + n_missing < len(items):
        return [label if isinstance(label, str) else int(label) for label in labels]
    return labels


def _without_arrays(items: Items) -> list[Any] | None:
    """Return the values with unhashable 0-dimensional arrays unpacked; None without any."""

    def is_single(item: Any) -> bool:
        return isinstance(item, np.ndarray) and not item.ndim

    if not any(map(is_single, items)):
        return None
    plain = [
        (None if np.ma.is_masked(x) else np.asarray(x)[()]) if is_single(x) else x for x in items
    ]
    # An array of objects may contain itself.
    return None if any(map(is_single, plain)) else plain


def _refusal(
    items: Sequence[Any] | npt.NDArray[np.object_], argument: str, problem: Exception | None = None
) -> Exception:
    """Return the error of the first value that is not a label, with the number of such rows."""
    problems = [_problem(item) for item in items]
    first = next(filter(None, problems), None)
    if first is None:
        why = "" if problem is None else f": {short(problem)}"
        return error("K106", argument=argument, found=f"Its values cannot be compared{why}")
    row = problems.index(first)
    return refused(argument, first, items[row], row, problems.count(first), len(items))


def _problem(item: object) -> type[NotALabelError] | None:
    try:
        hash(item)
        label_of(item)
    except NotALabelError as problem:
        return type(problem)
    except Exception:  # the hash of a class of another library may raise anything
        return NotALabelError
    is_missing_time = isinstance(item, np.timedelta64) and is_missing(item)
    return NotALabelError if isinstance(item, _NEVER) and not is_missing_time else None


def encode_dictionary(
    codes: Codes,
    values: Sequence[object],
    argument: str,
    nulls: Nulls,
    *,
    missing: Flags | None = None,
    is_ordered: bool = False,
) -> Column:
    """Encode stored codes as labels, without copying.

    Args:
        codes: integer[n]; arbitrary in missing rows.
        values: the value of each code; only values that occur need to be labels.
        missing: bool[n], or None when every row has a value.
        is_ordered: whether the order of `values` is part of the data.

    Errors:
        K104 missing, K105 not whole, K106 not a label or a code outside, K107 mixed.
    """
    if missing is not None:
        without_labels(argument, missing, nulls)
    labels: list[Label | None] = []
    unusable: dict[int, type[NotALabelError]] = {}
    for place, value in enumerate(values):
        try:
            labels.append(label_of(value))
        except NotALabelError as problem:
            labels.append(None)
            unusable[place] = type(problem)
    seen = np.flatnonzero(occurring(argument, codes, len(values), missing=missing)).tolist()
    without_label = [place for place in seen if labels[place] is None]
    if without_label:
        bad = [place for place in without_label if place in unusable]
        if bad:
            rows = np.isin(codes, bad) if missing is None else np.isin(codes, bad) & ~missing
            row, n_bad = int(rows.argmax()), int(np.count_nonzero(rows))
            place = int(codes[row])
            raise refused(argument, unusable[place], values[place], row, n_bad, len(codes))
        is_null = np.isin(codes, without_label)
        missing = is_null if missing is None else is_null | missing
    used: list[Label | None] = [None] * len(values)
    for place in seen:
        used[place] = labels[place]
    order = None
    if is_ordered:
        order = tuple(dict.fromkeys(label for label in labels if label is not None))
    column = coded(argument, codes, used, missing=missing, order=order)
    return with_missing(column, missing, nulls)


def common_order(left: Column, right: Column) -> tuple[Label, ...] | None:
    """Return the order declared by two columns, or None (K118: neither contains the other)."""
    if left.order is None or right.order is None:
        return left.order if right.order is None else right.order
    order = widest_order((left.order, right.order))
    if order is not None:
        return order
    raise error(
        "K118",
        left=left.argument,
        right=right.argument,
        left_order=shown(left.order),
        right_order=shown(right.order),
    )


_TEXT = {"u": np.int32, "U": np.int64, "z": np.int32, "Z": np.int64}
_VIEWS = ("vu", "vz")


def encode_arrow(column: ArrowColumn, argument: str, nulls: Nulls) -> Column:
    """Encode an Arrow column of any type of labels.

    Text is hashed in place; codes of a dictionary are counted unchanged, even if each chunk has its
    own dictionary.

    Errors:
        K101 empty, K104 null, K105 not whole, K106 another type, K107 strings beside numbers.
    """
    if not len(column):
        raise error("K101", argument=argument)
    chunks = column.chunks
    missing = nulls_of(column)
    kind = column.format
    if column.is_dictionary:
        return _encode_dictionaries(chunks, argument, nulls, missing)
    if kind in _TEXT or kind in _VIEWS:
        encoder = _native.TextEncoder()
        codes = joined([text_codes(encoder, chunk) for chunk in chunks])
        labels = encoded_texts(encoder, argument)
        return with_missing(coded(argument, codes, labels), missing, nulls)
    if kind == "n":
        return without_labels(argument, np.ones(len(column), np.bool_), nulls)
    times = times_of(column)
    if times is not None:
        if missing is not None and missing.all():
            return without_labels(argument, missing, nulls)
        times = times if missing is None else np.where(missing, times[~missing][0], times)
        values, codes = np.unique(times, return_inverse=True)
        texts = texts_of_numbers(values, kind)
        return with_missing(coded(argument, codes.reshape(-1), texts), missing, nulls)
    numbers = numbers_of(column)
    if numbers is None:
        raise error("K106", argument=argument, found=f"Its Arrow type has the format {kind!r}")
    if missing is None:
        return encode_array(numbers, argument, nulls)
    return encode_present(numbers[~missing], missing, argument, nulls)


def encoded_texts(encoder: _native.TextEncoder, argument: str) -> list[str]:
    """Return the encoded texts (K106: one is not UTF-8)."""
    try:
        return encoder.labels()
    except UnicodeDecodeError as problem:
        found = f"It holds bytes that are not UTF-8 text: {problem.object[:20]!r}"
        raise error("K106", argument=argument, found=found) from None


def text_codes(encoder: _native.TextEncoder, chunk: ArrowChunk) -> npt.NDArray[np.int32]:
    """int32[n]: the code of each text of an Arrow array."""
    start, stop = chunk.offset, chunk.offset + chunk.length
    if chunk.format in _VIEWS:
        # After the data buffers comes one with their sizes.
        views, *data, _ = chunk.buffers
        rows = views.reshape(-1, 16)[start:stop]
        return encoder.encode_views(rows, data, chunk.validity, start)
    offsets = chunk.buffers[0].view(_TEXT[chunk.format])[start : stop + 1]
    return encoder.encode_utf8(offsets, chunk.buffers[1], chunk.validity, start)


def _encode_dictionaries(
    chunks: tuple[ArrowChunk, ...], argument: str, nulls: Nulls, missing: Flags | None
) -> Column:
    values = [_values(chunk) for chunk in chunks]
    is_ordered = all(chunk.is_ordered for chunk in chunks)
    codes = [chunk.numbers() for chunk in chunks]
    if any(other != values[0] for other in values[1:]):
        # One that contains the others declares the order of all.
        order = widest_order(map(tuple, values)) if is_ordered else None
        is_ordered = order is not None
        values, codes = _united(values, codes, chunks, argument, order or ())
    return encode_dictionary(
        joined(codes), values[0], argument, nulls, missing=missing, is_ordered=is_ordered
    )


def _values(chunk: ArrowChunk) -> list[object]:
    """Return the value of each code of a dictionary; None for null.

    Values that do not occur may be anything: each is checked only if it is used.
    """
    dictionary = chunk.dictionary
    if dictionary is None or not dictionary.length:
        return []
    try:
        return _labels_stored(dictionary)
    except KaratError:
        return [_value(dictionary, row) for row in range(dictionary.length)]


def _labels_stored(dictionary: ArrowChunk) -> list[object]:
    stored = ArrowColumn("", dictionary.format, dictionary.dictionary is not None, (dictionary,))
    column = encode_arrow(stored, "the dictionary", "keep")
    is_null = np.zeros(len(column), np.bool_) if column.missing is None else column.missing
    return [None if is_null[row] else column.label_at(row) for row in range(len(column))]


def _value(dictionary: ArrowChunk, row: int) -> object:
    """Return one value as a label, or as an object that describes an invalid value."""
    place = dictionary.offset + row
    try:
        return _labels_stored(replace(dictionary, offset=place, length=1))[0]
    except NotWholeError as problem:
        return problem.context["value"]
    except KaratError:
        pass
    if dictionary.format in _TEXT:
        start, stop = dictionary.buffers[0].view(_TEXT[dictionary.format])[place : place + 2]
        return dictionary.buffers[1][start:stop].tobytes()
    return ArrowValue(dictionary.format)


@dataclass(frozen=True, slots=True)
class ArrowValue:
    """Value of a type that has no labels."""

    format: str


def _united(
    values: list[list[object]],
    codes: list[Codes],
    chunks: tuple[ArrowChunk, ...],
    argument: str,
    order: Sequence[object],
) -> tuple[list[list[object]], list[Codes]]:
    """Return one dictionary for all chunks, which begins with `order`, and the codes in it."""
    places: dict[object, int] = {value: place for place, value in enumerate(order)}
    united: list[Codes] = []
    for own, part, chunk in zip(values, codes, chunks, strict=True):
        # The entry added at the end keeps an empty dictionary of null rows readable.
        lut = np.array([places.setdefault(value, len(places)) for value in own] + [0], np.int32)
        nulls = chunk.nulls()
        index = part if nulls is None else np.where(nulls, 0, part)
        is_outside = (index < 0) | (index >= max(len(own), 0 if nulls is None else 1))
        if is_outside.any():
            code = index[is_outside.argmax()]
            found = f"A row has code {code} of a dictionary of {len(own)} values"
            raise error("K106", argument=argument, found=found)
        united.append(lut[index])
    return [list(places)], united


Array = npt.NDArray[Any]

_INT64_MAX = np.iinfo(np.int64).max
_WIDE_TEXT_BYTES = 256
"""Length above which variable-width text is read one string at a time, without padding."""


def encode_array(values: Array, argument: str, nulls: Nulls) -> Column:
    """Encode an array of any dtype of labels.

    Args:
        values: shape (n,) or (n, 1); any stride, byte order and alignment; masked arrays too.

    Errors:
        K101 empty, K103 other shape, K104 missing, K105 not whole, K106 other dtype,
        K107 strings beside numbers.
    """
    rows = as_rows(values, argument)
    if hasattr(rows, "mask"):
        missing = np.ma.getmaskarray(rows)
        return encode_present(np.ma.getdata(rows)[~missing], missing, argument, nulls)
    array: Array = native_order(np.asarray(rows))
    kind = array.dtype.kind
    if kind == "b":
        # In NumPy, any byte but 0 is True: a mask of 0 and 255 viewed as booleans is legal.
        return Column(argument, (array.view(np.uint8) != 0).view(np.uint8), "boolean")
    if kind in "iu":
        if array.dtype == np.uint64 and int(array.max()) > _INT64_MAX:
            values, codes = np.unique(array, return_inverse=True)
            return coded(argument, codes, values.tolist())
        return Column(argument, array, "integer")
    if kind == "f":
        return _encode_floats(array, argument, nulls)
    if kind in "US":
        return _encode_fixed_text(array, argument)
    if kind == "T" and not hasattr(array.dtype, "na_object"):
        column = _encode_marked(array, argument)
        if column is not None:
            return column
    if kind in "OT":
        return encode_objects(array.astype(object, copy=False), argument, nulls)
    if kind == "M" and np.datetime_data(array.dtype)[0] != "generic":
        return _encode_moments(array, argument, nulls)
    raise error("K106", argument=argument, found=f"Its dtype is {array.dtype}")


def _encode_moments(array: Array, argument: str, nulls: Nulls) -> Column:
    missing = np.isnat(array)
    if missing.all():
        return without_labels(argument, missing, nulls)
    values, codes = np.unique(array, return_inverse=True)
    # NaT is sorted last; its code is arbitrary.
    texts = texts_of(values[~np.isnat(values)])
    codes = np.where(missing, 0, codes.reshape(-1)).astype(np.int32)
    return with_missing(coded(argument, codes, texts), missing, nulls)


def encode_present(present: Array, missing: Flags, argument: str, nulls: Nulls) -> Column:
    """Encode an array of the present values, in order, and bool[n] of missing rows."""
    if missing.any() and (nulls == "error" or missing.all()):
        return without_labels(argument, missing, nulls)
    # A present value replaces missing ones, so that row numbers are unchanged.
    filled = np.full(len(missing), present[0], present.dtype)
    filled[~missing] = present
    column = encode_array(filled, argument, nulls)
    if column.missing is not None:
        missing = missing | column.missing
    return with_missing(column, missing, nulls)


def as_rows(values: Array, argument: str) -> Array:
    """Return a view of shape (n,), n at least 1 (K101: empty; K103: neither (n,) nor (n, 1))."""
    if values.ndim == 2 and values.shape[1] == 1:
        # np.matrix would stay two-dimensional; a masked array must keep its mask.
        values = (values if hasattr(values, "mask") else np.asarray(values))[:, 0]
    if values.ndim != 1:
        raise error("K103", argument=argument, shape=values.shape)
    if not values.shape[0]:
        raise error("K101", argument=argument)
    return values


def native_order(array: Array) -> Array:
    """Return the array in native byte order and aligned; copied only if needed."""
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    return array if array.flags.aligned else array.copy()


def _encode_floats(array: Array, argument: str, nulls: Nulls) -> Column:
    with np.errstate(invalid="ignore", over="ignore"):
        codes = array.astype(np.int64)
        is_whole = codes == array
    # 2^63 converts to the largest int64 on some processors and compares equal to it.
    if is_whole.all() and codes.max() < _INT64_MAX:
        return Column(argument, codes, "integer")
    missing = np.isnan(array)
    is_bad = ~missing & (~np.isfinite(array) | (array != np.floor(array)))
    if is_bad.any():
        row = int(is_bad.argmax())
        count = int(np.count_nonzero(is_bad))
        raise refused(argument, FractionError, array[row].item(), row, count, len(array))
    if (is_whole | missing).all() and codes[~missing].max(initial=0) < _INT64_MAX:
        return with_missing(Column(argument, codes, "integer"), missing, nulls)
    return encode_objects(array.astype(object), argument, nulls)


def _encode_fixed_text(array: Array, argument: str) -> Column:
    n, width = array.shape[0], array.dtype.itemsize
    if not width:
        return coded(argument, np.zeros(n, np.int32), [""])
    encoder = _native.TextEncoder()
    block = np.ascontiguousarray(array)
    try:
        if array.dtype.kind == "U":
            codes = encoder.encode_ucs4(block.view(np.uint32).reshape(n, width // 4))
        else:
            codes = encoder.encode_bytes(block.view(np.uint8).reshape(n, width))
        labels = encoder.labels()
    except UnicodeDecodeError:
        # One value is not text: the objects show which.
        return encode_objects(array.astype(object), argument, "error")
    return coded(argument, codes, labels)


def _encode_marked(array: Array, argument: str) -> Column | None:
    """Encode variable-width text through items of fixed width; None if these are wide."""
    # Fixed width drops trailing NULs, and NumPy counts them in a length or not, by its version: a
    # mark behind each text keeps them apart.
    marked = np.strings.add(array, "|")
    n, width = len(array), int(np.strings.str_len(marked).max())
    if width > _WIDE_TEXT_BYTES:
        return None
    encoder = _native.TextEncoder()
    try:
        codes = encoder.encode_bytes(marked.astype(f"S{width}").view(np.uint8).reshape(n, width))
    except (TypeError, UnicodeEncodeError):  # this NumPy has no such cast; not ASCII
        if 4 * width > _WIDE_TEXT_BYTES:
            return None
        codes = encoder.encode_ucs4(marked.astype(f"U{width}").view(np.uint32).reshape(n, width))
    return coded(argument, codes, [label[:-1] for label in encoder.labels()])
