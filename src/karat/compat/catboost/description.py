"""CatBoost's description strings, ``Name:key=value``: its metrics, and the values of parameters."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error, short


class Facts(NamedTuple):
    """One metric of CatBoost.

    Attributes:
        better: which values are better.
        keys: the parameters that its description may hold, besides `hints`.
        is_per_class: whether it has one value for each class.
        uses_weights: whether weights count when its description does not say.
        can_be_optimized: whether it can be trained by, as ``loss_function``.
        has_gpu: whether CatBoost computes it on a GPU.
    """

    better: Literal["higher", "lower"]
    keys: tuple[str, ...] = ("proba_border", "use_weights")
    is_per_class: bool = False
    uses_weights: bool = True
    can_be_optimized: bool = False
    has_gpu: bool = False


_OBJECTIVE: Final = Facts("lower", ("use_weights",), can_be_optimized=True, has_gpu=True)
_EACH_CLASS: Final = Facts("higher", is_per_class=True, has_gpu=True)

METRICS: Final[dict[str, Facts]] = {
    "MultiClass": _OBJECTIVE,
    "MultiClassOneVsAll": _OBJECTIVE,
    "Precision": _EACH_CLASS,
    "Recall": _EACH_CLASS,
    "F": Facts("higher", ("beta", "proba_border", "use_weights"), is_per_class=True),
    "F1": _EACH_CLASS,
    "TotalF1": Facts("higher", ("average", "proba_border", "use_weights"), has_gpu=True),
    "MCC": Facts("higher", has_gpu=True),
    "Accuracy": Facts("higher", ("proba_border", "type", "use_weights"), has_gpu=True),
    "HingeLoss": Facts("lower", ("border", "proba_border", "use_weights")),
    "HammingLoss": Facts("lower"),
    "ZeroOneLoss": Facts("lower", has_gpu=True),
    "Kappa": Facts("higher"),
    "WKappa": Facts("higher"),
    "AUC": Facts(
        "higher",
        ("misclass_cost_matrix", "proba_border", "type", "use_weights"),
        uses_weights=False,
    ),
    "PRAUC": Facts(
        "higher", ("proba_border", "type", "use_weights"), is_per_class=True, uses_weights=False
    ),
}
"""Name → facts, in the order of CatBoost's page. AUC has a value for each class as OneVsAll."""


LABEL_LOSSES: Final[dict[str, Facts]] = dict.fromkeys(
    ("MultiLogloss", "MultiCrossEntropy"), _OBJECTIVE
)
"""Losses whose label is a matrix with a column for each of several labels."""
_ALL: Final = {**METRICS, **LABEL_LOSSES}


class Capability(NamedTuple):
    """Capabilities of CatBoost for a metric.

    Attributes:
        optimization: whether it can be trained by.
        gpu: whether it is computed on a GPU.
    """

    optimization: bool
    gpu: bool


def capabilities() -> dict[str, Capability]:
    """CatBoost's table of multiclass metrics: which can be optimized, which run on a GPU.

    As its page "Multiclassification: objectives and metrics" has it; PRAUC, which has no row
    there, is computed on the CPU only.

    Example:
        >>> capabilities()["MultiClass"]
        Capability(optimization=True, gpu=True)
        >>> [name for name, can in capabilities().items() if can.optimization]
        ['MultiClass', 'MultiClassOneVsAll']
    """
    return {
        name: Capability(facts.can_be_optimized, facts.has_gpu) for name, facts in METRICS.items()
    }


_BOOLS: Final = {
    word: value
    for value, words in (
        (True, ("true", "1", "yes", "on", "t", "y", "da")),
        (False, ("false", "0", "no", "off", "f", "n", "net")),
    )
    for word in words
}
_NUMBER: Final = re.compile(r" *[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ENUMS: Final = {
    "EF1AverageType": ("Micro", "Macro", "Weighted"),
    "EAucType": ("Classic", "Ranking", "Mu", "OneVsAll"),
    "EAccuracyType": ("Classic", "PerClass"),
}
_HINT_FORM: Final = (
    'Invalid hints description, it should be in the form "hints=key1~value1|...|keyN~valueN"'
)


def refused(metric: Any, found: str, do: str) -> KaratError:
    """K601: the description, what CatBoost says of it, and what helps."""
    return error("K601", metric=metric, found=found, do=do)


def _bool(text: str, _: str, value: str) -> bool:
    """True and false, 1 and 0, yes and no, in any case."""
    found = _BOOLS.get(value.lower())
    if found is None:
        raise refused(text, f"Cannot parse bool({value})", "Write use_weights=true or =false.")
    return found


def _number(text: str, key: str, value: str) -> float:
    """A finite number, rounded to float32 as CatBoost keeps it."""
    if _NUMBER.fullmatch(value):
        with np.errstate(over="ignore", under="ignore"):
            number = float(np.float32(value))
        if math.isfinite(number):
            return number
    raise refused(text, f"cannot parse float({value})", f"Write {key}= a finite number like 0.5.")


def _beta(text: str, _: str, value: str) -> float:
    number = _number(text, "beta", value)
    if number > 0:
        return number
    # CatBoost takes it and gives NaN or the value of another beta.
    raise refused(text, f"beta={number:g} is not above 0", "Its range is (0; +∞).")


def _border(text: str, _: str, value: str) -> float:
    border = _number(text, "proba_border", value)
    if 0.0 <= border <= 1.0:
        return border
    found = "Probability threshold must be in [0, 1] interval"
    raise refused(text, found, "Write proba_border=0.5.")


def _type(text: str, name: str, value: str) -> str:
    return _choice(text, "EAccuracyType" if name == "Accuracy" else "EAucType", value)


def _class(text: str, _: str, value: str) -> int:
    if re.fullmatch("[0-9]{1,9}", value):
        return int(value)
    raise refused(text, f"class={value} is not a class", "Classes are 0, 1, 2 …")


def _hints(text: str, _: str, value: str) -> tuple[tuple[str, str], ...]:
    """Hints, which change no value: ``skip_train~true``."""
    hints: dict[str, str] = {}
    for part in value.split("|"):
        key, tilde, choice = part.partition("~")
        if not tilde:
            raise refused(text, _HINT_FORM, "Write hints=skip_train~true.")
        if key in hints:
            found = "Two similar keys in hints description are not allowed"
            raise refused(text, found, "Give each hint once.")
        if key != "skip_train":
            raise refused(text, f"No hint called {key}", "The only hint is skip_train.")
        if choice not in ("true", "false"):
            found = "skip_train hint value should be true or false"
            raise refused(text, found, "Write hints=skip_train~true, in lower case.")
        hints[key] = choice
    return tuple(hints.items())


def _cost(text: str, _: str, value: str) -> npt.NDArray[np.float64]:
    """The matrix of costs, row by row: row decided, column true."""
    if "," in value:
        found = "CatBoost's page separates the costs by commas, its parser by slashes"
        raise refused(text, found, f"Write {short(value.replace(' ', '').replace(',', '/'), 60)}.")
    parts = value.split("/")
    size = math.isqrt(len(parts))
    if size * size != len(parts):
        found = "Size of Matrix should be a square of integer"
        raise refused(text, found, f"There are {len(parts)} costs; 3 classes take 9.")
    for part in parts:
        if not _NUMBER.fullmatch(part) or not math.isfinite(float(part)):
            found = f"Building matrix with size {size}, cannot parse {part!r} as a float"
            raise refused(text, found, "Write finite numbers like 0/0.5/1/0.")
    cost = np.array([float(part) for part in parts]).reshape(size, size)
    if np.diagonal(cost).any():
        found = "Diagonal elements of the misclass cost matrix should be equal to 0"
        raise refused(text, found, "A right decision costs nothing.")
    cost.setflags(write=False)
    return cost


def _choice(text: str, enum: str, value: str) -> str:
    options = _ENUMS[enum]
    if value in options:
        return value
    listed = ", ".join(map(repr, options))
    found = f"Key {value!r} not found in enum {enum}. Valid options are: {listed}"
    near = difflib.get_close_matches(value.strip().title(), options, 1)
    meant = near[0] if near else options[-1]
    raise refused(text, found, f"Write {meant}: names are case-sensitive.")


_READERS: Final[dict[str, tuple[str, Callable[[str, str, str], Any]]]] = {
    "average": ("average", lambda text, _, value: _choice(text, "EF1AverageType", value)),
    "beta": ("beta", _beta),
    "border": ("unused", lambda text, _, value: _number(text, "border", value)),
    "class": ("class_index", _class),
    "hints": ("hints", _hints),
    "misclass_cost_matrix": ("cost", _cost),
    "proba_border": ("border", _border),
    "type": ("type", _type),
    "use_weights": ("use_weights", _bool),
}
"""A key → the field of `Description`, and what reads it of the description, metric and value.

What reads a value raises K601 where CatBoost or karat does not take it.
"""

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
        type: of AUC, PRAUC and Accuracy, or None: CatBoost's choice by the number of columns.
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
        """Facts about the metric in CatBoost."""
        return _ALL[self.name]

    @property
    def is_per_class(self) -> bool:
        """True if several columns of scores give a value for each class."""
        is_each = (self.name, self.type) in (("AUC", "OneVsAll"), ("Accuracy", "PerClass"))
        return self.facts.is_per_class or is_each

    def check_columns(self, k: int | None) -> None:
        """Refuse what does not go with so many columns of scores (K601); None is a single one."""
        if self.name in ("AUC", "PRAUC"):
            self._check_type(k)
        if self.name == "Accuracy" and self.type == "PerClass":
            found = "PerClass accuracy is meaningfull for multilabel only"
            raise refused(self.text, found, "Recall is the accuracy of each class.")
        if self.name in LABEL_LOSSES:
            found = f"{self.name} is for several labels per row"
            raise refused(self.text, found, "MultiClass is for several classes, one per row.")
        if k is None and self.facts.can_be_optimized:
            found = "CatBoost reads one column as one class, and label 1 as none"
            raise refused(self.text, found, "Give a column of scores for each class.")
        if self.cost is not None and k is not None and len(self.cost) != k:
            found = "Number of classes should be equal to the size of the misclass cost matrix"
            do = f"The scores have {k} columns, the matrix is {len(self.cost)} × {len(self.cost)}."
            raise refused(self.text, found, do)
        index = self.class_index
        if index is not None and not (index == 1 if k is None else index < k):
            found = f"There is no value of class {index}"
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
    if isinstance(metric, Description):
        return metric
    given: Any = metric
    if isinstance(given, str):
        return _read(str.__str__(given))
    found = f"It is {short(given)} ({type(given).__name__}), not a text"
    raise refused(given, found, "Write Name or Name:key=value;key=value.")


@lru_cache(maxsize=256)
def _read(text: str) -> Description:
    name, colon, rest = text.partition(":")
    if name not in _ALL:
        raise refused(text, f"{name} loss is not supported", _advice(name))
    given: dict[str, str] = {}
    for part in rest.split(";") if colon else ():
        key, equals, value = part.partition("=")
        if not equals:
            raise refused(text, _FORM, f"{part!r} is not key=value.")
        if key in given:
            raise refused(text, f"Duplicated loss param found: {key}", "Give each key once.")
        given[key] = value
    valid = _ALL[name].keys
    if name == "AUC" and given.get("type", "Mu") != "Mu":
        valid = _VALID_OF_AUC
    found: dict[str, Any] = {"use_weights": _ALL[name].uses_weights}
    for key, value in given.items():
        is_class = key == "class" and name in _OF_EACH_CLASS
        if key != "hints" and not is_class and key not in valid:
            raise _unknown_key(text, name, key, valid)
        field_name, read = _READERS[key]
        found[field_name] = read(text, name, value)
    found.pop("unused", None)
    if "cost" in found:
        found["type"] = "Mu"
    if name == "AUC" and "class_index" in found and found.setdefault("type", "OneVsAll") == "Mu":
        raise refused(text, "AUC of type Mu is one value for all classes", "Leave class= out.")
    if name == "F" and "beta" not in found:
        do = "Write F:beta=2; F1 is F with beta=1."
        raise refused(text, "Metric F requires beta as parameter", do)
    return Description(text, name, tuple(given.items()), **found)


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
    given: Any = k
    if not isinstance(given, int | np.integer) or isinstance(given, bool) or given < 2:
        meaning, wanted = "the number of columns of scores", "a whole number of at least 2"
        raise error("K154", argument="k", value=k, meaning=meaning, wanted=wanted)
    found.check_columns(int(k))
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
    parts = [f"{key}={text}" for key, text in shown.items()]
    if not found.is_per_class:
        return [f"{found.name}:{';'.join(parts)}" if parts else found.name]
    classes = range(k) if found.class_index is None else [found.class_index]
    return [f"{found.name}:{';'.join([*parts, f'class={place}'])}" for place in classes]
