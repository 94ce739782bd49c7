"""`evaluate`: from data, wherever it lives, to a report, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, get_args

from karat.class_names import display_names
from karat.engines.devices.tensors import Arrived, arrived
from karat.engines.scores import tally_scores
from karat.errors import error, shown
from karat.errors.habits import names_its_arguments
from karat.functions import check_policy, plain_text
from karat.inputs.clusters import as_clusters
from karat.inputs.flags import check_flag
from karat.inputs.frames import is_frame
from karat.inputs.slice_codes import as_slices, named_columns
from karat.inputs.spread import spread_host
from karat.inputs.threads import check_threads
from karat.measuring import (
    MAX_MEMORY,
    checked_memory,
    counted_as_rows,
    names_files,
    report_of_labels,
    report_of_scores,
    report_of_table,
)
from karat.metrics import Metric
from karat.plan import requested
from karat.report import Report
from karat.slicing import with_slices_of_scores
from karat.table_arguments import column_name, given_alone, of_table, score_columns
from karat.tally import Cells, Label
from karat.uncertainty.confidence import Confidence, WeightKind
from karat.wanted_metrics import refuse_missing

__all__ = ["display_names", "evaluate"]


@names_its_arguments
def evaluate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    confusion: Any = None,
    true: str | int | None = None,
    pred: str | int | None = None,
    prob: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    weights: Any = None,
    labels: Sequence[Label] | None = None,
    class_names: Sequence[str] | Mapping[Label, str] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    clusters: Any = None,
    by: Any = None,
    level: float | None = 0.95,
    method: str | None = None,
    side: str = "both",
    design: str = "cohort",
    weights_are: str = "importance",
    seed: int = 0,
    n_replicates: int = 1000,
    undefined: str = "zero",
    nulls: str = "error",
    n_threads: int | None = None,
    max_memory: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    exact: bool = False,
) -> Report:
    """Every quality metric of a classifier's predictions, each with its interval, in one pass.

    Args:
        y_true: true labels, [n]; or a table (pandas, Polars, Arrow, DuckDB, dict of columns), also
            one in partitions (Spark, Dask), which is read where its rows are; or files (a path,
            a glob, a folder, several of them, or a SQL query).
        y_pred: predicted labels, [n]; not with a table or files. With y_prob or y_score: the
            predictions, where they are not those of the largest probability.
        y_prob: probabilities, float[n, k] with columns in the order of the classes, or float[n] of
            the positive class of two. Never clipped, never renormalised.
        y_score: any finite scores instead, of the same shapes; losses and calibration see their
            softmax, rankings see them as they are.
        confusion: number[k, k], rows true, columns predicted; instead of rows.
        true, pred: columns of the table or files; found by their names when not given.
        prob, score: columns of probabilities or scores: names in the order of the classes, one
            name (a list column, or P(positive)), or a pattern as ``"proba_*"``.
        weights: float[n], or the name of a column: importance of each row, at least 0.
        labels: the classes in order; one that never occurs keeps its row.
            Default: the sorted union of true and predicted labels.
        class_names: display names, one a class in order, or a dict from label to name;
            no two alike.
        positive: the positive class of two; default: the last.
        threshold: predict the positive class of two from this probability (or score) on; default:
            the class of the largest.
        metrics: names to compute, or one name; default: all.
        clusters: one name or number a row, or the name of a column: rows of a cluster (a patient,
            a user) are not independent, and intervals take them together.
        by: what slices of the rows are told apart by, in `Report.slices`: one value a row, or a
            dict from name to such values; of a table or files the name of a column, a tuple of
            names for their cross, or a list of both. Rows without a value are a slice; numbers of
            many different values are put into five bins. See docs/slices.md.
        level: the share of such intervals that hold the true value; None for no intervals.
        method: of all intervals: ``"wald"``, ``"logit"``, ``"bootstrap"``, ``"bca"`` or
            ``"bayesian"``; default: the best known for each metric, see docs/intervals.md.
        side: ``"both"`` limits, or only the ``"low"`` or the ``"high"`` one.
        design: ``"cohort"``: rows were drawn; ``"case-control"``: so many rows of each true class
            were chosen.
        weights_are: ``"importance"``: rows count differently; ``"frequency"``: a row of weight 3
            stands for three rows.
        seed, n_replicates: of methods that draw.
        undefined: what an undefined class counts as in an average: ``"zero"`` (0 where
            scikit-learn says 0), ``"exclude"``, or ``"nan"``.
        nulls: ``"error"``, or ``"drop"`` to leave out rows of a table or of files whose truth or
            prediction is null; the report says how many.
        n_threads: threads of the count; None means KARAT_NUM_THREADS, else all cores.
            The report does not depend on it.
        max_memory: bytes that scores of Parquet files, of a partition of a frame or of tensors on a
            device may take: of more, distinct ones are counted, or buckets of them; results then
            say ``exact`` or a ``bound``. Default: 2 GiB, of a partition 256 MiB.
        checkpoint: a file in which a read of Parquet files tells how far it is: goes on from there.
        exact: whether files whose scores were put into buckets are read again: every number is
            exact then, with 16 + 16k bytes of disk for a distinct score of each column. Not of a
            table in partitions.

    Returns:
        A `Report`: ``report["macro_f1"]``, ``report.per_class``, ``report.confusion``, ``print``.

    Errors:
        K1xx the labels, weights or options cannot be used (argument, first row, count);
        K3xx a metric name or parameter is wrong; K4xx a file or column cannot be read.

    Cost: one pass; arrays of integers are not copied; files need memory for one batch.

    Example:
        >>> import karat
        >>> report = karat.evaluate(["cat", "dog", "dog"], ["cat", "cat", "dog"])
        >>> report["accuracy"].value == 2 / 3
        True
        >>> report.macro_f1.name
        'macro_f1'
    """
    wanted = None if metrics is None else tuple(requested(metrics))
    policy = check_policy(undefined)
    if plain_text(nulls) not in ("error", "drop"):
        raise error(
            "K122", argument="nulls", value=nulls, choices="'error', 'drop'",
            do="'drop' leaves the rows out and reports how many.",
        )  # fmt: skip
    confidence = Confidence.of(level, side, method, design, seed, n_replicates)
    is_frequency = are_numbers_of_rows(weights_are)
    if confidence is not None and is_frequency:
        confidence = replace(confidence, weights_are="frequency")
    check_threads(n_threads)
    if max_memory is not None:
        max_memory = checked_memory(max_memory)
    true, pred = column_name("true", true), column_name("pred", pred)
    has_scores = y_prob is not None or y_score is not None
    if names_files(y_true):
        y_true = _plain_source(y_true)
    is_table = confusion is None and _is_table(y_true, y_pred, true, pred, has_scores)
    columns: dict[str, Any] = {
        "true": true,
        "pred": pred,
        "prob": score_columns("prob", prob),
        "score": score_columns("score", score),
    }
    check_flag("exact", exact, "True reads files a second time.")
    _check_sources(is_table, columns, y_prob, y_score, confusion, (weights, clusters), nulls)
    options = {
        "labels": labels,
        "positive": positive,
        "weights": weights,
        "n_threads": n_threads,
    }
    is_alone = clusters is None and by is None and confusion is None
    if not (is_table or (exact and has_scores)) and is_alone:
        found = _on_device(
            arrived(y_true, y_pred, y_prob, y_score, weights), labels=labels,
            class_names=class_names, positive=positive, threshold=threshold, metrics=metrics,
            level=level, method=method, side=side, design=design, weights_are=weights_are,
            seed=seed, n_replicates=n_replicates, undefined=undefined, n_threads=n_threads,
            max_memory=max_memory or MAX_MEMORY,
        )  # fmt: skip
        if found is not None:
            return found
    if is_table:
        is_spread = spread_host(y_true) is not None
        where = "files" if names_files(y_true) else "partitions" if is_spread else None
        options["weights"] = of_table("weights", weights, where)
        columns["clusters"] = of_table("clusters", clusters, where)
        report = report_of_table(
            y_true, columns, options, threshold=threshold, nulls=str(plain_text(nulls)),
            wanted=wanted, policy=policy, confidence=confidence,
            max_memory=max_memory, checkpoint=checkpoint, exact=exact,
            groups=() if by is None else named_columns(by),
        )  # fmt: skip
    elif checkpoint is not None:
        raise error("K415", option="checkpoint", found="The rows are in memory")
    elif has_scores:
        from karat.scored_functions import given_scores

        if y_true is None:
            raise error("K120", found="y_true was not given", do="Give y_true and y_prob=.")
        rows = tally_scores(
            y_true, given_scores(y_prob, y_score), y_pred=y_pred, threshold=threshold, **options
        )
        if clusters is not None:
            rows.clusters = as_clusters(clusters, rows.n_rows)
        report = report_of_scores(rows, wanted, policy, confidence=confidence)
        if by is not None:
            report = with_slices_of_scores(
                report, rows, as_slices(by, rows.n_rows), wanted, policy, confidence,
                is_owned=False,
            )  # fmt: skip
    else:
        if threshold is not None:
            raise error("K136", threshold=threshold, found="There are no probabilities or scores")
        if y_true is not None and y_pred is None and confusion is None:
            raise given_alone(y_true)
        if by is not None and (confusion is not None or y_true is None):
            raise error(
                "K181", found="by= was given without rows",
                do="Give y_true and y_pred; a confusion matrix does not say which rows it counts.",
            )  # fmt: skip
        report = report_of_labels(
            y_true, y_pred, confusion, clusters, options, policy, wanted, confidence, by
        )
    if is_frequency:
        report = _changed(report, counted_as_rows)
    if class_names is not None or report.classes.names is not None:
        classes = report.classes.named(display_names(class_names, report.classes))
        report = _changed(report, lambda cells: cells.with_classes(classes))
    if wanted is not None:
        # A metric that these classes do not have is an error here, not when the report is printed.
        refuse_missing(report, wanted)
    return report


def _changed(report: Report, change: Callable[[Cells], Cells]) -> Report:
    """The same report with another table, and its slices with it."""
    whole = replace(report, cells=change(report.cells), kept_slices=None)
    slices = report.kept_slices
    return whole if slices is None else replace(whole, kept_slices=slices.changed(change, whole))


def _on_device(rows: Arrived | None, **settings: Any) -> Report | None:
    """The report of rows on a device; None without any, and where the host must read them."""
    if rows is None:
        return None
    from karat.streams.stream import report_on_device

    return report_on_device(rows, **settings)


def are_numbers_of_rows(weights_are: Any) -> bool:
    """Whether a weight is a number of rows.

    Errors:
        K122 it is neither "importance" nor "frequency".
    """
    kind = plain_text(weights_are)
    if kind not in get_args(WeightKind):
        raise error(
            "K122", argument="weights_are", value=weights_are, choices=shown(get_args(WeightKind)),
            do="'frequency' says that a row of weight 3 stands for three rows.",
        )  # fmt: skip
    return kind == "frequency"


def _check_sources(
    is_table: bool,
    columns: Mapping[str, Any],
    y_prob: Any,
    y_score: Any,
    confusion: Any,
    of_rows: Iterable[Any],
    nulls: str,
) -> None:
    """Refuse arguments of one kind of source beside another.

    Errors:
        K120.
    """
    arrays = [
        name for name, value in (("y_prob", y_prob), ("y_score", y_score)) if value is not None
    ]
    if arrays and (is_table or confusion is not None):
        other = "a table" if is_table else "confusion="
        raise error(
            "K120",
            found=f"{arrays[0]} was given with {other}",
            do="Name the columns of a table: prob= or score=; a confusion matrix has no scores.",
        )
    if is_table:
        return
    is_named = any(isinstance(item, str) for item in of_rows)
    if any(item is not None for item in columns.values()) or is_named:
        names = "true=, pred=, prob=, weights=, clusters="
        raise error(
            "K120",
            found=f"Column names were given ({names}) without a table",
            do="Give the table or its files first: karat.evaluate(frame, true=..., pred=...).",
        )
    if plain_text(nulls) != "error":
        raise error(
            "K120",
            found="nulls='drop' was given with arrays",
            do="Remove the rows from every array first, or give a table with named columns.",
        )


def _is_table(
    first: Any, y_pred: Any, true: str | None, pred: str | None, has_scores: bool
) -> bool:
    """Whether the first argument is a table or names files, rather than a column of labels."""
    if first is None or y_pred is not None:
        return False
    if true is not None or pred is not None or is_frame(first):
        return True
    # Strings in a list beside scores are labels, as they are beside y_pred.
    return names_files(first) and not (has_scores and isinstance(first, list | tuple))


def _plain_source(source: Any) -> Any:
    if isinstance(source, list | tuple):
        return [_plain_source(item) for item in source]
    return plain_text(source) if isinstance(source, str) else source
