"""gain · influence added up over classes, and finished when all of them are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics._influence.columns import Column, Placing, value_and_influence
from karat.metrics._influence.forms import Influence
from karat.metrics._measure import Views
from karat.tally import ScoredRows
from karat.tally.row_parts import row_parts

__all__ = ["Sum", "place", "sum_alone"]

Floats: TypeAlias = npt.NDArray[np.float64]


class Sum:
    """gain · influence of each class, added up: of one average, or of one class alone.

    Attributes:
        out: float64[n].
        offsets: float64[k], what the rows of a true class share.
        values: float64[k], the value of each class, NaN where it has none.
    """

    def __init__(self, out: Floats, k: int) -> None:
        self.out = out
        self.offsets = np.zeros(k)
        self.values = np.full(k, np.nan)
        self.factor = 1.0
        self.is_finished = False

    def influence(self, rows: ScoredRows, scale: float) -> Floats:
        """float64[n]."""
        if not np.isfinite(self.factor):
            return np.full(len(self.out), np.nan)
        found = np.empty(len(self.out))
        for part in row_parts(len(found)):
            found[part] = self.out[part] + self.offsets[rows.codes[part]]
        found *= scale * self.factor
        return found


def place(views: Views, placings: Sequence[Placing], block: Floats) -> None:
    """Apply one placing to each row of block[m, n]."""
    if not any(placing.own_gains.any() for placing in placings):
        return
    views.ranks.ranked.add_placements(
        np.stack([placing.own_gains for placing in placings]),
        np.stack([placing.rest_gains for placing in placings]),
        block,
    )


def sum_alone(form: Influence, at: Column, n: int, n_offsets: int, gain: float = 1.0) -> Sum:
    """The influence on the metric of one class."""
    block = np.zeros((1, n))
    found = Sum(block[0], n_offsets)
    value, placing = value_and_influence(form, at, gain, found.out, found.offsets)
    if placing is not None:
        place(at.views, [placing], block)
    if not np.isfinite(value):
        found.factor = np.nan
    return found
