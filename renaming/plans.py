"""What becomes of each call and each dict of options: a plan, made from the rules of a table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from renaming.calls import Options, Place, items_of
from renaming.flow import external_text
from renaming.scopes import Module
from renaming.table import Group, Rewrite, Table, covers


@dataclass(frozen=True)
class NewItem:
    """An item that takes the place of one or several: `$n` in the template is the value of `n`."""

    name: str
    template: str


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

    def __init__(self, table: Table, options: Options) -> None:
        self.table = table
        self.options = options
        self.places: list[Place] = []

    def plans(self) -> dict[ast.AST, Plan]:
        plans: dict[ast.AST, Plan] = {}
        for node, verbs in self.options.holders.items():
            items = {
                name: value for name, value, key in items_of(node) if key in self.options.names
            }
            plan = self.plan(self.options.homes[node], node, items, verbs)
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
            self.place(node, f"{old!r} is renamed, also for {', '.join(others)}: no rule there")
        return next(iter(new), None)

    def plan(
        self, module: Module, node: ast.AST, items: dict[str, ast.expr], verbs: set[str]
    ) -> Plan:
        plan = Plan()
        for rewrite in self.table.rewrites:
            if any(covers(rewrite.verbs, verb) for verb in verbs):
                self.rewrite(module, node, items, rewrite, plan)
        for group in self.table.groups:
            if any(covers(group.verbs, verb) for verb in verbs):
                self.group(node, items, group, plan)
        for rule in self.table.positionals:
            is_bound = rule.keyword in items and any(covers(rule.verbs, verb) for verb in verbs)
            if is_bound and isinstance(node, ast.Call) and len(node.args) == rule.place:
                plan.positional.add(rule.keyword)
                plan.rules.append(f"{rule.keyword}= → argument {rule.place}")
            elif is_bound:
                self.place(node, f"{rule.keyword}= becomes positional, but not here")
        for old in items:
            if old not in plan.removed and old not in plan.positional:
                key = next(key for name, _, key in items_of(node) if name == old)
                new = self.renaming(key, old, verbs)
                if new is not None and new in items and not self.leaves(new, verbs):
                    self.place(key, f"{old!r} would be a second {new!r}")
                elif new is not None:
                    plan.renamed[old] = new
                    plan.rules.append(f"{old} → {new}")
        return plan

    def leaves(self, name: str, verbs: set[str]) -> bool:
        """Whether an item of that name is renamed itself, as in a swap."""
        return any(self.table.new_name(verb, name) for verb in verbs)

    def rewrite(
        self, module: Module, node: ast.AST, items: dict[str, ast.expr], rule: Rewrite, plan: Plan
    ) -> None:
        present = [name for name in rule.match if name in items and name not in plan.removed]
        literals = {name: text for name, text in rule.match.items() if not text.startswith("$")}
        if not present or (literals and not any(name in literals for name in present)):
            return
        for name in present:
            if name in literals and not _is_literal(items[name]):
                if not self.is_done(module, items[name]):
                    self.place(node, f"{name}= is decided at run time")
                return
        if any(
            ast.literal_eval(items[name]) != ast.literal_eval(literals[name])
            for name in present
            if name in literals
        ):
            return
        if len(present) < len(rule.match):
            missing = ", ".join(f"{name}=" for name in rule.match if name not in present)
            self.place(node, f"{missing} for the rule of {', '.join(rule.give)}= is elsewhere")
            return
        if any(new in items and new not in rule.match for new in rule.give) or self.is_made(
            plan, rule.give
        ):
            self.place(node, f"a second {', '.join(rule.give)}= would be made")
            return
        names = {text[1:]: name for name, text in rule.match.items() if text.startswith("$")}
        new_items = []
        for new, template in rule.give.items():
            filled = re.sub(r"\$(\w+)", lambda m: f"${{{names[m[1]]}}}", template)
            new_items.append(NewItem(new, filled))
        plan.new[present[0]] = new_items
        plan.removed.update(present)
        plan.rules.append(f"{', '.join(rule.match)} → {', '.join(rule.give)}")

    def group(self, node: ast.AST, items: dict[str, ast.expr], rule: Group, plan: Plan) -> None:
        present = [n for n in items if n in rule.members and n not in plan.removed]
        if not present:
            return
        if rule.keyword in items or self.is_made(plan, (rule.keyword,)):
            self.place(node, f"a second {rule.keyword}= would be made")
            return
        if rule.keyword in self.options.joined[node]:
            self.place(node, f"{rule.keyword}= would be put together of several places")
            return
        inner = ", ".join(f"{rule.members[name]}=${{{name}}}" for name in present)
        plan.new[present[0]] = [NewItem(rule.keyword, f"{rule.constructor}({inner})")]
        plan.removed.update(present)
        plan.rules.append(f"{', '.join(present)} → {rule.keyword}")

    def is_made(self, plan: Plan, names: Iterable[str]) -> bool:
        new_names = {item.name for several in plan.new.values() for item in several}
        return any(name in new_names for name in names)

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


def _value(node: ast.expr) -> object:
    return ast.literal_eval(node)
