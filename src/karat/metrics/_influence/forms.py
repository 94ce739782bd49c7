"""Forms of the influence of each row on a metric, which records name."""

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
    """Influence on scale × the area under the ROC curve, plus a constant.

    Attributes:
        scale: factor of the area.
        part: the parameter that selects a part of the curve, whose end is a quantile.
    """

    scale: float = 1.0
    part: str = ""


@dataclass(frozen=True)
class PrecisionInfluence(Influence):
    """Influence on the area under the precision-recall curve, by steps or straight lines."""

    is_straight: bool = False


@dataclass(frozen=True)
class LineInfluence(Influence):
    """Influence on a coefficient of logit P(class) = a + b·logit p.

    Attributes:
        part: the intercept a, the slope b, or the shift, which is a where b is 1.
    """

    part: Literal["intercept", "slope", "shift"]


@dataclass(frozen=True)
class ShareInfluence(Influence):
    """Influence on a function of the class proportion.

    Attributes:
        value: the function of the proportions of the class and of the others, both nonzero; it is 0
            where one of them is 0.
        slope: its derivative.
    """

    value: Callable[[float, float], float]
    slope: Callable[[float, float], float]


@dataclass(frozen=True)
class LossInfluence(Influence):
    """Influence on the mean of the loss that the record needs.

    Attributes:
        is_halved: whether the value is halved for two classes, since the loss counts both.
    """

    is_halved: bool = False


@dataclass(frozen=True)
class SkillInfluence(Influence):
    """Influence on 1 − mean loss ÷ loss of the class proportions."""

    name: Literal["negative_log_probability", "squared_error"]


@dataclass(frozen=True)
class PlaceInfluence(Influence):
    """Influence on the proportion of rows whose true class is among the first k, a parameter."""


@dataclass(frozen=True)
class PairsInfluence(Influence):
    """Influence on the mean over ordered pairs of classes, by the score of the first."""

    is_by_support: bool = False


@dataclass(frozen=True)
class DifferencesInfluence(Influence):
    """Influence on the mean over pairs of classes, by the difference of two scores."""
