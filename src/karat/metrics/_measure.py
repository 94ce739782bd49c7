"""Computation of metrics of scores: one read for all losses, one sort for each column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.metrics._lift import Lift, Policy
from karat.metrics._metric import Metric, Values
from karat.metrics._record import Record
from karat.metrics._views import (
    ClassProbabilities,
    ClassRanks,
    Confidences,
    Losses,
    PairRanks,
    Pairwise,
)
from karat.metrics._workers import Workers
from karat.tally import ScoredRows
from karat.tally.cached import cached_property
from karat.tally.scored import N_LONG


class Later(Mapping[Metric, Values]):
    """Lazily computed metrics of scores; see `measure`.

    Args:
        rows: rows that must not change; they are kept, with the views that were read.
        lock: held during computation: one thread at a time makes views. It must be reentrant.
    """

    def __init__(
        self,
        rows: ScoredRows,
        metrics: Sequence[Metric],
        policy: Policy,
        lock: AbstractContextManager[Any],
    ) -> None:
        self._rows, self._policy, self.lock = rows, policy, lock
        self._held = Held(rows)
        self._found: dict[Metric, Values | None] = dict.fromkeys(metrics)

    def __getitem__(self, metric: Metric) -> Values:
        found = self._found[metric]
        if found is not None:
            return found
        with self.lock:
            found = self._found[metric]  # another thread may have been faster
            if found is None:
                found = measure(self._rows, [metric], self._policy, held=self._held)[metric]
                self._found[metric] = found
        return found

    def __contains__(self, metric: object) -> bool:
        return metric in self._found

    def __iter__(self) -> Iterator[Metric]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the values, not the rows."""
        return dict, (dict(self),)

    def views(self, i: int) -> tuple[ClassRanks, ClassProbabilities]:
        """Return the views of class i; call it with `lock` held."""
        views = self._held[i]
        return views.ranks, views.probabilities


Floats: TypeAlias = npt.NDArray[np.float64]
ROUNDING: Final = 1e-12
"""Allowance for rounding of a value past the end of its range, from another order of summation."""
Body: TypeAlias = tuple[Record, tuple[tuple[str, Any], ...]]
"""A record with its parameters, which measures one column."""
Along: TypeAlias = Callable[[int, ClassRanks, ClassProbabilities], None]


class Beside(Protocol):
    """Observer of the columns that metrics are computed from, while each is sorted.

    Attributes:
        names_rows: whether it adds to rows.
    """

    @property
    def names_rows(self) -> bool: ...

    def column(self, i: int, views: Views) -> None:
        """Receive class i, before it is measured."""

    def confidences(self, view: Confidences) -> None:
        """Receive the rows by the probability of the predicted class, on any thread."""

    def pooled(self, views: Views) -> None:
        """Receive all columns together, before they are measured."""

    def pairs(self, metric: Metric, view: Pairwise) -> None:
        """Receive the pairs, after a metric of pairs was measured."""


def measure(
    rows: ScoredRows,
    metrics: Iterable[Metric],
    policy: Policy = "zero",
    along: Along | None = None,
    beside: Beside | None = None,
    held: Held | None = None,
) -> dict[Metric, Values]:
    """Compute every metric of scores on the rows.

    An undefined class is left out of an average, under every policy but ``"nan"``, and is marked in
    `Values.undefined`, which is bool[k] for averages and for each class.

    Args:
        along: called with each class and the views of its column while the column is sorted, for
            several classes on several threads at once.
        beside: called with the columns that metrics need, while they are sorted.
        held: views of the same rows, kept between calls; without it, each view is dropped.

    Cost: one read for the losses; a sort of n keys for each column that some metric needs. Memory
        holds one sorted column for each thread, and of at most `N_LONG` rows one more.
    """
    wanted = [each.with_classes(rows.classes.k) for each in dict.fromkeys(metrics)]
    by_view: dict[type, list[Metric]] = {}
    for metric in wanted:
        by_view.setdefault(metric.record.reads, []).append(metric)
    found: dict[Metric, Values] = {}
    if Losses in by_view:
        losses = Losses(rows.sums(losses_of(wanted)), rows.classes.k)
        found |= {metric: _single(metric, losses) for metric in by_view[Losses]}
    else:
        rows.check()
    of_confidences, of_pairs = by_view.get(Confidences, []), by_view.get(Pairwise, [])
    apart: dict[Metric, Values] = {}
    others = [m for m in wanted if m not in found and m not in {*of_confidences, *of_pairs}]
    # Columns that no observer reads are sorted several at a time: see `AreasAhead`.
    names_rows = beside is not None and beside.names_rows
    n_tasks = rows.classes.k + bool(of_pairs) + bool(of_confidences) if names_rows else 1
    with Workers.of(rows, n_tasks) as workers:
        pairwise = Pairwise(rows, names_rows=names_rows)

        def measure_pairs() -> None:
            apart.update((m, _of_pairs(m, pairwise)) for m in of_pairs)

        def measure_confidences() -> None:
            views = Views(rows, None) if held is None else held[None]
            apart.update(_of_confidences(of_confidences, views, beside))

        is_long = rows.n_rows > N_LONG
        if of_pairs and not is_long:
            workers.run(measure_pairs)
        if of_confidences:
            workers.run(measure_confidences)
        if is_long:
            # Several pairs at a time. They and the confidences are dropped before the columns.
            measure_pairs()
            workers.finish()
            _native.trim_heap()
        found |= _by_column(rows, others, policy, along, beside, held, workers)
        found |= apart
        if beside:
            for metric in of_pairs:
                beside.pairs(metric, pairwise)
    return {metric: _without_overshoot(metric, found[metric]) for metric in wanted}


def _of_confidences(
    metrics: Sequence[Metric], views: Views, beside: Beside | None
) -> dict[Metric, Values]:
    confidences = views.confidences
    found = {metric: _single(metric, confidences) for metric in metrics}
    if beside:
        beside.confidences(confidences)
    return found


def losses_of(metrics: Iterable[Metric]) -> list[str]:
    """Names of the losses that metrics read, each once."""
    return list(dict.fromkeys(name for metric in metrics for name in metric.losses))


def _without_overshoot(metric: Metric, values: Values) -> Values:
    """Clip values that rounding of weights moved past the end of the range."""
    (low, high), value = metric.range, values.value
    value = np.where((value > high) & (value <= high + ROUNDING), high, value)
    value = np.where((value < low) & (value >= low - ROUNDING), low, value)
    return Values(value, values.undefined)


def _one(value: float) -> Values:
    found = np.array(float(value))
    return Values(found, ~np.isfinite(found))


def _single(metric: Metric, view: Any) -> Values:
    return _one(metric.record.formula(view, **dict(metric.params)))


def _of_pairs(metric: Metric, view: PairRanks | Pairwise) -> Values:
    """Mean over pairs of classes; pairs with an absent class are left out and marked."""
    found = _single(metric, view)
    return found if found.undefined else Values(found.value, np.asarray(view.totals) == 0)


def _by_column(
    rows: ScoredRows,
    metrics: Sequence[Metric],
    policy: Policy,
    along: Along | None,
    beside: Beside | None,
    held: Held | None,
    workers: Workers,
) -> dict[Metric, Values]:
    """Sort each column, compute all its metrics, and drop it.

    When it returns, all tasks of the workers are finished.
    """
    k, positive = rows.classes.k, rows.classes.positive
    whole = {"macro", "weighted", "per_class"}
    everywhere = [body_of(m) for m in metrics if m.record.is_per_class and m.lift in whole]
    alone = [body_of(m) for m in metrics if m.record.is_per_class and m.lift == "plain"]
    pairs = any(m.record.reads is PairRanks for m in metrics)
    names_rows = beside is not None and beside.names_rows
    values: dict[Body, Floats] = {
        body: np.full(k, np.nan) for body in dict.fromkeys([*everywhere, *alone])
    }
    areas: list[npt.NDArray[Any]] = []
    totals: npt.NDArray[Any] = np.empty(0)
    for i in range(k) if everywhere or pairs or along else [positive] if alone else []:
        assert i is not None
        here = list(dict.fromkeys([*everywhere, *(alone if i == positive else ())]))
        views = Views(rows, i, names_rows=names_rows) if held is None else held[i]
        if beside and (here or pairs):
            beside.column(i, views)
        if pairs:
            areas.append(views.ranks.ranked.areas())
        # One thread makes the columns, here.
        for record, _ in here:
            views.of(record)
        if along:
            views.prepare()
        totals = views.totals
        if rows.n_rows > N_LONG:
            workers.wait()
        if here or along:
            workers.run(partial(_measure_column, i, views, here, values, along))
    workers.finish()
    found: dict[Metric, Values] = {}
    pooled: Views | None = None
    for metric in metrics:
        if metric.record.reads is PairRanks:
            found[metric] = _of_pairs(metric, PairRanks(np.stack(areas), totals))
        elif metric.lift == "micro":
            if pooled is None:
                pooled = Views(rows, None, names_rows=names_rows)
                if beside:
                    beside.pooled(pooled)
            found[metric] = _one(_measured(body_of(metric), pooled))
        else:
            found[metric] = lifted(values[body_of(metric)], metric.lift, positive, totals, policy)
    return found


def _measure_column(
    i: int, views: Views, bodies: Sequence[Body], values: Mapping[Body, Floats], along: Along | None
) -> None:
    for body in bodies:
        values[body][i] = _measured(body, views)
    if along:
        along(i, views.ranks, views.probabilities)


def body_of(metric: Metric) -> Body:
    return metric.record, metric.params


def _measured(body: Body, views: Views) -> float:
    record, params = body
    return float(record.formula(views.of(record), **dict(params)))


class Views:
    """Views of one column, each sorted at first read; None: of all columns together.

    Adding to rows requires rows with indices.
    """

    def __init__(self, rows: ScoredRows, i: int | None, *, names_rows: bool = False) -> None:
        self._rows, self._i, self._names_rows = rows, i, names_rows

    @cached_property
    def ranks(self) -> ClassRanks:
        if self._i is None:
            return ClassRanks(self._rows.pooled(names_rows=self._names_rows))
        return ClassRanks(self._rows.column(self._i, names_rows=self._names_rows))

    @cached_property
    def probabilities(self) -> ClassProbabilities:
        # Given probabilities are sorted once for both views, and represent pooled scores.
        if self._rows.has_one_order or self._i is None:
            return ClassProbabilities.beside(self.ranks)
        return ClassProbabilities(self._rows.probability_column(self._i))

    @cached_property
    def confidences(self) -> Confidences:
        return Confidences(self._rows.confidences())

    @cached_property
    def thresholds(self) -> ClassRanks:
        """By what is compared with a threshold: of logits the probability."""
        if self._rows.kind != "logits":
            return self.ranks
        return ClassRanks(self._rows.by_threshold(self.probabilities.ranked))

    def prepare(self) -> None:
        """Sort the column by scores and by probabilities."""
        _ = self.ranks, self.probabilities

    def of(self, record: Record) -> Any:
        if record.reads is Confidences:
            return self.confidences
        if record.reads is not ClassRanks:
            return self.probabilities
        return self.thresholds if record.is_threshold else self.ranks

    @property
    def totals(self) -> npt.NDArray[Any]:
        one = self.ranks if "ranks" in vars(self) else self.probabilities
        return one.ranked.totals


class Held(dict[int | None, Views]):
    """Views of few rows, kept between metrics."""

    def __init__(self, rows: ScoredRows) -> None:
        super().__init__()
        self._rows = rows

    def __missing__(self, i: int | None) -> Views:
        return self.setdefault(i, Views(self._rows, i))


def lifted(
    each: Floats, lift: Lift, positive: int | None, totals: npt.NDArray[Any], policy: Policy
) -> Values:
    """Return one number for all classes, from one for each class."""
    unmeasured = ~np.isfinite(each)
    if lift == "plain":
        return _one(np.nan if positive is None else each[positive])
    if lift == "per_class":
        return Values(each, unmeasured)
    weight = np.asarray(totals, np.float64) if lift == "weighted" else np.ones_like(each)
    if policy != "nan":
        # An infinite loss is a value: a mean without it would be optimistic.
        measured = ~np.isnan(each)
        each, weight = each[measured], weight[measured]
    total = weight.sum()
    value = np.array((weight * each).sum() / total if total > 0 else np.nan)
    return Values(value, unmeasured)
