"""Heterogeneity of slices: a test of all of them, and the gap of equal slices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from karat.errors import shown
from karat.errors.text import value
from karat.inference.comparison.contrasts import ValueLimits
from karat.inference.comparison.families import statistic_of, tail_of, wald
from karat.inference.comparison.judging import root
from karat.inference.json_record import JsonRecord
from karat.inference.limits import Floats
from karat.inference.p_values import least_or_more, p_text
from karat.inference.slices.permuted import Reference, gaps_beside
from karat.metrics import Metric
from karat.results.slices.differences import SliceDifference

N_DRAWS: Final = 20_000
_FAR: Final = 16.0
"""Standard errors beyond which distances are not distinguished."""
_SAME: Final = 1e-12
"""Values that differ by no more than rounding are the mean."""
_NEAR: Final = 0.3
"""Nearer to the mean than that, a distance does not say how large a standard error is."""
_ROUNDS: Final = 2
FEWER_THAN_TWO: Final = "fewer than two slices have a value"
FEW: Final = 30
"""Slices with fewer rows than this make the test rough."""


@dataclass(frozen=True, slots=True, repr=False)
class Heterogeneity(JsonRecord):
    """One test that a metric has the same value in every slice (Cochran 1954).

    Attributes:
        metric: canonical name.
        statistic: Q = Σ (value − mean)² ÷ variance, the mean weighted by 1 ÷ variance. Of metrics
            of labels a variance is that of a slice whose metric is the mean: of accuracy Q is
            Pearson's χ² then, and a small slice without a mistake weighs little. With weights or
            clusters a term is that of the level at which the limit of the slice touches the mean.
        df: slices that were tested, less one.
        p: how often rows that are permuted across slices show a Q at least as large. Else by χ²;
            with clusters each term is first that of Student's t with the clusters of its slice
            (Alexander and Govern 1994), and where clusters share slices it is an F test. None
            where fewer than two slices have a value.
        mean: the weighted mean.
        level: 1 − the error rate at which slices are called different.
        n_slices: slices that were tested.
        left_out: slices without a value, or without a variance: name → why.
        remark: what makes the test rough, or None.
        method: ``"permutation"``, ``"chi-square"`` or ``"F"``; None without p.
        n_draws: number of permutations; 0 by another method.
    """

    metric: str
    statistic: float
    df: int
    p: float | None
    mean: float
    level: float
    n_slices: int
    left_out: dict[str, str]
    remark: str | None = None
    method: str | None = None
    n_draws: int = 0

    @property
    def is_shown(self) -> bool:
        """True if slices differ more than chance explains."""
        return self.p is not None and self.p < 1.0 - self.level

    def __str__(self) -> str:
        if self.p is None:
            return FEWER_THAN_TWO
        told = "slices differ" if self.is_shown else "slices are not shown to differ"
        p = least_or_more(self.p, self.n_draws)
        rounded = "< 0.001" if p < 0.001 else p_text(p, ".2g" if p < 0.095 else ".2f")
        return f"{told} (p {rounded})"


@dataclass(frozen=True, slots=True, repr=False)
class Gap(JsonRecord):
    """The largest less the smallest value of the slices, beside what equal slices would show.

    Attributes:
        metric: canonical name.
        observed: the gap; NaN where fewer than two slices have a value.
        expected: its mean where all slices were equal and varied as these do: of rows permuted,
            or of normal numbers.
        most: below it are 95 % of the gaps of equal slices (of `level`).
        p: how often equal slices show a gap at least as large.
        level: of `most`.
        highest, lowest: the slices it lies between.
        seed, n_draws: of the simulation.
        left_out: slices without a value, or without a variance: name → why.
    """

    metric: str
    observed: float
    expected: float
    most: float
    p: float | None
    level: float
    highest: str | None
    lowest: str | None
    seed: int
    n_draws: int = N_DRAWS
    left_out: dict[str, str] = field(default_factory=dict)

    @property
    def remark(self) -> str | None:
        """The slices that are left out, with the reason; None if all slices have a value."""
        by_reason: dict[str, list[str]] = {}
        for name, reason in self.left_out.items():
            by_reason.setdefault(reason, []).append(name)
        each = [f"{shown(names)} ({reason})" for reason, names in by_reason.items()]
        return f"without {'; '.join(each)}" if each else None

    def __float__(self) -> float:
        return self.observed

    def __str__(self) -> str:
        text = f"gap of {self.metric}: "
        if self.p is None:
            text += FEWER_THAN_TWO
        else:
            p = p_text(least_or_more(self.p, self.n_draws), ".2g")
            text += f"{value(self.observed)} between {self.lowest} and {self.highest}, p {p}; "
            text += f"equal slices: {value(self.expected)} on average, below "
            text += f"{value(self.most)} in {100 * self.level:g} % of samples"
        return "; ".join(filter(None, [text, self.remark]))


@dataclass(frozen=True, slots=True, repr=False)
class Worst:
    """The worst slice, where the rows show that there is one.

    Attributes:
        metric: canonical name.
        name: of the slice; None where none is shown.
        reason: why none is shown, or None.
        p: of the test that all slices are equal.
    """

    metric: str
    name: str | None
    reason: str | None
    p: float | None

    def __bool__(self) -> bool:
        return self.name is not None

    def __str__(self) -> str:
        return self.name if self.name is not None else f"no slice: {self.reason}"

    def __repr__(self) -> str:
        return f"<karat.Worst: {self}>"


@dataclass(frozen=True, slots=True, eq=False)
class Tested:
    """The slices that have a value and a variance.

    Attributes:
        places: their numbers.
        values: float64[t].
        below, above: float64[t], distances from the values to their limits, in standard errors of
            the normal distribution.
        df: float64[t], degrees of freedom of each variance.
        left_out: name → why.
        covariance: float64[t, t] where slices share clusters, else None.
        df_joint: degrees of freedom of the covariance.
        fewest: rows of the smallest slice.
        rarest: of averages over classes, the fewest true rows of a class in a slice; else None.
        rows: float64[t], effective rows of each.
        limits: of the value of each at any level; None of metrics of scores: by `below`, `above`.
        unit: what averages are over.
    """

    places: tuple[int, ...]
    values: Floats
    below: Floats
    above: Floats
    df: Floats
    left_out: dict[str, str]
    covariance: Floats | None
    df_joint: float
    fewest: int
    rarest: int | None
    rows: Floats
    limits: tuple[ValueLimits | None, ...]
    unit: str = "class"

    @property
    def variances(self) -> Floats:
        """float64[t], of the mean of both distances; at an end of the range, of the only one."""
        both, most = (self.below + self.above) / 2.0, np.maximum(self.below, self.above)
        has_both = np.minimum(self.below, self.above) > 0.0
        return np.asarray(np.where(has_both, both, most) ** 2)


def tested(
    metric: Metric, found: Tested, level: float, reference: Reference | None
) -> Heterogeneity:
    """Cochran's Q of the slices. Without a reference it takes limits of each at some six levels."""
    t, name = len(found.places), str(metric)
    if t < 2:
        return Heterogeneity(name, math.nan, 0, None, math.nan, level, t, found.left_out)
    if reference is not None:
        q, mean, p = reference.spreading(found.places)
        n = reference.permuted.n
        return Heterogeneity(
            name, q, t - 1, p, mean, level, t, found.left_out, None, "permutation", n
        )
    method, (mean, z) = "chi-square", _standardized(found)
    if found.covariance is not None:
        contrasts = np.column_stack([-np.ones(t - 1), np.eye(t - 1)])
        statistic, df, p = wald(
            contrasts @ found.values, contrasts @ found.covariance @ contrasts.T, found.df_joint
        )
        method = "F"
    else:
        from scipy.special import chdtrc

        if np.isfinite(found.df).any():
            tails = [
                tail_of(one, df) for one, df in zip(z.tolist(), found.df.tolist(), strict=True)
            ]
            z = np.array([statistic_of(tail) for tail in tails])
        statistic, df = float((z**2).sum()), t - 1
        p = float(chdtrc(df, statistic))
    remark = None
    if found.fewest < FEW:
        remark = f"the smallest slice has {found.fewest} rows: p is rough"
    elif found.rarest is not None and found.rarest < FEW:
        remark = f"the rarest {found.unit} of a slice has {found.rarest} rows: p is rough"
    return Heterogeneity(name, statistic, df, p, mean, level, t, found.left_out, remark, method)


def _standardized(found: Tested) -> tuple[float, Floats]:
    """The mean of the slices, and how many standard errors each lies from it.

    Variances are those at the mean: a slice that happens to be good must not weigh more for it.
    """
    rows = found.rows
    mean, z = float((rows * found.values).sum() / rows.sum()), np.zeros(len(rows))
    for _ in range(_ROUNDS):
        z = np.array([_distance(found, at, mean) for at in range(len(rows))])
        is_far = np.abs(z) > _NEAR
        variances = np.where(
            is_far, ((found.values - mean) / np.where(is_far, z, 1.0)) ** 2, found.variances
        )
        mean = float((found.values / variances).sum() / (1.0 / variances).sum())
    z = np.array([_distance(found, at, mean) for at in range(len(rows))])
    return mean, z


def _distance(found: Tested, at: int, mean: float) -> float:
    """Distance of a slice from the mean, in standard errors."""
    value, sides = float(found.values[at]), found.limits[at]
    if abs(value - mean) <= _SAME * max(abs(value), abs(mean)):
        return 0.0
    if sides is None:
        facing = float((found.below if value > mean else found.above)[at])
        return (value - mean) / (facing or math.sqrt(found.variances[at]))
    is_above, gap = value > mean, abs(value - mean)

    def room(quantile: float) -> float:
        distances = sides.distances(0, quantile)
        return gap if distances is None else gap - distances[0 if is_above else 1]

    return root(room, _FAR)


def worst_of(metric: Metric, test: Heterogeneity, differences: Iterable[SliceDifference]) -> Worst:
    """See `karat.results.slices.table.SliceTable.worst`."""
    name = str(metric)
    if metric.better is None:
        return Worst(name, None, "neither direction of it is better", test.p)
    if not test.is_shown:
        return Worst(name, None, str(test), test.p)
    sign = 1.0 if metric.better == "higher" else -1.0
    found = [one for one in differences if one.is_shown and sign * one.difference < 0.0]
    if not found:
        reason = "slices differ, but no single one is shown to be worse than the others"
        return Worst(name, None, reason, test.p)
    return Worst(name, min(found, key=lambda one: sign * one.value).name, None, test.p)


def gap_of(
    metric: Metric,
    found: Tested,
    names: Sequence[str],
    level: float,
    seed: int,
    reference: Reference | None = None,
) -> Gap:
    """The gap of the slices, and that of equal ones which vary as they do."""
    t, nan = len(found.places), math.nan
    if t < 2:
        none = str(metric), nan, nan, nan, None, level, None, None, seed
        return Gap(*none, left_out=found.left_out)
    observed = float(np.ptp(found.values))
    highest = names[found.places[int(found.values.argmax())]]
    lowest = names[found.places[int(found.values.argmin())]]
    if reference is not None:
        beside, n = reference.gaps(found.places, observed, level), reference.permuted.n
    else:
        drawn, n = np.random.default_rng(seed).standard_normal((N_DRAWS, t)), N_DRAWS
        if found.covariance is None:
            drawn = drawn * np.sqrt(found.variances)
        else:
            values, vectors = np.linalg.eigh(found.covariance)
            drawn = drawn @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
        beside = gaps_beside(np.ptp(drawn, axis=1), observed, level)
    ends = level, highest, lowest
    return Gap(str(metric), observed, *beside, *ends, seed, n, found.left_out)
