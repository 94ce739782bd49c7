"""Replace scikit-learn's functions in a running program, and put them back."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, Self

_PLACES = ("sklearn.metrics", "sklearn.calibration")
"""Modules whose functions are replaced; other modules of scikit-learn may hold them too."""

_pairs: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {}
"""Name → (scikit-learn's function, karat's); never forgotten, so that all can be put back."""

_standing: set[Installation] = set()
"""The installations that have not been undone; without any, all is put back."""

_lock = threading.RLock()


class Installation:
    """Return value of `install`: as a context manager it undoes itself at the end of the block.

    Another installation, made before it or by another thread, stays.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with _lock:
            _standing.discard(self)
            if not _standing:
                _put_back()


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
    with _lock:
        for name in package.__all__:
            own = getattr(package, name)
            their = next((getattr(place, name) for place in loaded if hasattr(place, name)), None)
            if their is not None and their is not own:
                _pairs[name] = (their, own)
        _swap({id(their): own for their, own in _pairs.values()})
        made = Installation()
        _standing.add(made)
    return made


def uninstall() -> None:
    """Put scikit-learn's functions back, wherever and however often `install` replaced them.

    Example:
        >>> uninstall()
    """
    with _lock:
        _standing.clear()
        _put_back()


def _put_back() -> None:
    _swap({id(own): their for their, own in _pairs.values()})


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
