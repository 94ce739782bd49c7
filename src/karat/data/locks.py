"""`OwnLock`: a lock of a thread that a forked process finds open."""

from __future__ import annotations

import os
import threading
import weakref


class OwnLock:
    """A lock that its thread may take again; in a forked process nobody holds it.

    Of the threads of a process only one goes on in its child: what the others held there would be
    locked for ever.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _every.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Make it anew: nobody holds it."""
        self._lock = threading.RLock()


_every: weakref.WeakSet[OwnLock] = weakref.WeakSet()


def _renew() -> None:
    for lock in _every:
        lock.renew()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew)
