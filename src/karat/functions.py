"""Every metric as a plain function: ``karat.f1(y_true, y_pred, average="macro")`` → float.

The function of a record is made here; it holds no formula.
Two integer arrays with nothing else given take the short path: count natively, run the compiled
formula natively, return.
Everything else goes through the arrays engine and ends in the same formula.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.engines.arrays import check_threads, tally_labels, tally_matrix
from karat.errors import UndefinedWarning, error, shown
from karat.metrics._lift import Lift, Policy
from karat.metrics._metric import Metric
from karat.metrics._positive import with_positive
from karat.metrics._record import Record
from karat.metrics._registry import lookup
from karat.report import undefined_reason
from karat.result import NOT_GIVEN, NotGiven
from karat.tally import Cells

if TYPE_CHECKING:
    from karat._native import Tally

__all__ = ["NOT_GIVEN", "function_of"]


@cache
def function_of(name: str) -> Callable[..., Any]:
    """The public function of a metric's name or alias.

    Errors:
        K301 there is no such metric.
    """
    function: Callable[..., Any] = _made(*lookup(name))
    return function


@cache
def _made(record: Record, fixed: Lift) -> Callable[..., Any]:
    if not record.is_traced:
        from karat.scored_functions import scored_function

        return _dressed(scored_function(record, fixed, check_policy, _lift), record, fixed)
    required = [item.name for item in record.parameters if item.is_required]
    has_choice = record.is_per_class and fixed == "plain"
    # Lift or average → (run, arguments, needs cells) of the compiled formula.
    ready: dict[object, tuple[Any, Any, bool]] = {}

    def prepared(lift: Lift) -> tuple[Any, Any, bool]:
        metric = Metric.of(record, lift, {})
        made = (metric.program("zero").run, metric.arguments("zero"), metric.needs_cells)
        ready[lift] = made
        return made

    def function(
        y_true: Any = None,
        y_pred: Any = None,
        *,
        average: Any = NOT_GIVEN,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: Any = "zero",
        n_threads: int | None = None,
        **params: Any,
    ) -> Any:
        if (
            _are_plain(y_true, y_pred)
            and confusion is None
            and labels is None
            and positive is None
            and weights is None
            and undefined == "zero"
            and n_threads is None
            and not params
            and not required
        ):
            lift: Any = None
            if average is NOT_GIVEN:
                lift = fixed
            elif has_choice and average is None:
                lift = "per_class"
            elif has_choice and type(average) is str and average in record.averages:
                lift = average
            run = ready.get(lift)
            if run is None and lift is not None and lift != "per_class":
                run = prepared(lift)
            if run is not None:
                tally = _counted(y_true, y_pred, needs_cells=run[2])
                if tally is not None:
                    if not has_choice or lift != "plain":
                        value, n_undefined = run[0](tally, run[1])
                        if n_undefined == 0.0:
                            return value
                    elif tally.k == 2:
                        value, n_undefined = run[0](tally, run[1], 1)
                        if n_undefined == 0.0:
                            return value
        return _evaluated(
            record, fixed, y_true, y_pred, average, confusion, labels, positive, weights,
            undefined, n_threads, params,
        )  # fmt: skip

    return _dressed(function, record, fixed)


def _are_plain(y_true: Any, y_pred: Any) -> bool:
    """Whether both are NumPy arrays of integers: exact types first, they are cheap."""
    return (
        type(y_true) is np.ndarray
        and type(y_pred) is np.ndarray
        and y_true.dtype.kind in "iu"
        and y_pred.dtype.kind in "iu"
    )


def _counted(
    y_true: npt.NDArray[Any], y_pred: npt.NDArray[Any], *, needs_cells: bool
) -> Tally | None:
    """The native tally; None sends the call the long way, which says what is wrong, and where."""
    try:
        return _native.count_integers(y_true, y_pred, None, needs_cells, 0)
    except (ValueError, TypeError):
        return None


def _evaluated(
    record: Record,
    fixed: Lift,
    y_true: Any,
    y_pred: Any,
    average: Any,
    confusion: Any,
    labels: Any,
    positive: Any,
    weights: Any,
    undefined: Any,
    n_threads: int | None,
    params: dict[str, Any],
) -> Any:
    check_policy(undefined)
    lift = _lift(record, fixed, average)
    metric = Metric.of(record, lift, params)
    cells = tallied(
        y_true, y_pred, confusion, labels, positive, weights, n_threads, metric.needs_cells
    )
    if record.is_per_class and lift == "plain":
        cells = _of_two_classes(cells, record)
    computed = metric.values(cells, undefined)
    reason = undefined_reason(metric, cells.classes, computed.undefined)
    if reason is not None:
        warnings.warn(f"{metric} is undefined: {reason}.", UndefinedWarning, stacklevel=3)
    return computed.value if lift == "per_class" else float(computed.value)


def check_policy(undefined: Any) -> None:
    """Refuse what is no policy for undefined values.

    Errors:
        K122 it is not one of "zero", "exclude", "nan".
    """
    if not isinstance(undefined, str) or undefined not in get_args(Policy):
        raise error(
            "K122", argument="undefined", value=undefined, choices=shown(get_args(Policy)),
            do="'zero' follows scikit-learn, 'exclude' leaves undefined classes out.",
        )  # fmt: skip


def _lift(record: Record, fixed: Lift, average: Any) -> Lift:
    if isinstance(average, NotGiven):
        return fixed
    if fixed != "plain" or not record.is_per_class:
        raise error("K306", name=record.name, average=average)
    if average is None:
        return "per_class"
    if not isinstance(average, str) or average not in record.averages:
        choices = [None, *record.averages]
        raise error(
            "K122", argument="average", value=average, choices=shown(choices),
            do="None gives one value for each class.",
        )  # fmt: skip
    chosen: Lift = cast("Lift", str(average))
    return chosen


def tallied(
    y_true: Any,
    y_pred: Any,
    confusion: Any,
    labels: Any,
    positive: Any,
    weights: Any,
    n_threads: int | None,
    needs_cells: bool,
) -> Cells:
    """The tally of the arguments that every label metric takes."""
    check_threads(n_threads)
    if confusion is not None:
        if y_true is not None or y_pred is not None or weights is not None:
            raise error(
                "K120",
                found="confusion= was given together with y_true, y_pred or weights",
                do="Give either the labels or their confusion matrix.",
            )
        return tally_matrix(confusion, labels=labels, positive=positive)
    for argument, value in (("y_true", y_true), ("y_pred", y_pred)):
        if value is None:
            raise error(
                "K120",
                found=f"{argument} was not given",
                do="Give y_true and y_pred, or confusion=.",
            )
    return tally_labels(
        y_true,
        y_pred,
        labels=labels,
        positive=positive,
        weights=weights,
        cells=needs_cells,
        n_threads=n_threads,
    )


def _of_two_classes(cells: Cells, record: Record) -> Cells:
    """The tally with its positive class, or the error that says what is missing."""
    classes = cells.classes
    if classes.positive is not None:
        return cells
    if classes.k > 2:
        raise error(
            "K121",
            name=record.name,
            k=classes.k,
            labels=shown(classes.labels),
            choices=shown([None, *record.averages]),
        )
    return with_positive(cells, record.name)


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


def _dressed(function: Callable[..., Any], record: Record, fixed: Lift) -> Callable[..., Any]:
    """Give the function its name, its signature and a docstring rendered from the record."""
    metric = Metric(record, fixed, Metric.defaults(record))
    has_average = record.is_per_class and fixed == "plain"
    function.__name__ = function.__qualname__ = metric.name
    function.__module__ = "karat"
    if not record.is_traced:
        from karat.scored_functions import scored_docstring, scored_parameters

        signature = inspect.Signature(scored_parameters(record, has_average))
        function.__signature__ = signature  # type: ignore[attr-defined]
        function.__doc__ = scored_docstring(metric, has_average)
        return function
    kind = inspect.Parameter
    parameters = [
        kind("y_true", kind.POSITIONAL_OR_KEYWORD, default=None),
        kind("y_pred", kind.POSITIONAL_OR_KEYWORD, default=None),
    ]
    if has_average:
        parameters.append(kind("average", kind.KEYWORD_ONLY, default=NOT_GIVEN))
    parameters += [
        kind(
            item.name,
            kind.KEYWORD_ONLY,
            default=kind.empty if item.is_required else item.default,
        )
        for item in record.parameters
    ]
    parameters += [
        kind(name, kind.KEYWORD_ONLY, default="zero" if name == "undefined" else None)
        for name in ("confusion", "labels", "positive", "weights", "undefined", "n_threads")
    ]
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__doc__ = _docstring(metric, has_average)
    return function


def _docstring(metric: Metric, has_average: bool) -> str:
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
    lines += ["", "Errors:", "    K101–K124: the labels, weights or options cannot be used."]
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


def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    weights: Any = None,
    n_threads: int | None = None,
) -> npt.NDArray[Any]:
    """Counts of rows by true and predicted class.

    Args:
        y_true: true labels, [n] or [n, 1]: strings, whole numbers or booleans.
        y_pred: predicted labels, likewise.
        labels: the classes in order; one that never occurs still has its row. Default: sorted.
        weights: float[n], importance of each row, finite and at least 0.
        n_threads: threads of the count; the result does not depend on it.

    Returns:
        int64[k, k], or float64[k, k] of summed weights: rows true, columns predicted.

    Errors:
        K101–K118: the labels or weights cannot be used; K207 too many classes for a dense matrix.

    Cost: one pass over the rows, O(n + k²); no copy of integer arrays.

    Example:
        >>> import karat
        >>> karat.confusion_matrix(["cat", "dog", "dog"], ["cat", "cat", "dog"]).tolist()
        [[1, 0], [1, 1]]
    """
    if _are_plain(y_true, y_pred) and labels is None and weights is None and n_threads is None:
        tally = _counted(y_true, y_pred, needs_cells=True)
        if tally is not None:
            return tally.cells()
    return tally_labels(
        y_true, y_pred, labels=labels, weights=weights, cells=True, n_threads=n_threads
    ).matrix()
