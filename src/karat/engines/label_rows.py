"""Rows with labels alone, kept in memory because they are told apart: by cluster, or by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.engines.arrays import tally_columns
from karat.engines.clustered import by_cluster_of_codes
from karat.engines.row_names import RowNames
from karat.inputs.column import Column
from karat.inputs.slice_codes import SliceCodes
from karat.inputs.weights import Weights
from karat.tally import Cells, Classes, ClusteredCells

__all__ = ["LabelRows", "counted", "in_places"]

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class LabelRows:
    """Rows with a true and a predicted class.

    Attributes:
        cells: their tally.
        true, pred: int32[n], the classes of each row.
        weights: float64[n], or None; checked.
        mapping: column by role: ``true``, ``pred``, ``weights``, and ``clusters`` if there are any.
        source: where the rows came from.
        warnings: sentences the reader should see.
        n_dropped: rows left out because a label or a weight was missing.
        clusters: which rows go together, or None.
        ids: what the rows are called, or None.
        slices: the slice that each row is in, or None.
        by: the slices of the rows by each column, and each cross, that was asked for.
    """

    cells: Cells
    true: Codes
    pred: Codes
    weights: Weights | None
    mapping: Mapping[str, str | None]
    source: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    n_dropped: int = 0
    clusters: RowNames | None = None
    ids: RowNames | None = None
    slices: RowNames | None = None
    by: tuple[SliceCodes, ...] = ()

    @property
    def classes(self) -> Classes:
        """The class axis."""
        return self.cells.classes

    def by_cluster(self) -> ClusteredCells | None:
        """The rows by cluster; None without clusters, or where each row is one of its own.

        Errors:
            K145 all rows are in one cluster.
        """
        if self.clusters is None:
            return None
        codes = self.clusters.codes.astype(np.int64)
        return by_cluster_of_codes(self.cells, self.true, self.pred, codes, self.weights)

    def warned(self, *sentences: str) -> LabelRows:
        """The same with more for the reader to see."""
        return replace(self, warnings=(*self.warnings, *sentences))


def counted(
    classes: Classes,
    true: Codes,
    pred: Codes,
    weights: Weights | None,
    arguments: Sequence[str],
    n_threads: int | None,
) -> Cells:
    """The tally of rows whose classes are known.

    Args:
        arguments: what messages call truth, prediction and weights.

    Errors:
        K113 to K115 bad weights.
    """
    left, right = (
        Column(name, codes, "integer") for name, codes in zip(arguments, (true, pred), strict=False)
    )
    found = tally_columns(
        left,
        right,
        labels=list(range(classes.k)),
        weights=weights,
        weights_argument=arguments[2],
        n_threads=n_threads,
    )
    return found.with_classes(classes)


def in_places(codes: Codes, places: Mapping[int, int]) -> Codes:
    """int32[n]: the class of each row, from codes and the class of each code."""
    lut = np.full(max(places, default=0) + 1, -1, np.int32)
    lut[list(places)] = list(places.values())
    return lut[codes]
