"""How rows came to be: independent, weighted, in clusters, by class, in folds, at looks, judged."""

from __future__ import annotations

from typing import Literal, TypeAlias

from karat.designs.classes import RowsOfClasses
from karat.designs.clusters import ClusteredRows, ClusterSums
from karat.designs.rows import IndependentRows
from karat.designs.units import Codes, Floats, Units

Design: TypeAlias = Literal["cohort", "case-control"]


def has_strata(design: Design) -> bool:
    """True if the number of rows of each true class was fixed."""
    return design == "case-control"


def units_of(
    weights: Floats,
    squares: Floats,
    design: Design = "cohort",
    true: Codes | None = None,
    clusters: ClusterSums | None = None,
) -> Units:
    """The units of a sample.

    Args:
        weights, squares: float64[e], Σw and Σw² of each unit.
        true: int[e], true class of each, for a design by class.
        clusters: the units by cluster, where rows of one are not independent.
    """
    rows: Units = IndependentRows(weights, squares)
    if has_strata(design):
        assert true is not None
        rows = RowsOfClasses(weights, squares, true=true, k=int(true.max(initial=-1)) + 1)
    return rows if clusters is None else ClusteredRows.of(rows, clusters)
