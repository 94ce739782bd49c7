"""The waist: tallies, small and mergeable summaries of data that every metric is computed from.

Nothing here knows what a metric is, and nothing here knows where the data lives.
"""

from karat.tally.algebra import merge, occurring, reorder, subtract, to_marginals, to_sparse, union
from karat.tally.bin_edges import quantile_edges, uniform_edges
from karat.tally.bins import Bins
from karat.tally.cells import Axis, Cells
from karat.tally.classes import Classes, Label
from karat.tally.clustered import ClusteredCells
from karat.tally.consistency import inconsistency
from karat.tally.crossed import CrossedCells
from karat.tally.fields import Fields
from karat.tally.joint import JointCells
from karat.tally.ladder import Ladder
from karat.tally.row_sample import RowSample
from karat.tally.rungs import Rungs, RungSource, Steps, cumulated
from karat.tally.score_table import ScoreTable
from karat.tally.scored import Placements, RankedColumn, ScoredRows
from karat.tally.scored_tables import ScoredTables
from karat.tally.serialization import from_bytes, to_bytes
from karat.tally.sums import ReadSums, Sums
from karat.tally.table_column import Order, TableColumn
from karat.tally.tabled_rows import TabledRows

__all__ = [
    "Axis",
    "Bins",
    "Cells",
    "Classes",
    "ClusteredCells",
    "CrossedCells",
    "Fields",
    "JointCells",
    "Label",
    "Ladder",
    "Order",
    "Placements",
    "RankedColumn",
    "ReadSums",
    "RowSample",
    "RungSource",
    "Rungs",
    "ScoreTable",
    "ScoredRows",
    "ScoredTables",
    "Steps",
    "Sums",
    "TableColumn",
    "TabledRows",
    "cumulated",
    "from_bytes",
    "inconsistency",
    "merge",
    "occurring",
    "quantile_edges",
    "reorder",
    "subtract",
    "to_bytes",
    "to_marginals",
    "to_sparse",
    "uniform_edges",
    "union",
]
