"""`Plan`: which tallies the requested metrics need, so that one pass over the data serves all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from karat.metrics import Metric, all_metrics, get

__all__ = ["Plan"]


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
    def of(cls, metrics: Iterable[str | Metric] | None = None) -> Plan:
        """The plan of these metrics; None means every metric of a report.

        Errors:
            K301, K302, K303, K306 a name that is not a metric.
        """
        wanted = default_metrics() if metrics is None else [get(item) for item in metrics]
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


def default_metrics() -> list[Metric]:
    """What a report holds when no metric is named: every record that asks to be in a report."""
    return [item for item in all_metrics() if item.record.in_report]
