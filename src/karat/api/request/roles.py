"""Roles of rows: which arguments of a verb are values, and which name columns of data."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from numbers import Integral
from os import PathLike
from typing import Any, Final

from karat.data.sources.arrays.sets import fits_columns
from karat.data.sources.files.paths import names_files
from karat.data.sources.tables.frames import is_frame
from karat.errors import error
from karat.errors.options import option
from karat.tally.score_kind import ROLES

COLUMNS: Final[dict[str, str]] = {"y_true": "true", "y_pred": "pred"} | dict(ROLES.items())
"""Role → the option of a request that names its column."""
_OF_SCORES: Final = tuple(ROLES)


def with_roles(verb: str, values: dict[str, Any]) -> dict[str, Any]:
    """The options of a request, from arguments of which the first two have no name.

    Errors:
        K156 a role is given twice; K142 values beside data; K143 columns without data.
    """
    data, predictions = values.pop("data", None), values.pop("predictions", None)
    if "ids" in values and verb in ("gate", "Monitor.add"):
        values["id"] = values.pop("ids")
    is_data = _is_data(data)
    if predictions is None:
        named = {role for role in COLUMNS if _are_names(role, values.get(role), is_data=is_data)}
        if named or (verb != "compare" and is_data and not _are_labels(data, values)):
            return _of_columns(verb, data, values, named, is_data=is_data)
    elif isinstance(predictions, str) and is_data and verb != "compare":
        do = f"Say what it is: karat.{verb}(table, y_true=…, {option('y_pred', predictions)})."
        raise error("K142", argument="y_pred", do=do)
    for role, value in (("y_true", data), ("y_pred", predictions)):
        if value is None:
            continue
        if values.get(role) is not None:
            do = "The first two arguments are the true and the predicted labels."
            raise error("K156", function=verb, argument=role, do=do)
        values[role] = value
    return values


def _is_data(data: Any) -> bool:
    """True for a table, but for a column of a partitioned one, and for names of files."""
    if not is_frame(data):
        return names_files(data)
    # Any attribute of a frame of Spark may be one of its columns.
    n_axes = getattr(data, "ndim", None)
    return not (isinstance(n_axes, int) and n_axes == 1)


def _are_names(role: str, value: Any, *, is_data: bool) -> bool:
    """True if a value of a role names columns; beside data numbers may do so, too."""
    if isinstance(value, str) or not is_data:
        return isinstance(value, str)
    if role not in _OF_SCORES:
        # A frame may name its columns by numbers, or by tuples.
        return isinstance(value, tuple | Integral) and not isinstance(value, bool)
    is_number = isinstance(value, Integral)
    return is_number or (
        not is_frame(value) and all(isinstance(x, str | Integral) for x in _items(value))
    )


def _items(values: Any) -> list[Any]:
    """The items of a sequence, or a value that is none as the only item."""
    if isinstance(values, Mapping | AbstractSet | bytes):
        return [values]
    try:
        return list(values) or [values]
    except Exception:  # the class of the container may raise anything
        return [values]


def _are_labels(data: Any, values: Mapping[str, Any]) -> bool:
    """True if what looks like data is the truth of values beside it."""
    scores = next((values[role] for role in _OF_SCORES if values.get(role) is not None), None)
    if isinstance(data, list | tuple):
        # Strings in a list next to scores are labels.
        return scores is not None or values.get("y_pred") is not None
    if isinstance(data, str | PathLike):
        return False
    # A frame of one column, or an indicator, with its predictions or scores.
    if scores is None:
        return _are_values(values.get("y_pred"))
    return fits_columns(data, scores)


def _of_columns(
    verb: str, data: Any, values: dict[str, Any], named: AbstractSet[str], *, is_data: bool
) -> dict[str, Any]:
    """Options of data and of the columns of roles, where they are named."""
    if named and (data is None or (_are_values(data) and not is_data)):
        role = next(role for role in COLUMNS if role in named)
        found = f"{option(role, values[role])} was given without data"
        do = "Give the table or its files first: karat.evaluate(frame, y_true=…, y_pred=…)."
        raise error("K143", argument=role, found=found, do=do)
    columns = {}
    for role, column in COLUMNS.items():
        value = values.get(role)
        if value is None or (verb == "compare" and role not in named):
            continue
        if role not in named and _are_values(value):
            do = f"Name its column of the data: {option(role)}'…'."
            raise error("K142", argument=role, do=do)
        columns[column] = values.pop(role)
    return {**values, **columns, "y_true": data}


def _are_values(value: Any) -> bool:
    """True if a value is a column of values, and no wrong name of one."""
    is_sequence = isinstance(value, list | tuple) and len(value) > 0
    return is_sequence or hasattr(value, "shape") or hasattr(value, "__arrow_c_stream__")
