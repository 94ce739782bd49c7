"""Replace scikit-learn's functions in a running program, and put them back."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

__all__ = ["Installation", "install", "uninstall"]

_PLACES = ("sklearn.metrics", "sklearn.calibration")
"""Modules whose functions are replaced; other modules of scikit-learn may hold them too."""

_replaced: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {}
"""Name → (scikit-learn's function, karat's), while they are replaced."""


class Installation:
    """What `install` returns: as a context manager it undoes itself at the end of the block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        uninstall()


def install() -> Installation:
    """Let scikit-learn use karat: its functions are replaced by those of this package.

    They are replaced in every module of scikit-learn that holds them, and in its scorers, so that
    ``scoring="f1_macro"`` uses them too. A name that your own module imported before stays as it
    was. scikit-learn is imported if it is not loaded yet.

    Example:
        >>> import sklearn.metrics
        >>> with install():
        ...     sklearn.metrics.accuracy_score.__module__
        'karat.compat.sklearn'
        >>> sklearn.metrics.accuracy_score.__module__
        'sklearn.metrics._classification'
    """
    package = sys.modules[__name__.rpartition(".")[0]]
    loaded = [importlib.import_module(place) for place in _PLACES]
    for name in package.__all__ if not _replaced else ():
        own = getattr(package, name)
        their = next((getattr(module, name) for module in loaded if hasattr(module, name)), None)
        if their is not None:
            _replaced[name] = (their, own)
    _swap({id(their): own for their, own in _replaced.values()})
    return Installation()


def uninstall() -> None:
    """Put scikit-learn's functions back, wherever `install` replaced them.

    Example:
        >>> uninstall()
    """
    _swap({id(own): their for their, own in _replaced.values()})
    _replaced.clear()


def _swap(others: Mapping[int, Callable[..., Any]]) -> None:
    """Replace functions by others in the modules and the scorers of scikit-learn."""
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith("sklearn.") and module is not None
    ]
    for module in modules:
        for name, value in list(vars(module).items()):
            if id(value) in others:
                setattr(module, name, others[id(value)])
            elif isinstance(value, dict) and module.__name__.startswith("sklearn.metrics"):
                for scorer in value.values():
                    function = getattr(scorer, "_score_func", None)
                    if id(function) in others:
                        scorer._score_func = others[id(function)]
