"""`karat columns`: what the columns of a file are taken for, and what is in doubt."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from karat.cli.options import (
    WRONG_INPUT,
    Described,
    columns_given,
    groups_of,
    labels_of,
    options,
    shown_mapping,
    source_of,
    sources,
)

if TYPE_CHECKING:
    from karat.data.roles import Role
    from karat.data.scores.columns import ScoreColumns
    from karat.data.sources.files.counted import Survey
    from karat.errors import KaratError
    from karat.output.document import Document, Section

_SHOWN: dict[str, str] = {
    "true": "truth",
    "pred": "prediction",
    "weights": "weight",
    "score": "scores",
    "prob": "probabilities",
    "confidence": "confidence",
    "id": "row id",
    "fold": "fold",
    "group": "group",
    "clusters": "clusters",
}
_OPTIONS: dict[Role, str] = {"true": "--true", "pred": "--pred", "weights": "--weight"}


@click.command(
    "columns",
    cls=Described,
    examples=[
        "karat columns predictions.parquet",
        "karat columns predictions.parquet --positive fraud",
    ],
    no_args_is_help=True,
)
@sources
@options("true", "pred", "prob", "score", "threshold", "weight", "cluster", "id")
@options("by", "where", "labels", "positive", "nulls")
def command(predictions: tuple[str, ...], where: str | None, **given: Any) -> int:
    """What the columns of a file are taken for, and what is in doubt.

    A dry run of `karat report`: each column with its type and its role, every role that two
    columns could fill, and each doubt with the option of `karat report` that settles it. Options
    that are given are tried. Rows are read, and no metric is computed. Exit code 2: a report
    cannot be made before a question is settled.
    """
    from karat.api.check import checked_with
    from karat.data.sources.files.counted import survey_files
    from karat.data.sources.files.paths import is_read_once
    from karat.output.checked import sections_of_check
    from karat.output.terminal import print_document

    source = source_of(predictions)
    survey = survey_files(source)
    columns = {name: value for name, value in columns_given(given).items() if value is not None}
    document, code = _document(survey), 0
    if not is_read_once(source):
        asked = {name: given[name] for name in ("positive", "threshold", "nulls")}
        asked |= {"y_true": source, "labels": labels_of(given["labels"]), **columns}
        asked["by"] = list(groups_of(given["by"])) or None
        found = checked_with(asked, {"where": where, "labels_are_text": True})
        code = 0 if found.problem is None else WRONG_INPUT
        if columns:
            mapping = found.mapping or {**_found_by_name(survey, columns), **columns}
            document = _document(survey, mapping, is_settled=bool(found.mapping))
        # Roles that cannot be found are listed with the columns.
        is_known = found.problem is not None and found.problem.code in ("K405", "K406")
        is_known = is_known and not columns
        sections = [] if is_known else sections_of_check(found, has_columns=False)
        document = replace(document, sections=(*document.sections, *sections))
    print_document(document, sys.stdout)
    return code


def _found_by_name(survey: Survey, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of roles that were found by their names."""
    known: dict[str, Any] = {r: names[0] for r, names in survey.roles.candidates.items() if names}
    if "prob" in columns or "score" in columns:
        known = {role: name for role, name in known.items() if role not in ("prob", "score")}
    return known


def _document(
    survey: Survey, mapping: Mapping[str, Any] | None = None, *, is_settled: bool = True
) -> Document:
    """Return the columns and what they are taken for.

    Args:
        mapping: column by role where some were named.
        is_settled: whether a report can be made of them.
    """
    from karat.data.scores.columns import found_scores, role_of_family
    from karat.errors import KaratError
    from karat.errors.text import count, counted
    from karat.output.document import Cell, Document, Notes, Style, Table, TableColumn

    scores: ScoreColumns | None = None
    problem: KaratError | None = None
    notes: list[str] = []
    try:
        scores, notes = found_scores(survey.roles)
    except KaratError as refused:
        problem = refused
    rows = []
    taken: dict[str, str] = {}
    for of_role, named in (mapping or {}).items():
        taken |= dict.fromkeys([named] if isinstance(named, str) else named or (), of_role)
    for name, kind in survey.columns:
        if mapping is not None:
            text = _SHOWN.get(taken.get(name, ""), "")
            rows.append((Cell(name), Cell(kind, "dim"), Cell(text, "strong")))
            continue
        role = survey.roles.role_of(name)
        family = next((f for f in survey.roles.families if name in f.columns), None)
        if family is not None:
            # One row for all columns of a family: there are as many as classes.
            if name == family.columns[0]:
                shown = f"{family.columns[0]} … {family.columns[-1]}"
                role, mark = role_of_family(family), "" if problem is None else "?"
                text = "" if role is None else f"{_SHOWN[role]} {family}{mark}"
                look: Style = "" if role is None else "warning" if mark else "strong"
                rows.append((Cell(shown), Cell(kind, "dim"), Cell(text, look)))
            continue
        text = "" if role is None else _SHOWN[role]
        is_score = role in ("prob", "score")
        is_ambiguous = role is not None and len(survey.roles.candidates[role]) > 1
        is_ambiguous |= is_score and problem is not None
        is_used = role in _OPTIONS or is_score
        style: Style = "warning" if is_ambiguous else "strong" if is_used else ""
        rows.append((Cell(name), Cell(kind, "dim"), Cell(text + "?" * is_ambiguous, style)))
    columns = (
        TableColumn("column", "left", is_name=True, is_whole=True),
        TableColumn("type", "left", rank=1),
        TableColumn("taken for", "left"),
    )
    facts = [str(name) for name in survey.source.get("files", ())[:1]] or ["SQL query"]
    n_more = len(survey.source.get("files", ())) - 1
    facts += [f"and {count(n_more)} more"] if n_more > 0 else []
    facts.append(counted(len(survey.columns), "column"))
    if survey.n_rows is not None:
        facts.append(counted(survey.n_rows, "row"))
    lines = [*_mapping(survey, scores, problem), *notes]
    if mapping is not None:
        lines = [shown_mapping(mapping)] if is_settled else []
    found: list[Section] = [Table("Columns", columns, tuple(rows))]
    found += [Notes("Mapping", tuple(lines))] if lines else []
    return Document("karat columns", tuple(facts), tuple(found))


def _mapping(survey: Survey, scores: ScoreColumns | None, problem: KaratError | None) -> list[str]:
    """What a report would use, or what keeps it from knowing."""
    from karat.output.describe import shown_columns

    lines, settled = [], []
    for role, option in _OPTIONS.items():
        found = survey.roles.candidates.get(role, ())
        name = _SHOWN[role]
        if len(found) > 1:
            lines.append(f"{name}: {', '.join(found)} could each be it; name one with {option}.")
        elif found or role == "weights":
            settled.append(f"{name}={found[0] if found else 'none'}")
        elif role == "pred" and scores is not None:
            settled.append(f"{name}=largest {'probability' if scores.role == 'prob' else 'score'}")
        elif role == "pred" and problem is None:
            line = f"{name}: no column has a usual name; name it with {option}."
            lines.append(f"{line} Or name probabilities with --prob, scores with --score.")
        elif role == "true":
            lines.append(f"{name}: no column has a usual name; name it with {option}.")
    if scores is not None:
        settled.append(f"{_SHOWN[scores.role]}={shown_columns(scores.names)}")
    if problem is not None:
        candidates = problem.context["candidates"]
        lines.append(
            f"probabilities or scores: {candidates} could each be they; name one with --prob or "
            "--score. --prob '' --score '' leaves them out."
        )
    return [", ".join(settled), *lines] if settled else lines
