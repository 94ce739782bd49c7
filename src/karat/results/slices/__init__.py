"""Slices of the rows of a report: what each gives, how it differs from the others, how surely."""

from karat.results.slices.differences import SliceDifference, SliceDifferences
from karat.results.slices.equality import Gap, Heterogeneity, Worst
from karat.results.slices.named import NamedSlices
from karat.results.slices.parts import ScoredSlices, Slice
from karat.results.slices.sets import SetSliceTable
from karat.results.slices.table import ByColumn, Slices, SliceTable

__all__ = [
    "ByColumn",
    "Gap",
    "Heterogeneity",
    "NamedSlices",
    "ScoredSlices",
    "SetSliceTable",
    "Slice",
    "SliceDifference",
    "SliceDifferences",
    "SliceTable",
    "Slices",
    "Worst",
]
