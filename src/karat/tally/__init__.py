"""The waist: tallies, small and mergeable summaries of data that every metric is computed from.

Nothing here knows what a metric is, and nothing here knows where the data lives.
"""

from karat.tally.algebra import merge, reorder, subtract, to_marginals, to_sparse, union
from karat.tally.cells import Axis, Cells
from karat.tally.classes import Classes, Label
from karat.tally.consistency import inconsistency
from karat.tally.fields import Fields
from karat.tally.serialization import from_bytes, to_bytes
from karat.tally.sums import Sums

__all__ = [
    "Axis",
    "Cells",
    "Classes",
    "Fields",
    "Label",
    "Sums",
    "from_bytes",
    "inconsistency",
    "merge",
    "reorder",
    "subtract",
    "to_bytes",
    "to_marginals",
    "to_sparse",
    "union",
]
