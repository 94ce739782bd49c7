"""What an import brings along: `import karat` and `karat --help` stay light."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.optional import optional

HEAVY = {
    "click",
    "duckdb",
    "jinja2",
    "matplotlib",
    "nanoarrow",
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "rich",
    "scipy",
    "sklearn",
    "torch",
    "torchmetrics",
}
MOST_MODULES = 40
"""Modules that `import karat` may add to those of NumPy."""


def modules_after(statement: str, *, before: str = "") -> set[str]:
    """The modules that a statement loads in a fresh interpreter, without those loaded before."""
    program = (
        "import json, sys\n"
        f"{before}\n"
        "seen = set(sys.modules)\n"
        f"{statement}\n"
        "print('\\n' + json.dumps(sorted(set(sys.modules) - seen)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


def packages(modules: set[str]) -> set[str]:
    """The top-level names of some modules."""
    return {module.partition(".")[0] for module in modules}


HELP = """
from karat.cli import main
sys.argv = ["karat", "--help"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


def test_import_karat_loads_nothing_but_numpy_and_the_standard_library() -> None:
    loaded = packages(modules_after("import karat"))
    assert loaded - set(sys.stdlib_module_names) <= {"karat", "numpy"}


def test_import_karat_adds_few_modules_to_numpy() -> None:
    loaded = modules_after("import karat", before="import numpy")
    assert len(loaded) <= MOST_MODULES, sorted(loaded)


def test_counting_labels_loads_no_heavy_package() -> None:
    statement = "import karat; karat.accuracy([0, 1, 1], [0, 1, 0]); karat.evaluate([0, 1], [0, 1])"
    assert packages(modules_after(statement)) & HEAVY == set()


COMMAND = """
import os, sys
from karat.cli import main
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
assert main(["report", {path!r}, "--format", "text"]) == 0
"""
OF_OTHERS = {"karat.inference.slices", "karat.results.slices", "karat.results.gate"}


def test_a_report_of_a_file_loads_nothing_of_other_verbs(tmp_path: Path) -> None:
    optional("duckdb")
    path = tmp_path / "predictions.csv"
    path.write_text("label,prob\n" + "1,0.75\n0,0.5\n1,0.25\n0,0.125\n" * 8)
    program = (
        f"{COMMAND.format(path=str(path))}\n"
        "import json\n"
        "sys.stderr.write('\\n' + json.dumps(sorted(sys.modules)))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    loaded = set(json.loads(run.stderr.splitlines()[-1]))
    assert "karat.output.layout" in loaded
    assert packages(loaded) & (HEAVY - {"click", "duckdb", "nanoarrow", "rich"}) == set()
    assert (
        loaded & (OF_OTHERS | {"karat.inference.comparison.models", "karat.api.comparing"}) == set()
    )


def test_adapters_load_nothing_of_the_libraries_that_they_stand_for() -> None:
    statement = (
        "from karat.compat.catboost import eval_metric as e; e([0, 1], [[1, 0], [0, 1]], 'AUC')\n"
        "from karat.compat.onedal import BinaryConfusionMatrix as B; B().compute([0, 1], [0, 1])"
    )
    assert packages(modules_after(statement)) & (HEAVY | {"catboost", "daal"}) == set()


def test_the_drop_in_for_torchmetrics_loads_torch_when_a_name_is_asked_for() -> None:
    statement = "import karat.compat.torchmetrics as t; dir(t)"
    assert packages(modules_after(statement)) & HEAVY == set()
    optional("torch")
    statement = "from karat.compat.torchmetrics import MulticlassAccuracy as A; A(3)"
    assert "torchmetrics" not in packages(modules_after(statement, before="import torch"))


def test_help_of_the_command_line_loads_no_numpy() -> None:
    loaded = packages(modules_after(HELP))
    assert loaded & (HEAVY - {"click"} | {"numpy"}) == set()


def test_a_heavy_import_is_seen() -> None:
    assert "numpy" in packages(modules_after("import numpy"))
    assert modules_after("import numpy", before="import numpy") == set()
