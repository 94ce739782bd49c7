"""What becomes of each call and each dict of options: a plan, made from the rules of a table."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from renaming.calls import Options, Place, items_of
from renaming.flow import Flow
from renaming.scopes import Module, external_text
from renaming.table import Rewrite, Table, covers


@dataclass(frozen=True)
class NewItem:
    """An item that takes the place of one or several: `$n` in the template is the value of `n`."""

    name: str
    template: str


@dataclass(frozen=True)
class Change:
    """Items of one call or dict that become others under one rule; `key` is what is renamed."""

    sources: tuple[str, ...]
    targets: tuple[NewItem, ...]
    rule: str
    key: ast.AST | None = None


@dataclass
class Plan:
    """Changes of the items of one call or dict, by the old names of the items."""

    renamed: dict[str, str] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    new: dict[str, list[NewItem]] = field(default_factory=dict)
    positional: set[str] = field(default_factory=set)
    rules: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.rules)


class Planner:
    """Plans for every holder of options, and new texts for names of options that stand alone."""

    def __init__(self, table: Table, options: Options, flow: Flow) -> None:
        self.table = table
        self.options = options
        self.flow = flow
        self.places: list[Place] = []

    def plans(self) -> dict[ast.AST, Plan]:
        plans: dict[ast.AST, Plan] = {}
        for node in self.options.holders:
            plan = self.plan(node)
            if plan and self.can_be_made(node, plan):
                plans[node] = plan
        return plans

    def can_be_made(self, node: ast.AST, plan: Plan) -> bool:
        """Whether the names that new values use are there."""
        module, package = self.options.homes[node], self.table.package
        templates = [item.template for several in plan.new.values() for item in several]
        bindings = [b for several in module.names[module.tree].values() for b in several]
        if (
            module.is_document
            or not any(f"{package}." in template for template in templates)
            or any(b.kind == "import" and b.text == package for b in bindings)
        ):
            return True
        self.place(node, f"{package} is not imported here")
        return False

    def loose(self) -> dict[ast.AST, str]:
        """New texts of names of options outside of calls and dicts."""
        texts: dict[ast.AST, str] = {}
        in_holders = {key for node in self.options.holders for _, _, key in items_of(node)}
        for node, verbs in self.options.names.items():
            if node in in_holders | self.options.shared or not isinstance(node, ast.Constant):
                continue
            old = node.value
            if not isinstance(old, str) or old not in self.table.keywords:
                continue
            new = self.renaming(node, old, verbs)
            if new is not None:
                texts[node] = new
            elif self.is_moved(old, verbs):
                self.place(node, f"{old!r} is a name of an option that a rule moves")
        return texts

    def place(self, node: ast.AST, text: str) -> None:
        self.places.append(Place(self.options.homes[node], node, text))

    def is_moved(self, old: str, verbs: set[str]) -> bool:
        rules = [(g.verbs, g.members) for g in self.table.groups]
        rules += [(r.verbs, r.match) for r in self.table.rewrites]
        return any(old in keys and covers(v, verb) for v, keys in rules for verb in verbs)

    def renaming(self, node: ast.AST, old: str, verbs: set[str]) -> str | None:
        """The one new name that the verbs agree on."""
        names = {verb: self.table.new_name(verb, old) for verb in sorted(verbs)}
        new = {name for name in names.values() if name is not None}
        if len(new) > 1:
            text = ", ".join(f"{verb}: {name}" for verb, name in names.items() if name)
            self.place(node, f"{old!r} has several new names ({text})")
            return None
        others = [verb for verb, name in names.items() if name is None]
        if new and others:
            self.place(node, f"{old!r} also reaches {', '.join(others)}, without a rule")
            return None
        return next(iter(new), None)

    def plan(self, node: ast.AST) -> Plan:
        """What becomes of the items of a call or a dict."""
        verbs = self.options.holders[node]
        items = {n: value for n, value, key in items_of(node) if key in self.options.names}
        # Options that something else reads too keep the rules off that they belong to.
        kept = {n for n, _, key in items_of(node) if key in self.options.shared}
        plan, changes = Plan(), self.rewritten(node, items, verbs, kept)
        taken = {name for change in changes for name in change.sources}
        for group in self.table.groups:
            present = tuple(n for n in items if n in group.members and n not in taken)
            is_covered = any(covers(group.verbs, verb) for verb in verbs)
            if present and is_covered and not kept & {*group.members}:
                inner = ", ".join(f"{group.members[name]}=${{{name}}}" for name in present)
                item = NewItem(group.keyword, f"{group.constructor}({inner})")
                rule = f"{', '.join(present)} → {group.keyword}"
                changes.append(Change(present, (item,), rule))
        self.positional(node, items, verbs, kept, plan)
        taken = {name for change in changes for name in change.sources}
        for old, _, key in items_of(node):
            if old in items and old not in taken | kept | plan.positional:
                new = self.renaming(key, old, verbs)
                if new is not None:
                    item = NewItem(new, f"${{{old}}}")
                    changes.append(Change((old,), (item,), f"{old} → {new}", key))
        for change in self.possible(node, changes, plan.positional):
            if change.key is not None:
                plan.renamed[change.sources[0]] = change.targets[0].name
            else:
                self.look_for_comments(node, items, change)
                plan.new[change.sources[0]] = [*change.targets]
                plan.removed.update(change.sources)
            plan.rules.append(change.rule)
        return plan

    def possible(self, node: ast.AST, changes: list[Change], positional: set[str]) -> list[Change]:
        """The changes after which no item is there twice, here or where dicts become one."""
        for change in list(changes):
            for item in change.targets:
                if item.name in self.options.joined[node] and change in changes:
                    self.place(node, f"{item.name}= would be put together of several places")
                    changes.remove(change)
        while True:
            taken = {name for change in changes for name in change.sources} | positional
            names = Counter(item.name for change in changes for item in change.targets)
            names.update({name for name, _, _ in items_of(node)} - taken)
            double = {name for name, n in names.items() if n > 1}
            refused = [c for c in changes if any(item.name in double for item in c.targets)]
            if not refused:
                return changes
            for name in double & {item.name for c in refused for item in c.targets}:
                self.place(node, f"a second {name}= would be made")
            changes = [change for change in changes if change not in refused]

    def positional(
        self,
        node: ast.AST,
        items: Mapping[str, ast.expr],
        verbs: set[str],
        kept: set[str],
        plan: Plan,
    ) -> None:
        for rule in self.table.positionals:
            is_covered = any(covers(rule.verbs, verb) for verb in verbs)
            if rule.keyword not in items or rule.keyword in kept or not is_covered:
                continue
            args = node.args if isinstance(node, ast.Call) else None
            has_star = any(isinstance(arg, ast.Starred) for arg in args or ())
            if args is not None and len(args) == rule.place and not has_star:
                plan.positional.add(rule.keyword)
                plan.rules.append(f"{rule.keyword}= → argument {rule.place}")
            else:
                self.place(node, f"{rule.keyword}= becomes positional, but not here")

    def look_for_comments(
        self, node: ast.AST, items: Mapping[str, ast.expr], change: Change
    ) -> None:
        """A comment behind an item that moves is lost, or comes to stand behind another."""
        lines = self.options.homes[node].source.split("\n")
        for name in change.sources:
            value = items[name]
            line = lines[(value.end_lineno or 1) - 1].encode()[value.end_col_offset or 0 :]
            if re.match(rb"[\s,)\]]*#", line):
                self.place(node, f"look at the comment behind {name}=")

    # Values

    def rewritten(
        self, node: ast.AST, items: Mapping[str, ast.expr], verbs: set[str], kept: set[str]
    ) -> list[Change]:
        changes: list[Change] = []
        for rule in self.table.rewrites:
            taken = {name for change in changes for name in change.sources}
            present = [name for name in rule.match if name in items and name not in taken]
            is_covered = any(covers(rule.verbs, verb) for verb in verbs)
            if present and is_covered and not kept & {*rule.match}:
                change = self.rewrite(node, items, rule, present)
                changes += [change] if change else []
        return changes

    def rewrite(
        self, node: ast.AST, items: Mapping[str, ast.expr], rule: Rewrite, present: list[str]
    ) -> Change | None:
        module = self.options.homes[node]
        literals = {name: text for name, text in rule.match.items() if not text.startswith("$")}
        if literals and not any(name in literals for name in present):
            return None
        for name in present:
            if name in literals and not _is_literal(items[name]):
                if not self.is_done(module, items[name]):
                    self.place(node, f"{name}= is decided at run time")
                return None
        if any(
            ast.literal_eval(items[name]) != ast.literal_eval(literals[name])
            for name in present
            if name in literals
        ):
            return None
        if len(present) < len(rule.match):
            missing = ", ".join(f"{name}=" for name in rule.match if name not in present)
            self.place(node, f"{missing} for the rule of {', '.join(rule.give)}= is elsewhere")
            return None
        names = {text[1:]: name for name, text in rule.match.items() if text.startswith("$")}
        for name in rule.wrapped if rule.none == "drop" else ():
            value = items[name]
            is_none = isinstance(value, ast.Constant) and value.value is None
            if is_none and len(rule.match) == 1:
                if joined := self.options.joined[node] & {*rule.give}:
                    self.place(node, f"{joined.pop()}= would be put together of several places")
                    return None
                return Change((name,), (), f"{name}=None is dropped")
            if text := self.blank(module, value):
                is_sure = isinstance(value, ast.Constant)
                self.place(node, f"{name}= {'is' if is_sure else 'may be'} {text}")
                return None
        targets = tuple(
            NewItem(new, re.sub(r"\$(\w+)", lambda m: f"${{{names[m[1]]}}}", template))
            for new, template in rule.give.items()
        )
        rule_text = f"{', '.join(rule.match)} → {', '.join(rule.give)}"
        return Change(tuple(present), targets, rule_text)

    def blank(self, module: Module, value: ast.expr) -> str:
        """The values None, True and False that an expression may have: no object wraps them."""
        texts = {
            str(origin.node.value)
            for origin in self.flow.trace(module, value)
            if isinstance(origin.node, ast.Constant) and origin.kind == "node"
            if origin.node.value is None or isinstance(origin.node.value, bool)
        }
        return " or ".join(sorted(texts))

    def is_done(self, module: Module, value: ast.expr) -> bool:
        """Whether a value is what a rule has made already."""
        return isinstance(value, ast.Call) and external_text(module, value.func).startswith(
            f"{self.table.package}."
        )


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
