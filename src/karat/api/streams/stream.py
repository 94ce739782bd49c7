"""`Stream`: metrics of rows that come in batches, or from many processes, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy.typing as npt

from karat.api.arguments import dressed, given_alone
from karat.api.measuring import report_of
from karat.api.results import Report
from karat.api.score_functions import given_scores
from karat.api.streams.devices import StreamDevices
from karat.api.streams.settings import Settings, mixed, no_stream, reduced_again, scores_taken_away
from karat.data.accumulator import Batch, Tallies
from karat.data.labels.align import classes_of
from karat.data.labels.column import declared_labels
from karat.data.locks import OwnLock
from karat.data.part_bytes import packed_tallies, unpacked_tallies
from karat.data.rows import Counted
from karat.data.sources.arrays.labels import tally_labels
from karat.data.sources.torch.tensors import DeviceArrays, all_gathered, device_arrays
from karat.errors import KaratError, error
from karat.errors.habits import names_its_arguments
from karat.metrics import Metric
from karat.tally import Cells, Label, occurring, subtract, union
from karat.tally.held_rows import HeldRows
from karat.tally.score_histograms import ScoreHistograms
from karat.tally.serialization import damaged, framed, unframed

__all__ = ["Stream", "stream_from_bytes", "stream_to_bytes", "without"]

_SPECIES: Final = "stream"


def stream_to_bytes(settings: Settings, found: Tallies) -> bytes:
    """Bytes that `stream_from_bytes` of this and every later version reads."""
    facts, whole = packed_tallies(found)
    header = {"species": _SPECIES, "settings": settings.to_dict(), **facts}
    return framed(header, {"parts": whole})


def stream_from_bytes(data: bytes) -> tuple[Settings, Tallies]:
    """What `stream_to_bytes` was given.

    Errors:
        K205 the bytes are truncated, altered or no stream; K206 a newer version wrote them;
        K301 metrics that are not registered here.
    """
    try:
        return unframed(data, ("parts",), _assembled, ("parts",))
    except KaratError as problem:
        if problem.context.get("thing") != "tally":
            raise
        facts = {**problem.context, "thing": "stream"}
        if problem.code == "K205":
            facts["do"] = "Write the stream again with to_bytes() and copy all of its bytes."
        raise error(problem.code, **facts) from None


def _assembled(
    header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
) -> tuple[Settings, Tallies]:
    if header["species"] != _SPECIES:
        raise damaged(f"It holds {header['species']!r}, not a {_SPECIES}")
    try:
        settings = Settings.from_dict(header["settings"])
    except KaratError as problem:
        if problem.code == "K301":
            raise
        raise damaged(f"Its settings cannot be read: {problem}") from None
    parts = unpacked_tallies(header, arrays["parts"], settings.empty)
    scores = parts.scores
    held, histograms = (None, None) if scores is None else (scores.held, scores.histograms)
    found = _contradiction(settings, parts.cells, held, histograms)
    if found:
        raise damaged(found)
    if parts.crossed or (held is not None and held.axes):
        raise damaged("A stream has no clusters and no slices")
    return settings, parts


def _contradiction(
    settings: Settings,
    cells: Cells | None,
    held: HeldRows | None,
    histograms: ScoreHistograms | None,
) -> str | None:
    """What the parts contradict, or None."""
    parts = [part for part in (cells, held, histograms) if part is not None]
    labels = {part.classes.labels for part in parts}
    if settings.labels is not None:
        labels.add(settings.labels)
    if len(labels) > 1:
        return "Its parts are not of the same classes"
    if settings.threshold is not None:
        shapes = [part.shape[0] or 2 for part in (held,) if part is not None]
        shapes += [part.classes.k for part in (histograms,) if part is not None]
        if any(k != 2 for k in shapes) or cells is not None:
            return "A threshold is of two classes with scores"
    if held is None or histograms is None:
        return None
    columns = None if histograms.is_single else histograms.classes.k
    facts = held.is_prob, held.shape[0], held.shape[2]
    if facts != (histograms.is_prob, columns, histograms.is_weighted):
        return "Its rows and its tables do not go together"
    return None


def without(whole: Cells | None, part: Cells) -> Cells | None:
    """The tally without a part, on the classes that are left: those that only it has are none."""
    if whole is None:
        whole = replace(part, counts=part.counts * 0, n_rows=part.n_rows * 0)
    nothing = replace(part, counts=part.counts * 0, n_rows=part.n_rows * 0)
    of_whole = replace(whole, counts=whole.counts * 0, n_rows=whole.n_rows * 0)
    rest = occurring(subtract(union(whole, nothing), union(part, of_whole)))
    return rest if rest.classes.is_declared or rest.n_rows else None


class Stream:
    """A report that grows: rows are added batch by batch, streams of other processes are merged.

    The report is that of `karat.evaluate` on all rows, whatever the batches were and in whatever
    order they came. Of labels the confusion matrix is kept. Rows with scores are kept while they
    take at most `max_memory` bytes; beyond that their distinct scores are counted, exactly while
    those fit, then in buckets: results that depend on them say ``exact=False`` and between which
    `bound` the exact value lies.

    Args:
        labels: the classes in order; default: the sorted labels that come. With scores, labels that
            are not given must all have come before `max_memory` is reached.
        class_names, positive, threshold, metrics, level, method, side, design, weights_are, seed,
            n_replicates, undefined, n_threads: as of `karat.evaluate`.
        max_memory: bytes that rows with scores may take, at least 1 MiB.

    Streams are safe to use from many threads at once, and in a forked process; they can be pickled.
    Tensors on a device are tallied there, and with `labels` nothing waits for the device before the
    stream is read: an error of such rows is raised then, see docs/devices.md.

    Errors:
        K122 a choice that is none; K301 unknown metrics.

    Example:
        >>> import karat
        >>> stream = karat.Stream()
        >>> stream.update(["cat", "dog"], ["cat", "cat"])
        >>> other = karat.Stream()
        >>> other.update(["dog"], ["dog"])
        >>> stream.merge(other).report()["accuracy"].value == 2 / 3
        True
    """

    @names_its_arguments
    def __init__(
        self,
        *,
        labels: Sequence[Label] | None = None,
        class_names: Sequence[str] | Mapping[Label, str] | None = None,
        positive: Label | None = None,
        threshold: float | None = None,
        metrics: str | Metric | Iterable[str | Metric] | None = None,
        level: float | None = 0.95,
        method: str | None = None,
        side: str = "both",
        design: str = "cohort",
        weights_are: str = "importance",
        seed: int = 0,
        n_replicates: int = 1000,
        undefined: str = "zero",
        n_threads: int | None = None,
        max_memory: int = 1 << 28,
    ) -> None:
        declared = None if labels is None else declared_labels(labels)
        self._settings = Settings.of(
            labels=declared,
            class_names=class_names,
            positive=positive,
            threshold=threshold,
            metrics=metrics,
            level=level,
            method=method,
            side=side,
            design=design,
            weights_are=weights_are,
            seed=seed,
            n_replicates=n_replicates,
            undefined=undefined,
            n_threads=n_threads,
            max_memory=max_memory,
        )
        self._begin()

    def _begin(self) -> None:
        self._lock = OwnLock()
        self._forget()

    def _forget(self) -> None:
        self._tallies = Tallies()
        self._devices = StreamDevices(self._settings.empty, self._settings.labels)
        self._is_whole = False

    @property
    def n_rows(self) -> int:
        """Rows added so far."""
        with self._lock:
            return self._tallies.n_rows + self._devices.n_rows

    @names_its_arguments
    def update(
        self,
        y_true: Any,
        y_pred: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        weights: Any = None,
    ) -> None:
        """Add rows; a batch that cannot be added is refused whole, and nothing is changed.

        Of rows on a device it may turn out later that they cannot: then the stream is not read.

        Args:
            y_true: true labels, [n].
            y_pred: predicted labels, [n]; with scores: where they are not those of the scores.
            y_prob, y_score: probabilities or scores, float[n, k] or float[n]; see `karat.evaluate`.
            weights: float[n], or None; in every batch or in none.

        Errors:
            K101 to K118, K124 labels and weights; K130 to K137 scores; K127 to K129 no true
            labels, no predictions, two kinds of scores; K126 an argument that it does not have;
            K201, K202, K203, K180 a batch of another kind than those before.

        Cost: one pass over the batch; with scores, it is kept, or sorted column by column.
        """
        if y_true is None:
            raise error("K127", others="y_pred=")
        rows = device_arrays(y_true, y_pred, y_prob, y_score, weights)
        if rows is not None and self._update_on_device(rows):
            return
        if y_prob is None and y_score is None:
            self._update_labels(y_true, y_pred, weights)
            return
        scores = given_scores(y_prob, y_score)
        with self._lock:
            if self._has_labels:
                raise mixed("rows with scores", "labels alone")
            self._land()
            before = self._tallies.scores
            known = () if before is None else before.classes.labels
            self._add(self._settings.reader.rows(y_true, scores, y_pred, weights, known))

    def _add(self, batch: Batch) -> None:
        settings = self._settings
        self._tallies = self._tallies.plus(batch, settings.empty, settings.n_threads)

    @property
    def _has_labels(self) -> bool:
        return self._tallies.cells is not None or self._devices.has_labels

    @property
    def _has_scores(self) -> bool:
        return self._tallies.scores is not None or self._devices.has_scores

    def _update_on_device(self, rows: DeviceArrays) -> bool:
        """Add rows of a device; False where the host must read them: what `update` does first."""
        if rows.scores is None and (rows.pred is None or self._settings.threshold is not None):
            return False
        with self._lock:
            if rows.scores is None and self._has_scores:
                raise mixed("labels alone", "rows with scores")
            if rows.scores is not None and self._has_labels:
                raise mixed("rows with scores", "labels alone")
            self._check_weighted(rows)
            is_added = self._devices.add(rows, self._tallies.scores, is_part=True)
            if self._settings.labels is None and (not is_added or rows.scores is None):
                # The host goes on from all rows before; classes of labels may change every time.
                self._land()
            return is_added

    def _check_weighted(self, rows: DeviceArrays) -> None:
        """Refuse labels that are not weighted as those of the host are."""
        cells = self._tallies.cells
        if cells is None or rows.scores is not None:
            return
        if cells.is_weighted != (rows.weights is not None):
            kinds = ["unweighted", "weighted"]
            raise error("K203", left=kinds[cells.is_weighted], right=kinds[not cells.is_weighted])

    def _land(self) -> None:
        """Take what the devices hold; they are waited for.

        Errors:
            K104, K105, K109, K113 to K115, K125, K131 to K133 of rows that were added before.
        """
        cells, scores = self._devices.landed(self._tallies.scores)
        if cells is not None or scores is not None:
            self._add(Tallies(cells, scores))
        self._devices.clear()

    def _update_labels(self, y_true: Any, y_pred: Any, weights: Any) -> None:
        settings = self._settings
        if settings.threshold is not None:
            found = "There are no probabilities or scores"
            raise error("K136", threshold=settings.threshold, found=found)
        if y_pred is None:
            raise given_alone(y_true)
        given, cells = settings.given, None
        if given is not None and weights is None:
            cells = given.count(y_true, y_pred, settings.n_threads)
        if cells is None:
            # Discovered classes have no positive one before all are known.
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
            if self._has_scores:
                raise mixed("labels alone", "rows with scores")
            self._land()
            self._add(Counted(cells))

    def merge(self, other: Stream) -> Stream:
        """Add what another stream holds, which stays as it is; this stream is returned.

        Errors:
            K202 their settings differ; K201, K203 as of `update`; K108 strings against numbers.

        Cost: that of adding two tallies, whatever the number of rows.
        """
        if not isinstance(other, Stream):
            raise no_stream("merge", other, "Give a karat.Stream; update() adds rows.")
        with other._lock:
            other._land()
            part = other._tallies
        self._settings.check_same(other._settings)
        with self._lock:
            self._land()
            if part.cells is not None and self._tallies.scores is not None:
                raise mixed("labels alone", "rows with scores")
            if part.scores is not None and self._tallies.cells is not None:
                raise mixed("rows with scores", "labels alone")
            self._add(part)
        return self

    def all_reduce(self, group: Any = None) -> Stream:
        """Merge the streams of all processes of torch.distributed: each then holds the whole.

        Every process calls it, whatever it added, also nothing; they are merged in the order of
        their ranks, so that all end with the same stream. This stream is returned. It is called
        once: a second time the wholes would be added up.

        Args:
            group: of torch.distributed; None: all processes.

        Errors:
            K216 no group of processes was started, another process could not hand over its
            stream, or it was called before; K201, K202, K203 as of `merge`: in every process alike.

        Cost: every process receives the bytes of all others, padded to the longest, and merges
        them. It is meant for the end of an epoch.
        """
        with self._lock:
            own, problem = None, None
            try:
                if self._is_whole:
                    raise reduced_again()
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
                    do="Its own error says why.",
                )
            whole = Stream.from_bytes(parts[0] or b"")
            for part in parts[1:]:
                whole.merge(Stream.from_bytes(part or b""))
            self._settings.check_same(whole._settings)
            self._tallies = whole._tallies
            self._is_whole = True
        return self

    def subtract(self, other: Stream) -> Stream:
        """Take away what another stream holds and this one once merged: a window that moves on.

        Only counts of labels can be taken away exactly.

        Errors:
            K208 this stream does not hold it; K215 it is no stream; K217 rows with scores or
            weights; K201, K202.
        """
        if not isinstance(other, Stream):
            raise no_stream("subtract", other, "Give the karat.Stream that was merged in.")
        with other._lock:
            other._land()
            part = other._tallies
        self._settings.check_same(other._settings)
        with self._lock:
            self._land()
            if part.scores is not None or self._tallies.scores is not None:
                raise scores_taken_away()
            if part.cells is not None:
                self._tallies = Tallies(without(self._tallies.cells, part.cells))
        return self

    def reset(self) -> None:
        """Forget every row; what the stream was asked for stays."""
        with self._lock:
            self._forget()

    def report(self, metrics: str | Metric | Iterable[str | Metric] | None = None) -> Report:
        """The report of all rows so far.

        Args:
            metrics: names to compute, or one name; default: those of the stream.

        Errors:
            K101 there are no rows; K115 all weigh nothing; K134 classes that do not fit the
            columns; K301 to K309 metrics.
        """
        settings = self._settings if metrics is None else self._settings.asking(metrics)
        with self._lock:
            self._land()
            found = self._tallies
        if not found.n_rows:
            raise error("K101", argument="The stream")
        cells = found.cells
        if cells is not None and settings.positive is not None and settings.labels is None:
            cells = cells.with_classes(classes_of(cells.classes.labels, settings.positive))
            found = replace(found, cells=cells)
        report = report_of(found, settings.spec)
        report = dressed(report, settings.class_names, is_frequency=settings.is_frequency)
        if settings.wanted is not None:
            # A metric that these classes do not have is an error here, not when it is printed.
            _ = report.metrics
        return report

    def to_bytes(self) -> bytes:
        """The stream as bytes that `from_bytes` of this and every later version reads.

        Metrics are named, not stored: those of other packages must be registered where it is read.
        """
        with self._lock:
            self._land()
            return stream_to_bytes(self._settings, self._tallies)

    @classmethod
    def from_bytes(cls, data: bytes) -> Stream:
        """Read a stream written by `to_bytes`.

        Nothing is executed, and nothing is allocated beyond the length of `data`.

        Errors:
            K205 the bytes are truncated, altered or no stream; K206 a newer version wrote them.
        """
        settings, tallies = stream_from_bytes(data)
        found = cls.__new__(cls)
        found._settings = settings
        found._begin()
        found._add(tallies)
        return found

    def __reduce__(self) -> tuple[Callable[[bytes], Stream], tuple[bytes]]:
        return Stream.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"<karat.Stream: {self.n_rows} rows>"
