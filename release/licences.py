"""The licences of what is installed with karat."""

from __future__ import annotations

import json
from pathlib import Path

from release.wheels import run

__all__ = ["PARTS", "faults_of", "of_environment"]

PARTS = (
    "Apache", "MIT", "BSD", "PSF", "Python Software Foundation", "ISC", "HPND", "MPL-2.0", "Zlib",
    "Mozilla Public License 2.0", "CC0", "0BSD", "Unlicense",
)  # fmt: skip
"""Permissive licences, by a part of their names; each part of an expression must be one."""


def of_environment(python: Path) -> dict[str, str]:
    """Licence by package of what an environment holds."""
    listed = run(
        "pip-licenses", f"--python={python}", "--format=json", "--from=mixed", "--with-system"
    )
    found = {str(one["Name"]).lower(): str(one["License"]) for one in json.loads(listed)}
    return {name: found[name] for name in sorted(found) if name not in ("pip", "setuptools")}


def faults_of(found: dict[str, str]) -> list[str]:
    """Packages that karat would bring under a licence nobody has looked at."""
    faults = []
    for name, licence in found.items():
        parts = licence.replace(" AND ", ";").replace(" OR ", ";").replace(", ", ";").split(";")
        if not all(any(x in part for x in PARTS) for part in parts):
            faults.append(f"{name}: {licence}")
    return faults
