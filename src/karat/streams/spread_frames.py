"""From a frame of Spark or Dask to a `Report`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karat.engines.spread_rows import rows_of_spread
from karat.inputs.align import classes_of
from karat.metrics import Metric
from karat.metrics._lift import Policy
from karat.report import Report
from karat.streams.reports import Asked, report_of_parts
from karat.uncertainty.confidence import Confidence

__all__ = ["report_of_spread"]


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
    max_memory: int,
) -> Report:
    """The report of a frame whose rows lie in partitions; see `report_of_table`.

    Args:
        max_memory: bytes of rows with scores that a task keeps.
    """
    given = {name: options[name] for name in ("labels", "positive", "weights")}
    found = rows_of_spread(
        table, **columns, **given, threshold=threshold,
        nulls="drop" if nulls == "drop" else "error",
        max_memory=max_memory,
        is_frequency=confidence is not None and confidence.weights_are == "frequency",
    )  # fmt: skip
    cells = found.cells
    if cells is not None and options["positive"] is not None and found.labels is None:
        cells = cells.with_classes(classes_of(cells.classes.labels, options["positive"]))
    asked = Asked(wanted, policy, confidence, options["n_threads"])
    return report_of_parts(
        cells, found.scores, asked,
        mapping=found.mapping, source=found.source, warnings=found.warnings,
    )  # fmt: skip
