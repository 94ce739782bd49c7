"""Losses of the probabilities of labels, and separation of true and false rows by scores."""

from __future__ import annotations

import math
from functools import partial
from statistics import NormalDist

import numpy as np

from karat.metrics import Parameter, equal
from karat.metrics._set_scored import higher_is_better, lower_is_better, set_case
from karat.metrics._set_views import Floats, LabelAreas, PooledLosses, RankedCells
from karat.metrics.probability import BRIER_1950, GOOD_1952
from karat.tally.shared import reaches

RADIVOJAC_2013 = (
    "Radivojac et al. (2013). A large-scale evaluation of computational protein function "
    "prediction. Nature Methods 10."
)
GEMMEKE_2017 = "Gemmeke et al. (2017). Audio Set: an ontology and human-labeled dataset. ICASSP."

HALVES = ([[1, 0], [0, 1]], [[0.5, 0.25], [0.75, 0.5]])
QUARTERS = ([[1, 0], [0, 1], [1, 1], [0, 0]], [[4, 1], [3, 2], [2, 4], [1, 3]])
"""Three of four pairs of each label are in order."""
EPS = Parameter(
    "eps",
    "Clip probabilities to [eps, 1 − eps]; above 0, below 0.5. None: they are never clipped.",
    above=0.0,
    below=0.5,
)
CERTAIN = "an outcome that occurred has probability 0, so the loss is infinite"


@lower_is_better(
    formula="mean over the known labels of all rows of −ln of the probability of the truth",
    latex=r"-\frac{\sum_i w_i \sum_j \big(y_{ij} \ln p_{ij} + (1 - y_{ij}) \ln(1 - p_{ij})\big)}"
    r"{\sum_i w_i k_i}",
    aliases=("multilabel_log_loss", "multi_logloss", "bce"),
    range=(0.0, math.inf),
    undefined=CERTAIN,
    parameters=(EPS,),
    cases=[
        set_case(
            *HALVES, kind="probabilities", gives="-(log(0.5) + log(0.75) + log(0.25) + log(0.5))/4"
        )
    ],
    equals=[equal("CatBoost", "MultiLogloss()", "MultiCrossEntropy()", given="y_logit")],
    references=(GOOD_1952,),
    headline=("plain",),
)
def binary_cross_entropy(c: PooledLosses, *, eps: float | None) -> tuple[Floats, Floats]:
    """Mean log-loss of each label against its absence, in nats.

    scikit-learn's log_loss of an indicator matrix is another number: it ignores false labels.
    """
    return c.negative_log_probability(eps) / c.n_known, c.n_known


@lower_is_better(
    formula="mean over the rows of Σ over the known labels of −ln of the probability of the truth",
    latex=r"-\frac{1}{W} \sum_i w_i \sum_j \big(y_{ij} \ln p_{ij} + (1 - y_{ij}) "
    r"\ln(1 - p_{ij})\big)",
    range=(0.0, math.inf),
    undefined=CERTAIN,
    parameters=(EPS,),
    cases=[
        set_case(
            *HALVES, kind="probabilities", gives="-(log(0.5) + log(0.75) + log(0.25) + log(0.5))/2"
        )
    ],
    references=(GOOD_1952,),
    in_report=False,
)
def binary_cross_entropy_of_a_row(c: PooledLosses, *, eps: float | None) -> Floats:
    """Log-loss of each label against its absence, summed over the labels of a row.

    Equals k times binary_cross_entropy where all labels are known.
    """
    return c.negative_log_probability(eps)


@lower_is_better(
    formula="mean over the known labels of all rows of (p − [true])²",
    latex=r"\frac{\sum_i w_i \sum_j (p_{ij} - y_{ij})^2}{\sum_i w_i k_i}",
    aliases=("label_brier",),
    cases=[set_case(*HALVES, kind="probabilities", gives="(1/4 + 1/16 + 9/16 + 1/4)/4")],
    references=(BRIER_1950,),
    headline=("plain",),
)
def multilabel_brier(c: PooledLosses) -> tuple[Floats, Floats]:
    """Mean squared difference between the probability of a label and its truth, 0 or 1."""
    return c.squared_error / c.n_known, c.n_known


@lower_is_better(
    formula="mean over the rows of Σ over the known labels of (p − [true])²",
    latex=r"\frac{1}{W} \sum_i w_i \sum_j (p_{ij} - y_{ij})^2",
    range=(0.0, math.inf),
    cases=[set_case(*HALVES, kind="probabilities", gives="(1/4 + 1/16 + 9/16 + 1/4)/2")],
    equals=[equal("scikit-learn", "brier_score_loss()")],
    references=(BRIER_1950,),
    in_report=False,
)
def multilabel_brier_of_a_row(c: PooledLosses) -> Floats:
    """Squared difference between probabilities and truth, 0 or 1, summed over labels of a row."""
    return c.squared_error


def _d_prime(area: float) -> float:
    if math.isnan(area):
        return math.nan
    if area in (0.0, 1.0):
        return math.copysign(math.inf, area - 0.5)
    return math.sqrt(2.0) * NormalDist().inv_cdf(area)


_of_areas = partial(
    higher_is_better,
    latex=r"\sqrt{2} \, \Phi^{-1}(\mathrm{AUC})",
    range=(-math.inf, math.inf),
    undefined="no label is true in some rows and false in others, or none errs, so it is infinite",
    references=(GEMMEKE_2017,),
    in_report=False,
    perfect=math.inf,
)


@_of_areas(
    formula="√2 · Φ⁻¹(mean ROC AUC of the labels)",
    cases=[set_case(*QUARTERS, gives="sqrt(2)*0.67448975", source="normal table")],
)
def d_prime(c: LabelAreas) -> float:
    """Distance of true and false rows of a label in standard deviations, from the mean AUC.

    Computed as in papers on AudioSet. mean_d_prime, the mean over the labels, is another number.
    """
    known = c.areas[np.isfinite(c.areas)]
    return _d_prime(float(known.mean())) if known.size else math.nan


@_of_areas(
    undefined="no label is true in some rows and false in others, or one is ranked without error, "
    "or in reverse, so it is infinite or has no mean",
    formula="mean over the labels of √2 · Φ⁻¹(ROC AUC)",
    cases=[set_case(*QUARTERS, gives="sqrt(2)*0.67448975", source="normal table")],
)
def mean_d_prime(c: LabelAreas) -> float:
    """Mean distance of true and false rows of a label in standard deviations."""
    known = [_d_prime(area) for area in c.areas[np.isfinite(c.areas)].tolist()]
    has_mean = known and not {-math.inf, math.inf} <= set(known)
    return math.fsum(known) / len(known) if has_mean else math.nan


@higher_is_better(
    formula="largest F1 over the thresholds, from the mean recall of the rows with a true label "
    "and the mean precision of those that also have a predicted label",
    latex=r"\max_t \frac{2 \, \mathrm{pr}(t) \, \mathrm{rc}(t)}{\mathrm{pr}(t) + \mathrm{rc}(t)}",
    aliases=("f_max", "protein_centric_fmax"),
    undefined="no label is true",
    cases=[set_case([[1, 0], [0, 1]], [[0.9, 0.6], [0.5, 0.8]], gives="1")],
    references=(RADIVOJAC_2013,),
    in_report=False,
    is_extreme=True,
    no_influence="a maximum that the rows choose",
)
def fmax(c: RankedCells) -> float:
    """Protein-centric Fmax: the best F1 of mean precision and mean recall at one threshold.

    Only rows with a true label count, as in CAFA. A label is predicted at or above the threshold.
    The threshold is chosen on the same rows, so the value is optimistic.
    """
    found = fmax_points(c)
    return math.nan if found is None else float(found[1].max(initial=0.0))


def fmax_points(c: RankedCells) -> tuple[Floats, Floats] | None:
    """Thresholds, and the F1 of mean precision and recall at each; None if no label is true."""
    has_true = float(c.weights[c.n_true > 0].sum())
    if not has_true:
        return None
    kept = (c.n_true * c.weights)[c.rows] > 0
    scores, of_row, hit = c.scores[kept], c.rows[kept], c.is_true[kept]
    # How many labels, and how many true ones, each row has predicted by then.
    by_row = np.argsort(of_row, kind="stable")
    rows, is_true = of_row[by_row], hit[by_row]
    first = np.concatenate([[True], rows[1:] != rows[:-1]])
    starts = np.flatnonzero(first)
    so_far = np.cumsum(is_true)
    base = np.where(starts > 0, so_far[starts - 1], 0)
    group = np.cumsum(first) - 1
    n_predicted = np.arange(len(rows)) - starts[group] + 1.0
    hits = so_far - base[group]
    precision = hits / n_predicted
    before = np.where(first, 0.0, np.concatenate([[0.0], precision[:-1]]))
    w = c.weights[rows]
    steps = np.empty((3, len(rows)))
    steps[0, by_row] = w * (precision - before)
    steps[1, by_row] = w * first
    steps[2, by_row] = w * is_true / c.n_true[rows]
    last = np.flatnonzero(np.concatenate([scores[1:] != scores[:-1], [True]]))
    total, predicted, recalled = np.cumsum(steps, axis=1)[:, last]
    mean_precision, mean_recall = total / predicted, recalled / has_true
    both = mean_precision + mean_recall
    with np.errstate(invalid="ignore"):
        f1 = np.where(both > 0.0, 2.0 * mean_precision * mean_recall / both, 0.0)
    return scores[last], f1


def fmax_rows(c: RankedCells, thresholds: Floats) -> tuple[Floats, Floats]:
    """Precision and recall of each row whose labels are predicted at or above its own threshold.

    Args:
        thresholds: float64[n].

    Returns:
        float64[n] each; NaN of the precision without a predicted label, of both without a true one.
    """
    n = len(c.n_true)
    predicted = reaches(c.scores, thresholds[c.rows])
    q = np.bincount(c.rows[predicted], minlength=n).astype(np.float64)
    hits = np.bincount(c.rows[predicted & c.is_true], minlength=n).astype(np.float64)
    has_true = c.n_true > 0
    precision, recall = np.full(n, np.nan), np.full(n, np.nan)
    np.divide(hits, q, out=precision, where=has_true & (q > 0.0))
    np.divide(hits, c.n_true, out=recall, where=has_true)
    return precision, recall
