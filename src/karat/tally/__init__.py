"""Tallies: small, mergeable summaries of data from which every metric is computed.

This package is independent of the metrics and of the data sources.
"""

from typing import Any, Final

from karat.tally.algebra import (
    merge,
    occurring,
    reorder,
    scaled_by_truth,
    subtract,
    to_marginals,
    to_sparse,
    union,
)
from karat.tally.axes import ClusteredCells, CrossedCells
from karat.tally.bins import Bins, quantile_edges, uniform_edges
from karat.tally.cells import Axis, Cells, Fields
from karat.tally.classes import Classes, Label
from karat.tally.cumulative_counts import (
    CumulativeCounts,
    HeldSteps,
    LevelSource,
    ScoreLevels,
    Steps,
    WalkedSteps,
    cumulated,
    of_both,
)
from karat.tally.histogram_views import HistogramColumn, HistogramRows, Order
from karat.tally.joint import JointCells
from karat.tally.row_sample import RowSample
from karat.tally.score_histogram import ScoreHistogram
from karat.tally.score_histograms import ScoreHistograms
from karat.tally.scored import Placements, RankedColumn, ScoredRows
from karat.tally.serialization import from_bytes, inconsistency, to_bytes
from karat.tally.sums import ReadSums, Sums

__all__ = [
    "Axis",
    "Bins",
    "Cells",
    "Classes",
    "ClusteredCells",
    "CrossedCells",
    "CumulativeCounts",
    "Fields",
    "HeldSteps",
    "HistogramColumn",
    "HistogramRows",
    "JointCells",
    "Label",
    "LevelSource",
    "Order",
    "Placements",
    "RankedColumn",
    "ReadSums",
    "RowSample",
    "ScoreHistogram",
    "ScoreHistograms",
    "ScoreLevels",
    "ScoredRows",
    "Steps",
    "Sums",
    "WalkedSteps",
    "cumulated",
    "from_bytes",
    "inconsistency",
    "merge",
    "occurring",
    "of_both",
    "quantile_edges",
    "reorder",
    "scaled_by_truth",
    "subtract",
    "to_bytes",
    "to_marginals",
    "to_sparse",
    "uniform_edges",
    "union",
]

_RENAMED: Final = {
    "Ladder": CumulativeCounts,
    "RungSource": LevelSource,
    "Rungs": ScoreLevels,
    "ScoreTable": ScoreHistogram,
    "ScoredTables": ScoreHistograms,
    "TableColumn": HistogramColumn,
    "TabledRows": HistogramRows,
}
"""Names from before 0.3: each is an error that states the new one."""


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    raise AttributeError(f"karat.tally.{name} is called karat.tally.{_RENAMED[name].__name__}")
