"""How rows came to be: independent, weighted, in clusters, by class, in folds, at looks, judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from karat.designs import classes, rows
from karat.designs.clusters import ClusteredRows, ClusterSums
from karat.designs.units import Sample, Units

Design: TypeAlias = Literal["cohort", "case-control"]
"""How single rows were drawn; clusters of them are another part of the design."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A way to draw rows.

    Attributes:
        units: makes the units of a sample.
        is_plain: whether each row was drawn from all, so that sums over rows give a variance.
        fixes_classes: whether the number of rows of each true class was fixed.
    """

    units: Callable[[Sample], Units]
    is_plain: bool = False
    fixes_classes: bool = False


DRAWINGS: Final[Mapping[Design, Drawing]] = {
    "cohort": Drawing(rows.units_of, is_plain=True),
    "case-control": Drawing(classes.units_of, fixes_classes=True),
}


def units_of(design: Design, sample: Sample, clusters: ClusterSums | None = None) -> Units:
    """The units of a sample.

    Args:
        clusters: the units by cluster, where rows of one are not independent.
    """
    units = DRAWINGS[design].units(sample)
    return units if clusters is None else ClusteredRows.of(units, clusters)
