"""Drop-in for the classification metrics of torchmetrics 1.9, counted by karat.

One changed import line is enough:

    from karat.compat.torchmetrics import Accuracy, MetricCollection
    from karat.compat.torchmetrics.classification import MulticlassAccuracy
    from karat.compat.torchmetrics.functional.classification import multiclass_accuracy

Names, arguments, shapes and values are torchmetrics'; what differs, and why, stands in
docs/torchmetrics.md. ``weights=`` gives rows their weights. Importing this package loads neither
torch nor torchmetrics; its names load torch when they are first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from karat.compat.torchmetrics.absent import missing
from karat.compat.torchmetrics.table import CLASSES, FUNCTIONS

if TYPE_CHECKING:
    from karat.compat.torchmetrics.classification import *
    from karat.compat.torchmetrics.collections import MetricCollection
    from karat.compat.torchmetrics.functional.classification import *
    from karat.compat.torchmetrics.metric import Metric

__all__ = ["Metric", "MetricCollection", *CLASSES, *FUNCTIONS]  # noqa: PLE0604

_HOMES = {
    "classification": "classification",
    "functional": "functional",
    "Metric": "metric",
    "MetricCollection": "collections",
    **dict.fromkeys(CLASSES, "classification"),
    **dict.fromkeys(FUNCTIONS, "functional"),
}
"""A name → the module that has it, or that is called so."""


if not TYPE_CHECKING:  # a checker of types is to find names that are not there

    def __getattr__(name: str) -> Any:
        """A public name, whose module is imported when it is first asked for.

        Errors:
            K622 an imported name that the drop-in lacks; AttributeError, an attribute.
            ImportError: torch is not installed.
        """
        home = _HOMES.get(name)
        if home is None:
            raise missing(__name__, name)
        try:
            module = import_module(f"{__name__}.{home}")
        except ModuleNotFoundError as problem:
            if problem.name != "torch":
                raise
            text = f"{name} works on tensors: pip install torch"
            raise ImportError(text, name="torch") from problem
        return globals().setdefault(name, module if name == home else getattr(module, name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
