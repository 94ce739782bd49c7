"""Rows with scores on a device: kept there while they fit, as histograms beyond that."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from karat.data.scores.histograms import room_of
from karat.data.scores.storage import ScoreParts
from karat.data.sources.torch.label_tally import LabelTally
from karat.data.sources.torch.score_histograms import ScoreLevels, added, lengths_from
from karat.data.sources.torch.score_losses import LogOdds, LossTally, widened
from karat.data.sources.torch.tensors import Tensor, torch
from karat.data.weights import refuse_sums
from karat.tally.classes import Classes
from karat.tally.held_rows import HeldRows, RowChunk
from karat.tally.row_sample import ADDED, ODD, RowSample
from karat.tally.score_histogram import EXACT
from karat.tally.score_histograms import ScoreHistograms
from karat.tally.score_kind import ScoreKind


@dataclass(frozen=True, eq=False)
class ChosenRows:
    """`RowSample` on a device."""

    values: Tensor
    codes: Tensor
    weights: Tensor | None
    repeats: Tensor
    hashes: Tensor

    @classmethod
    def of(
        cls, scores: Tensor, codes: Tensor, weights: Tensor | None, k: int, limit: int
    ) -> ChosenRows:
        """Sample rows float[n, c] or float[n] of the classes int64[n], with two sorts."""
        matrix = scores[:, None] if scores.ndim == 1 else scores
        hashes = _hashed(matrix, codes, weights)
        once = torch().ones_like(codes)
        rows, repeats = _first_of_each(codes, hashes, once, k, limit)
        values = widened(matrix[rows]).to(torch().float64)
        held = None if weights is None else weights[rows]
        return cls(values, codes[rows], held, repeats, hashes[rows])

    def merge(self, other: ChosenRows, k: int, limit: int) -> ChosenRows:
        """Merge both: the first distinct rows of each class."""

        def both(name: str) -> Any:
            left, right = getattr(self, name), getattr(other, name)
            return None if left is None else torch().cat([left, right])

        codes, hashes, weights = both("codes"), both("hashes"), both("weights")
        rows, repeats = _first_of_each(codes, hashes, both("repeats"), k, limit)
        held = None if weights is None else weights[rows]
        return ChosenRows(both("values")[rows], codes[rows], held, repeats, hashes[rows])

    def sample(self, k: int, limit: int) -> RowSample:
        def array(tensor: Tensor) -> Any:
            return tensor.cpu().numpy().copy()

        values, codes, hashes = array(self.values), array(self.codes), array(self.hashes)
        weights = None if self.weights is None else array(self.weights)
        return RowSample(values, codes, weights, array(self.repeats), hashes, k, limit)


def _first_of_each(
    codes: Tensor, hashes: Tensor, repeats: Tensor, k: int, limit: int
) -> tuple[Tensor, Tensor]:
    """Return the rows of each class with the smallest distinct hashes, with multiplicities."""
    order = torch().argsort(hashes, stable=True)
    order = order[torch().argsort(codes[order], stable=True)]
    codes, hashes = codes[order], hashes[order]
    is_new = torch().ones(codes.shape, dtype=torch().bool, device=codes.device)
    is_new[1:] = (codes[1:] != codes[:-1]) | (hashes[1:] != hashes[:-1])
    firsts = is_new.nonzero()[:, 0]
    repeats = added(repeats[order], lengths_from(firsts, codes))
    codes = codes[firsts].contiguous()
    each = torch().arange(k, dtype=torch().int64, device=codes.device)
    before = torch().searchsorted(codes, each)
    place = torch().arange(codes.shape[0], device=codes.device) - before[codes]
    kept = place < limit
    return order[firsts][kept], repeats[kept]


def _hashed(values: Tensor, codes: Tensor, weights: Tensor | None) -> Tensor:
    """int64[n], a 63-bit hash of each row: see `tally.row_sample`."""
    found = _mixed(codes.to(torch().int64))
    columns = [widened(values[:, i]) for i in range(values.shape[1])]
    if weights is not None:
        columns.append(weights)
    for column in columns:
        words = (column.to(torch().float64) + 0.0).view(torch().int64)
        found = _mixed(found ^ words)
    return _shifted(found, 1)


_SHIFTS: Final = (30, 27)


def _mixed(words: Tensor) -> Tensor:
    words = words + _signed(ADDED)
    for shift, odd in zip(_SHIFTS, ODD, strict=True):
        words = (words ^ _shifted(words, shift)) * _signed(int(odd))
    return words ^ _shifted(words, 31)


def _shifted(words: Tensor, by: int) -> Tensor:
    """Shift as for unsigned numbers: zeros are shifted in."""
    return (words >> by) & ((1 << (64 - by)) - 1)


def _signed(number: int) -> int:
    """Return the int64 of the same 64 bits; products of both wrap around equally."""
    return number - (1 << 64) if number >> 63 else number


@dataclass(frozen=True, eq=False)
class RowGroup:
    """Rows on a device.

    Attributes:
        scores: float[n, k] as given, or [n] of the positive class of two.
        true: int64[n].
        pred: int64[n], if predictions are given.
        weights: float64[n], or None.
    """

    scores: Tensor
    true: Tensor
    pred: Tensor | None
    weights: Tensor | None


@dataclass(frozen=True, eq=False)
class Chances:
    """Softmax of rows: their largest score z, and Σ exp(score − z), float64[n] each."""

    scores: Tensor
    most: Tensor
    total: Tensor

    def of(self, i: int | None) -> Tensor:
        """float64[n], the probability of class i; None: that of the one column."""
        column = self.scores if i is None else self.scores[:, i]
        return (column.to(torch().float64) - self.most).exp_() / self.total


class DeviceHistograms:
    """Histograms of rows with scores on one device, with the settings of earlier rows."""

    def __init__(self, held: HeldScores) -> None:
        columns, self._has_pred, is_weighted = held.shape
        classes, device, empty = held.classes, held.device, held.empty
        self.classes, self._kind, self._is_single = classes, held.kind, columns is None
        self._is_prob = held.kind == "probabilities"
        self._threshold, self._is_frequency = empty.threshold, empty.is_frequency and is_weighted
        self._limit, self._n_sampled = room_of(
            classes.k,
            is_prob=self._is_prob,
            is_single=self._is_single,
            is_weighted=is_weighted,
            n_bytes=empty.max_memory,
            keeps_columns=empty.keeps_columns,
        )
        self._keeps_columns = empty.keeps_columns
        self._cells = LabelTally(classes, device, is_weighted=is_weighted)
        self._losses = LossTally(classes.k, device, is_weighted=is_weighted)
        self._levels: list[ScoreLevels] = []
        self._chosen: ChosenRows | None = None

    def add(self, rows: RowGroup) -> None:
        """Add rows, all or none; synchronizes for the number of distinct scores."""
        classes, is_prob = self.classes, self._is_prob
        # They replace their content, so that a copy can be discarded.
        cells, losses = copy(self._cells), copy(self._losses)
        best, most, total = losses.add(
            rows.scores, rows.true, rows.weights, classes.positive, is_prob=is_prob
        )
        chances = Chances(rows.scores, most, total)
        cells.add(rows.true, self._predicted(rows, best, chances), rows.weights)
        ranked = self._ranked(rows.scores)
        made: list[ScoreLevels] = []

        def in_histograms(column: Tensor, codes: Tensor, k: int) -> None:
            before = self._levels[len(made)] if self._levels else None
            bits = EXACT if before is None else before.bits
            found = ScoreLevels.of(column, codes, k, rows.weights, bits, self._limit)
            made.append(found if before is None else before.merge(found, self._limit))

        # In the order of `ScoreHistograms.histograms`.
        if self._is_single:
            in_histograms(rows.scores, rows.true, classes.k)
        elif self._keeps_columns:
            for i in range(classes.k):
                in_histograms(ranked(i), rows.true, classes.k)
            for i in range(0 if is_prob else classes.k):
                in_histograms(chances.of(i), rows.true, classes.k)
            sure = 1.0 / total
            if is_prob:
                sure = rows.scores.gather(1, best[:, None])[:, 0]
            in_histograms(sure, (best == rows.true).to(torch().int64), 2)
        chosen = None
        if made:
            chosen = ChosenRows.of(rows.scores, rows.true, rows.weights, classes.k, self._n_sampled)
            if self._chosen is not None:
                chosen = self._chosen.merge(chosen, classes.k, self._n_sampled)
        self._cells, self._losses, self._levels, self._chosen = cells, losses, made, chosen

    def _predicted(self, rows: RowGroup, best: Tensor, chances: Chances) -> Tensor:
        if rows.pred is not None:
            return rows.pred
        if self._threshold is None:
            return best
        positive = self.classes.positive
        assert positive is not None
        if self._kind == "logits":
            scores = chances.of(None if self._is_single else positive)
        else:
            scores = rows.scores if self._is_single else self._ranked(rows.scores)(positive)
        return torch().where(_reaches(scores, self._threshold), positive, 1 - positive)

    def _ranked(self, scores: Tensor) -> Callable[[int], Tensor]:
        """Return what ranks the rows by class i: see `karat.data.scores.matrix.ranked_columns`."""
        if self._is_prob or (self._kind == "scores" and self.classes.k != 2) or self._is_single:
            return lambda i: scores[:, i].contiguous()
        wide, largest = scores.to(torch().float64), torch().finfo(torch().float64).max
        if self.classes.k == 2:
            return lambda i: (wide[:, i] - wide[:, 1 - i]).clamp(-largest, largest)
        return LogOdds(wide).column

    def histograms(self) -> ScoreHistograms:
        k, sample = self.classes.k, self._chosen
        if sample is None:
            some = RowSample.empty(k, k, self._n_sampled, is_weighted=self._losses.is_weighted)
        else:
            some = sample.sample(k, self._n_sampled)
        histograms = [levels.table() for levels in self._levels]
        if self._is_frequency:
            histograms = [replace(table, squares=table.counts) for table in histograms]
        n_ranks = 1 if self._is_single else k
        is_several = not self._is_single and self._keeps_columns
        return ScoreHistograms(
            self._cells.cells(),
            self._losses.sums(is_frequency=self._is_frequency),
            tuple(histograms[:n_ranks]),
            () if self._is_prob or self._is_single else tuple(histograms[k : 2 * k]),
            histograms[-1] if is_several else None,
            some,
            self._kind,
            self._limit,
            self._has_pred,
        )


_HOST_BYTES: Final = 4
"""Bytes of a 16-bit score on the host, so that rows are kept as long as there."""
_GROUP_VALUES: Final = 1 << 26


@dataclass(eq=False)
class HeldScores:
    """Rows of one device.

    Attributes:
        classes: the classes, in the order of the columns.
        empty: empty accumulator, with the settings of the rows.
        kind: whether scores are probabilities, logits or others.
        shape: as in `HeldRows`.
    """

    classes: Classes
    device: Any
    empty: ScoreParts
    kind: ScoreKind
    shape: tuple[int | None, bool, bool]
    n_rows: int = 0
    _tolerance: float = 0.0
    _chunks: list[RowGroup] = field(default_factory=list)
    _n_bytes: int = 0
    _tally: DeviceHistograms | None = None

    def add(self, rows: RowGroup, tolerance: float) -> None:
        """Add rows that no other code writes to, all or none.

        Cost: none, until `max_memory` is reached, when they are put into histograms.
        """
        self._chunks.append(rows)
        self._n_bytes += self._bytes_of(rows)
        try:
            room = self.empty.max_memory
            if self._n_bytes > (room if self._tally is None else room // 4):
                self._put_into_tables()
        except BaseException:
            # Earlier rows may be in histograms now: after a failure, these and later rows stay.
            if self._chunks and self._chunks[-1] is rows:
                self._chunks.pop()
                self._n_bytes -= self._bytes_of(rows)
            raise
        self.n_rows += int(rows.true.shape[0])
        self._tolerance = max(self._tolerance, tolerance)

    def _bytes_of(self, rows: RowGroup) -> int:
        """Return the bytes that rows would take on the host."""
        columns, has_pred, is_weighted = self.shape
        item = max(rows.scores.element_size(), _HOST_BYTES)
        each: int = item * (columns or 1) + 4 + 4 * has_pred + 8 * is_weighted
        return int(rows.true.shape[0]) * each

    def _put_into_tables(self) -> None:
        tally = self._tally or DeviceHistograms(self)
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

    def parts(self, *, is_in_histograms: bool) -> ScoreParts:
        """Return the rows, on the host.

        Args:
            is_in_histograms: whether they will be added to histograms.
        """
        if self._chunks and (is_in_histograms or self._tally is not None):
            self._put_into_tables()
        if self._tally is not None:
            histograms = self._tally.histograms()
            if self.shape[2]:
                refuse_sums(np.asarray(histograms.sums.truth, np.float64))
            return replace(self.empty, histograms=histograms, shape=self.shape)
        chunk = _landed(_joined(self._chunks))
        if chunk.weights is not None:
            totals = np.bincount(chunk.codes, chunk.weights, self.classes.k)
            refuse_sums(np.asarray(totals, np.float64))
        held = HeldRows(self.classes, (chunk,), self.kind, self._tolerance)
        return replace(self.empty, held=held, shape=self.shape)


def _joined(chunks: list[RowGroup]) -> RowGroup:
    """Concatenate rows, as float64 if some are."""

    def column(name: str) -> Tensor:
        parts = [getattr(chunk, name) for chunk in chunks]
        if parts[0] is None:
            return None
        dtypes = {part.dtype for part in parts}
        if len(dtypes) > 1:
            parts = [widened(part) for part in parts]
        return parts[0] if len(parts) == 1 else torch().cat(parts)

    scores, true, pred = column("scores"), column("true"), column("pred")
    to = torch().int64
    pred = None if pred is None else pred.to(to)
    return RowGroup(scores, true.to(to), pred, column("weights"))


def _landed(rows: RowGroup) -> RowChunk:
    def array(tensor: Tensor, dtype: Any) -> Any:
        return np.ascontiguousarray(tensor.to(dtype).cpu().numpy())

    scores = rows.scores.cpu()  # 16-bit values are transferred as 16 bits
    return RowChunk(
        array(rows.true, torch().int32),
        np.ascontiguousarray(widened(scores).numpy()),
        None if rows.pred is None else array(rows.pred, torch().int32),
        None if rows.weights is None else array(rows.weights, torch().float64),
    )


def _reaches(scores: Tensor, threshold: float) -> Tensor:
    """bool[m]: as `karat.tally.shared.reaches`, without a copy on the host."""
    values, rounded = widened(scores), float(np.float32(threshold))
    if values.dtype == torch().float32:
        return values >= rounded
    return (values >= threshold) | (values == rounded)
