"""What is asked of an interval: how sure, on which side, by which method."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error
from karat.errors.habits import instead_of
from karat.errors.options import option
from karat.inference.limits import student_quantile
from karat.inference.sampling_error import SamplingError

Side: TypeAlias = Literal["both", "low", "high"]
Method: TypeAlias = Literal["default", "wald", "logit", "bootstrap", "bca", "bayesian"]
Design: TypeAlias = Literal["cohort", "case-control"]
WeightKind: TypeAlias = Literal["importance", "frequency"]

Limit = TypeVar("Limit", float, npt.NDArray[np.float64])
METHODS: Final[tuple[Method, ...]] = get_args(Method)
DRAWN: Final = ("bootstrap", "bca", "bayesian")
"""Methods that draw."""
STRETCHED: Final = "test inversion"
"""The default of what is a sum or maximum of absolute gaps: it draws, too."""
LESS_BIAS: Final = "bootstrap less bias"
"""The default of other extremes, maxima over thresholds above all."""
_REPLICATES: Final = (100, 1_000_000)
_SEED_MAX: Final = 2**64 - 1
_TAILS: Final = (1e-12, 0.4999)
"""Limits nearer to the value than that, or farther away, say nothing."""
_ADVICE: Final = {
    "level": "It is the share of such intervals that hold the true value.",
    "side": "'low' gives a lower limit alone, 'high' an upper one.",
    "method": "Leave it out for the best known method of each metric.",
    "design": "'case-control' says that the number of rows of each true class was fixed.",
    "seed": "The same seed draws the same replicates on every machine.",
    "n_replicates": "1000 replicates are enough for limits at 95 %.",
}


@dataclass(frozen=True, slots=True)
class Confidence:
    """What is asked of every interval of a report.

    Attributes:
        level: the share of such intervals that hold the true value, in (0, 1).
        side: ``"both"`` limits, or only the ``"low"`` or the ``"high"`` one; the other end is then
            the end of the metric's range.
        method: ``"default"`` (the best known for each metric), ``"wald"``, ``"logit"``,
            ``"bootstrap"``, ``"bca"`` or ``"bayesian"``.
        design: ``"cohort"``: rows were drawn; ``"case-control"``: the number of rows of each true
            class was fixed.
        seed: of the methods that draw.
        n_replicates: how often they draw.
        weights_are: ``"importance"``, or ``"frequency"``: a row of weight 3 stands for three rows.
    """

    level: float = 0.95
    side: Side = "both"
    method: Method = "default"
    design: Design = "cohort"
    seed: int = 0
    n_replicates: int = 1000
    weights_are: WeightKind = "importance"

    @property
    def tail(self) -> float:
        """The share left out beyond each limit."""
        return (1.0 - self.level) / (2.0 if self.side == "both" else 1.0)

    @property
    def told(self) -> str:
        """How sure, and on which side: ``"95 %"``, ``"one-sided 95 %"``."""
        return f"{'' if self.side == 'both' else 'one-sided '}{100 * self.level:g} %"

    def quantile(self, df: float = math.inf) -> float:
        """How many standard errors a limit lies away: of the normal or of Student's t."""
        return student_quantile(df, self.tail)

    def one_sided(self, low: Limit, high: Limit, ends: tuple[float, float]) -> tuple[Limit, Limit]:
        """Both limits, or one and the end of the range."""
        if self.side == "low":
            return low, high * 0.0 + ends[1]
        if self.side == "high":
            return low * 0.0 + ends[0], high
        return low, high

    @classmethod
    def of(
        cls,
        level: Any = 0.95,
        side: Any = "both",
        method: Any = None,
        design: Any = "cohort",
        seed: Any = 0,
        n_replicates: Any = 1000,
    ) -> Confidence | None:
        """What these arguments ask for; None where `level` is None.

        Errors:
            K122 one of them is not what it may be.
        """
        words: dict[str, Any] = {}
        for argument, value, known in (
            ("side", side, get_args(Side)),
            ("method", "default" if method is None else method, METHODS),
            ("design", design, get_args(Design)),
        ):
            if not isinstance(value, str) or value not in known:
                do = instead_of(argument, value, known)
                raise _refused(argument, value, ", ".join(map(repr, known)), do)
            words[argument] = str(value)
        seed = _whole(seed, "seed", 0, _SEED_MAX)
        n_replicates = _whole(n_replicates, "n_replicates", *_REPLICATES)
        if level is None:
            return None
        is_number = not isinstance(level, bool | str | bytes) and getattr(level, "ndim", 0) == 0
        try:
            share = float(level) if is_number else math.nan
        except (TypeError, ValueError, OverflowError):
            share = math.nan
        if not 0.0 < share < 1.0:
            choices = "a number between 0 and 1, as 0.95, or None for no intervals"
            do = instead_of("level", level, (None,))
            if 50.0 <= share < 100.0:
                do = f"Give {option('level', float(f'{share / 100.0:g}'))}: a proportion. "
            raise _refused("level", level, choices, do)
        found = cls(share, **words, seed=seed, n_replicates=n_replicates)
        least, most = _TAILS
        if not least <= found.tail <= most:
            sides = 2.0 if found.side == "both" else 1.0
            choices = f"a number from {1.0 - most * sides:g} to 1 − {least * sides:g}, as 0.95"
            raise _refused("level", level, choices)
        return found


def _whole(value: Any, argument: str, least: int, most: int) -> int:
    try:
        is_whole = not isinstance(value, bool | str | bytes) and int(value) == value
    except Exception:  # a class of another library may raise anything
        is_whole = False
    if not is_whole or not least <= int(value) <= most:
        choices = f"a whole number from {least} to {most}"
        raise _refused(argument, value, choices)
    return int(value)


def _refused(argument: str, value: Any, choices: str, do: str = "") -> KaratError:
    do += _ADVICE[argument]
    return error("K122", argument=argument, value=value, choices=choices, do=do)


@dataclass(frozen=True, slots=True)
class Interval:
    """How sure one number is.

    Attributes:
        low, high: the limits; both None where there are none.
        method: what made them: ``"wilson"``, ``"mover"``, …; None where there are none.
        standard_error: by the influence of the rows, or of the replicates; None if unknown.
        remark: why there are no limits, or what the reader should know of them; None: nothing.
        sampling: of metrics of scores, what limits at other levels are made from.
    """

    low: float | None = None
    high: float | None = None
    method: str | None = None
    standard_error: float | None = None
    remark: str | None = None
    sampling: SamplingError | None = field(default=None, repr=False, compare=False)

    @property
    def is_drawn(self) -> bool:
        """Whether the limits depend on a seed."""
        return self.method in (*DRAWN, STRETCHED, LESS_BIAS)
