"""Models in one table, or each in a table or files of its own, as `compare` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from fnmatch import fnmatchcase
from os import PathLike
from typing import Any, Final

from karat.api.arguments import of_table
from karat.api.options import plain_text
from karat.api.request.request import Request
from karat.api.request.roles import COLUMNS
from karat.api.sources import column_of_folds
from karat.data.roles import find_roles
from karat.data.sources.distributed.frames import refuse_distributed
from karat.data.sources.files.counted import errors_of_files
from karat.data.sources.files.paths import names_files
from karat.data.sources.files.rows import open_files
from karat.data.sources.tables.frames import Frame, is_frame, open_frame
from karat.errors import error, short
from karat.tally.score_kind import ROLES

OUTPUTS: Final = ("y_pred", *ROLES)
_BESIDE: Final = ("weights", "clusters", "folds")


def sources_of_models(request: Request) -> dict[str, Any] | None:
    """The table or the files of each model, where each has its own; else None."""
    data = request.y_true
    if not isinstance(data, Mapping) or any(getattr(request, x) is not None for x in OUTPUTS):
        return None
    if not data or not all(_is_source(source) for source in data.values()):
        return None
    column_of_folds(request.folds)
    for name in ("weights", "clusters"):
        of_table(name, getattr(request, name), "files")
    return {str(plain_text(name)): source for name, source in data.items()}


def with_columns(request: Request) -> Request:
    """The request with the values of the columns that it names of one table, or of files.

    Errors:
        K404 to K406 a column does not exist, or nothing says which is the truth; K416 the table is
        partitioned.
    """
    data = request.y_true
    is_file = isinstance(data, str | PathLike)
    named = {role: _columns_of_models(role, getattr(request, role)) for role in OUTPUTS}
    has_names = request.true is not None or any(named.values())
    if not has_names or not (is_file or is_frame(data)):
        return request
    given = [role for role in OUTPUTS if getattr(request, role) is not None and not named[role]]
    texts = {argument: getattr(request, role) for argument, role in COLUMNS.items()}
    del texts["y_true"]
    for role, text in texts.items():
        if text is not None or role in given:
            value = getattr(request, role) if text is None else text
            raise error(
                "K162",
                argument=role,
                found=f"It is {short(value)}, beside a table",
                do=f"Name the column of each model: {role}={{'old': …, 'new': …}}.",
            )
    refuse_distributed(data, "y_true")
    with ExitStack() as cleanup:
        if is_file:
            cleanup.enter_context(errors_of_files(None, data))
        frame = open_files(data, cleanup) if is_file else open_frame(data)
        return _read(request, frame, named)


def _read(request: Request, frame: Frame, named: Mapping[str, Mapping[str, list[str]]]) -> Request:
    columns = {
        role: {model: _matched(frame, names) for model, names in models.items()}
        for role, models in named.items()
    }
    outputs = [x for models in columns.values() for names in models.values() for x in names]
    true = None if request.true is None else str(request.true)
    named_beside = {x: getattr(request, x) for x in _BESIDE if isinstance(getattr(request, x), str)}
    roles = find_roles(
        frame.names,
        given={"true": true, "weights": named_beside.get("weights")},
        needs=("true",),
        taken=outputs,
    )
    truth = roles.column("true")
    assert truth is not None
    if request.weights is None:
        named_beside["weights"] = roles.column("weights")
    beside = {name: column for name, column in named_beside.items() if column}
    values = frame.columns(list(dict.fromkeys([truth, *outputs, *beside.values()])))
    models = {
        role: {model: _values(names, values) for model, names in each.items()} or None
        for role, each in columns.items()
    }
    # An empty name means that no column has the role.
    of_rows = {name: values[column] if column else None for name, column in named_beside.items()}
    return request.but(true=None, y_true=values[truth], **models, **of_rows)


def _is_source(value: Any) -> bool:
    """True for a table of several columns, or for files."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(item, PathLike) for item in value)
    return names_files(value) or (is_frame(value) and len(open_frame(value).names) > 1)


def _columns_of_models(role: str, value: Any) -> dict[str, list[str]]:
    """Model → the columns that an argument names; empty where it holds values."""
    if isinstance(value, list | tuple):
        models: dict[Any, Any] = {item: item for item in value if isinstance(item, str)}
        return _columns_of_models(role, models) if len(models) == len(value) else {}
    if not isinstance(value, Mapping):
        return {}
    named = {}
    for model, columns in value.items():
        names = [columns] if isinstance(columns, str) else columns
        # A list of text is predicted labels, but no probabilities.
        is_list = isinstance(names, list | tuple) and len(names) > 0
        is_value = role == "y_pred" and not isinstance(columns, str)
        if is_value or not is_list or not all(isinstance(name, str) for name in names):
            return {}
        named[str(plain_text(model))] = [str(plain_text(name)) for name in names]
    return named


def _matched(frame: Frame, names: Iterable[str]) -> list[str]:
    """The columns, with those that a pattern stands for."""
    found: list[str] = []
    for name in names:
        fits = [x for x in frame.names if "*" in name and fnmatchcase(x, name)]
        found += fits or [name]
    return found


def _values(names: list[str], values: Mapping[str, Any]) -> Any:
    """One column, or a table of several, whose names tell their classes."""
    return values[names[0]] if len(names) == 1 else {name: values[name] for name in names}
