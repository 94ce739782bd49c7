"""A gate of rows with sets of labels: rules on their report, and on differences from another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from karat.api.doubts import of_bounds
from karat.api.gate.evaluation import BY_ORDER, NOT_WEIGHTED_ALIKE, change_of
from karat.api.gate.lost import LostClasses, amounts_of, lost_classes
from karat.api.gate.rows import has_predictions, read_baseline_rows, written_as
from karat.api.gate.spec import GateSpec, change_apart, check_level
from karat.api.measuring import report_of
from karat.api.request.request import Request
from karat.api.request.roles import is_data
from karat.api.results import ClassReport
from karat.api.set_doubts import doubts_of_sets
from karat.api.set_models import models_of_sets
from karat.api.sets import MultilabelReport
from karat.api.spec import Spec
from karat.data.accumulator import accumulate
from karat.data.pairing import pair_sets
from karat.data.scores.storage import ScoreParts
from karat.data.sources.arrays.sets import hold_sets, set_rows
from karat.data.table_sets import TableSets, beside_sets, settled_clusters
from karat.errors import error, short, shown
from karat.errors.doubts import Doubt
from karat.errors.options import as_typed, option
from karat.errors.together import refuse
from karat.inference.comparison.judging import judged
from karat.metrics import Metric
from karat.metrics._of_sets import meant_on_sets
from karat.results.gate.verdicts import Case, Change, Measured, Rule, refused
from karat.tally.label_scores import ListedScores
from karat.tally.score_kind import KINDS
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets
from karat.tally.shared import common_labels

SideOfSets: TypeAlias = SetRows | MultilabelReport | TableSets
"""Rows with sets, of arrays or of a table, or their report."""
DEFAULTS = ("subset_accuracy", "macro_f1")
"""Metrics that may not be significantly worse, where no rule compares with the baseline."""
_UNPAIRED = (
    "Unpaired: the baseline holds no rows, so intervals are wider. Compare with its predictions."
)
_NAMES = ("new", "old")
_PATH = 200
"""Characters of a path in a message."""
_FORMS = (*KINDS, "y_pred")


def are_sets_of(request: Request) -> bool:
    """True if the rows of a gate hold sets of labels."""
    if isinstance(request.y_true, MultilabelReport):
        return True
    if request.has_data or not has_predictions(request):
        return False
    is_split = request.separator is not None
    return is_split or hold_sets(request.y_true, request.y_pred)


@dataclass(eq=False)
class SetEvaluation:
    """Rules on rows with sets, or on a report of them, and an earlier model.

    Attributes:
        current, before: the rows that are to pass, or their report; the earlier model, or None.
        name: of the earlier model in messages.
        notes: sentences for the reader.
        is_paired: whether the rows are those of the baseline; None without one.
        mapping: the column of each role, of rows in a table.
    """

    rules: Sequence[Rule]
    spec: GateSpec
    current: SetRows | MultilabelReport
    before: SetRows | MultilabelReport | None
    name: str
    notes: list[str] = field(default_factory=list)
    is_paired: bool | None = None
    mapping: Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls,
        rules: Sequence[Rule],
        spec: GateSpec,
        current: SideOfSets,
        before: SideOfSets | None,
        name: str,
    ) -> SetEvaluation:
        """The evaluation of rows in memory, of tables, or of reports.

        Errors:
            K171 to K177 rows of two tables that cannot be matched.
        """
        notes: list[str] = []
        tables = [side for side in (current, before) if isinstance(side, TableSets)]
        for side in tables:
            notes += [one for one in side.warnings if one not in notes]
        if len(tables) == 2:
            matched = pair_sets(tables, allow_mismatch=spec.allow_mismatch)
            notes += matched.notes
            if matched.by == "row order":
                notes.append(BY_ORDER)
            current, before = matched.models
        mapping = tables[0].mapping if tables else None
        sides = (_compared(current), None if before is None else _compared(before))
        return cls(rules, spec, *sides, name, notes, mapping=mapping)

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.current.n if isinstance(self.current, SetRows) else self.current.n_rows

    def cases(self) -> list[Case]:
        """Every rule with its measurements."""
        compared = self._metrics(needs_baseline=True)
        report = self._report(self.current, self._metrics())
        if isinstance(self.current, MultilabelReport):
            check_level(self.spec, self.current.confidence, "The report")
        values = {str(metric): _measured(report, metric) for metric in self._metrics()}
        changes: dict[str, Change] = {}
        lost = LostClasses(None, "")
        if self.before is not None:
            self._check_alike(report)
            self.is_paired = isinstance(self.current, SetRows) and isinstance(self.before, SetRows)
            if self.is_paired:
                changes = self._changes(compared, values)
            apart = [metric for metric in compared if str(metric) not in changes]
            if not self.is_paired:
                self.notes.append(_UNPAIRED)
                lost = lost_classes(
                    amounts_of(self.before.tally),
                    amounts_of(report.tally),
                    self.spec.min_n,
                    fails=not self.spec.allow_mismatch,
                )
                self.notes += filter(None, [lost.note])
            then = self._report(self.before, apart) if apart else None
            for metric in apart:
                assert then is not None
                known = _measured(then, metric)
                changes[str(metric)] = change_apart(values[str(metric)], known, self.spec)
        return [
            Case(rule, values[str(rule.metric)], changes.get(str(rule.metric)), None, lost.settled)
            if rule.needs_baseline
            else Case(rule, values[str(rule.metric)])
            for rule in self.rules
        ]

    def doubts_and_notes(self) -> tuple[str, ...]:
        """The doubts about both sides, then the notes."""
        doubts = _doubts_of(self.current)
        known = {one.noticed for one in doubts}
        before = [] if self.before is None else _doubts_of(self.before)
        others = [one.within("the baseline") for one in before if one.noticed not in known]
        return (*of_bounds(self.rules, self.current.classes.k), *doubts, *others, *self.notes)

    def baseline_text(self) -> str:
        """The report as the next baseline."""
        return self._report(self.current).to_json()

    def _metrics(self, *, needs_baseline: bool | None = None) -> list[Metric]:
        listed = [r.metric for r in self.rules if needs_baseline in (None, r.needs_baseline)]
        for metric in listed:
            meant_on_sets(metric)
        return list(dict.fromkeys(listed))

    def _report(
        self, side: SetRows | MultilabelReport, metrics: Sequence[Metric] | None = None
    ) -> MultilabelReport:
        if isinstance(side, MultilabelReport):
            return side
        wanted = None if metrics is None else tuple(metrics)
        asked: Any = Spec(wanted, self.spec.undefined, self.spec.confidence)
        found: Any = report_of(accumulate(side, ScoreParts(0)), asked)
        return found  # type: ignore[no-any-return]

    def _changes(self, metrics: Sequence[Metric], values: dict[str, Measured]) -> dict[str, Change]:
        """Differences row by row; the values get the limits that go with them."""
        if not metrics:
            return {}
        assert isinstance(self.current, SetRows)
        assert isinstance(self.before, SetRows)
        classes = common_labels(self.current.classes, self.before.classes)
        sides = [self.current.on(classes), self.before.on(classes)]
        models, found = models_of_sets(_NAMES, sides), {}
        pair = self.spec.pair
        a, b = (side.known for side in sides)
        are_same = {False: _are_equal(a.pred, b.pred), True: _have_equal_scores(a, b)}
        for part, estimates in models.measured(metrics, pair, self.spec.undefined):
            name, value = str(part.metric), estimates["new"]
            (one,) = judged(part, _NAMES, pair)
            is_same = are_same[meant_on_sets(part.metric).needs_scores]
            found[name] = change_of(one, is_same=is_same)
            if value.low is not None:
                values[name] = replace(values[name], low=value.low, high=value.high)
        return found

    def _check_alike(self, now: MultilabelReport) -> None:
        """Refuse another baseline than one of the same labels, weights and level (K174, K176)."""
        before = self.before
        assert before is not None
        ours, theirs = now.classes, before.classes
        if set(ours.labels) != set(theirs.labels) and not self.spec.allow_mismatch:
            raise error(
                "K174",
                left="the predictions",
                left_classes=shown(ours.labels),
                right=self.name,
                right_classes=shown(theirs.labels),
            )
        if isinstance(before, SetRows):
            return
        check_level(self.spec, before.confidence, "The baseline")
        sides = {"The predictions": now, "the baseline": before}
        weighted = {name: side.tally.is_weighted for name, side in sides.items()}
        if len(set(weighted.values())) > 1:
            found = "The baseline has weights, the predictions have none"
            if weighted["The predictions"]:
                found = "The predictions have weights, the baseline has none"
            raise refused(found, as_typed(NOT_WEIGHTED_ALIKE))
        if before.undefined != self.spec.undefined:
            made, here = (option("undefined", x) for x in (before.undefined, self.spec.undefined))
            self.notes.append(f"The baseline was made with {made}, these values with {here}.")


def _have_equal_scores(one: SetRows, other: SetRows) -> bool:
    a, b = one.scores, other.scores
    if a is None or b is None or a.kind != b.kind:
        return False
    if isinstance(a, ListedScores) != isinstance(b, ListedScores):
        return False
    if isinstance(a, ListedScores) and isinstance(b, ListedScores):
        return _are_equal(a.sets, b.sets) and np.array_equal(a.values, b.values)
    return np.array_equal(a.values, b.values)


def _are_equal(a: Sets, b: Sets) -> bool:
    return np.array_equal(a.starts, b.starts) and np.array_equal(a.items, b.items)


def _compared(side: SideOfSets) -> SetRows | MultilabelReport:
    return settled_clusters(side.rows) if isinstance(side, TableSets) else side


def _doubts_of(side: SetRows | MultilabelReport) -> Sequence[Doubt]:
    if isinstance(side, MultilabelReport):
        return side.doubts
    return doubts_of_sets(side, side.tally, {})


def _measured(report: MultilabelReport, metric: Metric) -> Measured:
    """The result of a metric in a report, and why its rows do not define it."""
    result, why = report[metric], report.why_undefined(metric)
    return Measured(result.value, result.low, result.high, result.n, why, result.remark)


def current_sets(request: Request) -> SetRows | MultilabelReport:
    """The rows that are to pass, or their report.

    Errors:
        K222 an option that is for rows with one class; else as `set_rows`.
    """
    refuse("gate", "sets of arrays", request.chosen)
    if isinstance(request.y_true, MultilabelReport):
        return request.y_true
    return _rows(request)


def _rows(request: Request) -> SetRows:
    return set_rows(
        request.y_true,
        request.y_pred,
        **request.outputs,
        threshold=request.threshold,
        labels=request.labels,
        separator=request.separator,
        positive=request.positive,
        weights=request.weights,
        clusters=request.clusters,
    )


def baseline_of_sets(request: Request, baseline: Any, name: str, current: SideOfSets) -> SideOfSets:
    """The earlier model: its report, the JSON of that in a file, or its predictions.

    Args:
        name: what messages call it.

    Errors:
        K176 a file that is no such report; K179 predictions in another form than the rows; K221
        rows of one class; else as `set_rows` and `read_baseline_rows`.
    """
    if isinstance(baseline, MultilabelReport):
        return baseline
    if isinstance(baseline, ClassReport):
        found = "The baseline is a report of rows with one class, and rows are sets"
        raise error("K221", found=found)
    is_path = isinstance(baseline, str | PathLike)
    kind = written_as(baseline) if is_path else None
    if kind == "multilabel":
        return MultilabelReport.from_json(Path(baseline).read_bytes())
    if isinstance(current, TableSets) and kind is None:
        if not (is_path or is_data(baseline)):
            raise error("K179", rows="The rows are in a table", kind=type(baseline).__name__)
        rows = read_baseline_rows(request, baseline, name)
        if isinstance(rows, TableSets):
            return rows
        raise beside_sets(name, "what is measured")
    if is_path:
        path = short(fspath(baseline), _PATH)
        raise refused(
            f"The baseline {path} is not a report of rows with sets of labels",
            f"Give the JSON of one, a file that {option('update_baseline')} wrote, or predictions.",
        )
    if isinstance(current, MultilabelReport):
        raise error("K179", rows="A report is measured", kind=type(baseline).__name__)
    form = next(role for role in _FORMS if getattr(request, role) is not None)
    before: dict[str, Any] = {role: baseline if role == form else None for role in _FORMS}
    return _rows(request.but(**before))
