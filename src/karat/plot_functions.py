"""The functions of `karat.plot`: rows become reports, reports become pictures."""

from __future__ import annotations

from karat.plot._compare import compare as _compare
from karat.plot._confusion import confusion as _confusion
from karat.plot._intervals import intervals as _intervals
from karat.plot._reliability import reliability as _reliability
from karat.plot._scores import scores as _scores
from karat.plot._threshold import threshold as _threshold
from karat.plot._traced import det as _det
from karat.plot._traced import gain as _gain
from karat.plot._traced import lift as _lift
from karat.plot._traced import precision_recall as _precision_recall
from karat.plot._traced import roc as _roc
from karat.plot_calls import plotted

__all__ = [
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
    "threshold",
]

compare = plotted(_compare)
confusion = plotted(_confusion)
det = plotted(_det)
gain = plotted(_gain)
intervals = plotted(_intervals)
lift = plotted(_lift)
precision_recall = plotted(_precision_recall)
reliability = plotted(_reliability)
roc = plotted(_roc)
scores = plotted(_scores)
threshold = plotted(_threshold)
