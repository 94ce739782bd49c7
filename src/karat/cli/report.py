"""`karat report`: from prediction files to every metric."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from karat.cli.options import (
    Described,
    bytes_of,
    columns_of,
    confidence_of,
    groups_of,
    intervals,
    labels_of,
    listed,
    said,
    shown_mapping,
    source_of,
    sources,
)
from karat.cli.outputs import (
    NAMES,
    OUTPUT_HELP,
    Format,
    check_outputs,
    format_of,
    refuse_inputs,
    write_result,
)

if TYPE_CHECKING:
    from karat.api.results import Report

__all__ = ["command", "shown"]


@click.command(
    "report",
    cls=Described,
    examples=(
        "karat report predictions.parquet",
        "karat report 'fold_*.csv' --where \"split = 'test'\" --positive spam",
        "karat report scored.csv --true y --prob 'p_*'",
        "karat report predictions.parquet --by country --by country,sex",
        "karat report clicks.parquet --prob p_click --threshold 0.2",
        "karat report predictions.parquet -o report.html",
        "karat report \"SELECT label, pred FROM 'a.parquet' WHERE country = 'NO'\"",
        "cat predictions.jsonl | karat report - --metrics mcc,macro_f1 --format json",
    ),
    no_args_is_help=True,
)
@sources
@click.option("--true", "true", metavar="COLUMN", help="Column of true labels.")
@click.option("--pred", "pred", metavar="COLUMN", help="Column of predicted labels.")
@click.option(
    "--prob",
    metavar="COLUMNS",
    help="Columns of probabilities: A,B,C in the order of the classes, a pattern 'p_*', or one; "
    "'' for none.",
)
@click.option("--score", metavar="COLUMNS", help="Columns of any other scores, likewise.")
@click.option(
    "--threshold",
    type=float,
    metavar="X",
    help="Predict the positive class of two from this probability or score on.",
)
@click.option(
    "--weight", "weight", metavar="COLUMN", help="Column of row weights; '' for none, though found."
)
@click.option(
    "--cluster",
    metavar="COLUMN",
    help="Column of a person, a patient, a session: its rows are not independent; '' for none.",
)
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="Slices by this column, A,B for the cross of two; again for more. Numbers are binned.",
)
@click.option("--where", metavar="SQL", help="Read only rows that meet this condition.")
@click.option(
    "--labels", metavar="A,B,C", help="The classes, in order; a JSON list where they hold commas."
)
@click.option("--positive", metavar="LABEL", help="The positive class of two; default: the last.")
@click.option(
    "--metrics", metavar="A,B", help="Only these metrics; 'all' lists every one in the text."
)
@click.option(
    "--undefined",
    type=click.Choice(["zero", "exclude", "nan"]),
    default="zero",
    show_default=True,
    help="What a class without a value counts as in an average.",
)
@click.option(
    "--nulls",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="What to do with rows that lack a label.",
)
@click.option(
    "--max-memory",
    metavar="SIZE",
    default="2GB",
    show_default=True,
    help="What scores of Parquet files may take; of more, distinct scores are counted.",
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write there how far the read of Parquet files is; the same command goes on from there.",
)
@click.option("--exact", is_flag=True, help="Read again what had to be put into buckets.")
@intervals
@click.option("--format", "format_", type=click.Choice(NAMES), help="Default: text.")
@click.option(
    "--threads", type=click.IntRange(min=1, max=4096), metavar="N", help="Default: all cores."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=OUTPUT_HELP,
)
def command(
    predictions: tuple[str, ...],
    true: str | None,
    pred: str | None,
    prob: str | None,
    score: str | None,
    threshold: float | None,
    weight: str | None,
    cluster: str | None,
    by: tuple[str, ...],
    where: str | None,
    labels: str | None,
    positive: str | None,
    metrics: str | None,
    undefined: Literal["zero", "exclude", "nan"],
    nulls: Literal["error", "drop"],
    max_memory: str,
    checkpoint: Path | None,
    exact: bool,
    level: str,
    method: str | None,
    side: str,
    design: str,
    seed: int,
    format_: str | None,
    threads: int | None,
    output: Path | None,
) -> None:
    """Every quality metric of prediction files.

    PREDICTIONS are Parquet, CSV, TSV, JSON or JSON lines (text also as .gz or .zst), globs,
    folders, - for standard input, or one SQL query. Columns are found by their usual names.
    """
    from karat.api.evaluation import report_of_table
    from karat.api.measuring import Spec
    from karat.cli.streams import ReadingBar
    from karat.metrics import get

    chosen = format_of(format_, output)
    check_outputs({"-o": output, "--checkpoint": checkpoint}, predictions, where)
    # A metric that does not exist is told before the data is read.
    names = None if metrics == "all" else listed(metrics)
    wanted = None if names is None else [get(name) for name in names]
    confidence = confidence_of(level, side, method, design, seed)
    columns = {
        "true": true,
        "pred": pred,
        "prob": columns_of(prob),
        "score": columns_of(score),
        "clusters": cluster,
    }
    options = {"labels": labels_of(labels), "positive": positive, "weights": weight}
    spec = Spec(
        None if wanted is None else tuple(wanted),
        undefined,
        confidence,
        threads,
        threshold,
        keeps_curves=chosen.name == "html",
    )
    with ReadingBar() as bar:
        report = report_of_table(
            source_of(predictions),
            columns,
            options,
            spec,
            nulls=nulls,
            where=where,
            labels_are_text=True,
            progress=bar,
            max_memory=bytes_of(max_memory),
            checkpoint=checkpoint,
            exact=exact,
            groups=groups_of(by),
        )
    # What was read is known for certain only now.
    refuse_inputs({"-o": output}, report.source.get("files", ()))
    # On a screen the text of the report says the warnings.
    is_seen = chosen.name == "text" and output is None and sys.stdout.isatty()
    tell(report, says_warnings=not is_seen)
    shown(report, chosen, output, lists_all=metrics == "all")


def tell(report: Report, *, says_warnings: bool = True) -> None:
    """Tell standard error what was read, and what the reader should know."""
    from karat.errors.text import counted

    mapping = shown_mapping(report.mapping, report.threshold)
    said(f"{mapping} ({counted(report.n_rows, 'row')})")
    for warning in report.warnings if says_warnings else ():
        said(f"Warning: {warning}")


def shown(
    report: Report, format_: Format, output: Path | None = None, *, lists_all: bool = False
) -> None:
    """Print a report, or write it to a file."""
    from karat.output.terminal import print_report

    metrics: Literal["headline", "all"] = "all" if lists_all else "headline"
    if output is not None:
        write_result(output, format_.of_report(report, metrics))
    elif format_.name == "text":
        print_report(report, sys.stdout, metrics=metrics)
    else:
        click.echo(format_.of_report(report, metrics))
