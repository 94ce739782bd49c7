"""Kinds of JSON values: a part of a text is declared once, and read and written by that.

A `Part` is a value in a text and its place, so that a refusal states the place, what stands there
and what should stand there. A `Kind` reads a part and writes a value; a record of kinds by name is
a kind as well. What a kind has to know of other parts comes by the scope: of reading, all that was
read before, by name; of writing, the report.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error
from karat.tally.serialization import each_once

Scope: TypeAlias = Any
Words: TypeAlias = str | Callable[[Scope], str]
OMITTED: Final = object()
"""In place of a value: the field is not written."""
_REQUIRED: Final = object()
_EXACT: Final = 1 << 53
"""Up to here a whole number written as a float, 3.0, is that number."""
_CLOSE: Final = 1e-9
"""Numbers agree to this part: their formulas may add in another order elsewhere."""
_NOTHING: Final = 1e-15
"""What a difference of equal numbers may leave where nothing is left."""
_CLOSED: Final = ("bounds", "intervals")
"""Objects that have no other fields than those that are computed again."""
_LONGEST: Final = 60
_MOST_DIGITS: Final = 300
"""Digits of a whole number; with more, float64 could not hold it."""


def refused(found: str, do: str = "Write the report again with to_json().") -> KaratError:
    """Return the error of a text that is not a whole report."""
    return error("K205", thing="report in JSON", found=found, do=do)


def require(holds: Any, found: str) -> None:
    """Refuse a text unless this holds."""
    if not holds:
        raise refused(found)


@dataclass(frozen=True, slots=True)
class Part:
    """A value in a JSON text, and its place.

    Attributes:
        value: what `json` made of it.
        path: ``"tally.cells[3][2]"``; empty for the whole text.
        places: path in the words of today → the place in a text of other words.
    """

    value: Any
    path: str = ""
    places: Mapping[str, str] = field(default_factory=dict)

    def is_not(self, wanted: str) -> KaratError:
        """Return the error of a part that is something else."""
        kinds: dict[type, str] = {dict: "an object", list: "a list"}
        shown = kinds.get(type(self.value)) or json.dumps(self.value)
        shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
        return refused(f"{self.path or 'It'} is {shown}, not {wanted}")

    def must(self, holds: Any, wanted: str) -> None:
        """Refuse a part unless this holds."""
        if not holds:
            raise self.is_not(wanted)

    def __getitem__(self, key: str) -> Part:
        if (found := self.get(key)) is None:
            raise refused(f"{self._below(key)} is missing")
        return found

    def get(self, key: str) -> Part | None:
        """Return the part of that name, or None where there is none."""
        self.must(isinstance(self.value, dict), "an object")
        return self._part(self.value[key], self._below(key)) if key in self.value else None

    def fields(self) -> dict[str, Part]:
        """Return the parts of an object by name."""
        self.must(isinstance(self.value, dict), "an object")
        return {key: self._part(item, self._below(key)) for key, item in self.value.items()}

    def items(self) -> list[Part]:
        """Return the parts of a list."""
        self.must(isinstance(self.value, list), "a list")
        return [self._part(item, f"{self.path}[{i}]") for i, item in enumerate(self.value)]

    def counts(self, _: Scope = None) -> npt.NDArray[np.int64]:
        """Return a list of whole numbers, nested to any depth, as int64[...]."""
        numbers = self._numbers()
        is_float = numbers.dtype.kind == "f"
        if is_float and not ((numbers == np.floor(numbers)) & (np.abs(numbers) <= _EXACT)).all():
            raise self._first_wrong(lambda leaf: _whole(leaf) is None, "a whole number")
        return numbers.astype(np.int64)

    def amounts(self, _: Scope = None) -> npt.NDArray[np.float64]:
        """Return a list of numbers, nested to any depth, as float64[...]."""
        return self._numbers().astype(np.float64)

    def check(
        self, wanted: Any, source: str, *, may_lack: bool = False, compares_texts: bool = False
    ) -> None:
        """Refuse a part whose numbers, at any depth, are not those that are computed again.

        Args:
            wanted: JSON types.
            source: what gives those, with its verb.
            may_lack: whether what is not there is passed over.
            compares_texts: whether texts must be the wanted ones, too, and of their type.

        Errors:
            K205 where, and what should stand there.
        """
        options = {"may_lack": may_lack, "compares_texts": compares_texts}
        if isinstance(wanted, Mapping):
            for key, item in wanted.items():
                one, is_closed = self.get(key), key in _CLOSED
                is_passed = one is None and (may_lack or (is_closed and not item))
                if not is_passed and (compares_texts or not isinstance(item, str)):
                    self[key].check(item, source, **options)
                if one is not None and is_closed and one.fields().keys() != item.keys():
                    raise one.is_not(f"{key} of {', '.join(item) or 'nothing'}")
        elif isinstance(wanted, list):
            items = self.items()
            if len(items) != len(wanted):
                raise refused(
                    f"{self.path} has {len(items)} rows for {len(wanted)}, which {source}"
                )
            for part, item in zip(items, wanted, strict=True):
                part.check(item, source, **options)
        elif isinstance(wanted, float) and not (self.value is None or is_number(self.value)):
            raise self.is_not("a number or null")
        elif not _agree(self.value, wanted, is_exact=compares_texts):
            raise self.is_not(f"{'null' if wanted is None else repr(wanted)}, which {source}")

    def _numbers(self) -> npt.NDArray[Any]:
        self.must(isinstance(self.value, list), "a list of numbers")
        try:
            numbers = np.array(self.value) if self.value else np.zeros(0, np.int64)
        except ValueError:
            raise refused(f"{self.path} has rows that differ in length") from None
        # NumPy takes true for 1 where numbers stand beside it.
        if numbers.dtype.kind not in "if" or _has_flags(self.value):
            raise self._first_wrong(lambda leaf: not is_number(leaf), "a number")
        return numbers

    def _first_wrong(self, is_wrong: Callable[[Any], bool], wanted: str) -> KaratError:
        for leaf in self._leaves():
            if is_wrong(leaf.value):
                return leaf.is_not(wanted)
        return refused(
            f"{self.path} has a number that is too large for a float64 or a 64-bit whole number"
        )

    def _leaves(self) -> Iterator[Part]:
        for item in self.items():
            yield from item._leaves() if isinstance(item.value, list) else (item,)

    def _below(self, key: str) -> str:
        path = f"{self.path}.{key}" if self.path else key
        return self.places.get(path, path)

    def place_of(self, path: str) -> str:
        """Return the place in the text of a path in the words of today."""
        part = self
        for name in path.split("."):
            part = self._part(None, part._below(name))
        return part.path

    def _part(self, value: Any, path: str) -> Part:
        return Part(value, path, self.places)


def parsed(text: str | bytes) -> Part:
    """Parse strict JSON: no NaN, no number too large, no key twice.

    Errors:
        K205 it is not JSON.
    """

    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON; a value that is not a finite number is null")

    def finite(digits: str) -> float:
        if math.isinf(number := float(digits)):
            raise ValueError(f"{digits[:_LONGEST]} is larger than any number that is read")
        return number

    def countable(digits: str) -> int:
        if len(digits) > _MOST_DIGITS:
            raise ValueError(f"{digits[:20]}… has {len(digits)} digits")
        return int(digits)

    if not isinstance(text, str | bytes | bytearray):
        raise refused(f"It is a {type(text).__name__}, not text")
    hooks: Any = {"parse_constant": constant, "parse_float": finite, "parse_int": countable}
    try:
        return Part(json.loads(text, object_pairs_hook=each_once, **hooks))
    except RecursionError:
        raise refused("It is nested too deeply to be a report") from None
    except ValueError as problem:
        do = "Pass the text that to_json() wrote; of a file read it first: Path(file).read_text()."
        raise refused(f"It is not JSON: {problem}", do) from None


def check_estimate(part: Part, numbers: Sequence[float | None], ends: Sequence[float]) -> None:
    """Refuse a value and its limits that no estimate has, in a report of any kind.

    Args:
        part: where they stand.
        numbers: value, low and high, in any number of triples; None and NaN: there is none.
        ends: of the range of the metric.
    """
    least, most = ends
    for value, low, high in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        stated = [x for x in (low, value, high) if x is not None and not math.isnan(x)]
        slack = _CLOSE * max(1.0, *(abs(x) for x in stated if math.isfinite(x)), 0.0)
        shown = f"{part.path or 'It'} has the value and limits {_listed(value, low, high)}"
        is_ordered = all(a <= b + slack for a, b in pairwise(stated))
        require(is_ordered, f"{shown}, not an interval that holds the value")
        is_fit = all(least - slack <= x <= most + slack for x in stated)
        require(is_fit, f"{shown}, not numbers between {least:g} and {most:g}")


def _listed(value: float | None, *ends: float | None) -> str:
    first, low, high = ("none" if x is None else f"{x:.6g}" for x in (value, *ends))
    return f"{first} [{low}, {high}]"


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
        is_given: as a field, whether it follows from what was read before it and is not in JSON.
    """

    read: Callable[[Part, Scope], Any]
    write: Callable[[Any, Scope], Any] = itself
    get: str | Callable[[Any], Any] = ""
    absent: Any = _REQUIRED
    is_given: bool = False

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

    def into(self, make: Callable[[Any], Any]) -> Kind:
        """Read what this makes of the value."""
        return replace(self, read=lambda part, scope: make(self.read(part, scope)))


def given(make: Callable[[Scope], Any]) -> Kind:
    """Declare a field that follows from what was read before it and is not in JSON."""
    return Kind(lambda _, scope: make(scope), is_given=True)


def record(make: Callable[[Scope], Any] | None, /, **kinds: Kind) -> Kind:
    """Declare an object of these fields, read in this order.

    Args:
        make: builds the value of what was read; without it the value is a dict.
        kinds: of the fields.
    """

    def read(part: Part, scope: Scope) -> Any:
        found = SimpleNamespace(**vars(scope))
        for name, kind in kinds.items():
            if kind.is_given:
                one = kind.read(part, found)
            elif kind.absent is not _REQUIRED and part.get(name) is None:
                one = kind.absent
            else:
                one = kind.read(part[name], found)
            setattr(found, name, one)
        return {name: getattr(found, name) for name in kinds} if make is None else make(found)

    def write(value: Any, scope: Scope) -> dict[str, Any]:
        found = {}
        for name, kind in kinds.items():
            if not kind.is_given:
                one = kind.get(value) if callable(kind.get) else attrgetter(kind.get or name)(value)
                if one is not OMITTED:
                    found[name] = kind.write(one, scope)
        return found

    return Kind(read, write)


def record_of(made: type, **limited: Kind) -> Kind:
    """Declare an object of the fields of a dataclass, of these kinds or those of the types."""

    def kind(annotation: str) -> Kind:
        found = _BY_TYPE[annotation.removesuffix(" | None")]
        return or_null(found) if annotation.endswith(" | None") else found

    kinds = {item.name: limited.get(item.name) or kind(str(item.type)) for item in fields(made)}
    return record(None, **kinds).into(lambda found: made(**found))


def each(
    kind: Kind, size: Callable[[Scope], int] | None = None, words: str = "has {} items, not {}"
) -> Kind:
    """Declare a list; `scope.place` is the place of an item.

    Args:
        kind: of the items; those of which `OMITTED` is read are left out.
        size: how many there have to be, or None for any number.
        words: say of a list of another size what is wrong.
    """

    def read(part: Part, scope: Scope) -> list[Any]:
        items = part.items()
        n = len(items) if size is None else size(scope)
        require(len(items) == n, f"{part.path} {words.format(len(items), n)}")
        inner = SimpleNamespace(**vars(scope))
        found = []
        for inner.place, item in enumerate(items):
            found.append(kind.read(item, inner))
        return [one for one in found if one is not OMITTED]

    return Kind(read, lambda values, scope: [kind.write(value, scope) for value in values])


def named(kind: Kind, **known: Kind) -> Kind:
    """Declare an object of any names, whose values are of one kind but for those of known names."""
    return Kind(
        lambda part, s: {x: known.get(x, kind).read(one, s) for x, one in part.fields().items()},
        lambda value, s: {x: kind.write(one, s) for x, one in value.items()},
    )


def or_null(kind: Kind) -> Kind:
    """Declare a kind or null, which is None."""
    return replace(
        kind,
        read=lambda part, scope: None if part.value is None else kind.read(part, scope),
        write=lambda value, scope: None if value is None else kind.write(value, scope),
    )


def scalar(is_one: Callable[[Any], Any], words: str, written: Any = itself) -> Kind:
    """Declare values that stand alone, of which this holds."""
    kind = Kind(lambda part, _: part.value, lambda value, _: written(value))
    return kind.where(lambda value, _: is_one(value), words)


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


def listed(array: Any, *_: Any) -> list[Any]:
    """Return an array as nested lists."""
    found: list[Any] = array.tolist()
    return found


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: Any) -> int | None:
    """The whole number that a value is, 3 or 3.0; None for all else."""
    if not is_number(value) or value != value // 1:
        return None
    return int(value) if isinstance(value, int) or abs(value) <= _EXACT else None


def _agree(value: Any, wanted: Any, *, is_exact: bool) -> bool:
    """True if a JSON value equals the recomputed one up to rounding."""
    if isinstance(wanted, float) and is_number(value):
        return math.isclose(value, wanted, rel_tol=_CLOSE, abs_tol=_NOTHING)
    types = (type(value), type(wanted))
    is_fit = len(set(types)) == 1 or not (is_exact or bool in types)
    return is_fit and bool(value == wanted)


def _has_flags(values: list[Any]) -> bool:
    kinds = set(map(type, values))
    return bool in kinds or (list in kinds and any(map(_has_flags, values)))


def _named_number(x: float) -> float | str:
    """A number as it is; infinite ones and NaN, which JSON does not have, as text."""
    return x if math.isfinite(x) else "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"


RAW: Final = Kind(lambda part, _: part.value)
FLAG: Final = scalar(lambda x: isinstance(x, bool), "true or false")
TEXT: Final = scalar(lambda x: isinstance(x, str), "a string")
LABEL: Final = scalar(
    lambda x: isinstance(x, str | int), "a label (a string, a whole number, true or false)"
)
NUMBER: Final = scalar(is_number, "a number", plain).into(float)
NUMBER_OR_NAN: Final = scalar(lambda x: x is None or is_number(x), "a number or null", plain).into(
    lambda x: math.nan if x is None else float(x)
)
ANY_NUMBER: Final = scalar(
    lambda x: is_number(x) or x in ("inf", "-inf", "nan"),
    "a number, 'inf', '-inf' or 'nan'",
    _named_number,
).into(float)
COUNT: Final = scalar(
    lambda x: (found := _whole(x)) is not None and 0 <= found < 1 << 63,
    "a whole number of at least 0",
).into(int)
COUNTS: Final = Kind(Part.counts, listed)
AMOUNTS: Final = Kind(Part.amounts, listed)
TEXTS: Final = replace(each(TEXT).into(tuple), write=plain)
_BY_TYPE: Final = {"float": NUMBER_OR_NAN, "int": COUNT, "str": TEXT, "dict[str, str]": named(TEXT)}
