"""A report as JSON in the schema ``karat.report/2``, written and read by one declaration.

Keys are sorted and nothing depends on time or place, so that two files can be compared as text.
A value that is not a finite number is null, and its reason stands beside it.
The tally, the classes, the settings and what scores gave make the report. All else in a text
follows from them: it is computed again of the report that was read, and compared.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, TypeVar

from karat._version import __version__
from karat.errors import short, shown
from karat.metrics import get
from karat.metrics._registry import find
from karat.output.json.codec import Part, check_estimate, parsed, refused, require
from karat.output.json.folds import FOLDS
from karat.output.json.report import DERIVED, REPORT, SCHEMA
from karat.output.json.scores import stated_twice
from karat.output.json.slices import SLICES
from karat.output.json.words import in_words_of_today
from karat.results.report import ClassReport

__all__ = [
    "SCHEMA",
    "report_from_json",
    "report_of",
    "report_schema",
    "report_to_dict",
    "report_to_json",
]

ReportT = TypeVar("ReportT", bound=ClassReport)

_READ_IT: Final = "Give the text of the file: Report.from_json(Path('report.json').read_text())."
_NUMBERS: Final = ("value", "n", "low", "high", "standard_error", "exact", "bound")
"""What a metric states that is compared."""
_MEASURED: Final = "scores.measured"
_COUNTS: Final = ("support", "predicted_count")
_KEPT: Final = (
    *("confusion", "mapping", "source", "tally"),
    *("cautions", "doubts", "karat", "schema", "warnings"),
)
"""Kept as they are, in another form, or in words of the version."""
_MOST: Final = 40


def report_schema(kind: str = "report") -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of ``karat.report/2``; ``"judged"``: ``karat.judged/2``."""
    path = Path(__file__).parents[1] / f"{kind}.schema.json"
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def report_to_dict(report: ClassReport) -> dict[str, Any]:
    """Return the report as JSON types."""
    found: dict[str, Any] = REPORT.write(report, report)
    if report.kept_slices is not None:
        found["slices"] = SLICES.write(report.slices, report)
    if report.kept_folds is not None:
        found["folds"] = FOLDS.write(report.folds, report)
    return found


def report_to_json(report: ClassReport) -> str:
    """Return the report as JSON text: sorted keys, one row of the matrix a line, ASCII.

    ASCII, because class names are foreign text and a terminal may be reading.
    """
    return "".join(_written(report_to_dict(report), 0))


def report_from_json(text: str | bytes, report_type: type[ReportT]) -> ReportT:
    """Return the report of a JSON text.

    Errors:
        K205 it is not a whole report of this schema, or contradicts itself; K206 a newer schema
        wrote it; K211 it asks for metrics of scores that it does not hold; K301, K302 it asks for
        one that this karat does not have.
    """
    if not isinstance(text, str | bytes | bytearray):
        raise refused(f"It is a {type(text).__name__}, not text", _READ_IT)
    if isinstance(text, str) and len(text) < 4096 and text.endswith(".json") and "{" not in text:
        raise refused(f"{text!r} looks like the name of a file, not like its text", _READ_IT)
    return report_of(parsed(text), len(text), report_type)


def report_of(whole: Part, n_text: int, report_type: type[ReportT]) -> ReportT:
    """Return the report of a part of a JSON text of so many characters; errors as above."""
    whole = in_words_of_today(whole, SCHEMA)
    scope = SimpleNamespace(n_text=n_text, report_type=report_type)
    report: ReportT = REPORT.read(whole, scope)
    is_own = whole.value["karat"] == __version__
    again = DERIVED.write(report, report)
    # What rows of the table of classes state in a text of any version.
    of_classes = [
        {name: row[name] for name in ("label", "name")}
        | {name: row[name] and float(row[name]) for name in _COUNTS if name in row}
        for row in again["per_class"]
    ]
    whole["per_class"].check(of_classes, "the tally gives", compares_texts=True)
    # Names of before the number was a part of them mean the same.
    listed = {_canonical(name): part for name, part in whole["metrics"].fields().items()}
    # A metric that these classes do not have is an error here, not when the report is printed.
    is_fit = report.requested is None or sorted(report.metrics) == sorted(listed)
    require(is_fit, "metrics differs from settings.metrics")
    known = (metric for metric in map(find, listed) if metric is not None)
    is_fit = report.scores is not None or not any(metric.needs_scores for metric in known)
    require(is_fit, "metrics lists some of scores, and scores is null")
    if (slices := whole.get("slices")) is not None:
        scope = SimpleNamespace(report=report, is_own=is_own)
        report = replace(report, kept_slices=SLICES.read(slices, scope))
    if (folds := whole.get("folds")) is not None:
        scope = SimpleNamespace(report=report, is_own=is_own)
        report = replace(report, kept_folds=FOLDS.read(folds, scope))
    for name, part in listed.items():
        found = report.metrics.get(name)
        if found is not None:
            # The range with any number of classes: reports of 0.2 have limits up to its end.
            ends = get(name).range
            check_estimate(part, (found.value, found.low, found.high), ends)
    if is_own:
        _check_agreement(whole, report, again, listed)
    sentences = _left_out(whole, report, is_own=is_own)
    if not is_own:
        sentences += _other_limits(whole.value["karat"], again, listed, report)
    return replace(report, warnings=(*report.warnings, *sentences)) if sentences else report


def _check_agreement(
    whole: Part, report: ClassReport, again: Mapping[str, Any], listed: Mapping[str, Part]
) -> None:
    """Refuse a text of this version whose numbers are not those that are computed of it again.

    Names that this karat does not know, and reasons in words, are not compared; nor is what a text
    of before does not state.

    Errors:
        K205 a metric, a rate of a class, a threshold, an area or a slice has another number.
    """
    source = "the tally gives" if report.scores is None else f"the tally, or {_MEASURED}, gives"
    metrics = {name: {key: one[key] for key in _NUMBERS} for name, one in again["metrics"].items()}
    whole["metrics"].check(metrics, source, may_lack=True)
    for name in metrics if report.confidence is not None else ():
        # Intervals of scores stand nowhere else.
        is_there = (
            not get(name).needs_scores
            or "method" in (listed.get(name) or whole["metrics"][name]).value
        )
        require(is_there, f"metrics.{name}.method is missing")
    # Bounds that no row has are stated by none.
    whole["per_class"].check([{"bounds": {}} | row for row in again["per_class"]], source)
    if (thresholds := whole.get("thresholds")) is not None:
        thresholds.check(again["thresholds"], f"{_MEASURED} gives")
    measured, areas = stated_twice(report)
    if measured:
        whole["scores"]["measured"].check(measured, "what was measured of each class gives")
    if areas:
        whole["scores"]["curves"]["classes"].check(areas, "the metric of the class gives")


def _left_out(whole: Part, report: ClassReport, *, is_own: bool) -> tuple[str, ...]:
    """Sentences on the fields of a text that the report made of it does not have.

    One on metrics that it does not list; of a text of another version one on all else before it.

    Errors:
        K205 this version wrote the text and has the metric, so that it would not have listed it.
    """
    missing = [name for name in whole["metrics"].fields() if name not in report]
    parts: list[str] = []
    if is_own:
        for name in missing:
            told = f"metrics lists {short(name)}, and nothing else in it gives that"
            require(find(name) is None, told)
    else:
        known = set(_places(report_to_dict(report)))
        listed = {f"{path}.{_canonical(x)}" for path in ("metrics", _MEASURED) for x in missing}
        parts = [x for x in dict.fromkeys(_places(whole.value, known)) if x not in listed | known]
    found = []
    for has, what, lacks, names in (
        ("has", "part", "does not have in such a report", list(map(whole.place_of, parts))),
        ("lists", "metric", "does not list for such a report", missing),
    ):
        several = f"a {what}" if len(names) == 1 else f"{len(names)} {what}s"
        sentence = (
            f"The JSON that this report was read from {has} {several} that karat {__version__} "
            f"{lacks}: {shown(names, _MOST)}. Left out here."
        )
        if names and sentence not in report.warnings:
            found.append(sentence)
    return tuple(found)


def _other_limits(
    version: str, again: Mapping[str, Any], listed: Mapping[str, Part], report: ClassReport
) -> tuple[str, ...]:
    """A sentence on limits that another version wrote and that this one computes otherwise.

    Limits of labels without clusters follow from the tally: the report has those of this version.
    """
    for part in listed.values():
        part.must(isinstance(part.value, dict), "an object")
    names = [
        name
        for name, part in listed.items()
        if (one := again["metrics"].get(name)) and part.value.get("method") and one["method"]
        if not all(_is_close(part.value.get(key), one[key]) for key in ("low", "high"))
    ]
    several = "a metric" if len(names) == 1 else f"{len(names)} metrics"
    sentence = (
        f"karat {version} wrote the JSON that this report was read from. karat {__version__} "
        f"computes other limits for {several}, and those are shown: {shown(names, 5)}."
    )
    return (sentence,) if names and sentence not in report.warnings else ()


def _is_close(stated: Any, computed: float | None) -> bool:
    """True if a limit in a text equals the computed one up to rounding."""
    if stated is None or computed is None or not isinstance(stated, int | float):
        return stated is None and computed is None
    return math.isclose(stated, computed, rel_tol=1e-9, abs_tol=1e-12)


def _places(value: Any, known: set[str] | None = None, path: str = "") -> Iterator[str]:
    """Iterate over the places of all parts that have a value, and those of the parts below them.

    The items of a list are in one place, but for metrics, whose parts are in one.

    Args:
        value: JSON types.
        known: of a place that is none of these, the parts below are passed over.
        path: the place of the value.
    """
    inside: list[tuple[str, str, Any]] = []
    if isinstance(value, dict):
        is_of_metrics = path.rpartition(".")[2] in ("metrics", "tests")
        for key, item in value.items():
            if item is not None and item not in ([], {}) and (path or key not in _KEPT):
                name = _canonical(key) if is_of_metrics else key
                place = f"{path}.{name}" if path else name
                inside.append((place, f"{path}[]" if is_of_metrics else place, item))
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                place = f"{path}[]"
                if path == _MEASURED:
                    # What was measured, named as metrics are listed.
                    lift = "" if item["lift"] == "plain" else f"{item['lift']}_"
                    place = f"{path}.{lift}{_canonical(item['metric'])}"
                inside.append((place, f"{path}[]", item))
    for place, below, item in inside:
        yield place
        if known is None or place in known:
            yield from _places(item, known, below)


def _canonical(name: str) -> str:
    metric = find(name)
    return name if metric is None else str(metric)


_ENCODER: Final = json.JSONEncoder(allow_nan=False, sort_keys=True)


def _written(value: Any, depth: int) -> Iterator[str]:
    """JSON with one line a scalar or a list of scalars."""
    inner, outer = "\n" + "  " * (depth + 1), "\n" + "  " * depth
    if isinstance(value, dict) and value:
        for i, key in enumerate(sorted(value)):
            yield f"{',' if i else '{'}{inner}{_ENCODER.encode(key)}: "
            yield from _written(value[key], depth + 1)
        yield outer + "}"
    elif isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        for i, item in enumerate(value):
            yield f"{',' if i else '['}{inner}"
            yield from _written(item, depth + 1)
        yield outer + "]"
    else:
        yield _ENCODER.encode(value)
