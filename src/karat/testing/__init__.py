"""Laws for third parties: check a metric or a source of rows as karat checks its own."""

from karat.data.sources.batches import BatchSource
from karat.testing.bound_laws import BOUND_LAWS
from karat.testing.conformance import SourceLaws, check_source, differences
from karat.testing.interval_laws import INTERVAL_LAWS
from karat.testing.laws import LAWS as _LAWS
from karat.testing.laws import metrics_of, mutants, random_tables, survivors, unlisted
from karat.testing.proportion_laws import proportions_are_declared
from karat.testing.samples import FEATURES, Sample, samples
from karat.testing.score_laws import SCORE_LAWS

LAWS = (*_LAWS, proportions_are_declared)
"""What every metric of labels obeys."""

__all__ = [
    "BOUND_LAWS",
    "FEATURES",
    "INTERVAL_LAWS",
    "LAWS",
    "SCORE_LAWS",
    "BatchSource",
    "Sample",
    "SourceLaws",
    "check_source",
    "differences",
    "metrics_of",
    "mutants",
    "random_tables",
    "samples",
    "survivors",
    "unlisted",
]
