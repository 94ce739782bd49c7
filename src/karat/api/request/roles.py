"""Roles of rows: which arguments of a verb are values, and which name columns of data."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from numbers import Integral
from typing import Any, Final

from karat.api.request.data import Data, merged, refuse_repeated
from karat.data.labels.containers import host_of, is_sparse
from karat.data.roles import find_roles, named_columns
from karat.data.slices.codes import name_of
from karat.data.sources.distributed.frames import pieces_of, refuse_distributed
from karat.data.sources.files.paths import names_files
from karat.data.sources.tables.beside import MARK, RoleValues, with_values
from karat.data.sources.tables.frames import Frame, family_of, is_frame, open_frame
from karat.errors import error, short
from karat.errors.options import option
from karat.results.roles import NAMES
from karat.tally.score_kind import ROLES

COLUMNS: Final[dict[str, str]] = {name: role for role, name in NAMES.items()}
"""Role → the option of a request that names its column."""
OUTPUTS: Final = ("y_pred", *ROLES)
BESIDE: Final = ("weights", "clusters", "by", "ids", "folds", "loss")
"""The other roles of a row."""
_OF_SCORES: Final = tuple(ROLES)
_PARTS_OF_FOLDS: Final = ("fold", "repeat", "holdout", "train_size")


def with_roles(verb: str, values: dict[str, Any]) -> dict[str, Any]:
    """The options of a request, from arguments of which the first two have no name.

    Errors:
        K102, K454 values beside a table that are of other rows; K142, K158 what is no column;
        K143 columns without data; K156 a role is given twice; K416 a column of a partitioned frame;
        K421 values beside files.
    """
    if isinstance(values.get("data"), Data):
        values = merged(verb, values["data"], values)
    if verb == "read":
        return values
    data, predictions = values.pop("data", None), values.pop("predictions", None)
    if isinstance(data, Mapping) and verb == "compare":
        for source in data.values():
            if isinstance(source, Data):
                refuse_repeated(verb, source, values)
    if verb == "compare" and predictions is not None and is_data(data):
        is_dict = isinstance(predictions, Mapping)
        columns = list(predictions.values()) if is_dict else predictions
        if _are_all(columns, str):
            _refuse_twice(verb, "y_pred", values)
            values["y_pred"], predictions = predictions, None
    elif isinstance(predictions, str) and is_data(data):
        do = f"Name it: karat.{verb}(table, y_true=…, {option('y_pred', predictions)})."
        raise error("K142", argument="y_pred", do=do)
    if predictions is None and _is_data_of(verb, data, values):
        values = _of_data(verb, data, values)
    else:
        unnamed = {"y_true": data, "y_pred": predictions}
        unnamed = {role: value for role, value in unnamed.items() if value is not None}
        for role in unnamed:
            # Beside one argument, text names a column of what is no table.
            if predictions is not None or not isinstance(values.get(role), str):
                _refuse_twice(verb, role, values)
        _refuse_names(data, values)
        values |= unnamed
    if "ids" in values and verb in _MATCHED:
        values["id"] = values.pop("ids")
    return values


_MATCHED: Final = ("gate", "Monitor.add", "compare")
"""Verbs whose ids match the rows of several sources."""


def of_described(verb: str, data: Data) -> dict[str, Any]:
    """The options of a request for described rows, as a verb that matches rows reads them.

    The source is that of `y_true`.
    """
    merged(verb, data, {})
    return with_roles("gate", {"data": data})


def _refuse_twice(verb: str, role: str, values: Mapping[str, Any]) -> None:
    if values.get(role) is not None:
        do = "The first two arguments are the true and the predicted labels."
        found = f"{verb} was given {role}=, and also without a name"
        raise error("K156", argument=f"{role}=", found=found, do=do)


def _refuse_names(data: Any, values: Mapping[str, Any]) -> None:
    """Refuse the name of a column without data (K143), or beside what is no table (K412)."""
    for role in COLUMNS:
        if isinstance(values.get(role), str):
            if data is not None and not _are_values(data):
                open_frame(data)
            found = f"{option(role, values[role])} was given without data"
            do = "Give the table or its files first: karat.evaluate(frame, y_true=…, y_pred=…)."
            raise error("K143", argument=role, found=found, do=do)


def is_data(data: Any) -> bool:
    """True for a table, but for a column of a partitioned one, and for names of files."""
    if not is_frame(data):
        return isinstance(data, Data) or names_files(data)
    # Any attribute of a frame of Spark may be one of its columns.
    n_axes = getattr(data, "ndim", None)
    return not (isinstance(n_axes, int) and n_axes == 1)


def _is_data_of(verb: str, data: Any, values: Mapping[str, Any]) -> bool:
    """True if the first argument, without a second one, is data and no truth."""
    if not is_data(data):
        return False
    outputs = {role: values[role] for role in OUTPUTS if values.get(role) is not None}
    if isinstance(data, list | tuple):
        # Strings in a list beside values are labels.
        return all(_is_name(role, value) for role, value in outputs.items())
    if verb != "compare" or not isinstance(data, Mapping):
        return True
    if any(host_of(x) == "karat" and not is_data(x) for x in data.values()):
        # The report of each model.
        return False
    # The truth of each model has their names.
    are_truths = [isinstance(x, Mapping) and {*x} == {*data} for x in outputs.values()]
    return not (are_truths and all(are_truths))


def _of_data(verb: str, data: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Options of data: names of columns, of which some hold values that were given beside it."""
    frame = None
    columns: dict[str, Any] = {}
    for role in (*COLUMNS, *BESIDE):
        value = values.get(role)
        are_models = verb == "compare" and role in OUTPUTS
        if value is None or (_name_models(value) if are_models else _is_name(role, value)):
            continue
        if (where := _where_without_order(verb, data)) is not None and _are_values(value):
            raise error("K421", argument=role, kind=type(value).__name__, where=where)
        if where is not None:
            continue
        frame = frame or open_frame(data)
        values[role], held = _named(verb, role, value, frame)
        columns |= held
    if columns:
        assert frame is not None
        _check_truth(frame, values, columns)
        data = with_values(data, columns)
    named = {}
    for role, column in COLUMNS.items():
        # Models have several columns of a role.
        if values.get(role) is not None and (verb != "compare" or _is_name("y_true", values[role])):
            named[column] = values.pop(role)
    return {**values, **named, "y_true": data, "has_data": True}


def _where_without_order(verb: str, data: Any) -> str | None:
    """Where rows are that no values can stand beside; None of a table in memory."""
    if names_files(data):
        return "files"
    if verb == "compare" and isinstance(data, Mapping) and all(map(is_data, data.values())):
        return "the sources of models"
    kind = type(data)
    if kind.__module__.partition(".")[0] in ("duckdb", "_duckdb"):
        return "a relation of DuckDB"
    return pieces_of(data)


def _is_name(role: str, value: Any) -> bool:
    """True if a value names the columns of a role; a frame may name them by numbers or tuples."""
    if isinstance(value, str):
        return True
    if isinstance(value, Integral):
        return not isinstance(value, bool)
    if role in _OF_SCORES:
        return _are_all(value, str | Integral) or _is_array_of_text(value)
    if role == "by":
        return isinstance(value, tuple) or _are_all(value, str | int | tuple)
    return isinstance(value, tuple)


def _are_all(value: Any, kinds: Any) -> bool:
    """True for a list or a tuple, not empty, of items of these types, and of no flags."""
    if not isinstance(value, list | tuple):
        return False
    return bool(value) and all(isinstance(x, kinds) and not isinstance(x, bool) for x in value)


def _is_array_of_text(value: Any) -> bool:
    """True for an array of texts, as names of columns are."""
    if is_frame(value) or is_sparse(value) or getattr(value, "ndim", 0) != 1:
        return False
    if family_of(getattr(value, "dtype", "other")) not in ("text", "unknown"):
        return False
    return _are_all(list(value), str)


def _name_models(value: Any) -> bool:
    """True if a value names a column, or several, of each model."""
    if isinstance(value, Mapping):
        return bool(value) and all(isinstance(x, str) or _are_all(x, str) for x in value.values())
    return isinstance(value, str) or _are_all(value, str)


def _are_values(value: Any) -> bool:
    """True if a value holds one value for each row, and is no wrong name of a column."""
    if isinstance(value, Mapping):
        return bool(value) and not all(isinstance(item, str) for item in value.values())
    if isinstance(value, list | tuple):
        return len(value) > 0
    if isinstance(value, bytes | AbstractSet):
        return False
    return any(hasattr(value, x) for x in ("shape", "__len__", "__arrow_c_stream__", "__next__"))


def _named(verb: str, role: str, value: Any, frame: Frame) -> tuple[Any, dict[str, Any]]:
    """The name of the column of a role, and the columns of values that were given for it."""
    if verb == "compare" and role in OUTPUTS:
        return _of_models(role, value)
    if not _are_values(value):
        return value, {}
    refuse_distributed(value, role)
    if hasattr(value, "__next__"):
        value = list(value)
    if role not in (*_OF_SCORES, "by") and _are_all(value, str):
        wanted = "the name of a column"
        do = "Beside a table a list of text names columns: give values as an array or a Series."
        facts = {"value": short(value), "kind": type(value).__name__}
        raise error("K158", argument=role, wanted=wanted, do=do, **facts)
    if role == "by":
        return _of_slices(value, frame)
    if role == "folds" and (isinstance(value, Mapping) or is_frame(value)):
        return _of_folds(value)
    held = RoleValues(role, value)
    return held.name, held.columns


def _of_models(role: str, value: Any) -> tuple[Any, dict[str, Any]]:
    """The columns of each model, some of which hold values."""
    if not isinstance(value, Mapping) and is_frame(value):
        frame = open_frame(value)
        value = frame.columns(frame.names)
    if not isinstance(value, Mapping):
        return value, {}
    names: dict[Any, Any] = {}
    columns: dict[str, Any] = {}
    for model, each in value.items():
        is_name = isinstance(each, str) or (role in _OF_SCORES and _are_all(each, str))
        if is_name or not _are_values(each):
            names[model] = each
            continue
        held = RoleValues(f"{role} of {model}", each)
        names[model] = held.name
        columns |= held.columns
    return names, columns


def _of_slices(value: Any, frame: Frame) -> tuple[Any, dict[str, Any]]:
    """The columns of slices that are values: one, or several by name."""
    if isinstance(value, Mapping):
        items = list(value.items())
    elif is_frame(value):
        table = open_frame(value)
        items = list(table.columns(table.names).items())
    else:
        items = [(name_of(value), value)]
    names: list[Any] = []
    columns: dict[str, Any] = {}
    for name, values in items:
        is_cross = isinstance(name, tuple)
        parts = zip(name, values, strict=True) if is_cross else [(name, values)]
        held = {(f"{x}{MARK}" if str(x) in frame.names else str(x)): y for x, y in parts}
        names.append(tuple(held) if is_cross else next(iter(held)))
        columns |= held
    return names[0] if len(names) == 1 else names, columns


def _of_folds(value: Any) -> tuple[Any, dict[str, Any]]:
    """The columns of folds, with those of repeats and of what was held out."""
    if isinstance(value, Mapping) and any(isinstance(x, str) for x in value.values()):
        held = {part: f"{part}{MARK}" for part, x in value.items() if not isinstance(x, str)}
        return {**value, **held}, {name: value[part] for part, name in held.items()}
    frame = open_frame(value)
    columns = frame.columns(frame.names)
    if len(columns) == 1 and not isinstance(value, Mapping):
        (values,) = columns.values()
        return f"folds{MARK}", {f"folds{MARK}": values}
    if "fold" not in columns or not set(columns) <= set(_PARTS_OF_FOLDS):
        raise error(
            "K250",
            found=f"{option('folds')} has the keys {named_columns(columns)}",
            do="Give 'fold', and where they are known 'repeat', 'holdout' and 'train_size'.",
        )
    return "fold", columns


def _check_truth(frame: Frame, values: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
    """Refuse a table without a truth beside outputs that are values: it may be the truth itself."""
    if not any(name.startswith(OUTPUTS) for name in columns) or values.get("y_true") is not None:
        return
    others = ("judge", "loss")
    if any(values.get(name) is not None for name in others) or _begins_with_truth(frame):
        return
    if not find_roles(frame.names, frame.types, needs=()).candidates["true"]:
        how = f"{option('y_true', 'NAME')}. If the table is an indicator of the true labels, it is "
        facts = {"columns": named_columns(frame.names), "option": f"{how}y_true=table"}
        raise error("K406", role="the true labels", **facts)


def _begins_with_truth(frame: Frame) -> bool:
    return sum(name.lower().startswith(("true_", f"y_true{MARK}")) for name in frame.names) > 1
