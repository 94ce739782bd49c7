"""Which columns of a table are probabilities or scores: named by the caller, or by their names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias

from karat.data.roles import (
    ALIASES,
    Family,
    ProbabilityColumns,
    Role,
    Roles,
    ending_of,
    find_roles,
    how_to_name,
    meaning,
    nearest,
    normalized,
    told_columns,
)
from karat.data.scores.containers import Argument
from karat.errors import error, shown

__all__ = [
    "UNLESS_PREDICTED",
    "Named",
    "ScoreColumns",
    "find_score_columns",
    "found_scores",
    "role_of_family",
]

Named: TypeAlias = str | Sequence[str] | None
UNLESS_PREDICTED: Final = "\0"
"""Scores are read only where no column holds the predictions; no column has this name."""
"""A column, a pattern, several columns in order, ``""`` for none, or None to look for them."""

_ROLES: Final[Mapping[Argument, Role]] = {"y_prob": "prob", "y_score": "score"}
_ARGUMENTS: Final[Mapping[Role, Argument]] = {"prob": "y_prob", "score": "y_score"}
_STEMS: Final[Mapping[str, Role | None]] = {
    "probability:class": "prob",
    "probability": "prob",
    "proba": "prob",
    "prob": "prob",
    "p": "prob",
    ".pred": "prob",
    "score": "score",
    "scores": "score",
    "logit": "score",
    "logits": "score",
    # They may hold anything: labels of several models, say.
    "pred": None,
    "class": None,
}
_PATTERN = re.compile(r"[*?\[]")
_OF_TEXT: Final = "of text (0.5 is a number; 0,5 and 50% are text)"


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """The columns of a table that hold probabilities or scores.

    Attributes:
        argument: ``"y_prob"`` or ``"y_score"``.
        names: in table order, or as the caller listed them.
        how: listed by the caller, matched by a pattern of the caller, or found by their names.
        endings: what follows the common part of each name; None when that is to be found.
        shown: what to call them: ``"proba_* (10)"``.
        are_places: whether all columns of the table are called 0, 1, …: it has no names.
    """

    argument: Argument
    names: tuple[str, ...]
    how: Literal["listed", "pattern", "found"]
    endings: tuple[str, ...] | None
    shown: str
    are_places: bool = False

    @property
    def role(self) -> Role:
        """Their role in a mapping."""
        return _ROLES[self.argument]


def find_score_columns(
    columns: Sequence[str],
    types: Mapping[str, Family] | None,
    given: Mapping[Role, str | None],
    prob: Named = None,
    score: Named = None,
) -> tuple[Roles, ScoreColumns | None, list[str]]:
    """The roles of the columns of a table, scores included.

    Args:
        columns: the names, in table order, repeats included.
        types: what is known of them.
        given: truth, prediction and weights as the caller named them, as in `find_roles`.
        prob, score: the columns of one or the other; when neither is given they are looked for;
            `UNLESS_PREDICTED`, only where no column holds the predictions.

    Returns:
        The roles; the columns, or None when there are none, and then the prediction is known;
        and sentences about columns that look like scores and were not read.

    Errors:
        K129 both given; K157 a column twice; K404 there is no such column; K405 several could be
        one role, or the scores; K406 no truth, or neither prediction nor scores.
    """
    looked = find_roles(columns, types, given, needs=())
    if UNLESS_PREDICTED in (prob, score):
        prob = score = None if looked.column("pred") is None else ""
    chosen = _chosen(looked, given, prob, score)
    notes: list[str] = []
    if chosen is None and prob is None and score is None:
        chosen, notes = found_scores(looked)
    elif chosen is None and (prob is None or score is None):
        chosen, notes = found_scores(looked, "score" if score is None else "prob")
    taken = () if chosen is None else chosen.names
    if chosen is not None and list(looked.columns) == list(map(str, range(len(looked.columns)))):
        chosen = replace(chosen, are_places=True)
    roles = find_roles(columns, types, given, needs=("true",), taken=taken)
    of_text: tuple[str, ...] = ()
    if chosen is None and prob is None and score is None:
        of_text = _scores_of_text(columns, types or {}, given)
    if roles.column("pred") is None and chosen is None:
        found = told_columns(roles.columns)
        raise error(
            "K406",
            role="the predictions, probabilities or scores",
            columns=f"{found}; {shown(of_text)} {_OF_TEXT}" if of_text else found,
            option="--pred, --prob or --score NAME (in Python pred=, prob= or score='NAME')",
        )
    if of_text:
        what = "a column" if len(of_text) == 1 else "columns"
        notes.append(f"Probabilities or scores were not read: {shown(of_text)}, {what} {_OF_TEXT}.")
    return roles, chosen, notes


def _scores_of_text(
    columns: Sequence[str], types: Mapping[str, Family], given: Mapping[Role, str | None]
) -> tuple[str, ...]:
    """The columns that would be the scores if they held numbers: with decimal commas, say."""
    texts = {name for name in columns if types.get(name) == "text"}
    looked = find_roles(sorted(texts), None, dict.fromkeys(given), needs=())
    named = {name for name in given.values() if name}
    found = {*looked.candidates["prob"], *looked.candidates["score"]}
    for group in looked.families:
        if role_of_family(group) is not None:
            found.update(group.columns)
    return tuple(name for name in columns if name in found - named)


def _chosen(
    looked: Roles, given: Mapping[Role, str | None], prob: Named, score: Named
) -> ScoreColumns | None:
    """The columns that the caller named."""
    if prob and score:
        found = "Columns were named for the probabilities and for the scores"
        raise error("K129", found=found, prob="prob", score="score")
    named = prob or score
    if not named:
        return None
    role: Role = "prob" if prob else "score"
    used = {name: other for other, name in given.items() if name}
    if isinstance(named, str) and named not in looked.columns and _PATTERN.search(named):
        return _matched(looked, role, named)
    names = (named,) if isinstance(named, str) else tuple(map(str, named))
    for place, name in enumerate(names):
        n_found = looked.columns.count(name)
        if not n_found:
            raise _unknown(looked, role, name)
        if n_found > 1:
            candidates = f"{n_found} columns named {name!r}"
            raise error("K405", role=meaning(role), candidates=candidates, do="Rename all but one")
        if name in used or name in names[:place]:
            purposes = f"twice for {meaning(role)}"
            if name not in names[:place]:
                purposes = f"for {meaning(used[name])} and {meaning(role)}"
            raise error("K157", column=name, purposes=purposes)
    told = repr(names[0]) if len(names) == 1 else f"{shown(names, 2)}"
    endings = None
    if len(names) == 1:
        ending = ending_of(names[0])
        endings = None if ending is None else (ending,)
    return ScoreColumns(_ARGUMENTS[role], names, "listed", endings, told)


def _matched(looked: Roles, role: Role, pattern: str) -> ScoreColumns:
    others: tuple[Role, ...] = ("true", "pred", "weights", "id", "fold", "group", "clusters")
    taken = {name for other in others for name in looked.candidates[other]}
    aliases = {alias for other in others for alias in ALIASES[other]}
    taken |= {name for name in looked.columns if normalized(name) in aliases}
    names = [name for name in looked.columns if fnmatchcase(name, pattern) and name not in taken]
    if not names:
        raise _unknown(looked, role, pattern)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        candidates = f"{names.count(twice)} columns named {twice!r}"
        raise error("K405", role=meaning(role), candidates=candidates, do="Rename all but one")
    endings = None
    start, star, end = pattern.partition("*")
    if star and not _PATTERN.search(start + end):
        endings = tuple(name[len(start) : len(name) - len(end)] for name in names)
    told = f"{pattern} ({len(names)})"
    return ScoreColumns(_ARGUMENTS[role], tuple(names), "pattern", endings, told)


def _unknown(looked: Roles, role: Role, name: str) -> Exception:
    return error(
        "K404",
        column=name,
        role=meaning(role),
        columns=told_columns(looked.columns),
        nearest=nearest(name, looked.columns),
    )


def found_scores(looked: Roles, only: Role | None = None) -> tuple[ScoreColumns | None, list[str]]:
    """The columns whose names say that they are probabilities or scores.

    Args:
        looked: what the columns could be.
        only: ``"prob"`` or ``"score"``, where the other is not wanted.

    Returns:
        The columns, or None; and sentences about columns that look like scores and were not read.

    Errors:
        K405 several could be they.
    """
    options: list[ScoreColumns] = []
    notes: list[str] = []
    for kind, argument in _ARGUMENTS.items():
        if only in (None, kind):
            options += [
                ScoreColumns(argument, (name,), "found", None, repr(name))
                for name in looked.candidates[kind]
            ]
    for group in looked.families:
        role = role_of_family(group)
        if role is None:
            notes.append(_hint(str(group), group))
        elif only in (None, role):
            argument = _ARGUMENTS[role]
            found = ScoreColumns(argument, group.columns, "found", group.labels, str(group))
            options.append(found)
    if len(options) > 1:
        role = options[0].role
        named = how_to_name(role, _pattern(options[0]))
        raise error(
            "K405",
            role="the probabilities or scores",
            candidates=", ".join(option.shown for option in options),
            do=f"Name one: {named}; an empty name leaves them out",
        )
    if options:
        return options[0], []
    notes += [
        f"Column {name!r} was not read: it may be the confidence of whichever class was "
        "predicted. If it is the probability of the positive class, name it with prob= (--prob)."
        for name in looked.candidates["confidence"]
    ]
    return None, notes


def role_of_family(group: ProbabilityColumns) -> Role | None:
    """Whether columns of one stem are probabilities or scores; None where it does not say."""
    return _STEMS[group.stem[:-1].lower()]


def _pattern(option: ScoreColumns) -> str:
    return option.names[0] if len(option.names) == 1 else option.shown.partition(" ")[0]


def _hint(told: str, group: ProbabilityColumns) -> str:
    return (
        f"Columns {told} were not read: their names do not say what they hold. "
        f"If it is probabilities or scores, name them with prob= or score= ({group.stem}*)."
    )
