"""What shape the influence of each row on a metric has: facts that a record names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

MAXIMUM: Final = "a maximum over thresholds"
QUANTILE: Final = "a count of the best rows, which end at a quantile of the scores"
THRESHOLD: Final = "a threshold, which jumps from score to score"
ISOTONIC: Final = "of an isotonic fit, whose blocks change with the weights"
KINK: Final = "a sum of absolute gaps, which has a kink"
DEGENERATE: Final = "of squared gaps, whose influence vanishes where the confidences are right"
CROSSED: Final = "of expected gaps of bins, whose edges confidences cross"


@dataclass(frozen=True)
class Influence:
    """The form of an influence."""


@dataclass(frozen=True)
class AreaInfluence(Influence):
    """Of scale × the area under the ROC curve, plus a constant.

    Attributes:
        scale: what the area is multiplied by.
        part: the parameter that asks for a part of the curve, whose end is a quantile.
    """

    scale: float = 1.0
    part: str = ""


@dataclass(frozen=True)
class PrecisionInfluence(Influence):
    """Of the area under precision by recall, in steps or in straight lines."""

    is_straight: bool = False


@dataclass(frozen=True)
class LineInfluence(Influence):
    """Of a coefficient of logit P(class) = a + b·logit p.

    Attributes:
        part: the intercept a, the slope b, or the shift, which is a where b is 1.
    """

    part: Literal["intercept", "slope", "shift"]


@dataclass(frozen=True)
class ShareInfluence(Influence):
    """Of a function of the share of the class.

    Attributes:
        value: the function, of the share of the class and that of the others, neither of them 0;
            where one is, it is 0.
        slope: its derivative.
    """

    value: Callable[[float, float], float]
    slope: Callable[[float, float], float]


@dataclass(frozen=True)
class LossInfluence(Influence):
    """Of the mean of the loss that the record needs.

    Attributes:
        is_halved: whether two classes have half of it, as it counts both.
    """

    is_halved: bool = False


@dataclass(frozen=True)
class SkillInfluence(Influence):
    """Of 1 − mean loss ÷ loss of the class shares."""

    name: Literal["negative_log_probability", "squared_error"]


@dataclass(frozen=True)
class PlaceInfluence(Influence):
    """Of the share of the rows whose true class is among the first k, a parameter."""


@dataclass(frozen=True)
class PairsInfluence(Influence):
    """Of the mean over ordered pairs of classes, by the score of the first (Hand & Till)."""

    is_by_support: bool = False


@dataclass(frozen=True)
class DifferencesInfluence(Influence):
    """Of the mean over pairs of classes, by the difference of two scores (Kleiman & Page)."""
