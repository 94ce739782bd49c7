"""Selection and order of the metrics that open a report, by the kind of problem.

docs/reports.md shows the rules as a table.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from karat.metrics import Metric, PairRanks, Pairwise, all_metrics, get, n_records

RARE: Final = 0.05
"""Prevalence below which a positive class is rare."""
MANY_CLASSES: Final = 20
"""Number of classes from which on top-`PLACES` accuracy is shown."""
PLACES: Final = 5

_FAMILIES: Final = (
    "accuracy",
    "rates",
    "fscores",
    "agreement",
    "ranking",
    "probability",
    "calibration",
    "recalibration",
    "decompositions",
    "thresholds",
)
"""Order of the families of metrics; the others follow."""
_OF_RARE: Final = (
    "prevalence",
    "no_information_rate",
    "average_precision",
    "recall",
    "precision",
    "precision_lift",
)
_OF_MANY: Final = ("balanced_accuracy", "macro_f1", f"top_{PLACES}_accuracy")
_OF_RANKS: Final = (
    "roc_auc",
    "average_precision",
    "roc_auc_ovr_macro",
    "roc_auc_ovr_weighted",
    "roc_auc_ovo_macro",
    "mean_average_precision",
)


def headline(
    k: int,
    *,
    has_positive: bool,
    prevalence: float | None = None,
    has_probabilities: bool = False,
    has_scores: bool = False,
) -> tuple[str, ...]:
    """Names of the metrics that open a report, in order.

    Args:
        k: number of classes.
        has_positive: whether one class of two is positive, so that plain names refer to it.
        prevalence: weighted proportion of truly positive rows; None or NaN: not known.
        has_probabilities: whether there are probabilities, or logits.
        has_scores: whether there are other scores.

    Example:
        >>> headline(2, has_positive=True, prevalence=0.01)[:4]
        ('prevalence', 'no_information_rate', 'recall', 'precision')
        >>> headline(100, has_positive=False, has_probabilities=True)[:3]
        ('balanced_accuracy', 'macro_f1', 'top_5_accuracy')
    """
    leading: list[str] = []
    if is_rare(prevalence, has_positive=has_positive):
        leading += _OF_RARE
    if not has_positive and k >= MANY_CLASSES:
        leading += _OF_MANY
    only_scores = has_scores and not has_probabilities
    if only_scores:
        leading += _OF_RANKS
    others = [name for name in _usual(n_records()) if _is_of_kind(get(name), has_positive)]
    return tuple(
        name
        for name in dict.fromkeys([*leading, *others])
        if _is_of_kind(get(name), has_positive)
        and (has_probabilities or has_scores or not get(name).needs_scores)
        and not (only_scores and get(name).record.reads_probabilities)
    )


def metric_of_slices(
    *, has_positive: bool, prevalence: float | None = None, has_predictions: bool = True
) -> str:
    """Return the default metric for comparing slices."""
    if not has_predictions:
        return OF_RANKS
    return "recall" if is_rare(prevalence, has_positive=has_positive) else "accuracy"


def is_rare(prevalence: float | None, *, has_positive: bool) -> bool:
    """Return whether the positive class is rare: its prevalence is below 5 %."""
    return has_positive and prevalence is not None and prevalence < RARE


def by_family(names: Iterable[str]) -> list[str]:
    """Sort names by the family of their metric."""
    return sorted(names, key=_family)


def _family(name: str) -> int:
    family = get(name).record.family
    return _FAMILIES.index(family) if family in _FAMILIES else len(_FAMILIES)


@lru_cache(maxsize=1)
def _usual(_: int) -> tuple[str, ...]:
    """Metrics whose record is marked for the headline, by family."""
    listed = [str(metric) for metric in all_metrics() if metric.lift in metric.record.headline]
    return tuple(by_family(listed))


def _is_of_kind(metric: Metric, has_positive: bool) -> bool:
    """Return whether a metric is of one positive class, or of all classes."""
    if has_positive:
        # The averages are below the table of classes, and the single pair of classes repeats the
        # comparison of one class against the other.
        return metric.lift == "plain" and metric.record.reads not in (PairRanks, Pairwise)
    return metric.lift != "plain" or not metric.record.is_per_class


_SAME: Final = {
    **dict.fromkeys(("micro_precision", "micro_recall", "micro_f1"), "accuracy"),
    "macro_recall": "balanced_accuracy",
}
"""Averages of rows with one class each → the metric that is the same number by definition."""
_SAME_IF_ALL_TRUE: Final = frozenset({"macro_recall"})
"""Those that are the same only where every class occurs in y_true."""


def same_by_definition(names: Iterable[str], *, all_true: bool) -> dict[str, str]:
    """Return the names that repeat another of the names, each with that other.

    Args:
        names: of metrics of rows with one class each.
        all_true: whether every class occurs in y_true.

    Example:
        >>> same_by_definition(["accuracy", "micro_f1", "macro_f1"], all_true=True)
        {'micro_f1': 'accuracy'}
    """
    listed = list(names)
    return {
        name: _SAME[name]
        for name in listed
        if _SAME.get(name) in listed and (all_true or name not in _SAME_IF_ALL_TRUE)
    }


OF_SET_SLICES: Final = "micro_f1"
"""Default metric for comparing slices of rows with sets of labels."""
OF_RANKS: Final = "roc_auc"
"""Default metric where scores rank rows of two classes and no class is predicted."""
OF_RANKED_SETS: Final = "mean_average_precision"
"""The same where no labels are predicted."""
HEADLINE_OF_SETS: Final = (
    "subset_accuracy",
    "hamming_loss",
    "samples_f1",
    "micro_precision",
    "micro_recall",
    "micro_f1",
    "macro_f1",
    "weighted_f1",
    "roc_auc_ovr_macro",
    "mean_average_precision",
    "label_ranking_average_precision",
    "binary_cross_entropy",
    "multilabel_brier",
)
"""Metrics that open a report of rows with sets of labels, those of scores last."""

_IN_POINTS: Final = ("accuracy", "rates", "fscores")
"""Families of proportions, and of means of proportions."""
_ALSO_IN_POINTS: Final = (
    "balanced_accuracy",
    "gain_at",
    "label_balanced_accuracy",
    "precision_at_k",
    "recall_at_k",
    "subset_accuracy",
    "top_k_accuracy",
)
_NOT_IN_POINTS: Final = ("fowlkes_mallows", "g_mean", "informedness", "markedness")


def is_in_points(name: str) -> bool:
    """Whether differences of a metric are percentage points: proportions, their means, F-scores.

    Example:
        >>> [is_in_points(x) for x in ("accuracy", "macro_f1", "top_5_accuracy", "log_loss")]
        [True, True, True, False]
    """
    metric = get(name)
    record = metric.record
    if record.name in _ALSO_IN_POINTS:
        return "adjusted" not in str(metric)
    return record.family in _IN_POINTS and record.name not in _NOT_IN_POINTS
