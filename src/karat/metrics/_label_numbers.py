"""`LabelNumbers`: a number for each label, as a parameter of a metric."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt

_MOST_SHOWN = 8


class LabelNumbers:
    """A number for each label, float64[k], that compares by value.

    It is not a tuple, which for a million labels would take longer to compare than the metric.
    """

    __slots__ = ("_digest", "values")

    def __init__(self, values: npt.ArrayLike) -> None:
        found = np.array(values, np.float64)
        found.flags.writeable = False
        self.values: npt.NDArray[np.float64] = found
        self._digest = hashlib.blake2b(found.tobytes(), digest_size=16).digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabelNumbers) and self._digest == other._digest

    def __hash__(self) -> int:
        return hash(self._digest)

    def __repr__(self) -> str:
        if self.values.size <= _MOST_SHOWN:
            return repr(self.values.tolist())
        return f"<numbers of {self.values.size} labels>"

    def __reduce__(self) -> tuple[Any, ...]:
        return LabelNumbers, (self.values,)
