"""Colour, width and fallbacks of the terminal."""

from __future__ import annotations

import io
import re
import sys
from typing import Any

import pytest

from karat.output.document import Cell, Document, Notes, Table, TableColumn, line_text
from karat.output.layout import lay_out, report_as_text
from karat.output.terminal import print_document, print_report, shows_unicode, wants_colour
from tests.optional import optional
from tests.output.reports import REPORTS, of_matrix

optional("rich")

CODES = re.compile(r"\x1b\[[0-9;]*m")
VARIABLES = (
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "TERM",
    "COLUMNS",
    "COLORTERM",
)


class Screen(io.StringIO):
    """A stream that is a terminal, or not, of some encoding."""

    def __init__(self, *, is_terminal: bool, encoding: str = "utf-8") -> None:
        super().__init__()
        self.is_terminal = is_terminal
        self.said_encoding = encoding

    def isatty(self) -> bool:
        return self.is_terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.said_encoding


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize(
    ("variables", "on_terminal", "in_pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"CLICOLOR_FORCE": "1"}, True, True),
        ({"CLICOLOR": "0"}, False, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
    ],
)
def test_colour_is_shown_where_it_is_wanted(
    variables: dict[str, str], on_terminal: bool, in_pipe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    for is_terminal, expected in ((True, on_terminal), (False, in_pipe)):
        stream = Screen(is_terminal=is_terminal)
        assert wants_colour(stream) == expected
        print_report(REPORTS["two"](), stream, width=80)
        assert bool(CODES.search(stream.getvalue())) == expected


@pytest.mark.parametrize("name", REPORTS)
def test_colours_change_no_text(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    report = REPORTS[name]()
    for width in (40, 80, 200):
        stream = Screen(is_terminal=True)
        print_report(report, stream, width=width)
        lines = [line.rstrip() for line in CODES.sub("", stream.getvalue()).splitlines()]
        assert "\n".join(lines) == report_as_text(report, width)


def test_right_and_wrong_cells_have_their_own_hue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLORTERM", "truecolor")
    stream = Screen(is_terminal=True)
    # rich keeps the codes of a style as first printed: these shares occur in no other test.
    print_report(of_matrix([[90, 13], [17, 71]], ["benign", "malignant"]), stream, width=80)
    row = [line for line in stream.getvalue().splitlines() if "malignant" in line][-1]
    backgrounds = re.findall(r"48;2;(\d+);(\d+);(\d+)m", row)
    (red, _, _), (_, _, blue) = backgrounds
    assert int(red) > 150
    assert int(blue) > 150


def test_the_width_is_that_of_columns_else_80(monkeypatch: pytest.MonkeyPatch) -> None:
    report = REPORTS["ten"]()
    stream = Screen(is_terminal=False)
    print_report(report, stream)
    assert stream.getvalue() == report_as_text(report, 80) + "\n"
    monkeypatch.setenv("COLUMNS", "44")
    stream = Screen(is_terminal=False)
    print_report(report, stream)
    assert stream.getvalue() == report_as_text(report, 44) + "\n"


def test_an_ascii_stream_gets_ascii() -> None:
    stream = Screen(is_terminal=False, encoding="ascii")
    assert not shows_unicode(stream)
    assert shows_unicode(Screen(is_terminal=False))
    assert not shows_unicode(Screen(is_terminal=False, encoding="no such encoding"))
    print_report(REPORTS["hostile"](), stream, width=80)
    assert stream.getvalue() == report_as_text(REPORTS["hostile"](), 80, is_ascii=True) + "\n"


def test_without_rich_the_text_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setenv("COLUMNS", "64")
    stream = Screen(is_terminal=True)
    print_report(REPORTS["ten"](), stream)
    assert stream.getvalue() == report_as_text(REPORTS["ten"](), 64) + "\n"


def rendered(*sections: Any, width: int = 80) -> str:
    document = Document("title", ("a fact",), sections)
    stream = Screen(is_terminal=False)
    print_document(document, stream, width=width)
    text = "\n".join(map(line_text, lay_out(document, width)))
    assert stream.getvalue() == text + "\n"
    return text


PROSE = Table(
    "Facts",
    (TableColumn("", "left"), TableColumn("", "left", is_prose=True)),
    ((Cell("name"), Cell("some words that are too long for one line of so narrow a page")),),
)


def test_running_text_stands_beside_its_name_or_below_it() -> None:
    assert "\n  name  some words" in rendered(PROSE)
    narrow = rendered(PROSE, width=34)
    assert "\n  name\n    some words that are too long\n" in narrow


def test_long_titles_and_facts_are_broken() -> None:
    text = rendered(Notes("a title of many words " * 3, ("x" * 70,)), width=30)
    assert all(len(line) <= 30 for line in text.splitlines())
    assert text.replace("\n", "").replace(" ", "").endswith("x" * 70)


def test_every_name_that_is_cut_is_in_the_legend() -> None:
    names = [
        f"a name that is rather long, the one of number {i}, and that ends alike" for i in range(40)
    ]
    rows = tuple((Cell(name), Cell("1")) for name in names)
    table = Table("T", (TableColumn("name", "left", is_name=True), TableColumn("n")), rows)
    text = rendered(table, width=40)
    table_text, _, legend = text.partition("Names")
    for i, name in enumerate(names):
        (short,) = re.findall(rf"^  (\S.*…{i}…\S.*?)  +1$", table_text, re.MULTILINE)
        assert f"{short} = {name}" in " ".join(legend.split())
