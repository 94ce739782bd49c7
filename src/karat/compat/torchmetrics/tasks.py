"""Metrics by task: ``Accuracy(task="multiclass", num_classes=3)`` is `MulticlassAccuracy`.

The functions take ``task`` after the target, as torchmetrics' do.
Arguments that a task does not have are ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, signature
from typing import Any, Final, TypeVar

from torch import Tensor

from karat.compat.torchmetrics.metric import Metric
from karat.errors import error

__all__ = [
    "AREA",
    "CELLS",
    "ERROR",
    "KAPPA",
    "LOSS",
    "OVERLAP",
    "PLAIN",
    "PRECISE",
    "RATE",
    "ZERO",
    "function_of_task",
    "metric_of_task",
]

Defaults = Mapping[str, Any]
Made = TypeVar("Made")

_LAST: Final = {"ignore_index": None, "validate_args": True}
_COUNTS: Final = {"num_classes": None, "num_labels": None}
RATE: Final = {
    "threshold": 0.5,
    **_COUNTS,
    "average": "micro",
    "multidim_average": "global",
    "top_k": 1,
    **_LAST,
}
ZERO: Final = {"zero_division": 0}
PRECISE: Final = {"thresholds": None, **_COUNTS, "average": "macro", **_LAST}
AREA: Final = {"thresholds": None, **_COUNTS, "average": "macro", "max_fpr": None, **_LAST}
CELLS: Final = {"threshold": 0.5, **_COUNTS, "normalize": None, **_LAST}
KAPPA: Final = {"threshold": 0.5, "num_classes": None, "weights": None, **_LAST}
ERROR: Final = {"n_bins": 15, "norm": "l1", "num_classes": None, **_LAST}
LOSS: Final = {
    "num_classes": None,
    "squared": False,
    "multiclass_mode": "crammer-singer",
    **_LAST,
}
OVERLAP: Final = {"threshold": 0.5, **_COUNTS, "average": "macro", **_LAST}
PLAIN: Final = {"threshold": 0.5, **_COUNTS, **_LAST}


def _chosen(home: Any, of_two: str, of_many: str, given: Defaults) -> Any:
    """The function or class of the task."""
    # torchmetrics' own ClassificationTask is a text that prints otherwise.
    task = str(getattr(given["task"], "value", given["task"])).lower().replace("-", "_")
    if task == "binary":
        return getattr(home, of_two)
    if task != "multiclass":
        choices, do = "'binary', 'multiclass'", "Of multilabel tasks, measure each label by itself."
        raise error("K122", argument="task", value=given["task"], choices=choices, do=do)
    if not isinstance(given["num_classes"], int):
        value, do = given["num_classes"], "A multiclass task needs the number of its classes."
        raise error("K122", argument="num_classes", value=value, choices="2, 3, …", do=do)
    return getattr(home, of_many)


def _parameters(first: tuple[str, ...], defaults: Defaults) -> list[Parameter]:
    kind = Parameter.POSITIONAL_OR_KEYWORD
    required = [Parameter(name, kind) for name in first]
    return required + [Parameter(name, kind, default=own) for name, own in defaults.items()]


def function_of_task(home: Any, name: str, defaults: Defaults) -> Callable[..., Tensor]:
    """The function that asks for a task."""
    weights = "row_weights" if "weights" in defaults else "weights"
    taken = _parameters(("preds", "target", "task"), defaults)
    taken.append(Parameter(weights, Parameter.KEYWORD_ONLY, default=None))
    own = Signature(taken)

    def of_task(*args: Any, **options: Any) -> Tensor:
        bound = own.bind(*args, **options)
        bound.apply_defaults()
        chosen = _chosen(home, f"binary_{name}", f"multiclass_{name}", bound.arguments)
        known = signature(chosen).parameters
        found: Tensor = chosen(**{key: v for key, v in bound.arguments.items() if key in known})
        return found

    return _named(of_task, name, own, f"`binary_{name}` or `multiclass_{name}`, by task.")


def metric_of_task(home: Any, name: str, defaults: Defaults) -> Callable[..., Metric]:
    """What makes the class that a task has."""
    taken = _parameters(("task",), defaults)
    own = Signature([*taken, Parameter("kwargs", Parameter.VAR_KEYWORD)])

    def of_task(*args: Any, **options: Any) -> Metric:
        bound = own.bind(*args, **options)
        bound.apply_defaults()
        given = dict(bound.arguments)
        others = given.pop("kwargs")
        chosen = _chosen(home, f"Binary{name}", f"Multiclass{name}", given)
        known = signature(chosen).parameters
        found: Metric = chosen(**{k: v for k, v in given.items() if k in known}, **others)
        return found

    return _named(of_task, name, own, f"`Binary{name}` or `Multiclass{name}`, by task.")


def _named(made: Callable[..., Made], name: str, own: Signature, doc: str) -> Callable[..., Made]:
    made.__name__ = made.__qualname__ = name
    made.__doc__ = doc
    vars(made)["__signature__"] = own
    return made
