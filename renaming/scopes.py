"""Modules of a repository as names: scopes, what binds a name, and what encloses a node."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
LOOPS: Final = (ast.For, ast.AsyncFor, ast.While)

# Begins each piece of code of a document, in the module that holds them all.
MARK: Final = "# chunk of a document"

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Step(NamedTuple):
    """A step from a value to a part of it.

    `get` an item by key or place (None: any), `key` of a mapping, `each` element, `attr`, the
    result of a `call`, what a `with` statement enters, or a `case` of pytest.
    """

    kind: str
    what: object = None
    more: object = None


Steps: TypeAlias = tuple[Step, ...]
EACH: Final = Step("each")
KEY: Final = Step("key")
ANY: Final = Step("get")


@dataclass(frozen=True, eq=False)
class Binding:
    """What gives a name a value: `kind` says how `node` and `value` are to be read."""

    kind: str
    node: ast.AST
    value: ast.expr | None = None
    steps: Steps = ()
    text: str = ""


@dataclass(eq=False)
class Module:
    """A parsed file: its tree, the parent and the scope of each node, and the names of scopes."""

    path: Path
    name: str
    source: str
    tree: ast.Module
    is_document: bool = False
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict, repr=False)
    scopes: dict[ast.AST, ast.AST] = field(default_factory=dict, repr=False)
    names: dict[ast.AST, dict[str, list[Binding]]] = field(default_factory=dict)
    nodes: list[ast.AST] = field(default_factory=list)

    def __post_init__(self) -> None:
        _Reader(self).read()

    def lookup(self, name: str, node: ast.AST) -> tuple[ast.AST, list[Binding]] | None:
        """The scope that binds a name where `node` stands, and its bindings."""
        scope: ast.AST | None = self.scopes[node]
        is_inner = False
        while scope is not None:
            bindings = self.names[scope].get(name)
            if bindings and not (is_inner and isinstance(scope, ast.ClassDef)):
                return scope, bindings
            is_inner = True
            scope = self.scopes.get(scope)
        return None

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def enclosing(self, node: ast.AST, kinds: tuple[type, ...]) -> ast.AST | None:
        """The nearest ancestor of some kinds."""
        return next((above for above in self.ancestors(node) if isinstance(above, kinds)), None)


class _Reader:
    """Fills the tables of a module."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def read(self) -> None:
        tree = self.module.tree
        self.module.names[tree] = {}
        for statement in tree.body:
            self.visit(statement, tree, tree)

    def bind(self, scope: ast.AST, name: str, binding: Binding) -> None:
        self.module.names[scope].setdefault(name, []).append(binding)

    def visit(self, node: ast.AST, scope: ast.AST, parent: ast.AST) -> None:
        module = self.module
        module.parents[node], module.scopes[node] = parent, scope
        module.nodes.append(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.bind(scope, node.name, Binding("definition", node))
        if isinstance(node, FUNCTIONS):
            self.function(node, scope)
        elif isinstance(node, ast.ClassDef):
            module.names[node] = {}
            for child in (*node.decorator_list, *node.bases, *node.keywords):
                self.visit(child, scope, node)
            for statement in node.body:
                self.visit(statement, node, node)
        elif isinstance(node, COMPREHENSIONS):
            module.names[node] = {}
            for i, generator in enumerate(node.generators):
                module.parents[generator], module.scopes[generator] = node, node
                self.visit(generator.iter, node if i else scope, generator)
                self.target(generator.target, generator.iter, (EACH,), node)
                for child in (generator.target, *generator.ifs):
                    self.visit(child, node, generator)
            heads = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
            for child in heads:
                self.visit(child, node, node)
        else:
            self.statement(node, scope)
            for child in ast.iter_child_nodes(node):
                self.visit(child, scope, node)

    def function(self, node: Function, scope: ast.AST) -> None:
        module = self.module
        module.names[node] = {}
        outside: list[ast.AST] = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        inside: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else [*node.body]
        if not isinstance(node, ast.Lambda):
            outside += [*node.decorator_list, *([node.returns] if node.returns else [])]
        for argument in parameters(node):
            self.bind(node, argument.arg, Binding("parameter", node, text=argument.arg))
            outside += [argument.annotation] if argument.annotation else []
        for child in outside:
            self.visit(child, scope, node)
        for child in inside:
            self.visit(child, node, node)

    def statement(self, node: ast.AST, scope: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self.target(target, node.value, (), scope)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.target(node.target, node.value, (), scope)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self.bind(scope, node.target.id, Binding("update", node, node.value))
        elif isinstance(node, ast.NamedExpr):
            while isinstance(scope, COMPREHENSIONS):
                scope = self.module.scopes[scope]
            self.target(node.target, node.value, (), scope)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.target(node.target, node.iter, (EACH,), scope)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self.target(node.optional_vars, node.context_expr, (Step("enter"),), scope)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            self.bind(scope, node.name, Binding("unknown", node))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                text = alias.name if alias.asname else alias.name.partition(".")[0]
                self.bind(scope, alias.asname or text, Binding("import", node, text=text))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                text = f"{node.module}.{alias.name}"
                self.bind(scope, alias.asname or alias.name, Binding("import", node, text=text))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            self.method(node, node.func, scope)

    def method(self, node: ast.Call, func: ast.Attribute, scope: ast.AST) -> None:
        """Methods that change the value of a name: `options.update(...)`, `rows.append(...)`."""
        if not isinstance(func.value, ast.Name):
            return
        name, args = func.value.id, node.args
        if func.attr == "update":
            for value in (*args, *(k.value for k in node.keywords if k.arg is None)):
                self.change(scope, name, Binding("update", node, value))
            if any(keyword.arg for keyword in node.keywords):
                self.change(scope, name, Binding("keywords", node))
        elif func.attr in ("append", "add") and len(args) == 1:
            self.change(scope, name, Binding("store", node, args[0]))
        elif func.attr == "setdefault" and len(args) == 2:
            self.change(scope, name, Binding("store", node, args[1]))

    def target(self, target: ast.expr, value: ast.expr, steps: Steps, scope: ast.AST) -> None:
        if isinstance(target, ast.Name):
            self.bind(scope, target.id, Binding("value", target, value, steps))
        elif isinstance(target, (ast.Tuple, ast.List)):
            has_star = False
            for i, part in enumerate(target.elts):
                if isinstance(part, ast.Starred):
                    has_star = True
                    self.target(part.value, value, steps, scope)
                else:
                    place = Step("get", None if has_star else i)
                    self.target(part, value, (*steps, place), scope)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            key = target.slice.value if isinstance(target.slice, ast.Constant) else None
            binding = Binding("store", target, value, (Step("get", key), *steps))
            self.change(scope, target.value.id, binding)

    def change(self, scope: ast.AST, name: str, binding: Binding) -> None:
        """A change of a value binds the name where it is bound already."""
        where: ast.AST | None = scope
        while where is not None:
            if name in self.module.names[where]:
                self.bind(where, name, binding)
                return
            where = self.module.scopes.get(where)


def parameters(function: Function) -> list[ast.arg]:
    """All parameters, in order; those with stars last."""
    args = function.args
    stars = [star for star in (args.vararg, args.kwarg) if star is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *stars]


def default_of(function: Function, name: str) -> ast.expr | None:
    """The default of a parameter."""
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    pairs = list(zip(reversed(positional), reversed(args.defaults), strict=False))
    pairs += [(a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d]
    return next((value for argument, value in pairs if argument.arg == name), None)


def reaching(
    module: Module, use: ast.Name, scope: ast.AST, bindings: list[Binding]
) -> list[Binding]:
    """The bindings that may reach a use: those that a later assignment always replaces are out."""
    plain = [b for b in bindings if b.kind == "value"]
    if len(bindings) < 2 or module.scopes[use] is not scope or isinstance(scope, COMPREHENSIONS):
        return bindings
    above = {id(node) for node in module.ancestors(use)}
    here = position(use)
    before = [
        b
        for b in plain
        if position(b.node) < here
        and id(_holder(module, b.node)) in above
        and id(b.value) not in above
        and b.value is not use
    ]
    if not before:
        return bindings
    last = max(before, key=lambda b: position(b.node))
    loop = module.enclosing(use, LOOPS)
    is_local = loop is None or loop in module.ancestors(last.node)
    start = position(last.node)
    return [
        b
        for b in bindings
        if b.kind == "definition"
        or (position(b.node) >= start and not (is_local and position(b.node) > here))
    ]


def _holder(module: Module, node: ast.AST) -> ast.AST:
    """The statement whose block holds the assignment; a loop binds its target inside."""
    for above in module.ancestors(node):
        if isinstance(above, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)):
            return above
        if isinstance(above, ast.stmt):
            parent = module.parents[above]
            return parent if not isinstance(parent, (ast.If, ast.Try)) else above
    return module.tree


def external_text(module: Module, node: ast.expr) -> str:
    """The dotted name of another package that an expression spells, through imports; else ''."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    place = module.lookup(node.id, node)
    if place is None:
        return ".".join(["builtins", node.id, *reversed(names)])
    imports = [b.text for b in place[1] if b.kind == "import"]
    return ".".join([imports[0], *reversed(names)]) if len(imports) == len(place[1]) else ""


def position(node: ast.AST) -> tuple[int, int]:
    """Line and column of a node."""
    return (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
