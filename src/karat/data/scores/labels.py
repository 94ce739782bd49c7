"""Scores of the labels of each row, and the rows of each label as two classes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat import _native
from karat.data.labels.align import align, codes_within
from karat.data.labels.containers import csr_of, encode, is_sparse
from karat.data.rows import Rows
from karat.data.scores.classes import are_places, outside_of
from karat.data.scores.columns import readings
from karat.data.scores.containers import Scores, as_scores, gathered, plain_scores, refuse_scores
from karat.data.scores.outputs import PAIR, are_outputs, by_class, refuse_matrices
from karat.data.scores.rows import InMemoryScores
from karat.errors import KaratError, error, short, shown
from karat.tally import Classes, Label
from karat.tally.cached import cached_property
from karat.tally.decision import Decision, decides
from karat.tally.label_scores import LabelScores, ListedScores, ScoresOfSets
from karat.tally.score_kind import ARGUMENTS, KINDS, Argument
from karat.tally.set_tally import SetRows
from karat.tally.sets import Sets

TWO: Final = Classes((0, 1), 1, is_declared=True)
"""A label is absent or present."""


def label_scores(values: Any, argument: Argument, classes: Classes, n: int) -> ScoresOfSets:
    """Return the scores of the labels of n rows.

    Args:
        values: float[n, k] of any container that `as_scores` reads; columns of a table that name
            the labels are reordered. Or scores of some labels of each row: a SciPy sparse matrix
            with its stored entries, or for each row a dict from label to score, a list of pairs
            (label, score) or what a pipeline returns. Or for each label an array [n, 2], absent and
            present.

    Errors:
        K102 another number of rows; K130 to K132 values; K134 another number of columns; K109 an
        unknown label; K137 columns that name other labels; K196 a label listed twice.
    """
    if isinstance(values, Iterator):
        values = list(values)
    named = None if is_sparse(values) else by_class(values, argument, takes_pairs=True)
    if is_sparse(values):
        found: ScoresOfSets = _of_sparse(values, argument, classes)
    elif isinstance(named, list):
        found = _of_lists(named, argument, classes)
    elif named is not None:
        found = _of_matrix(gathered(named, tuple(named), argument), classes)
    else:
        refuse_matrices(values, argument, n)
        is_each = are_outputs(values)
        scores = (_of_outputs if is_each else plain_scores)(values, argument)
        found = _of_matrix(scores, classes)
    n_given = len(found.sets) if isinstance(found, ListedScores) else len(found.values)
    if n_given != n:
        raise error("K102", left="y_true", n_left=n, right=argument, n_right=n_given)
    return found


def _of_outputs(values: Sequence[Any], argument: Argument) -> Scores:
    """Return one column for each output: the probability that the label is present.

    Args:
        values: for each label an array [n, 2], absent and present.

    Errors:
        K130 an output has not two columns that add up to 1; K131, K132 as of `as_scores`.
    """
    columns = []
    for place, item in enumerate(values):
        origin = f"Output {place} of {argument}"
        if is_sparse(item):
            found = f"It is a {type(item).__name__}, which is sparse"
            do = f"Give {argument}=[p.toarray() for p in P]."
            raise error("K130", argument=origin, found=found, advice=do)
        try:
            scores = as_scores(item, argument)
            if scores.values.ndim == 1 or scores.k != PAIR:
                n_columns = 1 if scores.values.ndim == 1 else scores.k
                found = f"It has {n_columns} columns; a label is absent or present"
                do = "A label that all rows of the training data have, or none, has one column: "
                do += "leave it out of the truth too, or give a matrix (n, k)."
                raise error("K130", argument=origin, found=found, advice=do)
            _check(scores)
        except KaratError as problem:
            if problem.context.get("argument") != argument:
                raise
            raise problem.but(argument=origin) from None
        sums = scores.values.sum(axis=1, dtype=np.float64)
        is_off = np.abs(sums - 1.0) > scores.tolerance
        if scores.is_prob and is_off.any():
            row, count = int(is_off.argmax()), int(is_off.sum())
            found = "Its two columns, absent and present, do not add up to 1: first at row "
            found += f"{row}, {sums[row]:.6g}; {count} of {scores.n} rows"
            do = "Logits are y_logit=, other scores y_score=; P[:, 1] of each as a matrix is "
            do += f"also read: {argument}=np.column_stack([p[:, 1] for p in P])."
            raise error("K130", argument=origin, found=found, advice=do)
        columns.append(scores.values[:, 1])
    return Scores(argument, np.column_stack(columns))


def columns_of_labels(
    names: Sequence[str], endings: Sequence[str] | None, labels: Sequence[Label]
) -> list[int] | None:
    """Return the column index of each label, by the ends of the names; None if they differ."""
    texts_of_labels = [str(label) for label in labels]
    for texts, _ in readings(names, endings):
        if sorted(texts) == sorted(texts_of_labels):
            place = {text: i for i, text in enumerate(texts)}
            return [place[label] for label in texts_of_labels]
    return None


def placed_scores(scores: Scores) -> LabelScores:
    """Return scores with their columns in the order of the labels.

    Errors:
        K131 not finite, K132 not probabilities.
    """
    values = np.ascontiguousarray(scores.values)
    _check(Scores(scores.argument, values, scores.columns))
    return LabelScores(values, scores.kind)


def other_labels(what: str, names: Sequence[str], labels: Sequence[Label], do: str) -> KaratError:
    """K137: the labels in the column names differ from those of the rows."""
    found = f"Columns: {shown(names)}. Labels: {shown(labels)}"
    return error("K137", what=f"{what} do not name the labels", found=found, do=do)


def _of_matrix(scores: Scores, classes: Classes) -> LabelScores:
    if scores.k != classes.k or scores.values.ndim == 1:
        n_columns = 1 if scores.values.ndim == 1 else scores.k
        do = (
            "Give one column of scores for each label, or list the labels of the columns in "
            "labels=."
        )
        facts = {"labels": shown(classes.labels), "n_columns": n_columns, "k": classes.k, "do": do}
        raise error("K134", argument=scores.argument, **facts)
    order = _order(scores, classes)
    if order is not None:
        scores = replace(scores, values=scores.values[:, order], columns=None)
    return placed_scores(scores)


def _order(scores: Scores, classes: Classes) -> list[int] | None:
    """Return the column index of each label; None if they are in the order of the labels.

    Errors:
        K137 the columns of a table name other labels.
    """
    names = scores.columns
    if names is None or len(names) != classes.k or are_places(names):
        return None
    order = columns_of_labels(names, None, classes.labels)
    if order is None:
        do = "Name each column by its label, or give the values alone, in the order of labels=."
        raise other_labels(f"The columns of {scores.argument}", names, classes.labels, do)
    return None if order == list(range(classes.k)) else order


def _check(scores: Scores) -> None:
    """Refuse invalid scores: K131 not finite, K132 not probabilities."""
    values = scores.values
    is_finite = bool(np.isfinite(values).all())
    if not is_finite:
        row = int(np.argmax(~np.isfinite(values).all(axis=-1)))
        refuse_scores(scores, _native.Rejected("nan", 1, row))
    if scores.is_prob and values.size and not (values.min() >= 0 and values.max() <= 1):
        row = int(np.argmax(((values < 0) | (values > 1)).any(axis=-1)))
        refuse_scores(scores, _native.Rejected("above_one", 1, row))


def _of_sparse(values: Any, argument: Argument, classes: Classes) -> ListedScores:
    matrix = csr_of(values, argument)
    if matrix.shape[1] != classes.k:
        do = (
            "Give one column of scores for each label, or list the labels of the columns in "
            "labels=."
        )
        facts = {"labels": shown(classes.labels), "n_columns": matrix.shape[1], "k": classes.k}
        raise error("K134", argument=argument, do=do, **facts)
    if not matrix.has_sorted_indices:
        matrix = matrix.sorted_indices()
    starts = np.asarray(matrix.indptr, np.int64)
    items = np.asarray(matrix.indices[: starts[-1]], np.int32)
    numbers = np.ascontiguousarray(matrix.data[: starts[-1]], np.float64)
    sets = Sets(starts, items)
    _refuse_twice(sets, argument, classes)
    return _checked_lists(sets, numbers, argument, classes)


def _refuse_twice(sets: Sets, argument: str, classes: Classes) -> None:
    """Refuse a row that lists a label twice: K196. The labels of each row are sorted."""
    keys = sets.keys(classes.k)
    again = np.flatnonzero(keys[1:] == keys[:-1])
    if again.size:
        row, label = divmod(int(keys[again[0]]), classes.k)
        count = len(np.unique(keys[again] // classes.k))
        facts = {"row": row, "value": classes.labels[label], "count": count, "n": len(sets)}
        raise error("K196", argument=argument, **facts)


def _of_lists(rows: list[Any], argument: Argument, classes: Classes) -> ListedScores:
    items: list[Any] = []
    numbers: list[Any] = []
    sizes = np.zeros(len(rows), np.int64)
    for place, row in enumerate(rows):
        pairs = list(row.items()) if isinstance(row, Mapping) else row
        if not isinstance(pairs, list | tuple) or not all(
            isinstance(pair, tuple | list) and len(pair) == PAIR for pair in pairs
        ):
            found = f"Row {place} is {short(row)}: neither a dict nor a list of pairs"
            raise error("K130", argument=argument, found=found)
        items.extend(pair[0] for pair in pairs)
        numbers.extend(pair[1] for pair in pairs)
        sizes[place] = len(pairs)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    if not items:
        return ListedScores(Sets(starts, np.empty(0, np.int32)), np.empty(0), KINDS[argument])
    of_row = np.repeat(np.arange(len(rows)), sizes)
    try:
        column = encode(items, argument)
        codes = codes_within(align(column, column, classes.labels).pred, classes)
    except KaratError as problem:
        if "row" not in problem.context:
            raise
        row = int(of_row[problem.context["row"]])
        raise problem.but(row=row, n=len(rows)) from None
    values = as_scores(numbers, argument).values.astype(np.float64)
    order = np.argsort(of_row * classes.k + codes, kind="stable")
    sets = Sets(starts, np.ascontiguousarray(codes[order], np.int32))
    _refuse_twice(sets, argument, classes)
    return _checked_lists(sets, np.ascontiguousarray(values[order]), argument, classes)


def _checked_lists(
    sets: Sets, values: npt.NDArray[np.float64], argument: Argument, classes: Classes
) -> ListedScores:
    bad, code = ~np.isfinite(values), "K131"
    if not bad.any() and argument == "y_prob":
        bad, code = (values < 0) | (values > 1), "K132"
    if bad.any():
        rows = sets.rows[bad]
        place = int(np.argmax(bad))
        label = classes.labels[int(sets.items[place])]
        raise error(
            code,
            argument=argument,
            row=int(rows[0]),
            place=f", label {label!r}",
            value=float(values[place]),
            count=len(np.unique(rows)),
            n=len(sets),
        )
    return ListedScores(sets, values, KINDS[argument])


def with_labels_of_scores(rows: SetRows, scores: ScoresOfSets, threshold: Any) -> SetRows:
    """Return rows with scores, and with the labels that these predict.

    Without a threshold other scores than probabilities and logits predict none.

    Errors:
        K136 see `checked_limits`.
    """
    if not decides(scores.kind, threshold, of_sets=True):
        nothing = Decision("none", scores.kind)
        return replace(rows, scores=scores, pred=rows.true, decision=nothing)
    limits, is_strict = checked_limits(threshold, scores, rows.classes)
    pred = scores.above(limits, is_strict=is_strict)
    if is_strict:
        decision = Decision("largest", scores.kind)
    elif limits.size and (limits == limits.flat[0]).all():
        decision = Decision("threshold", scores.kind, float(limits.flat[0]))
    else:
        decision = Decision("thresholds", scores.kind)
    return replace(rows, scores=scores, pred=pred, decision=decision)


def checked_limits(
    threshold: Any, scores: ScoresOfSets, classes: Classes
) -> tuple[npt.NDArray[np.float64], bool]:
    """Return the threshold of each label, and whether predictions must exceed it strictly.

    Args:
        threshold: one number, one for each label in their order, or a dict from label to number;
            None: above 0.5, of logits above 0.

    Errors:
        K136 not a finite number, the wrong number of them, other labels, or not a probability.
    """
    if threshold is None:
        return np.array(0.5 if scores.is_prob else 0.0), True
    if isinstance(threshold, Mapping):
        threshold = _by_label(threshold, classes)
    try:
        found = np.asarray(threshold, np.float64)
    except (TypeError, ValueError):
        found = np.array(math.nan)
    is_fit = not isinstance(threshold, bool | str) and np.isfinite(found).all()
    problem = "" if is_fit else "It is not a finite number, nor one for each label"
    if is_fit and found.shape not in ((), (classes.k,)):
        problem = f"It has the shape {found.shape}, and there are {classes.k} labels"
    elif is_fit and scores.kind != "scores" and not ((found >= 0) & (found <= 1)).all():
        problem = outside_of(scores.kind)
    if problem:
        given = threshold.tolist() if isinstance(threshold, np.ndarray) else threshold
        raise error("K136", threshold=given, found=problem)
    return found, False


def _by_label(threshold: Mapping[Any, Any], classes: Classes) -> list[Any]:
    """Return the thresholds of a dict in the order of the labels (K136: it has other labels)."""
    others = [label for label in threshold if label not in classes.labels]
    lacking = [label for label in classes.labels if label not in threshold]
    if others or lacking:
        found = [f"it names {shown(others)}"] if others else []
        found += [f"it lacks {shown(lacking)}"] if lacking else []
        problem = f"The labels are {shown(classes.labels)}: {' and '.join(found)}"
        raise error("K136", threshold=dict(threshold), found=problem)
    return [threshold[label] for label in classes.labels]


@dataclass(eq=False)
class LabelColumns:
    """Rows with scores of every label, one label at a time as rows of two classes.

    Attributes:
        rows: rows with scores, each known for at least one label.
        n_threads: number of threads of native passes; 0: the default.
    """

    rows: SetRows
    n_threads: int = 0

    @classmethod
    def of(cls, rows: SetRows, n_threads: int = 0) -> LabelColumns:
        """Return the columns of rows with scores, as a matrix where every row lists every label."""
        listed, n, k = rows.scores, rows.n, rows.classes.k
        if isinstance(listed, ListedScores) and n and len(listed.values) == n * k:
            scores = LabelScores(listed.values.reshape(n, k), listed.kind)
            rows = replace(rows, scores=scores)
        return cls(rows, n_threads)

    @cached_property
    def _by_label(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        return _rows_of_labels(self.rows.true, self.rows.classes.k)

    @cached_property
    def _gone(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None:
        unknown = self.rows.unknown
        return None if unknown is None else _rows_of_labels(unknown, self.rows.classes.k)

    def of_rows(self, rows: SetRows) -> LabelColumns:
        """Return the same columns for other rows."""
        return LabelColumns(rows, self.n_threads)

    def known(self, label: int) -> npt.NDArray[np.bool_] | None:
        """bool[n]: rows where the label is known to be present or absent; None if in all."""
        if self._gone is None:
            return None
        starts, rows = self._gone
        found = np.ones(self.rows.n, bool)
        found[rows[starts[label] : starts[label + 1]]] = False
        return None if found.all() else found

    def column(self, label: int) -> InMemoryScores:
        """Return the known rows of a label, which is absent or present."""
        scores = self.rows.scores
        assert isinstance(scores, LabelScores)
        codes = np.zeros(self.rows.n, np.int32)
        starts, rows = self._by_label
        codes[rows[starts[label] : starts[label + 1]]] = 1
        values, weights, known = scores.values[:, label], self.rows.weights, self.known(label)
        if known is not None:
            codes, values = codes[known], values[known]
            weights = None if weights is None else weights[known]
        return self._two(codes, values, weights)

    def weighing(self, weights: npt.NDArray[np.float64]) -> LabelColumns:
        """Return the same rows with other weights, float64[n]."""
        return LabelColumns(replace(self.rows, weights=weights), self.n_threads)

    def pooled(self) -> tuple[InMemoryScores, npt.NDArray[np.int64]]:
        """Return every known label of every row as a row of two classes, and the row of each."""
        scores, rows, k = self.rows.scores, self.rows, self.rows.classes.k
        assert isinstance(scores, LabelScores)
        codes = np.zeros(rows.n * k, np.int32)
        codes[rows.true.keys(k)] = 1
        values, of_row = scores.values.reshape(-1), np.repeat(np.arange(rows.n), k)
        if rows.unknown is not None and rows.unknown.items.size:
            known = np.ones(rows.n * k, bool)
            known[rows.unknown.keys(k)] = False
            codes, values, of_row = codes[known], values[known], of_row[known]
        weights = None if rows.weights is None else rows.weights[of_row]
        return self._two(codes, values, weights), of_row

    def _two(
        self, codes: npt.NDArray[np.int32], values: npt.NDArray[Any], weights: Any
    ) -> InMemoryScores:
        scores = self.rows.scores
        assert scores is not None
        argument = ARGUMENTS[scores.kind]
        two = Rows(TWO, codes, None, Scores(argument, values), weights, is_owned=True)
        # Other labels are added, so that its rows may all have weight 0.
        return InMemoryScores.of(two, n_threads=self.n_threads, is_part=True)


def _rows_of_labels(sets: Sets, k: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where the rows of each label begin, int64[k + 1], and the rows."""
    starts = np.concatenate(
        [np.zeros(1, np.int64), np.cumsum(np.bincount(sets.items, minlength=k))]
    )
    return starts, sets.rows[np.argsort(sets.items, kind="stable")]
