"""Options that are arguments of groups, and how Python spells them: ``karat.Interval(seed=3)``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ARGUMENTS: Final[Mapping[str, str]] = {
    "Labels": "labels",
    "Interval": "interval",
    "Frequency": "weights",
    "Reading": "reading",
    "Rules": "rules",
    **dict.fromkeys(("Folds", "Looks", "CaseControl", "Judge"), "design"),
}
"""Group → the argument of verbs that takes it."""
PARTS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "Labels": {
        "order": ("labels",),
        "names": ("class_names",),
        "ordered": (),
        "positive": ("positive",),
        "threshold": ("threshold",),
        "separator": ("separator",),
    },
    "Interval": {
        "level": ("level",),
        "method": ("method",),
        "side": ("side",),
        "n_replicates": ("n_replicates", "n_permutations"),
        "seed": ("seed",),
    },
    "Frequency": {"weights": ("weights",)},
    "Reading": {
        name: (name,)
        for name in (
            *("nulls", "text", "decimal", "max_memory", "checkpoint", "exact", "keep_rows"),
            "n_threads",
        )
    },
    "Rules": {
        name: (name,) for name in ("evidence", "adjust", "min_n", "inconclusive", "allow_mismatch")
    },
    "Folds": {"fold": ("folds",), "repeat": (), "holdout": (), "train_size": ()},
    "Looks": {"planned": ("anytime",)},
    "CaseControl": {"prevalence": ("prevalence",)},
    "Judge": {"judge": ("judge",), "weights": ("gold_weights",), "is_random": ("gold_is_random",)},
}
"""Group → its arguments → the options of a request, of which a verb takes one."""
UNNAMED: Final = ("Labels", "Frequency", "Folds", "Looks", "CaseControl", "Judge")
"""Groups whose first argument may be given without its name."""
REQUIRED: Final = ("Frequency", "Judge")
"""Groups whose first argument must be given."""
FLAT: Final = ("labels", "positive", "threshold", "weights", "level")
"""Options that verbs take by themselves, too."""
_ELSEWHERE: Final = ("adjust", "min_n", "n_threads")
"""Options that other functions take by themselves: messages call them by their names."""


def _spelled(group: str, place: int, part: str) -> str:
    """A part of a group with braces for its value: ``"interval=karat.Interval(seed={})"``."""
    named = "{}" if place == 0 and group in UNNAMED else f"{part}={{}}"
    before = "…, " if place > 0 and group in REQUIRED else ""
    return f"{ARGUMENTS[group]}=karat.{group}({before}{named})"


_ALL: Final = {
    name: _spelled(group, place, part)
    for group, parts in PARTS.items()
    for place, (part, names) in enumerate(parts.items())
    for name in names
    if name not in FLAT
}
SPELLED: Final[Mapping[str, str]] = {
    **{name: spelled for name, spelled in _ALL.items() if name not in _ELSEWHERE},
    "weights_are": "weights=karat.Frequency(…)",
    "sampling": "design=karat.CaseControl()",
    # What the command line calls otherwise.
    "with_rows": "reading=karat.Reading(keep_rows={})",
    "update_baseline": "save_baseline()",
}
"""Option → how Python spells it in messages, its value in braces."""
