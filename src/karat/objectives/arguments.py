"""Scores, class indices and weights of a call → arrays that the kernels read; and their errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.containers import detached, host_of
from karat.data.labels.ndarrays import native_order
from karat.data.sources.distributed.frames import refuse_spread
from karat.data.weights import Weights, as_weights, refuse_weights
from karat.errors import KaratError, error

__all__ = ["Loss", "Rows", "as_rows", "check_loss", "class_shares", "refuse_scores", "wrong_label"]

Array = npt.NDArray[Any]
Loss = Literal["multiclass", "multiclass_one_vs_all"]

_LOSSES = ("multiclass", "multiclass_one_vs_all")


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows as the kernels read them, and what their arguments are called in messages."""

    scores: npt.NDArray[np.float32] | npt.NDArray[np.float64]
    labels: npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]
    weights: Weights | None
    names: tuple[str, str, str]

    def refuse(self, problem: _native.Rejected) -> NoReturn:
        """Raise the error of the first bad row that a kernel found.

        Errors:
            K152 a score, K153 a label; K113, K114 a weight.
        """
        kind = problem.args[0]
        if kind == "bad_score":
            refuse_scores(self.scores, self.names[0])
        if kind == "range":
            raise wrong_label(self.labels, self.labels, self.scores.shape[1], self.names)
        assert self.weights is not None
        refuse_weights(self.weights, self.names[2])
        raise problem


def as_rows(
    scores: Any, labels: Any, weights: Any, names: tuple[str, str, str] = ("z", "t", "w")
) -> Rows:
    """The arguments of an objective as arrays; their values are checked where they are read.

    Args:
        scores: float[n, k], k at least 2, of any strides; integers and float16 are converted.
        labels: n whole numbers, of any integer or floating kind.
        weights: n numbers, or None.
        names: what the three are called in messages.

    Errors:
        K101 no rows; K102 another number of rows; K103 labels of another shape;
        K116 weights of another shape or kind; K151 scores of another shape or kind;
        K153 labels that are not whole numbers; K416 columns in partitions.

    Cost: no copy of float32 and float64 scores, of integer labels or of contiguous float64 weights.
    """
    values = _as_scores(scores, names[0])
    n, k = values.shape
    codes = _as_labels(labels, n, k, names)
    if weights is not None:
        weights = np.ascontiguousarray(as_weights(weights, n, names[2], beside=names[0]))
    return Rows(values, codes, weights, names)


def check_loss(loss: Any) -> None:
    """Refuse a loss that does not exist.

    Errors:
        K122 it is neither of the two.
    """
    if not isinstance(loss, str) or loss not in _LOSSES:
        do = "multiclass is the softmax, multiclass_one_vs_all one sigmoid for each class."
        choices = ", ".join(map(repr, _LOSSES))
        raise error("K122", argument="loss", value=loss, choices=choices, do=do)


def class_shares(y: Any, k: int, weights: Any) -> npt.NDArray[np.float64]:
    """Share of the weight in each class, float64[k]; hosts start from it.

    Weights are rounded to float32 first, as hosts do.

    Errors:
        K101, K102, K103, K113, K114, K116 and K153 as for an objective; K115 all weights zero;
        K154 k is not a whole number of at least 2.
    """
    if k < 2 or k != int(k):
        meaning, wanted = "the number of classes", "a whole number of at least 2"
        raise error("K154", argument="k", value=k, meaning=meaning, wanted=wanted)
    names = ("y", "y", "weights")
    labels = _as_labels(y, None, k, names)
    if not len(labels):
        raise error("K101", argument="y")
    # bincount takes int64 alone.
    codes = np.where(labels < k, labels, k).astype(np.int64)
    if ((codes < 0) | (codes >= k)).any():
        raise wrong_label(codes, labels, k, names)
    if weights is not None:
        weights = as_weights(weights, len(codes), beside="y").astype(np.float32)
        weights = weights.astype(np.float64)
        if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
            refuse_weights(weights)
    sums = np.bincount(codes, weights, minlength=k)
    return np.asarray(sums / sums.sum(), np.float64)


def refuse_scores(scores: Array, name: str) -> NoReturn:
    """Raise the error K152 of the first score that is not finite; there is one."""
    bad = ~np.isfinite(scores)
    row, column = np.unravel_index(int(bad.argmax()), bad.shape)
    raise error(
        "K152",
        argument=name,
        row=int(row),
        column=int(column),
        value=float(scores[row, column]),
        count=int(np.count_nonzero(bad)),
        n=bad.size,
    )


def wrong_label(codes: Array, labels: Array, k: int, names: tuple[str, str, str]) -> KaratError:
    """The error K153 of the first code outside 0 … k − 1; there is one. It shows the label."""
    bad = (codes < 0) | (codes >= k)
    row = int(bad.argmax())
    count = int(np.count_nonzero(bad))
    found = f"First at row {row}: {labels[row].item()!r}; {count} of {len(codes)} rows"
    return _no_labels(found, k, names)


def _as_scores(scores: Any, name: str) -> npt.NDArray[np.float32] | npt.NDArray[np.float64]:
    refuse_spread(scores, name)
    try:
        masked = isinstance(scores, np.ma.MaskedArray)
        values = scores.astype(np.float64).filled(np.nan) if masked else _array(scores)
    except (TypeError, ValueError, RuntimeError) as problem:
        found = f"A {type(scores).__name__} does not become an array: {problem}"
        raise error("K151", argument=name, found=found) from problem
    if values.dtype.kind not in "iuf":
        raise error("K151", argument=name, found=f"Its dtype is {values.dtype}")
    if values.ndim != 2 or values.shape[1] < 2:
        raise error("K151", argument=name, found=f"It has shape {values.shape}")
    if not len(values):
        raise error("K101", argument=name)
    if values.dtype.kind != "f" or values.dtype.itemsize not in (4, 8):
        with np.errstate(over="ignore"):
            values = values.astype(np.float64)
    return native_order(values)


def _array(values: Any) -> Array:
    # Scores of a model that is being trained carry their history, which NumPy refuses.
    is_tensor = type(values) is not np.ndarray and host_of(values) == "torch"
    return np.asarray(detached(values) if is_tensor else values)


def _as_labels(
    labels: Any, n: int | None, k: int, names: tuple[str, str, str]
) -> npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]:
    refuse_spread(labels, names[1])
    try:
        array = _array(labels)
    except (TypeError, ValueError, RuntimeError) as problem:
        found = f"A {type(labels).__name__} does not become an array: {problem}"
        raise _no_labels(found, k, names) from problem
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise error("K103", argument=names[1], shape=array.shape)
    if n is not None and len(array) != n:
        raise error("K102", left=names[0], n_left=n, right=names[1], n_right=len(array))
    if array.dtype.kind == "f":
        with np.errstate(invalid="ignore", over="ignore"):
            codes = array.astype(np.int64)
        if not (codes == array).all():
            raise wrong_label(np.where(codes == array, codes, -1), array, k, names)
        return codes
    if array.dtype.kind not in "biu":
        raise _no_labels(f"Its dtype is {array.dtype}", k, names)
    return native_order(array)


def _no_labels(found: str, k: int, names: tuple[str, str, str]) -> KaratError:
    return error("K153", argument=names[1], last=k - 1, found=found)
