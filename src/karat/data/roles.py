"""Roles of the columns of a table, found by name, never guessed.

If two columns could fill a role, the error lists both, in any order of columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from karat.errors import KaratError, error, shown
from karat.errors.options import option
from karat.errors.reasons import ManyColumnsError, NoColumnError, UnknownColumnError
from karat.tally.score_kind import ARGUMENT_OF_ROLE, ScoreRole

Role: TypeAlias = Literal[
    "true",
    "pred",
    "weights",
    "score",
    "logit",
    "prob",
    "confidence",
    "id",
    "fold",
    "repeat",
    "holdout",
    "train_size",
    "group",
    "clusters",
]
Family: TypeAlias = Literal["whole", "real", "boolean", "text", "list", "other", "unknown"]
"""Meaning of the type of a column for a role."""


class _Facts(NamedTuple):
    """Name of a role in a sentence, and names of its columns."""

    meaning: str
    aliases: str = ""


_GROUPS: Final = (
    "group cluster subject patient person participant user customer client account household "
    "session speaker"
)
# Spelled as by `normalized`. `class` names the truth in every tool but CatBoost, whose
# prediction is `Class`: see `_settle_class`.
_ROLES: Final[Mapping[Role, _Facts]] = {
    "true": _Facts(
        "the true labels",
        "y_true ytrue true_label true_labels true_class target label labels ground_truth "
        "groundtruth gt gold gold_label actual actuals actual_label actual_class truth true y "
        "y_test expected class",
    ),
    "pred": _Facts(
        "the predicted labels",
        "y_pred ypred yhat y_hat predicted_label predicted_labels predicted prediction "
        "predictions pred preds pred_label pred_class predicted_class _pred_class estimate "
        "label_pred class_pred",
    ),
    "weights": _Facts("the weights", "sample_weight sample_weights case_weight case_weights"),
    "score": _Facts("the scores", "y_score score scores prediction_score"),
    "logit": _Facts("the logits", "y_logit logit logits"),
    "prob": _Facts(
        "the probabilities",
        "proba prob probability y_prob y_proba p p_hat phat pred_proba pred_prob predicted_proba "
        "predicted_prob predicted_probability probs probabilities",
    ),
    # It may be the confidence of any predicted class.
    "confidence": _Facts("the confidence", "confidence"),
    "id": _Facts(
        "the row ids",
        "id sample_id row_id image_id index filename file_name filepath file_path path image",
    ),
    "fold": _Facts("the folds", "fold"),
    # Read beside a column of folds only.
    "repeat": _Facts("the repeats of the folds", "repeat"),
    "holdout": _Facts("the other folds that were held out", "holdout"),
    "train_size": _Facts("the numbers of training rows", "train_size"),
    "group": _Facts(
        "the groups",
        " ".join(f"{one}{end}" for one in _GROUPS.split() for end in ("", "_id", "id"))
        + " member_id visit_id case_id",
    ),
    # Never by name alone: only the caller knows whether rows of a group are dependent.
    "clusters": _Facts("the clusters"),
}
ALIASES: Final[Mapping[Role, tuple[str, ...]]] = {
    role: tuple(facts.aliases.split()) for role, facts in _ROLES.items()
}
_WEIGHT: Final = "weight weights wt wts wgt"
_KINDS_OF_WEIGHTS: Final = (
    "survey sampling sample case my row obs observation inverse propensity ip iptw importance "
    "design final analysis pop population freq frequency instance class"
)
_WEIGHTS: Final = (
    "weight weights w wt wts wgt ipw iptw ipsw pweight pweights fweight fweights aweight aweights "
    "iweight iweights exposure"
)
"""Names that are of weights or of a feature: never taken as weights by name alone."""
EXACT_SCORES: Final = frozenset(["y_logit", "logit", "logits", "y_score"])
"""Names of scores that are read beside predictions that the caller named."""
_WORDS: Final[Mapping[Role, frozenset[str]]] = {
    "pred": frozenset(["pred", "preds", "predicted", "prediction", "predictions", "yhat"]),
    "prob": frozenset(["prob", "proba", "probs", "probability", "probabilities"]),
    "score": frozenset(["score", "scores"]),
    "logit": frozenset(["logit", "logits"]),
    "true": frozenset(["label", "labels", "target", "truth", "gt", "true", "gold", "actual"]),
}
"""Words in a name that suggest a role, among names that `_ROLES` does not list."""
WEAK: Final[Mapping[Role, tuple[str, ...]]] = {
    **{role: tuple(sorted(words)) for role, words in _WORDS.items()},
    "weights": tuple(_WEIGHTS.split()),
    "clusters": ALIASES["group"],
    "fold": ALIASES["fold"],
}
"""Names, or words in a name, that suggest a role and give none: the column has to be named."""
KINDS_OF_WEIGHTS: Final = tuple(_KINDS_OF_WEIGHTS.split())
"""What stands before `weight` in names of weights, as in ``survey_weight``."""

SCORE_ROLES: Final[tuple[ScoreRole, ...]] = tuple(ARGUMENT_OF_ROLE)

NO_SCORES: Final[Mapping[str, Any]] = dict.fromkeys(SCORE_ROLES, "")
"""No column has probabilities, logits or scores."""

CATBOOST_PREDICTION = "Class"

_ARGUMENT: Final[Mapping[Role, str]] = {"group": "clusters", "fold": "folds"}
"""Names of roles in Python, where they differ."""
_OF_VALUES: Final = re.compile(
    r"(?P<role>y_true|y_pred|y_prob|y_logit|y_score|weights|clusters|ids|by|folds|repeat|holdout|train_size|loss)"
    r"(?: of (?P<model>.+))? \(values\)"
)
"""Names of columns that hold the values of an argument beside a table; see `tables.beside`."""
_NUMBERS = frozenset({"whole", "real", "boolean", "unknown"})
_PREFIXED = re.compile(
    r"(?P<stem>(?:probability:class|probability|proba|prob|scores?|logits?|class|p|\.?pred)"
    r"[-_.:= ])(?P<label>.+)",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"(?P<stem>p|prob|proba|probability)(?P<label>[0-9]{1,5})", re.IGNORECASE)
"""Names that number the columns of probabilities: ``p0``, ``p1``, …"""
PATTERN: Final = re.compile(r"[*?\[]")
"""What makes a pattern of the name of a column."""
_VALUE = re.compile(r"-?[0-9]*\.[0-9]+(?:e-?[0-9]+)?", re.IGNORECASE)
"""The first row of a file without a header may be taken for one; see `_UNNAMED` for others."""
_UNNAMED = re.compile(r"column[0-9]+")


@dataclass(frozen=True, slots=True)
class ProbabilityColumns:
    """Columns named ``<prefix><separator><label>``, one for each class.

    Attributes:
        stem: common part of the names, for example ``"proba_"``; ``"p"`` for ``p0``, ``p1``, ….
        labels: rest of each name, as text.
        columns: the names.
    """

    stem: str
    labels: tuple[str, ...]
    columns: tuple[str, ...]

    def __str__(self) -> str:
        n = len(self.columns)
        return f"{self.stem}* ({n})" if n > 1 else self.columns[0]


@dataclass(frozen=True, slots=True)
class Roles:
    """Columns of a table by their possible roles.

    Attributes:
        columns: every column, in table order.
        candidates: the columns that could fill each role; one if it is unambiguous.
        given: the roles that the caller named.
        families: groups of probability columns.
    """

    columns: tuple[str, ...]
    candidates: Mapping[Role, tuple[str, ...]]
    given: frozenset[Role] = frozenset()
    families: tuple[ProbabilityColumns, ...] = ()

    def column(self, role: Role) -> str | None:
        """Return the column of a role; None without any (K405: several columns could be it)."""
        found = self.candidates.get(role, ())
        if len(found) > 1:
            # A name of several columns identifies none.
            is_one = found.count(found[0]) == 1
            do = f"Name one: {how_to_name(role, found[0])}" if is_one else "Rename all but one"
            raise error("K405", role=_ROLES[role].meaning, candidates=shown(found), do=do)
        return found[0] if found else None

    def require(self, role: Role) -> str:
        """Return the column of a required role (K405: several could be it; K406: none)."""
        found = self.column(role)
        if found is None:
            there, how = named_columns(self.columns), how_to_name(role, "NAME")
            if role == "true" and sum(x.lower().startswith("true_") for x in self.columns) > 1:
                how += f", or with one column for each label {how_to_name(role, 'true_*')}"
            raise error("K406", role=_ROLES[role].meaning, columns=there, option=how)
        return found

    @property
    def mapping(self) -> dict[str, str | None]:
        """Columns of labels and weights, or None, and of named clusters (K405)."""
        roles: tuple[Role, ...] = ("true", "pred", "weights")
        found = {str(role): self.column(role) for role in roles}
        clusters = self.column("clusters")
        return found if clusters is None else {**found, "clusters": clusters}

    def role_of(self, column: str) -> Role | None:
        """Return the possible role of a column; None if its name has none."""
        return next((role for role, found in self.candidates.items() if column in found), None)


def find_roles(
    columns: Sequence[str],
    types: Mapping[str, Family] | None = None,
    given: Mapping[Role, str | None] | None = None,
    *,
    needs: Iterable[Role] = ("true", "pred"),
    taken: Iterable[str] = (),
) -> Roles:
    """Find the role of each column from the names that other tools use.

    Names match in any case, and ``-``, space and ``.`` count as ``_``. `class` (in any case) is the
    truth if no other column is; with another truth, CatBoost's `Class`, in this spelling, is the
    prediction, and any other spelling is a second truth.

    Args:
        columns: the names, in table order, repeats included.
        types: known types of the columns; text cannot be a weight or a probability.
        given: column by role, as the caller named them; they cannot have other roles. An empty name
            means no column.
        needs: required roles; empty to skip the check.
        taken: columns that already have a role.

    Errors:
        K157 one column given twice; K404 a given column does not exist;
        K405 two columns could fill one of `needs`, or be the weights; K406 none could.

    Example:
        >>> find_roles(["id", "label", "prediction", "sample_weight"]).mapping
        {'true': 'label', 'pred': 'prediction', 'weights': 'sample_weight'}
    """
    chosen = {role: name for role, name in (given or {}).items() if name is not None}
    _check_given(chosen, columns)
    used = {*chosen.values(), *taken}
    known = types or {}
    free = [name for name in columns if name not in used]
    keys = {name: normalized(name) for name in free}
    candidates: dict[Role, tuple[str, ...]] = {}
    for role, aliases in ALIASES.items():
        candidates[role] = tuple(
            name
            for name in free
            if keys[name] in aliases and _can_be(role, keys[name], known.get(name, "unknown"))
        )
        if role in chosen:
            candidates[role] = tuple(name for name in columns if name == chosen[role])
    _settle_class(candidates, free, chosen)
    named = {name for found in candidates.values() for name in found}
    others = [name for name in free if name not in named]
    families = _families(others, known)
    if any(candidates[role] for role in SCORE_ROLES):
        families = tuple(family for family in families if len(family.columns) > 1)
    elif not families:
        families = _counted(others, known)
    roles = Roles(tuple(columns), candidates, frozenset(chosen), families)
    needed = tuple(needs)
    for role in needed:
        roles.require(role)
    if needed:
        roles.column("weights")
    return roles


def normalized(name: str) -> str:
    """Return a column name in the spelling of the alias lists."""
    return re.sub(r"[-. ]", "_", name.strip().lower())


def matching(name: str, columns: Iterable[str]) -> list[str]:
    """Return the columns of that name; if there are none, those that it matches as a pattern.

    Example:
        >>> matching("p_*", ["p_0", "p_1", "q"]), matching("p_*", ["p_*", "p_0"])
        (['p_0', 'p_1'], ['p_*'])
    """
    columns = list(columns)
    same = [column for column in columns if column == name]
    if same or not PATTERN.search(name):
        return same
    return [column for column in columns if fnmatchcase(column, name)]


def nearest(name: str, columns: Sequence[str]) -> str:
    """Return the columns with the most similar names, for a message."""
    from difflib import get_close_matches

    by_key = {normalized(column): column for column in columns}
    found = get_close_matches(normalized(name), by_key, n=3, cutoff=0.5)
    return shown(by_key[key] for key in found) if found else "none is similar"


def _can_be(role: Role, key: str, family: Family) -> bool:
    if role in ("weights", "confidence"):
        return family in _NUMBERS
    if role in SCORE_ROLES:
        return family in _NUMBERS or family == "list"
    # A name of an image, not its pixels.
    return key != "image" or family in ("whole", "text", "unknown")


def _settle_class(
    candidates: dict[Role, tuple[str, ...]], free: Sequence[str], chosen: Mapping[Role, str]
) -> None:
    """Decide whether a column `Class` is the truth or CatBoost's prediction."""
    if CATBOOST_PREDICTION not in free or "pred" in chosen:
        return
    others = tuple(name for name in candidates["true"] if name != CATBOOST_PREDICTION)
    if not others:
        return
    if "true" not in chosen:
        candidates["true"] = others
    candidates["pred"] = tuple(
        name for name in free if name in candidates["pred"] or name == CATBOOST_PREDICTION
    )


def _families(names: Sequence[str], types: Mapping[str, Family]) -> tuple[ProbabilityColumns, ...]:
    members: dict[str, list[tuple[str, str]]] = {}
    for name in names:
        match = _PREFIXED.fullmatch(name.strip())
        if match and types.get(name, "unknown") in _NUMBERS:
            members.setdefault(match["stem"], []).append((match["label"], name))
    return tuple(
        ProbabilityColumns(stem, tuple(x for x, _ in found), tuple(x for _, x in found))
        for stem, found in members.items()
        if len(found) > 1 or (_is_of_probabilities(stem) and len(members) == 1)
    )


def _counted(names: Sequence[str], types: Mapping[str, Family]) -> tuple[ProbabilityColumns, ...]:
    """Return columns of one stem that number the classes from 0 or 1, such as ``p0`` and ``p1``."""
    members: dict[str, list[tuple[str, str]]] = {}
    for name in names:
        match = _COUNTED.fullmatch(name.strip())
        if match and types.get(name, "unknown") in _NUMBERS:
            members.setdefault(match["stem"], []).append((match["label"], name))
    families = []
    for stem, found in members.items():
        labels, columns = zip(*found, strict=True)
        numbers, k = sorted(map(int, labels)), len(labels)
        if k > 1 and numbers in (list(range(k)), list(range(1, k + 1))):
            families.append(ProbabilityColumns(stem, labels, columns))
    return tuple(families)


def _is_of_probabilities(stem: str) -> bool:
    """Return whether a column of that stem alone is a probability: `proba_fraud`, not `p_value`."""
    return stem[:-1].lower() in ("proba", "prob", "probability")


def looks_like(name: str) -> Role | None:
    """Return the role that the words of a column name suggest, or None."""
    words = set(normalized(name).split("_"))
    return next((role for role, known in _WORDS.items() if words & known), None)


def looks_like_weights(name: str) -> bool:
    """Return whether a column name is typical of weights: ``survey_weight``, not ``body_weight``.

    Example:
        >>> [looks_like_weights(x) for x in ("survey_weight", "ipw", "w", "body_weight")]
        [True, True, True, False]
    """
    key = normalized(name)
    first, _, last = key.rpartition("_")
    is_kind = first.rpartition("_")[2] in KINDS_OF_WEIGHTS
    return key in _WEIGHTS.split() or (is_kind and last in _WEIGHT.split())


def _check_given(chosen: Mapping[Role, str], columns: Sequence[str]) -> None:
    roles: dict[str, Role] = {}
    for role, name in chosen.items():
        if not name:
            continue
        if name not in columns:
            raise unknown_column(name, _ROLES[role].meaning, columns)
        if name in roles:
            purposes = f"for {_ROLES[roles[name]].meaning} and {_ROLES[role].meaning}"
            raise error("K157", column=name, purposes=purposes)
        roles[name] = role


def with_place(problem: KaratError, name: str) -> KaratError:
    """Return the error about a role of columns, with the name of the table if there are several."""
    if not isinstance(problem, UnknownColumnError | ManyColumnsError | NoColumnError):
        return problem
    return problem.but(role=f"{problem.context['role']} in {name}")


def unknown_column(name: str, role: str, columns: Sequence[str]) -> KaratError:
    """K404: there is no column of that name for `role`."""
    there, near = named_columns(columns), nearest(name, columns)
    return error("K404", column=name, role=role, columns=there, nearest=near, more="")


def ending_of(name: str) -> str | None:
    """Return the label at the end of a probability column's name: ``"cat"`` of ``"proba_cat"``."""
    match = _PREFIXED.fullmatch(name.strip())
    return match["label"] if match else None


def named_columns(columns: Iterable[str]) -> str:
    """Return the existing columns, for a message."""
    names = list(columns)
    text = shown(names, 20) or "none"
    are_values = any(map(_VALUE.fullmatch, names)) or all(map(_UNNAMED.fullmatch, names))
    return f"{text} (if the file has no header line, write one)" if names and are_values else text


def shown_column(name: str) -> str:
    """Return a column in a message: ``Column 'label'``, or the argument that holds its values."""
    values = _OF_VALUES.fullmatch(name)
    if values is None:
        return f"Column {name!r}"
    model = values["model"]
    return values["role"] if model is None else f"{values['role']}[{model!r}]"


def meaning(role: Role) -> str:
    """Return the name of a role in a sentence."""
    return _ROLES[role].meaning


def how_to_name(role: Role, column: str) -> str:
    """Return how a caller names the column of a role."""
    return option(_ARGUMENT.get(role, role), column)
