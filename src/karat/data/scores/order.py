"""Assignment of score columns to classes, by name or by position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from karat.data.labels.align import align, check_kinds, classes_of, common_kind
from karat.data.labels.arrays import common_order
from karat.data.labels.column import Column, declared_labels, harmonized, kind_of, resolved
from karat.data.labels.names import label_in, named, place_of
from karat.data.roles import shown_column
from karat.data.scores.columns import (
    ScoreColumns,
    are_numbers,
    are_of_others,
    numbers_in_order,
    only_count,
    readings,
)
from karat.data.scores.containers import Scores
from karat.errors import KaratError, error, shown
from karat.errors.doubts import Doubt, doubt
from karat.errors.options import argument_as_typed, each_option, option, option_of_list
from karat.errors.reasons import ScoreColumnsError
from karat.errors.text import count
from karat.tally.classes import IGNORED, Classes, Label
from karat.tally.score_kind import KINDS, Argument, ScoreKind


@dataclass(frozen=True, slots=True)
class Placed:
    """Classes of the columns.

    Attributes:
        classes: in the order of the columns, reordered by `order`.
        order: the column index of each class; None if they are in order.
    """

    classes: Classes
    order: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class ColumnNames:
    """Names of columns of scores.

    Attributes:
        argument: name of the columns in messages.
        names: their names; one for a single column or a column of lists; none for an array.
        endings: rest of each name after the common part, if known.
        how: how the columns were chosen; those detected by name must name the classes.
        are_places: whether names that are numbers are column positions in the table.
    """

    argument: Argument
    names: Sequence[str] = ()
    endings: Sequence[str] | None = None
    how: Literal["listed", "pattern", "found"] = "listed"
    are_places: bool = False


def place_columns(
    true: Column,
    pred: Column | None,
    k: int,
    *,
    named: ColumnNames,
    is_single: bool = False,
    labels: Any = None,
    positive: Any = None,
) -> Placed:
    """Find the class of each column.

    Names that end in the labels determine the classes. Columns with other names are in the order of
    `labels`, else of the sorted labels (by their numbers, if they end in 0 … k - 1). Names that are
    integers are classes, unless they only number the columns.

    Args:
        true, pred: the labels, without missing rows; pred may be None.
        k: the number of classes of the columns; 2 for a single column.
        named: their names.
        is_single: whether there is one number for each row, of the positive class.
        labels: the classes in order, or None.
        positive: the positive class of two, or None.

    Errors:
        K108 strings against numbers; K110 to K112 invalid `labels` and `positive`; K190 one number
        for each row, and neither class is positive; K134 another number of classes; K135 columns
        listed in another order than `labels`, whose names may end in them by chance; K137 names of
        some classes but not of all, or of the wrong one.
    """
    argument, names, endings, how = named.argument, named.names, named.endings, named.how
    true = resolved(true)
    pred = true if pred is None else resolved(pred)
    check_kinds(true, pred)
    declared = None if labels is None else declared_labels(labels)
    if len(names) > 1:
        beside = named.are_places, declared, positive
        asked = _Named(true, pred, argument, names, endings, how, *beside)
        found = asked.placed()
        if found is not None:
            return found
    # Columns without names belong to sorted classes, the order of every classifier.
    bare, other = replace(true, order=None), replace(pred, order=None)
    classes = align(bare, other, labels, positive).classes
    classes = with_other(sorted_pair(classes), k, labels, positive)
    if classes.k != k:
        raise wrong_number(argument, k, classes, is_single=is_single)
    if is_single:
        name, ending = names[0] if names else None, endings[0] if endings else None
        classes = of_single(classes, name, ending, argument)
    if len(names) < 2:
        if declared is None and not is_single:
            check_one_order(classes, argument, None, None)
        return Placed(classes)
    numbers = numbers_in_order(names, endings)
    if numbers is None:
        order = _each_by_name(names, classes, argument, is_declared=declared is not None)
        if order is not None:
            return Placed(classes, order)
        if how == "found":
            listed = option_of_list(argument, names)
            do = f"List the columns in the order of the classes {shown(classes.labels)}: {listed}."
            if k == 2:
                one = option(argument, names[0])
                do += f" If one of them is that of the positive class, give it alone: {one}."
            raise _no_names(KINDS[argument], f"Columns: {shown(names)}", do)
    if declared is None:
        check_one_order(classes, argument, None, None)
    if how == "listed" or numbers is None:
        return Placed(classes)
    return _reordered(classes, sorted(range(k), key=numbers.__getitem__))


def place_classes(
    true: Column,
    argument: str,
    names: Sequence[str],
    labels: Any = None,
    positive: Any = None,
    pred: Column | None = None,
) -> Placed:
    """Find the class of each name, where rows list their scores by class.

    Errors:
        K108, K110 to K112 as of `place_columns`; K137 names that are not the classes.
    """
    true = resolved(true)
    pred = true if pred is None else resolved(pred)
    declared = None if labels is None else declared_labels(labels)
    asked = _Named(true, pred, argument, names, names, "found", False, declared, positive)
    found = asked.placed()
    if found is None:
        classes = shown(declared or sorted(true.seen()))
        what = f"{argument_as_typed(argument)} has other classes than there are"
        difference = f"Rows list {shown(names)}; the classes are {classes}"
        do = "Write the classes as in y_true; of a pipeline, model.config.id2label names them."
        raise error("K137", what=what, argument=argument, found=difference, do=do)
    return found


def order_as_numbers(classes: Classes) -> list[int] | None:
    """Return the place of each class in numeric order, if texts of numbers are sorted otherwise."""
    texts = [label for label in classes.labels if isinstance(label, str)]
    if len(texts) < classes.k or not are_numbers(texts):
        return None
    order = sorted(range(classes.k), key=lambda i: float(texts[i]))
    return None if order == list(range(classes.k)) else order


def check_one_order(classes: Classes, argument: str, scores: Scores | None, codes: Any) -> None:
    """Refuse columns without class names whose classes are texts of numbers in two orders (K317).

    Args:
        scores, codes: the scores and the class of each row, or None; they show how often the
            largest score of each order is that of the true class.
    """
    order = order_as_numbers(classes)
    if order is None:
        return
    orders, evidence = [list(classes.labels), [classes.labels[i] for i in order]], ["", ""]
    if scores is not None:
        rows = scores.values[:_ROWS_SHOWN].argmax(axis=1)
        first, of_numbers = codes[:_ROWS_SHOWN], np.array(order)
        for place, guess in enumerate((rows, of_numbers[rows])):
            share = 100.0 * float(np.mean(guess == first))
            evidence[place] = f" (the largest is that of the true class in {share:.3g} % of rows)"
    texts, numbers = (
        f"{shown(labels, 4)}{share}" for labels, share in zip(orders, evidence, strict=True)
    )
    raise error("K317", argument=argument_as_typed(argument), texts=texts, numbers=numbers)


_ROWS_SHOWN: Final = 100_000


def _reordered(classes: Classes, places: Iterable[int]) -> Placed:
    order = tuple(places)
    return Placed(classes, None if order == tuple(range(len(order))) else order)


@dataclass(frozen=True, slots=True)
class _Named:
    """Columns with names that may contain their classes; see `place_columns`."""

    true: Column
    pred: Column
    argument: str
    names: Sequence[str]
    endings: Sequence[str] | None
    how: str
    are_places: bool
    declared: tuple[Label, ...] | None
    positive: Any

    def placed(self) -> Placed | None:
        """Return the classes at the ends of the names; None if they end in none."""
        names, declared = self.names, self.declared
        kind = kind_of(declared) if declared else common_kind(self.true, self.pred)
        known = set(declared or (*self.true.seen(), *self.pred.seen()))
        are_whole = are_numbers(names)
        counts = are_whole and self.endings is None
        counts = counts and (self.are_places or only_count(names, known))
        # For one class of 0 and 1, the other is known.
        expected = {0, 1} if are_whole and len(names) == 2 and known in ({0}, {1}) else known
        overlap: list[Label] | None = None
        for texts, is_likely in readings(names, self.endings):
            labels = [label_in(text, kind or "integer", is_number=are_whole) for text in texts]
            found = [label for label in labels if label is not None]
            if len(set(found)) == len(labels) and (
                set(found) == known if declared else set(found) >= known
            ):
                return self._of_labels(found, is_likely=is_likely)
            if is_likely and not counts and overlap is None and expected.intersection(found):
                overlap = found
        if overlap is not None:
            classes = declared or sorted(known)
            raise self._of_some([x for x in classes if x not in overlap], known)
        if are_whole and not (declared or counts) and are_of_others(names, known, self.how):
            raise self._of_some(sorted(known), ())
        return None

    def _of_labels(self, labels: Sequence[Label], *, is_likely: bool) -> Placed:
        wanted: Sequence[Label]
        is_ordered: bool | None = None
        if self.declared:
            wanted = self.declared
        else:
            order = common_order(self.true, self.pred)
            is_whole = order is not None and set(order) == set(labels)
            wanted = order if order is not None and is_whole else sorted(labels)
            wanted = harmonized(wanted, kind_of(labels) or "integer")
            if is_whole:
                is_ordered = True
            elif len(labels) > _TWO and isinstance(wanted[0], str):
                is_ordered = False
        places = list(map(labels.index, wanted))
        is_open = self.how == "listed" and not is_likely
        if self.declared and is_open and places != sorted(places):
            columns, declared = shown(self.names), shown(self.declared)
            raise error("K135", argument=self.argument, columns=columns, labels=declared)
        classes = classes_of(tuple(wanted), self.positive, is_declared=True)
        return _reordered(replace(classes, is_ordered=is_ordered), places)

    def _of_some(self, missing: Sequence[Label], known: Iterable[Label]) -> KaratError:
        """Return the error of names of some classes only, or of none."""
        extra = [name for name in self.names if not any(name.endswith(str(x)) for x in known)]
        parts = [f"No column for {shown(missing, 3)}"] if missing else []
        parts += [f"no class for {shown(extra, 3)}"] if extra else []
        text = "; ".join([*parts, f"columns: {shown(self.names)}"])
        do = ""
        if not extra and len(self.names) < len({*known}):
            some = "it" if len(missing) == 1 else "them"
            do = f"Add {some}, or leave out the rows of {shown(missing, 3)}."
        return _no_names(self.argument, text[0].upper() + text[1:], do)


def _no_names(argument: str, found: str, do: str = "") -> KaratError:
    do = do or "Let the name of each column end in its class."
    what = f"The columns of {argument_as_typed(argument)} do not name the classes"
    return error("K137", what=what, argument=argument, found=found, do=do)


def sorted_pair(classes: Classes) -> Classes:
    """Return two discovered classes in the order of the columns of a classifier, sorted.

    A positive class that does not occur comes second for labels alone.
    """
    is_sorted = classes.k != _TWO or classes.is_declared or classes.is_ordered
    if is_sorted or classes.labels == tuple(sorted(classes.labels)):
        return classes
    return classes.swapped()


_TWO: Final = 2


def with_other(classes: Classes, k: int, labels: Any, positive: Any = None) -> Classes:
    """Return the classes of k columns; for one observed class of 0 and 1, the other is known."""
    label = classes.labels[0]
    if k != 2 or classes.k != 1 or labels is not None or label not in (0, 1):
        return classes
    kind = type(label)
    return classes_of((kind(0), kind(1)), positive)


def wrong_number(argument: str, k: int, classes: Classes, *, is_single: bool) -> KaratError:
    """Return the error of scores for another number of classes; a single column is for two."""
    do = f"Give {option('labels')} with every class in the order of the columns."
    if k < classes.k:
        do = "A column is missing: add it, or leave out the rows of the class that has none."
    if is_single:
        do = "A single column holds the positive class of two: give a column for each class."
        if classes.k == 1:
            do = "A single column is of the positive class of two, and only one "
            do += f"occurs: list both with {option('labels')}."
    labels = shown(classes.labels)
    if IGNORED in classes.labels:
        do = f"Rows of {IGNORED} have no class: leave them out of every argument, "
        do += f"keep = y_true != {IGNORED}."
    return error("K134", argument=argument, n_columns=k, k=classes.k, labels=labels, do=do)


def _each_by_name(
    names: Sequence[str], classes: Classes, argument: str, *, is_declared: bool
) -> tuple[int, ...] | None:
    """Return the order of columns without a common prefix that each end in their class.

    Errors:
        K137 a column is named after another class than that of its position, and not all columns
        are named after classes.
    """
    texts = [str(label) for label in classes.labels]
    places = [named(name, texts) for name in names]
    each = range(len(texts))
    if not is_declared and sorted(place for place in places if place is not None) == list(each):
        return _reordered(classes, map(places.index, each)).order
    lowered = [text.lower() for text in texts]
    for place, name in enumerate(names):
        found = named(name.lower(), lowered)
        if found not in (None, place):
            told = f"Column {name!r} stands where that of {texts[place]!r} is expected"
            raise _no_names(argument, f"{told}; columns: {shown(names)}")
    return None


def is_class(name: str | None, classes: Classes) -> bool:
    """Return whether a name is that of a class of text, which no number of a column is."""
    return name is not None and name in classes.labels and not are_numbers([name])


def of_single(classes: Classes, name: str | None, ending: str | None, argument: str) -> Classes:
    """Return the classes of a single column of scores, with the positive one in its name.

    Args:
        name, ending: name of the column, and the label that it may end in; or None. A name that is
            a class of text itself needs no ending.

    Errors:
        K137 it is named after the class that is not positive; K190 neither class is positive.
    """
    if classes.k != 2:
        return classes
    if ending is None and is_class(name, classes):
        ending = name
    place = None if ending is None else place_of(ending, classes.labels)
    if classes.positive is None:
        if place is not None:
            return replace(classes, positive=place)
        raise no_positive_of_scores(classes, argument if name is None else shown_column(name))
    if place is None and ending is not None:
        # `proba_no` is the column of `No` too: it is an error, not read as that of `Yes`.
        place = named(ending.lower(), [str(x).lower() for x in classes.labels])
    if place not in (None, classes.positive):
        label, positive = classes.labels[place], classes.labels[classes.positive]
        found = f"Column {name!r} names the class {label!r}; the positive class is {positive!r}"
        what = "The scores belong to another class than the positive one"
        do = (
            f"Give {option('positive', label)}, the class that the column is of; to measure "
            f"{positive!r}, give a column of its scores."
        )
        raise error("K137", what=what, argument=argument, found=found, do=do)
    return classes


def unnamed_classes(columns: Sequence[str], classes: Classes, kind: ScoreKind) -> list[Doubt]:
    """Return the warning about a column for each class, of names that do not end in the classes."""
    texts = [str(label) for label in classes.labels]
    if len(columns) != classes.k or all(named(name, texts) is not None for name in columns):
        return []
    if any(found == texts for found, _ in readings(columns, None)):
        return []
    pairs = zip(columns[:_MOST_PAIRS], classes.labels[:_MOST_PAIRS], strict=True)
    shown_pairs = ", ".join(f"{column} is {label!r}" for column, label in pairs)
    more = " …" if len(columns) > _MOST_PAIRS else ""
    return [doubt("D110", what=kind, pairs=f"{shown_pairs}{more}", option=option("labels"))]


_MOST_PAIRS: Final = 4


def refuse_found_scores(
    columns: Sequence[str], limits: tuple[float, float] | None, n_rows: int
) -> None:
    """Refuse detected scores whose values all lie in [0, 1]: K192.

    Args:
        limits: the smallest and the largest value; None for probabilities.
    """
    if limits is None or limits[0] < 0.0 or limits[1] > 1.0:
        return
    is_one = len(columns) == 1
    name = columns[0] if is_one else ",".join(columns)
    raise error(
        "K192",
        column=repr(columns[0]) if is_one else f"{columns[0]!r}, and others beside it,",
        n=count(n_rows * len(columns)),
        settled_by={"score": columns[0] if is_one else list(columns)},
        prob=option("y_prob", name if is_one else None),
        score=option("y_score", name if is_one else None),
        none=option("y_score", ""),
    )


def no_positive_of_scores(classes: Classes, argument: str) -> KaratError:
    """K190: one number for each row, and its class of two is unknown."""
    options = each_option("positive", classes.labels)
    or_else = ", the class that the column is of; or a column for each class"
    what = f"{argument}, one number for each row,"
    facts = {"labels": shown(classes.labels), "options": options, "or_else": or_else}
    settled_by = {"positive": classes.labels[-1]}
    return error("K190", what=what, settled_by=settled_by, choices=classes.labels, **facts)


_BLOCK_BYTES = 1 << 24


def placed(
    chosen: ScoreColumns,
    k: int,
    true: Column,
    pred: Column | None,
    labels: Any,
    positive: Any,
    *,
    is_single: bool,
) -> Placed:
    """Return the classes of score columns, for k classes; see `place_columns`."""
    named = ColumnNames(
        chosen.argument, chosen.names, chosen.endings, chosen.how, chosen.are_places
    )
    given = {"labels": labels, "positive": positive}
    return place_columns(true, pred, k, named=named, is_single=is_single, **given)


class NotScoresError(Exception):
    """Columns named like scores that are left out.

    Attributes:
        doubt: the sentence on them.
    """

    def __init__(self, doubt: str) -> None:
        super().__init__(doubt)
        self.doubt = doubt


def not_scores(problem: KaratError, chosen: ScoreColumns, *, has_pred: bool) -> str:
    """Return the sentence on columns named like scores that do not match the classes or files.

    Only columns that were not requested are left out, and only if predictions can be read instead.

    Errors:
        The problem itself, if the caller named the columns.
    """
    if chosen.how != "found" or not has_pred or not isinstance(problem, ScoreColumnsError):
        raise problem
    lines = [line.strip() for line in str(problem).splitlines()]
    what = lines[0].partition("  ")[2]
    found = f"{what} {lines[1]}".removesuffix(".")
    be = "was" if len(chosen.names) == 1 else "were"
    return doubt("D108", what=f"{chosen.shown}, found by name, {be}", found=found, do=lines[2])


def in_order(scores: Scores, order: tuple[int, ...] | None) -> Scores:
    """Reorder the columns of scores, in blocks within a matrix that we own."""
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
