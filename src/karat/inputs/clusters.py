"""Clusters of any container → one number a row: rows with the same number go together."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.errors import error
from karat.inputs.column import Column, resolved
from karat.inputs.labels import encode

__all__ = ["as_clusters", "codes_of_clusters"]


def as_clusters(
    values: Any, n: int, argument: str = "clusters", *, beside: str = "y_true"
) -> npt.NDArray[np.int64]:
    """int64[n]: the cluster of each row, numbered from 0.

    Args:
        values: names or whole numbers in any container that holds labels.
        n: the number of rows of the labels.
        beside: the name of the labels in messages.

    Errors:
        K101 to K107 as labels: empty, not one column, missing, not whole; K102 another number
        of rows.

    Cost: one pass; text is hashed once.

    Example:
        >>> as_clusters(["ann", "bob", "ann"], 3).tolist()
        [0, 1, 0]
    """
    column = encode(values, argument)
    if len(column) != n:
        raise error("K102", left=beside, n_left=n, right=argument, n_right=len(column))
    return codes_of_clusters(column)


def codes_of_clusters(column: Column) -> npt.NDArray[np.int64]:
    """int64[n]: numbers from 0 for the values of a column without missing rows."""
    if column.labels is not None:
        # Two codes may stand for one value where a host stores it twice.
        found = resolved(column)
        return np.unique(found.codes, return_inverse=True)[1].astype(np.int64)
    codes, _ = _native.encode_integers(column.codes)
    return np.asarray(codes, np.int64)
