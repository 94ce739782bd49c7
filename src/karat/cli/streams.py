"""Standard streams: closed, full or gone they end in one line; and a progress bar."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

import click

from karat.errors.text import count

if TYPE_CHECKING:
    from rich.progress import Progress


class OutputError(Exception):
    """Standard output took no more; the message says why."""


class Output:
    """Standard output whose failures are distinct from those of files."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text."""
        with _told():
            return self._stream.write(text)

    def flush(self) -> None:
        """Write what waits."""
        with _told():
            self._stream.flush()


@contextlib.contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise  # The reader has seen enough: no error.
    except OSError as problem:
        why = "it is closed" if problem.errno == errno.EBADF else problem.strerror
        raise OutputError(f"The result cannot be written to standard output: {why}.") from problem


@contextlib.contextmanager
def guarded_output() -> Iterator[None]:
    """Make every failure of standard output an `OutputError`, also the last flush."""
    stream = sys.stdout
    guarded: Any = Output(stream)
    sys.stdout = guarded
    try:
        yield
        guarded.flush()
    finally:
        sys.stdout = stream


def hold_closed_streams() -> None:
    """Keep the numbers of closed standard streams from the next files that are opened.

    A closed standard output stays one that cannot be written, so that a lost result is an error;
    what would go to a closed standard error has no reader and goes nowhere.
    """
    for descriptor, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            # The lowest free number is this one, since those below are taken.
            os.open(os.devnull, mode)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def complain(text: str) -> None:
    """Write a sentence to standard error, if it can be written to."""
    with contextlib.suppress(OSError):
        click.echo(text, err=True)


def said(text: str) -> None:
    """Tell standard error a sentence, its foreign text made harmless."""
    from karat.errors.text import harmless
    from karat.output.layout import plain_ascii
    from karat.output.terminal import shows_unicode

    shown = harmless(text)
    complain(shown if shows_unicode(sys.stderr) else plain_ascii(shown))


def tell_warnings(warnings: Iterable[str]) -> None:
    """Tell standard error warnings and doubts, one a line."""
    from karat.errors.doubts import Doubt

    for warning in warnings:
        said(f"Doubt {warning.coded}" if isinstance(warning, Doubt) else f"Warning: {warning}")


def silence() -> None:
    """Let what waits for a stream that cannot be written go nowhere.

    Python would try again when it flushes at exit, and complain.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


PATIENCE_SECONDS = 1.0


class ReadingBar:
    """Called with the rows read; draws nothing in the first second.

    Example:
        >>> with ReadingBar() as bar:
        ...     bar(1000, 2000)
    """

    def __init__(self) -> None:
        is_screen = sys.stderr.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")
        self._starts_at = time.monotonic() + PATIENCE_SECONDS if is_screen else float("inf")
        self._drawn: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._drawn is not None:
            self._drawn.stop()

    def __call__(self, n_read: int, n_rows: int | None) -> None:
        """Show how far the reading is."""
        if time.monotonic() < self._starts_at:
            return
        if self._drawn is None:
            self._drawn = _bar()
            self._drawn.add_task("", total=n_rows)
            self._drawn.start()
        of = f" of {count(n_rows)}" if n_rows else ""
        text = f"{count(n_read)}{of} rows"
        self._drawn.update(self._drawn.task_ids[0], completed=n_read, description=text)


def _bar() -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from karat.output.terminal import console

    return Progress(
        TextColumn("reading"),
        BarColumn(bar_width=24),
        TextColumn("{task.description}"),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=console(sys.stderr),
        transient=True,
    )
