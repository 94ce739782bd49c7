"""What a fitted estimator returns: its classes, and the scores of each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.data.labels.column import declared_labels
from karat.data.labels.containers import array_of
from karat.errors import KaratError, error, short, shown
from karat.errors.text import counted
from karat.metrics import Metric
from karat.tally import Label
from karat.tally.classes import usual_positive

RESPONSES: Final[Mapping[str, str]] = {"predict_proba": "y_prob", "decision_function": "y_score"}
"""Methods of an estimator that score every class → the argument that they are."""
_WITHIN: Final = ("_final_estimator", "best_estimator_", "final_estimator_", "estimator_")
_MEMBERS: Final = ("final_estimator_",)
"""The attribute of an ensemble whose estimator decides alone."""
_MOST_WITHIN: Final = 20
_PAIR: Final = 2
_NUMBERS: Final = "biuf"
_A_COLUMN_EACH: Final = "{} has to return a column of numbers for each class."


def response_of(estimator: Any, metric: Metric) -> str:
    """Return the method of an estimator whose scores a metric reads (K313: there is none)."""
    record, methods = metric.record, list(RESPONSES)
    if record.is_of_scores_only:
        methods.reverse()
    if record.reads_probabilities:
        methods = ["predict_proba"]
    method = next((name for name in methods if hasattr(estimator, name)), None)
    if method is not None:
        return method
    has_margins = record.reads_probabilities and hasattr(estimator, "decision_function")
    missing = "no predict_proba" if record.reads_probabilities else "neither predict_proba"
    raise error(
        "K313",
        metric=metric,
        found=f"{type(estimator).__name__} has {missing}"
        + (
            f", and {metric} reads probabilities"
            if record.reads_probabilities
            else f" nor decision_function, and {metric} reads probabilities or scores"
        ),
        do="CalibratedClassifierCV makes probabilities of its decision_function."
        if has_margins
        else "Choose an estimator that has one, or a metric of labels.",
    )


def learned_classes(estimator: Any) -> tuple[Label, ...] | None:
    """Return the classes that an estimator learned; None if it has none, or several outputs.

    Errors:
        K314 its ``classes_`` cannot be read.
    """
    learned = getattr(estimator, "classes_", None)
    if learned is None or _are_of_outputs(learned):
        return None
    return read_classes(learned, estimator)


def learned_outputs(estimator: Any) -> list[Any] | None:
    """Return the classes of each of several outputs; None if there is one, or none is known."""
    learned = getattr(estimator, "classes_", None)
    return list(learned) if learned is not None and _are_of_outputs(learned) else None


def read_classes(learned: Any, estimator: Any) -> tuple[Label, ...]:
    """Return the classes of one output (K314: they cannot be read)."""
    try:
        return declared_labels(learned)
    except KaratError:
        name = type(estimator).__name__
        fact = f"classes_ of {name} is {short(learned)} ({type(learned).__name__})"
        do = "It has to list each class once, in the order of the columns: an array or a list."
        raise error("K314", found=fact, do=do) from None


def _are_of_outputs(learned: Any) -> bool:
    """Return whether `classes_` lists the classes of each of several outputs."""
    if isinstance(learned, str | bytes | Mapping) or not hasattr(learned, "__iter__"):
        return False
    if getattr(learned, "ndim", 1) == 0 or hasattr(learned, "columns"):
        return False
    items = list(learned)
    return bool(items) and all(map(_is_list, items))


def _is_list(item: Any) -> bool:
    """Return whether an item is a collection, not text or a scalar of an array."""
    if isinstance(item, str | bytes):
        return False
    return bool(getattr(item, "ndim", 1)) and hasattr(item, "__len__")


def refuse_pairs(estimator: Any, metric: Metric) -> None:
    """Refuse a decision function that scores pairs of classes (K313), also within a wrapper."""
    deciding = _deciding(estimator)
    if getattr(deciding, "decision_function_shape", "ovr") == "ovo":
        where = "" if deciding is estimator else f" in {type(estimator).__name__}"
        raise _of_pairs(f"{type(deciding).__name__}{where}", metric)


def _of_pairs(name: str, metric: Metric) -> KaratError:
    return error(
        "K313",
        metric=metric,
        found=f"decision_function of {name} scores pairs of classes",
        do="Set decision_function_shape='ovr', which scores every class.",
    )


def _deciding(estimator: Any) -> Any:
    """Return the estimator whose decision function is that of pipelines and wrappers around it."""
    for _ in range(_MOST_WITHIN):
        inner = _within(estimator)
        if inner is None:
            break
        estimator = inner
    return estimator


def _within(estimator: Any) -> Any:
    """Return the estimator within a wrapper that passes on its decision function; else None."""
    names: tuple[str, ...] = (*_WITHIN, "estimator")
    # Ensembles score classes themselves; bagging averages what its members return.
    is_mean = any(kind.__name__ == "BaggingClassifier" for kind in type(estimator).__mro__)
    if hasattr(estimator, "estimators_") and not is_mean:
        names = _MEMBERS
    candidates = [getattr(estimator, name, None) for name in names]
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list) and steps and isinstance(steps[-1], tuple):
        candidates.append(steps[-1][-1])
    return next((inner for inner in candidates if hasattr(inner, "decision_function")), None)


def whole_outputs(values: Any, outputs: Sequence[Any] | None) -> Any:
    """Return scores of several outputs, each with the columns absent and present.

    A label that all rows of the training data have, or none, has one column: that of the class.

    Args:
        outputs: the classes of each output; None: unknown.
    """
    if not isinstance(values, list | tuple) or outputs is None or len(values) != len(outputs):
        return values
    return [_whole(item, learned) for item, learned in zip(values, outputs, strict=True)]


def _whole(item: Any, learned: Any) -> Any:
    shape, classes = tuple(getattr(item, "shape", ())), list(learned)
    if len(shape) != _PAIR or shape[-1] != 1 or len(classes) != 1 or classes[0] not in (0, 1):
        return item
    column = array_of(item)[:, 0]
    return np.column_stack([1 - column, column] if classes[0] == 1 else [column, 1 - column])


class ClassScores:
    """Scores of each class by one method of an estimator, in the order of its classes.

    Args:
        values: what the method returned.
        classes: those that the estimator learned.

    Errors:
        K313 scores of pairs of classes; K314 another number of columns.
    """

    def __init__(
        self, estimator: Any, method: str, values: Any, classes: tuple[Label, ...], metric: Metric
    ) -> None:
        self.argument: str = RESPONSES[method]
        self._classes, self._values = classes, values
        name = type(estimator).__name__
        try:
            array = self._array = array_of(values)
        except Exception:  # rows of several lengths, a device: NumPy and the hosts raise anything
            fact = f"{method} of {name} returned a {type(values).__name__} that is not a matrix"
            raise error("K314", found=fact, do=_A_COLUMN_EACH.format(method)) from None
        self._are_numbers = array.dtype.kind in _NUMBERS
        k, is_column = len(classes), array.ndim == 1 or array.shape[1:] == (1,)
        self._is_column = is_column and k == _PAIR
        if not self._are_numbers or self._is_column:
            return
        if is_column and k == 1:
            self._array = array.reshape(-1, 1)
        elif array.ndim != _PAIR or array.shape[1] != k:
            n_columns = int(array.shape[-1]) if array.ndim == _PAIR else 1
            if self.argument == "y_score" and n_columns == k * (k - 1) // 2:
                raise _of_pairs(name, metric)
            shape = counted(n_columns, "column")
            if array.ndim not in (1, _PAIR):
                shape = f"an array of shape {array.shape}"
            fact = f"{method} of {name} returned {shape}, and classes_ has "
            fact += f"{counted(k, 'class')}: {shown(classes)}"
            raise error("K314", found=fact, do=_A_COLUMN_EACH.format(method))

    def for_labels(
        self, labels: Sequence[Label] | None, positive: Label | None, *, is_of_one_class: bool
    ) -> dict[str, Any]:
        """Return them as arguments of karat: scores in the order of the labels, and the labels.

        Args:
            labels: the classes that were listed; None: those that the estimator learned.
            positive: the positive class of two, or None.
            is_of_one_class: whether the metric depends on which class is positive.

        Errors:
            K314 labels that leave out a class that was learned, or have one without a score.
        """
        classes, argument = self._classes, self.argument
        labels = classes if labels is None else labels
        _check_known(classes, labels, argument)
        if not self._are_numbers:
            # Rows that name their classes, or an error of what reads them.
            return {argument: self._values, "labels": labels}
        if not self._is_column:
            return {argument: _in_order(self._array, classes, labels), "labels": labels}
        # One column is the score of the second class learned; karat reads the positive one.
        column, usual = self._array.reshape(-1), usual_positive(labels)
        if positive is None and usual is not None:
            positive = labels[usual]
        if positive is None and not is_of_one_class:
            # What averages over the classes does not depend on which one is positive.
            return {argument: column, "labels": labels, "positive": classes[1]}
        if positive is not None and positive != classes[1]:
            column = column.astype(np.float64)
            column = 1.0 - column if argument == "y_prob" else -column
        return {argument: column, "labels": labels}


def _check_known(classes: Sequence[Label], labels: Sequence[Label], argument: str) -> None:
    """Refuse labels that leave out a class that was learned, or have one without a score."""
    unknown = [label for label in classes if label not in labels]
    unscored = [label for label in labels if label not in classes]
    if unknown or (unscored and argument == "y_score"):
        least = "with every class that the estimator learned"
        fact = f"The estimator learned {shown(classes)}, and labels= are {shown(labels)}"
        do = f"Give labels= {least}." if unknown else "Only predict_proba may lack a class."
        raise error("K314", found=fact, do=do)


def _in_order(
    array: npt.NDArray[Any], classes: Sequence[Label], labels: Sequence[Label]
) -> npt.NDArray[Any]:
    """Columns in the order of the labels; a class that was never learned has probability 0."""
    if tuple(classes) == tuple(labels):
        return array
    whole = np.zeros((len(array), len(labels)), array.dtype)
    for place, label in enumerate(labels):
        if label in classes:
            whole[:, place] = array[:, list(classes).index(label)]
    return whole
