"""Memory that ends at a page which may not be read: one byte too many ends the process.

It makes the ordinary build tell of what it reads or writes behind an array, without a sanitizer.
"""

from __future__ import annotations

import ctypes
import mmap

import numpy as np

from fuzz.arrays import Array, exactly

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_NOTHING = 0


def fenced(array: Array) -> Array:
    """A copy that ends at a page of no rights; a plain one of objects or of no bytes."""
    if array.nbytes == 0 or array.dtype.hasobject:
        return exactly(array)
    page = mmap.PAGESIZE
    n_pages = -(-array.nbytes // page)
    memory = mmap.mmap(-1, (n_pages + 1) * page)
    last = np.frombuffer(memory, np.uint8).ctypes.data + n_pages * page
    if _libc.mprotect(last, page, _NOTHING) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    begin = n_pages * page - array.nbytes
    copy = np.frombuffer(memory, array.dtype, array.size, begin).reshape(array.shape)
    copy[...] = array
    return copy
