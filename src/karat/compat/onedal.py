"""oneDAL's quality metrics of classifiers, under its names, rules and error ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.compat._counted import Counted, count
from karat.errors import KaratError, error, short
from karat.metrics._lift import Lift

__all__ = ["BinaryConfusionMatrix", "MulticlassConfusionMatrix", "Result"]

Column = npt.NDArray[Any]
Floats = npt.NDArray[np.floating[Any]]

_TEXTS: Final = {
    -34: "Incorrect parameter",
    -50: "Null numeric table is not supported",
    -51: "Number of columns in numeric table is incorrect",
    -52: "Number of rows in numeric table is incorrect",
    -53: "Incorrect type of Numeric Table",
    -3016: "Class labels provided to the algorithm are incorrect",
}


def _refused(error_id: int, found: str, do: str) -> KaratError:
    """The error that oneDAL has for it."""
    return error("K611", error_id=error_id, text=_TEXTS[error_id], found=found, do=do)


def _columns(predicted: Any, truth: Any, fptype: str) -> tuple[Column, Column]:
    """Real numbers of shape [n] or [n, 1], as oneDAL reads two dense tables.

    Numbers with a fraction are rounded to the type before anything else; whole numbers that are
    classes are exact in it.
    """
    pred = _column(predicted, "predictedLabels", fptype)
    true = _column(truth, "groundTruthLabels", fptype)
    if len(pred) != len(true):
        found = f"groundTruthLabels has {len(true)} rows, predictedLabels has {len(pred)}"
        raise _refused(-52, found, "Rows are matched by position; align the two before the call.")
    return pred, true


def _column(values: Any, argument: str, fptype: str) -> Column:
    if values is None:
        raise _refused(-50, f"{argument} was not given", "Give one number for each row.")
    array = _array_of(values, argument)
    if array.ndim != 1 and (array.ndim != 2 or array.shape[1] != 1):
        found = f"{argument} has shape {array.shape}"
        raise _refused(-51, found, "Give one column: shape (n,) or (n, 1).")
    if not len(array):
        raise _refused(-52, f"{argument} has 0 rows", "Give at least one row.")
    column = array.reshape(-1)
    if column.dtype.kind in "biu":
        return column
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return column.astype(_TYPES[fptype], copy=False)


def _array_of(values: Any, argument: str) -> Column:
    """The values as an array of booleans or real numbers, in this machine's byte order."""
    if hasattr(values, "tocsr") or hasattr(values, "to_scipy_sparse"):
        raise _no_numbers(f"{argument} is sparse ({type(values).__name__})")
    if isinstance(values, str | bytes | bytearray | dict | set | frozenset):
        raise _no_numbers(f"{argument} is a {type(values).__name__}")
    try:
        if isinstance(values, np.ma.MaskedArray):
            values = np.where(np.ma.getmaskarray(values), np.nan, values.astype(np.float64))
        array = np.asarray(values)
        if array.dtype.kind == "O":
            numbers = np.full(array.size, np.nan)
            for place, item in enumerate(array.flat):
                if isinstance(item, int | float | np.integer | np.floating | np.bool_):
                    numbers[place] = float(item)
                elif item is not None and type(item).__name__ not in ("NAType", "NaTType"):
                    raise _no_numbers(f"{argument} holds {short(item)} ({type(item).__name__})")
            array = numbers.reshape(array.shape)
    except KaratError:
        raise
    except Exception as problem:  # the class of the container may raise anything
        found = f"{argument}, a {type(values).__name__}, cannot be read: {short(problem, 200)}"
        raise _no_numbers(found) from problem
    if array.dtype.kind not in "biuf":
        raise _no_numbers(f"{argument} has the dtype {array.dtype}")
    if array.ndim == 0:
        raise _no_numbers(f"{argument} is a single {type(values).__name__}")
    return np.require(array, array.dtype.newbyteorder("="), "A")


def _no_numbers(found: str) -> KaratError:
    return _refused(-53, found, "Give a dense column of real numbers.")


def _classes(values: Column, argument: str, k: int) -> Column:
    """integer[n]: the class of each label, -3016 of a label that is none."""
    if values.dtype.kind == "f":
        # Written so that NaN is outside.
        outside = ~((values >= 0) & (values < k))
    elif values.dtype.kind == "b" or (values.min() >= 0 and values.max() < k):
        return values
    else:
        outside = (values < 0) | (values >= k)
    if outside.any():
        row, count = int(outside.argmax()), int(np.count_nonzero(outside))
        raise _refused(
            -3016,
            f"{argument} holds labels outside 0 … {k - 1}. First at row {row}: "
            f"{values[row].item()!r}; {count} of {len(values)} rows",
            "Number the classes from 0, and give n_classes; fill or remove missing labels.",
        )
    return values.astype(np.int32)


_TYPES: Final[dict[str, type[np.floating[Any]]]] = {"float": np.float32, "double": np.float64}
_CELL_BYTES, _MATRIX_BYTES_MAX = 8, 1 << 31
_AVERAGES: Final[tuple[Lift, ...]] = ("micro", "macro")
_EXACT: Final = 1 << 24
"""Counts up to this one are float32 exactly."""


@dataclass(frozen=True, eq=False)
class Result:
    """Result of `compute`: oneDAL's tables, and every value by its name.

    ``result.precision``, ``result["precision"]`` and ``result.metrics["precision"]`` are the same
    number; ``result["confusionMatrix"]`` and the id of the table of metrics work as well.

    Attributes:
        confusion_matrix: float[k, k] in the type asked for, rows true, columns predicted; float64
            where a count is above 2**24, which float32 would round.
        counts: int64[k, k], the same counts.
        metrics: oneDAL's name of each value → the value in the type asked for, in oneDAL's order;
            empty with ``use_default_metrics=False``.
    """

    confusion_matrix: Floats
    counts: npt.NDArray[np.int64]
    metrics: dict[str, Any]
    table_id: str

    @property
    def binary_metrics(self) -> Floats | None:
        """float[1, 6] of two classes; None without metrics, and of numbered classes."""
        return self._table("binaryMetrics")

    @property
    def multi_class_metrics(self) -> Floats | None:
        """float[1, 8] of numbered classes; None without metrics, and of two classes."""
        return self._table("multiClassMetrics")

    def _table(self, table_id: str) -> Floats | None:
        is_there = self.metrics and self.table_id == table_id
        return np.array([list(self.metrics.values())]) if is_there else None

    def __getitem__(self, name: str) -> Any:
        if name == "confusionMatrix":
            return self.confusion_matrix
        if name == self.table_id:
            return self._table(name)
        try:
            return self.metrics[name]
        except KeyError:
            raise KeyError(self._absent(name)) from None

    def __getattr__(self, name: str) -> Any:
        # Read from the dict: a copy that is being made has no fields yet.
        metrics = self.__dict__.get("metrics", {})
        if name not in metrics:
            raise AttributeError(self._absent(name) if metrics else name)
        return metrics[name]

    def _absent(self, name: str) -> str:
        return f"no value {name!r}; there are {', '.join(self.metrics) or 'none'}"


@dataclass(frozen=True)
class BinaryConfusionMatrix:
    """oneDAL's ``binary_confusion_matrix::Batch``: six values of two classes.

    A label above 0 is the positive class; everything else, also NaN, is the negative one.
    The positive class stands first: [[tp, fn], [fp, tn]].

    Args:
        beta: how many times recall weighs as much as precision, above 0.
        fptype: ``"float"`` or ``"double"``: the type of the result, to which labels are rounded
            first.
        use_default_metrics: False gives the matrix only.

    Errors:
        K122 another fptype. Everything else is refused by `compute`, as oneDAL does.

    Example:
        >>> result = BinaryConfusionMatrix(beta=2.0).compute([1, 0, 1], [1, 1, 0])
        >>> list(result.metrics)
        ['accuracy', 'precision', 'recall', 'fscore', 'specificity', 'AUC']
    """

    beta: float = 1.0
    fptype: str = "float"
    use_default_metrics: bool = True

    def __post_init__(self) -> None:
        _check_choice("fptype", self.fptype, tuple(_TYPES))

    def compute(self, predicted_labels: Any, ground_truth_labels: Any) -> Result:
        """The matrix and the metrics of two columns of labels; predictions come first.

        Args:
            predicted_labels, ground_truth_labels: real numbers, [n] or [n, 1].

        Returns:
            `Result` with `binary_metrics`; a ratio 0/0 is NaN.

        Errors:
            K611 with oneDAL's ``error_id``, in its order: beta (-34), then of each table: missing
            (-50), columns (-51), rows (-52), kind (-53).

        Cost: one pass over the labels, two when they are not whole numbers.
        """
        beta = _squared(self.beta, self.fptype)
        pred, true = _columns(predicted_labels, ground_truth_labels, self.fptype)
        # Code 0 is the positive class; a comparison with NaN is false.
        counted = count(~(true > 0), ~(pred > 0), 2, positive=0)
        values: dict[str, float] = {}
        if self.use_default_metrics:
            recall, specificity = counted.value("recall"), counted.value("specificity")
            (tp, fn), (fp, _) = counted.matrix.tolist()
            hits = (beta + 1.0) * tp
            values = {
                "accuracy": counted.value("accuracy"),
                "precision": counted.value("precision"),
                "recall": recall,
                # 0 where a precision of 0/0 meets a recall of 0.
                "fscore": _divided(hits, hits + beta * fn + fp),
                "specificity": specificity,
                "AUC": (recall + specificity) / 2.0,
            }
        return _result(counted, values, self.fptype, "binaryMetrics")


@dataclass(frozen=True)
class MulticlassConfusionMatrix:
    """oneDAL's ``multiclass_confusion_matrix::Batch``: eight values of the classes 0 … n − 1.

    A label is checked as a number, 0 <= label < n_classes, and then cut to a whole one: 2.9 is
    class 2. Every class counts, also one that never occurs.

    Args:
        n_classes: number of classes, at least 2.
        beta: how many times recall weighs as much as precision, above 0.
        fptype: ``"float"`` or ``"double"``: the type of the result, to which labels are rounded
            first.
        method: ``"defaultDense"``, the only one.
        use_default_metrics: False gives the matrix only.

    Errors:
        K122 another fptype or method. Everything else is refused by `compute`, as oneDAL does.

    Example:
        >>> result = MulticlassConfusionMatrix(3).compute([0, 1, 2, 1], [0, 1, 2, 2])
        >>> round(float(result["averageAccuracy"]), 4)
        0.8333
    """

    n_classes: int = 2
    beta: float = 1.0
    fptype: str = "float"
    method: str = "defaultDense"
    use_default_metrics: bool = True

    def __post_init__(self) -> None:
        _check_choice("fptype", self.fptype, tuple(_TYPES))
        _check_choice("method", self.method, ("defaultDense",))

    def compute(self, predicted_labels: Any, ground_truth_labels: Any) -> Result:
        """The matrix and the metrics of two columns of labels; predictions come first.

        Args:
            predicted_labels, ground_truth_labels: real numbers, [n] or [n, 1].

        Returns:
            `Result` with `multi_class_metrics`; a ratio 0/0 is NaN, and so is what is made of it.

        Errors:
            K611 with oneDAL's ``error_id``, in its order: beta, n_classes (-34), then of each
            table: missing (-50), columns (-51), rows (-52), kind (-53), then labels that are no
            class (-3016).

        Cost: one pass over the labels and one over the matrix, O(n + n_classes²).
        """
        beta = _squared(self.beta, self.fptype)
        k: Any = self.n_classes
        is_whole = isinstance(k, int | np.integer) and not isinstance(k, bool | np.timedelta64)
        if not is_whole or k < 2:
            found = f"n_classes={short(k)} is not a whole number of at least 2"
            raise _refused(-34, found, "Labels are the classes 0 … n_classes − 1.")
        n_bytes = int(k) ** 2 * _CELL_BYTES
        if n_bytes > _MATRIX_BYTES_MAX:
            found = f"The matrix of n_classes={short(k)} would take {short(n_bytes)} bytes"
            raise _refused(-34, found, "karat.evaluate keeps only the cells that occur.")
        k = int(k)
        pred, true = _columns(predicted_labels, ground_truth_labels, self.fptype)
        # oneDAL reads row by row; which of two bad labels it meets first makes no difference.
        codes = _classes(true, "groundTruthLabels", k), _classes(pred, "predictedLabels", k)
        counted = count(*codes, k)
        values: dict[str, float] = {}
        if self.use_default_metrics:
            values["averageAccuracy"] = counted.value("average_accuracy")
            values["errorRate"] = counted.value("average_error_rate")
            for lift in _AVERAGES:
                precision, recall = (counted.value(name, lift) for name in ("precision", "recall"))
                values[f"{lift}Precision"], values[f"{lift}Recall"] = precision, recall
                # NaN where both are 0, or one is NaN.
                above = (beta + 1.0) * precision * recall
                values[f"{lift}Fscore"] = _divided(above, beta * precision + recall)
        return _result(counted, values, self.fptype, "multiClassMetrics")


def _divided(above: float, below: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(above) / np.float64(below))


def _check_choice(argument: str, given: Any, choices: tuple[str, ...]) -> None:
    if not isinstance(given, str) or given not in choices:
        shown = ", ".join(map(repr, choices))
        do = "Types and methods are those of oneDAL's template parameters."
        raise error("K122", argument=argument, value=given, choices=shown, do=do)


def _squared(beta: Any, fptype: str) -> float:
    """beta² as oneDAL uses it: rounded to the type of the result, then squared."""
    is_number = isinstance(beta, int | float | np.integer | np.floating)
    if not is_number or isinstance(beta, bool) or not beta > 0:
        found = f"beta={short(beta)} is not a number above 0"
        raise _refused(-34, found, "Give how many times recall weighs as much as precision.")
    with np.errstate(over="ignore", under="ignore"):
        try:
            rounded = _TYPES[fptype](beta)
        except OverflowError:  # a whole number that no float64 holds
            rounded = _TYPES[fptype](np.inf)
        return float(rounded * rounded)


def _result(counted: Counted, values: dict[str, float], fptype: str, table_id: str) -> Result:
    kind = _TYPES[fptype]
    counts = counted.matrix
    matrix = counts.astype(kind if counts.max() <= _EXACT else np.float64)
    return Result(matrix, counts, {name: kind(x) for name, x in values.items()}, table_id)
