"""Accuracy, error rate and their variants."""

from __future__ import annotations

from functools import partial

from karat.metrics import (
    Node,
    Parameter,
    Table,
    case,
    equal,
    maximum,
    metric,
    product,
    sklearn,
    total,
    where,
)
from karat.metrics._equal import ALL_TRUE, TWO_ALL_TRUE, TWO_CLASSES
from karat.metrics._record import higher_is_better, lower_is_better
from karat.metrics._rounding import difference_of_shares
from karat.metrics.fscores import SOKOLOVA_LAPALME_2009, three
from karat.metrics.rates import recall

BRODERSEN_2010 = (
    "Brodersen et al. (2010). The balanced accuracy and its posterior distribution. ICPR."
)
KUBAT_MATWIN_1997 = "Kubat, Matwin (1997). Addressing the curse of imbalanced training sets. ICML."

_RECALLS = "22/30 + 18/23 + 31/42"
_SAME_SUM = (
    "Σ FP = Σ FN: every error is a false positive of one class and a false negative of another"
)
_of_errors = partial(lower_is_better, identities={"field fn → fp": _SAME_SUM})

# Recalls 1, 0, 1, 3/4, 1/3, 1 and 0; the fifth class is predicted but never true.
ABSENT = (
    (2, 0, 0, 0, 0, 0, 0, 0),
    (0, 0, 2, 0, 1, 0, 0, 0),
    (0, 0, 1, 0, 0, 0, 0, 0),
    (0, 0, 0, 3, 1, 0, 0, 0),
    (0, 0, 0, 0, 0, 0, 0, 0),
    (0, 0, 0, 2, 0, 1, 0, 0),
    (0, 0, 0, 0, 0, 0, 3, 0),
    (0, 0, 1, 0, 0, 0, 0, 0),
)
ABSENT_ARITHMETIC = "arithmetic on a table of 17 rows in which one class is never true"


@higher_is_better(
    aliases=("accuracy_score", "fraction_correct"),
    cases=[three(gives="71/95")],
    oracle=sklearn("accuracy_score"),
    equals=[
        equal("scikit-learn", "accuracy_score()"),
        equal("torchmetrics", "BinaryAccuracy()", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassAccuracy(average='micro')"),
        equal("CatBoost", "Accuracy()"),
        equal("oneDAL", "BinaryConfusionMatrix()['accuracy']", where=TWO_CLASSES),
        equal(
            "oneDAL",
            "MulticlassConfusionMatrix()['microPrecision']",
            "MulticlassConfusionMatrix()['microRecall']",
            "MulticlassConfusionMatrix()['microFscore']",
        ),
        equal("PyCM", "overall_stat['Overall ACC']"),
    ],
    headline=("plain",),
    is_of_right_rows=True,
)
def accuracy(c: Table) -> Node:
    """Proportion of the rows whose class is predicted correctly.

    Compare it with no_information_rate, the accuracy of always predicting the most frequent class.
    """
    return total(c.tp) / c.n


@_of_errors(
    aliases=("misclassification_rate",),
    cases=[three(gives="24/95")],
    oracle=sklearn("zero_one_loss"),
    equals=[
        equal("scikit-learn", "zero_one_loss()"),
        equal("oneDAL", "1 - BinaryConfusionMatrix()['accuracy']", where=TWO_CLASSES),
    ],
    is_of_right_rows=True,
)
def error_rate(c: Table) -> Node:
    """Proportion of the rows whose class is predicted wrongly: 1 − accuracy.

    oneDAL's multi-class errorRate is average_error_rate.
    """
    return total(c.fn) / c.n


@_of_errors(
    cases=[three(gives="24/95")],
    oracle=sklearn("zero_one_loss"),
    equals=[equal("scikit-learn", "zero_one_loss()"), equal("CatBoost", "ZeroOneLoss()")],
    is_of_right_rows=True,
)
def zero_one_loss(c: Table) -> Node:
    """Mean loss when a wrong class costs 1 and the right one 0: the error rate."""
    return error_rate(c)


@_of_errors(
    cases=[three(gives="24/95")],
    oracle=sklearn("hamming_loss"),
    equals=[
        equal("scikit-learn", "hamming_loss()"),
        equal("torchmetrics", "BinaryHammingDistance()", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassHammingDistance(average='micro')"),
        equal("CatBoost", "HammingLoss()"),
        equal("PyCM", "overall_stat['Hamming Loss']"),
    ],
    on_sets="average_error_rate",
    is_of_right_rows=True,
)
def hamming_loss(c: Table) -> Node:
    """Proportion of the labels that are wrong; with one label per row, the error rate."""
    return error_rate(c)


@higher_is_better(
    cases=[three(gives="(22 + 59 + 18 + 60 + 31 + 47) / (3*95)")],
    equals=[
        equal("oneDAL", "MulticlassConfusionMatrix()['averageAccuracy']"),
        equal("PyCM", "overall_stat['ACC Macro']"),
    ],
    references=(SOKOLOVA_LAPALME_2009,),
    is_of_sets=True,
    is_of_right_rows=True,
)
def average_accuracy(c: Table) -> Node:
    """Mean over the classes of the accuracy of one class against the rest.

    Equals 1 − 2·(1 − accuracy)/K: with many classes it is near 1 for any classifier.
    """
    return total(c.tp + c.tn) / (c.k * c.n)


@lower_is_better(
    cases=[three(gives="(6 + 8 + 12 + 5 + 6 + 11) / (3*95)")],
    equals=[equal("oneDAL", "MulticlassConfusionMatrix()['errorRate']")],
    references=(SOKOLOVA_LAPALME_2009,),
    identities={"field fp → fn": _SAME_SUM, "field fn → fp": _SAME_SUM},
    is_of_sets=True,
    is_of_right_rows=True,
)
def average_error_rate(c: Table) -> Node:
    """Mean over the classes of the error rate of one class against the rest.

    Equals 2·(1 − accuracy)/K.
    """
    return total(c.fp + c.fn) / (c.k * c.n)


@higher_is_better(
    aliases=("balanced_accuracy_score", "mean_recall"),
    range=(-1.0, 1.0),
    undefined="only one class is truly present, so the value cannot be rescaled",
    parameters=(
        Parameter(
            "adjusted",
            "Rescale so that chance gives 0 and a perfect prediction 1.",
            default=False,
            kind="flag",
        ),
    ),
    cases=[
        three(gives=f"({_RECALLS}) / 3"),
        three(gives=f"(({_RECALLS}) / 3 - 1/3) / (1 - 1/3)", adjusted=True),
        case(cells=ABSENT, gives="7/12", source=ABSENT_ARITHMETIC),
        case(cells=ABSENT, gives="37/72", source=ABSENT_ARITHMETIC, adjusted=True),
    ],
    oracle=sklearn("balanced_accuracy_score"),
    equals=[
        equal("scikit-learn", "balanced_accuracy_score(adjusted=adjusted)"),
        equal("CatBoost", "BalancedAccuracy()", "1 - BalancedErrorRate()", where=TWO_ALL_TRUE),
        equal("oneDAL", "BinaryConfusionMatrix()['AUC']", where=TWO_ALL_TRUE),
        equal("PyCM", "class_stat['AUC'][1]", where=TWO_ALL_TRUE),
    ],
    references=(BRODERSEN_2010,),
    headline=("plain",),
    identities={
        "field fn → tp": "a class without a hit has recall 0, which adds as little as none"
    },
    rounding=difference_of_shares,
)
def balanced_accuracy(c: Table, *, adjusted: bool) -> Node:
    """Mean recall of the classes that occur in y_true.

    Classes absent from y_true are left out; macro_recall counts them as 0.
    With two classes it is (recall + specificity)/2, the area under a one-point ROC curve.
    """
    is_present = c.pos > 0
    n_present = total(is_present)
    balanced = total(where(is_present, c.per_class(recall), 0.0)) / n_present
    if not adjusted:
        return balanced
    span = 1 - 1 / n_present
    # Both sides times the span: with one class present it is 0/0, never −x/0 = −∞.
    return (balanced * span - span / n_present) / (span * span)


@higher_is_better(
    aliases=("geometric_mean", "geometric_mean_score"),
    undefined="some class is absent from y_true",
    cases=[three(gives="(22/30 * 18/23 * 31/42) ** (1/3)")],
    equals=[
        equal("imbalanced-learn", "geometric_mean_score()", where=ALL_TRUE),
        equal("PyCM", "class_stat['GM'][1]", where=TWO_ALL_TRUE),
    ],
    references=(KUBAT_MATWIN_1997,),
)
def g_mean(c: Table) -> Node:
    """Geometric mean of the recalls of all classes: 0 if any class is never recognized."""
    return product(c.per_class(recall) ** (1 / c.k))


@metric(
    aliases=("nir", "majority_share", "null_accuracy"),
    cases=[three(gives="42/95")],
    equals=[equal("PyCM", "overall_stat['NIR']")],
    since="0.1",
)
def no_information_rate(c: Table) -> Node:
    """Proportion of the most frequent class: the accuracy of always predicting it.

    R's caret reports it as No Information Rate.
    """
    return maximum(c.pos) / c.n
