"""`Plan`: the tallies that the requested metrics need, so that one pass over the data suffices."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from karat.errors import error, short
from karat.metrics import Losses, Metric, Pairwise, all_metrics, get, n_records


@dataclass(frozen=True, slots=True)
class Plan:
    """The requested metrics and the union of the tallies they need: data, picklable, printable.

    Attributes:
        metrics: canonical texts, in the requested order.
        tallies: the tallies of the one pass: ``"cells"`` or ``"class totals"``, and of scores
            ``"losses"``, ``"cumulative counts"`` (one sorted column at a time) and ``"pairs"``.

    Example:
        >>> from karat.metrics.plan import Plan
        >>> print(Plan.of(["accuracy", "macro_f1"]))
        one pass over the rows, 2 metrics
          class totals      tp, fp, fn of each class: accuracy, macro_f1
    """

    metrics: tuple[str, ...]
    tallies: tuple[str, ...]

    @classmethod
    def of(cls, metrics: str | Metric | Iterable[str | Metric] | None = None) -> Plan:
        """Return the plan of these metrics, or of a single one; None: all of a report with scores.

        Errors:
            K310 a collection without an order; K301, K302, K303, K306 a name that is no metric.
        """
        everything = [*default_metrics(), *default_metrics(of_scores=True)]
        wanted = everything if metrics is None else requested(metrics)
        texts = dict.fromkeys(str(item) for item in wanted)
        tallies = {tally_of(item) for item in wanted}
        if "cells" in tallies:
            tallies.discard("class totals")
        return cls(tuple(texts), tuple(name for name in _TALLIES if name in tallies))

    @property
    def needs_cells(self) -> bool:
        """True if the pass must count every cell true × predicted."""
        return "cells" in self.tallies

    def __str__(self) -> str:
        chosen = [get(text) for text in self.metrics]
        count = f"{len(chosen)} metric{'s' if len(chosen) != 1 else ''}"
        lines = [f"one pass over the rows, {count}"]
        for name, what in _TALLIES.items():
            found = [str(item) for item in chosen if tally_of(item) == name]
            if found:
                lines.append(f"  {name:<17} {what}: {', '.join(found)}")
        return "\n".join(lines)


_TALLIES = {
    "cells": "rows by true × predicted class",
    "class totals": "tp, fp, fn of each class",
    "losses": "losses added over the rows",
    "cumulative counts": "each column of scores, sorted once",
    "pairs": "pairs of classes, sorted by the difference of two scores",
}


def tally_of(metric: Metric) -> str:
    """Return the tally that a metric reads."""
    if not metric.needs_scores:
        return "cells" if metric.needs_cells else "class totals"
    reads = metric.record.reads
    return "losses" if reads is Losses else "pairs" if reads is Pairwise else "cumulative counts"


def default_metrics(*, of_scores: bool = False) -> list[Metric]:
    """Metrics that a report contains by default: every record marked for reports.

    Args:
        of_scores: return the metrics of scores, else those of labels.
    """
    return list(_listed(n_records(), of_scores))


@lru_cache(maxsize=2)
def _listed(_: int, of_scores: bool) -> tuple[Metric, ...]:
    return tuple(
        item
        for item in all_metrics()
        if item.record.in_report
        and item.needs_scores == of_scores
        # Pooling every column needs a key for each row and class at once, so only on request.
        and not (of_scores and item.lift == "micro")
    )


def requested(metrics: Any) -> list[Metric]:
    """Metrics requested by one name or a list of names.

    Errors:
        K310 a set, which has no order; K301, K302, K303, K306 a name that is not a metric.
    """
    if isinstance(metrics, AbstractSet):
        raise error("K310", found=f"metrics= is a {type(metrics).__name__}, which has no order")
    if isinstance(metrics, str | bytes | Metric):
        return [get(cast("str | Metric", metrics))]
    try:
        names = list(metrics)
    except TypeError:
        return [get(metrics)]
    except Exception as problem:  # the container's class may raise anything
        found = f"metrics= of type {type(metrics).__name__} cannot be read: {short(problem)}"
        raise error("K310", found=found) from problem
    return [get(name) for name in names]
