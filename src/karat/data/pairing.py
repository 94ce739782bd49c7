"""Matching of the rows of several models, by id or by order, with common weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import repeat
from typing import Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from karat.data.clusters import RowNames
from karat.data.labels.column import Flags, harmonized, kind_of, of_rows
from karat.data.rows import Rows
from karat.data.sources.distributed.frames import DISTRIBUTED_HOSTS, without_order
from karat.data.table_sets import TableSets
from karat.errors import KaratError, error, short, shown
from karat.tally import Classes
from karat.tally.shared import common_labels, if_any, united

KeptT = TypeVar("KeptT", Rows, TableSets)
"""Rows of one class each, or with sets of labels."""
_CLOSE: Final = 1e-9
"""Relative tolerance of a weight that was written and read again."""


def with_common_weights(models: Sequence[KeptT], notes: list[str], by: str) -> list[KeptT]:
    """Return all models with the weights that some of them have (K177: two differ)."""
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
        values = (float(first.weights[differs.argmax()]), float(rows.weights[differs.argmax()]))
        raise _disagree("K177", first, rows, differs, by, values)
    silent = [rows.name for rows in models if rows.weights is None]
    if silent:
        have = "has" if len(silent) == 1 else "have"
        column = (first.mapping or {}).get("weights")
        of_column = f", column {short(column)}" if column else ""
        notes.append(
            f"{' and '.join(silent)} {have} no weights: "
            f"each row has the weight that it has in {first.name}{of_column}."
        )
    return [rows.weighing(first.weights) for rows in models]


def _disagree(
    code: str, left: KeptT, right: KeptT, differs: Flags, by: str, values: tuple[Any, Any]
) -> KaratError:
    """Return the error of two models that disagree on some rows."""
    ids, row = left.ids, int(differs.argmax())
    which = f"row {row}" if ids is None or by != "id" else f"id {short(ids.text(row))}"
    return error(
        code,
        left=left.name,
        right=right.name,
        count=int(np.count_nonzero(differs)),
        n=left.n,
        by=by,
        which=which,
        left_value=values[0],
        right_value=values[1],
    )


Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Paired(Generic[KeptT]):
    """Models on the same rows, in the same order, on one axis of classes or labels.

    Attributes:
        models: the rows of each model.
        by: key of the matching: ``"id"`` or ``"row order"``.
        notes: sentences on rows that were left out.
    """

    models: tuple[KeptT, ...]
    by: str
    notes: tuple[str, ...] = ()


def pair_rows(models: Sequence[Rows], *, allow_mismatch: bool = False) -> Paired[Rows]:
    """Match the rows of models: by ids if every model has some, else by position.

    The first model determines the order of the rows, their clusters and slices. Weights come from
    the models that have some.

    Args:
        allow_mismatch: whether to compare the common rows if some models lack rows, ids are
            repeated or the truth differs; the notes state the number of rows left out.

    Errors:
        K171 an id is repeated; K172 a row is missing in one of them, or no row is in all; K173
        their true classes differ; K174 their classes differ; K175 they have different numbers of
        rows and no ids; K416 they are partitioned and have no ids; K177 their weights differ.
    """
    return _paired(models, _on_one_axis, allow_mismatch=allow_mismatch)


def pair_sets(models: Sequence[TableSets], *, allow_mismatch: bool = False) -> Paired[TableSets]:
    """Match the rows with sets of labels of models, as `pair_rows`.

    Errors:
        K108, K201 incompatible labels; else as in `pair_rows`.
    """
    found = _paired(models, _sets_on_one_axis, allow_mismatch=allow_mismatch)
    first, *others = found.models
    codes = first.rows.codes
    alike = [
        replace(one, rows=replace(one.rows, axes=first.rows.axes, codes=codes)) for one in others
    ]
    return replace(found, models=(first, *alike))


def _paired(
    models: Sequence[KeptT], united: Callable[[list[KeptT]], list[KeptT]], *, allow_mismatch: bool
) -> Paired[KeptT]:
    """Match the rows of models, on the axis from `united`."""
    notes: list[str] = []
    named = [rows.ids for rows in models]
    by = "row order"
    matched = list(models)
    if all(names is not None for names in named):
        by = "id"
        matched = _by_id(matched, notes, allow_mismatch=allow_mismatch)
    else:
        _check_order(models)
        matched = _by_order(matched, notes, allow_mismatch=allow_mismatch)
    agreed = _agreed(united(matched), notes, by, allow_mismatch=allow_mismatch)
    weighed = with_common_weights(agreed, notes, by)
    return Paired(tuple(weighed), by, tuple(notes))


def _by_order(models: list[KeptT], notes: list[str], *, allow_mismatch: bool) -> list[KeptT]:
    """Match rows by their positions in the sources, even if rows were left out there."""
    flags = [np.ones(x.n, np.bool_) if x.kept is None else x.kept for x in models]
    first, kept = models[0], flags[0]
    for other, own in zip(models, flags, strict=True):
        if len(own) != len(kept):
            sizes = {"n_left": len(kept), "n_right": len(own)}
            raise error("K175", left=first.name, right=other.name, **sizes)
    for other, own in zip(models, flags, strict=True):
        lacking, extra = np.flatnonzero(kept & ~own), np.flatnonzero(own & ~kept)
        if not len(lacking) and not len(extra):
            continue
        if not allow_mismatch:
            raise _missing_rows(first, other, lacking, extra, by_id=False)
        notes.append(_left_out(first, other, len(lacking), len(extra)))
    in_all = np.logical_and.reduce(flags)
    if all(int(own.sum()) == int(in_all.sum()) for own in flags):
        return models
    return [rows.at(in_all[own]) for rows, own in zip(models, flags, strict=True)]


def _check_order(models: Sequence[KeptT]) -> None:
    """Refuse to match rows of a partitioned frame by order."""
    for rows in models:
        host = rows.source.get("table")
        if host in DISTRIBUTED_HOSTS:
            do = "Give both sides a column of ids and name it, as ids='row_id'; or compare reports."
            raise without_order(rows.name, host, advice=do)


def check_unique(name: str, names: RowNames) -> None:
    """Refuse duplicate ids: K171."""
    codes = _codes(names)
    if len(codes) and int(np.bincount(codes).max()) > 1:
        repeated = np.ones(len(codes), np.bool_)
        repeated[np.unique(codes, return_index=True)[1]] = False
        column, value = (
            names.column.replace("Column", "column", 1),
            names.text(int(repeated.argmax())),
        )
        raise error("K171", where=name, column=column, value=value, **of_rows(repeated))


def _codes(names: RowNames) -> Places:
    """int64[n]: one number for each distinct id."""
    keys = names.keys
    place = dict(zip(keys, range(len(keys)), strict=True))
    codes = names.codes.astype(np.int64)
    return codes if len(place) == len(keys) else _ranks(names, place)


def _ranks(names: RowNames, place: dict[str, int]) -> Places:
    """int64[n]: the index of the id of each row; −1 without one."""
    found = map(place.get, names.keys, repeat(-1))
    lut = np.fromiter(found, np.int64, len(names.keys))
    return lut[names.codes] if len(lut) else np.zeros(len(names.codes), np.int64)


def _by_id(models: list[KeptT], notes: list[str], *, allow_mismatch: bool) -> list[KeptT]:
    kept: list[KeptT] = []
    for rows in models:
        assert rows.ids is not None
        if not allow_mismatch:
            check_unique(rows.name, rows.ids)
            kept.append(rows)
            continue
        # For an id of several rows, the row is ambiguous.
        ranks = _codes(rows.ids)
        is_single = np.bincount(ranks, minlength=1)[ranks] == 1
        n_left = int(np.count_nonzero(~is_single))
        if n_left:
            notes.append(f"{n_left} rows of {rows.name} share their ids and were left out.")
        kept.append(rows.at(is_single) if n_left else rows)
    first = kept[0]
    assert first.ids is not None
    n_keys = len(first.ids.keys)
    place = dict(zip(first.ids.keys, range(n_keys), strict=True))
    own = _ranks(first.ids, place)
    at: list[Places] = []
    in_all = np.ones(first.n, np.bool_)
    alone = []
    for rows in kept[1:]:
        assert rows.ids is not None
        ranks = _ranks(rows.ids, place)
        row_of = np.full(n_keys, -1, np.int64)
        is_known = ranks >= 0
        row_of[ranks[is_known]] = np.flatnonzero(is_known)
        found = row_of[own]
        # An id of a dictionary may not occur in any row.
        is_there = np.zeros(n_keys, np.bool_)
        is_there[own] = True
        is_extra = ~is_known | ~is_there[np.maximum(ranks, 0)]
        alone.append((rows, np.flatnonzero(found < 0), np.flatnonzero(is_extra)))
        at.append(found)
        in_all &= found >= 0
    for rows, lacking, extra in alone:
        if not len(lacking) and not len(extra):
            continue
        if not allow_mismatch or not in_all.any():
            raise _missing_rows(first, rows, lacking, extra)
        notes.append(_left_out(first, rows, len(lacking), len(extra)))
    kept_rows: Places = np.flatnonzero(in_all)
    places: list[Places] = [kept_rows, *(found[kept_rows] for found in at)]
    return [rows.at(own) for rows, own in zip(kept, places, strict=True)]


def _missing_rows(
    first: KeptT, rows: KeptT, lacking: Places, extra: Places, *, by_id: bool = True
) -> Exception:
    parts = []
    for who, places in ((first, lacking), (rows, extra)):
        if len(places):
            example = f"row {places[0]}"
            if by_id and who.ids is not None:
                example = short(who.ids.text(int(places[0])))
            parts.append(
                f"{len(places)} of {who.n} rows are in {who.name} alone (first: {example})"
            )
    return error("K172", left=first.name, right=rows.name, found="; ".join(parts))


def _left_out(first: KeptT, rows: KeptT, n_lacking: int, n_extra: int) -> str:
    sides = ((first, n_lacking), (rows, n_extra))
    parts = [f"{n} of {who.n} rows of {who.name}" for who, n in sides if n]
    return f"{' and '.join(parts)} have no matching row and were left out."


def _sets_on_one_axis(models: list[TableSets]) -> list[TableSets]:
    """Return the models on the union of the labels; declared ones must be equal (K201)."""
    classes = reduce(common_labels, [rows.classes for rows in models])
    return [rows.on(classes) for rows in models]


def _on_one_axis(models: list[Rows]) -> list[Rows]:
    """Return the union of the classes, in the order of the first model (K174 with scores)."""
    first = models[0]
    _check_positive(models)
    if all(rows.classes.labels == first.classes.labels for rows in models):
        return [replace(rows, classes=first.classes) for rows in models]
    scored = {rows.classes.labels for rows in models if rows.scores is not None}
    for rows in models[1:]:
        left, right = set(first.classes.labels), set(rows.classes.labels)
        alone = _only_true(first, left - right) or _only_true(rows, right - left)
        is_mixed = kind_of([*left, *right]) is None
        if alone or is_mixed or len(scored) > 1:
            raise _other_classes(first, rows)
    labels = list(dict.fromkeys(label for rows in models for label in rows.classes.labels))
    declared = next((rows.classes for rows in models if rows.classes.is_declared), None)
    if scored:
        (known,) = scored
        labels = [*known, *(label for label in labels if label not in known)]
        if len(labels) > len(known):
            raise _other_classes(first, models[1])
    elif declared is None:
        labels = sorted(labels)
    kind = kind_of(labels) or "string"
    ordered = None
    if declared is None and not scored:
        ordered = united(*(rows.classes for rows in models))
    classes = ordered or Classes.of(list(harmonized(labels, kind)))
    positive = next((rows.classes.positive for rows in models if rows.classes.k == classes.k), None)
    if positive is not None:
        classes = replace(classes, positive=positive)
    return [rows.on(classes) for rows in models]


def _check_positive(models: list[Rows]) -> None:
    """Refuse single columns of scores of different classes (K137)."""
    singles = [rows for rows in models if rows.values is not None and rows.values.ndim == 1]
    named = [
        (rows, rows.classes.labels[rows.classes.positive])
        for rows in singles
        if rows.classes.positive is not None
    ]
    for rows, label in named[1:]:
        one, other = named[0]
        if label != other:
            found = f"The scores of {one.name} are of {other!r}, those of {rows.name} of {label!r}"
            what = "The scores of the models are of different classes"
            do = "Give every model the same labels, and scores of the same class."
            raise error("K137", what=what, argument=rows.name, found=found, do=do)


def _other_classes(left: Rows, right: Rows) -> KaratError:
    sides = [shown(rows.classes.labels) for rows in (left, right)]
    facts = {"left_classes": sides[0], "right_classes": sides[1]}
    return error("K174", left=left.name, right=right.name, **facts)


def _only_true(rows: Rows, labels: set[Any]) -> bool:
    """Return whether one of these classes is true in some row, and not only predicted."""
    places = [i for i, label in enumerate(rows.classes.labels) if label in labels]
    return bool(places) and bool(np.isin(rows.true, places).any())


def _agreed(models: list[KeptT], notes: list[str], by: str, *, allow_mismatch: bool) -> list[KeptT]:
    """Return the rows where all agree on the truth; K173 unless others may be left out."""
    first = models[0]
    differs = np.zeros(first.n, np.bool_)
    for rows in models[1:]:
        wrong = rows.differs(first)
        if wrong.any() and (not allow_mismatch or wrong.all()):
            row = int(wrong.argmax())
            values = (first.truth_at(row), rows.truth_at(row))
            raise _disagree("K173", first, rows, wrong, by, values)
        differs |= wrong
    n_wrong = int(np.count_nonzero(differs))
    if not n_wrong:
        return models
    notes.append(f"{n_wrong} of {first.n} rows have different true labels and were left out.")
    return [rows.at(np.flatnonzero(~differs)) for rows in models]


def on_occurring_classes(*sides: Rows) -> tuple[Rows, ...]:
    """Return rows of labels on the classes that occur in them; two or declared classes stay."""
    classes = sides[0].classes
    if classes.k <= 2 or classes.is_declared:
        return sides
    occurs = np.zeros(classes.k, np.bool_)
    for rows in sides:
        for codes in (rows.true, *([] if rows.pred is None else [rows.pred])):
            occurs |= np.bincount(codes, minlength=classes.k) > 0
    own = np.flatnonzero(occurs)
    if len(own) == classes.k:
        return sides
    fewer = classes.some(own.tolist())
    places = np.zeros(classes.k, np.int32)
    places[own] = np.arange(len(own), dtype=np.int32)
    return tuple(
        replace(
            rows,
            classes=fewer,
            true=places[rows.true],
            pred=if_any(lambda codes: places[codes], rows.pred),
            cells=None,
        )
        for rows in sides
    )
