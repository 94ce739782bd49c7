"""Metrics as functions, under the path of `torchmetrics.functional`: those of `classification`."""

from typing import TYPE_CHECKING, Any

from karat.compat.torchmetrics.absent import missing
from karat.compat.torchmetrics.functional.classification import *
from karat.compat.torchmetrics.table import FUNCTIONS

__all__ = list(FUNCTIONS)

if not TYPE_CHECKING:  # a checker of types is to find names that are not there

    def __getattr__(name: str) -> Any:
        """Errors: K622 an imported name that the drop-in lacks; AttributeError, an attribute."""
        raise missing(__name__, name)
