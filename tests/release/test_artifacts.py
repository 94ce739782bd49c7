"""What is published is whole: every wheel that is promised, of the version of the tag."""

from __future__ import annotations

import io
import os
import re
import shutil
import tarfile
import tomllib
from pathlib import Path

import pytest

from release.artifacts import PYTHONS, SYSTEMS, faults_of_artifacts, served
from tests.release.test_checks import ROOT, WHOLE, wheel

PLATFORMS = {
    "Linux x86-64": "manylinux_2_27_x86_64.manylinux_2_28_x86_64",
    "Linux aarch64": "manylinux2014_aarch64.manylinux_2_17_aarch64",
    "macOS x86-64": "macosx_11_0_x86_64",
    "macOS arm64": "macosx_11_0_arm64",
    "Windows x86-64": "win_amd64",
}
WHEELS = {
    f"karat-0.1.0-{python}-{platform}.whl": (python, system)
    for python in ("cp311-cp311", "cp312-abi3")
    for system, platform in PLATFORMS.items()
}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """The files of a release: ten wheels and their source."""
    folder = tmp_path / "dist"
    folder.mkdir()
    one = wheel(tmp_path, WHOLE)
    for name in WHEELS:
        shutil.copy(one, folder / name)
    names = ("LICENSE", "README.md", "CMakeLists.txt", "pyproject.toml", "native/CMakeLists.txt")
    with tarfile.open(folder / "karat-0.1.0.tar.gz", "w:gz") as file:
        for name in names:
            file.addfile(tarfile.TarInfo(f"karat-0.1.0/{name}"), io.BytesIO())
    return folder


def test_ten_wheels_and_a_source_are_whole(release: Path) -> None:
    assert len(os.listdir(release)) == 11
    assert faults_of_artifacts(release, "v0.1.0") == []
    assert faults_of_artifacts(release, None) == []


@pytest.mark.parametrize("name", WHEELS)
def test_a_wheel_that_is_left_out_is_named(name: str, release: Path) -> None:
    (release / name).unlink()
    python, system = WHEELS[name]
    assert faults_of_artifacts(release, "v0.1.0") == [f"No wheel is {python} for {system}."]


def test_a_source_that_is_left_out_is_told(release: Path) -> None:
    (release / "karat-0.1.0.tar.gz").unlink()
    told = ["There are 0 source distributions; one is expected."]
    assert faults_of_artifacts(release, "v0.1.0") == told


def test_no_wheels_at_all_are_ten_faults(release: Path) -> None:
    for name in WHEELS:
        (release / name).unlink()
    assert len(faults_of_artifacts(release, "v0.1.0")) == 10


def test_every_file_is_of_the_tag(release: Path) -> None:
    faults = faults_of_artifacts(release, "v0.2.0")
    assert len(faults) == 11
    assert all("is version 0.1.0; the tag is v0.2.0." in one for one in faults)


@pytest.mark.parametrize(
    "tags",
    [
        "cp312-abi3-linux_x86_64",
        "cp312-abi3-manylinux_2_29_x86_64",
        "cp312-abi3-manylinux_2_28_i686",
        "cp312-abi3-musllinux_1_2_x86_64",
        "cp312-abi3-macosx_12_0_arm64",
        "cp312-abi3-macosx_11_0_x86_64_arm64",
        "cp312-abi3-win_arm64",
        "cp311-abi3-win_amd64",
        "cp312-cp312-win_amd64",
        "cp313-cp313-win_amd64",
        "py3-none-any",
    ],
)
def test_a_wheel_that_nobody_promised_is_told(tags: str, release: Path) -> None:
    name = f"karat-0.1.0-{tags}.whl"
    shutil.copy(release / next(iter(WHEELS)), release / name)
    told = [f"{name} is for nothing that is promised."]
    assert faults_of_artifacts(release, "v0.1.0") == told


@pytest.mark.parametrize("name", ["karat.whl", "karat-0.1.0.whl", "-.whl", "cp312-abi3.whl"])
def test_a_wheel_without_all_parts_of_a_name_is_told(name: str, release: Path) -> None:
    shutil.copy(release / next(iter(WHEELS)), release / name)
    faults = faults_of_artifacts(release, "v0.1.0")
    assert f"{name} is for nothing that is promised." in faults
    assert all(one.startswith(name) for one in faults)


def test_a_wheel_is_read_by_its_tags() -> None:
    assert served("karat-0.1.0-1-cp311-cp311-win_amd64.whl") == {("cp311-cp311", "Windows x86-64")}
    assert [served(name) for name in WHEELS] == [{one} for one in WHEELS.values()]


def test_the_wheels_asked_for_are_those_that_are_built_and_promised() -> None:
    """One list of systems here, in the build, in its workflow and in the documentation."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    builds = settings["cibuildwheel"]
    assert [f"{one.split('-')[0]}-*" for one in PYTHONS] == builds["build"]
    assert PYTHONS[-1] == f"{settings['scikit-build']['wheel']['py-api']}-abi3"
    images = {builds["linux"][f"manylinux-{one}-image"] for one in ("x86_64", "aarch64")}
    assert images == {"manylinux_2_28"}
    assert builds["macos"]["environment"] == {"MACOSX_DEPLOYMENT_TARGET": "11.0"}
    workflow = (ROOT / ".github/workflows/wheels.yml").read_text("utf-8")
    (machines,) = re.findall(r"^ +os: \[(.*)\]$", workflow, re.MULTILINE)
    assert len(machines.split(",")) == len(SYSTEMS)
    promised = " ".join((ROOT / "docs/versions.md").read_text("utf-8").split())
    assert "Linux (x86-64, aarch64; glibc 2.28), macOS 11 (x86-64, arm64) and Windows (x86-64)" in (
        promised
    )
