"""Objects for CatBoost's trainer: metrics by their description, and the two objectives."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.compat.catboost.description import METRICS, Description, parse, refused
from karat.compat.catboost.evaluation import values_of
from karat.compat.catboost.rows import as_rows
from karat.objectives import CatBoostObjective

__all__ = ["TrainerMetric", "metric_object", "objective_object"]


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
        (value,) = values_of(as_rows(target, scores, weight), self.description)
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
    made: TrainerMetric = type(description.text, (TrainerMetric,), {"description": description})()
    return made


def objective_object(metric: str | Description) -> CatBoostObjective:
    """The objective of a description, for CatBoost's ``loss_function=``.

    See `karat.objectives.CatBoostObjective` for what else to tell CatBoost.

    Args:
        metric: ``MultiClass`` or ``MultiClassOneVsAll``; weights always count.

    Errors:
        K601 it is no description, or no metric to train by.

    Example:
        >>> objective_object("MultiClass").loss
        'multiclass'
    """
    description = parse(metric)
    if not description.facts.can_be_optimized:
        listed = " and ".join(name for name, facts in METRICS.items() if facts.can_be_optimized)
        found = f"{description.name} cannot be optimized"
        raise refused(description.text, found, f"CatBoost trains by {listed}.")
    if not description.use_weights:
        found = "An objective always counts the weights"
        raise refused(description.text, found, "Leave use_weights out, or train without weights.")
    is_one_vs_all = description.name == "MultiClassOneVsAll"
    return CatBoostObjective("multiclass_one_vs_all" if is_one_vs_all else "multiclass")
