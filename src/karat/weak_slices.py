"""`find_weak_slices`: where a classifier is worse, among many columns, with honest multiplicity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from numbers import Integral
from typing import Any, Final

import numpy as np

from karat.engines.sliced import tally_rows
from karat.errors import KaratError, error
from karat.errors.habits import names_its_arguments
from karat.inputs.frames import is_frame, open_frame
from karat.inputs.slice_codes import SliceCodes, coded_values, crossed
from karat.inputs.spread import spread_host
from karat.inputs.weights import as_weights
from karat.slices.weak import (
    Candidates,
    WeakSlice,
    WeakSlices,
    largest_of_shuffled,
    standardized,
)
from karat.uncertainty.confidence import Confidence

__all__ = ["find_weak_slices"]

_FEWEST: Final = 99
_MOST_CROSSED: Final = 50
"""Columns of more slices than this are not crossed with others."""


@names_its_arguments
def find_weak_slices(
    columns: Any,
    y_true: Any = None,
    y_pred: Any = None,
    *,
    loss: Any = None,
    names: Sequence[str] | None = None,
    crosses: bool = True,
    min_n: int = 50,
    level: float | None = 0.95,
    n_permutations: Any = 999,
    seed: int = 0,
) -> WeakSlices:
    """Slices on which a classifier is worse than elsewhere, found among all columns of a table.

    Every value and bin of every column is looked at, and every cross of two columns. The largest
    of all statistics is held against the largest where losses are shuffled across rows (Westfall
    and Young 1993), so that data without any weak slice show one in at most 1 − level of cases,
    however many columns there are. Rows are taken to be independent.

    Args:
        columns: a table, or a dict from name to values, [n] each.
        y_true, y_pred: labels, [n]; or, of a table, the names of their columns. A row loses 1
            where they differ.
        loss: float[n] instead: what each row loses, at least 0; or the name of its column.
        names: the columns to look at; default: all others.
        crosses: whether pairs of columns are looked at too.
        min_n: slices of fewer rows are not.
        level: 1 − the chance of a false finding among all.
        n_permutations, seed: of the shuffles.

    Returns:
        `WeakSlices`: true where one was found; ``.slices``, each with columns, key, rows, losses
        and p. Crosses inside a single slice of the list are counted, not listed.

    Errors:
        K101 to K107 labels; K120 neither labels nor losses; K404 no such column.

    Cost: n_permutations × wrong rows × (columns + crosses); 20 columns of 10⁴ rows take seconds.

    Example:
        >>> import karat
        >>> site, true = ["a", "b", "c", "d"] * 100, [0, 1, 1, 0] * 100
        >>> pred = [1 - t if s == "c" else t for s, t in zip(site, true)]
        >>> found = karat.find_weak_slices({"site": site}, true, pred)
        >>> found.slices[0].name, found.slices[0].loss
        ('site = c', 1.0)
    """
    asked = Confidence.of(0.95 if level is None else level, seed=seed)
    assert asked is not None
    is_whole = isinstance(n_permutations, Integral) and not isinstance(n_permutations, bool)
    if not (is_whole and n_permutations >= _FEWEST):
        raise error(
            "K122", argument="n_permutations", value=n_permutations,
            choices="a whole number from 99", do="999 shuffles show p down to 0.001.",
        )  # fmt: skip
    values, given = _columns(columns, (y_true, y_pred, loss), names)
    lost = _losses(*given)
    single, left_out = _single(values, len(lost))
    tables = [_candidates(one, min_n) for one in single]
    if crosses:
        for a, b in combinations([x for x in single if len(x.keys) <= _MOST_CROSSED], 2):
            both = _crossed(a, b)
            tables += [] if both is None else [_candidates(both, min_n)]
    tables = [one for one in tables if len(one.keys) and len(one.n_rows)]
    if not tables or not lost.any():
        n = sum(len(one.keys) for one in tables)
        return WeakSlices((), n, 0, asked.level, 1.0, n_permutations, asked.seed, left_out)
    draws = largest_of_shuffled(tables, lost, int(n_permutations), asked.seed)
    return _found(tables, lost, draws, asked, left_out)


def _found(
    tables: Sequence[Candidates],
    lost: Any,
    draws: Any,
    asked: Confidence,
    left_out: dict[str, str],
) -> WeakSlices:
    total, n, found, least = float(lost.sum()), len(lost), [], 1.0
    for table in tables:
        m = len(table.n_rows)
        sums = np.bincount(table.codes, lost, m + 1)[:m]
        z = standardized(sums, table.n_rows, lost)
        # Shuffles and the data themselves; what rounding tells apart is equal.
        at_least = len(draws) - np.searchsorted(draws, z - 1e-9, side="left")
        p = (1.0 + at_least) / (1.0 + len(draws))
        least = min(least, float(p.min()))
        for i in np.flatnonzero(p <= 1.0 - asked.level + 1e-12).tolist():
            rows = int(table.n_rows[i])
            rest = (total - float(sums[i])) / (n - rows) if n > rows else float("nan")
            found.append(WeakSlice(
                table.columns, table.keys[i], rows, float(sums[i]) / rows, rest, float(z[i]),
                float(p[i]),
            ))  # fmt: skip
    singles = {(one.columns[0], one.key[0]) for one in found if len(one.columns) == 1}
    listed = [
        one for one in found
        if len(one.columns) == 1 or not singles & set(zip(one.columns, one.key, strict=True))
    ]  # fmt: skip
    listed.sort(key=lambda one: (-one.z, one.columns, one.key))
    n_tested = sum(len(table.n_rows) for table in tables)
    return WeakSlices(
        tuple(listed), n_tested, len(found) - len(listed), asked.level, least, len(draws),
        asked.seed, left_out,
    )  # fmt: skip


def _columns(
    columns: Any, given: tuple[Any, Any, Any], names: Sequence[str] | None
) -> tuple[dict[str, Any], tuple[Any, Any, Any]]:
    """The columns to look at, and labels or losses as values."""
    if isinstance(columns, Mapping):
        every: dict[str, Any] = {str(name): values for name, values in columns.items()}
    elif is_frame(columns) and spread_host(columns) is None:
        frame = open_frame(columns)
        every = dict(frame.columns(list(frame.names)))
    else:
        raise error(
            "K120", found=f"columns is a {type(columns).__name__}",
            do="Give a table in memory, or a dict from name to the values of each row.",
        )  # fmt: skip
    used = [item for item in given if isinstance(item, str)]
    wanted = [name for name in every if name not in used] if names is None else list(names)
    for name in (*used, *wanted):
        if name not in every:
            from karat.engines.checks import no_slices

            raise no_slices(name, list(every))
    values = tuple(every[item] if isinstance(item, str) else item for item in given)
    return {name: every[name] for name in wanted}, (values[0], values[1], values[2])


def _losses(y_true: Any, y_pred: Any, loss: Any) -> Any:
    """float64[n]: what each row loses."""
    if loss is None:
        if y_true is None or y_pred is None:
            raise error(
                "K120", found="There are neither labels nor losses",
                do="Give y_true and y_pred, or loss=.",
            )  # fmt: skip
        rows, _ = tally_rows(y_true, y_pred)
        return (rows.true != rows.pred).astype(np.float64)
    if y_pred is not None:
        raise error("K120", found="loss= was given with y_pred", do="Give one of them.")
    lost = as_weights(loss, len(loss), "loss")
    is_bad = ~np.isfinite(lost) | (lost < 0)
    if is_bad.any():
        raise error(
            "K120", found=f"Row {int(is_bad.argmax())} loses {float(lost[is_bad.argmax()])!r}",
            do="A loss is a finite number of at least 0.",
        )  # fmt: skip
    return lost


def _single(values: Mapping[str, Any], n: int) -> tuple[list[SliceCodes], dict[str, str]]:
    """The slices of each column; those that cannot be slices are told."""
    found, left_out = [], {}
    for name, column in values.items():
        try:
            found.append(coded_values(column, name, n))
        except KaratError as problem:
            if problem.code not in ("K106", "K181", "K182"):
                raise
            left_out[name] = str(problem).splitlines()[0].partition("  ")[2]
    return found, left_out


def _crossed(a: SliceCodes, b: SliceCodes) -> SliceCodes | None:
    return None if len(a.keys) < 2 or len(b.keys) < 2 else crossed([a, b])


def _candidates(found: SliceCodes, min_n: int) -> Candidates:
    """The slices of enough rows, and not of all of them."""
    n_rows = np.bincount(found.codes, minlength=len(found.keys))
    kept = np.flatnonzero((n_rows >= max(min_n, 1)) & (n_rows < len(found.codes)))
    lut = np.full(len(found.keys), len(kept), np.int64)
    lut[kept] = np.arange(len(kept))
    keys = tuple(found.keys[i] for i in kept.tolist())
    return Candidates(found.columns, keys, lut[found.codes], n_rows[kept].astype(np.int64))
