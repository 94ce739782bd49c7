"""Metrics of rows with sets of labels: one value per row, and its mean over the rows."""

from __future__ import annotations

from functools import partial

from karat.metrics._formula import Node, sqrt, where
from karat.metrics._lift import LabelsOfRow, OneVsRest
from karat.metrics._record import case, metric
from karat.metrics._rounding import difference_of_shares

TSOUMAKAS_2010 = (
    "Tsoumakas, Katakis, Vlahavas 2010, Mining Multi-label Data, in: Data Mining and Knowledge "
    "Discovery Handbook"
)
_share = partial(metric, better="higher", perfect=1.0, since="0.2")
_count = partial(metric, since="0.2", in_report=False)
# One row: a of {a, b} was found, c was added, d is rightly absent.
_row = partial(case, tp=1, fp=1, fn=1, tn=1, source="arithmetic by hand")
_right = partial(case, tp=2, fp=0, fn=0, tn=1, source="arithmetic by hand")
_found = partial(case, tp=2, fp=1, fn=0, tn=0, source="arithmetic by hand")
_none = partial(case, tp=0, fp=0, fn=0, tn=3, source="arithmetic by hand")


@_share(
    aliases=("exact_match", "exact_match_ratio"),
    cases=[_row(gives="0"), _right(gives="1"), _found(gives="0"), _none(gives="1")],
    references=(TSOUMAKAS_2010,),
    headline=("plain",),
)
def subset_accuracy(c: LabelsOfRow) -> Node:
    """Proportion of the rows whose predicted labels are exactly the true labels.

    Equals scikit-learn's accuracy_score of indicator matrices. One wrong label among a thousand
    makes a row wrong.
    """
    return where(c.fp + c.fn, 0.0, 1.0)


@_share(cases=[_row(gives="0"), _right(gives="1"), _found(gives="1"), _none(gives="1")])
def all_true_found(c: LabelsOfRow) -> Node:
    """Proportion of the rows without a missed label; a row without true labels misses none."""
    return where(c.fn, 0.0, 1.0)


@_share(cases=[_row(gives="0"), _right(gives="1"), _found(gives="0"), _none(gives="1")])
def no_false_label(c: LabelsOfRow) -> Node:
    """Proportion of the rows without a false label; an empty prediction has none."""
    return where(c.fp, 0.0, 1.0)


@_share(cases=[_row(gives="1"), _right(gives="1"), _none(gives="0")])
def any_true_found(c: LabelsOfRow) -> Node:
    """Proportion of the rows with at least one true label predicted."""
    return where(c.tp, 1.0, 0.0)


@metric(
    better="lower",
    perfect=0.0,
    since="0.2",
    cases=[_row(gives="1/2"), _right(gives="0"), _found(gives="1/3")],
    references=(TSOUMAKAS_2010,),
    in_report=False,
)
def samples_hamming_loss(c: LabelsOfRow) -> Node:
    """Mean over the rows of the proportion of wrong labels.

    Equals hamming_loss where every label of every row is known.
    """
    return (c.fp + c.fn) / (c.tp + c.fp + c.fn + c.tn)


@_count(
    range=(0.0, float("inf")),
    cases=[_row(gives="2"), _none(gives="0")],
    references=(TSOUMAKAS_2010,),
)
def label_cardinality(c: LabelsOfRow) -> Node:
    """Mean number of true labels per row."""
    return c.pos


@_count(
    range=(0.0, float("inf")),
    cases=[_row(gives="2"), _found(gives="3"), _none(gives="0")],
    references=(TSOUMAKAS_2010,),
)
def predicted_cardinality(c: LabelsOfRow) -> Node:
    """Mean number of predicted labels per row."""
    return c.pred_pos


@_count(
    cases=[_row(gives="1/2"), _right(gives="2/3"), _none(gives="0")], references=(TSOUMAKAS_2010,)
)
def label_density(c: LabelsOfRow) -> Node:
    """Mean proportion of the labels that are true in a row."""
    return c.pos / (c.tp + c.fp + c.fn + c.tn)


@_count(
    cases=[_row(gives="1/2"), _found(gives="1"), _none(gives="0")], references=(TSOUMAKAS_2010,)
)
def predicted_density(c: LabelsOfRow) -> Node:
    """Mean proportion of the labels that are predicted for a row."""
    return c.pred_pos / (c.tp + c.fp + c.fn + c.tn)


_of_label = partial(metric, better="higher", perfect=1.0, since="0.2", in_report=False)
_two_by_two = partial(case, tp=3, fp=1, fn=2, tn=4, source="arithmetic by hand")


@_of_label(
    aliases=("label_mcc",),
    range=(-1.0, 1.0),
    undefined="the label is true or predicted in every row, or in none",
    undefined_is_zero=True,
    cases=[_two_by_two(gives="10/sqrt(5*5*4*6)")],
    rounding=difference_of_shares,
)
def label_matthews_correlation(c: OneVsRest) -> Node:
    """Matthews' correlation of one label, or class, against the rest.

    Its micro average pools all cells of an indicator matrix, as in torchmetrics.
    """
    truth, guess = c.pos * c.neg, c.pred_pos * c.pred_neg
    # No overflow, and exactly 1 of a perfect prediction, as in matthews_correlation.
    return (c.tp * c.tn - c.fp * c.fn) / (truth * sqrt(guess / truth))


@_of_label(
    range=(-1.0, 1.0),
    undefined="the label is true and predicted in every row, or in none",
    cases=[_two_by_two(gives="2*10/(4*5 + 5*6)")],
    rounding=difference_of_shares,
)
def label_kappa(c: OneVsRest) -> Node:
    """Cohen's kappa of one label, or class, against the rest."""
    return 2 * (c.tp * c.tn - c.fp * c.fn) / (c.pred_pos * c.neg + c.pos * c.pred_neg)


@_of_label(
    undefined="the label is true in every row, or in none",
    cases=[_two_by_two(gives="(3/5 + 4/5)/2")],
)
def label_balanced_accuracy(c: OneVsRest) -> Node:
    """Mean of recall and specificity of one label, or class, against the rest."""
    return (c.tp / c.pos + c.tn / c.neg) / 2
