"""`find_weak_slices`: where a classifier is worse, among many columns, with honest multiplicity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from numbers import Integral
from typing import Any, Final

import numpy as np

from karat.api.weak_slice_arguments import searched
from karat.data.flags import check_flag
from karat.data.slices.codes import SliceCodes, coded_values, crossed
from karat.errors import KaratError, error
from karat.errors.habits import names_its_arguments
from karat.inference.confidence import Confidence
from karat.inference.slices.weak import (
    Candidates,
    RowLosses,
    WeakSlice,
    WeakSlices,
    largest_of_shuffled,
    standardized,
)

__all__ = ["find_weak_slices"]

_FEWEST: Final = 99
_MOST: Final = 1_000_000
_MOST_CROSSED: Final = 50
"""Columns of more slices than this are not crossed with others."""


@names_its_arguments
def find_weak_slices(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    by: Any = None,
    loss: Any = None,
    true: str | int | None = None,
    pred: str | int | None = None,
    weights: Any = None,
    crosses: bool = True,
    min_n: int = 50,
    level: float = 0.95,
    n_permutations: int = 999,
    seed: int = 0,
) -> WeakSlices:
    """Slices on which a classifier is worse than elsewhere, found among all columns of a table.

    Every value and bin of every column is looked at, and every cross of two columns. The largest
    of all statistics is held against the largest where losses are shuffled across rows (Westfall
    and Young 1993), so that data without any weak slice show one in at most 1 − level of cases,
    however many columns there are. Rows are taken to be independent.

    Args:
        y_true, y_pred: labels, [n]; a row loses 1 where they differ. Or y_true is a table in
            memory (pandas, Polars, Arrow, DuckDB, dict of columns) that holds everything.
        by: the columns to look at: a table, or a dict from name to values, [n] each; of a table
            that was given first their names. Default: all its others that hold neither labels,
            weights nor what the model said (probabilities, scores).
        loss: float[n] instead of labels: what each row loses, at least 0; or the name of its
            column.
        true, pred: columns of the labels; found by their names when not given.
        weights: float[n], at least 0, or the name of a column (of a table found by its name;
            "" for none): how much each row counts; rows of weight 0 are left out.
        crosses: whether pairs of columns are looked at too.
        min_n: slices of fewer rows are not.
        level: 1 − the chance of a false finding among all.
        n_permutations, seed: of the shuffles.

    Returns:
        `WeakSlices`: true where one was found; ``.slices``, each with columns, key, rows, losses
        and p. Crosses inside a single slice of the list are counted, not listed.

    Errors:
        K101 to K116 labels, losses and weights; K128, K143, K184, K185 labels and
        losses that are missing or do not go together; K122 an option; K181 no columns; K404 to
        K406 no such column; K416, K423 rows in partitions.

    Cost: n_permutations × wrong rows × (columns + crosses); 20 columns of 10⁴ rows take seconds.
    With weights, or losses of every row, all rows are shuffled: ten times that where a tenth is
    wrong.

    Example:
        >>> import karat
        >>> site, true = ["a", "b", "c", "d"] * 100, [0, 1, 1, 0] * 100
        >>> pred = [1 - t if s == "c" else t for s, t in zip(site, true)]
        >>> found = karat.find_weak_slices(true, pred, by={"site": site})
        >>> found.slices[0].name, found.slices[0].loss
        ('site = c', 1.0)
    """
    asked = Confidence.of(level, seed=seed)
    if asked is None:
        raise error(
            "K122",
            argument="level",
            value=level,
            choices="a number between 0 and 1",
            do="1 − level is the chance of a false finding.",
        )
    least_n = _whole("min_n", min_n, 1, None, "50 rows tell a tenth from a quarter.")
    n_shuffles = _whole(
        "n_permutations", n_permutations, _FEWEST, _MOST, "999 show p down to 0.001."
    )
    check_flag("crosses", crosses, "False looks at single columns only.")
    given = searched(y_true, y_pred, by, loss, {"true": true, "pred": pred}, weights)
    rows = given.losses()
    single, unfit = _single(given.columns(), rows, given.beside)
    left_out = {**given.left_out, **unfit}
    tables = [_candidates(one, least_n) for one in single]
    if crosses:
        for a, b in combinations([x for x in single if len(x.keys) <= _MOST_CROSSED], 2):
            both = _crossed(a, b)
            tables += [] if both is None else [_candidates(both, least_n)]
    tables = [one for one in tables if len(one.n_rows)]
    if not tables or not rows.loss.any():
        n = sum(len(one.n_rows) for one in tables)
        return WeakSlices((), n, 0, asked.level, 1.0, n_shuffles, asked.seed, left_out)
    draws = largest_of_shuffled(tables, rows.shuffled, n_shuffles, asked.seed)
    return _found(tables, rows, draws, asked, left_out)


def _whole(argument: str, value: Any, least: int, most: int | None, do: str) -> int:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if is_whole and value >= least and (most is None or value <= most):
        return int(value)
    choices = f"a whole number from {least}" + ("" if most is None else f" to {most}")
    raise error("K122", argument=argument, value=value, choices=choices, do=do)


def _found(
    tables: Sequence[Candidates],
    rows: RowLosses,
    draws: Any,
    asked: Confidence,
    left_out: dict[str, str],
) -> WeakSlices:
    found, least = [], 1.0
    for table in tables:
        z = standardized(rows.sums(table), table.n_rows, rows.shuffled)
        # Shuffles and the data themselves; what rounding tells apart is equal.
        at_least = len(draws) - np.searchsorted(draws, z - 1e-9, side="left")
        p = (1.0 + at_least) / (1.0 + len(draws))
        least = min(least, float(p.min()))
        loss, rest = rows.means(table)
        found += [
            WeakSlice(
                table.columns,
                table.keys[i],
                int(table.n_rows[i]),
                float(loss[i]),
                float(rest[i]),
                float(z[i]),
                float(p[i]),
            )
            for i in np.flatnonzero(p <= 1.0 - asked.level + 1e-12).tolist()
        ]
    singles = {(one.columns[0], one.key[0]) for one in found if len(one.columns) == 1}
    listed = [
        one
        for one in found
        if len(one.columns) == 1 or not singles & set(zip(one.columns, one.key, strict=True))
    ]
    listed.sort(key=lambda one: (-one.z, one.columns, one.key))
    n_tested = sum(len(table.n_rows) for table in tables)
    return WeakSlices(
        tuple(listed),
        n_tested,
        len(found) - len(listed),
        asked.level,
        least,
        len(draws),
        asked.seed,
        left_out,
    )


def _single(
    values: Mapping[str, Any], rows: RowLosses, beside: str
) -> tuple[list[SliceCodes], dict[str, str]]:
    """The slices of each column; those that cannot be slices are told."""
    found, left_out = [], {}
    for name, column in values.items():
        try:
            coded = coded_values(column, name, rows.n_given, beside=beside)
            found.append(coded.at(rows.kept))
        except KaratError as problem:
            if problem.code not in ("K106", "K181", "K182"):
                raise
            what, where = str(problem).splitlines()[:2]
            # Of K181 the first line says only that it cannot be used.
            told = where if problem.code == "K181" else what.partition("  ")[2]
            left_out[name] = told.strip()
    return found, left_out


def _crossed(a: SliceCodes, b: SliceCodes) -> SliceCodes | None:
    if len(a.keys) < 2 or len(b.keys) < 2:
        return None
    # No table is kept of a pair of values, so that there may be more than a report holds.
    return crossed([a, b], most=_MOST_CROSSED**2)


def _candidates(found: SliceCodes, min_n: int) -> Candidates:
    """The slices of enough rows, and not of all of them."""
    n_rows = np.bincount(found.codes, minlength=len(found.keys))
    kept = np.flatnonzero((n_rows >= max(min_n, 1)) & (n_rows < len(found.codes)))
    # Those of all crosses are held at once.
    lut = np.full(len(found.keys), len(kept), np.int16)
    lut[kept] = np.arange(len(kept))
    keys = tuple(found.keys[i] for i in kept.tolist())
    return Candidates(found.columns, keys, lut[found.codes], n_rows[kept].astype(np.int64))
