"""Build the kernels without Python, with the flags of CMakeLists.txt, in a folder of build/."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tool(name: str) -> str:
    """A program of this environment, else of the machine."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    assert found is not None, f"{name} is not installed; the extra `test` brings it"
    return found


def build(name: str, *options: str, target: str) -> Path:
    """Configure and build a target; what is already built is kept. Returns the folder."""
    folder = ROOT / "build" / name
    folder.parent.mkdir(exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        # Test processes that run side by side share the folder.
        fcntl.flock(lock, fcntl.LOCK_EX)
        _build(folder, options, target)
    return folder


def _build(folder: Path, options: tuple[str, ...], target: str) -> None:
    # A folder configured with tools that are gone cannot be used again.
    if (folder / "CMakeCache.txt").exists() and tool("ninja") not in (
        folder / "CMakeCache.txt"
    ).read_text(encoding="utf-8"):
        shutil.rmtree(folder)
    run(
        tool("cmake"), "-S", str(ROOT), "-B", str(folder), "-G", "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", "-DKARAT_PYTHON=OFF", *options,
    )  # fmt: skip
    run(tool("cmake"), "--build", str(folder), "--target", target)


def run(*command: str) -> str:
    """Run a command that must succeed."""
    done = subprocess.run(command, capture_output=True, check=False, text=True, env=os.environ)
    assert done.returncode == 0, (
        f"{' '.join(command)}\n{done.stdout[-8000:]}\n{done.stderr[-8000:]}"
    )
    return done.stdout
