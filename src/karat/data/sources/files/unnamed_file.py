"""Numbers on disk in a file without a name: nothing is left of it when the process ends."""

from __future__ import annotations

import contextlib
import mmap
import tempfile
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.sources.files.temporary import writing_temporary

__all__ = ["UnnamedFile"]

Numbers: TypeAlias = npt.NDArray[Any]


class UnnamedFile:
    """Arrays of 8-byte numbers that are appended, and read without being held in memory.

    However many arrays there are, it takes one open file, and one more for a map of it.

    Errors:
        K418 there is no room for it, of every method.
    """

    def __init__(self) -> None:
        with writing_temporary():
            self._file = tempfile.TemporaryFile(prefix="karat-exact-")  # noqa: SIM115
        self._map: mmap.mmap | None = None
        self.n = 0
        """Numbers in it."""

    def append(self, array: Numbers) -> None:
        """Write an array behind what is there."""
        assert array.itemsize == 8
        with writing_temporary():
            self._file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        self.n += array.size

    def read(self, first: int, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Numbers:
        """The array whose numbers begin at `first`: a view of the file, good for as long as it is.

        Cost: one map of the file each time that it has grown.
        """
        size = int(np.prod(shape))
        if not size:
            return np.empty(shape, dtype)
        if self._map is None or len(self._map) < 8 * (first + size):
            with writing_temporary():
                self._file.flush()
            self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        return np.frombuffer(self._map, dtype, size, 8 * first).reshape(shape)

    def close(self) -> None:
        """No more is appended; what was read stays readable."""
        # What was not written yet is read by nobody any more; the file itself is gone.
        with contextlib.suppress(OSError):
            self._file.close()
