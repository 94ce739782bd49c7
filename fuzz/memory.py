"""A bound on the memory that a replayed input may ask for, as the fuzzer has one for each block.

Without it, an input that asks for 2³¹ replicates takes 16 GiB and minutes. What asks for more is
refused with MemoryError, so the path that follows a failed allocation is replayed too.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOM = 3 << 30
"""Bytes beyond those of the process before the first input."""
_KIB = 1024


@contextmanager
def bounded(room: int) -> Iterator[None]:
    """Refuse allocations once the process has grown by so many bytes of address space."""
    # Other systems do not enforce this limit.
    if sys.platform != "linux":
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    limits = [_status("VmSize") + room, *(limit for limit in before if limit >= 0)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def peak() -> int:
    """The most bytes that the process has had in memory; 0 where the system does not count them.

    Not ru_maxrss: it includes the memory of the process that started this one.
    """
    return _status("VmHWM") if sys.platform == "linux" else 0


def _status(field: str) -> int:
    """Bytes of a field of /proc/self/status."""
    lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    (value,) = (line.split()[1] for line in lines if line.startswith(f"{field}:"))
    return int(value) * _KIB
