"""Records that can be serialized to JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, repr=False)
class JsonRecord:
    """Data that can be serialized to JSON; `repr` of what prints as a sentence is short."""

    def __repr__(self) -> str:
        return f"<karat.{type(self).__name__}: {self}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON types; null for numbers that are not finite."""
        return {name: json_value(value) for name, value in asdict(self).items()}


def json_value(value: Any) -> Any:
    """Return a JSON value, also in dicts and tuples: numbers that are not finite become None."""
    if isinstance(value, dict):
        return {name: json_value(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [json_value(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    # A number of rows with its own limits is a number.
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value
