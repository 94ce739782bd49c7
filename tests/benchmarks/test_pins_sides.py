"""The sides of the pins: each imports its karat, takes turns, and what costs more is seen."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice
from pathlib import Path
from textwrap import dedent

import pytest

from benchmarks.pins import sides, table, trees
from benchmarks.pins.__main__ import measured
from benchmarks.pins.cases import calls, peaks, starts
from benchmarks.pins.ratios import FEWEST, SLOWER
from benchmarks.pins.rows import file, label_columns, probability_columns
from benchmarks.pins.sides import Bench, Case
from benchmarks.pins.trees import Tree
from tests.architecture.tracked import ROOT
from tests.optional import optional

CALL = """
import karat
CASES = {"call": lambda folder: lambda: karat.call(folder)}
"""
BURN = "def call(folder): return sum(i * i for i in range({n})) * 0"


def tree(folder: Path, package: str, cases: str | None = None, kind: str = "calls") -> Tree:
    """A karat of one file, and its cases if it has any."""
    (folder / "site" / "karat").mkdir(parents=True)
    (folder / "site" / "karat" / "__init__.py").write_text(dedent(package), encoding="utf-8")
    (folder / "cases").mkdir()
    if cases is not None:
        (folder / "cases" / f"{kind}.py").write_text(dedent(cases), encoding="utf-8")
    return Tree(folder.name, folder / "site", folder / "cases")


def bench(folder: Path, base: Tree, head: Tree) -> Bench:
    (folder / "rows").mkdir()
    return Bench(base, head, folder / "rows")


def outcome(bench: Bench, kind: str = "calls") -> table.Outcome:
    return measured(bench, Case(kind, "call"), (FEWEST,), 1.1)


TURNS = """
import os
def call(folder):
    with open(folder / "turns", "a") as turns:
        turns.write(f"{side} {{os.getpid()}}\\n")
"""


def turns(folder: Path, kind: str, n_pairs: int) -> list[tuple[str, str]]:
    """Side and process of the calls that some pairs take."""
    base = tree(folder / "base", TURNS.format(side="b"))
    head = tree(folder / "head", TURNS.format(side="H"), CALL, kind)
    stream = bench(folder, base, head).pairs(Case(kind, "call"))
    assert len(list(islice(stream, n_pairs))) == n_pairs
    lines = (folder / "rows" / "turns").read_text(encoding="utf-8").splitlines()
    return [(side, process) for side, process in map(str.split, lines)]


def test_dear_calls_alternate_in_new_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sides, "ENOUGH_NS", 0)
    calls = turns(tmp_path, "calls", 3)
    # First calls of both in any order, one that calibrates, a pair; new processes, a pair.
    sides_of_calls = [side for side, _ in calls]
    assert sorted(sides_of_calls[:2]) == ["H", "b"]
    assert sides_of_calls[2] == "b"
    assert sides_of_calls[3:5] + sides_of_calls[7:9] + sides_of_calls[11:] == list("bHHbbH")
    assert len({process for _, process in calls}) == 6
    assert len({process for _, process in calls[:5]}) == 2


def test_cheap_calls_are_measured_twice_in_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sides, "_calls_per_measurement", lambda worker: 2)
    calls = [side for side, _ in turns(tmp_path, "calls", 2)]
    # First calls, two calls of each without a measurement, four measurements of two calls.
    assert "".join(calls[2:14]) == "bbHH" + "bbHHHHbb"
    assert "".join(calls[16:]) == "HHbb" + "HHbbbbHH"


def test_starts_alternate_and_are_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sides, "ENOUGH_STARTS_NS", 10**12)
    monkeypatch.setattr(sides, "MOST_STARTS", 3)
    calls = turns(tmp_path, "starts", 2)
    # One of each compiles, one is timed; three for each of two pairs.
    assert "".join(side for side, _ in calls) == "bH" + "bH" + "bHHbbH" + "HbbHHb"
    assert len({process for _, process in calls}) == len(calls)
    monkeypatch.setattr(sides, "ENOUGH_STARTS_NS", 0)
    (tmp_path / "dear").mkdir()
    assert len(turns(tmp_path / "dear", "starts", 2)) == 8


def test_a_few_slow_starts_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = [1.0, 1.0, 1.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0, 9.0]

    def starts(bench: Bench, case: Case, *order: str) -> dict[str, dict[str, float]]:
        times.append(times.pop(0))
        return {side: {"cpu": times[-1] * (1 + (side == sides.HEAD))} for side in order}

    monkeypatch.setattr(Bench, "_starts", starts)
    nowhere = Tree("none", tmp_path, tmp_path)
    (pair,) = islice(Bench(nowhere, nowhere, tmp_path).pairs(Case("starts", "call")), 1)
    assert (pair.base["cpu"], pair.head["cpu"]) == (1.0, 2.0)


def test_peaks_take_two_processes_a_pair(tmp_path: Path) -> None:
    calls = turns(tmp_path, "peaks", 3)
    assert "".join(side for side, _ in calls) == "bH" + "bHHbbH"


def test_collections_of_cycles_are_paid_for(tmp_path: Path) -> None:
    package = "import gc\ndef call(folder): assert gc.isenabled()"
    both = bench(tmp_path, tree(tmp_path / "base", package), tree(tmp_path / "head", package, CALL))
    (pair,) = islice(both.pairs(Case("calls", "call")), 1)
    assert pair.base["cpu"] > 0


def test_twice_the_work_is_slower(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sides, "ENOUGH_NS", 5_000_000)
    base = tree(tmp_path / "base", BURN.format(n=10_000))
    head = tree(tmp_path / "head", BURN.format(n=20_000), CALL)
    slower = outcome(bench(tmp_path, base, head))
    assert slower.verdict == SLOWER, slower
    assert slower.ratio is not None
    assert slower.ratio.middle > 1.5


def test_time_that_is_slept_costs_no_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sides, "ENOUGH_NS", 0)
    package = "import time\ndef call(folder): time.sleep({seconds})\n"
    base = tree(tmp_path / "base", package.format(seconds=0.001))
    head = tree(tmp_path / "head", package.format(seconds=0.1), CALL)
    (pair,) = islice(bench(tmp_path, base, head).pairs(Case("calls", "call")), 1)
    assert pair.head["wall"] >= 1e8
    assert pair.head["cpu"] < 5e7


def test_more_memory_is_seen(tmp_path: Path) -> None:
    package = "def call(folder): return (b'1' * ({megabytes} << 20))[-1]"
    base = tree(tmp_path / "base", package.format(megabytes=10))
    head = tree(tmp_path / "head", package.format(megabytes=15), CALL, "peaks")
    # Imports and what the parent holds take more than both calls, and do not count.
    parent = b"1" * (200 << 20)
    larger = outcome(bench(tmp_path, base, head), "peaks")
    assert parent
    assert larger.verdict == SLOWER, larger
    assert larger.unit == "bytes"
    assert larger.ratio is not None
    assert 1.4 <= larger.ratio.middle <= 1.6
    assert larger.base == pytest.approx(10 << 20, rel=0.2)


def test_another_answer_fails(tmp_path: Path) -> None:
    base = tree(tmp_path / "base", "def call(folder): return {'f1': [0.5, 0.4]}")
    head = tree(tmp_path / "head", "def call(folder): return {'f1': [0.5, 0.41]}", CALL)
    differs = outcome(bench(tmp_path, base, head))
    assert differs.verdict == table.DIFFERS
    assert differs.reason == "answer['f1'][1]: 0.4 in BASE, 0.41 in HEAD"


def test_what_a_base_lacks_is_reported(tmp_path: Path) -> None:
    base = tree(tmp_path / "base", "")
    head = tree(tmp_path / "head", BURN.format(n=1), CALL)
    missing = outcome(bench(tmp_path, base, head))
    assert missing.verdict == table.NOT_IN_BASE
    assert "AttributeError: module 'karat' has no attribute 'call'" in missing.reason
    assert table.exit_code([missing]) == 3


def test_what_a_head_lost_fails(tmp_path: Path) -> None:
    base = tree(tmp_path / "base", BURN.format(n=1), CALL)
    head = tree(tmp_path / "head", "")
    both = bench(tmp_path, base, head)
    assert both.cases() == [Case("calls", "call")]
    assert outcome(both).verdict == table.FAILS


def test_a_process_that_dies_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sides, "ENOUGH_NS", 0)
    package = """
    import os
    calls = []
    def call(folder):
        calls.append(1)
        if len(calls) > 1: os._exit(7)
    """
    base = tree(tmp_path / "base", "def call(folder): pass")
    head = tree(tmp_path / "head", package, CALL)
    dead = outcome(bench(tmp_path, base, head))
    assert (dead.verdict, dead.reason) == (table.FAILS, "the process ended with status 7")


def test_a_commit_runs_its_own_cases(tmp_path: Path) -> None:
    old = "import karat\nCASES = {'call': lambda folder: lambda: karat.old_name()}"
    base = tree(tmp_path / "base", "def old_name(): return 3", old)
    head = tree(tmp_path / "head", "def call(folder): return 3", CALL)
    (pair,) = islice(bench(tmp_path, base, head).pairs(Case("calls", "call")), 1)
    assert pair.base["cpu"] > 0


def test_what_a_call_prints_is_no_answer(tmp_path: Path) -> None:
    package = "def call(folder): print('{}', flush=True); return 1"
    base = tree(tmp_path / "base", package)
    head = tree(tmp_path / "head", package, CALL, "starts")
    assert len(list(islice(bench(tmp_path, base, head).pairs(Case("starts", "call")), 1))) == 1


def test_another_karat_is_refused(tmp_path: Path) -> None:
    other = tree(tmp_path / "other", BURN.format(n=1))
    head = tree(
        tmp_path / "head",
        BURN.format(n=1),
        f"import sys; sys.path.insert(0, {str(other.site)!r})\n{dedent(CALL)}",
    )
    with pytest.raises(RuntimeError, match=r"HEAD imports .*other.* instead of .*head"):
        outcome(bench(tmp_path, tree(tmp_path / "base", BURN.format(n=1), CALL), head))


def test_a_tree_is_its_python_files_and_a_native_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    native = tmp_path / "_native.abi3.so"
    native.write_bytes(b"native")
    monkeypatch.setattr(trees, "_native", lambda root, folder: native)
    root, folder = tmp_path / "root", tmp_path / "builds"
    package = root / "src" / "karat"
    package.mkdir(parents=True)
    for name in ("__init__.py", "old.py", "page.html"):
        (package / name).write_text(f"# {name}", encoding="utf-8")
    (package / "_native.so").write_bytes(b"that of an editable install")
    git = ["git", "-C", str(root), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    subprocess.run([*git, "add", "src"], check=True)
    subprocess.run([*git, "commit", "--quiet", "--no-verify", "-m", "first"], check=True)

    working = trees.working_tree(root, folder)
    names = {"__init__.py", "old.py", "page.html", "_native.abi3.so", "__pycache__"}
    assert {path.name for path in (working.site / "karat").iterdir()} == names
    (package / "old.py").rename(package / "new.py")
    assert trees.working_tree(root, folder) == working
    moved = names - {"old.py"} | {"new.py"}
    assert {path.name for path in (working.site / "karat").iterdir()} == moved

    commit = trees.commit_tree("HEAD", root, folder)
    assert {path.name for path in (commit.site / "karat").iterdir()} == names
    assert trees.commit_tree("HEAD", root, folder) == commit
    assert commit.cases == ROOT / trees.CASES
    assert working.cases == root / trees.CASES
    with pytest.raises(SystemExit, match="no commit 'nosuch'"):
        trees.commit_tree("nosuch", root, folder)


def test_a_native_module_is_built_anew_for_other_sources(tmp_path: Path) -> None:
    (tmp_path / "native").mkdir()
    settings = '[project]\nname = "karat"\n[build-system]\nrequires = []\n'
    files = {"CMakeLists.txt": "project(karat)", "native/a.cpp": "int a;"}
    for name, text in {**files, "pyproject.toml": settings}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    first = trees.native_key(tmp_path)
    (tmp_path / "pyproject.toml").write_text(settings.replace('"karat"', '"k"'), encoding="utf-8")
    assert trees.native_key(tmp_path) == first
    for name, text in files.items():
        (tmp_path / name).write_text(text + " ", encoding="utf-8")
        assert trees.native_key(tmp_path) != first
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(settings.replace("[]", '["x"]'), encoding="utf-8")
    assert trees.native_key(tmp_path) != first


def test_the_names_of_cases_are_different() -> None:
    names = [*calls.CASES, *starts.CASES, *peaks.CASES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "name",
    [name for name in calls.CASES if not any(size in name for size in ("1e6", "2e5", "2e4"))],
)
def test_a_pinned_call_gives_plain_data(name: str, tmp_path: Path) -> None:
    answer = calls.CASES[name](tmp_path)()
    assert answer
    assert sides.difference(json.loads(json.dumps(answer)), answer) == ""


def test_files_of_rows_are_reported_on(tmp_path: Path) -> None:
    optional("polars")
    for name in ("labels.parquet", "labels.csv"):
        file(tmp_path, name, label_columns, 1000)
    for name in ("probabilities.parquet", "fewer-probabilities.parquet"):
        file(tmp_path, name, probability_columns, 1000)
    answers = {name: make(tmp_path)() for name, make in peaks.CASES.items()}
    of_files = {name: make(tmp_path)() for name, make in calls.CASES.items() if " file, " in name}
    assert len(of_files) == 3
    accuracies = [answer["accuracy"][0] for answer in of_files.values()]
    first, of_labels, of_probabilities = (answer[0] for answer in answers.values())
    assert accuracies == [first, of_labels, of_probabilities]


def test_imports_of_karat_alone_are_what_is_timed() -> None:
    program = """
    import sys
    from pathlib import Path
    from benchmarks.pins.cases import starts
    alone, with_numpy, *_ = starts.CASES.values()
    with_numpy(Path())
    before = "numpy" in sys.modules
    alone(Path())
    print(before, "numpy" in sys.modules, "karat" in sys.modules)
    """
    command = [sys.executable, "-c", dedent(program)]
    run = subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT)
    assert run.stdout.split() == ["False", "True", "False"]


def test_starts_do_not_load_karat_before_the_call() -> None:
    program = """
    import sys
    from pathlib import Path
    from benchmarks.pins.cases import starts
    calls = [make(Path()) for make in starts.CASES.values()]
    before = "karat" in sys.modules
    print(before, *calls[0](), "karat" in sys.modules)
    """
    command = [sys.executable, "-c", dedent(program)]
    run = subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT)
    assert run.stdout.split() == ["False", "numpy", "karat", "True"]
