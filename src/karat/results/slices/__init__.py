"""Slices of the rows of a report: what each gives, how it differs from the others, how surely."""

from karat.results.slices.classes import ClassSlices, ScoredSlices, Slice
from karat.results.slices.differences import SliceDifference, SliceDifferences
from karat.results.slices.equality import Gap, Heterogeneity, Worst
from karat.results.slices.sets import SetSlices
from karat.results.slices.table import ByColumn, RecordedTests, Slices, SliceTable

__all__ = [
    "ByColumn",
    "ClassSlices",
    "Gap",
    "Heterogeneity",
    "RecordedTests",
    "ScoredSlices",
    "SetSlices",
    "Slice",
    "SliceDifference",
    "SliceDifferences",
    "SliceTable",
    "Slices",
    "Worst",
]
