"""Search for weak slices: one family of all slices, and the smallest explanation.

The largest statistic over all slices is compared with its null distribution (Westfall and Young
1993). The slice that explains best is reported, its rows are removed, and the rest is searched
again. A parent, or any other overlapping slice, is reported only if its remaining rows are worse
than the other remaining ones. The search ends with the first family without a significant slice.
Each family is tested at the same level: once all truly weak slices are reported, the next family is
under the null hypothesis, so that the familywise error rate stays at that level (the sequential
rejection principle, Goeman and Solari 2010).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from karat.inference.limits import Flags, Floats
from karat.inference.p_values import p_of_replicates
from karat.inference.slices.candidates import Codes, Family, SearchColumn
from karat.inference.slices.losses import RowLosses, Statistics, unequal

_TIE: Final = 1e-9
"""Relative difference above which numbers count as distinct."""
_ROUNDS: Final = 5
_WITHIN: Final = 5.0
"""Divisor of the level at which a slice is distinguished from its parents.

There are several parents for each slice, and one that is worse as a whole is not to be taken for
one of its parts.
"""
_INSIDE: Final = 50.0
"""The same divisor for a part of the best slice, which must differ clearly."""


class Condition(NamedTuple):
    """Run of parts of one column, from the first up to the end (exclusive)."""

    column: int
    first: int
    end: int


Conditions: TypeAlias = tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers above `low` up to and including `high`; None: no limit.

    `above` has the next number in the column after each limit.
    """

    low: float | None
    high: float | None
    above: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """Slice that is worse than the rows outside it and outside earlier findings.

    Attributes:
        columns: indices of its columns.
        keys: its condition on each: the name of a value, or a range.
        rows: bool[n], its rows.
        counted: bool[n], those of its rows in no earlier finding.
        others: bool[n], the rows that they are compared with.
        z, p: the statistic and its p-value, in the family of its step.
    """

    columns: tuple[int, ...]
    keys: tuple[str | Range, ...]
    rows: Flags
    counted: Flags
    others: Flags
    z: float
    p: float


@dataclass(frozen=True, slots=True)
class Searched:
    """Result of a search.

    Attributes:
        found: findings, in the order of the steps.
        n_tested: number of slices of the first family.
        n_shown: number of slices of the first family that are significant at the level.
        p: the smallest p of the first family.
    """

    found: tuple[Finding, ...]
    n_tested: int
    n_shown: int
    p: float


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a search; `alpha` is the familywise error rate."""

    depth: int
    min_n: int
    alpha: float
    n_permutations: int
    seed: int

    def alpha_over(self, divisor: float) -> float:
        """Return a part of the level, at least the smallest p-value of the permutations."""
        return max(self.alpha / divisor, min(self.alpha, 1.0 / (self.n_permutations + 1)))


def search(columns: Sequence[SearchColumn], losses: RowLosses, settings: Settings) -> Searched:
    """Find the smallest slices that explain the excess loss.

    Args:
        columns: columns of the conditions.
        losses: loss of every row.
    """
    left = np.arange(losses.n)
    found: list[Finding] = []
    n_tested = n_shown = 0
    least, last_p = 1.0, 0.0
    while True:
        step = Step(columns, losses, left, settings, len(found))
        best = step.best(is_first=not found)
        if not found:
            n_tested, n_shown, least = step.family.size, step.n_shown, step.p
        if best is None:
            return Searched(tuple(found), n_tested, n_shown, least)
        made = step.finding(best, max(step.p_of(best), last_p))
        if any(np.array_equal(made.rows, one.rows) for one in found):
            return Searched(tuple(found), n_tested, n_shown, least)
        found.append(made)
        last_p = made.p
        left = remaining(left, made)


def remaining(left: Codes, found: Finding) -> Codes:
    """Rows of the next step: those in no slice found so far."""
    return left[~found.rows[left]]


class Step:
    """One family of slices, of the remaining rows."""

    def __init__(
        self,
        columns: Sequence[SearchColumn],
        losses: RowLosses,
        left: Codes,
        settings: Settings,
        place: int,
    ) -> None:
        self._columns, self._settings, self._left = columns, settings, left
        self._n_all = losses.n
        self._losses = losses.at(left) if len(left) < losses.n else losses
        is_whole = len(left) == losses.n
        self._codes = [c.codes if is_whole else c.codes[left] for c in columns]
        self._seed = settings.seed if not place else _seed(settings.seed, place)
        self._null: Floats = np.zeros(0)
        self.family = Family(columns, left, settings.depth, settings.min_n)
        self.n_shown: int = 0
        self.p: float = 1.0

    def best(self, *, is_first: bool) -> Conditions | None:
        """Return the slice that explains the excess best; None if none is significant.

        The first family is compared with every permutation, so that its p is always known.
        """
        if not self.family.size or not self._losses.is_varied:
            return None
        statistics = Statistics(self.family, self._losses)
        observed = statistics.observed()
        tops = [float(z.max(initial=0.0)) for z in observed]
        place = int(np.argmax(tops))
        alpha = None if is_first else self._settings.alpha
        null = _null(
            statistics, self._losses, self._settings.n_permutations, self._seed, tops[place], alpha
        )
        if null is None:
            return None
        self._null = null
        self.p = self._p(tops[place])
        if self.p > self._settings.alpha + 1e-12:
            return None
        self.n_shown = sum(int((z >= self._critical).sum()) for z in observed)
        # Among slices with the same rows, the one of fewer columns comes first.
        at = int(np.argmax(observed[place] >= tops[place] - _TIE))
        chosen = tuple(Condition(*c) for c in self.family.blocks[place].spans_at(at))
        return self._settled(self._explaining(chosen))

    def _settled(self, chosen: Conditions) -> Conditions:
        """Return the slice without ranges that, with exact limits, exclude almost nothing."""
        seen = {chosen}
        while True:
            inside = self._rows(chosen, self._ranges(chosen))[self._left]
            upper = self._parent(chosen, inside)
            if upper is None:
                return chosen
            fitted = self._fitted(upper)
            if fitted in seen:
                return upper
            seen.add(fitted)
            chosen = fitted

    @property
    def _critical(self) -> float:
        """Smallest significant statistic."""
        # p = (1 + those at least as large) ÷ (1 + permutations) is at most alpha.
        n = len(self._null)
        most = int(np.floor(self._settings.alpha * (n + 1) + 1e-9)) - 1
        return float(self._null[n - 1 - most]) + 2 * _TIE if 0 <= most < n else np.inf

    def _p(self, z: float) -> float:
        at_least = len(self._null) - np.searchsorted(self._null, z - _TIE, side="left")
        return p_of_replicates(int(at_least), len(self._null))

    def p_of(self, chosen: Conditions) -> float:
        """Return the p-value of a slice in the family of this step."""
        return self._p(self._z(self._inside(chosen)))

    def _inside(self, chosen: Conditions) -> Flags:
        """bool[left], the rows of a slice."""
        found = np.ones(len(self._left), np.bool_)
        for column, first, end in chosen:
            codes = self._codes[column]
            found &= (codes >= first) & (codes < end)
        return found

    def _z(self, inside: Flags, within: Flags | None = None) -> float:
        """Return the statistic of rows among all that are left, or among some of them."""
        losses = self._losses
        if within is not None:
            losses, inside = losses.at(np.flatnonzero(within)), inside[within]
        return float(statistic(losses, inside))

    def _explaining(self, chosen: Conditions) -> Conditions:
        """Return the smallest slice that explains a slice: worse inside all of its parents.

        A parent that is worse as a whole, in which no slice differs, replaces it; so does a slice
        inside it that is worse than its other rows.
        """
        seen = {chosen}
        while True:
            upper = self._widened(chosen)
            if upper != chosen:
                upper = self._fitted(upper)
            lower = self._narrowed(upper)
            if lower in seen:
                return lower
            seen |= {upper, lower}
            chosen = lower

    def _widened(self, chosen: Conditions) -> Conditions:
        """Return the largest parent inside which the slice is not significantly worse."""
        while (upper := self._parent(chosen, self._inside(chosen))) is not None:
            chosen = upper
        return chosen

    def _parent(self, chosen: Conditions, inside: Flags) -> Conditions | None:
        """Return the parent that is significant, and as bad as the rows inside; or None."""
        parents = [(self._z(self._inside(up)), up) for up in self._parents(chosen)]
        parents = [pair for pair in parents if pair[0] >= self._critical]
        for _, parent in sorted(parents, key=lambda pair: -pair[0]):
            if not self._is_worse_within(inside, parent):
                return parent
        return None

    def _parents(self, chosen: Conditions) -> Iterator[Conditions]:
        """Yield the slices with one condition, or one limit of a range, fewer."""
        for place, (column, first, end) in enumerate(chosen):
            others = chosen[:place], chosen[place + 1 :]
            if len(chosen) > 1:
                yield (*others[0], *others[1])
            n = self._columns[column].n_ordered
            if first > 0 and end < n:
                yield (*others[0], Condition(column, 0, end), *others[1])
                yield (*others[0], Condition(column, first, n), *others[1])

    def _is_worse_within(self, inside: Flags, parent: Conditions) -> bool:
        """Return whether a slice is worse than the rest of a parent, among all of its slices."""
        within = self._inside(parent)
        family, losses, statistics = self._family_within(within)
        if not family.size or not losses.is_varied:
            return False
        z = self._z(inside, within)
        settings = self._settings
        n, alpha = settings.n_permutations, settings.alpha_over(_WITHIN)
        return _null(statistics, losses, n, self._seed, z, alpha) is not None

    def _family_within(self, within: Flags) -> tuple[Family, RowLosses, Statistics]:
        rows = np.flatnonzero(within)
        losses = self._losses.at(rows)
        family = Family(self._columns, self._left[rows], 1, self._settings.min_n)
        return family, losses, Statistics(family, losses)

    def _narrowed(self, chosen: Conditions) -> Conditions:
        """Return the slice inside it that is worse than its other rows; itself if there is none."""
        within = self._inside(chosen)
        family, losses, statistics = self._family_within(within)
        if not family.size or not losses.is_varied:
            return chosen
        observed = statistics.observed()
        tops = [float(z.max(initial=0.0)) for z in observed]
        own = {one.column: one for one in chosen}
        if len(chosen) >= self._settings.depth:
            # No further column: only its ranges may become narrower.
            tops = [z if place in own else 0.0 for place, z in enumerate(tops)]
        place = int(np.argmax(tops))
        if not tops[place] > 0.0:
            return chosen
        (span,) = family.blocks[place].spans_at(int(observed[place].argmax()))
        added = Condition(*span)
        if (held := own.pop(place, None)) is not None:
            added = Condition(place, max(added.first, held.first), min(added.end, held.end))
        made = tuple(sorted((*own.values(), added)))
        settings = self._settings
        n, alpha = settings.n_permutations, settings.alpha_over(_INSIDE)
        null = _null(statistics, losses, n, self._seed, tops[place], alpha)
        if null is None or self._z(self._inside(made)) < self._critical:
            return chosen
        return made

    def _fitted(self, chosen: Conditions) -> Conditions:
        """Return the slice of the same columns with the best ranges, one after the other."""
        for _ in range(_ROUNDS):
            before = chosen
            for place, (column, first, end) in enumerate(chosen):
                of = self._columns[column]
                if end > of.n_ordered:
                    continue
                others = (*chosen[:place], *chosen[place + 1 :])
                rows = self._inside(others)
                codes = self._codes[column][rows]
                n_rows = np.bincount(codes, minlength=of.n_parts + 1)[: of.n_ordered]
                sums = np.bincount(codes, self._losses.moved[rows], of.n_parts + 1)[: of.n_ordered]
                spans = of.spans[(of.spans[:, 0] < end) & (of.spans[:, 1] > first)]
                # A range that is open at an end stays open: no limit is added.
                last = of.n_ordered
                is_kept = spans[:, 1] <= last
                is_kept &= (spans[:, 0] == 0) | (first > 0)
                is_kept &= (spans[:, 1] == last) | (end < last)
                spans = spans[is_kept]
                held, added = (
                    np.diff(np.append(0.0, np.cumsum(x))[spans], axis=1)[:, 0]
                    for x in (n_rows, sums)
                )
                z = self._pooled(added, held)
                now = (spans[:, 0] == first) & (spans[:, 1] == end)
                best = int(z.argmax())
                if z[best] > z[now].max(initial=-np.inf) + _TIE:
                    new = Condition(column, int(spans[best, 0]), int(spans[best, 1]))
                    chosen = tuple(sorted((*others, new)))
            if chosen == before:
                break
        return chosen

    def _pooled(self, sums: Floats, n_rows: Floats) -> Floats:
        """float64[s]: statistics up to a factor; −∞ for slices that are not examined."""
        n, total = float(self._losses.n), float(self._losses.moved.sum())
        is_kept = (n_rows >= self._settings.min_n) & (n_rows < n)
        found = np.full(len(sums), -np.inf)
        held = n_rows[is_kept]
        found[is_kept] = (sums[is_kept] - total * held / n) / np.sqrt(held * (n - held))
        return found

    def finding(self, chosen: Conditions, p: float) -> Finding:
        """Return the slice with limits as exact as the numbers of its columns allow."""
        ranges = self._ranges(chosen)
        rows = self._rows(chosen, ranges)
        keys: list[str | Range] = [
            self._columns[column].keys[first] if limits is None else limits
            for (column, first, _), limits in zip(chosen, ranges, strict=True)
        ]
        inside = rows[self._left]
        counted, others = np.zeros((2, self._n_all), np.bool_)
        counted[self._left], others[self._left] = inside, ~inside
        columns = tuple(column for column, _, _ in chosen)
        return Finding(columns, tuple(keys), rows, counted, others, self._z(inside), p)

    def _rows(self, chosen: Conditions, ranges: Sequence[Range | None]) -> Flags:
        """bool[n], the given rows of a slice with these ranges."""
        rows = np.ones(self._n_all, np.bool_)
        for (column, first, _), limits in zip(chosen, ranges, strict=True):
            of = self._columns[column]
            if limits is None:
                rows &= of.codes == first
            else:
                assert of.numbers is not None
                rows &= _is_within(of.numbers, limits)
        return rows

    def _ranges(self, chosen: Conditions) -> list[Range | None]:
        """Return the range of each condition that is one, with each limit optimized.

        A limit moves between those of the neighboring parts, over every number that occurs.
        """
        found = [self._range(one) for one in chosen]
        for _ in range(_ROUNDS):
            before = list(found)
            for place, (column, first, end) in enumerate(chosen):
                if found[place] is None or self._columns[column].keys[first]:
                    continue
                for is_low, part in ((True, first), (False, end)):
                    if 0 < part < self._columns[column].n_ordered:
                        found[place] = self._moved(chosen, found, place, part, is_low=is_low)
            if before == found:
                break
        return found

    def _range(self, one: Condition) -> Range | None:
        of = self._columns[one.column]
        if one.end > of.n_ordered or (one.end == one.first + 1 and of.keys[one.first]):
            return None
        assert of.numbers is not None
        numbers, codes = of.numbers, of.codes
        limits, above = [], []
        for part in (one.first, one.end):
            is_inner = 0 < part < of.n_ordered
            limits.append(float(numbers[codes < part].max()) if is_inner else None)
            later = numbers[(codes >= part) & (codes < of.n_ordered)]
            above.append(float(later.min()) if is_inner else None)
        return Range(limits[0], limits[1], (above[0], above[1]))

    def _moved(
        self,
        chosen: Conditions,
        ranges: Sequence[Range | None],
        place: int,
        part: int,
        *,
        is_low: bool,
    ) -> Range:
        now = ranges[place]
        assert now is not None
        of = self._columns[chosen[place].column]
        assert of.numbers is not None
        numbers = of.numbers[self._left]
        rows = np.ones(len(self._left), np.bool_)
        for i, ((column, first, _), limits) in enumerate(zip(chosen, ranges, strict=True)):
            if i == place:
                open_ = Range(None, now.high) if is_low else Range(now.low, None)
                rows &= _is_within(numbers, open_)
            elif limits is None:
                rows &= self._codes[column] == first
            else:
                other = self._columns[column].numbers
                assert other is not None
                rows &= _is_within(other[self._left], limits)
        beside = (of.codes == part - 1) | (of.codes == part)
        cuts = np.unique(of.numbers[beside])
        cuts, above = cuts[:-1], cuts[1:]
        opposite = now.high if is_low else now.low
        if opposite is not None:
            is_inside = cuts < opposite if is_low else cuts > opposite
            cuts, above = cuts[is_inside], above[is_inside]
        at = np.searchsorted(cuts, numbers[rows], side="left")
        n_rows = np.cumsum(np.bincount(at, minlength=len(cuts) + 1).astype(np.float64))
        sums = np.cumsum(
            np.bincount(at, self._losses.moved[rows], len(cuts) + 1).astype(np.float64)
        )
        if is_low:
            n_rows, sums = n_rows[-1] - n_rows, sums[-1] - sums
        z = self._pooled(sums[:-1], n_rows[:-1])
        kept = now.low if is_low else now.high
        if not len(z) or not np.isfinite(z.max()):
            return now
        best = int(z.argmax())
        if kept is not None and kept in cuts and z[best] <= z[cuts == kept][0] + _TIE:
            return now
        cut, after = float(cuts[best]), float(above[best])
        if is_low:
            return Range(cut, now.high, (after, now.above[1]))
        return Range(now.low, cut, (now.above[0], after))


def _is_within(numbers: Floats, limits: Range) -> Flags:
    found = ~np.isnan(numbers)
    if limits.low is not None:
        found &= numbers > limits.low
    if limits.high is not None:
        found &= numbers <= limits.high
    return found


def _seed(seed: int, place: int) -> int:
    return int(np.random.SeedSequence([seed, place]).generate_state(1)[0])


def _null(
    statistics: Statistics,
    losses: RowLosses,
    n_permutations: int,
    seed: int,
    z: float,
    alpha: float | None = None,
) -> Floats | None:
    """float64[b], sorted: the largest statistic of each replicate.

    With `alpha`, it is None as soon as the p of z is certain to be larger.
    """
    found: list[Floats] = []
    n_larger, most = 0, np.inf if alpha is None else alpha * (n_permutations + 1) - 1.0 + 1e-9
    for values in losses.replicates(n_permutations, seed):
        found.append(statistics.largest(values))
        n_larger += int((found[-1] >= z - _TIE).sum())
        if n_larger > most:
            return None
    return np.sort(np.concatenate(found))


def statistic(losses: RowLosses, inside: Flags) -> float:
    """Return the statistic of `Statistics` for some rows."""
    n, m = float(losses.n), float(inside.sum())
    if not 0.0 < m < n:
        return 0.0
    moved = losses.moved
    own = moved[inside]
    part = m / n
    variance = float(moved.var())
    if losses.is_studentized:
        rest = moved[~inside]
        sides = ((side.sum(), np.square(side).sum()) for side in (own, rest))
        variance = max(variance, float(unequal(np.asarray(m), n, *sides)))
    variance *= m * (n - m) / (n - 1.0)
    if losses.clusters is not None:
        added = np.bincount(losses.clusters, (inside - part) * moved)
        variance = max(variance, float(added @ added))
    return (float(own.sum()) - part * float(moved.sum())) / variance**0.5 if variance else 0.0
