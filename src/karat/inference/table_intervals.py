"""Intervals of every metric of one table, and what the reader should know before trusting them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from karat.errors import error
from karat.inference.class_limits import ClassLimits, class_limits
from karat.inference.confidence import Confidence, Interval
from karat.inference.draws import DRAWN, interval_of_draws
from karat.inference.label_intervals import derivative, is_a_count, label_interval
from karat.inference.replicate_intervals import acceleration_of
from karat.inference.resampling import replicate_tables
from karat.inference.table_variance import TableVariance
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.tally import Cells, ClusteredCells
from karat.tally.kept import cached_property

__all__ = ["TableIntervals"]

N_FEW_ROWS = 20
"""Below so many rows of a class its share is known so roughly that averages suffer."""
N_FEW_CLUSTERS = 30
_N_NAMED = 5
_BLOCK_BYTES = 1 << 25
_MOST_DRAWN = 2**52


@dataclass(frozen=True, eq=False)
class TableIntervals:
    """A table, what is asked of its intervals, and the clusters of its rows.

    Attributes:
        cells: the tally.
        asked: level, side, method, design and seed.
        clusters: the same rows by cluster, or None.
        policy: what undefined classes count as.
    """

    cells: Cells
    asked: Confidence
    clusters: ClusteredCells | None = None
    policy: Policy = "zero"

    @cached_property
    def spread(self) -> TableVariance:
        """How the table varies."""
        return TableVariance(self.cells, self.asked.design, self.clusters)

    def of(self, metric: Metric, value: float) -> Interval:
        """The interval of a metric of labels whose value on the table this is."""
        # Of classes that weigh 10^-260 of the others.
        with np.errstate(over="ignore", invalid="ignore"):
            found = label_interval(metric, value, self.spread, self.asked, self.policy)
        # Where there can be none, replicates give none either.
        if self.asked.method not in DRAWN or found.standard_error is None:
            return found
        return replace(self._drawn(metric, value), standard_error=found.standard_error)

    def _drawn(self, metric: Metric, value: float) -> Interval:
        """The interval by replicates of the table, which are drawn once for all metrics."""
        if self.spread.total > _MOST_DRAWN and not self.cells.is_weighted:
            return Interval(remark="so many rows cannot be drawn again: use another method")
        g = derivative(metric, self.cells, self.policy)
        phi, times = self.spread.centred(g), self.spread.weights
        acceleration = acceleration_of(phi, times) if np.isfinite(phi).all() else 0.0
        drawn = np.concatenate([metric.values(part, self.policy).value for part in self._tables])
        return interval_of_draws(metric, value, drawn, self.asked, acceleration)

    @cached_property
    def _tables(self) -> list[Cells]:
        asked, size = self.asked, 8 * max(1, min(self.cells.k**2, 2 * self.cells.flat().size))
        step = max(1, min(asked.n_replicates, _BLOCK_BYTES // size))
        return [
            self._replicates(first, min(step, asked.n_replicates - first))
            for first in range(0, asked.n_replicates, step)
        ]

    def _replicates(self, first: int, count: int) -> Cells:
        """Tables drawn from this one; of a case-control sample, so many rows of each class."""
        asked, cells = self.asked, self.cells
        is_fixed = asked.design == "case-control" and self.clusters is None
        return replicate_tables(
            cells,
            count,
            asked.seed,
            method="bayesian" if asked.method == "bayesian" else "multinomial",
            clusters=self.clusters,
            first=first,
            is_by_class=is_fixed,
        )

    def covariance(self, metrics: Sequence[Metric]) -> npt.NDArray[np.float64]:
        """float64[d, d]: of d metrics of labels.

        Errors:
            K211 a metric of scores; K204 only totals were kept; K212 the squares of the weights
            are not known.
        """
        for metric in metrics:
            if metric.needs_scores:
                do = "Name metrics of labels; karat.compare takes those of scores row by row."
                raise error("K211", name=f"the influence of each row on {metric}", do=do)
        if self.cells.storage == "marginals":
            raise error("K204", name="A covariance")
        if self.cells.is_weighted and self.cells.squares is None:
            raise error("K212")
        slopes = [derivative(metric, self.cells, self.policy) for metric in metrics]
        return self.spread.covariance(np.stack(slopes)) if slopes else np.empty((0, 0))

    def of_classes(self, metric: Metric) -> ClassLimits | None:
        """Limits of a metric of one class for every class; None where there are none."""
        plain = Metric(metric.record, "plain", metric.params)
        no_squares = self.cells.is_weighted and self.cells.squares is None
        if self.cells.storage == "marginals" or no_squares or is_a_count(plain):
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            return class_limits(plain, self.spread, self.asked)

    @cached_property
    def cautions(self) -> tuple[str, ...]:
        """Sentences on what makes the intervals less sure than their level says."""
        if self.cells.storage == "marginals" or (
            self.cells.is_weighted and self.cells.squares is None
        ):
            return ()
        fields, found = self.cells.fields, []
        support = fields.tp + fields.fn
        few = np.flatnonzero((support > 0) & (self._rows_of_classes < N_FEW_ROWS))
        if len(few):
            names = [self.cells.classes.display[i] for i in few[:_N_NAMED]]
            more = f" and {len(few) - _N_NAMED} more" if len(few) > _N_NAMED else ""
            found.append(
                f"Fewer than {N_FEW_ROWS} true rows of {', '.join(names)}{more}: intervals of "
                "averages over the classes may hold the true value less often than they say."
            )
        if not (fields.fn.any() or fields.fp.any()):
            found.append("No row is predicted wrongly: intervals rest on the number of rows alone.")
        n, n_effective = float(self.cells.n_rows), self.spread.n_effective
        if self.cells.is_weighted and n_effective < n / 2:
            found.append(
                f"The weights differ so much that {n:.0f} rows say as much as "
                f"{n_effective:.0f} would."
            )
        asked = self.asked
        if self.clusters is not None and asked.design != "cohort" and asked.method in DRAWN:
            found.append("Whole clusters are drawn: replicates do not keep the rows of each class.")
        if self.clusters is not None and self.clusters.n_clusters < N_FEW_CLUSTERS:
            found.append(
                f"There are {self.clusters.n_clusters} clusters: intervals rest on how few differ."
            )
        return tuple(found)

    @cached_property
    def _rows_of_classes(self) -> npt.NDArray[np.float64]:
        """float64[k]: effective rows of each true class."""
        spread, k = self.spread, self.cells.k
        weights = np.bincount(spread.rows, spread.weights, k)
        squares = np.bincount(spread.rows, spread.squares, k)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(squares > 0, weights**2 / squares, 0.0))
