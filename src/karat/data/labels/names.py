"""Labels in names of columns, and in other texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from karat.data.labels.column import Kind, kind_of
from karat.tally.classes import Label

WHOLE: Final = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.0*)?")
MOST_DIGITS: Final = 1000
"""Characters of the longest name read as a number; Python refuses longer ones."""
_BOOLEANS: Final = {"true": True, "false": False, "1": True, "0": False}


def label_in(text: str, kind: Kind, *, is_number: bool = False) -> Label | None:
    """Return a text as a label of that kind; a name that is a number may have leading zeros."""
    if kind == "string":
        return text
    bare = text.strip().lower()
    if len(bare) > MOST_DIGITS:
        return None
    if is_number and bare.isdecimal():
        bare = str(int(bare))
    if kind == "boolean":
        return _BOOLEANS.get(bare)
    if WHOLE.fullmatch(bare):
        return int(bare.partition(".")[0])
    return int(_BOOLEANS[bare]) if bare in ("true", "false") else None


def named(name: str, texts: Sequence[str]) -> int | None:
    """Return the index of the longest text that a name ends in after a separator."""
    fitting = [
        place
        for place, text in enumerate(texts)
        if name == text or (name.endswith(text) and not name[-len(text) - 1].isalnum())
    ]
    return max(fitting, key=lambda place: len(texts[place]), default=None)


def place_of(ending: str, labels: Sequence[Label]) -> int | None:
    """Return the index of the label that a column name ends in; None if there is none."""
    label = label_in(ending, kind_of(labels) or "integer")
    if label in labels:
        return labels.index(label)
    # `class_0` ends in a class too.
    return named(ending, [str(x) for x in labels])


class NameOfClass(str):
    """End of a column's name: the positive class of two, if it is one of their labels.

    It is used like a label from the caller, but it need not exist.
    """

    __slots__ = ()
