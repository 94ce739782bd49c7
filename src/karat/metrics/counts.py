"""The counts themselves: rows, or sums of weights."""

from __future__ import annotations

import math

from karat.metrics import Node, OneVsRest, Table, case, equal, metric, total
from karat.metrics._equal import TWO_CLASSES, of_pycm
from karat.metrics._record import lower_is_better
from karat.metrics.fscores import THREE, THREE_ARITHMETIC
from karat.metrics.rates import LIVER_SOURCE, liver

_ANY = (0.0, math.inf)


@metric(
    aliases=("tp",),
    averages=("micro",),
    range=_ANY,
    better="higher",
    cases=[liver(gives="231", source=LIVER_SOURCE)],
    equals=[
        equal("scikit-learn", "confusion_matrix()[1, 1]", where=TWO_CLASSES),
        equal("scikit-learn", "multilabel_confusion_matrix()[..., 1, 1]", average=None),
        equal("torchmetrics", "BinaryStatScores()[0]", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassStatScores(average='micro')[0]", average="micro"),
        equal("torchmetrics", "MulticlassStatScores(average=None)[..., 0]", average=None),
        *of_pycm("TP"),
    ],
    since="0.1",
)
def true_positives(c: OneVsRest) -> Node:
    """Rows of the class that were predicted as it."""
    return c.tp


@lower_is_better(
    aliases=("fp", "false_alarms"),
    averages=("micro",),
    range=_ANY,
    cases=[liver(gives="32", source=LIVER_SOURCE)],
    equals=[
        equal("scikit-learn", "confusion_matrix()[0, 1]", where=TWO_CLASSES),
        equal("scikit-learn", "multilabel_confusion_matrix()[..., 0, 1]", average=None),
        equal("torchmetrics", "BinaryStatScores()[1]", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassStatScores(average='micro')[1]", average="micro"),
        equal("torchmetrics", "MulticlassStatScores(average=None)[..., 1]", average=None),
        *of_pycm("FP"),
    ],
)
def false_positives(c: OneVsRest) -> Node:
    """Rows of another class that were predicted as this one."""
    return c.fp


@lower_is_better(
    aliases=("fn", "misses"),
    averages=("micro",),
    range=_ANY,
    cases=[liver(gives="27", source=LIVER_SOURCE)],
    equals=[
        equal("scikit-learn", "confusion_matrix()[1, 0]", where=TWO_CLASSES),
        equal("scikit-learn", "multilabel_confusion_matrix()[..., 1, 0]", average=None),
        equal("torchmetrics", "BinaryStatScores()[3]", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassStatScores(average='micro')[3]", average="micro"),
        equal("torchmetrics", "MulticlassStatScores(average=None)[..., 3]", average=None),
        *of_pycm("FN"),
        equal("scikit-learn", "zero_one_loss(normalize=False)", average="micro"),
        equal("PyCM", "overall_stat['Zero-one Loss']", average="micro"),
    ],
)
def false_negatives(c: OneVsRest) -> Node:
    """Rows of the class that were predicted as another."""
    return c.fn


@metric(
    aliases=("tn", "correct_rejections"),
    averages=("micro",),
    range=_ANY,
    better="higher",
    cases=[liver(gives="54", source=LIVER_SOURCE)],
    equals=[
        equal("scikit-learn", "confusion_matrix()[0, 0]", where=TWO_CLASSES),
        equal("scikit-learn", "multilabel_confusion_matrix()[..., 0, 0]", average=None),
        equal("torchmetrics", "BinaryStatScores()[2]", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassStatScores(average='micro')[2]", average="micro"),
        equal("torchmetrics", "MulticlassStatScores(average=None)[..., 2]", average=None),
        *of_pycm("TN"),
    ],
    since="0.1",
)
def true_negatives(c: OneVsRest) -> Node:
    """Rows of another class that were not predicted as this one."""
    return c.tn


@metric(
    aliases=("true_count",),
    averages=("micro",),
    range=_ANY,
    cases=[liver(gives="258", source=LIVER_SOURCE)],
    equals=[
        equal("scikit-learn", "precision_recall_fscore_support(average=None)[3]", average=None),
        equal("imbalanced-learn", "sensitivity_specificity_support(average=None)[2]", average=None),
        equal("torchmetrics", "BinaryStatScores()[4]", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassStatScores(average=None)[..., 4]", average=None),
        *of_pycm("P"),
    ],
    since="0.1",
)
def support(c: OneVsRest) -> Node:
    """Rows truly of the class."""
    return c.pos


@metric(
    averages=("micro",),
    range=_ANY,
    cases=[liver(gives="263", source=LIVER_SOURCE)],
    equals=of_pycm("TOP"),
    since="0.1",
)
def predicted_count(c: OneVsRest) -> Node:
    """Rows predicted as the class."""
    return c.pred_pos


@metric(
    range=_ANY,
    better="higher",
    cases=[case(cells=THREE, gives="71", source=THREE_ARITHMETIC)],
    equals=[equal("scikit-learn", "accuracy_score(normalize=False)")],
    since="0.1",
)
def correct_count(c: Table) -> Node:
    """Rows predicted as their true class."""
    return total(c.tp)
