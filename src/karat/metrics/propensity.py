"""Propensity-scored metrics of many labels, most of them rare."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from karat.errors import error
from karat.metrics import Parameter
from karat.metrics._label_numbers import LabelNumbers
from karat.metrics._set_scored import higher_is_better, set_case
from karat.metrics._set_views import Floats, RankedLabels
from karat.metrics.label_ranking import AMONG, TIES, TWO

_ROWS_MOST: Final = 1 << 63
"""Rows of training data: less than this."""

JAIN_2016 = (
    "Jain, Prabhu, Varma (2016). Extreme multi-label loss functions for recommendation, tagging, "
    "ranking and other missing label applications. KDD."
)
NO_TRUE = "no label is true"

_OF_LABELS = (
    Parameter(
        "propensities",
        "Probability that a true label is observed, float[k], above 0 and at most 1.",
        kind="labels",
        above=0.0,
        most=1.0,
    ),
    Parameter(
        "label_counts",
        "Number of training rows with each label, whole numbers [k], with n_train.",
        kind="labels",
    ),
    Parameter("n_train", "Number of rows of the training data.", kind="count"),
    Parameter(
        "a",
        "Exponent of the count in the propensity: 0.5 for Wikipedia, 0.6 for Amazon, 0.55 else.",
        default=0.55,
        above=0.0,
    ),
    Parameter(
        "b",
        "Offset of the counts: 0.4 for Wikipedia, 2.6 for Amazon, 1.5 else.",
        default=1.5,
        above=0.0,
    ),
)
_GIVEN: Any = {"propensities": [0.5, 0.25, 1.0, 0.5]}


def propensities(label_counts: Any, n_train: int, *, a: float = 0.55, b: float = 1.5) -> Floats:
    """Probability that a true label is observed, from its count in the training rows.

    Args:
        label_counts: rows of the training data with each label, [k].
        n_train: rows of the training data.
        a, b: 0.5 and 0.4 for Wikipedia, 0.6 and 2.6 for Amazon, else as given.

    Returns:
        float64[k], 1 ÷ (1 + C·(N_l + B)^(−A)) with C = (ln N − 1)·(B + 1)^A.

    References:
        Jain, Prabhu, Varma (2016), section 5.

    Example:
        >>> (1.0 / propensities([50, 20, 5, 1], 100)).round(3).tolist()
        [1.683, 2.104, 3.132, 4.605]
    """
    counts = np.asarray(label_counts, np.float64)
    c = (np.log(n_train) - 1.0) * (b + 1.0) ** a
    found: Floats = 1.0 / (1.0 + c * (counts + b) ** -a)
    return found


def _weights(
    c: RankedLabels,
    name: str,
    given: LabelNumbers | None,
    label_counts: LabelNumbers | None,
    n_train: int | None,
    a: float,
    b: float,
) -> Floats:
    """float64[k]: 1 ÷ propensity of each label.

    Errors:
        K302 neither propensities nor counts, or both; the number of labels differs; the counts are
        those of these rows.
    """
    is_counted = label_counts is not None or n_train is not None
    found = None
    if (given is None) != is_counted:
        found = "propensities= and label_counts= were both given" if is_counted else None
        found = found or "neither propensities= nor label_counts= and n_train= were given"
    elif is_counted and (label_counts is None or n_train is None):
        found = "label_counts= and n_train= come together"
    elif n_train is not None and n_train >= _ROWS_MOST:
        found = "n_train is more than 64 bits hold"
    if found is None:
        numbers = given or label_counts
        assert numbers is not None
        if numbers.values.shape != (c.k,):
            which = "propensities" if given is not None else "label_counts"
            found = f"{which} has {numbers.values.size} numbers, there are {c.k} labels"
    if found is None and label_counts is not None:
        assert n_train is not None
        counts = label_counts.values
        if (counts < 0).any() or (counts > n_train).any():
            label = int(np.argmax((counts < 0) | (counts > n_train)))
            found = f"label_counts[{label}] is {counts[label]:g}, and n_train is {n_train}"
        elif n_train == c.n and np.array_equal(np.bincount(c.true.items, minlength=c.k), counts):
            found = "label_counts are counts of these rows: give those of the training data"
        elif n_train < 3:
            found = f"n_train={n_train}: the model needs at least 3 rows"
    weights = None
    if found is None:
        weights = _inverse(given, label_counts, n_train, a, b)
        if not np.isfinite(weights).all():
            which = f"a={a:g}, b={b:g}, n_train" if given is None else "propensities"
            found = f"{which} weigh a label by more than any number"
    if found is not None:
        parameters = "propensities: float[k]; or label_counts: [k], n_train: rows of training data"
        raise error("K302", metric=name, found=found, parameters=parameters)
    assert weights is not None
    return weights


def _inverse(
    given: LabelNumbers | None,
    label_counts: LabelNumbers | None,
    n_train: int | None,
    a: float,
    b: float,
) -> Floats:
    """float64[k]: 1 ÷ propensity; infinite where that leaves all numbers."""
    with np.errstate(all="ignore"):
        if given is not None:
            found: Floats = 1.0 / given.values
            return found
        assert label_counts is not None
        assert n_train is not None
        try:
            return 1.0 / propensities(label_counts.values, n_train, a=a, b=b)
        except OverflowError:
            return np.full(label_counts.values.shape, np.inf)


def _best(c: RankedLabels, weights: Floats, k: int, gains: Callable[[int], Floats]) -> Floats:
    """float64[n]: Σ gain × weight of the k heaviest true labels of each row, heaviest first."""
    own = weights[c.true.items]
    order = np.lexsort((-own, c.rows))
    place = np.arange(len(own)) - np.repeat(c.true.starts[:-1], c.true.sizes)
    taken = place < k
    gain = gains(int(place.max(initial=0)) + 1)[place]
    best = np.bincount(c.rows[taken], (own[order] * gain)[taken], c.n)
    return np.asarray(best, np.float64)


def _as_ratio(own: Floats, best: Floats) -> tuple[Floats, Floats]:
    """Ratio of each row to its best, and its part of the whole."""
    with np.errstate(invalid="ignore"):
        return own / np.where(best > 0.0, best, np.nan), np.where(best > 0.0, best, 0.0)


_of_propensities = partial(
    higher_is_better,
    parameters=(AMONG, *_OF_LABELS, TIES),
    undefined=NO_TRUE,
    in_report=False,
    references=(JAIN_2016,),
)


@_of_propensities(
    formula="Σ over the rows of 1 ÷ propensity of the true labels among the k best, ÷ the largest "
    "such sum",
    latex=r"\frac{\sum_i w_i \sum_{j \in R_i \cap \operatorname{top}_k(s_i)} 1 / p_j}"
    r"{\sum_i w_i \max_{|A| \le k} \sum_{j \in R_i \cap A} 1 / p_j}",
    aliases=("psp_at_k",),
    numbered="propensity_scored_precision_at_{k}",
    cases=[set_case(*TWO, gives="(0.5*4 + 2)/(4 + 2 + 2)", k=2, **_GIVEN)],
)
def propensity_scored_precision_at_k(
    c: RankedLabels,
    *,
    k: int,
    propensities: Any,
    label_counts: Any,
    n_train: int | None,
    a: float,
    b: float,
    ties: str,
) -> tuple[Floats, Floats]:
    """Propensity-scored precision among the k best labels, relative to the best possible.

    A rare label counts more, since more of its true rows are unlabeled. Propensities come from the
    training data. The value is the ratio of means that papers report.
    """
    name = "propensity_scored_precision_at_k"
    weights = _weights(c, name, propensities, label_counts, n_train, a, b)
    own = c.added(weights[c.true.items] * c.chance_within(k, ties))
    return _as_ratio(own, _best(c, weights, k, np.ones))


@_of_propensities(
    formula="mean of the discounted gain ÷ propensity of the true labels among the k best, ÷ the "
    "largest such mean",
    latex=r"\frac{\sum_i w_i \, \mathrm{DCG}_k(1 / p)}{\sum_i w_i \max \mathrm{DCG}_k(1 / p)}",
    aliases=("psndcg_at_k",),
    numbered="propensity_scored_ndcg_at_{k}",
    cases=[set_case(*TWO, gives="2/(4 + 2)", k=1, **_GIVEN)],
)
def propensity_scored_ndcg_at_k(
    c: RankedLabels,
    *,
    k: int,
    propensities: Any,
    label_counts: Any,
    n_train: int | None,
    a: float,
    b: float,
    ties: str,
) -> tuple[Floats, Floats]:
    """Propensity-scored nDCG of the k best labels: the ratio of means that papers report.

    The sum of a row is divided by Σ 1 ÷ log2(r + 1) over as many positions as it has true labels,
    at most k, in both means.
    """
    weights = _weights(c, "propensity_scored_ndcg_at_k", propensities, label_counts, n_train, a, b)
    ideal = c.discounts(k)[c.true.sizes]
    norm = np.where(ideal > 0.0, ideal, 1.0)
    own = c.added(weights[c.true.items] * c.gain_within(k, ties)) / norm
    best = _best(c, weights, k, lambda n: 1.0 / np.log2(np.arange(2.0, n + 2.0))) / norm
    return _as_ratio(own, best)


@_of_propensities(
    formula="mean of 1 ÷ propensity of the true labels among the k best, ÷ (true labels), ÷ the "
    "largest such mean",
    latex=r"\frac{\sum_i (w_i / t_i) \sum_{j \in R_i \cap \operatorname{top}_k(s_i)} 1 / p_j}"
    r"{\sum_i (w_i / t_i) \max_{|A| \le k} \sum_{j \in R_i \cap A} 1 / p_j}",
    aliases=("psrecall_at_k",),
    numbered="propensity_scored_recall_at_{k}",
    cases=[set_case(*TWO, gives="((0.5*4)/2 + 2)/((4 + 2)/2 + 2)", k=2, **_GIVEN)],
)
def propensity_scored_recall_at_k(
    c: RankedLabels,
    *,
    k: int,
    propensities: Any,
    label_counts: Any,
    n_train: int | None,
    a: float,
    b: float,
    ties: str,
) -> tuple[Floats, Floats]:
    """Propensity-scored recall among the k best labels, relative to the best possible."""
    name = "propensity_scored_recall_at_k"
    weights = _weights(c, name, propensities, label_counts, n_train, a, b)
    t = np.maximum(c.n_true, 1.0)
    own = c.added(weights[c.true.items] * c.chance_within(k, ties)) / t
    return _as_ratio(own, _best(c, weights, k, np.ones) / t)
