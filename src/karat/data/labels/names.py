"""Display names of classes, as callers give them."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from karat.data.labels.identity import NotALabelError, label_of
from karat.errors import error, short, shown
from karat.tally.classes import Classes

__all__ = ["display_names", "listed_names"]


def display_names(given: Any, classes: Classes) -> tuple[str, ...] | None:
    """Display names for the classes: text, bytes of UTF-8 text, whole numbers or booleans.

    Errors:
        K117 not exactly one name for each class, two alike, or a name that is none of these.
    """
    if given is None:
        return None
    if isinstance(given, Mapping):
        known = set(classes.labels)
        for label in given:
            if label not in known:
                found = f"{short(label)} is not a class; the classes are {shown(classes.labels)}"
                raise error("K117", found=found)
        names = [given.get(label, label) for label in classes.labels]
    else:
        names = listed_names(given)
    if len(names) != classes.k:
        labels = shown(classes.labels)
        raise error("K117", found=f"{len(names)} names for {classes.k} classes: {labels}")
    texts = [_name(place, name) for place, name in enumerate(names)]
    first: dict[str, int] = {}
    for place, text in enumerate(texts):
        if first.setdefault(text, place) != place:
            found = f"Names {first[text]} and {place} are both {short(text)}"
            raise error("K117", found=found)
    return tuple(texts)


def listed_names(given: Any) -> list[Any]:
    """Names in order.

    Errors:
        K117 they are no list.
    """
    is_one = isinstance(given, str | bytes | bytearray | AbstractSet)
    try:
        if not is_one and getattr(given, "ndim", 1) == 1:
            return list(given.to_pylist() if hasattr(given, "to_pylist") else given)
    except Exception:  # the class of the container may raise anything
        pass
    raise error("K117", found=f"It is {short(given)} ({type(given).__name__}), not a list of names")


def _name(place: int, given: Any) -> str:
    try:
        label = label_of(given)
    except NotALabelError:
        label = None
    if label is None:
        found = f"Name {place} is {short(given)} ({type(given).__name__})"
        raise error("K117", found=found)
    return str(label)
