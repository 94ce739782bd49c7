"""A metric as data: which tally it reads and how its value comes from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor

from karat.compat.torchmetrics.label_needs import BinaryCells, Need
from karat.compat.torchmetrics.label_values import rate, stat_scores
from karat.compat.torchmetrics.refusal import refused
from karat.compat.torchmetrics.score_values import (
    auroc,
    average_precision,
    calibration_error,
    hinge_loss,
)
from karat.compat.torchmetrics.table_values import confusion_matrix, jaccard, kappa, matthews
from karat.compat.torchmetrics.tally import Tally, refuse_counted

__all__ = ["Rule"]

_VALUES: Final[dict[str, Callable[..., Tensor]]] = {
    "rate": rate,
    "stat_scores": stat_scores,
    "confusion_matrix": confusion_matrix,
    "kappa": kappa,
    "matthews": matthews,
    "jaccard": jaccard,
    "auroc": auroc,
    "average_precision": average_precision,
    "calibration_error": calibration_error,
    "hinge_loss": hinge_loss,
}


@dataclass(frozen=True)
class Rule:
    """A need and a value of it.

    Attributes:
        need: metrics whose needs are equal share one tally.
        name, options: the value, by its name here, and its keywords.
        validates: whether a device is waited for, to refuse rows as soon as they are given.
    """

    need: Need
    name: str
    options: tuple[tuple[str, Any], ...] = ()
    validates: bool = True

    @staticmethod
    def of(need: Need, name: str, validates: bool, **options: Any) -> Rule:
        """A rule whose options are keywords."""
        return Rule(need, name, tuple(options.items()), validates)

    def tally(self, preds: Tensor, target: Tensor, weights: Any) -> Tally:
        """The tally of one batch; a graph of gradients is neither read nor kept.

        Errors:
            K621 no tensors, or rows that cannot be counted.
        """
        for argument, given in (("preds", preds), ("target", target)):
            if not isinstance(given, Tensor):
                kind = f"{type(given).__module__}.{type(given).__qualname__}"
                raise refused(
                    argument, f"{argument} is a {kind}", "Give a tensor: torch.as_tensor()."
                )
        with torch.no_grad():
            found = self.need.tally(preds, target, weights)
            if self.validates:
                refuse_counted(found)
        return found

    def value(self, tally: Tally) -> Tensor:
        """The value of a tally.

        Errors:
            K621 a device has met rows that cannot be counted; no row where one is needed.
        """
        with torch.no_grad():
            refuse_counted(tally)
            return _VALUES[self.name](tally, self.need, **dict(self.options))

    def once(self, preds: Tensor, target: Tensor, weights: Any = None) -> Tensor:
        """The value of one batch."""
        found = self.value(self.tally(preds, target, weights))
        is_each = isinstance(self.need, BinaryCells) and self.need.samplewise
        return found.squeeze() if is_each else found
