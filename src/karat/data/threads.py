"""The argument `n_threads`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from karat.errors import error

__all__ = ["check_threads"]

_THREADS_MAX: Final = 4096


def check_threads(n_threads: Any) -> None:
    """Refuse what is not a number of threads.

    Errors:
        K122 it is neither None nor a whole number from 1 to 4096.
    """
    is_count = isinstance(n_threads, int | np.integer) and not isinstance(
        n_threads, bool | np.timedelta64
    )
    if n_threads is not None and not (is_count and 1 <= n_threads <= _THREADS_MAX):
        raise error(
            "K122",
            argument="n_threads",
            value=n_threads,
            choices=f"None, 1 to {_THREADS_MAX}",
            do="None means KARAT_NUM_THREADS, else all cores.",
        )
