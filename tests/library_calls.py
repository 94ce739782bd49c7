"""The calls of `karat.metrics.Equal`: what they name, and their values."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

WHERE = (
    "two classes",
    "three or more classes",
    "every class occurs",
    "every class is true",
    "every class is true and predicted",
    "it is finite",
    "scores do not tie",
    "no probability is 0",
    "no probability is 1",
    "there are no weights",
)
"""What the data may have to be like for a claim to hold."""

Read: TypeAlias = Callable[[str, dict[str, Any]], Any]

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}
_CONSTANTS = {"nan": math.nan, "inf": math.inf, "ln2": math.log(2.0)}


def keywords_in(call: str) -> dict[str, frozenset[str]]:
    """Each function that is called → the keywords it is given."""
    return {
        node.func.id: frozenset(item.arg for item in node.keywords if item.arg is not None)
        for node in ast.walk(ast.parse(call, mode="eval"))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def free_names_in(call: str) -> frozenset[str]:
    """Bare names: the parameters of karat's function that the call passes on."""
    tree = ast.parse(call, mode="eval")
    used = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    used |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    return frozenset(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in used and node.id not in _CONSTANTS
    )


def value_of(call: str, read: Read, params: Mapping[str, Any]) -> Any:
    """The value of a call.

    Args:
        read: gives the library's value of a name and its keywords.
        params: values of the bare names.

    Errors:
        ValueError: the call holds something that is no call, item, number or arithmetic.
    """
    return _value(ast.parse(call, mode="eval").body, read, params)


def _value(node: ast.AST, read: Read, params: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return _CONSTANTS[node.id] if node.id in _CONSTANTS else params[node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args:
        given = {str(item.arg): _value(item.value, read, params) for item in node.keywords}
        return read(node.func.id, given)
    if isinstance(node, ast.Subscript):
        is_table = isinstance(node.value, ast.Name)
        whole = read(node.value.id, {}) if is_table else _value(node.value, read, params)  # type: ignore[attr-defined]
        return whole[_value(node.slice, read, params)]
    if isinstance(node, ast.Tuple):
        return tuple(_value(part, read, params) for part in node.elts)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, read, params), _value(node.right, read, params)
        return _OPERATORS[type(node.op)](left, right)
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_value(node.operand, read, params))
    raise ValueError(f"{ast.unparse(node)} is no call, item, number or arithmetic")
