"""Specification of a report: what is measured, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karat.curves._kept import MOST_CLASSES, Keeper
from karat.data.prevalence import Prevalence
from karat.data.scores.storage import ScoreParts
from karat.designs import Design
from karat.inference.confidence import Confidence
from karat.inference.score_intervals import is_of_sums
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Classes


@dataclass(frozen=True)
class Spec:
    """Specification of a report.

    Attributes:
        wanted: the metrics asked for, or None for all.
        policy: what undefined values count as.
        confidence: what is asked of the intervals; None: there are none.
        n_threads: threads of native passes.
        threshold: from which score on the positive class of two is predicted.
        keeps_curves: whether its curves will be read, where it has them.
        is_dry: whether nothing is measured: labels are counted and values are checked.
        class_names: of sets, display names of the labels, or None.
        keep_rows: rows to list of each cell, bin and slice; 0: none.
        design: how rows were sampled.
        prevalence: proportions of the true classes in the population; None: those of the rows.
    """

    wanted: tuple[Metric, ...] | None = None
    policy: Policy = "zero"
    confidence: Confidence | None = None
    n_threads: int | None = None
    threshold: float | None = None
    keeps_curves: bool = True
    is_dry: bool = False
    class_names: Any = None
    keep_rows: int = 0
    design: Design = "cohort"
    prevalence: Prevalence | None = None

    def empty(
        self, max_memory: int, *, is_frequency: bool, keeps_all: bool = False, **settings: Any
    ) -> ScoreParts:
        """Accumulator of rows with scores, of which it keeps what the metrics read, or all.

        A read with a checkpoint keeps all: when it goes on, other metrics may be asked for.
        """
        keeps_columns = keeps_all or self.wanted is None or is_frequency or self.design != "cohort"
        keeps_columns |= any(m.needs_scores and not is_of_sums(m) for m in self.wanted or ())
        settings |= {"is_frequency": is_frequency, "keeps_columns": keeps_columns}
        return ScoreParts(max_memory, **settings)

    def keeper(self, classes: Classes, kind: str) -> Keeper | None:
        """Keeper of the curves of a whole page; None where only some metrics are requested."""
        is_whole = self.keeps_curves and self.wanted is None
        return Keeper(classes, kind) if is_whole and classes.k <= MOST_CLASSES else None
