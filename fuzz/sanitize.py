"""The kernels under the thread sanitizer, and their Python tests under those of the fuzzed module.

`make sanitize`: the C++ tests that ask for threads, on every instruction set, with callers at once,
then a deliberate race, which has to be found; then tests/kernels with the module that the
fuzzer uses in the place of the installed one. The address and undefined-behaviour checks of the C++
tests are part of `make test`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from fuzz.build import ENVIRONMENT, MODULE, ROOT, build, runtime

RACE = "data race"
# A race is the end of the process; so is what the sanitizer finds about locks.
THREADS = {"TSAN_OPTIONS": "halt_on_error=1:exitcode=66"}
# GCC 12's thread sanitizer loses track of its own stack in AVX-512 code and ends in its runtime.
# Who shares what with whom is the same code for every instruction set.
UNREAD = {"avx512"}
# They start processes of their own, give them too little memory for a sanitizer, or ask for the
# names of the installed module alone.
LEFT_OUT = tuple(
    f"tests/kernels/test_{name}.py"
    for name in ("sanitizers", "threads", "ranking_threads", "refusals_of_sizes", "surface")
)


def kernel_tests() -> Path:
    """The C++ tests of the kernels, built with the thread sanitizer."""
    from tests.kernels.build_kernels import build as build_kernels

    options = ("-DKARAT_SANITIZE_THREADS=ON", "-DKARAT_KERNEL_TESTS=ON")
    folder = build_kernels("threads", *options, target="karat_kernel_tests")
    return next(path for path in folder.rglob("karat_kernel_tests") if path.is_file())


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The tests on an instruction set, or a deliberate mistake."""
    return subprocess.run(
        [program, *arguments],
        env={**os.environ, **THREADS}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def check_threads() -> bool:
    """Whether no race is found, but the deliberate one."""
    from karat import _native

    program, is_clean = kernel_tests(), True
    for isa in (name for name in _native.isas() if name not in UNREAD):
        control = run(program, isa, "race")
        is_found = control.returncode != 0 and RACE in control.stderr
        print(f"{isa}: the deliberate race was {'found' if is_found else 'NOT FOUND'}", flush=True)
        done = run(program, isa, "threads")
        print(f"{isa}: {done.stdout.strip() or done.stderr[-8000:]}", flush=True)
        is_clean = is_clean and is_found and done.returncode == 0
    return is_clean


def check_bindings() -> bool:
    """Whether the Python tests of the kernels pass with the sanitized module."""
    environment = {
        **os.environ, **ENVIRONMENT, MODULE: build(), "LD_PRELOAD": runtime(),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "fuzz.sanitized", "-p",
         "_hypothesis_pytestplugin", "tests/kernels", *(f"--ignore={path}" for path in LEFT_OUT)],
        env=environment, cwd=ROOT, check=False,
    )  # fmt: skip
    return done.returncode == 0


def main() -> int:
    """Exit status 1 when anything was found."""
    return int(not all([check_threads(), check_bindings()]))


if __name__ == "__main__":
    sys.exit(main())
