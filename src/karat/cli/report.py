"""`karat report`: from prediction files to every metric."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from karat.cli.judge import report_judged, tell_judged
from karat.cli.options import (
    Described,
    Words,
    output_options,
    record_options,
    request_of,
    shown_mapping,
    source_of,
    sources,
)
from karat.cli.outputs import FORMATS, check_outputs, format_of, is_on_screen, refuse_inputs, show
from karat.cli.streams import said, tell_warnings

if TYPE_CHECKING:
    from karat.api.report import Report


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
        "karat report answers.csv --true human --judge llm",
        "karat report \"SELECT label, pred FROM 'a.parquet' WHERE country = 'NO'\"",
        "cat predictions.jsonl | karat report - --metrics mcc,macro_f1 --format json",
    ),
    no_args_is_help=True,
)
@sources
@record_options("report")
@click.option(
    "--format", "format_", type=Words(list(FORMATS)), help="Output format. Default: text."
)
@output_options
def command(
    predictions: tuple[str, ...],
    format_: str | None,
    output: Path | None,
    title: str | None,
    **typed: Any,
) -> None:
    """Report every quality metric of prediction files.

    PREDICTIONS are Parquet, CSV, TSV, JSON or JSON lines (text also as .gz or .zst), globs,
    folders, - for standard input, or one SQL query. Columns are found by their usual names.
    """
    from karat.api.arguments import refuse_without_judge
    from karat.api.evaluation import spec_of
    from karat.api.table_reports import report_of_table
    from karat.cli.streams import ReadingBar
    from karat.data.listing import KEPT_ROWS

    chosen = format_of(format_, output, title)
    errors, checkpoint, threshold = typed["errors"], typed["checkpoint"], typed["threshold"]
    outputs = {"-o": output, "--errors": errors, "--checkpoint": checkpoint}
    check_outputs(outputs, predictions, typed["where"])
    request = request_of("report", "evaluate", typed)
    # A metric that does not exist is reported before the data is read.
    spec, request = spec_of(request)
    request = request.but(y_true=source_of(predictions))
    shown: Literal["headline", "all"] = "all" if request.metrics == "all" else "headline"
    refuse_without_judge(request)
    if request.judge is not None:
        found = report_judged(request)
        refuse_inputs({"-o": output}, found.source.get("files", ()))
        tell_judged(found, says_warnings=not is_on_screen(chosen, output))
        show(found, chosen, output, shown, title)
        return
    is_page, n_listed = chosen == "html", request.keep_rows
    if n_listed is None:
        n_listed = KEPT_ROWS if is_page else 0
    spec = replace(spec, keeps_curves=is_page, keep_rows=n_listed)

    def write(source: Any, found: Report) -> None:
        from karat.api.errors_file import write_errors
        from karat.errors.text import counted

        assert errors is not None
        # What was read is known for certain only now.
        refuse_inputs({"--errors": errors}, found.source.get("files", ()))
        try:
            n = write_errors(errors, source, threshold, request.n_threads)
        except OSError as problem:
            raise click.FileError(str(errors), problem.strerror or "unknown error") from None
        said(f"Wrote {errors} ({counted(n, 'wrong row')}).")

    with ReadingBar() as bar:
        report = report_of_table(
            request.but(progress=bar),
            spec,
            always_keeps=errors is not None or bool(request.keep_rows),
            then=None if errors is None else write,
        )
    # What was read is known for certain only now.
    refuse_inputs({"-o": output}, report.source.get("files", ()))
    tell(report, threshold, says_warnings=not is_on_screen(chosen, output))
    show(report, chosen, output, shown, title)


def tell(report: Report, threshold: float | None = None, *, says_warnings: bool = True) -> None:
    """Write the columns by role and the warnings of a report to standard error."""
    from karat.errors.text import counted
    from karat.output.describe_sets import split_of
    from karat.results.sets import SetReport

    of_sets = isinstance(report, SetReport)
    decided = {"of_sets": of_sets, "has_predictions": report.has_predictions}
    mapping = shown_mapping(report.mapping, threshold, **decided)
    said(f"{mapping} ({counted(report.n_rows, 'row')})")
    for line in split_of(report.source):
        said(line)
    tell_warnings(report.warnings if says_warnings else ())
