"""Values that pytest passes to a test: of `parametrize`, and of fixtures."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from renaming.scopes import FUNCTIONS, Function, Module, Step, Steps

if TYPE_CHECKING:
    from renaming.repository import Repository


def _decorators(module: Module, function: ast.AST) -> Iterator[ast.expr]:
    """Decorators of a function, and those of the class that holds it."""
    yield from getattr(function, "decorator_list", [])
    above = module.parents.get(function)
    if isinstance(above, ast.ClassDef):
        yield from above.decorator_list


def is_fixture(function: ast.AST) -> bool:
    return any("fixture" in ast.unparse(d) for d in getattr(function, "decorator_list", []))


def params_of(module: Module, use: ast.AST) -> Iterator[ast.expr]:
    """The `params` of the fixture in which `request.param` stands."""
    for above in module.ancestors(use):
        if isinstance(above, FUNCTIONS):
            for decorator in getattr(above, "decorator_list", []):
                if isinstance(decorator, ast.Call):
                    yield from (k.value for k in decorator.keywords if k.arg == "params")


def values_of(
    repository: Repository, module: Module, function: Function, name: str
) -> Iterator[tuple[Module, ast.AST, Steps]]:
    """What pytest passes for a parameter: a module, an expression, and the steps to the value."""
    seen = False
    for decorator in _decorators(module, function):
        mark = _resolved(module, decorator)
        if isinstance(mark, ast.Call) and ast.unparse(mark.func).endswith("parametrize"):
            names = _names(mark)
            if name in names and len(mark.args) > 1:
                seen = True
                yield module, mark.args[1], (Step("case", names.index(name), len(names)),)
    is_test = isinstance(function, ast.FunctionDef) and function.name.startswith("test")
    if not seen and (is_test or is_fixture(function)):
        for home in repository.with_fixtures(module):
            for binding in home.names[home.tree].get(name, []):
                if binding.kind == "definition" and is_fixture(binding.node):
                    yield home, binding.node, (Step("call"),)
                    return


def _resolved(module: Module, decorator: ast.expr) -> ast.expr:
    """A mark that has a name of its own."""
    if isinstance(decorator, ast.Name):
        for binding in module.names[module.tree].get(decorator.id, []):
            if binding.value is not None and not binding.steps:
                return binding.value
    return decorator


def _names(mark: ast.Call) -> list[str]:
    names = mark.args[0] if mark.args else None
    if isinstance(names, ast.Constant) and isinstance(names.value, str):
        return [name.strip() for name in names.value.split(",") if name.strip()]
    if isinstance(names, (ast.List, ast.Tuple)):
        return [str(n.value) for n in names.elts if isinstance(n, ast.Constant)]
    return []
