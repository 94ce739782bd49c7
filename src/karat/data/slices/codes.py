"""Assignment of rows to slices: values, bins of numbers, crosses, missing values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.clusters import encode_names, texts_of
from karat.data.labels.column import Flags, resolved
from karat.data.percents import is_percent
from karat.data.sources.files.text_labels import are_codes, has_several_forms
from karat.data.weights import as_weights
from karat.errors import error, short
from karat.errors.reasons import ManySlicesError, NotLabelsError, NotWholeError, SlicesError
from karat.tally.axes import MISSING, key_of
from karat.tally.shared import Floats, Numbers

Codes: TypeAlias = npt.NDArray[np.int32]
Key: TypeAlias = tuple[str, ...]

MOST: Final = 1000
"""Largest number of slices of a column; each takes a table of true × predicted classes."""
MOST_FOLDS: Final = 1 << 20
"""Largest number of folds in all repeats, and of pairs of folds of nested cross-validation."""
ALONE: Final = "by"
"""Name of an array without a name."""
N_BINS: Final = 5
MOST_WHOLE: Final = 20
"""Number of distinct integers above which they are binned."""
_EXACT: Final = 1 << 53
"""Number from which on two integers may be the same float64."""
_IN_HISTOGRAMS: Final = 1 << 16
_LOOKED_AT: Final = 4096


@dataclass(frozen=True, slots=True, eq=False)
class SliceCodes:
    """Slice of each row.

    Attributes:
        columns: the column, or the columns of a cross.
        codes: int32[n], from 0.
        keys: name of each slice in each of the columns.
        bins: whether the slices of a single column are bins of its numbers.
        numbers: float64[n], the numbers of a single column that is searched, NaN for rows without
            one; None for other columns.
    """

    columns: tuple[str, ...]
    codes: Codes
    keys: tuple[Key, ...]
    bins: bool = False
    numbers: Floats | None = None

    def at(self, rows: npt.NDArray[Any] | None) -> SliceCodes:
        """Return those of some rows: bool[n], or their indices; empty slices are dropped."""
        if rows is None:
            return self
        codes = self.codes[rows]
        numbers = None if self.numbers is None else self.numbers[rows]
        is_held = np.bincount(codes, minlength=len(self.keys)) > 0
        if is_held.all():
            return replace(self, codes=codes, numbers=numbers)
        lut = np.cumsum(is_held, dtype=np.int32) - 1
        keys = tuple(compress(self.keys, is_held.tolist()))
        return replace(self, codes=lut[codes].astype(np.int32), keys=keys, numbers=numbers)

    def repeats(self, others: npt.NDArray[Any]) -> bool:
        """Return whether slices and other codes, int[n], are one-to-one, with several of them."""
        n_slices, n_others = (np.count_nonzero(np.bincount(x)) for x in (self.codes, others))
        other_of = np.zeros(len(self.keys), np.int64)
        other_of[self.codes] = others
        return bool(n_slices == n_others > 1 and (other_of[self.codes] == others).all())


def name_of(by: Any, other: str = ALONE) -> str:
    """Return the name of values by which rows are sliced, as of a Series; else the default.

    A text is the name of a column.
    """
    name = by if isinstance(by, str) else getattr(by, "name", None)
    return name if isinstance(name, str) and name else other


def as_slices(by: Any, n: int) -> tuple[SliceCodes, ...]:
    """Return the slices of rows in memory.

    Args:
        by: one value for each row, [n]; or a dict from name to such values, where a tuple of names
            has a tuple of as many columns: their cross.
        n: rows.

    Errors:
        K102 another number of rows; K106 values of several kinds; K181 any other type; K182 too
        many slices.

    Example:
        >>> (found,) = as_slices({"country": ["NO", "SE", None]}, 3)
        >>> found.codes.tolist(), found.keys
        ([0, 1, 2], (('NO',), ('SE',), ('(missing)',)))
    """
    if isinstance(by, str):
        raise error(
            "K181",
            found=f"by={by!r} names a column, and there is no table",
            do="Give one value for each row, or a dict from name to values.",
        )
    if not isinstance(by, Mapping):
        return (coded_values(by, name_of(by), n),)
    if not by:
        raise error("K181", found="by= is empty", do="Give {'country': countries}, or leave it out")
    refuse_same_names(by)
    found = []
    for name, values in by.items():
        if not isinstance(name, tuple):
            found.append(coded_values(values, str(name), n))
            continue
        if not name or len({str(one) for one in name}) < len(name):
            raise error(
                "K181",
                found=f"The key {name!r} of by= names {'a column twice' if name else 'no column'}",
                do="A cross is of different columns: {('country', 'sex'): (a, b)}.",
            )
        if not isinstance(values, list | tuple) or len(values) != len(name):
            raise error(
                "K181",
                found=f"by[{name!r}] is {short(values)}",
                do="The cross of columns takes a tuple of them: {('country', 'sex'): (a, b)}.",
            )
        parts = [coded_values(x, str(one), n) for x, one in zip(values, name, strict=True)]
        found.append(crossed(parts))
    return tuple(found)


def refuse_same_names(by: Mapping[Any, Any]) -> None:
    """Refuse names that are equal as text, since one would replace the other (K181)."""
    seen: dict[Key, Any] = {}
    for name in by:
        key = key_of(name)
        if key in seen:
            raise error(
                "K181",
                found=f"Its keys {seen[key]!r} and {name!r} are one name",
                do="Columns are known by the text of their names: give each a text of its own.",
            )
        seen[key] = name


def named_columns(by: Any) -> tuple[Key, ...]:
    """Return the columns of a table to slice by: a name, several, and crosses as tuples.

    Errors:
        K181 any other type.

    Example:
        >>> named_columns(["country", ("country", "sex")])
        (('country',), ('country', 'sex'))
    """
    items = by if isinstance(by, list) else [by]
    found: list[Key] = []
    for item in items:
        names = item if isinstance(item, tuple) else (item,)
        is_name = [isinstance(name, str | int) and not isinstance(name, bool) for name in names]
        if not names or not all(is_name) or len(set(names)) < len(names):
            raise error(
                "K181",
                found=f"by= is {short(by)} ({type(by).__name__}), not names of columns",
                do="Name columns of the table: by='country', by=['country', ('country', 'sex')].",
            )
        found.append(tuple(str(name) for name in names))
    if not found:
        raise error("K181", found="by= is empty", do="Name a column, or leave it out.")
    return tuple(dict.fromkeys(found))


def of_columns(
    wanted: Iterable[Key], single: Mapping[str, SliceCodes], folds: Key = ()
) -> tuple[SliceCodes, ...]:
    """Return the slices of each column and cross, from those of single columns (K182: too many).

    Args:
        folds: the columns of folds, of which there may be more.
    """
    return tuple(
        crossed([single[name] for name in names], MOST_FOLDS if names == folds else MOST)
        for names in wanted
    )


def crossed(parts: Sequence[SliceCodes], most: int = MOST) -> SliceCodes:
    """Return the slices of all combinations of column values that occur (K182: too many)."""
    found = parts[0]
    for part in parts[1:]:
        columns = (*found.columns, *part.columns)
        pairs = found.codes.astype(np.int64) * len(part.keys) + part.codes
        seen, codes = np.unique(pairs, return_inverse=True)
        _check_number(len(seen), " × ".join(columns), most)
        left, right = np.divmod(seen, len(part.keys))
        keys = tuple(
            (*found.keys[i], *part.keys[j])
            for i, j in zip(left.tolist(), right.tolist(), strict=True)
        )
        found = SliceCodes(columns, codes.reshape(-1).astype(np.int32), keys)
    return found


def searched_columns(
    made: Iterable[tuple[str, Callable[[], SliceCodes]]],
) -> tuple[tuple[SliceCodes, ...], dict[str, str]]:
    """Return the slices of the columns that are searched, and reasons for the others."""
    found, left_out = [], {}
    for name, make in made:
        try:
            found.append(make())
        except (NotLabelsError, SlicesError, ManySlicesError) as problem:
            what, where = str(problem).splitlines()[:2]
            # The first line of K181 only states that it is invalid.
            reason = where if isinstance(problem, SlicesError) else what.partition("  ")[2]
            left_out[name] = reason.strip()
    return tuple(found), left_out


def coded_values(
    values: Any,
    name: str,
    n: int,
    *,
    beside: str = "y_true",
    keeps_numbers: bool = False,
    argument: str | None = None,
) -> SliceCodes:
    """Return the slices of one column of values in memory; `beside` has as many rows in messages.

    With `keeps_numbers`, a column of numbers keeps them, so that bins can be chosen later.
    """
    if argument is None:
        argument = f"by[{name!r}]" if name != ALONE else "by"
    try:
        column = encode_names(values, argument, "keep")
    except NotWholeError:
        numbers = as_weights(values, n, argument, beside=beside)
        gone = np.isnan(numbers)
        made = _of_bins(bins_of_numbers(numbers, gone, name), gone if gone.any() else None, name)
        return replace(made, numbers=numbers) if keeps_numbers else made
    if len(column) != n:
        raise error("K102", left=beside, n_left=n, right=argument, n_right=len(column))
    missing = column.missing
    if missing is not None and missing.all():
        return SliceCodes((name,), np.zeros(n, np.int32), ((MISSING,),))
    if column.order is not None:
        found = resolved(column)
        codes = (found.codes.astype(np.int64) - found.base).astype(np.int32)
        order = texts_of(column.order, column.kind)
        return _of_texts(codes, texts_of(found.labels or (), column.kind), missing, name, order)
    if column.kind == "integer" and column.labels is None:
        made = _of_bins(bins_of_range(column.codes, missing, name), missing, name)
        return _with_numbers(made, column.codes, missing) if keeps_numbers else made
    found = resolved(column)
    codes = (found.codes.astype(np.int64) - found.base).astype(np.int32)
    labels = found.labels or ()
    if column.kind == "integer":
        whole = [int(x or 0) for x in labels]
        made = _of_bins(bins_of_whole(codes, whole, missing, name), missing, name)
        if not keeps_numbers:
            return made
        return _with_numbers(made, np.array(whole, np.float64)[read_codes(codes, missing)], missing)
    return _of_texts(codes, texts_of(labels, column.kind), missing, name)


def coded_texts(
    codes: Codes,
    texts: Sequence[str],
    missing: Flags | None,
    name: str,
    *,
    is_number: bool,
    is_boolean: bool = False,
    is_one_csv: bool = False,
    counts: npt.NDArray[np.int64] | None = None,
    keeps_numbers: bool = False,
    order: Sequence[str] | None = None,
) -> SliceCodes:
    """Return the slices of a column that was read as text (K182: too many).

    Args:
        codes: int32[n], codes of the texts; arbitrary for rows without a value.
        is_number: whether the texts may be numbers. Codes with leading zeros are not, and few
            numbers that are written in several ways are codes, too.
        is_boolean: whether they may be true and false, in any case of letters.
        is_one_csv: whether they are the texts of one CSV, where `1` beside `1.0` is another code.
        counts: int64[n], the multiplicity of each row; None: 1.
        keeps_numbers: as in `coded_values`.
        order: every category in its declared order, or None; a value that is none undoes it.
    """
    values = texts if missing is None else _but(texts, codes, missing)
    if order is not None and {*values} <= {*order}:
        return _of_texts(codes, texts, missing, name, order)
    if is_boolean and {text.strip().lower() for text in values} <= {"true", "false"}:
        texts = [text.strip().lower() for text in texts]
    numbers = _numbers(values) if is_number and not are_codes(values) else None
    if numbers is None:
        return _of_texts(codes, texts, missing, name)
    at = read_codes(codes, missing)
    gone = missing
    if all(map(_WHOLE.fullmatch, values)):
        whole = [int(text) for text in values]
        of_rows = numbers[at]
        found = bins_of_whole(codes, whole, missing, name, counts)
    else:
        of_rows = numbers[at]
        # NaN in a column of numbers is a missing value, too.
        is_nan = np.isnan(of_rows) if missing is None else np.isnan(of_rows) | missing
        gone = is_nan if is_nan.any() else None
        found = bins_of_numbers(of_rows, gone, name, counts)
    if not found.bins and has_several_forms(values, is_one_csv=is_one_csv):
        return _of_texts(codes, texts, missing, name)
    made = _of_bins(found, gone, name)
    return _with_numbers(made, of_rows, gone) if keeps_numbers else made


def _but(texts: Sequence[str], codes: Codes, missing: Flags) -> Sequence[str]:
    """Return the texts, with another one in place of that of missing rows."""
    held = codes[~missing]
    if not len(held):
        return []
    gone = set(np.unique(codes[missing]).tolist()) - {int(held[0])}
    return [texts[held[0]] if code in gone else text for code, text in enumerate(texts)]


def _numbers(texts: Sequence[str]) -> Floats | None:
    """Return the numbers that all texts write; None if one writes none, or without texts."""
    try:
        return np.array([float(text) for text in texts]) if texts else None
    except ValueError:
        return None


def _with_numbers(made: SliceCodes, numbers: Numbers, missing: Flags | None) -> SliceCodes:
    """Return the slices with the number of each row; integers beyond 2**53 are rounded."""
    kept = numbers.astype(np.float64)
    if missing is not None:
        kept = np.where(missing, np.nan, kept)
    return replace(made, numbers=kept)


_WHOLE: Final = re.compile("-?[0-9]{1,40}")
"""Numbers with more digits are treated like any other."""


def _of_texts(
    codes: Codes,
    texts: Sequence[str],
    missing: Flags | None,
    name: str,
    order: Sequence[str] | None = None,
) -> SliceCodes:
    """Return one slice for each text, in the given order or sorted by name; missing rows last."""
    held = codes if missing is None else codes[~missing]
    seen = np.flatnonzero(np.bincount(held, minlength=len(texts)))
    names = list(dict.fromkeys(texts[code] for code in seen.tolist()))
    _check_number(len(names) + (missing is not None), name)
    occurring = {*names}
    ordered = in_order(names) if order is None else [text for text in order if text in occurring]
    place = {text: i for i, text in enumerate(ordered)}
    lut = np.full(max(len(texts), 1), -1, np.int32)
    lut[seen] = [place[texts[code]] for code in seen.tolist()]
    return _with_missing(lut[read_codes(codes, missing)], ordered, missing, name)


def _of_bins(found: Binned, missing: Flags | None, name: str) -> SliceCodes:
    return replace(_with_missing(found.codes, found.names, missing, name), bins=found.bins)


def _with_missing(
    codes: npt.NDArray[Any], names: Sequence[str], missing: Flags | None, name: str
) -> SliceCodes:
    coded = codes.astype(np.int32)
    if missing is None:
        return SliceCodes((name,), coded, tuple((text,) for text in names))
    last = MISSING
    while last in names:
        last = f"({last})"
    coded = np.where(missing, len(names), coded).astype(np.int32)
    return SliceCodes((name,), coded, tuple((text,) for text in (*names, last)))


def _check_number(n: int, column: str, most: int = MOST) -> None:
    if n > most:
        raise error(
            "K182", column=f"by={column!r}", n=n, most=most, distinct=MOST_WHOLE, bins=N_BINS
        )


def in_order(names: Iterable[str]) -> list[str]:
    """Sort names of slices: by value if all are numbers, or percent, else by text.

    Example:
        >>> in_order(["1000", "900", "-3.5"]), in_order(["b", "10", "9"]), in_order(["10%", "9%"])
        (['-3.5', '900', '1000'], ['10', '9', 'b'], ['9%', '10%'])
    """
    listed = sorted(names)
    are_percent = all(map(is_percent, listed))
    try:
        sizes = {name: float(name.rstrip("% ") if are_percent else name) for name in listed}
    except ValueError:
        return listed
    return sorted(listed, key=sizes.__getitem__) if np.isfinite([*sizes.values()]).all() else listed


@dataclass(frozen=True, slots=True, eq=False)
class Binned:
    """Slice of each row that has a number.

    Attributes:
        codes: int[n], from 0; arbitrary for rows without a number.
        names: names of the slices, the lowest first.
        bins: whether they are bins, not numbers.
    """

    codes: Numbers
    names: Sequence[str]
    bins: bool = False


def read_codes(codes: Numbers, missing: Flags | None) -> Numbers:
    """Return codes that are valid indices: under a missing value they are arbitrary."""
    return codes if missing is None else np.where(missing, 0, codes)


def bins_of_range(numbers: Numbers, missing: Flags | None, name: str) -> Binned:
    """Bin integers of a small range without a sort, by their counts."""
    held = numbers if missing is None else numbers[~missing]
    low, high = int(held.min()), int(held.max())
    if high - low >= _IN_HISTOGRAMS:
        if max(-low, high) < _EXACT:
            return bins_of_numbers(numbers.astype(np.float64), missing, name)
        known = numbers if missing is None else np.where(missing, low, numbers)
        values, codes = np.unique(known, return_inverse=True)
        return bins_of_whole(codes.reshape(-1), values.tolist(), missing, name)
    at = (numbers.astype(np.int64) - low).clip(0, high - low)
    counts = np.bincount(at if missing is None else at[~missing])
    values = np.flatnonzero(counts)
    if len(values) <= MOST_WHOLE:
        lut = np.searchsorted(values, np.arange(len(counts))).astype(np.int32)
        return Binned(lut[at], [str(low + x) for x in values.tolist()])
    edges = _edges(counts, len(held))
    lut = np.searchsorted(edges, np.arange(len(counts)), side="left").astype(np.int32)
    return _bins(lut[at], [low, *(low + x for x in edges.tolist()), high])


def bins_of_whole(
    codes: Numbers,
    values: Sequence[int],
    missing: Flags | None,
    name: str,
    counts: Numbers | None = None,
) -> Binned:
    """Bin integers of any size; codes are arbitrary for rows without a value."""
    at = read_codes(codes, missing)
    if max(map(abs, values), default=0) < _EXACT:
        return bins_of_numbers(np.array(values, np.float64)[at], missing, name, counts)
    held = at if missing is None else at[~missing]
    seen = np.unique(held).tolist()
    ordered = sorted({values[code] for code in seen})
    place = {value: i for i, value in enumerate(ordered)}
    lut = np.zeros(len(values), np.int64)
    lut[seen] = [place[values[code]] for code in seen]
    if len(ordered) <= MOST_WHOLE:
        return Binned(lut[at], [str(value) for value in ordered])
    each = None if counts is None else counts if missing is None else counts[~missing]
    occurring = np.bincount(lut[held], each)
    edges = _edges(occurring, int(occurring.sum()))
    limits = [ordered[i] for i in (0, *edges.tolist(), len(ordered) - 1)]
    return _bins(np.searchsorted(edges, lut[at], side="left"), limits)


def _edges(counts: Numbers, n: int) -> Numbers:
    """Indices in sorted values that end a bin; the last one is none."""
    edges = np.unique(np.searchsorted(np.cumsum(counts), _places(n), side="right"))
    return edges[edges < len(counts) - 1]


def bins_of_numbers(
    numbers: Floats, missing: Flags | None, name: str, counts: Numbers | None = None
) -> Binned:
    """Return one slice for each number if there are few; else bins of equal numbers of rows.

    Args:
        counts: int64[n], the multiplicity of each row; None: 1.

    Errors:
        K181 a number is infinite.

    Cost: with `counts` one sort, else a partition.
    """
    there = slice(None) if missing is None else ~missing
    held = numbers[there]
    if not len(held):
        return Binned(np.zeros(len(numbers), np.int32), ())
    is_finite = np.isfinite(held)
    if not is_finite.all():
        raise error(
            "K181",
            found=f"{name!r} holds {float(held[~is_finite][0])!r}, which is in no bin",
            do="Give finite numbers, or null where there is none.",
        )
    low, high = float(held.min()), float(held.max())
    values = np.unique(held[:_LOOKED_AT] if counts is None else held)
    if counts is not None or len(values) <= MOST_WHOLE:
        values = np.unique(held) if counts is None else values
        most = MOST_WHOLE if (values % 1 == 0).all() else N_BINS
        if len(values) <= most:
            codes = np.searchsorted(values, numbers).clip(0, len(values) - 1)
            return Binned(codes, texts_of_numbers(values))
    if counts is None:
        places = _places(len(held))
        edges = np.unique(np.partition(held, places)[places])
    else:
        running = np.cumsum(np.bincount(np.searchsorted(values, held), counts[there]))
        at = np.searchsorted(running, _places(int(running[-1])), side="right")
        edges = np.unique(values[at])
    edges = edges[edges < high]
    codes = np.zeros(len(numbers), np.int32)
    for edge in edges.tolist():
        codes += numbers > edge
    return _bins(codes, [low, *edges.tolist(), high])


def texts_of_numbers(values: Floats) -> list[str]:
    """Return numbers in the fewest digits of their original precision; whole ones without a point.

    Example:
        >>> texts_of_numbers(np.array([250.0, 401.9]))
        ['250', '401.9']
    """
    # −0 is shown as 0.
    values = values + 0.0
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    each: npt.NDArray[Any] = narrow if (narrow == values).all() else values
    return [f"{x:.0f}" if x % 1 == 0 else str(x) for x in each]


def _places(n: int) -> list[int]:
    """Indices in the order of n numbers that end a bin: an edge is a number that occurs."""
    return [max(-(-n * i // N_BINS) - 1, 0) for i in range(1, N_BINS)]


def _bins(codes: Numbers, edges: Sequence[float]) -> Binned:
    """Make bins up to and including each edge; a number of many rows is not divided."""
    names = [
        below if below == above else f"{'(' if i else '['}{below}, {above}]"
        for i, (below, above) in enumerate(pairwise(_shown(edges)))
    ]
    return Binned(codes, names, bins=True)


def _shown(edges: Sequence[float]) -> list[str]:
    """Return numbers in the fewest digits that distinguish them."""
    if any(isinstance(edge, int) and abs(edge) >= _EXACT for edge in edges):
        return list(map(str, edges))
    for digits in range(4, 17):
        texts = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(texts)) == len(set(edges)):
            return texts
    return [repr(edge) for edge in edges]
