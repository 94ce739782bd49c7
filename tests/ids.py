"""Names of parameters in the names of tests."""

from __future__ import annotations

import re

from karat.errors import short


def named(item: object) -> str:
    """The parameter as it is written, without an address, which would make every run differ."""
    return re.sub(r" at 0x[0-9a-f]*", "", short(item))
