"""Every example of every page runs and prints what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.tracked import ROOT, tracked_files
from tests.docs.blocks import (
    Command,
    blocks_of,
    commands_of,
    is_as_shown,
    refresh,
    run_command,
    run_python,
)

PAGES = [path for path in tracked_files() if path.suffix == ".md" and "tests" not in path.parts]
OTHERS = [page for page in PAGES if "cookbook" not in page.parts]
"""Pages whose Python no other test runs: `test_cookbook.py` runs the tasks in every tier."""
COMMANDS = [(page, command) for page in PAGES for command in commands_of(page)]


def page_id(page: Path) -> str:
    """A page's path, for test ids."""
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", OTHERS, ids=page_id)
def test_the_python_of_a_page_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    run_python(page)


@pytest.mark.parametrize(
    ("page", "command"), COMMANDS, ids=[" ".join(command.words) for _, command in COMMANDS]
)
def test_a_command_prints_what_its_page_shows(page: Path, command: Command) -> None:
    printed = run_command(command, ROOT)
    assert is_as_shown(command, printed), f"{page.name} shows\n{command.output}\nprinted\n{printed}"


def test_the_readme_holds_examples_of_both_kinds() -> None:
    readme = ROOT / "README.md"
    assert any(block.language == "python" for block in blocks_of(readme))
    assert any(page == readme for page, _ in COMMANDS)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)[^)]*\)", text)
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


def test_the_first_screen_of_the_readme_names_both_commands() -> None:
    first_screen = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:40]
    assert "make demo" in "\n".join(first_screen)
    assert "make test" in "\n".join(first_screen)


def test_a_page_that_lies_is_caught(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\n>>> 1 + 1\n3\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="Expected:"):
        run_python(page)
    page.write_text("```python\nassert 1 + 1 == 3\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError):
        run_python(page)
    page.write_text("```python\n>>> 1 + 1\n2\n```\n", encoding="utf-8")
    assert run_python(page) == 1


def test_a_command_that_prints_something_else_is_caught_and_refreshed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = "```console\n$ karat --version\nsome other version\n$ make help\nkept\n```\n"
    page.write_text(text, encoding="utf-8")
    (command,) = commands_of(page)
    assert not is_as_shown(command, run_command(command, tmp_path))
    refresh(page, tmp_path)
    (command,) = commands_of(page)
    assert is_as_shown(command, run_command(command, tmp_path))
    assert page.read_text(encoding="utf-8").endswith("$ make help\nkept\n```\n")
