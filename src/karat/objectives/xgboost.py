"""XGBoost trained by karat's objectives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.arguments import check_threads
from karat.objectives.rows import Loss, Singles, check_loss, class_shares, host_steps

__all__ = ["XGBoostObjective"]

# XGBoost adds this to a share before a logarithm, and keeps shares this far from 0 and 1 before
# a logit.
_LEAST_SHARE = 1e-6
# XGBoost's smallest second derivative.
_FLOOR = 1e-16


@dataclass(frozen=True)
class XGBoostObjective:
    """A callable for XGBoost: ``obj=`` of ``xgboost.train``, ``objective=`` of ``XGBClassifier``.

    The second derivative is XGBoost's own: max(2 p (1 − p) w, 1e-16) for the softmax
    (multi:softprob), max(p (1 − p), 1e-16) w for one-vs-all (binary:logistic on one column of
    labels for each class), in float32 as there.
    XGBoost starts its own objectives from the shares of the classes, a callable from 0.5: give it
    `base_score`.

    Args:
        loss: ``"multiclass"`` or ``"multiclass_one_vs_all"``.
        n_threads: None means ``KARAT_NUM_THREADS``, else all cores.

    Errors:
        K122 another loss, or n_threads that is no number of threads.
        While training: K152, K153 and those of weights; K155 without ``num_class``.

    Example:
        >>> import numpy as np
        >>> labels, scores = np.array([0.0, 1.0]), np.array([[1.0, 1.0], [3.0, 3.0]])
        >>> gradient, hessian = XGBoostObjective()(labels, scores)
        >>> gradient.tolist(), hessian.tolist()
        ([[-0.5, 0.5], [0.5, -0.5]], [[0.5, 0.5], [0.5, 0.5]])
    """

    loss: Loss = "multiclass"
    n_threads: int | None = None

    def __post_init__(self) -> None:
        check_loss(self.loss)
        check_threads(self.n_threads)

    def __call__(
        self, first: Any, second: Any, sample_weight: Any = None
    ) -> tuple[Singles, Singles]:
        """Gradient and second derivatives, float32[n, k].

        Called as (scores, DMatrix) by ``xgboost.train`` and as (labels, scores, sample_weight) by
        ``XGBClassifier``.
        """
        is_one_vs_all = self.loss == "multiclass_one_vs_all"
        return host_steps(
            "XGBoost",
            first,
            second,
            sample_weight,
            self.n_threads,
            is_one_vs_all=is_one_vs_all,
            scale=lambda _: 1.0 if is_one_vs_all else 2.0,
            floor=_FLOOR,
            is_single=True,
        )

    def base_score(self, y: Any, k: int, weights: Any = None) -> list[float]:
        """XGBoost's parameter ``base_score``: the score that it starts each class from.

        For the softmax the logarithms of the shares less their mean, for one-vs-all the logits.

        Args:
            y: n class indices. k: number of classes. weights: n weights, or None.

        Example:
            >>> [round(score, 3) for score in XGBoostObjective().base_score([0, 1, 1, 1], 2)]
            [-0.549, 0.549]
        """
        # In float32 and in this order: the same bits as XGBoost's own, for unweighted rows.
        shares, least = class_shares(y, k, weights).astype(np.float32), np.float32(_LEAST_SHARE)
        if self.loss == "multiclass":
            logs = _logarithm(shares + least)
            scores = logs - np.add.accumulate(logs / np.float32(k))[-1]
        else:
            scores = -_logarithm(1 / np.clip(shares, least, 1 - least) - 1)
        return [float(score) for score in scores]


def _logarithm(values: npt.NDArray[Any]) -> Singles:
    # Rounded once, as in the C library; NumPy's own for float32 is off by more.
    return np.log(values.astype(np.float64)).astype(np.float32)
