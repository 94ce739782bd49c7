"""Lines and branches of the native core.

The core is built with GCC's counters, and the C++ tests of the kernels run on every instruction
set; then it stands where the installed one would, and the tests that use it most run. gcovr adds
up and names the holes. Branches that only an exception takes are left out: no test can make every
allocation fail.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from fuzz.build import MODULE, tool

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "coverage"
LEAST = 95.0
"""Per cent of branches."""
TESTS = (
    "tests/kernels", "tests/fuzz", "tests/meaning", "tests/laws", "tests/objectives",
    "tests/sources", "tests/tally", "tests/curves", "tests/inference", "tests/comparison",
    "tests/calibration", "tests/numerics", "tests/streams", "tests/concurrency",
)  # fmt: skip
REPLAY = "import fuzz.replay, sys; sys.exit(bool(fuzz.replay.replay([])))"
"""The inputs that the fuzzer kept, within the process that counts."""
# They build the core themselves, or ask for the names of the installed one alone.
LEFT_OUT = ("tests/kernels/test_sanitizers.py", "tests/kernels/test_surface.py")


def report() -> tuple[str, bool]:
    """Build, run, add up: a table of files with holes, and whether enough branches are reached."""
    run(
        tool("cmake"), "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DKARAT_COVERAGE=ON",
        "-DKARAT_KERNEL_TESTS=ON", "-DCMAKE_BUILD_TYPE=Debug",
        f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", f"-DPython_EXECUTABLE={sys.executable}",
    )  # fmt: skip
    run(tool("cmake"), "--build", BUILD)
    for old in BUILD.rglob("*.gcda"):
        old.unlink()
    program = next(path for path in BUILD.rglob("karat_kernel_tests") if path.is_file())
    for isa in ("baseline", "avx2", "avx512"):
        # An instruction set that this machine lacks is refused by the program.
        subprocess.run([program, isa], check=False)
    (module,) = BUILD.rglob("_native*.so")
    environment = {**os.environ, **in_every_process(module)}
    replay = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", REPLAY], env=environment, cwd=ROOT, check=False
    )
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", str(os.cpu_count() or 1), *TESTS,
         *(f"--ignore={path}" for path in LEFT_OUT)],
        env=environment, cwd=ROOT, check=False,
    )  # fmt: skip
    found = BUILD / "summary.json"
    run(
        tool("gcovr"), "--root", "native", "--object-directory", BUILD, "--json-summary", found,
        "--txt", BUILD / "branches.txt", "--txt-metric", "branch", "--exclude-throw-branches",
        "--exclude-unreachable-branches", "--merge-mode-functions=merge-use-line-0",
        # Lines of the inner loops run more than 2³² times.
        "--gcov-suspicious-hits-threshold", "0",
    )  # fmt: skip
    text, is_enough = table(json.loads(found.read_text(encoding="utf-8")))
    if tests.returncode or replay.returncode:
        return f"{text}\nTests failed.\n", False
    return text, is_enough


def in_every_process(module: Path) -> dict[str, str]:
    """Variables with which every Python loads that module as the core: tests start some."""
    folder = BUILD / "site"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text("import fuzz.sanitized\n", encoding="utf-8")
    return {MODULE: str(module), "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}


def table(summary: dict[str, Any]) -> tuple[str, bool]:
    """The totals, then the files with branches that no test takes; whether these are few."""
    parts = [
        f"{name}: {summary[f'{key}_covered']:,} of {summary[f'{key}_total']:,}, "
        f"{summary[f'{key}_percent']} %"
        for name, key in (("lines", "line"), ("branches", "branch"), ("functions", "function"))
    ]
    rows = [
        f"| {one['filename']} | {one['line_total'] - one['line_covered']} of {one['line_total']} "
        f"| {one['branch_total'] - one['branch_covered']} of {one['branch_total']} |"
        for one in sorted(summary["files"], key=lambda one: str(one["filename"]))
        if one["branch_covered"] < one["branch_total"] or one["line_covered"] < one["line_total"]
    ]
    head = ["| file with holes | lines not reached | branches not taken |", "|---|---|---|"]
    lines = ["; ".join(parts) + ".", "", *head, *rows]
    return "\n".join(lines) + "\n", summary["branch_percent"] >= LEAST


def run(*command: str | Path) -> None:
    """Run a command that must succeed."""
    subprocess.run(command, check=True, cwd=ROOT)
