"""Counting and adding by place, on any device, with the same bits every time.

Whole numbers are added in any order; floats never by atomics, but in segments of sorted rows.
Nothing here waits for the device.
"""

from __future__ import annotations

from typing import Final

from karat.data.sources.torch.tensors import Tensor, torch

__all__ = ["added", "counted", "summed"]

_FEW: Final = 16
"""Places that are picked out one after the other: cheaper than a sort."""
_PIECE: Final = 4096
"""Rows that are added up at once."""


def counted(places: Tensor, n_places: int, *, may_be_outside: bool = False) -> Tensor:
    """int64[n_places]: how many of int64[n], each in [0, n_places), stand at each place.

    Args:
        may_be_outside: whether some stand nowhere, so that what is counted is of no use.
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
    """float[n_places] of each column float[n]: what stands at each place, added up.

    Cost: a pass a place where they are few, else a sort.
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
    """number[m, …]: what rows that follow each other add up to, int64[m] at once."""
    if not numbers.shape[0] or not lengths.shape[0]:
        shape = (lengths.shape[0], *numbers.shape[1:])
        return torch().zeros(shape, dtype=numbers.dtype, device=numbers.device)
    if not numbers.dtype.is_floating_point:
        segment = torch().repeat_interleave(lengths, output_size=numbers.shape[0])
        shape = (lengths.shape[0], *numbers.shape[1:])
        found = torch().zeros(shape, dtype=numbers.dtype, device=numbers.device)
        return found.index_add_(0, segment, numbers)
    if lengths.shape[0] > numbers.shape[0] // _PIECE:
        return _reduced(numbers, lengths)
    # One block of threads adds up a segment, however long it is: so they are cut.
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
