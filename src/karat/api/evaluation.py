"""`evaluate`: computes a report from data of any source: source → rows → tallies → results."""

from __future__ import annotations

from dataclasses import replace

from karat.api.arguments import (
    MAX_MEMORY,
    column_name,
    dressed,
    given_alone,
    intervals_of,
    is_frequency,
    refuse_missing,
    refuse_without_judge,
    scores_of_table,
)
from karat.api.functions import tallied
from karat.api.measuring import class_report_of, report_of
from karat.api.options import refuse_threshold
from karat.api.report import Report
from karat.api.request.request import Request
from karat.api.request.verbs import verb
from karat.api.results import ClassReport
from karat.api.score_functions import given_scores
from karat.api.sources import check_sources, plain_source, row_arguments, with_ids_of_repeats
from karat.api.spec import Spec
from karat.api.table_reports import of_columns, report_of_table
from karat.data.accumulator import Batch, Origin, Tallies, accumulate
from karat.data.checks import doubts_of_order
from karat.data.label_doubts import doubts_of_batches
from karat.data.labels.align import classes_of
from karat.data.listing import checked_ids, limit_of_rows
from karat.data.rows import Counted, Rows
from karat.data.scores.storage import ScoreParts
from karat.data.sources.arrays.rows import label_rows, score_rows
from karat.data.sources.arrays.sets import hold_sets, set_rows, with_ids
from karat.data.sources.files.paths import names_files
from karat.data.sources.tables.values import doubts_of_values
from karat.data.sources.torch.tensors import DeviceArrays, device_arrays
from karat.errors import error
from karat.errors.options import option
from karat.errors.together import refuse
from karat.inference.confidence import checked_design
from karat.metrics.plan import requested
from karat.tally import reorder


@verb
def evaluate(request: Request) -> Report:
    """Compute every quality metric of a classifier's predictions, with intervals, in one pass.

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
    if request.judge is not None:
        from karat.api.judging import evaluate_judged

        return evaluate_judged(request)
    refuse_without_judge(request)
    return report_of_request(request)


def report_of_request(request: Request) -> Report:
    """The report of a request without a judge; of one that is dry the classes and the doubts."""
    spec, request = spec_of(request)
    request = request.but(**scores_of_table(request))
    check_sources(request)
    limit = limit_of_rows(request.keep_rows, request.ids)
    spec = replace(spec, keep_rows=0 if spec.is_dry or request.confusion is not None else limit)
    if request.has_data:
        report = report_of_table(of_columns(request), spec)
        if not isinstance(report, ClassReport):
            return report
    elif request.confusion is None and (
        request.separator is not None or hold_sets(request.y_true, request.y_pred)
    ):
        if request.y_pred is None and not request.has_scores:
            raise given_alone(request.y_true)
        return _report_of_sets(request, spec)
    else:
        report = _report_of_arrays(request, spec)
        report = dressed(report, request.class_names, is_frequency=is_frequency(request))
    if spec.wanted is not None and not spec.is_dry:
        # A metric that these classes do not have is an error here, not when the report is printed.
        refuse_missing(report, spec.wanted)
    return report


def spec_of(request: Request) -> tuple[Spec, Request]:
    """What is computed, and the request with plain values of its options (K122, K158, K301)."""
    metrics = request.metrics
    if isinstance(metrics, str) and metrics == "all":
        metrics = None
    wanted = None if metrics is None else tuple(requested(metrics))
    policy = request.undefined
    nulls = request.nulls
    confidence = intervals_of(request)
    max_memory = request.max_memory
    spec = Spec(
        wanted,
        policy,
        confidence,
        request.n_threads,
        request.threshold,
        is_dry=request.is_dry,
        class_names=request.class_names,
        design=checked_design(request.sampling),
        prevalence=request.prevalence,
    )
    if request.prevalence is not None:
        _check_prevalence(request)
    return spec, request.but(
        nulls=nulls,
        max_memory=max_memory,
        true=column_name("y_true", request.true),
        pred=column_name("y_pred", request.pred),
        y_true=plain_source(request.y_true) if names_files(request.y_true) else request.y_true,
    )


def _check_prevalence(request: Request) -> None:
    """Refuse a prevalence without its design (K242), or with weights that count rows (K264)."""
    if request.sampling != "case-control":
        design = option("sampling", "case-control")
        found = f"{option('prevalence')} was given without {design}"
        facts = {"given": option("prevalence"), "lacking": design}
        raise error("K242", **facts, found=found, do="Give both, or leave it out.")
    if is_frequency(request):
        refuse("any", "counted weights", {"prevalence": request.prevalence})


def _report_of_sets(request: Request, spec: Spec) -> Report:
    """The report of sets of labels in memory."""
    refuse("evaluate", "sets", request.chosen)
    sets = set_rows(
        request.y_true,
        request.y_pred,
        **request.outputs,
        threshold=request.threshold,
        separator=request.separator,
        clusters=request.clusters,
        by=request.by,
        is_frequency=is_frequency(request),
        labels=request.labels,
        positive=request.positive,
        weights=request.weights,
    )
    noted = [
        *doubts_of_order(
            request.y_true,
            "y_true",
            y_pred=request.y_pred,
            **request.outputs,
            weights=request.weights,
            clusters=request.clusters,
            ids=request.ids,
            by=request.by,
        ),
        *doubts_of_batches(request.y_true, request.y_pred),
    ]
    if request.ids is not None and spec.keep_rows:
        sets = with_ids(sets, request.ids)
        noted += doubts_of_values(request.ids)
    counted = accumulate(sets, ScoreParts(request.max_memory or MAX_MEMORY))
    return report_of(replace(counted, origin=Origin(warnings=tuple(noted))), spec)


def _report_of_arrays(request: Request, spec: Spec) -> ClassReport:
    """The report of rows with one class in memory, or on a device, or of a confusion matrix."""
    tensors = None
    clusters, has_ids = with_ids_of_repeats(request.folds, request.clusters, request.ids)
    request = request.but(clusters=clusters)
    is_split = clusters is not None or request.by is not None or request.folds is not None
    is_plain = not is_split and request.confusion is None and not spec.keep_rows
    if is_plain and not (request.exact and request.has_scores):
        tensors = device_arrays(request.y_true, request.y_pred, request.outputs, request.weights)
    empty = spec.empty(request.max_memory or MAX_MEMORY, is_frequency=is_frequency(request))
    source = None if tensors is None else _tensors(tensors, request, empty)
    if source is None:
        if request.checkpoint is not None:
            raise error("K415", option=option("checkpoint"), found="The rows are in memory")
        source = _batch_of_arrays(request, spec)
        if has_ids and isinstance(source, Rows) and source.folds is not None:
            source = replace(source, folds=replace(source.folds, ids="ids"))
    ids = request.ids
    if spec.keep_rows and ids is not None and isinstance(source, Rows):
        source = replace(source, id_values=checked_ids(ids, source.n))
        if not has_ids:
            source = source.warned(*doubts_of_values(ids))
        source = source.warned(*doubts_of_order(request.y_true, "y_true", ids=ids))
    return class_report_of(accumulate(source, empty, n_threads=request.n_threads), spec)


def _batch_of_arrays(request: Request, spec: Spec) -> Batch:
    """Return arguments in memory as one batch: rows with scores, labels, or a confusion matrix."""
    y_true, y_pred, confusion = request.y_true, request.y_pred, request.confusion
    clusters, by, folds = request.clusters, request.by, request.folds
    if request.has_scores:
        if y_true is None:
            raise error("K127", others="y_prob=")
        scores = given_scores(request.outputs)
        return score_rows(y_true, scores, y_pred, row_arguments(request))
    refuse_threshold(request.threshold)
    if y_true is not None and y_pred is None and confusion is None:
        raise given_alone(y_true)
    if by is not None and (confusion is not None or y_true is None):
        raise error(
            "K181",
            found="by= was given without rows",
            do="Give y_true and y_pred; a confusion matrix does not show which rows it counts.",
        )
    has_rows = confusion is None and y_true is not None
    if folds is not None and not has_rows:
        do = "Give y_true and y_pred; a confusion matrix does not show which rows it counts."
        raise error("K250", found="karat.Folds was given without rows", do=do)
    if has_rows and not (clusters is None and by is None and folds is None and not spec.keep_rows):
        return label_rows(y_true, y_pred, row_arguments(request))
    if clusters is not None:
        if confusion is None:
            raise error("K127", others="y_pred")
        do = (
            "Give y_true and y_pred; a confusion matrix does not show which rows belong to one "
            "cluster."
        )
        raise error("K141", argument="clusters=", found="clusters= was given without rows", do=do)
    doubts = doubts_of_order(y_true, "y_true", y_pred=y_pred, weights=request.weights)
    cells = tallied(
        y_true,
        y_pred,
        confusion,
        labels=request.labels,
        positive=request.positive,
        weights=request.weights,
        n_threads=request.n_threads,
    )
    return Counted(cells, warnings=tuple(doubts))


def _tensors(rows: DeviceArrays, request: Request, empty: ScoreParts) -> Batch | None:
    """Tally rows on a device; None where the host must read them."""
    from karat.api.streams.devices import StreamDevices
    from karat.api.streams.settings import declared_classes

    if rows.scores is None and (rows.pred is None or request.threshold is not None):
        return None
    labels, positive, threshold = declared_classes(
        request.labels, request.positive, request.threshold
    )
    empty = replace(empty, threshold=threshold, positive=positive)
    devices = StreamDevices(empty, labels)
    if not devices.add(rows, None, is_part=False):
        return None
    cells, scores = devices.landed(is_in_histograms=False) if devices.n_rows else (None, None)
    if cells is not None and positive is not None and labels is None:
        cells = reorder(cells, classes_of(cells.classes.labels, positive))
    return Tallies(cells, scores)
