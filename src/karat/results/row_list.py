"""`RowList`: the rows behind a number of a report, as records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from karat.errors import error, shown
from karat.results.slices.parts import name_of
from karat.tally.listed_rows import Grouping, ListedRows, Places
from karat.tally.score_kind import KINDS, ROLES

if TYPE_CHECKING:
    from karat.results.report import ClassReport
    from karat.tally import Classes

Flags = npt.NDArray[np.bool_]

NO_ROWS = (
    "Evaluate with ids= or reading=karat.Reading(keep_rows=20), on rows in memory or in files; "
    "confusion matrices, partitions, karat.Stream and tensors on a device keep no rows."
)


@dataclass(frozen=True, eq=False, repr=False)
class RowList(Sequence[Mapping[str, Any]]):
    """Rows of a report, as records: see `karat.RowList`."""

    records: tuple[Mapping[str, Any], ...]
    """One record for each row."""
    columns: Mapping[str, type]
    """Fields of each record: name → type."""
    n: int | None
    """Number of rows that meet the conditions, listed or not; None if it is not known."""

    @overload
    def __getitem__(self, place: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Mapping[str, Any]]: ...
    def __getitem__(self, place: int | slice) -> Any:
        return self.records[place]

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.records)

    @property
    def ids(self) -> list[Any]:
        """The id of each row, or its number in the source."""
        return [next(iter(record.values())) for record in self.records]


def rows_of(
    report: ClassReport,
    *,
    true: Any,
    pred: Any,
    by: Mapping[str, Any] | None,
    between: tuple[float, float] | None,
    label: Any,
    wrong: bool,
    limit: int | None,
) -> RowList:
    """The listed rows that meet all conditions; see `karat.Report.rows`."""
    check_limit(limit)
    listed = report.kept_rows
    if listed is None:
        raise error("K233", found="None were kept when it was made", do=NO_ROWS)
    classes = report.classes
    at = {name: class_of(name, value, classes) for name, value in (("true", true), ("pred", pred))}
    chosen = np.ones(len(listed.rows), np.bool_)
    for codes, place in zip((listed.true, listed.pred), at.values(), strict=True):
        if place is not None:
            chosen &= codes == place
    if wrong:
        chosen &= listed.true != listed.pred
    n: int | None = _n_of_cells(listed, at["true"], at["pred"], wrong=wrong)
    is_of_cells = wrong or any(place is not None for place in at.values())
    others = []
    if by is not None:
        others.append(_in_slice(listed, by))
    if between is not None:
        others.append(_in_bins(listed, between, _class_of_bins(label, classes), classes))
    for flags, _ in others:
        chosen &= flags
    if others:
        n = others[0][1] if len(others) == 1 and not is_of_cells else None
    most = listed.limit_of_each or 1
    places = np.flatnonzero(chosen)
    if limit is not None and limit > most and (n is None or n > len(places)):
        raise error("K235", limit=limit, kept=most)
    places = places[: most if limit is None else limit]
    return RowList(*records_of(listed, places, report), n)


def check_limit(limit: Any) -> None:
    """Refuse what is no number of rows to list (K234)."""
    is_number = isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0
    if limit is not None and not is_number:
        do = "Give a whole number of rows, or leave it out."
        raise error("K234", argument="limit", value=limit, known="0, 1, 2, …", do=do)


def class_of(argument: str, value: Any, classes: Classes) -> int | None:
    """Return the class of a label, or of a display name (K234)."""
    if value is None:
        return None
    for known in (classes.labels, classes.display):
        for i, one in enumerate(known):
            if isinstance(one, str) == isinstance(value, str) and one == value:
                return i
    do = "Give a label of the report, or its display name."
    raise error("K234", argument=argument, value=value, known=shown(classes.labels, 12), do=do)


def _n_of_cells(listed: ListedRows, true: int | None, pred: int | None, *, wrong: bool) -> int:
    cells = listed.groupings[0]
    row, column = np.divmod(cells.groups, listed.k)
    is_in = (row != column) if wrong else np.ones(len(row), np.bool_)
    is_in &= True if true is None else row == true
    is_in &= True if pred is None else column == pred
    return int(cells.counts[is_in].sum())


def _in_slice(listed: ListedRows, by: Mapping[str, Any]) -> tuple[Flags, int]:
    """Return which rows are in a slice, and how many rows it has (K234)."""
    known = [one for one in listed.groupings if one.kind == "slice"]
    wanted = {str(column): name_of(value) for column, value in by.items()}
    for one in known:
        if {*one.of} == wanted.keys():
            key = tuple(wanted[column] for column in one.of)
            if key in one.names:
                return _in_group(one, [one.names.index(key)])
            names = shown([", ".join(name) for name in one.names], 12)
            do = "Name one of these slices."
            raise error("K234", argument="by", value=dict(by), known=names, do=do)
    columns = shown([", ".join(one.of) for one in known], 12) if known else "no slices"
    do = "Name the columns of by= of the evaluation, as by={'country': 'NO'}."
    raise error("K234", argument="by", value=dict(by), known=columns, do=do)


def _class_of_bins(label: Any, classes: Classes) -> int:
    place = class_of("label", label, classes)
    if place is None:
        place = classes.positive
    if place is None:
        do = "Bins hold the probability of one class: name it with label=."
        known = shown(classes.labels, 12)
        raise error("K234", argument="label", value=label, known=known, do=do)
    return place


def _in_bins(
    listed: ListedRows, between: tuple[float, float], place: int, classes: Classes
) -> tuple[Flags, int]:
    """Return which rows have a probability in (low, high], and how many rows have (K234)."""
    known = [one for one in listed.groupings if one.kind == "bin" and one.of == (place,)]
    for one in known:
        edges = np.array(one.names)
        ends = [np.flatnonzero(np.abs(edges - end) < 1e-6) for end in between]
        if all(map(len, ends)):
            return _in_group(one, range(int(ends[0][0]), int(ends[1][-1])))
    edges_ = shown([f"{edge:.4g}" for edge in known[0].names], 20) if known else "no bins"
    do = (
        f"Give two edges of the bins of {classes.display[place]}; of more than 10 classes none are."
    )
    raise error("K234", argument="between", value=between, known=edges_, do=do)


def _in_group(one: Grouping, codes: Sequence[int]) -> tuple[Flags, int]:
    return np.isin(one.codes, codes), int(one.counts[np.isin(one.groups, codes)].sum())


def records_of(
    listed: ListedRows, places: Places, report: ClassReport
) -> tuple[tuple[dict[str, Any], ...], dict[str, type]]:
    """Return the records of rows, and the types of what they hold."""
    classes, some = report.classes, listed.at(places)
    labels = np.array(classes.labels, dtype=object)
    names: list[Any] = some.rows.tolist() if some.ids is None else list(some.ids)
    if len({type(name) for name in names if name is not None}) > 1:
        names = [None if name is None else str(name) for name in names]
    columns: dict[str, list[Any]] = {"row" if some.ids is None else "id": names}
    columns |= {"true": labels[some.true].tolist(), "pred": labels[some.pred].tolist()}
    if some.values is not None:
        titles = score_titles(some.values.shape[1], report.scores)
        columns |= dict(zip(titles, some.values.T.tolist(), strict=True))
    if some.weights is not None:
        columns["weight"] = some.weights.tolist()
    for one in some.groupings:
        if one.kind == "slice" and len(one.of) == 1:
            title = one.of[0] if one.of[0] not in columns else f"by {one.of[0]}"
            columns[title] = [one.names[code][0] for code in one.codes.tolist()]
    # Frames and files hold 64 bits.
    columns = {name: _within_64_bits(values) for name, values in columns.items()}
    types = {name: _type_of(values) for name, values in columns.items()}
    rows = zip(*columns.values(), strict=True)
    return tuple(dict(zip(columns, row, strict=True)) for row in rows), types


def _within_64_bits(values: list[Any]) -> list[Any]:
    """Return whole numbers as text if one has more than 64 bits."""
    if all(not isinstance(value, int) or -(1 << 63) <= value < 1 << 63 for value in values):
        return values
    return [None if value is None else str(value) for value in values]


def role_of(kind: str | None) -> str:
    """Return the role of scores of a kind, by which columns of rows are called."""
    return next((ROLES[x] for x, name in KINDS.items() if name == kind), "score")


def score_titles(n: int, kind: str | None) -> tuple[str, ...]:
    """Return the names of the scores of a row: of the positive class, or of two classes."""
    word = role_of(kind)
    return (word,) if n == 1 else (f"{word}_true", f"{word}_pred")


def _type_of(values: Sequence[Any]) -> type:
    return next((type(value) for value in values if value is not None), str)
