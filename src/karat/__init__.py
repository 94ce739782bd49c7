"""karat: quality metrics for classifiers.

Every quality metric of binary and multiclass classification, computed exactly in one pass over the
data. Every name has exactly one definition.

Example:
    >>> import karat
    >>> karat.f1([0, 0, 1, 1, 1, 1, 1, 2, 2, 3], [0, 2, 1, 1, 2, 0, 0, 2, 2, 0], average="micro")
    0.5

Names are loaded at first use: importing karat imports no other package.
"""

import importlib as _importlib
from typing import Any as _Any

from karat._version import __version__

_HOMES = {
    "CaseControl": "karat.api.request.groups",
    "Check": "karat.api.check",
    "Comparison": "karat.api.results",
    "Data": "karat.api.request.data",
    "check": "karat.api.check",
    "compare": "karat.api.comparing",
    "evaluate": "karat.api.evaluation",
    "find_weak_slices": "karat.api.weak_slices",
    "Folds": "karat.api.request.groups",
    "fold_of_rows": "karat.api.cross_validation",
    "Frequency": "karat.api.request.groups",
    "from_cross_validate": "karat.api.cross_validation",
    "gate": "karat.api.gate.verb",
    "GateResult": "karat.results.gate.result",
    "Interval": "karat.api.request.groups",
    "Judge": "karat.api.request.groups",
    "JudgedReport": "karat.api.judging",
    "Labels": "karat.api.request.groups",
    "Looks": "karat.api.request.groups",
    "Monitor": "karat.api.monitors.monitor",
    "MonitorResult": "karat.results.gate.monitored",
    "NestedFolds": "karat.api.cross_validation",
    "Reading": "karat.api.request.groups",
    "read": "karat.api.described",
    "Report": "karat.api.report",
    "MultilabelReport": "karat.api.sets",
    "Result": "karat.api.results",
    "Plan": "karat.metrics.plan",
    "Rules": "karat.api.request.groups",
    "Signature": "karat.results.result",
    "Stream": "karat.api.streams.stream",
    "rows_needed": "karat.api.sample_sizes",
    "rows_to_label": "karat.api.labeling",
    "scorer": "karat.api.scorer",
    "scorers": "karat.api.scorer",
    "confusion_matrix": "karat.api.functions",
    "roc_auc_pairs": "karat.api.score_functions",
    "KaratError": "karat.errors",
    "InputError": "karat.errors",
    "UnknownNameError": "karat.errors",
    "UndefinedWarning": "karat.errors",
}
_MODULES = ("curves", "errors", "metrics", "objectives", "plot", "tally", "testing")


def __getattr__(name: str) -> _Any:
    if not name.startswith("_"):
        # Refuses a sub-interpreter before NumPy is loaded there, which the main one would miss.
        _importlib.import_module("karat._native")
    if name in _HOMES:
        value = getattr(_importlib.import_module(_HOMES[name]), name)
    elif name in _MODULES:
        return _importlib.import_module(f"karat.{name}")
    elif name.startswith("_"):
        raise AttributeError(f"module 'karat' has no attribute {name!r}")
    else:
        value = _metric_function(name)
    globals()[name] = value
    return value


def _metric_function(name: str) -> _Any:
    from karat.api.functions import function_of
    from karat.errors import UnknownNameError

    try:
        return function_of(name)
    except UnknownNameError as problem:
        from karat.errors.habits import where_it_is

        told = where_it_is(name)
        raise AttributeError(f"{told}\n{problem}" if told else str(problem)) from None


def __dir__() -> list[str]:
    """Return the public names, loaded or not, and of each metric the canonical name alone."""
    from karat.metrics._registry import every_record

    return sorted({*__all__, *(record.name for record in every_record())})


__all__ = ["__version__", *_MODULES, *_HOMES]  # noqa: PLE0604  # all of them texts
