"""Classes that were given beforehand: plain integers are put on them batch by batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.align import Side, align
from karat.data.labels.containers import encode
from karat.errors import KaratError
from karat.tally.cells import Cells
from karat.tally.classes import Classes, Label

__all__ = ["GivenClasses"]

_MOST: Final = 256
"""Of more classes a matrix may be larger than what it is counted from."""


class GivenClasses:
    """Whole numbers as classes, with the table that finds them.

    What is unusual or refused is None, and the long path says what is wrong, and where.

    Attributes:
        classes: the classes.
    """

    def __init__(self, classes: Classes, side: Side) -> None:
        self.classes = classes
        self._base, self._lut = side.base, side.lut

    @classmethod
    def of(cls, labels: Sequence[Label], positive: Any) -> GivenClasses | None:
        """The classes, where they are few whole numbers that lie close together."""
        if len(labels) > _MOST or any(type(label) is not int for label in labels):
            return None
        try:
            column = encode(np.array(labels[:1], np.int64), "labels")
            aligned = align(column, column, labels, positive)
        except (KaratError, OverflowError):
            return None
        # A column that keeps its integers is read through a table.
        is_short = aligned.true.column.labels is None
        return cls(aligned.classes, aligned.true) if is_short else None

    def count(self, y_true: Any, y_pred: Any, n_threads: int | None) -> Cells | None:
        """The tally of two columns of plain integers."""
        if not (_are_plain(y_true) and _are_plain(y_pred) and len(y_true) == len(y_pred)):
            return None
        base, lut = self._base, self._lut
        try:
            tally = _native.count_codes(
                y_true, base, lut, y_pred, base, lut, self.classes.k, None, True, n_threads or 0
            )
        except (ValueError, TypeError):
            return None
        return Cells.from_native(tally, self.classes)

    def codes(self, y_true: Any) -> npt.NDArray[np.int32] | None:
        """int32[n]: the classes of a column of plain integers."""
        if not _are_plain(y_true):
            return None
        least, most = int(y_true.min()), int(y_true.max())
        if not self._base <= least <= most < self._base + len(self._lut):
            return None
        places = y_true.astype(np.int64, copy=False)
        codes = np.take(self._lut, places - self._base if self._base else places)
        return codes if len(self._lut) == self.classes.k or codes.min() >= 0 else None


def _are_plain(values: Any) -> bool:
    return (
        type(values) is np.ndarray
        and values.ndim == 1
        and len(values) > 0
        and values.dtype.kind in "iu"
    )
