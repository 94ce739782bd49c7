"""What does not go together: options that a verb does not take with a kind or a design of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from karat.errors import KaratError, error
from karat.errors.options import option

Kind: TypeAlias = Literal[
    "sets", "sets of arrays", "sets of a table", "a report", "reports", "described data", "arrays"
]
Design: TypeAlias = Literal[
    "judge",
    "looks",
    "slices",
    "listed rows",
    "models on different rows",
    "nested folds",
    "score histograms",
    "counted weights",
]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One cell of the table.

    Attributes:
        verb: the verb; ``"any"``: each.
        beside: the kind or the design of the rows, or what else was asked for.
        option: the option; empty: the verb has no such rows at all.
        reason: why they do not go together.
        code: of the error.
        values: the values that are refused; none: every value but the default.
        found: what the error says was found, where that is not the reason.
        do: what to do.
        signed: why no mechanism can fill the cell: `BY_DEFINITION`, a citation, or a simulation of
            the project; empty: a hole, which one should fill.
    """

    verb: str
    beside: Kind | Design
    option: str
    reason: str
    code: str = "K222"
    values: tuple[Any, ...] = ()
    do: str = "Leave it out."
    found: str = ""
    signed: str = ""

    def facts(self, argument: str) -> dict[str, str]:
        """Return the facts of the error about an option as the user types it."""
        names = "by", "keep_rows", "max_memory"
        named = {"option": argument, **{name: option(name) for name in names}}
        found, do = (self.found or self.reason).format(**named), self.do.format(**named)
        match self.code:
            case "K222":
                return {"argument": argument}
            case "K237":
                return {"found": argument}
            case "K243" | "K264" | "K455":
                return {"argument": argument, "found": found, "do": do}
            case "K160":
                return {"argument": argument, "report": self.beside, "found": found, "do": do}
        return {"found": found, "do": do}


BY_DEFINITION: Final = "by definition"
_REPEATED: Final = "Armitage, McPherson & Rowe 1969, J. R. Stat. Soc. A 132(2)"
"""What holds for a fixed number of rows does not hold at each of many looks."""
_COUNTS: Final = "Counts of sets cannot be saved and resumed"
_ONE_FOLD: Final = "Sets of labels have no means over folds yet"
_MIX: Final = "A row has several labels, so that no class has a fixed number of rows"
_LOOKS: Final = "Intervals of sets hold for one look at the rows"
_NAMED: Final = "Labels of sets have no display names"
_LISTED: Final = "Rows are not listed with a judge"
_IN_MEMORY: Final = "The rows are kept in memory"
_DRAWN: Final = ("bootstrap", "bca", "bayesian")
"""Methods that take replicates."""
_ONE_LOOK: Final = "Methods that use replicates, permutations or folds are valid for one look only"
_ONCE: Final = (
    "With a judge, systems are compared on the same rows, with one class per row, at one look"
)
_COUNTED: Final = "Reports have counted their rows"
_EVERY_MODEL: Final = "Give y_true and the predictions of every model for it."
_ONE_RULE: Final = "A rule is about slices or about folds"
_WITH_BY: Final = "{option} judges means over folds, and {by} was given"
_OF_REPORT: Final = "{option} judges means over folds, and a report was given"
_ALONE: Final = "Give rows and {option} alone: a rule is about slices or about folds."

_OF_ROWS: Final = ("weights", "clusters", "folds", "threshold", "id")
_WITHOUT: Final = "Describe the data without {option}."
_DESCRIBED: Final = (
    (
        "Monitor.add",
        "labels positive threshold",
        "A monitor has the same {option} for every batch",
        "Give it to karat.Monitor, and describe the data without it.",
    ),
    ("Monitor.add", "folds", "A monitor has no folds", _WITHOUT),
    (
        "Stream.update",
        "labels positive threshold",
        "A stream has the same {option} for every batch",
        "Give it to karat.Stream, and describe the data without it.",
    ),
    ("Stream.update", "clusters folds", "A stream keeps neither clusters nor folds", _WITHOUT),
    ("Stream.update", "nulls", "A stream leaves out no rows", _WITHOUT),
    ("Stream.update", "separator", "A stream does not split text", _WITHOUT),
    ("compare", "nulls", "Models are compared on all rows", _WITHOUT),
    ("find_weak_slices", "folds", "A search has no folds", _WITHOUT),
    ("find_weak_slices", "separator", "Rows with sets of labels are not searched", _WITHOUT),
)
"""Verb, options that it lacks, why, and what to do, of data that `karat.read` described."""

_NOT_BY_CLASS: Final[tuple[tuple[Design, str, str], ...]] = (
    (
        "score histograms",
        "Beyond the memory limit, losses of rows with scores are not kept for each class",
        "Give a larger {max_memory}, or weights of the rows.",
    ),
    (
        "counted weights",
        "The weights count rows, and weighting to a prevalence gives fractions of rows",
        "Repeat the rows, or give the weights without karat.Frequency.",
    ),
)
"""What cannot be weighted by true class, why, and what to do."""

TABLE: Final = (
    Refusal("evaluate", "sets of a table", "exact", "Scores of sets are not put into buckets"),
    Refusal("evaluate", "sets", "checkpoint", _COUNTS),
    Refusal("evaluate", "sets", "folds", _ONE_FOLD),
    Refusal("evaluate", "sets", "sampling", _MIX, signed=BY_DEFINITION),
    Refusal("evaluate", "sets", "anytime", _LOOKS),
    Refusal(
        "evaluate",
        "listed rows",
        "checkpoint",
        "A checkpoint does not contain rows",
        "K236",
        found="{option} was given",
        do="Leave out {keep_rows}, or {option}: a checkpoint does not contain rows.",
    ),
    Refusal(
        "evaluate",
        "nested folds",
        "prevalence",
        "Nested cross-validation has no weights yet",
        "K264",
        do="Leave out the holdout, or the prevalence.",
    ),
    *(
        Refusal("any", beside, "prevalence", reason, "K264", do=do)
        for beside, reason, do in _NOT_BY_CLASS
    ),
    Refusal("compare", "sets", "folds", _ONE_FOLD),
    Refusal("compare", "sets", "anytime", "Rows have sets of labels", "K238", do=_EVERY_MODEL),
    Refusal(
        "compare",
        "models on different rows",
        "anytime",
        "The models are on different rows",
        "K238",
        do=_EVERY_MODEL,
    ),
    Refusal(
        "compare",
        "models on different rows",
        "id",
        "Values of models on different rows are not matched",
        "K455",
        do="Give a table of each model: karat.compare({{'old': old, 'new': new}}, {option}'id').",
    ),
    *(
        Refusal(
            "compare",
            "reports",
            name,
            _COUNTED,
            "K160",
            found="{option} was given with reports, which have counted their rows",
            do="Give it to karat.evaluate, or compare y_true and y_pred with {option}.",
            signed=BY_DEFINITION if name in _OF_ROWS else "",
        )
        for name in (*("weights", "clusters", "folds", "labels", "positive", "threshold"), "id")
    ),
    Refusal("gate", "sets of arrays", "id", "Sets of arrays are matched by their order"),
    Refusal("gate", "sets of arrays", "by", "A gate of sets has no slices yet"),
    Refusal("gate", "sets", "keep_rows", "A baseline of sets is the JSON of its report"),
    Refusal("gate", "sets", "folds", _ONE_FOLD),
    Refusal("gate", "sets", "anytime", _LOOKS),
    Refusal("gate", "slices", "folds", _ONE_RULE, "K176", found=_WITH_BY, do=_ALONE),
    Refusal("gate", "a report", "folds", _ONE_RULE, "K176", found=_OF_REPORT, do=_ALONE),
    *(
        Refusal(
            "gate",
            "a report",
            name,
            "A report does not hold its rows",
            "K160",
            found="A report was given with {option}",
            do="Give the rows: a report does not hold them.",
            signed=BY_DEFINITION if name == "keep_rows" else "",
        )
        for name in ("by", "keep_rows")
    ),
    Refusal(
        "Monitor",
        "sets",
        "",
        "Rows have sets of labels",
        "K238",
        do="A monitor reads rows with one class each.",
    ),
    Refusal(
        "Stream",
        "sets",
        "threshold",
        "Labels were given, and no scores to compare with it",
        signed=BY_DEFINITION,
    ),
    Refusal("Stream", "sets", "class_names", _NAMED),
    Refusal("Stream", "sets", "sampling", _MIX, signed=BY_DEFINITION),
    Refusal("Stream", "sets", "weights_are", "Weights of sets are importance weights"),
    Refusal("Stream", "sets", "anytime", _LOOKS),
    Refusal("any", "sets of a table", "by", "A gate of sets has no slices yet"),
    Refusal(
        "any",
        "sets of a table",
        "positive",
        "Every label of a set is its own positive class",
        signed=BY_DEFINITION,
    ),
    Refusal("any", "sets of a table", "checkpoint", _COUNTS),
    Refusal(
        "evaluate",
        "judge",
        "confusion",
        "A confusion matrix does not show which rows have a gold label",
        "K243",
        signed=BY_DEFINITION,
    ),
    *(
        Refusal("evaluate", "judge", name, reason, "K243")
        for name, reason in {
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
        }.items()
    ),
    *(
        Refusal("evaluate", "judge", name, reason, "K243", signed=BY_DEFINITION)
        for name, reason in {
            "nulls": "Rows without a gold label are kept, and every row needs a judge's label",
            "sampling": "Gold rows are a part of all rows",
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
        signed=BY_DEFINITION,
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
            *("folds", "nulls", "id"),
        )
    ),
    Refusal(
        "any",
        "arrays",
        "text",
        "It names columns of data, and the rows are values",
        "K455",
        do="Leave it out, and give codes as text: values.astype(str).",
        signed=BY_DEFINITION,
    ),
    Refusal(
        "any",
        "arrays",
        "decimal",
        "It is about numbers in CSV files, and the rows are values",
        "K455",
        do="Leave it out, and convert texts to numbers first.",
        signed=BY_DEFINITION,
    ),
    *(
        Refusal(verb, "described data", name, reason, "K455", do=do)
        for verb, names, reason, do in _DESCRIBED
        for name in names.split()
    ),
    Refusal(
        "any",
        "looks",
        "level",
        "There are no intervals without a level",
        "K237",
        (None,),
        signed=BY_DEFINITION,
    ),
    Refusal("any", "looks", "method", _ONE_LOOK, "K237", _DRAWN, signed=_REPEATED),
    Refusal("compare", "looks", "adjust", _ONE_LOOK, "K237", ("maxt",), signed=_REPEATED),
    *(
        Refusal(verb, "looks", "folds", _ONE_LOOK, "K237")
        for verb in ("evaluate", "compare", "gate")
    ),
)
"""Cells of one verb and one kind or design stand in the order in which they are refused."""


def refuse(verb: str, beside: Kind | Design, chosen: Mapping[str, Any]) -> None:
    """Raise the error of the first cell of the table whose option is chosen.

    Args:
        chosen: the options that have another value than their default, by name.
    """
    for cell in TABLE:
        if cell.beside != beside or cell.verb not in ("any", verb):
            continue
        if cell.option not in chosen:
            continue
        value = chosen[cell.option]
        if cell.values and not any(value is each or _is_text(value, each) for each in cell.values):
            continue
        argument = option(cell.option)
        if cell.values and beside == "looks":
            # Texts of the command line, None in Python.
            argument = option(cell.option, value or "none").replace("'none'", "None")
        elif cell.values == (None,):
            argument = f"{cell.option}=None"
        raise error(cell.code, **cell.facts(argument))


def refusal(verb: str, beside: Kind | Design, name: str = "") -> KaratError:
    """Return the error of a cell: of rows that a verb does not take with an option, or at all."""
    (cell,) = (x for x in TABLE if (x.verb, x.beside, x.option) == (verb, beside, name))
    return error(cell.code, **cell.facts(option(name) if name else ""))


def _is_text(value: Any, text: Any) -> bool:
    return isinstance(value, str) and isinstance(text, str) and str.__eq__(value, text)
