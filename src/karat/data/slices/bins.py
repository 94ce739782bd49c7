"""Numbers as slices: one each where they are few, else bins that hold equally many rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.labels.column import Flags
from karat.errors import error

__all__ = [
    "MOST_WHOLE",
    "N_BINS",
    "Binned",
    "bins_of_numbers",
    "bins_of_range",
    "bins_of_whole",
    "read_codes",
]

Codes: TypeAlias = npt.NDArray[Any]
Floats: TypeAlias = npt.NDArray[np.float64]

N_BINS: Final = 5
MOST_WHOLE: Final = 20
"""Whole numbers of more different values than this are put into bins."""
_EXACT: Final = 1 << 53
"""From here on two whole numbers may be one float64."""
_IN_HISTOGRAMS: Final = 1 << 16
_LOOKED_AT: Final = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Binned:
    """The slice of each row that has a number.

    Attributes:
        codes: int[n], from 0; they mean nothing where a row has no number.
        names: what the slices are called, the lowest first.
        bins: whether they are bins, and not numbers.
    """

    codes: Codes
    names: Sequence[str]
    bins: bool = False


def read_codes(codes: Codes, missing: Flags | None) -> Codes:
    """Codes that can be looked up: what lies under a missing value is arbitrary."""
    return codes if missing is None else np.where(missing, 0, codes)


def bins_of_range(numbers: Codes, missing: Flags | None, name: str) -> Binned:
    """Of whole numbers of a small range, which need no sort: by how often each occurs."""
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
    codes: Codes,
    values: Sequence[int],
    missing: Flags | None,
    name: str,
    counts: Codes | None = None,
) -> Binned:
    """Of whole numbers of any size; codes mean nothing where a row has no value."""
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


def _edges(counts: Codes, n: int) -> Codes:
    """The places that end a bin, of values in their order; the last one is none."""
    edges = np.unique(np.searchsorted(np.cumsum(counts), _places(n), side="right"))
    return edges[edges < len(counts) - 1]


def bins_of_numbers(
    numbers: Floats, missing: Flags | None, name: str, counts: Codes | None = None
) -> Binned:
    """One slice a number where those are few; else bins that hold equally many rows.

    Args:
        counts: int64[n], the rows that each row stands for; None: itself.

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
            return Binned(codes, _named(values))
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


def _named(values: Floats) -> list[str]:
    """Numbers in the digits that tell them apart: of float32 fewer than of what they became."""
    # −0 is called 0.
    values = values + 0.0
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float32)
    each: npt.NDArray[Any] = narrow if (narrow == values).all() else values
    return [f"{x:.0f}" if x % 1 == 0 else str(x) for x in each]


def _places(n: int) -> list[int]:
    """Places in the order of n numbers that end a bin: an edge is a number that occurs."""
    return [max(-(-n * i // N_BINS) - 1, 0) for i in range(1, N_BINS)]


def _bins(codes: Codes, edges: Sequence[float]) -> Binned:
    """Bins up to and with each edge; a number that many rows share is not divided."""
    names = [
        below if below == above else f"{'(' if i else '['}{below}, {above}]"
        for i, (below, above) in enumerate(pairwise(_shown(edges)))
    ]
    return Binned(codes, names, bins=True)


def _shown(edges: Sequence[float]) -> list[str]:
    """Numbers as short as they can be told apart."""
    if any(isinstance(edge, int) and abs(edge) >= _EXACT for edge in edges):
        return list(map(str, edges))
    for digits in range(4, 17):
        texts = [f"{edge:.{digits}g}" for edge in edges]
        if len(set(texts)) == len(set(edges)):
            return texts
    return [repr(edge) for edge in edges]
