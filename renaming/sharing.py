"""Options that cannot change on their own, and options that nobody has followed."""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Iterable, Iterator

from renaming.calls import (
    Collector,
    Options,
    Reader,
    functions,
    is_partial,
    items_of,
    spread_in,
    verb_in,
    verbs_of,
)
from renaming.flow import Context, Flow, Origin
from renaming.scopes import FUNCTIONS, Module
from renaming.table import Table

# Methods of containers that keep what they get.
KEEPING = ("append", "add", "insert", "extend", "setdefault", "update", "grouped", "in_groups")
READING = ("get", "pop", "setdefault")


def collected(table: Table, flow: Flow) -> Options:
    """The options of a repository, with those that have to stay as they are."""
    collector = Collector(table, flow)
    collector.collect()
    sharing = Sharing(collector)
    sharing.readers()
    sharing.values()
    collector.collect_readings()
    sharing.joined()
    sharing.leftovers()
    return collector.options


class Sharing:
    """Finds what else reads the options of verbs, and how they are put together."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector
        self.table, self.flow = collector.table, collector.flow
        self.options = collector.options
        self.read_by: dict[ast.AST, set[str]] = defaultdict(set)

    def is_moved(self, name: str, key: ast.AST) -> bool:
        """Whether a rule takes a name away."""
        verbs = self.options.names.get(key, ())
        return any(name in self.table.moves(verb) for verb in verbs)

    # Other readers

    def readers(self) -> None:
        """Options that reach something else than verbs of the table stay as they are."""
        for reader in self.options.readers:
            if reader.node in self.options.holders:
                self.share(((n, key) for n, _, key in items_of(reader.node)), reader)
            for value in spread_in(reader.module, reader.node):
                self.share(self.keys(reader.module, value, reader.context, set()), reader)
        for module, node in self.collector.nodes():
            if isinstance(node, ast.Call):
                values = [*node.args, *(k.value for k in node.keywords if k.arg is not None)]
                values = [v for v in values if isinstance(v, (ast.Name, ast.Attribute))]
                reader = Reader(module, node, (), None)
                for value in values if values and self.is_foreign(module, node) else ():
                    self.share(self.keys(module, value, (), set()), reader)
        for key, readers in self.read_by.items():
            text = f"also read by {', '.join(sorted(readers))}"
            self.collector.place(self.options.homes[key], key, text)

    def is_foreign(self, module: Module, node: ast.Call) -> bool:
        """Whether a call gives its arguments to other code than that of the repository."""
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in KEEPING:
            return False
        if is_partial(module, node):
            return False
        return any(
            origin.kind == "unknown"
            or (origin.kind == "external" and not origin.text.startswith(("builtins.", "pytest.")))
            for origin in functions(self.flow, module, node.func)
        )

    def share(self, items: Iterable[tuple[str, ast.AST]], reader: Reader) -> None:
        for name, key in items:
            is_read = reader.names is None or name in reader.names
            if is_read and self.is_moved(name, key):
                self.options.shared.add(key)
                place = f"{reader.module.path.name}:{reader.node.lineno}"
                self.read_by[key].add(f"{ast.unparse(reader.node.func)} ({place})")

    def keys(
        self, module: Module, node: ast.expr, context: Context, seen: set[ast.AST]
    ) -> Iterator[tuple[str, ast.AST]]:
        """Names of options in the value of an expression, and the nodes that hold them."""
        if node in seen:
            return
        seen.add(node)
        for origin in self.flow.trace(module, node, (), context):
            holder = origin.node
            if origin.kind == "stored":
                key = holder.slice  # type: ignore[attr-defined]
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, key
            elif isinstance(holder, ast.DictComp) and not origin.steps:
                for key in self.flow.trace(origin.module, holder.key, (), origin.context):
                    if isinstance(key.node, ast.Constant):
                        yield str(key.node.value), key.node
            elif holder in self.options.holders and not origin.steps:
                yield from ((name, key) for name, _, key in items_of(holder))
                for value in spread_in(origin.module, holder):
                    yield from self.keys(origin.module, value, origin.context, seen)

    def values(self) -> None:
        """A text that is the name of an option and something else stays as it is."""
        for module, node in self.collector.nodes():
            if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
                continue
            bound = module.lookup(node.id, node)
            if bound is None or self.is_name(module, node):
                continue
            is_key = isinstance(parent := module.parents[node], ast.Subscript) and (
                parent.slice is node
            )
            if not is_key and (module, bound[0], node.id) not in self.options.keyed:
                continue
            if is_key and self.collector.held(module, parent.value):  # type: ignore[attr-defined]
                continue
            old = [
                origin.node
                for origin in self.flow.trace(module, node)
                if self.collector.is_old(origin.node) and origin.node in self.options.names
            ]
            if old:
                self.options.shared.update(old)
                where = parent if isinstance(parent, ast.expr) else node
                self.collector.place(module, where, "an option and other data have this text")

    def is_name(self, module: Module, node: ast.Name) -> bool:
        """Whether a variable stands where only the name of an option is meant."""
        parent = module.parents[node]
        if isinstance(parent, ast.Dict):
            return node in parent.keys
        if isinstance(parent, ast.DictComp):
            return node is parent.key
        if isinstance(parent, ast.Call):
            func = parent.func
            is_read = isinstance(func, ast.Attribute) and func.attr in READING
            if is_read and parent.args[:1] == [node]:
                return True
            targets = functions(self.flow, module, func)
            return any(isinstance(o.node, (*FUNCTIONS, ast.ClassDef)) for o in targets)
        return isinstance(parent, ast.Compare)

    # Options that are put together

    def joined(self) -> None:
        """Where several dicts become one, several of them may make the same new keyword."""
        for module, node in self.collector.nodes():
            parts = self.parts(module, node)
            if len(parts) < 2:
                continue
            sides = [self.holders_in(module, part, node, set()) for part in parts]
            if sum(map(bool, sides)) < 2:
                continue
            holders = {holder: names for side in sides for holder, names in side.items()}
            verbs = set().union(*(self.options.holders[holder] for holder in holders))
            for verb in verbs:
                for new, sources in self.table.sources(verb).items():
                    self.join(new, sources, sides)

    def join(self, new: str, sources: set[str], sides: list[dict[ast.AST, frozenset[str]]]) -> None:
        """Names that replace each other as a whole do so under a new name too; others do not."""
        makers = [
            {holder: some for holder, names in side.items() if (some := _within(names, sources))}
            for side in sides
        ]
        alternatives = {some for side in makers for some in side.values()}
        if sum(map(bool, makers)) > 1 and len(alternatives) > 1:
            for holder in set().union(*makers):
                self.options.joined[holder].add(new)

    def parts(self, module: Module, node: ast.AST) -> list[ast.AST]:
        """The expressions whose items come together in a node."""
        if isinstance(node, (ast.Call, ast.Dict)):
            parts: list[ast.AST] = [*spread_in(module, node)]
            func = node.func if isinstance(node, ast.Call) else None
            if isinstance(func, ast.Attribute) and func.attr == "update":
                parts += [func.value, *node.args]  # type: ignore[union-attr]
            if func is not None and node in self.options.holders:
                prepared = [
                    o for o in self.flow.trace(module, func) if is_partial(o.module, o.node)
                ]
                parts += [func] if prepared else []
            return [*parts, node] if parts else []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return [node.left, node.right]
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.BitOr):
            return [node.target, node.value]
        return []

    def holders_in(
        self, module: Module, node: ast.AST, itself: ast.AST, seen: set[ast.AST]
    ) -> dict[ast.AST, frozenset[str]]:
        """The calls and dicts with options in the value of an expression, and their names."""
        if node in seen:
            return {}
        seen.add(node)
        if node is itself:
            return self.named(node)
        holders: dict[ast.AST, frozenset[str]] = {}
        for origin in self.flow.trace(module, node):
            if origin.node in self.options.holders and not origin.steps:
                holders |= self.named(origin.node)
                for value in spread_in(origin.module, origin.node):
                    holders |= self.holders_in(origin.module, value, itself, seen)
        return holders

    def named(self, holder: ast.AST) -> dict[ast.AST, frozenset[str]]:
        """A holder and the options in it; a literal None is another than a value."""
        names = frozenset(
            f"{name}=None" if isinstance(value, ast.Constant) and value.value is None else name
            for name, value, key in items_of(holder)
            if key in self.options.names
        )
        return {holder: names} if names and holder in self.options.holders else {}

    # What nobody has followed

    def leftovers(self) -> None:
        """Keywords of the table in calls that bear the name of a verb, without being one."""
        for module, node in self.collector.nodes():
            if isinstance(node, ast.Compare):
                self.compared(module, node)
            if not isinstance(node, ast.Call) or node in self.options.holders:
                continue
            old = [k.arg for k in node.keywords if k.arg in self.table.keywords]
            if not old:
                continue
            func = verb_in(module, node)
            verbs = {verbs_of(self.table, o) or "" for o in functions(self.flow, module, func)}
            verbs.add(func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", ""))
            keywords = set().union(*map(self.table.keywords_of, verbs))
            if keywords.intersection(old) and not self.is_known(module, func):
                text = ", ".join(f"{keyword}=" for keyword in old)
                self.collector.place(module, node, f"not decided: {text}")

    def compared(self, module: Module, node: ast.Compare) -> None:
        """A dict that options are compared with."""
        sides = [node.left, *node.comparators]
        for side in sides:
            if isinstance(side, ast.Dict) and side not in self.options.holders:
                others = [other for other in sides if other is not side]
                is_old = any(name in self.table.keywords for name, _, _ in items_of(side))
                if is_old and any(self.collector.held(module, other) for other in others):
                    self.collector.place(module, side, "options are compared with this")

    def is_known(self, module: Module, func: ast.expr) -> bool:
        """Whether a function is known to be none of the table."""
        origins = functions(self.flow, module, func)
        if not origins and isinstance(func, ast.Attribute):
            receivers = self.flow.trace(module, func.value)
            return bool(receivers) and all(
                o.kind in ("node", "keywords", "stored") for o in receivers
            )
        return bool(origins) and all(map(self.is_other, origins))

    def is_other(self, origin: Origin) -> bool:
        """Whether an origin is a function of the repository, of another package or a method."""
        if origin.kind == "node":
            return not isinstance(origin.node, ast.Constant)
        head, _, name = origin.text.partition(".")
        if origin.kind != "external" or head != self.table.package:
            # `from karat import *` leaves names that nothing binds.
            is_bound = head != "builtins" or hasattr(builtins, name.partition(".")[0])
            return origin.kind == "external" and is_bound
        owner = (verbs_of(self.table, origin) or "?").rpartition(".")[0]
        return owner[:1].isupper() and "?" not in owner


def _within(names: frozenset[str], sources: set[str]) -> frozenset[str]:
    return frozenset(name for name in names if name.removesuffix("=None") in sources)
