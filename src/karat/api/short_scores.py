"""The short path of the functions of scores: two arrays as they are, and nothing else given.

What is unusual, refused or undefined is None, and the long path says what is wrong, and where.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.as_ndarray import as_ndarray
from karat.data.scores.areas import AreasAhead
from karat.data.scores.containers import TOLERANCE
from karat.data.scores.matrix_columns import Columns
from karat.data.scores.ranking import Ranked
from karat.metrics._lift import Lift
from karat.metrics._measure import ROUNDING, lifted
from karat.metrics._metric import Metric
from karat.metrics._record import Record
from karat.metrics._views import ClassRanks, Losses
from karat.tally.sums import LOSSES, ReadSums

__all__ = ["Short", "short_path"]

Short: TypeAlias = Callable[[Any, Any, Any], float | None]
"""(y_true, y_prob, y_score) → the value, or None."""
_Read: TypeAlias = Callable[[npt.NDArray[Any], npt.NDArray[Any], int, bool], float]
_PLACES: Final = 1 << len(LOSSES)


def short_path(record: Record, lift: Lift) -> Short | None:
    """How a metric is computed on arrays alone; None: it has no short path."""
    if any(item.is_required for item in record.parameters):
        return None
    read = _reader(record, lift)
    if read is None:
        return None
    low, high = record.range

    def run(y_true: Any, y_prob: Any, y_score: Any) -> float | None:
        is_prob = y_score is None
        true, values = as_ndarray(y_true), as_ndarray(y_prob if is_prob else y_score)
        if (
            true is None
            or values is None
            or not (is_prob or y_prob is None)
            or true.dtype.kind not in "iub"
            or values.dtype.char not in "df"
        ):
            return None
        k = values.shape[1] if values.ndim == 2 else 2
        try:
            codes, labels = _native.encode_integers(true, 0)
            if len(labels) != k or k < 2:
                return None
            # Any byte but 0 is true.
            if true.dtype.kind == "b" and labels[-1] != 1:
                return None
            value = read(codes, values, k, is_prob)
        except (ValueError, TypeError):
            return None
        if low <= value <= high and isfinite(value):
            return value
        # Rounding of sums may pass the end of the range.
        if high < value <= high + ROUNDING:
            return float(high)
        if low - ROUNDING <= value < low:
            return float(low)
        return None

    return run


def _reader(record: Record, lift: Lift) -> _Read | None:
    params = dict(Metric.defaults(record))
    if record.reads is Losses:
        return _of_losses(record, params)
    if record.reads is ClassRanks and lift == "plain":
        return _of_two_classes(record, params)
    if record.reads is ClassRanks and lift in ("macro", "weighted"):
        return _of_each_class(record, params, lift)
    return None


def _of_losses(record: Record, params: dict[str, Any]) -> _Read:
    bits = sum(_PLACES if name == "places" else 1 << LOSSES.index(name) for name in record.needs)

    def read(codes: Any, values: Any, k: int, is_prob: bool) -> float:
        sums = _native.read_scores(values, codes, k, None, is_prob, TOLERANCE, bits, 0)
        return float(record.formula(Losses(ReadSums(sums), k), **params))

    return read


def _of_two_classes(record: Record, params: dict[str, Any]) -> _Read:
    def read(codes: Any, values: Any, k: int, is_prob: bool) -> float:
        if k != 2:
            return np.nan
        if is_prob or values.ndim == 2:
            _native.read_scores(values, codes, 2, None, is_prob, TOLERANCE, 0, 0)
        column = values if values.ndim == 1 else values[:, 1]
        packed = _native.pack_scores(column, codes, 1, 2, None, 0)
        n_pos = int(np.count_nonzero(codes))
        view = ClassRanks.of_sides(Ranked(packed, 2, 1), len(codes) - n_pos, n_pos)
        return float(record.formula(view, **params))

    return read


def _of_each_class(record: Record, params: dict[str, Any], lift: Lift) -> _Read:
    def read(codes: Any, values: Any, k: int, is_prob: bool) -> float:
        if values.ndim == 1:
            return np.nan
        totals = _native.read_scores(values, codes, k, None, is_prob, TOLERANCE, 0, 0).truth
        each, columns = np.empty(k), Columns(values)
        ahead = AreasAhead(k, len(codes), 0, columns.n_together)

        def ranked(i: int) -> Ranked:
            return Ranked(_native.pack_scores(columns[i], codes, i, k, None, 0), k, i, totals)

        for i, n_pos in enumerate(totals.tolist()):
            view = ClassRanks.of_sides(ahead.column(i, ranked), len(codes) - n_pos, n_pos)
            each[i] = record.formula(view, **params)
        if not np.isfinite(each).all():
            return np.nan
        return float(lifted(each, lift, None, totals, "zero").value)

    return read
