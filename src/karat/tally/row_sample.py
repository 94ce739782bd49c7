"""Blocks of rows that fit in the cache, and samples of distinct rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import error
from karat.tally.serialization import framed, read_tally
from karat.tally.shared import Floats, Numbers, check_weighting, taken, wrong_numbers

_ROWS: Final = 1 << 16


def row_parts(n: int) -> list[slice]:
    """Return slices of 65 536 rows, and the rest, in order.

    Example:
        >>> row_parts(100_000)
        [slice(0, 65536, None), slice(65536, 100000, None)]
    """
    return [slice(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)]


_SPECIES: Final = "row_sample"
_ARRAYS: Final = ("values", "codes", "weights", "repeats", "hashes")
_MOST: Final = 2**63 - 1
ADDED: Final = 0x9E3779B97F4A7C15
ODD: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
"""Constants of splitmix64."""


@dataclass(frozen=True, eq=False)
class RowSample:
    """Distinct rows with their multiplicities: immutable; made by `of`, combined by `merge`.

    Attributes:
        values: float64[m, c], the scores of a row.
        codes: int64[m], its true class.
        weights: float64[m], the weight of each occurrence; None if unweighted.
        repeats: int64[m], number of occurrences.
        hashes: int64[m], the hashes by which rows are chosen: ascending within a class.
        k: number of classes.
        limit: number of rows of each class that are kept.
    """

    values: Floats
    codes: npt.NDArray[np.int64]
    weights: Floats | None
    repeats: npt.NDArray[np.int64]
    hashes: npt.NDArray[np.int64]
    k: int
    limit: int

    @classmethod
    def of(
        cls,
        values: npt.ArrayLike,
        codes: npt.ArrayLike,
        k: int,
        limit: int,
        weights: npt.ArrayLike | None = None,
    ) -> RowSample:
        """Sample rows float[n, c] of the classes int[n].

        Cost: O(n · c), and a sort of the candidates.

        Example:
            >>> RowSample.of([[0.5], [0.5], [0.25]], [0, 0, 0], 1, 8).repeats.tolist()
            [1, 2]
        """
        matrix = np.asarray(values)
        matrix = matrix[:, None] if matrix.ndim == 1 else matrix
        rows = np.asarray(codes, np.int64)
        given = None if weights is None else np.asarray(weights, np.float64)
        hashes = _hashed(matrix, rows, given)
        kept = _few_of_each(hashes, rows, k, limit)
        some, ones = matrix[kept].astype(np.float64), np.ones(len(kept), np.int64)
        sample = cls(some, rows[kept], taken(given, kept), ones, hashes[kept], k, limit)
        return sample._gathered()

    @classmethod
    def empty(cls, c: int, k: int, limit: int, *, is_weighted: bool = False) -> RowSample:
        """Return the sample of no rows with c scores each: the identity of `merge`."""
        return cls.of(np.empty((0, c)), [], k, limit, [] if is_weighted else None)

    def __len__(self) -> int:
        """Return the number of distinct rows."""
        return len(self.codes)

    def merge(self, other: RowSample) -> RowSample:
        """Return the sample of the two data sets read one after the other: the same for any order.

        Errors:
            K201 other classes, columns or limits; K203 only one is weighted.

        Cost: O(rows kept).
        """
        shapes = [f"{one.values.shape[1]} scores of {one.k} classes" for one in (self, other)]
        if shapes[0] != shapes[1] or self.limit != other.limit:
            raise error("K201", left=shapes[0], right=shapes[1])
        check_weighting(self.weights is not None, other.weights is not None)
        both: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in _ARRAYS
            if getattr(self, name) is not None
        }
        return replace(self, **both)._gathered()

    def _gathered(self) -> RowSample:
        """Combine equal rows, sorted by class and hash, and keep the first ones of each class."""
        order = np.lexsort((self.hashes, self.codes))
        codes, hashes = self.codes[order], self.hashes[order]
        is_new = np.ones(len(order), bool)
        is_new[1:] = (codes[1:] != codes[:-1]) | (hashes[1:] != hashes[:-1])
        starts = np.flatnonzero(is_new)
        if not len(starts):
            return self
        repeats = np.add.reduceat(self.repeats[order], starts)
        codes = codes[starts]
        first = np.searchsorted(codes, np.arange(self.k))
        kept = np.arange(len(codes)) - first[codes] < self.limit
        rows = order[starts][kept]
        some: dict[str, Any] = {name: taken(getattr(self, name), rows) for name in _ARRAYS}
        return replace(self, **{**some, "repeats": repeats[kept]})

    def to_bytes(self) -> bytes:
        """Return the sample as bytes that `from_bytes` of this and every later version reads."""
        header = {"species": _SPECIES, "k": self.k, "limit": self.limit}
        return framed(header, {name: getattr(self, name) for name in _ARRAYS})

    @classmethod
    def from_bytes(cls, data: bytes) -> RowSample:
        """Read a sample written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or not a sample; K206 a newer version wrote them.
        """

        def assembled(header: dict[str, Any], arrays: dict[str, Numbers]) -> RowSample:
            parts = {"weights": None, **arrays}
            return cls(**parts, k=header["k"], limit=header["limit"])  # type: ignore[arg-type]

        return read_tally(data, _SPECIES, _ARRAYS, assembled, _inconsistency, called="a row_sample")


def _few_of_each(
    hashes: npt.NDArray[np.int64], codes: npt.NDArray[np.int64], k: int, limit: int
) -> npt.NDArray[np.intp]:
    """Return rows that may be among the `limit` ones of their class with the smallest hashes."""
    counts = np.bincount(codes, minlength=k)
    if counts.max(initial=0) <= limit:
        return np.arange(len(codes))
    parts = []
    for c in np.flatnonzero(counts):
        own = np.flatnonzero(codes == c)
        if len(own) > limit:
            own = _smallest(own, hashes, limit)
        parts.append(own)
    return np.sort(np.concatenate(parts))


def _smallest(
    rows: npt.NDArray[np.intp], hashes: npt.NDArray[np.int64], limit: int
) -> npt.NDArray[np.intp]:
    """Return rows whose hashes are among the `limit` smallest distinct ones."""
    found = hashes[rows]
    # Among distinct rows, twice as many lie below as are kept.
    few = found <= min(int(2.0 * limit / len(rows) * _MOST), _MOST)
    distinct = np.unique(found[few])
    if len(distinct) < limit:
        few = np.ones(len(rows), bool)
        distinct = np.unique(found)
    most = distinct[limit - 1] if len(distinct) > limit else _MOST
    kept: npt.NDArray[np.intp] = rows[few & (found <= most)]
    return kept


def _hashed(
    values: Numbers, codes: npt.NDArray[np.int64], weights: Floats | None
) -> npt.NDArray[np.int64]:
    """Return a 63-bit hash of the content of each row."""
    found = codes.astype(np.uint64)
    _mix(found)
    columns = [values[:, i] for i in range(values.shape[1])]
    if weights is not None:
        columns.append(weights)
    for column in columns:
        # 0.0 replaces −0.0, and a float32 equals its float64.
        found ^= (column.astype(np.float64) + 0.0).view(np.uint64)
        _mix(found)
    return (found >> np.uint64(1)).astype(np.int64)


def hashed_places(first: int, n: int) -> npt.NDArray[np.int64]:
    """Return 63-bit hashes of n indices from `first` on, by which rows are sampled.

    Example:
        >>> bool((hashed_places(1, 3) == hashed_places(0, 4)[1:]).all())
        True
    """
    words = np.arange(first, first + n, dtype=np.uint64) * np.uint64(ADDED)
    _mix(words)
    return (words >> np.uint64(1)).astype(np.int64)


def _mix(words: npt.NDArray[np.uint64]) -> None:
    """Apply the finalizer of Steele, Lea & Flood (splitmix64), in place."""
    words += np.uint64(ADDED)
    for shift, odd in zip((30, 27), ODD, strict=True):
        words ^= words >> np.uint64(shift)
        words *= odd
    words ^= words >> np.uint64(31)


def _inconsistency(sample: RowSample) -> str | None:
    """Return a contradiction in the data, or None."""
    k, limit, m = sample.k, sample.limit, len(sample.codes)
    if any(type(number) is not int or not 1 <= number < 1 << 31 for number in (k, limit)):
        return "The number of classes or the limit is not one"
    if sample.values.ndim != 2 or any(
        len(part) != m
        for part in (sample.values, sample.weights, sample.repeats, sample.hashes)
        if part is not None
    ):
        return "The columns differ in length"
    integers = (sample.codes, sample.repeats, sample.hashes)
    if any(part.ndim != 1 or part.dtype.kind != "i" for part in integers):
        return "Classes, repeats or hashes are not whole numbers"
    if m and not 0 <= int(sample.codes.min()) <= int(sample.codes.max()) < k:
        return "A class lies outside of the classes"
    if (sample.repeats < 1).any() or not np.isfinite(sample.values).all():
        return "A row occurred less than once, or a score is not finite"
    if wrong_numbers(sample.weights):
        return "A weight is negative or not finite"
    codes, hashes = sample.codes, sample.hashes
    is_later = codes[1:] > codes[:-1]
    # Differences of 64-bit integers could wrap around.
    if (codes[1:] < codes[:-1]).any() or (hashes[1:] <= hashes[:-1])[~is_later].any():
        return "The rows are not in the order of classes and hashes"
    if np.bincount(sample.codes, minlength=1).max(initial=0) > limit:
        return "A class has more rows than are kept"
    if not np.array_equal(_hashed(sample.values, codes, sample.weights), hashes):
        return "The rows were not chosen by what they hold"
    return None
