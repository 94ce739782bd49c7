"""Construction of reports from tallies: values, intervals, curves and slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from karat.api.arguments import wanted_of_scores
from karat.api.doubts import impossible_rows, of_zeros, with_doubts
from karat.api.options import refuse_threshold
from karat.api.results import ClassReport
from karat.api.set_doubts import doubts_of_sets
from karat.api.spec import Spec
from karat.curves._kept import MOST_CLASSES, Curves, CurvesLater
from karat.data.accumulator import (
    Origin,
    Tallies,
    counted,
    crossed_rows,
    rows_of_held,
    sliced_sets,
    whole,
)
from karat.data.checks import binned_codes, check_in_common, untested_fold
from karat.data.clusters import divided_clusters
from karat.data.labels.matrices import display_names
from karat.data.listing import listed_of, named
from karat.data.prevalence import at_prevalence
from karat.data.rows import Rows, numbered
from karat.data.scores.batches import is_moderate, owned
from karat.data.scores.histograms import sampled_rows
from karat.data.scores.labels import LabelColumns
from karat.data.scores.order import no_positive_of_scores, wrong_number
from karat.data.scores.rows import InMemoryScores, in_units, repeated
from karat.data.scores.storage import ScoreParts, discovered, scores_of_held
from karat.data.slices.codes import SliceCodes
from karat.data.slices.counted import by_cluster, by_slice
from karat.data.table_sets import check_sets, settled_clusters
from karat.data.weights import refuse_weights_of_cells
from karat.errors import error
from karat.errors.doubts import RepeatedIdsDoubt
from karat.errors.options import option
from karat.errors.together import refuse
from karat.inference.score_intervals import (
    ScoredIntervals,
    is_of_sums,
    measured_histograms,
    measured_with_intervals,
)
from karat.metrics import Metric, Pairwise
from karat.metrics._applies import check_applies, check_decided
from karat.metrics._influence.gather import influences
from karat.metrics._measure import Later, losses_of, measure
from karat.metrics._of_set_scores import SetScores
from karat.metrics._of_sets import meant_on_sets
from karat.results.roles import by_name
from karat.tally import Cells, ClusteredCells, HistogramRows, ScoredRows
from karat.tally.decision import Decision
from karat.tally.folds import FoldAxis, FoldColumns, HeldOut, folds_share_rows
from karat.tally.held_sets import HeldSets
from karat.tally.listed_rows import ListedRows
from karat.tally.score_kind import ARGUMENTS

if TYPE_CHECKING:
    from karat.api.sets import MultilabelReport
    from karat.results.folds import Folds, NestedRows

_FEW: Final = 1 << 16
"""Of no more scores than this a report keeps the rows, and computes what is read of it."""
_OF_COLUMNS: Final = (
    "No metric of the stream reads columns of scores, so they were not kept. Name this metric in "
    "metrics= of karat.Stream."
)
_TOO_MANY: Final = "needs the rows, which were too many to keep"


def report_of(found: Tallies, spec: Spec) -> ClassReport | MultilabelReport:
    """The report of what was accumulated: of sets of labels, or as `class_report_of`."""
    if found.sets is not None:
        sets = sliced_sets(found.sets, found.later)
        return _of_sets(sets, spec, found.origin)
    return class_report_of(found, spec)


def class_report_of(found: Tallies, spec: Spec) -> ClassReport:
    """The report of rows with one class each, with the slices that they have.

    Errors:
        K102, K181, K182 slices; K221 a metric of sets; K115 all rows weigh nothing; K134 classes
        that do not fit the columns; K136 a threshold without scores; K145 one cluster; K211, K302
        to K309 metrics that are not there.

    Cost: beside the report one pass over the rows for each column of slices.
    """
    for metric in spec.wanted or ():
        metric.refuse_of_sets()
    if found.folds is not None and spec.confidence is not None and spec.confidence.anytime:
        refuse("evaluate", "looks", {"folds": True})
    found = _with_axes(found)
    if spec.prevalence is not None:
        if found.folds is not None and found.folds.holdout is not None:
            refuse("evaluate", "nested folds", {"prevalence": spec.prevalence})
        if found.scores is not None:
            found = replace(found, scores=_placed(found.scores))
        found, prevalence = at_prevalence(found, spec.prevalence)
        spec = replace(spec, prevalence=prevalence)
    found, nested = _outer_rows(found, spec)
    report, tally = _whole_report(found, spec)
    report = with_doubts(report, found)
    report = replace(report, kept_rows=_listed(found, tally, report, spec.keep_rows))
    rows = found.rows
    # A dry run computes no interval, and refuses what a report of it would refuse.
    has_intervals = spec.confidence is not None or spec.is_dry
    how: dict[str, Any] = {"folds": found.folds, "has_intervals": has_intervals}
    if found.sliced:
        return _with_slices(report, found.sliced, **how)
    if rows is None or not rows.by:
        return report
    if tally is None:
        return _with_slices(report, [rows], nested=nested, **how)
    # The rows are kept as they are: nothing else may change them.
    kept = tally if rows.is_owned else owned(tally)
    pred = np.asarray(tally.predicted()).copy() if tally.has_predictions else None
    clusters = rows.clusters if report.is_clustered else None
    whole_rows = replace(kept.rows, pred=pred, clusters=clusters, by=())
    measure = SliceMeasure(replace(kept, rows=whole_rows, threshold=None), spec)
    labels = replace(whole_rows, scores=None, by=rows.by, clusters=rows.clusters)
    return _with_slices(report, [labels], measure, nested=nested, **how)


def _listed(
    found: Tallies, tally: InMemoryScores | None, report: ClassReport, limit: int
) -> ListedRows | None:
    """The rows that are listed behind the numbers of a report, with their ids."""
    rows = found.rows
    if found.listed is not None or not limit or rows is None:
        return found.listed
    edges: list[Any] = []
    if report.kept_curves is not None and tally is not None:
        edges = [x.edges for x in report.kept_curves.reliability_by_quantile.values()][:1]
    listed = listed_of(rows, limit, scores=tally, edges=edges)
    return listed if rows.id_values is None else named(listed, rows.id_values)


def _of_sets(held: HeldSets, spec: Spec, origin: Origin) -> MultilabelReport:
    """The report of rows with sets of labels.

    Errors:
        K115 all rows weigh nothing; K117 display names; K210 a metric of scores, and there are
        none; K219, K220 a metric that sets do not have; K223 no row has a label.
    """
    from karat.api.sets import MultilabelReport

    if spec.class_names is not None:
        held = held.on(held.classes.named(display_names(spec.class_names, held.classes)))
    rows = held.rows
    for metric in spec.wanted or ():
        if meant_on_sets(metric).needs_scores and rows.scores is None:
            if held.has_scores:
                do = f"Give a larger {option('max_memory')}: it {_TOO_MANY}."
                raise error("K211", name=str(metric), do=do)
            raise metric.no_scores()
    check_sets(held, origin.mapping)
    doubts = doubts_of_sets(rows, held.tally, origin.mapping)
    rows = settled_clusters(rows)
    n_threads = spec.n_threads or 0
    scored = None
    if rows.scores is not None:
        rows = rows.repeated()
        scored = SetScores(LabelColumns.of(rows.known, n_threads), spec.policy, n_threads)
    return MultilabelReport(
        held.tally,
        None if held.is_sample else rows,
        spec.policy,
        spec.wanted,
        spec.confidence,
        by_name(origin.mapping),
        origin.source,
        (*doubts, *origin.warnings, *_lost_scores(held)),
        scored,
        sample=rows if held.is_sample else None,
        is_clustered=rows.clusters is not None,
    )


def _lost_scores(held: HeldSets) -> tuple[str, ...]:
    """Warning that scores were not kept; empty where they were."""
    if not (held.is_sample and held.has_scores):
        return ()
    return ("Rows with scores take more than max_memory: metrics of scores are left out.",)


def _with_slices(
    report: ClassReport,
    sliced: Sequence[Rows],
    measure: SliceMeasure | None = None,
    *,
    folds: FoldColumns | None = None,
    has_intervals: bool = True,
    nested: NestedRows | None = None,
) -> ClassReport:
    """The report with its slices, and with its folds, which are slices of the same rows."""
    from karat.results.slices import ClassSlices, Slices, SliceTable

    tables, kept_folds = {}, None
    doubts = []
    for rows in sliced:
        for codes in rows.by:
            if codes.bins:
                doubts.append(binned_codes(codes.columns[0], [key for (key,) in codes.keys]))
            of_rows = None if measure is None else codes.codes
            if folds is not None and codes.columns == folds.key:
                needs_ids = has_intervals and rows.clusters is None
                of_folds = (report, rows, codes, measure, folds, nested)
                kept_folds = _folds(*of_folds, needs_ids=needs_ids)
                doubts.append(untested_fold(codes, codes.columns.index(folds.fold)))
                doubts += kept_folds.doubts
                if not folds.is_slice:
                    continue
            of_slices = by_slice(report.cells, rows, codes, is_clustered=report.is_clustered)
            tables[codes.columns] = SliceTable(ClassSlices(of_slices, report, of_rows, measure))
    slices = Slices(tables) if tables else None
    warnings = (*report.warnings, *filter(None, doubts))
    return replace(report, warnings=warnings, kept_slices=slices, kept_folds=kept_folds)


def _folds(
    report: ClassReport,
    rows: Rows,
    codes: SliceCodes,
    measure: SliceMeasure | None,
    columns: FoldColumns,
    nested: NestedRows | None,
    *,
    needs_ids: bool,
) -> Folds:
    """The metrics of a report over folds; values of the folds are computed when they are read."""
    from karat.results.folds import Folds, MeasuredFolds, without_intervals
    from karat.results.slices import ClassSlices

    of_folds = by_slice(report.cells, rows, codes, is_clustered=False)
    axis = FoldAxis.of(columns, of_folds.keys, np.asarray(of_folds.cells.n_rows))
    if rows.weights is None and len(codes.codes) == len(rows.true):
        axis.check_truth(codes.codes, rows.true)
    if columns.ids is not None and rows.clusters is not None:
        axis.check_rows(codes.codes, rows.clusters.codes)
    elif columns.repeat is None:
        for doubt in report.doubts:
            if isinstance(doubt, RepeatedIdsDoubt):
                raise folds_share_rows(doubt.evidence.removesuffix("."))
    elif axis.n_repeats > 1 and needs_ids:
        do = f"Name the ids of rows, {option('ids', 'id')}, or clusters that hold them."
        raise error("K251", repeat=columns.repeat, n=axis.n_repeats, do=do)
    of_values = None
    if measure is not None:
        spec = replace(measure.spec, confidence=None)
        alone = replace(measure.rows.rows, clusters=None)
        of_values = SliceMeasure(replace(measure.rows, rows=alone), spec)
    of_rows = None if measure is None else codes.codes
    sliced = ClassSlices(of_folds, without_intervals(report), of_rows, of_values)
    divided = divided_clusters(axis, codes.codes, rows.clusters)
    doubts = () if divided is None else (divided,)
    return Folds(axis, report, MeasuredFolds(axis, sliced), nested, doubts=doubts)


def _outer_rows(found: Tallies, spec: Spec) -> tuple[Tallies, NestedRows | None]:
    """The rows of ordinary cross-validation, and those of nested cross-validation apart.

    Errors:
        K255 predictions are missing, or the rows were not kept.
    """
    columns, rows = found.folds, found.rows
    if columns is None or columns.holdout is None:
        return found, None
    from karat.results.folds import NestedRows

    codes = [] if rows is None else [one for one in rows.by if one.columns == columns.key]
    if rows is None or not codes or rows.weights is not None:
        what = "Rows have weights" if rows is not None and codes else "The rows were not kept"
        do = "Nested cross-validation reads rows in memory without weights."
        raise error("K255", found=what, do=do)
    (each,) = codes
    held = HeldOut.of(columns, each.keys, each.codes)
    pred, losses = rows.pred, None
    if rows.scores is not None:
        tally = owned(InMemoryScores.of(rows, spec.threshold, spec.n_threads))
        tally.read(predicted=tally.pred is None and tally.threshold is None)
        pred = np.asarray(tally.predicted("Nested cross-validation")).copy()
        whole = replace(tally.rows, pred=pred, clusters=None, by=())
        losses = SliceMeasure(replace(tally, rows=whole, threshold=None), spec).terms
    assert pred is not None
    nested = NestedRows(held, np.asarray(pred == rows.true), losses)
    some = rows.at(held.held_out < 0)
    if some.scores is None:
        some = counted(some, spec.n_threads)
    return replace(found, rows=some), nested


def _with_axes(found: Tallies) -> Tallies:
    """The same, its clusters and slices as those of rows."""
    cells = found.cells
    if found.crossed:
        assert cells is not None
        tables = whole(found.crossed, cells.classes)
        rows = {key: crossed_rows(table, key, cells, found.later) for key, table in tables.items()}
        of_all = rows.pop((), None)
        return replace(found, crossed={}, rows=of_all, sliced=tuple(rows.values()))
    if found.scores is None or found.scores.held is None or not found.scores.held.axes:
        return found
    held = _placed(found.scores).held
    assert held is not None
    return replace(found, scores=None, rows=rows_of_held(held, found.later))


def _whole_report(found: Tallies, spec: Spec) -> tuple[ClassReport, InMemoryScores | None]:
    """The report of what was accumulated, and the rows with scores that it was measured on."""
    rows, origin, tally = found.rows, found.origin, None
    facts: dict[str, Any] = {
        "mapping": by_name(origin.mapping),
        "source": origin.source,
        "warnings": origin.warnings,
    }
    if spec.threshold is not None and origin.mapping:
        # Found by its name, and not read: the threshold decides.
        facts["mapping"] |= {"y_pred": None}
    if rows is not None and rows.scores is not None:
        tally = InMemoryScores.of(rows, spec.threshold, spec.n_threads)
        with numbered(rows.kept):
            return _of_scores(tally, spec, **facts), tally
    if found.scores is not None:
        scores = _placed(found.scores).settled(spec.n_threads)
        if scores.measured is None:
            return _of_histograms(scores, spec, **facts), None
        held = scores_of_held(scores.measured, scores.threshold, spec.n_threads)
        return _of_scores(held, spec, **facts), None
    if origin.scores is not None:
        facts |= {"scores": origin.scores, "threshold": spec.threshold}
    else:
        refuse_threshold(spec.threshold)
    cells = found.cells if rows is None else rows.cells
    assert cells is not None
    if origin.scores is not None:
        # They decided the predictions, and were not kept.
        decision = Decision.of_classes(
            origin.scores,
            is_given=False,
            is_single=False,
            threshold=spec.threshold,
            k=cells.classes.k,
        )
        facts["decision"] = decision.text
    if origin.scores is None:
        columns = {role: f"column {name!r}" for role, name in origin.mapping.items()}
        sides = (columns.get("true", "y_true"), columns.get("pred", "y_pred"))
        check_in_common(cells, *sides)
    refuse_weights_of_cells(cells)
    clusters = None if rows is None else by_cluster(cells, rows)
    return _report(spec, cells, clusters, **facts), None


def _report(
    spec: Spec, cells: Cells, clusters: ClusteredCells | None = None, **facts: Any
) -> ClassReport:
    return ClassReport(
        cells,
        spec.policy,
        spec.wanted,
        confidence=spec.confidence,
        clusters=clusters,
        is_clustered=clusters is not None,
        design=spec.design,
        population=spec.prevalence if isinstance(spec.prevalence, Mapping) else None,
        **facts,
    )


def _of_scores(rows: InMemoryScores, spec: Spec, **facts: Any) -> ClassReport:
    """The report of rows in memory."""
    requested, confidence = spec.wanted, spec.confidence
    if spec.is_dry:
        rows.read(predicted=rows.pred is None and rows.threshold is None)
        facts |= {"scores": rows.kind, "decision": rows.decision.text}
        return _report(spec, rows.cells(), **facts, threshold=rows.threshold)
    wanted = wanted_of_scores(rows.classes, requested, rows.kind)
    for metric in wanted if requested is not None else ():
        check_applies(metric, rows.classes, ())
    is_all = requested is None and confidence is None and rows.weights is None
    is_kept = is_all and rows.n_rows * rows.classes.k <= _FEW
    if is_kept:
        rows = owned(rows)
    needs_guess = rows.pred is None and rows.threshold is None and rows.has_predictions
    rows.read(losses_of(wanted), predicted=needs_guess)
    # Values that are none are refused first.
    check_decided(requested or (), has_predictions=rows.has_predictions)
    cells = rows.cells()
    facts["warnings"] = (*facts.get("warnings", ()), *_cautions(rows, wanted))
    facts |= {"scores": rows.kind, "threshold": rows.threshold, "decision": rows.decision.text}
    if is_kept and is_moderate(rows):
        from karat.data.locks import OwnLock

        later = Later(rows, wanted, spec.policy, OwnLock())
        curves = Curves(
            rows.classes,
            CurvesLater(rows.classes, later, rows.kind),
            has_probabilities=rows.kind != "scores",
        )
        kept_curves = curves if rows.classes.k <= MOST_CLASSES else None
        return _report(spec, cells, **facts, measured=later, kept_curves=kept_curves)
    keeper = spec.keeper(rows.classes, rows.kind)
    along = keeper.take if keeper else None
    groups, sure = None, ScoredIntervals()
    if confidence is None:
        measured = measure(rows, wanted, spec.policy, along)
    else:
        groups = by_cluster(cells, _labels_of(rows)) if rows.clusters is not None else None
        of_units = repeated(rows) if confidence.weights_are == "frequency" else in_units(rows)
        # In other units a metric of the number of rows would have another value.
        is_as_given = confidence.weights_are == "frequency" or of_units is rows
        measured, sure = measured_with_intervals(
            of_units,
            wanted,
            spec.policy,
            confidence,
            along=along if is_as_given else None,
            clusters=None if groups is None else of_units.clusters,
            is_requested=requested is not None,
        )
        if not is_as_given:
            measured = measure(rows, wanted, spec.policy, along)
    facts |= {"measured": measured, "kept_curves": keeper.curves() if keeper else None}
    return _report(spec, cells, groups, **facts, **vars(sure))


def _cautions(rows: ScoredRows, metrics: Sequence[Metric]) -> tuple[str, ...]:
    return of_zeros(impossible_rows(rows, metrics), rows.n_rows)


def _labels_of(rows: InMemoryScores) -> Rows:
    """The labels of rows with scores, as rows without them."""
    pred = np.asarray(rows.predicted(), np.int32) if rows.has_predictions else None
    return replace(rows.rows, pred=pred, scores=None)


def _of_histograms(scores: ScoreParts, spec: Spec, **facts: Any) -> ClassReport:
    """The report of score histograms, with the limits between which numbers lie."""
    histograms = scores.histograms
    assert histograms is not None
    cells = histograms.cells if scores.has_predictions else histograms.cells.without_predictions()
    refuse_weights_of_cells(cells)
    rows = HistogramRows(histograms)
    facts["decision"] = scores.decision.text
    if spec.is_dry:
        facts |= {"scores": rows.kind}
        return _report(spec, cells, **facts, threshold=scores.threshold)
    check_decided(spec.wanted or (), has_predictions=scores.has_predictions)
    wanted = wanted_of_scores(rows.classes, spec.wanted, rows.kind)
    for metric in wanted:
        check_applies(metric, rows.classes, ())
    of_pairs = [metric for metric in wanted if metric.record.reads is Pairwise]
    # What was added up of each row is never clipped.
    of_rows = [metric for metric in wanted if metric in of_pairs or metric.is_clipped]
    if of_rows and spec.wanted is not None:
        raise error(
            "K211",
            name=str(of_rows[0]),
            do=f"Give a larger {option('max_memory')}: it {_TOO_MANY}.",
        )
    of_columns = [] if histograms.has_columns else [m for m in wanted if not is_of_sums(m)]
    if of_columns:
        raise error("K211", name=str(of_columns[0]), do=_OF_COLUMNS)
    keeper = spec.keeper(rows.classes, rows.kind)
    found = measured_histograms(
        rows,
        [metric for metric in wanted if metric not in of_pairs],
        spec.policy,
        spec.confidence,
        lambda: sampled_rows(histograms, is_frequency=scores.is_frequency),
        along=keeper.take if keeper else None,
        is_requested=spec.wanted is not None,
    )
    warnings = [*facts.pop("warnings"), *_cautions(rows, wanted)]
    if found.bounds or found.class_bounds:
        width = 2.0**-histograms.bits
        warnings.append(
            f"Scores were counted in buckets with a relative width of {width:.1e}: results that "
            "depend on them have bounds."
        )
    if of_pairs:
        names = ", ".join(map(str, of_pairs))
        warnings.append(f"Not computed: {names}; a metric of pairs of columns {_TOO_MANY}.")
    return _report(
        spec,
        cells,
        scores=rows.kind,
        threshold=scores.threshold,
        measured=found.values,
        kept_curves=keeper.curves() if keeper else None,
        bounds=found.bounds,
        class_bounds=found.class_bounds,
        warnings=tuple(warnings),
        **facts,
        **vars(found.sure),
    )


def _placed(scores: ScoreParts) -> ScoreParts:
    """The same, every column with its class (K134)."""
    if scores.is_placed:
        classes = scores.classes
        if scores.shape is not None and scores.shape[0] is None and classes.positive is None:
            raise no_positive_of_scores(classes, ARGUMENTS[scores.kind])
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
    if classes.k == 1 and columns == 2 and scores.positive not in (None, label):
        both = discovered((label, scores.positive), scores.positive)
        return replace(scores, held=scores.held.recoded(both))
    argument = ARGUMENTS[scores.kind]
    raise wrong_number(argument, columns, classes, is_single=scores.shape[0] is None)


Flags: TypeAlias = npt.NDArray[np.bool_]


@dataclass(eq=False)
class SliceMeasure:
    """Measures some of the rows with scores and predictions; see `slices.ScoredSlices`."""

    rows: InMemoryScores
    spec: Spec

    @property
    def weights(self) -> Any:
        """float64[n], or None."""
        return self.rows.weights

    @property
    def clusters(self) -> npt.NDArray[np.int64] | None:
        """int64[n], or None."""
        return self.rows.clusters

    def report(self, rows: Flags) -> ClassReport:
        """The report of some of the rows."""
        part, wanted = self._some(rows), self.spec.wanted
        if wanted is not None:
            wanted = tuple(metric for metric in wanted if metric.needs_scores)
        spec = replace(self.spec, wanted=wanted, keeps_curves=False)
        if part.clusters is not None:
            weighing = slice(None) if part.weights is None else part.weights > 0
            if not np.ptp(part.clusters[weighing]):
                # Of one cluster there is a value, and no interval.
                part = replace(part, rows=replace(part.rows, clusters=None))
                spec = replace(spec, confidence=None)
        return _of_scores(part, spec)

    def influence(self, rows: Flags, metric: Metric) -> npt.NDArray[np.float64]:
        """The influence of each of these rows on a metric of them."""
        return influences(self._some(rows), [metric])[metric]

    def terms(self, metric: Metric) -> npt.NDArray[np.float64]:
        """float64[n]: the term of each row, of a metric that is their mean."""
        value = float(measure(self.rows, [metric], self.spec.policy)[metric].value)
        return value + influences(self.rows, [metric])[metric]

    def _some(self, rows: Flags) -> InMemoryScores:
        return replace(self.rows, rows=self.rows.rows.at(rows))
