"""Laws of bounds: between what metrics of scores lie where scores are known as buckets.

``for law in BOUND_LAWS: law(record)`` raises AssertionError with the first rows that break one. A
metric without `bounds` obeys them all: its results in buckets say that nothing is known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.metrics import Losses, Metric, Pairwise, Record
from karat.metrics._bounded import all_bounds_of
from karat.metrics._measure import measure
from karat.tally import Cells, Classes, HistogramRows, ScoreHistogram, ScoreHistograms, Sums
from karat.tally.row_sample import RowSample
from karat.tally.score_kind import ScoreKind
from karat.testing.laws import metrics_of

Numbers = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

_N_PROBLEMS: Final = 60
_CLOSE: Final = 1e-11
_HIDDEN: Final = np.int64(0x7FFFFFFFFFFFFFFF)
_EXPONENTS: Final = (0, -1, -1, -2, -4, -8, -20, -400, -1021, -1022)


@dataclass(frozen=True)
class BucketProblem:
    """Rows with scores, and what buckets tell of them.

    Attributes:
        fine: tables of every distinct score.
        coarse: the same rows in buckets.
        about: what the rows are, in words.
    """

    fine: HistogramRows
    coarse: HistogramRows
    about: str


def bucket_problems(n_problems: int, seed: int = 0) -> Iterator[BucketProblem]:
    """Rows that are hard to tell from their buckets, and random ones.

    Inside of a bucket the own rows stand first, last, by turns, all at one score or at random;
    buckets hold one row, one side or everything; scores are close to 0, 1, subnormal or negative;
    weights are none, eighths with zeros, or differ by many powers of ten.
    """
    for number in range(n_problems):
        yield _problem(np.random.default_rng([seed, number]), f"problem {number} of seed {seed}")


def _problem(rng: np.random.Generator, name: str) -> BucketProblem:
    k, n = int(rng.choice((2, 2, 3))), int(rng.choice((2, 3, 5, 9, 20, 60)))
    kind: ScoreKind = "probabilities" if rng.random() < 0.5 else "logits"
    is_prob, is_single = kind == "probabilities", k == 2 and bool(rng.random() < 0.7)
    bits = int(rng.choice((0, 1, 3, 8, 20)))
    codes, is_right = rng.integers(0, k, n), rng.integers(0, 2, n)
    weights = _weights(rng, n)

    def table(own: int, of: Numbers, n_classes: int, *, is_chance: bool) -> ScoreHistogram:
        scores = _column(rng, of == own, bits, is_chance=is_chance)
        return ScoreHistogram.of(scores, of, n_classes, weights)

    columns = [1] if is_single else list(range(k))
    ranks = tuple(table(i, codes, k, is_chance=is_prob) for i in columns)
    has_softmax = not (is_prob or is_single)
    softmax = tuple(table(i, codes, k, is_chance=True) for i in columns if has_softmax)
    sure = None if is_single else table(1, is_right, 2, is_chance=True)
    classes = Classes(tuple(range(k)), 1 if k == 2 else None)
    fine = ScoreHistograms(
        Cells.dense(np.zeros((k, k), np.int64), classes=classes),
        Sums.of({"negative_log_probability": np.zeros(n)}, codes, k, weights),
        ranks,
        softmax,
        sure,
        RowSample.empty(1, k, 1),
        kind,
        1,
    )
    coarse = replace(
        fine,
        ranks=tuple(each.coarser(bits) for each in ranks),
        probabilities=tuple(each.coarser(bits) for each in softmax),
        confidences=None if sure is None else sure.coarser(bits),
    )
    about = f"{name}: {n} rows of {k} classes in {bits} bits"
    return BucketProblem(HistogramRows(fine), HistogramRows(coarse), about)


def _weights(rng: np.random.Generator, n: int) -> Floats | None:
    """None, eighths with zeros, or numbers that differ by many powers of ten."""
    kind = int(rng.integers(0, 4))
    if kind < 2:
        return None
    found = rng.integers(0, 24, n) / 8.0 if kind == 2 else 10.0 ** rng.uniform(-8, 8, n)
    found[int(rng.integers(0, n))] = 1.0
    return found


def _column(rng: np.random.Generator, is_own: Numbers, bits: int, *, is_chance: bool) -> Floats:
    """float64[n]: scores in few buckets of so many digits, in an order that is hard to guess."""
    n, free = len(is_own), 52 - bits
    exponents = rng.choice(_EXPONENTS, int(rng.integers(1, 7)))
    starts = np.ldexp(1.0 + rng.random(len(exponents)), exponents)
    starts = np.where(rng.random(len(starts)) < 0.1, 0.0, starts)
    if is_chance:
        starts = np.where(starts > 1.0, 1.0 - starts * 2.0**-53 * rng.integers(0, 3), starts)
    else:
        starts *= rng.choice((1.0, -1.0, 2.0**30), len(starts))
    pull = rng.random() * is_own
    place = rng.integers(0, len(starts), n)
    place = np.where(rng.random(n) < pull, int(np.argmax(starts)), place)
    within = _within(rng, is_own) * (2**free - 1)
    words = np.ascontiguousarray(starts[place] + 0.0).view(np.int64)
    prefix = _ordered(words) >> np.int64(free)
    found = _ordered((prefix << np.int64(free)) + within.astype(np.int64)).view(np.float64)
    return np.clip(found, 0.0, 1.0) if is_chance else found


def _within(rng: np.random.Generator, is_own: Numbers) -> Floats:
    """Positions of rows inside a bucket, in [0, 1]."""
    n = len(is_own)
    steps = np.arange(n) / max(n - 1, 1)
    orders: dict[str, Callable[[], Floats]] = {
        "first": lambda: 0.25 + 0.5 * is_own,
        "last": lambda: 0.75 - 0.5 * is_own,
        "first, one by one": lambda: 0.5 * is_own + 0.5 * steps,
        "last, one by one": lambda: 0.5 - 0.5 * is_own + 0.5 * steps,
        "ends": lambda: is_own.astype(float),
        "by turns": lambda: steps,
        "tied": lambda: np.zeros(n),
        "random": lambda: rng.random(n),
        "few": lambda: rng.integers(0, 3, n) / 2.0,
    }
    return orders[str(rng.choice(list(orders)))]()


def _ordered(words: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The words of scores as numbers in their order, and the other way round."""
    return np.where(words < 0, words ^ _HIDDEN, words)


def metrics_in_buckets(record: Record, k: int) -> list[Metric]:
    """Every lift of the record that gives one number and that buckets may leave open."""
    if record.is_traced or record.reads in (Losses, Pairwise):
        return []
    return [metric for metric in metrics_of(record, k) if metric.lift != "per_class"]


def check_bounds(problem: BucketProblem, metrics: list[Metric]) -> int:
    """Raise AssertionError where an exact value, or that of the buckets, is outside of its bound.

    Returns:
        How many values were held against a bound.
    """
    values = measure(problem.fine, metrics)
    tied = measure(problem.coarse, metrics)
    bounds, _ = all_bounds_of(problem.coarse, metrics)
    n_held = 0
    for metric in metrics:
        exact, open_value = (float(found[metric].value) for found in (values, tied))
        about = f"{metric}: {exact!r} exactly, {open_value!r} in buckets, {problem.about}"
        limits = bounds.get(metric, (open_value, open_value))
        if limits is None:
            continue
        n_held += not math.isnan(open_value)
        if metric not in bounds:
            far = _CLOSE * max(1.0, abs(open_value))
            if not _is_near(exact, open_value, far):
                raise AssertionError(f"not exact as stated: {about}")
        elif not limits[0] <= exact <= limits[1]:
            raise AssertionError(f"outside of {limits}: {about}")
        elif not limits[0] <= open_value <= limits[1]:
            raise AssertionError(f"the value of the buckets is outside of {limits}: {about}")
    return n_held


def _is_near(left: float, right: float, far: float) -> bool:
    if math.isfinite(left) and math.isfinite(right):
        return abs(left - right) <= far
    return left == right or (math.isnan(left) and math.isnan(right))


def values_lie_in_their_bounds(record: Record) -> None:
    """The exact value and that of the buckets lie within the bounds for all rows with scores."""
    by_size = {k: metrics_in_buckets(record, k) for k in (2, 3)}
    n_held = 0
    for problem in bucket_problems(_N_PROBLEMS):
        metrics = by_size[problem.fine.classes.k]
        n_held += check_bounds(problem, metrics)
    if record.bounds is not None and not n_held:
        raise AssertionError(f"{record.name}: it has bounds, but they never say anything")


def one_score_a_bucket_is_exact(record: Record) -> None:
    """Check that every bound is exact where each bucket contains one score."""
    for problem in bucket_problems(_N_PROBLEMS // 4, seed=1):
        metrics = metrics_in_buckets(record, problem.fine.classes.k)
        if found := all_bounds_of(problem.fine, metrics)[0]:
            raise AssertionError(f"{next(iter(found))} is exact, but has a bound: {problem.about}")


BOUND_LAWS: Final[tuple[Callable[[Record], None], ...]] = (
    values_lie_in_their_bounds,
    one_score_a_bucket_is_exact,
)
