"""Which lines and branches of the native core the tests reach: `make coverage`.

The core is built with GCC's counters, and the C++ tests of the kernels run on every instruction
set; then it stands where the installed one would, and the tests that use it most run. gcovr adds
up and names the holes. Branches that only an exception takes are left out: no test can make every
allocation fail.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from fuzz.build import MODULE, tool

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "coverage"
LEAST = 95.0
"""Per cent of branches."""
TESTS = (
    "tests/kernels", "tests/fuzz", "tests/meaning", "tests/laws", "tests/objectives",
    "tests/engines", "tests/tally", "tests/curves", "tests/uncertainty",
)  # fmt: skip
# They build the core themselves, or start processes that load the installed one.
LEFT_OUT = ("tests/kernels/test_sanitizers.py", "tests/kernels/test_surface.py")


def main() -> int:
    """Build, run, add up; the exit status of gcovr, which is 2 or more below `LEAST`."""
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
    run(
        sys.executable, "-m", "pytest", "-q", "-x", "-p", "fuzz.sanitized", "-p",
        "_hypothesis_pytestplugin", *TESTS, *(f"--ignore={path}" for path in LEFT_OUT),
        env={**os.environ, MODULE: str(module), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    return subprocess.run(
        [tool("gcovr"), "--root", "native", "--object-directory", BUILD, "--txt", "--txt-metric",
         "branch", "--exclude-throw-branches", "--exclude-unreachable-branches", "--print-summary",
         "--merge-mode-functions=merge-use-line-0", "--fail-under-branch", str(LEAST)],
        cwd=ROOT, check=False,
    ).returncode  # fmt: skip


def run(*command: str | Path, env: dict[str, str] | None = None) -> None:
    """Run a command that must succeed."""
    subprocess.run(command, check=True, cwd=ROOT, env=env)


if __name__ == "__main__":
    sys.exit(main())
