"""What is about to be published: `python -m release.artifacts dist --tag v0.1.0`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from release.contents import faults_of_sdist, faults_of_wheel

SYSTEMS = ("manylinux", "aarch64", "macosx", "arm64", "win_amd64")
"""Of the files of a release, some name must have each of these."""


def faults_of_artifacts(folder: Path, tag: str | None) -> list[str]:
    """What is wrong with the files of a release, as sentences."""
    wheels, sources = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    faults = [
        f"No wheel is for {one}." for one in SYSTEMS if not any(one in w.name for w in wheels)
    ]
    if len(sources) != 1:
        faults.append(f"There are {len(sources)} source distributions; one is expected.")
    for path in [*wheels, *sources]:
        version = path.name.removesuffix(".tar.gz").split("-")[1]
        if tag is not None and tag != f"v{version}":
            faults.append(f"{path.name} is version {version}; the tag is {tag}.")
        found = faults_of_wheel(path) if path.suffix == ".whl" else faults_of_sdist(path)
        faults += [f"{path.name}: {fault}" for fault in found]
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
