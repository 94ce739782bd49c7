"""`HeldSets`: rows with sets of labels while they are few; of more their tally and a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import error, shown
from karat.tally.axes import axes_of_header, too_many
from karat.tally.cached import cached_property
from karat.tally.cells import Axis
from karat.tally.classes import Classes, Label
from karat.tally.decision import Decision
from karat.tally.label_scores import LabelScores, ListedScores, ScoresOfSets
from karat.tally.row_sample import hashed_places
from karat.tally.score_kind import ScoreKind, kind_of_header
from karat.tally.serialization import (
    classes_of_facts,
    damaged,
    facts_of_axes,
    facts_of_classes,
    framed,
    unframed,
    wrong_classes,
)
from karat.tally.set_tally import SetRows, SetTally
from karat.tally.sets import Sets
from karat.tally.shared import check_weighting, common_labels, taken

Order = npt.NDArray[np.int64]

_SPECIES: Final = "held sets"
_SIDES: Final = ("true", "pred", "unknown")
_ARRAYS: Final = (
    *(f"{side}_{part}" for side in _SIDES for part in ("starts", "items")),
    "missing",
    "weights",
    "order",
    "tally",
    "scores",
    "codes",
    "listed_starts",
    "listed_items",
)
_SHORT: Final = (
    *(f"{side}_items" for side in (*_SIDES, "listed")),
    *("missing", "tally", "scores", "codes"),
)
_SCORES: Final = ("rows without scores", "rows with scores")
_MOST_SAMPLED: Final = 1 << 16
_BYTES_SAMPLED: Final = 1 << 8
"""Of each so many bytes that may be kept the sample holds a row."""


@dataclass(frozen=True, eq=False)
class HeldSets:
    """Rows with sets of labels: immutable, added by `merge`.

    Rows are kept while they take at most `max_memory` bytes. Of more the tally is exact, and a
    sample of rows says how labels go together. The sample is drawn by the number of each row, so
    that it does not depend on the batches.

    Attributes:
        chunks: the rows in the order in which they came, or the sample; each chunk on the labels
            that it has.
        counted: the tally of all rows, where only a sample is kept; None: all are.
        order: int64[m], what the sampled rows were drawn by, ascending; None where all are kept.

    Example:
        >>> ab = Classes.of(["a", "b"])
        >>> rows = SetRows(ab, Sets.of_matrix([[1, 0], [0, 1]]), Sets.of_matrix([[1, 0], [1, 1]]))
        >>> both = HeldSets.of(rows).merge(HeldSets.of(rows), 1 << 20)
        >>> both.n, both.is_sample, both.tally.counts[0].tolist()
        (4, False, [2, 2])
    """

    chunks: tuple[SetRows, ...]
    counted: SetTally | None = None
    order: Order | None = None
    n: int = field(kw_only=True)
    """Rows."""
    had_scores: bool = field(default=False, kw_only=True)
    """True if there were scores, which are not kept of a sample."""

    @classmethod
    def of(cls, rows: SetRows) -> HeldSets:
        """Rows of one batch, kept however many they are."""
        return cls((rows,), n=rows.n)

    @property
    def is_sample(self) -> bool:
        """True if only some of the rows are kept."""
        return self.counted is not None

    @cached_property
    def rows(self) -> SetRows:
        """All rows, or the sample, on one axis of labels."""
        found = _joined(self.chunks)
        return found if self.counted is None else found.on(self.counted.classes)

    @cached_property
    def tally(self) -> SetTally:
        """The tally of all rows."""
        return self.rows.tally if self.counted is None else self.counted

    @cached_property
    def classes(self) -> Classes:
        """The labels."""
        if self.counted is not None:
            return self.counted.classes
        return reduce(common_labels, [chunk.classes for chunk in self.chunks])

    @cached_property
    def n_bytes(self) -> int:
        """Bytes of the rows that are kept."""
        return sum(chunk.n_bytes for chunk in self.chunks)

    def merge(self, other: HeldSets, max_memory: int) -> HeldSets:
        """The rows of the one, then those of the other.

        Args:
            max_memory: bytes that rows may take to be kept.

        Errors:
            K108, K201, K203 as of `SetTally.merge`.

        Cost: O(chunks) while rows are kept, besides copies of which each row has few; beyond that
        that of two tallies.
        """
        kinds = [one.chunks[0].weights is not None for one in (self, other)]
        check_weighting(*kinds)
        if self.has_scores != other.has_scores:
            sides = [_SCORES[one.has_scores] for one in (self, other)]
            raise error("K202", axis="scores", left=sides[0], right=sides[1])
        # Refused with the batch that brings them.
        common_labels(self.chunks[-1].classes, other.chunks[0].classes)
        if self.counted is None and other.counted is None:
            chunks = _compacted([*self.chunks, *other.chunks])
            return HeldSets(chunks, n=self.n + other.n).within(max_memory)
        left, right = self.sampled(max_memory), other.sampled(max_memory, self.n)
        assert left.counted is not None
        assert right.counted is not None
        assert left.order is not None
        assert right.order is not None
        counted = left.counted.merge(right.counted)
        rows = left.rows.on(counted.classes).merge(right.rows.on(counted.classes))
        order = np.concatenate([left.order, right.order])
        found = _drawn(rows, order, counted, self.n + other.n, max_memory)
        return replace(found, had_scores=left.had_scores)

    def within(self, max_memory: int) -> HeldSets:
        """The same, as a sample where the rows take more than so many bytes."""
        return self if self.n_bytes <= max_memory else self.sampled(max_memory)

    def sampled(self, max_memory: int, first: int = 0) -> HeldSets:
        """The tally of the rows, and a sample of them.

        Args:
            first: rows that came before.
        """
        if self.counted is not None:
            return self
        if self.rows.axes:
            raise too_many(self.n, self.n_bytes, max_memory, self.rows.axes)
        order = hashed_places(first, self.n)
        # Metrics of scores take all rows: those of a sample are of no use.
        rows = replace(self.rows, scores=None)
        found = _drawn(rows, order, self.tally, self.n, max_memory)
        return replace(found, had_scores=self.has_scores)

    @property
    def has_scores(self) -> bool:
        """True if rows have scores, or had them."""
        return self.had_scores or self.chunks[0].scores is not None

    def renamed(self, labels: Sequence[Label]) -> HeldSets:
        """The same, each label called otherwise, in the order of the new ones.

        Args:
            labels: what each of `classes` is; no two are equal.
        """
        order = sorted(range(len(labels)), key=labels.__getitem__)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        named = Classes(tuple(labels[at] for at in order))
        rows = self.rows.on(self.classes)
        sides = [
            None if side is None else side.recoded(place, named.k)
            for side in (rows.true, rows.pred, rows.unknown)
        ]
        assert sides[0] is not None
        assert sides[1] is not None
        moved = replace(rows, classes=named, true=sides[0], pred=sides[1], unknown=sides[2])
        counted = self.counted
        if counted is not None:
            parts = {
                name: taken(getattr(counted, name), (slice(None), order))
                for name in ("counts", "weights", "squares")
            }
            counted = replace(counted, classes=named, **parts)
        return HeldSets((moved,), counted, self.order, n=self.n)

    def on(self, classes: Classes) -> HeldSets:
        """The same on labels that hold every label of it."""
        counted = None if self.counted is None else self.counted.on(classes)
        return replace(self, chunks=(self.rows.on(classes),), counted=counted)

    def to_bytes(self) -> bytes:
        """The rows as bytes that `from_bytes` of this and every later version reads."""
        rows = self.rows
        arrays: dict[str, Any] = {"weights": rows.weights, "order": self.order}
        for name in _SIDES:
            side = getattr(rows, name)
            if side is not None:
                arrays |= {f"{name}_starts": side.starts, f"{name}_items": side.items}
        scores = rows.scores
        if scores is not None:
            arrays["scores"] = scores.values
        if isinstance(scores, ListedScores):
            arrays |= {"listed_starts": scores.sets.starts, "listed_items": scores.sets.items}
        if rows.codes is not None:
            arrays["codes"] = rows.codes
        if rows.missing is not None:
            arrays["missing"] = rows.missing.astype(np.uint8)
        if self.counted is not None:
            arrays["tally"] = np.frombuffer(self.counted.to_bytes(), np.uint8)
        facts: dict[str, Any] = {"species": _SPECIES, "n": self.n}
        facts |= {"has_scores": self.has_scores, **facts_of_classes(rows.classes)}
        facts |= {} if scores is None else {"kind": scores.kind}
        facts |= {"axes": facts_of_axes(rows.axes)} if rows.axes else {}
        facts |= {"is_frequency": True} if rows.is_frequency else {}
        facts |= rows.decision.facts
        return framed(facts, {name: arrays.get(name) for name in _ARRAYS})

    @classmethod
    def from_bytes(cls, data: bytes) -> HeldSets:
        """Read rows written by `to_bytes`.

        Errors:
            K205 the bytes are truncated, altered or no such rows; K206 a newer version.
        """
        return unframed(data, _ARRAYS, _assembled, _SHORT)


def _joined(chunks: Sequence[SetRows]) -> SetRows:
    """Rows as one chunk, in their order: neighbors are put together, so that each is copied little.

    Errors:
        As of `SetRows.merge`.
    """
    parts = list(chunks)
    while len(parts) > 1:
        pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
        parts = [reduce(SetRows.merge, pair) for pair in pairs]
    return parts[0]


def _compacted(chunks: list[SetRows]) -> tuple[SetRows, ...]:
    """The same rows in few chunks: each is copied as often as chunks double, at most."""
    while len(chunks) > 1 and 2 * chunks[-1].n >= chunks[-2].n:
        last = chunks.pop()
        chunks[-1] = chunks[-1].merge(last)
    return tuple(chunks)


def _drawn(rows: SetRows, order: Order, counted: SetTally, n: int, max_memory: int) -> HeldSets:
    """The first of these rows in their order, as many as a sample has."""
    most = max(min(_MOST_SAMPLED, max_memory // _BYTES_SAMPLED), 1)
    first = np.argsort(order, kind="stable")[:most]
    return HeldSets((rows.at(first),), counted, order[first], n=n)


def _assembled(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> HeldSets:
    if header["species"] != _SPECIES:
        raise damaged(f"It holds {header['species']!r}, not {_SPECIES}")
    classes = classes_of_facts(header)
    if problem := wrong_classes(classes):
        raise damaged(problem)
    sides = {
        name: Sets(arrays[f"{name}_starts"], arrays[f"{name}_items"])
        for name in _SIDES
        if f"{name}_starts" in arrays or name != "unknown"
    }
    m = len(arrays["true_starts"]) - 1
    missing, weights, order = (arrays.get(name) for name in ("missing", "weights", "order"))
    problem = next(filter(None, (_wrong(side, m, classes.k) for side in sides.values())), None)
    if missing is not None and (missing.shape != (m,) or (missing > 1).any()):
        problem = "The rows that are not known do not fit"
    if weights is not None and not (
        weights.shape == (m,) and weights.dtype.kind == "f" and _are_weights(weights)
    ):
        problem = "The weights do not fit the rows"
    is_frequency = header.get("is_frequency", False)
    if type(is_frequency) is not bool or (
        is_frequency and (weights is None or (weights % 1.0 != 0.0).any())
    ):
        problem = "The weights are not numbers of rows"
    n = header["n"]
    counted = SetTally.from_bytes(arrays["tally"].tobytes()) if "tally" in arrays else None
    if type(n) is not int or n < m or (counted is None and n != m):
        problem = f"It does not hold {n!r} rows"
    if (counted is None) != (order is None):
        problem = "A sample goes with a tally"
    elif counted is not None and order is not None:
        if order.shape != (m,) or (order[1:] < order[:-1]).any():
            problem = "The sample is not in its order"
        # Rows that stand for several are counted as often.
        if counted.classes.labels != classes.labels or not (is_frequency or counted.n == n):
            problem = "The sample is not of its tally"
        if counted.is_weighted != (weights is not None and not is_frequency):
            problem = "Some rows are weighted and others are not"
    scores, values = None, arrays.get("scores")
    if values is not None:
        scores, wrong = _scores_of(arrays, kind_of_header(header), m, classes.k)
        problem = problem or wrong
    axes, codes = axes_of_header(header.get("axes", [])), arrays.get("codes")
    problem = problem or _wrong_axes(axes, codes, m)
    if type(header["has_scores"]) is not bool or (
        counted is None and header["has_scores"] != (scores is not None)
    ):
        problem = "The flag of scores does not fit the arrays"
    if problem:
        raise damaged(problem)
    rows = SetRows(
        classes,
        sides["true"],
        sides["pred"],
        sides.get("unknown"),
        None if missing is None else missing.astype(np.bool_),
        weights,
        scores,
        is_frequency,
        axes,
        codes,
        Decision.of_facts(header),
    )
    had_scores = counted is not None and header["has_scores"]
    return HeldSets((rows,), counted, order, n=n, had_scores=had_scores)


def _scores_of(
    arrays: Mapping[str, Any], kind: ScoreKind, n: int, k: int
) -> tuple[ScoresOfSets, str | None]:
    """The scores that were read, and what contradicts what in them, or None."""
    values, starts = arrays["scores"], arrays.get("listed_starts")
    if starts is None:
        return LabelScores(values, kind), _wrong_scores(values, (n, k), kind)
    sets = Sets(starts, arrays["listed_items"])
    problem = _wrong(sets, n, k) or _wrong_scores(values, (len(sets.items),), kind)
    return ListedScores(sets, values, kind), problem


def _wrong_scores(values: npt.NDArray[Any], shape: tuple[int, ...], kind: ScoreKind) -> str | None:
    """Contradiction in scores that were read, or None."""
    if values.shape != shape or values.dtype.kind != "f":
        return "The scores do not fit the rows and labels"
    if not np.isfinite(values).all():
        return "A score is missing or infinite"
    is_prob = kind == "probabilities"
    if is_prob and values.size and not 0 <= values.min() <= values.max() <= 1:
        return "A probability is not between 0 and 1"
    return None


def _wrong_axes(axes: Sequence[Axis], codes: npt.NDArray[Any] | None, n: int) -> str | None:
    """Contradiction in clusters that were read, or None."""
    if codes is None:
        return "There are axes without codes" if axes else None
    if codes.shape != (len(axes), n) or codes.dtype != np.int32 or not axes:
        return "The codes of the axes do not fit the rows"
    for own, axis in zip(codes, axes, strict=True):
        if n and not 0 <= int(own.min()) <= int(own.max()) < len(axis.labels):
            return "A row has an unknown code on an axis"
    return None


def _wrong(side: Sets, n: int, k: int) -> str | None:
    """Contradiction in sets that were read, or None."""
    starts, items = side.starts, side.items
    is_shaped = starts.shape == (n + 1,) and items.ndim == 1 and items.dtype == np.int32
    if n < 0 or not is_shaped or starts.dtype != np.int64:
        return "The sets do not fit the rows"
    if starts[0] != 0 or starts[-1] != len(items) or (starts[1:] < starts[:-1]).any():
        return "The sets do not lie one after the other"
    if len(items) and not 0 <= int(items.min()) <= int(items.max()) < k:
        return "A row has an unknown label"
    if len(items) and (np.diff(side.keys(k)) <= 0).any():
        return "The labels of a row are not in order"
    return None


def _are_weights(weights: npt.NDArray[np.float64]) -> bool:
    return bool(np.isfinite(weights).all() and (weights >= 0).all())


def refuse_doubles(texts: Sequence[str], labels: Sequence[Label]) -> None:
    """K229: two texts are the same label, as 1 and 1.0 are."""
    seen: dict[Label, str] = {}
    for text, label in zip(texts, labels, strict=True):
        first = seen.setdefault(label, text)
        if first != text:
            raise error("K229", found=f"{shown([first, text])} are both {label!r}")
