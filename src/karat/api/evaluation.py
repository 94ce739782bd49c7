"""`evaluate`: computes a report from data of any source: source → rows → tallies → results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from inspect import signature
from os import PathLike
from typing import Any, Final, cast

from karat.api.arguments import (
    MAX_MEMORY,
    are_numbers_of_rows,
    checked_memory,
    column_name,
    confidence_of,
    dressed,
    given_alone,
    ids_of_table,
    naming_judges,
    of_one_label,
    of_table,
    refuse_missing,
    score_columns,
    without_judge,
)
from karat.api.doubts import check_found_scores, with_order_of_columns
from karat.api.functions import tallied
from karat.api.measuring import Spec, report_of
from karat.api.options import check_policy, one_of, plain_text, refuse_threshold
from karat.api.results import Report
from karat.api.score_functions import given_scores
from karat.api.sets import refuse_on_sets
from karat.api.sources import (
    check_sources,
    column_of_folds,
    is_table_given,
    plain_source,
    with_ids_of_repeats,
)
from karat.data.accumulator import Batch, Origin, Source, Tallies, accumulate
from karat.data.arguments import check_flag, check_threads
from karat.data.checks import doubts_of_order
from karat.data.label_doubts import doubts_of_batches
from karat.data.labels.align import classes_of
from karat.data.labels.separated import checked_separator
from karat.data.listing import checked_ids, limit_of_rows
from karat.data.rows import Counted, Rows
from karat.data.scores.classes import both_decide, checked_threshold
from karat.data.scores.columns import UNLESS_PREDICTED
from karat.data.scores.storage import ScoreParts
from karat.data.slices.codes import Key, named_columns
from karat.data.sources.arrays.rows import label_rows, score_rows
from karat.data.sources.arrays.sets import fits_columns, hold_sets, set_rows, with_ids
from karat.data.sources.distributed.frames import distributed_host, pieces_of
from karat.data.sources.files.paths import names_files
from karat.data.sources.logged import logged
from karat.data.sources.tables.frames import is_frame
from karat.data.sources.tables.values import doubts_of_values
from karat.data.sources.torch.tensors import DeviceArrays, device_arrays
from karat.errors import error
from karat.errors.habits import names_its_arguments
from karat.errors.options import option
from karat.metrics import Metric
from karat.metrics.plan import requested
from karat.results.sets import SetReport
from karat.tally import Label, reorder

_TASK_MEMORY: Final = 1 << 28
_OF_LABELS: Final = ("labels", "positive", "weights")


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
    folds: Any = None,
    ids: Any = None,
    keep_rows: int | None = None,
    separator: str | None = None,
    level: float | None = 0.95,
    method: str | None = None,
    side: str = "both",
    design: str = "cohort",
    weights_are: str = "importance",
    seed: int = 0,
    n_replicates: int = 1000,
    anytime: int | bool | None = None,
    undefined: str = "zero",
    nulls: str = "error",
    n_threads: int | None = None,
    max_memory: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    exact: bool = False,
    gold: Any = None,
    judge: Any = None,
    gold_weights: Any = None,
    gold_is_random: bool = False,
) -> Report:
    """Compute every quality metric of a classifier's predictions, with intervals, in one pass.

    Args:
        y_true: true labels, [n]; sets of labels (an indicator matrix [n, k], lists or sets), for a
            `MultilabelReport`; or a table (pandas, Polars, Arrow, DuckDB, dict of columns); or a
            partitioned table (Spark, Dask), which is read in place; or files (a path, a glob, a
            folder, several of them, or a SQL query).
        y_pred: predicted labels, [n]; not with a table or files. With y_prob or y_score: the
            predictions, if they differ from the class of the largest probability.
        y_prob: probabilities, float[n, k] with columns in the order of the classes, or float[n] of
            the positive class of two. They are never clipped or renormalized.
        y_score: any finite scores instead, of the same shapes; losses and calibration use their
            softmax, ranking metrics the scores as given.
        confusion: number[k, k], rows true, columns predicted; instead of rows.
        true, pred: columns of the table or files; default: detected by name. Sets of labels are
            columns of lists, text with `separator`, or patterns such as ``"true_*"`` and
            ``"pred_*"`` for columns of one label each.
        prob, score: columns of probabilities or scores: names in the order of the classes, one name
            (a list column, or P(positive)), or a pattern such as ``"proba_*"``.
        weights: float[n], or the name of a column: importance of each row, at least 0.
        labels: the classes in order, including those that never occur. Default: the sorted union of
            true and predicted labels.
        class_names: display names, one for each class in order, or a dict from label to name; they
            must be distinct.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        threshold: predict the positive class of two if its probability (or score) is at least this;
            default: predict the class of the largest.
        metrics: names of the metrics to compute, or one name; default and ``"all"``: all.
        clusters: one name or number for each row, or the name of a column: rows of a cluster (a
            patient, a user) are not independent, and intervals account for it.
        by: grouping of the rows for `Report.slices`: one value for each row, or a dict from name to
            such values; for a table or files, the name of a column, a tuple of names for their
            cross, or a list of both. Rows without a value form a slice; numbers with many distinct
            values are put into five bins. See docs/slices.md.
        folds: fold of cross-validation that tested each row, for `Report.folds`: one value for each
            row; with repeats a dict, or a table, of ``"repeat"`` and ``"fold"``, and ids; for a
            table or files the name of the column, or ``"auto"``. See docs/folds.md.
        ids: one id for each row, [n], or the name of a column of unique ids in a table or in files;
            default: detected by name; ``""`` for none. Several files with the same ids are taken
            for several models (K193); a warning reports repeated ids.
        keep_rows: number of rows to keep of each cell of the confusion matrix, bin of probabilities
            and slice, the most wrong ones: `Report.rows` and the page list them. Default: 20 if
            `ids` is given, else 0. Without ids, rows have their numbers in the source, from 0.
        separator: separator of several labels in a text: ``"|"`` for ``"sea|sky"``. Spaces around
            labels are stripped, a blank text is the empty set, and a backslash escapes the
            separator. Default: a text is one label.
        level: confidence level of the intervals; None for no intervals.
        method: method of all intervals: ``"wald"``, ``"logit"``, ``"bootstrap"``, ``"bca"`` or
            ``"bayesian"``; default: the recommended one for each metric, see docs/intervals.md.
        side: ``"both"`` limits, or only the ``"low"`` or the ``"high"`` limit.
        design: ``"cohort"``: rows were sampled; ``"case-control"``: the number of rows of each true
            class was fixed.
        weights_are: ``"importance"``: rows have different importance; ``"frequency"``: a row of
            weight 3 stands for three rows.
        seed, n_replicates: seed and number of replicates, for methods that resample.
        anytime: planned number of rows, or of clusters: intervals hold at every look at rows that
            keep coming, and are narrowest there; True is 10 000. See docs/monitoring.md.
        undefined: value of an undefined class in an average: ``"zero"`` (0 where scikit-learn uses
            0), ``"exclude"``, or ``"nan"``.
        nulls: ``"error"``, or ``"drop"`` to leave out rows of a table or of files whose truth or
            prediction is null; the report states their number.
        n_threads: number of threads; None means KARAT_NUM_THREADS, else all cores. It does not
            affect the report.
        max_memory: memory limit in bytes for rows of files, of a partition of a frame or of tensors
            on a device. Above it, distinct scores are counted, or buckets of them; results then
            have ``exact`` or a ``bound``. Default: 2 GiB, or 256 MiB for a partition.
        checkpoint: a file that records the progress of reading Parquet files; an interrupted read
            resumes from it.
        exact: whether to read files with bucketed scores again, so that every number is exact. It
            takes 16 + 16k bytes of disk for each distinct score of each column. Not for partitioned
            tables.
        gold, judge: labels of people, missing (None, NaN, blank) where there is none, and a judge's
            label for every row; or columns of a table. They give a `JudgedReport`, see
            docs/judge.md.
        gold_weights: float[n], or a column: inverse of the probability that a row was chosen.
        gold_is_random: states that the rows with gold labels are a random part of all.

    Returns:
        A `Report`: ``report["macro_f1"]``, ``report.per_class``, ``report.confusion``, ``print``.
        For sets of labels, a `MultilabelReport`, with ``transfers`` instead of a confusion matrix;
        with a judge a `JudgedReport`.

    Errors:
        K1xx the labels, weights or options cannot be used (argument, first row, count); K3xx a
        metric name or parameter is invalid; K4xx a file or column cannot be read.

    Cost: one pass; arrays of integers are not copied; files take memory for one batch.

    Example:
        >>> import karat
        >>> report = karat.evaluate(["cat", "dog", "dog"], ["cat", "cat", "dog"])
        >>> report["accuracy"].value == 2 / 3
        True
        >>> report.macro_f1.name
        'macro_f1'
    """
    given = locals()
    if gold is not None or judge is not None:
        from karat.api.judging import evaluate_judged

        return cast("Report", evaluate_judged(given))
    return _run(is_dry=False, **without_judge(given))


def dry_run(reading: Mapping[str, Any] | None = None, **given: Any) -> Report:
    """Run `evaluate` with these arguments up to the tallies, without computing metrics.

    Args:
        reading: options of files that only the command line has, as in `report_of_table`.

    Returns:
        A report with the classes, the mapping, the counts of labels and the warnings about them.
    """
    parameters = signature(evaluate).parameters.values()
    defaults = without_judge({each.name: each.default for each in parameters})
    return _run(is_dry=True, reading=reading, **{**defaults, **given, "level": None})


def _run(
    *,
    is_dry: bool,
    y_true: Any,
    y_pred: Any,
    y_prob: Any,
    y_score: Any,
    confusion: Any,
    true: str | int | None,
    pred: str | int | None,
    prob: str | Sequence[str] | None,
    score: str | Sequence[str] | None,
    weights: Any,
    labels: Sequence[Label] | None,
    class_names: Sequence[str] | Mapping[Label, str] | None,
    positive: Label | None,
    threshold: float | None,
    metrics: str | Metric | Iterable[str | Metric] | None,
    clusters: Any,
    by: Any,
    folds: Any,
    ids: Any,
    keep_rows: int | None,
    separator: str | None,
    level: float | None,
    method: str | None,
    side: str,
    design: str,
    weights_are: str,
    seed: int,
    n_replicates: int,
    anytime: int | bool | None,
    undefined: str,
    nulls: str,
    n_threads: int | None,
    max_memory: int | None,
    checkpoint: str | PathLike[str] | None,
    exact: bool,
    reading: Mapping[str, Any] | None = None,
) -> Report:
    if isinstance(metrics, str) and metrics == "all":
        metrics = None
    wanted = None if metrics is None else tuple(requested(metrics))
    policy = check_policy(undefined)
    do = "'drop' leaves the rows out and reports how many."
    nulls = one_of("nulls", nulls, ("error", "drop"), do)
    asked = (level, side, method, design, seed, n_replicates, anytime)
    confidence = confidence_of(weights_are, *asked)
    is_frequency = are_numbers_of_rows(weights_are)
    check_threads(n_threads)
    if max_memory is not None:
        max_memory = checked_memory(max_memory)
    true, pred = column_name("true", true), column_name("pred", pred)
    has_scores = y_prob is not None or y_score is not None
    if names_files(y_true):
        y_true = plain_source(y_true)
    is_table = confusion is None and is_table_given(y_true, y_pred, true, pred, has_scores)
    if is_table and true is None and pred is None and has_scores:
        # An indicator with its scores, as with an indicator of predictions.
        is_table = not fits_columns(y_true, y_score if y_prob is None else y_prob)
    if isinstance(y_pred, str) and (is_frame(y_true) or names_files(y_true)):
        do = f"Name its columns: true=…, pred={plain_text(y_pred)!r}."
        raise error("K142", argument="y_pred", do=do)
    columns: dict[str, Any] = {"true": true, "pred": pred}
    columns |= {"prob": score_columns("prob", prob), "score": score_columns("score", score)}
    check_flag("exact", exact, "True reads files a second time.")
    scores = {"y_prob": y_prob, "y_score": y_score}
    of_rows = {"weights": weights, "clusters": clusters, "ids": ids}
    check_sources(is_table, columns, scores, confusion, of_rows, nulls)
    limit = limit_of_rows(keep_rows, ids)
    limit = 0 if is_dry or confusion is not None else limit
    spec = Spec(
        wanted,
        policy,
        confidence,
        n_threads,
        threshold,
        is_dry=is_dry,
        class_names=class_names,
        keep_rows=limit,
    )
    options: dict[str, Any] = {"labels": labels, "positive": positive, "weights": weights}
    separator = checked_separator(separator)
    of_one_class: dict[str, Any] = {"checkpoint": checkpoint, "folds": folds}
    of_one_class |= of_one_label(confidence)
    of_one_class["design"] = None if design == "cohort" else design
    has_rows = not is_table and confusion is None
    if has_rows and (separator is not None or hold_sets(y_true, y_pred)):
        refuse_on_sets(of_one_class)
        sets = set_rows(
            y_true,
            y_pred,
            **scores,
            threshold=threshold,
            separator=separator,
            clusters=clusters,
            by=by,
            is_frequency=is_frequency,
            **options,
        )
        noted = [*doubts_of_order(y_true, "y_true", y_pred=y_pred, **scores, **of_rows, by=by)]
        noted += doubts_of_batches(y_true, y_pred)
        if ids is not None and limit:
            sets = with_ids(sets, ids)
            noted += doubts_of_values(ids)
        found = accumulate(sets, ScoreParts(max_memory or MAX_MEMORY))
        return report_of(replace(found, origin=Origin(warnings=tuple(noted))), spec)
    if is_table:
        where = "files" if names_files(y_true) else pieces_of(y_true)
        options["weights"] = of_table("weights", weights, where)
        columns["clusters"] = of_table("clusters", clusters, where)
        columns |= {"unique": ids_of_table(ids, where), "separator": separator}
        columns["folds"] = column_of_folds(folds)
        report = report_of_table(
            y_true,
            columns,
            options,
            spec,
            nulls=nulls,
            max_memory=max_memory,
            checkpoint=checkpoint,
            exact=exact,
            groups=() if by is None else named_columns(by),
            is_frequency=is_frequency,
            always_keeps=bool(keep_rows) and not is_dry,
            **(reading or {}),
        )
        # No subclass is both, and no type checker can tell which one it is.
        if isinstance(cast("object", report), SetReport):
            refuse_on_sets(of_one_class)
            return report
    else:
        tensors = None
        clusters, has_ids = with_ids_of_repeats(folds, clusters, ids)
        is_split = clusters is not None or by is not None or folds is not None
        is_plain = not is_split and confusion is None and not limit
        if is_plain and not (exact and has_scores):
            tensors = device_arrays(y_true, y_pred, y_prob, y_score, weights)
        empty = spec.empty(max_memory or MAX_MEMORY, is_frequency=is_frequency)
        source = None if tensors is None else _tensors(tensors, options, spec, empty)
        if source is None:
            if checkpoint is not None:
                raise error("K415", option=option("checkpoint"), found="The rows are in memory")
            given = (y_true, y_pred, y_prob, y_score, confusion)
            source = _batch_of_arrays(given, options, clusters, by, folds, spec)
            if has_ids and isinstance(source, Rows) and source.folds is not None:
                source = replace(source, folds=replace(source.folds, ids="ids"))
        if limit and ids is not None and isinstance(source, Rows):
            source = replace(source, id_values=checked_ids(ids, source.n))
            if not has_ids:
                source = source.warned(*doubts_of_values(ids))
            source = source.warned(*doubts_of_order(y_true, "y_true", ids=ids))
        report = report_of(accumulate(source, empty, n_threads=n_threads), spec)
    report = dressed(report, class_names, is_frequency=is_frequency)
    if wanted is not None and not is_dry:
        # A metric that these classes do not have is an error here, not when the report is printed.
        refuse_missing(report, wanted)
    return report


def _batch_of_arrays(
    given: tuple[Any, ...],
    options: Mapping[str, Any],
    clusters: Any,
    by: Any,
    folds: Any,
    spec: Spec,
) -> Batch:
    """Return arguments in memory as one batch: rows with scores, labels, or a confusion matrix."""
    y_true, y_pred, y_prob, y_score, confusion = given
    options = {**options, "n_threads": spec.n_threads}
    if y_prob is not None or y_score is not None:
        if y_true is None:
            raise error("K127", others="y_prob=")
        return score_rows(
            y_true,
            given_scores(y_prob, y_score),
            y_pred=y_pred,
            clusters=clusters,
            by=by,
            folds=folds,
            threshold=spec.threshold,
            **options,
        )
    refuse_threshold(spec.threshold)
    if y_true is not None and y_pred is None and confusion is None:
        raise given_alone(y_true)
    if by is not None and (confusion is not None or y_true is None):
        raise error(
            "K181",
            found="by= was given without rows",
            do="Give y_true and y_pred; a confusion matrix does not say which rows it counts.",
        )
    has_rows = confusion is None and y_true is not None
    if folds is not None and not has_rows:
        do = "Give y_true and y_pred; a confusion matrix does not say which rows it counts."
        raise error("K250", found="folds= was given without rows", do=do)
    if has_rows and not (clusters is None and by is None and folds is None and not spec.keep_rows):
        return label_rows(y_true, y_pred, clusters, by, folds=folds, **options)
    if clusters is not None:
        if confusion is None:
            raise error("K127", others="y_pred")
        do = "Give y_true and y_pred; a confusion matrix does not say which rows go together."
        raise error("K141", argument="clusters=", found="clusters= was given without rows", do=do)
    doubts = doubts_of_order(y_true, "y_true", y_pred=y_pred, weights=options["weights"])
    counted = tallied(y_true, y_pred, confusion, **options)
    return Counted(counted, warnings=tuple(doubts))


def _tensors(
    rows: DeviceArrays, options: Mapping[str, Any], spec: Spec, empty: ScoreParts
) -> Batch | None:
    """Tally rows on a device; None where the host must read them."""
    from karat.api.streams.devices import StreamDevices
    from karat.api.streams.settings import declared_classes

    if rows.scores is None and (rows.pred is None or spec.threshold is not None):
        return None
    given = (options["labels"], options["positive"], spec.threshold)
    labels, positive, threshold = declared_classes(*given)
    empty = replace(empty, threshold=threshold, positive=positive)
    devices = StreamDevices(empty, labels)
    if not devices.add(rows, None, is_part=False):
        return None
    cells, scores = devices.landed(is_in_histograms=False) if devices.n_rows else (None, None)
    if cells is not None and positive is not None and labels is None:
        cells = reorder(cells, classes_of(cells.classes.labels, positive))
    return Tallies(cells, scores)


def report_of_table(
    table: Any,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    spec: Spec,
    *,
    nulls: str = "error",
    max_memory: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    exact: bool = False,
    groups: Sequence[Key] = (),
    is_frequency: bool = False,
    always_keeps: bool = False,
    then: Callable[[Any, Report], None] | None = None,
    **reading: Any,
) -> Report:
    """Return the report of a table or of files, from labels alone or with probabilities or scores.

    Args:
        columns: the named column of each role, or None; ``clusters`` may be values.
        options: labels, positive, weights.
        nulls, max_memory, checkpoint, exact: as in `evaluate`.
        groups: columns, and crosses of several, to slice the report by.
        is_frequency: whether a row of weight 3 stands for three rows.
        always_keeps: whether rows are listed also where that takes a slower read of large files.
        then: called with the source, which can still be read, and the report.
        reading: options of files: where, progress, labels_are_text.
    """
    named = dict(columns)
    limit, ids = spec.keep_rows, None
    if not isinstance(named.get("unique"), str | None):
        # Ids of rows in memory leave no column of that role.
        named["unique"], ids = "", named["unique"]
    if spec.confidence is None and not spec.is_dry and named.get("clusters") is None:
        # Without intervals, clusters do not matter.
        named["clusters"] = ""
    if spec.threshold is not None and named["pred"]:
        raise both_decide("a column of predictions", spec.threshold)
    is_of_labels = spec.wanted is not None and not any(m.needs_scores for m in spec.wanted)
    is_chosen = spec.threshold is not None or named["prob"] or named["score"]
    if is_of_labels and (named["pred"] or not is_chosen):
        # Scores detected by name are read only if they are needed for predictions.
        named |= {r: UNLESS_PREDICTED for r in ("prob", "score") if named[r] is None}
    named |= {name: options[name] for name in _OF_LABELS} | {"threshold": spec.threshold}
    of_read: dict[str, Any] = {"is_frequency": is_frequency, "keeps_all": checkpoint is not None}
    empty = spec.empty(max_memory or MAX_MEMORY, **of_read)
    bar = reading.pop("progress", None) or logged()
    reading = {"nulls": nulls, **reading}
    lists_rows = bool(limit) or then is not None
    of_all: dict[str, Any] = {"groups": groups, "n_threads": spec.n_threads}
    of_request = {**of_all, "is_frequency": is_frequency, "lists_rows": lists_rows}
    pieces = None if names_files(table) else pieces_of(table)
    progress = units = None
    source: Source | Batch
    with ExitStack() as cleanup:
        cleanup.enter_context(naming_judges(table))
        if names_files(table):
            from karat.data.sources.columns import TableRequest
            from karat.data.sources.files.counted import errors_of_files
            from karat.data.sources.files.large import ReadingUnits, large_files
            from karat.data.sources.files.rows import FileStream, read_files

            cleanup.enter_context(errors_of_files(reading.get("where"), table))
            memory: dict[str, Any] = {"max_memory": empty.max_memory, "checkpoint": checkpoint}
            if always_keeps and checkpoint is not None:
                do = "Leave out keep_rows=, or checkpoint=: progress does not hold rows."
                raise error("K236", found="checkpoint= was given", do=do)
            if not always_keeps:
                units = large_files(table, named, **memory, **of_all, **reading)
            if units is None:
                open_files = cleanup.enter_context(ExitStack())
                request = TableRequest(progress=bar, **of_request, **named, **reading)
                source = read_files(table, request, open_files, empty.max_memory)
                if isinstance(source, Rows | Counted):
                    open_files.close()
                elif isinstance(source, FileStream):
                    at = checked_threshold(spec.threshold, source.classes, is_prob=source.is_prob)
                    empty = replace(empty, threshold=at)
                    source = replace(source, is_of_labels=is_of_labels, threshold=at)
            else:
                # The classes of the units determine the positive class.
                is_prob = isinstance(units.digest, Rows) and units.digest.is_prob
                at = checked_threshold(spec.threshold, units.classes, is_prob=is_prob)
                empty = replace(empty, threshold=at)
                if is_of_labels and checkpoint is None:
                    units = replace(units, is_of_labels=True, threshold=empty.threshold)
                others = ("unique", "separator", "threshold", "folds")
                settings = {name: x for name, x in named.items() if name not in others} | reading
                progress = ReadingUnits.of(units, empty, bar, checkpoint, settings)
                source = units
        elif checkpoint is not None or (exact and pieces):
            name = "exact" if checkpoint is None else "checkpoint"
            where = pieces or "a table in memory"
            raise error("K415", option=option(name), found=f"The rows are in {where}")
        elif pieces:
            from karat.data.sources.distributed.rows import rows_of_distributed

            is_distributed = distributed_host(table) is not None
            source = rows_of_distributed(
                table,
                max_memory=max_memory or (_TASK_MEMORY if is_distributed else MAX_MEMORY),
                is_frequency=is_frequency,
                groups=groups,
                **named,
                **reading,
            )
        else:
            from karat.data.sources.tables.rows import rows_of_frame

            source = rows_of_frame(table, **of_request, **named, **reading)
            if ids is not None and limit and isinstance(source, Rows):
                n = source.n if source.kept is None else len(source.kept)
                source = replace(source, id_values=checked_ids(ids, n))
                source = source.warned(*doubts_of_values(ids))
        of_pass: dict[str, Any] = {"n_threads": spec.n_threads, "progress": progress}
        is_in_batches = units is None
        found = accumulate(source, empty, **of_pass, keep_rows=limit if is_in_batches else 0)
        if found.sets is not None:
            of_one_class = {"exact": exact or None, "folds": named.get("folds")}
            refuse_on_sets({**of_one_class, **of_one_label(spec.confidence)})
            report = report_of(found, spec)
            if then is not None:
                then(found, report)
            return report
        if exact and found.scores is not None and not isinstance(source, Rows | Counted | Tallies):
            from karat.data.sources.files.large import refined

            scores = refined(found.scores, source, spec.n_threads, cleanup)
            found = replace(found, scores=scores)
        check_found_scores(found, columns["score"])
        found = with_order_of_columns(found, columns, options["labels"])
        report = report_of(found, spec)
        if then is not None:
            then(source, report)
        return report
