"""Build the source distribution, and wheels from it."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
__all__ = ["ROOT", "environment", "run", "sdist", "unpacked", "wheel"]


def run(*command: str | Path, **options: object) -> str:
    """Run a command that must succeed; its output."""
    done = subprocess.run(
        [str(part) for part in command], check=False, text=True, capture_output=True, **options
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}")
    return done.stdout


def environment(python: str, folder: Path) -> Path:
    """The interpreter of a new, empty environment."""
    run(python, "-m", "venv", "--clear", folder)
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def sdist(out: Path) -> Path:
    """The source distribution of what git knows."""
    run(sys.executable, "-m", "build", "--sdist", "--outdir", out, ROOT)
    return next(out.glob("karat-*.tar.gz"))


def wheel(source: Path, python: str, out: Path, work: Path) -> Path:
    """A wheel of the source distribution, for one interpreter, in an environment of its own."""
    before = set(out.glob("*.whl"))
    own = environment(python, work / f"build-{Path(python).name}")
    run(own, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, source)
    made = set(out.glob("*.whl")) - before
    if len(made) != 1:
        sys.exit(f"{python} made {len(made)} wheels; empty {out} first")
    return made.pop()


def unpacked(source: Path, folder: Path) -> Path:
    """The folder of a source distribution."""
    with tarfile.open(source) as files:
        # Python before 3.11.4 has no filters.
        kept = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        files.extractall(folder, **kept)
    return next(folder.iterdir())
