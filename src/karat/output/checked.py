"""A `Check` as a document."""

from __future__ import annotations

from karat.errors.text import counted
from karat.output.describe import COLUMNS, shown_mapping
from karat.output.document import Cell, Document, Notes, Section, Table, TableColumn, doubts_section
from karat.results.check import Check


def describe_check(check: Check) -> Document:
    """Return the document of a check."""
    facts = []
    if check.classes is not None:
        facts = [
            counted(check.n_rows, "row"),
            counted(check.classes.k, "label" if check.has_sets else "class"),
        ]
        if check.classes.positive is not None:
            facts.append(f"positive class {check.classes.display[check.classes.positive]}")
        facts += [check.scores] if check.scores else []
    return Document("karat check", tuple(facts), tuple(sections_of_check(check)))


def sections_of_check(check: Check, *, has_columns: bool = True) -> list[Section]:
    """Return the results that are available, what others need, and the doubts.

    Args:
        has_columns: whether the columns by role are listed.
    """
    found: list[Section] = []
    if check.mapping and has_columns:
        facts = {"of_sets": check.has_sets, "has_predictions": check.has_predictions}
        shown = shown_mapping(check.mapping, check.threshold, **facts)
        found.append(Notes(COLUMNS, (shown,), "dim"))
    if check.problems:
        lines = tuple(line.strip() for one in check.problems for line in str(one).splitlines())
        found.append(Notes("Resolve before making a report", lines, "warning"))
    if (doubts := doubts_section(check.doubts)) is not None:
        found.append(doubts)
    if check.abilities:
        columns = (
            TableColumn("result", "left", is_name=True, is_whole=True),
            TableColumn("available", "left"),
            TableColumn("needs", "left"),
        )
        rows = tuple(
            (
                Cell(one.what),
                Cell("yes" if one.is_there else "no", "good" if one.is_there else "dim"),
                Cell(one.needs),
            )
            for one in check.abilities
        )
        found.append(Table("Available results", columns, rows))
    if check.warnings:
        found.append(Notes("Warnings", check.warnings, "warning"))
    return found
