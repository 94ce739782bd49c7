"""Checks of rows: weights that cannot be used, labels and columns that are in doubt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
    meaning,
    normalized,
    unknown_column,
)
from karat.data.rows import Rows
from karat.data.scores.containers import Scores
from karat.data.sources.files.text_labels import is_null_like
from karat.errors import error, short, shown
from karat.errors.doubts import Doubt, doubt
from karat.errors.options import option, option_of_list
from karat.errors.text import count
from karat.tally import Cells, to_marginals
from karat.tally.classes import usual_positive
from karat.tally.look_alikes import N_REMARKS, look_alikes

Numbers: TypeAlias = "npt.NDArray[Any]"
N_FIRST: Final = 100_000
"""Rows in which the values of a column are looked at."""


def check_unused_weights(columns: Iterable[tuple[str, str]], used: Collection[str | None]) -> None:
    """Refuse a column, of a name and a type, that is called like weights and cannot be (K116)."""
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
    """The columns that slices and crosses are made of, each once (K404: one does not exist)."""
    found = tuple(dict.fromkeys(name for key in groups for name in key))
    for name in found:
        if name not in columns:
            raise no_slices(name, columns)
    return found


def unused_groups(
    columns: Iterable[str], used: Collection[str | None], hold_groups: Callable[[str], bool]
) -> list[Doubt]:
    """Return the doubt about a column that is called like groups of rows and that is not named.

    Args:
        hold_groups: whether the values of a column may be groups of rows, as far as is known.
    """
    named = (name for name in columns if normalized(name) in ALIASES["group"] and name not in used)
    found = next(filter(hold_groups, named), None)
    if found is None:
        return []
    of_column = {"option": option("clusters", found), "none": option("clusters", "")}
    return [doubt("D107", column=repr(found), **of_column)]


def are_groups(n: int, n_different: int, n_rows: int) -> bool | None:
    """Whether values may be groups of rows: some repeat, and they are not all the same.

    Args:
        n: values among the first rows of a column, at most `N_FIRST`; missing ones do not count.
        n_different: how many of them differ.
        n_rows: rows that were looked at.

    Returns:
        None where every value is the same and more rows may follow.
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
    """Return a doubt for each role whose name is like that of columns that are not used.

    Args:
        given: the roles that the caller named, or left out: other columns are not theirs.
        noted: columns of which another doubt speaks.
    """
    others: tuple[Role, ...] = ("id", "fold", "group", "weights")
    named = {alias for role in others for alias in ALIASES[role]}
    known = {*used, *noted}
    like: dict[Role, list[str]] = {}
    for name, kind in types.items():
        role = looks_like(name)
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
                them="it",
                option=how_to_name(role, names[0]),
            )
        )
    return found


def repeated_ids(count: int, n: int, column: str, value: object) -> Doubt:
    """Return the doubt about ids that rows repeat."""
    return doubt(
        "D105",
        count=count,
        n=n,
        column=repr(column),
        value=repr(value),
        option=option("clusters", column),
    )


_MOST_NAMES: Final = 200_000
"""In more rows an index that holds no whole numbers is not compared."""


def doubts_of_order(first: Any, called: str, **others: Any) -> Iterator[Doubt]:
    """Iterate over the doubt that pandas objects hold the same index as the first, permuted.

    Args:
        called: what the first is called.
        others: the others by name; those that are no pandas objects have no index.

    Cost: nothing where an index is the same object or both are ranges, one pass where they are
    equal or have other numbers; where they are permuted two hash tables.
    """
    index = index_of(first)
    for argument, values in others.items() if index is not None else ():
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


def _permuted(left: Any, right: Any) -> Numbers | None:
    """The rows in which two indexes differ, where each holds the values of the other once."""
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
    """Refuse truth and predictions that have no label in common (K191).

    Classes that were declared, and 0 and 1, are one vocabulary whatever occurs of them.
    """
    classes = cells.classes
    if classes.is_declared or classes.k < 2 or usual_positive(classes.labels) is not None:
        return
    hits, false_alarms, misses = (counts.reshape(-1) for counts in to_marginals(cells).counts)
    is_true, is_predicted = hits + misses > 0, hits + false_alarms > 0
    if (is_true & is_predicted).any() or not is_true.any():
        return
    sides = (
        shown([classes.labels[i] for i in np.flatnonzero(occur)], 3)
        for occur in (is_true, is_predicted)
    )
    of_each = dict(zip(("left_labels", "right_labels"), sides, strict=True))
    raise error("K191", left=left, right=right, **of_each)


def doubts_of_labels(found: Cells | Rows) -> Iterator[Doubt]:
    """Iterate over the doubts about classes that are most often a slip in the data."""
    if found.classes.is_declared or not any(isinstance(x, str) for x in found.classes.labels):
        return
    true, pred, is_weighted = _occurrences(found)
    labels = enumerate(found.classes.labels)
    texts = {x: at for at, x in labels if isinstance(x, str) and (true[at] or pred[at])}
    by_weight = " by weight" if is_weighted else ""

    def counts_of(*labels: str) -> str:
        each = (
            f"{label!a} is true {_times(true[at])} and predicted {_times(pred[at])}"
            for label in labels
            for at in [texts[label]]
        )
        return f"{'; '.join(each)}{by_weight}"

    listed = option_of_list("labels", found.classes.labels)
    nulls = [text for text in texts if is_null_like(text) or text.lower() in _MAYBE]
    for label in nulls[:N_REMARKS]:
        yield doubt("D112", label=label, counts=counts_of(label), option=listed)
    for one, other, pair, how in look_alikes(texts):
        facts = {"counts": counts_of(one, other), "option": listed}
        yield doubt("D111", pair=pair, how=how, **facts)


def _times(n: float) -> str:
    return f"{n:.12g} time{'' if n == 1 else 's'}"


def _occurrences(found: Cells | Rows) -> tuple[Numbers, Numbers, bool]:
    """How often each class is true and predicted, and whether by weight."""
    if isinstance(found, Rows):
        k, weights = found.classes.k, found.weights
        codes = (found.true, () if found.pred is None else found.pred)
        true, pred = (np.bincount(each, weights if len(each) else None, k) for each in codes)
        return true, pred, weights is not None
    hits, false_alarms, misses = (counts.reshape(-1) for counts in to_marginals(found).counts)
    return hits + misses, hits + false_alarms, found.is_weighted


_MAYBE = ("none", "nil", "missing")
