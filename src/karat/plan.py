"""`Plan`: which tallies the requested metrics need, so that one pass over the data serves all."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, cast

from karat.errors import error, short
from karat.metrics import Metric, all_metrics, get

__all__ = ["Plan", "default_metrics", "requested"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The requested metrics and the union of the tallies they need: data, picklable, printable.

    Attributes:
        metrics: canonical texts, in the order asked for.
        tallies: the tallies of the one pass: ``"cells"`` or ``"class totals"``.

    Example:
        >>> from karat.plan import Plan
        >>> print(Plan.of(["accuracy", "macro_f1"]))
        one pass over the rows, 2 metrics
          class totals  tp, fp, fn of each class: accuracy, macro_f1
    """

    metrics: tuple[str, ...]
    tallies: tuple[str, ...]

    @classmethod
    def of(cls, metrics: str | Metric | Iterable[str | Metric] | None = None) -> Plan:
        """The plan of these metrics, or of a single one; None means every metric of a report.

        Errors:
            K120 a collection without an order; K301, K302, K303, K306 a name that is no metric.
        """
        wanted = default_metrics() if metrics is None else requested(metrics)
        needs_cells = any(item.needs_cells for item in wanted)
        texts = dict.fromkeys(str(item) for item in wanted)
        return cls(tuple(texts), ("cells",) if needs_cells else ("class totals",))

    @property
    def needs_cells(self) -> bool:
        """Whether the pass must count every cell true × predicted."""
        return "cells" in self.tallies

    def __str__(self) -> str:
        chosen = [get(text) for text in self.metrics]
        from_cells = [str(item) for item in chosen if item.needs_cells]
        from_totals = [str(item) for item in chosen if not item.needs_cells]
        count = f"{len(chosen)} metric{'s' if len(chosen) != 1 else ''}"
        lines = [f"one pass over the rows, {count}"]
        if from_cells:
            lines.append(f"  cells         rows by true × predicted class: {', '.join(from_cells)}")
        if from_totals:
            lines.append(f"  class totals  tp, fp, fn of each class: {', '.join(from_totals)}")
        return "\n".join(lines)


def requested(metrics: Any) -> list[Metric]:
    """The metrics that were asked for by one name or a list of names.

    Errors:
        K120 a set, which has no order; K301, K302, K303, K306 a name that is not a metric.
    """
    if isinstance(metrics, AbstractSet):
        raise error(
            "K120",
            found=f"metrics= is a {type(metrics).__name__}, which has no order",
            do="Give a list of names.",
        )
    if isinstance(metrics, str | bytes | Metric):
        return [get(cast("str | Metric", metrics))]
    try:
        names = list(metrics)
    except TypeError:
        return [get(metrics)]
    except Exception as problem:  # the class of the container may raise anything
        found = f"metrics= of type {type(metrics).__name__} cannot be read: {short(problem)}"
        raise error("K120", found=found, do="Give a list of names.") from problem
    return [get(name) for name in names]


def default_metrics() -> list[Metric]:
    """What a report holds when no metric is named: every record that asks to be in a report."""
    return [item for item in all_metrics() if item.record.in_report]
