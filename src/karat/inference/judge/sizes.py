"""Number of gold labels that an interval needs, where a judge labels more rows."""

from __future__ import annotations

import math

from karat.inference.comparison.sizes import RowsNeeded
from karat.inference.confidence import Confidence


def gold_rows_needed(alone: RowsNeeded, square: float, n: int, total: int) -> RowsNeeded | None:
    """Return the gold labels that give as narrow an interval as rows alone; None: more than all.

    With n gold labels of N rows and the squared correlation ρ² of the influences by both labels,
    the variance is that of gold rows alone times 1 − ρ²(1 − n/N): as with r rows alone where
    1/r = (1 − ρ²)/n + ρ²/N.

    Args:
        alone: r, with its limits.
        square: ρ² in the pilot.
        n: gold rows of the pilot, from which ρ is known.
        total: N.
    """

    def needed(rows: float, share: float) -> float:
        rest = 1.0 / rows - share / total
        return (1.0 - share) / rest if rest > 0.0 else math.inf

    found = needed(alone, square)
    if not found <= total:
        return None
    # Fisher's z of ρ, and the limits of r: each moves the logarithm, their errors are independent.
    z, step = math.atanh(math.sqrt(square)), 1.0 / math.sqrt(max(n - 3.0, 1.0))
    quantile = Confidence(alone.level).quantile()
    least, most = (math.tanh(max(z + side * quantile * step, 0.0)) ** 2 for side in (1.0, -1.0))
    low = math.hypot(
        *(math.log(found / x) for x in (needed(alone.low, square), needed(alone, least)))
    )
    above = needed(alone.high, square), needed(alone, most)
    if not max(above) <= total:
        return RowsNeeded(math.ceil(found), found / math.exp(low), math.inf, alone.level)
    high = math.hypot(*(math.log(x / found) for x in above))
    return RowsNeeded(math.ceil(found), found / math.exp(low), found * math.exp(high), alone.level)
