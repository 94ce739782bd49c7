"""What commands share: the arguments and options that name a source, its rows and its columns."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from karat.cli.streams import complain
from karat.errors import error

if TYPE_CHECKING:
    from karat.inference.confidence import Confidence

__all__ = [
    "Described",
    "bytes_of",
    "columns_given",
    "columns_of",
    "confidence_of",
    "groups_of",
    "intervals",
    "labels_of",
    "level_of",
    "listed",
    "options_given",
    "rows_options",
    "said",
    "shown_columns",
    "shown_mapping",
    "source_of",
    "sources",
]

Command = TypeVar("Command", bound=Callable[..., Any])


class Described(click.Command):
    """A command whose help ends with examples, each on its own line, never re-wrapped."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        del ctx
        write_examples(formatter, self.examples)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """Write command lines as they are to be typed."""
    if examples:
        with formatter.section("Examples"):
            for line in examples:
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")


def sources(function: Command) -> Command:
    """The argument PREDICTIONS… of a command."""
    return click.argument("predictions", nargs=-1, required=True, metavar="PREDICTIONS…")(function)


_INTERVALS = (
    click.option(
        "--level",
        metavar="X",
        default="0.95",
        show_default=True,
        help="The share of intervals that hold the true value; 'none' for no intervals.",
    ),
    click.option(
        "--method",
        type=click.Choice(["wald", "logit", "bootstrap", "bca", "bayesian"]),
        help="Of all intervals. Default: the best known for each metric.",
    ),
    click.option(
        "--side",
        type=click.Choice(["both", "low", "high"]),
        default="both",
        show_default=True,
        help="Both limits, or one.",
    ),
    click.option(
        "--design",
        type=click.Choice(["cohort", "case-control"]),
        default="cohort",
        show_default=True,
        help="Rows were drawn, or so many of each true class were chosen.",
    ),
    click.option(
        "--seed", type=int, default=0, show_default=True, metavar="N", help="Of methods that draw."
    ),
)


def intervals(function: Command) -> Command:
    """The options --level, --method, --side, --design and --seed of a command."""
    for option in reversed(_INTERVALS):
        function = option(function)
    return function


_NO_SIZE = 2.0**63
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


def bytes_of(text: str) -> int:
    """A number of bytes as ``500MB``, ``2GiB`` or ``1000000``.

    Errors:
        K122 it is none, or fewer than 1 MiB.
    """
    from karat.api.arguments import MIN_MEMORY

    found = _SIZE.fullmatch(text)
    if found is None:
        raise error(
            "K122",
            argument="--max-memory",
            value=text,
            choices="a size as 500MB or 2GiB",
            do="It is how many bytes rows with scores may take.",
        )
    number, unit, is_binary = found.groups()
    power = " kmgt".index(unit.lower() or " ")
    size = float(number) * (1024.0 if is_binary else 1000.0) ** power
    if not MIN_MEMORY <= size < _NO_SIZE:
        raise error(
            "K122",
            argument="--max-memory",
            value=text,
            choices="a size from 1MiB, below 8EiB",
            do="Give a unit, as 500MB or 2GiB: without one it is a number of bytes.",
        )
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


def confidence_of(
    level: str, side: str, method: str | None, design: str, seed: int
) -> Confidence | None:
    """What these options ask of every interval; None for no intervals.

    Errors:
        K122 a level or a seed that cannot be.
    """
    from karat.inference.confidence import Confidence

    return Confidence.of(level_of(level), side, method, design, seed)


def source_of(predictions: Sequence[str]) -> str | list[str]:
    """Return the source of a command: one text, which may be a query or ``-``, or several paths."""
    if not all(text.strip() for text in predictions):
        raise click.UsageError("One of PREDICTIONS is empty; name a file, a folder or a query.")
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


def shown_columns(names: Sequence[str]) -> str:
    """``proba_0…proba_9 (10)``; a single name as it is."""
    return names[0] if len(names) == 1 else f"{names[0]}…{names[-1]} ({len(names)})"


def shown_mapping(mapping: Mapping[str, Any], threshold: float | None = None) -> str:
    """``probabilities=proba_0…proba_9 (10), truth=label, pred=pred, weight=none``.

    Args:
        mapping: the column of each role; the list of columns of the probabilities or scores.
        threshold: from which probability or score on the positive class is predicted.
    """
    kinds = {"prob": "probability", "score": "score"}
    found = {role: mapping[role] for role in kinds if mapping.get(role)}
    scores = {"prob": "probabilities", "score": "scores"}
    parts = [f"{scores[role]}={shown_columns(names)}" for role, names in found.items()]
    roles = {"truth": "true", "pred": "pred", "weight": "weights"}
    columns = {shown: mapping.get(role) or "none" for shown, role in roles.items()}
    for role in found:
        if threshold is not None:
            columns["pred"] = f"{kinds[role]} from {threshold:g} on"
        elif not mapping.get("pred"):
            columns["pred"] = f"largest {kinds[role]}"
    if mapping.get("clusters"):
        columns["clusters"] = str(mapping["clusters"])
    parts += [f"{shown}={column}" for shown, column in columns.items()]
    return ", ".join(parts)


def said(text: str) -> None:
    """Tell standard error a sentence, its foreign text made harmless."""
    from karat.errors.text import harmless
    from karat.output.layout import plain_ascii
    from karat.output.terminal import shows_unicode

    shown = harmless(text)
    complain(shown if shows_unicode(sys.stderr) else plain_ascii(shown))


_OPTIONS = (
    click.option("--true", "true", metavar="COLUMN", help="Column of true labels."),
    click.option("--pred", "pred", metavar="COLUMN", help="Column of predicted labels."),
    click.option("--prob", metavar="COLUMNS", help="Columns of probabilities, as in karat report."),
    click.option("--score", metavar="COLUMNS", help="Columns of any other scores, likewise."),
    click.option(
        "--threshold",
        type=float,
        metavar="X",
        help="Predict the positive class of two from this probability or score on.",
    ),
    click.option("--weight", metavar="COLUMN", help="Column of row weights; '' for none."),
    click.option(
        "--cluster",
        metavar="COLUMN",
        help="Column of a person, a session: its rows are not independent; '' for none.",
    ),
    click.option(
        "--id",
        "id_",
        metavar="COLUMN",
        help="What rows are matched by. Default: id, sample_id, row_id …, else their order.",
    ),
    click.option(
        "--allow-mismatch", is_flag=True, help="Compare the rows that all have, and say how many."
    ),
    click.option("--where", metavar="SQL", help="Read only rows that meet this condition."),
    click.option("--labels", metavar="A,B,C", help="The classes, in order."),
    click.option(
        "--positive", metavar="LABEL", help="The positive class of two; default: the last."
    ),
    click.option(
        "--undefined",
        type=click.Choice(["zero", "exclude", "nan"]),
        default="zero",
        show_default=True,
        help="What a class without a value counts as in an average.",
    ),
    click.option(
        "--nulls",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        help="What to do with rows that lack a label.",
    ),
    click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals."),
    click.option(
        "--threads", type=click.IntRange(min=1, max=4096), metavar="N", help="Default: all cores."
    ),
)


def rows_options(function: Command) -> Command:
    """The options of `columns_given` and `options_given` on a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


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
        "by": by,
    }


def options_given(given: Mapping[str, Any]) -> dict[str, Any]:
    """How rows are read, as `read_rows` takes it."""
    return {
        "labels": labels_of(given["labels"]),
        "positive": given["positive"],
        "threshold": given["threshold"],
        "nulls": given["nulls"],
        "n_threads": given["threads"],
        "where": given["where"],
        "labels_are_text": True,
    }
