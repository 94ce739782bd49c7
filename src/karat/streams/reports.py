"""From what a stream holds to a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from karat.curves._kept import MOST_CLASSES, Keeper
from karat.engines.score_stream import ScoreParts, discovered, rows_of
from karat.engines.tabled_scores import sampled_rows
from karat.errors import error
from karat.inputs.score_order import wrong_number
from karat.inputs.weights import refuse_sums
from karat.measuring import report_of_scores
from karat.metrics import Metric, Pairwise
from karat.metrics._lift import Policy
from karat.metrics._positive import check_has_positive
from karat.report import Report
from karat.tally import Cells, TabledRows
from karat.tally.classes import Classes
from karat.uncertainty.confidence import Confidence
from karat.uncertainty.tabled_intervals import measured_tables
from karat.wanted_metrics import wanted_of_scores

__all__ = ["Asked", "report_of_parts"]

_TOO_MANY: Final = "needs the rows, and there were too many to keep"


@dataclass(frozen=True)
class Asked:
    """What a report is to hold.

    Attributes:
        wanted: the metrics asked for, or None for all.
        policy: what undefined values count as.
        confidence: what is asked of the intervals; None: there are none.
        n_threads: threads of native passes.
    """

    wanted: tuple[Metric, ...] | None = None
    policy: Policy = "zero"
    confidence: Confidence | None = None
    n_threads: int | None = None


def report_of_parts(
    cells: Cells | None, scores: ScoreParts | None, asked: Asked, **facts: Any
) -> Report:
    """The report of what was counted, or of rows with scores.

    Args:
        facts: mapping, source and warnings, where the rows came from a table.

    Errors:
        K115 all rows weigh nothing; K134 classes that do not fit the columns; K211, K302 to K309
        metrics that are not there.
    """
    if scores is None:
        assert cells is not None
        _check_weight(cells)
        return Report(cells, asked.policy, asked.wanted, confidence=asked.confidence, **facts)
    return _of_scores(_placed(scores).settled(asked.n_threads), asked, facts)


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


def _of_scores(scores: ScoreParts, asked: Asked, facts: dict[str, Any]) -> Report:
    if scores.tables is None:
        assert scores.held is not None
        kept_rows = rows_of(scores.held, scores.threshold, asked.n_threads)
        return report_of_scores(kept_rows, asked.wanted, asked.policy, asked.confidence, **facts)
    tables = scores.tables
    _check_weight(tables.cells)
    rows = TabledRows(tables)
    wanted = wanted_of_scores(rows.classes, asked.wanted, is_prob=rows.is_prob)
    for metric in wanted:
        check_has_positive(metric, rows.classes, ())
    left_out = [metric for metric in wanted if metric.record.reads is Pairwise]
    if left_out and asked.wanted is not None:
        raise error("K211", name=str(left_out[0]), do=f"Give a larger max_memory=: it {_TOO_MANY}.")
    kept = [metric for metric in wanted if metric not in left_out]
    keeper = _keeper(rows.classes, asked.wanted)
    found = measured_tables(
        rows, kept, asked.policy, asked.confidence,
        lambda: sampled_rows(tables, is_frequency=scores.is_frequency),
        along=keeper.take if keeper else None, is_requested=asked.wanted is not None,
    )  # fmt: skip
    warnings = (
        *facts.pop("warnings", ()),
        *_warnings(rows, left_out, bool(found.bounds or found.class_bounds)),
    )
    return Report(
        tables.cells,
        asked.policy,
        asked.wanted,
        warnings=warnings,
        measured=found.values,
        scores="probabilities" if rows.is_prob else "scores",
        threshold=scores.threshold,
        kept_curves=keeper.curves() if keeper else None,
        confidence=asked.confidence,
        intervals=found.sure.intervals,
        class_intervals=found.sure.class_intervals,
        draws=found.sure.draws,
        bounds=found.bounds,
        class_bounds=found.class_bounds,
        **facts,
    )


def _check_weight(cells: Cells) -> None:
    """Refuse weights that add up to nothing, or that formulas cannot bear.

    Errors:
        K115, K125.
    """
    if cells.is_weighted:
        if not cells.counts.any():
            raise error("K115", argument="weights", n=int(cells.n_rows))
        refuse_sums(cells.counts)


def _keeper(classes: Classes, wanted: Sequence[Metric] | None) -> Keeper | None:
    return Keeper(classes) if wanted is None and classes.k <= MOST_CLASSES else None


def _warnings(rows: TabledRows, left_out: Sequence[Metric], is_open: bool) -> tuple[str, ...]:
    found = []
    if is_open:
        width = 2.0**-rows.tables.bits
        found.append(
            f"Scores were counted in buckets that are {width:.1e} of a score wide: "
            "results that depend on them have a bound."
        )
    if left_out:
        names = ", ".join(str(metric) for metric in left_out)
        found.append(f"Not computed: {names}; a metric of pairs of columns {_TOO_MANY}.")
    return tuple(found)
