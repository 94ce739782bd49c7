"""Checks of rows: invalid weights, and warnings about labels and columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final, TypeAlias

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
from karat.data.scores.containers import Scores
from karat.data.slices.codes import SliceCodes
from karat.errors import error, short, shown
from karat.errors.doubts import Doubt, doubt
from karat.errors.options import argument_as_typed, is_command_line, option, option_of_list
from karat.errors.text import count, counted, value
from karat.tally import Cells, Classes, to_marginals
from karat.tally.classes import IGNORED, usual_positive
from karat.tally.folds import folds_by_name
from karat.tally.look_alikes import look_alikes
from karat.tally.row_sample import row_parts
from karat.tally.score_histograms import ScoreHistograms
from karat.tally.score_kind import ARGUMENTS

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


_AT_PROBABILITIES: Final[Mapping[str | None, str]] = {
    "probabilities": ARGUMENTS["probabilities"],
    "logits": ARGUMENTS["logits"],
}
"""Kinds of scores whose threshold is a probability, and their arguments."""


def zero_threshold(
    threshold: float | None, kind: str | None, *, is_set: bool = False
) -> Iterator[Doubt]:
    """Yield the warning that a threshold of 0 predicts the positive class in every row.

    Args:
        kind: of the scores; of others than probabilities and logits, 0 is as good as any number.
        is_set: whether rows have sets of labels.
    """
    if threshold == 0.0 and kind in _AT_PROBABILITIES:
        yield doubt(
            "D161",
            what="every label in every row" if is_set else "the positive class in every row",
            argument=argument_as_typed(_AT_PROBABILITIES[kind]),
            option=option("threshold"),
            half=option("threshold", 0.5),
        )


def log_probabilities(
    kind: str | None, limits: tuple[float, float], n: int, of: str = ""
) -> Iterator[Doubt]:
    """Yield the warning that logits, one for each class or label, may be log-probabilities.

    Args:
        kind: of the scores.
        limits: the smallest and the largest.
        n: their number.
        of: the model, where there are several.
    """
    low, high = limits
    if kind == "logits" and low < _LOG_HALF and _LOG_OF_SURE < high <= 0.0:
        yield doubt("D163", of=of, n=count(n), high=value(high), option=option("y_prob"))


_LOG_HALF: Final = -0.6931
_LOG_OF_SURE: Final = -0.1
"""Logarithms of the probabilities 0.5 and 0.9."""


def unused_repeats(
    fold: str, repeat: str, id_: str | None, hold_groups: Callable[[str], bool]
) -> list[Doubt]:
    """Return the warning about repeats of cross-validation that are not used.

    Args:
        fold, repeat, id_: columns that are recognized by their names.
        hold_groups: as in `unused_groups`.
    """
    if not hold_groups(repeat):
        return []
    return [
        doubt(
            "D160",
            columns=shown((fold, repeat)),
            repeat=repr(repeat),
            folds=folds_by_name(),
            ids=option("ids", "NAME" if id_ is None else id_),
            none=option("clusters", ""),
        )
    ]


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
        counts=_how_to_count(column or ""),
        none=how_to_name("weights", ""),
    )


def _how_to_count(column: str) -> str:
    """How a column of numbers of rows is named."""
    if not is_command_line():
        return f"weights=karat.Frequency({column!r})"
    return f"{how_to_name('weights', column)} {option('weights_are', 'frequency')}"


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
    do = option_of_list("text", [column])
    if not is_command_line():
        do += "; of arrays values.astype(str)"
    return doubt("D140", column=repr(column), bins=bins, do=do)


def untested_fold(codes: SliceCodes, place: int) -> Doubt | None:
    """Return the warning that fold -1 holds rows that no fold tested, or None.

    Args:
        place: that of the folds among the columns of the codes.
    """
    here = [i for i, key in enumerate(codes.keys) if key[place] in ("-1", "-1.0")]
    if not here or len({key[place] for key in codes.keys}) == 1:
        return None
    n = int(np.count_nonzero(np.isin(codes.codes, here)))
    return doubt("D155", rows=counted(n, "row"), n=count(len(codes.codes)))


def missing_text(column: str, texts: Collection[str]) -> Doubt | None:
    """Return the warning that a text of a CSV was taken as missing and may be a value, or None.

    It is so beside blanks, or as a code among others of two letters.
    """
    found = next((text for text in ("NA", "None") if text in texts), None)
    others = [text for text in texts if text and text != found]
    are_codes = len(others) > 1 and all(len(x) == len("NA") and x.isupper() for x in others)
    if found is None or not ("" in texts or (found == "NA" and are_codes)):
        return None
    beside = "blanks" if "" in texts else shown(sorted(others), 3)
    return doubt("D156", text=found, column=repr(column), beside=beside)


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
        # A search for slices reads every other column as one of slices.
        used_as = "used as weights" if role == "weights" else "used"
        noticed = (
            f"Column {names[0]!r} is not {used_as}, and its name is like that of {meaning(role)}"
            if is_one
            else f"Columns {shown(names, 4)} are not {used_as}, and their names are like those of "
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
                else f"{option('y_prob', names[0])} where they are probabilities, else "
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
        of="" if column is None else f" in column {column!r}",
        value=repr(value),
        how="give the ids as clusters" if column is None else "name the column",
        option=option("clusters", column),
        settled_by=None if column is None else {"clusters": column},
    )


_MOST_NAMES: Final = 200_000
"""Number of rows above which an index of non-integers is not compared."""


def doubts_of_order(first: Any, called: str, **others: Any) -> Iterator[Doubt]:
    """Yield the warning that pandas objects have the index of the first permuted, or part of it.

    Args:
        called: name of the first.
        others: the others by name, alone or in dicts; only pandas objects have an index.

    Cost: none if an index is the same object or both are ranges; one pass if they are equal or have
    other numbers; two hash tables if they are permuted.
    """
    index = index_of(first)
    for argument, values in _each_of(others) if index is not None else ():
        own = values.index if isinstance(values, Scores) else index_of(values)
        n_common = 0 if own is None else _n_in_common(index, own)
        if not n_common:
            continue
        differ = np.asarray(index != own)
        row = int(differ.argmax())
        is_permuted = n_common == len(differ)
        left, right = (each[row : row + 1].tolist()[0] for each in (index, own))
        n_axes = values.values.ndim if isinstance(values, Scores) else values.ndim
        ordered = "to_numpy()" if n_axes == 1 else f"set_axis({called}.index)"
        common = f"common = {called}.index.intersection({argument}.index) are the rows of both: "
        yield doubt(
            "D113",
            argument=argument,
            others="in another order than those of" if is_permuted else "not those of",
            share="hold the same values"
            if is_permuted
            else f"have {count(n_common)} of {count(len(differ))} values in common",
            do=f"give {argument}.reindex({called}.index)"
            if is_permuted
            else f"{common}give .loc[common] of each",
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


def _n_in_common(left: Any, right: Any) -> int:
    """Return the number of values that two unequal indexes have in common; 0 if a few.

    An index that only counts the rows names none of those of a part of a table: it has to have
    nearly all in common, as a series and the same one a row later.
    """
    try:
        if left is right or len(left) != len(right) or left.equals(right):
            return 0
        if len(left) > _MOST_NAMES:
            are_whole = left.dtype.kind in "iu" and right.dtype.kind in "iu"
            if not are_whole or left.to_numpy().sum() != right.to_numpy().sum():
                return 0
        if not (left.is_unique and right.is_unique):
            return 0
        n = int(np.count_nonzero(left.get_indexer(right) >= 0))
        counts_rows = any(_counts_rows(each) for each in (left, right))
        least = _LAGGED if counts_rows and n < len(left) else _OVERLAP
        return n if n >= max(least * len(left), 1) else 0
    except Exception:  # values of an index may be of any class, and their comparison may raise
        return 0


def _counts_rows(index: Any) -> bool:
    """Return whether an index is that of a series without names: 0, 1, … in this order."""
    return bool(np.array_equal(index.to_numpy(), np.arange(len(index))))


_LAGGED: Final = 0.9
_OVERLAP: Final = 0.1
"""Least proportion of the values of an index that another one has, too."""


def check_in_common(cells: Cells, left: str = "y_true", right: str = "y_pred") -> None:
    """Refuse truth and predictions without a common label (K191), and ignored rows (K318).

    Declared classes, and 0 and 1, are one vocabulary, even if some do not occur.
    """
    classes = cells.classes
    if classes.is_declared or classes.k < 2 or usual_positive(classes.labels) is not None:
        return
    hits, false_alarms, misses = (counts.reshape(-1) for counts in to_marginals(cells).counts)
    is_true, is_predicted = hits + misses > 0, hits + false_alarms > 0
    at = classes.labels.index(IGNORED) if IGNORED in classes.labels else None
    # Masked in the truth alone, or in the same rows on both sides.
    if at is not None and (not is_predicted[at] or not (misses[at] or false_alarms[at])):
        refuse_ignored(classes, left)
    if (is_true & is_predicted).any() or not is_true.any():
        return
    true, pred = (
        [classes.labels[i] for i in np.flatnonzero(occur)] for occur in (is_true, is_predicted)
    )
    facts = {"left_labels": shown(true, 3), "right_labels": shown(pred, 3)}
    slip = _slip_between(true, pred)
    more = {} if slip is None else {"advice": slip}
    raise error("K191", left=left, right=right, **facts, **more)


def _slip_between(true: Sequence[object], pred: Sequence[object]) -> str | None:
    """Return the advice for labels of two sides that probably are the same; None if none are."""
    texts = [label for label in (*true, *pred) if isinstance(label, str)]
    for first, second, pair, how in look_alikes(texts):
        if first in true and second in pred:
            return f"Labels {pair} differ only in {how}: write each label the same way in both."
    return None


def refuse_ignored(classes: Classes, argument: str) -> None:
    """Refuse -100 as a class beside others that count from 0 (K318)."""
    if IGNORED not in classes.labels:
        return
    numbers = [label for label in classes.labels if isinstance(label, int)]
    if classes.k == len(numbers) > 2 and all(x == IGNORED or x >= 0 for x in numbers):
        rest = [label for label in classes.labels if label != IGNORED]
        raise error("K318", argument=argument, rest=shown(rest), option=option("labels"))


def are_all(values: Numbers, hold: Callable[[Numbers], Numbers]) -> bool:
    """Return whether a condition holds for all values.

    Cost: one pass; a few rows where it does not hold for those.
    """
    return all(bool(hold(values[part]).all()) for part in (slice(_FIRST), slice(_FIRST, None)))


_FIRST: Final = 1_000
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
