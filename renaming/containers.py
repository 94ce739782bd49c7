"""Parts of displays, comprehensions and calls of well-known functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from renaming.scopes import ANY, EACH, FUNCTIONS, KEY, Function, Module, Step, Steps

Part: TypeAlias = tuple[ast.AST, Steps]


def parts_of(node: ast.AST, steps: Steps) -> list[Part] | None:
    """The parts of a literal that the first step leads to; None where it is not taken apart."""
    if not steps:
        return None
    head, rest = steps[0], steps[1:]
    if isinstance(node, ast.Dict):
        return list(_of_dict(node, head, steps))
    if isinstance(node, ast.DictComp):
        if head.kind == "get":
            return [(node.value, rest)]
        return [(node.key, rest)] if head.kind in ("key", "each") else []
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return list(_of_sequence(node.elts, head, steps))
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        return [(node.elt, rest)] if head.kind in ("get", "each", "case") else []
    if isinstance(node, (ast.JoinedStr, ast.Compare, ast.UnaryOp)):
        return []
    return None


def _of_dict(node: ast.Dict, head: Step, steps: Steps) -> Iterator[Part]:
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            yield value, steps
        elif head.kind in ("key", "each"):
            yield key, steps[1:]
        elif head.kind == "get":
            known = key.value if isinstance(key, ast.Constant) else None
            if head.what is None or known is None or known == head.what:
                yield value, steps[1:]


def _of_sequence(elements: list[ast.expr], head: Step, steps: Steps) -> Iterator[Part]:
    has_star = any(isinstance(element, ast.Starred) for element in elements)
    for i, element in enumerate(elements):
        if isinstance(element, ast.Starred):
            yield element.value, (EACH if head.kind == "get" else head, *steps[1:])
        elif head.kind == "each" or (
            head.kind == "get"
            and (head.what is None or has_star or head.what in (i, i - len(elements)))
        ):
            yield element, steps[1:]
        elif head.kind == "case":
            yield from _of_case(element, head, steps[1:])


def _of_case(element: ast.expr, head: Step, rest: Steps) -> Iterator[Part]:
    """A parameter of a case: an element of `parametrize`, in pytest.param or not."""
    place, n = head.what, head.more
    if isinstance(element, ast.Call) and ast.unparse(element.func).endswith("pytest.param"):
        if isinstance(place, int) and place < len(element.args):
            yield element.args[place], rest
    elif n == 1:
        yield element, rest
    else:
        yield element, (Step("get", place), *rest)


SAME = {
    "builtins.list", "builtins.tuple", "builtins.sorted", "builtins.set", "builtins.frozenset",
    "builtins.reversed", "builtins.iter", "copy.copy", "copy.deepcopy",
    "itertools.chain.from_iterable", "types.MappingProxyType", "collections.OrderedDict",
    "itertools.islice", "builtins.staticmethod", "tests.grouping.grouped",
}  # fmt: skip


def parts_of_call(node: ast.Call, text: str, steps: Steps) -> list[Part] | None:
    """The parts of what a well-known function or method gives; None for any other."""
    args, head = node.args, steps[0] if steps else None
    rest = steps[1:]
    if text == "builtins.dict" and head is not None:
        parts: list[Part] = [(value, steps) for value in args]
        pair = Step("get", 1 if head.kind == "get" else 0)
        parts += [(value, (EACH, pair, *rest)) for value in args]
        for keyword in node.keywords:
            if keyword.arg is None:
                parts.append((keyword.value, steps))
            elif head.kind == "get" and head.what in (None, keyword.arg):
                parts.append((keyword.value, rest))
        return parts
    if text in SAME and args:
        if text.endswith("from_iterable"):
            return [(args[0], (EACH, *steps))]
        return [(args[0], steps)]
    if text == "typing.cast" and len(args) == 2:
        return [(args[1], steps)]
    if text == "builtins.next" and args:
        return [(args[0], (EACH, *steps))]
    if text == "builtins.dict.fromkeys" and args and head is not None:
        if head.kind == "get":
            return [(value, rest) for value in args[1:]]
        return [(args[0], (EACH, *rest))]
    if text == "builtins.enumerate" and args and len(steps) > 1:
        return [(args[0], (EACH, *steps[2:]))] if steps[1].what in (1, None) else []
    if text in ("builtins.zip", "itertools.product") and len(steps) > 1:
        place = steps[1].what
        if isinstance(place, int) and not any(isinstance(a, ast.Starred) for a in args):
            return [(args[place], (EACH, *steps[2:]))] if place < len(args) else []
        return [(value, (EACH, *steps[2:])) for value in args]
    if text == "itertools.chain":
        return [(value, steps) for value in args]
    if isinstance(node.func, ast.Attribute) and not text:
        return _of_method(node, node.func, steps)
    return None


def _of_method(node: ast.Call, func: ast.Attribute, steps: Steps) -> list[Part] | None:
    base, name, rest = func.value, func.attr, steps[1:]
    if name == "items" and not node.args:
        if len(steps) < 2 or steps[0].kind not in ("each", "case"):
            return []
        place = steps[0].what if steps[0].kind == "case" else steps[1].what
        after = rest if steps[0].kind == "case" else steps[2:]
        keys, values = (base, (KEY, *after)), (base, (ANY, *after))
        return [keys] if place == 0 else [values] if place == 1 else [keys, values]
    if name == "values" and not node.args:
        return [(base, (ANY, *rest))] if steps else []
    if name == "keys" and not node.args:
        return [(base, (KEY, *rest))] if steps else []
    if name == "copy" and not node.args:
        return [(base, steps)]
    if name in ("get", "pop", "setdefault") and node.args:
        key = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        parts: list[Part] = [(base, (Step("get", key), *steps))]
        return parts + [(value, steps) for value in node.args[1:]]
    return None


@cache
def results_of(
    function: ast.FunctionDef | ast.AsyncFunctionDef,
) -> tuple[list[ast.expr], list[ast.expr], list[ast.expr]]:
    """The values that a function returns, yields, and yields from."""
    results: list[ast.expr] = []
    yields: list[ast.expr] = []
    delegated: list[ast.expr] = []
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        if isinstance(node, ast.Return) and node.value is not None:
            results.append(node.value)
        elif isinstance(node, ast.Yield) and node.value is not None:
            yields.append(node.value)
        elif isinstance(node, ast.YieldFrom):
            delegated.append(node.value)
        waiting.extend(ast.iter_child_nodes(node))
    return results, yields, delegated


def is_method(module: Module, function: Function) -> bool:
    """Whether the first parameter is bound by the call itself."""
    if not isinstance(module.parents.get(function), ast.ClassDef):
        return False
    decorators = {ast.unparse(d) for d in getattr(function, "decorator_list", [])}
    return "staticmethod" not in decorators


def is_property(node: ast.AST) -> bool:
    """Whether reading an attribute calls this function."""
    return any("property" in ast.unparse(d) for d in getattr(node, "decorator_list", []))


@cache
def stored_on_self(node: ast.ClassDef) -> dict[str, list[tuple[ast.expr, ast.FunctionDef]]]:
    """The values of each `self.name = …` in the methods of a class."""
    stored: dict[str, list[tuple[ast.expr, ast.FunctionDef]]] = {}
    for method in node.body:
        if not isinstance(method, ast.FunctionDef):
            continue
        for inner in ast.walk(method):
            pairs: list[tuple[ast.expr, ast.expr]] = []
            if isinstance(inner, ast.Assign):
                for target in inner.targets:
                    if isinstance(target, ast.Tuple) and isinstance(inner.value, ast.Tuple):
                        pairs += zip(target.elts, inner.value.elts, strict=False)
                    pairs.append((target, inner.value))
            elif isinstance(inner, ast.AnnAssign) and inner.value is not None:
                pairs.append((inner.target, inner.value))
            for target, value in pairs:
                if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                    stored.setdefault(target.attr, []).append((value, method))
    return stored
