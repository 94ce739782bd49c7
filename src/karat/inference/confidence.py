"""Settings of intervals: level, side and method."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from karat.designs import Design
from karat.designs.looks import (
    LEAST_TAIL,
    PLANNED,
    PLANNED_RANGE,
    p_of_look,
    share_of_window,
    tail_of_look,
)
from karat.errors import KaratError, error
from karat.errors.habits import instead_of
from karat.errors.options import as_typed, option
from karat.errors.text import count
from karat.errors.together import refuse
from karat.inference.limits import exact_limits, student_quantile, wilson_limits
from karat.inference.sampling_error import SamplingError

Side: TypeAlias = Literal["both", "low", "high"]
Method: TypeAlias = Literal["default", "wald", "logit", "bootstrap", "bca", "bayesian"]
WeightKind: TypeAlias = Literal["importance", "frequency"]

Limit = TypeVar("Limit", float, npt.NDArray[np.float64])
METHODS: Final[tuple[Method, ...]] = get_args(Method)
DRAWN: Final = ("bootstrap", "bca", "bayesian")
"""Methods that resample."""
STRETCHED: Final = "test inversion"
"""Default for sums or maxima of absolute differences, which resamples, too."""
LESS_BIAS: Final = "bootstrap less bias"
"""Default for other extremes, such as maxima over thresholds."""
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "side": get_args(Side),
    "method": METHODS,
    "design": get_args(Design),
}
_COUNTS: Final = {"seed": (0, 2**64 - 1), "n_replicates": (100, 1_000_000)}
_TAILS: Final = (1e-12, 0.4999)
"""Range of the tail probability beyond each limit."""
_LEAST_LEVEL: Final = 0.5
"""A level below it is meant as an error rate; at every look the boundary has no nearest place."""
_ADVICE: Final = {
    "level": "It is the coverage: the proportion of such intervals that cover the true value.",
    "side": "'low' gives a lower limit alone, 'high' an upper one.",
    "method": "Leave it out for the best known method of each metric.",
    "design": "'case-control': the number of rows of each true class was fixed.",
    "seed": "The same seed draws the same replicates on every machine.",
    "n_replicates": "1000 replicates are enough for limits at 95 %.",
    "anytime": f"It is fixed before the first look; True is {PLANNED}.",
}


@dataclass(frozen=True, slots=True)
class Confidence:
    """Settings of every interval of a report.

    Attributes:
        level: confidence level, in (0, 1).
        side: ``"both"`` limits, or only the ``"low"`` or the ``"high"`` one; the other limit is
            then the end of the metric's range.
        method: ``"default"`` (the recommended one for each metric), ``"wald"``, ``"logit"``,
            ``"bootstrap"``, ``"bca"`` or ``"bayesian"``.
        design: ``"cohort"``: rows were sampled; ``"case-control"``: the number of rows of each true
            class was fixed.
        seed: seed of the methods that resample.
        n_replicates: number of replicates.
        weights_are: ``"importance"``, or ``"frequency"``: a row of weight 3 stands for three rows.
        anytime: planned number of rows, or of clusters, of limits that hold at every look (a
            confidence sequence); None: they hold for one look.
        n_units: number of rows, or of clusters, at this look; see `at`.
        window: number of this window, from 1, of endlessly many, each of new rows alone: limits of
            all windows hold together. None: there are none.
    """

    level: float = 0.95
    side: Side = "both"
    method: Method = "default"
    design: Design = "cohort"
    seed: int = 0
    n_replicates: int = 1000
    weights_are: WeightKind = "importance"
    anytime: int | None = None
    n_units: float | None = None
    window: int | None = None

    @property
    def is_of_looks(self) -> bool:
        """True if the limits hold together with those of other looks or windows."""
        return self.anytime is not None or self.window is not None

    def at(self, n_units: float) -> Confidence:
        """Return the settings of a look at so many units; the same if limits hold for one look."""
        return self if self.anytime is None else replace(self, n_units=float(n_units))

    @property
    def tail(self) -> float:
        """Probability beyond each limit, of one look."""
        if self.anytime is None:
            alpha, sides = 1.0 - self.level, 2.0 if self.side == "both" else 1.0
            if self.window is None:
                return alpha / sides
            return max(alpha * share_of_window(self.window) / sides, LEAST_TAIL)
        # Limits of one look must never stand for those of every look.
        is_two_sided = self.side == "both"
        alpha = 1.0 - self.level
        return tail_of_look(self._n_of_look, self.anytime, alpha, is_two_sided=is_two_sided)

    def p_value(self, p: float) -> float:
        """Return the two-sided p-value that goes with these limits, from that of one look."""
        if self.anytime is None:
            return p if self.window is None else min(p / share_of_window(self.window), 1.0)
        return p_of_look(p, self._n_of_look, self.anytime, 1.0 - self.level)

    @property
    def _n_of_look(self) -> float:
        """Number of rows at this look, which limits of every look need (K452)."""
        if self.n_units is None:
            raise error("K452")
        return self.n_units

    @property
    def text(self) -> str:
        """Level and side as text: ``"95 %"``, ``"one-sided 95 %"``, ``"95 % anytime"``."""
        side, when = "" if self.side == "both" else "one-sided ", self.when
        return f"{side}{100 * self.level:g} %{' ' if when else ''}{when}"

    @property
    def when(self) -> str:
        """The looks that limits hold at, in a word or two; empty for one look."""
        if self.anytime is not None:
            return "anytime"
        return "" if self.window is None else f"window {self.window}"

    @property
    def looks(self) -> str:
        """The looks that limits hold at, in words; empty for one look."""
        return "" if self.anytime is None else words_on_looks(self.anytime)

    def quantile(self, df: float = math.inf) -> float:
        """Return the normal or Student's t quantile, the distance of a limit in standard errors."""
        return student_quantile(df, self.tail)

    def share_limits(
        self, share: npt.ArrayLike, n: npt.ArrayLike, quantile: float | npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the limits of proportions of n rows: Wilson's, of windows exact ones.

        Args:
            share, n: proportions, and their rows or effective rows.
            quantile: normal, or Student's t.
        """
        if self.window is None:
            return wilson_limits(share, n, quantile)
        # Effective rows with a normal quantile in place of Student's (Korn and Graubard 1998).
        return exact_limits(share, np.asarray(n) * (self.quantile() / quantile) ** 2, self.tail)

    def one_sided(self, low: Limit, high: Limit, ends: tuple[float, float]) -> tuple[Limit, Limit]:
        """Return both limits, or one and the end of the range."""
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
        anytime: Any = None,
    ) -> Confidence | None:
        """Return the settings of these arguments; None if `level` is None.

        Errors:
            K122 one of them is invalid; K237 limits at every look cannot be made this way.
        """
        settings: dict[str, Any] = {
            "side": checked_word("side", side),
            "method": checked_word("method", "default" if method is None else method),
            "design": checked_word("design", design),
            "seed": checked_count("seed", seed),
            "n_replicates": checked_count("n_replicates", n_replicates),
        }
        planned = planned_units(anytime)
        if planned is not None:
            refuse("any", "looks", {"level": level, "method": method})
        checked = checked_level(level)
        if checked is None:
            return None
        confidence = cls(checked, **settings)
        least, most = _TAILS
        if least <= confidence.tail <= most:
            return replace(confidence, anytime=planned)
        sides = 2.0 if confidence.side == "both" else 1.0
        low = max(_LEAST_LEVEL, 1.0 - most * sides)
        choices = f"a number from {low:g} to 1 − {least * sides:g}, as 0.95"
        raise _refused("level", level, choices)


def designs(asked: Confidence | None) -> dict[str, dict[str, Any]]:
    """Return the designs of intervals as calls: class → its arguments."""
    found: dict[str, dict[str, Any]] = {}
    if asked is not None:
        if asked.design == "case-control":
            found["CaseControl"] = {}
        if asked.weights_are == "frequency":
            found["Frequency"] = {}
        found |= of_looks(asked.anytime).get("design", {})
    return found


def of_looks(planned: int | None) -> dict[str, Any]:
    """Return the design of limits of every look as a field; nothing of limits of one look."""
    return {} if planned is None else {"design": {"Looks": {"planned": planned}}}


def checked_level(level: Any) -> float | None:
    """Return a confidence level; None for no intervals (K122).

    How near to 1 it may be depends on the side of the limits: `Confidence.of`.
    """
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
    if share < _LEAST_LEVEL:
        coverage = option("level", float(f"{1.0 - share:.12g}"))
        do = f"Give {coverage}: level= is the coverage of the intervals, not their error rate. "
        do = do if share >= _TAILS[0] else ""
        choices = f"a number from {_LEAST_LEVEL} to 1, as 0.95, or None for no intervals"
        raise _refused("level", level, choices, as_typed(do))
    return share


def checked_word(argument: str, value: Any) -> str:
    """Return a side, a method or a design as plain text (K122)."""
    known = _WORDS[argument]
    if not isinstance(value, str) or value not in known:
        do = instead_of(argument, value, known)
        raise _refused(argument, value, ", ".join(map(repr, known)), do)
    return str(value)


def checked_design(value: Any) -> Design:
    """Return a design as plain text (K122)."""
    return "case-control" if checked_word("design", value) == "case-control" else "cohort"


def checked_count(argument: str, value: Any) -> int:
    """Return a seed, or a number of replicates (K122)."""
    return _whole(value, argument, *_COUNTS[argument])


def planned_units(anytime: Any) -> int | None:
    """Return the planned number of units of `anytime`; None for limits that hold for one look.

    Errors:
        K122 it is neither.
    """
    if anytime is None or anytime is False:
        return None
    return PLANNED if anytime is True else _whole(anytime, "anytime", *PLANNED_RANGE)


def words_on_looks(planned: int) -> str:
    """The looks that limits hold at, in words."""
    return f"intervals for every look, planned for {count(planned)} rows"


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
    """Confidence interval of one number.

    Attributes:
        low, high: the limits; both None if there are none.
        method: method of the limits: ``"wilson"``, ``"mover"``, …; None if there are none.
        standard_error: standard error by the influence of the rows, or of the replicates; None if
            unknown.
        remark: why there are no limits, or a caveat about them; None: no remark.
        sampling: for metrics of scores, the data for limits at other levels.
    """

    low: float | None = None
    high: float | None = None
    method: str | None = None
    standard_error: float | None = None
    remark: str | None = None
    sampling: SamplingError | None = field(default=None, repr=False, compare=False)

    @property
    def is_drawn(self) -> bool:
        """True if the limits depend on a seed."""
        return self.method in (*DRAWN, STRETCHED, LESS_BIAS)
