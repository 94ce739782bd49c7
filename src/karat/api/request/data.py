"""`Data`: a source of rows and the roles of its columns, described once for every verb."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any, Final

from karat.api.request.request import options_of
from karat.api.request.spelled import in_groups
from karat.data.labels.containers import host_of
from karat.errors import error, short
from karat.errors.options import option
from karat.errors.together import refuse

_ANYWHERE: Final = ("by", "ids", "class_names", "keep_rows", "n_threads")
"""Options that change no number: a verb that does not have them leaves them out."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Data:
    """Rows of a table or of files, and the roles of their columns, as `karat.read` describes them.

    Every verb takes it as first argument: `karat.evaluate`, `karat.check`, `karat.compare`,
    `karat.gate` (also as `baseline`), `karat.find_weak_slices`, `Monitor.add` and `Stream.update`.
    Two are equal if their sources and options are; a table is compared by its content.

    Attributes:
        source: the table, or the files, as given.
        columns: role → its columns, named or found by name, in the words of the verbs.
        options: the arguments that `karat.read` was given, by name.
    """

    source: Any
    _columns: tuple[tuple[str, tuple[str, ...]], ...] = field(default=())
    _options: tuple[tuple[str, Any], ...] = field(default=())

    @property
    def columns(self) -> dict[str, str | tuple[str, ...]]:
        """Role → its column, or a tuple of several; named or found by name."""
        return {role: x[0] if len(x) == 1 else x for role, x in self._columns}

    @property
    def options(self) -> dict[str, Any]:
        """The arguments that `karat.read` was given, by name."""
        return in_groups(dict(self._options))

    def __repr__(self) -> str:
        source = self.source if isinstance(self.source, str | PathLike) else None
        first = f"<{type(self.source).__name__}>" if source is None else repr(fspath(source))
        if isinstance(self.source, list | tuple):
            first = short(list(map(fspath, self.source)), 200)
        given = (f"{name}={short(value, 200)}" for name, value in self.options.items())
        return f"karat.read({', '.join([first, *given])})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Data):
            return NotImplemented
        own, its = dict(self._options), dict(other._options)
        return (
            own.keys() == its.keys()
            and _are_equal(self.source, other.source)
            and all(_are_equal(value, its[name]) for name, value in own.items())
        )

    def __hash__(self) -> int:
        # Tables have no hash; equal data have the same columns.
        return hash(tuple(name for name, _ in self._options))


def _are_equal(left: Any, right: Any) -> bool:
    """True if two values, maybe tables or arrays, hold the same."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, Mapping):
        return left.keys() == right.keys() and all(_are_equal(left[x], right[x]) for x in left)
    if host_of(left) == "numpy":
        from numpy import array_equal

        return array_equal(left, right)
    try:
        same = left.equals(right) if hasattr(left, "equals") else left == right
        return bool(same)
    except Exception:  # the class of the source may raise anything
        return False


def merged(verb: str, data: Data, values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call with those that its data hold.

    Errors:
        K156 the call repeats one; K261, and K455 of the table `together`: the verb cannot use one.
    """
    options = dict(data._options)
    takes = {item.name for item in options_of(verb)}
    others = {x: v for x, v in options.items() if x not in takes}
    refuse(verb, "described data", others)
    if unused := next((x for x in others if x not in _ANYWHERE), None):
        do = "Describe the data without it, and give it to the verb that has it."
        raise error("K261", function=verb, argument=option(unused), do=do)
    held = {x: v for x, v in options.items() if x in takes or x not in _ANYWHERE}
    refuse_repeated(verb, data, values)
    return {**values, **held, "data": data.source}


def refuse_repeated(verb: str, data: Data, values: Mapping[str, Any]) -> None:
    """Refuse a role or an option that both a call and its data hold (K156)."""
    twice = next((name for name, _ in data._options if values.get(name) is not None), None)
    if twice is not None:
        found = f"karat.{verb} was given {option(twice)}, and so was karat.read"
        do = "Leave it out of one of them: karat.read describes the data for every verb."
        raise error("K156", argument=option(twice), found=found, do=do)
