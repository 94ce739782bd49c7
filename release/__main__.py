"""`python -m release`: build, look at what was built, install it elsewhere, run the tests there."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from release.contents import faults_of_sdist, faults_of_wheel
from release.installed import TESTS, installed, tested, without_compiler
from release.licences import faults_of, of_environment
from release.wheels import ROOT, run, sdist, unpacked, wheel


def main() -> None:
    """Print a line for each thing that was looked at; stop at the first fault."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="emptied first")
    parser.add_argument(
        "--build", nargs="*", default=[sys.executable], metavar="PYTHON", help="one wheel each"
    )
    parser.add_argument(
        "--install", nargs="*", default=[], metavar="PYTHON",
        help="where the newest wheel is installed and tested; default: those of --build",
    )  # fmt: skip
    parser.add_argument("--tests", nargs="*", default=list(TESTS))
    given = parser.parse_args()
    shutil.rmtree(given.out, ignore_errors=True)
    given.out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        source = sdist(given.out)
        _clean(source, faults_of_sdist(source))
        wheels = {python: wheel(source, python, given.out, work) for python in given.build}
        for one in wheels.values():
            _clean(one, faults_of_wheel(one))
            if "abi3" in one.name:
                run("abi3audit", "--strict", one)
                print(f"{one.name}: no symbol beyond the stable ABI")
        run("twine", "check", "--strict", source, *wheels.values())
        tree = unpacked(source, work / "source")
        pairs = {**wheels, **dict.fromkeys(given.install, one)}
        for i, (python, one_wheel) in enumerate(pairs.items()):
            own = installed(one_wheel, python, work / f"clean-{i}")
            _licences(own)
            page = run(own.with_name("karat"), "demo", env=without_compiler(own), cwd=work)
            shown = f"installed without a compiler, {len(page)} characters of demo"
            print(f"{python}: {one_wheel.name} {shown}")
            print(f"{python}: {tested(own, tree, tuple(given.tests))}", flush=True)


def _clean(path: Path, faults: list[str]) -> None:
    if faults:
        sys.exit("\n".join([f"{path.name}:", *faults]))
    print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB", flush=True)


def _licences(python: Path) -> None:
    found = of_environment(python)
    faults = faults_of(found)
    if faults:
        sys.exit("\n".join(["Licences that nobody has looked at:", *faults]))
    print(f"{len(found)} packages under licences that are permissive, or MPL", flush=True)


if __name__ == "__main__":
    main()
