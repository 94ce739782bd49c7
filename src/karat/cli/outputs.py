"""What commands write: the formats of a result, never in the place of a file that is read."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import click

if TYPE_CHECKING:
    from karat.api.results import Comparison, Report

__all__ = [
    "FORMATS",
    "NAMES",
    "OUTPUT_HELP",
    "Format",
    "check_outputs",
    "format_of",
    "refuse_inputs",
    "write_file",
    "write_result",
]

_LITERAL = re.compile(r"""--[^\n]*|/\*.*?\*/|'((?:[^']|'')*)'|"((?:[^"]|"")*)\"""", re.DOTALL)
"""A text or a quoted name of SQL; a comment is passed over, as its quotes open nothing."""
_WORD = re.compile(r"[^\s,;()\[\]'\"]+")
_DOT = re.compile(r'"?\s*\.\s*"?')
_URL = re.compile(r"file:(?://[^/]*(?=/))?", re.IGNORECASE)


def check_outputs(
    outputs: Mapping[str, Path | None], inputs: Iterable[str | None], where: str | None = None
) -> None:
    """A file that could not be written is told before the data is read, as is one that is read.

    No two outputs may be one file: the last would take the place of the others.

    Args:
        outputs: the file of each option, where it is given.
        inputs: paths, patterns, folders and queries; see `refuse_inputs`.
        where: the condition on the rows, which may read files too.
    """
    _refuse_twice(outputs)
    for path in outputs.values():
        if path is not None and not path.absolute().parent.is_dir():
            raise click.FileError(str(path), "there is no such folder")
    refuse_inputs(outputs, inputs, where)


def refuse_inputs(
    outputs: Mapping[str, Path | None], inputs: Iterable[str | None], where: str | None = None
) -> None:
    """Refuse an output that is one of the files to read, under whatever name.

    Of SQL every text, quoted name and word that names a file counts as read: rather a refusal too
    many than predictions lost.
    """
    there = {}
    for option, path in outputs.items():
        with suppress(OSError, ValueError):
            if path is not None:
                there[option] = path.stat()
    if not there:
        return
    for name in _named(inputs, where):
        try:
            found = os.stat(name)
        except (OSError, ValueError):  # nothing of that name, or no name at all
            continue
        for option, known in there.items():
            if os.path.samestat(found, known):
                raise click.UsageError(f"{option} {outputs[option]} is one of the files to read.")


def _named(inputs: Iterable[str | None], where: str | None) -> Iterator[str]:
    """The files that are read, and perhaps more."""
    from karat.data.sources.files.paths import is_query

    for text in inputs:
        if text:
            yield from _in_sql(text) if is_query(text) else _at(text)
    if where:
        yield from _in_sql(where)


def _in_sql(text: str) -> Iterator[str]:
    """What a query may read: texts and names as paths, patterns or folders; any other word."""
    # "a"."csv" and a . csv are the file a.csv.
    for sql in (text, _DOT.sub(".", text)):
        for match in _LITERAL.finditer(sql):
            value, name = match.groups(default="")
            literal = value.replace("''", "'") or name.replace('""', '"')
            if literal:
                yield from _at(literal, in_sql=True)
        # Where quotes stand in quotes or in nested comments, something else may be a text.
        yield from re.split(r"['\"]", sql)
        yield from _WORD.findall(sql)


def _at(text: str, *, in_sql: bool = False) -> Iterator[str]:
    """The files of a path, a pattern or a folder."""
    for path in {text, os.path.expanduser(text), _URL.sub("", text, count=1)}:
        if os.path.isdir(path):
            yield from _in_folder(path)
        elif os.path.exists(path):
            yield path
        elif glob.has_magic(path):
            yield from _matching(path, in_sql=in_sql)


def _matching(pattern: str, *, in_sql: bool) -> Iterator[str]:
    """The files of a pattern; the folders that it matches count where it matches no file.

    Beside data files others are read in SQL only.
    """
    from karat.data.sources.files.paths import has_data_ending

    found: list[str] = []
    with suppress(OSError, ValueError, re.error):
        found = glob.glob(pattern, recursive=True, include_hidden=True)
    files = [path for path in found if not os.path.isdir(path)]
    known = [] if in_sql else [path for path in files if has_data_ending(path)]
    yield from known or files
    for folder in found if not files else ():
        yield from _in_folder(folder)


def _in_folder(folder: str) -> Iterator[str]:
    """The data files below a folder; nobody reads all that there is on a machine."""
    from karat.data.sources.files.paths import has_data_ending

    if os.path.realpath(folder) == os.path.abspath(os.sep):
        return
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        yield from (os.path.join(root, name) for name in names if has_data_ending(name))


def _refuse_twice(outputs: Mapping[str, Path | None]) -> None:
    places: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        earlier = places.setdefault(os.path.realpath(path), option)
        if earlier != option:
            raise click.UsageError(f"{earlier} and {option} name one file, {path}.")


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
    from karat.output.layout import report_as_text

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
    from karat.tally.writing import write_text

    try:
        write_text(path, text)
    except OSError as problem:
        raise click.FileError(str(path), problem.strerror or "unknown error") from None
