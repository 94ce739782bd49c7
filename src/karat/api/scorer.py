"""A metric as a scorer for scikit-learn's ``scoring=``; scikit-learn is not imported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from karat.api.functions import function_of
from karat.data.labels.align import classes_of
from karat.data.labels.column import declared_labels
from karat.errors import KaratError, UnknownNameError, error, short, shown
from karat.errors.habits import names_its_arguments
from karat.metrics import Metric, get
from karat.tally import Label
from karat.tally.classes import usual_positive

_RESPONSES: Final[Mapping[str, str]] = {"predict_proba": "y_prob", "decision_function": "y_score"}
"""Methods of an estimator that score every class → the argument that they are."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """Callable of scikit-learn's scorer protocol: (estimator, X, y) → float, greater is better.

    Metrics of labels read the estimator's ``predict``. Those of scores read ``predict_proba``, or
    ``decision_function`` where there are no probabilities; columns are those of ``classes_``.

    Attributes:
        metric: what it measures; a loss is returned with its sign turned.
        labels: every class in order, so that a fold that lacks one is measured like the others.
        positive: the positive class of two.
    """

    metric: Metric
    labels: Sequence[Label] | None = None
    positive: Label | None = None

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """Score the estimator's predictions for X against y.

        Errors:
            K313 the estimator has neither probabilities nor scores; K314 it has no score of some
            class.
        """
        given: dict[str, Any] = dict(self.metric.params)
        given |= {"weights": sample_weight, "labels": self.labels, "positive": self.positive}
        if self.metric.needs_scores:
            given |= self._scored(estimator, X)
        elif not hasattr(estimator, "predict"):
            found = f"{short(estimator)} has no method predict"
            raise error("K313", metric=self.metric, found=found, do="Give a fitted classifier.")
        else:
            given["y_pred"] = estimator.predict(X)
        try:
            value = float(function_of(self.metric.name)(y, **given))
        except KaratError as problem:
            if problem.code == "K121":
                record = self.metric.record
                names = ", ".join(map(record.lifted, record.averages))
                problem.add_note(f"      The average is part of the name of a scorer: {names}.")
            if problem.code == "K190":
                average = next(map(self.metric.record.lifted, self.metric.record.averages), None)
                or_else = f", or karat.scorer({average!r})" if average else ""
                call = f"karat.scorer({self.metric.name!r}, positive=…){or_else}"
                problem.add_note(f"      For a scorer: {call}.")
            raise
        return -value if self.metric.better == "lower" else value

    def _scored(self, estimator: Any, X: Any) -> dict[str, Any]:  # noqa: N803
        """The scores of every class, and the classes in the order of their columns."""
        methods = list(_RESPONSES)
        if self.metric.record.is_of_scores_only:
            methods.reverse()
        method = next((name for name in methods if hasattr(estimator, name)), None)
        if method is None:
            raise error(
                "K313",
                metric=self.metric,
                found=f"{type(estimator).__name__} has neither predict_proba nor "
                f"decision_function, and {self.metric} reads probabilities or scores",
                do="Choose an estimator that has one, or a metric of labels.",
            )
        learned = getattr(estimator, "classes_", None)
        is_known = isinstance(learned, np.ndarray) and learned.ndim == 1
        classes = tuple(declared_labels(learned)) if is_known else ()
        argument, values = _RESPONSES[method], getattr(estimator, method)(X)
        if not is_known:
            return {argument: values, "labels": self.labels}
        is_of_pairs = getattr(estimator, "decision_function_shape", "ovr") == "ovo"
        if method == "decision_function" and len(classes) > 2 and is_of_pairs:
            raise error(
                "K313",
                metric=self.metric,
                found=f"decision_function of {type(estimator).__name__} scores pairs of classes",
                do="Set decision_function_shape='ovr', which scores every class.",
            )
        labels = classes if self.labels is None else self.labels
        _check_known(classes, labels, argument)
        array = np.asarray(values)
        if array.ndim == 1 and len(classes) == 2:
            # One column is the score of the second class learned; karat reads the positive one.
            usual, positive = usual_positive(labels), self.positive
            if positive is None and usual is not None:
                positive = labels[usual]
            if positive is None and not self._is_of_one_class:
                # What averages over the classes does not depend on which one is positive.
                return {argument: array, "labels": labels, "positive": classes[1]}
            is_of_other = positive is not None and positive != classes[1]
            return {argument: -array if is_of_other else array, "labels": labels}
        return {argument: _in_order(array, classes, labels), "labels": labels}

    @property
    def _is_of_one_class(self) -> bool:
        return self.metric.record.is_per_class and self.metric.lift == "plain"

    def __repr__(self) -> str:
        return f"karat.scorer({str(self.metric)!r})"


def _check_known(classes: Sequence[Label], labels: Sequence[Label], argument: str) -> None:
    """Refuse labels that leave out a class that was learned, or have one without a score."""
    unknown = [label for label in classes if label not in labels]
    unscored = [label for label in labels if label not in classes]
    if unknown or (unscored and argument == "y_score"):
        least = "with every class that the estimator learned"
        raise error(
            "K314",
            learned=shown(classes),
            labels=shown(labels),
            do=f"Give labels= {least}." if unknown else "Only predict_proba may lack a class.",
        )


def _in_order(array: Any, classes: Sequence[Label], labels: Sequence[Label]) -> Any:
    """Columns in the order of the labels; a class that was never learned has probability 0."""
    if array.ndim != 2 or array.shape[1] != len(classes) or tuple(classes) == tuple(labels):
        return array
    whole = np.zeros((len(array), len(labels)), array.dtype)
    for place, label in enumerate(labels):
        if label in classes:
            whole[:, place] = array[:, list(classes).index(label)]
    return whole


@names_its_arguments
def scorer(
    name: str | Metric, *, labels: Sequence[Label] | None = None, positive: Label | None = None
) -> Scorer:
    """A scorer for ``cross_val_score(..., scoring=karat.scorer("macro_f1"))``.

    Args:
        name: a metric that has a better direction; losses are returned negated. Metrics of
            scores read predict_proba, else decision_function.
        labels: every class in order; without it, those of each fold, or that the estimator learned.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.

    Errors:
        K301 no such metric; K110 to K112 `labels` or a `positive` of them that cannot be used;
        K312 a metric of which neither direction is better.

    Example:
        >>> import karat
        >>> karat.scorer("macro_f1")
        karat.scorer('macro_f1')
        >>> karat.scorer("roc_auc_ovr_macro")
        karat.scorer('roc_auc_ovr_macro')
    """
    try:
        metric = get(name)
    except UnknownNameError as problem:
        meant = problem.context.get("nearest")
        if name != f"neg_{meant}":
            raise
        do = f"A scorer of a loss turns its sign by itself: karat.scorer({meant!r})."
        raise error("K301", **{**problem.context, "advice": do}) from None
    if metric.better is None:
        raise error("K312", metric=metric)
    classes = None if labels is None else declared_labels(labels)
    if classes is not None:
        classes_of(classes, positive, is_declared=True)
    return Scorer(metric, classes, positive)
