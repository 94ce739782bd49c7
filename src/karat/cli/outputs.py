"""Output of commands: the formats of a result, never in the place of a file that is read."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import click

from karat.cli.streams import said

if TYPE_CHECKING:
    from karat.api.report import Report
    from karat.api.results import Comparison

Which: TypeAlias = Literal["headline", "all"]

FILE: Final = click.Path(dir_okay=False, path_type=Path)
_LITERAL = re.compile(r"""--[^\n]*|/\*.*?\*/|'((?:[^']|'')*)'|"((?:[^"]|"")*)\"""", re.DOTALL)
"""A text or a quoted name of SQL; a comment is passed over, as its quotes open nothing."""
_WORD = re.compile(r"[^\s,;()\[\]'\"]+")
_DOT = re.compile(r'"?\s*\.\s*"?')
_URL = re.compile(r"file:(?://[^/]*(?=/))?", re.IGNORECASE)


def check_outputs(
    outputs: Mapping[str, Path | None], inputs: Iterable[str | None], where: str | None = None
) -> None:
    """Refuse, before the data is read, a file that cannot be written or that is also read.

    No two outputs may be one file: the last would take the place of the others.
    """
    given = {option: path for option, path in outputs.items() if path is not None}
    places: dict[str, str] = {}
    for option, path in given.items():
        earlier = places.setdefault(os.path.realpath(path), option)
        if earlier != option:
            raise click.UsageError(f"{earlier} and {option} name one file, {path}.")
    for path in given.values():
        if not path.absolute().parent.is_dir():
            raise click.FileError(str(path), "there is no such folder")
    refuse_inputs(outputs, inputs, where)


def refuse_inputs(
    outputs: Mapping[str, Path | None], inputs: Iterable[str | None], where: str | None = None
) -> None:
    """Refuse an output that is one of the files to read, under whatever name.

    Inputs are paths, patterns, folders and queries; the condition `where` may read files too. Of
    SQL every text, quoted name and word that names a file counts as read: rather a refusal too
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
    """Everything that a query may read: paths, patterns and folders in it, and any other word."""
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
    """Data files below a folder, without walking a whole machine."""
    from karat.data.sources.files.paths import has_data_ending

    if os.path.realpath(folder) == os.path.abspath(os.sep):
        return
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        yield from (os.path.join(root, name) for name in names if has_data_ending(name))


FORMATS: Final = {
    "text": (".txt",),
    "json": (".json",),
    "markdown": (".md", ".markdown"),
    "latex": (".tex",),
    "csv": (".csv",),
    "html": (".html",),
}
"""Name of each format for ``--format`` → file extensions, the usual one first."""
_USUAL: Final = [endings[0] for endings in FORMATS.values()]
_WAYS: Final = f"{', '.join(_USUAL[:-1])} or {_USUAL[-1]}"
OUTPUT_HELP: Final = f"Write to FILE; the extension ({_WAYS}) sets the format."
_ELSEWHERE: Final = {".xml": "Only a gate has JUnit XML: karat gate --junit FILE writes it."}
"""Endings that another command writes."""


def format_of(given: str | None, output: Path | None, title: str | None = None) -> str:
    """The format that an option names, else the extension of the file; text without either.

    Args:
        title: of a page, which no other format has.
    """
    found = _format_of(given, output)
    if title is not None and found != "html":
        do = "give -o FILE.html or --format html, or leave --title out."
        raise click.BadParameter(f"Only an HTML page has a title: {do}", param_hint="--title")
    return found


def _format_of(given: str | None, output: Path | None) -> str:
    if output is not None and str(output) == "-":
        raise click.BadParameter(
            "'-' would be a file of that name; for standard output leave it out and give --format.",
            param_hint="-o",
        )
    if given is not None or output is None:
        return given or "text"
    ending = output.suffix.lower()
    found = next((name for name, endings in FORMATS.items() if ending in endings), None)
    if found is None:
        advice = _ELSEWHERE.get(ending, f"use {_WAYS}, or give --format.")
        raise click.BadParameter(
            f"{output.suffix or 'no extension'!r} is not the extension of a format; {advice}",
            param_hint="-o",
        )
    return found


def is_on_screen(format_: str, output: Path | None) -> bool:
    """True if the text of a result is printed on a screen; it then shows its doubts itself."""
    return format_ == "text" and output is None and sys.stdout.isatty()


def show(
    found: Report | Comparison,
    format_: str,
    output: Path | None,
    which: Which,
    title: str | None = None,
) -> None:
    """Print a result in a format, or write it to a file.

    Args:
        which: metrics that a report lists.
        title: of a page, or None.
    """
    if output is None and format_ == "text":
        from karat.output.describe import COLUMNS
        from karat.output.terminal import print_document

        document = found._document(which)
        # Standard error has them.
        rest = tuple(one for one in document.sections if one.title != COLUMNS)
        print_document(replace(document, sections=rest), sys.stdout)
        return
    if format_ == "text":
        from karat.api.results import Comparison
        from karat.output.layout import text_of

        if isinstance(found, Comparison):
            text = found.text(100)
        else:
            text = text_of(found._document(which), 80)
    elif format_ == "html":
        text = found.to_html(title=title)
    elif format_ in ("markdown", "latex"):
        text = getattr(found, f"to_{format_}")(metrics=which)
    else:
        text = getattr(found, f"to_{format_}")()
    if output is None:
        click.echo(text)
    else:
        write_file(output, text + "\n")
        said(f"Wrote {output}.")


def write_file(path: Path, text: str) -> None:
    """Write a text to a file."""
    from karat.tally.writing import write_text

    try:
        write_text(path, text)
    except OSError as problem:
        raise click.FileError(str(path), problem.strerror or "unknown error") from None
