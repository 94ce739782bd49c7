"""`karat columns`: detected roles of columns, and what is in doubt."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from karat.cli.options import (
    WRONG_INPUT,
    Described,
    record_options,
    request_of,
    shown_mapping,
    source_of,
    sources,
)

if TYPE_CHECKING:
    from karat.data.roles import ProbabilityColumns, Role
    from karat.data.scores.columns import ScoreColumns
    from karat.data.sources.files.counted import Survey
    from karat.errors import KaratError
    from karat.output.document import Document, Table

_SHOWN: dict[str, str] = {
    "true": "truth",
    "pred": "prediction",
    "weights": "weight",
    "logit": "logits",
    "score": "scores",
    "prob": "probabilities",
    "confidence": "confidence",
    "id": "row id",
    "ids": "row id",
    "fold": "fold",
    "folds": "fold",
    "repeat": "repeat",
    "holdout": "held-out fold",
    "train_size": "number of training rows",
    "group": "group",
    "clusters": "clusters",
}
_SCORES: Final = ("prob", "logit", "score")
_OPTIONS: dict[Role, str] = {"true": "--true", "pred": "--pred", "weights": "--weights"}
_USED = (*_OPTIONS, *_SCORES)
_NAMED = ("true", "pred", *_SCORES, "weights", "clusters", "ids", "folds")


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
@record_options("columns")
def command(predictions: tuple[str, ...], **typed: Any) -> int:
    """Show the detected role of each column, and what is in doubt.

    A dry run of `karat report`: each column with its type and its role, every role that two
    columns could fill, and each doubt with the option of `karat report` that settles it. Pass
    options to try them. Rows are read, and no metric is computed. Exit code 2: a report cannot
    be made until a question is answered.
    """
    from karat.api.check import check_of
    from karat.api.sources import formats_of
    from karat.data.sources.files.counted import survey_files
    from karat.data.sources.files.paths import is_read_once
    from karat.errors.reasons import ManyColumnsError, NoColumnError
    from karat.output.checked import sections_of_check
    from karat.output.terminal import print_document

    source = source_of(predictions)
    request = request_of("columns", "check", typed, y_true=source)
    survey = survey_files(source, formats_of(request))
    columns = {name: getattr(request, name) for name in _NAMED if request.is_given(name)}
    if is_read_once(source):
        print_document(_document(survey, {}, {}), sys.stdout)
        return 0
    found = check_of(request.but(by=list(request.by) or None))
    mapping = found.mapping if columns else {}
    document = _document(survey, columns, mapping, request.threshold, of_sets=found.has_sets)
    # Roles that cannot be found are listed with the columns.
    is_known = isinstance(found.problem, ManyColumnsError | NoColumnError) and not columns
    sections = [] if is_known else sections_of_check(found, has_columns=False)
    print_document(replace(document, sections=(*document.sections, *sections)), sys.stdout)
    return 0 if found.problem is None else WRONG_INPUT


def _roles(
    survey: Survey, named: Mapping[str, Any], mapping: Mapping[str, Any], *, is_asked: bool
) -> Iterator[tuple[str, str, ProbabilityColumns | None]]:
    """Iterate over the columns: a name, its role with a mark where others could fill it, a family.

    Args:
        named: column by role, of the roles that the caller named.
        mapping: the columns that a report with them reads; empty if unknown.
        is_asked: whether columns could each hold the probabilities or scores.
    """
    from karat.api.request.roles import COLUMNS
    from karat.data.scores.columns import role_of_family

    settled = {*named, *(_USED if mapping else ())}
    settled |= {*_SCORES} if settled & {*_SCORES} else set()
    taken = {
        name: role
        for role, columns in {**named, **{COLUMNS.get(x, x): y for x, y in mapping.items()}}.items()
        for name in ([columns] if isinstance(columns, str) else columns or ())
    }
    families = {name: family for family in survey.roles.families for name in family.columns}
    for name, _ in survey.columns:
        family = families.get(name)
        role = survey.roles.role_of(name) if family is None else role_of_family(family)
        is_one_of_many = family is None and role and len(survey.roles.candidates[role]) > 1
        mark = "?" if is_one_of_many or (is_asked and role in _SCORES) else ""
        shown = f"{role or ''}{mark}"
        yield name, taken.get(name, "" if role in settled else shown), family


def _table(
    survey: Survey, named: Mapping[str, Any], mapping: Mapping[str, Any], *, is_asked: bool
) -> Table:
    """Return the columns with their types and roles; parameters as of `_roles`."""
    from karat.output.document import Cell, Style, Table, TableColumn

    found = list(_roles(survey, named, mapping, is_asked=is_asked))
    taken = {name: role for name, role, _ in found}
    kinds = dict(survey.columns)
    rows = []
    for name, role, family in found:
        shown, text = name, _SHOWN.get(role.rstrip("?"), "")
        if family is not None and len({taken[each] for each in family.columns}) == 1:
            # One row for all columns of a family: there are as many as classes.
            first, last = family.columns[0], family.columns[-1]
            if name != first:
                continue
            shown = name if first == last else f"{first} … {last}"
            text = f"{text} {family}" if text and first != last else text
        is_used = role in _USED or name in named.values()
        style: Style = "warning" if role.endswith("?") else "strong" if is_used else ""
        text += "?" if role.endswith("?") else ""
        rows.append((Cell(shown), Cell(kinds[name], "dim"), Cell(text, style)))
    columns = (
        TableColumn("column", "left", is_name=True, is_whole=True),
        TableColumn("type", "left", rank=1),
        TableColumn("role", "left"),
    )
    return Table("Columns", columns, tuple(rows))


def _document(
    survey: Survey,
    named: Mapping[str, Any],
    mapping: Mapping[str, Any],
    threshold: float | None = None,
    *,
    of_sets: bool = False,
) -> Document:
    """Return the columns with their roles, and the columns that a report uses.

    Args:
        named: column by role, of the roles that the caller named.
        mapping: the columns that a report with them reads; empty if unknown.
        threshold: the threshold that was given, or None.
        of_sets: whether rows have sets of labels.
    """
    from karat.data.scores.columns import found_scores
    from karat.errors import KaratError
    from karat.errors.text import count, counted
    from karat.output.describe import shown_prediction
    from karat.output.document import Document, Notes, Section
    from karat.tally.decision import decides
    from karat.tally.score_kind import KINDS, UNITS

    scores: ScoreColumns | None = None
    problem: KaratError | None = None
    notes: list[str] = []
    try:
        scores, notes = found_scores(survey.roles)
    except KaratError as refused:
        problem = refused
    facts = [str(name) for name in survey.source.get("files", ())[:1]] or ["SQL query"]
    n_more = len(survey.source.get("files", ())) - 1
    facts += [f"and {count(n_more)} more"] if n_more > 0 else []
    facts.append(counted(len(survey.columns), "column"))
    if survey.n_rows is not None:
        facts.append(counted(survey.n_rows, "row"))
    lines = [shown_mapping(mapping, threshold, of_sets=of_sets)] if mapping else []
    if not named:
        predicted = "" if scores is None else "none"
        shape = {"is_single": scores is not None and len(scores.names) == 1, "of_sets": of_sets}
        if scores is not None and decides(KINDS[scores.argument], threshold, **shape):
            unit = UNITS[KINDS[scores.argument]]
            predicted = shown_prediction(unit, threshold, of_sets=of_sets)
        lines = [*_mapping(survey, scores, problem, predicted, threshold), *notes]
    found: list[Section] = [_table(survey, named, mapping, is_asked=problem is not None)]
    found += [Notes("Mapping", tuple(lines))] if lines else []
    return Document("karat columns", tuple(facts), tuple(found))


def _mapping(
    survey: Survey,
    scores: ScoreColumns | None,
    problem: KaratError | None,
    predicted: str,
    threshold: float | None,
) -> list[str]:
    """Return the columns that a report uses, and the questions that are open.

    Args:
        predicted: the rule that makes predictions from scores; "none" where none does; "" without
            scores.
        threshold: the threshold that was given, which replaces a column of predictions.
    """
    from karat.output.describe import shown_columns

    lines, settled = [], []
    for role, option in _OPTIONS.items():
        found = survey.roles.candidates.get(role, ())
        name = _SHOWN[role]
        if role == "pred" and predicted and (threshold is not None or not found):
            settled.append(f"{role}={predicted}")
        elif len(found) > 1:
            lines.append(f"{name}: {', '.join(found)} are candidates; name one with {option}.")
        elif found or role == "weights":
            settled.append(f"{role}={found[0] if found else 'none'}")
        elif role == "pred" and problem is None:
            line = f"{name}: no column has a usual name; name it with {option}."
            others = "probabilities with --prob, logits with --logit, scores with --score"
            lines.append(f"{line} Or name {others}.")
        elif role == "true":
            lines.append(f"{name}: no column has a usual name; name it with {option}.")
    if scores is not None:
        settled.append(f"{scores.role}={shown_columns(scores.names)}")
    if problem is not None:
        candidates = problem.context["candidates"]
        lines.append(
            f"probabilities, logits or scores: {candidates} are candidates; name one with "
            "--prob, --logit or --score. --prob '' --logit '' --score '' leaves them out."
        )
    return [", ".join(settled), *lines] if settled else lines
