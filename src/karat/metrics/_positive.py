"""The class that a metric of one class is of: which, and whether there is one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from karat.errors import KaratError, error, shown
from karat.metrics._metric import Metric
from karat.tally import Cells, Classes, reorder

__all__ = ["check_has_positive", "no_positive", "with_positive"]


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


def no_positive(name: str, classes: Classes, averages: Sequence[str]) -> KaratError:
    """K121: a function of one class was called for many, without an average.

    Args:
        name: the function.
        classes: more than two.
        averages: those that it has.
    """
    choices = shown([None, *averages])
    return error("K121", name=name, k=classes.k, labels=shown(classes.labels), choices=choices)


def check_has_positive(metric: Metric, classes: Classes, held: Collection[Metric]) -> None:
    """A metric of one class of many has to be averaged.

    Args:
        held: the metrics of scores that a report holds; it can compute those of labels.

    Errors:
        K307 there are more than two classes, and the metric is of one.
    """
    record = metric.record
    if record.is_per_class and metric.lift == "plain" and classes.k > 2:
        found = _averages_held(metric, held)
        raise error("K307", name=metric.name, k=classes.k, found=found)


def _averages_held(metric: Metric, held: Collection[Metric]) -> str:
    record = metric.record
    names = {average: record.lifted(average) for average in record.averages}
    if not names:
        return "This report holds it for each class"
    if not metric.needs_scores:
        return f"This report holds {', '.join(names.values())}"
    lifts = {other.lift for other in held if other.record is record}
    here = [name for average, name in names.items() if average in lifts]
    others = [name for average, name in names.items() if average not in lifts]
    if not here:
        return f"Its averages, none of which this report holds, are {', '.join(others)}"
    asked = f"; metrics= may also name {', '.join(others)}" if others else ""
    return f"This report holds {', '.join(here)}{asked}"
