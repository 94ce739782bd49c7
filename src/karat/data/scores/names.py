"""What the names of columns of scores say: readings of names as labels, and numbers as names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from karat.data.labels.identity import Kind
from karat.tally.classes import Label

__all__ = [
    "are_numbers",
    "are_of_others",
    "label_in",
    "named",
    "numbers_in_order",
    "only_count",
    "readings",
]

_WHOLE = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.0*)?")
_BOOLEANS: Final = {"true": True, "false": False, "1": True, "0": False}
_N_CUTS = 64
_DIGITS_MAX: Final = 1000
"""Characters of the longest name that is read as a number; Python itself refuses longer ones."""


def readings(
    names: Sequence[str], endings: Sequence[str] | None
) -> Iterator[tuple[list[str], bool]]:
    """What could be the label in each name, most likely reading first, and whether it is likely.

    It is where what they share ends at a separator: `p_cat`, `p_car` end in `cat`, not in `t`.
    Of numbers only zeros are cut off: `01`, `02` end in `1` and `2`, `10`, `11` not in `0` and `1`.
    """
    if endings is not None:
        yield list(endings), True
    start = _shared(names)
    end = _shared([name[::-1] for name in names])[::-1]
    cuts = sorted(range(len(start), -1, -1), key=lambda i: i > 0 and start[i - 1].isalnum())
    tails = ["", *(end[i:] for i in range(len(end)) if not end[i].isalnum())]
    shortest = min(map(len, names))
    are_whole = are_numbers(names)
    for tail in tails[:_N_CUTS]:
        for cut in cuts[:_N_CUTS]:
            if cut + len(tail) < shortest and not (are_whole and start[:cut].strip("0")):
                texts = [name[cut : len(name) - len(tail)] for name in names]
                yield texts, are_whole or not (cut and start[cut - 1].isalnum())


def _shared(names: Sequence[str]) -> str:
    """What all names start with."""
    first, last = min(names), max(names)
    n_same = next((i for i, char in enumerate(first) if last[i : i + 1] != char), len(first))
    return first[:n_same]


def label_in(text: str, kind: Kind, *, is_number: bool = False) -> Label | None:
    """What a text is as a label of that kind; zeros may lead a whole name that is a number."""
    if kind == "string":
        return text
    bare = text.strip().lower()
    if len(bare) > _DIGITS_MAX:
        return None
    if is_number and bare.isdecimal():
        bare = str(int(bare))
    if kind == "boolean":
        return _BOOLEANS.get(bare)
    if _WHOLE.fullmatch(bare):
        return int(bare.partition(".")[0])
    return int(_BOOLEANS[bare]) if bare in ("true", "false") else None


def named(name: str, texts: Sequence[str]) -> int | None:
    """The place of the text that a name ends in after a separator, the longest."""
    fitting = [
        place
        for place, text in enumerate(texts)
        if name == text or (name.endswith(text) and not name[-len(text) - 1].isalnum())
    ]
    return max(fitting, key=lambda place: len(texts[place]), default=None)


def numbers_in_order(names: Sequence[str], endings: Sequence[str] | None) -> list[int] | None:
    """The numbers that the names end in, when they count the columns from 0 or 1."""
    for texts, _ in readings(names, endings):
        numbers = _counted(texts)
        if numbers is not None:
            return numbers
    return None


def _counted(texts: Sequence[str]) -> list[int] | None:
    """The numbers that texts are, where they count them from 0 or 1, in any order; else None."""
    if any(not text.isdecimal() or len(text) > _DIGITS_MAX for text in texts):
        return None
    numbers, k = [int(text) for text in texts], len(texts)
    return numbers if sorted(numbers) in (list(range(k)), list(range(1, k + 1))) else None


def are_numbers(names: Sequence[str]) -> bool:
    """Whether names are nothing but whole numbers: ``2``, ``007``, ``-1``, ``1.0``."""
    return all(name.isdecimal() or _WHOLE.fullmatch(name) for name in names)


def only_count(names: Sequence[str], known: AbstractSet[Label]) -> bool:
    """Whether names that are numbers say no more than where a column stands, whatever is known.

    They do from 0 on; and from 1 on, where the classes are 0, 1, 2, … all of them. Of two classes
    0 and 1 the names 1, 2 may as well say which column is that of the class 1.
    """
    k, numbers = len(names), _counted(names)
    if numbers is None or numbers != sorted(numbers):
        return False
    return numbers[0] == 0 or (k > 2 and known == set(range(k)))


def are_of_others(names: Sequence[str], known: AbstractSet[Label], how: str) -> bool:
    """Whether names that are numbers, and none a class, contradict where their columns stand.

    They do where they count the columns in another order than that of a list, and where they do
    not count them while the classes are numbers.
    """
    numbers = _counted(names)
    if numbers is not None:
        return how == "listed" and numbers != sorted(numbers)
    return all(not isinstance(label, str) or _WHOLE.fullmatch(label) for label in known)
