"""Progress of reading files in the log of Python, for programs without a terminal."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

_ROWS: Final = 1_000_000
"""Rows between two messages."""


def logged() -> Callable[[int, int | None], None] | None:
    """Return a progress function for a read, which logs to ``karat``; None below level INFO.

    It is called with the number of rows read so far, and of all rows if that is known.
    """
    log, n_logged = logging.getLogger("karat"), 0
    if not log.isEnabledFor(logging.INFO):
        return None

    def log_rows(n: int, n_rows: int | None) -> None:
        nonlocal n_logged
        if n - n_logged < _ROWS and (n == n_logged or n != n_rows):
            return
        n_logged = n
        log.info("%s rows read", f"{n:,}" if n_rows is None else f"{n:,} of {n_rows:,}")

    return log_rows
