"""Options of the public verbs: one of a few texts, or a number; anything else is K122."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Integral
from typing import Any, cast, get_args

from numpy import timedelta64

from karat.errors import KaratError, error, shown
from karat.errors.habits import instead_of
from karat.metrics._lift import Lift, Policy
from karat.metrics._record import Record
from karat.results.result import NotGiven


def unknown_choice(argument: str, value: Any, choices: str, do: str) -> KaratError:
    """K122: an option that is not what it may be."""
    return error("K122", argument=argument, value=value, choices=choices, do=do)


def plain_text(given: Any) -> str | None:
    """The text of a str or of a subclass of it, which may compare as it likes; None if it is none.

    An array is no text, though it may compare, element by element, with one.
    """
    return str.__str__(given) if isinstance(given, str) else None


def one_of(argument: str, value: Any, known: Collection[str | None], do: str) -> Any:
    """The option as plain text; one of the known, which may be None (K122)."""
    chosen = plain_text(value)
    if chosen not in known or (chosen is None and value is not None):
        do = instead_of(argument, value, known) + do
        raise unknown_choice(argument, value, shown(known), do)
    return chosen


def whole_number(
    argument: str, value: Any, do: str, least: int, most: float = math.inf, choices: str = ""
) -> int:
    """The option as a whole number from `least` to `most` (K122)."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool | timedelta64)
    if is_whole and least <= value <= most:
        return int(value)
    end = "" if most == math.inf else f" to {most}"
    raise unknown_choice(argument, value, choices or f"a whole number from {least}{end}", do)


def positive_number(value: Any) -> float | None:
    """The finite number above 0 that a value is; None if it is none."""
    try:
        found = math.nan if isinstance(value, bool | str | bytes) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) and found > 0.0 else None


def refuse_threshold(threshold: Any) -> None:
    """Refuse a threshold of rows without scores (K136)."""
    if threshold is not None:
        found = "There are no probabilities or scores"
        raise error("K136", threshold=threshold, found=found)


def check_policy(undefined: Any) -> Policy:
    """The policy for undefined values, as plain text (K122)."""
    do = "'zero' follows scikit-learn, 'exclude' leaves undefined classes out."
    return cast("Policy", one_of("undefined", undefined, get_args(Policy), do))


def lift_of(record: Record, fixed: Lift, average: Any, *, is_of_sets: bool = True) -> Lift:
    """The average of a metric's function (K122); K306 where its name carries one already.

    Args:
        is_of_sets: whether rows may have sets of labels, which have more averages.
    """
    if isinstance(average, NotGiven):
        return fixed
    if fixed != "plain" or not record.is_per_class:
        name = record.name if fixed == "plain" else record.lifted(fixed)
        raise error("K306", name=name, average=average)
    do = "None gives one value for each class."
    if plain_text(average) == "binary":
        do = "For one class leave it out: positive= names the class, where labels are not 0 and 1."
    known = record.averages_on_sets if is_of_sets else record.averages
    chosen = one_of("average", average, [None, *known], do)
    return "per_class" if chosen is None else cast("Lift", chosen)
