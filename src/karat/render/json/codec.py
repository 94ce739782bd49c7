"""Declarations of JSON: a part is declared once, and written and read by that declaration.

A `Kind` is one type of values; a record of `Field`s is a kind as well. What a limit needs to know
of the parts beside and above it comes by the scope: of reading a namespace of all that was read
before, by the names of the fields; of writing the report.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

from karat.render.json.parts import Part, is_number, refused, whole_number

__all__ = [
    "AMOUNTS", "ANY_NUMBER", "COUNT", "COUNTS", "FLAG", "LABEL", "NUMBER", "NUMBER_OR_NAN",
    "OMITTED", "TEXT", "TEXTS", "Field", "Kind", "Scope", "choice", "each", "given", "itself",
    "named", "or_null", "plain", "record", "record_of", "scalar", "table",
]  # fmt: skip

Scope: TypeAlias = Any
OMITTED: Final = object()
"""In place of a value: the field is not written."""
_REQUIRED: Final = object()


def itself(value: Any, *_: Any) -> Any:
    """Return the value."""
    return value


@dataclass(frozen=True, slots=True)
class Kind:
    """One type of JSON values.

    Attributes:
        read: makes the value of a part, in a scope, or raises K205.
        write: makes the JSON of a value.
    """

    read: Callable[[Part, Scope], Any]
    write: Callable[[Any, Scope], Any] = itself

    def where(
        self, holds: Callable[[Any, Scope], Any], wanted: str | Callable[[Scope], str]
    ) -> Kind:
        """Limit the kind to values of which this holds; others are not what is wanted."""

        def read(part: Part, scope: Scope) -> Any:
            found = self.read(part, scope)
            if not holds(found, scope):
                raise part.is_not(wanted if isinstance(wanted, str) else wanted(scope))
            return found

        return Kind(read, self.write)

    def unless(self, breaks: Callable[[Any, Scope], Any], told: Callable[[Scope], str]) -> Kind:
        """Limit the kind to values of which this does not hold; the error names what does."""

        def read(part: Part, scope: Scope) -> Any:
            found = self.read(part, scope)
            if breaks(found, scope):
                raise refused(f"{part.path} {told(scope)}")
            return found

        return Kind(read, self.write)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record.

    Attributes:
        name: in JSON, and in the scope of what is read after it.
        kind: of its value.
        get: the attribute of the object that is written, or what makes the value of the object.
        absent: what is read from a text without the field; else such a text is refused.
        is_written: whether it stands in JSON; else `kind` makes it of the scope (`given`).
    """

    name: str
    kind: Kind
    get: str | Callable[[Any], Any] = ""
    absent: Any = _REQUIRED
    is_written: bool = True

    def read(self, part: Part, scope: Scope) -> Any:
        """Return the value of the field in an object."""
        if not self.is_written:
            return self.kind.read(part, scope)
        if self.absent is not _REQUIRED and part.get(self.name) is None:
            return self.absent
        return self.kind.read(part[self.name], scope)

    def value(self, of: Any) -> Any:
        """Return what is written of an object."""
        return self.get(of) if callable(self.get) else attrgetter(self.get or self.name)(of)


def given(name: str, make: Callable[[Scope], Any]) -> Field:
    """Declare a value that follows from what was read before it and is not written."""
    return Field(name, Kind(lambda _, scope: make(scope)), is_written=False)


def record(*of: Field, make: Callable[[Scope], Any] = itself) -> Kind:
    """Declare an object of these fields, read in this order; `make` builds the value of them."""

    def read(part: Part, scope: Scope) -> Any:
        found = SimpleNamespace(**vars(scope))
        for field in of:
            setattr(found, field.name, field.read(part, found))
        return make(found)

    def write(value: Any, scope: Scope) -> dict[str, Any]:
        pairs = ((field, field.value(value)) for field in of if field.is_written)
        return {f.name: f.kind.write(x, scope) for f, x in pairs if x is not OMITTED}

    return Kind(read, write)


def table(*of: Field) -> Kind:
    """Declare an object of these fields that is read as a dict."""
    return record(*of, make=lambda s: {field.name: getattr(s, field.name) for field in of})


def record_of(made: type, limited: Mapping[str, Kind]) -> Kind:
    """Declare an object of the fields of a dataclass, each of the type that is declared there.

    Args:
        made: the dataclass.
        limited: fields of another kind than their type says.
    """

    def kind(annotation: str) -> Kind:
        bare = annotation.removesuffix(" | None")
        found = _BY_TYPE[bare]
        return found if bare == annotation else or_null(found)

    found = table(
        *(Field(item.name, limited.get(item.name) or kind(str(item.type))) for item in fields(made))
    )
    return Kind(lambda part, scope: made(**found.read(part, scope)), found.write)


def each(
    kind: Kind,
    size: Callable[[Scope], int] | None = None,
    wanted: Callable[[Scope, int], str] | None = None,
    is_read: Callable[[Part, Scope], bool] = lambda *_: True,
) -> Kind:
    """Declare a list, read as a list; `scope.place` is the place of an item.

    Args:
        kind: of the items.
        size: how many there have to be, or None for any number.
        wanted: words on a list of another size; ``"3 numbers"`` without it.
        is_read: whether an item is read at all.
    """

    def read(part: Part, scope: Scope) -> list[Any]:
        items = list(part.items())
        if size is not None and len(items) != size(scope):
            if wanted is not None:
                raise refused(f"{part.path} {wanted(scope, len(items))}")
            raise part.is_not(f"{size(scope)} numbers")
        inner, found = SimpleNamespace(**vars(scope)), []
        for place, item in enumerate(items):
            inner.place = place
            if is_read(item, inner):
                found.append(kind.read(item, inner))
        return found

    return Kind(read, lambda values, scope: [kind.write(value, scope) for value in values])


def named(kind: Kind, **known: Kind) -> Kind:
    """Declare an object of any names, whose values are of one kind but for those of known names."""

    def read(part: Part, scope: Scope) -> dict[str, Any]:
        return {name: known.get(name, kind).read(item, scope) for name, item in part.fields()}

    return Kind(read, lambda value, scope: {x: kind.write(y, scope) for x, y in value.items()})


def or_null(kind: Kind) -> Kind:
    """Declare a kind or null, which is None."""
    return Kind(
        lambda part, scope: None if part.value is None else kind.read(part, scope),
        lambda value, scope: None if value is None else kind.write(value, scope),
    )


def scalar(
    is_one: Callable[[Any], bool],
    wanted: str,
    made: Callable[[Any], Any] = itself,
    written: Callable[[Any], Any] = itself,
) -> Kind:
    """Declare values that stand alone.

    Args:
        is_one: whether a JSON value is one.
        wanted: words on what it has to be.
        made: makes the value.
        written: makes the JSON of a value.
    """

    def read(part: Part, _: Scope) -> Any:
        if not is_one(part.value):
            raise part.is_not(wanted)
        return made(part.value)

    return Kind(read, lambda value, _: written(value))


def choice(*options: str, wanted: str = "") -> Kind:
    """Declare one of some strings."""
    told = wanted or f"one of {', '.join(options)}"
    return scalar(lambda value: isinstance(value, str) and value in options, told)


def plain(value: Any, *_: Any) -> Any:
    """Return JSON types all the way down; numbers that are not finite are null."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


def _named_number(x: float) -> float | str:
    """A number as it is; infinite ones and NaN, which JSON does not have, as text."""
    return x if math.isfinite(x) else "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"


FLAG: Final = scalar(lambda x: isinstance(x, bool), "true or false")
TEXT: Final = scalar(lambda x: isinstance(x, str), "a string")
LABEL: Final = scalar(
    lambda x: isinstance(x, str | int), "a label (a string, a whole number, true or false)"
)
NUMBER: Final = scalar(is_number, "a number", float, plain)
NUMBER_OR_NAN: Final = scalar(
    lambda x: x is None or is_number(x),
    "a number or null",
    lambda x: math.nan if x is None else float(x),
    plain,
)
ANY_NUMBER: Final = scalar(
    lambda x: is_number(x) or (isinstance(x, str) and x in ("inf", "-inf", "nan")),
    "a number, 'inf', '-inf' or 'nan'",
    float,
    _named_number,
)
COUNT: Final = scalar(
    lambda x: 0 <= (-1 if (found := whole_number(x)) is None else found) < 1 << 63,
    "a whole number of at least 0",
    int,
)
COUNTS: Final = Kind(lambda part, _: part.counts(), lambda array, _: array.tolist())
AMOUNTS: Final = Kind(lambda part, _: part.amounts(), lambda array, _: array.tolist())
TEXTS: Final = Kind(lambda part, scope: tuple(each(TEXT).read(part, scope)), plain)
_BY_TYPE: Final = {
    "float": NUMBER_OR_NAN,
    "int": COUNT,
    "str": TEXT,
    "dict[str, str]": named(TEXT),
}
