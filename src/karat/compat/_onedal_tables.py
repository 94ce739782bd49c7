"""Columns of labels as oneDAL reads its numeric tables, and its errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error, short

__all__ = ["Labels", "as_table", "check_rows", "refused"]

_TEXTS: Final = {
    -34: "Incorrect parameter",
    -50: "Null numeric table is not supported",
    -51: "Number of columns in numeric table is incorrect",
    -52: "Number of rows in numeric table is incorrect",
    -53: "Incorrect type of Numeric Table",
    -3016: "Class labels provided to the algorithm are incorrect",
}


@dataclass(frozen=True, eq=False)
class Labels:
    """One column of labels.

    Attributes:
        argument: oneDAL's name of the table.
        values: number[n]: whole numbers or booleans as they are, others in the type asked for.
    """

    argument: str
    values: npt.NDArray[Any]

    def classes(self, k: int) -> npt.NDArray[Any]:
        """integer[n]: the class of each label.

        Errors:
            K611 (-3016) a label that is no class.
        """
        values = self.values
        if values.dtype.kind == "f":
            # Written so that NaN is outside.
            outside = ~((values >= 0) & (values < k))
        elif values.dtype.kind == "b" or (values.min() >= 0 and values.max() < k):
            return values
        else:
            outside = (values < 0) | (values >= k)
        if outside.any():
            row, count = int(outside.argmax()), int(np.count_nonzero(outside))
            raise refused(
                -3016,
                f"{self.argument} holds labels outside 0 … {k - 1}. First at row {row}: "
                f"{values[row].item()!r}; {count} of {len(values)} rows",
                "Number the classes from 0, and give n_classes; fill or remove missing labels.",
            )
        return values.astype(np.int32)


def refused(error_id: int, found: str, do: str) -> KaratError:
    """The error that oneDAL has for it."""
    return error("K611", error_id=error_id, text=_TEXTS[error_id], found=found, do=do)


def as_table(values: Any, argument: str, kind: type[np.floating[Any]]) -> Labels:
    """Real numbers of shape [n] or [n, 1] as oneDAL reads a dense table.

    Args:
        values: numbers or booleans in a list, an array or a single column of a frame.
        argument: oneDAL's name of the table.
        kind: the type that numbers with a fraction are rounded to before anything else; whole
            numbers that are classes are exact in it.

    Errors:
        K611: -50 there is none, -51 not one column, -52 no row, -53 sparse, or no real numbers.
    """
    if values is None:
        raise refused(-50, f"{argument} was not given", "Give one number for each row.")
    array = _array_of(values, argument)
    if array.ndim != 1 and (array.ndim != 2 or array.shape[1] != 1):
        found = f"{argument} has shape {array.shape}"
        raise refused(-51, found, "Give one column: shape (n,) or (n, 1).")
    if not len(array):
        raise refused(-52, f"{argument} has 0 rows", "Give at least one row.")
    column = array.reshape(-1)
    if column.dtype.kind in "biu":
        return Labels(argument, column)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return Labels(argument, column.astype(kind, copy=False))


def check_rows(pred: Labels, true: Labels) -> None:
    """Refuse tables of different lengths.

    Errors:
        K611 (-52).
    """
    expected, actual = len(pred.values), len(true.values)
    if expected != actual:
        found = f"groundTruthLabels has {actual} rows, predictedLabels has {expected}"
        raise refused(-52, found, "Rows are matched by position; align the two before the call.")


def _array_of(values: Any, argument: str) -> npt.NDArray[Any]:
    """The values as an array of booleans or real numbers, in this machine's byte order."""
    if hasattr(values, "tocsr") or hasattr(values, "to_scipy_sparse"):
        raise _no_numbers(f"{argument} is sparse ({type(values).__name__})")
    if isinstance(values, str | bytes | bytearray | dict | set | frozenset):
        raise _no_numbers(f"{argument} is a {type(values).__name__}")
    try:
        if isinstance(values, np.ma.MaskedArray):
            values = np.where(np.ma.getmaskarray(values), np.nan, values.astype(np.float64))
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = _of_objects(array, argument)
    except KaratError:
        raise
    except Exception as problem:  # the class of the container may raise anything
        found = f"{argument}, a {type(values).__name__}, cannot be read: {short(problem, 200)}"
        raise _no_numbers(found) from problem
    if array.dtype.kind not in "biuf":
        raise _no_numbers(f"{argument} has the dtype {array.dtype}")
    if array.ndim == 0:
        raise _no_numbers(f"{argument} is a single {type(values).__name__}")
    return np.require(array, array.dtype.newbyteorder("="), "A")


def _of_objects(array: npt.NDArray[Any], argument: str) -> npt.NDArray[np.float64]:
    found = np.full(array.size, np.nan)
    for place, item in enumerate(array.flat):
        if isinstance(item, int | float | np.integer | np.floating | np.bool_):
            found[place] = float(item)
        elif item is not None and type(item).__name__ not in ("NAType", "NaTType"):
            raise _no_numbers(f"{argument} holds {short(item)} ({type(item).__name__})")
    return found.reshape(array.shape)


def _no_numbers(found: str) -> KaratError:
    return refused(-53, found, "Give a dense column of real numbers.")
