"""HTML forms of public objects for notebooks: what they print, as tables, with their picture.

A form is never an error: of an object that has none, a cell shows the text that `print` shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.curves._curve import ByClass, Curve, Reliability
from karat.errors import KaratError
from karat.errors.doubts import without_doubts
from karat.errors.text import amounts, count, counted, harmless, threshold, value
from karat.inference.p_values import least_or_more, p_in_cell, p_text
from karat.metrics import get
from karat.output.describe import listed_names
from karat.output.document import (
    Cell,
    Document,
    Notes,
    Section,
    Style,
    Table,
    TableColumn,
    doubts_section,
)
from karat.output.drawing import COLORS, MOST_ROWS, Line, Look, Mark, Picture, forest, plane
from karat.output.notebook import html_of, html_of_result
from karat.output.sections import results_table, slice_metric, slice_section, thresholds_section
from karat.results.gate.result import with_limits

if TYPE_CHECKING:
    from karat.curves._kept import Curves
    from karat.curves._traced import PrecisionRecall
    from karat.inference.slices.weak import WeakSlices
    from karat.results.comparison import Comparison
    from karat.results.gate.result import GateResult, RuleResult
    from karat.results.report import ClassReport
    from karat.results.result import Result
    from karat.results.slices import ByColumn, Slice, SliceTable

_MOST_LINES: Final = len(COLORS)
_N_WORST: Final = 5
_MOST_TABLES: Final = 6
"""Tables of slices that are shown; each of more is one line."""
_MOST_LISTED: Final = 60
_TEXT_MAX: Final = 20_000


def form(make: Callable[[Any], str], found: Any) -> str:
    """Return `make` of an object, or its text where that fails."""
    try:
        return make(found)
    except Exception:
        return _text_of(found)


def _text_of(found: Any) -> str:
    try:
        text = str(found)
    except Exception:
        text = object.__repr__(found)
    lines = (harmless(line) for line in text[:_TEXT_MAX].splitlines())
    inside = "<br>".join(escape(line) for line in lines)
    return f'<pre style="white-space:pre-wrap;color:inherit;background:transparent">{inside}</pre>'


def report_as_html(report: ClassReport) -> str:
    """A report: its curve, or its metrics with their intervals, above its tables."""
    from karat.output.describe import describe

    picture = picture_or_none(_picture_of_report, report)
    return html_of(describe(report, metrics="headline"), picture)


def picture_or_none(make: Callable[..., Picture | None], *given: Any) -> Picture | None:
    """A picture; None of what cannot be drawn, so that its tables are still shown."""
    try:
        return make(*given)
    except Exception:
        return None


def _picture_of_report(report: ClassReport) -> Picture | None:
    if report.kept_curves is not None:
        drawn = _plane_of(report.kept_curves.roc, report)
        if drawn is not None:
            return drawn
    # Beside the matrix, which stands below as a table with shaded cells.
    if report.confidence is None:
        return None
    found = [report.metrics[name] for name in listed_names(report)]
    marks = [
        Mark(one.name, one.value, one.low, one.high, reason=one.undefined or "")
        for one in found
        if one.range[0] >= -1.0 and one.range[1] <= 1.0
    ]
    if not any(mark.low is not None for mark in marks):
        return None
    label = f"value and {report.confidence.text} interval"
    return forest(marks, label=label, title="Metrics with their intervals")


_OF_VERDICT: Final[dict[str, Look]] = {
    "better": "good",
    "worse": "bad",
    "equivalent": "good",
    "identical": "good",
    "not tested": "plain",
    "higher": "plain",
    "lower": "plain",
}


def comparison_as_html(comparison: Comparison) -> str:
    """A comparison: its differences as a forest above its tables."""
    from karat.output.compared import describe_comparison

    picture = picture_or_none(picture_of_comparison, comparison)
    return html_of(describe_comparison(comparison), picture)


def picture_of_comparison(comparison: Comparison) -> Picture | None:
    """The differences of a comparison with their intervals; None where there are none."""
    found = comparison.differences[:MOST_ROWS]
    pairs = {(one.a, one.b) for one in found}
    is_one = len(pairs) == 1
    marks = [
        Mark(
            one.metric if is_one else f"{one.metric}  {one.a} − {one.b}",
            one.difference,
            one.low,
            one.high,
            _OF_VERDICT.get(one.verdict, "open"),
            reason=one.remark or "a value is undefined",
        )
        for one in found
    ]
    what = f"{found[0].a} − {found[0].b}" if is_one else "difference"
    first = found[0].a if is_one else "the first model"
    label = f"{what} ({comparison.shown_level} interval)"
    looks = {mark.look for mark in marks}
    told: list[tuple[Look, str]] = [
        ("good", f"{first} is better, equivalent or identical"),
        ("bad", f"{first} is worse"),
        ("open", "inconclusive"),
    ]
    legend = [(look, text) for look, text in told if look in looks]
    return forest(marks, label=label, title=f"Differences: {what}", at=0.0, legend=legend)


_OF_RULE: Final[dict[str, tuple[Look, Style]]] = {
    "PASS": ("good", "good"),
    "FAIL": ("bad", "bad"),
    "INCONCLUSIVE": ("open", "warning"),
}


def gate_as_html(result: GateResult) -> str:
    """A gate: how far each rule is kept, above the table of rules."""
    order = sorted(result.rules, key=lambda rule: (not rule.fails, rule.verdict == "PASS"))
    columns: tuple[tuple[TableColumn, list[str | Cell]], ...] = (
        (TableColumn("verdict", "left"), [_verdict(rule) for rule in order]),
        (TableColumn("rule", "left"), [rule.name for rule in order]),
        (TableColumn("value"), [with_limits(rule.value, rule.low, rule.high) for rule in order]),
        (TableColumn("baseline"), [with_limits(rule.before, None, None) for rule in order]),
        (TableColumn("difference"), [_difference(rule) for rule in order]),
        (TableColumn("n"), ["" if rule.n is None else count(rule.n) for rule in order]),
        (TableColumn("reason", "left", is_prose=True, style="dim"), [one.reason for one in order]),
    )
    n_more = len(order) - _MOST_LISTED
    sections: list[Section] = []
    if (doubts := doubts_section(result.doubts)) is not None:
        sections.append(doubts)
    if order:
        shown = [(head, cells[:_MOST_LISTED]) for head, cells in columns]
        shown = [(head, cells) for head, cells in shown if any(map(_is_told, cells))]
        notes = (f"{count(n_more)} more rules: result.rules",) if n_more > 0 else ()
        sections.append(Table.by_column("Rules", *shown, notes=notes))
    if rest := without_doubts(result.notes):
        sections.append(Notes("Notes", rest, "dim"))
    facts = [counted(result.n, "row"), f"{100 * result.level:g} % intervals"]
    if result.baseline is not None:
        facts.append(f"against {result.baseline}")
    document = Document(result.title, (result.headline, *facts), tuple(sections))
    return html_of(document, picture_or_none(_picture_of_gate, order, result.level))


def _is_told(cell: str | Cell) -> bool:
    return bool(cell if isinstance(cell, str) else cell.text)


def _verdict(rule: RuleResult) -> Cell:
    return Cell(rule.verdict, _OF_RULE["FAIL" if rule.fails else rule.verdict][1])


def _difference(rule: RuleResult) -> str:
    return with_limits(rule.difference, rule.difference_low, rule.difference_high, sign="+")


def _picture_of_gate(rules: Sequence[RuleResult], level: float) -> Picture | None:
    marks = [_distance(rule) for rule in rules[:MOST_ROWS]]
    looks = {mark.look for mark in marks}
    words = {"good": "passed", "bad": "failed", "open": "inconclusive"}
    legend: list[tuple[Look, str]] = [
        (look, words[look]) for look in ("bad", "open", "good") if look in looks
    ]
    return forest(
        marks,
        label=f"distance from the limit; above 0 the rule holds ({100 * level:g} % interval)",
        title="Margin of each rule",
        at=0.0,
        legend=legend,
    )


def _distance(rule: RuleResult) -> Mark:
    """Distance from the limit of a rule: above 0 where the rule is met."""
    look = _OF_RULE["FAIL" if rule.fails else rule.verdict][0]
    if rule.kind in ("min", "max"):
        sign = 1.0 if rule.kind == "min" else -1.0
        given, limit = (rule.value, rule.low, rule.high), -sign * rule.bound
    else:
        # A drop of what is better high is a rise of what is better low.
        sign = -1.0 if get(rule.metric).better == "lower" else 1.0
        given, limit = (rule.difference, rule.difference_low, rule.difference_high), rule.bound
    point, *ends = (None if one is None else sign * one + limit for one in given)
    known = sorted(one for one in ends if one is not None)
    low, high = known if len(known) == 2 else (None, None)
    at = math.nan if point is None else point
    return Mark(rule.name, at, low, high, look, reason=rule.reason or "no value")


def weak_slices_as_html(found: WeakSlices) -> str:
    """Weak slices: what was measured in each beside all other rows, above the table."""
    slices = list(found)
    sections: list[Section] = []
    if (doubts := doubts_section(found.doubts)) is not None:
        sections.append(doubts)
    if slices:
        shown = slices[:_MOST_LISTED]
        n_more, n = len(slices) - len(shown), found.n_permutations
        table = Table.by_column(
            "Weak slices",
            (TableColumn("slice", "left", is_name=True, is_whole=True), [x.name for x in shown]),
            (TableColumn("rows"), amounts([one.n_rows for one in shown])),
            (TableColumn(found.measure, style="strong"), [value(one.value) for one in shown]),
            (TableColumn("all other rows"), [value(one.rest) for one in shown]),
            (TableColumn("difference"), [value(one.value - one.rest) for one in shown]),
            (TableColumn("z", style="dim"), [f"{one.z:.1f}" for one in shown]),
            (TableColumn("p"), [p_in_cell(least_or_more(one.p, n)) for one in shown]),
            notes=(f"{count(n_more)} more: found.slices",) if n_more else (),
        )
        sections.append(table)
    left_out = [f"{name}: {why}" for name, why in getattr(found, "left_out", {}).items()]
    if left_out:
        n_more = len(left_out) - _MOST_LISTED
        more = [f"{count(n_more)} more columns"] if n_more > 0 else []
        sections.append(Notes("Not searched", (*left_out[:_MOST_LISTED], *more), "dim"))
    if rest := without_doubts(found.notes):
        sections.append(Notes("Notes", rest, "dim"))
    n = len(slices)
    head = counted(n, "weak slice") if n else "no weak slice"
    facts = [f"{head} among {counted(found.n_tested, 'slice')}"]
    p = least_or_more(found.p, found.n_permutations)
    facts += [f"p {p_text(p, '.2g')}", f"level {100 * found.level:g} %"]
    picture = picture_or_none(_picture_of_weak, slices, found.measure)
    return html_of(Document("karat weak slices", tuple(facts), tuple(sections)), picture)


def _picture_of_weak(slices: Sequence[Any], measure: str) -> Picture | None:
    marks = [Mark(one.name, one.value, None, None, "bad", one.rest) for one in slices]
    legend: list[tuple[Look, str]] = [("bad", "the slice"), ("open", "all other rows")]
    return forest(marks, label=measure, title=f"Weak slices by {measure}", legend=legend)


def slice_table_as_html(table: SliceTable[Any]) -> str:
    """The slices by a column: a headline metric with its intervals, above the table."""
    return html_of(Document("karat slices", _facts_of(table))) + _slices_of(table)


def _facts_of(table: SliceTable[Any]) -> tuple[str, ...]:
    by = " × ".join(table.columns)
    return (f"by {by}", counted(len(table), "slice"), counted(table.whole.n_rows, "row"))


def _slices_of(table: SliceTable[Any]) -> str:
    metric = slice_metric(table.whole)
    picture = picture_or_none(_picture_of_slices, table, metric)
    return html_of(Document("", (), (slice_section(table, metric),)), picture)


def _picture_of_slices(table: SliceTable[Any], metric: str) -> Picture | None:
    parts = list(table.values())
    differences = table.difference(metric)
    shown = {one.name: one.is_shown for one in differences.values()}
    better = get(metric).better
    marks = []
    for part, one in zip(parts, differences.values(), strict=True):
        found = part[metric]
        look: Look = "plain"
        if shown[one.name] and better is not None:
            look = "good" if (one.difference > 0) is (better == "higher") else "bad"
        reason = found.undefined or one.undefined or ""
        marks.append(Mark(one.name, found.value, found.low, found.high, look, reason=reason))
    n_more = len(marks) - MOST_ROWS
    whole = table.whole[metric].value
    label = f"{metric}; dotted: all rows" + (f"; {count(n_more)} not drawn" if n_more > 0 else "")
    looks = {mark.look for mark in marks}
    told: list[tuple[Look, str]] = [
        ("bad", "worse than all other rows"),
        ("good", "better than all other rows"),
    ]
    return forest(
        marks,
        label=label,
        title=f"{metric} by {' × '.join(table.columns)}",
        at=whole if math.isfinite(whole) else None,
        legend=[(look, text) for look, text in told if look in looks],
    )


def slices_as_html(slices: ByColumn[Any]) -> str:
    """All slices of a report, column by column."""
    tables = list(slices.values())
    facts = [" × ".join(table.columns) for table in tables] or ["none: give by= to karat.evaluate"]
    n_more = len(tables) - _MOST_TABLES
    more = f" and {count(n_more)} more" if n_more > 0 else ""
    head = html_of(Document("karat slices", (f"by {', '.join(facts[:_MOST_TABLES])}{more}",)))
    return head + "".join(map(_slices_of, tables[:_MOST_TABLES]))


def slice_as_html(part: Slice) -> str:
    """One slice: the metrics that open a report."""
    found = [part[name] for name in part.sliced.headline]
    table = results_table("Metrics", found, is_asked=part.whole.confidence is not None)
    marks = [
        Mark(one.name, one.value, one.low, one.high, reason=one.undefined or "")
        for one in found
        if one.range[0] >= -1.0 and one.range[1] <= 1.0
    ]
    picture = picture_or_none(_forest_of, marks)
    facts = (part.name, counted(part.n_rows, "row"))
    return html_of(Document("karat slice", facts, (table,)), picture)


def _forest_of(marks: Sequence[Mark]) -> Picture | None:
    return forest(marks, label="value and interval", title="Metrics with their intervals")


def result_as_html(result: Result) -> str:
    """A result: its value with its interval, where it has one, below the numbers."""
    picture = ""
    if result.low is not None or result.high is not None:
        mark = Mark(result.name, result.value, result.low, result.high)
        drawn = picture_or_none(_forest_of, [mark])
        picture = "" if drawn is None else drawn.svg(str)
    return html_of_result(result, picture)


def calibration_as_html(found: Mapping[str, Any], report: ClassReport) -> str:
    """Calibration: the reliability diagram above its metrics."""
    results = list(found.values())
    table = results_table("Calibration", results, is_asked=report.confidence is not None)
    facts = (counted(report.n_rows, "row"), *([report.scores] if report.scores else []))
    document = Document("karat calibration", facts, (table,))
    return html_of(document, picture_or_none(_picture_of_calibration, report))


def _picture_of_calibration(report: ClassReport) -> Picture | None:
    return _plane_of(report.curves.reliability, report) if report.curves.has_probabilities else None


def thresholds_as_html(found: Any, report: ClassReport) -> str:
    """Thresholds: precision, recall and F1 by threshold, above the best ones."""
    section = thresholds_section(report)
    if section is None:
        section = _thresholds_of_classes(found)
    facts = [counted(report.n_rows, "row"), counted(report.classes.k, "class")]
    document = Document("karat thresholds", tuple(facts), (section,))
    return html_of(document, picture_or_none(_picture_of_thresholds, found, report))


def _thresholds_of_classes(found: Sequence[Mapping[str, Any]]) -> Table:
    """The best threshold of each class and purpose."""
    shown = found[:_MOST_LISTED]
    purposes = [name for name in (shown[0] if shown else ()) if name not in ("label", "name")]
    columns = [
        (TableColumn(f"{purpose}: threshold"), [threshold(x[purpose]["threshold"]) for x in shown])
        for purpose in purposes
    ]
    values = [
        (TableColumn(f"{purpose}: value"), [value(one[purpose]["value"]) for one in shown])
        for purpose in purposes
    ]
    pairs = [each for pair in zip(columns, values, strict=True) for each in pair]
    n_more = len(found) - len(shown)
    notes = (f"{count(n_more)} classes not listed: report.thresholds",) if n_more else ()
    head = TableColumn("class", "left", is_name=True)
    return Table.by_column(
        "Thresholds  chosen on these rows, so the values are optimistic",
        (head, [str(one["name"]) for one in shown]),
        *pairs,
        notes=notes,
    )


def _picture_of_thresholds(found: Any, report: ClassReport) -> Picture | None:
    unit = report.scores == "probabilities"
    curves = report.curves.precision_recall
    if not report.is_binary:
        labels = list(curves)
        which = list(range(len(labels)))
        legend = ""
        if len(labels) > _MOST_LINES:
            best = [one["f1"]["value"] for one in found]
            order = np.argsort([math.nan if one is None else one for one in best], kind="stable")
            which = sorted(order[:_N_WORST].tolist())
            legend = f"the worst {_N_WORST} of {count(len(labels))} classes"
        lines = [
            Line(report.classes.display[i], *_by_threshold(curves[labels[i]])["f1"]) for i in which
        ]
        what = "F1 of each class by threshold"
        return plane(lines, x="threshold", y="f1", title=what, legend=legend, unit=unit)
    lines = [Line(name, *pair) for name, pair in _by_threshold(curves.positive).items()]
    words = {"f1": "largest f1", "informedness": "largest informedness", "cost": "fewest errors"}
    marked = [
        (float(one["threshold"]), f"{words.get(purpose, purpose)}: {one['threshold']:.3g}")
        for purpose, one in found.items()
        if one.get("threshold") is not None and math.isfinite(one["threshold"])
    ]
    return plane(
        lines,
        x="threshold",
        y="value",
        title="Precision, recall and F1 by threshold",
        verticals=marked,
        unit=unit,
    )


def _by_threshold(curve: PrecisionRecall) -> dict[str, tuple[Any, Any]]:
    """Metric → its thresholds and values, without the point above every score."""
    precision, recall = curve.precision, curve.recall
    both = precision + recall
    f1 = 2 * precision * recall / np.where(both > 0, both, 1.0)
    known = np.isfinite(curve.thresholds)
    each = {"precision": precision, "recall": recall, "f1": f1}
    return {name: (curve.thresholds[known], one[known]) for name, one in each.items()}


_AXES: Final = {
    "fpr": "false positive rate",
    "tpr": "true positive rate",
    "fnr": "false negative rate",
    "recall": "recall",
    "precision": "precision",
    "share": "proportion of rows",
    "gain": "proportion of the class found",
    "lift": "lift",
    "mean_confidence": "mean probability",
    "probability_cost": "probability cost",
    "cost": "normalized expected cost",
    "thresholds": "threshold probability",
    "benefit": "net benefit",
}
_UNIT: Final = ("roc", "precision_recall", "det", "gain", "reliability")


def curve_as_html(curve: Curve) -> str:
    """A curve: its picture below its facts."""
    return html_of(Document(repr(curve).strip("<>"), ()), _drawn([curve], [""], ""))


def curves_by_class_as_html(curves: ByClass[Any]) -> str:
    """The curves of several classes in one picture."""
    return html_of(Document(repr(curves).strip("<>"), ()), _plane_of(curves, None))


def curves_as_html(curves: Curves) -> str:
    """Curves of a report: ROC and precision-recall."""
    names = list(curves)
    facts = (counted(curves.classes.k, "class"), f"holds {', '.join(names)}")
    found = [_plane_of(getattr(curves, name), None) for name in ("roc", "precision_recall")]
    pictures = [picture for picture in found if picture is not None]
    drawn = tuple(name for picture in pictures for name in picture.names)
    both = Picture(drawn, lambda short: "".join(picture.svg(short) for picture in pictures))
    return html_of(Document("karat curves", facts), both)


def _plane_of(curves: ByClass[Any], report: ClassReport | None) -> Picture | None:
    """The curves of classes: that of the positive one of two, all while they are few, the worst."""
    labels = list(curves)
    display: Sequence[str] = [str(label) for label in labels]
    if report is not None and len(labels) == report.classes.k:
        display = report.classes.display
    legend = ""
    which = list(range(len(labels)))
    try:
        positive = curves.positive
    except KaratError:
        positive = None
    if positive is not None and len(labels) == 2:
        which = [i for i, label in enumerate(labels) if curves[label] is positive]
    elif len(labels) > _MOST_LINES:
        badness = [_area(curves[label]) for label in labels]
        which = sorted(np.argsort(badness, kind="stable")[:_N_WORST].tolist())
        of = "worst" if any(map(math.isfinite, badness)) else "first"
        legend = f"the {of} {_N_WORST} of {count(len(labels))} classes"
    return _drawn([curves[labels[i]] for i in which], [display[i] for i in which], legend)


def _area(curve: Any) -> float:
    found = getattr(curve, "area", None)
    return math.inf if found is None or not math.isfinite(found) else float(found)


def _drawn(curves: Sequence[Any], names: Sequence[str], legend: str) -> Picture | None:
    first = curves[0]
    x, y = first.axes
    kind = type(first).__name__
    lines = []
    if any(names) and any(math.isfinite(_area(curve)) for curve in curves):
        legend = f"{legend}: area" if legend else "area"
    for curve, name in zip(curves, names, strict=True):
        area = _area(curve)
        note = ""
        if math.isfinite(area):
            note = f": {value(area)}" if name else f"area {value(area)}"
        at, height = (np.asarray(getattr(curve, axis), np.float64) for axis in (x, y))
        lines.append(Line(name, at, height, isinstance(curve, Reliability), note))
    vertical = "proportion of the class" if isinstance(first, Reliability) else _AXES.get(y, y)
    return plane(
        lines,
        x=_AXES.get(x, x),
        y=vertical,
        title=f"{kind}: {vertical} by {_AXES.get(x, x)}",
        legend=legend,
        diagonal=first.name in ("roc", "gain", "reliability"),
        unit=first.name in _UNIT,
    )


def stream_as_html(facts: Sequence[str], notes: Sequence[str], report: str) -> str:
    """A stream: what it holds, and its report so far as HTML."""
    sections = (Notes("Holds", tuple(notes)),) if notes else ()
    head = html_of(Document("karat stream", tuple(facts), sections))
    return head + report
