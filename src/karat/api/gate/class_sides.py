"""Sides of a gate of rows with one class each: rows, a report, a stored baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, Self, TypeAlias

import numpy as np

from karat.api.arguments import refuse_missing
from karat.api.doubts import of_rows
from karat.api.gate.baseline import Baseline, text_of_baseline, with_hashes
from karat.api.gate.evaluation import (
    BASELINE,
    BY_ORDER,
    NAMES,
    Estimates,
    Evaluation,
    Label,
    Pair,
    Side,
    Values,
    check_weights,
    compared,
    has_threshold_of,
    note_on_undefined,
)
from karat.api.gate.folds import over_folds
from karat.api.gate.lost import lost_classes
from karat.api.gate.spec import GateSpec, check_population, population_of
from karat.api.measuring import class_report_of
from karat.api.models import Models, models_of_rows
from karat.api.results import ClassReport
from karat.api.spec import Spec
from karat.data.accumulator import accumulate
from karat.data.pairing import on_occurring_classes, pair_rows
from karat.data.rows import Rows
from karat.data.scores.storage import ScoreParts
from karat.data.slices.codes import in_order
from karat.data.sources.tables.rows import predicted
from karat.errors import KaratError, error
from karat.errors.doubts import Doubt, NoPositiveDoubt, new_doubts, without_doubts
from karat.errors.options import as_typed, option
from karat.errors.text import harmless
from karat.inference.confidence import Confidence
from karat.metrics import Metric, get
from karat.metrics._applies import check_decided, on_both_classes
from karat.results.gate.verdicts import Measured, Rule, Settled

Source: TypeAlias = Rows | ClassReport
_KEPT_OF_SLICES: Final = ("accuracy", "macro_f1")  # in a baseline, beside those of the rules
_UNPAIRED: Final = (
    "Unpaired: the baseline holds no rows, so intervals are wider. Compare with its predictions, "
    "or write it with update_baseline= and with_rows=True."
)
_ONE_CLUSTER_SO_FAR: Final = "the rows are in one cluster so far, and intervals need two"


@dataclass(frozen=True)
class ClassSettings:
    """The choices of a gate of rows with one class each.

    Attributes:
        name: of the earlier model in messages.
        by: the name of the slices.
        decided: as of `Side`, of rows.
        names_weights: whether the user named the weights.
        awaits_clusters: whether rows of one cluster are inconclusive, since others will come.
        has_folds: whether rules are about means over folds.
    """

    spec: GateSpec
    name: str = BASELINE
    by: str = ""
    decided: Mapping[str, Any] = field(default_factory=dict)
    names_weights: bool = True
    awaits_clusters: bool = False
    has_folds: bool = False


def _report(
    rows: Rows, metrics: Sequence[Metric] | None, spec: GateSpec, *, is_whole: bool = True
) -> ClassReport:
    """The report of rows: of these metrics, or None for all.

    Only the classes that occur count, as in a report of these rows alone; with scores of the whole,
    those of the scores.
    """
    reads_scores = [metric for metric in metrics or () if metric.needs_scores]
    if reads_scores and rows.scores is None:
        raise reads_scores[0].no_scores(rows.warnings)
    check_decided(metrics or (), has_predictions=rows.has_predictions)
    keeps_classes = is_whole and rows.scores is not None
    if metrics is not None and not reads_scores:
        rows = replace(rows, scores=None)
    if rows.scores is None and not keeps_classes:
        (rows,) = on_occurring_classes(rows)
    wanted = None if metrics is None else tuple(metrics)
    spec_of_report = Spec(wanted, spec.undefined, spec.confidence)
    report = class_report_of(accumulate(rows, ScoreParts(0)), spec_of_report)
    if wanted is not None:
        refuse_missing(report, wanted)
    return report


def _values_of(
    report: ClassReport, metrics: Iterable[Metric], *, skips_missing: bool = False
) -> dict[str, Measured]:
    """The results of metrics in a report, by name, and why its rows do not define them."""
    values = {}
    for metric in metrics:
        try:
            result = report[metric]
        except KaratError:
            if not skips_missing:
                raise
            continue
        is_undefined = not math.isfinite(result.value)
        with suppress(KaratError):
            cells = on_both_classes(metric, report.cells)
            is_undefined |= bool(report._values(metric, cells).undefined.all())
        why = result.undefined if is_undefined else None
        numbers = (result.value, result.low, result.high, result.n)
        values[str(metric)] = Measured(*numbers, why, result.remark)
    return values


def _by_reading(metrics: Sequence[Metric]) -> list[list[Metric]]:
    """Metrics of labels, and those of scores; none of them empty.

    No value depends on the other metrics.
    """
    parts = [[m for m in metrics if m.needs_scores == is_scored] for is_scored in (False, True)]
    return [part for part in parts if part]


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassRows(Side):
    """Rows with one class each, or a slice of them."""

    rows: Rows
    settings: ClassSettings
    is_whole: bool

    @classmethod
    def of(cls, rows: Rows, settings: ClassSettings, *, is_whole: bool = True) -> Self:
        return cls(
            n=rows.n,
            classes=rows.classes,
            is_weighted=rows.weights is not None,
            decided=settings.decided,
            kind=rows.kind,
            slices=_slices(rows, settings.by) if is_whole else {},
            unfit=_unfit(rows, settings, is_whole=is_whole),
            rows=rows,
            settings=settings,
            is_whole=is_whole,
        )

    def part(self, label: Label) -> Self:
        return self.of(self.rows.at(self.slices[label]), self.settings, is_whole=False)

    def measured(self, metrics: Sequence[Metric]) -> Estimates:
        estimates = Estimates()
        for part in _by_reading(metrics):
            report = _report(self.rows, part, self.settings.spec, is_whole=self.is_whole)
            estimates.values.update(_values_of(report, part))
            estimates.doubts.extend(report.doubts)
        return estimates

    def stored(self, metrics: Sequence[Metric]) -> tuple[str, Sequence[Doubt]]:
        rows, settings = self.rows, self.settings
        report = _report(rows, None, settings.spec)
        usual = map(get, _KEPT_OF_SLICES if rows.has_predictions else ())
        kept = list(dict.fromkeys([*usual, *metrics]))
        parts = {str(label).partition("=")[2]: self.part(label) for label in self.slices}
        baseline = replace(
            _baseline(self, report, self.measured(metrics).values, settings.spec),
            by=None if rows.slices is None else settings.by,
            slices={x: part.measured(kept).values for x, part in parts.items() if not part.unfit},
            rows=rows if settings.spec.with_rows else None,
        )
        return text_of_baseline(baseline), report.doubts


@dataclass(frozen=True, eq=False)
class ClassPair(Pair):
    """Two models on the same rows with one class each."""

    new: ClassRows
    old: ClassRows

    @property
    def unfit(self) -> Settled | None:
        return self.new.unfit

    def at(self, label: Label) -> ClassPair | None:
        new = self.new.at(label)
        # Rows that are matched are in the slices of the new rows.
        old = replace(self.old, slices=self.new.slices).at(label)
        return None if new is None or old is None else ClassPair(new, old)

    def changes(self, metrics: Sequence[Metric]) -> Estimates:
        spec, estimates = self.new.settings.spec, Estimates()
        for part in _by_reading(metrics):
            models = self._models(part)
            pair = spec.pair.at(models.n_units)
            alone = self.new.measured(part)
            contrasts = models.measured(part, pair, spec.undefined)
            by_metric = {str(contrast.metric): values for contrast, values in contrasts}
            estimates.doubts.extend(alone.doubts)
            estimates.doubts_before.extend(models.doubts_of(part, by_metric, {"old": BASELINE}))
            is_same = _is_same(self.new.rows, self.old.rows, needs_scores=part[0].needs_scores)
            for contrast in contrasts:
                name, value = str(contrast[0].metric), contrast[1]["new"].value
                measured = replace(alone.values[name], value=value)
                estimates.changes[name] = compared(contrast, measured, pair, is_same=is_same)
        return estimates

    def _models(self, metrics: Sequence[Metric]) -> Models:
        """The models as they are compared in metrics of labels, or in those of scores."""
        both: Sequence[Rows] = (self.new.rows, self.old.rows)
        check_decided(metrics, has_predictions=all(rows.has_predictions for rows in both))
        keeps_all = [self.new.is_whole and rows.scores is not None for rows in both]
        if not metrics[0].needs_scores:
            both = [replace(rows, scores=None) for rows in both]
            both = both if self.new.is_whole else on_occurring_classes(*both)
        models = models_of_rows(NAMES, both, keeps_all=keeps_all)
        models.check(metrics)
        return models


@dataclass(frozen=True, eq=False, kw_only=True)
class ClassReported(Side):
    """A report of rows with one class each.

    Attributes:
        is_baseline: whether it may lack a metric.
    """

    report: ClassReport
    spec: GateSpec
    is_baseline: bool

    @classmethod
    def of(cls, report: ClassReport, spec: GateSpec, *, is_baseline: bool = False) -> ClassReported:
        return cls(
            n=report.n_rows,
            classes=report.classes,
            is_weighted=report.cells.is_weighted,
            confidence=report.confidence,
            decided=_decided_by(report),
            report=report,
            spec=spec,
            is_baseline=is_baseline,
        )

    def measured(self, metrics: Sequence[Metric]) -> Estimates:
        values = _values_of(self.report, metrics, skips_missing=self.is_baseline)
        return Estimates(values=values)

    def stored(self, metrics: Sequence[Metric]) -> tuple[str, Sequence[Doubt]]:
        report, values = self.report, _values_of(self.report, metrics)
        return text_of_baseline(_baseline(self, report, values, self.spec)), report.doubts


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredClasses(Side):
    """A baseline that a gate wrote, or a slice of it."""

    values: dict[str, Measured]

    @classmethod
    def of(cls, baseline: Baseline, spec: GateSpec) -> Self:
        return cls(
            n=baseline.n,
            classes=baseline.classes,
            is_weighted=baseline.cells.is_weighted,
            confidence=Confidence(baseline.settings.get("level", spec.level)),
            decided=baseline.settings,
            slices=_slices_of(baseline),
            values={**baseline.metrics},
        )

    def part(self, label: Label) -> Self:
        return replace(self, values=self.slices[label])

    def measured(self, metrics: Sequence[Metric]) -> Estimates:
        del metrics
        return Estimates(values=self.values)


def class_evaluation(
    rules: Sequence[Rule],
    current: Source,
    before: Source | Baseline | None,
    settings: ClassSettings,
) -> Evaluation:
    """The rules on rows or a report, and an earlier model, matched where both have rows.

    Errors:
        K171 to K177 rows that cannot be matched; K176 other weights or populations; K189 a baseline
        without these slices.
    """
    now: ClassRows | ClassReported
    if isinstance(current, Rows):
        now, doubts = ClassRows.of(current, settings), of_rows(current)
        mapping = current.mapping or None
    else:
        now, doubts = ClassReported.of(current, settings.spec), [*current.doubts]
        mapping = None
    evaluation = Evaluation(
        rules=rules,
        spec=settings.spec,
        current=now,
        name=settings.name,
        mapping=mapping,
        notes=[*without_doubts(current.warnings)],
        doubts=doubts,
    )
    if settings.has_folds and isinstance(current, Rows):
        evaluation.design = partial(over_folds, settings.spec, {"new": current})
    if before is not None:
        _add_baseline(evaluation, current, before, settings)
    return evaluation


def _add_baseline(
    evaluation: Evaluation, current: Source, before: Source | Baseline, settings: ClassSettings
) -> None:
    """Add the rows of the earlier model, matched with these, or its values."""
    spec, by = settings.spec, before.by if isinstance(before, Baseline) else None
    if isinstance(before, Baseline):
        evaluation.slices_before = _slices_of(before)
    model = _compared(evaluation.current, current, before, settings)
    doubts = [] if isinstance(model, Baseline) else _doubts_about(model, current)
    if isinstance(model, Rows) and isinstance(current, Rows):
        rows = with_hashes(current) if isinstance(before, Baseline) else current
        _match(evaluation, rows, model, settings)
        if by != settings.by:
            # Rows that are matched are in the slices of these rows, whatever was stored.
            evaluation.slices_before = _slices(model, settings.by)
    else:
        if isinstance(model, Rows):
            model = _report(model, None, spec)
            doubts += [each.within(BASELINE) for each in new_doubts(model.doubts, doubts)]
        if evaluation.current.slices and by != settings.by:
            raise _without_slices(settings.by, model, by, is_of_table=bool(evaluation.mapping))
        _compare_apart(evaluation, current, model, spec)
    # The classes are those of both models.
    known = [each for each in evaluation.doubts if isinstance(each, NoPositiveDoubt)]
    evaluation.doubts_before = new_doubts(doubts, known)


def _match(evaluation: Evaluation, current: Rows, before: Rows, settings: ClassSettings) -> None:
    """Add both models on the same rows."""
    pairing = pair_rows([current, before], allow_mismatch=settings.spec.allow_mismatch)
    if not settings.names_weights:
        column, is_weighted = current.mapping.get("weights"), before.weights is not None
        check_weights(evaluation.current, column, is_weighted=is_weighted)
    new, old = pairing.models
    evaluation.pair = ClassPair(ClassRows.of(new, settings), ClassRows.of(old, settings))
    evaluation.notes += pairing.notes
    if pairing.by == "row order" and new.mapping:
        evaluation.notes.append(BY_ORDER)
    if settings.has_folds and old.folds is not None:
        rows = dict(zip(NAMES, pairing.models, strict=True))
        evaluation.design = partial(over_folds, settings.spec, rows)


def _compare_apart(
    evaluation: Evaluation, current: Source, before: ClassReport | Baseline, spec: GateSpec
) -> None:
    """Add the values of the earlier model."""
    now = current if isinstance(current, Rows) else current.cells
    lost, undefined = lost_classes(before.cells, now, spec), ""
    if isinstance(before, Baseline):
        evaluation.before = StoredClasses.of(before, spec)
        policy = before.settings.get("undefined", spec.undefined)
        undefined = note_on_undefined(policy, spec.undefined)
    else:
        evaluation.before = ClassReported.of(before, spec, is_baseline=True)
    evaluation.lost = lost.settled
    evaluation.notes += filter(None, (as_typed(_UNPAIRED), lost.note, undefined))


def _compared(
    now: Side, current: Source, before: Source | Baseline, settings: ClassSettings
) -> Source | Baseline:
    """The earlier model: the rows of a baseline, predicted as these are, where it has some."""
    if isinstance(before, Rows):
        return before
    check_population(current, before)
    column = current.mapping.get("weights") if isinstance(current, Rows) else None
    check_weights(now, column, is_weighted=before.cells.is_weighted)
    if isinstance(before, ClassReport) or before.rows is None:
        return before
    rows = replace(before.rows, name=settings.name)
    if rows.scores is None or has_threshold_of(now, before.settings):
        return rows
    threshold = now.decided["threshold"]
    # Scores are stored as float32: a number that is the threshold stays on its side.
    threshold = None if threshold is None else float(np.float32(threshold))
    return predicted(replace(rows, pred=None), threshold, None)


def _doubts_about(before: Source, current: Source) -> list[Doubt]:
    """The doubts about the baseline; its rows may share the values of the column of clusters."""
    if isinstance(before, Rows):
        doubts = of_rows(before, BASELINE)
    else:
        doubts = [each.within(BASELINE) for each in before.doubts]
    # Clusters are read of the rows that are to pass alone, and there they are no unique ids.
    clusters = current.mapping.get("clusters")
    return [x for x in doubts if clusters is None or x.settled_by.get("clusters") != clusters]


def _slices_of(baseline: Baseline) -> dict[Label, Values]:
    if baseline.by is None:
        return {}
    return {f"{baseline.by}={name}": values for name, values in baseline.slices.items()}


def _without_slices(
    name: str, before: Baseline | ClassReport, by: str | None, *, is_of_table: bool
) -> KaratError:
    """K189: a baseline of values that has no slices by this column, but perhaps by another."""
    problem = "It was made without slices" if by is None else f"It holds slices by {harmless(by)}"
    named, how = "the values of by=", "by= for each row"
    if is_of_table:
        named, how = harmless(name), option("by", harmless(name))
    make = f"Make it with {how}"
    if isinstance(before, ClassReport):
        problem = "It is a report, and a gate reads no slices of a report"
        make = f"Write a baseline with {option('update_baseline')} and {how}"
    kept = option("with_rows", True)
    rows = f"or compare with predictions: a file, a table, or rows kept by {kept}"
    return error("K189", by=named, found=problem, do=f"{make}, {rows}.")


def _slices(rows: Rows, by: str) -> dict[Label, Any]:
    """The places of the rows of each slice, in the order of their names."""
    if rows.slices is None:
        return {}
    codes, texts = rows.slices.codes, rows.slices.texts
    by_name: dict[str, list[int]] = {}
    for code in np.unique(codes).tolist():
        by_name.setdefault(texts[code], []).append(code)
    return {
        f"{by}={name}": np.flatnonzero(np.isin(codes, by_name[name])) for name in in_order(by_name)
    }


def _unfit(rows: Rows, settings: ClassSettings, *, is_whole: bool) -> Settled | None:
    """Reason why the numbers of these rows give no verdict, or None."""
    if is_whole:
        is_alone = settings.awaits_clusters and rows.n_clusters == 1
        return ("INCONCLUSIVE", _ONE_CLUSTER_SO_FAR, True) if is_alone else None
    reason, least = None, settings.spec.min_n
    if rows.n < least:
        reason = f"too few rows ({rows.n} of at least {least})"
    elif rows.weights is not None and not rows.weights.any():
        reason = "its rows have weight 0"
    elif rows.n_clusters == 1:
        reason = "its rows are in one cluster"
    return None if reason is None else ("INCONCLUSIVE", reason, False)


def _is_same(new: Rows, old: Rows, *, needs_scores: bool) -> bool:
    """True if both models predict the same on every row."""
    if not needs_scores:
        return bool(np.all(new.pred == old.pred))
    if new.scores is None or old.scores is None or new.kind != old.kind:
        return False
    return np.array_equal(new.scores.values, old.scores.values)


def _decided_by(report: ClassReport) -> dict[str, Any]:
    """``threshold`` of a report whose scores decided what is predicted, as far as it says."""
    is_known = report.threshold is not None or (report.mapping and not report.mapping.get("y_pred"))
    return {"threshold": report.threshold} if report.scores is not None and is_known else {}


def _baseline(side: Side, report: ClassReport, values: Values, spec: GateSpec) -> Baseline:
    """What was measured as the next baseline, beside all metrics of a report."""
    settings = {"level": spec.level, "undefined": spec.undefined, **side.decided}
    settings |= population_of(report)
    listed = _values_of(report, map(get, report.metrics))
    return Baseline(side.classes, report.cells, side.n, {**listed, **values}, settings)
