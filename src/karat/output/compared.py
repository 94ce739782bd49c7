"""A `Comparison` as a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from karat.errors.doubts import without_doubts
from karat.errors.options import is_command_line
from karat.errors.text import cells, count, counted, interval, value
from karat.inference.p_values import p_in_cell
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
from karat.output.finding import finding_of_comparison, first_sentence
from karat.output.sections import difference_texts, missing_intervals
from karat.results.comparison import EXPLANATIONS

if TYPE_CHECKING:
    from karat.inference.comparison.records import Difference, Flips
    from karat.results.comparison import Comparison

_OF_DIFFERENCES: Final = (
    "Corrected resampled t-test (Nadeau-Bengio): it covers test rows and training sets, for "
    "models trained on as many rows as those of a fold. The tests above are about these models."
)
_VERDICTS_ON: Final = "Verdicts  about these test rows, not about another training or split"
_PAIRS_ACROSS: Final = 3
"""Pairs of models in one table of verdicts."""
_LONGEST_BESIDE: Final = 21
"""Longest name of a metric beside so many verdicts at 80 columns; beside longer ones are fewer."""
_MOST_GROUPS: Final = 6
"""The number of combinations of true and predicted labels that are listed."""
_STYLES: Final[dict[str, Style]] = {
    "better": "good",
    "worse": "bad",
    "equivalent": "good",
    "identical": "good",
}
_VERDICTS: Final = (
    "better",
    "worse",
    "higher",
    "lower",
    "equivalent",
    "identical",
    "not inferior",
    "inconclusive",
    "not tested",
)


def describe_comparison(comparison: Comparison) -> Document:
    """A table for each pair of models, metrics in the order compared; then values and notes.

    A text lists several pairs side by side, and leaves out what explains the methods.
    """
    pairs = pairs_of(comparison)
    sections: list[Section] = [table for pair in pairs for table in pair.tables]
    sections += [_values(comparison), *summaries_of(comparison)]
    sections.append(Notes("Notes", without_doubts(comparison.notes), "dim"))
    rows = sorted(set(comparison.n.values()))
    n = counted(rows[0], "row") if len(rows) == 1 else f"{rows[0]} to {rows[-1]} rows"
    same = "the same rows" if comparison.is_paired else "different rows"
    each = "label" if comparison.is_of_sets else "class"
    facts = [", ".join(comparison.models), n, counted(comparison.classes.k, each)]
    positive = comparison.classes.positive
    if positive is not None:
        facts.append(f"positive class {comparison.classes.display[positive]}")
    doubts = doubts_section(comparison.doubts)
    top = () if doubts is None else (doubts,)
    return Document(
        "karat compare",
        (*facts, same),
        (*top, *sections),
        comparison.models,
        first_sentence(finding_of_comparison(comparison)),
        (*top, *_side_by_side(comparison, pairs)) if len(pairs) > 1 else (),
    )


def _side_by_side(comparison: Comparison, pairs: Sequence[PairTables]) -> list[Table]:
    """Return the verdicts of several pairs, then the values of all models, and the notes."""
    of_pairs = [(one.a, one.b) for one in pairs]
    whole = _beside(_VERDICTS_ON, of_pairs, [one.differences for one in pairs], "verdict")
    whole[-1] = replace(whole[-1], notes=_reasons(comparison.differences))
    for i, (name, part) in enumerate(comparison.strata.items()):
        title = f"Verdicts in {name}  ({counted(part.classes.k, 'label')})"
        whole += _beside(title, of_pairs, [one.strata[i] for one in pairs], "verdict")
        whole[-1] = replace(whole[-1], notes=_reasons(part.differences))
    whole.append(_values_of_several(comparison))
    if comparison.kept_folds is not None:
        tables = _over_folds(comparison)
        title = f"Difference over {tables[0].title.rpartition(' over ')[2]}"
        whole += _beside(title, of_pairs, tables, "fold mean")
        notes = dict.fromkeys(note for table in tables for note in table.notes)
        whole[-1] = replace(whole[-1], notes=tuple(notes))
    notes_ = (*whole[-1].notes, *_short_notes(comparison))
    return [*whole[:-1], replace(whole[-1], notes=notes_)]


def _beside(
    title: str, pairs: Sequence[tuple[str, str]], tables: Sequence[Table], lead: str
) -> list[Table]:
    """Return tables of pairs as one, or as several, each of as many pairs as fit 80 columns.

    Args:
        title: of the first.
        pairs: the models of each table.
        tables: each with the same metrics.
        lead: heading of the column that stands first, under the names of the pair.
    """
    found = []
    longest = max((cells(row[0].text) for row in tables[0].rows), default=0)
    n_across = _PAIRS_ACROSS if longest <= _LONGEST_BESIDE else _PAIRS_ACROSS - 1
    for start in range(0, len(tables), n_across):
        chunk = slice(start, start + n_across)
        columns = [(tables[0].columns[0], [row[0] for row in tables[0].rows])]
        for place, ((a, b), table) in enumerate(zip(pairs[chunk], tables[chunk], strict=True)):
            heads = [column.heading for column in table.columns]
            first = heads.index(lead)
            others = [i for i, one in enumerate(table.columns) if i and not one.is_model]
            others.remove(first)
            for i in (first, *others):
                head = replace(table.columns[i], rank=_PAIRS_ACROSS + i, is_listed_below=False)
                if i == first:
                    head = TableColumn(a, head.align, rank=place, is_model=True, against=b)
                columns.append((head, [row[i] for row in table.rows]))
        shown = f"{title.partition('  ')[0]}, continued" if start else title
        found.append(Table.by_column(shown, *columns))
    return found


def _values_of_several(comparison: Comparison) -> Table:
    """The value of each model, beside the test that all are equal and the best model."""
    values = _values(comparison)
    tests, best = comparison.omnibus, comparison.best_of_several
    columns: list[tuple[TableColumn, Iterable[str | Cell]]] = [
        (column, [row[i] for row in values.rows]) for i, column in enumerate(values.columns)
    ]
    n = len(comparison.models)
    title, notes = "Values", list(values.notes)
    if tests:
        title += "  p: all models are equal"
        texts = [_p(tests[x].p) if x in tests else "" for x in comparison.values]
        columns.append((TableColumn("p", rank=n + 1), texts))
    if found := {name: one for name, one in best.items() if one.model is not None}:
        title += "; best: corrected for selection" if tests else "  best: corrected for selection"
        rows = [found.get(name) for name in comparison.values]
        columns += [
            (
                TableColumn("best", "left", rank=n, is_name=True),
                ["" if one is None else str(one.model) for one in rows],
            ),
            (
                TableColumn("corrected", rank=n, style="strong"),
                ["" if one is None else value(one.corrected) for one in rows],
            ),
        ]
        explained = {one.metric for one in comparison.differences if one.remark}
        remarks: dict[str, list[str]] = {}
        for one in found.values():
            if one.remark and one.metric not in explained:
                remarks.setdefault(one.remark, []).append(one.metric)
        notes += _with_names(remarks)
    return Table.by_column(title, *columns, notes=tuple(notes))


def _short_notes(comparison: Comparison) -> list[str]:
    """The notes without those on methods and columns that several pairs do not show."""
    methods = tuple(f"{one.method}: " for one in comparison.differences if one.method)
    left_out = ("Paired: ", *methods)
    notes = [
        note
        for note in without_doubts(comparison.notes)
        if note not in EXPLANATIONS and not note.startswith(left_out)
    ]
    rows = " and rows that one model alone has right" if comparison.flips else ""
    at = "-o compare.html" if is_command_line() else "to_html(path)"
    comma = "," if rows else " and"
    return [*notes, f"All columns{comma} methods{rows}: {at}"]


@dataclass(frozen=True)
class PairTables:
    """The tables of two models.

    Attributes:
        a, b: the models.
        differences: of every metric.
        flips: rows on which one model alone is right; None where rows are not known to be the same,
            or where there are none.
        strata: the differences in each stratum of labels.
    """

    a: str
    b: str
    differences: Table
    flips: Table | None
    strata: tuple[Table, ...]

    @property
    def tables(self) -> list[Table]:
        """Every table, in the order of reading."""
        flips = [] if self.flips is None else [self.flips]
        return [self.differences, *flips, *self.strata]


def pairs_of(comparison: Comparison, *, in_points: bool = False) -> list[PairTables]:
    """Return the tables of each pair of models, in the order compared.

    Args:
        in_points: whether differences of proportions are in percentage points.
    """
    flips, found = comparison.flips, []
    for a, b in dict.fromkeys((one.a, one.b) for one in comparison.differences):
        strata = [
            _pair(
                part, a, b, f"in {name} ({counted(part.classes.k, 'label')})  ", in_points=in_points
            )
            for name, part in comparison.strata.items()
        ]
        own = _flips(comparison, flips[a, b]) if (a, b) in flips else None
        differences = _pair(comparison, a, b, in_points=in_points)
        found.append(PairTables(a, b, differences, own, tuple(strata)))
    return found


def summaries_of(comparison: Comparison) -> list[Table]:
    """Return the tables of all models: the test that they are equal, and the best model."""
    return [*_omnibus(comparison), *_best(comparison), *_over_folds(comparison)]


def _flips(comparison: Comparison, flips: Flips) -> Table | None:
    """Predictions of both models on rows that only one has right, most rows first."""
    if not len(flips):
        return None
    is_a_first = comparison.models.index(flips.a) < comparison.models.index(flips.b)
    shown = flips.groups[:_MOST_GROUPS]
    of_a = [_predicted(one.said_a, is_right=one.gained) for one in shown]
    of_b = [_predicted(one.said_b, is_right=not one.gained) for one in shown]
    models = [(flips.a, of_a), (flips.b, of_b)]
    n_more, notes = len(flips.groups) - len(shown), []
    if n_more:
        n_rows = sum(one.n for one in flips.groups[_MOST_GROUPS:])
        kinds = counted(n_more, "other combination")
        notes.append(f"{counted(n_rows, 'row')} in {kinds}")
    return Table.by_column(
        "Predictions of rows that one model alone has right",
        (TableColumn("true", "left", is_name=True), [_label(one.true) for one in shown]),
        *(
            (TableColumn(name, "left", is_name=True, is_model=True), said)
            for name, said in (models if is_a_first else models[::-1])
        ),
        (TableColumn("rows", style="strong"), [count(one.n) for one in shown]),
        notes=tuple(notes),
    )


def _predicted(label: object, *, is_right: bool) -> Cell:
    return Cell(_label(label), "good" if is_right else "bad")


def _label(label: object) -> str:
    """A label, or a set of labels as ``cat, dog``."""
    if not isinstance(label, frozenset):
        return str(label)
    return ", ".join(sorted(map(str, label))) or "no label"


def _pair(
    comparison: Comparison, a: str, b: str, of: str = "", *, in_points: bool = False
) -> Table:
    order = {metric: place for place, metric in enumerate(comparison.metrics)}
    found = [one for one in comparison.differences if (one.a, one.b) == (a, b)]
    found.sort(key=lambda one: order[one.metric])
    head = _interval_of(comparison)
    shown = [difference_texts(one, in_points=in_points) for one in found]
    verdicts = [_verdict(one) for one in found]
    counts = Counter(cell.text for cell in verdicts)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _VERDICTS if counts[verdict])
    # Values stand in the order of the models as given; the difference is a − b.
    is_a_first = comparison.models.index(a) < comparison.models.index(b)
    columns = [
        (TableColumn(a, rank=1, is_model=True), [value(one.value_a) for one in found]),
        (TableColumn(b, rank=2, is_model=True), [value(one.value_b) for one in found]),
    ]
    return Table.by_column(
        f"{a} against {b}  {of}{told}",
        (TableColumn("metric", "left"), [one.metric for one in found]),
        *(columns if is_a_first else columns[::-1]),
        (TableColumn("diff", style="strong"), [one.difference for one in shown]),
        (TableColumn(head, "left", rank=3, style="dim"), [one.limits for one in shown]),
        (TableColumn("p", rank=4), [_p(one.p_adjusted) for one in found]),
        (TableColumn("verdict", "left", rank=5, is_listed_below=True), verdicts),
        (TableColumn("detectable", rank=6, style="dim"), [one.detectable for one in shown]),
        notes=_remarks(found),
    )


def _remarks(found: Sequence[Difference]) -> tuple[str, ...]:
    alone: dict[str, list[str]] = {}
    for one in found:
        rows = one.discordant
        if rows is not None:
            line = f"{one.a} alone is right on {_rows(rows.b)}, {one.b} alone on {_rows(rows.c)}"
            if rows.n is None:
                alone.setdefault(line, [])
            else:
                alone.setdefault(f"{line}, of {_rows(rows.n)}", []).append(one.metric)
    return (*_with_names(alone), *_reasons(found))


def _reasons(found: Sequence[Difference]) -> tuple[str, ...]:
    """The remarks on differences, each once, with the metrics it is about."""
    by_remark: dict[str, dict[str, None]] = {}
    for one in found:
        if one.remark:
            by_remark.setdefault(one.remark, {})[one.metric] = None
    return tuple(_with_names(by_remark))


def _with_names(lines: Mapping[str, Iterable[str]]) -> list[str]:
    return [f"{', '.join(names)}: {line}" if names else line for line, names in lines.items()]


def _rows(n: float) -> str:
    return counted(n, "row") if float(n).is_integer() else f"weight {value(n)}"


def _values(comparison: Comparison) -> Table:
    """The values of each model, with intervals where there is room for them."""
    head = TableColumn(_interval_of(comparison), "left", rank=len(comparison.models), style="dim")
    columns: list[tuple[TableColumn, Iterable[str]]] = []
    for i, name in enumerate(comparison.models):
        found = [each[name] for each in comparison.values.values()]
        named = TableColumn(name, rank=i, is_model=True)
        columns.append((named, [value(one.value) for one in found]))
        if len(comparison.models) < 3:
            columns.append((head, [interval(one.low, one.high) for one in found]))
    notes = values_without_interval(comparison) if len(comparison.models) < 3 else []
    head_of_all = TableColumn("metric", "left")
    return Table.by_column("Values", (head_of_all, comparison.values), *columns, notes=tuple(notes))


def values_without_interval(comparison: Comparison) -> list[str]:
    """Return the reasons why values of models have no interval."""
    return missing_intervals(
        (f"{metric} of {name}", one)
        for metric, each in comparison.values.items()
        for name, one in each.items()
    )


def _interval_of(comparison: Comparison) -> str:
    return f"{comparison.shown_level} interval"


def _over_folds(comparison: Comparison) -> list[Table]:
    """Differences of models over folds: one table for each pair; none without folds."""
    folds = comparison.kept_folds
    if folds is None:
        return []
    found = []
    n = counted(len(next(iter(folds.models.values())).axis.folds), "fold")
    for a, b in dict.fromkeys((one.a, one.b) for one in folds.differences):
        each = [one for one in folds.differences if (one.a, one.b) == (a, b)]
        notes = [_OF_DIFFERENCES]
        notes += dict.fromkeys(f"* {one.undefined}" for one in each if one.undefined)
        found.append(
            Table.by_column(
                f"{a} − {b} over {n}",
                (TableColumn("metric", "left"), [one.metric for one in each]),
                (
                    TableColumn("fold mean", style="strong"),
                    [_signed(one.fold_mean) + ("*" if one.undefined else "") for one in each],
                ),
                (
                    TableColumn(_interval_of(comparison), "left", rank=1, style="dim"),
                    [interval(one.low, one.high) for one in each],
                ),
                (TableColumn("p"), [_p(one.p_adjusted) for one in each]),
                notes=tuple(notes),
            )
        )
    return found


def _omnibus(comparison: Comparison) -> list[Table]:
    if not comparison.omnibus:
        return []
    tests = comparison.omnibus.values()
    table = Table.by_column(
        "Test that all models are equal",
        (TableColumn("metric", "left"), comparison.omnibus),
        (TableColumn("Wald"), [value(one.statistic) for one in tests]),
        (TableColumn("df"), [str(one.df) for one in tests]),
        (TableColumn("p"), [_p(one.p) for one in tests]),
    )
    return [table]


def _best(comparison: Comparison) -> list[Table]:
    """The best model by each metric that has a better direction, of three models or more."""
    found = [one for one in comparison.best_of_several.values() if one.model is not None]
    if not found:
        return []
    remarks: dict[str, list[str]] = {}
    for one in found:
        if one.remark:
            remarks.setdefault(one.remark, []).append(one.metric)
    notes = [f"{', '.join(names)}: {remark}" for remark, names in remarks.items()]
    if all(value(one.value) == value(one.corrected) for one in found):
        notes.append(
            "The best leads by so much that the correction does not change the digits shown."
        )
    table = Table.by_column(
        f"Best of {len(comparison.models)}, corrected for selection",
        (TableColumn("metric", "left"), [one.metric for one in found]),
        (TableColumn("model", "left", is_name=True), [str(one.model) for one in found]),
        (TableColumn("measured", rank=1), [value(one.value) for one in found]),
        (TableColumn("corrected", style="strong"), [value(one.corrected) for one in found]),
        (
            TableColumn(_interval_of(comparison), "left", rank=2, style="dim"),
            [interval(one.low, one.high) for one in found],
        ),
        notes=tuple(notes),
    )
    return [table]


def _verdict(one: Difference) -> Cell:
    is_enough = one.verdict == "inconclusive" and one.not_inferior
    return Cell("not inferior" if is_enough else one.verdict, _STYLES.get(one.verdict, ""))


def _signed(number: float) -> str:
    text = value(number)
    return f"+{text}" if number > 0 else text


def _p(p: float | None) -> str:
    if p is not None and p < 0.0001:
        return "<0.0001"
    return p_in_cell(p, ".2f" if p is not None and p >= 0.1 else ".4f", "–")
