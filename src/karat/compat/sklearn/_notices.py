"""Warnings and errors: scikit-learn's own classes where it is loaded, else classes of karat."""

from __future__ import annotations

import sys
import warnings

__all__ = [
    "InvalidParameterError",
    "MultilabelRefusedError",
    "UndefinedMetricWarning",
    "invalid_parameter",
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
    """Emit UndefinedMetricWarning."""
    warn(text, _class_of("sklearn.exceptions", UndefinedMetricWarning))


def warn_conversion(text: str) -> None:
    """Emit DataConversionWarning."""
    warn(text, _class_of("sklearn.exceptions", DataConversionWarning))


def invalid_parameter(text: str) -> Exception:
    """The error of a parameter, to be raised."""
    found: Exception = _class_of("sklearn.utils._param_validation", InvalidParameterError)(text)
    return found


def refuse_multilabel(argument: str) -> MultilabelRefusedError:
    """The error of multilabel targets, to be raised."""
    return MultilabelRefusedError(
        f"{argument} is multilabel-indicator: karat.compat.sklearn measures binary and multiclass "
        "targets only. Call scikit-learn's own function for multilabel targets; where install() "
        "has replaced it, uninstall() puts it back."
    )
