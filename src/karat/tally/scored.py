"""What an engine offers to whoever measures scores: tallies on demand, one column at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from karat.tally.classes import Classes
from karat.tally.ladder import Ladder
from karat.tally.rungs import RungSource
from karat.tally.sums import Sums

__all__ = ["RankedColumn", "ScoredRows"]


class RankedColumn(RungSource, Protocol):
    """Rows ordered by one column, of one class against the others.

    Attributes:
        k: number of classes.
        own: the class whose column it is.
        n_rows: rows.
        is_weighted: whether rows carry weights.
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

    def ladder(self) -> Ladder:
        """Distinct scores, best first, with the weight of own class and the rest."""
        ...


class ScoredRows(Protocol):
    """Rows with a true class and a score for each class.

    Attributes:
        classes: the classes, in the order of the columns.
        n_rows: rows.
        is_weighted: whether rows carry weights.
        is_prob: whether the scores are probabilities as given.
    """

    @property
    def classes(self) -> Classes: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def is_weighted(self) -> bool: ...
    @property
    def is_prob(self) -> bool: ...

    def check(self) -> None:
        """Refuse values and weights that cannot be measured."""
        ...

    def sums(self, names: Iterable[str]) -> Sums:
        """Losses by name, and places, in one read."""
        ...

    def column(self, i: int) -> RankedColumn:
        """Rows ordered by the score of class i, as given."""
        ...

    def probability_column(self, i: int) -> RankedColumn:
        """Rows ordered by the probability of class i."""
        ...

    def pooled(self) -> RankedColumn:
        """Every row and class as one row of two classes: whether it is the true class."""
        ...

    def confidences(self) -> RankedColumn:
        """Rows ordered by the probability of the predicted class; own: it is the true one."""
        ...

    def pair_areas(
        self, cost: npt.NDArray[np.float64] | None
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """number[k, k] for i < j and number[k]; see `engines.ranking.pair_areas`."""
        ...
