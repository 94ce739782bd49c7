"""CatBoost trained by karat's objectives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat import _native
from karat.objectives.rows import Loss, check_loss, refuse_scores, wrong_label

__all__ = ["CatBoostObjective"]


@dataclass(frozen=True)
class CatBoostObjective:
    """An object for CatBoost's ``loss_function=``, row by row as CatBoost asks.

    CatBoost goes uphill: derivatives have the opposite sign of those of the loss, the Hessian is
    negative semidefinite. Weights are applied here, since CatBoost leaves them to the object.
    CatBoost starts at a score of 0.

    Args:
        loss: ``"multiclass"`` (CatBoost's MultiClass) or ``"multiclass_one_vs_all"``.

    Errors:
        K122 another loss. While training: K152, K153, which CatBoost shows in its own error.

    Example:
        >>> CatBoostObjective().calc_ders_multi([0.0, 0.0], 1.0, 2.0)
        ([-1.0, 1.0], [[-0.5, 0.5], [0.5, -0.5]])
    """

    loss: Loss = "multiclass"

    # CatBoost would compile the method with numba, and warn where it cannot.
    no_jit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_loss(self.loss)

    def calc_ders_multi(
        self, approxes: Any, target: float, weight: float | None
    ) -> tuple[list[float], list[list[float]]]:
        """First derivatives [k] and Hessian [k][k] of −loss for one row."""
        scores = np.asarray(approxes, np.float64)
        # Written so that NaN is refused too.
        if not 0 <= target < len(scores) or target != int(target):
            code, label = np.array([-1]), np.array([target])
            raise wrong_label(code, label, len(scores), ("approxes", "label", "weight"))
        is_one_vs_all = self.loss == "multiclass_one_vs_all"
        # A negative weight turns the signs.
        uphill = -1.0 if weight is None else -float(weight)
        try:
            _, first, second = _native.objective_row(scores, int(target), uphill, is_one_vs_all)
        except _native.Rejected:
            refuse_scores(scores[np.newaxis], "approxes")
        return first, second

    def parameters(self, k: int) -> dict[str, Any]:
        """What to give CatBoost besides your own choices, for k classes.

        CatBoost has other defaults for an object than for its own loss of the same name; these are
        the ones of its own. Only its learning rate it chooses from the data for its own loss: give
        it yourself.

        Example:
            >>> parameters = CatBoostObjective().parameters(3)
            >>> parameters["eval_metric"], parameters["classes_count"]
            ('MultiClass', 3)
        """
        is_one_vs_all = self.loss == "multiclass_one_vs_all"
        return {
            "loss_function": self,
            "eval_metric": "MultiClassOneVsAll" if is_one_vs_all else "MultiClass",
            "classes_count": k,
            "leaf_estimation_method": "Newton",
            "leaf_estimation_iterations": 1,
            "bootstrap_type": "Bayesian",
        }
