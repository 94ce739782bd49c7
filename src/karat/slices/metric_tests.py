"""What is said of the slices in one metric: whether they differ, by how much, and which ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import shown
from karat.metrics import ClassRanks, Metric, PairRanks, Pairwise
from karat.metrics._lift import Policy
from karat.slices.differences import (
    SliceDifference,
    compared,
    covariance_of_labels,
    distances_of,
)
from karat.slices.equality import Gap, Heterogeneity, Tested, gap_of, tested
from karat.slices.parts import Slice
from karat.slices.reference import Reference
from karat.tally.kept import cached_property
from karat.uncertainty.combined_limits import is_combined
from karat.uncertainty.confidence import Confidence

if TYPE_CHECKING:
    from karat.slices.table import SliceTable

__all__ = ["MetricTests"]

FEW_OF: Final = 5
"""With fewer rows of some class an average over the classes is no better than a guess."""
Floats: TypeAlias = npt.NDArray[np.float64]
Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class MetricTests:
    """The slices of a table in one metric; each answer is computed once, when it is asked for.

    Attributes:
        table: the slices.
        metric: which these classes have.
    """

    table: SliceTable
    metric: Metric

    @cached_property
    def differences(self) -> Mapping[Key, SliceDifference]:
        """Every slice less all other rows."""
        table = self.table
        return compared(
            self.metric, self._slices, tuple(table.rest.values()), table.counted, table.level,
            self._why_other, self.reference,
        )  # fmt: skip

    @cached_property
    def heterogeneity(self) -> Heterogeneity:
        """One test that the metric is the same in all slices."""
        return tested(self.metric, self.tested, self._slices, self.table.level, self.reference)

    @cached_property
    def gap(self) -> Gap:
        """The largest less the smallest value."""
        table = self.table
        return gap_of(
            self.metric, self.tested, table.names, table.level, table.asked.seed, self.reference
        )

    @cached_property
    def reference(self) -> Reference | None:
        """What rows show that are dealt to the slices anew, or None."""
        table = self.table
        if self.metric.needs_scores or table.dealt is None:
            return None
        return Reference(
            self.metric, table.dealt, table.whole.cells.classes, self._policy, self._fewest
        )

    @cached_property
    def tested(self) -> Tested:
        """The slices that have a value and a variance."""
        metric, counted = self.metric, self.table.counted
        places, sides, df, left_out = [], [], [], {}
        asked = Confidence(self.table.level)
        for i, one in enumerate(self._slices):
            why = one.why_undefined(metric) or self._why_other(i)
            distances = None if why is not None else distances_of(one, metric, asked)
            if distances is None or max(distances) <= 0.0:
                left_out[one.name] = why or "it has no interval"
                continue
            places.append(i)
            sides.append(distances)
            df.append(math.inf if one.groups is None else one.groups.n_clusters - 1.0)
        values = np.array([self._slices[i][metric].value for i in places])
        covariance, df_joint = None, math.inf
        if not (metric.needs_scores or counted.is_nested) and len(places) > 1:
            some = [self._slices[i] for i in places]
            covariance = covariance_of_labels(metric, some, places, counted)
            assert counted.clusters is not None
            df_joint = counted.clusters.n_clusters - 1.0
        fewest = min((self._slices[i].n_rows for i in places), default=0)
        rarest = None
        if places and _is_over_classes(metric, self._policy):
            held = self._rows_of_classes[places]
            rarest = int(held[held > 0.0].min())
        below, above = np.array(sides, np.float64).reshape(-1, 2).T
        return Tested(
            tuple(places), values, below, above, np.array(df), left_out, covariance, df_joint,
            fewest, rarest,
        )  # fmt: skip

    @cached_property
    def _slices(self) -> tuple[Slice, ...]:
        return tuple(self.table.values())

    @property
    def _policy(self) -> Policy:
        return self.table.whole.undefined

    def _why_other(self, i: int) -> str | None:
        """Why a slice is not compared in an average over classes: it has next to none of one."""
        held, fewest = self._rows_of_classes, self._fewest
        few = np.flatnonzero(held.any(axis=0) & (held[i] < fewest))
        if not (fewest and len(few)):
            return None
        names = self.table.cells.classes.display
        listed = shown([names[c] for c in few.tolist()], 3)
        return f"fewer than {fewest} rows of it are truly of {listed}"

    @property
    def _fewest(self) -> int:
        """True rows of a class that a slice must have: only averages over classes ask for some."""
        if self.metric.lift == "weighted" or not _is_over_classes(self.metric, self._policy):
            return 0
        return FEW_OF

    @cached_property
    def _rows_of_classes(self) -> Floats:
        """float64[s, k]: rows of each slice that are truly of a class; effective ones."""
        cells = self.table.cells
        support = cells.fields.tp + cells.fields.fn
        if cells.squares is None:
            return np.asarray(support)
        squared = replace(cells, counts=cells.squares, squares=None).fields
        with np.errstate(divide="ignore", invalid="ignore"):
            rows = support**2 / (squared.tp + squared.fn)
        return np.where(support > 0.0, rows, 0.0)


def _is_over_classes(metric: Metric, policy: Policy) -> bool:
    """Whether each class adds a value of its own, which takes rows that are truly of it."""
    if not metric.needs_scores:
        return is_combined(metric, policy)
    reads = metric.record.reads
    return reads in (PairRanks, Pairwise) or (reads is ClassRanks and metric.lift == "macro")
