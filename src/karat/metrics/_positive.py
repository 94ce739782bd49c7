"""The positive class where only one of two classes occurs."""

from __future__ import annotations

from karat.errors import error
from karat.tally import Cells, Classes, reorder

__all__ = ["with_positive"]


def with_positive(cells: Cells, name: str) -> Cells:
    """The tally of a single class on two classes, so that a metric of the positive one has a value.

    One class of 0 and 1, or of False and True, occurs: the other is known, and 1 is positive.

    Args:
        cells: a tally of one class.
        name: the metric, for the message.

    Errors:
        K123 the class is another: nothing says which would be positive.
    """
    classes = cells.classes
    label = classes.labels[0]
    if isinstance(label, str) or label not in (0, 1):
        raise error("K123", name=name, label=label)
    both = (type(label)(0), type(label)(1))
    names = tuple(classes.display[0] if other == label else str(other) for other in both)
    return reorder(cells, Classes(both, positive=1, names=names))
