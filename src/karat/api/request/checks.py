"""What the value of an option may be, as a part of its record.

What a check needs is loaded when it runs: the help of the command line needs the records alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Check: TypeAlias = Callable[[str, Any], Any]
"""Name and value of an option → the value as verbs read it; an error where it may not be that."""


@dataclass(frozen=True, slots=True)
class Words:
    """One of a few texts, or None among them (K122)."""

    words: tuple[str | None, ...]
    do: str

    def __call__(self, name: str, value: Any) -> str | None:
        """Return the text as a plain one."""
        from karat.api.options import one_of

        chosen: str | None = one_of(name, value, self.words, self.do)
        return chosen


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number in a range (K122)."""

    least: int
    do: str
    most: float = math.inf
    choices: str = ""

    def __call__(self, name: str, value: Any) -> int:
        """Return the number as a Python int."""
        from karat.api.options import whole_number

        return whole_number(name, value, self.do, self.least, self.most, self.choices)


@dataclass(frozen=True, slots=True)
class Switch:
    """True or False; a text such as 'no' would count as True (K122)."""

    do: str

    def __call__(self, name: str, value: Any) -> bool:
        """Return the value as a Python bool."""
        from karat.data.arguments import check_flag

        check_flag(name, value, self.do)
        return bool(value)


@dataclass(frozen=True, slots=True)
class Level:
    """A confidence level, or None (K122)."""

    needed_for: str = ""
    """Why it may not be None; empty: it may, or the verb refuses it, by its other options."""

    def __call__(self, name: str, value: Any) -> float | None:
        """Return the level as a float."""
        from karat.api.options import unknown_choice
        from karat.inference.confidence import checked_level

        if value is None and self.needed_for:
            raise unknown_choice(name, value, "a number between 0 and 1", self.needed_for)
        return checked_level(value)


def word_of_intervals(name: str, value: Any) -> str:
    """Return a side, a method or a design (K122)."""
    from karat.inference.confidence import checked_word

    return checked_word(name, value)


def count_of_intervals(name: str, value: Any) -> int:
    """Return a seed or a number of replicates (K122)."""
    from karat.inference.confidence import checked_count

    return checked_count(name, value)


def proportions(name: str, value: Any) -> Any:
    """Return the proportion of one class, or of each (K122)."""
    from karat.data.prevalence import checked_prevalence

    return checked_prevalence(name, value)


def separator(name: str, value: Any) -> str | None:
    """Return the separator of labels (K227)."""
    from karat.data.labels.separated import checked_separator

    del name
    return checked_separator(value)


def text_columns(name: str, value: Any) -> tuple[str, ...]:
    """Return names of columns (K122)."""
    from karat.api.options import unknown_choice

    if value is None:
        return ()
    names = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(x, str | int) and not isinstance(x, bool) for x in names):
        raise unknown_choice(name, value, "names of columns", "Name columns of codes: ['zip'].")
    return tuple(dict.fromkeys(map(str, names)))


def kept_rows(name: str, value: Any) -> int:
    """Return a number of rows to keep of each group (K232)."""
    from karat.data.listing import checked_limit

    del name
    return checked_limit(value)


MIN_MEMORY: Final = 1 << 20
"""Bytes that rows of one batch fit."""


def memory(name: str, value: Any) -> int:
    """Return a number of bytes (K122)."""
    from karat.api.options import whole_number

    do = "It limits the memory for rows with scores."
    choices = f"a whole number of bytes from {MIN_MEMORY}"
    return whole_number(name, value, do, MIN_MEMORY, choices=choices)
