"""Rows with scores on a device: kept there while they fit, in tables of the device beyond that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from karat.data.scores.storage import ScoreParts
from karat.data.sources.torch.device_tables import DeviceTables, RowGroup
from karat.data.sources.torch.score_losses import widened
from karat.data.sources.torch.tensors import Tensor, torch
from karat.data.weights import refuse_sums
from karat.tally.classes import Classes
from karat.tally.held_rows import Chunk, HeldRows

__all__ = ["HeldScores"]

_HOST_BYTES: Final = 4
"""Bytes of a score of 16 bits on the host: rows are kept here as long as they would be there."""
_GROUP_VALUES: Final = 1 << 26


class HeldScores:
    """Rows of one device.

    Args:
        classes: the classes, in the order of the columns.
        empty: what holds nothing, with the settings of what is held.
        is_prob: whether scores are probabilities.
        shape: as of `HeldRows`.
    """

    def __init__(
        self,
        classes: Classes,
        device: Any,
        empty: ScoreParts,
        *,
        is_prob: bool,
        shape: tuple[int | None, bool, bool],
    ) -> None:
        self.classes, self.is_prob, self.shape = classes, is_prob, shape
        self._device, self._empty = device, empty
        self._tolerance = 0.0
        self._chunks: list[RowGroup] = []
        self._n_bytes = 0
        self._tally: DeviceTables | None = None
        self.n_rows = 0

    def add(self, rows: RowGroup, tolerance: float) -> None:
        """Add rows that nobody else writes to, all or none.

        Cost: nothing, but when `max_memory` is reached, where they are put into tables.
        """
        self._chunks.append(rows)
        self._n_bytes += self._bytes_of(rows)
        try:
            room = self._empty.max_memory
            if self._n_bytes > (room if self._tally is None else room // 4):
                self._put_into_tables()
        except BaseException:
            # Earlier rows may be in tables now: what fails keeps its own and those after it.
            if self._chunks and self._chunks[-1] is rows:
                self._chunks.pop()
                self._n_bytes -= self._bytes_of(rows)
            raise
        self.n_rows += int(rows.true.shape[0])
        self._tolerance = max(self._tolerance, tolerance)

    def _bytes_of(self, rows: RowGroup) -> int:
        """Bytes that rows would take on the host."""
        columns, has_pred, is_weighted = self.shape
        item = max(rows.scores.element_size(), _HOST_BYTES)
        each: int = item * (columns or 1) + 4 + 4 * has_pred + 8 * is_weighted
        return int(rows.true.shape[0]) * each

    def _put_into_tables(self) -> None:
        tally = self._tally or DeviceTables(
            self.classes,
            self._device,
            threshold=self._empty.threshold,
            max_memory=self._empty.max_memory,
            is_prob=self.is_prob,
            is_single=self.shape[0] is None,
            is_weighted=self.shape[2],
            has_pred=self.shape[1],
            is_frequency=self._empty.is_frequency,
        )
        step = max(_GROUP_VALUES // (self.shape[0] or 1), 1)
        while self._chunks:
            n_chunks, n = 0, 0
            for chunk in self._chunks:
                n += int(chunk.true.shape[0])
                if n_chunks and n > step:
                    break
                n_chunks += 1
            tally.add(_joined(self._chunks[:n_chunks]))
            self._tally = tally
            del self._chunks[:n_chunks]
            self._n_bytes = sum(map(self._bytes_of, self._chunks))

    def parts(self, *, is_tabled: bool) -> ScoreParts:
        """What is held, on the host.

        Args:
            is_tabled: whether tables are what they will be added to.
        """
        if self._chunks and (is_tabled or self._tally is not None):
            self._put_into_tables()
        if self._tally is not None:
            tables = self._tally.tables()
            if self.shape[2]:
                refuse_sums(np.asarray(tables.sums.truth, np.float64))
            return replace(self._empty, tables=tables, shape=self.shape)
        chunk = _landed(_joined(self._chunks))
        if chunk.weights is not None:
            totals = np.bincount(chunk.codes, chunk.weights, self.classes.k)
            refuse_sums(np.asarray(totals, np.float64))
        held = HeldRows(self.classes, (chunk,), self.is_prob, self._tolerance)
        return replace(self._empty, held=held, shape=self.shape)


def _joined(chunks: list[RowGroup]) -> RowGroup:
    """Rows one after the other; where some are float64, all are."""

    def column(name: str) -> Tensor | None:
        parts = [getattr(chunk, name) for chunk in chunks]
        if parts[0] is None:
            return None
        dtypes = {part.dtype for part in parts}
        if len(dtypes) > 1:
            parts = [widened(part) for part in parts]
        return parts[0] if len(parts) == 1 else torch().cat(parts)

    scores, true = column("scores"), column("true")
    group = RowGroup(scores, true, column("pred"), column("weights"))
    to = torch().int64
    pred = None if group.pred is None else group.pred.to(to)
    return replace(group, true=group.true.to(to), pred=pred)


def _landed(rows: RowGroup) -> Chunk:
    def array(tensor: Tensor, dtype: Any) -> Any:
        return np.ascontiguousarray(tensor.to(dtype).cpu().numpy())

    scores = rows.scores.cpu()  # 16 bits travel as 16 bits
    return Chunk(
        array(rows.true, torch().int32),
        np.ascontiguousarray(widened(scores).numpy()),
        None if rows.pred is None else array(rows.pred, torch().int32),
        None if rows.weights is None else array(rows.weights, torch().float64),
    )
