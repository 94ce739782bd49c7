"""Values that each parameter allows, with the errors and warnings of scikit-learn."""

from __future__ import annotations

import inspect
import math
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from numbers import Integral, Real
from typing import Any, Final, NoReturn, TypeVar, cast

import numpy as np

_PACKAGE = __name__.rpartition(".")[0]


class UndefinedMetricWarning(UserWarning):
    """Warning that a metric is undefined; used while scikit-learn is not loaded."""


class DataConversionWarning(UserWarning):
    """Warning that data of another shape were converted; used while scikit-learn is not loaded."""


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a value or type that it may not have; used likewise."""


def _class_of(module: str, own: type) -> type:
    return getattr(sys.modules.get(module), own.__name__, own)


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Emit a warning from the line outside this package that called into it."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals["__name__"].startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def warn_undefined(text: str) -> None:
    warn(text, _class_of("sklearn.exceptions", UndefinedMetricWarning))


def warn_conversion(text: str) -> None:
    warn(text, _class_of("sklearn.exceptions", DataConversionWarning))


Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Constraint:
    """One thing that a parameter may be.

    Attributes:
        accepts: whether a value is that.
        text: what it is, in messages; a set among it prints in its own order.
        is_hidden: accepted, but not listed in messages.
    """

    accepts: Callable[[Any], bool]
    text: str
    is_hidden: bool = False


def is_sparse(value: Any) -> bool:
    """True if it is a sparse array or matrix of SciPy, which is not imported for it."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(value))


def _is_array_like(value: Any) -> bool:
    if is_sparse(value) or np.isscalar(value):
        return False
    return hasattr(value, "__len__") or hasattr(value, "shape") or hasattr(value, "__array__")


def _instance(kind: type) -> Constraint:
    """An instance of a class."""
    name = "float" if kind is Real else kind.__qualname__
    if kind.__module__ == "numpy":
        name = f"numpy.{name}"
    return Constraint(lambda value: isinstance(value, kind), f"an instance of {name!r}")


def _options(kind: type, allowed: set[Any]) -> Constraint:
    """One of some values of a class."""
    name = "float" if kind is Real else kind.__name__
    listed = ", ".join(repr(item) for item in allowed)
    return Constraint(
        lambda value: isinstance(value, kind) and value in allowed, f"a {name} among {{{listed}}}"
    )


def _choice(allowed: set[str]) -> Constraint:
    return _options(str, allowed)


def _interval(kind: type, low: float, right: float | None, closed: str) -> Constraint:
    """A number between two bounds, of which "left", "right", "both" or "neither" belong to it."""
    high = math.inf if right is None else right
    has_left, has_right = closed in ("left", "both"), closed in ("right", "both")

    def accepts(value: Any) -> bool:
        if not isinstance(value, kind):
            return False
        number: Any = value
        if not isinstance(number, Integral) and np.isnan(number):
            return False
        is_above = number >= low if has_left else number > low
        is_below = number <= high if has_right else number < high
        return bool(is_above and is_below)

    is_real = kind is not Integral
    first: Any = float(low) if is_real else low
    last: Any = "inf" if right is None else float(right) if is_real else right
    name = "a float" if is_real else "an int"
    left_bracket, right_bracket = "[" if has_left else "(", "]" if has_right else ")"
    shown = f"{name} in the range {left_bracket}{first}, {last}{right_bracket}"
    return Constraint(accepts, shown)


_ARRAY: Final = Constraint(_is_array_like, "an array-like")
_PLAIN: Final = frozenset({np.ndarray, list, tuple})
"""Types of arrays, whatever is in them."""
_NONE: Final = Constraint(lambda value: value is None, "None")
_NAN: Final = Constraint(
    lambda value: isinstance(value, Real) and not isinstance(value, Integral) and math.isnan(value),
    "numpy.nan",
)
_TEXT: Final = _instance(str)
_BOOLEAN: Final = Constraint(
    lambda value: isinstance(value, bool | np.bool_),
    f"{_instance(bool).text} or {_instance(np.bool_).text}",
)
_WARN: Final = _choice({"warn"})

Allowed = Mapping[str, tuple[Constraint, ...]]
"""What parameters may be, by their names."""

_USUAL: Final[Allowed] = {
    "adjusted": (_BOOLEAN,),
    "average": (_choice({"micro", "macro", "samples", "weighted", "binary"}), _NONE),
    "beta": (_interval(Real, 0.0, None, closed="both"),),
    "digits": (_interval(Integral, 0, None, closed="left"),),
    "drop_intermediate": (_BOOLEAN,),
    "ignore_ties": (_BOOLEAN,),
    "k": (_interval(Integral, 1, None, closed="left"),),
    "labels": (_ARRAY, _NONE),
    "log_base": (_interval(Real, 0.0, None, closed="neither"),),
    "max_fpr": (_interval(Real, 0.0, 1, closed="right"), _NONE),
    "multi_class": (_choice({"raise", "ovr", "ovo"}),),
    "n_bins": (_interval(Integral, 1, None, closed="left"),),
    "normalize": (_BOOLEAN,),
    "output_dict": (_BOOLEAN,),
    "pos_label": (_instance(Real), _TEXT, _BOOLEAN, _NONE),
    "sample_weight": (_ARRAY, _NONE),
    "samplewise": (_BOOLEAN,),
    "scale_by_half": (_BOOLEAN, _choice({"auto"})),
    "strategy": (_choice({"uniform", "quantile"}),),
    "target_names": (_ARRAY, _NONE),
    "warn_for": (_instance(list), _instance(tuple), _instance(set)),
    "weights": (_choice({"linear", "quadratic"}), _NONE),
    "zero_division": (_options(Real, {0.0, 1.0}), _NAN, _WARN),
}
"""What a parameter of that name may be in most functions; of any other name, an array."""

_SPARSE: Final = (_ARRAY, Constraint(is_sparse, "a sparse array or matrix"))
_LABELS: Final[Allowed] = {"y_true": _SPARSE, "y_pred": _SPARSE}
_PROBABILITIES: Final[Allowed] = {
    "y_proba": (_ARRAY, replace(_NONE, is_hidden=True)),
    "y_pred": (_ARRAY, _TEXT),
}
_FIRST_PLACES: Final[Allowed] = {"k": (*_USUAL["k"], _NONE)}
_SPECIAL: Final[Mapping[str, Allowed]] = {
    "accuracy_score": _LABELS,
    "average_precision_score": {
        "average": (_choice({"micro", "samples", "weighted", "macro"}), _NONE),
        "pos_label": (_instance(Real), _TEXT, _BOOLEAN),
    },
    "class_likelihood_ratios": {
        **_LABELS,
        "replace_undefined_by": (_options(Real, {1.0, np.nan}), _instance(dict)),
    },
    "classification_report": _LABELS,
    "cohen_kappa_score": {
        "replace_undefined_by": (_interval(Real, -1.0, 1.0, closed="both"), _NAN)
    },
    "confusion_matrix": {"normalize": (_choice({"true", "pred", "all"}), _NONE)},
    "d2_log_loss_score": _PROBABILITIES,
    "dcg_score": _FIRST_PLACES,
    "f1_score": _LABELS,
    "fbeta_score": _LABELS,
    "hamming_loss": _LABELS,
    "jaccard_score": {**_LABELS, "zero_division": (_options(Real, {0, 1}), _WARN)},
    "label_ranking_average_precision_score": {"y_true": _SPARSE},
    "label_ranking_loss": {"y_true": _SPARSE},
    "log_loss": _PROBABILITIES,
    "multilabel_confusion_matrix": _LABELS,
    "ndcg_score": _FIRST_PLACES,
    "precision_recall_fscore_support": _LABELS,
    "precision_score": _LABELS,
    "recall_score": _LABELS,
    "roc_auc_score": {"average": (_choice({"micro", "macro", "samples", "weighted"}), _NONE)},
    "zero_one_loss": _LABELS,
}
"""A function → what its parameters may be that are not as usual."""


def drop_in(function: Function) -> Function:
    """Declare a function of scikit-learn's name and signature, which is shown without types.

    What its parameters may be is checked at each call, of those that are given.
    """
    caller, shown = function.__name__, inspect.signature(function).parameters
    special = _SPECIAL.get(caller, {})
    assert special.keys() <= shown.keys()
    allowed = {name: special.get(name) or _USUAL.get(name, (_ARRAY,)) for name in shown}

    names = tuple(shown)
    takes_arrays = [any(constraint is _ARRAY for constraint in allowed[name]) for name in names]

    signature = inspect.signature(function)

    @wraps(function)
    def checked(*positional: Any, **named: Any) -> Any:
        is_fit = True
        for value, takes_array, name in zip(positional, takes_arrays, names):  # noqa: B905
            if not ((takes_array and type(value) in _PLAIN) or _accepts(allowed[name], value)):
                is_fit = False
        for name, value in named.items():
            if name in allowed and not _accepts(allowed[name], value):
                is_fit = False
        if not is_fit:
            try:
                arguments = signature.bind(*positional, **named).arguments
            except TypeError:
                return function(*positional, **named)  # which says what is wrong with the call
            _refuse(caller, allowed, arguments)
        return function(*positional, **named)

    plain = [item.replace(annotation=inspect.Parameter.empty) for item in shown.values()]
    checked.__signature__ = inspect.Signature(plain)  # type: ignore[attr-defined]
    checked.__module__ = __name__.rpartition(".")[0]
    return cast("Function", checked)


def _accepts(constraints: tuple[Constraint, ...], value: Any) -> bool:
    for constraint in constraints:  # noqa: SIM110  # twice as fast as any()
        if constraint.accepts(value):
            return True
    return False


def _refuse(caller: str, allowed: Allowed, arguments: Mapping[str, Any]) -> NoReturn:
    """Raise the error of the first parameter, in their order, that has no value it may have."""
    values = {name: arguments[name] for name in allowed if name in arguments}
    name = next(name for name in values if not _accepts(allowed[name], values[name]))
    texts = [constraint.text for constraint in allowed[name] if not constraint.is_hidden]
    must = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
    refused = _class_of("sklearn.utils._param_validation", InvalidParameterError)
    got = f"Got {values[name]!r} instead."
    raise refused(f"The {name!r} parameter of {caller} must be {must}. {got}")
