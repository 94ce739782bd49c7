"""Rows, some at once: what is computed of them fits in the cache."""

from __future__ import annotations

from typing import Final

__all__ = ["row_parts"]

_ROWS: Final = 1 << 16


def row_parts(n: int) -> list[slice]:
    """Slices of 65 536 rows, and the rest, in their order.

    Example:
        >>> row_parts(100_000)
        [slice(0, 65536, None), slice(65536, 100000, None)]
    """
    return [slice(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)]
