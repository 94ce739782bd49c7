"""Influences that are linear in a loss of the row: mean losses and functions of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics._influence.forms import LossInfluence, PlaceInfluence, SkillInfluence
from karat.metrics._metric import Metric
from karat.metrics._views import Losses
from karat.tally import ScoredRows

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Linear:
    """φ = gain · loss + offset of the true class.

    Attributes:
        name: the loss; for "ranks", whether the rank is among the first `within`.
        gain: factor of the loss.
        offsets: float64[k].
        within: number of positions that count.
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
    view = Losses(rows.sums(metric.losses), k)
    if isinstance(form, LossInfluence):
        half = 0.5 if form.is_halved and k == 2 else 1.0
        (name,) = metric.losses
        return Linear(name, half, np.full(k, -half * view.mean(name)))
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
        with np.errstate(divide="ignore"):  # only a negligible part is left of the others
            logs[held] = np.where(shares[held] > 0.5, np.log1p(-others[held]), np.log(shares[held]))
        base = -float((shares * logs).sum())
        moved = -logs - base
    else:
        base = float((shares * others).sum())
        # 1 − Σπ²: −2π of the own class, and 2Σπ².
        moved = 2.0 * (float((shares**2).sum()) - shares)
    if not (base > 0 and np.isfinite(mean)):
        return Linear(form.name, np.nan, np.full(len(shares), np.nan))
    with np.errstate(over="ignore", invalid="ignore"):  # infinite ones leave the interval unknown
        share = np.float64(mean) / base
        return Linear(form.name, -1.0 / base, share + share / base * moved)
