"""`ScoreHistograms`: compact tally of rows with scores when there are too many to keep.

The confusion matrix and the losses are exact, and all there is for metrics that read nothing else.
Each column is a `ScoreHistogram`: exact while its
distinct scores are few, in buckets beyond that. A sample of rows represents the joint distribution
of columns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

import numpy as np

from karat.errors import error
from karat.tally import serialization
from karat.tally.algebra import merge
from karat.tally.cells import Cells
from karat.tally.classes import Classes
from karat.tally.row_sample import RowSample
from karat.tally.score_histogram import EXACT, ScoreHistogram, other_totals
from karat.tally.score_kind import ScoreKind, kind_of_header
from karat.tally.serialization import damaged, framed, read_tally
from karat.tally.shared import Numbers
from karat.tally.sums import LOSSES, Sums

_SPECIES: Final = "scored_tables"
_PARTS: Final = ("cells", "sums", "sample", "ranks", "probabilities", "confidences")


@dataclass(frozen=True, eq=False)
class ScoreHistograms:
    """Tally of rows with a true class and scores: immutable, combined by `merge`.

    Attributes:
        cells: the confusion matrix of the predicted classes.
        sums: every loss, and ranks.
        ranks: histogram of each column of scores, or of the one column of the positive class; empty
            if only counts and losses are kept: then there are no other histograms, and no sample.
        probabilities: histogram of each softmax column; empty if scores are probabilities, or if
            one column represents both.
        confidences: histogram of the probability of the predicted class, with the classes wrong and
            right; None if one column represents it.
        sample: rows with their scores.
        kind: whether the scores are probabilities, logits or others.
        limit: number of score levels of each histogram.
        has_pred: whether predictions were given in addition to the scores.
        pooled: function that makes the histogram of every row and class, as
            `tally.histogram_views.pooled_histogram`, if the histograms are too large to be joined
            in memory; else None. It is not written.
    """

    cells: Cells
    sums: Sums
    ranks: tuple[ScoreHistogram, ...]
    probabilities: tuple[ScoreHistogram, ...]
    confidences: ScoreHistogram | None
    sample: RowSample
    kind: ScoreKind
    limit: int
    has_pred: bool = False
    pooled: Callable[[], ScoreHistogram] | None = None

    @property
    def is_prob(self) -> bool:
        """True if the scores are probabilities."""
        return self.kind == "probabilities"

    @property
    def classes(self) -> Classes:
        """The classes, in the order of the columns."""
        return self.cells.classes

    @property
    def n_rows(self) -> int:
        """Number of rows, including those of weight 0."""
        return self.sums.n_rows

    @property
    def is_weighted(self) -> bool:
        """True if rows have weights."""
        return self.sums.is_weighted

    @property
    def is_single(self) -> bool:
        """True if one column represents both of two classes."""
        return len(self.ranks) == 1

    @property
    def histograms(self) -> tuple[ScoreHistogram, ...]:
        """Every histogram of scores."""
        last = () if self.confidences is None else (self.confidences,)
        return (*self.ranks, *self.probabilities, *last)

    @property
    def is_exact(self) -> bool:
        """True if every score level of every histogram is one score."""
        return all(table.is_exact for table in self.histograms)

    @property
    def bits(self) -> int:
        """Precision in bits of the coarsest histogram."""
        return min((table.bits for table in self.histograms), default=EXACT)

    @property
    def has_columns(self) -> bool:
        """True if there are histograms of scores, not only counts and losses."""
        return bool(self.ranks)

    def without_columns(self) -> ScoreHistograms:
        """Return the counts and the losses alone; one column of two classes stays."""
        if self.is_single:
            return self
        k = self.classes.k
        sample = RowSample.empty(k, k, 1, is_weighted=self.is_weighted)
        return replace(self, ranks=(), probabilities=(), confidences=None, sample=sample, limit=1)

    def merge(self, other: ScoreHistograms) -> ScoreHistograms:
        """Return the tally of the two data sets read one after the other.

        The result is the same for any order of merges: exactly for counts, up to rounding for sums.

        Errors:
            K201 the classes or columns differ; K202 the scores are of different kinds;
            K203 only one is weighted.

        Cost: O(score levels) of every table.
        """
        if self.kind != other.kind:
            raise error("K202", axis="scores", left=self.kind, right=other.kind)
        if len(self.ranks) != len(other.ranks):
            columns = [f"{len(one.ranks)} columns of scores" for one in (self, other)]
            raise error("K201", left=columns[0], right=columns[1])
        limit = min(self.limit, other.limit)
        merged = [
            one.merge(two).within(limit)
            for one, two in zip(self.histograms, other.histograms, strict=True)
        ]
        n, m = len(self.ranks), len(self.ranks) + len(self.probabilities)
        return ScoreHistograms(
            merge(self.cells, other.cells),
            self.sums.merge(other.sums),
            tuple(merged[:n]),
            tuple(merged[n:m]),
            next(iter(merged[m:]), None),
            self.sample.merge(other.sample),
            self.kind,
            limit,
            self.has_pred,
        )

    def to_bytes(self) -> bytes:
        """Return the tally as bytes that `from_bytes` of this and every later version reads."""
        last = () if self.confidences is None else (self.confidences,)
        tallies = ((self.sums,), (self.sample,), self.ranks, self.probabilities, last)
        each = [[part.to_bytes() for part in parts] for parts in tallies]
        parts = dict(zip(_PARTS, ([serialization.to_bytes(self.cells)], *each), strict=True))
        sizes = {name: [len(item) for item in items] for name, items in parts.items()}
        header = {
            "species": _SPECIES,
            "kind": self.kind,
            "limit": self.limit,
            "has_pred": self.has_pred,
            "sizes": sizes,
        }
        whole = b"".join(chain.from_iterable(parts.values()))
        return framed(header, {"parts": np.frombuffer(whole, np.uint8)})

    @classmethod
    def from_bytes(cls, data: bytes) -> ScoreHistograms:
        """Read a tally written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or not such a tally; K206 a newer version wrote
            them.
        """
        return read_tally(data, _SPECIES, ("parts",), _assembled, _inconsistency, short=("parts",))

    def named(self, classes: Classes) -> ScoreHistograms:
        """Return the same tally with other display names of its classes."""
        return replace(self, cells=replace(self.cells, classes=classes))


def _assembled(header: dict[str, Any], arrays: dict[str, Numbers]) -> ScoreHistograms:
    whole, at = arrays["parts"].tobytes(), 0
    parts: dict[str, list[bytes]] = {}
    for name in _PARTS:
        parts[name] = []
        for size in header["sizes"][name]:
            if type(size) is not int or size < 0:
                raise damaged(f"A part of {size!r} bytes")
            parts[name].append(whole[at : at + size])
            at += size
    if at != len(whole):
        raise damaged(f"{len(whole) - at} bytes are left over after the parts")
    read = ScoreHistogram.from_bytes
    return ScoreHistograms(
        serialization.from_bytes(*parts["cells"]),
        Sums.from_bytes(*parts["sums"]),
        tuple(map(read, parts["ranks"])),
        tuple(map(read, parts["probabilities"])),
        read(*parts["confidences"]) if parts["confidences"] else None,
        RowSample.from_bytes(*parts["sample"]),
        kind_of_header(header),
        header["limit"],
        header.get("has_pred", False),
    )


def _inconsistency(found: ScoreHistograms) -> str | None:
    """Return a contradiction in the data, or None."""
    k, is_single = found.classes.k, found.is_single
    if {type(found.has_pred), type(found.limit)} != {bool, int} or found.limit < 1:
        return "Whether predictions were given, or how many scores are kept, is missing"
    n_columns = k if found.has_columns else 0
    if len(found.ranks) != (1 if is_single and k == 2 else n_columns):
        return "There is not one table a class"
    has_softmax = not (found.is_prob or is_single)
    if len(found.probabilities) != (n_columns if has_softmax else 0):
        return "There is not one table of probabilities a class"
    if (found.confidences is None) != (is_single or not found.has_columns):
        return "The confidences are missing, or too many"
    if len(found.sample) and not found.has_columns:
        return "There are rows of a sample without tables of scores"
    parts = [*found.ranks, *found.probabilities]
    if any(table.k != k for table in parts) or found.sums.k != k or found.sample.k != k:
        return "The parts are not of the same classes"
    if set(found.sums.names) != set(LOSSES) or found.sums.ranks is None:
        return "Some sums of losses are missing, or unknown"
    if found.confidences is not None and found.confidences.k != 2:
        return "Confidences are of right and wrong rows"
    if any(table.n_rows != found.n_rows for table in found.histograms):
        return "The parts are not of the same number of rows"
    if int(found.cells.n_rows) != found.n_rows:
        return "The confusion matrix is of another number of rows"
    flags = [table.is_weighted for table in found.histograms]
    flags += [found.cells.is_weighted, found.sample.weights is not None]
    if any(flag != found.is_weighted for flag in flags):
        return "Some parts are weighted, others are not"
    return _wrong_totals(found)


def _wrong_totals(found: ScoreHistograms) -> str | None:
    """Return whether the parts have different class totals."""
    right, wrong = found.cells.fields.tp, found.cells.fields.fn
    if other_totals(found.sums.truth, right + wrong):
        return "The sums of losses are of other rows of the classes than the confusion matrix"
    for table in (*found.ranks, *found.probabilities):
        if other_totals(table.counts.sum(axis=0), right + wrong):
            return "A table of scores is of other rows of the classes than the confusion matrix"
    if found.confidences is not None and not found.has_pred:
        held = found.confidences.counts.sum(axis=0)
        if other_totals(held, np.array([wrong.sum(), right.sum()])):
            return "The confidences are of other right rows than the confusion matrix"
    return None
