"""The extension module for the fuzzer: Clang, coverage, address and undefined-behaviour checks."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "fuzz"

MODULE = "KARAT_FUZZ_MODULE"
"""Where the instrumented module is: set in a process that has the sanitizers."""

ENVIRONMENT = {
    # What asks for more than any honest call needs is refused; see native/memory.cpp.
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=256"
    ":alloc_dealloc_mismatch=0:quarantine_size_mb=32",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "KARAT_NUM_THREADS": "2",
}


def tool(name: str) -> str:
    """A program of this environment, else of the machine."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        sys.exit(f"{name} is not installed: `make fuzz` brings cmake and ninja, Debian has clang")
    return found


def runtime() -> str:
    """The library with the sanitizers and the fuzzer, which has to be loaded before Python."""
    spec = importlib.util.find_spec("atheris")
    if spec is None or spec.origin is None:
        sys.exit("atheris is not installed: it is in the extra `fuzz`, for Linux")
    return str(Path(spec.origin).parents[1] / "asan_with_fuzzer.so")


def build() -> str:
    """Configure and build what has changed; returns the path of the module."""
    subprocess.run(
        [tool("cmake"), "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DKARAT_FUZZ=ON",
         f"-DCMAKE_CXX_COMPILER={tool('clang++')}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
         f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", f"-DPython_EXECUTABLE={sys.executable}"],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    subprocess.run([tool("cmake"), "--build", BUILD, "--target", "_native"], check=True)
    return str(next(BUILD.rglob("_native*.so")))


def open_module(path: str) -> ModuleType:
    """The extension module of that file, under the name that it has in the package.

    By its path, so that the installed one stays as it is.
    """
    loader = importlib.machinery.ExtensionFileLoader("karat._native", path)
    spec = importlib.util.spec_from_file_location("karat._native", path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
