"""Options in messages as the user types them: ``positive='fraud'``, or ``--positive fraud``."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

_SAME: Final = (
    "true pred prob score by where labels positive threshold metrics undefined nulls max_memory "
    "checkpoint exact level method side design seed allow_mismatch baseline min max "
    "no_worse_than max_drop inconclusive update_baseline with_rows strict_inconclusive evidence "
    "adjust min_n separator keep_rows errors folds anytime windows again wait gold judge "
    "gold_is_random"
)
_FLAGS: Final = {
    **{name: f"--{name.replace('_', '-')}" for name in _SAME.split()},
    "y_prob": "--prob",
    "y_score": "--score",
    "y_true": "--true",
    "y_pred": "--pred",
    "weights": "--weight",
    "clusters": "--cluster",
    "id": "--id",
    "ids": "--id",
    "gold_weights": "--gold-weight",
    "n_threads": "--threads",
}
"""What the command line calls an argument; others keep their name."""
_IN_TEXT: Final = re.compile(
    rf"(?<![\w.'\"{{])({'|'.join(sorted(_FLAGS, key=len, reverse=True))})="
    r"(?!=)('[^']*'|[0-9][0-9.]*|True|\{[^}]+\})?"
)

_OF_A_TABLE: Final = re.compile(r" \(of a table: [^)]*\)")
"""What Python calls options of tables, which a command line does not."""

_command_line = False
"""True if options are typed on a command line: it is one for the whole process."""


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


def option(name: str, value: Any = None) -> str:
    """Return an option as the user types it, with a value where one is given.

    Example:
        >>> option("positive", "fraud"), option("clusters")
        ("positive='fraud'", 'clusters=')
        >>> with on_the_command_line():
        ...     option("positive", "two words"), option("clusters")
        ("--positive 'two words'", '--cluster')
    """
    flag = _FLAGS.get(name) if _command_line else None
    if flag is None:
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
        return text
    return _IN_TEXT.sub(_flag, _OF_A_TABLE.sub("", text))


def argument_as_typed(name: str) -> str:
    """Return what messages call scores: ``y_prob``, or ``--prob``."""
    return option(name) if _command_line and name in ("y_prob", "y_score") else name


def _flag(found: re.Match[str]) -> str:
    name, value = found.groups()
    flag = _FLAGS[name]
    if value is None or value == "True":
        return flag
    # What stands in braces is filled in later.
    is_text = value.startswith("'")
    return f"{flag} {shlex.quote(value[1:-1]) if is_text else value}"
