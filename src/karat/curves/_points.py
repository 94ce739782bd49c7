"""Operating points of one class: how many rows are called positive from each threshold on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from karat.curves._curve import Floats
from karat.metrics import ClassRanks

__all__ = ["Points"]


@dataclass(frozen=True, eq=False)
class Points:
    """What can be reached by a threshold on the score of one class, best first.

    The first point stands above every score: threshold inf, nothing is called positive.

    Attributes:
        thresholds: float64[t], descending.
        tps, fps: float64[t], weight of the true and of the false positives at or above it.
        n_full: points of the whole ladder, of which these may be some.
        roc_area: area under the true by the false positive rate, of the whole ladder.
        step_area: area under precision by the true positive rate, as steps.
        trapezoid_area: the same with straight lines.
    """

    thresholds: Floats
    tps: Floats
    fps: Floats
    n_full: int
    roc_area: float
    step_area: float
    trapezoid_area: float

    @classmethod
    def of(cls, ranks: ClassRanks) -> Points:
        """Every point of a sorted column.

        Cost: O(rungs), beside the areas: three walks over the sorted rows.
        """
        # The point above every score first.
        first = (np.inf, 0.0, 0.0)
        thresholds, tps, fps = (
            np.concatenate([[start], part]) for start, part in zip(first, ranks.curve, strict=True)
        )
        return cls.some(ranks, thresholds, tps, fps, len(thresholds))

    @classmethod
    def some(
        cls, ranks: ClassRanks, thresholds: Floats, tps: Floats, fps: Floats, n_full: int
    ) -> Points:
        """Some of the points of a sorted column, with the areas of the whole."""
        areas = ranks.area, ranks.step_area, ranks.trapezoid_area
        return cls(thresholds, tps, fps, n_full, *areas)

    @property
    def n_pos(self) -> float:
        """Weight of the rows truly of the class."""
        return float(self.tps[-1])

    @property
    def n_neg(self) -> float:
        """Weight of the other rows."""
        return float(self.fps[-1])

    def __len__(self) -> int:
        return len(self.thresholds)

    def at(self, places: npt.NDArray[np.intp]) -> Points:
        """Some of the points."""
        columns = self.thresholds[places], self.tps[places], self.fps[places]
        areas = self.roc_area, self.step_area, self.trapezoid_area
        return Points(*columns, self.n_full, *areas)
