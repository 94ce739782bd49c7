"""Every rule of a gate with its measurements: values, differences, slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from karat.api.gate.baseline import Baseline, with_hashes
from karat.api.gate.measure import (
    GateSpec,
    change_apart,
    changes_of,
    gate_report,
    measured_of,
    values_of,
)
from karat.api.results import Report
from karat.data.pairing import pair_rows
from karat.data.rows import Rows
from karat.data.slices.codes import in_order
from karat.errors import error, short, shown
from karat.metrics import Metric, get
from karat.results.gate.verdicts import Case, Change, Measured, Rule, Settled, refused
from karat.tally import Classes

__all__ = ["Evaluation"]

Label: TypeAlias = str | None
"""A slice, as ``"country=NO"``; None for all rows."""
Values: TypeAlias = Mapping[str, Measured]
Changes: TypeAlias = Mapping[str, tuple[Measured, Change | None]]

_KEPT_OF_SLICES = ("accuracy", "macro_f1")
"""Metrics of every slice in a baseline, beside those of the rules."""
_BY_ORDER = "Rows were matched by their order: neither side names ids that both have."
_UNPAIRED = (
    "Unpaired: the rows of the baseline are not at hand, so that intervals are wider; "
    "its predictions, or --update-baseline with --with-rows, keep them."
)
_SAME_WEIGHTS = (
    "Weigh both alike: weights= (--weight) names the column, '' is for none; a baseline is made "
    "anew with --update-baseline."
)
_NOT_BEFORE: Settled = ("FAIL", "the baseline does not have the rows of this slice", False)
_NOT_NOW: Settled = ("FAIL", "the baseline has this slice; these rows do not", False)


@dataclass(eq=False)
class Evaluation:
    """Rules on rows, or on a report, and an earlier model.

    Attributes:
        rules: of the gate.
        spec: its other choices.
        current: the rows that are to pass, or their report.
        before: the earlier model, or None.
        name: of the earlier model in messages.
        by: the name of the slices.
        names_weights: whether the user named the weights.
        notes: sentences for the reader.
        is_paired: whether the rows are those of the baseline; None without one.
    """

    rules: Sequence[Rule]
    spec: GateSpec
    current: Rows | Report
    before: Rows | Baseline | Report | None
    name: str
    by: str
    names_weights: bool
    notes: list[str] = field(default_factory=list)
    is_paired: bool | None = None
    _matched: tuple[Rows, Rows] | None = None
    _common: Mapping[Label, Any] = field(default_factory=dict)
    _values: Mapping[Label, Values] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Rows."""
        return self.current.n_rows if isinstance(self.current, Report) else self.current.n

    def cases(self) -> list[Case]:
        """Every rule with its measurements, on all rows and on every slice."""
        had = self._read_baseline()
        if isinstance(self.current, Report):
            self._check_level(self.current, "The report")
        cases: list[Case] = []
        for label, rows in self._parts():
            cases += self._of_part(label, rows)
        if isinstance(self.current, Rows) and self.current.slices is not None:
            # Without a comparison a rule must not pass.
            there = self._slices(self.current)
            gone = [label for label in had if label not in there]
            cases += [
                Case(rule, slice=each, settled=_NOT_NOW) for each in gone for rule in self.rules
            ]
        return cases

    def _read_baseline(self) -> Sequence[Label]:
        """Match the rows of the baseline, or take its values; return its slices.

        Errors:
            As `pair_rows`; K174, K176 it cannot be compared with.
        """
        current, before = self.current, self.before
        if isinstance(current, Rows):
            self.notes += current.warnings
        stored = before.slices if isinstance(before, Baseline) and before.by is not None else {}
        by = before.by if isinstance(before, Baseline) else None
        had: dict[Label, Values] = {f"{by}={name}": values for name, values in stored.items()}
        if isinstance(before, Baseline | Report):
            self._check_weights(before.cells.is_weighted)
        if isinstance(before, Baseline) and before.rows is not None:
            before = replace(before.rows, name=self.name)
            current = with_hashes(current) if isinstance(current, Rows) else current
        if isinstance(current, Rows) and isinstance(before, Rows):
            self._match(current, before)
            return list(had) or list(self._slices(before))
        if before is None:
            return ()
        self.is_paired = False
        self.notes.append(_UNPAIRED)
        if isinstance(before, Rows):
            before = gate_report(before, None, self.spec)
        self._check_classes(before.classes)
        self._check_level(before, "The baseline")
        if isinstance(before, Report):
            self._values = {None: values_of(before, self._metrics(), skips_missing=True)}
            return ()
        then = before.settings.get("undefined", self.spec.policy)
        if then != self.spec.policy:
            now = self.spec.policy
            note = f"The baseline was made with undefined={then!r}, these values with {now!r}."
            self.notes.append(note)
        self._values = had | {None: before.metrics}
        return list(had)

    def _match(self, current: Rows, before: Rows) -> None:
        """Match the rows of both models."""
        found = pair_rows([current, before], allow_mismatch=self.spec.allow_mismatch)
        if not self.names_weights:
            self._check_weights(before.weights is not None)
        new, old = found.models
        self._matched, self.is_paired = (new, old), True
        self._common = self._slices(new) | {None: slice(None)}
        self.notes += found.notes
        if found.by == "row order" and new.mapping:
            self.notes.append(_BY_ORDER)

    def _parts(self) -> Iterator[tuple[Label, Rows | Report]]:
        """All rows, then those of each slice."""
        yield None, self.current
        if isinstance(self.current, Rows):
            for label, places in self._slices(self.current).items():
                yield label, self.current.at(places)

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

    def _of_part(self, label: Label, rows: Rows | Report) -> list[Case]:
        """Every rule on some rows."""
        n = rows.n if isinstance(rows, Rows) else rows.n_rows
        settled = self._unfit(label, rows)
        changes: Changes | None = {}
        if settled is None and self._matched is not None:
            settled, changes = self._of_common(label)
        if settled is not None:
            return [Case(rule, Measured(None, n=n), None, label, settled) for rule in self.rules]
        bounds = self._metrics(needs_baseline=None if self._matched is None else False)
        if isinstance(rows, Report):
            values: Values = values_of(rows, bounds)
        else:
            values = measured_of(rows, bounds, self.spec, is_whole=label is None)
        cases = []
        for rule in self.rules:
            name = str(rule.metric)
            if not rule.needs_baseline:
                cases.append(Case(rule, values[name], None, label))
            elif self._matched is None:
                then = self._values.get(label, {}).get(name)
                change = None if then is None else change_apart(values[name], then, self.spec.level)
                cases.append(Case(rule, values[name], change, label))
            elif changes is None:
                cases.append(Case(rule, Measured(None, n=n), None, label, _NOT_BEFORE))
            else:
                cases.append(Case(rule, *changes[name], label))
        return cases

    def _of_common(self, label: Label) -> tuple[Settled | None, Changes | None]:
        """Differences on the rows that both models have; or None, or why none is computed."""
        assert self._matched is not None
        if label not in self._common:
            return None, None
        new, old = (
            rows if label is None else rows.at(self._common[label]) for rows in self._matched
        )
        settled = self._unfit(label, new)
        if settled is not None:
            return settled, None
        compared = self._metrics(needs_baseline=True)
        return None, changes_of(new, old, compared, self.spec, is_whole=label is None)

    def _unfit(self, label: Label, rows: Rows | Report) -> Settled | None:
        """Why a slice gets no verdict by its numbers, or None."""
        if label is None or isinstance(rows, Report):
            return None
        reason = None
        if rows.n < self.spec.min_n:
            reason = f"too few rows ({rows.n} of at least {self.spec.min_n})"
        elif rows.weights is not None and not rows.weights.any():
            reason = "its rows weigh nothing"
        elif rows.clusters is not None and len(np.unique(rows.clusters.codes)) < 2:
            reason = "its rows are in one cluster"
        return None if reason is None else ("INCONCLUSIVE", reason, False)

    def _check_classes(self, then: Classes) -> None:
        """Refuse a baseline of other classes.

        Errors:
            K174; K176 another positive class.
        """
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
                "Give the same positive= (--positive) to both.",
            )

    def _check_weights(self, is_weighted: bool) -> None:
        """Refuse to compare weighted rows with rows that all weigh the same.

        Errors:
            K176.
        """
        current, column = self.current, None
        if isinstance(current, Report):
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
        raise refused(found, _SAME_WEIGHTS)

    def _check_level(self, side: Baseline | Report, what: str) -> None:
        """Refuse intervals of another kind than those of the gate.

        Errors:
            K176.
        """
        level, is_both = self.spec.level, True
        if isinstance(side, Baseline):
            level = side.settings.get("level", level)
        elif side.confidence is not None:
            level, is_both = side.confidence.level, side.confidence.side == "both"
        if level == self.spec.level and is_both:
            return
        kind = f"has intervals at {level}" if is_both else "has limits on one side"
        raise refused(
            f"{what} {kind}; the gate asks for both limits at {self.spec.level:g}",
            "Ask both for the same level= (--level), with side='both'.",
        )

    def baseline(self) -> Baseline:
        """The rows, or the report, as the next baseline."""
        current, metrics = self.current, self._metrics()
        settings = {"level": self.spec.level, "undefined": self.spec.policy}
        report = current if isinstance(current, Report) else gate_report(current, None, self.spec)
        values = values_of(report, map(get, report.metrics))
        if isinstance(current, Report):
            values |= values_of(report, metrics)
            return Baseline(current.classes, current.cells, current.n_rows, values, settings)
        values |= measured_of(current, metrics, self.spec, is_whole=True)
        kept = list(dict.fromkeys([*map(get, _KEPT_OF_SLICES), *metrics]))
        slices = {}
        for label, places in self._slices(current).items():
            rows = current.at(places)
            if self._unfit(label, rows) is None:
                name = str(label).partition("=")[2]
                slices[name] = measured_of(rows, kept, self.spec, is_whole=False)
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
