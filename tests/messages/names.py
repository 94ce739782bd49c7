"""What exists today: public names, their parameters, metrics, options of the command line."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

import karat
from karat.metrics._registry import all_names

__all__ = [
    "all_options",
    "callables",
    "exists",
    "is_flag",
    "is_metric",
    "members",
    "named",
    "options_of",
    "parameters",
    "takes",
]

PARTS: Final = ("curves", "errors", "metrics", "objectives", "plot", "plot.svg", "tally", "testing")
"""Modules of public names below karat."""
DROP_INS: Final = ("sklearn", "catboost", "onedal", "torchmetrics")


def named(path: str) -> Any:
    """What ``karat.PATH`` is; AttributeError where there is nothing."""
    found: Any = karat
    for i, name in enumerate(path.split(".")):
        try:
            found = getattr(found, name)
        except AttributeError:
            if not inspect.ismodule(found):
                raise
            try:
                found = importlib.import_module(".".join(["karat", *path.split(".")[: i + 1]]))
            except ImportError as problem:
                raise AttributeError(str(problem)) from problem
    return found


def exists(path: str) -> bool:
    """True if ``karat.PATH`` exists."""
    try:
        named(path)
    except AttributeError:
        return False
    return True


def takes(function: Any, names: list[str]) -> list[str]:
    """Those of some keywords that a function does not have."""
    try:
        has = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return []
    if any(item.kind is inspect.Parameter.VAR_KEYWORD for item in has.values()):
        return []
    return [name for name in names if name not in has]


@cache
def callables() -> dict[str, Callable[..., Any]]:
    """Every public function, class and method, by its path below karat."""
    found: dict[str, Callable[..., Any]] = {}
    homes = [("", karat, [*dir(karat), *all_names()])]
    homes += [(f"{part}.", named(part), dir(named(part))) for part in PARTS]
    for before, home, names in homes:
        for name in names:
            value = None if name.startswith("_") else getattr(home, name, None)
            if inspect.ismodule(value) or not callable(value):
                continue
            found[before + name] = value
            if inspect.isclass(value):
                found |= {
                    f"{before}{name}.{each}": method
                    for each in dir(value)
                    if not each.startswith("_") and callable(method := getattr(value, each))
                }
    return found


def _signature(function: Callable[..., Any]) -> Iterator[str]:
    try:
        yield from inspect.signature(function).parameters
    except (TypeError, ValueError):
        return


@cache
def parameters(drop_in: str = "") -> frozenset[str]:
    """Names of parameters of public calls; of a drop-in those of its calls."""
    if not drop_in:
        return frozenset(name for call in callables().values() for name in _signature(call))
    home = importlib.import_module(f"karat.compat.{drop_in}")
    values = [getattr(home, name, None) for name in dir(home) if not name.startswith("_")]
    return frozenset(name for call in values if callable(call) for name in _signature(call))


@cache
def members() -> frozenset[str]:
    """Attributes and methods of public classes."""
    classes = [value for value in callables().values() if inspect.isclass(value)]
    return frozenset(
        name for kind in classes for name in [*dir(kind), *getattr(kind, "__annotations__", ())]
    )


@cache
def is_metric(text: str) -> bool:
    """True if a text is the name of a metric, with its parameters or without."""
    try:
        karat.metrics.get(text)
    except karat.KaratError:
        return False
    return True


@cache
def options_of(command: str = "") -> frozenset[str] | None:
    """The options of a command, those of the program itself for no name; None: no such command."""
    import click

    from karat.cli.app import app

    found = app.get_command(click.Context(app, **app.context_settings), command) if command else app
    if found is None:
        return None
    given = [one for item in found.params for one in [*item.opts, *item.secondary_opts]]
    return frozenset([*given, "--help", "-h"])


@cache
def all_options() -> frozenset[str]:
    """The options of all commands."""
    import click

    from karat.cli.app import app

    names = ["", *app.list_commands(click.Context(app, **app.context_settings))]
    return frozenset(one for name in names for one in options_of(name) or ())


@cache
def is_flag(option: str) -> bool:
    """True if no command takes a value for an option."""
    import click

    from karat.cli.app import app

    context = click.Context(app, **app.context_settings)
    found = [app.get_command(context, name) for name in app.list_commands(context)]
    items = [item for command in found if command for item in command.params]
    named = [item for item in items if option in item.opts]
    return all(isinstance(item, click.Option) and item.is_flag for item in named)
