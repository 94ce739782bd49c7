"""Columns of some rows of a table → rows with sets of labels; the same for tables and batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from karat.data.accumulator import Origin
from karat.data.clusters import encode_names, names_of_column
from karat.data.labels.column import Nulls
from karat.data.labels.sets import SetColumn, align_sets, are_nothing, are_sets, encode_sets
from karat.data.roles import shown_column
from karat.data.scores.containers import gathered
from karat.data.scores.labels import placed_scores, with_labels_of_scores
from karat.data.scores.order import not_scores
from karat.data.sources.columns import TableColumns
from karat.data.sources.set_columns import ScoresOfLabels, SetColumns, WideColumns, place_scores
from karat.data.weights import as_weights, refuse_sums, refuse_weights
from karat.errors import KaratError, error, shown
from karat.errors.options import option
from karat.errors.reasons import NotWeightsError, UnknownLabelError
from karat.tally.cells import Axis
from karat.tally.classes import Label
from karat.tally.score_kind import ROLES
from karat.tally.set_tally import CLUSTERS, IDS, SetRows
from karat.tally.sets import Sets, read_matrix

_N_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class SetReading:
    """Conversion of columns to rows with sets.

    Attributes:
        found: column by role: ``true``, maybe ``pred``, ``weights``, ``clusters`` and ``id``;
            patterns where `wide` is.
        wide: the columns of one label each, or None.
        separator: what separates the labels of a text, or None.
        labels: the labels in order, or None.
        nulls: ``"error"``, or ``"drop"`` to leave out rows without prediction or weight.
        scores: the columns of scores, or None.
        is_frequency: whether a row of weight 3 stands for three rows.
    """

    found: Mapping[str, str]
    wide: WideColumns | None = None
    separator: str | None = None
    labels: tuple[Label, ...] | None = None
    nulls: Literal["error", "drop"] = "error"
    scores: ScoresOfLabels | None = None
    is_frequency: bool = False

    @classmethod
    def of(cls, asked: SetColumns, columns: TableColumns) -> SetReading:
        """Return the conversion, once the columns of the roles are known.

        Errors:
            K137 columns of scores that are not those of the labels.
        """
        request, chosen, scores = asked.request, columns.chosen, None
        if chosen is not None:
            try:
                scores = place_scores(asked, chosen, columns.found)
            except KaratError as problem:
                columns.notes.append(not_scores(problem, chosen, has_pred="pred" in columns.found))
        labels = None if request.labels is None else tuple(request.labels)
        if scores is not None:
            labels = scores.labels
        elif request.threshold is not None:
            found = "There are no probabilities or scores"
            raise error("K136", threshold=request.threshold, found=found)
        found_of_roles, wide = dict(columns.found), asked.wide
        if columns.id is not None:
            found_of_roles["id"] = columns.id
        if request.threshold is not None:
            # It decides, whatever columns of predictions there are.
            found_of_roles.pop("pred", None)
            wide = None if wide is None else replace(wide, pred=())
        labels = None if wide is not None else labels
        given = wide, request.separator, labels, request.nulls, scores
        return cls(found_of_roles, *given, request.is_frequency)

    @classmethod
    def from_dict(cls, words: Mapping[str, Any]) -> SetReading:
        """Read what `dataclasses.asdict` made, and JSON carried."""
        wide, scores = words["wide"], words["scores"]
        if wide is not None:
            wide = WideColumns(**{name: tuple(part) for name, part in wide.items()})
        if scores is not None:
            lists = {name: tuple(scores[name]) for name in ("names", "labels")}
            scores = ScoresOfLabels(**{**scores, **lists})
        labels = None if words["labels"] is None else tuple(words["labels"])
        return cls(**{**words, "wide": wide, "scores": scores, "labels": labels})

    @property
    def mapping(self) -> dict[str, Any]:
        """Column by role, of a report."""
        found: dict[str, Any] = {"true": None, "pred": None, "weights": None, **self.found}
        if self.scores is not None:
            found[ROLES[self.scores.argument]] = list(self.scores.names)
        return found

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that is read."""
        names = [self.found[role] for role in ("true", "pred") if role in self.found]
        if self.wide is not None:
            names = [*self.wide.true, *self.wide.pred]
        roles = ("weights", "clusters", "id")
        names += [self.found[role] for role in roles if role in self.found]
        names += [] if self.scores is None else self.scores.names
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
            what = shown_column(name)
            found = f"{what} has one label a row, and the other one lists ({how} splits text)"
            raise error("K221", found=found)
        return encode_sets(own, argument, self.labels, self.separator)

    def rows(
        self,
        values: Mapping[str, Any],
        weights: Any = None,
        clusters: Any = None,
        *,
        is_part: bool = False,
        decoded: Callable[[SetColumn], SetColumn] | None = None,
    ) -> tuple[SetRows, npt.NDArray[np.bool_] | None]:
        """The rows, and bool[n] of those that were kept; None when all were.

        Args:
            values: the columns by name.
            weights: float[n], where no column has them.
            clusters: one name or number a row, where no column has them.
            is_part: whether other rows come beside them.
            decoded: makes labels of what is read.

        Errors:
            K101 to K109, K196, K197 the sets; K113 to K116, K150 weights; K221, K223, K227.
        """
        true = self.column(values, "true")
        true = true if decoded is None else decoded(true)
        if "pred" in self.found:
            pred = self.column(values, "pred")
            pred = pred if decoded is None else decoded(pred)
        else:
            # What is predicted follows from the scores.
            pred = SetColumn("scores", Sets.empty(true.n), columns=true.columns)
        kept = np.ones(pred.n, np.bool_)
        if self.nulls == "drop":
            if pred.missing is not None:
                kept &= ~pred.missing
            if pred.unknown is not None:
                kept &= pred.unknown.sizes == 0
            pred = replace(pred, missing=None, unknown=None)
        try:
            rows = align_sets(true, pred, self.labels, is_part=is_part)
        except UnknownLabelError as problem:
            if self.scores is None:
                raise
            raise problem.but(
                among="those of the columns of scores",
                classes=f"Columns of scores: {shown(self.scores.labels)}",
                do="Write a column of scores for each label.",
            ) from None
        argument = "weights"
        if "weights" in self.found:
            weights, argument = values[self.found["weights"]], shown_column(self.found["weights"])
        if weights is not None and not isinstance(weights, str):
            given = as_weights(weights, rows.n, argument, beside=true.argument)
            if self.nulls == "drop":
                kept &= ~np.isnan(given)
            _refuse_weights(given[kept], kept, argument, is_part=is_part)
            if self.is_frequency and (given[kept] % 1.0 != 0).any():
                raise error("K150", found="are not whole numbers")
            rows = replace(rows, weights=given, is_frequency=self.is_frequency)
        if "clusters" in self.found:
            clusters = values[self.found["clusters"]]
        if clusters is not None and not isinstance(clusters, str):
            rows, is_there = self._with_names(rows, clusters, "clusters", CLUSTERS)
            kept &= is_there
        if "id" in self.found:
            rows, is_there = self._with_names(rows, values[self.found["id"]], "id", IDS)
            kept &= is_there
        if self.scores is not None:
            rows = self._with_scores(rows, values, kept)
        if kept.all():
            return rows, None
        if not is_part and not kept.any():
            raise error("K101", argument=f"{true.argument} without its missing rows")
        return rows.at(kept), kept

    def _with_names(
        self, rows: SetRows, given: Any, role: Literal["clusters", "id"], axis: str
    ) -> tuple[SetRows, npt.NDArray[np.bool_]]:
        """The rows with the cluster or the id of each, and bool[n], whether it is there."""
        name = self.found.get(role)
        argument = role if name is None else shown_column(name)
        marks: Nulls = "keep" if self.nulls == "drop" else "error"
        column = encode_names(given, argument, marks, "ids" if role == "id" else "values")
        if len(column) != rows.n:
            left, right = f"column {self.found['true']!r}", argument
            raise error("K102", left=left, n_left=rows.n, right=right, n_right=len(column))
        names = names_of_column(column)
        is_there = np.ones(rows.n, np.bool_) if column.missing is None else ~column.missing
        # What lies in rows that are left out means nothing.
        codes = np.where(is_there, names.codes, 0).astype(np.int32)
        return rows.beside([(Axis(axis, names.texts or ("",)), codes)]), is_there

    def _with_scores(
        self, rows: SetRows, values: Mapping[str, Any], kept: npt.NDArray[np.bool_]
    ) -> SetRows:
        """The rows with their scores, and what is predicted from them."""
        assert self.scores is not None
        names, argument = self.scores.names, self.scores.argument
        given = gathered(values, names, argument, None if kept.all() else kept)
        if given.n != rows.n:
            left, right = f"column {self.found['true']!r}", f"column {names[0]!r}"
            raise error("K102", left=left, n_left=rows.n, right=right, n_right=given.n)
        k = len(self.scores.labels)
        if given.values.ndim == 1 or given.k != k:
            n_columns = 1 if given.values.ndim == 1 else given.k
            do = "Give a number for each label, in the order of labels=."
            facts = {"labels": shown(self.scores.labels), "n_columns": n_columns, "k": k}
            raise error("K134", argument=argument, do=do, **facts)
        scores = placed_scores(given)
        if "pred" in self.found:
            return replace(rows, scores=scores)
        return with_labels_of_scores(rows, scores, self.scores.threshold)


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
        raise problem.but(row=row) from None


def _of_cells(
    columns: Sequence[Any], names: Sequence[str], pattern: str, labels: tuple[Label, ...]
) -> SetColumn:
    """Columns of 0 and 1, booleans and nulls."""
    n = len(columns[0])
    cells = np.empty((n, len(columns)))
    for place, (values, name) in enumerate(zip(columns, names, strict=True)):
        argument = shown_column(name)
        try:
            cells[:, place] = as_weights(values, n, argument, beside=shown_column(names[0]))
        except NotWeightsError as problem:
            what = f"{problem.context['found']}; the cells of a label are 0, 1 or null"
            raise error("K106", argument=argument, found=what) from None
    if not n:
        raise error("K101", argument=shown_column(names[0]))
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
    facts: Mapping[str, Any],
    warnings: Sequence[str],
    first: Sequence[Sequence[Label]],
) -> Origin:
    """Origin of the rows; for text also the split of its first rows."""
    facts = dict(facts)
    if reading.separator is not None:
        facts |= {"separator": reading.separator, "first_sets": list(first)}
    return Origin(reading.mapping, facts, tuple(warnings))


def first_sets(rows: SetRows) -> list[list[Label]]:
    """True labels of the first rows, to check how text was split."""
    labels, true = rows.classes.labels, rows.true
    bounds = zip(true.starts[:_N_SHOWN], true.starts[1 : _N_SHOWN + 1], strict=False)
    return [[labels[i] for i in true.items[first:last].tolist()] for first, last in bounds]
