"""Rows of a stream on devices, each of which tallies its own rows until they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from karat.data.labels.align import align
from karat.data.labels.column import coded, harmonized
from karat.data.scores.classes import both_decide, checked_threshold, matched
from karat.data.scores.containers import Scores, tolerance_of
from karat.data.scores.storage import ScoreParts
from karat.data.sources.torch.faults import Check, Faults, label_checks, score_checks, weight_checks
from karat.data.sources.torch.held_scores import HeldScores, RowGroup
from karat.data.sources.torch.label_tally import Coder, LabelTally, whole
from karat.data.sources.torch.score_histograms import is_half
from karat.data.sources.torch.tensors import DeviceArrays, Tensor, calm, torch
from karat.data.weights import refuse_sums
from karat.errors import error
from karat.tally.algebra import union
from karat.tally.cells import Cells
from karat.tally.classes import Classes, Label
from karat.tally.held_rows import check_alike
from karat.tally.score_kind import ARGUMENTS


@dataclass(eq=False)
class _OfDevice:
    faults: Faults
    coder: Coder
    labels: LabelTally | None = None
    scores: HeldScores | None = None


@dataclass(eq=False)
class DeviceTallies:
    """Rows that were added on devices and not read yet.

    Attributes:
        empty: empty accumulator, with the settings of the rows.
        n_rows: number of rows, without synchronization.
    """

    empty: ScoreParts
    _devices: dict[Any, _OfDevice] = field(default_factory=dict)
    n_rows: int = 0

    @property
    def has_labels(self) -> bool:
        return any(held.labels is not None for held in self._devices.values())

    @property
    def has_scores(self) -> bool:
        return any(held.scores is not None for held in self._devices.values())

    @property
    def classes(self) -> Classes | None:
        return next((held.faults.classes for held in self._devices.values()), None)

    def add_labels(
        self, rows: DeviceArrays, classes: Classes, *, is_part: bool, is_waited_for: bool
    ) -> None:
        """Add labels alone, without synchronization unless there are thousands of classes.

        Args:
            is_part: whether they are part of more rows, so that these may all weigh 0.
            is_waited_for: whether errors are raised at once, and the rows not added.

        Errors:
            K203 earlier rows had weights, or had none.
        """
        with calm(rows.device):
            is_weighted = rows.weights is not None
            held = self._of(rows.device, classes)
            tally = held.labels or LabelTally(classes, rows.device, is_weighted=is_weighted)
            if tally.is_weighted != is_weighted:
                kinds = ["unweighted", "weighted"]
                raise error("K203", left=kinds[tally.is_weighted], right=kinds[is_weighted])
            true, pred, weights, checks = _read(rows, held.coder.places, [], may_be_zero=is_part)
            with self._kept(held, rows, checks, 0.0, is_waited_for):
                tally.add(true, pred, weights)
                held.labels = tally

    def add_scores(
        self,
        rows: DeviceArrays,
        classes: Classes,
        before: ScoreParts | None,
        *,
        is_waited_for: bool,
    ) -> None:
        """Add rows with scores, without synchronization while they fit.

        Args:
            before: the rows on the host.
            is_waited_for: as in `add_labels`.

        Errors:
            K136 the threshold; K140 a threshold together with predictions; K201, K202, K203 rows of
            a different kind than earlier ones.
        """
        scores = rows.scores
        assert scores is not None
        threshold = self.empty.threshold
        if rows.pred is not None and threshold is not None:
            raise both_decide("y_pred", threshold)
        checked_threshold(threshold, classes, rows.kind)
        columns = None if scores.ndim == 1 else int(scores.shape[1])
        shape = (columns, rows.pred is not None, rows.weights is not None)
        with calm(rows.device):
            new = HeldScores(classes, rows.device, self.empty, rows.kind, shape)
            others = [held.scores for held in self._devices.values() if held.scores is not None]
            for other in (before, *others):
                if other is not None:
                    check_alike(other, new)
            held = self._of(rows.device, classes)
            kept = held.scores or new
            tolerance = tolerance_of(is_half=is_half(scores))
            checks = score_checks(scores, rows.kind, tolerance)
            true, pred, weights, checks = _read(rows, held.coder.codes, checks, may_be_zero=True)
            with self._kept(held, rows, checks, tolerance, is_waited_for):
                # The caller may write to the tensors afterwards.
                to = torch().int32
                group = RowGroup(
                    scores.clone(memory_format=torch().contiguous_format),
                    true.to(to),
                    None if pred is None else pred.to(to),
                    None if weights is None else weights.clone(),
                )
                kept.add(group, tolerance)
                held.scores = kept

    @contextmanager
    def _kept(
        self,
        held: _OfDevice,
        rows: DeviceArrays,
        checks: list[Check],
        tolerance: float,
        is_waited_for: bool,
    ) -> Iterator[None]:
        """Context that checks rows, and keeps their tally unless the with statement fails."""
        with held.faults.unless_refused():
            faults = Faults(held.faults.classes) if is_waited_for else held.faults
            faults.look(checks, rows.n, tolerance)
            if is_waited_for:
                faults.check()
            yield
        self._devices[rows.device] = held
        self.n_rows += rows.n

    def _of(self, device: Any, classes: Classes) -> _OfDevice:
        """Return the tally of a device; kept after rows were added."""
        found = self._devices.get(device)
        return found or _OfDevice(Faults(classes), Coder(classes.labels, device))

    def check(self) -> None:
        """Synchronize with the devices, and raise the error of any batch.

        Errors:
            K104, K105, K109 labels; K131 to K133 scores; K113 to K115, K125 weights.
        """
        for device, held in self._devices.items():
            with calm(device):
                _wait_for(device)
                held.faults.check()

    def landed(self, *, is_in_histograms: bool) -> tuple[Cells | None, ScoreParts | None]:
        """Return the tallies of the devices, on the host.

        Args:
            is_in_histograms: whether the host has histograms of scores.

        Errors:
            As in `check`.
        """
        self.check()
        cells: Cells | None = None
        scores: ScoreParts | None = None
        for device, held in self._devices.items():
            with calm(device):
                if held.labels is not None:
                    part = held.labels.cells()
                    if part.is_weighted:
                        refuse_sums(np.asarray(part.counts, np.float64))
                    cells = part if cells is None else union(cells, part)
                if held.scores is not None:
                    rows = held.scores.parts(is_in_histograms=is_in_histograms)
                    scores = rows if scores is None else scores.merge(rows)
        return cells, scores

    def clear(self) -> None:
        self._devices, self.n_rows = {}, 0


def _wait_for(device: Any) -> None:
    """Wait for streams of the device other than that of this thread, which may have added rows."""
    found: Any = getattr(torch(), device.type, None)
    if hasattr(found, "synchronize") and device.type != "cpu":
        found.synchronize(device)


def _read(
    rows: DeviceArrays,
    found: Callable[[Tensor], tuple[Tensor, Tensor]],
    of_scores: list[Check],
    *,
    may_be_zero: bool,
) -> tuple[Tensor, Tensor | None, Tensor | None, list[Check]]:
    """Return the classes, predictions and float64 weights of rows, with their checks."""
    codes: list[Tensor | None] = []
    checks: list[Check] = []
    for argument, labels in (("y_true", rows.true), ("y_pred", rows.pred)):
        if labels is None:
            codes.append(None)
            continue
        numbers = whole(labels)
        own, outside = found(numbers)
        codes.append(own)
        checks += label_checks(argument, labels, numbers, outside)
    checks += of_scores
    weights = None if rows.weights is None else rows.weights.to(torch().float64)
    if weights is not None:
        checks += weight_checks(weights, may_all_be_zero=may_be_zero)
    return codes[0], codes[1], weights, checks


def classes_of_labels(labels: Sequence[Label], positive: Any, rows: DeviceArrays) -> Classes | None:
    """Return the classes that a caller listed; None if tensors cannot have such labels.

    Errors:
        K111, K112 the positive class; K134 the columns do not match the classes.
    """
    if any(isinstance(label, str) or not -(1 << 63) <= label < 1 << 63 for label in labels):
        return None
    column = coded("y_true", np.arange(len(labels), dtype=np.int32), labels)
    if rows.scores is None:
        return align(column, column, labels, positive).classes
    shape = (len(labels), *rows.scores.shape[1:])
    return matched(column, Scores(ARGUMENTS[rows.kind], np.zeros(shape)), labels, positive)[1]


def labels_that_occur(columns: Sequence[Tensor | None]) -> tuple[Label, ...] | None:
    """Return the sorted labels of some columns, with synchronization.

    Returns:
        None if a value is not a label.
    """
    given = [column for column in columns if column is not None]
    with calm(given[0].device):
        found: set[int] = set()
        for column in given:
            numbers = whole(column)
            is_whole = (numbers.to(column.dtype) == column).all()
            values = torch().unique(numbers)
            if column.dtype.is_floating_point and not bool(is_whole):
                return None
            found |= set(values.tolist())
    is_bool = all(column.dtype == torch().bool for column in given)
    return harmonized(sorted(found), "boolean" if is_bool else "integer")
