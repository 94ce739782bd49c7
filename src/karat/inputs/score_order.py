"""Columns of scores and classes: which column is of which class, by name or by place.

A name that ends in a label says whose column it is; then the order of the columns does not
matter, unless the caller gave both an order of columns and an order of classes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from karat.errors import KaratError, error, shown
from karat.inputs.align import align, check_kinds, classes_of, common_kind
from karat.inputs.column import Column, resolved
from karat.inputs.dictionaries import common_order
from karat.inputs.identity import Kind, declared_labels, harmonized, kind_of
from karat.tally.classes import Classes, Label

__all__ = ["Placed", "check_single", "place_columns", "wrong_number"]

_WHOLE = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.0*)?")
_BOOLEANS: Final = {"true": True, "false": False, "1": True, "0": False}
_N_CUTS = 64


@dataclass(frozen=True, slots=True)
class Placed:
    """Classes of the columns.

    Attributes:
        classes: in the order of the columns once they stand in `order`.
        order: the place of the column of each class; None when they stand in order.
    """

    classes: Classes
    order: tuple[int, ...] | None = None


def place_columns(
    true: Column,
    pred: Column | None,
    k: int,
    *,
    argument: str,
    names: Sequence[str] = (),
    endings: Sequence[str] | None = None,
    how: Literal["listed", "pattern", "found"] = "listed",
    labels: Any = None,
    positive: Any = None,
) -> Placed:
    """Find the class of each column.

    Names that end in the labels decide; columns with other names are taken in their order
    (of their numbers, when they end in 0 … k - 1), which is that of `labels`, else of the sorted
    labels.

    Args:
        true, pred: the labels, without missing rows; pred may be None.
        k: the number of classes that the columns are for; 2 for a single column.
        argument: what messages call the columns.
        names: their names; one for a single column or a column of lists; none for an array.
        endings: what follows the common part of each name, where that is known.
        how: who chose the columns; those found by their names alone have to name the classes.
        labels: the classes in order, or None.
        positive: the positive class of two, or None for the last.

    Errors:
        K108 strings against numbers; K110 to K112 unusable `labels` and `positive`;
        K134 another number of classes; K135 columns listed in another order than `labels`;
        K137 names of some classes but not of all, or of the wrong one.
    """
    true = resolved(true)
    pred = None if pred is None else resolved(pred)
    if pred is not None:
        check_kinds(true, pred)
    declared = None if labels is None else declared_labels(labels)
    if len(names) > 1:
        found = _by_name(true, pred, argument, names, endings, how, declared, positive)
        if found is not None:
            return found
    is_single = len(names) == 1 and k == 2
    classes = _in_order(true, pred, k, argument, labels, positive, is_single=is_single)
    if len(names) == 1 and k == 2 and endings is not None:
        check_single(names[0], endings[0], classes, argument)
    if len(names) < 2:
        return Placed(classes)
    numbers = _numbers(names, endings)
    if numbers is None:
        order = _each_by_name(names, classes, argument, is_declared=declared is not None)
        if order is not None:
            return Placed(classes, order)
    if how == "listed":
        return Placed(classes)
    if numbers is None:
        if how == "found":
            raise error("K137", argument=argument, found=f"Columns: {shown(names)}")
        return Placed(classes)
    order = tuple(sorted(range(k), key=numbers.__getitem__))
    return Placed(classes, None if order == tuple(range(k)) else order)


def _by_name(
    true: Column,
    pred: Column | None,
    argument: str,
    names: Sequence[str],
    endings: Sequence[str] | None,
    how: str,
    declared: tuple[Label, ...] | None,
    positive: Any,
) -> Placed | None:
    """The classes that the names end in; None when they end in none of them."""
    seen = {*true.seen(), *(() if pred is None else pred.seen())}
    kind = kind_of(declared) if declared else common_kind(true, pred or true)
    known = set(declared) if declared else seen
    overlap: list[Label] | None = None
    for texts, is_likely in _readings(names, endings):
        labels = [_label(text, kind or "integer") for text in texts]
        found = [label for label in labels if label is not None]
        if len(set(found)) == len(labels) and (
            set(found) == known if declared else set(found) >= known
        ):
            return _placed(true, pred, argument, names, found, how, declared, positive)
        if is_likely and overlap is None and known.intersection(found):
            overlap = found
    if overlap is not None:
        missing = [label for label in declared or sorted(known) if label not in overlap]
        extra = [name for name in names if not any(name.endswith(str(x)) for x in known)]
        parts = [f"No column for {shown(missing, 3)}"] if missing else []
        parts += [f"no class for {shown(extra, 3)}"] if extra else []
        parts.append(f"columns: {shown(names)}")
        text = "; ".join(parts)
        raise error("K137", argument=argument, found=text[0].upper() + text[1:])
    return None


def _placed(
    true: Column,
    pred: Column | None,
    argument: str,
    names: Sequence[str],
    labels: Sequence[Label],
    how: str,
    declared: tuple[Label, ...] | None,
    positive: Any,
) -> Placed:
    wanted: Sequence[Label]
    if declared:
        wanted = declared
    else:
        order = common_order(true, pred or true)
        is_whole = order is not None and set(order) == set(labels)
        wanted = order if order is not None and is_whole else sorted(labels)
        wanted = harmonized(wanted, kind_of(labels) or "integer")
    places = tuple(labels.index(label) for label in wanted)
    is_in_order = places == tuple(range(len(places)))
    if declared and how == "listed" and not is_in_order:
        raise error("K135", argument=argument, columns=shown(names), labels=shown(declared))
    classes = classes_of(tuple(wanted), positive, is_declared=True)
    return Placed(classes, None if is_in_order else places)


def _in_order(
    true: Column,
    pred: Column | None,
    k: int,
    argument: str,
    labels: Any,
    positive: Any,
    *,
    is_single: bool,
) -> Classes:
    """The k classes of columns that do not name them."""
    # Columns without names are those of sorted classes, as every classifier writes them.
    true, pred = replace(true, order=None), replace(pred or true, order=None)
    classes = align(true, pred, labels, positive).classes
    label = classes.labels[0]
    if k == 2 and classes.k == 1 and labels is None and label in (0, 1):
        # One of 0 and 1, or of False and True: the other is known.
        kind = type(label)
        classes = classes_of((kind(0), kind(1)), positive)
    if classes.k != k:
        raise wrong_number(argument, k, classes, is_single=is_single)
    return classes


def wrong_number(argument: str, k: int, classes: Classes, *, is_single: bool) -> KaratError:
    """The error of scores for another number of classes; a single column is for two."""
    do = "Give labels= with every class in the order of the columns."
    if is_single:
        do = "A single column is of the positive class of two: give a column for each class."
    labels = shown(classes.labels)
    return error("K134", argument=argument, n_columns=k, k=classes.k, labels=labels, do=do)


def _each_by_name(
    names: Sequence[str], classes: Classes, argument: str, *, is_declared: bool
) -> tuple[int, ...] | None:
    """The order of columns whose names have nothing in common but that each ends in its class.

    Errors:
        K137 a column is named after another class than the one whose place it has, and not all
        columns are named after classes.
    """
    texts = [str(label) for label in classes.labels]
    named = [_named(name, texts) for name in names]
    if not is_declared and sorted(place for place in named if place is not None) == list(
        range(len(texts))
    ):
        order = tuple(named.index(place) for place in range(len(texts)))
        return None if order == tuple(range(len(texts))) else order
    lowered = [text.lower() for text in texts]
    for place, name in enumerate(names):
        found = _named(name.lower(), lowered)
        if found not in (None, place):
            told = f"Column {name!r} stands where that of {texts[place]!r} is expected"
            raise error("K137", argument=argument, found=f"{told}; columns: {shown(names)}")
    return None


def _named(name: str, texts: Sequence[str]) -> int | None:
    """The place of the text that a name ends in after a separator, the longest."""
    fitting = [
        place
        for place, text in enumerate(texts)
        if name == text or (name.endswith(text) and not name[-len(text) - 1].isalnum())
    ]
    return max(fitting, key=lambda place: len(texts[place]), default=None)


def check_single(name: str, ending: str | None, classes: Classes, argument: str) -> None:
    """Refuse a single column that is named after the other class.

    Errors:
        K137.
    """
    if ending is None:
        return
    label = _label(ending, kind_of(classes.labels) or "integer")
    if label is None or classes.positive is None or label not in classes.labels:
        return
    positive = classes.labels[classes.positive]
    if label != positive:
        found = f"Column {name!r} names the class {label!r}; the positive class is {positive!r}"
        raise error("K137", argument=argument, found=found)


def _label(text: str, kind: Kind) -> Label | None:
    """What a text is as a label of that kind."""
    if kind == "string":
        return text
    bare = text.strip().lower()
    if kind == "boolean":
        return _BOOLEANS.get(bare)
    if _WHOLE.fullmatch(bare):
        return int(bare.partition(".")[0])
    return int(_BOOLEANS[bare]) if bare in ("true", "false") else None


def _numbers(names: Sequence[str], endings: Sequence[str] | None) -> list[int] | None:
    """The numbers that the names end in, when they count the columns from 0 or 1."""
    for texts, _ in _readings(names, endings):
        if all(map(str.isdecimal, texts)):
            numbers = [int(text) for text in texts]
            if sorted(numbers) in (list(range(len(names))), list(range(1, len(names) + 1))):
                return numbers
    return None


def _readings(
    names: Sequence[str], endings: Sequence[str] | None
) -> Iterator[tuple[list[str], bool]]:
    """What could be the label in each name, most likely reading first, and whether it is likely.

    It is where what they share ends at a separator: `p_cat`, `p_car` end in `cat`, not in `t`.
    """
    if endings is not None:
        yield list(endings), True
    start = _shared(names)
    end = _shared([name[::-1] for name in names])[::-1]
    cuts = sorted(range(len(start), -1, -1), key=lambda i: i > 0 and start[i - 1].isalnum())
    tails = ["", *(end[i:] for i in range(len(end)) if not end[i].isalnum())]
    shortest = min(map(len, names))
    # Bare numbers may be the classes; where they are not, they are the places of columns.
    are_places = all(map(str.isdecimal, names))
    for tail in tails[:_N_CUTS]:
        for cut in cuts[:_N_CUTS]:
            if cut + len(tail) < shortest:
                texts = [name[cut : len(name) - len(tail)] for name in names]
                is_likely = not start[cut - 1].isalnum() if cut else not are_places
                yield texts, is_likely


def _shared(names: Sequence[str]) -> str:
    """What all names start with."""
    first, last = min(names), max(names)
    n_same = next((i for i, char in enumerate(first) if last[i : i + 1] != char), len(first))
    return first[:n_same]
