"""Labels, raw scores and weights of a call, read as CatBoost reads them and checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.labels.arrays import native_order
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.weights import as_weights, refuse_weights
from karat.errors import KaratError, error, short
from karat.objectives.rows import refuse_scores, wrong_label

Array = npt.NDArray[Any]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

_NAMES = ("approx", "label", "weight")


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows that can be measured.

    Attributes:
        scores: float64[n, k] raw scores, or float64[n] of class 1 of two.
        codes: int32[n], the class of each row.
        labels: float32[n], as CatBoost keeps them, of one column of scores: not always 0 or 1;
            None of several.
        weights: float64[n] rounded to float32, or None.
        n_threads: of native passes; 0: the default.
    """

    scores: Floats
    codes: Codes
    labels: npt.NDArray[np.float32] | None
    weights: Floats | None
    n_threads: int = 0

    @property
    def n_columns(self) -> int | None:
        """Number of columns of scores; None for a single one."""
        return None if self.scores.ndim == 1 else self.scores.shape[1]

    @property
    def k(self) -> int:
        """Number of classes."""
        return self.n_columns or 2

    @property
    def weighs_nothing(self) -> bool:
        """True if every weight is 0, for which CatBoost has conventions."""
        return self.weights is not None and not self.weights.any()


def as_rows(label: Any, approx: Any, weight: Any) -> Rows:
    """The arguments of `eval_metric` as arrays.

    Args:
        label: n class indices: numbers, booleans or texts of numbers; of one column of scores,
            any real numbers, of which those above 0.5 are class 1.
        approx: float[n, k] raw scores with a column for each class, or float[n], float[n, 1].
        weight: n numbers, or None.

    Errors:
        As `eval_metric`; K416 columns in partitions.
    """
    scores = read_scores(approx)
    given = _labels(label, 1 if scores.ndim == 1 else scores.shape[1] - 1)
    if len(given) != len(scores):
        raise error("K102", left="label", n_left=len(given), right="approx", n_right=len(scores))
    refuse_infinite(scores)
    labels = None
    if scores.ndim == 1:
        labels = _single(given, 1)
        codes = (labels > 0.5).astype(np.int32)
    else:
        codes = _classes(given, scores.shape[1])
    return Rows(scores, codes, labels, None if weight is None else read_weights(weight, len(given)))


def refuse_infinite(scores: Floats) -> None:
    """Refuse scores that are NaN or infinite: K152."""
    # What is not finite makes the sum so; the sum of finite numbers may overflow.
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(scores.sum()) or np.isfinite(scores).all()
    if not is_finite:
        refuse_scores(scores if scores.ndim == 2 else scores[:, None], "approx")


def read_scores(approx: Any) -> Floats:
    """float64[n, k] raw scores, or float64[n] of one column."""
    if type(approx) is np.ndarray and approx.ndim == 2 and approx.dtype == np.float64:
        is_usual = approx.shape[1] > 1 and len(approx) > 0 and approx.flags.aligned
        if is_usual:  # conversions are most of the time of a small call
            return approx
    rows = approx if isinstance(approx, list) else [approx]
    if any(isinstance(row, tuple) for row in rows):
        raise _no_scores("It holds tuples, which CatBoost takes for one tuple of each class")
    array = _array(approx, "approx", _no_scores, _numbers)
    if array.dtype.kind not in "iuf":
        raise _no_scores(f"Its dtype is {array.dtype}")
    if array.ndim not in (1, 2) or (array.ndim == 2 and not array.shape[1]):
        if not array.size:
            raise error("K101", argument="approx")
        raise _no_scores(f"It has shape {array.shape}")
    if not len(array):
        raise error("K101", argument="approx")
    with np.errstate(over="ignore"):
        scores = native_order(array).astype(np.float64, copy=False)
    return scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores


def _array(
    values: Any,
    argument: str,
    refused: Callable[[str], KaratError],
    numbers: Callable[[Array], Array] | None = None,
) -> Array:
    """An array of the values; what is missing is NaN, objects become `numbers`."""
    if isinstance(values, str | bytes | bytearray | dict | set | frozenset) or values is None:
        raise refused(f"It is a {type(values).__name__}")
    refuse_distributed(values, argument)
    try:
        if isinstance(values, np.ma.MaskedArray):
            return np.where(np.ma.getmaskarray(values), np.nan, values.astype(np.float64))
        array = np.asarray(values)
        return numbers(array) if numbers is not None and array.dtype.kind == "O" else array
    except (KaratError, MemoryError):
        raise
    except Exception as problem:  # the class of the container may raise anything
        found = f"A {type(values).__name__} does not become an array: {short(problem, 200)}"
        raise refused(found) from problem


def _numbers(array: Array) -> Array:
    """Objects of a frame of nullable columns, or whole numbers beyond int64, as float64."""
    found = np.empty(array.size)
    for place, item in enumerate(array.flat):
        if isinstance(item, int | float | np.integer | np.floating) and not isinstance(item, bool):
            found[place] = float(item)
        elif item is None or type(item).__name__ == "NAType":
            found[place] = np.nan
        else:
            raise _no_scores(f"It holds {short(item)} ({type(item).__name__})")
    return found.reshape(array.shape)


def _no_scores(found: str) -> KaratError:
    return error("K151", argument="approx", found=found)


def _labels(label: Any, last: int) -> Array:
    """Labels as an array of numbers or booleans, [n]."""
    if type(label) is np.ndarray and label.dtype.kind in "iu" and label.ndim == 1 and len(label):
        return label
    array = _array(label, "label", partial(_no_label, last=last))
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise error("K103", argument="label", shape=array.shape)
    if not len(array):
        raise error("K101", argument="label")
    if array.dtype.kind in "OUS":
        array = np.array([_label(row, item, last) for row, item in enumerate(array.tolist())])
    if array.dtype.kind not in "biuf":
        raise _no_label(f"Its dtype is {array.dtype}", last)
    return array


def label_matrix(label: Any) -> Floats:
    """float64[n, k]: a column for each label, rounded to float32 as CatBoost keeps it."""
    array = _array(label, "label", partial(_no_label, last=1))
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2 or not array.shape[1]:
        raise error("K103", argument="label", shape=array.shape)
    if not len(array):
        raise error("K101", argument="label")
    if array.dtype.kind in "OUS":
        numbers = [
            [_label(row, item, 1) for item in items] for row, items in enumerate(array.tolist())
        ]
        array = np.array(numbers)
    if array.dtype.kind not in "biuf":
        raise _no_label(f"Its dtype is {array.dtype}", 1)
    flat = _single(array.reshape(-1), 1).astype(np.float64)
    return flat.reshape(array.shape)


def _single(given: Array, last: int) -> npt.NDArray[np.float32]:
    """Labels as float32, which is what CatBoost keeps."""
    with np.errstate(over="ignore"):
        labels = given.astype(np.float32)
    is_number = np.isfinite(labels)
    if not is_number.all():
        raise wrong_label(np.where(is_number, 0, -1), given, last + 1, _NAMES)
    return labels


def _label(row: int, item: Any, last: int) -> float:
    if isinstance(item, complex) or (isinstance(item, str) and "_" in item):
        raise _no_label(f"Row {row} holds {short(item)}", last)
    try:
        return float(item)
    except Exception:  # a class of another library may raise anything
        raise _no_label(f"Row {row} holds {short(item)}, which is not a number", last) from None


def _classes(given: Array, k: int) -> Codes:
    """The class of each label.

    CatBoost cuts 1.7 to class 1 in most metrics and to no class in AUC:type=OneVsAll and PRAUC,
    and writes out of bounds for a class that has no column.
    """
    if given.dtype.kind != "f":
        if given.dtype.kind == "b" or (given.min() >= 0 and given.max() < k):
            return given.astype(np.int32)
        is_class = (given >= 0) & (given < k)
        raise wrong_label(np.where(is_class, 0, -1), given, k, _NAMES)
    labels = _single(given, k - 1)
    inside = (labels >= 0) & (labels < k)
    codes = np.where(inside, labels, -1).astype(np.int32)
    codes[codes != labels] = -1
    if codes.min() < 0:
        raise wrong_label(codes, given, k, _NAMES)
    return codes


def _no_label(found: str, last: int) -> KaratError:
    return error("K153", argument="label", last=last, found=found)


def read_weights(weight: Any, n: int) -> Floats:
    """float64[n], rounded to float32; K113 to K116, K125 what is no weight."""
    given = as_weights(weight, n, "weight", beside="label")
    if not np.isfinite(given).all() or (given < 0).any():
        refuse_weights(given, "weight")
    with np.errstate(over="ignore", under="ignore"):
        weights = given.astype(np.float32).astype(np.float64)
    if not np.isfinite(weights).all():
        row = int(np.isfinite(weights).argmin())
        found = f"Row {row} weighs {given[row]:.3g}, more than a float32, CatBoost's weight, holds"
        raise error("K125", argument="weight", found=found)
    return weights
