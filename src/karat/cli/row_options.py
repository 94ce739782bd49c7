"""The options that say which rows of which columns are read, as the commands share them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from karat.cli.options import Command, columns_of, labels_of

__all__ = ["columns_given", "options_given", "rows_options"]

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
