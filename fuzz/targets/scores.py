"""Targets of what sums losses of scores, and of its sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from fuzz.case import Case
from fuzz.targets import members, target


def arguments(case: Case) -> tuple[tuple[Any, ...], int, int, int]:
    """Of read_scores; then n, k and what is wanted."""
    source, arrays = case.source, case.arrays
    n, k = source.size(), source.count(20)
    n = min(n, 40000 // k)
    is_single = source.rarely(8)
    if is_single:
        k = 2
    is_prob = source.flag()
    values = arrays.scores(n, 0 if is_single else k, is_prob)
    wanted = source.byte()
    return (
        (
            values, arrays.codes(n, k), source.integer(k, k), arrays.weights(n), is_prob,
            source.real(1e-3, 1e-2), source.pick(HOSTILE_WANTED) if source.rarely(32) else wanted,
            source.threads(), source.integer(1, 40), source.real(0, 1e-3),
        ),
        n, k, wanted,
    )  # fmt: skip


HOSTILE_WANTED = (-1, 256, 2**31 - 1, -(2**31), 2**31)


def some_sums(case: Case) -> Any:
    """Sums of any matrix; of one of three rows where that one is refused."""
    if case.source.rarely(64):
        return case.native.ScoreSums.__new__(case.native.ScoreSums)
    is_spoiled, case.source.spoiled = case.source.spoiled, -1
    sums = case.attempt(lambda: case.native.read_scores(*arguments(case)[0]))
    case.source.spoiled = is_spoiled
    if sums is None:
        codes = np.array([0, 1, 1], np.int32)
        values = np.array([[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]])
        sums = case.native.read_scores(values, codes, 2, None, True, 1e-3, case.source.byte(), 1)
    return sums


@target("read_scores")
def read_scores(case: Case) -> None:
    made, _, _, _ = arguments(case)
    sums = case.call(case.native.read_scores, *made)
    n, k = len(made[0]), made[2]
    case.expect(sums.n_rows == n and sums.k == k, "rows or classes are missing from the sums")
    case.expect_length(sums.truth, k)
    if not sums.weighted:
        case.expect(int(sums.truth.sum()) == n, "rows of true classes do not sum to the rows")
        if sums.bin_weight is not None:
            case.expect(float(sums.bin_weight.sum()) == n, "bins do not hold every row")
    predicted = sums.predicted
    if predicted is not None:
        case.expect_length(predicted, n)
        inside = (predicted >= 0) & (predicted < k)
        case.expect(bool(np.all(inside)), "a predicted class is none")


@target("ScoreSums")
def made(case: Case) -> None:
    case.call(case.native.ScoreSums, *case.source.pick(((), (1,), (None, None))))


def summed(array: Any) -> Any:
    """Reads every item."""
    return array.sum() if isinstance(array, np.ndarray) else array


def reading(name: str) -> Any:
    return lambda case, sums: summed(getattr(sums, name))


NAMES = (
    "k", "n_rows", "weighted", "weight", "weight2", "w_loss", "w2_loss", "w2_loss2", "ranks",
    "truth", "predicted", "bin_weight", "bin_confidence", "bin_correct", "bin_weight2",
)  # fmt: skip
MEMBERS = {
    **{name: reading(name) for name in NAMES},
    "mean": lambda case, sums: sums.mean(case.source.integer(0, 4)),
    "rows": lambda case, sums: summed(sums.rows(case.source.integer(0, 5))),
}
members("ScoreSums", some_sums, MEMBERS)
