"""Threads that measure columns while the next one is sorted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from types import TracebackType
from typing import Any, Final, Self

from karat import _native
from karat.tally import ScoredRows

_FEWEST: Final = 100_000
"""Numbers in all columns below which another thread would start too late."""


class Workers:
    """Runs tasks on other threads; the calling thread helps if they are busy and one task waits.

    The results of tasks must not depend on the order in which they end.
    """

    def __init__(self, n_threads: int) -> None:
        self._n = n_threads - 1
        self._pool = ThreadPoolExecutor(self._n) if self._n > 0 else None
        self._running: deque[Future[Any]] = deque()

    @classmethod
    def of(cls, rows: ScoredRows, n_tasks: int) -> Workers:
        """Return the workers for this number of columns of the rows."""
        is_worth = n_tasks > 1 and rows.n_rows * n_tasks >= _FEWEST
        return cls(min(_native.thread_limit(rows.n_threads), n_tasks) if is_worth else 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def run(self, task: Callable[[], Any]) -> None:
        """Start a task, or run it if no thread is free; raise the error of an earlier one."""
        while self._running and self._running[0].done():
            self._running.popleft().result()
        if self._pool is None or len(self._running) > self._n:
            task()
            return
        self._running.append(self._pool.submit(copy_context().run, task))

    def wait(self) -> None:
        """Wait until a thread is free; raise the error of an earlier task."""
        while self._pool is not None and len(self._running) >= self._n:
            self._running.popleft().result()

    def finish(self) -> None:
        """Wait for every task; raise the first error."""
        while self._running:
            self._running.popleft().result()
