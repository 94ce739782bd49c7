"""What does not go together: options that a verb does not take with a kind or a design of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from karat.errors import error
from karat.errors.options import option

Beside: TypeAlias = Literal["sets", "sets of arrays", "sets of a table", "judge", "looks"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One cell of the table.

    Attributes:
        verb: the verb; ``"any"``: each.
        beside: the kind or the design of the rows, or what else was asked for.
        option: the option.
        reason: why they do not go together.
        code: of the error.
        values: the values that are refused; none: every value but the default.
        do: what to do.
    """

    verb: str
    beside: Beside
    option: str
    reason: str
    code: str = "K222"
    values: tuple[Any, ...] = ()
    do: str = "Leave it out."


_COUNTS: Final = "Counts of sets have no state that such a read could go on from"
_ONE_FOLD: Final = "Folds of sets have no means over folds yet"
_MIX: Final = "A row has several labels, so that no class has a fixed number of rows"
_LOOKS: Final = "Intervals of sets hold for one look at the rows"
_NAMED: Final = "Labels of sets are shown by their own names"
_LISTED: Final = "Rows are not listed with a judge"
_IN_MEMORY: Final = "The rows are kept in memory"
_DRAWN: Final = ("bootstrap", "bca", "bayesian")
"""Methods that take replicates."""
_ONE_LOOK: Final = "What takes replicates, permutations or folds holds for one look"
_ONCE: Final = "Systems with a judge are compared on the same rows, one class a row, once"

TABLE: Final = (
    Refusal("evaluate", "sets of a table", "exact", "Scores of sets are not put into buckets"),
    Refusal("evaluate", "sets", "checkpoint", _COUNTS),
    Refusal("evaluate", "sets", "folds", _ONE_FOLD),
    Refusal("evaluate", "sets", "design", _MIX),
    Refusal("evaluate", "sets", "anytime", _LOOKS),
    Refusal("compare", "sets", "folds", _ONE_FOLD),
    Refusal("gate", "sets of arrays", "id", "Sets of arrays are matched by their order"),
    Refusal("gate", "sets of arrays", "by", "A gate of sets has no slices yet"),
    Refusal("gate", "sets", "with_rows", "A baseline of sets is the JSON of its report"),
    Refusal("gate", "sets", "folds", _ONE_FOLD),
    Refusal("gate", "sets", "anytime", _LOOKS),
    Refusal("Stream", "sets", "threshold", "Labels were given, and no scores that it could cut"),
    Refusal("Stream", "sets", "class_names", _NAMED),
    Refusal("Stream", "sets", "design", _MIX),
    Refusal("Stream", "sets", "weights_are", "Weights of sets are importance"),
    Refusal("Stream", "sets", "anytime", _LOOKS),
    Refusal("any", "sets of a table", "by", "A gate of sets has no slices yet"),
    Refusal("any", "sets of a table", "positive", "Every label of a set has its own positive"),
    Refusal("any", "sets of a table", "checkpoint", _COUNTS),
    *(
        Refusal("evaluate", "judge", name, reason, "K243")
        for name, reason in {
            "confusion": "A confusion matrix does not say which rows have a gold label",
            "by": "Slices have no estimates with a judge",
            "folds": "Folds have no estimates with a judge",
            "ids": _LISTED,
            "keep_rows": _LISTED,
            "errors": _LISTED,
            "separator": "Rows with sets of labels have no estimates with a judge",
            "checkpoint": _IN_MEMORY,
            "max_memory": _IN_MEMORY,
            "exact": _IN_MEMORY,
            "anytime": "Its intervals hold for one look at the rows",
            "nulls": "Rows without a gold label are kept, and every row needs a judge's label",
            "design": "Gold rows are a part of all rows",
        }.items()
    ),
    Refusal(
        "evaluate",
        "judge",
        "weights_are",
        "A row of weight 3 would have three gold labels",
        "K243",
        ("frequency",),
        "Repeat the rows.",
    ),
    Refusal(
        "evaluate",
        "judge",
        "level",
        "An estimate with a judge is chosen by its standard error",
        "K243",
        (None,),
        "Give a level, as 0.95.",
    ),
    Refusal(
        "evaluate",
        "judge",
        "method",
        "Intervals follow from the influence of each row",
        "K243",
        _DRAWN,
        "Leave it out, or 'wald'.",
    ),
    *(
        Refusal("compare", "judge", name, _ONCE, "K243")
        for name in (
            *("paired", "weights_are", "label_strata", "threshold", "separator", "anytime"),
            *("folds", "nulls"),
        )
    ),
    Refusal("any", "looks", "level", "There are no intervals without a level", "K237", (None,)),
    Refusal("any", "looks", "method", _ONE_LOOK, "K237", _DRAWN),
    Refusal("evaluate", "looks", "folds", _ONE_LOOK, "K237"),
    Refusal("compare", "looks", "folds", _ONE_LOOK, "K237"),
    Refusal("compare", "looks", "adjust", _ONE_LOOK, "K237", ("maxt",)),
    Refusal("gate", "looks", "folds", _ONE_LOOK, "K237"),
)


def refuse(verb: str, beside: Beside, chosen: Mapping[str, Any]) -> None:
    """Raise the error of the first cell of the table whose option is chosen.

    Args:
        chosen: the options that have another value than their default, by name.
    """
    for cell in TABLE:
        if cell.beside != beside or cell.verb not in ("any", verb) or cell.option not in chosen:
            continue
        value = chosen[cell.option]
        if cell.values and not any(value is each or _is_text(value, each) for each in cell.values):
            continue
        argument = option(cell.option)
        if cell.values and cell.code == "K237":
            # Texts of the command line, None in Python.
            argument = option(cell.option, value or "none").replace("'none'", "None")
        elif cell.values == (None,):
            argument = f"{cell.option}=None"
        facts: dict[str, str] = {"argument": argument}
        if cell.code == "K237":
            facts = {"found": argument}
        elif cell.code == "K243":
            facts |= {"found": cell.reason, "do": cell.do}
        raise error(cell.code, **facts)


def _is_text(value: Any, text: Any) -> bool:
    return isinstance(value, str) and isinstance(text, str) and str.__eq__(value, text)
