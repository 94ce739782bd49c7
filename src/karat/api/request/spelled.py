"""Options of a request as a caller spells them: parts of groups in their groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from karat.api.request.groups import GROUPS, CaseControl, Frequency, Group
from karat.errors.parts import FLAT

_PARTS: Final = {
    option: (kind, part)
    for kind in GROUPS
    for part, options in kind.parts.items()
    for option in options
    if option not in FLAT
}


def in_groups(options: Mapping[str, Any], flat: Collection[str] = ()) -> dict[str, Any]:
    """Return options as a caller writes them: those that are parts of groups, in their groups.

    Args:
        options: options by the names of their records, such as ``"nulls"`` or ``"seed"``, and
            arguments, which are kept; a group among them gets the other parts.
        flat: parts of groups that the verb takes by themselves: ``"adjust"`` of `karat.compare`.

    Example:
        >>> from karat.api.request.spelled import in_groups
        >>> in_groups({"nulls": "drop", "seed": 3, "level": 0.9})["interval"]
        karat.Interval(seed=3)
    """
    values: dict[str, Any] = {}
    parts: dict[type[Group], dict[str, Any]] = {}
    for name, value in options.items():
        if name in _PARTS and name not in flat:
            kind, part = _PARTS[name]
            parts.setdefault(kind, {})[part] = value
        else:
            values[name] = value
    if values.pop("weights_are", "importance") == "frequency":
        values["weights"] = Frequency(values["weights"])
    if values.pop("sampling", "cohort") == "case-control":
        parts.setdefault(CaseControl, {})
    before = values.pop("design", None) or []
    stated: dict[type[Group], Group] = {
        type(each): each for each in (before if isinstance(before, list) else [before])
    }
    for design in [each for each in parts if each.argument == "design"]:
        earlier = stated[design].given if design in stated else {}
        stated[design] = design.of_options({**earlier, **parts.pop(design)})
    for group, members in parts.items():
        whole = values.get(group.argument)
        held: dict[str, Any] = {}
        if whole is not None:
            held = whole.given if isinstance(whole, Group) else {"order": whole}
        values[group.argument] = group(**{**held, **members})
    if stated:
        designs = list(stated.values())
        values["design"] = designs[0] if len(designs) == 1 else designs
    return values
