"""Files stay what they are while they are read: rows of two states are never in one result."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from karat.errors import KaratError, error

if TYPE_CHECKING:
    from karat.data.sources.files.paths import DataFile

__all__ = ["Stamp", "changed", "stamp", "unchanged"]

Stamp: TypeAlias = tuple[int, ...] | None
"""Size and time of a file; None where there is none."""


def stamp(path: str) -> Stamp:
    """What a file is by, as far as it can be seen from outside."""
    found = _status(path)
    return None if found is None else (found.st_size, found.st_mtime_ns)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def changed(file: DataFile, now: Stamp) -> KaratError:
    """The error of a file that is not what it was."""
    found = "is not there any more" if now is None else "was written meanwhile"
    return error("K417", path=file.shown, found=found)


@contextmanager
def unchanged(files: Sequence[DataFile]) -> Iterator[None]:
    """Refuse files that changed while they were read.

    What went wrong in a file that changed is said to come from that.

    Errors:
        K417 a file was written, replaced or removed meanwhile.
    """
    before = [(file, _known(file.path)) for file in files]
    try:
        yield
    except Exception as problem:
        _check(before, problem)
        raise
    _check(before)


def _known(path: str) -> Stamp:
    """Like `stamp`, with what tells a file from another that took its name."""
    found = _status(path)
    if found is None:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev


def _check(before: Sequence[tuple[DataFile, Stamp]], problem: BaseException | None = None) -> None:
    for file, was in before:
        now = _known(file.path)
        if now != was:
            raise changed(file, now) from problem
