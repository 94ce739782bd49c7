"""The tool on a small repository that holds every form of a call, and every trap."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from renaming.__main__ import main
from renaming.table import parsed
from tests.renaming.toy_repository import TOY, files_of, result, rules, table, texts, written

BEFORE, AFTER = files_of("before.txt"), files_of("after.txt")
KINDS = ("rename", "group", "rewrite", "positional", "option")
RULES = [(kind, i) for kind in KINDS for i in range(len(rules()[kind]))]
RULES += [(kind, name) for kind in ("names", "attributes", "strings") for name in rules()[kind]]


def test_the_whole_output(tmp_path: Path) -> None:
    assert texts(result(tmp_path, BEFORE, table())) == AFTER


def test_everything_that_needs_a_person_is_listed(tmp_path: Path) -> None:
    report = result(tmp_path, BEFORE, table())
    lines = [f"{r.path}:{r.line}: {r.text}" for r in sorted(report.remarks)]
    assert lines == (TOY / "remarks.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("kind", "place"), RULES)
def test_every_rule_is_seen_in_the_output(tmp_path: Path, kind: str, place: int | str) -> None:
    """Without one of the rules the output is another."""
    fewer = rules()
    del fewer[kind][place]
    assert texts(result(tmp_path, BEFORE, parsed(fewer))) != AFTER


def test_python_stays_python() -> None:
    for path, text in AFTER.items():
        if path.endswith(".py"):
            ast.parse(text)


def test_twice_is_once(tmp_path: Path) -> None:
    once = rules()
    # A swap undoes itself.
    once["rename"] = [rule for rule in once["rename"] if "low" not in rule["keywords"]]
    first = texts(result(tmp_path / "first", BEFORE, parsed(once)))
    assert first != BEFORE
    assert texts(result(tmp_path / "second", first, parsed(once))) == first


def test_a_swap_is_undone_by_itself(tmp_path: Path) -> None:
    swap = parsed({"rename": [rule for rule in rules()["rename"] if "low" in rule["keywords"]]})
    first = texts(result(tmp_path / "first", BEFORE, swap))
    assert "high=1, low=2" in first["tests/plain.py"]
    assert texts(result(tmp_path / "second", first, swap)) == BEFORE


def test_carriage_returns_stay(tmp_path: Path) -> None:
    path = tmp_path / "calls.py"
    path.write_bytes(b"import karat\r\nkarat.evaluate(1, true=2)\r\n")
    assert main([str(TOY / "table.toml"), "--root", str(tmp_path), str(path)]) == 0
    assert path.read_bytes() == b"import karat\r\nkarat.evaluate(1, y_true=2)\r\n"


class TestCommand:
    def test_check_prints_a_diff_and_writes_nothing(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        written(tmp_path, {"a.py": "import karat\nkarat.evaluate(1, true=2)\n"})
        command = [str(TOY / "table.toml"), "--check", "--root", str(tmp_path), str(tmp_path)]
        assert main(command) == 1
        captured = capsys.readouterr()
        assert "-karat.evaluate(1, true=2)\n+karat.evaluate(1, y_true=2)\n" in captured.out
        assert captured.out.startswith("--- a/a.py\n+++ b/a.py\n")
        assert captured.err.splitlines()[:4] == [
            "1 changes in 1 files",
            "1 calls of verbs of the table, with 0 spreads",
            "     1  true → y_true",
            "     1  a.py",
        ]
        assert (tmp_path / "a.py").read_text() == "import karat\nkarat.evaluate(1, true=2)\n"

    def test_check_of_what_is_done(self, tmp_path: Path) -> None:
        written(tmp_path, {"a.py": "import karat\nkarat.evaluate(1, y_true=2)\n"})
        command = [str(TOY / "table.toml"), "--check", "--root", str(tmp_path), str(tmp_path)]
        assert main(command) == 0

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[[rename]\n", "table.toml: "),
            ("[colors]\n", "unknown: colors"),
            ('[[rename]]\nverbs = ["a"]\nkeywords = {x = "z", y = "z"}\n', "a: two keywords"),
            (
                "".join(f'[[rename]]\nverbs = ["a"]\nkeywords = {{x = "{new}"}}\n' for new in "yz"),
                "a: two rules rename x=",
            ),
            ('[[rewrite]]\nverbs = ["a"]\nmatch = {x = "("}\ngive = {}\n', "'(' is no Python"),
            (
                '[[rewrite]]\nverbs = ["a"]\nmatch = {}\ngive = {}\nnone = "no"\n',
                "none = 'no': drop or keep",
            ),
            ('[[group]]\nverbs = ["a"]\nmembers = ["b"]\n', "group {"),
        ],
    )
    def test_a_table_that_is_none(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
    ) -> None:
        path = tmp_path / "table.toml"
        path.write_text(text)
        assert main([str(path), str(tmp_path)]) == 2
        assert message in capsys.readouterr().err
