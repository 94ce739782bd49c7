"""What a wheel and a source distribution hold, and what they must not."""

from __future__ import annotations

import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

MOST_BYTES = 2_000_000
"""Of a wheel."""
__all__ = ["MOST_BYTES", "faults_of_sdist", "faults_of_wheel"]

NEEDED = {
    "karat/__init__.py", "karat/__init__.pyi", "karat/py.typed", "karat/output/report.schema.json",
    "karat/output/judged.schema.json", "karat/output/html/templates/report.html",
    "karat/cli/demo_data/digits_logreg.parquet", "karat/curves/__init__.pyi",
    "karat/plot/__init__.pyi", "karat/compat/torchmetrics/classification.pyi",
    "karat/compat/torchmetrics/functional/classification.pyi",
}  # fmt: skip


def faults_of_wheel(path: Path) -> list[str]:
    """What is wrong with a wheel, as sentences; nothing where it is well."""
    faults = []
    if path.stat().st_size >= MOST_BYTES:
        faults.append(f"It has {path.stat().st_size} bytes; the most is {MOST_BYTES}.")
    with zipfile.ZipFile(path) as held:
        names = set(held.namelist())
        (about,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        facts = Parser().parsestr(held.read(about).decode())
    native = [name for name in names if name.endswith((".so", ".pyd", ".dylib"))]
    if len(native) != 1:
        faults.append(f"It has {len(native)} native modules; one is expected.")
    faults += [f"{name} is missing." for name in sorted(NEEDED - names)]
    outside = {name.split("/")[0] for name in names} - {"karat", about.split("/")[0]}
    faults += [f"{name} would be installed beside karat." for name in sorted(outside)]
    odd = [name for name in names if "/tests/" in name or name.endswith((".cpp", ".hpp", ".pyc"))]
    faults += [f"{name} does not belong into a wheel." for name in sorted(odd)]
    if not any(name.endswith("licenses/LICENSE") for name in names):
        faults.append("The licence is missing.")
    if facts["License-Expression"] != "Apache-2.0":
        faults.append(f"License-Expression is {facts['License-Expression']}.")
    return faults


def faults_of_sdist(path: Path) -> list[str]:
    """What is wrong with a source distribution."""
    with tarfile.open(path) as held:
        names = {"/".join(name.split("/")[1:]) for name in held.getnames()}
    needed = {"LICENSE", "README.md", "CMakeLists.txt", "pyproject.toml", "native/CMakeLists.txt"}
    faults = [f"{name} is missing." for name in sorted(needed - names)]
    built = [name for name in names if name.endswith((".so", ".pyd", ".pyc", ".o"))]
    return faults + [f"{name} was built, and is not source." for name in sorted(built)]
