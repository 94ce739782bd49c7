"""Metrics as classes, with the names and arguments of `torchmetrics.classification`."""

from karat.compat.torchmetrics.absent import missing
from karat.compat.torchmetrics.generation import metrics
from karat.compat.torchmetrics.table import CLASSES

__all__ = list(CLASSES)

globals().update(metrics(__name__))


def __getattr__(name: str) -> object:
    """Errors: K622 a name of torchmetrics that the drop-in has not."""
    raise missing(__name__, name)
