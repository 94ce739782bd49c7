"""Interface of rows with scores: sums of losses, and sorted columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from karat.tally.classes import Classes
from karat.tally.cumulative_counts import CumulativeCounts, LevelSource, Steps, ThresholdPoints
from karat.tally.score_kind import ScoreKind
from karat.tally.sums import Sums

Floats = npt.NDArray[np.float64]
N_LONG: Final = 1 << 21
"""Number of rows above which reports save memory: they keep no array for each score level, and no
sorted column while another one waits."""


class Placements(NamedTuple):
    """Variation of the placements of rows; arrays: of the rest, then of the own class.

    The placement V of a row is the proportion of the weight of the other side that it is ranked
    correctly against (own above rest), with ties counting half. A is the mean of V, the same for
    both sides.

    Attributes:
        weight, square: float64[2], Σw and Σw².
        spread: float64[2], Σw²(V − A)²; NaN where either side has no weight.
        size: Σw|V − A| of the own rows.
    """

    weight: Floats
    square: Floats
    spread: Floats
    size: float


class RankedColumn(LevelSource, Protocol):
    """Rows ordered by one column, of one class against the others.

    Attributes:
        k: number of classes.
        own: the class of the column.
        n_rows: rows.
        is_weighted: whether rows have weights.
        totals: number[k], weight of the rows of each class.
    """

    @property
    def k(self) -> int: ...
    @property
    def own(self) -> int: ...
    @property
    def totals(self) -> npt.NDArray[Any]: ...

    def areas(self) -> npt.NDArray[Any]:
        """number[k]: over pairs (row of own, row of c), Σ w·w'·(2·[s > s'] + [s = s'])."""
        ...

    def step_area(self) -> float:
        """Σ over thresholds of (increase of true positives) × precision."""
        ...

    def trapezoid_area(self) -> float:
        """Area under precision by the part of own found, straight lines between thresholds."""
        ...

    def placements(self) -> Placements:
        """Return the variation of the placements of rows."""
        ...

    def add_influences(
        self, own_gains: Floats, rest_gains: Floats, lifts: Floats, out: Floats
    ) -> None:
        """Add the terms of rows to out[n, m]; see `data.scores.ranking.Ranked.add_influences`."""
        ...

    def lift_squares(self, *, is_straight: bool = False) -> Floats:
        """float64[2] of rest and own: Σ w² · (term of `add_influences` for a lift of 1)²."""
        ...

    def cumulative(self) -> CumulativeCounts:
        """Distinct scores, best first, with the weight of own class and the rest."""
        ...

    def points(self) -> ThresholdPoints:
        """Thresholds, true and false positives after a first threshold above every score."""
        ...

    def steps(self) -> Iterable[Steps]:
        """Score levels with cumulative counts, best first, at most `N_BLOCK` at once."""
        ...


class ScoredRows(Protocol):
    """Rows with a true class and a score for each class.

    Attributes:
        classes: the classes, in the order of the columns.
        n_rows: rows.
        is_weighted: whether rows have weights.
        kind: whether the scores are probabilities, logits or others.
        is_prob: whether they are probabilities as given.
        has_one_order: whether the score and the probability of a class have the same order.
        codes: int32[n], the true class of each row.
        weights: float64[n], or None.
        n_threads: number of threads; 0: the default.
    """

    @property
    def n_threads(self) -> int: ...
    @property
    def classes(self) -> Classes: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def is_weighted(self) -> bool: ...
    @property
    def kind(self) -> ScoreKind: ...
    @property
    def is_prob(self) -> bool: ...
    @property
    def has_one_order(self) -> bool: ...
    @property
    def codes(self) -> npt.NDArray[np.int32]: ...
    @property
    def weights(self) -> Floats | None: ...

    def check(self) -> None:
        """Refuse invalid values and weights."""
        ...

    def sums(self, names: Iterable[str]) -> Sums:
        """Return losses by name, and ranks, in one read."""
        ...

    def class_squares(self) -> Floats:
        """float64[k], Σw² of the rows of each true class."""
        ...

    def row_losses(self, name: str, part: slice) -> Floats:
        """float64[m]: a loss, or the rank, of each row of a part."""
        ...

    def probabilities(self, i: int, part: slice) -> Floats:
        """float64[m]: the probability of class i of each row of a part."""
        ...

    def column(self, i: int, *, names_rows: bool = False) -> RankedColumn:
        """Return the rows ordered by the score of class i, its log-odds of logits."""
        ...

    def probability_column(self, i: int, *, names_rows: bool = False) -> RankedColumn:
        """Return the rows ordered by the probability of class i."""
        ...

    def by_threshold(self, column: Any) -> RankedColumn:
        """Return a column of probabilities whose levels are at their thresholds, not their mean."""
        ...

    def pooled(self, *, names_rows: bool = False) -> RankedColumn:
        """Return every row and class as one row of two classes: whether it is the true class."""
        ...

    def column_values(self, i: int, *, is_prob: bool) -> npt.NDArray[Any]:
        """float[n]: the score of class i, its log-odds of logits; or its probability."""
        ...

    def confidence_values(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
        """float[n] and bool[n]: probability of the predicted class, and whether it is true."""
        ...

    def confidences(self) -> RankedColumn:
        """Return the rows ordered by the probability of the predicted class; own: it is correct."""
        ...

    def pair_areas(
        self, cost: Floats | None, placed: Floats | None = None
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """number[k, k] for i < j and number[k]; see `data.scores.ranking.pair_areas`."""
        ...
