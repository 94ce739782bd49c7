"""`karat gate`: pass or fail, for continuous integration."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from karat.cli.options import (
    Described,
    Words,
    record_options,
    request_of,
    shown_mapping,
    source_of,
    sources,
)
from karat.cli.outputs import FILE, check_outputs, is_on_screen, write_file
from karat.cli.streams import complain, said, tell_warnings
from karat.errors import KaratError

if TYPE_CHECKING:
    from karat.results.gate.result import GateResult

_FORMATS = ["text", "json", "markdown"]


@click.command(
    "gate",
    cls=Described,
    examples=(
        "karat gate predictions.parquet --min macro_f1=0.80 --evidence low",
        "karat gate new.parquet --baseline old.parquet",
        "karat gate new.csv --baseline old.csv --max-drop macro_f1=0.01 --by country",
        "karat gate new.csv --baseline base.json --no-worse-than accuracy=0.01",
        "karat gate old.csv --update-baseline base.json --by country",
        "karat gate new.csv --baseline base.json --by country --inconclusive pass",
        "karat gate new_tags.csv --baseline old_tags.csv --separator '|'",
    ),
    no_args_is_help=True,
)
@sources
@record_options("gate", first="RuleOptions")
@click.option("--junit", type=FILE, metavar="FILE", help="Write JUnit XML.")
@click.option("--markdown", type=FILE, metavar="FILE", help="Write Markdown.")
@click.option("--format", "format_", type=Words(_FORMATS), default="text")
def command(
    predictions: tuple[str, ...],
    junit: Path | None,
    markdown: Path | None,
    format_: str,
    **typed: Any,
) -> int:
    """Check that predictions are good enough and no worse than before.

    Exit code 0: PASS, a baseline was written without a rule, or --warn-only. 1: FAIL: a rule
    failed, or its metric is undefined. 2: wrong usage or input. 3: INCONCLUSIVE: no rule failed,
    and the rows cannot decide one that --inconclusive does not let pass. 70: a bug in karat. 130:
    interrupted.
    """
    from karat.api.gate.verb import gated
    from karat.cli.streams import ReadingBar
    from karat.data.sources.files.paths import is_query
    from karat.output.gate import junit_of_gate, markdown_of_gate

    request = request_of("gate", "gate", typed)
    baseline, where = request.baseline, request.where
    if request.keep_rows and request.update_baseline is None:
        raise click.UsageError(
            "--with-rows keeps rows in a baseline: give --update-baseline FILE too."
        )
    outputs = {"--junit": junit, "--markdown": markdown}
    check_outputs(outputs, (*predictions, baseline), where)
    # The next baseline may take the place of the one that was compared with, unless a query
    # read that: then it is predictions.
    read = [*predictions, baseline if baseline is not None and is_query(baseline) else None]
    check_outputs({**outputs, "--update-baseline": typed["update_baseline"]}, read, where)
    subject = _subject(predictions, baseline)
    try:
        with ReadingBar() as bar:
            result = gated(request.but(y_true=source_of(predictions), progress=bar))
    except KaratError as problem:
        _write_error(str(problem), subject, junit, markdown)
        raise
    if result.mapping is not None:
        said(shown_mapping(result.mapping, request.threshold, of_sets=result.has_sets))
    if not is_on_screen(format_, None):
        tell_warnings(result.doubts)
    for path, text_of in ((junit, junit_of_gate), (markdown, markdown_of_gate)):
        if path is not None:
            write_file(path, text_of(result, subject))
    annotate_job(result, subject)
    print_result(result, format_, subject)
    return result.exit_code


def _subject(predictions: Sequence[str], baseline: str | None) -> str:
    """What is measured, and against what."""
    from karat.data.sources.files.paths import is_query

    named = ", ".join(predictions)
    sources = [named] if baseline is None else [named, baseline]
    # Files of the same name are named with their folders.
    names = [text if is_query(text) else Path(text).name for text in sources]
    if len(set(names)) < len(sources):
        names = sources
    return " against ".join(map(_shortened, names))


def _shortened(source: str) -> str:
    from karat.errors.text import harmless

    return harmless(source if len(source) <= _LONGEST else f"…{source[1 - _LONGEST :]}")


_LONGEST = 60


def _write_error(message: str, subject: str, junit: Path | None, markdown: Path | None) -> None:
    """Write to every output why there is no verdict: an older file there would be read as one."""
    from karat.output.gate import junit_of_error, workflow_error

    if junit is not None:
        write_file(junit, junit_of_error(message, subject))
    if markdown is not None:
        write_file(markdown, f"### karat gate: no verdict\n\n```text\n{message}\n```\n")
    if os.environ.get("GITHUB_ACTIONS") == "true":
        complain(workflow_error(message, subject))


def annotate_job(result: GateResult, subject: str = "") -> None:
    """Write annotations and the summary of the job, where GitHub Actions runs this."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    from karat.output.gate import summary, workflow_commands

    for line in workflow_commands(result, subject):
        complain(line)
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        there = os.path.getsize(path) if os.path.exists(path) else 0
        text = summary(result, there, subject)
        with open(path, "a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as problem:
        said(f"Warning: the summary of the job was not written: {problem.strerror}.")


def print_result(result: GateResult, format_: str, subject: str = "") -> None:
    """Write a result to standard output, as text in color, JSON or Markdown."""
    from karat.errors.text import harmless
    from karat.output.gate import markdown_of_gate
    from karat.output.layout import plain_ascii
    from karat.output.terminal import shows_unicode, wants_colour

    if format_ != "text":
        text = result.to_json() if format_ == "json" else markdown_of_gate(result, subject)
        click.echo(text.removesuffix("\n"))
        return
    is_coloured = wants_colour(sys.stdout)
    for line in str(result).splitlines():
        shown = harmless(line)
        if not shows_unicode(sys.stdout):
            shown = plain_ascii(shown)
        word = shown.strip().partition(" ")[0]
        colour = {"PASS": "green", "FAIL": "red", "INCONCLUSIVE": "yellow"}.get(word)
        if is_coloured and colour is not None:
            shown = shown.replace(word, click.style(word, fg=colour, bold=True), 1)
        click.echo(shown, color=is_coloured)
