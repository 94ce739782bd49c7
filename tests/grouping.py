"""Flat options of tables of tests, in the groups that verbs take."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from karat.api.request.spelled import in_groups

_RENAMED = {"gold": "y_true", "with_rows": "keep_rows"}


def grouped(options: Mapping[str, Any], flat: Collection[str] = ()) -> dict[str, Any]:
    """The options as a caller writes them: parts of groups in their groups, the truth as y_true.

    Args:
        flat: parts that the verb takes by themselves: ``adjust`` of compare.
    """
    values = {_RENAMED.get(name, name): value for name, value in options.items()}
    if "weights" not in values:
        # Only weights count rows.
        values.pop("weights_are", None)
    if isinstance(values.get("design"), str) and values["design"] in ("cohort", "case-control"):
        values["sampling"] = values.pop("design")
    if "strict_inconclusive" in values:
        values["inconclusive"] = "fail" if values.pop("strict_inconclusive") else None
    return in_groups(values, flat)
