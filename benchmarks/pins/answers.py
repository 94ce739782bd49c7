"""The first place where the answers of two commits differ."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose, isnan
from typing import Any, Final

ROUNDED: Final = 1e-12
"""Floats may differ by this much of themselves: limits and p-values are added in another order."""


def difference(base: Any, head: Any) -> str:
    """Where two answers of plain data differ, and how; empty where they agree."""
    return next(_differences(base, head, "answer"), "")


def _differences(base: Any, head: Any, place: str) -> Iterator[str]:
    if isinstance(base, dict) and isinstance(head, dict):
        if list(base) != list(head):
            yield f"{place}: names {list(base)} in BASE, {list(head)} in HEAD"
            return
        for name in base:
            yield from _differences(base[name], head[name], f"{place}[{name!r}]")
    elif isinstance(base, list) and isinstance(head, list):
        if len(base) != len(head):
            yield f"{place}: {len(base)} values in BASE, {len(head)} in HEAD"
            return
        for i, (left, right) in enumerate(zip(base, head, strict=True)):
            yield from _differences(left, right, f"{place}[{i}]")
    elif not _same(base, head):
        yield f"{place}: {base!r} in BASE, {head!r} in HEAD"


def _same(base: Any, head: Any) -> bool:
    if isinstance(base, float) and isinstance(head, float):
        return isclose(base, head, rel_tol=ROUNDED) or (isnan(base) and isnan(head))
    return type(base) is type(head) and bool(base == head)
