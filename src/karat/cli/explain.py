"""`karat explain`: the plan of a computation, before it is made."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from karat.cli.options import Described

if TYPE_CHECKING:
    from karat.metrics import Metric

_TITLES = {
    "cells": "From the cells: rows by true × predicted class",
    "class totals": "From class totals: true positives, false positives, false negatives",
    "losses": "From losses: sums over the rows, all in one pass over the scores",
    "cumulative counts": "From cumulative counts: columns of scores, each sorted once for all "
    "metrics that read it",
    "pairs": "From pairs of classes: the rows of both, sorted by the difference of their scores",
}
"""Description of each tally of a plan, in the order of `karat.metrics.plan`."""


@click.command("explain", cls=Described, examples=["karat explain macro_f1 mcc"])
@click.argument("metrics", nargs=-1, metavar="[METRIC…]")
def command(metrics: tuple[str, ...]) -> None:
    """Show what would be computed, from which counts, in how many passes.

    Without METRIC, the plan of a whole report.
    """
    from karat.cli.options import listed
    from karat.errors.text import counted
    from karat.metrics import get
    from karat.metrics.plan import Plan, tally_of
    from karat.output.document import Cell, Document, Notes, Section, Table, TableColumn
    from karat.output.terminal import print_document

    names = [name for text in metrics for name in listed(text) or ()]
    plan = Plan.of(names or None)
    chosen = [get(name) for name in plan.metrics]
    sections: list[Section] = []
    for tally, title in _TITLES.items():
        found = [metric for metric in chosen if tally_of(metric) == tally]
        if found:
            sections.append(Notes(title, tuple(_grouped(found))))
    columns = (TableColumn("", "left"), TableColumn("", "left", is_prose=True))
    for metric in chosen if names else ():
        facts = [("definition", metric.definition), ("undefined when", metric.undefined_when)]
        rows = tuple((Cell(name, "dim"), Cell(text)) for name, text in facts if text)
        sections.append(Table(str(metric), columns, rows))
    told = ["one pass over the rows", counted(len(chosen), "metric")]
    if any(metric.needs_scores for metric in chosen):
        told.append("metrics of scores if there are scores")
    print_document(Document("karat explain", tuple(told), tuple(sections)), sys.stdout)


def _grouped(found: list[Metric]) -> list[str]:
    """One line a record, with the averages that are wanted of it."""
    by_record: dict[str, list[str]] = {}
    for metric in found:
        by_record.setdefault(metric.record.name, []).append(metric.lift)
    return [
        f"{name} ({', '.join(lifts)})" if lifts != ["plain"] else name
        for name, lifts in by_record.items()
    ]
