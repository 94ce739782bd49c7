"""`cached_property`: a property that is computed at first read, without a lock."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

__all__ = ["cached_property"]

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property
else:
    from collections.abc import Callable
    from typing import Any

    class cached_property:  # noqa: N801
        """`cached_property` as in Python 3.12.

        In 3.11, one lock serves a property of all objects. It is held while a value is computed, so
        that threads wait for one another, and a process forked meanwhile deadlocks.
        """

        def __init__(self, compute: Callable[[Any], Any]) -> None:
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            kept = instance.__dict__
            if self._name not in kept:
                kept[self._name] = self._compute(instance)
            return kept[self._name]
