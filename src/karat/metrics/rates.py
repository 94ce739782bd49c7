"""Rates of one class against the rest."""

from __future__ import annotations

import math
from functools import partial

from karat.metrics import Node, OneVsRest, case, equal, metric, sklearn, sqrt
from karat.metrics._equal import (
    ALL_OCCUR,
    ALL_TRUE,
    TWO_ALL_TRUE,
    TWO_CLASSES,
    of_onedal,
    of_pycm,
    of_scikit_learn,
    of_torchmetrics,
)
from karat.metrics._proportions import OF_PREDICTED_CLASSES, OF_TRUE_CLASSES, proportion
from karat.metrics._record import higher_is_better, lower_is_better
from karat.metrics._rounding import difference_of_shares

ALTMAN_BLAND_1994A = (
    "Altman, Bland (1994). Diagnostic tests 1: sensitivity and specificity. BMJ 308."
)
ALTMAN_BLAND_1994B = "Altman, Bland (1994). Diagnostic tests 2: predictive values. BMJ 309."
DEEKS_ALTMAN_2004 = "Deeks, Altman (2004). Diagnostic tests 4: likelihood ratios. BMJ 329."
POWERS_2011 = "Powers (2011). Evaluation: from precision, recall and F-measure to ROC. JMLT 2."
YOUDEN_1950 = "Youden (1950). Index for rating diagnostic tests. Cancer 3."
GLAS_2003 = "Glas et al. (2003). The diagnostic odds ratio. J. Clin. Epidemiology 56."
LING_LI_1998 = "Ling, Li (1998). Data mining for direct marketing. KDD."
FOWLKES_MALLOWS_1983 = "Fowlkes, Mallows (1983). Comparing two hierarchical clusterings. JASA 78."

# Liver scan against pathology, 344 patients.
liver = partial(case, tp=231, fp=32, fn=27, tn=54)
LIVER_SOURCE = "Altman & Bland 1994, liver scan, 344 patients"
LIVER_ARITHMETIC = "arithmetic on the table of Altman & Bland 1994"

zero_if_undefined = partial(higher_is_better, undefined_is_zero=True)
NONE_TRUE = "no row is truly of the class"
NONE_FALSE = "every row is truly of the class"
NONE_PREDICTED = "nothing was predicted as the class"
ALL_PREDICTED = "everything was predicted as the class"


@zero_if_undefined(
    aliases=("positive_predictive_value", "ppv", "precision_score"),
    undefined=NONE_PREDICTED,
    cases=[liver(gives="231/263", source=LIVER_SOURCE)],
    oracle=sklearn("precision_score"),
    equals=[
        *of_scikit_learn("precision_score", 0),
        *of_torchmetrics("Precision"),
        equal("CatBoost", "Precision()", average=None),
        *of_onedal("precision"),
        *of_pycm("PPV", "macro", "micro"),
    ],
    references=(ALTMAN_BLAND_1994B,),
    headline=("plain", "macro"),
    proportion=proportion("tp", "fp"),
)
def precision(c: OneVsRest) -> Node:
    """Proportion of the rows predicted as the class that belong to it.

    Depends on prevalence: a value from balanced data does not apply where the class is rare. recall
    is the corresponding proportion of the true rows.
    """
    return c.tp / c.pred_pos


@zero_if_undefined(
    aliases=("sensitivity", "true_positive_rate", "tpr", "hit_rate", "recall_score"),
    undefined=NONE_TRUE,
    cases=[liver(gives="231/258", source=LIVER_SOURCE)],
    oracle=sklearn("recall_score"),
    equals=[
        *of_scikit_learn("recall_score", 1),
        equal("imbalanced-learn", "sensitivity_score()", where=TWO_CLASSES),
        equal(
            "imbalanced-learn",
            "sensitivity_score(average=average)",
            "sensitivity_specificity_support(average=average)[0]",
        ),
        *of_torchmetrics("Recall"),
        equal("torchmetrics", "MulticlassAccuracy(average=average)", where=ALL_OCCUR),
        equal("CatBoost", "Recall()", where=ALL_TRUE, average=None),
        *of_onedal("recall"),
        *of_pycm("TPR", "macro", "micro"),
    ],
    references=(ALTMAN_BLAND_1994A,),
    headline=("plain", "macro"),
    proportion=proportion("tp", "fn"),
)
def recall(c: OneVsRest) -> Node:
    """Proportion of the rows of the class that are predicted as it.

    Does not depend on prevalence.
    Macro recall counts a class that is absent from y_true as 0; balanced_accuracy leaves it out.
    """
    return c.tp / c.pos


@zero_if_undefined(
    aliases=("true_negative_rate", "tnr", "selectivity"),
    undefined=NONE_FALSE,
    cases=[liver(gives="54/86", source=LIVER_SOURCE)],
    oracle=sklearn("recall_score", pos_label=0),
    equals=[
        equal("scikit-learn", "recall_score(pos_label=0)", where=TWO_CLASSES),
        equal("imbalanced-learn", "specificity_score()", where="two classes, there are no weights"),
        equal(
            "imbalanced-learn",
            "specificity_score(average=average)",
            "sensitivity_specificity_support(average=average)[1]",
            where="there are no weights",
            note="its weighted specificity counts rows, and exceeds 1",
        ),
        *of_torchmetrics("Specificity"),
        equal("oneDAL", "BinaryConfusionMatrix()['specificity']", undefined="nan"),
        *of_pycm("TNR", "macro", "micro"),
    ],
    references=(ALTMAN_BLAND_1994A,),
    headline=("plain",),
    proportion=proportion("tn", "fp"),
)
def specificity(c: OneVsRest) -> Node:
    """Proportion of the rows of other classes that are not predicted as this one.

    With many classes it is near 1 for any classifier, since most rows are negatives of most
    classes.
    """
    return c.tn / c.neg


@zero_if_undefined(
    aliases=("npv",),
    undefined=ALL_PREDICTED,
    cases=[liver(gives="54/81", source=LIVER_SOURCE)],
    oracle=sklearn("precision_score", pos_label=0),
    equals=[
        equal("scikit-learn", "precision_score(pos_label=0)", where=TWO_CLASSES),
        *of_torchmetrics("NegativePredictiveValue"),
        *of_pycm("NPV", "macro", "micro"),
    ],
    references=(ALTMAN_BLAND_1994B,),
    proportion=proportion("tn", "fn"),
)
def negative_predictive_value(c: OneVsRest) -> Node:
    """Proportion of the rows not predicted as the class that do not belong to it.

    Depends on prevalence: a value from balanced data does not apply to a rare disease. specificity
    is the corresponding proportion of the rows of other classes.
    """
    return c.tn / c.pred_neg


@lower_is_better(
    aliases=("fpr", "fall_out"),
    undefined=NONE_FALSE,
    cases=[liver(gives="32/86", source=LIVER_ARITHMETIC)],
    oracle=sklearn("recall_score", pos_label=0, transform=lambda value: 1.0 - value),
    equals=[
        equal("scikit-learn", "1 - recall_score(pos_label=0)", where=TWO_ALL_TRUE),
        *of_pycm("FPR", "macro", "micro"),
    ],
    references=(ALTMAN_BLAND_1994A,),
    proportion=proportion("fp", "tn"),
)
def false_positive_rate(c: OneVsRest) -> Node:
    """Proportion of the rows of other classes that are predicted as this one."""
    return c.fp / c.neg


@lower_is_better(
    aliases=("fnr", "miss_rate"),
    undefined=NONE_TRUE,
    cases=[liver(gives="27/258", source=LIVER_ARITHMETIC)],
    oracle=sklearn("recall_score", transform=lambda value: 1.0 - value),
    equals=[
        equal("scikit-learn", "1 - recall_score()", where=TWO_ALL_TRUE),
        equal("torchmetrics", "MulticlassHammingDistance(average=average)", where=ALL_TRUE),
        *of_pycm("FNR", "macro", "micro"),
    ],
    references=(ALTMAN_BLAND_1994A,),
    proportion=proportion("fn", "tp"),
)
def false_negative_rate(c: OneVsRest) -> Node:
    """Proportion of the rows of the class that are predicted as another."""
    return c.fn / c.pos


@lower_is_better(
    aliases=("fdr",),
    undefined=NONE_PREDICTED,
    cases=[liver(gives="32/263", source=LIVER_ARITHMETIC)],
    oracle=sklearn("precision_score", transform=lambda value: 1.0 - value),
    equals=of_pycm("FDR"),
    references=(ALTMAN_BLAND_1994B,),
    proportion=proportion("fp", "tp"),
)
def false_discovery_rate(c: OneVsRest) -> Node:
    """Proportion of the rows predicted as the class that belong to another."""
    return c.fp / c.pred_pos


@lower_is_better(
    aliases=("false_omission", "for_rate"),
    undefined=ALL_PREDICTED,
    cases=[liver(gives="27/81", source=LIVER_ARITHMETIC)],
    oracle=sklearn("precision_score", pos_label=0, transform=lambda value: 1.0 - value),
    equals=of_pycm("FOR"),
    references=(ALTMAN_BLAND_1994B,),
    proportion=proportion("fn", "tn"),
)
def false_omission_rate(c: OneVsRest) -> Node:
    """Proportion of the rows not predicted as the class that belong to it."""
    return c.fn / c.pred_neg


@metric(
    aliases=("base_rate",),
    constant_averages=("macro", "micro"),
    cases=[liver(gives="258/344", source=LIVER_SOURCE)],
    equals=[*of_pycm("PRE"), *of_pycm("PR")],
    references=(ALTMAN_BLAND_1994B,),
    since="0.1",
    proportion=proportion("tp fn", "tn fp"),
)
def prevalence(c: OneVsRest) -> Node:
    """Proportion of all rows that belong to the class.

    A property of the data, not of the classifier.
    """
    return c.pos / c.n


@higher_is_better(
    averages=("macro", "weighted"),
    range=(0.0, math.inf),
    perfect=None,
    undefined="no row is truly of the class, or nothing was predicted as it",
    cases=[liver(gives="(231/263) / (258/344)", source=LIVER_ARITHMETIC)],
    equals=of_pycm("LS"),
    references=(LING_LI_1998,),
)
def precision_lift(c: OneVsRest) -> Node:
    """Ratio of precision to prevalence.

    It is 1 for any prediction that ignores the input, and at most 1 ÷ prevalence. lift_at is the
    same ratio for the proportion of the rows with the highest scores.
    """
    return (c.tp * c.n) / (c.pred_pos * c.pos)


@higher_is_better(
    aliases=("youden_j", "youden_index", "bookmaker_informedness"),
    range=(-1.0, 1.0),
    undefined="all rows are truly of the class, or none",
    cases=[liver(gives="231/258 + 54/86 - 1", source=LIVER_ARITHMETIC)],
    oracle=sklearn("balanced_accuracy_score", adjusted=True),
    equals=[
        equal("scikit-learn", "balanced_accuracy_score(adjusted=True)", where=TWO_ALL_TRUE),
        *of_pycm("BM"),
        *of_pycm("Y"),
        *of_pycm("GI"),
    ],
    references=(YOUDEN_1950, POWERS_2011),
    rounding=difference_of_shares,
    sum_of=OF_TRUE_CLASSES,
)
def informedness(c: OneVsRest) -> Node:
    """Recall plus specificity minus 1: Youden's J statistic.

    It is 0 for any prediction that ignores the input.
    """
    return c.tp / c.pos + c.tn / c.neg - 1


@higher_is_better(
    aliases=("delta_p",),
    range=(-1.0, 1.0),
    undefined="everything was predicted as the class, or nothing",
    cases=[liver(gives="231/263 + 54/81 - 1", source=LIVER_ARITHMETIC)],
    equals=of_pycm("MK"),
    references=(POWERS_2011,),
    rounding=difference_of_shares,
    sum_of=OF_PREDICTED_CLASSES,
)
def markedness(c: OneVsRest) -> Node:
    """Precision plus negative predictive value minus 1."""
    return c.tp / c.pred_pos + c.tn / c.pred_neg - 1


@metric(
    aliases=("lr_positive", "lr_plus"),
    range=(0.0, math.inf),
    better="higher",
    undefined="a class is absent, or there is no false positive",
    perfect=math.inf,
    cases=[liver(gives="(231/258) / (32/86)", source=LIVER_ARITHMETIC)],
    oracle=sklearn("class_likelihood_ratios", item=0),
    equals=[
        equal("scikit-learn", "class_likelihood_ratios()[0]", where="two classes, it is finite"),
        *of_pycm("PLR", where="it is finite"),
    ],
    references=(DEEKS_ALTMAN_2004,),
    since="0.1",
    ratio_of=OF_TRUE_CLASSES,
)
def positive_likelihood_ratio(c: OneVsRest) -> Node:
    """True positive rate divided by false positive rate.

    A positive prediction multiplies the odds of the class by it. Infinite without false positives.
    """
    return (c.tp / c.pos) / (c.fp / c.neg)


@lower_is_better(
    aliases=("lr_negative", "lr_minus"),
    range=(0.0, math.inf),
    undefined="a class is absent, or there is no true negative",
    cases=[liver(gives="(27/258) / (54/86)", source=LIVER_ARITHMETIC)],
    oracle=sklearn("class_likelihood_ratios", item=1),
    equals=[
        equal("scikit-learn", "class_likelihood_ratios()[1]", where="two classes, it is finite"),
        *of_pycm("NLR", where="it is finite"),
    ],
    references=(DEEKS_ALTMAN_2004,),
    ratio_of=OF_TRUE_CLASSES,
)
def negative_likelihood_ratio(c: OneVsRest) -> Node:
    """False negative rate divided by true negative rate.

    A negative prediction multiplies the odds of the class by it.
    """
    return (c.fn / c.pos) / (c.tn / c.neg)


@metric(
    aliases=("dor",),
    range=(0.0, math.inf),
    better="higher",
    undefined="there is no false positive or no false negative",
    perfect=math.inf,
    cases=[liver(gives="(231*54) / (32*27)", source=LIVER_ARITHMETIC)],
    equals=of_pycm("DOR", where="it is finite"),
    references=(GLAS_2003,),
    since="0.1",
    ratio_of=OF_TRUE_CLASSES,
)
def diagnostic_odds_ratio(c: OneVsRest) -> Node:
    """Ratio of the odds of a positive prediction among rows of the class and among the others.

    Equals the positive likelihood ratio divided by the negative one. Infinite if there are no false
    positives or no false negatives.
    """
    return (c.tp * c.tn) / (c.fp * c.fn)


@zero_if_undefined(
    aliases=("g_measure", "fmi"),
    undefined="no row is truly of the class, or nothing was predicted as it",
    cases=[liver(gives="231 / sqrt(263*258)", source=LIVER_ARITHMETIC)],
    equals=[*of_pycm("G"), *of_pycm("OOC")],
    references=(FOWLKES_MALLOWS_1983,),
)
def fowlkes_mallows(c: OneVsRest) -> Node:
    """Geometric mean of precision and recall."""
    return c.tp / sqrt(c.pred_pos * c.pos)
