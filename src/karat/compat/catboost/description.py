"""CatBoost's description strings: ``Name:key=value;key=value``."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.compat.catboost.capabilities import METRICS, Facts
from karat.compat.catboost.parameters import (
    as_average,
    as_bool,
    as_border,
    as_class,
    as_cost,
    as_hints,
    as_number,
    as_type,
    positive,
    refused,
)
from karat.errors import error, short

__all__ = ["Description", "metric_names", "parse"]

_FORM: Final = (
    "Invalid metric description, it should be in the form "
    '"metric_name:param1=value1;...;paramN=valueN"'
)
_OF_EACH_CLASS: Final = ("Precision", "Recall", "F", "F1", "AUC", "PRAUC")
"""Metrics whose names may end in the class, as CatBoost reports them."""


@dataclass(frozen=True)
class Description:
    """A description string, read.

    Attributes:
        text: the string.
        name: the metric.
        given: keys and values as text, in their order.
        use_weights: whether weights count, by the description or by default.
        beta: of F, rounded to float32.
        average: of TotalF1.
        type: of AUC and PRAUC, or None: CatBoost's choice by the number of columns.
        cost: misclass_cost_matrix, float64[k, k], or None.
        border: proba_border, of one column of scores.
        class_index: the one class that is asked for, or None for all.
        hints: only ``skip_train``, which changes no value.
    """

    text: str
    name: str
    given: tuple[tuple[str, str], ...]
    use_weights: bool
    beta: float = 1.0
    average: str = "Weighted"
    type: str | None = None
    cost: npt.NDArray[np.float64] | None = field(default=None, compare=False)
    border: float = 0.5
    class_index: int | None = None
    hints: tuple[tuple[str, str], ...] = ()

    @property
    def facts(self) -> Facts:
        """What CatBoost says of the metric."""
        return METRICS[self.name]

    @property
    def is_per_class(self) -> bool:
        """Whether several columns of scores give a value for each class."""
        return self.facts.is_per_class or (self.name == "AUC" and self.type == "OneVsAll")

    def check_columns(self, k: int | None) -> None:
        """Refuse what does not go with so many columns of scores; None is a single one.

        Errors:
            K601.
        """
        if self.name in ("AUC", "PRAUC"):
            self._check_type(k)
        if k is None and self.facts.can_be_optimized:
            found = "CatBoost reads one column as one class, and label 1 as none"
            raise refused(self.text, found, "Give a column of scores for each class.")
        if self.cost is not None and k is not None and len(self.cost) != k:
            found = "Number of classes should be equal to the size of the misclass cost matrix"
            do = f"The scores have {k} columns, the matrix is {len(self.cost)} × {len(self.cost)}."
            raise refused(self.text, found, do)
        n_classes = 2 if k is None else k
        if self.class_index is not None and not (
            self.class_index == 1 if k is None else self.class_index < n_classes
        ):
            found = f"There is no value of class {self.class_index}"
            last = "class 1 only" if k is None else f"classes 0 … {k - 1}"
            raise refused(self.text, found, f"So many columns of scores have values of {last}.")

    def _check_type(self, k: int | None) -> None:
        if k is None:
            if self.cost is not None:
                raise _unknown_key(self.text, self.name, "misclass_cost_matrix", _VALID_OF_AUC)
            if self.type == "Ranking" and self.name == "AUC":
                found = "karat has no AUC of ranked relevances"
                raise refused(self.text, found, "Leave the type out, or write type=Classic.")
            if self.type not in (None, "Classic"):
                found = f'{self.name} type "{self.type}" isn\'t a singleclass {self.name} type'
                raise refused(self.text, found, "One column of scores takes type=Classic.")
            return
        types = ("Mu", "OneVsAll") if self.name == "AUC" else ("OneVsAll",)
        if self.type is not None and self.type not in types:
            found = f'{self.name} type "{self.type}" isn\'t a multiclass {self.name} type'
            choices = " or ".join(f"type={name}" for name in types)
            raise refused(self.text, found, f"Several columns of scores take {choices}.")

    def __str__(self) -> str:
        return self.text


_VALID_OF_AUC: Final = ("proba_border", "type", "use_weights")


def parse(metric: str | Description) -> Description:
    """Read a description string.

    Names, keys and choices are case sensitive, as in CatBoost; ``class=`` is read too, so that a
    name from a training log is a description.

    Args:
        metric: ``Name`` or ``Name:key=value;key=value``.

    Errors:
        K601 CatBoost or karat has no such metric, key or value.

    Example:
        >>> parse("F:beta=2;use_weights=no").use_weights
        False
        >>> parse("AUC:misclass_cost_matrix=0/1/0.5/0").cost.tolist()
        [[0.0, 1.0], [0.5, 0.0]]
        >>> parse("Precision:class=2").class_index
        2
    """
    return metric if isinstance(metric, Description) else _read(_text(metric))


@lru_cache(maxsize=256)
def _read(text: str) -> Description:
    name, colon, rest = text.partition(":")
    if name not in METRICS:
        raise refused(text, f"{name} loss is not supported", _advice(name))
    given = _split(text, rest) if colon else {}
    values = _values(text, name, given)
    if name == "F" and "beta" not in values:
        do = "Write F:beta=2; F1 is F with beta=1."
        raise refused(text, "Metric F requires beta as parameter", do)
    return Description(text, name, tuple(given.items()), **values)


def _text(metric: Any) -> str:
    if isinstance(metric, str):
        return str.__str__(metric)
    found = f"It is {short(metric)} ({type(metric).__name__}), not a text"
    raise refused(metric, found, "Write Name or Name:key=value;key=value.")


def _split(text: str, rest: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for part in rest.split(";"):
        key, equals, value = part.partition("=")
        if not equals:
            raise refused(text, _FORM, f"{part!r} is no key=value.")
        if key in given:
            raise refused(text, f"Duplicated loss param found: {key}", "Give each key once.")
        given[key] = value
    return given


def _values(text: str, name: str, given: dict[str, str]) -> dict[str, Any]:
    """The parameters by the fields of `Description`."""
    valid = METRICS[name].keys
    if name == "AUC" and given.get("type", "Mu") != "Mu":
        valid = _VALID_OF_AUC
    found: dict[str, Any] = {"use_weights": METRICS[name].uses_weights}
    for key, value in given.items():
        if key == "hints":
            found["hints"] = as_hints(text, value)
        elif key == "class" and name in _OF_EACH_CLASS:
            found["class_index"] = as_class(text, value)
        elif key not in valid:
            raise _unknown_key(text, name, key, valid)
        elif key == "use_weights":
            found["use_weights"] = as_bool(text, value)
        elif key == "beta":
            found["beta"] = positive(text, key, as_number(text, key, value))
        elif key == "average":
            found["average"] = as_average(text, value)
        elif key == "type":
            found["type"] = as_type(text, name, value)
        elif key == "misclass_cost_matrix":
            found["cost"] = as_cost(text, value)
            found["type"] = "Mu"
        elif key == "proba_border":
            found["border"] = as_border(text, value)
        else:
            as_number(text, key, value)
    if name == "Accuracy":
        found.pop("type", None)
    if name == "AUC" and "class_index" in found and found.setdefault("type", "OneVsAll") == "Mu":
        raise refused(text, "AUC of type Mu is one value for all classes", "Leave class= out.")
    return found


def _unknown_key(text: str, name: str, key: str, valid: tuple[str, ...]) -> Exception:
    listed = ", ".join(sorted((*valid, "hints")))
    found = f"{name} metric shouldn't have {key} parameter. Valid parameters are {listed}"
    if key == "misclass_cost_matrix" and name == "AUC":
        return refused(text, found, "A cost matrix goes with type=Mu and several columns.")
    near = difflib.get_close_matches(key.strip().lower(), (*valid, "hints"), 1)
    do = f"Did you mean {near[0]}? Keys are case sensitive." if near else "Leave it out."
    return refused(text, found, do)


def _advice(name: str) -> str:
    by_lower = {known.lower(): known for known in METRICS}
    bare = name.strip().partition(";")[0].lower()
    if bare in by_lower:
        return f"Write {by_lower[bare]}: names are case sensitive, a colon follows them."
    near = difflib.get_close_matches(name, METRICS, 1)
    listed = f"karat computes {', '.join(METRICS)}."
    return f"Did you mean {near[0]}? {listed}" if near else listed


def metric_names(metric: str | Description, k: int) -> list[str]:
    """The names that CatBoost reports in training for the values of `eval_metric`, in order.

    CatBoost gives all values of PRAUC one name, and so loses all but one; here each has its class.

    Args:
        metric: a description.
        k: number of columns of scores, at least 2.

    Errors:
        K601 it is no description, or does not go with so many columns; K154 k is no number of
        classes.

    Example:
        >>> metric_names("F:beta=2;use_weights=1", 2)
        ['F:use_weights=true;beta=2;class=0', 'F:use_weights=true;beta=2;class=1']
        >>> metric_names("AUC", 3)
        ['AUC:type=Mu']
    """
    found = parse(metric)
    found.check_columns(_columns(k))
    if found.name in ("Kappa", "WKappa"):
        return [found.name]
    shown = {key: text for key, text in found.given if key not in ("hints", "class")}
    weights = {}
    if "use_weights" in shown:
        weights = {"use_weights": "true" if found.use_weights else "false"}
    if found.name in ("Precision", "Recall", "F", "F1", "AUC"):
        shown = dict(weights)
        if found.name == "F":
            shown["beta"] = f"{np.float32(found.beta)!s}".removesuffix(".0")
        if found.name == "AUC" and found.type != "OneVsAll":
            shown["type"] = "Mu"
            if found.cost is not None:
                shown["misclass_cost_matrix"] = "/".join(f"{x:.10g}" for x in found.cost.flat)
    else:
        shown |= weights
    classes: list[int | None] = [None]
    if found.is_per_class:
        classes = list(range(k)) if found.class_index is None else [found.class_index]
    return [_name(found.name, shown, place) for place in classes]


def _columns(k: Any) -> int:
    if isinstance(k, int | np.integer) and not isinstance(k, bool) and k >= 2:
        return int(k)
    meaning, wanted = "the number of columns of scores", "a whole number of at least 2"
    raise error("K154", argument="k", value=k, meaning=meaning, wanted=wanted)


def _name(name: str, shown: dict[str, str], place: int | None) -> str:
    parts = [f"{key}={text}" for key, text in shown.items()]
    if place is not None:
        parts.append(f"class={place}")
    return f"{name}:{';'.join(parts)}" if parts else name
