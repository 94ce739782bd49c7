"""Codes with a list of values (pandas categories, Arrow dictionaries) → `Column`, never hashed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from karat.data.labels.column import (
    Codes,
    Column,
    Flags,
    Nulls,
    coded,
    occurring,
    refused,
    with_missing,
    without_labels,
)
from karat.data.labels.identity import NotALabelError, label_of
from karat.errors import error, shown
from karat.tally.classes import Label

__all__ = ["common_order", "declared_order", "encode_dictionary"]


def encode_dictionary(
    codes: Codes,
    values: Sequence[object],
    argument: str,
    nulls: Nulls,
    *,
    missing: Flags | None = None,
    is_ordered: bool = False,
) -> Column:
    """Labels of stored codes, used as they are.

    Args:
        codes: integer[n]; what lies in missing rows means nothing.
        values: what each code stands for; only those that a row has need to be labels.
        missing: bool[n], or None when every row has a value.
        is_ordered: whether the order of `values` is part of the data.

    Errors:
        K104 missing, K105 not whole, K106 not a label or a code outside, K107 mixed.
    """
    if missing is not None:
        without_labels(argument, missing, nulls)
    labels, unusable = _labels(values)
    seen = np.flatnonzero(occurring(argument, codes, len(values), missing=missing)).tolist()
    without_label = [place for place in seen if labels[place] is None]
    if without_label:
        bad = [place for place in without_label if place in unusable]
        if bad:
            raise _refusal(argument, codes, missing, values, bad, unusable)
        is_null = np.isin(codes, without_label)
        missing = is_null if missing is None else is_null | missing
    used: list[Label | None] = [None] * len(values)
    for place in seen:
        used[place] = labels[place]
    order = declared_order(labels) if is_ordered else None
    column = coded(argument, codes, used, missing=missing, order=order)
    return with_missing(column, missing, nulls)


def _labels(values: Iterable[object]) -> tuple[list[Label | None], dict[int, str]]:
    """The label of each value; for those that are none, the code of the error."""
    labels: list[Label | None] = []
    unusable: dict[int, str] = {}
    for place, value in enumerate(values):
        try:
            labels.append(label_of(value))
        except NotALabelError as problem:
            labels.append(None)
            unusable[place] = problem.code
    return labels, unusable


def _refusal(
    argument: str,
    codes: Codes,
    missing: Flags | None,
    values: Sequence[object],
    bad: list[int],
    unusable: dict[int, str],
) -> Exception:
    """The error of the first row whose value is no label."""
    rows = np.isin(codes, bad) if missing is None else np.isin(codes, bad) & ~missing
    row = int(rows.argmax())
    place = int(codes[row])
    n_bad = int(np.count_nonzero(rows))
    return refused(argument, unusable[place], values[place], row, n_bad, len(codes))


def declared_order(labels: Iterable[Label | None]) -> tuple[Label, ...]:
    """Declared categories, each once."""
    return tuple(dict.fromkeys(label for label in labels if label is not None))


def common_order(left: Column, right: Column) -> tuple[Label, ...] | None:
    """The order that two columns declare together; None when neither declares one.

    Errors:
        K118 both declare one and neither contains the other.
    """
    if left.order is None or right.order is None:
        return left.order if right.order is None else right.order
    longer, shorter = sorted((left.order, right.order), key=len, reverse=True)
    remaining = iter(longer)
    if all(label in remaining for label in shorter):
        return longer
    raise error(
        "K118",
        left=left.argument,
        right=right.argument,
        left_order=shown(left.order),
        right_order=shown(right.order),
    )
