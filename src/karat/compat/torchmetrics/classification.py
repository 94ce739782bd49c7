"""Metrics as classes, with the names and arguments of `torchmetrics.classification`."""

from karat.compat.torchmetrics.absent import missing
from karat.compat.torchmetrics.generation import metrics
from karat.compat.torchmetrics.table import CLASSES

__path__: list[str] = []  # see `missing`
__all__ = list(CLASSES)

globals().update(metrics(__name__))


def __getattr__(name: str) -> object:
    """Errors: K622 an imported name that the drop-in lacks; AttributeError, an attribute."""
    raise missing(__name__, name)
