"""Texts of karat's own that its sources hold: what fills them stands as GAP."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from karat.errors.options import as_typed, option

__all__ = ["GAP", "SOURCES", "Text", "advice_in", "commands", "in_sources", "texts_of"]

SOURCES: Final = Path(__file__).parents[2] / "src" / "karat"
GAP: Final = "□"
_FIELD: Final = re.compile(r"(?<!\{)\{[a-z_]\w*(?:![rs])?(?::[^{}]*)?\}")
_ENTRY: Final = re.compile(r"\n(?=[KD]\d{3}  )")
_HEAD: Final = re.compile(r"[DK]\d{3}  ")
_OPTION: Final = ("option", "option_of_list", "each_option")
_NO_MESSAGES: Final = ("equal", "formula", "compile")
"""Calls of other libraries, which have a test of their own; patterns."""
_NAMED: Final = ("how_to_name",)


class _Gap:
    """The value of an option that is not known before a call."""

    def __repr__(self) -> str:
        return GAP


@dataclass(frozen=True)
class Text:
    """A text and where it stands: a file below src/karat with its line, or a command."""

    text: str
    where: str


@cache
def in_sources(folder: Path = SOURCES) -> list[Text]:
    """Every text of the sources, but docstrings."""
    return [
        text
        for path in sorted(folder.rglob("*.py"))
        for text in texts_of(path.read_text(encoding="utf-8"), path.relative_to(folder).as_posix())
    ]


def texts_of(source: str, where: str) -> Iterator[Text]:
    """The texts of a module; tables of messages by their entries."""
    tree = ast.parse(source)
    passed = {id(part) for node in ast.walk(tree) for part in _no_text_of_its_own(node)}
    typed = {id(node) for node in _typed(tree)}
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        text = _text(node)
        if text is None or not text.strip():
            continue
        for part in _ENTRY.split(text):
            whole = part.replace("\n          ", " ").replace("\n      ", "\n").strip("\n")
            if id(node) in typed or _HEAD.match(whole):
                whole = as_typed(whole)
            filled = _FIELD.sub(GAP, whole).replace("{{", "{").replace("}}", "}")
            yield Text(filled, f"{where}:{getattr(node, 'lineno', 0)}")


def _no_text_of_its_own(node: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, and parts of a text that is made of several."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.Constant):
                yield part
            elif isinstance(part, ast.FormattedValue):
                if part.format_spec is not None:
                    yield part.format_spec
                if _option(part.value) is not None:
                    yield from ast.walk(part.value)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in _NO_MESSAGES:
        yield from ast.walk(node)
    elif _option(node) is not None:
        yield from (part for part in ast.walk(node) if part is not node)


def _typed(tree: ast.AST) -> Iterator[ast.AST]:
    """Texts whose names a function gives to ``as_typed``."""
    names = {
        node.args[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "as_typed"
        and isinstance(node.args[0], ast.Name)
    }
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if isinstance(value, ast.AST) and any(getattr(x, "id", "") in names for x in targets):
            yield from ast.walk(value)


def _text(node: ast.AST) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return "".join(_part(part) for part in node.values)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return _option(node)


def _part(part: ast.AST) -> str:
    if isinstance(part, ast.Constant):
        return str(part.value).replace("{", "{{").replace("}", "}}")
    if isinstance(part, ast.FormattedValue):
        return _option(part.value) or GAP
    return GAP


def _option(node: ast.AST) -> str | None:
    """What ``option("labels", …)`` and its like give; None for anything else."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
        return None
    name = node.args[0]
    if not (isinstance(name, ast.Constant) and isinstance(name.value, str)):
        return None
    if node.func.id in _OPTION:
        if len(node.args) == 1:
            return option(name.value)
        value = node.args[1]
        return option(name.value, value.value if isinstance(value, ast.Constant) else _Gap())
    return option(name.value, _Gap()) if node.func.id in _NAMED else None


def advice_in(text: Text) -> list[str]:
    """What a text says to do: of an entry of a table of messages its last part."""
    if not _HEAD.match(text.text):
        return [text.text]
    return text.text.split("\n")[2:]


@cache
def commands() -> list[Text]:
    """The help of every command and of each of its options, and its examples."""
    import click

    from karat.cli.app import app

    context = click.Context(app, **app.context_settings)
    found = []
    for name in ("", *app.list_commands(context)):
        command = app.get_command(context, name) if name else app
        assert command is not None
        parts = [command.help, command.epilog, *getattr(command, "examples", ())]
        parts += [getattr(item, "help", None) for item in command.params]
        found += [Text(part, f"karat {name}".strip()) for part in parts if part]
    return found
