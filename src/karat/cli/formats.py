"""The formats of a result: what is in this table, `karat report` and `karat compare` write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import click

if TYPE_CHECKING:
    from karat.api.results import Comparison, Report

__all__ = ["FORMATS", "NAMES", "OUTPUT_HELP", "Format", "format_of", "write_file", "write_result"]

Which: TypeAlias = Literal["headline", "all"]


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write a result.

    Attributes:
        name: what ``--format`` calls it.
        endings: of files, in small letters; the first is the usual one.
        of_report: the text of a report, with the metrics that open it or with all.
        of_comparison: the text of a comparison.
    """

    name: str
    endings: tuple[str, ...]
    of_report: Callable[[Report, Which], str]
    of_comparison: Callable[[Comparison], str]


def _report_as_text(report: Report, metrics: Which) -> str:
    from karat.output.plain import report_as_text

    return report_as_text(report, metrics=metrics)


FORMATS: Final = (
    Format("text", (".txt",), _report_as_text, lambda found: found.text(100)),
    Format("json", (".json",), lambda report, _: report.to_json(), lambda found: found.to_json()),
    Format(
        "markdown",
        (".md", ".markdown"),
        lambda report, metrics: report.to_markdown(metrics=metrics),
        lambda found: found.to_markdown(),
    ),
    Format(
        "latex",
        (".tex",),
        lambda report, metrics: report.to_latex(metrics=metrics),
        lambda found: found.to_latex(),
    ),
    Format("csv", (".csv",), lambda report, _: report.to_csv(), lambda found: found.to_csv()),
    Format("html", (".html",), lambda report, _: report.to_html(), lambda found: found.to_html()),
)

NAMES: Final = [each.name for each in FORMATS]
_USUAL: Final = [each.endings[0] for each in FORMATS]
OUTPUT_HELP: Final = f"Write to FILE; {', '.join(_USUAL[:-1])} or {_USUAL[-1]} says how."

_ELSEWHERE: Final = {
    ".xml": "JUnit XML says what passed and failed: karat gate --junit FILE writes it."
}
"""Endings that another command writes."""


def format_of(given: str | None, output: Path | None) -> Format:
    """The format that an option names, else the ending of the file; text without either.

    Errors:
        click.BadParameter: the ending says nothing, or the file is ``-``.
    """
    if output is not None and str(output) == "-":
        raise click.BadParameter(
            "'-' would be a file of that name; for standard output leave it out and give --format.",
            param_hint="-o",
        )
    by_name = {each.name: each for each in FORMATS}
    if given is not None or output is None:
        return by_name[given or "text"]
    ending = output.suffix.lower()
    for each in FORMATS:
        if ending in each.endings:
            return each
    known = f"use {', '.join(_USUAL[:-1])} or {_USUAL[-1]}, or give --format."
    raise click.BadParameter(
        f"{output.suffix or 'no ending'!r} does not say how to write it; "
        f"{_ELSEWHERE.get(ending, known)}",
        param_hint="-o",
    )


def write_result(output: Path, text: str) -> None:
    """Write a text to a file, and tell standard error.

    Errors:
        click.FileError: it cannot be written.
    """
    from karat.cli.options import said

    write_file(output, text + "\n")
    said(f"Wrote {output}.")


def write_file(path: Path, text: str) -> None:
    """Write a text to a file.

    Errors:
        click.FileError: it cannot be written.
    """
    from karat.data.writing import write_text

    try:
        write_text(path, text)
    except OSError as problem:
        raise click.FileError(str(path), problem.strerror or "unknown error") from None
