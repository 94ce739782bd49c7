"""Which tests a tier runs: `make check`, `make test`, `make test-all`; each holds those before it.

A test is of the first tier unless its path, or a mark of its own, puts it into a later one. What
takes long has a quick relative in an earlier tier: a tier less is a little less power, not a hole.
"""

from __future__ import annotations

from typing import Final

import pytest

__all__ = ["LATER", "TIERS", "tier_of"]

TIERS: Final = ("check", "test", "all")

LATER: Final = {}
"""Folder, file, or test → the tier that runs it; the longest path that fits decides."""


def tier_of(item: pytest.Item) -> str:
    """The first tier that runs a test."""
    if item.get_closest_marker("slow") is not None:
        return "all"
    name = item.nodeid
    found = [
        path
        for path in LATER
        if name == path or name.startswith((path + "/", path + "::", path + "["))
    ]
    return LATER[max(found, key=len)] if found else "check"
