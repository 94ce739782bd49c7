"""A `JudgedReport` as a document: estimates, proportions of the classes, quality of the judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

from karat.errors.doubts import without_doubts
from karat.errors.text import count, counted, interval, value
from karat.metrics.headlines import headline
from karat.output.describe import COLUMNS, shown_columns, shown_role, without_same
from karat.output.document import Document, Notes, Section, Table, TableColumn, doubts_section
from karat.output.finding import Clause, first_sentence
from karat.output.sections import confusion_section
from karat.tally.score_kind import KINDS, UNITS

if TYPE_CHECKING:
    from karat.results.judged import JudgedReport, JudgedShare

_OF_JUDGE: Final = ("accuracy", "kappa", "matthews_correlation")
_OF_TWO: Final = ("accuracy", "recall", "specificity", "kappa", "matthews_correlation")
_ROLES: Final = ("y_true", "judge", "y_pred", *KINDS, "weights", "gold_weights", "clusters")
_MOST_SHARES: Final = 24


def describe_judged(
    report: JudgedReport, metrics: Literal["headline", "all"] = "headline"
) -> Document:
    """Return the document of a report with gold labels and a judge's."""
    names = headline_of(report, metrics)
    sections: list[Section | None] = [
        _columns(report),
        doubts_section(report.doubts),
        metrics_table(report, names),
        *shares_tables(report),
        judge_table(report),
        _confusion(report),
        Notes("Notes", notes_of(report), "dim"),
    ]
    warnings = without_doubts(report.warnings)
    if warnings:
        sections.append(Notes("Warnings", warnings, "warning"))
    found = tuple(section for section in sections if section is not None)
    finding = first_sentence(finding_of_judged(report, names))
    return Document("karat report with a judge", facts_of(report), found, finding=finding)


def facts_of(report: JudgedReport) -> tuple[str, ...]:
    """Return the facts in the line under the title."""
    n_rest = report.n_rows - report.n_gold
    facts = [
        f"{counted(report.n_gold, 'gold label')}",
        f"{counted(n_rest, 'row')} with the judge's label alone",
        counted(report.classes.k, "class"),
    ]
    if report.classes.positive is not None:
        facts.append(f"positive class {report.classes.display[report.classes.positive]}")
    return tuple(facts)


def headline_of(report: JudgedReport, which: str = "headline") -> list[str]:
    """Return the metrics at the top: those requested, else those for this kind of problem."""
    if report.requested is not None or which == "all" or report.gold is None:
        return list(report.listed)
    kind = report.gold.scores
    names = headline(
        report.classes.k,
        has_positive=report.classes.positive is not None,
        has_probabilities=UNITS.get(kind) == "probability",
        has_scores=kind == "scores",
    )
    return without_same([name for name in names if name in report.listed], report.gold)


def metrics_table(report: JudgedReport, names: Sequence[str]) -> Table | None:
    """Return the estimates beside those of the gold rows and of the judge alone."""
    if not names:
        return None
    found = [report.metrics[name] for name in names]
    remarks: dict[str, list[str]] = {}
    for one in found:
        if one.remark is not None:
            remarks.setdefault(one.remark, []).append(one.name)
    return Table.by_column(
        f"Metrics  estimated from gold and judge labels, {100 * report.level:g} % intervals",
        (TableColumn("metric", "left"), names),
        (TableColumn("value", style="strong"), [value(one.value) for one in found]),
        (TableColumn("interval"), [interval(one.low, one.high) for one in found]),
        (TableColumn("gold alone", rank=3), [value(one.gold_value) for one in found]),
        (
            TableColumn("gold interval", rank=1),
            [interval(one.gold_low, one.gold_high) for one in found],
        ),
        (TableColumn("judge alone", rank=4), [value(one.judge_value) for one in found]),
        (TableColumn("judge weight", rank=5), [value(one.judge_weight) for one in found]),
        (TableColumn("worth", rank=2), [count(round(one.n_effective)) for one in found]),
        notes=tuple(f"{', '.join(each)}: {remark}" for remark, each in remarks.items()),
    )


def shares_tables(report: JudgedReport) -> list[Table]:
    """Return the proportions of the classes by every method."""
    shown, notes = list(report.shares), []
    if len(shown) > _MOST_SHARES:
        shown = sorted(shown, key=lambda one: -one.value)[:_MOST_SHARES]
        notes.append(f"{len(report.shares) - _MOST_SHARES} classes not listed: --format json")
    remarks = {one.remark for one in shown if one.remark is not None}
    notes += [f"No corrected proportion: {remark}." for remark in sorted(remarks)]
    return [
        Table.by_column(
            f"Classes  proportions with {100 * report.level:g} % intervals",
            (TableColumn("class", "left", is_name=True), [one.name for one in shown]),
            (TableColumn("proportion", style="strong"), [value(one.value) for one in shown]),
            (TableColumn("interval"), [interval(one.low, one.high) for one in shown]),
            (TableColumn("gold alone", rank=1), [value(one.gold_value) for one in shown]),
            (
                TableColumn("gold interval", rank=3),
                [interval(one.gold_low, one.gold_high) for one in shown],
            ),
            (TableColumn("judge alone", rank=2), [value(one.judge_value) for one in shown]),
            (TableColumn("Rogan–Gladen", rank=2), [value(one.corrected) for one in shown]),
            (TableColumn("Rogan–Gladen interval", rank=4), [_corrected(one) for one in shown]),
            (TableColumn("judge weight", rank=5), [value(one.judge_weight) for one in shown]),
            (TableColumn("worth", rank=6), [count(round(one.n_effective)) for one in shown]),
            notes=tuple(notes),
        )
    ]


def _corrected(one: JudgedShare) -> str:
    return interval(one.corrected_low, one.corrected_high)


def judge_table(report: JudgedReport) -> Table:
    """Return the quality of the judge on the gold rows."""
    names = _OF_JUDGE if report.classes.positive is None else _OF_TWO
    found = [report.judge[name] for name in names]
    return Table.by_column(
        "Judge  against the gold labels",
        (TableColumn("metric", "left"), [one.name for one in found]),
        (TableColumn("value", style="strong"), [value(one.value) for one in found]),
        (TableColumn("interval"), [interval(one.low, one.high) for one in found]),
    )


def _confusion(report: JudgedReport) -> Section | None:
    found = confusion_section(report.judge.confusion)
    if found is None:
        return None
    unit = "  sums of weights" if report.judge.cells.is_weighted else ""
    return replace(found, title=f"Confusion of the judge{unit}")


def _columns(report: JudgedReport) -> Notes | None:
    if not report.mapping:
        return None
    return Notes(COLUMNS, (shown_roles(report.mapping),), "dim")


def shown_roles(mapping: Mapping[str, Any]) -> str:
    """Return the columns by role in one line: ``y_true=human, judge=llm, y_pred=pred``."""
    parts = []
    for role in _ROLES:
        names = mapping.get(role)
        if names:
            columns = names if isinstance(names, str) else shown_columns(names)
            parts.append(f"{shown_role(role)}={columns}")
    return ", ".join(parts)


def notes_of(report: JudgedReport) -> tuple[str, ...]:
    """Return sentences on the method."""
    notes = []
    if report.listed:
        notes.append(
            "Value: the metric of the gold rows, plus the judge weight λ times the difference of "
            "the other rows from the gold rows by the judge's labels (prediction-powered "
            "inference, PPI++). At weight 0 the gold rows count alone. Errors of the judge make "
            "intervals wider, but do not bias the value."
        )
    else:
        notes.append(
            "There are no predictions: the proportions of the verdicts are estimated from the gold "
            "rows and the judge's labels (prediction-powered inference, PPI++)."
        )
    notes.append(
        "Gold alone: the gold rows without the judge. Judge alone: the judge's labels taken as the "
        "truth; its errors bias it. Rogan–Gladen: the judge's proportions, corrected by its "
        "confusion matrix."
    )
    notes.append(
        "Worth: the number of gold labels that would give as narrow an interval without a judge."
    )
    if report.has_gold_weights:
        notes.append(
            "Gold rows are weighted by the inverse of their probability of being chosen, also in "
            "the quality and the confusion matrix of the judge."
        )
    else:
        notes.append("Gold rows are treated as a random part of all rows.")
        if report.judge.cells.is_weighted:
            notes.append("The quality and the confusion matrix of the judge are weighted.")
    if report.is_clustered:
        notes.append("Rows of a cluster count together.")
    return tuple(notes)


_MOST_NAMED: Final = 3


def finding_of_judged(report: JudgedReport, names: Sequence[str]) -> list[Clause]:
    """Return the sentences that open a page: estimates, what the judge gains, its quality."""
    clauses = []
    for name in names[:_MOST_NAMED]:
        one = report.metrics[name]
        called = name[:1].upper() + name[1:].replace("_", " ")
        alone = _with_limits(one.gold_value, one.gold_low, one.gold_high)
        worth = f"the judge makes {report.n_gold} gold labels worth {round(one.n_effective)}"
        texts = [
            f"{called} is {_with_limits(one.value, one.low, one.high)}.",
            f"Gold labels alone give {alone}.",
            f"For {name.replace('_', ' ')}, {worth}.",
        ]
        clauses += [Clause(text, "metrics") for text in texts]
    if not names:
        for share in sorted(report.shares, key=lambda x: -x.value)[:_MOST_NAMED]:
            text = f"{share.name} is {_with_limits(share.value, share.low, share.high)} of the rows"
            alone = _with_limits(share.gold_value, share.gold_low, share.gold_high)
            texts = [f"{text}.", f"Gold labels alone give {alone}."]
            clauses += [Clause(each, "shares") for each in texts]
    right = report.judge["accuracy"]
    limits = _with_limits(right.value, right.low, right.high)
    clauses.append(
        Clause(f"The judge agrees with the gold labels in {limits} of the rows.", "judge")
    )
    return clauses


def _with_limits(number: float, low: float | None, high: float | None) -> str:
    limits = interval(low, high)
    return f"{value(number)} {limits}" if limits else value(number)
