"""Influence of every row on every metric of scores; each column is sorted once for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import error
from karat.metrics._influence.forms import (
    AreaInfluence,
    DifferencesInfluence,
    Influence,
    LineInfluence,
    LossInfluence,
    PairsInfluence,
    PlaceInfluence,
    PrecisionInfluence,
    ShareInfluence,
    SkillInfluence,
)
from karat.metrics._influence.line import Line
from karat.metrics._influence.linear import linear_of
from karat.metrics._measure import Views, measure
from karat.metrics._metric import Metric
from karat.metrics._regression import log_odds
from karat.metrics._views import Confidences, PairRanks, Pairwise
from karat.tally import ScoredRows
from karat.tally.cached import cached_property
from karat.tally.row_sample import row_parts

Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Column:
    """A sorted column, with facts about its rows.

    Attributes:
        views: its views.
        own: the class; 1 of 2 for all columns together.
        totals: float64[k], weight of each class.
        rows: implements `tally.ScoredRows`; None for all columns together.
    """

    views: Views
    own: int
    totals: Floats
    rows: ScoredRows | None

    @property
    def weight(self) -> float:
        return float(self.totals.sum())

    @property
    def n_own(self) -> float:
        return float(self.totals[self.own])

    @property
    def n_rest(self) -> float:
        return float(self.totals[: self.own].sum() + self.totals[self.own + 1 :].sum())

    @cached_property
    def log_odds(self) -> Floats:
        """float64[n], log-odds of the probability of the class, by row."""
        assert self.rows is not None
        found = np.empty(self.rows.n_rows)
        for part in row_parts(len(found)):
            found[part] = log_odds(self.rows.probabilities(self.own, part))
        return found


def _core_of(form: Influence) -> Influence:
    """Return the form without its scale: metrics that differ only in scale share their sums."""
    return AreaInfluence() if isinstance(form, AreaInfluence) else form


def _average_of(metric: Metric, form: Influence) -> tuple[Any, float]:
    """Return the key of a metric's sums, and the scale of its influence."""
    if isinstance(form, PairsInfluence):
        return (form, "pairs"), 1.0
    scale = form.scale if isinstance(form, AreaInfluence) else 1.0
    return (_core_of(form), metric.lift), scale


def _value_and_influence(
    form: Influence, at: _Column, gain: float, out: Floats, offsets: Floats
) -> tuple[float, _Standing | None]:
    """Compute the value of a class and add gain × its influence.

    Args:
        form: the form for a metric of one class, without scale.
        out: float64[n], terms that differ between rows.
        offsets: float64[k], terms common to the rows of a true class.

    Returns:
        The value (NaN: undefined, nothing is added), and the gains for the terms that depend on the
        position of rows in the sorted column.
    """
    if isinstance(form, AreaInfluence):
        return _add_area(at, gain, offsets)
    if isinstance(form, PrecisionInfluence):
        return _precision(form, at, gain)
    if isinstance(form, LineInfluence):
        return _add_line(form, at, gain, out), None
    assert isinstance(form, ShareInfluence)
    return _add_share(form, at, gain, offsets), None


class _Standing(NamedTuple):
    """Terms of each row by its position in the sorted column; see `RankedColumn.add_influences`.

    Attributes:
        of_classes: float64[k], by the weight above or below it; None: no term.
        lifts: by its effect on the area under precision, as steps and with straight lines.
    """

    of_classes: Floats | None = None
    lifts: tuple[float, float] = (0.0, 0.0)


def _add_area(at: _Column, gain: float, offsets: Floats) -> tuple[float, _Standing | None]:
    value = at.views.ranks.area
    if not np.isfinite(value):
        return value, None
    # (V − A)·W ÷ own weight of own rows, (V − A)·W ÷ weight of the rest of the others.
    shift = gain * value * at.weight
    moved = np.full(len(offsets), -shift / at.n_rest)
    moved[at.own] = -shift / at.n_own
    offsets += moved
    return value, _Standing(np.full(len(offsets), gain * at.weight / (at.n_own * at.n_rest)))


def _precision(
    form: PrecisionInfluence, at: _Column, gain: float
) -> tuple[float, _Standing | None]:
    ranks = at.views.ranks
    value = ranks.trapezoid_area if form.is_straight else ranks.step_area
    if not np.isfinite(value):
        return value, None
    lift = gain * at.weight / at.n_own
    return value, _Standing(lifts=(0.0, lift) if form.is_straight else (lift, 0.0))


def _add_line(form: LineInfluence, at: _Column, gain: float, out: Floats) -> float:
    line = Line.of(at.views.probabilities, form.part)
    rows = at.rows
    assert rows is not None
    if np.isfinite(line.value):
        with np.errstate(divide="ignore", invalid="ignore"):  # of rows with zero weight
            for part in row_parts(rows.n_rows):
                is_own = rows.codes[part] == at.own
                out[part] += gain * line.influence(at.log_odds[part], is_own)
    return line.value


def _add_share(form: ShareInfluence, at: _Column, gain: float, offsets: Floats) -> float:
    own, rest = at.n_own / at.weight, at.n_rest / at.weight
    if not (own and rest):
        # No row changes it: proportion · slope is 0 in the limit.
        return 0.0
    slope = form.slope(own, rest)
    moved = np.full(len(offsets), -gain * slope * own)
    moved[at.own] = gain * slope * rest
    offsets += moved
    return form.value(own, rest)


class _Sum:
    """Sum of gain · influence of each class, for one average or for one class alone.

    Attributes:
        out: float64[n].
        offsets: float64[k], terms common to the rows of a true class.
        values: float64[k], the value of each class, NaN where it is undefined.
    """

    def __init__(self, out: Floats, k: int) -> None:
        self.out = out
        self.offsets = np.zeros(k)
        self.values = np.full(k, np.nan)
        self.factor = 1.0
        self.is_finished = False

    def influence(self, rows: ScoredRows, scale: float) -> Floats:
        if not np.isfinite(self.factor):
            return np.full(len(self.out), np.nan)
        found = np.empty(len(self.out))
        for part in row_parts(len(found)):
            found[part] = self.out[part] + self.offsets[rows.codes[part]]
        found *= scale * self.factor
        return found


def _place(views: Views, gains: Sequence[_Standing | None], k: int, block: Floats) -> None:
    """Add to each column of block[n, m] the position terms of the rows, scaled by its gains."""
    if not any(gains):
        return
    m = block.shape[1]
    of_classes, lifts = np.zeros((m, k)), np.zeros((m, 2))
    for j, one in enumerate(gains):
        if one is not None:
            lifts[j] = one.lifts
            if one.of_classes is not None:
                of_classes[j] = one.of_classes
    views.ranks.ranked.add_influences(of_classes, of_classes, lifts, block)


_TOGETHER: Final = 8
"""float64 numbers in a cache line: as many sets of a row fit in one."""


def _zeros_in_lines(n: int, m: int) -> Floats:
    """float64[n, m], m at most 8, such that each row lies in one cache line.

    A walk over a sorted column accesses rows in random order.
    """
    width = 1
    while width < m:
        width *= 2
    held = np.zeros(n * width + _TOGETHER)
    first = -held.ctypes.data % 64 // 8
    return held[first : first + n * width].reshape(n, width)


def _sums_alone(
    forms: Sequence[Influence], at: _Column, n: int, n_offsets: int, gain: float = 1.0
) -> dict[Influence, _Sum]:
    """Compute the sums of one column by each form; position terms share one walk."""
    placed: list[Influence] = [form for form in forms if isinstance(form, _PLACED)]
    blocks = [placed[first : first + _TOGETHER] for first in range(0, len(placed), _TOGETHER)]
    found: dict[Influence, _Sum] = {}
    blocks += [[form] for form in forms if form not in placed]
    for some in blocks:
        block = _zeros_in_lines(n, len(some))
        gains: list[_Standing | None] = []
        for form, out in zip(some, block.T, strict=False):
            one = found[form] = _Sum(out, n_offsets)
            value, standing = _value_and_influence(form, at, gain, one.out, one.offsets)
            gains.append(standing)
            if not np.isfinite(value):
                one.factor = np.nan
        _place(at.views, gains, n_offsets, block)
    return found


_PLACED = (AreaInfluence, PrecisionInfluence, PairsInfluence)
_ON_ROWS = (AreaInfluence, PrecisionInfluence, PairsInfluence, DifferencesInfluence)
_OF_LOSSES = (LossInfluence, SkillInfluence, PlaceInfluence)


def reason_without(metric: Metric) -> str:
    """Return why a metric of scores has no influence function; empty if it has one."""
    form = metric.record.influence
    if form is None:
        return metric.record.no_influence or "its influence is not known"
    if isinstance(form, AreaInfluence):
        most = dict(metric.params).get(form.part)
        if most is not None and most < 1.0:
            return "a part of the curve that ends at a quantile"
    return ""


def influences(rows: ScoredRows, metrics: Iterable[Metric]) -> dict[Metric, Floats]:
    """Influence of each row on metrics of scores.

    φ with T(w + ε·e_i) = T(w) + ε·φ_i / Σw + o(ε). Its weighted mean is 0. Σw²φ²/W² estimates the
    variance of the metric, Σw²φφ'/W² the covariance of two.

    Returns:
        float64[n] of each metric; float64[k, n] of a metric of each class. NaN where the metric is
        undefined. Undefined classes are left out of averages.

    Errors:
        K311 a metric has no influence function: it is not smooth in the weights.

    Cost: one sort for each column; 16 bytes for each row and metric, of which 8 are returned.
    """
    wanted = list(dict.fromkeys(metrics))
    gathered = GatheredInfluences(rows, wanted)
    measure(rows, wanted, beside=gathered)
    return {metric: gathered.influence(metric) for metric in wanted}


def class_weights(rows: ScoredRows) -> Floats:
    return np.asarray(rows.sums(()).truth, np.float64)


class GatheredInfluences:
    """Influences gathered while `measure` sorts columns; see `_measure.Beside`."""

    def __init__(self, rows: ScoredRows, metrics: Sequence[Metric]) -> None:
        self._rows = rows
        self._k = rows.classes.k
        self._forms = {metric: GatheredInfluences.checked(metric) for metric in metrics}
        self.names_rows = any(isinstance(form, _ON_ROWS) for form in self._forms.values())
        everywhere: dict[Any, None] = {}
        self._alone: dict[Any, None] = {}
        for metric, form in self._forms.items():
            if isinstance(form, PairsInfluence):
                everywhere[form, "pairs"] = None
            elif metric.lift in ("macro", "weighted"):
                everywhere[_core_of(form), metric.lift] = None
            elif metric.record.is_per_class:
                self._alone[_core_of(form), metric.lift] = None
        self._averages: dict[Any, _Sum] = {}
        # Position terms are in blocks, which share one walk over the sorted column.
        self._blocks: list[tuple[list[Any], Floats]] = []
        placed = [key for key in everywhere if isinstance(key[0], _PLACED)]
        for first in range(0, len(placed), _TOGETHER):
            keys = placed[first : first + _TOGETHER]
            block = _zeros_in_lines(rows.n_rows, len(keys))
            self._blocks.append((keys, block))
            self._averages |= {
                key: _Sum(out, self._k) for key, out in zip(keys, block.T, strict=False)
            }
        others = [key for key in everywhere if key not in self._averages]
        self._averages |= {key: _Sum(np.zeros(rows.n_rows), self._k) for key in others}
        self._squares: dict[int, Floats] = {}
        self._sums: dict[Any, _Sum] = {}
        has_pairs = any(isinstance(form, PairsInfluence) for form in self._forms.values())
        self._areas = np.zeros((self._k, self._k) if has_pairs else (0, 0))
        self._pairs: dict[Metric, Floats] = {}

    @cached_property
    def _totals(self) -> Floats:
        return class_weights(self._rows)

    @staticmethod
    def checked(metric: Metric) -> Influence:
        """Return the form of the influence of a metric; K311 if it has none."""
        form = metric.record.influence
        if form is None or reason_without(metric):
            raise error("K311", metric=metric, reason=reason_without(metric))
        return form

    def column(self, i: int, views: Views) -> None:
        if not self._forms:
            return
        at = _Column(views, i, self._totals, self._rows)
        placed: dict[Any, _Standing | None] = {}
        for (form, lift), found in self._averages.items():
            if lift == "pairs":
                of_pairs = self._paired(form, at, found)
                gains = None if of_pairs is None else _Standing(of_pairs)
            else:
                gain = 1.0 if lift == "macro" else float(self._totals[i])
                found.values[i], gains = _value_and_influence(
                    form, at, gain, found.out, found.offsets
                )
            placed[form, lift] = gains
        for keys, block in self._blocks:
            _place(views, [placed[key] for key in keys], self._k, block)
        lifts = {"per_class", *(["plain"] if i == self._rows.classes.positive else [])}
        here = [(form, lift) for form, lift in self._alone if lift in lifts]
        forms = list(dict.fromkeys(form for form, _ in here))
        alone = _sums_alone(forms, at, self._rows.n_rows, self._k)
        self._sums |= {(form, lift, i): alone[form] for form, lift in here}

    def _paired(self, form: PairsInfluence, at: _Column, found: _Sum) -> Floats | None:
        """Return the pairs of class i with each other class, by the score of i."""
        i, totals = at.own, at.totals
        areas = np.asarray(at.views.ranks.ranked.areas(), np.float64)
        self._areas[i] = areas
        if not totals[i]:
            return None
        others = (totals > 0) & (np.arange(self._k) != i)
        gains = np.zeros(self._k)
        gains[others] = at.weight / (totals[i] * totals[others])
        if form.is_by_support:
            gains[others] *= totals[i] + totals[others]
        # gain · area ÷ 2 is W · probability · weight of the other class, or of this one.
        shifts = gains * areas / 2.0
        found.offsets[others] -= shifts[others] / totals[others]
        found.offsets[i] -= float(shifts.sum()) / totals[i]
        return gains

    def confidences(self, view: Confidences) -> None:
        """Do nothing: metrics of confidences are not smooth."""

    def pooled(self, views: Views) -> None:
        k, weight = self._k, float(self._totals.sum())
        at = _Column(views, 1, np.array([(k - 1) * weight, weight]), None)
        forms = [form for form, lift in self._alone if lift == "micro"]
        # A row counts as k rows of k times the weight; one of them is of its class.
        for form, found in _sums_alone(forms, at, self._rows.n_rows, 2, 1.0 / k).items():
            rest, own = found.offsets
            found.offsets = np.full(k, own + (k - 1) * rest)
            self._sums[form, "micro", 1] = found

    def pairs(self, metric: Metric, view: Pairwise) -> None:
        form = self._forms.get(metric)
        if not isinstance(form, DifferencesInfluence):
            return
        assert view.placed is not None
        assert view.found is not None
        chance = view.found.matrix
        first, second = np.triu_indices(self._k, 1)
        known = np.isfinite(chance[first, second])
        first, second, chance = first[known], second[known], chance[first[known], second[known]]
        weight = float(self._totals.sum()) / len(chance) if len(chance) else np.nan
        offsets = np.zeros(self._k)
        np.add.at(offsets, first, chance)
        np.add.at(offsets, second, chance)
        with np.errstate(divide="ignore", invalid="ignore"):
            offsets = np.where(self._totals > 0, offsets / self._totals, 0.0)
        phi = view.placed
        for part in row_parts(len(phi)):
            phi[part] -= offsets[self._rows.codes[part]]
        phi *= weight
        self._pairs[metric] = phi

    def chances(self) -> Floats:
        """float64[k, k] of each ordered pair of classes, if some metric reads pairs."""
        return PairRanks(self._areas, self._totals).matrix

    def influence(self, metric: Metric) -> Floats:
        """float64[n], or float64[k, n] for a metric of each class, after all is measured."""
        form = self._forms[metric]
        if isinstance(form, DifferencesInfluence):
            return self._pairs[metric]
        if isinstance(form, _OF_LOSSES):
            linear, phi = linear_of(metric, self._rows), np.empty(self._rows.n_rows)
            for part in row_parts(len(phi)):
                phi[part] = linear.of_rows(self._rows, part)
            return phi
        key, scale = _average_of(metric, form)
        if key in self._averages:
            return self._finished(key).influence(self._rows, scale)
        core, lift = key
        if lift == "per_class":
            each = [self._sums[core, lift, i].influence(self._rows, scale) for i in range(self._k)]
            return np.stack(each)
        own = 1 if lift == "micro" else self._rows.classes.positive
        return self._sums[core, lift, own].influence(self._rows, scale)

    def squares(self, metric: Metric, squares: Floats | None) -> Floats | None:
        """float64[k]: Σ squares · φ² of the rows of each true class, after all is measured.

        Args:
            squares: float64[n], Σw² of each row; None: 1.

        Returns:
            None if the influence does not come from positions in sorted columns: read `influence`.
        """
        key, scale = _average_of(metric, self._forms[metric])
        for i, (keys, block) in enumerate(self._blocks):
            if key not in keys:
                continue
            if i not in self._squares:
                offsets = np.stack([self._finished(each).offsets for each in keys])
                codes = np.asarray(self._rows.codes, np.int32)
                self._squares[i] = _native.square_by_class(block, codes, squares, offsets)
            factor = scale * self._finished(key).factor
            return np.asarray(self._squares[i][keys.index(key)] * factor**2)
        return None

    def _finished(self, key: Any) -> _Sum:
        """Finish the sums of a mean, whose divisor and proportions are known at the end."""
        found = self._averages[key]
        if found.is_finished:
            return found
        found.is_finished = True
        weight = float(self._totals.sum())
        if isinstance(key[0], PairsInfluence):
            self._finish_pairs(found, key[0], weight)
        elif key[1] == "macro":
            n_measured = np.isfinite(found.values).sum()
            found.factor = 1.0 / n_measured if n_measured else np.nan
        else:
            known = np.isfinite(found.values) & (self._totals > 0)
            whole = float(self._totals[known].sum())
            found.factor = 1.0 / whole if whole else np.nan
            if whole:
                mean = float(self._totals[known] @ found.values[known]) / whole
                # The class proportions depend on the weights too.
                found.offsets[known] += (found.values[known] - mean) * weight
        return found

    def _finish_pairs(self, found: _Sum, form: PairsInfluence, weight: float) -> None:
        view = PairRanks(self._areas, self._totals)
        chance = view.matrix
        known = np.isfinite(chance)
        support = self._totals[:, None] + self._totals[None, :]
        whole = float(support[known].sum()) if form.is_by_support else float(known.sum())
        found.factor = 1.0 / whole if whole else np.nan
        if form.is_by_support and whole:
            mean = float((support[known] * chance[known]).sum()) / whole
            gaps = np.where(known, chance - mean, 0.0) * weight
            found.offsets += gaps.sum(axis=0) + gaps.sum(axis=1)
