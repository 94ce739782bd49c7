"""`find_weak_slices`: where a classifier is worse, among many columns, with honest multiplicity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from karat.api.arguments import column_name, of_table, refuse_table_alone, scores_of_table
from karat.api.doubts import of_rows, with_order_of_rows
from karat.api.forms import attach_forms
from karat.api.measuring import report_of
from karat.api.options import refuse_threshold, unknown_choice
from karat.api.request.request import Request
from karat.api.request.verbs import verb
from karat.api.score_functions import given_scores
from karat.api.sources import columns_to_read, formats_of
from karat.api.spec import Spec
from karat.data.accumulator import accumulate, rows_in_memory
from karat.data.checks import doubts_of_order, unused_groups
from karat.data.clusters import RowNames, as_clusters, encode_names, names_of_column, one_cluster
from karat.data.labels.counting import count_codes
from karat.data.listing import checked_ids
from karat.data.roles import SCORE_ROLES, Role, find_roles
from karat.data.rows import Rows
from karat.data.scores.columns import UNLESS_PREDICTED
from karat.data.scores.rows import InMemoryScores
from karat.data.scores.storage import ScoreParts
from karat.data.slices.codes import (
    SliceCodes,
    coded_values,
    named_columns,
    refuse_same_names,
    searched_columns,
)
from karat.data.sources.arrays.rows import RowArguments, label_rows, score_rows
from karat.data.sources.columns import columns_to_search
from karat.data.sources.distributed.frames import COLLECT, distributed_host
from karat.data.sources.files.paths import names_files
from karat.data.sources.tables.formatted import formatted
from karat.data.sources.tables.frames import Frame, is_frame, open_frame
from karat.data.sources.tables.rows import predicted, read_rows
from karat.data.sources.tables.values import ValuesOfFrame, doubts_of_values
from karat.data.weights import as_weights, refuse_sums, refuse_weights
from karat.errors import error, short
from karat.errors.doubts import only_doubts, without_doubts
from karat.errors.options import parameter
from karat.inference.confidence import Confidence
from karat.inference.limits import Floats
from karat.inference.slices import weak
from karat.inference.slices.candidates import SearchColumn, column_of_numbers, column_of_values
from karat.inference.slices.losses import RowLosses
from karat.inference.slices.search import Finding, Range, Settings, search
from karat.inference.slices.weak import WeakSlice, limits_of
from karat.inference.table_variance import derivative
from karat.metrics import Metric
from karat.metrics._applies import check_applies, check_kind
from karat.metrics._influence.gather import influences, reason_without
from karat.metrics.plan import requested
from karat.tally.score_kind import undecided

if TYPE_CHECKING:
    from karat.output.tidy import Backend


class WeakSlices(weak.WeakSlices):
    __doc__ = weak.WeakSlices.__doc__
    __slots__ = ()

    def to_frame(self, backend: Backend | None = None) -> Any:
        """The slices in a data frame: one row each, in their order.

        Columns: ``slice`` (its name), ``n_rows``, ``n_all``, ``value``, ``rest``,
        ``value_all``, ``difference``, ``z``, ``p``, ``measure``.

        Args:
            backend: ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None: the first of them that is
                installed.

        Errors:
            K122 no such backend; K501 it is not installed, or none of them is.
        """
        from karat.output.tidy import WEAK_SLICE_COLUMNS, frame_of, rows_of_weak_slices

        return frame_of(rows_of_weak_slices(self), WEAK_SLICE_COLUMNS, backend)


attach_forms(WeakSlices)


_OF_SCORES: Final = SCORE_ROLES


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """Rows that are searched: their labels or their losses, and the columns that make slices.

    Attributes:
        columns: of all rows that were read.
        rows: with their predictions; None where there are losses.
        loss: float64[n], or None.
        weights: float64[n], or None.
        clusters: int64[n], or None.
        left_out: column → why it is not looked at.
        notes: sentences the reader should see, doubts first.
        ids: of each row, where the caller named them; or None.
    """

    columns: tuple[SliceCodes, ...]
    rows: Rows | None = None
    loss: Floats | None = None
    weights: Floats | None = None
    clusters: Any = None
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    ids: RowNames | None = None

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.loss) if self.loss is not None else self.rows.n if self.rows else 0


@dataclass(frozen=True, slots=True, eq=False)
class _Measure:
    """Quantity in which slices are compared.

    Attributes:
        name: of the numbers that are shown.
        better: which of them are better.
        losses: float64[n] of every row: means of them are compared.
        value: from the places of rows to the number that is shown; None: the mean loss.
    """

    name: str
    better: Literal["lower", "higher"]
    losses: Floats
    value: Callable[[Any], float] | None = None


@verb
def find_weak_slices(request: Request) -> WeakSlices:
    """Find the slices on which a classifier is worse than elsewhere, among all columns of a table.

    Every value and range of every column is looked at, and every cross of `depth` columns. The
    largest of all statistics is compared with the largest where losses are permuted across rows
    (Westfall and Young 1993), so that data without any weak slice show one in at most 1 − level of
    cases, however many columns there are. The smallest slice that explains is reported and its rows
    are set aside; another that shares rows with it, as a parent does, is reported only where its
    remaining rows are worse, too (the sequential rejection principle, Goeman and Solari 2010).

    Returns:
        `WeakSlices`: true where one was found; ``.slices``, each with columns, key, rows, values
        and p; ``.doubts`` about the rows; ``print``, ``.to_frame()``, ``.to_dict()``.

    Errors:
        K101 to K137 labels, scores, losses and weights; K128, K143, K184, K185 labels and
        losses that are missing or do not go together; K122 an option, or a metric that no row
        moves; K181 no columns; K307 a metric of one class; K401 to K411 files; K404 to K406 no
        such column; K416, K423 rows in partitions.

    Cost: permutations × rows × crosses of columns, for each slice that is found: 20 columns of 10⁴
    rows take seconds. Four bytes a row and column, and 64 MB of permuted losses at once.

    Example:
        >>> import karat
        >>> site, true = ["a", "b", "c", "d"] * 100, [0, 1, 1, 0] * 100
        >>> pred = [1 - t if s == "c" else t for s, t in zip(site, true)]
        >>> found = karat.find_weak_slices(true, pred, by={"site": site})
        >>> found.slices[0].name, found.slices[0].value
        ('site = c', 1.0)
    """
    confidence = Confidence.of(request.level, seed=request.seed)
    assert confidence is not None
    least_n, n_shuffles = request.min_n, request.n_permutations
    deepest = request.depth if request.crosses else 1
    wanted = _metric(request.metric)
    given = _read(request, wanted)
    measure = _measured(given, wanted)
    kept = np.arange(given.n) if given.weights is None else np.flatnonzero(given.weights > 0.0)
    columns = [_search_column(one.at(kept), least_n) for one in given.columns]
    groups = None if given.clusters is None else given.clusters[kept]
    if groups is not None and len(np.unique(groups)) == 1:
        raise one_cluster(len(groups))
    losses = RowLosses.of(
        measure.losses[kept], None if given.weights is None else given.weights[kept], groups
    )
    settings = Settings(deepest, least_n, 1.0 - confidence.level, n_shuffles, confidence.seed)
    searched = search(columns, losses, settings)
    value = measure.value or losses.mean
    ids = None if given.ids is None else given.ids.at(kept)
    listed = tuple(
        _listed(one, columns, value, kept if measure.value is not None else None, ids)
        for one in searched.found
    )
    return WeakSlices(
        listed,
        searched.n_tested,
        max(searched.n_shown - len(listed), 0),
        confidence.level,
        searched.p,
        n_shuffles,
        confidence.seed,
        dict(given.left_out),
        measure.name,
        measure.better,
        deepest,
        None if losses.clusters is None else int(losses.clusters.max()) + 1,
        given.notes,
    )


def _listed(
    one: Finding,
    columns: Sequence[SearchColumn],
    value: Callable[[Any], float],
    kept: Any,
    ids: RowNames | None,
) -> WeakSlice:
    """A finding with its numbers; `kept` are the places of its rows among those given."""
    keys, limits = [], []
    for key in one.keys:
        ranged = limits_of(key) if isinstance(key, Range) else (None, key)
        limits.append(ranged[0])
        keys.append(ranged[1])
    inside, rest, every = map(np.flatnonzero, (one.counted, one.others, one.rows))
    names = () if ids is None else tuple(map(ids.text, inside.tolist()))
    if kept is not None:
        inside, rest, every = kept[inside], kept[rest], kept[every]
    return WeakSlice(
        tuple(columns[i].name for i in one.columns),
        tuple(keys),
        tuple(limits),
        len(inside),
        int(one.rows.sum()),
        value(inside),
        value(rest),
        one.z,
        one.p,
        value(every),
        names,
    )


def _search_column(found: SliceCodes, min_n: int) -> SearchColumn:
    (name,), keys = found.columns, [key for (key,) in found.keys]
    if found.numbers is None:
        return column_of_values(name, found.codes, keys, min_n)
    are_few = not found.bins
    return column_of_numbers(name, found.codes, keys, found.numbers, are_few=are_few)


def _metric(given: Any) -> Metric | None:
    """The metric by which slices are worse (K122, K301 to K310)."""
    if given is None:
        return None
    wanted = tuple(requested(given))
    do = "Give one metric, as 'f1', 'log_loss' or 'roc_auc'; or loss= of every row."
    if len(wanted) != 1 or wanted[0].lift == "per_class":
        raise unknown_choice("metric", given, "the name of one metric with one value", do)
    (metric,) = wanted
    if metric.record.better is None:
        found = f"a metric of which higher or lower is better: {metric} has no such direction"
        raise unknown_choice("metric", given, found, do)
    if metric.needs_scores and (reason := reason_without(metric)):
        found = f"a metric with an influence function: it is {reason}"
        raise unknown_choice("metric", given, found, do)
    return metric


def _measured(given: _Given, metric: Metric | None) -> _Measure:
    """Loss of each row: 1 where it is wrong, a given loss, or its influence on a metric."""
    if given.loss is not None:
        return _Measure("loss", "lower", given.loss)
    rows = given.rows
    assert rows is not None
    if rows.pred is None and (metric is None or metric.reads_predictions):
        raise undecided("The error rate" if metric is None else str(metric))
    if metric is None:
        return _Measure("error", "lower", (rows.true != rows.pred).astype(np.float64))
    check_applies(metric, rows.classes, ())
    if metric.needs_scores:
        if rows.scores is None:
            raise metric.no_scores(rows.warnings)
        check_kind(metric, rows.scores.kind)
        with np.errstate(invalid="ignore"):
            phi = influences(InMemoryScores.of(rows, None), [metric])[metric]
    else:
        guess = rows.true if rows.pred is None else rows.pred
        cells = rows.cells
        if cells is None:
            cells = count_codes(rows.classes, rows.true, guess, rows.weights)
        at = np.full(rows.classes.k**2, 0.0)
        true, pred = cells.coordinates()
        at[true * rows.classes.k + pred] = derivative(metric, cells)
        phi = at[rows.true.astype(np.int64) * rows.classes.k + guess]
    if rows.weights is not None:
        phi = np.where(rows.weights > 0.0, phi, 0.0)
    if not np.isfinite(phi).all():
        found = "a metric that has a finite value on these rows, and a loss of each"
        raise unknown_choice("metric", str(metric), found, "Give another metric, or loss=.")
    better: Literal["lower", "higher"] = "higher" if metric.record.better == "higher" else "lower"
    loss = -phi if better == "higher" else phi
    spread = float(np.ptp(loss))
    # Of two values only their order matters, and sums of 0 and 1 are exact.
    high = loss > loss.min() + spread / 2.0
    is_of_two = bool((np.abs(loss - np.where(high, loss.max(), loss.min())) <= 1e-9 * spread).all())

    def value(places: Any) -> float:
        some = replace(rows.at(places), clusters=None, by=())
        report = report_of(accumulate(some, ScoreParts(0)), Spec((metric,), "exclude"))
        return float(report[metric].value)

    if is_of_two and spread > 0.0:
        return _Measure(str(metric), better, high.astype(np.float64), value)
    return _Measure(str(metric), better, loss, value)


def _read(request: Request, metric: Metric | None) -> _Given:
    """The rows of a request."""
    y_true, y_pred = request.y_true, request.y_pred
    by, loss, weights, clusters = request.by, request.loss, request.weights, request.clusters
    has_predictions = y_pred is not None or request.has_scores
    columns = ("true", "pred", *SCORE_ROLES)
    named = [name for name in columns if getattr(request, name) is not None]
    is_file = names_files(y_true)
    if loss is not None and metric is not None:
        do = "Give one of them: both define the loss of a row."
        raise unknown_choice("metric", str(metric), "None beside loss=", do)
    if request.has_data:
        host = None if is_file else distributed_host(y_true)
        if host is not None:
            raise error("K423", host=host, collect=COLLECT[host])
        if loss is None:
            return _of_table(request, metric)
        if named:
            raise error("K184")
        formats = formats_of(request)
        if not is_file:
            return _losses_of_table(formatted(open_frame(y_true), formats), request)
        from karat.data.sources.files.counted import errors_of_files
        from karat.data.sources.files.rows import open_files

        with ExitStack() as cleanup:
            cleanup.enter_context(errors_of_files(None, y_true))
            return _losses_of_table(open_files(y_true, cleanup, formats=formats), request)
    beside = (*(("loss", loss), ("weights", weights), ("clusters", clusters)), ("ids", request.ids))
    named += [name for name, x in beside if isinstance(x, str)]
    if named:
        raise error(
            "K143",
            argument=parameter(named[0]),
            found=f"{parameter(named[0])}= names a column, and there is no table",
            do="Give the table first: karat.find_weak_slices(frame, y_true=…, y_pred=…).",
        )
    if loss is None and (y_true is None or not has_predictions):
        refuse_table_alone(y_true)
        do = "Give y_true and y_pred, or loss=; or a table."
        raise error("K128", found="There are neither labels nor losses", do=do)
    if loss is not None:
        if y_true is not None or has_predictions:
            raise error("K184")
        read = _of_losses(loss, weights, clusters, _columns(by))
        doubts = doubts_of_order(loss, "loss", weights=weights, clusters=clusters, by=by)
        return _with_ids(replace(read, notes=tuple(doubts)), request.ids)
    if request.nulls != "error":
        raise error("K144")
    threshold = request.threshold
    options = RowArguments(request.labels, request.positive, weights, clusters, threshold=threshold)
    if not request.has_scores:
        refuse_threshold(threshold)
        rows = label_rows(y_true, y_pred, options)
    else:
        scores = given_scores(request.outputs)
        rows = score_rows(y_true, scores, y_pred, options)
    values, left_out = _columns(by)
    coded, unfit = _coded(values, rows.n, "y_true")
    rows = rows.warned(*doubts_of_order(y_true, "y_true", by=by))
    rows = replace(rows, by=coded, left_out={**left_out, **unfit})
    return _with_ids(_of_rows(rows, threshold, are_chosen=isinstance(by, Mapping)), request.ids)


def _with_ids(rows: _Given, ids: Any) -> _Given:
    """The same with the id of each row (K102: another number of them)."""
    if ids is None:
        return rows
    names = names_of_column(encode_names(checked_ids(ids, rows.n), "ids", "error", "ids"))
    return replace(rows, ids=names, notes=(*doubts_of_values(ids), *rows.notes))


def _of_rows(rows: Rows, threshold: Any, *, are_chosen: bool) -> _Given:
    """The rows in one batch, with their predictions.

    Args:
        are_chosen: whether the caller named the columns: then each is looked at.
    """
    by, left_out, clusters = rows.by, dict(rows.left_out), rows.cluster_codes
    notes = (*of_rows(rows), *without_doubts(rows.warnings))
    found = rows_in_memory(replace(rows, by=(), clusters=None))
    if found.pred is None:
        found = predicted(replace(found, warnings=()), threshold, None)
        notes += tuple(only_doubts(found.warnings))
    if not are_chosen:
        for what, codes in (("true labels", found.true), ("predictions", found.pred)):
            if codes is None:
                continue
            same = {one.columns[0] for one in by if one.repeats(codes)}
            by = tuple(one for one in by if one.columns[0] not in same)
            left_out |= dict.fromkeys(same, f"It has the same information as the {what}.")
    return _Given(by, found, None, found.weights, clusters, left_out, notes)


def _of_table(request: Request, metric: Metric | None) -> _Given:
    """The rows of a table or of files, read by the reader of every verb."""
    source = request.y_true
    where = "files" if names_files(source) else None
    named = scores_of_table(request)
    if not any(named.values()) and (metric is None or not metric.needs_scores):
        # Scores that are found by their names are read only where they have to predict.
        named = dict.fromkeys(named, UNLESS_PREDICTED)
    # A cross of columns is looked at anyway.
    by = request.by
    groups = () if by is None else tuple((name,) for key in named_columns(by) for name in key)
    columns = replace(
        columns_to_read(request),
        true=column_name("y_true", request.true),
        pred=column_name("y_pred", request.pred),
        **named,
        weights=of_table("weights", request.weights, where),
        clusters=of_table("clusters", request.clusters, where),
        groups=tuple(dict.fromkeys(groups)),
        ids=column_name("ids", request.ids),
        is_searched=True,
    )
    rows = read_rows(source, "the rows", columns)
    # Sets of labels are not searched.
    assert isinstance(rows, Rows)
    rows = with_order_of_rows(rows, request.columns_of_scores, request.labels)
    read = _of_rows(rows, request.threshold, are_chosen=by is not None)
    return replace(read, ids=rows.ids) if request.ids else read


def _losses_of_table(frame: Frame, request: Request) -> _Given:
    """The losses of a table without labels, and its other columns."""
    by, loss, weights = request.by, request.loss, request.weights
    clusters, ids = request.clusters, request.ids
    found = {}
    for role, given in (("loss", loss), ("weights", weights), ("clusters", clusters), ("ids", ids)):
        value = of_table(role, given, None)
        if isinstance(value, str) and value:
            found[role] = value
    named: dict[Role, str | None] = {}
    if isinstance(weights, str):
        named["weights"] = weights
    looked = find_roles(frame.names, frame.types, named, needs=())
    if weights is None and (name := looked.column("weights")) is not None:
        found["weights"] = name
    left_out: dict[str, str] = {}
    if by is None:
        keys, left_out = columns_to_search(frame.names, frame.types, {*found.values()})
    else:
        keys = named_columns(by)
    wanted = list(dict.fromkeys(name for key in keys for name in key))
    listed = list(dict.fromkeys([*found.values(), *wanted]))
    roles = {name: role for role, name in found.items()}
    values = frame.columns(listed, [roles.get(name, "the slices") for name in listed])
    given = {"loss": loss, "weights": None if isinstance(weights, str) else weights}
    given["clusters"] = None if isinstance(clusters, str) else clusters
    given |= {role: values[name] for role, name in found.items()}
    columns = {name: values[name] for name in wanted}
    read = _of_losses(given["loss"], given["weights"], given["clusters"], (columns, left_out))
    read = _with_ids(read, values[found["ids"]] if "ids" in found else None)
    if clusters is not None:
        return read
    used = (*found.values(), *(wanted if by is not None else ()))
    groups = unused_groups(frame.names, used, ValuesOfFrame(frame).are_groups)
    return replace(read, notes=(*read.notes, *groups))


def _of_losses(
    loss: Any, weights: Any, clusters: Any, columns: tuple[dict[str, Any], dict[str, str]]
) -> _Given:
    """Loss, weight and slices of each row (K101 to K116, K185)."""
    try:
        n = len(loss)
    except TypeError:
        found = f"It is {short(loss)}, not one number a row"
        raise error("K116", argument="loss", found=found) from None
    lost = as_weights(loss, n, "loss")
    is_bad = ~np.isfinite(lost) | (lost < 0)
    if not n or is_bad.any():
        first = int(is_bad.argmax()) if n else 0
        found = f"Row {first} loses {float(lost[first])!r}" if n else "loss= holds no row"
        raise error("K185", found=found)
    counted = None
    if weights is not None:
        counted = as_weights(weights, n, beside="loss")
        refuse_weights(counted)
        refuse_sums(counted)
    groups = None if clusters is None else as_clusters(clusters, n, beside="loss")
    coded, unfit = _coded(columns[0], n, "loss")
    return _Given(coded, None, lost, counted, groups, {**columns[1], **unfit})


def _columns(by: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The columns to look at, by name, and why others of a table are left out (K181)."""
    if is_frame(by) and distributed_host(by) is None and len(by):
        if isinstance(by, Mapping):
            # Who names columns one by one wants them.
            refuse_same_names(by)
            return {str(name): values for name, values in by.items()}, {}
        frame = open_frame(by)
        looked = find_roles(frame.names, frame.types, needs=())
        families = {name for family in looked.families for name in family.columns}
        left_out = {x: "It holds output of the model." for x in frame.names if x in families}
        names = [name for name in frame.names if name not in left_out]
        return frame.columns(names, ["the slices"] * len(names)), left_out
    found = f"by= is {short(by)} ({type(by).__name__}), not columns"
    raise error(
        "K181",
        found="by= was not given" if by is None else found,
        do="Give a table in memory, or a dict from name to the values of each row: "
        "by={'country': countries}.",
    )


def _coded(
    values: Mapping[str, Any], n: int, beside: str
) -> tuple[tuple[SliceCodes, ...], dict[str, str]]:
    return searched_columns(
        (name, partial(coded_values, column, name, n, beside=beside, keeps_numbers=True))
        for name, column in values.items()
    )
