"""From a frame of Spark or Dask to a `Report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from karat.engines.spread_rows import rows_of_spread
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.report import Report
from karat.stream_reports import report_of_parts
from karat.stream_settings import checked_memory
from karat.tally import Label
from karat.uncertainty.confidence import Confidence

__all__ = ["report_of_spread"]

_MEMORY: Final = 1 << 28


@dataclass(frozen=True)
class _Asked:
    """See `stream_reports.Asked`."""

    labels: tuple[Label, ...] | None
    positive: Label | None
    wanted: tuple[Metric, ...] | None
    asked: Confidence | None
    undefined: Policy
    is_frequency: bool
    n_threads: int | None


def report_of_spread(
    table: Any,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    threshold: float | None,
    nulls: str,
    wanted: tuple[Metric, ...] | None,
    policy: Policy,
    confidence: Confidence | None,
    max_memory: int | None = None,
) -> Report:
    """The report of a frame whose rows lie in partitions; see `report_of_table`.

    Args:
        max_memory: bytes of rows with scores that a task keeps; None: 256 MiB.
    """
    given = {name: options[name] for name in ("labels", "positive", "weights")}
    found = rows_of_spread(
        table, **columns, **given, threshold=threshold,
        nulls="drop" if nulls == "drop" else "error",
        max_memory=_MEMORY if max_memory is None else checked_memory(max_memory),
    )  # fmt: skip
    is_frequency = confidence is not None and confidence.weights_are == "frequency"
    asked = _Asked(
        found.labels, options["positive"], wanted, confidence, policy, is_frequency,
        options["n_threads"],
    )  # fmt: skip
    report = report_of_parts(found.cells, found.scores, asked)
    warnings = (*found.warnings, *report.warnings)
    return replace(report, mapping=found.mapping, source=found.source, warnings=warnings)
