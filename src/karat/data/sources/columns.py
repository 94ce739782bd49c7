"""The columns that a source reads of a table, found once for tables of every kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karat.data.accumulator import SlicesLater
from karat.data.checks import check_unused_weights, no_slices, single_columns, unused_groups
from karat.data.roles import ALIASES, Family, Role, normalized
from karat.data.scores.columns import Named, ScoreColumns, find_score_columns
from karat.data.slices.codes import Key

__all__ = ["TableColumns", "dropped", "find_columns", "slices_later", "texts_called"]


@dataclass(frozen=True, slots=True)
class TableColumns:
    """The columns of one table.

    Attributes:
        mapping: column of truth, predictions and weights, and of clusters where one is named.
        chosen: the columns of scores, or None.
        singles: each column whose values are slices, once.
        id: the column of the names of the rows, or None.
        notes: what to tell of columns that are not read.
    """

    mapping: dict[str, str | None]
    chosen: ScoreColumns | None
    singles: tuple[str, ...]
    id: str | None
    notes: list[str]

    @property
    def found(self) -> dict[str, str]:
        """Column by role, of the roles that have one."""
        return {role: name for role, name in self.mapping.items() if name}

    @property
    def scores(self) -> tuple[str, ...]:
        return () if self.chosen is None else self.chosen.names


def find_columns(
    header: Sequence[str],
    types: Mapping[str, Family],
    given: Mapping[Role, str | None],
    prob: Named,
    score: Named,
    groups: Sequence[Key],
    *,
    described: Iterable[tuple[str, str]] | None = None,
    by: str | None = None,
    wants_ids: bool = False,
    of_text: str = "",
) -> TableColumns:
    """Find the columns of each role, of the scores and of the slices.

    Args:
        header: the names, in table order, repeats included.
        types: what is known of them.
        given: the columns that the caller named: truth, prediction, weights, clusters, maybe ids.
        prob, score: as of `find_score_columns`.
        groups: columns, and crosses of several, whose values and bins are slices.
        described: name and type of each column for messages; default: `types`.
        by: a column of the slice that each row is in.
        wants_ids: whether a column of ids is looked for.
        of_text: what to do where a column of text may be probabilities; empty to say nothing.

    Errors:
        As `find_score_columns`; K116 weights that cannot be; K404 slices that are not there.
    """
    roles, chosen, notes = find_score_columns(header, types, given, prob, score)
    mapping = {role: name or None for role, name in roles.mapping.items()}
    if mapping.get("clusters", "") is None:
        del mapping["clusters"]
    id_ = roles.column("id") if wants_ids else None
    if by is not None and by not in header:
        raise no_slices(by, header)
    singles = single_columns(groups, header)
    found = TableColumns(mapping, chosen, singles, id_, notes)
    used = [*found.found.values(), *found.scores, id_, by, *singles]
    if of_text and chosen is None and prob is None and score is None:
        texts = [name for name in texts_called(types, "prob") if name not in used]
        notes += [f"Column {name!r} was not read: it holds text. {of_text}" for name in texts]
    if given["clusters"] is None:
        notes += unused_groups(header, used)
    if given["weights"] is None and mapping["weights"] is None:
        check_unused_weights(types.items() if described is None else described, used)
    return found


def texts_called(types: Mapping[str, Family], *roles: Role) -> list[str]:
    """Columns of text whose names say that they have one of these roles."""
    known = {alias for role in roles for alias in ALIASES[role]}
    return [name for name, kind in types.items() if kind == "text" and normalized(name) in known]


def slices_later(types: Mapping[str, Any], groups: Sequence[Key]) -> SlicesLater:
    numbers = frozenset(name for name, kind in types.items() if kind in ("whole", "real"))
    return SlicesLater(tuple(groups), numbers)


def dropped(n: int, total: int) -> tuple[str, ...]:
    """What to tell of rows that were left out."""
    return (f"{n} of {total} rows have a missing label and were dropped.",) if n else ()
