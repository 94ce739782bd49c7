"""Names of the package and attributes of its results, where the receiver is known."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from renaming.calls import Place, verbs_of
from renaming.edits import Edits
from renaming.flow import Flow
from renaming.scopes import Binding, Module, external_text
from renaming.table import Table


def renamed_names(
    table: Table, flow: Flow, module: Module, edits: Edits, places: list[Place]
) -> list[str]:
    """Put new names into the edits of a module; the rules applied, once for each place."""
    rules: list[str] = []
    bindings = _imports(table, module)
    attributes = {name.rpartition(".")[2] for name in table.attributes}
    for node in module.nodes:
        if isinstance(node, ast.Attribute):
            text = external_text(module, node)
            if text in table.names:
                _put(table, module, node, text, edits, places, rules)
            elif node.attr in attributes:
                _attribute(table, flow, module, node, edits, places, rules)
        elif isinstance(node, ast.Name) and node.id in bindings:
            place = module.lookup(node.id, node)
            if place is not None and bindings[node.id] in place[1]:
                _put(table, module, node, bindings[node.id].text, edits, places, rules)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if (text := f"{node.module}.{alias.name}") in table.names:
                    _put(table, module, alias, text, edits, places, rules)
        elif isinstance(node, ast.Call) and external_text(module, node.func) == "builtins.getattr":
            _by_text(table, module, node, edits, rules)
    return rules


def _imports(table: Table, module: Module) -> dict[str, Binding]:
    """Names that are imported as they are and get another name."""
    return {
        name: binding
        for several in module.names.values()
        for name, bindings in several.items()
        for binding in bindings
        if binding.kind == "import"
        and binding.text in table.names
        and binding.text.rpartition(".")[2] == name
    }


def _put(
    table: Table,
    module: Module,
    node: ast.AST,
    text: str,
    edits: Edits,
    places: list[Place],
    rules: list[str],
) -> None:
    new = table.names[text]
    if new.rpartition(".")[0] != text.rpartition(".")[0]:
        places.append(Place(module, node, f"{text} moves to another place: {new}"))
        return
    edits.names[node] = new.rpartition(".")[2]
    rules.append(f"{text} → {new}")


def _by_text(table: Table, module: Module, node: ast.Call, edits: Edits, rules: list[str]) -> None:
    """`getattr(karat, "name")`."""
    if len(node.args) < 2 or not isinstance(node.args[0], (ast.Name, ast.Attribute)):
        return
    name = node.args[1]
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        text = f"{external_text(module, node.args[0])}.{name.value}"
        if text in table.names:
            edits.strings[name] = table.names[text].rpartition(".")[2]
            rules.append(f"{text} → {table.names[text]}")


def _attribute(
    table: Table,
    flow: Flow,
    module: Module,
    node: ast.Attribute,
    edits: Edits,
    places: list[Place],
    rules: list[str],
) -> None:
    origins = flow.trace(module, node.value)
    owners = {verbs_of(table, origin) for origin in origins}
    new = {table.attributes.get(f"{owner}.{node.attr}") for owner in owners}
    if len(new) == 1 and (name := next(iter(new))) is not None:
        edits.names[node] = name
        rules.append(f".{node.attr} → .{name}")
    elif new - {None}:
        places.append(Place(module, node, f".{node.attr} of several classes"))
    elif not origins or any(o.kind == "unknown" for o in origins):
        places.append(Place(module, node, f".{node.attr} of an unknown object"))


def code_in_strings(table: Table, module: Module) -> Iterator[Place]:
    """Texts that look like code with keywords of the table: scripts, and messages that quote it.

    Of a docstring only what is no example with prompts and no inline code.
    """
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if isinstance(module.parents[node], ast.Expr):
                text = re.sub(r"(?m)^\s*(>>>|\.\.\.)( .*)?$|`[^`\n]*`", "", text)
            if table.is_called_in(text):
                yield Place(module, node, "code in a string")
