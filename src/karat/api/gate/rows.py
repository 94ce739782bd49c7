"""The rows of a gate: arrays, tables, files, reports and baselines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

from karat.api.arguments import of_table, refuse_judged
from karat.api.doubts import with_order_of_rows
from karat.api.gate.baseline import Baseline, checked_baseline, is_baseline, read_baseline
from karat.api.options import refuse_threshold
from karat.api.results import Report
from karat.api.score_functions import given_scores
from karat.api.sets import MultilabelReport
from karat.data.checks import doubts_of_order
from karat.data.clusters import RowNames, encode_names, names_of_column
from karat.data.roles import with_place
from karat.data.rows import Rows
from karat.data.sources.arrays.rows import label_rows, score_rows
from karat.data.sources.distributed.frames import distributed_host
from karat.data.sources.files.paths import names_files
from karat.data.sources.tables.frames import is_frame
from karat.data.sources.tables.rows import predicted, read_rows
from karat.data.table_sets import TableSets, beside_sets
from karat.data.weights import refuse_sums, refuse_weights
from karat.errors import KaratError, error
from karat.errors.options import option
from karat.results.gate.verdicts import refused

_MOST_BYTES: Final = 1 << 28
"""The largest file that is searched for the schema of JSON that karat wrote."""
_WRITTEN: Final = re.compile(rb'"schema"\s*:\s*"karat\.(\w+)/')
_NAMES: Final = (("clusters", "clusters", "clusters"), ("ids", "ids", "id"), ("slices", "by", "by"))
"""Attribute of `Rows`, role and argument of the names of rows."""


@dataclass(frozen=True)
class RowsSpec:
    """The arguments that state where rows are, and how they are read.

    Attributes:
        columns: the column of each role of tables, or values of each row of arrays.
        options: ``labels``, ``positive``, ``threshold``, ``nulls``, ``n_threads``, and the options
            of files.
        slice_name: the name of slices of arrays, where their values have none.
    """

    y_true: Any
    y_pred: Any
    y_prob: Any
    y_score: Any
    columns: Mapping[str, Any]
    options: Mapping[str, Any]
    slice_name: str = "slice"

    @property
    def has_predictions(self) -> bool:
        """True if predictions are given beside the truth."""
        return any(each is not None for each in (self.y_pred, self.y_prob, self.y_score))

    @property
    def is_table(self) -> bool:
        """True if the rows are in a table or in files."""
        return not self.has_predictions and (names_files(self.y_true) or is_frame(self.y_true))

    def decided_by(self, rows: Rows) -> dict[str, Any]:
        """``threshold`` where scores decided what is predicted; None: the largest did."""
        threshold = self.options.get("threshold")
        labels = rows.mapping.get("pred") if self.is_table else self.y_pred
        if rows.scores is None or (threshold is None and labels is not None):
            return {}
        return {"threshold": None if threshold is None else float(threshold)}


def current_rows(given: RowsSpec, name: str) -> Rows | TableSets:
    """The rows that are to pass; of a table they may have sets of labels."""
    if given.is_table:
        columns = dict(given.columns)
        if distributed_host(given.y_true) is not None:
            for role in ("weights", "clusters"):
                columns[role] = of_table(role, columns.get(role), "partitions")
        return _read(given.y_true, name, columns, given.options)
    if given.y_true is None or not given.has_predictions:
        refuse_judged(given.y_true)
        raise error(
            "K128",
            found="There are neither rows nor a report",
            do="Give files, a table, a report, or y_true with y_pred=, y_prob= or y_score=.",
        )
    for role in ("true", "pred", "prob", "score"):
        if given.columns.get(role) is not None:
            found = "Column names were given without a table"
            do = "Give the table or its files first."
            raise error("K143", argument=role, found=found, do=do)
    return _of_arrays(given, name)


def _read(
    source: Any, name: str, columns: Mapping[str, Any], options: Mapping[str, Any]
) -> Rows | TableSets:
    rows = read_rows(source, name, columns, **options)
    if isinstance(rows, TableSets):
        return rows
    return with_order_of_rows(rows, columns, options.get("labels"))


def _of_arrays(given: RowsSpec, name: str) -> Rows:
    of_rows = ("weights", "folds")
    options = {**given.options, **{role: given.columns.get(role) for role in of_rows}}
    threshold = options.pop("threshold", None)
    for only_of_tables in ("nulls", "separator"):
        options.pop(only_of_tables, None)
    if given.y_prob is not None or given.y_score is not None:
        options |= {"y_pred": given.y_pred, "threshold": threshold}
        rows = score_rows(given.y_true, given_scores(given.y_prob, given.y_score), **options)
        if rows.weights is not None:
            refuse_weights(rows.weights)
            refuse_sums(rows.weights)
        rows = predicted(rows, threshold, options.get("n_threads"))
    else:
        refuse_threshold(threshold)
        rows = label_rows(given.y_true, given.y_pred, **options)
    values = {argument: given.columns.get(role) for _, role, argument in _NAMES}
    names: dict[str, Any] = {
        attribute: _names(values[argument], argument, rows.n) for attribute, _, argument in _NAMES
    }
    rows = rows.warned(*doubts_of_order(given.y_true, "y_true", **values))
    return replace(rows, name=name, **names)


def _names(values: Any, argument: str, n: int) -> RowNames | None:
    if values is None:
        return None
    if isinstance(values, str):
        raise error(
            "K143",
            argument=argument,
            found=f"{argument}={values!r} names a column, and there is no table",
            do="Give one value for each row, or the table or its files first.",
        )
    things = "ids" if argument == "id" else "values"
    column = encode_names(values, argument, "error", things)
    if len(column) != n:
        raise error("K102", left="y_true", n_left=n, right=argument, n_right=len(column))
    return names_of_column(column)


def baseline_of(given: RowsSpec, baseline: Any, name: str) -> Rows | Baseline | Report:
    """The earlier model: its rows, or its values.

    Args:
        baseline: a file that a gate wrote, files of predictions, a table, a report or its JSON;
            or, where the rows are arrays, the earlier predictions of the same rows, in the same
            form.
    """
    if isinstance(baseline, Report):
        return baseline
    refuse_judged(baseline)
    if isinstance(baseline, MultilabelReport):
        raise beside_sets("What is measured", name)
    is_path = isinstance(baseline, str | PathLike)
    if is_path and is_baseline(baseline):
        return checked_baseline(read_baseline(fspath(baseline)))
    kind = written_as(baseline) if is_path else None
    if kind == "report":
        return Report.from_json(Path(baseline).read_bytes())
    if kind == "multilabel":
        raise beside_sets("What is measured", name)
    if kind is not None:
        raise refused(
            f"The baseline {fspath(baseline)} is JSON of karat ({kind}), which holds no baseline",
            "Give predictions, the JSON of their report, or a file that "
            f"{option('update_baseline')} wrote.",
        )
    if is_path or is_frame(baseline) or (given.is_table and names_files(baseline)):
        rows = read_baseline_rows(given, baseline, name)
        if isinstance(rows, TableSets):
            raise beside_sets("What is measured", name)
        return rows
    if given.is_table or isinstance(given.y_true, Report):
        what = "The rows are in a table" if given.is_table else "A report is measured"
        raise error("K179", rows=what, kind=type(baseline).__name__)
    # The earlier predictions of the same rows, in the same form.
    roles = ("y_prob", "y_score", "y_pred")
    form = next((role for role in roles if getattr(given, role) is not None), "y_pred")
    before: dict[str, Any] = {role: baseline if role == form else None for role in roles}
    return _of_arrays(replace(given, **before), name)


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


def read_baseline_rows(given: RowsSpec, baseline: Any, name: str) -> Rows | TableSets:
    """The rows of the earlier model, in files or in a table."""
    # Values of the rows of arrays are no columns of a file.
    columns = dict(given.columns) if given.is_table else dict.fromkeys(given.columns)
    # Clusters are those of the rows that are to pass; so are the weights of arrays.
    columns["clusters"] = ""
    if not (given.is_table and isinstance(columns.get("weights"), str | None)):
        columns["weights"] = ""
    options = dict(given.options)
    if not names_files(baseline):
        for only_of_files in ("where", "labels_are_text", "progress"):
            options.pop(only_of_files, None)
    # A weight that is named, and slices, may be of the rows that are to pass alone.
    spared = {"weights": "", "by": None}
    while True:
        try:
            return _read(baseline, name, columns, options)
        except KaratError as problem:
            missing = problem.context.get("column")
            named = (role for role in spared if isinstance(columns.get(role), str))
            role = next((role for role in named if columns[role] == missing), None)
            if problem.code != "K404" or role is None:
                raise with_place(problem, name) from None
            columns[role] = spared.pop(role)
