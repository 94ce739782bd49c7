"""Splitting of text with a separator into sets of labels: ``"sea|sky"`` is {sea, sky}."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arrow import ArrowColumn, is_arrow, nulls_of, read_column
from karat.data.labels.arrays import encoded_texts
from karat.data.labels.column import Column, Flags, coded
from karat.data.labels.containers import encode, host_of, is_pandas_arrow
from karat.errors import error, short
from karat.errors.options import option
from karat.tally.sets import Sets

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

_ESCAPE: Final = ord("\\")
_SPACES: Final = np.zeros(256, np.bool_)
_SPACES[list(b" \t\r\n\f\v")] = True
_OFFSETS: Final = {"u": np.int32, "U": np.int64}
_DO: Final = "Give the text between two labels, as '|'; a backslash takes it literally."


_UNUSABLE: Final = re.compile(r"[\\\x00\ud800-\udfff]")
"""What no separator holds: the backslash, NUL, half of a pair of UTF-16."""


def checked_separator(separator: Any) -> str | None:
    """Return the separator, if it is valid (K227)."""
    if separator is None:
        return None
    bare = separator.strip() if isinstance(separator, str) else ""
    is_text = isinstance(separator, str) and not _UNUSABLE.search(separator)
    if not is_text or not separator:
        found = f"{option('separator')} is {short(separator)}"
        raise error("K227", found=found, do=_DO)
    # Blanks around the labels are stripped anyway.
    return bare or separator


@dataclass(frozen=True, slots=True, eq=False)
class SplitTexts:
    """Labels in texts.

    Attributes:
        sets: the labels of each row, as indices into `flat`.
        flat: the labels of all rows one after the other; None if no row has one.
        missing: bool[n], rows that are null; None when none is.
    """

    sets: Sets
    flat: Column | None
    missing: Flags | None


def split_texts(values: Any, argument: str, separator: str) -> SplitTexts:
    """Split the texts of one argument: a list, an array, a column of a table.

    Spaces around labels are stripped, and a blank text is the empty set. A backslash escapes the
    separator or another backslash; elsewhere it is literal. Several separating blanks count as one.

    Errors:
        K106 it is not text; K227 a label is empty, as in ``"a||b"``.

    Cost: O(bytes) of Arrow text; in other columns each distinct text is split once.

    Example:
        >>> found = split_texts(["sea | sky", "", "sea"], "y_true", "|")
        >>> found.sets.sizes.tolist(), found.flat.labels
        ([2, 0, 1], ('sea', 'sky'))
    """
    column = _arrow_texts(values)
    if column is not None:
        return _of_arrow(column, argument, separator)
    found = encode(values, argument, nulls="keep")
    if found.kind != "string":
        what = f"It holds numbers, as {short(found.label_at(0))}, and {separator!r} separates text"
        raise error("K106", argument=argument, found=what)
    # Each distinct text once.
    blobs = [b"" if text is None else str(text).encode() for text in found.labels or ()]
    offsets = np.concatenate([[0], np.cumsum([len(blob) for blob in blobs])]).astype(np.int64)
    codes = found.codes.astype(np.int64) - found.base
    if found.missing is not None:
        codes = np.where(found.missing, len(blobs), codes)
        offsets = np.append(offsets, offsets[-1])
    blob = np.frombuffer(b"".join(blobs), np.uint8)

    def row_of(place: int) -> int:
        return int(np.argmax(codes == place))

    texts = _split(offsets, blob, separator)
    flat = texts.column(argument, separator, row_of)
    sets = texts.sets.at(codes)
    if flat is not None:
        flat = coded(argument, flat.codes[sets.items], flat.labels or ())
    in_order = Sets(sets.starts, np.arange(len(sets.items), dtype=np.int32))
    return SplitTexts(in_order, flat if len(sets.items) else None, found.missing)


def _arrow_texts(values: Any) -> ArrowColumn | None:
    """Return a column of Arrow text; None for others."""
    if isinstance(values, ArrowColumn):
        column: ArrowColumn | None = values
    elif host_of(values) in ("polars", "pyarrow") and is_arrow(values):
        column = read_column(values)
    elif host_of(values) == "pandas" and getattr(values, "ndim", 0) == 1:
        column = read_column(values) if is_pandas_arrow(values) else None
    else:
        return None
    is_text = column is not None and column.format in _OFFSETS and not column.is_dictionary
    return column if is_text and len(column or ()) else None


def _of_arrow(column: ArrowColumn, argument: str, separator: str) -> SplitTexts:
    missing = nulls_of(column)
    parts, n_before = [], 0
    for chunk in column.chunks:
        stop = chunk.offset + chunk.length
        offsets = chunk.buffers[0].view(_OFFSETS[column.format])[chunk.offset : stop + 1]
        data = chunk.buffers[1][: int(offsets[-1])]
        part = _split(offsets.astype(np.int64), data, separator, chunk.nulls())
        part.refuse_empty(argument, separator, partial(add, n_before))
        parts.append(part)
        n_before += chunk.length
    encoder = _native.TextEncoder()
    codes = [encoder.encode_utf8(part.offsets, part.blob, None, 0) for part in parts]
    joined = np.concatenate(codes) if codes else np.empty(0, np.int32)
    sizes = np.concatenate([part.sets.sizes for part in parts])
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    sets = Sets(starts, np.arange(len(joined), dtype=np.int32))
    flat = coded(argument, joined, encoded_texts(encoder, argument)) if len(joined) else None
    return SplitTexts(sets, flat, missing)


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Labels of texts.

    Attributes:
        sets: the labels of each text, numbered one after the other.
        offsets, blob: int64[m + 1] and uint8[b], the text of each label.
        empty: the first text with an empty label among others, and the number of such texts, or
            None.
        texts: function that shows a text.
    """

    sets: Sets
    offsets: Places
    blob: Bytes
    empty: tuple[int, int] | None
    texts: tuple[Places, Bytes]

    def refuse_empty(self, argument: str, separator: str, row_of: Callable[[int], int]) -> None:
        """K227: a label is empty."""
        if self.empty is None:
            return
        place, count = self.empty
        offsets, data = self.texts
        text = data[offsets[place] : offsets[place + 1]].tobytes().decode("utf-8", "replace")
        found = f"Row {row_of(place)} of {argument} is {text!r}, where a label is empty"
        more = f"; so are {count - 1} more" if count > 1 else ""
        do = f"Write {separator!r} between labels alone; a blank text is the empty set."
        raise error("K227", found=f"{found}{more}", do=do)

    def column(self, argument: str, separator: str, row_of: Callable[[int], int]) -> Column | None:
        """Return the labels one after the other; None if there are none."""
        self.refuse_empty(argument, separator, row_of)
        if not len(self.sets.items):
            return None
        encoder = _native.TextEncoder()
        codes = encoder.encode_utf8(self.offsets, self.blob, None, 0)
        return coded(argument, codes, encoded_texts(encoder, argument))


def _split(offsets: Places, data: Bytes, separator: str, nulls: Flags | None = None) -> _Pieces:
    """Split n texts ``data[offsets[i] : offsets[i + 1]]`` as bytes, without making strings.

    The bytes of a separator never occur within another UTF-8 character.
    """
    mark = separator.encode()
    n, m = len(offsets) - 1, len(mark)
    base = int(offsets[0])
    data, rows = data[base : int(offsets[-1])], offsets - base
    places = _places(data, mark)
    of_row = np.searchsorted(rows, places, side="right") - 1
    is_whole = places + m <= rows[of_row + 1]
    places, of_row = places[is_whole], of_row[is_whole]
    dropped = np.zeros(0, np.int64)
    if _has(data, _ESCAPE):
        dropped, is_escaped = _escapes(data, rows, places)
        places, of_row = places[~is_escaped], of_row[~is_escaped]
    places, of_row = _apart(places, of_row, m)
    starts = np.sort(np.concatenate([rows[:-1], places + m]))
    ends = np.sort(np.concatenate([places, rows[1:]]))
    per_row = 1 + np.bincount(of_row, minlength=n)
    _trim(data, starts, ends)
    label_row = np.repeat(np.arange(n), per_row)
    is_there = starts < ends
    if nulls is not None:
        is_there &= ~nulls[label_row]
    # Several blanks are one separator.
    is_empty = ~is_there & (per_row[label_row] > 1) & (not separator.isspace())
    if nulls is not None:
        is_empty &= ~nulls[label_row]
    empty = None
    if is_empty.any():
        bad = np.unique(label_row[is_empty])
        empty = int(bad[0]), len(bad)
    starts, ends, label_row = starts[is_there], ends[is_there], label_row[is_there]
    blob, sizes = _gathered(data, starts, ends, dropped)
    sets = Sets.of_pairs(label_row, np.arange(len(starts)), n)
    found = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]).astype(np.int64)
    return _Pieces(sets, found, blob, empty, (rows, data))


def _has(data: Bytes, byte: int) -> bool:
    return bool((data == byte).any())


def _places(data: Bytes, mark: bytes) -> Places:
    """Return the positions where a separator begins."""
    n = len(data) - len(mark) + 1
    if n <= 0:
        return np.empty(0, np.int64)
    places = np.flatnonzero(data[:n] == mark[0])
    for shift, byte in enumerate(mark[1:], 1):
        places = places[data[places + shift] == byte]
    return places


def _apart(places: Places, of_row: Places, m: int) -> tuple[Places, Places]:
    """Drop separators that begin within the previous one, as the second of ``|||`` by ``||``."""
    if m == 1 or not (np.diff(places) < m).any():
        return places, of_row
    kept, last = [], -m
    for at, place in enumerate(places.tolist()):
        if place >= last + m:
            kept.append(at)
            last = place
    return places[kept], of_row[kept]


def _escapes(data: Bytes, rows: Places, places: Places) -> tuple[Places, Flags]:
    """Return the backslashes to remove, and whether each separator is escaped.

    In a run of backslashes, each second one is kept; the last of an odd run escapes the separator
    that follows it, and is kept if none follows.
    """
    slashes = np.flatnonzero(data == _ESCAPE)
    starts_anew = np.isin(slashes, rows)
    is_first = np.ones(len(slashes), bool)
    is_first[1:] = (np.diff(slashes) > 1) | starts_anew[1:]
    run = np.cumsum(is_first) - 1
    first_of = np.flatnonzero(is_first)
    within = np.arange(len(slashes)) - first_of[run]
    length = np.bincount(run)
    after = slashes[first_of] + length
    # A separator at the beginning of a row does not follow the run of the row before.
    follows = np.isin(after, places) & ~np.isin(after, rows)
    is_odd_last = (within == length[run] - 1) & (within % 2 == 0)
    goes = (within % 2 == 0) & (~is_odd_last | follows[run])
    literal = after[follows & (length % 2 == 1)]
    return slashes[goes], np.isin(places, literal)


def _trim(data: Bytes, starts: Places, ends: Places) -> None:
    """Strip spaces at both ends of each label, in place."""
    active = np.flatnonzero(starts < ends)
    while active.size:
        active = active[_SPACES[data[starts[active]]]]
        starts[active] += 1
        active = active[starts[active] < ends[active]]
    active = np.flatnonzero(starts < ends)
    while active.size:
        active = active[_SPACES[data[ends[active] - 1]]]
        ends[active] -= 1
        active = active[starts[active] < ends[active]]


def _gathered(data: Bytes, starts: Places, ends: Places, dropped: Places) -> tuple[Bytes, Places]:
    """Return the bytes of all labels one after the other, and the length of each."""
    delta = np.zeros(len(data) + 1, np.int8)
    # Labels are separate, but one may begin where another ends.
    delta[starts] += 1
    delta[ends] -= 1
    is_kept = np.cumsum(delta[:-1], dtype=np.int8).view(np.bool_)
    sizes = ends - starts
    if dropped.size:
        is_kept[dropped] = False
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(is_kept)])
        sizes = before[ends] - before[starts]
    return data[is_kept], sizes
