"""In-memory rows with probabilities or scores, tallied on demand."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.checks import refuse_ignored
from karat.data.labels.counting import count_codes, explain_weights
from karat.data.rows import Rows
from karat.data.scores.classes import checked_threshold
from karat.data.scores.containers import Scores, refuse_scores
from karat.data.scores.matrix import Columns, Differences, LogOdds, ranked_columns
from karat.data.scores.ranking import AreasAhead, Ranked, pair_areas, rank, rank_pooled
from karat.data.sources.arrays.rows import RowArguments, score_rows
from karat.data.weights import refuse_sums
from karat.errors import error
from karat.tally.cached import cached_property
from karat.tally.cells import Cells
from karat.tally.classes import Classes
from karat.tally.decision import Decision
from karat.tally.row_sample import row_parts
from karat.tally.score_kind import ScoreKind, undecided
from karat.tally.scored import N_LONG
from karat.tally.shared import ROWS_MOST, reaches
from karat.tally.sums import LOSSES, ONE_VS_ALL, READ_BITS, Sums, unclipped

_SMALL: Final = 1e-60


def repeated(rows: InMemoryScores) -> InMemoryScores:
    """Return a row of weight 3 as three rows (K150: weights are not whole, or exceed 10^8 rows)."""
    if rows.weights is None:
        return rows
    if (rows.weights % 1.0 != 0).any():
        raise error("K150", found="are not whole numbers")
    total = float(rows.weights.sum())
    if total > ROWS_MOST:
        advice = "With scores, rows are repeated: leave it out, or take a sample of them."
        raise error("K150", found=f"add up to {total:.3g} rows", advice=advice)
    at = np.repeat(np.arange(rows.n_rows), rows.weights.astype(np.int64))
    return replace(rows, rows=replace(rows.rows.at(at), weights=None))


def in_units(rows: InMemoryScores) -> InMemoryScores:
    """Return the same rows with weights divided by a power of two if squares would overflow.

    Metrics that do not count rows are bitwise unchanged.
    """
    if rows.weights is None:
        return rows
    most = float(rows.weights.max(initial=0.0))
    if not 0.0 < most < math.inf or _SMALL < most < 1.0 / _SMALL:
        return rows
    weights = rows.weights / 2.0 ** round(math.log2(most))
    return replace(rows, rows=replace(rows.rows, weights=weights))


_ROWS: Final = 128
_FEWEST_TOGETHER: Final = 4
"""Number of columns below which a copy of them is not worth its memory: each is read many times."""
_BYTES_AHEAD: Final = 1 << 25
"""Largest size of packed columns read ahead, beside those that are measured."""

Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


@dataclass(eq=False)
class InMemoryScores:
    """In-memory rows in the form that metrics read; implements `tally.ScoredRows`.

    Attributes:
        rows: the rows; given predictions take precedence over those of the scores.
        threshold: value at or above which the positive class of two is predicted; None: the largest
            score decides, the first of ties.
        n_threads: number of threads of native passes; 0: the default.
        is_part: whether they are part of more rows, so that these may all weigh 0.
        classes, codes, scores, weights, pred: those of the rows; clusters are int64[n], or None.
        n_rows, is_weighted, kind, is_prob, has_one_order: as in `tally.ScoredRows`.
    """

    rows: Rows
    threshold: float | None = None
    n_threads: int = 0
    is_part: bool = False

    @classmethod
    def of(
        cls,
        rows: Rows,
        threshold: Any = None,
        n_threads: int | None = None,
        *,
        is_part: bool = False,
    ) -> InMemoryScores:
        """Make it from rows with scores; a threshold determines the predictions (K136)."""
        at = checked_threshold(threshold, rows.classes, rows.kind)
        if threshold is not None and rows.pred is not None:
            rows = replace(rows, pred=None)
        return cls(rows, at, n_threads or 0, is_part)

    def __post_init__(self) -> None:
        rows = self.rows
        assert rows.scores is not None
        self.classes: Classes = rows.classes
        if rows.scores.values.ndim == 2 and not rows.classes.is_declared:
            refuse_ignored(rows.classes, "y_true")
        self.codes: Codes = rows.true
        self.scores: Scores = rows.scores
        self.weights: Floats | None = rows.weights
        self.pred: Codes | None = rows.pred
        self.clusters: npt.NDArray[np.int64] | None = rows.cluster_codes
        self.n_rows: int = len(self.codes)
        self.is_weighted: bool = self.weights is not None
        self.kind: ScoreKind = self.scores.kind
        self.is_prob: bool = self.scores.is_prob
        self.has_one_order: bool = self.is_prob
        self._read: _native.ScoreSums | None = None
        self._bits = 0
        self._sums_apart: dict[str, tuple[float, float, float]] = {}
        values = self.scores.values
        self._columns: Columns | Differences | LogOdds | None = None
        if values.ndim == 2:
            self._columns = ranked_columns(values, self.kind, self.n_threads, _FEWEST_TOGETHER)
        self._totals: npt.NDArray[Any] | None = None
        n_together = self._columns.n_together if self._columns else 1
        self._ahead = AreasAhead(
            self.classes.k, self.n_rows, self.n_threads, n_together, _BYTES_AHEAD
        )

    def read(self, names: Iterable[str] = (), *, predicted: bool = False) -> _native.ScoreSums:
        """Return losses by name, with the predicted classes if wanted: one read, then cached.

        Errors:
            K13x a value is not a probability or not finite; K113 to K115, K125 invalid weights.
        """
        bits = READ_BITS["predicted"] * predicted
        for name in names:
            bits |= READ_BITS[unclipped(name)[0]]
        if self._read is None or bits & ~self._bits:
            bits |= self._bits
            try:
                self._read = self._kernel_read(slice(None), self.codes, self.weights, bits)
            except _native.Rejected as rejected:
                if rejected.args[1] == 1:
                    raise refuse_scores(self.scores, rejected) from None
                explain_weights(rejected, self.weights, self.rows.weights_argument)
            self._bits = bits
            self._check_weight(self._read.truth)
        return self._read

    def _kernel_read(
        self, part: slice, codes: Codes, weights: Floats | None, bits: int
    ) -> _native.ScoreSums:
        values, k, tolerance = self._kernel_rows(part), self.classes.k, self.scores.tolerance
        return _native.read_scores(
            values, codes, k, weights, self.is_prob, tolerance, bits, self.n_threads
        )

    def _check_weight(self, totals: npt.NDArray[Any]) -> None:
        """Refuse class weights that sum to zero, or that are out of range for formulas."""
        if self.weights is None:
            return
        if not totals.any() and not self.is_part:
            raise error("K115", argument=self.rows.weights_argument, n=self.n_rows)
        refuse_sums(np.asarray(totals, np.float64), self.rows.weights_argument)

    def check(self) -> None:
        """Refuse invalid values: each is checked only once, for any metrics."""
        # The one column of scores of two classes is checked when it is sorted or summed.
        if self.is_prob or self._columns is not None:
            self.read()

    def _kernel_rows(self, part: slice) -> npt.NDArray[Any]:
        """Return the scores as the kernels read them: a single column is of the second class."""
        values = self.scores.values[part]
        if values.ndim == 1 and self.classes.positive == 0:
            # Both columns: for p far below 1, 1 − (1 − p) would lose all digits.
            return np.stack([values, 1.0 - _wide(values)], axis=1) if self.is_prob else -values
        return values

    def sums(self, names: Iterable[str] = ()) -> Sums:
        """Return losses by name, and ranks, in one read; a clipped loss takes one more pass,
        and that of each class of logits against the rest.

        If a probability of 0 makes the loss infinite, another pass counts such rows.
        """
        wanted = tuple(names)
        found = Sums.from_native(
            self.read(wanted), [name for name in (*LOSSES, "ranks") if name in wanted]
        )
        if found.infinite_rows is None:
            found = replace(found, n_infinite=self._n_infinite)
        for name in dict.fromkeys(wanted):
            if unclipped(name)[1] is not None:
                found = found.plus(name, *self._sums_of(name))
            elif name == ONE_VS_ALL and self.kind == "logits":
                found = found.instead(name, *self._sums_of(name))
        return found

    @cached_property
    def _n_infinite(self) -> int:
        """Number of rows of positive weight whose true class has probability 0."""
        found = 0
        for part in row_parts(self.n_rows):
            is_endless = np.isinf(self.row_losses(LOSSES[0], part))
            if self.weights is not None:
                is_endless &= self.weights[part] > 0
            found += int(np.count_nonzero(is_endless))
        return found

    def _sums_of(self, name: str) -> tuple[float, float, float]:
        """Σw·ℓ, Σw²·ℓ and Σw²·ℓ² of a loss that needs a pass of its own, computed once."""
        if name not in self._sums_apart:
            sums = np.zeros(3)
            for part in row_parts(self.n_rows):
                loss = self.row_losses(name, part)
                weights = np.ones(len(loss)) if self.weights is None else self.weights[part]
                weighted = weights * loss
                with np.errstate(over="ignore"):  # as in the native sums
                    sums += weighted.sum(), (weights * weighted).sum(), (weighted**2).sum()
            first, second, square = sums.tolist()
            self._sums_apart[name] = first, second, square
        return self._sums_apart[name]

    def class_squares(self) -> Floats:
        """float64[k], Σw² of the rows of each true class."""
        found = np.zeros(self.classes.k)
        for part in row_parts(self.n_rows):
            squares = None if self.weights is None else self.weights[part] ** 2
            found += np.bincount(self.codes[part], squares, self.classes.k)
        return found

    def row_losses(self, name: str, part: slice) -> Floats:
        """float64[m]: a loss, or the rank, of each row of a part; see `_native.read_scores`."""
        name, eps = unclipped(name)
        bit = READ_BITS[name]
        codes = np.ascontiguousarray(self.codes[part])
        if not len(codes):
            return np.empty(0)
        if name == ONE_VS_ALL and self.kind == "logits":
            # Each class against the rest: the sigmoid of its log-odds is its probability.
            odds, k = self._log_odds(part), self.classes.k
            read = _native.read_scores(
                odds, codes, k, None, False, 0.0, bit | _ROWS, self.n_threads
            )
        else:
            read = self._kernel_read(part, codes, None, bit | _ROWS)
        found = read.rows(bit.bit_length() - 1)
        assert found is not None
        if eps is None:
            return found
        # −ln of a clipped probability is the clipped loss, for any scores.
        return np.clip(found, -math.log1p(-eps), -math.log(eps))

    def _log_odds(self, part: slice) -> Floats:
        """float64[m, k]: the log-odds of every class of some rows with logits."""
        values = self.scores.values[part]
        if values.ndim == 2:
            columns = ranked_columns(values, self.kind, self.n_threads)
            return np.stack([columns[i] for i in range(self.classes.k)], axis=1)
        wide = _wide(values)
        return np.stack([-wide, wide] if self.classes.positive else [wide, -wide], axis=1)

    @property
    def has_predictions(self) -> bool:
        """True if a class is predicted for each row."""
        return self.decision.has_predictions

    @property
    def decision(self) -> Decision:
        """What decides the predicted class of a row."""
        return Decision.of_classes(
            self.kind,
            is_given=self.pred is not None,
            is_single=self.scores.values.ndim == 1,
            threshold=self.threshold,
            k=self.classes.k,
        )

    def cells(self) -> Cells:
        """The confusion matrix of the predicted classes; without them the true ones alone."""
        counted = count_codes(
            self.classes,
            self.codes,
            self.predicted() if self.has_predictions else self.codes,
            self.weights,
            weights_argument=self.rows.weights_argument,
            n_threads=self.n_threads,
            is_part=self.is_part,
        )
        return counted if self.has_predictions else counted.without_predictions()

    def predicted(self, reader: str = "The list of wrong rows") -> Codes:
        """int32[n]: the given predictions, else those of the threshold, else of the scores.

        Args:
            reader: what needs them, in the error.

        Errors:
            K320 nothing decides which class is predicted.
        """
        if self.pred is not None:
            return self.pred
        if not self.has_predictions:
            raise undecided(reader)
        if self.threshold is not None:
            positive = self.classes.positive
            assert positive is not None
            at = self._probability(positive) if self.kind == "logits" else self._column(positive)
            is_positive = reaches(at, self.threshold)
            return np.where(is_positive, positive, 1 - positive).astype(np.int32)
        found = self.read(predicted=True).predicted
        assert found is not None
        return found

    def _column(self, i: int) -> npt.NDArray[Any]:
        """Return what ranks the rows by one class, see `ranked_columns`.

        A single column of two classes implies both.
        """
        if self._columns is not None:
            return self._columns[i]
        values = self.scores.values
        if i == self.classes.positive:
            return values
        return 1.0 - _wide(values) if self.is_prob else -values

    @property
    def _both(self) -> npt.NDArray[Any]:
        """Matrix of scores, for two classes too."""
        values = self.scores.values
        if isinstance(self._columns, Columns):
            return values
        return np.stack([self._column(i) for i in range(self.classes.k)], axis=1)

    def column(self, i: int, *, names_rows: bool = False) -> Ranked:
        """Return the rows sorted by the score of class i, its log-odds of logits."""
        if names_rows:
            return self._ranked(self._column(i), i, names_rows)
        return self._ahead.column(i, lambda j: self._ranked(self._column(j), j, names_rows))

    def probability_column(self, i: int, *, names_rows: bool = False) -> Ranked:
        """Return the rows sorted by the probability of class i: softmax of scores."""
        column = self._column(i) if self.is_prob else self._probability(i)
        return self._ranked(column, i, names_rows)

    def probabilities(self, i: int, part: slice) -> Floats:
        """float64[m]: the probability of class i of each row of a part."""
        if not self.is_prob:
            return self._probability_of(i, part)
        return self._column(i)[part].astype(np.float64)

    def _ranked(self, column: npt.NDArray[Any], i: int, names_rows: bool) -> Ranked:
        k, weights, n_threads = self.classes.k, self.weights, self.n_threads or None
        try:
            ranked = rank(
                column, self.codes, i, k, weights, n_threads, self._totals, names_rows=names_rows
            )
        except _native.Rejected as rejected:
            if rejected.args[1] == 1:
                self.read()  # names the value, its row and its column
            explain_weights(rejected, self.weights, self.rows.weights_argument)
        if self._totals is None:
            self._totals = ranked.totals
            self._check_weight(self._totals)
        return ranked

    def _probability(self, i: int) -> Floats:
        """float64[n], probability of class i by softmax."""
        found = _native.long_array(self.n_rows)
        for part in row_parts(self.n_rows):
            found[part] = self._probability_of(i, part)
        return found

    def _probability_of(self, i: int, part: slice) -> Floats:
        most, total = self._normalizer
        with np.errstate(over="ignore"):  # the difference may overflow to infinity
            found: Floats = np.exp(self._odds(i, part) - most[part]) / total[part]
            return found

    @cached_property
    def _normalizer(self) -> tuple[npt.NDArray[Any], Floats]:
        """float[n] and float64[n]: the largest score z of a row, and Σ exp(score − z)."""
        most = np.empty(self.n_rows, self.scores.values.dtype)
        total = np.empty(self.n_rows)
        for part in row_parts(self.n_rows):
            if self._columns is None:
                block = np.stack([self._odds(i, part) for i in (0, 1)], axis=1)
            else:
                block = self.scores.values[part].astype(np.float64)
            most[part] = block.max(axis=1)
            with np.errstate(over="ignore"):
                block -= most[part, None]
            total[part] = np.exp(block, out=block).sum(axis=1)
        return most, total

    def _odds(self, i: int, part: slice) -> Floats:
        """Return scores of class i whose softmax is the probability: for one column, also 0."""
        values = self.scores.values
        if isinstance(self._columns, Columns):
            return self._columns[i][part].astype(np.float64)
        if self._columns is not None:
            return values[part, i].astype(np.float64)
        if i != self.classes.positive:
            return np.zeros(len(values[part]))
        return values[part].astype(np.float64)

    def by_threshold(self, column: Any) -> Ranked:
        """Return a column of probabilities whose levels are at their thresholds: these are."""
        found: Ranked = column
        return found

    def pooled(self, *, names_rows: bool = False) -> Ranked:
        """Return every row and class as one row of two classes: whether it is the true class."""
        self.read()  # every value is finite
        return rank_pooled(
            self._both, self.codes, self.classes.k, self.weights, names_rows=names_rows
        )

    def column_values(self, i: int, *, is_prob: bool) -> npt.NDArray[Any]:
        """float[n]: the score of class i, its log-odds of logits; or its probability."""
        return self._probability(i) if is_prob and not self.is_prob else self._column(i)

    def confidences(self) -> Ranked:
        """Return the rows sorted by the probability of the predicted class; own: it is correct."""
        column, is_right = self.confidence_values()
        codes = is_right.astype(np.int32)
        return rank(column, codes, 1, 2, self.weights, self.n_threads or None)

    def confidence_values(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
        """float[n] and bool[n]: the probability of the predicted class, and whether it is true."""
        best = self.read(predicted=True).predicted
        assert best is not None
        values = self.scores.values
        if not self.is_prob:
            # For the largest score: exp(0) ÷ Σ.
            column = 1.0 / self._normalizer[1]
        elif values.ndim == 1:
            column = np.maximum(self._column(0), self._column(1))
        else:
            column = np.empty(self.n_rows, values.dtype)
            for part in row_parts(self.n_rows):
                column[part] = np.take_along_axis(values[part], best[part, None], axis=1)[:, 0]
        return column, best == self.codes

    def pair_areas(
        self, cost: Floats | None, placed: Floats | None = None
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Areas of pairs of classes by differences of scores (K302: the cost is not k × k)."""
        self.read()  # every value is finite
        # Fewer rows leave the other threads to the columns.
        is_alone = placed is not None and self.n_rows > N_LONG
        n_threads = _native.thread_limit(self.n_threads) if is_alone else 1
        given = self.codes, self.classes.k, self.weights
        # Costs weigh each column as given, and the probabilities of logits.
        values = self.scores.values if self.scores.values.ndim == 2 else self._both
        if cost is not None and self.kind == "logits":
            values = np.stack([self._probability(i) for i in range(self.classes.k)], axis=1)
        return pair_areas(values, *given, cost, placed, n_threads)


def _wide(values: npt.NDArray[Any]) -> Floats:
    """Return float64, in which 1 − p of a float32 is exact unless p is very small."""
    return values.astype(np.float64, copy=False)


def tally_scores(
    y_true: Any, scores: Scores, *, y_pred: Any = None, threshold: Any = None, **given: Any
) -> InMemoryScores:
    """Tally in-memory rows with scores, with the options of `score_rows`."""
    rows = score_rows(y_true, scores, y_pred, RowArguments(threshold=threshold, **given))
    return InMemoryScores.of(rows, threshold, given.get("n_threads"))


def labels_alone(rows: Rows, threshold: float | None, n_threads: int | None = None) -> Rows:
    """Return rows with the predictions of their scores, without the scores."""
    tally = InMemoryScores.of(rows, threshold, n_threads, is_part=True)
    tally.read(predicted=tally.pred is None and tally.threshold is None)
    return replace(rows, pred=tally.predicted(), scores=None, cells=tally.cells())
