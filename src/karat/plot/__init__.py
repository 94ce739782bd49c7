"""Plots of reports and comparisons, on matplotlib.

Each plot has a function: ``karat.plot.roc(report)``. It takes a report, several reports by name, or
rows as in `karat.evaluate`, draws on `ax` or on a new figure, and returns the `Axes`. Plots show
the contents of a report and compute no metric.

Example:
    >>> import karat
    >>> from matplotlib.figure import Figure
    >>> report = karat.evaluate([0, 0, 1, 1], y_prob=[0.1, 0.6, 0.4, 0.9])
    >>> ax = karat.plot.roc(report, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('false positive rate', 'true positive rate')

matplotlib is imported when the first plot is drawn.
"""

import importlib as _importlib
from difflib import get_close_matches as _close_matches
from typing import Any as _Any
from typing import Final as _Final

from karat.output.plots._axes import PALETTE

__all__ = [
    "PALETTE",
    "compare",
    "confusion",
    "det",
    "gain",
    "intervals",
    "lift",
    "precision_recall",
    "reliability",
    "roc",
    "scores",
    "svg",
    "threshold",
]


_OTHER_NAMES: _Final = {
    "calibration": "reliability",
    "calibration_curve": "reliability",
    "histogram": "scores",
    "confusion_matrix": "confusion",
    "det_curve": "det",
    "pr": "precision_recall",
    "pr_curve": "precision_recall",
    "roc_auc": "roc",
    "roc_curve": "roc",
}
"""Names of plots in other libraries → the function here, where the names differ."""


def __getattr__(name: str) -> _Any:
    if name == "svg":
        return _importlib.import_module("karat.plot.svg")
    if name in __all__:
        globals()[name] = _importlib.import_module("karat.api.plot_functions").FUNCTIONS[name]
        return globals()[name]
    told = ""
    if not name.startswith("_"):
        functions = [each for each in __all__ if each not in ("PALETTE", "svg")]
        near = (
            [_OTHER_NAMES[name]]
            if name in _OTHER_NAMES
            else _close_matches(name, functions, n=1, cutoff=0.75)
        )
        told = f"; it is karat.plot.{near[0]}" if near else f"; there are {', '.join(functions)}"
    raise AttributeError(f"module 'karat.plot' has no attribute {name!r}{told}")


def __dir__() -> list[str]:
    return sorted(__all__)
