"""Every rule of a gate with what was found of it: values, differences, slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.api.gate.compatibility import check_classes, check_level, check_weights, other_settings
from karat.api.gate.measure import (
    Asked,
    change_apart,
    changes_of,
    measured_in,
    measured_of,
    report_of,
    values_before,
)
from karat.api.gate.rows import kept_of_baseline, with_hashes
from karat.api.results import Report
from karat.data.pairing import pair_rows
from karat.data.rows import Rows
from karat.data.slices.codes import in_order
from karat.metrics import Metric
from karat.output.gate.baselines import Baseline
from karat.results.gate.rules import Rule
from karat.results.gate.verdicts import Case, Change, Measured

__all__ = ["GateCases"]


@dataclass(frozen=True, eq=False)
class GateCases:
    """Rules, and what they are asked of."""

    rules: Sequence[Rule]
    asked: Asked
    current: Rows | Report
    before: Rows | Baseline | Report | None
    name: str
    by: str
    allow_mismatch: bool
    names_weights: bool = False

    @property
    def n(self) -> int:
        """Rows."""
        return self.current.n_rows if isinstance(self.current, Report) else self.current.n

    @property
    def metrics(self) -> list[Metric]:
        """Every metric of the rules, once."""
        return list(dict.fromkeys(rule.metric for rule in self.rules))

    def cases(self) -> tuple[list[Case], list[str], bool | None]:
        """Every rule with what was found of it, in every slice; notes; whether rows are paired."""
        notes = [] if isinstance(self.current, Report) else list(self.current.warnings)
        if isinstance(self.current, Report) or not isinstance(self.before, Rows):
            before = self.before
            if before is not None and not isinstance(before, Rows):
                check_weights(self.current, before.cells.is_weighted)
            if isinstance(before, Baseline) and before.rows is not None:
                before = kept_of_baseline(before, self.name)
            if isinstance(before, Rows) and isinstance(self.current, Rows):
                return self._paired(with_hashes(self.current), before, notes)
            return self._apart(before, notes)
        return self._paired(self.current, self.before, notes)

    def _paired(
        self, current: Rows, before: Rows, notes: list[str]
    ) -> tuple[list[Case], list[str], bool | None]:
        """Bounds of all rows there are, and differences of those that both have."""
        matched = pair_rows([current, before], allow_mismatch=self.allow_mismatch)
        if not self.names_weights:
            check_weights(self.current, before.weights is not None)
        new, old = matched.models
        notes += matched.notes
        if matched.by == "row order" and new.mapping:
            notes.append("Rows were matched by their order: neither side names ids that both have.")
        common = {label: (new.at(rows), old.at(rows)) for label, rows in self.slices(new)}
        cases = self._of_rows(current, (new, old), None)
        for label, rows in self.slices(current):
            cases += self._of_rows(current.at(rows), common.get(label), label)
        had = [label for label, _ in self.slices(before)]
        if isinstance(self.before, Baseline) and self.before.by is not None:
            had = [f"{self.before.by}={each}" for each in self.before.slices]
        return cases + self._gone(current, had), notes, True

    def _of_rows(
        self, rows: Rows, common: tuple[Rows, Rows] | None, label: str | None
    ) -> list[Case]:
        """Every rule of some rows.

        Args:
            common: the same rows, and those of the baseline, as far as both have them.
        """
        settled = self.unfit(rows, label)
        if settled is None and common is not None:
            settled = self.unfit(common[0], label)
        if settled is not None:
            return self._settled(rows, label, settled)
        bounds = self._metrics_of(needs_baseline=False)
        compared = self._metrics_of(needs_baseline=True)
        values = measured_of(rows, bounds, self.asked, is_whole=label is None)
        changes: Mapping[Metric, tuple[Measured, Change]] = {}
        if common is not None:
            changes = changes_of(*common, compared, self.asked, is_whole=label is None)
        cases = []
        for rule in self.rules:
            if not rule.needs_baseline:
                cases.append(Case(rule, values[rule.metric], None, label))
            elif common is None:
                gone = ("FAIL", "the baseline does not have the rows of this slice", False)
                cases += self._settled(rows, label, gone, [rule])
            else:
                cases.append(Case(rule, *changes[rule.metric], label))
        return cases

    def _settled(
        self,
        rows: Rows,
        label: str | None,
        settled: tuple[Any, str, bool],
        rules: Sequence[Rule] | None = None,
    ) -> list[Case]:
        """Rules whose verdict needs no number."""
        return [
            Case(rule, Measured(None, n=rows.n), None, label, settled)
            for rule in (self.rules if rules is None else rules)
        ]

    def _metrics_of(self, *, needs_baseline: bool) -> list[Metric]:
        wanted = [rule.metric for rule in self.rules if rule.needs_baseline == needs_baseline]
        return list(dict.fromkeys(wanted))

    def unfit(self, rows: Rows, label: str | None) -> tuple[Any, str, bool] | None:
        """Why rows of a slice are not judged, or None."""
        if label is None:
            return None
        if rows.n < self.asked.min_n:
            return "INCONCLUSIVE", f"too few rows ({rows.n} of at least {self.asked.min_n})", False
        if rows.weights is not None and not rows.weights.any():
            return "INCONCLUSIVE", "its rows weigh nothing", False
        if rows.clusters is not None and len(np.unique(rows.clusters.codes)) < 2:
            return "INCONCLUSIVE", "its rows are in one cluster", False
        return None

    def slices(self, rows: Rows) -> list[tuple[str, Any]]:
        """The rows of each slice, in the order of their names."""
        if rows.slices is None:
            return []
        codes, texts = rows.slices.codes, rows.slices.texts
        by_name: dict[str, list[int]] = {}
        for code in np.unique(codes).tolist():
            by_name.setdefault(texts[code], []).append(code)
        return [
            (f"{self.by}={name}", np.flatnonzero(np.isin(codes, by_name[name])))
            for name in in_order(by_name)
        ]

    def _apart(
        self, before: Rows | Baseline | Report | None, notes: list[str]
    ) -> tuple[list[Case], list[str], bool | None]:
        """Rules of values, and of values of a baseline whose rows are not at hand."""
        is_paired = None if before is None else False
        if isinstance(before, Rows):
            before = report_of(before, None, self.asked)
        if before is not None:
            notes.append(
                "Unpaired: the rows of the baseline are not at hand, so that intervals are wider; "
                "its predictions, or --update-baseline with --with-rows, keep them."
            )
            check_classes(self.current, before, self.name, allow_mismatch=self.allow_mismatch)
            check_level(before, "The baseline", self.asked)
        if isinstance(before, Baseline):
            notes += other_settings(before, self.asked)
        then = values_before(before, self.metrics)
        if isinstance(self.current, Report):
            report = self.current
            check_level(report, "The report", self.asked)
            now = {metric: measured_in(report, metric) for metric in self.metrics}
            return self._of_values(now, then, None), notes, is_paired
        now = measured_of(self.current, self.metrics, self.asked, is_whole=True)
        cases = self._of_values(now, then, None)
        had: list[str] = []
        of_slices: Mapping[str, Mapping[str, Measured]] = {}
        if isinstance(before, Baseline) and before.by is not None:
            of_slices = {f"{before.by}={each}": found for each, found in before.slices.items()}
            had = list(of_slices)
        for label, rows in self.slices(self.current):
            part = self.current.at(rows)
            settled = self.unfit(part, label)
            if settled is not None:
                cases += self._settled(part, label, settled)
                continue
            earlier = None if before is None else of_slices.get(label, {})
            now = measured_of(part, self.metrics, self.asked, is_whole=False)
            cases += self._of_values(now, earlier, label)
        return cases + self._gone(self.current, had), notes, is_paired

    def _of_values(
        self,
        measured: Mapping[Metric, Measured],
        before: Mapping[str, Measured] | None,
        label: str | None,
    ) -> list[Case]:
        cases = []
        for rule in self.rules:
            now = measured[rule.metric]
            earlier = None if before is None else before.get(str(rule.metric))
            change = None
            if rule.needs_baseline and earlier is not None:
                change = change_apart(now, earlier, self.asked.level)
            cases.append(Case(rule, now, change, label))
        return cases

    def _gone(self, rows: Rows, had: Sequence[str]) -> list[Case]:
        """Slices of the baseline that are no more: what cannot be compared does not pass."""
        if rows.slices is None:
            return []
        there = {label for label, _ in self.slices(rows)}
        gone = [label for label in had if label not in there]
        reason = "the baseline has this slice; these rows do not"
        return [
            Case(rule, None, None, label, ("FAIL", reason, False))
            for label in gone
            for rule in self.rules
        ]
