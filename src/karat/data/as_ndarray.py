"""What the short paths of the functions take: NumPy arrays, and tensors that are arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["as_ndarray"]


def as_ndarray(values: Any) -> Any:
    """An array of exactly that type, or the memory of a tensor of the host; None for all else.

    Exact types first, they are cheap; torch is not imported to ask.

    Example:
        >>> as_ndarray(np.array([1, 2])).tolist()
        [1, 2]
        >>> as_ndarray([1, 2]) is None
        True
    """
    kind = type(values)
    if kind is np.ndarray:
        return values
    if kind.__name__ == "Tensor" and kind.__module__ == "torch":
        try:
            array = values.numpy()
        except (RuntimeError, TypeError):
            return None  # of a device, with a gradient, or of a type that NumPy has not
        return array if type(array) is np.ndarray else None  # a class of another's that is so named
    return None
