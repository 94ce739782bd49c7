"""Options that are True or False."""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.errors import error

__all__ = ["check_flag"]


def check_flag(argument: str, value: Any, do: str) -> None:
    """Refuse what is neither True nor False: a text such as 'no' would count as True.

    Args:
        do: what the message says of the option.

    Errors:
        K122.
    """
    if not isinstance(value, bool | np.bool_):
        raise error("K122", argument=argument, value=value, choices="True, False", do=do)
