"""Find the code blocks of a Markdown page and run them.

A fence of `python` is run: as a doctest when it holds prompts, as a program otherwise;
blocks of one page share their names.
A fence of `python PATH` shows a file and is not run.
A fence of `console` holds commands after `$ ` and what they print; those of karat are run.
Every other fence is only shown.

    python -m tests.docs.blocks README.md    # write the output of its commands into the page again
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FENCE = re.compile(
    r"^```(?P<language>\w+)(?: +(?P<title>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
FLAGS = doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, the file it shows, its text, the line where it stands."""

    page: Path
    language: str
    title: str | None
    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


@dataclass(frozen=True)
class Command:
    """One command of a console block and the output that the page shows for it."""

    words: tuple[str, ...]
    output: str


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, found["language"], found["title"], found["text"], _line(text, found.start()))
        for found in FENCE.finditer(text)
    ]


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def run_python(page: Path) -> int:
    """Run the Python blocks of a page, in order, in one namespace; return how many there were.

    Raises:
        AssertionError: an example printed something else; the message shows both.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    blocks = [block for block in blocks_of(page) if block.language == "python" and not block.title]
    for block in blocks:
        if ">>> " in block.text:
            test = doctest.DocTestParser().get_doctest(
                block.text, names, str(block), str(page), block.line
            )
            run_doctest(test, names)
        else:
            exec(compile(block.text, str(block), "exec"), names)  # noqa: S102 (our own pages)
    return len(blocks)


def run_doctest(test: doctest.DocTest, names: dict[str, Any]) -> None:
    """Run one doctest in a namespace that keeps what it defines."""
    said: list[str] = []
    test.globs = names
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=said.append, clear_globs=False)
    assert runner.failures == 0, "".join(said)


def commands_of(page: Path) -> Iterator[Command]:
    """The commands of karat in the console blocks of a page."""
    for block in blocks_of(page):
        if block.language != "console":
            continue
        for line, output in _prompts(block.text):
            words = tuple(shlex.split(line))
            if words[0] == "karat":
                yield Command(words, output)


def _prompts(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        yield line, output


def run_command(command: Command, folder: Path) -> str:
    """What a command prints at 80 columns without colour: messages first, then the result."""
    karat = str(Path(sys.executable).parent / "karat")
    run = subprocess.run(
        [karat, *command.words[1:]],
        cwd=folder,
        env=os.environ | {"COLUMNS": "80", "NO_COLOR": "1"},
        capture_output=True,
        check=True,
        text=True,
    )
    return run.stderr + run.stdout


def is_as_shown(command: Command, printed: str) -> bool:
    """Whether the page shows what was printed; `...` stands for anything."""
    return doctest.OutputChecker().check_output(command.output, printed, FLAGS)


def refresh(page: Path, folder: Path) -> None:
    """Write what the commands of a page print into the page; other blocks stay as they are.

    An output that agrees, also one shortened by ``...``, stays as it is.
    """
    text = page.read_text(encoding="utf-8")
    for block in blocks_of(page):
        if block.language == "console":
            shown = ""
            for line, output in _prompts(block.text):
                command = Command(tuple(shlex.split(line)), output)
                printed = run_command(command, folder) if command.words[0] == "karat" else output
                shown += f"$ {line}\n{output if is_as_shown(command, printed) else printed}"
            text = text.replace(f"```console\n{block.text}```", f"```console\n{shown}```")
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        refresh(Path(name), Path.cwd())
