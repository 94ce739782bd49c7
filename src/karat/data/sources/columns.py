"""Columns that a source reads from a table, detected once for tables of every kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol, TypeAlias

from karat.data.accumulator import SlicesLater
from karat.data.checks import (
    check_counts,
    check_unused_weights,
    missing_text,
    no_slices,
    parts_of_data,
    single_columns,
    unused_columns,
    unused_groups,
    unused_repeats,
)
from karat.data.labels.column import Kind, declared_labels
from karat.data.labels.names import NameOfClass
from karat.data.roles import (
    ALIASES,
    SCORE_ROLES,
    Family,
    Role,
    Roles,
    find_roles,
    looks_like,
    meaning,
    normalized,
    unknown_column,
)
from karat.data.scores.columns import (
    UNLESS_PREDICTED,
    Named,
    ScoreColumns,
    find_score_columns,
    name_of_unread,
)
from karat.data.slices.codes import Key
from karat.data.slices.folds import AUTO
from karat.data.sources.files.text_labels import NotLabelsError, of_csv
from karat.data.sources.formats import AS_TYPED, ColumnFormats
from karat.data.sources.logged import logged
from karat.errors import error
from karat.errors.doubts import doubt
from karat.tally.classes import Label
from karat.tally.folds import OF_FOLDS, FoldColumns
from karat.tally.score_kind import ScoreRole

Progress: TypeAlias = Callable[[int, int | None], None]
"""Called at intervals with the number of rows read, and the total if known."""


class Values(Protocol):
    """Values of the columns of a source, from its first rows."""

    def first(self, column: str) -> str | None:
        """Return the first value of a column as text; None without one, or if unknown."""

    def are_groups(self, column: str) -> bool:
        """Return whether values of a column repeat, and are not all equal; True if unknown."""

    def distinct(self, column: str) -> Collection[str] | None:
        """Return the distinct values of the first rows as text; None if unknown."""

    def written(self, column: str) -> Collection[str]:
        """Return the distinct texts of the first rows, "" for blanks; none where it has a type."""

    def rows(self, columns: Sequence[str]) -> list[tuple[str, ...]] | None:
        """Return the first rows of some columns as texts; None if unknown."""


@dataclass(slots=True)
class TableRequest:
    """Request for the columns of a table.

    Attributes:
        true, pred: columns; default: detected by name. With scores, no column of predictions is
            needed.
        prob, logit, score: columns of probabilities, logits or other scores: a column (of the
            positive class of two, or of lists), several columns, or a pattern ``"proba_*"``;
            default: detected by name; an empty name means none.
        weights: a column; default: detected by name. For a table in memory, also float[n].
        clusters: a column of clusters; never detected by name. An empty name means none, and None
            warns about a column with such a name. For a table in memory, also one name or number
            for each row.
        ids: a column of row names; with `keeps_rows` detected by name.
        unique: a column of unique ids; default: detected by name, and "" for none.
        by: a column of the slice of each row; it may have another role, too.
        groups: columns, and crosses of several, whose values and bins are slices.
        folds: the column of folds, or of several roles; ``"auto"``: detected by name; None: none.
            Columns of repeats, held-out folds and numbers of training rows beside it are detected
            by name.
        is_searched: whether the groups are columns that are searched for slices: numbers are kept,
            and columns without slices are left out. Default groups: all columns other than labels,
            weights, clusters, ids and model outputs.
        keeps_rows: whether the rows are always kept.
        formats: how the columns are written: which are text, and the decimal mark of a CSV.
        lists_rows: whether some of the rows are listed by their ids, and are thus not only counted.
        labels: the classes in order; default: those in the column names, else the sorted labels
            that occur.
        positive: the positive class of two.
        nulls: ``"error"``, or ``"drop"`` to leave out rows without truth, prediction or weight.
            A missing score is always an error.
        n_threads: threads of the reader (four at most) and of the count.
        where: for files, a SQL condition; other rows are not read.
        labels_are_text: whether `labels` and `positive` are texts, as on the command line.
        progress: for files, called after each batch of rows; default: `logged`.
        is_part: whether they are part of more rows, so that these may all weigh 0.
        separator: separator of several labels in a text; None: text is one label.
        threshold: for sets with scores, the score at or above which labels are predicted.
        is_frequency: for sets, whether a row of weight 3 stands for three rows.
    """

    true: str | None = None
    pred: str | None = None
    prob: Named = None
    logit: Named = None
    score: Named = None
    weights: Any = None
    clusters: Any = None
    ids: str | None = None
    unique: str | None = None
    by: str | None = None
    groups: Sequence[Key] = ()
    folds: str | Mapping[Role, str] | None = None
    keeps_rows: bool = False
    labels: Sequence[Label] | None = None
    positive: Label | None = None
    nulls: Literal["error", "drop"] = "error"
    n_threads: int | None = None
    where: str | None = None
    labels_are_text: bool = False
    progress: Progress | None = field(default_factory=logged)
    is_part: bool = False
    is_searched: bool = False
    separator: str | None = None
    threshold: Any = None
    is_frequency: bool = False
    lists_rows: bool = False
    formats: ColumnFormats = AS_TYPED

    def __post_init__(self) -> None:
        if self.labels is not None:
            # Read once: it may be a generator.
            self.labels = declared_labels(self.labels)

    def read_as(self, kind: Kind) -> TableRequest:
        """Return the request with text classes as labels of that kind, if possible."""
        if not self.labels_are_text or kind == "string":
            return self
        is_named = not isinstance(self.positive, NameOfClass | None)
        given = [*(self.labels or ()), *([self.positive] if is_named else [])]
        try:
            read = of_csv([str(text) for text in given])
        except NotLabelsError:
            return self
        labels = None if self.labels is None else read[: len(self.labels)]
        positive = read[-1] if is_named else self.positive
        return replace(self, labels=labels, positive=positive, labels_are_text=False)

    @property
    def scores(self) -> dict[ScoreRole, Named]:
        """Columns of probabilities, of logits and of other scores, by their role."""
        return {"prob": self.prob, "logit": self.logit, "score": self.score}

    @property
    def has_clusters(self) -> bool:
        """True if clusters are given as values, not as a column."""
        return not isinstance(self.clusters, str | None)


@dataclass(frozen=True, slots=True)
class TableColumns:
    """Columns of one table.

    Attributes:
        mapping: column of truth, predictions and weights, and of clusters if named; of folds if
            there are some, None if a column with such a name is not read.
        chosen: the columns of scores, or None.
        singles: distinct columns whose values are slices.
        id: the column of row names, or None.
        unique: the column of unique ids, or None.
        notes: sentences on columns that are not read.
        groups: the columns, and crosses of several, that make slices.
        left_out: column → why it is not searched.
        positive: the requested positive class; else the class in the name of an unread column of
            scores, if it is one of two.
        folds: the columns of folds, which are one of the groups; or None.
    """

    mapping: dict[str, str | None]
    chosen: ScoreColumns | None
    singles: tuple[str, ...]
    id: str | None
    unique: str | None
    notes: list[str]
    groups: tuple[Key, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    positive: Label | None = None
    folds: FoldColumns | None = None

    def without(self, left_out: Mapping[str, str]) -> TableColumns:
        """Return the columns without those that cannot be searched, with the reasons."""
        groups = tuple(key for key in self.groups if not left_out.keys() & {*key})
        singles = tuple(name for name in self.singles if name not in left_out)
        left_out = {**self.left_out, **left_out}
        return replace(self, groups=groups, singles=singles, left_out=left_out)

    @property
    def found(self) -> dict[str, str]:
        """Column by role, for roles that have one; folds are read as slices."""
        read = {"folds", *OF_FOLDS}
        return {role: name for role, name in self.mapping.items() if name and role not in read}

    @property
    def repeats_ids(self) -> bool:
        """True if each repeat of the folds has the ids of all rows."""
        return self.folds is not None and self.folds.ids is not None

    @property
    def scores(self) -> tuple[str, ...]:
        return () if self.chosen is None else self.chosen.names


def find_columns(
    request: TableRequest,
    header: Sequence[str],
    types: Mapping[str, Family],
    described: Iterable[tuple[str, str]] | None = None,
    of_text: str = "",
    values: Values | None = None,
) -> TableColumns:
    """Find the columns of each role, of the scores and of the slices.

    Args:
        header: the names, in table order, repeats included.
        types: known types of the columns.
        described: name and type of each column for messages; default: `types`.
        of_text: advice if a column of text may be probabilities; empty for none.
        values: content of columns named like groups, or of text columns named like scores; None if
            unknown.

    Errors:
        As in `find_score_columns`; K116 invalid weights; K404 missing columns of slices; K412 the
        file is a result of karat.
    """
    _refuse_results(header)
    by, named = request.by, request.scores
    # Values for each row leave no column of that role.
    given: dict[Role, str | None] = {
        "true": request.true,
        "pred": request.pred,
        "weights": request.weights if isinstance(request.weights, str | None) else "",
        "clusters": "" if request.has_clusters else request.clusters,
        "id": request.ids,
    }
    is_detected = request.folds == AUTO and AUTO not in header
    if request.folds is not None and not is_detected:
        given |= {"fold": request.folds} if isinstance(request.folds, str) else request.folds
    roles, chosen, notes = find_score_columns(
        header, types, given, named, first=None if values is None else values.first
    )
    mapping = {role: name or None for role, name in roles.mapping.items()}
    of_numbers = [("weights", mapping.get("weights"))]
    of_numbers += [] if chosen is None else [(chosen.argument, x) for x in chosen.names]
    request.formats.check_numbers(of_numbers)
    if mapping.get("clusters", "") is None:
        del mapping["clusters"]
    folds = None if request.folds is None else _fold_columns(request, roles)
    if folds is not None and folds.ids is not None:
        mapping["clusters"] = folds.ids
    id_ = roles.column("id") if request.keeps_rows or request.ids else None
    if folds is not None and folds.ids == id_:
        # Rows of several repeats have no id of their own: they are matched by their order.
        id_ = None
    if by is not None and by not in header:
        raise no_slices(by, header)
    groups = tuple(request.groups)
    if folds is not None and folds.key not in groups:
        groups += (folds.key,)
    left_out: dict[str, str] = {}
    if request.is_searched and not groups:
        read = {*filter(None, mapping.values()), *(chosen.names if chosen else ()), id_, by}
        groups, left_out = columns_to_search(header, types, read)
    singles = single_columns(groups, header)
    unique = None
    # Unnamed columns may contain ids and groups, though they are searched for slices.
    asked = singles if request.groups or folds is not None else ()
    if not request.is_part:
        used_already = [*mapping.values(), by, *asked]
        unique = id_ if request.keeps_rows else _column_of_ids(request, roles, used_already)
    positive = request.positive
    if positive is None and chosen is None and UNLESS_PREDICTED in named.values():
        positive = name_of_unread(roles)
    facts = (id_, unique, notes, groups, left_out, positive, folds)
    found = TableColumns(mapping, chosen, singles, *facts)
    used = [*found.found.values(), *found.scores, id_, by, *asked]
    recognized = roles.candidates.get("fold", ())
    if folds is not None:
        mapping["folds"] = folds.fold
        mapping |= {role: name for role, name in folds.roles.items() if role in OF_FOLDS}
    elif len(recognized) == 1 and recognized[0] not in used:
        # Named, not read: see decisions/06-designs.md.
        mapping["folds"] = None
        repeats = roles.candidates.get("repeat", ())
        is_open_to_folds = given["clusters"] is None and not request.is_searched
        if len(repeats) == 1 and repeats[0] not in used and is_open_to_folds and values is not None:
            notes += unused_repeats(recognized[0], repeats[0], unique, values.are_groups)
    texts: list[str] = []
    is_open = all(columns is None for columns in named.values())
    if of_text and chosen is None and is_open:
        texts = [name for name in texts_called(types, "prob") if name not in used]
        of_columns = {"found": "It holds text", "do": of_text}
        notes += [doubt("D108", what=f"Column {name!r} was", **of_columns) for name in texts]
    if given["clusters"] is None:
        notes += unused_groups(header, used, _any if values is None else values.are_groups)
    settled: list[Role] = [role for role, name in given.items() if name is not None]
    if not is_open:
        settled += SCORE_ROLES
    noted = [*texts, *roles.candidates["confidence"]]
    if not request.pred:
        noted += [name for family in roles.families for name in family.columns]
    notes += unused_columns(types, used, settled, noted)
    if values is not None and not request.is_searched:
        notes += parts_of_data(types, used, values.distinct)
        texts_of = {name: values.written(name) for name in asked if types.get(name) == "text"}
        notes += filter(None, map(missing_text, texts_of, texts_of.values()))
    if given["weights"] is None and mapping["weights"] is None:
        of_labels = [mapping.get("true"), mapping.get("pred")]
        if values is not None and all(of_labels) and unique is None and id_ is None:
            columns = dict.fromkeys([*filter(None, [*of_labels, by]), *asked])
            check_counts(types, used, [*columns], values.rows)
        check_unused_weights(types.items() if described is None else described, used)
    return found


_OF_A_REPORT: Final = (
    "It can be a baseline: karat gate PREDICTIONS --baseline REPORT.json. In Python "
    "karat.Report.from_json(text) reads it, and karat.gate and karat.compare take reports."
)
_RESULTS: Final = {
    "per_class": ("report", _OF_A_REPORT),
    "sha256": ("baseline", "Name it as one: karat gate PREDICTIONS --baseline BASELINE.json."),
    "differences": ("comparison", "Give the predictions that were compared."),
    "verdict": ("gate", "Give the predictions that it judged."),
}
"""Key of the JSON that karat writes → its kind, and the advice."""


def _refuse_results(header: Collection[str]) -> None:
    """Refuse karat's own output where rows are expected (K412)."""
    found = next((key for key in _RESULTS if {key, "karat", "schema"} <= {*header}), None)
    if found is not None:
        kind, do = _RESULTS[found]
        raise error("K412", found=f"It is the JSON of a {kind} of karat, not rows", advice=do)


def _any(_: str) -> bool:
    return True


def _fold_columns(request: TableRequest, roles: Roles) -> FoldColumns:
    """Return the columns of folds (K406: none has such a name).

    With repeats, the ids of rows take their predictions together, unless clusters are given.
    """
    columns = FoldColumns(
        roles.require("fold"),
        roles.column("repeat"),
        roles.column("holdout"),
        roles.column("train_size"),
    )
    ids = None
    if columns.repeat is not None and request.clusters is None:
        ids = request.ids or _column_of_ids(request, roles, columns.key)
    is_slice = columns.key in set(request.groups)
    return replace(columns, ids=ids, is_slice=is_slice)


def _column_of_ids(request: TableRequest, roles: Roles, used: Collection[str | None]) -> str | None:
    """Return the column of unique ids (K404: the named one does not exist)."""
    if request.unique is None:
        known = (
            x for alias in ALIASES["id"] for x in roles.candidates["id"] if normalized(x) == alias
        )
        return next((name for name in known if name not in used), None)
    if request.unique and request.unique not in roles.columns:
        raise unknown_column(request.unique, meaning("id"), roles.columns)
    return request.unique or None


_UNSEARCHED: Final[Mapping[Role, str]] = {
    **dict.fromkeys(("pred", *SCORE_ROLES, "confidence"), "It holds output of the model."),
    "true": "It may hold the true labels.",
    "id": "It holds ids of rows.",
}


def columns_to_search(
    header: Sequence[str], types: Mapping[str, Family], read: Collection[str | None]
) -> tuple[tuple[Key, ...], dict[str, str]]:
    """Return the columns of a table that are searched for slices, and reasons for the others.

    Args:
        read: columns with a role in this call.
    """
    # By name alone: if one column is the truth, others may be truth, too.
    roles = find_roles(header, types, needs=())
    families = {name for family in roles.families for name in family.columns}
    found: list[Key] = []
    left_out: dict[str, str] = {}
    for name in roles.columns:
        role = roles.role_of(name)
        reason = _UNSEARCHED.get(role) if role is not None else None
        if name in families or (role is None and looks_like(name) in ("pred", "prob")):
            # Also of other models: `pred_old`, `yhat_v1`.
            reason = _UNSEARCHED["prob"]
        elif types.get(name) == "list":
            reason = "It holds lists."
        if reason is not None and (name not in read or role not in ("true", "pred")):
            left_out[name] = reason
        elif name not in read:
            found.append((name,))
    return tuple(found), left_out


def texts_called(types: Mapping[str, Family], *roles: Role) -> list[str]:
    """Return the text columns whose names match one of these roles."""
    known = {alias for role in roles for alias in ALIASES[role]}
    return [name for name, kind in types.items() if kind == "text" and normalized(name) in known]


def slices_later(
    types: Mapping[str, Any],
    groups: Sequence[Key],
    folds: FoldColumns | None = None,
    *,
    is_one_csv: bool = False,
    orders: Mapping[str, tuple[str, ...]] | None = None,
) -> SlicesLater:
    """Return how values become slices; those of folds are names, also where they are numbers."""
    names = () if folds is None else folds.key
    numbers = (x for x, kind in types.items() if kind in ("whole", "real") and x not in names)
    booleans = (x for x, kind in types.items() if kind == "boolean")
    return SlicesLater(
        tuple(groups),
        frozenset(numbers),
        folds,
        booleans=frozenset(booleans),
        is_one_csv=is_one_csv,
        orders=orders or {},
    )


def dropped(n: int, total: int) -> tuple[str, ...]:
    """Return the sentence on rows that were left out."""
    return (f"{n} of {total} rows have a missing label and were dropped.",) if n else ()
