"""Pages, docstrings, comments and messages use plain technical terms: listed words fail."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.architecture.tracked import tracked_files

_ROOT = Path(__file__).parents[2]
_WORDS = re.compile(
    r"\b(?:said|told|tells|nobody|hardly|anew|alike|whoever|surer|how\s+sure|dealt|without\s+ado"
    r"|not\s+resolved|less\s+the\s+others|(?:hold|holds|held)\s+the\s+true\s+value|rungs?|ladders?)\b",
    re.IGNORECASE,
)
_QUOTED: dict[str, tuple[tuple[str, str], ...]] = {}
"""The passages that stay, by file, each with its reason."""


def _excerpts(text: str, quoted: tuple[str, ...] = ()) -> list[str]:
    for passage in quoted:
        text = text.replace(passage, "")
    found = _WORDS.finditer(text)
    return [" ".join(text[max(one.start() - 40, 0) : one.end() + 30].split()) for one in found]


def _of_markdown(text: str) -> str:
    return re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)


def _of_python(source: str) -> str:
    """Return the comments, and the literals that hold a sentence: docstrings, messages, labels."""
    literals = [
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    ]
    # A mark inside a literal only adds text that is read already.
    comments = re.findall(r"#(\s.*)", source)
    return "\n\0\n".join([*(re.sub(r"`[^`]*`", "", one) for one in literals), "".join(comments)])


def _findings(path: Path) -> list[str]:
    name = path.relative_to(_ROOT).as_posix()
    text = path.read_text(encoding="utf-8")
    text = _of_python(text) if path.suffix == ".py" else _of_markdown(text)
    quoted = tuple(passage for passage, _ in _QUOTED.get(name, ()))
    return [f"{name}: … {one} …" for one in _excerpts(text, quoted)]


def test_no_text_uses_a_listed_word():
    # What `make docs` makes is made of these, and of pages for developers.
    documents = [page for page in tracked_files() if _ROOT / "docs" in page.parents]
    pages = [_ROOT / "README.md", *(page for page in documents if page.suffix == ".md")]
    modules = sorted((_ROOT / "src" / "karat").rglob("*.py"))
    assert len(pages) > 20
    assert len(modules) > 300
    found = [one for path in (*pages, *modules) for one in _findings(path)]
    assert not found, "\n".join(found)


def test_every_exception_is_in_its_file():
    for name, passages in _QUOTED.items():
        text = (_ROOT / name).read_text(encoding="utf-8")
        assert all(passage in text for passage, _ in passages), name


_SABOTAGED = '''
"""Whoever reads this is told apart."""
def tells(said: int) -> None:
    """Return `said`, less
    the others."""
    # The share of intervals that hold the
    # true value.
    print(f"{said} rows, and nobody knows how sure", "said")

told = 1
"""How often rows are dealt."""
'''


def test_a_sabotaged_module_is_found_out():
    words = [one.lower() for one in _WORDS.findall(_of_python(_SABOTAGED))]
    assert [" ".join(one.split()) for one in words] == [
        *("whoever", "told", "dealt"),
        *("less the others", "nobody", "how sure", "hold the true value"),
    ]


def test_a_sabotaged_page_is_found_out():
    page = "Rows are Dealt anew; `said`.\n\n```python\ntold\n```\n\nSurer: a *ladder*, saddled.\n"
    words = [one.lower() for one in _WORDS.findall(_of_markdown(page))]
    assert words == ["dealt", "anew", "surer", "ladder"]
    assert _excerpts("karat tells, said Anne", ("said Anne",)) == ["karat tells,"]
