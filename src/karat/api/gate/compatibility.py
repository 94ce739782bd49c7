"""Whether a baseline may be compared: its classes, weights and intervals are those of the rows."""

from __future__ import annotations

from typing import TypeAlias

from karat.api.gate.measure import Asked
from karat.api.results import Report
from karat.data.rows import Rows
from karat.errors import error, short, shown
from karat.output.gate.baselines import Baseline

__all__ = ["check_classes", "check_level", "check_weights", "other_settings"]

Side: TypeAlias = Rows | Report


def check_classes(
    current: Side, before: Baseline | Report, name: str, *, allow_mismatch: bool
) -> None:
    """Refuse a baseline of other classes.

    Errors:
        K174.
    """
    now, then = current.classes.labels, before.classes.labels
    if set(now) != set(then) and not allow_mismatch:
        raise error(
            "K174",
            left="the predictions",
            left_classes=shown(now),
            right=name,
            right_classes=shown(then),
        )
    ours, theirs = (side.classes.positive for side in (current, before))
    is_same = ours is None or theirs is None or now[ours] == then[theirs]
    if not is_same and ours is not None and theirs is not None:
        raise error(
            "K176",
            found=f"The positive class is {now[ours]!r}, that of the baseline {then[theirs]!r}",
            do="Give the same positive= (--positive) to both.",
        )


def check_weights(current: Side, is_weighted: bool) -> None:
    """Refuse to compare rows that weigh something with rows that all weigh the same.

    Errors:
        K176.
    """
    are_weighted = (
        current.cells.is_weighted if isinstance(current, Report)
        else current.weights is not None
    )  # fmt: skip
    if are_weighted == is_weighted:
        return
    sides = ("The predictions have weights", "the baseline has none")
    if is_weighted:
        sides = ("The baseline has weights", "the predictions have none")
    mapping = {} if isinstance(current, Report) else current.mapping or {}
    column = mapping.get("weights")
    told = f" (column {short(column)})" if column else ""
    raise error(
        "K176",
        found=f"{sides[0]}{told}, {sides[1]}",
        do="Weigh both alike: weights= (--weight) names the column, '' is for none; a baseline "
        "is made anew with --update-baseline.",
    )


def check_level(side: Baseline | Report, what: str, asked: Asked) -> None:
    """Refuse intervals of another kind than those that are asked for.

    Errors:
        K176.
    """
    level, is_both = asked.level, True
    if isinstance(side, Baseline):
        level = side.settings.get("level", level)
    elif side.confidence is not None:
        level, is_both = side.confidence.level, side.confidence.side == "both"
    if level == asked.level and is_both:
        return
    told = f"has intervals at {level}" if is_both else "has limits on one side"
    raise error(
        "K176",
        found=f"{what} {told}; the gate asks for both limits at {asked.level:g}",
        do="Ask both for the same level= (--level), with side='both'.",
    )


def other_settings(before: Baseline, asked: Asked) -> list[str]:
    """What else may have changed a number, told."""
    now, then = asked.undefined, before.settings.get("undefined", asked.undefined)
    if now == then:
        return []
    return [f"The baseline was made with undefined={then!r}, these values with {now!r}."]
