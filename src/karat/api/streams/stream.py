"""`Stream`: metrics of rows from batches or many processes, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from karat.api.arguments import dressed, given_alone
from karat.api.measuring import report_of
from karat.api.options import refuse_threshold
from karat.api.report import Report
from karat.api.request.request import Request
from karat.api.request.verbs import verb, with_verbs
from karat.api.results import ClassReport
from karat.api.score_functions import given_scores
from karat.api.streams.devices import StreamDevices
from karat.api.streams.settings import Settings, texts_of
from karat.api.streams.stored import read_stream
from karat.data.accumulator import Batch, Tallies
from karat.data.checks import doubts_of_order
from karat.data.labels.align import classes_of
from karat.data.locks import OwnLock
from karat.data.part_bytes import packed_tallies
from karat.data.rows import Counted
from karat.data.sources.arrays.labels import tally_labels
from karat.data.sources.arrays.sets import hold_sets, set_rows
from karat.data.sources.torch.tensors import DeviceArrays, all_gathered, device_arrays
from karat.errors import KaratError, error
from karat.errors.doubts import Doubt
from karat.errors.habits import of_a_stream
from karat.errors.options import option
from karat.errors.reasons import NoPositiveError
from karat.errors.text import counted, size
from karat.errors.together import refuse
from karat.inference.confidence import planned_units
from karat.tally import Cells, occurring, reorder, subtract, union
from karat.tally.serialization import framed


def _without(whole: Cells | None, part: Cells) -> Cells | None:
    """Return the tally without a part, on the remaining classes, without those that only it has."""
    if whole is None:
        whole = replace(part, counts=part.counts * 0, n_rows=part.n_rows * 0)
    nothing = replace(part, counts=part.counts * 0, n_rows=part.n_rows * 0)
    of_whole = replace(whole, counts=whole.counts * 0, n_rows=whole.n_rows * 0)
    rest = occurring(subtract(union(whole, nothing), union(part, of_whole)))
    return rest if rest.classes.is_declared or rest.n_rows else None


def _of_streams(problem: KaratError) -> KaratError:
    """Return the error of a batch, with the positive class as an option of the stream."""
    choices = problem.context.get("choices")
    if not isinstance(problem, NoPositiveError) or choices is None:
        return problem
    options = " or ".join(f"karat.Stream({option('positive', label)})" for label in choices)
    return problem.but(options=options)


def _of_order(y_true: Any, given: Mapping[str, Any], weights: Any) -> Iterator[Doubt]:
    for one in doubts_of_order(y_true, "y_true", **given, weights=weights):
        yield one.within("a batch")


_KINDS: Final = {
    "cells": "labels alone",
    "scores": "rows with scores",
    "sets": "rows with sets of labels",
}
"""Content of a stream, by the name of its tally."""
_MOST_SHOWN: Final = 200_000
"""Number of values (rows × columns of scores) up to which a notebook cell shows the report."""


def _as_html(stream: Stream) -> str:
    """Return the content of a stream, with the report if small. Rows on a device stay there."""
    from karat.output.forms import stream_as_html

    with stream._lock:
        found, waiting = stream._tallies, stream._devices.n_rows
    facts, notes = [counted(found.n_rows + waiting, "row")], []
    labels = stream._settings.labels
    is_cheap = bool(found.n_rows) and not waiting
    cells, scores, sets = found.cells, found.scores, found.sets
    if sets is not None:
        facts.append(counted(sets.classes.k, "label"))
        what = "a sample of them" if sets.is_sample else "all of them kept"
        notes.append(f"sets of labels: counts, exact; {what}; {size(sets.n_bytes)}")
    if cells is not None:
        facts.append(counted(cells.k, "class"))
        notes.append(f"labels: counts of true × predicted, exact; {size(cells.counts.nbytes)}")
    elif labels is not None:
        facts.append(counted(len(labels), "class"))
    if scores is not None:
        held, histograms, limit = scores.held, scores.histograms, size(scores.max_memory)
        is_cheap &= histograms is None
        if held is not None:
            told = f"{counted(held.n_rows, 'row')} with scores, exact"
            notes.append(f"{told}; {size(held.n_bytes)} of at most {limit}")
            is_cheap &= held.n_rows * (held.shape[0] or 1) <= _MOST_SHOWN
        if histograms is not None:
            exact = "exact" if histograms.is_exact else "in buckets: results have a bound"
            notes.append(f"{counted(histograms.n_rows, 'row')} as score histograms, {exact}")
    if waiting:
        notes.append(f"{counted(waiting, 'row')} on a device, not read yet")
    if found.n_rows and not is_cheap and not waiting:
        notes.append("report() computes the metrics")
    return stream_as_html(facts, notes, stream.report()._repr_html_() if is_cheap else "")


@with_verbs
class Stream:
    """Report over rows that are added batch by batch, or merged from other processes.

    The report equals that of `karat.evaluate` on all rows, for any batches in any order. For
    labels, the confusion matrix is kept. Rows with scores are kept while they take at most
    `max_memory` bytes. Beyond that, their distinct scores are counted, exactly while they fit, then
    in buckets: results that depend on them have ``exact=False`` and a `bound` for the exact value.
    If `metrics` are of labels and mean losses alone (accuracy, top-k accuracy, log loss), only
    their counts and sums are kept, for any number of classes.
    Sets of labels give a `MultilabelReport` with exact counts; beyond `max_memory`, a sample of
    rows represents how labels occur together.

    Streams are thread-safe, can be used in a forked process, and can be pickled. Tensors on a
    device are tallied there. With `labels`, nothing waits for the device before the stream is read,
    and errors of such rows are raised then; see docs/devices.md.

    Errors:
        K122 an invalid choice; K301 unknown metrics.

    Example:
        >>> import karat
        >>> stream = karat.Stream()
        >>> stream.update(["cat", "dog"], ["cat", "cat"])
        >>> other = karat.Stream()
        >>> other.update(["dog"], ["dog"])
        >>> stream.merge(other).report()["accuracy"].value == 2 / 3
        True
    """

    @verb
    def __init__(self, request: Request) -> None:
        self._settings = Settings.of(request)
        self._begin()

    if not TYPE_CHECKING:  # checkers of types know every attribute there is

        def __getattr__(self, name: str) -> Any:
            hint = None if name.startswith("_") else of_a_stream(name)
            raise AttributeError(
                hint or f"{type(self).__name__!r} object has no attribute {name!r}",
                name=name,
                obj=self,
            )

    def _begin(self) -> None:
        self._lock, self._told = OwnLock(), self._settings
        self._forget()

    def _forget(self) -> None:
        self._settings = self._told
        self._tallies = Tallies()
        self._devices = StreamDevices(self._settings.empty, self._settings.labels)
        self._is_whole = False

    @property
    def n_rows(self) -> int:
        """Number of rows added so far."""
        with self._lock:
            return self._tallies.n_rows + self._devices.n_rows

    @verb
    def update(self, request: Request) -> None:
        """Add rows; a batch with an error is refused as a whole, and changes nothing.

        A batch without rows, such as one whose rows are all masked, adds nothing.

        Errors of rows on a device may appear only when the stream is read, which then fails.

        Errors:
            K101 to K118, K124 labels and weights; K195 to K199, K221, K222 sets of labels; K130 to
            K137 scores; K127 to K129 no true labels, no predictions, two kinds of scores; K126 an
            unknown argument; K401 to K421 files and columns; K201, K202, K203, K180 a batch of a
            different kind than earlier ones.

        Cost: one pass over the batch; with scores, it is kept, or sorted column by column.
        """
        if request.has_data:
            self._update_table(request)
            return
        self._update(request)

    def _update_table(self, request: Request) -> None:
        """Add the rows of a table or of files."""
        from karat.api.streams.tables import rows_of_table

        rows, doubts = rows_of_table(request, self._settings)
        if isinstance(rows, Tallies):
            refuse("Stream", "sets", self._settings.of_one_class)
            with self._lock:
                self._refuse_mixed("sets")
                self._land()
                self._add(rows)
        else:
            self._update(rows)
        if doubts:
            with self._lock:
                self._tallies = self._tallies.warned(*(one.within("a batch") for one in doubts))

    def _update(self, request: Request) -> None:
        """Add rows in memory, or on a device."""
        y_true, y_pred, weights = request.y_true, request.y_pred, request.weights
        if y_true is None:
            raise error("K127", others="y_pred=")
        if all(map(_has_no_rows, (y_true, y_pred, weights, *request.outputs.values()))):
            return
        self._count_rows(request)
        rows = device_arrays(y_true, y_pred, request.outputs, weights)
        if rows is not None and self._update_on_device(rows):
            return
        has_scores = request.has_scores
        are_more = self._tallies.sets is not None
        if (y_pred is not None or has_scores) and hold_sets(y_true, y_pred, are_more=are_more):
            self._update_sets(y_true, y_pred, weights, **request.outputs)
            return
        if not has_scores:
            self._update_labels(y_true, y_pred, weights)
            return
        scores = given_scores(request.outputs)
        given = {"y_pred": y_pred, scores.argument: scores}
        with self._lock:
            self._refuse_mixed("scores")
            self._land()
            before = self._tallies.scores
            known = None if before is None else before.classes
            reader = self._settings.reader
            try:
                batch = reader.rows(y_true, scores, y_pred, weights, known)
            except KaratError as problem:
                raise _of_streams(problem) from None
            whole, settings = self._tallies, self._settings
            positive = reader.named_positive(scores, batch.classes)
            if positive is not None:
                settings = replace(settings, positive=positive)
                parts = None if before is None else replace(before, positive=positive)
                whole = replace(whole, scores=parts)
            whole = whole.plus(batch, settings.empty, settings.n_threads)
            self._tallies = whole.warned(*_of_order(y_true, given, weights))
            self._settings = settings

    def _count_rows(self, request: Request) -> None:
        """Fix by the first batch whether a weight is a number of rows (K202: another later)."""
        kind, settings = request.weights_are, self._settings
        if kind == settings.confidence["weights_are"] or (request.weights is None and self.n_rows):
            return
        if self.n_rows:
            kinds = settings.confidence["weights_are"], kind
            raise error("K202", axis="weights=", left=kinds[0], right=kinds[1])
        with self._lock:
            self._settings = settings.with_weights(kind)
            self._devices = StreamDevices(self._settings.empty, self._settings.labels)

    def _add(self, batch: Batch) -> None:
        settings = self._settings
        self._tallies = self._tallies.plus(batch, settings.empty, settings.n_threads)

    def _refuse_mixed(self, given: str) -> None:
        """Refuse to mix labels alone, rows with scores and sets of labels (K180)."""
        host, devices = self._tallies, self._devices
        there = {
            "cells": host.cells is not None or devices.has_labels,
            "scores": host.scores is not None or devices.has_scores,
            "sets": host.sets is not None,
        }
        for kind, is_there in there.items():
            if is_there and kind != given:
                raise error("K180", before=_KINDS[kind], given=_KINDS[given])

    def _update_on_device(self, rows: DeviceArrays) -> bool:
        """Add rows of a device, as the first step of `update`; False if the host must read them."""
        is_scored = rows.scores is not None
        if not is_scored and (rows.pred is None or self._settings.threshold is not None):
            return False
        with self._lock:
            self._refuse_mixed("scores" if is_scored else "cells")
            cells, is_weighted = self._tallies.cells, rows.weights is not None
            if cells is not None and not is_scored and cells.is_weighted != is_weighted:
                kinds = ["unweighted", "weighted"]
                raise error("K203", left=kinds[cells.is_weighted], right=kinds[is_weighted])
            is_added = self._devices.add(rows, self._tallies.scores, is_part=True)
            if self._settings.labels is None and not (is_added and is_scored):
                # The host continues from all earlier rows; the classes may change with every batch.
                self._land()
            return is_added

    def _land(self) -> None:
        """Take the tallies from the devices, waiting for them; raise the errors of their rows."""
        if self._devices.n_rows:
            before = self._tallies.scores
            is_in_histograms = before is not None and before.histograms is not None
            self._add(Tallies(*self._devices.landed(is_in_histograms=is_in_histograms)))
            self._devices.clear()

    def _part_of(self, call: str, other: Any, do: str) -> Tallies:
        """Return the content of another stream with the same settings (K202, K215)."""
        if not isinstance(other, Stream):
            found = f"{call}() was given a {type(other).__name__}"
            raise error("K215", call=call, wanted="a karat.Stream", found=found, do=do)
        with other._lock:
            other._land()
            part = other._tallies
        self._check_same(other)
        return part

    def _check_same(self, other: Stream) -> None:
        """Refuse a stream with different settings (K202).

        If one has no rows, the positive class and the kind of weights are those of the other.
        """
        its, has_rows = other._settings, other.n_rows > 0
        with self._lock:
            own = self._settings
            if not has_rows:
                its = its.with_weights(own.confidence["weights_are"])
            elif not self.n_rows:
                own = own.with_weights(its.confidence["weights_are"])
            if its.positive is None and not has_rows:
                its = replace(its, positive=own.positive)
            elif own.positive is None and not self.n_rows:
                own = replace(own, positive=its.positive)
            own.check_same(its)
            self._settings = own

    def _update_labels(self, y_true: Any, y_pred: Any, weights: Any) -> None:
        settings = self._settings
        refuse_threshold(settings.threshold)
        if y_pred is None:
            raise given_alone(y_true)
        given, cells = settings.given, None
        if given is not None and weights is None:
            cells = given.count(y_true, y_pred, settings.n_threads)
        if cells is None:
            # Discovered classes have no positive one until all are known.
            cells = tally_labels(
                y_true,
                y_pred,
                labels=settings.labels,
                weights=weights,
                positive=settings.positive if settings.labels is not None else None,
                n_threads=settings.n_threads,
                is_part=True,
            )
        with self._lock:
            self._refuse_mixed("cells")
            self._land()
            self._add(Counted(cells))
            self._tallies = self._tallies.warned(*_of_order(y_true, {"y_pred": y_pred}, weights))

    def _update_sets(self, y_true: Any, y_pred: Any, weights: Any, **scores: Any) -> None:
        settings = self._settings
        has_scores = any(values is not None for values in scores.values())
        chosen = settings.of_one_class
        if has_scores:
            # Labels are predicted at or above it, as for two classes.
            chosen.pop("threshold", None)
        refuse("Stream", "sets", chosen)
        chosen = {"labels": settings.labels, "positive": settings.positive, "weights": weights}
        threshold = settings.threshold if has_scores else None
        rows = set_rows(y_true, y_pred, **scores, **chosen, threshold=threshold, is_part=True)
        with self._lock:
            self._refuse_mixed("sets")
            self._land()
            self._add(rows)

    def merge(self, other: Stream) -> Stream:
        """Add the content of another stream, which is unchanged; return this stream.

        Errors:
            K202 their settings differ; K201, K203 as in `update`; K108 strings against numbers.

        Cost: that of adding two tallies, for any number of rows.
        """
        part = self._part_of("merge", other, "Give a karat.Stream; update() adds rows.")
        with self._lock:
            self._land()
            for kind in _KINDS:
                if getattr(part, kind) is not None:
                    self._refuse_mixed(kind)
            self._add(part)
        return self

    def all_reduce(self, group: Any = None) -> Stream:
        """Merge the streams of all processes of torch.distributed, so that each has the total.

        Every process must call it, even without rows. Streams are merged in the order of their
        ranks, so that all processes get the same stream. It returns this stream. Call it once: a
        second call would add the totals.

        Args:
            group: process group of torch.distributed; None: all processes.

        Errors:
            K216 there is no process group, another process could not send its stream, or it was
            called before; K201, K202, K203 as in `merge`. Every process raises the same error.

        Cost: every process receives the bytes of all others, padded to the longest, and merges
        them. Use it at the end of an epoch.
        """
        with self._lock:
            own, problem = None, None
            try:
                if self._is_whole:
                    raise error(
                        "K216",
                        found="all_reduce() was called again: this stream holds the rows of every "
                        "process",
                        do="Call reset() before the rows of the next epoch. To go on adding rows "
                        "to this one, reduce a copy: copy.copy(stream).all_reduce().",
                    )
                own = self.to_bytes()
            except KaratError as found:
                problem = found
            parts = all_gathered(own, group)
            if problem is not None:
                raise problem
            failed = [rank for rank, part in enumerate(parts) if part is None]
            if failed:
                raise error(
                    "K216",
                    found=f"The process of rank {failed[0]} could not hand over its stream",
                    do="Its own error states the reason.",
                )
            whole = Stream.from_bytes(parts[0] or b"")
            for part in parts[1:]:
                whole.merge(Stream.from_bytes(part or b""))
            self._check_same(whole)
            self._tallies = whole._tallies
            self._is_whole = True
        return self

    def subtract(self, other: Stream) -> Stream:
        """Subtract the content of another stream that this one merged: for sliding windows.

        Only counts of labels can be subtracted exactly.

        Errors:
            K208 this stream does not contain it; K215 it is not a stream; K217 rows with scores or
            weights; K201, K202.
        """
        part = self._part_of("subtract", other, "Give the karat.Stream that was merged in.")
        with self._lock:
            self._land()
            for kind in ("scores", "sets"):
                if any(getattr(one, kind) is not None for one in (part, self._tallies)):
                    raise error("K217", found=f"Streams of {_KINDS[kind]} were subtracted")
            if part.cells is not None:
                cells = _without(self._tallies.cells, part.cells)
                self._tallies = replace(self._tallies, cells=cells)
        return self

    def reset(self) -> None:
        """Remove all rows; keep the settings."""
        with self._lock:
            self._forget()

    @verb
    def report(self, request: Request) -> Report:
        """Return the report of all rows so far.

        Errors:
            K101 there are no rows; K115 all weights are 0; K134 the classes do not match the
            columns; K237 such intervals need a level, and no replicates; K301 to K309 metrics.
        """
        settings, anytime, metrics = self._settings, request.anytime, request.metrics
        if anytime is not None:
            settings = replace(settings, confidence={**settings.confidence, "anytime": anytime})
            if self._tallies.sets is not None:
                refuse("Stream", "sets", {"anytime": planned_units(anytime)})
        if metrics is not None:
            settings = replace(settings, metrics=texts_of(metrics))
        if settings.prevalence is not None and settings.is_frequency:
            refuse("any", "counted weights", {"prevalence": settings.prevalence})
        with self._lock:
            self._land()
            found = self._tallies
        if not found.n_rows:
            raise error("K101", argument="The stream")
        cells = found.cells
        if cells is not None and settings.positive is not None and settings.labels is None:
            cells = reorder(cells, classes_of(cells.classes.labels, settings.positive))
            found = replace(found, cells=cells)
        try:
            report = report_of(found, settings.spec)
        except KaratError as problem:
            raise _of_streams(problem) from None
        if not isinstance(report, ClassReport):
            return report
        report = dressed(report, settings.class_names, is_frequency=settings.is_frequency)
        if settings.wanted is not None:
            # A metric that these classes do not have is an error here, not when it is printed.
            _ = report.metrics
        return report

    def to_bytes(self) -> bytes:
        """Return the stream as bytes that `from_bytes` of this and every later version reads.

        Metrics are stored by name: those of other packages must be registered where the stream is
        read.
        """
        with self._lock:
            self._land()
            facts, whole = packed_tallies(self._tallies)
        header = {"species": "stream", "settings": self._settings.to_dict(), **facts}
        return framed(header, {"parts": whole})

    @classmethod
    def from_bytes(cls, data: bytes) -> Stream:
        """Read a stream written by `to_bytes`.

        Nothing is executed, and nothing is allocated beyond the length of `data`.

        Errors:
            K205 the bytes are truncated, altered or not a stream; K206 a newer version wrote them.
        """
        settings, tallies = read_stream(data)
        found = cls.__new__(cls)
        found._settings = settings
        found._begin()
        found._add(tallies)
        return found

    def __reduce__(self) -> tuple[Callable[[bytes], Stream], tuple[bytes]]:
        return Stream.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"<karat.Stream: {self.n_rows} rows>"

    def _repr_html_(self) -> str:
        from karat.output.forms import form

        return form(_as_html, self)


def _has_no_rows(values: Any) -> bool:
    """True of nothing, and of an array or a list without rows."""
    if values is None or isinstance(values, list | tuple):
        return not values
    shape = getattr(values, "shape", None)
    # The number of rows in partitions is not known.
    return isinstance(shape, tuple) and bool(shape) and isinstance(shape[0], int) and not shape[0]
