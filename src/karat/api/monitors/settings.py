"""`MonitorSettings`: the choices that a monitor keeps from its first call."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from karat.api.arguments import confidence_required
from karat.api.gate.spec import GateSpec
from karat.api.options import check_policy
from karat.data.labels.column import declared_labels, label_or_none
from karat.errors import error
from karat.errors.options import option
from karat.inference.confidence import planned_units
from karat.metrics import get
from karat.results.gate.result import Inconclusive
from karat.results.gate.verdicts import Rule
from karat.tally import Classes

KINDS: Final = ("min", "max", "max_drop", "no_worse_than")
"""Kinds of rules that a monitor takes."""


@dataclass(frozen=True)
class MonitorSettings:
    """What is fixed at the first call of a monitor; labels and metrics as JSON types.

    `labels` and `positive` are texts on a command line, until the first rows show what they are.

    Attributes:
        anytime: planned number of rows or clusters; None with `windows`.
        windows: whether each batch is judged alone.
    """

    rules: tuple[Rule, ...]
    anytime: int | None
    level: float
    labels: tuple[Any, ...] | None
    positive: Any
    threshold: float | None
    undefined: str
    inconclusive: Inconclusive | None
    windows: bool = False

    @property
    def level_of_each(self) -> float:
        """Level of the limits of each rule, so that those of all rules hold together."""
        return 1.0 - (1.0 - self.level) / len(self.rules)

    @property
    def compares(self) -> bool:
        """True if a rule compares with a baseline."""
        return any(rule.needs_baseline for rule in self.rules)

    def spec(self, look: int) -> GateSpec:
        """Return the choices of the gate of a look, from 1."""
        return GateSpec(
            "low",
            self.level_of_each,
            "none",
            undefined=check_policy(self.undefined),
            inconclusive=self.inconclusive,
            anytime=self.anytime,
            window=look if self.windows else None,
        )

    def of_classes(self, classes: Classes) -> MonitorSettings:
        """Return the settings with labels of the kind that the rows have: 1 for '1'."""
        place = None if self.positive is None else classes.positive
        return replace(
            self,
            labels=None if self.labels is None else classes.labels,
            positive=self.positive if place is None else classes.labels[place],
        )

    def to_dict(self) -> dict[str, Any]:
        """The settings as JSON types."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        found["rules"] = [[one.kind, str(one.metric), one.bound] for one in self.rules]
        return {**found, "labels": None if self.labels is None else list(self.labels)}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> MonitorSettings:
        """Read the output of `to_dict`; an error of any kind for anything else."""
        rules = tuple(Rule(kind, get(name), float(bound)) for kind, name, bound in found["rules"])
        labels = None if found["labels"] is None else declared_labels(found["labels"])
        read = cls(**{**found, "rules": rules, "labels": labels})
        bounds = [rule.bound for rule in rules]
        is_fit = (
            rules
            and all(rule.kind.replace("-", "_") in KINDS for rule in rules)
            and all(map(math.isfinite, bounds))
            and read.level == confidence_required(read.level, "", anytime=read.anytime).level
            and read.anytime == planned_rows(read.anytime, read.windows)
            and read.positive == (None if read.positive is None else label_or_none(read.positive))
            and (read.threshold is None or is_number(read.threshold))
            and read.inconclusive in (None, "pass", "fail")
            and read.undefined == check_policy(read.undefined)
        )
        if not is_fit:
            raise ValueError("unknown settings")
        return read


def checked_reading(found: Any) -> dict[str, Any]:
    """Options of reading files: a text, a list of texts or nothing by name (ValueError)."""
    for name, value in dict(found).items():
        texts = value if isinstance(value, list) else [value]
        if not (value is None or all(isinstance(text, str) for text in texts)):
            raise ValueError(f"the option {name} is not text")
    return dict(found)


def is_same_setting(value: Any, stored: Any) -> bool:
    """Return whether a setting is the stored one; labels of a command line are texts of a CSV."""
    labels, known = (x if isinstance(x, list | tuple) else [x] for x in (value, stored))
    if value == stored or not all(isinstance(label, str) for label in labels):
        return bool(value == stored)
    if not known or not all(isinstance(label, int) for label in known):
        return False
    from karat.data.sources.files.text_labels import NotLabelsError, of_csv

    try:
        return bool(of_csv(labels) == list(known))
    except NotLabelsError:
        return False


def is_number(value: object) -> bool:
    """Return whether a value of JSON is a finite number."""
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]


def planned_rows(anytime: Any, windows: Any) -> int | None:
    """The planned number of rows; None of windows, which have none (K122)."""
    if not isinstance(windows, bool | np.bool_):
        do = "True judges each batch alone."
        raise error("K122", argument="windows", value=windows, choices="True or False", do=do)
    if windows:
        if anytime is not None and anytime is not False:
            choices = f"left out with {option('windows', True)}"
            do = "A window is judged once, by its rows alone: no number of rows is planned."
            raise error("K122", argument="anytime", value=anytime, choices=choices, do=do)
        return None
    planned = planned_units(True if anytime is None else anytime)
    if planned is None:
        choices = "True or a planned number of rows"
        do = "A monitor always has limits for every look."
        raise error("K122", argument="anytime", value=anytime, choices=choices, do=do)
    return planned
