"""Children that heed Ctrl-C, however the tests themselves were begun."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heeding_interrupts() -> Iterator[None]:
    """Processes that begin here are interrupted by SIGINT.

    A shell has what it runs in its background ignore it, and children inherit that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
