"""A commit's karat as a plain folder: its Python files, and its own native module.

The working tree becomes such a folder too, so that imports of both sides take the same ways.
A native module is built once for the sources that it is made from, by the same compiler and flags
for both sides; commits with the same native sources share it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
CASES: Final = Path("benchmarks", "pins", "cases")
FOLDER: Final = ROOT / "build" / "pins" / sys.implementation.cache_tag
WORKING: Final = "working tree"


@dataclass(frozen=True)
class Tree:
    """What a worker imports.

    Attributes:
        name: a short commit, or "working tree".
        site: the folder that holds the package karat.
        cases: the folder of its cases; for a commit without any, those beside this file.
    """

    name: str
    site: Path
    cases: Path


def working_tree(root: Path = ROOT, folder: Path = FOLDER) -> Tree:
    """The files as they are now."""
    site = folder / "working"
    _assemble(root, site, folder)
    return Tree(WORKING, site, root / CASES)


def commit_tree(commit: str, root: Path = ROOT, folder: Path = FOLDER) -> Tree:
    """The files of a commit, built once.

    Raises:
        SystemExit: there is no such commit.
    """
    sha = _git(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}").decode().strip()
    if not sha:
        raise SystemExit(f"pins: no commit {commit!r}")
    home = folder / sha
    if not home.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as space:
            sources, ready = Path(space, "sources"), Path(space, "ready")
            with tarfile.open(fileobj=BytesIO(_git(root, "archive", sha))) as archive:
                # Python before 3.11.4 has no filters.
                kept = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
                archive.extractall(sources, **kept)
            _assemble(sources, ready / "site", folder)
            if (sources / CASES).exists():
                shutil.copytree(sources / CASES, ready / CASES)
            ready.rename(home)
    cases = home / CASES
    return Tree(sha[:8], home / "site", cases if cases.exists() else ROOT / CASES)


def _assemble(root: Path, site: Path, folder: Path) -> None:
    """Make a folder hold the package of a tree and its native module, compiled; the rest goes."""
    source, package = root / "src" / "karat", site / "karat"
    wanted = {path.relative_to(source) for path in _files(source)}
    for name in sorted(wanted):
        target = package / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / name, target)
    for path in set(_files(package)) - {package / name for name in wanted}:
        path.unlink()
    native = _native(root, folder)
    shutil.copy2(native, package / native.name)
    compiled = [sys.executable, "-m", "compileall", "-q", "-j", "0", str(package)]
    # Without a compiled file for a module, importing it would compile it each time.
    subprocess.run(compiled, check=True)


def _files(package: Path) -> Iterable[Path]:
    """The files of a package that are written, not built."""
    suffixes = (".pyc", ".so", ".pyd")
    return [path for path in package.rglob("*") if path.is_file() and path.suffix not in suffixes]


def _native(root: Path, folder: Path) -> Path:
    """The native module of a tree, built where no tree with these sources was built before."""
    home = folder / f"native-{native_key(root)}"
    if not home.exists():
        print(f"pins: building the native module of {root.name} (takes a minute)", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as space:
            build, installed, ready = (
                Path(space, name) for name in ("build", "installed", "ready")
            )
            command = [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
                *("--no-deps", "--no-build-isolation", "--no-compile", "--target", str(installed)),
                *("--config-settings", f"build-dir={build}", str(root)),
            ]
            subprocess.run(command, check=True)
            ready.mkdir()
            for module in (installed / "karat").glob("_native.*"):
                if module.suffix in (".so", ".pyd"):
                    shutil.copy2(module, ready / module.name)
            ready.rename(home)
    (module,) = home.iterdir()
    return module


def native_key(root: Path) -> str:
    """A digest of what the native module of a tree is made from."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    build = [settings.get("build-system"), settings.get("tool", {}).get("scikit-build")]
    digest = hashlib.sha256(json.dumps([build, sysconfig.get_platform()]).encode())
    native = [path for path in (root / "native").rglob("*") if path.is_file()]
    for path in sorted([*native, root / "CMakeLists.txt"]):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _git(root: Path, *arguments: str) -> bytes:
    run = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)
    return run.stdout if run.returncode == 0 else b""
