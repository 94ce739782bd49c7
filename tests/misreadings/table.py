"""The table of misreadings: one row for each input, what karat answers, and what is right."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import Any, Final

__all__ = ["ROWS", "Row", "command", "error", "row"]


@dataclass(frozen=True)
class Row:
    """An input that was misread.

    Attributes:
        section: the kind of misreading, 1 to 8.
        text: the input.
        right: a pattern that the whole answer fits.
        answer: makes the input and returns what karat answers, as a text or a number.
    """

    section: int
    text: str
    right: str
    answer: Callable[[], object]

    def now(self) -> str:
        """The answer as one line; an unexpected error by its type."""
        try:
            answer = str(self.answer())
        except Exception as problem:
            answer = f"{type(problem).__name__}: {_line(str(problem))}"
        return _line(answer)

    def is_right(self, answer: str) -> bool:
        return re.fullmatch(self.right, answer) is not None


ROWS: Final[dict[str, Row]] = {}
"""Name of the function that answers → row."""


def row(
    section: int, text: str, right: str
) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Add the row that a function answers."""

    def add(answer: Callable[[], object]) -> Callable[[], object]:
        name = answer.__name__
        if name in ROWS:
            raise ValueError(f"two rows are called {name}")
        ROWS[name] = Row(section, text, right, answer)
        return answer

    return add


def error(call: Callable[[], Any]) -> str:
    """An error of karat as one line; else the text of the result."""
    import karat

    try:
        return _line(str(call()))
    except karat.KaratError as problem:
        return _line(str(problem))


def command(*arguments: object) -> str:
    """Exit code of a command, and all that it prints, as one line."""
    from karat.cli import main

    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    return _line(f"exit {code}: {out.getvalue()} {err.getvalue()}")


def _line(text: str) -> str:
    return " ".join(text.split())
