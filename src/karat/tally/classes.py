"""Class axis of a tally: labels, their order, and the positive class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

Label: TypeAlias = str | int | bool
"""A class label as given: a Python str, int or bool, never a NumPy scalar."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The ordered classes of a tally.

    Attributes:
        labels: the k distinct labels, in the order of rows and columns.
        positive: index of the positive class of two; None with more classes, and if it is unknown.
        names: display names, one for each label; display only.
        is_declared: whether the caller listed them (then classes that do not occur are kept).
        is_ordered: whether their order was declared, by the caller or by ordered categories; None:
            as `is_declared`.
        order: every category in the declared order, if some do not occur; else None.
    """

    labels: tuple[Label, ...]
    positive: int | None = None
    names: tuple[str, ...] | None = None
    is_declared: bool = False
    is_ordered: bool | None = None
    order: tuple[Label, ...] | None = None

    @property
    def has_order(self) -> bool:
        """True if the order of the classes means something: declared, or that of numbers."""
        is_declared = self.is_declared if self.is_ordered is None else self.is_ordered
        return is_declared or self.k <= _PAIR or not isinstance(self.labels[0], str)

    @property
    def categories(self) -> tuple[Label, ...] | None:
        """Every category in the declared order, also those that do not occur; None without one."""
        if not self.is_ordered:
            return None
        return self.labels if self.order is None else self.order

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.labels)

    @property
    def display(self) -> tuple[str, ...]:
        """Text for each class: `names` if given, else the label itself."""
        return self.names if self.names is not None else tuple(str(item) for item in self.labels)

    def named(self, names: Sequence[str] | None) -> Classes:
        """Return the same classes with other display names."""
        return replace(self, names=None if names is None else tuple(names))

    def in_order(self, categories: Sequence[Label] | None) -> Classes:
        """Return the classes with their declared order, that of these categories; None: as is."""
        if categories is None:
            return self
        order = None if tuple(categories) == self.labels else tuple(categories)
        return replace(self, is_ordered=True, order=order)

    def swapped(self) -> Classes:
        """Return two classes in the opposite order."""
        positive = None if self.positive is None else 1 - self.positive
        names = None if self.names is None else self.names[::-1]
        return replace(self, labels=self.labels[::-1], positive=positive, names=names)

    def some(self, places: Iterable[int]) -> Classes:
        """Return the classes at these places, as discovered ones."""
        kept = list(places)
        found = replace(Classes.of([self.labels[i] for i in kept]), is_ordered=self.is_ordered)
        found = found.in_order(self.categories)
        return found if self.names is None else found.named([self.names[i] for i in kept])

    @classmethod
    def of(cls, labels: Sequence[Label], *, is_declared: bool = False) -> Classes:
        """Return classes in the given order, with the positive class if labels determine it."""
        ordered = tuple(labels)
        return cls(ordered, positive=usual_positive(ordered), is_declared=is_declared)


IGNORED: Final = -100
"""The label of positions that torch and Hugging Face leave out of losses."""
_PAIR: Final = 2
"""Weights of distances do not depend on the order of so many classes."""
_USUAL: Final = ((0, 1), (-1, 1), ("0", "1"), ("-1", "1"), ("false", "true"))
"""Pairs of negative and positive class; False and True equal 0 and 1."""


def usual_positive(labels: Sequence[Label]) -> int | None:
    """Return the index of the class that is positive by convention, or None.

    For 0 and 1, False and True, −1 and 1 it is the larger, in any order and also as text. For any
    other pair, only the caller knows the positive class.

    Example:
        >>> usual_positive([0, 1]), usual_positive(["true", "false"]), usual_positive(["no", "yes"])
        (1, 0, None)
    """
    if len(labels) != 2:
        return None
    first, second = (x.lower() if isinstance(x, str) else x for x in labels)
    if (first, second) in _USUAL:
        return 1
    return 0 if (second, first) in _USUAL else None
