"""`karat metrics`: the catalogue of metrics."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

import click

from karat.cli.options import Described

if TYPE_CHECKING:
    from karat.metrics import Metric, Record
    from karat.output.document import Document


@click.command(
    "metrics",
    cls=Described,
    examples=["karat metrics", "karat metrics macro_f1", "karat metrics agreement by chance"],
)
@click.argument("text", nargs=-1, metavar="[NAME | WORDS…]")
def command(text: tuple[str, ...]) -> None:
    """List every metric with its definition and its other names.

    The name of a metric shows its details; other words search the catalog.
    """
    from karat.metrics import search
    from karat.output.terminal import print_document

    words = " ".join(" ".join(text).split())
    metric = _named(words) if words else None
    if metric is not None:
        print_document(_one(metric), sys.stdout)
    else:
        title = f"karat metrics · {words}" if words else "karat metrics"
        print_document(_list(title, search(words)), sys.stdout)


def _named(words: str) -> Metric | None:
    """The metric of that name, words joined as names are; None where words describe others."""
    from karat.errors import UnknownNameError
    from karat.errors.reasons import ParametersError
    from karat.metrics import get, search

    try:
        return get(words if "(" in words else words.replace(" ", "_"))
    except UnknownNameError:
        if search(words):
            return None
        raise
    except ParametersError:
        # A metric whose parameters have no default is known by its name all the same.
        same = [metric for metric in search(words) if words in (metric.name, *metric.aliases)]
        if not same:
            raise
        return same[0]


def _list(title: str, found: list[Metric]) -> Document:
    from karat.errors.text import counted
    from karat.output.document import Cell, Document, Notes, Section, Table, TableColumn

    by_family: dict[str, list[Metric]] = {}
    for metric in found:
        by_family.setdefault(metric.record.family, []).append(metric)
    columns = (TableColumn("", "left"), TableColumn("", "left", is_prose=True))
    sections: list[Section] = []
    for family, members in by_family.items():
        listed = []
        for metric in members:
            record = metric.record
            # Averages whose names do not begin with the average have a line of their own.
            listed += [(metric.name, metric.summary)]
            listed += [(x, f"{record.name}, {y} average.") for y, x in record.lift_names.items()]
        width = max(len(name) for name, _ in listed)
        rows = tuple((Cell(name.ljust(width), "strong"), Cell(text)) for name, text in listed)
        sections.append(Table(family, columns, rows))
    notes = [
        "Metrics of one class also come as macro_, micro_ and weighted_ averages.",
        "For rows with sets of labels, rates also come as samples_ averages.",
        "karat metrics NAME shows the details of a metric.",
    ]
    of_scores = dict.fromkeys(metric.record.family for metric in found if metric.needs_scores)
    if of_scores:
        notes.insert(1, f"Read from probabilities or scores: {', '.join(of_scores)}.")
    sections.append(Notes("More", tuple(notes), "dim"))
    return Document(title, (counted(len(found), "metric"),), tuple(sections))


def _one(metric: Metric) -> Document:
    from karat.output.document import Cell, Document, Notes, Section, Table, TableColumn

    record = metric.record
    low, high = (f"{limit:g}".replace("inf", "∞") for limit in metric.range)
    better = {"higher": "higher is better", "lower": "lower is better"}
    facts = [
        f"from {low} to {high}",
        better.get(metric.better or "", "neither direction is better"),
    ]
    lines = [
        ("definition", metric.definition),
        ("function", _function(metric)),
        ("read from", _read_from(metric)),
        ("undefined when", metric.undefined_when or "never"),
        ("also called", ", ".join(metric.aliases)),
        ("averages", ", ".join(record.lifted(average) for average in record.averages)),
        *((item.name, item.text + " Required." * item.is_required) for item in record.parameters),
        *_elsewhere(record),
        *(("reference", text) for text in record.references),
    ]
    columns = (TableColumn("", "left"), TableColumn("", "left", is_prose=True))
    rows = tuple((Cell(name, "dim"), Cell(text)) for name, text in lines if text)
    paragraphs = (" ".join(part.split()) for part in record.description.split("\n\n"))
    meaning = (metric.summary, *filter(None, paragraphs))
    sections: list[Section] = [
        Notes("Meaning", meaning, is_prose=True),
        Table("Facts", columns, rows),
    ]
    return Document(str(metric), tuple(facts), tuple(sections))


def _read_from(metric: Metric) -> str:
    """Which outputs of a model a metric of scores reads."""
    if not metric.needs_scores:
        return ""
    if metric.record.reads_probabilities:
        return "probabilities (y_prob) or logits (y_logit)"
    return "probabilities (y_prob), logits (y_logit) or scores (y_score)"


def _function(metric: Metric) -> str:
    """The call of the function of a metric, with the names of what it takes."""
    from karat.api.functions import signature_of

    has_average = metric.record.is_per_class and metric.lift == "plain"
    found = signature_of(metric.record, has_average).parameters.values()
    names = (x.name if x.kind is x.POSITIONAL_OR_KEYWORD else f"{x.name}=" for x in found)
    name = metric.name if metric.lift != "per_class" else metric.record.name
    return f"karat.{name}({', '.join(names)})"


def _elsewhere(record: Record) -> Iterator[tuple[str, str]]:
    """Each library and its calls that give the number, a line each."""
    for library, claims in groupby(record.equals, key=lambda item: item.library):
        for place, claim in enumerate(claims):
            yield f"in {library}" * (not place), claim.text
