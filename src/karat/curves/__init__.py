"""Curves over thresholds as data, with exact areas.

Each curve has a function: ``karat.curves.roc(y_true, y_prob=p)``. Each returns read-only arrays
with their thresholds, best first. With two classes, it is the curve of the positive one;
``average=None`` gives one for each class by its label, ``average="micro"`` one of all rows and
classes pooled.

Example:
    >>> import karat
    >>> curve = karat.curves.roc([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
    >>> curve
    <karat.curves.Roc of 1: 5 points, area 0.75>
    >>> curve.fpr.tolist(), curve.tpr.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])

The functions read rows, and are loaded at first use; the curves do not contain rows.
"""

import importlib as _importlib
from typing import Any as _Any

from karat.curves._band import Band
from karat.curves._curve import ByClass, Curve, Reliability, WithBand
from karat.curves._kept import Curves
from karat.curves._traced import Cost, Det, Gain, Lift, NetBenefit, PrecisionRecall, Roc, Traced


def _band(curve: WithBand, level: _Any) -> Band:
    found: Band = _importlib.import_module("karat.inference.bands").band_of(curve, level)
    return found


WithBand.make_band = _band


def __getattr__(name: str) -> _Any:
    if name not in __all__:
        raise AttributeError(f"module 'karat.curves' has no attribute {name!r}")
    found = getattr(_importlib.import_module("karat.api.curves"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Band",
    "ByClass",
    "Cost",
    "Curve",
    "Curves",
    "Det",
    "Gain",
    "Lift",
    "NetBenefit",
    "PrecisionRecall",
    "Reliability",
    "Roc",
    "Traced",
    "WithBand",
    "cost",
    "det",
    "gain",
    "lift",
    "net_benefit",
    "precision_recall",
    "reliability",
    "roc",
]
