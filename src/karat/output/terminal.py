"""A report on a terminal, in color where it is wanted; the text is that of `plain`."""

from __future__ import annotations

import os
import shutil
from typing import IO, TYPE_CHECKING, Any, Literal

from karat.output.describe import describe
from karat.output.document import Document, Line, line_text
from karat.output.layout import lay_out

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from karat.results.report import ClassReport

_STYLES = dict.fromkeys(("title", "heading", "strong"), "bold")
_STYLES |= {"dim": "dim", "warning": "yellow"}
# Blue for right, orange for wrong (Okabe and Ito): distinct to any eye, and by position anyway.
# Both are middle tones, since a terminal may be light or dark.
_RIGHT = ((104, 150, 186), (0, 96, 160))
_WRONG = ((196, 120, 60), (200, 84, 0))
_WRONG_TEXT = "rgb(213,94,0)"
SHADED_FROM = 0.05
"""Smaller shares of a row get colored digits, so that a few wrong rows do not stand out."""


def console(stream: IO[str], *, width: int | None = None) -> Console:
    """A rich console that obeys NO_COLOR, FORCE_COLOR, CLICOLOR, TERM=dumb and COLUMNS."""
    from rich.console import Console

    columns = os.environ.get("COLUMNS", "")
    if width is None and columns.isdecimal() and int(columns):
        width = int(columns)
    if width is None and not stream.isatty():
        width = 80
    is_coloured = wants_colour(stream)
    # The number of colors that the terminal reports.
    is_rich = os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit")
    is_256 = "256" in os.environ.get("TERM", "")
    colours: Any = "truecolor" if is_rich else "256" if is_256 else "standard"
    return Console(
        file=stream,
        width=width,
        force_terminal=is_coloured,
        no_color=not is_coloured,
        color_system=colours if is_coloured else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def wants_colour(stream: IO[str]) -> bool:
    """True if a stream gets colors.

    NO_COLOR, or CLICOLOR=0, forbids them; FORCE_COLOR, or CLICOLOR_FORCE, wants them anywhere;
    else they go to terminals that are not dumb.
    """

    def is_set(name: str) -> bool:
        return os.environ.get(name, "") not in ("", "0")

    if os.environ.get("NO_COLOR") or os.environ.get("CLICOLOR") == "0":
        return False
    if is_set("FORCE_COLOR") or is_set("CLICOLOR_FORCE"):
        return True
    return stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


def shows_unicode(stream: IO[str]) -> bool:
    """True if a stream can encode the few characters beyond ASCII that a report uses."""
    try:
        "·…─→–×∞".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def print_report(
    report: ClassReport,
    stream: IO[str],
    *,
    width: int | None = None,
    metrics: Literal["headline", "all"] = "headline",
) -> None:
    """Print a report to a stream, in the colors that it can show."""
    print_document(describe(report, metrics=metrics), stream, width=width)


def print_document(document: Document, stream: IO[str], *, width: int | None = None) -> None:
    """Print any document as `print_report` prints a report; without rich, as plain text."""
    is_ascii = not shows_unicode(stream)
    try:
        screen = console(stream, width=width)
    except ImportError:
        columns = width or shutil.get_terminal_size().columns
        for line in lay_out(document, columns, is_ascii=is_ascii):
            stream.write(line_text(line) + "\n")
        return
    # Written in one piece, so that a closed pipe raises here and not inside rich.
    with screen.capture() as printed:
        for line in lay_out(document, screen.width, is_ascii=is_ascii):
            screen.print(_styled(line), overflow="ignore", no_wrap=True, crop=False)
    stream.write(printed.get())


def _styled(line: Line) -> Text:
    from rich.text import Text

    text = Text(end="")
    for span in line:
        text.append(span.text, _shade(span.heat) if span.heat else _STYLES.get(span.style, ""))
    text.rstrip()
    text.end = "\n"
    return text


def _shade(heat: float) -> str:
    """Color of a cell by its share of the row; negative where the cell is wrong."""
    amount = min(1.0, abs(heat))
    if amount < SHADED_FROM:
        return _WRONG_TEXT if heat < 0 else ""
    light, dark = _RIGHT if heat > 0 else _WRONG
    red, green, blue = (round(a + (b - a) * amount) for a, b in zip(light, dark, strict=True))
    return f"rgb(255,255,255) on rgb({red},{green},{blue})"
