"""Documents with code in them: Markdown, notebooks, and the examples of docstrings."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from renaming.commands import Shell
from renaming.scopes import MARK, Module
from renaming.table import Table, covers_path

FENCE: Final = re.compile(r"^(\s*)(`{3,}|~{3,})\s*(?:\{code(?:-block)?\}\s*)?\{?([\w-]*)\}?")
PYTHON: Final = (
    "python", "py", "python3", "pycon", "ipython", "code-cell", "jupyter-execute", "doctest"
)  # fmt: skip
SHELL: Final = ("sh", "console", "bash", "shell", "yaml", "yml", "toml", "make", "makefile")
PROMPT: Final = re.compile(r"^(\s*)>>> ?(.*)$")


@dataclass
class Chunk:
    """Lines of a document that are code, and the code itself."""

    first: int
    last: int
    indent: str
    code: str
    has_prompts: bool = False

    def rendered(self, code: str) -> str:
        lines = code.rstrip("\n").split("\n")
        if self.has_prompts:
            prompts = [">>>", *["..."] * (len(lines) - 1)]
            lines = [f"{p} {line}".rstrip() for p, line in zip(prompts, lines, strict=True)]
        return "".join(f"{self.indent}{line}".rstrip() + "\n" for line in lines)


@dataclass
class Document:
    """A document, and its code as one module in which the pieces follow each other."""

    path: Path
    text: str
    chunks: list[Chunk] = field(default_factory=list)
    unread: list[Chunk] = field(default_factory=list)
    module: Module | None = None

    def __post_init__(self) -> None:
        kept = []
        for chunk in self.chunks:
            try:
                ast.parse(chunk.code)
            except (SyntaxError, ValueError):
                self.unread.append(chunk)
            else:
                kept.append(chunk)
        self.chunks = kept
        if kept:
            source = "".join(f"{MARK}\n{chunk.code.rstrip()}\n" for chunk in kept)
            self.module = Module(self.path, "", source, ast.parse(source), is_document=True)

    def line_of(self, line: int) -> int:
        """The line of the document at which a line of the module stands."""
        for chunk in self.chunks:
            n = chunk.code.rstrip().count("\n") + 1
            if line <= n + 1:
                return chunk.first + max(0, line - 2)
            line -= n + 1
        return 0

    def with_code(self, source: str) -> str:
        """The document with the code of its module changed."""
        codes = source.split(f"{MARK}\n")[1:]
        lines = self.text.splitlines(keepends=True)
        for chunk, code in reversed(list(zip(self.chunks, codes, strict=True))):
            if code.rstrip() != chunk.code.rstrip():
                lines[chunk.first - 1 : chunk.last] = [chunk.rendered(code)]
        return "".join(lines)

    def replaced_in(self, text: str, source: str) -> str:
        """A text that holds the same pieces, with the code of the module changed."""
        codes = source.split(f"{MARK}\n")[1:]
        lines = self.text.splitlines(keepends=True)
        for chunk, code in zip(self.chunks, codes, strict=True):
            if code.rstrip() != chunk.code.rstrip():
                old = "".join(lines[chunk.first - 1 : chunk.last])
                text = text.replace(old, chunk.rendered(code))
        return text


def markdown(path: Path, text: str) -> Document:
    return Document(path, text, [*_fenced(text)])


def docstrings(path: Path, text: str) -> Document:
    """The examples of a Python file."""
    return Document(path, text, [*_examples(text.splitlines(), 1)] if ">>>" in text else [])


def unread_code(table: Table, document: Document) -> Iterator[int]:
    """The lines, or the cells, at which code stands that is not read.

    Blocks of Markdown and cells that are no Python; other text only if it calls the package.
    """
    for chunk in document.unread:
        if document.path.suffix != ".py" or table.is_called_in(chunk.code):
            yield chunk.first
    if document.path.suffix != ".md":
        return
    known = (*document.chunks, *document.unread)
    read = {i for chunk in known for i in range(chunk.first, chunk.last + 1)}
    paragraph: list[str] = []
    for i, line in enumerate([*document.text.splitlines(), ""], 1):
        if line.strip() and i not in read:
            paragraph.append(re.sub(r"`[^`\n]+`", "", line))
            continue
        if table.is_called_in("\n".join(paragraph)):
            yield i - len(paragraph)
        paragraph = []


def _blocks(text: str) -> Iterator[tuple[int, int, str, str]]:
    """First and last line inside each fence, its indent and its language."""
    lines = text.splitlines()
    i = 0
    while i < len(lines):
        if match := FENCE.match(lines[i]):
            end = i + 1
            close = re.compile(rf"^\s*{re.escape(match[2][0])}{{{len(match[2])},}}\s*$")
            while end < len(lines) and not close.match(lines[end]):
                end += 1
            yield i + 2, end, match[1], match[3].lower()
            i = end
        i += 1


def _fenced(text: str) -> Iterator[Chunk]:
    lines = text.splitlines()
    for first, last, indent, language in _blocks(text):
        if language not in PYTHON:
            continue
        inside = lines[first - 1 : last]
        if any(PROMPT.match(line) for line in inside):
            yield from _examples(inside, first)
            continue
        # Options of a directive, and blank lines.
        n = 0
        while n < len(inside) and re.match(r"^\s*(:\w|---|$)", inside[n]):
            n += 1
        code = textwrap.dedent("\n".join(inside[n:])) + "\n"
        yield Chunk(first + n, last, indent, code)


def _examples(lines: list[str], start: int) -> Iterator[Chunk]:
    """Each statement after a prompt."""
    i = 0
    while i < len(lines):
        if match := PROMPT.match(lines[i]):
            code, end = [match[2]], i + 1
            while end < len(lines) and re.match(rf"^{match[1]}\.\.\.( |$)", lines[end]):
                code.append(lines[end][len(match[1]) + 4 :])
                end += 1
            yield Chunk(start + i, start + end - 1, match[1], "\n".join(code) + "\n", True)
            i = end
        else:
            i += 1


def prose(table: Table, path: str, text: str, shell: Shell) -> str:
    """Shell blocks of Markdown, and inline code where a rule says so."""
    keywords, options = (
        {
            old: new
            for rule in rules
            if covers_path(rule.inline, path)
            for old, new in getattr(rule, names).items()
        }
        for rules, names in ((table.renames, "keywords"), (table.options, "options"))
    )
    lines = text.splitlines(keepends=True)
    inside: set[int] = set()
    for first, last, _, language in _blocks(text):
        inside.update(range(first - 2, last + 1))
        if language in SHELL:
            block = "".join(lines[first - 1 : last])
            changed = shell.text(block).splitlines(keepends=True)
            lines[first - 1 : last] = changed
    for i, line in enumerate(lines):
        if i not in inside:
            lines[i] = re.sub(r"`[^`\n]+`", lambda m: _inline(m[0], keywords, options, shell), line)
    return "".join(lines)


def _inline(
    code: str, keywords: Mapping[str, str], options: Mapping[str, str], shell: Shell
) -> str:
    """Keywords in a call or alone, and options, in inline code."""

    def new(match: re.Match[str]) -> str:
        word = match[0]
        replaced = options.get(word, keywords.get(word))
        if replaced:
            shell.rules.append(f"`{word}` → `{replaced}`")
        return replaced or word

    if "(" in code or re.match(r"`\w+=(`|[\"'\[])", code):
        code = re.sub(r"(?<![\w.\"'-])[a-z_]\w*(?==(?!=))", new, code)
    return re.sub(r"(?<![\w-])--[a-z][\w-]*", new, code)


def notebook(path: Path, text: str) -> Document:
    """The code cells of a notebook, as one module."""
    chunks = []
    for i, cell in enumerate(json.loads(text)["cells"]):
        if cell["cell_type"] == "code":
            chunks.append(Chunk(i, i, "", "".join(cell["source"])))
    return Document(path, text, chunks)


def with_cells(document: Document, source: str) -> str:
    """A notebook with the code of its module changed."""
    data = json.loads(document.text)
    codes = source.split(f"{MARK}\n")[1:]
    for chunk, code in zip(document.chunks, codes, strict=True):
        cell = data["cells"][chunk.first]
        new = code.rstrip("\n")
        if new != chunk.code.rstrip():
            is_list = isinstance(cell["source"], list)
            cell["source"] = new.splitlines(keepends=True) if is_list else new
    indent = re.search(r"^\{\n( +)", document.text)
    ending = "\n" if document.text.endswith("\n") else ""
    return json.dumps(data, indent=len(indent[1]) if indent else 1, ensure_ascii=False) + ending
