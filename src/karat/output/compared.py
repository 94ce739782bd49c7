"""A `Comparison` as a document."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from karat.errors.text import counted, interval, value
from karat.output.document import Cell, Document, Notes, Style, Table, TableColumn

if TYPE_CHECKING:
    from karat.inference.comparison.records import Difference, Estimate
    from karat.results.comparison import Comparison

_STYLES: Final[dict[str, Style]] = {"better": "good", "worse": "bad", "equivalent": "good"}


def describe_comparison(comparison: Comparison) -> Document:
    """A table for each pair of models, the surest difference first; then values and notes."""
    pairs = dict.fromkeys((one.a, one.b) for one in comparison.differences)
    tables = [_pair(comparison, a, b) for a, b in pairs]
    tables += [_values(comparison), *_omnibus(comparison)]
    rows = sorted(set(comparison.n.values()))
    n = counted(rows[0], "row") if len(rows) == 1 else f"{rows[0]} to {rows[-1]} rows"
    same = "the same rows" if comparison.is_paired else "different rows"
    facts = [counted(len(comparison.models), "model"), n, counted(comparison.classes.k, "class")]
    positive = comparison.classes.positive
    if positive is not None:
        facts.append(f"positive class {comparison.classes.display[positive]}")
    sections: tuple[Table | Notes, ...] = (*tables, Notes("Notes", comparison.notes, "dim"))
    return Document("karat compare", (*facts, same), sections)


def _pair(comparison: Comparison, a: str, b: str) -> Table:
    found = [one for one in comparison.differences if (one.a, one.b) == (a, b)]
    found.sort(key=_sureness, reverse=True)
    head = f"{100 * comparison.level:g} % interval"
    return Table.by_column(
        f"{a} (a) against {b} (b)",
        (TableColumn("metric", "left"), [one.metric for one in found]),
        (TableColumn("a", rank=3), [value(one.value_a) for one in found]),
        (TableColumn("b", rank=2), [value(one.value_b) for one in found]),
        (TableColumn("a − b", style="strong"), [_signed(one.difference) for one in found]),
        (TableColumn(head, "left", rank=1, style="dim"), map(_interval, found)),
        (TableColumn("p"), [_p(one.p_adjusted) for one in found]),
        (TableColumn("verdict", "left"), map(_verdict, found)),
        (TableColumn("detectable", rank=4, style="dim"), [value(one.detectable) for one in found]),
        notes=_remarks(found),
    )


def _sureness(one: Difference) -> float:
    if not one.standard_error or math.isnan(one.difference):
        return 0.0 if not one.difference or math.isnan(one.difference) else math.inf
    return abs(one.difference) / one.standard_error


def _remarks(found: Sequence[Difference]) -> tuple[str, ...]:
    by_remark: dict[str, list[str]] = {}
    for one in found:
        if one.remark:
            by_remark.setdefault(one.remark, []).append(one.metric)
    lines = [f"{', '.join(names)}: {remark}" for remark, names in by_remark.items()]
    first = next((one for one in found if one.discordant is not None), None)
    if first is not None and first.discordant is not None:
        b, c = first.discordant.b, first.discordant.c
        told = [
            counted(x, "row") if float(x).is_integer() else f"weight {value(x)}" for x in (b, c)
        ]
        lines.insert(0, f"a alone is right on {told[0]}, b alone on {told[1]}")
    return tuple(lines)


def _values(comparison: Comparison) -> Table:
    """What each model scored; with intervals, where there is room for them."""
    has_limits = len(comparison.models) < 3

    def shown(one: Estimate) -> str:
        limits = interval(one.low, one.high) if has_limits else ""
        return f"{value(one.value)} {limits}".strip()

    columns = [
        (TableColumn(x, "left", rank=i), [shown(each[x]) for each in comparison.values.values()])
        for i, x in enumerate(comparison.models)
    ]
    return Table.by_column("Values", (TableColumn("metric", "left"), comparison.values), *columns)


def _omnibus(comparison: Comparison) -> list[Table]:
    if not comparison.omnibus:
        return []
    tests = comparison.omnibus.values()
    table = Table.by_column(
        "All models equally good?",
        (TableColumn("metric", "left"), comparison.omnibus),
        (TableColumn("Wald"), [value(one.statistic) for one in tests]),
        (TableColumn("df"), [str(one.df) for one in tests]),
        (TableColumn("p"), [_p(one.p) for one in tests]),
    )
    return [table]


def _verdict(one: Difference) -> Cell:
    is_enough = one.verdict == "not resolved" and one.not_inferior
    return Cell("not inferior" if is_enough else one.verdict, _STYLES.get(one.verdict, ""))


def _signed(number: float) -> str:
    text = value(number)
    return f"+{text}" if number > 0 else text


def _interval(one: Difference) -> str:
    if one.low is None or one.high is None:
        return ""
    return f"[{_signed(one.low)}, {_signed(one.high)}]"


def _p(p: float | None) -> str:
    if p is None:
        return "–"
    return "<0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.1 else f"{p:.2f}"
