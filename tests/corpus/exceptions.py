"""Changes of outcomes that are wanted: each with its reason, and no more than it allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tests.corpus.outcome import Difference


@dataclass(frozen=True)
class Allowed:
    """A change that is wanted.

    Attributes:
        calls: a pattern of `group/id`, as of a shell.
        reason: why the outcome changes.
        path: a regular expression of the whole path inside the outcome, as ``raised\\.code``.
        was, now: regular expressions of the whole text of what stood and stands there.
    """

    calls: str
    reason: str
    path: str
    was: str = ".*"
    now: str = ".*"

    def covers(self, name: str, difference: Difference) -> bool:
        """Whether this difference of this call is the wanted one."""
        pairs = (
            (self.path, difference.path),
            (self.was, str(difference.was)),
            (self.now, str(difference.now)),
        )
        return fnmatchcase(name, self.calls) and all(
            re.fullmatch(pattern, text, re.DOTALL) for pattern, text in pairs
        )


_SPLIT = "K120 is split into one code for each conflict"
_NEW = (
    r"K(12[789]|13[89]|14[0-4]|149|15[06789]|160|162|169|17[089]|180|18[45]"
    r"|21[4567]|31[0-4]|42[123]|602)"
)

EXCEPTIONS: tuple[Allowed, ...] = (
    Allowed("*", _SPLIT, r"raised\.code", r"K120", _NEW),
    Allowed("*", _SPLIT, r"raised\.message|gave\.err", r"K120  .*", rf"{_NEW}  .*"),
)
