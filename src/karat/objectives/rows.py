"""Loss, gradient and Hessian of each row, from arguments in the form that the kernels read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arguments import check_flag, check_threads
from karat.data.labels.arrays import native_order
from karat.data.labels.containers import detached, host_of, is_sparse
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.weights import Weights, as_weights, refuse_weights
from karat.errors import KaratError, error

Singles = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class HostRules:
    """How a host computes a loss.

    Attributes:
        scale: the factor of the second derivative for k classes; ``floor`` is its smallest value.
        slope: slope of the sigmoid.
        is_single: whether the host computes in float32 in row order, or else in float64 in column
            order.
    """

    loss: Loss
    scale: Callable[[int], float]
    floor: float = 0.0
    slope: float = 1.0
    is_single: bool = False


def host_steps(
    host: str,
    first: Any,
    second: Any,
    weights: Any,
    n_threads: int | None,
    rules: HostRules,
    targets: Any = None,
) -> tuple[Singles, Singles]:
    """Return gradient and second derivatives float32[n, k] of a host's rows.

    Args:
        first, second: the scores and the host's data set, or the labels and the scores.
        targets: replace the labels of a host that has one label for each row.
    """
    scores, labels = second, first
    if hasattr(second, "get_label"):
        scores, labels, weights = first, second.get_label(), second.get_weight()
    if host == "XGBoost" and weights is not None and not len(weights):
        weights = None  # a host's representation of none
    labels = labels if targets is None else targets
    values = np.asarray(scores)
    if values.ndim != 2 or values.shape[1] < 2:
        do = "Set num_class to the number of classes, also when there are two."
        if rules.loss == "multilabel" and targets is None:
            do = "Give labels of shape (n, k), one column for each of k >= 2 labels."
        raise error("K155", host=host, shape=values.shape, do=do)
    if rules.is_single:
        with np.errstate(over="ignore"):
            values = values.astype(np.float32, copy=False)
    names = "The scores", "label" if targets is None else "targets", "weight"
    rows = as_rows(values, labels, weights, names, rules.loss)
    factor = rules.scale(rows.scores.shape[1])
    given = rows.scores, rows.labels, rows.weights
    kind = rules.loss != "multiclass", rules.is_single, not rules.is_single
    try:
        return _native.objective_steps(
            *given, *kind, rules.slope, factor, rules.floor, n_threads or 0
        )
    except _native.Rejected as problem:
        rows.refuse(problem)


Array = npt.NDArray[Any]
Targets = npt.NDArray[np.float32] | npt.NDArray[np.float64]
Loss = Literal["multiclass", "multiclass_one_vs_all", "multilabel"]

_LOSSES = {
    "multiclass": "the softmax",
    "multiclass_one_vs_all": "one sigmoid for each class",
    "multilabel": "one sigmoid for each label of rows that may have several",
}


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows in the form that the kernels read, with the names of their arguments for messages.

    The labels are classes [n], or targets [n, k].
    """

    scores: npt.NDArray[np.float32] | npt.NDArray[np.float64]
    labels: npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_] | Targets
    weights: Weights | None
    names: tuple[str, str, str]

    def refuse(self, problem: _native.Rejected) -> NoReturn:
        """Raise the error of the first invalid row that a kernel found."""
        kind = problem.args[0]
        if kind == "bad_score":
            refuse_scores(self.scores, self.names[0])
        if kind == "range" and self.labels.ndim == 2:
            refuse_targets(self.labels, self.names[1])
        if kind == "range":
            raise wrong_label(self.labels, self.labels, self.scores.shape[1], self.names)
        assert self.weights is not None
        refuse_weights(self.weights, self.names[2])
        raise problem


def as_rows(
    scores: Any, labels: Any, weights: Any, names: tuple[str, str, str], loss: Loss
) -> Rows:
    """Return the arguments of an objective as arrays; their values are checked where they are read.

    Cost: no copy of float32 and float64 scores and targets, of integer labels or of contiguous
    float64 weights.
    """
    values = _as_scores(scores, names[0])
    n, k = values.shape
    codes: Any = (as_targets if loss == "multilabel" else _as_labels)(labels, n, k, names)
    if weights is not None:
        weights = np.ascontiguousarray(as_weights(weights, n, names[2], beside=names[0]))
    return Rows(values, codes, weights, names)


def check_loss(loss: Any) -> None:
    """Raise an error for an unknown loss."""
    if not isinstance(loss, str) or loss not in _LOSSES:
        do = f"{', '.join(f'{name} is {meaning}' for name, meaning in _LOSSES.items())}."
        choices = ", ".join(map(repr, _LOSSES))
        raise error("K122", argument="loss", value=loss, choices=choices, do=do)


def class_shares(y: Any, k: int, weights: Any, loss: Loss) -> npt.NDArray[np.float64]:
    """Proportion of the weight in each class, or with each label, float64[k]; hosts start from it.

    Weights and targets are rounded to float32 first, as in the hosts.
    """
    if k < 2 or k != int(k):
        meaning, wanted = "the number of classes", "a whole number of at least 2"
        raise error("K154", argument="k", value=k, meaning=meaning, wanted=wanted)
    names = ("y", "y", "weights")
    codes: Any = (as_targets if loss == "multilabel" else _as_codes)(y, None, k, names)
    if not len(codes):
        raise error("K101", argument="y")
    if loss == "multilabel" and not _are_targets(codes).all():
        refuse_targets(codes, "y")
    if weights is not None:
        weights = as_weights(weights, len(codes), beside="y").astype(np.float32)
        weights = weights.astype(np.float64)
        if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
            refuse_weights(weights)
    if loss == "multilabel":
        truth = codes.astype(np.float32).astype(np.float64)
        return np.asarray(np.average(truth, axis=0, weights=weights), np.float64)
    sums = np.bincount(codes, weights, minlength=k)
    return np.asarray(sums / sums.sum(), np.float64)


def _as_codes(y: Any, n: int | None, k: int, names: tuple[str, str, str]) -> npt.NDArray[np.int64]:
    """Return labels that are classes 0 … k − 1, as int64, which bincount requires."""
    labels = _as_labels(y, n, k, names)
    codes = np.where(labels < k, labels, k).astype(np.int64)
    if ((codes < 0) | (codes >= k)).any():
        raise wrong_label(codes, labels, k, names)
    return codes


def refuse_scores(scores: Array, name: str) -> NoReturn:
    """Raise the error K152 of the first non-finite score, which must exist."""
    _refuse_cells("K152", scores, ~np.isfinite(scores), name)


def refuse_targets(targets: Array, name: str) -> NoReturn:
    """Raise the error K230 of the first target outside [0, 1], which must exist."""
    _refuse_cells("K230", targets, ~_are_targets(targets), name)


def _are_targets(targets: Array) -> npt.NDArray[np.bool_]:
    return (targets >= 0) & (targets <= 1)


def _refuse_cells(code: str, cells: Array, bad: npt.NDArray[np.bool_], name: str) -> NoReturn:
    row, column = np.unravel_index(int(bad.argmax()), bad.shape)
    raise error(
        code,
        argument=name,
        row=int(row),
        column=int(column),
        value=float(cells[row, column]),
        count=int(np.count_nonzero(bad)),
        n=bad.size,
    )


def wrong_label(codes: Array, labels: Array, k: int, names: tuple[str, str, str]) -> KaratError:
    """Return the error K153 of the first code outside 0 … k − 1, which must exist."""
    bad = (codes < 0) | (codes >= k)
    row = int(bad.argmax())
    count = int(np.count_nonzero(bad))
    found = f"First at row {row}: {labels[row].item()!r}; {count} of {len(codes)} rows"
    return _no_labels(found, k, names)


def _as_scores(scores: Any, name: str) -> npt.NDArray[np.float32] | npt.NDArray[np.float64]:
    def refused(found: str) -> KaratError:
        return error("K151", argument=name, found=found)

    values = _array(scores, name, refused, is_filled=True)
    if values.dtype.kind not in "iuf":
        raise refused(f"Its dtype is {values.dtype}")
    if values.ndim != 2 or values.shape[1] < 2:
        raise refused(f"It has shape {values.shape}")
    if not len(values):
        raise error("K101", argument=name)
    if values.dtype.kind != "f" or values.dtype.itemsize not in (4, 8):
        with np.errstate(over="ignore"):
            values = values.astype(np.float64)
    return native_order(values)


def held_targets(targets: Any) -> Singles:
    """Return targets [n, k] as hosts store labels; their values are checked here."""
    names = "The scores", "targets", "weight"
    held = as_targets(targets, None, None, names).astype(np.float32, copy=False)
    if not _are_targets(held).all():
        refuse_targets(held, names[1])
    return held


def as_targets(targets: Any, n: int | None, k: int | None, names: tuple[str, str, str]) -> Targets:
    """Return targets [n, k] as floats; integers and booleans as float32, exact for 0 and 1."""

    def refused(found: str) -> KaratError:
        return error("K226", argument=names[1], k="k" if k is None else k, found=found)

    dense = targets.toarray() if is_sparse(targets) else targets
    values = _array(dense, names[1], refused, is_filled=True)
    if values.dtype.kind not in "biuf":
        raise refused(f"Its dtype is {values.dtype}")
    if values.ndim != 2 or values.shape[1] < 2 or values.shape[1] != (k or values.shape[1]):
        raise refused(f"It has shape {values.shape}")
    if n is not None and len(values) != n:
        raise error("K102", left=names[0], n_left=n, right=names[1], n_right=len(values))
    if values.dtype.kind != "f" or values.dtype.itemsize not in (4, 8):
        values = values.astype(np.float64 if values.dtype.itemsize > 8 else np.float32)
    return native_order(values)


def _array(
    values: Any, name: str, refused: Callable[[str], KaratError], *, is_filled: bool = False
) -> Array:
    refuse_distributed(values, name)
    try:
        is_masked = is_filled and isinstance(values, np.ma.MaskedArray)
        if is_masked:
            values = values.astype(np.float64).filled(np.nan)
        # Scores of a model in training carry a gradient, which NumPy rejects.
        is_tensor = type(values) is not np.ndarray and host_of(values) == "torch"
        return np.asarray(detached(values) if is_tensor else values)
    except (TypeError, ValueError, RuntimeError) as problem:
        found = f"A {type(values).__name__} does not become an array: {problem}"
        raise refused(found) from problem


def _as_labels(
    labels: Any, n: int | None, k: int, names: tuple[str, str, str]
) -> npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]:
    array = _array(labels, names[1], lambda found: _no_labels(found, k, names))
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


Floats = npt.NDArray[np.float64]


class Derivatives(NamedTuple):
    """Loss of each row and its derivatives with respect to the scores, times the weights.

    Attributes:
        loss: float64[n].
        gradient: float64[n, k]; a step against it lowers the loss.
        hessian: float64[n, k, k], or its diagonal float64[n, k].
    """

    loss: Floats
    gradient: Floats
    hessian: Floats


def multiclass(
    z: Any, t: Any, w: Any = None, *, diagonal: bool = False, n_threads: int | None = None
) -> Derivatives:
    """Softmax cross entropy: −log p[t] with p = exp(z) / Σ exp(z).

    The gradient is p − [j = t]; the Hessian is diag(p) − p pᵀ, whose diagonal is p (1 − p). Full
    precision is kept for any scores: 1 − p is not computed as a difference.

    Args:
        z: float[n, k], k at least 2: real scores, with any strides.
        t: n class indices 0 … k − 1, whole numbers of any type.
        w: n weights of at least 0; default: 1 for every row.
        diagonal: return only the diagonal of each Hessian.
        n_threads: None means ``KARAT_NUM_THREADS``, else all cores.

    Returns:
        loss float64[n], gradient float64[n, k], hessian float64[n, k, k] or float64[n, k]; each
        times w, and not divided by Σw. The result is bitwise equal for any number of threads.

    Errors:
        K151 scores of another shape or kind, K152 a score that is not finite, K153 a label that is
        not a class; K101, K102, K103 shapes; K113, K114, K116 weights; K122 the number of threads.

    Cost: one read of z; O(n k²) memory for the Hessians, O(n k) with ``diagonal=True``.

    Example:
        >>> loss, gradient, hessian = multiclass([[0.0, 0.0], [2000.0, 1000.0]], [1, 1])
        >>> loss.round(3).tolist()
        [0.693, 1000.0]
        >>> gradient.tolist()
        [[0.5, -0.5], [1.0, -1.0]]
        >>> hessian[0].tolist()
        [[0.25, -0.25], [-0.25, 0.25]]
    """
    return _differentiate(z, t, w, diagonal, n_threads, "multiclass")


def multiclass_one_vs_all(
    z: Any, t: Any, w: Any = None, *, diagonal: bool = False, n_threads: int | None = None
) -> Derivatives:
    """Binary losses of one sigmoid for each class: the mean over the classes of log(1 + e^±z).

    Each class has its own probability against the rest, p = σ(z). The gradient is p − [j = t] and
    the Hessian is diagonal, p (1 − p). **The loss is a mean over the k classes, the derivatives are
    those of the sum**: the mean makes values comparable, while trainers use the derivatives with
    respect to each score. This is the convention of CatBoost's MultiClassOneVsAll, for the metric
    and for training.

    Args, Returns, Errors and Cost: as for `multiclass`.

    Example:
        >>> loss, gradient, hessian = multiclass_one_vs_all([[0.0, 0.0]], [1], diagonal=True)
        >>> loss.round(6).tolist(), gradient.tolist(), hessian.tolist()
        ([0.693147], [[0.5, -0.5]], [[0.25, 0.25]])
    """
    return _differentiate(z, t, w, diagonal, n_threads, "multiclass_one_vs_all")


def multilabel(
    z: Any, y: Any, w: Any = None, *, diagonal: bool = False, n_threads: int | None = None
) -> Derivatives:
    """Binary cross entropy, averaged over the labels of a row, which may have any number of them.

    Each label has its own p = σ(z), and the loss −y log p − (1 − y) log(1 − p). The gradient is p −
    y and the Hessian is diagonal, p (1 − p). **The loss is a mean over the k labels, the
    derivatives are those of the sum**, as for `multiclass_one_vs_all`. This is the convention of
    CatBoost's MultiLogloss and MultiCrossEntropy, for the metric and for training. Full precision
    is kept for any scores: 1 − p is not computed as a difference.

    Args:
        z: float[n, k], k at least 2: real scores, with any strides.
        y: [n, k], an indicator matrix of 0 and 1, or probabilities from 0 to 1 (soft targets);
            SciPy sparse matrices are accepted, too.
        w: n weights of at least 0; default: 1 for every row.
        diagonal: return only the diagonal of each Hessian.
        n_threads: None means ``KARAT_NUM_THREADS``, else all cores.

    Returns:
        loss float64[n], gradient float64[n, k], hessian float64[n, k, k] or float64[n, k]; each
        times w, and not divided by Σw. The result is bitwise equal for any number of threads.

    Errors:
        K226 targets of another shape or kind, K230 a target outside [0, 1] or NaN; otherwise as for
        `multiclass`.

    Cost: one read of z and y; O(n k²) memory for the Hessians, O(n k) with ``diagonal=True``.

    Example:
        >>> z = [[0.0, 0.0, 1000.0], [0.0, 0.0, 0.0]]
        >>> loss, gradient, hessian = multilabel(z, [[1, 0, 0], [0.75, 0.5, 0.0]], diagonal=True)
        >>> loss.round(3).tolist()
        [333.795, 0.693]
        >>> gradient.tolist()
        [[-0.5, 0.5, 1.0], [-0.25, 0.0, 0.5]]
        >>> hessian.tolist()
        [[0.25, 0.25, 0.0], [0.25, 0.25, 0.25]]
    """
    return _differentiate(z, y, w, diagonal, n_threads, "multilabel")


def _differentiate(
    z: Any, t: Any, w: Any, diagonal: bool, n_threads: int | None, loss: Loss
) -> Derivatives:
    check_threads(n_threads)
    check_flag("diagonal", diagonal, "True gives float64[n, k] instead of [n, k, k].")
    rows = as_rows(z, t, w, ("z", "y" if loss == "multilabel" else "t", "w"), loss)
    given = rows.scores, rows.labels, rows.weights
    kind = loss != "multiclass", bool(diagonal)
    try:
        made = _native.objective_rows(*given, *kind, n_threads or 0)
    except _native.Rejected as problem:
        rows.refuse(problem)
    return Derivatives(*made)
