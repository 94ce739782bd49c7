"""A result written to a file: whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from pathlib import Path

__all__ = ["write_bytes", "write_text"]


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text to a file, so that a failure leaves the earlier file as it was.

    See `write_bytes`.
    """
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write bytes to a file, so that a failure leaves the earlier file as it was.

    They go to a new file in the same folder, which then takes the name; the permissions
    of the earlier file stay. What is no file, a pipe or a device, is written directly.

    Errors:
        OSError naming `path`: the folder does not exist or is full, or the file may not be written.
    """
    try:
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            Path(path).write_bytes(data)
        else:
            # A link stays a link: the file that it names is replaced.
            _replace(os.path.realpath(path), data)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, os.fspath(path)) from None


def _replace(target: str, data: bytes) -> None:
    has_earlier = os.path.exists(target)
    if has_earlier:
        # Renaming asks the folder only; a file that is protected stays protected.
        os.close(os.open(target, os.O_WRONLY))
    temporary = os.path.join(os.path.dirname(target), f".karat-{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(descriptor)
        if has_earlier:
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
