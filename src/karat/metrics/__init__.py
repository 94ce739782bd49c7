"""Catalog of metrics: one record for each, with all facts about it.

Each module of this package is a family. `metric` registers a record, from which everything else is
derived. See CONTRIBUTING.md, "Add a metric in one file".
"""

from karat.metrics._equal import Equal, equal
from karat.metrics._error_bound import ErrorBound, error_bound
from karat.metrics._formula import (
    Node,
    cols,
    cumulative,
    exp,
    later,
    log,
    maximum,
    mean,
    over_predicted,
    over_true,
    product,
    rows,
    sqrt,
    total,
    where,
)
from karat.metrics._lift import OneVsRest, Table
from karat.metrics._metric import Metric
from karat.metrics._proportions import Proportion, proportion
from karat.metrics._record import Case, Oracle, Parameter, Record, case, metric, sklearn
from karat.metrics._registry import (
    all_metrics,
    all_records,
    get,
    load_families,
    n_records,
    names,
    parse,
    search,
)
from karat.metrics._scored import ScoreCase, score_case, score_metric
from karat.metrics._views import (
    ClassProbabilities,
    ClassRanks,
    Confidences,
    Losses,
    PairRanks,
    Pairwise,
)

__all__ = [
    "Case",
    "ClassProbabilities",
    "ClassRanks",
    "Confidences",
    "Equal",
    "ErrorBound",
    "Losses",
    "Metric",
    "Node",
    "OneVsRest",
    "Oracle",
    "PairRanks",
    "Pairwise",
    "Parameter",
    "Proportion",
    "Record",
    "ScoreCase",
    "Table",
    "all_metrics",
    "all_records",
    "case",
    "cols",
    "cumulative",
    "equal",
    "error_bound",
    "exp",
    "get",
    "later",
    "log",
    "maximum",
    "mean",
    "metric",
    "n_records",
    "names",
    "over_predicted",
    "over_true",
    "parse",
    "product",
    "proportion",
    "rows",
    "score_case",
    "score_metric",
    "search",
    "sklearn",
    "sqrt",
    "total",
    "where",
]

# Importing one family imports all of them, in the order of their names.
load_families()
