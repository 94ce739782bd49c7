"""`Evaluation`: every rule of a gate with what was measured, and the doubts and notes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self, TypeAlias

from karat.api.doubts import of_bounds, read_log_loss, without_effects
from karat.api.gate.spec import GateSpec, change_apart, check_level
from karat.errors import error, short, shown
from karat.errors.doubts import Doubt, InfiniteLossDoubt, doubt, new_doubts
from karat.errors.options import as_typed, option
from karat.inference.comparison.judging import ComparisonSpec, judged
from karat.inference.comparison.judging import Measured as Contrasts
from karat.inference.comparison.records import ModelValue
from karat.inference.confidence import Confidence
from karat.metrics import Metric
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
from karat.tally.score_kind import ScoreKind

Label: TypeAlias = str | None
"""A slice, as ``"country=NO"``; None for all rows."""
Values: TypeAlias = Mapping[str, Measured]
Contrast: TypeAlias = tuple[Contrasts, Mapping[str, ModelValue]]
"""A metric of two models before its limits, and the estimate of each model."""

NAMES: Final = ("new", "old")
BASELINE: Final = "the baseline"
BY_ORDER: Final = "Rows were matched by their order: neither side names ids that both have."
_WEIGH_ALIKE: Final = (
    "Weight both in the same way: weights= names the column, weights='' none. Write a baseline "
    "again with update_baseline=."
)
_NO_SLICE: Final = "not compared: the baseline has no such slice"
_NOT_BEFORE: Final[Settled] = ("INCONCLUSIVE", _NO_SLICE, True)
_NOT_NOW: Final[Settled] = ("FAIL", "the baseline has this slice; these rows do not", False)


@dataclass(frozen=True, kw_only=True)
class Estimates:
    """What was measured on some rows.

    Attributes:
        values: results by metric.
        changes: results of metrics that are compared row by row, with their differences.
        doubts, doubts_before: those that the results raise.
        notes: sentences for the reader.
        uncompared: the verdict on rules that compare, where the design cannot; else None.
    """

    values: dict[str, Measured] = field(default_factory=dict)
    changes: dict[str, tuple[Measured, Change]] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)
    doubts_before: list[Doubt] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    uncompared: Settled | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Side(ABC):
    """The rows, the report or the stored values of a model.

    Attributes:
        n: number of rows.
        confidence: of the limits of a report or of stored values; None of rows.
        decided: ``threshold`` where scores decided what is predicted: None for the largest.
        kind: of the scores of rows.
        slices: by name, in their order.
        unfit: why the numbers of these rows give no verdict, or None.
    """

    n: int
    classes: Classes
    is_weighted: bool
    confidence: Confidence | None = None
    decided: Mapping[str, Any] = field(default_factory=dict)
    kind: ScoreKind | None = None
    slices: Mapping[Label, Any] = field(default_factory=dict)
    unfit: Settled | None = None

    def at(self, label: Label) -> Self | None:
        """The same of a slice, or of all rows; None where there is no such slice."""
        if label is None:
            return self
        return self.part(label) if label in self.slices else None

    def part(self, label: Label) -> Self:
        """The same of a slice; a side without `slices` is never asked."""
        raise NotImplementedError

    @abstractmethod
    def measured(self, metrics: Sequence[Metric]) -> Estimates:
        """The result of each metric."""

    def stored(self, metrics: Sequence[Metric]) -> tuple[str, Sequence[Doubt]]:
        """The next baseline as JSON, and its doubts; those of a baseline are never stored again."""
        raise NotImplementedError


class Pair(ABC):
    """Two models on the same rows, in the same order."""

    @property
    def unfit(self) -> Settled | None:
        """Reason why the numbers of these rows give no verdict, or None."""
        return None

    @abstractmethod
    def at(self, label: Label) -> Pair | None:
        """The same of a slice, or of all rows; None where there is no such slice."""

    @abstractmethod
    def changes(self, metrics: Sequence[Metric]) -> Estimates:
        """The result of each metric, and its difference from that of the baseline."""


@dataclass(eq=False, kw_only=True)
class Evaluation:
    """Rules on a model, and on its differences from an earlier one.

    Attributes:
        before, pair: the values of the baseline, or both models on the same rows; None without.
        name: of the earlier model in messages.
        slices_before: the slices of the baseline.
        lost: the verdict where classes of the baseline have no rows now; None where they have.
        design: from estimates of all rows to those that the rules are about.
        mapping: the column of each role; None of a report, and of arrays.
        notes: sentences for the reader.
        doubts, doubts_before: about the model that is to pass, and about the earlier one.
    """

    rules: Sequence[Rule]
    spec: GateSpec
    current: Side
    before: Side | None = None
    pair: Pair | None = None
    name: str = BASELINE
    slices_before: Iterable[Label] = ()
    lost: Settled | None = None
    design: Callable[[Estimates], Estimates] | None = None
    mapping: Mapping[str, Any] | None = None
    notes: list[str] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    doubts_before: list[Doubt] = field(default_factory=list)

    @property
    def is_paired(self) -> bool | None:
        """True if the rows are those of the baseline; None without one."""
        return True if self.pair is not None else None if self.before is None else False

    def cases(self) -> list[Case]:
        """Every rule with its measurements, on all rows and on every slice."""
        if self.before is not None:
            self._check_alike(self.before)
        check_level(self.spec, self.current.confidence, "The report")
        slices = self.current.slices
        cases = [case for label in (None, *slices) for case in self._cases_at(label)]
        # Without a comparison a rule must not pass.
        gone = [label for label in self.slices_before if slices and label not in slices]
        return cases + [
            Case(rule, slice=label, settled=_NOT_NOW) for label in gone for rule in self.rules
        ]

    def doubts_and_notes(self) -> tuple[str, ...]:
        """The doubts about both models, then the notes."""
        doubts = [*without_effects(self.doubts), *without_effects(self.doubts_before)]
        if not read_log_loss(metrics_of(self.rules)):
            # A report, or a baseline, holds metrics that no rule is about.
            doubts = [each for each in doubts if not isinstance(each, InfiniteLossDoubt)]
        return (*of_bounds(self.rules, self.current.classes.k), *doubts, *self.notes)

    def baseline_text(self) -> str:
        """The model that is to pass as the next baseline in JSON."""
        text, doubts = self.current.stored(metrics_of(self.rules))
        _add(self.doubts, doubts)
        return text

    def _check_alike(self, before: Side) -> None:
        """Refuse a baseline of other classes (K174), level or weights (K176); doubt thresholds."""
        current, compared = self.current, metrics_of(self.rules, needs_baseline=True)
        check_classes(current.classes, before.classes, self.spec, self.name)
        check_level(self.spec, before.confidence, "The baseline")
        check_weights(current, is_weighted=before.is_weighted)
        reads_predictions = any(not metric.needs_scores for metric in compared)
        if reads_predictions and not has_threshold_of(current, before.decided):
            thresholds = [side.decided["threshold"] for side in (current, before)]
            now, then = ("the largest score" if x is None else f"{x:g}" for x in thresholds)
            update, rows = option("update_baseline"), option("with_rows", True)
            self.doubts.append(doubt("D117", now=now, then=then, update=update, rows=rows))

    def _cases_at(self, label: Label) -> list[Case]:
        """Every rule on all rows, or on a slice."""
        current = self.current.at(label)
        pair = None if self.pair is None else self.pair.at(label)
        assert current is not None
        nothing = Measured(None, n=current.n)
        unfit = current.unfit or (None if pair is None else pair.unfit)
        if unfit is not None:
            return [Case(rule, nothing, None, label, unfit) for rule in self.rules]
        estimates = self._estimates(label, current, pair)
        cases = []
        for rule in self.rules:
            name = str(rule.metric)
            if not rule.needs_baseline:
                cases.append(Case(rule, estimates.values[name], None, label))
                continue
            alone = nothing if self.pair is not None else estimates.values[name]
            measured, change = estimates.changes.get(name, (alone, None))
            settled = estimates.uncompared or (self.lost if label is None else None)
            change = None if estimates.uncompared else change
            cases.append(Case(rule, measured, change, label, settled))
        return cases

    def _estimates(self, label: Label, current: Side, pair: Pair | None) -> Estimates:
        """The results of all rows, or of a slice, and the differences from the baseline."""
        compared = metrics_of(self.rules, needs_baseline=True)
        before = None if self.before is None else self.before.at(label)
        paired = Estimates() if pair is None else pair.changes(compared)
        alone = current.measured(
            metrics_of(self.rules, needs_baseline=False if self.pair else None)
        )
        changes = paired.changes
        if before is not None:
            then, now = before.measured(compared).values, alone.values
            names = [str(metric) for metric in compared if str(metric) in then]
            changes = {
                name: (now[name], change_apart(now[name], then[name], self.spec)) for name in names
            }
        uncompared = _NOT_BEFORE if pair is None and before is None else None
        estimates = Estimates(values=alone.values, changes=changes, uncompared=uncompared)
        if label is not None:
            return estimates
        _add(self.doubts, paired.doubts)
        _add(self.doubts_before, paired.doubts_before)
        _add(self.doubts, alone.doubts)
        estimates = estimates if self.design is None else self.design(estimates)
        self.notes += estimates.notes
        return estimates


def metrics_of(rules: Iterable[Rule], *, needs_baseline: bool | None = None) -> list[Metric]:
    """The metrics of all rules, or of those that compare, or do not; each once."""
    listed = [rule.metric for rule in rules if needs_baseline in (None, rule.needs_baseline)]
    return list(dict.fromkeys(listed))


def check_classes(ours: Classes, theirs: Classes, spec: GateSpec, name: str) -> None:
    """Refuse a baseline of other classes (K174), or of another positive one (K176)."""
    if set(ours.labels) != set(theirs.labels) and not spec.allow_mismatch:
        sides = {"left_classes": shown(ours.labels), "right_classes": shown(theirs.labels)}
        raise error("K174", left="the predictions", right=name, **sides)
    if ours.positive is not None and theirs.positive is not None:
        new, old = ours.labels[ours.positive], theirs.labels[theirs.positive]
        if new != old:
            do = f"Give both the same {option('positive')}."
            raise refused(f"The positive class is {new!r}, that of the baseline {old!r}", do)


def check_weights(now: Side, column: str | None = None, *, is_weighted: bool) -> None:
    """Refuse to compare weighted rows with rows that all weigh the same (K176)."""
    if now.is_weighted == is_weighted:
        return
    named = f" (column {short(column)})" if column else ""
    problem = f"The predictions have weights{named}, the baseline has none"
    if is_weighted:
        problem = f"The baseline has weights{named}, the predictions have none"
    raise refused(problem, as_typed(_WEIGH_ALIKE))


def has_threshold_of(current: Side, settings: Mapping[str, Any]) -> bool:
    """True if both models predict at the same threshold, as far as is known."""
    ours, theirs = (each.get("threshold", "") for each in (current.decided, settings))
    # A threshold of logits is a probability.
    largest = 0.0 if current.kind == "scores" else 0.5
    both = {largest if each is None else each for each in (ours, theirs)}
    return "" in both or len(both) < 2 or current.classes.k != 2


def note_on_undefined(then: str, now: str) -> str:
    """Sentence on undefined values that count differently in the baseline; empty if not."""
    if then == now:
        return ""
    before, here = option("undefined", then), option("undefined", now)
    return f"The baseline was made with {before}, these values with {here}."


def compared(
    contrast: Contrast, measured: Measured, pair: ComparisonSpec, *, is_same: bool
) -> tuple[Measured, Change]:
    """The result with the limits that go with its difference, and the difference."""
    (change,) = judged(contrast[0], NAMES, pair)
    numbers = (change.value_b, change.difference, change.low, change.high, change.p)
    is_identical = change.verdict == "identical" and change.low is None
    estimate = contrast[1]["new"]
    if estimate.low is not None:
        measured = replace(measured, low=estimate.low, high=estimate.high)
    return measured, Change(
        *numbers,
        change.detectable,
        is_same=is_same or is_identical,
        remark=PREDICT_THE_SAME if is_same else change.remark,
        look=pair.look,
    )


def _add(known: list[Doubt], doubts: Iterable[Doubt]) -> None:
    """Add the doubts that a result raises to those about the rows, which it may repeat."""
    known += new_doubts(doubts, known)
