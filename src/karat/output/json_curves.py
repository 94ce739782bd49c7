"""The curves that a report keeps, as JSON and back: counts at thresholds, areas, bins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from karat.output.json_parts import Part, refused

if TYPE_CHECKING:
    from karat.curves._kept import ClassCurves, Curves
    from karat.curves._reliability import Reliability
    from karat.tally import Cells

__all__ = ["curves_from", "curves_to_json"]

Floats = npt.NDArray[np.float64]

_AREAS = {
    "roc": "roc_area",
    "average_precision": "step_area",
    "precision_recall": "trapezoid_area",
}
"""Name of an area in JSON → attribute of the points."""
_TABLE = ("mean_confidence", "share", "spread")
_CLOSE = 1e-9
"""Sums of the same weights in another order agree to this part."""


def curves_to_json(curves: Curves | None, *, is_weighted: bool) -> dict[str, Any] | None:
    """What is kept of each class; None where nothing is.

    The point above every score, threshold infinite and nothing called positive, is not written.
    """
    if curves is None:
        return None
    return {
        "decisions": curves.decisions.tolist(),
        "classes": [_class_to_json(kept, is_weighted=is_weighted) for kept in curves.kept],
    }


def _class_to_json(kept: ClassCurves, *, is_weighted: bool) -> dict[str, Any]:
    def counted(weights: Floats) -> list[Any]:
        found: list[Any] = (weights if is_weighted else weights.astype(np.int64)).tolist()
        return found

    points, table = kept.points, kept.reliability
    areas = {name: getattr(points, attribute) for name, attribute in _AREAS.items()}
    areas["cost"] = kept.cost_area
    return {
        "n_points": points.n_full,
        "thresholds": points.thresholds[1:].tolist(),
        "tp": counted(points.tps[1:]),
        "fp": counted(points.fps[1:]),
        "errors": dict(kept.errors),
        "areas": {name: _or_null(area) for name, area in areas.items()},
        "n_cost": kept.n_cost,
        "reliability": {
            "closed": table.closed,
            "edges": table.edges.tolist(),
            "weight": table.weight.tolist(),
            **{name: [_or_null(x) for x in getattr(table, name).tolist()] for name in _TABLE},
        },
        "decisions": {"tp": counted(kept.decided[:, 0]), "fp": counted(kept.decided[:, 1])},
    }


def _or_null(value: float) -> float | None:
    return value if math.isfinite(value) else None


def curves_from(part: Part | None, cells: Cells) -> Curves | None:
    """The curves of a report of these cells.

    Errors:
        K205 it is not what `curves_to_json` writes, or contradicts itself or the cells.
    """
    from karat.curves._kept import Curves

    if part is None or part.is_null:
        return None
    decisions = part["decisions"].amounts()
    if decisions.ndim != 1 or not ((decisions >= 0) & (decisions < 1)).all():
        raise part["decisions"].is_not("a list of numbers from 0 to below 1")
    items = list(part["classes"].items())
    if len(items) != cells.k:
        raise refused(f"{part['classes'].path} describes {len(items)} of {cells.k} classes")
    kept = [_class_from(item, i, decisions, cells) for i, item in enumerate(items)]
    return Curves(cells.classes, tuple(kept), decisions)


def _class_from(part: Part, i: int, decisions: Floats, cells: Cells) -> ClassCurves:
    from karat.curves._kept import ClassCurves
    from karat.curves._points import Points
    from karat.curves._traced import TRACED

    fields = cells.fields
    n_pos = float((fields.tp + fields.fn)[i])
    n_neg = float((fields.tp + fields.fn).sum()) - n_pos
    slack = _CLOSE * (n_pos + n_neg)  # what rounding leaves of sums of small and large weights
    thresholds = part["thresholds"].amounts()
    if thresholds.ndim != 1 or not len(thresholds) or not (np.diff(thresholds) < 0).all():
        raise part["thresholds"].is_not("a list of numbers that descend")
    tps, fps = (
        _counts(part[name], len(thresholds), total, slack, cells.is_weighted, ends_at_total=True)
        for name, total in (("tp", n_pos), ("fp", n_neg))
    )
    zero = [0.0]
    n_points = part["n_points"].count
    if n_points <= len(thresholds):
        raise part["n_points"].is_not(f"at least {len(thresholds) + 1}, the points that are there")
    areas = {name: _share(part["areas"][name]) for name in (*_AREAS, "cost")}
    decided = [
        _counts(part["decisions"][name], len(decisions), total, slack, cells.is_weighted)
        for name, total in (("tp", n_pos), ("fp", n_neg))
    ]
    return ClassCurves(
        Points(
            np.concatenate([[np.inf], thresholds]),
            np.concatenate([zero, tps]),
            np.concatenate([zero, fps]),
            n_points,
            **{attribute: areas[name] for name, attribute in _AREAS.items()},
        ),
        {kind.name: _at_least_0(part["errors"][kind.name]) for kind in TRACED},
        areas["cost"],
        part["n_cost"].count,
        _reliability(part["reliability"], cells.classes.labels[i], n_pos, n_neg),
        np.stack(decided, axis=1),
    )


def _counts(
    part: Part,
    size: int,
    total: float,
    slack: float,
    is_weighted: bool,
    *,
    ends_at_total: bool = False,
) -> Floats:
    """Weights of rows above thresholds: from 0 to the total, rising with falling thresholds."""
    found = part.amounts() if is_weighted else part.counts().astype(np.float64)
    if found.shape != (size,):
        raise part.is_not(f"{size} numbers")
    if (found < 0).any() or (found > total + slack).any():
        raise refused(f"{part.path} is not within 0 to {total:g}, the rows there are")
    if ends_at_total and ((np.diff(found) < 0).any() or abs(found[-1] - total) > slack):
        raise refused(f"{part.path} does not rise to {total:g}, the rows there are")
    return found


def _reliability(part: Part, label: Any, n_pos: float, n_neg: float) -> Reliability:
    from karat.curves._reliability import Reliability

    edges, weight = part["edges"].amounts(), part["weight"].amounts()
    is_fit = edges.ndim == 1 and len(edges) > 1 and (np.diff(edges) >= 0).all()
    if not (is_fit and edges[0] >= 0 and edges[-1] <= 1):
        raise part["edges"].is_not("two or more numbers from 0 to 1 that ascend")
    if weight.shape != (len(edges) - 1,) or (weight < 0).any():
        raise part["weight"].is_not(f"{len(edges) - 1} numbers of at least 0")
    if abs(weight.sum() - n_pos - n_neg) > _CLOSE * (n_pos + n_neg):
        raise refused(f"{part['weight'].path} does not add up to the rows there are")
    columns = {}
    for name in _TABLE:
        items = list(part[name].items())
        if len(items) != len(weight):
            raise part[name].is_not(f"{len(weight)} numbers")
        columns[name] = np.array([_share(item) for item in items])
    closed = part["closed"]
    if closed.value not in ("right", "left"):
        raise closed.is_not("right or left")
    return Reliability(
        label=label, n_pos=n_pos, n_neg=n_neg, undefined=None,
        weight=weight, edges=edges, closed=closed.text, **columns,
    )  # fmt: skip


def _share(part: Part) -> float:
    """A number from 0 to 1; NaN for null."""
    if part.is_null:
        return math.nan
    found = _at_least_0(part)
    if found > 1 + _CLOSE:
        raise part.is_not("a number from 0 to 1, or null")
    return found


def _at_least_0(part: Part) -> float:
    if isinstance(part.value, bool) or not isinstance(part.value, int | float) or part.value < 0:
        raise part.is_not("a number of at least 0")
    return float(part.value)
