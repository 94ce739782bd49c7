"""The progress bar: on a terminal only, after a second only, and gone at the end."""

from __future__ import annotations

import io

import pytest

from karat.cli import streams as progress
from karat.cli.streams import ReadingBar
from tests.optional import optional

optional("rich")


class Screen(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]
    is_terminal = True

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    stream = Screen()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return stream


def read_slowly(screen: Screen, monkeypatch: pytest.MonkeyPatch, n_rows: int | None) -> None:
    # Not in the fixture: pytest changes the streams between set-up and call.
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    with ReadingBar() as bar:
        for n_read in (1000, 20_000, 300_000):
            bar(n_read, n_rows)


def test_a_long_read_shows_its_rows(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    read_slowly(screen, monkeypatch, 400_000)
    assert "300 000 of 400 000 rows" in screen.getvalue()


def test_rows_without_a_known_total(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    read_slowly(screen, monkeypatch, None)
    assert "300 000 rows" in screen.getvalue()


def test_a_short_read_shows_nothing(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", screen)
    with ReadingBar() as bar:
        bar(1000, 2000)
    assert screen.getvalue() == ""


@pytest.mark.parametrize("reason", ["pipe", "dumb"])
def test_nothing_is_drawn_elsewhere(
    reason: str, screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reason == "pipe":
        screen.is_terminal = False
    else:
        monkeypatch.setenv("TERM", "dumb")
    read_slowly(screen, monkeypatch, 400_000)
    assert screen.getvalue() == ""


def test_the_bar_stops_when_the_read_fails(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)

    def fail(bar: ReadingBar) -> None:
        bar(1000, None)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), ReadingBar() as bar:
        fail(bar)
    # The cursor, hidden while the bar was drawn, is shown again.
    assert screen.getvalue().rfind("\x1b[?25h") > screen.getvalue().rfind("\x1b[?25l") >= 0
