"""The tables of a page: metrics and classes with bars of their intervals, reasons, definitions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors.text import amounts, count, interval, value
from karat.metrics import get
from karat.output.finding import lowest_of
from karat.output.html.mathml import formula
from karat.output.sections import marked_rate, marked_value, missing_intervals, notes_on_mix

if TYPE_CHECKING:
    from karat.results.report import ClassReport
    from karat.results.sets import SetReport

MOST_ROWS: Final = 100
"""Classes that the table lists; above, those with the smallest f1."""
BARS: Final = ("precision", "recall", "f1")
"""Columns with bars; of many classes the last one alone."""
_TITLED: Final = ("recall", "roc_auc")
"""Rates whose intervals a page of many classes has as titles, too."""
MANY: Final = 30
COLUMNS: Final = (
    "precision",
    "recall",
    "f1",
    "roc_auc",
    "average_precision",
    "specificity",
    "jaccard",
)
"""Columns of the table of classes after the counts, where there are such."""
WIDTH: Final = 100
"""Width of a bar in its own units."""


def bar(
    number: float | None, low: float | None, high: float | None, ends: tuple[float, float]
) -> dict[str, str] | None:
    """A value and its limits as a point and a line between ends; without both no bar."""
    start, end = ends
    known = [x for x in (number, low, high) if x is not None]
    if number is None or not all(map(math.isfinite, (start, end, *known))):
        return None

    def at(x: float) -> str:
        place = 2 + (WIDTH - 4) * (min(max(x, start), end) - start) / (end - start)
        return f"{place:.1f}".removesuffix(".0")

    if low is None or high is None:
        return {"at": at(number), "low": "", "high": ""}
    return {"at": at(number), "low": at(low), "high": at(high)}


def scale_of(lows: Iterable[float | None]) -> tuple[float, float]:
    """The scale of bars that end at 1: from the tenth below the smallest limit.

    Example:
        >>> from karat.output.html.tables import scale_of
        >>> scale_of([0.931, None, 0.984]), scale_of([-0.02]), scale_of([])
        ((0.9, 1.0), (-0.1, 1.0), (0.0, 1.0))
    """
    known = [low for low in lows if low is not None and math.isfinite(low)]
    return min(math.floor(10 * min(known, default=0.0)), 9) / 10, 1.0


def metric_table(report: ClassReport | SetReport, names: Sequence[str]) -> dict[str, Any]:
    """One row a metric, the scale of the bars (of those that are best at 1), and notes."""
    results = [report.metrics[name] for name in names]
    drawn = [one for one in results if one.better == "higher" and one.range[1] == 1.0]
    scale = scale_of(one.low for one in drawn)
    rows = [
        {
            "name": one.name,
            "definition": get(one.name).record.name,
            "method": one.method or "",
            "value": marked_value(one),
            "key": one.value if math.isfinite(one.value) else "",
            "interval": interval(one.low, one.high),
            "bar": bar(one.value, one.low, one.high, scale) if one in drawn else None,
            "better": one.better or "",
            "undefined": one.undefined or "",
        }
        for one in results
    ]
    is_asked = report.confidence is not None
    notes = notes_on_mix(report.metrics, names)
    notes += missing_intervals((one.name, one) for one in results) if is_asked else []
    return {"rows": rows, "scale": "{:g} to {:g}".format(*scale) if drawn else "", "notes": notes}


def class_table(report: ClassReport | SetReport) -> dict[str, Any]:
    """The table of classes: counts, rates with their bars, and which are listed."""
    rows = report.per_class
    keys = [key for key in COLUMNS if key in rows[0]]
    k, listed, note = len(rows), list(rows), ""
    if k > MOST_ROWS:
        # Undefined first: a class that is never predicted is the worst there is.
        key = "f1" if "f1" in rows[0] else keys[0]
        worst = np.array([-1.0 if row[key] is None else row[key] for row in rows])
        listed = [rows[i] for i in np.argsort(worst, kind="stable")[:MOST_ROWS]]
        note = f"The {MOST_ROWS} classes of {count(k)} with the smallest {key}."
    bars = [key for key in keys if key in BARS][(-1 if k > MANY else 0) :]
    scale = scale_of(row["intervals"].get(key, (None,))[0] for key in bars for row in listed)
    support = amounts([row["support"] for row in listed])
    has_predictions = "predicted_count" in rows[0]
    predicted = amounts([row["predicted_count"] for row in listed]) if has_predictions else None
    lowest, titled = lowest_of(report), keys if k <= MANY else _TITLED
    body = [
        {
            "name": row["name"],
            "is_lowest": lowest is not None and row["label"] == lowest["label"],
            "support": support[at],
            "predicted": predicted and predicted[at],
            "rates": [
                _rate(row, key, scale if key in bars else None, is_titled=key in titled)
                for key in keys
            ],
        }
        for at, row in enumerate(listed)
    ]
    averages = []
    for average in ("macro", "weighted") if k > 1 else ():
        names = [get(key).record.lifted(average) for key in keys]
        known = [report.metrics[x].value if x in report.metrics else None for x in names]
        averages.append((average, ["" if x is None else value(x) for x in known]))
    return {
        "keys": keys,
        "has_predictions": has_predictions,
        "bars": bars,
        "scale": "{:g} to {:g}".format(*scale),
        "rows": body,
        "averages": averages,
        "note": note,
    }


def _rate(
    row: dict[str, Any], key: str, scale: tuple[float, float] | None, *, is_titled: bool
) -> dict[str, Any]:
    low, high = row["intervals"].get(key, (None, None))
    undefined = row["undefined"].get(key, "")
    limits = interval(low, high)
    return {
        "text": marked_rate(row, key),
        "interval": limits,
        "title": undefined or (limits if is_titled else ""),
        "bar": bar(row[key], low, high, scale) if scale and not undefined else None,
        "undefined": undefined,
    }


def undefined_reasons(report: ClassReport | SetReport) -> list[tuple[str, list[str]]]:
    """Every reason with what it left undefined: metrics, and rates of classes."""
    found: dict[str, list[str]] = {}
    for name, reason in report.undefined_metrics.items():
        found.setdefault(reason, []).append(name)
    by_rate: dict[tuple[str, str], list[str]] = {}
    for row in report.per_class:
        for key, reason in row["undefined"].items():
            by_rate.setdefault((reason, key), []).append(str(row["name"]))
    for (reason, key), names in by_rate.items():
        some = ", ".join(names[:4]) + (f" and {count(len(names) - 4)} more" * (len(names) > 4))
        found.setdefault(reason, []).append(f"{key} of {some}")
    return list(found.items())


def definitions(report: ClassReport | SetReport) -> Iterator[dict[str, str]]:
    """Definition of every metric of the report, from its record; averages are defined once."""
    names = {get(name).record.name for name in report.metrics}
    for name in sorted(names | (set(COLUMNS) & report.per_class[0].keys())):
        metric = get(name)
        low, high = (f"{end:g}".replace("inf", "∞") for end in metric.range)
        yield {
            "name": name,
            "summary": metric.record.summary,
            "formula": formula(metric.latex),
            "undefined": metric.undefined_when,
            "range": f"{low} to {high}",
            "better": metric.better or "neither",
        }
