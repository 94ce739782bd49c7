"""Rows with a label of a judge each, and a gold label for some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.data.labels.align import check_kinds
from karat.data.labels.column import Column, Flags, check_lengths, of_rows, resolved
from karat.data.labels.containers import encode
from karat.data.roles import NO_SCORES, SCORE_ROLES, find_roles, normalized
from karat.data.rows import Rows
from karat.data.scores.containers import Scores
from karat.data.sources.arrays.rows import NONE, RowArguments, label_rows, score_rows
from karat.data.sources.columns import TableRequest, find_columns
from karat.data.sources.distributed.frames import pieces_of
from karat.data.sources.files.paths import is_read_once, names_files
from karat.data.sources.files.text_labels import is_null_like
from karat.data.sources.tables.formatted import formatted
from karat.data.sources.tables.frames import Frame, encode_role, is_frame, open_frame
from karat.data.sources.tables.rows import read_rows
from karat.data.table_sets import TableSets
from karat.data.weights import Weights, as_weights
from karat.errors import KaratError, error, short, shown
from karat.errors.doubts import Doubt, doubt
from karat.errors.options import is_command_line, option
from karat.errors.reasons import MissingValuesError, NoColumnError
from karat.errors.text import counted
from karat.tally import Classes

Codes = npt.NDArray[np.int32]
_NAMES: Final = (
    "judge judge_label judge_labels judge_verdict llm llm_label llm_judge llm_verdict model_label "
    "weak_label rater autorater"
)
_NAMES_OF_JUDGES: Final = frozenset(_NAMES.split())
_ROLES: Final = ("pred", *SCORE_ROLES, "weights", "clusters")
_LEAST: Final = 2
_SMALLEST: Final = 1e-100


@dataclass(frozen=True, slots=True, eq=False)
class JudgedRows:
    """Rows with a judge's label each.

    Attributes:
        rows: the rows; their truth is the gold label, and the judge's where there is none.
        gold: int32[n], class of the gold label; -1 without one.
        judge: int32[n], class of the judge's label.
        gold_weights: float64[n], inverse of the probability that a row was chosen for a gold
            label; None: gold rows are a random part.
        has_predictions: whether rows have predictions; without them the verdicts are measured.
    """

    rows: Rows
    gold: Codes
    judge: Codes
    gold_weights: Weights | None = None
    has_predictions: bool = True

    @property
    def has_gold(self) -> Flags:
        """bool[n]: whether the row has a gold label."""
        return np.asarray(self.gold >= 0, np.bool_)

    @property
    def classes(self) -> Classes:
        """The classes."""
        return self.rows.classes


def judged_arrays(
    gold: Any,
    judge: Any,
    y_pred: Any = None,
    scores: Scores | None = None,
    *,
    gold_weights: Any = None,
    options: RowArguments = NONE,
) -> JudgedRows:
    """Return arguments in memory as rows with gold labels and a judge's.

    Errors:
        K101 to K124 labels and weights; K13x scores; K244 too few or too many gold labels; K246
        weights of gold rows.
    """
    labels = options.labels
    both = _Labels.of(
        encode(gold, "y_true", nulls="keep"), _judged(lambda: encode(judge, "judge")), labels
    )
    if scores is not None:
        rows = score_rows(both.filled, scores, y_pred, options)
    else:
        guess = judge if y_pred is None else y_pred
        declared = labels
        if labels is None:
            declared = both.classes_with(encode(guess, "judge" if y_pred is None else "y_pred"))
        rows = label_rows(both.filled, guess, replace(options, labels=declared))
        rows = replace(rows, classes=replace(rows.classes, is_declared=labels is not None))
    has_predictions = scores is not None or y_pred is not None
    return both.rows(rows, gold_weights, "gold_weights", has_predictions=has_predictions)


@dataclass(frozen=True, slots=True)
class JudgeColumns:
    """Columns of a judge's labels and of the weights of gold labels."""

    judge: str
    gold_weights: str | None = None


def judged_table(source: Any, judge: JudgeColumns, request: TableRequest) -> JudgedRows:
    """Return the rows of a table or of files; they are kept in memory.

    Args:
        judge: the columns of the judge's labels.
        request: the other columns, and how they are read.

    Errors:
        As `read_rows` and `judged_arrays`; K243 the table is partitioned.
    """
    if not names_files(source):
        if pieces_of(source):
            found = "The table is partitioned, and the rows are needed in memory"
            raise error("K243", argument="a partitioned table", found=found, do=_COLLECT)
        return _of_frame(formatted(open_frame(source), request.formats), judge, request)
    from karat.data.sources.files.counted import errors_of_files
    from karat.data.sources.files.rows import open_files

    where = request.where
    with ExitStack() as cleanup, errors_of_files(where, source):
        frame = open_files(source, cleanup, request.n_threads, request.formats, where)
        judged = _of_frame(frame, judge, request)
    named = source if isinstance(source, list | tuple) else [source]
    facts: dict[str, Any] = {"files": [str(each) for each in named]}
    facts |= {} if where is None else {"filter": where}
    return replace(judged, rows=replace(judged.rows, source=facts))


_COLLECT: Final = "Collect it first, or write it to Parquet and name the files."


def _of_frame(frame: Frame, columns: JudgeColumns, request: TableRequest) -> JudgedRows:
    judge, weights = columns.judge, columns.gold_weights
    gold = request.true or _gold_of(frame, judge, weights)
    if gold == judge:
        what = f"{option('judge')} names the same column"
        do = "Name the column of the labels by people, and the column of the judge's labels."
        raise error("K243", argument=option("true", gold), found=what, do=do)
    beside = [name for name in (judge, weights) if name is not None]
    read = frame.columns([gold, *beside], ["y_true", "judge", "gold_weights"])
    both = _Labels.of(
        encode_role(read[gold], gold, is_prediction=False, nulls="keep"),
        _judged(lambda: encode_role(read[judge], judge, is_prediction=False)),
        request.labels,
    )
    names = tuple(name for name in frame.names if name not in beside)
    wanted: dict[str, Any] = {role: getattr(request, role) for role in _ROLES}
    threshold, n_threads = request.threshold, request.n_threads
    request = TableRequest(
        true=gold,
        labels=request.labels,
        positive=request.positive,
        labels_are_text=request.labels_are_text,
        **wanted,
    ).read_as(both.kind)
    types = {**frame.types, gold: "unknown"}
    has_predictions = True
    try:
        found = find_columns(request, names, types)
    except NoColumnError:
        if any(wanted[role] for role in ("pred", *SCORE_ROLES)):
            raise
        has_predictions, found = False, None
    declared = request.labels
    if declared is None and (found is None or found.chosen is None):
        guess = both.judge
        if found is not None and found.mapping["pred"]:
            name = found.mapping["pred"]
            guess = encode_role(frame.columns([name])[name], name, is_prediction=True)
        declared = both.classes_with(guess)

    def values(wanted_names: Any) -> dict[str, Any]:
        others = [name for name in wanted_names if name != gold]
        known = frame.read(others) if others else {}
        return {name: both.filled if name == gold else known[name] for name in wanted_names}

    given = {**wanted, "true": gold}
    if found is None:
        names, given = (*names, judge), {**given, "pred": judge, **NO_SCORES}
    overlay = Frame(names, types, frame.kind, values, frame.first_rows)
    rows = read_rows(
        overlay,
        "the rows",
        TableRequest(
            labels=declared,
            positive=request.positive,
            threshold=threshold,
            n_threads=n_threads,
            **given,
        ),
    )
    assert not isinstance(rows, TableSets)
    mapping = {**rows.mapping, "true": gold, "judge": judge}
    mapping.pop("folds", None)
    if found is None:
        mapping["pred"] = None
    if weights is not None:
        mapping["gold_weights"] = weights
    is_declared = request.labels is not None
    classes = replace(rows.classes, is_declared=is_declared and rows.classes.is_declared)
    rows = replace(rows, mapping=mapping, classes=classes)
    argument = f"Column {weights!r}"
    chosen = None if weights is None else read[weights]
    return both.rows(rows, chosen, argument, has_predictions=has_predictions)


def _judged(read: Callable[[], Column]) -> Column:
    """Return the judge's labels (K104: some are missing)."""
    try:
        return read()
    except MissingValuesError as problem:
        do = "Every row needs a judge's label: fill those values, or leave these rows out before."
        raise problem.but(do=do) from None


def _gold_of(frame: Frame, judge: str, weights: str | None) -> str:
    names = [name for name in frame.names if name not in (judge, weights)]
    return find_roles(names, frame.types, needs=()).require("true")


def naming_judge(problem: KaratError, source: Any) -> KaratError:
    """Return K104 about the truth with the advice to name a column of a judge's labels, if any."""
    role = problem.context.get("argument", "")
    names = [name for name in _header(source) if normalized(name) in _NAMES_OF_JUDGES]
    others = [name for name in names if repr(name) not in role]
    if not others or len(others) < len(names):
        return problem
    do = (
        f"{problem.context['do']} If it holds gold labels for a part of the rows, and column "
        f"{others[0]!r} a judge's label for each, give {option('judge', others[0])}."
    )
    return error("K104", **{**problem.context, "do": do})


def _header(source: Any) -> Sequence[str]:
    if not names_files(source):
        return open_frame(source).names if is_frame(source) else ()
    if is_read_once(source):
        return ()
    from karat.data.sources.files.rows import open_files

    with ExitStack() as cleanup:
        return open_files(source, cleanup).names


@dataclass(frozen=True, eq=False)
class _Labels:
    """Labels of both columns, one kind of values.

    Attributes:
        gold, judge: the columns; rows without a gold label are marked as missing.
        filled: the gold label of each row, the judge's where there is none.
        doubts: about labels that are taken as missing.
    """

    gold: Column
    judge: Column
    filled: npt.NDArray[Any]
    doubts: tuple[Doubt, ...] = ()

    @classmethod
    def of(cls, gold: Column, judge: Column, declared: Any = None) -> _Labels:
        check_lengths(gold, judge)
        gold, doubts = _without_blanks(gold, judge, declared)
        missing = gold.missing
        n_missing = 0 if missing is None else int(missing.sum())
        n = len(gold) - n_missing
        facts = {"n": n, "total": len(gold)}
        if not n_missing:
            do = f"The judge adds nothing: leave it out, and give the labels as {option('y_true')}."
            other = next(
                (x for x in _seen(resolved(gold)) if x not in _seen(resolved(judge))), None
            )
            if isinstance(other, str):
                do = f"If {short(other)} stands for a missing label, leave it empty (None). {do}"
            raise error("K244", amount="many", do=do, **facts)
        if n < _LEAST:
            draws = "karat label" if is_command_line() else "karat.rows_to_label"
            do = f"Label rows: {draws} draws which; some hundred give useful intervals."
            raise error("K244", amount="few", do=do, **facts)
        check_kinds(gold, judge)
        ours, theirs = (_values_of(column) for column in (gold, judge))
        filled = np.array(theirs, dtype=np.result_type(ours.dtype, theirs.dtype))
        has = ~missing if missing is not None else np.ones(len(gold), np.bool_)
        filled[has] = ours[has]
        return cls(gold, judge, filled, doubts)

    @property
    def kind(self) -> Any:
        return self.judge.kind

    def classes_with(self, other: Column) -> list[Any]:
        """The classes of both columns and of the predictions, in order."""
        check_kinds(self.judge, other)
        columns = [resolved(column) for column in (self.gold, self.judge, other)]
        seen = {label for column in columns for label in _seen(column)}
        order = next((column.order for column in columns if column.order), None)
        if order is not None and seen <= {*order}:
            return [label for label in order if label in seen]
        return sorted(seen)

    def rows(self, rows: Rows, weights: Any, argument: str, *, has_predictions: bool) -> JudgedRows:
        """Return the rows with both labels as classes, and the weights of gold rows."""
        has = np.ones(rows.n, np.bool_) if self.gold.missing is None else ~self.gold.missing
        gold = np.where(has, rows.true, -1).astype(np.int32)
        judge = _placed(self.judge, rows.classes)
        doubts: tuple[Doubt, ...] = self.doubts
        checked = None
        if weights is not None:
            checked, n_left = _checked_weights(weights, has, argument)
            if n_left:
                facts = {"counts": f"{n_left} of {n_left + int(has.sum())}", "weights": argument}
                doubts += (doubt("D125", do="label those that are left", **facts),)
        rows = replace(rows, warnings=(*rows.warnings, *doubts))
        return JudgedRows(rows, gold, judge, checked, has_predictions)


def _without_blanks(gold: Column, judge: Column, declared: Any) -> tuple[Column, tuple[Doubt, ...]]:
    """Return the gold labels without texts that stand for a missing one, and the doubt about them.

    They are blank texts, and usual spellings as ``"nan"``, which NumPy makes of NaN in an array of
    texts, unless the classes that were declared or the judge have them.
    """
    found = resolved(gold)
    labels = found.labels or ()
    texts = {i: label for i, label in enumerate(labels) if isinstance(label, str)}
    known: set[Any] = {*_seen(resolved(judge))}
    if isinstance(declared, Sequence | np.ndarray) and not isinstance(declared, str):
        known |= {label for label in declared if isinstance(label, str)}
    blank = [i for i, text in texts.items() if not text.strip()]
    nulls = [i for i, text in texts.items() if is_null_like(text) and text not in known]
    nulls = [i for i in nulls if i not in blank]
    if not (blank or nulls):
        return gold, ()
    codes = found.codes.astype(np.int64) - found.base
    held = codes if found.missing is None else codes[~found.missing]
    counts = [(texts[i], int((held == i).sum())) for i in nulls]
    listed = "; ".join(f"{text!r} is in {counted(n, 'row')}" for text, n in counts if n)
    missing: Flags = np.isin(codes, blank + nulls)
    whole = missing if found.missing is None else missing | found.missing
    return replace(found, missing=whole), (doubt("D124", counts=listed),) if listed else ()


def _seen(column: Column) -> list[Any]:
    """Labels that occur in rows that have one."""
    codes = column.codes if column.missing is None else column.codes[~column.missing]
    labels = column.labels or ()
    return [labels[code - column.base] for code in np.unique(codes).tolist()]


def _values_of(column: Column) -> npt.NDArray[Any]:
    """Labels of rows as an array of one kind; arbitrary where a label is missing."""
    if column.labels is None:
        return column.codes.astype(np.bool_ if column.kind == "boolean" else np.int64)
    known = [label for label in column.labels if label is not None]
    none = known[0] if known else ""
    table = np.array([none if label is None else label for label in column.labels])
    codes = column.codes.astype(np.int64) - column.base
    return np.asarray(table[np.clip(codes, 0, len(table) - 1)])


def _placed(judge: Column, classes: Classes) -> Codes:
    """int32[n], class of each label of the judge (K109: it is not a class)."""
    place = {label: index for index, label in enumerate(classes.labels)}
    found = resolved(judge)
    lut = np.array(
        [place.get(label, -1) if label is not None else -1 for label in found.labels or ()]
    )
    codes = lut[found.codes.astype(np.int64) - found.base].astype(np.int32)
    if (codes < 0).any():
        bad = codes < 0
        raise error(
            "K109",
            argument=judge.argument,
            among="the classes of the rows",
            classes=f"The classes are {shown(classes.labels)}",
            do=f"Give every class: {option('labels')}.",
            value=judge.label_at(int(bad.argmax())),
            **of_rows(bad),
        )
    return codes


def _checked_weights(weights: Any, has: Flags, argument: str) -> tuple[Weights, int]:
    """float64[n], 0 for rows without a gold label, and how many drawn rows lack one (K246).

    Rows are drawn ones if they have a weight, and some rows have none.
    """
    found = as_weights(weights, len(has), argument, beside="gold")
    bad = has & ~(np.isfinite(found) & (found > 0.0))
    if bad.any():
        row = int(bad.argmax())
        facts = {"row": row, "count": int(bad.sum()), "n": int(has.sum())}
        raise error("K246", argument=argument, value=float(found[row]), **facts)
    largest = float(found[has].max())
    if not _SMALLEST < largest < 1.0 / _SMALLEST:
        # A constant factor of all changes nothing, and squares need room.
        found = found / largest
    is_drawn = np.isfinite(found) & (found > 0.0)
    n_left = 0 if is_drawn.all() else int((is_drawn & ~has).sum())
    return np.where(has, found, 0.0), n_left
