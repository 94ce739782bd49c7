"""Influence on a metric of one class, added to rows while the column of the class is sorted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from karat.metrics._influence.forms import (
    AreaInfluence,
    Influence,
    LineInfluence,
    PrecisionInfluence,
    ShareInfluence,
)
from karat.metrics._influence.losses import Line
from karat.metrics._measure import Views
from karat.tally import ScoredRows
from karat.tally.row_sample import row_parts

__all__ = ["InfluenceColumn", "Placing", "core_of", "value_and_influence"]

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class InfluenceColumn:
    """A sorted column, and what is known of its rows.

    Attributes:
        views: its views.
        own: the class; of all columns together 1 of 2.
        totals: float64[k], weight of each class.
        rows: implements `tally.ScoredRows`; None for all columns together.
    """

    views: Views
    own: int
    totals: Floats
    rows: ScoredRows | None

    @property
    def weight(self) -> float:
        """Σw."""
        return float(self.totals.sum())

    @property
    def n_own(self) -> float:
        """Weight of the class."""
        return float(self.totals[self.own])

    @property
    def n_rest(self) -> float:
        """Weight of the others."""
        return float(self.totals[: self.own].sum() + self.totals[self.own + 1 :].sum())


@dataclass(frozen=True)
class Placing:
    """Gains of `add_placements`, float64[k] each, for one row of its `out`."""

    own_gains: Floats
    rest_gains: Floats


def core_of(form: Influence) -> Influence:
    """The form without its scale: metrics that differ in nothing else share their sums."""
    return AreaInfluence() if isinstance(form, AreaInfluence) else form


def value_and_influence(
    form: Influence, at: InfluenceColumn, gain: float, out: Floats, offsets: Floats
) -> tuple[float, Placing | None]:
    """The value of a class, and gain × its influence, which is added.

    Args:
        form: of a metric of one class, without scale.
        out: float64[n], for what differs between rows.
        offsets: float64[k], for what the rows of a true class share.

    Returns:
        The value, NaN where there is none (then nothing is added), and what is still to be placed.
    """
    if isinstance(form, AreaInfluence):
        return _add_area(at, gain, offsets)
    if isinstance(form, PrecisionInfluence):
        return _add_precision(form, at, gain, out), None
    if isinstance(form, LineInfluence):
        return _add_line(form, at, gain, out), None
    assert isinstance(form, ShareInfluence)
    return _add_share(form, at, gain, offsets), None


def _add_area(at: InfluenceColumn, gain: float, offsets: Floats) -> tuple[float, Placing | None]:
    value = at.views.ranks.area
    if not np.isfinite(value):
        return value, None
    # (V − A)·W ÷ own weight of own rows, (V − A)·W ÷ weight of the rest of the others.
    shift = gain * value * at.weight
    moved = np.full(len(offsets), -shift / at.n_rest)
    moved[at.own] = -shift / at.n_own
    offsets += moved
    gains = np.full(len(offsets), gain * at.weight / (at.n_own * at.n_rest))
    return value, Placing(gains, gains)


def _add_precision(
    form: PrecisionInfluence, at: InfluenceColumn, gain: float, out: Floats
) -> float:
    ranks = at.views.ranks
    value = ranks.trapezoid_area if form.is_straight else ranks.step_area
    if np.isfinite(value):
        ranks.ranked.add_lifts(gain * at.weight / at.n_own, out, is_straight=form.is_straight)
    return value


def _add_line(form: LineInfluence, at: InfluenceColumn, gain: float, out: Floats) -> float:
    line = Line.of(at.views.probabilities, form.part)
    rows = at.rows
    assert rows is not None
    if np.isfinite(line.value):
        with np.errstate(divide="ignore", invalid="ignore"):  # of rows that weigh nothing
            for part in row_parts(rows.n_rows):
                p, is_own = rows.probabilities(at.own, part), rows.codes[part] == at.own
                out[part] += gain * line.influence(p, is_own)
    return line.value


def _add_share(form: ShareInfluence, at: InfluenceColumn, gain: float, offsets: Floats) -> float:
    own, rest = at.n_own / at.weight, at.n_rest / at.weight
    if not (own and rest):
        # No row moves it: share · slope is 0 in the limit.
        return 0.0
    slope = form.slope(own, rest)
    moved = np.full(len(offsets), -gain * slope * own)
    moved[at.own] = gain * slope * rest
    offsets += moved
    return form.value(own, rest)
