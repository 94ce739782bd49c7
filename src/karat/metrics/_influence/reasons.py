"""Why a metric has no influence function, in words that complete "it has none: it is …"."""

from __future__ import annotations

from typing import Final

__all__ = ["CROSSED", "DEGENERATE", "ISOTONIC", "KINK", "MAXIMUM", "QUANTILE", "THRESHOLD"]

MAXIMUM: Final = "a maximum over thresholds"
QUANTILE: Final = "a count of the best rows, which end at a quantile of the scores"
THRESHOLD: Final = "a threshold, which jumps from score to score"
ISOTONIC: Final = "of an isotonic fit, whose blocks change with the weights"
KINK: Final = "a sum of absolute gaps, which has a kink"
DEGENERATE: Final = "of squared gaps, whose influence vanishes where the confidences are right"
CROSSED: Final = "of expected gaps of bins, whose edges confidences cross"
