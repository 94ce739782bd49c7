"""Options in messages as the user types them: ``positive='fraud'``, or ``--positive fraud``."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final

from karat.errors.parts import SPELLED

_flags: dict[str, str] = {
    "wait": "--wait",
    "with_rows": "--with-rows",
    "y_prob": "--prob",
    "y_logit": "--logit",
    "y_score": "--score",
    "y_true": "--true",
    "y_pred": "--pred",
}
"""What the command line calls an argument; others keep their name."""
_ROLES: Final = {
    "true": "y_true",
    "pred": "y_pred",
    "prob": "y_prob",
    "logit": "y_logit",
    "score": "y_score",
    "id": "ids",
}
"""What Python calls the column of a role."""
_VALUES: Final = r"('[^']*'|[0-9][0-9.]*|True|\{[^}]+\})?"
_in_text: re.Pattern[str] | None = None

_command_line = False
"""True if options are typed on a command line: it is one for the whole process."""


def name_flags(flags: Mapping[str, str]) -> None:
    """Learn what the command line calls options, by the names that verbs give them."""
    global _in_text
    _flags.update(flags)
    _in_text = _named(_flags)


@lru_cache(maxsize=1)
def _of_parts() -> re.Pattern[str]:
    """The parts of groups in a text."""
    return _named(SPELLED)


def _named(names: Iterable[str]) -> re.Pattern[str]:
    """The options of these names in a text, with their values."""
    any_name = "|".join(sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![\w.'\"{{])({any_name})=(?!=){_VALUES}")


@contextmanager
def on_the_command_line() -> Iterator[None]:
    """Write options within as a command line has them."""
    global _command_line
    before, _command_line = _command_line, True
    try:
        yield
    finally:
        _command_line = before


def is_command_line() -> bool:
    """True if options are typed on a command line."""
    return _command_line


def parameter(name: str) -> str:
    """Name of the parameter that an option of a request comes from: ``y_true`` for ``true``."""
    return _ROLES.get(name, name)


def option(name: str, value: Any = None) -> str:
    """Return an option as the user types it, with a value where one is given.

    Example:
        >>> option("positive", "fraud"), option("clusters")
        ("positive='fraud'", 'clusters=')
        >>> with on_the_command_line():
        ...     option("positive", "two words"), option("clusters")
        ("--positive 'two words'", '--clusters')
    """
    flag = _flags.get(name) if _command_line else None
    if flag is None:
        if name in SPELLED:
            return _of_group(name, None if value is None else repr(value))
        name = parameter(name)
        return f"{name}=" if value is None else f"{name}={value!r}"
    return flag if value is None or value is True else f"{flag} {shlex.quote(str(value))}"


def option_of_list(name: str, values: Sequence[Any], most: int = 6) -> str:
    """Return an option that lists values as the user types it; of many values its name alone.

    Example:
        >>> option_of_list("labels", ["a", "b"])
        "labels=['a', 'b']"
        >>> with on_the_command_line():
        ...     option_of_list("labels", ["a", "b"])
        '--labels a,b'
    """
    if len(values) > most:
        return option(name)
    if not _command_line:
        return option(name, list(values))
    texts = list(map(str, values))
    is_plain = not any("," in text or text.startswith("[") for text in texts)
    return option(name, ",".join(texts) if is_plain else json.dumps(texts, ensure_ascii=False))


def each_option(name: str, values: Iterable[Any]) -> str:
    """Return an option with each of several values: ``positive='a' or positive='b'``."""
    return " or ".join(option(name, value) for value in values)


def as_typed(text: str) -> str:
    """Return a text of karat's own, every option in it as the user types it.

    Example:
        >>> with on_the_command_line():
        ...     as_typed("Leave positive= out, or give nulls='drop'.")
        'Leave --positive out, or give --nulls drop.'
    """
    if not _command_line:
        return _of_parts().sub(_part, text)
    return text if _in_text is None else _in_text.sub(_flag, text)


def argument_as_typed(name: str) -> str:
    """Return what messages call scores: ``y_prob``, or ``--prob``."""
    return option(name) if _command_line and name in ("y_prob", "y_logit", "y_score") else name


def outputs_as_typed(*, of_probabilities: bool) -> str:
    """The options of outputs of models; those that have probabilities, where they are read."""
    names = ("y_prob", "y_logit") if of_probabilities else ("y_prob", "y_logit", "y_score")
    *others, last = map(option, names)
    return f"{', '.join(others)} or {last}"


def part_with_value(name: str) -> str | None:
    """A part of a group beside its value, in Python: ``method={value!r}``; None of other options.

    One that the group takes without a name is spelled with the group.
    """
    if _command_line or name not in SPELLED:
        return None
    inner = SPELLED[name].partition("(")[2].removeprefix("…, ")
    is_named = not inner.startswith("{") and "{" in inner
    spelled = inner.removesuffix(")") if is_named else SPELLED[name]
    return spelled.replace("{}", "{value!r}")


def _of_group(name: str, value: str | None) -> str:
    """A part of a group as Python spells it; without a value the group alone."""
    spelled = SPELLED[name]
    if value is None:
        _, _, call = spelled.partition("=")
        return (call or spelled).format("")
    # What True says is what the group says by itself.
    return spelled.format("" if value == "True" and "={" not in spelled else value)


def _part(match: re.Match[str]) -> str:
    return _of_group(*match.groups())


def _flag(found: re.Match[str]) -> str:
    name, value = found.groups()
    flag = _flags[name]
    if value is None or value == "True":
        return flag
    # What stands in braces is filled in later.
    is_text = value.startswith("'")
    return f"{flag} {shlex.quote(value[1:-1]) if is_text else value}"
