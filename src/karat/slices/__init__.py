"""Slices of the rows of a report: what each gives, how it differs from the others, how surely."""

from karat.slices.columns import Slices
from karat.slices.differences import SliceDifference
from karat.slices.equality import Gap, Heterogeneity, Worst
from karat.slices.parts import ScoredSlices, Slice
from karat.slices.table import SliceTable

__all__ = [
    "Gap",
    "Heterogeneity",
    "ScoredSlices",
    "Slice",
    "SliceDifference",
    "SliceTable",
    "Slices",
    "Worst",
]
