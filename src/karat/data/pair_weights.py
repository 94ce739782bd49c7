"""What matched rows of several models weigh: a row weighs the same whoever predicts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from karat.data.row_names import row_called
from karat.data.rows import Rows
from karat.errors import error, short

__all__ = ["with_common_weights"]

_CLOSE: Final = 1e-9
"""A weight that was written and read again is the same to this part."""


def with_common_weights(models: Sequence[Rows], notes: list[str], by: str) -> list[Rows]:
    """All models with the weights that some of them say, whatever their order.

    Args:
        models: matched rows, on one class axis.
        notes: where is told whose weights the others were given.
        by: what the rows were matched by.

    Errors:
        K177 two of them say others.
    """
    said = [rows for rows in models if rows.weights is not None]
    if not said:
        return list(models)
    first = said[0]
    assert first.weights is not None
    for rows in said[1:]:
        assert rows.weights is not None
        differs = ~np.isclose(rows.weights, first.weights, rtol=_CLOSE, atol=0.0)
        if not differs.any():
            continue
        row = int(differs.argmax())
        raise error(
            "K177",
            left=first.name,
            right=rows.name,
            count=int(np.count_nonzero(differs)),
            n=first.n,
            by=by,
            which=row_called(first.ids, row, by),
            left_value=float(first.weights[row]),
            right_value=float(rows.weights[row]),
        )
    silent = [rows.name for rows in models if rows.weights is None]
    if silent:
        have = "has" if len(silent) == 1 else "have"
        column = (first.mapping or {}).get("weights")
        of_column = f", column {short(column)}" if column else ""
        notes.append(
            f"{' and '.join(silent)} {have} no weights: "
            f"each row weighs what it weighs in {first.name}{of_column}."
        )
    return [replace(rows, weights=first.weights) for rows in models]
