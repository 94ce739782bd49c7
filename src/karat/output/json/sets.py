"""A report of rows with sets as JSON in the schema ``karat.multilabel/2``.

The tally makes the report. What takes the rows (metrics of scores, the intervals of averages over
labels and the table of transfers) is read as it was written; all else is computed again and
compared. So is each slice: of it the tally is written, the metrics that open the report, and how
the slices differ in these.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from types import SimpleNamespace
from typing import Any, Final, TypeVar, get_args

import numpy as np

from karat._version import __version__
from karat.errors import short
from karat.inference.confidence import Interval
from karat.metrics import Metric, get
from karat.metrics._of_sets import meant_on_sets
from karat.metrics._registry import find
from karat.output.json import codec as js
from karat.output.json.codec import Kind, Part, Scope, check_estimate, parsed, require
from karat.output.json.report import CLASSES, MAPPING, SOURCE, VERSION, limits_of_rows
from karat.output.json.settings import SETTINGS
from karat.output.json.slices import TESTS, read_tests, tests_in
from karat.output.json.words import NEWEST, in_words_of_today
from karat.output.sections import slice_metric
from karat.results.headlines import headline_of_sets
from karat.results.set_patterns import LabelPair, SetPatterns, WrongSet
from karat.results.sets import SCORED, KeptScores, ScoredValue, SetReport
from karat.results.slices import ByColumn, SetSlices, SliceTable
from karat.results.values import PER_CLASS
from karat.tally.classes import Label
from karat.tally.decision import AS_GIVEN, Decision, Rule
from karat.tally.score_kind import ARGUMENTS
from karat.tally.set_checks import inconsistency_of_sets
from karat.tally.set_tally import SetTally

SCHEMA: Final = f"karat.multilabel/{NEWEST}"
SetReportT = TypeVar("SetReportT", bound=SetReport)


def _finite(x: float) -> float | None:
    """Return the number, or None where JSON has no number for it."""
    return x if math.isfinite(x) else None


_COMPUTED: Final = ("value", "n", "undefined")
_INTERVAL: Final = ("low", "high", "method", "standard_error", "remark")


def _tally(s: Scope) -> SetTally:
    found = SetTally(
        s.labels,
        s.counts,
        s.profiles,
        s.n_rows,
        s.n_unknown,
        s.weights,
        s.squares,
        s.row_weights,
        s.row_squares,
        s.decision,
    )
    problem = inconsistency_of_sets(found) or ""
    require(not problem, problem)
    return found


_AMOUNTS: Final = js.or_null(js.AMOUNTS)
_COUNTS: Final = Kind(lambda part, _: part.counts(), js.listed)
_PROFILES: Final = Kind(
    lambda part, _: part.counts().reshape(-1, 4) if part.value else np.empty((0, 4), np.int64),
    js.listed,
)
_SUMS: Final = {
    "counts": _COUNTS,
    "profiles": _PROFILES,
    "n_rows": _COUNTS,
    "n_unknown": js.COUNT,
    **dict.fromkeys(("weights", "squares", "row_weights", "row_squares"), _AMOUNTS),
    "decision": js.record(
        lambda s: Decision(s.rule, s.kind, s.threshold),
        rule=js.choice(*get_args(Rule)),
        kind=js.or_null(js.choice(*ARGUMENTS)),
        threshold=js.or_null(js.NUMBER),
    )
    .of(lambda tally: js.OMITTED if tally.decision == AS_GIVEN else tally.decision)
    .or_absent(AS_GIVEN),
}
_TALLY: Final = js.record(_tally, labels=CLASSES.of("classes"), **_SUMS)
_TALLY_OF_SLICE: Final = js.record(_tally, labels=js.given(lambda s: s.report.classes), **_SUMS)
_LABELS: Final = js.each(js.LABEL).into(tuple)
_WRONG: Final = js.record(
    lambda s: WrongSet(s.true, s.predicted, s.rows),
    true=_LABELS.of(lambda one: list(one.true)),
    predicted=_LABELS.of(lambda one: list(one.predicted)),
    rows=js.NUMBER.where(lambda x, _: x >= 0, "a number of at least 0"),
)
_ODDS: Final = js.or_null(js.NUMBER).into(lambda x: math.inf if x is None else x)
_PAIR: Final = js.record(
    lambda s: LabelPair(
        s.labels, s.predicted_together, s.true_together, s.odds_ratio, s.low, s.high
    ),
    labels=_LABELS.of(lambda one: list(one.labels)),
    predicted_together=js.COUNT,
    true_together=js.COUNT,
    odds_ratio=_ODDS.of(lambda one: _finite(one.odds_ratio)),
    low=js.NUMBER,
    high=_ODDS.of(lambda one: _finite(one.high)),
).where(
    lambda one, _: 0.0 <= one.low <= one.odds_ratio <= one.high,
    "a pair whose limits hold its odds ratio",
)
_PATTERNS: Final = js.record(
    lambda s: SetPatterns(
        tuple(s.wrong_sets), None if s.pairs is None else tuple(s.pairs), s.level
    ),
    wrong_sets=js.each(_WRONG),
    pairs=js.or_null(js.each(_PAIR)),
    level=js.NUMBER.where(lambda x, _: 0.0 < x < 1.0, "a number between 0 and 1"),
)


def sets_to_dict(report: SetReport) -> dict[str, Any]:
    """The report as JSON types."""
    moved = report.transfers
    return {
        "schema": SCHEMA,
        "karat": __version__,
        "tally": _TALLY.write(report.tally, report),
        "settings": SETTINGS.write(report, report),
        "scores": report.scores,
        "metrics": {name: result.to_dict() for name, result in report.metrics.items()},
        "per_class": js.plain(report.per_class),
        "label_counts": js.plain(report.label_counts),
        "transfers": None if moved is None else moved.tolist(),
        "patterns": None if report.patterns is None else _PATTERNS.write(report.patterns, report),
        "slices": _written_slices(report),
        "cautions": list(report.cautions),
        "warnings": list(report.warnings),
        "mapping": js.plain(report.mapping),
        "source": js.plain(report.source),
    }


def sets_to_json(report: SetReport) -> str:
    """The report as JSON text with sorted keys."""
    return json.dumps(sets_to_dict(report), sort_keys=True, indent=1, allow_nan=False)


def _check_labels(patterns: SetPatterns, labels: Sequence[Label]) -> None:
    """Refuse patterns of labels that the report does not have, and pairs that are no pairs."""
    sets = [one for x in patterns.wrong_sets for one in (x.true, x.predicted)]
    pairs = [x.labels for x in patterns.pairs or ()]
    require(all(len(pair) == len({*pair}) == 2 for pair in pairs), "patterns have pairs of others")
    other = next((x for one in (*sets, *pairs) for x in one if x not in labels), None)
    require(other is None, f"patterns name {short(other)}, and labels do not")


def sets_from_json(text: str | bytes, report_type: type[SetReportT]) -> SetReportT:
    """The report of a JSON text.

    Errors:
        K205 it is not a whole report of this schema, or contradicts itself; K301, K302 it asks for
        metrics that this karat does not have.
    """
    whole = in_words_of_today(parsed(text), SCHEMA)
    scope = SimpleNamespace(n_text=len(text))
    tally = _TALLY.read(whole["tally"], scope)
    settings = SETTINGS.read(whole["settings"], scope)
    asked, is_clustered = settings["interval"], settings["clustered"]
    listed, rows = whole["metrics"].fields(), whole["per_class"].items()
    is_own = VERSION.read(whole["karat"], scope) == __version__
    _check_metrics(listed, is_own=is_own)
    require(len(rows) == tally.k, f"per_class has {len(rows)} rows for {tally.k} labels")
    moved = js.or_null(js.AMOUNTS).read(whole["transfers"], scope)
    if moved is not None:
        shape = (tally.k + 1, tally.k + 1)
        require(moved.shape == shape, f"transfers has shape {moved.shape}, not {shape}")
        whole["transfers"].must((moved >= 0).all(), "numbers of at least 0")
    report = report_type(
        tally,
        None,
        settings["undefined"],
        settings["metrics"],
        asked,
        MAPPING.read(whole["mapping"], scope),
        SOURCE.read(whole["source"], scope),
        js.TEXTS.read(whole["warnings"], scope),
        kept_intervals=_intervals(listed) if asked is not None else {},
        kept_transfers=moved,
        kept_scores=_scores(whole, listed, tally.k),
        kept_cautions=js.TEXTS.read(whole["cautions"], scope),
        kept_patterns=js.or_null(_PATTERNS).read(whole["patterns"], scope),
        is_clustered=is_clustered,
        kept_limits=limits_of_rows(rows, PER_CLASS, scope) if is_clustered and asked else {},
    )
    if report.kept_patterns is not None:
        _check_labels(report.kept_patterns, tally.classes.labels)
    if (slices := whole.get("slices")) is not None and slices.value is not None:
        report = replace(report, kept_slices=_read_slices(slices, report, is_own=is_own))
    if is_own:
        is_fit = sorted(report.metrics) == sorted(listed)
        require(is_fit, "metrics differs from settings.metrics")
        _check_values(whole["metrics"], report)
        whole["per_class"].check(js.plain(report.per_class), "the tally gives")
    return report


def _check_metrics(listed: Mapping[str, Part], *, is_own: bool) -> None:
    """Refuse numbers that no metric has, and names that this version did not write."""
    for name, part in listed.items():
        metric = find(name)
        if metric is None:
            require(not is_own, f"metrics lists {short(name)}, which is not a metric")
            continue
        facts = _RESULT.read(part, SimpleNamespace())
        check_estimate(part, [facts[key] for key in ("value", "low", "high")], metric.range)
        is_exact = facts["bound"] is None
        part.must(is_exact or len(facts["bound"]) == 2, "a metric with two limits of its value")
        low, high = (None, None) if is_exact else facts["bound"]
        check_estimate(part, (facts["value"], low, high), metric.range)


def _check_values(part: Part, report: SetReport) -> None:
    """Refuse results that are not those of the tally."""
    listed = part.fields()
    known = {name: report.metrics[name].to_dict() for name in listed if name in report.metrics}
    again = {name: {key: facts[key] for key in _COMPUTED} for name, facts in known.items()}
    part.check(again, "the tally gives")


_NUMBER: Final = js.or_null(js.NUMBER)
_RESULT: Final = js.record(
    None,
    value=_NUMBER,
    low=_NUMBER,
    high=_NUMBER,
    standard_error=js.or_null(js.NUMBER.where(lambda x, _: x >= 0, "a number of at least 0")),
    bound=js.or_null(js.AMOUNTS).or_absent(None),
)
"""What is checked of a metric."""
_SLICE: Final = js.record(
    js.itself,
    key=js.TEXTS,
    tally=_TALLY_OF_SLICE,
    n_rows=js.given(lambda s: s.tally.n),
    cautions=js.TEXTS,
    metrics=Kind(lambda part, _: part.fields()),
)
_SLICES: Final = js.record(
    js.itself, columns=js.TEXTS, slices=js.each(_SLICE), tests=Kind(lambda part, _: part.fields())
)


def _written_slices(report: SetReport) -> list[Any] | None:
    """The slices; None where it is not known which there are."""
    if report.encoded is None and report.kept_slices is None:
        return None
    names = headline_of_sets(report)
    return [
        {
            "columns": list(table.columns),
            "slices": [
                {
                    "key": list(key),
                    "tally": _TALLY_OF_SLICE.write(part.tally, part),
                    "cautions": list(part.cautions),
                    "metrics": {name: part[name].to_dict() for name in names},
                }
                for key, part in zip(table.slice_keys, table.values(), strict=True)
            ],
            "tests": js.named(TESTS).write(tests_in(table, _tested(report, names)), report),
        }
        for table in report.slices.values()
    ]


def _tested(report: SetReport, names: list[str]) -> list[str]:
    """Metrics of which is written how slices differ: the one that is shown, and what takes rows."""
    return [
        name
        for name in names
        if name == slice_metric(report) or report.is_clustered or _takes_rows(get(name))
    ]


def _takes_rows(metric: Metric) -> bool:
    """True if the variance of a metric does not follow from the tally."""
    meant = meant_on_sets(metric)
    return meant.needs_scores or not (meant.is_of_rows or meant.lift == "micro")


def _read_slices(
    part: Part, report: SetReportT, *, is_own: bool
) -> ByColumn[SliceTable[SetReportT]]:
    """The slices of a text."""
    tables: dict[tuple[str, ...], SliceTable[SetReportT]] = {}
    for item in part.items():
        s = _SLICES.read(item, SimpleNamespace(report=report))
        keys = tuple(one.key for one in s.slices)
        is_fit = len(set(keys)) == len(keys) > 0 and {*map(len, keys)} == {len(s.columns)}
        item["slices"].must(is_fit, "slices of different keys, with one text a column")
        item["columns"].must(s.columns not in tables, "columns of its own")
        whole = reduce(SetTally.merge, [one.tally for one in s.slices])
        require(_is_same(whole, report.tally), f"{item.path} does not add up to the whole tally")
        for one in s.slices:
            _check_metrics(one.metrics, is_own=is_own)
        parts = tuple(_slice_report(one, report) for one in s.slices)
        if is_own:
            for place, one in zip(item["slices"].items(), parts, strict=True):
                _check_values(place["metrics"], one)
        known = {find(name): one for name, one in s.tests.items()}
        recorded = {
            metric: read_tests(metric, one, s)
            for metric, one in known.items()
            if metric is not None
        }
        sliced = SetSlices(s.columns, keys, report, kept=parts)
        tables[s.columns] = SliceTable(sliced, recorded)
    return ByColumn(tables)


def _slice_report(one: Any, report: SetReportT) -> SetReportT:
    """The report of a slice, of what was written of it."""
    scores = report.kept_scores
    if scores is not None:
        scores = KeptScores(scores.kind, _score_values(one.metrics), {})
    intervals = {} if report.confidence is None else _intervals(one.metrics)
    facts: dict[str, Any] = {"kept_intervals": intervals, "kept_scores": scores}
    return replace(report.of_tally(one.tally), kept_cautions=one.cautions, **facts)


def _is_same(one: SetTally, other: SetTally) -> bool:
    """True if two tallies are of the same rows: weights up to rounding."""
    names = ("counts", "profiles", "n_rows", "weights", "squares", "row_weights", "row_squares")
    for name in names:
        left, right = getattr(one, name), getattr(other, name)
        if (left is None) is not (right is None):
            return False
        if left is not None and left.shape != right.shape:
            return False
        if left is not None and not np.allclose(left, right, rtol=1e-9, atol=1e-12):
            return False
    return one.n_unknown == other.n_unknown


def _scores(whole: Part, listed: Mapping[str, Part], k: int) -> KeptScores | None:
    """Metrics of scores as they were written: JSON has no scores."""
    kind = js.or_null(js.choice(*ARGUMENTS)).read(whole["scores"], None)
    if kind is None:
        return None
    rows = whole["per_class"].items()
    whole["per_class"].must(len(rows) == k, f"a list of {k} labels")
    of_labels: dict[str, Any] = {}
    for name in SCORED:
        if rows and name in rows[0].fields():
            cells = [_label_cells(row, name) for row in rows]
            for row, numbers in zip(rows, cells, strict=True):
                check_estimate(row, numbers, get(name).range)
            each, low, high = np.array(cells, np.float64).reshape(-1, 3).T
            of_labels[name] = each, low, high
    return KeptScores(kind, _score_values(listed), of_labels)


def _score_values(listed: Mapping[str, Part]) -> dict[Metric, ScoredValue]:
    """The metrics of scores among those that were written."""
    values = {}
    for name, part in listed.items():
        metric = find(name)
        if metric is None or not meant_on_sets(metric).needs_scores:
            continue
        value = js.or_null(js.NUMBER).read(part["value"], None)
        reason = js.or_null(js.TEXT).read(part["undefined"], None)
        bound = js.or_null(js.AMOUNTS).read(part["bound"], None)
        ends = None if bound is None else (float(bound[0]), float(bound[1]))
        values[metric] = ScoredValue(math.nan if value is None else value, reason, ends)
    return values


def _label_cells(row: Part, name: str) -> tuple[float, float, float]:
    """Value, low and high of a metric of one label; NaN for none."""
    value = js.or_null(js.NUMBER).read(row[name], None)
    limits = row["intervals"].fields().get(name)
    ends = [math.nan, math.nan]
    if limits is not None:
        ends = [float(js.NUMBER.read(one, None)) for one in limits.items()]
        limits.must(len(ends) == 2, "two limits")
    return math.nan if value is None else value, ends[0], ends[1]


def _intervals(listed: Mapping[str, Part]) -> dict[Metric, Interval]:
    """Intervals as they were written, by metric."""
    found = {}
    for name, part in listed.items():
        metric = find(name)
        if metric is None:
            continue
        low, high, error = (
            js.or_null(js.NUMBER).read(part[key], None) for key in ("low", "high", "standard_error")
        )
        method, remark = (js.or_null(js.TEXT).read(part[key], None) for key in ("method", "remark"))
        if low is not None or high is not None:
            # What is infinite is null.
            ends = metric.range
            low, high = ends[0] if low is None else low, ends[1] if high is None else high
            for key, limit in (("low", low), ("high", high)):
                is_fit = part.value[key] is not None or math.isinf(limit)
                part.must(is_fit, f"a metric with {key}")
        found[metric] = Interval(low, high, method, error, remark)
    return found
