"""`catboost.utils.eval_metric`, and objects for CatBoost's trainer, computed by karat."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from karat.compat.catboost.description import LABEL_LOSSES, METRICS, Description, parse, refused
from karat.compat.catboost.label_metrics import (
    OF_LABELS,
    is_of_labels,
    label_rows,
    of_karat,
    values_of_labels,
)
from karat.compat.catboost.metrics import ARGMAX, of_areas, of_losses, of_predicted
from karat.compat.catboost.rows import Rows, as_rows
from karat.errors import error
from karat.metrics import Metric
from karat.metrics._of_sets import meant_on_sets
from karat.metrics._registry import find
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

    As `catboost.utils.eval_metric`, except that ``use_weights`` is honored as CatBoost documents
    it, also by default: AUC and PRAUC use weights only on request.

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
        return values_of_labels(label_rows(label, approx, given, description), description)
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


class _OfAllRows:
    """Attributes that CatBoost reads of an object whose value is computed on all rows at once."""

    # CatBoost would compile the methods with numba, and warn where it cannot.
    no_jit = True

    def get_final_error(self, error: float, weight: float) -> float:
        """The value itself."""
        return error / weight


class TrainerMetric(_OfAllRows):
    """An object for CatBoost's ``eval_metric=``; made by `metric_object`.

    CatBoost shows an object under the name of its class, so every description has a class of its
    own, whose name it is.

    Attributes:
        description: what it computes.
    """

    description: Description

    def is_max_optimal(self) -> bool:
        """True if larger values are better."""
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

    def __repr__(self) -> str:
        return f"metric_object({self.description.text!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # The class is made for the description: its name cannot be looked up.
        return metric_object, (self.description.text,)


class LabelTrainerMetric(_OfAllRows):
    """The same where the label is a matrix with a column for each of several labels.

    Attributes:
        text: what it computes, as it was given.
        measure: the description, or karat's metric of rows with sets of labels.
    """

    text: str
    measure: Description | Metric

    def is_max_optimal(self) -> bool:
        """True if larger values are better."""
        found = self.measure
        return (found.better if isinstance(found, Metric) else found.facts.better) == "higher"

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        """The value, and the weight by which CatBoost divides it, which is 1.

        Args:
            approxes, target: one float[n] for each label: raw scores, and 0 or 1 (above 0.5).
            weight: float[n], or None.

        Errors:
            As `eval_metric`; CatBoost shows them in its own error.
        """
        scores, labels = (np.stack([*map(np.asarray, side)], axis=1) for side in (approxes, target))
        if isinstance(self.measure, Metric):
            return of_karat(labels, scores, weight, self.measure), 1.0
        given = weight if self.measure.use_weights else None
        (value,) = values_of_labels(label_rows(labels, scores, given, self.measure), self.measure)
        return value, 1.0

    def __repr__(self) -> str:
        return f"metric_object({self.text!r}, of_labels=True)"

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_labels, (self.text,)


def _of_labels(metric: str | Description) -> LabelTrainerMetric:
    """The object of a metric of several labels.

    Its base is that by which CatBoost knows metrics of several targets, where CatBoost was
    imported; it is the one that CatBoost takes.
    """
    known = find(metric) if isinstance(metric, str) else None
    measure: Description | Metric
    if isinstance(metric, str) and known is not None:
        text, measure = metric, _measure_of(metric, known)
    else:
        measure = description = parse(metric)
        text = description.text
        _check_labels(description)
    base = getattr(sys.modules.get("catboost"), "MultiTargetCustomMetric", object)
    members = {"text": text, "measure": measure}
    made: LabelTrainerMetric = type(text, (LabelTrainerMetric, base), members)()
    return made


def _measure_of(text: str, metric: Metric) -> Metric:
    """A metric of karat's catalogue, which has one value on sets, and a better direction."""
    meant = meant_on_sets(metric)
    if meant.lift == "per_class" or meant.better is None:
        found = "It has no direction that is better"
        if meant.lift == "per_class":
            found = "It has a value for each label, and CatBoost takes one"
        raise refused(text, found, "Give a metric of one value, as macro_f1.")
    return meant


def _check_labels(description: Description) -> None:
    """Refuse a description that is not of one value of several labels."""
    name, is_each = description.name, description.is_per_class or description.type == "PerClass"
    if name not in LABEL_LOSSES and name not in OF_LABELS:
        found = "It is for one column of labels"
        listed = ", ".join((*LABEL_LOSSES, *OF_LABELS))
        do = (
            f"Metrics for several labels are {listed} and karat's metrics of sets, such as "
            "macro_f1."
        )
        raise refused(description.text, found, do)
    if is_each and description.class_index is None:
        found = "It has a value for each label, and CatBoost takes one"
        colon = ";" if description.given else ":"
        do = f"Name the label, {description.text}{colon}class=0, or an average, as macro_f1."
        raise refused(description.text, found, do)


def metric_object(
    metric: str | Description, *, of_labels: bool = False
) -> TrainerMetric | LabelTrainerMetric:
    """A metric that CatBoost can stop early by, or choose the best iteration by.

    CatBoost refuses its own metrics of each class there; ``Precision:class=2`` names one of them.
    ``use_weights`` is honored as documented: AUC and PRAUC use weights only on request.

    Args:
        metric: a description of one value; of several labels also a metric of rows with sets of
            labels by karat's name, as ``"macro_f1"``, ``"mean_average_precision"``.
        of_labels: whether the label is a matrix with a column for each of several labels, as of
            ``MultiLogloss`` it always is. Make such an object after ``import catboost``: it is a
            `catboost.MultiTargetCustomMetric` then.

    Errors:
        K601 it is no description, or has a value for each class or label; K219, K220 rows with
        sets of labels do not have it.

    Example:
        >>> metric = metric_object("F1:class=0")
        >>> type(metric).__name__, metric.is_max_optimal()
        ('F1:class=0', True)
        >>> metric.evaluate(
        ...     (np.array([2.0, 0.0]), np.array([1.0, 3.0])), np.array([0.0, 1.0]), None
        ... )
        (1.0, 1.0)
        >>> metric_object("macro_f1", of_labels=True).evaluate(
        ...     (np.array([2.0, 1.0]), np.array([-1.0, 3.0])),
        ...     (np.array([1.0, 1.0]), np.array([0.0, 1.0])),
        ...     None,
        ... )
        (1.0, 1.0)
    """
    if of_labels:
        return _of_labels(metric)
    description = parse(metric)
    if description.name in LABEL_LOSSES:
        return _of_labels(description)
    if description.is_per_class and description.class_index is None:
        found = "It has a value for each class, and CatBoost takes one"
        colon = ";" if description.given else ":"
        do = f"Name the class: {description.text}{colon}class=0."
        raise refused(description.text, found, do)
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
