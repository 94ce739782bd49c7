"""The catalogue of metrics: one record each, every fact in one place.

A family is a module here; `metric` registers a record, and everything else follows from it.
See CONTRIBUTING.md, "Add a metric in one file".
"""

from karat.metrics._metric import Metric
from karat.metrics._record import Case, Oracle, Parameter, Record, case, metric, sklearn
from karat.metrics._registry import all_metrics, all_records, get, names, parse, search

__all__ = [
    "Case",
    "Metric",
    "Oracle",
    "Parameter",
    "Record",
    "all_metrics",
    "all_records",
    "case",
    "get",
    "metric",
    "names",
    "parse",
    "search",
    "sklearn",
]
