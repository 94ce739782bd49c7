"""The tool for mutation testing: a planted mutant dies of a good test and outlives a bad one."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.optional import optional

optional("coverage")

from mutation.operators import Mutant, mutants, mutated  # noqa: E402
from mutation.report import Score, explanations, page  # noqa: E402
from mutation.run import Verdict, module_name  # noqa: E402
from mutation.sample import PACKAGES, sample, shares, sources  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]

TOY = '''"""Shares."""


def share(part, whole):
    """Share of a whole."""
    if whole == 0:
        return 0.0
    return part / whole


def countdown(n):
    """Numbers down to 1."""
    found = []
    while n > 0:
        found.append(n)
        n -= 1
    return found
'''

GOOD = """
from toy.parts.shares import countdown, share

def test_a_quarter():
    assert share(1, 4) == 0.25

def test_of_nothing():
    assert share(1, 0) == 0.0

def test_down():
    assert countdown(2) == [2, 1]
"""

BAD = """
from toy.parts.shares import countdown, share

def test_a_whole():
    assert share(1, 1) == 1

def test_nothing_below():
    assert countdown(0) == []
"""

RUN = """
import json, sys
from pathlib import Path
from mutation.child import warm_up
from mutation.choice import Choice
from mutation.coverage_map import measure
from mutation.operators import mutants
from mutation.run import Runner

root = Path(sys.argv[1])
warm_up()
source = root / "src/toy/parts/shares.py"
seen = measure(root, [root / "tests/test_toy.py"], [source.parent], root / "build", 1)
found = mutants("src/toy/parts/shares.py", source.read_text())
wanted = [m for m in found if [m.before, m.after] in json.loads(sys.argv[2])]
runner = Runner(root, Choice(seen), root / "build", 2, slack_seconds=1)
verdicts = runner.run(wanted, root / "build/log.jsonl")
print(json.dumps([[m.before, m.after, v.state, v.by] for m, v in verdicts.items()]))
"""

WRONG_SHARE = ("part / whole", "part * whole")
ENDLESS = ("n -= 1", "pass")


def toy(root: Path, tests: str) -> dict[tuple[str, str], tuple[str, str]]:
    """What becomes of two planted mutants of the toy module under these tests."""
    for name, text in (
        ("src/toy/__init__.py", ""),
        ("src/toy/parts/__init__.py", ""),
        ("src/toy/parts/shares.py", TOY),
        ("tests/test_toy.py", tests),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["src"]\n'),
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", RUN, str(root), json.dumps([WRONG_SHARE, ENDLESS])],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (root / "src/toy/parts/shares.py").read_text(encoding="utf-8") == TOY
    found = json.loads(ran.stdout.splitlines()[-1])
    return {(before, after): (state, by) for before, after, state, by in found}


def test_a_planted_mutant_dies_of_a_good_test(tmp_path: Path) -> None:
    found = toy(tmp_path, GOOD)
    assert found[WRONG_SHARE] == ("killed", "tests/test_toy.py::test_a_quarter (call)")
    assert found[ENDLESS][0] == "timeout"


def test_a_planted_mutant_outlives_a_bad_test(tmp_path: Path) -> None:
    found = toy(tmp_path, BAD)
    assert found[WRONG_SHARE] == ("survived", "")
    assert found[ENDLESS] == ("not run", "")


@pytest.mark.parametrize(
    ("source", "changes"),
    [
        ("x = a + b", {"a - b"}),
        ("x = a < b", {"a <= b", "a >= b"}),
        ("x = a is None", {"a is not None"}),
        ("x = a and b", {"a or b"}),
        ("x = not a", {"a"}),
        ("x = -a", {"a"}),
        ("x = f(3)", {"4", "2"}),
        ("x = f(True)", {"False"}),
        ("x = 0.5", {"1.5", "-0.5"}),
        ("x = a[b:]", {"(nothing)"}),
        ("x = min(a)", {"max"}),
        ("x = np.abs(a)", {"a"}),
        ("f(a)", {"pass"}),
        ("a.b = c", {"pass"}),
        ("a += b", {"pass"}),
        ("if a:\n    b", {"True", "False"}),
        ("x = b if a else c", {"True", "False"}),
        ("x = [b for b in c if a]", {"True"}),
        ("def f(a=False):\n    return a", {"True", "None"}),
    ],
)
def test_an_operator_changes_what_it_should(source: str, changes: set[str]) -> None:
    found = mutants("a.py", source)
    assert {mutant.after for mutant in found} == changes
    for mutant in found:
        mutated(source, mutant.number, "a.py")


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring of 1 + 1."""',
        "x: Literal[1, 2]",
        "Pair: TypeAlias = int | None",
        "if TYPE_CHECKING:\n    a = 1 + 1",
        "__all__ = ['a', *b[1:]]",
        "def f(a: int | None) -> int | None: ...",
        "raise ValueError(f'{a + 1} rows', 2)",
        "x = f'{a + 1}'",
        "x = 'a' + b",
        "import a",
        "x = case(tp=1, gives='1/2')",
        "@dataclass(frozen=True)\nclass A:\n    a: int",
        "class A(Protocol):\n    def f(self, a: int = 1) -> int: ...",
    ],
)
def test_what_is_no_behaviour_is_left_alone(source: str) -> None:
    assert mutants("a.py", source) == []


def test_a_mutant_is_one_change_and_keeps_its_lines() -> None:
    found = next(m for m in mutants("a.py", TOY) if (m.before, m.after) == WRONG_SHARE)
    names: dict[str, object] = {}
    exec(mutated(TOY, found.number, "a.py"), names)  # noqa: S102
    share = names["share"]
    assert callable(share)
    assert (share(3, 4), share(3, 0)) == (12, 0.0)
    assert found.line == TOY.splitlines().index("    return part / whole") + 1
    assert (found.function, found.code, found.column) == ("share", "return part / whole", 7)


def test_the_sample_is_the_same_for_a_seed_and_shared_by_lines() -> None:
    drawn = sample(ROOT, 310, 5)
    assert drawn == sample(ROOT, 310, 5)
    assert len(set(drawn)) == 310
    assert drawn != sample(ROOT, 310, 6)
    assert shares(310, {"a": 100, "b": 300, "c": 100}) == {"a": 102, "b": 106, "c": 102}
    assert shares(30, {"a": 100, "b": 300, "c": 100}) == {"a": 10, "b": 10, "c": 10}


def test_a_score_counts_what_can_be_killed() -> None:
    found = mutants("src/toy/parts/shares.py", TOY)[:4]
    states = ("killed", "timeout", "survived", "not run")
    verdicts = {m: Verdict(state, "", 3, 1.0) for m, state in zip(found, states, strict=True)}
    why = {found[2].key: "no row tells"}
    assert Score.of(verdicts, why) == Score(4, 2, 1, 1, 1)
    assert Score.of(verdicts, why).share == 2 / 3
    text = page(verdicts, why, ["seed 1"])
    assert "| all | 4 | 2 | 1 | 1 | 1 | 50.0% | 66.7% |" in text
    assert "no row tells" in text


def test_the_name_of_a_module() -> None:
    assert module_name("src/karat/tally/bins.py") == "karat.tally.bins"
    assert module_name("src/karat/tally/__init__.py") == "karat.tally"


def test_every_explained_mutant_is_one_of_the_sources() -> None:
    known: set[tuple[object, ...]] = set()
    for package in PACKAGES:
        for path in sources(ROOT, package):
            text = path.read_text(encoding="utf-8")
            ast.parse(text)
            known |= {mutant.key for mutant in mutants(path.relative_to(ROOT).as_posix(), text)}
    stale = [key for key in explanations(ROOT / "mutation" / "explained.toml") if key not in known]
    assert stale == [], "The lines of these explanations have changed: explain or kill them anew."


def test_a_mutant_says_what_it_is() -> None:
    found = next(m for m in mutants("a.py", TOY) if (m.before, m.after) == WRONG_SHARE)
    assert isinstance(found, Mutant)
    assert str(found) == "a.py:8 arithmetic: part / whole  →  part * whole"
