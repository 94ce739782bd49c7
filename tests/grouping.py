"""Flat options of requests, as tables of tests state them, in the groups that verbs take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import karat
from karat.api.request.groups import GROUPS, Group

_FLAT = ("labels", "positive", "threshold", "weights", "level")
_PARTS = {
    option: (kind, part)
    for kind in GROUPS
    for part, options in kind.parts.items()
    for option in options
    if option not in _FLAT
}


def grouped(options: Mapping[str, Any], flat: tuple[str, ...] = ()) -> dict[str, Any]:
    """The options as a caller writes them: parts of groups in their groups, the truth as y_true.

    Args:
        flat: parts that the verb takes by themselves: ``adjust`` of compare.
    """
    values: dict[str, Any] = {}
    parts: dict[type[Group], dict[str, Any]] = {}
    for name, value in options.items():
        if name == "gold":
            values["y_true"] = value
        elif name == "strict_inconclusive":
            parts.setdefault(karat.Rules, {})["inconclusive"] = "fail" if value else None
        elif name == "with_rows":
            parts.setdefault(karat.Reading, {})["keep_rows"] = value
        elif name in _PARTS and name not in flat:
            kind, part = _PARTS[name]
            parts.setdefault(kind, {})[part] = value
        else:
            values[name] = value
    if values.pop("weights_are", "importance") == "frequency":
        values["weights"] = karat.Frequency(values["weights"])
    if values.pop("sampling", "cohort") == "case-control":
        parts[karat.CaseControl] = {}
    _put(values, parts)
    return values


def _put(values: dict[str, Any], parts: Mapping[type[Group], dict[str, Any]]) -> None:
    designs = values.pop("design", None)
    designs = list(designs) if isinstance(designs, list) else [designs] if designs else []
    for kind, members in parts.items():
        if kind.argument == "design":
            if kind is karat.Folds:
                designs.append(_folds(members["fold"]))
            elif kind is not karat.Looks or members["planned"] is not True:
                designs.append(kind(**members))
            else:
                designs.append(karat.Looks())
            continue
        before = values.get(kind.argument)
        earlier = before._values if isinstance(before, Group) else {}
        if kind is karat.Labels and before is not None and not isinstance(before, Group):
            earlier = {"order": before}
        values[kind.argument] = kind(**{**earlier, **members})
    if designs:
        values["design"] = designs[0] if len(designs) == 1 else designs


def _folds(folds: Any) -> karat.Folds:
    if isinstance(folds, str) and folds == "auto":
        return karat.Folds()
    return karat.Folds(**folds) if isinstance(folds, dict) else karat.Folds(folds)
