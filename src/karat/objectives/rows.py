"""Loss, gradient and Hessian of each row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.flags import check_flag
from karat.data.threads import check_threads
from karat.objectives.arguments import as_rows

__all__ = ["Derivatives", "multiclass", "multiclass_one_vs_all"]

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
    """Cross entropy of a softmax: −log p[t] with p = exp(z) / Σ exp(z).

    The gradient is p − [j = t]; the Hessian is diag(p) − p pᵀ, of which ``diagonal=True`` gives
    p (1 − p).
    Full precision is kept however far the scores are apart: 1 − p is never a difference.

    Args:
        z: float[n, k], k at least 2: any real scores, of any strides.
        t: n class indices 0 … k − 1, whole numbers of any kind.
        w: n weights of at least 0; without them every row weighs 1.
        diagonal: give the diagonal of each Hessian only.
        n_threads: None means ``KARAT_NUM_THREADS``, else all cores.

    Returns:
        loss float64[n], gradient float64[n, k], hessian float64[n, k, k] or float64[n, k]; each
        times w, none divided by Σw. The same bits for any number of threads.

    Errors:
        K151 scores of another shape or kind, K152 a score that is not finite,
        K153 a label that is no class; K101, K102, K103 shapes; K113, K114, K116 weights;
        K122 the number of threads.

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
    return _differentiate(z, t, w, diagonal, n_threads, is_one_vs_all=False)


def multiclass_one_vs_all(
    z: Any, t: Any, w: Any = None, *, diagonal: bool = False, n_threads: int | None = None
) -> Derivatives:
    """Two-class losses of one sigmoid for each class: the mean over the classes of log(1 + e^±z).

    Each class is told from the rest by p = σ(z), on its own.
    The gradient is p − [j = t] and the Hessian is diagonal, p (1 − p).
    **The loss is a mean over the k classes, the derivatives are those of the sum**: the mean makes
    values comparable, while trainers step along each score by itself. This is the convention of
    CatBoost's MultiClassOneVsAll, for the metric and for training.

    Args, Returns, Errors and Cost: as for `multiclass`.

    Example:
        >>> loss, gradient, hessian = multiclass_one_vs_all([[0.0, 0.0]], [1], diagonal=True)
        >>> loss.round(6).tolist(), gradient.tolist(), hessian.tolist()
        ([0.693147], [[0.5, -0.5]], [[0.25, 0.25]])
    """
    return _differentiate(z, t, w, diagonal, n_threads, is_one_vs_all=True)


def _differentiate(
    z: Any, t: Any, w: Any, diagonal: bool, n_threads: int | None, *, is_one_vs_all: bool
) -> Derivatives:
    check_threads(n_threads)
    check_flag("diagonal", diagonal, "True gives float64[n, k] instead of [n, k, k].")
    rows = as_rows(z, t, w)
    try:
        return Derivatives(
            *_native.objective_rows(
                rows.scores,
                rows.labels,
                rows.weights,
                is_one_vs_all,
                bool(diagonal),
                n_threads or 0,
            )
        )
    except _native.Rejected as problem:
        rows.refuse(problem)
