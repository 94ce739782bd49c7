"""From what a stream holds to a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

import numpy as np

from karat.curves._kept import MOST_CLASSES, Keeper
from karat.engines.score_stream import ScoreParts, discovered, rows_of
from karat.engines.tabled_scores import sampled_rows
from karat.errors import error
from karat.inputs.align import classes_of
from karat.inputs.score_order import wrong_number
from karat.measuring import counted_as_rows, report_of_scores, wanted_of_scores
from karat.metrics import Metric, Pairwise
from karat.metrics._lift import Policy
from karat.metrics._positive import check_has_positive
from karat.report import Report
from karat.tally import Cells, Label, TabledRows
from karat.tally.classes import Classes
from karat.uncertainty.confidence import Confidence
from karat.uncertainty.tabled_intervals import measured_tables

__all__ = ["Asked", "report_of_parts"]

_NO_PAIRS: Final = "a metric of pairs of columns needs the rows, and there were too many to keep"


class Asked(Protocol):
    """What a report needs to know; see `Settings`."""

    @property
    def labels(self) -> tuple[Label, ...] | None: ...
    @property
    def positive(self) -> Label | None: ...
    @property
    def wanted(self) -> tuple[Metric, ...] | None: ...
    @property
    def asked(self) -> Confidence | None: ...
    @property
    def undefined(self) -> Policy: ...
    @property
    def is_frequency(self) -> bool: ...
    @property
    def n_threads(self) -> int | None: ...


def report_of_parts(cells: Cells | None, scores: ScoreParts | None, settings: Asked) -> Report:
    """The report of what was counted, or of rows with scores.

    Errors:
        K115 all rows weigh nothing; K134 classes that do not fit the columns; K211, K302 to K311
        metrics that are not there.
    """
    if scores is None:
        assert cells is not None
        if cells.is_weighted:
            _check_weight(cells.counts, int(cells.n_rows))
        if settings.positive is not None and settings.labels is None:
            cells = cells.with_classes(classes_of(cells.classes.labels, settings.positive))
        found = Report(cells, settings.undefined, settings.wanted, confidence=settings.asked)
    else:
        found = _of_scores(_placed(scores).settled(settings.n_threads), settings)
    return replace(found, cells=counted_as_rows(found.cells)) if settings.is_frequency else found


def _placed(scores: ScoreParts) -> ScoreParts:
    """The same, every column with its class.

    Errors:
        K134 not all classes came.
    """
    if scores.is_placed:
        return scores
    assert scores.shape is not None
    assert scores.held is not None
    classes, columns = scores.classes, scores.shape[0] or 2
    label = classes.labels[0]
    if classes.k == 1 and columns == 2 and not isinstance(label, str) and label in (0, 1):
        # One observed class of 0 and 1: the other is known.
        kind = type(label)
        both = discovered((kind(0), kind(1)), scores.positive)
        return replace(scores, held=scores.held.recoded(both))
    argument = "y_prob" if scores.is_prob else "y_score"
    raise wrong_number(argument, columns, classes, is_single=scores.shape[0] is None)


def _of_scores(scores: ScoreParts, settings: Asked) -> Report:
    if scores.tables is None:
        assert scores.held is not None
        kept_rows = rows_of(scores.held, scores.threshold, settings.n_threads)
        return report_of_scores(kept_rows, settings.wanted, settings.undefined, settings.asked)
    tables = scores.tables
    if tables.is_weighted:
        _check_weight(tables.sums.truth, tables.n_rows)
    rows = TabledRows(tables)
    wanted = wanted_of_scores(rows.classes, settings.wanted, is_prob=rows.is_prob)
    for metric in wanted:
        check_has_positive(metric, rows.classes, ())
    left_out = [metric for metric in wanted if metric.record.reads is Pairwise]
    if left_out and settings.wanted is not None:
        raise error("K211", name=str(left_out[0]), do=f"It is {_NO_PAIRS}: give max_memory=.")
    kept = [metric for metric in wanted if metric not in left_out]
    keeper = _keeper(rows.classes, settings.wanted)
    values, bounds, sure = measured_tables(
        rows, kept, settings.undefined, settings.asked, lambda: sampled_rows(tables),
        along=keeper.take if keeper else None, is_requested=settings.wanted is not None,
    )  # fmt: skip
    return Report(
        tables.cells,
        settings.undefined,
        settings.wanted,
        warnings=_warnings(rows, left_out, bool(bounds)),
        measured=values,
        scores="probabilities" if rows.is_prob else "scores",
        threshold=scores.threshold,
        kept_curves=keeper.curves() if keeper else None,
        confidence=settings.asked,
        intervals=sure.intervals,
        class_intervals=sure.class_intervals,
        draws=sure.draws,
        bounds=bounds,
    )


def _check_weight(totals: Any, n_rows: int) -> None:
    if not np.any(totals):
        raise error("K115", argument="weights", n=n_rows)


def _keeper(classes: Classes, wanted: Sequence[Metric] | None) -> Keeper | None:
    return Keeper(classes) if wanted is None and classes.k <= MOST_CLASSES else None


def _warnings(rows: TabledRows, left_out: Sequence[Metric], is_open: bool) -> tuple[str, ...]:
    found = []
    if is_open:
        width = 2.0**-rows.tables.bits
        found.append(
            f"Scores were counted in buckets of {np.format_float_scientific(width, 1)} of "
            "themselves: results that depend on them have a bound."
        )
    if left_out:
        names = ", ".join(str(metric) for metric in left_out)
        found.append(f"Not computed: {names}; {_NO_PAIRS}.")
    return tuple(found)
