"""`Band`: limits of a whole curve as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import short

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Band:
    """Simultaneous confidence band of a curve, as read-only arrays for plotting.

    Over repeated samples, a proportion `level` of such bands contains the whole population curve.
    Pointwise limits are narrower, and contain it less often.

    Attributes:
        label: the class.
        axes: the horizontal and the vertical axis of the curve, as names of its arrays.
        x: float64[m], ascending: positions on the horizontal axis, from 0 to 1. For a reliability
            diagram, the mean probability of each bin, NaN where it is empty.
        low, high: float64[m], limits at each position, on the vertical axis, in 0 to 1, joined by
            straight lines. NaN for an empty bin.
        level: the proportion of such bands that contain the whole curve.
        quantile: normal quantile of the limits of each rate or bin.
        method: ``"jeffreys-joined"``, or ``"jeffreys"`` for a reliability diagram.
    """

    label: Any
    axes: tuple[str, str]
    x: Floats
    low: Floats
    high: Floats
    level: float
    quantile: float
    method: str

    def __post_init__(self) -> None:
        for name in ("x", "low", "high"):
            view = getattr(self, name).view()
            view.setflags(write=False)
            object.__setattr__(self, name, view)

    def __len__(self) -> int:
        return len(self.x)

    def columns(self) -> dict[str, Floats]:
        """Return the columns of a table: the horizontal axis by its name, ``low`` and ``high``.

        Example:
            >>> import karat
            >>> curve = karat.curves.roc([0, 1, 0, 1], y_score=[0.2, 0.7, 0.4, 0.3])
            >>> list(curve.band().columns())
            ['fpr', 'low', 'high']
        """
        return {self.axes[0]: self.x, "low": self.low, "high": self.high}

    def __repr__(self) -> str:
        level = f"{100 * self.level:g} % simultaneous"
        return f"<karat.curves.Band of {short(self.label)}: {level}, {len(self)} places>"
