"""`catboost.utils.eval_metric`, and objects for CatBoost's trainer, computed by karat."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from karat.compat.catboost.description import LABEL_LOSSES, METRICS, Description, parse, refused
from karat.compat.catboost.label_metrics import is_of_labels, label_rows, of_labels
from karat.compat.catboost.metrics import ARGMAX, of_areas, of_losses, of_predicted
from karat.compat.catboost.rows import Rows, as_rows
from karat.errors import error
from karat.objectives import CatBoostObjective

_MOST_THREADS = 4096


def eval_metric(
    label: Any,
    approx: Any,
    metric: str | Description,
    weight: Any = None,
    group_id: Any = None,
    group_weight: Any = None,
    subgroup_id: Any = None,
    pairs: Any = None,
    thread_count: int = -1,
) -> list[float]:
    """A metric of raw scores by its CatBoost description.

    As `catboost.utils.eval_metric`, except that ``use_weights`` is honoured as CatBoost documents
    it, also by default: AUC and PRAUC do not use weights unless told to.

    Args:
        label: n class indices 0 … k − 1; of one column of scores, class 1 is above 0.5. Of several
            labels a row [n, k], a label is true above 0.5; predicted where its score is above 0.
        approx: float[n, k] raw scores with a column for each class, or float[n].
        metric: ``Name`` or ``Name:key=value;key=value``.
        weight: n weights, which are rounded to float32 as in CatBoost, or None.
        group_id, group_weight, subgroup_id, pairs: only None; these metrics read none of them.
        thread_count: −1: all cores. The values do not depend on it.

    Returns:
        One value, or one for each class or label (Precision, Recall, F, F1, AUC:type=OneVsAll,
        PRAUC, Accuracy:type=PerClass).

    Errors:
        K601 the description; K101, K102, K103, K113, K114, K116, K125, K151, K152, K153 the data;
        K122, K602 other arguments. All are ValueErrors.

    Cost: one read of the scores; a sort of n rows for each class or pair of classes of an area.

    Example:
        >>> eval_metric([0, 1, 2], [[2, 1, 0], [0, 1, 3], [0, 1, 2]], "Recall")
        [1.0, 0.0, 1.0]
        >>> eval_metric([0, 1, 2], [[2, 1, 0], [0, 1, 3], [0, 1, 2]], "TotalF1:average=Macro")
        [0.5555555555555555]
    """
    names = ("group_id", "group_weight", "subgroup_id", "pairs")
    for name, value in zip(names, (group_id, group_weight, subgroup_id, pairs), strict=True):
        if value is not None:
            raise error("K602", argument=name)
    description = parse(metric)
    given: Any = thread_count
    is_whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if not is_whole or not (given == -1 or 1 <= given <= _MOST_THREADS):
        choices = f"-1, 1 to {_MOST_THREADS}"
        do = "-1 means KARAT_NUM_THREADS, else all cores."
        raise error("K122", argument="thread_count", value=thread_count, choices=choices, do=do)
    n_threads = max(int(thread_count), 0)
    if is_of_labels(label, description):
        given = weight if description.use_weights else None
        return of_labels(label_rows(label, approx, given, description), description)
    return _values_of(as_rows(label, approx, weight), description, n_threads)


def _values_of(rows: Rows, metric: Description, n_threads: int = 0) -> list[float]:
    """The values of a description on rows; weights count only if the description says so."""
    metric.check_columns(rows.n_columns)
    if n_threads or not metric.use_weights:
        weights = rows.weights if metric.use_weights else None
        rows = replace(rows, n_threads=n_threads, weights=weights)
    if metric.name in ARGMAX:
        values = of_predicted(rows, metric)
    elif metric.name in ("AUC", "PRAUC"):
        values = of_areas(rows, metric)
    else:
        values = of_losses(rows, metric)
    if metric.class_index is None or rows.n_columns is None:
        return values
    return [values[metric.class_index]]


class TrainerMetric:
    """An object for CatBoost's ``eval_metric=``; made by `metric_object`.

    CatBoost shows an object under the name of its class, so every description has a class of its
    own, whose name it is.

    Attributes:
        description: what it computes.
    """

    description: Description

    # CatBoost would compile the methods with numba, and warn where it cannot.
    no_jit = True

    def is_max_optimal(self) -> bool:
        """Whether larger values are better."""
        return self.description.facts.better == "higher"

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The value, and the weight by which CatBoost divides it, which is 1.

        Args:
            approxes: one float64[n] for each column of scores.
            target: float[n], class indices.
            weight: float[n], or None.

        Errors:
            As `eval_metric`; CatBoost shows them in its own error.
        """
        scores = np.stack([np.asarray(column) for column in approxes], axis=1)
        (value,) = _values_of(as_rows(target, scores, weight), self.description)
        return value, 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """The value itself: it is computed on all rows at once."""
        return error / weight

    def __repr__(self) -> str:
        return f"metric_object({self.description.text!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # The class is made for the description: its name cannot be looked up.
        return metric_object, (self.description.text,)


def metric_object(metric: str | Description) -> TrainerMetric:
    """A metric that CatBoost can stop early by, or choose the best iteration by.

    CatBoost refuses its own metrics of each class there; ``Precision:class=2`` names one of them.
    ``use_weights`` is honoured as documented: AUC and PRAUC do without unless told otherwise.

    Args:
        metric: a description of one value.

    Errors:
        K601 it is no description, or has a value for each class.

    Example:
        >>> metric = metric_object("F1:class=0")
        >>> type(metric).__name__, metric.is_max_optimal()
        ('F1:class=0', True)
        >>> metric.evaluate(
        ...     (np.array([2.0, 0.0]), np.array([1.0, 3.0])), np.array([0.0, 1.0]), None
        ... )
        (1.0, 1.0)
    """
    description = parse(metric)
    if description.is_per_class and description.class_index is None:
        found = "It has a value for each class, and CatBoost takes one"
        colon = ";" if description.given else ":"
        do = f"Name the class: {description.text}{colon}class=0."
        raise refused(description.text, found, do)
    if description.name in LABEL_LOSSES:
        found = "CatBoost gives such an object one column of labels"
        raise refused(
            description.text, found, "Name the metric itself: eval_metric='MultiLogloss'."
        )
    made: TrainerMetric = type(description.text, (TrainerMetric,), {"description": description})()
    return made


def objective_object(metric: str | Description) -> CatBoostObjective:
    """The objective of a description, for CatBoost's ``loss_function=``.

    See `karat.objectives.CatBoostObjective` for what else to tell CatBoost.

    Args:
        metric: ``MultiClass`` or ``MultiClassOneVsAll``, or of several labels a row
            ``MultiLogloss`` or ``MultiCrossEntropy``; weights always count.

    Errors:
        K601 it is no description, or no metric to train by.

    Example:
        >>> objective_object("MultiClass").loss
        'multiclass'
    """
    description = parse(metric)
    is_of_labels = description.name in LABEL_LOSSES
    if not is_of_labels and not description.facts.can_be_optimized:
        listed = " and ".join(name for name, facts in METRICS.items() if facts.can_be_optimized)
        found = f"{description.name} cannot be optimized"
        raise refused(description.text, found, f"CatBoost trains by {listed}.")
    if not description.use_weights:
        found = "An objective always counts the weights"
        raise refused(description.text, found, "Leave use_weights out, or train without weights.")
    if is_of_labels:
        return CatBoostObjective("multilabel")
    is_one_vs_all = description.name == "MultiClassOneVsAll"
    return CatBoostObjective("multiclass_one_vs_all" if is_one_vs_all else "multiclass")
