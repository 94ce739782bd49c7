"""What makes a function a drop-in: the signature that `inspect` shows is scikit-learn's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["drop_in"]

Function = TypeVar("Function", bound=Callable[..., Any])


def drop_in(function: Function) -> Function:
    """The same function; its signature is shown without types, as scikit-learn's are."""
    shown = inspect.signature(function)
    plain = [item.replace(annotation=inspect.Parameter.empty) for item in shown.parameters.values()]
    function.__signature__ = inspect.Signature(plain)  # type: ignore[attr-defined]
    function.__module__ = __name__.rpartition(".")[0]
    return function
