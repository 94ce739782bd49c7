"""A `Comparison` as one page: models side by side, their differences, and what they say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from karat._version import __version__
from karat.errors.numbers import interval, value
from karat.metrics import get
from karat.output.compared import describe_comparison
from karat.output.document import Notes, Table
from karat.output.html.page import page
from karat.output.html.tables import bar

if TYPE_CHECKING:
    from karat.inference.comparison.records import Difference, Estimate
    from karat.results.comparison import Comparison

__all__ = ["comparison_to_html"]


def comparison_to_html(comparison: Comparison) -> str:
    """The page of a comparison, as text.

    Errors:
        K501 jinja2 is not installed.
    """
    document = describe_comparison(comparison)
    pairs = dict.fromkeys((one.a, one.b) for one in comparison.differences)
    tables = [section for section in document.sections if isinstance(section, Table)]
    found: dict[str, Any] = {
        "title": document.title,
        "version": __version__,
        "facts": document.facts,
        "models": comparison.models,
        "level": f"{100 * comparison.level:g} %",
        "values": [
            {
                "metric": metric,
                "better": get(metric).better or "",
                "models": _values([each[name] for name in comparison.models]),
            }
            for metric, each in comparison.values.items()
        ],
        "pairs": [
            {"table": table, "a": a, "b": b, "bars": _bars(comparison, table, a, b)}
            for (a, b), table in zip(pairs, tables, strict=False)
        ],
        "omnibus": tables[len(pairs) + 1 :],
        "notes": [
            line
            for section in document.sections
            if isinstance(section, Notes)
            for line in section.lines
        ],
    }
    return page("compare.html", found, {"matrix": None, "decisions": None})


def _values(models: Sequence[Estimate]) -> list[dict[str, Any]]:
    """What a metric gave for each model, with bars on one scale."""
    ends = [
        x
        for one in models
        for x in (one.value, one.low, one.high)
        if x is not None and math.isfinite(x)
    ]
    scale = (min(ends), max(ends)) if ends and min(ends) < max(ends) else (0.0, math.inf)
    return [
        {
            "text": value(one.value),
            "key": one.value if math.isfinite(one.value) else "",
            "interval": interval(one.low, one.high),
            "bar": bar(one.value, one.low, one.high, scale),
        }
        for one in models
    ]


def _bars(comparison: Comparison, table: Table, a: str, b: str) -> list[dict[str, str] | None]:
    """A bar for each row of a table of differences, all on one scale around no difference."""
    by_metric = {one.metric: one for one in comparison.differences if (one.a, one.b) == (a, b)}
    reach = max((_reach(one) for one in by_metric.values()), default=0.0)
    rows = [by_metric[row[0].text] for row in table.rows]
    if not reach:
        return [None] * len(rows)
    scale = (-reach, reach)
    return [bar(one.difference, one.low, one.high, scale) if _reach(one) else None for one in rows]


def _reach(one: Difference) -> float:
    """How far a difference of a share or a correlation can be from none; others have no bar."""
    if max(map(abs, get(one.metric).range)) > 1:
        return 0.0
    ends = [abs(x) for x in (one.difference, one.low, one.high) if x is not None and x == x]
    return max(ends, default=0.0)
