"""Locks of the operating system: one process at a time writes a file."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_INTERVAL_SECONDS: Final = 0.02
"""Time between two attempts to take a lock."""
_LOCKED_BYTE: Final = 1 << 30
"""The byte that Windows locks: beyond the text of the file, which others can thus read."""
_LONGEST: Final = 60
"""Characters of the longest name that a lock repeats: file systems allow 255 bytes."""


class InUseError(Exception):
    """Another process writes a file.

    Attributes:
        holder: the process that has the lock, as far as is known.
        lock: path of the file that is locked.
    """

    def __init__(self, holder: str, lock: str) -> None:
        super().__init__(lock)
        self.holder = holder
        self.lock = lock


@contextlib.contextmanager
def only_writer(path: str | os.PathLike[str], wait: float = 0.0) -> Iterator[None]:
    """Context in which no other process that asks for it writes a file.

    A file beside it, ``.karat-NAME.lock``, is locked by the operating system, which ends the lock
    with the process. The file itself locks nothing: one that a killed process left is locked by the
    next process, which removes it.

    Args:
        path: the file; of a symbolic link the file that it names.
        wait: seconds to wait for another process.

    Errors:
        InUseError another process writes the file; OSError the folder cannot be written.
    """
    lock = _path_of(path)
    descriptor = _locked(lock, time.monotonic() + wait)
    try:
        _sign(descriptor)
        yield
    finally:
        if sys.platform == "win32":
            # Windows removes no file that is open.
            os.close(descriptor)
            _remove(lock)
        else:
            # Removed while it is locked: a process that opened it before sees that it is gone.
            _remove(lock)
            os.close(descriptor)


def _path_of(path: str | os.PathLike[str]) -> str:
    folder, name = os.path.split(os.path.realpath(path))
    if len(name) > _LONGEST:
        name = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    return os.path.join(folder, f".karat-{name}.lock")


def _sign(descriptor: int) -> None:
    """Write who has the lock, for the messages of others; on a full disk it locks all the same."""
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        holder = f"process {os.getpid()} on {platform.node()}"
        os.write(descriptor, holder.encode("utf-8", "surrogateescape"))


def _locked(lock: str, until: float) -> int:
    """Return the descriptor of the locked file (InUseError: not before that time)."""
    while True:
        descriptor = _opened(lock)
        try:
            has_lock = _has_lock(descriptor)
            if has_lock and _is_at(descriptor, lock):
                return descriptor
            holder = _text_of(lock)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if has_lock:
            # Its owner removed it between the two calls: the name is free.
            continue
        if time.monotonic() >= until:
            raise InUseError(holder or "another process", lock)
        time.sleep(_INTERVAL_SECONDS)


def _opened(lock: str) -> int:
    no_links = getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(lock, os.O_RDWR | os.O_CREAT | no_links, 0o666)
    except PermissionError as problem:
        # Another user was killed: its file can be locked all the same.
        try:
            return os.open(lock, os.O_RDONLY | no_links)
        except FileNotFoundError:
            raise problem from None


def _has_lock(descriptor: int) -> bool:
    """Lock an open file unless another process has it, and return whether that succeeded."""
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _is_at(descriptor: int, lock: str) -> bool:
    """Return whether an open file is still the one of that name: its owner may have removed it."""
    if sys.platform == "win32":
        return True
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(lock))
    except FileNotFoundError:
        return False


def _text_of(lock: str) -> str:
    try:
        return Path(lock).read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _remove(lock: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(lock)
