"""Options of the command line: in shell text, and in strings of Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import partial

from renaming.calls import Place
from renaming.edits import Edits
from renaming.scopes import Module
from renaming.table import Table

BREAK = re.compile(r"(\s(?:\|\||&&|\||;)\s)")
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*(?![\w-])")


class Shell:
    """Renames options in text, and counts by rule."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rules: list[str] = []
        names = "|".join(map(re.escape, sorted(table.commands))) or "(?!)"
        self.program = re.compile(rf"(?<![\w.-]){re.escape(table.package)}\s+([a-z][a-z-]*)")
        self.start = re.compile(rf"^\s*({names})\s")

    def text(self, text: str, command: str | None = None, *, bare: bool = False) -> str:
        """Text of a shell: options of the command that stands before them.

        `command` is that of every line; `bare` allows lines that begin with a command, without the
        program.
        """
        lines = []
        current = command
        continues = False
        for line in text.splitlines(keepends=True):
            if not (continues or line.lstrip().startswith("--")):
                current = command
            parts = BREAK.split(line)
            for i in range(0, len(parts), 2):
                current = command if i else current
                match = self.program.search(parts[i]) or (bare and self.start.match(parts[i]))
                if match:
                    current = match[1]
                if current is not None:
                    begin = match.end() if match else 0
                    parts[i] = parts[i][:begin] + self.options(parts[i][begin:], current)
            lines.append("".join(parts))
            continues = line.rstrip().endswith("\\")
        return "".join(lines)

    def options(self, text: str, command: str | None) -> str:
        """Every option of a command in a piece of text."""

        def new(match: re.Match[str]) -> str:
            option = self.table.new_option(command, match[0])
            if option is None:
                return match[0]
            self.rules.append(f"{match[0]} → {option}")
            return option

        return OPTION.sub(new, text)


def renamed_options(table: Table, module: Module, edits: Edits, places: list[Place]) -> list[str]:
    """Put new options into the edits of a module; the rules applied, once for each place."""
    shell = Shell(table)
    if not any(option in module.source for option in table.spellings):
        return []
    commands = _commands_of_strings(table, module)
    for node in module.nodes:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        old = {match[0] for match in OPTION.finditer(node.value)} & table.spellings
        if not old or isinstance(module.parents[node], (ast.Expr, ast.JoinedStr)):
            if old and isinstance(module.parents[node], ast.JoinedStr):
                places.append(
                    Place(module, node, f"{', '.join(sorted(old))} in a formatted string")
                )
            continue
        before = len(shell.rules)
        if re.fullmatch(r"--[\w-]+(=.*)?", node.value, re.DOTALL):
            head, equals, rest = node.value.partition("=")
            command = commands.get(node) or _command_before(table, module, node)
            new = shell.options(head, command)
            if new != head:
                edits.strings[node] = f"{new}{equals}{rest}"
        else:
            command = commands.get(node)
            if shell.text(node.value, command, bare=True) != node.value:
                edits.lines[node] = partial(Shell(table).text, command=command, bare=True)
        if len(shell.rules) == before:
            places.append(
                Place(module, node, f"{', '.join(sorted(old))}: the command is not known")
            )
    return shell.rules


def _command_before(table: Table, module: Module, node: ast.AST) -> str | None:
    """The command that begins the list or the arguments in which a string stands."""
    while isinstance(
        module.parents.get(node), (ast.Starred, ast.IfExp, ast.List, ast.Tuple, ast.Call)
    ):
        above = module.parents[node]
        parts = getattr(above, "elts", None) or getattr(above, "args", [])
        for part in parts:
            if part is node:
                break
            if isinstance(part, ast.Constant) and part.value in table.commands:
                return str(part.value)
        node = above
    return None


def _commands_of_strings(table: Table, module: Module) -> dict[ast.AST, str]:
    """Strings whose command the table states, by `path:NAME` of the assignment that holds them."""
    commands: dict[ast.AST, str] = {}
    for place, command in table.strings.items():
        path, _, name = place.partition(":")
        if module.path.as_posix().endswith(path):
            for binding in module.names[module.tree].get(name, []):
                for node in _inside(binding.value):
                    commands[node] = command
    return commands


def _inside(node: ast.AST | None) -> Iterator[ast.AST]:
    if node is not None:
        yield from ast.walk(node)
