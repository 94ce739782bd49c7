"""The signature and the docstring of a metric's function, rendered from its record."""

from __future__ import annotations

import inspect
import math
from typing import Any, Final

import numpy as np

from karat.metrics import Metric
from karat.metrics._record import Record
from karat.results.result import NOT_GIVEN

__all__ = ["SCORE_ARGUMENTS", "docstring", "signature_of"]

_Y = "one label a row, [n] or [n, 1]: strings, whole numbers or booleans"
_POSITIVE: Final = "the positive class of two; default: the last."
_WEIGHTS: Final = "float[n], importance of each row, finite and at least 0."
_LABEL_ARGUMENTS: Final = {
    "y_true": f"true labels, {_Y}.",
    "y_pred": f"predicted labels, {_Y}.",
    "confusion": "number[k, k], rows true, columns predicted; instead of the labels.",
    "labels": "the classes in order; one that never occurs still counts. Default: sorted.",
    "positive": _POSITIVE,
    "weights": _WEIGHTS,
    "undefined": '"zero" (as scikit-learn), "exclude" undefined classes, or "nan".',
    "n_threads": "threads of the count; None: KARAT_NUM_THREADS, else all cores. "
    "The result does not depend on it.",
}
SCORE_ARGUMENTS: Final = {
    "y_true": "true labels, one a row, [n]: strings, whole numbers or booleans.",
    "y_prob": "probabilities, float[n, k] with columns in the order of `labels`, or float[n] of the"
    " positive class of two.",
    "y_score": "any finite scores instead, of the same shapes: higher means more likely.",
    "labels": "the classes in the order of the columns. Default: the sorted labels of y_true.",
    "positive": _POSITIVE,
    "weights": _WEIGHTS,
    "undefined": '"zero" or "exclude": classes that cannot be measured are left out of an average; '
    '"nan": they leave it without a value.',
    "n_threads": "threads; None: KARAT_NUM_THREADS, else all cores. "
    "The result does not depend on it.",
}


def signature_of(record: Record, has_average: bool) -> inspect.Signature:
    """What the function of a metric takes."""
    kind = inspect.Parameter
    given = ("y_true", "y_pred") if record.is_traced else ("y_true",)
    parameters = [kind(name, kind.POSITIONAL_OR_KEYWORD, default=None) for name in given]
    named = [] if record.is_traced else ["y_prob", "y_score"]
    defaults: dict[str, Any] = dict.fromkeys(named)
    if has_average:
        defaults["average"] = NOT_GIVEN
    for item in record.parameters:
        defaults[item.name] = kind.empty if item.is_required else item.default
    if record.is_traced:
        defaults["confusion"] = None
    defaults |= {"labels": None, "positive": None, "weights": None, "undefined": "zero"}
    defaults["n_threads"] = None
    parameters += [
        kind(name, kind.KEYWORD_ONLY, default=default) for name, default in defaults.items()
    ]
    return inspect.Signature(parameters)


def docstring(metric: Metric, has_average: bool) -> str:
    """What a metric is, takes, returns and refuses: every fact from its record."""
    record = metric.record
    low, high = record.range
    lines = [record.summary, ""]
    if record.description:
        lines += [record.description, ""]
    lines += [f"Definition: {metric.definition}", "", "Args:"]
    arguments = dict(_LABEL_ARGUMENTS if record.is_traced else SCORE_ARGUMENTS)
    if has_average:
        choices = "".join(f'"{average}", ' for average in record.averages)
        arguments["average"] = (
            f"{choices}or None for float64[k]; without it, two classes give the positive one."
        )
    arguments |= {item.name: item.text for item in record.parameters}
    lines += [f"    {name}: {text}" for name, text in arguments.items()]
    each = "; float64[k] with average=None" if has_average else ""
    lines += ["", "Returns:", f"    float in [{low:g}, {high:g}]{each}."]
    if metric.undefined_when:
        lines += ["", "Undefined:", f"    {metric.undefined_when}; {_convention(record)}."]
    lines += ["", "Errors:", *(f"    {codes}." for codes in _errors(record))]
    lines += ["", f"Cost: {_cost(record)}."]
    example = _label_example(metric) if record.is_traced else _score_example(metric)
    if example:
        lines += ["", "Example:", *(f"    {line}" for line in example)]
    if record.references:
        lines += ["", "References:", *(f"    {item}" for item in record.references)]
    return "\n".join(lines)


def _convention(record: Record) -> str:
    if not record.is_traced:
        return "with a warning"
    value = "NaN, or infinite for x/0" if record.range[1] == math.inf else "NaN"
    return f"then {'0' if record.is_zero_when_undefined else value}, with a warning"


def _errors(record: Record) -> list[str]:
    if record.is_traced:
        return ["K101-K125: the labels, weights or options cannot be used"]
    return [
        "K101-K125: the labels, weights or options cannot be used",
        "K130-K139: the probabilities or scores cannot be used",
    ]


def _cost(record: Record) -> str:
    if record.is_traced:
        return "one pass over the rows, O(n + k²) at most; no copy of integer arrays"
    reading = "one sort of n keys a column" if record.is_per_class else "one read of the matrix"
    return f"{reading}; the inputs are not copied"


def _label_example(metric: Metric) -> list[str]:
    """The record's first golden case as a doctest."""
    if metric.lift != "plain":
        return []
    golden = metric.record.cases[0]
    params = "".join(f", {name}={_literal(value)}" for name, value in golden.params.items())
    matrix = [list(row) for row in golden.cells]
    return [
        ">>> import karat",
        f">>> round(karat.{metric.name}(confusion={matrix}{params}), 6)",
        repr(round(golden.value, 6)),
    ]


def _score_example(metric: Metric) -> list[str]:
    """The record's first golden case as a doctest."""
    golden = metric.record.cases[0]
    if metric.lift != "plain" or golden.lift != "plain":
        return []
    params = "".join(f", {name}={value!r}" for name, value in golden.params.items())
    scores = np.asarray(golden.scores).tolist()
    argument = "y_prob" if golden.is_prob else "y_score"
    k = len(scores[0]) if isinstance(scores[0], list) else 2
    if len(set(golden.y_true)) < k:
        params += f", labels={list(range(k))}"
    return [
        ">>> import karat",
        f">>> y_true = {list(golden.y_true)}",
        f">>> scores = {scores}",
        f">>> round(karat.{metric.name}(y_true, {argument}=scores{params}), 6)",
        repr(round(golden.value, 6)),
    ]


def _literal(value: Any) -> str:
    return repr([list(row) for row in value]) if isinstance(value, tuple) else repr(value)
