"""The JSON Schemas (2020-12) of what a gate writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["baseline_schema", "gate_schema"]


def gate_schema() -> dict[str, Any]:
    """That of ``karat.gate/1``, the result of a gate."""
    return _read("gate")


def baseline_schema() -> dict[str, Any]:
    """That of ``karat.baseline/1``, a baseline as a file."""
    return _read("baseline")


def _read(name: str) -> dict[str, Any]:
    path = Path(__file__).with_name(f"{name}.schema.json")
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded
