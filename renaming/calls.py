"""Which keywords and keys of a repository are options of the verbs of a table."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from renaming.flow import Context, Flow, Origin
from renaming.scopes import EACH, FUNCTIONS, KEY, Module, Step, Steps, external_text
from renaming.table import Table

FIRST: Steps = (EACH, Step("get", 0))
CONTAINERS = (ast.List, ast.Tuple, ast.Set)
NO_MAPPINGS = (*CONTAINERS, ast.Compare, ast.Constant, ast.JoinedStr)
MOST_PARTIALS = 8
# What takes any keywords and gives them back.
TRANSPARENT = ("builtins.dict", "pytest.param", "dataclasses.replace")
# Functions that call another with the keywords they get.
PASSING_ON = ("submit", "apply", "apply_async", "to_thread", "run_in_executor", "map")


@dataclass(frozen=True)
class Place:
    """What a person has to look at."""

    module: Module
    node: ast.AST
    text: str
    verb: str = ""


@dataclass(frozen=True)
class Reader:
    """A call of what is no verb of the table; `names`: the keywords it reads, None for all."""

    module: Module
    node: ast.Call
    context: Context
    names: frozenset[str] | None


@dataclass
class Options:
    """Keywords and keys by the verbs that read them, and the calls and dicts that hold them.

    `joined`: new keywords that several places would make together. `shared`: names that something
    else reads too. `keyed`: variables (module, scope, name) whose text is the name of an option.
    """

    names: dict[ast.AST, set[str]] = field(default_factory=lambda: defaultdict(set))
    holders: dict[ast.AST, set[str]] = field(default_factory=lambda: defaultdict(set))
    homes: dict[ast.AST, Module] = field(default_factory=dict)
    joined: dict[ast.AST, set[str]] = field(default_factory=lambda: defaultdict(set))
    shared: set[ast.AST] = field(default_factory=set)
    readers: list[Reader] = field(default_factory=list)
    keyed: set[tuple[Module, ast.AST, str]] = field(default_factory=set)
    places: list[Place] = field(default_factory=list)
    n_calls: int = 0
    n_spreads: int = 0


def verbs_of(table: Table, origin: Origin) -> str | None:
    """The name of a verb, a class or a method of the package that an origin is."""
    head = f"{table.package}."
    if origin.kind != "external" or not origin.text.startswith(head):
        return None
    name = origin.text.removeprefix(head)
    for step in origin.steps:
        if step.kind == "call":
            name = table.results.get(name) or (
                name if name.rpartition(".")[2][:1].isupper() else ""
            )
        elif step.kind == "attr" and name:
            name = f"{name}.{step.what}"
        elif step.kind != "enter":
            return None
        if not name:
            return None
    return name


class Collector:
    """Finds every option of every verb."""

    def __init__(self, table: Table, flow: Flow) -> None:
        self.table = table
        self.flow = flow
        self.options = Options()
        self.walked: set[tuple[ast.AST, str, Context]] = set()

    def collect(self) -> None:
        """Collect the calls of verbs, and the options that are spread into them."""
        for module, node in self.nodes():
            if isinstance(node, ast.Call):
                self.call(module, node)

    def collect_readings(self) -> None:
        """Collect what is read of these options elsewhere."""
        for _ in range(3):
            before = len(self.options.names)
            for module, node in self.nodes():
                self.reading(module, node)
            if len(self.options.names) == before:
                break

    def nodes(self) -> Iterator[tuple[Module, ast.AST]]:
        for module in self.flow.repository.modules:
            for node in module.nodes:
                yield module, node

    # Calls

    def call(self, module: Module, node: ast.Call) -> None:
        if not node.keywords and not self.table.positionals:
            return
        func = verb_in(module, node)
        has_spread = any(k.arg is None for k in node.keywords)
        for context in self.contexts(module, func) if has_spread else [()]:
            origins = functions(self.flow, module, func, context)
            verbs = {v for o in origins if (v := verbs_of(self.table, o)) is not None}
            if any("?" in verb and self.table.has_beside(verb) for verb in verbs):
                self.dynamic(module, node)
            covered = {verb for verb in verbs if self.table.has_verb(verb)}
            for verb in covered:
                self.sink(module, node, verb, context)
            if covered or has_spread:
                for names in self.read_by(origins, func):
                    self.options.readers.append(Reader(module, node, context, names))
        if func is node.func:
            self.passed_on(module, node)

    def read_by(self, origins: list[Origin], func: ast.expr) -> Iterator[frozenset[str] | None]:
        """The keywords that functions read, without the verbs of the table."""
        for origin in origins:
            verb, target = verbs_of(self.table, origin), origin.node
            if verb is not None:
                if not self.table.has_verb(verb) and "?" not in verb:
                    yield None
            elif origin.kind == "node" and not origin.steps:
                if isinstance(target, (*FUNCTIONS, ast.ClassDef)):
                    yield parameters_of(target)
            elif origin.text not in TRANSPARENT:
                yield None
        if not origins and isinstance(func, ast.Attribute) and func.attr == "format":
            yield None

    def contexts(self, module: Module, func: ast.expr) -> list[Context]:
        """One for each call of the helper whose parameter is called here, to keep them apart."""
        if isinstance(func, ast.Name) and (place := module.lookup(func.id, func)):
            scope, bindings = place
            if isinstance(scope, FUNCTIONS) and any(b.kind == "parameter" for b in bindings):
                sites = self.flow.callers.get(scope, [])
                return [((site, scope),) for site in sites] or [()]
        return [()]

    def dynamic(self, module: Module, node: ast.Call) -> None:
        """A verb that is named by a value that is not known, with keywords of the table."""
        for keyword in node.keywords:
            if keyword.arg is not None:
                is_moved = keyword.arg in self.table.keywords
            else:
                origins = self.flow.trace(module, keyword.value)
                is_moved = any(o.kind in ("unknown", "external") for o in origins) or any(
                    name in self.table.keywords for o in origins for name, *_ in items_of(o.node)
                )
            if is_moved:
                self.place(module, node, "the verb is not known")
                return

    def passed_on(self, module: Module, node: ast.Call) -> None:
        """A verb that an unknown function gets together with keywords of the table."""
        keywords = {k.arg for k in node.keywords if k.arg in self.table.keywords}
        if not keywords or not node.args:
            return
        if any(origin.kind == "node" for origin in self.flow.trace(module, node.func)):
            return
        for origin in self.flow.trace(module, node.args[0]):
            verb = verbs_of(self.table, origin)
            if verb is not None and self.table.has_verb(verb) and not origin.steps:
                self.place(module, node, f"{verb} is passed on with keywords")

    def sink(self, module: Module, node: ast.Call, verb: str, context: Context) -> None:
        self.options.n_calls += 1
        self.hold(module, node, verb)
        for keyword in node.keywords:
            if keyword.arg is not None:
                self.name(module, keyword, verb)
            else:
                self.options.n_spreads += 1
                self.mapping(module, keyword.value, verb, context)

    # Values

    def mapping(self, module: Module, node: ast.AST, verb: str, context: Context) -> None:
        """The value of an expression is spread into a call of a verb."""
        if (node, verb, context) in self.walked:
            return
        self.walked.add((node, verb, context))
        origins = self.flow.trace(module, node, (), context)
        # What cannot be spread comes from other calls of the same helper.
        mappings = [o for o in origins if not isinstance(o.node, NO_MAPPINGS)]
        for origin in mappings or origins:
            home, where = origin.module, origin.node
            if origin.kind == "keywords":
                self.hold(home, where, verb)
                for keyword in where.keywords:  # type: ignore[attr-defined]
                    if keyword.arg is not None and keyword.arg not in origin.names:
                        self.name(home, keyword, verb)
            elif origin.kind == "stored":
                self.key(home, where.slice, verb, origin.context)  # type: ignore[attr-defined]
            elif origin.kind != "node":
                self.place(home, where, f"spread into VERBS: {origin.text}", verb)
            elif isinstance(where, ast.Dict):
                self.hold(home, where, verb)
                for key, value in zip(where.keys, where.values, strict=True):
                    if key is None:
                        self.mapping(home, value, verb, origin.context)
                    else:
                        self.key(home, key, verb, origin.context)
            elif isinstance(where, ast.DictComp):
                self.key(home, where.key, verb, origin.context)
            elif isinstance(where, ast.Call):
                self.of_dict(home, where, verb, origin.context)
            elif not (isinstance(where, ast.Constant) and where.value is None):
                self.place(home, where, f"spread into VERBS: {type(where).__name__}", verb)
        if not origins:
            self.place(module, node, "spread into VERBS: no origin", verb)

    def of_dict(self, module: Module, node: ast.Call, verb: str, context: Context) -> None:
        """`dict(rows, true="label", **more)`."""
        self.hold(module, node, verb)
        for keyword in node.keywords:
            if keyword.arg is not None:
                self.name(module, keyword, verb)
            else:
                self.mapping(module, keyword.value, verb, context)
        for value in node.args:
            if self.flow.trace(module, value, FIRST, context):
                self.key(module, value, verb, context, FIRST)
            else:
                self.mapping(module, value, verb, context)

    def key(
        self, module: Module, node: ast.AST, verb: str, context: Context, steps: Steps = ()
    ) -> None:
        """The value of an expression is the name of an option."""
        if isinstance(node, ast.Constant):
            self.name(module, node, verb)
            return
        if (node, f"key {verb}", context) in self.walked:
            return
        self.walked.add((node, f"key {verb}", context))
        if isinstance(node, ast.Name) and (bound := module.lookup(node.id, node)):
            self.options.keyed.add((module, bound[0], node.id))
        origins = self.flow.trace(module, node, steps, context)
        if not origins:
            self.place(module, node, "a key spread into VERBS: no origin", verb)
        for origin in origins:
            if origin.kind == "keywords":
                self.hold(origin.module, origin.node, verb)
                for keyword in origin.node.keywords:  # type: ignore[attr-defined]
                    if keyword.arg is not None and keyword.arg not in origin.names:
                        self.name(origin.module, keyword, verb)
            elif origin.kind == "node" and isinstance(origin.node, ast.Constant):
                self.name(origin.module, origin.node, verb)
            else:
                self.place(
                    origin.module, origin.node, f"a key spread into VERBS: {origin.text}", verb
                )

    def name(self, module: Module, node: ast.AST, verb: str) -> None:
        self.options.homes[node] = module
        self.options.names[node].add(verb)

    def hold(self, module: Module, node: ast.AST, verb: str) -> None:
        self.options.homes[node] = module
        self.options.holders[node].add(verb)

    def place(self, module: Module, node: ast.AST, text: str, verb: str = "") -> None:
        self.options.places.append(Place(module, node, text, verb))

    # What is read of options elsewhere: `options["true"]`, `"true" in options`

    def reading(self, module: Module, node: ast.AST) -> None:
        if isinstance(node, ast.Subscript):
            self.read(module, node.value, (node.slice,))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("get", "pop", "setdefault") and node.args:
                self.read(module, node.func.value, node.args[:1])
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for side in sides:
                parts = side.elts if isinstance(side, CONTAINERS) else [side]
                if any(self.is_old(part) for part in parts):
                    for other in sides:
                        if other is not side:
                            self.compared(module, other, parts)

    def is_old(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Constant) and node.value in self.table.keywords

    def read(self, module: Module, base: ast.expr, keys: Iterable[ast.AST]) -> None:
        keys = [key for key in keys if self.is_old(key) and key not in self.options.names]
        if keys:
            shared = {
                name
                for origin in self.flow.trace(module, base)
                for name, _, key in items_of(origin.node)
                if key in self.options.shared
            }
            keys = [key for key in keys if key.value not in shared]  # type: ignore[attr-defined]
            self.mark(module, keys, self.held(module, base))

    def compared(self, module: Module, other: ast.expr, parts: Iterable[ast.AST]) -> None:
        old = [part for part in parts if self.is_old(part) and part not in self.options.names]
        if not old:
            return
        verbs = self.held(module, other)
        for steps in ((), (EACH,), (KEY,)):
            for origin in self.flow.trace(module, other, steps):
                if origin.kind == "keywords":
                    verbs |= self.options.holders.get(origin.node, set())
                elif self.is_old(origin.node) and origin.node not in self.options.shared:
                    verbs |= self.options.names.get(origin.node, set())
        self.mark(module, old, verbs)

    def held(self, module: Module, base: ast.expr) -> set[str]:
        """The verbs into which the value of an expression is spread."""
        verbs: set[str] = set()
        for origin in self.flow.trace(module, base):
            if isinstance(origin.node, (ast.Dict, ast.Call)) and not origin.steps:
                verbs |= self.options.holders.get(origin.node, set())
            elif isinstance(origin.node, ast.DictComp):
                for key in self.flow.trace(module, base, (KEY,)):
                    verbs |= self.options.names.get(key.node, set())
        return verbs

    def mark(self, module: Module, nodes: Iterable[ast.AST], verbs: set[str]) -> None:
        for node in nodes:
            for verb in verbs:
                self.name(module, node, verb)


def items_of(node: ast.AST) -> Iterator[tuple[str, ast.expr, ast.AST]]:
    """Name, value and the node of the name of each item of a call or of a dict."""
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg is not None:
                yield keyword.arg, keyword.value, keyword
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, value, key


def spread_in(module: Module, node: ast.AST) -> list[ast.expr]:
    """What a dict, a call of `dict` or of `partial`, or an operator takes other items from."""
    if isinstance(node, ast.Dict):
        return [value for key, value in zip(node.keys, node.values, strict=True) if key is None]
    if isinstance(node, ast.Call):
        parts = [k.value for k in node.keywords if k.arg is None]
        if external_text(module, node.func) == "builtins.dict":
            return [*node.args, *parts]
        return [*node.args[:1], *parts] if is_partial(module, node) else parts
    return []


def is_partial(module: Module, node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and bool(node.args)
        and external_text(module, node.func) == "functools.partial"
    )


def verb_in(module: Module, node: ast.Call) -> ast.expr:
    """The function that gets the keywords of a call: the one it names, or its first argument."""
    is_passed = isinstance(node.func, ast.Attribute) and node.func.attr in PASSING_ON
    return node.args[0] if is_partial(module, node) or (node.args and is_passed) else node.func


def functions(
    flow: Flow, module: Module, func: ast.expr, context: Context = (), depth: int = 0
) -> list[Origin]:
    """The origins of a function; for what `partial` prepares, those of the function inside."""
    origins: list[Origin] = []
    for origin in flow.trace(module, func, (), context):
        inside = origin.node
        if origin.kind == "node" and depth < MOST_PARTIALS and is_partial(origin.module, inside):
            assert isinstance(inside, ast.Call)
            home, first = origin.module, inside.args[0]
            origins += functions(flow, home, first, origin.context, depth + 1)
        else:
            origins.append(origin)
    return origins


def parameters_of(node: ast.AST) -> frozenset[str]:
    """The keywords that a function or a class of the repository reads by their names."""
    if isinstance(node, ast.ClassDef):
        inits = [s for s in node.body if getattr(s, "name", "") == "__init__"]
        fields = (s.target for s in node.body if isinstance(s, ast.AnnAssign))
        return (
            parameters_of(inits[0])
            if inits
            else frozenset(t.id for t in fields if isinstance(t, ast.Name))
        )
    args = node.args  # type: ignore[attr-defined]
    return frozenset(a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs))
