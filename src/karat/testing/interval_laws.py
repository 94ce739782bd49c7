"""Laws of the intervals of metrics of labels; a third-party metric inherits them.

``for law in INTERVAL_LAWS: law(record)`` raises AssertionError with the first metric that breaks
one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.inference.confidence import Confidence, Interval, Method, Side
from karat.inference.label_intervals import TableIntervals
from karat.inference.table_variance import derivative
from karat.metrics import Metric, Record
from karat.metrics._formula import walk
from karat.tally import Cells, Classes
from karat.testing.laws import POLICIES, metrics_of, near, random_tables

_STEP: Final = 1e-5
_SIDES: Final[tuple[Side, ...]] = ("low", "high")
_CLOSED: Final[tuple[Method, ...]] = ("default", "wald")
_N_TABLES: Final = 8
_DRAWN: Final[tuple[Method, ...]] = ("bootstrap", "bca", "bayesian")


def _cells(table: npt.NDArray[Any], squares: npt.NDArray[Any] | None = None) -> Cells:
    k = len(table)
    classes = Classes(tuple(range(k)), 1 if k == 2 else None, None, False)
    return Cells.dense(table, classes=classes, squares=squares, n_rows=int(table.sum()))


def interval_of(metric: Metric, cells: Cells, asked: Confidence) -> tuple[float, Interval]:
    values = metric.values(cells)
    value = float(values.value)
    if values.undefined.all() or not math.isfinite(value):
        return value, Interval(remark="undefined")
    return value, TableIntervals(cells, asked).of(metric, value)


def _tables(k: int) -> npt.NDArray[np.int64]:
    return random_tables(k, _N_TABLES, seed=3)


def _some(k: int) -> npt.NDArray[np.int64]:
    return _tables(k)[:4]


def _full(k: int) -> npt.NDArray[np.int64]:
    """Three tables without an empty cell."""
    return random_tables(k, _N_TABLES, seed=3, gaps=-1.0)[[1, 2, 5]]


def _each(
    record: Record, tables: Callable[[int], npt.NDArray[np.int64]], *ks: int
) -> Iterator[tuple[Metric, npt.NDArray[np.int64]]]:
    """Every lift that gives one number, on each table of so many classes."""
    for k in ks:
        metrics = [metric for metric in metrics_of(record, k) if metric.lift != "per_class"]
        yield from ((metric, table) for table in tables(k) for metric in metrics)


def _width(found: Interval) -> float:
    assert found.low is not None
    assert found.high is not None
    return found.high - found.low


def derivative_is_the_move_of_a_weight(record: Record) -> None:
    """Shares of cells moved a little, through the native evaluator: every lift and policy."""
    for metric, whole in _each(record, lambda k: _full(k)[:1], 2, 3, 5):
        k = len(whole)
        table = whole + 0.25 * np.arange(k)
        for policy in POLICIES:
            found = derivative(metric, _cells(table, table), policy)
            steps = _STEP * np.eye(k * k).reshape(-1, k, k)
            classes, n_rows = _cells(table).classes, np.zeros(k * k)
            up, down = (
                metric.values(Cells.dense(moved, classes=classes, n_rows=n_rows), policy).value
                for moved in (table + steps, table - steps)
            )
            slope = (up - down) / (2 * _STEP) * table.sum()
            size = max(1.0, float(np.abs(slope).max()))
            np.testing.assert_allclose(
                found / size, slope / size, atol=1e-6, err_msg=f"{metric} under {policy}"
            )


def interval_holds_its_value(record: Record) -> None:
    """Limits hold the value and lie in the range; without limits there is a remark."""
    low, high = record.range
    for metric, table in _each(record, _tables, 2, 3, 5):
        for asked in (Confidence(), Confidence(method="wald"), Confidence(method="logit")):
            value, found = interval_of(metric, _cells(table), asked)
            about = f"{metric} by {asked.method} on {table.tolist()}: {found}"
            if found.low is None or found.high is None:
                if found.low is not found.high or not found.remark:
                    raise AssertionError(f"neither limits nor a remark: {about}")
                continue
            if not found.low <= value <= found.high or not found.method:
                raise AssertionError(f"{value} is outside: {about}")
            if not low - 1e-12 <= found.low <= found.high <= high + 1e-12:
                raise AssertionError(f"beyond the range {record.range}: {about}")


def surer_is_wider(record: Record) -> None:
    """Limits at 99 % lie outside those at 95 %, and are farther apart where rows err."""
    for metric, table in _each(record, _full, 2, 3):
        _, narrow = interval_of(metric, _cells(table), Confidence())
        _, wide = interval_of(metric, _cells(table), Confidence(level=0.99))
        if narrow.low is None or narrow.high is None:
            continue
        assert wide.low is not None
        assert wide.high is not None
        if not (wide.low <= narrow.low and wide.high >= narrow.high):
            raise AssertionError(f"{metric}: {wide} does not hold {narrow}")
        if not _width(wide) > _width(narrow):
            raise AssertionError(f"{metric}: {wide} is not wider than {narrow}")


def more_rows_are_surer(record: Record) -> None:
    """Four times the table gives limits about half as far apart, or less where bias falls."""
    for metric, table in _each(record, _full, 2, 3):
        _, few = interval_of(metric, _cells(table), Confidence())
        _, many = interval_of(metric, _cells(4 * table), Confidence())
        if few.low is None:
            continue
        ratio = _width(many) / _width(few)
        # Limits of information hold its bias, which falls four times as fast as they do.
        is_biased = any(node.op == "log" for node in walk(metric.traced("zero").value))
        if not (0.05 if is_biased else 0.2) < ratio < 0.75:
            raise AssertionError(f"{metric}: {ratio} times as wide with 4 times the rows")


def one_side_is_a_limit_of_two(record: Record) -> None:
    """One limit at 97.5 % is that of both at 95 %; the other end is the end of the range."""
    for metric, table in _each(record, _some, 2, 3):
        for method in _CLOSED:
            asked = Confidence(method=method)
            _, both = interval_of(metric, _cells(table), asked)
            for side in _SIDES:
                _, one = interval_of(metric, _cells(table), replace(asked, level=0.975, side=side))
                if both.low is None or both.high is None:
                    if one.low is not None:
                        raise AssertionError(f"{metric}: a limit on one side alone")
                    continue
                assert one.low is not None
                assert one.high is not None
                two, alone = (both.low, one.low) if side == "low" else (both.high, one.high)
                np.testing.assert_allclose(
                    alone, two, rtol=1e-9, atol=1e-12, err_msg=f"{metric}, {side}"
                )
                free = one.high if side == "low" else one.low
                end = metric.ends[1 if side == "low" else 0]
                if free != end:
                    raise AssertionError(f"{metric}: the free end is {free}, not {end}")


def relabelling_changes_no_interval(record: Record) -> None:
    """Another order of the classes gives the same limits, unless the order is the point."""
    for metric, table in _each(record, _some, 3, 4):
        if metric.reads_order:
            continue
        order = np.random.default_rng(len(table)).permutation(len(table))
        _, here = interval_of(metric, _cells(table), Confidence())
        _, there = interval_of(metric, _cells(table[order][:, order]), Confidence())
        _same(there, here, str(metric))


def _same(found: Interval, wanted: Interval, about: str, within: float = 1e-9) -> None:
    if (found.low is None) != (wanted.low is None) or found.method != wanted.method:
        raise AssertionError(f"{about}: {found}, not {wanted}")
    for name in ("low", "high", "standard_error"):
        pair = [getattr(one, name) for one in (found, wanted)]
        one, two = (math.nan if number is None else float(number) for number in pair)
        near(one, two, f"{about}, {name}", within)


def weights_of_one_size_are_rows(record: Record) -> None:
    """Rows that all have weight 2 give the interval of rows of weight 1."""
    for metric, table in _each(record, _some, 2, 3):
        _, plain = interval_of(metric, _cells(table), Confidence())
        cells = replace(_cells(2.0 * table, 4.0 * table), n_rows=np.asarray(table.sum()))
        _, weighted = interval_of(metric, cells, Confidence())
        if plain.remark is None and weighted.remark is None:
            _same(weighted, plain, str(metric), 1e-7)


def replicates_hold_the_value(record: Record) -> None:
    """Limits by replicates hold the value; the same seed draws the same, another draws others."""
    given = np.array([[[23, 4, 2], [5, 31, 3], [1, 6, 17]]])
    for metric, table in _each(record, lambda _: given, 3):
        for method in _DRAWN:
            asked = Confidence(method=method, n_replicates=200)
            value, found = interval_of(metric, _cells(table), asked)
            if found.low is None or found.high is None:
                if not found.remark:
                    raise AssertionError(f"{metric} by {method}: neither limits nor a remark")
                continue
            if not found.low <= value <= found.high or found.method != method:
                raise AssertionError(f"{metric} by {method}: {found} of {value}")
            if interval_of(metric, _cells(table), asked)[1] != found:
                raise AssertionError(f"{metric} by {method}: the same seed draws other limits")
            if interval_of(metric, _cells(table), replace(asked, seed=1))[1] == found:
                raise AssertionError(f"{metric} by {method}: another seed draws the same limits")


INTERVAL_LAWS: Final[tuple[Callable[[Record], None], ...]] = (
    derivative_is_the_move_of_a_weight,
    interval_holds_its_value,
    surer_is_wider,
    more_rows_are_surer,
    one_side_is_a_limit_of_two,
    relabelling_changes_no_interval,
    weights_of_one_size_are_rows,
    replicates_hold_the_value,
)
