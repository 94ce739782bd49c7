"""The public attributes of a result, and of what is in it, against their annotations."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Final

from tests.corpus.typing_check.hints import Hint, Member, is_ours, members

MOST_ITEMS: Final = 20
MOST_OBJECTS: Final = 300
# By kind of member: how often a member of a class is read in a call, and in a group.
TIMES: Final = {
    "field": (8, 2_000),
    "class variable": (1, 1),
    "property": (4, 400),
    "method": (1, 12),
}
DEAR: Final = {"to_html": 1, "band": 3}
"""Methods that take long: how often they are called in a group."""
METHODS: Final = (
    *("text", "per_label", "rows", "wrong_rows", "turned", "names", "columns", "band", "matrix"),
    *("occupied", "tolist", "coordinates", "points", "quantile", "to_bytes", "to_csv", "to_dict"),
    *("to_frame", "to_html", "to_json", "to_latex", "to_markdown", "to_yaml"),
)
"""Methods without arguments that change nothing."""
CHANGING: Final = ("karat.api.streams.", "karat.api.monitors.", "karat.compat.torchmetrics.")
"""Where classes are whose objects change when a method is called."""

FACTS: Final = tuple(f"karat.metrics.{name}" for name in ("_record", "_formula", "_equal"))
"""Where classes are whose objects are the same in every call: they are read once in a group."""

Check = Callable[[type, str, Hint, Any], None]


@dataclass
class Walk:
    """A walk through results; it counts what it has read in a group and in a call."""

    check: Check
    problem: Callable[[type, str, Exception], None]
    in_group: Counter[tuple[type, str]] = field(default_factory=Counter)
    in_call: Counter[tuple[type, str]] = field(default_factory=Counter)
    visited: dict[int, Any] = field(default_factory=dict)
    facts: dict[int, Any] = field(default_factory=dict)

    def start(self) -> None:
        """Begin a call."""
        self.in_call.clear()
        self.visited.clear()

    def through(self, values: Sequence[Any]) -> None:
        """Read the members of values and of what is in them."""
        queue = list(values)
        for value in queue:
            if len(self.visited) >= MOST_OBJECTS:
                return
            places = self.visited, self.facts
            if not _is_walked(value) or any(id(value) in place for place in places):
                continue
            # Kept, so that no other object gets its id.
            is_fact = type(value).__module__ in FACTS
            (self.facts if is_fact else self.visited)[id(value)] = value
            if is_ours(type(value)):
                queue += self._read(value)
            queue += itertools.islice(_items(value), MOST_ITEMS)

    def _read(self, value: Any) -> Iterator[Any]:
        owner = type(value)
        for member in members(owner):
            if not self._is_due(owner, member):
                continue
            try:
                place = owner if member.kind == "class variable" else value
                item = getattr(place, member.name)
                item = item() if member.kind == "method" else item
            except Exception as problem:
                self.problem(owner, member.name, problem)
                continue
            self.check(owner, member.name, member.hint, item)
            yield item

    def _is_due(self, owner: type, member: Member) -> bool:
        if member.kind == "method" and (
            member.name not in METHODS or owner.__module__.startswith(CHANGING)
        ):
            return False
        key = owner, member.name
        most_of_call, most_of_group = TIMES[member.kind]
        most_of_group = DEAR.get(member.name, most_of_group)
        if self.in_call[key] >= most_of_call or self.in_group[key] >= most_of_group:
            return False
        self.in_call[key] += 1
        self.in_group[key] += 1
        return True


def _is_walked(value: Any) -> bool:
    return is_ours(type(value)) or isinstance(value, Mapping | list | tuple | AbstractSet)


def _items(value: Any) -> Iterator[Any]:
    try:
        if isinstance(value, Mapping):
            yield from value.values()
        elif isinstance(value, list | tuple | AbstractSet):
            yield from value
    except Exception:  # An item that is computed when it is read may be refused.
        return
