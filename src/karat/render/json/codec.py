"""Declarations of JSON: a part is declared once, and written and read by that declaration.

A `Kind` is one type of values; a record of kinds by name is a kind as well. What a limit has to
know of other parts comes by the scope: of reading, all that was read before, by name; of writing,
the report.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

from karat.render.json.parts import Part, is_number, refused, whole_number

Scope: TypeAlias = Any
Words: TypeAlias = str | Callable[[Scope], str]
OMITTED: Final = object()
"""In place of a value: the field is not written."""
_REQUIRED: Final = object()
_GIVEN: Final = object()
_CLOSE: Final = 1e-9
"""Numbers agree to this part: their formulas may add in another order elsewhere."""
_NOTHING: Final = 1e-15
"""What a difference of equal numbers may leave where nothing is left."""


def itself(value: Any, *_: Any) -> Any:
    """Return the value."""
    return value


@dataclass(frozen=True, slots=True)
class Kind:
    """One type of JSON values.

    Attributes:
        read: makes the value of a part, in a scope, or raises K205.
        write: makes the JSON of a value.
        get: as a field, the attribute of the object that is written, if it has another name than
            the field, or what makes the value of the object.
        absent: as a field, what is read where it is not there; else it has to be.
    """

    read: Callable[[Part, Scope], Any]
    write: Callable[[Any, Scope], Any] = itself
    get: str | Callable[[Any], Any] = ""
    absent: Any = _REQUIRED

    def of(self, get: str | Callable[[Any], Any]) -> Kind:
        """Write this attribute of the object, or what this makes of it."""
        return replace(self, get=get)

    def or_absent(self, value: Any) -> Kind:
        """Read this value from a text without the field."""
        return replace(self, absent=value)

    def where(
        self, holds: Callable[[Any, Scope], Any], words: Words, *, is_sentence: bool = False
    ) -> Kind:
        """Refuse values of which this does not hold: they are not what the words say.

        With `is_sentence` the words say of the part what is wrong.
        """

        def read(part: Part, scope: Scope) -> Any:
            found = self.read(part, scope)
            if not holds(found, scope):
                told = words if isinstance(words, str) else words(scope)
                raise refused(f"{part.path} {told}") if is_sentence else part.is_not(told)
            return found

        return replace(self, read=read)


def given(make: Callable[[Scope], Any]) -> Kind:
    """Declare a field that follows from what was read before it and is not in JSON."""
    return Kind(lambda _, scope: make(scope), get=lambda _: OMITTED, absent=_GIVEN)


def record(make: Callable[[Scope], Any] | None, /, **kinds: Kind) -> Kind:
    """Declare an object of these fields, read in this order.

    Args:
        make: builds the value of what was read; without it the value is a dict.
        kinds: of the fields.
    """

    def read(part: Part, scope: Scope) -> Any:
        found = SimpleNamespace(**vars(scope))
        for name, kind in kinds.items():
            if kind.absent is not _GIVEN and (one := part.get(name)) is None:
                if kind.absent is _REQUIRED:
                    raise refused(f"{part.path}.{name}".lstrip(".") + " is missing")
                setattr(found, name, kind.absent)
            else:
                setattr(found, name, kind.read(part if kind.absent is _GIVEN else one, found))
        return {name: getattr(found, name) for name in kinds} if make is None else make(found)

    def write(value: Any, scope: Scope) -> dict[str, Any]:
        found = {}
        for name, kind in kinds.items():
            one = kind.get(value) if callable(kind.get) else attrgetter(kind.get or name)(value)
            if one is not OMITTED:
                found[name] = kind.write(one, scope)
        return found

    return Kind(read, write)


def record_of(made: type, **limited: Kind) -> Kind:
    """Declare an object of the fields of a dataclass, but for the limited ones by their types."""

    def kind(annotation: str) -> Kind:
        found = _BY_TYPE[annotation.removesuffix(" | None")]
        return or_null(found) if annotation.endswith(" | None") else found

    kinds = {item.name: limited.get(item.name) or kind(str(item.type)) for item in fields(made)}
    found = record(None, **kinds)
    return Kind(lambda part, scope: made(**found.read(part, scope)), found.write)


def each(
    kind: Kind,
    size: Callable[[Scope], int] | None = None,
    words: Callable[[Scope], str] = lambda _: "has not one part for each class",
) -> Kind:
    """Declare a list; `scope.place` is the place of an item.

    Args:
        kind: of the items; those of which `OMITTED` is read are left out.
        size: how many there have to be, or None for any number.
        words: say of a list of another size what is wrong.
    """

    def read(part: Part, scope: Scope) -> list[Any]:
        items = list(part.items())
        if size is not None and len(items) != size(scope):
            raise refused(f"{part.path} {words(SimpleNamespace(**vars(scope), n=len(items)))}")
        inner = [SimpleNamespace(**vars(scope) | {"place": i}) for i in range(len(items))]
        found = [kind.read(item, at) for item, at in zip(items, inner, strict=True)]
        return [one for one in found if one is not OMITTED]

    return Kind(read, lambda values, scope: [kind.write(value, scope) for value in values])


def named(kind: Kind, **known: Kind) -> Kind:
    """Declare an object of any names, whose values are of one kind but for those of known names."""
    return Kind(
        lambda part, s: {name: known.get(name, kind).read(one, s) for name, one in part.fields()},
        lambda value, s: {name: kind.write(one, s) for name, one in value.items()},
    )


def or_null(kind: Kind) -> Kind:
    """Declare a kind or null, which is None."""
    return replace(
        kind,
        read=lambda part, scope: None if part.value is None else kind.read(part, scope),
        write=lambda value, scope: None if value is None else kind.write(value, scope),
    )


def scalar(
    is_one: Callable[[Any], Any],
    words: str,
    made: Callable[[Any], Any] = itself,
    written: Callable[[Any], Any] = itself,
) -> Kind:
    """Declare values that stand alone, of which the JSON is one of these, and made into those."""
    kind = Kind(lambda part, _: part.value, lambda value, _: written(value))
    found = kind.where(lambda value, _: is_one(value), words)
    return replace(found, read=lambda part, scope: made(found.read(part, scope)))


def choice(*options: str, words: str = "") -> Kind:
    """Declare one of some strings."""
    told = words or f"one of {', '.join(options)}"
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


def as_list(array: Any, *_: Any) -> list[Any]:
    """Return an array as nested lists."""
    found: list[Any] = array.tolist()
    return found


def agree(value: Any, expected: float | None) -> bool:
    """Return whether a JSON value is a number that is computed again, but for rounding."""
    if isinstance(value, bool) or expected is None or not is_number(value):
        return value is expected
    if isinstance(expected, int):
        return bool(value == expected)
    return abs(value - expected) <= _CLOSE * max(abs(value), abs(expected)) + _NOTHING


def compare(part: Part, expected: Any, source: str) -> None:
    """Refuse a part whose numbers, at any depth, are not the expected ones; texts may differ."""
    if isinstance(expected, Mapping):
        for key, item in expected.items():
            if not isinstance(item, str):
                compare(part[key], item, source)
    elif isinstance(expected, list):
        items = list(part.items())
        if len(items) != len(expected):
            raise part.is_not(f"{len(expected)} items, which {source} gives")
        for one, wanted in zip(items, expected, strict=True):
            compare(one, wanted, source)
    elif not isinstance(expected, str) and not agree(part.value, expected):
        told = "null" if expected is None else repr(expected)
        raise part.is_not(f"{told}, which {source} gives")


def _named_number(x: float) -> float | str:
    """A number as it is; infinite ones and NaN, which JSON does not have, as text."""
    return x if math.isfinite(x) else "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"


def number_or_nan(value: Any) -> float:
    """Return a number as float; NaN for null."""
    return math.nan if value is None else float(value)


FLAG: Final = scalar(lambda x: isinstance(x, bool), "true or false")
TEXT: Final = scalar(lambda x: isinstance(x, str), "a string")
LABEL: Final = scalar(
    lambda x: isinstance(x, str | int), "a label (a string, a whole number, true or false)"
)
NUMBER: Final = scalar(is_number, "a number", float, plain)
NUMBER_OR_NAN: Final = scalar(
    lambda x: x is None or is_number(x), "a number or null", number_or_nan, plain
)
ANY_NUMBER: Final = scalar(
    lambda x: is_number(x) or x in ("inf", "-inf", "nan"),
    "a number, 'inf', '-inf' or 'nan'",
    float,
    _named_number,
)
COUNT: Final = scalar(
    lambda x: (found := whole_number(x)) is not None and 0 <= found < 1 << 63,
    "a whole number of at least 0",
    int,
)
COUNTS: Final = Kind(lambda part, _: part.counts(), as_list)
AMOUNTS: Final = Kind(lambda part, _: part.amounts(), as_list)
TEXTS: Final = Kind(lambda part, scope: tuple(each(TEXT).read(part, scope)), plain)
_BY_TYPE: Final = {"float": NUMBER_OR_NAN, "int": COUNT, "str": TEXT, "dict[str, str]": named(TEXT)}
