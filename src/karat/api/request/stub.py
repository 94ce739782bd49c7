"""Stubs of the verbs: their signatures and docstrings, as editors and type checkers read them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from textwrap import indent
from typing import Any, Final

from karat.api.request.groups import NEEDED, Group, arguments_of, arguments_of_group
from karat.api.request.record import Option
from karat.api.request.request import options_of

IMPORTS: Final = """\
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, overload
"""
"""What the annotations of options name, beside classes of karat."""


_ARRAYS: Final = ("y_true", "y_pred")
"""Roles of the first two arguments where they are arrays."""


def function_stub(function: Callable[..., Any]) -> str:
    """The stub of a verb that is a function."""
    return _stub(function, function.__name__, "")


def class_stub(kind: type, base: str) -> str:
    """The stub of a class whose methods are verbs, as a subclass of the class itself."""
    name = kind.__name__
    verbs = [item for item in vars(kind) if options_of(_verb(name, item))]
    methods = "".join(_stub(getattr(kind, item), _verb(name, item), "self") for item in verbs)
    return f"class {name}({base}):{_docstring(kind.__doc__)}{indent(methods, '    ')}"


def group_stub(kind: type[Group], base: str) -> str:
    """The stub of a group of options, as a subclass of the class itself."""
    options = tuple(arguments_of_group(kind))
    places = [_parameter(item) for item in options if item.is_positional]
    named = [_parameter(item) for item in options if not item.is_positional]
    parts = ["self", *places, *(["*", *named] if named else ())]
    arguments = "".join(f"    {part},\n" for part in parts)
    fields = "".join(f"@property\ndef {item.name}(self) -> {item.type}: ...\n" for item in options)
    body = f"def __init__(\n{arguments}) -> None: ...\n{fields}"
    return f"class {kind.__name__}({base}):{_docstring(kind.__doc__)}{indent(body, '    ')}"


def _verb(name: str, method: str) -> str:
    return name if method == "__init__" else f"{name}.{method}"


def _stub(function: Callable[..., Any], verb: str, first: str) -> str:
    """The stub of a verb; of one that takes arrays or data, an overload for either."""
    options = arguments_of(verb)
    doc = None if function.__name__ == "__init__" else function.__doc__
    if all(item.name != "data" for item in options):
        positional = [_parameter(item) for item in options if item.is_positional]
        named = [item for item in options if not item.is_positional]
        return _def(function, first, positional, named, doc)
    roles = {item.name: item for item in options if item.name in _ARRAYS}
    named = [item for item in options if not item.is_positional]
    arrays = [f"y_true: {roles['y_true'].type}", _parameter(roles["y_pred"]), "/"]
    others = [item for item in named if item.name not in _ARRAYS]
    data = [_parameter(item) for item in options if item.name == "data"]
    # Jedi shows the docstring of the last overload, Pyright that of the first with one.
    return (
        f"@overload\n{_def(function, first, arrays, others, None)}"
        f"@overload\n{_def(function, first, [*data, '/'], named, doc)}"
    )


def _def(
    function: Callable[..., Any],
    first: str,
    positional: Sequence[str],
    named: Sequence[Option],
    doc: str | None,
) -> str:
    """The stub of one signature."""
    star = ["*", *map(_parameter, named)] if named else []
    parts = [*([first] if first else ()), *positional, *star]
    arguments = "".join(f"    {part},\n" for part in parts)
    returns = inspect.signature(function).return_annotation
    returns = getattr(returns, "__name__", returns)
    return f"def {function.__name__}(\n{arguments}) -> {returns}:{_docstring(doc)}"


def _parameter(item: Option) -> str:
    if item.default is NEEDED:
        return f"{item.name}: {item.type}"
    default = f'"{item.default}"' if isinstance(item.default, str) else repr(item.default)
    return f"{item.name}: {item.type} = {default}"


def _docstring(text: str | None) -> str:
    if text is None:
        return " ...\n"
    mark = "r" if "\\" in text else ""
    body = indent(inspect.cleandoc(text), "    ").strip()
    return f'\n    {mark}"""{body}\n    """\n'
