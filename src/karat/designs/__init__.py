"""How rows came to be: independent, weighted, in clusters, by class, in folds, at looks, judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from karat.designs import classes, rows
from karat.designs.clusters import ClusteredRows, ClusterSums
from karat.designs.units import Sample, Units

Design: TypeAlias = Literal["cohort", "case-control"]
"""How single rows were drawn."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A way to draw rows.

    Attributes:
        units: makes the units of a sample whose rows are in groups, or None: clusters, or what
            else the design takes them for.
        is_plain: whether each row was drawn from all, so that sums over rows give a variance.
        varies_less: whether a proportion may vary less than with as many rows drawn from all.
        fixes_classes: whether the number of rows of each true class was fixed.
    """

    units: Callable[[Sample, ClusterSums | None], Units]
    is_plain: bool = False
    varies_less: bool = False
    fixes_classes: bool = False


def _in_clusters(
    units_of_rows: Callable[[Sample], Units],
) -> Callable[[Sample, ClusterSums | None], Units]:
    """The units of rows of which those of one cluster may depend on each other."""

    def units(sample: Sample, clusters: ClusterSums | None) -> Units:
        alone = units_of_rows(sample)
        return alone if clusters is None else ClusteredRows.of(alone, clusters)

    return units


DRAWINGS: Final[Mapping[Design, Drawing]] = {
    "cohort": Drawing(_in_clusters(rows.units_of), is_plain=True),
    "case-control": Drawing(_in_clusters(classes.units_of), varies_less=True, fixes_classes=True),
}


def units_of(design: Design, sample: Sample, groups: ClusterSums | None = None) -> Units:
    """The units of a sample, whose rows may be in groups."""
    return DRAWINGS[design].units(sample, groups)
