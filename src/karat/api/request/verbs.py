"""Verbs from their options: signature, docstring and binding of arguments of a public function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Final, Literal, TypeVar

from karat.api.request.docs import with_arguments
from karat.api.request.groups import Design as _Design
from karat.api.request.groups import Interval, Labels, Reading, Rules, arguments_of, with_groups
from karat.api.request.record import Option
from karat.api.request.request import Request, all_options, options_of
from karat.api.request.roles import with_roles
from karat.errors.habits import names_its_arguments
from karat.errors.together import refuse
from karat.metrics import Metric
from karat.tally import Label

_OF_COLUMNS: Final = ("text", "decimal")
"""Options that say how columns of data are written."""
K = TypeVar("K")
T = TypeVar("T")

_OF_ANNOTATIONS: Final = (
    *(Iterable, Mapping, PathLike, Metric, Label),
    *(Labels, Interval, Reading, Rules, _Design, Literal),
)
"""What annotations of options name, for `typing.get_type_hints`."""


def verb(function: Callable[..., T]) -> Callable[..., T]:
    """The public function, or method, of the options that name it; its body takes the request.

    Errors:
        K126, K138, K156, K162 arguments that it does not have, or without their names.
    """
    name = function.__qualname__.rpartition("<locals>.")[2].removesuffix(".__init__")
    options = arguments_of(name)
    places = tuple(item.name for item in options if item.is_positional)
    has_data = "data" in places
    n_selves = int("self" in inspect.signature(function).parameters)

    def called(*args: Any, **kwargs: Any) -> T:
        positional = args[n_selves:]
        if positional:
            if len(positional) > len(places):
                known = f"{len(places)} ({', '.join(places)})" if places else "none"
                fact = f"{name}() takes {known} by position, and got {len(positional)}"
                raise TypeError(f"{fact}: name {'the others' if places else 'them'}")
            if twice := [place for place in places[: len(positional)] if place in kwargs]:
                raise TypeError(f"{name}() got multiple values for argument {twice[0]!r}")
            kwargs |= zip(places, positional, strict=False)
        values = with_groups(name, kwargs)
        if has_data:
            values = with_roles(name, values)
        request = Request.of(name, **values)
        if has_data and not request.has_data and name != "read":
            refuse(
                name,
                "arrays",
                {x: values[x] for x in _OF_COLUMNS if x in values and request.is_given(x)},
            )
        return function(*args[:n_selves], request)

    for fact in ("__module__", "__name__", "__qualname__"):
        setattr(called, fact, getattr(function, fact))
    if not function.__name__.startswith("__"):
        called.__doc__ = with_arguments(function.__doc__, options)
    returns = function.__annotations__.get("return", inspect.Signature.empty)
    # Its name means what it means where the body stands.
    returns = function.__globals__.get(returns, returns)
    called.__annotations__ = {item.name: item.type for item in options} | {"return": returns}
    public = signature(options, returns, has_self=n_selves > 0)
    called.__signature__ = public  # type: ignore[attr-defined]
    defaults = {item.name: item.default for item in options_of(name)}
    return names_its_arguments(called, defaults, _elsewhere(name))


def _elsewhere(verb: str) -> dict[str, str]:
    """Options that the class of a method takes, or a method of a class → the call of that."""
    kind, _, method = verb.partition(".")
    others = (
        [kind]
        if method
        else list(
            dict.fromkeys(
                each
                for item in all_options().values()
                for each in item.verbs
                if each.startswith(f"{kind}.")
            )
        )
    )
    own = {item.name for item in options_of(verb)}
    calls = {
        other: f"{kind.lower()}.{other.partition('.')[2]}" if not method else f"karat.{kind}"
        for other in others
    }
    return {
        item.name: calls[other]
        for other in reversed(others)
        for item in options_of(other)
        if item.name not in own
    }


def with_verbs(kind: type[K]) -> type[K]:
    """The class whose constructor is a verb, with the options of that in its docstring."""
    kind.__doc__ = with_arguments(kind.__doc__, arguments_of(kind.__name__))
    return kind


def signature(options: Sequence[Option], returns: Any, *, has_self: bool) -> inspect.Signature:
    """The signature of a function, or of a method, of these options."""
    kind = inspect.Parameter
    has_data = any(_kind(item) is kind.POSITIONAL_ONLY for item in options)
    of_self = kind.POSITIONAL_ONLY if has_data else kind.POSITIONAL_OR_KEYWORD
    return inspect.Signature(
        [
            *([kind("self", of_self)] if has_self else ()),
            *(
                kind(item.name, _kind(item), default=item.default, annotation=item.type)
                for item in options
            ),
        ],
        return_annotation=returns,
    )


def _kind(item: Option) -> Any:
    """How an option is passed; what has no name of its own goes by its place alone."""
    if not item.is_positional:
        return inspect.Parameter.KEYWORD_ONLY
    if item.name in ("data", "predictions"):
        return inspect.Parameter.POSITIONAL_ONLY
    return inspect.Parameter.POSITIONAL_OR_KEYWORD
