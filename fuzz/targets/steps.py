"""Targets of objectives: losses with derivatives."""

from __future__ import annotations

from typing import Any

from fuzz.case import Case
from fuzz.targets import target


def arguments(case: Case, most_rows: int) -> tuple[Any, int, int, list[Any]]:
    """Scores with n and k; then labels, or targets [n, k], and weights."""
    source, arrays = case.source, case.arrays
    k = source.count(12)
    n = max(min(source.size(), most_rows // k), 1)
    scores = arrays.scores(n, k)
    truth = arrays.scores(n, k, is_prob=True) if source.switch() else arrays.labels(n, k)
    return scores, n, k, [truth, arrays.weights(n, is_plain=True)]


@target("objective_rows")
def objective_rows(case: Case) -> None:
    scores, _, _, more = arguments(case, 3000)
    is_diagonal = case.source.switch()
    loss, gradient, hessian = case.call(
        case.native.objective_rows, scores, *more, case.source.switch(), is_diagonal,
        case.source.threads(),
    )  # fmt: skip
    n, k = scores.shape
    case.expect_length(loss, n)
    case.expect_length(gradient, n, k)
    case.expect_length(hessian, *((n, k) if is_diagonal else (n, k, k)))


@target("objective_row")
def objective_row(case: Case) -> None:
    source = case.source
    k = source.count(12)
    scores = case.arrays.scores(k)
    truth = case.arrays.scores(k, is_prob=True) if source.switch() else source.integer(0, k - 1)
    _, gradient, hessian = case.call(
        case.native.objective_row, scores, truth, source.real(0, 2), source.switch()
    )
    case.expect(len(gradient) == len(scores), "a gradient of other classes")
    case.expect(all(len(row) == len(gradient) for row in hessian), "a Hessian of other classes")


@target("objective_steps")
def objective_steps(case: Case) -> None:
    source = case.source
    scores, _, _, more = arguments(case, 20000)
    gradient, hessian = case.call(
        case.native.objective_steps, scores, *more, *(source.switch() for _ in range(3)),
        source.real(), source.real(0, 2), source.real(), source.threads(),
    )  # fmt: skip
    n, k = scores.shape
    for part in (gradient, hessian):
        case.expect_length(part, n, k)
