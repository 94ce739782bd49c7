"""Arguments and options that commands share: they name a source, its rows and its columns."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from karat.cli.outputs import FILE, OUTPUT_HELP

Command = TypeVar("Command", bound=Callable[..., Any])
if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice
"""click 8.1 has no types of choices."""


class Described(click.Command):
    """A command whose help ends with examples, each on its own line, never re-wrapped."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples: tuple[str, ...] = tuple(examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; of an option of another library the error names the one of karat."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as problem:
            from karat.errors.habits import option_word

            known = [name for parameter in self.params for name in parameter.opts]
            word = option_word(problem.option_name, known)
            if word is not None:
                message = f"{problem.message} {word}."
                raise click.NoSuchOption(problem.option_name, message, ctx=ctx) from None
            raise

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        del ctx
        if self.examples:
            with formatter.section("Examples"):
                for line in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")


WRONG_INPUT = 2
"""Exit code of wrong usage or input, and of a question that is open."""


def sources(function: Command) -> Command:
    """The argument PREDICTIONS… of a command."""
    return click.argument("predictions", nargs=-1, required=True, metavar="PREDICTIONS…")(function)


class Words(_Choice):
    """One of a few words; of a slip the error names the word that is meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as problem:
            from karat.errors.habits import meant_choice

            word = meant_choice(value, self.choices)
            self.fail(problem.message + (f" Did you mean {word!r}?" if word else ""), param, ctx)


def choice(name: str, choices: Sequence[str], said: str) -> Callable[[Command], Command]:
    """An option that is one of these words, by default the first."""
    kind = Words(choices)
    return click.option(name, type=kind, default=choices[0], show_default=True, help=said)


_OPTIONS = {
    "true": click.option("--true", metavar="COLUMN", help="Column of true labels."),
    "pred": click.option("--pred", metavar="COLUMN", help="Column of predicted labels."),
    "prob": click.option(
        "--prob", metavar="COLUMNS", help="Columns of probabilities, as in karat report."
    ),
    "score": click.option(
        "--score", metavar="COLUMNS", help="Columns of other scores, in the same forms."
    ),
    "threshold": click.option(
        "--threshold",
        type=float,
        metavar="X",
        help="Predict the positive class of two, or each label of a set, at or above this "
        "probability or score.",
    ),
    "weight": click.option(
        "--weight", metavar="COLUMN", help="Column of row weights; '' for none."
    ),
    "cluster": click.option(
        "--cluster",
        metavar="COLUMN",
        help="Column of clusters (person, session): rows of one are dependent; '' for none.",
    ),
    "id": click.option(
        "--id",
        "id_",
        metavar="COLUMN",
        help="Column to match rows by. Default: id, sample_id, row_id …, else their order.",
    ),
    "allow-mismatch": click.option(
        "--allow-mismatch",
        is_flag=True,
        help="Compare only the rows that all have, and report how many.",
    ),
    "by": click.option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="Column of slices, or A,B for the cross of two. Repeatable. Numbers are binned.",
    ),
    "folds": click.option(
        "--folds",
        metavar="COLUMN",
        help="Column of folds of cross-validation, or auto: by its name. A column repeat beside it "
        "is read too.",
    ),
    "where": click.option(
        "--where", metavar="SQL", help="Read only rows that meet this condition."
    ),
    "separator": click.option(
        "--separator",
        metavar="TEXT",
        help="Separator of the labels in a text with several, e.g. '|'.",
    ),
    "labels": click.option("--labels", metavar="A,B,C", help="The classes, in order."),
    "positive": click.option(
        "--positive",
        metavar="LABEL",
        help="The positive class of two; default: the larger of 0/1, false/true, -1/1.",
    ),
    "undefined": choice(
        "--undefined", ["zero", "exclude", "nan"], "How averages treat a class without a value."
    ),
    "nulls": choice("--nulls", ["error", "drop"], "Treatment of rows without a label."),
    "level": click.option(
        "--level",
        type=float,
        default=0.95,
        show_default=True,
        help="Confidence level of the intervals.",
    ),
    "anytime": click.option(
        "--anytime",
        type=int,
        metavar="N",
        help="Intervals and p-values for every look at rows that keep coming; N is the planned "
        "number of rows, fixed before the first look.",
    ),
    "threads": click.option(
        "--threads",
        type=click.IntRange(min=1, max=4096),
        metavar="N",
        help="Number of threads. Default: all cores.",
    ),
    "output": click.option("-o", "--output", type=FILE, metavar="FILE", help=OUTPUT_HELP),
}


def options(*names: str) -> Callable[[Command], Command]:
    """The options of these names, in this order."""

    def with_options(function: Command) -> Command:
        for name in reversed(names):
            function = _OPTIONS[name](function)
        return function

    return with_options


def rows_options(function: Command) -> Command:
    """The options of `columns_given` and `options_given` on a command."""
    of_reports = ("by", "output")
    return options(*(name for name in _OPTIONS if name not in of_reports))(function)


_NO_SIZE = 2.0**63
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


def bytes_of(text: str) -> int:
    """A number of bytes as ``500MB``, ``2GiB`` or ``1000000`` (K122), at least 1 MiB."""
    from karat.api.arguments import MIN_MEMORY
    from karat.api.options import unknown_choice

    found = _SIZE.fullmatch(text)
    if found is None:
        do = "It limits the memory for rows with scores."
        raise unknown_choice("max_memory", text, "a size as 500MB or 2GiB", do)
    number, unit, is_binary = found.groups()
    power = " kmgt".index(unit.lower() or " ")
    size = float(number) * (1024.0 if is_binary else 1000.0) ** power
    if not MIN_MEMORY <= size < _NO_SIZE:
        do = "Without a unit, as in 500MB or 2GiB, it is a number of bytes."
        raise unknown_choice("max_memory", text, "a size from 1MiB, below 8EiB", do)
    return int(size)


def level_of(text: str) -> float | None:
    """The confidence level that is asked for; None for ``none``."""
    if text.strip().lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is neither a number nor 'none'.", param_hint="--level"
        ) from None


_OPERATORS = ("=", "==", "!=", "<>", "<", ">", "<=", ">=", "AND", "OR", "IN", "LIKE", "IS", "NOT")


def source_of(predictions: Sequence[str]) -> str | list[str]:
    """Return the source of a command: one text, which may be a query or ``-``, or several paths."""
    if not all(text.strip() for text in predictions):
        raise click.UsageError("One of PREDICTIONS is empty; name a file, a folder or a query.")
    operator = next((text for text in predictions if text in _OPERATORS), None)
    if operator is not None:
        found = f"One of PREDICTIONS is {operator!r}: a condition with blanks needs quotes, as"
        raise click.UsageError(f"""{found} --where "country = 'DK'".""")
    if "-" in predictions and sys.stdin is None:
        raise click.UsageError("Standard input is closed, so there is nothing to read from -.")
    return predictions[0] if len(predictions) == 1 else list(predictions)


def listed(text: str | None) -> list[str] | None:
    """The items of ``a,b,c``; commas inside brackets and parentheses do not separate."""
    if text is None:
        return None
    items, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            items.append(text[start:place])
            start = place + 1
    return [item.strip() for item in [*items, text[start:]]]


def joined(ctx: click.Context, parameter: click.Parameter, given: Sequence[str]) -> str | None:
    """One text of an option that is a list and may be repeated; None where it is not given."""
    del ctx, parameter
    return ",".join(given) if given else None


def is_typed(name: str) -> bool:
    """Return whether an option is on the command line; otherwise it has its default."""
    context = click.get_current_context(silent=True)
    source = None if context is None else context.get_parameter_source(name)
    return source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT")


def labels_of(text: str | None) -> list[str] | None:
    """The labels of ``a,b,c``, or of the JSON list ``["a, b", "c"]`` where they hold commas."""
    if text is not None and text.lstrip().startswith("["):
        import json

        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list) and all(isinstance(item, str | int) for item in found):
            return [item if isinstance(item, str) else json.dumps(item) for item in found]
    return listed(text)


def columns_of(text: str | None) -> str | list[str] | None:
    """Columns of scores: one name or pattern, several in order, or ``""`` for none."""
    names = labels_of(text)
    return names[0] if names is not None and len(names) == 1 else names


def groups_of(by: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The columns of slices, and crosses of several: ``A,B``."""
    found = [tuple(labels_of(text) or ()) for text in by]
    for text, names in zip(by, found, strict=True):
        if not names or len(set(names)) < len(names):
            raise click.BadParameter(f"{text!r} names no column, or one twice.", param_hint="--by")
    return tuple(dict.fromkeys(found))


def shown_mapping(
    mapping: Mapping[str, Any], threshold: float | None = None, *, of_sets: bool = False
) -> str:
    """Return the columns by role in one line, as a report shows them."""
    from karat.output.describe import shown_mapping as shown

    return shown(mapping, threshold, of_sets=of_sets)


def columns_given(given: Mapping[str, Any], by: str | None = None) -> dict[str, Any]:
    """The column of each role, as `read_rows` takes them."""
    return {
        "true": given["true"],
        "pred": given["pred"],
        "prob": columns_of(given["prob"]),
        "score": columns_of(given["score"]),
        "weights": given["weight"],
        "clusters": given["cluster"],
        "ids": given["id_"],
        "folds": given["folds"],
        "by": by,
    }


def options_given(given: Mapping[str, Any]) -> dict[str, Any]:
    """Options of reading rows, as `read_rows` takes them."""
    from karat.data.labels.separated import checked_separator

    return {
        "separator": checked_separator(given["separator"]),
        "labels": labels_of(given["labels"]),
        "positive": given["positive"],
        "threshold": given["threshold"],
        "nulls": given["nulls"],
        "n_threads": given["threads"],
        "where": given["where"],
        "labels_are_text": True,
    }
