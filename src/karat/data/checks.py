"""Checks of rows: invalid weights, and warnings about labels and columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.labels.containers import index_of
from karat.data.roles import (
    ALIASES,
    Family,
    Role,
    how_to_name,
    looks_like,
    looks_like_weights,
    meaning,
    normalized,
    unknown_column,
)
from karat.data.rows import Rows
from karat.data.scores.containers import Scores
from karat.data.sources.files.text_labels import is_null_like
from karat.errors import error, short, shown
from karat.errors.doubts import Doubt, doubt
from karat.errors.options import is_command_line, option, option_of_list
from karat.errors.text import count
from karat.tally import Cells, Classes, to_marginals
from karat.tally.classes import IGNORED, Label, usual_positive
from karat.tally.look_alikes import N_REMARKS, is_number, look_alikes
from karat.tally.row_sample import row_parts
from karat.tally.score_histograms import ScoreHistograms
from karat.tally.set_tally import SetTally

Numbers: TypeAlias = "npt.NDArray[Any]"
N_FIRST: Final = 100_000
"""Number of rows in which the values of a column are examined."""


def check_unused_weights(columns: Iterable[tuple[str, str]], used: Collection[str | None]) -> None:
    """Refuse a column named like weights whose values cannot be weights (K116)."""
    for name, kind in columns:
        if normalized(name) in ALIASES["weights"] and name not in used:
            raise error(
                "K116",
                argument=f"Column {name!r}, found by its name,",
                found=f"Its type is {kind}; {option('weights', '')} leaves it out",
            )


def no_slices(column: str, columns: Sequence[str]) -> Exception:
    """K404: the column of the slices does not exist."""
    return unknown_column(column, "the slices", columns)


def single_columns(groups: Iterable[tuple[str, ...]], columns: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct columns of slices and crosses (K404: one does not exist)."""
    found = tuple(dict.fromkeys(name for key in groups for name in key))
    for name in found:
        if name not in columns:
            raise no_slices(name, columns)
    return found


def unused_groups(
    columns: Iterable[str], used: Collection[str | None], hold_groups: Callable[[str], bool]
) -> list[Doubt]:
    """Return the warning about an unused column named like groups of rows.

    Args:
        hold_groups: function that returns whether the values of a column may be groups of rows, as
            far as is known.
    """
    named = (name for name in columns if normalized(name) in ALIASES["group"] and name not in used)
    found = next(filter(hold_groups, named), None)
    if found is None:
        return []
    of_column = {"option": option("clusters", found), "none": option("clusters", "")}
    return [doubt("D107", column=repr(found), **of_column)]


N_PAIRS: Final = 10_000
"""Number of rows in which pairs of labels are examined."""
_COUNTS: Final = "count counts n size freq frequency len support num"


def check_counts(
    types: Mapping[str, Family],
    used: Collection[str | None],
    told_apart_by: Sequence[str],
    rows: Callable[[Sequence[str]], list[tuple[str, ...]] | None],
) -> None:
    """Refuse rows that probably are counts of rows (K427).

    No two have the same labels, and an unused column of whole numbers is named like a count.

    Args:
        told_apart_by: columns of the truth and the predictions, and of slices.
        rows: function of columns that returns the texts of their first `N_PAIRS` rows, "" for
            missing values; None if unknown.
    """
    named = (name for name in types if normalized(name) in _COUNTS.split() and name not in used)
    column = next((x for x in named if types[x] in ("whole", "unknown")), None)
    found = None if column is None else rows([*told_apart_by, column])
    if found is None or not 1 < len(found) < N_PAIRS:
        return
    counts = [row[-1] for row in found]
    if len({row[:-1] for row in found}) < len(found) or not all(x.isdecimal() for x in counts):
        return
    total = sum(map(int, counts))
    if total <= len(found):
        return
    raise error(
        "K427",
        n=len(found),
        pairs=" and ".join(told_apart_by),
        column=repr(column),
        total=count(total),
        counts=how_to_name("weights", column or ""),
        frequency=option("weights_are", "frequency"),
        none=how_to_name("weights", ""),
    )


_PARTS: Final = "split set subset partition phase dataset data_set part"
_FLAGS: Final = "is_train is_training in_train is_test is_valid is_validation"
_TRAINING: Final = frozenset(["train", "training", "trn", "tr"])
_TESTING: Final = frozenset(
    ["test", "testing", "tst", "te", "valid", "validation", "val", "dev", "eval", "holdout"]
)


def parts_of_data(
    types: Mapping[str, Family],
    used: Collection[str | None],
    distinct: Callable[[str], Collection[str] | None],
) -> list[Doubt]:
    """Return the warning about rows for training among those for testing.

    Args:
        distinct: function that returns the distinct values of the first rows of a column as text;
            None if unknown.
    """
    for name, kind in types.items():
        key = normalized(name)
        is_flag = key in _FLAGS.split()
        if name in used or not (is_flag or {key, key.rpartition("_")[2]} & {*_PARTS.split()}):
            continue
        values = None if kind in ("real", "list") else distinct(name)
        words = {normalized(text) for text in values or ()}
        is_mixed = len(words) > 1
        if not is_flag:
            is_mixed = bool(words & _TRAINING and words & _TESTING)
        if is_mixed and values is not None:
            test = next((x for x in sorted(values) if normalized(x) in _TESTING), None)
            return [_of_parts(name, sorted(values), test)]
    return []


def _of_parts(column: str, values: Sequence[str], test: str | None) -> Doubt:
    is_of_training = normalized(column).endswith(("train", "training"))
    value = repr(test) if test is not None else values[0 if is_of_training else -1]
    where = f'--where "{column} = {value}"'
    in_memory = f"frame[frame[{column!r}] == {value}]"
    alone = where if is_command_line() else f"{in_memory} (of files {where})"
    by = option("by", column)
    return doubt("D152", column=repr(column), values=shown(values), alone=alone, by=by)


_CODES: Final = (
    "id ids code codes zip zipcode postcode plz store shop site branch region "
    "district ward hospital clinic school product item sku category type device "
    "machine plant line key number no"
)
"""Words at the end of names of columns whose whole numbers are codes, not quantities."""


def binned_codes(column: str, slices: Sequence[str]) -> Doubt | None:
    """Return the warning that numbers of a column named like codes were binned, or None."""
    name = normalized(column)
    if name.rpartition("_")[2] not in _CODES.split() and name not in ALIASES["group"]:
        return None
    bins = f"{slices[0]}, … {slices[-1]}"
    sql = f"\"SELECT * REPLACE (CAST({column} AS VARCHAR) AS {column}) FROM 'FILE'\""
    do = f"read the files by {sql}"
    if not is_command_line():
        do = f"frame[{column!r}].astype(str), or of files {sql}"
    return doubt("D140", column=repr(column), bins=bins, do=do)


def are_groups(n: int, n_different: int, n_rows: int) -> bool | None:
    """Return whether values may be groups of rows: some repeat, and they are not all equal.

    Args:
        n: values among the first rows of a column, at most `N_FIRST`; without missing ones.
        n_different: number of distinct values.
        n_rows: number of examined rows.

    Returns:
        None if all values are equal and more rows may follow.
    """
    if n_different > 1:
        return n_different < n
    return False if n_rows < N_FIRST else None


def unused_columns(
    types: Mapping[str, Family],
    used: Sequence[str | None],
    given: Collection[Role],
    noted: Collection[str] = (),
) -> list[Doubt]:
    """Return a warning for each role whose name resembles that of unused columns.

    Args:
        given: the roles that the caller named or excluded, which no other column can have.
        noted: columns with another warning.
    """
    others: tuple[Role, ...] = ("id", "fold", "group", "weights")
    named = {alias for role in others for alias in ALIASES[role]}
    known = {*used, *noted}
    like: dict[Role, list[str]] = {}
    for name, kind in types.items():
        role = "weights" if looks_like_weights(name) else looks_like(name)
        if role is None or name in known or normalized(name) in named or role in given:
            continue
        if role in ("true", "pred") or kind in ("whole", "real", "unknown"):
            like.setdefault(role, []).append(name)
    found = []
    for role, names in like.items():
        is_one = len(names) == 1
        noticed = (
            f"Column {names[0]!r} is not used, and its name is like that of {meaning(role)}"
            if is_one
            else f"Columns {shown(names, 4)} are not used, and their names are like those of "
            f"{meaning(role)}"
        )
        found.append(
            doubt(
                "D104",
                noticed=noticed,
                found="Columns that are used: " + (shown(filter(None, used)) or "none"),
                role=meaning(role),
                they="it holds" if is_one else "one of them holds",
                none=how_to_name(role, ""),
                option=how_to_name(role, names[0])
                if role != "score"
                else f"{how_to_name('prob', names[0])} where they are probabilities, else "
                f"{how_to_name(role, names[0])}",
            )
        )
    return found


def repeated_ids(count: int, n: int, column: str | None, value: object) -> Doubt:
    """Return the warning about repeated ids; `column` is None for ids that are no column."""
    return doubt(
        "D105",
        count=count,
        n=n,
        of="" if column is None else f" of column {column!r}",
        value=repr(value),
        how="give the ids as clusters" if column is None else "name the column",
        option=option("clusters", column),
    )


_MOST_NAMES: Final = 200_000
"""Number of rows above which an index of non-integers is not compared."""


def doubts_of_order(first: Any, called: str, **others: Any) -> Iterator[Doubt]:
    """Yield the warning that pandas objects have the same index as the first, permuted.

    Args:
        called: name of the first.
        others: the others by name, alone or in dicts; only pandas objects have an index.

    Cost: none if an index is the same object or both are ranges; one pass if they are equal or have
    other numbers; two hash tables if they are permuted.
    """
    index = index_of(first)
    for argument, values in _each_of(others) if index is not None else ():
        own = values.index if isinstance(values, Scores) else index_of(values)
        differ = None if own is None else _permuted(index, own)
        if differ is None:
            continue
        row = int(differ.argmax())
        left, right = (each[row : row + 1].tolist()[0] for each in (index, own))
        n_axes = values.values.ndim if isinstance(values, Scores) else values.ndim
        ordered = "to_numpy()" if n_axes == 1 else f"set_axis({called}.index)"
        yield doubt(
            "D113",
            argument=argument,
            first=called,
            count=count(int(differ.sum())),
            n=count(len(differ)),
            row=row,
            left=short(left),
            right=short(right),
            ordered=f"{argument}.{ordered}",
        )


def _each_of(named: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each object with its name, including those in dicts and in tuples of crosses."""
    for name, values in named.items():
        if not isinstance(values, Mapping):
            yield name, values
            continue
        for key, own in values.items():
            if isinstance(key, tuple) and isinstance(own, list | tuple):
                yield from ((f"{name}[{key!r}][{i}]", part) for i, part in enumerate(own))
            else:
                yield f"{name}[{key!r}]", own


def _permuted(left: Any, right: Any) -> Numbers | None:
    """Return the rows in which two indexes differ, if one is a permutation of the other."""
    try:
        if left is right or len(left) != len(right) or left.equals(right):
            return None
        if left.dtype.kind in "iu" and right.dtype.kind in "iu":
            if left.to_numpy().sum() != right.to_numpy().sum():
                return None
        elif len(left) > _MOST_NAMES:
            return None
        if not (left.is_unique and right.is_unique) or (left.get_indexer(right) < 0).any():
            return None
        return np.asarray(left != right)
    except Exception:  # values of an index may be of any class, and their comparison may raise
        return None


def check_in_common(cells: Cells, left: str = "y_true", right: str = "y_pred") -> None:
    """Refuse truth and predictions without a common label (K191), and ignored rows (K318).

    Declared classes, and 0 and 1, are one vocabulary, even if some do not occur.
    """
    classes = cells.classes
    if classes.is_declared or classes.k < 2 or usual_positive(classes.labels) is not None:
        return
    hits, false_alarms, misses = (counts.reshape(-1) for counts in to_marginals(cells).counts)
    is_true, is_predicted = hits + misses > 0, hits + false_alarms > 0
    if IGNORED in classes.labels and not is_predicted[classes.labels.index(IGNORED)]:
        refuse_ignored(classes, left)
    if (is_true & is_predicted).any() or not is_true.any():
        return
    sides = (
        shown([classes.labels[i] for i in np.flatnonzero(occur)], 3)
        for occur in (is_true, is_predicted)
    )
    of_each = dict(zip(("left_labels", "right_labels"), sides, strict=True))
    raise error("K191", left=left, right=right, **of_each)


def refuse_ignored(classes: Classes, argument: str) -> None:
    """Refuse -100 as a class beside others that count from 0 (K318)."""
    numbers = [label for label in classes.labels if isinstance(label, int)]
    if classes.k == len(numbers) > 2 and all(x == IGNORED or x >= 0 for x in numbers):
        rest = [label for label in classes.labels if label != IGNORED]
        raise error("K318", argument=argument, rest=shown(rest), option=option("labels"))


_WIDE: Final = 16


def n_not_of_largest(pred: Numbers, values: Numbers) -> int:
    """Return the number of rows whose prediction is not a class of the largest score."""
    found = 0
    for part in row_parts(len(pred)):
        block = values[part]
        own = np.take_along_axis(block, pred[part, None], 1)[:, 0]
        # With few columns, the maximum of each row is slower than that of whole columns.
        is_wide = block.shape[1] > _WIDE
        largest = block.max(axis=1) if is_wide else reduce(np.maximum, block.T)
        found += int(np.count_nonzero(own < largest))
    return found


def n_at_least_of_other_scores(histograms: ScoreHistograms) -> int:
    """Return a lower bound of the number of rows whose prediction is not that of their scores.

    Of more than two classes, by the rows that are right: those predicted so, and those of the
    largest score. Of two, by the rows of each class that are predicted positive, beside those above
    the threshold that contradicts the fewest. 0 if rows have weights: then rows are not counted.

    Cost: one pass over the levels.
    """
    classes, cells = histograms.classes, histograms.cells
    if histograms.is_weighted or not histograms.has_pred:
        return 0
    if classes.k > 2:
        assert histograms.confidences is not None
        n_right = int(histograms.confidences.counts[:, 1].sum())
        return abs(int(to_marginals(cells).counts[0].sum()) - n_right)
    column = 0 if histograms.is_single else 1
    positive = classes.positive if histograms.is_single else 1
    predicted = cells.counts[:, 1 if positive is None else positive]
    above = np.cumsum(histograms.ranks[column].counts, axis=0)
    # A threshold may lie within a level of several scores.
    before = np.concatenate([np.zeros((1, 2), above.dtype), above[:-1]])
    missing = np.maximum(before - predicted, 0) + np.maximum(predicted - above, 0)
    return int(missing.sum(axis=1).min())


def n_beside_threshold(parts: Sequence[tuple[Numbers, Numbers]], positive: int | None) -> int:
    """Return the smallest number of rows of two classes that contradict every threshold.

    Args:
        parts: int32[n], predicted classes, with [n] or [n, 2], their scores.
        positive: the class of a single column.

    Cost: one pass; if predictions overlap, those rows are sorted.
    """
    sides: tuple[list[Numbers], list[Numbers]] = [], []
    for pred, values in parts:
        single = values if values.ndim == 1 else values[:, 1] - values[:, 0]
        is_above = pred == (positive if values.ndim == 1 else 1)
        sides[0].append(single[~is_above])
        sides[1].append(single[is_above])
    below, above = map(np.concatenate, sides)
    if not (len(below) and len(above)):
        return 0
    below, above = np.sort(below[below >= above.min()]), np.sort(above[above <= below.max()])
    # The best threshold is one of the scores above it, or beyond all of them.
    wrong = np.arange(len(above)) + len(below) - np.searchsorted(below, above)
    return int(min(wrong.min(initial=len(above)), len(above)))


def doubts_of_labels(found: Cells | Rows | SetTally) -> Iterator[Doubt]:
    """Yield the warnings about classes that probably are a slip in the data."""
    if found.classes.is_declared:
        return
    counted = _occurrences(found)
    alike = [*_of_spelling(counted)] if any(map(_is_text, found.classes.labels)) else []
    yield from alike
    if not any(one.code == "D111" for one in alike):
        codings = [*_of_two_codings(counted)] or [*_of_coding(counted)]
        yield from codings or _of_one_side(counted)


def _is_text(label: object) -> bool:
    return isinstance(label, str)


_LEAST_SHARE: Final = 0.05
_LEAST_ROWS: Final = 10


class _Occurrences(NamedTuple):
    """Number of true, predicted and right rows of each class, weighted if rows have weights.

    Attributes:
        total: total number of rows.
        n: number of rows of positive weight, or Kish's effective number if the squares are known.
    """

    classes: Classes
    true: Numbers
    pred: Numbers
    hits: Numbers
    total: float
    n: float
    is_weighted: bool


def _of_coding(found: _Occurrences) -> Iterator[Doubt]:
    """Yield the warning that many rows have labels that occur on one side only, on both sides."""
    classes, true, pred = found.classes, found.true, found.pred
    if not (found.total > 0.0 and true.any() and pred.any()):
        return
    least = max(_LEAST_SHARE, _LEAST_ROWS / found.n) * found.total
    alone = [
        np.flatnonzero((here >= least) & (there == 0.0))
        for here, there in ((pred, true), (true, pred))
    ]
    if not all(map(len, alone)):
        return
    each = [
        f"{classes.labels[i]!r} is {told} {_times(here[i])} and never {never}"
        for at, here, told, never in (
            (alone[0], pred, "predicted", "true"),
            (alone[1], true, "true", "predicted"),
        )
        for i in at[:N_REMARKS].tolist()
    ]
    counts = f"{'; '.join(each)}{' by weight' if found.is_weighted else ''}"
    yield doubt("D114", counts=counts, option=option_of_classes(classes))


def option_of_classes(classes: Classes) -> str:
    """The option that lists every class; no list that could be copied where it would order them.

    Copied, an alphabetical list would declare that order of classes such as low, mid and high.

    Example:
        >>> from karat.tally import Classes
        >>> option_of_classes(Classes(("hi", "lo")))
        "labels=['hi', 'lo']"
        >>> option_of_classes(Classes(("hi", "lo", "mid")))
        "labels=[…], in order if they have one (alphabetically: 'hi', 'lo', 'mid')"
    """
    if classes.has_order:
        return option_of_list("labels", classes.labels)
    form = option("labels") + ("" if is_command_line() else "[…]")
    return f"{form}, in order if they have one (alphabetically: {shown(classes.labels)})"


_NO_ANSWER: Final = frozenset(
    [
        *("", "-", "?", "none", "null", "nan", "na", "n/a", "unknown", "unk", "invalid", "unclear"),
        *("abstain", "abstained", "abstention", "skip", "skipped", "unsure", "undecided", "idk"),
        *("refuse", "refused", "refusal", "no answer", "not sure", "don't know", "dont know"),
        *("i don't know", "i dont know"),
    ]
)
"""Texts of a prediction that may mean that the model gave none; in lower case, without marks."""


def _is_no_answer(label: Label) -> bool:
    return isinstance(label, str) and label.strip().strip(".<>[]()!").lower() in _NO_ANSWER


def _of_one_side(found: _Occurrences) -> Iterator[Doubt]:
    """Yield the warnings about predictions that may be no answers, and truths to leave out."""
    classes, true, pred = found.classes, found.true, found.pred
    if not (found.total > 0.0 and true.any() and pred.any()):
        return
    yield from _of_predictions_alone(found)
    by_weight = " by weight" if found.is_weighted else ""
    for i in np.flatnonzero((true > 0.0) & (pred == 0.0)).tolist():
        label = classes.labels[i]
        if _is_unlabeled(label, classes):
            rest = [x for x in classes.labels if x is not label]
            times = f"{_times(true[i])}{by_weight}"
            listed = option_of_classes(classes)
            yield doubt("D126", label=repr(label), times=times, rest=shown(rest), option=listed)


def _of_predictions_alone(found: _Occurrences) -> Iterator[Doubt]:
    """Yield the warning about all labels that are predicted and never true."""
    classes, true, pred = found.classes, found.true, found.pred
    is_true = true > 0.0
    places = np.flatnonzero((pred > 0.0) & ~is_true)
    if np.count_nonzero(is_true) < _PAIR or not len(places):
        return
    labels, times = [classes.labels[i] for i in places.tolist()], float(pred[places].sum())
    of_each = 2.0 * found.hits[is_true] / (true[is_true] + pred[is_true])
    rest, all_ = float(of_each.mean()), float(of_each.sum()) / (len(of_each) + len(places))
    is_many = times >= _LEAST_SHARE * found.total or rest - all_ > _LEAST_EFFECT
    if not is_many and not any(map(_is_no_answer, labels)):
        return
    is_one = len(labels) == 1
    yield doubt(
        "D127",
        labels=f"The label {labels[0]!r} is" if is_one else f"Labels {shown(labels, 3)} are",
        times=f"{_times(times)}{' by weight' if found.is_weighted else ''}",
        they="It is" if is_one else "Together they are",
        count="It counts" if is_one else "They count",
        more="one more class" if is_one else f"{len(labels)} more classes",
        macro=f"{all_:.3g}",
        rest=f"{rest:.3g}",
        do="If it means" if is_one else "If they mean",
        replace="replace them by a class. If it is a class"
        if is_one
        else "replace them by classes. If they are classes",
        option=option_of_classes(classes),
    )


_PAIR: Final = 2
_LEAST_EFFECT: Final = 0.05
"""Difference of macro F1 from which classes that are never true are a warning."""
_CODES_OF_NO_LABEL: Final = frozenset([9, 99, 999, 9999, 99999, 255, 65535, (1 << 31) - 1])
"""Whole numbers that mark rows without a label where all others are far below."""


def _is_unlabeled(label: Label, classes: Classes) -> bool:
    """Return whether a true label that is never predicted marks rows without a label.

    Whole numbers do where the others count from 0 or 1, and they are negative or far above.
    """
    if isinstance(label, str):
        # Labels that are spelled like a missing value have D112.
        return _is_no_answer(label) and not _is_maybe_null(label) and classes.k > _PAIR
    rest = [x for x in classes.labels if isinstance(x, int) and x >= 0 and x != label]
    if len(rest) < max(classes.k - 1, _PAIR):
        return False
    if rest != list(range(rest[0], rest[0] + len(rest))) or rest[0] > 1:
        return False
    last = rest[-1]
    is_far = label > 2 * (last + 1) if label in _CODES_OF_NO_LABEL else label >= _FAR * (last + 1)
    return is_far or (label < 0 and rest[0] == 0)


_FAR: Final = 50
"""Times the number of classes."""


def _is_maybe_null(text: str) -> bool:
    return is_null_like(text) or text.lower() in _MAYBE


_CODINGS: Final = tuple(
    map(str.split, ("0 1", "no yes", "false true", "n y", "f t", "negative positive", "neg pos"))
)
"""Texts of the negative and of the positive one of two classes."""


def _of_two_codings(found: _Occurrences) -> Iterator[Doubt]:
    """Yield the warning that the truth writes the same two classes in several ways.

    Every class is one of the pairs above, and the truth has classes of several; or texts that are
    no numbers are true as often as numbers that are never predicted, or the other way round.
    """
    classes, true, pred = found.classes, found.true, found.pred
    if not all(map(_is_text, classes.labels)) or not pred.any() or classes.k <= _PAIR:
        return
    words = [str(x).strip().lower() for x in classes.labels]
    of_each = [next((i for i, pair in enumerate(_CODINGS) if x in pair), -1) for x in words]
    occur = np.flatnonzero(true > 0.0).tolist()
    groups = [[i for i in occur if of_each[i] == each] for each in range(len(_CODINGS))]
    groups = [each for each in groups if each]
    if -1 in of_each or len(groups) < _PAIR or max(map(len, groups)) < _PAIR:
        groups = [[i for i in occur if is_number(words[i]) is each] for each in (False, True)]
        is_alone = [bool(each) and not pred[each].any() for each in groups]
        if sum(is_alone) != 1 or len(groups[0]) != len(groups[1]) or len(groups[0]) < _PAIR:
            return
        if float(true[groups[is_alone.index(True)]].sum()) < _LEAST_SHARE * found.total:
            return
    by_weight = " by weight" if found.is_weighted else ""
    each = [
        f"{shown([classes.labels[i] for i in group], 3)}: true {_times(float(true[group].sum()))}"
        for group in groups
    ]
    listed = option_of_classes(classes)
    yield doubt("D150", counts=f"{'; '.join(each)}{by_weight}", option=listed)


def _of_spelling(found: _Occurrences) -> Iterator[Doubt]:
    true, pred = found.true, found.pred
    labels = enumerate(found.classes.labels)
    texts = {x: at for at, x in labels if isinstance(x, str) and (true[at] or pred[at])}
    by_weight = " by weight" if found.is_weighted else ""

    def counts_of(*labels: str) -> str:
        each = (
            f"{label!a} is true {_times(true[at])} and predicted {_times(pred[at])}"
            for label in labels
            for at in [texts[label]]
        )
        return f"{'; '.join(each)}{by_weight}"

    listed = option_of_classes(found.classes)
    # Labels that are only predicted have D127.
    has_truth = np.count_nonzero(true) >= _PAIR
    nulls = [
        text for text, at in texts.items() if _is_maybe_null(text) and (true[at] or not has_truth)
    ]
    for label in nulls[:N_REMARKS]:
        yield doubt("D112", label=label, counts=counts_of(label), option=listed)
    for one, other, pair, how in look_alikes(texts):
        facts = {"counts": counts_of(one, other), "option": listed}
        yield doubt("D111", pair=pair, how=how, **facts)


def _times(n: float) -> str:
    return f"{n:.12g} time{'' if n == 1 else 's'}"


def _occurrences(found: Cells | Rows | SetTally) -> _Occurrences:
    squares: Numbers | None
    if isinstance(found, SetTally):
        tp, fp, fn = found.counts[:3] if found.weights is None else found.weights[:3]
        true, pred, squares = tp + fn, tp + fp, found.row_squares
        n_rows, total, is_weighted = found.n, float(found.mass.sum()), found.is_weighted
    elif isinstance(found, Rows):
        k, weights = found.classes.k, found.weights
        codes = (found.true, () if found.pred is None else found.pred)
        true, pred = (np.bincount(each, weights if len(each) else None, k) for each in codes)
        is_right = np.equal(found.true, -1 if found.pred is None else found.pred)
        tp = np.bincount(found.true[is_right], None if weights is None else weights[is_right], k)
        squares = None if weights is None else weights**2
        n_rows, total, is_weighted = found.n, float(true.sum()), weights is not None
    else:
        tp, fp, fn = (counts.reshape(-1) for counts in to_marginals(found).counts)
        true, pred, squares = tp + fn, tp + fp, found.squares
        n_rows, total, is_weighted = int(found.n_rows), float(true.sum()), found.is_weighted
    n = float(n_rows) if squares is None or not total else total**2 / float(squares.sum())
    return _Occurrences(found.classes, true, pred, tp, total, n, is_weighted)


_MAYBE = ("none", "nil", "missing")
