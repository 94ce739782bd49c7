"""Parquet files too large to hold, as units of rows that are read one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from karat.data.accumulator import Batch, Origin, SlicesLater, Tallies
from karat.data.roles import NO_SCORES
from karat.data.rows import Counted, Rows, numbered
from karat.data.scores.containers import tolerance_of
from karat.data.scores.order import not_scores
from karat.data.scores.rows import labels_alone
from karat.data.sources.columns import TableRequest, dropped, find_columns
from karat.data.sources.files.counted import facts_of, families, opened, slices_of
from karat.data.sources.files.duck import (
    DataFile,
    check_condition,
    explaining,
    file_list,
    literal,
    quoted,
)
from karat.data.sources.files.paths import Source, Stamp, stamp, unchanged
from karat.data.sources.files.readers import folders_of
from karat.data.sources.files.relations import Part, Relation
from karat.data.sources.files.rows import rows_of_files
from karat.data.sources.files.sql import family, item_of
from karat.data.sources.files.values import ValuesOfFiles, doubts_of_ids
from karat.data.sources.formats import AS_TYPED
from karat.data.sources.set_columns import find_sets
from karat.errors import KaratError, error
from karat.errors.reasons import NoRowsError
from karat.errors.together import refuse
from karat.tally import Classes
from karat.tally.score_kind import ROLES

N_UNIT: Final = 1 << 22
"""Rows of a unit at most."""
N_BYTES: Final = 1 << 28
"""What the scores of a unit may take; but it has `N_LEAST` rows whatever they take."""
N_LEAST: Final = 1 << 16
_NUMBER: Final = "file_row_number"
"""What DuckDB calls the number of a row in its file."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Consecutive rows: some of one file, or all of one or more.

    Attributes:
        files: the files.
        first: number of the first row in the first file.
        n: how many rows there are.
        is_whole: whether these are all rows of the files.
        options: how the files are read, as SQL.
    """

    files: tuple[DataFile, ...]
    first: int
    n: int
    is_whole: bool
    options: str

    @property
    def sql(self) -> str:
        read = f"{file_list([file.path for file in self.files])}, {self.options}"
        if self.is_whole:
            return f"SELECT * FROM read_parquet({read})"
        return (
            f"SELECT * EXCLUDE ({_NUMBER}) FROM read_parquet({read}, {_NUMBER}=true) "
            f"WHERE {_NUMBER} >= {self.first} AND {_NUMBER} < {self.first + self.n}"
        )

    @property
    def shown(self) -> str:
        first = self.files[0].shown
        if not self.is_whole:
            return f"rows {self.first} to {self.first + self.n - 1} of {first}"
        return first if len(self.files) == 1 else f"{first} to {self.files[-1].shown}"


def units_of(relation: Relation, n_rows: Mapping[str, int], n_row_bytes: int) -> tuple[Unit, ...]:
    """The units of files, in reading order.

    Each that is read takes a connection and a look at its columns, so that small files of the same
    part are read together.

    Args:
        relation: of Parquet files.
        n_rows: rows of each file by its path.
        n_row_bytes: what the scores of a row take.
    """
    step = min(N_UNIT, max(N_BYTES // max(n_row_bytes, 1), N_LEAST))
    # A file whose own column has the name of the number of a row is not cut.
    can_be_cut = all(name.lower() != _NUMBER for name in relation.header)
    units: list[Unit] = []
    for part in relation.parts:
        options = _options(part)
        together: list[DataFile] = []
        n_together = 0
        for file in part.files:
            n = n_rows[file.path]
            if together and n_together + n > step:
                units.append(Unit(tuple(together), 0, n_together, True, options))
                together, n_together = [], 0
            if n > step and can_be_cut:
                firsts = range(0, n, step)
                units += [Unit((file,), i, min(step, n - i), False, options) for i in firsts]
            elif n:
                together.append(file)
                n_together += n
        if together:
            units.append(Unit(tuple(together), 0, n_together, True, options))
    return tuple(units)


def _options(part: Part) -> str:
    """Options for reading any file of a part."""
    if not part.files[0].is_partitioned:
        return "union_by_name=true, hive_partitioning=false"
    # What a folder is named may look like a number where the others are text.
    folders = sorted(folders_of(part.files) & set(part.columns))
    types = ", ".join(f"{literal(name)}: {part.columns[name]}" for name in folders)
    return f"union_by_name=true, hive_partitioning=true, hive_types={{{types}}}"


@dataclass(frozen=True)
class FileUnits:
    """A source of Parquet files, cut into units.

    Attributes:
        units: in reading order.
        n_bytes: what all rows would take in memory; 0 where labels alone are counted.
        digest: what the columns and classes are, of all rows; its own rows mean nothing.
        request: what was request, with the columns of scores that are read.
        facts: what a report says of the source.
        tolerance: how far from 1 a row of probabilities may add up.
        stamps: size and time of each file by path, before anything was read.
        later: how the values of columns become slices.
        is_of_labels: whether labels alone are wanted: scores decide what is predicted, and go.
        threshold: from which score on the positive class of two is predicted.
    """

    units: tuple[Unit, ...]
    n_bytes: int
    digest: Rows | Counted
    request: TableRequest
    facts: Mapping[str, Any]
    tolerance: float
    stamps: Mapping[str, Stamp]
    later: SlicesLater = field(default_factory=SlicesLater)
    is_of_labels: bool = False
    threshold: float | None = None

    @property
    def classes(self) -> Classes:
        return self.digest.classes

    @property
    def n_rows(self) -> int:
        return sum(unit.n for unit in self.units)

    @property
    def cuts(self) -> list[tuple[list[str], int, int]]:
        """The files of each unit, its first row and how many there are."""
        return [([file.path for file in unit.files], unit.first, unit.n) for unit in self.units]

    @property
    def n_batches(self) -> int:
        return len(self.units)

    def batches(self, first: int = 0) -> Iterator[Batch]:
        """The rows of each unit, from one of them on; see `batch`."""
        for place in range(first, self.n_batches):
            with self.numbering(place):
                found = self.batch(place)
            yield found
            del found

    def batch(self, place: int) -> Batch:
        """The rows of a unit on the classes of all, or their tally.

        Errors:
            K417 a file is not what it was; as `rows_of_files`, with rows numbered over the whole
            read where nothing is filtered.
        """
        unit, digest = self.units[place], self.digest
        classes = self.classes
        named: dict[str, Any] = {}
        if isinstance(digest, Rows):
            assert digest.scores is not None
            columns = digest.scores.columns
            assert columns is not None
            named = {**NO_SCORES, ROLES[digest.scores.argument]: list(columns)}
        mapping = digest.mapping
        # What the digest does not have is not looked for again: an empty name says so.
        named |= {role: mapping.get(role) or "" for role in ("true", "pred", "weights")}
        positive = None if classes.positive is None else classes.labels[classes.positive]
        request = replace(
            self.request,
            labels=classes.labels,
            positive=positive,
            labels_are_text=False,
            clusters=self.request.clusters or "",
            is_part=True,
            **named,
        )
        try:
            with unchanged(unit.files, self.stamps):
                found = rows_of_files(unit.sql, request)
        except NoRowsError as problem:
            return Tallies(n_dropped=int(problem.context["n_dropped"]))
        if isinstance(found, Counted):
            return replace(found, cells=found.cells.with_classes(classes))
        cells = None if found.cells is None else found.cells.with_classes(classes)
        found = replace(found.on(classes), cells=cells)
        if found.scores is None:
            return found
        found = replace(found, scores=replace(found.scores, tolerance=self.tolerance))
        if not self.is_of_labels:
            return found
        with numbered(found.kept):
            return labels_alone(found, self.threshold, request.n_threads)

    def finished(self, found: Tallies) -> Tallies:
        """Return the tallies with the origin of the rows and the number of rows left out.

        Errors:
            K402 no row is left.
        """
        facts, warnings = dict(self.facts), list(self.digest.warnings)
        if not found.n_rows:
            raise error("K402", path="All files", found="no row is left to read")
        if found.n_dropped:
            facts["n_dropped"] = found.n_dropped
        warnings[:0] = dropped(found.n_dropped, found.n_rows + found.n_dropped)
        mapping = dict(self.digest.mapping)
        if self.request.clusters:
            mapping["clusters"] = self.request.clusters
        scores = None
        if self.is_of_labels and isinstance(self.digest, Rows):
            scores = self.digest.kind
        return replace(found, origin=Origin(mapping, facts, tuple(warnings), scores))

    @contextmanager
    def numbering(self, place: int) -> Iterator[None]:
        """Errors within name rows of the whole read, and say of which rows their counts are."""
        try:
            yield
        except KaratError as problem:
            facts, unit = dict(problem.context), self.units[place]
            if "row" not in facts:
                raise problem from None
            if self.request.where is not None:
                told = f"Rows are numbered among those that the filter keeps of {unit.shown}."
                facts["numbering"] = told
            else:
                facts["row"] += sum(unit.n for unit in self.units[:place])
                if "n" in facts and len(self.units) > 1:
                    facts["numbering"] = f"The count is of {unit.shown}."
            raise problem.but(**facts) from None


def units_of_files(
    source: Source, most: int | None = None, request: TableRequest | None = None, **options: Any
) -> FileUnits | None:
    """A source of Parquet files as units; None where it is something else, or fits.

    Args:
        most: bytes that rows may take to be read at once; None: none are.
        source, request, options: as of `rows_of_files`.

    Errors:
        As `rows_of_files`: columns that are not there, and classes that do not fit.

    Cost: one pass over the labels.
    """
    request = request or TableRequest(**options)
    clusters, where = request.clusters, request.where
    with opened(source, request.n_threads, request.formats) as relation:
        n_rows = relation.rows_of
        if n_rows is None:
            return None
        stamps = {file.path: stamp(file.path) for file in relation.files}
        if where is not None:
            check_condition(relation.connection, where)
        types = families(relation)
        if find_sets(request, relation.header, types) is not None:
            if most is None:
                refuse("any", "sets of a table", {"checkpoint": True})
            return None
        # The column of clusters is looked for beside those of slices.
        others = replace(request, clusters=None if clusters is None else "")
        columns = find_columns(
            others,
            relation.header,
            types,
            relation.described,
            values=ValuesOfFiles(relation, where),
        )
        request = replace(request, positive=columns.positive)
        mapping, names, notes = columns.found, columns.scores, columns.notes
        if columns.folds is not None and columns.folds.ids is not None:
            clusters = mapping.pop("clusters")
            request = replace(request, clusters=clusters)
        axes = [relation.column(name) for name in ((clusters,) if clusters else ())]
        axes += map(relation.column, columns.singles)
        with explaining(relation.files, where=where):
            relation.require_names(axes)
            # What every file must have, while they are still known apart.
            relation.require({role: relation.column(name) for role, name in mapping.items()})
            try:
                relation.require_scores([relation.column(name) for name in names])
            except KaratError as problem:
                assert columns.chosen is not None
                notes.append(not_scores(problem, columns.chosen, has_pred="pred" in mapping))
                names = ()
                request = replace(request, **NO_SCORES)
            is_half = relation.halves([relation.column(name) for name in names])
        kinds = [dict(relation.described)[name] for name in names]
        of_labels = 8 + 8 * ("weights" in mapping) if axes and not names else 0
        beside = of_labels + 4 * len(axes)
        is_wide = any(item_of(kind) is not None for kind in kinds)
        width = beside + len(kinds) * (4 if set(kinds) == {"FLOAT"} else 8)
        if most is not None and not is_wide and sum(n_rows.values()) * width <= most:
            return None
        if request.unique != "" and not columns.repeats_ids:
            ids, is_named = columns.unique, request.unique is not None
            notes += doubts_of_ids(relation, ids, mapping["true"], where, is_named=is_named)
        facts, later = facts_of(relation, where), slices_of(relation, columns.groups, columns.folds)
        sql, labels = _digest(relation, mapping, names, where)
    # Of the digest, columns of text have been made text.
    every = replace(request, where=None, clusters="", unique="", groups=(), folds=None)
    every.formats = AS_TYPED
    try:
        found = rows_of_files(sql, every)
    except KaratError as problem:
        if "row" in problem.context:
            # A digest does not know the row of a label in the files.
            true = mapping["true"]
            pred = mapping.get("pred", f"{true} again")
            alone = replace(every, true=true, pred=pred, weights="", **NO_SCORES)
            rows_of_files(labels, alone)
        raise
    # Of columns of lists only the numbers that were read say how many a row has.
    scores = found.scores if isinstance(found, Rows) else None
    width = beside + (0 if scores is None else scores.values[:1].nbytes)
    n_bytes = sum(n_rows.values()) * width
    if most is not None and n_bytes <= most:
        return None
    # A digest has no folds.
    of_folds = {role: name for role, name in columns.mapping.items() if role == "folds"}
    return FileUnits(
        units_of(relation, n_rows, width),
        n_bytes,
        replace(found.warned(*notes), mapping={**found.mapping, **of_folds}),
        request,
        facts,
        tolerance_of(is_half=is_half),
        stamps,
        later,
    )


def _digest(
    relation: Relation, mapping: Mapping[str, str], scores: tuple[str, ...], where: str | None
) -> tuple[str, str]:
    """The query of every pair of labels, and that of the labels of every row.

    Beside the pairs are scores and weights that mean nothing. No value of a row stands there: a row
    that is left out may hold anything.
    """
    parts = " UNION ALL BY NAME ".join(f"SELECT * FROM {part.sql}" for part in relation.parts)
    kept = f" WHERE ({where}\n)" if where is not None else ""
    labels = dict.fromkeys(mapping[role] for role in ("true", "pred") if role in mapping)
    weights = mapping.get("weights")
    kinds = dict(relation.described)

    def column(name: str) -> str:
        return quoted(relation.column(name))

    def is_there(name: str) -> str:
        is_float = kinds[name] in ("FLOAT", "DOUBLE")
        number = f" AND NOT isnan({column(name)})" if is_float else ""
        return f"{column(name)} IS NOT NULL{number}"

    condition = " AND ".join(map(is_there, labels))
    pairs = ", ".join(f"{column(name)} AS {quoted(name)}" for name in labels)
    beside = [
        f"{_neutral(kinds[name], column(name), number, condition)} AS {quoted(name)}"
        for name, number in [*((name, 0) for name in scores), (weights, 1)]
        if name and name not in labels
    ]
    distinct = f"SELECT DISTINCT {pairs} FROM rows WHERE {condition} ORDER BY ALL"
    with_rows = f"WITH rows AS (SELECT * FROM ({parts}){kept})"
    true = mapping["true"]
    again = "" if len(labels) > 1 else f", {column(true)} AS {quoted(f'{true} again')}"
    return (
        f"{with_rows} SELECT {', '.join(['*', *beside])} FROM ({distinct})",
        f"{with_rows} SELECT {pairs}{again} FROM rows",
    )


def _neutral(kind: str, column: str, number: int, condition: str) -> str:
    """A number, or a list as long as those of a column; what holds neither as it is."""
    item = item_of(kind)
    if family(item or kind) not in ("whole", "real"):
        return f"(SELECT {column} FROM rows LIMIT 1)"
    value = f"CAST({number} AS {item or kind})"
    if item is None:
        return value
    of = f"SELECT {column} AS list FROM rows WHERE {condition} AND {column} IS NOT NULL LIMIT 1"
    return f"(SELECT list_transform(list, lambda item: {value}) FROM ({of}))"
