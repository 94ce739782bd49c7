"""Normal-deviate axes: a share is as far from the middle as its normal quantile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["deviate_axes"]

_TICKS: Final = (1e-5, 1e-4, 0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
_LEAST: Final = 1e-6
"""No share is shown further away than this from 0."""


def deviate_axes(ax: Axes, drawn: Iterable[tuple[Any, Any]]) -> None:
    """Make both axes those of normal deviates, as wide as the points between 0 and 1 ask for.

    Args:
        ax: the axes.
        drawn: shares along both axes of each curve.
    """
    from scipy.special import ndtr, ndtri

    pairs = list(drawn)
    for axis, place in (("x", 0), ("y", 1)):
        values = np.concatenate([np.asarray(pair[place]) for pair in pairs] or [np.zeros(0)])
        low, high = _limits(values)
        getattr(ax, f"set_{axis}scale")("function", functions=(ndtri, ndtr))
        getattr(ax, f"set_{axis}lim")(low, high)
        ticks = [tick for tick in _TICKS if low <= tick <= high]
        texts = [f"{100 * tick:.10g} %" for tick in ticks]
        getattr(ax, f"set_{axis}ticks")(ticks, texts)
        getattr(ax, f"{axis}axis").set_minor_locator(_no_ticks())


def _no_ticks() -> Any:
    from matplotlib.ticker import NullLocator

    return NullLocator()


def _limits(values: Any) -> tuple[float, float]:
    """From below the smallest share to above the largest one, of those that are not 0 or 1."""
    inner = values[(values > 0) & (values < 1)]
    low = float(np.clip(inner.min(initial=0.02) / 1.5, _LEAST, 0.02))
    high = 1 - float(np.clip((1 - inner.max(initial=0.5)) / 1.5, 0.01, 0.5))
    return low, high
