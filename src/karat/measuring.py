"""From rows to a `Report`: the one path of `evaluate` and of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from karat.curves._kept import MOST_CLASSES, Curves, CurvesLater, Keeper
from karat.engines.clustered import by_cluster_of_codes, tally_clusters
from karat.engines.decided import both_decide, checked_threshold
from karat.engines.few_rows import is_moderate, owned
from karat.engines.label_rows import LabelRows
from karat.engines.score_weights import in_units, repeated
from karat.engines.scores import ScoreTally
from karat.engines.sliced import tally_rows
from karat.engines.table_rows import TableRows, numbered
from karat.errors import error
from karat.functions import tallied
from karat.inputs.slice_codes import Key, as_slices
from karat.inputs.spread import spread_host
from karat.metrics import Metric
from karat.metrics._later import Later
from karat.metrics._lift import Policy
from karat.metrics._measure import losses_of, measure
from karat.metrics._positive import check_has_positive
from karat.report import Report
from karat.tally import Cells
from karat.uncertainty.confidence import Confidence
from karat.uncertainty.scored_intervals import ScoredIntervals, measured_with_intervals
from karat.wanted_metrics import wanted_of_scores

if TYPE_CHECKING:
    from karat.engines.files import FileTally
    from karat.engines.frames import FrameTally

__all__ = [
    "MAX_MEMORY",
    "MIN_MEMORY",
    "checked_memory",
    "counted_as_rows",
    "names_files",
    "report_of_labels",
    "report_of_scores",
    "report_of_table",
]


MAX_MEMORY: Final = 1 << 31
"""Bytes that the scores of files may take before they are put into tables."""
_TASK_MEMORY: Final = 1 << 28
MIN_MEMORY: Final = 1 << 20
_FEW: Final = 1 << 16
"""Of no more scores than this a report keeps the rows, and computes what is read of it."""
_OF_LABELS: Final = ("labels", "positive", "weights")


def checked_memory(max_memory: Any) -> int:
    """A number of bytes.

    Errors:
        K122 it is none, or fewer than rows of one batch need.
    """
    is_whole = isinstance(max_memory, Integral) and not isinstance(max_memory, bool)
    if not (is_whole and max_memory >= MIN_MEMORY):
        raise error(
            "K122", argument="max_memory", value=max_memory,
            choices=f"a whole number of bytes from {MIN_MEMORY}",
            do="It is how many bytes rows with scores may take.",
        )  # fmt: skip
    return int(max_memory)


def report_of_labels(
    y_true: Any,
    y_pred: Any,
    confusion: Any,
    clusters: Any,
    options: Mapping[str, Any],
    policy: Policy,
    wanted: tuple[Metric, ...] | None,
    confidence: Confidence | None = None,
    by: Any = None,
) -> Report:
    """The report of labels in memory, or of a confusion matrix."""
    if by is not None:
        return _sliced_labels(y_true, y_pred, clusters, options, policy, wanted, confidence, by)
    if clusters is None or confusion is not None or y_true is None or y_pred is None:
        if clusters is not None:
            raise error(
                "K120",
                found="clusters= was given without rows",
                do="Give y_true and y_pred; a confusion matrix does not say which go together.",
            )
        return Report(
            tallied(
                y_true, y_pred, confusion, options["labels"], options["positive"],
                options["weights"], options["n_threads"], True,
            ),
            policy,
            wanted,
            confidence=confidence,
        )  # fmt: skip
    cells, groups = tally_clusters(y_true, y_pred, clusters, **options)
    return Report(
        cells, policy, wanted, confidence=confidence, clusters=groups,
        is_clustered=groups is not None,
    )  # fmt: skip


def _sliced_labels(
    y_true: Any,
    y_pred: Any,
    clusters: Any,
    options: Mapping[str, Any],
    policy: Policy,
    wanted: tuple[Metric, ...] | None,
    confidence: Confidence | None,
    by: Any,
) -> Report:
    """The same, and the slices of the rows."""
    from karat.slicing import with_slices

    rows, groups = tally_rows(y_true, y_pred, clusters, **options)
    found = as_slices(by, len(rows.true))
    report = Report(
        rows.cells, policy, wanted, confidence=confidence, clusters=groups,
        is_clustered=groups is not None,
    )  # fmt: skip
    rows = rows if groups is not None else replace(rows, clusters=None)
    return with_slices(report, rows, found)


def counted_as_rows(cells: Cells) -> Cells:
    """The table where a row of weight 3 stands for three rows.

    Errors:
        K120 the weights are not whole numbers.
    """
    if cells.squares is None:
        return cells
    if (cells.counts % 1 != 0).any() or (cells.squares % 1 != 0).any():
        raise error(
            "K120",
            found="weights_are='frequency' was given with weights that are not whole numbers",
            do="Leave it out: such weights say how much a row counts.",
        )
    return replace(cells, squares=np.asarray(cells.counts, np.float64))


def report_of_scores(
    rows: ScoreTally,
    requested: Sequence[Metric] | None,
    policy: Policy,
    confidence: Confidence | None = None,
    *,
    keeps_curves: bool = True,
    **facts: Any,
) -> Report:
    """The report of rows with probabilities or scores.

    Args:
        rows: the rows.
        requested: the metrics asked for, or None for all.
        policy: what undefined values count as.
        confidence: what is asked of the intervals; None: there are none.
        keeps_curves: whether its curves will be read, where it has them.
        facts: mapping, source and warnings, where the rows came from a table.
    """
    wanted = wanted_of_scores(rows.classes, requested, is_prob=rows.is_prob)
    for metric in wanted if requested is not None else ():
        check_has_positive(metric, rows.classes, ())
    is_all = requested is None and confidence is None and rows.weights is None
    is_kept = is_all and rows.n_rows * rows.classes.k <= _FEW
    if is_kept:
        rows = owned(rows)
    needs_guess = rows.pred is None and rows.threshold is None
    rows.read(losses_of(wanted), predicted=needs_guess)
    cells = rows.cells()
    if is_kept and is_moderate(rows):
        from karat.streams.locks import OwnLock

        later = Later(rows, wanted, policy, OwnLock())
        curves = Curves(rows.classes, CurvesLater(rows.classes, later))
        return Report(
            cells,
            policy,
            measured=later,
            scores="probabilities" if rows.is_prob else "scores",
            threshold=rows.threshold,
            kept_curves=curves if rows.classes.k <= MOST_CLASSES else None,
            **facts,
        )
    # Curves are for the whole page, not for a few numbers that are asked for.
    has_curves = keeps_curves and requested is None and rows.classes.k <= MOST_CLASSES
    keeper = Keeper(rows.classes) if has_curves else None
    along = keeper.take if keeper else None
    groups, sure = None, ScoredIntervals()
    if confidence is None:
        measured = measure(rows, wanted, policy, along)
    else:
        if rows.clusters is not None:
            groups = by_cluster_of_codes(
                cells, rows.codes, rows.predicted(), rows.clusters, rows.weights
            )
        counted = repeated(rows) if confidence.weights_are == "frequency" else in_units(rows)
        # In other units a metric of the number of rows would have another value.
        is_as_given = confidence.weights_are == "frequency" or counted is rows
        measured, sure = measured_with_intervals(
            counted, wanted, policy, confidence, along=along if is_as_given else None,
            clusters=None if groups is None else counted.clusters,
            is_requested=requested is not None,
        )  # fmt: skip
        if not is_as_given:
            measured = measure(rows, wanted, policy, along)
    return Report(
        cells,
        policy,
        None if requested is None else tuple(requested),
        measured=measured,
        scores="probabilities" if rows.is_prob else "scores",
        threshold=rows.threshold,
        kept_curves=keeper.curves() if keeper else None,
        confidence=confidence,
        clusters=groups,
        is_clustered=groups is not None,
        intervals=sure.intervals,
        class_intervals=sure.class_intervals,
        draws=sure.draws,
        **facts,
    )


def names_files(value: Any) -> bool:
    """Whether it is a path, or a list of paths."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(item, str | PathLike) for item in value)
    return isinstance(value, str | PathLike)


def report_of_table(
    table: Any,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    threshold: float | None,
    nulls: str,
    wanted: Sequence[Metric] | None,
    policy: Policy,
    confidence: Confidence | None = None,
    max_memory: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    exact: bool = False,
    keeps_curves: bool = True,
    groups: Sequence[Key] = (),
    **reading: Any,
) -> Report:
    """The report of a table or of files, from labels alone or with probabilities or scores.

    Args:
        table: a table, or a source of files.
        columns: the columns named for each role, or None; ``clusters`` may be values.
        options: labels, positive, weights, n_threads.
        confidence: what is asked of the intervals; None: there are none.
        max_memory: bytes that scores of Parquet files, or of a partition, may take; more are put
            into tables. None: 2 GiB, of a partition 256 MiB.
        checkpoint: a file to resume the read of Parquet files from, and to write to.
        exact: whether scores in buckets are read again, every one of them.
        keeps_curves: whether curves of rows in memory will be read.
        groups: columns, and crosses of several, whose slices the report holds.
        reading: what only files have: where, progress, labels_are_text.
    """
    requested = None if wanted is None else tuple(wanted)
    named = dict(columns)
    if confidence is None and named.get("clusters") is None:
        # Without intervals it does not matter which rows go together.
        named["clusters"] = ""
    if threshold is not None and named["pred"]:
        raise both_decide("a column of predictions", threshold)
    if requested is not None and named["pred"] and not any(m.needs_scores for m in requested):
        # Labels alone are asked for: scores that nobody named are not read.
        named |= {role: "" for role in ("prob", "score") if named[role] is None}
    if names_files(table):
        from karat.engines.row_places import told_of_files

        with told_of_files(reading.get("where"), table):
            from karat.streams.large_files import report_of_large_files
            from karat.streams.reports import Asked

            if groups and checkpoint is not None:
                told = "The report has slices, for which the rows are kept"
                raise error("K415", option="checkpoint", found=told)
            large = None if groups else report_of_large_files(
                table, {**named, **{name: options[name] for name in _OF_LABELS}},
                Asked(requested, policy, confidence, options["n_threads"]),
                threshold=threshold, max_memory=max_memory or MAX_MEMORY, checkpoint=checkpoint,
                exact=exact,
                nulls=nulls, **reading,
            )  # fmt: skip
            if large is not None:
                return large
            found: Any = _rows_of_files(
                table, nulls=nulls, groups=groups, **named, **options, **reading
            )
            return _report_of_rows(
                found, options, threshold, requested, policy, confidence, keeps_curves
            )
    is_spread = spread_host(table) is not None
    if checkpoint is not None or (exact and is_spread):
        option = "exact" if checkpoint is None else "checkpoint"
        where = "partitions" if is_spread else "a table in memory"
        raise error("K415", option=option, found=f"The rows are in {where}")
    if is_spread:
        if groups:
            do = "Collect the columns that are needed first, or write them to Parquet files."
            raise error("K181", found="by= was given with rows in partitions", do=do)
        from karat.streams.spread_frames import report_of_spread

        return report_of_spread(
            table, named, options, threshold=threshold, nulls=nulls, wanted=requested,
            policy=policy, confidence=confidence, max_memory=max_memory or _TASK_MEMORY,
        )  # fmt: skip
    found = _rows_of_frame(table, nulls=nulls, groups=groups, **named, **options, **reading)
    return _report_of_rows(found, options, threshold, requested, policy, confidence, keeps_curves)


def _report_of_rows(
    found: TableRows | LabelRows | FileTally | FrameTally,
    options: Mapping[str, Any],
    threshold: float | None,
    requested: tuple[Metric, ...] | None,
    policy: Policy,
    confidence: Confidence | None,
    keeps_curves: bool,
) -> Report:
    facts: dict[str, Any] = {
        "mapping": found.mapping,
        "source": found.source,
        "warnings": found.warnings,
    }
    if not isinstance(found, TableRows):
        if threshold is not None:
            raise error("K136", threshold=threshold, found="There are no probabilities or scores")
        groups = found.by_cluster() if isinstance(found, LabelRows) else None
        report = Report(
            found.cells,
            policy,
            requested,
            confidence=confidence,
            clusters=groups,
            is_clustered=groups is not None,
            **facts,
        )
        if isinstance(found, LabelRows) and found.by:
            from karat.slicing import with_slices_of_labels

            return with_slices_of_labels(report, found, found.by)
        return report
    rows = ScoreTally(
        found.classes,
        found.true,
        found.scores,
        found.weights,
        found.pred if threshold is None else None,
        checked_threshold(threshold, found.classes),
        options["n_threads"] or 0,
        found.weights_argument,
        None if found.clusters is None else found.clusters.codes.astype(np.int64),
    )
    if threshold is not None:
        # Found by its name, and not read: the threshold decides.
        facts["mapping"] = {**found.mapping, "pred": None}
    with numbered(found.kept):
        report = report_of_scores(
            rows, requested, policy, confidence, keeps_curves=keeps_curves, **facts
        )
    if not found.by:
        return report
    from karat.slicing import with_slices_of_scores

    return with_slices_of_scores(
        report, rows, found.by, requested, policy, confidence, is_owned=True
    )


def _rows_of_files(source: Any, **options: Any) -> TableRows | LabelRows | FileTally:
    from karat.engines.file_rows import rows_of_files

    return rows_of_files(source, **options)


def _rows_of_frame(table: Any, **options: Any) -> TableRows | LabelRows | FrameTally:
    from karat.engines.frame_rows import rows_of_frame

    return rows_of_frame(table, **options)
