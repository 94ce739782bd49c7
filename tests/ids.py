"""Names of parameters in the names of tests."""

from __future__ import annotations


def shown(item: object) -> str:
    """The parameter as it is written, or its type where an address would make every run differ."""
    return type(item).__name__ if " at 0x" in repr(item) else repr(item)
