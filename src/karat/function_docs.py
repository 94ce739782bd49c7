"""The docstring of a metric's function, rendered from its record."""

from __future__ import annotations

import math
from typing import Any

from karat.metrics import Metric

__all__ = ["docstring"]

_Y = "one label a row, [n] or [n, 1]: strings, whole numbers or booleans"
_COMMON = {
    "y_true": f"true labels, {_Y}.",
    "y_pred": f"predicted labels, {_Y}.",
    "confusion": "number[k, k], rows true, columns predicted; instead of the labels.",
    "labels": "the classes in order; one that never occurs still counts. Default: sorted.",
    "positive": "the positive class of two; default: the last.",
    "weights": "float[n], importance of each row, finite and at least 0.",
    "undefined": '"zero" (as scikit-learn), "exclude" undefined classes, or "nan".',
    "n_threads": "threads of the count; None: KARAT_NUM_THREADS, else all cores. "
    "The result does not depend on it.",
}


def docstring(metric: Metric, has_average: bool) -> str:
    """What a metric is, takes, returns and refuses: every fact from its record."""
    record = metric.record
    low, high = record.range
    lines = [record.summary, ""]
    if record.description:
        lines += [record.description, ""]
    lines += [f"Definition: {metric.definition}", ""]
    lines += ["Args:"]
    arguments = dict(_COMMON)
    if has_average:
        choices = ", ".join(f'"{average}"' for average in record.averages)
        arguments["average"] = (
            f"{choices}, or None for float64[k]; without it, two classes give the positive one."
        )
    arguments |= {item.name: item.text for item in record.parameters}
    lines += [f"    {name}: {text}" for name, text in arguments.items()]
    returns = f"float in [{low:g}, {high:g}]" + (
        "; float64[k] with average=None" if has_average else ""
    )
    lines += ["", "Returns:", f"    {returns}."]
    if metric.undefined_when:
        convention = "NaN, or infinite for x/0" if high == math.inf else "NaN"
        if record.is_zero_when_undefined:
            convention = "0"
        lines += [
            "",
            "Undefined:",
            f"    {metric.undefined_when}; then {convention}, with a warning.",
        ]
    lines += ["", "Errors:", "    K101–K125: the labels, weights or options cannot be used."]
    lines += ["", "Cost: one pass over the rows, O(n + k²) at most; no copy of integer arrays."]
    example = _example(metric)
    if example:
        lines += ["", "Example:", *(f"    {line}" for line in example)]
    if record.references:
        lines += ["", "References:", *(f"    {item}" for item in record.references)]
    return "\n".join(lines)


def _example(metric: Metric) -> list[str]:
    """The record's first golden case as a doctest."""
    record = metric.record
    if metric.lift != "plain":
        return []
    golden = record.cases[0]
    params = "".join(f", {name}={_literal(value)}" for name, value in golden.params.items())
    matrix = [list(row) for row in golden.cells]
    return [
        ">>> import karat",
        f">>> round(karat.{metric.name}(confusion={matrix}{params}), 6)",
        repr(round(golden.value, 6)),
    ]


def _literal(value: Any) -> str:
    return repr([list(row) for row in value]) if isinstance(value, tuple) else repr(value)
