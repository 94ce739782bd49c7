"""Laws that every metric of scores obeys; a third-party metric inherits them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import UndefinedWarning
from karat.metrics import Losses, Metric, Record
from karat.metrics._influence.gather import influences, reason_without
from karat.tally import ScoredRows
from karat.tally.score_kind import ARGUMENTS, ScoreKind
from karat.testing.laws import metrics_of, near

Measure = Callable[..., float]


@dataclass(frozen=True)
class Problem:
    """Rows with scores, and what may be asked of them.

    Attributes:
        y_true: int64[n], classes 0 to k−1.
        values: float64[n] of the positive class, or float64[n, k].
        kind: whether they are probabilities, logits or scores.
        k: number of classes.
        weights: float64[n], or None.
    """

    y_true: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    kind: ScoreKind
    k: int
    weights: npt.NDArray[np.float64] | None = None

    def take(self, rows: npt.NDArray[Any]) -> Problem:
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, y_true=self.y_true[rows], values=self.values[rows], weights=weights)


def problems(k: int, n_problems: int = 6, n: int = 60, seed: int = 0) -> Iterator[Problem]:
    """Random rows: probabilities, logits and scores in turn, ties, every class present."""
    for number in range(n_problems):
        rng = np.random.default_rng([seed, k, number])
        y_true = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
        z = rng.normal(size=(n, k)) + 1.2 * (np.arange(k) == y_true[:, None])
        kind = tuple(ARGUMENTS)[number % 3]
        z = np.round(z * 2) / 2
        if kind == "probabilities":
            z = np.exp(z - z.max(axis=1, keepdims=True))
            z /= z.sum(axis=1, keepdims=True)
        weights = rng.integers(1, 9, n) / 4 if number % 2 == 1 else None
        yield Problem(y_true, z, kind, k, weights)


def value_of(metric: Metric, problem: Problem) -> npt.NDArray[np.float64]:
    """The value of a metric through its public function."""
    from karat.api.functions import function_of

    function = function_of(metric.record.name)
    given: dict[str, Any] = dict(metric.params)
    if metric.record.is_per_class and metric.lift != "plain":
        given["average"] = None if metric.lift == "per_class" else metric.lift
    given[ARGUMENTS[problem.kind]] = problem.values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        return np.asarray(
            function(
                problem.y_true, labels=list(range(problem.k)), weights=problem.weights, **given
            )
        )


def _each(record: Record) -> Iterator[tuple[Metric, Problem]]:
    for k in (2, 3, 5):
        for problem in problems(k):
            for metric in _fitting(record, k) if is_read(record, problem) else ():
                yield metric, problem


def is_read(record: Record, problem: Problem) -> bool:
    """True unless a metric reads probabilities, and there are scores of any kind."""
    return problem.kind != "scores" or not record.reads_probabilities


def _fitting(record: Record, k: int) -> Iterator[Metric]:
    """Those that k classes allow: there is no top 3 of two."""
    for metric in metrics_of(record, k):
        if record.reads is not Losses or dict(metric.params).get("k", 1) <= k:
            yield metric


def golden_cases_hold(record: Record) -> None:
    """The public function gives every golden value."""
    for golden in record.cases:
        values = np.asarray(golden.scores, np.float64)
        k = values.shape[1] if values.ndim == 2 else 2
        weights = None if golden.weights is None else np.asarray(golden.weights)
        problem = Problem(np.asarray(golden.y_true), values, golden.kind, k, weights)
        metric = Metric.of(record, golden.lift, golden.params)
        near(value_of(metric, problem), golden.value, f"{metric}: {golden.source}", 1e-12)


def order_of_rows_is_nothing(record: Record) -> None:
    """Shuffled rows give the same value."""
    for metric, problem in _each(record):
        shuffled = problem.take(np.random.default_rng(1).permutation(len(problem.y_true)))
        near(value_of(metric, shuffled), value_of(metric, problem), str(metric))


def weights_are_repetitions(record: Record) -> None:
    """Whole weights mean repeated rows, a weight of 0 an absent row; their scale means nothing.

    The scale means something to a metric that depends on how many rows there are; one that reads a
    variance distinguishes a row of weight 2 from two rows.
    """
    for metric, problem in _each(record):
        times = np.random.default_rng(2).integers(0, 4, len(problem.y_true))
        times[: problem.k * 3] += 1
        plain = replace(problem, weights=None)
        repeated = plain.take(np.repeat(np.arange(len(times)), times))
        weighted = replace(plain, weights=times.astype(np.float64))
        found = value_of(metric, weighted)
        if record.weights_are_rows:
            near(found, value_of(metric, repeated), f"{metric}, repeated")
        else:
            present = weighted.take(np.flatnonzero(times))
            near(found, value_of(metric, present), f"{metric}, without rows of weight 0")
        if not record.depends_on_rows:
            scaled = replace(plain, weights=(times * 3.0).astype(np.float64))
            near(value_of(metric, scaled), found, f"{metric}, scaled")


def sizes_of_classes_are_declared(record: Record) -> None:
    """More rows of a class change a metric where it depends on the mix, and only there."""
    changes: dict[tuple[Metric, int], bool] = {}
    seen: dict[tuple[Metric, int], list[npt.NDArray[np.float64]]] = {}
    for metric, problem in _each(record):
        weights = np.ones(len(problem.y_true)) if problem.weights is None else problem.weights
        found = value_of(metric, problem)
        key = metric, problem.k
        seen.setdefault(key, []).append(found)
        for label in range(problem.k):
            scaled = replace(problem, weights=weights * (1.0 + 2.0 * (problem.y_true == label)))
            other = value_of(metric, scaled)
            if not metric.depends_on_mix(problem.k):
                near(other, found, f"{metric}, other sizes")
            is_changed = not np.allclose(other, found, rtol=1e-6, atol=1e-9, equal_nan=True)
            changes[key] = changes.get(key, False) or is_changed
    # One that is the same for all rows, as the best 2 of 2 classes, shows nothing; nor does a mix
    # of other classes that changes the value too little to be seen.
    varies = {key: len({x.tobytes() for x in each}) > 1 for key, each in seen.items()}
    still = [
        str(metric)
        for (metric, k), is_changed in changes.items()
        if k == 2 and metric.depends_on_mix(k) and varies[metric, k] and not is_changed
    ]
    assert not still, f"the sizes of classes change nothing of {', '.join(still)}"


def within_range(record: Record) -> None:
    """Values lie in the declared range."""
    low, high = record.range
    for metric, problem in _each(record):
        found = value_of(metric, problem)
        known = found[np.isfinite(found)]
        assert ((known >= low) & (known <= high)).all(), (str(metric), found)


def perfect_scores_are_perfect(record: Record) -> None:
    """The true class with certainty gives the declared perfect value; a clipped loss is above."""
    if record.perfect is None:
        return
    for metric, problem in _each(record):
        if metric.is_clipped:
            continue
        hits = (np.arange(problem.k) == problem.y_true[:, None]).astype(np.float64)
        best = replace(
            problem, values=hits if problem.kind == "probabilities" else 2000.0 * hits - 1000.0
        )
        near(value_of(metric, best), record.perfect, str(metric))


def one_column_is_two(record: Record) -> None:
    """Probabilities of two classes as float[n] give what float[n, 2] gives."""
    for problem in problems(2, n_problems=4):
        if problem.kind == "probabilities":
            alone = problem.values[:, 1]
            both = replace(problem, values=np.stack([1.0 - alone, alone], axis=1))
            for metric in _fitting(record, 2):
                found = value_of(metric, replace(problem, values=alone))
                near(found, value_of(metric, both), str(metric))


def influence_or_reason(record: Record) -> None:
    """Either the influence of a row is known, or the record says why there is none."""
    assert (record.influence is None) == bool(record.no_influence), record.name


def rows_of_problem(problem: Problem) -> ScoredRows:
    from karat.api.score_functions import scored_rows

    outputs: dict[str, Any] = {ARGUMENTS[problem.kind]: problem.values}
    return scored_rows(
        problem.y_true, outputs, labels=list(range(problem.k)), weights=problem.weights
    )


def influence_is_the_derivative(record: Record) -> None:
    """The influence function is the derivative with respect to the weight of a row."""
    for metric, problem in _each(record):
        if reason_without(metric):
            continue
        weights = np.random.default_rng(3).uniform(0.5, 2.0, len(problem.y_true))
        weighted = replace(problem, weights=weights)
        phi = influences(rows_of_problem(weighted), [metric])[metric]
        np.testing.assert_allclose(
            np.average(phi, -1, weights), 0.0, atol=1e-9, err_msg=str(metric)
        )
        for row in range(0, len(weights), 17):
            step = 1e-5 * np.eye(1, len(weights), row)[0]
            up = value_of(metric, replace(weighted, weights=weights + step))
            down = value_of(metric, replace(weighted, weights=weights - step))
            slope = (up - down) / 2e-5 * weights.sum()
            near(phi[..., row], slope, f"{metric}, row {row}", 2e-6)


def absent_classes_are_said(record: Record) -> None:
    """A class without rows never yields a silent NaN or 0 in an average: it is left out."""
    for k in (3, 5):
        for problem in problems(k, n_problems=3):
            kept = problem.take(np.flatnonzero(problem.y_true != 0))
            for metric in metrics_of(record, k) if is_read(record, problem) else ():
                if metric.lift not in {"macro", "weighted"}:
                    continue
                each = value_of(replace(metric, lift="per_class"), kept)
                support = np.bincount(kept.y_true, kept.weights, minlength=k)
                weight = support if metric.lift == "weighted" else np.ones(k)
                known = np.isfinite(each)
                if not weight[known].sum():
                    continue
                wanted = np.average(each[known], weights=weight[known])
                near(value_of(metric, kept), wanted, str(metric))


SCORE_LAWS: Final = (
    golden_cases_hold,
    order_of_rows_is_nothing,
    weights_are_repetitions,
    sizes_of_classes_are_declared,
    within_range,
    perfect_scores_are_perfect,
    one_column_is_two,
    influence_or_reason,
    influence_is_the_derivative,
    absent_classes_are_said,
)
