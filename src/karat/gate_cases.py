"""Every rule of a gate with what was found of it: values, differences, slices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from karat.comparing import compare
from karat.engines.kept_rows import KeptRows
from karat.engines.pairing import pair_rows
from karat.errors import KaratError, error, shown
from karat.evaluation import evaluate
from karat.gate_rows import kept_of_baseline, with_hashes
from karat.gating.baselines import Baseline
from karat.gating.rules import Rule
from karat.gating.verdicts import Case, Change, Measured
from karat.metrics import Metric
from karat.report import Report

__all__ = ["Asked", "GateCases", "measured_in"]

POWER: Final = 0.8


@dataclass(frozen=True)
class Asked:
    """What is asked, beside the rules."""

    evidence: Any
    level: float
    undefined: str
    min_n: int


@dataclass(frozen=True, eq=False)
class GateCases:
    """Rules, and what they are asked of."""

    rules: Sequence[Rule]
    asked: Asked
    current: KeptRows | Report
    before: KeptRows | Baseline | Report | None
    name: str
    by: str
    allow_mismatch: bool

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
        if isinstance(self.current, Report) or not isinstance(self.before, KeptRows):
            before = self.before
            if isinstance(before, Baseline) and before.rows is not None:
                before = kept_of_baseline(before, self.name)
            if isinstance(before, KeptRows) and isinstance(self.current, KeptRows):
                return self._paired(with_hashes(self.current), before, notes)
            return self._apart(before, notes)
        return self._paired(self.current, self.before, notes)

    def _paired(
        self, current: KeptRows, before: KeptRows, notes: list[str]
    ) -> tuple[list[Case], list[str], bool | None]:
        matched = pair_rows([current, before], allow_mismatch=self.allow_mismatch)
        new, old = matched.models
        notes += matched.notes
        if matched.by == "row order" and new.mapping is not None:
            notes.append("Rows were matched by their order: neither side names ids that both have.")
        cases = self._of_rows(new, old, None)
        for label, rows in self.slices(new):
            cases += self._of_rows(new.at(rows), old.at(rows), label)
        had = [] if before.slices is None else [label for label, _ in self.slices(before)]
        if isinstance(self.before, Baseline) and self.before.by is not None:
            had = [f"{self.before.by}={each}" for each in self.before.slices]
        return cases + self._gone(new, had), notes, True

    def _of_rows(self, new: KeptRows, old: KeptRows | None, label: str | None) -> list[Case]:
        settled = self.unfit(new, label)
        if settled is not None:
            return [
                Case(rule, Measured(math.nan, n=new.n), None, label, settled) for rule in self.rules
            ]
        measured = self._measured(new)
        changes: Mapping[Metric, Change] = {}
        if old is not None:
            compared = [rule.metric for rule in self.rules if rule.needs_baseline]
            changes = self._changes(new, old, list(dict.fromkeys(compared)))
        return [
            Case(rule, measured[rule.metric], changes.get(rule.metric), label)
            for rule in self.rules
        ]

    def unfit(self, rows: KeptRows, label: str | None) -> tuple[Any, str, bool] | None:
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

    def slices(self, rows: KeptRows) -> list[tuple[str, Any]]:
        """The rows of each slice, in the order of their names."""
        if rows.slices is None:
            return []
        codes, texts = rows.slices.codes, rows.slices.texts
        by_name: dict[str, list[int]] = {}
        for code in np.unique(codes).tolist():
            by_name.setdefault(texts[code], []).append(code)
        return [
            (f"{self.by}={name}", np.flatnonzero(np.isin(codes, by_name[name])))
            for name in sorted(by_name)
        ]

    def _measured(self, rows: KeptRows) -> dict[Metric, Measured]:
        report = self.report(rows, self.metrics)
        return {metric: measured_in(report, metric) for metric in self.metrics}

    def report(self, rows: KeptRows, metrics: Sequence[Metric] | None) -> Report:
        """The report of rows whose classes are known."""
        wants_scores = metrics is None or any(metric.needs_scores for metric in metrics)
        scores: dict[str, Any] = {}
        if wants_scores and rows.scores is not None:
            scores = {"y_prob" if rows.is_prob else "y_score": rows.scores}
        missing = [m for m in metrics or () if m.needs_scores and rows.scores is None]
        if missing:
            raise error("K210", name=str(missing[0]))
        return evaluate(
            rows.true,
            rows.pred,
            metrics=metrics,
            clusters=None if rows.clusters is None else rows.clusters.codes,
            level=self.asked.level,
            undefined=self.asked.undefined,
            **_classes(rows, has_scores=bool(scores)),
            **scores,
        )

    def _changes(
        self, new: KeptRows, old: KeptRows, metrics: Sequence[Metric]
    ) -> dict[Metric, Change]:
        found: dict[Metric, Change] = {}
        of_labels = [metric for metric in metrics if not metric.needs_scores]
        of_scores = [metric for metric in metrics if metric.needs_scores]
        if of_labels:
            is_same = bool((new.pred == old.pred).all())
            found |= self._compared(new, old, of_labels, {}, is_same=is_same)
        if of_scores:
            scores: dict[str, dict[str, Any]] = {}
            for name, rows in (("new", new), ("old", old)):
                if rows.scores is not None:
                    argument = "y_prob" if rows.is_prob else "y_score"
                    scores.setdefault(argument, {})[name] = rows.scores
            is_same = (
                new.scores is not None
                and old.scores is not None
                and new.is_prob == old.is_prob
                and np.array_equal(new.scores, old.scores)
            )
            found |= self._compared(new, old, of_scores, scores, is_same=is_same)
        return found

    def _compared(
        self,
        new: KeptRows,
        old: KeptRows,
        metrics: Sequence[Metric],
        scores: Mapping[str, Any],
        *,
        is_same: bool,
    ) -> dict[Metric, Change]:
        comparison = compare(
            new.true,
            {"new": new.pred, "old": old.pred},
            metrics=metrics,
            baseline="old",
            clusters=None if new.clusters is None else new.clusters.codes,
            level=self.asked.level,
            adjust="none",
            undefined=self.asked.undefined,
            **_classes(new, old, has_scores=bool(scores)),
            **scores,
        )
        found = {}
        for metric in metrics:
            one = comparison[metric, "new", "old"]
            found[metric] = Change(
                one.value_b, one.difference, one.low, one.high, one.p, one.detectable, True,
                is_same, one.remark,
            )  # fmt: skip
        return found

    def _apart(
        self, before: KeptRows | Baseline | Report | None, notes: list[str]
    ) -> tuple[list[Case], list[str], bool | None]:
        """Rules of values, and of values of a baseline whose rows are not at hand."""
        is_paired = None if before is None else False
        if isinstance(before, KeptRows):
            before = self.report(before, self.metrics)
        if before is not None:
            notes.append(
                "Unpaired: the rows of the baseline are not at hand, so that intervals are wider; "
                "--with-rows keeps them."
            )
            self._check_classes(before)
        if isinstance(before, Baseline):
            notes += self._other_settings(before)
        if isinstance(self.current, Report):
            report = self.current
            if report.confidence is None:
                notes.append("The report has no intervals.")
            whole = {metric: measured_in(report, metric) for metric in self.metrics}
            return self._of_values(whole, _values(before, self.metrics), None), notes, is_paired
        whole = self._measured(self.current)
        cases = self._of_values(whole, _values(before, self.metrics), None)
        had: list[str] = []
        of_slices: Mapping[str, Mapping[str, Measured]] = {}
        if isinstance(before, Baseline) and before.by is not None:
            of_slices = {f"{before.by}={each}": found for each, found in before.slices.items()}
            had = list(of_slices)
        for label, rows in self.slices(self.current):
            part = self.current.at(rows)
            settled = self.unfit(part, label)
            if settled is not None:
                nothing = Measured(math.nan, n=part.n)
                cases += [Case(rule, nothing, None, label, settled) for rule in self.rules]
                continue
            earlier = None if before is None else of_slices.get(label, {})
            cases += self._of_values(self._measured(part), earlier, label)
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
                change = _apart(now, earlier, self.asked.level)
            cases.append(Case(rule, now, change, label))
        return cases

    def _gone(self, rows: KeptRows, had: Sequence[str]) -> list[Case]:
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

    def _check_classes(self, before: Baseline | Report) -> None:
        """Refuse a baseline of other classes.

        Errors:
            K174.
        """
        now, then = self.current.classes.labels, before.classes.labels
        if set(now) != set(then) and not self.allow_mismatch:
            raise error(
                "K174",
                left="the predictions",
                left_classes=shown(now),
                right=self.name,
                right_classes=shown(then),
            )
        ours, theirs = (side.classes.positive for side in (self.current, before))
        is_same = ours is None or theirs is None or now[ours] == then[theirs]
        if not is_same and ours is not None and theirs is not None:
            raise error(
                "K176",
                found=f"The positive class is {now[ours]!r}, that of the baseline {then[theirs]!r}",
                do="Give the same positive= (--positive) to both.",
            )

    def _other_settings(self, before: Baseline) -> list[str]:
        known = {"undefined": self.asked.undefined, "level": self.asked.level}
        return [
            f"The baseline was made with {name}={before.settings[name]!r}, these rows with "
            f"{name}={now!r}."
            for name, now in known.items()
            if name in before.settings and before.settings[name] != now
        ]


def _classes(*models: KeptRows, has_scores: bool) -> dict[str, Any]:
    """The options that say which classes there are: rows hold the places of theirs.

    Of more than two classes without scores, those that occur in these rows count, as they would
    if the rows were all there are.
    """
    rows = models[0]
    k, positive = rows.classes.k, rows.classes.positive
    every = has_scores or k <= 2 or rows.classes.is_declared
    return {
        "labels": list(range(k)) if every else None,
        "positive": positive,
        "weights": rows.weights,
    }


def measured_in(report: Report, metric: Metric) -> Measured:
    """What a report says of a metric, and whether its rows define it at all."""
    result = report[metric]
    try:
        is_undefined = bool(report._values(metric, report.cells).undefined.all())
    except KaratError:
        is_undefined = not math.isfinite(result.value)
    why = result.undefined if is_undefined or not math.isfinite(result.value) else None
    return Measured(result.value, result.low, result.high, result.n, why, result.remark)


def _values(
    before: Baseline | Report | None, metrics: Sequence[Metric]
) -> Mapping[str, Measured] | None:
    if before is None:
        return None
    if isinstance(before, Baseline):
        return before.metrics
    found = {}
    for metric in metrics:
        try:
            found[str(metric)] = measured_in(before, metric)
        except KaratError:
            continue
    return found


def _apart(now: Measured, before: Measured, level: float) -> Change:
    """The difference of two values of different rows, limits combined (Zou and Donner 2008)."""
    difference = now.value - before.value
    bare = Change(before.value, difference, is_paired=False)
    if not math.isfinite(difference):
        return Change(before.value, math.nan, is_paired=False, remark="a value is undefined")
    limits = (now.low, now.high, before.low, before.high)
    if any(limit is None for limit in limits):
        remark = now.remark or before.remark
        return Change(before.value, difference, is_paired=False, remark=remark)
    low, high, low_before, high_before = (float(limit or 0.0) for limit in limits)
    down = math.hypot(now.value - low, high_before - before.value)
    up = math.hypot(high - now.value, before.value - low_before)
    normal = NormalDist()
    quantile = normal.inv_cdf((1.0 + level) / 2.0)
    step = (down + up) / (2.0 * quantile)
    p = math.erfc(abs(difference) / (step * math.sqrt(2.0))) if step > 0.0 else None
    return Change(
        bare.before, difference, difference - down, difference + up, p,
        (quantile + normal.inv_cdf(POWER)) * step, is_paired=False,
    )  # fmt: skip
