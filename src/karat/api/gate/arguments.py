"""The options of `gate`: what is asked beside the rules, and where the next baseline goes."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from karat.api.functions import check_policy, plain_text
from karat.api.gate.measure import Asked
from karat.data.flags import check_flag
from karat.errors import error, shown
from karat.inference.confidence import Confidence
from karat.results.gate.rules import Rule

__all__ = ["asked_of", "check_flags", "target_of"]


def check_flags(**flags: Any) -> None:
    """Refuse what is neither True nor False.

    Errors:
        K122.
    """
    for argument, value in flags.items():
        check_flag(argument, value, "A text such as 'no' would count as True.")


def asked_of(
    evidence: Any, level: Any, adjust: Any, undefined: Any, min_n: Any,
    rules: Sequence[Rule], baseline: Any,
) -> Asked:  # fmt: skip
    """What is asked beside the rules.

    Errors:
        K122 an option is no choice; K176 a rule needs a baseline, and there is none.
    """
    for argument, value, known in (
        ("evidence", evidence, ("value", "low")),
        ("adjust", adjust, ("holm", "none")),
    ):
        if plain_text(value) not in known:
            raise error(
                "K122", argument=argument, value=value, choices=shown(known),
                do="'low' asks a bound of the limit; 'holm' allows for many rules.",
            )  # fmt: skip
    if Confidence.of(level) is None:
        raise error(
            "K122", argument="level", value=level, choices="a number between 0 and 1, as 0.95",
            do="A gate needs intervals to tell a drop from chance.",
        )  # fmt: skip
    if isinstance(min_n, bool) or not isinstance(min_n, int | np.integer) or min_n < 1:
        raise error(
            "K122", argument="min_n", value=min_n, choices="a whole number of at least 1",
            do="Slices with fewer rows are not judged.",
        )  # fmt: skip
    check_policy(undefined)
    needing = [rule for rule in rules if rule.needs_baseline]
    if needing and baseline is None:
        raise error(
            "K176",
            found=f"The rule {needing[0].text!r} needs a baseline",
            do="Give baseline= (--baseline FILE), or bounds of the value: min=, max=.",
        )
    return Asked(evidence, float(level), str(undefined), int(min_n))


def target_of(path: Any) -> str:
    """The file of the next baseline; one that cannot be is told before the rows are read.

    Errors:
        K122 it is no path; K413 it cannot be written.
    """
    if not isinstance(path, str | PathLike):
        raise error(
            "K122", argument="update_baseline", value=path, choices="the path of a file",
            do="The next baseline is written there, if the gate passes.",
        )  # fmt: skip
    target = fspath(path)
    if not Path(target).absolute().parent.is_dir():
        raise error("K413", path=target, found="there is no such folder")
    return target
