"""Columns of probabilities or scores put in the order of the classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from karat.data.labels.column import Column
from karat.data.scores.columns import ScoreColumns
from karat.data.scores.containers import Scores
from karat.data.scores.order import Placed, place_columns
from karat.errors import KaratError

__all__ = ["in_order", "not_scores", "placed"]

_OF_NAMES = ("K134", "K135", "K137", "K410")
_BLOCK_BYTES = 1 << 24


def placed(
    chosen: ScoreColumns, k: int, true: Column, pred: Column | None, labels: Any, positive: Any
) -> Placed:
    """The classes of score columns; see `place_columns`.

    Args:
        k: the number of classes that the columns are for.
    """
    return place_columns(
        true,
        pred,
        k,
        argument=chosen.argument,
        names=chosen.names,
        endings=chosen.endings,
        how=chosen.how,
        are_places=chosen.are_places,
        labels=labels,
        positive=positive,
    )


def not_scores(problem: KaratError, chosen: ScoreColumns, *, has_pred: bool) -> str:
    """What to tell of columns that are called like scores and do not fit the classes or the files.

    Only what nobody asked for is left out, and only where predictions can be read instead.

    Errors:
        The problem itself, where it is the caller's.
    """
    if chosen.how != "found" or not has_pred or problem.code not in _OF_NAMES:
        raise problem
    lines = [line.strip() for line in str(problem).splitlines()]
    what = lines[0].partition("  ")[2]
    return f"{chosen.shown} was not read as {chosen.role}: {what} {lines[1]}"


def in_order(scores: Scores, order: tuple[int, ...] | None) -> Scores:
    """Scores with their columns in another order, moved within the matrix.

    Args:
        order: the place of each column; None when they stand in order.

    Cost: one pass, in blocks; the matrix must be owned.
    """
    if order is None:
        return scores
    values = scores.values
    places = np.array(order)
    n_block = max(1, _BLOCK_BYTES // max(1, values.itemsize * values.shape[1]))
    for start in range(0, len(values), n_block):
        block = values[start : start + n_block]
        block[:] = block[:, places]
    names = scores.columns
    if names is not None and len(names) == len(order):
        names = tuple(names[place] for place in order)
    return replace(scores, columns=names)
