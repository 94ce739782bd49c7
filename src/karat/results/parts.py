"""Parts that only some kinds of reports have, and the error where one is missing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import getattr_static
from types import MethodType
from typing import Any


class MissingPart:
    """Attribute that a report lacks unless its kind defines it.

    It stores nothing, so an attribute of the instance comes before it.
    """

    def __init__(self, body: Callable[..., Any]) -> None:
        self.body, self.__doc__ = body, body.__doc__

    def __get__(self, report: object, kind: type | None = None) -> Any:
        if report is None:
            return self.of_class()
        raise AttributeError  # `__getattr__` of the report says why

    def of_class(self) -> Any:
        """Return what the class shows: a property that reads the attribute of the kind."""
        name = self.body.__name__
        return property(lambda report: getattr(report, name), doc=self.__doc__)


class CommonPart(MissingPart):
    """Attribute that every kind defines."""


class MissingMethod(MissingPart):
    """Method that a report lacks unless its kind names it in `methods`, or defines its own."""

    def __get__(self, report: object, kind: type | None = None) -> Any:
        if report is not None and self.body.__name__ in getattr(kind, "methods", ()):
            return MethodType(self.body, report)
        return super().__get__(report, kind)

    def of_class(self) -> Any:
        """Return a function that calls the method of the kind."""
        name = self.body.__name__

        @wraps(self.body)
        def called(report: object, *args: Any, **options: Any) -> Any:
            return getattr(report, name)(*args, **options)

        return called


class CommonMethod(MissingMethod, CommonPart):
    """Method that every kind defines."""


def parts_of(kind: type) -> dict[str, bool]:
    """Part → whether a kind of reports has it."""
    named = {
        name
        for base in kind.__mro__
        for name, value in vars(base).items()
        if isinstance(value, MissingPart) and not isinstance(value, CommonPart)
    }
    there = {*getattr(kind, "__dataclass_fields__", ()), *getattr(kind, "methods", ())}
    return {
        name: name in there or not isinstance(getattr_static(kind, name), MissingPart)
        for name in sorted(named)
    }


def why_missing(report: object, name: str) -> str | None:
    """Return why a report has no such part, and which it has; None if the name is no part."""
    parts = parts_of(type(report))
    if parts.get(name, True):
        return None
    *others, last = (part for part, is_there in parts.items() if is_there)
    kind = getattr(type(report), "kind", "This report")
    return f"{kind} has no {name}: it has metrics, {', '.join(others)} and {last}."
