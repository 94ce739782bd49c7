"""Law of the facts about proportions: what a formula depends on, found from its derivatives."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from karat.inference.limits import Flags, Floats
from karat.inference.proportion_curves import at_proportions, measured
from karat.metrics import Metric, Record
from karat.metrics._proportions import OF_PREDICTED_CLASSES, OF_TRUE_CLASSES, Proportion
from karat.tally import Cells, Classes
from karat.testing.laws import metrics_of

_TABLES: Final = np.array(
    [[[31, 7], [4, 22]], [[5, 13], [17, 8]], [[3, 1], [29, 11]], [[12, 9], [2, 41]]], np.float64
)
_WIDE: Final = np.array(
    [[[31, 7, 3], [4, 22, 9], [1, 5, 17]], [[8, 2, 14], [11, 19, 1], [6, 3, 27]]], np.float64
)
_CLOSE: Final = 1e-9


def proportion_of(metric: Metric) -> Proportion | None:
    """Return the proportion that determines a metric of one class, or None.

    Example:
        >>> from karat.metrics import get
        >>> proportion_of(get("precision")).misses  # called positive, and truly not
        ((False, True), (False, False))
        >>> proportion_of(get("informedness")) is None
        True
    """
    found = set()
    for table, slopes in zip(_TABLES, measured(metric, _TABLES)[1], strict=True):
        least = _CLOSE * float(np.abs(slopes).max(initial=0.0))
        sides = [_one_value(slopes, slopes > least), _one_value(slopes, slopes < -least)]
        if None in sides or abs((slopes * table).sum()) > _CLOSE:
            return None
        found.add(tuple(sides))
    return Proportion(*found.pop()) if len(found) == 1 else None


def two_proportions_of(metric: Metric) -> tuple[Proportion, Proportion] | None:
    """Return two proportions whose sum, plus a constant, is a metric of one class; or None.

    Example:
        >>> from karat.metrics import get
        >>> specificity, recall = two_proportions_of(get("informedness"))
        >>> recall.misses
        ((False, False), (True, False))
        >>> two_proportions_of(get("f1")) is None
        True
    """
    slopes = measured(metric, _TABLES)[1]
    for sides in (OF_TRUE_CLASSES, OF_PREDICTED_CLASSES):
        if all(_moves_with(*both, sides) for both in zip(slopes, _TABLES, strict=True)):
            return sides
    return None


def ratio_of_proportions(metric: Metric) -> tuple[Proportion, Proportion] | None:
    """Return two proportions of independent rows, if a metric is a product of functions of them.

    Example:
        >>> from karat.metrics import get
        >>> ratio_of_proportions(get("negative_likelihood_ratio")) is None
        False
        >>> ratio_of_proportions(get("informedness")) is None
        True
    """
    pair = OF_TRUE_CLASSES
    a, b = np.array([[0.3, 0.8]]).T, np.array([0.6, 0.9])
    with np.errstate(all="ignore"):
        found = at_proportions(metric, pair, a, b)
        again = measured(metric, _TABLES)[0]
        right = _TABLES[:, [0, 1], [0, 1]] / _TABLES.sum(axis=2)
        is_theirs = np.allclose(at_proportions(metric, pair, *right.T), again, rtol=_CLOSE)
        products = found[0, 0] * found[1, 1], found[0, 1] * found[1, 0]
    is_product = abs(products[0] - products[1]) <= _CLOSE * abs(products[0])
    return pair if is_theirs and is_product else None


def _moves_with(slopes: Floats, table: Floats, sides: tuple[Proportion, Proportion]) -> bool:
    expected = np.zeros((2, 2))
    for share in sides:
        hits, misses = share.counted(table)
        inside = hits + misses
        expected += (misses * np.array(share.hits) - hits * np.array(share.misses)) / inside**2
    return bool(np.allclose(slopes, expected, rtol=_CLOSE, atol=1e-12))


def _one_value(slopes: Floats, side: Flags) -> Any:
    """Return the cells with a common derivative; None if derivatives differ or no cell is there."""
    values = slopes[side]
    if not len(values) or np.ptp(values) > _CLOSE * np.abs(values).max():
        return None
    return tuple(tuple(row) for row in side.tolist())


def is_of_right_rows(metric: Metric) -> bool:
    """Return whether a metric of all classes, or a micro average, depends on the accuracy alone."""
    if metric.has_costs:
        return False
    for table in _WIDE:
        cells = Cells.dense(table, classes=Classes.of(range(3)))
        slopes = metric.gradient(cells).at_cells().reshape(3, 3)
        hit = np.eye(3, dtype=bool)
        most = np.abs(slopes).max()
        if abs((slopes * table).sum()) > _CLOSE * np.abs(slopes * table).max() or most == 0.0:
            return False
        if max(np.ptp(slopes[hit]), np.ptp(slopes[~hit])) > _CLOSE * most:
            return False
    return True


def proportions_are_declared(record: Record) -> None:
    """The proportions that a record states are those of its formula, and none is missing."""
    if not record.is_traced or record.is_of_rows or record.is_count:
        return
    metrics = [*metrics_of(record, 2)]
    if not any(item.is_required for item in record.parameters):
        metrics.append(Metric(record, "plain", Metric.defaults(record)))
    for metric in metrics:
        if not record.is_per_class or metric.lift == "micro":
            _same("is_of_right_rows", metric, metric.is_of_right_rows, is_of_right_rows(metric))
        elif metric.lift == "plain":
            found = proportion_of(metric)
            _same("proportion", metric, metric.proportion, found)
            _same("sum_of", metric, record.sum_of, two_proportions_of(metric))
            # The logarithm of a proportion is a product, too.
            ratio = None if found is not None else ratio_of_proportions(metric)
            _same("ratio_of", metric, record.ratio_of, ratio)


def _same(fact: str, metric: Metric, stated: object, found: object) -> None:
    if stated != found:
        raise AssertionError(
            f"{metric}: {fact} is {stated} in its record, and {found} by its formula"
        )
