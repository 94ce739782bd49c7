"""Standard error of the area by placements, written plainly: DeLong et al. (1988), with weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def area_error(is_own: npt.ArrayLike, scores: npt.ArrayLike, weights: Any = None) -> float:
    """√(Σ w²(V − A)² ÷ W² of the own rows, and of the rest), V the placement of a row."""
    own, s = np.asarray(is_own, bool), np.asarray(scores, np.float64)
    w = np.ones(len(s)) if weights is None else np.asarray(weights, np.float64)
    variance = 0.0
    for side, sign in ((own, 1.0), (~own, -1.0)):
        order = np.argsort(sign * s[~side])
        others = (sign * s[~side])[order]
        passed = np.concatenate([[0.0], np.cumsum(w[~side][order])])
        below, until = (np.searchsorted(others, sign * s[side], way) for way in ("left", "right"))
        placement = (passed[below] + passed[until]) / 2 / passed[-1]
        area = (w[side] @ placement) / w[side].sum()
        variance += (w[side] ** 2 @ (placement - area) ** 2) / w[side].sum() ** 2
    return float(np.sqrt(variance))
