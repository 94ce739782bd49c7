"""`karat metrics`: the catalogue of metrics."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from karat.cli.options import Described

if TYPE_CHECKING:
    from karat.metrics import Metric
    from karat.render.document import Document

__all__ = ["command"]


@click.command(
    "metrics",
    cls=Described,
    examples=["karat metrics", "karat metrics macro_f1", "karat metrics agreement by chance"],
)
@click.argument("text", nargs=-1, metavar="[NAME | WORDS…]")
def command(text: tuple[str, ...]) -> None:
    """The catalogue: every metric, its definition, its other names.

    A name shows all that is known of that metric; other words search the catalogue.
    """
    from karat.errors import UnknownNameError
    from karat.metrics import get, search
    from karat.render.terminal import print_document

    words = " ".join(text)
    if not words:
        print_document(_list("karat metrics", search("")), sys.stdout)
        return
    try:
        metric = get(words)
    except UnknownNameError:
        found = search(words)
        if not found:
            raise
        print_document(_list(f"karat metrics · {words}", found), sys.stdout)
        return
    print_document(_one(metric), sys.stdout)


def _list(title: str, found: list[Metric]) -> Document:
    from karat.render.document import Cell, Column, Document, Notes, Section, Table
    from karat.render.numbers import counted

    by_family: dict[str, list[Metric]] = {}
    for metric in found:
        by_family.setdefault(metric.record.family, []).append(metric)
    width = max(len(metric.name) for metric in found)
    columns = (Column("", "left"), Column("", "left", is_prose=True))
    sections: list[Section] = [
        Table(
            family,
            columns,
            tuple((Cell(m.name.ljust(width), "strong"), Cell(m.summary)) for m in members),
        )
        for family, members in by_family.items()
    ]
    notes = (
        "Metrics of one class also come as macro_, micro_ and weighted_ averages.",
        "karat metrics NAME shows all that is known of one.",
    )
    sections.append(Notes("More", notes, "dim"))
    return Document(title, (counted(len(found), "metric"),), tuple(sections))


def _one(metric: Metric) -> Document:
    from karat.render.document import Cell, Column, Document, Notes, Section, Table

    record = metric.record
    low, high = (f"{limit:g}".replace("inf", "∞") for limit in metric.range)
    better = {"higher": "higher is better", "lower": "lower is better"}
    facts = [f"from {low} to {high}", better.get(metric.better or "", "no direction is better")]
    lines = [
        ("definition", metric.definition),
        ("undefined when", metric.undefined_when or "never"),
        ("also called", ", ".join(metric.aliases)),
        ("averages", ", ".join(f"{average}_{record.name}" for average in record.averages)),
        *((item.name, item.text) for item in record.parameters),
        *((f"in {library}", name) for library, name in record.equals.items()),
        *(("reference", text) for text in record.references),
    ]
    columns = (Column("", "left"), Column("", "left", is_prose=True))
    rows = tuple((Cell(name, "dim"), Cell(text)) for name, text in lines if text)
    meaning = (metric.summary, *_paragraphs(record.description))
    sections: list[Section] = [Notes("Meaning", meaning), Table("Facts", columns, rows)]
    return Document(str(metric), tuple(facts), tuple(sections))


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
