"""LightGBM trained by karat's objectives."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.data.arguments import check_threads
from karat.errors import error
from karat.objectives.rows import Loss, Singles, check_loss, class_shares, host_steps

__all__ = ["LightGBMObjective"]

# LightGBM's smallest share of a class, a float.
_LEAST_SHARE = float(np.float32(1e-15))


@dataclass(frozen=True)
class LightGBMObjective:
    """A callable for LightGBM's ``objective``, in ``lightgbm.train`` and in ``LGBMClassifier``.

    The second derivative is LightGBM's own: K/(K − 1) · p (1 − p) · w for the softmax,
    sigmoid² · p (1 − p) · w for one-vs-all, without a floor.
    LightGBM starts its own objectives from the shares of the classes (``boost_from_average``),
    a callable from 0: give it `init_score`, and add that to what it predicts.

    Args:
        loss: ``"multiclass"`` or ``"multiclass_one_vs_all"`` (LightGBM's multiclassova).
        sigmoid: slope of the sigmoid of one-vs-all, LightGBM's parameter of that name.
        n_threads: None means ``KARAT_NUM_THREADS``, else all cores.

    Errors:
        K122 another loss, K154 a sigmoid that is not above 0.
        While training: K152, K153 and those of weights; K155 without ``num_class``.

    Example:
        >>> import numpy as np
        >>> labels, scores = np.array([0.0, 1.0]), np.array([[1.0, 1.0], [3.0, 3.0]])
        >>> gradient, hessian = LightGBMObjective()(labels, scores)
        >>> gradient.tolist(), hessian.tolist()
        ([[-0.5, 0.5], [0.5, -0.5]], [[0.5, 0.5], [0.5, 0.5]])
    """

    loss: Loss = "multiclass"
    sigmoid: float = 1.0
    n_threads: int | None = None

    def __post_init__(self) -> None:
        check_loss(self.loss)
        check_threads(self.n_threads)
        given: Any = self.sigmoid
        is_number = isinstance(given, Real) and not isinstance(given, bool)
        if not is_number or not 0 < given < float("inf"):
            meaning, wanted = "the slope of the sigmoid", "a finite number above 0"
            raise error(
                "K154", argument="sigmoid", value=self.sigmoid, meaning=meaning, wanted=wanted
            )

    def __call__(self, first: Any, second: Any, weight: Any = None) -> tuple[Singles, Singles]:
        """Gradient and second derivatives, float32[n, k] in column order.

        Called as (scores, Dataset) by ``lightgbm.train`` and as (labels, scores, weights) by
        ``LGBMClassifier``.
        """
        return host_steps(
            "LightGBM",
            first,
            second,
            weight,
            self.n_threads,
            is_one_vs_all=self.loss == "multiclass_one_vs_all",
            scale=lambda k: k / (k - 1) if self.loss == "multiclass" else 1.0,
            slope=self.sigmoid,
        )

    def init_score(self, y: Any, k: int, weights: Any = None) -> npt.NDArray[np.float64]:
        """The score that LightGBM starts each class from, float64[k].

        LightGBM wants one for each row: ``init_score=np.tile(start, (n, 1))``.

        Args:
            y: n class indices. k: number of classes. weights: n weights, or None.

        Example:
            >>> LightGBMObjective().init_score([0, 1, 1, 1], 2).round(3).tolist()
            [-1.386, -0.288]
        """
        shares = class_shares(y, k, weights)
        if self.loss == "multiclass":
            return np.log(np.maximum(shares, _LEAST_SHARE))
        shares = np.clip(shares, _LEAST_SHARE, 1 - _LEAST_SHARE)
        return np.asarray(np.log(shares / (1 - shares)) / self.sigmoid)
