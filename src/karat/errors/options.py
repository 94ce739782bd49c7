"""Options in messages as the user types them: ``positive='fraud'``, or ``--positive fraud``."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

_flags: dict[str, str] = {
    "wait": "--wait",
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
_in_text: re.Pattern[str] | None = None

_command_line = False
"""True if options are typed on a command line: it is one for the whole process."""


def name_flags(flags: Mapping[str, str]) -> None:
    """Learn what the command line calls options, by the names that verbs give them."""
    global _in_text
    _flags.update(flags)
    names = "|".join(sorted(_flags, key=len, reverse=True))
    values = r"('[^']*'|[0-9][0-9.]*|True|\{[^}]+\})?"
    _in_text = re.compile(rf"(?<![\w.'\"{{])({names})=(?!=){values}")


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
    if not _command_line or _in_text is None:
        return text
    return _in_text.sub(_flag, text)


def argument_as_typed(name: str) -> str:
    """Return what messages call scores: ``y_prob``, or ``--prob``."""
    return option(name) if _command_line and name in ("y_prob", "y_logit", "y_score") else name


def _flag(found: re.Match[str]) -> str:
    name, value = found.groups()
    flag = _flags[name]
    if value is None or value == "True":
        return flag
    # What stands in braces is filled in later.
    is_text = value.startswith("'")
    return f"{flag} {shlex.quote(value[1:-1]) if is_text else value}"
