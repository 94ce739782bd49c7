"""Sides of a gate of rows with sets of labels: rows, or a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np

from karat.api.gate.evaluation import (
    BASELINE,
    BY_ORDER,
    NAMES,
    Estimates,
    Evaluation,
    Label,
    Pair,
    Side,
    check_classes,
    compared,
    metrics_of,
    note_on_undefined,
)
from karat.api.gate.lost import lost_classes
from karat.api.gate.rows import SideOfSets
from karat.api.gate.spec import GateSpec, check_level
from karat.api.measuring import report_of
from karat.api.set_doubts import doubts_of_sets
from karat.api.set_models import models_of_sets
from karat.api.sets import MultilabelReport
from karat.api.spec import Spec
from karat.data.accumulator import accumulate
from karat.data.pairing import pair_sets
from karat.data.scores.storage import ScoreParts
from karat.data.table_sets import TableSets, settled_clusters
from karat.errors.doubts import Doubt
from karat.metrics import Metric
from karat.metrics._of_sets import meant_on_sets
from karat.results.gate.verdicts import Measured, Rule
from karat.tally.label_scores import ListedScores
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from karat.tally.shared import common_labels

DEFAULTS: Final = ("subset_accuracy", "macro_f1")
"""Metrics that may not be significantly worse, where no rule compares with the baseline."""
_UNPAIRED: Final = (
    "Unpaired: the baseline holds no rows, so intervals are wider. Compare with its predictions."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class SetSide(Side):
    """A report of sets of labels, given or of rows.

    Attributes:
        baseline: the report that the next gate compares with.
    """

    report: MultilabelReport
    baseline: MultilabelReport

    @classmethod
    def of(cls, report: MultilabelReport, baseline: MultilabelReport) -> Self:
        return cls(
            n=report.n_rows,
            classes=report.classes,
            is_weighted=report.is_weighted,
            confidence=report.confidence,
            report=report,
            baseline=baseline,
        )

    def measured(self, metrics: Sequence[Metric]) -> Estimates:
        return Estimates(values=_values_of(self.report, metrics))

    def stored(self, metrics: Sequence[Metric]) -> tuple[str, Sequence[Doubt]]:
        del metrics
        return self.baseline.to_json(), ()


@dataclass(frozen=True, eq=False)
class SetPair(Pair):
    """Two models on the same rows with sets of labels."""

    report: MultilabelReport
    new: SetRows
    old: SetRows
    spec: GateSpec

    def at(self, label: Label) -> SetPair:
        del label
        return self

    def changes(self, metrics: Sequence[Metric]) -> Estimates:
        estimates, pair = Estimates(), self.spec.pair
        if not metrics:
            return estimates
        values = _values_of(self.report, metrics)
        classes = common_labels(self.new.classes, self.old.classes)
        rows = [self.new.on(classes), self.old.on(classes)]
        a, b = (each.known for each in rows)
        are_same = {False: _are_equal(a.pred, b.pred), True: _have_equal_scores(a, b)}
        contrasts = models_of_sets(NAMES, rows).measured(metrics, pair, self.spec.undefined)
        for contrast in contrasts:
            metric, name = contrast[0].metric, str(contrast[0].metric)
            is_same = are_same[meant_on_sets(metric).needs_scores]
            estimates.changes[name] = compared(contrast, values[name], pair, is_same=is_same)
        return estimates


def set_evaluation(
    rules: Sequence[Rule], current: SideOfSets, before: SideOfSets | None, spec: GateSpec, name: str
) -> Evaluation:
    """The rules on rows or a report, and an earlier model, matched where both have rows.

    Errors:
        K145 there is one cluster; K171 to K177 rows of two tables that cannot be matched; K219,
        K220 a metric that sets do not have; else as `karat.evaluate`.
    """
    notes: list[str] = []
    tables = [side for side in (current, before) if isinstance(side, TableSets)]
    for table in tables:
        notes += [warning for warning in table.warnings if warning not in notes]
    if len(tables) == 2:
        pairing = pair_sets(tables, allow_mismatch=spec.allow_mismatch)
        notes += pairing.notes
        if pairing.by == "row order":
            notes.append(BY_ORDER)
        current, before = pairing.models
    new, old = _without_table(current), None if before is None else _without_table(before)
    for metric in [*metrics_of(rules, needs_baseline=True), *metrics_of(rules)]:
        meant_on_sets(metric)
    report, baseline = _reports(new, rules, spec)
    check_level(spec, report.confidence, "The report")
    reads_scores = [each for each in metrics_of(rules) if meant_on_sets(each).needs_scores]
    if reads_scores and report.scores is None:
        raise reads_scores[0].no_scores()
    evaluation = Evaluation(
        rules=rules,
        spec=spec,
        current=SetSide.of(report, baseline),
        name=name,
        mapping=tables[0].mapping if tables else None,
        notes=notes,
        doubts=[*report.doubts],
    )
    doubts: Sequence[Doubt] = ()
    if isinstance(old, MultilabelReport):
        doubts, lost = old.doubts, lost_classes(old.tally, report.tally, spec)
        undefined = note_on_undefined(old.undefined, spec.undefined)
        evaluation.before, evaluation.lost = SetSide.of(old, old), lost.settled
        evaluation.notes += filter(None, (undefined, _UNPAIRED, lost.note))
    elif old is not None:
        assert isinstance(new, SetRows)
        doubts = doubts_of_sets(old, old.tally, {})
        check_classes(report.classes, old.classes, spec, name)
        evaluation.pair = SetPair(report, new, old, spec)
    noticed = {each.noticed for each in report.doubts}
    others = [each.within(BASELINE) for each in doubts if each.noticed not in noticed]
    evaluation.doubts_before = others
    return evaluation


def _without_table(side: SideOfSets) -> SetRows | MultilabelReport:
    return settled_clusters(side.rows) if isinstance(side, TableSets) else side


def _reports(
    source: SetRows | MultilabelReport, rules: Sequence[Rule], spec: GateSpec
) -> tuple[MultilabelReport, MultilabelReport]:
    """The report that is measured, and that of all metrics, which is the next baseline."""
    if isinstance(source, MultilabelReport):
        return source, source
    spec_of_report = Spec(tuple(metrics_of(rules)), spec.undefined, spec.confidence)
    report = report_of(accumulate(source, ScoreParts(0)), spec_of_report)
    assert isinstance(report, MultilabelReport)
    return report, replace(report, requested=None)


def _values_of(report: MultilabelReport, metrics: Iterable[Metric]) -> dict[str, Measured]:
    """The results of metrics in a report, by name, and why its rows do not define them."""
    values = {}
    for metric in metrics:
        result, why = report[metric], report.why_undefined(metric)
        numbers = (result.value, result.low, result.high, result.n)
        values[str(metric)] = Measured(*numbers, why, result.remark)
    return values


def _have_equal_scores(new: SetRows, old: SetRows) -> bool:
    a, b = new.scores, old.scores
    if a is None or b is None or a.kind != b.kind:
        return False
    if isinstance(a, ListedScores) != isinstance(b, ListedScores):
        return False
    if isinstance(a, ListedScores) and isinstance(b, ListedScores):
        return _are_equal(a.sets, b.sets) and np.array_equal(a.values, b.values)
    return np.array_equal(a.values, b.values)


def _are_equal(a: Sets, b: Sets) -> bool:
    return np.array_equal(a.starts, b.starts) and np.array_equal(a.items, b.items)
