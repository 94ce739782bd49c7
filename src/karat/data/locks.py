"""`OwnLock`: a reentrant lock that is open in a forked process."""

from __future__ import annotations

import os
import threading
import weakref


class OwnLock:
    """Reentrant lock; in a forked process it is not held.

    Only one thread of a process continues in its child: locks held by the others would never be
    released.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _every.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Create the lock again, not held."""
        self._lock = threading.RLock()


_every: weakref.WeakSet[OwnLock] = weakref.WeakSet()


def _renew() -> None:
    for lock in _every:
        lock.renew()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew)
