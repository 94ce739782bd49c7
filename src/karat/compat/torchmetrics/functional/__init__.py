"""Metrics as functions, under the path of `torchmetrics.functional`: those of `classification`."""

from typing import TYPE_CHECKING, Any

from karat.compat.torchmetrics.absent import absent
from karat.compat.torchmetrics.functional import classification
from karat.compat.torchmetrics.rate_functions import *
from karat.compat.torchmetrics.score_functions import *
from karat.compat.torchmetrics.table_functions import *
from karat.compat.torchmetrics.task_functions import *

__all__: list[str] = []
__all__ += classification.__all__

if not TYPE_CHECKING:  # a checker of types is to find names that are not there

    def __getattr__(name: str) -> Any:
        """Errors: K622 a name of torchmetrics that the drop-in has not."""
        raise absent(__name__, name)
