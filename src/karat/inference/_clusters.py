"""Rows that may depend on each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.inference._sizes import Sizes, small_sample
from karat.tally import ScoredRows
from karat.tally.row_parts import row_parts

__all__ = ["Clusters"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Clusters:
    """Clusters of rows.

    Attributes:
        codes: int[n].
        n: number of clusters.
        n_held: those with a row that weighs something.
        weights: float64[n], or None.
    """

    codes: npt.NDArray[Any]
    n: int
    n_held: int
    weights: Floats | None

    @classmethod
    def of(cls, codes: npt.NDArray[Any], n: int, rows: ScoredRows) -> Clusters:
        """From codes in [0, n).

        Errors:
            ValueError there is another number of them, or one lies outside.
        """
        if codes.shape != (rows.n_rows,):
            raise ValueError(f"clusters has shape {codes.shape}, there are {rows.n_rows} rows")
        if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < n:
            raise ValueError(f"clusters must lie between 0 and {n - 1}")
        held = codes if rows.weights is None else codes[rows.weights > 0]
        n_held = int(np.count_nonzero(np.bincount(held, minlength=n)))
        return cls(codes, n, n_held, rows.weights)

    def variance(self, phi: Floats, sizes: Sizes) -> float:
        """G ÷ (G − 1) · Σ over clusters of (Σ w·φ)² ÷ W²."""
        sums = np.zeros(self.n)
        for part in row_parts(len(phi)):
            term = phi[part]
            if self.weights is not None:
                weight = self.weights[part]
                term = np.where(weight > 0, weight * term, 0.0)
            sums += np.bincount(self.codes[part], term, self.n)
        factor = float(small_sample(float(self.n_held)))
        return factor * float((sums**2).sum()) / float(sizes.weight.sum()) ** 2
