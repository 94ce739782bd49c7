"""Ranking metrics: areas under curves over all thresholds."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from karat.errors import error
from karat.metrics import ClassRanks, PairRanks, Pairwise, Parameter, equal, sklearn
from karat.metrics._bounds import between_orders, under_lines, under_steps
from karat.metrics._equal import ALL_TRUE, SEVERAL_ALL_TRUE, TWO_ALL_TRUE
from karat.metrics._influence.forms import (
    AreaInfluence,
    DifferencesInfluence,
    PairsInfluence,
    PrecisionInfluence,
)
from karat.metrics._rounding import area_and_pairs, linear, pair_area, twice_the_area
from karat.metrics._scored import by_hand, higher_is_better
from karat.metrics._set_views import RowFormula
from karat.metrics._views import Floats
from karat.metrics.label_ranking import samples_average_precision, samples_roc_auc
from karat.metrics.rates import NONE_TRUE

HANLEY_MCNEIL_1982 = "Hanley, McNeil (1982). The area under a ROC curve. Radiology 143."
MCCLISH_1989 = "McClish (1989). Analyzing a portion of the ROC curve. Med. Decision Making 9."
FAWCETT_2006 = "Fawcett (2006). An introduction to ROC analysis. Pattern Recognition Letters 27."
HAND_TILL_2001 = (
    "Hand, Till (2001). A simple generalisation of the area under the ROC curve. ML 45."
)
KLEIMAN_PAGE_2019 = (
    "Kleiman, Page (2019). AUC-mu: a performance metric for multi-class models. ICML."
)
BOYD_2013 = "Boyd, Eng, Page (2013). Area under the precision-recall curve. ECML PKDD."
DAVIS_GOADRICH_2006 = "Davis, Goadrich (2006). The relationship between PR and ROC curves. ICML."

ONE_SIDED = "no row is truly of the class, or every row is"

# Six rows, best first: 0.9 true, 0.8 true and false, 0.4 false, 0.35 true, 0.1 false.
tied = partial(by_hand, y_true=(0, 0, 1, 0, 1, 1), y_score=(0.1, 0.4, 0.35, 0.8, 0.8, 0.9))
THREE_SCORES = ((3, 1, 0), (1, 2, 0), (0, 2, 2), (2, 1, 0), (1, 0, 1))
three = partial(by_hand, y_true=(0, 0, 1, 1, 2), y_score=THREE_SCORES)
_of_pairs = partial(
    higher_is_better, undefined=NONE_TRUE, references=(HAND_TILL_2001,), bounds=between_orders
)


@higher_is_better(
    formula="probability that a row of the class scores above another row, ties counting half",
    latex=r"\frac{\sum_{i: y_i = c} \sum_{j: y_j \ne c} w_i w_j"
    r"\big([s_i > s_j] + \tfrac12 [s_i = s_j]\big)}{W_c \, W_{\bar c}}",
    aliases=("auc", "auroc", "roc_auc_score", "c_statistic", "roc_auc_ovr"),
    averages=("macro", "micro", "weighted"),
    lift_names={
        "macro": "roc_auc_ovr_macro",
        "micro": "roc_auc_ovr_micro",
        "weighted": "roc_auc_ovr_weighted",
    },
    undefined=ONE_SIDED,
    parameters=(
        Parameter(
            "max_fpr",
            "Use the curve up to this false positive rate, with McClish standardization; "
            "None: all of it.",
            above=0.0,
            most=1.0,
        ),
    ),
    cases=[
        tied(gives="(6 + 0.5)/9"),
        tied(gives="(1 + (1/6 - 1/18)/(1/3 - 1/18))/2", max_fpr=1 / 3),
        three(gives="(4.5/6 + 4/6 + 3/4)/3", lift="macro"),
    ],
    oracle=sklearn("roc_auc_score"),
    equals=[
        equal("scikit-learn", "roc_auc_score(max_fpr=max_fpr)", where=TWO_ALL_TRUE),
        equal(
            "scikit-learn",
            "roc_auc_score(multi_class='ovr', average=average)",
            where=SEVERAL_ALL_TRUE,
        ),
        equal("torchmetrics", "BinaryAUROC(max_fpr=max_fpr)", where=TWO_ALL_TRUE),
        equal(
            "torchmetrics",
            "MulticlassAUROC(average=average)",
            where=ALL_TRUE,
            averages=("macro", "weighted", None),
        ),
        equal("CatBoost", "AUC()", where=TWO_ALL_TRUE, given="y_score"),
        equal(
            "CatBoost",
            "AUCMulticlass(type='OneVsAll')",
            where="every class is true, scores do not tie",
            average=None,
        ),
    ],
    references=(HANLEY_MCNEIL_1982, MCCLISH_1989, FAWCETT_2006),
    headline=("plain", "macro", "weighted"),
    influence=AreaInfluence(part="max_fpr"),
    bounds=between_orders,
    rounding=pair_area,
    of_row=RowFormula(samples_roc_auc),
    is_within_classes=True,
)
def roc_auc(c: ClassRanks, *, max_fpr: float | None) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Ties count half, exactly. It does not depend on prevalence, nor on increasing transformations of
    the scores, which are used as given. Random scores give 0.5 on average.
    """
    if max_fpr is None or max_fpr >= 1.0:
        return c.area
    if not (c.n_pos and c.n_neg):
        return math.nan
    area = 0.0
    for steps in c.steps():
        tpr = np.concatenate([[steps.tps_before], steps.tps]) / c.n_pos
        fpr = np.concatenate([[steps.fps_before], steps.fps]) / c.n_neg
        stop = int(np.searchsorted(fpr, max_fpr, side="right"))
        if stop == len(fpr):
            area += float(np.trapezoid(tpr, fpr))
            continue
        tpr_end = float(np.interp(max_fpr, fpr[stop - 1 : stop + 1], tpr[stop - 1 : stop + 1]))
        area += float(np.trapezoid(np.append(tpr[:stop], tpr_end), np.append(fpr[:stop], max_fpr)))
        break
    chance = 0.5 * max_fpr**2
    return float(0.5 * (1.0 + (area - chance) / (max_fpr - chance)))


def _mean_of_pairs(p: PairRanks, weight: Floats) -> float:
    chance = p.matrix
    measured = np.isfinite(chance)
    weight = np.where(measured, weight, 0.0)
    total = float(weight.sum())
    if not total:
        return math.nan
    return float((weight * np.where(measured, chance, 0.0)).sum() / total)


@_of_pairs(
    formula="mean over the ordered pairs of classes i ≠ j of the probability that a row of i "
    "scores above a row of j by the score of i",
    latex=r"\frac{1}{k(k-1)} \sum_{i \ne j} \hat A(i \mid j)",
    aliases=("hand_till", "auc_ovo", "roc_auc_ovo"),
    cases=[
        three(gives="(3/4 + 3/4 + 1/2 + 1 + 1 + 1/2)/6"),
        by_hand(y_true=[0, 1, 1], y_score=[[1, 0], [0, 1], [2, 1]], gives="1/2*(1/2 + 1)"),
    ],
    oracle=sklearn("roc_auc_score", multi_class="ovo"),
    equals=[
        equal(
            "scikit-learn",
            "roc_auc_score(multi_class='ovo')",
            where=f"{SEVERAL_ALL_TRUE}, there are no weights",
        )
    ],
    headline=("plain",),
    influence=PairsInfluence(),
    rounding=area_and_pairs(is_weighted=False),
    is_within_classes=True,
)
def roc_auc_ovo_macro(p: PairRanks) -> float:
    """Mean ROC AUC over the pairs of classes (Hand & Till's M).

    It does not depend on the frequencies of the classes. Pairs with an absent class are left out.
    R's pROC provides it as multiclass.roc.
    """
    return _mean_of_pairs(p, np.ones_like(p.matrix))


@_of_pairs(
    formula="as roc_auc_ovo_macro, each pair weighted by the support of its two classes",
    latex=r"\frac{\sum_{i \ne j} (W_i + W_j) \hat A(i \mid j)}{\sum_{i \ne j} (W_i + W_j)}",
    aliases=("auc_ovo_weighted",),
    cases=[three(gives="(4*(3/4 + 1/2) + 3*(3/4 + 1) + 3*(1 + 1/2))/20")],
    oracle=sklearn("roc_auc_score", multi_class="ovo", average="weighted"),
    equals=[
        equal(
            "scikit-learn",
            "roc_auc_score(multi_class='ovo', average='weighted')",
            where=f"{SEVERAL_ALL_TRUE}, there are no weights",
        )
    ],
    influence=PairsInfluence(is_by_support=True),
    is_within_classes=True,
    rounding=area_and_pairs(is_weighted=True),
)
def roc_auc_ovo_weighted(p: PairRanks) -> float:
    """Mean ROC AUC over the pairs of classes, weighted by the rows of each pair."""
    totals = np.asarray(p.totals, np.float64)
    return _mean_of_pairs(p, totals[:, None] + totals[None, :])


def _checked_cost(cost: Any, k: int) -> Floats:
    """A cost matrix as float64[k, k].

    Errors:
        K302 it has another shape, or nonzero costs of right decisions.
    """
    matrix = np.asarray(cost, np.float64)
    found = None
    if matrix.shape != (k, k):
        found = f"cost has shape {matrix.shape}, there are {k} classes"
    elif np.diagonal(matrix).any():
        place = int(np.flatnonzero(np.diagonal(matrix))[0])
        found = f"cost[{place}][{place}] is {matrix[place, place]:g}: a right decision costs 0"
    if found is not None:
        parameters = "cost: float[k, k] with zeros on the diagonal: row decided, column true"
        raise error("K302", metric="roc_auc_mu", found=found, parameters=parameters)
    return matrix


@higher_is_better(
    formula="mean over the pairs of classes i < j of the probability that a row of i outranks a "
    "row of j along the normal of the boundary between them",
    latex=r"\frac{2}{k(k-1)} \sum_{i < j} \hat A\big(i, j \mid (M_{j\cdot} - M_{i\cdot}) s\big)",
    aliases=("auc_mu", "aucmu"),
    undefined=NONE_TRUE,
    parameters=(
        Parameter(
            "cost",
            "Cost of each decision, float[k, k] with zeros on the diagonal: row decided, column "
            "true, the transpose of costs= of expected_cost, min_cost and cost_threshold. "
            "None: every error costs 1.",
            kind="matrix",
        ),
    ),
    cases=[three(gives="(3/4 + 1 + 1)/3")],
    equals=[
        equal(
            "CatBoost",
            "AUCMulticlass(type='Mu')",
            "AUCMulticlass(type='Mu', misclass_cost_matrix=cost)",
            where=ALL_TRUE,
            given="y_score",
        )
    ],
    references=(KLEIMAN_PAGE_2019,),
    influence=DifferencesInfluence(),
    rounding=area_and_pairs(is_weighted=False),
    is_within_classes=True,
)
def roc_auc_mu(p: Pairwise, *, cost: Any) -> float:
    """Mean ROC AUC over the pairs of classes, by both scores together (AUCμ).

    It uses the numbers as given: probabilities in the paper, raw scores in CatBoost. Logits are
    compared by their differences, and weighed by cost= as their softmax. R's
    mlr3measures provides it as mauc_mu. Pairs with an absent class are left out.
    """
    matrix = None if cost is None else _checked_cost(cost, p.k)
    if matrix is not None:
        errors = matrix[~np.eye(p.k, dtype=bool)]
        if errors[0] != 0 and (errors == errors[0]).all():
            # Sums of other columns round, so rows that the difference of two scores keeps
            # apart could tie, and the other way round.
            matrix = None
    found = p.ranks(matrix)
    chance = found.matrix[np.triu_indices(p.k, 1)]
    chance = chance[np.isfinite(chance)]
    return float(chance.mean()) if chance.size else math.nan


@higher_is_better(
    formula="Σ over the thresholds of the increase of recall × precision",
    latex=r"\sum_t (R_t - R_{t-1}) P_t",
    aliases=("ap", "auprc", "average_precision_score"),
    averages=("macro", "micro", "weighted"),
    lift_names={"macro": "mean_average_precision"},
    undefined=NONE_TRUE,
    cases=[
        tied(gives="1/3*1 + 1/3*2/3 + 1/3*3/5"),
        three(gives="(3/4 + 1/2 + 1/2)/3", lift="macro"),
    ],
    oracle=sklearn("average_precision_score"),
    equals=[
        equal("scikit-learn", "average_precision_score()", where=TWO_ALL_TRUE),
        equal("scikit-learn", "average_precision_score(average=average)", where=SEVERAL_ALL_TRUE),
        equal("torchmetrics", "BinaryAveragePrecision()", where=TWO_ALL_TRUE),
        equal(
            "torchmetrics",
            "MulticlassAveragePrecision(average=average)",
            where=ALL_TRUE,
            averages=("macro", "weighted", None),
        ),
    ],
    references=(BOYD_2013,),
    headline=("plain", "macro"),
    influence=PrecisionInfluence(),
    bounds=under_steps,
    rounding=linear(relative=(1, 8)),
    of_row=RowFormula(samples_average_precision, of_undefined=0.0),
)
def average_precision(c: ClassRanks) -> float:
    """Area under the precision-recall curve as steps: the mean precision at the rows of the class.

    Random scores give about the prevalence of the class. Equal scores form one threshold.
    """
    return c.step_area


@higher_is_better(
    formula="area under the precision-recall curve, with straight lines between the thresholds",
    latex=r"\sum_t (R_t - R_{t-1}) \frac{P_t + P_{t-1}}{2}",
    aliases=("pr_auc", "prauc"),
    averages=("macro", "micro", "weighted"),
    undefined=NONE_TRUE,
    cases=[tied(gives="1/3*(1 + 1)/2 + 1/3*(1 + 2/3)/2 + 1/3*(2/4 + 3/5)/2")],
    equals=[
        equal("CatBoost", "PRAUC()", where=TWO_ALL_TRUE, given="y_score"),
        equal(
            "CatBoost", "PRAUCMulticlass()", where=SEVERAL_ALL_TRUE, average=None, given="y_score"
        ),
    ],
    references=(DAVIS_GOADRICH_2006,),
    influence=PrecisionInfluence(is_straight=True),
    bounds=under_lines,
    rounding=linear(relative=(2, 8)),
)
def pr_auc_trapezoid(c: ClassRanks) -> float:
    """Area under the precision-recall curve by the trapezoidal rule; precision is 1 at recall 0.

    Linear interpolation is optimistic: prefer average_precision.
    """
    return c.trapezoid_area


@higher_is_better(
    formula="2 · ROC AUC − 1",
    latex=r"2 \, \mathrm{AUC} - 1",
    aliases=("accuracy_ratio", "somers_d"),
    averages=("macro", "weighted"),
    range=(-1.0, 1.0),
    undefined=ONE_SIDED,
    cases=[tied(gives="2*6.5/9 - 1")],
    equals=[
        equal("scikit-learn", "2 * roc_auc_score() - 1", where=TWO_ALL_TRUE),
        equal("CatBoost", "NormalizedGini()", where=TWO_ALL_TRUE, given="y_score"),
    ],
    references=(HANLEY_MCNEIL_1982,),
    influence=AreaInfluence(scale=2.0),
    bounds=between_orders,
    rounding=twice_the_area,
    is_within_classes=True,
)
def gini(c: ClassRanks) -> float:
    """Gini coefficient of the scores: 2·ROC AUC − 1, which is 0 for random scores."""
    return 2.0 * c.area - 1.0
