"""Metrics of the rows of a gate, differences from the baseline, and every rule with both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np

from karat.api.arguments import refuse_missing
from karat.api.doubts import of_bounds, of_rows, read_log_loss, without_effects
from karat.api.gate.baseline import Baseline, text_of_baseline, with_hashes
from karat.api.gate.lost import amounts_of, lost_classes
from karat.api.gate.spec import GateSpec, change_apart, check_level, check_population, population_of
from karat.api.measuring import class_report_of
from karat.api.models import models_of_rows
from karat.api.results import ClassReport
from karat.api.spec import Spec
from karat.data.accumulator import accumulate
from karat.data.pairing import on_occurring_classes, pair_rows
from karat.data.rows import Rows
from karat.data.scores.storage import ScoreParts
from karat.data.slices.codes import in_order
from karat.data.sources.tables.rows import predicted
from karat.errors import KaratError, error, short, shown
from karat.errors.doubts import (
    Doubt,
    InfiniteLossDoubt,
    NoPositiveDoubt,
    doubt,
    new_doubts,
    without_doubts,
)
from karat.errors.options import as_typed, option
from karat.errors.text import harmless
from karat.inference.comparison.judging import judged
from karat.inference.comparison.records import Difference
from karat.inference.confidence import Confidence
from karat.metrics import Metric, get
from karat.metrics._applies import check_decided, needs_both_classes, with_positive
from karat.results.gate.verdicts import (
    PREDICT_THE_SAME,
    Case,
    Change,
    Measured,
    Rule,
    Settled,
    refused,
)
from karat.tally import Classes

Label: TypeAlias = str | None
"""A slice, as ``"country=NO"``; None for all rows."""
Values: TypeAlias = Mapping[str, Measured]

_KEPT_OF_SLICES = ("accuracy", "macro_f1")  # in a baseline, beside those of the rules
BY_ORDER = "Rows were matched by their order: neither side names ids that both have."
_UNPAIRED = (
    "Unpaired: the baseline holds no rows, so intervals are wider. Compare with its predictions, "
    "or write it with update_baseline= and with_rows=True."
)
NOT_WEIGHTED_ALIKE = (
    "Weight both in the same way: weights= names the column, weights='' none. Write a baseline "
    "again with update_baseline=."
)
_NOT_BEFORE: Settled = ("INCONCLUSIVE", "not compared: the baseline has no such slice", True)
_NOT_NOW: Settled = ("FAIL", "the baseline has this slice; these rows do not", False)
_ONE_CLUSTER_SO_FAR: Final = "the rows are in one cluster so far, and intervals need two"
_NAMES: Final = ("new", "old")
_BASELINE: Final = "the baseline"


def gate_report(
    rows: Rows, metrics: Sequence[Metric] | None, spec: GateSpec, *, is_whole: bool = True
) -> ClassReport:
    """The report of rows: of these metrics, or None for all.

    Only the classes that occur count, as in a report of these rows alone; with scores of the whole,
    those of the scores.
    """
    of_scores = [metric for metric in metrics or () if metric.needs_scores]
    if of_scores and rows.scores is None:
        raise of_scores[0].no_scores(rows.warnings)
    check_decided(metrics or (), has_predictions=rows.has_predictions)
    keeps_classes = is_whole and rows.scores is not None
    if metrics is not None and not of_scores:
        rows = replace(rows, scores=None)
    if rows.scores is None and not keeps_classes:
        (rows,) = on_occurring_classes(rows)
    wanted = None if metrics is None else tuple(metrics)
    asked = Spec(wanted, spec.undefined, spec.confidence)
    report = class_report_of(accumulate(rows, ScoreParts(0)), asked)
    if wanted is not None:
        refuse_missing(report, wanted)
    return report


def measured_of(
    rows: Rows, metrics: Sequence[Metric], spec: GateSpec, *, is_whole: bool
) -> tuple[dict[str, Measured], tuple[Doubt, ...]]:
    """The result of each metric by name, and the doubts of the reports that gave them.

    No value depends on the other metrics.
    """
    found: dict[str, Measured] = {}
    doubts: tuple[Doubt, ...] = ()
    for part in _parts(metrics):
        report = gate_report(rows, part, spec, is_whole=is_whole)
        found |= values_of(report, part)
        doubts += report.doubts
    return found, doubts


def _parts(metrics: Sequence[Metric]) -> list[list[Metric]]:
    """Metrics of labels, and those of scores; none of them empty."""
    parts = [[m for m in metrics if m.needs_scores == of_scores] for of_scores in (False, True)]
    return [part for part in parts if part]


def values_of(
    report: ClassReport, metrics: Iterable[Metric], *, skips_missing: bool = False
) -> dict[str, Measured]:
    """The results of metrics in a report, by name, and why its rows do not define them."""
    found = {}
    for metric in metrics:
        try:
            result = report[metric]
        except KaratError:
            if not skips_missing:
                raise
            continue
        is_undefined = not math.isfinite(result.value)
        with suppress(KaratError):
            cells = report.cells
            if needs_both_classes(metric, cells.classes):
                cells = with_positive(cells, str(metric))
            is_undefined |= bool(report._values(metric, cells).undefined.all())
        why = result.undefined if is_undefined else None
        facts = (result.value, result.low, result.high, result.n)
        found[str(metric)] = Measured(*facts, why, result.remark)
    return found


@dataclass(frozen=True)
class Changes:
    """Results, and their differences from a baseline on the same rows.

    Attributes:
        by_metric: name → the result and its difference.
        doubts: those that the results of the new rows raise.
        doubts_before: those that the results of the baseline raise.
    """

    by_metric: dict[str, tuple[Measured, Change]] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)
    doubts_before: list[Doubt] = field(default_factory=list)


def changes_of(
    new: Rows, old: Rows, metrics: Sequence[Metric], spec: GateSpec, *, is_whole: bool
) -> Changes:
    """The result of each metric, and its difference from that of the baseline on the same rows."""
    found = Changes()
    for part in _parts(metrics):
        of_scores = part[0].needs_scores
        check_decided(part, has_predictions=new.has_predictions and old.has_predictions)
        sides: tuple[Rows, ...] = (new, old)
        if not of_scores:
            sides = tuple(replace(side, scores=None) for side in sides)
        is_same = _is_same(new, old, of_scores=of_scores)
        if not is_whole and not of_scores:
            sides = on_occurring_classes(*sides)
        keeps_all = [is_whole and side.scores is not None for side in (new, old)]
        models = models_of_rows(_NAMES, sides, keeps_all=keeps_all)
        models.check(part)
        pair = spec.pair.at(models.n_units)
        alone, doubts = measured_of(new, part, spec, is_whole=is_whole)
        both = models.measured(part, pair, spec.undefined)
        found.doubts.extend(doubts)
        estimates = {str(one.metric): values for one, values in both}
        found.doubts_before.extend(models.doubts_of(part, estimates, {"old": _BASELINE}))
        for metric, (measured, values) in zip(part, both, strict=True):
            (one,) = judged(measured, _NAMES, pair)
            value = values["new"]
            now = replace(alone[str(metric)], value=value.value)
            if value.low is not None:
                now = replace(now, low=value.low, high=value.high)
            change = replace(change_of(one, is_same=is_same), look=pair.look)
            found.by_metric[str(metric)] = now, change
    return found


def change_of(one: Difference, *, is_same: bool) -> Change:
    """The difference of the rows that are to pass from the baseline."""
    numbers = (one.value_b, one.difference, one.low, one.high, one.p, one.detectable)
    is_identical = one.verdict == "identical" and one.low is None
    remark = PREDICT_THE_SAME if is_same else one.remark
    return Change(*numbers, is_same=is_same or is_identical, remark=remark)


def _is_same(new: Rows, old: Rows, *, of_scores: bool) -> bool:
    """True if both models predict the same on every row."""
    if not of_scores:
        return bool(np.all(new.pred == old.pred))
    if new.scores is None or old.scores is None or new.kind != old.kind:
        return False
    return np.array_equal(new.scores.values, old.scores.values)


def _of_side(rows: Rows | ClassReport, side: str = "") -> list[Doubt]:
    """The doubts about rows, or those of a report; of one side where it has a name."""
    if isinstance(rows, Rows):
        return of_rows(rows, side)
    return [one.within(side) if side else one for one in rows.doubts]


def _of_baseline(before: Rows | ClassReport, current: Rows | ClassReport) -> list[Doubt]:
    """The doubts about the baseline; its rows may share the values of the column of clusters."""
    found = _of_side(before, _BASELINE)
    # Clusters are read of the rows that are to pass alone, and there they are no unique ids.
    clusters = current.mapping.get("clusters")
    return [x for x in found if clusters is None or x.settled_by.get("clusters") != clusters]


def _add(known: list[Doubt], found: Iterable[Doubt], side: str = "") -> None:
    """Add the doubts of a result to those about the rows, which it may repeat."""
    known += [one.within(side) if side else one for one in new_doubts(found, known)]


def decided_by(report: ClassReport) -> dict[str, Any]:
    """``threshold`` of a report whose scores decided what is predicted, as far as it says."""
    is_known = report.threshold is not None or (report.mapping and not report.mapping.get("y_pred"))
    return {"threshold": report.threshold} if report.scores is not None and is_known else {}


def n_of(rows: Rows | ClassReport) -> int:
    """Number of rows."""
    return rows.n_rows if isinstance(rows, ClassReport) else rows.n


@dataclass(eq=False)
class Evaluation:
    """Rules on rows, or on a report, and an earlier model.

    Attributes:
        current, before: the rows that are to pass, or their report; the earlier model, or None.
        name: of the earlier model in messages.
        by: the name of the slices.
        names_weights: whether the user named the weights.
        decided: ``threshold`` where scores decided what is predicted: None for the largest.
        notes: sentences for the reader.
        doubts, doubts_before: about the rows that are to pass, and about the earlier model.
        is_paired: whether the rows are those of the baseline; None without one.
        matched: the rows that are to pass and those of the baseline, in one order; or None.
        awaits_clusters: whether rows of one cluster are inconclusive, since others will come.
    """

    rules: Sequence[Rule]
    spec: GateSpec
    current: Rows | ClassReport
    before: Rows | Baseline | ClassReport | None
    name: str
    by: str
    names_weights: bool
    decided: Mapping[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    doubts_before: list[Doubt] = field(default_factory=list)
    is_paired: bool | None = None
    matched: tuple[Rows, Rows] | None = None
    awaits_clusters: bool = False
    _lost: Settled | None = None
    _common: Mapping[Label, Any] = field(default_factory=dict)
    _values: Mapping[Label, Values] = field(default_factory=dict)

    def cases(self) -> list[Case]:
        """Every rule with its measurements, on all rows and on every slice."""
        had = self._read_baseline()
        if isinstance(self.current, ClassReport):
            self._check_level(self.current, "The report")
        cases = self._of_part(None, self.current)
        if isinstance(self.current, Rows) and self.current.slices is not None:
            there = self._slices(self.current)
            for label, places in there.items():
                cases += self._of_part(label, self.current.at(places))
            # Without a comparison a rule must not pass.
            gone = [label for label in had if label not in there]
            cases += [
                Case(rule, slice=each, settled=_NOT_NOW) for each in gone for rule in self.rules
            ]
        return cases

    def doubts_and_notes(self) -> tuple[str, ...]:
        """The doubts about both sides, then the notes."""
        # The classes are those of both.
        known = [x for x in self.doubts if isinstance(x, NoPositiveDoubt)]
        before = new_doubts(self.doubts_before, known)
        doubts = [*without_effects(self.doubts), *without_effects(before)]
        if not read_log_loss(self._metrics()):
            # A report, or a baseline, holds metrics that no rule is about.
            doubts = [one for one in doubts if not isinstance(one, InfiniteLossDoubt)]
        return (*of_bounds(self.rules, self.current.classes.k), *doubts, *self.notes)

    def _read_baseline(self) -> Sequence[Label]:
        """Match the rows of the baseline, or take its values; return its slices."""
        current, before = self.current, self.before
        self.notes += without_doubts(current.warnings)
        self.doubts += _of_side(current)
        if isinstance(before, Rows | ClassReport):
            self.doubts_before += _of_baseline(before, current)
        stored = before.slices if isinstance(before, Baseline) and before.by is not None else {}
        by = before.by if isinstance(before, Baseline) else None
        had: dict[Label, Values] = {f"{by}={name}": values for name, values in stored.items()}
        if isinstance(before, Baseline | ClassReport):
            check_population(current, before)
            self._check_weights(before.cells.is_weighted)
        if isinstance(before, Baseline) and before.rows is not None:
            before = self._predicted_alike(before, replace(before.rows, name=self.name))
            self.doubts_before += _of_side(before, _BASELINE)
            current = with_hashes(current) if isinstance(current, Rows) else current
        is_sliced = isinstance(current, Rows) and current.slices is not None
        if isinstance(current, Rows) and isinstance(before, Rows):
            self._match(current, before)
            # Rows that are matched are in the slices of these rows, whatever was stored.
            return list(had if by == self.by else self._slices(before))
        if before is None:
            return ()
        if is_sliced and by != self.by:
            raise self._without_slices(by)
        self.is_paired = False
        self.notes.append(as_typed(_UNPAIRED))
        if isinstance(before, Rows):
            before = gate_report(before, None, self.spec)
            _add(self.doubts_before, before.doubts, _BASELINE)
        self._check_classes(before.classes)
        self._check_level(before, "The baseline")
        side = current if isinstance(current, Rows) else current.cells
        lost = lost_classes(
            amounts_of(before.cells),
            amounts_of(side),
            self.spec.min_n,
            fails=not self.spec.allow_mismatch,
        )
        self._lost = lost.settled
        self.notes += filter(None, [lost.note])
        if isinstance(before, ClassReport):
            self._check_threshold(decided_by(before))
            self._values = {None: values_of(before, self._metrics(), skips_missing=True)}
            return ()
        then = before.settings.get("undefined", self.spec.undefined)
        if then != self.spec.undefined:
            now = self.spec.undefined
            made, here = option("undefined", then), option("undefined", now)
            self.notes.append(f"The baseline was made with {made}, these values with {here}.")
        self._check_threshold(before.settings)
        self._values = had | {None: before.metrics}
        return list(had)

    def _predicted_alike(self, before: Baseline, rows: Rows) -> Rows:
        """The rows of a baseline, predicted as these are, as those of files are."""
        if rows.scores is None or self._has_threshold_of(before.settings):
            return rows
        at = self.decided["threshold"]
        # Scores are stored as float32: a number that is the threshold stays on its side.
        at = None if at is None else float(np.float32(at))
        return predicted(replace(rows, pred=None), at, None)

    def _has_threshold_of(self, settings: Mapping[str, Any]) -> bool:
        """True if both sides predict at the same threshold, as far as is known."""
        ours, theirs = (each.get("threshold", "") for each in (self.decided, settings))
        # A threshold of logits is a probability.
        is_score = isinstance(self.current, Rows) and self.current.kind == "scores"
        largest = 0.0 if is_score else 0.5
        both = {largest if each is None else each for each in (ours, theirs)}
        return "" in both or len(both) < 2 or self.current.classes.k != 2

    def _check_threshold(self, settings: Mapping[str, Any]) -> None:
        reads = any(not one.needs_scores for one in self._metrics(needs_baseline=True))
        if not reads or self._has_threshold_of(settings):
            return
        update, rows = option("update_baseline"), option("with_rows", True)
        told = [
            "the largest score" if each["threshold"] is None else f"{each['threshold']:g}"
            for each in (self.decided, settings)
        ]
        facts = dict(zip(("now", "then"), told, strict=True))
        self.doubts.append(doubt("D117", **facts, update=update, rows=rows))

    def _match(self, current: Rows, before: Rows) -> None:
        found = pair_rows([current, before], allow_mismatch=self.spec.allow_mismatch)
        if not self.names_weights:
            self._check_weights(before.weights is not None)
        new, old = found.models
        self.matched, self.is_paired = (new, old), True
        self._common = self._slices(new) | {None: slice(None)}
        self.notes += found.notes
        if found.by == "row order" and new.mapping:
            self.notes.append(BY_ORDER)

    def _slices(self, rows: Rows) -> dict[Label, Any]:
        """The places of the rows of each slice, in the order of their names."""
        if rows.slices is None:
            return {}
        codes, texts = rows.slices.codes, rows.slices.texts
        by_name: dict[str, list[int]] = {}
        for code in np.unique(codes).tolist():
            by_name.setdefault(texts[code], []).append(code)
        return {
            f"{self.by}={name}": np.flatnonzero(np.isin(codes, by_name[name]))
            for name in in_order(by_name)
        }

    def _metrics(self, *, needs_baseline: bool | None = None) -> list[Metric]:
        """The metrics of all rules, or of those that compare, or do not; each once."""
        listed = [r.metric for r in self.rules if needs_baseline in (None, r.needs_baseline)]
        return list(dict.fromkeys(listed))

    def _of_part(self, label: Label, rows: Rows | ClassReport) -> list[Case]:
        """Every rule on some rows."""
        settled, nothing = self._unfit(label, rows), Measured(None, n=n_of(rows))
        is_whole = label is None
        changes: Changes | None = None
        if settled is None and self.matched is not None and label in self._common:
            new, old = (side if is_whole else side.at(self._common[label]) for side in self.matched)
            settled = self._unfit(label, new)
            if settled is None:
                compared = self._metrics(needs_baseline=True)
                changes = changes_of(new, old, compared, self.spec, is_whole=is_whole)
                if is_whole:
                    _add(self.doubts, changes.doubts)
                    _add(self.doubts_before, changes.doubts_before)
        if settled is not None:
            return [Case(rule, nothing, None, label, settled) for rule in self.rules]
        bounds = self._metrics(needs_baseline=None if self.matched is None else False)
        if isinstance(rows, ClassReport):
            values: Values = values_of(rows, bounds)
        else:
            values, doubts = measured_of(rows, bounds, self.spec, is_whole=is_whole)
            if is_whole:
                _add(self.doubts, doubts)
        cases = []
        for rule in self.rules:
            name = str(rule.metric)
            if not rule.needs_baseline:
                cases.append(Case(rule, values[name], None, label))
            elif self.matched is None and label not in self._values:
                cases.append(Case(rule, values[name], None, label, _NOT_BEFORE))
            elif self.matched is None:
                then = self._values[label].get(name)
                change = None if then is None else change_apart(values[name], then, self.spec)
                cases.append(
                    Case(rule, values[name], change, label, self._lost if is_whole else None)
                )
            elif changes is None:
                cases.append(Case(rule, nothing, None, label, _NOT_BEFORE))
            else:
                cases.append(Case(rule, *changes.by_metric[name], label))
        return cases

    def _unfit(self, label: Label, rows: Rows | ClassReport) -> Settled | None:
        """Reason why the numbers of a slice give no verdict, or None."""
        if isinstance(rows, ClassReport):
            return None
        if label is None:
            is_one = self.awaits_clusters and rows.n_clusters == 1
            return ("INCONCLUSIVE", _ONE_CLUSTER_SO_FAR, True) if is_one else None
        reason = None
        if rows.n < self.spec.min_n:
            reason = f"too few rows ({rows.n} of at least {self.spec.min_n})"
        elif rows.weights is not None and not rows.weights.any():
            reason = "its rows have weight 0"
        elif rows.n_clusters == 1:
            reason = "its rows are in one cluster"
        return None if reason is None else ("INCONCLUSIVE", reason, False)

    def _without_slices(self, by: str | None) -> KaratError:
        """K189: a baseline of values that has no slices by this column, but perhaps by another."""
        found = "It was made without slices" if by is None else f"It holds slices by {harmless(by)}"
        named, how = "the values of by=", "by= for each row"
        if isinstance(self.current, Rows) and self.current.mapping:
            named, how = harmless(self.by), option("by", harmless(self.by))
        make = f"Make it with {how}"
        if isinstance(self.before, ClassReport):
            found = "It is a report, and a gate reads no slices of a report"
            make = f"Write a baseline with {option('update_baseline')} and {how}"
        kept = option("with_rows", True)
        rows = f"or compare with predictions: a file, a table, or rows kept by {kept}"
        return error("K189", by=named, found=found, do=f"{make}, {rows}.")

    def _check_classes(self, then: Classes) -> None:
        """Refuse a baseline of other classes (K174), or of another positive one (K176)."""
        now = self.current.classes
        if set(now.labels) != set(then.labels) and not self.spec.allow_mismatch:
            raise error(
                "K174",
                left="the predictions",
                left_classes=shown(now.labels),
                right=self.name,
                right_classes=shown(then.labels),
            )
        if now.positive is None or then.positive is None:
            return
        ours, theirs = now.labels[now.positive], then.labels[then.positive]
        if ours != theirs:
            raise refused(
                f"The positive class is {ours!r}, that of the baseline {theirs!r}",
                f"Give both the same {option('positive')}.",
            )

    def _check_weights(self, is_weighted: bool) -> None:
        """Refuse to compare weighted rows with rows that all weigh the same (K176)."""
        current, column = self.current, None
        if isinstance(current, ClassReport):
            is_weighted_now = current.cells.is_weighted
        else:
            is_weighted_now = current.weights is not None
            column = current.mapping.get("weights")
        if is_weighted_now == is_weighted:
            return
        named = f" (column {short(column)})" if column else ""
        found = f"The predictions have weights{named}, the baseline has none"
        if is_weighted:
            found = f"The baseline has weights{named}, the predictions have none"
        raise refused(found, as_typed(NOT_WEIGHTED_ALIKE))

    def _check_level(self, side: Baseline | ClassReport, what: str) -> None:
        """Refuse intervals of another kind than those of the gate (K176)."""
        asked = None if isinstance(side, Baseline) else side.confidence
        if isinstance(side, Baseline):
            asked = Confidence(side.settings.get("level", self.spec.level))
        check_level(self.spec, asked, what)

    @property
    def n(self) -> int:
        """Number of rows."""
        return n_of(self.current)

    @property
    def mapping(self) -> Mapping[str, Any] | None:
        """The columns of the rows that are to pass; None of a report, and of arrays."""
        return None if isinstance(self.current, ClassReport) else self.current.mapping or None

    def baseline_text(self) -> str:
        """The rows, or the report, as the next baseline in JSON."""
        return text_of_baseline(self.baseline())

    def baseline(self) -> Baseline:
        """The rows, or the report, as the next baseline."""
        current, metrics = self.current, self._metrics()
        settings = {"level": self.spec.level, "undefined": self.spec.undefined, **self.decided}
        report = (
            current if isinstance(current, ClassReport) else gate_report(current, None, self.spec)
        )
        values = values_of(report, map(get, report.metrics))
        _add(self.doubts, report.doubts)
        if isinstance(current, ClassReport):
            values |= values_of(report, metrics)
            settings |= population_of(report)
            return Baseline(current.classes, current.cells, current.n_rows, values, settings)
        values |= measured_of(current, metrics, self.spec, is_whole=True)[0]
        of_slices = map(get, _KEPT_OF_SLICES if current.has_predictions else ())
        kept = list(dict.fromkeys([*of_slices, *metrics]))
        slices = {}
        for label, places in self._slices(current).items():
            rows = current.at(places)
            if self._unfit(label, rows) is None:
                name = str(label).partition("=")[2]
                slices[name] = measured_of(rows, kept, self.spec, is_whole=False)[0]
        return Baseline(
            current.classes,
            report.cells,
            current.n,
            values,
            settings,
            None if current.slices is None else self.by,
            slices,
            current if self.spec.with_rows else None,
        )
