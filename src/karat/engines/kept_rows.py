"""One model's rows, whatever they hold and wherever they lie, to be compared with another's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from karat.engines.decided import checked_threshold
from karat.engines.label_rows import LabelRows
from karat.engines.row_names import RowNames
from karat.engines.scores import ScoreTally
from karat.engines.table_rows import TableRows, numbered
from karat.errors import error
from karat.inputs.scores import Scores
from karat.inputs.weights import Weights
from karat.tally import Classes

__all__ = ["KeptRows", "of_scores", "read_rows"]

Codes = npt.NDArray[np.int32]
Rows = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class KeptRows:
    """Rows of one model.

    Attributes:
        name: what messages call them: a path, ``"the baseline"``.
        classes: the class axis.
        true, pred: int32[n], classes of each row.
        scores: float[n, k], or float[n] of the positive class; None without any.
        is_prob: whether the scores are probabilities.
        weights: float64[n], or None.
        clusters, ids, slices: what each row belongs to, or is called; or None.
        mapping: column by role.
        source: where the rows came from.
        warnings: sentences the reader should see.
    """

    name: str
    classes: Classes
    true: Codes
    pred: Codes
    scores: Rows | None = None
    is_prob: bool = False
    weights: Weights | None = None
    clusters: RowNames | None = None
    ids: RowNames | None = None
    slices: RowNames | None = None
    mapping: Mapping[str, Any] | None = None
    source: Mapping[str, Any] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.true)

    def at(self, rows: Rows) -> KeptRows:
        """Some of the rows: bool[n], or their places."""
        named = [None if x is None else x.at(rows) for x in (self.clusters, self.ids, self.slices)]
        return replace(
            self,
            true=self.true[rows],
            pred=self.pred[rows],
            scores=None if self.scores is None else self.scores[rows],
            weights=None if self.weights is None else self.weights[rows],
            clusters=named[0],
            ids=named[1],
            slices=named[2],
        )

    def on(self, classes: Classes) -> KeptRows:
        """The same rows on a class axis that holds every class of theirs."""
        if classes.labels == self.classes.labels:
            return replace(self, classes=classes)
        place = {label: i for i, label in enumerate(classes.labels)}
        lut = np.array([place[label] for label in self.classes.labels], np.int32)
        return replace(self, classes=classes, true=lut[self.true], pred=lut[self.pred])


def read_rows(
    source: Any,
    name: str,
    columns: Mapping[str, Any],
    *,
    labels: Any = None,
    positive: Any = None,
    threshold: float | None = None,
    nulls: str = "error",
    n_threads: int | None = None,
    where: str | None = None,
    labels_are_text: bool = False,
    progress: Any = None,
) -> KeptRows:
    """The rows of a table or of files, in their order.

    Args:
        source: what `rows_of_frame` or `rows_of_files` reads.
        name: what messages call it.
        columns: the column of each role, or None: ``true``, ``pred``, ``prob``, ``score``,
            ``weights``, ``clusters``, ``ids`` and ``by``.
        threshold: predict the positive class of two from this score on.

    Errors:
        As `rows_of_frame` and `rows_of_files`.
    """
    named = dict(columns)
    if threshold is not None and named.get("pred"):
        raise error("K136", threshold=threshold, found="A column of predictions is given too")
    options = {"labels": labels, "positive": positive, "nulls": nulls, "n_threads": n_threads}
    if _is_files(source):
        from karat.engines.file_rows import rows_of_files
        from karat.engines.row_places import told_of_files

        options |= {"where": where, "labels_are_text": labels_are_text, "progress": progress}

        def read(**given: Any) -> Any:
            with told_of_files(where, source):
                return rows_of_files(source, keeps_rows=True, **given, **options)
    else:
        from karat.engines.frame_rows import rows_of_frame

        def read(**given: Any) -> Any:
            return rows_of_frame(source, keeps_rows=True, **given, **options)

    found: TableRows | LabelRows = read(**named)
    if isinstance(found, LabelRows):
        if threshold is not None:
            raise error("K136", threshold=threshold, found="There are no probabilities or scores")
        return KeptRows(
            name, found.classes, found.true, found.pred, None, False, found.weights,
            found.clusters, found.ids, found.slices, found.mapping, found.source, found.warnings,
        )  # fmt: skip
    return _scored(name, found, threshold, n_threads or 0)


def _scored(name: str, found: TableRows, threshold: float | None, n_threads: int) -> KeptRows:
    at = checked_threshold(threshold, found.classes)
    pred = found.pred if threshold is None else None
    with numbered(found.kept):
        return of_scores(
            name, found.classes, found.true, found.scores, pred, found.weights, at, n_threads,
            clusters=found.clusters, ids=found.ids, slices=found.slices, mapping=found.mapping,
            source=found.source, warnings=found.warnings,
        )  # fmt: skip


def of_scores(
    name: str,
    classes: Classes,
    true: Codes,
    scores: Scores,
    pred: Codes | None,
    weights: Weights | None,
    threshold: float | None,
    n_threads: int,
    **facts: Any,
) -> KeptRows:
    """Rows with scores, their predictions made where there are none; each score is looked at.

    Errors:
        K13x a value is no probability or not finite; K113 to K115 bad weights.
    """
    rows = ScoreTally(classes, true, scores, weights, pred, threshold, n_threads)
    rows.check()
    said = np.asarray(rows.predicted() if pred is None else pred, np.int32)
    return KeptRows(name, classes, true, said, scores.values, scores.is_prob, weights, **facts)


def _is_files(source: Any) -> bool:
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(item, str | PathLike) for item in source)
    return isinstance(source, str | PathLike)
