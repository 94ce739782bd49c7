"""`read`: a table or files, with the roles of their columns, described once for every verb."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Final, TypeAlias

from karat.api.request.data import Data
from karat.api.request.request import Request, options_of
from karat.api.request.roles import BESIDE, COLUMNS, is_data, with_roles
from karat.api.request.verbs import verb
from karat.api.sources import columns_to_read, formats_of
from karat.data.roles import Role, matching, meaning, unknown_column
from karat.data.sources.batches import is_batch_source
from karat.data.sources.columns import TableColumns, find_columns
from karat.data.sources.files.counted import errors_of_files
from karat.data.sources.files.paths import is_read_once, names_files
from karat.data.sources.files.rows import open_files
from karat.data.sources.formats import ColumnFormats
from karat.data.sources.set_columns import find_sets
from karat.data.sources.tables.formatted import formatted
from karat.data.sources.tables.frames import Frame, open_frame
from karat.errors import KaratError, error, short
from karat.tally.score_kind import ROLES

Columns: TypeAlias = dict[str, tuple[str, ...]]
_MEANINGS: Final[Mapping[str, Role]] = {
    "y_true": "true",
    "y_pred": "pred",
    **dict[str, Role](ROLES.items()),
    "ids": "id",
    "folds": "fold",
    "weights": "weights",
    "clusters": "clusters",
}


@verb
def read(request: Request) -> Data:
    """Describe a table or files once: the roles of their columns, and how labels are read.

    Only the names and types of the columns are read. Every verb takes the `Data` as its first
    argument. A role or an option that the data hold cannot be given to the verb again; others can.

    Returns:
        A `Data`: ``.columns`` (role → columns, named or found by name), ``.source``, ``.options``.

    Errors:
        K401 to K411 files; K404 there is no such column; K412 it is no table; K421 values beside
        files; K456 a stream, which can be read only once.

    Cost: the schema of the source.

    Example:
        >>> import karat
        >>> rows = {"id": [1, 2, 3], "label": [0, 1, 1], "pred": [0, 1, 0]}
        >>> data = karat.read(rows, y_true="label", ids="id")
        >>> data.columns
        {'y_true': 'label', 'y_pred': 'pred', 'ids': 'id'}
        >>> karat.evaluate(data)["accuracy"].value == 2 / 3
        True
    """
    source = request.data
    if not is_data(source):
        found = "karat.read was given no data" if source is None else f"It is {short(source)}"
        raise error("K412", found=found, advice=_TABLE)
    if names_files(source) and is_read_once(source):
        raise error("K456", found=f"{short(source)} is a stream")
    names = [item.name for item in options_of("read") if item.name != "data"]
    options = {name: getattr(request, name) for name in names if request.is_given(name)}
    with ExitStack() as cleanup:
        # Values beside a table are columns of it.
        roles = {x: v for x, v in options.items() if x in (*COLUMNS, *BESIDE)}
        models = [x for x in COLUMNS if _is_of_models(options.get(x))]
        read_as = with_roles("evaluate", {"data": source, **_without(roles, models)})
        frame = _opened(read_as["y_true"], formats_of(request), cleanup)
        of_models = with_roles("compare", {"data": source, **{x: roles[x] for x in models}})
        columns = {x: _matched(frame, x, of_models[x]) for x in models}
        rest = Request.of("evaluate", **read_as).but(
            **{x: options[x] for x in ("labels", "positive", "separator") if x in options}
        )
        columns = {**_columns(frame, rest, has_models=bool(models)), **columns}
    order = [x for x in (*COLUMNS, *BESIDE) if columns.get(x)]
    return Data(source, tuple((x, columns[x]) for x in order), tuple(options.items()))


_TABLE: Final = "Give a table, the path of files, or a SQL query; arrays go to the verb itself."


def _is_of_models(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and all(isinstance(x, str) for x in value)
    )


def _without(options: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in names}


def _opened(source: Any, formats: ColumnFormats, cleanup: ExitStack) -> Frame:
    """The names and types of the columns of a source."""
    if names_files(source):
        cleanup.enter_context(errors_of_files(None, source))
        return open_files(source, cleanup, formats=formats)
    if is_batch_source(source):
        # Their types would take a read.
        return formatted(
            Frame(tuple(map(str, source.column_names)), {}, "batches", lambda _: {}), formats
        )
    return formatted(open_frame(source), formats)


def _matched(frame: Frame, role: str, value: Any) -> tuple[str, ...]:
    """The columns that a role names; K404 where one is not there."""
    if value is None or (role == "folds" and value == "auto" and "auto" not in frame.names):
        return ()
    matched: dict[str, None] = {}
    for name in filter(None, _names(value)):
        names = matching(name, frame.names)
        if not names:
            known = _MEANINGS.get(role)
            raise unknown_column(
                name, "the slices" if known is None else meaning(known), frame.names
            )
        matched |= dict.fromkeys(names)
    return tuple(matched)


def _names(value: Any) -> Iterator[str]:
    """The names of columns in the value of a role, also in lists, crosses and dicts of models."""
    if isinstance(value, list | tuple | Mapping):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _names(item)
    else:
        yield str(value)


def _columns(frame: Frame, request: Request, *, has_models: bool) -> Columns:
    """The columns of each role: those that are named, and those that evaluate finds by name."""
    roles = {**{role: getattr(request, column) for role, column in COLUMNS.items()}}
    roles |= {role: getattr(request, role) for role in BESIDE if role != "loss"}
    named = {role: _matched(frame, role, value) for role, value in roles.items()}
    if has_models:
        return named
    table = columns_to_read(request)
    table.unique = request.ids
    try:
        asked = find_sets(table, frame.names, frame.types)
        if asked is None:
            held = find_columns(table, frame.names, frame.types)
        else:
            held = find_columns(asked.request, asked.header, asked.types)
    except KaratError:
        # What is missing may be given to the verb.
        return named
    by_name = _by_name(held)
    # A pattern of scores leaves out the columns of other roles.
    return {
        role: columns if columns and role not in ROLES else by_name.get(role, columns)
        for role, columns in named.items()
    }


def _by_name(held: TableColumns) -> Columns:
    """Role → the columns that were found by their names."""
    words = {column: role for role, column in COLUMNS.items()}
    columns: Columns = {words.get(x, x): (name,) for x, name in held.mapping.items() if name}
    if held.chosen is not None:
        columns[held.chosen.argument] = held.chosen.names
    if held.unique is not None:
        columns["ids"] = (held.unique,)
    return columns
