"""`Rule`: one thing that a gate asks of one metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from karat.errors import error, short
from karat.metrics import Metric, get

__all__ = ["AGAINST_BASELINE", "Kind", "Rule", "default_rules", "rules_of"]

Kind: TypeAlias = Literal["min", "max", "max-drop", "no-worse-than", "not-worse"]
AGAINST_BASELINE: Final[frozenset[Kind]] = frozenset({"max-drop", "no-worse-than", "not-worse"})
DEFAULTS: Final = ("accuracy", "macro_f1")
"""What is compared with a baseline when no rule says."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What is asked of a metric.

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
        return self.kind in AGAINST_BASELINE

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
    """What is compared with a baseline when no rule says."""
    return [Rule("not-worse", get(name)) for name in DEFAULTS]


def rules_of(**given: Any) -> list[Rule]:
    """Rules by kind, each a dict from metric to number or texts ``metric=number``.

    Args:
        given: ``min``, ``max``, ``max_drop`` and ``no_worse_than``.

    Errors:
        K176 what is given is no such thing, or a drop is asked of a metric without a better
        direction; K301 to K303 there is no such metric.
    """
    found: list[Rule] = []
    for argument, values in given.items():
        kind = _KINDS[argument]
        for name, number in _pairs(argument, values):
            rule = Rule(kind, get(name), _number(argument, name, number))
            if rule.needs_baseline and rule.metric.better is None:
                raise error(
                    "K176",
                    found=f"{argument} asks for a drop of {rule.metric}, which is neither better "
                    "high nor low",
                    do="Give its bounds: min= or max= (--min, --max).",
                )
            if rule.needs_baseline and rule.bound < 0:
                raise error(
                    "K176",
                    found=f"{argument} of {rule.metric} is {rule.bound:g}",
                    do="Give how much worse it may be: a number of at least 0.",
                )
            _check_reachable(argument, rule)
            found.append(rule)
    twice = next((rule for i, rule in enumerate(found) if _key(rule) in map(_key, found[:i])), None)
    if twice is not None:
        raise error(
            "K176",
            found=f"There are two rules {twice.kind} of {twice.metric}",
            do="Give one number for each metric.",
        )
    return found


_KINDS: Final[Mapping[str, Kind]] = {
    "min": "min", "max": "max", "max_drop": "max-drop", "no_worse_than": "no-worse-than",
}  # fmt: skip


def _check_reachable(argument: str, rule: Rule) -> None:
    """Refuse a bound that every model keeps, or none: as 95 where 0.95 is meant."""
    low, high = rule.metric.range
    least, most = (0.0, high - low) if rule.needs_baseline else (low, high)
    # No drop is larger than the whole range, so that such a rule would pass whatever comes.
    if least <= rule.bound <= most and not (rule.needs_baseline and rule.bound == most):
        return
    raise error(
        "K176",
        found=f"{argument} of {rule.metric} is {rule.bound:g}, which nothing can reach",
        do=f"Give a number between {least:g} and {most:g}: a share, not a percentage.",
    )


def _key(rule: Rule) -> tuple[str, str]:
    return rule.kind, str(rule.metric)


def _pairs(argument: str, values: Any) -> Iterable[tuple[Any, Any]]:
    if values is None:
        return []
    if isinstance(values, Mapping):
        return list(values.items())
    items = [values] if isinstance(values, str) else values
    try:
        listed = list(items)
    except TypeError:
        listed = [items]
    pairs = []
    for item in listed:
        # The last one: macro_f_beta(beta=2)=0.8 holds another.
        name, sign, number = item.rpartition("=") if isinstance(item, str) else ("", "", "")
        if not sign or not name.strip():
            raise error(
                "K176",
                found=f"{argument} has {short(item)}",
                do="Write metric=number, as macro_f1=0.8; in Python a dict from metric to number.",
            )
        pairs.append((name.strip(), number.strip()))
    return pairs


def _number(argument: str, name: Any, given: Any) -> float:
    try:
        number = math.nan if isinstance(given, bool | bytes) else float(given)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise error(
            "K176",
            found=f"{argument} of {name} is {short(given)}, not a number",
            do="Write metric=number, as macro_f1=0.8; in Python a dict from metric to number.",
        )
    return number
