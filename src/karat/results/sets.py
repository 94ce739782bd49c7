"""The report of rows with sets of labels, as data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.curves._kept import MOST_CLASSES, Curves, Keeper, no_curves
from karat.errors import InputError, error
from karat.inference.confidence import Confidence, Interval
from karat.inference.set_intervals import SetIntervals
from karat.inference.set_score_intervals import SetScoreIntervals
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.metrics._measure import measure
from karat.metrics._metric import Values
from karat.metrics._of_set_scores import (
    SetScores,
    is_in_report,
    is_of_labels,
    is_of_ranks,
    is_pooled,
)
from karat.metrics._of_sets import meant_on_sets, values_on_sets
from karat.metrics._registry import metrics_of_sets
from karat.metrics.reasons import undefined_of_scores, undefined_on_sets
from karat.results.named import NamedResults
from karat.results.result import Result
from karat.results.set_patterns import SetPatterns, pairs_too_often, wrong_sets
from karat.results.values import PER_CLASS, class_rows
from karat.tally import Classes, Fields
from karat.tally.axes import slices_on
from karat.tally.cached import cached_property
from karat.tally.score_kind import ScoreKind
from karat.tally.set_tally import HITS, PREDICTED, TRUE, SetRows, SetTally
from karat.tally.transfers import transfers_of

if TYPE_CHECKING:
    from karat.results.slices import ByColumn, SliceTable

MOST_LISTED: Final = 10
"""Wrong sets, and pairs of labels, that a report lists."""
MOST_TRANSFERRED = 1 << 10
"""Of more labels the table of transfers would be larger than what it is counted from."""
Floats: TypeAlias = npt.NDArray[np.float64]
SCORED: Final = (
    "roc_auc",
    "average_precision",
    "class_calibration_error",
    "max_f_beta",
    "f_beta_threshold",
)
"""Metrics of scores in the table of labels."""


class ScoredValue(NamedTuple):
    """The value of a metric of scores.

    Attributes:
        value: the number; where rows list the scores of some labels only, the middle of its limits.
        reason: why it is undefined, or None.
        bound: limits of the value where it is not exact.
    """

    value: float
    reason: str | None
    bound: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class KeptScores:
    """Facts about scores of a report that was read from JSON.

    Attributes:
        kind: what they were.
        values: metrics that were written.
        of_labels: metrics of each label: value, low and high, float64[k] each, NaN for none.
    """

    kind: ScoreKind
    values: Mapping[Metric, ScoredValue]
    of_labels: Mapping[str, tuple[Floats, Floats, Floats]]


@dataclass(frozen=True, eq=False)
class SetReport(NamedResults):
    """All metrics of rows with sets; `karat.MultilabelReport` lists the attributes."""

    tally: SetTally
    """The tally."""
    encoded: SetRows | None = None
    """The rows, from which intervals of averages over labels follow."""
    undefined: Policy = "zero"
    """Policy for undefined values: ``"zero"``, ``"exclude"`` or ``"nan"``."""
    requested: tuple[Metric, ...] | None = None
    """The metrics asked for, or None for all."""
    confidence: Confidence | None = None
    """Specification of the intervals; None without intervals."""
    mapping: Mapping[str, Any] = field(default_factory=dict)
    """Column that played each role, when the rows came from a table."""
    source: Mapping[str, Any] = field(default_factory=dict)
    """Facts about where the rows came from."""
    warnings: tuple[str, ...] = ()
    """Sentences the reader should see."""
    scored: SetScores | None = None
    """The rows with scores, as metrics read them; None without scores."""
    kept_intervals: Mapping[Metric, Interval] = field(default_factory=dict)
    """Intervals of a report that was read from JSON, which has no rows."""
    kept_scores: KeptScores | None = None
    """Likewise metrics of scores; None without scores."""
    kept_transfers: npt.NDArray[np.float64] | None = None
    """Likewise the table of transfers; read it as `transfers`."""
    kept_cautions: tuple[str, ...] = ()
    """Likewise the cautions."""
    kept_patterns: SetPatterns | None = None
    """Likewise which sets and pairs of labels are predicted wrongly; read `patterns`."""
    sample: SetRows | None = None
    """Rows drawn from all, where those were too many to keep."""
    is_clustered: bool = False
    """True if intervals take rows of a cluster together."""
    kept_limits: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    """Limits of each label by metric, of a report of clusters that was read from JSON."""
    kept_slices: ByColumn[SliceTable[Any]] | None = None
    """Slices of a report that was read from JSON; read them as `slices`."""

    @property
    def classes(self) -> Classes:
        """The labels, their order and their display names."""
        return self.tally.classes

    @property
    def n_rows(self) -> int:
        """Rows read."""
        return self.tally.n

    @property
    def is_weighted(self) -> bool:
        """True if rows have weights."""
        return self.tally.is_weighted

    @property
    def has_predictions(self) -> bool:
        """True if labels are predicted for each row."""
        return self.tally.has_predictions

    @property
    def decision(self) -> str:
        """How the predicted labels of a row were decided, in words."""
        return self.tally.decision.text

    @property
    def fields(self) -> Fields:
        """The counts of each label against its absence, float64[k] each."""
        return self.tally.fields

    @property
    def threshold(self) -> float | None:
        """The one number given as ``threshold=``; None for none, and for one of each label."""
        return self.tally.decision.threshold

    @property
    def is_binary(self) -> bool:
        """False: no label is the positive one."""
        return False

    @property
    def n_unknown(self) -> int:
        """Rows of whose truth nothing is known: they count in nothing else."""
        return self.tally.n_unknown

    @property
    def scores(self) -> ScoreKind | None:
        """Kind of scores that metrics read; None without scores."""
        if self.scored is None:
            return None if self.kept_scores is None else self.kept_scores.kind
        return self.scored.kind

    def _every(self) -> Iterable[Metric]:
        every = [m for m in metrics_of_sets() if m.record.in_report and self._is_decided(m)]
        if self.scored is None:
            known = {} if self.kept_scores is None else self.kept_scores.values
            return [metric for metric in every if not metric.needs_scores or metric in known]
        kind, has_all = self.scored.kind, self.scored.has_all
        return [m for m in every if not m.needs_scores or is_in_report(m, kind, has_all=has_all)]

    def _is_decided(self, metric: Metric) -> bool:
        return self.has_predictions or not metric.reads_predictions

    def _answers(self, metric: Metric) -> bool:
        try:
            meant = meant_on_sets(metric)
        except InputError:
            return False
        if not self._is_decided(meant):
            return False
        if self.kept_scores is not None and metric in self.kept_scores.values:
            return True
        has_score = self.scored is not None and (self.scored.has_all or is_of_ranks(meant))
        return has_score or not meant.needs_scores

    @cached_property
    def _score_intervals(self) -> SetScoreIntervals:
        assert self.confidence is not None
        assert self.scored is not None
        return SetScoreIntervals(self.scored, self.confidence)

    @cached_property
    def _measured(self) -> SetScores | None:
        """The scores; what is listed is measured together, each label once."""
        if self.scored is None or self.requested is not None or not self.scored.has_all:
            return self.scored
        listed = list(self._listed.values())
        if self.confidence is not None:
            self._score_intervals.prepare(listed)
        else:
            self.scored.of_labels(filter(is_of_labels, listed))
            self.scored.of_pooled(filter(is_pooled, listed))
        return self.scored

    @cached_property
    def _intervals(self) -> SetIntervals:
        assert self.confidence is not None
        return SetIntervals(self.tally, self.confidence, self.encoded, self.undefined, self.sample)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Reasons to trust the intervals less; empty without intervals."""
        if self.confidence is None or (self.encoded is None and self.sample is None):
            return self.kept_cautions
        return self._intervals.cautions

    @cached_property
    def undefined_metrics(self) -> Mapping[str, str]:
        """Reasons of the undefined values among the listed metrics."""
        found = {name: result.undefined for name, result in self.metrics.items()}
        return {name: reason for name, reason in found.items() if reason}

    def why_undefined(self, metric: Metric) -> str | None:
        """Reason why a metric is undefined, whatever undefined values count as; or None."""
        result = self[metric]
        is_undefined = not math.isfinite(result.value)
        if not meant_on_sets(metric).needs_scores:
            values = values_on_sets(metric, self.tally, self.undefined)
            is_undefined |= bool(values.undefined.all())
        return result.undefined if is_undefined else None

    def _scored_value(self, metric: Metric) -> ScoredValue:
        """The value of a metric of scores.

        Errors:
            K210 there are no scores; K224 it needs a score of every label.
        """
        if self.kept_scores is not None and metric in self.kept_scores.values:
            return self.kept_scores.values[metric]
        scored = self.scored
        if scored is None:
            raise metric.no_scores()
        meant = meant_on_sets(metric)
        if (is_of_labels(meant) or is_pooled(meant)) and meant in self._listed.values():
            scored = self._measured or scored
        computed = scored.values(metric)
        reason = undefined_of_scores(meant, self.classes, computed.undefined)
        value, bound = float(computed.value), scored.bound(meant)
        if bound is not None:
            value = 0.5 * (bound[0] + bound[1])
        return ScoredValue(value, reason, bound)

    def _result_of_scores(self, metric: Metric) -> Result:
        found = self._scored_value(metric)
        interval = self.kept_intervals.get(metric, Interval())
        if self.scored is not None and self.confidence is not None:
            interval = self._score_intervals.of(metric, found.value)
        made = self._made(
            meant_on_sets(metric),
            found.value,
            interval,
            found.reason,
            classes=self.classes,
            is_weighted=self.is_weighted,
            exact=found.bound is None,
            bound=found.bound,
        )
        return replace(made, name=str(metric))

    def _result(self, metric: Metric) -> Result:
        if meant_on_sets(metric).needs_scores:
            return self._result_of_scores(metric)
        computed = values_on_sets(metric, self.tally, self.undefined)
        value, confidence = float(computed.value), self.confidence
        interval = Interval()
        if confidence is not None and math.isfinite(value):
            known = self.kept_intervals.get(metric)
            if known is None and bool(computed.undefined.all()):
                known = Interval(remark="these rows do not define the value")
            if known is None and self.is_clustered and self.encoded is None:
                known = Interval(remark="the clusters of the rows are not kept in JSON")
            interval = self._intervals.of(metric, value) if known is None else known
        reason = undefined_on_sets(metric, self.tally, computed.undefined)
        # What a name means on sets is what it says there.
        made = self._made(
            meant_on_sets(metric),
            value,
            interval,
            reason,
            classes=self.classes,
            is_weighted=self.is_weighted,
        )
        signature = replace(made.signature, metric=str(metric))
        return replace(made, name=str(metric), signature=signature)

    @cached_property
    def per_class(self) -> list[dict[str, Any]]:
        """One row a label: label, name, counts and rates; undefined rates carry their reason.

        Each row also holds ``"undefined"``: metric name → reason, for that label; and
        ``"intervals"``: metric name → (low, high).
        """
        metrics = {name: Metric(get(name).record, "per_class") for name in PER_CLASS}
        metrics = {name: each for name, each in metrics.items() if self._is_decided(each)}
        found = {
            name: values_on_sets(each, self.tally, self.undefined) for name, each in metrics.items()
        }
        limits = dict(self.kept_limits)
        is_known = self.encoded is not None or not self.is_clustered
        if self.confidence is not None and not limits and is_known:
            limits = self._limits(metrics)
        scored = self._measured
        if scored is not None and scored.has_all:
            of_scores = {name: Metric.of(get(name).record, "per_class", {}) for name in SCORED}
            values = scored.of_labels(of_scores.values())
            for name, metric in of_scores.items():
                metrics[name] = metric
                found[name] = Values(values[metric], ~np.isfinite(values[metric]))
                sides = None
                if self.confidence is not None:
                    sides = self._score_intervals.of_classes(metric)
                if sides is not None:
                    limits[name] = sides
        elif self.kept_scores is not None:
            for name, (each, low, high) in self.kept_scores.of_labels.items():
                metrics[name] = Metric.of(get(name).record, "per_class", {})
                found[name] = Values(each, ~np.isfinite(each))
                limits[name] = low, high
        return class_rows(self.classes, metrics, found, limits, is_weighted=self.is_weighted)

    def _limits(self, metrics: Mapping[str, Metric]) -> dict[str, tuple[Any, Any]]:
        assert self.confidence is not None
        limits = {}
        for name, metric in metrics.items():
            found = self._intervals.of_classes(metric)
            if found is not None:
                limits[name] = self.confidence.one_sided(found.low, found.high, metric.range)
        return limits

    @property
    def label_counts(self) -> dict[str, float]:
        """Facts about the sets: labels of a row, true and predicted, and rows without any."""
        mass = np.asarray(self.tally.mass, np.float64)
        total = float(mass.sum()) or math.nan
        true, predicted = self.tally.profiles[:, TRUE], self.tally.profiles[:, PREDICTED]
        hits = self.tally.profiles[:, HITS]
        found = {
            "true_labels_per_row": float((true * mass).sum()) / total,
            "predicted_labels_per_row": float((predicted * mass).sum()) / total,
            "rows_without_true_labels": float(mass[true == 0].sum()),
            "rows_without_predicted_labels": float(mass[predicted == 0].sum()),
            "rows_all_right": float(mass[(hits == true) & (true == predicted)].sum()),
        }
        if self.has_predictions:
            return found
        return {name: x for name, x in found.items() if "true" in name}

    @cached_property
    def patterns(self) -> SetPatterns | None:
        """The most common wrong sets, and labels that are predicted together too often.

        None where rows were not kept, or nothing is predicted.

        Example:
            >>> import karat
            >>> report = karat.evaluate([{"cat"}, {"dog"}], [{"dog"}, {"dog"}])
            >>> report.patterns.wrong_sets
            (WrongSet(true=('cat',), predicted=('dog',), rows=1.0),)
        """
        if self.encoded is None or not self.has_predictions:
            return self.kept_patterns
        level = 0.95 if self.confidence is None else self.confidence.level
        pairs = pairs_too_often(self.encoded, MOST_LISTED, level)
        wrong = tuple(wrong_sets(self.encoded, MOST_LISTED))
        return SetPatterns(wrong, None if pairs is None else tuple(pairs), level)

    @cached_property
    def slices(self) -> ByColumn[SliceTable[Self]]:
        """Column, or tuple of crossed columns → its slices; see `karat.MultilabelReport`."""
        from karat.results.slices import ByColumn, SetSlices, SliceTable

        rows, tables = self.encoded, {}
        if self.kept_slices is not None:
            return self.kept_slices
        if rows is None:
            do = "Evaluate the rows again, with by=."
            raise error("K211", name="slices", do=do)
        for place, axis in enumerate(rows.axes):
            named = slices_on(axis)
            if named is not None and rows.codes is not None:
                columns, keys = named
                tables[columns] = SliceTable(SetSlices(columns, keys, self, rows.codes[place]))
        return ByColumn(tables)

    def of_rows(self, rows: SetRows) -> Self:
        """The report of other rows, with the settings of this one."""
        scored = None
        if self.scored is not None and rows.scores is not None:
            scored = self.scored.of_rows(rows.known)
        is_clustered = rows.clusters is not None
        facts: dict[str, Any] = {"encoded": rows, "scored": scored, "is_clustered": is_clustered}
        return replace(self, tally=rows.tally, **facts)

    def of_tally(self, tally: SetTally) -> Self:
        """The same of a tally whose rows and scores are not known."""
        unknown: dict[str, Any] = dict.fromkeys(
            ("encoded", "scored", "sample", "kept_scores", "kept_transfers", "kept_patterns")
        )
        unknown |= {"kept_intervals": {}, "kept_limits": {}, "kept_cautions": ()}
        return replace(self, tally=tally, kept_slices=None, **unknown)

    def moves(self, metric: Metric) -> Floats | None:
        """float64[n]: how much each known row moves a metric, by its weight.

        None where that is not known, or there are no rows.
        """
        value = self[metric].value
        if meant_on_sets(metric).needs_scores:
            if self.scored is None or self.confidence is None:
                return None
            return self._score_intervals.moves(metric, value)
        asked = self.confidence or Confidence()
        found = SetIntervals(self.tally, asked, self.encoded, self.undefined).influence(
            metric, value
        )
        if found is None or self.encoded is None:
            return None
        w = self.encoded.known.weights
        return (found if w is None else w * found) / float(self.tally.mass.sum())

    @cached_property
    def curves(self) -> Curves:
        """Every curve of every label: ``report.curves.roc["cat"]``, as of `karat.Report`.

        Errors:
            K308 there were no scores of every label, or more than 100 labels.
        """
        scored, k = self.scored, self.classes.k
        if scored is None or not scored.has_all or k > MOST_CLASSES:
            raise no_curves(self.scores, k, is_whole=True)
        keeper = Keeper(self.classes, scored.kind)

        def take(label: int, side: int, *views: Any) -> None:
            if side == 1:
                keeper.take(label, *views)

        for label in range(k):
            measure(scored.columns.column(label), [], along=partial(take, label))
        return keeper.curves()

    @cached_property
    def transfers(self) -> npt.NDArray[np.float64] | None:
        """float64[k + 1, k + 1]: which labels are added in rows where others are missed.

        Row j is the true label, column e the predicted one; the last of each is "none". A true
        label that is predicted stands on the diagonal. One that is missed spreads its row's weight
        over the labels that the row adds, or goes to none; labels added by a row that misses none
        come from none. Rows sum to the weight of the rows that have the label.

        None where rows were not kept or nothing is predicted, and of more than 1024 labels.

        Example:
            >>> import karat
            >>> report = karat.evaluate([{"cat"}, {"dog"}], [{"dog"}, {"dog"}])
            >>> report.transfers.tolist()
            [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
        """
        if self.encoded is None or self.classes.k > MOST_TRANSFERRED or not self.has_predictions:
            return self.kept_transfers
        return transfers_of(self.encoded)
