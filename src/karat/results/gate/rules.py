"""`Rule`: one requirement of a gate on one metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from karat.errors import KaratError, error, short
from karat.metrics import Metric, get

__all__ = ["Kind", "Rule", "default_rules", "refused", "rules_of"]

Kind: TypeAlias = Literal["min", "max", "max-drop", "no-worse-than", "not-worse"]
_KINDS: Final[Mapping[str, Kind]] = {
    "min": "min",
    "max": "max",
    "max_drop": "max-drop",
    "no_worse_than": "no-worse-than",
}
_DEFAULTS: Final = ("accuracy", "macro_f1")
_WRITE: Final = "Write metric=number, as macro_f1=0.8; in Python a dict from metric to number."


@dataclass(frozen=True, slots=True)
class Rule:
    """A requirement on a metric.

    Attributes:
        kind: ``"min"`` or ``"max"``: a bound of its value; ``"max-drop"``: it fails where a larger
            drop than the bound is shown; ``"no-worse-than"``: it passes where such a drop is
            excluded; ``"not-worse"``: it fails where it is significantly worse.
        metric: canonical name and formula.
        bound: the number; 0 for ``"not-worse"``.
    """

    kind: Kind
    metric: Metric
    bound: float = 0.0

    @property
    def needs_baseline(self) -> bool:
        """Whether it compares."""
        return self.kind not in ("min", "max")

    @property
    def text(self) -> str:
        """The rule in a few words."""
        name = str(self.metric)
        bound = f"{self.bound:.10g}"
        word = "rise" if self.metric.better == "lower" else "drop"
        return {
            "min": f"{name} ≥ {bound}",
            "max": f"{name} ≤ {bound}",
            "max-drop": f"{word} of {name} ≤ {bound}",
            "no-worse-than": f"{name} no worse than the baseline by {bound}",
            "not-worse": f"{name} not worse than the baseline",
        }[self.kind]


def default_rules() -> list[Rule]:
    """The rules of a baseline where none compares with it."""
    return [Rule("not-worse", get(name)) for name in _DEFAULTS]


def rules_of(**given: Any) -> list[Rule]:
    """Rules by kind, each a dict from metric to number or texts ``metric=number``.

    Args:
        given: ``min``, ``max``, ``max_drop`` and ``no_worse_than``.

    Errors:
        K176 a rule that cannot be, or a drop of a metric without a better direction; K301 to K303
        there is no such metric.
    """
    found: list[Rule] = []
    for argument, values in given.items():
        for name, number in _pairs(argument, values):
            rule = Rule(_KINDS[argument], get(name), _number(argument, name, number))
            _check(argument, rule)
            found.append(rule)
    keys = [(rule.kind, str(rule.metric)) for rule in found]
    twice = next((key for i, key in enumerate(keys) if key in keys[:i]), None)
    if twice is not None:
        do = "Give one number for each metric."
        raise refused(f"There are two rules {twice[0]} of {twice[1]}", do)
    return found


def _check(argument: str, rule: Rule) -> None:
    """Refuse a drop that has no direction, and a bound that every model keeps, or none.

    Errors:
        K176.
    """
    metric, bound = rule.metric, rule.bound
    low, high = metric.range
    least, most = (0.0, high - low) if rule.needs_baseline else (low, high)
    if rule.needs_baseline and metric.better is None:
        found = f"{argument} asks for a drop of {metric}, which is neither better high nor low"
        raise refused(found, "Give its bounds: min= or max= (--min, --max).")
    if rule.needs_baseline and bound < 0:
        do = "Give how much worse it may be: a number of at least 0."
        raise refused(f"{argument} of {metric} is {bound:g}", do)
    # No drop is larger than the whole range: such a rule would pass whatever comes.
    if not least <= bound <= most or (rule.needs_baseline and bound == most):
        do = f"Give a number between {least:g} and {most:g}: a share, not a percentage."
        raise refused(f"{argument} of {metric} is {bound:g}, which nothing can reach", do)


def _pairs(argument: str, values: Any) -> Iterable[tuple[Any, Any]]:
    if values is None:
        return []
    if isinstance(values, Mapping):
        return list(values.items())
    try:
        listed = [values] if isinstance(values, str) else list(values)
    except TypeError:
        listed = [values]
    pairs = []
    for item in listed:
        # The last sign: macro_f_beta(beta=2)=0.8 holds another.
        name, sign, number = item.rpartition("=") if isinstance(item, str) else ("", "", "")
        if not sign or not name.strip():
            raise refused(f"{argument} has {short(item)}", _WRITE)
        pairs.append((name.strip(), number.strip()))
    return pairs


def _number(argument: str, name: Any, given: Any) -> float:
    try:
        number = math.nan if isinstance(given, bool | bytes) else float(given)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise refused(f"{argument} of {name} is {short(given)}, not a number", _WRITE)
    return number


def refused(found: str, do: str) -> KaratError:
    """K176: rules and a baseline that cannot be used."""
    return error("K176", found=found, do=do)
