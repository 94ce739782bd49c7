"""Every metric as a function: ``karat.f1(y_true, y_pred, average="macro")`` → float."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.api.options import check_policy, lift_of, unknown_choice
from karat.data.arguments import as_ndarray, check_threads
from karat.data.checks import check_in_common
from karat.data.sources.arrays.labels import Count, count_for, tally_labels, tally_matrix
from karat.data.sources.arrays.labels import cells as count_cells
from karat.data.sources.arrays.sets import hold_sets, set_rows
from karat.errors import UndefinedWarning, error
from karat.errors.habits import names_its_arguments, unnamed_arguments
from karat.metrics import Metric
from karat.metrics._applies import check_order, no_positive, with_positive
from karat.metrics._lift import ZERO, Lift, Policy
from karat.metrics._of_sets import values_on_sets
from karat.metrics._record import Record
from karat.metrics._registry import all_names, lookup
from karat.metrics.reasons import undefined_on_sets, undefined_reason
from karat.results.result import NOT_GIVEN
from karat.tally import Cells
from karat.tally.classes import IGNORED
from karat.tally.score_kind import ARGUMENTS, KINDS
from karat.tally.set_tally import SetTally

_Y = (
    "one label for each row, [n] or [n, 1]: strings, whole numbers or booleans; or a set of labels "
    "for each row: lists or sets, or an indicator matrix of 0 and 1, [n, k]"
)
_POSITIVE: Final = "the positive class of two; default: the larger of 0/1, False/True, −1/1."
_WEIGHTS: Final = "float[n], importance of each row, finite and at least 0."
_FEWEST_IGNORED: Final = 3
"""Number of classes from which -100 is no class; see `check_in_common`."""
_ONE_CLASS: Final = ("confusion", "positive")
"""Arguments for rows with one class."""
_LABEL_ARGUMENTS: Final = {
    "y_true": f"true labels, {_Y}.",
    "y_pred": f"predicted labels, {_Y}.",
    "confusion": "number[k, k], rows true, columns predicted; instead of the labels.",
    "labels": "the classes in order, including those that do not occur. Default: sorted.",
    "positive": _POSITIVE,
    "weights": _WEIGHTS,
    "undefined": '"zero" (as scikit-learn), "exclude" undefined classes, or "nan".',
    "n_threads": "number of threads; None: KARAT_NUM_THREADS, else all cores. "
    "It does not affect the result.",
}
SCORE_ARGUMENTS: Final = {
    "y_true": "true labels, one for each row, [n]: strings, whole numbers or booleans.",
    "y_prob": "probabilities, float[n, k] with columns in the order of `labels`, or float[n] of the"
    " positive class of two.",
    "y_logit": "logits instead, of the same shapes: what the last layer of a network gives.",
    "y_score": "any other finite scores, of the same shapes: higher means more likely.",
    "labels": "the classes in the order of the columns. Default: the sorted labels of y_true.",
    "positive": _POSITIVE,
    "weights": _WEIGHTS,
    "undefined": '"zero" or "exclude": undefined classes are left out of an average; '
    '"nan": the average is NaN.',
    "n_threads": "number of threads; None: KARAT_NUM_THREADS, else all cores. "
    "It does not affect the result.",
}


def signature_of(record: Record, has_average: bool) -> inspect.Signature:
    """Return the signature of the function of a metric."""
    kind = inspect.Parameter
    given = ["y_true", "y_pred"] if record.is_traced else ["y_true"]
    defaults: dict[str, Any] = {} if record.is_traced else dict.fromkeys(KINDS)
    if has_average:
        defaults["average"] = NOT_GIVEN
    for item in record.parameters:
        defaults[item.name] = kind.empty if item.is_required else item.default
    if record.is_traced:
        defaults["confusion"] = None
    defaults |= {"labels": None, "positive": None, "weights": None, "undefined": "zero"}
    for name in _ONE_CLASS if record.is_only_of_sets else ():
        defaults.pop(name, None)
    defaults["n_threads"] = None
    positional = [kind(name, kind.POSITIONAL_OR_KEYWORD, default=None) for name in given]
    named = [kind(name, kind.KEYWORD_ONLY, default=value) for name, value in defaults.items()]
    return inspect.Signature([*positional, *named])


def docstring(metric: Metric, has_average: bool) -> str:
    """Return the docstring of a metric's function, with every fact from its record."""
    record = metric.record
    low, high = record.range
    lines = [record.summary, ""]
    if record.description:
        lines += [record.description, ""]
    lines += [f"Definition: {metric.definition}", "", "Args:"]
    if record.is_traced:
        arguments = dict(_LABEL_ARGUMENTS)
        value = "NaN, or infinite for x/0" if high == math.inf else "NaN"
        then = f"then {'0' if record.is_zero_when_undefined else value}, with a warning"
        cost = "one pass over the rows, O(n + k²) at most; no copy of integer arrays"
    else:
        arguments = dict(SCORE_ARGUMENTS)
        then = "with a warning"
        reading = (
            "one sort of n keys per column" if record.is_per_class else "one read of the matrix"
        )
        cost = f"{reading}; the inputs are not copied"
    if has_average:
        choices = "".join(f'"{average}", ' for average in record.averages_on_sets)
        arguments["average"] = (
            f"{choices}or None for float64[k]; without it, two classes give the positive one."
        )
    for name in _ONE_CLASS if record.is_only_of_sets else ():
        arguments.pop(name, None)
    arguments |= {item.name: item.text for item in record.parameters}
    lines += [f"    {name}: {text}" for name, text in arguments.items()]
    each = "; float64[k] with average=None" if has_average else ""
    lines += ["", "Returns:", f"    float in [{low:g}, {high:g}]{each}."]
    if metric.undefined_when:
        lines += ["", "Undefined:", f"    {metric.undefined_when}; {then}."]
    lines += ["", "Errors:", "    K101-K125: invalid labels, weights or options."]
    if not record.is_traced:
        lines += ["    K130-K139: invalid probabilities or scores."]
    lines += ["", f"Cost: {cost}."]
    example = _example(metric)
    if example:
        lines += ["", "Example:", *(f"    {line}" for line in example)]
    if record.references:
        lines += ["", "References:", *(f"    {item}" for item in record.references)]
    return "\n".join(lines)


def _example(metric: Metric) -> list[str]:
    """Return the record's first golden case as a doctest."""
    golden = metric.record.cases[0]
    if metric.lift != "plain" or getattr(golden, "lift", "plain") != "plain":
        return []
    if metric.record.is_of_rows:
        return _example_of_row(metric)
    if metric.record.is_of_label_scores:
        return _example_of_sets(metric)
    params = "".join(f", {name}={_literal(value)}" for name, value in golden.params.items())
    rows, given = [], ""
    if metric.record.is_traced:
        given = f"confusion={[list(row) for row in golden.cells]}"
    else:
        scores = np.asarray(golden.scores).tolist()
        given = f"y_true, {ARGUMENTS[golden.kind]}=scores"
        k = len(scores[0]) if isinstance(scores[0], list) else 2
        if len(set(golden.y_true)) < k:
            params += f", labels={list(range(k))}"
        rows = [f">>> y_true = {list(golden.y_true)}", f">>> scores = {scores}"]
    call = f">>> round(karat.{metric.name}({given}{params}), 6)"
    return [">>> import karat", *rows, call, repr(round(golden.value, 6))]


def _example_of_row(metric: Metric) -> list[str]:
    """Return the first golden case of a metric of sets: one row as indicator matrices."""
    golden = metric.record.cases[0]
    (tn, fp), (fn, tp) = golden.cells
    true = [1] * tp + [0] * fp + [1] * fn + [0] * tn
    pred = [1] * (tp + fp) + [0] * (fn + tn)
    rows = [f">>> y_true, y_pred = np.array([{true}]), np.array([{pred}])"]
    call = f">>> round(karat.{metric.name}(y_true, y_pred), 6)"
    return [">>> import karat, numpy as np", *rows, call, repr(round(golden.value, 6))]


def _example_of_sets(metric: Metric) -> list[str]:
    """Return the first golden case of a metric of the scores of sets."""
    golden = metric.record.cases[0]
    given = ARGUMENTS[golden.kind]
    params = "".join(f", {name}={_literal(value)}" for name, value in golden.params.items())
    rows = [
        f">>> y_true = np.array({[list(row) for row in golden.y_true]})",
        f">>> scores = {[list(row) for row in golden.scores]}",
    ]
    call = f">>> round(karat.{metric.name}(y_true, {given}=scores{params}), 6)"
    return [">>> import karat, numpy as np", *rows, call, repr(round(golden.value, 6))]


def _literal(value: Any) -> str:
    return repr([list(row) for row in value]) if isinstance(value, tuple) else repr(value)


@cache
def function_of(name: str) -> Callable[..., Any]:
    """Return the public function of a metric's name or alias (K301)."""
    function: Callable[..., Any] = _made(*lookup(name))
    return function


@cache
def _made(record: Record, fixed: Lift) -> Callable[..., Any]:
    if not record.is_traced:
        from karat.api.score_functions import scored_function

        return _dressed(scored_function(record, fixed), record, fixed)
    own = [item.name for item in record.parameters]
    required = [item.name for item in record.parameters if item.is_required]
    has_choice = record.is_per_class and fixed == "plain"
    # Lift or average → (run, arguments) of the compiled formula, and its conditions.
    ready: dict[object, tuple[Any, Any, Count]] = {}

    def function(
        y_true: Any = None,
        y_pred: Any = None,
        *unnamed: Any,
        average: Any = NOT_GIVEN,
        confusion: Any = None,
        labels: Any = None,
        positive: Any = None,
        weights: Any = None,
        undefined: Any = ZERO,
        n_threads: int | None = None,
        **params: Any,
    ) -> Any:
        if unnamed:
            raise unnamed_arguments(record.name, unnamed, record.averages, own)
        true = y_true if type(y_true) is np.ndarray else as_ndarray(y_true)
        pred = y_pred if type(y_pred) is np.ndarray else as_ndarray(y_pred)
        if (
            _are_plain(true, pred)
            and confusion is None
            and labels is None
            and positive is None
            and weights is None
            and undefined is ZERO
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
                metric = Metric.of(record, lift, {})
                count = count_for(metric.needs_cells, metric.needs_classes)
                run = (metric.program("zero").run, metric.arguments("zero"), count)
                ready[lift] = run
            if run is not None:
                tally = run[2](true, pred)
                if tally is not None:
                    if not has_choice or lift != "plain":
                        value, n_undefined = run[0](tally, run[1])
                        # The slow path handles labels that never agree, and rows to leave out.
                        if (
                            n_undefined == 0.0
                            and 0.0 < value < 1.0
                            and (tally.k < _FEWEST_IGNORED or not _has_ignored(tally))
                        ):
                            return value
                    elif tally.k == 2 and _has_usual_positive(tally):
                        value, n_undefined = run[0](tally, run[1], 1)
                        if n_undefined == 0.0 and 0.0 < value < 1.0:
                            return value
        policy = check_policy(undefined)
        lift = lift_of(record, fixed, average)
        scores = next((name for name in KINDS if name in params), None)
        if scores is not None:
            raise error("K139", metric=record.name, scores=scores)
        if isinstance(weights, str):
            refuse_distances(record.name, weights)
        metric = Metric.of(record, lift, params) if params else _without_parameters(record, lift)
        return label_value(
            metric,
            y_true,
            y_pred,
            confusion,
            labels=labels,
            positive=positive,
            weights=weights,
            policy=policy,
            n_threads=n_threads,
        )

    return _dressed(function, record, fixed)


def label_value(
    metric: Metric,
    y_true: Any,
    y_pred: Any,
    confusion: Any = None,
    *,
    policy: Policy = ZERO,
    are_of_one_spelling: bool = False,
    **options: Any,
) -> Any:
    """Return the value of a metric of labels or of sets of labels; warn if it is undefined.

    Args:
        are_of_one_spelling: whether both sides are known to write labels in one way, so that
            they may have none in common (K191).
        options: labels, positive, weights, n_threads.
    """
    n_threads, record = options.pop("n_threads", None), metric.record
    if confusion is None and hold_sets(y_true, y_pred):
        check_threads(n_threads)
        return _of_sets(metric, set_rows(y_true, y_pred, **options).tally, policy)
    cells = tallied(
        y_true,
        y_pred,
        confusion,
        cells=metric.needs_cells,
        n_threads=n_threads,
        are_of_one_spelling=are_of_one_spelling,
        **options,
    )
    check_order(metric, cells.classes)
    if record.is_per_class and metric.lift == "plain" and cells.classes.positive is None:
        if cells.classes.k > 1:
            raise no_positive(record.name, cells.classes, record.averages)
        cells = with_positive(cells, record.name)
    computed = metric.values(cells, policy)
    reason = undefined_reason(metric, cells.classes, computed.undefined)
    if reason is not None:
        warnings.warn(f"{metric} is undefined: {reason}.", UndefinedWarning, stacklevel=3)
    return computed.value if metric.lift == "per_class" else float(computed.value)


def _of_sets(metric: Metric, tally: SetTally, policy: Policy) -> Any:
    """Return the value of a metric on rows with sets of labels; warn if it is undefined."""
    computed = values_on_sets(metric, tally, policy)
    reason = undefined_on_sets(metric, tally, computed.undefined)
    # Rows or labels that are to be left out need no warning if others remain.
    is_asked = policy == "exclude" and bool(np.isfinite(computed.value).all())
    if reason is not None and not is_asked:
        warnings.warn(f"{metric} is undefined: {reason}.", UndefinedWarning, stacklevel=4)
    return computed.value if metric.lift == "per_class" else float(computed.value)


def refuse_distances(name: str, weights: str) -> None:
    """Refuse the name of a distance between classes as row weights: kappa (K122)."""
    other = f"{name}_{weights}"
    if other in all_names():
        choices, do = "one number for each row", f"By the distance of the classes: karat.{other}."
        raise unknown_choice("weights", weights, choices, do)


def _are_plain(true: Any, pred: Any) -> bool:
    """Return whether both arguments are plain arrays of integers or booleans."""
    return (
        true is not None
        and pred is not None
        and true.dtype.kind in "iub"
        and pred.dtype.kind in "iub"
    )


def _has_ignored(tally: Any) -> bool:
    """Return whether -100 is the smallest label."""
    labels = tally.labels
    return bool(labels is not None and labels[0] == IGNORED)


def _has_usual_positive(tally: Any) -> bool:
    """Return whether two counted integers are 0 and 1 or −1 and 1, so that one is positive."""
    labels = tally.labels
    if labels is None:
        return False
    first, second = labels.tolist()
    return bool(second == 1 and (first == 0 or first == -1))


@cache
def _without_parameters(record: Record, lift: Lift) -> Metric:
    """Return the cached inputs of a metric without parameters."""
    return Metric.of(record, lift, {})


def tallied(
    y_true: Any,
    y_pred: Any,
    confusion: Any,
    *,
    weights: Any = None,
    cells: bool = True,
    n_threads: int | None = None,
    are_of_one_spelling: bool = False,
    **classes: Any,
) -> Cells:
    """Tally the arguments that every label metric takes; `classes` is labels, positive."""
    check_threads(n_threads)
    if confusion is not None:
        for argument, value in (("y_true", y_true), ("y_pred", y_pred), ("weights", weights)):
            if value is not None:
                found = f"{argument} was given with confusion="
                do = "Give either the labels or their confusion matrix."
                raise error("K141", argument=argument, found=found, do=do)
        return tally_matrix(confusion, **classes)
    if y_true is None:
        raise error("K127", others="y_pred, or confusion=")
    if y_pred is None:
        found = "y_pred was not given"
        raise error("K128", found=found, do="Give y_true and y_pred, or confusion=.")
    options: dict[str, Any] = {**classes, "weights": weights, "n_threads": n_threads}
    counted = tally_labels(y_true, y_pred, cells=cells, **options)
    if not are_of_one_spelling:
        check_in_common(counted)
    return counted


def _dressed(function: Callable[..., Any], record: Record, fixed: Lift) -> Callable[..., Any]:
    """Give the function its name, its signature and a docstring rendered from the record."""
    metric = Metric(record, fixed, Metric.defaults(record))
    has_average = record.is_per_class and fixed == "plain"
    function.__name__ = function.__qualname__ = metric.name
    function.__module__ = "karat"
    signature = signature_of(record, has_average)
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = docstring(metric, has_average)
    return function


@names_its_arguments
def confusion_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    weights: Any = None,
    n_threads: int | None = None,
) -> npt.NDArray[Any]:
    """Count the rows by true and predicted class.

    Args:
        y_true: true labels, [n] or [n, 1]: strings, whole numbers or booleans.
        y_pred: predicted labels, likewise.
        labels: the classes in order, including those that never occur. Default: sorted.
        weights: float[n], importance of each row, finite and at least 0.
        n_threads: number of threads; it does not affect the result.

    Returns:
        int64[k, k], or float64[k, k] of summed weights: rows true, columns predicted.

    Errors:
        K101–K118: invalid labels or weights; K207 too many classes for a dense matrix.

    Cost: one pass over the rows, O(n + k²); no copy of integer arrays.

    Example:
        >>> import karat
        >>> karat.confusion_matrix(["cat", "dog", "dog"], ["cat", "cat", "dog"]).tolist()
        [[1, 0], [1, 1]]
    """
    true, pred = as_ndarray(y_true), as_ndarray(y_pred)
    if _are_plain(true, pred) and labels is None and weights is None and n_threads is None:
        tally = count_cells(true, pred)
        found = None if tally is None else tally.cells()
        if found is not None and found.trace():
            return found
    return tallied(
        y_true, y_pred, None, labels=labels, weights=weights, n_threads=n_threads
    ).matrix()
