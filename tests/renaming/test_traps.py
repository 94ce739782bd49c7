"""Each guard of the tool is needed, and nothing is written that does not compile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from renaming import calls, containers, documents, edits, flow, plans, sharing, table, work
from renaming.__main__ import main
from renaming.report import Report
from renaming.table import parsed
from tests.renaming.toy_repository import TOY, files_of, result, texts, written
from tests.renaming.toy_repository import table as toy_table

BEFORE = files_of("before.txt")


def _nothing(*_: object) -> Any:
    return ()


# Without the guard: the object that has it, its name, and what stands in its place.
SABOTAGES: dict[str, tuple[Any, str, Any]] = {
    "options of several dicts": (sharing.Sharing, "joined", _nothing),
    "other readers": (sharing.Sharing, "readers", _nothing),
    "readers of single parameters": (calls, "parameters_of", lambda _: frozenset()),
    "calls of foreign code": (sharing.Sharing, "is_foreign", lambda *_: False),
    "texts that are values": (sharing.Sharing, "values", _nothing),
    "calls that are not decided": (sharing.Sharing, "leftovers", _nothing),
    "receivers that are known": (sharing.Sharing, "is_known", lambda *_: False),
    "dicts that are compared": (sharing.Sharing, "compared", _nothing),
    "two items of one name": (plans.Planner, "possible", lambda _s, _n, changes, _p: changes),
    "objects of None, True and False": (plans.Planner, "blank", lambda *_: ""),
    "None is dropped": (table.Rewrite, "wrapped", []),
    "comments": (plans.Planner, "look_for_comments", _nothing),
    "partial calls": (calls, "MOST_PARTIALS", 0),
    "partial calls that are joined": (sharing, "is_partial", lambda *_: False),
    "classes below": (flow._Trace, "instance", flow._Trace.definition),
    "static methods": (containers, "SAME", containers.SAME - {"builtins.staticmethod"}),
    "code outside of blocks": (work, "unread_code", _nothing),
    "blocks with prompts": (
        documents,
        "PYTHON",
        tuple(name for name in documents.PYTHON if name != "pycon"),
    ),
}


def outcome(report: Report) -> tuple[dict[str, str], list[str]]:
    lines = [f"{r.path}:{r.line}: {r.text}" for r in sorted(report.remarks)]
    return texts(report), lines


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], list[str]]:
    return outcome(result(tmp_path_factory.mktemp("whole"), BEFORE, toy_table()))


@pytest.mark.parametrize("name", SABOTAGES)
def test_every_guard_is_needed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    whole: tuple[dict[str, str], list[str]],
    name: str,
) -> None:
    monkeypatch.setattr(*SABOTAGES[name])
    assert outcome(result(tmp_path, BEFORE, toy_table())) != whole


BAD = parsed({"rename": [{"verbs": ["evaluate"], "keywords": {"true": "from", "pred": "y_pred"}}]})
FILES = {
    "a.py": "import karat\nkarat.evaluate(1, pred=2)\nkarat.evaluate(1, true=2)\n",
    "b.py": "import karat\nkarat.evaluate(1, pred=2)\n",
    "c.md": "```python\nkarat.evaluate(1, pred=2, true=3)\n```\n",
}


class TestCompiling:
    def test_a_file_that_would_not_compile_stays(self, tmp_path: Path) -> None:
        report = result(tmp_path, FILES, BAD)
        new = {**FILES, "b.py": "import karat\nkarat.evaluate(1, y_pred=2)\n"}
        assert texts(report) == new
        assert [(r.path, r.line, r.text[:48]) for r in sorted(report.remarks)] == [
            ("a.py", 1, "not changed: the new file would not compile (inv"),
            ("c.md", 1, "not changed: the new file would not compile (inv"),
        ]
        assert report.rules == {"pred → y_pred": 1}

    def test_the_check_is_needed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(work, "problem_of", lambda *_: "")
        assert "from=2" in texts(result(tmp_path, FILES, BAD))["a.py"]

    @pytest.mark.parametrize(
        ("old", "new", "text"),
        [
            ("f(a=1)", "f(b=1)", ""),
            ("f(a=1)", "f(b=1, b=2)", "keyword argument repeated"),
            ("f(a=1)", "f(b=)", "invalid syntax"),
            ("return f(a=1)", "return f(b=1)", "'return' outside function"),
            ("return f(a=1)", "return f(a=1)", ""),
            ("await f(a=1)", "await f(b=1)", ""),
        ],
    )
    def test_what_does_not_compile(self, old: str, new: str, text: str) -> None:
        problem = edits.problem_of(old, new)
        assert text in problem
        assert bool(problem) == bool(text)

    def test_a_second_keyword_is_not_written(self, tmp_path: Path) -> None:
        source = 'import karat\nkarat.evaluate({}, gold="g", judge="j", true="t")\n'
        written(tmp_path, {"a.py": source})
        command = [str(TOY / "table.toml"), "--root", str(tmp_path), str(tmp_path)]
        assert main(command) == 0
        assert (tmp_path / "a.py").read_text() == source
