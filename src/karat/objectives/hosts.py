"""Objectives for training with CatBoost, LightGBM and XGBoost."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from functools import cache
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.arguments import check_threads
from karat.errors import error
from karat.objectives.rows import (
    HostRules,
    Loss,
    Singles,
    as_targets,
    check_loss,
    class_shares,
    held_targets,
    host_steps,
    refuse_scores,
    refuse_targets,
    wrong_label,
)

# LightGBM's smallest class proportion, a float.
_LIGHTGBM_SHARE = float(np.float32(1e-15))
# XGBoost adds this to a proportion before a logarithm, and clips proportions this far from 0 and
# 1 before a logit.
_XGBOOST_SHARE = 1e-6
# XGBoost's smallest second derivative.
_XGBOOST_FLOOR = 1e-16


@dataclass(frozen=True)
class CatBoostObjective:
    """Object for CatBoost's ``loss_function=``, computed row by row as CatBoost requires.

    CatBoost maximizes: derivatives have the opposite sign of those of the loss, and the Hessian is
    negative semidefinite. Weights are applied here, since CatBoost leaves them to the object.
    CatBoost starts at a score of 0.

    Args:
        loss: ``"multiclass"`` (CatBoost's MultiClass), ``"multiclass_one_vs_all"`` or
            ``"multilabel"`` (MultiLogloss, and MultiCrossEntropy), whose targets are a matrix [n,
            k]. The latter is a `catboost.MultiTargetCustomObjective`, which CatBoost requires, if
            it is made after ``import catboost`` or returned by `parameters`.

    Errors:
        K122 an unknown loss. While training: K152, K153, K226, K230, which CatBoost shows in its
        own error.

    Example:
        >>> CatBoostObjective().calc_ders_multi([0.0, 0.0], 1.0, 2.0)
        ([-1.0, 1.0], [[-0.5, 0.5], [0.5, -0.5]])
        >>> CatBoostObjective("multilabel").calc_ders_multi([0.0, 0.0], [1.0, 0.25], 2.0)
        ([1.0, -0.5], [[-0.5, 0.0], [0.0, -0.5]])
    """

    loss: Loss = "multiclass"

    # CatBoost would compile the method with numba, and warn where it cannot.
    no_jit: ClassVar[bool] = True

    def __new__(cls, loss: Loss = "multiclass", *_: Any, **__: Any) -> Self:
        kind = _for_several_targets(cls) if loss == "multilabel" else cls
        made: Self = object.__new__(kind)
        return made

    def __post_init__(self) -> None:
        check_loss(self.loss)

    def calc_ders_multi(
        self, approxes: Any, target: Any, weight: float | None
    ) -> tuple[list[float], list[list[float]]]:
        """First derivatives [k] and Hessian [k][k] of −loss for one row.

        The target is a class, or k targets with ``"multilabel"``.
        """
        scores = np.asarray(approxes, np.float64)
        truth: Any
        names = "approxes", "label", "weight"
        if self.loss == "multilabel":
            truth = target
            # Otherwise it is not an array from CatBoost, and is checked.
            if getattr(target, "shape", None) != scores.shape or target.dtype != np.float32:
                truth = as_targets(np.asarray(target)[np.newaxis], 1, len(scores), names)[0]
        # Written so that NaN is refused too.
        elif not 0 <= target < len(scores) or target != int(target):
            raise wrong_label(np.array([-1]), np.array([target]), len(scores), names)
        else:
            truth = int(target)
        # A negative weight reverses the signs.
        uphill = -1.0 if weight is None else -float(weight)
        try:
            made = _native.objective_row(scores, truth, uphill, self.loss != "multiclass")
        except _native.Rejected as problem:
            if problem.args[0] == "range":
                refuse_targets(truth[np.newaxis], names[1])
            refuse_scores(scores[np.newaxis], names[0])
        _, first, second = made
        return first, second

    def parameters(self, k: int) -> dict[str, Any]:
        """Return further parameters for CatBoost, for k classes or labels.

        CatBoost has different defaults for an object than for its own loss of the same name; these
        are the defaults of its own loss. The exception is the learning rate, which CatBoost chooses
        from the data for its own loss: set it yourself.

        With several labels, its own loss takes ten Newton steps for each tree if the data has 20
        columns or more, which is set here, and one if it has fewer: then pass
        ``leaf_estimation_iterations=1``. Targets between 0 and 1 need another ``eval_metric``, such
        as ``"MultiRMSE"``: with an object, CatBoost rejects them for its cross entropies.

        Example:
            >>> parameters = CatBoostObjective().parameters(3)
            >>> parameters["eval_metric"], parameters["classes_count"]
            ('MultiClass', 3)
            >>> CatBoostObjective("multilabel").parameters(3)["eval_metric"]
            'MultiLogloss'
        """
        # Created again for several targets: CatBoost may have been imported since.
        loss = replace(self) if self.loss == "multilabel" else self
        parameters: dict[str, Any] = {"loss_function": loss, "leaf_estimation_method": "Newton"}
        if self.loss == "multilabel":
            return parameters | {
                "eval_metric": "MultiLogloss",
                "leaf_estimation_iterations": 10,
                "bootstrap_type": "MVS",
            }
        is_one_vs_all = self.loss == "multiclass_one_vs_all"
        return parameters | {
            "eval_metric": "MultiClassOneVsAll" if is_one_vs_all else "MultiClass",
            "classes_count": k,
            "leaf_estimation_iterations": 1,
            "bootstrap_type": "Bayesian",
        }


def _for_several_targets(kind: Any) -> Any:
    """Return the class with CatBoost's base class for objectives of several targets.

    Before CatBoost is imported, return the class unchanged.
    """
    base = getattr(sys.modules.get("catboost"), "MultiTargetCustomObjective", None)
    return kind if base is None or issubclass(kind, base) else _with_base(kind, base)


@cache
def _with_base(kind: Any, base: Any) -> Any:
    members = {
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__reduce__": lambda self: (kind, (self.loss,)),
    }
    return type(kind.__name__, (kind, base), members)


@dataclass(frozen=True)
class LightGBMObjective:
    """Callable for LightGBM's ``objective``, in ``lightgbm.train`` and in ``LGBMClassifier``.

    The second derivative is LightGBM's own: K/(K − 1) · p (1 − p) · w for the softmax, sigmoid² · p
    (1 − p) · w for one-vs-all, without a floor. LightGBM starts its own objectives from the class
    proportions (``boost_from_average``), but a callable from 0: pass it `init_score`, and add that
    to its predictions.

    LightGBM has one label for each row. ``"multilabel"`` is equivalent to k trainings with the
    objective ``binary`` (0 and 1) or ``cross_entropy`` (other targets), in one model with
    ``num_class=k``. The targets come from the object; the labels of the Dataset are not read.

    Args:
        loss: ``"multiclass"``, ``"multiclass_one_vs_all"`` (LightGBM's multiclassova) or
            ``"multilabel"``.
        sigmoid: slope of the sigmoid, LightGBM's parameter of that name; not used for the softmax.
        n_threads: None means ``KARAT_NUM_THREADS``, else all cores.
        targets: only for ``"multilabel"``: targets [n, k] as in `multilabel`, in the order of the
            rows of the Dataset.

    Errors:
        K122 an unknown loss, K154 a sigmoid that is not above 0, K226 and K230 targets. While
        training: K102, K152, K153 and those of weights; K155 without ``num_class``.

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
    targets: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_loss(self.loss)
        check_threads(self.n_threads)
        self._check_targets()
        given: Any = self.sigmoid
        is_number = isinstance(given, Real) and not isinstance(given, bool)
        if not is_number or not 0 < given < float("inf"):
            meaning, wanted = "the slope of the sigmoid", "a finite number above 0"
            raise error(
                "K154", argument="sigmoid", value=self.sigmoid, meaning=meaning, wanted=wanted
            )

    def _check_targets(self) -> None:
        if (self.targets is None) != (self.loss != "multilabel"):
            found = f"loss={self.loss!r} {'without' if self.targets is None else 'with'} targets="
            raise error("K231", found=found)
        if self.targets is not None:
            object.__setattr__(self, "targets", held_targets(self.targets))

    def __call__(self, first: Any, second: Any, weight: Any = None) -> tuple[Singles, Singles]:
        """Return gradient and second derivatives, float32[n, k] in column order.

        Called as (scores, Dataset) by ``lightgbm.train`` and as (labels, scores, weights) by
        ``LGBMClassifier``.
        """
        return host_steps(
            "LightGBM",
            first,
            second,
            weight,
            self.n_threads,
            HostRules(
                self.loss,
                lambda k: k / (k - 1) if self.loss == "multiclass" else 1.0,
                slope=self.sigmoid,
            ),
            self.targets,
        )

    def init_score(self, y: Any, k: int, weights: Any = None) -> npt.NDArray[np.float64]:
        """Return the initial score of each class or label in LightGBM, float64[k].

        LightGBM requires one for each row: ``init_score=np.tile(start, (n, 1))``.

        Args:
            y: n class indices, or the targets [n, k]. k: number of classes or labels. weights: n
                weights, or None.

        Example:
            >>> LightGBMObjective().init_score([0, 1, 1, 1], 2).round(3).tolist()
            [-1.386, -0.288]
        """
        shares = class_shares(y, k, weights, self.loss)
        if self.loss == "multiclass":
            return np.log(np.maximum(shares, _LIGHTGBM_SHARE))
        shares = np.clip(shares, _LIGHTGBM_SHARE, 1 - _LIGHTGBM_SHARE)
        return np.asarray(np.log(shares / (1 - shares)) / self.sigmoid)


@dataclass(frozen=True)
class XGBoostObjective:
    """Callable for XGBoost: ``obj=`` of ``xgboost.train``, ``objective=`` of ``XGBClassifier``.

    The second derivative is XGBoost's own: max(2 p (1 − p) w, 1e-16) for the softmax
    (multi:softprob), max(p (1 − p), 1e-16) w for one-vs-all and for several labels (binary:logistic
    on one column of labels for each class), in float32 as there. XGBoost starts its own objectives
    from the class proportions, but a callable from 0.5: pass it `base_score`.

    Args:
        loss: ``"multiclass"`` or ``"multiclass_one_vs_all"``, which need ``num_class``, or
            ``"multilabel"``: the labels of the DMatrix are a matrix [n, k].
        n_threads: None means ``KARAT_NUM_THREADS``, else all cores.

    Errors:
        K122 an unknown loss, or an invalid n_threads. While training: K152, K153, K226, K230 and
        those of weights; K155 without ``num_class``.

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
        """Return gradient and second derivatives, float32[n, k].

        Called as (scores, DMatrix) by ``xgboost.train`` and as (labels, scores, sample_weight) by
        ``XGBClassifier``.
        """
        return host_steps(
            "XGBoost",
            first,
            second,
            sample_weight,
            self.n_threads,
            HostRules(
                self.loss,
                lambda _: 2.0 if self.loss == "multiclass" else 1.0,
                floor=_XGBOOST_FLOOR,
                is_single=True,
            ),
        )

    def base_score(self, y: Any, k: int, weights: Any = None) -> list[float]:
        """Return XGBoost's parameter ``base_score``: the initial score of each class or label.

        For the softmax, these are the centered logarithms of the class proportions, otherwise the
        logits.

        Args:
            y: n class indices, or the targets [n, k]. k: number of classes or labels. weights: n
                weights, or None.

        Example:
            >>> [round(score, 3) for score in XGBoostObjective().base_score([0, 1, 1, 1], 2)]
            [-0.549, 0.549]
        """
        # In float32 and in this order: the same bits as XGBoost's own, for unweighted rows.
        shares = class_shares(y, k, weights, self.loss).astype(np.float32)
        least = np.float32(_XGBOOST_SHARE)
        if self.loss == "multiclass":
            logs = _logarithm(shares + least)
            scores = logs - np.add.accumulate(logs / np.float32(k))[-1]
        else:
            scores = -_logarithm(1 / np.clip(shares, least, 1 - least) - 1)
        return [float(score) for score in scores]


def _logarithm(values: npt.NDArray[Any]) -> Singles:
    # Rounded once, as in the C library; NumPy's float32 logarithm is less accurate.
    return np.log(values.astype(np.float64)).astype(np.float32)
