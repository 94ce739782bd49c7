"""Agreement beyond chance: correlation, kappa statistics and mutual information."""

from __future__ import annotations

from functools import partial

from karat.metrics import (
    Node,
    Parameter,
    Table,
    case,
    cols,
    cumulative,
    equal,
    later,
    log,
    metric,
    rows,
    sklearn,
    sqrt,
    total,
    where,
)
from karat.metrics._equal import ALL_OCCUR, ALL_SEEN, TWO_CLASSES
from karat.metrics._record import higher_is_better
from karat.metrics._rounding import (
    difference_of_shares,
    information,
    kappa_of_costs,
    normalized_information,
    of_kappa,
)
from karat.metrics.fscores import three

MATTHEWS_1975 = (
    "Matthews (1975). Comparison of the predicted and observed secondary structure. BBA 405."
)
GORODKIN_2004 = "Gorodkin (2004). Comparing two K-category assignments. Comput. Biol. Chem. 28."
COHEN_1960 = "Cohen (1960). A coefficient of agreement for nominal scales. Educ. Psych. Meas. 20."
COHEN_1968 = "Cohen (1968). Weighted kappa. Psychological Bulletin 70."
GWET_2008 = "Gwet (2008). Computing inter-rater reliability. Brit. J. Math. Stat. Psych. 61."
VINH_2010 = "Vinh, Epps, Bailey (2010). Information theoretic measures for clusterings. JMLR 11."

_ONE_CLASS = "truth or prediction is one class throughout"
_SURE = "agreement by chance is already certain: truth and prediction are one and the same class"
_MI = (
    "(22*log(22*95/(30*28)) + 3*log(3*95/(30*30)) + 5*log(5*95/(30*37))"
    " + 4*log(4*95/(23*28)) + 18*log(18*95/(23*30)) + 1*log(1*95/(23*37))"
    " + 2*log(2*95/(42*28)) + 9*log(9*95/(42*30)) + 31*log(31*95/(42*37))) / 95"
)
_ENTROPIES = (
    "(-30*log(30/95) - 23*log(23/95) - 42*log(42/95)"
    " - 28*log(28/95) - 30*log(30/95) - 37*log(37/95)) / 95"
)
# Classes that are never true, never predicted, never confused, true once and predicted once.
GAPS = (
    (5, 0, 0, 0, 0, 0, 0),
    (0, 0, 3, 1, 0, 0, 0),
    (0, 0, 0, 0, 0, 0, 0),
    (0, 0, 0, 1, 0, 0, 0),
    (0, 2, 0, 0, 4, 0, 0),
    (0, 0, 0, 1, 2, 0, 0),
    (0, 0, 0, 0, 2, 0, 1),
)
GAPS_ARITHMETIC = "arithmetic on a table of 22 rows in which classes are missing on either side"
_MI_GAPS = (
    "(5*log(5*22/(5*5)) + 3*log(3*22/(4*3)) + 1*log(1*22/(4*3)) + 1*log(1*22/(1*3))"
    " + 4*log(4*22/(6*8)) + 2*log(2*22/(6*2)) + 2*log(2*22/(3*8)) + 1*log(1*22/(3*3))"
    " + 1*log(1*22/(3*1)) + 2*log(2*22/(3*8))) / 22"
)
_ENTROPIES_GAPS = (
    "(-5*log(5/22) - 4*log(4/22) - 1*log(1/22) - 6*log(6/22) - 3*log(3/22) - 3*log(3/22)"
    " - 5*log(5/22) - 2*log(2/22) - 3*log(3/22) - 3*log(3/22) - 8*log(8/22) - 1*log(1/22)) / 22"
)
_SYMMETRIC = "the distance of two grades is the same in both directions"
_coefficient = partial(higher_is_better, range=(-1.0, 1.0), undefined=_SURE)


def _beyond_chance(c: Table) -> Node:
    # Σ(TP·TN − FP·FN) = n·ΣTP − Σ pos·pred_pos, without the cancellation of the right-hand side.
    return total(c.tp * c.tn - c.fp * c.fn)


@_coefficient(
    aliases=("mcc", "matthews_corrcoef", "phi_coefficient", "r_k"),
    undefined=_ONE_CLASS,
    undefined_is_zero=True,
    cases=[three(gives="3661 / sqrt(5832*5972)")],
    oracle=sklearn("matthews_corrcoef"),
    equals=[
        equal("scikit-learn", "matthews_corrcoef()"),
        equal(
            "torchmetrics",
            "BinaryMatthewsCorrCoef()",
            where="two classes, every class is true and predicted",
        ),
        equal("torchmetrics", "MulticlassMatthewsCorrCoef()", where=ALL_SEEN),
        equal("CatBoost", "MCC()"),
        equal("PyCM", "overall_stat['Overall MCC']", undefined="nan"),
        equal("PyCM", "class_stat['MCC'][1]", where=TWO_CLASSES, undefined="nan"),
    ],
    references=(MATTHEWS_1975, GORODKIN_2004),
    headline=("plain",),
    rounding=difference_of_shares,
    on_sets="micro_label_matthews_correlation",
)
def matthews_correlation(c: Table) -> Node:
    """Correlation of true and predicted class: Matthews' phi, Gorodkin's R_K for more than two.

    It is 0 for any prediction that ignores the input, and 1 only for a perfect prediction.
    """
    truth, guess = total(c.pos * c.neg), total(c.pred_pos * c.pred_neg)
    # √(truth·guess) as truth·√(guess/truth): no overflow, and exact where both are equal, so that
    # a perfect prediction gives 1 to the last bit.
    return _beyond_chance(c) / (truth * sqrt(guess / truth))


@_coefficient(
    aliases=("cohen_kappa", "cohen_kappa_score"),
    cases=[three(gives="3661/5941")],
    oracle=sklearn("cohen_kappa_score"),
    equals=[
        equal("scikit-learn", "cohen_kappa_score()"),
        equal("torchmetrics", "BinaryCohenKappa()", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassCohenKappa()"),
        equal("CatBoost", "Kappa()", where=ALL_SEEN),
        equal("PyCM", "overall_stat['Kappa']", undefined="nan"),
    ],
    references=(COHEN_1960,),
    headline=("plain",),
    rounding=difference_of_shares,
    on_sets="micro_label_kappa",
)
def kappa(c: Table) -> Node:
    """Cohen's kappa: agreement beyond chance, relative to the largest possible.

    Chance agreement follows from the class totals. Every disagreement counts the same; kappa_linear
    and kappa_quadratic weight it by distance.
    """
    return _beyond_chance(c) / total(c.pos * c.pred_neg)


@_coefficient(
    aliases=("linear_kappa",),
    cases=[three(gives="1 - 31*95/8227")],
    identities={"sub swapped": _SYMMETRIC},
    oracle=sklearn("cohen_kappa_score", weights="linear"),
    equals=[
        equal("scikit-learn", "cohen_kappa_score(weights='linear')"),
        equal("torchmetrics", "BinaryCohenKappa(weights='linear')", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassCohenKappa(weights='linear')"),
    ],
    references=(COHEN_1968,),
    rounding=of_kappa,
)
def kappa_linear(c: Table) -> Node:
    """Cohen's kappa weighted by the distance between the classes, which must be ordered.

    Pass labels= in the order of the classes, with every grade, including those that do not occur.
    """
    step = rows(c.index) - cols(c.index)
    observed = total(c.cells * where(step > 0, step, -step))
    # Σ|i−j|·r_i·c_j, grade by grade: the weight below a grade in one and above it in the other.
    below_true, below_pred = cumulative(c.pos), cumulative(c.pred_pos)
    # Not n minus the weight below, which next to a heavy grade loses the weight of the others.
    expected = total(below_true * later(c.pred_pos) + below_pred * later(c.pos))
    return 1 - c.n * observed / expected


@_coefficient(
    aliases=("quadratic_weighted_kappa", "qwk"),
    cases=[
        three(gives="1 - 45*95/12799"),
        case(
            cells=((5, 2, 0, 1), (0, 0, 0, 0), (1, 3, 7, 0), (0, 1, 2, 9)),
            gives="1 - 24*31/2540",
            source="arithmetic on a table of 31 rows in which one grade is never true",
        ),
    ],
    identities={"sub swapped": _SYMMETRIC},
    oracle=sklearn("cohen_kappa_score", weights="quadratic"),
    equals=[
        equal("scikit-learn", "cohen_kappa_score(weights='quadratic')"),
        equal("torchmetrics", "BinaryCohenKappa(weights='quadratic')", where=TWO_CLASSES),
        equal("torchmetrics", "MulticlassCohenKappa(weights='quadratic')"),
        equal("CatBoost", "WKappa()", where=ALL_SEEN),
    ],
    references=(COHEN_1968,),
    rounding=of_kappa,
)
def kappa_quadratic(c: Table) -> Node:
    """Cohen's kappa weighted by the squared distance between the classes, which must be ordered.

    Pass labels= in the order of the classes, with every grade, including those that do not occur.
    """
    observed = total(c.cells * (rows(c.index) - cols(c.index)) ** 2)
    # Σ(i−j)²·r_i·c_j from running sums: nothing cancels, and a single grade gives an exact 0.
    below_true, below_pred = cumulative(c.pos), cumulative(c.pred_pos)
    expected = total(
        later(c.pred_pos) * (2 * cumulative(below_true) - below_true)
        + later(c.pos) * (2 * cumulative(below_pred) - below_pred)
    )
    return 1 - c.n * observed / expected


@higher_is_better(
    aliases=("weighted_kappa_matrix",),
    range=(float("-inf"), 1.0),
    undefined="chance alone gives no disagreement that costs anything",
    parameters=(
        Parameter(
            "disagreement",
            "Weight of each confusion, number[k, k], rows true; 0 for no disagreement.",
            kind="matrix",
            is_required=True,
        ),
    ),
    cases=[three(gives="1 - 46*95/13509", disagreement=((0, 1, 3), (2, 0, 1), (5, 1, 0)))],
    equals=[
        equal(
            "PyCM",
            "weighted_kappa(weight=disagreement)",
            where=ALL_OCCUR,
            undefined="nan",
            note="weights of int; with others it gives Kappa",
        )
    ],
    references=(COHEN_1968,),
    in_report=False,
    rounding=kappa_of_costs,
)
def kappa_weighted(c: Table, *, disagreement: Node) -> Node:
    """Cohen's kappa weighted by a given matrix of disagreements."""
    observed = total(disagreement * c.cells)
    expected = total(disagreement * rows(c.pos) * cols(c.pred_pos))
    return 1 - c.n * observed / expected


@_coefficient(
    aliases=("ac1", "gwet_gamma"),
    undefined="there is only one class",
    cases=[three(gives="15137/24257")],
    equals=[equal("PyCM", "overall_stat['Gwet AC1']", undefined="nan")],
    references=(GWET_2008,),
    rounding=difference_of_shares,
)
def gwet_ac1(c: Table) -> Node:
    """Gwet's AC1: agreement beyond chance that stays stable when one class dominates.

    Chance agreement comes from the mean class proportions, not from their product as in kappa.
    """
    share = (c.pos + c.pred_pos) / (2 * c.n)
    by_chance = total(share * (1 - share)) / (c.k - 1)
    return (total(c.tp) / c.n - by_chance) / (1 - by_chance)


def _information(c: Table) -> Node:
    expected = rows(c.pos) * cols(c.pred_pos)
    return total(where(c.cells > 0, c.cells * log(c.cells * c.n / expected), 0.0)) / c.n


def _entropy(c: Table, totals: Node) -> Node:
    return total(where(totals > 0, totals * log(c.n / totals), 0.0)) / c.n


@metric(
    aliases=("mi", "mutual_info_score"),
    range=(0.0, float("inf")),
    better="higher",
    cases=[three(gives=_MI), case(cells=GAPS, gives=_MI_GAPS, source=GAPS_ARITHMETIC)],
    oracle=sklearn("mutual_info_score"),
    equals=[
        equal("scikit-learn", "mutual_info_score()"),
        equal("PyCM", "overall_stat['Mutual Information'] * ln2", note="in bits there"),
    ],
    references=(VINH_2010,),
    since="0.1",
    rounding=information,
)
def mutual_information(c: Table) -> Node:
    """Mutual information of true and predicted class, in nats.

    It does not depend on which class is which: swapping two predicted classes does not change it.
    """
    return _information(c)


@higher_is_better(
    aliases=("nmi", "normalized_mutual_info_score"),
    undefined="truth and prediction are both one class throughout",
    cases=[
        three(gives=f"2*{_MI} / ({_ENTROPIES})"),
        case(cells=GAPS, gives=f"2*{_MI_GAPS} / ({_ENTROPIES_GAPS})", source=GAPS_ARITHMETIC),
    ],
    oracle=sklearn("normalized_mutual_info_score"),
    equals=[equal("scikit-learn", "normalized_mutual_info_score()")],
    references=(VINH_2010,),
    rounding=normalized_information,
)
def normalized_mutual_information(c: Table) -> Node:
    """Mutual information divided by the mean of the entropies of true and predicted class."""
    return 2 * _information(c) / (_entropy(c, c.pos) + _entropy(c, c.pred_pos))
