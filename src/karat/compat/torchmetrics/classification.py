"""Metrics as classes, with the names and arguments of `torchmetrics.classification`."""

from typing import TYPE_CHECKING, Any

from karat.compat.torchmetrics import rate_metrics, score_metrics, table_metrics, task_metrics
from karat.compat.torchmetrics.absent import absent
from karat.compat.torchmetrics.rate_metrics import *
from karat.compat.torchmetrics.score_metrics import *
from karat.compat.torchmetrics.table_metrics import *
from karat.compat.torchmetrics.task_metrics import *

__all__: list[str] = []
__all__ += rate_metrics.__all__
__all__ += score_metrics.__all__
__all__ += table_metrics.__all__
__all__ += task_metrics.__all__

if not TYPE_CHECKING:  # a checker of types is to find names that are not there

    def __getattr__(name: str) -> Any:
        """Errors: K622 a name of torchmetrics that the drop-in has not."""
        raise absent(__name__, name)
