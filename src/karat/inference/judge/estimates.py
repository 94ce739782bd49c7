"""Prediction-powered estimates of all metrics of one data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.designs.judge import Both, Weighed
from karat.designs.units import kish
from karat.errors import error
from karat.inference.confidence import Confidence
from karat.inference.judge.labels import Codes, JudgedTable, Powered, powered
from karat.inference.judge.scores import Three, powered_scores
from karat.inference.judge.shares import Verdicts
from karat.inference.limits import Floats
from karat.metrics import Metric
from karat.metrics._applies import both_classes, needs_both_classes
from karat.metrics._lift import Policy
from karat.tally import Classes, JointCells

_LEAST_ROWS: Final = 2.0


@dataclass(frozen=True, eq=False)
class Sample:
    """Weights and clusters of rows with a judge's label each.

    Attributes:
        has_gold: bool[n].
        weights: float64[n], importance of each row, or None.
        gold_weights: float64[n], inverse of the probability to have a gold label, or None.
        clusters: int64[n], or None.
    """

    has_gold: npt.NDArray[np.bool_]
    weights: Floats | None = None
    gold_weights: Floats | None = None
    clusters: Codes | None = None

    def check_weights(self) -> None:
        """Refuse weights that leave no rows.

        Errors:
            K115 rows without a gold label all weigh nothing; K259 one gold row has almost all the
            weight.
        """
        rest = self.reference
        if self.weights is not None and not (self.weights[rest] > 0.0).any():
            raise error("K115", argument="weights of rows without a gold label", n=len(rest))
        weights = self.weights_of_gold
        if weights is None:
            return
        if not weights.any():
            raise error("K115", argument="weights of rows with a gold label", n=len(weights))
        if self.n_gold < _LEAST_ROWS:
            largest = int(weights.argmax())
            share = f"{100.0 * weights[largest] / weights.sum():.3g} %"
            facts = {"share": share, "row": int(self.gold[largest]), "n": len(weights)}
            raise error("K259", effective=f"{self.n_gold:.2g}", **facts)

    @property
    def n_gold(self) -> float:
        """Kish's effective number of gold rows."""
        weights = self.weights_of_gold
        if weights is None:
            return float(self.has_gold.sum())
        part = weights / weights.max()
        return float(kish(part.sum(), (part**2).sum()))

    @property
    def is_plain(self) -> bool:
        """True if rows are independent and the gold rows a random part."""
        return self.gold_weights is None and self.clusters is None

    @property
    def reference(self) -> npt.NDArray[np.intp]:
        """Rows that the gold rows are compared with: those without a gold label.

        With weights of gold rows those without are no random part: then all rows.
        """
        if self.gold_weights is None:
            return np.flatnonzero(~self.has_gold)
        return np.arange(len(self.has_gold))

    @property
    def gold(self) -> npt.NDArray[np.intp]:
        """Rows with a gold label."""
        return np.flatnonzero(self.has_gold)

    @property
    def weights_of_gold(self) -> Floats | None:
        """float64[g], weight of each gold row in its mean, or None."""
        found = self.weights
        if self.gold_weights is not None:
            found = self.gold_weights if found is None else found * self.gold_weights
        return None if found is None else found[self.has_gold]

    @property
    def clusters_of_gold(self) -> Codes | None:
        """int64[g], cluster of each gold row, from 0; or None."""
        if self.clusters is None:
            return None
        found = np.unique(self.clusters[self.has_gold], return_inverse=True)[1]
        return np.asarray(found.reshape(-1), np.int64)

    def both(self) -> Both:
        """Return the weights of single rows."""
        gold, rest = self.gold, self.reference
        clusters = self.clusters
        if clusters is None and self.gold_weights is not None:
            # A gold row is in both means.
            clusters = np.arange(len(self.has_gold))
        codes = [None if clusters is None else clusters[rows] for rows in (gold, rest)]
        of_gold, of_rest = self.weights_of_gold, self.weights
        of_gold = np.ones(len(gold)) if of_gold is None else of_gold
        of_rest = np.ones(len(rest)) if of_rest is None else of_rest[rest]
        own = Weighed.of(of_gold, None, codes[0])
        return Both(own, Weighed.of(of_rest, None, codes[1]), self.clusters is not None)


@dataclass(frozen=True, eq=False)
class JudgedLabels:
    """Labels of a data set, row by row or counted.

    Independent rows are counted by gold label, judge's label and prediction: `JointCells`, which
    merge and are written as bytes.

    Attributes:
        classes: the classes.
        both: weights of the cells or rows.
        gold, judge, reference: int64, classes of the gold cells by both, and of the reference by
            the judge.
        pred, reference_pred: their predictions.
    """

    classes: Classes
    both: Both
    gold: Codes
    judge: Codes
    pred: Codes
    reference: Codes
    reference_pred: Codes

    @classmethod
    def of(
        cls,
        classes: Classes,
        sample: Sample,
        gold: Any,
        judge: Any,
        pred: Any,
        *,
        keeps_rows: bool = False,
    ) -> JudgedLabels:
        """Count the rows, or keep them where they are clustered or chosen with probabilities."""
        own, rest = sample.gold, sample.reference
        if sample.is_plain and not keeps_rows:
            weights = sample.weights
            parts = [None if weights is None else weights[rows] for rows in (own, rest)]
            names = ("judge", "prediction")
            of_gold = JointCells.of(classes, names, gold[own], [judge[own], pred[own]], parts[0])
            of_rest = JointCells.of(classes, names[1:], judge[rest], [pred[rest]], parts[1])
            return cls.of_cells(of_gold, of_rest)
        codes = (gold[own], judge[own], pred[own], judge[rest], pred[rest])
        return cls(classes, sample.both(), *(np.asarray(each, np.int64) for each in codes))

    @classmethod
    def of_cells(cls, gold: JointCells, rest: JointCells) -> JudgedLabels:
        """Make them from the counts of gold × judge × prediction, and of judge × prediction."""
        own, others = (Weighed.of(x.counts, _squares_of(x)) for x in (gold, rest))
        both = Both(own, others)
        return cls(gold.classes, both, *gold.codes, *rest.codes)

    @property
    def table(self) -> JudgedTable:
        """True × predicted classes."""
        k = self.classes.k
        by_gold, by_judge = k * self.gold + self.pred, k * self.judge + self.pred
        of_reference = k * self.reference + self.reference_pred
        return JudgedTable(self.classes, self.both, by_gold, by_judge, of_reference)

    def table_of(self, metric: Metric) -> JudgedTable:
        """The table that a metric reads: of a positive class both, also where one alone occurs.

        Errors:
            K123 one class occurs, and it is unknown which would be positive.
        """
        if not needs_both_classes(metric, self.classes):
            return self.table
        both = both_classes(self.classes, metric.name)
        i, table = both.labels.index(self.classes.labels[0]), self.table
        # Every row is in the one cell that there is: now in a cell of the diagonal.
        by_gold, by_judge, of_reference = (
            cells + i * (both.k + 1)
            for cells in (table.by_gold, table.by_judge, table.of_reference)
        )
        return JudgedTable(both, self.both, by_gold, by_judge, of_reference)

    @property
    def verdicts(self) -> Verdicts:
        """Labels without predictions."""
        return Verdicts(self.classes.k, self.both, self.gold, self.judge, self.reference)


def _squares_of(joint: JointCells) -> npt.NDArray[Any]:
    return joint.counts if joint.squares is None else joint.squares


@dataclass(frozen=True, eq=False)
class Estimates:
    """Every metric of one data set, estimated when it is first read.

    Attributes:
        labels: the labels.
        confidence, policy: settings of intervals, and of undefined values.
        sample: weights and clusters of the rows.
        scores: the rows with scores, or None.
        of_scores: metrics of scores that are computed together.
    """

    labels: JudgedLabels
    confidence: Confidence
    policy: Policy
    sample: Sample
    scores: Three | None = None
    of_scores: Sequence[Metric] = ()
    _kept: dict[Metric, Powered] = field(default_factory=dict)

    def of(self, metric: Metric) -> Powered:
        """Return the estimate of one metric."""
        if metric in self._kept:
            return self._kept[metric]
        if not metric.needs_scores:
            table = self.labels.table_of(metric)
            self._kept[metric] = powered(metric, table, self.confidence, self.policy)
            return self._kept[metric]
        if self.scores is None:
            raise metric.no_scores()
        wanted = self.of_scores if metric in self.of_scores else [metric]
        given = self.scores, self.sample.both(), self.confidence, self.policy
        self._kept.update(powered_scores(wanted, *given, self.sample.clusters_of_gold))
        return self._kept[metric]
