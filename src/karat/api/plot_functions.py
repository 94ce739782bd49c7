"""The functions of `karat.plot`: rows become reports, reports become pictures."""

from __future__ import annotations

from karat.api.plot_calls import plotted
from karat.output.plots._confusion import confusion as _confusion
from karat.output.plots._forest import compare as _compare
from karat.output.plots._forest import intervals as _intervals
from karat.output.plots._reliability import reliability as _reliability
from karat.output.plots._reliability import scores as _scores
from karat.output.plots._threshold import threshold as _threshold
from karat.output.plots._traced import det as _det
from karat.output.plots._traced import gain as _gain
from karat.output.plots._traced import lift as _lift
from karat.output.plots._traced import precision_recall as _precision_recall
from karat.output.plots._traced import roc as _roc

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
