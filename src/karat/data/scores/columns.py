"""Detection of the columns of probabilities or scores, named by the caller or by pattern."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, TypeAlias

from karat.data.labels.names import MOST_DIGITS, WHOLE, NameOfClass
from karat.data.percents import reading_of_comma
from karat.data.roles import (
    ALIASES,
    EXACT_SCORES,
    PATTERN,
    SCORE_ROLES,
    Family,
    ProbabilityColumns,
    Role,
    Roles,
    ending_of,
    find_roles,
    how_to_name,
    looks_like,
    matching,
    meaning,
    named_columns,
    normalized,
    unknown_column,
)
from karat.data.scores.numbers import with_comma
from karat.errors import KaratError, error, shown
from karat.errors.doubts import doubt
from karat.errors.options import option
from karat.tally.classes import Label
from karat.tally.score_kind import ARGUMENT_OF_ROLE, ROLES, Argument, ScoreRole, two_kinds

_N_CUTS = 64


def readings(
    names: Sequence[str], endings: Sequence[str] | None
) -> Iterator[tuple[list[str], bool]]:
    """Yield the possible labels in each name, best reading first, and whether each is probable.

    A reading is probable if the common prefix ends at a separator: `p_cat`, `p_car` end in `cat`,
    not in `t`. From numbers, only zeros are cut off: `01`, `02` end in `1` and `2`, `10`, `11` not
    in `0` and `1`.
    """
    if endings is not None:
        yield list(endings), True
    start = _shared(names)
    end = _shared([name[::-1] for name in names])[::-1]
    cuts = sorted(range(len(start), -1, -1), key=lambda i: i > 0 and start[i - 1].isalnum())
    tails = ["", *(end[i:] for i in range(len(end)) if not end[i].isalnum())]
    shortest = min(map(len, names))
    are_whole = are_numbers(names)
    for tail in tails[:_N_CUTS]:
        for cut in cuts[:_N_CUTS]:
            if cut + len(tail) < shortest and not (are_whole and start[:cut].strip("0")):
                texts = [name[cut : len(name) - len(tail)] for name in names]
                yield texts, are_whole or not (cut and start[cut - 1].isalnum())


def _shared(names: Sequence[str]) -> str:
    """Return the common prefix of all names."""
    first, last = min(names), max(names)
    n_same = next((i for i, char in enumerate(first) if last[i : i + 1] != char), len(first))
    return first[:n_same]


def numbers_in_order(names: Sequence[str], endings: Sequence[str] | None) -> list[int] | None:
    """Return the numbers at the ends of names, if they number the columns from 0 or 1."""
    for texts, _ in readings(names, endings):
        numbers = _counted(texts)
        if numbers is not None:
            return numbers
    return None


def _counted(texts: Sequence[str]) -> list[int] | None:
    """Return the numbers in texts, if they count from 0 or 1, in any order; else None."""
    if any(not text.isdecimal() or len(text) > MOST_DIGITS for text in texts):
        return None
    numbers, k = [int(text) for text in texts], len(texts)
    return numbers if sorted(numbers) in (list(range(k)), list(range(1, k + 1))) else None


def are_numbers(names: Sequence[str]) -> bool:
    """Return whether all names are integers: ``2``, ``007``, ``-1``, ``1.0``."""
    return all(name.isdecimal() or WHOLE.fullmatch(name) for name in names)


def only_count(names: Sequence[str], known: AbstractSet[Label]) -> bool:
    """Return whether names that are numbers only give positions, for any classes.

    They do if they count from 0, and if they count from 1 and the classes are all of 0, 1, 2, ….
    With two classes 0 and 1, the names 1, 2 may also denote the column of class 1.
    """
    k, numbers = len(names), _counted(names)
    if numbers is None or numbers != sorted(numbers):
        return False
    return numbers[0] == 0 or (k > 2 and known == set(range(k)))


def are_of_others(names: Sequence[str], known: AbstractSet[Label], how: str) -> bool:
    """Return whether names that are numbers, but not classes, contradict the column positions.

    They do if they number the columns in another order than listed, or do not number them although
    the classes are numbers.
    """
    numbers = _counted(names)
    if numbers is not None:
        return how == "listed" and numbers != sorted(numbers)
    return all(not isinstance(label, str) or WHOLE.fullmatch(label) for label in known)


Named: TypeAlias = str | Sequence[str] | None
UNLESS_PREDICTED: Final = "\0"
"""Marker to read scores only if no column has the predictions; no column has this name."""
"""A column, a pattern, several columns in order, ``""`` for none, or None to detect them."""

_STEMS: Final[Mapping[str, ScoreRole | None]] = {
    **dict.fromkeys(("probability:class", "probability", "proba", "prob", "p", ".pred"), "prob"),
    **dict.fromkeys(("logit", "logits"), "logit"),
    **dict.fromkeys(("score", "scores"), "score"),
    # They may contain anything, such as labels of several models.
    **dict.fromkeys(("pred", "class")),
}


@dataclass(frozen=True, slots=True)
class ScoreColumns:
    """Columns of a table that contain probabilities or scores.

    Attributes:
        argument: ``"y_prob"``, ``"y_logit"`` or ``"y_score"``.
        names: in table order, or as the caller listed them.
        how: listed by the caller, matched by a pattern of the caller, or detected by name.
        endings: rest of each name after the common part; None if not known yet.
        shown: name in messages: ``"proba_* (10)"``.
        are_places: whether all columns of the table are named 0, 1, …, so that it has no names.
    """

    argument: Argument
    names: tuple[str, ...]
    how: Literal["listed", "pattern", "found"]
    endings: tuple[str, ...] | None
    shown: str
    are_places: bool = False

    @property
    def role(self) -> ScoreRole:
        """Their role in a mapping."""
        return ROLES[self.argument]


def find_score_columns(
    columns: Sequence[str],
    types: Mapping[str, Family] | None,
    given: Mapping[Role, str | None],
    named: Mapping[ScoreRole, Named],
    *,
    first: Callable[[str], str | None] | None = None,
) -> tuple[Roles, ScoreColumns | None, list[str]]:
    """Find the roles of the columns of a table, including scores.

    Args:
        columns: the names, in table order, repeats included.
        types: known types of the columns.
        given: truth, prediction and weights as the caller named them, as in `find_roles`.
        named: columns by their role; those of one role at most. Without any, they are detected;
            with `UNLESS_PREDICTED`, only if no column has the predictions.
        first: function that returns the first value of a column as text; None if values are
            unknown.

    Returns:
        The roles; the columns, or None if there are none, and then the prediction is known; and
        sentences about columns that resemble scores and were not read.

    Errors:
        K129 columns of two roles; K157 a column twice; K404 there is no such column; K405 several
        could be one role, or the scores; K406 no truth, or neither prediction nor scores.
    """
    looked = find_roles(columns, types, given, needs=())
    if UNLESS_PREDICTED in named.values():
        unless = None if looked.column("pred") is None else ""
        named = {role: unless if x == UNLESS_PREDICTED else x for role, x in named.items()}
    chosen = _chosen(looked, given, named)
    notes: list[str] = []
    wanted = [role for role in SCORE_ROLES if named.get(role) is None]
    is_open = len(wanted) == len(SCORE_ROLES)
    if chosen is None and wanted:
        # A pattern of predictions, one column for each label, may have been found.
        pred = given.get("pred")
        is_named = bool(pred) and not PATTERN.search(pred or "")
        known = _of_exact_names(looked) if is_named else looked
        chosen, notes = found_scores(known, wanted)
    if chosen is not None and list(looked.columns) == list(map(str, range(len(looked.columns)))):
        chosen = replace(chosen, are_places=True)
    taken = () if chosen is None else chosen.names
    roles = find_roles(columns, types, given, needs=("true",), taken=taken)
    unfit: list[tuple[list[str], _Unfit]] = []
    if is_open:
        used = {*given.values(), *taken}
        unfit = _unfit_scores(columns, types or {}, used, first, is_settled=chosen is not None)
    if roles.column("pred") is None and chosen is None:
        found = named_columns(roles.columns)
        notes_of_columns = [f"{shown(names)} {why.found}" for names, why in unfit]
        others = {*given.values(), *(name for names, _ in unfit for name in names)}
        like = [x for x in roles.columns if looks_like(x) in ("pred", *SCORE_ROLES)]
        like = [x for x in like if x not in others]
        if like:
            notes_of_columns.append(f"{shown(like)} may be what you mean")
        raise error(
            "K406",
            role="the predictions, probabilities, logits or scores",
            columns="; ".join([found, *notes_of_columns]),
            option=f"{option('y_pred')}, {option('y_prob')}, {option('y_logit')} or "
            f"{option('y_score', 'NAME')}",
        )
    for names, why in unfit:
        is_one = len(names) == 1
        what, of_what = "A column", "probabilities or scores was"
        if not is_one:
            what, of_what = "Columns", "probabilities or scores were"
        sentence = f"{shown(names)}, {what.lower()} {why.found}"
        notes.append(doubt("D108", what=f"{what} of {of_what}", found=sentence, do=why.do))
    return roles, chosen, notes


def _of_exact_names(looked: Roles) -> Roles:
    """Return the roles without scores whose names may mean anything else."""
    roles: tuple[ScoreRole, ...] = ("logit", "score")
    exact: dict[Role, tuple[str, ...]] = {
        role: tuple(name for name in looked.candidates[role] if normalized(name) in EXACT_SCORES)
        for role in roles
    }
    return replace(looked, candidates={**looked.candidates, **exact}, families=())


class _Unfit(NamedTuple):
    """Content of columns named like scores, and the advice."""

    found: str
    do: str


_OF_TEXT: Final = _Unfit(
    "of text (0.5 is a number; 0,5 is text)", "Write the numbers with a decimal point."
)
_OF_COMMAS: Final = "of numbers with a decimal comma"
_OF_LISTS: Final = _Unfit(
    "of lists that are written as text",
    "Write a column for each class, or a column of lists, which Parquet and JSON have.",
)
_OF_STRUCTS: Final = _Unfit("of structs", "If they are the scores by class, name the column.")
_OF_OTHERS: Final = _Unfit(
    "of dates or other values that are not numbers",
    "Write a number in each row, or rename columns that hold no scores.",
)


def _unfit_scores(
    columns: Sequence[str],
    types: Mapping[str, Family],
    used: Collection[str | None],
    first: Callable[[str], str | None] | None,
    *,
    is_settled: bool,
) -> list[tuple[list[str], _Unfit]]:
    """Return the columns named like scores that do not contain numbers, by their content.

    If other columns are the scores, `prob_a`, `prob_b` … may contain anything.
    """
    others = {name for name in columns if types.get(name) in ("text", "other")} - {*used}
    looked = find_roles(sorted(others), None, needs=())
    called = {name for role in SCORE_ROLES for name in looked.candidates[role]}
    for group in looked.families if not is_settled else ():
        if role_of_family(group) is not None:
            called.update(group.columns)
    found: dict[_Unfit, list[str]] = {}
    for name in dict.fromkeys(columns):
        if name in called:
            why = _OF_TEXT if types[name] == "text" else _OF_OTHERS
            if why is _OF_TEXT and first is not None and _is_list(first(name)):
                why = _OF_LISTS
            elif why is _OF_TEXT and first is not None and with_comma(first(name)):
                why = _Unfit(_OF_COMMAS, reading_of_comma())
            elif first is not None and (first(name) or "").startswith("{"):
                why = _OF_STRUCTS
            found.setdefault(why, []).append(name)
    return [(names, why) for why, names in found.items()]


def _is_list(text: str | None) -> bool:
    """Return whether a text is a list, as a frame writes it into a CSV."""
    bare = "" if text is None else text.strip()
    return bare.startswith("[") and bare.endswith("]")


def _chosen(
    looked: Roles, given: Mapping[Role, str | None], columns: Mapping[ScoreRole, Named]
) -> ScoreColumns | None:
    """Return the columns that the caller named."""
    roles = [role for role, names in columns.items() if names]
    if len(roles) > 1:
        found = f"Columns were named for {meaning(roles[0])} and for {meaning(roles[1])}"
        raise two_kinds(found, [ARGUMENT_OF_ROLE[role] for role in roles])
    role = next(iter(roles), None)
    named = None if role is None else columns[role]
    if role is None or not named:
        return None
    used = {name: other for other, name in given.items() if name}
    if isinstance(named, str) and named not in looked.columns and PATTERN.search(named):
        return _matched(looked, role, named)
    names = (named,) if isinstance(named, str) else tuple(map(str, named))
    for place, name in enumerate(names):
        n_found = looked.columns.count(name)
        if not n_found:
            raise unknown_column(name, meaning(role), looked.columns)
        if n_found > 1:
            raise _several(role, n_found, name)
        if name in used or name in names[:place]:
            purposes = f"twice for {meaning(role)}"
            if name not in names[:place]:
                purposes = f"for {meaning(used[name])} and {meaning(role)}"
            raise error("K157", column=name, purposes=purposes)
    text, endings = shown(names, 2), None
    if len(names) == 1:
        text, ending = repr(names[0]), ending_of(names[0])
        endings = None if ending is None else (ending,)
    return ScoreColumns(ARGUMENT_OF_ROLE[role], names, "listed", endings, text)


def _matched(looked: Roles, role: ScoreRole, pattern: str) -> ScoreColumns:
    others: tuple[Role, ...] = ("true", "pred", "weights", "id", "fold", "group", "clusters")
    taken = {name for other in others for name in looked.candidates[other]}
    aliases = {alias for other in others for alias in ALIASES[other]}
    taken |= {name for name in looked.columns if normalized(name) in aliases}
    names = [name for name in matching(pattern, looked.columns) if name not in taken]
    if not names:
        raise unknown_column(pattern, meaning(role), looked.columns)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise _several(role, names.count(twice), twice)
    endings = None
    start, star, end = pattern.partition("*")
    if star and not PATTERN.search(start + end):
        endings = tuple(name[len(start) : len(name) - len(end)] for name in names)
    text = f"{pattern} ({len(names)})"
    return ScoreColumns(ARGUMENT_OF_ROLE[role], tuple(names), "pattern", endings, text)


def _several(role: Role, n: int, name: str) -> KaratError:
    candidates = f"{n} columns named {name!r}"
    return error("K405", role=meaning(role), candidates=candidates, do="Rename all but one")


def found_scores(
    looked: Roles, wanted: Collection[ScoreRole] = SCORE_ROLES
) -> tuple[ScoreColumns | None, list[str]]:
    """Find the columns whose names denote probabilities or scores.

    Args:
        looked: possible roles of the columns.
        wanted: roles of the columns.

    Returns:
        The columns, or None; and sentences about columns that resemble scores and were not read.

    Errors:
        K405 the choice is ambiguous.
    """
    options: list[ScoreColumns] = []
    notes: list[str] = []
    for kind, argument in ARGUMENT_OF_ROLE.items():
        if kind in wanted:
            options += [
                ScoreColumns(argument, (name,), "found", None, repr(name))
                for name in looked.candidates[kind]
            ]
    for group in looked.families:
        role = role_of_family(group)
        if role is None:
            pattern = f"{group.stem}*"
            notes.append(
                doubt(
                    "D108",
                    what=f"Columns {group} were",
                    found="Their names do not show what they hold",
                    do="If it is probabilities, logits or scores, name them: "
                    f"{option('y_prob', pattern)}, {option('y_logit', pattern)} or "
                    f"{option('y_score', pattern)}.",
                )
            )
        elif role in wanted:
            argument, text = ARGUMENT_OF_ROLE[role], str(group)
            options.append(ScoreColumns(argument, group.columns, "found", group.labels, text))
    if len(options) > 1:
        first = options[0]
        name = first.names[0] if len(first.names) == 1 else first.shown.partition(" ")[0]
        named = how_to_name(first.role, name)
        raise error(
            "K405",
            role="the probabilities, logits or scores",
            candidates=", ".join(option.shown for option in options),
            do=f"Name one: {named}; an empty name leaves them out",
        )
    if options:
        return options[0], []
    notes += [
        doubt(
            "D108",
            what=f"Column {name!r} was",
            found="It may be the confidence of whichever class was predicted",
            do="If it is the probability of the positive class, name it: "
            f"{option('y_prob', name)}.",
        )
        for name in looked.candidates["confidence"]
        if "prob" in wanted
    ]
    return None, notes


def name_of_unread(looked: Roles) -> NameOfClass | None:
    """Return the class in the name of the only column of probabilities or scores."""
    with suppress(KaratError):
        found, _ = found_scores(looked)
        if found is not None and len(found.names) == 1:
            ending = ending_of(found.names[0])
            return None if ending is None else NameOfClass(ending)
    return None


def role_of_family(group: ProbabilityColumns) -> ScoreRole | None:
    """Return the role of columns of one stem; None if unclear."""
    return _STEMS[group.stem.rstrip("-_.:= ").lower()]
