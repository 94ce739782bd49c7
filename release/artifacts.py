"""What is about to be published: `python -m release.artifacts dist --tag v0.1.0`."""

from __future__ import annotations

import argparse
import re
import sys
from itertools import product
from pathlib import Path

from release.contents import faults_of_sdist, faults_of_wheel

PYTHONS = ("cp311-cp311", "cp312-abi3")
"""A wheel for 3.11, and one of the stable ABI for every later version."""
SYSTEMS = {
    "Linux x86-64": r"manylinux_2_(\d|1\d|2[0-8])_x86_64",
    "Linux aarch64": r"manylinux_2_(\d|1\d|2[0-8])_aarch64",
    "macOS x86-64": r"macosx_(10_\d+|11_0)_x86_64",
    "macOS arm64": r"macosx_11_0_arm64",
    "Windows x86-64": r"win_amd64",
}
"""Platform tags by system, up to the glibc and the macOS that docs/versions.md promises."""


def served(name: str) -> set[tuple[str, str]]:
    """The Python and the systems that a wheel of this name is for, of those of a release."""
    # Three tags end a name; that of the platform may be several, with points between them.
    python, abi, platforms = ["", "", "", *name.removesuffix(".whl").split("-")][-3:]
    systems = {
        system
        for system, pattern in SYSTEMS.items()
        for platform in platforms.split(".")
        if re.fullmatch(pattern, platform)
    }
    return {(f"{python}-{abi}", system) for system in systems} & set(product(PYTHONS, SYSTEMS))


def faults_of_artifacts(folder: Path, tag: str | None) -> list[str]:
    """What is wrong with the files of a release, as sentences."""
    wheels, sources = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    found = {path: served(path.name) for path in wheels}
    there = set().union(*found.values())
    faults = [
        f"No wheel is {python} for {system}."
        for python, system in product(PYTHONS, SYSTEMS)
        if (python, system) not in there
    ]
    faults += [
        f"{path.name} is for nothing that is promised." for path in wheels if not found[path]
    ]
    if len(sources) != 1:
        faults.append(f"There are {len(sources)} source distributions; one is expected.")
    for path in [*wheels, *sources]:
        version = path.name.removesuffix(".tar.gz").partition("-")[2].partition("-")[0]
        if tag is not None and tag != f"v{version}":
            faults.append(f"{path.name} is version {version}; the tag is {tag}.")
        held = faults_of_wheel(path) if path.suffix == ".whl" else faults_of_sdist(path)
        faults += [f"{path.name}: {fault}" for fault in held]
    return faults


def main() -> None:
    """Exit with the faults, or print what was looked at."""
    parser = argparse.ArgumentParser(prog="python -m release.artifacts", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tag", help="of the release: v and its version")
    given = parser.parse_args()
    faults = faults_of_artifacts(given.folder, given.tag)
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(list(given.folder.iterdir()))} files are as they are to be")


if __name__ == "__main__":
    main()
