"""Ranking metrics of sets of labels: agreement of the scores of a row with its true labels."""

from __future__ import annotations

import math

import numpy as np

from karat.errors import error
from karat.metrics import Parameter, equal
from karat.metrics._set_scored import higher_is_better, lower_is_better, set_case
from karat.metrics._set_views import Floats, RankedLabels

TSOUMAKAS_2010 = (
    "Tsoumakas, Katakis, Vlahavas 2010, Mining Multi-label Data, in: Data Mining and Knowledge "
    "Discovery Handbook"
)
SCHAPIRE_SINGER_2000 = "Schapire, Singer (2000). BoosTexter. Machine Learning 39."
MCSHERRY_NAJORK_2008 = (
    "McSherry, Najork (2008). Computing information retrieval performance measures efficiently in "
    "the presence of tied scores. ECIR."
)
FONSECA_2019 = "Fonseca et al. (2019). Audio tagging with noisy labels and minimal supervision."

NO_TRUE = "no label of a row is true"
ONE_SIDED = "no label of a row is true, or every label is"

# Best first: a, b and c tie, d; truly b and d.
TWO = ([[0, 1, 0, 1], [1, 0, 0, 0]], [[0.9, 0.5, 0.5, 0.1], [0.9, 0.2, 0.2, 0.1]])

AMONG = Parameter("k", "Number of best labels of a row that count.", kind="count", default=5)
TIES = Parameter(
    "ties",
    "Treatment of tied labels: 'expected' takes the mean over all of their orders, 'order' the "
    "order of the labels.",
    kind="choice",
    choices=("expected", "order"),
    default="expected",
)


@lower_is_better(
    formula="mean over the rows of the rank of the last true label; tied labels take the last rank",
    latex=r"\frac{1}{W} \sum_i w_i \max_{j \in R_i} |\{e : s_{ie} \ge s_{ij}\}|",
    aliases=("coverage",),
    range=(0.0, math.inf),
    undefined=NO_TRUE,
    of_undefined=0.0,
    cases=[set_case(*TWO, gives="(4 + 1)/2")],
    equals=[equal("scikit-learn", "coverage_error()")],
    references=(SCHAPIRE_SINGER_2000, TSOUMAKAS_2010),
    headline=("plain",),
)
def coverage_error(c: RankedLabels) -> Floats:
    """Mean number of top-scored labels that are needed to include every true label of a row.

    The best value is the mean number of true labels. A row without true labels counts 0. Papers
    subtract 1.
    """
    found = np.zeros(c.n)
    np.maximum.at(found, c.rows, c.last_place)
    return np.where(c.n_true > 0, found, np.nan)


@higher_is_better(
    formula="mean over the rows of: mean over the true labels of the proportion of true labels "
    "among those that score as high or higher",
    latex=r"\frac{1}{W} \sum_i \frac{w_i}{t_i} \sum_{j \in R_i} "
    r"\frac{|\{e \in R_i : s_{ie} \ge s_{ij}\}|}{|\{e : s_{ie} \ge s_{ij}\}|}",
    aliases=("lrap", "label_ranking_average_precision_score"),
    undefined=NO_TRUE,
    of_undefined=1.0,
    cases=[set_case(*TWO, gives="((1/3 + 2/4)/2 + 1)/2")],
    equals=[equal("scikit-learn", "label_ranking_average_precision_score()")],
    references=(TSOUMAKAS_2010,),
    headline=("plain",),
)
def label_ranking_average_precision(c: RankedLabels) -> Floats:
    """Mean proportion of true labels among the labels that score at least as high as a true one.

    A row without true labels counts 1, as in scikit-learn; samples_average_precision is the same
    metric with 0 for such a row. undefined='exclude' leaves them out.
    """
    return c.mean(c.share_above)


@lower_is_better(
    formula="mean over the rows of the proportion of pairs (true label, false label) in which the "
    "false one scores as high or higher",
    latex=r"\frac{1}{W} \sum_i \frac{w_i}{t_i (K - t_i)} \sum_{j \in R_i} \sum_{e \notin R_i} "
    r"[s_{ie} \ge s_{ij}]",
    aliases=("ranking_loss",),
    undefined=ONE_SIDED,
    of_undefined=0.0,
    cases=[set_case(*TWO, gives="((2 + 2)/4 + 0)/2")],
    equals=[equal("scikit-learn", "label_ranking_loss()")],
    references=(SCHAPIRE_SINGER_2000, TSOUMAKAS_2010),
    headline=("plain",),
)
def label_ranking_loss(c: RankedLabels) -> Floats:
    """Proportion of the pairs of a true and a false label of a row that are in the wrong order.

    A tie counts as wrong; 1 − samples_roc_auc counts it half. A row without true labels, or without
    false ones, counts 0.
    """
    return c.wrong_pairs / c.n_pairs


@lower_is_better(
    formula="proportion of the rows whose best label is not true; tied labels are equally likely",
    latex=r"\frac{1}{W} \sum_i w_i \, [\arg\max_j s_{ij} \notin R_i]",
    undefined=NO_TRUE,
    of_undefined=1.0,
    cases=[set_case(*TWO, gives="(1 + 0)/2")],
    references=(SCHAPIRE_SINGER_2000,),
)
def one_error(c: RankedLabels) -> Floats:
    """Proportion of the rows whose top-scored label is not true.

    Where several labels tie for the top, the proportion of them that is not true counts. A row
    without true labels counts as an error.
    """
    is_first = c.above == 0.0
    hits = np.zeros(c.n)
    # Of a row all first ones tie: each of them holds the share.
    share = (c.places.tied_true / np.maximum(c.tied, 1.0))[is_first]
    hits[c.rows[is_first]] = share
    return np.where(c.n_true > 0, 1.0 - hits, np.nan)


@higher_is_better(
    formula="mean over the rows of Σ over the true labels of 1 ÷ log2(rank + 1), ÷ the largest "
    "such sum; tied labels take the mean over their ranks",
    latex=r"\frac{1}{W} \sum_i w_i "
    r"\frac{\sum_{j \in R_i} 1 / \log_2(1 + \operatorname{place}_{ij})}"
    r"{\sum_{r \le \min(k, t_i)} 1 / \log_2(1 + r)}",
    aliases=("ndcg_score", "normalized_discounted_cumulative_gain"),
    undefined=NO_TRUE,
    of_undefined=0.0,
    parameters=(Parameter("k", "Only the first k ranks; None: all.", kind="count"), TIES),
    cases=[
        set_case(
            *TWO, gives="((log(2)/log(3) + 1/2)/2 + log(2)/log(5))/(1 + log(2)/log(3))/2 + 1/2"
        ),
        set_case(*TWO, gives="(0 + 1)/2", k=1),
    ],
    equals=[equal("scikit-learn", "ndcg_score(k=k)")],
    references=(MCSHERRY_NAJORK_2008,),
)
def ndcg(c: RankedLabels, *, k: int | None, ties: str) -> Floats:
    """Gain of the true labels, discounted by rank in the row, as a proportion of the best gain.

    A row without true labels counts 0, as in scikit-learn.
    """
    ideal = c.discounts(k)[c.true.sizes]
    with np.errstate(invalid="ignore"):
        return c.added(c.gain_within(k, ties)) / np.where(ideal > 0.0, ideal, np.nan)


@higher_is_better(
    formula="mean over the rows of (true labels among the k best) ÷ k",
    latex=r"\frac{1}{W} \sum_i \frac{w_i}{k} |R_i \cap \operatorname{top}_k(s_i)|",
    numbered="samples_precision_at_{k}",
    parameters=(AMONG, TIES),
    cases=[
        set_case(*TWO, gives="(0.5 + 1)/4", k=2),
        set_case(*TWO, gives="(1 + 1)/4", k=2, ties="order"),
    ],
)
def samples_precision_at_k(c: RankedLabels, *, k: int, ties: str) -> Floats:
    """Mean proportion of true labels among the k best labels of a row.

    precision_at_k is another metric: that of one label, among the k best rows.
    """
    return c.added(c.chance_within(k, ties)) / k


@higher_is_better(
    formula="mean over the rows of (true labels among the k best) ÷ (true labels)",
    latex=r"\frac{1}{W} \sum_i \frac{w_i}{t_i} |R_i \cap \operatorname{top}_k(s_i)|",
    numbered="samples_recall_at_{k}",
    undefined=NO_TRUE,
    of_undefined=0.0,
    parameters=(
        AMONG,
        TIES,
        Parameter(
            "is_capped",
            "Divide by the smaller of k and the true labels, so that 1 can be reached.",
            kind="flag",
            default=False,
        ),
    ),
    cases=[
        set_case(*TWO, gives="(0.5/2 + 1)/2", k=2),
        set_case(*TWO, gives="(0 + 1)/2", k=1, is_capped=True),
    ],
)
def samples_recall_at_k(c: RankedLabels, *, k: int, ties: str, is_capped: bool) -> Floats:
    """Mean proportion of the true labels of a row that are among its k best labels."""
    hits = c.added(c.chance_within(k, ties))
    most = np.minimum(c.n_true, k) if is_capped else c.n_true
    with np.errstate(invalid="ignore"):
        return hits / np.where(c.n_true > 0, most, np.nan)


@higher_is_better(
    formula="mean over the rows of (true labels among the t best) ÷ t, t: number of true labels",
    latex=r"\frac{1}{W} \sum_i \frac{w_i}{t_i} |R_i \cap \operatorname{top}_{t_i}(s_i)|",
    undefined=NO_TRUE,
    of_undefined=0.0,
    cases=[set_case(*TWO, gives="(0.5/2 + 1)/2")],
)
def samples_r_precision(c: RankedLabels) -> Floats:
    """Mean precision among the t best labels of a row with t true labels."""
    t = c.n_true[c.rows]
    hits = np.clip((t - c.above) / np.maximum(c.tied, 1.0), 0.0, 1.0)
    return c.mean(hits)


@higher_is_better(
    formula="mean over the rows of 1 ÷ (rank of the first true label); tied labels take the mean "
    "over their orders",
    latex=r"\frac{1}{W} \sum_i \frac{w_i}{\min_{j \in R_i} \operatorname{place}_{ij}}",
    aliases=("mrr", "reciprocal_rank"),
    undefined=NO_TRUE,
    of_undefined=0.0,
    cases=[set_case(*TWO, gives="((1/2 + 1/3)/2 + 1)/2")],
)
def mean_reciprocal_rank(c: RankedLabels) -> Floats:
    """Mean of one divided by the rank of the first true label of a row."""
    first = c.above == c.first_above[c.rows]
    found = np.full(c.n, np.nan)
    rows = c.rows[first]
    above, tied = c.above[first], c.tied[first]
    n_true = c.places.tied_true[first].astype(np.float64)
    value, left = 1.0 / (above + 1.0), np.ones(len(above))
    # The first of several that tie stands behind j others of them with a chance that falls with j.
    several = np.flatnonzero((tied > n_true) & (tied > 0))
    if several.size:
        above, tied, n_true = above[several], tied[several], n_true[several]
        left, mean = left[several], np.zeros(len(several))
        for j in range(int((tied - n_true).max()) + 1):
            here = np.clip(n_true / np.maximum(tied - j, 1.0), 0.0, 1.0)
            mean += left * here / (above + j + 1.0)
            left = left * (1.0 - here)
        value[several] = mean
    found[rows] = value
    return found


@higher_is_better(
    formula="Σ over the true labels of the proportion of true labels among those that score as "
    "high or higher, ÷ the number of true labels",
    latex=r"\frac{\sum_i w_i \sum_{j \in R_i} |\{e \in R_i : s_{ie} \ge s_{ij}\}| / "
    r"|\{e : s_{ie} \ge s_{ij}\}|}{\sum_i w_i t_i}",
    aliases=("label_weighted_lrap",),
    undefined="no label is true",
    cases=[set_case(*TWO, gives="(1/3 + 2/4 + 1)/3")],
    references=(FONSECA_2019,),
    in_report=False,
)
def lwlrap(c: RankedLabels) -> tuple[Floats, Floats]:
    """Label-weighted label ranking average precision: true labels have equal weights, not rows.

    Equals label_ranking_average_precision with the number of true labels as the weight of a row.
    """
    return c.mean(c.share_above), c.n_true


def samples_roc_auc(c: RankedLabels, *, max_fpr: float | None) -> Floats:
    """Probability within a row that a true label scores above a false one; ties count half.

    Errors:
        K302 only a part of the curve: a row has few labels.
    """
    if max_fpr is not None:
        found = "max_fpr is for the curve of a label over many rows"
        raise error("K302", metric="samples_roc_auc", found=found, parameters="average: samples")
    return 1.0 - (c.wrong_pairs - 0.5 * c.tied_pairs) / c.n_pairs


def samples_average_precision(c: RankedLabels) -> Floats:
    """Mean precision at the true labels of a row."""
    return c.mean(c.share_above)
