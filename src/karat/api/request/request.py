"""The request: the value of every option of one call, which verbs and commands pass whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any, Self, TypeVar

from karat.api.request.checks import Check
from karat.api.request.classes import ClassOptions, MetricOptions
from karat.api.request.intervals import ContrastOptions, IntervalOptions
from karat.api.request.reading import JudgeOptions, ReadingOptions
from karat.api.request.record import Flag, Option, option_of
from karat.api.request.rows import RowOptions, RowRoleOptions
from karat.api.request.rules import RuleOptions
from karat.errors.options import name_flags

_GROUPS = (
    RowOptions,
    RowRoleOptions,
    ClassOptions,
    MetricOptions,
    IntervalOptions,
    ContrastOptions,
    RuleOptions,
    ReadingOptions,
    JudgeOptions,
)


@dataclass(frozen=True, eq=False)
class Request(
    JudgeOptions,
    ReadingOptions,
    RuleOptions,
    ContrastOptions,
    IntervalOptions,
    MetricOptions,
    ClassOptions,
    RowRoleOptions,
    RowOptions,
):
    """What one call asks for: the value of every option, by the names that verbs give them.

    Attributes:
        verb: the function, or the command, that was called.
        has_data: whether `y_true` is a table or names files, so that roles are columns of it.
        is_dry: whether rows are only counted, without metrics.
        labels_are_text: whether labels are those that a command line names.
        progress: called with the number of rows read, and the total if known.
    """

    verb: str = ""
    has_data: bool = False
    is_dry: bool = False
    labels_are_text: bool = False
    progress: Callable[[int, int | None], None] | None = None

    @classmethod
    def of(cls, verb: str, **values: Any) -> Self:
        """The request of a verb; options that are not given have its defaults.

        Errors:
            K122 a value that the record of its option does not allow.
        """
        for name, check in _checks(verb).items():
            value = values.get(name)
            if value is not None or (name in values and getattr(cls, name) is not None):
                values[name] = check(name, value)
        return _new(cls, {**_changed(verb), **values, "verb": verb})

    def but(self, **values: Any) -> Self:
        """The same with other values."""
        return _new(type(self), {**vars(self), **values})

    @property
    def outputs(self) -> dict[str, Any]:
        """Values of probabilities, logits and other scores, by their argument."""
        return {"y_prob": self.y_prob, "y_logit": self.y_logit, "y_score": self.y_score}

    @property
    def columns_of_scores(self) -> dict[str, Any]:
        """Columns of probabilities, logits and other scores, by their role."""
        return {"prob": self.prob, "logit": self.logit, "score": self.score}

    @property
    def has_scores(self) -> bool:
        """True if values of probabilities, logits or other scores are given."""
        return any(values is not None for values in self.outputs.values())

    @property
    def chosen(self) -> dict[str, Any]:
        """The options that have another value than their default, by name."""
        return {name: getattr(self, name) for name in all_options() if self.is_given(name)}

    def is_given(self, name: str) -> bool:
        """True if an option has another value than its default at this verb."""
        value = getattr(self, name)
        default = _defaults(self.verb).get(name, getattr(type(self), name))
        # An array has no truth value.
        return not (value is default or (isinstance(value, type(default)) and value == default))


R = TypeVar("R", bound=Request)
_NAMES = frozenset(item.name for item in fields(Request))


def _new(kind: type[R], values: Mapping[str, Any]) -> R:
    """A request of these values; others are those of the class, which holds the defaults.

    Much faster than the constructor, which sets all the others, too.
    """
    if not values.keys() <= _NAMES:
        raise TypeError(f"no options: {sorted(values.keys() - _NAMES)}")
    request = object.__new__(kind)
    vars(request).update(values)
    return request


@lru_cache(maxsize=1)
def all_options() -> Mapping[str, Option]:
    """Every option by its name, in the order in which verbs show them."""
    return {
        item.name: option_of(item, group.__name__) for group in _GROUPS for item in fields(group)
    }


@lru_cache(maxsize=32)
def _checks(verb: str) -> Mapping[str, Check]:
    """Option → what its value may be at a verb."""
    return {item.name: item.check for item in options_of(verb) if item.check is not None}


@lru_cache(maxsize=32)
def options_of(verb: str) -> tuple[Option, ...]:
    """The options of a verb, as it takes them."""
    return tuple(item.at(verb) for item in all_options().values() if verb in item.verbs)


@lru_cache(maxsize=32)
def flags_of(command: str) -> tuple[tuple[Option, Flag], ...]:
    """The options that a command has, each with its flag."""
    each = ((item, item.flag_of(command)) for item in all_options().values())
    return tuple((item, flag) for item, flag in each if flag is not None)


@lru_cache(maxsize=32)
def _changed(verb: str) -> Mapping[str, Any]:
    """The defaults of a verb that are not those of the class."""
    return {n: x for n, x in _defaults(verb).items() if x is not getattr(Request, n)}


@lru_cache(maxsize=32)
def _defaults(verb: str) -> Mapping[str, Any]:
    return {item.name: item.default for item in options_of(verb)}


name_flags({item.name: item.flags[0].name for item in all_options().values() if item.flags})
