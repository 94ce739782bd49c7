"""The parts of a report in JSON, each declared once, and the report that is made of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, get_args

import numpy as np

from karat._version import __version__
from karat.errors import KaratError, error
from karat.inference.confidence import Confidence, Interval
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.metrics._metric import Values
from karat.metrics._registry import find
from karat.output.json.codec import (
    COUNT,
    FLAG,
    NUMBER,
    OMITTED,
    RAW,
    TEXT,
    TEXTS,
    Kind,
    Part,
    Scope,
    choice,
    each,
    given,
    itself,
    named,
    or_null,
    plain,
    record,
    refused,
    scalar,
)
from karat.output.json.scores import SCORES
from karat.output.json.tally import CLASSES, CONFUSION, TALLY
from karat.results.class_table import PER_CLASS, PER_CLASS_OF_SCORES
from karat.results.report import Report

__all__ = ["DERIVED", "REPORT", "SCHEMA"]

SCHEMA: Final = "karat.report/1"
_VERSION: Final = re.compile(
    r"[0-9]{1,6}(\.[0-9]{1,6}){1,3}((a|b|rc)[0-9]{1,6})?(\.post[0-9]{1,6})?(\.dev[0-9]{1,6})?"
    r"(\+[a-z0-9.]{1,40})?"
)
"""As packages spell it (PEP 440). One way to match a text: no letter belongs to two parts."""
_DEEPEST: Final = 8
"""Facts about the source are not nested deeper than this."""


def _read_schema(part: Part, _: Scope) -> None:
    name, _, version = str(part.value).rpartition("/")
    is_number = version.isascii() and version.isdecimal() and len(version) < 10
    if name != SCHEMA.partition("/")[0] or not is_number or int(version) < 1:
        raise refused(f"Its schema is {part.value!r}, not {SCHEMA!r}")
    if int(version) > 1:
        raise error("K206", thing="report in JSON", version=int(version), newest=1)


def _read_fact(part: Part, _: Scope = None, left: int = _DEEPEST) -> Any:
    if isinstance(part.value, dict | list) and not left:
        raise refused(f"{part.path} is nested too deeply to be a fact about the source")
    if isinstance(part.value, dict | list):
        is_list = isinstance(part.value, list)
        for item in part.items() if is_list else part.fields().values():
            _read_fact(item, left=left - 1)
    return part.value


_SOURCE: Final = named(
    Kind(_read_fact),
    files=each(TEXT),
    format=each(choice("parquet", "csv", "json")),
    n_bytes=COUNT,
    n_dropped=COUNT,
    query=TEXT,
    where=TEXT,
)
_COLUMN: Final = or_null(TEXT)
_COLUMNS: Final = Kind(
    lambda part, s: (each(TEXT) if isinstance(part.value, list) else _COLUMN).read(part, s)
)
"""A column, the columns of scores, or none."""


def _read_confidence(s: Scope) -> tuple[Confidence, bool] | None:
    """What is asked of intervals, and whether rows are clustered; None where nothing can be."""
    try:
        found = Confidence.of(s.level, s.side, s.method, s.design, s.seed, s.n_replicates)
    except KaratError:
        return None
    return None if found is None else (found, s.clustered)


_CONFIDENCE: Final = record(
    _read_confidence,
    level=RAW.of("confidence.level"),
    side=TEXT.of("confidence.side"),
    method=TEXT.of("confidence.method"),
    design=TEXT.of("confidence.design"),
    seed=COUNT.of("confidence.seed"),
    n_replicates=COUNT.of("confidence.n_replicates"),
    clustered=FLAG.of("is_clustered"),
).where(lambda found, _: found is not None, "what can be asked of intervals")
_METRICS: Final = Kind(
    lambda part, s: tuple(map(get, TEXTS.read(part, s))), lambda metrics, _: list(map(str, metrics))
)
_SETTINGS: Final = record(
    None,
    undefined=choice(*get_args(Policy)),
    metrics=or_null(_METRICS).of("requested"),
    confidence=or_null(_CONFIDENCE)
    .of(lambda report: None if report.confidence is None else report)
    .or_absent(None),
)
_END: Final = or_null(NUMBER)
_INTERVAL: Final = record(
    itself,
    method=or_null(TEXT),
    remark=or_null(TEXT).or_absent(None),
    standard_error=_END.or_absent(None),
    low=_END,
    high=_END,
)


def _read_intervals(part: Part, s: Scope) -> Mapping[Metric, Interval]:
    """Intervals that do not follow from the tally: of scores, and of rows in clusters."""
    found: dict[Metric, Interval] = {}
    for name, item in part.fields().items() if s.confidence else ():
        metric = find(name)
        if metric is None or not (s.is_clustered or metric.needs_scores):
            continue
        if item.get("method") is None:
            if s.is_own and metric.needs_scores:
                raise item.is_not("a result with its interval")
            continue
        one = _INTERVAL.read(item, s)
        low = high = None
        if one.method is not None:
            # An infinite end of the range is null.
            low, high = (
                end if x is None else x
                for x, end in zip((one.low, one.high), metric.range, strict=True)
            )
        found[metric] = Interval(low, high, one.method, one.standard_error, one.remark)
    return found


def _read_limits(part: Part, s: Scope) -> dict[str, Any]:
    """Limits of the columns of the table of classes that do not follow from the tally.

    float64[k] each, NaN where a class has none.
    """
    found: dict[str, Any] = {}
    if len(rows := part.items()) != s.classes.k:
        raise refused(f"per_class has {len(rows)} rows for {s.classes.k} classes")
    if s.confidence is None:
        return found
    # Neither scores nor clusters are in the text.
    for name in (*(PER_CLASS if s.is_clustered else ()), *PER_CLASS_OF_SCORES):
        pairs = [of.get(name) if (of := row.get("intervals")) else None for row in rows]
        if any(pairs):
            low, high = np.array([_limits(pair, s) for pair in pairs]).T
            found[name] = (low, high)
    return found


def _limits(pair: Part | None, s: Scope) -> tuple[float, float]:
    if pair is None:
        return math.nan, math.nan
    low, high = each(NUMBER, lambda _: 2).read(pair, s)
    return low, high


def _thresholds(report: Report) -> Any:
    """The best thresholds; None where there are none."""
    try:
        return report.thresholds
    except KaratError:
        return None


def _report(s: Scope) -> Any:
    if s.mapping.get("weights") and not s.cells.is_weighted:
        raise refused("mapping.weights names a column, and the tally is not weighted")
    items = [] if s.scores is None else s.scores.measured
    measured = {replace(item.metric, lift=item.lift): item for item in items}
    return s.report_type(
        s.cells,
        s.settings["undefined"],
        s.settings["metrics"],
        s.mapping,
        s.source,
        s.warnings,
        {metric: Values(item.value, item.undefined) for metric, item in measured.items()},
        s.scores and s.scores.kind,
        s.scores and s.scores.threshold,
        s.scores and s.scores.curves,
        s.confidence,
        intervals=s.metrics,
        class_intervals=s.per_class,
        is_clustered=s.is_clustered,
        kept_cautions=TEXTS.read(s.cautions, s) if s.is_clustered else (),
        bounds={x: item.bound for x, item in measured.items() if item.bound is not OMITTED},
        class_bounds={
            x: tuple(item.bounds) for x, item in measured.items() if item.bounds is not OMITTED
        },
    )


_DERIVED: Final = {
    "metrics": Kind(_read_intervals, lambda found, _: {x: y.to_dict() for x, y in found.items()}),
    "per_class": Kind(_read_limits, plain),
    "thresholds": Kind(lambda *_: None, plain).of(_thresholds).or_absent(None),
}
DERIVED: Final = record(None, **_DERIVED)
"""What follows from the rest of a report, but for intervals of rows that are gone."""
REPORT: Final = record(
    _report,
    schema=Kind(_read_schema).of(lambda _: SCHEMA),
    karat=scalar(lambda x: isinstance(x, str) and _VERSION.fullmatch(x), "a version of karat").of(
        lambda _: __version__
    ),
    # Another version may have had other metrics, and another rule.
    is_own=given(lambda s: s.karat == __version__),
    source=Kind(lambda part, s: (_SOURCE.read(part, s), part.value)[1], plain),
    mapping=Kind(named(_COLUMNS).read, plain),
    n_rows=COUNT,
    classes=CLASSES,
    settings=_SETTINGS.of(itself),
    confidence=given(lambda s: s.settings["confidence"] and s.settings["confidence"][0]),
    is_clustered=given(lambda s: bool(s.settings["confidence"] and s.settings["confidence"][1])),
    confusion=CONFUSION.of("cells"),
    tally=TALLY.of("cells"),
    cells=given(lambda s: s.tally),
    scores=or_null(SCORES)
    .of(lambda report: None if report.scores is None else report)
    .or_absent(None),
    **_DERIVED,
    warnings=TEXTS,
    # Read as the part: only of rows in clusters they do not follow from the tally.
    cautions=Kind(itself, plain).or_absent(Part(None, "cautions")),
)
"""All of a report but its slices."""
