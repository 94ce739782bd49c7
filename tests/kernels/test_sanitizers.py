"""The kernels under the address and undefined-behaviour sanitizers, on every instruction set."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from karat import _native
from tests.kernels.build_kernels import build

# A memory leak is an error; so is anything undefined.
ENVIRONMENT = {
    "ASAN_OPTIONS": "strict_string_checks=1:exitcode=99",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


@pytest.fixture(scope="module")
def program() -> Path:
    """The C++ tests, built with sanitizers."""
    options = ("-DKARAT_SANITIZE=ON", "-DKARAT_KERNEL_TESTS=ON")
    folder = build("sanitized", *options, target="karat_kernel_tests")
    return next(folder.rglob("karat_kernel_tests"))


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, *arguments],
        capture_output=True,
        check=False,
        text=True,
        timeout=300,
        env=ENVIRONMENT,
    )


@pytest.mark.slow
@pytest.mark.parametrize("isa", _native.isas())
def test_the_kernels_are_clean(program: Path, isa: str) -> None:
    done = run(program, isa)
    assert done.returncode == 0, done.stderr[-8000:]
    assert done.stdout == f"passed on {isa}\n"


@pytest.mark.slow
@pytest.mark.parametrize("isa", _native.isas())
@pytest.mark.parametrize(
    ("control", "found"),
    [
        ("overrun", "heap-buffer-overflow"),
        ("overflow", "signed integer overflow"),
        ("mismatch", "FAILED: a deliberate difference"),
    ],
)
def test_a_deliberate_mistake_is_found(program: Path, isa: str, control: str, found: str) -> None:
    done = run(program, isa, control)
    assert done.returncode != 0
    assert found in done.stderr
