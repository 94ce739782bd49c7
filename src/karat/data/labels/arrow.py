"""Arrow columns → `Column`: text from offsets and bytes, dictionaries from their codes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arrow.arrays import ArrowColumn, Chunk
from karat.data.arrow.numbers import joined, nulls_of, numbers_of
from karat.data.labels.column import (
    Codes,
    Column,
    Flags,
    Nulls,
    coded,
    with_missing,
    without_labels,
)
from karat.data.labels.dictionaries import encode_dictionary
from karat.data.labels.ndarrays import encode_array, encode_present
from karat.errors import KaratError, error

__all__ = ["encode_arrow"]

_TEXT = {"u": np.int32, "U": np.int64, "z": np.int32, "Z": np.int64}
_VIEWS = ("vu", "vz")


def encode_arrow(column: ArrowColumn, argument: str, nulls: Nulls) -> Column:
    """Labels of an Arrow column of any type that can hold labels.

    Text is hashed where it lies; codes of a dictionary are counted as they are,
    also when each chunk brings a dictionary of its own.

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
        return _encode_text(chunks, argument, nulls, missing)
    if kind == "n":
        return without_labels(argument, np.ones(len(column), np.bool_), nulls)
    numbers = numbers_of(column)
    if numbers is not None and missing is None:
        return encode_array(numbers, argument, nulls)
    if numbers is not None and missing is not None:
        return encode_present(numbers[~missing], missing, argument, nulls)
    raise error("K106", argument=argument, found=f"Its Arrow type has the format {kind!r}")


def _encode_text(
    chunks: tuple[Chunk, ...], argument: str, nulls: Nulls, missing: Flags | None
) -> Column:
    encoder = _native.TextEncoder()
    codes = joined([_text_codes(encoder, chunk) for chunk in chunks])
    try:
        labels = encoder.labels()
    except UnicodeDecodeError as problem:
        found = f"It holds bytes that are not UTF-8 text: {problem.object[:20]!r}"
        raise error("K106", argument=argument, found=found) from None
    return with_missing(coded(argument, codes, labels), missing, nulls)


def _text_codes(encoder: _native.TextEncoder, chunk: Chunk) -> npt.NDArray[np.int32]:
    start, stop = chunk.offset, chunk.offset + chunk.length
    if chunk.format in _VIEWS:
        # After the data buffers comes one with their sizes.
        views, *data, _ = chunk.buffers
        rows = views.reshape(-1, 16)[start:stop]
        return encoder.encode_views(rows, data, chunk.validity, start)
    offsets = chunk.buffers[0].view(_TEXT[chunk.format])[start : stop + 1]
    return encoder.encode_utf8(offsets, chunk.buffers[1], chunk.validity, start)


def _encode_dictionaries(
    chunks: tuple[Chunk, ...], argument: str, nulls: Nulls, missing: Flags | None
) -> Column:
    values = [_values(chunk) for chunk in chunks]
    is_ordered = all(chunk.is_ordered for chunk in chunks)
    codes = [chunk.numbers() for chunk in chunks]
    if any(other != values[0] for other in values[1:]):
        # Dictionaries that differ have no common order to keep.
        is_ordered = False
        values, codes = _united(values, codes, chunks, argument)
    return encode_dictionary(
        joined(codes), values[0], argument, nulls, missing=missing, is_ordered=is_ordered
    )


def _values(chunk: Chunk) -> list[object]:
    """What each code of a dictionary stands for; None where that is null.

    Values that no row has may be anything: each is judged only where it is used.
    """
    dictionary = chunk.dictionary
    if dictionary is None or not dictionary.length:
        return []
    try:
        return _labels_stored(dictionary)
    except KaratError:
        return [_value(dictionary, row) for row in range(dictionary.length)]


def _labels_stored(dictionary: Chunk) -> list[object]:
    stored = ArrowColumn("", dictionary.format, dictionary.dictionary is not None, (dictionary,))
    column = encode_arrow(stored, "the dictionary", "keep")
    is_null = np.zeros(len(column), np.bool_) if column.missing is None else column.missing
    return [None if is_null[row] else column.label_at(row) for row in range(len(column))]


def _value(dictionary: Chunk, row: int) -> object:
    """One value as a label, or as something that says what it is and cannot be one."""
    place = dictionary.offset + row
    try:
        return _labels_stored(replace(dictionary, offset=place, length=1))[0]
    except KaratError as problem:
        if problem.code == "K105":
            return problem.context["value"]
    if dictionary.format in _TEXT:
        start, stop = dictionary.buffers[0].view(_TEXT[dictionary.format])[place : place + 2]
        return dictionary.buffers[1][start:stop].tobytes()
    return ArrowValue(dictionary.format)


@dataclass(frozen=True, slots=True)
class ArrowValue:
    """A value of a type that holds no labels."""

    format: str


def _united(
    values: list[list[object]], codes: list[Codes], chunks: tuple[Chunk, ...], argument: str
) -> tuple[list[list[object]], list[Codes]]:
    """One dictionary for all chunks, and the codes of each chunk in it."""
    places: dict[object, int] = {}
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
