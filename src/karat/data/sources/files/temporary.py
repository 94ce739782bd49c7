"""The temporary folder, and what is said where it takes no more."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from karat.errors import KaratError, error

__all__ = ["no_room", "writing_temporary"]


def no_room(found: str) -> KaratError:
    """The error of a temporary file that cannot be written; `found` says why."""
    try:
        folder = tempfile.gettempdir()
    except OSError:  # none of the usual ones may be written
        folder = "The temporary folder"
    return error("K418", path=folder, found=found[:1].lower() + found[1:])


@contextmanager
def writing_temporary() -> Iterator[None]:
    """Say what is wrong with the temporary folder where it takes no more.

    Errors:
        K418.
    """
    try:
        yield
    except OSError as problem:
        raise no_room(str(problem.strerror or problem)) from problem
