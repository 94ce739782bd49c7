"""`ScoredTables` made on a device, group of rows by group of rows."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from karat.data.scores.tables import room_of
from karat.data.sources.torch.label_tally import LabelTally
from karat.data.sources.torch.row_choice import ChosenRows
from karat.data.sources.torch.score_losses import LossTally
from karat.data.sources.torch.score_rungs import Rungs
from karat.data.sources.torch.tensors import Tensor, torch
from karat.tally.buckets import EXACT
from karat.tally.classes import Classes
from karat.tally.scored_tables import ScoredTables

__all__ = ["DeviceTables", "RowGroup"]


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rows on a device.

    Attributes:
        scores: float[n, k] as given, or [n] of the positive class of two.
        true: int64[n].
        pred: int64[n], where predictions were given.
        weights: float64[n], or None.
    """

    scores: Tensor
    true: Tensor
    pred: Tensor | None
    weights: Tensor | None


class DeviceTables:
    """Tables of rows with scores on one device.

    Args:
        classes: the classes, in the order of the columns.
        threshold: from which score on the positive class of two is predicted.
        max_memory: bytes that the tables may take.
        is_prob, is_single, is_weighted, has_pred: what the rows are.
        is_frequency: whether a row of weight 3 stands for three rows, which err as three do.
    """

    def __init__(
        self,
        classes: Classes,
        device: Any,
        *,
        threshold: float | None,
        max_memory: int,
        is_prob: bool,
        is_single: bool,
        is_weighted: bool,
        has_pred: bool,
        is_frequency: bool,
    ) -> None:
        self.classes = classes
        self._threshold, self._is_prob, self._has_pred = threshold, is_prob, has_pred
        self._is_single = is_single
        self._is_frequency = is_frequency and is_weighted
        self._limit, self._n_sampled = room_of(
            classes.k,
            is_prob=is_prob,
            is_single=is_single,
            is_weighted=is_weighted,
            n_bytes=max_memory,
        )
        self._cells = LabelTally(classes, device, is_weighted=is_weighted)
        self._losses = LossTally(classes.k, device, is_weighted=is_weighted)
        self._rungs: list[Rungs] = []
        self._chosen: ChosenRows | None = None

    def add(self, rows: RowGroup) -> None:
        """Add rows, all or none; the device is waited for: how many distinct scores are there?"""
        classes, is_prob = self.classes, self._is_prob
        # They replace what they hold: a copy can be thrown away.
        cells, losses = copy(self._cells), copy(self._losses)
        best, most, total = losses.add(
            rows.scores, rows.true, rows.weights, classes.positive, is_prob=is_prob
        )
        cells.add(rows.true, self._predicted(rows, best), rows.weights)
        made: list[Rungs] = []

        def tabled(column: Tensor, codes: Tensor, k: int) -> None:
            before = self._rungs[len(made)] if self._rungs else None
            bits = EXACT if before is None else before.bits
            found = Rungs.of(column, codes, k, rows.weights, bits, self._limit)
            made.append(found if before is None else before.merge(found, self._limit))

        # In the order of `ScoredTables.tables`.
        if self._is_single:
            tabled(rows.scores, rows.true, classes.k)
        else:
            for i in range(classes.k):
                tabled(rows.scores[:, i].contiguous(), rows.true, classes.k)
            for i in range(0 if is_prob else classes.k):
                gaps = rows.scores[:, i].to(torch().float64) - most
                tabled(gaps.exp_() / total, rows.true, classes.k)
            sure = 1.0 / total
            if is_prob:
                sure = rows.scores.gather(1, best[:, None])[:, 0]
            tabled(sure, (best == rows.true).to(torch().int64), 2)
        chosen = ChosenRows.of(rows.scores, rows.true, rows.weights, classes.k, self._n_sampled)
        if self._chosen is not None:
            chosen = self._chosen.merge(chosen, classes.k, self._n_sampled)
        self._cells, self._losses, self._rungs, self._chosen = cells, losses, made, chosen

    def _predicted(self, rows: RowGroup, best: Tensor) -> Tensor:
        if rows.pred is not None:
            return rows.pred
        if self._threshold is None:
            return best
        positive = self.classes.positive
        assert positive is not None
        scores = rows.scores
        if scores.dtype in (torch().float16, torch().bfloat16):
            scores = scores.to(torch().float32)
        is_positive = (scores if scores.ndim == 1 else scores[:, positive]) >= self._threshold
        return torch().where(is_positive, positive, 1 - positive)

    def tables(self) -> ScoredTables:
        """The tally on the host."""
        assert self._chosen is not None
        tables = [rungs.table() for rungs in self._rungs]
        if self._is_frequency:
            tables = [replace(table, squares=table.counts) for table in tables]
        k = self.classes.k
        n_ranks = 1 if self._is_single else k
        return ScoredTables(
            self._cells.cells(),
            self._losses.sums(is_frequency=self._is_frequency),
            tuple(tables[:n_ranks]),
            () if self._is_prob or self._is_single else tuple(tables[k : 2 * k]),
            None if self._is_single else tables[-1],
            self._chosen.sample(k, self._n_sampled),
            self._is_prob,
            self._limit,
            self._has_pred,
        )
