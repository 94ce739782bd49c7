"""Tallies of every process, brought together."""

from __future__ import annotations

from typing import Any

import torch

from karat.compat.torchmetrics.tally import Tally

__all__ = ["gathered"]


def gathered(tally: Tally, group: Any = None) -> Tally:
    """The tally of the rows of all processes; the own one where there is only one.

    Every process gives one object, so it does not matter how many batches each has seen.
    They are added in the order of the ranks: all get the same bits.
    """
    distributed = torch.distributed
    if not distributed.is_available() or not distributed.is_initialized():
        return tally
    n = distributed.get_world_size(group)
    if n < 2:
        return tally
    device, own = tally.device, tally.copy()
    own.move("cpu")
    found: list[Any] = [None] * n
    distributed.all_gather_object(found, own, group=group)
    first: Tally = found[0]
    for other in found[1:]:
        first.add(other)
    if device is not None:
        first.move(device)
    return first
