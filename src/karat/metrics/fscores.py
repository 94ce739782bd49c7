"""F scores and overlaps, which combine precision and recall."""

from __future__ import annotations

from functools import partial

from karat.metrics import Node, OneVsRest, Parameter, Table, case, equal, sklearn
from karat.metrics._equal import (
    ALL_OCCUR,
    ALL_SEEN,
    TWO_CLASSES,
    of_pycm,
    of_scikit_learn,
    of_torchmetrics,
)
from karat.metrics._proportions import proportion
from karat.metrics.rates import LIVER_ARITHMETIC, liver, precision, recall, zero_if_undefined

VAN_RIJSBERGEN_1979 = "van Rijsbergen (1979). Information Retrieval, chapter 7."
SOKOLOVA_LAPALME_2009 = (
    "Sokolova, Lapalme (2009). A systematic analysis of performance measures for classification "
    "tasks. Information Processing & Management 45."
)
OPITZ_BURST_2019 = "Opitz, Burst (2019). Macro F1 and Macro F1. arXiv:1911.03347."
JACCARD_1912 = (
    "Jaccard (1912). The distribution of the flora in the alpine zone. New Phytologist 11."
)

NOTHING = "the class was neither true nor predicted in any row"
BETA = Parameter(
    "beta",
    "How many times recall weighs as much as precision; above 0.",
    default=1.0,
    above=1e-80,
    below=1e80,
)

# Three classes with distinct margins.
three = partial(
    case,
    cells=((22, 3, 5), (4, 18, 1), (2, 9, 31)),
    source="arithmetic on a table of 95 rows with unequal margins",
)
_P = "((22/28 + 18/30 + 31/37) / 3)"
_R = "((22/30 + 18/23 + 31/42) / 3)"


@zero_if_undefined(
    aliases=("f_score", "f1_score", "dice", "sorensen_dice"),
    undefined=NOTHING,
    cases=[liver(gives="2*231 / (2*231 + 32 + 27)", source=LIVER_ARITHMETIC)],
    oracle=sklearn("f1_score"),
    equals=[
        *of_scikit_learn("f1_score", 2),
        *of_torchmetrics("F1Score"),
        equal("CatBoost", "F1()", where=ALL_OCCUR, average=None),
        equal("CatBoost", "TotalF1(average='Macro')", average="macro"),
        equal("CatBoost", "TotalF1(average='Micro')", average="micro"),
        equal("CatBoost", "TotalF1(average='Weighted')", average="weighted"),
        equal("oneDAL", "BinaryConfusionMatrix()['fscore']", where=ALL_SEEN),
        equal("oneDAL", "MulticlassConfusionMatrix()['microFscore']", average="micro"),
        *of_pycm("F1", "macro", "micro"),
    ],
    references=(VAN_RIJSBERGEN_1979, OPITZ_BURST_2019),
    headline=("plain", "macro", "micro", "weighted"),
    proportion=proportion("tp", "fp fn"),
)
def f1(c: OneVsRest) -> Node:
    """Harmonic mean of precision and recall.

    It is computed from counts, so that it is 0 where only one of precision and recall is undefined.
    macro_f1 is the mean of the F1 of each class; f1_of_macro_averages is another number.
    """
    return 2 * c.tp / (2 * c.tp + c.fp + c.fn)


@zero_if_undefined(
    aliases=("fbeta", "fbeta_score"),
    undefined=NOTHING,
    parameters=(BETA,),
    cases=[
        liver(gives="5*231 / (5*231 + 4*27 + 32)", source=LIVER_ARITHMETIC, beta=2.0),
        liver(gives="1.25*231 / (1.25*231 + 0.25*27 + 32)", source=LIVER_ARITHMETIC, beta=0.5),
    ],
    oracle=sklearn("fbeta_score", beta=2.0),
    equals=[
        *of_scikit_learn("fbeta_score", 2),
        *of_torchmetrics("FBetaScore", "beta=beta"),
        equal("CatBoost", "F(beta=beta)", where=ALL_OCCUR, average=None),
        equal("oneDAL", "BinaryConfusionMatrix(beta=beta)['fscore']", where=ALL_SEEN),
        equal("PyCM", "F_beta(beta=beta)", average=None, undefined="nan"),
        equal("PyCM", "class_stat['F0.5']", average=None, beta=0.5, undefined="nan"),
        equal("PyCM", "class_stat['F2']", average=None, beta=2, undefined="nan"),
    ],
    references=(VAN_RIJSBERGEN_1979,),
    in_report=False,
    proportion=lambda beta: proportion("tp", "fp fn") if beta == 1.0 else None,
)
def f_beta(c: OneVsRest, *, beta: Node) -> Node:
    """Weighted harmonic mean of precision and recall, in which recall weighs beta times as much."""
    return (1 + beta**2) * c.tp / ((1 + beta**2) * c.tp + beta**2 * c.fn + c.fp)


@zero_if_undefined(
    aliases=("iou", "intersection_over_union", "critical_success_index", "jaccard_score"),
    undefined=NOTHING,
    cases=[liver(gives="231 / (231 + 32 + 27)", source=LIVER_ARITHMETIC)],
    oracle=sklearn("jaccard_score"),
    equals=[
        equal("scikit-learn", "jaccard_score()", where=TWO_CLASSES),
        equal("scikit-learn", "jaccard_score(average=average)"),
        *of_torchmetrics("JaccardIndex"),
        *of_pycm("J"),
        equal("PyCM", "overall_stat['Overall J'][1]", where=ALL_SEEN, average="macro"),
    ],
    references=(JACCARD_1912,),
    proportion=proportion("tp", "fp fn"),
)
def jaccard(c: OneVsRest) -> Node:
    """Intersection over union of the rows of the class and the rows predicted as it."""
    return c.tp / (c.tp + c.fp + c.fn)


@zero_if_undefined(
    aliases=("macro_fscore_sokolova",),
    undefined="a class is never true or never predicted, or both averages are 0",
    cases=[three(gives=f"2*{_P}*{_R} / ({_P} + {_R})")],
    equals=[equal("oneDAL", "MulticlassConfusionMatrix()['macroFscore']", where=ALL_SEEN)],
    references=(SOKOLOVA_LAPALME_2009, OPITZ_BURST_2019),
    is_of_sets=True,
)
def f1_of_macro_averages(c: Table) -> Node:
    """Harmonic mean of macro precision and macro recall.

    macro_f1 is the mean of the F1 of each class: the two differ by up to 0.5 and can rank two
    classifiers differently.
    """
    p, r = c.macro(precision), c.macro(recall)
    return 2 * p * r / (p + r)


@zero_if_undefined(
    undefined="a class is never true or never predicted, or both averages are 0",
    parameters=(BETA,),
    cases=[
        three(gives=f"5*{_P}*{_R} / (4*{_P} + {_R})", beta=2.0),
        three(gives=f"1.25*{_P}*{_R} / (0.25*{_P} + {_R})", beta=0.5),
    ],
    equals=[equal("oneDAL", "MulticlassConfusionMatrix(beta=beta)['macroFscore']", where=ALL_SEEN)],
    references=(SOKOLOVA_LAPALME_2009,),
    in_report=False,
    is_of_sets=True,
)
def f_beta_of_macro_averages(c: Table, *, beta: Node) -> Node:
    """F-beta of macro precision and macro recall; see f1_of_macro_averages."""
    p, r = c.macro(precision), c.macro(recall)
    return (1 + beta**2) * p * r / (beta**2 * p + r)
