"""What CatBoost says of each of its multiclass metrics: parameters, direction, where it runs."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

__all__ = ["METRICS", "Capability", "Facts", "capabilities"]


class Facts(NamedTuple):
    """One metric of CatBoost.

    Attributes:
        better: which values are better.
        keys: the parameters that its description may hold, besides `hints`.
        is_per_class: whether it has one value for each class.
        uses_weights: whether weights count when its description does not say.
        can_be_optimized: whether it can be trained by, as ``loss_function``.
        has_gpu: whether CatBoost computes it on a GPU.
    """

    better: Literal["higher", "lower"]
    keys: tuple[str, ...] = ("proba_border", "use_weights")
    is_per_class: bool = False
    uses_weights: bool = True
    can_be_optimized: bool = False
    has_gpu: bool = False


_OBJECTIVE: Final = Facts("lower", ("use_weights",), can_be_optimized=True, has_gpu=True)
_EACH_CLASS: Final = Facts("higher", is_per_class=True, has_gpu=True)

METRICS: Final[dict[str, Facts]] = {
    "MultiClass": _OBJECTIVE,
    "MultiClassOneVsAll": _OBJECTIVE,
    "Precision": _EACH_CLASS,
    "Recall": _EACH_CLASS,
    "F": Facts("higher", ("beta", "proba_border", "use_weights"), is_per_class=True),
    "F1": _EACH_CLASS,
    "TotalF1": Facts("higher", ("average", "proba_border", "use_weights"), has_gpu=True),
    "MCC": Facts("higher", has_gpu=True),
    "Accuracy": Facts("higher", ("proba_border", "type", "use_weights"), has_gpu=True),
    "HingeLoss": Facts("lower", ("border", "proba_border", "use_weights")),
    "HammingLoss": Facts("lower"),
    "ZeroOneLoss": Facts("lower", has_gpu=True),
    "Kappa": Facts("higher"),
    "WKappa": Facts("higher"),
    "AUC": Facts(
        "higher",
        ("misclass_cost_matrix", "proba_border", "type", "use_weights"),
        uses_weights=False,
    ),
    "PRAUC": Facts(
        "higher", ("proba_border", "type", "use_weights"), is_per_class=True, uses_weights=False
    ),
}
"""Name → facts, in the order of CatBoost's page. AUC has a value for each class as OneVsAll."""


class Capability(NamedTuple):
    """What CatBoost can do with a metric.

    Attributes:
        optimization: whether it can be trained by.
        gpu: whether it is computed on a GPU.
    """

    optimization: bool
    gpu: bool


def capabilities() -> dict[str, Capability]:
    """CatBoost's table of multiclass metrics: which can be optimized, which run on a GPU.

    As its page "Multiclassification: objectives and metrics" has it; PRAUC, which has no row
    there, is computed on the CPU only.

    Example:
        >>> capabilities()["MultiClass"]
        Capability(optimization=True, gpu=True)
        >>> [name for name, can in capabilities().items() if can.optimization]
        ['MultiClass', 'MultiClassOneVsAll']
    """
    return {
        name: Capability(facts.can_be_optimized, facts.has_gpu) for name, facts in METRICS.items()
    }
