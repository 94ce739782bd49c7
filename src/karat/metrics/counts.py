"""Counts of rows, or sums of weights."""

from __future__ import annotations

import math
from functools import partial

from karat.metrics import Node, OneVsRest, Table, equal, metric, total
from karat.metrics._equal import TWO_CLASSES, Equal, of_pycm
from karat.metrics.fscores import three
from karat.metrics.rates import LIVER_SOURCE, liver

_ANY = (0.0, math.inf)
_count = partial(metric, averages=("micro",), range=_ANY, since="0.1", is_count=True)


def _equals(row: int, column: int, place: int, name: str) -> tuple[Equal, ...]:
    """Calls that give a cell of two classes; `place` is its position among torchmetrics' scores."""
    one, each = f"confusion_matrix()[{row}, {column}]", f"[..., {row}, {column}]"
    return (
        equal("scikit-learn", one, where=TWO_CLASSES),
        equal("scikit-learn", f"multilabel_confusion_matrix(){each}", average=None),
        equal("torchmetrics", f"BinaryStatScores()[{place}]", where=TWO_CLASSES),
        equal("torchmetrics", f"MulticlassStatScores(average='micro')[{place}]", average="micro"),
        equal("torchmetrics", f"MulticlassStatScores(average=None)[..., {place}]", average=None),
        *of_pycm(name),
    )


@_count(
    aliases=("tp",),
    better="higher",
    cases=[liver(gives="231", source=LIVER_SOURCE)],
    equals=_equals(1, 1, 0, "TP"),
)
def true_positives(c: OneVsRest) -> Node:
    """Number of rows of the class that are predicted as it."""
    return c.tp


@_count(
    aliases=("fp", "false_alarms"),
    cases=[liver(gives="32", source=LIVER_SOURCE)],
    equals=_equals(0, 1, 1, "FP"),
    better="lower",
    perfect=0.0,
)
def false_positives(c: OneVsRest) -> Node:
    """Number of rows of other classes that are predicted as this one."""
    return c.fp


@_count(
    aliases=("fn", "misses"),
    cases=[liver(gives="27", source=LIVER_SOURCE)],
    equals=[
        *_equals(1, 0, 3, "FN"),
        equal("scikit-learn", "zero_one_loss(normalize=False)", average="micro"),
        equal("PyCM", "overall_stat['Zero-one Loss']", average="micro"),
    ],
    better="lower",
    perfect=0.0,
)
def false_negatives(c: OneVsRest) -> Node:
    """Number of rows of the class that are predicted as another."""
    return c.fn


@_count(
    aliases=("tn", "correct_rejections"),
    better="higher",
    cases=[liver(gives="54", source=LIVER_SOURCE)],
    equals=_equals(0, 0, 2, "TN"),
)
def true_negatives(c: OneVsRest) -> Node:
    """Number of rows of other classes that are not predicted as this one."""
    return c.tn


@_count(
    aliases=("true_count",),
    cases=[liver(gives="258", source=LIVER_SOURCE)],
    equals=[
        equal("scikit-learn", "precision_recall_fscore_support(average=None)[3]", average=None),
        equal("imbalanced-learn", "sensitivity_specificity_support(average=None)[2]", average=None),
        equal("torchmetrics", "BinaryStatScores()[4]", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassStatScores(average=None)[..., 4]", average=None),
        *of_pycm("P"),
    ],
)
def support(c: OneVsRest) -> Node:
    """Number of rows of the class."""
    return c.pos


@_count(cases=[liver(gives="263", source=LIVER_SOURCE)], equals=of_pycm("TOP"))
def predicted_count(c: OneVsRest) -> Node:
    """Number of rows predicted as the class."""
    return c.pred_pos


@metric(
    range=_ANY,
    better="higher",
    is_count=True,
    cases=[three(gives="71")],
    equals=[equal("scikit-learn", "accuracy_score(normalize=False)")],
    since="0.1",
)
def correct_count(c: Table) -> Node:
    """Number of rows whose class is predicted correctly."""
    return total(c.tp)
