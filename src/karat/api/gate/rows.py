"""The rows of a gate: arrays, tables, files, reports and baselines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final, TypeAlias

from karat.api.arguments import of_table, refuse_judged, refuse_table_alone
from karat.api.doubts import with_order_of_rows
from karat.api.gate.baseline import Baseline, checked_baseline, is_baseline, read_baseline
from karat.api.options import refuse_threshold
from karat.api.request.data import Data
from karat.api.request.request import Request
from karat.api.request.roles import COLUMNS, is_data, of_described
from karat.api.results import ClassReport
from karat.api.score_functions import given_scores
from karat.api.sets import MultilabelReport
from karat.api.sources import columns_to_read, row_arguments
from karat.data.checks import doubts_of_order
from karat.data.clusters import RowNames, encode_names, names_of_column
from karat.data.roles import SCORE_ROLES, with_place
from karat.data.rows import Rows
from karat.data.slices.codes import named_columns
from karat.data.sources.arrays.rows import label_rows, score_rows
from karat.data.sources.arrays.sets import hold_sets, set_rows
from karat.data.sources.distributed.frames import distributed_host
from karat.data.sources.files.paths import names_files
from karat.data.sources.tables.beside import RoleValues, are_values, with_values
from karat.data.sources.tables.frames import is_frame
from karat.data.sources.tables.rows import predicted, read_rows
from karat.data.table_sets import TableSets, beside_sets
from karat.data.weights import refuse_sums, refuse_weights
from karat.errors import KaratError, error, short
from karat.errors.options import option, parameter
from karat.errors.reasons import UnknownColumnError
from karat.errors.together import refuse
from karat.results.gate.verdicts import refused
from karat.tally.set_tally import SetRows

SideOfSets: TypeAlias = SetRows | MultilabelReport | TableSets
"""Rows with sets, of arrays or of a table, or their report."""
_MOST_BYTES: Final = 1 << 28
"""The largest file that is searched for the schema of JSON that karat wrote."""
_WRITTEN: Final = re.compile(rb'"schema"\s*:\s*"karat\.(\w+)/')
_NAMES: Final = (("clusters", "clusters"), ("ids", "id"), ("slices", "by"))
"""Attribute of `Rows` and argument of the names of rows."""


_COLUMNS: Final = ("true", "pred", *SCORE_ROLES, "folds", "id", "by")
_NAMED: Final = ("true", "pred", *SCORE_ROLES, "weights", "id")
_PATH: Final = 200
"""Characters of a path in a message."""
SLICE: Final = "slice"
"""The name of slices of arrays, where their values have none."""


def has_predictions(request: Request) -> bool:
    """True if predictions are given beside the truth."""
    return request.y_pred is not None or request.has_scores


def rule_of_rows(request: Request, rows: Rows) -> dict[str, Any]:
    """``threshold`` where scores decided what is predicted; None: the largest did."""
    threshold = request.threshold
    labels = rows.mapping.get("pred") if request.has_data else request.y_pred
    if rows.scores is None or (threshold is None and labels is not None):
        return {}
    return {"threshold": None if threshold is None else float(threshold)}


def named_slices(by: Any) -> tuple[str, Any]:
    """The name of slices of arrays, and their values, or their column (K181)."""
    if not isinstance(by, Mapping):
        return SLICE, by
    match list(by.items()):
        case [(str(name), values)]:
            return name, values
    raise _several(len(by))


def _several(n: int) -> KaratError:
    return error(
        "K181",
        found=f"A gate splits rows by one column, and by= has {n}",
        do="Give one, as by={'country': countries}",
    )


def with_one_column(request: Request) -> Request:
    """The request of a gate, with one column of slices at most (K181)."""
    by = request.by
    if by is None or not request.has_data or isinstance(by, str | Mapping):
        named_slices(by)
        return request
    keys = named_columns(by)
    if len(keys) > 1 or len(keys[0]) > 1:
        raise _several(max(len(keys), len(keys[0])))
    return request.but(by=keys[0][0])


def current_rows(request: Request, name: str) -> Rows | TableSets:
    """The rows that are to pass; of a table they may have sets of labels."""
    if request.has_data:
        if distributed_host(request.y_true) is not None:
            request = request.but(
                weights=of_table("weights", request.weights, "partitions"),
                clusters=of_table("clusters", request.clusters, "partitions"),
            )
        return _read(request.y_true, name, request)
    if request.y_true is None or not has_predictions(request):
        refuse_judged(request.y_true)
        refuse_table_alone(request.y_true)
        raise error(
            "K128",
            found="There are neither rows nor a report",
            do="Give files, a table, a report, or y_true with y_pred=, y_prob=, y_logit= or "
            "y_score=.",
        )
    for role in ("true", "pred", *SCORE_ROLES):
        if getattr(request, role) is not None:
            found = "Column names were given without a table"
            do = "Give the table or its files first."
            raise error("K143", argument=parameter(role), found=found, do=do)
    return _of_arrays(request, name)


def _read(source: Any, name: str, request: Request) -> Rows | TableSets:
    _, by = named_slices(request.by)
    rows = read_rows(source, name, replace(columns_to_read(request), by=by))
    if isinstance(rows, TableSets):
        return rows
    return with_order_of_rows(rows, request.columns_of_scores, request.labels)


def _of_arrays(request: Request, name: str) -> Rows:
    options = replace(row_arguments(request), clusters=None, by=None)
    threshold = request.threshold
    if request.has_scores:
        scores = given_scores(request.outputs)
        rows = score_rows(request.y_true, scores, request.y_pred, options)
        if rows.weights is not None:
            refuse_weights(rows.weights)
            refuse_sums(rows.weights)
        rows = predicted(rows, threshold, request.n_threads)
    else:
        refuse_threshold(threshold)
        rows = label_rows(request.y_true, request.y_pred, options)
    _, by = named_slices(request.by)
    values = {"clusters": request.clusters, "id": request.id, "by": by}
    names: dict[str, Any] = {
        attribute: _names(values[argument], argument, rows.n) for attribute, argument in _NAMES
    }
    rows = rows.warned(*doubts_of_order(request.y_true, "y_true", **values))
    return replace(rows, name=name, **names)


def _names(values: Any, argument: str, n: int) -> RowNames | None:
    if values is None:
        return None
    if isinstance(values, str):
        raise error(
            "K143",
            argument=parameter(argument),
            found=f"{parameter(argument)}={values!r} names a column, and there is no table",
            do="Give one value for each row, or the table or its files first.",
        )
    things = "ids" if argument == "id" else "values"
    column = encode_names(values, argument, "error", things)
    if len(column) != n:
        raise error("K102", left="y_true", n_left=n, right=parameter(argument), n_right=len(column))
    return names_of_column(column)


def baseline_of(request: Request, baseline: Any, name: str) -> Rows | Baseline | ClassReport:
    """The earlier model: its rows, or its values.

    Args:
        baseline: a file that a gate wrote, files of predictions, a table, a report or its JSON;
            or, where the rows are arrays, the earlier predictions of the same rows, in the same
            form.
    """
    if isinstance(baseline, ClassReport):
        return baseline
    refuse_judged(baseline)
    is_path = isinstance(baseline, str | PathLike)
    if is_path and is_baseline(baseline):
        return checked_baseline(read_baseline(fspath(baseline)))
    kind = written_as(baseline) if is_path else None
    if kind == "report":
        return ClassReport.from_json(Path(baseline).read_bytes())
    if isinstance(baseline, MultilabelReport) or kind == "multilabel":
        raise beside_sets("What is measured", name)
    if kind is not None:
        raise refused(
            f"The baseline {fspath(baseline)} is JSON of karat ({kind}), which cannot be a "
            "baseline",
            "Give predictions, the JSON of their report, or a file that "
            f"{option('update_baseline')} wrote.",
        )
    is_source = isinstance(baseline, Data) or is_path or is_frame(baseline)
    is_source = is_source or (request.has_data and names_files(baseline))
    if is_source or request.has_data:
        read = read_baseline_rows if is_source else _read_values
        rows = read(request, baseline, name)
        if isinstance(rows, TableSets):
            raise beside_sets("What is measured", name)
        return rows
    if isinstance(request.y_true, ClassReport):
        raise error("K179", rows="A report is measured", kind=type(baseline).__name__)
    return _of_arrays(_in_the_same_form(request, baseline), name)


def _in_the_same_form(request: Request, baseline: Any) -> Request:
    """The request of the earlier predictions of the same rows."""
    roles = (*request.outputs, "y_pred")
    form = next((role for role in roles if getattr(request, role) is not None), "y_pred")
    before: dict[str, Any] = {role: baseline if role == form else None for role in roles}
    return request.but(**before)


def _read_values(request: Request, baseline: Any, name: str) -> Rows | TableSets:
    """The earlier predictions of the rows of a table, as values in the form of the new ones."""
    forms = [role for role in COLUMNS if role != "y_true"]
    named = [role for role in forms if are_values(getattr(request, COLUMNS[role]))]
    if len(named) != 1 or not hasattr(baseline, "__len__"):
        raise error("K179", rows="The rows are in a table", kind=type(baseline).__name__)
    held = RoleValues(named[0], baseline)
    table = with_values(request.y_true, held.columns)
    own = request.but(**{"y_true": table, COLUMNS[named[0]]: held.name})
    return _read(table, name, own)


def written_as(path: str | PathLike[str]) -> str | None:
    """The kind of JSON that karat wrote into a file, as ``"report"``; None of any other file."""
    try:
        file = Path(path)
        if not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return None
        with file.open("rb") as stream:
            if not stream.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
                return None
            stream.seek(0)
            found = _WRITTEN.search(stream.read())
    except (OSError, ValueError):  # a query is no path
        return None
    return None if found is None else found[1].decode("ascii", "replace")


def read_baseline_rows(request: Request, baseline: Any, name: str) -> Rows | TableSets:
    """The rows of the earlier model, in files or in a table."""
    if isinstance(baseline, Data):
        own = of_described(request.verb, baseline)
        # Slices and folds are columns that the rows of both have.
        request = request.but(**{**dict.fromkeys(_NAMED), **own})
        baseline = request.y_true
    elif not request.has_data:
        # Values of the rows of arrays are no columns of a file.
        request = request.but(**dict.fromkeys(_COLUMNS), weights="")
    else:
        values = [role for role in (*_COLUMNS, "weights") if are_values(getattr(request, role))]
        request = request.but(**{x: "" if x == "weights" else None for x in values})
    # Clusters are those of the rows that are to pass.
    request = request.but(clusters="")
    if not names_files(baseline):
        request = request.but(where=None, labels_are_text=False, progress=None)
    # A weight that is named, and slices, may be of the rows that are to pass alone.
    spared = {"weights": "", "by": None}
    while True:
        try:
            return _read(baseline, name, request)
        except KaratError as problem:
            missing = problem.context.get("column")
            named = (role for role in spared if isinstance(getattr(request, role), str))
            role = next((role for role in named if getattr(request, role) == missing), None)
            if not isinstance(problem, UnknownColumnError) or role is None:
                raise with_place(problem, name) from None
            request = request.but(**{role: spared.pop(role)})


def are_sets_of(request: Request) -> bool:
    """True if the rows of a gate hold sets of labels."""
    if isinstance(request.y_true, MultilabelReport):
        return True
    if request.has_data or not has_predictions(request):
        return False
    is_split = request.separator is not None
    return is_split or hold_sets(request.y_true, request.y_pred)


def current_sets(request: Request) -> SetRows | MultilabelReport:
    """The rows that are to pass, or their report.

    Errors:
        K222 an option that is for rows with one class; else as `set_rows`.
    """
    refuse("gate", "sets of arrays", request.chosen)
    if isinstance(request.y_true, MultilabelReport):
        return request.y_true
    return _sets_of_arrays(request)


def _sets_of_arrays(request: Request) -> SetRows:
    return set_rows(
        request.y_true,
        request.y_pred,
        **request.outputs,
        threshold=request.threshold,
        labels=request.labels,
        separator=request.separator,
        positive=request.positive,
        weights=request.weights,
        clusters=request.clusters,
    )


def baseline_of_sets(request: Request, baseline: Any, name: str, current: SideOfSets) -> SideOfSets:
    """The earlier model: its report, the JSON of that in a file, or its predictions.

    Args:
        name: what messages call it.

    Errors:
        K176 a file that is no such report; K179 predictions in another form than the rows; K221
        rows of one class; else as `set_rows` and `read_baseline_rows`.
    """
    if isinstance(baseline, MultilabelReport):
        return baseline
    if isinstance(baseline, ClassReport):
        problem = "The baseline is a report of rows with one class, and rows are sets"
        raise error("K221", found=problem)
    is_path = isinstance(baseline, str | PathLike)
    kind = written_as(baseline) if is_path else None
    if kind == "multilabel":
        return MultilabelReport.from_json(Path(baseline).read_bytes())
    if isinstance(current, TableSets) and kind is None:
        if not (is_path or is_data(baseline)):
            raise error("K179", rows="The rows are in a table", kind=type(baseline).__name__)
        rows = read_baseline_rows(request, baseline, name)
        if isinstance(rows, TableSets):
            return rows
        raise beside_sets(name, "what is measured")
    if is_path:
        path = short(fspath(baseline), _PATH)
        raise refused(
            f"The baseline {path} is not a report of rows with sets of labels",
            f"Give the JSON of one, a file that {option('update_baseline')} wrote, or predictions.",
        )
    if isinstance(current, MultilabelReport):
        raise error("K179", rows="A report is measured", kind=type(baseline).__name__)
    return _sets_of_arrays(_in_the_same_form(request, baseline))
