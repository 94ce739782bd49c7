"""Metrics as functions, with the names and arguments of `torchmetrics.functional.classification`.

Each takes predictions and targets as tensors, returns a tensor where they lie, and accepts
``weights=``: a weight for each row, or for each item of target; Cohen's kappa, whose ``weights`` is
another thing, accepts ``row_weights=``.
"""

from typing import TYPE_CHECKING, Any

from karat.compat.torchmetrics import (
    rate_functions,
    score_functions,
    table_functions,
    task_functions,
)
from karat.compat.torchmetrics.absent import absent
from karat.compat.torchmetrics.rate_functions import *
from karat.compat.torchmetrics.score_functions import *
from karat.compat.torchmetrics.table_functions import *
from karat.compat.torchmetrics.task_functions import *

__all__: list[str] = []
__all__ += rate_functions.__all__
__all__ += score_functions.__all__
__all__ += table_functions.__all__
__all__ += task_functions.__all__

if not TYPE_CHECKING:  # a checker of types is to find names that are not there

    def __getattr__(name: str) -> Any:
        """Errors: K622 a name of torchmetrics that the drop-in has not."""
        raise absent(__name__, name)
