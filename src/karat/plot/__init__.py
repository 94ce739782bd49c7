"""Plots of reports and comparisons, on matplotlib.

One function a picture: ``karat.plot.roc(report)``. Each takes a report, several of them by name, or
rows as `karat.evaluate` takes them; draws on `ax`, or on a new figure; and returns the `Axes`.
They draw what a report holds and compute no metric.

Example:
    >>> import karat
    >>> from matplotlib.figure import Figure
    >>> report = karat.evaluate(["ham", "ham", "spam", "spam"], y_prob=[0.1, 0.6, 0.4, 0.9])
    >>> ax = karat.plot.roc(report, ax=Figure().subplots())
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('false positive rate', 'true positive rate')

matplotlib is imported when the first picture is drawn.
"""

from __future__ import annotations

import importlib
from typing import Any

from karat.plot._palette import PALETTE

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


def __getattr__(name: str) -> Any:
    if name == "svg":
        return importlib.import_module("karat.plot.svg")
    if name not in __all__:
        raise AttributeError(f"module 'karat.plot' has no attribute {name!r}")
    found = getattr(importlib.import_module("karat.plot_functions"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
