"""Influence on means of losses, and on a logistic recalibration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics._influence.forms import LossInfluence, PlaceInfluence, SkillInfluence
from karat.metrics._logistic import both_sides, log_odds, recalibration_line, recalibration_shift
from karat.metrics._metric import Metric
from karat.metrics._views import ClassProbabilities, Losses, dot
from karat.tally import ScoredRows

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Linear:
    """φ = gain · loss + offset of the true class.

    Attributes:
        name: the loss; of "ranks", whether the rank is among the first `within`.
        gain: what it is multiplied by.
        offsets: float64[k].
        within: how many places count.
    """

    name: str
    gain: float
    offsets: Floats
    within: int = 0

    def of_rows(self, rows: ScoredRows, part: slice) -> Floats:
        loss = rows.row_losses(self.name, part)
        if self.within:
            loss = (loss < self.within).astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):  # an infinite loss has no influence
            found: Floats = self.gain * loss + self.offsets[rows.codes[part]]
        return found


def linear_of(metric: Metric, rows: ScoredRows) -> Linear:
    form, k = metric.record.influence, rows.classes.k
    view = Losses(rows.sums(metric.record.needs), k)
    if isinstance(form, LossInfluence):
        half = 0.5 if form.is_halved and k == 2 else 1.0
        return Linear(form.name, half, np.full(k, -half * view.mean(form.name)))
    if isinstance(form, PlaceInfluence):
        within = int(dict(metric.params)["k"])
        return Linear("ranks", 1.0, np.full(k, -view.placed_within(within)), within)
    assert isinstance(form, SkillInfluence)
    return _of_skill(form, view)


def _of_skill(form: SkillInfluence, view: Losses) -> Linear:
    # 1 − L/L₀: −(ℓ − L)/L₀ + L/L₀²·(influence on L₀).
    mean = view.mean(form.name)
    shares, others = view.shares, view.other_shares
    held = shares > 0
    if form.name == "negative_log_probability":
        logs = np.zeros_like(shares)
        with np.errstate(divide="ignore"):  # of the others all but nothing is left
            logs[held] = np.where(shares[held] > 0.5, np.log1p(-others[held]), np.log(shares[held]))
        base = -float((shares * logs).sum())
        moved = -logs - base
    else:
        base = float((shares * others).sum())
        # 1 − Σπ²: −2π of the own class, and 2Σπ².
        moved = 2.0 * (float((shares**2).sum()) - shares)
    if not (base > 0 and np.isfinite(mean)):
        return Linear(form.name, np.nan, np.full(len(shares), np.nan))
    with np.errstate(over="ignore", invalid="ignore"):  # endless ones leave the interval unknown
        share = np.float64(mean) / base
        return Linear(form.name, -1.0 / base, share + share / base * moved)


@dataclass(frozen=True)
class Line:
    """A coefficient of logit P = a + b·x, x = logit p, fitted to weighted rows.

    Attributes:
        value: the coefficient; NaN where there is none.
        a, b: the line.
        gain, turn: the influence of a row that is y of the class is
            (y − P)·(gain + turn·(x − centre)).
        centre: weighted mean of x, by which little cancels.
    """

    value: float
    a: float
    b: float
    gain: float
    turn: float
    centre: float

    @classmethod
    def of(cls, view: ClassProbabilities, part: str) -> Line:
        if part == "shift":
            a, b = view.made(recalibration_shift), 1.0
        else:
            a, b = view.made(recalibration_line)
        value = b if part == "slope" else a
        unknown = cls(np.nan, np.nan, np.nan, np.nan, np.nan, 0.0)
        if not np.isfinite(value):
            return unknown
        # Weighted by the spread of the rows, x and 1 are orthogonal about this centre.
        total = heavy = weighed = 0.0
        for p, counts, _ in view.levels.blocks():
            x = log_odds(p)
            spread = counts.sum(axis=1) * _spread(a, b, x)
            total += float(counts.sum())
            heavy += float(spread.sum())
            weighed += dot(spread, x)
        if not heavy:
            return unknown  # every row lies where the line is 0 or 1
        centre = weighed / heavy
        if part == "shift":
            return cls(value, a, b, total / heavy, 0.0, centre)
        square = sum(
            dot(counts.sum(axis=1) * _spread(a, b, log_odds(p)), (log_odds(p) - centre) ** 2)
            for p, counts, _ in view.levels.blocks()
        )
        if not square:
            return unknown
        if part == "slope":
            return cls(value, a, b, 0.0, total / square, centre)
        # a is the height at the centre less the slope times the centre.
        return cls(value, a, b, total / heavy, -centre * total / square, centre)

    def influence(self, p: Floats, is_own: Any) -> Floats:
        x = log_odds(p)
        chance, rest = both_sides(self.a + self.b * x)
        with np.errstate(over="ignore", invalid="ignore"):  # endless ones leave it unknown
            found: Floats = np.where(is_own, rest, -chance) * (
                self.gain + self.turn * (x - self.centre)
            )
        return found

    def squares(self, view: ClassProbabilities) -> Iterator[tuple[Floats, Floats]]:
        """Σw² and φ² of each score level, of the rest and of the own rows: [u, 2] both."""
        for p, counts, squares in view.levels.blocks():
            phi = np.stack([self.influence(p, is_own) for is_own in (False, True)], axis=1)
            with np.errstate(over="ignore"):  # an infinite square makes the interval unknown
                square = phi**2
            yield np.asarray(counts if squares is None else squares, np.float64), square


def _spread(a: float, b: float, x: Floats) -> Floats:
    chance, rest = both_sides(a + b * x)
    return chance * rest
