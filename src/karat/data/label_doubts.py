"""Warnings about the labels of rows: classes that probably are a slip in the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from operator import eq
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.data.rows import Rows
from karat.data.sources.files.text_labels import is_null_like
from karat.errors import short, shown
from karat.errors.doubts import Doubt, SpellingDoubt, doubt, has_doubt
from karat.errors.options import is_command_line, option, option_of_list
from karat.errors.text import counted
from karat.tally import Cells, Classes, to_marginals
from karat.tally.classes import Label
from karat.tally.look_alikes import N_REMARKS, is_number, key_of, look_alikes
from karat.tally.set_tally import SetTally

Numbers: TypeAlias = "npt.NDArray[Any]"


def doubts_of_labels(found: Cells | Rows | SetTally) -> Iterator[Doubt]:
    """Yield the warnings about classes that probably are a slip in the data."""
    if found.classes.is_declared:
        return
    occurrences = _occurrences(found)
    spellings = [*_of_spelling(occurrences)] if any(map(_is_text, found.classes.labels)) else []
    yield from spellings
    if has_doubt(spellings, SpellingDoubt):
        yield from _of_predictions_alone(occurrences)
    else:
        codings = [*_of_two_codings(occurrences)] or [*_of_coding(occurrences)]
        yield from codings or _of_one_side(occurrences)


def doubts_of_batches(y_true: Any, y_pred: Any) -> Iterator[Doubt]:
    """Yield the warning that lists of labels are batches of rows with one label each.

    All rows but the last list equally many labels, true and predicted, and the truth is not sorted.
    Two neighbors stand in both orders; or no two labels are neighbors twice, and a row has the same
    labels in another order; or what both sides of long rows have in common is at the same places.

    Cost: a pass over the first thousand rows.
    """
    true, pred = (_equal_lists(values) for values in (y_true, y_pred))
    if true is None or pred is None or list(map(len, true)) != list(map(len, pred)):
        return
    if all(row == sorted(row, key=str) for row in true):
        return
    pairs = Counter(pair for row in true for pair in pairwise(row))
    turns = any((second, first) in pairs for first, second in pairs)
    sides = [*zip(true, pred, strict=True)]
    if not turns and max(pairs.values()) == 1:
        turns = any(one != other and {*one} == {*other} for one, other in sides)
    differing = [side for side in sides if {*side[0]} != {*side[1]}]
    if not turns and len(true[0]) >= _LONG_ROW and len(differing) >= _LEAST_ROWS:
        n_common = sum(len({*one} & {*other}) for one, other in differing)
        n_same = sum(sum(map(eq, one, other)) for one, other in differing)
        turns = 0 < _MOSTLY * n_common <= n_same
    if turns:
        facts = {"rows": counted(len(y_true), "row"), "sizes": len(true[0])}
        yield doubt("D157", **facts, shown=f"{short(true[0])} and {short(pred[0])}")


def _equal_lists(values: Any) -> list[list[Any]] | None:
    """Return the first rows of lists of one length, of which the last may be shorter; or None."""
    if not isinstance(values, list | tuple) or len(values) < _PAIR:
        return None
    rows = values[:_MOST_LISTS]
    if not all(isinstance(row, list | tuple | np.ndarray) for row in rows):
        return None
    sizes = [len(row) for row in rows]
    if sizes[0] < _PAIR or {*sizes[:-1]} != {sizes[0]} or sizes[-1] > sizes[0]:
        return None
    return [np.asarray(row, object).tolist() for row in rows]


_MOST_LISTS: Final = 1_000
_LONG_ROW: Final = 4
_MOSTLY: Final = 0.9


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
        f"{classes.labels[i]!r} is {verb} {_times(here[i])} and never {never}"
        for at, here, verb, never in (
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
    never_predicted = np.flatnonzero((true > 0.0) & (pred == 0.0)).tolist()
    code = _code_of_no_label(classes) if never_predicted else None
    for i in never_predicted:
        label = classes.labels[i]
        if _is_unlabeled(label, classes) if isinstance(label, str) else label is code:
            rest = [x for x in classes.labels if x is not label]
            times = f"{_times(true[i])}{by_weight}"
            listed = option_of_classes(classes)
            yield doubt("D126", label=repr(label), times=times, rest=shown(rest), option=listed)


def _of_predictions_alone(found: _Occurrences) -> Iterator[Doubt]:
    """Yield the warning about all labels that are predicted and never true.

    Other spellings of a true class have D111.
    """
    classes, true, pred = found.classes, found.true, found.pred
    is_true = true > 0.0
    alone = np.flatnonzero((pred > 0.0) & ~is_true)
    if np.count_nonzero(is_true) < _PAIR or not len(alone):
        return
    known = {_spelled(classes.labels[i]) for i in np.flatnonzero(is_true).tolist()} - {None}
    places = [i for i in alone.tolist() if _spelled(classes.labels[i]) not in known]
    if not places:
        return
    labels, times = [classes.labels[i] for i in places], float(pred[places].sum())
    of_each = 2.0 * found.hits[is_true] / (true[is_true] + pred[is_true])
    rest, total = float(of_each.mean()), float(of_each.sum())
    all_, least = (total / (len(of_each) + len(more)) for more in (alone, places))
    is_many = times >= _LEAST_SHARE * found.total or rest - least > _LEAST_EFFECT
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


def _spelled(label: Label) -> object:
    return key_of(label) if isinstance(label, str) else None


_PAIR: Final = 2
_LEAST_EFFECT: Final = 0.05
"""Difference of an average over classes from which classes that are never true are a warning."""
_CODES_OF_NO_LABEL: Final = frozenset([9, 99, 999, 9999, 99999, 255, 65535, (1 << 31) - 1])
"""Whole numbers that mark rows without a label where all others are far below."""


def _is_unlabeled(text: str, classes: Classes) -> bool:
    """Return whether a true text that is never predicted marks rows without a label."""
    # Labels that are spelled like a missing value have D112.
    return _is_no_answer(text) and not _is_maybe_null(text) and classes.k > _PAIR


def _code_of_no_label(classes: Classes) -> Label | None:
    """Return the number that marks rows without a label if it is never predicted; None without.

    The others are whole numbers that count from 0 or 1, and it is negative or far above.
    """
    k = classes.k
    outside = [x for x in classes.labels if not (isinstance(x, int) and 0 <= x < k)]
    if len(outside) != 1 or isinstance(outside[0], str) or k <= _PAIR:
        return None
    label = outside[0]
    rest = [x for x in classes.labels if isinstance(x, int) and x is not label]
    if rest[0] not in (0, 1) or rest != list(range(rest[0], rest[0] + len(rest))):
        return None
    last = rest[-1]
    is_far = label > 2 * (last + 1) if label in _CODES_OF_NO_LABEL else label >= _FAR * (last + 1)
    return label if is_far or (label < 0 and rest[0] == 0) else None


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
        if not found.has_predictions:
            pred = tp = np.zeros_like(tp)
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
        if not found.has_predictions:
            pred = tp = np.zeros_like(tp)
        n_rows, total, is_weighted = int(found.n_rows), float(true.sum()), found.is_weighted
    n = float(n_rows) if squares is None or not total else total**2 / float(squares.sum())
    return _Occurrences(found.classes, true, pred, tp, total, n, is_weighted)


_MAYBE = ("none", "nil", "missing")
