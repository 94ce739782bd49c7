"""Optional packages of the tests: absent ones skip, and under KARAT_REQUIRE_OPTIONAL they fail."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest

REQUIRED = "KARAT_REQUIRE_OPTIONAL"


def is_required() -> bool:
    """Whether every optional package has to be present (continuous integration)."""
    return os.environ.get(REQUIRED, "") not in ("", "0")


def optional(name: str) -> ModuleType:
    """Import a package that karat does not need; without it the test is skipped.

    With KARAT_REQUIRE_OPTIONAL=1 a missing package fails the test:
    a suite that skips its oracles would be green and prove nothing.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        if is_required():
            pytest.fail(f"{name} is not installed and {REQUIRED} is set", pytrace=False)
        pytest.skip(f"{name} is not installed", allow_module_level=True)
