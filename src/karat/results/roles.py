"""The roles of columns in results: the words of the verbs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from karat.tally.score_kind import ARGUMENT_OF_ROLE

NAMES: Final[Mapping[str, str]] = {
    "true": "y_true",
    "pred": "y_pred",
    **dict[str, str](ARGUMENT_OF_ROLE.items()),
}
"""Role of a column while it is read → its name; others have one name."""


def by_name(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a reader by the names of their roles."""
    return {NAMES.get(role, role): columns for role, columns in mapping.items()}
