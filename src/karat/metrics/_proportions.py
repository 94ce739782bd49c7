"""Proportions of rows, of which metrics of one class are functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Cells: TypeAlias = tuple[tuple[bool, bool], tuple[bool, bool]]


@dataclass(frozen=True, slots=True)
class Proportion:
    """Rows of some cells of a table of one class, of those of some others and these.

    Attributes:
        hits, misses: bool[2, 2], the cells of either, truth by prediction, the class second.
    """

    hits: Cells
    misses: Cells

    @property
    def sides(self) -> Floats:
        """float64[2, 4]: 1 where tn, fp, fn or tp counts as a hit, as a miss."""
        return np.array([self.hits, self.misses], np.float64).reshape(2, 4)

    def counted(self, tables: Floats) -> tuple[Floats, Floats]:
        """float64[...] each: hits and misses of tables [..., 2, 2]."""
        hits, misses = (
            (tables * np.array(side)).sum(axis=(-2, -1)) for side in (self.hits, self.misses)
        )
        return hits, misses

    def tables(self, proportions: Floats) -> Floats:
        """float64[..., 2, 2]: tables of one row that have these proportions [...]."""
        found = np.zeros((*proportions.shape, 2, 2))
        for side, part in ((self.hits, proportions), (self.misses, 1.0 - proportions)):
            cells = np.array(side)
            found += part[..., None, None] * cells / cells.sum()
        return found

    @property
    def is_of_true_classes(self) -> bool:
        """True if the truth decides which rows count, and the prediction which are hits.

        Models on the same rows then have a proportion of the same rows, which McNemar's test
        compares.

        Example:
            >>> from karat.metrics import get
            >>> get("recall").proportion.is_of_true_classes
            True
            >>> get("precision").proportion.is_of_true_classes
            False
        """
        hits, inside = np.array(self.hits), np.array(self.hits) | np.array(self.misses)
        is_of_truth = (inside[:, 0] == inside[:, 1]).all()
        return bool(is_of_truth and (hits[:, 0] != hits[:, 1])[inside[:, 0]].all())


def proportion(hits: str, misses: str) -> Proportion:
    """The proportion of the cells that are named, of ``tn fp fn tp``.

    Example:
        >>> proportion("tp", "fn").misses
        ((False, False), (True, False))
    """

    def cells(names: str) -> Cells:
        tn, fp, fn, tp = (name in names.split() for name in ("tn", "fp", "fn", "tp"))
        return (tn, fp), (fn, tp)

    return Proportion(cells(hits), cells(misses))


OF_TRUE_CLASSES: Final = proportion("tn", "fp"), proportion("tp", "fn")
"""The correct rows of both true classes."""
OF_PREDICTED_CLASSES: Final = proportion("tn", "fn"), proportion("tp", "fp")
"""Those of both predicted classes."""
