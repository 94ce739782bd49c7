"""Records that JSON can hold."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class JsonRecord:
    """Data that JSON can hold."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON types; null for what is not a finite number."""
        return {name: json_value(value) for name, value in asdict(self).items()}


def json_value(value: Any) -> Any:
    """A number that JSON can hold, or None; dicts and lists item by item."""
    if isinstance(value, dict):
        return {name: json_value(item) for name, item in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    # A number of rows with limits of its own is a number.
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value
