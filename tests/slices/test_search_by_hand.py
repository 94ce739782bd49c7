"""Steps of a search: each limit, range, parent and p-value by a loop over rows."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from karat.inference.slices import search as searching
from karat.inference.slices.candidates import SearchColumn, column_of_numbers, column_of_values
from karat.inference.slices.losses import RowLosses, Statistics
from karat.inference.slices.search import (
    Condition,
    Conditions,
    Range,
    Settings,
    Step,
    search,
    statistic,
)

N = 90
ALL = np.arange(N)


def settings(**given: Any) -> Settings:
    """Slices of at least five rows, two columns deep, with 99 permutations."""
    usual = {"depth": 2, "min_n": 5, "alpha": 0.05, "n_permutations": 99, "seed": 3}
    return Settings(**{**usual, **given})


def numbers_of(numbers: np.ndarray) -> SearchColumn:
    return column_of_numbers("x", np.empty(0), ["missing"], numbers, are_few=False)


def values_of(codes: np.ndarray) -> SearchColumn:
    keys = [f"{i}" for i in range(int(codes.max()) + 1)]
    return column_of_values("c", codes, keys, 1)


def table(seed: int) -> tuple[list[SearchColumn], np.ndarray]:
    """Two columns of numbers, some missing, between them one of three values; losses of 0 and 1."""
    rng = np.random.default_rng([31, seed])
    numbers = rng.integers(0, 60, (2, N)).astype(float)
    numbers[0, :7] = np.nan
    codes = rng.integers(0, 3, N)
    loss = (rng.random(N) < 0.35).astype(float)
    return [numbers_of(numbers[0]), values_of(codes), numbers_of(numbers[1])], loss


def step_of(
    columns: list[SearchColumn], loss: np.ndarray, left: np.ndarray = ALL, **given: Any
) -> Step:
    """The first step of a search, or one on the rows that are left."""
    return Step(columns, RowLosses.of(loss), left, settings(**given), 0)


def excess(loss: np.ndarray, inside: np.ndarray, min_n: int = 5) -> float:
    """Loss of some rows above its expectation, over √(m·(n − m)); −∞ if they are too few or all."""
    n, m = len(loss), int(inside.sum())
    if m < min_n or m >= n:
        return -math.inf
    return float(loss[inside].sum() - loss.sum() * m / n) / math.sqrt(m * (n - m))


def is_within(x: np.ndarray, low: float | None, high: float | None) -> np.ndarray:
    """Rows above one number and up to the other; of no number none."""
    return np.array(
        [(low is None or a > low) and (high is None or a <= high) and a == a for a in x]
    )


def test_a_part_of_a_level_is_at_least_the_least_p_value() -> None:
    """Of 99 permutations that is 0.01, and at most the level."""
    one = settings(alpha=0.2)
    assert [one.alpha_over(d) for d in (5.0, 10.0, 20.0, 50.0)] == [0.04, 0.02, 0.01, 0.01]
    assert settings(alpha=0.05, n_permutations=9).alpha_over(5.0) == 0.05
    assert settings(alpha=0.004).alpha_over(50.0) == 0.004


def test_seeds_of_steps_follow_from_that_of_the_search() -> None:
    """The first step has the given one; each later one is of NumPy's sequence of both numbers."""
    columns, loss = table(0)
    rows = RowLosses.of(loss)
    found = [Step(columns, rows, ALL, settings(seed=8), place)._seed for place in range(4)]
    later = [int(np.random.SeedSequence([8, i]).generate_state(1)[0]) for i in (1, 2, 3)]
    assert found == [8, *later]


def test_before_its_permutations_a_step_knows_nothing() -> None:
    """No statistic is significant, and every p is 1."""
    columns, loss = table(0)
    step = step_of(columns, loss)
    assert (step.n_shown, step.p, step._critical) == (0, 1.0, math.inf)
    assert step.p_of((Condition(1, 0, 1),)) == 1.0


@pytest.mark.parametrize("are_alike", [False, True])
def test_where_nothing_can_differ_no_slice_is_best(are_alike: bool) -> None:
    """With losses all alike, or without a slice that has enough rows."""
    columns, loss = table(1)
    step = step_of(columns, loss * 0.0 + 0.3 if are_alike else loss, min_n=5 if are_alike else N)
    assert step.best(is_first=True) is None
    assert (step.n_shown, step.p) == (0, 1.0)
    assert step._is_worse_within(loss > 0.0, ()) is False
    assert step._narrowed(()) == ()


def test_p_values_of_a_step_count_the_permutations_as_large() -> None:
    """Of 1, …, 19, and the smallest significant statistic is the one with a p of at most alpha."""
    columns, loss = table(2)
    for alpha, most in ((0.05, 0), (0.1, 1), (0.3, 5), (0.0999999, 0), (0.95, 18)):
        step = step_of(columns, loss, alpha=alpha, n_permutations=19)
        step._null = np.arange(1.0, 20.0)
        for z in (0.5, 1.0, 7.0, 7.0 + 0.5e-9, 7.0 + 2e-9, 18.5, 19.0, 19.5):
            at_least = sum(one >= z - 1e-9 for one in range(1, 20))
            assert step._p(z) == (1 + at_least) / 20
        # `most` permutations are larger than the next one, 19 − most.
        assert step._critical == pytest.approx(19.0 - most + 2e-9, abs=2e-10)
        assert step._p(step._critical) <= alpha + 1e-12 < step._p(19.0 - most)
    for alpha in (0.04, 1.0):
        step = step_of(columns, loss, alpha=alpha, n_permutations=19)
        step._null = np.arange(1.0, 20.0)
        assert step._critical == math.inf, "no number of permutations"


def test_rows_of_conditions_are_those_whose_parts_are_in_every_run() -> None:
    """On all rows and on those that are left."""
    columns, loss = table(3)
    chosen = Condition(0, 3, 9), Condition(1, 1, 2)
    expected = [
        3 <= a < 9 and b == 1 for a, b in zip(columns[0].codes, columns[1].codes, strict=True)
    ]
    left = np.flatnonzero(np.arange(N) % 4)
    for rows in (ALL, left):
        step = step_of(columns, loss, rows)
        inside = step._inside(chosen)
        assert inside.tolist() == [expected[i] for i in rows]
        z = statistic(RowLosses.of(loss[rows]), inside)
        assert step._z(inside) == pytest.approx(z, rel=1e-12)
        within = step._inside(chosen[1:])
        z = statistic(RowLosses.of(loss[rows][within]), inside[within])
        assert step._z(inside, within) == pytest.approx(z, rel=1e-12)
        step._null = np.sort(np.random.default_rng(0).normal(size=19))
        assert step.p_of(chosen) == step._p(step._z(inside))


def test_sums_are_pooled_for_slices_of_enough_rows_but_not_all() -> None:
    """From `min_n` on, here 5, up to n − 1."""
    columns, loss = table(4)
    step = step_of(columns, loss)
    sums, n_rows = np.array([2.0, 3.0, 9.0, 1.0, 20.0]), np.array([4.0, 5.0, 30.0, 89.0, 90.0])
    expected = [
        (s - loss.sum() * m / N) / math.sqrt(m * (N - m)) if 5 <= m < N else -math.inf
        for s, m in zip(sums, n_rows, strict=True)
    ]
    assert step._pooled(sums, n_rows) == pytest.approx(np.array(expected), rel=1e-13)


def test_parents_have_one_condition_or_one_limit_fewer() -> None:
    """A run that is open at an end has no limit to lose; a value has none at all."""
    columns, loss = table(5)
    n = columns[0].n_ordered
    step = step_of(columns, loss)
    a, b, c = Condition(0, 3, 9), Condition(1, 2, 3), Condition(2, 1, n - 1)
    low, high = Condition(0, 3, n), Condition(0, 0, 9)
    assert list(step._parents((a,))) == [(high,), (low,)]
    assert list(step._parents((b,))) == []
    assert list(step._parents((high,))) == list(step._parents((low,))) == []
    assert list(step._parents((low, b))) == [(b,), (low,)]
    assert list(step._parents((a, b))) == [(b,), (high, b), (low, b), (a,)]
    m = columns[2].n_ordered
    wide = Condition(2, 0, n - 1), Condition(2, 1, m)
    expected = [(b, c), (high, b, c), (low, b, c), (a, c), (a, b), (a, b, wide[0]), (a, b, wide[1])]
    assert list(step._parents((a, b, c))) == expected
    missing = Condition(0, n, n + 1)
    assert list(step._parents((missing, b))) == [(b,), (missing,)]


def test_the_worst_parent_in_which_nothing_differs_is_taken() -> None:
    """Only of those that are significant: from the critical value on."""
    columns, loss = table(6)
    loss[columns[1].codes == 1] = 0.0
    step: Any = step_of(columns, loss)
    inside = step._inside(chosen := (Condition(0, 3, 9), Condition(1, 1, 2)))
    parents = sorted(step._parents(chosen), key=lambda up: -step._z(step._inside(up)))
    z = [step._z(step._inside(up)) for up in parents]
    assert next(step._parents(chosen)) != parents[0]
    step.__class__ = type("Known", (Step,), {"_critical": z[2]})
    for refused, taken in (([], 0), ([0], 1), ([0, 1], 2), ([0, 1, 2], None)):
        asked = []

        def is_worse(
            rows: Any, parent: Conditions, refused: Any = refused, asked: Any = asked
        ) -> bool:
            assert rows is inside
            asked.append(parent)
            return parents.index(parent) in refused

        step._is_worse_within = is_worse
        assert step._parent(chosen, inside) == (None if taken is None else parents[taken])
        assert asked == parents[: 3 if taken is None else taken + 1]


def scripted(**calls: dict[Any, Any]) -> Any:
    """A step whose methods answer from these tables, each question once."""
    columns, loss = table(7)
    step: Any = step_of(columns, loss)
    for name, answers in calls.items():
        kept = dict(answers)
        setattr(step, name, lambda chosen, *_, kept=kept: kept.pop(chosen))
    return step


A, B, C, D = ((Condition(0, i, i + 1),) for i in (2, 4, 6, 8))


def test_a_slice_is_widened_to_its_largest_parent() -> None:
    """One parent after the other, until none explains it."""
    assert scripted(_parent={A: B, B: C, C: None})._widened(A) == C
    assert scripted(_parent={A: None})._widened(A) == A


def test_an_explanation_goes_up_and_down_until_it_comes_back() -> None:
    """A parent is fitted; the slice that is reached twice is the explanation."""
    same = scripted(_widened={A: A}, _fitted={}, _narrowed={A: A})
    assert same._explaining(A) == A
    back = scripted(_widened={A: B}, _fitted={B: C}, _narrowed={C: A})
    assert back._explaining(A) == A
    down = scripted(_widened={A: A, B: B}, _fitted={}, _narrowed={A: B, B: B})
    assert down._explaining(A) == B
    up = scripted(_widened={A: B, D: D}, _fitted={B: C}, _narrowed={C: D, D: D})
    assert up._explaining(A) == D
    again = scripted(_widened={A: B, D: C}, _fitted={B: B, C: C}, _narrowed={B: D, C: B})
    assert again._explaining(A) == B


def test_a_slice_with_exact_limits_may_still_give_way_to_a_parent() -> None:
    """The parent is fitted, and asked again, until it is one of those before."""
    assert scripted(_parent={A: None}, _fitted={})._settled(A) == A
    assert scripted(_parent={A: B, C: None}, _fitted={B: C})._settled(A) == C
    assert scripted(_parent={A: B}, _fitted={B: A})._settled(A) == B
    found = scripted(_parent={A: B, C: B}, _fitted={B: C})
    found._fitted = lambda _: C
    assert found._settled(A) == B


@pytest.mark.parametrize(("name", "divisor"), [("_is_worse_within", 5.0), ("_narrowed", 50.0)])
def test_parts_of_a_slice_are_told_apart_at_a_part_of_the_level(
    name: str, divisor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fifth for a slice within its parent, a fiftieth for one inside the best."""
    columns, loss = table(8)
    step = step_of(columns, loss, n_permutations=9999)
    parent = (Condition(0, 4, columns[0].n_ordered),)
    within = step._inside(parent)
    inside = step._inside((Condition(0, 9, columns[0].n_ordered),))
    asked: list[Any] = []

    def null(statistics: Any, losses: Any, n: int, seed: int, z: float, alpha: float) -> Any:
        asked.append((n, seed, alpha))
        assert losses.n == within.sum()
        tops = [float(block.max()) for block in statistics.observed()]
        assert len(tops) == 3, "no crosses"
        assert z == pytest.approx(step._z(inside, within) if divisor == 5.0 else max(tops))
        return answer

    monkeypatch.setattr(searching, "_null", null)
    for answer in (None, np.zeros(3)):
        if divisor == 5.0:
            assert step._is_worse_within(inside, parent) == (answer is not None)
        else:
            assert step._narrowed(parent) == parent, "without a critical value"
    assert asked == [(9999, 3, pytest.approx(0.05 / divisor, rel=1e-12))] * 2


def planted() -> tuple[list[SearchColumn], np.ndarray]:
    """240 rows with numbers 0, …, 119 twice, and two columns of two and of three values."""
    x = np.repeat(np.arange(120.0), 2)
    sides, thirds = np.arange(240) % 2, np.arange(240) // 2 % 3
    return [values_of(sides), numbers_of(x), values_of(thirds)], np.zeros(240)


def narrowed(loss: np.ndarray, chosen: Conditions, critical: float = 2.0, **given: Any) -> Any:
    """The slice inside a slice of the planted columns."""
    step = step_of(planted()[0], loss, np.arange(240), **given)
    step.__class__ = type("Known", (Step,), {"_critical": critical})
    return step._narrowed(chosen)


def test_a_slice_inside_has_the_limits_of_both() -> None:
    """Numbers 84 to 101 of 30 to 107: all above 83, and within what was chosen."""
    columns, loss = planted()
    x = columns[1].numbers
    assert x is not None
    loss[(x >= 84) & (x < 102)] = 1.0
    for chosen, made in (((5, 17), (14, 17)), ((14, 18), (14, 17)), ((2, 15), (14, 15))):
        assert narrowed(loss, (Condition(1, *chosen),)) == (Condition(1, *made),), chosen
    loss[:] = (x >= 12) & (x < 30)
    for chosen, made in (((3, 15), (3, 5)), ((1, 19), (1, 5))):
        assert narrowed(loss, (Condition(1, *chosen),)) == (Condition(1, *made),), chosen


def test_a_slice_inside_may_have_one_column_more_up_to_the_depth() -> None:
    """Conditions are in the order of columns; at the depth, only the own ranges are narrowed."""
    columns, loss = planted()
    x = columns[1].numbers
    assert x is not None
    second = columns[0].codes == 1
    loss[(x >= 60) & second] = 1.0
    of_x, of_side = Condition(1, 10, 20), Condition(0, 1, 2)
    assert narrowed(loss, (of_x,)) == narrowed(loss, (of_side,)) == (of_side, of_x)
    wide = (Condition(1, 4, 20),)
    assert narrowed(loss, wide, depth=1) == (of_x,)
    assert narrowed(loss, (of_x,), depth=1) == (of_x,)
    third = Condition(2, 0, 1)
    assert narrowed(loss, (third,), depth=2) == (of_side, third)
    assert narrowed(loss, (of_x, third), depth=2) == (of_x, third)
    assert narrowed(loss, (of_x, third), depth=3) == (of_side, of_x, third)


def test_a_slice_inside_is_significant_itself() -> None:
    """With the statistic of its rows among all, from the critical value on."""
    columns, loss = planted()
    x = columns[1].numbers
    assert x is not None
    loss[x >= 60] = 1.0
    wide, made = (Condition(1, 4, 20),), (Condition(1, 10, 20),)
    z = statistic(RowLosses.of(loss), x >= 60)
    assert narrowed(loss, wide, z) == made
    assert narrowed(loss, wide, z + 1e-7) == wide
    even = (np.arange(240) // 6 % 2).astype(float)
    assert narrowed(even, wide) == wide


def best_span(
    columns: list[SearchColumn], loss: np.ndarray, left: np.ndarray, chosen: Conditions, at: int
) -> Condition:
    """Of the slices of a column that share a part with its run, the one with the most excess."""
    column, first, end = chosen[at]
    of = columns[column]
    last = of.n_ordered

    def z(a: int, b: int) -> float:
        inside = np.ones(len(left), bool)
        for i, (other, low, high) in enumerate(chosen):
            codes = columns[other].codes[left]
            inside &= (codes >= (a if i == at else low)) & (codes < (b if i == at else high))
        return excess(loss[left], inside)

    spans = [(int(a), int(b)) for a, b in of.spans if a < end and b > first and b <= last]
    spans = [(a, b) for a, b in spans if (a == 0 or first > 0) and (b == last or end < last)]
    best = max(spans, key=lambda span: z(*span))
    now = z(first, end) if (first, end) in spans else -math.inf
    return Condition(column, *best) if z(*best) > now + 1e-9 else chosen[at]


@pytest.mark.parametrize("seed", range(6))
def test_fitted_ranges_are_the_best_one_after_the_other(seed: int) -> None:
    """Up to five times over all conditions; open ends stay open, and values as they are."""
    columns, loss = table(10 + seed)
    left = np.flatnonzero(np.random.default_rng(seed).random(N) < 0.9)
    step = step_of(columns, loss, left)
    n, m = columns[0].n_ordered, columns[2].n_ordered
    value, missing = Condition(1, seed % 3, seed % 3 + 1), Condition(0, n, n + 1)
    for chosen in (
        (Condition(0, 5, n),), (Condition(0, 0, 7),), (Condition(0, 6, 9),), (value,), (missing,),
        (Condition(0, 3, 11), value), (value, Condition(2, 8, m)), (missing, Condition(2, 2, 9)),
        (Condition(0, 5, n), Condition(2, 2, 14)), (Condition(0, 2, 8), value, Condition(2, 0, 16)),
    ):  # fmt: skip
        expected = list(chosen)
        for _ in range(5):
            for at, one in enumerate(chosen):
                if one != value and one != missing:
                    expected[at] = best_span(columns, loss, left, tuple(expected), at)
        assert step._fitted(chosen) == tuple(expected), chosen


def test_a_fitted_range_shares_a_part_with_the_one_before() -> None:
    """A value becomes the range from an end up to the worse one beside it, not that one."""
    codes = ALL % 5
    few = column_of_numbers("f", codes, list("abcde"), codes * 1.0, are_few=True)
    step = step_of([few], (codes == 2).astype(float))
    assert step._fitted((Condition(0, 1, 2),)) == (Condition(0, 0, 3),)
    assert step._fitted((Condition(0, 3, 4),)) == (Condition(0, 2, 5),)


def range_of(of: SearchColumn, first: int, end: int) -> Range:
    """The largest number before each limit, and the smallest one after it."""
    assert of.numbers is not None
    pairs = [(c, x) for c, x in zip(of.codes.tolist(), of.numbers.tolist(), strict=True) if x == x]
    lows = [max(x for c, x in pairs if c < part) if 0 < part < of.n_ordered else None
            for part in (first, end)]  # fmt: skip
    highs = [min(x for c, x in pairs if c >= part) if 0 < part < of.n_ordered else None
             for part in (first, end)]  # fmt: skip
    return Range(lows[0], lows[1], (highs[0], highs[1]))


def test_a_run_of_parts_has_the_numbers_beside_its_limits() -> None:
    """A value is no range, nor are the rows without a number."""
    columns, loss = table(20)
    step, n = step_of(columns, loss), columns[0].n_ordered
    for first, end in ((0, 4), (3, n), (2, 9), (5, 6), (n - 1, n), (0, 1)):
        assert step._range(Condition(0, first, end)) == range_of(columns[0], first, end)
    for one in (Condition(0, n, n + 1), Condition(1, 0, 1), Condition(1, 2, 3)):
        assert step._range(one) is None
    # Of few numbers each is a value, and two of them are a range.
    codes = np.arange(N) % 4
    few = column_of_numbers("f", codes, list("abcd"), codes * 2.0, are_few=True)
    step = step_of([few], loss)
    assert step._ranges((Condition(0, 1, 2),)) == [None]
    assert step.finding((Condition(0, 1, 2),), 1.0).keys == ("b",)
    assert step._range(Condition(0, 1, 3)) == Range(0.0, 4.0, (2.0, 6.0))
    assert step._range(Condition(0, 0, 2)) == Range(None, 2.0, (None, 4.0))


def moved(
    columns: list[SearchColumn], loss: np.ndarray, left: np.ndarray, chosen: Conditions,
    ranges: list[Range | None], at: int, is_low: bool,
) -> Range:  # fmt: skip
    """A range with one limit at the number, of those in the parts beside it, of most excess."""
    now, part = ranges[at], chosen[at][1 if is_low else 2]
    of = columns[chosen[at].column]
    assert now is not None
    assert of.numbers is not None
    others = np.ones(len(left), bool)
    for i, (other, value, _) in enumerate(chosen):
        limits, numbers = ranges[i], columns[other].numbers
        if i != at and limits is None:
            others &= columns[other].codes[left] == value
        elif i != at and limits is not None and numbers is not None:
            others &= is_within(numbers[left], limits.low, limits.high)
    beside = sorted({x for c, x in zip(of.codes, of.numbers, strict=True) if c in (part - 1, part)})
    found = {}
    for cut, after in pairwise(beside):
        low, high = (cut, now.high) if is_low else (now.low, cut)
        if low is None or high is None or low < high:
            z = excess(loss[left], others & is_within(of.numbers[left], low, high))
            above = (after, now.above[1]) if is_low else (now.above[0], after)
            found[cut] = z, Range(low, high, above)
    kept = now.low if is_low else now.high
    z, best = max(found.values(), key=lambda pair: pair[0], default=(-math.inf, now))
    if z == -math.inf or (kept in found and z <= found[kept][0] + 1e-9):
        return now
    return best


@pytest.mark.parametrize("seed", range(6))
def test_limits_are_moved_to_the_best_number_beside_them(seed: int) -> None:
    """Up to five times over all limits; a limit stays where another is no better."""
    columns, loss = table(40 + seed)
    left = np.flatnonzero(np.random.default_rng(seed).random(N) < 0.9)
    step = step_of(columns, loss, left)
    n, m = columns[0].n_ordered, columns[2].n_ordered
    value, missing = Condition(1, seed % 3, seed % 3 + 1), Condition(0, n, n + 1)
    for chosen in (
        (Condition(0, 6, n),), (Condition(0, 0, 7),), (Condition(0, 6, 8),), (Condition(0, 1, 2),),
        (value,), (Condition(0, 3, 11), value), (value, Condition(2, 8, m)),
        (missing, Condition(2, 2, 3)), (Condition(0, 5, n), Condition(2, 1, 14)),
        (Condition(0, 1, 12), value, Condition(2, 0, m - 1)), (Condition(0, 4, 5), value),
    ):  # fmt: skip
        is_range = [one != value and one != missing for one in chosen]
        ranges = [range_of(columns[c], a, b) if held else None
                  for (c, a, b), held in zip(chosen, is_range, strict=True)]  # fmt: skip
        for _ in range(5):
            for at, (column, *limits) in enumerate(chosen):
                for is_low, part in zip((True, False), limits, strict=True):
                    if is_range[at] and 0 < part < columns[column].n_ordered:
                        given = columns, loss, left, chosen, ranges, at
                        expected = moved(*given, is_low)
                        assert step._moved(chosen, ranges, at, part, is_low=is_low) == expected
                        ranges[at] = expected
        assert step._ranges(chosen) == ranges, chosen
        found = step.finding(chosen, 0.25)
        rows = np.ones(N, bool)
        keys: list[Any] = []
        for (column, first, _), limits in zip(chosen, ranges, strict=True):
            of = columns[column]
            is_in = of.codes == first
            if limits is not None and of.numbers is not None:
                is_in = is_within(of.numbers, limits.low, limits.high)
            rows &= is_in
            keys.append(of.keys[first] if limits is None else limits)
        assert (found.columns, found.keys) == (tuple(one.column for one in chosen), tuple(keys))
        assert found.p == 0.25
        is_left = np.isin(ALL, left)
        for flags, expected in ((found.rows, rows), (found.counted, rows & is_left),
                                (found.others, ~rows & is_left)):  # fmt: skip
            assert (flags == expected).all()
        z = statistic(RowLosses.of(loss[left]), rows[left])
        assert found.z == pytest.approx(z, rel=1e-12)


def test_the_best_slice_is_the_largest_of_all_with_its_p_value() -> None:
    """Significant slices are counted, by a loop over every slice of one column and of two."""
    columns, loss = planted()
    loss[:] = np.arange(240) % 7 == 0
    loss[(columns[0].codes == 1) & (columns[2].codes == 2)] = 1.0
    del columns[1]
    for alpha, n in ((0.05, 19), (0.1, 19), (0.049, 19)):
        step = step_of(columns, loss, np.arange(240), alpha=alpha, n_permutations=n)
        found = step.best(is_first=True)
        assert step.p == 0.05, "no permutation has as large a statistic"
        ones = [(Condition(i, a, a + 1),) for i, k in ((0, 2), (1, 3)) for a in range(k)]
        crosses = [(a[0], b[0]) for a in ones[:2] for b in ones[2:]]
        error = math.sqrt(loss.var() / 239)
        z = {one: excess(loss, step._inside(one)) / error for one in (*ones, *crosses)}
        assert step.family.size == len(z) == 11
        if alpha < 0.05:
            assert (found, step.n_shown) == (None, 0)
        else:
            assert (
                found == max(z, key=lambda one: z[one]) == (Condition(0, 1, 2), Condition(1, 2, 3))
            )
            assert step.n_shown == sum(each >= step._critical for each in z.values()) > 1
            again = step_of(columns, loss, np.arange(240), alpha=alpha, n_permutations=n)
            blocks = Statistics(step.family, step._losses).observed()
            tops = sorted(float(each) for block in blocks for each in block.ravel())
            again.__class__ = type("Known", (Step,), {"_critical": tops[-3]})
            assert again.best(is_first=False) == found
            assert again.n_shown == 3, "from the critical value on"


def test_of_slices_with_the_same_rows_the_first_is_taken() -> None:
    """The second column repeats the first."""
    columns, loss = planted()
    loss[columns[0].codes == 1] = 1.0
    step = step_of([columns[0], columns[0]], loss, np.arange(240))
    assert step.best(is_first=True) == (Condition(0, 1, 2),)


def test_noise_has_no_best_slice_but_a_p_value_in_the_first_step() -> None:
    """Later steps stop at the permutations that are enough to tell."""
    columns, loss = planted()
    loss[:] = np.random.default_rng(3).random(240) < 0.5
    step = step_of(columns, loss, np.arange(240), alpha=0.05)
    assert step.best(is_first=True) is None
    assert (step.n_shown, len(step._null)) == (0, 99)
    assert 0.05 < step.p < 1.0
    later = step_of(columns, loss, np.arange(240), alpha=0.05)
    assert (later.best(is_first=False), later.p, len(later._null)) == (None, 1.0, 0)


def test_limits_that_never_settle_are_moved_five_times() -> None:
    """Each of the two limits in every round."""
    columns, loss = table(0)
    step: Any = step_of(columns, loss)
    asked: list[bool] = []

    def moved(*_: Any, is_low: bool) -> Range:
        asked.append(is_low)
        return Range(float(len(asked)), 50.0)

    step._moved = moved
    assert step._ranges((Condition(0, 3, 9),)) == [Range(10.0, 50.0)]
    assert asked == [True, False] * 5


def test_a_search_ends_without_a_slice_or_with_one_found_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Numbers of the first family are kept; p-values of later steps are never smaller."""
    losses = RowLosses.of(table(60)[1])
    rows = [ALL < 20, (ALL >= 10) & (ALL < 30), ALL >= 80]
    script: list[Any] = []

    def step(_: Any, losses: Any, left: Any, given: Any, place: int) -> Any:
        inside, p = script[place]

        def best(is_first: bool) -> Any:
            assert is_first == (place == 0)
            return None if inside is None else A

        def finding(chosen: Any, p: float) -> Any:
            assert chosen == A
            return SimpleNamespace(rows=inside, p=p, left=left.tolist())

        family = SimpleNamespace(size=50 + place)
        return SimpleNamespace(best=best, finding=finding, family=family, n_shown=7 + place,
                               p=p / 2.0, p_of=lambda chosen: p)  # fmt: skip

    monkeypatch.setattr(searching, "Step", step)
    for end in ((None, 0.9), (rows[0], 0.9)):
        script[:] = [(rows[0], 0.02), (rows[1], 0.01), (rows[2], 0.03), end]
        found = search([], losses, settings())
        assert (found.n_tested, found.n_shown, found.p) == (50, 7, 0.01)
        assert [one.p for one in found.found] == [0.02, 0.02, 0.03]
        steps: Any = found.found
        assert [one.left for one in steps] == [
            list(range(90)),
            list(range(20, 90)),
            list(range(30, 90)),
        ]
    script[:] = [(None, 0.6)]
    none = search([], losses, settings())
    assert (none.found, none.n_tested, none.n_shown, none.p) == ((), 50, 7, 0.3)
