"""Metrics of few rows with scores, each computed when it is read.

A report of few rows is asked for some numbers more often than for all: it keeps the rows, which are
small, and computes what is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from karat.metrics._lift import Policy
from karat.metrics._measure import Held, measure
from karat.metrics._metric import Metric, Values
from karat.metrics._views import ClassProbabilities, ClassRanks
from karat.tally import ScoredRows

__all__ = ["Later"]


class Later(Mapping[Metric, Values]):
    """What metrics of scores give; see `measure`.

    Args:
        rows: rows that nobody changes; they are kept, with the views of what was read.
        metrics: the metrics.
        policy: what to do about classes that cannot be measured.
        lock: held while something is computed: views are made by one thread at a time. It must
            allow its thread to take it again.
    """

    def __init__(
        self,
        rows: ScoredRows,
        metrics: Sequence[Metric],
        policy: Policy,
        lock: AbstractContextManager[Any],
    ) -> None:
        self._rows, self._policy, self.lock = rows, policy, lock
        self._held = Held(rows)
        self._found: dict[Metric, Values | None] = dict.fromkeys(metrics)

    def __getitem__(self, metric: Metric) -> Values:
        found = self._found[metric]
        if found is not None:
            return found
        with self.lock:
            found = self._found[metric]  # another thread may have been faster
            if found is None:
                found = measure(self._rows, [metric], self._policy, held=self._held)[metric]
                self._found[metric] = found
        return found

    def __contains__(self, metric: object) -> bool:
        return metric in self._found

    def __iter__(self) -> Iterator[Metric]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __reduce__(self) -> tuple[Any, ...]:
        """Values travel, not rows."""
        return dict, (dict(self),)

    def views(self, i: int) -> tuple[ClassRanks, ClassProbabilities]:
        """The views of class i; to be read under `lock`."""
        views = self._held.column(i)
        return views.ranks, views.probabilities
