"""Nothing that is read is run: the source has no call that could, and none is made."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.imports import PACKAGE

ROOT = Path(__file__).parents[2]

MODULES = {
    "pickle",
    "_pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "code",
    "runpy",
}
"""Modules that turn bytes or text into code or objects."""
CALLS = {"eval", "exec", "compile", "__import__", "execfile"}
METHODS = {
    ("np", "load"), ("numpy", "load"), ("np", "fromfile"), ("torch", "load"), ("yaml", "load"),
    ("yaml", "unsafe_load"), ("yaml", "full_load"), ("os", "system"), ("os", "popen"),
    ("pd", "read_pickle"), ("pandas", "read_pickle"), ("jsonpickle", "decode"),
}  # fmt: skip


def dangers(source: str) -> list[str]:
    """Every import and call of a source that could run what it reads."""
    found = []
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [str(node.module)]
        found += [name for name in names if name.partition(".")[0] in MODULES]
        if isinstance(node, ast.Call):
            call = node.func
            if isinstance(call, ast.Name) and call.id in CALLS:
                found.append(call.id)
            if isinstance(call, ast.Attribute) and isinstance(call.value, ast.Name):
                pair = call.value.id, call.attr
                found += [".".join(pair)] if pair in METHODS else []
            found += ["shell=" for key in node.keywords if key.arg == "shell"]
            found += ["allow_pickle=" for key in node.keywords if key.arg == "allow_pickle"]
    return found


def test_the_source_runs_nothing_that_it_reads() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 200
    found = {str(path): dangers(path.read_text("utf-8")) for path in files}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import pickle", "from pickle import loads", "import marshal as m", "eval('1')", "exec(x)",
        "np.load(path, allow_pickle=True)", "torch.load(path)", "yaml.load(text)",
        "subprocess.run(x, shell=True)", "os.system(x)", "compile(x, 'f', 'exec')",
    ],
)  # fmt: skip
def test_a_danger_would_be_found(source: str) -> None:
    assert dangers(source)


CHILD = """
import builtins, pickle, marshal, sys, tempfile
from pathlib import Path
from tests.hostile.targets import targets
import karat, numpy, duckdb, karat.metrics
karat.metrics.search("")
with tempfile.TemporaryDirectory() as folder:
    every = targets(Path(folder))
    for target in every:
        target.attack(target.data)  # what is imported when it is first needed is there

    def refused(*_, **__):
        raise SystemExit("something was run")
    pickle.load = pickle.loads = pickle.Unpickler = refused
    pickle._load = pickle._loads = pickle._Unpickler = refused
    sys.modules["_pickle"].loads = sys.modules["_pickle"].load = refused
    marshal.loads = marshal.load = refused
    real = builtins.compile
    builtins.exec = builtins.eval = refused
    # A name of a metric is parsed, never run: compile() to a tree is how Python parses.
    def parsed(source, filename, mode, flags=0, *rest, **more):
        if not flags & 0x400:
            refused()
        return real(source, filename, mode, flags, *rest, **more)
    builtins.compile = parsed
    for target in every:
        # Comparisons and gates are refused where a baseline is expected.
        is_refused = target.name.endswith((".comparison.json", ".gate.json"))
        assert (target.attack(target.data) is None) != is_refused, target.name
        for data in (b"\\x80\\x04\\x95", b"cos\\nsystem\\n(S'true'\\ntR.", pickled):
            assert target.attack(data) is not None, target.name
            target.attack(target.data[:40] + data + target.data[40:])
print("nothing was run")
"""


def test_nothing_is_unpickled_or_run() -> None:
    code = "import os, pickle\nclass Evil:\n    def __reduce__(self): return os.abort, ()\n"
    code += "pickled = pickle.dumps(Evil())\n" + CHILD
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (run.returncode, run.stdout.strip()) == (0, "nothing was run"), run.stderr[-2000:]
