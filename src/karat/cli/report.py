"""`karat report`: from prediction files to every metric."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karat.cli.judge import judge_options, report_judged, tell_judged
from karat.cli.options import (
    Described,
    Words,
    bytes_of,
    choice,
    columns_of,
    groups_of,
    joined,
    labels_of,
    level_of,
    listed,
    options,
    shown_mapping,
    source_of,
    sources,
)
from karat.cli.outputs import (
    FILE,
    FORMATS,
    check_outputs,
    format_of,
    is_on_screen,
    refuse_inputs,
    show,
)
from karat.cli.streams import said, tell_warnings

if TYPE_CHECKING:
    from karat.api.results import Report


@click.command(
    "report",
    cls=Described,
    examples=(
        "karat report predictions.parquet",
        "karat report 'fold_*.csv' --where \"split = 'test'\" --positive spam",
        "karat report scored.csv --true y --prob 'p_*'",
        "karat report predictions.parquet --by country --by country,sex",
        "karat report predictions.parquet --folds fold",
        "karat report clicks.parquet --prob p_click --threshold 0.2",
        "karat report tags.csv --separator '|'",
        "karat report predictions.parquet -o report.html",
        "karat report predictions.parquet --errors errors.csv",
        "karat report answers.csv --gold human --judge llm",
        "karat report \"SELECT label, pred FROM 'a.parquet' WHERE country = 'NO'\"",
        "cat predictions.jsonl | karat report - --metrics mcc,macro_f1 --format json",
    ),
    no_args_is_help=True,
)
@sources
@options("true", "pred")
@click.option(
    "--prob",
    metavar="COLUMNS",
    help="Columns of probabilities: A,B,C in the order of the classes, a pattern 'p_*', or one; "
    "'' for none.",
)
@options("score", "threshold")
@click.option(
    "--weight", metavar="COLUMN", help="Column of row weights; '' ignores one that is found."
)
@click.option(
    "--cluster",
    metavar="COLUMN",
    help="Column of clusters (person, patient, session): rows of one are dependent; '' for none.",
)
@click.option(
    "--id", "id_", metavar="COLUMN", help="Column of unique row ids; '' ignores one that is found."
)
@options("separator", "by", "folds", "where")
@click.option(
    "--labels", metavar="A,B,C", help="The classes, in order; a JSON list where they hold commas."
)
@options("positive")
@click.option(
    "--metrics",
    metavar="A,B",
    multiple=True,
    callback=joined,
    help="Compute only these metrics; 'all' lists every metric in the text.",
)
@options("undefined", "nulls")
@click.option(
    "--max-memory",
    metavar="SIZE",
    default="2GB",
    show_default=True,
    help="Memory for rows with scores; beyond it, distinct scores are counted.",
)
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Save the progress of reading Parquet files; the same command resumes from it.",
)
@click.option(
    "--exact", is_flag=True, help="Read the data again where scores were put into buckets."
)
@click.option(
    "--level",
    metavar="X",
    default="0.95",
    show_default=True,
    help="Confidence level of the intervals; 'none' for no intervals.",
)
@click.option(
    "--method",
    type=Words(["wald", "logit", "bootstrap", "bca", "bayesian"]),
    help="Method of all intervals. Default: the best known for each metric.",
)
@choice("--side", ["both", "low", "high"], "Two-sided or one-sided intervals.")
@choice(
    "--design",
    ["cohort", "case-control"],
    "Sampling: random rows, or a fixed number of each true class.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Seed of resampling methods.",
)
@click.option(
    "--format", "format_", type=Words(list(FORMATS)), help="Output format. Default: text."
)
@click.option(
    "--keep-rows",
    type=click.IntRange(min=0, max=10_000),
    metavar="N",
    help="List the N most wrong rows of each cell, bin and slice, in pages and JSON. Default: 20 "
    "for pages, else 0.",
)
@click.option(
    "--errors",
    type=FILE,
    metavar="FILE",
    help="Write every wrong row to FILE as CSV: its id or number, classes and scores.",
)
@judge_options
@options("anytime", "threads", "output")
def command(
    predictions: tuple[str, ...],
    metrics: str | None,
    threshold: float | None,
    where: str | None,
    checkpoint: Path | None,
    format_: str | None,
    errors: Path | None,
    output: Path | None,
    **given: Any,
) -> None:
    """Report every quality metric of prediction files.

    PREDICTIONS are Parquet, CSV, TSV, JSON or JSON lines (text also as .gz or .zst), globs,
    folders, - for standard input, or one SQL query. Columns are found by their usual names.
    """
    from karat.api.evaluation import report_of_table
    from karat.api.measuring import Spec
    from karat.cli.streams import ReadingBar
    from karat.data.labels.separated import checked_separator
    from karat.data.listing import KEPT_ROWS
    from karat.inference.confidence import Confidence
    from karat.metrics import get

    chosen = format_of(format_, output)
    outputs = {"-o": output, "--errors": errors, "--checkpoint": checkpoint}
    check_outputs(outputs, predictions, where)
    # A metric that does not exist is reported before the data is read.
    names = None if metrics == "all" else listed(metrics)
    wanted = None if names is None else tuple(get(name) for name in names)
    asked = {name: given[name] for name in ("side", "method", "design", "seed", "anytime")}
    confidence = Confidence.of(level_of(given["level"]), **asked)
    columns = {
        "true": given["true"],
        "pred": given["pred"],
        "prob": columns_of(given["prob"]),
        "score": columns_of(given["score"]),
        "clusters": given["cluster"],
        "unique": given["id_"],
        "folds": given["folds"],
        "separator": checked_separator(given["separator"]),
    }
    classes = {"labels": labels_of(given["labels"]), "positive": given["positive"]}
    if given["judge"] is not None or given["gold"] is not None:
        beside = {
            "metrics": wanted,
            "threshold": threshold,
            "where": where,
            "exact": given["exact"],
        }
        beside |= {"checkpoint": checkpoint, "errors": errors}
        found = report_judged(source_of(predictions), columns, classes, {**given, **beside})
        refuse_inputs({"-o": output}, found.source.get("files", ()))
        tell_judged(found, says_warnings=not is_on_screen(chosen, output))
        show(found, chosen, output, "all" if metrics == "all" else "headline")
        return
    is_page = chosen == "html"
    policy, n_threads = given["undefined"], given["threads"]
    keep_rows = given["keep_rows"]
    if keep_rows is None:
        keep_rows = KEPT_ROWS if is_page else 0
    asked_of_rows = (n_threads, threshold, is_page)
    spec = Spec(wanted, policy, confidence, *asked_of_rows, keep_rows=keep_rows)

    def write(source: Any, found: Report) -> None:
        from karat.api.errors_file import write_errors
        from karat.errors.text import counted

        assert errors is not None
        # What was read is known for certain only now.
        refuse_inputs({"--errors": errors}, found.source.get("files", ()))
        try:
            n = write_errors(errors, source, threshold, n_threads)
        except OSError as problem:
            raise click.FileError(str(errors), problem.strerror or "unknown error") from None
        said(f"Wrote {errors} ({counted(n, 'wrong row')}).")

    with ReadingBar() as bar:
        report = report_of_table(
            source_of(predictions),
            columns,
            {**classes, "weights": given["weight"]},
            spec,
            nulls=given["nulls"],
            where=where,
            labels_are_text=True,
            progress=bar,
            max_memory=bytes_of(given["max_memory"]),
            checkpoint=checkpoint,
            exact=given["exact"],
            groups=groups_of(given["by"]),
            always_keeps=errors is not None or bool(given["keep_rows"]),
            then=None if errors is None else write,
        )
    # What was read is known for certain only now.
    refuse_inputs({"-o": output}, report.source.get("files", ()))
    tell(report, threshold, says_warnings=not is_on_screen(chosen, output))
    show(report, chosen, output, "all" if metrics == "all" else "headline")


def tell(report: Report, threshold: float | None = None, *, says_warnings: bool = True) -> None:
    """Write the columns by role and the warnings of a report to standard error."""
    from karat.errors.text import counted
    from karat.output.describe_sets import split_of
    from karat.results.sets import SetReport

    of_sets = isinstance(report, SetReport)
    mapping = shown_mapping(report.mapping, threshold, of_sets=of_sets)
    said(f"{mapping} ({counted(report.n_rows, 'row')})")
    for line in split_of(report.source):
        said(line)
    tell_warnings(report.warnings if says_warnings else ())
