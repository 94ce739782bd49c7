"""`RowSample` made on a device: the same rows, chosen by the same hashes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from karat.data.sources.torch.histograms import added
from karat.data.sources.torch.score_losses import widened
from karat.data.sources.torch.tensors import Tensor, torch
from karat.tally.row_sample import ADDED, ODD, RowSample

__all__ = ["ChosenRows"]


@dataclass(frozen=True, eq=False)
class ChosenRows:
    """As `RowSample`, on a device.

    Attributes:
        values, codes, weights, repeats, hashes: see there.
    """

    values: Tensor
    codes: Tensor
    weights: Tensor | None
    repeats: Tensor
    hashes: Tensor

    @classmethod
    def of(
        cls, scores: Tensor, codes: Tensor, weights: Tensor | None, k: int, limit: int
    ) -> ChosenRows:
        """The sample of rows float[n, c] or float[n] of the classes int64[n].

        Cost: two sorts of one number a row.
        """
        matrix = scores[:, None] if scores.ndim == 1 else scores
        hashes = _hashed(matrix, codes, weights)
        once = torch().ones_like(codes)
        rows, repeats = _first_of_each(codes, hashes, once, k, limit)
        values = widened(matrix[rows]).to(torch().float64)
        held = None if weights is None else weights[rows]
        return cls(values, codes[rows], held, repeats, hashes[rows])

    def merge(self, other: ChosenRows, k: int, limit: int) -> ChosenRows:
        """Both: of each class the first distinct ones."""

        def both(name: str) -> Any:
            left, right = getattr(self, name), getattr(other, name)
            return None if left is None else torch().cat([left, right])

        rows, repeats = _first_of_each(both("codes"), both("hashes"), both("repeats"), k, limit)
        weights = both("weights")
        return ChosenRows(
            both("values")[rows],
            both("codes")[rows],
            None if weights is None else weights[rows],
            repeats,
            both("hashes")[rows],
        )

    def sample(self, k: int, limit: int) -> RowSample:
        """The tally on the host; the device is waited for."""

        def array(tensor: Tensor) -> Any:
            return tensor.cpu().numpy().copy()

        weights = None if self.weights is None else array(self.weights)
        return RowSample(
            array(self.values),
            array(self.codes),
            weights,
            array(self.repeats),
            array(self.hashes),
            k,
            limit,
        )


def _first_of_each(
    codes: Tensor, hashes: Tensor, repeats: Tensor, k: int, limit: int
) -> tuple[Tensor, Tensor]:
    """Of each class the rows with the smallest distinct hashes, and how often each occurs."""
    order = torch().argsort(hashes, stable=True)
    order = order[torch().argsort(codes[order], stable=True)]
    codes, hashes = codes[order], hashes[order]
    is_new = torch().ones(codes.shape, dtype=torch().bool, device=codes.device)
    is_new[1:] = (codes[1:] != codes[:-1]) | (hashes[1:] != hashes[:-1])
    firsts = is_new.nonzero()[:, 0]
    end = torch().full((1,), codes.shape[0], dtype=torch().int64, device=codes.device)
    repeats = added(repeats[order], torch().cat([firsts, end]).diff())
    codes = codes[firsts].contiguous()
    each = torch().arange(k, dtype=torch().int64, device=codes.device)
    before = torch().searchsorted(codes, each)
    place = torch().arange(codes.shape[0], device=codes.device) - before[codes]
    kept = place < limit
    return order[firsts][kept], repeats[kept]


def _hashed(values: Tensor, codes: Tensor, weights: Tensor | None) -> Tensor:
    """int64[n], 63 bits for what each row holds: see `tally.row_sample`."""
    found = _mixed(codes.to(torch().int64))
    columns = [widened(values[:, i]) for i in range(values.shape[1])]
    if weights is not None:
        columns.append(weights)
    for column in columns:
        words = (column.to(torch().float64) + 0.0).view(torch().int64)
        found = _mixed(found ^ words)
    return _shifted(found, 1)


_SHIFTS: Final = (30, 27)


def _mixed(words: Tensor) -> Tensor:
    words = words + _signed(ADDED)
    for shift, odd in zip(_SHIFTS, ODD, strict=True):
        words = (words ^ _shifted(words, shift)) * _signed(int(odd))
    return words ^ _shifted(words, 31)


def _shifted(words: Tensor, by: int) -> Tensor:
    """As of numbers without a sign: what comes in from above is 0."""
    return (words >> by) & ((1 << (64 - by)) - 1)


def _signed(number: int) -> int:
    """The int64 of the same 64 bits; products of both wrap round alike."""
    return number - (1 << 64) if number >> 63 else number
