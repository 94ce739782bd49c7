"""Columns of a table that hold sets of labels: lists, text with a separator, or one for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Final

from karat.data.labels.column import declared_labels
from karat.data.roles import Family, Role, find_roles, meaning, shown_column, unknown_column
from karat.data.scores.columns import ScoreColumns, found_scores, readings
from karat.data.scores.labels import columns_of_labels, other_labels
from karat.data.sources.columns import TableRequest
from karat.data.sources.files.text_labels import NotLabelsError, of_csv
from karat.errors import KaratError, error, shown
from karat.errors.options import option
from karat.errors.together import refuse
from karat.tally.classes import Label
from karat.tally.score_kind import Argument

_STEMS: Final[Mapping[str, Role]] = {
    **dict.fromkeys(("true", "y_true", "label", "labels", "target", "gt", "actual"), "true"),
    **dict.fromkeys(("pred", "y_pred", "predicted", "prediction", "yhat", "y_hat"), "pred"),
}
"""What columns of truth and of predictions begin with, where there is one for each label."""
_WIDE: Final = re.compile(
    rf"(?P<stem>{'|'.join(sorted(_STEMS, key=len, reverse=True))})(?P<mark>[-_.:= ])(?P<label>.+)",
    re.IGNORECASE,
)
N_LOOKED: Final = 1000
"""First rows that say whether a column of objects holds sets."""
_CELLS: Final = ("whole", "real", "boolean", "unknown")


@dataclass(frozen=True, slots=True)
class WideColumns:
    """A column for each label, of the truth and of the predictions.

    Attributes:
        labels: what the names of the columns of one label end in.
        true, pred: their names, in the order of the labels.
    """

    labels: tuple[Label, ...]
    true: tuple[str, ...]
    pred: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetColumns:
    """Request for a table with sets of labels.

    Attributes:
        request: what was asked.
        header: the names of the columns; those of one label each as one, by their pattern.
        types: what is known of them.
        wide: the columns of one label each, or None.
    """

    request: TableRequest
    header: tuple[str, ...]
    types: Mapping[str, Family]
    wide: WideColumns | None = None


def find_sets(
    request: TableRequest,
    header: Sequence[str],
    types: Mapping[str, Family],
    hold_sets: Callable[[str], bool] | None = None,
) -> SetColumns | None:
    """The columns of sets of labels; None where rows have one class each.

    They are sets where `separator` is given, where the column of truth or of predictions has a type
    of lists, where either is named by a pattern, and where no column is called like truth or
    predictions but several are called ``true_…`` and as many ``pred_…``, with the same endings.

    Args:
        hold_sets: whether a column whose type says nothing holds sets in its first rows.

    Errors:
        K222 `positive` beside sets; K228 columns of one label each that do not go together; K404
        no column has the name or matches the pattern.
    """
    if request.is_searched:
        return None
    sides: dict[Role, str | None] = {"true": request.true, "pred": request.pred}
    patterns = {role: x for role, x in sides.items() if x and "*" in x and x not in header}
    if patterns:
        if len(patterns) < 2 and "true" in patterns and sides["pred"] is None:
            sides["pred"] = "" if _has_scores(request, header, types, patterns["true"]) else None
        if len(patterns) < 2 and sides["pred"] != "":
            role = "pred" if "true" in patterns else "true"
            found = f"{option(role)} is not a pattern, and {_named(patterns)} is one"
            do = f"Name both by patterns, as {option(role, f'{role}_*')}."
            raise _unfit(sides, found, do)
        _check_stars(patterns)
        matched = _matched(header, patterns)
        if sides["pred"] == "":
            patterns["pred"], matched["pred"] = "", {}
        return _with_wide(request, header, types, patterns, matched)
    named = {role: name for role, name in sides.items() if name in header}
    looked = find_roles(header, types, named, needs=())
    scores = [name for named in request.scores.values() for name in _names_of(named)]
    candidates = [
        [name for name in looked.candidates.get(role, ()) if name not in scores] for role in sides
    ]
    if request.separator is None:
        if not any(candidates) and sides["true"] is None and sides["pred"] is None:
            return _found_wide(request, header, types)
        single = [names[0] for names in candidates if len(names) == 1]
        kinds = [types.get(name, "unknown") for name in single]
        of_values = [
            hold_sets is not None and kind in ("unknown", "other") and hold_sets(name)
            for name, kind in zip(single, kinds, strict=True)
        ]
        if "list" not in kinds and not any(of_values):
            return None
    return SetColumns(_of_sets(request), tuple(header), types)


def _names_of(named: str | Sequence[str] | None) -> Sequence[str]:
    return [named] if isinstance(named, str) else named or ()


def _of_sets(request: TableRequest) -> TableRequest:
    """The request without what is for rows with one class (K222)."""
    options = {"by": request.by, "positive": request.positive}
    refuse("any", "sets of a table", {x: v for x, v in options.items() if v is not None})
    return request


def _has_scores(
    request: TableRequest, header: Sequence[str], types: Mapping[str, Family], pattern: str
) -> bool:
    """True if columns of scores are named, or are there by their names."""
    if any(request.scores.values()):
        return True
    if "" in request.scores.values():
        return False
    others = [name for name in header if not fnmatchcase(name, pattern)]
    looked = find_roles(others, types, needs=())
    return found_scores(looked)[0] is not None


def _named(patterns: Mapping[Role, str]) -> str:
    return ", ".join(option(role, pattern) for role, pattern in patterns.items())


def _unfit(sides: Mapping[Role, str | None], found: str, do: str) -> KaratError:
    true, pred = (sides[role] or meaning(role) for role in ("true", "pred"))
    return error("K228", true=true, pred=pred, found=found, do=do)


def _check_stars(patterns: Mapping[Role, str]) -> None:
    for role, pattern in patterns.items():
        if pattern.count("*") > 1:
            found = f"{option(role, pattern)} has {pattern.count('*')} stars"
            raise _unfit(patterns, found, "Write one star, where the label stands.")


def _matched(header: Sequence[str], patterns: Mapping[Role, str]) -> dict[Role, dict[str, str]]:
    """Column by the text of its label, for both sides; K404 where none matches.

    A column that matches both is that of the longer pattern: `y_pred_a` of ``y_pred_*``, not of
    ``y_*``.
    """
    longest_first = sorted(patterns, key=lambda role: -len(patterns[role]))
    found: dict[Role, dict[str, str]] = {role: {} for role in patterns}
    for name in header:
        for role in longest_first:
            start, _, end = patterns[role].partition("*")
            inner = len(name) - len(start) - len(end)
            if inner > 0 and name.startswith(start) and name.endswith(end):
                label = name[len(start) : len(name) - len(end)]
                if label in found[role]:
                    do = f"Rename all but one of the columns {name!r}."
                    raise _unfit(patterns, f"Several columns are called {name!r}", do)
                found[role][label] = name
                break
    for role, columns in found.items():
        if not columns:
            raise unknown_column(patterns[role], meaning(role), header)
    return found


def _found_wide(
    request: TableRequest, header: Sequence[str], types: Mapping[str, Family]
) -> SetColumns | None:
    """Columns of one label each by their names, where they can be only one thing."""
    groups: dict[Role, dict[str, dict[str, str]]] = {"true": {}, "pred": {}}
    for name in dict.fromkeys(header):
        match = _WIDE.fullmatch(name)
        if match and types.get(name, "unknown") in _CELLS:
            stem = match["stem"] + match["mark"]
            group = groups[_STEMS[match["stem"].lower()]].setdefault(stem, {})
            group[match["label"]] = name
    fitting = [
        (stems, {"true": true, "pred": pred})
        for stems, true, pred in (
            ((a, b), groups["true"][a], groups["pred"][b])
            for a in groups["true"]
            for b in groups["pred"]
        )
        if len(true) > 1 and true.keys() == pred.keys()
    ]
    if len(fitting) != 1:
        return None
    (stems, matched) = fitting[0]
    patterns: dict[Role, str] = {"true": f"{stems[0]}*", "pred": f"{stems[1]}*"}
    found: dict[Role, dict[str, str]] = {"true": matched["true"], "pred": matched["pred"]}
    return _with_wide(request, header, types, patterns, found)


def _with_wide(
    request: TableRequest,
    header: Sequence[str],
    types: Mapping[str, Family],
    patterns: Mapping[Role, str],
    matched: Mapping[Role, Mapping[str, str]],
) -> SetColumns:
    """The request for columns of one label each."""
    if request.separator is not None:
        found = f"{_named(patterns)} are columns of one label each, and no text"
        raise error("K227", found=found, do=f"Leave {option('separator')} out.")
    true, pred = matched["true"], matched["pred"]
    for role, own, other in (("true", true, pred), ("pred", pred, true)) if pred else ():
        alone = [name for label, name in own.items() if label not in other]
        if alone:
            lacking: Role = "pred" if role == "true" else "true"
            found = f"Without a column of {meaning(lacking)}: {shown(alone)}"
            raise _unfit(patterns, found, "Write a column of each label on both sides.")
    texts = list(true)
    labels = _labels(texts)
    if request.labels is not None:
        place = dict(zip(labels, texts, strict=True))
        texts = _declared(request, labels, place, patterns)
        labels = tuple(dict(zip(place.values(), place, strict=True))[text] for text in texts)
    wide = WideColumns(
        labels, tuple(true[text] for text in texts), tuple(pred[text] for text in texts if pred)
    )
    others = [name for name in header if name not in {*wide.true, *wide.pred}]
    named = replace(_of_sets(request), true=patterns["true"], pred=patterns["pred"])
    kinds: dict[str, Family] = {name: types[name] for name in others if name in types}
    groups = tuple(pattern for pattern in patterns.values() if pattern)
    kinds |= dict.fromkeys(groups, "list")
    return SetColumns(named, (*groups, *others), kinds, wide)


@dataclass(frozen=True, slots=True)
class ScoresOfLabels:
    """Columns of scores, one for each label, or one of lists.

    Attributes:
        names: the columns in the order of the labels.
        argument: ``"y_prob"``, ``"y_logit"`` or ``"y_score"``.
        labels: the labels that they are of.
        threshold: from which score on a label is predicted, or None.
    """

    names: tuple[str, ...]
    argument: Argument
    labels: tuple[Label, ...]
    threshold: Any = None


def place_scores(
    asked: SetColumns, chosen: ScoreColumns, found: Mapping[str, str]
) -> ScoresOfLabels:
    """The label of each column of scores.

    The names end in the labels; where they do not, columns that the caller listed stand in the
    order of `labels`.

    Args:
        found: column by role.

    Errors:
        K137 the columns name other labels, or none.
    """
    request, names = asked.request, chosen.names
    what = f"The columns of {option(chosen.role)}"
    is_list = len(names) == 1
    if asked.wide is not None:
        labels = asked.wide.labels
    elif request.labels is not None:
        given = tuple(declared_labels(request.labels))
        labels = _labels(list(map(str, given))) if request.labels_are_text else given
    elif is_list:
        do = f"Name a column for each label, as {option(chosen.role, 'p_*')}; of a column of lists "
        do += f"give the labels in their order: {option('labels')}."
        found_one = shown_column(names[0])
        what += " are in one column, which does not name the labels"
        raise error("K137", what=what, found=found_one, do=do)
    else:
        texts = next(readings(names, chosen.endings))[0]
        are_written = not {found.get("true"), found.get("pred")}.isdisjoint(request.formats.text)
        labels = tuple(texts) if are_written else _labels(texts)
    placed = ScoresOfLabels(names, chosen.argument, labels, request.threshold)
    if is_list:
        return placed
    order = columns_of_labels(names, chosen.endings, labels)
    if order is not None:
        return replace(placed, names=tuple(names[place] for place in order))
    if chosen.how == "listed" and len(names) == len(labels):
        return placed
    do = "Name one column for each label."
    raise other_labels(what, names, labels, do)


def _labels(texts: Sequence[str]) -> tuple[Label, ...]:
    """The labels of endings: numbers where all are whole numbers, else the texts."""
    try:
        labels = tuple(of_csv(texts))
    except NotLabelsError:
        return tuple(texts)
    return labels if len(set(labels)) == len(texts) else tuple(texts)


def _declared(
    request: TableRequest,
    labels: Sequence[Label],
    place: Mapping[Label, str],
    patterns: Mapping[Role, str],
) -> list[str]:
    """The endings in the order of labels=."""
    read = request.read_as("string" if isinstance(labels[0], str) else "integer")
    listed = declared_labels(read.labels)
    wrong: list[Any] = [label for label in listed if label not in place]
    wrong += [label for label in labels if label not in listed]
    if wrong:
        found = f"{option('labels')} lists {shown(listed)}; the columns end in {shown(labels)}"
        raise _unfit(patterns, found, "List the endings of the columns, in any order.")
    return [place[label] for label in listed]
