"""Areas of the columns of a matrix, several at a time: each on a thread of its own.

One column on two threads takes two thirds of the time of one; two columns take half.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import numpy.typing as npt

from karat import _native
from karat.data.scores.ranking import Ranked

__all__ = ["AreasAhead"]

Numbers: TypeAlias = npt.NDArray[Any]
_WORD_BYTES: Final = 8
_WORDS: Final = 1 << 27
"""Bytes that the words of columns read together may take: longer columns come one at a time."""
_FEWEST_ROWS: Final = 50_000
"""Shorter columns are read before another thread is awake."""


class AreasAhead:
    """Areas of columns that somebody asks for one after the other.

    Who has asked for two that follow each other will ask for the next ones: as many as there are
    threads are read together. Whoever asks for one, or in no order, gets what is asked.

    Args:
        n_columns: how many there are.
        n_rows: rows.
        n_threads: threads; 0: the default.
        n_together: columns that are copied together, none of which is kept beside the next ones.
    """

    def __init__(self, n_columns: int, n_rows: int, n_threads: int, n_together: int = 1) -> None:
        self._n_columns, self._n_threads, self._n_together = n_columns, n_threads, n_together
        most = _WORDS // (_WORD_BYTES * max(n_rows, 1))
        is_long = n_rows >= _FEWEST_ROWS
        self._width = min(_native.thread_limit(n_threads), most) if is_long else 1
        self._last = -1
        self._made: dict[int, Ranked] = {}

    def column(self, i: int, make: Callable[[int], Ranked]) -> Ranked:
        """Rows ordered by column i.

        Args:
            make: the rows ordered by a column, of which nothing was asked yet.
        """
        ranked = self._made.pop(i, None)
        if ranked is None:
            ranked = make(i)
            ranked.ahead = partial(self._areas, i, make)
        else:
            self._last = i
        return ranked

    def _areas(self, i: int, make: Callable[[int], Ranked], ranked: Ranked) -> Numbers | None:
        """number[k], as `Ranked.areas` of column i; None: read it alone."""
        follows = i > 0 and i == self._last + 1
        self._last = i
        width = min(self._width, self._n_columns - i)
        if self._n_together > 1:
            width = min(width, self._n_together - i % self._n_together)
        self._made = {}
        if not follows or width < 2:
            return None
        others = {j: make(j) for j in range(i + 1, i + width)}
        columns = [ranked, *others.values()]
        found = _native.areas_together([each.packed for each in columns], self._n_threads)
        for each, areas in zip(columns, found, strict=True):
            each.know(areas)
        self._made = others
        return found[0]
