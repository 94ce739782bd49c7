"""The words of reports in JSON that karat 0.2 wrote: schemas with the number 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from karat.errors import error
from karat.output.json.codec import Part, refused, require

NEWEST: Final = 2
"""Number of the schemas of reports."""
_ROLES: Final[dict[str, str]] = {
    "mapping.true": "mapping.y_true",
    "mapping.gold": "mapping.y_true",
    "mapping.pred": "mapping.y_pred",
    "mapping.prob": "mapping.y_prob",
    "mapping.logit": "mapping.y_logit",
    "mapping.score": "mapping.y_score",
}
WORDS: Final[dict[str, Mapping[str, str]]] = {
    "karat.report": {
        **_ROLES,
        "settings.confidence.design=cohort": "settings.design",
        "settings.confidence.design=case-control": "settings.design.CaseControl",
        "settings.confidence.anytime": "settings.design.Looks.planned",
        "settings.confidence.clustered": "settings.clustered",
        "settings.confidence": "settings.interval",
    },
    "karat.multilabel": {
        **_ROLES,
        "settings.intervals.weights_are=importance": "settings.design",
        "settings.intervals.weights_are=frequency": "settings.design.Frequency",
        "settings.intervals": "settings.interval",
    },
    "karat.judged": _ROLES,
}
"""Schema → place of 0.2 → place of today; of ``place=word`` the word is a place, too."""
_WITHOUT_INTERVALS: Final[dict[str, Any]] = {"interval": None, "design": {}, "clustered": False}
_OWNERS: Final = {
    "karat.report": "Report",
    "karat.multilabel": "MultilabelReport",
    "karat.judged": "JudgedReport",
}
"""Schemas of reports, without their numbers."""


def number_of_schema(part: Part, wanted: str) -> int:
    """Return the number of a schema.

    Errors:
        K205 another schema; K206 a newer number of it.
    """
    name, _, number = str(part.value).rpartition("/")
    own = wanted.partition("/")[0]
    is_number = number.isascii() and number.isdecimal() and len(number) < 10
    is_one = name == own and is_number and int(number) > 0
    owner = _OWNERS.get(name)
    if owner is not None and name != own:
        do = f"Read it with karat.{owner}.from_json()."
        raise refused(f"Its schema is {part.value!r}, not {wanted!r}", do)
    require(is_one, f"Its schema is {part.value!r}, not {wanted!r}")
    if int(number) > NEWEST:
        raise error("K206", thing="report in JSON", version=int(number), newest=NEWEST)
    return int(number)


def in_words_of_today(whole: Part, wanted: str) -> Part:
    """Return a report in the words of today; its parts state their places in the text.

    Errors:
        K205 another schema, or a word that 0.2 did not write; K206 a newer number of the schema.
    """
    if number_of_schema(whole["schema"], wanted) == NEWEST:
        return whole
    words = WORDS[wanted.partition("/")[0]]
    heads = {new.partition(".")[0] for new in words.values()} & whole.value.keys()
    content: dict[str, Any] = {head: deepcopy(whole.value[head]) for head in heads}
    places: dict[str, str] = {}
    for old, new in words.items():
        path, _, word = old.partition("=")
        place = _below(whole, path)
        _add_place(places, _below(whole, new), place)
        *above, name = path.split(".")
        holder = _holder(content, above)
        if name not in holder:
            continue
        value = holder[name]
        if word:
            known = [x.partition("=")[2] for x in words if x.startswith(f"{path}=")]
            Part(value, place).must(value in known, f"one of {', '.join(known)}")
            if value != word:
                continue
        del holder[name]
        *above, name = new.split(".")
        target = _holder(content, above, is_made=True)
        is_free = target.setdefault(name, {} if word else value) == ({} if word else value)
        require(is_free, f"{place} and {_below(whole, new)} differ")
    settings = content.get("settings")
    if isinstance(settings, dict) and settings.get("interval") is None:
        content["settings"] = _WITHOUT_INTERVALS | settings
    return Part({**whole.value, **content}, whole.path, {**whole.places, **places})


def _below(whole: Part, path: str) -> str:
    return f"{whole.path}.{path}" if whole.path else path


def _add_place(places: dict[str, str], new: str, old: str) -> None:
    """Add the place of a part, and that behind the place of each part above it."""
    for above, place in list(places.items()):
        if new.startswith(f"{above}."):
            places[place + new.removeprefix(above)] = old
    places.setdefault(new, old)


def _holder(content: dict[str, Any], names: Sequence[str], *, is_made: bool = False) -> Any:
    """Return the object at a place; an empty one where there is none."""
    found: Any = content
    for name in names:
        inner = found.setdefault(name, {}) if is_made else found.get(name)
        if not isinstance(inner, dict):
            return {}
        found = inner
    return found
