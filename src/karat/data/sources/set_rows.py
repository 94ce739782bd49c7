"""Columns of some rows of a table → rows with sets of labels; the same for tables and batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from karat.data.accumulator import Origin
from karat.data.labels.sets import SetColumn, align_sets, are_nothing, are_sets, encode_sets
from karat.data.sources.set_columns import SetColumns, WideColumns
from karat.data.weights import as_weights, refuse_sums, refuse_weights
from karat.errors import KaratError, error
from karat.errors.options import option
from karat.tally.classes import Label
from karat.tally.set_tally import SetRows
from karat.tally.sets import read_matrix

_N_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class SetReading:
    """How columns become rows with sets.

    Attributes:
        found: column by role: ``true``, ``pred``, maybe ``weights``; patterns where `wide` is.
        wide: the columns of one label each, or None.
        separator: what separates the labels of a text, or None.
        labels: the labels in order, or None.
        nulls: ``"error"``, or ``"drop"`` to leave out rows without prediction or weight.
    """

    found: Mapping[str, str]
    wide: WideColumns | None = None
    separator: str | None = None
    labels: tuple[Label, ...] | None = None
    nulls: Literal["error", "drop"] = "error"

    @classmethod
    def of(cls, asked: SetColumns, found: Mapping[str, str], **changed: Any) -> SetReading:
        """What a table is asked for, once the columns of its roles are known."""
        request = asked.request
        labels = None if request.labels is None or asked.wide else tuple(request.labels)
        given: dict[str, Any] = {"labels": labels, "nulls": request.nulls, **changed}
        return cls(dict(found), asked.wide, request.separator, **given)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read."""
        names = [self.found[role] for role in ("true", "pred")]
        if self.wide is not None:
            names = [*self.wide.true, *self.wide.pred]
        names += [self.found["weights"]] if "weights" in self.found else []
        return tuple(dict.fromkeys(names))

    def column(self, values: Mapping[str, Any], role: Literal["true", "pred"]) -> SetColumn:
        """The sets of one side.

        Errors:
            As of `encode_sets`; K197 a cell that is neither 0 nor 1; K221 one label a row.
        """
        name = self.found[role]
        argument = f"column {name!r}"
        if self.wide is not None:
            wide = self.wide
            names = wide.true if role == "true" else wide.pred
            return _of_cells([values[each] for each in names], names, name, wide.labels)
        own = values[name]
        if self.separator is None and not are_sets(own) and not are_nothing(own):
            kind = getattr(own, "format", "")
            if kind.startswith("+"):
                found = f"Its Arrow type has the format {kind!r}"
                raise error("K106", argument=argument, found=found)
            how = option("separator")
            found = (
                f"Column {name!r} has one label a row, and the other one lists ({how} splits text)"
            )
            raise error("K221", found=found)
        return encode_sets(own, argument, self.labels, self.separator)

    def rows(
        self,
        values: Mapping[str, Any],
        weights: Any = None,
        *,
        is_part: bool = False,
        decoded: Callable[[SetColumn], SetColumn] | None = None,
    ) -> tuple[SetRows, npt.NDArray[np.bool_] | None]:
        """The rows, and bool[n] of those that were kept; None when all were.

        Args:
            values: the columns by name.
            weights: float[n], where no column has them.
            is_part: whether other rows come beside them.
            decoded: makes labels of what is read.

        Errors:
            K101 to K109, K196, K197 the sets; K113 to K116 weights; K221, K223, K227.
        """
        true, pred = self.column(values, "true"), self.column(values, "pred")
        if decoded is not None:
            true, pred = decoded(true), decoded(pred)
        kept = np.ones(pred.n, np.bool_)
        if self.nulls == "drop":
            if pred.missing is not None:
                kept &= ~pred.missing
            if pred.unknown is not None:
                kept &= pred.unknown.sizes == 0
            pred = replace(pred, missing=None, unknown=None)
        rows = align_sets(true, pred, self.labels, is_part=is_part)
        argument = "weights"
        if "weights" in self.found:
            weights, argument = values[self.found["weights"]], f"Column {self.found['weights']!r}"
        if weights is not None and not isinstance(weights, str):
            given = as_weights(weights, rows.n, argument, beside=true.argument)
            if self.nulls == "drop":
                kept &= ~np.isnan(given)
            _refuse_weights(given[kept], kept, argument, is_part=is_part)
            rows = replace(rows, weights=given)
        if kept.all():
            return rows, None
        if not is_part and not kept.any():
            raise error("K101", argument=f"{true.argument} without its missing rows")
        return rows.at(kept), kept


def _refuse_weights(
    weights: npt.NDArray[np.float64], kept: npt.NDArray[np.bool_], argument: str, *, is_part: bool
) -> None:
    try:
        if not is_part or weights.any():
            refuse_weights(weights, argument)
            refuse_sums(np.array([weights.sum()]), argument)
    except KaratError as problem:
        if "row" not in problem.context or kept.all():
            raise
        row = int(np.flatnonzero(kept)[problem.context["row"]])
        raise error(problem.code, **{**problem.context, "row": row}) from None


def _of_cells(
    columns: Sequence[Any], names: Sequence[str], pattern: str, labels: tuple[Label, ...]
) -> SetColumn:
    """Columns of 0 and 1, booleans and nulls."""
    n = len(columns[0])
    cells = np.empty((n, len(columns)))
    for place, (values, name) in enumerate(zip(columns, names, strict=True)):
        argument = f"Column {name!r}"
        try:
            cells[:, place] = as_weights(values, n, argument, beside=f"Column {names[0]!r}")
        except KaratError as problem:
            if problem.code != "K116":
                raise
            told = f"{problem.context['found']}; the cells of a label are 0, 1 or null"
            raise error("K106", argument=argument, found=told) from None
    if not n:
        raise error("K101", argument=f"Column {names[0]!r}")
    found = read_matrix(cells)
    argument = f"column group {pattern!r}"
    if found.others is not None:
        row, column, count = found.others
        value = cells[row, column].item()
        facts = {"row": row, "column": repr(names[column]), "value": value, "count": count}
        raise error("K197", argument=argument, **facts)
    return SetColumn(argument, found.sets, None, labels, found.unknown)


def origin_of_sets(
    reading: SetReading,
    mapping: Mapping[str, str | None],
    facts: Mapping[str, Any],
    warnings: Sequence[str],
    first: Sequence[Sequence[Label]],
) -> Origin:
    """Where rows came from; of text also how its first rows were split."""
    facts = dict(facts)
    if reading.separator is not None:
        facts |= {"separator": reading.separator, "first_sets": list(first)}
    return Origin(dict(mapping), facts, tuple(warnings))


def first_sets(rows: SetRows) -> list[list[Label]]:
    """The true labels of the first rows, for whoever checks how text was split."""
    labels, true = rows.classes.labels, rows.true
    bounds = zip(true.starts[:_N_SHOWN], true.starts[1 : _N_SHOWN + 1], strict=False)
    return [[labels[i] for i in true.items[first:last].tolist()] for first, last in bounds]
