"""Where a value comes from, inside one repository.

`Flow.trace` goes backwards from an expression, along assignments, loops, parameters, calls, imports
and literals, to the origins of its value. A call that is entered by its result is left by its own
arguments; a parameter that is reached otherwise may come from every known call.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from renaming import containers, fixtures
from renaming.repository import Repository
from renaming.scopes import (
    ANY,
    EACH,
    FUNCTIONS,
    KEY,
    Binding,
    Function,
    Module,
    Step,
    Steps,
    default_of,
    external_text,
    parameters,
    reaching,
)

MOST_STEPS: Final = 12
MOST_CALLS: Final = 6
MOST_STATES: Final = 4000
ROUNDS: Final = 3


@dataclass(frozen=True)
class Site:
    """A call of a function of the repository, or of one that `partial` has prepared."""

    module: Module
    node: ast.Call
    n_skipped: int = 0

    @property
    def args(self) -> list[ast.expr]:
        return self.node.args[self.n_skipped :]


Context: TypeAlias = tuple[tuple[Site, ast.AST], ...]


@dataclass(frozen=True)
class Origin:
    """Where a value begins.

    `node`: a literal, a function or a class. `keywords`: further keywords of a call of a helper;
    those of `names` are its own. `external`: a name of another package, with what is done to it.
    `unknown`: not found out; `text` says why.
    """

    kind: str
    module: Module
    node: ast.AST
    steps: Steps = ()
    text: str = ""
    names: frozenset[str] = frozenset()
    context: Context = ()


class Flow:
    """Traces values through the modules of a repository."""

    def __init__(self, repository: Repository) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))
        self.repository = repository
        self.callers: dict[ast.AST, list[Site]] = defaultdict(list)
        self.memo: dict[tuple[ast.AST, Steps], list[Origin]] = {}
        self.subclasses: dict[ast.AST, list[tuple[Module, ast.ClassDef]]] = defaultdict(list)
        self._index()

    def trace(
        self, module: Module, node: ast.AST, steps: Steps = (), context: Context = ()
    ) -> list[Origin]:
        """The origins of a part of the value of an expression."""
        if context:
            return list(dict.fromkeys(_Trace(self).expression(module, node, steps, context)))
        key = (node, steps)
        if key not in self.memo:
            self.memo[key] = list(dict.fromkeys(_Trace(self).expression(module, node, steps, ())))
        return self.memo[key]

    def _index(self) -> None:
        """Find the calls of each function: by name at first, then also through variables."""
        calls = [
            (module, node)
            for module in self.repository.modules
            for node in module.nodes
            if isinstance(node, ast.Call)
        ]
        self.members = {
            name
            for module in self.repository.modules
            for scope, names in module.names.items()
            if isinstance(scope, (ast.ClassDef, ast.Module))
            for name in names
        } | {
            node.attr
            for module in self.repository.modules
            for node in module.nodes
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }
        for module in self.repository.modules:
            for cls in (node for node in module.nodes if isinstance(node, ast.ClassDef)):
                for base in cls.bases:
                    for origin in self.trace(module, base):
                        self.subclasses[origin.node].append((module, cls))
        known: set[tuple[ast.AST, ast.AST]] = set()
        for turn in range(ROUNDS):
            before = len(known)
            self.memo.clear()
            for module, node in calls:
                is_plain = self._is_by_name(module, node.func)
                if is_plain == (turn == 0):
                    self._add(module, node, node.func, 0, known)
                if node.args and external_text(module, node.func) == "functools.partial":
                    self._add(module, node, node.args[0], 1, known)
            if turn and len(known) == before:
                break
        self.memo.clear()

    def _is_by_name(self, module: Module, func: ast.expr) -> bool:
        root = func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        place = module.lookup(root.id, root)
        return place is None or all(b.kind in ("definition", "import") for b in place[1])

    def _add(
        self,
        module: Module,
        node: ast.Call,
        func: ast.expr,
        n_skipped: int,
        known: set[tuple[ast.AST, ast.AST]],
    ) -> None:
        if isinstance(func, ast.Attribute) and func.attr not in self.members:
            return
        for origin in self.trace(module, func):
            target = origin.node
            if origin.kind != "node" or origin.steps:
                continue
            if isinstance(target, ast.ClassDef):
                target = _method(target, "__init__") or target
            if isinstance(target, (*FUNCTIONS, ast.ClassDef)) and (node, target) not in known:
                known.add((node, target))
                self.callers[target].append(Site(module, node, n_skipped))


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((s for s in node.body if isinstance(s, ast.FunctionDef) and s.name == name), None)


class _Trace:
    """One walk; a state is visited once."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.seen: set[tuple[object, ...]] = set()

    def expression(
        self, module: Module, node: ast.AST, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        state = (node, steps, context)
        if state in self.seen:
            return
        self.seen.add(state)
        if len(steps) > MOST_STEPS or len(self.seen) > MOST_STATES:
            yield Origin("unknown", module, node, steps, "too far away")
            return
        match node:
            case ast.Name():
                yield from self.name(module, node, steps, context)
            case ast.Attribute():
                yield from self.attribute(module, node, steps, context)
            case ast.Call():
                yield from self.call(module, node, steps, context)
            case ast.Subscript():
                part = node.slice
                if isinstance(part, ast.Slice):
                    yield from self.expression(module, node.value, steps, context)
                else:
                    key = part.value if isinstance(part, ast.Constant) else None
                    step = Step("get", key)
                    yield from self.expression(module, node.value, (step, *steps), context)
            case ast.IfExp():
                yield from self.every(module, (node.body, node.orelse), steps, context)
            case ast.BoolOp():
                yield from self.every(module, node.values, steps, context)
            case ast.BinOp(op=ast.BitOr() | ast.Add()):
                yield from self.every(module, (node.left, node.right), steps, context)
            case ast.BinOp(op=ast.Mult()):
                yield from self.expression(module, node.left, steps, context)
            case ast.NamedExpr() | ast.Starred() | ast.Await():
                yield from self.expression(module, node.value, steps, context)
            case ast.Lambda() if steps and steps[0].kind == "call":
                yield from self.result(module, node, steps, context)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield from self.definition(module, node, steps, context)
            case ast.Constant():
                if not steps:
                    yield Origin("node", module, node, context=context)
            case _:
                yield from self.literal(module, node, steps, context)

    def every(
        self, module: Module, nodes: object, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        for node in nodes:  # type: ignore[attr-defined]
            yield from self.expression(module, node, steps, context)

    def literal(
        self, module: Module, node: ast.AST, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        """Displays, comprehensions and functions."""
        parts = containers.parts_of(node, steps)
        if parts is None:
            kind = "node" if not steps else "unknown"
            yield Origin(kind, module, node, steps, "an expression", context=context)
            return
        for part, rest in parts:
            yield from self.expression(module, part, rest, context)

    # Names and attributes

    def name(
        self, module: Module, node: ast.Name, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        place = module.lookup(node.id, node)
        if place is None:
            package = "karat" if module.is_document and node.id == "karat" else ""
            yield _external(module, node, package or f"builtins.{node.id}", steps)
            return
        scope, bindings = place
        for binding in reaching(module, node, scope, bindings):
            yield from self.binding(module, node, binding, steps, context)

    def binding(
        self, module: Module, use: ast.AST, binding: Binding, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        value = binding.value
        if binding.kind == "value" and value is not None:
            yield from self.expression(module, value, (*binding.steps, *steps), context)
        elif binding.kind == "update" and value is not None:
            # Objects have methods of that name too; only a mapping takes items.
            if not (steps and steps[0].kind in ("attr", "call", "enter")):
                yield from self.expression(module, value, steps, context)
        elif binding.kind == "keywords" and not steps:
            yield Origin("keywords", module, binding.node, context=context)
        elif binding.kind == "store" and value is not None:
            yield from self.store(module, binding, value, steps, context)
        elif binding.kind == "parameter":
            yield from self.parameter(module, use, binding, steps, context)
        elif binding.kind == "import":
            yield from self.imported(module, use, binding.text, steps, context)
        elif binding.kind == "definition":
            yield from self.definition(module, binding.node, steps, context)
        elif binding.kind == "unknown":
            yield Origin("unknown", module, use, steps, "bound by an except clause")

    def store(
        self, module: Module, binding: Binding, value: ast.expr, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        """`name[key] = value`: what is read of that key; without steps, the key itself."""
        stored = binding.steps[0].what if binding.steps else None
        if steps and steps[0].kind in ("get", "each") and _may_be(steps[0].what, stored):
            rest = (*binding.steps[1:], *steps[1:])
            yield from self.expression(module, value, rest, context)
        elif isinstance(binding.node, ast.Subscript) and steps == (KEY,):
            yield from self.expression(module, binding.node.slice, (), context)
        elif isinstance(binding.node, ast.Subscript) and not steps:
            yield Origin("stored", module, binding.node, context=context)

    def imported(
        self, module: Module, use: ast.AST, text: str, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        repository = self.flow.repository
        if other := repository.module(text):
            if steps and steps[0].kind == "attr":
                yield from self.of_module(other, use, str(steps[0].what), steps[1:], context)
            return
        home, _, name = text.rpartition(".")
        if home and (other := repository.module(home)):
            yield from self.of_module(other, use, name, steps, context)
            return
        yield _external(module, use, text, steps)

    def of_module(
        self, module: Module, use: ast.AST, name: str, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        bindings = module.names[module.tree].get(name)
        if bindings is None:
            below = self.flow.repository.module(f"{module.name}.{name}")
            if below and steps and steps[0].kind == "attr":
                yield from self.of_module(below, use, str(steps[0].what), steps[1:], context)
            return
        for binding in bindings:
            yield from self.binding(module, use, binding, steps, context)

    def attribute(
        self, module: Module, node: ast.Attribute, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        if node.attr == "param" and isinstance(node.value, ast.Name) and node.value.id == "request":
            for part in fixtures.params_of(module, node):
                yield from self.expression(module, part, (EACH, *steps), context)
            return
        step = Step("attr", node.attr)
        yield from self.expression(module, node.value, (step, *steps), context)

    # Functions, classes and their calls

    def definition(
        self, module: Module, node: ast.AST, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        if not steps:
            yield Origin("node", module, node, context=context)
        elif isinstance(node, FUNCTIONS) and steps[0].kind == "call":
            yield from self.result(module, node, steps, context)
        elif isinstance(node, ast.ClassDef) and steps[0].kind == "call" and len(steps) > 1:
            yield from self.member(module, node, steps[0].what, steps[1:], context)
        elif isinstance(node, ast.ClassDef) and steps[0].kind == "attr":
            yield from self.member(module, node, None, steps, context)
        elif isinstance(node, ast.ClassDef):
            yield Origin("node", module, node, steps, context=context)

    def instance(
        self, module: Module, node: ast.ClassDef, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        """A part of an instance of a class, or of a class below it."""
        waiting, seen = [(module, node)], {node}
        while waiting:
            home, cls = waiting.pop()
            yield from self.definition(home, cls, steps, context)
            below = [pair for pair in self.flow.subclasses.get(cls, ()) if pair[1] not in seen]
            seen.update(cls for _, cls in below)
            waiting += below

    def result(
        self, module: Module, function: Function, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        """What a call of a function gives."""
        site = steps[0].what
        rest = steps[1:]
        if isinstance(site, Site) and len(context) < MOST_CALLS:
            context = ((site, function), *context)
        if isinstance(function, ast.Lambda):
            yield from self.expression(module, function.body, rest, context)
            return
        results, yields, delegated = containers.results_of(function)
        for value in results:
            yield from self.expression(module, value, rest, context)
        if yields and rest and (rest[0].kind in ("each", "enter") or fixtures.is_fixture(function)):
            beyond = rest if fixtures.is_fixture(function) else rest[1:]
            for value in yields:
                yield from self.expression(module, value, beyond, context)
        for value in delegated:
            yield from self.expression(module, value, rest, context)

    def member(
        self, module: Module, node: ast.ClassDef, site: object, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        """An attribute of a class or of its instances."""
        if steps[0].kind == "enter":
            yield Origin("node", module, node, (Step("call", site),), context=context)
            return
        if steps[0].kind != "attr":
            return
        name, rest = str(steps[0].what), steps[1:]
        fields = [
            s.target.id
            for s in node.body
            if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
        ]
        if name in fields and not _method(node, "__init__"):
            sites = [site] if isinstance(site, Site) else self.flow.callers[node]
            for call in sites:
                arguments = list(_argument(call, name, fields.index(name)))
                for value, first in arguments:
                    yield from self.expression(call.module, value, (*first, *rest), context)
        for binding in module.names[node].get(name, []):
            is_property = containers.is_property(binding.node)
            after = (Step("call"), *rest) if is_property else rest
            yield from self.binding(module, node, binding, after, context)
        for value, method in containers.stored_on_self(node).get(name, ()):
            inner = context
            if isinstance(site, Site) and method.name == "__init__" and len(context) < MOST_CALLS:
                inner = ((site, method), *context)
            yield from self.expression(module, value, rest, inner)
        state = ("bases", node, steps, context)
        if not (fields or name in module.names[node]) and state not in self.seen:
            self.seen.add(state)
            for base in node.bases:
                step = (Step("call", site), *steps)
                for origin in self.flow.trace(module, base):
                    if isinstance(origin.node, ast.ClassDef) and origin.kind == "node":
                        yield from self.definition(origin.module, origin.node, step, context)

    def call(
        self, module: Module, node: ast.Call, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        text = external_text(module, node.func)
        if self.flow.repository.holds(text) and text not in containers.SAME:
            text = ""
        if text == "builtins.getattr" and len(node.args) >= 2:
            yield from self.by_name(module, node, steps, context)
            return
        if text == "builtins.dict" and not steps:
            yield Origin("node", module, node, context=context)
            return
        if text == "functools.partial" and node.args:
            if steps and steps[0].kind == "call":
                yield from self.expression(module, node.args[0], steps, context)
            elif not steps:
                yield Origin("node", module, node, context=context)
            return
        parts = containers.parts_of_call(node, text, steps)
        if parts is not None:
            for part, rest in parts:
                yield from self.expression(module, part, rest, context)
            return
        step = Step("call", Site(module, node))
        yield from self.expression(module, node.func, (step, *steps), context)

    def by_name(
        self, module: Module, node: ast.Call, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        """`getattr(value, name)`, for each text that the name may be."""
        for origin in self.flow.trace(module, node.args[1], (), context):
            if isinstance(origin.node, ast.Constant) and origin.kind == "node":
                step = Step("attr", origin.node.value)
            else:
                step = Step("attr", "?")
            yield from self.expression(module, node.args[0], (step, *steps), context)

    # Parameters

    def parameter(
        self, module: Module, use: ast.AST, binding: Binding, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        function, name = binding.node, binding.text
        assert isinstance(function, FUNCTIONS)
        for i, (site, entered) in enumerate(context):
            if entered is function:
                yield from self.passed(module, site, function, name, steps, context[i + 1 :])
                return
        parts = list(fixtures.values_of(self.flow.repository, module, function, name))
        for home, value, first in parts:
            yield from self.expression(home, value, (*first, *steps), ())
        sites = self.flow.callers.get(function, [])
        for site in sites:
            yield from self.passed(module, site, function, name, steps, ())
        default = default_of(function, name)
        if not sites and default is not None:
            yield from self.expression(module, default, steps, ())
        elif not sites and not parts:
            yield from self.of_annotation(module, use, function, name, steps)

    def of_annotation(
        self, module: Module, use: ast.AST, function: Function, name: str, steps: Steps
    ) -> Iterator[Origin]:
        """A parameter nobody is known to pass: an instance of the class that annotates it."""
        above = module.parents[function]
        first = parameters(function)[0].arg
        is_self = isinstance(above, ast.ClassDef) and name == first
        stars = (function.args.vararg, function.args.kwarg)
        is_star = any(star is not None and star.arg == name for star in stars)
        annotation = next(a.annotation for a in parameters(function) if a.arg == name)
        if is_self and steps:
            assert isinstance(above, ast.ClassDef)
            yield from self.instance(module, above, (Step("call"), *steps), ())
        elif isinstance(annotation, (ast.Name, ast.Attribute)) and steps and not is_star:
            seen = False
            for origin in self.flow.trace(module, annotation):
                call = (Step("call"), *steps)
                if isinstance(origin.node, ast.ClassDef) and origin.kind == "node":
                    seen = True
                    yield from self.definition(origin.module, origin.node, call, ())
                elif origin.kind == "external" and origin.text.startswith("karat."):
                    seen = True
                    yield _external(module, use, origin.text, call)
            if not seen:
                yield Origin("unknown", module, use, steps, f"the parameter {name}")
        else:
            yield Origin("unknown", module, use, steps, f"the parameter {name}")

    def passed(
        self,
        module: Module,
        site: Site,
        function: Function,
        name: str,
        steps: Steps,
        context: Context,
    ) -> Iterator[Origin]:
        """What a call passes for a parameter."""
        args = function.args
        positional = [a.arg for a in (*args.posonlyargs, *args.args)]
        if containers.is_method(module, function):
            if positional and positional[0] == name:
                yield from self.receiver(module, site, function, steps, context)
                return
            positional = positional[1:]
        if args.kwarg is not None and args.kwarg.arg == name:
            yield from self.keywords(site, function, steps, context)
            return
        if args.vararg is not None and args.vararg.arg == name:
            n = len(positional)
            if steps and steps[0].kind in ("each", "get"):
                for value in site.args[n:]:
                    is_star = isinstance(value, ast.Starred)
                    rest = steps if is_star else steps[1:]
                    yield from self.expression(site.module, value, rest, context)
            return
        place = positional.index(name) if name in positional else None
        seen = False
        for value, first in _argument(site, name, place):
            seen = True
            yield from self.expression(site.module, value, (*first, *steps), context)
        default = default_of(function, name)
        if default is not None and (not seen or any(k.arg is None for k in site.node.keywords)):
            yield from self.expression(module, default, steps, context)

    def receiver(
        self, module: Module, site: Site, function: Function, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        """`self` of a method."""
        above = module.parents[function]
        if steps and isinstance(above, ast.ClassDef):
            is_init = isinstance(function, ast.FunctionDef) and function.name == "__init__"
            call = Step("call", site if is_init else None)
            yield from self.instance(module, above, (call, *steps), context)

    def keywords(
        self, site: Site, function: Function, steps: Steps, context: Context
    ) -> Iterator[Origin]:
        """The value of a `**options` parameter."""
        names = frozenset(
            a.arg
            for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        )
        spreads = [k.value for k in site.node.keywords if k.arg is None]
        if not steps or steps[0].kind in ("key", "each"):
            yield Origin("keywords", site.module, site.node, steps, names=names, context=context)
        for keyword in site.node.keywords:
            is_extra = keyword.arg is not None and keyword.arg not in names
            is_item = is_extra and steps and steps[0].kind == "get"
            if is_item and _may_be(steps[0].what, keyword.arg):
                yield from self.expression(site.module, keyword.value, steps[1:], context)
        yield from self.every(site.module, spreads, steps, context)


def _external(module: Module, node: ast.AST, text: str, steps: Steps) -> Origin:
    while steps and steps[0].kind == "attr":
        text, steps = f"{text}.{steps[0].what}", steps[1:]
    return Origin("external", module, node, steps, text)


def _may_be(wanted: object, key: object) -> bool:
    return wanted is None or key is None or wanted == key


def _argument(site: Site, name: str, place: int | None) -> Iterator[tuple[ast.expr, Steps]]:
    """What a call gives for a named parameter, with the steps to it."""
    if place is not None:
        for i, value in enumerate(site.args[: place + 1]):
            if isinstance(value, ast.Starred):
                yield value.value, (Step("get", place - i),)
                return
            if i == place:
                yield value, ()
                return
    for keyword in site.node.keywords:
        if keyword.arg == name:
            yield keyword.value, ()
            return
    for keyword in site.node.keywords:
        if keyword.arg is None:
            yield keyword.value, (Step("get", name),)


__all__ = ["ANY", "Context", "Flow", "Origin", "Site", "external_text"]
