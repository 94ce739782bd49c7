"""The public face: functions by module, and the classes that can be reached from them."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, Final, get_args

from karat.metrics._registry import all_names
from tests.corpus.typing_check.hints import Promise, is_ours, loaded, members, promises, stub_of

# A function is known by its name in the first module that has it.
MODULES: Final = (
    "karat",
    "karat.curves",
    "karat.plot",
    "karat.plot.svg",
    "karat.metrics",
    "karat.tally",
    "karat.objectives",
    "karat.errors",
    "karat.testing",
    "karat.compat.sklearn",
    "karat.compat.torchmetrics",
    "karat.compat.torchmetrics.classification",
    "karat.compat.torchmetrics.functional",
    "karat.compat.torchmetrics.functional.classification",
    "karat.compat.catboost",
    "karat.compat.onedal",
    "karat.cli",
    "karat._native",
)
NATIVE: Final = "karat._native"
OPERATORS: Final = (
    *("__call__", "__getitem__", "__add__", "__radd__", "__sub__", "__or__", "__and__"),
    *("__float__", "__array__", "__getattr__", "__matmul__", "__mul__", "__invert__"),
)


def public_names(module: types.ModuleType) -> list[str]:
    """The names that a module offers, in their order."""
    offered = getattr(module, "__all__", None) or [x for x in dir(module) if x[0] != "_"]
    return list(dict.fromkeys([*offered, *(all_names() if module.__name__ == "karat" else ())]))


@functools.cache
def functions() -> dict[int, tuple[Callable[..., Any], tuple[Promise, ...]]]:
    """The public functions by their identity, each with what is promised of it."""
    known: dict[int, tuple[Callable[..., Any], tuple[Promise, ...]]] = {}
    for module_name in MODULES:
        module = loaded(module_name)
        offered = [(x, getattr(module, x)) for x in public_names(module)]
        offered = [(attribute, value) for attribute, value in offered if is_function(value)]
        # By its name, not by an alias.
        offered.sort(key=lambda item: getattr(item[1], "__name__", "") != item[0])
        for attribute, value in offered:
            if id(value) not in known:
                known[id(value)] = (value, promises(f"{module_name}.{attribute}", value))
    return known


def is_function(value: Any) -> bool:
    """Whether a value is a function of karat, of Python or native."""
    module = getattr(value, "__module__", None) or ""
    kinds = (types.FunctionType, types.BuiltinFunctionType, functools.partial)
    is_native = type(value).__name__ == "nb_func"
    has_cache = hasattr(value, "cache_info")
    return (isinstance(value, kinds) or is_native or has_cache) and module.startswith("karat")


@functools.cache
def classes() -> tuple[type, ...]:
    """The public classes and those that the annotations of a public name lead to."""
    queue: list[Any] = []
    for module_name in MODULES:
        module = loaded(module_name)
        queue += [getattr(module, name) for name in public_names(module)]
    for _, promised in functions().values():
        queue += [x.returns.type for promise in promised for x in promise.overloads]
    known: dict[type, None] = {}
    while queue:
        value = queue.pop()
        queue += get_args(value)
        if is_ours(value) and value not in known:
            known[value] = None
            queue += value.__mro__
            queue += [member.hint.type for member in members(value)]
            for name, function in methods(value):
                promised = method_promises(value, name, function)
                queue += [x.returns.type for promise in promised for x in promise.overloads]
    return tuple(known)


@functools.cache
def _exported() -> dict[type, str]:
    """The classes that a module offers, by the first of their names."""
    known: dict[type, str] = {}
    for module_name in MODULES:
        module = loaded(module_name)
        for name in public_names(module):
            value = getattr(module, name)
            if isinstance(value, type):
                known.setdefault(value, f"{module_name}.{name}")
    return known


def name_of(owner: type) -> str:
    """The public name of a class, or where it stands."""
    return _exported().get(owner) or f"{owner.__module__}.{owner.__qualname__}"


def methods(owner: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods that a class of Python itself defines."""
    for name, value in vars(owner).items():
        plain = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        if inspect.isfunction(plain) and (name[0] != "_" or name in OPERATORS):
            yield name, plain


def method_promises(
    owner: type, attribute: str, function: Callable[..., Any]
) -> tuple[Promise, ...]:
    """What is promised of a method."""
    return promises(f"{name_of(owner)}.{attribute}", function, owner, attribute)


def any_counts() -> tuple[list[str], list[str]]:
    """All public callables and attributes, and those of which users read Any, object or nothing."""
    every, vague = [], []
    for _, promised in functions().values():
        _count(promised, every, vague)
    for owner in classes():
        listed = {name for name, _ in methods(owner)}
        for name, function in methods(owner):
            _count(method_promises(owner, name, function), every, vague)
        for member in members(owner):
            here = member.name in {*vars(owner), *vars(owner).get("__annotations__", {})}
            if here and member.name not in listed and not stub_of(owner.__module__):
                every.append(f"{name_of(owner)}.{member.name}")
                if member.hint.is_any:
                    vague.append(every[-1])
    return every, vague


def _count(promised: tuple[Promise, ...], every: list[str], vague: list[str]) -> None:
    if promised[0].name.startswith(NATIVE):
        return
    every.append(promised[0].name)
    if all(overload.returns.is_any for overload in promised[-1].overloads):
        vague.append(promised[0].name)
