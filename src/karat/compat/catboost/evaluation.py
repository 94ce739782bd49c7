"""`catboost.utils.eval_metric`, computed by karat."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from karat.compat.catboost.description import Description, parse
from karat.compat.catboost.metrics import ARGMAX, of_areas, of_losses, of_predicted
from karat.compat.catboost.rows import Rows, as_rows
from karat.errors import error

__all__ = ["eval_metric", "values_of"]

_MOST_THREADS = 4096


def eval_metric(
    label: Any,
    approx: Any,
    metric: str | Description,
    weight: Any = None,
    group_id: Any = None,
    group_weight: Any = None,
    subgroup_id: Any = None,
    pairs: Any = None,
    thread_count: int = -1,
) -> list[float]:
    """A metric of raw scores by its CatBoost description.

    As `catboost.utils.eval_metric`, except that ``use_weights`` is honoured as CatBoost documents
    it, also by default: AUC and PRAUC do not use weights unless told to.

    Args:
        label: n class indices 0 … k − 1; of one column of scores, class 1 is above 0.5.
        approx: float[n, k] raw scores with a column for each class, or float[n].
        metric: ``Name`` or ``Name:key=value;key=value``.
        weight: n weights, which are rounded to float32 as in CatBoost, or None.
        group_id, group_weight, subgroup_id, pairs: only None; these metrics read none of them.
        thread_count: −1: all cores. The values do not depend on it.

    Returns:
        One value, or one for each class (Precision, Recall, F, F1, AUC:type=OneVsAll, PRAUC).

    Errors:
        K601 the description; K101, K102, K103, K113, K114, K116, K125, K151, K152, K153 the data;
        K122, K602 other arguments. All are ValueErrors.

    Cost: one read of the scores; a sort of n rows for each class or pair of classes of an area.

    Example:
        >>> eval_metric([0, 1, 2], [[2, 1, 0], [0, 1, 3], [0, 1, 2]], "Recall")
        [1.0, 0.0, 1.0]
        >>> eval_metric([0, 1, 2], [[2, 1, 0], [0, 1, 3], [0, 1, 2]], "TotalF1:average=Macro")
        [0.5555555555555555]
    """
    names = ("group_id", "group_weight", "subgroup_id", "pairs")
    for name, value in zip(names, (group_id, group_weight, subgroup_id, pairs), strict=True):
        if value is not None:
            raise error("K602", argument=name)
    description = parse(metric)
    n_threads = _threads(thread_count)
    return values_of(as_rows(label, approx, weight), description, n_threads)


def values_of(rows: Rows, metric: Description, n_threads: int = 0) -> list[float]:
    """The values of a description on rows; weights count only if the description says so."""
    metric.check_columns(rows.n_columns)
    if not metric.use_weights:
        rows = replace(rows, weights=None)
    if metric.name in ARGMAX:
        values = of_predicted(rows, metric, n_threads)
    elif metric.name in ("AUC", "PRAUC"):
        values = of_areas(rows, metric, n_threads)
    else:
        values = of_losses(rows, metric, n_threads)
    if metric.class_index is None or rows.n_columns is None:
        return values
    return [values[metric.class_index]]


def _threads(thread_count: Any) -> int:
    is_whole = isinstance(thread_count, int | np.integer) and not isinstance(thread_count, bool)
    if is_whole and thread_count == -1:
        return 0
    if not is_whole or not 1 <= thread_count <= _MOST_THREADS:
        choices = f"-1, 1 to {_MOST_THREADS}"
        do = "-1 means KARAT_NUM_THREADS, else all cores."
        raise error("K122", argument="thread_count", value=thread_count, choices=choices, do=do)
    return int(thread_count)
