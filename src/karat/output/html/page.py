"""A `Report` or a `Comparison` as one page that opens anywhere, under a content security policy."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from karat._version import __version__
from karat.errors import error
from karat.errors.doubts import without_doubts
from karat.errors.text import MISSING, harmless, interval, value
from karat.metrics import get
from karat.metrics.headlines import HEADLINE_OF_SETS, is_in_points, is_rare
from karat.output.compared import (
    describe_comparison,
    pairs_of,
    summaries_of,
    values_without_interval,
)
from karat.output.describe import POLICIES, facts, listed_names
from karat.output.describe_judged import facts_of as facts_of_judged
from karat.output.describe_judged import (
    finding_of_judged,
    headline_of,
    judge_table,
    metrics_table,
    notes_of,
    shares_tables,
)
from karat.output.describe_sets import (
    facts_of_sets,
    patterns_of,
    scores_of_labels,
    slices_of_sets,
    transfers_of,
)
from karat.output.document import Notes, Table
from karat.output.finding import (
    finding_of,
    finding_of_comparison,
    finding_of_sets,
    tiles_of,
    title_of,
    title_of_comparison,
)
from karat.output.folds import folds_section
from karat.output.html.colours import as_css
from karat.output.html.confusion import PLAIN, matrix_of
from karat.output.html.decisions import decisions_of
from karat.output.html.figures import curves_of, figures_of
from karat.output.html.rows import rows_on_page
from karat.output.html.tables import bar, class_table, definitions, metric_table, undefined_reasons
from karat.output.sections import (
    inexact_notes,
    pairs_section,
    slice_metric,
    slice_sections,
    thresholds_section,
)
from karat.results.headlines import lists_all

if TYPE_CHECKING:
    from jinja2 import Environment

    from karat.inference.comparison.records import Difference, ModelValue
    from karat.results.comparison import Comparison
    from karat.results.judged import JudgedReport
    from karat.results.report import ClassReport
    from karat.results.sets import SetReport

_FOLDER: Final = "templates"
_ESCAPED: Final = {ord(char): f"\\u{ord(char):04x}" for char in "<>&'\u2028\u2029"}


_SYMBOLS: Final = (
    "K is the number of classes, W the sum of the weights w_i (each 1 where none are given), W_b "
    "that of a bin and W_c that of a class; p_i is a probability, y_i the true class, and a bar "
    "over them their mean; P_t and R_t are precision and recall at threshold t."
)
OF_CLASSES: Final = {
    "title": "Classes",
    "word": "class",
    "caption": "Each class against the rest",
    "averages": "TP, FP, FN and TN are the true and false positives and negatives of a class "
    "against the rest, k is a class, n the number of rows. macro_ is the mean over the classes, "
    "weighted_ the same by their support, micro_ from the counts of all classes added. "
    f"{_SYMBOLS}",
}
OF_LABELS: Final = {
    "title": "Labels",
    "word": "label",
    "caption": "Each label against its absence",
    "averages": "TP, FP, FN and TN are the true and false positives and negatives of a label, or "
    "of the labels of a row, k is a label, n the number of rows. macro_ is the mean over the "
    "labels, weighted_ the same by their support, micro_ from the counts of all labels added, "
    "samples_ the mean over the rows.",
}
"""What a page says of its classes, and of labels of sets."""
_BESIDE: Final = 12
"""A confusion matrix of up to so many classes fits beside the finding."""


def page(template: str, facts: Mapping[str, Any], data: Mapping[str, Any] | None = None) -> str:
    """The whole text of a page, with a script if there is data for it.

    Errors:
        K501 jinja2 is not installed.
    """
    lines = (line.strip() for line in read("style.css").splitlines())
    style = as_css() + "\n".join(filter(None, lines))
    found = {"style": style, "script": "", "data": ""}
    if data is not None:
        # JSON that neither ends its block nor opens a comment: the escapes are JSON's own.
        text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        script = _script(has_rows=data.get("rows") is not None, has_curves="figures" in facts)
        found |= {"script": script, "data": text.translate(_ESCAPED)}
    # What the page may load: its own style sheet, its own script, and nothing else.
    rules = ["default-src 'none'", f"style-src {_hash(style)}"]
    rules += [f"script-src {_hash(found['script'])}"] if found["script"] else []
    policy = "; ".join([*rules, "base-uri 'none'", "form-action 'none'"])
    return _environment().get_template(template).render(**facts, **found, policy=policy)


def title_or(title: object, usual: str) -> str:
    """The title of a page: the usual one where none is asked.

    Errors:
        K122 it is no text, or empty.
    """
    if title is None:
        return usual
    if not isinstance(title, str) or not title.strip():
        choices = "a text, or None for the title that follows from the data"
        raise error("K122", argument="title", value=title, choices=choices, do="Name the page.")
    return title.strip()


def _script(*, has_rows: bool, has_curves: bool) -> str:
    """The script of a page, without what only its readers need: indents and comments."""
    whole = read("script.js").replace("//= curves.js", read("curves.js") if has_curves else "")
    whole = f"{read('rows.js')}\n{whole}" if has_rows else whole
    lines = (line.strip() for line in whole.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def read(name: str) -> str:
    """A file of the page's templates."""
    return resources.files(__package__).joinpath(_FOLDER, name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    return f"'sha256-{digest}'"


@lru_cache(maxsize=1)
def _environment() -> Environment:
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ModuleNotFoundError as problem:
        missing = problem.name or "jinja2"
        raise error("K501", feature="A page", package=missing, extra="cli") from None

    def shown(item: Any) -> Any:
        """Text without control and direction characters; what is markup already stays."""
        is_text = isinstance(item, str) and not hasattr(item, "__html__")
        return harmless(item) if is_text else item

    return Environment(
        loader=FunctionLoader(read),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def report_to_html(report: ClassReport, title: str | None = None) -> str:
    """The page of a report, as text.

    Errors:
        K501 jinja2 or matplotlib is not installed.

    Cost: the drawings take most of it, about a second; nothing depends on the number of rows.
    """
    first = listed_names(report)
    rest = [name for name in report.metrics if name not in first]
    policy = POLICIES[report.undefined].format("class")
    pairs = pairs_section(report)
    if isinstance(pairs, Notes):
        pairs = Table(pairs.title, (), (), pairs.lines)
    elif pairs is not None:
        # The matrix stands above, also where a terminal would not draw it.
        pairs = replace(pairs, notes=pairs.notes[:1])
    matrix = matrix_of(report.confusion)
    decisions, about_decisions = decisions_of(report)
    figures = figures_of(report)
    telling = [one for one in (_taken(figures, _most_telling(report)),) if one is not None]
    has_room = matrix is not None and len(matrix["names"]) <= _BESIDE
    beside: list[Any] = (
        [*telling, "matrix"] if has_room else [*telling, *(["pairs"] if pairs else [])]
    )
    if has_room and not report.is_binary:
        beside.reverse()
    shown: dict[str, Any] = {
        "title": title_or(title, title_of(report)),
        "kind": "karat report",
        "finding": finding_of(report),
        "tiles": tiles_of(report),
        "beside": beside,
        "threshold_figure": _taken(figures, "metrics-by-threshold"),
        "version": __version__,
        "facts": facts(report),
        "doubts": [one.coded for one in report.doubts],
        "warnings": (*without_doubts(report.warnings), *report.cautions),
        "level": "" if report.confidence is None else report.confidence.text,
        "metrics": metric_table(report, first),
        "more_metrics": metric_table(report, rest),
        "inexact": inexact_notes(report, list(report.metrics), ""),
        "matrix": matrix,
        "is_plain": matrix is not None and len(matrix["names"]) <= PLAIN,
        "decisions": decisions,
        "about_decisions": about_decisions,
        "best_thresholds": thresholds_section(report),
        "classes": class_table(report),
        "each": OF_CLASSES,
        "tables": [],
        "slices": list(slice_sections(report, slice_metric(report))) if first else [],
        "folds": folds_section(report, first),
        "figures": figures,
        "pairs": pairs,
        "undefined": undefined_reasons(report),
        "policy_of_undefined": f"{policy[0].upper()}{policy[1:]}.",
        "definitions": list(definitions(report)),
        "mapping": _pairs_of(report.mapping),
        "source": _pairs_of(report.source),
        "signatures": [str(report.metrics[x].signature) for x in first] or [MISSING],
    }
    data = {"matrix": matrix and matrix["data"], "decisions": decisions, "rows": None}
    # The values at a point of a curve are those at a threshold, where these are known.
    data["curves"] = None if decisions else curves_of(report)
    shown["has_rows"] = report.kept_rows is not None
    bare = page("report.html", shown, data)
    places = None if matrix is None else matrix["places"]
    n_bytes = sum(len(text.encode()) for text in (bare, read("rows.js")))
    rows = rows_on_page(report, places, n_bytes)
    if rows is None:
        return bare
    return page("report.html", shown, {**data, "rows": rows})


def _most_telling(report: ClassReport) -> str:
    """The drawing that stands on top: what is found of a rare class, else how rows are ranked."""
    prevalence = report.metrics.get("prevalence")
    if report.is_binary and prevalence is not None and is_rare(prevalence.value, has_positive=True):
        return "precision_recall"
    return "roc"


def _taken(figures: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    """A drawing, which leaves the list."""
    place = next((i for i, one in enumerate(figures) if one["id"] == name), None)
    return None if place is None else figures.pop(place)


def sets_to_html(report: SetReport, title: str | None = None) -> str:
    """The page of a report of rows with sets of labels, as text.

    Errors:
        K501 jinja2 or matplotlib is not installed.
    """
    first = list(report.metrics)
    if not lists_all(report, "headline"):
        first = [name for name in HEADLINE_OF_SETS if name in report.metrics]
    rest = [name for name in report.metrics if name not in first]
    policy = POLICIES[report.undefined].format("label or a row")
    figures = figures_of(report)
    tables: dict[str, tuple[str, list[Table | None]]] = {
        "scores-of-labels": ("Thresholds", [scores_of_labels(report)]),
        "missed": ("Missed and added", [transfers_of(report)]),
        "together": ("Wrong sets", [*patterns_of(report)]),
    }
    shown: dict[str, Any] = {
        "title": title_or(title, title_of(report)),
        "kind": "karat multilabel report",
        "finding": finding_of_sets(report),
        "tiles": tiles_of(report),
        "beside": [x for x in map(partial(_taken, figures), ("precision_recall", "roc")) if x],
        "threshold_figure": None,
        "version": __version__,
        "facts": facts_of_sets(report),
        "doubts": [one.coded for one in report.doubts],
        "warnings": (*without_doubts(report.warnings), *report.cautions),
        "level": "" if report.confidence is None else report.confidence.text,
        "metrics": metric_table(report, first),
        "more_metrics": metric_table(report, rest),
        "inexact": None,
        **dict.fromkeys(("matrix", "decisions", "best_thresholds", "pairs")),
        "is_plain": False,
        "has_rows": False,
        "about_decisions": "",
        "classes": class_table(report),
        "each": OF_LABELS,
        "tables": [
            {"id": name, "link": link, "tables": [one for one in found if one is not None]}
            for name, (link, found) in tables.items()
            if any(one is not None for one in found)
        ],
        "slices": list(slices_of_sets(report)),
        "folds": None,
        "figures": figures,
        "undefined": undefined_reasons(report),
        "policy_of_undefined": f"{policy[0].upper()}{policy[1:]}.",
        "definitions": list(definitions(report)),
        "mapping": _pairs_of(report.mapping),
        "source": _pairs_of(report.source),
        "signatures": [str(report.metrics[x].signature) for x in first] or [MISSING],
    }
    return page(
        "report.html", shown, {"matrix": None, "decisions": None, "curves": curves_of(report)}
    )


def _pairs_of(facts_: Any) -> list[tuple[str, str]]:
    """Name and text of each fact that is there."""
    return [
        (str(name), ", ".join(map(str, item if isinstance(item, list | tuple) else [item])))
        for name, item in facts_.items()
        if item is not None
    ]


def comparison_to_html(comparison: Comparison, title: str | None = None) -> str:
    """The page of a comparison, as text.

    Errors:
        K501 jinja2 is not installed.
    """
    from karat.output.forms import picture_of_comparison, picture_or_none

    document = describe_comparison(comparison)
    picture = picture_or_none(picture_of_comparison, comparison)
    found: dict[str, Any] = {
        "title": title_or(title, title_of_comparison(comparison)),
        "finding": finding_of_comparison(comparison),
        "picture": None if picture is None else picture.bare(str),
        "kind": document.title,
        "version": __version__,
        "facts": document.facts,
        "models": comparison.models,
        "level": comparison.shown_level,
        "values": [
            {
                "metric": metric,
                "better": get(metric).better or "",
                "models": _values([each[name] for name in comparison.models]),
            }
            for metric, each in comparison.values.items()
        ],
        "without_interval": values_without_interval(comparison),
        "pairs": [
            {
                "of": pair,
                "bars": _bars(comparison, pair.differences, pair.a, pair.b),
                "has_points": any(is_in_points(row[0].text) for row in pair.differences.rows),
            }
            for pair in pairs_of(comparison, in_points=True)
        ],
        "summaries": summaries_of(comparison),
        "adjusted": next((one for one in comparison.notes if one.startswith("p ")), ""),
        "doubts": [one.coded for one in comparison.doubts],
        "notes": without_doubts(comparison.notes),
    }
    return page("compare.html", found, {"matrix": None, "decisions": None, "curves": None})


def judged_to_html(report: JudgedReport, title: str | None = None) -> str:
    """The page of a report with gold labels and a judge's, as text.

    Errors:
        K501 jinja2 is not installed.
    """
    names = headline_of(report)
    tables = [*shares_tables(report), judge_table(report)]
    first, matrix = metrics_table(report, names), matrix_of(report.judge.confusion)
    metrics = [report.metrics[name] for name in names]
    limits = [x for one in metrics for x in (one.low, one.high, one.gold_low, one.gold_high)]
    known = [x for x in limits if x is not None and math.isfinite(x)]
    scale = (min(known), max(known)) if known and min(known) < max(known) else (0.0, 1.0)
    found: dict[str, Any] = {
        "title": title_or(title, "Gold labels and a judge"),
        "kind": "karat report with a judge",
        "version": __version__,
        "facts": facts_of_judged(report),
        "finding": finding_of_judged(report, names),
        "level": f"{100 * report.level:g} %",
        "metrics": first,
        "bars": [
            {
                "both": bar(one.value, one.low, one.high, scale),
                "gold": bar(one.gold_value, one.gold_low, one.gold_high, scale),
            }
            for one in metrics
        ],
        "shares": tables[0],
        "judge": tables[1],
        "matrix": matrix,
        "is_plain": matrix is not None and len(matrix["names"]) <= PLAIN,
        "doubts": [one.coded for one in report.doubts],
        "warnings": without_doubts(report.warnings),
        "notes": notes_of(report),
        "mapping": _pairs_of(report.mapping),
        "source": _pairs_of(report.source),
    }
    return page("judged.html", found, {"matrix": None, "decisions": None, "curves": None})


def _values(models: Sequence[ModelValue]) -> list[dict[str, Any]]:
    """Value of a metric for each model, with bars on one scale."""
    known = (x for one in models for x in (one.value, one.low, one.high) if x is not None)
    ends = list(filter(math.isfinite, known))
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
    """Largest distance of a difference and its limits from 0; 0 for metrics beyond [-1, 1]."""
    if max(map(abs, get(one.metric).range)) > 1:
        return 0.0
    ends = [abs(x) for x in (one.difference, one.low, one.high) if x is not None and x == x]
    return max(ends, default=0.0)
