"""A confusion matrix of numbered classes, and karat's metrics of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.align import Aligned, Side
from karat.data.labels.column import Column
from karat.data.labels.counting import AllZeroError, count_aligned
from karat.metrics import Metric, get
from karat.metrics._lift import Lift, Policy
from karat.tally import Cells, Classes

_FEW_CLASSES: Final = 256
"""So many classes have a matrix that is small beside any number of rows."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Rows, or weight, by true and predicted class, dense and native where there are few."""

    tally: _native.Tally | Cells
    positive: int | None = None

    @property
    def matrix(self) -> npt.NDArray[Any]:
        """int64[k, k], or float64[k, k] of weights: rows true, columns predicted."""
        return self.tally.matrix() if isinstance(self.tally, Cells) else self.tally.cells()

    def value(
        self, name: str, lift: Lift = "plain", policy: Policy = "nan", **params: float
    ) -> Any:
        """A metric of karat by its canonical name: a float, or float64[k] of each class."""
        metric, run, arguments = _ready(name, lift, policy, **params)
        if isinstance(self.tally, Cells):
            return metric.values(self.tally, policy).value
        return run(self.tally, arguments, -1 if self.positive is None else self.positive)[0]


@lru_cache(maxsize=128)
def _ready(name: str, lift: Lift, policy: Policy, **params: float) -> tuple[Metric, Any, Any]:
    # What a metric reads is found out once for each object.
    metric = Metric.of(get(name).record, lift, params)
    return metric, metric.program(policy).run, metric.arguments(policy)


def count(
    true: npt.NDArray[Any],
    pred: npt.NDArray[Any],
    k: int,
    *,
    weights: npt.NDArray[np.float64] | None = None,
    positive: int | None = None,
    n_threads: int = 0,
) -> Counted:
    """Count rows whose classes are 0 … k − 1; all weights may be 0."""
    if k <= _FEW_CLASSES:
        tally = _native.count_codes(true, 0, None, pred, 0, None, k, weights, True, n_threads)
        return Counted(tally, positive)
    classes = Classes(tuple(range(k)), positive=positive, is_declared=True)
    identity = np.arange(k, dtype=np.int32)
    sides = [
        Side(Column(argument, codes, "integer"), codes, 0, identity)
        for argument, codes in (("y_true", true), ("y_pred", pred))
    ]
    try:
        cells = count_aligned(Aligned(classes, *sides), weights, True, n_threads)
    except AllZeroError:
        cells = Cells.empty(classes, is_weighted=True)
    return Counted(cells, positive)
