"""A report with gold labels and a judge's as JSON in the schema ``karat.judged/2``.

The reports of the judge and of the gold rows are whole ordinary reports; estimates and proportions
take the rows, and are read as they were written.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any, Final, TypeVar

from karat._version import __version__
from karat.errors import error
from karat.errors.doubts import without_doubts
from karat.metrics import Metric, get
from karat.metrics._registry import find
from karat.output.json import codec as js
from karat.output.json import report_of, report_to_dict
from karat.output.json.codec import Part, Scope, check_estimate, parsed, require
from karat.output.json.report import DOUBT, MAPPING, SOURCE, VERSION
from karat.output.json.words import NEWEST, in_words_of_today
from karat.results.judged import IN_JSON, JudgedReport, JudgedResult, JudgedShare
from karat.results.report import ClassReport

SCHEMA: Final = f"karat.judged/{NEWEST}"
Made = TypeVar("Made", bound=JudgedReport)


_END: Final = js.or_null(js.NUMBER)
_LEVEL: Final = js.NUMBER.where(lambda x, _: 0.0 < x < 1.0, "a level between 0 and 1")
_PART: Final = js.NUMBER.where(lambda x, _: 0.0 <= x <= 1.0, "a number from 0 to 1")
_ROWS: Final = js.NUMBER_OR_NAN.where(lambda x, _: not x < 0.0, "a number of at least 0")
_RESULT: Final = js.record(
    js.itself,
    name=js.TEXT,
    value=js.NUMBER_OR_NAN,
    low=_END,
    high=_END,
    level=_LEVEL,
    method=js.or_null(js.TEXT),
    standard_error=_END,
    judge_weight=_PART,
    n_effective=_ROWS,
    n_gold=js.COUNT,
    gold_value=js.NUMBER_OR_NAN,
    gold_low=_END,
    gold_high=_END,
    judge_value=js.NUMBER_OR_NAN,
    remark=js.or_null(js.TEXT),
)
_SHARE: Final = js.record(
    lambda s: JudgedShare(**{name: getattr(s, name) for name in JudgedShare.__annotations__}),
    label=js.LABEL,
    name=js.TEXT,
    value=_PART,
    low=_PART,
    high=_PART,
    judge_weight=_PART,
    n_effective=_ROWS,
    gold_value=_PART,
    gold_low=_PART,
    gold_high=_PART,
    judge_value=_PART,
    corrected=js.or_null(_PART),
    corrected_low=js.or_null(_PART),
    corrected_high=js.or_null(_PART),
    remark=js.or_null(js.TEXT),
)


def judged_to_dict(report: JudgedReport) -> dict[str, Any]:
    """Return the report as JSON types."""
    return {
        "schema": SCHEMA,
        "karat": __version__,
        "labels": list(report.classes.labels),
        "positive": report.classes.positive,
        "n": report.n_rows,
        "n_gold": report.n_gold,
        "level": report.level,
        "clustered": report.is_clustered,
        "gold_weights": report.has_gold_weights,
        "metrics": {name: one.to_dict() for name, one in report.metrics.items()},
        "shares": [one.to_dict() for one in report.shares],
        "judge": report_to_dict(report.judge),
        "gold": None if report.gold is None else report_to_dict(report.gold),
        "mapping": js.plain(report.mapping),
        "source": js.plain(report.source),
        "doubts": [one.to_dict() for one in report.doubts],
        "warnings": list(without_doubts(report.warnings)),
    }


def judged_from_json(
    text: str | bytes,
    report_type: type[Made],
    ordinary_type: type[ClassReport],
    result_type: type[JudgedResult] = JudgedResult,
) -> Made:
    """Return the report of a JSON text.

    Args:
        ordinary_type: type of the reports of the judge and of the gold rows.
        result_type: type of the estimates.

    Errors:
        K205 it is not a whole report of this schema, or contradicts itself; K301, K302 it holds a
        metric that this karat does not have.
    """
    whole = in_words_of_today(parsed(text), SCHEMA)
    scope = SimpleNamespace(n_text=len(text))
    VERSION.read(whole["karat"], scope)
    judge = report_of(whole["judge"], len(text), ordinary_type)
    is_none = whole["gold"].value is None
    gold = None if is_none else report_of(whole["gold"], len(text), ordinary_type)
    n, n_gold = (js.COUNT.read(whole[name], scope) for name in ("n", "n_gold"))
    level = _LEVEL.read(whole["level"], scope)
    is_clustered = js.FLAG.read(whole["clustered"], scope)
    shares = tuple(js.each(_SHARE).read(whole["shares"], scope))
    doubts = js.each(DOUBT).read(whole["doubts"], scope)
    numbers = {name: _RESULT.read(part, scope) for name, part in whole["metrics"].fields().items()}
    classes = judge.classes
    whole["labels"].check(list(classes.labels), "the judge's report has", compares_texts=True)
    whole["positive"].check(classes.positive, "the judge's report has", compares_texts=True)
    whole["n"].must(n > n_gold, f"more than the {n_gold} gold labels")
    for name, part in (("judge", judge), ("gold", gold)):
        if part is None:
            continue
        same = part.classes.labels == classes.labels and part.cells.n_rows == n_gold
        require(same, f"{name} is of other rows or classes than n_gold and labels")
        confidence = part.confidence
        is_fit = confidence is not None and confidence.level == level
        require(is_fit, f"{name} has another level than {level:g}")
        require(part.is_clustered == is_clustered, f"clustered and {name} differ")
    _check_shares(whole["shares"], shares, judge)
    _check_results(whole["metrics"], numbers, gold, n_gold, level)
    listed = _listed(numbers, gold)
    results = {
        name: result_type.beside(gold[metric], n, **_numbers(numbers[name], metric, gold))
        for name, metric in listed.items()
        if gold is not None
    }
    return report_type(
        classes,
        n,
        n_gold,
        level,
        shares,
        judge,
        gold,
        listed,
        _Kept(results),
        MAPPING.read(whole["mapping"], scope),
        SOURCE.read(whole["source"], scope),
        (*doubts, *js.TEXTS.read(whole["warnings"], scope)),
        None if gold is None else gold.requested,
        is_clustered,
        js.FLAG.read(whole["gold_weights"], scope),
    )


class _Kept:
    """The estimates of a JSON text by metric."""

    def __init__(self, results: Mapping[str, JudgedResult]) -> None:
        self._results = results

    def __call__(self, metric: Metric) -> JudgedResult:
        """Return the estimate of a metric (K247: the text has none)."""
        if (found := self._results.get(str(metric))) is None:
            known = "The report was read from JSON, which holds the listed metrics alone"
            do = "Name it in metrics= when the report is made."
            raise error("K247", name=str(metric), found=known, do=do)
        return found


def _listed(results: Mapping[str, Scope], gold: ClassReport | None) -> dict[str, Metric]:
    """The metrics in the order of the report of the gold rows."""
    found: dict[str, Metric] = {}
    if gold is not None:
        names = gold.metrics if gold.requested is None else gold.requested
        order = {str(get(name)): get(name) for name in names}
        found = {name: metric for name, metric in order.items() if name in results}
    other = next((name for name in results if name not in found), None)
    require(other is None, f"metrics.{other} is not a metric of gold")
    return found


def _numbers(numbers: Scope, metric: Metric, gold: ClassReport) -> dict[str, Any]:
    """The numbers of an estimate, with infinite limits, which are null in JSON, and the gold rows'.

    A limit of an interval that is null is an end of the range; without the judge the value is that
    of the gold rows.
    """
    low, high = metric.range if numbers.method is not None else (None, None)
    alone, value = gold[metric], numbers.value
    ends = {
        "value": alone.value if math.isnan(value) and not numbers.judge_weight else value,
        "low": low if numbers.low is None else numbers.low,
        "high": high if numbers.high is None else numbers.high,
        "gold_value": alone.value,
        "gold_low": alone.low,
        "gold_high": alone.high,
    }
    read = {name: getattr(numbers, name) for name in IN_JSON if name != "name"}
    return read | ends


def _check_results(
    part: Part, results: Mapping[str, Scope], gold: ClassReport | None, n_gold: int, level: float
) -> None:
    """Refuse estimates that contradict themselves, or the gold rows."""
    require(gold is not None or not results, "metrics has some, and gold is null")
    for name, one in results.items():
        at = part[name]
        at["name"].must(one.name == name and find(name) is not None, repr(name))
        at["n_gold"].must(one.n_gold == n_gold, f"{n_gold}, which n_gold is")
        at["level"].must(one.level == level, f"{level:g}, which level is")
        assert gold is not None
        alone = gold[name]
        check_estimate(at, (one.value, one.low, one.high), get(name).range)
        for key, number in (("value", alone.value), ("low", alone.low), ("high", alone.high)):
            wanted = None if number is None or not math.isfinite(number) else float(number)
            at[f"gold_{key}"].check(wanted, "gold gives")


def _check_shares(part: Part, shares: tuple[JudgedShare, ...], judge: ClassReport) -> None:
    """Refuse proportions of other classes, or outside their limits."""
    classes = judge.classes
    named = [(one.label, one.name) for one in shares]
    require(
        named == list(zip(classes.labels, classes.display, strict=True)),
        "shares are not those of labels",
    )
    for at, one in zip(part.items(), shares, strict=True):
        given = asdict(one)
        keys = [f"{prefix}{key}" for prefix in ("", "gold_") for key in ("value", "low", "high")]
        numbers = [given[key] for key in (*keys, "corrected", "corrected_low", "corrected_high")]
        check_estimate(at, numbers, (0.0, 1.0))
    for key in ("value", "judge_value"):
        total = sum(asdict(one)[key] for one in shares)
        # Estimates of single classes have λ of their own.
        require(
            key == "value" or abs(total - 1.0) < 1e-6, f"shares have {key}s that add to {total:g}"
        )
