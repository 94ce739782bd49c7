"""Metrics as functions, under the path of `torchmetrics.functional`: those of `classification`."""

from karat.compat.torchmetrics.functional import classification
from karat.compat.torchmetrics.rate_functions import *
from karat.compat.torchmetrics.score_functions import *
from karat.compat.torchmetrics.table_functions import *
from karat.compat.torchmetrics.task_functions import *

__all__: list[str] = []
__all__ += classification.__all__
