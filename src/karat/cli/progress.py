"""A progress bar on standard error: only on a terminal, and only once a read takes long."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from karat.errors.numbers import count

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["ReadingBar"]

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
        self._task: TaskID | None = None

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
            self._task = self._drawn.add_task("", total=n_rows)
            self._drawn.start()
        if self._task is not None:
            of = f" of {count(n_rows)}" if n_rows else ""
            text = f"{count(n_read)}{of} rows"
            self._drawn.update(self._task, completed=n_read, description=text)


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
