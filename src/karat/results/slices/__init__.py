"""Slices of the rows of a report: what each gives, how it differs from the others, how surely."""

from karat.results.slices.differences import SliceDifference
from karat.results.slices.equality import Gap, Heterogeneity, Worst
from karat.results.slices.parts import ScoredSlices, Slice
from karat.results.slices.table import Slices, SliceTable

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
