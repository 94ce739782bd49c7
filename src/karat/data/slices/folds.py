"""Folds of rows in memory and in tables: the fold of each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from karat.data.slices.codes import MOST_FOLDS, SliceCodes, coded_values, crossed
from karat.data.sources.tables.frames import is_frame, open_frame
from karat.errors import error, short, shown
from karat.tally.axes import MISSING
from karat.tally.folds import ROLES, FoldColumns, plain_number

AUTO: Final = "auto"
"""Text that asks for the column of folds by its name."""


def folds_of_arrays(folds: Any, n: int) -> tuple[FoldColumns, SliceCodes]:
    """Return the fold of each row in memory.

    Args:
        folds: one value for each row, [n]; or a mapping with ``"fold"``, and where they are known
            ``"repeat"``, ``"holdout"`` and ``"train_size"``, of such values, or a table of columns
            of these names.
        n: rows.

    Errors:
        K102 another number of rows; K106 values of several kinds; K250 any other type.

    Example:
        >>> columns, codes = folds_of_arrays({"repeat": [0, 0, 1, 1], "fold": [0, 1, 0, 1]}, 4)
        >>> columns.key, codes.keys
        (('repeat', 'fold'), (('0', '0'), ('0', '1'), ('1', '0'), ('1', '1')))
    """
    if isinstance(folds, str):
        raise error(
            "K250",
            found=f"karat.Folds({folds!r}) names a column, and there is no table",
            do="Give the fold of each row: karat.Folds(values).",
        )
    given = columns_of_folds(folds)
    if "fold" not in given or not set(given) <= set(ROLES):
        raise error(
            "K250",
            found=f"karat.Folds has {shown(map(str, given)) or 'nothing'}",
            do="Give fold, and where they are known repeat, holdout and train_size.",
        )
    named: dict[str, Any] = {role: role for role in given}
    columns = FoldColumns(**named)
    parts = [_coded(given[role], f"{role} of karat.Folds", role, n) for role in columns.roles]
    return columns, crossed(parts, MOST_FOLDS)


def columns_of_folds(folds: Any) -> dict[str, Any]:
    """Return the columns of folds by their roles: those of a dict or of a table, or the fold."""
    if not isinstance(folds, Mapping) and is_frame(folds):
        frame = open_frame(folds)
        if len(frame.names) > 1:
            return dict(frame.columns(frame.names))
    return dict(folds) if isinstance(folds, Mapping) else {"fold": folds}


def _coded(values: Any, argument: str, role: str, n: int) -> SliceCodes:
    if isinstance(values, bool | int | float | None):
        raise error(
            "K250", found=f"{argument} is {short(values)}", do="Give one value for each row."
        )
    return coded_folds(values, role, n, argument)


def coded_folds(values: Any, name: str, n: int, argument: str | None = None) -> SliceCodes:
    """Return the slices of a column of folds: one for each value, never bins of numbers."""
    made = coded_values(values, name, n, keeps_numbers=True, argument=argument)
    if made.numbers is None or not made.bins:
        return replace(made, numbers=None)
    there = ~np.isnan(made.numbers)
    known, codes = np.unique(made.numbers[there], return_inverse=True)
    names = [plain_number(str(number)) for number in known.tolist()]
    names += [] if there.all() else [MISSING]
    placed = np.full(n, len(known), np.int32)
    placed[there] = codes.reshape(-1)
    return SliceCodes(made.columns, placed, tuple((text,) for text in names))
