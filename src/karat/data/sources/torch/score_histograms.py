"""`ScoreHistogram` on a device: one sort for each column, or none for 16-bit scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from karat.data.sources.torch.tensors import Tensor, torch
from karat.tally.score_histogram import EXACT, LEVELS, ScoreHistogram, ends_of_bins

_FEW: Final = 16
"""Number of positions that are selected one by one, which is faster than a sort."""
_PIECE: Final = 4096
"""Number of rows that are summed at once."""


def is_half(numbers: Tensor) -> bool:
    """Return whether numbers have 16 bits."""
    return numbers.dtype in (torch().float16, torch().bfloat16)


def counted(places: Tensor, n_places: int, *, may_be_outside: bool = False) -> Tensor:
    """int64[n_places]: counts of int64[n], each in [0, n_places), at each position.

    Args:
        may_be_outside: whether some may be out of range, so that the counts are discarded.
    """
    if places.device.type == "cuda" and places.shape[0] and n_places < 1 << 15:
        try:
            # Shared memory of a block instead of one address for all: bins of width 1.
            return torch().histc(places, n_places, 0, n_places)
        except RuntimeError:  # not in this build
            pass
    if may_be_outside:
        places = places.clamp(0, n_places - 1)
    found = torch().zeros(n_places, dtype=torch().int64, device=places.device)
    one = torch().ones((), dtype=torch().int64, device=places.device)
    return found.scatter_add_(0, places, one.expand(places.shape))


def summed(places: Tensor, n_places: int, *columns: Tensor) -> list[Tensor]:
    """float64[n_places] of each column float[n]: sums at each position.

    Cost: a pass for each position if there are few, else a sort.
    """
    if n_places <= _FEW:
        parts = [
            [torch().where(places == place, column, 0.0).sum() for place in range(n_places)]
            for column in columns
        ]
        return [torch().stack(part) for part in parts]
    order = torch().argsort(places, stable=True)
    lengths = counted(places, n_places)
    return [added(column[order], lengths) for column in columns]


def added(numbers: Tensor, lengths: Tensor) -> Tensor:
    """number[m, …]: sums of consecutive rows, in segments of int64[m]."""
    if not numbers.shape[0] or not lengths.shape[0] or not numbers.dtype.is_floating_point:
        segment = torch().repeat_interleave(lengths, output_size=numbers.shape[0])
        shape = (lengths.shape[0], *numbers.shape[1:])
        found = torch().zeros(shape, dtype=numbers.dtype, device=numbers.device)
        return found.index_add_(0, segment, numbers)
    if lengths.shape[0] > numbers.shape[0] // _PIECE:
        return _reduced(numbers, lengths)
    # One thread block sums a segment of any length: so they are split.
    n = numbers.shape[0]
    ends = lengths.cumsum(0)
    cuts = torch().cat([torch().arange(0, n, _PIECE, device=ends.device), ends]).sort().values
    last = torch().full((1,), n, dtype=cuts.dtype, device=cuts.device)
    pieces = _reduced(numbers, torch().cat([cuts, last]).diff())
    return _reduced(
        pieces, torch().searchsorted(cuts, ends).diff(prepend=torch().zeros_like(ends[:1]))
    )


def _reduced(numbers: Tensor, lengths: Tensor) -> Tensor:
    return torch().segment_reduce(
        numbers.contiguous(), "sum", lengths=lengths, unsafe=True, initial=0.0
    )


_CODES: Final = 1 << 16
_MOST_OF_CODES: Final = 1 << 23
"""Number of positions in the table of all 16-bit scores."""
_HIDDEN: Final = 0x7FFFFFFFFFFFFFFF
_ALWAYS: Final = 64
"""Bits of neighbors that no bucket joins."""


@dataclass(frozen=True, eq=False)
class ScoreLevels:
    """`ScoreHistogram` on a device, with the lowest score level first."""

    low: Tensor
    high: Tensor
    counts: Tensor
    squares: Tensor | None
    moments: Tensor | None
    bits: int
    n_rows: int

    @classmethod
    def of(
        cls, scores: Tensor, codes: Tensor, k: int, weights: Tensor | None, bits: int, limit: int
    ) -> ScoreLevels:
        """Make the histogram of float[n] and the class int64[n] of each row, within `limit` levels.

        Args:
            bits: largest precision of the buckets.

        Cost: one sort, and a synchronization for each precision that is tried.
        """
        n = int(scores.shape[0])
        if weights is not None:
            weighs = weights > 0
            scores, codes, weights = scores[weighs], codes[weighs], weights[weighs]
        if is_half(scores) and weights is None and bits == EXACT and _CODES * k <= _MOST_OF_CODES:
            return _of_codes(scores, codes, k).within(limit)
        ordered, order = torch().sort(scores, stable=True)
        values = ordered.to(torch().float64) + 0.0  # −0.0 becomes 0.0
        is_new, bits = _starts_within(values, bits, limit)
        firsts = is_new.nonzero()[:, 0]
        u = int(firsts.shape[0])
        lengths = lengths_from(firsts, values)
        places = (is_new.cumsum(0) - 1) * k + codes[order]
        squares = moments = None
        if weights is None:
            counts = counted(places, u * k).reshape(u, k)
        else:
            held = weights[order]
            parts = summed(places, u * k, held, held * held)
            counts, squares = (part.reshape(u, k) for part in parts)
        low = values[firsts]
        high = low
        if bits != EXACT:
            high = values[firsts + lengths - 1]
            moments = added(values if weights is None else weights[order] * values, lengths)
        return cls(low, high, counts, squares, moments, bits, n)

    @property
    def n_levels(self) -> int:
        return int(self.low.shape[0])

    def _moments(self) -> Tensor:
        return self.low * self.counts.sum(dim=1) if self.moments is None else self.moments

    def merge(self, other: ScoreLevels, limit: int) -> ScoreLevels:
        """Merge both, with the precision of the coarser, in at most `limit` score levels."""

        def both(name: str) -> Tensor | None:
            parts = [getattr(one, name) for one in (self, other)]
            if name == "moments":
                parts = [one._moments() for one in (self, other)]
            return None if parts[0] is None else torch().cat(parts)

        low, high, counts = both("low"), both("high"), both("counts")
        bits, n_rows = min(self.bits, other.bits), self.n_rows + other.n_rows
        levels = ScoreLevels(low, high, counts, both("squares"), both("moments"), bits, n_rows)
        return _gathered(levels, limit)

    def within(self, limit: int) -> ScoreLevels:
        """Return the same rows in the finest buckets that number at most `limit`."""
        if self.n_levels <= limit:
            return self
        return _gathered(replace(self, moments=self._moments()), limit)

    def table(self) -> ScoreHistogram:
        """Return the tally on the host, best score level first, with synchronization."""

        def turned(numbers: Tensor | None) -> Any:
            if numbers is None:
                return None
            return np.ascontiguousarray(numbers.flip(0).cpu().numpy())

        is_exact = self.bits == EXACT
        low = turned(self.low)
        high = low if is_exact else turned(self.high)
        moments = None if is_exact else turned(self.moments)
        counts, squares = turned(self.counts), turned(self.squares)
        return ScoreHistogram(low, high, counts, squares, moments, self.bits, self.n_rows)


def _of_codes(scores: Tensor, codes: Tensor, k: int) -> ScoreLevels:
    """Make the histogram of 16-bit scores, of which there are at most 65 536."""
    words = scores.contiguous().view(torch().int16).to(torch().int64)
    # From sign and magnitude to a number that increases with the score; −0.0 is next to 0.0.
    words = torch().where(words < 0, -1 - (words & 0x7FFF), words)
    places = (words + (_CODES >> 1)) * k + codes
    counts = counted(places, _CODES * k).reshape(_CODES, k)
    zero = _CODES >> 1
    counts[zero] += counts[zero - 1]
    counts[zero - 1] = 0
    kept = counts.any(dim=1).nonzero()[:, 0]
    back = kept - (_CODES >> 1)
    back = torch().where(back < 0, (-1 - back) - 0x8000, back).to(torch().int16)
    low = back.view(scores.dtype).to(torch().float64)
    return ScoreLevels(low, low, counts[kept], None, None, EXACT, int(scores.shape[0]))


def _gathered(levels: ScoreLevels, limit: int) -> ScoreLevels:
    """Sort score levels and sum those of one bucket."""
    order = torch().argsort(levels.low, stable=True)
    low = levels.low[order]
    is_new, bits = _starts_within(low, levels.bits, limit)
    firsts = is_new.nonzero()[:, 0]
    lengths = lengths_from(firsts, low)

    def total(numbers: Tensor | None) -> Tensor | None:
        return None if numbers is None else added(numbers[order], lengths)

    found = low[firsts]
    high, moments = found, None
    if bits != EXACT:
        place = is_new.cumsum(0) - 1
        none = torch().full_like(found, -float("inf"))
        high = none.scatter_reduce_(0, place, levels.high[order], "amax")
        moments = total(levels.moments)
    counts = total(levels.counts)
    return ScoreLevels(found, high, counts, total(levels.squares), moments, bits, levels.n_rows)


def _starts_within(values: Tensor, bits: int, limit: int) -> tuple[Tensor, int]:
    """Return where buckets of sorted scores begin, at most `limit` of them, and their bits."""
    if not values.shape[0]:
        return torch().zeros(0, dtype=torch().bool, device=values.device), bits
    if bits == EXACT:
        is_new = torch().ones(values.shape, dtype=torch().bool, device=values.device)
        torch().ne(values[1:], values[:-1], out=is_new[1:])
        if int(is_new.sum()) <= limit:
            return is_new, EXACT
    apart = _digits_apart(values)
    by_digit = counted(apart, _ALWAYS + 1).tolist()
    for level in LEVELS:
        is_enough = sum(by_digit[EXACT - level + 1 :]) <= limit
        if level <= bits and (is_enough or level == LEVELS[-1]):
            return apart > EXACT - level, level
    raise AssertionError


def _digits_apart(values: Tensor) -> Tensor:
    """int64[n]: number of last bits that a score can lose before it joins the previous bucket.

    At b digits a bucket begins where more than 52 − b digits are apart; see
    `tally.score_histogram.bucket_starts`.
    """
    words = values.view(torch().int64)
    keys = torch().where(words < 0, words ^ _HIDDEN, words)
    differing = keys[1:] ^ keys[:-1]
    # For numbers below 2^53, the exponent is the number of bits; for larger ones it suffices.
    digits = torch().frexp(differing.to(torch().float64)).exponent.to(torch().int64)
    apart = torch().full(values.shape, _ALWAYS, dtype=torch().int64, device=values.device)
    apart[1:] = torch().where(differing < 0, _ALWAYS, digits)
    # No bucket crosses an end of the bins, and each end is a separate bucket.
    ends = torch().as_tensor(ends_of_bins(), device=values.device)
    at = torch().cat([torch().searchsorted(values, ends, right=side) for side in (False, True)])
    return apart.index_fill_(0, at[at < values.shape[0]], _ALWAYS)


def lengths_from(firsts: Tensor, values: Tensor) -> Tensor:
    """int64[u]: number of rows from one start to the next."""
    end = torch().full((1,), values.shape[0], dtype=torch().int64, device=values.device)
    return torch().cat([firsts, end]).diff()
