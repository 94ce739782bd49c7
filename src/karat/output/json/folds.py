"""The folds of a report in JSON: their rows, and values of the first metrics on each."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from karat.metrics import Metric, get
from karat.metrics._registry import find
from karat.output.json import codec as js
from karat.output.json.codec import Kind, Part, Scope, require
from karat.results.folds import FoldResult, Folds, KeptFolds, NestedResult
from karat.results.headlines import headline_names
from karat.tally.folds import FoldAxis, FoldColumns

_DERIVED: Final = ("fold_mean", "sd", "standard_error", "low", "high", "pooled")
"""What follows from the values of the folds, and is compared."""

_COLUMNS: Final = js.record(
    lambda s: FoldColumns(s.fold, s.repeat, s.holdout, s.train_size),
    fold=js.TEXT,
    repeat=js.or_null(js.TEXT),
    holdout=js.or_null(js.TEXT),
    train_size=js.or_null(js.TEXT),
)
_FOLD: Final = js.record(
    js.itself, repeat=js.TEXT, fold=js.TEXT, n_rows=js.COUNT, train_size=js.or_null(js.NUMBER)
)
_METRIC: Final = js.record(
    js.itself,
    values=js.each(js.NUMBER_OR_NAN, lambda s: len(s.folds)),
    undefined=js.or_null(js.TEXT),
    nested=js.or_null(js.record_of(NestedResult)),
    **{name: js.NUMBER_OR_NAN.or_absent(None) for name in _DERIVED},
    remark=js.or_null(js.TEXT),
    level=js.or_null(js.NUMBER),
)


def _folds_of(axis: FoldAxis) -> list[dict[str, Any]]:
    sizes = axis.train_sizes
    return [
        {
            "repeat": axis.repeats[i],
            "fold": axis.folds[i],
            "n_rows": int(axis.n_rows[i]),
            "train_size": None if sizes is None else float(sizes[i]),
        }
        for i in range(len(axis.folds))
    ]


def _written(result: FoldResult) -> dict[str, Any]:
    found = result.to_dict()
    # Beside all metrics, these are the same.
    for name in ("metric", "n_folds", "n_repeats", "test_train_ratio", "method"):
        del found[name]
    return found


def _write(folds: Folds, _: Scope) -> dict[str, Any]:
    axis, names = folds.axis, headline_names(folds.whole)
    roles = ("fold", "repeat", "holdout", "train_size")
    return {
        "columns": {role: getattr(axis.columns, role) for role in roles},
        "folds": _folds_of(axis),
        "test_train_ratio": axis.ratio,
        "method": folds[names[0]].method if names else None,
        "covers": dict(folds.covers),
        "metrics": {name: _written(folds[name]) for name in names},
    }


def _read(part: Part, scope: Scope) -> Folds:
    """Read folds with the report in the scope (K205: they contradict themselves)."""
    columns = _COLUMNS.read(part["columns"], scope)
    each = js.each(_FOLD).read(part["folds"], scope)
    n_rows = np.array([one.n_rows for one in each], np.int64)
    require(len(each) > 1, "folds.folds has fewer than two folds")
    require(int(n_rows.sum()) == scope.report.n_rows, "folds.folds do not add up to n_rows")
    names = [(one.repeat, one.fold) for one in each]
    require(len(set(names)) == len(names), "folds.folds has a fold twice")
    sizes = [one.train_size for one in each]
    is_known = all(size is not None and size >= 1.0 for size in sizes)
    require(is_known or not any(sizes), "folds.folds has a train_size that is not valid")
    repeats, folds = zip(*names, strict=True)
    axis = FoldAxis(columns, repeats, folds, n_rows, np.array(sizes) if is_known else None)
    require(math.isfinite(axis.ratio), "folds.folds has a fold without other rows")
    inner = type(scope)(**vars(scope), folds=each)
    kept: dict[Metric, Any] = {}
    nested = {}
    for name, item in part["metrics"].fields().items():
        metric = find(name)
        if metric is None or str(metric) not in scope.report:
            require(not scope.is_own, f"folds.metrics lists {name!r}, and the report does not")
            continue
        one = _METRIC.read(item, inner)
        kept[metric] = (tuple(one.values), one.undefined)
        if one.nested is not None:
            nested[metric] = one.nested
    found = Folds(axis, scope.report, KeptFolds(kept), nested_kept=nested)
    for name, item in part["metrics"].fields().items() if scope.is_own else ():
        again = _written(found[get(name)])
        item.check({key: again[key] for key in _DERIVED}, "the values of the folds give")
    return found


FOLDS: Final = Kind(_read, _write)
"""Read with the report of all rows in the scope."""
