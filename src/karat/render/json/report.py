"""The parts of a report in JSON, each declared once, and the report that is made of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from karat._version import __version__
from karat.class_table import PER_CLASS, PER_CLASS_OF_SCORES
from karat.errors import KaratError, error
from karat.metrics import Metric, get
from karat.metrics._lift import Policy
from karat.metrics._registry import find
from karat.render.json.codec import (
    COUNT,
    FLAG,
    NUMBER,
    OMITTED,
    TEXT,
    TEXTS,
    Field,
    Kind,
    Scope,
    choice,
    each,
    given,
    itself,
    named,
    or_null,
    plain,
    record,
    scalar,
)
from karat.render.json.parts import Part, refused
from karat.render.json.scores import SCORES
from karat.render.json.tally import CLASSES, CONFUSION, TALLY
from karat.report import Report
from karat.uncertainty.confidence import Confidence, Interval

__all__ = ["RECOMPUTED", "REPORT", "SCHEMA"]

Floats: TypeAlias = npt.NDArray[np.float64]

SCHEMA: Final = "karat.report/1"
_VERSION: Final = re.compile(
    r"[0-9]{1,6}(\.[0-9]{1,6}){1,3}((a|b|rc)[0-9]{1,6})?(\.post[0-9]{1,6})?(\.dev[0-9]{1,6})?"
    r"(\+[a-z0-9.]{1,40})?"
)
"""As packages spell it (PEP 440). One way to match a text: no letter belongs to two parts."""
_DEEPEST: Final = 8
"""Facts about the source are not nested deeper than this."""


def _read_fact(part: Part, left: int = _DEEPEST) -> Any:
    if isinstance(part.value, dict | list):
        if not left:
            raise refused(f"{part.path} is nested too deeply to be a fact about the source")
        is_list = isinstance(part.value, list)
        for item in part.items() if is_list else (item for _, item in part.fields()):
            _read_fact(item, left - 1)
    return part.value


_FACTS: Final = named(
    Kind(lambda part, _: _read_fact(part)),
    files=TEXTS, format=each(choice("parquet", "csv", "json")), n_bytes=COUNT, n_dropped=COUNT,
    query=TEXT, where=TEXT,
)  # fmt: skip
_SOURCE: Final = Kind(lambda part, s: (_FACTS.read(part, s) and part.value) or {}, plain)
_COLUMNS: Final = Kind(
    lambda part, s: list(TEXTS.read(part, s)) if isinstance(part.value, list)
    else or_null(TEXT).read(part, s)
)  # fmt: skip
"""A column, the columns of scores, or none."""


def _asked(s: Scope) -> tuple[Confidence, bool] | None:
    """What was asked of intervals, and whether rows were clustered."""
    try:
        found = Confidence.of(s.level, s.side, s.method, s.design, s.seed, s.n_replicates)
    except KaratError:
        return None
    return None if found is None else (found, s.clustered)


_CONFIDENCE: Final = record(
    Field("level", Kind(lambda part, _: part.value), "confidence.level"),
    *(Field(name, TEXT, f"confidence.{name}") for name in ("side", "method", "design")),
    *(Field(name, COUNT, f"confidence.{name}") for name in ("seed", "n_replicates")),
    Field("clustered", FLAG, "is_clustered"),
    make=_asked,
).where(lambda found, _: found is not None, "what can be asked of intervals")
_SETTINGS: Final = record(
    Field("undefined", choice(*get_args(Policy))),
    Field(
        "metrics",
        or_null(Kind(lambda part, s: tuple(map(get, TEXTS.read(part, s))), lambda names, _: [*map(str, names)])),
        "requested",
    ),
    Field(
        "confidence",
        or_null(_CONFIDENCE),
        lambda report: None if report.confidence is None else report,
        absent=None,
    ),
)  # fmt: skip


def _read_intervals(part: Part, s: Scope) -> Mapping[Metric, Interval]:
    """Intervals that do not follow from the tally: of scores, and of rows in clusters."""
    found: dict[Metric, Interval] = {}
    if s.confidence is None:
        return found
    for name, item in part.fields():
        metric = find(name)
        if metric is None or not (s.is_clustered or metric.needs_scores):
            continue
        method, words, error_ = (
            None if (one := item.get(key)) is None else or_null(kind).read(one, s)
            for key, kind in (("method", TEXT), ("remark", TEXT), ("standard_error", NUMBER))
        )
        if item.get("method") is None:
            continue
        low = high = None
        if method is not None:
            # An infinite end of the range is null.
            low, high = (
                end if item[key].value is None else NUMBER.read(item[key], s)
                for key, end in zip(("low", "high"), metric.range, strict=True)
            )
        found[metric] = Interval(low, high, method, error_, words)
    return found


def _read_limits(part: Part, s: Scope) -> dict[str, tuple[Floats, Floats]]:
    """Limits of the columns of the table of classes that do not follow from the tally.

    float64[k] each, NaN where a class has none.
    """
    found: dict[str, tuple[Floats, Floats]] = {}
    if s.confidence is None:
        return found
    rows = [row.get("intervals") for row in part.items()]
    # Neither scores nor clusters are in the text.
    for name in (*(PER_CLASS if s.is_clustered else ()), *PER_CLASS_OF_SCORES):
        pairs = [None if row is None else row.get(name) for row in rows]
        if any(pair is not None for pair in pairs):
            limits = np.array([_limits(pair, s) for pair in pairs])
            found[name] = (limits[:, 0], limits[:, 1])
    return found


def _limits(pair: Part | None, s: Scope) -> tuple[float, float]:
    if pair is None:
        return math.nan, math.nan
    limits = [or_null(NUMBER).read(item, s) for item in pair.items()]
    if len(limits) != 2:
        raise pair.is_not("two limits")
    low, high = limits
    return -math.inf if low is None else low, math.inf if high is None else high


def _thresholds(report: Report) -> Any:
    """The best thresholds; None where there are none."""
    try:
        return report.thresholds
    except KaratError:
        return None


def _report(s: Scope) -> Report:
    if s.mapping.get("weights") and not s.cells.is_weighted:
        raise refused("mapping.weights names a column, and the tally is not weighted")
    scores = s.scores
    measured = [] if scores is None else scores.measured
    return Report(
        s.cells,
        s.settings.undefined,
        s.settings.metrics,
        s.mapping,
        s.source,
        s.warnings,
        {item.metric: item.values for item in measured},
        None if scores is None else scores.kind,
        None if scores is None else scores.threshold,
        None if scores is None else scores.curves,
        s.confidence,
        intervals=s.metrics,
        class_intervals=s.per_class,
        is_clustered=s.is_clustered,
        kept_cautions=TEXTS.read(s.cautions, s) if s.is_clustered else (),
        bounds={item.metric: item.bound for item in measured if item.bound is not OMITTED},
        class_bounds={
            item.metric: tuple(item.bounds) for item in measured if item.bounds is not OMITTED
        },
    )


def _read_schema(part: Part, _: Scope) -> str:
    name, _, version = str(part.value).rpartition("/")
    is_number = version.isascii() and version.isdecimal() and len(version) < 10
    if name != "karat.report" or not is_number or int(version) < 1:
        raise refused(f"Its schema is {part.value!r}, not {SCHEMA!r}")
    if int(version) > 1:
        raise error("K206", thing="report in JSON", version=int(version), newest=1)
    return SCHEMA


_METRICS: Final = Field(
    "metrics",
    Kind(
        _read_intervals,
        lambda results, _: {name: result.to_dict() for name, result in results.items()},
    ),
)
_PER_CLASS: Final = Field("per_class", Kind(_read_limits, plain))
_THRESHOLDS: Final = Field("thresholds", Kind(lambda *_: None, plain), _thresholds, absent=None)
REPORT: Final = record(
    Field("schema", Kind(_read_schema), lambda _: SCHEMA),
    Field(
        "karat",
        scalar(lambda x: isinstance(x, str) and _VERSION.fullmatch(x), "a version of karat"),
        lambda _: __version__,
    ),
    # Another version may have had other metrics, and another rule.
    given("is_own", lambda s: s.karat == __version__),
    Field("source", _SOURCE),
    Field("mapping", Kind(named(_COLUMNS).read, plain)),
    Field("n_rows", COUNT),
    Field("classes", CLASSES),
    Field("settings", _SETTINGS, itself),
    given("confidence", lambda s: s.settings.confidence and s.settings.confidence[0]),
    given("is_clustered", lambda s: bool(s.settings.confidence and s.settings.confidence[1])),
    _METRICS,
    _PER_CLASS,
    Field("confusion", CONFUSION, "cells"),
    Field("tally", TALLY, "cells"),
    given("cells", lambda s: s.tally),
    Field(
        "scores",
        or_null(SCORES),
        lambda report: None if report.scores is None else report,
        absent=None,
    ),
    _THRESHOLDS,
    Field("warnings", TEXTS),
    # Read as the part: only of rows in clusters they do not follow from the tally.
    Field("cautions", Kind(itself, plain), absent=Part(None, "cautions")),
    make=_report,
)
"""All of a report but its slices."""
RECOMPUTED: Final = record(_METRICS, _PER_CLASS, _THRESHOLDS)
"""What follows from the rest of a report, but for intervals of rows that are gone."""
