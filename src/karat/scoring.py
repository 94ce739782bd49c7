"""A metric as a scorer for scikit-learn's ``scoring=``; scikit-learn is not imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from karat.errors import error
from karat.functions import function_of
from karat.inputs.align import classes_of
from karat.inputs.identity import declared_labels
from karat.metrics import Metric, get
from karat.tally import Label

__all__ = ["Scorer", "scorer"]


@dataclass(frozen=True, slots=True)
class Scorer:
    """Callable of scikit-learn's scorer protocol: (estimator, X, y) → float, greater is better.

    Attributes:
        metric: what it measures; a loss is returned with its sign turned.
        labels: every class in order, so that a fold that lacks one is measured like the others.
        positive: the positive class of two.
    """

    metric: Metric
    labels: Sequence[Label] | None = None
    positive: Label | None = None

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Score the estimator's predictions for X against y."""
        compute = function_of(self.metric.name)
        params = dict(self.metric.params)
        value = float(
            compute(
                y,
                estimator.predict(X),
                weights=sample_weight,
                labels=self.labels,
                positive=self.positive,
                **params,
            )
        )
        return -value if self.metric.better == "lower" else value

    def __repr__(self) -> str:
        return f"karat.scorer({str(self.metric)!r})"


def scorer(
    name: str | Metric,
    *,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
) -> Scorer:
    """A scorer for ``cross_val_score(..., scoring=karat.scorer("macro_f1"))``.

    Args:
        name: a metric that has a better direction; losses are returned negated.
        labels: every class in order; without it, those of each fold.
        positive: the positive class of two; default: the last.

    Errors:
        K301 no such metric; K110 to K112 `labels` or a `positive` of them that cannot be used;
        K120 a metric of which neither direction is better.

    Example:
        >>> import karat
        >>> karat.scorer("macro_f1")
        karat.scorer('macro_f1')
    """
    metric = get(name)
    if metric.better is None:
        raise error(
            "K120",
            found=f"{metric} has no better direction, so it cannot rank models",
            do="Choose a metric whose `better` is 'higher' or 'lower'.",
        )
    classes = None if labels is None else declared_labels(labels)
    if classes is not None:
        classes_of(classes, positive, is_declared=True)
    return Scorer(metric, classes, positive)
