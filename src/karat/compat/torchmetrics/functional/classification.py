"""Metrics as functions, with the names and arguments of `torchmetrics.functional.classification`.

Each takes predictions and targets as tensors, returns a tensor where they lie, and accepts
``weights=``: a weight for each row, or for each item of target; Cohen's kappa, whose ``weights`` is
another thing, accepts ``row_weights=``.
"""

from karat.compat.torchmetrics.absent import missing
from karat.compat.torchmetrics.generation import functions
from karat.compat.torchmetrics.table import FUNCTIONS

__path__: list[str] = []  # see `missing`
__all__ = list(FUNCTIONS)

globals().update(functions(__name__))


def __getattr__(name: str) -> object:
    """Errors: K622 an imported name that the drop-in lacks; AttributeError, an attribute."""
    raise missing(__name__, name)
