"""A plugin of pytest: the module with the sanitizers stands where the installed one would."""

from __future__ import annotations

import os
import sys

from fuzz.build import MODULE, open_module


def stand_in(path: str) -> None:
    """Load that module, before anything asks for the other one."""
    assert "karat._native" not in sys.modules, "the installed module has been loaded"
    native = sys.modules["karat._native"] = open_module(path)
    import karat

    karat._native = native  # type: ignore[attr-defined]


if MODULE in os.environ:
    stand_in(os.environ[MODULE])
