"""Where the rows of a gate come from: arrays, tables, files, reports and baselines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final

import numpy as np

from karat.api.gate.baseline import checked_baseline
from karat.api.results import Report
from karat.api.scored_functions import given_scores
from karat.api.table_arguments import of_table
from karat.data.clusters import encode_names
from karat.data.labels.align import align, check_lengths, refuse_outside
from karat.data.labels.containers import encode
from karat.data.row_names import RowNames, names_of_column
from karat.data.rows import Rows
from karat.data.scores.containers import Scores
from karat.data.sources.arrays.rows import score_rows
from karat.data.sources.distributed.frames import spread_host
from karat.data.sources.files.paths import names_files
from karat.data.sources.tables.frames import is_frame
from karat.data.sources.tables.models import predicted, read_rows
from karat.data.weights import as_weights, refuse_sums, refuse_weights
from karat.errors import KaratError, error
from karat.output.gate.baselines import Baseline, BaselineRows, hashed, is_baseline, read_baseline

__all__ = ["Given", "baseline_of", "kept_of_baseline", "rows_given", "with_hashes"]

_MOST_BYTES: Final = 1 << 28
"""The largest file that is looked into for what karat wrote as JSON."""
_WRITTEN: Final = re.compile(rb'"schema"\s*:\s*"karat\.(\w+)/')


@dataclass(frozen=True)
class Given:
    """The arguments that say where rows are, and how they are read.

    Attributes:
        y_true, y_pred, y_prob, y_score: as in `karat.evaluate`.
        columns: the column of each role of tables, or values of each row of arrays.
        options: ``labels``, ``positive``, ``threshold``, ``nulls``, ``n_threads``, and what only
            files have.
    """

    y_true: Any
    y_pred: Any
    y_prob: Any
    y_score: Any
    columns: Mapping[str, Any]
    options: Mapping[str, Any]

    @property
    def is_table(self) -> bool:
        """Whether the rows are in a table or in files."""
        if any(value is not None for value in (self.y_pred, self.y_prob, self.y_score)):
            return False
        return names_files(self.y_true) or is_frame(self.y_true)


def rows_given(given: Given, name: str) -> Rows:
    """The rows that are to pass.

    Errors:
        As `karat.evaluate`.
    """
    if given.is_table:
        columns = dict(given.columns)
        if spread_host(given.y_true) is not None:
            columns |= {
                role: of_table(role, columns.get(role), "partitions")
                for role in ("weights", "clusters")
            }
        return read_rows(given.y_true, name, columns, **given.options)
    if given.y_true is None or all(x is None for x in (given.y_pred, given.y_prob, given.y_score)):
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
    return _of_arrays(given, name, given.y_pred, given.y_prob, given.y_score)


def _of_arrays(given: Given, name: str, y_pred: Any, y_prob: Any, y_score: Any) -> Rows:
    options = given.options
    true = encode(given.y_true, "y_true")
    n = len(true)
    weights = None
    if given.columns.get("weights") is not None:
        weights = as_weights(given.columns["weights"], n)
        refuse_weights(weights)
        refuse_sums(weights)
    names = {
        role: _named(given.columns.get(column), argument, n)
        for role, column, argument in (
            ("clusters", "clusters", "clusters"), ("ids", "ids", "id"), ("slices", "by", "by"),
        )
    }  # fmt: skip
    facts: dict[str, Any] = {"weights": weights, **names}
    if y_prob is not None or y_score is not None:
        threshold = options.get("threshold")
        rows = score_rows(
            given.y_true,
            given_scores(y_prob, y_score),
            y_pred=y_pred,
            weights=weights,
            threshold=threshold,
            labels=options.get("labels"),
            positive=options.get("positive"),
            n_threads=options.get("n_threads"),
        )
        found = predicted(rows, threshold, options.get("n_threads"))
        return replace(found, name=name, **facts)
    if options.get("threshold") is not None:
        raise error(
            "K136",
            threshold=options["threshold"],
            found="There are no probabilities or scores",
        )
    pred = encode(y_pred, "y_pred")
    check_lengths(true, pred)
    aligned = align(true, pred, options.get("labels"), options.get("positive"))
    codes = []
    for side in (aligned.true, aligned.pred):
        indices = side.indices()
        if indices.min() < 0:
            raise refuse_outside(side, aligned.classes)
        codes.append(indices)
    return Rows(aligned.classes, codes[0], codes[1], name=name, **facts)


def _named(values: Any, argument: str, n: int) -> RowNames | None:
    if values is None:
        return None
    if isinstance(values, str):
        raise error(
            "K143",
            argument=argument,
            found=f"{argument}={values!r} names a column, and there is no table",
            do="Give one value for each row, or the table or its files first.",
        )
    column = encode_names(values, argument, "error")
    if len(column) != n:
        raise error("K102", left="y_true", n_left=n, right=argument, n_right=len(column))
    return names_of_column(column)


def baseline_of(given: Given, baseline: Any, name: str) -> Rows | Baseline | Report:
    """What the rows are compared with.

    Args:
        baseline: a file that a gate wrote, files of predictions, a table, a report or its JSON;
            or, where the rows are arrays, what the earlier model said of the same rows, in the
            same form.

    Errors:
        K176 a file of JSON that karat wrote of something else; K205, K206 a damaged baseline or
        report; else as `karat.evaluate`.
    """
    if isinstance(baseline, Report):
        return baseline
    is_path = isinstance(baseline, str | PathLike)
    if is_path and is_baseline(baseline):
        return checked_baseline(read_baseline(fspath(baseline)))
    kind = _written_as(baseline) if is_path else None
    if kind == "report":
        return Report.from_json(Path(baseline).read_bytes().decode("utf-8-sig"))
    if kind is not None:
        raise error(
            "K176",
            found=f"The baseline {fspath(baseline)} is a {kind} of karat, which holds no baseline",
            do="Give predictions, the JSON of their report, or what --update-baseline wrote.",
        )
    if is_path or is_frame(baseline) or (given.is_table and names_files(baseline)):
        return _read_baseline_rows(given, baseline, name)
    if given.is_table or isinstance(given.y_true, Report):
        rows = "The rows are in a table" if given.is_table else "A report is measured"
        raise error("K179", rows=rows, kind=type(baseline).__name__)
    if given.y_prob is not None:
        return _of_arrays(given, name, None, baseline, None)
    if given.y_score is not None:
        return _of_arrays(given, name, None, None, baseline)
    return _of_arrays(given, name, baseline, None, None)


def _written_as(path: str | PathLike[str]) -> str | None:
    """What karat wrote into a file of JSON, as ``"report"``; None of any other file."""
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


def _read_baseline_rows(given: Given, baseline: Any, name: str) -> Rows:
    columns = dict(given.columns)
    if not given.is_table:
        # Values of the rows of arrays are no columns of a file.
        columns = dict.fromkeys(columns)
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
            return read_rows(baseline, name, columns, **options)
        except KaratError as problem:
            named = [role for role in spared if isinstance(columns.get(role), str)]
            missing = problem.context.get("column")
            role = next((role for role in named if columns[role] == missing), None)
            if problem.code != "K404" or role is None:
                raise
            columns[role] = spared.pop(role)


def kept_of_baseline(found: Baseline, name: str) -> Rows:
    """The rows of a baseline that holds some."""
    rows = found.rows
    assert rows is not None
    ids = None
    if rows.ids is not None:
        texts = tuple(f"hash {number:016x}" for number in rows.ids.tolist())
        ids = RowNames("ids", np.arange(len(texts), dtype=np.int32), texts)
    scores = None
    if rows.scores is not None:
        scores = Scores("y_prob" if rows.is_prob else "y_score", rows.scores)
    return Rows(found.classes, rows.true, rows.pred, scores, rows.weights, ids=ids, name=name)


def with_hashes(rows: Rows) -> Rows:
    """The same rows, matched by what a baseline keeps of their ids."""
    if rows.ids is None:
        return rows
    hashes = tuple(f"hash {number:016x}" for number in hashed(rows.ids.texts).tolist())
    return replace(rows, ids=replace(rows.ids, hashes=hashes))


def rows_of_baseline(rows: Rows) -> BaselineRows:
    """The rows as a baseline keeps them."""
    ids = None if rows.ids is None else hashed(rows.ids.texts)[rows.ids.codes]
    scores = None if rows.values is None else np.asarray(rows.values, np.float32)
    assert rows.pred is not None
    return BaselineRows(rows.true, rows.pred, ids, scores, rows.is_prob, rows.weights)
