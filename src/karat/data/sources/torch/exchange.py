"""Bytes of every process of a group, over torch.distributed."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from karat.data.sources.torch.tensors import torch
from karat.errors import error

__all__ = ["all_gathered"]

_FAILED = -1


def all_gathered(own: bytes | None, group: Any = None) -> list[bytes | None]:
    """What every process gave, in the order of their ranks; None of those that had nothing to give.

    Args:
        own: of this process; None where it failed, which the others must learn.
        group: of torch.distributed; None: all processes.

    Errors:
        K216 no group of processes was started.

    Cost: two collectives: the sizes, then as many bytes as the longest of every process.
    """
    found = sys.modules.get("torch.distributed")
    if found is None or not found.is_available() or not found.is_initialized():
        raise error(
            "K216",
            found="all_reduce() was called without a group of processes",
            do="Call torch.distributed.init_process_group first; merge() needs no processes.",
        )
    device = _device(str(found.get_backend(group)))
    n = found.get_world_size(group)
    size = _FAILED if own is None else len(own)
    with torch().inference_mode():
        sizes = torch().full((1,), size, dtype=torch().int64, device=device)
        each = [torch().empty_like(sizes) for _ in range(n)]
        found.all_gather(each, sizes, group=group)
        lengths = torch().cat(each).cpu().tolist()
        most = max(*lengths, 1)
        padded = np.zeros(most, np.uint8)
        if own is not None:
            padded[: len(own)] = np.frombuffer(own, np.uint8)
        mine = torch().from_numpy(padded).to(device)
        parts = [torch().empty_like(mine) for _ in range(n)]
        found.all_gather(parts, mine, group=group)
        return [
            None if length == _FAILED else part[:length].cpu().numpy().tobytes()
            for part, length in zip(parts, lengths, strict=True)
        ]


def _device(backend: str) -> Any:
    """Where the tensors of a backend live."""
    is_of_host = any(name in backend for name in ("gloo", "mpi", "ucc"))
    if "nccl" in backend and not is_of_host:
        return torch().device("cuda", torch().cuda.current_device())
    return torch().device("cpu")
