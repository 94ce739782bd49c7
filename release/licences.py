"""The licences of what is installed with karat."""

from __future__ import annotations

import json
import re
from pathlib import Path

from release.wheels import run

__all__ = ["PARTS", "faults_of", "of_environment"]

PARTS = (
    "Apache", "MIT", "BSD", "PSF", "Python Software Foundation", "ISC", "HPND", "MPL", "Zlib",
    "Mozilla Public License", "CC0", "0BSD", "Unlicense", "LLVM-exception", "Public Domain",
)  # fmt: skip
"""Licences that ask nothing of users of karat, by their names; MPL binds its own files alone."""
_KNOWN = re.compile(rf"\b({'|'.join(PARTS)})\b")
_ELSE = re.compile(
    r"[AL]?GPL|General Public|EUPL|SSPL|CDDL|EPL|Proprietary|Commercial", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s+(?:and|or|with)\s+|, version [\d.]+|[;,/()]+", re.IGNORECASE)


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
        parts = [part for part in _BETWEEN.split(licence) if part.strip()]
        if _ELSE.search(licence) or not parts or not all(map(_KNOWN.search, parts)):
            faults.append(f"{name}: {licence}")
    return faults
