"""The rows whose predicted labels are wrong, of a report of rows with sets of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.errors import error
from karat.results.row_list import RowList, check_limit, class_of, role_of
from karat.tally.axes import slices_on
from karat.tally.label_scores import ListedScores
from karat.tally.listed_rows import Places
from karat.tally.score_kind import undecided
from karat.tally.set_tally import IDS

if TYPE_CHECKING:
    from karat.results.sets import SetReport
    from karat.tally.set_tally import SetRows
    from karat.tally.sets import Sets

_LIMIT: Final = 20
_DO: Final = (
    "Evaluate the rows with a larger karat.Reading(max_memory=) if they exceed it, and read them "
    "from that report: JSON holds no rows of sets."
)


def wrong_rows_of(report: SetReport, missed: Any, added: Any, limit: int | None) -> RowList:
    """Return the wrong rows that meet the conditions; see `karat.MultilabelReport.wrong_rows`."""
    check_limit(limit)
    rows = report.encoded
    if rows is None:
        found = "Its rows were not kept: they exceed the memory for them, or it was read from JSON"
        raise error("K233", found=found, do=_DO)
    if not rows.has_predictions:
        raise undecided("The list of wrong rows", "a label")
    labels = {"missed": missed, "added": added}
    at = {name: class_of(name, label, report.classes) for name, label in labels.items()}
    wrong = WrongSets(rows)
    chosen = wrong.n_wrong > 0
    for name, side in (("missed", wrong.missed), ("added", wrong.added)):
        if (label := at[name]) is not None:
            is_in = np.zeros(len(chosen), np.bool_)
            is_in[side.rows[side.items == label]] = True
            chosen &= is_in
    places = np.flatnonzero(chosen)
    asked = [(sign, at[name]) for name, sign in (("missed", 1.0), ("added", -1.0))]
    known = [(sign, label) for sign, label in asked if label is not None]
    scores, values = rows.scores, None
    order = -wrong.n_wrong[places].astype(np.float64)
    if len(known) == 1 and scores is not None and not isinstance(scores, ListedScores):
        ((sign, label),) = known
        values = scores.values[wrong.source[places], label].astype(np.float64)
        order = sign * values
    first = np.argsort(order, kind="stable")[: _LIMIT if limit is None else limit]
    columns = wrong.columns(places[first])
    if values is not None:
        columns[role_of(report.scores)] = values[first].tolist()
    types = {name: _type_of(each) for name, each in columns.items()}
    records = tuple(
        dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
    )
    return RowList(records, types, len(places))


class WrongSets:
    """Labels that are missed and added in each row whose truth is known.

    Attributes:
        source: int64[n], number of each such row among all.
        missed, added: sets of each.
        n_wrong: int64[n], their number.
    """

    def __init__(self, rows: SetRows) -> None:
        self.rows = rows
        self.source: Places = np.flatnonzero(~rows.gone)
        known = self.known = rows.known
        is_hit, is_right = rows.matched
        self.missed: Sets = known.true.some(~is_hit)
        self.added: Sets = known.pred.some(~is_right)
        self.n_wrong: Places = self.missed.sizes + self.added.sizes

    def columns(self, places: Places) -> dict[str, list[Any]]:
        """Return what is listed of some of these rows, by column."""
        rows, source = self.rows, self.source[places]
        by_axis = dict(zip((axis.name for axis in rows.axes), range(len(rows.axes)), strict=True))
        columns: dict[str, list[Any]] = {}
        if IDS in by_axis and rows.codes is not None:
            names = rows.axes[by_axis[IDS]].labels
            columns["id"] = [str(names[code]) for code in rows.codes[by_axis[IDS]][source].tolist()]
        else:
            columns["row"] = source.tolist()
        sides = {"true": self.known.true, "pred": self.known.pred}
        for name, side in {**sides, "missed": self.missed, "added": self.added}.items():
            columns[name] = [self._labels(side, place) for place in places.tolist()]
        if rows.weights is not None:
            columns["weight"] = rows.weights[source].tolist()
        for place, axis in enumerate(rows.axes):
            slices = slices_on(axis)
            if slices is not None and len(slices[0]) == 1 and rows.codes is not None:
                codes = rows.codes[place][source].tolist()
                columns[slices[0][0]] = [slices[1][code][0] for code in codes]
        return columns

    def _labels(self, side: Sets, place: int) -> list[Any]:
        labels = self.rows.classes.labels
        items = side.items[side.starts[place] : side.starts[place + 1]]
        return [labels[item] for item in items.tolist()]


def as_text(labels: list[Any], separator: str = "|") -> str:
    r"""Return the labels of a set as text that `separator` splits.

    Example:
        >>> as_text(["sea", "a|b"])
        'sea|a\\|b'
    """
    marks = str.maketrans({"\\": r"\\", separator[0]: f"\\{separator[0]}"})
    return separator.join(str(each).translate(marks) for each in labels)


def _type_of(values: list[Any]) -> type:
    return type(values[0]) if values and not isinstance(values[0], list) else str
