"""Atomic writes of results to files."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import secrets
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text to a file, so that a failure leaves the existing file unchanged.

    See `write_bytes`.
    """
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write bytes to a file, so that a failure leaves the existing file unchanged.

    They go to a new file in the same folder, which is then renamed; the permissions of the existing
    file are kept. A pipe or a device is written directly.

    Errors:
        OSError naming `path`: the folder does not exist or is full, or the file may not be written.
    """
    write_parts(path, [data])


def write_parts(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write bytes that are made part by part, as `write_bytes` does.

    Errors:
        As of `write_bytes`, and of the parts.
    """
    try:
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            with Path(path).open("wb") as stream:
                stream.writelines(parts)
        else:
            # A link stays a link: the file that it names is replaced.
            _replace(os.path.realpath(path), parts)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, os.fspath(path)) from None


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove temporary files of this file that killed processes on this machine left.

    Files that another process is still writing stay; on Windows, which cannot tell, all stay.
    """
    if os.name == "nt":
        return
    folder, start = _temporary(os.path.realpath(path))
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            process = name.removeprefix(start).partition("-")[0]
            is_left = name.startswith(start) and name.endswith(".tmp") and process.isdecimal()
            if is_left and not is_running(int(process)):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(folder, name))


def _temporary(target: str) -> tuple[str, str]:
    """Return the folder of a file, and the prefix of the names of its temporary files.

    Process numbers are valid on one machine only.
    """
    folder, name = os.path.split(target)
    told = f"{platform.node()}/{name}".encode("utf-8", "surrogateescape")
    return folder, f".karat-{hashlib.sha256(told).hexdigest()[:16]}-"


def is_running(process: int) -> bool:
    """Return whether another process of this machine has this number."""
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def _replace(target: str, parts: Iterable[bytes]) -> None:
    has_earlier = os.path.exists(target)
    if has_earlier:
        # Renaming depends on the folder only: a protected file must stay protected.
        os.close(os.open(target, os.O_WRONLY))
    folder, start = _temporary(target)
    temporary = os.path.join(folder, f"{start}{os.getpid()}-{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as stream:
            stream.writelines(parts)
            stream.flush()
            os.fsync(descriptor)
        if has_earlier:
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
