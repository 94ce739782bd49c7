"""What each parameter may be, with errors and warnings in the words of scikit-learn."""

from __future__ import annotations

import inspect
import math
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Final, TypeVar

import numpy as np

__all__ = [
    "ARRAY",
    "BOOLEAN",
    "LABELS",
    "NAN",
    "NONE",
    "TEXT",
    "MultilabelRefusedError",
    "check_parameters",
    "choice",
    "drop_in",
    "instance",
    "interval",
    "is_sparse",
    "options",
    "refuse_multilabel",
    "warn",
    "warn_conversion",
    "warn_undefined",
]

_PACKAGE = __name__.rpartition(".")[0]


class UndefinedMetricWarning(UserWarning):
    """A metric is not defined by the data; used while scikit-learn is not loaded."""


class DataConversionWarning(UserWarning):
    """Data of another shape were converted; used while scikit-learn is not loaded."""


class InvalidParameterError(ValueError, TypeError):
    """A parameter has a value or type that it may not have; used likewise."""


class MultilabelRefusedError(ValueError):
    """The targets are multilabel, which these functions do not measure."""


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


def refuse_multilabel() -> MultilabelRefusedError:
    """The error of multilabel targets, to be raised."""
    return MultilabelRefusedError(
        "y_true is multilabel-indicator: karat.compat.sklearn measures binary and multiclass "
        "targets only. Call scikit-learn's own function for multilabel targets; where install() "
        "has replaced it, uninstall() puts it back."
    )


Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Constraint:
    """One thing that a parameter may be.

    Attributes:
        accepts: whether a value is that.
        text: what it is, in messages; a set among it prints in its own order.
        is_hidden: accepted, but not told.
    """

    accepts: Callable[[Any], bool]
    text: str
    is_hidden: bool = False


def is_sparse(value: Any) -> bool:
    """Whether it is a sparse array or matrix of SciPy, which is not imported for it."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(value))


def _is_array_like(value: Any) -> bool:
    if is_sparse(value) or np.isscalar(value):
        return False
    return hasattr(value, "__len__") or hasattr(value, "shape") or hasattr(value, "__array__")


def instance(kind: type) -> Constraint:
    """An instance of a class."""
    name = "float" if kind is Real else kind.__qualname__
    if kind.__module__ == "numpy":
        name = f"numpy.{name}"
    return Constraint(lambda value: isinstance(value, kind), f"an instance of {name!r}")


def options(kind: type, allowed: set[Any]) -> Constraint:
    """One of some values of a class."""
    name = "float" if kind is Real else kind.__name__
    listed = ", ".join(repr(item) for item in allowed)
    return Constraint(
        lambda value: isinstance(value, kind) and value in allowed, f"a {name} among {{{listed}}}"
    )


def choice(allowed: set[str]) -> Constraint:
    return options(str, allowed)


def interval(kind: type, left: float | None, right: float | None, closed: str) -> Constraint:
    """A number between two bounds, of which "left", "right" or "both" belong to it."""
    low = -math.inf if left is None else left
    high = math.inf if right is None else right
    has_left, has_right = closed != "right", closed != "left"

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
    first: Any = "-inf" if left is None else float(left) if is_real else left
    last: Any = "inf" if right is None else float(right) if is_real else right
    name = "a float" if is_real else "an int"
    left_bracket, right_bracket = "[" if has_left else "(", "]" if has_right else ")"
    shown = f"{name} in the range {left_bracket}{first}, {last}{right_bracket}"
    return Constraint(accepts, shown)


ARRAY: Final = Constraint(_is_array_like, "an array-like")
SPARSE: Final = Constraint(is_sparse, "a sparse array or matrix")
NONE: Final = Constraint(lambda value: value is None, "None")
NAN: Final = Constraint(
    lambda value: isinstance(value, Real) and not isinstance(value, Integral) and math.isnan(value),
    "numpy.nan",
)
TEXT: Final = instance(str)
BOOLEAN: Final = Constraint(
    lambda value: isinstance(value, bool | np.bool_),
    f"{instance(bool).text} or {instance(np.bool_).text}",
)
LABELS: Final = (ARRAY, SPARSE)

_WEIGHTS: Final = (ARRAY, NONE)
_FLAG: Final = (BOOLEAN,)
_USUAL: Final[dict[str, tuple[Constraint, ...]]] = {
    "adjusted": _FLAG,
    "average": (choice({"micro", "macro", "samples", "weighted", "binary"}), NONE),
    "drop_intermediate": _FLAG,
    "labels": _WEIGHTS,
    "normalize": _FLAG,
    "output_dict": _FLAG,
    "pos_label": (instance(Real), TEXT, BOOLEAN, NONE),
    "sample_weight": _WEIGHTS,
    "samplewise": _FLAG,
    "target_names": _WEIGHTS,
    "zero_division": (options(Real, {0.0, 1.0}), NAN, choice({"warn"})),
}
"""What a parameter of that name may be in most functions; of any other name, an array."""

_allowed: Final[dict[str, dict[str, tuple[Constraint, ...]]]] = {}
"""A function → its parameters, in their order, and what they may be."""


def drop_in(**special: tuple[Constraint, ...]) -> Callable[[Function], Function]:
    """Declare a function of scikit-learn's name and signature, which is shown without types."""

    def declared(function: Function) -> Function:
        shown = inspect.signature(function).parameters
        assert special.keys() <= shown.keys()
        plain = [item.replace(annotation=inspect.Parameter.empty) for item in shown.values()]
        function.__signature__ = inspect.Signature(plain)  # type: ignore[attr-defined]
        function.__module__ = __name__.rpartition(".")[0]
        _allowed[function.__name__] = {
            name: special.get(name) or _USUAL.get(name, (ARRAY,)) for name in shown
        }
        return function

    return declared


def check_parameters(caller: str, given: Mapping[str, Any]) -> None:
    """Refuse the first parameter that none of its constraints accepts.

    Args:
        caller: the name of a declared function.
        given: its arguments by their names; its ``locals()``.
    """
    for name, allowed in _allowed[caller].items():
        value = given[name]
        if any(constraint.accepts(value) for constraint in allowed):
            continue
        texts = [constraint.text for constraint in allowed if not constraint.is_hidden]
        must = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
        refused = _class_of("sklearn.utils._param_validation", InvalidParameterError)
        raise refused(f"The {name!r} parameter of {caller} must be {must}. Got {value!r} instead.")
