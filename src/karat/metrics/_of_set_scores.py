"""Metrics of the scores of sets of labels: of each row, of each label, of all labels together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from karat.errors import error
from karat.metrics._applies import check_kind, suits
from karat.metrics._lift import Policy
from karat.metrics._measure import lifted, measure
from karat.metrics._metric import Metric, Values, means_within_range
from karat.metrics._of_sets import meant_on_sets
from karat.metrics._registry import get
from karat.metrics._set_views import LabelAreas, PooledLosses, RankedCells, RankedLabels
from karat.tally.cached import cached_property
from karat.tally.label_scores import LabelScores
from karat.tally.row_sample import row_parts
from karat.tally.score_kind import ScoreKind
from karat.tally.scored import ScoredRows
from karat.tally.set_tally import SetRows

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Columns(Protocol):
    """Rows with scores of every label, one label at a time as rows of two classes."""

    @property
    def rows(self) -> SetRows: ...

    def known(self, label: int) -> Flags | None:
        """bool[n]: rows where it is known whether they have the label; None: it is in all."""
        ...

    def column(self, label: int) -> ScoredRows:
        """The known rows of a label, which is absent or present."""
        ...

    def weighing(self, weights: Floats) -> Columns:
        """The same rows with other weights, float64[n]."""
        ...

    def of_rows(self, rows: SetRows) -> Columns:
        """The same of other rows."""
        ...

    def pooled(self) -> tuple[ScoredRows, npt.NDArray[np.int64]]:
        """Every known label of every row as a row of two classes, and the row of each."""
        ...


class RowMean(NamedTuple):
    """A metric that is Σ w·g·x ÷ Σ w·g over the rows.

    Attributes:
        value: float64[n], x of each row; NaN where the policy leaves it without a value.
        gain: float64[n], g: how much the row counts beside its weight.
        undefined: bool[n], rows that do not define it.
    """

    value: Floats
    gain: Floats
    undefined: Flags


@dataclass(eq=False)
class SetScores:
    """Scores of rows with sets, as metrics read them; each part is computed at its first use.

    Attributes:
        columns: the rows, one label at a time.
        policy: what undefined rows count as.
        n_threads: threads of native passes; 0: the default.
    """

    columns: Columns
    policy: Policy = "zero"
    n_threads: int = 0
    _of_labels: dict[Metric, Floats] = field(default_factory=dict, repr=False)
    _of_pooled: dict[Metric, Values] = field(default_factory=dict, repr=False)
    _added: dict[str, Floats] = field(default_factory=dict, repr=False)
    _means: dict[tuple[Metric, bool], RowMean] = field(default_factory=dict, repr=False)

    def of_rows(self, rows: SetRows) -> SetScores:
        """The same of other rows, of which anything is known."""
        return SetScores(self.columns.of_rows(rows), self.policy, self.n_threads)

    @property
    def rows(self) -> SetRows:
        """The rows of which anything is known."""
        return self.columns.rows

    @property
    def kind(self) -> ScoreKind:
        """Whether the scores are probabilities, logits or others."""
        assert self.rows.scores is not None
        return self.rows.scores.kind

    @property
    def k(self) -> int:
        """Labels."""
        return self.rows.classes.k

    @cached_property
    def weights(self) -> Floats:
        """float64[n], of the rows."""
        w = self.rows.weights
        return np.ones(self.rows.n) if w is None else w

    @cached_property
    def n_known(self) -> npt.NDArray[np.int64]:
        """int64[n]: known labels of each row."""
        unknown = self.rows.unknown
        found = np.full(self.rows.n, self.k, np.int64)
        return found if unknown is None else found - unknown.sizes

    @cached_property
    def _places(self) -> RankedLabels:
        rows = self.rows
        assert rows.scores is not None
        places = rows.scores.places(rows.true, rows.unknown, self.k, self.n_threads)
        return RankedLabels(rows.true, places, self.n_known, self.k)

    @property
    def is_whole(self) -> bool:
        """True if every true label has a score."""
        return self._places.places.is_whole

    @cached_property
    def _ends(self) -> tuple[RankedLabels, RankedLabels]:
        """The labels in order, those without a score right below the others, and last of all."""
        found = self._places
        if self.is_whole:
            return found, found
        return self._resolved(is_best=True), self._resolved(is_best=False)

    def _resolved(self, *, is_best: bool) -> RankedLabels:
        found = self._places
        places = found.places.resolved(found.true, found.n_known, is_best=is_best)
        return RankedLabels(found.true, places, found.n_known, self.k)

    @cached_property
    def label_weights(self) -> Floats:
        """float64[k]: weight of the rows that have each label."""
        true = self.rows.true
        w = None if self.rows.weights is None else self.rows.weights[true.rows]
        return np.bincount(true.items, w, self.k).astype(np.float64)

    def values(self, metric: Metric) -> Values:
        """The value of a metric; undefined rows, or labels.

        Errors:
            K219, K220 sets do not have it; K319 it reads probabilities; K224 rows list
            the scores of some labels only.
        """
        metric = meant_on_sets(metric)
        check_kind(metric, self.kind)
        return means_within_range(metric, self._values(metric), self.rows.n)

    def _values(self, metric: Metric) -> Values:
        if is_of_rows(metric):
            mean = self.mean(metric)
            return Values(np.asarray(self.total(mean)), mean.undefined)
        self.check_whole(metric)
        if metric.record.reads in (LabelAreas, RankedCells):
            value = float(metric.record.formula(self._whole_view(metric), **dict(metric.params)))
            return Values(np.asarray(value), np.asarray(not np.isfinite(value)))
        if metric.lift == "micro":
            return self.of_pooled([metric])[metric]
        each = self.of_labels([metric])[metric]
        return lifted(each, metric.lift, None, self.label_weights, self.policy)

    def ends(self, metric: Metric) -> tuple[float, float]:
        """The value of a metric of ranks where labels without a score stand best, and worst."""
        found = [self.total(self.mean(metric, is_best=is_best)) for is_best in (True, False)]
        return min(found), max(found)

    def bound(self, metric: Metric) -> tuple[float, float] | None:
        """Limits of a value that rows which list the scores of some labels leave open, or None."""
        if not is_of_ranks(metric) or self.is_whole:
            return None
        low, high = self.ends(metric)
        return (low, high) if low != high else None

    def value(self, metric: Metric) -> float:
        """The value of a metric; the middle of its limits where it has a bound.

        Errors:
            As of `values`.
        """
        bound = self.bound(meant_on_sets(metric))
        return float(self.values(metric).value) if bound is None else 0.5 * (bound[0] + bound[1])

    @property
    def has_all(self) -> bool:
        """True if every label of every row has a score."""
        return isinstance(self.rows.scores, LabelScores)

    def check_whole(self, metric: Metric) -> None:
        """Refuse what needs a score of every label: K224."""
        if not self.has_all:
            raise error("K224", name=str(metric))

    def _whole_view(self, metric: Metric) -> LabelAreas | RankedCells:
        if metric.record.reads is LabelAreas:
            return LabelAreas(self.areas)
        return self.cells

    @property
    def areas(self) -> Floats:
        """float64[k]: the area under the ROC curve of each label."""
        area = Metric.of(get("roc_auc").record, "per_class", {})
        return self.of_labels([area])[area]

    @cached_property
    def cells(self) -> RankedCells:
        """Every known label of every row, the best score first."""
        scores, rows, k = self.rows.scores, self.rows, self.k
        assert isinstance(scores, LabelScores)
        is_true = rows.true.matrix(k).reshape(-1)
        values, of_row = scores.values.reshape(-1), np.repeat(np.arange(rows.n), k)
        if rows.unknown is not None:
            known = ~rows.unknown.matrix(k).reshape(-1)
            is_true, values, of_row = is_true[known], values[known], of_row[known]
        order = np.argsort(-values, kind="stable")
        weights, n_true = self.weights, rows.true.sizes
        return RankedCells(values[order], of_row[order], is_true[order], n_true, weights)

    def of_labels(self, metrics: Iterable[Metric]) -> dict[Metric, Floats]:
        """Metrics of one label, float64[k] each: those not known yet, in one pass."""
        wanted = list(dict.fromkeys(metrics))
        bodies = {m: Metric(m.record, "plain", m.params) for m in wanted}
        missing = list(dict.fromkeys(b for b in bodies.values() if b not in self._of_labels))
        if missing:
            found = {body: np.full(self.k, np.nan) for body in missing}
            for label in range(self.k):
                column = self.columns.column(label)
                measured = measure(column, missing, self.policy) if has_weight(column) else {}
                for body, values in measured.items():
                    found[body][label] = float(values.value)
            self._of_labels.update(found)
        return {metric: self._of_labels[body] for metric, body in bodies.items()}

    def of_pooled(self, metrics: Iterable[Metric]) -> dict[Metric, Values]:
        """Metrics of every label of every row together: those not known yet, in one pass."""
        bodies = {m: Metric(m.record, "plain", m.params) for m in metrics}
        missing = [body for body in bodies.values() if body not in self._of_pooled]
        if missing:
            pooled, _ = self.columns.pooled()
            none = Values(np.asarray(np.nan), np.asarray(True))
            found = measure(pooled, missing, self.policy) if has_weight(pooled) else {}
            self._of_pooled.update({body: found.get(body, none) for body in missing})
        return {metric: self._of_pooled[body] for metric, body in bodies.items()}

    def keep(self, each: Mapping[Metric, Floats], pooled: Mapping[Metric, Values]) -> None:
        """Keep what was measured elsewhere: metrics of each label, and of all together."""
        self._of_labels.update(each)
        self._of_pooled.update(pooled)

    def mean(self, metric: Metric, *, is_best: bool = False) -> RowMean:
        """Value of a metric in each row, and its mean.

        Errors:
            K224 it needs a score of every label; K302 its parameters do not fit the labels.
        """
        key = (metric, is_best)
        if key not in self._means:
            self._means[key] = self._mean(metric, is_best=is_best)
        return self._means[key]

    def _mean(self, metric: Metric, *, is_best: bool) -> RowMean:
        record, params = metric.record, dict(metric.params)
        if record.reads is PooledLosses:
            self.check_whole(metric)
            losses = PooledLosses(self._losses, self.n_known.astype(np.float64))
            found = record.formula(losses, **params)
            of_undefined = None
        else:
            ranked = self._ends[0] if is_best else self._ends[1]
            rows = record.of_row
            body, of_undefined = record.formula, record.of_undefined
            if metric.lift == "samples" and rows is not None:
                body, of_undefined = rows.formula, rows.of_undefined
            with np.errstate(invalid="ignore", divide="ignore"):
                found = body(ranked, **params)
        value, gain = found if isinstance(found, tuple) else (found, np.ones(len(found)))
        undefined: Flags = np.isnan(value)
        if self.policy == "zero" and of_undefined is not None:
            value = np.where(undefined, of_undefined, value)
        elif self.policy != "nan" or isinstance(found, tuple):
            gain = np.where(undefined, 0.0, gain)
        return RowMean(value, gain, undefined)

    def total(self, mean: RowMean) -> float:
        """Σ w·g·x ÷ Σ w·g."""
        mass = self.weights * mean.gain
        total = float(mass.sum())
        if not total > 0.0:
            return float("nan")
        counts = mass > 0.0
        with np.errstate(over="ignore"):
            return float((mass[counts] * mean.value[counts]).sum()) / total

    def _losses(self, name: str) -> Floats:
        """float64[n]: a loss of each row, added over its known labels."""
        if name not in self._added:
            found = np.zeros(self.rows.n)
            for label in range(self.k):
                column, known = self.columns.column(label), self.columns.known(label)
                for part in row_parts(column.n_rows):
                    at: Any = part if known is None else np.flatnonzero(known)[part]
                    with np.errstate(over="ignore"):  # more than any number is infinite
                        found[at] += column.row_losses(name, part)
            self._added[name] = found
        return self._added[name]


def is_in_report(metric: Metric, kind: ScoreKind, *, has_all: bool) -> bool:
    """True if a report lists a metric of such scores.

    Args:
        has_all: whether every label of every row has a score.
    """
    record = metric.record
    # What a name means here is listed by its own name.
    if record.on_sets or not suits(record, kind):
        return False
    return record.reads is RankedLabels or has_all


def is_of_ranks(metric: Metric) -> bool:
    """True if a metric of scores reads only the order of the labels of each row."""
    return metric.record.reads is RankedLabels or metric.lift == "samples"


def is_of_labels(metric: Metric) -> bool:
    """True if a metric of scores is computed from one value for each label."""
    is_lifted = metric.lift in ("macro", "weighted", "per_class")
    return metric.needs_scores and metric.record.is_per_class and is_lifted


def is_pooled(metric: Metric) -> bool:
    """True if a metric of scores pools every label of every row."""
    return metric.needs_scores and metric.record.is_per_class and metric.lift == "micro"


def is_of_rows(metric: Metric) -> bool:
    """True if a metric of scores is computed from one value per row."""
    reads = metric.record.reads
    return reads in (RankedLabels, PooledLosses) or metric.lift == "samples"


def has_weight(rows: ScoredRows) -> bool:
    """True if a row counts: there may be none, and all may have weight 0."""
    return bool(rows.n_rows) and (rows.weights is None or bool(rows.weights.any()))
