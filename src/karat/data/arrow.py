"""Arrow arrays and streams as NumPy views of their buffers, read through nanoarrow."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from karat.data.labels.column import Flags
from karat.errors import error

if TYPE_CHECKING:
    from decimal import Decimal

_ORDERED = 1  # ARROW_FLAG_DICTIONARY_ORDERED


@dataclass(frozen=True, slots=True)
class ArrowChunk:
    """One Arrow array.

    Attributes:
        format: the format string of the C data interface (of the indices, for a dictionary).
        length, offset: the rows used are ``buffer[offset : offset + length]``.
        validity: the bitmap, uint8[m]; None when no row is null.
        buffers: buffers after the bitmap; raw bytes as uint8[m].
        dictionary: the values of the indices.
        is_ordered: whether the dictionary declares its order.
        items: the items of all lists of an array of lists, in one array.
        fields: name and values of each field of an array of structs, of all its rows.
    """

    format: str
    length: int
    offset: int
    validity: npt.NDArray[np.uint8] | None
    buffers: tuple[npt.NDArray[Any], ...]
    dictionary: ArrowChunk | None = None
    is_ordered: bool = False
    items: ArrowChunk | None = None
    fields: tuple[tuple[str, ArrowChunk], ...] = ()

    def numbers(self) -> npt.NDArray[Any]:
        """Return the rows of an array of plain numbers."""
        return self.buffers[0][self.offset : self.offset + self.length]

    def nulls(self) -> Flags | None:
        """bool[n] of the rows that are null; None when there are none."""
        if self.format == "n":
            return np.ones(self.length, np.bool_)
        if self.validity is None:
            return None
        return ~bits(self.validity, self.offset, self.length)


@dataclass(frozen=True, slots=True)
class ArrowColumn:
    """A column of a stream: its name, its type and its chunks, in order."""

    name: str
    format: str
    is_dictionary: bool
    chunks: tuple[ArrowChunk, ...]

    def __len__(self) -> int:
        return sum(chunk.length for chunk in self.chunks)


def is_arrow(values: object) -> bool:
    """Return whether an object exports the Arrow PyCapsule interface."""
    return hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")


def read_column(values: Any) -> ArrowColumn | None:
    """Return the single column of an array, chunked array or table; None if there are more."""
    with _opened(values) as (schema, stream):
        arrays = list(stream)
        # A null struct is not a row of a table: it is kept, and its fields are not read.
        if schema.format != "+s" or any(array.null_count for array in arrays):
            return _column(schema, [_chunk(array, schema) for array in arrays])
        if schema.n_children != 1:
            return None
        field = schema.child(0)
        return _column(field, [_child(array, 0, field) for array in arrays])


def read_nested(values: Any) -> ArrowColumn:
    """Return a column of structs, or of lists of them, as one column and not as a table."""
    with _opened(values) as (schema, stream):
        return _column(schema, [_chunk(array, schema) for array in stream])


def fields_of(column: ArrowColumn) -> dict[str, ArrowColumn]:
    """Return the fields of a column of structs as columns; a struct that is null is so in each.

    Cost: views; a bitmap where structs are null.
    """
    names = [name for name, _ in column.chunks[0].fields] if column.chunks else []
    parts = [[_field(chunk, place) for chunk in column.chunks] for place in range(len(names))]
    return {
        name: ArrowColumn(name, chunks[0].format, chunks[0].dictionary is not None, tuple(chunks))
        for name, chunks in zip(names, parts, strict=True)
    }


def _field(chunk: ArrowChunk, place: int) -> ArrowChunk:
    """Return the rows of one field of an array of structs."""
    _, field = chunk.fields[place]
    found = replace(field, offset=field.offset + chunk.offset, length=chunk.length)
    nulls = chunk.nulls()
    if nulls is None:
        return found
    own = found.nulls()
    flags = nulls if own is None else nulls | own
    before = np.zeros(found.offset, np.bool_)
    validity = np.packbits(np.concatenate([before, ~flags]), bitorder="little")
    return replace(found, validity=validity)


def read_columns(table: Any, names: Sequence[str]) -> dict[str, ArrowColumn]:
    """Return columns of a whole table by name; every name has to exist.

    Cost: views of the table's own memory; a lazy query is read completely.
    """
    with _opened(table) as (schema, arrays):
        places = _places(schema, names)
        chunks: dict[str, list[ArrowChunk]] = {name: [] for name in names}
        for array in arrays:
            for name, place in places.items():
                chunks[name].append(_child(array, place, schema.child(place)))
        return {name: _column(schema.child(places[name]), chunks[name]) for name in names}


def batches(table: Any, names: Sequence[str]) -> Generator[dict[str, ArrowColumn], None, None]:
    """Yield the columns of a table batch by batch, in the memory of one batch.

    The stream is released when the iterator ends or is closed.
    """
    with _opened(table) as (schema, arrays):
        places = _places(schema, names)
        for array in arrays:
            if array.length:
                yield {
                    name: _column(schema.child(place), [_child(array, place, schema.child(place))])
                    for name, place in places.items()
                }


def schema_of(table: Any) -> list[tuple[str, str]]:
    """Return name and format string of each column; a dictionary has the format of its values.

    For a reader that can be read only once, only the schema is read.
    """
    import nanoarrow

    if hasattr(table, "schema") and hasattr(table.schema, "__arrow_c_schema__"):
        return _fields(nanoarrow.c_schema(table.schema))
    with _opened(table) as (schema, _):
        return _fields(schema)


def _fields(schema: Any) -> list[tuple[str, str]]:
    fields = [schema.child(place) for place in range(schema.n_children)]
    return [
        (field.name, field.format if field.dictionary is None else field.dictionary.format)
        for field in fields
    ]


def ordered_fields(schema: bytes) -> set[str]:
    """Return the ordered dictionaries of a schema that was written for other processes."""
    import nanoarrow
    from nanoarrow.ipc import InputStream

    with nanoarrow.c_array_stream(InputStream.from_readable(schema)) as stream:
        fields = stream.get_schema().children
        return {field.name for field in fields if field.flags & _ORDERED}


def bits(bitmap: npt.NDArray[np.uint8], offset: int, length: int) -> Flags:
    """bool[length] of a bitmap, least significant bit first."""
    first = offset // 8
    unpacked = np.unpackbits(bitmap[first : (offset + length + 7) // 8], bitorder="little")
    skipped = offset - 8 * first
    return unpacked[skipped : skipped + length].view(np.bool_)


@contextmanager
def _opened(values: Any) -> Iterator[tuple[Any, Iterable[Any]]]:
    """Open the schema and the arrays of a source; its stream is released on exit."""
    import nanoarrow

    if not hasattr(values, "__arrow_c_stream__"):
        array = nanoarrow.c_array(values)
        yield array.schema, [array]
        return
    with nanoarrow.c_array_stream(values) as stream:
        yield stream.get_schema(), stream


def _places(schema: Any, names: Sequence[str]) -> dict[str, int]:
    found = {schema.child(place).name: place for place in range(schema.n_children)}
    return {name: found[name] for name in names}


def _column(schema: Any, chunks: list[ArrowChunk]) -> ArrowColumn:
    return ArrowColumn(
        schema.name or "",
        schema.format,
        schema.dictionary is not None,
        tuple(chunk for chunk in chunks if chunk.length),
    )


def _child(batch: Any, place: int, field: Any) -> ArrowChunk:
    # The rows of a sliced record batch are those of its own offset, not of its children's.
    return _chunk(batch.child(place), field, batch.offset, batch.length)


def _chunk(array: Any, schema: Any, offset: int = 0, length: int | None = None) -> ArrowChunk:
    rows = array.length if length is None else length
    start = array.offset + offset
    is_whole = offset == 0 and rows == array.length
    if not _READABLE.fullmatch(schema.format):
        return ArrowChunk(schema.format, rows, start, None, ())
    is_struct = schema.format == "+s"
    is_list = schema.format.startswith("+") and not is_struct
    raw: list[Any] = [_bytes(buffer) for buffer in array.view().buffers]
    # A bitmap may exist without a null, and a count of -1 means unknown.
    validity, null_count = raw[0], array.null_count if is_whole else -1
    if (
        null_count == 0
        or not validity.size
        or (null_count < 0 and bits(validity, start, rows).all())
    ):
        validity = None
    width = np.dtype(_NUMBERS[schema.format]) if schema.format in _NUMBERS else None
    buffers = [raw[1].view(width), *raw[2:]] if width is not None else raw[1:]
    return ArrowChunk(
        schema.format,
        rows,
        start,
        validity,
        tuple(buffers),
        None if schema.dictionary is None else _chunk(array.dictionary, schema.dictionary),
        bool(schema.flags & _ORDERED),
        _chunk(array.child(0), schema.child(0)) if is_list else None,
        _fields_of(array, schema) if is_struct else (),
    )


def _fields_of(array: Any, schema: Any) -> tuple[tuple[str, ArrowChunk], ...]:
    children = ((schema.child(place), array.child(place)) for place in range(schema.n_children))
    return tuple((field.name or "", _chunk(child, field)) for field, child in children)


_NUMBERS = dict(
    zip(
        "cCsSiIlLefg",
        ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"],
        strict=True,
    )
)
# Numbers, bits, text in its three forms, decimals of 128 and 256 bits, times, lists, structs.
_READABLE = re.compile(
    r"[cCsSiIlLefgbuUzZ]|v[uz]|d:\d+,-?\d+(,128|,256)?|t[dt][Dmsun]|ts[smun]:.*|\+[lLs]|\+w:\d+"
)


def _bytes(buffer: Any) -> npt.NDArray[np.uint8]:
    if not buffer.size_bytes:
        return np.empty(0, np.uint8)
    array = np.frombuffer(buffer, np.uint8)
    # The format requires aligned buffers, but not every producer complies.
    return array if array.ctypes.data % 8 == 0 else array.copy()


class NotOneLengthError(Exception):
    """Lists differ in length; `args` is (row, its length, the length of row 0)."""


def lists_of(
    column: ArrowColumn, rows: Flags | None = None
) -> tuple[list[npt.NDArray[Any]] | None, Flags | None]:
    """Return the lists of a column without nulls, as one matrix for each chunk.

    Args:
        rows: bool[n], the requested rows, of a column of one chunk; None for all.

    Returns:
        The matrices, number[m, k], or None when the lists do not hold plain numbers;
        and bool[n, k] of the items that are null, or None when there are none.

    Errors:
        NotOneLengthError: the lists differ in length.

    Cost: views; one copy of chunks whose lists are not contiguous.
    """
    width: int | None = None
    first_row = 0
    matrices: list[npt.NDArray[Any]] = []
    nulls: list[Flags | None] = []
    for chunk in column.chunks:
        starts, lengths = _extents(chunk)
        if rows is not None:
            starts, lengths = starts[rows], lengths[rows]
            if not len(starts):
                continue
        width = int(lengths[0]) if width is None else width
        if (lengths != width).any():
            row = int((lengths != width).argmax())
            raise NotOneLengthError(first_row + row, int(lengths[row]), width)
        items = chunk.items
        assert items is not None
        values = pieces_of(ArrowColumn("", items.format, items.dictionary is not None, (items,)))
        if values is None or not width:
            return None, None
        matrices.append(_rows(values[0], starts, width))
        missing = items.nulls()
        nulls.append(None if missing is None else _rows(missing, starts, width))
        first_row += len(starts)
    if not any(part is not None and part.any() for part in nulls):
        return matrices, None
    return matrices, _joined_flags(nulls, [matrix.shape for matrix in matrices])


def items_of_lists(chunk: ArrowChunk) -> tuple[npt.NDArray[np.int64], list[ArrowChunk]]:
    """Return the number of items of each list of an array, and all items in order.

    A null list has none, for any content under it. Items are in one array or several.
    """
    starts, sizes = _extents(chunk)
    nulls, items = chunk.nulls(), chunk.items
    assert items is not None
    if nulls is not None:
        sizes = np.where(nulls, 0, sizes)
    if sizes.min(initial=0) < 0:
        row, do = int(np.argmin(sizes)), "Build it again; .validate(full=True) of Arrow says more."
        raise error(
            "K205", thing="column of lists", found=f"Row {row} ends before it begins", do=do
        )
    full = np.flatnonzero(sizes)
    if not full.size:
        return sizes, []
    begins, ends = starts[full], starts[full] + sizes[full]
    cuts = np.flatnonzero(begins[1:] != ends[:-1]) + 1
    firsts, lasts = begins[np.r_[0, cuts]], ends[np.r_[cuts - 1, len(full) - 1]]
    spans = zip(firsts.tolist(), lasts.tolist(), strict=True)
    return sizes, [replace(items, offset=items.offset + i, length=j - i) for i, j in spans]


def _joined_flags(parts: Sequence[Flags | None], shapes: Sequence[int | tuple[int, ...]]) -> Flags:
    each = zip(parts, shapes, strict=True)
    return np.concatenate([np.zeros(n, np.bool_) if part is None else part for part, n in each])


def _extents(chunk: ArrowChunk) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the start of each list of a chunk among the items, and its length."""
    rows = slice(chunk.offset, chunk.offset + chunk.length)
    if chunk.format.startswith("+w:"):
        width = int(chunk.format[3:])
        starts = np.arange(rows.start, rows.stop, dtype=np.int64) * width
        return starts, np.full(chunk.length, width)
    offsets = chunk.buffers[0].view(np.int32 if chunk.format == "+l" else np.int64)
    ends = offsets[rows.start : rows.stop + 1].astype(np.int64)
    return ends[:-1], np.diff(ends)


def _rows(values: npt.NDArray[Any], starts: npt.NDArray[np.int64], width: int) -> Any:
    n = len(starts)
    if starts[-1] - starts[0] == (n - 1) * width and (n < 3 or (np.diff(starts) == width).all()):
        return values[starts[0] : starts[0] + n * width].reshape(n, width)
    return values[starts[:, None] + np.arange(width)]


_INT64_DIGITS = 18


def joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return one array of all parts; a single one is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def nulls_of(column: ArrowColumn) -> Flags | None:
    """bool[n] of the rows that are null; None when there are none."""
    parts = [chunk.nulls() for chunk in column.chunks]
    if all(part is None for part in parts):
        return None
    return _joined_flags(parts, [chunk.length for chunk in column.chunks])


def pieces_of(column: ArrowColumn) -> list[npt.NDArray[Any]] | None:
    """Return the values of a column of plain numbers, one view for each chunk; or None.

    The values of null rows are arbitrary.
    """
    if column.is_dictionary or not column.chunks or column.format not in _NUMBERS:
        return None
    return [chunk.numbers() for chunk in column.chunks]


def numbers_of(column: ArrowColumn) -> npt.NDArray[Any] | None:
    """Return the values of a column of numbers or booleans; None for other types.

    The values of null rows are arbitrary. Decimals become int64 if all are integers, else objects.

    Cost: none for one chunk of plain numbers, else one copy.
    """
    if column.is_dictionary or not column.chunks:
        return None
    pieces = pieces_of(column)
    if pieces is not None:
        return joined(pieces)
    if column.format == "b":
        return joined([bits(c.buffers[0], c.offset, c.length) for c in column.chunks])
    if column.format.startswith("d:") and all(chunk.buffers for chunk in column.chunks):
        return _decimals(column.chunks)
    return None


def times_of(column: ArrowColumn) -> npt.NDArray[Any] | None:
    """int[n]: stored numbers of an Arrow column of times; None for other columns.

    Under a null they are arbitrary.
    """
    kind = column.format[:3]
    if kind[:2] not in ("td", "tt", "ts"):
        return None
    width = "i4" if kind in ("tdD", "tts", "ttm") else "i8"
    parts = [c.buffers[0].view(width)[c.offset : c.offset + c.length] for c in column.chunks]
    return joined(parts)


def _decimals(chunks: tuple[ArrowChunk, ...]) -> npt.NDArray[Any]:
    _, scale, *rest = (int(text) for text in chunks[0].format[2:].split(","))
    n_words = (rest[0] if rest else 128) // 64
    stored = [chunk.buffers[0].view(np.int64).reshape(-1, n_words) for chunk in chunks]
    words = joined([w[c.offset : c.offset + c.length] for w, c in zip(stored, chunks, strict=True)])
    low = words[:, 0]
    # The higher words only repeat its sign, if the number fits into the lowest.
    is_narrow = bool((words[:, 1:] == (low >> 63)[:, None]).all())
    if is_narrow and not scale:
        return low
    if is_narrow and scale <= _INT64_DIGITS and not (low % 10**scale).any():
        whole: npt.NDArray[Any] = low // 10**scale
        return whole
    return np.array([_decimal(row.tobytes(), scale) for row in words], np.object_)


def _decimal(raw: bytes, scale: int) -> Decimal:
    from decimal import Decimal

    number = int.from_bytes(raw, "little", signed=True)
    # From its digits, since arithmetic would round to the precision of the context.
    digits = tuple(map(int, str(abs(number))))
    return Decimal((int(number < 0), digits, -scale))
