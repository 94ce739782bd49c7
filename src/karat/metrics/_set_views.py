"""Input of metrics of scores of sets: the labels of each row in the order of their scores.

A body that reads `RankedLabels` or `PooledLosses` gives one value for each row, NaN where the row
does not define it; or, of a ratio of sums, such values and how much each row counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.tally.cached import cached_property
from karat.tally.label_scores import LabelPlaces
from karat.tally.sets import Sets
from karat.tally.sums import LOSSES, clipped_at

Floats: TypeAlias = npt.NDArray[np.float64]
OfEachRow: TypeAlias = "Floats | tuple[Floats, Floats]"


@dataclass(frozen=True)
class RankedLabels:
    """The labels of each row in the order of their scores, the best first.

    Attributes:
        true: the true labels of each row, m of all rows.
        places: where they stand.
        n_known: int64[n], known labels of each row.
        k: labels.
    """

    true: Sets
    places: LabelPlaces
    n_known: npt.NDArray[np.int64]
    k: int

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.true)

    @cached_property
    def n_true(self) -> Floats:
        """float64[n]: true labels of each row."""
        return self.true.sizes.astype(np.float64)

    @cached_property
    def rows(self) -> npt.NDArray[np.int64]:
        """int64[m]: the row of each true label."""
        return self.true.rows

    @cached_property
    def above(self) -> Floats:
        """float64[m]: labels that score more than each true label."""
        return self.places.above.astype(np.float64)

    @cached_property
    def tied(self) -> Floats:
        """float64[m]: labels that score the same, itself among them."""
        return self.places.tied.astype(np.float64)

    @cached_property
    def last_place(self) -> Floats:
        """float64[m]: the place of each true label, the worst of those it may have among equals."""
        return self.above + self.tied

    @cached_property
    def first_above(self) -> Floats:
        """float64[n]: labels that score more than the best true label; NaN without one."""
        found = np.full(self.n, np.inf)
        np.minimum.at(found, self.rows, self.above)
        return np.where(self.n_true > 0, found, np.nan)

    def added(self, values: Floats) -> Floats:
        """float64[n]: Σ over the true labels of each row of a number for each, float64[m]."""
        return np.bincount(self.rows, values, self.n).astype(np.float64)

    def mean(self, values: Floats) -> Floats:
        """float64[n]: the mean over the true labels; NaN without one."""
        with np.errstate(invalid="ignore"):
            return self.added(values) / np.where(self.n_true > 0, self.n_true, np.nan)

    def chance_within(self, k: int, ties: str) -> Floats:
        """float64[m]: the chance of each true label to stand among the first k.

        Equal scores stand in any order, each as likely; or in the order of the labels.
        """
        if ties == "order":
            return np.asarray(self.above + self.places.before < k, np.float64)
        return np.asarray(np.clip((k - self.above) / np.maximum(self.tied, 1.0), 0.0, 1.0))

    def gain_within(self, k: int | None, ties: str) -> Floats:
        """float64[m]: mean of 1 ÷ log2(place + 1) over the places that it may have up to k."""
        if ties == "order":
            first = self.places.above + self.places.before
            gains: Floats = self.discounts(k)[first + 1] - self.discounts(k)[first]
            return gains
        ends = self.discounts(k)[[self.places.above + self.places.tied, self.places.above]]
        found: Floats = (ends[0] - ends[1]) / np.maximum(self.tied, 1.0)
        return found

    def discounts(self, k: int | None) -> Floats:
        """float64[k + 1]: Σ 1 ÷ log2(r + 1) of the first places r, up to place k."""
        found = self._discounts
        if k is None or k >= self.k:
            return found
        return np.asarray(np.minimum(found, found[k]))

    @cached_property
    def _discounts(self) -> Floats:
        each = 1.0 / np.log2(np.arange(2.0, self.k + 2.0))
        return np.concatenate([np.zeros(1), np.cumsum(each)])

    @cached_property
    def share_above(self) -> Floats:
        """float64[m]: of the labels that score as much as each true one, the share that is true."""
        own = self.places.above_true.astype(np.float64) + self.places.tied_true
        share: Floats = own / np.maximum(self.last_place, 1.0)
        return share

    @property
    def wrong_pairs(self) -> Floats:
        """float64[n]: pairs of a true and a false label where the false one scores as much."""
        own = self.places.above_true.astype(np.float64) + self.places.tied_true
        return self.added(self.last_place - own)

    @property
    def tied_pairs(self) -> Floats:
        """float64[n]: pairs of a true and a false label that score the same."""
        return self.added(self.tied - self.places.tied_true)

    @property
    def n_pairs(self) -> Floats:
        """float64[n]: pairs of a true and a false label; NaN where there are none."""
        found = self.n_true * (self.n_known - self.n_true)
        return np.where(found > 0, found, np.nan)


@dataclass(frozen=True, slots=True)
class RowFormula:
    """A metric of the labels of one row, and its mean over the rows.

    Attributes:
        formula: what it is of each row.
        of_undefined: what a row counts that does not define it; None: it is left out.
    """

    formula: Callable[..., OfEachRow]
    of_undefined: float | None = None


@dataclass(frozen=True, slots=True)
class PooledLosses:
    """Losses of each row, added over its known labels.

    Attributes:
        losses: gives float64[n] of a loss by its name, see `tally.sums`.
        n_known: float64[n], known labels.
    """

    losses: Callable[[str], Floats]
    n_known: Floats

    def negative_log_probability(self, eps: float | None) -> Floats:
        """float64[n]: Σ −ln of the probability of what is true, clipped unless eps is None."""
        return self.losses(LOSSES[0] if eps is None else clipped_at(eps))

    @property
    def squared_error(self) -> Floats:
        """float64[n]: Σ (p − true)²."""
        # Of two classes each is as far off as the other.
        return 0.5 * self.losses("squared_error")


@dataclass(frozen=True, slots=True)
class LabelAreas:
    """The area under the ROC curve of each label.

    Attributes:
        areas: float64[k], NaN where a label is true in no row or in every one.
    """

    areas: Floats


@dataclass(frozen=True, slots=True)
class RankedCells:
    """Every known cell of every row, the best score first.

    Attributes:
        scores: float64[m].
        rows: int64[m], the row of each.
        is_true: bool[m].
        n_true: int64[n], true labels of each row.
        weights: float64[n], of the rows.
    """

    scores: Floats
    rows: npt.NDArray[np.int64]
    is_true: npt.NDArray[np.bool_]
    n_true: npt.NDArray[np.int64]
    weights: Floats
