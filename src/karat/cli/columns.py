"""`karat columns`: what the columns of a file are taken for, before anything is counted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from karat.cli.options import Described, source_of, sources

if TYPE_CHECKING:
    from karat.engines.files import Survey
    from karat.inputs.roles import Role
    from karat.render.document import Document

__all__ = ["command"]

_SHOWN: dict[Role, str] = {
    "true": "truth",
    "pred": "prediction",
    "weights": "weight",
    "score": "score",
    "prob": "probabilities",
    "confidence": "confidence",
    "id": "row id",
    "fold": "fold",
    "group": "group",
}
_OPTIONS: dict[Role, str] = {"true": "--true", "pred": "--pred", "weights": "--weight"}


@click.command(
    "columns",
    cls=Described,
    examples=["karat columns predictions.parquet"],
    no_args_is_help=True,
)
@sources
def command(predictions: tuple[str, ...]) -> None:
    """What the columns of a file are taken for; nothing is counted.

    A dry run of `karat report`: each column with its type and its role, and every role
    that two columns could fill.
    """
    from karat.engines.files import survey_files
    from karat.render.terminal import print_document

    survey = survey_files(source_of(predictions))
    print_document(_document(survey), sys.stdout)


def _document(survey: Survey) -> Document:
    from karat.render.document import Cell, Column, Document, Notes, Style, Table
    from karat.render.numbers import count, counted

    rows = []
    for name, kind in survey.columns:
        role = survey.roles.role_of(name)
        family = next((f for f in survey.roles.families if name in f.columns), None)
        if family is not None:
            # One row for all columns of a family: there are as many as classes.
            if name != family.columns[0]:
                continue
            shown = f"{family.columns[0]} … {family.columns[-1]}"
            rows.append((Cell(shown), Cell(kind), Cell(f"probabilities {family}")))
            continue
        text = "" if role is None else _SHOWN[role]
        is_ambiguous = role is not None and len(survey.roles.candidates[role]) > 1
        style: Style = "warning" if is_ambiguous else "strong" if role in _OPTIONS else ""
        rows.append((Cell(name), Cell(kind, "dim"), Cell(text + "?" * is_ambiguous, style)))
    columns = (
        Column("column", "left", is_name=True, is_whole=True),
        Column("type", "left", rank=1),
        Column("taken for", "left"),
    )
    facts = [str(name) for name in survey.source.get("files", ())[:1]] or ["SQL query"]
    n_more = len(survey.source.get("files", ())) - 1
    facts += [f"and {count(n_more)} more"] if n_more > 0 else []
    facts.append(counted(len(survey.columns), "column"))
    if survey.n_rows is not None:
        facts.append(counted(survey.n_rows, "row"))
    sections = (Table("Columns", columns, tuple(rows)), Notes("Mapping", tuple(_mapping(survey))))
    return Document("karat columns", tuple(facts), sections)


def _mapping(survey: Survey) -> list[str]:
    """What a report would use, or what keeps it from knowing."""
    lines, settled = [], []
    for role, option in _OPTIONS.items():
        found = survey.roles.candidates.get(role, ())
        name = _SHOWN[role]
        if len(found) > 1:
            lines.append(f"{name}: {', '.join(found)} could each be it; name one with {option}.")
        elif not found and role != "weights":
            lines.append(f"{name}: no column has a usual name; name it with {option}.")
        else:
            settled.append(f"{name}={found[0] if found else 'none'}")
    unused = [_SHOWN[role] for role in ("score", "prob") if survey.roles.candidates.get(role)]
    if survey.roles.families or unused:
        lines.append("Probabilities and scores are found and not used: reports read labels.")
    return [", ".join(settled), *lines] if settled else lines
