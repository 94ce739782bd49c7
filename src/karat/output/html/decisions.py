"""Data of the threshold slider of a page: exact counts at thresholds, and the formulas.

A point says how many rows of a class, and how many others, score at least its threshold. The
formulas are those of the records: their traced graphs travel as nested lists, which the script
evaluates on the four counts, so that no formula is written twice.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError
from karat.errors.text import count, harmless
from karat.metrics import get
from karat.metrics._formula import Node
from karat.tally.score_kind import UNITS, as_thresholds

if TYPE_CHECKING:
    from karat.curves._kept import ClassCurves
    from karat.results.report import ClassReport
    from karat.results.sets import SetReport

Floats: TypeAlias = npt.NDArray[np.float64]
Tree: TypeAlias = "str | float | list[Any]"

METRICS: Final = (
    "accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "specificity",
    "negative_predictive_value",
    "f1",
    "matthews_correlation",
    "kappa",
)
"""Metrics that move with the threshold."""

MOST_POINTS: Final = 1000
"""Thresholds of a class at most."""
ALL_POINTS: Final = 2000
"""Thresholds of all classes together, so that a page of many classes stays small."""
LEAST_POINTS: Final = 20
OPERATIONS: Final = {"add", "sub", "mul", "div", "sqrt", "total", "at", "where", "greater"}
"""What the script evaluates."""


def decisions_of(report: ClassReport) -> tuple[dict[str, Any] | None, str]:
    """Data for the threshold slider, or None and the reason why there is none.

    Returns:
        Thresholds, true and false positives of each class, formulas; and a sentence.
    """
    if report.scores is None:
        return None, ""
    if report.bounds:
        return None, (
            "There is no threshold to move: scores were counted in buckets, so the counts at a "
            "threshold are not exact (karat report --exact counts them all)."
        )
    try:
        kept = report.curves.kept
    except KaratError as problem:
        found = str(problem.context["found"])
        return None, f"There is no threshold to move: {found[0].lower()}{found[1:]}."
    k = report.classes.k
    which = [report.classes.positive] if report.is_binary else range(k)
    limit = min(MOST_POINTS, max(LEAST_POINTS, ALL_POINTS // len(list(which))))
    is_weighted = report.cells.is_weighted
    classes = []
    n_here, n_all, is_whole = 0, 0, True
    for i in which:
        assert i is not None
        points = _points(report, kept[i], i)
        n_known = points.shape[1]
        if n_known > limit:
            points = points[:, np.unique(np.linspace(0, n_known - 1, limit).astype(np.intp))]
        n_here, n_all = max(n_here, points.shape[1]), max(n_all, kept[i].points.n_full)
        is_whole &= len(kept[i].points) == kept[i].points.n_full and n_known <= limit
        classes.append(class_to_json(report, i, points, is_weighted=is_weighted))
    rest = report.classes.display[1 - (report.classes.positive or 0)] if report.is_binary else None
    metrics = []
    for metric in map(get, METRICS):
        is_zero = report.undefined == "zero" and metric.record.is_zero_when_undefined
        metrics.append(
            {
                "name": str(metric),
                "formula": tree(metric.traced(report.undefined).raw),
                "undefined": metric.undefined_when or "the data do not define it",
                "otherwise": 0 if is_zero else None,
            }
        )
    data = {
        "classes": classes,
        "rest": None if rest is None else harmless(rest),
        # The order of the classes is that of the whole page.
        "class_first": report.is_binary and report.classes.positive == 0,
        "metrics": metrics,
        "unit": UNITS.get(report.scores, "score"),
        "rows": "weight" if is_weighted else "rows",
    }
    said = "The slider has every threshold at which the counts change."
    if not is_whole:
        most, each = ("", "") if len(classes) == 1 else ("up to ", " of a class")
        said = (
            f"The slider has {most}{count(n_here)} thresholds{each}, and the counts change at "
            f"{most}{count(n_all)}; the counts at each are exact."
        )
    return data, said


def _points(report: ClassReport, kept: ClassCurves, i: int) -> Floats:
    """float64[3, t]: thresholds descending, true and false positives there, each exact."""
    thresholds = as_thresholds(kept.points.thresholds, report.scores)
    found = [np.stack([thresholds, kept.points.tps, kept.points.fps])]
    if kept.decided is not None:
        # By probability, whatever the rankings are made of; here they are the same.
        decisions = report.curves.decisions
        found.append(np.stack([decisions, kept.decided[:, 0], kept.decided[:, 1]]))
    if report.threshold is not None and i == report.classes.positive:
        fields = report.cells.fields
        found.append(np.array([[report.threshold], [fields.tp[i]], [fields.fp[i]]], np.float64))
    points: Floats = np.concatenate(found, axis=1).astype(np.float64, copy=False)
    # Where several logits have one probability, a threshold there reaches the rows of all.
    points = points[:, np.lexsort((-points[1:].sum(axis=0), -points[0]))]
    return points[:, np.unique(-points[0], return_index=True)[1]]


def class_to_json(
    report: ClassReport | SetReport, i: int, points: Floats, *, is_weighted: bool
) -> dict[str, Any]:
    thresholds, tps, fps = points
    usual = 0.0 if report.scores == "scores" else 0.5
    start = usual if report.threshold is None else report.threshold
    # Weights as they are; how much each count is above the one before.
    shown = [
        _packed(x) if is_weighted else np.diff(x.astype(np.int64), prepend=0).tolist()
        for x in (tps, fps)
    ]
    return {
        "name": harmless(report.classes.display[i]),
        "thresholds": _packed(thresholds),
        "tp": shown[0],
        "fp": shown[1],
        "start": int(np.abs(thresholds - start).argmin()),
    }


def _packed(numbers: Floats) -> str:
    """Float64 in base64, low byte first: every digit, in fewer letters than as text."""
    return base64.b64encode(numbers.astype("<f8").tobytes()).decode("ascii")


def tree(node: Node) -> Tree:
    """A traced formula as nested lists: operation first; leaves are names of counts and numbers.

    Example:
        >>> from karat.metrics import get
        >>> from karat.output.html.decisions import tree
        >>> tree(get("precision").traced("zero").raw)
        ['div', ['at', 'tp'], ['add', ['at', 'tp'], ['at', 'fp']]]
    """
    if node.op == "field":
        return str(node.value)
    if node.op == "const":
        return float(node.value)
    assert node.op in OPERATIONS, node.op
    return [node.op, *map(tree, node.args)]
