"""Kinds of sources that the arguments of `evaluate` give, and arguments that do not fit them."""

from __future__ import annotations

from typing import Any

from karat.api.arguments import column_name, is_frequency
from karat.api.options import plain_text
from karat.api.request.request import Request
from karat.data.roles import SCORE_ROLES, Role
from karat.data.slices.folds import columns_of_folds
from karat.data.sources.arrays.rows import RowArguments
from karat.data.sources.columns import TableRequest
from karat.data.sources.formats import ColumnFormats
from karat.errors import error, short
from karat.errors.options import parameter


def columns_to_read(request: Request) -> TableRequest:
    """The columns of a table that a request names, and how they are read."""
    return TableRequest(
        true=column_name("y_true", request.true),
        pred=column_name("y_pred", request.pred),
        **request.columns_of_scores,
        weights=request.weights,
        clusters=request.clusters,
        ids=request.id,
        folds=request.folds,
        labels=request.labels,
        positive=request.positive,
        nulls=request.nulls,
        n_threads=request.n_threads,
        where=request.where,
        labels_are_text=request.labels_are_text,
        separator=request.separator,
        threshold=request.threshold,
        is_frequency=is_frequency(request),
        formats=formats_of(request),
    )


def formats_of(request: Request) -> ColumnFormats:
    """How a request says that columns are written."""
    return ColumnFormats(tuple(map(str, request.text)), request.decimal)


def check_sources(request: Request) -> None:
    """Refuse arguments of different kinds of sources (K141, K143, K144)."""
    arrays = [name for name, values in request.outputs.items() if values is not None]
    if arrays and request.confusion is not None:
        found = f"{arrays[0]} was given with confusion="
        do = "Give one of them: a confusion matrix has no scores."
        raise error("K141", argument=arrays[0], found=found, do=do)
    if request.has_data:
        return
    roles = ("true", "pred", *SCORE_ROLES)
    named = [name for name in roles if getattr(request, name) is not None]
    beside = ("weights", "clusters", "ids")
    named += [name for name in beside if isinstance(getattr(request, name), str)]
    if named:
        raise error(
            "K143",
            argument=parameter(named[0]),
            found="Column names were given without a table",
            do="Give the table or its files first: karat.evaluate(frame, y_true=…, y_pred=…).",
        )
    if request.ids is not None and request.confusion is not None:
        found = "ids= was given with confusion="
        raise error("K141", argument="ids=", found=found, do="A confusion matrix has no rows.")
    if request.nulls != "error":
        raise error("K144")


def plain_source(source: Any) -> Any:
    """Return a source of files with paths as plain text."""
    if isinstance(source, list | tuple):
        return [plain_source(item) for item in source]
    return plain_text(source) if isinstance(source, str) else source


def fold_columns(folds: Any) -> str | dict[Role, str] | None:
    """Return the column of folds of a table, or several by role (K250: these are no names)."""
    if isinstance(folds, dict):
        return {role: str(_column_of_folds(name)) for role, name in folds.items()}
    return _column_of_folds(folds)


def _column_of_folds(folds: Any) -> str | None:
    if folds is None or isinstance(folds, str):
        return plain_text(folds)
    if isinstance(folds, int) and not isinstance(folds, bool):
        return column_name("fold", folds)
    raise error(
        "K250",
        found=f"karat.Folds holds {short(folds)}, and the rows are in a table",
        do="Name the column: karat.Folds('fold'). Columns repeat and holdout are found beside it.",
    )


def with_ids_of_repeats(folds: Any, clusters: Any, ids: Any) -> tuple[Any, bool]:
    """Return the clusters of rows in memory: their ids where repeats test them several times.

    The second value is True if ids are taken.
    """
    has_repeats = columns_of_folds(folds).get("repeat") is not None
    if clusters is None and ids is not None and has_repeats:
        return ids, True
    return clusters, False


def row_arguments(request: Request) -> RowArguments:
    """Return what a request says of rows in memory, beside their labels and scores."""
    return RowArguments(
        request.labels,
        request.positive,
        request.weights,
        request.clusters,
        request.by,
        request.folds,
        request.threshold,
        request.n_threads,
    )
