"""Rows of a stream as they are kept: codes of the labels, weights and scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.column import Column, Flags
from karat.data.row_names import RowNames
from karat.data.sources.arrays.labels import tally_columns
from karat.data.sources.files.row_blocks import RowBlocks
from karat.tally import Cells, Classes
from karat.tally.row_parts import row_parts

__all__ = ["Codes", "Gathered", "LabelCodes"]

Codes: TypeAlias = npt.NDArray[np.int32]


@dataclass
class LabelCodes:
    """Codes of the labels of a stream; those of numbers are given here, those of text are."""

    places: dict[int, int] = field(default_factory=dict)

    def codes(self, part: npt.NDArray[Any], *, is_text: bool) -> Codes:
        """int32[n]: the code of each row."""
        if is_text or not len(part):
            return np.array(part, np.int32)
        codes, values = _native.encode_integers(part)
        lut = [self.places.setdefault(value, len(self.places)) for value in values.tolist()]
        return np.take(np.array(lut, np.int32), codes)


@dataclass
class Gathered:
    """What was read.

    Attributes:
        true, pred: int32[n], codes of the labels.
        weights: float64[n], or None.
        values: the scores, or None without any.
        kept: bool[m] of the rows of the source.
        numbers: the label of each code, where labels are numbers.
        names: ids and clusters, in the order of the read.
    """

    true: Codes
    pred: Codes
    weights: npt.NDArray[np.float64] | None
    values: npt.NDArray[Any] | None
    kept: Flags
    numbers: tuple[int, ...]
    names: tuple[RowNames, ...] = ()

    @property
    def n(self) -> int:
        """Rows of the source."""
        return len(self.kept)

    def counted(self, rows: RowBlocks, n_threads: int | None) -> Cells:
        """The tally of the codes, as `file_labels` knows it: numbers are their own codes."""
        true, pred = (
            Column(f"column {name!r}", codes, "integer")
            for name, codes in zip(rows.names, (self.true, self.pred), strict=False)
        )
        found = tally_columns(true, pred, n_threads=n_threads)
        if rows.is_text:
            return found
        numbers = tuple(self.numbers[int(code)] for code in found.classes.labels)
        return found.with_classes(Classes(numbers))

    def drop(self, flags: Flags) -> None:
        """Leave rows out; the scores move together within their own memory."""
        if not flags.any():
            return
        rows = np.flatnonzero(~flags)
        self.true, self.pred = self.true[rows], self.pred[rows]
        self.weights = None if self.weights is None else self.weights[rows]
        self.names = tuple(name.at(rows) for name in self.names)
        if self.values is not None:
            for part in row_parts(len(rows)):
                self.values[part] = self.values[rows[part]]
            self.values = self.values[: len(rows)]
        places = np.flatnonzero(self.kept)
        self.kept = np.zeros(len(self.kept), np.bool_)
        self.kept[places[rows]] = True
