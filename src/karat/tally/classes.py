"""The class axis of a tally: which labels, in which order, and which one is positive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

Label: TypeAlias = str | int | bool
"""A class label as users wrote it: a Python str, int or bool, never a NumPy scalar."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The ordered classes of a tally.

    Attributes:
        labels: the k distinct labels, in the order of rows and columns.
        positive: index of the positive class when there are exactly two, else None.
        names: display names, one a label; display only.
        is_declared: whether the caller listed them (then an unseen class keeps its row).
    """

    labels: tuple[Label, ...]
    positive: int | None = None
    names: tuple[str, ...] | None = None
    is_declared: bool = False

    @property
    def k(self) -> int:
        """Number of classes."""
        return len(self.labels)

    @property
    def display(self) -> tuple[str, ...]:
        """Text for each class: `names` when given, else the label itself."""
        return self.names if self.names is not None else tuple(str(item) for item in self.labels)

    def named(self, names: Sequence[str] | None) -> Classes:
        """The same classes with other display names."""
        return replace(self, names=None if names is None else tuple(names))

    @classmethod
    def of(cls, labels: Sequence[Label], *, is_declared: bool = False) -> Classes:
        """Classes in the given order; with two, the last is positive."""
        ordered = tuple(labels)
        return cls(ordered, positive=1 if len(ordered) == 2 else None, is_declared=is_declared)
