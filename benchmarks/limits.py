"""What the machine takes for nothing but reading the memory once, or sorting the whole keys once.

Measured beside each case, in the same rounds, so that a noisy moment hits all of them.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

FREE: Final = 0.9
"""Share of the work of one alone from which on a process beside others has a core of its own."""

_SPIN: Final = """
import sys, time
print(flush=True)  # it has started
sys.stdin.readline()
end, n = time.perf_counter() + 0.3, 0
while time.perf_counter() < end:
    for _ in range(1000):
        n += 1
print(n)
"""


def read_once(*arrays: Array) -> Callable[[], object]:
    """One pass over the bytes: the largest of them as integers, which NumPy finds with SIMD."""
    words = [_words(array) for array in arrays]
    return lambda: [word.max() for word in words]


def _words(array: Array) -> Array:
    """The memory of an array, as int64 as far as these fill it."""
    flat = array.ravel(order="K")
    flat = flat.view(np.uint8)
    return flat[: len(flat) // 8 * 8].view(np.int64)


def sort_once(keys: Array, n_columns: int = 1) -> Callable[[], object]:
    """As many keys of the dtype, copied and sorted, each column by itself."""
    buffer = np.empty_like(keys)

    def call() -> object:
        for _ in range(n_columns):
            np.copyto(buffer, keys)
            buffer.sort()
        return buffer

    return call


def bandwidth(n_bytes: int) -> float:
    """Gigabytes a second that one core reads from as many bytes, median of some passes."""
    array = np.ones(n_bytes // 8, np.int64)
    n_passes = max(1, (1 << 28) // n_bytes)
    seconds = []
    for _ in range(9):
        start = time.process_time()
        for _ in range(n_passes):
            array.max()
        seconds.append(time.process_time() - start)
    return float(n_bytes * n_passes / np.median(seconds) / 1e9)


def sort_milliseconds(n: int, dtype: Any) -> float:
    """Milliseconds to copy and sort n random keys, median of some passes."""
    call = sort_once(np.random.default_rng(0).random(n).astype(dtype))
    call()
    seconds = []
    for _ in range(7):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return float(np.median(seconds) * 1e3)


def facts() -> dict[str, str]:
    """The limits of this machine, for the head of the page."""
    reads = ", ".join(
        f"{bandwidth(mega << 20):.0f} GB/s of {mega} MiB" for mega in (1, 16, 80, 800)
    )
    sorts = ", ".join(
        f"{n:.0e} {np.dtype(dtype).name} in {sort_milliseconds(n, dtype):.3g} ms".replace(
            "e+0", "e"
        )
        for n in (1_000_000, 10_000_000)
        for dtype in (np.float32, np.float64)
    )
    return {"one core reads": reads, "one core sorts": sorts}


def free_cores(most: int = 2) -> float:
    """Work that so many processes do at once over the most that one does: 2 with two free cores."""
    return _work_of(most) / max(_work_of(1), _work_of(1))


def _work_of(n_processes: int) -> float:
    spins = [
        subprocess.Popen(
            [sys.executable, "-c", _SPIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(n_processes)
    ]
    for spin in spins:
        assert spin.stdout is not None
        spin.stdout.readline()
    for spin in spins:
        assert spin.stdin is not None
        spin.stdin.write("\n")
        spin.stdin.flush()
    return float(sum(int(spin.communicate()[0]) for spin in spins))
