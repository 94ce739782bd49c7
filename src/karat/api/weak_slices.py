"""`find_weak_slices`: where a classifier is worse, among many columns, with honest multiplicity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np

from karat.api.arguments import column_name, confidence_required, of_table
from karat.api.options import whole_number
from karat.data.accumulator import rows_in_memory
from karat.data.arguments import check_flag
from karat.data.roles import find_roles
from karat.data.slices.codes import (
    SliceCodes,
    coded_values,
    crossed,
    named_columns,
    refuse_same_names,
)
from karat.data.sources.arrays.rows import label_rows
from karat.data.sources.distributed.frames import COLLECT, distributed_host
from karat.data.sources.tables.frames import Frame, is_frame, open_frame
from karat.data.weights import Weights, as_weights, refuse_sums, refuse_weights
from karat.errors import KaratError, error, short
from karat.errors.habits import names_its_arguments
from karat.inference.slices.weak import (
    Candidates,
    RowLosses,
    WeakSlice,
    WeakSlices,
    largest_of_shuffled,
    standardized,
)

_MOST_CROSSED: Final = 50
"""Columns of more slices than this are not crossed with others."""


@dataclass(frozen=True, slots=True, eq=False)
class _Searched:
    """Labels or losses, weights, columns to look at, and why others are left out."""

    y_true: Any
    y_pred: Any
    loss: Any
    weights: Any
    by: Any
    left_out: dict[str, str] = field(default_factory=dict)

    def columns(self) -> dict[str, Any]:
        """The columns to look at, by name (K181)."""
        if is_frame(self.by) and distributed_host(self.by) is None and len(self.by):
            if isinstance(self.by, Mapping):
                refuse_same_names(self.by)
                return {str(name): values for name, values in self.by.items()}
            frame = open_frame(self.by)
            return frame.columns(list(frame.names), ["the slices"] * len(frame.names))
        found = f"by= is {short(self.by)} ({type(self.by).__name__}), not columns"
        raise error(
            "K181",
            found="by= was not given" if self.by is None else found,
            do="Give a table in memory, or a dict from name to the values of each row: "
            "by={'country': countries}.",
        )

    def losses(self) -> RowLosses:
        """What each row loses, and how much it counts (K101 to K116, K185)."""
        if self.loss is None:
            rows = rows_in_memory(label_rows(self.y_true, self.y_pred, weights=self.weights))
            return RowLosses.of((rows.true != rows.pred).astype(np.float64), rows.weights)
        try:
            n = len(self.loss)
        except TypeError:
            found = f"It is {short(self.loss)}, not one number a row"
            raise error("K116", argument="loss", found=found) from None
        lost = as_weights(self.loss, n, "loss")
        is_bad = ~np.isfinite(lost) | (lost < 0)
        if not n or is_bad.any():
            first = int(is_bad.argmax()) if n else 0
            found = f"Row {first} loses {float(lost[first])!r}" if n else "loss= holds no row"
            raise error("K185", found=found)
        weights: Weights | None = None
        if self.weights is not None:
            weights = as_weights(self.weights, n, beside="loss")
            refuse_weights(weights)
            refuse_sums(weights)
        return RowLosses.of(lost, weights)


def _searched(
    y_true: Any, y_pred: Any, by: Any, loss: Any, roles: Mapping[str, Any], weights: Any
) -> _Searched:
    """From the arguments as they were given; `roles` are ``true`` and ``pred``, columns or None."""
    if y_pred is None and is_frame(y_true):
        host = distributed_host(y_true)
        if host is not None:
            raise error("K423", host=host, collect=COLLECT[host])
        return _of_table(open_frame(y_true), by, loss, roles, weights)
    named = [name for name, value in roles.items() if value is not None]
    named += [name for name, x in (("loss", loss), ("weights", weights)) if isinstance(x, str)]
    if named:
        raise error(
            "K143",
            argument=named[0],
            found=f"{named[0]}= names a column, and there is no table",
            do="Give the table first: karat.find_weak_slices(frame, true=..., pred=...).",
        )
    if loss is None and (y_true is None or y_pred is None):
        do = "Give y_true and y_pred, or loss=; or a table."
        raise error("K128", found="There are neither labels nor losses", do=do)
    if loss is not None and (y_true is not None or y_pred is not None):
        raise error("K184")
    return _Searched(y_true, y_pred, loss, weights, by)


def _of_table(
    frame: Frame, by: Any, loss: Any, roles: Mapping[str, Any], weights: Any
) -> _Searched:
    """What the columns of a table hold; those without a role are looked at."""
    given: dict[Any, str | None] = {
        role: column_name(role, name) for role, name in roles.items() if name is not None
    }
    weights = of_table("weights", weights, None)
    if isinstance(weights, str):
        given["weights"] = weights
    looked = find_roles(
        frame.names, frame.types, given, needs=("true", "pred") if loss is None else ()
    )
    found: dict[str, str] = {}
    if loss is None:
        found = {"true": looked.require("true"), "pred": looked.require("pred")}
    elif any(roles.values()):
        raise error("K184")
    elif isinstance(loss, str):
        found = {"loss": loss}
    counted = looked.column("weights") if weights is None or isinstance(weights, str) else None
    if counted is not None:
        found["weights"] = counted
    left_out = {}
    if by is None:
        families = {name for family in looked.families for name in family.columns}
        others = [name for name in frame.names if name not in found.values()]
        of_model = ("prob", "score", "confidence")
        said = [x for x in others if x in families or looked.role_of(x) in of_model]
        left_out = dict.fromkeys(said, "It is what the model said")
        wanted = [name for name in others if name not in left_out]
    else:
        wanted = list(dict.fromkeys(name for key in named_columns(by) for name in key))
    values = frame.columns([*found.values(), *wanted], [*found, *["the slices"] * len(wanted)])
    held = {role: values[name] for role, name in found.items()}
    return _Searched(
        held.get("true"),
        held.get("pred"),
        held.get("loss", loss),
        held.get("weights", None if isinstance(weights, str) else weights),
        {name: values[name] for name in wanted},
        left_out,
    )


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
    do = "1 − level is the chance of a false finding."
    asked = confidence_required(level, do, "a number between 0 and 1", seed=seed)
    least_n = whole_number("min_n", min_n, "50 rows tell a tenth from a quarter.", 1)
    do = "999 show p down to 0.001."
    n_shuffles = whole_number("n_permutations", n_permutations, do, 99, 1_000_000)
    check_flag("crosses", crosses, "False looks at single columns only.")
    given = _searched(y_true, y_pred, by, loss, {"true": true, "pred": pred}, weights)
    rows = given.losses()
    single, unfit = _single(
        given.columns(), rows, beside="y_true" if given.loss is None else "loss"
    )
    tables = [_candidates(one, least_n) for one in single]
    if crosses:
        few = [one for one in single if 2 <= len(one.keys) <= _MOST_CROSSED]
        # No table is kept of a pair of values, so that there may be more than a report holds.
        pairs = (crossed(pair, most=_MOST_CROSSED**2) for pair in combinations(few, 2))
        tables += [_candidates(pair, least_n) for pair in pairs]
    tables = [one for one in tables if len(one.n_rows)]
    found: list[WeakSlice] = []
    least = 1.0
    if tables and rows.loss.any():
        draws = largest_of_shuffled(tables, rows.shuffled, n_shuffles, asked.seed)
        found, least = _found(tables, rows, draws, asked.level)
    singles = {(one.columns[0], one.key[0]) for one in found if len(one.columns) == 1}
    listed = [
        one
        for one in found
        if len(one.columns) == 1 or not singles & set(zip(one.columns, one.key, strict=True))
    ]
    listed.sort(key=lambda one: (-one.z, one.columns, one.key))
    return WeakSlices(
        tuple(listed),
        sum(len(table.n_rows) for table in tables),
        len(found) - len(listed),
        asked.level,
        least,
        n_shuffles,
        asked.seed,
        {**given.left_out, **unfit},
    )


def _found(
    tables: Sequence[Candidates], rows: RowLosses, draws: Any, level: float
) -> tuple[list[WeakSlice], float]:
    """The slices that are shown to be weak, and the least p of all."""
    found, least = [], 1.0
    for table in tables:
        z = standardized(rows.sums(table), table.n_rows, rows.shuffled)
        # Shuffles and the data themselves; what rounding tells apart is equal.
        at_least = len(draws) - np.searchsorted(draws, z - 1e-9, side="left")
        p = (1.0 + at_least) / (1.0 + len(draws))
        least = min(least, float(p.min()))
        loss, rest = rows.means(table)
        for i in np.flatnonzero(p <= 1.0 - level + 1e-12).tolist():
            numbers = (float(each[i]) for each in (loss, rest, z, p))
            found.append(WeakSlice(table.columns, table.keys[i], int(table.n_rows[i]), *numbers))
    return found, least


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


def _candidates(found: SliceCodes, min_n: int) -> Candidates:
    """The slices of enough rows, and not of all of them."""
    n_rows = np.bincount(found.codes, minlength=len(found.keys))
    kept = np.flatnonzero((n_rows >= max(min_n, 1)) & (n_rows < len(found.codes)))
    # Those of all crosses are held at once.
    lut = np.full(len(found.keys), len(kept), np.int16)
    lut[kept] = np.arange(len(kept))
    keys = tuple(found.keys[i] for i in kept.tolist())
    return Candidates(found.columns, keys, lut[found.codes], n_rows[kept].astype(np.int64))
